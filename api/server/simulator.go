package server

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/demodata"
)

// simulatorRun is the simulator and the background job in which it runs. The simulator exists even
// if the job is not running.
type simulatorRun struct {
	*demodata.Simulator
	backgroundWork
}

// maxUpcoming is the maximum number of steps in the state of the simulator.
const maxUpcoming = 20

// startSimulator creates the simulator and continues the scenario of the previous run. It runs both
// in the background only if the service allows the simulator.
func (s *service) startSimulator(ctx context.Context, settings *Server) error {
	if settings.Simulate > 0 {
		if err := s.domain.Upkeep.BeginRecentMoves(ctx); err != nil {
			return err
		}
	}
	m := &s.simulation
	m.Simulator = demodata.NewSimulator(s.domain, settings.Log, settings.Simulate, settings.SampleFileSize)
	if s.director.player != nil {
		if err := s.director.player.Resume(ctx); err != nil {
			return err
		}
		m.Script = &s.director
		m.Wake()
	}
	if settings.controlAccess().playRefusal() == "" {
		m.start(ctx, m.Run)
	}
	return nil
}

// readSimulator returns the state of the simulator and of the scenario, with their next steps.
func (c *testControls) readSimulator(x *exchange) (handlerAnswer, error) {
	if refusal := c.access.playRefusal(); refusal != "" {
		off := ops.SimulatorState{Paused: true, Upcoming: []ops.SimulatorStep{}, Unavailable: refusal}
		return handlerAnswer{message: "this service has no simulator", data: off}, nil
	}
	steps, err := c.simulation.Steps(x.r.Context())
	if err != nil {
		return handlerAnswer{}, err
	}
	state := c.simulation.State()
	wire := ops.SimulatorState{
		Paused:   state.Paused,
		Speed:    state.Speed,
		Done:     state.Done,
		Waiting:  len(steps),
		Upcoming: make([]ops.SimulatorStep, 0, min(len(steps), maxUpcoming)),
		Scenario: c.director.wireScenario(),
	}
	if state.LastError != "" {
		wire.LastError = &state.LastError
	}
	for _, step := range steps[:min(len(steps), maxUpcoming)] {
		wire.Upcoming = append(wire.Upcoming, wireStep(step))
	}
	message := "the simulator is running"
	if state.Paused {
		message = "the simulator is paused"
	}
	return handlerAnswer{message: message, data: wire}, nil
}

func wireStep(step demodata.SimulatorStep) ops.SimulatorStep {
	wire := ops.SimulatorStep{
		Does:      step.Does,
		OrderUID:  step.Order.UUID,
		OrderCode: step.Order.Code,
		At:        api.TimeOf(step.At.UTC()),
	}
	if step.Mission != nil {
		wire.MissionUID = &step.Mission.UUID
		wire.MissionCode = &step.Mission.Code
	}
	return wire
}

func (c *testControls) setSimulator(x *exchange, in *ops.SimulatorInput) (handlerAnswer, error) {
	if err := c.domain.Upkeep.BeginRecentMoves(x.r.Context()); err != nil {
		return handlerAnswer{}, err
	}
	c.simulation.Set(in.Paused, in.Speed, ops.DemoSpeed)
	if in.Step {
		if err := c.performNextStep(x.r.Context()); err != nil {
			return handlerAnswer{}, err
		}
	}
	return c.readSimulator(x)
}

// performNextStep plays the next event of the scenario or, without one, performs the next
// step of the simulator.
func (c *testControls) performNextStep(ctx context.Context) error {
	played, err := c.director.playNext(ctx)
	if err != nil {
		return err
	}
	if played {
		return nil
	}
	_, err = c.simulation.Next(ctx, false)
	return err
}
