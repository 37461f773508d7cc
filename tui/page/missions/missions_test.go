package missions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.TimeOf(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func by(name string) *string { return &name }

func TestTheEventsOfAMissionsStory(t *testing.T) {
	m := &api.Mission{Status: api.MissionCompleted, OperatorName: by("AeroScan"), UpdatedAt: on(23, 9)}
	planning := []api.PlanningEntry{{Version: 2, FlightDate: on(20, 10), CreatedAt: on(18, 9)}, {Version: 1, FlightDate: on(19, 10), CreatedAt: on(17, 9)}}
	packages := []api.DeliveryPackage{{Name: "Second", CreatedAt: on(22, 9)}, {Name: "First", CreatedAt: on(21, 9)}}
	var got []string
	for _, e := range expectedEvents(m, planning, packages, noon, nil) {
		got = append(got, fmt.Sprintf("%s %d %s", strings.TrimPrefix(string(e.name), "mission."), e.at.Day(), e.about))
	}
	want := "operator_assigned 1 AeroScan|flight_scheduled 17 v1, Thu 19 Nov 10:00|flight_scheduled 18 v2, Fri 20 Nov 10:00|data_delivered 21 First|data_delivered 22 Second|completed 23 "
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if got := expectedEvents(&api.Mission{Status: api.MissionCancelled}, nil, nil, noon, nil); len(got) > 0 {
		t.Errorf("a mission that was cancelled before all has %v", got)
	}
}

func TestAPermissionThatDoesNotFitTheFlight(t *testing.T) {
	p := &api.FlightPermission{Status: api.PermissionGranted, ValidFrom: on(10, 0), ValidTo: on(20, 0)}
	for day, want := range map[int]string{9: "before", 15: "", 21: "after"} {
		if got := permissionProblem(p, on(day, 12).Time); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("a flight on the %d.: %q", day, got)
		}
	}
	if permissionProblem(nil, noon) != "" || permissionProblem(p, time.Time{}) != "" {
		t.Error("what is not known is wrong")
	}
}

func TestAMonthWalksItsDays(t *testing.T) {
	m := monthView{day: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}
	m.handleAction("month-after")
	if m.day.Format(time.DateOnly) != "2026-02-28" || m.weekCount() != 5 || m.firstDay().Format(time.DateOnly) != "2026-01-26" {
		t.Errorf("a month after: %v, %d weeks from %v", m.day, m.weekCount(), m.firstDay())
	}
	m.handleAction("day-after")
	m.handleAction("week-before")
	if m.day.Format(time.DateOnly) != "2026-02-22" {
		t.Errorf("a day on and a week back: %v", m.day)
	}
	if m.handleAction("open") {
		t.Error("open is the month's")
	}
	m.day = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	flight := func(hour int, id string) *cache.Mission {
		return &cache.Mission{Mission: api.Mission{UUID: id, FlightDate: api.TimeOf(m.day.Add(time.Duration(hour) * time.Hour))}, Order: &api.Order{}}
	}
	m.setMissions([]*cache.Mission{flight(14, "late"), flight(8, "early"), flight(30, "next day")}, time.UTC)
	if m.currentMission().UUID != "early" {
		t.Errorf("the first flight is %s", m.currentMission().UUID)
	}
	m.handleAction("next-of-day")
	if m.currentMission().UUID != "late" {
		t.Errorf("the next flight is %s", m.currentMission().UUID)
	}
	m.handleAction("next-of-day")
	if m.currentMission().UUID != "early" {
		t.Errorf("after the last comes %s", m.currentMission().UUID)
	}
}
