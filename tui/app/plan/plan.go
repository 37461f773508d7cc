// Package plan collects the flights, deadlines, expiries of quotes and deliveries of an
// account by day, and writes them to a calendar file.
package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// Kind is the kind of an event.
type Kind int

// The kinds, in the order in which the events of a day are listed.
const (
	Deadline Kind = iota
	Expiry
	Flight
	Delivery
)

// Kinds lists the kinds of events.
func Kinds() []Kind { return []Kind{Deadline, Expiry, Flight, Delivery} }

// Name returns what the kind is called in a table.
func (k Kind) Name() string {
	return [...]string{"deadline", "expiry", "flight", "delivery"}[k]
}

// Describe returns how many events of the kind there are, such as "2 flights".
func (k Kind) Describe(n int) string {
	return format.Count(n, k.Name())
}

// Event is something that has a day. Which of the other fields are set depends on the kind.
type Event struct {
	Kind    Kind
	Day     time.Time // a [format.CalendarDay]
	At      time.Time // on the clock of Day; noon for a deadline that is a whole day
	IsWhole bool      // the deadline is a whole day
	Order   *api.Order

	Mission *cache.Mission       // of a flight or delivery
	Quote   *quoting.Offer       // that expires
	Package *api.DeliveryPackage // that was delivered
}

// ID identifies the event among all events of an account.
func (e *Event) ID() string {
	switch e.Kind {
	case Flight:
		return "flight-" + e.Mission.UUID
	case Expiry:
		return "expiry-" + e.Order.UUID + "-" + e.Quote.QuoteID
	case Delivery:
		return "delivery-" + e.Package.UUID
	default:
		return "deadline-" + e.Order.UUID
	}
}

// Code returns the code of the mission or order that the event is about.
func (e *Event) Code() string {
	if e.Mission != nil {
		return e.Mission.MissionCode
	}
	return e.Order.OrderCode
}

// Name returns the name of the mission, quote or order that the event is about.
func (e *Event) Name() string {
	if e.Mission != nil {
		return e.Mission.MissionName
	}
	if e.Quote != nil {
		return e.Quote.DisplayName()
	}
	return e.Order.OrderName
}

// Source is what a plan is made of.
type Source struct {
	Orders   []*api.Order // whose deadlines are listed; orders of missions need not be repeated
	Missions []*cache.Mission
	Quotes   []*quoting.OpenStanding
	Packages func(missionUID string) []api.DeliveryPackage // nil for none

	Now   time.Time // in the time zone of the reader
	Units format.Units
}

// Events returns the events by time. Deadlines are listed of live orders, expiries of quotes
// that can still be decided.
func (s *Source) Events() []Event {
	events := slices.Concat(s.deadlines(), s.expiries(), s.flights(), s.deliveries())
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Kind, b.Kind), a.At.Compare(b.At))
	})
	return events
}

// deadlines returns the deadlines of the orders and of the orders of the missions.
func (s *Source) deadlines() (events []Event) {
	orders := slices.Clone(s.Orders)
	for _, m := range s.Missions {
		orders = append(orders, m.Order)
	}
	seen := map[string]bool{}
	for _, o := range orders {
		if o == nil || seen[o.UUID] || !o.Status.IsLive() {
			continue
		}
		seen[o.UUID] = true
		due := o.Deadline.EndDay(s.Now.Location())
		if due.IsZero() {
			continue
		}
		e := Event{Kind: Deadline, Order: o, At: o.Deadline.In(s.Now.Location()), IsWhole: due.IsDay()}
		if e.IsWhole {
			e.At = due.NoonIn(s.Now.Location())
		}
		e.Day = format.CalendarDay(due.NoonIn(s.Now.Location()))
		events = append(events, e)
	}
	return events
}

// expiries returns when the quotes expire that can be decided.
func (s *Source) expiries() (events []Event) {
	for _, standing := range s.Quotes {
		order := cache.OrderOf(standing.OrderRecord)
		for _, o := range standing.Live {
			if !o.ExpiryDate.IsRead() {
				continue
			}
			at := o.ExpiryDate.In(s.Now.Location())
			events = append(events, Event{Kind: Expiry, Day: format.CalendarDay(at), At: at, Order: order, Quote: o})
		}
	}
	return events
}

// flights returns the flights of the missions, on the clock that the reader has chosen.
func (s *Source) flights() (events []Event) {
	for _, m := range s.Missions {
		if m.FlightDate.IsZero() {
			continue
		}
		at := s.Units.ClockAt(m.FlightDate.In(s.Now.Location()), m.SiteZone())
		events = append(events, Event{Kind: Flight, Day: format.CalendarDay(at), At: at, Order: m.Order, Mission: m})
	}
	return events
}

// deliveries returns the packages of the missions that are known.
func (s *Source) deliveries() (events []Event) {
	if s.Packages == nil {
		return nil
	}
	for _, m := range s.Missions {
		packages := s.Packages(m.UUID)
		for i := range packages {
			p := &packages[i]
			if p.CreatedAt.IsZero() {
				continue
			}
			at := p.CreatedAt.In(s.Now.Location())
			events = append(events, Event{
				Kind: Delivery, Day: format.CalendarDay(at), At: at, Order: m.Order, Mission: m, Package: p,
			})
		}
	}
	return events
}

// DescribeCounts returns how many events of each kind there are, such as "2 deadlines, 5
// flights"; "no events" if there are none.
func DescribeCounts(events []Event) string {
	n := map[Kind]int{}
	for i := range events {
		n[events[i].Kind]++
	}
	var parts []string
	for _, kind := range Kinds() {
		if n[kind] > 0 {
			parts = append(parts, kind.Describe(n[kind]))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "no events")
}
