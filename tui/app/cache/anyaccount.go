package cache

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// NewOfAccount returns a cache of an account that is read with the key of the
// operations API, without a key of the account. Files and datasets are not known
// there.
func NewOfAccount(ops *api.Ops, account string, now func() time.Time) *Cache {
	a := &anyAccount{ops: ops, account: account, now: now, orders: map[string]string{}, read: map[string]*opsReading{}}
	c := newCache(a.readFunctions(), now)
	c.AddOperations(ops)
	return c
}

// sharedTime is how long a read order answers for all of its parts.
const sharedTime = 2 * time.Second

// anyAccount reads an account with the key of the operations API, which answers
// with an order and all of its parts at once.
type anyAccount struct {
	ops     *api.Ops
	account string // uuid
	now     func() time.Time

	mu     sync.Mutex
	orders map[string]string      // the order's id by that of a mission
	read   map[string]*opsReading // by the order's id or code
}

// opsReading is an order that is being read, or was.
type opsReading struct {
	at    time.Time
	done  chan struct{} // closed once it is read
	order *api.OpsOrder
	err   error
}

func (a *anyAccount) readFunctions() accountReader {
	return accountReader{
		address: a.ops.BaseURL() + "/accounts/" + a.account,
		orders:  a.listOrders,
		order: func(ctx context.Context, code string) (*api.Order, error) {
			o, err := a.readOrder(ctx, code, false)
			if err != nil {
				return nil, err
			}
			return withMissions(o), nil
		},
		missions: func(ctx context.Context, order string, _ api.ListOptions) (*api.Page[api.Mission], error) {
			o, err := a.readOrder(ctx, order, true)
			if err != nil {
				return nil, err
			}
			return &api.Page[api.Mission]{Items: withMissions(o).Missions}, nil
		},
		planning: func(ctx context.Context, mission string) ([]api.PlanningEntry, error) {
			m, err := a.findMission(ctx, mission)
			return m.Planning, err
		},
		permission: func(ctx context.Context, mission string) (*api.FlightPermission, error) {
			m, err := a.findMission(ctx, mission)
			return m.FlightPermission, err
		},
		packages: func(ctx context.Context, mission string) ([]api.DeliveryPackage, error) {
			m, err := a.findMission(ctx, mission)
			return m.Packages, err
		},
		files:  func(context.Context, string) ([]api.DeliveryFile, error) { return nil, errNeedsKey },
		quoted: func(context.Context) ([]*api.OrderRecord, error) { return nil, nil },
		record: func(ctx context.Context, id string) (*api.OrderRecord, error) {
			o, err := a.readOrder(ctx, id, true)
			if err != nil {
				return nil, err
			}
			return RecordOf(o), nil
		},
		recordPage:  func(context.Context, int) ([]api.OrderRecord, error) { return nil, nil },
		datasetPage: func(context.Context, int) ([]api.Dataset, error) { return nil, errNeedsKey },
		purchased:   func(context.Context, string) (fetch.Package, error) { return fetch.Package{}, errNeedsKey },
		endpoints: func(ctx context.Context, opts api.ListOptions) (*api.Page[api.WebhookEndpoint], error) {
			return a.ops.Webhooks.List(ctx, a.account, opts)
		},
		log: a.ops.Webhooks.Deliveries,
	}
}

var errNeedsKey = errors.New("the operations API does not show files and datasets; use a key of the account")

func (a *anyAccount) listOrders(ctx context.Context, opts api.ListOptions) (*api.Page[api.Order], error) {
	got, err := a.ops.Orders.List(ctx, api.OpsOrderFilter{Account: a.account}, opts)
	if err != nil {
		return nil, err
	}
	page := &api.Page[api.Order]{NextCursor: got.NextCursor, HasNextPage: got.HasNextPage}
	for i := range got.Items {
		if o := got.Items[i].Order; o.Status != api.OrderDeleted {
			page.Items = append(page.Items, o)
		}
	}
	return page, nil
}

// readOrder reads an order of the account. What was read a moment ago, or is being
// read, does where that is enough.
func (a *anyAccount) readOrder(ctx context.Context, id string, recent bool) (*api.OpsOrder, error) {
	for {
		a.mu.Lock()
		known := a.read[id]
		if known == nil || !recent && known.isDone() || known.isDone() && a.now().Sub(known.at).Abs() >= sharedTime {
			known = &opsReading{at: a.now(), done: make(chan struct{})}
			a.read[id] = known
			a.mu.Unlock()
			return a.requestOrder(ctx, id, known)
		}
		a.mu.Unlock()
		select {
		case <-known.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !errors.Is(known.err, context.Canceled) {
			return known.order, known.err
		}
		recent = false // who asked has left
	}
}

func (r *opsReading) isDone() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// requestOrder reads an order, and notes which missions it has.
func (a *anyAccount) requestOrder(ctx context.Context, id string, to *opsReading) (*api.OpsOrder, error) {
	defer close(to.done)
	to.order, to.err = a.ops.Orders.Get(ctx, id)
	if to.err == nil && to.order.AccountUID != a.account {
		to.order, to.err = nil, &api.Error{
			Status:  http.StatusNotFound,
			Op:      "read order",
			Code:    api.CodeNotFound,
			Message: "no such order in this account",
		}
	}
	if to.err != nil {
		return nil, to.err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.DeleteFunc(
		a.read,
		func(_ string, r *opsReading) bool { return r.isDone() && a.now().Sub(r.at).Abs() >= sharedTime },
	)
	a.read[to.order.UUID], a.read[to.order.OrderCode] = to, to
	for i := range to.order.Missions {
		a.orders[to.order.Missions[i].UUID] = to.order.UUID
	}
	return to.order, nil
}

// findMission returns one of an order that was read before.
func (a *anyAccount) findMission(ctx context.Context, uuid string) (m api.OpsMission, err error) {
	a.mu.Lock()
	order, known := a.orders[uuid]
	a.mu.Unlock()
	if !known {
		return m, &api.Error{
			Status:  http.StatusNotFound,
			Op:      "read mission",
			Code:    api.CodeNotFound,
			Message: "no such mission in this account",
		}
	}
	o, err := a.readOrder(ctx, order, true)
	if err != nil {
		return m, err
	}
	if i := slices.IndexFunc(o.Missions, func(m api.OpsMission) bool { return m.UUID == uuid }); i >= 0 {
		m = o.Missions[i]
	}
	return m, nil
}

// withMissions returns an order as its client reads it, with its missions.
func withMissions(o *api.OpsOrder) *api.Order {
	order := o.Order
	order.Missions = make([]api.Mission, len(o.Missions))
	for i := range o.Missions {
		order.Missions[i] = o.Missions[i].Mission
	}
	return &order
}

// RecordOf returns the part of an order of the operations API that the v2 API shows
// of its quotes.
func RecordOf(o *api.OpsOrder) *api.OrderRecord {
	r := &api.OrderRecord{
		ID: o.UUID, OrderCode: o.OrderCode, OrderName: o.OrderName, AreaSize: o.AreaSize, CompanyName: o.CompanyName,
		DeliveryDeadline: api.Date(o.Deadline), MapTypes: o.Deliverables, Notifications: o.Notifications,
	}
	for i := range o.Quotes {
		switch q := &o.Quotes[i]; q.Status {
		case api.QuoteAccepted:
			r.AcceptedQuote = &q.Quote
		case api.QuoteRejected:
			r.RejectedQuotes = append(r.RejectedQuotes, q.Quote)
		case api.QuoteClosed:
			r.ClosedQuotes = append(r.ClosedQuotes, q.Quote)
		default:
			r.Quotes = append(r.Quotes, q.Quote)
		}
	}
	return r
}

// accountReader are how a cache reads an account: with its own key, or any account
// with the key of the operations API.
type accountReader struct {
	address     string // of the service
	orders      func(context.Context, api.ListOptions) (*api.Page[api.Order], error)
	order       func(ctx context.Context, code string) (*api.Order, error)
	missions    func(ctx context.Context, order string, opts api.ListOptions) (*api.Page[api.Mission], error)
	planning    func(ctx context.Context, mission string) ([]api.PlanningEntry, error)
	permission  func(ctx context.Context, mission string) (*api.FlightPermission, error)
	packages    func(ctx context.Context, mission string) ([]api.DeliveryPackage, error)
	files       func(ctx context.Context, pack string) ([]api.DeliveryFile, error)
	quoted      func(context.Context) ([]*api.OrderRecord, error) // orders with open quotes
	record      func(ctx context.Context, id string) (*api.OrderRecord, error)
	recordPage  func(ctx context.Context, n int) ([]api.OrderRecord, error)
	datasetPage func(ctx context.Context, n int) ([]api.Dataset, error)
	purchased   func(ctx context.Context, dataset string) (fetch.Package, error)
	endpoints   func(context.Context, api.ListOptions) (*api.Page[api.WebhookEndpoint], error)
	log         func(ctx context.Context, endpoint string, opts api.ListOptions) (*api.Page[api.WebhookDelivery], error)
}

// ownAccount reads an account with its key.
func ownAccount(client *api.Client) accountReader {
	return accountReader{
		address:    client.BaseURL(),
		orders:     client.Orders.List,
		order:      client.Orders.Get,
		missions:   client.Missions.List,
		planning:   client.Missions.Planning,
		permission: client.Missions.FlightPermission,
		packages:   client.Missions.Packages,
		files:      client.Files.List,
		quoted: func(ctx context.Context) (all []*api.OrderRecord, err error) {
			for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
				if err != nil {
					return nil, err
				}
				all = append(all, r)
			}
			return all, nil
		},
		record: func(ctx context.Context, id string) (*api.OrderRecord, error) { return client.Records.Get(ctx, id) },
		recordPage: func(ctx context.Context, n int) ([]api.OrderRecord, error) {
			return client.Records.List(ctx, api.RecordListOptions{Limit: api.MaxPageLimit, Page: n})
		},
		datasetPage: func(ctx context.Context, n int) ([]api.Dataset, error) {
			return client.Library.List(ctx, api.DatasetListOptions{Limit: api.MaxPageLimit, Page: n})
		},
		purchased: func(ctx context.Context, dataset string) (fetch.Package, error) {
			return fetch.Dataset(ctx, client, dataset)
		},
		endpoints: client.Webhooks.List,
		log:       client.Webhooks.Deliveries,
	}
}
