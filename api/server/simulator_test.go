package server_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
)

func TestSimulatorQuotesInSecondsAndDeliversInMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server.Server{Demo: true, Simulate: ops.DemoSpeed}
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		ctx := context.Background()
		c, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(s.LegacyURL()), api.WithTransport(server.Direct(s)))
		if err != nil {
			t.Fatal(err)
		}
		o := desks(t, s)
		before := everything(t, o)
		time.Sleep(time.Hour) // of the fake clock; nobody does anything
		if after := everything(t, o); after != before {
			t.Error("the demo's orders have moved by themselves")
		}
		placed, err := c.Orders.Create(ctx, survey(), "")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		record, err := c.Records.Get(ctx, placed.UUID)
		if err != nil || len(record.Quotes) < 2 {
			t.Fatalf("after 10 s: %+v, %v", record, err)
		}
		if _, err := c.Quotes.Accept(ctx, placed.UUID, record.Quotes[0].QuoteID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		got, err := c.Orders.Get(ctx, placed.OrderCode)
		if err != nil || got.Status != api.OrderCompleted {
			t.Fatalf("after two minutes: %+v, %v", got, err)
		}
		packages, err := c.Missions.Packages(ctx, got.Missions[0].UUID)
		if err != nil || len(packages) != 1 || packages[0].FileCount < 2 {
			t.Errorf("%+v, %v", packages, err)
		}
		state, err := o.World.Simulator(ctx)
		if err != nil || state.Paused || state.LastError != nil || state.Done < 12 {
			t.Errorf("%+v, %v", state, err)
		}
	})
}

func TestSimulatorSpeedIsSetByOperations(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	b.place(b.bob) // before the simulator was turned on
	off, err := o.World.Simulator(ctx)
	if err != nil || !off.Paused || off.Speed != 0 || off.Waiting != 0 {
		t.Fatalf("%+v, %v", off, err)
	}
	b.clock.advance(time.Second)
	paused := true
	if s, err := o.World.SetSimulator(ctx, ops.SimulatorInput{Paused: &paused}); err != nil || !s.Paused || s.Speed != ops.DemoSpeed {
		t.Errorf("%+v, %v", s, err)
	}
	b.clock.advance(time.Second)
	placed := b.place(b.alice)
	r := b.ops("GET", "/simulator", nil)
	state := into[ops.SimulatorState](t, r)
	if state.Waiting != 1 || state.Upcoming[0].Does != "issueQuote" || state.Upcoming[0].OrderCode != placed.OrderCode || state.Upcoming[0].MissionUID != nil {
		t.Fatalf("%s", r.raw)
	}
	stepped := into[ops.SimulatorState](t, b.ops("POST", "/simulator", `{"step":true}`))
	if stepped.Done != 1 || !stepped.Paused {
		t.Errorf("%+v", stepped)
	}
	if all, err := o.Orders.Get(ctx, placed.UUID); err != nil || len(all.Quotes) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	speed := 60.0
	if s, err := o.World.SetSimulator(ctx, ops.SimulatorInput{Speed: &speed, Step: true}); err != nil || s.Speed != 60 || s.Done != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, body := range []string{`{"speed":0}`, `{"speed":1e7}`, `{"paused":"no"}`, `{"step":1}`, `{"halt":true}`} {
		wantFault(t, body, b.ops("POST", "/simulator", body), 400, api.CodeValidationFailed)
	}
}

func TestSimulatorContinuesAfterRestartAndClockAdvance(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		first := &server.Server{Dir: dir, Demo: true, Simulate: 1} // in real time
		if err := first.Start(ctx); err != nil {
			t.Fatal(err)
		}
		placed, err := client(t, first).Orders.Create(ctx, survey(), "")
		if err != nil {
			t.Fatal(err)
		}
		due, err := desks(t, first).World.Simulator(ctx)
		if err != nil || due.Waiting != 1 {
			t.Fatalf("%+v, %v", due, err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		second := &server.Server{Dir: dir, Demo: true, Simulate: 1}
		if err := second.Start(ctx); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := second.Close(); err != nil {
				t.Error(err)
			}
		}()
		o := desks(t, second)
		again, err := o.World.Simulator(ctx)
		if err != nil || again.Waiting != 1 || !again.Upcoming[0].At.Equal(due.Upcoming[0].At.Time) {
			t.Fatalf("%+v, %v; before %+v", again, err, due)
		}
		if _, err := o.World.AdvanceClock(ctx, 6*time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second) // of the fake clock
		if all, err := o.Orders.Get(ctx, placed.UUID); err != nil || len(all.Quotes) != 1 {
			t.Errorf("after the jump: %+v, %v", all, err)
		}
	})
}

// The bench compares the answers with their description.
func TestTheSimulatorShowsTheScenario(t *testing.T) {
	script, err := scenario.Load("late-flight")
	if err != nil {
		t.Fatal(err)
	}
	b := newBenchOn(t, server.Embedded(&server.Server{Demo: true, Scenario: script}))
	for done := range len(script.Events) + 1 {
		state := into[ops.SimulatorState](t, b.ops("GET", "/simulator", nil))
		if state.Scenario == nil || state.Scenario.Done != done || (state.Scenario.Last == nil) != (done == 0) || state.Scenario.LastError != nil {
			t.Fatalf("%+v", state.Scenario)
		}
		b.ops("POST", "/simulator", `{"step":true}`)
	}
}

// Otherwise the data folder would remain locked.
func TestAStartThatFailsAtTheSimulatorReleasesTheDataFolder(t *testing.T) {
	dir := t.TempDir()
	startAndClose := func(s *server.Server) error {
		return errors.Join(s.Start(t.Context()), s.Close())
	}
	if err := startAndClose(&server.Server{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	const refuseTimes = `CREATE TRIGGER refuse_times BEFORE INSERT ON settings WHEN NEW.name = 'world.filled'
		BEGIN SELECT RAISE(ABORT, 'planted fault'); END`
	changeDatabase(t, dir, refuseTimes)
	failing := &server.Server{Dir: dir, Simulate: 1}
	if err := failing.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "planted fault") {
		t.Errorf("the start of the simulator, whose time cannot be saved: %v", err)
	}
	if failing.Handler() != nil {
		t.Error("a service whose start failed has a handler")
	}
	changeDatabase(t, dir, `DROP TRIGGER refuse_times`)
	if err := startAndClose(&server.Server{Dir: dir, Simulate: 1}); err != nil {
		t.Errorf("a second start: %v", err)
	}
	if err := failing.Close(); err != nil {
		t.Errorf("closing the service whose start failed: %v", err)
	}
}

// changeDatabase runs a statement in the database of a data folder that no service uses.
func changeDatabase(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
