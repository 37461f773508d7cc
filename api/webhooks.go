package api

import (
	"context"
	"iter"
	"net/http"
)

// CreateWebhookRequest registers an endpoint.
type CreateWebhookRequest struct {
	URL         string      `json:"url" check:"required,url"`         // https, at most [MaxURLLength] characters
	Events      []EventName `json:"events,omitzero" check:"optional"` // nil for all
	Description string      `json:"description,omitzero" check:"remark"`
}

// WebhookEndpoint is an address that the service sends an account's events to.
type WebhookEndpoint struct {
	UUID        string       `json:"uuid"`
	URL         string       `json:"url"`
	Events      []EventName  `json:"events"`
	Description string       `json:"description"`
	Status      string       `json:"status"`          // "active"
	LastStatus  *string      `json:"lastStatus"`      // "success" or "failed"; nil before the first callback
	Secret      string       `json:"secret,omitzero"` // in the answer to the registration only
	CreatedAt   Time         `json:"createdAt"`
	UpdatedAt   Time         `json:"updatedAt"`
	Extra       ExtraMembers `json:",embed"`
}

// WebhookDelivery is a row of an endpoint's log: one event, sent in one try or
// several.
type WebhookDelivery struct {
	UUID         string       `json:"uuid"` // the delivery id
	Event        EventName    `json:"event"`
	MissionUID   string       `json:"missionUid"`
	OrderCode    string       `json:"orderCode"`
	Success      bool         `json:"success"`
	ResponseCode *int         `json:"responseCode"` // HTTP status; 0 where no answer came
	Attempts     *int         `json:"attempts"`
	Error        *string      `json:"error"` // [CallbackPending] while it is being sent
	CreatedAt    Time         `json:"createdAt"`
	Extra        ExtraMembers `json:",embed"`
}

// CallbackPending is the error of a callback that is still being sent.
const CallbackPending = "pending"

// IsPending reports whether it is still being sent.
func (d *WebhookDelivery) IsPending() bool {
	return !d.Success && d.Error != nil && *d.Error == CallbackPending
}

// inferSuccess takes the outcome from the response where the service does not say it.
func (d *WebhookDelivery) inferSuccess() {
	d.Success = d.ResponseCode != nil && *d.ResponseCode/100 == 2
}

// WebhooksService registers endpoints and reads their logs.
type WebhooksService serviceBase

// Create registers an endpoint. The answer is the only one with its Secret.
// Where [MaybeApplied] holds for the error, look for an endpoint that nobody
// knows the secret of before trying again.
func (s *WebhooksService) Create(ctx context.Context, req CreateWebhookRequest) (*WebhookEndpoint, error) {
	op := NewOperation("register webhook", "POST webhooks")
	var made []WebhookEndpoint
	if err := s.c.callOne(ctx, &op, req, &made); err != nil {
		return nil, err
	}
	if made[0].UUID == "" || made[0].URL == "" && made[0].Secret == "" {
		return nil, foreignError(op, "the response has no endpoint")
	}
	return &made[0], nil
}

// List returns one page of the account's endpoints.
func (s *WebhooksService) List(ctx context.Context, opts ListOptions) (*Page[WebhookEndpoint], error) {
	return CallPage[WebhookEndpoint](ctx, s.c, NewOperation("list webhooks", "GET webhooks"), opts)
}

// All yields the account's endpoints, newest first, page by page. It stops
// after the first error, which it yields.
func (s *WebhooksService) All(ctx context.Context) iter.Seq2[*WebhookEndpoint, error] {
	return WalkList(ctx, MaxPageLimit, s.List)
}

// Get returns an endpoint.
func (s *WebhooksService) Get(ctx context.Context, uuid string) (*WebhookEndpoint, error) {
	return CallOne[WebhookEndpoint](ctx, s.c, NewOperation("read webhook", "GET webhooks/{}", uuid), nil)
}

// Deliveries returns one page of an endpoint's log, newest first.
func (s *WebhooksService) Deliveries(
	ctx context.Context,
	uuid string,
	opts ListOptions,
) (*Page[WebhookDelivery], error) {
	op := NewOperation("list callbacks", "GET webhooks/{}/deliveries", uuid)
	return CallPage[WebhookDelivery](ctx, s.c, op, opts)
}

// AllDeliveries yields an endpoint's log, newest first, page by page. It stops
// after the first error, which it yields.
func (s *WebhooksService) AllDeliveries(ctx context.Context, uuid string) iter.Seq2[*WebhookDelivery, error] {
	op := NewOperation("list callbacks", "GET webhooks/{}/deliveries", uuid)
	return ListAll[WebhookDelivery](ctx, s.c, op, MaxPageLimit)
}

// Delete removes an endpoint; nothing more is sent to it. After an answer the endpoint is
// read: it is removed once the service no longer has it, whatever the answer said. Where
// [MaybeApplied] holds for the error, read it again later. After a lost answer a repetition
// may say that there is no such endpoint.
func (s *WebhooksService) Delete(ctx context.Context, uuid string) error {
	op := NewOperation("delete webhook", "DELETE webhooks/{}", uuid)
	op.methods = append([]string{http.MethodDelete}, changeMethods...)
	body, err := s.c.perform(ctx, &op)
	if err != nil {
		return err
	}
	if err = readConfirmation(op, body); err != nil && !MaybeApplied(err) {
		return err
	}
	isConfirmed := err == nil || op.status == http.StatusNoContent
	isThere, readErr := s.has(ctx, uuid)
	switch {
	case readErr == nil && !isThere, readErr != nil && isConfirmed:
		return nil
	case op.status == http.StatusAccepted:
		return foreignError(op, "accepted, not done yet")
	case isConfirmed:
		return foreignError(op, "the service confirmed it, but still has the endpoint")
	}
	return err
}

// has reports whether the service has an endpoint.
func (s *WebhooksService) has(ctx context.Context, uuid string) (bool, error) {
	_, err := s.Get(ctx, uuid)
	if IsStatus(err, http.StatusNotFound, http.StatusGone) {
		return false, nil
	}
	return err == nil, err
}
