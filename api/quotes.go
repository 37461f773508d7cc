package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
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

// QuoteDecision is the state of a quote after an attempt to decide it.
type QuoteDecision struct {
	Outcome QuoteStatus  // of this quote
	Quote   *Quote       // nil where no answer had it
	Winner  *Quote       // the quote of the order that is accepted, this one or another; nil: none known
	Status  string       // as the service put it, "Quote accepted"; "" where its answer was lost
	Order   *OrderRecord // read where the answer was lost or refused; else nil
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

// Accept accepts a quote. It is sent once: where the answer was lost, or the
// service refused since the quote was decided before, the order is read and
// tells. The error is then a [*DecisionError], unless the order shows the
// quote as accepted. Another refusal is an [*Error].
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
	got, err := s.c.perform(ctx, &op)
	if err == nil {
		var decision *QuoteDecision
		if decision, err = readDecision(op, got, quoteID, want); err == nil {
			return decision, nil
		}
		return s.readBack(ctx, orderID, quoteID, want, err)
	}
	if !IsStatus(err, http.StatusConflict) && !MaybeApplied(err) && ctx.Err() == nil {
		return nil, err
	}
	return s.readBack(ctx, orderID, quoteID, want, err)
}

// readBack reads from the order what has become of a decision.
func (s *QuotesService) readBack(
	ctx context.Context,
	orderID, quoteID string,
	want QuoteStatus,
	err error,
) (*QuoteDecision, error) {
	decision := s.readStanding(ctx, orderID, quoteID)
	if decision.Outcome == want {
		return &decision, nil
	}
	return nil, &DecisionError{Want: want, Decision: decision, Err: err}
}

// readDecision reads the answer to a decision. Only one that says of the quote what
// was wanted is a confirmation; after any other the order has to tell.
func readDecision(op Operation, body []byte, quoteID string, want QuoteStatus) (*QuoteDecision, error) {
	v, message, err := readAnswer(op, body)
	if err != nil {
		return nil, err
	}
	var said struct {
		Status       string       `json:"status"`
		OrderStatus  RecordStatus `json:"orderStatus"`
		QuoteDetails *Quote       `json:"quoteDetails"`
	}
	decided := tolerant.Shape{Own: append([]string{"status"}, orderShape.Own...), Lists: orderShape.Lists}
	if record, ok := tolerant.FindRecord(v, decided); ok {
		err = DecodeRecord(record, &said)
	}
	text := cmp.Or(said.Status, message, tolerant.Text(v))
	if v.Kind() == '{' {
		text = cmp.Or(said.Status, message)
	}
	if err != nil || !saysDecision(text, want) {
		refusal := foreignError(op, "the service did not confirm that the quote is "+string(want))
		if text != "" {
			refusal.Message += ": " + text
		}
		return nil, refusal
	}
	d := QuoteDecision{Outcome: want, Quote: said.QuoteDetails, Status: text}
	if d.Quote != nil {
		d.Quote.settlePrices()
		if d.Quote.QuoteID == "" {
			d.Quote.QuoteID = quoteID
		}
	}
	if want == QuoteAccepted {
		d.Winner = d.Quote
	}
	return &d, nil
}

var decisionTexts = map[QuoteStatus]*regexp.Regexp{
	QuoteAccepted: regexp.MustCompile(
		`(?i)^\W*(?:the\s+)?(?:quote\s+)?(?:has been |was |is )?(?:successfully )?(?:accepted|confirmed|approved)(?: successfully)?\W*$`,
	),
	QuoteRejected: regexp.MustCompile(
		`(?i)^\W*(?:the\s+)?(?:quote\s+)?(?:has been |was |is )?(?:successfully )?(?:rejected|declined)(?: successfully)?\W*$`,
	),
}

// saysDecision reports whether a text says nothing but that a quote is decided so.
func saysDecision(text string, want QuoteStatus) bool { return decisionTexts[want].MatchString(text) }

// readStanding reads how a quote stands from its order.
func (s *QuotesService) readStanding(ctx context.Context, orderID, quoteID string) QuoteDecision {
	r, err := (*RecordsService)(s).Get(ctx, orderID)
	if err != nil {
		return QuoteDecision{Outcome: QuoteUnknown}
	}
	d := quoteStanding(r, quoteID)
	d.Order = r
	return d
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
