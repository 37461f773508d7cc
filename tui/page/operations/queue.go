package operations

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
)

// newTaskQueue returns the list of tasks of Operations, sorted by next step, followed
// by orders that wait for a client.
func newTaskQueue(d *operationsPage) *page.List[*orderItem] {
	o := d.queueOptions("desk-queue", true)
	o.Scope = action.OpsQueue
	source := page.ListSource[*orderItem]{State: d.readWork, Needs: d.workNeeds}
	return newListPane(d, source, o, (*orderItem).inspected)
}

// queueOptions returns the options of a list of tasks; client adds a column for the
// client.
func (d *operationsPage) queueOptions(name string, client bool) page.ListOptions[*orderItem] {
	all := columns.MakeColumns("queue", columns.Values[*orderItem]{
		"companyName": func(x *orderItem) columns.Cell { return columns.TextCell(d.companyName(x.AccountUID)) },
	})
	if !client {
		all = columns.HideColumns(all, "companyName")
	}
	o := d.itemOptions(name, all, func(x *orderItem) *orderItem { return x })
	o.Example, o.One = "next:quote or client:küste", "task"
	o.Open = func(x *orderItem) tea.Cmd { return d.env.Nav.Open(newOrderPage(d, x.UUID, x.ID)) }
	o.Place = func(x *orderItem) (name, kind string) {
		return x.Code + "  " + x.Name, "operations: " + stepWords[x.step]
	}
	o.Empty = "No open tasks.\nNew orders and the next step of each mission appear here."
	o.Foot = func(w int) []string {
		if !d.left { // only the newest orders are considered
			return nil
		}
		text := " Showing tasks of the newest " + format.GroupDigits(mostLive, 0) + " active orders only."
		return []string{d.env.Look.Theme.PaintMuted(format.CutLine(text, w))}
	}
	return o
}

// workList holds what the pages of the section share: the requests that they send, the
// state of the service, and the tasks of Operations, derived from active orders.
type workList struct {
	acts   *requestRunner
	cache  *cache.OperationsCache
	now    func() time.Time
	orders []*ops.Order // with all details
	left   bool         // there are more orders than are considered
	needed []cache.Need
	state  page.ListState[*orderItem]
	known  int       // sum of the cache versions used
	at     time.Time // when the tasks were computed
}

// countWaiting returns the number of tasks that do not wait for a client.
func countWaiting(list []*orderItem) (n int) {
	for _, x := range list {
		if x.step != stepClient {
			n++
		}
	}
	return n
}

// workNeeds requests the active orders, each in full.
func (w *workList) workNeeds(int) []cache.Need {
	w.readWork()
	return w.needed
}

// readWork returns the tasks according to the cache.
func (w *workList) readWork() page.ListState[*orderItem] {
	version, now := w.cache.InHand.Version()+w.cache.Details.Version(), w.now()
	if version == w.known && now.Sub(w.at) < newest && w.needed != nil {
		return w.state
	}
	w.known, w.at, w.orders, w.needed, w.left = version, now, nil, nil, false
	var ids []string
	var states []cache.EntryState
	var fault error
	room, unread := mostLive, false
	for _, status := range append(api.LiveOrderStatuses(), api.OrderCompleted) {
		live := status != api.OrderCompleted
		if !live {
			room = mostEnded
		}
		rows, is := w.cache.InHand.Get(string(status))
		states = append(states, is)
		w.needed = append(w.needed, w.cache.InHand.NeedRows(string(status), room))
		n := min(len(rows.Items), room)
		w.left = w.left || live && (rows.More || n < len(rows.Items))
		room -= n
		for i := range n {
			missing, err := w.takeOrder(&rows.Items[i])
			unread, fault = unread || missing, cmp.Or(fault, err)
			ids = append(ids, rows.Items[i].UUID)
		}
	}
	w.needed = append(w.needed, w.cache.Details.NeedOf(ids...))
	lists, before := cache.JoinStates(states...), w.state.At
	w.state = page.ListState[*orderItem]{Version: w.state.Version + 1, Err: cmp.Or(lists.Err, fault)}
	if !unread || !before.IsZero() { // otherwise the first task could still change
		w.state.Rows, w.state.At = w.sortWork(now), lists.ReadAt
	}
	return w.state
}

// takeOrder takes a listed order in full as far as it is read, and requests it where the
// list is newer.
func (w *workList) takeOrder(h *ops.Order) (unread bool, fault error) {
	o, at := w.cache.Details.Get(h.UUID)
	if o != nil {
		w.orders = append(w.orders, o)
	}
	if o == nil || !o.UpdatedAt.Equal(h.UpdatedAt.Time) || o.Status != h.Status {
		w.needed = append(w.needed, w.cache.Details.NeedStamped(h.UUID, cache.OrderStamp(&h.Order)))
	}
	if api.IsStatus(at.Err, http.StatusNotFound) { // deleted since
		return false, nil
	}
	return o == nil && at.Err == nil, at.Err
}

// sortWork returns the tasks by step, oldest first, those waiting for a client last.
func (w *workList) sortWork(now time.Time) (list []*orderItem) {
	for _, o := range w.orders {
		list = append(list, workOf(o, now)...)
	}
	slices.SortFunc(list, func(a, b *orderItem) int {
		return cmp.Or(
			cmp.Compare(a.step, b.step),
			a.Since.Time.Compare(b.Since.Time),
			cmp.Compare(a.Code, b.Code),
		)
	})
	return list
}

// workOf returns the tasks of an order.
func workOf(o *ops.Order, now time.Time) (list []*orderItem) {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		x := itemOfOrder(o, now)
		if q := openQuote(o, now); q != nil {
			return append(list, x.waitFor(stepClient, q.CreatedAt.Time, now))
		}
		began := o.CreatedAt.Time
		if len(o.Quotes) > 0 {
			began = o.UpdatedAt.Time
		}
		for _, q := range o.Quotes {
			if q.ExpiryDate.After(began) && q.ExpiryDate.Before(now) {
				began = q.ExpiryDate.Time
			}
		}
		return append(list, x.waitFor(stepQuote, began, now))
	case o.Status.HasAcceptedQuote():
		for i := range o.Missions {
			m := &o.Missions[i]
			step := stepOf(m, now)
			began := m.UpdatedAt.Time
			if step == stepDeliver && m.FlightDate.After(began) {
				began = m.FlightDate.Time
			}
			if step != stepNone {
				list = append(list, itemOfMission(o, m, now).waitFor(step, began, now))
			}
		}
	}
	return list
}

// stepOf returns the next step of a mission.
func stepOf(m *ops.Mission, now time.Time) workStep {
	switch m.Status {
	case api.MissionAwaitingPilot:
		return stepAssign
	case api.MissionPilotAssigned:
		return stepSchedule
	case api.MissionFlightScheduled:
		p := m.FlightPermission
		if (p == nil || p.Status == api.PermissionPending) && m.FlightDate.After(now) {
			return stepPermit
		}
		return stepDeliver
	case api.MissionDataDelivered:
		return stepAccept
	}
	return stepNone
}

// newest is how long computed tasks stay valid, because urgency depends on the time.
const newest = 10 * time.Second
