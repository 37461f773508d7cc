package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// quotedStates are the states of quotes for which an order without an accepted quote has a separate label, such as
// "Quotes ready". Otherwise its label is "In review".
var quotedStates = []format.QuoteState{format.QuotesReady, format.QuotesExpired}

// quotedLabels returns the labels that an order without an accepted quote has in the quotedStates.
func quotedLabels() []string {
	var labels []string
	for _, state := range quotedStates {
		labels = append(labels, format.OrderState(api.OrderBiddingWithQuote, state).Label)
	}
	return labels
}

// labelsOf returns the labels that people read for statuses of the service.
func labelsOf[T ~string](statuses []T) []string {
	labels := make([]string, len(statuses))
	for i, status := range statuses {
		labels[i] = format.Status(status).Label
	}
	return labels
}

// orderLabels returns the labels of the statuses that orders have in tables.
func orderLabels() []string { return append(labelsOf(api.OrderStatuses()), quotedLabels()...) }

// missionLabels returns the labels of the statuses that missions have in tables.
func missionLabels() []string {
	undecided := format.MissionState(api.MissionAwaitingPilot, api.OrderBiddingWithQuote, format.QuotesUnread).Label
	return slices.Concat(labelsOf(api.MissionStatuses()), []string{undecided}, quotedLabels())
}

// quoteLabels returns the labels of the statuses that quotes have in tables.
func quoteLabels() []string { return append(labelsOf(api.QuoteStatuses()), expiredQuote()) }

// expiredQuote returns the label of an open quote that has expired.
func expiredQuote() string { return format.QuoteLabel(api.QuoteOpen, true).Label }

// recordLabels returns the labels of the statuses that v2 records have in tables.
func recordLabels() []string {
	var labels []string
	for _, status := range api.RecordStatuses() {
		labels = append(labels, format.RecordLabel(status).Label)
	}
	return append(labels, expiredRecord())
}

// expiredRecord returns the label of a v2 record whose quotes have all expired.
func expiredRecord() string {
	return format.RecordState(api.RecordQuoteReceived, format.QuotesExpired).Label
}

// isLabel reports whether a typed text is one of the labels, ignoring case.
func isLabel(typed string, labels []string) bool {
	return slices.ContainsFunc(labels, func(label string) bool { return strings.EqualFold(label, typed) })
}

// orderStatusOf returns the order status whose label the user typed. Other texts are returned unchanged, because they
// can be a status.
func orderStatusOf(typed string) api.OrderStatus {
	if isLabel(typed, quotedLabels()) {
		return api.OrderBiddingWithQuote
	}
	for _, status := range api.OrderStatuses() {
		if strings.EqualFold(format.Status(status).Label, typed) {
			return status
		}
	}
	return api.OrderStatus(typed)
}

// recordStatusOf returns the v2 status whose label the user typed. Other texts are returned unchanged, because they
// can be a status.
func recordStatusOf(typed string) api.RecordStatus {
	if strings.EqualFold(typed, expiredRecord()) {
		return api.RecordQuoteReceived
	}
	for _, status := range api.RecordStatuses() {
		if strings.EqualFold(format.RecordLabel(status).Label, typed) {
			return status
		}
	}
	return api.RecordStatus(typed)
}

// orderStatusFlag is a flag that selects orders by a status of the service or by its label.
type orderStatusFlag struct {
	choice[api.OrderStatus]
	label string // the typed label; "" if a status of the service was typed
}

// Set selects the typed status.
func (f *orderStatusFlag) Set(typed string) error {
	f.label = ""
	if isLabel(typed, orderLabels()) {
		f.label = typed
	}
	return f.choice.Set(string(orderStatusOf(typed)))
}

// String returns the typed label, or otherwise the selected status.
func (f *orderStatusFlag) String() string { return cmp.Or(f.label, f.choice.String()) }

// hasLabels reports whether the list needs labels of statuses, which can depend on quotes: because it is printed for
// people, or because --status is a label. Other lists only have the statuses that the service sends.
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
		q.open = quoting.StatesOf(quoting.StandingsOf(&open, service.Now()))
	}
	fault := open.ReadFault()
	if fault != nil && data.HasQuotes() && q.call.Err() == nil {
		fmt.Fprintln(q.call.Stderr(), "some quotes are not known: "+format.Clean(fault.Error()))
	}
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

// missionState returns the label of a mission's status. The order is the order of the mission, or nil if it is
// unknown. quotesOf returns the state of the order's quotes. It is called only if the label depends on them.
func missionState(
	mission *api.Mission, order *api.Order, quotesOf func(orderID string) format.QuoteState,
) format.StatusLabel {
	isUndecided := order != nil && order.Status == api.OrderBiddingWithQuote
	if !isUndecided || mission.Status != api.MissionAwaitingPilot {
		return format.Status(mission.Status)
	}
	return format.MissionState(mission.Status, order.Status, quotesOf(order.UUID))
}

// missionsIn returns the columns for the missions of an order. The status of a mission is shown with a label that
// depends on the order and on the state of its quotes.
func missionsIn(order *api.Order, quotes format.QuoteState) []columns.Column[*api.Mission] {
	return columns.WithState(columns.Missions(), func(m *api.Mission) format.StatusLabel {
		return format.MissionState(m.Status, order.Status, quotes)
	})
}
