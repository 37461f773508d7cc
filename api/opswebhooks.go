package api

import (
	"context"
	"iter"
	"net/http"
)

// TrustResult is what is trusted since a certificate was given.
type TrustResult struct {
	Trusted int   `json:"trusted"` // certificates in the text
	Extra   Extra `json:",embed"`
}

// Webhooks returns one page of an account's endpoints, newest first, without
// their secrets.
func (o *Ops) Webhooks(ctx context.Context, accountUUID string, opts ListOptions) (*Page[WebhookEndpoint], error) {
	return opsPage[WebhookEndpoint](ctx, o, "list webhooks", opts, nil, "accounts", accountUUID, "webhooks")
}

// AllWebhooks yields an account's endpoints, newest first, page by page. It
// stops after the first error, which it yields.
func (o *Ops) AllWebhooks(ctx context.Context, accountUUID string) iter.Seq2[*WebhookEndpoint, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[WebhookEndpoint], error) {
		return o.Webhooks(ctx, accountUUID, opts)
	})
}

// Deliveries returns one page of an endpoint's log, newest first.
func (o *Ops) Deliveries(ctx context.Context, webhookUUID string, opts ListOptions) (*Page[WebhookDelivery], error) {
	return opsPage[WebhookDelivery](ctx, o, "list callbacks", opts, nil, "webhooks", webhookUUID, "deliveries")
}

// AllDeliveries yields an endpoint's log, newest first, page by page. It stops
// after the first error, which it yields.
func (o *Ops) AllDeliveries(ctx context.Context, webhookUUID string) iter.Seq2[*WebhookDelivery, error] {
	return opsAll(ctx, func(ctx context.Context, opts ListOptions) (*Page[WebhookDelivery], error) {
		return o.Deliveries(ctx, webhookUUID, opts)
	})
}

// Resend sends a callback once more, with the same id. The row that it returns
// is pending.
func (o *Ops) Resend(ctx context.Context, deliveryUUID string) (*WebhookDelivery, error) {
	return opsCall[WebhookDelivery](ctx, o, operation{name: "resend callback", path: []string{"deliveries", deliveryUUID, "resend"}}, nil)
}

// TestWebhook sends an event of a mission that there is not to an endpoint,
// subscribed to it or not. The row that it returns is pending.
func (o *Ops) TestWebhook(ctx context.Context, webhookUUID string, event EventName) (*WebhookDelivery, error) {
	return opsCall[WebhookDelivery](ctx, o, operation{
		name: "test webhook", path: []string{"webhooks", webhookUUID, "test"},
	}, map[string]EventName{"event": event})
}

// TrustWebhooks has the service trust a receiver's certificates, in PEM, until
// it stops. Only a service for trying things out does.
func (o *Ops) TrustWebhooks(ctx context.Context, certificate []byte) (*TrustResult, error) {
	return opsCall[TrustResult](ctx, o, operation{
		name: "trust certificate", method: http.MethodPost, path: []string{"webhook-trust"}, repeat: true,
	}, map[string]string{"certificate": string(certificate)})
}
