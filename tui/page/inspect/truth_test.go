package inspect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

func TestNothingIsOverdueOnlyIfAllMissionsAreLoaded(t *testing.T) {
	served := inspected(nil)
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/orders/ORD-") {
			apptest.AnswerBroken(w, r)
			return
		}
		served(w, r)
	}, atInspect)
	d.RequireText("Overdue or stalled", "None known; missions of 2 orders could not be loaded.")
	d.SeesNot("No mission is overdue")
}

func TestTheAccountBeginsWithItsProblems(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(nil), atInspect)
	d.Resize(140, 40)
	d.RequireText("Inspect   1 of 2 endpoints failing · 1 mission overdue or stalled  press 7 to see why")
	d = apptest.OpenAgainst(t, apptest.AnswerNothing, atInspect)
	d.SeesNot("failing ·", "to see why")
}

func TestAnEndpointThatOnlyMissesCallbacksIsNotFailing(t *testing.T) {
	withoutFailure := func(parts map[string]string) {
		parts["/webhooks"] = strings.Replace(parts["/webhooks"], `"lastStatus":"failed"`, `"lastStatus":"success"`, 1)
		parts["/webhooks/w-1/deliveries"] = strings.Replace(parts["/webhooks/w-1/deliveries"], `"success":false,"responseCode":503`, `"success":true,"responseCode":200`, 1)
	}
	d := apptest.OpenAgainst(t, inspected(withoutFailure), atInspect)
	d.Resize(140, 40)
	d.RequireText("Inspect   1 of 2 endpoints with missing callbacks · 1 mission overdue or stalled  press 7 to see why")
	d.SeesNot("endpoints failing")
}

func TestTheHeadlineOfTheAccountCountsFailingEndpointsAsWebhooksDoes(t *testing.T) {
	d := apptest.Open(t, 120, 35, atInspect)
	d.RequireText("Inspect   2 of 3 endpoints failing, 1 with missing callbacks")
	d.Press("7")
	d.RequireText("1 missing")
	if n := strings.Count(d.Screen(), "✗ Failing"); n != 2 {
		t.Errorf("Webhooks shows %d failing endpoints", n)
	}
}

func TestTheAccountListsTheOrdersWithQuotes(t *testing.T) {
	served := inspected(func(parts map[string]string) {
		parts["/orders"] = strings.Replace(parts["/orders"], "pendingOperator", "biddingWithQuote", 1)
	})
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		const record = `{"id":"o-2","orderCode":"ORD-100231","orderName":"Wien Lobau","orderStatus":"quoteReceived",` +
			`"quotes":[{"quoteId":"q-1","quoteName":"AeroScan","finalPrice":900,"currency":"EUR","expiryDate":"2026-11-27T12:00:00+01:00"}]}`
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			_, _ = w.Write([]byte("[" + record + "]"))
		case strings.Contains(r.URL.Path, "getorder/"):
			_, _ = w.Write([]byte(record))
		default:
			served(w, r)
		}
	}, atInspect)
	d.Resize(140, 50)
	for range 40 {
		if hasTitle(d.Screen(), "Quotes ready") {
			break
		}
		d.Press("j")
	}
	d.RequireText("◆ Quotes ready  quotes to decide")
	d.Press("enter")
	d.RequireText("▸ ORD-100231")
}

func TestATimelineWithoutSomeSourcesIsNotFine(t *testing.T) {
	served := inspected(func(parts map[string]string) { parts["/webhooks/w-1/deliveries"] = "" })
	d := apptest.OpenAgainst(t, served)
	d.Press("2", "s", "b")
	d.SeesNot("✓ No failures found")
}

func TestAHighWindowListsMoreFailures(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(withTwelveFailures), atInspect)
	d.RequireText("and ", " more")
	d.Resize(200, 60)
	d.RequireText("answered 503  hooks")
	d.SeesNot(" more")
}

func TestTheLineOfFurtherFailuresOpensWebhooks(t *testing.T) {
	d := apptest.OpenAgainst(t, inspected(withTwelveFailures), atInspect)
	for range 13 {
		if strings.Contains(d.Screen(), "▸ … and ") {
			break
		}
		d.Press("j")
	}
	d.RequireText("▸ … and ")
	d.Press("enter")
	d.RequireText("[7 Webhooks")
}

// withTwelveFailures gives an endpoint a log with twelve failed callbacks.
func withTwelveFailures(parts map[string]string) {
	var rows []string
	for i := range 12 {
		rows = append(rows, fmt.Sprintf(`{"uuid":"d-%d","event":"mission.data_delivered","missionUid":"m-1","orderCode":"ORD-100230",`+
			`"success":false,"responseCode":503,"attempts":4,"error":"HTTP 503","createdAt":"2026-11-24T08:%02d:07Z"}`, i, 10+i))
	}
	parts["/webhooks/w-1/deliveries"] = strings.Join(rows, ",")
}
