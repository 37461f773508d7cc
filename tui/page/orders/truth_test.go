package orders_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/apptest"
	"flightdesk/tui/format"
)

// oneOrder answers like a service with an order in progress. parts has the answers for paths below the
// order; "broken" stands for an error.
func oneOrder(parts map[string]string) http.HandlerFunc {
	const order = `"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"pendingOperator"`
	return func(w http.ResponseWriter, r *http.Request) {
		_, part, isPart := strings.Cut(r.URL.Path, "/orders/ORD-1")
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		case isPart && parts[part] == "broken":
			apptest.AnswerBroken(w, r)
		case isPart && part == "":
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`}}`)
		default:
			apptest.AnswerNothing(w, r)
		}
	}
}

func TestHomeSaysNoneOnlyOfMissionsThatAreLoaded(t *testing.T) {
	d := apptest.OpenAgainst(t, oneOrder(nil), apptest.AtHome)
	d.RequireText("No flights in the next 7 days.", "No changes.", "No data waiting to be accepted.")
	d = apptest.OpenAgainst(t, oneOrder(map[string]string{"/missions": "broken", "": "broken"}), apptest.AtHome)
	d.RequireText("Missions of 1 order could not be loaded", "Unknown; missions of 1 order could not be loaded.")
	d.SeesNot("No flights", "No changes", "No data")
	d = apptest.OpenUnanswered(t, oneOrder(nil), apptest.AtHome)
	d.SeesNot("No flights", "No changes", "No data", "No open quotes")
}

func TestHomeListsOnlyFlightsToCome(t *testing.T) {
	for name, test := range map[string]struct {
		mission  string
		isListed bool
	}{
		"later today":      {`"status":"flightScheduled","flightDate":"2026-11-24T17:30:00+01:00"`, true},
		"over since today": {`"status":"flightScheduled","flightDate":"2026-11-24T06:30:00+01:00"`, false},
		"completed":        {`"status":"completed","flightDate":"2026-11-24T17:30:00+01:00"`, false},
	} {
		d := apptest.OpenAgainst(t, apptest.ServeMission(test.mission, nil), apptest.AtHome)
		d.RequireText("Flights")
		if isListed := !strings.Contains(d.Screen(), "No flights in the next 7 days."); isListed != test.isListed {
			t.Errorf("%s: the flight is listed: %v\n%s", name, isListed, d.Screen())
		}
	}
}

func TestAnOrderWithoutMissionsSaysSo(t *testing.T) {
	d := apptest.OpenAgainst(t, oneOrder(nil))
	d.Press("2", "enter", "enter")
	d.RequireText("the order has no missions")
	d = apptest.OpenAgainst(t, oneOrder(map[string]string{"/missions": "broken", "": "broken"}))
	d.Press("2", "enter", "enter")
	d.RequireText("its missions could not be loaded; press r")
	d.SeesNot("never")
}

func TestAPackageWithoutFiguresSaysNothingOfThem(t *testing.T) {
	d := apptest.OpenAgainst(t, apptest.ServeMission(`"status":"dataDelivered","updatedAt":"2026-11-23T09:00:00Z"`, map[string]string{
		"delivery-packages": `{"uuid":"p-1","name":"Levee data","status":"delivered","createdAt":"2026-11-23T08:00:00+01:00"}`,
	}), apptest.AtHome)
	d.Resize(140, 40)
	d.RequireText("Data delivered", "MSN-9")
	d.SeesNot("0 files", "-1 files", "–  ", "v0")
	d.Press("3", "enter")
	d.RequireText("◕ Data delivered", "Levee data")
	d.SeesNot("0 files", "-1 files", "v0")
}

// A high window has room for what the others leave out.
func TestAHighHomeListsDeadlinesAndWholeNames(t *testing.T) {
	d := apptest.Open(t, 200, 60, apptest.AtHome)
	d.RequireText("Deadlines", " 6 Dec  in 12 d", "苫前 blade")
	d.RequireText("Priority expires,", "  ORD-100246")
	d.SeesNot("after t…")
	expiry := strings.Index(d.Screen(), "◆ 09:41 Express")
	flight := strings.Index(d.Screen(), "◎ 09:00 Main road")
	if flight < 0 || flight > expiry {
		t.Errorf("the flight at 09:00 is not before the quote that expires at 09:41:\n%s", d.Screen())
	}
	d.Resize(120, 30)
	d.SeesNot("Deadlines")
	d = apptest.Open(t, 200, 60)
	d.Press("3", "v", "v", "]")
	d.RequireText("◆ 09:41 Standard", "typhoon")
}

func TestAnOrderWithoutACodeIsNotLoadedForEver(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderName":"Levee","status":"pendingOperator"`))
			return
		}
		apptest.AnswerNothing(w, r)
	}, apptest.AtHome)
	d.RequireText("0 missions · refreshed", "No flights in the next 7 days.")
	d.SeesNot("Loading")
}

// onlyInV2 answers like a service whose only order is in the v2 API. list is the answer to requests for the orders
// of the v2 API.
func onlyInV2(list func(http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "getorderslist") {
			list(w)
			return
		}
		apptest.AnswerNothing(w, r)
	}
}

func TestAnAccountWithOrdersOnlyInTheV2APIHasOrders(t *testing.T) {
	serve := onlyInV2(func(w http.ResponseWriter) {
		apptest.WriteAnswer(w, 200, `[{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"pendingOperator","deliveryDeadline":"2026-12-20"}]`)
	})
	d := apptest.OpenAgainst(t, serve, apptest.AtHome)
	d.RequireText("Deadlines", "ORD-1", "Unknown; the v2 API does not list missions.")
	d.SeesNot("No orders yet", "No flights")
	d.Press("2")
	d.RequireText("ORD-1", "Awaiting operator")
}

func TestARefreshReadsTheOrdersOfBothAPIs(t *testing.T) {
	for section, key := range map[string]string{"Home": "1", "Missions": "3"} {
		t.Run(section, func(t *testing.T) {
			var reads atomic.Int32 // of the orders of the v2 API
			d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.Contains(r.URL.Path, "getorderslist"):
					reads.Add(1)
					apptest.WriteAnswer(w, 200, `[{"id":"o-7","orderCode":"ORD-7","orderStatus":"pendingOperator"}]`)
				case strings.HasSuffix(r.URL.Path, "/orders"):
					apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","status":"pendingOperator"`))
				default:
					apptest.AnswerNothing(w, r)
				}
			})
			d.Press(key)
			before := reads.Load()
			d.Press("r")
			if before == 0 || reads.Load() == before {
				t.Errorf("the v2 API listed its orders %d times before the refresh, %d times after it", before, reads.Load())
			}
		})
	}
}

func TestOrdersOfTheV2APIThatCannotBeReadAreNotNone(t *testing.T) {
	broken := onlyInV2(func(w http.ResponseWriter) { apptest.AnswerBroken(w, nil) })
	d := apptest.OpenAgainst(t, broken, apptest.AtHome)
	d.RequireText("The disk is full", "The public API has no orders")
	d.SeesNot("No orders yet")
	d.Press("2")
	d.RequireText("The disk is full")
	d.SeesNot("No orders yet")
}

func TestAnOrderInProgressIsListedAboveTheOnesThatEnded(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "getorderslist"):
			apptest.WriteAnswer(w, 200, `[{"id":"o-7","orderCode":"ORD-7","orderStatus":"cancelled"},{"id":"o-8","orderCode":"ORD-8","orderStatus":"pendingOperator"}]`)
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(
				`"uuid":"o-3","orderCode":"ORD-3","status":"cancelled"`,
				`"uuid":"o-2","orderCode":"ORD-2","status":"pendingOperator"`,
				`"uuid":"o-1","orderCode":"ORD-1","status":"archived"`,
			))
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.RequireText("5 orders")
	var codes []string
	for line := range strings.Lines(d.Screen()) {
		if _, code, isRow := strings.Cut(line, "ORD-"); isRow {
			codes = append(codes, code[:1])
		}
	}
	if got := strings.Join(codes[:5], ""); got != "32817" {
		t.Errorf("the orders are listed as %s", got)
	}
	d.SeesNot("┃")
}

func TestACancelledOrderDoesNotWaitForDeliveries(t *testing.T) {
	const order = `"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"cancelled"`
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		case strings.HasSuffix(r.URL.Path, "/orders/ORD-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[]}}`)
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("f")
	d.RequireText("No deliveries. The order is over: Cancelled")
	d.SeesNot("yet")
}

func TestMissionsOfOrdersInTheV2APIAreUnknown(t *testing.T) {
	d := apptest.OpenAgainst(t, onlyInV2(func(w http.ResponseWriter) {
		apptest.WriteAnswer(w, 200, `[{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"pendingOperator"}]`)
	}))
	d.Press("3")
	d.RequireText("Missions unknown; the v2 API does not list them.")
	d.SeesNot("No missions yet")
}

func TestMissionsAreNotNoneIfTheOrdersOfTheV2APICannotBeRead(t *testing.T) {
	d := apptest.OpenAgainst(t, onlyInV2(func(w http.ResponseWriter) { apptest.AnswerBroken(w, nil) }))
	d.Press("3")
	d.RequireText("The disk is full")
	d.SeesNot("No missions yet")
}

func TestRefreshReadsTheOrdersOfTheV2APIAgain(t *testing.T) {
	for _, section := range []string{"1", "3"} {
		var isRepaired atomic.Bool
		d := apptest.OpenAgainst(t, onlyInV2(func(w http.ResponseWriter) {
			if isRepaired.Load() {
				apptest.WriteAnswer(w, 200, `[{"id":"o-1","orderCode":"ORD-1","orderStatus":"pendingOperator"}]`)
				return
			}
			apptest.AnswerBroken(w, nil)
		}))
		d.Press(section)
		d.RequireText("The disk is full")
		isRepaired.Store(true)
		d.Press("r")
		d.RequireText("the v2 API does not list")
	}
}

func TestTheWeekHasTheDeadlinesOfOrdersThatAreOnlyInTheV2API(t *testing.T) {
	d := apptest.OpenAgainst(t, onlyInV2(func(w http.ResponseWriter) {
		apptest.WriteAnswer(w, 200, `[{"id":"o-1","orderCode":"ORD-1","orderName":"Levee","orderStatus":"pendingOperator",`+
			`"deliveryDeadline":"2026-11-26"}]`)
	}), apptest.AtHome)
	d.Resize(200, 60)
	d.RequireText("Deadlines", "▲ Levee")
	d.Press("3", "v", "v")
	d.RequireText("▲ Levee")
}

func TestAClickOnTheWeekDoesNotMoveTheDivider(t *testing.T) {
	d := apptest.Open(t, 200, 60, apptest.AtHome)
	before := d.Screen()
	for x := range 200 {
		d.Send(tea.MouseClickMsg{X: x, Y: 4, Button: tea.MouseLeft})
		d.Send(tea.MouseMotionMsg{X: 60, Y: 5, Button: tea.MouseLeft})
		d.Send(tea.MouseReleaseMsg{X: 60, Y: 5})
	}
	if d.Screen() != before {
		t.Errorf("a click on the week has changed the page:\n%s", d.Screen())
	}
}

func TestAnOrderWithUnreadMissionsTellsHowManyAreAffected(t *testing.T) {
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"pendingOperator","missionCount":3`))
		case strings.Contains(r.URL.Path, "/orders/"):
			apptest.AnswerBroken(w, r)
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("C")
	d.RequireText("Affects up to 3 missions.")
}

func TestAnOrderWithItsDeadlineTodayIsBeforeOtherDeadlines(t *testing.T) {
	const today = `"uuid":"o-1","orderCode":"ORD-1","orderName":"Levee","status":"pendingOperator","deadline":"2026-11-24T23:00:00Z"`
	const later = `"uuid":"o-2","orderCode":"ORD-2","orderName":"Dike","status":"pendingOperator","deadline":"2026-12-04T23:00:00Z"`
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/orders") {
			apptest.WriteAnswer(w, 200, apptest.OrderList(today, later))
			return
		}
		apptest.AnswerNothing(w, r)
	}, apptest.AtHome)
	d.RequireText("Due today", "◌ ORD-1       Levee")
	screen := d.Screen()
	if strings.Index(screen, "Due today") > strings.Index(screen, "Flights") {
		t.Errorf("the order that is due is not above the flights:\n%s", screen)
	}
}

func TestTheRestOfAGroupOpensAllItsItems(t *testing.T) {
	const mission = `"missionName":"Levee","status":"awaitingPilot","createdAt":"2026-11-01T09:00:00Z","updatedAt":"2026-11-01T09:00:00Z"`
	for name, test := range map[string]struct {
		deadline string
		keys     []string // select the last item of the group
		lists    string
		count    string
	}{
		"Due today":          {"2026-11-24T23:00:00Z", []string{"tab", "k"}, "[2 Orders]", "20 of 21"},
		"Overdue or stalled": {"2026-11-25T23:00:00Z", []string{"shift+tab", "k"}, "[3 Missions]", "20 of 20"},
	} {
		orders := []string{`"uuid":"o-0","orderCode":"ORD-0","status":"completed","deadline":"2026-11-20T23:00:00Z"`}
		for i := range 20 {
			order := fmt.Sprintf(`"uuid":"o-%d","orderCode":"ORD-%[1]d","orderName":"Levee","status":"pendingOperator","deadline":%q`, i+1, test.deadline)
			orders = append(orders, order)
		}
		d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
			_, order, isOfOrder := strings.Cut(r.URL.Path, "/orders/ORD-")
			if isOfOrder && order != "0/missions" {
				apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"m-`+order+`","missionCode":"MSN-1",`+mission))
			} else if strings.HasSuffix(r.URL.Path, "/orders") {
				apptest.WriteAnswer(w, 200, apptest.OrderList(orders...))
			} else {
				apptest.AnswerNothing(w, r)
			}
		}, apptest.AtHome)
		d.RequireText(name, "more")
		d.Press(test.keys...)
		d.Press("enter")
		d.RequireText(test.lists, test.count)
	}
}

func TestThePricesOfThePlanAreAligned(t *testing.T) {
	d := apptest.Open(t, 200, 60)
	d.Press("3", "v", "v")
	ends := map[int]bool{} // cells before the currency
	expiries := 0
	for line := range strings.Lines(d.Screen()) {
		before, _, hasPrice := strings.Cut(line, " EUR")
		if hasPrice && strings.Contains(line, "expiry  ") {
			ends[format.Width(before)] = true
			expiries++
		}
	}
	if expiries < 2 || len(ends) != 1 {
		t.Errorf("%d prices end in the columns %v:\n%s", expiries, ends, d.Screen())
	}
}
