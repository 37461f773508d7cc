package server

import (
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// maxCertificates is the length of a PEM text of certificates.
const maxCertificates = 64 << 10

func (h *operationsHandlers) listWebhooks(x *exchange) (handlerAnswer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	list := webhookList + "/" + strconv.FormatInt(account.ID, 10)
	read := func(w store.ListWindow) (domain.Page[store.Webhook], error) {
		return h.domain.Callbacks.Webhooks(x.r.Context(), account.ID, w)
	}
	return answerList(h.handlerBase, x, list, api.DefaultPageLimit, "endpoints, newest first", read, wireWebhook)
}

func (h *operationsHandlers) testWebhook(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Callbacks.Webhook(x.r.Context(), nil, x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var event api.EventName
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readObject(bodyMember{"event", func() error { return readChoice(r, api.EventNames(), &event) }})
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	d, err := h.domain.Callbacks.Test(x.r.Context(), x.r.PathValue("uuid"), event)
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{status: http.StatusCreated, message: "sending the test event", data: wireDelivery(d)}, nil
}

func (h *operationsHandlers) resendDelivery(x *exchange) (handlerAnswer, error) {
	if err := h.domain.Callbacks.HasDelivery(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	d, err := h.domain.Callbacks.Resend(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "resending the callback", data: wireDelivery(d)}, nil
}

func (h *operationsHandlers) showDelivery(x *exchange) (handlerAnswer, error) {
	row, webhook, tries, err := h.domain.Callbacks.History(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	history := api.CallbackHistory{Delivery: wireDelivery(row), WebhookUID: webhook, Attempts: make([]api.CallbackAttempt, len(tries))}
	for i, t := range tries {
		a := api.CallbackAttempt{
			Number: t.Number, SentAt: api.TimeOf(t.Sent.UTC()), DurationMillis: int(t.Took.Milliseconds()), ResponseCode: t.ResponseCode,
			Body: t.Body, Answer: t.Answer, ResentAt: api.TimeOf(t.Resent),
		}
		if t.Error != "" {
			a.Error = &t.Error
		}
		if !t.Resent.IsZero() {
			a.ResentBy = api.ResentByOperations
		}
		if err := json.Unmarshal([]byte(t.Headers), &a.Headers); err != nil {
			return handlerAnswer{}, err
		}
		history.Attempts[i] = a
	}
	if n := len(tries); n > 0 && history.Delivery.IsPending() {
		history.NextAttemptAt = api.TimeOf(tries[n-1].Next)
	}
	return handlerAnswer{message: "callback with its attempts", data: history}, nil
}

// trustWebhooks trusts a receiver's certificate until the stop.
func (c *testControls) trustWebhooks(x *exchange) (handlerAnswer, error) {
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	var certificate string
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readObject(bodyMember{"certificate", func() error { return r.readText(maxCertificates, &certificate) }})
	})
	if err != nil {
		return handlerAnswer{}, err
	}
	if err := c.checkOpen(); err != nil {
		return handlerAnswer{}, err
	}
	n, err := c.callbacks.transport.Trust([]byte(certificate))
	if err != nil {
		return handlerAnswer{}, invalidRequest([]api.FieldError{{Field: "certificate", Message: err.Error()}}, 1)
	}
	return handlerAnswer{message: "trusted for callbacks until the service stops", data: struct {
		Trusted int `json:"trusted"`
	}{n}}, nil
}
