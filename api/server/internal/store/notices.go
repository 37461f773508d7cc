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

// Notice is a notification of a client that an order is complete, by webhook or by email.
type Notice struct {
	ID           int64     `column:"id"`
	UUID         string    `column:"uuid"`
	OrderID      int64     `column:"order_id"`
	Kind         string    `column:"kind"`
	Address      string    `column:"address"` // of the receiver
	Body         string    `column:"body"`    // JSON: as signed and sent, or the data of the email
	Success      bool      `column:"success"`
	ResponseCode int       `column:"response_code"` // HTTP status; 0 without a response
	Attempts     int       `column:"attempts"`
	Error        *string   `column:"error"` // [DeliveryPending] until the last attempt
	Created      time.Time `column:"created"`

	Tries []ops.CallbackAttempt `column:"tries"` // the latest, oldest first
}

var noticeTable = withSender(newRecordTable[*Notice]("notices")).listed(ofOrder, "id", descending)

// NoticeOfOrder is a notice with its order.
type NoticeOfOrder struct {
	Notice
	OrderUUID string `column:"(SELECT uuid FROM orders o WHERE o.id = order_id)"`
	OrderCode string `column:"(SELECT code FROM orders o WHERE o.id = order_id)"`
}

var (
	accountNoticeTable = newRecordTable[*NoticeOfOrder]("notices").listed(`WHERE account_id = $1 `, "id", descending)
	failedNotices      = newListQueries(
		accountNoticeTable.all+`WHERE account_id = $1 AND success = 0 AND COALESCE(error, '') <> '`+DeliveryPending+`' `, 1, descending, "id")
)

// NoticesOfAccount returns one page of the notices of an account's orders, newest first. w selects
// the page. If onlyFailed is true, notices that did not fail are left out.
func (r *storeReader) NoticesOfAccount(
	ctx context.Context, accountID int64, onlyFailed bool, w ListWindow,
) ([]NoticeOfOrder, error) {
	list := &accountNoticeTable.list
	if onlyFailed {
		list = &failedNotices
	}
	return readList(ctx, r, list, accountNoticeTable.scanRow, w, accountID)
}

// NoticeByUUID returns the notice with the given UUID and its order, or ErrNotFound.
func (tx *Tx) NoticeByUUID(uuid string) (o Order, n Notice, err error) {
	n, err = findRow(tx.ctx, tx, noticeTable, ofUUID, uuid)
	if err != nil {
		return o, n, err
	}
	o, err = findRow(tx.ctx, tx, orderTable, ofID, n.OrderID)
	return o, n, err
}

// RenewNotice makes a notice pending again, so that it can be sent once more.
func (tx *Tx) RenewNotice(n *Notice) error {
	pending := DeliveryPending
	n.Success = false
	n.Error = &pending
	return updateRow(tx, noticeTable, n, "success", "error", "sender")
}

// NoticeByID returns a notice, and the current notification settings of its order.
func (r *storeReader) NoticeByID(ctx context.Context, id int64) (n Notice, now Notify, err error) {
	err = r.viewSnapshot(ctx, func(q querier) error {
		var err error
		n, err = findRow(ctx, q, noticeTable, ofID, id)
		if err != nil {
			return err
		}
		now, err = findRow(ctx, q, notifyTable, ofOrder, n.OrderID)
		return err
	})
	return n, now, err
}

// Notices returns the notices of an order, oldest first.
func (r *storeReader) Notices(ctx context.Context, orderID int64) ([]Notice, error) {
	return findRows(ctx, r, noticeTable, ofOrder+` ORDER BY id`, orderID)
}

// InsertNotice adds a notice and sets its ID. A notice without a result is pending.
func (tx *Tx) InsertNotice(n *Notice) error {
	if !n.Success && n.Error == nil {
		pending := DeliveryPending
		n.Error = &pending
	}
	return insertRows(tx, noticeTable, n)
}

// RecordNotice saves the result of a notice: Success, ResponseCode, Attempts and Error. It adds
// n.Tries to the attempts that were saved before, and keeps only the newest ones.
func (tx *Tx) RecordNotice(n Notice) error {
	before, err := findRow(tx.ctx, tx, noticeTable, ofID, n.ID)
	if err != nil {
		return err
	}
	n.Tries = append(before.Tries, n.Tries...)
	n.Tries = n.Tries[max(0, len(n.Tries)-maxAttemptsOfCallback):]
	return updateRow(tx, noticeTable, &n, "success", "response_code", "attempts", "error", "tries")
}
