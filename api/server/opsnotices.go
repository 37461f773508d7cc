package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// listNotices is the log of what an order's client was told.
func (h *operations) listNotices(x *exchange) (answer, error) {
	o, err := h.domain.Orders.ByUUID(x.r.Context(), nil, x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	read := func(w store.Window) (domain.Page[store.Notice], error) {
		return h.domain.Callbacks.Notices(x.r.Context(), o, w)
	}
	wire := func(n store.Notice) api.CompletionNotice { return wireNotice(o.UUID, n) }
	return answerList(h.base, x, "ops/notices/"+o.UUID, api.DefaultPageLimit, "notifications of "+o.Code+", newest first", read, wire)
}

func (h *operations) resendNotice(x *exchange) (answer, error) {
	if err := h.domain.Callbacks.HasNotice(x.r.Context(), x.r.PathValue("uuid")); err != nil {
		return answer{}, err
	}
	if err := x.readNothing(); err != nil {
		return answer{}, err
	}
	o, n, err := h.domain.Callbacks.ResendNotice(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return answer{}, err
	}
	return answer{message: "resending the notification", data: wireNotice(o.UUID, n)}, nil
}

func wireNotice(orderUUID string, n store.Notice) api.CompletionNotice {
	return api.CompletionNotice{
		UUID: n.UUID, OrderUID: orderUUID, Channel: n.Kind, Address: n.Address, Success: n.Success,
		ResponseCode: n.ResponseCode, Attempts: n.Attempts, Error: n.Error, CreatedAt: api.At(n.Created.UTC()),
	}
}
