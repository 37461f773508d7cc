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
	ID          int64
	AccountID   int64
	UUID        string
	URL         string
	Events      []api.EventName
	Description string
	Secret      string // encrypted
	LastStatus  *string
	Created     time.Time
	Updated     time.Time
}

// Position returns the endpoint's place in the list of its account.
func (w Webhook) Position() Position { return Position{ID: w.ID} }

// Delivery is one event to one endpoint: what is sent, and the row of the log.
type Delivery struct {
	ID           int64
	WebhookID    int64
	UUID         string
	Event        api.EventName
	MissionUUID  string
	OrderCode    string
	Body         string // JSON, as it is signed and sent
	Success      bool
	ResponseCode int // 0 where no answer came
	Attempts     int
	Error        *string
	Created      time.Time
	Resent       time.Time // when sending it again was asked for last; zero for never
}

// Position returns the delivery's place in the log of its endpoint.
func (d Delivery) Position() Position { return Position{ID: d.ID} }

// Errors of deliveries that have no outcome.
const (
	DeliveryPending = api.CallbackPending // still to be sent
	DeliveryStopped = "service stopped"   // pending when the service ended
)

const webhookColumns = `w.id, w.account_id, w.uuid, w.url, w.events, w.description, w.secret, w.last_status, w.created, w.updated`

func (w *Webhook) scanPlaces() []any {
	return []any{
		&w.ID, &w.AccountID, &w.UUID, &w.URL,
		wordsColumn[api.EventName]{&w.Events},
		&w.Description, &w.Secret,
		&w.LastStatus,
		instantColumn{&w.Created},
		instantColumn{&w.Updated},
	}
}

func scanWebhook(rows *sql.Rows) (w Webhook, err error) {
	err = rows.Scan(w.scanPlaces()...)
	return w, err
}

const deliveryColumns = `d.id, d.webhook_id, d.uuid, d.event, d.mission_uuid, d.order_code, d.body, d.success,
	d.response_code, d.attempts, d.error, d.created, d.resent`

func (d *Delivery) scanPlaces() []any {
	return []any{
		&d.ID, &d.WebhookID, &d.UUID, &d.Event, &d.MissionUUID, &d.OrderCode, &d.Body, &d.Success,
		&d.ResponseCode, &d.Attempts, &d.Error,
		instantColumn{&d.Created},
		instantColumn{&d.Resent},
	}
}

func scanDelivery(rows *sql.Rows) (d Delivery, err error) {
	err = rows.Scan(d.scanPlaces()...)
	return d, err
}

// listRows runs the query of a list by id, newest first: all of it is given,
// with the parts that choose the window put in.
func listRows[T any](
	ctx context.Context, q querier, scan func(*sql.Rows) (T, error), selection, alias string, owner int64, w ListWindow,
) ([]T, error) {
	id := alias + ".id"
	switch {
	case w.From == nil:
		return collectRows(ctx, q, scan, selection+` ORDER BY `+id+` DESC LIMIT $2 + 0`, owner, w.Limit)
	case !w.Before:
		return collectRows(ctx, q, scan, selection+` AND `+id+` < $3 ORDER BY `+id+` DESC LIMIT $2 + 0`, owner, w.Limit, w.From.ID)
	}
	page, err := collectRows(ctx, q, scan, selection+` AND `+id+` > $3 ORDER BY `+id+` LIMIT $2 + 0`, owner, w.Limit, w.From.ID)
	slices.Reverse(page)
	return page, err
}

// Webhooks returns a window of the account's endpoints, newest first.
func (r *storeReader) Webhooks(ctx context.Context, accountID int64, w ListWindow) ([]Webhook, error) {
	return listRows(ctx, r, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.account_id = $1`, "w", accountID, w)
}

// WebhookByUUID returns an endpoint of any account.
func (r *storeReader) WebhookByUUID(ctx context.Context, uuid string) (Webhook, error) {
	return singleRow(ctx, r, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.uuid = $1`, uuid)
}

// Deliveries returns a window of an endpoint's log, newest first.
func (r *storeReader) Deliveries(ctx context.Context, webhookID int64, w ListWindow) ([]Delivery, error) {
	return listRows(ctx, r, scanDelivery,
		`SELECT `+deliveryColumns+` FROM webhook_deliveries d WHERE d.webhook_id = $1`, "d", webhookID, w)
}

// Outgoing is a delivery with what sending it takes of its endpoint.
type Outgoing struct {
	ID          int64
	UUID        string
	Event       api.EventName
	Body        string
	Attempts    int
	Resent      time.Time
	WebhookUUID string
	URL         string
	Secret      string // encrypted
}

var outgoing = newBatchQueries(func(n int) string {
	return `SELECT d.id, d.uuid, d.event, d.body, d.attempts, d.resent, w.uuid, w.url, w.secret
		FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.id IN ` + placeholders(1, n)
})

// Outgoing returns what is sent of deliveries, without those that are gone or
// whose endpoint is.
func (r *storeReader) Outgoing(ctx context.Context, deliveries []int64) (all []Outgoing, err error) {
	for len(deliveries) > 0 {
		text, n := outgoing.firstBatch(len(deliveries))
		some, err := collectRows(ctx, r, func(rows *sql.Rows) (o Outgoing, err error) {
			err = rows.Scan(&o.ID, &o.UUID, &o.Event, &o.Body, &o.Attempts, instantColumn{&o.Resent}, &o.WebhookUUID, &o.URL, &o.Secret)
			return o, err
		}, text, idArguments(deliveries[:n])...)
		if err != nil {
			return nil, err
		}
		all, deliveries = append(all, some...), deliveries[n:]
	}
	return all, nil
}

// Receiver returns the UUID, the address and the encrypted secret of an
// endpoint, ErrNotFound if it is gone.
func (r *storeReader) Receiver(ctx context.Context, webhookID int64) (w Webhook, err error) {
	return singleRow(ctx, r, func(rows *sql.Rows) (w Webhook, err error) {
		err = rows.Scan(&w.UUID, &w.URL, &w.Secret)
		return w, err
	}, `SELECT w.uuid, w.url, w.secret FROM webhooks w WHERE w.id = $1`, webhookID)
}

// CountWebhooks returns how many endpoints the account has.
func (tx *Tx) CountWebhooks(accountID int64) (n int, err error) {
	err = tx.queryRow(`SELECT COUNT(*) FROM webhooks WHERE account_id = $1`, []any{accountID}, &n)
	return n, err
}

// SubscribedEndpoints returns the IDs of the account's endpoints that want the event.
func (tx *Tx) SubscribedEndpoints(accountID int64, event api.EventName) (ids []int64, err error) {
	endpoints, err := collectRows(tx.ctx, tx, func(rows *sql.Rows) (w Webhook, err error) {
		err = rows.Scan(&w.ID, wordsColumn[api.EventName]{&w.Events})
		return w, err
	}, `SELECT w.id, w.events FROM webhooks w WHERE w.account_id = $1 ORDER BY w.id`, accountID)
	for _, w := range endpoints {
		if slices.Contains(w.Events, event) {
			ids = append(ids, w.ID)
		}
	}
	return ids, err
}

// WebhookByUUID returns an endpoint of any account.
func (tx *Tx) WebhookByUUID(uuid string) (Webhook, error) {
	return singleRow(tx.ctx, tx, scanWebhook, `SELECT `+webhookColumns+` FROM webhooks w WHERE w.uuid = $1`, uuid)
}

// InsertWebhook adds an endpoint and sets its ID.
func (tx *Tx) InsertWebhook(w *Webhook) error {
	return tx.queryRow(`INSERT INTO webhooks (account_id, uuid, url, events, description, secret, last_status, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`,
		[]any{
			w.AccountID, w.UUID, w.URL, joinWords(w.Events), w.Description, w.Secret, w.LastStatus,
			toMillis(w.Created), toMillis(w.Updated),
		}, &w.ID)
}

// DeleteWebhook removes an endpoint and its log.
func (tx *Tx) DeleteWebhook(id int64) error {
	return tx.execute(`DELETE FROM webhooks WHERE id = $1`, id)
}

// DeliveryByUUID returns a delivery to any endpoint.
func (r *storeReader) DeliveryByUUID(ctx context.Context, uuid string) (Delivery, error) {
	return singleRow(ctx, r, scanDelivery, deliveryByUUID, uuid)
}

const deliveryByUUID = `SELECT ` + deliveryColumns + ` FROM webhook_deliveries d WHERE d.uuid = $1`

// DeliveryByUUID returns a delivery to any endpoint.
func (tx *Tx) DeliveryByUUID(uuid string) (Delivery, error) {
	return singleRow(tx.ctx, tx, scanDelivery, deliveryByUUID, uuid)
}

var deliveryInserts = newBatchQueries(func(n int) string {
	return `INSERT INTO webhook_deliveries (webhook_id, uuid, event, mission_uuid, order_code, body, success, response_code,
		attempts, error, created, sender) VALUES ` + rowsOf(n, 12) + ` RETURNING id, uuid`
})

// InsertDeliveries adds deliveries that are pending and sets their IDs.
func (tx *Tx) InsertDeliveries(deliveries ...*Delivery) error {
	pending := DeliveryPending
	ids := make(map[string]int64, len(deliveries))
	for rest := deliveries; len(rest) > 0; {
		text, n := deliveryInserts.firstBatch(len(rest))
		args := make([]any, 0, 12*n)
		for _, d := range rest[:n] {
			d.Error = &pending
			args = append(args, d.WebhookID, d.UUID, d.Event, d.MissionUUID, d.OrderCode, d.Body, 0, 0, 0, d.Error, toMillis(d.Created), tx.s.sender)
		}
		_, err := collectRows(tx.ctx, tx, func(rows *sql.Rows) (none struct{}, err error) {
			var id int64
			var uuid string
			err = rows.Scan(&id, &uuid)
			ids[uuid] = id
			return none, err
		}, text, args...)
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	for _, d := range deliveries {
		d.ID = ids[d.UUID]
	}
	return nil
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
	d.Success, d.Error = false, &pending
	return tx.execute(`UPDATE webhook_deliveries SET body = $1, success = 0, error = $2, sender = $3, resent = $4 WHERE id = $5`,
		d.Body, d.Error, tx.s.sender, toMillis(d.Resent), d.ID)
}

var deliveryRecords = newBatchQueries(func(n int) string {
	return `UPDATE webhook_deliveries SET success = $1, response_code = $2, attempts = $3, error = $4
		WHERE id IN ` + placeholders(5, n)
})

// RecordDeliveries keeps what has become of deliveries alike: the Success,
// ResponseCode, Attempts and Error of d. Those whose endpoint was deleted stay
// deleted.
func (tx *Tx) RecordDeliveries(d Delivery, ids []int64) error {
	success := 0
	if d.Success {
		success = 1
	}
	for len(ids) > 0 {
		text, n := deliveryRecords.firstBatch(len(ids))
		if err := tx.execute(text, idArguments(ids[:n], success, d.ResponseCode, d.Attempts, d.Error)...); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// SetLastStatus keeps how an endpoint's last callback ended.
func (tx *Tx) SetLastStatus(webhookID int64, success bool) error {
	status := "failed"
	if success {
		status = "success"
	}
	return tx.execute(`UPDATE webhooks SET last_status = $1 WHERE id = $2 AND last_status IS DISTINCT FROM $1`, status, webhookID)
}

// unsent chooses what is still pending and is one process's to send, or that of
// one that is gone.
const unsent = ` WHERE error = 'pending' AND (sender = $2 OR sender NOT IN (SELECT id FROM processes))`

const (
	stopDeliveries = `UPDATE webhook_deliveries SET error = $1` + unsent
	stopNotices    = `UPDATE notices SET error = $1` + unsent
)

// StopDeliveries marks what is still pending as not sent, but for what other
// processes send.
func (tx *Tx) StopDeliveries() error { return tx.execute(stopDeliveries, DeliveryStopped, tx.s.sender) }

// StopNotices returns StopDeliveries for notices.
func (tx *Tx) StopNotices() error { return tx.execute(stopNotices, DeliveryStopped, tx.s.sender) }
