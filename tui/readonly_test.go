package tui_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/apptest"
)

func readOnly(o *tui.Options) { o.ReadOnly = true }

// Of the whole table every action that changes the service is off, on whatever
// page, and every other one is as it was.
func TestReadOnlyTakesAwayEveryActionThatChangesTheService(t *testing.T) {
	bound, _ := apptest.Operations(t, 120, 36, readOnly)
	free, _ := apptest.Operations(t, 120, 36)
	for _, act := range action.All() {
		const why = "this profile is read-only"
		switch got := bound.App.Off(act); {
		case act.Changes() && got == "":
			t.Errorf("%s.%s changes the service and is on", act.Scope, act.ID)
		case !act.Changes() && got == why:
			t.Errorf("%s.%s is off although it changes nothing", act.Scope, act.ID)
		}
		if got := free.App.Off(act); got == why {
			t.Errorf("%s.%s is off for a profile that may write", act.Scope, act.ID)
		}
	}
	bound.Sees("READ-ONLY")
}

// Whatever is pressed, nothing leaves that changes the service.
func TestReadOnlySendsNothingThatChangesTheService(t *testing.T) {
	d, _ := apptest.Operations(t, 140, 40, readOnly)
	r := rand.New(rand.NewPCG(11, 12))
	all := apptest.Keys()
	for step := range 1500 {
		if step%100 == 0 {
			d.Press([]string{"2", "9", "4", "8", "3"}[r.IntN(5)])
		}
		d.Press(all[r.IntN(len(all))])
		if c := d.App.Crashed(); c != nil {
			t.Fatalf("step %d: %v\n%s", step, c, c.Stack)
		}
	}
	d.Press("esc", "esc", "esc", "esc", "2", "2")
	kept, _ := d.App.Wire().Newest()
	if len(kept) < 100 {
		t.Fatalf("%d requests only", len(kept))
	}
	for _, x := range kept {
		if timeline.Reads(x) {
			continue
		}
		if x.Method == http.MethodDelete && strings.HasPrefix(x.Path, "/webhooks/") && x.Status == http.StatusNotFound {
			continue // of the scopes: there is no such endpoint
		}
		t.Errorf("%s %s left, answered %d", x.Method, x.Path, x.Status)
	}
}
