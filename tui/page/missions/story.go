package missions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/widget"
)

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// expectedEvent is a callback that the service should have sent.
type expectedEvent struct {
	name  api.EventName
	at    time.Time // zero if unknown
	about string
}

// expectedEvents returns the callbacks that a mission's history should have caused,
// oldest first.
func expectedEvents(
	m *api.Mission,
	planning []api.PlanningEntry,
	packages []api.DeliveryPackage,
	now time.Time,
	zone *time.Location,
) []expectedEvent {
	var all []expectedEvent
	reached := slices.Index(api.MissionStatuses(), m.Status)
	ended := m.Status == api.MissionCancelled
	if m.OperatorName != nil && *m.OperatorName != "" || reached >= 1 && !ended {
		all = append(all, expectedEvent{api.EventOperatorAssigned, time.Time{}, textOrEmpty(m.OperatorName)})
	}
	for i := len(planning) - 1; i >= 0; i-- {
		p := &planning[i]
		if p.SchedulingStatus == api.ScheduleProposed || p.SchedulingStatus == api.ScheduleCancelled {
			continue // confirms no date
		}
		about := fmt.Sprintf("v%d, %s", p.Version, format.MomentAt(p.FlightDate.Time, now, zone))
		all = append(all, expectedEvent{api.EventFlightScheduled, p.CreatedAt.Time, about})
	}
	for i := len(packages) - 1; i >= 0; i-- {
		all = append(all, expectedEvent{api.EventDataDelivered, packages[i].CreatedAt.Time, packages[i].Name})
	}
	if m.Status == api.MissionCompleted {
		all = append(all, expectedEvent{api.EventMissionCompleted, m.UpdatedAt.Time, ""})
	}
	return all
}

var stages = []string{"ordered", "operator", "flight", "data", "done"}

// missionSteps returns the stages of a mission with their known dates, nil if it was
// cancelled.
func missionSteps(m *cache.Mission, packages []api.DeliveryPackage, now time.Time) []widget.Step {
	at := slices.Index(api.MissionStatuses(), m.Status)
	if at < 0 || m.Status == api.MissionCancelled {
		return nil
	}
	path := detail.PathSteps(stages, at, labels.MissionStatus(m.Status).Role)
	path[0].When = format.ShortDay(m.CreatedAt.Time, now)
	if !m.FlightDate.IsZero() {
		path[2].When = format.ShortDay(m.FlightDate.Time, m.InFlightZone(now, now))
	}
	if len(packages) > 0 {
		path[3].When = format.ShortDay(packages[len(packages)-1].CreatedAt.Time, now)
	}
	if m.Status == api.MissionCompleted {
		path[4].When = format.ShortDay(m.UpdatedAt.Time, now)
	}
	return path
}

// permissionSpan returns when a permission is valid.
func permissionSpan(p *api.FlightPermission, now time.Time) string {
	from, to := format.Day(p.ValidFrom.Time, now), format.Day(p.ValidTo.Time, now)
	if from == format.None && to == format.None {
		return ""
	}
	return strings.TrimSpace("valid " + from + " to " + to)
}

// permissionProblem returns why a granted permission does not cover the flight, "" if
// it does.
func permissionProblem(p *api.FlightPermission, flight time.Time) string {
	switch {
	case p == nil || flight.IsZero() || p.Status != api.PermissionGranted:
		return ""
	case !p.ValidFrom.IsZero() && flight.Before(p.ValidFrom.Time):
		return "flight date is before the permission starts"
	case !p.ValidTo.IsZero() && flight.After(p.ValidTo.Time):
		return "flight date is after the permission ends"
	}
	return ""
}
