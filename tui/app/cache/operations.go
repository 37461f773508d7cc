package cache

import (
	"context"
	"strconv"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// operationsRows is how many rows of a list of the service's own side are read
// at least.
const operationsRows = 2000

// OperationsCache is what the service's own side says of all accounts, with the key of
// the operations API.
type OperationsCache struct {
	Service   *Collection[ServiceInfo]            // under [Account]
	Accounts  *List[ops.Account]                  // under [Account], newest first
	Requests  *List[ops.KeyRequest]               // under [Account], newest first
	Orders    *List[ops.Order]                    // newest first, by account; under [Account] all
	InHand    *List[ops.Order]                    // newest first, by status
	Details   *Collection[*ops.Order]             // orders in full, by id
	Notices   *Collection[[]ops.CompletionNotice] // newest first, by order's id
	Keys      *List[ops.AccountKey]               // newest first, by account
	Operators *List[ops.Operator]                 // under [Account], newest first
	Audit     *List[ops.AuditEntry]               // under [Account], newest first
	Histories *Collection[*ops.CallbackHistory]   // callbacks with their attempts, by id; nil of a service that keeps none
	Endpoints *List[api.WebhookEndpoint]          // newest first, by account
}

// ServiceInfo is how the service itself is: nil what was not read yet.
type ServiceInfo struct {
	Simulator *ops.SimulatorState
	Clock     *ops.ServiceClock
	Faults    *ops.Faults
}

// AddOperations has the service's own side read as well.
func (c *Cache) AddOperations(desk *ops.Client) {
	orders := func(filter func(string) ops.OrderFilter) *List[ops.Order] {
		return operationsList(c, "orders", opsOrderID, func(ctx context.Context, key string, opts api.ListOptions) (*api.Page[ops.Order], error) {
			return desk.Orders.List(ctx, filter(key), opts)
		})
	}
	c.Operations = &OperationsCache{
		Service: newCollection(c, "service state", func(ctx context.Context, _ string) (ServiceInfo, error) {
			return readService(ctx, desk.World)
		}),
		InHand:  orders(func(status string) ops.OrderFilter { return ops.OrderFilter{Status: api.OrderStatus(status)} }),
		Details: newCollection(c, "order", desk.Orders.Get),
		Notices: newCollection(c, "completion notices", unlessMissing(func(ctx context.Context, order string) ([]ops.CompletionNotice, error) {
			got, err := desk.Orders.Notifications(ctx, order, api.ListOptions{Limit: api.MaxPageLimit})
			if err != nil {
				return nil, err
			}
			return got.Items, nil
		})),
		Accounts:  operationsList(c, "accounts", func(a *ops.Account) string { return a.UUID }, unkeyed(desk.Accounts.List)),
		Requests:  operationsList(c, "key requests", func(r *ops.KeyRequest) string { return r.UUID }, unkeyed(desk.Keys.Requests)),
		Orders:    orders(func(account string) ops.OrderFilter { return ops.OrderFilter{Account: account} }),
		Keys:      operationsList(c, "keys", func(k *ops.AccountKey) string { return k.UUID }, desk.Keys.List),
		Operators: operationsList(c, "operators", func(o *ops.Operator) string { return o.UUID }, unkeyed(desk.Operators.List)),
		Audit:     operationsList(c, "audit trail", AuditID, unkeyed(desk.Operators.Audit)),
		Endpoints: operationsList(c, "endpoints", endpointID, desk.Webhooks.List),
		Histories: newCollection(c, "attempts", unlessMissing(desk.Webhooks.History)),
	}
	o := c.Operations
	o.InHand.depth = api.MaxPageLimit
	o.Service.changed = func(_ string, s ServiceInfo) { c.brisk = s.Clock != nil && s.Clock.Adjustable }
	o.Service.live, o.InHand.live, o.Details.live, c.Details.live, c.Records.live = true, true, true, true, true
}

// AuditID returns the number of an entry of the audit trail, as the identity of its row.
func AuditID(e *ops.AuditEntry) string { return strconv.FormatInt(e.ID, 10) }

func opsOrderID(o *ops.Order) string { return o.UUID }

func operationsList[T any](c *Cache, name string, id func(*T) string, list listRequest[T]) *List[T] {
	return listOf(c, name, operationsRows, listPaging[T]{id: id, most: mostListed, list: list})
}

func readService(ctx context.Context, world *ops.WorldService) (s ServiceInfo, err error) {
	if s.Simulator, err = world.Simulator(ctx); err != nil {
		return s, err
	}
	if s.Clock, err = world.Clock(ctx); err != nil {
		return s, err
	}
	s.Faults, err = world.Faults(ctx)
	return s, err
}
