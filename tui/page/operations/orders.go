package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget/table"
)

// newOrderList lists the orders of an account; "" is all.
func newOrderList(d *operationsPage, account string) *listPane[api.OpsOrder] {
	cols := columns.LayColumns(columns.OpsOrders(d.world.companyName, d.Now),
		columns.ColumnSpec{Name: "orderCode", Width: 10},
		columns.ColumnSpec{Name: "orderName", Width: 14, Fill: 2},
		columns.ColumnSpec{Name: "status", Width: 18},
		columns.ColumnSpec{Name: "client", Width: 14, Fill: 1, Drop: 1, Off: account != ""},
		columns.ColumnSpec{Name: "openQuotes", Drop: 4},
		columns.ColumnSpec{Title: "Missions", Name: "missionCount", Drop: 3},
		columns.ColumnSpec{Name: "areaSize", Drop: 5},
		columns.ColumnSpec{Name: "createdAt", Drop: 2},
		columns.ColumnSpec{Name: "deadline", Drop: 6},
	)
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Orders, account), listpage.Options[api.OpsOrder]{
		Name: "desk-orders", Example: "status:deleted or client:küste", One: "order", Many: "orders", Scope: action.OpsOrders, Columns: cols,
		ID:    func(o *api.OpsOrder) string { return o.UUID },
		Look:  func(o *api.OpsOrder) (table.Cell, bool) { return table.Cell{}, isEnded(o.Status) },
		Stamp: func(o *api.OpsOrder) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:  func(o *api.OpsOrder) tea.Cmd { return d.Open(newOrderPage(d, o.UUID, "")) },
		Empty: [2]string{"No orders yet.", "All orders of all clients appear here, including deleted ones."},
	}, orderSubject)
}

// isEnded tells whether nothing more comes of an order.
func isEnded(s api.OrderStatus) bool { return s.IsAbandoned() || s == api.OrderArchived }
