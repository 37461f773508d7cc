package quoting

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
)

// Decider makes decisions in the background and keeps what came of them.
type Decider struct {
	Client  *api.Client
	Log     *Log // nil keeps nothing
	Host    string
	Account string
	Notes   map[string]string // by quote id
	Now     func() time.Time
}

// result is what came of the decision of one quote.
type result struct {
	offer   *Offer
	said    bool   // by the service, that it is done
	outcome string // as it is logged
	fault   string // what the user is told, "" where all is as it was wanted
}

// Decide decides each quote of d once. The order is read before, since the quotes
// may have changed while this was held back, and after, since what counts is
// how the service has it.
func (m *Decider) Decide(ctx context.Context, d *Decision) error {
	before, err := m.Client.Records.Get(ctx, d.Order.ID)
	if err != nil {
		return errors.New("nothing was sent, since the order could not be read: " + explained(err))
	}
	board := NewSet(before, m.Now())
	results := make([]result, len(d.Offers))
	for i, o := range d.Offers {
		results[i] = m.one(ctx, d, o, &board)
	}
	m.readBack(ctx, d, results)
	var faults []string
	for _, r := range results {
		if r.fault != "" {
			faults = append(faults, r.fault)
		}
		if err := m.keep(d, r); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// one decides one quote, unless it is no longer as it was shown.
func (m *Decider) one(ctx context.Context, d *Decision, o *Offer, board *Set) result {
	r := result{offer: o}
	if r.fault = Changed(d.Kind, o, board, m.Now()); r.fault != "" {
		r.outcome = r.fault
		return r
	}
	decide := m.Client.Quotes.Accept
	if d.Kind == Rejected {
		decide = m.Client.Quotes.Reject
	}
	answer, err := decide(ctx, d.Order.ID, o.QuoteID)
	switch {
	case err != nil:
		r.fault = verdict(err, o)
		r.outcome = r.fault
	case answer.Order != nil:
		r.outcome = "confirmed: the answer was lost, and the order tells so"
	default:
		r.said, r.outcome = true, "confirmed"
	}
	return r
}

// Changed says why a quote is not decided after all, "" where it is as it was
// shown.
func Changed(kind Kind, o *Offer, board *Set, now time.Time) string {
	at := board.Find(o.QuoteID)
	switch {
	case at == nil:
		return o.Name() + " is no longer among the order's quotes; nothing was sent"
	case at.Status != api.QuoteOpen:
		return byOthers(at.Status, o, board.Winner())
	case at.IsExpired(now):
		return o.Name() + " expired before the decision was sent; nothing was sent"
	case kind == Accepted && at.FinalPrice.IsUnread():
		return "the price of " + o.Name() + " could not be read; nothing was sent"
	case kind == Accepted && (at.PriceText() != o.PriceText() || at.DeliveryBy != o.DeliveryBy):
		return fmt.Sprintf("%s has changed to %s, %s; nothing was sent, look at it again", o.Name(), at.PriceText(), at.DeliveryBy)
	}
	return ""
}

// Winner is the accepted offer, nil for none.
func (b *Set) Winner() *Offer {
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
		return fmt.Sprintf("%s is %s: %s, %s, was accepted meanwhile by somebody else", o.Name(), stands, winner.Name(), winner.PriceText())
	}
	return fmt.Sprintf("%s was decided by somebody else meanwhile: it is %s", o.Name(), stands)
}

// readBack reads how the quotes stand that the service said it has decided.
func (m *Decider) readBack(ctx context.Context, d *Decision, results []result) {
	said := false
	for i := range results {
		said = said || results[i].said
	}
	if !said {
		return
	}
	after, err := m.Client.Records.Get(ctx, d.Order.ID)
	for i := range results {
		r := &results[i]
		switch {
		case !r.said:
		case err != nil:
			r.outcome = "confirmed by the service's answer; the order could not be read back"
			r.fault = fmt.Sprintf("the service says that it has %s %s, but the order could not be read back: %s", d.Kind, r.offer.Name(), explained(err))
		default:
			b := NewSet(after, m.Now())
			at := b.Find(r.offer.QuoteID)
			if at != nil && string(at.Status) == string(d.Kind) {
				continue
			}
			stands := "does not show it"
			if at != nil {
				stands = "shows it as " + labels.Quote(at.Status, false).Word
			}
			r.fault = fmt.Sprintf("the service says that it has %s %s, but its order %s; read it again", d.Kind, r.offer.Name(), stands)
			r.outcome = r.fault
		}
	}
}

// keep logs what came of a decision.
func (m *Decider) keep(d *Decision, r result) error {
	if m.Log == nil {
		return nil
	}
	e := d.Entry(r.offer)
	e.At, e.Host, e.Account, e.Note, e.Outcome = m.Now(), m.Host, m.Account, m.Notes[r.offer.QuoteID], r.outcome
	return m.Log.Add(e)
}

// verdict says what became of a quote whose decision was not confirmed.
func verdict(err error, o *Offer) string {
	said := api.DecisionOf(err)
	var refusal *api.Error
	isRefusal := errors.As(err, &refusal)
	switch {
	case said == nil:
		return o.Name() + " was not decided: " + explained(err)
	case isRefusal && refusal.Code == api.CodeQuoteExpired:
		return o.Name() + " expired before the decision arrived; nothing was decided"
	case said.Outcome == api.QuoteAccepted, said.Outcome == api.QuoteRejected, said.Outcome == api.QuoteClosed:
		var winner *Offer
		if said.Winner != nil {
			winner = &Offer{Quote: *said.Winner}
		}
		return byOthers(said.Outcome, o, winner)
	case said.Outcome == api.QuoteOpen && isRefusal:
		return fmt.Sprintf("the service refused: %s; %s is still open", layout.Clean(refusal.Message), o.Name())
	case said.Outcome == api.QuoteOpen:
		return fmt.Sprintf("no response; %s is still open, nothing was decided", o.Name())
	default:
		return fmt.Sprintf("no response, outcome of %s unknown; reload before deciding again", o.Name())
	}
}

// explained is what went wrong, in a sentence or two without the last stop.
func explained(err error) string {
	what, advice := labels.Explain(err)
	return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(what, ".")+". "+advice), ".")
}
