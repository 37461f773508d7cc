package domain

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// secretPrefix is the prefix of endpoints' signing secrets.
const secretPrefix = "whsec_"

// NewWebhook registers an endpoint of the caller's account. Its secret is only returned
// here.
func (d Callbacks) NewWebhook(
	ctx context.Context, c *Caller, req api.CreateWebhookRequest,
) (w store.Webhook, secret string, err error) {
	now := d.Now().Truncate(time.Millisecond)
	secret = newSecret()
	w = store.Webhook{
		AccountID:   c.Account.ID,
		UUID:        newUUID(now),
		URL:         req.URL,
		Events:      req.Events,
		Description: req.Description,
		Created:     now,
		Updated:     now,
	}
	if w.Events == nil {
		w.Events = api.EventNames()
	}
	w.Secret = d.Vault.Seal(w.UUID, secret)
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		n, err := tx.CountWebhooks(c.Account.ID)
		if err != nil {
			return err
		}
		if n >= api.MaxWebhooks {
			return refuseRequest(api.CodeConflict,
				"the account has reached its limit of %d endpoints; delete one first", n)
		}
		return store.Insert(tx, &w)
	})
	return w, secret, wrapStoreError(err, "register endpoint")
}

// newSecret returns 256 random bits in base64url after the prefix.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(random[:])
}

// Webhook returns one of the caller's endpoints, or any endpoint if the caller is nil.
func (d Callbacks) Webhook(ctx context.Context, c *Caller, uuid string) (store.Webhook, error) {
	w, err := store.ByUUID[store.Webhook](ctx, d.Store, uuid)
	if err != nil {
		return w, wrapStoreError(refuseMissing(err, noEndpoint), "read endpoint")
	}
	return w, checkWebhookAccess(c, w)
}

const noEndpoint = "endpoint not found"

// checkWebhookAccess returns an error if the caller may not see an endpoint.
func checkWebhookAccess(c *Caller, w store.Webhook) error {
	if c != nil && w.AccountID != c.Account.ID {
		return refuseRequest(api.CodeNotYourResource, "the endpoint belongs to another account")
	}
	return nil
}

// DeleteWebhook deletes one of the caller's endpoints with its log, and stops sending to
// it.
func (d Callbacks) DeleteWebhook(ctx context.Context, c *Caller, uuid string) error {
	var w store.Webhook
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		w, err = store.ByUUID[store.Webhook](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, noEndpoint)
		}
		if err := checkWebhookAccess(c, w); err != nil {
			return err
		}
		return tx.DeleteWebhook(w.ID)
	})
	if err != nil {
		return wrapStoreError(err, "delete endpoint")
	}
	if d.Sender != nil {
		d.Sender.CancelEndpoint(w.ID)
	}
	return nil
}

// History returns a callback, the UUID of its endpoint, and its stored attempts, oldest
// first.
func (d Callbacks) History(
	ctx context.Context, uuid string,
) (delivery store.Delivery, endpoint string, attempts []store.Attempt, err error) {
	const doing = "read callback"
	delivery, err = store.ByUUID[store.Delivery](ctx, d.Store, uuid)
	if err != nil {
		return delivery, "", nil, wrapStoreError(refuseMissing(err, noCallback), doing)
	}
	webhook, err := store.ByID[store.Webhook](ctx, d.Store, delivery.WebhookID)
	if err != nil {
		return delivery, "", nil, wrapStoreError(refuseMissing(err, noCallback), doing)
	}
	attempts, err = d.Store.Attempts(ctx, delivery)
	return delivery, webhook.UUID, attempts, wrapStoreError(err, doing)
}

const noCallback = "callback not found"

// Resend sends a callback again, with the same ID. Its timestamp is the current time,
// because receivers reject old ones. A receiver that already has the event recognizes its
// ID.
func (d Callbacks) Resend(ctx context.Context, uuid string) (store.Delivery, error) {
	var delivery store.Delivery
	err := d.runMove(ctx, func(m *domainMove) error {
		var err error
		delivery, err = store.ByUUID[store.Delivery](ctx, m.tx, uuid)
		if err != nil {
			return refuseMissing(err, noCallback)
		}
		if delivery.IsPending() {
			return refuseRequest(api.CodeConflict, "the callback is still being sent")
		}
		now := d.Now().UTC().Truncate(time.Millisecond)
		delivery.Resent = now
		delivery.Body, err = withTimestamp(delivery.Body, now)
		if err != nil {
			return err
		}
		if err := m.tx.RenewDelivery(&delivery); err != nil {
			return err
		}
		m.announced = append(m.announced, delivery)
		return nil
	})
	return delivery, wrapStoreError(err, "resend callback")
}

// withTimestamp returns the JSON of an event with another timestamp.
func withTimestamp(body string, timestamp time.Time) (string, error) {
	var event api.Event
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		return "", err
	}
	event.Timestamp = api.TimeOf(timestamp)
	changed, err := json.Marshal(event)
	return string(changed), err
}

// Test sends an event to an endpoint, even if the endpoint does not subscribe to it. The
// event is about a mission that does not exist, MSN-0 of ORD-0.
func (d Callbacks) Test(ctx context.Context, uuid string, event api.EventName) (sent store.Delivery, err error) {
	now := d.Now()
	mission := api.EventMission{
		UUID:        newUUID(now),
		MissionCode: "MSN-0",
		Status:      event.MissionStatus(),
		OrderUID:    newUUID(now),
		OrderCode:   "ORD-0",
	}
	err = d.runMove(ctx, func(m *domainMove) error {
		w, err := store.ByUUID[store.Webhook](ctx, m.tx, uuid)
		if err != nil {
			return refuseMissing(err, noEndpoint)
		}
		if err := m.deliverEvent([]int64{w.ID}, event, mission); err != nil {
			return err
		}
		sent = m.announced[0]
		store.SetAuditSubject(ctx, sent.UUID)
		return nil
	})
	return sent, wrapStoreError(err, "test endpoint")
}
