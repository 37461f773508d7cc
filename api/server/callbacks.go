package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/store"
)

// callbackRegistry sends callbacks and records their outcomes in the store. It implements
// [domain.Sender] and [callback.DeliveryStore]. The zero value sends nothing.
type callbackRegistry struct {
	senderBase
	transport *callback.Transport
	metrics   *serviceMetrics
}

// senderBase is the common part of callbackRegistry and noticeRegistry: a sender, and the store of
// its deliveries.
type senderBase struct {
	store  *store.Store
	vault  *store.Vault
	sender *callback.Sender

	markPending func(*store.Tx) error // marks the pending deliveries in the store as not sent
}

// startSender starts the sender. Before that, it marks the deliveries that a previous run left
// pending as not sent. They will not be sent any more.
func (b *senderBase) startSender(ctx context.Context, c callback.SenderConfig) error {
	if err := b.store.Write(ctx, b.markPending); err != nil {
		return err
	}
	b.sender = callback.New(c) //nolint:contextcheck // the sender runs longer than the start
	return nil
}

// startCallbacks initializes s.callbacks, makes it the sender of the domain's callbacks, and
// starts it.
func (s *service) startCallbacks(ctx context.Context, settings *Server) error {
	transport, err := callback.NewTransport(settings.WebhookAllow, settings.WebhookCA)
	if err != nil {
		return fmt.Errorf("the trusted certificates for callbacks: %w", err)
	}
	vault, err := s.store.Vault(ctx)
	if err != nil {
		return err
	}
	c := &s.callbacks
	c.store = s.store
	c.vault = vault
	c.transport = transport
	c.metrics = s.metrics
	c.markPending = (*store.Tx).StopDeliveries
	s.domain.Vault = vault
	s.domain.Sender = c
	return c.startSender(ctx, callback.SenderConfig{
		Deliveries: c,                              // reads the callbacks to send, and records their outcomes
		Transport:  s.scenarioTransport(transport), // lets callbacks fail while a scenario says so
		Now:        settings.Now,
		Log:        settings.Log,
		Timing:     settings.tests.timing,
		Faults:     &s.faults,
	})
}

// closeSender waits for the running attempts and starts no more.
func (b *senderBase) closeSender() {
	if b.sender != nil {
		b.sender.Close()
	}
}

// discardSender closes and removes the sender after the service could not be started. Without a
// sender, markUnsent does nothing. It must not write, because a failed start also closes the
// database.
func (b *senderBase) discardSender() {
	b.closeSender()
	b.sender = nil
}

// markUnsent marks the pending deliveries in the store as not sent. It does nothing if there is
// no sender.
func (b *senderBase) markUnsent() error {
	if b.sender == nil {
		return nil
	}
	return b.store.Write(context.Background(), b.markPending)
}

// Send queues deliveries that are already in the store.
func (c *callbackRegistry) Send(deliveries ...store.Delivery) {
	refs := make([]callback.DeliveryRef, len(deliveries))
	for i, d := range deliveries {
		refs[i] = callback.DeliveryRef{Delivery: d.ID, Endpoint: d.WebhookID}
	}
	c.sender.Send(refs...)
}

// CancelEndpoint cancels the deliveries to an endpoint.
func (c *callbackRegistry) CancelEndpoint(webhookID int64) { c.sender.CancelEndpoint(webhookID) }

// Load returns the messages of deliveries to one endpoint.
func (c *callbackRegistry) Load(ctx context.Context, deliveries []int64) ([]callback.Message, error) {
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

// openSecret decrypts the secret that signs callbacks. If the secret is damaged, the
// error is [callback.ErrUnreadable].
func openSecret(v *store.Vault, owner, sealed string) (string, error) {
	secret, err := v.Open(owner, sealed)
	if err != nil {
		return "", fmt.Errorf("%w: %w", callback.ErrUnreadable, err)
	}
	return secret, nil
}

// Record saves outcomes: it adds the attempts to the log and updates the deliveries and the
// last status of their endpoints. It counts the attempts in the metrics once they are saved.
func (c *callbackRegistry) Record(ctx context.Context, outcomes []callback.Outcome) error {
	attempts := attemptsOf(outcomes)
	byOutcome := groupDeliveries(outcomes)
	succeeded := lastResults(outcomes)
	err := c.store.Write(ctx, func(tx *store.Tx) error {
		for o, deliveries := range byOutcome {
			if err := tx.RecordDeliveries(deliveryOf(o), deliveries); err != nil {
				return err
			}
		}
		for endpoint, success := range succeeded {
			if err := tx.SetLastStatus(endpoint, success); err != nil {
				return err
			}
		}
		return tx.InsertAttempts(attempts)
	})
	if err != nil {
		return err
	}
	c.metrics.countAttempts(outcomes)
	return nil
}

// attemptsOf returns the attempts to save in the callback log. It leaves out outcomes without an
// attempt, of which nothing was sent.
func attemptsOf(outcomes []callback.Outcome) []*store.Attempt {
	var attempts []*store.Attempt
	for _, o := range outcomes {
		if o.Try != nil { // otherwise the callback could not be loaded, so nothing was sent
			attempts = append(attempts, attemptOf(o))
		}
	}
	return attempts
}

// lastResults returns whether the last finished delivery to each endpoint succeeded, by the
// ID of the endpoint.
func lastResults(outcomes []callback.Outcome) map[int64]bool {
	succeeded := map[int64]bool{}
	for _, o := range outcomes {
		if !o.Again {
			succeeded[o.Endpoint] = o.Error == ""
		}
	}
	return succeeded
}

// groupDeliveries groups the IDs of deliveries that have the same latest outcome, so that one
// statement can update a whole group. The keys of the map are outcomes without DeliveryRef and Try,
// because these fields differ for each delivery.
func groupDeliveries(outcomes []callback.Outcome) map[callback.Outcome][]int64 {
	latest := map[int64]callback.Outcome{} // by delivery
	for _, o := range outcomes {
		latest[o.Delivery] = o
	}
	byOutcome := map[callback.Outcome][]int64{}
	for delivery, o := range latest {
		o.DeliveryRef = callback.DeliveryRef{}
		o.Try = nil
		byOutcome[o] = append(byOutcome[o], delivery)
	}
	return byOutcome
}

// attemptOf converts an attempt to its row in the log.
func attemptOf(o callback.Outcome) *store.Attempt {
	headers := make(map[string]string, len(o.Try.Headers))
	for name := range o.Try.Headers {
		headers[name] = o.Try.Headers.Get(name)
	}
	text, _ := json.Marshal(headers, json.Deterministic(true)) // a map of texts can always be encoded
	const replacement = "\uFFFD"                               // replaces characters that the database cannot store
	answer := strings.ToValidUTF8(string(o.Try.Answer), replacement)
	answer = strings.ReplaceAll(answer, "\x00", replacement)
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

// deliveryOf returns the new state of a delivery after an attempt. A delivery is pending
// until its last attempt.
func deliveryOf(o callback.Outcome) store.Delivery {
	d := store.Delivery{
		Success:      o.Error == "",
		ResponseCode: o.Code,
		Attempts:     o.Attempts,
	}
	if o.Again {
		pending := store.DeliveryPending
		d.Error = &pending
	} else if !d.Success {
		d.Error = &o.Error
	}
	return d
}
