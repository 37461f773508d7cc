package server

import (
	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func (h *publicHandlers) cancelOrder(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), x.caller, x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	if err := x.readNothing(); err != nil {
		return handlerAnswer{}, err
	}
	o, missions, err := h.domain.Orders.Cancel(x.r.Context(), x.caller, x.r.PathValue("uuid"))
	return movedOrder(o, missions, err)
}

func (h *publicHandlers) archiveOrder(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), x.caller, x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return handlerAnswer{}, err
	}
	o, missions, err := h.domain.Orders.Archive(x.r.Context(), x.caller, x.r.PathValue("uuid"), reason)
	return movedOrder(o, missions, err)
}

func (h *publicHandlers) rejectOrder(x *exchange) (handlerAnswer, error) {
	if _, err := h.domain.Orders.ByUUID(x.r.Context(), x.caller, x.r.PathValue("uuid")); err != nil {
		return handlerAnswer{}, err
	}
	reason, err := x.readReason()
	if err != nil {
		return handlerAnswer{}, err
	}
	o, missions, err := h.domain.Orders.Reject(x.r.Context(), x.caller, x.r.PathValue("uuid"), reason)
	return movedOrder(o, missions, err)
}

func movedOrder(o store.Order, missions []store.Mission, err error) (handlerAnswer, error) {
	if err != nil {
		return handlerAnswer{}, err
	}
	return handlerAnswer{message: "order " + o.Code + " is " + string(o.Status), data: orderDetail(o, missions)}, nil
}

// readNothing takes an absent body and an empty object.
func (x *exchange) readNothing() error {
	body, err := x.readBody()
	if err != nil || len(body) == 0 {
		return err
	}
	return readJSON(body, nil, func(r *bodyReader) error { return r.readObject() })
}

// readReason reads the body of a move that says why.
func (x *exchange) readReason() (reason string, err error) {
	body, err := x.readBody()
	if err != nil {
		return "", err
	}
	err = readJSON(body, nil, func(r *bodyReader) error {
		return r.readObject(bodyMember{"reason", func() error { return r.readText(api.MaxTextLength, &reason) }})
	})
	return reason, err
}
