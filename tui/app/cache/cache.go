// Package cache is the one read model of a profile: what the service said of
// orders, missions, quotes, deliveries, datasets, endpoints and their logs. Each
// kind is a [Collection]; one scheduler decides what is read next. A page says
// with [Cache.ShowNeeds] what it needs while it is on the screen, a command asks with
// [Collection.AskNow]; what one of them has read, all have.
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
	firstOrders = 1000   // orders that are read without being asked for, and behind the last one under way
	mostOrders  = 10_000 // that are read at most, unless the list is gone through
	mostListed  = 1_000_000

	mostRead  = 2000 // orders whose missions are read
	firstOver = 100  // those that are over whose missions are read without being asked for: what changed last

	mostEndpoints = 2000
	mostDatasets  = 10_000
	logRows       = 500 // rows of an endpoint's log that are read at least
	mostLogRows   = 10_000
)

// Account is the key of what there is once: the lists of the whole account.
const Account = ""

// Cache is what was read so far. It may be used from several goroutines.
type Cache struct {
	// Lists of the whole account, under the key [Account].
	Orders    *List[api.Order]                // newest first
	Quoted    *Collection[[]*api.OrderRecord] // those with open quotes, as the service lists them
	Endpoints *List[api.WebhookEndpoint]      // newest first
	Datasets  *List[api.Dataset]              // newest first
	Recorded  *List[api.OrderRecord]          // orders as the v2 API lists them, newest first

	Details     *Collection[*api.Order]            // orders in full, by code
	Records     *Collection[*api.OrderRecord]      // orders with their quotes, by id
	Packages    *Collection[[]api.DeliveryPackage] // newest first, by mission
	Files       *Collection[[]api.DeliveryFile]    // by package
	Purchased   *Collection[fetch.Package]         // the files of datasets, by their ids
	Planning    *Collection[[]api.PlanningEntry]   // newest first, by mission
	Permissions *Collection[*api.FlightPermission] // by mission; nil where none is recorded
	Logs        *List[api.WebhookDelivery]         // newest first, by endpoint
	missions    *Collection[[]Mission]             // by the code of their order

	Operations *OperationsCache // nil without a key of the operations API

	address string // of the service
	account string // UUID of an account that is read with the operations key; "" otherwise
	now     func() time.Time

	mu         sync.Mutex
	version    int
	running    int
	freed      chan struct{} // is closed when a request has ended
	changes    int           // made to the service
	brisk      bool          // the service is one to try things out on, in which days pass in seconds
	page       any           // that is on the screen
	shown      []Need
	background []func() func(context.Context)

	places map[string]int  // in the list of orders, by their ids and codes
	placed int             // orders that have their places
	over   int             // of those that are over, how many have their missions read
	left   map[string]bool // ids and codes of orders that were listed once
	quoted quotedOrders
	news   []NewsItem
	view   *CacheView
	saved  int // version on disk
}

// New returns what knows nothing yet, of the account that the client has a key of. Without
// a client nothing is read.
func New(client *api.Client, now func() time.Time) *Cache {
	if client == nil {
		return newCache(&api.Client{}, now, nil, nil, nil)
	}
	c := newCache(
		client,
		now,
		unkeyed(client.Orders.List),
		unkeyed(client.Webhooks.List),
		client.Webhooks.Deliveries,
	)
	c.address = client.BaseURL()
	return c
}

// newCache makes the collections in the order in which they are read where nothing of
// them is shown.
func newCache(
	client *api.Client,
	now func() time.Time,
	orders listRequest[api.Order],
	endpoints listRequest[api.WebhookEndpoint],
	log listRequest[api.WebhookDelivery],
) *Cache {
	c := &Cache{now: now, freed: make(chan struct{}), left: map[string]bool{}, over: firstOver}
	c.Orders = listOf(c, "orders", firstOrders, listPaging[api.Order]{
		id: OrderIdentity, most: mostListed, deeper: behindLive, list: orders,
	})
	c.Quoted = newCollection(c, "orders with quotes", func(ctx context.Context, _ string) (all []*api.OrderRecord, err error) {
		for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		return all, nil
	})
	c.background = append(c.background, c.pickEarlyQuotes)
	c.Endpoints = listOf(c, "endpoints", mostEndpoints, listPaging[api.WebhookEndpoint]{
		most: mostEndpoints, list: endpoints,
	})
	c.missions = newCollection(c, "missions", func(ctx context.Context, code string) ([]Mission, error) {
		return readMissions(ctx, client, code)
	})
	c.Packages = newCollection(c, "packages", client.Missions.Packages)
	c.Records = newCollection(c, "quotes", func(ctx context.Context, id string) (*api.OrderRecord, error) {
		return client.Records.Get(ctx, id)
	})
	c.Details = newCollection(c, "order", client.Orders.Get)
	c.Planning = newCollection(c, "planning", client.Missions.Planning)
	c.Permissions = newCollection(c, "flight permission", unlessMissing(client.Missions.FlightPermission))
	c.Files = newCollection(c, "files", client.Files.List)
	c.Purchased = newCollection(c, "files of a dataset", func(ctx context.Context, dataset string) (fetch.Package, error) {
		return fetch.Dataset(ctx, client, dataset)
	})
	c.Datasets = listOf(c, "datasets", api.MaxPageLimit, listPaging[api.Dataset]{
		id: func(d *api.Dataset) string { return d.ID + "\x00" + d.DatasetName }, most: mostDatasets,
		list: numberedReader(func(ctx context.Context, n int) ([]api.Dataset, error) {
			return client.Library.List(ctx, api.DatasetListOptions{Limit: api.MaxPageLimit, Page: n})
		}),
	})
	c.Recorded = listOf(c, "order records", api.MaxPageLimit, listPaging[api.OrderRecord]{
		id: func(r *api.OrderRecord) string { return r.ID + "\x00" + r.OrderName }, most: mostOrders,
		list: numberedReader(func(ctx context.Context, n int) ([]api.OrderRecord, error) {
			return client.Records.List(ctx, api.RecordListOptions{Limit: api.MaxPageLimit, Page: n})
		}),
	})
	c.Logs = listOf(c, "callbacks", logRows, listPaging[api.WebhookDelivery]{
		most: mostLogRows, list: log,
	})

	c.Orders.onChange(func(_ string, rows, _ ListRows[api.Order]) { c.takeListed(rows) })
	c.Quoted.onChange(func(_ string, list, _ []*api.OrderRecord) { c.quotesListed(list) })
	c.Records.onChange(func(id string, r, _ *api.OrderRecord) { c.compareQuotes(id, r) })
	c.missions.onChange(c.compareMissions)
	return c
}

// OrderIdentity returns what an order is known by: its id, or its code where it has none.
func OrderIdentity(o *api.Order) string { return cmp.Or(o.UUID, o.OrderCode) }

// behindLive returns how many of an account's orders are read: all that are under way,
// as is taken for granted once many in a row are over.
func behindLive(orders []api.Order) int {
	for i := len(orders) - 1; i >= max(0, len(orders)-firstOrders); i-- {
		if orders[i].Status.IsLive() {
			return min(i+1+firstOrders, mostOrders)
		}
	}
	return 0
}

// OrderStamp returns another one after each change of an order that its list tells of.
func OrderStamp(o *api.Order) string {
	return strconv.FormatInt(o.UpdatedAt.UnixNano(), 36) + " " + string(o.Status)
}

// RefreshOrders has the orders read again, unless that was done just now. With force
// it is done in any case, all of them, and what failed is tried again.
func (c *Cache) RefreshOrders(force bool) {
	if force {
		c.RereadNeeds(c.Orders.NeedOf(Account))
	} else {
		c.WantNeeds(c.Orders.NeedOf(Account))
	}
}

// takeListed takes the orders that are known by now: has the missions read of those
// that have changed, those under way first, and lets go of what has left the list.
func (c *Cache) takeListed(rows ListRows[api.Order]) {
	if rows.whole.IsZero() {
		c.takeGrowing(rows.Items)
		return
	}
	before := c.places
	c.places, c.placed = make(map[string]int, 2*len(rows.Items)), 0
	c.notePlaces(rows.Items)
	c.forgetGone(before)
	c.rank(rows.Items)
}

// rank has the missions read of those orders whose missions are wanted.
func (c *Cache) rank(orders []api.Order) {
	c.missions.queue = c.missions.queue[:0]
	for _, i := range rankOrders(orders, c.over) {
		c.askMissions(&orders[i])
	}
}

// takeGrowing takes the first orders of a list that is being read. While it is, only
// missions of orders under way are read.
func (c *Cache) takeGrowing(orders []api.Order) {
	if c.placed > len(orders) {
		c.places, c.placed = nil, 0
	}
	if c.places == nil {
		c.places = map[string]int{}
	}
	from := c.placed
	c.notePlaces(orders)
	for i := from; i < len(orders); i++ {
		if orders[i].Status.IsLive() && len(c.missions.entries) < mostRead {
			c.askMissions(&orders[i])
		}
	}
}

// notePlaces notes where the orders are that have no places yet.
func (c *Cache) notePlaces(orders []api.Order) {
	for ; c.placed < len(orders); c.placed++ {
		o := &orders[c.placed]
		c.places[OrderIdentity(o)] = c.placed
		if o.OrderCode != "" {
			c.places[o.OrderCode] = c.placed
		}
	}
}

// AddPlaced puts an order that was placed just now above the others, and has them
// read again.
func (c *Cache) AddPlaced(o *api.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	e := c.Orders.entryFor(Account)
	if c.orderByID(OrderIdentity(o)) == nil {
		rows := c.Orders.valueOf(e)
		rows.Items = append([]api.Order{*o}, rows.Items...)
		e.value, c.places, c.placed = rows, nil, 0
		c.takeListed(rows)
		c.Orders.noteMoved(e)
	}
	c.Orders.requestRead(Account, e.wanted, true)
}

// askMissions has the missions of an order read where it has changed.
func (c *Cache) askMissions(o *api.Order) {
	id, stamp := o.OrderCode, OrderStamp(o)
	e := c.missions.entries[id]
	switch {
	case id == "":
	case e != nil && e.due:
		c.missions.queue = append(c.missions.queue, id)
	case e != nil && e.state.Offline && e.stamp == stamp: // what was kept of it holds
		e.state.Offline = false
	case e == nil || e.stamp != stamp:
		c.missions.requestRead(id, stamp, false)
	}
}

// rankOrders returns the orders whose missions are read: those under way first, then so
// many of those that are over, the ones that changed last.
func rankOrders(orders []api.Order, most int) []int {
	var live, over []int
	for i := range orders {
		if orders[i].Status.IsLive() {
			live = append(live, i)
		} else {
			over = append(over, i)
		}
	}
	if len(over) > most {
		slices.SortStableFunc(over, func(x, y int) int { return orders[y].UpdatedAt.Compare(orders[x].UpdatedAt.Time) })
		over = over[:most]
		slices.Sort(over)
	}
	live = append(live, over...)
	return live[:min(len(live), mostRead)]
}

// forgetGone lets go of what is known of orders that have left the list.
func (c *Cache) forgetGone(before map[string]int) {
	gone := map[string]bool{}
	c.missions.keepOnly(func(id string) bool {
		_, is := c.places[id]
		if !is {
			for _, m := range c.missions.valueOf(c.missions.entries[id]) {
				gone[m.UUID] = true
			}
		}
		return is
	})
	for id := range before {
		if _, is := c.places[id]; !is {
			gone[id], c.left[id] = true, true
		}
	}
	if len(gone) == 0 {
		return
	}
	for mission, e := range c.Packages.entries {
		for _, p := range c.Packages.valueOf(e) {
			if gone[mission] {
				gone[p.UUID] = true
			}
		}
	}
	stays := func(key string) bool { return !gone[key] }
	c.Details.keepOnly(stays)
	c.Records.keepOnly(stays)
	c.Packages.keepOnly(stays)
	c.Files.keepOnly(stays)
	c.Planning.keepOnly(stays)
	c.Permissions.keepOnly(stays)
	if e := c.Quoted.entries[Account]; e != nil {
		e.value = slices.DeleteFunc(slices.Clone(c.Quoted.valueOf(e)), func(r *api.OrderRecord) bool { return gone[r.ID] })
		c.Quoted.noteMoved(e)
	}
}

// orderByID returns the one of an id as it is listed, nil where it is not.
func (c *Cache) orderByID(id string) *api.Order {
	i, isListed := c.places[id]
	if e := c.Orders.entries[Account]; isListed && e != nil {
		if orders := c.Orders.valueOf(e).Items; i < len(orders) {
			return &orders[i]
		}
	}
	return nil
}

// CacheView is what is known at one moment. It is not written to.
type CacheView struct {
	Version  int
	Orders   []api.Order // newest first
	Missions []*Mission  // of the orders read so far, in their order
	Read     int         // orders whose missions were read
	Left     int         // orders whose missions are not read unless that is asked for, there being too many
	Listed   bool        // the list of orders was read, as far as it is wanted
	More     bool        // there are older orders that were not read
	At       time.Time   // when it was read
	Kept     bool        // it was read in an earlier run; this one has no answer yet
	Err      error       // why it could not be read
	Fault    error       // why the missions of an order could not be read
	Faults   int         // orders of which that is so
}

// Now returns what is known of orders and missions.
func (c *Cache) Now() *CacheView {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.view != nil && c.view.Version == c.version {
		return c.view
	}
	v := &CacheView{Version: c.version}
	c.view = v
	list := c.Orders.entries[Account]
	if list == nil {
		return v
	}
	rows := c.Orders.valueOf(list)
	v.Orders, v.Listed, v.More = rows.Items, list.known, rows.More
	v.At, v.Kept, v.Err = list.state.ReadAt, list.state.Offline, list.state.Err
	live := 0
	for i := range v.Orders {
		o := &v.Orders[i]
		if o.Status.IsLive() {
			live++
		}
		e := c.missions.entries[o.OrderCode]
		if e == nil {
			continue
		}
		if e.state.Err != nil {
			v.Faults++
			v.Fault = cmp.Or(v.Fault, e.state.Err)
		}
		if e.known {
			v.Read++
		}
		for _, m := range c.missions.valueOf(e) {
			v.Missions = append(v.Missions, m.ofOrder(o))
		}
	}
	v.Left = len(v.Orders) - min(live+min(len(v.Orders)-live, c.over), mostRead)
	return v
}
