package inspect_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"flightdesk/tui/apptest"
)

// changed is a service with one order without missions. Its API has fields and values that the app
// does not know.
func changed(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/csv/example" { // what the key may do
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":""}`)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/orders") {
		apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"onTheMoon","priority":"gold","token":"planted-1","updatedAt":"2026-11-20T09:00:00Z"`))
		return
	}
	if r.URL.Path == "/getorderslist" { // the v2 API has none
		apptest.WriteAnswer(w, 200, "[]")
		return
	}
	if strings.HasSuffix(r.URL.Path, "/missions") {
		apptest.AnswerNothing(w, r)
		return
	}
	apptest.WriteAnswer(w, 404, `{"success":false,"message":"no such order","data":{"code":"not_found"}}`)
}

func TestTheRequestLogShowsRequestsAndResponses(t *testing.T) {
	d := apptest.OpenAgainst(t, changed)
	d.Press("w")
	d.RequireText("Orders › Request log", "GET", "/orders?", "200", "last 6 of up to 10,000")
	d.Press("/")
	d.Type("limit=100")
	d.Press("enter")
	d.Press("enter")
	d.RequireText("[Response]", "content-type: application/json", `"priority": "gold"`, "+ unknown field", `"status": "onTheMoon"`, "? not a known status", "•••")
	d.SeesNot("planted-1")
	d.Press("]")
	d.RequireText("[Request]", "authorization: •••", "No body")
	d.SeesNot("fd_test_key")
	d.Press("]")
	d.RequireText("[Timing]", "request id", "since the start")
	d.Press("]")
	d.RequireText("[curl]", "curl -X GET", "Bearer $FLIGHTDESK_API_KEY")
	d.Press("y")
	d.RequireText("Sent to the terminal's clipboard: the curl command")
	d.Press("w") // the page is open already
	d.Press("esc", "esc", "esc")
	d.SeesNot("Wire")
}

func TestTheRequestLogIsPausedAndShowsOnlyFailures(t *testing.T) {
	d := apptest.OpenAgainst(t, changed)
	d.Press("w", "b")
	d.RequireText("No failed requests")
	d.Press("b", "p")
	if _, err := d.Client.Orders.Get(t.Context(), "ORD-7"); err == nil {
		t.Fatal("an unknown order was read without an error")
	}
	d.Advance(time.Second)
	d.RequireText("paused · 1 newer")
	d.SeesNot("404")
	d.Press("p")
	d.RequireText("404", "last 7 of up to 10,000")
	d.Press("b")
	d.RequireText("404", "problems only")
	d.SeesNot("/orders?")
	d.Press("b", "/")
	d.Type("code:404")
	d.Press("enter")
	d.RequireText("1 of 7", "/orders/ORD-7")
	d.SeesNot("/orders?")
}

func TestTheRequestLogIsExportedWithoutSecrets(t *testing.T) {
	d := apptest.OpenAgainst(t, changed)
	d.Press("w", "E")
	d.RequireText("Export requests", "6 rows shown, as CSV or .json", "requests-2026-11-24.csv")
	d.Press("enter")
	d.RequireText("Exported 6 rows to")
	text := string(d.ReadFile("requests-2026-11-24.csv"))
	if rows := strings.Count(text, "/orders"); rows == 0 {
		t.Errorf("no request in\n%s", text)
	}
	for _, secret := range []string{"planted-1", "fd_test_key"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in the file", secret)
		}
	}
}
