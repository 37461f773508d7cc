package demodata

import (
	"slices"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// makeEndpoint returns an endpoint of an account with its log of callbacks.
func (m *worldMaker) makeEndpoint(
	accountUUID string, e demoEndpoint, events []missionEvent, registered time.Time,
) domain.PastWebhook {
	names := e.Events
	if names == nil {
		names = api.EventNames()
	}
	endpoint := domain.PastWebhook{
		AccountUUID: accountUUID,
		Webhook: store.Webhook{
			UUID:        m.newUUID(registered),
			URL:         e.URL,
			Events:      names,
			Description: e.Description,
			Secret:      m.newSecret(),
			Created:     registered,
			Updated:     registered,
		},
	}
	endpoint.Log = m.callbackLog(e, names, events, registered)
	if len(endpoint.Log) > 0 {
		status := "success"
		newest := endpoint.Log[len(endpoint.Log)-1]
		if newest.Error != "" {
			status = "failed"
		}
		endpoint.LastStatus = &status
	}
	return endpoint
}

// missionEvent is an event in the history of a mission.
type missionEvent struct {
	name    api.EventName
	mission string
	at      time.Time
}

// eventsOf returns the events of an account's missions, oldest first.
func eventsOf(orders []domain.PastOrder, account string) []missionEvent {
	var all []missionEvent
	for _, o := range orders {
		if o.AccountUUID != account {
			continue
		}
		for _, past := range o.Missions {
			all = append(all, eventsOfMission(o, past)...)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return all
}

// eventsOfMission returns the events of a mission. It has none before an operator is assigned.
func eventsOfMission(order domain.PastOrder, mission domain.PastMission) []missionEvent {
	if mission.OperatorName == nil {
		return nil
	}
	var all []missionEvent
	add := func(name api.EventName, at time.Time) {
		all = append(all, missionEvent{name: name, mission: mission.UUID, at: at})
	}
	add(api.EventOperatorAssigned, assignedAt(order, mission))
	for _, p := range mission.Planning {
		if p.Status == api.ScheduleConfirmed || p.Status == api.ScheduleRescheduled {
			add(api.EventFlightScheduled, p.Created)
		}
	}
	for _, p := range mission.Packages {
		add(api.EventDataDelivered, p.Created)
	}
	if mission.Status == api.MissionCompleted {
		add(api.EventMissionCompleted, mission.Updated)
	}
	return all
}

// assignedAt returns a plausible time at which the operator of a mission was assigned: three
// hours before the first flight date was planned. If no flight was planned, it is the time of the
// mission's last change. It is never before the order was placed.
func assignedAt(order domain.PastOrder, mission domain.PastMission) time.Time {
	assigned := mission.Updated
	if len(mission.Planning) > 0 {
		assigned = mission.Planning[0].Created.Add(-3 * time.Hour)
	}
	if assigned.Before(order.Created) {
		return order.Created
	}
	return assigned
}

// newestEvent returns the index of the newest event with a name, or -1. The events are sorted, the oldest first.
func newestEvent(events []missionEvent, name api.EventName) int {
	for i, event := range slices.Backward(events) {
		if event.name == name {
			return i
		}
	}
	return -1
}

// callbackLog returns the callbacks that were sent to an endpoint: one for each event that is in
// names and happened after the endpoint was registered. It leaves out the newest event with the
// name e.Lost, as if its callback had been lost.
func (m *worldMaker) callbackLog(
	e demoEndpoint, names []api.EventName, events []missionEvent, registered time.Time,
) []domain.PastDelivery {
	lostIndex := newestEvent(events, e.Lost)
	var log []domain.PastDelivery
	for i, event := range events {
		if event.at.Before(registered) || !slices.Contains(names, event.name) {
			continue
		}
		d := domain.PastDelivery{
			UUID:        m.newUUID(event.at),
			Event:       event.name,
			MissionUUID: event.mission,
			Code:        200,
			Attempts:    1,
			Created:     event.at,
		}
		m.setOutcome(&d, e.Failures)
		if i == lostIndex {
			continue // not earlier, because every event must take its random numbers
		}
		log = append(log, d)
	}
	return log
}

// allAttempts is the number of attempts that the service makes before it gives up a callback.
const allAttempts = 4

// setOutcome changes the result of a callback at random, as the failure pattern of its endpoint
// requires. It uses the error texts of the service. Before the call, d must be a callback that
// succeeded at the first attempt.
func (m *worldMaker) setOutcome(d *domain.PastDelivery, f failurePattern) {
	chance := m.rng.IntN(12)
	switch f {
	case failsAlways:
		setFailure(d, 0, allAttempts, "unknown host name")
	case failsOften: // 5 of 12 callbacks fail
		if chance < 2 {
			setFailure(d, 0, allAttempts, "no response within 5 s")
		} else if chance < 5 {
			setFailure(d, 500, allAttempts, "HTTP 500")
		}
	default: // 2 of 12 callbacks fail, and 2 of 12 succeed at the second attempt
		switch chance {
		case 0:
			setFailure(d, 500, allAttempts, "HTTP 500")
		case 1:
			setFailure(d, 503, 2, store.DeliveryStopped)
		case 2, 3:
			d.Attempts = 2
		}
	}
}

// setFailure makes a callback a failed one. code is the status of the last response, or 0 if
// there was none.
func setFailure(d *domain.PastDelivery, code, attempts int, reason string) {
	d.Code = code
	d.Attempts = attempts
	d.Error = reason
}
