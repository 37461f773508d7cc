package orders_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/tui/apptest"
)

// account is a service with an account of many orders, the newest of them under
// way and all others completed, each with a mission.
type account struct {
	orders, live int
	read         atomic.Int32 // orders whose missions were asked for
	pages        []string
}

func newAccount(orders, live int) *account {
	const page = 100
	a := &account{orders: orders, live: live, pages: make([]string, orders/page)}
	for i := range orders {
		status := "completed"
		if i < live {
			status = "pendingOperator"
		}
		a.pages[i/page] += fmt.Sprintf(`,{"uuid":"o-%[1]d","orderCode":"O%[1]d","orderName":"Levee %[1]d","status":%[2]q,"createdAt":"2026-11-20T09:00:00Z",`+
			`"updatedAt":"2026-11-20T09:00:00Z","deadline":"2026-12-21T09:00:00Z"}`, i, status)
	}
	return a
}

func (a *account) serve(w http.ResponseWriter, r *http.Request) {
	var items string
	next := "null"
	switch _, order, _ := strings.Cut(r.URL.Path, "/orders/"); {
	case strings.HasSuffix(order, "/missions"):
		a.read.Add(1)
		items = fmt.Sprintf(`,{"uuid":"m-%[1]s","missionCode":"M%[1]s","missionName":"Levee","status":"missionAccepted","locationMap":[{"lat":53,"lng":9}]}`, strings.TrimSuffix(order, "/missions"))
	case strings.HasSuffix(r.URL.Path, "/orders"):
		n := 0
		_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &n)
		if items = a.pages[n]; n+1 < len(a.pages) {
			next = fmt.Sprintf(`"%d"`, n+1)
		}
	default:
		apptest.AnswerNothing(w, r)
		return
	}
	apptest.WriteAnswer(w, http.StatusOK, fmt.Sprintf(`{"success":true,"message":"","data":{"data":[%s],"nextCursor":%s,"hasNextPage":%v}}`, items[1:], next, next != "null"))
}

func TestOrdersThatAreOverAreReadWhereTheyAreAskedFor(t *testing.T) {
	a := newAccount(3000, 16)
	d := apptest.OpenAgainst(t, a.serve, apptest.AtHome)
	d.RequireText("116 of 1,100+ orders loaded")
	if n := a.read.Load(); n != 116 {
		t.Errorf("the missions of %d orders were read for the start page", n)
	}
	d.Press("2")
	d.RequireText("1,100 orders loaded, more below")
	d.Press("/")
	d.Type("O2999")
	d.RequireText("1 of 3,000", "Levee 2999")
	d.Press("esc", "esc", "1", ":")
	d.Type("MO1990")
	d.RequireText("MO1990  Levee", "missions of 1,000 orders not loaded")
	d.Press("esc", "3")
	d.RequireText("2,000 of 3,000 orders loaded")
	if n := a.read.Load(); n != 2000 {
		t.Errorf("the missions of %d orders were read", n)
	}
}

// BenchmarkLargeAccount opens the start page on an account of 100,000 orders, 16 of
// them under way, until nothing more is read.
func BenchmarkLargeAccount(b *testing.B) {
	a := newAccount(100_000, 16)
	for b.Loop() {
		d := apptest.OpenAgainst(b, a.serve, apptest.AtHome)
		d.RequireText("116 of 1,100+ orders loaded")
		d.Close()
	}
}
