package cache

import (
	"slices"

	"flightdesk/api"
)

// missionTable has the missions of orders, by order code. It also decides for which orders to read them.
type missionTable struct {
	*Collection[[]Mission]
	maxEnded int // maximum number of ended orders whose missions are read
}

// requestRanked replaces the queue by the missions of the orders that rankOrders returns. Missions that
// are up to date are not queued.
func (t *missionTable) requestRanked(orders []api.Order) {
	t.queue = t.queue[:0]
	for _, i := range rankOrders(orders, t.maxEnded) {
		t.requestIfChanged(&orders[i])
	}
}

// requestLive queues the missions of the live orders of a list that is still being read.
func (t *missionTable) requestLive(orders []api.Order) {
	for i := range orders {
		if orders[i].Status.IsLive() && len(t.entries) < maxMissionOrders {
			t.requestIfChanged(&orders[i])
		}
	}
}

// requestIfChanged queues the missions of an order for reading if the order has changed.
func (t *missionTable) requestIfChanged(o *api.Order) {
	code := o.OrderCode
	if code == "" {
		return
	}
	stamp := OrderStamp(o)
	e := t.entries[code]
	if e == nil {
		t.requestRead(code, stamp, false)
		return
	}
	if e.due {
		t.queue = append(t.queue, code)
		return
	}
	if e.stamp != stamp {
		t.requestRead(code, stamp, false)
		return
	}
	e.state.Offline = false // the offline copy is up to date
}

// rankOrders returns the indexes of the orders for which missions are read: live orders first, then the ended orders
// that changed last, at most maxEnded.
func rankOrders(orders []api.Order, maxEnded int) []int {
	var live []int
	var ended []int
	for i := range orders {
		if orders[i].Status.IsLive() {
			live = append(live, i)
		} else {
			ended = append(ended, i)
		}
	}
	if len(ended) > maxEnded {
		slices.SortStableFunc(ended, func(x, y int) int { return orders[y].UpdatedAt.Compare(orders[x].UpdatedAt.Time) })
		ended = ended[:maxEnded]
		slices.Sort(ended)
	}
	ranked := slices.Concat(live, ended)
	return ranked[:min(len(ranked), maxMissionOrders)]
}

// removeUnlisted removes the missions of orders that are no longer listed, and returns the IDs of the
// removed missions.
func (t *missionTable) removeUnlisted(isListed func(code string) bool) map[string]bool {
	removed := map[string]bool{}
	for code, e := range t.entries {
		if isListed(code) {
			continue
		}
		for _, m := range t.valueOf(e) {
			removed[m.UUID] = true
		}
	}
	t.removeExcept(isListed)
	return removed
}

// addTo adds the missions of an order to a view, and counts the order as read or as failed.
func (t *missionTable) addTo(v *CacheView, o *api.Order) {
	if o.OrderCode == "" { // missions are read by code
		v.Read++
		return
	}
	e := t.entries[o.OrderCode]
	if e == nil {
		return
	}
	if e.complete {
		v.Read++
	} else if e.state.Err != nil {
		v.Faults++
	}
	if v.Fault == nil {
		v.Fault = e.state.Err
	}
	for _, m := range t.valueOf(e) {
		v.Missions = append(v.Missions, m.ofOrder(o))
	}
}

// countLeft counts the orders whose missions are read only if the user asks for them: the orders that
// rankOrders leaves out. Orders without a code have no missions and are not counted.
func (t *missionTable) countLeft(orders []api.Order) (left int) {
	isWanted := make([]bool, len(orders))
	for _, i := range rankOrders(orders, t.maxEnded) {
		isWanted[i] = true
	}
	for i := range orders {
		code := orders[i].OrderCode
		if isWanted[i] || code == "" {
			continue
		}
		e := t.entries[code]
		isCounted := e != nil && (e.complete || e.state.Err != nil) // as read or as a fault
		if !isCounted {
			left++
		}
	}
	return left
}
