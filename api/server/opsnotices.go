package server

import (
	"context"
	"fmt"
	"slices"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// listNotices answers with the log of the notices of an order.
func (h *operationsHandlers) listNotices(x *exchange, o store.Order) (handlerAnswer, error) {
	wire := func(n store.Notice) ops.CompletionNotice { return wireNotice(o.UUID, o.Code, n) }
	list := shownList{
		"ops/notices/" + o.UUID,
		api.DefaultPageLimit,
		"notifications of " + o.Code + ", newest first",
	}
	return answerList(h.handlerBase, x, list, o.ID, wire)
}

// listAccountNotices answers with the notices of the orders of an account.
func (h *operationsHandlers) listAccountNotices(x *exchange, a store.Account) (handlerAnswer, error) {
	onlyFailed, err := readFlag(x.r.URL.Query(), "failed", false)
	if err != nil {
		return handlerAnswer{}, err
	}
	list := shownList{
		fmt.Sprintf("ops/notices/%s/%t", a.UUID, onlyFailed),
		api.DefaultPageLimit,
		"notifications of orders of " + a.CompanyName + ", newest first",
	}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.NoticeOfOrder], error) {
		return h.domain.Callbacks.Notices(ctx, a.ID, onlyFailed, w)
	}
	wire := func(n store.NoticeOfOrder) ops.CompletionNotice {
		return wireNotice(n.OrderUUID, n.OrderCode, n.Notice)
	}
	return answerPage(h.handlerBase, x, list, read, wire)
}

func (h *operationsHandlers) resendNotice(x *exchange, n store.Notice, _ *noBody) (handlerAnswer, error) {
	o, n, err := h.domain.Callbacks.ResendNotice(x.r.Context(), n.UUID)
	return answerWith("resending the notification", wireNotice(o.UUID, o.Code, n), err)
}

func (h *operationsHandlers) setNotifications(
	x *exchange, o store.Order, in *ops.NotificationInput,
) (handlerAnswer, error) {
	secret, err := h.domain.Orders.SetNotifications(x.r.Context(), o.UUID, in.Webhook, in.Email)
	set := ops.NotificationSettings{
		Webhook: in.Webhook,
		Email:   in.Email,
		Secret:  secret,
	}
	return answerWith("notifications set", set, err)
}

// wireNotice returns a notice with its attempts. The body of the notice is repeated in each
// attempt.
func wireNotice(orderUUID, orderCode string, n store.Notice) ops.CompletionNotice {
	wire := ops.CompletionNotice{
		UUID:         n.UUID,
		OrderUID:     orderUUID,
		OrderCode:    orderCode,
		Channel:      n.Kind,
		Address:      n.Address,
		Success:      n.Success,
		ResponseCode: n.ResponseCode,
		Attempts:     n.Attempts,
		Error:        n.Error,
		CreatedAt:    api.TimeOf(n.Created.UTC()),
		History:      slices.Clone(n.Tries),
	}
	for i := range wire.History {
		wire.History[i].Body = n.Body
	}
	return wire
}
