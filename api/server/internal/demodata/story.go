package demodata

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// makeMission returns the state and history of a mission. A mission that is ahead is one
// step further than its order.
func (m *worldMaker) makeMission(o demoOrder, s demoSite, ahead bool, created, start time.Time) domain.PastMission {
	status := missionStatus(o)
	if ahead {
		all := api.MissionStatuses()
		status = all[slices.Index(all, status)+1]
	}
	past := domain.PastMission{
		UUID:    m.newUUID(created),
		Status:  status,
		Updated: created,
	}
	if s.City != "" {
		past.City = &s.City
	}
	wasAssigned := status != api.MissionCancelled || o.orderStage() == api.OrderNotFeasible
	if status == api.MissionAwaitingPilot || !wasAssigned {
		return past
	}
	operator := m.pickText(worldTables().Operators)
	past.OperatorName = &operator
	assigned := m.notAfterNow(created.Add(m.durationBetween(2*day, 3*day)))
	past.Updated = assigned
	switch status {
	case api.MissionPilotAssigned:
		m.addPermission(s, &past, api.PermissionPending, assigned)
	case api.MissionFlightScheduled:
		wait := time.Duration(2+m.rng.IntN(8)) * day
		past.FlightDate = atMidnight(m.now).Add(wait + m.durationBetween(7*time.Hour, 14*time.Hour))
		m.addFlightDates(o, &past, assigned, m.notAfterNow(assigned.Add(2*day)))
		m.addPermission(s, &past, api.PermissionGranted, past.Updated)
	case api.MissionCancelled:
		m.addAbandoned(s, &past, assigned, start)
	default:
		past.FlightDate = start.Add(m.durationBetween(7*time.Hour, 2*day))
		earliest := created.Add(4 * day)
		if past.FlightDate.Before(earliest) {
			past.FlightDate = earliest.Truncate(time.Hour)
		}
		m.addFlightDates(o, &past, assigned, past.FlightDate)
		m.addDelivered(o, s, &past)
	}
	return past
}

// addFlightDates adds the planning of a mission's flight, all from before a time. Some
// flights replace an earlier date because of the weather.
func (m *worldMaker) addFlightDates(o demoOrder, past *domain.PastMission, from, before time.Time) {
	by := m.pickText(worldTables().Dispatchers)
	room := before.Sub(from)
	add := func(status api.SchedulingStatus, flight time.Time, share time.Duration, note string) {
		at := from.Add(room * share / 10).Truncate(time.Second)
		p := store.Planning{
			Status:      status,
			FlightDate:  flight,
			ScheduledBy: &by,
			Created:     at,
		}
		if note != "" {
			p.Note = &note
		}
		past.Planning = append(past.Planning, p)
		past.Updated = p.Created
	}
	earlier := from.Add(past.FlightDate.Sub(from) * 3 / 4).Truncate(15 * time.Minute)
	if m.oneIn(4) {
		add(api.ScheduleProposed, earlier, 1, "awaiting the operator's answer")
	}
	if !o.Moved && !m.oneIn(3) {
		add(api.ScheduleConfirmed, past.FlightDate, 3, "")
		return
	}
	add(api.ScheduleConfirmed, earlier, 3, "")
	add(api.ScheduleRescheduled, past.FlightDate, 6, m.pickText(worldTables().Weather))
}

// addAbandoned adds the history of a mission that could not be flown.
func (m *worldMaker) addAbandoned(s demoSite, past *domain.PastMission, assigned, start time.Time) {
	m.addPermission(s, past, api.PermissionRefused, assigned)
	by := m.pickText(worldTables().Dispatchers)
	note := "the permission was refused"
	flight := start.Add(m.durationBetween(7*time.Hour, 2*day))
	called := m.notAfterNow(assigned.Add(m.durationBetween(day, 3*day)))
	past.Planning = []store.Planning{
		{Status: api.ScheduleConfirmed, FlightDate: flight, ScheduledBy: &by, Created: assigned},
		{Status: api.ScheduleCancelled, FlightDate: flight, ScheduledBy: &by, Note: &note, Created: called},
	}
	past.Updated = called
	past.FlightDate = flight
}

// addPermission adds a flight permission to a mission.
func (m *worldMaker) addPermission(s demoSite, past *domain.PastMission, status api.PermissionStatus, at time.Time) {
	authority := worldTables().Authorities[s.Country]
	p := &store.Permission{Status: status, Authority: &authority, Updated: at}
	past.Permission = p
	reference := fmt.Sprintf("UAS-%04d/%d", 1000+m.rng.IntN(9000), 1+m.rng.IntN(40))
	p.Reference = &reference
	if status == api.PermissionGranted {
		p.ValidFrom = atMidnight(past.FlightDate).Add(-2 * day)
		p.ValidTo = atMidnight(past.FlightDate).Add(14 * day)
	}
}

// addDelivered adds the permission and the last change of a mission whose data is
// delivered.
func (m *worldMaker) addDelivered(o demoOrder, s demoSite, past *domain.PastMission) {
	if o.Status == api.OrderArchived {
		past.Permission = &store.Permission{
			Status:  api.PermissionNotRequired,
			Updated: past.Planning[0].Created,
		}
	} else {
		m.addPermission(s, past, api.PermissionGranted, past.Planning[0].Created)
	}
	past.Updated = m.notAfterNow(past.FlightDate.Add(m.durationBetween(2*day, 5*day)))
	if past.Status == api.MissionCompleted {
		past.Updated = m.notAfterNow(past.Updated.Add(m.durationBetween(day, 3*day)))
	}
}

// MaxOrders is the maximum number of additional orders.
const MaxOrders = 1_000_000

// bulkStatuses are the statuses of additional orders; likely ones occur several times.
var bulkStatuses = []api.OrderStatus{
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderArchived,
	api.OrderArchived,
	api.OrderCancelled,
	api.OrderRejected,
	api.OrderNotFeasible,
}

// bulkOrders returns the additional orders of the first account, oldest first and older
// than those of the tables. They repeat the same sites over five years. Each has ended,
// and has one mission and no quotes or files.
func bulkOrders(options WorldOptions, now, first time.Time) iter.Seq[domain.PastOrder] {
	return func(yield func(domain.PastOrder) bool) {
		a := demoAccounts()[0]
		n := options.Orders
		m := newWorldMaker(now, first, a.UUID, "bulk")
		gap := 5 * 365 * day / time.Duration(n)
		for i := range n {
			from := a.Orders[i%len(a.Orders)]
			o := demoOrder{
				Name:         fmt.Sprintf("%s, no. %d", from.Sites[0].Label, i+1),
				Status:       bulkStatuses[m.rng.IntN(len(bulkStatuses))],
				Reason:       from.Reason,
				StartIn:      from.StartIn,
				Days:         from.Days,
				Objective:    from.Objective,
				Asset:        from.Asset,
				Sensors:      from.Sensors,
				Deliverables: from.Deliverables,
				Sites:        from.Sites[:1],
				DaysAgo:      260 + (time.Duration(n-i)*gap).Hours()/24,
			}
			if o.Reason == "" {
				o.Reason = "the season was over"
			}
			if o.Status == api.OrderArchived {
				o.Before = api.OrderCompleted
			}
			past := m.makeOrder(a.Account, o)
			past.Quotes = nil
			past.Details = nil
			if !yield(past) {
				return
			}
			added := i + 1
			if added%1000 == 0 && options.Added != nil {
				options.Added(added)
			}
		}
	}
}

//go:embed surveys
var surveys embed.FS

// Surveys returns example survey files for a new order: a harbour as KML, a levee as KML
// with a placemark without a location, pylons as CSV, and masts as CSV with decimal
// commas and one row with swapped coordinates.
func Surveys() fs.FS {
	sub, err := fs.Sub(surveys, "surveys")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}
