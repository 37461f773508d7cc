package demodata

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// account is a demo account and what it has ordered.
type account struct {
	store.Account
	orders    []order
	recorded  []order // that only the v2 API has: their sites become no missions
	endpoints []endpoint
	datasets  []dataset
	imports   string // what its granted request for a key was for
	wishes    string // what its open request is for
}

// order is an order of the world, as its table tells it.
type order struct {
	name         string
	code         string // "": the next one
	status       api.OrderStatus
	before       api.OrderStatus // of an archived order: its status until then
	reason       string          // of rejecting or archiving
	daysAgo      float64         // when it was placed
	startIn      int             // days from placing to startDate
	days         int             // days from startDate to deadline
	objective    api.MissionObjective
	asset        api.IndustryAssetType
	sensors      []api.Sensor
	deliverables []api.Deliverable
	sites        []site
	ahead        int     // so many of its missions are one step further than the order
	bids         bids    // how its quotes stand while it bids
	moved        bool    // its flight was moved for the weather
	twice        bool    // its data was delivered a second time
	otherMap     string  // a kind of map that is none of the products
	notice       notices // how its client hears that it is complete
}

// site is the place of a mission.
type site struct {
	name    string // of the mission
	label   string
	country string
	city    string
	shape   shape
}

// Options say what the world has beside its tables.
type Options struct {
	Orders   int   // further orders of the first account, up to MaxOrders
	FileSize int64 // about how many bytes each kind of the files takes; 0 is small

	Added func(n int) // is told after each thousand of them how many there are, nil for nobody
}

// Fill puts the world into the domain's store if it has no accounts, and returns
// the demo accounts that the store has.
func Fill(ctx context.Context, d *domain.Service, o Options) ([]store.Account, error) {
	seeded, err := d.Upkeep.IsSeeded(ctx)
	if err != nil {
		return nil, err
	}
	if !seeded {
		now := d.Now()
		w, err := Prepare(ctx, d, now, now, o)
		if err != nil {
			return nil, err
		}
		if err := d.Upkeep.Seed(ctx, w); err != nil {
			return nil, err
		}
	}
	have, err := d.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(have, func(a store.Account) bool { return !isDemo(a.UUID) }), nil
}

// Prepare makes the world for the domain's store, which has the documents of its
// flight permissions then.
func Prepare(ctx context.Context, d *domain.Service, now, first time.Time, o Options) (domain.World, error) {
	w := World(now, first, o)
	return w, keepPermits(ctx, d, &w)
}

func accounts() []account { return []account{windFarms(), cityPlanning(), reliefMapping()} }

// Company is the name of the first account.
func Company() string { return windFarms().CompanyName }

// Accounts is how many accounts the world has.
const Accounts = 3

// Request is a request for an order of one site, such as the world's accounts
// place them: n chooses account and place, each account in turn, the first for 0.
func Request(n int, now time.Time) (accountUUID string, req api.CreateOrderRequest) {
	a := accounts()[n%Accounts]
	o := a.orders[n/Accounts%len(a.orders)]
	o.name, o.sites, o.status, o.bids, o.daysAgo = o.sites[0].label, o.sites[:1], api.OrderBiddingWithQuote, bidsAwaited, 0
	return a.UUID, newMaker(now, now, a.UUID, o.name).order(a.Account, o).Request
}

func isDemo(uuid string) bool {
	return slices.ContainsFunc(accounts(), func(a account) bool { return a.UUID == uuid })
}

// World tells the tables' orders as seen at now, all of it from before now. Its
// ids are those that it had when it was first made.
func World(now, first time.Time, o Options) domain.World {
	now, first = minuteBefore(now), minuteBefore(first)
	w, sources := build(now, first)
	if o.FileSize > 0 {
		enlarge(&w, sources, o.FileSize, first)
	}
	if o.Orders > 0 {
		w.Bulk = bulk(o, now, first)
	}
	return w
}

// build makes the world, and tells what the files of its packages are made
// from.
func build(now, first time.Time) (w domain.World, sources map[string]product.Mission) {
	for i, a := range accounts() {
		record := a.Account
		record.Created = now.AddDate(-2, -i, 0)
		w.Accounts = append(w.Accounts, record)
		for _, o := range a.orders {
			w.Orders = append(w.Orders, newMaker(now, first, record.UUID, o.name).order(record, o))
		}
		for _, o := range a.recorded {
			w.Orders = append(w.Orders, newMaker(now, first, record.UUID, o.name).recorded(record, o))
		}
	}
	slices.SortStableFunc(w.Orders, func(a, b domain.PastOrder) int { return a.Created.Compare(b.Created) })
	sources = deliver(&w, now, first)
	for i, a := range accounts() {
		newMaker(now, first, a.UUID).around(&w, i, a)
	}
	slices.SortStableFunc(w.KeyRequests, func(a, b domain.PastKeyRequest) int { return a.Created.Compare(b.Created) })
	return w, sources
}

// minuteBefore is the last whole minute before t.
func minuteBefore(t time.Time) time.Time { return t.UTC().Add(-time.Millisecond).Truncate(time.Minute) }
