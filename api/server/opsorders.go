package server

import (
	"slices"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) listOrders(x *exchange) (handlerAnswer, error) {
	filter, name, err := h.orderFilter(x)
	if err != nil {
		return handlerAnswer{}, err
	}
	list := shownList{"ops/orders/" + name, api.DefaultPageLimit, "orders of all accounts, newest first"}
	wire := func(o store.OwnedOrder) api.OpsOrder {
		return api.OpsOrder{Order: listedOrder(o.Order), AccountUID: o.AccountUUID, OpenQuotes: &o.OpenQuotes}
	}
	return answerList(h.handlerBase, x, list, filter, h.domain.Orders.OfAllAccounts, wire)
}

// orderFilter reads the query's account and status, and names the list that
// they choose.
func (h *operationsHandlers) orderFilter(x *exchange) (f store.OrderFilter, name string, err error) {
	q := x.r.URL.Query() // window says what is wrong with it
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

func (h *operationsHandlers) getOrder(x *exchange) (handlerAnswer, error) {
	d, err := h.domain.Orders.Detail(x.r.Context(), x.r.PathValue("uuid"))
	if err != nil {
		return handlerAnswer{}, err
	}
	account := wireAccount(d.Account)
	wire := api.OpsOrder{
		Order: wireOrder(d.Order), AccountUID: account.UUID, Account: &account, Missions: make([]api.OpsMission, len(d.Missions)),
		Quotes: []api.OpsQuote{},
	}
	for i, m := range d.Missions {
		wire.Missions[i] = h.missionDetail(x, d, m)
	}
	for _, q := range slices.Backward(d.Extras.Quotes) {
		wire.Quotes = append(wire.Quotes, wireOpsQuote(q, quoteStatus(d.Order, q)))
	}
	wire.Details, wire.Notifications = d.Extras.Details, wireNotify(d.Extras.Notify)
	return handlerAnswer{message: "order " + d.Order.Code, data: wire}, nil
}

// opsMission returns a mission with all that belongs to it.
func (h *operationsHandlers) missionDetail(x *exchange, d store.OrderDetail, m store.Mission) api.OpsMission {
	wire := api.OpsMission{Mission: wireMission(d.Order, m)}
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
