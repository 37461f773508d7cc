package store

import (
	"context"
	"database/sql"
	"time"
)

// Kinds of notice.
const (
	NoticeWebhook = "webhook"
	NoticeEmail   = "email"
)

// Notice is what a client is told when an order is complete, by one way.
type Notice struct {
	ID           int64
	UUID         string
	OrderID      int64
	Kind         string
	Address      string // of the receiver
	Body         string // JSON: as it is signed and sent, or what the message is about
	Success      bool
	ResponseCode int // of HTTP; 0 where no answer came
	Attempts     int
	Error        *string // [DeliveryPending] until the last try
	Created      time.Time
}

const noticeColumns = `id, uuid, order_id, kind, address, body, success, response_code, attempts, error, created`

func scanNotice(rows *sql.Rows) (n Notice, err error) {
	err = rows.Scan(&n.ID, &n.UUID, &n.OrderID, &n.Kind, &n.Address, &n.Body, &n.Success, &n.ResponseCode, &n.Attempts,
		&n.Error, instantColumn{&n.Created})
	return n, err
}

var noticeList = newListQueries(`SELECT `+noticeColumns+` FROM notices WHERE order_id = $1`, "id", true)

// Position returns the notice's place in the log of its order.
func (n Notice) Position() Position { return Position{ID: n.ID} }

// NoticePage returns a window of what an order's client was told, newest first.
func (r *storeReader) NoticePage(ctx context.Context, orderID int64, w ListWindow) ([]Notice, error) {
	return readList(ctx, r, noticeList, scanNotice, orderID, w)
}

const noticeOfUUID = `SELECT ` + noticeColumns + ` FROM notices WHERE uuid = $1`

// NoticeByUUID returns a notice of any order.
func (r *storeReader) NoticeByUUID(ctx context.Context, uuid string) (Notice, error) {
	return singleRow(ctx, r, scanNotice, noticeOfUUID, uuid)
}

// NoticeByUUID returns a notice and its order.
func (tx *Tx) NoticeByUUID(uuid string) (o Order, n Notice, err error) {
	if n, err = singleRow(tx.ctx, tx, scanNotice, noticeOfUUID, uuid); err != nil {
		return o, n, err
	}
	o, err = singleRow(tx.ctx, tx, scanOrder, `SELECT `+orderColumns+` FROM orders WHERE id = $1`, n.OrderID)
	return o, n, err
}

// RenewNotice makes a notice pending again.
func (tx *Tx) RenewNotice(n *Notice) error {
	pending := DeliveryPending
	n.Success, n.Error = false, &pending
	return tx.execute(`UPDATE notices SET success = 0, error = $1, sender = $2 WHERE id = $3`, n.Error, tx.s.sender, n.ID)
}

// NoticeByID returns a notice, and how its order's client hears of it now.
func (r *storeReader) NoticeByID(ctx context.Context, id int64) (n Notice, now Notify, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if n, err = singleRow(ctx, q, scanNotice, `SELECT `+noticeColumns+` FROM notices WHERE id = $1`, id); err != nil {
			return err
		}
		now, err = singleRow(ctx, q, scanNotify, notifyOfOrder, n.OrderID)
		return err
	})
	return n, now, err
}

// Notices returns what an order's client was told, oldest first.
func (r *storeReader) Notices(ctx context.Context, orderID int64) ([]Notice, error) {
	return collectRows(ctx, r, scanNotice, `SELECT `+noticeColumns+` FROM notices WHERE order_id = $1 ORDER BY id`, orderID)
}

// InsertNotice adds a notice that is pending and sets its ID.
func (tx *Tx) InsertNotice(n *Notice) error {
	pending := DeliveryPending
	n.Error = &pending
	return tx.queryRow(`INSERT INTO notices (uuid, order_id, kind, address, body, success, response_code, attempts, error, created, sender)
		VALUES ($1, $2, $3, $4, $5, 0, 0, 0, $6, $7, $8) RETURNING id`,
		[]any{n.UUID, n.OrderID, n.Kind, n.Address, n.Body, n.Error, toMillis(n.Created), tx.s.sender}, &n.ID)
}

// RecordNotice keeps what has become of a notice: Success, ResponseCode,
// Attempts and Error.
func (tx *Tx) RecordNotice(n Notice) error {
	success := 0
	if n.Success {
		success = 1
	}
	return tx.execute(`UPDATE notices SET success = $1, response_code = $2, attempts = $3, error = $4 WHERE id = $5`,
		success, n.ResponseCode, n.Attempts, n.Error, n.ID)
}
