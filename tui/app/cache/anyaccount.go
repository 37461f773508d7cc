package cache

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// anyAccount reads the data of one account with the operations API. That API returns an order with all its
// missions and quotes in one response, so a mission and its quotes need no requests of their own.
type anyAccount struct {
	cache *Cache
	ops   *ops.Client
	uuid  string // of the account
}

// NewOfAccount returns a cache of one account. It reads the account with a key of the operations API, not
// with an API key of the account. The operations API has no files and datasets, so reading these fails.
func NewOfAccount(opsClient *ops.Client, account string, now func() time.Time) *Cache {
	a := &anyAccount{ops: opsClient, uuid: account}
	endpoints := func(ctx context.Context, _ string, opts api.ListOptions) (*api.Page[api.WebhookEndpoint], error) {
		return opsClient.Webhooks.List(ctx, account, opts)
	}
	// There is no client of the account: all its requests are replaced below.
	c := newCache(&api.Client{}, now, accountLists{
		orders:    a.listOrders,
		endpoints: endpoints,
		callbacks: opsClient.Webhooks.Deliveries,
	})
	a.cache = c
	c.address = opsClient.BaseURL() + "/accounts/" + account
	c.account = account
	c.AddOperations(opsClient)
	c.Details.read = readOnce(a.rereadOrder)
	c.missions.read = readOnce(a.readMissions)
	c.Records.read = readOnce(a.readRecord)
	c.Planning.read = readPart(a, func(m *ops.Mission) []api.PlanningEntry { return m.Planning })
	c.Permissions.read = readPart(a, func(m *ops.Mission) *api.FlightPermission { return m.FlightPermission })
	c.Packages.read = readPart(a, func(m *ops.Mission) []api.DeliveryPackage { return m.Packages })
	c.Files.read = readNeedsKey
	c.Purchased.read = readNeedsKey
	c.Datasets.read = readNeedsKey
	c.Quoted.read = readNothing
	c.Recorded.read = readNothing
	return c
}

// rereadOrder reads an order from the operations API, even if the cache has it.
func (a *anyAccount) rereadOrder(ctx context.Context, code string) (*api.Order, error) {
	if _, err := a.cache.Operations.Details.reread(ctx, a.orderKey(code), math.MaxInt); err != nil {
		return nil, err
	}
	return a.readOrder(ctx, code)
}

// readMissions returns the missions of an order.
func (a *anyAccount) readMissions(ctx context.Context, code string) ([]Mission, error) {
	o, err := a.findOrder(ctx, code)
	if err != nil {
		return nil, err
	}
	var missions []Mission
	for i := range o.Missions {
		missions = append(missions, withoutPoints(&o.Missions[i].Mission))
	}
	return missions, nil
}

// readRecord returns the record of an order, with its quotes.
func (a *anyAccount) readRecord(ctx context.Context, id string) (*api.OrderRecord, error) {
	o, err := a.findOrder(ctx, id)
	if err != nil {
		return nil, err
	}
	return RecordOf(o), nil
}

// NewOfOperations returns a cache of all accounts, read from the operations API. The collections for
// the data of a single account, such as Cache.Orders, stay empty.
func NewOfOperations(opsClient *ops.Client, now func() time.Time) *Cache {
	noOrders := func(context.Context, string, api.ListOptions) (*api.Page[api.Order], error) {
		return &api.Page[api.Order]{}, nil
	}
	noEndpoints := func(context.Context, string, api.ListOptions) (*api.Page[api.WebhookEndpoint], error) {
		return &api.Page[api.WebhookEndpoint]{}, nil
	}
	c := newCache(&api.Client{}, now, accountLists{
		orders:    noOrders,
		endpoints: noEndpoints,
		callbacks: opsClient.Webhooks.Deliveries,
	})
	c.address = opsClient.BaseURL()
	c.AddOperations(opsClient)
	c.Quoted.read = readNothing
	c.Recorded.read = readNothing
	c.Datasets.read = readNothing
	return c
}

var errNeedsKey = errors.New("the operations API does not show files and datasets; use a key of the account")

// readNeedsKey is the read function for data that needs an API key of the account, such as files. It sends
// no request and returns errNeedsKey.
func readNeedsKey(context.Context, *entryReading) error { return errNeedsKey }

// readNothing is the read function for lists that the operations API does not have. It sends no request,
// and the list stays empty.
func readNothing(context.Context, *entryReading) error { return nil }

func (a *anyAccount) listOrders(
	ctx context.Context,
	_ string,
	opts api.ListOptions,
) (*api.Page[api.Order], error) {
	listed, err := a.ops.Orders.List(ctx, ops.OrderFilter{Account: a.uuid}, opts)
	if err != nil {
		return nil, err
	}
	page := &api.Page[api.Order]{NextCursor: listed.NextCursor, HasNextPage: listed.HasNextPage}
	for i := range listed.Items {
		o := listed.Items[i].Order
		if o.Status != api.OrderDeleted {
			page.Items = append(page.Items, o)
		}
	}
	return page, nil
}

// orderKey returns the key of an order in the collection Details: the order's code, or id if the code is
// unknown.
func (a *anyAccount) orderKey(id string) string {
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	if o := a.cache.orderByID(id); o != nil && o.OrderCode != "" {
		return o.OrderCode
	}
	return id
}

// findOrder returns an order of the account. It takes the order from the cache if it was read a moment
// ago. findOrder ignores the limit of concurrent requests, because it runs within a request that was
// already counted.
func (a *anyAccount) findOrder(ctx context.Context, id string) (*ops.Order, error) {
	o, err := a.cache.Operations.Details.getWithLimit(ctx, a.orderKey(id), math.MaxInt)
	if err != nil {
		return o, err
	}
	if o.AccountUID != a.uuid {
		return nil, missingError("order")
	}
	return o, nil
}

// readOrder returns an order as the public API shows it to the account.
func (a *anyAccount) readOrder(ctx context.Context, id string) (*api.Order, error) {
	o, err := a.findOrder(ctx, id)
	if err != nil {
		return nil, err
	}
	return ClientOrderOf(o), nil
}

// ClientOrderOf converts an order of the operations API to the order that the public API shows to the
// account. Members that only the operations API has are omitted.
func ClientOrderOf(o *ops.Order) *api.Order {
	order := o.Order
	order.Missions = make([]api.Mission, len(o.Missions))
	for i := range o.Missions {
		order.Missions[i] = o.Missions[i].Mission
	}
	return &order
}

func missingError(what string) error {
	return &api.Error{
		Status:  http.StatusNotFound,
		Op:      "read " + what,
		Code:    api.CodeNotFound,
		Message: "no such " + what + " in this account",
	}
}

// readPart returns the read function of a collection whose keys are UUIDs of missions. The function reads
// the order of the mission and calls part to get the value from the mission.
func readPart[T any](a *anyAccount, part func(*ops.Mission) T) func(context.Context, *entryReading) error {
	return func(ctx context.Context, r *entryReading) error {
		mission := r.key
		orderKey, ok := a.orderOf(mission)
		if !ok {
			orderKey = mission // the service also finds an order by the ID of a mission
		}
		o, err := a.findOrder(ctx, orderKey)
		if err != nil {
			return err
		}
		for i := range o.Missions {
			if o.Missions[i].UUID == mission {
				r.value = part(&o.Missions[i])
				return nil
			}
		}
		return nil
	}
}

// orderOf searches the orders that were read for a mission, and returns the key of its order. ok is false
// if none of these orders has the mission.
func (a *anyAccount) orderOf(mission string) (key string, ok bool) {
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	isMission := func(m ops.Mission) bool { return m.UUID == mission }
	for key, e := range a.cache.Operations.Details.entries {
		o := a.cache.Operations.Details.valueOf(e)
		if o != nil && slices.ContainsFunc(o.Missions, isMission) {
			return key, true
		}
	}
	return "", false
}

// dateOf converts a deadline to a date without a time of day.
func dateOf(deadline api.Time) api.Date {
	if !deadline.IsRead() {
		return api.Date{Raw: deadline.Raw}
	}
	return api.DateOf(deadline.Time)
}

// RecordOf converts an order of the operations API to a record of the v2 API.
func RecordOf(o *ops.Order) *api.OrderRecord {
	r := &api.OrderRecord{
		ID:               o.UUID,
		OrderCode:        o.OrderCode,
		OrderName:        o.OrderName,
		AreaSize:         o.AreaSize,
		CompanyName:      o.CompanyName,
		DeliveryDeadline: dateOf(o.Deadline),
		MapTypes:         o.Deliverables,
		Notifications:    o.Notifications,
	}
	for i := range o.Quotes {
		q := &o.Quotes[i]
		switch q.Status {
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

// operationsRows is the default number of rows to read from a list of the operations API.
const operationsRows = 2000

// OperationsCache has the data of all accounts, read with the key of the operations API. The comments of the
// fields name the keys of each collection. A collection with the key [Account] has a single entry for all accounts.
type OperationsCache struct {
	Service   *Collection[ServiceInfo]            // key: [Account]
	Accounts  *List[ops.Account]                  // key: [Account]; newest first
	Requests  *List[ops.KeyRequest]               // key: [Account]; newest first
	Orders    *List[ops.Order]                    // key: account UUID, or [Account] for all orders; newest first
	InHand    *List[ops.Order]                    // key: order status; newest first
	Details   *Collection[*ops.Order]             // key: ID or code of the order; full orders
	Notices   *Collection[[]ops.CompletionNotice] // key: order ID; newest first
	Failed    *List[ops.CompletionNotice]         // key: account UUID; failed completion notices, newest first
	Keys      *List[ops.AccountKey]               // key: account UUID; newest first
	Operators *List[ops.Operator]                 // key: [Account]; newest first
	Audit     *List[ops.AuditEntry]               // key: [Account]; newest first
	Histories *Collection[*ops.CallbackHistory]   // key: callback ID; nil if the service keeps no history
	Endpoints *List[api.WebhookEndpoint]          // key: account UUID; newest first

	// Requests that accounts sent to the service, from the log of the service. The newest requests come first.
	Sent     *List[ops.LoggedRequest] // key: account UUID; all requests
	Failures *List[ops.LoggedRequest] // key: account UUID; failed requests
	SentFor  *List[ops.LoggedRequest] // key: code of an order or a mission; changes and failed requests
	Changes  *List[ops.OrderChange]   // key: order code; changes of the order, not requests
}

// ServiceInfo is the state of the service: its simulator, its clock and its injected faults. Fields that were not
// read are nil.
type ServiceInfo struct {
	Simulator *ops.SimulatorState
	Clock     *ops.ServiceClock
	Faults    *ops.Faults
}

// AddOperations makes the cache read the operations API, too. It sets c.Operations.
func (c *Cache) AddOperations(opsClient *ops.Client) {
	o := &OperationsCache{
		Service: newCollection(c, "service state", func(ctx context.Context, _ string) (ServiceInfo, error) {
			return readService(ctx, opsClient.World)
		}),
		Accounts: operationsList(c, "accounts", accountID, unkeyed(opsClient.Accounts.List)),
		Requests: operationsList(c, "key requests", keyRequestID, unkeyed(opsClient.Keys.Requests)),
		Orders: ordersList(c, opsClient, func(account string) ops.OrderFilter {
			return ops.OrderFilter{Account: account}
		}),
		InHand: ordersList(c, opsClient, func(status string) ops.OrderFilter {
			return ops.OrderFilter{Status: api.OrderStatus(status)}
		}),
		Details:   newCollection(c, "order", opsClient.Orders.Get),
		Notices:   newCollection(c, "completion notices", unlessMissing(noticesReader(opsClient))),
		Failed:    failedNotices(c, opsClient),
		Keys:      operationsList(c, "keys", keyID, opsClient.Keys.List),
		Operators: operationsList(c, "operators", operatorID, unkeyed(opsClient.Operators.List)),
		Audit: listOf(c, "audit trail", operationsRows, listPaging[ops.AuditEntry]{
			id:      AuditID,
			maxRows: maxListed,
			list:    unkeyed(opsClient.Operators.Audit),
		}),
		Endpoints: operationsList(c, "endpoints", endpointID, opsClient.Webhooks.List),
		Histories: newCollection(c, "attempts", unlessMissing(opsClient.Webhooks.History)),
	}
	o.InHand.depth = api.MaxPageLimit // a single page, because there is a list for each status
	o.addRequestLog(c, opsClient)
	o.Service.onChange(c.handleServiceInfo)
	c.Operations = o

	// If the service is a simulation, its state and the orders change every few seconds, so these collections
	// are read more often. Other services are not affected.
	o.Service.live = true
	o.InHand.live = true
	o.Details.live = true
	c.Details.live = true
	c.Records.live = true
}

// handleServiceInfo is called when the state of the service was read. The service is a simulation if its
// clock can be changed.
func (c *Cache) handleServiceInfo(_ string, info, _ ServiceInfo) {
	c.isSimulation = info.Clock != nil && info.Clock.Adjustable
}

// ordersList returns a collection of order lists. For each key of the collection, filter returns the
// filter that the list is requested with.
func ordersList(c *Cache, opsClient *ops.Client, filter func(key string) ops.OrderFilter) *List[ops.Order] {
	list := func(ctx context.Context, key string, opts api.ListOptions) (*api.Page[ops.Order], error) {
		return opsClient.Orders.List(ctx, filter(key), opts)
	}
	return operationsList(c, "orders", operationsOrderID, list)
}

// noticesReader returns a function that reads the completion notices of the order with the given ID.
func noticesReader(opsClient *ops.Client) func(context.Context, string) ([]ops.CompletionNotice, error) {
	return func(ctx context.Context, order string) ([]ops.CompletionNotice, error) {
		notices, err := opsClient.Orders.Notifications(ctx, order, api.ListOptions{Limit: api.MaxPageLimit})
		if err != nil {
			return nil, err
		}
		return notices.Items, nil
	}
}

// failedNotices returns the lists of failed completion notices, with the UUID of the account as the key. A
// list is empty if the service cannot list notices.
func failedNotices(c *Cache, opsClient *ops.Client) *List[ops.CompletionNotice] {
	list := func(ctx context.Context, account string, opts api.ListOptions) (*api.Page[ops.CompletionNotice], error) {
		page, err := opsClient.Accounts.Notifications(ctx, account, ops.NoticeFilter{Failed: true}, opts)
		if api.IsStatus(err, http.StatusNotFound, http.StatusMethodNotAllowed) {
			return &api.Page[ops.CompletionNotice]{}, nil
		}
		return page, err
	}
	return listOf(c, "completion notices", requestRows, listPaging[ops.CompletionNotice]{
		id:      func(n *ops.CompletionNotice) string { return n.UUID },
		maxRows: maxListed,
		list:    list,
	})
}

// addRequestLog adds the lists that are read from the service's request log.
func (o *OperationsCache) addRequestLog(c *Cache, opsClient *ops.Client) {
	o.Sent = requestsList(c, opsClient, func(account string) ops.RequestFilter {
		return ops.RequestFilter{Account: account}
	})
	o.Failures = requestsList(c, opsClient, func(account string) ops.RequestFilter {
		return ops.RequestFilter{Account: account, Failed: true}
	})
	o.SentFor = requestsList(c, opsClient, func(code string) ops.RequestFilter {
		return ops.RequestFilter{About: code, NoReads: true}
	})
	o.Changes = listOf(c, "changes", requestRows, listPaging[ops.OrderChange]{
		id:      func(change *ops.OrderChange) string { return strconv.FormatInt(change.ID, 10) },
		maxRows: maxListed,
		list:    opsClient.Orders.Changes,
	})
}

// requestRows is the default number of rows to read from the service's request log.
const requestRows = 500

// requestsList returns a collection of lists from the service's request log. For each key of the
// collection, filter returns the filter that the list is requested with.
func requestsList(c *Cache, opsClient *ops.Client, filter func(key string) ops.RequestFilter) *List[ops.LoggedRequest] {
	return listOf(c, "requests", requestRows, listPaging[ops.LoggedRequest]{
		id:      RequestID,
		maxRows: maxListed,
		list: func(ctx context.Context, key string, opts api.ListOptions) (*api.Page[ops.LoggedRequest], error) {
			return opsClient.Requests.List(ctx, filter(key), opts)
		},
	})
}

// AccountUID returns the UUID of the account in the operations API, or "" if it is not known yet. The
// public API does not return this UUID, so it is taken from the account's newest order in the operations
// API. needs tells the caller to load that order.
func (c *Cache) AccountUID() (uuid string, needs []Need) {
	if c.Operations == nil || c.account != "" {
		return c.account, nil
	}
	orders := c.Now().Orders
	if len(orders) == 0 {
		return "", nil
	}
	name := cmp.Or(orders[0].OrderCode, orders[0].UUID)
	order, _ := c.Operations.Details.Get(name)
	if order != nil {
		uuid = order.AccountUID
	}
	return uuid, []Need{c.Operations.Details.NeedOf(name)}
}

// RequestID returns the ID of a logged request, which identifies its row in a list.
func RequestID(r *ops.LoggedRequest) string { return strconv.FormatInt(r.ID, 10) }

// AuditID returns the ID of an entry of the audit trail.
func AuditID(e *ops.AuditEntry) string { return strconv.FormatInt(e.ID, 10) }

func accountID(a *ops.Account) string          { return a.UUID }
func keyRequestID(r *ops.KeyRequest) string    { return r.UUID }
func keyID(k *ops.AccountKey) string           { return k.UUID }
func operatorID(o *ops.Operator) string        { return o.UUID }
func operationsOrderID(o *ops.Order) string    { return o.UUID }
func endpointID(e *api.WebhookEndpoint) string { return e.UUID }

// operationsList returns lists of the operations API with the usual limits. name is used in error
// messages, id returns the ID of a row.
func operationsList[T any](c *Cache, name string, id func(*T) string, list listRequest[T]) *List[T] {
	return listOf(c, name, operationsRows, listPaging[T]{
		id:      id,
		maxRows: maxListed,
		list:    list,
	})
}

func readService(ctx context.Context, world *ops.WorldService) (ServiceInfo, error) {
	simulator, err := world.Simulator(ctx)
	if err != nil {
		return ServiceInfo{}, err
	}
	clock, err := world.Clock(ctx)
	if err != nil {
		return ServiceInfo{Simulator: simulator}, err
	}
	faults, err := world.Faults(ctx)
	return ServiceInfo{Simulator: simulator, Clock: clock, Faults: faults}, err
}
