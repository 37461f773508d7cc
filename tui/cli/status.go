package cli

import (
	"cmp"
	"slices"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
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
