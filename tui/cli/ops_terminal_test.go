//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// An operation that cannot be undone needs a typed confirmation.
func TestOpsAsksForConfirmationInATerminal(t *testing.T) {
	s, _ := served(t)
	vars := []string{"FLIGHTDESK_OPS_URL=" + s.OpsURL(), "FLIGHTDESK_OPS_KEY=" + s.Ready().OpsKey}
	desk, err := ops.NewClient(s.OpsURL(), s.Ready().OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typed, says string
		status      int
		want        api.OrderStatus
	}{
		{"y\r", "not confirmed; nothing was sent", exitFailed, api.OrderBiddingWithQuote},
		{"", "interrupted", exitInterrupted, api.OrderBiddingWithQuote},
		{"delete-order\r", " deleted", exitDone, api.OrderDeleted},
	} {
		x := inTerminal(t, vars, "ops", "delete-order", "ORD-100249")
		x.sees("Type delete-order to confirm: ")
		if tt.typed != "" {
			x.keys(tt.typed)
		} else if err := x.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		x.sees(tt.says)
		if said := x.finished(tt.status); !strings.Contains(said, "ORD-100249 ") || !strings.Contains(said, "Hides the order from the account") {
			t.Errorf("the question is %q", said)
		}
		if o, err := desk.Orders.Get(t.Context(), "ORD-100249"); err != nil || o.Status != tt.want {
			t.Errorf("%q: the order is %s, %v", tt.typed, o.Status, err)
		}
	}
}

// On a terminal, orders that wait for operations have a colour, and lines fit the width.
func TestOpsListsInATerminal(t *testing.T) {
	s, _ := served(t)
	vars := []string{"FLIGHTDESK_OPS_URL=" + s.OpsURL(), "FLIGHTDESK_OPS_KEY=" + s.Ready().OpsKey}
	x := inTerminal(t, vars, "ops", "review")
	x.sees("9 orders")
	output := x.finished(exitDone)
	waits := ""
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "ORD-100249") {
			waits = line
		}
	}
	if !strings.Contains(waits, "\x1b[") || !strings.Contains(waits, "quote") {
		t.Errorf("without colour: %q", output)
	}
	x = inTerminal(t, append(vars, "NO_COLOR=1"), "ops", "order", "ORD-100246")
	x.sees("4 quotes")
	for line := range strings.Lines(x.finished(exitDone)) {
		if strings.Contains(line, "\x1b[3") {
			t.Errorf("coloured: %q", line)
		}
	}
}

// Canceling an order needs the same confirmation as in the app.
func TestOrderCancelInATerminal(t *testing.T) {
	_, vars := served(t)
	x := inTerminal(t, vars, "order", "cancel", "ORD-100246")
	x.sees("Type cancel to confirm: ")
	x.keys("no\r")
	x.sees("not confirmed; nothing was sent")
	if said := x.finished(exitFailed); !strings.Contains(said, "Cannot be undone once sent") {
		t.Errorf("the question is %q", said)
	}
	x = inTerminal(t, vars, "order", "cancel", "ORD-100246")
	x.sees("Type cancel to confirm: ")
	x.keys("cancel\r")
	x.sees("is cancelled")
	x.finished(exitDone)
}
