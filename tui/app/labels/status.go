package labels

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Status is how a status is shown: one glyph, one tone and one label everywhere.
type Status struct {
	Glyph       string
	Role        Tone
	Label       string // Awaiting operator
	Description string // a phrase that follows the label
	Wire        string // as the service sends it: awaitingPilot
}

var orderStatuses = map[api.OrderStatus]Status{
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

// Quotes is what is known of the quotes of an order.
type Quotes int

// The states of an order's quotes.
const (
	QuotesUnread  Quotes = iota // not known
	QuotesNone                  // none is open
	QuotesReady                 // one or more can be decided
	QuotesExpired               // all open ones have expired
)

var quotedOrders = map[Quotes]Status{
	QuotesNone:    {"◇", Pending, "In review", "quotes will follow", ""},
	QuotesReady:   {"◆", Attention, "Quotes ready", "quotes to decide", ""},
	QuotesExpired: {"◇", Pending, "Quotes expired", "no quote left to decide", ""},
}

var missionStatuses = map[api.MissionStatus]Status{
	api.MissionAwaitingPilot:   {"◌", Pending, "Awaiting operator", "nobody assigned yet", ""},
	api.MissionPilotAssigned:   {"◔", InProgress, "Operator assigned", "no flight date yet", ""},
	api.MissionFlightScheduled: {"◎", InProgress, "Flight scheduled", "date set", ""},
	api.MissionDataDelivered:   {"◕", Good, "Data delivered", "not accepted yet", ""},
	api.MissionCompleted:       {"●", Good, "Completed", "data accepted", ""},
	api.MissionCancelled:       {"⊖", Muted, "Cancelled", "with its order", ""},
}

var schedules = map[api.SchedulingStatus]Status{
	api.ScheduleProposed:    {"◌", Pending, "Proposed", "date not confirmed", ""},
	api.ScheduleConfirmed:   {"◎", InProgress, "Confirmed", "date agreed", ""},
	api.ScheduleRescheduled: {"◔", Attention, "Rescheduled", "date moved", ""},
	api.ScheduleCancelled:   {"⊖", Muted, "Cancelled", "date withdrawn", ""},
}

var permissions = map[api.PermissionStatus]Status{
	api.PermissionNotRequired: {"–", Muted, "Not required", "the flight needs no permission", ""},
	api.PermissionPending:     {"◇", Pending, "Pending", "requested, no decision yet", ""},
	api.PermissionGranted:     {"✓", Good, "Granted", "the flight is permitted", ""},
	api.PermissionRefused:     {"✗", Bad, "Refused", "must not fly", ""},
}

var deliveryStatuses = map[api.DeliveryStatus]Status{
	api.DeliveryDelivered: {"◕", Good, "Delivered", "not accepted yet", ""},
	api.DeliveryAccepted:  {"●", Good, "Accepted", "data accepted by the client", ""},
}

var quoteStatuses = map[api.QuoteStatus]Status{
	api.QuoteOpen:     {"◆", Attention, "Open", "can be decided", ""},
	api.QuoteAccepted: {"●", Good, "Accepted", "work starts on this quote", ""},
	api.QuoteRejected: {"✗", Bad, "Rejected", "rejected by the client", ""},
	api.QuoteClosed:   {"□", Muted, "Closed", "another quote was accepted", ""},
	api.QuoteUnknown:  {"?", Attention, "Unknown", "outcome of the decision unknown", ""},
}

var keyRequestStatuses = map[api.KeyRequestStatus]Status{
	api.KeyRequestPending:  {"◆", Attention, "Pending", "not answered yet", ""},
	api.KeyRequestApproved: {"✓", Good, "Approved", "the key was issued", ""},
	api.KeyRequestDeclined: {"✗", Bad, "Declined", "no key was issued", ""},
}

// In the v2 API the statuses of an order also say how its quotes are.
var recordStatuses = map[api.RecordStatus]Quotes{
	api.RecordReviewing: QuotesNone, "inReview": QuotesNone, api.RecordQuoteReceived: QuotesReady,
}

// Record is how the status of an order in the v2 API is shown.
func Record(s api.RecordStatus) Status {
	st := OrderStatus(api.OrderStatus(s))
	if quotes, ok := recordStatuses[s]; ok {
		st = quotedOrders[quotes]
	}
	st.Wire = string(s)
	return st
}

// Detail is the label with the value that the service sends.
func (s Status) Detail() string {
	if s.Wire == "" || strings.EqualFold(s.Wire, s.Label) {
		return s.Label
	}
	return s.Label + " (" + s.Wire + ")"
}

// OrderStatus is how an order's status is shown.
func OrderStatus(s api.OrderStatus) Status { return status(orderStatuses, s) }

// OrderState is how an order's status is shown where its quotes may be known:
// the status alone does not say whether there are any.
func OrderState(s api.OrderStatus, quotes Quotes) Status {
	if st, ok := quotedOrders[quotes]; ok && s == api.OrderBiddingWithQuote {
		st.Wire = string(s)
		return st
	}
	return OrderStatus(s)
}

// MissionStatus is how a mission's status is shown.
func MissionStatus(s api.MissionStatus) Status { return status(missionStatuses, s) }

// Schedule is how the status of a planning entry is shown.
func Schedule(s api.SchedulingStatus) Status { return status(schedules, s) }

// Permission is how the status of a flight permission is shown.
func Permission(s api.PermissionStatus) Status { return status(permissions, s) }

// Delivery is how the status of a delivery package or file is shown.
func Delivery(s api.DeliveryStatus) Status { return status(deliveryStatuses, s) }

// Quote is how the status of a quote is shown; an open one that has expired
// can no longer be decided.
func Quote(s api.QuoteStatus, expired bool) Status {
	if s == api.QuoteOpen && expired {
		return Status{"◇", Muted, "Expired", "cannot be decided", string(s)}
	}
	return status(quoteStatuses, s)
}

// KeyRequest is how the status of a request for a key is shown.
func KeyRequest(s api.KeyRequestStatus) Status { return status(keyRequestStatuses, s) }

func status[K ~string](known map[K]Status, k K) Status {
	st, ok := known[k]
	switch {
	case !ok && k == "":
		st = Status{Glyph: unknown, Label: format.None, Description: "no status was sent"}
	case !ok:
		st = Status{Glyph: unknown, Label: string(k), Description: "not known to this version"}
	}
	st.Wire = string(k)
	return st
}

// How callbacks fare.
var (
	Delivered = Status{"✓", Good, "Delivered", "answered 2xx", "success"}
	Sending   = Status{"◌", Pending, "Sending", "attempts left", "sending"}
	Failed    = Status{"✗", Bad, "Failed", "all attempts failed", "failed"}
	Missing   = Status{"!", Bad, "Missing", "expected, not in the log", "gap"}
)
