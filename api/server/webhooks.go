package server

import (
	"net/url"
	"strconv"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func (h *publicHandlers) createWebhook(x *exchange, in *api.CreateWebhookRequest) (handlerAnswer, error) {
	w, secret, err := h.domain.Callbacks.NewWebhook(x.r.Context(), x.caller, *in)
	wire := wireWebhook(w)
	wire.Secret = secret
	message := "endpoint registered; its secret is not shown again"
	if host := webhookHost(in.URL); h.transport.IsUnreachable(host) {
		message += "; callbacks will not reach it: " + host +
			" is not a public address; use a public one, or have the service started with --webhook-allow"
	}
	return answerCreated(message, wire, err)
}

// webhookHost returns the host in the URL of an endpoint. The URL is valid.
func webhookHost(endpoint string) string {
	parsed, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

const webhookList = "webhooks"

func (h *publicHandlers) listWebhooks(x *exchange) (handlerAnswer, error) {
	list := shownList{webhookList, api.DefaultPageLimit, "webhooks, newest first"}
	return answerList(h.handlerBase, x, list, x.caller.Account.ID, wireWebhook)
}

// findWebhook returns the endpoint whose UUID is in the path of a request. In the public API, the
// endpoint must belong to the caller. In the operations API, it can belong to any account.
func (b *handlerBase) findWebhook(x *exchange) (store.Webhook, error) {
	return b.domain.Callbacks.Webhook(x.r.Context(), x.caller, x.uuid())
}

func (h *publicHandlers) getWebhook(x *exchange) (handlerAnswer, error) {
	w, err := h.findWebhook(x)
	return answerWith("endpoint", wireWebhook(w), err)
}

func (h *publicHandlers) deleteWebhook(x *exchange) (handlerAnswer, error) {
	err := h.domain.Callbacks.DeleteWebhook(x.r.Context(), x.caller, x.uuid())
	return answerWith("endpoint deleted; callbacks to it have stopped", struct{}{}, err)
}

// listDeliveries answers with the delivery log of an endpoint, for its account and for
// the operations API.
func (b *handlerBase) listDeliveries(x *exchange, webhook store.Webhook) (handlerAnswer, error) {
	list := shownList{
		"deliveries/" + strconv.FormatInt(webhook.ID, 10),
		api.DefaultPageLimit,
		"deliveries, newest first",
	}
	return answerList(b, x, list, webhook.ID, wireDelivery)
}

func wireWebhook(w store.Webhook) api.WebhookEndpoint {
	return api.WebhookEndpoint{
		UUID:        w.UUID,
		URL:         w.URL,
		Events:      w.Events,
		Description: w.Description,
		Status:      "active",
		LastStatus:  w.LastStatus,
		CreatedAt:   api.TimeOf(w.Created.UTC()),
		UpdatedAt:   api.TimeOf(w.Updated.UTC()),
	}
}

func wireDelivery(d store.Delivery) api.WebhookDelivery {
	return api.WebhookDelivery{
		UUID:         d.UUID,
		Event:        d.Event,
		MissionUID:   d.MissionUUID,
		OrderCode:    d.OrderCode,
		Success:      d.Success,
		ResponseCode: &d.ResponseCode,
		Attempts:     &d.Attempts,
		Error:        d.Error,
		CreatedAt:    api.TimeOf(d.Created.UTC()),
	}
}
