package quotes_test

import (
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

// quotedHome answers like a service with an order whose quotes cannot be read: the list of orders
// with quotes does not have them.
func quotedHome(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.Contains(r.URL.Path, "getorder/"):
		apptest.AnswerBroken(w, r)
	case strings.HasSuffix(r.URL.Path, "/orders"):
		apptest.WriteAnswer(w, 200, apptest.OrderList(
			`"uuid":"o-1","orderCode":"ORD-100241","orderName":"Elbe levee south","status":"biddingWithQuote"`))
	default:
		quoted("[]")(w, r)
	}
}

func TestQuotesThatCannotBeReadAreNotNone(t *testing.T) {
	d := apptest.OpenAgainst(t, quotedHome, apptest.AtHome)
	d.RequireText("▸ ◆ ORD-100241")
	d.Press("enter")
	d.RequireText("› ORD-100241 Elbe levee south", "! ")
	d.SeesNot("No quotes", "never", "0 open")
	d.Press("A")
	d.RequireText("the quotes could not be loaded; press r")
}

func TestAnOrderThatIsOverGetsNoQuotes(t *testing.T) {
	for status, next := range map[string]string{
		"reviewing": "No quotes yet.\n They appear here once the order is reviewed.",
		"cancelled": "No quotes.\n Cancelled: by the client",
		"completed": "No quotes.\n Completed: all data delivered",
		"onHold":    "No quotes yet.",
	} {
		record := strings.ReplaceAll(`{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"STATUS","quotes":[]}`,
			"STATUS", status)
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/orders"):
				apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee"`))
			case strings.Contains(r.URL.Path, "getorder/"):
				_, _ = w.Write([]byte(record))
			default:
				apptest.AnswerNothing(w, r)
			}
		})
		d.Press("2", "c")
		var lines []string
		for line := range strings.Lines(d.Screen()) {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
		if screen := strings.Join(lines, "\n"); !strings.Contains(screen, next) {
			t.Errorf("%s: no %q in\n%s", status, next, screen)
		}
	}
}
