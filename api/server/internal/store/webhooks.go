package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"flightdesk/api"
)

// Webhook is an endpoint to which the events of an account are sent.
type Webhook struct {
	ID          int64           `column:"id"`
	AccountID   int64           `column:"account_id"`
	UUID        string          `column:"uuid"`
	URL         string          `column:"url"`
	Events      []api.EventName `column:"events"`
	Description string          `column:"description"`
	Secret      string          `column:"secret"` // encrypted
	LastStatus  *string         `column:"last_status"`
	Created     time.Time       `column:"created"`
	Updated     time.Time       `column:"updated"`
}

// Delivery is one event for one endpoint: the callback to send, and its entry in the log.
type Delivery struct {
	ID           int64         `column:"id"`
	WebhookID    int64         `column:"webhook_id"`
	UUID         string        `column:"uuid"`
	Event        api.EventName `column:"event"`
	MissionUUID  string        `column:"mission_uuid"`
	OrderCode    string        `column:"order_code"`
	Body         string        `column:"body"` // JSON, as signed and sent
	Success      bool          `column:"success"`
	ResponseCode int           `column:"response_code"` // 0 without a response
	Attempts     int           `column:"attempts"`
	Error        *string       `column:"error"`
	Created      time.Time     `column:"created"`
	Resent       time.Time     `column:"resent"` // when the client last asked to send it again; may be zero
}

// IsPending reports whether the delivery is still being sent.
func (d Delivery) IsPending() bool { return d.Error != nil && *d.Error == DeliveryPending }

// Errors of deliveries without a result.
const (
	DeliveryPending = api.CallbackPending // there are attempts left
	DeliveryStopped = "service stopped"   // there were attempts left when the service stopped
)

var (
	webhookTable  = newRecordTable[*Webhook]("webhooks").listed(`WHERE account_id = $1`, "id", descending)
	deliveryTable = withSender(newRecordTable[*Delivery]("webhook_deliveries")).
			listed(`WHERE webhook_id = $1`, "id", descending)
	outgoingTable = newRecordTable[*Outgoing]("webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id")
)

// withSender adds the column sender to a table of callbacks or notices. It contains the ID of the
// process that has to send them.
func withSender[T any](t *recordTable[T]) *recordTable[T] {
	t.computed = []string{"sender"}
	t.computeValue = func(tx *Tx, _ T, _ string) (any, error) { return tx.s.sender, nil }
	return t
}

// Outgoing is a callback to send: the event of a delivery, and the URL and the secret of its
// endpoint.
type Outgoing struct {
	ID          int64         `column:"d.id"`
	UUID        string        `column:"d.uuid"`
	Event       api.EventName `column:"d.event"`
	Body        string        `column:"d.body"`
	Attempts    int           `column:"d.attempts"`
	Resent      time.Time     `column:"d.resent"`
	WebhookUUID string        `column:"w.uuid"`
	URL         string        `column:"w.url"`
	Secret      string        `column:"w.secret"` // encrypted
}

// Outgoing returns the callbacks of the deliveries with the given IDs. It leaves out deliveries
// that were deleted, alone or with their endpoint.
func (r *storeReader) Outgoing(ctx context.Context, deliveries []int64) ([]Outgoing, error) {
	return findRows(ctx, r, outgoingTable, `WHERE d.id`+inList, listIDs(deliveries))
}

// CountWebhooks returns the number of endpoints of an account.
func (tx *Tx) CountWebhooks(accountID int64) (int, error) {
	var n int
	err := tx.queryRow(`SELECT COUNT(*) FROM webhooks WHERE account_id = $1`, []any{accountID}, &n)
	return n, err
}

// SubscribedEndpoints returns the IDs of the account's endpoints that subscribe to an
// event.
func (tx *Tx) SubscribedEndpoints(accountID int64, event api.EventName) ([]int64, error) {
	endpoints, err := findRows(tx.ctx, tx, webhookTable, `WHERE account_id = $1 ORDER BY id`, accountID)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, w := range endpoints {
		if slices.Contains(w.Events, event) {
			ids = append(ids, w.ID)
		}
	}
	return ids, nil
}

// DeleteWebhook deletes an endpoint and its log.
func (tx *Tx) DeleteWebhook(id int64) error {
	return tx.execute(`DELETE FROM webhooks WHERE id = $1`, id)
}

// InsertDeliveries adds deliveries and sets their IDs. Deliveries that have neither succeeded nor
// failed become pending.
func (tx *Tx) InsertDeliveries(deliveries ...*Delivery) error {
	pending := DeliveryPending
	for _, d := range deliveries {
		if !d.Success && d.Error == nil {
			d.Error = &pending
		}
	}
	return insertRows(tx, deliveryTable, deliveries...)
}

// RenewDelivery makes a delivery pending, so that it is sent again, and saves its Body and Resent.
// In the log, the earlier attempts keep the body that they sent.
func (tx *Tx) RenewDelivery(d *Delivery) error {
	err := tx.execute(`UPDATE callback_attempts SET body = (SELECT body FROM webhook_deliveries WHERE id = $1)
		WHERE delivery_id = $1 AND body IS NULL`, d.ID)
	if err != nil {
		return err
	}
	pending := DeliveryPending
	d.Success = false
	d.Error = &pending
	return updateRow(tx, deliveryTable, d, "body", "success", "error", "sender", "resent")
}

// RecordDeliveries saves one result for several deliveries: the Success, ResponseCode, Attempts and
// Error of d. It ignores deliveries that were deleted in the meantime.
func (tx *Tx) RecordDeliveries(d Delivery, ids []int64) error {
	success := 0
	if d.Success {
		success = 1
	}
	return tx.execute(
		`UPDATE webhook_deliveries SET success = $2, response_code = $3, attempts = $4, error = $5 WHERE id`+inList,
		listIDs(ids),
		success,
		d.ResponseCode,
		d.Attempts,
		d.Error,
	)
}

// SetLastStatus saves the result of an endpoint's last callback.
func (tx *Tx) SetLastStatus(webhookID int64, success bool) error {
	status := "failed"
	if success {
		status = "success"
	}
	return tx.execute(
		`UPDATE webhooks SET last_status = $1 WHERE id = $2 AND last_status IS DISTINCT FROM $1`,
		status,
		webhookID,
	)
}

// unsent is a condition for pending callbacks or notices that have to be sent by the process $2 or
// by a process that has stopped.
const unsent = ` WHERE error = 'pending' AND (sender = $2 OR sender NOT IN (SELECT id FROM processes))`

const (
	stopDeliveries = `UPDATE webhook_deliveries SET error = $1` + unsent
	stopNotices    = `UPDATE notices SET error = $1` + unsent
)

// logs are the tables that contain the callbacks and notices of the past.
var logs = []string{"webhook_deliveries", "notices"}

// logBatchSize is the number of rows of each table that one call of DropOldLogs checks.
const logBatchSize = 1000

// DropOldLogs deletes callbacks and notices from before a time, unless they are pending. One call
// checks only the logBatchSize oldest rows of each table. It returns the number of rows that it has
// deleted. Call it again until it returns 0.
func (tx *Tx) DropOldLogs(before time.Time) (dropped int, err error) {
	for _, table := range logs {
		gone, err := collectRows(tx.ctx, tx, scanID, `DELETE FROM `+table+` WHERE id IN (SELECT id FROM
			(SELECT id, created, error FROM `+table+` ORDER BY id LIMIT $1 + 0) AS oldest
			WHERE created < $2 AND (error IS NULL OR error <> 'pending')) RETURNING id`, logBatchSize, before.UnixMilli())
		if err != nil {
			return 0, err
		}
		dropped += len(gone)
	}
	return dropped, nil
}

// Backlog returns the number of pending callbacks, and when the oldest of them was created.
func (r *storeReader) Backlog(ctx context.Context) (pending int, oldest time.Time, err error) {
	first, err := singleRow(ctx, r, func(rows *sql.Rows, first *int64) error {
		return rows.Scan(&pending, first)
	}, `SELECT COUNT(*), COALESCE(MIN(created), 0) FROM webhook_deliveries WHERE error = 'pending'`)
	return pending, time.UnixMilli(first), err
}

// StopDeliveries marks the pending callbacks of this process, and of processes that have
// stopped, as not sent.
func (tx *Tx) StopDeliveries() error { return tx.execute(stopDeliveries, DeliveryStopped, tx.s.sender) }

// StopNotices marks the pending notices of this process, and of processes that have stopped,
// as not sent.
func (tx *Tx) StopNotices() error { return tx.execute(stopNotices, DeliveryStopped, tx.s.sender) }

// WebhookIDs returns the IDs of all endpoints.
func (tx *Tx) WebhookIDs() ([]int64, error) {
	return collectRows(tx.ctx, tx, scanID, `SELECT id FROM webhooks`)
}
