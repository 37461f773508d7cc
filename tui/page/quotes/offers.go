package quotes

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// RenderOffers returns the quotes of an order in lines of w cells, h at most, as far as
// they are read: each with its price, its delivery and how it is.
func RenderOffers(th *theme.Theme, r *api.OrderRecord, is cache.EntryState, now time.Time, w, h int) []string {
	lines := []string{th.PaintTitle(" Quotes")}
	switch {
	case r == nil && is.Err != nil:
		return append(append(lines, ""), page.RenderProblem(th, is.Err, "", "r", w)...)
	case r == nil:
		return append(lines, "", th.PaintMuted(" Loading quotes…"))
	}
	b := quoting.NewSet(r, now)
	if n := len(b.OpenOffers(now)); n > 0 {
		lines[0] = layout.FitEnds(lines[0], th.PaintMuted(format.Count(n, "quote", "quotes")+" to decide "), w)
	}
	all := slices.Concat(b.Open, b.Decided)
	if len(all) == 0 {
		return append(lines, "", th.PaintMuted(" No quotes yet."))
	}
	for i, o := range all {
		offer := offerLines(th, &b, o, now, w)
		if left := len(all) - i; len(lines)+1+len(offer) >= h && (left > 1 || len(lines)+1+len(offer) > h) {
			return append(lines, "", th.PaintMuted(" "+format.BeyondView(0, left, false)))
		}
		lines = append(append(lines, ""), offer...)
	}
	if len(b.OpenOffers(now)) > 0 && len(lines)+2 <= h {
		lines = append(lines, "", " "+th.PaintHint("c", "compare and decide"))
	}
	return lines
}

// offerLines returns a quote: name and price, delivery and state, and what it is the
// best of.
func offerLines(th *theme.Theme, b *quoting.OfferSet, o *quoting.Offer, now time.Time, w int) []string {
	st := labels.QuoteLabel(o.Status, o.IsExpired(now))
	state, role := st.Label, st.Role
	if o.Status == api.QuoteOpen && !o.IsExpired(now) && o.ExpiryDate.IsRead() {
		state, role = format.TimeLeft(o.ExpiryDate.Time, now, false)+" left", UrgencyRole(o.ExpiryDate, now)
	}
	price := o.PriceText()
	name := layout.CutLine(layout.Clean(o.DisplayName()), max(8, w-layout.Width(price)-6))
	delivery := ""
	if o.DeliveryBy.Known {
		delivery = o.DeliveryBy.String() + " · "
	}
	lines := []string{
		layout.FitEnds(" "+th.PaintRole(st.Role, st.Glyph+" ")+th.PaintText(name), th.PaintText(price)+" ", w),
		layout.CutLine(th.PaintMuted("   "+delivery)+th.PaintRole(role, state), w),
	}
	if best := b.BestWords(o, now); len(best) > 0 {
		for _, part := range layout.Wrap(strings.Join(best, ", "), w-4) {
			lines = append(lines, th.PaintRole(theme.Good, "   "+part))
		}
	}
	return lines
}
