package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api/internal/tolerant"
)

// Quote is an offer to carry an order out.
type Quote struct {
	QuoteID             string       `json:"quoteId"`
	QuoteName           string       `json:"quoteName"`
	Description         string       `json:"description"` // why it was issued
	DeliveryBy          Days         `json:"deliveryBy"`  // at most so long
	PriceBeforeDiscount Price        `json:"priceBeforeDiscount"`
	Currency            string       `json:"currency"`         // ISO 4217
	DiscountProvided    string       `json:"discountProvided"` // as in "10%"; see [Quote.Discount]
	ReasonForDiscount   *string      `json:"reasonForDiscount"`
	FinalPrice          Price        `json:"finalPrice"`
	ExpiryDate          Time         `json:"expiryDate"` // until then it can be decided
	Extra               ExtraMembers `json:",embed"`
}

// Discount returns the discount in percent; ok is false where there is none to
// read.
func (q *Quote) Discount() (percent float64, ok bool) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(q.DiscountProvided), "%"))
	percent, err := strconv.ParseFloat(text, 64)
	return percent, err == nil
}

// QuoteStatus is the state of a quote; open like [OrderStatus].
type QuoteStatus string

// The known statuses of a quote.
const (
	QuoteOpen     QuoteStatus = "open" // undecided; it may have expired
	QuoteAccepted QuoteStatus = "accepted"
	QuoteRejected QuoteStatus = "rejected"
	QuoteClosed   QuoteStatus = "closed" // since another was accepted, or the order ended

	// QuoteUnknown is the client's own: no answer said what became of the quote.
	QuoteUnknown QuoteStatus = "unknown"
)

// QuoteStatuses lists the known statuses of a quote on the wire.
func QuoteStatuses() []QuoteStatus {
	return []QuoteStatus{QuoteOpen, QuoteAccepted, QuoteRejected, QuoteClosed}
}

// QuoteDecision is the state of a quote after an attempt to decide it, as its order shows it.
type QuoteDecision struct {
	Outcome QuoteStatus  // of this quote
	Quote   *Quote       // nil if the order does not have it
	Winner  *Quote       // the quote of the order that is accepted, this one or another; nil: none known
	Order   *OrderRecord // read after the attempt; nil if it could not be read

	Status     string // of the service's answer, to be shown: "Quote accepted"
	Receipt    *Quote // the quote that the service's answer names; nil if it names none
	Unanswered error  // why the service's answer does not count: it was lost, or a refusal; else nil
}

// DecisionError is a decision of a quote that was not confirmed. Decision says
// the state of the quote according to the order afterwards, and which quote won
// where another decision came first.
type DecisionError struct {
	Want     QuoteStatus // QuoteAccepted or QuoteRejected
	Decision QuoteDecision
	Err      error // of the call: the refusal, or why there was no answer
}

// Error returns one line.
func (e *DecisionError) Error() string { return e.Err.Error() + "; " + e.quoteState() }

func (e *DecisionError) quoteState() string {
	d := e.Decision
	switch {
	case d.Outcome == QuoteUnknown && d.Order != nil:
		return fmt.Sprintf("outcome unknown; the order is %s", d.Order.StageStatus())
	case d.Outcome == QuoteUnknown:
		return "outcome unknown; reload the order before retrying"
	case d.Outcome == QuoteOpen:
		return "the quote is still undecided"
	case d.Outcome == QuoteClosed && d.Winner != nil:
		return fmt.Sprintf(
			"the quote is closed: quote %s (%s) was accepted",
			d.Winner.QuoteID,
			d.Winner.QuoteName,
		)
	default:
		return "the quote is " + string(d.Outcome)
	}
}

// Unwrap returns the call's error.
func (e *DecisionError) Unwrap() error { return e.Err }

// QuotesService decides quotes.
type QuotesService serviceBase

// Accept accepts a quote. The request is sent once. Then the order is read, which decides what
// became of the quote, whatever the answer said. The error is a [*DecisionError] if the order
// does not show the quote as accepted or cannot be read, and an [*Error] if the service refused
// the request for another reason than that the quote was decided before.
func (s *QuotesService) Accept(ctx context.Context, orderID, quoteID string) (*QuoteDecision, error) {
	return s.decideQuote(ctx, orderID, quoteID, "accept", QuoteAccepted)
}

// Reject rejects a quote, as [QuotesService.Accept] accepts it.
func (s *QuotesService) Reject(ctx context.Context, orderID, quoteID string) (*QuoteDecision, error) {
	return s.decideQuote(ctx, orderID, quoteID, "reject", QuoteRejected)
}

func (s *QuotesService) decideQuote(
	ctx context.Context,
	orderID, quoteID, verb string,
	want QuoteStatus,
) (*QuoteDecision, error) {
	op := NewOperation(verb+" quote", "POST order/{}/quote/{}", orderID, quoteID)
	op.legacy, op.body = true, []byte(`{"status":"`+verb+`"}`)
	answer, err := s.c.perform(ctx, &op)
	isRefused := err != nil && !IsStatus(err, http.StatusConflict) && !MaybeApplied(err) && ctx.Err() == nil
	if isRefused {
		return nil, err
	}
	var receipt quoteReceipt
	if err == nil {
		receipt, err = readReceipt(op, answer)
	}
	d, readErr := s.readDecision(ctx, orderID, quoteID)
	d.Status, d.Receipt, d.Unanswered = receipt.Status, receipt.QuoteDetails, err
	switch {
	case d.Outcome == want:
		return &d, nil
	case err == nil && readErr != nil:
		err = foreignError(op, "sent, but the order could not be read: "+readErr.Error())
	case err == nil:
		err = foreignError(op, "the order does not show the quote as "+string(want))
	}
	return nil, &DecisionError{Want: want, Decision: d, Err: err}
}

// quoteReceipt is what the service answers to a decision.
type quoteReceipt struct {
	Status       string `json:"status"` // "Quote accepted"
	QuoteDetails *Quote `json:"quoteDetails"`
}

// readReceipt reads the answer to a decision. The specification does not show the answer to a
// rejection, so an answer without a receipt is no error. A refusal is.
func readReceipt(op Operation, body []byte) (receipt quoteReceipt, err error) {
	v, message, err := readAnswer(op, body)
	var refusal *Error
	if errors.As(err, &refusal) && !refusal.Foreign {
		return receipt, err
	}
	if err != nil {
		return receipt, nil //nolint:nilerr // the order tells what became of the quote
	}
	decided := tolerant.Shape{Own: []string{"status", "quoteDetails"}}
	if record, ok := tolerant.FindRecord(v, decided); ok {
		_ = DecodeRecord(record, &receipt) // it is an object
	}
	receipt.Status = cmp.Or(receipt.Status, message)
	if receipt.QuoteDetails != nil {
		receipt.QuoteDetails.settlePrices()
	}
	return receipt, nil
}

// readDecision reads from its order how a quote stands.
func (s *QuotesService) readDecision(ctx context.Context, orderID, quoteID string) (QuoteDecision, error) {
	r, err := (*RecordsService)(s).Get(ctx, orderID)
	if r == nil {
		return QuoteDecision{Outcome: QuoteUnknown}, err
	}
	d := quoteStanding(r, quoteID)
	d.Order = r
	return d, err
}

// quoteStanding returns how a quote of an order stands.
func quoteStanding(r *OrderRecord, quoteID string) QuoteDecision {
	d := QuoteDecision{Outcome: QuoteUnknown, Winner: r.AcceptedQuote}
	find := func(quotes []Quote, outcome QuoteStatus) bool {
		i := slices.IndexFunc(quotes, func(q Quote) bool { return q.QuoteID == quoteID })
		if i < 0 {
			return false
		}
		d.Quote, d.Outcome = &quotes[i], outcome
		return true
	}
	switch {
	case r.AcceptedQuote != nil && r.AcceptedQuote.QuoteID == quoteID:
		d.Quote, d.Outcome = r.AcceptedQuote, QuoteAccepted
	case find(r.RejectedQuotes, QuoteRejected), find(r.ClosedQuotes, QuoteClosed), find(r.Quotes, QuoteOpen):
	}
	return d
}

// DecisionOf returns what is known of a decision that did not succeed, nil
// where err is not about one.
func DecisionOf(err error) *QuoteDecision {
	var e *DecisionError
	if errors.As(err, &e) {
		return &e.Decision
	}
	return nil
}

// IsExpired reports whether it is too late at the time now to decide the quote. A quote that
// expires on a day without a time can be decided until that day ends in the zone of now.
// A quote whose expiry was not read is not expired as far as is known.
func (q *Quote) IsExpired(now time.Time) bool {
	if q.ExpiryDate.DateOnly {
		return now.After(q.ExpiryDate.EndDay(now.Location()).End())
	}
	return q.ExpiryDate.IsRead() && !now.Before(q.ExpiryDate.Time)
}
