package labels

import (
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// StatusLabel is how a status is shown: one glyph, one tone and one label everywhere.
type StatusLabel struct {
	Glyph       string
	Role        Tone
	Label       string // Awaiting operator
	Description string // a phrase that follows the label
	Wire        string // as the service sends it: awaitingPilot
}

var orderStatuses = map[api.OrderStatus]StatusLabel{
	api.OrderBiddingWithQuote: {"◇", Pending, "Bidding", "no quote accepted yet", ""},
	api.OrderPendingOperator:  {"◌", Pending, "Awaiting operator", "quote accepted, operators pending", ""},
	api.OrderOperatorAssigned: {"◔", InProgress, "Operator assigned", "flight dates pending", ""},
	api.OrderFlyingDateSet:    {"◎", InProgress, "Flight scheduled", "all flights have a date", ""},
	api.OrderCompleted:        {"●", Good, "Completed", "all data delivered", ""},
	api.OrderNotFeasible:      {"△", Bad, "Not feasible", "cannot be captured as ordered", ""},
	api.OrderCancelled:        {"⊖", Muted, "Cancelled", "by the client", ""},
	api.OrderRejected:         {"✗", Bad, "Rejected", "before a quote was accepted", ""},
	api.OrderArchived:         {"□", Muted, "Archived", "read-only", ""},
	api.OrderDeleted:          {"⊗", Muted, "Deleted", "by an admin", ""},
}

// QuoteCounts is what is known of the quotes of an order.
type QuoteCounts int

// The states of an order's quotes.
const (
	QuotesUnread  QuoteCounts = iota // not known
	QuotesNone                       // none is open
	QuotesReady                      // one or more can be decided
	QuotesExpired                    // all open ones have expired
)

var quotedOrders = map[QuoteCounts]StatusLabel{
	QuotesNone:    {"◇", Pending, "In review", "quotes will follow", ""},
	QuotesReady:   {"◆", Attention, "Quotes ready", "quotes to decide", ""},
	QuotesExpired: {"◇", Pending, "Quotes expired", "no quote left to decide", ""},
}

var missionStatuses = map[api.MissionStatus]StatusLabel{
	api.MissionAwaitingPilot:   {"◌", Pending, "Awaiting operator", "nobody assigned yet", ""},
	api.MissionPilotAssigned:   {"◔", InProgress, "Operator assigned", "no flight date yet", ""},
	api.MissionFlightScheduled: {"◎", InProgress, "Flight scheduled", "date set", ""},
	api.MissionDataDelivered:   {"◕", Good, "Data delivered", "not accepted yet", ""},
	api.MissionCompleted:       {"●", Good, "Completed", "data accepted", ""},
	api.MissionCancelled:       {"⊖", Muted, "Cancelled", "with its order", ""},
}

var schedules = map[api.SchedulingStatus]StatusLabel{
	api.ScheduleProposed:    {"◌", Pending, "Proposed", "date not confirmed", ""},
	api.ScheduleConfirmed:   {"◎", InProgress, "Confirmed", "date agreed", ""},
	api.ScheduleRescheduled: {"◔", Attention, "Rescheduled", "date moved", ""},
	api.ScheduleCancelled:   {"⊖", Muted, "Cancelled", "date withdrawn", ""},
}

var permissions = map[api.PermissionStatus]StatusLabel{
	api.PermissionNotRequired: {"–", Muted, "Not required", "the flight needs no permission", ""},
	api.PermissionPending:     {"◇", Pending, "Pending", "requested, no decision yet", ""},
	api.PermissionGranted:     {"✓", Good, "Granted", "the flight is permitted", ""},
	api.PermissionRefused:     {"✗", Bad, "Refused", "must not fly", ""},
}

var deliveryStatuses = map[api.DeliveryStatus]StatusLabel{
	api.DeliveryDelivered: {"◕", Good, "Delivered", "not accepted yet", ""},
	api.DeliveryAccepted:  {"●", Good, "Accepted", "data accepted by the client", ""},
}

var quoteStatuses = map[api.QuoteStatus]StatusLabel{
	api.QuoteOpen:     {"◆", Attention, "Open", "can be decided", ""},
	api.QuoteAccepted: {"●", Good, "Accepted", "work starts on this quote", ""},
	api.QuoteRejected: {"✗", Bad, "Rejected", "rejected by the client", ""},
	api.QuoteClosed:   {"□", Muted, "Closed", "another quote was accepted", ""},
	api.QuoteUnknown:  {"?", Attention, "Unknown", "outcome of the decision unknown", ""},
}

var keyRequestStatuses = map[ops.KeyRequestStatus]StatusLabel{
	ops.KeyRequestPending:  {"◆", Attention, "Pending", "not answered yet", ""},
	ops.KeyRequestApproved: {"✓", Good, "Approved", "the key was issued", ""},
	ops.KeyRequestDeclined: {"✗", Bad, "Declined", "no key was issued", ""},
}

// In the v2 API the statuses of an order also say how its quotes are.
var recordStatuses = map[api.RecordStatus]QuoteCounts{
	api.RecordReviewing: QuotesNone, "inReview": QuotesNone, api.RecordQuoteReceived: QuotesReady,
}

// RecordLabel returns how the status of an order in the v2 API is shown.
func RecordLabel(s api.RecordStatus) StatusLabel {
	st := OrderStatus(api.OrderStatus(s))
	if quotes, ok := recordStatuses[s]; ok {
		st = quotedOrders[quotes]
	}
	st.Wire = string(s)
	return st
}

// DetailText returns the label with the value that the service sends.
func (s StatusLabel) DetailText() string {
	if s.Wire == "" || strings.EqualFold(s.Wire, s.Label) {
		return s.Label
	}
	return s.Label + " (" + s.Wire + ")"
}

// OrderStatus returns how an order's status is shown.
func OrderStatus(s api.OrderStatus) StatusLabel { return statusFor(orderStatuses, s) }

// OrderState returns how an order's status is shown where its quotes may be known:
// the status alone does not say whether there are any.
func OrderState(s api.OrderStatus, quotes QuoteCounts) StatusLabel {
	if st, ok := quotedOrders[quotes]; ok && s == api.OrderBiddingWithQuote {
		st.Wire = string(s)
		return st
	}
	return OrderStatus(s)
}

// MissionStatus returns how a mission's status is shown.
func MissionStatus(s api.MissionStatus) StatusLabel { return statusFor(missionStatuses, s) }

// ScheduleLabel returns how the status of a planning entry is shown.
func ScheduleLabel(s api.SchedulingStatus) StatusLabel { return statusFor(schedules, s) }

// PermissionLabel returns how the status of a flight permission is shown.
func PermissionLabel(s api.PermissionStatus) StatusLabel { return statusFor(permissions, s) }

// DeliveryLabel returns how the status of a delivery package or file is shown.
func DeliveryLabel(s api.DeliveryStatus) StatusLabel { return statusFor(deliveryStatuses, s) }

// QuoteLabel returns how the status of a quote is shown; an open one that has expired
// can no longer be decided.
func QuoteLabel(s api.QuoteStatus, expired bool) StatusLabel {
	if s == api.QuoteOpen && expired {
		return StatusLabel{"◇", Muted, "Expired", "cannot be decided", string(s)}
	}
	return statusFor(quoteStatuses, s)
}

// KeyRequest returns how the status of a request for a key is shown.
func KeyRequest(s ops.KeyRequestStatus) StatusLabel { return statusFor(keyRequestStatuses, s) }

func statusFor[K ~string](known map[K]StatusLabel, k K) StatusLabel {
	st, ok := known[k]
	switch {
	case !ok && k == "":
		st = StatusLabel{Glyph: unknown, Label: format.None, Description: "no status was sent"}
	case !ok:
		st = StatusLabel{Glyph: unknown, Label: string(k), Description: "not known to this version"}
	}
	st.Wire = string(k)
	return st
}

// How callbacks fare.
var (
	Delivered = StatusLabel{"✓", Good, "Delivered", "answered 2xx", "success"}
	Sending   = StatusLabel{"◌", Pending, "Sending", "attempts left", "sending"}
	Failed    = StatusLabel{"✗", Bad, "Failed", "all attempts failed", "failed"}
	Missing   = StatusLabel{"!", Bad, "Missing", "expected, not in the log", "gap"}
)
