package demodata

import (
	"context"
	"errors"
	"log/slog"
	"sort"
	"sync"
	"time"

	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// Simulator does the work of the people behind the service. It reviews orders and issues
// quotes, assigns operators, sets flight dates, requests permissions, delivers data and
// accepts deliveries. It calls the same functions of package domain as the requests of these
// people. The next step depends only on the state of the orders, so the simulator continues
// after a restart.
//
// It changes an order only after somebody has placed or changed the order since the store
// was filled: the demo's orders stay unchanged until a client or the operations API
// changes them. It does not accept quotes, because clients do that.
//
// Set its fields before its first use.
type Simulator struct {
	Service  *domain.Service
	Log      *slog.Logger
	FileSize int64       // approximate size of the files of each type in a delivery, in bytes; 0 is small
	Seed     uint64      // of its random numbers
	Script   TimedScript // scenario that is played at the same time; may be nil

	acting sync.Mutex // held while a step is run

	mu      sync.Mutex
	state   SimulatorState
	plans   map[string]plannedSteps // by order UUID
	retryAt map[string]time.Time    // by order UUID; after a failed step
	wake    chan struct{}           // signals that the next step may have changed, see Wake; has a buffer of 1
}

// TimedScript is a list of timed events, which is played unless the simulator is paused.
type TimedScript interface {
	Play(ctx context.Context) error // runs the events that are due
	Due() (at time.Time, ok bool)   // when the next event is due; ok is false after the last one
	IsOwn(orderUUID string) bool    // whether the script changes the order; the simulator then leaves it alone
}

// SimulatorState is the state of the simulator.
type SimulatorState struct {
	Paused    bool
	Speed     float64 // times faster than real time
	Done      int     // number of steps run
	LastError string  // why the last step failed; "" if it succeeded
}

// plannedSteps are the next steps of an order. They are valid until the order changes.
type plannedSteps struct {
	order      store.Order // as it was when the steps were planned
	planned    time.Time   // when they were planned
	noMishaps  bool        // whether the steps may not include mishaps, such as bad weather
	orderSteps []SimulatorStep
}

// maxPlannedOrders is the maximum number of orders for which the simulator plans steps. If there
// are more orders, it plans steps for the most recently changed ones.
const maxPlannedOrders = 500

// retryAfter is the time after which the simulator retries an order after a failed step,
// in hours of real time.
const retryAfter = 6

// NewSimulator returns a simulator. It is paused if the speed is 0.
func NewSimulator(d *domain.Service, log *slog.Logger, speed float64, fileSize int64) *Simulator {
	s := &Simulator{
		Service:  d,
		Log:      log,
		FileSize: fileSize,
		wake:     make(chan struct{}, 1),
	}
	s.state.Speed = speed
	s.state.Paused = speed == 0
	s.ResetPlans()
	return s
}

// ResetPlans makes the simulator plan all orders again, for example after a reset.
func (s *Simulator) ResetPlans() {
	s.mu.Lock()
	s.plans = map[string]plannedSteps{}
	s.retryAt = map[string]time.Time{}
	s.mu.Unlock()
	s.Wake()
}

// Wake signals that orders or the clock have changed. It does not wait.
func (s *Simulator) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// State returns the state of the simulator.
func (s *Simulator) State() SimulatorState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Set pauses or resumes the simulator and changes its speed. A nil argument changes nothing. If
// the speed is 0 after that, Set changes it to usualSpeed.
func (s *Simulator) Set(paused *bool, speed *float64, usualSpeed float64) {
	s.mu.Lock()
	if speed != nil && *speed != s.state.Speed {
		s.state.Speed = *speed
		s.plans = map[string]plannedSteps{}
	}
	if s.state.Speed == 0 {
		s.state.Speed = usualSpeed
	}
	if paused != nil {
		s.state.Paused = *paused
	}
	s.mu.Unlock()
	s.Wake()
}

func (s *Simulator) currentPace() simulatorPace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return simulatorPace{speed: max(s.state.Speed, minSpeed), seed: s.Seed}
}

// minSpeed replaces a speed of 0 in calculations, because times are divided by the speed.
const minSpeed = 1e-3

// Steps returns the next steps of the orders that were placed or changed since the store was
// filled, sorted by the time at which they are due. It also saves the plans of these orders in
// s.plans.
func (s *Simulator) Steps(ctx context.Context) ([]SimulatorStep, error) {
	moved, err := s.Service.Upkeep.RecentlyMoved(ctx, maxPlannedOrders)
	if err != nil {
		return nil, err
	}
	pace := s.currentPace()
	var steps []SimulatorStep
	plans := map[string]plannedSteps{}
	for _, o := range moved.Orders {
		if s.Script != nil && s.Script.IsOwn(o.UUID) { // the script changes this order itself
			continue
		}
		isFirstPlaced := o.UUID == moved.First
		isOfDemo := o.Created.Before(moved.Since)
		// Mishaps, such as bad weather, would confuse people who see the demo for the first time. So the
		// first order that they place, and the orders of the demo data, have none.
		noMishaps := isFirstPlaced || isOfDemo
		plan, err := s.planOrder(ctx, pace, o, noMishaps)
		if err != nil {
			return nil, err
		}
		plans[o.UUID] = plan
		steps = append(steps, plan.orderSteps...)
	}
	s.mu.Lock()
	s.plans = plans
	s.delayRetries(steps) // before the sort, because it changes the times of steps
	s.mu.Unlock()
	sort.SliceStable(steps, func(i, j int) bool { return steps[i].At.Before(steps[j].At) })
	return steps, nil
}

// delayRetries delays the steps of the orders whose last step has failed. The caller holds
// s.mu.
func (s *Simulator) delayRetries(steps []SimulatorStep) {
	for i := range steps {
		step := &steps[i]
		retryAt := s.retryAt[step.Order.UUID]
		if retryAt.After(step.At) {
			step.At = retryAt
		}
	}
}

// planOrder returns the steps of an order: the steps that were planned before, unless the order has
// changed since.
func (s *Simulator) planOrder(
	ctx context.Context, p simulatorPace, o store.Order, noMishaps bool,
) (plannedSteps, error) {
	s.mu.Lock()
	plan, exists := s.plans[o.UUID]
	s.mu.Unlock()
	if exists && plan.noMishaps == noMishaps && plan.isFor(o) {
		return plan, nil
	}
	now := s.Service.Now()
	d, err := s.Service.Orders.Detail(ctx, o.UUID)
	if err != nil {
		return plannedSteps{}, err
	}
	return plannedSteps{
		order:      o,
		planned:    now,
		noMishaps:  noMishaps,
		orderSteps: p.planOrder(d, noMishaps),
	}, nil
}

// isFor reports whether the steps were planned for the current state of an order.
func (p *plannedSteps) isFor(o store.Order) bool {
	// An order can change twice within the resolution of o.Updated. Then a plan that was made between
	// the two changes would look up to date.
	isSettled := p.planned.Sub(p.order.Updated) > 10*time.Millisecond
	return isSettled && p.order.Status == o.Status && p.order.Updated.Equal(o.Updated)
}

// Next runs the next step and returns it. It returns nil if there is no step or if onlyDue is
// true and no step is due. If the order of the step has changed since it was planned, Next
// returns the step without running it, and the order is planned again.
func (s *Simulator) Next(ctx context.Context, onlyDue bool) (*SimulatorStep, error) {
	s.acting.Lock()
	defer s.acting.Unlock()
	steps, err := s.Steps(ctx)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, nil
	}
	step := steps[0]
	isDue := !step.At.After(s.Service.Now())
	if onlyDue && !isDue {
		return nil, nil
	}
	err = s.runStep(ctx, step)
	s.recordResult(ctx, step, err)
	if err != nil && !errors.Is(err, errOvertaken) {
		s.Log.Warn("the simulator could not take a step",
			"step", step.Does, "order", step.Order.Code, "error", err)
		return &step, err
	}
	return &step, nil
}

// recordResult updates the state after a step, which may have failed with an error.
func (s *Simulator) recordResult(ctx context.Context, step SimulatorStep, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.plans, step.Order.UUID)
	if errors.Is(err, errOvertaken) {
		return
	}
	if err == nil {
		s.state.Done++
		s.state.LastError = ""
		delete(s.retryAt, step.Order.UUID)
		return
	}
	if ctx.Err() != nil { // the error is due to the end of the program
		return
	}
	s.state.LastError = step.Does + " of " + step.Order.Code + ": " + err.Error()
	pace := simulatorPace{speed: max(s.state.Speed, minSpeed)}
	s.retryAt[step.Order.UUID] = s.Service.Now().Add(max(time.Second, pace.scaledLength(retryAfter)))
}

// runStep runs a step, unless the order has changed since the step was planned.
func (s *Simulator) runStep(ctx context.Context, step SimulatorStep) error {
	d, err := s.Service.Orders.Detail(ctx, step.Order.UUID)
	if err != nil {
		return err
	}
	if d.Order.Status != step.Order.Status || !d.Order.Updated.Equal(step.Order.Updated) {
		return errOvertaken
	}
	return s.performStep(ctx, s.currentPace(), step, d)
}

// errOvertaken means that an order has changed since its step was planned.
var errOvertaken = errors.New("the order has been moved in the meantime")

// Run runs steps when they are due, until ctx ends.
func (s *Simulator) Run(ctx context.Context) {
	for ctx.Err() == nil {
		s.waitUntilDue(ctx)
		if s.State().Paused {
			continue
		}
		waitForQuiet(ctx)
		s.playScript(ctx)
		s.runDueSteps(ctx)
	}
}

// waitUntilDue waits until an event of the script or a step is due. It also returns when Wake is
// called, because an event or a step may then be due earlier.
func (s *Simulator) waitUntilDue(ctx context.Context) {
	timer := time.NewTimer(s.untilDue(ctx))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-s.wake:
	case <-timer.C:
	}
}

// waitForQuiet waits for the end of a burst of changes, so that the simulator plans only once
// after it.
func waitForQuiet(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// playScript runs the events of the script that are due.
func (s *Simulator) playScript(ctx context.Context) {
	if s.Script == nil {
		return
	}
	if err := s.Script.Play(ctx); err != nil && ctx.Err() == nil {
		s.Log.Error("the scenario cannot be played", "error", err)
	}
}

// runDueSteps runs the steps that are due, until one fails or the simulator is paused.
func (s *Simulator) runDueSteps(ctx context.Context) {
	for ctx.Err() == nil && !s.State().Paused {
		step, err := s.Next(ctx, true)
		if step == nil || err != nil {
			return
		}
	}
}

// maxWait is the longest time that the simulator waits before it checks again whether a step is
// due.
const maxWait = time.Hour

// untilDue returns the time until an event of the script or a step is due, from a millisecond
// to maxWait.
func (s *Simulator) untilDue(ctx context.Context) time.Duration {
	if s.State().Paused {
		return maxWait
	}
	wait := maxWait
	if s.Script != nil {
		if at, ok := s.Script.Due(); ok {
			wait = at.Sub(s.Service.Now())
		}
	}
	steps, err := s.Steps(ctx)
	if err == nil && len(steps) > 0 {
		wait = min(wait, steps[0].At.Sub(s.Service.Now()))
	}
	return min(maxWait, max(time.Millisecond, wait))
}
