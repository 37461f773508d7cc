package cache

import (
	"cmp"
	"net/http"
	"slices"

	"flightdesk/api"
)

// AllRecords returns the needs of the orders that the v2 API lists. There are none
// before the public API has listed its orders to the end, or refused to: only
// then can an order be told that it alone has.
func (c *Cache) AllRecords() []Need {
	rows, list := c.Orders.Get(Account)
	whole := !list.ReadAt.IsZero() && list.Err == nil && !rows.More
	if !whole && !api.IsStatus(list.Err, http.StatusForbidden, http.StatusNotFound) {
		return nil
	}
	return []Need{c.Recorded.NeedRows(Account, mostOrders)}
}

// OnlyRecords returns the orders that the v2 API has and the public API has not, or
// does not show to this key. There are none before the public API has listed
// its orders to the end, or refused to.
func (c *Cache) OnlyRecords() (only []api.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.onlyRecords() {
		only = append(only, *OrderOf(r))
	}
	return only
}

// IsOnlyRecord reports whether an order is one of [Cache.OnlyRecords].
func (c *Cache) IsOnlyRecord(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.orderByID(id) == nil && slices.ContainsFunc(c.onlyRecords(), func(r *api.OrderRecord) bool {
		return r.ID == id || r.OrderCode == id
	})
}

func (c *Cache) onlyRecords() (only []*api.OrderRecord) {
	list, records := c.Orders.entries[Account], c.Recorded.entries[Account]
	if list == nil || records == nil || list.value.More || !list.known && list.state.Err == nil {
		return nil
	}
	for i := range records.value.Items {
		r := &records.value.Items[i]
		if c.orderByID(r.ID) == nil && c.orderByID(r.OrderCode) == nil && !c.left[r.ID] &&
			!c.left[r.OrderCode] {
			only = append(only, r)
		}
	}
	return only
}

// OrderOf returns what a record says of its order.
func OrderOf(r *api.OrderRecord) *api.Order {
	o := &api.Order{
		UUID:        r.ID,
		OrderCode:   cmp.Or(r.OrderCode, r.ID),
		OrderName:   r.OrderName,
		CompanyName: r.CompanyName,
		AreaSize:    r.AreaSize,
		Deadline: api.Time(
			r.DeliveryDeadline,
		),
		Deliverables: r.MapTypes,
		Status:       api.OrderStatus(r.StageStatus()),
	}
	if r.OrderRejectionReason != "" {
		o.RejectionReason = &r.OrderRejectionReason
	}
	switch r.StageStatus() {
	case api.RecordReviewing, api.RecordQuoteReceived, "inReview":
		o.Status = api.OrderBiddingWithQuote
	}
	if area, unread := r.Extra["areaSize"]; unread {
		o.Extra = api.ExtraMembers{"areaSize": area}
	}
	return o
}
