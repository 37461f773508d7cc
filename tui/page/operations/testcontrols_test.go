package operations_test

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/scenario"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

func TestAFaultIsSetAndCleared(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 100, 30)
	d.Press("[")
	d.RequireText("[Test controls]", "no faults set")
	d.Press("F")
	d.RequireText("clear faults: no faults set")
	d.Press("f")
	d.RequireText("Faults", "including this app's")
	d.Press("ctrl+u")
	d.Type("302")
	d.Press("enter")
	d.RequireText("use 400 to 599")
	d.Press("ctrl+u")
	d.Type("400")
	d.Press("tab", "tab", "tab")
	d.Type("orders")
	d.Press("enter")
	d.RequireText("must start with a slash")
	d.Press("ctrl+u")
	d.Type("/orders")
	d.Press("enter")
	d.RequireText("Faults set: 100% of requests to /orders: 400", "! 100% of requests to /orders: 400", "9 Ops !")
	d.Press("2", "r")
	d.RequireText("Fault injected by the operations API")
	d.Press("9")
	d.RequireText("requests so far")
	d.Press("f")
	d.RequireText("400", "/orders") // the current faults are filled in
	d.Press("esc", "F")
	d.RequireText("Faults cleared", "no faults")
	d.SeesNot("9 Ops !")
	d.Press("2", "r")
	d.RequireText("ORD-100249")
	if f, err := ops.World.Faults(t.Context()); err != nil || f.Status != 0 {
		t.Errorf("the faults are %+v, %v", f, err)
	}
}

func TestTheClockMovesAndAQuoteExpires(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 120, 36)
	d.Press("[", "c")
	d.RequireText("Advance clock", "24h", "The clock only moves forward")
	d.Press("ctrl+u")
	d.Type("soon")
	d.Press("enter")
	d.RequireText("not a valid duration; use 90s, 36h or 7d")
	d.Press("ctrl+u")
	d.Type("90m")
	d.Press("enter")
	d.RequireText("Clock advanced", "clock + 1 h 30 m", "Tue 24 Nov 11:12")
	d.Press("]", "/")
	d.Type("苫前")
	d.Press("enter", "e")
	d.RequireText("Expire quote", "ORD-100246", "“Priority” expires", "The clock only moves forward")
	d.Press("enter")
	d.RequireText("Priority of ORD-100246 expired", "clock + 5 h")
	clock, err := ops.World.Clock(t.Context())
	if err != nil || clock.Ahead.Hours() < 5 {
		t.Fatalf("the clock is %+v, %v", clock, err)
	}
}

func TestTheSimulatorIsControlledFromAnyPage(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 140, 40)
	d.SeesNot("simulator")
	d.Press("p")
	d.RequireText("Simulator runs at 3,600×", "Test controls simulator runs at 3,600×")
	d.Resize(100, 40)
	d.SeesNot("▷")
	d.RequireText("Test controls")
	d.Resize(140, 40)
	d.Press("p")
	d.RequireText("Simulator paused", "■ simulator paused at 3,600×")
	d.SeesNot("Test controls ■", "Test controls simulator")
	d.Press(")")
	d.RequireText("■ simulator paused at 21,600×")
	d.Press("(", "(")
	d.RequireText("■ simulator paused at 600×")
	d.Press("[")
	d.RequireText("paused at 600×, 0 steps done")
	d.Press("=")
	d.RequireText("step: no steps to run")
	o := d.NewestOrder() // the simulator only handles orders that changed since it started
	if _, err := opsClient.Quotes.Issue(t.Context(), o.UUID, ops.QuoteInput{QuoteName: "First", DeliveryBy: 9, PriceBeforeDiscount: 900, ExpiryDate: api.TimeOf(d.Now().AddDate(0, 0, 7))}); err != nil {
		t.Fatal(err)
	}
	d.Press("r")
	d.RequireText("quote " + o.OrderCode)
	d.Press("=")
	d.RequireText("Step done", "1 step done")
	if s, err := opsClient.World.Simulator(t.Context()); err != nil || s.Done != 1 || !s.Paused || s.Speed != 600 {
		t.Errorf("the simulator is %+v, %v", s, err)
	}
}

func TestAPersistentServiceOffersNoTestControls(t *testing.T) {
	// The page adds the year to a time of another year.
	s := &server.Server{Dir: t.TempDir(), OpsKey: "fd_ops_test", Now: func() time.Time { return tuitest.Clock }}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	d := atOps(t, s.Handler().ServeHTTP)
	d.SeesNot("p pause", "= step", "( slower")
	for key, name := range map[string]string{"p": "pause", "(": "slower", ")": "faster", "=": "step"} {
		d.Press(key)
		d.RequireText(name + ": the simulator and faults are off; start the service with --demo")
	}
	d.Press("[")
	d.RequireText("[Test controls]", "Simulator   not available", "Faults      not available", "cannot be changed on this service")
	d.SeesNot("f faults", "c clock")
	d.Press("f")
	d.RequireText("faults: the simulator and faults are off")
	d.Press("F")
	d.RequireText("clear faults: the simulator and faults are off")
}

func TestAResetIsConfirmedAndRestoresTheInitialData(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 100, 30)
	d.Press("/")
	d.Type("Substation")
	d.Press("enter", "X")
	d.RequireText("End order", "Reports as not feasible")
	d.Type("no-fly zone since this week")
	d.Press("tab")
	d.Type("ord-100239")
	d.Press("enter")
	d.RequireText(": Not feasible", "No matching tasks")
	d.Press("esc", "[", "delete")
	d.RequireText("Reset", "Accounts and keys are kept", "Cannot be")
	d.Press("enter")
	d.RequireText("Does not match reset")
	d.Type("reset")
	d.Press("enter")
	d.RequireText("Service reset: ")
	d.Press("]", "/")
	d.Type("Substation")
	d.RequireText("MSN-300551")
}

func TestReadOnlyModeDisablesAllChanges(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 160, 48, func(o *tui.Options) { o.ReadOnly = true })
	d.RequireText("READ-ONLY", "[Queue 34]")
	off := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			d.Press(k)
			d.RequireText("read-only mode")
			d.Press("esc")
		}
	}
	off("i", "a", "s", "t", "d", "A", "e", "X", "p", "(", ")", "=")
	d.Press("]", "]")
	off("n", "c")
	d.Press("]")
	off("A", "X", "n")
	d.Press("]")
	off("n", "K", "delete")
	d.Press("]", "]")
	off("c", "f", "F", "delete")
	d.Press("[", "[", "[", "[", "enter")
	d.RequireText("[Keys]")
	d.Press("n")
	d.RequireText("new key: read-only mode")
	d.Press("delete")
	d.RequireText("revoke: read-only mode")
	d.Press("]", "]", "t")
	d.RequireText("test: read-only mode")
}

func TestAScenarioIsShownAndStepped(t *testing.T) {
	script, err := scenario.Load("endpoint-down")
	if err != nil {
		t.Fatal(err)
	}
	d, ops := apptest.OpenServer(t, &server.Server{Demo: true, Scenario: script}, 120, 35, apptest.AtOperations)
	d.Press("[")
	d.RequireText("Endpoint down for an hour", "0 of 15 events done", "endpoint warehouse answers 200", "= step")
	d.CompareFrames(t, "scenario-begins")
	d.Press("=")
	d.RequireText("Event done: endpoint warehouse answers 200", "1 of 15 events done")
	d.Press("=", "=")
	o := d.NewestOrder()
	d.RequireText("Last        place roof", "("+o.OrderCode+")")
	for range 6 {
		d.Press("=")
	}
	d.RequireText("Last        endpoint warehouse answers 500", "Tue 24 Nov 10:42")
	d.CompareFrames(t, "scenario-goes-on")
	for range 5 {
		d.Press("=")
	}
	d.RequireText("Find the failed callbacks of")
	d.Press("=")
	d.RequireText("15 of 15 events done")
	d.Press("=")
	d.RequireText("step: no steps to run")
	if s, err := ops.World.Simulator(t.Context()); err != nil || s.Scenario.Done != 15 || s.Scenario.LastError != nil {
		t.Errorf("%+v, %v", s, err)
	}
}
