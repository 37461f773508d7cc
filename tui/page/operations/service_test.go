package operations

import (
	"testing"

	"flightdesk/api/ops"
)

func TestTheSpeedIsChangedOnlyWithinItsLimits(t *testing.T) {
	const isOff = "the simulator is off; press p to start it"
	const isLowest = "it runs at the lowest speed"
	const isHighest = "it runs at the highest speed"
	for _, test := range []struct {
		speed  float64
		faster bool
		want   string
	}{
		{0, true, isOff},
		{0, false, isOff},
		{0.5, false, isLowest},
		{0.5, true, ""},
		{1, false, isLowest},
		{1, true, ""},
		{ops.DemoSpeed, false, ""},
		{24 * ops.DemoSpeed, true, isHighest},
		{1e6, true, isHighest},
		{1e6, false, ""},
	} {
		if got := speedRefusal(test.speed, test.faster); got != test.want {
			t.Errorf("speed %v, faster %v: %q, want %q", test.speed, test.faster, got, test.want)
		}
	}
}
