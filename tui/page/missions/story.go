package missions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/fleet"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/timeline"
	"flightdesk/tui/words"
)

// changes say what a planning entry changed against the one before it, nil for
// the first.
func changes(e, before *api.PlanningEntry, now time.Time, zone *time.Location) []string {
	if before == nil {
		return nil
	}
	var said []string
	switch was, is := before.FlightDate.Time, e.FlightDate.Time; {
	case was.Equal(is):
	case was.IsZero():
		said = append(said, "a date was set")
	case is.IsZero():
		said = append(said, "the date, "+format.MomentAt(was, now, zone)+", was taken away")
	default:
		said = append(said, fmt.Sprintf("moved from %s, %s", format.MomentAt(was, now, zone), apart(was, is)))
	}
	if e.SchedulingStatus != before.SchedulingStatus {
		said = append(said, fmt.Sprintf("%s before", cmp.Or(string(before.SchedulingStatus), "without a status")))
	}
	if was, is := value(before.ScheduledBy), value(e.ScheduledBy); was != is && was != "" {
		said = append(said, "by "+was+" before")
	}
	if len(said) == 0 {
		return []string{"nothing but the note"}
	}
	return said
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// apart says how much later or earlier one time is than another.
func apart(was, is time.Time) string {
	d, word := is.Sub(was), "later"
	if d < 0 {
		d, word = -d, "earlier"
	}
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0 && hours > 0:
		return fmt.Sprintf("%d d %d h %s", days, hours, word)
	case days > 0:
		return fmt.Sprintf("%d d %s", days, word)
	case minutes > 0:
		return fmt.Sprintf("%d h %d m %s", hours, minutes, word)
	default:
		return fmt.Sprintf("%d h %s", hours, word)
	}
}

// event is a callback that the service should have sent.
type event struct {
	name  api.EventName
	at    time.Time // zero where that is not known
	about string
}

// events are those that a mission should have sent by its story, oldest first.
func events(m *api.Mission, planning []api.PlanningEntry, packages []api.DeliveryPackage, now time.Time, zone *time.Location) []event {
	var all []event
	reached := slices.Index(api.MissionStatuses(), m.Status)
	ended := m.Status == api.MissionCancelled
	if m.OperatorName != nil && *m.OperatorName != "" || reached >= 1 && !ended {
		all = append(all, event{api.EventOperatorAssigned, time.Time{}, value(m.OperatorName)})
	}
	for i := len(planning) - 1; i >= 0; i-- {
		p := &planning[i]
		about := fmt.Sprintf("v%d, %s", p.Version, format.MomentAt(p.FlightDate.Time, now, zone))
		all = append(all, event{api.EventFlightScheduled, p.CreatedAt.Time, about})
	}
	for i := len(packages) - 1; i >= 0; i-- {
		all = append(all, event{api.EventDataDelivered, packages[i].CreatedAt.Time, packages[i].Name})
	}
	if m.Status == api.MissionCompleted {
		all = append(all, event{api.EventMissionCompleted, m.UpdatedAt.Time, ""})
	}
	return all
}

var stages = []string{"ordered", "pilot", "flight", "data", "done"}

// steps are a mission's way with the days that are known.
func steps(m *fleet.Mission, packages []api.DeliveryPackage, now time.Time) []timeline.Step {
	at := slices.Index(api.MissionStatuses(), m.Status)
	if at < 0 || m.Status == api.MissionCancelled {
		return nil
	}
	steps := make([]timeline.Step, len(stages))
	for i, name := range stages {
		steps[i].Name = name
		switch {
		case i < at, at == len(stages)-1:
			steps[i].State = timeline.Done
		case i == at:
			steps[i].State, steps[i].Role = timeline.Current, words.MissionStatus(m.Status).Role
		}
	}
	steps[0].When = format.ShortDay(m.CreatedAt.Time, now)
	if !m.FlightDate.IsZero() {
		steps[2].When = format.ShortDay(m.FlightDate.Time, m.At(now, now))
	}
	if len(packages) > 0 {
		steps[3].When = format.ShortDay(packages[len(packages)-1].CreatedAt.Time, now)
	}
	if m.Status == api.MissionCompleted {
		steps[4].When = format.ShortDay(m.UpdatedAt.Time, now)
	}
	return steps
}

// planned is how a planning entry's status is shown.
func planned(s api.SchedulingStatus) (glyph string, role theme.Role) {
	switch s {
	case api.ScheduleProposed:
		return "◌", theme.Wait
	case api.ScheduleConfirmed:
		return "◎", theme.Moving
	case api.ScheduleRescheduled:
		return "◔", theme.You
	case api.ScheduleCancelled:
		return "⊖", theme.Muted
	default:
		return "?", theme.Text
	}
}

// permitted is how a permission's status is shown.
func permitted(s api.PermissionStatus) (glyph string, role theme.Role) {
	switch s {
	case api.PermissionNotRequired:
		return "–", theme.Muted
	case api.PermissionPending:
		return "◇", theme.Wait
	case api.PermissionGranted:
		return "✓", theme.Good
	case api.PermissionRefused:
		return "✗", theme.Bad
	default:
		return "?", theme.Text
	}
}

// span is from when to when a permission holds.
func span(p *api.FlightPermission, now time.Time) string {
	from, to := format.Day(p.ValidFrom.Time, now), format.Day(p.ValidTo.Time, now)
	if from == format.None && to == format.None {
		return ""
	}
	return strings.TrimSpace("valid " + from + " to " + to)
}

// misses says what is wrong between a permission and the flight, "" for
// nothing.
func misses(p *api.FlightPermission, flight time.Time) string {
	switch {
	case p == nil || flight.IsZero() || p.Status != api.PermissionGranted:
		return ""
	case !p.ValidFrom.IsZero() && flight.Before(p.ValidFrom.Time):
		return "the flight is before the permission begins"
	case !p.ValidTo.IsZero() && flight.After(p.ValidTo.Time):
		return "the flight is after the permission has ended"
	}
	return ""
}
