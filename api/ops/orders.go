package ops

import (
	"context"
	"iter"

	"flightdesk/api"
)

// Order is an order with the data that only Operations can read. A single order has Account and
// Missions; an order in a list has MissionCount instead.
type Order struct {
	api.Order
	AccountUID string    `json:"accountUid"`
	Account    *Account  `json:"account,omitzero"`
	Missions   []Mission `json:"missions,omitzero"`

	// Only in lists:
	OpenQuotes    *int `json:"openQuotes,omitzero"`    // number of quotes that the client can decide now
	ExpiredQuotes *int `json:"expiredQuotes,omitzero"` // number of undecided quotes that have expired

	// Only in a single order:
	Quotes        []Quote            `json:"quotes,omitzero"` // newest first
	Details       *api.RecordDetails `json:"details,omitzero"`
	Notifications *api.Notifications `json:"notifications,omitzero"` // nil if no notifications are set
}

// OrderFilter selects orders of a list; empty fields select all orders.
type OrderFilter struct {
	Account string // UUID
	Status  api.OrderStatus
}

// List returns one page of the orders of all accounts, newest first.
func (s *OrdersService) List(ctx context.Context, filter OrderFilter, opts api.ListOptions) (*api.Page[Order], error) {
	return api.CallPage[Order](ctx, s.c, filter.listOrders(), opts)
}

func (f OrderFilter) listOrders() api.Operation {
	op := api.NewOperation("list orders", "GET orders").WithQuery("account", f.Account)
	return op.WithQuery("status", string(f.Status))
}

// Get returns an order with all its data. uuid is the UUID or code of the order or of one of its
// missions.
func (s *OrdersService) Get(ctx context.Context, uuid string) (*Order, error) {
	return api.CallOne[Order](ctx, s.c, api.NewOperation("read order", "GET orders/{}", uuid), nil)
}

// All yields the selected orders, newest first. It yields the first error and stops.
func (s *OrdersService) All(ctx context.Context, filter OrderFilter) iter.Seq2[*Order, error] {
	return api.ListAll[Order](ctx, s.c, filter.listOrders(), api.MaxPageLimit)
}

// OrderChange is a change of an order, its missions, callbacks or notices through the
// operations API.
type OrderChange struct {
	ID        int64            `json:"id"` // changes are numbered in the order in which they were made
	At        api.Time         `json:"at"`
	Operator  string           `json:"operator"`  // name of the user, or [OperationsKey]
	Operation string           `json:"operation"` // method and route, as in "POST /orders/{uuid}/quotes"
	Subject   string           `json:"subject"`   // what was created, otherwise what the route names; orders and missions by their codes
	Parent    string           `json:"parent,omitzero"`
	RequestID string           `json:"requestId"`
	Extra     api.ExtraMembers `json:",embed"`
}

// Changes returns one page of the changes of an order, newest first.
func (s *OrdersService) Changes(
	ctx context.Context,
	orderUUID string,
	opts api.ListOptions,
) (*api.Page[OrderChange], error) {
	return api.CallPage[OrderChange](ctx, s.c, api.NewOperation("list changes", "GET orders/{}/changes", orderUUID), opts)
}
