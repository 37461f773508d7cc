package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/store"
)

// callbackBook sends what the store holds: it is the domain's sender and the
// sender's book. The zero value sends nothing.
type callbackBook struct {
	senderBook
	transport *callback.Transport
	metrics   *serviceMetrics
}

// senderBook is what a sender sends from.
type senderBook struct {
	store  *store.Store
	vault  *store.Vault
	sender *callback.Sender
	stop   func(*store.Tx) error // marks what was not sent
}

// openBook has a sender send what a book has from now on. What an earlier run left
// unsent is not sent any more; the log says so.
func (b *senderBook) openBook(ctx context.Context, stop func(*store.Tx) error, c callback.SenderConfig) error {
	if err := b.store.Write(ctx, stop); err != nil {
		return err
	}
	b.stop, b.sender = stop, callback.New(c) //nolint:contextcheck // it outlasts the start
	return nil
}

// startCallbacks begins to send.
func (s *Server) startCallbacks(ctx context.Context) error {
	transport, err := callback.NewTransport(s.WebhookAllow, s.WebhookCA)
	if err != nil {
		return fmt.Errorf("the trusted certificates for callbacks: %w", err)
	}
	vault, err := s.store.Vault(ctx)
	if err != nil {
		return err
	}
	c := &s.callbacks
	c.store, c.vault, c.transport, c.metrics = s.store, vault, transport, s.metrics
	s.domain.Vault, s.domain.Sender = vault, c
	return c.openBook(ctx, (*store.Tx).StopDeliveries, callback.SenderConfig{
		Deliveries: c,
		Transport:  s.scenarioTransport(transport),
		Now:        s.Now,
		Log:        s.Log,
		Timing:     s.timing,
		Faults:     &s.faults,
	})
}

// closeBook waits for tries under way and takes on nothing more.
func (b *senderBook) closeBook() {
	if b.sender != nil {
		b.sender.Close()
	}
}

// markUnsent marks what was not sent any more.
func (b *senderBook) markUnsent() error {
	if b.sender == nil {
		return nil
	}
	return b.store.Write(context.Background(), b.stop)
}

// Send takes on deliveries that have been kept.
func (c *callbackBook) Send(deliveries ...store.Delivery) {
	refs := make([]callback.DeliveryRef, len(deliveries))
	for i, d := range deliveries {
		refs[i] = callback.DeliveryRef{Delivery: d.ID, Endpoint: d.WebhookID}
	}
	c.sender.Send(refs...)
}

// CancelEndpoint stops what is under way to an endpoint.
func (c *callbackBook) CancelEndpoint(webhookID int64) { c.sender.CancelEndpoint(webhookID) }

// Load reads what is sent to one endpoint.
func (c *callbackBook) Load(ctx context.Context, deliveries []int64) ([]callback.Message, error) {
	outgoing, err := c.store.Outgoing(ctx, deliveries)
	if err != nil {
		return nil, err
	}
	messages := make([]callback.Message, len(outgoing))
	for i, o := range outgoing {
		secret, err := openSecret(c.vault, o.WebhookUUID, o.Secret)
		if err != nil {
			return nil, err
		}
		messages[i] = callback.Message{
			Delivery: o.ID,
			ID:       o.UUID,
			Event:    o.Event,
			URL:      o.URL,
			Secret:   secret,
			Body:     []byte(o.Body),
			Attempts: o.Attempts,
			Resent:   o.Resent,
		}
	}
	return messages, nil
}

// openSecret opens the secret that callbacks are signed with; one that is damaged stays so.
func openSecret(v *store.Vault, owner, sealed string) (string, error) {
	secret, err := v.Open(owner, sealed)
	if err != nil {
		err = fmt.Errorf("%w: %w", callback.ErrUnreadable, err)
	}
	return secret, err
}

// Record keeps outcomes in the log.
func (c *callbackBook) Record(ctx context.Context, outcomes []callback.Outcome) error {
	last := map[int64]bool{}                // by endpoint
	latest := map[int64]callback.Outcome{}  // by delivery
	alike := map[callback.Outcome][]int64{} // deliveries with the same outcome
	var tries []*store.Attempt
	for _, o := range outcomes {
		if o.Try != nil {
			tries = append(tries, attemptOf(o))
		}
		if !o.Again {
			last[o.Endpoint] = o.Error == ""
		}
		latest[o.Delivery] = o
	}
	for delivery, o := range latest {
		o.DeliveryRef, o.Try = callback.DeliveryRef{}, nil
		alike[o] = append(alike[o], delivery)
	}
	err := c.store.Write(ctx, func(tx *store.Tx) error {
		for o, deliveries := range alike {
			if err := tx.RecordDeliveries(deliveryOf(o), deliveries); err != nil {
				return err
			}
		}
		for webhook, success := range last {
			if err := tx.SetLastStatus(webhook, success); err != nil {
				return err
			}
		}
		return tx.InsertAttempts(tries)
	})
	if err == nil {
		c.metrics.countAttempts(outcomes)
	}
	return err
}

// attemptOf returns the row of the log for a try.
func attemptOf(o callback.Outcome) *store.Attempt {
	headers := make(map[string]string, len(o.Try.Headers))
	for name := range o.Try.Headers {
		headers[name] = o.Try.Headers.Get(name)
	}
	text, _ := json.Marshal(headers, json.Deterministic(true)) // texts always have a form
	answer := strings.ReplaceAll(strings.ToValidUTF8(string(o.Try.Answer), "\uFFFD"), "\x00", "\uFFFD")
	return &store.Attempt{
		DeliveryID:   o.Delivery,
		Number:       o.Attempts,
		Sent:         o.Try.At,
		Took:         o.Try.Took,
		ResponseCode: o.Code,
		Error:        o.Error,
		Headers:      string(text),
		Answer:       answer,
		Resent:       o.Try.Resent,
		Next:         o.Try.Next,
	}
}

// deliveryOf returns what the log says of an outcome. Until the last try a delivery
// is pending.
func deliveryOf(o callback.Outcome) store.Delivery {
	d := store.Delivery{
		Success:      o.Error == "",
		ResponseCode: o.Code,
		Attempts:     o.Attempts,
	}
	switch {
	case o.Again:
		pending := store.DeliveryPending
		d.Error = &pending
	case !d.Success:
		d.Error = &o.Error
	}
	return d
}
