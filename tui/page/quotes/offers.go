package quotes

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// offer is a quote and how it stands.
type offer = quoting.Offer

// RenderSection renders an order's quotes below their title in at most h lines of w
// cells, or why they are not known.
func RenderSection(env *page.Env, r *api.OrderRecord, is cache.EntryState, w, h int) []string {
	now := env.Clock.Now()
	s := page.DetailSection{
		Title:  "Quotes",
		None:   "No quotes yet.",
		Unread: r == nil,
	}
	if r == nil {
		s.Err = is.Err
		return env.Look.RenderSection(s, w)
	}
	set := quoting.NewSet(now, withoutArchived(env, r))
	if n := len(set.OpenOffers(now)); n > 0 {
		s.Note = format.Count(n, "quote") + " to decide"
	}
	s.Lines = RenderQuotes(env, r, "c", w, h-1)
	return env.Look.RenderSection(s, w)
}

// RenderQuotes renders an order's quotes in at most h lines of w cells, and what follows,
// with the key that compares them; nothing for an order without quotes.
func RenderQuotes(env *page.Env, r *api.OrderRecord, key string, w, h int) []string {
	set := quoting.NewSet(env.Clock.Now(), withoutArchived(env, r))
	set.Units = env.Look.Units
	return offerList{env: env, set: &set, key: key}.renderLines(w, h)
}

// withoutArchived returns the record, without open quotes if its order is archived.
func withoutArchived(env *page.Env, r *api.OrderRecord) *api.OrderRecord {
	if env.Profile.Cache.IsArchived(r) {
		return quoting.CloseArchived(r)
	}
	return r
}

// offerList draws the quotes of an order one below the other.
type offerList struct {
	env   *page.Env
	set   *quoting.OfferSet
	key   string                // that compares the quotes
	tall  bool                  // each has several lines
	about func(o *offer) string // what else is said of a quote; nil for nothing
}

const (
	leastLine = 56 // width that a quote needs in one line
	allOfLine = 68 // width in which nothing of it is cut
)

func (l offerList) renderLines(w, h int) (lines []string) {
	all := slices.Concat(l.set.Open, l.set.Decided)
	if len(all) == 0 {
		return nil
	}
	names, prices := 0, 0
	for _, o := range all {
		names = max(names, format.Width(format.Clean(o.DisplayName())))
		prices = max(prices, format.Width(o.PriceText()))
	}
	l.tall = w < leastLine || w < allOfLine && 3*len(all) < h
	for i, o := range all {
		one := l.renderOffer(o, min(names, 22), prices, w)
		if room := h - 1 - len(lines); len(one) > room || len(one) == room && i < len(all)-1 {
			lines = append(lines, l.env.Look.Theme.PaintMuted(" "+format.BeyondView(0, len(all)-i, false)))
			break
		}
		lines = append(lines, one...)
	}
	switch {
	case len(l.set.OpenOffers(l.env.Clock.Now())) > 0:
		return append(lines, " "+l.env.Look.Theme.PaintHint(l.key, "compare and decide"))
	case len(l.set.Open) > 0:
		return append(lines, l.env.Look.Theme.PaintLines(theme.Attention, " ", quoting.AllExpired, w-2)...)
	case len(all[0].Order.Quotes) == 0:
		st := format.RecordLabel(all[0].Order.StageStatus())
		next := strings.TrimSuffix(" "+st.Label+": "+st.Description, ": ")
		return append(lines, l.env.Look.Theme.PaintMuted(format.CutLine(next, w)))
	}
	return lines
}

// renderOffer renders a quote: name, price, delivery, status and what else is to be said,
// in a line if there is room.
func (l offerList) renderOffer(o *offer, name, price, w int) []string {
	th := l.env.Look.Theme
	st := format.QuoteLabel(o.Status, o.IsExpired(l.env.Clock.Now()))
	state, role := st.Label, st.Role
	if o.Status == api.QuoteOpen && !o.IsExpired(l.env.Clock.Now()) && o.ExpiryDate.IsRead() {
		state, role = format.TimeLeft(o.ExpiryDate.Time, l.env.Clock.Now(), false)+" left", UrgencyRole(o.ExpiryDate, l.env.Clock.Now())
	}
	more := l.describeRank(o)
	if l.about != nil {
		more = strings.TrimSpace(more + "  " + l.about(o))
	}
	title, days := format.Clean(o.DisplayName()), o.DeliveryBy.String()
	if !l.tall {
		line := " " + th.PaintRole(st.Role, st.Glyph+" ") +
			th.PaintText(format.FitLeft(title, name)+"  "+format.FitRight(o.PriceText(), price)) +
			th.PaintMuted(
				"  "+format.FitLeft(days, 8)+"  ",
			) + th.PaintRole(role, state) + th.PaintMuted("  "+more)
		return []string{format.CutLine(line, w)}
	}
	title = format.CutLine(title, max(8, w-format.Width(o.PriceText())-6))
	lines := []string{
		format.FitEnds(
			" "+th.PaintRole(st.Role, st.Glyph+" ")+th.PaintText(title),
			th.PaintText(o.PriceText())+" ",
			w,
		),
		format.CutLine(th.PaintMuted("   "+days+" · ")+th.PaintRole(role, state), w),
	}
	if more != "" {
		lines = append(lines, th.PaintLines(theme.Muted, "   ", more, w-4)...)
	}
	return lines
}

// describeRank returns what an open quote is best in, or by how much a decided one differs
// from the one that was accepted.
func (l offerList) describeRank(o *offer) string {
	winner := l.set.AcceptedOffer()
	by, share, ok := quoting.Difference(o, winner, (*offer).Price)
	if !ok || !quoting.AreComparable(o, winner) {
		return l.set.BestOf(o, l.env.Clock.Now())
	}
	return format.MoneyChange(by, o.Currency) + " " + format.Percent(share)
}

// urgentWithin is how long before its expiry a quote becomes urgent.
const urgentWithin = 24 * time.Hour

// UrgencyRole returns the role of an expiry time, [theme.Text] for one that is not urgent
// or was not read.
func UrgencyRole(expiry api.Time, now time.Time) theme.Role {
	left := expiry.Sub(now)
	switch {
	case !expiry.IsRead() || left >= urgentWithin:
		return theme.Text
	case left < time.Hour:
		return theme.Bad
	default:
		return theme.Attention
	}
}
