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

// WebhookEndpoint is a URL to which the service sends an account's events.
type WebhookEndpoint struct {
	UUID        string       `json:"uuid"`
	URL         string       `json:"url"`
	Events      []EventName  `json:"events"`
	Description string       `json:"description"`
	Status      string       `json:"status"`          // "active"
	LastStatus  *string      `json:"lastStatus"`      // "success" or "failed"; nil before the first callback
	Secret      string       `json:"secret,omitzero"` // only in the response to Create
	CreatedAt   Time         `json:"createdAt"`
	UpdatedAt   Time         `json:"updatedAt"`
	Extra       ExtraMembers `json:",embed"`

	Notice string `json:"-"` // message of the response to Create, such as that callbacks will not reach the URL
}

// WebhookDelivery is a row of an endpoint's log: one event, sent in one or more attempts.
type WebhookDelivery struct {
	UUID         string       `json:"uuid"` // ID of the callback
	Event        EventName    `json:"event"`
	MissionUID   string       `json:"missionUid"`
	OrderCode    string       `json:"orderCode"`
	Success      bool         `json:"success"`
	ResponseCode *int         `json:"responseCode"` // HTTP status; 0 without a response
	Attempts     *int         `json:"attempts"`
	Error        *string      `json:"error"` // [CallbackPending] while the callback is being sent
	CreatedAt    Time         `json:"createdAt"`
	Extra        ExtraMembers `json:",embed"`
}

// CallbackPending is the error of a callback that is still being sent.
const CallbackPending = "pending"

// IsPending reports whether the callback is still being sent.
func (d *WebhookDelivery) IsPending() bool {
	return !d.Success && d.Error != nil && *d.Error == CallbackPending
}

// inferSuccess sets Success from ResponseCode, for services that do not send it.
func (d *WebhookDelivery) inferSuccess() {
	d.Success = d.ResponseCode != nil && *d.ResponseCode/100 == 2
}

// WebhooksService registers endpoints and reads their logs.
type WebhooksService serviceBase

// Create registers an endpoint. Only the response to Create contains the endpoint's Secret. If
// [MaybeApplied] reports true for the error, the endpoint may exist with a secret that nobody
// knows: look for it before trying again.
func (s *WebhooksService) Create(ctx context.Context, req CreateWebhookRequest) (*WebhookEndpoint, error) {
	op := NewOperation("register webhook", "POST webhooks")
	response, err := s.c.performJSON(ctx, &op, req)
	if err != nil {
		return nil, err
	}
	var created []WebhookEndpoint
	if err := readRecord(op, response, &created); err != nil {
		return nil, err
	}
	endpoint := &created[0]
	endpoint.Notice = messageOf(response)
	isEmpty := endpoint.URL == "" && endpoint.Secret == ""
	if endpoint.UUID == "" || isEmpty {
		return nil, foreignError(op, "the response has no endpoint")
	}
	return endpoint, nil
}

// List returns one page of the account's endpoints.
func (s *WebhooksService) List(ctx context.Context, opts ListOptions) (*Page[WebhookEndpoint], error) {
	return CallPage[WebhookEndpoint](ctx, s.c, NewOperation("list webhooks", "GET webhooks"), opts)
}

// All yields the account's endpoints, newest first. It yields the first error and stops.
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

// AllDeliveries yields all rows of an endpoint's log, newest first. It yields the first error
// and stops.
func (s *WebhooksService) AllDeliveries(ctx context.Context, uuid string) iter.Seq2[*WebhookDelivery, error] {
	op := NewOperation("list callbacks", "GET webhooks/{}/deliveries", uuid)
	return ListAll[WebhookDelivery](ctx, s.c, op, MaxPageLimit)
}

// Delete deletes an endpoint. The service then sends nothing more to it. Unless the service refuses, Delete checks
// whether the endpoint still exists, and succeeds if it does not, even without a valid response. If [MaybeApplied]
// reports true for the error, read the endpoint later. Repeating Delete after a lost response can fail because the
// endpoint does not exist.
func (s *WebhooksService) Delete(ctx context.Context, uuid string) error {
	op := NewOperation("delete webhook", "DELETE webhooks/{}", uuid)
	op.methods = append([]string{http.MethodDelete}, changeMethods...) // not every service accepts DELETE
	body, err := s.c.perform(ctx, &op)
	if err != nil {
		return err
	}
	confirmErr := readConfirmation(op, body)
	if op.status == http.StatusNoContent { // a 204 has no body to read
		confirmErr = nil
	}
	isRefused := confirmErr != nil && !MaybeApplied(confirmErr)
	if isRefused {
		return confirmErr
	}
	stillExists, readErr := s.has(ctx, uuid)
	if readErr == nil && !stillExists {
		return nil
	}
	if readErr != nil && confirmErr == nil {
		return nil // only the response to the deletion says what happened, and it confirms the deletion
	}
	return notDeletedError(op, confirmErr)
}

// notDeletedError returns the error of a deletion after which the endpoint still exists or cannot be read. confirmErr
// is the error of the response, or nil if the response confirms the deletion.
func notDeletedError(op Operation, confirmErr error) error {
	if op.status == http.StatusAccepted {
		return foreignError(op, "accepted, not done yet")
	}
	if confirmErr == nil {
		return foreignError(op, "the service confirmed it, but still has the endpoint")
	}
	return confirmErr
}

// has reports whether the service has an endpoint.
func (s *WebhooksService) has(ctx context.Context, uuid string) (bool, error) {
	_, err := s.Get(ctx, uuid)
	if IsStatus(err, http.StatusNotFound, http.StatusGone) {
		return false, nil
	}
	return err == nil, err
}
