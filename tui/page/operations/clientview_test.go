package operations_test

import (
	"fmt"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// The client places an order, Operations quotes, the client accepts, and Operations carries the
// order out while the client's page follows.
func TestTheClientViewFollowsAnOrderToItsEnd(t *testing.T) {
	d, ops := apptest.OpenOperations(t, 160, 48)
	d.Press("v")
	d.RequireText("Operations › Client view", "OPERATIONS", "CLIENT VIEW  Nordlicht Windkraft GmbH")

	// The client places an order in its own section; Operations has it at once.
	d.Press("2")
	d.ToReview("masts")
	d.Press("S", "enter")
	o := d.NewestOrder()
	d.Press("9")
	d.RequireText("▸┃"+o.OrderCode+"  masts", "issue quote", o.OrderCode+"  masts", "◇ In review", "data")

	// Operations quotes, with the suggested price filled in and ten percent off.
	d.Press("i")
	d.RequireText("Issue quote", "suggested price for 14 days", "cannot be undone")
	d.Press("tab", "tab", "tab", "ctrl+u")
	d.Type("10")
	d.Press("enter")
	d.RequireText("Quote Standard issued", "client decides", "◆ Standard", "c compare and decide")

	// The client accepts the quote.
	d.Press("ctrl+w")
	d.RequireText("▸CLIENT VIEW")
	d.Press("c")
	d.RequireText("Client view › "+o.OrderCode, "Before discount")
	d.Press("esc", "enter")
	d.RequireText("Client view › " + o.OrderCode)
	d.Press("c")
	d.RequireText("Before discount")
	d.Press("A")
	quoted, err := ops.Orders.Get(t.Context(), o.UUID)
	if err != nil || len(quoted.Quotes) != 1 {
		t.Fatalf("the order is %+v, %v", quoted, err)
	}
	d.Type(fmt.Sprint(int(quoted.Quotes[0].FinalPrice.Amount)))
	d.Press("enter")
	d.Advance(9 * time.Second) // the decision is sent after the time to undo it
	d.Press("esc", "esc")
	d.RequireText("Client view", "◌ Awaiting operator", "● Standard")

	// Operations assigns an operator, schedules the flight and records the permission.
	d.Press("ctrl+w")
	d.RequireText("▸OPERATIONS", "▸┃MSN-", "assign")
	d.Press("a", "ctrl+u")
	d.Type("AeroScan Hanse")
	d.Press("enter")
	d.RequireText("operator assigned, AeroScan Hanse, and 1 more mission", "◔ Operator assigned", "AeroScan Hanse")
	d.Press("s")
	d.RequireText("Schedule flight", "→ Thu 26 Nov 2026")
	d.Press("tab", "tab", "tab", "tab")
	d.Type("all")
	d.Press("enter")
	d.RequireText("flight scheduled", "and 1 more mission", "◎ Flight scheduled")
	d.Press("t")
	d.RequireText("Record permission", "Granted")
	d.Press("tab")
	d.Type("Landesluftfahrtbehörde")
	d.Press("enter")
	d.RequireText("recorded: granted", "deliver")

	// Operations delivers the data, and the order is completed.
	d.Press("d")
	d.Type("all")
	d.Press("enter")
	d.RequireText("delivered", "● Completed", "files", "accept")
	d.Press("A")
	d.RequireText("Accept delivery", "Completes the mission", "The delivery was not checked on this machine")
	d.Press("enter")
	d.Press("A", "enter")
	full, err := ops.Orders.Get(t.Context(), o.UUID)
	if err != nil || full.Status != api.OrderCompleted {
		t.Fatalf("the order is %+v, %v", full, err)
	}
	for _, m := range full.Missions {
		if m.Status != api.MissionCompleted || *m.OperatorName != "AeroScan Hanse" || len(m.Packages) != 1 {
			t.Errorf("the mission is %+v", m)
		}
	}
	if q := full.Quotes[0]; q.Status != api.QuoteAccepted || q.DiscountProvided != "10%" {
		t.Errorf("the quote is %+v", q)
	}
}

// If the profile names no company, the client is known by its orders.
func TestTheClientViewKnowsTheClientByItsOrders(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40, func(o *tui.Options) { o.Company = "" })
	d.Press("1", "9", "v")
	d.RequireText("CLIENT VIEW  Nordlicht Windkraft GmbH", "12 open tasks of this client", "│ ORD-100214",
		"12 open, 2 with clients", ": only Operations sees this",
		"Client sees the same status, flight and operator as Operations")
	d.SeesNot("ORD-100236") // of another client
	d.Press("esc", "/")
	d.Type("Old town")
	d.Press("enter")
	d.RequireText("MSN-300543")
	d.Press("v") // the task of another client is not listed
	d.RequireText("12 open tasks")
	d.SeesNot("belongs to another client")
}
