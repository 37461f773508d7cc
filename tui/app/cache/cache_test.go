package cache_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// service is a service with n orders of one mission each, in pages of 100.
type service struct {
	client  *api.Client
	mu      sync.Mutex
	n       int
	live    func(i int) bool // nil if every second order is live
	updated map[int]time.Time
	mission string          // status and dates of each mission
	broken  map[string]bool // paths that are answered with 500
	reads   []string        // codes whose missions were read
	lists   int
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken[r.URL.Path] {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"success":false,"message":"not today","data":{"code":"conflict"}}`)
		return
	}
	var items []string
	next, more := "null", false
	if code, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/orders/"), "/missions"); ok {
		s.reads = append(s.reads, code)
		dates := cmp.Or(s.mission, `"status":"flightScheduled"`)
		items = []string{fmt.Sprintf(`{"uuid":"m-%s","missionCode":"MSN-%s",%s,"missionName":"Levee","locationMap":[{"lat":53,"lng":179},{"lat":54,"lng":-179}]}`, code, code, dates)}
	} else {
		s.lists++
		from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		for i := from; i < min(from+100, s.n); i++ {
			status := "completed"
			if s.live != nil && s.live(i) || s.live == nil && i%2 == 1 {
				status = "flyingDateSet"
			}
			at := noon.Add(-time.Duration(i) * time.Hour)
			if t, ok := s.updated[i]; ok {
				at = t
			}
			items = append(items, fmt.Sprintf(`{"uuid":"o-%d","orderCode":"ORD-%d","status":"%s","updatedAt":"%s"}`, i, i, status, at.Format(time.RFC3339)))
		}
		if more = from+100 < s.n; more {
			next = fmt.Sprintf("%q", fmt.Sprint(from+100))
		}
	}
	fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":%s,"hasNextPage":%v}}`, strings.Join(items, ","), next, more)
}

func (s *service) start(t testing.TB, now func() time.Time) *cache.Cache {
	t.Helper()
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	client, err := api.NewClient(web.URL, api.WithKey("fd_test_key"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	return cache.New(client, now)
}

// readAll runs all readings that are due, and returns the largest number of simultaneous readings.
func readAll(ctx context.Context, f *cache.Cache) (most int) {
	for {
		var jobs []func(context.Context)
		for job := f.NextRead(); job != nil; job = f.NextRead() {
			jobs = append(jobs, job)
		}
		if len(jobs) == 0 {
			return most
		}
		most = max(most, len(jobs))
		for _, job := range jobs {
			job(ctx)
		}
	}
}

func TestMissionsOfActiveOrdersAreReadFirst(t *testing.T) {
	s := &service{n: 250}
	f := s.start(t, func() time.Time { return noon })
	f.Prefetch(f.AllMissions())
	most := readAll(t.Context(), f)
	v := f.Now()
	if v.Read != 250 || len(v.Missions) != 250 || !v.Listed || v.Err != nil || s.lists != 3 {
		t.Errorf("read %d orders, %d missions, %d pages, %v", v.Read, len(v.Missions), s.lists, v.Err)
	}
	if most > 5 { // four orders, and the list of orders
		t.Errorf("%d requests at the same time", most)
	}
	if s.reads[0] != "ORD-1" || s.reads[249] != "ORD-248" {
		t.Errorf("read %s first and %s last", s.reads[0], s.reads[249])
	}
	m := v.Missions[0]
	if m.Order.OrderCode != "ORD-0" || m.Centre == nil || m.Centre.Lat != 53.5 || m.Centre.Lng != 180 || m.LocationMap != nil {
		t.Errorf("the first mission is %+v of %s", m, m.Order.OrderCode)
	}
}

func TestMissionsOfEndedOrdersAreReadOnRequest(t *testing.T) {
	s := &service{n: 5000, live: func(i int) bool { return i < 16 || i == 900 }}
	f := s.start(t, func() time.Time { return noon })
	check := func(when string, pages, orders, missions, left int, more bool) {
		t.Helper()
		readAll(t.Context(), f)
		if v := f.Now(); s.lists != pages || len(v.Orders) != orders || v.Read != missions || v.Left != left || v.More != more || !v.Listed {
			t.Errorf("%s: %d pages, %d orders, missions of %d, %d left, more: %v", when, s.lists, len(v.Orders), v.Read, v.Left, v.More)
		}
		s.lists = 0
	}
	f.RefreshOrders(false)
	check("at the start", 20, 2000, 117, 1883, true) // a thousand orders after the last live one
	if s.reads[16] != "ORD-900" || s.reads[17] != "ORD-16" || s.reads[116] != "ORD-115" {
		t.Errorf("read %s, %s and %s", s.reads[16], s.reads[17], s.reads[116])
	}
	if f.AreOrdersLoading() {
		t.Error("orders are still loading")
	}
	f.Prefetch(f.AllOrders())
	check("filtered", 30, 5000, 117, 4883, false)
	f.Prefetch(f.AllMissions())
	check("all missions", 0, 5000, 2000, 3000, false)
	f.RefreshOrders(true)
	check("all again", 50, 5000, 2000, 3000, false)

	f = s.start(t, func() time.Time { return noon })
	f.RefreshOrders(false)
	check("at the next start", 20, 2000, 117, 1883, true)
	s.live = func(i int) bool { return i < 16 }
	f.RefreshOrders(true)
	check("one order less under way", 20, 2000, 117, 1883, true)
	if f.Now().AreMissionsLoading() {
		t.Error("missions are loading after all were read")
	}
}

func TestOnlyChangedDataIsReadAgain(t *testing.T) {
	now := noon
	s := &service{n: 150, updated: map[int]time.Time{}}
	f := s.start(t, func() time.Time { return now })
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	s.reads, s.lists = nil, 0

	f.RefreshOrders(false)
	if f.NextRead() != nil {
		t.Error("what was read just now is read again")
	}
	now = now.Add(30 * time.Second)
	s.updated[3] = noon.Add(time.Minute)
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	if s.lists != 1 || fmt.Sprint(s.reads) != "[ORD-3]" {
		t.Errorf("read %d pages and the missions of %v", s.lists, s.reads)
	}
	now, s.lists = now.Add(5*time.Minute), 0
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	if s.lists != 2 || f.Now().Read != 150 {
		t.Errorf("after some minutes %d pages are read, %d orders known", s.lists, f.Now().Read)
	}
}

func TestAFailedReadingIsReportedAndRepeated(t *testing.T) {
	s := &service{n: 3, broken: map[string]bool{"/orders/ORD-1/missions": true}}
	f := s.start(t, func() time.Time { return noon })
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	if v := f.Now(); v.Read != 2 || v.Faults != 1 || v.Fault == nil {
		t.Errorf("read %d, %d faults: %v", v.Read, v.Faults, v.Fault)
	}
	s.broken = map[string]bool{"/orders": true}
	f.RefreshOrders(true)
	readAll(t.Context(), f)
	if v := f.Now(); v.Err == nil || len(v.Orders) != 3 {
		t.Errorf("%d orders are kept, %v", len(v.Orders), v.Err)
	}
	s.broken = nil
	f.RefreshOrders(false)
	readAll(t.Context(), f)
	if v := f.Now(); v.Read != 3 || v.Faults != 0 || v.Err != nil {
		t.Errorf("read %d, %d faults, %v", v.Read, v.Faults, v.Err)
	}
}

func TestACancelledReadingIsRepeated(t *testing.T) {
	s := &service{n: 2}
	f := s.start(t, func() time.Time { return noon })
	f.RefreshOrders(false)
	gone, leave := context.WithCancel(t.Context())
	leave()
	f.NextRead()(gone)
	readAll(t.Context(), f)
	f.RefreshOrders(true)
	f.NextRead()(t.Context())
	f.Prefetch(f.Packages.NeedOf("m-ORD-0"))
	if job := f.NextRead(); job != nil {
		job(gone)
	}
	readAll(t.Context(), f)
	if v := f.Now(); v.Read != 2 || v.Faults != 0 {
		t.Errorf("read %d, %d faults", v.Read, v.Faults)
	}
}

func TestOverdueMissions(t *testing.T) {
	day := func(n int) api.Time { return api.TimeOf(noon.AddDate(0, 0, n)) }
	for _, c := range []struct {
		status       api.MissionStatus
		due, flight  int
		updated      int
		order        api.OrderStatus
		want         string
		late, expect bool
	}{
		{api.MissionAwaitingPilot, -2, 0, 0, api.OrderPendingOperator, "2 d overdue: Awaiting operator", true, true},
		{api.MissionAwaitingPilot, -2, 0, 0, api.OrderBiddingWithQuote, "2 d overdue: No quote accepted", true, true},
		{api.MissionAwaitingPilot, -2, 0, 0, api.OrderCancelled, "", false, false},
		{api.MissionDataDelivered, -2, 0, 0, api.OrderFlyingDateSet, "", false, false},
		{api.MissionFlightScheduled, 5, 9, 0, api.OrderFlyingDateSet, "Flight 3 Dec, after deadline 29 Nov", false, true},
		{api.MissionFlightScheduled, 5, -4, 0, api.OrderFlyingDateSet, "Flight date 4 d ago, no data yet", false, true},
		{api.MissionFlightScheduled, 5, 2, 0, api.OrderFlyingDateSet, "", false, false},
		{api.MissionPilotAssigned, 2, 0, 0, api.OrderOperatorAssigned, "No flight date, due in 2 d", false, true},
		{api.MissionPilotAssigned, 20, 0, -9, api.OrderOperatorAssigned, "No flight date, unchanged for 9 days", false, true},
		{"beingDried", -1, 0, 0, "inReview", "1 d overdue: beingDried", true, true},
	} {
		m := &cache.Mission{Mission: api.Mission{Status: c.status, UpdatedAt: day(c.updated)}, Order: &api.Order{Status: c.order, Deadline: day(c.due)}}
		if c.flight != 0 {
			m.FlightDate = day(c.flight)
		}
		got, ok := m.TroubleAt(noon)
		if got.Text != c.want || got.Late != c.late || ok != c.expect {
			t.Errorf("%s, due in %d, flies in %d: %+v, %v", c.status, c.due, c.flight, got, ok)
		}
	}
}

func TestAChangeOfAMissionIsReportedOnce(t *testing.T) {
	now := noon
	s := &service{n: 2, updated: map[int]time.Time{}}
	f := s.start(t, func() time.Time { return now })
	for _, round := range []struct{ mission, want string }{
		{`"status":"flightScheduled","flightDate":"2026-12-01T09:00:00Z"`, "[]"}, // as it was first read
		{`"status":"flightScheduled","flightDate":"2026-12-01T09:00:00Z"`, "[]"},
		{`"status":"flightScheduled","flightDate":"2026-12-02T09:00:00Z"`, "[flight date m-ORD-1]"},
		{`"status":"flightScheduled"`, "[]"}, // the date was removed
		{`"status":"cancelled","flightDate":"2026-12-03T09:00:00Z"`, "[]"},
		{`"status":"dataDelivered","updatedAt":"2026-12-03T10:00:00Z"`, "[data m-ORD-1]"},
		{`"status":"dataDelivered","updatedAt":"2026-12-03T10:00:00Z"`, "[]"},
		{`"status":"dataDelivered","updatedAt":"2026-12-03T11:00:00Z"`, "[updated data m-ORD-1]"},
	} {
		now = now.Add(time.Hour)
		s.mission, s.updated[1] = round.mission, now
		f.RefreshOrders(false)
		readAll(t.Context(), f)
		told := []string{}
		for _, n := range f.News() {
			told = append(told, string(n.Kind)+" "+n.Mission.UUID)
		}
		if got := fmt.Sprint(told); got != round.want {
			t.Errorf("%s: told %s, want %s", round.mission, got, round.want)
		}
	}
}
