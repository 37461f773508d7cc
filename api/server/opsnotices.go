package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// listNotices returns the log of what an order's client was told.
func (h *operationsHandlers) listNotices(x *exchange) (handlerAnswer, error) {
	o, err := h.domain.Orders.ByUUID(x.r.Context(), nil, x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	read := func(w store.ListWindow) (domain.Page[store.Notice], error) {
		return h.domain.Callbacks.Notices(x.r.Context(), o, w)
	}
	wire := func(n store.Notice) api.CompletionNotice { return wireNotice(o.UUID, n) }
	return answerList(h.handlerBase, x, "ops/notices/"+o.UUID, api.DefaultPageLimit, "notifications of "+o.Code+", newest first", read, wire)
}

func (h *operationsHandlers) resendNotice(x *exchange) (handlerAnswer, error) {
	if err := h.domain.Callbacks.HasNotice(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	o, n, err := h.domain.Callbacks.ResendNotice(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "resending the notification", data: wireNotice(o.UUID, n)}, nil
}

func wireNotice(orderUUID string, n store.Notice) api.CompletionNotice {
	return api.CompletionNotice{
		UUID: n.UUID, OrderUID: orderUUID, Channel: n.Kind, Address: n.Address, Success: n.Success,
		ResponseCode: n.ResponseCode, Attempts: n.Attempts, Error: n.Error, CreatedAt: api.TimeOf(n.Created.UTC()),
	}
}
