package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// listNotices returns the log of what an order's client was told.
func (h *operationsHandlers) listNotices(x *exchange, o store.Order) (handlerAnswer, error) {
	wire := func(n store.Notice) api.CompletionNotice { return wireNotice(o.UUID, n) }
	list := shownList{"ops/notices/" + o.UUID, api.DefaultPageLimit, "notifications of " + o.Code + ", newest first"}
	return answerList(h.handlerBase, x, list, o, h.domain.Callbacks.Notices, wire)
}

// findNotice makes sure that there is a notice.
func (h *operationsHandlers) findNotice(x *exchange) (uuid string, err error) {
	uuid = x.r.PathValue("uuid")
	return uuid, h.domain.Callbacks.HasNotice(x.r.Context(), uuid)
}

func (h *operationsHandlers) resendNotice(x *exchange, uuid string, _ *noBody) (handlerAnswer, error) {
	o, n, err := h.domain.Callbacks.ResendNotice(x.r.Context(), uuid)
	return answerWith("resending the notification", wireNotice(o.UUID, n), err)
}

func wireNotice(orderUUID string, n store.Notice) api.CompletionNotice {
	return api.CompletionNotice{
		UUID: n.UUID, OrderUID: orderUUID, Channel: n.Kind, Address: n.Address, Success: n.Success,
		ResponseCode: n.ResponseCode, Attempts: n.Attempts, Error: n.Error, CreatedAt: api.TimeOf(n.Created.UTC()),
	}
}
