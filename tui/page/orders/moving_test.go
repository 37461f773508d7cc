package orders_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// moving is a service with one order, whose status and missions change.
type moving struct {
	mu       sync.Mutex
	status   string
	missions []string // statuses
}

func (m *moving) set(status string, missions ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status, m.missions = status, missions
}

func (m *moving) serve(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var missions []string
	for i, s := range m.missions {
		missions = append(missions, fmt.Sprintf(`{"uuid":"m-%d","missionCode":"MSN-%d","missionName":"Levee %d","status":%q,"missionType":"area","country":"Germany",
			"flightDate":"2026-11-%dT08:30:00+01:00","locationMap":[{"lat":53.6,"lng":9.4},{"lat":53.7,"lng":9.4},{"lat":53.7,"lng":9.5}]}`, i, i, i, s, 26+i))
	}
	order := fmt.Sprintf(`"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":%q,"createdAt":"2026-11-02T09:00:00Z","updatedAt":"2026-11-23T09:00:00Z",
		"deadline":"2026-12-09T00:00:00Z","areaSize":1842000`, m.status)
	switch {
	case strings.HasSuffix(r.URL.Path, "/missions"):
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{"data":[`+strings.Join(missions, ",")+`],"nextCursor":null,"hasNextPage":false}}`)
	case strings.HasSuffix(r.URL.Path, "/orders"):
		apptest.WriteAnswer(w, 200, apptest.OrderList(order))
	case strings.HasSuffix(r.URL.Path, "/ORD-7"):
		apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[`+strings.Join(missions, ",")+`]}}`)
	default:
		apptest.AnswerNothing(w, r)
	}
}

func TestAnOrdersWayIsToldFromPlacedToDelivered(t *testing.T) {
	m := &moving{}
	m.set("biddingWithQuote", "awaitingPilot", "awaitingPilot", "awaitingPilot")
	d := apptest.OpenAgainst(t, m.serve)
	d.Press("enter")
	d.RequireText("●┄┄┄┄", "placed", "2 Nov")
	m.set("pendingOperator", "pilotAssigned", "awaitingPilot", "awaitingPilot")
	d.Advance(30 * time.Second)
	d.RequireText("1 of 3", "┃MSN-0", "◔ Operator assigned") // what has changed is marked
	d.SeesNot("┃MSN-1")
	m.set("operatorAssigned", "flightScheduled", "pilotAssigned", "pilotAssigned")
	d.Advance(30 * time.Second)
	d.RequireText("1 of 3", "┃MSN-0", "┃ MSN-1", "◎ Flight scheduled")
	d.Advance(2 * time.Minute)
	d.SeesNot("┃")
	m.set("flyingDateSet", "dataDelivered", "flightScheduled", "flightScheduled")
	d.Advance(30 * time.Second)
	d.RequireText("28 Nov", "1 of 3") // the last flight, and the data that is there
	d.Press("C")
	d.RequireText("Data of MSN-0 is already delivered. The service may refuse")
	d.Press("esc")
	m.set("completed", "completed", "completed", "completed")
	d.Advance(30 * time.Second)
	d.RequireText("●──", "done", "23 Nov")
	m.set("cancelled", "cancelled", "cancelled", "cancelled")
	d.Advance(30 * time.Second)
	d.RequireText("placed", "⊖", "23 Nov")
	d.SeesNot("operator ")
}

func TestWhatEndsWithAnOrderIsSaidBeforeItDoes(t *testing.T) {
	m := &moving{}
	m.set("flyingDateSet", "flightScheduled", "flightScheduled", "pilotAssigned")
	d := apptest.OpenAgainst(t, m.serve)
	d.Press("3", "2", "C") // by now the missions are read
	d.RequireText("Cancel order", "Cancels the order and all its missions. Planned flights", "Affects 3 missions and 2 planned flights, the next on Thu",
		"You can undo for 8 s; after that")
}

func TestTenThousandOrdersArePagedAndFiltered(t *testing.T) {
	const n = 10_000
	var pages, widest atomic.Int32
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/orders") || r.URL.Query().Get("limit") == "1" { // or it asks what the key may do
			apptest.AnswerNothing(w, r)
			return
		}
		pages.Add(1)
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		widest.Store(max(widest.Load(), int32(limit)))
		var items []string
		for i := from; i < min(n, from+limit); i++ {
			status := "completed"
			if i%1000 == 999 {
				status = "flyingDateSet"
			}
			items = append(items, fmt.Sprintf(`"uuid":"o-%d","orderCode":"ORD-%d","orderName":"Levee %d","status":%q,"createdAt":%q`,
				i, n-i, i, status, tuitest.Clock.Add(-time.Duration(i)*time.Hour).Format(time.RFC3339)))
		}
		body := apptest.OrderList(items...)
		if from+limit < n {
			body = strings.Replace(body, `"nextCursor":null,"hasNextPage":false`, fmt.Sprintf(`"nextCursor":"%d","hasNextPage":true`, from+limit), 1)
		}
		apptest.WriteAnswer(w, 200, body)
	})
	d.RequireText("ORD-10000", "10,000 orders")
	if pages.Load() != 100 || widest.Load() > 100 {
		t.Errorf("%d pages of %d were read to begin with", pages.Load(), widest.Load())
	}
	d.Press("/")
	d.Type("status:flyingDateSet")
	d.Press("enter")
	d.RequireText("of 10,000", "10 of 10,000", "ORD-9001", "ORD-1 ")
	d.SeesNot("ORD-10000")
	d.Press("G", "enter")
	d.RequireText("Orders › ORD-1")
	d.Press("esc", "esc")
	d.RequireText("10,000 orders", "ORD-1 ") // the selection is where it was
	d.Press("g")
	d.RequireText("▸ ORD-10000")
	if got := pages.Load(); got > 101 {
		t.Errorf("%d pages were read", got)
	}
}
