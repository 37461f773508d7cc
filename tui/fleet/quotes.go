package fleet

import (
	"context"
	"time"

	"flightdesk/api"
)

// mostQuoted is how many orders have their quotes read.
const mostQuoted = 100

// quoted are the orders with open quotes being read.
type quoted struct {
	due, claimed bool
	list         []*api.OrderRecord
	full         map[string]*api.OrderRecord
	todo         []string
	at           time.Time
	err, fault   error
}

// Quotes is what is known of the orders with open quotes.
type Quotes struct {
	Orders []*api.OrderRecord // those read in full with their quotes
	Read   int                // of them, in full
	At     time.Time          // when they were listed
	Err    error              // why they could not be read
}

// RefreshQuotes has the orders with open quotes read again, unless that was
// done just now.
func (f *Fleet) RefreshQuotes(force bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.quoted
	if force || q.err != nil || q.at.IsZero() || f.now().Sub(q.at) >= justRead {
		q.due, q.fault = true, nil
	}
}

// Quotes is what is known of them.
func (f *Fleet) Quotes() Quotes {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := &f.quoted
	known := Quotes{Orders: make([]*api.OrderRecord, len(q.list)), At: q.at, Err: q.err}
	if known.Err == nil {
		known.Err = q.fault
	}
	for i, r := range q.list {
		known.Orders[i] = r
		if full := q.full[r.ID]; full != nil {
			known.Orders[i] = full
			known.Read++
		}
	}
	return known
}

// nextQuotes is what is to be read of them next, nil for nothing.
func (f *Fleet) nextQuotes() func(context.Context) {
	q := &f.quoted
	if q.due && !q.claimed {
		q.due, q.claimed = false, true
		return f.readQuoted
	}
	if len(q.todo) == 0 {
		return nil
	}
	id := q.todo[0]
	q.todo = q.todo[1:]
	f.claimed["quotes of "+id] = true
	return func(ctx context.Context) { f.readQuotes(ctx, id) }
}

func (f *Fleet) readQuoted(ctx context.Context) {
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
	if q.err = err; err != nil {
		return
	}
	q.list, q.at, q.todo = all, f.now(), nil
	full := map[string]*api.OrderRecord{}
	for _, r := range all[:min(len(all), mostQuoted)] {
		q.todo = append(q.todo, r.ID)
		if q.full[r.ID] != nil {
			full[r.ID] = q.full[r.ID]
		}
	}
	q.full = full
}

func (f *Fleet) readQuotes(ctx context.Context, id string) {
	r, err := f.client.Records.Get(ctx, id)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claimed, "quotes of "+id)
	q := &f.quoted
	switch {
	case ctx.Err() != nil:
		q.todo = append(q.todo, id)
		return
	case err != nil:
		q.fault = err
	default:
		q.full[id] = r
	}
	f.version++
}
