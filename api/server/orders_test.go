package server_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
)

func TestCreateAnswersWithTheOrder(t *testing.T) {
	b := newBench(t)
	req := survey()
	req.Order.Sensors = []api.Sensor{"rgbSensor", "lidarSensor", "rgbSensor"}
	req.Order.Deliverables = []api.Deliverable{"LiDAR", "LiDAR"}
	r := b.call("POST", publicHandlers+"/orders", b.alice, req)
	if r.status != 201 || !r.Success {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	o := into[api.Order](t, r)
	if o.OrderCode != "ORD-100201" || o.Status != api.OrderBiddingWithQuote || len(o.Extra) > 0 {
		t.Errorf("%+v", o)
	}
	if !slices.Equal(o.Sensors, []api.Sensor{"rgbSensor", "lidarSensor"}) {
		t.Errorf("sensors %v", o.Sensors)
	}
	if !slices.Equal(o.Deliverables, []api.Deliverable{"LiDAR", "jpg"}) {
		t.Errorf("deliverables %v", o.Deliverables)
	}
	if want := b.clock.now().Truncate(time.Millisecond); !o.CreatedAt.Equal(want) || !o.UpdatedAt.Equal(want) {
		t.Errorf("created %v, updated %v, at %v", o.CreatedAt, o.UpdatedAt, want)
	}
	if !bytes.Contains(r.raw, []byte(`"startDate":"2026-05-01T08:00:00+02:00"`)) {
		t.Errorf("the offset of startDate is lost: %s", r.raw)
	}
	if got := r.header.Get("Date"); got != "Sat, 14 Mar 2026 09:26:53 GMT" {
		t.Errorf("Date %q is not the service's clock", got)
	}
}

func TestNoDeliverablesMeansJPG(t *testing.T) {
	b := newBench(t)
	req := survey()
	req.Order.Deliverables = []api.Deliverable{}
	o := into[api.Order](t, b.call("POST", publicHandlers+"/orders", b.alice, req))
	if !slices.Equal(o.Deliverables, []api.Deliverable{"jpg"}) {
		t.Errorf("deliverables %v", o.Deliverables)
	}
}

func TestDetailHasTheMissionsAsPlaced(t *testing.T) {
	b := newBench(t)
	placed := b.place(b.alice)
	o := into[api.Order](t, b.call("GET", publicHandlers+"/orders/"+placed.OrderCode, b.alice, nil))
	if o.MissionCount != nil || len(o.Missions) != 2 {
		t.Fatalf("%+v", o)
	}
	for i, m := range o.Missions {
		want := survey().Missions[i]
		if m.MissionName != want.MissionName || m.MissionType != want.MissionType || m.Country != want.Country ||
			m.LocationLabel != want.LocationLabel || *m.AreaSize != want.AreaSize || !slices.Equal(m.LocationMap, want.LocationMap) {
			t.Errorf("mission %d is %+v", i, m)
		}
		if m.MissionCode != fmt.Sprintf("MSN-%d", 300501+i) || m.Status != api.MissionAwaitingPilot ||
			m.OrderUID != o.UUID || m.OrderCode != o.OrderCode || m.OperatorName != nil || !m.FlightDate.IsZero() {
			t.Errorf("mission %d is %+v", i, m)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	b := newBench(t)
	post := func(key string, req api.CreateOrderRequest, name string) reply {
		return b.call("POST", publicHandlers+"/orders", key, req, "Idempotency-Key", name)
	}
	first := post(b.alice, survey(), "attempt-1")
	again := post(b.alice, survey(), "attempt-1")
	if first.status != 201 || again.status != 201 || !bytes.Equal(first.Data, again.Data) {
		t.Errorf("first %d %s, again %d %s", first.status, first.raw, again.status, again.raw)
	}
	other := survey()
	other.Order.OrderName = "another"
	if r := post(b.alice, other, "attempt-1"); r.status != 409 || r.fault.Code != api.CodeConflict {
		t.Errorf("another body: %d %s", r.status, r.raw)
	}
	if r := post(b.bob, other, "attempt-1"); r.status != 201 {
		t.Errorf("another account: %d", r.status)
	}
	if r := post(b.alice, api.CreateOrderRequest{}, "attempt-2"); r.status != 400 {
		t.Errorf("faults: %d", r.status)
	}
	if r := post(b.alice, survey(), "attempt-2"); r.status != 201 {
		t.Errorf("after the faults are mended: %d", r.status)
	}
	b.clock.advance(24*time.Hour + time.Millisecond)
	if r := post(b.alice, other, "attempt-1"); r.status != 201 {
		t.Errorf("after a day: %d %s", r.status, r.raw)
	}
	page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil))
	if len(page.Items) != 3 {
		t.Errorf("%d orders were placed, want 3", len(page.Items))
	}
}

func TestIdempotencyKeyForm(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		header []string
		want   int
	}{
		{[]string{"Idempotency-Key", strings.Repeat("k", api.MaxIdempotencyKey)}, 201},
		{[]string{"Idempotency-Key", "!~"}, 201},
		{[]string{"Idempotency-Key", strings.Repeat("k", api.MaxIdempotencyKey+1)}, 400},
		{[]string{"Idempotency-Key", ""}, 400},
		{[]string{"Idempotency-Key", "a b"}, 400},
		{[]string{"Idempotency-Key", "ü"}, 400},
		{[]string{"Idempotency-Key", "a", "Idempotency-Key", "b"}, 400},
	} {
		r := b.call("POST", publicHandlers+"/orders", b.alice, survey(), c.header...)
		if r.status != c.want || c.want == 400 && !slices.Equal(r.fields(), []string{"Idempotency-Key"}) {
			t.Errorf("%q: %d %s", c.header, r.status, r.raw)
		}
	}
	r := b.call("POST", publicHandlers+"/orders", b.alice, `{}`, "Idempotency-Key", "")
	if want := []string{"Idempotency-Key", "order", "missions"}; !slices.Equal(r.fields(), want) {
		t.Errorf("faults at %q, want %q", r.fields(), want)
	}
}

func TestOneIdempotencyKeyManyTimesAtOnce(t *testing.T) {
	b := newBench(t)
	codes := make([]string, 16)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() {
			r := b.call("POST", publicHandlers+"/orders", b.alice, survey(), "Idempotency-Key", "same")
			codes[i] = into[api.Order](t, r).OrderCode
		})
	}
	all.Wait()
	slices.Sort(codes)
	if got := slices.Compact(codes); len(got) != 1 || got[0] == "" {
		t.Errorf("placed as %v", got)
	}
}

func TestListParameters(t *testing.T) {
	b := newBench(t)
	b.place(b.alice)
	for query, wanted := range map[string]string{
		"": "", "limit=1": "", "limit=100": "", "direction=next": "", "direction=prev": "", "colour=red": "",
		"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=1.5": "limit", "limit=": "limit",
		"limit=99999999999999999999": "limit", "limit=%2B5": "limit", "limit=1&limit=2": "limit",
		"direction=": "direction", "direction=up": "direction", "direction=Next": "direction",
		"cursor=": "cursor", "cursor=x": "cursor", "cursor=%00": "cursor", "limit=%zz": "query",
		"limit=0&cursor=x&direction=up": "cursor direction limit",
	} {
		r := b.call("GET", publicHandlers+"/orders?"+query, b.alice, nil)
		want := strings.Fields(wanted)
		got := r.fields()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: faults at %q, want %q", query, got, want)
		}
		if ok := r.status == 200; ok != (len(want) == 0) || !ok && r.status != 400 {
			t.Errorf("%q: %d", query, r.status)
		}
	}
}

// A client that keeps a cursor finds with prev all orders that are newer than the cursor's item, each
// time: orders that it has read before, and orders placed since.
func TestSavedCursorFindsAllNewerOrders(t *testing.T) {
	b := newBench(t)
	var placed []string // newest first
	place := func(n int) {
		for range n {
			placed = slices.Insert(placed, 0, b.place(b.alice).OrderCode)
		}
	}
	newerThan := func(cursor string) (codes []string) {
		for {
			p := b.page("limit=4&direction=prev&cursor=" + cursor)
			codes = append(codesOf(p), codes...)
			if !p.HasNextPage {
				return codes
			}
			cursor = *p.NextCursor
		}
	}
	place(9)
	first := b.page("limit=3")
	second := b.page("limit=3&cursor=" + *first.NextCursor)
	for _, n := range []int{0, 1, 6} {
		place(n)
		for of, cursor := range map[string]string{codesOf(first)[2]: *first.NextCursor, codesOf(second)[2]: *second.NextCursor} {
			if got, want := newerThan(cursor), placed[:slices.Index(placed, of)]; !slices.Equal(got, want) {
				t.Errorf("newer than %s: %v, want %v", of, got, want)
			}
		}
	}
}

func TestListPages(t *testing.T) {
	b := newBench(t)
	var placed []string
	for i := range 25 {
		if i%3 == 0 { // several orders share a millisecond
			b.clock.advance(time.Second)
		}
		placed = append(placed, b.place(b.alice).OrderCode)
	}
	b.place(b.bob)
	slices.Reverse(placed)

	first := b.page("limit=10")
	second := b.page("limit=10&cursor=" + *first.NextCursor)
	third := b.page("limit=10&cursor=" + *second.NextCursor + "&direction=next")
	all := slices.Concat(codesOf(first), codesOf(second), codesOf(third))
	if !slices.Equal(all, placed) || third.HasNextPage || third.NextCursor != nil {
		t.Errorf("pages %v\nplaced %v", all, placed)
	}
	if whole := b.page(""); len(whole.Items) != api.DefaultPageLimit || !whole.HasNextPage {
		t.Errorf("without limit: %d orders", len(whole.Items))
	}

	// prev returns orders that are newer than the cursor's item, newest first, and continues towards
	// newer ones.
	newer := b.page("limit=12&direction=prev&cursor=" + *second.NextCursor)
	if want := placed[7:19]; !slices.Equal(codesOf(newer), want) || !newer.HasNextPage {
		t.Errorf("newer than %s: %v, want %v", placed[19], codesOf(newer), want)
	}
	newest := b.page("limit=12&direction=prev&cursor=" + *newer.NextCursor)
	if want := placed[:7]; !slices.Equal(codesOf(newest), want) || newest.HasNextPage || newest.NextCursor != nil {
		t.Errorf("newer than %s: %v, want %v", placed[7], codesOf(newest), want)
	}
	if p := b.page("direction=prev&limit=3"); !slices.Equal(codesOf(p), placed[:3]) || p.HasNextPage {
		t.Errorf("prev without a cursor: %v", codesOf(p))
	}
}

// The members that the list shows of an order are stored separately.
func TestListShowsTheCurrentState(t *testing.T) {
	dir := t.TempDir()
	b := newBenchOn(t, &server.Server{Dir: dir})
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	check := func(after, key string) {
		t.Helper()
		for _, listed := range into[api.Page[map[string]any]](t, b.call("GET", publicHandlers+"/orders", key, nil)).Items {
			r := b.call("GET", publicHandlers+"/orders/"+listed["orderCode"].(string), key, nil)
			want := into[map[string]any](t, r)
			want["missionCount"] = float64(len(want["missions"].([]any)))
			delete(want, "missions")
			if !reflect.DeepEqual(listed, want) {
				t.Errorf("after %s: listed as\n%v\nit is\n%v", after, listed, want)
			}
		}
		unkept := 0
		if err := db.QueryRow(`SELECT COUNT(*) FROM orders WHERE listed IS NULL OR recorded IS NULL`).Scan(&unkept); err != nil || unkept > 0 {
			t.Errorf("after %s: %d orders have no text to be listed as: %v", after, unkept, err)
		}
	}
	req := survey()
	req.Order.OrderName = "</a>\"\\\u2028\t"
	req.Order.CompanyName = "東 & söhne"
	b.call("POST", publicHandlers+"/orders", b.alice, req)
	for _, verb := range []string{"cancel", "archive", "reject"} {
		placed := b.place(b.alice)
		b.clock.advance(time.Minute)
		body := `{"reason":"\"flooded\"\n\\"}`
		if verb == "cancel" {
			body = ""
		}
		b.call("POST", publicHandlers+"/orders/"+placed.UUID+"/"+verb, b.alice, body)
		check(verb, b.alice)
	}

	p := b.takenOver(api.OrderPendingOperator, api.MissionPilotAssigned)
	check("taking over", p.key)
	flight := fmt.Sprintf(`{"flightDate":%q}`, b.clock.now().Add(48*time.Hour).Format(time.RFC3339))
	b.clock.advance(time.Minute)
	if r := b.ops("POST", "/missions/"+p.mission[0]+"/schedule", flight); !r.Success {
		t.Errorf("schedule: %s", r.raw)
	}
	check("schedule", p.key)
}

// page lists the first account's orders.
func (b *bench) page(query string) api.Page[api.Order] {
	b.t.Helper()
	r := b.call("GET", publicHandlers+"/orders?"+query, b.alice, nil)
	if r.status != 200 {
		b.t.Fatalf("%s: %d %s", query, r.status, r.raw)
	}
	return into[api.Page[api.Order]](b.t, r)
}

func codesOf(p api.Page[api.Order]) []string {
	var codes []string
	for _, o := range p.Items {
		codes = append(codes, o.OrderCode)
	}
	return codes
}

func TestMissionPages(t *testing.T) {
	b := newBench(t)
	req := survey()
	for i := range 23 {
		m := req.Missions[1]
		m.MissionName = fmt.Sprintf("mast %d", i)
		req.Missions = append(req.Missions, m)
	}
	order := into[api.Order](t, b.call("POST", publicHandlers+"/orders", b.alice, req))
	list := func(query string) (api.Page[api.Mission], []string) {
		p := into[api.Page[api.Mission]](t, b.call("GET", publicHandlers+"/orders/"+order.OrderCode+"/missions?"+query, b.alice, nil))
		var codes []string
		for _, m := range p.Items {
			codes = append(codes, m.MissionCode)
		}
		return p, codes
	}
	whole, all := list("")
	if len(all) != 25 || whole.HasNextPage || !slices.IsSorted(all) {
		t.Fatalf("whole: %v", all)
	}
	first, a := list("limit=10")
	second, c := list("cursor=" + *first.NextCursor) // pages of 20, starting at a cursor
	if !slices.Equal(slices.Concat(a, c), all) || second.HasNextPage {
		t.Errorf("pages %v, %v", a, c)
	}
	third, _ := list("limit=10&cursor=" + *first.NextCursor)
	back, d := list("limit=5&direction=prev&cursor=" + *third.NextCursor)
	if !slices.Equal(d, all[14:19]) || !back.HasNextPage {
		t.Errorf("before %s: %v", all[19], d)
	}
	if r := b.call("GET", publicHandlers+"/orders?cursor="+*first.NextCursor, b.alice, nil); r.status != 400 {
		t.Errorf("a missions' cursor in the orders' list: %d", r.status)
	}
}
