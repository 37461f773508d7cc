package domain_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func TestOrdersAreStoredAsPlaced(t *testing.T) {
	d, c := open(t)
	zone := time.FixedZone("", -1800)
	start := time.Date(2026, 4, 1, 0, 0, 0, 0, zone)
	deadline := time.Date(2026, 4, 9, 0, 0, 0, 0, zone)
	d.Now = func() time.Time { return noon.Add(999 * time.Microsecond) }
	o, err := d.Orders.Place(t.Context(), c, domain.OrderPlacement{Request: api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "C", OrderName: "N", OrderType: api.MultiLocation, Sensors: []api.Sensor{"rgbSensor", "lidar", "rgbSensor"},
			Deliverables: []api.Deliverable{"digitalTerrainModel", "digitalTerrainModel"}, MissionObjective: "mapAndSurvey",
			IndustryAssetType: "forest", StartDate: api.TimeOf(start), Deadline: api.TimeOf(deadline),
		},
		Missions: []api.MissionInput{
			{MissionName: "A", MissionType: api.MissionArea, Country: "Germany", LocationLabel: "L", AreaSize: 1.5, LocationMap: []api.Point{{Lat: 1, Lng: 2}}},
			{MissionName: "B", MissionType: api.MissionAsset, AreaSize: 2},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, missions, err := d.Orders.WithMissions(t.Context(), c, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	if !got.Created.Equal(noon) || !got.Updated.Equal(noon) || !got.StartDate.Equal(start) || !got.Deadline.Equal(deadline) || got.MissionCount != 2 || got.AreaSize != 3.5 ||
		got.Name != "N" || got.CompanyName != "C" || got.Status != api.OrderBiddingWithQuote || got.MissionObjective != "mapAndSurvey" || got.IndustryAssetType != "forest" {
		t.Errorf("kept as %+v", got)
	}
	if !slices.Equal(got.Sensors, []api.Sensor{"rgbSensor", "lidar"}) || !slices.Equal(got.Deliverables, []api.Deliverable{"digitalTerrainModel", api.DeliverableJPG}) {
		t.Errorf("kept with %v, %v", got.Sensors, got.Deliverables)
	}
	a := missions[0]
	b := missions[1]
	if a.Name != "A" || a.Country != "Germany" || a.LocationLabel != "L" || a.AreaSize != 1.5 || len(a.LocationMap) != 1 || a.City != nil || !a.Created.Equal(noon) || !a.Updated.Equal(noon) ||
		b.Type != api.MissionAsset || b.Position != 1 || b.Code == a.Code || b.UUID == a.UUID || a.Status != api.MissionAwaitingPilot {
		t.Errorf("with missions %+v", missions)
	}
}

// A request that is repeated within a day places one order.
func TestIdempotencyKeysAreValidForADay(t *testing.T) {
	d, c := open(t)
	other, err := d.Accounts.NewAccount(t.Context(), store.Account{CompanyName: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	place := func(c *domain.Caller, after time.Duration, key, body string) (string, error) {
		t.Helper()
		d.Now = func() time.Time { return noon.Add(after) }
		o, err := d.Orders.Place(t.Context(), c, domain.OrderPlacement{
			Request: api.CreateOrderRequest{Missions: []api.MissionInput{{}}}, IdempotencyKey: key, Body: []byte(body),
		})
		if err == nil {
			if got, err := d.Orders.ByCode(t.Context(), c, o.Code); err != nil || got.UUID != o.UUID || !got.Created.Equal(o.Created) {
				t.Errorf("answered with %+v, kept %+v, %v", o, got, err)
			}
		}
		return o.Code, err
	}
	const day = 24 * time.Hour
	first, err := place(c, 0, "k", "body")
	if err != nil {
		t.Fatal(err)
	}
	for _, again := range []struct {
		c         *domain.Caller
		after     time.Duration
		key, body string
		same      bool
		code      api.ErrorCode
	}{
		{c, time.Hour, "k", "body", true, ""},
		{c, time.Hour, "k", "another", false, api.CodeConflict},
		{c, time.Hour, "l", "body", false, ""},
		{c, time.Hour, "", "body", false, ""},
		{&domain.Caller{Account: other}, time.Hour, "k", "another", false, ""},
		{c, day, "k", "body", true, ""},
		{c, day + time.Millisecond, "k", "another", false, ""},
	} {
		code, err := place(again.c, again.after, again.key, again.body)
		if codeOf(err) != again.code || err == nil && (code == first) != again.same {
			t.Errorf("%v later with %q and %q: %s, %v", again.after, again.key, again.body, code, err)
		}
	}
}

func TestListsArePagedBothWays(t *testing.T) {
	d, c := open(t)
	for range 5 {
		bidding(t, d, c, 0)
	}
	var at []*store.Position // of the orders, newest first
	for i := range 5 {
		o, err := d.Orders.ByCode(t.Context(), c, fmt.Sprint("ORD-", 100205-i))
		if err != nil {
			t.Fatal(err)
		}
		p := o.Position()
		at = append(at, &p)
	}
	for _, try := range []struct {
		from   int // -1: from the start
		before bool
		limit  int
		want   []int
		more   bool
		end    int
	}{
		{-1, false, 5, []int{0, 1, 2, 3, 4}, false, 4},
		{-1, false, 4, []int{0, 1, 2, 3}, true, 3},
		{-1, false, 0, []int{0, 1, 2, 3, 4}, false, 4},
		{1, false, 2, []int{2, 3}, true, 3},
		{1, false, 3, []int{2, 3, 4}, false, 4},
		{4, false, 3, nil, false, -1},
		{4, true, 3, []int{1, 2, 3}, true, 1},
		{3, true, 3, []int{0, 1, 2}, false, 0},
		{0, true, 3, nil, false, -1},
		{-1, true, 3, []int{0, 1, 2}, false, 2},
	} {
		w := store.ListWindow{Limit: try.limit, Before: try.before}
		if try.from >= 0 {
			w.From = at[try.from]
		}
		page, err := d.Orders.OfAllAccounts(t.Context(), store.OrderFilter{}, w)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, o := range page.Items {
			got = append(got, slices.IndexFunc(at, func(p *store.Position) bool { return *p == o.Position() }))
		}
		end := -1
		if page.End != nil {
			end = slices.IndexFunc(at, func(p *store.Position) bool { return *p == *page.End })
		}
		if !slices.Equal(got, try.want) || page.More != try.more || end != try.end {
			t.Errorf("%+v: %v, %v, to %d", try, got, page.More, end)
		}
	}
}

// Only its account sees an order, and only the v2 API shows orders without missions.
func TestOrdersAreVisibleToTheirAccountOnly(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	placed, quotes := bidding(t, d, c, 1)
	bare := domain.PastOrder{AccountUUID: c.Account.UUID, UUID: "00000000-0000-7000-8000-000000000001", Code: "P-1", AreaSize: 7, Status: api.OrderCompleted, Created: noon, Updated: noon}
	if err := d.Upkeep.AddWorld(ctx, domain.SeedWorld{Accounts: []store.Account{c.Account}, Orders: []domain.PastOrder{bare}}); err != nil {
		t.Fatal(err)
	}
	_, bareErr := d.Orders.ByUUID(ctx, c, bare.UUID)
	_, bareCode := d.Orders.ByCode(ctx, c, "P-1")
	_, _, bareWhole := d.Orders.WithMissions(ctx, c, "P-1")
	for what, err := range map[string]error{"by its uuid": bareErr, "by its code": bareCode, "whole": bareWhole} {
		if codeOf(err) != api.CodeNotFound {
			t.Errorf("without missions, %s: %v", what, err)
		}
	}
	for _, id := range []string{placed.UUID, placed.Code, bare.UUID, "P-1"} {
		if _, err := d.Records.Order(ctx, c, id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := d.Records.Order(ctx, &domain.Caller{}, id); codeOf(err) != api.CodeNotYourResource {
			t.Errorf("another's %s: %v", id, err)
		}
	}
	if o, err := d.Records.Order(ctx, c, "P-1"); err != nil || o.AreaSize != 7 {
		t.Errorf("%+v, %v", o, err)
	}
	if q, err := d.Quotes.Find(ctx, c, placed.Code, quotes[0].UUID); err != nil || q.Name != quotes[0].Name {
		t.Errorf("%+v, %v", q, err)
	}
	for what, err := range map[string]error{
		"a quote of another order": func() error { _, err := d.Quotes.Find(ctx, c, "P-1", quotes[0].UUID); return err }(),
		"a quote of no order":      func() error { _, err := d.Quotes.Find(ctx, c, "P-2", quotes[0].UUID); return err }(),
		"no mission":               func() error { _, _, err := d.Missions.Find(ctx, c, "none"); return err }(),
		"no code of an order":      func() error { _, err := d.Orders.UUIDOf(ctx, "P-2"); return err }(),
		"no code of a mission":     func() error { _, err := d.Orders.UUIDOfMission(ctx, "P-2"); return err }(),
		"no order":                 func() error { _, err := d.Orders.Detail(ctx, "none"); return err }(),
	} {
		if codeOf(err) != api.CodeNotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	mission := kept(t, d, placed.UUID).Missions[0]
	if o, m, err := d.Missions.Find(ctx, c, mission.UUID); err != nil || o.UUID != placed.UUID || m.Code != mission.Code {
		t.Errorf("%+v, %+v, %v", o, m, err)
	}
	if _, _, err := d.Missions.Find(ctx, &domain.Caller{}, mission.UUID); codeOf(err) != api.CodeNotYourResource {
		t.Errorf("another's mission: %v", err)
	}
	if uuid, err := d.Orders.UUIDOfMission(ctx, mission.Code); err != nil || uuid != placed.UUID {
		t.Errorf("%s, %v", uuid, err)
	}
	if all, err := d.Orders.Detail(ctx, mission.UUID); err != nil || all.Order.UUID != placed.UUID || len(all.Missions) == 0 {
		t.Errorf("the order of a mission: %+v, %v", all.Order, err)
	}
	if uuid, err := d.Orders.UUIDOf(ctx, placed.Code); err != nil || uuid != placed.UUID {
		t.Errorf("%s, %v", uuid, err)
	}
}

// A full list is read in batches, a page by its number.
func TestRecordsAreListedCompletely(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	for _, n := range []int{0, 1, 199, 1, 199, 1} { // 0, 1, 200, 201, 400 and 401 orders
		var past []domain.PastOrder
		for range n {
			past = append(past, domain.PastOrder{AccountUUID: c.Account.UUID, UUID: fmt.Sprint(n, len(past), t.Name(), d.Now().UnixNano()), Status: api.OrderCompleted, Created: d.Now(), Updated: d.Now()})
		}
		now := d.Now().Add(time.Second)
		d.Now = func() time.Time { return now }
		if err := d.Upkeep.AddWorld(ctx, domain.SeedWorld{Accounts: []store.Account{c.Account}, Orders: past}); err != nil {
			t.Fatal(err)
		}
		var all, paged []string
		if err := d.Records.All(ctx, c, func(o *store.OrderBrief) error { all = append(all, o.Text); return nil }); err != nil {
			t.Fatal(err)
		}
		for page := 0; len(paged) == 100*page; page++ {
			err := d.Records.List(ctx, c, domain.RecordPage{Limit: 100, Page: page}, func(o *store.OrderBrief) error { paged = append(paged, o.Text); return nil })
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(all, paged) || !slices.IsSortedFunc(all, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("%d more orders: %d whole, %d in pages", n, len(all), len(paged))
		}
	}
	failed := errors.New("the client is gone")
	n := 0
	if err := d.Records.All(ctx, c, func(*store.OrderBrief) error { n++; return failed }); err == nil || n != 1 {
		t.Errorf("it goes on after %v, %d times", err, n)
	}
}
