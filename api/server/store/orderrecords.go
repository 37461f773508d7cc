package store

import (
	"context"
	"database/sql"

	"github.com/go-json-experiment/json"

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

// What a record shows of orders, by the JSON list of their ids.
const (
	ofOrders        = ` (SELECT value FROM json_each($1))`
	allLocations    = `SELECT order_id, location_map FROM missions WHERE order_id IN` + ofOrders + ` ORDER BY order_id, position`
	firstLocations  = `SELECT order_id, location_map FROM missions WHERE order_id IN` + ofOrders + ` AND position = 0`
	quotesOfOrders  = `SELECT order_id, ` + quoteColumns + ` FROM quotes WHERE order_id IN` + ofOrders + ` ORDER BY id`
	detailsOfOrders = `SELECT order_id, details FROM order_details WHERE order_id IN` + ofOrders
	notifyOfOrders  = `SELECT order_id, ` + notifyColumns + ` FROM order_notifications WHERE order_id IN` + ofOrders
	filesOfOrders   = `SELECT m.order_id, ` + qualifiedFileColumns + ` FROM missions m JOIN packages p ON p.mission_id = m.id
		JOIN files f ON f.package_id = p.id WHERE m.order_id IN` + ofOrders + ` ORDER BY f.package_id, f.position`
)

// Record returns all that a record shows of an order, as it stood at one
// moment.
func (s *Store) Record(ctx context.Context, orderID int64) (r Record, err error) {
	err = s.view(ctx, func(q querier) error {
		o, err := single(ctx, q, scanOrder, `SELECT `+orderColumns+` FROM orders WHERE id = $1`, orderID)
		if err != nil {
			return err
		}
		records, err := fillRecords(ctx, q, []Order{o}, allLocations)
		if err == nil {
			r = records[0]
		}
		return err
	})
	return r, err
}

// Briefs fills in what a list shows of orders: as Record, but the location of
// their first missions only.
func (s *Store) Briefs(ctx context.Context, orders []Order) (all []Record, err error) {
	if len(orders) == 0 {
		return nil, nil
	}
	err = s.view(ctx, func(q querier) error {
		all, err = fillRecords(ctx, q, orders, firstLocations)
		return err
	})
	return all, err
}

// fillRecords takes as many queries for many orders as for one.
func fillRecords(ctx context.Context, q querier, orders []Order, locations string) ([]Record, error) {
	all := make([]Record, len(orders))
	at := make(map[int64]*Record, len(orders)) // by order
	var ids, delivered []int64
	for i, o := range orders {
		all[i].Order = o
		at[o.ID] = &all[i]
		ids = append(ids, o.ID)
		if o.showsFiles() {
			delivered = append(delivered, o.ID)
		}
	}
	err := eachOwned(ctx, q, locations, ids, func(l *[]api.Point) []any { return []any{document{l}} }, func(id int64, l []api.Point) {
		at[id].Locations = append(at[id].Locations, l)
	})
	if err == nil {
		err = fillExtras(ctx, q, ids, func(id int64) *Extras { return &at[id].Extras })
	}
	if err == nil && delivered != nil {
		err = eachOwned(ctx, q, filesOfOrders, delivered, (*File).places, func(id int64, f File) { at[id].Files = append(at[id].Files, f) })
	}
	return all, err
}

// showsFiles reports whether an order's record shows files: nothing is
// delivered before a quote is accepted, and some orders show them no more.
func (o Order) showsFiles() bool {
	switch RecordStatus(o, 0) {
	case api.RecordReviewing, api.RecordRejected, api.RecordDeleted:
		return false
	}
	return true
}

// eachOwned calls each with the rows of orders: the id of an order, and what
// places puts the other columns into.
func eachOwned[T any](
	ctx context.Context, q querier, text string, ids []int64, places func(*T) []any, each func(id int64, one T),
) error {
	list, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	_, err = collect(ctx, q, func(rows *sql.Rows) (none struct{}, err error) {
		var id int64
		var one T
		if err = rows.Scan(append([]any{&id}, places(&one)...)...); err == nil {
			each(id, one)
		}
		return none, err
	}, text, string(list))
	return err
}
