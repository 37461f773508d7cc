package quotes

import (
	"math"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// offer is a quote with its order and status.
type offer = quoting.Offer

// RenderSection renders a section with an order's quotes in at most h lines of w cells. If record is nil, it
// renders why the quotes are unknown. scope is the scope of the page; the section shows the keys that actions
// have in this scope.
func RenderSection(
	env *page.Env, record *api.OrderRecord, state cache.EntryState, w, h int, scope action.Scope,
) []string {
	section := page.DetailSection{Title: "Quotes", Unread: record == nil}
	if record == nil {
		section.Err = state.Err
		return env.Look.RenderSection(section, w, scope)
	}
	now := env.Clock.Now()
	record = withoutArchived(env, record)
	section.None = noQuotesText(record)
	set := quoting.NewSet(now, record)
	if n := len(set.OpenOffers(now)); n > 0 {
		section.Note = format.Count(n, "quote") + " to decide"
	}
	section.Lines = RenderQuotes(env, record, action.KeyOf(action.ShowQuotes, scope), w, h-1)
	return env.Look.RenderSection(section, w, scope)
}

// RenderQuotes renders an order's quotes in at most h lines of w cells. If some are open, the last line has the
// key that opens the comparison. RenderQuotes returns nil if the order has no quotes. It does not render the
// status of the order, because the page already shows it.
func RenderQuotes(env *page.Env, r *api.OrderRecord, key string, w, h int) []string {
	set := quoting.NewSet(env.Clock.Now(), withoutArchived(env, r))
	set.Units = env.Look.Units
	return offerList{env: env, set: &set, key: key, isStatusShown: true}.renderLines(w, h)
}

// RenderQuoteLines renders all quotes of an order, without a limit of the height. Each quote has one line if w is large
// enough. A last line has the key that opens the comparison, as in [RenderQuotes]; if key is "", this line is left out.
func RenderQuoteLines(env *page.Env, r *api.OrderRecord, key string, w int) []string {
	set := quoting.NewSet(env.Clock.Now(), withoutArchived(env, r))
	set.Units = env.Look.Units
	list := offerList{env: env, set: &set, key: key, isStatusShown: true, short: true}
	return list.renderLines(w, math.MaxInt)
}

// describeStage returns the status of an order with its description.
func describeStage(r *api.OrderRecord) string {
	status := format.RecordLabel(r.StageStatus())
	return strings.TrimSuffix(status.Label+": "+status.Description, ": ")
}

// noQuotesText returns the text for an order without quotes.
func noQuotesText(r *api.OrderRecord) string {
	if isAwaitingQuotes(r) {
		return "No quotes yet."
	}
	return "No quotes."
}

// isAwaitingQuotes reports whether an order without quotes can still get quotes. It returns true for a status that
// this version does not know.
func isAwaitingQuotes(r *api.OrderRecord) bool {
	status := r.StageStatus()
	if status == api.RecordReviewing || status == api.RecordQuoteReceived {
		return true
	}
	asOrder := api.OrderStatus(status)
	return asOrder == api.OrderBiddingWithQuote || !slices.Contains(api.OrderStatuses(), asOrder)
}

// withoutArchived returns the record. If the order is archived, it returns a copy in which all quotes are closed.
func withoutArchived(env *page.Env, r *api.OrderRecord) *api.OrderRecord {
	if env.Profile.Cache.IsArchived(r) {
		return quoting.CloseArchived(r)
	}
	return r
}

// offerList renders the quotes of an order below each other.
type offerList struct {
	env              *page.Env
	set              *quoting.OfferSet
	key              string                // key that opens the comparison
	isStatusShown    bool                  // the page shows the status of the order
	short            bool                  // remarks that do not fit are left out instead of drawn in further lines
	tall             bool                  // a quote has several lines
	differencesApart bool                  // in a tall list, differences in price have a separate line
	briefDays        bool                  // delivery times are abbreviated, such as "28 d"
	about            func(o *offer) string // returns a remark about a quote; may be nil
	width            offerWidths
}

// offerWidths are the widths of the parts of a quote. In a list with one line for each quote, the parts are
// columns.
type offerWidths struct{ name, price, days, state, amount, share int }

// secondLine returns the width of the second line of a quote in a tall list. That line has the delivery time, the
// status and the difference in price.
func (o *offerWidths) secondLine() int {
	const margin = 3
	const gap = 2
	return margin + o.days + format.Width(" · ") + o.state + gap + o.amount + gap + o.share + gap
}

// leastLine is the minimum width of a list with one line for each quote. A narrower list has several lines for
// each quote.
const leastLine = 56

// renderLines renders the quotes in at most h lines, and a line about the next step. It returns
// nil if there are no quotes.
func (l offerList) renderLines(w, h int) (lines []string) {
	all := slices.Concat(l.set.Open, l.set.Decided)
	if len(all) == 0 {
		return nil
	}
	l.width = l.widestTexts(all)
	l.differencesApart = l.width.secondLine() > w
	l.tall = w < leastLine || !l.short && l.areLinesCut(all, w) && l.tallHeight(all, w) < h
	if !l.tall && l.areLinesCut(all, w) {
		brief := l
		brief.briefDays = true
		brief.width = brief.widestTexts(all)
		if !brief.areLinesCut(all, w) {
			l = brief
		}
	}
	nextStep := l.renderNextStep(all[0].Order, w)
	for i, o := range all {
		rendered := l.renderOffer(o, w)
		room := h - len(nextStep) - len(lines)
		isLast := i == len(all)-1
		if len(rendered) > room || len(rendered) == room && !isLast {
			more := format.BeyondView(0, len(all)-i, false)
			lines = append(lines, l.env.Look.Theme.PaintMuted(" "+more))
			break
		}
		lines = append(lines, rendered...)
	}
	return append(lines, nextStep...)
}

// areLinesCut reports whether some quotes with their remarks do not fit into one line of w cells, the last of which is
// blank.
func (l offerList) areLinesCut(offers []*offer, w int) bool {
	return slices.ContainsFunc(offers, func(o *offer) bool {
		line := l.renderFigures(o)
		if remarks := l.describeRemarks(o); remarks != "" {
			line += "  " + remarks
		}
		return format.Width(line) >= w
	})
}

// tallHeight returns the number of lines that the given quotes have in a tall list.
func (l offerList) tallHeight(offers []*offer, w int) int {
	height := 0
	for _, o := range offers {
		height += len(l.renderTall(o, w))
	}
	return height
}

// maxOfferName is the maximum width of the names in a list of quotes.
const maxOfferName = 22

// widestTexts returns the width of the widest text in each column of the given quotes.
func (l offerList) widestTexts(offers []*offer) (widths offerWidths) {
	widest := func(width *int, text string) { *width = max(*width, format.Width(text)) }
	for _, o := range offers {
		amount, share := l.comparePrice(o)
		widest(&widths.name, format.Clean(o.DisplayName()))
		widest(&widths.price, o.PriceText())
		widest(&widths.days, l.daysText(o))
		widest(&widths.state, l.renderState(o))
		widest(&widths.amount, amount)
		widest(&widths.share, share)
	}
	widths.name = min(widths.name, maxOfferName)
	return widths
}

// renderNextStep renders a line about what to do next:
//
//   - If a quote can be decided, the key that opens the comparison.
//   - If all open quotes have expired, a text that says so.
//   - If the order has no quotes, the status of the order, unless the page already shows it.
//
// It returns nil if there is nothing to say.
func (l offerList) renderNextStep(order *api.OrderRecord, w int) []string {
	th := l.env.Look.Theme
	if len(l.set.OpenOffers(l.env.Clock.Now())) > 0 {
		if l.key == "" {
			return nil
		}
		purpose := "compare and decide"
		if l.env.Profile.RefusalOf(action.ChangesOrders) != "" {
			purpose = "compare"
		}
		return []string{" " + th.PaintHint(l.key, purpose)}
	}
	if len(l.set.Open) > 0 {
		return th.PaintLines(theme.Attention, " ", quoting.AllExpired, w-2)
	}
	if len(order.Quotes) > 0 || l.isStatusShown {
		return nil
	}
	return []string{th.PaintMuted(format.CutLine(" "+describeStage(order), w))}
}

// renderOffer renders a quote with its name, price, delivery time, status and remarks. If the list is not tall, the
// quote has one line, and remarks that do not fit into this line are left out.
func (l offerList) renderOffer(o *offer, w int) []string {
	if l.tall {
		return l.renderTall(o, w)
	}
	line := l.renderFigures(o)
	amount, _ := l.comparePrice(o)
	shorter := []string{l.describeRemarks(o), l.describeRank(o), format.FitRight(amount, l.width.amount)}
	for _, remarks := range shorter {
		isFit := format.Width(line)+len("  ")+format.Width(remarks) < w
		if remarks != "" && isFit {
			line += l.env.Look.Theme.PaintMuted("  " + remarks)
			break
		}
	}
	return []string{format.CutLine(line, w)}
}

// renderFigures renders a quote in one line with its name, price, delivery time and status.
func (l offerList) renderFigures(o *offer) string {
	th := l.env.Look.Theme
	name := format.FitLeft(format.Clean(o.DisplayName()), l.width.name)
	price := format.FitRight(o.PriceText(), l.width.price)
	days := format.FitRight(l.daysText(o), l.width.days)
	state := format.FitLeft(l.renderState(o), l.width.state)
	return l.renderGlyph(o) + th.PaintText(name+"  "+price) + th.PaintMuted("  "+days+"  ") + state
}

// daysText returns the delivery time of a quote.
func (l offerList) daysText(o *offer) string {
	if l.briefDays && o.DeliveryBy.Known {
		return format.GroupInt(o.DeliveryBy.Count) + " d"
	}
	return o.DeliveryBy.String()
}

// describeRemarks returns the remarks about a quote: its rank or its difference from the accepted price, and
// the result of the list's about function.
func (l offerList) describeRemarks(o *offer) string {
	remarks := l.describeRank(o)
	own := l.ownRemark(o)
	if remarks == "" || own == "" {
		return remarks + own
	}
	return remarks + "  " + own
}

// ownRemark returns the remark that the list's about function returns for a quote, or "" without such a
// function.
func (l offerList) ownRemark(o *offer) string {
	if l.about == nil {
		return ""
	}
	return l.about(o)
}

// renderTall renders a quote in several lines. The first has the name and the price. The second has the
// delivery time, the status and, if there is room, the difference in price; otherwise the difference is in the
// third line. The remarks follow.
func (l offerList) renderTall(o *offer, w int) []string {
	th := l.env.Look.Theme
	price := o.PriceText()
	nameWidth := max(8, w-format.Width(price)-6)
	name := format.CutLine(format.Clean(o.DisplayName()), nameWidth)
	best := ""
	if l.describeDifference(o) == "" {
		best = l.set.BestOf(o, l.env.Clock.Now())
	}
	isBestBeside := best != "" && format.Width(name+afterName(best)) <= nameWidth
	beside := ""
	if isBestBeside {
		beside = th.PaintMuted(afterName(best))
	}
	lines := []string{format.FitEnds(l.renderGlyph(o)+th.PaintText(name)+beside, th.PaintText(price)+" ", w)}

	state := th.PaintMuted("   "+o.DeliveryBy.String()+" · ") + l.renderState(o)
	difference := l.describeDifference(o)
	remarks := l.describeRemarks(o)
	if difference != "" {
		difference = th.PaintMuted(difference + " ")
		remarks = l.ownRemark(o) // the difference is not repeated
	}
	if isBestBeside {
		remarks = l.ownRemark(o) // what the quote is best in is not repeated
	}
	if l.differencesApart && difference != "" {
		lines = append(lines, format.CutLine(state, w), format.FitRight(difference, w))
	} else {
		lines = append(lines, format.FitEnds(state, difference, w))
	}
	if remarks != "" {
		lines = append(lines, th.PaintLines(theme.Muted, "   ", remarks, w-4)...)
	}
	return lines
}

// renderGlyph renders the glyph of a quote's status.
func (l offerList) renderGlyph(o *offer) string {
	label := format.QuoteLabel(o.Status, o.IsExpired(l.env.Clock.Now()))
	return " " + l.env.Look.Theme.PaintRole(label.Role, label.Glyph+" ")
}

// renderState renders how long an open quote can still be decided, or otherwise its status.
func (l offerList) renderState(o *offer) string {
	now := l.env.Clock.Now()
	th := l.env.Look.Theme
	isExpired := o.IsExpired(now)
	if o.Status == api.QuoteOpen && !isExpired && o.ExpiryDate.IsRead() {
		left := format.TimeLeft(o.ExpiryDate.Time, now, false)
		return th.PaintRole(UrgencyRole(o.ExpiryDate, now), "decide within "+left)
	}
	label := format.QuoteLabel(o.Status, isExpired)
	return th.PaintRole(label.Role, label.Label)
}

// describeRank returns the difference between the price of a quote and the accepted price. If the prices cannot be
// compared, it returns what the quote is best in, such as "cheapest".
func (l offerList) describeRank(o *offer) string {
	if difference := l.describeDifference(o); difference != "" {
		return difference
	}
	return l.set.BestOf(o, l.env.Clock.Now())
}

// describeDifference returns the difference between the price of a quote and the accepted price, such as
// "+4,080.00  +32.9%", or "" if the prices cannot be compared. The differences of all quotes in the list are aligned.
func (l offerList) describeDifference(o *offer) string {
	amount, share := l.comparePrice(o)
	if amount == "" {
		return ""
	}
	return format.FitRight(amount, l.width.amount) + "  " + format.FitRight(share, l.width.share)
}

// comparePrice returns the difference between the price of a quote and the accepted price, as an amount and in
// percent, or "" if the prices cannot be compared.
func (l offerList) comparePrice(o *offer) (amount, share string) {
	accepted := l.set.AcceptedOffer()
	difference, ratio, ok := quoting.Difference(o, accepted, (*offer).Price)
	if !ok || !quoting.AreComparable(o, accepted) {
		return "", ""
	}
	return format.MoneyChange(difference, o.Currency), format.Percent(ratio)
}

// urgentWithin is how long before its expiry a quote becomes urgent.
const urgentWithin = 24 * time.Hour

// UrgencyRole returns the colour role of an expiry time: [theme.Bad] in the last hour, and [theme.Attention] in
// the last day. For a later time, or a time that could not be parsed, it returns [theme.Text].
func UrgencyRole(expiry api.Time, now time.Time) theme.Role {
	left := expiry.Sub(now)
	if !expiry.IsRead() || left >= urgentWithin {
		return theme.Text
	}
	if left < time.Hour {
		return theme.Bad
	}
	return theme.Attention
}
