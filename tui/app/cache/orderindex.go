package cache

import "flightdesk/api"

// orderIndex finds the listed orders by their IDs and codes.
type orderIndex struct {
	positions map[string]int  // index in the list of orders, by ID and by code
	count     int             // number of indexed orders
	unlisted  map[string]bool // IDs and codes of orders that were listed earlier but are no longer
}

// clear empties the index.
func (x *orderIndex) clear() {
	x.positions = nil
	x.count = 0
}

// extend adds the orders that were appended to the list, and returns the index of the first of them.
// If the list has become shorter, extend indexes all of it.
func (x *orderIndex) extend(orders []api.Order) (firstNew int) {
	if x.count > len(orders) {
		x.clear()
	}
	if x.positions == nil {
		x.positions = make(map[string]int, 2*len(orders))
	}
	firstNew = x.count
	for i := firstNew; i < len(orders); i++ {
		o := &orders[i]
		x.positions[OrderIdentity(o)] = i
		if o.OrderCode != "" {
			x.positions[o.OrderCode] = i
		}
	}
	x.count = len(orders)
	return firstNew
}

// replace indexes a new list. It returns the IDs and codes of the orders of the previous list that are not in the new
// list.
func (x *orderIndex) replace(orders []api.Order) (removed map[string]bool) {
	before := x.positions
	x.clear()
	x.extend(orders)
	removed = map[string]bool{}
	for id := range before {
		if !x.has(id) {
			removed[id] = true
			x.addUnlisted(id)
		}
	}
	return removed
}

func (x *orderIndex) addUnlisted(id string) {
	if x.unlisted == nil {
		x.unlisted = map[string]bool{}
	}
	x.unlisted[id] = true
}

// has reports whether an order with this ID or code is listed.
func (x *orderIndex) has(id string) bool {
	_, ok := x.positions[id]
	return ok
}

// wasListed reports whether the order of a record was listed earlier but is no longer.
func (x *orderIndex) wasListed(r *api.OrderRecord) bool {
	return x.unlisted[r.ID] || x.unlisted[r.OrderCode]
}
