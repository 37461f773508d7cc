package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// TrustResult is what is trusted since a certificate was given.
type TrustResult struct {
	Trusted int              `json:"trusted"` // certificates in the text
	Extra   api.ExtraMembers `json:",embed"`
}

// List returns one page of an account's endpoints, newest first, without
// their secrets.
func (s *WebhooksService) List(
	ctx context.Context,
	accountUUID string,
	opts api.ListOptions,
) (*api.Page[api.WebhookEndpoint], error) {
	op := api.NewOperation("list webhooks", "GET accounts/{}/webhooks", accountUUID)
	return api.CallPage[api.WebhookEndpoint](ctx, s.c, op, opts)
}

// All yields an account's endpoints, newest first, page by page. It
// stops after the first error, which it yields.
func (s *WebhooksService) All(ctx context.Context, accountUUID string) iter.Seq2[*api.WebhookEndpoint, error] {
	op := api.NewOperation("list webhooks", "GET accounts/{}/webhooks", accountUUID)
	return api.ListAll[api.WebhookEndpoint](ctx, s.c, op, api.MaxPageLimit)
}

// Deliveries returns one page of an endpoint's log, newest first.
func (s *WebhooksService) Deliveries(
	ctx context.Context,
	webhookUUID string,
	opts api.ListOptions,
) (*api.Page[api.WebhookDelivery], error) {
	op := api.NewOperation("list callbacks", "GET webhooks/{}/deliveries", webhookUUID)
	return api.CallPage[api.WebhookDelivery](ctx, s.c, op, opts)
}

// AllDeliveries yields an endpoint's log, newest first, page by page. It stops
// after the first error, which it yields.
func (s *WebhooksService) AllDeliveries(
	ctx context.Context,
	webhookUUID string,
) iter.Seq2[*api.WebhookDelivery, error] {
	op := api.NewOperation("list callbacks", "GET webhooks/{}/deliveries", webhookUUID)
	return api.ListAll[api.WebhookDelivery](ctx, s.c, op, api.MaxPageLimit)
}

// CallbackHistory is a callback with each try that the service has kept of it.
type CallbackHistory struct {
	Delivery      api.WebhookDelivery `json:"delivery"`
	WebhookUID    string              `json:"webhookUid"`
	NextAttemptAt api.Time            `json:"nextAttemptAt"` // zero where none is due
	Attempts      []CallbackAttempt   `json:"attempts"`      // in their order
	Extra         api.ExtraMembers    `json:",embed"`
}

// CallbackAttempt is one try of a callback.
type CallbackAttempt struct {
	Number         int               `json:"number"` // from 1, over all sendings
	SentAt         api.Time          `json:"sentAt"`
	DurationMillis int               `json:"durationMillis"`
	ResponseCode   int               `json:"responseCode"` // HTTP status; 0 where no answer came
	Error          *string           `json:"error"`        // nil for success
	Headers        map[string]string `json:"headers"`      // as they were sent
	Body           string            `json:"body"`         // as it was sent
	Answer         string            `json:"answer"`       // the first 4 KiB
	ResentBy       string            `json:"resentBy"`     // who asked for its sending; "" for the first
	ResentAt       api.Time          `json:"resentAt"`     // when; zero for the first
	Extra          api.ExtraMembers  `json:",embed"`
}

// ResentByOperations says that the operations API was asked to send it again.
const ResentByOperations = "operations"

// History returns a callback with its tries. Services that keep none answer that
// there is no such address.
func (s *WebhooksService) History(ctx context.Context, deliveryUUID string) (*CallbackHistory, error) {
	return api.CallOne[CallbackHistory](
		ctx,
		s.c,
		api.NewOperation("read callback", "GET deliveries/{}", deliveryUUID),
		nil,
	)
}

// Resend sends a callback once more, with the same id. The row that it returns
// is pending.
func (s *WebhooksService) Resend(ctx context.Context, deliveryUUID string) (*api.WebhookDelivery, error) {
	op := api.NewOperation("resend callback", "POST deliveries/{}/resend", deliveryUUID)
	return api.CallOne[api.WebhookDelivery](ctx, s.c, op, nil)
}

// Test sends an event of a mission that there is not to an endpoint,
// subscribed to it or not. The row that it returns is pending.
func (s *WebhooksService) Test(
	ctx context.Context,
	webhookUUID string,
	event api.EventName,
) (*api.WebhookDelivery, error) {
	op := api.NewOperation("test webhook", "POST webhooks/{}/test", webhookUUID)
	return api.CallOne[api.WebhookDelivery](ctx, s.c, op, map[string]api.EventName{"event": event})
}

// Trust has the service trust a receiver's certificates, in PEM, until
// it stops. Only a service for trying things out does.
func (s *WebhooksService) Trust(ctx context.Context, certificate []byte) (*TrustResult, error) {
	op := api.NewOperation("trust certificate", "POST webhook-trust").Repeatable()
	return api.CallOne[TrustResult](ctx, s.c, op, map[string]string{"certificate": string(certificate)})
}
