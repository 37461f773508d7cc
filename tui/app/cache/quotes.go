package cache

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
)

const (
	maxQuoted   = 1000 // orders whose quotes are read
	quotesFirst = 100  // of these, orders that are read before missions
)

// quotedOrders has what the cache remembers about orders with open quotes. The quotes themselves are in Cache.Records.
type quotedOrders struct {
	force       bool                       // read the quotes of all orders, even of unchanged orders
	fullyReadAt time.Time                  // when the quotes of all orders were last read
	orderIDs    map[string]bool            // IDs of the listed orders
	seen        map[string]map[string]bool // IDs of the open quotes when an order was last read, by order ID
	first       map[string]bool            // IDs of the orders in the first list of this run
	late        int                        // number of orders at the end of the queue that are read after the missions
}

// OpenQuotes is a snapshot of the orders with open quotes.
type OpenQuotes struct {
	Version int                         // changes whenever the data does
	Listed  []*api.OrderRecord          // listed orders, without archived orders and without the quotes
	Full    map[string]*api.OrderRecord // the records that were read with their quotes, by order ID
	Faults  map[string]error            // why the quotes of an order could not be read, by order ID
	Left    int                         // number of orders for which quotes are being read or wait to be read
	At      time.Time                   // when the orders were listed
	Kept    bool                        // the list is from the offline copy, because the service has not responded yet
	Err     error                       // why the orders could not be listed
}

// RefreshQuotes reads the orders with open quotes again unless they were read a moment ago. With
// force, it always reads them and all their quotes.
func (c *Cache) RefreshQuotes(force bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.quotedState
	q.force = q.force || force
	failed := false
	for id := range q.orderIDs {
		e := c.Records.entries[id]
		failed = failed || e != nil && e.state.Err != nil
	}
	limit := freshAge
	if failed {
		limit = 0
	}
	c.Quoted.NeedOf(Account).mark(limit, force)
}

// AllQuotes returns a [Need] for the orders with open quotes and for all their quotes.
func (c *Cache) AllQuotes() Need {
	n := c.Quoted.NeedOf(Account)
	n.then = &c.Records.entryTable
	return n
}

// Quotes returns a snapshot of the orders with open quotes. It must not be modified.
func (c *Cache) Quotes() OpenQuotes {
	c.mu.Lock()
	defer c.mu.Unlock()
	quotes := OpenQuotes{
		// Each version only grows, so their sum changes whenever one of them does.
		Version: c.Quoted.version + c.Records.version + c.Orders.version,
		Full:    map[string]*api.OrderRecord{},
		Faults:  map[string]error{},
	}
	list := c.Quoted.entries[Account]
	if list == nil { // the orders were not requested yet
		return quotes
	}
	quotes.Listed = c.withoutArchived(c.Quoted.valueOf(list))
	listState := list.currentState()
	quotes.At = listState.ReadAt
	quotes.Kept = listState.Offline
	quotes.Err = listState.Err
	for _, r := range quotes.Listed {
		c.addQuotesOf(r.ID, &quotes)
	}
	return quotes
}

// addQuotesOf adds the quotes of an order to a snapshot, and the error if reading them failed. An order
// whose quotes are still being read is counted in quotes.Left.
func (c *Cache) addQuotesOf(orderID string, quotes *OpenQuotes) {
	record := c.Records.entries[orderID]
	if record == nil { // not requested yet
		return
	}
	if record.complete {
		quotes.Full[orderID] = c.Records.valueOf(record)
	}
	state := record.currentState()
	if state.Err != nil {
		quotes.Faults[orderID] = state.Err
	}
	if state.Loading {
		quotes.Left++
	}
}

// withoutArchived removes the records of archived orders, which need no decision.
func (c *Cache) withoutArchived(records []*api.OrderRecord) []*api.OrderRecord {
	if !slices.ContainsFunc(records, c.isArchived) {
		return records
	}
	return slices.DeleteFunc(slices.Clone(records), c.isArchived)
}

// IsArchived reports whether the order of a record is known to be archived.
func (c *Cache) IsArchived(r *api.OrderRecord) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isArchived(r)
}

func (c *Cache) isArchived(r *api.OrderRecord) bool {
	o := c.orderByID(r.ID)
	if o == nil {
		o = c.orderByID(r.OrderCode)
	}
	return o != nil && o.Status == api.OrderArchived
}

// HasQuotes reports whether quotes can be shown. It returns false once the service has refused to list
// quotes for this API key.
func (c *Cache) HasQuotes() bool {
	_, state := c.Quoted.Get(Account)
	return !errors.Is(state.Err, api.ErrNoLegacy) &&
		!api.IsStatus(state.Err, http.StatusForbidden, http.StatusNotFound)
}

// RecordOf returns the record with its quotes if they were read, otherwise the listed
// record.
func (q *OpenQuotes) RecordOf(r *api.OrderRecord) *api.OrderRecord {
	if record := q.Full[r.ID]; record != nil {
		return record
	}
	return r
}

// ReadFault returns the first error that happened when orders or quotes were read, or nil.
func (q *OpenQuotes) ReadFault() error {
	if q.Err != nil {
		return q.Err
	}
	for _, r := range q.Listed {
		if err := q.Faults[r.ID]; err != nil {
			return err
		}
	}
	return nil
}

// pickEarlyQuotes starts reading the quotes of the next order, if they are to be read before missions.
// Otherwise it returns nil.
func (c *Cache) pickEarlyQuotes() func(context.Context) {
	if len(c.Records.queue) <= c.quotedState.late {
		return nil
	}
	return c.Records.pick()
}

// updatedStamp returns the stamp of an order (see [OrderStamp]). It returns "" if the list of orders is
// too old to tell whether the order has changed.
func (c *Cache) updatedStamp(id string) string {
	o := c.orderByID(id)
	if o == nil || o.UpdatedAt.IsZero() {
		return ""
	}
	listedAt := c.Orders.entries[Account].state.ReadAt
	if c.now().Sub(listedAt) >= freshAge {
		return ""
	}
	return OrderStamp(o)
}

// addQuoted adds an order to the orders with open quotes if its record, which was just read, is newer than their list.
// The quotes of the order are then news, and they are in the offline copy.
func (c *Cache) addQuoted(record *api.OrderRecord) {
	list := c.Quoted.entries[Account]
	isListRead := list != nil && list.complete && !list.state.Offline
	if !isListRead || record.StageStatus() != api.RecordQuoteReceived {
		return
	}
	listed := c.Quoted.valueOf(list)
	isListed := slices.ContainsFunc(listed, func(r *api.OrderRecord) bool { return r.ID == record.ID })
	if isListed {
		return
	}
	list.value = append(slices.Clone(listed), record)
	c.Quoted.markModified(list)
	q := &c.quotedState
	q.orderIDs = maps.Clone(q.orderIDs) // q.first can be the same map
	q.orderIDs[record.ID] = true
}

// handleQuoted is called with a new list of orders with open quotes. It queues orders that have changed,
// to read their quotes.
func (c *Cache) handleQuoted(all []*api.OrderRecord) {
	q := &c.quotedState
	q.orderIDs = make(map[string]bool, len(all))
	for _, r := range all {
		q.orderIDs[r.ID] = true
	}
	now := c.now()
	if q.force || now.Sub(q.fullyReadAt) >= fullReadAge {
		q.force = true
		q.fullyReadAt = now
	}
	if q.first == nil {
		q.first = q.orderIDs
		q.seen = map[string]map[string]bool{}
	}
	for _, r := range all[:min(len(all), maxQuoted)] {
		stamp := c.updatedStamp(r.ID)
		if q.force || !c.Records.isCurrent(r.ID, stamp) {
			c.Records.requestRead(r.ID, stamp, q.force)
		}
	}
	q.force = false
	q.late = max(0, len(c.Records.queue)-quotesFirst)
}
