package demodata

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
)

// MaxOrders is the maximum number of orders that can be added to the orders of the demo world.
const MaxOrders = 1_000_000

// bulkStatuses are the statuses of additional orders. One of them is chosen at random for each
// order, so likely ones occur several times.
var bulkStatuses = []api.OrderStatus{
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderCompleted,
	api.OrderArchived,
	api.OrderArchived,
	api.OrderCancelled,
	api.OrderRejected,
	api.OrderNotFeasible,
}

// bulkOrders returns the additional orders of the first account, oldest first. There are
// options.Orders of them, spread over five years. They are older than the account's orders in
// world.toml, and repeat the sites of those orders. Each additional order has ended and has one
// mission, but no quotes or files.
func bulkOrders(options WorldOptions, now, first time.Time) iter.Seq[domain.PastOrder] {
	return func(yield func(domain.PastOrder) bool) {
		a := demoAccounts()[0]
		m := newWorldMaker(now, first, a.UUID, "bulk")
		interval := 5 * 365 * day / time.Duration(options.Orders)
		for number := 1; number <= options.Orders; number++ {
			newer := options.Orders - number + 1 // number of additional orders from this one to the newest
			daysAgo := 260 + (time.Duration(newer)*interval).Hours()/24
			order := m.makeOrder(a.Account, m.bulkOrder(a, number, daysAgo))
			order.Quotes = nil
			order.Details = nil
			if !yield(order) {
				return
			}
			if number%1000 == 0 && options.Added != nil {
				options.Added(number)
			}
		}
	}
}

// bulkOrder returns the description of an additional order. It is a copy of one of the account's
// orders, with a final status and only the first site.
func (m *worldMaker) bulkOrder(a demoAccount, number int, daysAgo float64) demoOrder {
	model := a.Orders[(number-1)%len(a.Orders)]
	bulk := demoOrder{
		Name:         fmt.Sprintf("%s, no. %d", model.Sites[0].Label, number),
		Status:       bulkStatuses[m.rng.IntN(len(bulkStatuses))],
		Reason:       cmp.Or(model.Reason, "the season was over"),
		DaysAgo:      daysAgo,
		StartIn:      model.StartIn,
		Days:         model.Days,
		Objective:    model.Objective,
		Asset:        model.Asset,
		Sensors:      model.Sensors,
		Deliverables: model.Deliverables,
		Sites:        model.Sites[:1],
	}
	if bulk.Status == api.OrderArchived {
		bulk.Before = api.OrderCompleted
	}
	return bulk
}
