package desk

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

// secretPrefix begins the signing secret of every endpoint.
const secretPrefix = "whsec_"

// NewWebhook registers an endpoint of the caller's account. This is the only
// time that its secret is seen.
func (d *Desk) NewWebhook(ctx context.Context, c *Caller, req api.CreateWebhookRequest) (w store.Webhook, secret string, err error) {
	now := d.Now().Truncate(time.Millisecond)
	secret = newSecret()
	w = store.Webhook{
		AccountID: c.Account.ID, UUID: newUUID(now), URL: req.URL, Events: req.Events, Description: req.Description,
		Created: now, Updated: now,
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
			return refuse(api.CodeConflict, "the account has %d webhooks, as many as it may; delete one first", n)
		}
		return tx.InsertWebhook(&w)
	})
	return w, secret, kept(err, "register webhook")
}

// newSecret returns 256 random bits in base64url after the prefix.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return secretPrefix + base64.RawURLEncoding.EncodeToString(random[:])
}

// Webhooks returns a page of an account's endpoints, newest first.
func (d *Desk) Webhooks(ctx context.Context, accountID int64, w store.Window) (Page[store.Webhook], error) {
	page, err := paged(w, store.Webhook.Position, func(w store.Window) ([]store.Webhook, error) {
		return d.Store.Webhooks(ctx, accountID, w)
	})
	return page, kept(err, "list webhooks")
}

// Webhook returns one of the caller's endpoints; without a caller, anybody's.
func (d *Desk) Webhook(ctx context.Context, c *Caller, uuid string) (store.Webhook, error) {
	w, err := d.Store.WebhookByUUID(ctx, uuid)
	if err = visibleWebhook(c, w, err); err != nil {
		return store.Webhook{}, kept(err, "read webhook")
	}
	return w, nil
}

// visibleWebhook decides whether the caller may see what a look-up of an
// endpoint found.
func visibleWebhook(c *Caller, w store.Webhook, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return refuse(api.CodeNotFound, "there is no such webhook")
	case err != nil:
		return err
	case c != nil && w.AccountID != c.Account.ID:
		return refuse(api.CodeNotYourResource, "the webhook belongs to another account")
	}
	return nil
}

// DeleteWebhook removes one of the caller's endpoints with its log. Nothing
// more is sent to it.
func (d *Desk) DeleteWebhook(ctx context.Context, c *Caller, uuid string) error {
	var w store.Webhook
	err := d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		w, err = tx.WebhookByUUID(uuid)
		if err = visibleWebhook(c, w, err); err != nil {
			return err
		}
		return tx.DeleteWebhook(w.ID)
	})
	if err == nil && d.Sender != nil {
		d.Sender.Forget(w.ID)
	}
	return kept(err, "delete webhook")
}

// Deliveries returns a page of an endpoint's log, newest first.
func (d *Desk) Deliveries(ctx context.Context, webhook store.Webhook, w store.Window) (Page[store.Delivery], error) {
	page, err := paged(w, store.Delivery.Position, func(w store.Window) ([]store.Delivery, error) {
		return d.Store.Deliveries(ctx, webhook.ID, w)
	})
	return page, kept(err, "list deliveries")
}
