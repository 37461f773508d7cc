package orders_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

// placeOne places an order and leaves its page on the screen.
func placeOne(d *apptest.Session) *api.Order {
	d.T.Helper()
	d.ToReview("elbe")
	d.Press("S", "enter")
	o := d.NewestOrder()
	d.RequireText("Orders › " + o.OrderCode)
	return o
}

func TestAnOrderIsCancelledOnceItsCodeIsTyped(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	o := placeOne(d)
	d.Press("C")
	d.RequireText("Cancel order", o.OrderCode, "all its missions", "You can undo for 8 s", "8 s")
	d.Press("enter")
	d.RequireText("Cancel order") // the code is missing
	d.Type(strings.ToLower(o.OrderCode))
	d.Press("enter")
	d.RequireText("Cancelling " + o.OrderCode + " in 8 s · u to undo")
	if now := d.NewestOrder(); now.Status != api.OrderBiddingWithQuote {
		t.Errorf("the order is %s before the 8 s are over", now.Status)
	}
	d.Advance(8 * time.Second)
	d.RequireText("Cancelled "+o.OrderCode, "⊖ Cancelled")
	if now := d.NewestOrder(); now.Status != api.OrderCancelled || now.Missions[0].Status != api.MissionCancelled {
		t.Errorf("the order is %s, its mission %s", now.Status, now.Missions[0].Status)
	}
	d.Press("C")
	d.RequireText("cancel: " + o.OrderCode + " is already cancelled")
	d.Press("X")
	d.RequireText(o.OrderCode+" is cancelled; usually only orders that are in review can be", "service may refuse it.")
}

func TestAnOrderIsArchivedWithAReason(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	o := placeOne(d)
	d.Press("esc", "Z")
	d.RequireText("Archive order", "Archives the order.", "Reason", "Confirm")
	d.Press("enter")
	d.RequireText("enter a reason")
	d.Type("placed twice")
	d.Press("enter")
	d.Type("ORD-1")
	d.Press("enter")
	d.RequireText("Does not match " + o.OrderCode)
	d.Press("ctrl+u")
	d.Type(o.OrderCode)
	d.Press("enter")
	d.Press("u")
	d.RequireText("Not sent: archive " + o.OrderCode)
	d.Press("Z")
	d.Type("placed twice")
	d.Press("alt+enter") // ends a line; enter alone goes on
	d.Type("by mistake")
	d.RequireText("placed twice", "by mistake")
	d.Press("tab")
	d.Type(o.OrderCode)
	d.Press("enter")
	d.Advance(8 * time.Second)
	d.RequireText("Archived "+o.OrderCode, "□ Archived")
	if now := d.NewestOrder(); now.Status != api.OrderArchived || *now.ArchiveReason != "placed twice\nby mistake" {
		t.Errorf("the order is %+v", now)
	}
}

func TestAnOrderIsRejectedWithAReason(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	o := placeOne(d)
	d.Press("X")
	d.Type("too dear")
	d.Press("tab")
	d.Type(o.OrderCode)
	d.Press("enter")
	d.Advance(8 * time.Second)
	d.RequireText("Rejected "+o.OrderCode, "✗ Rejected", "“too dear”")
	d.SeesNot("due in")
	if now := d.NewestOrder(); now.Status != api.OrderRejected || *now.RejectionReason != "too dear" {
		t.Errorf("the order is %+v", now)
	}
}

func TestReadOnlyEndsNoOrder(t *testing.T) {
	d := apptest.Open(t, 100, 30, func(o *tui.Options) { o.ReadOnly = true })
	for _, k := range []string{"C", "Z", "X"} {
		d.Press(k)
		d.RequireText("read-only mode")
	}
}

// The order went on while the question was open: the service refuses, and the
// app says how the order stands.
func TestACancelIsRefusedByTheState(t *testing.T) {
	var refused atomic.Bool
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		status := "flyingDateSet"
		if refused.Load() {
			status = "completed"
		}
		order := `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"` + status + `"`
		switch {
		case r.Method == http.MethodPost:
			refused.Store(true)
			apptest.WriteAnswer(w, 409, `{"success":false,"message":"the data of MSN-1 is delivered","data":{"code":"conflict","requestId":"r"}}`)
		case strings.HasSuffix(r.URL.Path, "ORD-7"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[]}}`)
		default:
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		}
	})
	d.Press("C")
	d.Type("ORD-7")
	d.Press("enter")
	d.Advance(8 * time.Second)
	d.RequireText("Cancel ORD-7", "ot done: the data of MSN-1 is delivered", "● Completed")
	d.Press("C")
	d.RequireText("ORD-7 is completed; usually only orders that are in review", "service may refuse it.")
}

func TestALostAnswerToACancelIsReadFromTheOrder(t *testing.T) {
	var cancelled atomic.Bool
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		status := "pendingOperator"
		if cancelled.Load() {
			status = "cancelled"
		}
		order := `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"` + status + `"`
		switch {
		case r.Method == http.MethodPost:
			cancelled.Store(true)
			panic(http.ErrAbortHandler)
		case strings.HasSuffix(r.URL.Path, "ORD-7"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[]}}`)
		default:
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		}
	})
	d.Press("C")
	d.Type("ORD-7")
	d.Press("enter")
	d.Advance(8 * time.Second)
	d.RequireText("Cancelled ORD-7", "⊖ Cancelled")
}

func TestTheListIsReadAgainWhileItIsShown(t *testing.T) {
	var status atomic.Value
	status.Store("pendingOperator")
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"`+status.Load().(string)+`"`))
	})
	d.RequireText("◌ Awaiting operator")
	status.Store("operatorAssigned")
	d.Advance(30 * time.Second)
	d.RequireText("◔ Operator assigned", "┃")
}

func TestAnOrderWhoseQuotesHaveExpiredSaysWhatCanBeDone(t *testing.T) {
	d := apptest.Open(t, 140, 40)
	d.Press("1", "2", "/") // by now the quotes are read
	d.Type("quotes expired")
	d.Press("enter")
	d.RequireText("Quotes expired", "No open quotes.")
	d.Press("C")
	d.RequireText("Cancel order")
	d.Press("esc", "enter")
	d.RequireText("No open quotes.")
}
