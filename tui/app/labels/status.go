package labels

import (
	"strings"

	"flightdesk/api"
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

// QuoteCounts is what is known of the quotes of an order.
type QuoteCounts string

// The states of an order's quotes.
const (
	QuotesUnread  QuoteCounts = ""        // not known
	QuotesNone    QuoteCounts = "none"    // none is open
	QuotesReady   QuoteCounts = "ready"   // one or more can be decided
	QuotesExpired QuoteCounts = "expired" // all open ones have expired
)

// In the v2 API the statuses of an order also say how its quotes are.
var recordStatuses = map[api.RecordStatus]QuoteCounts{
	api.RecordReviewing: QuotesNone, "inReview": QuotesNone, api.RecordQuoteReceived: QuotesReady,
}

// RecordLabel returns how the status of an order in the v2 API is shown.
func RecordLabel(s api.RecordStatus) StatusLabel {
	if look, ok := findLook(recordStatuses[s]); ok {
		return StatusLabel{look, string(s)}
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
	if look, ok := findLook(quotes); ok && s == api.OrderBiddingWithQuote {
		return StatusLabel{look, string(s)}
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
	st, ok := findLook(v)
	switch {
	case !ok && v == "":
		st = StatusLook{Glyph: unknown, Label: format.None, Description: "no status was sent"}
	case !ok:
		st = StatusLook{Glyph: unknown, Label: string(v), Description: "not known to this version"}
	}
	return StatusLabel{st, string(v)}
}

type callbackOutcome string

// How callbacks fare.
var (
	Delivered = Status(callbackOutcome("success"))
	Sending   = Status(callbackOutcome("sending"))
	Failed    = Status(callbackOutcome("failed"))
	Missing   = Status(callbackOutcome("gap"))
)
