package cli

import (
	"cmp"
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
)

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
		return singleValue(order, err)
	})
}

func listOrders(l *listing) error {
	return printFormattedRows(l.call, "order", columns.Orders(nil),
		"orderCode orderName status missionCount areaSize deadline createdAt", l.allOrders())
}

// allOrders returns the orders of the account, followed by the orders that only the v2 API has, if the
// service has that API and the key can use it. Deleted orders are left out, unless --status selects
// them.
func (l *listing) allOrders() Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		listed := map[string]bool{} // IDs and codes of the orders that were yielded
		for order, err := range l.call.Service.Client.Orders.All(l.call) {
			if !yield(order, err) || err != nil {
				return
			}
			listed[order.UUID] = true
			if order.OrderCode != "" {
				listed[order.OrderCode] = true
			}
		}
		if l.call.Service.LegacyBaseURL == "" {
			return
		}
		for order, err := range l.legacyOrders(listed) {
			if !yield(order, err) {
				return
			}
		}
	}
}

// legacyOrders returns the orders of the v2 API, without the orders whose ID or code is in knownNames. It
// returns nothing if the service does not have that API.
func (l *listing) legacyOrders(knownNames map[string]bool) Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		for record, err := range l.call.Service.Client.Records.All(l.call, api.RecordListOptions{}) {
			if isUnavailable(err) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("orders that only the v2 API has: %w", err))
				return
			}
			isKnown := knownNames[record.ID] || knownNames[record.OrderCode]
			isHidden := record.StageStatus() == api.RecordDeleted && l.Status != string(api.OrderDeleted)
			if isKnown || isHidden {
				continue
			}
			if !yield(cache.OrderOf(record), nil) {
				return
			}
		}
	}
}

func listMissions(l *listing) error {
	if l.call.Output == "ics" {
		return l.printCalendar()
	}
	return printFormattedRows(l.call, "mission", columns.Missions(),
		"missionCode orderCode missionName missionType status operatorName flightDate country areaSize",
		eachOf(l.ordersOf(), missionsOf))
}

func missionsOf(order *api.Order) ([]api.Mission, error) { return order.Missions, nil }
