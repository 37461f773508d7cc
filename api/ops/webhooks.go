package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// TrustResult is the response to a request to trust the certificates of webhook endpoints.
type TrustResult struct {
	Trusted int              `json:"trusted"` // number of certificates in the request
	Extra   api.ExtraMembers `json:",embed"`
}

// List returns one page of an account's endpoints, newest first, without their secrets.
func (s *WebhooksService) List(
	ctx context.Context,
	accountUUID string,
	opts api.ListOptions,
) (*api.Page[api.WebhookEndpoint], error) {
	op := api.NewOperation("list webhooks", "GET accounts/{}/webhooks", accountUUID)
	return api.CallPage[api.WebhookEndpoint](ctx, s.c, op, opts)
}

// All yields an account's endpoints, newest first. It yields the first error and stops.
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

// AllDeliveries yields all rows of an endpoint's log, newest first. It yields the first error and
// stops.
func (s *WebhooksService) AllDeliveries(
	ctx context.Context,
	webhookUUID string,
) iter.Seq2[*api.WebhookDelivery, error] {
	op := api.NewOperation("list callbacks", "GET webhooks/{}/deliveries", webhookUUID)
	return api.ListAll[api.WebhookDelivery](ctx, s.c, op, api.MaxPageLimit)
}

// CallbackHistory is a callback with all its recorded attempts.
type CallbackHistory struct {
	Delivery      api.WebhookDelivery `json:"delivery"`
	WebhookUID    string              `json:"webhookUid"`
	NextAttemptAt api.Time            `json:"nextAttemptAt"` // zero if none is due
	Attempts      []CallbackAttempt   `json:"attempts"`      // oldest first
	Extra         api.ExtraMembers    `json:",embed"`
}

// CallbackAttempt is one attempt to send a callback.
type CallbackAttempt struct {
	Number         int               `json:"number"` // from 1, including resent callbacks
	SentAt         api.Time          `json:"sentAt"`
	DurationMillis int               `json:"durationMillis"`
	ResponseCode   int               `json:"responseCode"` // HTTP status; 0 without a response
	Error          *string           `json:"error"`        // nil for success
	Headers        map[string]string `json:"headers"`      // headers of the request
	Body           string            `json:"body"`         // body of the request
	Answer         string            `json:"answer"`       // first 4 KiB of the response
	ResentBy       string            `json:"resentBy"`     // who requested the resending; empty for other attempts
	ResentAt       api.Time          `json:"resentAt"`     // when it was requested; zero for other attempts
	Extra          api.ExtraMembers  `json:",embed"`
}

// ResentByOperations is the value of ResentBy if the resending was requested through the operations
// API.
const ResentByOperations = "operations"

// History returns a callback with its attempts. Services that do not record attempts return 404.
func (s *WebhooksService) History(ctx context.Context, deliveryUUID string) (*CallbackHistory, error) {
	return api.CallOne[CallbackHistory](
		ctx,
		s.c,
		api.NewOperation("read callback", "GET deliveries/{}", deliveryUUID),
		nil,
	)
}

// Resend sends a callback again, with the same ID. The returned row is pending.
func (s *WebhooksService) Resend(ctx context.Context, deliveryUUID string) (*api.WebhookDelivery, error) {
	op := api.NewOperation("resend callback", "POST deliveries/{}/resend", deliveryUUID)
	return api.CallOne[api.WebhookDelivery](ctx, s.c, op, nil)
}

// Test sends an event of a fictitious mission to an endpoint, even if it has not subscribed to the
// event. The returned row is pending.
func (s *WebhooksService) Test(
	ctx context.Context,
	webhookUUID string,
	event api.EventName,
) (*api.WebhookDelivery, error) {
	op := api.NewOperation("test webhook", "POST webhooks/{}/test", webhookUUID)
	return api.CallOne[api.WebhookDelivery](ctx, s.c, op, map[string]api.EventName{"event": event})
}

// Trust makes the service trust a receiver's certificates, in PEM, until the service stops. Only a
// test service allows it.
func (s *WebhooksService) Trust(ctx context.Context, certificate []byte) (*TrustResult, error) {
	op := api.NewOperation("trust certificate", "POST webhook-trust").Repeatable()
	return api.CallOne[TrustResult](ctx, s.c, op, map[string]string{"certificate": string(certificate)})
}
