package operations

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget/table"
)

// orders are those of all accounts, or of one.
type orders struct{ *lister[api.OpsOrder] }

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
	o := &orders{}
	o.lister = newLister(d, listpage.Options[api.OpsOrder]{
		Name: "desk-orders", Example: "status:deleted or client:küste", One: "order", Many: "orders", Scope: action.OpsOrders, Columns: cols,
		ID:    func(o *api.OpsOrder) string { return o.UUID },
		Look:  func(o *api.OpsOrder) (table.Cell, bool) { return table.Cell{}, ended(o.Status) },
		Stamp: func(o *api.OpsOrder) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:  func(o *api.OpsOrder) tea.Cmd { return d.Open(newOrder(d, o.UUID, "")) },
		Foot: d.note(func() string {
			if len(o.rows.Rows) < mostRows {
				return ""
			}
			return "The newest " + format.Group(mostRows, 0) + "; older ones are left out."
		}),
		Empty: [2]string{"There is no order yet.", "What clients place appears here, whatever becomes of it."},
	}, func(ctx context.Context) ([]api.OpsOrder, error) {
		return all(d.Ops.Orders.All(ctx, api.OpsOrderFilter{Account: account}))
	})
	return o
}

// ended tells whether nothing more comes of an order.
func ended(s api.OrderStatus) bool { return s.IsAbandoned() || s == api.OrderArchived }
