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

// The kinds, in the order in which events of the same time are listed.
const (
	Deadline Kind = iota
	Expiry
	Flight
	Delivery
)

// Kinds returns all kinds of events, in the order in which they are listed.
func Kinds() []Kind { return []Kind{Deadline, Expiry, Flight, Delivery} }

// Name returns the name of the kind, such as "flight".
func (k Kind) Name() string {
	return [...]string{"deadline", "expiry", "flight", "delivery"}[k]
}

// Describe returns how many events of the kind there are, such as "2 flights".
func (k Kind) Describe(n int) string {
	return format.Count(n, k.Name())
}

// Event is an event of a plan: a deadline, the expiry of a quote, a flight or a delivery. Mission, Status,
// Quote and Package are set only for the kinds that have them.
type Event struct {
	Kind    Kind
	Day     time.Time // day of the event as a [format.CalendarDay]
	At      time.Time // time of the event, in the time zone of Day; noon if IsWhole
	IsWhole bool      // the event is a deadline without a time of day
	Order   *api.Order

	Mission *cache.Mission       // mission of a flight or delivery
	Status  format.StatusLabel   // status of the mission of a flight
	Quote   *quoting.Offer       // quote that expires
	Package *api.DeliveryPackage // package that was delivered
}

// ID returns an ID that is unique among the events of an account.
func (e *Event) ID() string {
	switch e.Kind {
	case Flight:
		return "flight-" + e.Mission.UUID
	case Expiry:
		return "expiry-" + cache.OrderIdentity(e.Order) + "-" + e.Quote.QuoteID
	case Delivery:
		return "delivery-" + e.Package.UUID
	default:
		return "deadline-" + cache.OrderIdentity(e.Order)
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

// IsCancelled reports whether the event is a flight of a cancelled mission.
func (e *Event) IsCancelled() bool {
	return e.Kind == Flight && e.Mission.Status == api.MissionCancelled
}

// Source is the data from which the events of a plan are made.
type Source struct {
	Orders   []*api.Order // at least the orders that have no missions
	Missions []*cache.Mission
	Quotes   []*quoting.QuotedOrder
	Packages func(missionUID string) []api.DeliveryPackage // returns the packages of a mission; nil without deliveries

	Now   time.Time // current time in the time zone of the user
	Units format.Units
}

// Events returns the events sorted by day and time. It includes the deadlines of live orders only, and the
// expiries of quotes that can still be decided.
func (s *Source) Events() []Event {
	events := slices.Concat(s.deadlines(), s.expiries(), s.flights(), s.deliveries())
	slices.SortStableFunc(events, compareEvents)
	return events
}

// compareEvents compares two events by day, time and kind. A deadline that is a whole day is before the other
// events of its day.
func compareEvents(a, b Event) int {
	if !a.Day.Equal(b.Day) {
		return a.Day.Compare(b.Day)
	}
	if a.IsWhole != b.IsWhole {
		if a.IsWhole {
			return -1
		}
		return 1
	}
	if !a.At.Equal(b.At) {
		return a.At.Compare(b.At)
	}
	return cmp.Compare(a.Kind, b.Kind)
}

// deadlines returns an event for the deadline of each live order. The orders are those in Orders and those
// of the missions.
func (s *Source) deadlines() (events []Event) {
	orders := slices.Clone(s.Orders)
	for _, m := range s.Missions {
		orders = append(orders, m.Order)
	}
	isListed := map[string]bool{}
	for _, o := range orders {
		if o == nil || isListed[cache.OrderIdentity(o)] || !o.Status.IsLive() {
			continue
		}
		isListed[cache.OrderIdentity(o)] = true
		if e, ok := s.deadlineOf(o); ok {
			events = append(events, e)
		}
	}
	return events
}

// deadlineOf returns the deadline of an order, or false if the order has none.
func (s *Source) deadlineOf(o *api.Order) (e Event, ok bool) {
	zone := s.Now.Location()
	due := o.Deadline.EndDay(zone)
	if due.IsZero() {
		return Event{}, false
	}
	noon := due.NoonIn(zone)
	e = Event{
		Kind:    Deadline,
		Day:     format.CalendarDay(noon),
		At:      o.Deadline.In(zone),
		IsWhole: due.IsDay(),
		Order:   o,
	}
	if e.IsWhole {
		e.At = noon
	}
	return e, true
}

// expiries returns an event for the expiry of each quote that can still be decided.
func (s *Source) expiries() (events []Event) {
	for _, quoted := range s.Quotes {
		order := cache.OrderOf(quoted.OrderRecord)
		for _, quote := range quoted.Live {
			if !quote.ExpiryDate.IsRead() {
				continue
			}
			at := quote.ExpiryDate.In(s.Now.Location())
			events = append(events, Event{
				Kind:  Expiry,
				Day:   format.CalendarDay(at),
				At:    at,
				Order: order,
				Quote: quote,
			})
		}
	}
	return events
}

// stateOf returns the label of a mission's status. As long as no quote of its order is accepted, that is the
// label of the order, which depends on its quotes.
func (s *Source) stateOf(m *cache.Mission) format.StatusLabel {
	isUndecided := m.Order != nil && m.Order.Status == api.OrderBiddingWithQuote
	if !isUndecided {
		return format.Status(m.Status)
	}
	quotes := format.QuotesUnread
	i := slices.IndexFunc(s.Quotes, func(o *quoting.QuotedOrder) bool { return o.ID == m.Order.UUID })
	if i >= 0 {
		quotes = s.Quotes[i].State()
	}
	return format.MissionState(m.Status, m.Order.Status, quotes)
}

// flights returns an event for each mission with a flight date. Its time zone is the zone of the site or
// of the user, as the user has chosen in Units.
func (s *Source) flights() (events []Event) {
	for _, m := range s.Missions {
		if m.FlightDate.IsZero() {
			continue
		}
		at := s.Units.ClockAt(m.FlightDate.In(s.Now.Location()), m.SiteZone())
		events = append(events, Event{
			Kind:    Flight,
			Day:     format.CalendarDay(at),
			At:      at,
			Order:   m.Order,
			Mission: m,
			Status:  s.stateOf(m),
		})
	}
	return events
}

// deliveries returns an event for each delivered package of the missions.
func (s *Source) deliveries() (events []Event) {
	if s.Packages == nil {
		return nil
	}
	for _, m := range s.Missions {
		packages := s.Packages(m.UUID)
		for i := range packages {
			delivered := &packages[i]
			if delivered.CreatedAt.IsZero() {
				continue
			}
			at := delivered.CreatedAt.In(s.Now.Location())
			events = append(events, Event{
				Kind:    Delivery,
				Day:     format.CalendarDay(at),
				At:      at,
				Order:   m.Order,
				Mission: m,
				Package: delivered,
			})
		}
	}
	return events
}

// DescribeCounts returns how many events of each kind there are, such as "2 deadlines, 5 flights, 1 cancelled
// flight", or "no events" if there are none.
func DescribeCounts(events []Event) string {
	if len(events) == 0 {
		return "no events"
	}
	count := map[Kind]int{}
	cancelled := 0
	for i := range events {
		if events[i].IsCancelled() {
			cancelled++
		} else {
			count[events[i].Kind]++
		}
	}
	var parts []string
	for _, kind := range Kinds() {
		if count[kind] > 0 {
			parts = append(parts, kind.Describe(count[kind]))
		}
	}
	if cancelled > 0 {
		parts = append(parts, format.Count(cancelled, "cancelled flight"))
	}
	return strings.Join(parts, ", ")
}
