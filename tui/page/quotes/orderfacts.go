package quotes

import (
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

// orderFacts returns the known fields of an order that the user needs for a decision on its quotes. The page of the
// order shows the same fields.
func orderFacts(env *page.Env, r *api.OrderRecord) []widget.Fact {
	order := env.Profile.Cache.KnownOrder(r)
	facts := widget.Texts(
		"Deadline", describeDeadline(order, env.Clock.Now()),
		"Size", columns.OrderSize(order, env.Look.Units),
		"Products", columns.Products(order.Deliverables),
		"Company", order.CompanyName,
		"Client", strings.Trim(r.ClientName+" · "+r.ClientEmail, " ·"),
	)
	facts = append(facts, widget.Facts(columns.DetailFacts(&r.RecordDetails))...)
	return slices.DeleteFunc(facts, func(f widget.Fact) bool { return f.Value == "" })
}

// describeDeadline returns the deadline of an order and the days until then, or the text of the service if the
// deadline could not be read as a date.
func describeDeadline(o *api.Order, now time.Time) string {
	due := o.Deadline.EndDay(now.Location())
	if due.IsZero() {
		return o.Deadline.Raw
	}
	return format.DayMoment(due, now) + ", " + format.TimeUntil(due.NoonIn(now.Location()), now)
}

// delivery has the texts about the delivery of a quote if the user accepts it today.
type delivery struct {
	name   string
	days   string // delivery time
	date   string // last day on which the data is delivered
	late   string // how far that day is from the deadline
	isLate bool
}

// deliveriesOf returns the deliveries of the open quotes that have a delivery time.
func deliveriesOf(s *quotedOrder, now time.Time) []delivery {
	var deliveries []delivery
	for _, o := range s.Live {
		if !o.DeliveryBy.Known {
			continue
		}
		late, _ := o.DaysLate(now)
		deliveries = append(deliveries, delivery{
			name:   format.Clean(o.DisplayName()),
			days:   o.DeliveryBy.String(),
			date:   format.DayMoment(o.LatestDelivery(now), now),
			late:   describeLate(o, now),
			isLate: late > 0,
		})
	}
	return deliveries
}

// renderDeliveries renders a title, and a line for each open quote that has a delivery time. The line has the
// delivery time, the latest delivery date if the user accepts the quote today, and how far this date is from the
// deadline of the order. It returns nil if no quote has a delivery time.
func renderDeliveries(env *page.Env, s *quotedOrder, w int) []string {
	th := env.Look.Theme
	deliveries := deliveriesOf(s, env.Clock.Now())
	if len(deliveries) == 0 {
		return nil
	}
	var widths struct{ name, days, date, count int }
	for _, d := range deliveries {
		widths.name = max(widths.name, min(maxOfferName, format.Width(d.name)))
		widths.days = max(widths.days, format.Width(d.days))
		widths.date = max(widths.date, format.Width(d.date))
		widths.count = max(widths.count, format.Width(countOf(d.late)))
	}
	lines := []string{" " + th.PaintTitle("Data by, if accepted today")}
	for _, d := range deliveries {
		line := th.PaintText(" " + format.FitLeft(d.name, widths.name))
		line += th.PaintMuted("  " + format.FitRight(d.days, widths.days))
		line += th.PaintText("  " + format.FitRight(d.date, widths.date))
		late := "  " + d.late
		if count := countOf(d.late); count != "" {
			late = "  " + format.BlankCells(widths.count-format.Width(count)) + d.late
		}
		role := theme.Muted
		if d.isLate {
			role = theme.Attention
		}
		lines = append(lines, format.CutLine(line+th.PaintRole(role, late), w))
	}
	return lines
}

// describeLate compares the deadline of the order with the day on which the data of a quote would be delivered, and
// returns for example "3 days late". It returns "" if the order has no deadline.
func describeLate(o *offer, now time.Time) string {
	late, known := o.DaysLate(now)
	if !known {
		return ""
	}
	return quoting.DescribeDaysLate(late)
}

// countOf returns the number at the beginning of a text, or "" if the text does not begin with a number.
func countOf(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789,"))]
}
