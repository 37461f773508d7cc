package operations

import (
	"errors"
	"slices"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
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
	task := itemOfMission(&ops.Order{Order: api.Order{Status: api.OrderFlyingDateSet}}, &mission, time.Now())
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

func TestTheClientViewDoesNotCompareAnOrderThatCouldNotBeLoadedAgain(t *testing.T) {
	task := itemOfOrder(&ops.Order{Order: api.Order{Status: api.OrderCompleted}}, noon)
	client := &api.Order{Status: api.OrderFlyingDateSet} // loaded earlier
	failed := errors.New("no response")
	for _, test := range []struct {
		name   string
		client *api.Order
		err    error
		want   widget.Fact
	}{
		{"never loaded", nil, failed, widget.Toned("Client sees", "the order could not be loaded", theme.Attention)},
		{"loading", nil, nil, widget.Toned("Client sees", "loading…", theme.Muted)},
		{"loaded", client, nil, widget.Toned("Client sees", "order Flight scheduled (here Completed)", theme.Attention)},
		{
			"not loaded again", client, failed,
			widget.Toned("Client sees", "unknown: the order could not be loaded again", theme.Muted),
		},
	} {
		if got := describeComparison(task, test.client, test.err, noon); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
