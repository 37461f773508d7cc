package operations_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

func TestTheAgeIsThatOfTheCurrentTab(t *testing.T) {
	var isBroken atomic.Bool
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		isAccounts := strings.HasSuffix(r.URL.Path, "/accounts")
		if isAccounts && isBroken.Load() {
			apptest.AnswerBroken(w, r)
		} else if isAccounts {
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"a-1","companyName":"Hafen AG","currency":"EUR"`))
		} else {
			bare(w, r)
		}
	})
	d.Press("]", "]")
	d.RequireText("1 account · refreshed just now")
	isBroken.Store(true)
	d.Advance(5 * time.Minute)
	d.RequireText("1 account · refreshed 5 m ago")
}

func TestTasksOfOtherClientsAreNamedInTheClientView(t *testing.T) {
	const order = `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"biddingWithQuote","accountUid":"a-1",` +
		`"createdAt":"2026-11-23T08:42:00Z","updatedAt":"2026-11-23T08:42:00Z"`
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("status") == "biddingWithQuote" && strings.Contains(r.URL.Path, "/ops/"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		case strings.HasSuffix(r.URL.Path, "/orders/o-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[],"quotes":[]}}`)
		default:
			bare(w, r)
		}
	})
	d.RequireText("ORD-7")
	d.Press("v")
	d.RequireText("OPERATIONS  1 open task of all clients")
}

func TestTheListOfOrdersSaysThatQuotesHaveExpired(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40)
	d.Press("]", "/")
	d.Type("ORD-100228")
	d.Press("enter")
	d.RequireText("◇ Quotes expired")
	d.Press("enter")
	d.RequireText("◇ Quotes expired")
}

func TestTheDetailsOfAnAccountSayWhatIsToBeDone(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40)
	d.Press("]", "]", "/")
	d.Type("nordlicht")
	d.Press("enter")
	d.RequireText("[Accounts]", "Open tasks", "1 key request to decide", "Orders", "In review 1", "Keys", "active", "Endpoints")
}

func TestAnAccountWhoseOrdersAreUnknownHasUnknownTasks(t *testing.T) {
	d := atOps(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/accounts"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"a-1","companyName":"Hafen AG","currency":"EUR"`))
		case r.URL.Query().Get("status") == "biddingWithQuote":
			apptest.AnswerBroken(w, r)
		default:
			bare(w, r)
		}
	})
	d.Resize(140, 40)
	d.Press("]", "]")
	d.RequireText("Hafen AG", "Currency    EUR", "Orders      ! ")
	d.SeesNot("none")
}
