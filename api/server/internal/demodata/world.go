package demodata

import (
	"context"
	"crypto/rand"
	"slices"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

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
func PrepareWorld(
	ctx context.Context, d *domain.Service, now, first time.Time, o WorldOptions,
) (domain.SeedWorld, error) {
	w := BuildWorld(now, first, o)
	return w, keepPermits(ctx, d, &w)
}

// FirstCompany returns the name of the first account.
func FirstCompany() string { return demoAccounts()[0].CompanyName }

// Accounts is how many accounts the world has.
const Accounts = 3

// SampleRequest returns a request for an order of one site, such as the world's accounts
// place them: n chooses account and place, each account in turn, the first for 0.
func SampleRequest(n int, now time.Time) (accountUUID string, req api.CreateOrderRequest) {
	a := demoAccounts()[n%Accounts]
	o := a.Orders[n/Accounts%len(a.Orders)]
	o.Name = o.Sites[0].Label
	o.Sites = o.Sites[:1]
	o.Status = api.OrderBiddingWithQuote
	o.Bids = bidsAwaited
	o.DaysAgo = 0
	return a.UUID, newWorldMaker(now, now, a.UUID, o.Name).orderOf(a.Account, o).Request
}

func isDemo(uuid string) bool {
	return slices.ContainsFunc(demoAccounts(), func(a demoAccount) bool { return a.UUID == uuid })
}

// BuildWorld tells the tables' orders as seen at now, all of it from before now. Its
// ids are those that it had when it was first made.
func BuildWorld(now, first time.Time, o WorldOptions) domain.SeedWorld {
	now = minuteBefore(now)
	first = minuteBefore(first)
	w := buildWorld(sampleLister{o.FileSize, demoAccounts(), "", map[string]product.Mission{}}, now, first)
	if o.Orders > 0 {
		w.Bulk = bulkOrders(o, now, first)
	}
	return w
}

// AddAccount adds an account with what the first one of the world has, and returns it.
func AddAccount(ctx context.Context, d *domain.Service, company string, fileSize int64) (store.Account, error) {
	now := minuteBefore(d.Now())
	a := demoAccounts()[0]
	like := a.UUID
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	a.UUID = domain.FormUUID(now, random)
	a.CompanyName = company
	a.Recorded = nil
	w := buildWorld(sampleLister{fileSize, []demoAccount{a}, like, map[string]product.Mission{}}, now, now)
	if err := keepPermits(ctx, d, &w); err != nil {
		return a.Account, err
	}
	return a.Account, d.Upkeep.AddWorld(ctx, w)
}

// buildWorld makes the world of the accounts, and notes what the files of its packages
// are made from.
func buildWorld(samples sampleLister, now, first time.Time) domain.SeedWorld {
	var w domain.SeedWorld
	for i, a := range samples.accounts {
		record := a.Account
		record.Created = now.AddDate(-2, -i, 0)
		w.Accounts = append(w.Accounts, record)
		for _, o := range a.Orders {
			w.Orders = append(w.Orders, newWorldMaker(now, first, record.UUID, o.Name).orderOf(record, o))
		}
		for _, o := range a.Recorded {
			w.Orders = append(w.Orders, newWorldMaker(now, first, record.UUID, o.Name).recordedOrder(record, o))
		}
	}
	sort.SliceStable(w.Orders, func(i, j int) bool { return w.Orders[i].Created.Before(w.Orders[j].Created) })
	deliverMissions(&w, samples, now, first)
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
