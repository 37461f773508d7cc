package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/ordering"
)

// desk is a service that loses responses or responds late.
type desk struct {
	mu     sync.Mutex // a request whose response is lost can still be running
	orders []string   // points of the only site of each order, newest first
	keys   []string   // idempotency keys of the requests
	lose   int        // number of responses to placing that are lost
	drop   int        // number of requests that are lost before the order is placed
	blind  bool       // the list cannot be read
	late   bool       // responds with 202, and places the order later
	other  bool       // meanwhile somebody else places an order of the same name
	queued bool
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	code := strings.TrimPrefix(r.URL.Path, "/orders/")
	n := 0
	switch _, err := fmt.Sscanf(code, "ORD-%d", &n); {
	case r.Method == http.MethodGet && err == nil:
		fmt.Fprintf(w, `{"success":true,"data":{"uuid":"u%d","orderCode":"%s","orderName":"levee","missions":[{"locationMap":[%s]}]}}`, n, code, d.orders[len(d.orders)-n])
	case r.Method == http.MethodGet && d.blind:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodGet:
		var items []string
		for i := range d.orders {
			items = append(items, fmt.Sprintf(`{"uuid":"u%d","orderCode":"ORD-%d","orderName":"levee"}`, len(d.orders)-i, len(d.orders)-i))
		}
		fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, strings.Join(items, ","))
	default:
		d.keys = append(d.keys, r.Header.Get("Idempotency-Key"))
		d.placeOrder(w)
	}
}

const (
	ownSite   = `{"lat":1,"lng":2}`
	otherSite = `{"lat":3,"lng":4}`
)

func (d *desk) placeOrder(w http.ResponseWriter) {
	switch {
	case d.late:
		d.queued = true
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, `{"success":true,"message":"queued","data":{"jobId":"j-17"}}`)
		return
	case d.drop > 0:
		d.drop--
		if d.other {
			d.orders = append([]string{otherSite}, d.orders...)
		}
		panic(http.ErrAbortHandler)
	}
	d.orders = append([]string{ownSite}, d.orders...)
	if d.lose > 0 {
		d.lose--
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"success":true,"message":"","data":{"uuid":"u%d","orderCode":"ORD-%d","orderName":"levee","deadline":"2026-12-24T00:00:00Z"}}`, len(d.orders), len(d.orders))
}

// placing is an account of a desk that places one order.
type placing struct {
	*desk
	placer *ordering.Placer
	waited []time.Duration
}

func newPlacing(t *testing.T, d *desk, path string) *placing {
	t.Helper()
	service := httptest.NewServer(d)
	t.Cleanup(service.Close)
	client, err := api.NewClient(service.URL, api.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	p := &placing{desk: d, placer: &ordering.Placer{Client: client, Account: "one"}}
	p.placer.Changes = changes.OpenLogWith(path, changes.LookSchedule{Wait: func(_ context.Context, pause time.Duration) error {
		p.waited = append(p.waited, pause)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.queued {
			d.orders, d.queued = append([]string{ownSite}, d.orders...), false
		}
		return nil
	}})
	return p
}

func (p *placing) place(t *testing.T, o ordering.PlaceOptions) (*ordering.PlacedOrder, error) {
	t.Helper()
	return sendOrder(&Call{Context: t.Context(), program: &program{}}, p.placer, leveeOrder(api.Point{Lat: 1, Lng: 2}), o)
}

// leveeOrder returns a request with a site at each of some points.
func leveeOrder(points ...api.Point) *api.CreateOrderRequest {
	req := &api.CreateOrderRequest{
		Order: api.OrderInput{OrderName: "levee", Deadline: api.TimeOf(time.Date(2026, 12, 20, 0, 0, 0, 0, time.UTC))},
	}
	for _, at := range points {
		req.Missions = append(req.Missions, api.MissionInput{LocationMap: []api.Point{at}})
	}
	return req
}

func TestAnOrderIsPlacedOnceIfResponsesAreLost(t *testing.T) {
	again, named := ordering.PlaceOptions{Again: true}, ordering.PlaceOptions{Key: "my-key"}
	for _, tt := range []struct {
		name    string
		desk    *desk
		options ordering.PlaceOptions
		want    string // code of the order, or a part of the error
		orders  int
		looks   int // number of checks for the order
	}{
		{"answered", &desk{}, ordering.PlaceOptions{}, "ORD-1", 1, 0},
		{"the answer is lost", &desk{lose: 1}, ordering.PlaceOptions{}, "ORD-1", 1, 0},
		{"the answer is lost, and one like it existed before", &desk{orders: []string{ownSite}, lose: 1}, again, "ORD-2", 2, 0},
		{"accepted, and placed later", &desk{late: true}, ordering.PlaceOptions{}, "ORD-1", 1, 1},
		{"the request is lost", &desk{drop: 1}, ordering.PlaceOptions{}, "sent, not confirmed; check with flightdesk list orders", 0, 3},
		{"another order of the name is placed meanwhile", &desk{drop: 1, other: true}, ordering.PlaceOptions{}, "sent, not confirmed", 1, 3},
		{"the list cannot be read afterwards", &desk{lose: 1, blind: true}, named, "sent, not confirmed", 1, 3},
		{"the list cannot be read before", &desk{blind: true}, ordering.PlaceOptions{}, "could not check for similar orders", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlacing(t, tt.desk, "")
			placed, err := p.place(t, tt.options)
			if placed != nil && placed.OrderCode != tt.want || placed == nil && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, %v", placed, err)
			}
			var open *changes.UnconfirmedError
			if errors.As(err, &open) != strings.Contains(tt.want, "sent, not confirmed") {
				t.Errorf("%v is unconfirmed: %v", err, open != nil)
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.orders) != tt.orders || len(p.keys) > 1 || len(p.waited) != tt.looks {
				t.Errorf("%d orders, sent %d times, looked again after %v", len(p.orders), len(p.keys), p.waited)
			}
		})
	}
}

// The second call is another run of the program, which only has the file of changes.
func TestPlacingTwiceDoesNotPlaceTwice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		desk   *desk
		second ordering.PlaceOptions
		want   string // outcome of the second run
		orders int
	}{
		{"placed", &desk{}, ordering.PlaceOptions{}, "similar order found: ORD-1, has the same name and has 1 of these places; the order was not sent; --again", 1},
		{"placed, and another is wanted", &desk{}, ordering.PlaceOptions{Again: true}, "ORD-2", 2},
		{"lost", &desk{drop: 1}, ordering.PlaceOptions{}, "levee, sent just now, is not confirmed", 0},
		{"lost, and sent again", &desk{drop: 1}, ordering.PlaceOptions{Again: true}, "ORD-1", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "decisions.jsonl")
			first := newPlacing(t, tt.desk, path)
			_, _ = first.place(t, ordering.PlaceOptions{})
			first.placer.Changes = changes.OpenLogWith(path, changes.LookSchedule{
				Wait: func(context.Context, time.Duration) error { return nil },
			})
			placed, err := first.place(t, tt.second)
			if placed != nil && placed.OrderCode != tt.want || placed == nil && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, %v", placed, err)
			}
			if len(tt.desk.orders) != tt.orders {
				t.Errorf("%d orders, want %d", len(tt.desk.orders), tt.orders)
			}
			if tt.desk.drop == 0 && len(tt.desk.keys) == 2 && (tt.desk.keys[0] == tt.desk.keys[1]) != (tt.orders == 1) {
				t.Errorf("the keys are %q", tt.desk.keys)
			}
		})
	}
}

func TestANamedOrderIsReturnedTheSecondTime(t *testing.T) {
	p := newPlacing(t, &desk{}, "")
	for range 2 {
		if placed, err := p.place(t, ordering.PlaceOptions{Key: "my-key"}); err != nil || placed.OrderCode != "ORD-1" {
			t.Errorf("%v, %v", placed, err)
		}
	}
	if len(p.keys) != 1 || p.keys[0] != "my-key" {
		t.Errorf("sent with the keys %q", p.keys)
	}
}

func TestAReceiptIsComparedWithTheOrder(t *testing.T) {
	p := newPlacing(t, &desk{}, "")
	placed, err := p.place(t, ordering.PlaceOptions{})
	if err != nil || strings.Join(placed.Differences, ", ") != "deadline 2026-12-24, not 2026-12-20" {
		t.Errorf("%+v, %v", placed, err)
	}
}

func TestAnOrderIsOnDiskBeforeItIsSent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	var written []changes.Change
	p := newPlacing(t, &desk{}, path)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			written, _ = changes.OpenLog(path).Entries()
		}
		p.ServeHTTP(w, r)
	}))
	defer service.Close()
	client, err := api.NewClient(service.URL, api.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	p.placer.Client = client
	if _, err := p.place(t, ordering.PlaceOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(written) != 1 || !written[0].IsOpen() || written[0].Request.Key != p.keys[0] || written[0].Request.Sites != 1 || written[0].Request.Order.OrderName != "levee" {
		t.Errorf("while it was sent the log had %+v", written)
	}
	if after, err := changes.OpenLog(path).Entries(); err != nil || len(after) != 1 || after[0].IsOpen() || after[0].OrderID != "ORD-1" {
		t.Errorf("then %+v, %v", after, err)
	}
}

// A lost order is not mistaken for another order of the same name: the command reports the outcome,
// sends nothing and names the flag that decides.
func TestALostOrderIsNotMistakenForAnotherOfItsName(t *testing.T) {
	two := leveeOrder(api.Point{Lat: 5, Lng: 6}, api.Point{Lat: 7, Lng: 8})
	for name, tt := range map[string]struct {
		arrives bool // whether the lost order is placed later
		want    string
	}{
		"lost": {false, `^similar order found: levee \(1 mission\), sent at \d\d:\d\d, is not confirmed; this request differs: sites 2, not 1; the order was not sent; --again places it nevertheless$`},
		"late": {true, `^similar order found: ORD-1 \(1 mission\), sent at \d\d:\d\d, was placed; this request differs: sites 2, not 1; the order was not sent; --again places it nevertheless$`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlacing(t, &desk{drop: 1}, "")
			if _, err := p.place(t, ordering.PlaceOptions{}); err == nil {
				t.Fatal("a lost order is placed")
			}
			if tt.arrives {
				p.orders = []string{ownSite}
			}
			placed, err := sendOrder(&Call{Context: t.Context(), program: &program{}}, p.placer, two, ordering.PlaceOptions{})
			if err == nil || !regexp.MustCompile(tt.want).MatchString(err.Error()) || len(p.keys) != 1 {
				t.Errorf("%+v, %v, sent %d times", placed, err, len(p.keys))
			}
			if _, open := errors.AsType[*changes.UnconfirmedError](err); open {
				t.Error("an order that was not sent is said to be sent")
			}
		})
	}
}

func TestAPlacedOrderIsPrintedAsReturnedByTheService(t *testing.T) {
	three := 3
	sent := time.Now().AddDate(0, 0, -3)
	for _, tt := range []struct {
		placed        ordering.PlacedOrder
		part          string
		stdout, noted string
	}{
		{ordering.PlacedOrder{Order: &api.Order{Missions: make([]api.Mission, 2)}}, "", "placed ORD-1 levee, 2 missions, at host.example\n", ""},
		{ordering.PlacedOrder{Order: &api.Order{MissionCount: &three}}, "", "placed ORD-1 levee, 3 missions, at host.example\n", ""},
		{ordering.PlacedOrder{Order: &api.Order{}}, "", "placed ORD-1 levee, number of missions unknown, at host.example\n", ""},
		{
			ordering.PlacedOrder{Order: &api.Order{MissionCount: &three}, Found: true, SentAt: sent},
			"part 1 of 2",
			"placed ORD-1 levee, 3 missions, at host.example\n", "part 1 of 2 was placed " + ordering.SentTime(sent, time.Now()) + " as ORD-1\n",
		},
		{
			ordering.PlacedOrder{Order: &api.Order{MissionCount: &three}, Differences: []string{"sites 3, not 2"}, Earlier: []string{"ORD-0 (1 mission) was placed"}},
			"",
			"placed ORD-1 levee, 3 missions, at host.example\n", "ORD-0 (1 mission) was placed\nORD-1 was placed with sites 3, not 2\n",
		},
	} {
		var stdout, stderr strings.Builder
		c := printingCall(&stdout, "table")
		c.Cmd.SetErr(&stderr)
		client, err := api.NewClient("http://host.example", api.WithKey("k"))
		if err != nil {
			t.Fatal(err)
		}
		c.Service = &Service{Client: client}
		tt.placed.OrderCode, tt.placed.OrderName = "ORD-1", "levee"
		if err := printPlaced(c, &tt.placed, tt.part); err != nil || stdout.String() != tt.stdout || stderr.String() != tt.noted {
			t.Errorf("%q and %q, %v", stdout.String(), stderr.String(), err)
		}
	}
}
