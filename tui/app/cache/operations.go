package cache

import (
	"context"
	"net/http"

	"flightdesk/api"
)

// operationsRows is how many rows of a list of the service's own side are read
// at least.
const operationsRows = 2000

// OperationsCache is what the service's own side says of all accounts, with the key of
// the operations API.
type OperationsCache struct {
	Service   *Collection[string, ServiceInfo]                   // under [Account]
	Accounts  *Collection[string, ListRows[api.Account]]         // under [Account], newest first
	Requests  *Collection[string, ListRows[api.KeyRequest]]      // under [Account], newest first
	Orders    *Collection[string, ListRows[api.OpsOrder]]        // newest first, by account; under [Account] all
	InHand    *Collection[string, ListRows[api.OpsOrder]]        // newest first, by status
	Details   *Collection[string, *api.OpsOrder]                 // orders in full, by id
	Notices   *Collection[string, []api.CompletionNotice]        // newest first, by order's id
	Keys      *Collection[string, ListRows[api.AccountKey]]      // newest first, by account
	Histories *Collection[string, *api.CallbackHistory]          // callbacks with their attempts, by id; nil of a service that keeps none
	Endpoints *Collection[string, ListRows[api.WebhookEndpoint]] // newest first, by account
	Logs      *Collection[string, ListRows[api.WebhookDelivery]] // newest first, by endpoint
}

// ServiceInfo is how the service itself is: nil what was not read yet.
type ServiceInfo struct {
	Simulator *api.SimulatorState
	Clock     *api.ServiceClock
	Faults    *api.Faults
	Snapshots []api.WorldSnapshot // newest first
}

// AddOperations has the service's own side read as well.
func (c *Cache) AddOperations(ops *api.Ops) {
	c.Operations = &OperationsCache{
		Service: newCollection(c, "service state", readOnce(func(ctx context.Context, _ string) (ServiceInfo, error) {
			return readService(ctx, ops.World)
		})),
		InHand: operationsList(c, "orders", opsOrderID, func(ctx context.Context, status string, opts api.ListOptions) (*api.Page[api.OpsOrder], error) {
			return ops.Orders.List(ctx, api.OpsOrderFilter{Status: api.OrderStatus(status)}, opts)
		}),
		Details: newCollection(c, "order", readOnce(ops.Orders.Get)),
		Notices: newCollection(c, "completion notices", readOnce(unlessMissing(func(ctx context.Context, order string) ([]api.CompletionNotice, error) {
			got, err := ops.Orders.Notifications(ctx, order, api.ListOptions{Limit: api.MaxPageLimit})
			if err != nil {
				return nil, err
			}
			return got.Items, nil
		}))),
		Accounts: operationsList(c, "accounts", func(a *api.Account) string { return a.UUID }, unkeyed(ops.Accounts.List)),
		Requests: operationsList(c, "key requests", func(r *api.KeyRequest) string { return r.UUID }, unkeyed(ops.Keys.Requests)),
		Orders: operationsList(c, "orders", opsOrderID, func(ctx context.Context, account string, opts api.ListOptions) (*api.Page[api.OpsOrder], error) {
			return ops.Orders.List(ctx, api.OpsOrderFilter{Account: account}, opts)
		}),
		Keys:      operationsList(c, "keys", func(k *api.AccountKey) string { return k.UUID }, ops.Keys.List),
		Endpoints: operationsList(c, "endpoints", endpointID, ops.Webhooks.List),
		Logs:      operationsList(c, "callbacks", callbackID, ops.Webhooks.Deliveries),
		Histories: newCollection(c, "attempts", readOnce(unlessMissing(ops.Webhooks.History))),
	}
	o := c.Operations
	o.InHand.depth = api.MaxPageLimit
	o.Service.changed = func(_ string, s ServiceInfo) { c.brisk = s.Clock != nil && s.Clock.Adjustable }
	o.Service.live, o.InHand.live, o.Details.live, c.Details.live, c.Records.live = true, true, true, true, true
}

func opsOrderID(o *api.OpsOrder) string { return o.UUID }

func operationsList[T any](c *Cache, name string, id func(*T) string, list listRequest[T]) *Collection[string, ListRows[T]] {
	return listOf(c, name, operationsRows, listPaging[T]{id: id, most: mostListed, page: pageReader(list)})
}

func readService(ctx context.Context, world *api.OpsWorldService) (s ServiceInfo, err error) {
	if s.Simulator, err = world.Simulator(ctx); err != nil {
		return s, err
	}
	if s.Clock, err = world.Clock(ctx); err != nil {
		return s, err
	}
	if s.Faults, err = world.Faults(ctx); err != nil {
		return s, err
	}
	if s.Snapshots, err = world.Snapshots(ctx); api.IsStatus(err, http.StatusNotFound) { // an older service has none
		err = nil
	}
	return s, err
}
