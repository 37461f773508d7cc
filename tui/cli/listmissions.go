package cli

import (
	"cmp"
	"fmt"
	"sync"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// listMissions prints the missions of the order of --of, or of all orders. With --output ics, it prints a calendar.
func listMissions(l *listing) error {
	if err := l.checkQuotedStatus(); err != nil {
		return err
	}
	if l.call.Output == "ics" {
		return l.printCalendar()
	}
	var orders missionOrders
	missions := eachOf(l.ordersOf(), func(order *api.Order) ([]api.Mission, error) {
		orders.add(order)
		return order.Missions, nil
	})
	all := columns.Missions()
	if l.hasLabels() {
		quotes := l.quotes()
		all = columns.WithState(all, func(m *api.Mission) format.StatusLabel {
			return missionState(m, orders.orderOf(m), quotes)
		})
	}
	const firstColumns = "missionCode orderCode missionName missionType status operatorName flightDate country areaSize"
	return printFormattedRows(l.call, "mission", all, firstColumns, missions)
}

// ordersOf returns the order of --of or, without --of, all orders, with their missions.
func (l *listing) ordersOf() Rows[*api.Order] {
	if l.Of != "" {
		return oneRow(l.call.Service.Client.Orders.Get(l.call, orderCode(l.Of)))
	}
	return eachOf(l.call.Service.Client.Orders.All(l.call), func(r *api.Order) ([]api.Order, error) {
		code := cmp.Or(r.OrderCode, r.UUID)
		order, err := l.call.Service.Client.Orders.Get(l.call, code)
		if err != nil && !api.IsPartial(err) {
			return nil, fmt.Errorf("order %s: %w", code, err)
		}
		return singleValue(*order, err)
	})
}

// missionOrders finds the order of a mission, among the orders that were added.
type missionOrders struct {
	mu     sync.Mutex
	orders map[string]*api.Order // by missionKey
}

// missionKey returns the ID of a mission, or its code if it has no ID.
func missionKey(m *api.Mission) string { return cmp.Or(m.UUID, m.MissionCode) }

// add adds an order with its missions. Safe for concurrent use.
func (m *missionOrders) add(order *api.Order) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.orders == nil {
		m.orders = map[string]*api.Order{}
	}
	for i := range order.Missions {
		m.orders[missionKey(&order.Missions[i])] = order
	}
}

// orderOf returns the order of a mission, or nil. Safe for concurrent use.
func (m *missionOrders) orderOf(mission *api.Mission) *api.Order {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.orders[missionKey(mission)]
}
