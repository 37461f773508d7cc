package quoting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/layout"
)

// Decider makes decisions in the background and keeps what came of them.
type Decider struct {
	Client  *api.Client
	Log     *ledger.Ledger // nil keeps nothing
	Host    string
	Account string
	Notes   map[string]string // by quote id
	Now     func() time.Time
}

// DecisionResult is what came of the decision of one quote.
type DecisionResult struct {
	Offer  *Offer
	Status api.QuoteStatus // of the quote by now; [api.QuoteUnknown] where nobody knows
	Fault  string          // what the user is told, "" where all is as it was wanted

	said    bool   // by the service, that it is done
	outcome string // as it is logged
}

// Decide decides each quote of d once, as [Decider.DecideEach] does. The error has
// what is not as it was wanted.
func (m *Decider) Decide(ctx context.Context, d *Decision) error {
	results, err := m.DecideEach(ctx, d)
	var faults []string
	for _, r := range results {
		if r.Fault != "" {
			faults = append(faults, r.Fault)
		}
	}
	if err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// DecideEach decides each quote of d once. The order is read before, since the
// quotes may have changed while this was held back, and after, since what counts
// is how the service has it. The error is that nothing was sent, with no results,
// or that the log could not be written.
func (m *Decider) DecideEach(ctx context.Context, d *Decision) ([]DecisionResult, error) {
	before, err := m.Client.Records.Get(ctx, d.Order.ID)
	if err != nil {
		return nil, fmt.Errorf("not sent: could not read the order: %w", explainedError{err})
	}
	board := NewSet(before, m.Now())
	results := make([]DecisionResult, len(d.Offers))
	for i, o := range d.Offers {
		results[i] = m.decideOne(ctx, d, o, &board)
	}
	m.readBack(ctx, d, results)
	var unkept []error
	for _, r := range results {
		unkept = append(unkept, m.logResult(d, r))
	}
	return results, errors.Join(unkept...)
}

// explainedError is an error in the words of people.
type explainedError struct{ error }

func (e explainedError) Error() string { return explainError(e.error) }
func (e explainedError) Unwrap() error { return e.error }

// decideOne decides one quote, unless it is no longer as it was shown. Where ctx ends
// meanwhile, the order is read all the same: it may have been decided.
func (m *Decider) decideOne(ctx context.Context, d *Decision, o *Offer, board *OfferSet) DecisionResult {
	r := DecisionResult{Offer: o, Status: api.QuoteUnknown}
	if at := board.FindOffer(o.QuoteID); at != nil {
		r.Status = at.Status
	}
	if r.Fault = ChangedReason(d.Kind, o, board, m.Now()); r.Fault != "" {
		r.outcome = r.Fault
		return r
	}
	// It is in the log before it leaves, or one who kills the program now would
	// not find it there. What keeps it from being written is said with the outcome.
	_ = m.logResult(d, DecisionResult{Offer: o, outcome: ledger.Unanswered})
	decide := m.Client.Quotes.Accept
	if d.Kind == ledger.Rejected {
		decide = m.Client.Quotes.Reject
	}
	answer, err := decide(ctx, d.Order.ID, o.QuoteID)
	if err != nil && ctx.Err() != nil {
		answer, err = m.readInterrupted(ctx, d, o, err)
	}
	switch {
	case err != nil:
		r.Fault = verdictText(err, o)
		r.outcome = r.Fault
		if said := api.DecisionOf(err); said != nil {
			r.Status = said.Outcome
		}
	case answer.Order != nil:
		r.Status, r.outcome = answer.Outcome, "confirmed by the order; the response was lost"
	default:
		r.Status, r.said, r.outcome = answer.Outcome, true, "confirmed"
		if r.Fault = receiptFault(d.Kind, answer.Quote, o); r.Fault != "" {
			r.outcome += "; " + r.Fault
		}
	}
	return r
}

// receiptFault says that the service names another quote or price than the one that
// was decided, "" if it does not.
func receiptFault(kind ledger.EntryKind, receipt *api.Quote, o *Offer) string {
	if receipt == nil {
		return ""
	}
	said := Offer{Quote: *receipt}
	said.Currency = cmp.Or(said.Currency, o.Currency)
	if said.QuoteID == o.QuoteID && (!IsKnown(said.FinalPrice) || said.PriceText() == o.PriceText()) {
		return ""
	}
	return fmt.Sprintf(
		"the service %s %s for %s, not %s for %s",
		kind,
		said.DisplayName(),
		said.PriceText(),
		o.DisplayName(),
		o.PriceText(),
	)
}

// readInterrupted reads what became of a decision during which ctx ended.
func (m *Decider) readInterrupted(
	ctx context.Context,
	d *Decision,
	o *Offer,
	interrupted error,
) (*api.QuoteDecision, error) {
	after, cancel := ledger.ReadBackContext(ctx)
	defer cancel()
	record, err := m.Client.Records.Get(after, d.Order.ID)
	if err != nil {
		return nil, interrupted
	}
	board := NewSet(record, m.Now())
	at := board.FindOffer(o.QuoteID)
	switch {
	case at == nil:
		return nil, interrupted
	case string(at.Status) == string(d.Kind):
		return &api.QuoteDecision{Outcome: at.Status, Quote: &at.Quote, Order: record}, nil
	}
	return nil, &api.DecisionError{
		Want:     api.QuoteStatus(d.Kind),
		Decision: api.QuoteDecision{Outcome: at.Status, Winner: record.AcceptedQuote},
		Err:      interrupted,
	}
}

// ChangedReason says why a quote is not decided after all, "" where it is as it was
// shown.
func ChangedReason(kind ledger.EntryKind, o *Offer, board *OfferSet, now time.Time) string {
	at := board.FindOffer(o.QuoteID)
	switch {
	case at == nil:
		return o.DisplayName() + " is no longer among the order's quotes; not sent"
	case at.Status != api.QuoteOpen:
		return byOthers(at.Status, o, board.AcceptedOffer())
	case at.IsExpired(now):
		return o.DisplayName() + " has expired; not sent"
	case kind == ledger.Accepted && at.FinalPrice.IsUnread():
		return "the price of " + o.DisplayName() + " could not be read; not sent"
	case kind == ledger.Accepted && (at.PriceText() != o.PriceText() || at.DeliveryBy != o.DeliveryBy):
		return fmt.Sprintf(
			"%s has changed to %s, %s; not sent, review it again",
			o.DisplayName(),
			at.PriceText(),
			at.DeliveryBy,
		)
	}
	return ""
}

// AcceptedOffer returns the accepted offer, nil for none.
func (b *OfferSet) AcceptedOffer() *Offer {
	for _, o := range b.Decided {
		if o.Status == api.QuoteAccepted {
			return o
		}
	}
	return nil
}

// byOthers says that somebody else was first.
func byOthers(stands api.QuoteStatus, o, winner *Offer) string {
	if stands != api.QuoteAccepted && winner != nil {
		return fmt.Sprintf(
			"%s is %s: someone else accepted %s, %s",
			o.DisplayName(),
			stands,
			winner.DisplayName(),
			winner.PriceText(),
		)
	}
	return fmt.Sprintf("%s was already decided by someone else: %s", o.DisplayName(), stands)
}

// readBack reads how the quotes stand that the service said it has decided.
func (m *Decider) readBack(ctx context.Context, d *Decision, results []DecisionResult) {
	said := false
	for i := range results {
		said = said || results[i].said
	}
	if !said {
		return
	}
	ctx, cancel := ledger.ReadBackContext(ctx)
	defer cancel()
	after, err := m.Client.Records.Get(ctx, d.Order.ID)
	for i := range results {
		r := &results[i]
		switch {
		case !r.said:
		case err != nil:
			r.outcome = "confirmed by the response; the order could not be reloaded"
			r.Fault = fmt.Sprintf(
				"the service reports %s as %s, but the order could not be reloaded: %s",
				r.Offer.DisplayName(),
				d.Kind,
				explainError(err),
			)
		default:
			b := NewSet(after, m.Now())
			at := b.FindOffer(r.Offer.QuoteID)
			if at != nil && string(at.Status) == string(d.Kind) {
				continue
			}
			stands := "does not show it"
			r.Status = api.QuoteUnknown
			if at != nil {
				r.Status = at.Status
				stands = "shows it as " + labels.QuoteLabel(at.Status, false).Label
			}
			r.Fault = fmt.Sprintf(
				"the service reports %s as %s, but its order %s; reload it",
				r.Offer.DisplayName(),
				d.Kind,
				stands,
			)
			r.outcome = r.Fault
		}
	}
}

// logResult logs what came of a decision.
func (m *Decider) logResult(d *Decision, r DecisionResult) error {
	if m.Log == nil {
		return nil
	}
	e := d.Entry(r.Offer)
	e.At, e.Host, e.Account, e.Note, e.Outcome = m.Now(), m.Host, m.Account, m.Notes[r.Offer.QuoteID], r.outcome
	return m.Log.AddEntry(e)
}

// verdictText says what became of a quote whose decision was not confirmed.
func verdictText(err error, o *Offer) string {
	said := api.DecisionOf(err)
	var refusal *api.Error
	isRefusal := errors.As(err, &refusal)
	switch {
	case said == nil:
		return o.DisplayName() + " is still undecided: " + explainError(err)
	case isRefusal && refusal.Code == api.CodeQuoteExpired:
		return o.DisplayName() + " expired before the decision arrived; nothing was decided"
	case said.Outcome == api.QuoteAccepted, said.Outcome == api.QuoteRejected, said.Outcome == api.QuoteClosed:
		var winner *Offer
		if said.Winner != nil {
			winner = &Offer{Quote: *said.Winner}
		}
		return byOthers(said.Outcome, o, winner)
	case said.Outcome == api.QuoteOpen && isRefusal:
		return fmt.Sprintf("not decided: %s; %s is still open", layout.Clean(refusal.Message), o.DisplayName())
	case said.Outcome == api.QuoteOpen:
		return fmt.Sprintf("no response; %s is still open, nothing was decided", o.DisplayName())
	default:
		return fmt.Sprintf("no response, outcome of %s unknown; reload before deciding again", o.DisplayName())
	}
}

// explainError returns what went wrong, in a sentence or two without the last stop.
func explainError(err error) string {
	what, advice := labels.ExplainError(err)
	return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(what, ".")+". "+advice), ".")
}
