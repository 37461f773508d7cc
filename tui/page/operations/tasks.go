package operations

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
)

const (
	mostLive  = 500 // orders under way that are looked at
	mostEnded = 100 // completed orders that are looked at for deliveries to accept
)

// next step of an order or a mission.
type step int

const (
	stepQuote step = iota
	stepAssign
	stepSchedule
	stepPermit
	stepDeliver
	stepAccept
	stepClient // the client decides
)

var stepWords = map[step]struct {
	text string
	role theme.Role
}{
	stepQuote: {"issue quote", theme.Attention}, stepAssign: {"assign", theme.Attention}, stepSchedule: {"schedule", theme.Attention},
	stepPermit: {"permit", theme.Attention}, stepDeliver: {"deliver", theme.Attention}, stepAccept: {"accept", theme.Attention},
	stepClient: {"client decides", theme.Pending},
}

// work is an order or a mission with what is to be done next.
type work struct {
	order   *api.OpsOrder
	mission *api.OpsMission // nil where it is the whole order
	step    step
	since   time.Time // it waits
}

// id names the order or the mission.
func (w *work) id() string {
	if w.mission != nil {
		return w.mission.UUID
	}
	return w.order.UUID
}

func (w *work) code() string {
	if w.mission != nil {
		return w.mission.MissionCode
	}
	return w.order.OrderCode
}

func (w *work) name() string {
	if w.mission != nil {
		return w.mission.MissionName
	}
	return w.order.OrderName
}

// works are the orders that the service's people have in hand.
type works struct {
	cache  *cache.Operations
	now    func() time.Time
	orders []*api.OpsOrder // in full
	left   bool            // there are too many orders to look at all
	needed []cache.Need
	state  listpage.State[work]
	known  int       // versions of the cache that all this is of
	at     time.Time // and when it was worked out
}

// newest is how long something is as urgent as it was.
const newest = 10 * time.Second

// waiting counts what waits for the service.
func waiting(list []*work) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(w *work) bool { return w.step == stepClient }))
}

// list is what is to be done.
func (w *works) list() []*work { return w.read().Rows }

// all are the orders that were read in full.
func (w *works) all() []*api.OpsOrder {
	w.read()
	return w.orders
}

// order is one that was read in full, nil where it was not.
func (w *works) order(uuid string) *api.OpsOrder {
	o, _ := w.cache.Details.Get(uuid)
	return o
}

// needs are the orders under way, and each in full.
func (w *works) needs() []cache.Need {
	w.read()
	return w.needed
}

// read is what is to be done by what the cache knows now.
func (w *works) read() listpage.State[work] {
	version, now := w.cache.InHand.Version()+w.cache.Details.Version(), w.now()
	if version == w.known && now.Sub(w.at) < newest && w.needed != nil {
		return w.state
	}
	w.known, w.at = version, now
	heads, lists := w.heads()
	is := cache.Join(lists...)
	ids := make([]string, len(heads))
	w.orders = nil
	unread := false
	for i, h := range heads {
		ids[i] = h.UUID
		o, at := w.cache.Details.Get(h.UUID)
		switch {
		case o == nil && at.Err == nil:
			unread = true
		case o != nil:
			w.orders = append(w.orders, o)
		}
		if o == nil || !o.UpdatedAt.Equal(h.UpdatedAt.Time) || o.Status != h.Status {
			w.needed = append(w.needed, w.cache.Details.Stamped(h.UUID, cache.Stamp(&h.Order)))
		}
		if is.Err == nil && !api.IsStatus(at.Err, http.StatusNotFound) { // else it is gone since
			is.Err = at.Err
		}
	}
	w.needed = append(w.needed, w.cache.Details.Of(ids...))
	before := w.state.At
	w.state = listpage.State[work]{Version: w.state.Version + 1, Err: is.Err}
	if !unread || !before.IsZero() { // else what is first, and selected, is not known yet
		w.state.Rows, w.state.At = w.sorted(now), is.ReadAt
	}
	return w.state
}

// heads are the orders as their lists have them, and how these are.
func (w *works) heads() (heads []*api.OpsOrder, lists []cache.State) {
	w.left, w.needed = false, nil
	add := func(status api.OrderStatus, most int) (left bool) {
		rows, is := w.cache.InHand.Get(string(status))
		n := min(len(rows.Items), most)
		heads, lists = append(heads, listpage.Pointers(rows.Items[:n])...), append(lists, is)
		w.needed = append(w.needed, w.cache.InHand.Rows(string(status), most))
		return rows.More || n < len(rows.Items)
	}
	for _, status := range api.LiveOrderStatuses() {
		w.left = add(status, mostLive-len(heads)) || w.left
	}
	add(api.OrderCompleted, mostEnded)
	return heads, lists
}

// sorted is what is to be done in the order of an order's life, the oldest of
// each step first, and last what waits for a client.
func (w *works) sorted(now time.Time) (list []*work) {
	for _, o := range w.orders {
		list = append(list, worksOf(o, now)...)
	}
	slices.SortFunc(list, func(a, b *work) int {
		return cmp.Or(cmp.Compare(a.step, b.step), a.since.Compare(b.since), cmp.Compare(a.code(), b.code()))
	})
	return list
}

// worksOf is what is to be done of an order.
func worksOf(o *api.OpsOrder, now time.Time) []*work {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		w := &work{order: o, step: stepQuote, since: o.CreatedAt.Time}
		if q := openQuote(o, now); q != nil {
			w.step, w.since = stepClient, q.CreatedAt.Time
		} else if len(o.Quotes) > 0 {
			w.since = o.UpdatedAt.Time
		}
		return []*work{w}
	case o.Status.HasAcceptedQuote():
		var list []*work
		for i := range o.Missions {
			m := &o.Missions[i]
			if s, ok := stepOf(m, now); ok {
				list = append(list, &work{order: o, mission: m, step: s, since: m.UpdatedAt.Time})
			}
		}
		return list
	}
	return nil
}

// stepOf is the next step of a mission whose order is carried out.
func stepOf(m *api.OpsMission, now time.Time) (step, bool) {
	switch m.Status {
	case api.MissionAwaitingPilot:
		return stepAssign, true
	case api.MissionPilotAssigned:
		return stepSchedule, true
	case api.MissionFlightScheduled:
		p := m.FlightPermission
		if (p == nil || p.Status == api.PermissionPending) && m.FlightDate.After(now) {
			return stepPermit, true
		}
		return stepDeliver, true
	case api.MissionDataDelivered:
		return stepAccept, true
	}
	return 0, false
}

// quotesOf is the state of the quotes of an order.
func quotesOf(o *api.OpsOrder, now time.Time) labels.Quotes {
	isOpen := func(q api.OpsQuote) bool { return q.Status == api.QuoteOpen }
	switch {
	case openQuote(o, now) != nil:
		return labels.QuotesReady
	case slices.ContainsFunc(o.Quotes, isOpen):
		return labels.QuotesExpired
	default:
		return labels.QuotesNone
	}
}

// openQuote is the open quote of an order that expires first, of those that have
// not; nil for none.
func openQuote(o *api.OpsOrder, now time.Time) (first *api.OpsQuote) {
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.IsDecidable(now) && (first == nil || q.ExpiryDate.Before(first.ExpiryDate.Time)) {
			first = q
		}
	}
	return first
}
