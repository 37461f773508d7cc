package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

func on(day, hour int) api.Time {
	return api.At(time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC))
}

func by(name string) *string { return &name }

func TestWhatAVersionChanged(t *testing.T) {
	first := api.PlanningEntry{Version: 1, SchedulingStatus: api.ScheduleProposed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan")}
	for _, c := range []struct {
		is   api.PlanningEntry
		want string
	}{
		{api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, FlightDate: on(20, 10), ScheduledBy: by("AeroScan")}, "nothing but the note"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, FlightDate: on(22, 14), ScheduledBy: by("AeroScan")}, "moved from Fri 20 Nov 10:00, 2 d 4 h later"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleRescheduled, FlightDate: on(19, 10), ScheduledBy: by("Nordflug")}, "moved from Fri 20 Nov 10:00, 1 d earlier|proposed before|by AeroScan before"},
		{api.PlanningEntry{SchedulingStatus: api.ScheduleCancelled, ScheduledBy: by("AeroScan")}, "the date, Fri 20 Nov 10:00, was taken away|proposed before"},
	} {
		if got := strings.Join(Changes(&c.is, &first, noon, nil), "|"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.is, got, c.want)
		}
	}
	if got := Changes(&first, nil, noon, nil); got != nil {
		t.Errorf("the first version changed %q", got)
	}
	undated := api.PlanningEntry{SchedulingStatus: api.ScheduleProposed, ScheduledBy: by("AeroScan")}
	if got := Changes(&first, &undated, noon, nil); fmt.Sprint(got) != "[a date was set]" {
		t.Errorf("from no date: %q", got)
	}
}
