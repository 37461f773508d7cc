package store

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// Quote is an offer to carry out an order. Prices are rounded to the smallest unit of the
// currency.
type Quote struct {
	ID             int64           `column:"id"`
	UUID           string          `column:"uuid"`
	OrderID        int64           `column:"order_id"`
	Name           string          `column:"name"`
	Description    string          `column:"description"`
	Days           int             `column:"days"`     // delivery time in days
	Price          float64         `column:"price"`    // before the discount
	Discount       float64         `column:"discount"` // percent
	DiscountReason *string         `column:"discount_reason"`
	FinalPrice     float64         `column:"final_price"`
	Currency       string          `column:"currency"`
	Expires        time.Time       `column:"expires,dated"` // keeps the UTC offset that it was issued with
	Status         api.QuoteStatus `column:"status"`
	Created        time.Time       `column:"created"`
	Decided        time.Time       `column:"decided"` // zero if not decided
}

// Notify says how a client is notified when an order is complete.
type Notify struct {
	OrderID int64  `column:"order_id"`
	Owner   string `column:"owner"`   // owner with which Secret was encrypted, see [Vault.Seal]
	Webhook string `column:"webhook"` // URL; empty if there is none
	Email   bool   `column:"email"`
	Secret  string `column:"secret"` // encrypted; empty without a webhook
}

// OrderExtras contains the parts of an order that only the v2 API has: quotes, details, and how the
// client is notified.
type OrderExtras struct {
	OpenQuotes int
	Quotes     []Quote // in the order in which they were issued
	Details    *api.RecordDetails
	Notify     *Notify
}

var (
	quoteTable  = newRecordTable[*Quote]("quotes")
	notifyTable = newRecordTable[*Notify]("order_notifications")
)

const ofOrder = `WHERE order_id = $1`

// fillExtras reads the extras of the orders with the given IDs from the database. It stores them in
// the structs that extrasOf returns for each order ID.
func fillExtras(ctx context.Context, q querier, ids []int64, extrasOf func(orderID int64) *OrderExtras) error {
	err := eachOwned(ctx, q, quotesOfOrders, ids, quoteTable.scanPlaces, func(orderID int64, quote Quote) {
		extras := extrasOf(orderID)
		extras.Quotes = append(extras.Quotes, quote)
		if quote.Status == api.QuoteOpen {
			extras.OpenQuotes++
		}
	})
	if err != nil {
		return err
	}
	detailsPlaces := func(d *api.RecordDetails) []any { return []any{columnCell{field: d}} }
	err = eachOwned(ctx, q, detailsOfOrders, ids, detailsPlaces,
		func(orderID int64, d api.RecordDetails) { extrasOf(orderID).Details = &d })
	if err != nil {
		return err
	}
	return eachOwned(ctx, q, notifyOfOrders, ids, notifyTable.scanPlaces,
		func(orderID int64, n Notify) { extrasOf(orderID).Notify = &n })
}

// QuotesOfOrder returns the quotes of an order in the order in which they were issued.
func QuotesOfOrder(ctx context.Context, q querier, orderID int64) ([]Quote, error) {
	return findRows(ctx, q, quoteTable, ofOrder+` ORDER BY id`, orderID)
}

// InsertQuote adds a quote and sets its ID.
func (tx *Tx) InsertQuote(q *Quote) error {
	if err := insertRows(tx, quoteTable, q); err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

// UpdateQuote saves the decision on a quote: its status and when it was decided.
func (tx *Tx) UpdateQuote(q *Quote) error {
	if err := updateRow(tx, quoteTable, q, "status", "decided"); err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

// countQuotes counts the open quotes of an order and saves the number in the order.
func (tx *Tx) countQuotes(orderID int64) error {
	return tx.execute(`UPDATE orders SET
		open_quotes = (SELECT COUNT(*) FROM quotes WHERE order_id = $1 AND status = 'open')
		WHERE id = $1`, orderID)
}

// SetDetails sets or replaces the details of an order.
func (tx *Tx) SetDetails(orderID int64, d api.RecordDetails) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return tx.execute(`INSERT INTO order_details (order_id, details) VALUES ($1, $2)
		ON CONFLICT (order_id) DO UPDATE SET details = excluded.details`, orderID, string(text))
}

// Notify returns how the client of an order is notified, or ErrNotFound.
func (tx *Tx) Notify(orderID int64) (Notify, error) {
	return findRow(tx.ctx, tx, notifyTable, ofOrder, orderID)
}

// OrderOfQuote returns the order of the quote with the given UUID.
func (tx *Tx) OrderOfQuote(quoteUUID string) (Order, error) {
	return findRow(tx.ctx, tx, orderTable,
		`WHERE id = (SELECT order_id FROM quotes WHERE uuid = $1)`, quoteUUID)
}

// AccountOfOrder returns the account that an order belongs to.
func (tx *Tx) AccountOfOrder(orderID int64) (Account, error) {
	return findRow(tx.ctx, tx, accountTable,
		`WHERE id = (SELECT account_id FROM orders WHERE id = $1)`, orderID)
}
