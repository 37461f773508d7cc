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

func (h *operations) listWebhooks(x *exchange) (answer, error) {
	account, err := h.domain.Accounts.Find(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	list := webhookList + "/" + strconv.FormatInt(account.ID, 10)
	read := func(w store.Window) (domain.Page[store.Webhook], error) {
		return h.domain.Callbacks.Webhooks(x.r.Context(), account.ID, w)
	}
	return answerList(h.base, x, list, api.DefaultPageLimit, "endpoints, newest first", read, wireWebhook)
}

func (h *operations) testWebhook(x *exchange) (answer, error) {
	if _, err := h.domain.Callbacks.Webhook(x.r.Context(), nil, x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var event api.EventName
	err = readJSON(body, nil, func(r *reader) error {
		return r.object(member{"event", func() error { return choice(r, api.EventNames(), &event) }})
	})
	if err != nil {
		return answer{}, err
	}
	d, err := h.domain.Callbacks.Test(x.r.Context(), x.r.PathValue("uuid"), event)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, message: "sending the test event", data: wireDelivery(d)}, nil
}

func (h *operations) resendDelivery(x *exchange) (answer, error) {
	if err := h.domain.Callbacks.HasDelivery(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	d, err := h.domain.Callbacks.Resend(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	return answer{message: "resending the callback", data: wireDelivery(d)}, nil
}

func (h *operations) showDelivery(x *exchange) (answer, error) {
	row, webhook, tries, err := h.domain.Callbacks.History(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	history := api.CallbackHistory{Delivery: wireDelivery(row), WebhookUID: webhook, Attempts: make([]api.CallbackAttempt, len(tries))}
	for i, t := range tries {
		a := api.CallbackAttempt{
			Number: t.Number, SentAt: api.At(t.Sent.UTC()), DurationMillis: int(t.Took.Milliseconds()), ResponseCode: t.ResponseCode,
			Body: t.Body, Answer: t.Answer, ResentAt: api.At(t.Resent),
		}
		if t.Error != "" {
			a.Error = &t.Error
		}
		if !t.Resent.IsZero() {
			a.ResentBy = api.ResentByOperations
		}
		if err := json.Unmarshal([]byte(t.Headers), &a.Headers); err != nil {
			return answer{}, err
		}
		history.Attempts[i] = a
	}
	if n := len(tries); n > 0 && history.Delivery.Pending() {
		history.NextAttemptAt = api.At(tries[n-1].Next)
	}
	return answer{message: "callback with its attempts", data: history}, nil
}

// trustWebhooks trusts a receiver's certificate until the stop.
func (c *testControls) trustWebhooks(x *exchange) (answer, error) {
	body, err := x.readBody()
	if err != nil {
		return answer{}, err
	}
	var certificate string
	err = readJSON(body, nil, func(r *reader) error {
		return r.object(member{"certificate", func() error { return r.text(maxCertificates, &certificate) }})
	})
	if err != nil {
		return answer{}, err
	}
	if err := c.checkOpen(); err != nil {
		return answer{}, err
	}
	n, err := c.callbacks.transport.Trust([]byte(certificate))
	if err != nil {
		return answer{}, invalid([]api.FieldError{{Field: "certificate", Message: err.Error()}}, 1)
	}
	return answer{message: "trusted for callbacks until the service stops", data: struct {
		Trusted int `json:"trusted"`
	}{n}}, nil
}
