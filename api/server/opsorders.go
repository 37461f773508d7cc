package server

import (
	"context"
	"slices"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// listOrders returns a page of the orders of all accounts. The query can select an account and a status.
func (h *operationsHandlers) listOrders(x *exchange) (handlerAnswer, error) {
	filter, name, err := h.orderFilter(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	list := shownList{"ops/orders/" + name, api.DefaultPageLimit, "orders of all accounts, newest first"}
	wire := func(o store.OwnedOrder) ops.Order {
		return ops.Order{
			Order:         listedOrder(o.Order),
			AccountUID:    o.AccountUUID,
			OpenQuotes:    &o.Undecided.Open,
			ExpiredQuotes: &o.Undecided.Expired,
		}
	}
	read := func(ctx context.Context, w store.ListWindow) (domain.Page[store.OwnedOrder], error) {
		return h.domain.Orders.OfAllAccounts(ctx, filter, w)
	}
	return answerPage(h.handlerBase, x, list, read, wire)
}

// orderFilter reads the query parameters account and status. name identifies the filter in cursors,
// so that a cursor is not valid for a list with another filter.
func (h *operationsHandlers) orderFilter(x *exchange) (f store.OrderFilter, name string, err error) {
	q := x.r.URL.Query() // errors in the query are reported by readWindow
	if uuid := q.Get("account"); uuid != "" {
		account, err := h.domain.Accounts.Find(x.r.Context(), uuid)
		if err != nil {
			return f, "", err
		}
		f.AccountID = account.ID
	}
	f.Status = api.OrderStatus(q.Get("status"))
	if f.Status != "" && !slices.Contains(api.OrderStatuses(), f.Status) {
		return f, "", invalidMember("status", "must be one of "+listValues(api.OrderStatuses()))
	}
	return f, q.Get("account") + "/" + string(f.Status), nil
}

// getOrder returns an order of any account with everything that belongs to it, the newest quote first.
func (h *operationsHandlers) getOrder(x *exchange) (handlerAnswer, error) {
	d, err := h.domain.Orders.Detail(x.r.Context(), x.uuid())
	if err != nil {
		return handlerAnswer{}, err
	}
	account := wireAccount(d.Account)
	wire := ops.Order{
		Order:      wireOrder(d.Order),
		AccountUID: account.UUID,
		Account:    &account,
		Missions:   make([]ops.Mission, len(d.Missions)),
		Quotes:     []ops.Quote{},
	}
	for i, m := range d.Missions {
		wire.Missions[i] = h.missionDetail(x, d, m)
	}
	for _, q := range slices.Backward(d.Extras.Quotes) {
		wire.Quotes = append(wire.Quotes, wireOpsQuote(q, quoteStatus(d.Order, q)))
	}
	wire.Details = d.Extras.Details
	wire.Notifications = wireNotify(d.Extras.Notify)
	return handlerAnswer{message: "order " + d.Order.Code, data: wire}, nil
}

// missionDetail returns a mission with all its details.
func (h *operationsHandlers) missionDetail(x *exchange, d store.OrderDetail, m store.Mission) ops.Mission {
	wire := ops.Mission{Mission: wireMission(d.Order, m)}
	for _, p := range d.Planning[m.ID] {
		wire.Planning = append(wire.Planning, wirePlanning(p))
	}
	for _, p := range d.Packages[m.ID] {
		wire.Packages = append(wire.Packages, wirePackage(m, p))
	}
	if p, ok := d.Permissions[m.ID]; ok {
		var permit *store.File
		if p.PermitID != nil {
			f := d.Permits[*p.PermitID]
			permit = &f
		}
		permission := h.wirePermission(x, m, p, permit)
		wire.FlightPermission = &permission
	}
	return wire
}

func (h *operationsHandlers) setDetails(x *exchange, o store.Order, in *api.RecordDetails) (handlerAnswer, error) {
	err := h.domain.Orders.SetDetails(x.r.Context(), o.UUID, *in)
	return answerWith("details set", *in, err)
}
