package server

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// maxCertificates is the maximum length of PEM certificates in a request.
const maxCertificates = 64 << 10

func (h *operationsHandlers) listWebhooks(x *exchange, account store.Account) (handlerAnswer, error) {
	name := webhookList + "/" + strconv.FormatInt(account.ID, 10)
	list := shownList{name, api.DefaultPageLimit, "endpoints, newest first"}
	return answerList(h.handlerBase, x, list, account.ID, wireWebhook)
}

// eventBody is the request body that sends a test event.
type eventBody struct {
	Event api.EventName `json:"event" check:"required"`
}

func (h *operationsHandlers) testWebhook(x *exchange, w store.Webhook, in *eventBody) (handlerAnswer, error) {
	d, err := h.domain.Callbacks.Test(x.r.Context(), w.UUID, in.Event)
	return answerCreated("sending the test event", wireDelivery(d), err)
}

func (h *operationsHandlers) resendDelivery(x *exchange, d store.Delivery, _ *noBody) (handlerAnswer, error) {
	store.SetAuditParent(x.r.Context(), d.OrderCode)
	d, err := h.domain.Callbacks.Resend(x.r.Context(), d.UUID)
	return answerWith("resending the callback", wireDelivery(d), err)
}

// showDelivery returns a callback with all attempts to send it.
func (h *operationsHandlers) showDelivery(x *exchange) (handlerAnswer, error) {
	delivery, webhookUUID, attempts, err := h.domain.Callbacks.History(x.r.Context(), x.uuid())
	if err != nil {
		return handlerAnswer{}, err
	}
	history := ops.CallbackHistory{
		Delivery:   wireDelivery(delivery),
		WebhookUID: webhookUUID,
		Attempts:   make([]ops.CallbackAttempt, len(attempts)),
	}
	for i, a := range attempts {
		history.Attempts[i], err = wireAttempt(a)
		if err != nil {
			return handlerAnswer{}, err
		}
	}
	if n := len(attempts); n > 0 && history.Delivery.IsPending() {
		history.NextAttemptAt = api.TimeOf(attempts[n-1].Next)
	}
	return handlerAnswer{message: "callback with its attempts", data: history}, nil
}

func wireAttempt(t store.Attempt) (ops.CallbackAttempt, error) {
	a := ops.CallbackAttempt{
		Number:         t.Number,
		SentAt:         api.TimeOf(t.Sent.UTC()),
		DurationMillis: int(t.Took.Milliseconds()),
		ResponseCode:   t.ResponseCode,
		Body:           t.Body,
		Answer:         t.Answer,
		ResentAt:       api.TimeOf(t.Resent),
	}
	if t.Error != "" {
		a.Error = &t.Error
	}
	if !t.Resent.IsZero() {
		a.ResentBy = ops.ResentByOperations
	}
	return a, json.Unmarshal([]byte(t.Headers), &a.Headers)
}

// trustBody is the request body that adds a trusted certificate.
type trustBody struct {
	Certificate string `json:"certificate" check:"required,certificate"`
}

// trustWebhooks trusts the certificate of an endpoint until the service stops.
func (c *testControls) trustWebhooks(_ *exchange, in *trustBody) (handlerAnswer, error) {
	n, err := c.callbacks.transport.Trust([]byte(in.Certificate))
	if err != nil {
		return handlerAnswer{}, invalidMember("certificate", err.Error())
	}
	return answerWith("trusted for callbacks until the service stops", struct {
		Trusted int `json:"trusted"`
	}{n}, nil)
}
