package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/demodata"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/kmlcsv/places"
)

// world reads all orders of all demo accounts.
func world(t *testing.T, s *server.Server) [][]*api.Order {
	t.Helper()
	var orders [][]*api.Order
	for _, a := range s.Accounts() {
		orders = append(orders, ordersOf(t, s, a.Key))
	}
	return orders
}

// ordersOf reads all orders of an account.
func ordersOf(t *testing.T, s *server.Server, key string) []*api.Order {
	t.Helper()
	var all []*api.Order
	c := clientOf(t, s, key)
	for o, err := range c.Orders.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		detail, err := c.Orders.Get(t.Context(), o.OrderCode)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, detail)
	}
	return all
}

func clientOf(t *testing.T, s *server.Server, key string) *api.Client {
	t.Helper()
	c, err := api.NewClient(s.BaseURL(), api.WithKey(key), api.WithTransport(server.Direct(s)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Listing the files of the demo does not read them.
func TestDigestsOfDemoFilesAreKnownAfterOpening(t *testing.T) {
	s := start(t, &server.Server{Demo: true})
	orders := world(t, s)[0]
	o := orders[slices.IndexFunc(orders, func(o *api.Order) bool { return o.Status == api.OrderCompleted })]
	c, err := api.NewClient(s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithTransport(server.Direct(s)))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := c.Missions.Packages(t.Context(), o.Missions[0].UUID)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Files.List(t.Context(), packages[0].UUID)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	defer web.Close()
	for _, f := range list {
		_, path, _ := strings.Cut(f.DownloadURL, "/files/")
		for range 2 {
			resp, err := http.Get(web.URL + "/files/" + path)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			sum := sha256.Sum256(content)
			digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
			if err != nil || int64(len(content)) != f.FileSize || resp.Header.Get("Repr-Digest") != digest {
				t.Errorf("%s has %d bytes of %d and the digest %s, %v", f.FileName, len(content), f.FileSize, resp.Header.Get("Repr-Digest"), err)
			}
		}
	}
}

func TestDemoWorldCouldHaveBeenPlaced(t *testing.T) {
	s := start(t, &server.Server{Demo: true})
	statuses := map[api.OrderStatus]bool{}
	for i, orders := range world(t, s) {
		if len(orders) < 15 {
			t.Errorf("%s has %d orders", s.Accounts()[i].CompanyName, len(orders))
		}
		for _, o := range orders {
			statuses[o.Status] = true
			if got := faultsOf(t, mustJSON(t, again(o))); got != nil {
				t.Errorf("%s has faults at %q", o.OrderName, got)
			}
			checkDates(t, o, time.Now())
			checkMissions(t, o)
		}
	}
	for _, status := range api.OrderStatuses() {
		if !statuses[status] && status != api.OrderDeleted {
			t.Errorf("no demo order is %s", status)
		}
	}
}

// again returns the request that would place the order.
func again(o *api.Order) api.CreateOrderRequest {
	var req api.CreateOrderRequest
	req.Order = api.OrderInput{
		CompanyName: o.CompanyName, OrderName: o.OrderName, OrderType: o.OrderType, Sensors: o.Sensors,
		Deliverables: o.Deliverables, MissionObjective: o.MissionObjective, IndustryAssetType: o.IndustryAssetType,
		StartDate: o.StartDate, Deadline: o.Deadline,
	}
	for _, m := range o.Missions {
		req.Missions = append(req.Missions, api.MissionInput{
			MissionName: m.MissionName, MissionType: m.MissionType, Country: m.Country, LocationLabel: m.LocationLabel,
			AreaSize: *m.AreaSize, LocationMap: m.LocationMap,
		})
	}
	return req
}

func checkDates(t *testing.T, o *api.Order, now time.Time) {
	t.Helper()
	if o.CreatedAt.After(now) || o.UpdatedAt.After(now) || o.UpdatedAt.Before(o.CreatedAt.Time) || o.StartDate.Before(o.CreatedAt.Time) {
		t.Errorf("%s: created %v, updated %v, starts %v", o.OrderName, o.CreatedAt, o.UpdatedAt, o.StartDate)
	}
	for _, m := range o.Missions {
		if m.Status == api.MissionCancelled {
			continue // its missions can have any progress
		}
		flown := m.Status == api.MissionDataDelivered || m.Status == api.MissionCompleted
		scheduled := m.Status == api.MissionFlightScheduled
		if flown && (m.FlightDate.After(m.UpdatedAt.Time) || m.FlightDate.After(now)) || scheduled && !m.FlightDate.After(now) ||
			m.FlightDate.IsZero() == (flown || scheduled) {
			t.Errorf("%s, %s: %s, flown %v, updated %v", o.OrderName, m.MissionName, m.Status, m.FlightDate, m.UpdatedAt)
		}
		if needs := m.Status != api.MissionAwaitingPilot; needs != (m.OperatorName != nil) {
			t.Errorf("%s, %s: %s with operator %v", o.OrderName, m.MissionName, m.Status, m.OperatorName)
		}
	}
}

// checkMissions checks that an order has the status of its least advanced mission, and that missions
// are in their countries.
func checkMissions(t *testing.T, o *api.Order) {
	t.Helper()
	least := len(api.MissionStatuses())
	for _, m := range o.Missions {
		least = min(least, slices.Index(api.MissionStatuses(), m.Status))
		at := places.Lookup(orb.Point{m.LocationMap[0].Lng, m.LocationMap[0].Lat})
		if at.Country != "" && at.Country != m.Country {
			t.Errorf("%s, %s lies in %s, not in %s", o.OrderName, m.MissionName, at.Country, m.Country)
		}
		if at.Country == "" {
			t.Errorf("%s, %s lies off every coast", o.OrderName, m.MissionName)
		}
	}
	want := map[api.OrderStatus]api.MissionStatus{
		api.OrderBiddingWithQuote: api.MissionAwaitingPilot, api.OrderPendingOperator: api.MissionAwaitingPilot,
		api.OrderOperatorAssigned: api.MissionPilotAssigned, api.OrderFlyingDateSet: api.MissionFlightScheduled,
		api.OrderCompleted: api.MissionDataDelivered, api.OrderArchived: api.MissionDataDelivered,
		api.OrderCancelled: api.MissionCancelled, api.OrderRejected: api.MissionCancelled, api.OrderNotFeasible: api.MissionCancelled,
	}
	accepted := o.Status == api.OrderArchived && api.MissionStatuses()[least] == api.MissionCancelled || o.Status == api.OrderCompleted && least == slices.Index(api.MissionStatuses(), api.MissionCompleted)
	if got := api.MissionStatuses()[least]; got != want[o.Status] && !accepted {
		t.Errorf("%s is %s while its least advanced mission is %s", o.OrderName, o.Status, got)
	}
	if (o.Status == api.OrderRejected || o.Status == api.OrderNotFeasible) != (o.RejectionReason != nil) ||
		(o.Status == api.OrderArchived) != (o.ArchiveReason != nil) {
		t.Errorf("%s is %s with reasons %v, %v", o.OrderName, o.Status, o.RejectionReason, o.ArchiveReason)
	}
}

func TestDemoDataIsReproducible(t *testing.T) {
	at := newClock(time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	first := world(t, start(t, &server.Server{Demo: true, Now: at.now}))
	second := world(t, start(t, &server.Server{Demo: true, Now: at.now}))
	if string(mustJSON(t, first)) != string(mustJSON(t, second)) {
		t.Error("two demos at the same moment differ")
	}
}

// If the demo data was stored only in part, for example because the process was killed, it is stored
// again from the beginning, also minutes later, unless it was served in the meantime.
func TestInterruptedDemoDataIsAddedAgain(t *testing.T) {
	const further = 3_000
	at := newClock(time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	whole := worldCodes(t, start(t, &server.Server{Demo: true, DemoOrders: further, Now: at.now}))
	dir := t.TempDir()
	s := start(t, &server.Server{Dir: dir, Now: at.now})
	ctx, interrupt := context.WithCancel(t.Context())
	options := demodata.WorldOptions{Orders: further, Added: func(n int) {
		if n == further-1000 {
			interrupt()
		}
	}}
	if _, err := demodata.FillStore(ctx, server.DomainOf(s), options); err == nil {
		t.Fatal("it was not interrupted")
	}
	if part := worldCodes(t, s); len(part) == 0 || len(part) >= len(whole) {
		t.Errorf("%d of %d orders are there", len(part), len(whole))
	}
	at.advance(5 * time.Minute)
	if _, err := demodata.FillStore(t.Context(), server.DomainOf(s), demodata.WorldOptions{Orders: further}); err != nil {
		t.Fatal(err)
	}
	if again := worldCodes(t, s); !slices.Equal(again, whole) {
		t.Errorf("%d orders, want %d", len(again), len(whole))
	}
	if _, err := demodata.FillStore(t.Context(), server.DomainOf(s), demodata.WorldOptions{Orders: 1}); err != nil || len(worldCodes(t, s)) != len(whole) {
		t.Errorf("it was taken over once more: %v", err)
	}
}

func TestPartialDemoDataIsKeptOnceServed(t *testing.T) {
	dir := t.TempDir()
	s := start(t, &server.Server{Dir: dir})
	ctx, interrupt := context.WithCancel(t.Context())
	options := demodata.WorldOptions{Orders: 2000, Added: func(int) { interrupt() }}
	if _, err := demodata.FillStore(ctx, server.DomainOf(s), options); err == nil {
		t.Fatal("it was not interrupted")
	}
	part := worldCodes(t, s)
	for _, demo := range []bool{false, true} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = start(t, &server.Server{Dir: dir, Demo: demo, DemoOrders: 2000})
		if now := worldCodes(t, s); !slices.Equal(now, part) {
			t.Errorf("%d orders, want %d", len(now), len(part))
		}
	}
}

// worldCodes lists the orders of all accounts.
func worldCodes(t *testing.T, s *server.Server) []string {
	t.Helper()
	var codes []string
	d := server.DomainOf(s)
	accounts, err := d.Store.Accounts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range accounts {
		err := d.Records.All(t.Context(), &domain.Caller{Account: a}, func(o *store.OrderBrief) error {
			var record api.OrderRecord
			err := json.Unmarshal([]byte(o.Text), &record)
			codes = append(codes, record.OrderCode)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return codes
}

// An added account has its own copies of the orders of the first account, and their files can be
// downloaded.
func TestAddedAccountHasTheOrdersOfTheFirstAccount(t *testing.T) {
	s := start(t, &server.Server{Demo: true})
	first := ordersOf(t, s, s.Accounts()[0].Key)
	known := map[string]bool{}
	for _, o := range first {
		known[o.UUID] = true
		known[o.OrderCode] = true
	}
	for range 2 { // the second account has the same name
		added, err := s.AddDemoAccount(t.Context(), "user1")
		if err != nil {
			t.Fatal(err)
		}
		orders := ordersOf(t, s, added.Key)
		if len(orders) != len(first) {
			t.Errorf("%d orders, the first account has %d", len(orders), len(first))
		}
		files := 0
		for _, o := range orders {
			if known[o.UUID] || known[o.OrderCode] || o.CompanyName != "user1" {
				t.Errorf("%s of %s is another account's", o.OrderCode, o.CompanyName)
			}
			known[o.UUID] = true
			known[o.OrderCode] = true
			files += readFirstFile(t, clientOf(t, s, added.Key), o)
		}
		if files == 0 {
			t.Error("no order has files")
		}
	}
}

// readFirstFile reads one file of an order, and returns the number of files in its package.
func readFirstFile(t *testing.T, c *api.Client, o *api.Order) int {
	t.Helper()
	for _, m := range o.Missions {
		packages, err := c.Missions.Packages(t.Context(), m.UUID)
		if err != nil || len(packages) == 0 {
			continue
		}
		list, err := c.Files.List(t.Context(), packages[0].UUID)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.Files.Download(t.Context(), &list[0], io.Discard); err != nil || n == 0 {
			t.Errorf("%s: %d bytes, %v", list[0].FileName, n, err)
		}
		return len(list)
	}
	return 0
}
