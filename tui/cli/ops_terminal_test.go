//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
)

// A person is asked before what there is no way back from, and only the word
// does it.
func TestOpsAsksInATerminal(t *testing.T) {
	s, _ := served(t)
	vars := []string{"FLIGHTDESK_OPS_URL=" + s.OpsURL(), "FLIGHTDESK_OPS_KEY=" + s.Ready().OpsKey}
	ops, err := api.NewOps(s.OpsURL(), s.Ready().OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		typed, says string
		status      int
		want        api.OrderStatus
	}{
		{"y\r", "nothing was done: delete-order was not typed", exitFailed, api.OrderBiddingWithQuote},
		{"", "interrupted", exitInterrupted, api.OrderBiddingWithQuote},
		{"delete-order\r", "is deleted", exitDone, api.OrderDeleted},
	} {
		x := inTerminal(t, vars, "ops", "delete-order", "ORD-100249")
		x.sees("Type delete-order to do it: ")
		if tt.typed != "" {
			x.keys(tt.typed)
		} else if err := x.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		x.sees(tt.says)
		if said := x.finished(tt.status); !strings.Contains(said, "ORD-100249 ") || !strings.Contains(said, "It goes from the account's lists") {
			t.Errorf("the question is %q", said)
		}
		if o, err := ops.Orders.Get(t.Context(), "ORD-100249"); err != nil || o.Status != tt.want {
			t.Errorf("%q: the order is %s, %v", tt.typed, o.Status, err)
		}
	}
}

// On a terminal what the desk has to do stands out, and lines fit.
func TestOpsListsInATerminal(t *testing.T) {
	s, _ := served(t)
	vars := []string{"FLIGHTDESK_OPS_URL=" + s.OpsURL(), "FLIGHTDESK_OPS_KEY=" + s.Ready().OpsKey}
	x := inTerminal(t, vars, "ops", "review")
	x.sees("8 orders")
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

// An order's end is asked about as in the app.
func TestOrderCancelInATerminal(t *testing.T) {
	_, vars := served(t)
	x := inTerminal(t, vars, "order", "cancel", "ORD-100246")
	x.sees("Type cancel to do it: ")
	x.keys("no\r")
	x.sees("nothing was done: cancel was not typed")
	if said := x.finished(exitFailed); !strings.Contains(said, "No way back once it is sent") {
		t.Errorf("the question is %q", said)
	}
	x = inTerminal(t, vars, "order", "cancel", "ORD-100246")
	x.sees("Type cancel to do it: ")
	x.keys("cancel\r")
	x.sees("is cancelled")
	x.finished(exitDone)
}

// What is sent is told in place, and is gone in the end; sent again, it begins
// anew.
func TestSendMeter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jpg")
	if err := os.WriteFile(path, bytes.Repeat([]byte("x"), 3000), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	meter := &sendMeter{w: &seen, drawn: time.Now().Add(-time.Minute)}
	u, err := openUpload([]string{path}, nil, meter)
	if err != nil {
		t.Fatal(err)
	}
	file := u.files[0].Content
	if _, err := io.Copy(io.Discard, file); err != nil {
		t.Fatal(err)
	}
	if got := seen.String(); got != "\rsending 3.0 kB of 3.0 kB\x1b[K" {
		t.Errorf("drawn: %q", got)
	}
	if _, err := file.(io.Seeker).Seek(0, io.SeekStart); err != nil || meter.sent != 0 {
		t.Errorf("sent again: %d, %v", meter.sent, err)
	}
	u.close()
	if got := seen.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("in the end: %q", got)
	}
	if quiet := newSendMeter(&seen); quiet.w != nil {
		t.Error("a pipe is drawn on")
	}
}
