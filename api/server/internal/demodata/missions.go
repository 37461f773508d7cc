package demodata

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// makeMission returns the state and the history of a mission. If isAhead is true, the mission is
// one status further than its order.
func (m *worldMaker) makeMission(
	row demoOrder, site demoSite, isAhead bool, created, start time.Time,
) domain.PastMission {
	status := missionStatus(row)
	if isAhead {
		status = nextStatus(status)
	}
	mission := domain.PastMission{
		UUID:    m.newUUID(created),
		Status:  status,
		Updated: created,
	}
	if site.City != "" {
		mission.City = &site.City
	}
	if !row.hasOperator(status) {
		return mission
	}
	operator := m.pickText(worldTables().Operators)
	mission.OperatorName = &operator
	assigned := m.notAfterNow(created.Add(m.durationBetween(2*day, 3*day)))
	mission.Updated = assigned
	switch status {
	case api.MissionPilotAssigned:
		m.addPermission(site, &mission, api.PermissionPending, assigned)
	case api.MissionFlightScheduled:
		mission.FlightDate = m.flightAfterNow()
		m.addFlightDates(row, &mission, assigned, m.notAfterNow(assigned.Add(2*day)))
		lastPlanned := mission.Updated // addFlightDates sets it to the time of the last planning entry
		m.addPermission(site, &mission, api.PermissionGranted, lastPlanned)
	case api.MissionCancelled:
		m.addAbandoned(site, &mission, assigned, start)
	default: // the data is delivered, and possibly accepted
		mission.FlightDate = m.pastFlight(created, start)
		m.addFlightDates(row, &mission, assigned, mission.FlightDate)
		m.addDelivery(row, site, &mission)
	}
	return mission
}

// nextStatus returns the mission status after the given one.
func nextStatus(status api.MissionStatus) api.MissionStatus {
	ordered := api.MissionStatuses()
	return ordered[slices.Index(ordered, status)+1]
}

// hasOperator reports whether a mission of the order has an operator when it has the given
// status. A cancelled mission has one only if the order turned out to be not feasible, because it
// is the operator who finds that out.
func (o demoOrder) hasOperator(status api.MissionStatus) bool {
	if status == api.MissionCancelled {
		return o.orderStage() == api.OrderNotFeasible
	}
	return status != api.MissionAwaitingPilot
}

// flightAfterNow returns a flight date 2 to 9 days after today.
func (m *worldMaker) flightAfterNow() time.Time {
	wait := time.Duration(2+m.rng.IntN(8)) * day
	return atMidnight(m.now).Add(wait + m.durationBetween(7*time.Hour, 14*time.Hour))
}

// pastFlight returns the flight date of a mission that was flown: soon after the start date,
// but at least four days after the order was placed.
func (m *worldMaker) pastFlight(created, start time.Time) time.Time {
	flight := start.Add(m.durationBetween(7*time.Hour, 2*day))
	earliest := created.Add(4 * day)
	if flight.Before(earliest) {
		return earliest.Truncate(time.Hour)
	}
	return flight
}

// addFlightDates adds the history of a mission's flight date: one to three entries, which were
// made between from and to. Some flights were first proposed or confirmed for an earlier date.
// The last entry is the last change of the mission.
func (m *worldMaker) addFlightDates(row demoOrder, mission *domain.PastMission, from, to time.Time) {
	dispatcher := m.pickText(worldTables().Dispatchers)
	earlierFlight := timeBetween(from, mission.FlightDate, 3, 4).Truncate(15 * time.Minute)
	if m.oneIn(4) {
		proposed := timeBetween(from, to, 1, 10)
		addPlanning(mission, api.ScheduleProposed, earlierFlight, dispatcher, proposed, "awaiting the operator's answer")
	}
	confirmed := timeBetween(from, to, 3, 10)
	wasMoved := row.Moved || m.oneIn(3)
	if !wasMoved {
		addPlanning(mission, api.ScheduleConfirmed, mission.FlightDate, dispatcher, confirmed, "")
		return
	}
	addPlanning(mission, api.ScheduleConfirmed, earlierFlight, dispatcher, confirmed, "")
	rescheduled := timeBetween(from, to, 6, 10)
	weather := m.pickText(worldTables().Weather)
	addPlanning(mission, api.ScheduleRescheduled, mission.FlightDate, dispatcher, rescheduled, weather)
}

// addPlanning adds an entry to the history of a mission's flight date. The entry was made at the
// time at, which becomes the time of the mission's last change. note may be "".
func addPlanning(
	mission *domain.PastMission,
	status api.SchedulingStatus,
	flight time.Time,
	dispatcher string,
	at time.Time,
	note string,
) {
	p := store.Planning{
		Status:      status,
		FlightDate:  flight,
		ScheduledBy: &dispatcher,
		Created:     at.Truncate(time.Second),
	}
	if note != "" {
		p.Note = &note
	}
	mission.Planning = append(mission.Planning, p)
	mission.Updated = p.Created
}

// addAbandoned adds the history of a mission that could not be flown: a permission that was
// refused, and a flight that was cancelled. The cancellation is the last change of the mission.
func (m *worldMaker) addAbandoned(site demoSite, mission *domain.PastMission, assigned, start time.Time) {
	m.addPermission(site, mission, api.PermissionRefused, assigned)
	dispatcher := m.pickText(worldTables().Dispatchers)
	flight := start.Add(m.durationBetween(7*time.Hour, 2*day))
	confirmed := store.Planning{
		Status:      api.ScheduleConfirmed,
		FlightDate:  flight,
		ScheduledBy: &dispatcher,
		Created:     assigned,
	}
	note := "the permission was refused"
	cancelled := store.Planning{
		Status:      api.ScheduleCancelled,
		FlightDate:  flight,
		ScheduledBy: &dispatcher,
		Note:        &note,
		Created:     m.notAfterNow(assigned.Add(m.durationBetween(day, 3*day))),
	}
	mission.Planning = []store.Planning{confirmed, cancelled}
	mission.Updated = cancelled.Created
	mission.FlightDate = flight
}

// addPermission adds a flight permission to a mission. If the permission is granted, it is valid
// from two days before the flight to two weeks after it.
func (m *worldMaker) addPermission(
	site demoSite, mission *domain.PastMission, status api.PermissionStatus, at time.Time,
) {
	authority := worldTables().Authorities[site.Country]
	reference := fmt.Sprintf("UAS-%04d/%d", 1000+m.rng.IntN(9000), 1+m.rng.IntN(40))
	mission.Permission = &store.Permission{
		Status:    status,
		Authority: &authority,
		Reference: &reference,
		Updated:   at,
	}
	if status == api.PermissionGranted {
		mission.Permission.ValidFrom = atMidnight(mission.FlightDate).Add(-2 * day)
		mission.Permission.ValidTo = atMidnight(mission.FlightDate).Add(14 * day)
	}
}

// addDelivery adds the flight permission of a mission whose data is delivered. It sets the time
// of the mission's last change: the delivery or, if the mission is completed, the acceptance of
// the data. Missions of archived orders did not need a permission.
func (m *worldMaker) addDelivery(row demoOrder, site demoSite, mission *domain.PastMission) {
	planned := mission.Planning[0].Created
	if row.Status == api.OrderArchived {
		mission.Permission = &store.Permission{Status: api.PermissionNotRequired, Updated: planned}
	} else {
		m.addPermission(site, mission, api.PermissionGranted, planned)
	}
	mission.Updated = m.notAfterNow(mission.FlightDate.Add(m.durationBetween(2*day, 5*day)))
	if mission.Status == api.MissionCompleted {
		mission.Updated = m.notAfterNow(mission.Updated.Add(m.durationBetween(day, 3*day)))
	}
}
