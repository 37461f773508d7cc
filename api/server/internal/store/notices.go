package store

import (
	"context"
	"time"

	"flightdesk/api/ops"
)

// Kinds of notice.
const (
	NoticeWebhook = "webhook"
	NoticeEmail   = "email"
)

// Notice is what a client is told when an order is complete, by one way.
type Notice struct {
	ID           int64     `column:"id"`
	UUID         string    `column:"uuid"`
	OrderID      int64     `column:"order_id"`
	Kind         string    `column:"kind"`
	Address      string    `column:"address"` // of the receiver
	Body         string    `column:"body"`    // JSON: as it is signed and sent, or what the message is about
	Success      bool      `column:"success"`
	ResponseCode int       `column:"response_code"` // of HTTP; 0 where no answer came
	Attempts     int       `column:"attempts"`
	Error        *string   `column:"error"` // [DeliveryPending] until the last try
	Created      time.Time `column:"created"`

	Tries []ops.CallbackAttempt `column:"tries"` // the latest, oldest first
}

var noticeTable = withSender(newRecordTable[*Notice]("notices")).listed(ofOrder, "id", true)

// NoticeByUUID returns a notice and its order.
func (tx *Tx) NoticeByUUID(uuid string) (o Order, n Notice, err error) {
	n, err = findRow(tx.ctx, tx, noticeTable, ofUUID, uuid)
	if err != nil {
		return o, n, err
	}
	o, err = findRow(tx.ctx, tx, orderTable, ofID, n.OrderID)
	return o, n, err
}

// RenewNotice makes a notice pending again.
func (tx *Tx) RenewNotice(n *Notice) error {
	pending := DeliveryPending
	n.Success = false
	n.Error = &pending
	return updateRow(tx, noticeTable, n, "success", "error", "sender")
}

// NoticeByID returns a notice, and how its order's client hears of it now.
func (r *storeReader) NoticeByID(ctx context.Context, id int64) (n Notice, now Notify, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		n, err = findRow(ctx, q, noticeTable, ofID, id)
		if err != nil {
			return err
		}
		now, err = findRow(ctx, q, notifyTable, ofOrder, n.OrderID)
		return err
	})
	return n, now, err
}

// Notices returns what an order's client was told, oldest first.
func (r *storeReader) Notices(ctx context.Context, orderID int64) ([]Notice, error) {
	return findRows(ctx, r, noticeTable, ofOrder+` ORDER BY id`, orderID)
}

// InsertNotice adds a notice and sets its ID. It is pending unless it has an outcome.
func (tx *Tx) InsertNotice(n *Notice) error {
	if !n.Success && n.Error == nil {
		n.Error = new(string)
		*n.Error = DeliveryPending
	}
	return insertRows(tx, noticeTable, n)
}

// RecordNotice keeps what has become of a notice: Success, ResponseCode,
// Attempts, Error and the Tries that there are more.
func (tx *Tx) RecordNotice(n Notice) error {
	before, err := findRow(tx.ctx, tx, noticeTable, ofID, n.ID)
	if err != nil {
		return err
	}
	n.Tries = append(before.Tries, n.Tries...)
	n.Tries = n.Tries[max(0, len(n.Tries)-attemptsOfOne):]
	return updateRow(tx, noticeTable, &n, "success", "response_code", "attempts", "error", "tries")
}
