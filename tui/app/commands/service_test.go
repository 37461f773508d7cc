package commands

import (
	"testing"

	"flightdesk/api/ops"
)

func TestStepsOfAScenarioAreInWords(t *testing.T) {
	code := "ORD-7"
	for want, event := range map[string]ops.ScenarioEvent{
		"issue quote levee Economy expires 5d (ORD-7)": {Does: "issue-quote levee Economy expires 5d", OrderCode: &code},
		"place orders, 2 of 30":                        {Does: "place-orders, 2 of 30"},
		"endpoint gis-in answers 500":                  {Does: "endpoint gis-in answers 500"},
		"The week is over - really.":                   {Does: `note "The week is over - really."`},
	} {
		if got := DescribeEvent(&event); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAnOlderFailureIsNotTheResultOfAStep(t *testing.T) {
	failure := "line 3: accept-quote a Economy: quote not open"
	stepOfOther := "deliver of ORD-7: disk full"
	for want, state := range map[string]ops.SimulatorState{
		"step done": {LastError: &stepOfOther},
		"event done: endpoint gis answers 500": {Scenario: &ops.ScenarioState{
			LastError: &failure,
			Last:      &ops.ScenarioEvent{Does: "endpoint gis answers 500"},
		}},
		"event failed: " + failure: {Scenario: &ops.ScenarioState{
			LastError: &failure,
			Last:      &ops.ScenarioEvent{Does: "accept-quote a Economy"},
		}},
	} {
		if got := (&Pace{Step: true}).describeDone(&state); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
