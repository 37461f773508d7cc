package demodata

import (
	"context"
	"crypto/rand"
	"slices"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// WorldOptions configures the demo world.
type WorldOptions struct {
	Orders   int   // additional orders of the first account, up to MaxOrders
	FileSize int64 // approximate size of the files of each type in bytes; 0 is small

	Added func(n int) // called after every thousand additional orders with their number; may be nil
}

// FillStore fills an empty store with the demo world, and returns the demo accounts in
// the store. It does not change a store that is not empty.
func FillStore(ctx context.Context, d *domain.Service, o WorldOptions) ([]store.Account, error) {
	isSeeded, err := d.Upkeep.IsSeeded(ctx)
	if err != nil {
		return nil, err
	}
	if !isSeeded {
		if err := seedWorld(ctx, d, o); err != nil {
			return nil, err
		}
	}
	accounts, err := d.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(accounts, func(a store.Account) bool { return !isDemo(a.UUID) }), nil
}

// seedWorld fills an empty store with the demo world. If the store was filled before, the world
// gets the same UUIDs as then.
func seedWorld(ctx context.Context, d *domain.Service, o WorldOptions) error {
	now := d.Now()
	first, _, err := d.Upkeep.FilledTimes(ctx)
	if err != nil {
		return err
	}
	if first.IsZero() {
		first = now
	}
	w, err := PrepareWorld(ctx, d, now, first, o)
	if err != nil {
		return err
	}
	return d.Upkeep.Seed(ctx, w)
}

// PrepareWorld builds the demo world and stores the documents of its flight permissions as files.
// It adds no records to the database.
func PrepareWorld(
	ctx context.Context, d *domain.Service, now, first time.Time, o WorldOptions,
) (domain.SeedWorld, error) {
	w := BuildWorld(now, first, o)
	return w, storePermits(ctx, d, &w)
}

// FirstCompany returns the company name of the first account.
func FirstCompany() string { return demoAccounts()[0].CompanyName }

// Accounts is the number of demo accounts.
const Accounts = 3

// SampleRequest returns a request for an order of one site, like the orders of the demo
// accounts, and the UUID of the account that places it. n counts the requests: 0 to 2 select
// the first order of the first, second and third account, 3 to 5 the second order of each
// account, and so on. After the last order of an account, the first one follows again.
func SampleRequest(n int, now time.Time) (accountUUID string, req api.CreateOrderRequest) {
	a := demoAccounts()[n%Accounts]
	o := a.Orders[n/Accounts%len(a.Orders)]
	o.Name = o.Sites[0].Label
	o.Sites = o.Sites[:1]
	o.Status = api.OrderBiddingWithQuote
	o.Bids = bidsAwaited
	o.DaysAgo = 0
	return a.UUID, newWorldMaker(now, now, a.UUID, o.Name).makeOrder(a.Account, o).Request
}

func isDemo(uuid string) bool {
	return slices.ContainsFunc(demoAccounts(), func(a demoAccount) bool { return a.UUID == uuid })
}

// BuildWorld returns the demo world. Everything in it happened before now. first is the time at
// which the world was first created. It determines the UUIDs, so a world that is built again with
// the same first has the same UUIDs.
func BuildWorld(now, first time.Time, o WorldOptions) domain.SeedWorld {
	now = minuteBefore(now)
	first = minuteBefore(first)
	w := buildWorld(newSampleLister(o.FileSize, demoAccounts()), now, first)
	if o.Orders > 0 {
		w.Bulk = bulkOrders(o, now, first)
	}
	return w
}

// AddAccount adds an account with the orders of the first demo account, and returns it.
func AddAccount(ctx context.Context, d *domain.Service, company string, fileSize int64) (store.Account, error) {
	now := minuteBefore(d.Now())
	model := demoAccounts()[0]
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	added := model
	added.UUID = domain.FormUUID(now, random)
	added.CompanyName = company
	added.Recorded = nil
	samples := newSampleLister(fileSize, []demoAccount{added})
	samples.model = model.UUID
	w := buildWorld(samples, now, now)
	if err := storePermits(ctx, d, &w); err != nil {
		return added.Account, err
	}
	return added.Account, d.Upkeep.AddWorld(ctx, w)
}

// buildWorld returns the demo world with the accounts in samples.accounts. Everything in it
// happened before now. first is the time at which the world was first created; it determines the
// UUIDs, see [BuildWorld]. buildWorld lists the sample files of the world with samples. This also
// saves the mission data of the files in samples.sources.
func buildWorld(samples sampleLister, now, first time.Time) domain.SeedWorld {
	var w domain.SeedWorld
	for i, a := range samples.accounts {
		account := a.Account
		account.Created = now.AddDate(-2, -i, 0)
		w.Accounts = append(w.Accounts, account)
		for _, o := range a.Orders {
			maker := newWorldMaker(now, first, account.UUID, o.Name)
			w.Orders = append(w.Orders, maker.makeOrder(account, o))
		}
		for _, o := range a.Recorded { // orders of the v2 API, which have no missions
			maker := newWorldMaker(now, first, account.UUID, o.Name)
			w.Orders = append(w.Orders, maker.makeRecordedOrder(account, o))
		}
	}
	sort.SliceStable(w.Orders, func(i, j int) bool { return w.Orders[i].Created.Before(w.Orders[j].Created) })
	deliverMissions(&w, samples, now, first) // needs the sorted orders
	// The logs of the endpoints contain events of deliveries, so they follow deliverMissions.
	for i, a := range samples.accounts {
		newWorldMaker(now, first, a.UUID).addAccountData(&w, i, a)
	}
	sort.SliceStable(w.KeyRequests, func(i, j int) bool {
		return w.KeyRequests[i].Created.Before(w.KeyRequests[j].Created)
	})
	return w
}

// minuteBefore returns the last whole minute before t.
func minuteBefore(t time.Time) time.Time { return t.UTC().Add(-time.Millisecond).Truncate(time.Minute) }

// addAccountData adds the keys of an account, its requests for keys, and its endpoints
// with their logs. place is the account's position in the list of accounts.
func (m *worldMaker) addAccountData(w *domain.SeedWorld, place int, a demoAccount) {
	m.addKeys(w, a)
	events := eventsOf(w.Orders, a.UUID)
	for _, e := range a.Endpoints {
		// The accounts register their endpoints an hour apart, the last account first.
		registered := m.daysAgo(e.DaysAgo).Add(-time.Duration(place) * time.Hour)
		w.Webhooks = append(w.Webhooks, m.makeEndpoint(a.UUID, e, events, registered))
	}
}
