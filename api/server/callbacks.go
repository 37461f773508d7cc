package server

import (
	"context"
	"errors"
	"fmt"

	"flightdesk/api/server/callback"
	"flightdesk/api/server/store"
)

// callbacks sends what the store holds: it is the desk's sender and the
// sender's book. The zero value sends nothing.
type callbacks struct {
	store     *store.Store
	vault     *store.Vault
	transport *callback.Transport
	sender    *callback.Sender
	metrics   *metrics
}

// startCallbacks begins to send. What an earlier run left unsent is not sent
// any more; the log says so.
func (s *Server) startCallbacks(ctx context.Context) error {
	transport, err := callback.NewTransport(s.WebhookAllow, s.WebhookCA)
	if err != nil {
		return fmt.Errorf("the trusted certificates for callbacks: %w", err)
	}
	vault, err := s.store.Vault(ctx)
	if err != nil {
		return err
	}
	if err := s.store.Write(ctx, (*store.Tx).StopDeliveries); err != nil {
		return err
	}
	c := &s.callbacks
	c.store, c.vault, c.transport, c.metrics = s.store, vault, transport, s.metrics
	c.sender = callback.New(callback.Config{ //nolint:contextcheck // it outlasts the start
		Book: c, Transport: transport, Now: s.Now, Log: s.Log, Timing: s.timing,
	})
	s.desk.Vault, s.desk.Sender = vault, c
	return nil
}

// close waits for tries under way and takes on nothing more.
func (c *callbacks) close() {
	if c.sender != nil {
		c.sender.Close()
	}
}

// stop marks what was not sent any more.
func (c *callbacks) stop() error {
	if c.sender == nil {
		return nil
	}
	return c.store.Write(context.Background(), (*store.Tx).StopDeliveries)
}

// Send takes on deliveries that have been kept.
func (c *callbacks) Send(deliveries ...store.Delivery) {
	refs := make([]callback.Ref, len(deliveries))
	for i, d := range deliveries {
		refs[i] = callback.Ref{Delivery: d.ID, Endpoint: d.WebhookID}
	}
	c.sender.Send(refs...)
}

// Forget stops what is under way to an endpoint.
func (c *callbacks) Forget(webhookID int64) { c.sender.Forget(webhookID) }

// Load reads what is sent in a try.
func (c *callbacks) Load(ctx context.Context, delivery int64) (callback.Message, error) {
	o, err := c.store.Outgoing(ctx, delivery)
	if errors.Is(err, store.ErrNotFound) {
		return callback.Message{}, callback.ErrGone
	}
	if err != nil {
		return callback.Message{}, err
	}
	secret, err := c.vault.Open(o.WebhookUUID, o.Secret)
	return callback.Message{
		ID: o.UUID, Event: o.Event, URL: o.URL, Secret: secret, Body: []byte(o.Body), Attempts: o.Attempts,
	}, err
}

// Record keeps outcomes in the log.
func (c *callbacks) Record(ctx context.Context, outcomes []callback.Outcome) error {
	pending := store.DeliveryPending
	last := map[int64]bool{}
	err := c.store.Write(ctx, func(tx *store.Tx) error {
		for _, o := range outcomes {
			d := store.Delivery{
				ID: o.Delivery, WebhookID: o.Endpoint, Success: o.Error == "", ResponseCode: o.Code, Attempts: o.Attempts,
			}
			switch {
			case o.Again:
				d.Error = &pending
			case !d.Success:
				d.Error = &o.Error
			}
			if !o.Again {
				last[o.Endpoint] = d.Success
			}
			if err := tx.RecordDelivery(d); err != nil {
				return err
			}
		}
		for webhook, success := range last {
			if err := tx.SetLastStatus(webhook, success); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		c.metrics.tried(outcomes)
	}
	return err
}
