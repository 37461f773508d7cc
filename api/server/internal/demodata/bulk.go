package demodata

import (
	"fmt"
	"iter"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
)

// MaxOrders is how many further orders the world may have.
const MaxOrders = 1_000_000

// bulkStatuses are those of further orders, the likeliest more than once.
var bulkStatuses = []api.OrderStatus{
	api.OrderCompleted, api.OrderCompleted, api.OrderCompleted, api.OrderCompleted, api.OrderArchived, api.OrderArchived,
	api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible,
}

// bulkOrders tells the further orders of the first account, oldest first and all older
// than those of the tables: the same places again and again over five years,
// ended all of them, one mission each, without quotes and files.
func bulkOrders(options WorldOptions, now, first time.Time) iter.Seq[domain.PastOrder] {
	return func(yield func(domain.PastOrder) bool) {
		a, n := demoAccounts()[0], options.Orders
		m := newWorldMaker(now, first, a.UUID, "bulk")
		gap := 5 * 365 * day / time.Duration(n)
		for i := range n {
			from := a.Orders[i%len(a.Orders)]
			o := demoOrder{
				Name: fmt.Sprintf("%s, no. %d", from.Sites[0].Label, i+1), Status: bulkStatuses[m.rng.IntN(len(bulkStatuses))],
				Reason: from.Reason, StartIn: from.StartIn, Days: from.Days, Objective: from.Objective, Asset: from.Asset,
				Sensors: from.Sensors, Deliverables: from.Deliverables, Sites: from.Sites[:1],
				DaysAgo: 260 + (time.Duration(n-i)*gap).Hours()/24,
			}
			if o.Reason == "" {
				o.Reason = "the season was over"
			}
			if o.Status == api.OrderArchived {
				o.Before = api.OrderCompleted
			}
			past := m.orderOf(a.Account, o)
			past.Quotes, past.Details = nil, nil
			if !yield(past) {
				return
			}
			if added := i + 1; added%1000 == 0 && options.Added != nil {
				options.Added(added)
			}
		}
	}
}
