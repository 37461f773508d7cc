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

// orderFacts returns the known fields of an order that the user needs for a decision on its quotes. They are the same
// as on the page of the order.
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
func renderDeliveries(env *page.Env, s *standing, w int) []string {
	th := env.Look.Theme
	var rows []string
	for _, o := range s.Live {
		if !o.DeliveryBy.Known {
			continue
		}
		name := format.FitLeft(format.Clean(o.DisplayName()), maxOfferName)
		days := format.FitLeft(o.DeliveryBy.String(), len("100 days"))
		line := th.PaintText(" "+name) + th.PaintMuted("  "+days+"  ") + describeDelivery(env, o)
		rows = append(rows, format.CutLine(line, w))
	}
	if len(rows) == 0 {
		return nil
	}
	return append([]string{" " + th.PaintTitle("Data by, if accepted today")}, rows...)
}

// describeDelivery returns the last day on which the data is delivered if the user accepts the quote today, and
// how many days before or after the deadline that is.
func describeDelivery(env *page.Env, o *offer) string {
	th := env.Look.Theme
	now := env.Clock.Now()
	text := th.PaintText(format.DayMoment(o.LatestDelivery(now), now))
	late, known := o.DaysLate(now)
	if !known {
		return text
	}
	role := theme.Muted
	if late > 0 {
		role = theme.Attention
	}
	return text + th.PaintRole(role, "  "+quoting.DescribeDaysLate(late))
}
