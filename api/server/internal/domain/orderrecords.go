package domain

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// findOrder looks an order up by its uuid or its code.
func (d *ServiceParts) findOrder(ctx context.Context, id string) (store.Order, error) {
	if len(id) == len("00000000-0000-7000-8000-000000000000") {
		return d.Store.OrderByUUID(ctx, id)
	}
	return d.Store.OrderByCode(ctx, id)
}

// Order returns one of the caller's orders by its uuid or its code.
func (d Records) Order(ctx context.Context, c *Caller, id string) (store.Order, error) {
	o, err := d.findOrder(ctx, id)
	if err = authorizeAccess(c, o, err); err != nil {
		return store.Order{}, wrapStoreError(err, "read order")
	}
	return o, nil
}

// RecordOf returns all that the v2 API shows of an order.
func (d Records) RecordOf(ctx context.Context, o store.Order) (store.Record, error) {
	r, err := d.Store.Record(ctx, o.ID)
	return r, wrapStoreError(err, "read order")
}

// RecordPage chooses orders of an account by number.
type RecordPage struct {
	Status api.RecordStatus // "": any but deleted
	Limit  int
	Page   int // from 0
}

// List calls each with the orders of a page, newest first.
func (d Records) List(ctx context.Context, c *Caller, p RecordPage, each func(*store.OrderBrief) error) error {
	page, err := d.Store.RecordPage(ctx, c.Account.ID, p.Status, int64(p.Limit), int64(p.Page)*int64(p.Limit))
	return wrapStoreError(eachRecord(page, err, each), "list orders")
}

// recordsAtOnce is how many orders of a whole list are in memory.
const recordsAtOnce = 200

// All calls each with all orders of an account, newest first. What is
// placed meanwhile is not among them, and what is deleted meanwhile may not be.
func (d Records) All(ctx context.Context, c *Caller, each func(*store.OrderBrief) error) error {
	var last *store.Position
	for {
		page, err := d.Store.Records(ctx, c.Account.ID, recordsAtOnce, last)
		if err = eachRecord(page, err, each); err != nil || len(page) < recordsAtOnce {
			return wrapStoreError(err, "list orders")
		}
		last = &page[len(page)-1].Place
	}
}

func eachRecord(page []store.OrderBrief, err error, each func(*store.OrderBrief) error) error {
	for i := 0; i < len(page) && err == nil; i++ {
		err = each(&page[i])
	}
	return err
}
