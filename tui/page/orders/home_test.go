package orders_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestHomeSaysWhatIsToBeDoneAndGoesThere(t *testing.T) {
	d := apptest.Open(t, 120, 36, apptest.AtHome)
	d.RequireText("[1 Home]", "24 missions", "Needs a decision", "4 quotes  5 h 18 m", "Overdue or stalled", "No flight date, unchanged for 9 days",
		"Flights", "Sun 29 Nov  09:00", "Changes since yesterday 09:42", "Data delivered", "24 of 24 on the map", "Flight scheduled   3", "4 Quotes (2)")
	d.Press("enter")
	d.RequireText("Home › ORD-100246", "Before discount")
	d.Press("esc", "j", "j", "j", "j", "enter")
	d.RequireText("Home › MSN-300545", "Northern spur")
	d.Press("esc", "m", "}", "enter")
	d.RequireText("Home › MSN-")
	d.Press("esc", "esc", "n")
	d.RequireText("Home › New order")
}

func TestTabGoesFromGroupToGroup(t *testing.T) {
	d := apptest.Open(t, 120, 30, apptest.AtHome)
	d.RequireText("▸ ◆ ORD-100246")
	d.Press("tab")
	d.RequireText("▸ ▲ 7 Webhooks")
	d.Press("shift+tab", "shift+tab") // to the deadlines, the last group
	d.Press("shift+tab")
	d.RequireText("▸ ◕ MSN-300538")
	d.Press("tab", "tab")
	d.RequireText("▸ ◆ ORD-100246")
}

func TestHomeListsDeadlinesInEveryWindow(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 30}, {120, 35}} {
		d := apptest.Open(t, size[0], size[1], apptest.AtHome)
		d.Press("G")
		d.RequireText(" Deadlines  ", "more")
	}
}

func TestADraftDoesNotHideTheDeadlinesOfHome(t *testing.T) {
	d := apptest.Open(t, 120, 35, apptest.AtHome)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "1", "G")
	d.RequireText(" Deadlines  ", "Drafts", "5 sites")
}

func TestWhatMovedIsKeptFromOneTimeToTheNext(t *testing.T) {
	views := filepath.Join(t.TempDir(), "views.json")
	kept := func(o *tui.Options) { o.Views = views }
	d := apptest.Open(t, 100, 40, apptest.AtHome, kept)
	d.RequireText("Changes since yesterday 09:42", "MSN-300566  In review       Reihe Nord")
	d.Press("x")
	d.RequireText("Changes since today 09:42", "No changes.", "All changes marked as seen")
	d.Advance(2 * time.Hour)
	d.Close()
	next := apptest.Open(t, 100, 40, apptest.AtHome, kept, func(o *tui.Options) {
		now := o.Now
		o.Now = func() time.Time { return now().Add(3 * time.Hour) }
	})
	next.RequireText("Changes since today 11:4")
}

func TestADraftWaitsOnHome(t *testing.T) {
	d := apptest.Open(t, 100, 50, apptest.AtHome)
	d.SeesNot("Drafts")
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.RequireText("[2 Sites]")
	d.Press("1")
	d.RequireText("Drafts", "5 sites")
	d.Press("G", "enter")
	d.RequireText("[2 Sites]")
}

func TestHomeHoldsWithThreeThousandOrders(t *testing.T) {
	const n = 3000
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		var items []string
		next, more := `null`, false
		switch {
		case strings.HasSuffix(r.URL.Path, "/missions"):
			code := strings.Split(r.URL.Path, "/")[2]
			items = []string{`{"uuid":"m-` + code + `","missionCode":"M` + code + `","missionName":"Levee","status":"awaitingPilot","locationMap":[{"lat":53,"lng":9}]}`}
		case strings.Contains(r.URL.Path, "getorderslist"):
			apptest.WriteAnswer(w, 503, `{"success":false,"message":"the quotes rest","data":{"code":"internal"}}`)
			return
		default:
			from := 0
			_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &from)
			for i := from; i < min(n, from+100); i++ {
				items = append(items, fmt.Sprintf(`{"uuid":"o-%d","orderCode":"O%d","status":"pendingOperator","updatedAt":"2026-11-20T09:00:00Z","deadline":"2026-11-2%dT09:00:00Z"}`, i, i, i%2*8+1))
			}
			if more = from+100 < n; more {
				next = fmt.Sprintf(`"%d"`, from+100)
			}
		}
		apptest.WriteAnswer(w, 200, fmt.Sprintf(`{"success":true,"message":"","data":{"data":[%s],"nextCursor":%s,"hasNextPage":%v}}`, strings.Join(items, ","), next, more))
	}, apptest.AtHome)
	d.RequireText("2,000 of 3,000 orders loaded", "Quotes: The quotes rest", "3 d overdue: Awaiting operator", "and 991 more")
	d.Press("shift+tab", "k", "enter") // the line above the deadlines, which are the last group
	d.RequireText("[3 Missions]", "/ late:late", "1,000 of 2,000")
	d.Press("1")
	d.Resize(100, 50) // more of them where there is room
	d.RequireText("and 971 more")
}

func TestFramesOfHome(t *testing.T) {
	d := apptest.Open(t, 100, 30, apptest.AtHome)
	d.CompareMainFrames(t, "home")
	d.Press("m")
	d.CompareFrames(t, "home-map")
	apptest.OpenAgainst(t, apptest.AnswerNothing, apptest.AtHome).CompareFrames(t, "home-empty")
	apptest.OpenAgainst(t, apptest.AnswerBroken, apptest.AtHome).CompareFrames(t, "home-trouble")
	reading := apptest.OpenUnanswered(t, apptest.AnswerNothing, apptest.AtHome)
	reading.CompareFrames(t, "home-loading")
	reading.Press("j", "2")
	reading.RequireText("[2 Orders]")
}

func TestManyChangesOfAnOrderAreOneLine(t *testing.T) {
	var missions []string
	for i := range 200 {
		missions = append(missions, fmt.Sprintf(`{"uuid":"m-%[1]d","missionCode":"MSN-%[1]d","missionName":"Row %[1]d","status":"awaitingPilot","updatedAt":"2026-11-24T08:00:00Z"}`, i))
	}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/missions"):
			apptest.WriteAnswer(w, http.StatusOK, `{"success":true,"message":"","data":{"data":[`+strings.Join(missions, ",")+`],"nextCursor":null,"hasNextPage":false}}`)
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, http.StatusOK, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","orderName":"Baden","status":"pendingOperator","updatedAt":"2026-11-24T08:00:00Z"`))
		default:
			apptest.AnswerNothing(w, r)
		}
	}, apptest.AtHome)
	d.RequireText("ORD-1", "Awaiting operator  200 missions of Baden")
	d.SeesNot("MSN-7")
}

func TestALineAboutAnOrderHasTheStatusOfTheOrder(t *testing.T) {
	var missions []string
	for i := range 4 {
		missions = append(missions, fmt.Sprintf(`{"uuid":"m-%[1]d","missionCode":"MSN-%[1]d","missionName":"Row %[1]d",`+
			`"status":"dataDelivered","updatedAt":"2026-11-24T08:00:00Z"}`, i))
	}
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/missions"):
			apptest.WriteAnswer(w, http.StatusOK, `{"success":true,"message":"","data":{"data":[`+strings.Join(missions, ",")+`],"nextCursor":null,"hasNextPage":false}}`)
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, http.StatusOK, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","orderName":"Baden","status":"completed","updatedAt":"2026-11-24T08:00:00Z"`))
		default:
			apptest.AnswerNothing(w, r)
		}
	}, apptest.AtHome)
	d.RequireText("● ORD-1", "Completed  4 missions data delivered of Baden")
}

func TestHomeCountsAllOrdersAfterAnError(t *testing.T) {
	var isBroken atomic.Bool
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case isBroken.Load():
			apptest.AnswerBroken(w, r)
		case strings.HasSuffix(r.URL.Path, "/orders"):
			apptest.WriteAnswer(w, http.StatusOK, apptest.OrderList(`"uuid":"o-1","orderCode":"ORD-1","orderName":"Baden","status":"completed"`))
		case strings.Contains(r.URL.Path, "getorderslist"):
			apptest.WriteAnswer(w, http.StatusOK, `[{"id":"o-2","orderCode":"ORD-2","orderName":"Aarau","orderStatus":"completed"}]`)
		default:
			apptest.AnswerNothing(w, r)
		}
	})
	d.Press("2") // reads the orders of both APIs
	d.RequireText("2 orders")
	d.Press("1")
	isBroken.Store(true)
	d.Press("r")
	d.RequireText("[1 Home]", "Showing 2 orders")
}

func TestTheAlertOfHomeKeepsItsPlaceInNarrowWindows(t *testing.T) {
	for width, alert := range map[int]string{
		60: "Quote expires in 5 h 18 m",
		80: "ORD-100246 quote expires in 5 h 18 m",
	} {
		d := apptest.Open(t, width, 24, apptest.AtHome)
		d.RequireText("Home   " + alert + "  press 4 to compare")
	}
}
