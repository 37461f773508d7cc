package sample

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/desk"
	"flightdesk/api/server/store"
)

// account is a demo account and what it has ordered.
type account struct {
	store.Account
	orders []order
}

// order is an order of the world, as its table tells it.
type order struct {
	name         string
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
	ahead        int // so many of its missions are one step further than the order
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
type Options struct{}

// Fill puts the world into the desk's store if it has no accounts, and returns
// the demo accounts that the store has.
func Fill(ctx context.Context, d *desk.Desk, o Options) ([]store.Account, error) {
	have, err := d.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	if len(have) == 0 {
		now := d.Now()
		if err := d.TakeOver(ctx, World(now, now, o)); err != nil {
			return nil, err
		}
		if have, err = d.Store.Accounts(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(have, func(a store.Account) bool { return !isDemo(a.UUID) }), nil
}

func accounts() []account { return []account{windFarms(), cityPlanning(), reliefMapping()} }

func isDemo(uuid string) bool {
	return slices.ContainsFunc(accounts(), func(a account) bool { return a.UUID == uuid })
}

// World tells the tables' orders as seen at now. Its ids are those that it had
// when it was first made.
func World(now, first time.Time, _ Options) desk.World {
	now, first = now.UTC().Truncate(time.Minute), first.UTC().Truncate(time.Minute)
	var w desk.World
	for i, a := range accounts() {
		made := newMaker(uint64(i+1), now, first)
		record := a.Account
		record.Created = now.AddDate(-2, -i, 0)
		w.Accounts = append(w.Accounts, record)
		for _, o := range a.orders {
			past := made.order(record, o)
			w.Orders = append(w.Orders, past)
		}
	}
	slices.SortStableFunc(w.Orders, func(a, b desk.PastOrder) int { return a.Created.Compare(b.Created) })
	return w
}
