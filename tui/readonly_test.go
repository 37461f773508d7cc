package tui_test

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/apptest"
)

func readOnly(o *tui.Options) { o.ReadOnly = true }

// On every page, all actions that change the service are disabled, and all others are not
// affected.
func TestReadOnlyDisablesEveryActionThatChangesTheService(t *testing.T) {
	bound, _ := apptest.OpenOperations(t, 120, 36, readOnly)
	free, _ := apptest.OpenOperations(t, 120, 36)
	for _, act := range action.AllActions() {
		const why = "read-only mode"
		switch got := bound.App.Off(act); {
		case act.ChangeKind() != action.ChangesNothing && got == "":
			t.Errorf("%s.%s changes the service and is on", act.Scope, act.ID)
		case act.ChangeKind() == action.ChangesNothing && got == why:
			t.Errorf("%s.%s is off although it changes nothing", act.Scope, act.ID)
		}
		if got := free.App.Off(act); got == why {
			t.Errorf("%s.%s is off for a profile that may write", act.Scope, act.ID)
		}
	}
	bound.RequireText("READ-ONLY")
}

// Actions that the key does not allow are disabled with the reason, before the user starts to fill in
// a form. Actions stay enabled while the rights of the key are unknown.
func TestMissingScopesDisableActions(t *testing.T) {
	lacks := true
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/csv/example" && lacks:
			apptest.WriteAnswer(w, http.StatusForbidden, `{"success":false,"message":"no","data":{"code":"missing_scope"}}`)
		case r.Method != http.MethodGet && r.URL.Path != "/getorderslist": // which only reads
			t.Errorf("%s %s was sent", r.Method, r.URL.Path)
		default:
			apptest.WriteAnswer(
				w, http.StatusOK,
				apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-7","companyName":"A client","status":"biddingWithQuote"`),
			)
		}
	}, func(o *tui.Options) { o.Company, o.Profile = "", "acme" })
	d.RequireText("acme · orders read-only")
	const why = "the key lacks orders:write; use a key with it, or another profile"
	for key, title := range map[string]string{"n": "new order", "a": "order again", "C": "cancel"} {
		d.Press(key)
		d.RequireText("[2 Orders]", title+": "+why)
	}
	d.SeesNot("n new order", "C cancel…")
	for _, act := range action.AllActions() {
		if got, want := d.App.Off(act) == why, act.ChangeKind() == action.ChangesOrders; got != want {
			t.Errorf("%s.%s is off for the key: %t", act.Scope, act.ID, got)
		}
	}
	d.Press("8")
	d.RequireText("✗ orders:write")
	lacks = false
	d.Press("r", "2")
	d.RequireText("acme · read+write", "n new order")
}

// No key sends a request that changes the service.
func TestReadOnlySendsNoChanges(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40, readOnly)
	r := rand.New(rand.NewPCG(11, 12))
	all := apptest.AllKeys()
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
	d.Close() // downloads that were begun have ended then
	kept, _ := d.App.Wire().Newest()
	if len(kept) < 100 {
		t.Fatalf("%d requests only", len(kept))
	}
	for _, x := range kept {
		if timeline.IsRead(x) {
			continue
		}
		t.Errorf("%s %s left, answered %d", x.Method, x.Path, x.Status)
	}
}
