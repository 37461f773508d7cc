package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget/table"
)

// newOrders lists the orders of an account; "" is all.
func newOrders(d *operations, account string) *orders {
	cols := columns.Lay(columns.OpsOrders(d.world.company, d.Now),
		columns.Spec{Name: "orderCode", Width: 10},
		columns.Spec{Name: "orderName", Width: 14, Fill: 2},
		columns.Spec{Name: "status", Width: 18},
		columns.Spec{Name: "client", Width: 14, Fill: 1, Drop: 1, Off: account != ""},
		columns.Spec{Name: "openQuotes", Drop: 4},
		columns.Spec{Title: "Missions", Name: "missionCount", Drop: 3},
		columns.Spec{Name: "areaSize", Drop: 5},
		columns.Spec{Name: "createdAt", Drop: 2},
		columns.Spec{Name: "deadline", Drop: 6},
	)
	return &orders{newLister(d, listpage.Cached(d.Cache, d.world.cache.Orders, account), listpage.Options[api.OpsOrder]{
		Name: "desk-orders", Example: "status:deleted or client:küste", One: "order", Many: "orders", Scope: action.OpsOrders, Columns: cols,
		ID:    func(o *api.OpsOrder) string { return o.UUID },
		Look:  func(o *api.OpsOrder) (table.Cell, bool) { return table.Cell{}, ended(o.Status) },
		Stamp: func(o *api.OpsOrder) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:  func(o *api.OpsOrder) tea.Cmd { return d.Open(newOrder(d, o.UUID, "")) },
		Empty: [2]string{"No orders yet.", "All orders of all clients appear here, including deleted ones."},
	})}
}

// ended tells whether nothing more comes of an order.
func ended(s api.OrderStatus) bool { return s.IsAbandoned() || s == api.OrderArchived }
