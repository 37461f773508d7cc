package api

import (
	"context"
)

// SimulatorState is the state of the simulator, which makes the service's moves.
type SimulatorState struct {
	Paused    bool            `json:"paused"`
	Speed     float64         `json:"speed"` // times faster than life
	Done      int             `json:"done"`  // steps taken since the start
	Waiting   int             `json:"waiting"`
	Upcoming  []SimulatorStep `json:"upcoming"`  // the first of those waiting, in their order
	LastError *string         `json:"lastError"` // of a step that could not be taken
	Scenario  *ScenarioState  `json:"scenario"`  // what is played besides; nil: nothing
	Extra     ExtraMembers    `json:",embed"`
}

// ScenarioState is how far the events of a training or a demo are.
type ScenarioState struct {
	Name      string          `json:"name"`
	Title     string          `json:"title"`
	Done      int             `json:"done"`      // events that were played
	Events    int             `json:"events"`    // all of them
	Last      *ScenarioEvent  `json:"last"`      // the one that was played last
	Upcoming  []ScenarioEvent `json:"upcoming"`  // the next ones
	LastError *string         `json:"lastError"` // of an event that failed
	Extra     ExtraMembers    `json:",embed"`
}

// ScenarioEvent is an event of a scenario.
type ScenarioEvent struct {
	Does      string       `json:"does"`      // as the scenario's file says it
	At        Time         `json:"at"`        // by the service's clock
	OrderCode *string      `json:"orderCode"` // of the order that it concerns, once that is placed
	Extra     ExtraMembers `json:",embed"`
}

// SimulatorStep is a move that the simulator is about to make.
type SimulatorStep struct {
	Does        string       `json:"does"` // as in "assignOperator"
	OrderUID    string       `json:"orderUid"`
	OrderCode   string       `json:"orderCode"`
	MissionUID  *string      `json:"missionUid"` // nil where it concerns the whole order
	MissionCode *string      `json:"missionCode"`
	At          Time         `json:"at"` // by the service's clock
	Extra       ExtraMembers `json:",embed"`
}

// SimulatorInput is what changes of the simulator; nil leaves it unchanged.
type SimulatorInput struct {
	Paused *bool    `json:"paused,omitzero" check:"optional"`
	Speed  *float64 `json:"speed,omitzero" check:"speed"`   // MinSpeed to MaxSpeed
	Step   bool     `json:"step,omitzero" check:"optional"` // play the scenario's next event, or take the next step, at once
}

// Limits of the simulator's speed, in times faster than life. At DemoSpeed an
// hour takes a second.
const (
	MinSpeed  = 0.001
	MaxSpeed  = 1e6
	DemoSpeed = 3600
)

// Simulator returns the state of the simulator.
func (s *OpsWorldService) Simulator(ctx context.Context) (*SimulatorState, error) {
	return opsCall[SimulatorState](ctx, s.c, newOperation("read simulator", "GET simulator"), nil)
}

// SetSimulator paces, pauses or steps the simulator.
func (s *OpsWorldService) SetSimulator(ctx context.Context, in SimulatorInput) (*SimulatorState, error) {
	op := newOperation("set simulator", "POST simulator").within(2 * s.c.timeout)
	return opsCall[SimulatorState](ctx, s.c, op, in)
}
