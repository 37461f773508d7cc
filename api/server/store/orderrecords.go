package store

import (
	"context"
	"database/sql"

	"flightdesk/api"
)

// RecordStatus is the status that the second generation shows of an order.
func RecordStatus(o Order, openQuotes int) api.RecordStatus {
	status := o.Status
	if o.StatusBefore != nil {
		status = *o.StatusBefore
	}
	switch {
	case status != api.OrderBiddingWithQuote:
		return api.RecordStatus(status)
	case openQuotes > 0:
		return api.RecordQuoteReceived
	default:
		return api.RecordReviewing
	}
}

// recordStatus is [RecordStatus] in SQL, as the index orders_record has it.
const recordStatus = `(CASE
    WHEN COALESCE(status_before, status) <> 'biddingWithQuote' THEN COALESCE(status_before, status)
    WHEN open_quotes > 0 THEN 'quoteReceived' ELSE 'reviewing' END)`

// The pages are found in the indexes alone; only what is on one is read.
const (
	numberedOrders = `SELECT ` + orderColumns + ` FROM orders WHERE id IN (SELECT id FROM orders
		WHERE account_id = $1 AND status <> 'deleted' ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)
		ORDER BY created DESC, id DESC`
	numberedOrdersByStatus = `SELECT ` + orderColumns + ` FROM orders WHERE id IN (SELECT id FROM orders
		WHERE account_id = $1 AND ` + recordStatus + ` = $4 ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)
		ORDER BY created DESC, id DESC`
)

// NumberedOrders returns a page of an account's orders, newest first: limit of
// them, after so many others. Without a status deleted ones are left out.
func (s *Store) NumberedOrders(ctx context.Context, accountID int64, status api.RecordStatus, limit, offset int64) ([]Order, error) {
	if status == "" {
		return collect(ctx, s, scanOrder, numberedOrders, accountID, limit, offset)
	}
	return collect(ctx, s, scanOrder, numberedOrdersByStatus, accountID, limit, offset, status)
}

// Record is an order as the second generation shows it.
type Record struct {
	Order     Order
	Extras    Extras
	Locations [][]api.Point // one a mission
	Files     []File        // delivered, oldest package first
}

// Record returns all that a record shows of an order, as it stood at one
// moment.
func (s *Store) Record(ctx context.Context, orderID int64) (r Record, err error) {
	err = s.view(ctx, func(q querier) (err error) {
		r.Order, err = single(ctx, q, scanOrder, `SELECT `+orderColumns+` FROM orders WHERE id = $1`, orderID)
		if err != nil {
			return err
		}
		if r.Locations, err = collect(ctx, q, scanLocation, locationsOfOrder, orderID); err != nil {
			return err
		}
		return r.rest(ctx, q)
	})
	return r, err
}

// Brief fills in what a list shows of an order: as Record, but the location of
// its first mission only.
func (s *Store) Brief(ctx context.Context, o Order) (r Record, err error) {
	r.Order = o
	err = s.view(ctx, func(q querier) (err error) {
		r.Locations, err = collect(ctx, q, scanLocation, locationsOfOrder+` LIMIT 1`, o.ID)
		if err != nil {
			return err
		}
		return r.rest(ctx, q)
	})
	return r, err
}

func (r *Record) rest(ctx context.Context, q querier) (err error) {
	if r.Extras, err = extras(ctx, q, r.Order.ID); err != nil {
		return err
	}
	switch RecordStatus(r.Order, r.Extras.OpenQuotes) {
	case api.RecordReviewing, api.RecordQuoteReceived, api.RecordRejected, api.RecordDeleted:
		return nil // nothing is delivered, or not shown any more
	}
	r.Files, err = collect(ctx, q, scanFile, `SELECT `+fileColumns+` FROM files WHERE package_id IN
		(SELECT id FROM packages WHERE mission_id IN (SELECT id FROM missions WHERE order_id = $1)) ORDER BY package_id, position`,
		r.Order.ID)
	return err
}

const locationsOfOrder = `SELECT location_map FROM missions WHERE order_id = $1 ORDER BY position`

func scanLocation(rows *sql.Rows) (location []api.Point, err error) {
	err = rows.Scan(document{&location})
	return location, err
}
