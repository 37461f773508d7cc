package operations_test

import (
	"testing"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestAFaultIsSetSeenAndEnded(t *testing.T) {
	d, ops := apptest.Operations(t, 100, 30)
	d.Press("[")
	d.Sees("[Test controls]", "requests are answered as they should be")
	d.Press("F")
	d.Sees("clear faults: no faults are injected")
	d.Press("f")
	d.Sees("Faults", "this app's among them")
	d.Press("ctrl+u")
	d.Type("302")
	d.Press("enter")
	d.Sees("302 is not from 400 to 599")
	d.Press("ctrl+u")
	d.Type("400")
	d.Press("tab", "tab", "tab")
	d.Type("orders")
	d.Press("enter")
	d.Sees("begin it with a slash")
	d.Press("ctrl+u")
	d.Type("/orders")
	d.Press("enter")
	d.Sees("every request to /orders answered 400 from now on", "! every request to /orders answered 400", "Ops !")
	d.Press("2", "r")
	d.Sees("Fault injected by the operations API")
	d.Press("9")
	d.Sees("requests so far")
	d.Press("f")
	d.Sees("400", "/orders") // what is set is filled in
	d.Press("esc", "F")
	d.Sees("requests are answered rightly again", "no faults")
	d.SeesNot("Ops !")
	d.Press("2", "r")
	d.Sees("ORD-100249")
	if f, err := ops.World.Faults(t.Context()); err != nil || f.Status != 0 {
		t.Errorf("the faults are %+v, %v", f, err)
	}
}

func TestTheClockMovesAndAQuoteExpires(t *testing.T) {
	d, ops := apptest.Operations(t, 120, 36)
	d.Press("[", "c")
	d.Sees("Move the clock", "then it is Wed 25 Nov 09:42", "The clock only moves forward")
	d.Press("ctrl+u")
	d.Type("soon")
	d.Press("enter")
	d.Sees("type a length of time as 90s, 36h or 7d")
	d.Press("ctrl+u")
	d.Type("90m")
	d.Press("enter")
	d.Sees("the clock went ahead by 1 h 30 m", "clock + 1 h 30 m", "Tue 24 Nov 2026 11:12")
	d.Press("e")
	d.Sees("Expire quote now", "“Priority” of ORD-100246 expires", "The clock only moves forward")
	d.Press("enter")
	d.Sees("“Priority” of ORD-100246 has expired", "clock + 5 h")
	clock, err := ops.World.Clock(t.Context())
	if err != nil || clock.Ahead.Hours() < 5 {
		t.Fatalf("the clock is %+v, %v", clock, err)
	}
	// From the queue: the open quote of the order that is selected.
	d.Press("]", "/")
	d.Type("苫前")
	d.Press("enter", "e")
	d.Sees("Expire quote now", "of ORD-100246 expires")
}

func TestTheSimulatorIsPacedFromAnyPage(t *testing.T) {
	d, ops := apptest.Operations(t, 140, 40)
	d.Sees("□ simulator off")
	d.Press("p")
	d.Sees("the simulator runs at 3,600×", "▷ simulator 3,600×")
	d.Press("p")
	d.Sees("the simulator is paused", "■ paused at 3,600×")
	d.Press(")")
	d.Sees("■ paused at 21,600×")
	d.Press("(", "(")
	d.Sees("■ paused at 600×")
	d.Press("[")
	d.Sees("paused at 600× · 0 steps taken")
	d.Press("=")
	d.Sees("step: the simulator has nothing to do")
	o := d.Newest() // what was touched since it runs is in its hands
	if _, err := ops.Quotes.Issue(t.Context(), o.UUID, api.QuoteInput{QuoteName: "First", DeliveryBy: 9, PriceBeforeDiscount: 900, ExpiryDate: api.At(d.Now().AddDate(0, 0, 7))}); err != nil {
		t.Fatal(err)
	}
	d.Press("r")
	d.Sees("quote " + o.OrderCode)
	d.Press("=")
	d.Sees("the simulator took its step", "1 step taken")
	if s, err := ops.World.Simulator(t.Context()); err != nil || s.Done != 1 || !s.Paused || s.Speed != 600 {
		t.Errorf("the simulator is %+v, %v", s, err)
	}
}

func TestAResetIsTypedAndBringsTheBeginningBack(t *testing.T) {
	d, _ := apptest.Operations(t, 100, 30)
	d.Press("/")
	d.Type("Substation")
	d.Press("enter", "X")
	d.Sees("End order", "report as not feasible")
	d.Type("no-fly zone since this week")
	d.Press("tab")
	d.Type("ord-100239")
	d.Press("enter")
	d.Sees("ORD-100239 is Not feasible", "No matching tasks")
	d.Press("esc", "[", "delete")
	d.Sees("Reset", "Accounts and keys stay", "takes effect at once")
	d.Press("enter")
	d.Sees("Type reset to confirm")
	d.Type("reset")
	d.Press("enter")
	d.Sees("all is as at the beginning: ")
	d.Press("]", "/")
	d.Type("Substation")
	d.Sees("MSN-300551")
}

func TestReadOnlyChangesNothingAtTheDesk(t *testing.T) {
	d, _ := apptest.Operations(t, 160, 48, func(o *tui.Options) { o.ReadOnly = true })
	d.Sees("READ-ONLY", "[Queue 34]")
	off := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			d.Press(k)
			d.Sees("this profile is read-only")
			d.Press("esc")
		}
	}
	off("i", "a", "s", "t", "d", "A", "e", "X", "p", "(", ")", "=")
	d.Press("]", "]")
	off("n", "c")
	d.Press("]")
	off("A", "X", "n")
	d.Press("]")
	off("c", "e", "f", "F", "delete")
	d.Press("[", "[", "enter")
	d.Sees("[Keys]")
	d.Press("n")
	d.Sees("new key…: this profile is read-only")
	d.Press("delete")
	d.Sees("revoke…: this profile is read-only")
	d.Press("]", "]", "t")
	d.Sees("test…: this profile is read-only")
}
