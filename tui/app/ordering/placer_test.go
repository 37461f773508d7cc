package ordering

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

// orderDesk is a service that stores orders and can lose responses.
type orderDesk struct {
	mu     sync.Mutex
	orders []api.Order          // newest first
	keys   []string             // of what was sent
	refuse int                  // status that a create is answered with
	drop   bool                 // a create is kept, and not answered
	queued bool                 // a create is not answered, and carried out later
	late   []lateOrder          // that were queued
	silent bool                 // lists are not answered
	made   map[string]api.Order // by their keys
}

// lateOrder is a request for an order that the service has not carried out yet.
type lateOrder struct {
	key string
	req api.CreateOrderRequest
}

// deliver carries out the queued requests.
func (s *orderDesk) deliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.late {
		s.create(o.key, o.req)
	}
	s.late = nil
}

// create creates an order, or returns the order that was created with the key before.
func (s *orderDesk) create(key string, req api.CreateOrderRequest) api.Order {
	if made, ok := s.made[key]; ok {
		return made
	}
	o := orderOf(req, fmt.Sprint("ORD-", len(s.orders)+1))
	s.orders = slices.Insert(s.orders, 0, o)
	if s.made == nil {
		s.made = map[string]api.Order{}
	}
	s.made[key] = o
	return o
}

func (s *orderDesk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(status int, data any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.MarshalWrite(w, map[string]any{"success": status < 400, "message": "refused", "data": data})
	}
	code := strings.TrimPrefix(r.URL.Path, "/orders")
	switch {
	case r.Method == http.MethodPost && s.refuse != 0:
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		answer(s.refuse, nil)
	case r.Method == http.MethodPost:
		key := r.Header.Get("Idempotency-Key")
		s.keys = append(s.keys, key)
		var req api.CreateOrderRequest
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &req); err != nil {
			panic(err)
		}
		if s.queued {
			s.late = append(s.late, lateOrder{key, req})
			panic(http.ErrAbortHandler)
		}
		made := s.create(key, req)
		if s.drop {
			panic(http.ErrAbortHandler)
		}
		answer(http.StatusCreated, made)
	case s.silent:
		answer(http.StatusInternalServerError, nil)
	case code == "":
		answer(http.StatusOK, map[string]any{"data": s.orders, "nextCursor": nil, "hasNextPage": false})
	default:
		for _, o := range s.orders {
			if "/"+o.OrderCode == code {
				answer(http.StatusOK, o)
				return
			}
		}
		answer(http.StatusNotFound, nil)
	}
}

// orderOf returns the order that the service creates for a request.
func orderOf(req api.CreateOrderRequest, code string) api.Order {
	o := api.Order{
		OrderCode: code, UUID: "uuid of " + code, OrderName: req.Order.OrderName, Status: api.OrderBiddingWithQuote, Deliverables: append([]api.Deliverable{api.DeliverableJPG}, req.Order.Deliverables...),
		StartDate: req.Order.StartDate, Deadline: req.Order.Deadline, CreatedAt: api.TimeOf(time.Now()),
	}
	for _, m := range req.Missions {
		o.Missions = append(o.Missions, api.Mission{MissionName: m.MissionName, MissionType: m.MissionType, LocationMap: m.LocationMap})
	}
	return o
}

func newPlacer(t *testing.T) (*orderDesk, *Placer, *api.CreateOrderRequest) {
	t.Helper()
	desk := &orderDesk{}
	s := httptest.NewServer(desk)
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	client, err := api.NewClient(s.URL, api.WithKey("k"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	log := changes.OpenLogWith("", changes.LookSchedule{
		Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	d := NewDraft()
	addSite(d, "Levee")
	d.SuggestValues("C")
	return desk, &Placer{Client: client, Changes: log, Account: "a"}, &d.PrepareOrders(time.Now())[0].Request
}

func TestAnOrderIsPlacedOnce(t *testing.T) {
	desk, p, req := newPlacer(t)
	placed, err := p.PlaceOnce(t.Context(), req, PlaceOptions{})
	if err != nil || placed.OrderCode != "ORD-1" || placed.Found || placed.Differences != nil {
		t.Fatalf("%+v, %v", placed, err)
	}
	entries, err := p.Changes.Entries()
	if e := entries[len(entries)-1]; err != nil || !e.IsConfirmed() || e.OrderID != "ORD-1" || e.OrderName != "Levee" || e.Account != "a" || e.Request.Sites != 1 || e.Request.Shape == 0 || e.Request.Key != desk.keys[0] || e.At.IsZero() {
		t.Errorf("logged as %+v, %v", e, err)
	}
	var alike *SimilarError
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{}); !errors.As(err, &alike) || len(alike.Orders) != 1 || alike.Sent || !strings.Contains(alike.Orders[0], "has the same name and has 1 of these places") {
		t.Errorf("the same again: %v", err)
	}
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Own: []string{"ORD-1"}}); err != nil || len(desk.orders) != 2 || desk.keys[1] == desk.keys[0] {
		t.Errorf("beside its own: %v, %d orders", err, len(desk.orders))
	}
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Again: true}); err != nil || len(desk.orders) != 3 || desk.keys[2] == desk.keys[1] {
		t.Errorf("wanted again: %v, %d orders", err, len(desk.orders))
	}
	for range 2 { // the second time it is there
		placed, err = p.PlaceOnce(t.Context(), req, PlaceOptions{Key: "mine"})
		if err != nil || placed.OrderCode != "ORD-4" || len(desk.orders) != 4 || desk.keys[3] != "mine" {
			t.Fatalf("with a key of its own: %+v, %v", placed, err)
		}
	}
	if !placed.Found {
		t.Error("the order of a key is not found by it")
	}
	if placed, err := p.FindOrder(t.Context(), &changes.Change{Request: changes.OrderRequest{Key: "mine"}}); err != nil || placed.OrderCode != "ORD-4" || !placed.Found {
		t.Errorf("found is %+v, %v", placed, err)
	}
	if placed, err := p.FindOrder(t.Context(), &changes.Change{Request: changes.OrderRequest{Key: "another"}}); err != nil || placed != nil {
		t.Errorf("of another key there is %+v, %v", placed, err)
	}
}

func TestAnOrderIsFoundIfItsResponseWasLost(t *testing.T) {
	desk, p, req := newPlacer(t)
	desk.orders = []api.Order{orderOf(*req, "ORD-0")} // known before
	desk.drop = true
	placed, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Again: true})
	if err != nil || placed.OrderCode != "ORD-2" || !placed.Found || len(desk.orders) != 2 {
		t.Fatalf("%+v, %v", placed, err)
	}
	if e, _ := p.Changes.Entries(); !e[len(e)-1].IsConfirmed() || !slices.Equal(e[len(e)-1].Known, []string{"uuid of ORD-0"}) {
		t.Errorf("logged as %+v", e)
	}
	desk.drop, desk.refuse = false, http.StatusBadGateway
	var open *changes.UnconfirmedError
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Again: true}); !errors.As(err, &open) {
		t.Fatalf("without an answer and an order: %v", err)
	}
	key := desk.keys[len(desk.keys)-1]
	var alike *SimilarError
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Own: []string{"ORD-0", "ORD-2"}}); !errors.As(err, &alike) || !alike.Sent || !strings.HasSuffix(alike.Orders[0], "is not confirmed.") {
		t.Errorf("while it is open: %v", err)
	}
	name, body := req.Order.OrderName, EncodeRequest(req)
	if desk.refuse = 0; p.AttemptKey(name, body, false) != key || p.AttemptKey(name, body, true) != key {
		t.Error("what is sent again has another key")
	}
	if placed, err := p.FindOrder(t.Context(), &changes.Change{Request: changes.OrderRequest{Key: key}}); err != nil || placed != nil {
		t.Errorf("what is not there is found as %+v, %v", placed, err)
	}
	if placed, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Again: true}); err != nil || placed.OrderCode != "ORD-3" || desk.keys[len(desk.keys)-1] != key {
		t.Errorf("sent again: %+v, %v", placed, err)
	}
	desk.refuse = http.StatusBadRequest
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{Again: true}); err == nil || errors.As(err, &open) {
		t.Errorf("a refusal: %v", err)
	}
	if e, _ := p.Changes.Entries(); e[len(e)-1].IsOpen() {
		t.Errorf("a refusal stays open: %+v", e[len(e)-1])
	}
}

func TestSimilarOrdersAreDescribed(t *testing.T) {
	desk, p, req := newPlacer(t)
	other := *req
	other.Order.OrderName = " lEVEE "
	other.Missions = []api.MissionInput{{LocationMap: []api.Point{{Lat: 1, Lng: 1}}}}
	same := *req
	same.Order.OrderName = "Other"
	strange := other
	strange.Order.OrderName = "Strange"
	for name, c := range map[string]struct {
		o    api.Order
		age  time.Duration
		want string
	}{
		"by its name":           {orderOf(other, "ORD-1"), time.Hour, "has the same name."},
		"by its place":          {orderOf(same, "ORD-1"), time.Hour, "has 1 of these places."},
		"by nothing":            {orderOf(strange, "ORD-1"), time.Hour, ""},
		"of long ago":           {orderOf(other, "ORD-1"), 7*24*time.Hour + time.Minute, ""},
		"of almost so long ago": {orderOf(other, "ORD-1"), 7*24*time.Hour - time.Minute, "has the same name."},
	} {
		for _, status := range []api.OrderStatus{api.OrderBiddingWithQuote, api.OrderCancelled} {
			c.o.CreatedAt, c.o.Status = api.TimeOf(time.Now().Add(-c.age)), status
			desk.orders = []api.Order{c.o}
			alike, err := p.findSimilar(t.Context(), desk.orders, req, nil)
			want := c.want
			if status == api.OrderCancelled {
				want = ""
			}
			if text := strings.Join(alike, ""); err != nil || (text == "") != (want == "") || !strings.HasSuffix(text, want) || want != "" && !strings.HasPrefix(text, "ORD-1, placed ") {
				t.Errorf("%s, %s: %q, %v", name, status, text, err)
			}
			if own, err := p.findSimilar(t.Context(), desk.orders, req, []string{c.o.UUID}); err != nil || own != nil {
				t.Errorf("%s, its own: %q, %v", name, own, err)
			}
		}
	}
	desk.orders = nil
	for i := range 6 { // five of them are read
		desk.orders = append(desk.orders, orderOf(same, fmt.Sprint("ORD-", i)))
	}
	if alike, err := p.findSimilar(t.Context(), desk.orders, req, nil); err != nil || len(alike) != 5 {
		t.Errorf("of six there are %d, %v", len(alike), err)
	}
	desk.silent = true
	var unknown *SimilarError
	if _, err := p.PlaceOnce(t.Context(), req, PlaceOptions{}); !errors.As(err, &unknown) || unknown.Err == nil || len(desk.keys) != 0 {
		t.Errorf("without a list: %v", err)
	}
}

func TestThePlacedOrderIsComparedWithTheRequest(t *testing.T) {
	_, p, req := newPlacer(t)
	req.Order.Deliverables = []api.Deliverable{"_2dMap", "dsm"}
	e := p.newEntry(req, PlaceOptions{})
	for _, c := range []struct {
		change func(o *api.Order)
		want   []string
	}{
		{func(*api.Order) {}, nil},
		{func(o *api.Order) { o.OrderName = "" }, nil},
		{func(o *api.Order) { o.OrderName = "Other" }, []string{"name Other, not Levee"}},
		{func(o *api.Order) { o.Deliverables, o.Missions, o.StartDate = nil, nil, api.Time{} }, nil},
		{func(o *api.Order) { o.Deliverables = o.Deliverables[1:] }, nil},
		{func(o *api.Order) { slices.Reverse(o.Deliverables) }, nil},
		{func(o *api.Order) { o.Deliverables = append(o.Deliverables, "pointCloud") }, []string{"products _2dMap, dsm, pointCloud, not _2dMap, dsm"}},
		{func(o *api.Order) { o.StartDate = api.TimeOf(o.StartDate.Add(24*time.Hour - 1)) }, nil},
		{func(o *api.Order) { o.Deadline = api.TimeOf(e.Request.Order.Deadline.AddDate(0, 0, 1)) }, []string{"deadline " + e.Request.Order.Deadline.AddDate(0, 0, 1).Format(time.DateOnly) + ", not " + e.Request.Order.Deadline.Format(time.DateOnly)}},
		{func(o *api.Order) { o.Missions[0].LocationMap = []api.Point{{Lat: 5, Lng: 5}} }, []string{"other sites"}},
		{func(o *api.Order) { o.Missions = append(o.Missions, o.Missions[0]) }, []string{"sites 2, not 1"}},
	} {
		o := orderOf(*req, "ORD-1")
		c.change(&o)
		if got := differencesOf(e, &o); !slices.Equal(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestShapesAreMerged(t *testing.T) {
	site := func(kind api.MissionType, g orb.Geometry) *Site { return &Site{Name: "S", Type: kind, Geometry: g} }
	points := MergeShapes([]*Site{site(api.MissionAsset, orb.Point{1, 2}), site(api.MissionAsset, orb.MultiPoint{{3, 4}, {5, 6}})})
	if m, ok := points.Geometry.(orb.MultiPoint); !ok || len(m) != 3 {
		t.Errorf("%+v", points)
	}
	lines := MergeShapes([]*Site{site(api.MissionLinear, orb.LineString{{0, 0}, {1, 0}}), site(api.MissionLinear, orb.LineString{{2, 0}, {1, 0}})})
	if l, ok := lines.Geometry.(orb.LineString); !ok || len(l) != 3 || lines.Gap != 0 {
		t.Errorf("%+v", lines)
	}
	if one := MergeShapes([]*Site{site(api.MissionArea, square(0, 0)), site(api.MissionArea, square(1, 0))}); one.Geometry == nil {
		t.Errorf("%+v", one)
	}
	if apart := MergeShapes([]*Site{site(api.MissionArea, square(0, 0)), site(api.MissionArea, square(2, 0))}); apart.Geometry != nil || apart.Hull == nil {
		t.Errorf("%+v", apart)
	}
	if of := MergeShapes([]*Site{site(api.MissionArea, square(0, 0)), site(api.MissionArea, orb.Point{1, 1})}); of.Geometry != nil {
		t.Errorf("a point as an area: %+v", of)
	}
	d := NewDraft()
	addSite(d, "A")
	addSite(d, "B")
	addSite(d, "C")
	d.Sites[0].Country, d.Sites[0].Label, d.Sites[1].Label = "", "L", "M"
	b := d.NewSiteFrom(d.Sites[:2], "AB", orb.LineString{{0, 0}, {1, 0}})
	if b.Country != "Germany" || b.Label != "" || !b.In || b.Type != api.MissionAsset || b.ID <= 3 {
		t.Errorf("%+v", b)
	}
	if one := d.NewSiteFrom(d.Sites[:1], "A", orb.Point{}); one.Label != "L" {
		t.Errorf("%+v", one)
	}
	if d.ReplaceSites(d.Sites[1:2], []*Site{b}); !slices.Equal(siteNames(d.Sites), []string{"A", "AB", "C"}) {
		t.Errorf("%q", siteNames(d.Sites))
	}
}
