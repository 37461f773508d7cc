package cache

import (
	"cmp"
	"net/http"
	"slices"

	"flightdesk/api"
)

// AllRecords returns needs for the orders in the v2 API, which can have orders that the public API lacks.
// It returns nil until the public API has listed all orders, or has refused to.
func (c *Cache) AllRecords() []Need {
	rows, list := c.Orders.Get(Account)
	isComplete := !list.ReadAt.IsZero() && list.Err == nil && !rows.More
	if !isComplete && !api.IsStatus(list.Err, http.StatusForbidden, http.StatusNotFound) {
		return nil
	}
	return []Need{c.Recorded.NeedRows(Account, maxOrders)}
}

// OnlyRecords returns the orders that only the v2 API shows to this key, without deleted
// orders. It is empty until the public API has listed all orders or rejected the request.
func (c *Cache) OnlyRecords() (only []api.Order) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.onlyRecords() {
		only = append(only, *OrderOf(r))
	}
	return only
}

// IsOnlyRecord reports whether [Cache.OnlyRecords] contains the order with the given ID.
func (c *Cache) IsOnlyRecord(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isOnlyRecord(id)
}

func (c *Cache) isOnlyRecord(id string) bool {
	return c.orderByID(id) == nil && slices.ContainsFunc(c.onlyRecords(), func(r *api.OrderRecord) bool {
		return r.ID == id || r.OrderCode == id
	})
}

func (c *Cache) onlyRecords() (only []*api.OrderRecord) {
	list := c.Orders.entries[Account]
	records := c.Recorded.entries[Account]
	if list == nil || records == nil || c.Orders.valueOf(list).More {
		return nil
	}
	if !list.complete && list.state.Err == nil {
		return nil
	}
	listed := c.Recorded.valueOf(records).Items
	for i := range listed {
		r := &listed[i]
		isListed := c.orderByID(r.ID) != nil || c.orderByID(r.OrderCode) != nil
		if r.StageStatus() != api.RecordDeleted && !isListed && !c.index.wasListed(r) {
			only = append(only, r)
		}
	}
	return only
}

// deadlineOf returns the delivery deadline of a record in the type that orders use.
func deadlineOf(r *api.OrderRecord) api.Time {
	d := r.DeliveryDeadline
	return api.Time{Time: d.Time, Raw: d.Raw, DateOnly: !d.Time.IsZero()}
}

// recordInReview is a status that the documentation of the v2 API uses in an example but does not list. It
// is treated like [api.RecordReviewing].
const recordInReview api.RecordStatus = "inReview"

// OrderOf converts a record of the v2 API to an order of the public API.
func OrderOf(r *api.OrderRecord) *api.Order {
	o := &api.Order{
		UUID:         r.ID,
		OrderCode:    cmp.Or(r.OrderCode, r.ID),
		OrderName:    r.OrderName,
		CompanyName:  r.CompanyName,
		AreaSize:     r.AreaSize,
		Deadline:     deadlineOf(r),
		Deliverables: r.MapTypes,
		Status:       api.OrderStatus(r.StageStatus()),
	}
	if r.OrderRejectionReason != "" {
		o.RejectionReason = &r.OrderRejectionReason
	}
	switch r.StageStatus() {
	case api.RecordReviewing, api.RecordQuoteReceived, recordInReview:
		o.Status = api.OrderBiddingWithQuote
	}
	if area, unread := r.Extra["areaSize"]; unread {
		o.Extra = api.ExtraMembers{"areaSize": area}
	}
	return o
}
