package operations

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/widget/table"
)

// orders are those of all accounts, or of one.
type orders struct{ *lister[api.OpsOrder] }

// newOrders lists the orders of an account; "" is all.
func newOrders(d *operations, account string) *orders {
	client := table.Column{Title: "Client", Name: "companyName", Width: 14, Fill: 1, Drop: 1, Off: account != ""}
	l := newLister[api.OpsOrder](d, action.OpsOrders, "desk-orders", "status:deleted or client:küste",
		table.Column{Title: "Code", Name: "orderCode", Width: 10},
		table.Column{Title: "Name", Name: "orderName", Width: 14, Fill: 2},
		table.Column{Title: "Status", Name: "status", Width: 18},
		client,
		table.Column{Title: "Quotes", Name: "openQuotes", Kind: table.Number, Drop: 4},
		table.Column{Title: "Missions", Name: "missionCount", Kind: table.Number, Drop: 3},
		table.Column{Title: "Area", Name: "areaSize", Kind: table.Area, Drop: 5},
		table.Column{Title: "Placed", Name: "createdAt", Kind: table.Date, Drop: 2},
		table.Column{Title: "Due", Name: "deadline", Kind: table.Date, Drop: 6},
	)
	o := &orders{l}
	l.list.Empty = "No order has all of that; "
	l.things = [2]string{"order", "orders"}
	l.load = func(ctx context.Context) ([]api.OpsOrder, error) {
		return all(d.Ops.AllOrders(ctx, api.OpsOrderFilter{Account: account}))
	}
	l.id = func(o *api.OpsOrder) string { return o.UUID }
	l.cell = o.cell
	l.look = func(o *api.OpsOrder) (table.Cell, bool) { return table.Cell{}, ended(o.Status) }
	l.stamp = func(o *api.OpsOrder) string { return string(o.Status) + o.UpdatedAt.String() }
	l.open = func(o *api.OpsOrder) tea.Cmd { return d.Open(newOrder(d, o.UUID, "")) }
	l.note = func() string {
		if len(l.items) < mostRows {
			return ""
		}
		return "The newest " + format.Group(mostRows, 0) + "; older ones are left out."
	}
	l.empty = d.say("There is no order yet.", "What clients place appears here, whatever becomes of it.")
	return o
}

// ended tells whether nothing more comes of an order.
func ended(s api.OrderStatus) bool { return s.IsAbandoned() || s == api.OrderArchived }

func (o *orders) cell(r *api.OpsOrder, column int) table.Cell {
	switch column {
	case 0:
		return table.Cell{Text: r.OrderCode}
	case 1:
		return table.Cell{Text: r.OrderName}
	case 2:
		st := labels.OrderState(r.Status, r.OpenQuotes != nil && *r.OpenQuotes > 0)
		return table.State(st.Glyph, st.Word, st.Role, 0)
	case 3:
		return table.Cell{Text: o.d.world.company(r.AccountUID)}
	case 4:
		return table.NumOf(r.OpenQuotes)
	case 5:
		return table.NumOf(r.MissionCount)
	case 6:
		return table.NumOf(r.AreaSize)
	case 7:
		return table.Day(r.CreatedAt.Time)
	default:
		return table.Day(r.Deadline.Time)
	}
}
