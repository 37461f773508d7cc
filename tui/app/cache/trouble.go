package cache

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// How long something may stand still before it is told.
const (
	soon       = 3 * 24 * time.Hour // to the deadline without a flight date
	unplanned  = 7 * 24 * time.Hour // with an operator, without a date
	unanswered = 3 * 24 * time.Hour // after the flight, without data
)

// MissionTrouble is why a mission is late, or is going to be.
type MissionTrouble struct {
	Text string
	Late bool // the deadline has passed
}

// IsEnded tells whether nothing is left to be done of a mission.
func (m *Mission) IsEnded() bool {
	return m.Status.IsDelivered() || m.Status == api.MissionCancelled ||
		m.Order != nil && !m.Order.Status.IsLive()
}

// Deadline returns the order's deadline, the zero time if it has none.
func (m *Mission) Deadline() time.Time {
	if m.Order == nil {
		return time.Time{}
	}
	return m.Order.Deadline.Time
}

// TroubleAt says what is wrong with a mission against its deadline, and whether
// anything is.
func (m *Mission) TroubleAt(now time.Time) (t MissionTrouble, ok bool) {
	if m.IsEnded() {
		return t, false
	}
	due, flight := m.Deadline(), m.FlightDate.Time
	planned := m.Status == api.MissionFlightScheduled && !flight.IsZero()
	if due.IsZero() {
		due = now.AddDate(1000, 0, 0)
	}
	switch {
	case now.After(due):
		t = MissionTrouble{overdueText(due, now) + ": " + format.Status(m.Status).Label, true}
	case planned && now.Sub(flight) > unanswered:
		t.Text = fmt.Sprintf("Flight date %s, no data yet", format.TimeUntil(flight, now))
	case planned && flight.After(due):
		t.Text = fmt.Sprintf(
			"Flight %s, after deadline %s",
			format.Day(flight, now),
			format.Day(due, now),
		)
	case !planned && due.Sub(now) < soon:
		t.Text = "No flight date, due " + format.TimeUntil(due, now)
	case m.Status == api.MissionPilotAssigned && !m.UpdatedAt.IsZero() && now.Sub(m.UpdatedAt.Time) > unplanned:
		days := int(now.Sub(m.UpdatedAt.Time).Hours() / 24)
		t.Text = "No flight date for " + format.Count(days, "day", "days")
	}
	return t, t.Text != ""
}

// overdueText returns how long ago something was due: "2 d overdue".
func overdueText(due, now time.Time) string {
	days, passed := strings.CutSuffix(format.TimeUntil(due, now), " ago")
	if !passed {
		return "Overdue since today"
	}
	return days + " overdue"
}

// TroubledMission is a mission in trouble.
type TroubledMission struct {
	*Mission

	Why MissionTrouble
}

// TroubledMissions returns the missions in trouble, the late ones first and then by
// deadline.
func (v *CacheView) TroubledMissions(now time.Time) []TroubledMission {
	var all []TroubledMission
	for _, m := range v.Missions {
		if t, ok := m.TroubleAt(now); ok {
			all = append(all, TroubledMission{m, t})
		}
	}
	slices.SortStableFunc(all, func(x, y TroubledMission) int {
		switch {
		case x.Why.Late == y.Why.Late:
			return x.Deadline().Compare(y.Deadline())
		case x.Why.Late:
			return -1
		default:
			return 1
		}
	})
	return all
}
