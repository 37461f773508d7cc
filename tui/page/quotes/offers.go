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

// Offers are the quotes of an order in lines of w cells, h at most, as far as
// they are read: each with its price, its delivery and how it is.
func Offers(th *theme.Theme, r *api.OrderRecord, is cache.State, now time.Time, w, h int) []string {
	muted := th.Style(theme.Muted)
	lines := []string{layout.Text(th.Title, " Quotes")}
	switch {
	case r == nil && is.Err != nil:
		return append(append(lines, ""), page.Problem(th, is.Err, "", "r", w)...)
	case r == nil:
		return append(lines, "", layout.Text(muted, " Loading quotes…"))
	}
	b := quoting.NewSet(r, now)
	if n := len(b.Live(now)); n > 0 {
		lines[0] = layout.Ends(lines[0], layout.Text(muted, format.Count(n, "quote", "quotes")+" to decide "), w)
	}
	all := slices.Concat(b.Open, b.Decided)
	if len(all) == 0 {
		return append(lines, "", layout.Text(muted, " No quotes yet."))
	}
	for i, o := range all {
		offer := offerLines(th, &b, o, now, w)
		if left := len(all) - i; len(lines)+1+len(offer) >= h && (left > 1 || len(lines)+1+len(offer) > h) {
			return append(lines, "", layout.Text(muted, " "+format.Beyond(0, left, false)))
		}
		lines = append(append(lines, ""), offer...)
	}
	if len(b.Live(now)) > 0 && len(lines)+2 <= h {
		lines = append(lines, "", " "+layout.Text(th.Key, "c")+layout.Text(muted, " compare and decide"))
	}
	return lines
}

// offerLines are a quote: name and price, delivery and state, and what it is the
// best of.
func offerLines(th *theme.Theme, b *quoting.Set, o *quoting.Offer, now time.Time, w int) []string {
	st := labels.Quote(o.Status, o.IsExpired(now))
	state, role := st.Label, st.Role
	if o.Status == api.QuoteOpen && !o.IsExpired(now) && o.ExpiryDate.IsRead() {
		state, role = format.Left(o.ExpiryDate.Time, now, false)+" left", UrgencyRole(o.ExpiryDate, now)
	}
	price := o.PriceText()
	name := layout.Cut(layout.Clean(o.Name()), max(8, w-layout.Width(price)-6))
	delivery := ""
	if o.DeliveryBy.Known {
		delivery = o.DeliveryBy.String() + " · "
	}
	lines := []string{
		layout.Ends(" "+layout.Text(th.Style(st.Role), st.Glyph+" ")+layout.Text(th.Style(theme.Text), name), layout.Text(th.Style(theme.Text), price)+" ", w),
		layout.Cut(layout.Text(th.Style(theme.Muted), "   "+delivery)+layout.Text(th.Style(role), state), w),
	}
	if best := b.Best(o, now); len(best) > 0 {
		for _, part := range layout.Wrap(strings.Join(best, ", "), w-4) {
			lines = append(lines, layout.Text(th.Style(theme.Good), "   "+part))
		}
	}
	return lines
}
