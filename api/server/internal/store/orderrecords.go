package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
)

// RecordStatus returns the status that the v2 API shows of an order.
func RecordStatus(o Order, openQuotes int) api.RecordStatus {
	status := o.Status
	if o.StatusBefore != nil {
		status = *o.StatusBefore
	}
	if status != api.OrderBiddingWithQuote {
		return api.RecordStatus(status)
	}
	if openQuotes > 0 {
		return api.RecordQuoteReceived
	}
	return api.RecordReviewing
}

// recordStatus is [RecordStatus] in SQL, as the index orders_record has it.
const recordStatus = `(CASE
    WHEN COALESCE(status_before, status) <> 'biddingWithQuote' THEN COALESCE(status_before, status)
    WHEN open_quotes > 0 THEN 'quoteReceived' ELSE 'reviewing' END)`

// Record is an order as the v2 API shows it alone.
type Record struct {
	Order     Order
	Extras    OrderExtras
	Price     *float64      // of the quote that was accepted
	Locations [][]api.Point // one a mission
	Files     []File        // delivered, oldest package first
}

// OrderBrief is an order as a list of the v2 API shows it: less than the order has,
// and JSON that goes out as it is kept.
type OrderBrief struct {
	Place           Position
	Status          api.RecordStatus
	Text            string // as [Store.ListAs] makes it
	RejectionReason *string
	Price           *float64       // of the quote that was accepted
	Details         jsontext.Value // nil: none
	Notify          *Notify
	Files           []File // delivered, oldest package first
}

// Each order has at most one row of the other tables. None has a quote accepted while
// it bids.
const (
	briefs = `SELECT o.created, o.id, ` + recordStatus + `, COALESCE(o.recorded, ''), o.rejection_reason,
		CASE WHEN o.status <> 'biddingWithQuote' THEN
			(SELECT final_price FROM quotes WHERE order_id = o.id AND quotes.status = 'accepted') END,
		d.details, n.webhook, n.email
		FROM orders o LEFT JOIN order_details d ON d.order_id = o.id LEFT JOIN order_notifications n ON n.order_id = o.id`
	newestFirst = ` ORDER BY o.created DESC, o.id DESC`

	newestBriefs = briefs + ` WHERE o.account_id = $1` + newestFirst + ` LIMIT $2 + 0`
	olderBriefs  = briefs + ` WHERE o.account_id = $1 AND (o.created, o.id) < ($3, $4)` + newestFirst + ` LIMIT $2 + 0`

	// The pages are found in the indexes alone; only what is on one is read.
	numberedBriefs = briefs + ` WHERE o.id IN (SELECT id FROM orders
		WHERE account_id = $1 AND (created, id) <= ($4, $5)
		ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)` + newestFirst
	numberedBriefsByStatus = briefs + ` WHERE o.id IN (SELECT id FROM orders
		WHERE account_id = $1 AND ` + recordStatus + ` = $4 ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)` + newestFirst
)

func scanBrief(rows *sql.Rows, o *OrderBrief) error {
	var webhook sql.NullString
	var email sql.NullBool
	err := rows.Scan(&o.Place.Sort, &o.Place.ID, (*string)(&o.Status), &o.Text, &o.RejectionReason,
		&o.Price, (*[]byte)(&o.Details), &webhook, &email)
	if webhook.Valid {
		o.Notify = &Notify{
			OrderID: o.Place.ID,
			Webhook: webhook.String,
			Email:   email.Bool,
		}
	}
	if err == nil && o.Details != nil && (o.Details.Kind() != '{' || !o.Details.IsValid()) {
		err = errors.New("details are not a JSON object")
	}
	if err == nil && !utf8.ValidString(o.Text) {
		err = errNotUTF8
	}
	return err
}

// maxLong returns how many readings take long at once: half as many as there are
// processors, a quarter of the connections, so that what is short finds both.
func maxLong() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// viewLong returns view for what takes long, or is done again and again.
func (r *storeReader) viewLong(ctx context.Context, read func(querier) error) error {
	select {
	case r.long <- struct{}{}:
	case <-ctx.Done():
		return mapError(ctx.Err())
	}
	defer func() { <-r.long }()
	return r.viewSnapshot(ctx, read)
}

// Records returns up to limit of an account's records after a position, or from the
// newest one on if after is nil. Newest first, deleted orders included. It is for
// callers that read all records.
func (r *storeReader) Records(
	ctx context.Context, accountID int64, limit int, after *Position,
) (page []OrderBrief, err error) {
	err = r.viewLong(ctx, func(q querier) error {
		if after == nil {
			page, err = collectRows(ctx, q, scanBrief, newestBriefs, accountID, limit)
		} else {
			page, err = collectRows(ctx, q, scanBrief, olderBriefs, accountID, limit, after.Sort, after.ID)
		}
		return r.fillBriefs(ctx, q, page, err)
	})
	return page, err
}

// RecordPage returns a page of an account's records, newest first: up to limit
// records after the first offset ones. Without a status all orders count, deleted ones
// included. A distant page is cheap if a page near it was read before.
func (r *storeReader) RecordPage(
	ctx context.Context, accountID int64, status api.RecordStatus, limit, offset int64,
) (page []OrderBrief, err error) {
	known := r.marks.rankingOf(accountID)
	view := r.viewSnapshot
	if offset-known.markBefore(offset).rank >= markEvery || status != "" && offset >= markEvery {
		view = r.viewLong
	}
	err = view(ctx, func(q querier) error {
		if status != "" {
			page, err = collectRows(ctx, q, scanBrief, numberedBriefsByStatus, accountID, limit, offset, status)
		} else if offset == 0 { // which needs no counting
			page, err = collectRows(ctx, q, scanBrief, newestBriefs, accountID, limit)
		} else {
			page, known, err = known.readPage(ctx, q, accountID, limit, offset)
		}
		return r.fillBriefs(ctx, q, page, err)
	})
	if err == nil && status == "" && offset >= markEvery {
		r.marks.keepRanking(accountID, known)
	}
	return page, err
}

// What belongs to orders, by the JSON list of their ids.
var (
	allLocations   = `SELECT location_map FROM missions ` + allMissions
	quotesOfOrders = `SELECT order_id, ` + quoteTable.columnList("") +
		` FROM quotes WHERE order_id` + inList + ` ORDER BY id`
	detailsOfOrders = `SELECT order_id, details FROM order_details WHERE order_id` + inList
	notifyOfOrders  = `SELECT order_id, ` + notifyTable.columnList("") +
		` FROM order_notifications WHERE order_id` + inList
	filesOfOrders = `SELECT m.order_id, ` + fileTable.columnList("f.") + `
		FROM missions m JOIN packages p ON p.mission_id = m.id
		JOIN files f ON f.package_id = p.id WHERE m.order_id` + inList + ` ORDER BY f.package_id, f.position`
)

// Record returns all that a record shows of an order, as it stood at one
// moment.
func (r *storeReader) Record(ctx context.Context, orderID int64) (one Record, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		one.Order, err = findRow(ctx, q, orderTable, ofID, orderID)
		if err != nil {
			return err
		}
		one.Locations, err = collectRows(ctx, q, func(rows *sql.Rows, l *[]api.Point) error {
			return rows.Scan(columnCell{field: l})
		}, allLocations, orderID)
		if err != nil {
			return err
		}
		if err = fillExtras(
			ctx,
			q,
			[]int64{orderID},
			func(int64) *OrderExtras { return &one.Extras },
		); err != nil {
			return err
		}
		for _, quote := range one.Extras.Quotes {
			if quote.Status == api.QuoteAccepted {
				one.Price = &quote.FinalPrice
			}
		}
		if status := RecordStatus(one.Order, one.Extras.OpenQuotes); !showsFiles(status) {
			return nil
		}
		return eachOwned(ctx, q, filesOfOrders, []int64{orderID}, fileTable.scanPlaces,
			func(_ int64, f File) { one.Files = append(one.Files, f) })
	})
	return one, err
}

// fillBriefs makes the texts that are missing, and reads the files of orders, with one
// query for all of them.
func (r *storeReader) fillBriefs(ctx context.Context, q querier, page []OrderBrief, err error) error {
	at := map[int64]*OrderBrief{}
	var unformed, delivered []int64
	for i := range page {
		o := &page[i]
		if o.Text == missing {
			at[o.Place.ID] = o
			unformed = append(unformed, o.Place.ID)
		}
		if showsFiles(o.Status) {
			at[o.Place.ID] = o
			delivered = append(delivered, o.Place.ID)
		}
	}
	if form := r.forms["recorded"]; err == nil && unformed != nil && form != nil {
		var orders []Order
		orders, err = ordersWithLocations(ctx, q, `WHERE id`+inList, listIDs(unformed))
		for i := 0; i < len(orders) && err == nil; i++ {
			at[orders[i].ID].Text, err = form(orders[i])
		}
	}
	if err != nil || delivered == nil {
		return err
	}
	return eachOwned(ctx, q, filesOfOrders, delivered, fileTable.scanPlaces,
		func(id int64, f File) { at[id].Files = append(at[id].Files, f) })
}

// keptAtOnce is how many texts are kept in one transaction.
const keptAtOnce = 200

// KeepRecords keeps the texts that orders lack, as those of an earlier schema, so that
// lists need not make them.
func (s *Store) KeepRecords(ctx context.Context) error {
	for last := int64(0); ; {
		next := last
		err := s.Write(ctx, func(tx *Tx) error {
			orders, err := ordersWithLocations(tx.ctx, tx, unkeptOrders, last, keptAtOnce)
			for _, o := range orders {
				next = o.ID
				if text, damaged := s.forms["recorded"](o); err == nil && damaged == nil {
					err = tx.execute(`UPDATE orders SET recorded = $1 WHERE id = $2`, text, o.ID)
				}
			}
			return err
		})
		if err != nil || next == last {
			return err
		}
		last = next
	}
}

const unkeptOrders = `WHERE recorded IS NULL AND id > $1 ORDER BY id LIMIT $2 + 0`

var locatedOrders = `SELECT ` + orderTable.columnList("") + `,
	COALESCE((SELECT location_map FROM missions WHERE order_id = orders.id AND position = 0), '[]') FROM orders `

// ordersWithLocations reads the orders that the rest of a query chooses, and their
// locations.
func ordersWithLocations(ctx context.Context, q querier, rest string, args ...any) ([]Order, error) {
	return collectRows(ctx, q, func(rows *sql.Rows, o *Order) error {
		return rows.Scan(append(orderTable.scanPlaces(o), columnCell{field: &o.Location})...)
	}, locatedOrders+rest, args...)
}

// showsFiles reports whether a record shows files: nothing is delivered before
// a quote is accepted, and some orders show them no more.
func showsFiles(status api.RecordStatus) bool {
	switch status {
	case api.RecordReviewing, api.RecordQuoteReceived, api.RecordRejected, api.RecordDeleted:
		return false
	}
	return true
}

// eachOwned calls each with the rows of orders: the id of an order, and what
// places puts the other columns into.
func eachOwned[T any](
	ctx context.Context, q querier, text string, ids []int64, places func(*T) []any, each func(id int64, one T),
) error {
	return readEach(ctx, q, func(rows *sql.Rows) error {
		var id int64
		var one T
		err := rows.Scan(append([]any{&id}, places(&one)...)...)
		if err == nil {
			each(id, one)
		}
		return err
	}, text, []any{listIDs(ids)})
}
