package store

import (
	"context"
	"database/sql"
	"errors"
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

// Extras are what an order has in the second generation only.
type Extras struct {
	OpenQuotes int
	Quotes     []Quote // as they were issued
	Details    *api.OrderDetails
	Notify     *Notify
}

const quoteColumns = `id, uuid, order_id, name, description, days, price, discount, discount_reason, final_price,
	currency, expires, status, created, decided`

func scanQuote(rows *sql.Rows) (q Quote, err error) {
	err = rows.Scan(&q.ID, &q.UUID, &q.OrderID, &q.Name, &q.Description, &q.Days, &q.Price, &q.Discount, &q.DiscountReason,
		&q.FinalPrice, &q.Currency, dated{&q.Expires}, &q.Status, instant{&q.Created}, instant{&q.Decided})
	return q, err
}

func scanDetails(rows *sql.Rows) (d *api.OrderDetails, err error) {
	d = &api.OrderDetails{}
	return d, rows.Scan(document{d})
}

func scanNotify(rows *sql.Rows) (n Notify, err error) {
	var email int64
	err = rows.Scan(&n.OrderID, &n.Owner, &n.Webhook, &email, &n.Secret)
	n.Email = email != 0
	return n, err
}

const (
	quotesOfOrder = `SELECT ` + quoteColumns + ` FROM quotes WHERE order_id = $1 ORDER BY id`
	notifyOfOrder = `SELECT order_id, owner, webhook, email, secret FROM order_notifications WHERE order_id = $1`
)

func extras(ctx context.Context, q querier, orderID int64) (e Extras, err error) {
	if e.Quotes, err = collect(ctx, q, scanQuote, quotesOfOrder, orderID); err != nil {
		return e, err
	}
	for _, quote := range e.Quotes {
		if quote.Status == api.QuoteOpen {
			e.OpenQuotes++
		}
	}
	e.Details, err = single(ctx, q, scanDetails, `SELECT details FROM order_details WHERE order_id = $1`, orderID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return e, err
	}
	notify, err := single(ctx, q, scanNotify, notifyOfOrder, orderID)
	if errors.Is(err, ErrNotFound) {
		return e, nil
	}
	e.Notify = &notify
	return e, err
}

// QuotesOfOrder returns an order's quotes as they were issued.
func (s *Store) QuotesOfOrder(ctx context.Context, orderID int64) ([]Quote, error) {
	return collect(ctx, s, scanQuote, quotesOfOrder, orderID)
}

// QuotesOfOrder returns an order's quotes as they were issued.
func (tx *Tx) QuotesOfOrder(orderID int64) ([]Quote, error) {
	return collect(tx.ctx, tx, scanQuote, quotesOfOrder, orderID)
}

// InsertQuote adds a quote and sets its ID.
func (tx *Tx) InsertQuote(q *Quote) error {
	err := tx.row(`INSERT INTO quotes (uuid, order_id, name, description, days, price, discount, discount_reason, final_price,
		currency, expires, status, created, decided)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id`,
		[]any{
			q.UUID, q.OrderID, q.Name, q.Description, q.Days, q.Price, q.Discount, q.DiscountReason, q.FinalPrice,
			q.Currency, q.Expires.Format(time.RFC3339Nano), q.Status, millis(q.Created), millis(q.Decided),
		}, &q.ID)
	if err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

// UpdateQuote keeps what a decision changes of a quote: its status and when it
// was decided.
func (tx *Tx) UpdateQuote(q *Quote) error {
	if err := tx.exec(`UPDATE quotes SET status = $1, decided = $2 WHERE id = $3`, q.Status, millis(q.Decided), q.ID); err != nil {
		return err
	}
	return tx.countQuotes(q.OrderID)
}

func (tx *Tx) countQuotes(orderID int64) error {
	return tx.exec(`UPDATE orders SET open_quotes = (SELECT COUNT(*) FROM quotes WHERE order_id = $1 AND status = 'open')
		WHERE id = $1`, orderID)
}

// SetDetails keeps an order's details in place of those before.
func (tx *Tx) SetDetails(orderID int64, d api.OrderDetails) error {
	text, err := json.Marshal(d)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO order_details (order_id, details) VALUES ($1, $2)
		ON CONFLICT (order_id) DO UPDATE SET details = excluded.details`, orderID, string(text))
}

// Notify returns how an order's client hears that it is complete.
func (tx *Tx) Notify(orderID int64) (Notify, error) {
	return single(tx.ctx, tx, scanNotify, notifyOfOrder, orderID)
}

// SetNotify keeps how an order's client hears that it is complete, in place of
// what was set before.
func (tx *Tx) SetNotify(n Notify) error {
	email := 0
	if n.Email {
		email = 1
	}
	return tx.exec(`INSERT INTO order_notifications (order_id, owner, webhook, email, secret) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (order_id) DO UPDATE SET owner = excluded.owner, webhook = excluded.webhook, email = excluded.email,
		secret = excluded.secret`, n.OrderID, n.Owner, n.Webhook, email, n.Secret)
}

// OrderOfQuote returns the order of a quote.
func (tx *Tx) OrderOfQuote(quoteUUID string) (Order, error) {
	return single(tx.ctx, tx, scanOrder, `SELECT `+orderColumns+` FROM orders
		WHERE id = (SELECT order_id FROM quotes WHERE uuid = $1)`, quoteUUID)
}

// AccountOfOrder returns the account that an order belongs to.
func (tx *Tx) AccountOfOrder(orderID int64) (Account, error) {
	return single(tx.ctx, tx, scanAccount, `SELECT `+accountColumns+` FROM accounts a
		WHERE a.id = (SELECT account_id FROM orders WHERE id = $1)`, orderID)
}
