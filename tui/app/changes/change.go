package changes

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
)

// Kind says what a change does to its subject, as a past participle.
type Kind string

// The kinds of changes.
const (
	QuoteAccepted      Kind = "accepted"
	QuoteRejected      Kind = "rejected"
	OrderPlaced        Kind = "placed"
	OrderCancelled     Kind = "cancelled"
	OrderArchived      Kind = "archived"
	OrderRejected      Kind = "rejected" // the same text as QuoteRejected; [Change.IsQuote] tells them apart
	EndpointRegistered Kind = "registered"
	EndpointRemoved    Kind = "removed"
)

// quoteNote is the kind of the notes on quotes that earlier versions logged; they are
// skipped.
const quoteNote Kind = "note"

// Change is a change of something on the service. Its subject is a quote, an order or an endpoint.
// In the log, the members of all parts are members of one JSON object.
type Change struct {
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Host      string    `json:"host"` // of the service
	Account   string    `json:"account"`
	OrderID   string    `json:"orderId"`   // of the order that is changed, or of the quote's order
	OrderName string    `json:"orderName"` // with the code if the subject is a quote

	Quote    QuoteSubject    `json:",embed"` // set if the subject is a quote
	Request  OrderRequest    `json:",embed"` // set if the change places an order
	Endpoint EndpointSubject `json:",embed"` // set if the subject is an endpoint

	// Known has the IDs of the orders or endpoints that existed before an order was placed or an
	// endpoint registered.
	Known       []string `json:"known,omitempty"`
	KnownUnread bool     `json:"knownUnread,omitempty"` // Known is incomplete: the list could not be loaded

	Outcome Outcome `json:",embed"`
}

// QuoteSubject is the quote that a change decides, as the user saw it.
type QuoteSubject struct {
	ID      string   `json:"quoteId"`
	Name    string   `json:"quoteName"`
	Price   string   `json:"price"`             // with the currency
	Days    string   `json:"days"`              // delivery time
	Against []string `json:"against,omitempty"` // the other open quotes, name and price
}

// OrderRequest is the order that a change places.
type OrderRequest struct {
	Key    string          `json:"key,omitempty"`    // idempotency key
	Digest string          `json:"digest,omitempty"` // of the request
	Order  *api.OrderInput `json:"order,omitempty"`  // the order that the user confirmed
	Sites  int             `json:"sites,omitempty"`  // number of sites
	Shape  uint64          `json:"shape,omitempty"`  // sum of the shape hashes of the sites

	Draft      string         `json:"draft,omitempty"`      // ID of the draft of the order
	DraftSites map[int]uint64 `json:"draftSites,omitempty"` // fingerprints of the draft's sites in the order, by site ID
}

// EndpointSubject is the webhook endpoint that a change registers or removes.
type EndpointSubject struct {
	ID      string `json:"endpointId,omitempty"`
	Address string `json:"address,omitempty"`
}

// State says how far the change has come.
func (c *Change) State() State { return c.Outcome.State }

// IsOpen reports whether the change was sent and its outcome is still looked for.
func (c *Change) IsOpen() bool { return c.State() == Sent }

// IsConfirmed reports whether the service has confirmed the change.
func (c *Change) IsConfirmed() bool { return c.State() == Confirmed }

// MarkSent sets the outcome of a change that is about to be sent.
func (c *Change) MarkSent() { c.Outcome = Outcome{State: Sent, Text: sentText} }

// Confirm sets the outcome of a change that the service has made. The note may be empty.
func (c *Change) Confirm(note string) { c.Outcome = NewConfirmed(note) }

// Fail sets the outcome of a change that the service did not make.
func (c *Change) Fail(reason string) { c.Outcome = NewFailed(reason) }

// Close ends the search for the outcome of a change; the outcome stays unknown.
func (c *Change) Close() { c.Outcome = Outcome{State: Unknown, Text: closedText} }

// IsQuote reports whether the change is about a quote.
func (c *Change) IsQuote() bool { return c.Quote.ID != "" }

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
		return fmt.Sprintf("%s %s for %s", c.Kind, c.Quote.Name, c.OrderLabel())
	}
	return string(c.Kind) + " " + cmp.Or(c.Endpoint.Address, c.OrderLabel())
}

// subject returns an ID or address that identifies the order, quote or endpoint of the change.
func (c *Change) subject() string {
	return cmp.Or(c.Request.Key, c.Quote.ID, c.Endpoint.ID, c.Endpoint.Address, c.OrderID)
}

// isOutcomeOf reports whether c has the outcome of a change that was sent.
func (c *Change) isOutcomeOf(sent *Change) bool {
	isSameChange := sent.Host == c.Host && sent.Kind == c.Kind && sent.subject() == c.subject()
	return isSameChange && sent.IsOpen()
}
