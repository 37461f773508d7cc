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

// demoAccount is a demo account and what it has ordered.
type demoAccount struct {
	store.Account
	orders    []demoOrder
	recorded  []demoOrder // that only the v2 API has: their sites become no missions
	endpoints []demoEndpoint
	datasets  []demoDataset
	imports   string // what its granted request for a key was for
	wishes    string // what its open request is for
}

// demoOrder is an order of the world, as its table tells it.
type demoOrder struct {
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
	sites        []demoSite
	ahead        int         // so many of its missions are one step further than the order
	bids         bidState    // how its quotes stand while it bids
	moved        bool        // its flight was moved for the weather
	twice        bool        // its data was delivered a second time
	otherMap     string      // a kind of map that is none of the products
	notice       noticeState // how its client hears that it is complete
}

// demoSite is the place of a mission.
type demoSite struct {
	name    string // of the mission
	label   string
	country string
	city    string
	shape   missionShape
}

// WorldOptions say what the world has beside its tables.
type WorldOptions struct {
	Orders   int   // further orders of the first account, up to MaxOrders
	FileSize int64 // about how many bytes each kind of the files takes; 0 is small

	Added func(n int) // is told after each thousand of them how many there are, nil for nobody
}

// FillStore puts the world into the domain's store if it has no accounts, and returns
// the demo accounts that the store has.
func FillStore(ctx context.Context, d *domain.Service, o WorldOptions) ([]store.Account, error) {
	seeded, err := d.Upkeep.IsSeeded(ctx)
	if err != nil {
		return nil, err
	}
	if !seeded {
		now := d.Now()
		w, err := PrepareWorld(ctx, d, now, now, o)
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

// PrepareWorld makes the world for the domain's store, which has the documents of its
// flight permissions then.
func PrepareWorld(ctx context.Context, d *domain.Service, now, first time.Time, o WorldOptions) (domain.SeedWorld, error) {
	w := BuildWorld(now, first, o)
	return w, keepPermits(ctx, d, &w)
}

func demoAccounts() []demoAccount { return []demoAccount{windFarms(), cityPlanning(), reliefMapping()} }

// FirstCompany returns the name of the first account.
func FirstCompany() string { return windFarms().CompanyName }

// Accounts is how many accounts the world has.
const Accounts = 3

// SampleRequest returns a request for an order of one site, such as the world's accounts
// place them: n chooses account and place, each account in turn, the first for 0.
func SampleRequest(n int, now time.Time) (accountUUID string, req api.CreateOrderRequest) {
	a := demoAccounts()[n%Accounts]
	o := a.orders[n/Accounts%len(a.orders)]
	o.name, o.sites, o.status, o.bids, o.daysAgo = o.sites[0].label, o.sites[:1], api.OrderBiddingWithQuote, bidsAwaited, 0
	return a.UUID, newWorldMaker(now, now, a.UUID, o.name).orderOf(a.Account, o).Request
}

func isDemo(uuid string) bool {
	return slices.ContainsFunc(demoAccounts(), func(a demoAccount) bool { return a.UUID == uuid })
}

// BuildWorld tells the tables' orders as seen at now, all of it from before now. Its
// ids are those that it had when it was first made.
func BuildWorld(now, first time.Time, o WorldOptions) domain.SeedWorld {
	now, first = minuteBefore(now), minuteBefore(first)
	w, _ := buildWorld(now, first, o.FileSize)
	if o.Orders > 0 {
		w.Bulk = bulkOrders(o, now, first)
	}
	return w
}

// buildWorld makes the world with files of a size, and tells what the files of its
// packages are made from.
func buildWorld(now, first time.Time, fileSize int64) (w domain.SeedWorld, samples sampleLister) {
	samples = sampleLister{fileSize, map[string]product.Mission{}}
	for i, a := range demoAccounts() {
		record := a.Account
		record.Created = now.AddDate(-2, -i, 0)
		w.Accounts = append(w.Accounts, record)
		for _, o := range a.orders {
			w.Orders = append(w.Orders, newWorldMaker(now, first, record.UUID, o.name).orderOf(record, o))
		}
		for _, o := range a.recorded {
			w.Orders = append(w.Orders, newWorldMaker(now, first, record.UUID, o.name).recordedOrder(record, o))
		}
	}
	slices.SortStableFunc(w.Orders, func(a, b domain.PastOrder) int { return a.Created.Compare(b.Created) })
	deliverMissions(&w, samples, now, first)
	for i, a := range demoAccounts() {
		newWorldMaker(now, first, a.UUID).addAccountData(&w, i, a)
	}
	slices.SortStableFunc(w.KeyRequests, func(a, b domain.PastKeyRequest) int { return a.Created.Compare(b.Created) })
	return w, samples
}

// minuteBefore returns the last whole minute before t.
func minuteBefore(t time.Time) time.Time { return t.UTC().Add(-time.Millisecond).Truncate(time.Minute) }
