// Package cache holds the data of a profile that was read from the service: orders, missions,
// quotes, deliveries, datasets, endpoints and their logs. Each kind of data is a [Collection],
// and a scheduler decides what is read next. A page declares what it displays with
// [Cache.SetPageNeeds]; a command reads a value with [Collection.LoadNow]. All pages and commands
// share the data.
package cache

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

const (
	firstOrders = 1000      // orders that are read by default, and in addition after the oldest live order
	maxOrders   = 10_000    // limit for reading orders unless the user scrolls further
	maxListed   = 1_000_000 // limit for scrolling through a list

	maxMissionOrders   = 2000 // orders for which missions are read
	firstEndedMissions = 100  // ended orders for which missions are read by default: the most recently changed

	maxEndpoints = 2000
	maxDatasets  = 10_000
	logRows      = 500 // rows of an endpoint's log that are read by default
	maxLogRows   = 10_000
)

// Account is the only key of a collection that has a single entry for the whole account, such as
// Cache.Orders.
const Account = ""

// Cache stores the data that was read from the service and decides what to read next. It is safe for concurrent
// use.
type Cache struct {
	// Data of the whole account. The only key of these collections is [Account].
	Orders    *List[api.Order]                // newest first
	Quoted    *Collection[[]*api.OrderRecord] // orders with open quotes
	Endpoints *List[api.WebhookEndpoint]      // newest first
	Datasets  *List[api.Dataset]              // newest first
	Recorded  *List[api.OrderRecord]          // orders of the v2 API, newest first

	Details     *Collection[*api.Order]            // key: order code; full orders
	Records     *Collection[*api.OrderRecord]      // key: order ID; orders with their quotes
	Packages    *Collection[[]api.DeliveryPackage] // key: mission UUID; newest first
	Files       *Collection[[]api.DeliveryFile]    // key: package ID
	Purchased   *Collection[fetch.Package]         // key: dataset ID; files of the dataset
	Planning    *Collection[[]api.PlanningEntry]   // key: mission UUID; newest first
	Permissions *Collection[*api.FlightPermission] // key: mission UUID; nil if the mission has no permission
	Logs        *List[api.WebhookDelivery]         // key: endpoint UUID; newest first
	missions    missionTable                       // key: order code

	Operations *OperationsCache // nil without a key of the operations API

	address string // of the service
	account string // UUID of an account that is read with the operations key; "" otherwise
	now     func() time.Time

	mu           sync.Mutex
	version      int // see Version
	scheduler    scheduler
	changes      int  // number of changes that were sent to the service
	isSimulation bool // the service is a simulation in which days pass in seconds

	index orderIndex
	news  newsQueue
	view  *CacheView
	saved int // version of the data that Save wrote last

	quotedState quotedOrders
}

// Time returns the current time of the service.
func (c *Cache) Time() time.Time { return c.now() }

// New returns an empty cache for the account of the client. Without a client nothing is
// read.
func New(client *api.Client, now func() time.Time) *Cache {
	if client == nil {
		return newCache(&api.Client{}, now, accountLists{})
	}
	c := newCache(client, now, accountLists{
		orders:    unkeyed(client.Orders.List),
		endpoints: unkeyed(client.Webhooks.List),
		callbacks: client.Webhooks.Deliveries,
	})
	c.address = client.BaseURL()
	return c
}

// accountLists has the requests for three lists of an account. With an API key of the account, they are sent
// to the public API; with a key of the operations API, to the operations API. A nil request is never sent.
type accountLists struct {
	orders    listRequest[api.Order]
	endpoints listRequest[api.WebhookEndpoint]
	callbacks listRequest[api.WebhookDelivery] // key: endpoint UUID
}

// newCache returns an empty cache. Data that no page displays is read in the order in which the
// collections are created here.
func newCache(client *api.Client, now func() time.Time, lists accountLists) *Cache {
	c := &Cache{
		now:       now,
		scheduler: newScheduler(),
	}
	createOrders(c, client, lists.orders)
	createEndpoints(c, lists.endpoints)
	createDetails(c, client)
	createLibrary(c, client)
	createCallbackLogs(c, lists.callbacks)

	c.Orders.onChange(func(_ string, rows, _ ListRows[api.Order]) { c.handleOrders(rows) })
	c.Quoted.onChange(func(_ string, list, _ []*api.OrderRecord) { c.handleQuoted(list) })
	c.Records.onChange(func(id string, r, _ *api.OrderRecord) {
		c.addQuoted(r)
		c.news.add(c.quotedState.findNews(id, r, c.now())...)
	})
	c.missions.onChange(c.compareMissions)
	return c
}

// createOrders creates the collections Orders and Quoted. It also makes the quotes of the first
// quotesFirst orders load before any missions.
func createOrders(c *Cache, client *api.Client, list listRequest[api.Order]) {
	c.Orders = listOf(c, "orders", firstOrders, listPaging[api.Order]{
		id:         OrderIdentity,
		maxRows:    maxListed,
		wantedRows: depthForLive, // reads more than firstOrders if older orders are live
		list:       list,
	})
	c.Quoted = newCollection(c, "orders with quotes", func(ctx context.Context, _ string) ([]*api.OrderRecord, error) {
		return readQuoted(ctx, client)
	})
	c.scheduler.addBackground(c.pickEarlyQuotes)
}

func createEndpoints(c *Cache, list listRequest[api.WebhookEndpoint]) {
	c.Endpoints = listOf(c, "endpoints", maxEndpoints, listPaging[api.WebhookEndpoint]{
		id:      endpointID,
		maxRows: maxEndpoints,
		list:    list,
	})
}

func createCallbackLogs(c *Cache, list listRequest[api.WebhookDelivery]) {
	c.Logs = listOf(c, "callbacks", logRows, listPaging[api.WebhookDelivery]{
		id:      func(d *api.WebhookDelivery) string { return d.UUID },
		maxRows: maxLogRows,
		list:    list,
	})
}

// createDetails creates the collections with details of orders, missions, packages and datasets.
func createDetails(c *Cache, client *api.Client) {
	readOrder := func(ctx context.Context, code string) ([]Mission, error) {
		return readMissions(ctx, client, code)
	}
	c.missions = missionTable{
		Collection: newCollection(c, "missions", readOrder),
		maxEnded:   firstEndedMissions,
	}
	c.Packages = newCollection(c, "packages", client.Missions.Packages)
	c.Records = newCollection(c, "quotes", func(ctx context.Context, id string) (*api.OrderRecord, error) {
		return client.Records.Get(ctx, id)
	})
	c.Details = newCollection(c, "order", client.Orders.Get)
	c.Details.lacks = c.isOnlyRecord
	c.Planning = newCollection(c, "planning", client.Missions.Planning)
	c.Permissions = newCollection(c, "flight permission", unlessMissing(client.Missions.FlightPermission))
	c.Files = newCollection(c, "files", client.Files.List)
	c.Purchased = newCollection(c, "files of a dataset", func(ctx context.Context, dataset string) (fetch.Package, error) {
		return fetch.Dataset(ctx, client, dataset)
	})
}

// createLibrary creates the lists that only the v2 API has: the purchased datasets, and the orders as
// records.
func createLibrary(c *Cache, client *api.Client) {
	readDatasets := func(ctx context.Context, n int) ([]api.Dataset, error) {
		return client.Library.List(ctx, api.DatasetListOptions{Limit: api.MaxPageLimit, Page: n})
	}
	c.Datasets = listOf(c, "datasets", api.MaxPageLimit, listPaging[api.Dataset]{
		id:      func(d *api.Dataset) string { return d.ID + "\x00" + d.DatasetName },
		maxRows: maxDatasets,
		list:    numberedReader(readDatasets),
	})
	readRecords := func(ctx context.Context, n int) ([]api.OrderRecord, error) {
		return client.Records.List(ctx, api.RecordListOptions{Limit: api.MaxPageLimit, Page: n})
	}
	c.Recorded = listOf(c, "order records", api.MaxPageLimit, listPaging[api.OrderRecord]{
		id:      func(r *api.OrderRecord) string { return r.ID + "\x00" + r.OrderName },
		maxRows: maxOrders,
		list:    numberedReader(readRecords),
	})
}

// readQuoted reads the records of all orders with open quotes.
func readQuoted(ctx context.Context, client *api.Client) ([]*api.OrderRecord, error) {
	var all []*api.OrderRecord
	for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// OrderIdentity returns the ID of an order, or its code if it has no ID.
func OrderIdentity(o *api.Order) string { return cmp.Or(o.UUID, o.OrderCode) }

// depthForLive returns how many orders to read so that all live orders are likely to be among them. orders
// are the orders that were read so far, newest first. If one of the last firstOrders orders is live, even
// older orders can be live, so the result is larger than len(orders). Otherwise the result is 0.
func depthForLive(orders []api.Order) int {
	for i := len(orders) - 1; i >= max(0, len(orders)-firstOrders); i-- {
		if orders[i].Status.IsLive() {
			return min(i+1+firstOrders, maxOrders)
		}
	}
	return 0
}

// OrderStamp returns a text that changes whenever an order is updated or its status changes.
func OrderStamp(o *api.Order) string {
	return strconv.FormatInt(o.UpdatedAt.UnixNano(), 36) + " " + string(o.Status)
}

// RefreshOrders reads the orders again unless they were read a moment ago. With force it
// always reads all of them, and retries what failed.
func (c *Cache) RefreshOrders(force bool) {
	if force {
		c.RefreshNeeds(c.Orders.NeedOf(Account))
	} else {
		c.Prefetch(c.Orders.NeedOf(Account))
	}
}

// handleOrders is called with a new list of orders. It reads the missions of changed orders, live
// orders first, and removes the data of orders that are no longer listed.
func (c *Cache) handleOrders(rows ListRows[api.Order]) {
	isPartial := rows.fullyReadAt.IsZero()
	if isPartial {
		firstNew := c.index.extend(rows.Items)
		c.missions.requestLive(rows.Items[firstNew:])
		return
	}
	c.removeUnlisted(c.index.replace(rows.Items))
	c.missions.requestRanked(rows.Items)
}

// AddPlaced adds a new order at the top of the list and reads the list again.
func (c *Cache) AddPlaced(o *api.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	e := c.Orders.entryFor(Account)
	if c.orderByID(OrderIdentity(o)) == nil {
		rows := c.Orders.valueOf(e)
		rows.Items = append([]api.Order{*o}, rows.Items...)
		e.value = rows
		c.index.clear()
		c.handleOrders(rows)
		c.Orders.markModified(e)
	}
	c.Orders.requestRead(Account, e.wanted, true)
}

// removeUnlisted removes the data of orders that are no longer listed. goneOrders has their IDs and codes.
func (c *Cache) removeUnlisted(goneOrders map[string]bool) {
	goneMissions := c.missions.removeUnlisted(c.index.has)
	if len(goneOrders) == 0 && len(goneMissions) == 0 {
		return
	}
	c.Details.removeKeys(goneOrders)
	c.Records.removeKeys(goneOrders)
	c.Planning.removeKeys(goneMissions)
	c.Permissions.removeKeys(goneMissions)
	c.Files.removeKeys(c.packagesOf(goneMissions))
	c.Packages.removeKeys(goneMissions)
	if e := c.Quoted.entries[Account]; e != nil {
		records := slices.Clone(c.Quoted.valueOf(e))
		e.value = slices.DeleteFunc(records, func(r *api.OrderRecord) bool { return goneOrders[r.ID] })
		c.Quoted.markModified(e)
	}
}

// packagesOf returns the IDs of the packages in the cache that belong to the given missions.
func (c *Cache) packagesOf(missions map[string]bool) map[string]bool {
	packages := map[string]bool{}
	for mission, e := range c.Packages.entries {
		if !missions[mission] {
			continue
		}
		for _, p := range c.Packages.valueOf(e) {
			packages[p.UUID] = true
		}
	}
	return packages
}

// KnownOrder returns the order of a record of the v2 API: as the public API has it, with its missions if they are
// loaded. Fields that the public API does not have are from the record.
func (c *Cache) KnownOrder(r *api.OrderRecord) *api.Order {
	recorded := OrderOf(r)
	public := c.publicOrder(recorded)
	if public == nil {
		return recorded
	}
	whole := *public
	whole.CompanyName = cmp.Or(whole.CompanyName, recorded.CompanyName)
	if whole.Deadline.IsZero() {
		whole.Deadline = recorded.Deadline
	}
	if whole.AreaSize == nil {
		whole.AreaSize = recorded.AreaSize
	}
	if whole.Deliverables == nil {
		whole.Deliverables = recorded.Deliverables
	}
	return &whole
}

// publicOrder returns the order of the public API with the ID or the code of an order, or nil if it is not loaded. It
// prefers the details of the order, which have the missions.
func (c *Cache) publicOrder(o *api.Order) *api.Order {
	if details, _ := c.Details.Get(o.OrderCode); details != nil {
		return details
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if listed := c.orderByID(o.UUID); listed != nil {
		return listed
	}
	return c.orderByID(o.OrderCode)
}

// orderByID returns the listed order with the given ID or code, or nil.
func (c *Cache) orderByID(id string) *api.Order {
	i, isListed := c.index.positions[id]
	e := c.Orders.entries[Account]
	if !isListed || e == nil {
		return nil
	}
	orders := c.Orders.valueOf(e).Items
	if i >= len(orders) {
		return nil
	}
	return &orders[i]
}

// CacheView is an immutable snapshot of the account's orders and missions.
type CacheView struct {
	Version  int
	Orders   []api.Order // newest first
	Missions []*Mission  // in the sequence of Orders; only missions that were read
	Read     int         // number of orders whose missions were read
	Left     int         // number of old orders whose missions are read only if the user asks for them
	Listed   bool        // the wanted number of orders was read
	More     bool        // the service has older orders that were not read
	At       time.Time   // when the list was read
	Kept     bool        // the list is from the offline copy, because the service has not responded yet
	Err      error       // why the list could not be read
	Fault    error       // the first error of reading missions
	Faults   int         // number of orders whose missions could not be read
}

// AreMissionsLoading reports whether the orders or their missions are still being read. Missions that are
// read only on request do not count.
func (v *CacheView) AreMissionsLoading() bool {
	if v.Err != nil {
		return false
	}
	return !v.Listed || v.Read+v.Faults+v.Left < len(v.Orders)
}

// Now returns a snapshot of the orders and missions.
func (c *Cache) Now() *CacheView {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.view == nil || c.view.Version != c.version {
		c.view = c.newView()
	}
	return c.view
}

func (c *Cache) newView() *CacheView {
	v := &CacheView{Version: c.version}
	list := c.Orders.entries[Account]
	if list == nil {
		return v
	}
	rows := c.Orders.valueOf(list)
	v.Orders = rows.Items
	v.Listed = list.complete
	v.More = rows.More
	v.At = list.state.ReadAt
	v.Kept = list.state.Offline
	v.Err = list.state.Err
	for i := range v.Orders {
		c.missions.addTo(v, &v.Orders[i])
	}
	v.Left = c.missions.countLeft(v.Orders)
	return v
}
