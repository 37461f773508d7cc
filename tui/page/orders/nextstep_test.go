package orders_test

import (
	"net/http"
	"strings"
	"testing"

	"flightdesk/tui/apptest"
)

// openRow opens the only row of a section that matches a filter. section is the key of the section.
func openRow(d *apptest.Session, section, filter string) {
	d.Press("esc", section, "/")
	d.Type(filter)
	d.Press("enter", "enter")
}

func TestAnOrderSaysWhatHappensNext(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	for code, next := range map[string]string{
		"ORD-100249": "Next: the service sends quotes",
		"ORD-100246": "Next: you decide on the quotes  c quotes",
		"ORD-100228": "Next: the service sends new quotes, or you cancel the order",
		"ORD-100239": "Next: the service assigns an operator to 3 missions",
		"ORD-100235": "Next: the service sets the flight date of Northern spur",
		"ORD-100238": "Next: Jørgen Aasen flies Stands 1–7 on Wed 2 Dec 10:45",
		"ORD-100231": "Next: you check the data of Block A (V); the service",
		"ORD-100216": "Next: you check the data of Fila 3 (V); the service", // completed
	} {
		openRow(d, "2", code)
		d.RequireText("Orders › "+code, next)
		d.Press("esc", "esc")
	}
	openRow(d, "2", "ORD-100219")
	d.RequireText("Orders › ORD-100219", "● Completed")
	d.SeesNot("Next:")
}

func TestAMissionSaysWhatHappensNext(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	for code, lines := range map[string]string{
		"MSN-300566": "◇ In review · due in 21 d\n Next: the service sends quotes",
		"MSN-300562": "◆ Quotes ready · due in 12 d\n Next: you decide on the quotes  o order",
		"MSN-300535": "◇ Quotes expired · due in 31 d\n Next: the service sends new quotes, or you cancel the",
		"MSN-300549": "◌ Awaiting operator · due in 28 d\n Next: the service assigns an operator",
		"MSN-300545": "Next: the service sets the flight date",
		"MSN-300548": "Next: Jørgen Aasen flies on Wed 2 Dec 10:45",
		"MSN-300538": "Next: you check the data (V); the service",
		"MSN-300519": "Next: you check the data (V); the service", // in a completed order
	} {
		openRow(d, "3", code)
		d.RequireText("Missions › " + code)
		for line := range strings.SplitSeq(lines, "\n") {
			d.RequireText("\n " + strings.TrimSpace(line))
		}
		d.Press("esc", "esc")
	}
	openRow(d, "3", "MSN-300522")
	d.SeesNot("Next:")
}

func TestTheListOfMissionsHasTheStatusOfOrdersWithoutAnAcceptedQuote(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	d.Press("3", "/")
	d.Type("status:quotes")
	d.RequireText("MSN-300562", "◆ Quotes ready", "MSN-300535", "◇ Quotes expired")
	d.SeesNot("◌ Awaiting operator")
	d.Press("ctrl+u")
	d.Type("status:awaitingPilot")
	d.RequireText("MSN-300562", "MSN-300549")
}

func TestAFlightThatIsOverWaitsForItsData(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.ServeMission(
		`"status":"flightScheduled","operatorName":"AeroScan","flightDate":"2026-11-23T08:30:00+01:00"`, nil))
	d.Press("3", "enter")
	d.RequireText("Missions › MSN-9", "Next: the service delivers the data, or moves the flight")
}

func TestAProposedFlightDateWaitsForItsConfirmation(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"pilotAssigned"`, map[string]string{
		"planning": `{"version":1,"schedulingStatus":"proposed","flightDate":"2026-11-27T08:30:00+01:00","createdAt":"2026-11-23T09:00:00+01:00"}`,
	}))
	d.Press("3", "enter")
	d.RequireText("Missions › MSN-9", "Next: the proposed flight date is confirmed or changed")
}

func TestTheNextStepIsUnknownIfTheQuotesCannotBeLoaded(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		const order = `"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"biddingWithQuote"`
		if strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
			return
		}
		apptest.AnswerBroken(w, r)
	})
	d.Press("2", "enter")
	d.RequireText("Orders › ORD-1", "Levee")
	d.SeesNot("Next:")
}

func TestTheFooterBeginsWithTheNextStep(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "2", "ORD-100246")
	d.RequireText("\n c quotes  enter mission  s timeline")
	d.Press("esc", "esc")
	openRow(d, "2", "ORD-100231")
	d.RequireText("\n f deliveries  enter mission  c quotes")
}

func TestKeysWithoutAnythingToShowAreNotInTheFooter(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "2", "ORD-100249") // neither quotes nor data
	d.RequireText("enter mission  s timeline")
	d.SeesNot("c quotes", "f deliveries")
	d.Press("f") // still works
	d.RequireText("Deliveries")
	openRow(d, "3", "MSN-300549")
	d.RequireText("o order  s timeline")
	d.SeesNot("f deliveries")
}

func TestAStageWithoutAKnownDayHasNoDash(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "3", "MSN-300538")
	d.RequireText(" 6 Nov               9 Nov     19 Nov    23 Nov    ")
	openRow(d, "2", "ORD-100249")
	d.RequireText(" placed     accepted   operator", "\n 24 Nov        ")
}

func TestACompletedOrderIsDoneOnceItsDataIsAccepted(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "2", "ORD-100214")
	d.RequireText(
		"● Completed · 1 delivery not accepted yet",
		"──●┄┄┄┄┄┄┄┄┄┄◌",
		" 22 Sep                           26 Sep     28 Sep     ",
	)
	d.Press("esc", "esc")
	openRow(d, "2", "ORD-100219")
	d.RequireText("● Completed", "─────────●─────────●─────────● ")
	d.SeesNot("not accepted", "┄")
}

func TestACancelledMissionIsNotShownAsFlown(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "3", "MSN-300529")
	d.RequireText("⊖ Cancelled", "Flight    –  (", ", cancelled)")
	d.Press("esc", "esc")
	openRow(d, "2", "ORD-100224")
	d.RequireText("△ Not feasible", "⊖ Cancelled")
	d.SeesNot("12 Nov")
}

func TestAnOrderThatEndedKeepsTheStepsThatHappened(t *testing.T) {
	d := apptest.Open(t, 120, 35)
	openRow(d, "2", "ORD-100224")
	d.RequireText(" placed ", " accepted ", " operator ", " Not feasible", "\n a order again  ")
	d.Press("esc", "esc")
	openRow(d, "2", "ORD-100210")
	d.RequireText("Rejected", " placed ", "Next: you order again with other dates or sites", "\n a order again  ")
	d.SeesNot(" accepted  ")
}
