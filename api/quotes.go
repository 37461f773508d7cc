package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"flightdesk/api/internal/tolerant"
)

// Quote is an operator's offer to carry out an order.
type Quote struct {
	QuoteID             string       `json:"quoteId"`
	QuoteName           string       `json:"quoteName"`
	Description         string       `json:"description"` // why the quote was issued
	DeliveryBy          Days         `json:"deliveryBy"`  // maximum time until delivery
	PriceBeforeDiscount Price        `json:"priceBeforeDiscount"`
	Currency            string       `json:"currency"`         // ISO 4217
	DiscountProvided    string       `json:"discountProvided"` // such as "10%"; see [Quote.Discount]
	ReasonForDiscount   *string      `json:"reasonForDiscount"`
	FinalPrice          Price        `json:"finalPrice"`
	ExpiryDate          Time         `json:"expiryDate"` // end of the time in which the quote can be decided
	Extra               ExtraMembers `json:",embed"`
}

// Discount returns the discount in percent. ok is false if there is no discount or its text
// is not a number.
func (q *Quote) Discount() (percent float64, ok bool) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(q.DiscountProvided), "%"))
	percent, err := strconv.ParseFloat(text, 64)
	return percent, err == nil
}

// QuoteStatus is the state of a quote. Like an [OrderStatus], it can have unknown values.
type QuoteStatus string

// The known statuses of a quote.
const (
	QuoteOpen     QuoteStatus = "open" // undecided, possibly expired
	QuoteAccepted QuoteStatus = "accepted"
	QuoteRejected QuoteStatus = "rejected"
	QuoteClosed   QuoteStatus = "closed" // another quote was accepted, or the order ended

	// QuoteUnknown is never sent by the service: the client could not find out the status.
	QuoteUnknown QuoteStatus = "unknown"
)

// QuoteStatuses lists the known statuses of a quote that the service sends.
func QuoteStatuses() []QuoteStatus {
	return []QuoteStatus{QuoteOpen, QuoteAccepted, QuoteRejected, QuoteClosed}
}

// QuoteDecision is the state of a quote after an attempt to decide it, according to its order.
type QuoteDecision struct {
	Outcome QuoteStatus  // status of this quote
	Quote   *Quote       // nil if the order does not contain the quote
	Winner  *Quote       // the accepted quote of the order, this or another; nil if none is known
	Order   *OrderRecord // read after the attempt; nil if it could not be read

	Status     string // status text of the service's response, such as "Quote accepted"
	Receipt    *Quote // the quote in the service's response, or nil
	Unanswered error  // why there is no valid response: it was lost or an error; otherwise nil
}

// DecisionError is the error of a decision that the order does not confirm. Decision has the
// state of the quote according to the order, and the winning quote if another decision came
// first.
type DecisionError struct {
	Want     QuoteStatus // QuoteAccepted or QuoteRejected
	Decision QuoteDecision
	Err      error // the error response, or why there was no response
}

// Error returns one line.
func (e *DecisionError) Error() string { return e.Err.Error() + "; " + e.quoteState() }

// quoteState describes the state of the quote for an error text.
func (e *DecisionError) quoteState() string {
	d := e.Decision
	switch d.Outcome {
	case QuoteUnknown:
		if d.Order != nil {
			return fmt.Sprintf("outcome unknown; the order is %s", d.Order.StageStatus())
		}
		return "outcome unknown; reload the order before retrying"
	case QuoteOpen:
		return "the quote is still undecided"
	case QuoteClosed:
		if d.Winner != nil {
			return fmt.Sprintf("the quote is closed: quote %s (%s) was accepted", d.Winner.QuoteID, d.Winner.QuoteName)
		}
	}
	return "the quote is " + string(d.Outcome)
}

// Unwrap returns the error of the call.
func (e *DecisionError) Unwrap() error { return e.Err }

// QuotesService accepts and rejects quotes.
type QuotesService serviceBase

// Accept accepts a quote. It sends the request once and then reads the order, which shows the outcome regardless of
// the response. The error is a [*DecisionError] if the order does not show the quote as accepted, or could not be
// read. If the service certainly did not apply the request, Accept does not read the order and returns an [*Error]. A
// quote that was decided before is not such a case.
func (s *QuotesService) Accept(ctx context.Context, orderID, quoteID string) (*QuoteDecision, error) {
	return s.decideQuote(ctx, orderID, quoteID, "accept", QuoteAccepted)
}

// Reject rejects a quote. See [QuotesService.Accept] for its errors.
func (s *QuotesService) Reject(ctx context.Context, orderID, quoteID string) (*QuoteDecision, error) {
	return s.decideQuote(ctx, orderID, quoteID, "reject", QuoteRejected)
}

// decideQuote sends a decision, "accept" or "reject", and then reads the order to see whether the quote has the
// wanted status. It does not read the order if the service certainly did not apply the decision.
func (s *QuotesService) decideQuote(
	ctx context.Context,
	orderID, quoteID, verb string,
	want QuoteStatus,
) (*QuoteDecision, error) {
	op := NewOperation(verb+" quote", "POST order/{}/quote/{}", orderID, quoteID)
	op.legacy = true
	op.body = []byte(`{"status":"` + verb + `"}`)
	body, sendErr := s.c.perform(ctx, &op)
	wasDecidedBefore := IsStatus(sendErr, http.StatusConflict)
	mayBeDecided := sendErr == nil || wasDecidedBefore || MaybeApplied(sendErr) || ctx.Err() != nil
	if !mayBeDecided {
		return nil, sendErr
	}
	decision, readErr := s.readDecision(ctx, orderID, quoteID) // usable even with readErr
	if sendErr != nil {
		decision.Unanswered = sendErr
	} else {
		decision.addReceipt(op, body)
	}
	if decision.Outcome == want {
		return &decision, nil
	}
	return nil, &DecisionError{Want: want, Decision: decision, Err: decision.unconfirmedError(op, want, readErr)}
}

// addReceipt adds the receipt in the body of the response to a decision. If the body has no receipt, it sets
// Unanswered to the reason.
func (d *QuoteDecision) addReceipt(op Operation, body []byte) {
	receipt, err := readReceipt(op, body)
	d.Status = receipt.Status
	d.Receipt = receipt.QuoteDetails
	d.Unanswered = err
}

// unconfirmedError returns why the decision is not confirmed. readErr is the error of reading the order,
// or nil.
func (d *QuoteDecision) unconfirmedError(op Operation, want QuoteStatus, readErr error) error {
	if d.Unanswered != nil {
		return d.Unanswered
	}
	if readErr != nil {
		return foreignError(op, "sent, but the order could not be read: "+readErr.Error())
	}
	return foreignError(op, "the order does not show the quote as "+string(want))
}

// quoteReceipt is the response to a decision.
type quoteReceipt struct {
	Status       string `json:"status"` // "Quote accepted"
	QuoteDetails *Quote `json:"quoteDetails"`
}

// readReceipt reads the response to a decision. The specification does not show the response
// to a rejection, so only an error response is an error, not a missing receipt.
func readReceipt(op Operation, body []byte) (receipt quoteReceipt, err error) {
	v, message, err := readResponse(op, body)
	var refusal *Error
	if errors.As(err, &refusal) && !refusal.Foreign {
		return receipt, err
	}
	if err != nil {
		return receipt, nil //nolint:nilerr // the order shows the outcome
	}
	receiptShape := tolerant.Shape{Own: []string{"status", "quoteDetails"}}
	if record, ok := tolerant.FindRecord(v, receiptShape); ok {
		_ = DecodeRecord(record, &receipt) // no error, because the record is an object
	}
	receipt.Status = cmp.Or(receipt.Status, message)
	if receipt.QuoteDetails != nil {
		receipt.QuoteDetails.checkPrices()
	}
	return receipt, nil
}

// readDecision reads the order of a quote and returns the state of the quote. The decision can be used even if there
// is an error: its Outcome is [QuoteUnknown] if the quote could not be read.
func (s *QuotesService) readDecision(ctx context.Context, orderID, quoteID string) (QuoteDecision, error) {
	r, err := (*RecordsService)(s).Get(ctx, orderID)
	if r == nil {
		return QuoteDecision{Outcome: QuoteUnknown}, err
	}
	d := findQuoteState(r, quoteID)
	d.Order = r
	return d, err
}

// findQuoteState returns the state of a quote according to its order. The state is [QuoteUnknown] if the order does
// not have the quote.
func findQuoteState(r *OrderRecord, quoteID string) QuoteDecision {
	d := QuoteDecision{Outcome: QuoteUnknown, Winner: r.AcceptedQuote}
	if r.AcceptedQuote != nil && r.AcceptedQuote.QuoteID == quoteID {
		d.Quote = r.AcceptedQuote
		d.Outcome = QuoteAccepted
	} else if quote := findQuote(r.RejectedQuotes, quoteID); quote != nil {
		d.Quote = quote
		d.Outcome = QuoteRejected
	} else if quote := findQuote(r.ClosedQuotes, quoteID); quote != nil {
		d.Quote = quote
		d.Outcome = QuoteClosed
	} else if quote := findQuote(r.Quotes, quoteID); quote != nil {
		d.Quote = quote
		d.Outcome = QuoteOpen
	}
	return d
}

// findQuote returns the quote with an ID, or nil.
func findQuote(quotes []Quote, id string) *Quote {
	for i := range quotes {
		if quotes[i].QuoteID == id {
			return &quotes[i]
		}
	}
	return nil
}

// DecisionOf returns the decision of a [*DecisionError] in err's chain, or nil.
func DecisionOf(err error) *QuoteDecision {
	var e *DecisionError
	if errors.As(err, &e) {
		return &e.Decision
	}
	return nil
}

// IsExpired reports whether the quote can no longer be decided at the time now. If the expiry date has no time, the
// quote can be decided until the end of that day in now's time zone. A quote without a readable expiry date is not
// expired.
func (q *Quote) IsExpired(now time.Time) bool {
	if q.ExpiryDate.DateOnly {
		return now.After(q.ExpiryDate.EndDay(now.Location()).End())
	}
	return q.ExpiryDate.IsRead() && !now.Before(q.ExpiryDate.Time)
}
