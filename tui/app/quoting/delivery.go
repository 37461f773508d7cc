package quoting

import (
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
)

// DeadlineOf returns the deadline of an order, or the zero value if it has none or could not be read as a date.
func DeadlineOf(r *api.OrderRecord, zone *time.Location) api.DayOrTime {
	return cache.OrderOf(r).Deadline.EndDay(zone)
}

// LatestDelivery returns the last day on which the data of an offer is delivered if the offer is accepted today.
func (o *Offer) LatestDelivery(now time.Time) api.DayOrTime {
	return api.DayAt(now.AddDate(0, 0, o.DeliveryBy.Count))
}

// DaysLate returns how many days the day of [Offer.LatestDelivery] is after the deadline of the order, as a negative
// number if it is before. known is false if the delivery time is unknown or the order has no deadline.
func (o *Offer) DaysLate(now time.Time) (days int, known bool) {
	due := DeadlineOf(o.Order, now.Location())
	if !o.DeliveryBy.Known || due.IsZero() {
		return 0, false
	}
	last := format.CalendarDay(o.LatestDelivery(now).Start())
	late := last.Sub(format.CalendarDay(due.NoonIn(now.Location())))
	return int(late.Hours() / 24), true
}

// DescribeDaysLate returns a number of days of [Offer.DaysLate] as text, such as "16 days after the deadline".
func DescribeDaysLate(days int) string {
	if days > 0 {
		return format.Count(days, "day") + " after the deadline"
	}
	if days < 0 {
		return format.Count(-days, "day") + " before the deadline"
	}
	return "on the day of the deadline"
}
