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

// renderDeliveries renders a line for each open quote of an order: the last day on which the data is delivered
// if the user accepts the quote today, and how far this day is from the deadline. It returns nil if no quote
// has a delivery time.
func renderDeliveries(env *page.Env, s *quotedOrder, w int) []string {
	th := env.Look.Theme
	now := env.Clock.Now()
	var offers []*offer
	var widths struct{ name, days, date, late int }
	for _, o := range s.Live {
		if !o.DeliveryBy.Known {
			continue
		}
		offers = append(offers, o)
		widths.name = max(widths.name, min(maxOfferName, format.Width(format.Clean(o.DisplayName()))))
		widths.days = max(widths.days, format.Width(o.DeliveryBy.String()))
		widths.date = max(widths.date, format.Width(format.DayMoment(o.LatestDelivery(now), now)))
		widths.late = max(widths.late, format.Width(countOf(describeLate(o, now))))
	}
	if len(offers) == 0 {
		return nil
	}
	lines := []string{" " + th.PaintTitle("Data by, if accepted today")}
	for _, o := range offers {
		name := th.PaintText(" " + format.FitLeft(format.Clean(o.DisplayName()), widths.name))
		days := th.PaintMuted("  " + format.FitRight(o.DeliveryBy.String(), widths.days))
		date := th.PaintText("  " + format.FitRight(format.DayMoment(o.LatestDelivery(now), now), widths.date))
		late := describeLate(o, now)
		if count := countOf(late); count != "" {
			late = format.BlankCells(widths.late-format.Width(count)) + late
		}
		role := theme.Muted
		if days, _ := o.DaysLate(now); days > 0 {
			role = theme.Attention
		}
		lines = append(lines, format.CutLine(name+days+date+th.PaintRole(role, "  "+late), w))
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
