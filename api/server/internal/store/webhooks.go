package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"flightdesk/api"
)

// Webhook is an endpoint that an account's events are sent to.
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

// Delivery is one event to one endpoint: what is sent, and the row of the log.
type Delivery struct {
	ID           int64         `column:"id"`
	WebhookID    int64         `column:"webhook_id"`
	UUID         string        `column:"uuid"`
	Event        api.EventName `column:"event"`
	MissionUUID  string        `column:"mission_uuid"`
	OrderCode    string        `column:"order_code"`
	Body         string        `column:"body"` // JSON, as it is signed and sent
	Success      bool          `column:"success"`
	ResponseCode int           `column:"response_code"` // 0 where no answer came
	Attempts     int           `column:"attempts"`
	Error        *string       `column:"error"`
	Created      time.Time     `column:"created"`
	Resent       time.Time     `column:"resent"` // when sending it again was asked for last; zero for never
}

// Errors of deliveries that have no outcome.
const (
	DeliveryPending = api.CallbackPending // still to be sent
	DeliveryStopped = "service stopped"   // pending when the service ended
)

var (
	webhookTable  = newRecordTable[*Webhook]("webhooks").listed(`WHERE account_id = $1`, "id", true)
	deliveryTable = withSender(
		newRecordTable[*Delivery]("webhook_deliveries"),
	).listed(`WHERE webhook_id = $1`, "id", true)
	outgoingTable = newRecordTable[*Outgoing]("webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id")
)

// withSender has a table name the process that has a record to send.
func withSender[T any](t *recordTable[T]) *recordTable[T] {
	t.beside = []string{"sender"}
	t.besideOf = func(tx *Tx, _ T, _ string) (any, error) { return tx.s.sender, nil }
	return t
}

// Outgoing is a delivery with what sending it takes of its endpoint.
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

// Outgoing returns what is sent of deliveries, without those that are gone or
// whose endpoint is.
func (r *storeReader) Outgoing(ctx context.Context, deliveries []int64) ([]Outgoing, error) {
	return findRows(ctx, r, outgoingTable, `WHERE d.id`+inList, listIDs(deliveries))
}

// CountWebhooks returns how many endpoints the account has.
func (tx *Tx) CountWebhooks(accountID int64) (int, error) {
	var n int
	err := tx.queryRow(`SELECT COUNT(*) FROM webhooks WHERE account_id = $1`, []any{accountID}, &n)
	return n, err
}

// SubscribedEndpoints returns the IDs of the account's endpoints that want the event.
func (tx *Tx) SubscribedEndpoints(accountID int64, event api.EventName) ([]int64, error) {
	var ids []int64
	endpoints, err := findRows(tx.ctx, tx, webhookTable, `WHERE account_id = $1 ORDER BY id`, accountID)
	for _, w := range endpoints {
		if slices.Contains(w.Events, event) {
			ids = append(ids, w.ID)
		}
	}
	return ids, err
}

// DeleteWebhook removes an endpoint and its log.
func (tx *Tx) DeleteWebhook(id int64) error {
	return tx.execute(`DELETE FROM webhooks WHERE id = $1`, id)
}

// InsertDeliveries adds deliveries and sets their IDs. They are pending unless they
// have an outcome.
func (tx *Tx) InsertDeliveries(deliveries ...*Delivery) error {
	pending := DeliveryPending
	for _, d := range deliveries {
		if !d.Success && d.Error == nil {
			d.Error = &pending
		}
	}
	return insertRows(tx, deliveryTable, deliveries...)
}

// RenewDelivery makes a delivery pending again, with the body and the Resent of
// now. The tries before keep the body that was sent with them.
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

// RecordDeliveries keeps what has become of deliveries alike: the Success,
// ResponseCode, Attempts and Error of d. Those whose endpoint was deleted stay
// deleted.
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

// SetLastStatus keeps how an endpoint's last callback ended.
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

// unsent chooses what is still pending and is one process's to send, or that of
// one that is gone.
const unsent = ` WHERE error = 'pending' AND (sender = $2 OR sender NOT IN (SELECT id FROM processes))`

const (
	stopDeliveries = `UPDATE webhook_deliveries SET error = $1` + unsent
	stopNotices    = `UPDATE notices SET error = $1` + unsent
)

// logs are the tables that keep what was sent.
var logs = []string{"webhook_deliveries", "notices"}

// logsAtOnce is how many of the oldest rows of each log one write looks at.
const logsAtOnce = 1000

// DropOldLogs drops those of the oldest callbacks and notices that were made before a
// time and are not pending, and returns their number; 0 where there are no more.
func (tx *Tx) DropOldLogs(before time.Time) (dropped int, err error) {
	for _, table := range logs {
		gone, err := collectRows(tx.ctx, tx, scanID, `DELETE FROM `+table+` WHERE id IN (SELECT id FROM
			(SELECT id, created, error FROM `+table+` ORDER BY id LIMIT $1 + 0) AS oldest
			WHERE created < $2 AND (error IS NULL OR error <> 'pending')) RETURNING id`, logsAtOnce, before.UnixMilli())
		if err != nil {
			return 0, err
		}
		dropped += len(gone)
	}
	return dropped, nil
}

// Backlog returns how many callbacks are pending, and when the oldest was made.
func (r *storeReader) Backlog(ctx context.Context) (pending int, oldest time.Time, err error) {
	first, err := singleRow(ctx, r, func(rows *sql.Rows, first *int64) error {
		return rows.Scan(&pending, first)
	}, `SELECT COUNT(*), COALESCE(MIN(created), 0) FROM webhook_deliveries WHERE error = 'pending'`)
	return pending, time.UnixMilli(first), err
}

// StopDeliveries marks what is still pending as not sent, but for what other
// processes send.
func (tx *Tx) StopDeliveries() error { return tx.execute(stopDeliveries, DeliveryStopped, tx.s.sender) }

// StopNotices does for notices what StopDeliveries does for deliveries.
func (tx *Tx) StopNotices() error { return tx.execute(stopNotices, DeliveryStopped, tx.s.sender) }
