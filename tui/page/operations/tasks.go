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
	mostLive  = 500 // most active orders to consider
	mostEnded = 100 // most completed orders to consider for deliveries to accept
)

// workStep is the next step of an order or a mission.
type workStep int

const (
	stepQuote workStep = iota
	stepAssign
	stepSchedule
	stepPermit
	stepDeliver
	stepAccept
	stepClient // the client decides
)

var stepWords = map[workStep]struct {
	text string
	role theme.Role
}{
	stepQuote: {
		"issue quote",
		theme.Attention,
	},
	stepAssign:   {"assign", theme.Attention},
	stepSchedule: {"schedule", theme.Attention},
	stepPermit: {
		"permit",
		theme.Attention,
	},
	stepDeliver: {"deliver", theme.Attention},
	stepAccept:  {"accept", theme.Attention},
	stepClient:  {"client decides", theme.Pending},
}

// orderItem is an order, or one of its missions, quotes or completion notices; in the
// queue with its next step.
type orderItem struct {
	order   *api.OpsOrder
	mission *api.OpsMission // nil if it is none
	quote   *api.OpsQuote
	notice  *api.CompletionNotice
	step    workStep
	since   time.Time // waiting since
}

// itemID returns the ID of the mission, notice, quote or order.
func (x *orderItem) itemID() string {
	switch {
	case x.mission != nil:
		return x.mission.UUID
	case x.notice != nil:
		return x.notice.UUID
	case x.quote != nil:
		return x.quote.UUID
	}
	return x.order.UUID
}

// itemName returns the code and name of the mission, otherwise of the order.
func (x *orderItem) itemName() (code, name string) {
	if x.mission != nil {
		return x.mission.MissionCode, x.mission.MissionName
	}
	return x.order.OrderCode, x.order.OrderName
}

// inspected returns whose timeline to open; x may be nil.
func (x *orderItem) inspected() (s inspectSubject) {
	if x == nil {
		return s
	}
	if s = orderSubject(x.order); x.mission != nil {
		s.of.Mission = x.mission.UUID
	}
	return s
}

// workList derives the tasks of Operations from active orders.
type workList struct {
	cache  *cache.OperationsCache
	now    func() time.Time
	orders []*api.OpsOrder // with all details
	left   bool            // there are more orders than are considered
	needed []cache.Need
	state  listpage.State[orderItem]
	known  int       // sum of the cache versions used
	at     time.Time // when the tasks were computed
}

// newest is how long computed tasks stay valid, because urgency depends on the time.
const newest = 10 * time.Second

// countWaiting returns the number of tasks that do not wait for a client.
func countWaiting(list []*orderItem) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(w *orderItem) bool { return w.step == stepClient }))
}

// readOrders returns the orders loaded in full.
func (w *workList) readOrders() []*api.OpsOrder {
	w.readWork()
	return w.orders
}

// orderByID returns the order with an ID, nil if it is not loaded in full.
func (w *workList) orderByID(uuid string) *api.OpsOrder {
	o, _ := w.cache.Details.Get(uuid)
	return o
}

// workNeeds requests the active orders, each in full.
func (w *workList) workNeeds() []cache.Need {
	w.readWork()
	return w.needed
}

// readWork returns the tasks according to the cache.
func (w *workList) readWork() listpage.State[orderItem] {
	version, now := w.cache.InHand.Version()+w.cache.Details.Version(), w.now()
	if version == w.known && now.Sub(w.at) < newest && w.needed != nil {
		return w.state
	}
	w.known, w.at = version, now
	heads, lists := w.orderHeads()
	is := cache.JoinStates(lists...)
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
			w.needed = append(w.needed, w.cache.Details.NeedStamped(h.UUID, cache.OrderStamp(&h.Order)))
		}
		if is.Err == nil && !api.IsStatus(at.Err, http.StatusNotFound) { // 404: deleted since
			is.Err = at.Err
		}
	}
	w.needed = append(w.needed, w.cache.Details.NeedOf(ids...))
	before := w.state.At
	w.state = listpage.State[orderItem]{Version: w.state.Version + 1, Err: is.Err}
	if !unread || !before.IsZero() { // otherwise the first task could still change
		w.state.Rows, w.state.At = w.sortWork(now), is.ReadAt
	}
	return w.state
}

// orderHeads returns the orders as listed, and the states of the lists.
func (w *workList) orderHeads() (heads []*api.OpsOrder, lists []cache.EntryState) {
	w.left, w.needed = false, nil
	add := func(status api.OrderStatus, most int) (left bool) {
		rows, is := w.cache.InHand.Get(string(status))
		n := min(len(rows.Items), most)
		heads, lists = append(heads, listpage.Pointers(rows.Items[:n])...), append(lists, is)
		w.needed = append(w.needed, w.cache.InHand.NeedRows(string(status), most))
		return rows.More || n < len(rows.Items)
	}
	for _, status := range api.LiveOrderStatuses() {
		w.left = add(status, mostLive-len(heads)) || w.left
	}
	add(api.OrderCompleted, mostEnded)
	return heads, lists
}

// sortWork returns the tasks by step, oldest first, those waiting for a client last.
func (w *workList) sortWork(now time.Time) (list []*orderItem) {
	for _, o := range w.orders {
		list = append(list, workOf(o, now)...)
	}
	slices.SortFunc(list, func(a, b *orderItem) int {
		first, _ := a.itemName()
		second, _ := b.itemName()
		return cmp.Or(cmp.Compare(a.step, b.step), a.since.Compare(b.since), cmp.Compare(first, second))
	})
	return list
}

// workOf returns the tasks of an order.
func workOf(o *api.OpsOrder, now time.Time) []*orderItem {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		w := &orderItem{order: o, step: stepQuote, since: o.CreatedAt.Time}
		if q := openQuote(o, now); q != nil {
			w.step, w.since = stepClient, q.CreatedAt.Time
		} else if len(o.Quotes) > 0 {
			w.since = o.UpdatedAt.Time
		}
		return []*orderItem{w}
	case o.Status.HasAcceptedQuote():
		var list []*orderItem
		for i := range o.Missions {
			m := &o.Missions[i]
			if s, ok := stepOf(m, now); ok {
				list = append(list, &orderItem{order: o, mission: m, step: s, since: m.UpdatedAt.Time})
			}
		}
		return list
	}
	return nil
}

// stepOf returns the next step of a mission, false if there is none.
func stepOf(m *api.OpsMission, now time.Time) (workStep, bool) {
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

// quotesOf returns the state of an order's quotes.
func quotesOf(o *api.OpsOrder, now time.Time) labels.QuoteCounts {
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

// openQuote returns the open quote of an order that expires next, or nil.
func openQuote(o *api.OpsOrder, now time.Time) (first *api.OpsQuote) {
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.IsDecidable(now) && (first == nil || q.ExpiryDate.Before(first.ExpiryDate.Time)) {
			first = q
		}
	}
	return first
}
