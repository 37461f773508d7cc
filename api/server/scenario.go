package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/scenario"
)

// clockDirector advances the clock of the service, and plays the events of the scenario
// that happen in the meantime.
type clockDirector struct {
	clock      *serviceClock
	upkeep     domain.Upkeep
	callbacks  *callbackRegistry
	simulation *simulatorRun
	player     *scenario.Player // nil if the service has no scenarios
	log        *slog.Logger
}

var errNoScenarios = errors.New("a scenario needs the demo's accounts, of a service alone")

// startDirector creates the director. It plays no events before the simulator is started.
func (s *service) startDirector(settings *Server) error {
	s.director = clockDirector{
		clock:      &s.clock,
		upkeep:     s.domain.Upkeep,
		callbacks:  &s.callbacks,
		simulation: &s.simulation,
		log:        settings.Log,
	}
	canPlay := settings.Demo && !settings.storage().isShared()
	if canPlay {
		s.director.player = &scenario.Player{
			Scenario: settings.Scenario,
			Service:  s.domain,
			Log:      settings.Log,
			FileSize: settings.SampleFileSize,
			SetFault: s.faults.setForScenario,
		}
		return nil
	}
	if settings.Scenario != nil {
		return errNoScenarios
	}
	return nil
}

// setForScenario sets the faults that a scenario injects. status is the status of all answers,
// or 0 if requests do not fail. callbacks is the fault of all callbacks, or "" if they do not
// fail.
func (f *faultInjector) setForScenario(status int, callbacks ops.CallbackFault) {
	if status == 0 && callbacks == "" {
		f.now.Store(nil)
		return
	}
	f.now.Store(&faultSettings{Faults: ops.Faults{
		Status:    status,
		Callbacks: callbacks,
		Rate:      1,
	}})
}

// scenarioTransport returns the transport of callbacks. The endpoints of a scenario are
// answered in this process.
func (s *service) scenarioTransport(next http.RoundTripper) http.RoundTripper {
	if s.director.player == nil {
		return next
	}
	return s.director.player.Transport(next)
}

// advanceClock advances the clock by the duration that choose returns. now is the current time.
// Unless the simulator is paused, it plays the events of the scenario in this duration, each at its
// time.
func (d *clockDirector) advanceClock(ctx context.Context, choose func(now time.Time) (time.Duration, error)) error {
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	advance, err := choose(d.clock.currentTime())
	if err != nil {
		return err
	}
	target := d.clock.currentTime().Add(advance)
	if !d.simulation.State().Paused {
		target, err = d.playUntil(ctx, target)
		if err != nil {
			return err
		}
	}
	return d.moveForward(ctx, target)
}

// moveForward advances the clock to a time, unless that time is past. The caller holds
// the lock of the clock.
func (d *clockDirector) moveForward(ctx context.Context, target time.Time) error {
	advance := target.Sub(d.clock.currentTime())
	if advance <= 0 {
		return nil
	}
	ahead := time.Duration(d.clock.ahead.Load()) + advance
	if ahead > maxAhead {
		return invalidMember("advance", "would advance the clock more than 100 years")
	}
	if err := d.upkeep.SaveClockAhead(ctx, ahead); err != nil {
		return err
	}
	d.clock.ahead.Store(int64(ahead))
	d.callbacks.sender.Advance(advance)
	d.simulation.Wake()
	d.log.Info("the service's clock was advanced", "by", advance.String(), "ahead", ahead.String())
	return nil
}

// playUntil plays the events that are due at target or before, each at its own time. It returns the
// time to which the caller must advance the clock: target or, if an event advances the clock beyond
// target, a later time. The caller holds the lock of the clock.
func (d *clockDirector) playUntil(ctx context.Context, target time.Time) (time.Time, error) {
	if d.player == nil {
		return target, nil
	}
	for {
		event, due, ok := d.player.NextEvent()
		if !ok || due.After(target) {
			return target, nil
		}
		if err := d.playDue(ctx, due); err != nil {
			return target, err
		}
		advanced := d.clock.currentTime().Add(event.Clock)
		if event.Clock > 0 && advanced.After(target) {
			target = advanced
		}
	}
}

// playDue advances the clock to the time at which the next event is due, and plays the
// event. The caller holds the lock of the clock.
func (d *clockDirector) playDue(ctx context.Context, due time.Time) error {
	if err := d.moveForward(ctx, due); err != nil {
		return err
	}
	return d.player.PlayNext(ctx)
}

// Play plays all due events.
func (d *clockDirector) Play(ctx context.Context) error {
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	target, err := d.playUntil(ctx, d.clock.currentTime())
	return errors.Join(err, d.moveForward(ctx, target))
}

// Due returns the time of the next event. ok is false if there are no more events.
func (d *clockDirector) Due() (due time.Time, ok bool) {
	_, due, ok = d.player.NextEvent()
	return due, ok
}

// IsOwn reports whether an order belongs to the scenario.
func (d *clockDirector) IsOwn(orderUUID string) bool { return d.player.IsOwn(orderUUID) }

// playNext advances the clock to the next event and plays it. It returns false if there
// are no more events.
func (d *clockDirector) playNext(ctx context.Context) (bool, error) {
	if d.player == nil {
		return false, nil
	}
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	event, due, ok := d.player.NextEvent()
	if !ok {
		return false, nil
	}
	if err := d.playDue(ctx, due); err != nil {
		return true, err
	}
	return true, d.moveForward(ctx, d.clock.currentTime().Add(event.Clock))
}

// Scenarios returns the names of the scenarios for [Server.PlayScenario]: the scenario of
// the server and the built-in scenarios.
func (s *Server) Scenarios() []string {
	names := scenario.BuiltinNames()
	if s.Scenario != nil && !slices.Contains(names, s.Scenario.Name) {
		names = append([]string{s.Scenario.Name}, names...)
	}
	return names
}

// PlayScenario starts a scenario and ends the previous one. Each of the accounts plays the
// scenario; they must have been added by [Server.AddDemoAccount]. Without accounts, the demo
// accounts play it. The events at the start of the scenario happen at once, even if the simulator
// is paused. Later events happen only while the simulator is not paused.
func (s *Server) PlayScenario(ctx context.Context, name string, accounts []string) error {
	d := &s.service.director
	if d.player == nil {
		return errNoScenarios
	}
	played, err := findScenario(name, s.Scenario, s.Scenarios())
	if err != nil {
		return err
	}
	d.clock.mu.Lock()
	defer d.clock.mu.Unlock()
	defer d.simulation.Wake()
	if err := d.player.Begin(ctx, played, accounts); err != nil {
		return err
	}
	_, err = d.playUntil(ctx, d.clock.currentTime())
	return err
}

// findScenario returns the scenario with the given name: ofServer or a built-in scenario. ofServer
// is the scenario with which the server was started; it may be nil. names are the names of all
// scenarios, for the error if there is none with the name.
func findScenario(name string, ofServer *scenario.Scenario, names []string) (*scenario.Scenario, error) {
	if ofServer != nil && ofServer.Name == name {
		return ofServer, nil
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("no scenario %q; use %s", name, strings.Join(names, ", "))
	}
	return scenario.Load(name)
}

// wireScenario returns the progress of the scenario, or nil if there is none.
func (d *clockDirector) wireScenario() *ops.ScenarioState {
	if d.player == nil {
		return nil
	}
	playing := d.player.Playing()
	if playing == nil {
		return nil
	}
	done, lastError := d.player.Progress()
	wire := &ops.ScenarioState{
		Name:     playing.Name,
		Title:    playing.Title,
		Done:     done,
		Events:   len(playing.Events),
		Upcoming: []ops.ScenarioEvent{},
	}
	if lastError != "" {
		wire.LastError = &lastError
	}
	if done > 0 {
		last := d.wireEvent(playing.Events[done-1])
		wire.Last = &last
	}
	upcoming := playing.Events[done:]
	for _, e := range upcoming[:min(len(upcoming), maxUpcoming)] {
		wire.Upcoming = append(wire.Upcoming, d.wireEvent(e))
	}
	return wire
}

func (d *clockDirector) wireEvent(e scenario.Event) ops.ScenarioEvent {
	wire := ops.ScenarioEvent{Does: e.Text, At: api.TimeOf(d.player.DueTime(e).UTC())}
	if code := d.player.OrderCode(e); code != "" {
		wire.OrderCode = &code
	}
	return wire
}

func (c *testControls) listScenarios(*exchange) (handlerAnswer, error) {
	page := api.Page[ops.ScenarioName]{Items: []ops.ScenarioName{}}
	if c.director.player != nil {
		for _, name := range c.server.Scenarios() {
			page.Items = append(page.Items, ops.ScenarioName{Name: name})
		}
	}
	return handlerAnswer{message: "the scenarios", data: page}, nil
}

// playScenario starts a scenario from the beginning, for the accounts in the body or for the demo accounts.
func (c *testControls) playScenario(x *exchange, in *ops.PlayInput) (handlerAnswer, error) {
	name := x.r.PathValue("name")
	if c.director.player == nil {
		return handlerAnswer{}, newFault(api.CodeConflict, errNoScenarios.Error())
	}
	if !slices.Contains(c.server.Scenarios(), name) {
		return handlerAnswer{}, newFault(api.CodeNotFound, "scenario not found")
	}
	for i, account := range in.Accounts {
		if _, err := c.domain.Accounts.Find(x.r.Context(), account); err != nil {
			return handlerAnswer{}, invalidMember(fmt.Sprintf("accounts[%d]", i), "is no account")
		}
	}
	if err := c.server.PlayScenario(x.r.Context(), name, in.Accounts); err != nil {
		return handlerAnswer{}, err
	}
	return c.readSimulator(x)
}
