package cli

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/quoting"
)

// printCalendar writes flights, deadlines and expiries of quotes as a calendar.
func (l *listing) printCalendar() error {
	stopWaiting := l.call.ShowWaiting("loading missions")
	defer stopWaiting()
	var missing missingRows // of orders and quotes
	source := l.loadCalendar(&missing)
	events := source.Events()
	if len(events) == 0 {
		// An empty calendar would hide that the events could not be read, so none is written.
		if err := missing.describe(); err != nil {
			return err
		}
	}
	s := l.call.Service
	if err := plan.WriteCalendar(l.call.Out(), events, s.Now(), s.Host(), s.Units); err != nil {
		return err
	}
	return missing.describeIncomplete("missions")
}

// loadCalendar reads what the calendar shows. If --status or --limit selects missions, the calendar has only the
// flights of these missions and the deadlines of their orders. It adds the errors of orders and quotes that cannot
// be read to the missing rows.
func (l *listing) loadCalendar(missing *missingRows) plan.Source {
	s := l.call.Service
	source := plan.Source{Now: s.Now(), Units: s.Units}
	orders := l.loadOrders(missing)
	source.Missions = l.selectMissions(orders, l.statusFilter())
	isLimited := l.Status != "" || l.Limit > 0
	if isLimited {
		return source
	}
	source.Orders = orders
	if s.LegacyBaseURL != "" {
		source.Quotes = l.loadOpenQuotes(missing)
	}
	return source
}

// loadOrders returns the orders of --of that can be read. It adds the errors of the other orders to the
// missing rows.
func (l *listing) loadOrders(missing *missingRows) []*api.Order {
	var orders []*api.Order
	for order, err := range l.ordersOf() {
		if err == nil {
			orders = append(orders, order)
			continue
		}
		missing.addFault(err)
		if !missing.canContinue(l.call, err) {
			break
		}
	}
	return orders
}

// statusFilter returns a function that reports whether a mission has the status of --status, which is a status of the
// service or its label.
func (l *listing) statusFilter() func(*cache.Mission) bool {
	states := quoteStates{call: l.call}
	return func(m *cache.Mission) bool {
		if l.Status == "" || string(m.Status) == l.Status {
			return true
		}
		state := missionState(&m.Mission, m.Order, states.Of)
		return strings.EqualFold(state.Label, l.Status)
	}
}

// selectMissions returns the missions of orders that are wanted, at most --limit missions.
func (l *listing) selectMissions(orders []*api.Order, isWanted func(*cache.Mission) bool) []*cache.Mission {
	var missions []*cache.Mission
	for _, order := range orders {
		for _, mission := range columns.MissionsIn([]api.Order{*order}) {
			if l.Limit > 0 && len(missions) == int(l.Limit) {
				return missions
			}
			if isWanted(mission) {
				missions = append(missions, mission)
			}
		}
	}
	return missions
}

// loadOpenQuotes returns the open quotes of each order, or nothing if the service has no quotes. It adds the
// errors of orders that cannot be read to the missing rows.
func (l *listing) loadOpenQuotes(missing *missingRows) []*quoting.QuotedOrder {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.call.FindRecord(l.Of))
	}
	var quoted []*quoting.QuotedOrder
	for record, err := range records {
		if isUnavailable(err) && len(quoted) == 0 {
			return nil
		}
		if err == nil {
			quoted = append(quoted, quoting.NewQuotedOrder(l.call.closeArchived(record), l.call.Service.Now()))
			continue
		}
		missing.addFault(err)
		if !missing.canContinue(l.call, err) {
			break
		}
	}
	return quoted
}
