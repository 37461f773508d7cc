package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// Quote is an offer to carry an order out. Prices are in whole smallest units
// of the currency.
type Quote struct {
	ID             int64
	UUID           string
	OrderID        int64
	Name           string
	Description    string
	Days           int     // to deliver in
	Price          float64 // before discount
	Discount       float64 // percent
	DiscountReason *string
	FinalPrice     float64
	Currency       string
	Expires        time.Time // with the offset it was issued with
	Status         api.QuoteStatus
	Created        time.Time
	Decided        time.Time // zero: not yet
}

// Notify is how a client hears that an order is complete.
type Notify struct {
	OrderID int64
	Owner   string // whom the secret is encrypted for
	Webhook string // "": none
	Email   bool
	Secret  string // encrypted; "" without a webhook
}

// OrderExtras are what an order has in the v2 API only.
type OrderExtras struct {
	OpenQuotes int
	Quotes     []Quote // as they were issued
	Details    *api.OrderDetails
	Notify     *Notify
}

const quoteColumns = `id, uuid, order_id, name, description, days, price, discount, discount_reason, final_price,
	currency, expires, status, created, decided`

func (q *Quote) scanPlaces() []any {
	return []any{
		&q.ID, &q.UUID, &q.OrderID, &q.Name, &q.Description, &q.Days, &q.Price, &q.Discount, &q.DiscountReason,
		&q.FinalPrice, &q.Currency,
		datedColumn{&q.Expires},
		&q.Status,
		instantColumn{&q.Created},
		instantColumn{&q.Decided},
	}
}

func scanQuote(rows *sql.Rows) (q Quote, err error) {
	err = rows.Scan(q.scanPlaces()...)
	return q, err
}

const notifyColumns = `order_id, owner, webhook, email, secret`

func (n *Notify) scanPlaces() []any {
	return []any{&n.OrderID, &n.Owner, &n.Webhook, &n.Email, &n.Secret}
}

func scanNotify(rows *sql.Rows) (n Notify, err error) {
	err = rows.Scan(n.scanPlaces()...)
	return n, err
}

const (
	quotesOfOrder = `SELECT ` + quoteColumns + ` FROM quotes WHERE order_id = $1 ORDER BY id`
	notifyOfOrder = `SELECT ` + notifyColumns + ` FROM order_notifications WHERE order_id = $1`
)

// fillExtras reads the extras of orders.
func fillExtras(ctx context.Context, q querier, ids []int64, of func(orderID int64) *OrderExtras) error {
	err := eachOwned(ctx, q, quotesOfOrders, ids, (*Quote).scanPlaces, func(id int64, quote Quote) {
		e := of(id)
		e.Quotes = append(e.Quotes, quote)
		if quote.Status == api.QuoteOpen {
			e.OpenQuotes++
		}
	})
	if err != nil {
		return err
	}
	err = eachOwned(ctx, q, detailsOfOrders, ids, func(d *api.OrderDetails) []any { return []any{jsonColumn{d}} },
		func(id int64, d api.OrderDetails) { of(id).Details = &d })
	if err != nil {
		return err
	}
	return eachOwned(ctx, q, notifyOfOrders, ids, (*Notify).scanPlaces, func(id int64, n Notify) { of(id).Notify = &n })
}

// QuotesOfOrder returns an order's quotes as they were issued.
func (r *storeReader) QuotesOfOrder(ctx context.Context, orderID int64) ([]Quote, error) {
	return collectRows(ctx, r, scanQuote, quotesOfOrder, orderID)
}

// QuotesOfOrder returns an order's quotes as they were issued.
func (tx *Tx) QuotesOfOrder(orderID int64) ([]Quote, error) {
	return collectRows(tx.ctx, tx, scanQuote, quotesOfOrder, orderID)
}

// InsertQuote adds a quote and sets its ID.
func (tx *Tx) InsertQuote(q *Quote) error {
	err := tx.queryRow(`INSERT INTO quotes (uuid, order_id, name, description, days, price, discount, discount_reason, final_price,
		currency, expires, status, created, decided)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
		[]any{
			q.UUID, q.OrderID, q.Name, q.Description, q.Days, q.Price, q.Discount, q.DiscountReason, q.FinalPrice,
			q.Currency, q.Expires.Format(time.RFC3339Nano), q.Status, toMillis(q.Created), toMillis(q.Decided),
		}, &q.ID)
	if err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

// UpdateQuote keeps what a decision changes of a quote: its status and when it
// was decided.
func (tx *Tx) UpdateQuote(q *Quote) error {
	if err := tx.execute(`UPDATE quotes SET status = $1, decided = $2 WHERE id = $3`, q.Status, toMillis(q.Decided), q.ID); err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

func (w *writerSession) countQuotes(orderID int64) error {
	return w.execute(`UPDATE orders SET open_quotes = (SELECT COUNT(*) FROM quotes WHERE order_id = $1 AND status = 'open')
		WHERE id = $1`, orderID)
}

// SetDetails keeps an order's details in place of those before.
func (tx *Tx) SetDetails(orderID int64, d api.OrderDetails) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return tx.execute(`INSERT INTO order_details (order_id, details) VALUES ($1, $2)
		ON CONFLICT (order_id) DO UPDATE SET details = excluded.details`, orderID, string(text))
}

// Notify returns how an order's client hears that it is complete.
func (tx *Tx) Notify(orderID int64) (Notify, error) {
	return singleRow(tx.ctx, tx, scanNotify, notifyOfOrder, orderID)
}

// SetNotify keeps how an order's client hears that it is complete, in place of
// what was set before.
func (tx *Tx) SetNotify(n Notify) error {
	email := 0
	if n.Email {
		email = 1
	}
	return tx.execute(`INSERT INTO order_notifications (order_id, owner, webhook, email, secret) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (order_id) DO UPDATE SET owner = excluded.owner, webhook = excluded.webhook, email = excluded.email,
		secret = excluded.secret`, n.OrderID, n.Owner, n.Webhook, email, n.Secret)
}

// OrderOfQuote returns the order of a quote.
func (tx *Tx) OrderOfQuote(quoteUUID string) (Order, error) {
	return singleRow(tx.ctx, tx, scanOrder, `SELECT `+orderColumns+` FROM orders
		WHERE id = (SELECT order_id FROM quotes WHERE uuid = $1)`, quoteUUID)
}

// AccountOfOrder returns the account that an order belongs to.
func (tx *Tx) AccountOfOrder(orderID int64) (Account, error) {
	return singleRow(tx.ctx, tx, scanAccount, `SELECT `+accountColumns+` FROM accounts a
		WHERE a.id = (SELECT account_id FROM orders WHERE id = $1)`, orderID)
}
