package server_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
)

// scenarioRun is a demo service that plays a scenario, with clients of its APIs. Its test has the fake clock of
// testing/synctest.
type scenarioRun struct {
	*testing.T
	ops    *ops.Client
	client *api.Client
}

// testScenario runs a test on a demo service that plays a scenario. nameOrText is the name of a built-in scenario,
// or the text of one. speed is the speed of the simulator; 0 pauses it.
func testScenario(t *testing.T, nameOrText string, speed float64, test func(s scenarioRun)) {
	t.Helper()
	script, err := loadOrParse(nameOrText)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &server.Server{Demo: true, Simulate: speed, Scenario: script}
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		key := s.Accounts()[0].Key
		transport := api.WithTransport(server.Direct(s))
		client, err := api.NewClient(s.BaseURL(), api.WithKey(key), api.WithLegacyURL(s.LegacyURL()), transport)
		if err != nil {
			t.Fatal(err)
		}
		test(scenarioRun{t, desks(t, s), client})
	})
}

// loadOrParse returns the built-in scenario with a name, or parses the text of a scenario, which has spaces.
func loadOrParse(nameOrText string) (*scenario.Scenario, error) {
	isText := strings.Contains(nameOrText, " ")
	if isText {
		return scenario.Parse("test", []byte(nameOrText))
	}
	return scenario.Load(nameOrText)
}

// state returns the progress of the scenario.
func (s scenarioRun) state() *ops.ScenarioState {
	s.Helper()
	got, err := s.ops.World.Simulator(context.Background())
	if err != nil || got.Scenario == nil {
		s.Fatalf("%+v, %v", got, err)
	}
	return got.Scenario
}

// advance advances the clock of the service, and waits a minute, so that callbacks are sent.
func (s scenarioRun) advance(by time.Duration) {
	s.Helper()
	if _, err := s.ops.World.AdvanceClock(context.Background(), by); err != nil {
		s.Fatal(err)
	}
	time.Sleep(time.Minute) // of the fake clock
}

// playToEnd advances the clock past the last event, and returns the progress of the scenario.
func (s scenarioRun) playToEnd() *ops.ScenarioState {
	s.Helper()
	s.advance(30 * 24 * time.Hour)
	got := s.state()
	if got.Done != got.Events || len(got.Upcoming) != 0 || got.LastError != nil || got.Last == nil {
		s.Fatalf("after the last event: %+v", got)
	}
	return got
}

// order returns the order with a title, with its missions and quotes.
func (s scenarioRun) order(title string) *ops.Order {
	s.Helper()
	all, err := s.ops.Orders.List(context.Background(), ops.OrderFilter{}, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		s.Fatal(err)
	}
	for _, o := range all.Items {
		if o.OrderName == title {
			d, err := s.ops.Orders.Get(context.Background(), o.UUID)
			if err != nil {
				s.Fatal(err)
			}
			return d
		}
	}
	s.Fatalf("no order %q", title)
	return nil
}

func TestALateFlightIsDeliveredAfterItsDeadline(t *testing.T) {
	testScenario(t, "late-flight", 1, func(s scenarioRun) {
		s.playToEnd()
		o := s.order("Elbe levee, km 3 to 9")
		m := o.Missions[0]
		if o.Status != api.OrderCompleted || m.Status != api.MissionCompleted || !m.FlightDate.After(o.Deadline.Time) {
			t.Errorf("%s, %s, flown %v, due %v", o.Status, m.Status, m.FlightDate, o.Deadline)
		}
		if n := len(m.Planning); n != 2 || m.Planning[0].Note == nil && m.Planning[1].Note == nil {
			t.Errorf("%d plans, or none has the weather", n)
		}
		if len(m.Packages) != 1 || !m.Packages[0].CreatedAt.After(m.FlightDate.Time) {
			t.Errorf("packages: %+v", m.Packages)
		}
	})
}

func TestEndpointGetsResentCallbacksAfterAnOutage(t *testing.T) {
	testScenario(t, "endpoint-down", 1, func(s scenarioRun) {
		ctx := context.Background()
		s.playToEnd()
		hooks, err := s.client.Webhooks.List(ctx, api.ListOptions{})
		if err != nil || !strings.Contains(hooks.Items[0].URL, "warehouse.invalid") {
			t.Fatalf("%+v, %v", hooks, err)
		}
		log, err := s.client.Webhooks.Deliveries(ctx, hooks.Items[0].UUID, api.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var failed []api.WebhookDelivery
		taken := 0
		for _, d := range log.Items {
			if d.Success {
				taken++
			} else if d.ResponseCode != nil && *d.ResponseCode == 500 && d.Attempts != nil && *d.Attempts == 4 {
				failed = append(failed, d)
			} else {
				t.Errorf("%+v", d)
			}
		}
		if len(failed) != 3 || taken != 2 {
			t.Fatalf("%d failed, %d were taken", len(failed), taken)
		}
		if _, err := s.ops.Webhooks.Resend(ctx, failed[0].UUID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // of the fake clock
		again, err := s.ops.Webhooks.History(ctx, failed[0].UUID)
		if err != nil || !again.Delivery.Success {
			t.Errorf("sent again: %+v, %v", again, err)
		}
	})
}

func TestAQuoteExpiresUnlessItIsAccepted(t *testing.T) {
	testScenario(t, "quote-expiring", 1, func(s scenarioRun) {
		ctx := context.Background()
		s.advance(150 * time.Minute)
		if state := s.state(); !strings.HasPrefix(state.Last.Does, "note ") || state.Done != 4 {
			t.Errorf("%+v", state)
		}
		o := s.order("Transmission mast, inspection")
		s.advance(2 * time.Hour)
		for _, q := range slices.Backward(o.Quotes) { // Economy first
			_, err := s.client.Quotes.Accept(ctx, o.UUID, q.QuoteID)
			var refused *api.Error
			if expired := errors.As(err, &refused) && refused.Code == api.CodeQuoteExpired; expired != (q.QuoteName == "Economy") {
				t.Errorf("%s: %v", q.QuoteName, err)
			}
		}
		s.playToEnd() // whichever quote was accepted
	})
}

func TestRejectedDataIsDeliveredAgain(t *testing.T) {
	testScenario(t, "data-rejected", 1, func(s scenarioRun) {
		s.advance(50 * time.Hour)
		o := s.order("Container yard, thermal survey")
		if o.Details == nil || !strings.Contains(o.Details.Description, "rejects") || len(o.Missions[0].Packages) != 1 {
			t.Errorf("%+v, %+v", o.Details, o.Missions[0].Packages)
		}
		s.playToEnd()
		o = s.order("Container yard, thermal survey")
		if packages := o.Missions[0].Packages; len(packages) != 2 || o.Missions[0].Status != api.MissionCompleted {
			t.Errorf("%s with %+v", o.Missions[0].Status, packages)
		}
	})
}

func TestABusyWeekHas200Orders(t *testing.T) {
	testScenario(t, "busy-week", 0, func(s scenarioRun) {
		on := false
		speed := float64(ops.MinSpeed)
		if _, err := s.ops.World.SetSimulator(context.Background(), ops.SimulatorInput{Paused: &on, Speed: &speed}); err != nil {
			t.Fatal(err)
		}
		began := s.state().Upcoming[0].At
		days := map[string]int{}
		accounts := map[string]int{}
		s.playToEnd()
		for o, err := range s.ops.Orders.All(context.Background(), ops.OrderFilter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if !o.CreatedAt.Before(began.Time) {
				days[o.CreatedAt.Format(time.DateOnly)]++
				accounts[o.AccountUID]++
			}
		}
		total := 0
		for _, n := range days {
			total += n
		}
		if total != 200 || len(days) != 7 || len(accounts) != 3 {
			t.Errorf("%d orders: %v of %v", total, days, accounts)
		}
	})
}

// This scenario has everything that a file can contain.
const everyEvent = `0s place a "Every event" due 20d
1h issue-quote a Economy expires 1d price 1388.43
1h issue-quote a Standard
2h reject-quote a Economy
2h accept-quote a Standard
3h assign-operator a Bo
3h record-permit a notRequired
4h schedule-flight a in 1d
4h callbacks drop
5h callbacks normal
5h service answers 503
6h service answers 200
7h clock 2d
8h describe a "Mind the dog"
2d deliver a
2d accept-delivery a
2d place b B
3d cancel-order b
3d place c C
3d end-order c "no operator"
3d place d D
3d issue-quote d Economy
3d accept-quote d Economy
3d end-order d "a heliport is near"
`

func TestEveryEventIsPlayed(t *testing.T) {
	testScenario(t, everyEvent, 1, func(s scenarioRun) {
		ctx := context.Background()
		s.advance(5*time.Hour + time.Minute)
		if f, err := s.ops.World.Faults(ctx); err != nil || f.Status != 503 || f.Rate != 1 {
			t.Errorf("%+v, %v", f, err)
		}
		s.advance(2 * time.Hour) // to the time to which the scenario advances the clock
		if state := s.state(); state.Last.Does != `place b B` || *state.Last.OrderCode == "" {
			t.Errorf("after the jump: %+v", state)
		}
		s.playToEnd()
		for title, want := range map[string]api.OrderStatus{"Every event": api.OrderCompleted, "B": api.OrderCancelled, "C": api.OrderRejected, "D": api.OrderNotFeasible} {
			if o := s.order(title); o.Status != want {
				t.Errorf("%s is %s", title, o.Status)
			}
		}
	})
}

func TestAScenarioIsPausedSteppedResetAndRestored(t *testing.T) {
	testScenario(t, "data-rejected", 0, func(s scenarioRun) {
		ctx := context.Background()
		s.advance(time.Hour) // the scenario is paused like the simulator, which is off
		if state := s.state(); state.Done != 0 || state.Last != nil || state.Upcoming[0].OrderCode != nil {
			t.Fatalf("%+v", state)
		}
		step := func() *ops.ScenarioState {
			t.Helper()
			got, err := s.ops.World.SetSimulator(ctx, ops.SimulatorInput{Step: true})
			if err != nil {
				t.Fatal(err)
			}
			return got.Scenario
		}
		step()
		if _, err := s.ops.World.TakeSnapshot(ctx, "placed"); err != nil {
			t.Fatal(err)
		}
		step()
		if state := step(); state.Done != 3 || state.Last.Does != "accept-quote yard Express" || state.LastError != nil {
			t.Errorf("%+v", state)
		}
		after, err := s.ops.World.Clock(ctx)
		if due := s.state().Last.At; err != nil || after.Now.Before(due.Time) {
			t.Errorf("the clock is at %v, the event was due at %v, %v", after.Now, due, err)
		}
		if _, err := s.ops.World.RestoreSnapshot(ctx, "placed"); err != nil {
			t.Fatal(err)
		}
		if state := s.state(); state.Done != 1 {
			t.Errorf("restored: %+v", state)
		}
		step()
		if len(s.order("Container yard, thermal survey").Quotes) != 1 {
			t.Error("the order of the snapshot has no quote")
		}
		if _, err := s.ops.World.Reset(ctx); err != nil {
			t.Fatal(err)
		}
		if state := s.state(); state.Done != 0 || state.Last != nil {
			t.Errorf("reset: %+v", state)
		}
	})
}

func TestFailedScenarioEventIsReportedAndSkipped(t *testing.T) {
	testScenario(t, "0s place a A\n1h issue-quote a Economy\n2h accept-quote a Economy\n3h note B\n", 0, func(s scenarioRun) {
		ctx := context.Background()
		for i := range 4 {
			if i == 2 {
				if _, err := s.client.Orders.Cancel(ctx, s.order("A").UUID); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.ops.World.SetSimulator(ctx, ops.SimulatorInput{Step: true}); err != nil {
				t.Fatal(err)
			}
		}
		if state := s.state(); state.Done != 4 || state.LastError == nil || !strings.HasPrefix(*state.LastError, "line 3: accept-quote a Economy: ") {
			t.Errorf("%+v", state)
		}
	})
}

func TestAScenarioNeedsTheDemo(t *testing.T) {
	script, err := scenario.Load("late-flight")
	if err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Scenario: script}
	if err := s.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "demo") {
		t.Errorf("%v", err)
	}
}

// A scenario that was started on accounts of participants continues there after a restart.
func TestAScenarioOfParticipantsContinuesAfterARestart(t *testing.T) {
	s := &server.Server{Demo: true, Dir: t.TempDir()}
	ctx := context.Background()
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var accounts []string
	for _, name := range []string{"user1", "user2"} {
		a, err := s.AddDemoAccount(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, a.UUID)
	}
	if err := errors.Join(s.PlayScenario(ctx, "endpoint-down", accounts), s.Close()); err != nil {
		t.Fatal(err)
	}
	s = &server.Server{Demo: true, Dir: s.Dir}
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	desk := desks(t, s)
	for range 40 {
		if _, err := desk.World.SetSimulator(ctx, ops.SimulatorInput{Step: true}); err != nil {
			t.Fatal(err)
		}
	}
	state, err := desk.World.Simulator(ctx)
	if err != nil || state.Scenario == nil || state.Scenario.Done != state.Scenario.Events || state.Scenario.LastError != nil {
		t.Fatalf("%+v, %v", state.Scenario, err)
	}
	for _, account := range accounts {
		orders, err := desk.Orders.List(ctx, ops.OrderFilter{Account: account}, api.ListOptions{Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range orders.Items {
			if !strings.HasPrefix(o.OrderName, "Roof") && !strings.HasPrefix(o.OrderName, "Pylons") {
				t.Errorf("%s is no order of the scenario", o.OrderName)
			}
		}
	}
}
