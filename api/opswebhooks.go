package api

import (
	"context"
	"iter"
)

// TrustResult is what is trusted since a certificate was given.
type TrustResult struct {
	Trusted int          `json:"trusted"` // certificates in the text
	Extra   ExtraMembers `json:",embed"`
}

// List returns one page of an account's endpoints, newest first, without
// their secrets.
func (s *OpsWebhooksService) List(
	ctx context.Context,
	accountUUID string,
	opts ListOptions,
) (*Page[WebhookEndpoint], error) {
	op := newOperation("list webhooks", "GET accounts/{}/webhooks", accountUUID)
	return getPage[WebhookEndpoint](ctx, s.c, op, opts)
}

// All yields an account's endpoints, newest first, page by page. It
// stops after the first error, which it yields.
func (s *OpsWebhooksService) All(ctx context.Context, accountUUID string) iter.Seq2[*WebhookEndpoint, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[WebhookEndpoint], error) {
		return s.List(ctx, accountUUID, opts)
	})
}

// Deliveries returns one page of an endpoint's log, newest first.
func (s *OpsWebhooksService) Deliveries(
	ctx context.Context,
	webhookUUID string,
	opts ListOptions,
) (*Page[WebhookDelivery], error) {
	op := newOperation("list callbacks", "GET webhooks/{}/deliveries", webhookUUID)
	return getPage[WebhookDelivery](ctx, s.c, op, opts)
}

// AllDeliveries yields an endpoint's log, newest first, page by page. It stops
// after the first error, which it yields.
func (s *OpsWebhooksService) AllDeliveries(ctx context.Context, webhookUUID string) iter.Seq2[*WebhookDelivery, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[WebhookDelivery], error) {
		return s.Deliveries(ctx, webhookUUID, opts)
	})
}

// CallbackHistory is a callback with each try that the service has kept of it.
type CallbackHistory struct {
	Delivery      WebhookDelivery   `json:"delivery"`
	WebhookUID    string            `json:"webhookUid"`
	NextAttemptAt Time              `json:"nextAttemptAt"` // zero where none is due
	Attempts      []CallbackAttempt `json:"attempts"`      // in their order
	Extra         ExtraMembers      `json:",embed"`
}

// CallbackAttempt is one try of a callback.
type CallbackAttempt struct {
	Number         int               `json:"number"` // from 1, over all sendings
	SentAt         Time              `json:"sentAt"`
	DurationMillis int               `json:"durationMillis"`
	ResponseCode   int               `json:"responseCode"` // HTTP status; 0 where no answer came
	Error          *string           `json:"error"`        // nil for success
	Headers        map[string]string `json:"headers"`      // as they were sent
	Body           string            `json:"body"`         // as it was sent
	Answer         string            `json:"answer"`       // the first 4 KiB
	ResentBy       string            `json:"resentBy"`     // who asked for its sending; "" for the first
	ResentAt       Time              `json:"resentAt"`     // when; zero for the first
	Extra          ExtraMembers      `json:",embed"`
}

// ResentByOperations says that the operations API was asked to send it again.
const ResentByOperations = "operations"

// History returns a callback with its tries. Services that keep none answer that
// there is no such address.
func (s *OpsWebhooksService) History(ctx context.Context, deliveryUUID string) (*CallbackHistory, error) {
	return opsCall[CallbackHistory](ctx, s.c, newOperation("read callback", "GET deliveries/{}", deliveryUUID), nil)
}

// Resend sends a callback once more, with the same id. The row that it returns
// is pending.
func (s *OpsWebhooksService) Resend(ctx context.Context, deliveryUUID string) (*WebhookDelivery, error) {
	op := newOperation("resend callback", "POST deliveries/{}/resend", deliveryUUID)
	return opsCall[WebhookDelivery](ctx, s.c, op, nil)
}

// Test sends an event of a mission that there is not to an endpoint,
// subscribed to it or not. The row that it returns is pending.
func (s *OpsWebhooksService) Test(ctx context.Context, webhookUUID string, event EventName) (*WebhookDelivery, error) {
	op := newOperation("test webhook", "POST webhooks/{}/test", webhookUUID)
	return opsCall[WebhookDelivery](ctx, s.c, op, map[string]EventName{"event": event})
}

// Trust has the service trust a receiver's certificates, in PEM, until
// it stops. Only a service for trying things out does.
func (s *OpsWebhooksService) Trust(ctx context.Context, certificate []byte) (*TrustResult, error) {
	op := newOperation("trust certificate", "POST webhook-trust").repeatable()
	return opsCall[TrustResult](ctx, s.c, op, map[string]string{"certificate": string(certificate)})
}
