package store

import (
	"context"
	"database/sql"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// RecordStatus is the status that the v2 API shows of an order.
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

// Record is an order as the v2 API shows it. In a list it has the
// location of its first mission only, and no quotes.
type Record struct {
	Order     Order
	Extras    Extras
	Price     *float64      // of the quote that was accepted
	Locations [][]api.Point // one a mission
	Files     []File        // delivered, oldest package first
}

const briefColumns = orderColumns + `, open_quotes,
	(SELECT final_price FROM quotes q WHERE q.order_id = orders.id AND q.status = 'accepted'),
	(SELECT location_map FROM missions m WHERE m.order_id = orders.id AND m.position = 0),
	(SELECT details FROM order_details d WHERE d.order_id = orders.id),
	(SELECT webhook FROM order_notifications n WHERE n.order_id = orders.id),
	(SELECT email FROM order_notifications n WHERE n.order_id = orders.id)`

func scanBrief(rows *sql.Rows) (r Record, err error) {
	var location, details, webhook *string
	var email *bool
	err = rows.Scan(append(r.Order.places(), &r.Extras.OpenQuotes, &r.Price, &location, &details, &webhook, &email)...)
	if err == nil && location != nil {
		r.Locations = make([][]api.Point, 1)
		err = document{&r.Locations[0]}.Scan(*location)
	}
	if err == nil && details != nil {
		r.Extras.Details = &api.OrderDetails{}
		err = document{r.Extras.Details}.Scan(*details)
	}
	if webhook != nil && email != nil {
		r.Extras.Notify = &Notify{OrderID: r.Order.ID, Webhook: *webhook, Email: *email}
	}
	return r, err
}

const (
	newestBriefs = `SELECT ` + briefColumns + newestOrders
	olderBriefs  = `SELECT ` + briefColumns + olderOrders
	newerBriefs  = `SELECT ` + briefColumns + newerOrders
)

// Records returns a window of an account's records, newest first, without the
// deleted ones.
func (r *reader) Records(ctx context.Context, accountID int64, w Window) (page []Record, err error) {
	err = r.view(ctx, func(q querier) error {
		page, err = readOrders(ctx, q, scanBrief, newestBriefs, olderBriefs, newerBriefs, accountID, w)
		return fillFiles(ctx, q, page, err)
	})
	return page, err
}

// The pages are found in the indexes alone; only what is on one is read.
const (
	numberedRecords = `SELECT ` + briefColumns + ` FROM orders WHERE id IN (SELECT id FROM orders
		WHERE account_id = $1 AND status <> 'deleted' AND (created, id) <= ($4, $5)
		ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0) ORDER BY created DESC, id DESC`
	numberedRecordsByStatus = `SELECT ` + briefColumns + ` FROM orders WHERE id IN (SELECT id FROM orders
		WHERE account_id = $1 AND ` + recordStatus + ` = $4 ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)
		ORDER BY created DESC, id DESC`
)

// RecordPage returns a page of an account's records, newest first: limit of
// them, after so many others. Without a status deleted ones are left out. How
// far the page is costs little where one near it was read before.
func (r *reader) RecordPage(ctx context.Context, accountID int64, status api.RecordStatus, limit, offset int64) (page []Record, err error) {
	known := r.marks.of(accountID)
	err = r.view(ctx, func(q querier) error {
		if status != "" {
			page, err = collect(ctx, q, scanBrief, numberedRecordsByStatus, accountID, limit, offset, status)
			return fillFiles(ctx, q, page, err)
		}
		from := mark{at: listStart}
		if offset >= markEvery {
			if known, err = known.current(ctx, q, accountID); err != nil {
				return err
			}
			from = known.before(offset)
		}
		page, err = collect(ctx, q, scanBrief, numberedRecords, accountID, limit, offset-from.rank, from.at.Sort, from.at.ID)
		if len(page) > 0 && offset-from.rank >= markEvery {
			known = known.with(mark{offset, page[0].Order.Position()})
		}
		return fillFiles(ctx, q, page, err)
	})
	if err == nil && offset >= markEvery {
		r.marks.keep(accountID, known)
	}
	return page, err
}

// What belongs to orders, by the JSON list of their ids.
const (
	ofOrders        = ` (SELECT value FROM json_each($1))`
	allLocations    = `SELECT location_map FROM missions WHERE order_id = $1 ORDER BY position`
	quotesOfOrders  = `SELECT order_id, ` + quoteColumns + ` FROM quotes WHERE order_id IN` + ofOrders + ` ORDER BY id`
	detailsOfOrders = `SELECT order_id, details FROM order_details WHERE order_id IN` + ofOrders
	notifyOfOrders  = `SELECT order_id, ` + notifyColumns + ` FROM order_notifications WHERE order_id IN` + ofOrders
	filesOfOrders   = `SELECT m.order_id, ` + qualifiedFileColumns + ` FROM missions m JOIN packages p ON p.mission_id = m.id
		JOIN files f ON f.package_id = p.id WHERE m.order_id IN` + ofOrders + ` ORDER BY f.package_id, f.position`
)

// Record returns all that a record shows of an order, as it stood at one
// moment.
func (r *reader) Record(ctx context.Context, orderID int64) (one Record, err error) {
	err = r.view(ctx, func(q querier) error {
		if one.Order, err = single(ctx, q, scanOrder, `SELECT `+orderColumns+` FROM orders WHERE id = $1`, orderID); err != nil {
			return err
		}
		one.Locations, err = collect(ctx, q, func(rows *sql.Rows) (l []api.Point, err error) {
			err = rows.Scan(document{&l})
			return l, err
		}, allLocations, orderID)
		if err != nil {
			return err
		}
		if err = fillExtras(ctx, q, []int64{orderID}, func(int64) *Extras { return &one.Extras }); err != nil {
			return err
		}
		for _, quote := range one.Extras.Quotes {
			if quote.Status == api.QuoteAccepted {
				one.Price = &quote.FinalPrice
			}
		}
		list := []Record{one}
		err = fillFiles(ctx, q, list, nil)
		one = list[0]
		return err
	})
	return one, err
}

// fillFiles reads the files of records, with one query for all of them.
func fillFiles(ctx context.Context, q querier, records []Record, err error) error {
	at := map[int64]*Record{} // by order
	var delivered []int64
	for i, r := range records {
		if r.Order.showsFiles() {
			at[r.Order.ID] = &records[i]
			delivered = append(delivered, r.Order.ID)
		}
	}
	if err != nil || delivered == nil {
		return err
	}
	return eachOwned(ctx, q, filesOfOrders, delivered, (*File).places, func(id int64, f File) { at[id].Files = append(at[id].Files, f) })
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
