package cli

import (
	"cmp"
	"fmt"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
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
	if err := l.checkQuotedStatus(); err != nil {
		return err
	}
	return printFormattedRows(l.call, "order", columns.Orders(l.quotes()),
		"orderCode orderName status missionCount areaSize deadline createdAt", l.allOrders())
}

// quotes returns a function that returns the state of an order's quotes. The function is nil if the output does not
// depend on quotes.
func (l *listing) quotes() func(orderID string) format.QuoteState {
	if !l.hasLabels() {
		return nil
	}
	states := quoteStates{call: l.call}
	return states.Of
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
		hasRecords := false
		for record, err := range l.call.Service.Client.Records.All(l.call, api.RecordListOptions{}) {
			if isUnavailable(err) && !hasRecords {
				return
			}
			hasRecords = true
			if err != nil {
				yield(nil, fmt.Errorf("orders that only the v2 API has: %w", err))
				return
			}
			isKnown := knownNames[record.ID] || knownNames[record.OrderCode]
			isHidden := record.StageStatus() == api.RecordDeleted && orderStatusOf(l.Status) != api.OrderDeleted
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
	return printFormattedRows(l.call, "mission", all,
		"missionCode orderCode missionName missionType status operatorName flightDate country areaSize", missions)
}

func missionsOf(order *api.Order) ([]api.Mission, error) { return order.Missions, nil }
