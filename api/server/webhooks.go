package server

import (
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func (h *publicHandlers) createWebhook(x *exchange) (handlerAnswer, error) {
	body, err := x.readBody()
	if err != nil {
		return handlerAnswer{}, err
	}
	req, err := readCreateWebhook(body)
	if err != nil {
		return handlerAnswer{}, err
	}
	w, secret, err := h.domain.Callbacks.NewWebhook(x.r.Context(), x.caller, req)
	if err != nil {
		return handlerAnswer{}, err
	}
	wire := wireWebhook(w)
	wire.Secret = secret
	return handlerAnswer{status: http.StatusCreated, message: "endpoint registered; its secret is not shown again", data: wire}, nil
}

// readCreateWebhook reads the body that registers an endpoint.
func readCreateWebhook(body []byte) (req api.CreateWebhookRequest, err error) {
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.objectWith(
			[]bodyMember{{"url", func() error { return r.readAddress(&req.URL) }}},
			[]bodyMember{
				{"events", func() error { return r.readEvents(&req.Events) }},
				{"description", func() error { return r.readRemark(&req.Description) }},
			},
		)
	})
	return req, err
}

// readAddress reads the URL that callbacks are sent to. Where it leads is checked
// whenever something is sent there.
func (r *bodyReader) readAddress(into *string) error {
	var s string
	if err := r.readText(api.MaxURLLength, &s); err != nil || s == "" {
		return err
	}
	if strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c == 0x7f || c == utf8.RuneError }) {
		r.noteFault("contains characters that are not valid in a URL")
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || !portIsValid(u):
		r.noteFault("is not an absolute URL like https://example.com/hook")
	case u.Scheme != "https":
		r.noteFault("must begin with https://")
	case u.User != nil:
		r.noteFault("must be without user and password")
	case strings.Contains(s, "#"):
		r.noteFault("must be without fragment")
	default:
		*into = s
	}
	return nil
}

func portIsValid(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

// readEvents reads the events that an endpoint wants: one or more, each once.
func (r *bodyReader) readEvents(into *[]api.EventName) error {
	*into = []api.EventName{}
	n, err := r.readList(math.MaxInt, func() error {
		var one api.EventName
		if err := readChoice(r, api.EventNames(), &one); err != nil || one == "" {
			return err
		}
		if slices.Contains(*into, one) {
			r.noteFault("%q is given twice", one)
			return nil
		}
		*into = append(*into, one)
		return nil
	})
	if n == 0 && err == nil {
		r.noteFault("needs at least one event; omit it for all events")
	}
	return err
}

// readRemark reads a text of up to [api.MaxTextLength] characters that may be
// empty.
func (r *bodyReader) readRemark(into *string) error {
	s, ok, err := r.readQuoted()
	if !ok {
		return err
	}
	switch n := utf8.RuneCountInString(s); {
	case n > api.MaxTextLength:
		r.noteFault("is %d characters long; the limit is %d", n, api.MaxTextLength)
	case strings.ContainsRune(s, 0):
		r.noteFault("contains the character U+0000, which is not allowed")
	default:
		*into = s
	}
	return nil
}

const webhookList = "webhooks"

func (h *publicHandlers) listWebhooks(x *exchange) (handlerAnswer, error) {
	read := func(w store.ListWindow) (domain.Page[store.Webhook], error) {
		return h.domain.Callbacks.Webhooks(x.r.Context(), x.caller.Account.ID, w)
	}
	return answerList(h.handlerBase, x, webhookList, api.DefaultPageLimit, "webhooks, newest first", read, wireWebhook)
}

func (h *publicHandlers) getWebhook(x *exchange) (handlerAnswer, error) {
	w, err := h.domain.Callbacks.Webhook(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "endpoint", data: wireWebhook(w)}, nil
}

func (h *publicHandlers) deleteWebhook(x *exchange) (handlerAnswer, error) {
	if err := h.domain.Callbacks.DeleteWebhook(x.r.Context(), x.caller, x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "endpoint deleted; callbacks to it have stopped", data: struct{}{}}, nil
}

// listDeliveries returns the log of an endpoint, for its account and for the
// operations API.
func (b *handlerBase) listDeliveries(x *exchange) (handlerAnswer, error) {
	webhook, err := b.domain.Callbacks.Webhook(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	list := "deliveries/" + strconv.FormatInt(webhook.ID, 10)
	read := func(w store.ListWindow) (domain.Page[store.Delivery], error) {
		return b.domain.Callbacks.Deliveries(x.r.Context(), webhook, w)
	}
	return answerList(b, x, list, api.DefaultPageLimit, "deliveries, newest first", read, wireDelivery)
}

func wireWebhook(w store.Webhook) api.WebhookEndpoint {
	return api.WebhookEndpoint{
		UUID: w.UUID, URL: w.URL, Events: w.Events, Description: w.Description, Status: "active",
		LastStatus: w.LastStatus, CreatedAt: api.TimeOf(w.Created.UTC()), UpdatedAt: api.TimeOf(w.Updated.UTC()),
	}
}

func wireDelivery(d store.Delivery) api.WebhookDelivery {
	return api.WebhookDelivery{
		UUID: d.UUID, Event: d.Event, MissionUID: d.MissionUUID, OrderCode: d.OrderCode, Success: d.Success,
		ResponseCode: &d.ResponseCode, Attempts: &d.Attempts, Error: d.Error, CreatedAt: api.TimeOf(d.Created.UTC()),
	}
}
