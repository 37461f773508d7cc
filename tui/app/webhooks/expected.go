package webhooks

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// expectedEvents returns the events that a mission's state tells of, in the order of its
// life.
func expectedEvents(m *MissionFacts) []happenedEvent {
	flights, packages := m.flightDates(), m.releases()
	var all []happenedEvent
	if m.Status.HasReached(api.MissionPilotAssigned) || m.Operator != "" {
		h := happenedEvent{
			mission: m,
			event:   api.EventOperatorAssigned,
			from:    m.Created,
			to:      m.Updated,
			source:  "operator " + m.Operator,
		}
		if m.Operator == "" {
			h.source = "the mission is " + labels.MissionStatus(m.Status).Label
		}
		if len(flights) > 0 { // the operator came before
			h.to = flights[0].to
		}
		all = append(all, h)
	}
	all = append(append(all, flights...), packages...)
	if m.Status == api.MissionCompleted {
		h := happenedEvent{
			mission: m,
			event:   api.EventMissionCompleted,
			from:    m.Created,
			to:      m.Updated,
			source:  "the mission is completed",
		}
		if len(all) > 0 { // it came after all else
			h.from = all[len(all)-1].from
		}
		all = append(all, h)
	}
	return all
}

// flightDates returns the dates that were set, oldest first.
func (m *MissionFacts) flightDates() []happenedEvent {
	var all []happenedEvent
	if !m.Planned {
		if m.Status.HasReached(api.MissionFlightScheduled) {
			all = append(all, happenedEvent{
				mission: m,
				event:   api.EventFlightScheduled,
				from:    m.Created,
				to:      m.Updated,
				source:  "the mission is " + labels.MissionStatus(m.Status).Label,
			})
		}
		return all
	}
	for _, p := range m.Planning {
		if p.SchedulingStatus != api.ScheduleConfirmed && p.SchedulingStatus != api.ScheduleRescheduled {
			continue
		}
		source := fmt.Sprintf("planning v%d", p.Version)
		if p.ScheduledBy != nil && *p.ScheduledBy != "" {
			source += ", " + *p.ScheduledBy
		}
		all = append(all, happenedEvent{
			mission: m, event: api.EventFlightScheduled, from: p.CreatedAt.Time, to: p.CreatedAt.Time, source: source,
		})
	}
	return byTime(all)
}

// releases returns the releases of data, oldest first.
func (m *MissionFacts) releases() []happenedEvent {
	var all []happenedEvent
	if !m.Packed {
		if m.Status.HasReached(api.MissionDataDelivered) {
			all = append(all, happenedEvent{
				mission: m,
				event:   api.EventDataDelivered,
				from:    m.Created,
				to:      m.Updated,
				source:  "the mission is " + labels.MissionStatus(m.Status).Label,
			})
		}
		return all
	}
	for _, p := range m.Packages {
		all = append(all, happenedEvent{
			mission: m, event: api.EventDataDelivered, from: p.CreatedAt.Time, to: p.CreatedAt.Time,
			source: fmt.Sprintf("delivery package v%d", p.Version),
		})
	}
	return byTime(all)
}

func byTime(all []happenedEvent) []happenedEvent {
	slices.SortStableFunc(all, func(a, b happenedEvent) int { return a.to.Compare(b.to) })
	return all
}

// NeedsMore reports whether more about a mission would tell a gap from none: its
// plans or packages are not read, and something may have happened to it since a
// moment.
func (m *MissionFacts) NeedsMore(since time.Time) bool {
	return !m.Updated.Before(since) &&
		(!m.Planned && (m.Status.HasReached(api.MissionFlightScheduled) || m.Status == api.MissionCancelled) || !m.Packed && m.Status.HasReached(api.MissionDataDelivered))
}
