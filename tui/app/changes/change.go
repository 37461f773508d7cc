package changes

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
)

// Kind says what a change does, for instance "accepted" for accepting a quote.
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

// quoteNote is the kind of a note that earlier versions wrote to the log. Notes are skipped when the log
// is read.
const quoteNote Kind = "note"

// Change is a change of a quote, an order or an endpoint on the service. It is logged as one flat JSON object.
type Change struct {
	At        time.Time `json:"at"`
	Kind      Kind      `json:"kind"`
	Host      string    `json:"host"` // host name of the service
	Account   string    `json:"account"`
	OrderID   string    `json:"orderId"`   // ID of the changed order, or of the order of the quote
	OrderName string    `json:"orderName"` // name of the order; code and name if the change is about a quote

	Quote    QuoteSubject    `json:",embed"` // set if the change is about a quote
	Request  OrderRequest    `json:",embed"` // set if the change places an order
	Endpoint EndpointSubject `json:",embed"` // set if the change is about an endpoint

	// Known has the IDs of the orders or endpoints that existed before the change. An order or endpoint with
	// another ID can be the one that the change has created.
	Known       []string `json:"known,omitempty"`
	KnownUnread bool     `json:"knownUnread,omitempty"` // Known is incomplete: the list could not be loaded

	Outcome Outcome `json:",embed"`
}

// QuoteSubject is the quote that the user accepted or rejected, as it was displayed.
type QuoteSubject struct {
	ID      string   `json:"quoteId"`
	Name    string   `json:"quoteName"`
	Price   string   `json:"price"`             // with the currency
	Days    string   `json:"days"`              // delivery time
	Against []string `json:"against,omitempty"` // names and prices of the order's other open quotes
}

// OrderRequest is the order that a change places.
type OrderRequest struct {
	Key    string          `json:"key,omitempty"`    // idempotency key
	Digest string          `json:"digest,omitempty"` // hash of the request
	Order  *api.OrderInput `json:"order,omitempty"`  // the order that the user confirmed
	Sites  int             `json:"sites,omitempty"`  // number of sites
	Shape  uint64          `json:"shape,omitempty"`  // sum of the shape hashes of the sites, see cache.ShapeHash

	Draft      string         `json:"draft,omitempty"`      // ID of the draft from which the order was placed
	DraftSites map[int]uint64 `json:"draftSites,omitempty"` // hashes of the ordered sites, by site ID in the draft
}

// EndpointSubject is the webhook endpoint that a change registers or removes.
type EndpointSubject struct {
	ID      string `json:"endpointId,omitempty"`
	Address string `json:"address,omitempty"`
}

// State returns the state of the change, such as [Confirmed].
func (c *Change) State() State { return c.Outcome.State }

// IsOpen reports whether the change was sent and its outcome is still unknown.
func (c *Change) IsOpen() bool { return c.State() == Sent }

// IsConfirmed reports whether the service has confirmed the change.
func (c *Change) IsConfirmed() bool { return c.State() == Confirmed }

// MarkSent sets the state to [Sent]. It is called just before the change is sent.
func (c *Change) MarkSent() { c.Outcome = Outcome{State: Sent, Text: sentText} }

// Confirm records that the service has made the change. The note may be empty.
func (c *Change) Confirm(note string) { c.Outcome = NewConfirmed(note) }

// Fail records that the service did not make the change.
func (c *Change) Fail(reason string) { c.Outcome = NewFailed(reason) }

// Close stops looking for the outcome of the change and sets its state to [Unknown].
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

// subject returns the ID or address of the order, quote or endpoint that the change is about.
func (c *Change) subject() string {
	return cmp.Or(c.Request.Key, c.Quote.ID, c.Endpoint.ID, c.Endpoint.Address, c.OrderID)
}

// isOutcomeOf reports whether c is a log entry about the same change as sent and therefore has its outcome.
func (c *Change) isOutcomeOf(sent *Change) bool {
	isSameChange := sent.Host == c.Host && sent.Kind == c.Kind && sent.subject() == c.subject()
	return isSameChange && sent.IsOpen()
}
