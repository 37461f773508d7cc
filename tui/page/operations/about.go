package operations

import (
	"fmt"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// renderAbout renders an order or a mission in lines of w cells: its next step, then
// all details.
func (d *operationsPage) renderAbout(x *orderItem, width int) []string {
	th, o := d.Theme, x.order
	st := statusOf(x, d.Now())
	code, name := x.itemName()
	lines := []string{
		" " + th.PaintRole(theme.Accent, code) + "  " + th.PaintTitle(name),
		" " + th.PaintRole(st.Role, st.Glyph+" "+st.Label) + th.PaintMuted(sinceText(x.since, d.Now())),
		"",
	}
	if x.mission != nil {
		lines = append(append(lines, d.aboutMission(x.mission, width)...), "")
		lines = append(lines, d.renderFacts(width, widget.Text("Order", o.OrderCode+"  "+o.OrderName))...)
	}
	lines = append(lines, d.aboutOrder(o, width)...)
	if x.mission == nil {
		lines = append(append(lines, ""), d.aboutQuotes(o, width)...)
	}
	for i := range lines {
		lines[i] = layout.CutLine(lines[i], width)
	}
	return lines
}

func (d *operationsPage) aboutOrder(o *api.OpsOrder, w int) []string {
	contact := ""
	if o.Account != nil {
		contact = o.Account.ClientName
		if o.Account.ClientEmail != "" {
			contact += " <" + o.Account.ClientEmail + ">"
		}
	}
	return d.renderFacts(w,
		widget.Text("Client", d.world.companyName(o.AccountUID)),
		widget.Text("Contact", contact),
		widget.Text("Extent", orderExtent(o)),
		widget.Text("Sensors", labels.WordList(o.Sensors, labels.SensorWord)),
		widget.Text("Products", labels.WordList(o.Deliverables, labels.DeliverableWord)),
		widget.Text("Period", format.Day(o.StartDate.Time, d.Now())+" → "+format.Day(o.Deadline.Time, d.Now())),
		widget.Text("Placed", format.Moment(o.CreatedAt.Time, d.Now())),
	)
}

// aboutQuotes renders the order's quotes, newest first, or the suggested quote if there
// are none.
func (d *operationsPage) aboutQuotes(o *api.OpsOrder, width int) []string {
	th := d.Theme
	if len(o.Quotes) == 0 {
		if o.Status != api.OrderBiddingWithQuote {
			return nil
		}
		in := o.SuggestQuote(0, d.Now())
		usual := format.Money(in.PriceBeforeDiscount, in.Currency) + " in " + format.Count(in.DeliveryBy, "day", "days")
		return append([]string{th.PaintTitle(" No quote yet")}, d.renderFacts(width, widget.Text("Usual", usual))...)
	}
	lines := []string{th.PaintTitle(" Quotes")}
	for i := range o.Quotes {
		lines = append(lines, d.quoteLine(&o.Quotes[i], width))
	}
	return lines
}

// quoteLine renders a quote: state, name, price and expiry.
func (d *operationsPage) quoteLine(q *api.OpsQuote, width int) string {
	glyph, role, state := quoteState(q, d.Now())
	left := " " + d.Theme.PaintRole(role, " "+glyph+" ") + d.Theme.PaintText(q.QuoteName)
	right := d.Theme.PaintText(priceOf(q)) + d.Theme.PaintRole(role, "  "+layout.FitRight(state, 14)+" ")
	return layout.FitEnds(left, right, width)
}

// aboutQuote renders all details of a quote.
func (d *operationsPage) aboutQuote(q *api.OpsQuote, w int) []string {
	glyph, role, state := quoteState(q, d.Now())
	discount := ""
	if p, ok := q.Discount(); ok && p > 0 {
		discount = format.GroupDigits(p, 0) + "%"
		if why := textOrEmpty(q.ReasonForDiscount); why != "" {
			discount += ", " + why
		}
	}
	return d.renderFacts(w,
		widget.Fact{Label: "State", Value: glyph + " " + state, Role: role},
		widget.Text("Price", moneyOf(q.PriceBeforeDiscount, q.Currency)),
		widget.Text("Discount", discount),
		widget.Text("Final", priceOf(q)),
		widget.Text("Delivery", q.DeliveryBy.String()),
		widget.Text("Expires", formatMoment(q.ExpiryDate, d.Now())),
		widget.Text("Issued", formatMoment(q.CreatedAt, d.Now())),
		widget.Text("Decided", formatMoment(q.DecidedAt, d.Now())),
		widget.Text("Description", q.Description),
	)
}

// aboutNotice renders all details of a completion notice.
func (d *operationsPage) aboutNotice(n *api.CompletionNotice, w int) []string {
	text, glyph, role := timeline.NoticeOutcome(n)
	return d.renderFacts(w,
		widget.Text("Event", string(api.EventOrderCompleted)),
		widget.Text("To", n.Address),
		widget.Fact{Label: "Outcome", Value: glyph + " " + text, Role: role},
		widget.Text("Error", textOrEmpty(n.Error)),
		widget.Text("Created", formatMoment(n.CreatedAt, d.Now())),
	)
}

// formatMoment formats a time with its day, or as none.
func formatMoment(at api.Time, now time.Time) string {
	if at.IsZero() {
		return format.None
	}
	return format.Moment(at.Time, now)
}

func priceOf(q *api.OpsQuote) string { return moneyOf(q.FinalPrice, q.Currency) }

// moneyOf formats a price, or as none.
func moneyOf(p api.Price, currency string) string {
	if !p.Known {
		return format.None
	}
	return format.Money(p.Amount, currency)
}

// quoteState returns the state of a quote, with the time left if it is open.
func quoteState(q *api.OpsQuote, now time.Time) (glyph string, role theme.Role, state string) {
	st := labels.QuoteLabel(q.Status, !q.IsDecidable(now))
	if q.IsDecidable(now) {
		st.Label += " " + format.TimeLeft(q.ExpiryDate.Time, now, false)
	}
	return st.Glyph, st.Role, st.Label
}

// aboutMission renders all details of a mission.
func (d *operationsPage) aboutMission(m *api.OpsMission, w int) []string {
	now := d.Now()
	place := m.LocationLabel
	if city := textOrEmpty(m.City); city != "" {
		place += ", " + city
	}
	flight := ""
	if !m.FlightDate.IsZero() {
		flight = format.Moment(m.FlightDate.Time, now) + ", " + format.TimeUntil(m.FlightDate.Time, now)
	}
	list := []widget.Fact{
		widget.Text(
			"Place",
			place+", "+m.Country,
		),
		widget.Text("Operator", textOrEmpty(m.OperatorName)),
		widget.Text("Flight", flight),
		{Label: "Permission", Value: permissionText(m.FlightPermission, now), Role: permissionRole(m.FlightPermission)},
	}
	list = append(list, d.planningFacts(m)...)
	for i := range m.Packages {
		p := &m.Packages[i]
		list = append(
			list,
			widget.Text(
				labelFirst(i, "Delivered"),
				fmt.Sprintf("%s, %s, version %d, %s", format.Count(p.FileCount, "file", "files"),
					format.Bytes(p.TotalSize), p.Version, labels.DeliveryLabel(p.Status).Label),
			),
		)
	}
	return d.renderFacts(w, list...)
}

// labelFirst returns the label for the first of several lines, "" for the others.
func labelFirst(i int, text string) string {
	if i > 0 {
		return ""
	}
	return text
}

func permissionRole(p *api.FlightPermission) theme.Role {
	switch {
	case p == nil:
		return theme.Muted
	case p.Status == api.PermissionGranted:
		return theme.Good
	case p.Status == api.PermissionRefused:
		return theme.Bad
	case p.Status == api.PermissionPending:
		return theme.Attention
	default:
		return theme.Text
	}
}

// planningFacts returns the planning versions of a mission, newest first, if there is
// more than one.
func (d *operationsPage) planningFacts(m *api.OpsMission) (list []widget.Fact) {
	if len(m.Planning) < 2 {
		return nil
	}
	for i, p := range m.Planning[:min(4, len(m.Planning))] {
		text := fmt.Sprintf(
			"v%d %s %s",
			p.Version,
			format.Moment(p.FlightDate.Time, d.Now()),
			labels.ScheduleLabel(p.SchedulingStatus).Label,
		)
		if note := textOrEmpty(p.Note); note != "" {
			text += " “" + note + "”"
		}
		list = append(list, widget.Text(labelFirst(i, "Planned"), text))
	}
	return list
}
