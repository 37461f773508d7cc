package cache

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
)

// How many orders have their quotes read: at all, and before missions are.
const (
	mostQuoted  = 1000
	quotesFirst = 100
)

// quotedOrders is what is known of the orders with open quotes beside their records.
type quotedOrders struct {
	force bool // all are read in full, also those that have not changed
	whole time.Time
	list  map[string]bool            // their ids
	seen  map[string]map[string]bool // ids of their quotes
	first map[string]bool            // orders of the first listing
	late  int                        // of those due, how many come after the missions
}

// OpenQuotes is what is known of the orders with open quotes.
type OpenQuotes struct {
	Version int                // changes when what is known does
	Listed  []*api.OrderRecord // as the service lists them, without archived orders
	Full    map[string]*api.OrderRecord
	Faults  map[string]error // why the quotes of an order could not be read
	Left    int              // orders whose quotes are being read
	At      time.Time        // when they were listed
	Kept    bool             // in an earlier run; this one has no answer yet
	Err     error            // why they could not be listed
}

// RefreshQuotes has the orders with open quotes read again, unless that was
// done just now.
func (c *Cache) RefreshQuotes(force bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &c.quoted
	q.force = q.force || force
	failed := false
	for id := range q.list {
		e := c.Records.entries[id]
		failed = failed || e != nil && e.state.Err != nil
	}
	limit := fresh
	if failed {
		limit = 0
	}
	c.Quoted.NeedOf(Account).mark(limit, force)
}

// AllQuotes returns the need of the orders with open quotes, and of the quotes of all
// of them.
func (c *Cache) AllQuotes() Need {
	n := c.Quoted.NeedOf(Account)
	n.then = &c.Records.entryTable
	return n
}

// Quotes returns what is known of them. It is not written to.
func (c *Cache) Quotes() OpenQuotes {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := OpenQuotes{
		Version: c.Quoted.version + c.Records.version + c.Orders.version,
		Full:    map[string]*api.OrderRecord{},
		Faults:  map[string]error{},
	}
	list := c.Quoted.entries[Account]
	if list == nil {
		return known
	}
	known.Listed = c.withoutArchived(c.Quoted.valueOf(list))
	known.At, known.Kept, known.Err = list.state.ReadAt, list.state.Offline, list.state.Err
	for _, r := range known.Listed {
		e := c.Records.entries[r.ID]
		switch {
		case e == nil:
			continue
		case e.known:
			known.Full[r.ID] = c.Records.valueOf(e)
		}
		if e.state.Err != nil {
			known.Faults[r.ID] = e.state.Err
		}
		if e.currentState().Loading {
			known.Left++
		}
	}
	return known
}

// withoutArchived returns the records of the orders that are not archived. An archived
// order needs no decision, whatever its record says.
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

// HasQuotes reports whether the service shows quotes to this key, as far as is
// known.
func (c *Cache) HasQuotes() bool {
	_, state := c.Quoted.Get(Account)
	return !errors.Is(state.Err, api.ErrNoLegacy) &&
		!api.IsStatus(state.Err, http.StatusForbidden, http.StatusNotFound)
}

// RecordOf returns an order with its quotes, where those were read, or else as it was
// listed.
func (q *OpenQuotes) RecordOf(r *api.OrderRecord) *api.OrderRecord {
	if full := q.Full[r.ID]; full != nil {
		return full
	}
	return r
}

// ReadFault returns why something could not be read, nil where all was.
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

// pickEarlyQuotes claims the next of the quotes that come before the missions.
func (c *Cache) pickEarlyQuotes() func(context.Context) {
	if len(c.Records.queue) <= c.quoted.late {
		return nil
	}
	return c.Records.pick()
}

// updatedStamp returns when an order changed, as far as the orders were listed just
// now; "" where that is not known.
func (c *Cache) updatedStamp(id string) string {
	list, o := c.Orders.entries[Account], c.orderByID(id)
	if o == nil || o.UpdatedAt.IsZero() || c.now().Sub(list.state.ReadAt) >= fresh {
		return ""
	}
	return OrderStamp(o)
}

// quotesListed has the quotes read of the orders that were listed, but for those
// that are known not to have changed.
func (c *Cache) quotesListed(all []*api.OrderRecord) {
	q := &c.quoted
	q.list = make(map[string]bool, len(all))
	for _, r := range all {
		q.list[r.ID] = true
	}
	if now := c.now(); q.force || now.Sub(q.whole) >= whole {
		q.force, q.whole = true, now
	}
	if q.first == nil {
		q.first, q.seen = q.list, map[string]map[string]bool{}
	}
	for _, r := range all[:min(len(all), mostQuoted)] {
		e, stamp := c.Records.entries[r.ID], c.updatedStamp(r.ID)
		if e == nil || !e.known || e.state.Err != nil || stamp == "" || e.stamp != stamp || q.force ||
			e.asked < c.changes {
			c.Records.requestRead(r.ID, stamp, q.force)
		}
	}
	q.force = false
	q.late = max(0, len(c.Records.queue)-quotesFirst)
}
