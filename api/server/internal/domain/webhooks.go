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

// secretPrefix begins the signing secret of every endpoint.
const secretPrefix = "whsec_"

// NewWebhook registers an endpoint of the caller's account. This is the only
// time that its secret is seen.
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

// Webhook returns one of the caller's endpoints; without a caller, anybody's.
func (d Callbacks) Webhook(ctx context.Context, c *Caller, uuid string) (store.Webhook, error) {
	w, err := store.ByUUID[store.Webhook](ctx, d.Store, uuid)
	return w, wrapStoreError(visibleWebhook(c, w, err), "read endpoint")
}

// visibleWebhook decides whether the caller may see what a look-up of an
// endpoint found.
func visibleWebhook(c *Caller, w store.Webhook, err error) error {
	if err == nil && c != nil && w.AccountID != c.Account.ID {
		return refuseRequest(api.CodeNotYourResource, "the endpoint belongs to another account")
	}
	return refuseMissing(err, "endpoint not found")
}

// DeleteWebhook removes one of the caller's endpoints with its log. Nothing
// more is sent to it.
func (d Callbacks) DeleteWebhook(ctx context.Context, c *Caller, uuid string) error {
	var w store.Webhook
	err := d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		w, err = store.ByUUID[store.Webhook](ctx, tx, uuid)
		if err = visibleWebhook(c, w, err); err != nil {
			return err
		}
		return tx.DeleteWebhook(w.ID)
	})
	if err == nil && d.Sender != nil {
		d.Sender.Forget(w.ID)
	}
	return wrapStoreError(err, "delete endpoint")
}

// History returns a delivery, its endpoint's UUID, and each try that is kept, in
// their order.
func (d Callbacks) History(
	ctx context.Context, uuid string,
) (row store.Delivery, webhook string, tries []store.Attempt, err error) {
	row, err = store.ByUUID[store.Delivery](ctx, d.Store, uuid)
	var endpoint store.Webhook
	if err == nil {
		endpoint, err = store.ByID[store.Webhook](ctx, d.Store, row.WebhookID)
	}
	if err == nil {
		tries, err = d.Store.Attempts(ctx, row)
	}
	return row, endpoint.UUID, tries, wrapStoreError(refuseMissing(err, noCallback), "read callback")
}

const noCallback = "callback not found"

// Resend sends a delivery once more: the same event with the same id. Its
// timestamp is that of now, since receivers refuse what is old; one that had
// the event before knows it by the id.
func (d Callbacks) Resend(ctx context.Context, uuid string) (sent store.Delivery, err error) {
	err = d.runMove(ctx, func(m *domainMove) error {
		sent, err = store.ByUUID[store.Delivery](ctx, m.Tx, uuid)
		if err != nil {
			return refuseMissing(err, noCallback)
		}
		if sent.Error != nil && *sent.Error == store.DeliveryPending {
			return refuseRequest(api.CodeConflict, "the callback is still being sent")
		}
		var event api.Event
		if err := json.Unmarshal([]byte(sent.Body), &event); err != nil {
			return err
		}
		sent.Resent = d.Now().UTC().Truncate(time.Millisecond)
		event.Timestamp = api.TimeOf(sent.Resent)
		body, err := json.Marshal(event)
		if err != nil {
			return err
		}
		sent.Body = string(body)
		if err := m.RenewDelivery(&sent); err != nil {
			return err
		}
		m.announced = append(m.announced, sent)
		return nil
	})
	return sent, wrapStoreError(err, "resend callback")
}

// Test sends an event to an endpoint, whether it is subscribed to it or
// not. The event is of a mission that there is not: MSN-0 of ORD-0.
func (d Callbacks) Test(ctx context.Context, uuid string, event api.EventName) (sent store.Delivery, err error) {
	now := d.Now()
	about := api.EventMission{
		UUID:        newUUID(now),
		MissionCode: "MSN-0",
		Status:      event.MissionStatus(),
		OrderUID:    newUUID(now),
		OrderCode:   "ORD-0",
	}
	err = d.runMove(ctx, func(m *domainMove) error {
		w, err := store.ByUUID[store.Webhook](ctx, m.Tx, uuid)
		if err = visibleWebhook(nil, w, err); err != nil {
			return err
		}
		if err := m.deliverEvent([]int64{w.ID}, event, about); err != nil {
			return err
		}
		sent = m.announced[0]
		store.NoteCreated(ctx, sent.UUID)
		return nil
	})
	return sent, wrapStoreError(err, "test endpoint")
}
