package changes

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
)

// Kind is what a change does. The kind of a change of a mission's or an order's status is the new status.
type Kind string

// The other kinds of change.
const (
	QuoteAccepted Kind = "accepted"
	QuoteRejected Kind = "rejected"
	OrderPlaced   Kind = "placed"
)

// quoteNote is the kind of the notes on quotes that earlier versions logged; they are
// skipped.
const quoteNote Kind = "note"

// State says how far a change has come.
type State string

// The states of a change.
const (
	Held      State = "held"      // not sent yet
	Sent      State = "sent"      // the outcome is looked for on the service
	Confirmed State = "confirmed" // the service has made the change
	Failed    State = "failed"    // the service did not make the change, or made another one
	Unknown   State = "unknown"   // the user ended looking for the outcome
)

// Change is a change of something on the service.
type Change struct {
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Host      string    `json:"host"` // of the service
	Account   string    `json:"account"`
	OrderID   string    `json:"orderId"`
	OrderName string    `json:"orderName"`
	QuoteID   string    `json:"quoteId"`
	QuoteName string    `json:"quoteName"`
	Price     string    `json:"price"`             // the text that the user saw, with the currency
	Days      string    `json:"days"`              // delivery time, as the user saw it
	Against   []string  `json:"against,omitempty"` // the other open quotes, name and price
	Outcome   string    `json:"outcome,omitempty"` // in words; State interprets it

	Key    string          `json:"key,omitempty"`    // idempotency key of an order
	Digest string          `json:"digest,omitempty"` // of the order's request
	Order  *api.OrderInput `json:"order,omitempty"`  // the order that the user confirmed
	Sites  int             `json:"sites,omitempty"`  // number of its sites
	Shape  uint64          `json:"shape,omitempty"`  // sum of the shape hashes of its sites
	Known  []string        `json:"known,omitempty"`  // IDs of orders or endpoints that existed before

	KnownUnread bool `json:"knownUnread,omitempty"` // Known is incomplete: the list could not be loaded

	Draft      string         `json:"draft,omitempty"`      // ID of the draft of the order
	DraftSites map[int]uint64 `json:"draftSites,omitempty"` // fingerprints of the draft's sites in the order, by site ID

	EndpointID string `json:"endpointId,omitempty"`
	Address    string `json:"address,omitempty"` // of an endpoint
}

// The outcomes of changes that have not failed. Every other outcome says why a change failed.
const (
	sentOutcome      = "sent; outcome unknown"
	confirmedOutcome = "confirmed" // can be followed by a note
	closedOutcome    = "closed; outcome unknown"
)

// State returns the state that follows from the outcome of the change.
func (c *Change) State() State {
	switch {
	case c.Outcome == "":
		return Held
	case c.Outcome == sentOutcome:
		return Sent
	case c.Outcome == closedOutcome:
		return Unknown
	case strings.HasPrefix(c.Outcome, confirmedOutcome):
		return Confirmed
	default:
		return Failed
	}
}

// IsOpen reports whether the change was sent and its outcome is still looked for.
func (c *Change) IsOpen() bool { return c.State() == Sent }

// IsConfirmed reports whether the service has confirmed the change.
func (c *Change) IsConfirmed() bool { return c.State() == Confirmed }

// MarkSent sets the outcome of a change that is about to be sent.
func (c *Change) MarkSent() { c.Outcome = sentOutcome }

// Confirm sets the outcome of a change that the service has made. The note may be empty.
func (c *Change) Confirm(note string) {
	c.Outcome = confirmedOutcome
	if note != "" {
		c.Outcome += "; " + note
	}
}

// Fail sets the outcome of a change that the service did not make.
func (c *Change) Fail(reason string) { c.Outcome = reason }

// Close ends the search for the outcome of a change; the outcome stays unknown.
func (c *Change) Close() { c.Outcome = closedOutcome }

// IsQuote reports whether the change is about a quote.
func (c *Change) IsQuote() bool { return c.QuoteID != "" }

// OrderLabel returns the code and the name of the order. The log may have only one of them.
func (c *Change) OrderLabel() string {
	if c.IsQuote() {
		return c.OrderName // has the code
	}
	return strings.TrimSpace(c.OrderID + " " + c.OrderName)
}

// Describe returns a summary such as "accepted AeroScan for ORD-7".
func (c *Change) Describe() string {
	if c.IsQuote() {
		return fmt.Sprintf("%s %s for %s", c.Kind, c.QuoteName, c.OrderLabel())
	}
	return string(c.Kind) + " " + cmp.Or(c.Address, c.OrderLabel())
}

// subject identifies what is changed.
func (c *Change) subject() string {
	return cmp.Or(c.Key, c.QuoteID, c.EndpointID, c.Address, c.OrderID)
}

// isOutcomeOf reports whether c has the outcome of a change that was sent.
func (c *Change) isOutcomeOf(sent *Change) bool {
	isSameChange := sent.Host == c.Host && sent.Kind == c.Kind && sent.subject() == c.subject()
	return isSameChange && sent.IsOpen()
}
