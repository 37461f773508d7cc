package cache

import (
	"context"
	"maps"
	"slices"
	"time"

	"flightdesk/api"
)

// How many orders have their quotes read: at all, and before missions are.
const (
	mostQuoted  = 1000
	quotesFirst = 100
)

// quoted are the orders with open quotes being read.
type quoted struct {
	due, claimed bool
	force        bool // all are read in full, also those that have not changed
	whole        time.Time
	version      int
	list         []*api.OrderRecord
	full         map[string]*api.OrderRecord
	stamps       map[string]time.Time       // updatedAt of an order when it was read in full
	updated      map[string]time.Time       // of orders, when the quotes were listed
	seen         map[string]map[string]bool // ids of its quotes, by order
	first        map[string]bool            // orders of the first listing
	faults       map[string]error
	todo         []string
	busy         int
	late         int // of todo, those that come after the missions
	at           time.Time
	keptAt       time.Time // when they were listed, where an earlier run did; zero once this one has
	err          error
}

// Quotes is what is known of the orders with open quotes.
type Quotes struct {
	Version int                // changes when what is known does
	Listed  []*api.OrderRecord // as the service lists them
	Full    map[string]*api.OrderRecord
	Faults  map[string]error // why the quotes of an order could not be read
	Left    int              // orders whose quotes are being read
	At      time.Time        // when they were listed
	Kept    bool             // in an earlier run; this one has no answer yet
	Err     error            // why they could not be listed
}

// RefreshQuotes has the orders with open quotes read again, unless that was
// done just now.
func (f *Cache) RefreshQuotes(force bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.quoted
	now := f.now()
	if force || now.Sub(q.whole) >= allAnew {
		q.force, q.whole = true, now
	}
	if force || q.err != nil || len(q.faults) > 0 || q.at.IsZero() || now.Sub(q.at) >= justRead {
		q.due = true
	}
}

// HurryQuotes has all quotes that are to be read come before missions.
func (f *Cache) HurryQuotes() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quoted.late = 0
}

// Quotes is what is known of them. It is not written to.
func (f *Cache) Quotes() Quotes {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.quoted
	known := Quotes{
		Version: q.version, Listed: q.list, Full: maps.Clone(q.full), Faults: maps.Clone(q.faults), Left: len(q.todo) + q.busy, At: q.at, Err: q.err,
	}
	if !q.keptAt.IsZero() {
		known.At, known.Kept = q.keptAt, true
	}
	return known
}

// Of is an order with its quotes, where those were read, or else as it was
// listed.
func (q *Quotes) Of(r *api.OrderRecord) *api.OrderRecord {
	if full := q.Full[r.ID]; full != nil {
		return full
	}
	return r
}

// Fault is why something could not be read, nil where all was.
func (q *Quotes) Fault() error {
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

// nextQuotes is what is to be read of them next, nil for nothing; those that
// come late only where all else is read.
func (f *Cache) nextQuotes(late bool) func(context.Context) {
	q := &f.quoted
	if q.due && !q.claimed {
		q.due, q.claimed = false, true
		return f.readQuoted
	}
	if len(q.todo) == 0 || len(q.todo) <= q.late && !late {
		return nil
	}
	id := q.todo[0]
	q.todo = q.todo[1:]
	q.late = min(q.late, len(q.todo))
	q.busy++
	f.claimed["quotes of "+id] = true
	return func(ctx context.Context) { f.readQuotes(ctx, id) }
}

// updated is when orders changed, as far as they were listed just now.
func (f *Cache) updated() map[string]time.Time {
	at := map[string]time.Time{}
	if f.now().Sub(f.at) >= justRead {
		return at
	}
	for i := range f.orders {
		if o := &f.orders[i]; !o.UpdatedAt.IsZero() {
			at[o.UUID] = o.UpdatedAt.Time
		}
	}
	return at
}

func (f *Cache) readQuoted(ctx context.Context) {
	var all []*api.OrderRecord
	var err error
	for r, fault := range f.client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
		if err = fault; err != nil {
			break
		}
		all = append(all, r)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.quoted
	q.claimed = false
	if ctx.Err() != nil {
		q.due = true // somebody else may read it
		return
	}
	f.version++
	q.version++
	if q.err = err; err != nil {
		return
	}
	q.keptAt = time.Time{}
	q.list, q.at, q.todo, q.faults = all, f.now(), nil, map[string]error{}
	full := map[string]*api.OrderRecord{}
	q.updated = f.updated()
	for _, r := range all[:min(len(all), mostQuoted)] {
		at, known := q.updated[r.ID]
		if q.full[r.ID] != nil {
			full[r.ID] = q.full[r.ID]
		}
		if full[r.ID] == nil || !known || !at.Equal(q.stamps[r.ID]) || q.force {
			q.todo = append(q.todo, r.ID)
		}
	}
	if q.first == nil {
		q.first, q.seen, q.stamps = map[string]bool{}, map[string]map[string]bool{}, map[string]time.Time{}
		for _, r := range all {
			q.first[r.ID] = true
		}
	}
	q.full, q.force = full, false
	q.late = max(0, len(q.todo)-quotesFirst)
}

func (f *Cache) readQuotes(ctx context.Context, id string) {
	r, err := f.client.Records.Get(ctx, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claimed, "quotes of "+id)
	q := &f.quoted
	q.busy--
	switch {
	case ctx.Err() != nil:
		q.todo = slices.Insert(q.todo, 0, id) // for whoever reads on
		return
	case err != nil:
		q.faults[id] = err
	default:
		f.compareQuotes(id, r, f.now())
		q.full[id] = r
		q.stamps[id] = q.updated[id]
		delete(q.faults, id)
	}
	f.version++
	q.version++
}
