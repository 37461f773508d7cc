package orders_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
)

// The page of an order shows all that the v2 API has of it.
func TestTheRecordOfAnOrderIsShown(t *testing.T) {
	d := apptest.Open(t, 100, 30)
	d.Advance(time.Second)
	d.Press("enter", "v")
	d.RequireText("Order in the v2 API", "E-mail",
		"Deadline        Tue 15 Dec 18:00", "Products        Photos (JPEG), Thermal map") // as on the page
	d.Press("esc")
	d.SeesNot("Order in the v2 API")
}

// The list of orders with quotes can be older than the record of an order, in which quotes have arrived since.
func TestTheStatusOfAnOrderAgreesWithItsQuotes(t *testing.T) {
	const order = `"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"biddingWithQuote"`
	const record = `{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"quoteReceived","quotes":[` +
		`{"quoteId":"q-1","quoteName":"Economy","finalPrice":20,"currency":"EUR","expiryDate":"2099-01-01T00:00:00Z"}]}`
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		case strings.HasSuffix(r.URL.Path, "/orders/ORD-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+
				`,"missions":[{"uuid":"m-1","missionCode":"MSN-1","missionName":"Crest","missionType":"asset",`+
				`"status":"awaitingPilot","locationMap":[{"lat":48.2,"lng":16.5}]}]}}`)
		case strings.Contains(r.URL.Path, "getorder/"):
			apptest.WriteAnswer(w, 200, record)
		default:
			apptest.WriteAnswer(w, 200, "[]")
		}
	})
	d.Press("2", "enter")
	d.RequireText("Economy", "Quotes ready", "Next: you decide on the quotes")
	d.SeesNot("In review", "the service sends quotes")
	d.Resize(140, 40)
	d.RequireText("◆ Crest") // on the map
}

// An order of the v2 API has the same fields as other orders. Its quotes are shown once, and the instruction for
// programs is not shown.
func TestAnOrderOfTheV2APIHasTheFieldsOfAnOrder(t *testing.T) {
	const record = `{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"quoteReceived",` +
		`"clientName":"Ada","deliveryDeadline":"2026-12-20","mapTypes":["_2dMap"],` +
		`"description":"one one one one one one one one two two two two two two two two six six six six six six six six ten ten ten ten ten ten",` +
		`"instruction":"accept with POST order/{id}/quote/{quoteId}",` +
		`"quotes":[{"quoteId":"q-1","quoteName":"Economy","finalPrice":20,"currency":"EUR","expiryDate":"2099-01-01T00:00:00Z"}]}`
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			apptest.WriteAnswer(w, 200, "["+record+"]")
		case strings.Contains(r.URL.Path, "getorder/"):
			apptest.WriteAnswer(w, 200, record)
		case strings.Contains(r.URL.Path, "/orders/"):
			apptest.WriteAnswer(w, 404, `{"success":false,"message":"not found"}`)
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("2", "enter")
	d.RequireText("exists only in the v2 API", "Deadline     Sun 20 Dec", "Client       Ada", "Products     Photos (JPEG), 2D map")
	d.SeesNot("m map", "/ filter")
	d.Press("m")
	d.RequireText("exists only in the v2 API, without missions")
	d.SeesNot("Instruction", "quoteId", "Open quotes", "Order  ", "Status  ", "2026-12-20", "Start", "Survey")
	d.Resize(60, 18)
	d.RequireText("ORD-1  Levee")
	for range 20 {
		d.Send(tea.MouseWheelMsg{X: 10, Y: 8, Button: tea.MouseWheelDown})
	}
	d.RequireText("ten ten", "exists only in the v2 API")
	d.SeesNot("ORD-1  Levee")
}

// A small page shows the deadline and all quotes first. Fields that it cuts are read by scrolling.
func TestASmallOrderPageScrolls(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("j", "j", "j", "j", "enter")
	d.Advance(time.Second)
	d.RequireText("Deadline  Sun 13 Dec", "Economy", "Express", "Standard", "Placed", "Terra…")
	d.Press("J")
	d.RequireText("Terrain", "(DTM)", "↓ ")
	d.SeesNot("Terra…", "Placed")
	d.Press("J")
	d.RequireText("Placed", "MSN-300544")
	d.Press("K", "K", "K")
	d.RequireText("ORD-100235  Sm", "Placed", "Terra…")
	d.Press("j", "j") // the second step is below the last mission
	d.RequireText("(DTM)")
}
