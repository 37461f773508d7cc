package cli

import (
	"fmt"
	"slices"
	"sync"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// listOrders prints the orders of the account. [listing.allOrders] reads them, and [printFormattedRows] selects and
// formats them. The label of an order without an accepted quote depends on its quotes, such as "quotes ready".
func listOrders(l *listing) error {
	if err := l.checkQuotedStatus(); err != nil {
		return err
	}
	const firstColumns = "orderCode orderName status missionCount areaSize deadline createdAt"
	all := columns.Orders(l.quotes())
	return printFormattedRows(l.call, "order", all, firstColumns, l.allOrders())
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
		hasV2 := l.call.Service.LegacyBaseURL != ""
		if !hasV2 {
			return
		}
		for order, err := range l.legacyOrders(listed) {
			if !yield(order, err) {
				return
			}
		}
	}
}

// legacyOrders returns the orders of the v2 API, without the orders whose ID or code is in listed, and
// without hidden orders. It returns nothing if the service does not show the v2 API to the key.
func (l *listing) legacyOrders(listed map[string]bool) Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		hasRecords := false
		for record, err := range l.call.Service.Client.Records.All(l.call, api.RecordListOptions{}) {
			isWithoutV2 := isUnavailable(err) && !hasRecords
			if isWithoutV2 {
				return
			}
			hasRecords = true
			if err != nil {
				yield(nil, fmt.Errorf("orders that only the v2 API has: %w", err))
				return
			}
			isListed := listed[record.ID] || listed[record.OrderCode]
			if isListed || l.isHidden(record) {
				continue
			}
			if !yield(cache.OrderOf(record), nil) {
				return
			}
		}
	}
}

// isHidden reports whether an order of the v2 API is left out, because it is deleted and --status does
// not select deleted orders.
func (l *listing) isHidden(record *api.OrderRecord) bool {
	selectsDeleted := orderStatusOf(l.Status) == api.OrderDeleted
	return record.StageStatus() == api.RecordDeleted && !selectsDeleted
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

// hasLabels reports whether the list needs labels of statuses. A label is a text for people and can depend on the
// quotes of an order. The list needs labels if it is printed for people, if the flag --labels is set, or if the value
// of --status is a label. Other lists only have the statuses that the service sends.
func (l *listing) hasLabels() bool {
	isForPrograms := l.call.Output == "json" || l.call.Output == "csv" && !l.Labels
	isWireStatus := l.Status == "" || slices.Contains(l.kind.statuses, l.Status)
	return !isForPrograms || !isWireStatus
}

// checkQuotedStatus returns an error if --status is a label that depends on quotes, and the profile has no
// address of the v2 API, which has the quotes.
func (l *listing) checkQuotedStatus() error {
	if isLabel(l.Status, quotedLabels()) {
		return l.call.Service.CheckHasV2("quotes")
	}
	return nil
}

// quoteStates has the state of the quotes of each order of an account. It is loaded when it is first needed.
type quoteStates struct {
	call *Call
	load sync.Once
	open map[string]format.QuoteState // of orders with open quotes, by order ID; nil if unknown
}

// Of returns the state of the quotes of the order with the given ID.
func (q *quoteStates) Of(orderID string) format.QuoteState {
	q.load.Do(q.read)
	if q.open == nil {
		return format.QuotesUnread
	}
	if state, isListed := q.open[orderID]; isListed {
		return state
	}
	return format.QuotesNone
}

// read loads the orders with open quotes. If they cannot be read, it prints a warning, unless the service does not
// show quotes to the profile's key.
func (q *quoteStates) read() {
	service := q.call.Service
	if service.LegacyBaseURL == "" {
		return
	}
	data := cache.New(service.Client, service.Client.Now)
	data.LoadNeeds(q.call, func() []cache.Need { return []cache.Need{data.AllQuotes()} })
	open := data.Quotes()
	if !open.At.IsZero() {
		q.open = quoting.StatesOf(quoting.QuotedOrders(&open, service.Now()))
	}
	fault := open.ReadFault()
	if fault != nil && data.HasQuotes() && q.call.Err() == nil {
		fmt.Fprintln(q.call.Stderr(), "some quotes are not known: "+format.Clean(fault.Error()))
	}
}
