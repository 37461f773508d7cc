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

// RecordStatus returns the status of an order in the v2 API.
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

// recordStatus is [RecordStatus] in SQL. The index orders_record uses the same
// expression.
const recordStatus = `(CASE
    WHEN COALESCE(status_before, status) <> 'biddingWithQuote' THEN COALESCE(status_before, status)
    WHEN open_quotes > 0 THEN 'quoteReceived' ELSE 'reviewing' END)`

// Record is an order in the v2 API with everything that the API shows of a single order.
type Record struct {
	Order     Order
	Extras    OrderExtras
	Price     *float64      // of the accepted quote
	Locations [][]api.Point // of each mission
	Files     []File        // delivered, oldest package first
}

// OrderBrief is an order in a list of the v2 API. It has fewer fields than [Record]. Most of the
// order is in Text: JSON that is formatted when the order is saved, not when it is read.
type OrderBrief struct {
	Place           Position
	Status          api.RecordStatus
	Text            string // JSON for the list; see [Store.ListAs]
	RejectionReason *string
	Price           *float64       // of the accepted quote
	Details         jsontext.Value // nil if there are none
	Notify          *Notify
	Files           []File // delivered, oldest package first
}

// An order has at most one row in each of the joined tables. No quote is accepted while
// the order is open for bids.
const (
	briefs = `SELECT o.created, o.id, ` + recordStatus + `, COALESCE(o.recorded, ''), o.rejection_reason,
		CASE WHEN o.status <> 'biddingWithQuote' THEN
			(SELECT final_price FROM quotes WHERE order_id = o.id AND quotes.status = 'accepted') END,
		d.details, n.webhook, n.email
		FROM orders o
		LEFT JOIN order_details d ON d.order_id = o.id
		LEFT JOIN order_notifications n ON n.order_id = o.id`
	newestFirst = ` ORDER BY o.created DESC, o.id DESC`

	newestBriefs = briefs + ` WHERE o.account_id = $1` + newestFirst + ` LIMIT $2 + 0`
	olderBriefs  = briefs + ` WHERE o.account_id = $1 AND (o.created, o.id) < ($3, $4)` + newestFirst + ` LIMIT $2 + 0`

	// The subquery reads only an index to find the orders of the page. Only these orders are read
	// from the table.
	numberedBriefs = briefs + ` WHERE o.id IN (SELECT id FROM orders
		WHERE account_id = $1 AND (created, id) <= ($4, $5)
		ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)` + newestFirst
	numberedBriefsByStatus = briefs + ` WHERE o.id IN (SELECT id FROM orders
		WHERE account_id = $1 AND ` + recordStatus + ` = $4
		ORDER BY created DESC, id DESC LIMIT $2 + 0 OFFSET $3 + 0)` + newestFirst
)

// scanBrief reads an order from a row of the query briefs.
func scanBrief(rows *sql.Rows, o *OrderBrief) error {
	var webhook sql.NullString
	var email sql.NullBool
	err := rows.Scan(&o.Place.Sort, &o.Place.ID, (*string)(&o.Status), &o.Text, &o.RejectionReason,
		&o.Price, (*[]byte)(&o.Details), &webhook, &email)
	if err != nil {
		return err
	}
	if webhook.Valid {
		o.Notify = &Notify{
			OrderID: o.Place.ID,
			Webhook: webhook.String,
			Email:   email.Bool,
		}
	}
	if o.Details != nil && (o.Details.Kind() != '{' || !o.Details.IsValid()) {
		return errors.New("details are not a JSON object")
	}
	if !utf8.ValidString(o.Text) {
		return errNotUTF8
	}
	return nil
}

// maxLong returns the maximum number of long reads at once: half the number of processors. The
// limit keeps connections of the embedded database free for short reads.
func maxLong() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// RecordReader reads orders for the v2 API, singly and in lists. Clients of the v2 API request a
// page by its number. To find distant pages faster, RecordReader remembers the positions of pages
// that were read before.
type RecordReader struct {
	reader   *storeReader
	rankings rankingCache
	long     chan struct{} // semaphore of the long reads
}

func newRecordReader(reader *storeReader) *RecordReader {
	return &RecordReader{reader: reader, long: make(chan struct{}, maxLong())}
}

// viewLong calls read with a snapshot of the database, like viewSnapshot. It is for reads that take
// long or are repeated often, and limits how many of them run at once.
func (l *RecordReader) viewLong(ctx context.Context, read func(querier) error) error {
	select {
	case l.long <- struct{}{}:
	case <-ctx.Done():
		return mapError(ctx.Err())
	}
	defer func() { <-l.long }()
	return l.reader.viewSnapshot(ctx, read)
}

// After returns up to limit of an account's orders, newest first: the orders after a
// position, or the newest orders if the position is nil. Deleted orders are included. To read
// all orders, call After again with the position of the last order.
func (l *RecordReader) After(
	ctx context.Context, accountID int64, limit int, after *Position,
) ([]OrderBrief, error) {
	query := newestBriefs
	args := []any{accountID, limit}
	if after != nil {
		query = olderBriefs
		args = append(args, after.Sort, after.ID)
	}
	var page []OrderBrief
	err := l.viewLong(ctx, func(q querier) error {
		var err error
		page, err = collectRows(ctx, q, scanBrief, query, args...)
		if err != nil {
			return err
		}
		return l.fillBriefs(ctx, q, page)
	})
	return page, err
}

// Page returns a page of an account's orders, newest first. It skips offset orders and returns up
// to limit orders after them. If status is "", the page has orders of any status, including deleted
// ones. A page far from the start is cheap if a page near it was read before.
func (l *RecordReader) Page(
	ctx context.Context, accountID int64, status api.RecordStatus, limit, offset int64,
) ([]OrderBrief, error) {
	if status != "" {
		return l.pageByStatus(ctx, accountID, status, limit, offset)
	}
	if offset < markEvery {
		return l.pageNearStart(ctx, accountID, limit, offset)
	}
	return l.distantPage(ctx, accountID, limit, offset)
}

// pageNearStart is Page for orders of any status and a small offset. It counts the orders from the start of the list.
func (l *RecordReader) pageNearStart(ctx context.Context, accountID, limit, offset int64) ([]OrderBrief, error) {
	var page []OrderBrief
	err := l.reader.viewSnapshot(ctx, func(q querier) error {
		var err error
		if offset == 0 {
			page, err = collectRows(ctx, q, scanBrief, newestBriefs, accountID, limit)
		} else {
			page, err = readBriefsAfter(ctx, q, accountID, listMark{position: listStart}, limit, offset)
		}
		if err != nil {
			return err
		}
		return l.fillBriefs(ctx, q, page)
	})
	return page, err
}

// distantPage is Page for orders of any status. It counts the orders from the nearest mark of the account's ranking,
// and adds a mark at the page.
func (l *RecordReader) distantPage(ctx context.Context, accountID, limit, offset int64) ([]OrderBrief, error) {
	ranking := l.rankings.rankingOf(accountID)
	counted := offset - ranking.markBefore(offset).rank
	var page []OrderBrief
	err := l.viewCounting(ctx, counted, func(q querier) error {
		var err error
		ranking, err = ranking.bringUpToDate(ctx, q, accountID)
		if err != nil {
			return err
		}
		page, err = ranking.readPage(ctx, q, accountID, limit, offset)
		if err != nil {
			return err
		}
		return l.fillBriefs(ctx, q, page)
	})
	if err != nil {
		return nil, err
	}
	l.rankings.saveRanking(accountID, ranking.withPage(page, offset))
	return page, nil
}

// pageByStatus is Page for the orders with a status. It does not use marks, so it
// counts all orders before the page.
func (l *RecordReader) pageByStatus(
	ctx context.Context, accountID int64, status api.RecordStatus, limit, offset int64,
) ([]OrderBrief, error) {
	var page []OrderBrief
	err := l.viewCounting(ctx, offset, func(q querier) error {
		var err error
		page, err = collectRows(ctx, q, scanBrief, numberedBriefsByStatus, accountID, limit, offset, status)
		if err != nil {
			return err
		}
		return l.fillBriefs(ctx, q, page)
	})
	return page, err
}

// viewCounting calls read with a snapshot of the database. counted is the number of orders that
// read has to count. If the number is large, viewCounting uses viewLong, otherwise viewSnapshot.
func (l *RecordReader) viewCounting(ctx context.Context, counted int64, read func(querier) error) error {
	if counted >= markEvery {
		return l.viewLong(ctx, read)
	}
	return l.reader.viewSnapshot(ctx, read)
}

// Queries of records that belong to orders. $1 is a JSON list of order IDs.
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

// Get returns the order with everything that the v2 API shows of it. All of it is read from one
// snapshot of the database.
func (l *RecordReader) Get(ctx context.Context, orderID int64) (Record, error) {
	var record Record
	err := l.reader.viewSnapshot(ctx, func(q querier) error { return record.read(ctx, q, orderID) })
	return record, err
}

// read reads the order with the ID and everything that belongs to it.
func (r *Record) read(ctx context.Context, q querier, orderID int64) error {
	var err error
	r.Order, err = findRow(ctx, q, orderTable, ofID, orderID)
	if err != nil {
		return err
	}
	r.Locations, err = collectRows(ctx, q, scanLocation, allLocations, orderID)
	if err != nil {
		return err
	}
	ids := []int64{orderID}
	if err := fillExtras(ctx, q, ids, func(int64) *OrderExtras { return &r.Extras }); err != nil {
		return err
	}
	for _, quote := range r.Extras.Quotes {
		if quote.Status == api.QuoteAccepted {
			r.Price = &quote.FinalPrice
		}
	}
	status := RecordStatus(r.Order, r.Extras.OpenQuotes)
	if !showsFiles(status) {
		return nil
	}
	addFile := func(_ int64, f File) { r.Files = append(r.Files, f) }
	return eachOwned(ctx, q, filesOfOrders, ids, fileTable.scanPlaces, addFile)
}

// scanLocation reads the outline of a mission's area.
func scanLocation(rows *sql.Rows, outline *[]api.Point) error {
	return rows.Scan(columnCell{field: outline})
}

// fillBriefs completes the orders of a page. It formats the JSON of orders that have no stored
// Text, and adds the delivered files.
func (l *RecordReader) fillBriefs(ctx context.Context, q querier, page []OrderBrief) error {
	if err := l.formatBriefs(ctx, q, page); err != nil {
		return err
	}
	return addDeliveredFiles(ctx, q, page)
}

// selectBriefs returns the orders of a page that isSelected accepts: their IDs, and a map from ID
// to order.
func selectBriefs(page []OrderBrief, isSelected func(*OrderBrief) bool) ([]int64, map[int64]*OrderBrief) {
	var ids []int64
	byID := map[int64]*OrderBrief{}
	for i := range page {
		brief := &page[i]
		if isSelected(brief) {
			ids = append(ids, brief.Place.ID)
			byID[brief.Place.ID] = brief
		}
	}
	return ids, byID
}

// addDeliveredFiles adds the delivered files to the orders of a page whose status shows files. It
// reads all files with one query.
func addDeliveredFiles(ctx context.Context, q querier, page []OrderBrief) error {
	ids, briefs := selectBriefs(page, func(o *OrderBrief) bool { return showsFiles(o.Status) })
	if len(ids) == 0 {
		return nil
	}
	addFile := func(orderID int64, f File) { briefs[orderID].Files = append(briefs[orderID].Files, f) }
	return eachOwned(ctx, q, filesOfOrders, ids, fileTable.scanPlaces, addFile)
}

// formatBriefs sets the Text of the orders that have no stored Text. It does nothing if no format
// was set with [Store.ListAs].
func (l *RecordReader) formatBriefs(ctx context.Context, q querier, page []OrderBrief) error {
	format := l.reader.formats[recordedColumn]
	if format == nil {
		return nil
	}
	ids, briefs := selectBriefs(page, func(o *OrderBrief) bool { return o.Text == noText })
	if len(ids) == 0 {
		return nil
	}
	orders, err := ordersWithLocations(ctx, q, `WHERE id`+inList, listIDs(ids))
	if err != nil {
		return err
	}
	for _, o := range orders {
		text, err := format(o)
		if err != nil {
			return err
		}
		briefs[o.ID].Text = text
	}
	return nil
}

// recordBatchSize is the number of orders for which FillRecordTexts saves a text in one
// transaction.
const recordBatchSize = 200

// FillRecordTexts saves the JSON text for lists of the v2 API, see [Store.ListAs], in all orders
// that have none, for example orders from an earlier schema. Otherwise each list would have to
// format the texts of these orders again.
func (s *Store) FillRecordTexts(ctx context.Context) error {
	lastID := int64(0)
	for {
		filledID := lastID
		err := s.Write(ctx, func(tx *Tx) error {
			var err error
			filledID, err = tx.fillTextsAfter(lastID)
			return err
		})
		if err != nil {
			return err
		}
		if filledID == lastID {
			return nil
		}
		lastID = filledID
	}
}

// fillTextsAfter saves the missing texts of up to recordBatchSize orders, in the order of their
// IDs. It begins after lastID. It returns the ID of the last order of the batch, or lastID if there
// are no more orders.
func (tx *Tx) fillTextsAfter(lastID int64) (int64, error) {
	orders, err := ordersWithLocations(tx.ctx, tx, ordersWithoutText, lastID, recordBatchSize)
	if err != nil {
		return lastID, err
	}
	for _, o := range orders {
		lastID = o.ID
		text, err := tx.s.formats[recordedColumn](o)
		if err != nil {
			continue // a damaged order stays without a text
		}
		if err := tx.execute(`UPDATE orders SET recorded = $1 WHERE id = $2`, text, o.ID); err != nil {
			return lastID, err
		}
	}
	return lastID, nil
}

const ordersWithoutText = `WHERE recorded IS NULL AND id > $1 ORDER BY id LIMIT $2 + 0`

var locatedOrders = `SELECT ` + orderTable.columnList("") + `,
	COALESCE((SELECT location_map FROM missions WHERE order_id = orders.id AND position = 0), '[]') FROM orders `

// ordersWithLocations returns the orders of a query with the location of their first
// mission. rest is the part of the query after the table.
func ordersWithLocations(ctx context.Context, q querier, rest string, args ...any) ([]Order, error) {
	return collectRows(ctx, q, func(rows *sql.Rows, o *Order) error {
		return rows.Scan(append(orderTable.scanPlaces(o), columnCell{field: &o.Location})...)
	}, locatedOrders+rest, args...)
}

// showsFiles reports whether the v2 API shows files of an order with the status. Before a
// quote is accepted there are none, and rejected and deleted orders do not show them.
func showsFiles(status api.RecordStatus) bool {
	switch status {
	case api.RecordReviewing, api.RecordQuoteReceived, api.RecordRejected, api.RecordDeleted:
		return false
	}
	return true
}

// eachOwned calls yield for each record, for example each quote, of the orders with the given IDs.
// text is the query for the records. Its first column is the ID of the order. destinations returns
// pointers to the fields of a record into which the other columns are scanned.
func eachOwned[T any](
	ctx context.Context, q querier, text string, ids []int64,
	destinations func(*T) []any, yield func(orderID int64, record T),
) error {
	scan := func(rows *sql.Rows) error {
		var orderID int64
		var record T
		if err := rows.Scan(append([]any{&orderID}, destinations(&record)...)...); err != nil {
			return err
		}
		yield(orderID, record)
		return nil
	}
	return readEach(ctx, q, scan, text, []any{listIDs(ids)})
}
