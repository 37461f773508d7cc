package labels

import (
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// StatusLook is how a status is shown: one glyph, one tone and one label everywhere.
type StatusLook struct {
	Glyph       string
	Role        Tone
	Label       string // Awaiting operator
	Description string // a phrase that follows the label
}

// StatusLabel is a status with how it is shown.
type StatusLabel struct {
	StatusLook
	Wire string // as the service sends it: awaitingPilot
}

// statuses are those of all kinds.
var statuses = map[any]StatusLook{
	api.OrderBiddingWithQuote: {"◇", Pending, "Bidding", "no quote accepted yet"},
	api.OrderPendingOperator:  {"◌", Pending, "Awaiting operator", "quote accepted, operators pending"},
	api.OrderOperatorAssigned: {"◔", InProgress, "Operator assigned", "flight dates pending"},
	api.OrderFlyingDateSet:    {"◎", InProgress, "Flight scheduled", "all flights have a date"},
	api.OrderCompleted:        {"●", Good, "Completed", "all data delivered"},
	api.OrderNotFeasible:      {"△", Bad, "Not feasible", "cannot be captured as ordered"},
	api.OrderCancelled:        {"⊖", Muted, "Cancelled", "by the client"},
	api.OrderRejected:         {"✗", Bad, "Rejected", "before a quote was accepted"},
	api.OrderArchived:         {"□", Muted, "Archived", "read-only"},
	api.OrderDeleted:          {"⊗", Muted, "Deleted", "by an admin"},

	api.MissionAwaitingPilot:   {"◌", Pending, "Awaiting operator", "nobody assigned yet"},
	api.MissionPilotAssigned:   {"◔", InProgress, "Operator assigned", "no flight date yet"},
	api.MissionFlightScheduled: {"◎", InProgress, "Flight scheduled", "date set"},
	api.MissionDataDelivered:   {"◕", Good, "Data delivered", "not accepted yet"},
	api.MissionCompleted:       {"●", Good, "Completed", "data accepted"},
	api.MissionCancelled:       {"⊖", Muted, "Cancelled", "with its order"},

	api.ScheduleProposed:    {"◌", Pending, "Proposed", "date not confirmed"},
	api.ScheduleConfirmed:   {"◎", InProgress, "Confirmed", "date agreed"},
	api.ScheduleRescheduled: {"◔", Attention, "Rescheduled", "date moved"},
	api.ScheduleCancelled:   {"⊖", Muted, "Cancelled", "date withdrawn"},

	api.PermissionNotRequired: {"–", Muted, "Not required", "the flight needs no permission"},
	api.PermissionPending:     {"◇", Pending, "Pending", "requested, no decision yet"},
	api.PermissionGranted:     {"✓", Good, "Granted", "the flight is permitted"},
	api.PermissionRefused:     {"✗", Bad, "Refused", "must not fly"},

	api.DeliveryDelivered: {"◕", Good, "Delivered", "not accepted yet"},
	api.DeliveryAccepted:  {"●", Good, "Accepted", "data accepted by the client"},

	api.QuoteOpen:     {"◆", Attention, "Open", "can be decided"},
	api.QuoteAccepted: {"●", Good, "Accepted", "work starts on this quote"},
	api.QuoteRejected: {"✗", Bad, "Rejected", "rejected by the client"},
	api.QuoteClosed:   {"□", Muted, "Closed", "another quote was accepted"},
	api.QuoteUnknown:  {"?", Attention, "Unknown", "outcome of the decision unknown"},

	ops.KeyRequestPending:  {"◆", Attention, "Pending", "not answered yet"},
	ops.KeyRequestApproved: {"✓", Good, "Approved", "the key was issued"},
	ops.KeyRequestDeclined: {"✗", Bad, "Declined", "no key was issued"},
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

var quotedOrders = map[QuoteCounts]StatusLook{
	QuotesNone:    {"◇", Pending, "In review", "quotes will follow"},
	QuotesReady:   {"◆", Attention, "Quotes ready", "quotes to decide"},
	QuotesExpired: {"◇", Pending, "Quotes expired", "no quote left to decide"},
}

// In the v2 API the statuses of an order also say how its quotes are.
var recordStatuses = map[api.RecordStatus]QuoteCounts{
	api.RecordReviewing: QuotesNone, "inReview": QuotesNone, api.RecordQuoteReceived: QuotesReady,
}

// RecordLabel returns how the status of an order in the v2 API is shown.
func RecordLabel(s api.RecordStatus) StatusLabel {
	if quotes, ok := recordStatuses[s]; ok {
		return StatusLabel{quotedOrders[quotes], string(s)}
	}
	return Status(api.OrderStatus(s))
}

// DetailText returns the label with the value that the service sends.
func (s StatusLabel) DetailText() string {
	if s.Wire == "" || strings.EqualFold(s.Wire, s.Label) {
		return s.Label
	}
	return s.Label + " (" + s.Wire + ")"
}

// OrderState returns how an order's status is shown where its quotes may be known:
// the status alone does not say whether there are any.
func OrderState(s api.OrderStatus, quotes QuoteCounts) StatusLabel {
	if st, ok := quotedOrders[quotes]; ok && s == api.OrderBiddingWithQuote {
		return StatusLabel{st, string(s)}
	}
	return Status(s)
}

// QuoteLabel returns how the status of a quote is shown; an open one that has expired
// can no longer be decided.
func QuoteLabel(s api.QuoteStatus, expired bool) StatusLabel {
	if s == api.QuoteOpen && expired {
		return StatusLabel{StatusLook{"◇", Muted, "Expired", "cannot be decided"}, string(s)}
	}
	return Status(s)
}

// Status returns how a status is shown.
func Status[T ~string](v T) StatusLabel {
	st, ok := statuses[v]
	switch {
	case !ok && v == "":
		st = StatusLook{Glyph: unknown, Label: format.None, Description: "no status was sent"}
	case !ok:
		st = StatusLook{Glyph: unknown, Label: string(v), Description: "not known to this version"}
	}
	return StatusLabel{st, string(v)}
}

// How callbacks fare.
var (
	Delivered = StatusLabel{StatusLook{"✓", Good, "Delivered", "answered 2xx"}, "success"}
	Sending   = StatusLabel{StatusLook{"◌", Pending, "Sending", "attempts left"}, "sending"}
	Failed    = StatusLabel{StatusLook{"✗", Bad, "Failed", "all attempts failed"}, "failed"}
	Missing   = StatusLabel{StatusLook{"!", Bad, "Missing", "expected, not in the log"}, "gap"}
)
