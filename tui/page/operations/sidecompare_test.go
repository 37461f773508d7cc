package operations

import (
	"slices"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

func TestTheClientViewSaysWhatTheClientSeesDifferently(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	operator := "AeroScan"
	mission := ops.Mission{Mission: api.Mission{
		UUID:         "m-1",
		Status:       api.MissionFlightScheduled,
		OperatorName: &operator,
		FlightDate:   api.TimeOf(now.AddDate(0, 0, 3)),
	}}
	task := itemOfMission(&ops.Order{Order: api.Order{Status: api.OrderFlyingDateSet}}, &mission)
	client := &api.Order{Status: api.OrderFlyingDateSet, Missions: []api.Mission{mission.Mission}}
	if got := compareSides(task, client, now); len(got) > 0 {
		t.Errorf("the sides agree, but differ in %q", got)
	}

	client.Status = api.OrderOperatorAssigned
	client.Missions[0].Status = api.MissionPilotAssigned
	client.Missions[0].FlightDate = api.Time{}
	want := []sideValue{
		{"order", "Flight scheduled", "Operator assigned"},
		{"mission", "Flight scheduled", "Operator assigned"},
		{"flight", "Fri 27 Nov 09:42", "–"},
	}
	if got := compareSides(task, client, now); !slices.Equal(got, want) {
		t.Errorf("the sides differ in %q, want %q", got, want)
	}

	client.Missions = nil
	got := compareSides(task, client, now)
	if missing := (sideValue{"mission", "Flight scheduled", "missing"}); !slices.Contains(got, missing) {
		t.Errorf("the client has no mission, but the sides differ in %q", got)
	}
}

func TestTheSpeedOfASimulatorThatIsOffCannotBeChanged(t *testing.T) {
	for _, test := range []struct {
		speed  float64
		faster bool
		want   string
	}{
		{0, true, "the simulator is off; press p to start it"},
		{0, false, "the simulator is off; press p to start it"},
		{1, false, "it runs at the lowest speed"},
		{1, true, ""},
		{ops.DemoSpeed, false, ""},
		{24 * ops.DemoSpeed, true, "it runs at the highest speed"},
	} {
		if got := speedRefusal(test.speed, test.faster); got != test.want {
			t.Errorf("speed %v, faster %v: %q, want %q", test.speed, test.faster, got, test.want)
		}
	}
}
