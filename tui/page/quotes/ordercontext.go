package quotes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	leastContextWidth = 100 // width from which the sites and dates are beside the order
	leastMapHeight    = 8
	maxListedSites    = 8
)

// renderOrder renders the order below the comparison in at most h lines of w cells. It shows the fields, the sites and
// the decided quotes of the order. In a wide window, a second column has the dates and a map of the sites. renderOrder
// returns nil if the fields do not fit. hasDecided reports whether the lines contain the decided quotes.
func (c *ComparePage) renderOrder(w, h int) (lines []string, hasDecided bool) {
	room := h - 1 // below the rule
	order, _ := c.Env.Profile.Cache.Details.Get(c.Order.OrderCode)
	leftWidth, rightWidth := c.contextWidths(w)
	if rightWidth > 0 {
		left, listsDecided := c.renderFields(order, leftWidth, room)
		right := c.renderDatesAndMap(order, rightWidth, room)
		if len(left) > 0 && len(right) > 0 {
			return c.joinBelowRule(left, right, leftWidth, w), listsDecided
		}
	}
	lines, hasDecided = c.renderFields(order, w, room)
	if len(lines) == 0 {
		return nil, false
	}
	return c.joinBelowRule(lines, nil, w, w), hasDecided
}

// contextWidths returns the widths of the two columns below a comparison of w cells. right is 0 if there is only one.
func (c *ComparePage) contextWidths(w int) (left, right int) {
	if !c.Env.Look.Theme.IsWide(w, leastContextWidth) {
		return w, 0
	}
	left = w / 2
	return left, w - left - 1
}

// hasRoomForDates reports whether renderOrder shows the dates of the quotes in h lines of w cells.
func (c *ComparePage) hasRoomForDates(w, h int) bool {
	room := h - 1 // below the rule
	order, _ := c.Env.Profile.Cache.Details.Get(c.Order.OrderCode)
	leftWidth, rightWidth := c.contextWidths(w)
	if rightWidth == 0 {
		return false
	}
	fields, _ := c.renderFields(order, leftWidth, room)
	dates := c.renderDates(order, rightWidth)
	return len(fields) > 0 && len(dates) > 0 && len(dates) <= datesHeight(order, room)
}

// hasMap reports whether the map of the sites is drawn in h lines.
func hasMap(order *api.Order, h int) bool {
	return order != nil && len(order.Missions) > 0 && h >= leastMapHeight
}

// datesHeight returns how many of the h lines of the column are for the dates: all lines, or only the lines above the
// map if there is a map.
func datesHeight(order *api.Order, h int) int {
	if hasMap(order, h) {
		return h - leastMapHeight - 1
	}
	return h
}

// joinBelowRule renders a rule of w cells, and below it two columns. The left one is leftWidth cells wide.
func (c *ComparePage) joinBelowRule(left, right []string, leftWidth, w int) []string {
	th := c.Env.Look.Theme
	lines := []string{th.Rule.Render(strings.Repeat("─", w))}
	for i := range max(len(left), len(right)) {
		line := lineAt(left, i)
		if len(right) > 0 {
			line = format.FitLeft(line, leftWidth) + th.Rule.Render("│") + lineAt(right, i)
		}
		lines = append(lines, line)
	}
	return lines
}

// renderFields renders the fields of the order in at most h lines of w cells, and below them the decided quotes and the
// sites if they fit. It returns nil if the fields do not fit. hasDecided reports whether the decided quotes are among
// the lines.
func (c *ComparePage) renderFields(order *api.Order, w, h int) (lines []string, hasDecided bool) {
	th := c.Env.Look.Theme
	facts := widget.WrapFacts(th, termWidth, w, orderFacts(c.Env, c.Order)...)
	lines = append([]string{" " + th.PaintTitle("Order")}, facts...)
	if len(lines) > h {
		return nil, false
	}
	areDecidedBelow := len(c.Set.Open) > 0 // otherwise the decided quotes are above
	if areDecidedBelow && len(c.Set.Decided) > 0 {
		lines, hasDecided = appendPart(lines, c.renderDecidedPart(w, h), h)
	}
	lines, _ = appendPart(lines, c.renderSites(order, w), h)
	return lines, hasDecided
}

// lineAt returns a line, or "" if there are fewer lines.
func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// appendPart appends a part to lines, with a blank line before it, if everything fits into h lines. hasPart
// reports whether the part was appended.
func appendPart(lines, part []string, h int) (joined []string, hasPart bool) {
	joined = page.JoinParts(lines, part)
	if len(part) == 0 || len(joined) > h {
		return lines, false
	}
	return joined, true
}

// renderDecidedPart renders the decided quotes below a title.
func (c *ComparePage) renderDecidedPart(w, h int) []string {
	title := " " + c.Env.Look.Theme.PaintTitle("Decided quotes")
	return append([]string{title}, c.renderDecided(w, h)...)
}

// renderSites renders the names, the types and the places of an order's sites. It returns nil if the sites are not
// loaded.
func (c *ComparePage) renderSites(order *api.Order, w int) []string {
	if order == nil || len(order.Missions) == 0 {
		return nil
	}
	th := c.Env.Look.Theme
	listed := order.Missions[:min(len(order.Missions), maxListedSites)]
	nameWidth := 0
	for i := range listed {
		nameWidth = max(nameWidth, format.Width(format.Clean(listed[i].MissionName)))
	}
	nameWidth = min(nameWidth, w/2)
	lines := []string{" " + th.PaintTitle("Sites")}
	for i := range listed {
		m := &listed[i]
		details := []string{format.Word(m.MissionType).Label}
		if format.ValueOf(m.AreaSize) > 0 {
			details = append(details, c.Env.Look.Units.Area(*m.AreaSize))
		}
		if place := columns.PlaceOf(m); place != "" {
			details = append(details, place)
		}
		name := th.PaintText(" " + format.FitLeft(format.Clean(m.MissionName), nameWidth))
		line := name + th.PaintMuted("  "+format.Clean(strings.Join(details, " · ")))
		lines = append(lines, format.CutLine(line, w))
	}
	if more := len(order.Missions) - len(listed); more > 0 {
		lines = append(lines, th.PaintMuted(" … and "+format.GroupInt(more)+" more"))
	}
	return lines
}

// renderDatesAndMap renders the dates that matter for the decision and below them the map of the sites, in at most h
// lines of w cells. If only one of them fits, it renders the map.
func (c *ComparePage) renderDatesAndMap(order *api.Order, w, h int) []string {
	dates := c.renderDates(order, w)
	if len(dates) > datesHeight(order, h) {
		dates = nil
	}
	if !hasMap(order, h) {
		return dates
	}
	if len(dates) > 0 {
		dates = append(dates, "")
	}
	c.mapped.show(c.site, order, quoting.StateOf(c.Order, c.At))
	drawn := c.site.View(c.Env.Look.Theme, w, h-len(dates))
	return append(dates, format.SplitLines(drawn)...)
}

// mappedOrder is the order whose missions are on a map. quotes is the state of its quotes, on which the statuses of the
// missions on the map depend.
type mappedOrder struct {
	order  *api.Order
	quotes format.QuoteState
}

// show puts the missions of an order on the map, and zooms the map to them. If the map has the missions of this order
// already, show only updates their statuses.
func (m *mappedOrder) show(site *page.SiteMap, order *api.Order, quotes format.QuoteState) {
	isSameOrder := m.order == order
	if isSameOrder && m.quotes == quotes {
		return
	}
	m.order = order
	m.quotes = quotes
	site.Model.SetFeatures(page.MissionFeatures(order, quotes))
	if !isSameOrder {
		site.Model.FitAll()
	}
}

// keyDate is a date that matters for the decision on quotes.
type keyDate struct {
	at    time.Time
	text  string // the formatted date
	event string // what happens on the date, such as "deadline of the order"
	role  theme.Role
}

// renderDates renders a list of dates, oldest first: when the order was placed, when each open quote expires,
// when the data of each quote would be delivered, and the deadline of the order.
func (c *ComparePage) renderDates(order *api.Order, w int) []string {
	th := c.Env.Look.Theme
	dates := c.keyDates(order)
	if len(dates) == 0 {
		return nil
	}
	width := 0
	for _, date := range dates {
		width = max(width, format.Width(date.text))
	}
	lines := []string{" " + th.PaintTitle("Dates")}
	for _, date := range dates {
		day := th.PaintMuted(" " + format.FitLeft(date.text, width))
		line := day + "  " + th.PaintRole(date.role, format.Clean(date.event))
		lines = append(lines, format.CutLine(line, w))
	}
	return lines
}

// keyDates returns the dates that [ComparePage.renderDates] renders, oldest first.
func (c *ComparePage) keyDates(order *api.Order) []keyDate {
	now := c.At
	var dates []keyDate
	if order != nil && !order.CreatedAt.IsZero() {
		at := order.CreatedAt.Time
		dates = append(dates, keyDate{at, format.Moment(at, now), "order placed", theme.Muted})
	}
	for _, o := range c.Set.Open {
		dates = append(dates, datesOf(o, now)...)
	}
	if accepted := c.Set.AcceptedOffer(); accepted != nil {
		dates = append(dates, c.acceptedDates(accepted)...)
	}
	deadline := c.Env.Profile.Cache.KnownOrder(c.Order).Deadline.EndDay(now.Location())
	if !deadline.IsZero() {
		day := format.DayMoment(deadline, now)
		dates = append(dates, keyDate{deadline.End(), day, "deadline of the order", theme.Accent})
	}
	slices.SortStableFunc(dates, func(a, b keyDate) int { return cmp.Compare(a.at.Unix(), b.at.Unix()) })
	return dates
}

// acceptedDates returns when the user accepted a quote on this machine, and by when its data is then delivered. It
// returns nil if someone else accepted the quote.
func (c *ComparePage) acceptedDates(accepted *offer) []keyDate {
	decision := c.ownDecision(accepted)
	if decision == nil {
		return nil
	}
	now := c.At
	at := decision.At.In(now.Location())
	dates := []keyDate{{at, format.Moment(at, now), accepted.DisplayName() + " accepted", theme.Muted}}
	if accepted.DeliveryBy.Known {
		day := accepted.LatestDelivery(at)
		event := accepted.DisplayName() + ": data by"
		role := theme.Text
		if days, _ := accepted.DaysLate(at); days > 0 {
			event += ", " + format.Count(days, "day") + " late"
			role = theme.Attention
		}
		dates = append(dates, keyDate{day.End(), format.DayMoment(day, now), event, role})
	}
	return dates
}

// datesOf returns when a quote expires and when its data would be delivered. Unknown dates are left out. If the
// quote has expired, the delivery is left out, too.
func datesOf(o *offer, now time.Time) []keyDate {
	var dates []keyDate
	isExpired := o.IsExpired(now)
	if o.ExpiryDate.IsRead() {
		expiry := keyDate{at: o.ExpiryDate.Time, text: format.Moment(o.ExpiryDate.Time, now)}
		if isExpired {
			expiry.event = o.DisplayName() + " expired"
			expiry.role = theme.Muted
		} else {
			expiry.event = o.DisplayName() + " expires"
			expiry.role = UrgencyRole(o.ExpiryDate, now)
		}
		dates = append(dates, expiry)
	}
	if o.DeliveryBy.Known && !isExpired {
		day := o.LatestDelivery(now)
		event := o.DisplayName() + ": data by, if accepted today"
		dates = append(dates, keyDate{day.End(), format.DayMoment(day, now), event, theme.Text})
	}
	return dates
}
