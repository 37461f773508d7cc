package quotes

import (
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// orderFacts returns the known fields of an order that the user needs for a decision on its quotes.
func orderFacts(env *page.Env, r *api.OrderRecord) []widget.Fact {
	facts := widget.Texts(
		"Deadline", describeDeadline(r, env.Clock.Now()),
		"Area", describeArea(r, env.Look.Units),
		"Products", format.WordList(r.MapTypes),
		"Company", r.CompanyName,
		"Client", strings.Trim(r.ClientName+" · "+r.ClientEmail, " ·"),
	)
	facts = append(facts, widget.Facts(columns.DetailFacts(&r.RecordDetails))...)
	return slices.DeleteFunc(facts, func(f widget.Fact) bool { return f.Value == "" })
}

// describeArea returns the area of an order. Its unit is the unit of the prices per area, and it has one more
// decimal than other areas, so that the user can check these prices. describeArea returns "" if the area is
// unknown, and a dash if it is negative.
func describeArea(r *api.OrderRecord, units format.Units) string {
	if r.AreaSize == nil {
		return ""
	}
	area := *r.AreaSize
	if area < 0 {
		return format.None
	}
	if units.Areas == format.BySize { // prices are then per hectare
		units.Areas = format.Hectares
	}
	unit := units.UnitFor(area)
	return format.GroupDigits(area/unit.Per, unit.Decimals+1) + " " + unit.Name
}

// describeDeadline returns the deadline of an order and the days until then, or the text of the service if the
// deadline could not be read as a date.
func describeDeadline(r *api.OrderRecord, now time.Time) string {
	due := quoting.DeadlineOf(r, now.Location())
	if due.IsZero() {
		return cache.OrderOf(r).Deadline.Raw
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
	return append([]string{" " + th.PaintTitle("Latest delivery if accepted today")}, rows...)
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
