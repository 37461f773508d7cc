package quotes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/decisions"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
)

// maker makes decisions in the background and keeps what came of them.
type maker struct {
	client  *api.Client
	log     *decisions.Log // nil keeps nothing
	host    string
	account string
	notes   map[string]string // by quote id
	now     func() time.Time
}

// result is what came of the decision of one quote.
type result struct {
	offer   *offer
	said    bool   // by the service, that it is done
	outcome string // as it is logged
	fault   string // what the user is told, "" where all is as it was wanted
}

// make decides each quote of d once. The order is read before, since the quotes
// may have changed while this was held back, and after, since what counts is
// how the service has it.
func (m *maker) make(ctx context.Context, d *decision) error {
	before, err := m.client.Records.Get(ctx, d.order.ID)
	if err != nil {
		return errors.New("nothing was sent, since the order could not be read: " + explained(err))
	}
	board := boardOf(before, m.now())
	results := make([]result, len(d.offers))
	for i, o := range d.offers {
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
func (m *maker) one(ctx context.Context, d *decision, o *offer, board *board) result {
	r := result{offer: o}
	if r.fault = changed(d.kind, o, board, m.now()); r.fault != "" {
		r.outcome = r.fault
		return r
	}
	decide := m.client.Quotes.Accept
	if d.kind == decisions.Rejected {
		decide = m.client.Quotes.Reject
	}
	answer, err := decide(ctx, d.order.ID, o.QuoteID)
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

// changed says why a quote is not decided after all, "" where it is as it was
// shown.
func changed(kind decisions.Kind, o *offer, board *board, now time.Time) string {
	at := board.find(o.QuoteID)
	switch {
	case at == nil:
		return o.name() + " is no longer among the order's quotes; nothing was sent"
	case at.stands != api.QuoteOpen:
		return byOthers(at.stands, o, board.winner())
	case at.IsExpired(now):
		return o.name() + " expired before the decision left; nothing was sent"
	case kind == decisions.Accepted && (finalText(at) != finalText(o) || at.DeliveryBy != o.DeliveryBy):
		return fmt.Sprintf("%s has changed to %s, %s; nothing was sent, look at it again", o.name(), finalText(at), at.DeliveryBy)
	}
	return ""
}

// winner is the accepted offer, nil for none.
func (b *board) winner() *offer {
	for _, o := range b.decided {
		if o.stands == api.QuoteAccepted {
			return o
		}
	}
	return nil
}

// byOthers says that somebody else was first.
func byOthers(stands api.QuoteStatus, o, winner *offer) string {
	if stands != api.QuoteAccepted && winner != nil {
		return fmt.Sprintf("%s is %s: %s, %s, was accepted meanwhile by somebody else", o.name(), stands, winner.name(), finalText(winner))
	}
	return fmt.Sprintf("%s was decided by somebody else meanwhile: it is %s", o.name(), stands)
}

// readBack reads how the quotes stand that the service said it has decided.
func (m *maker) readBack(ctx context.Context, d *decision, results []result) {
	said := false
	for i := range results {
		said = said || results[i].said
	}
	if !said {
		return
	}
	after, err := m.client.Records.Get(ctx, d.order.ID)
	for i := range results {
		r := &results[i]
		switch {
		case !r.said:
		case err != nil:
			r.outcome = "confirmed by the service's answer; the order could not be read back"
			r.fault = fmt.Sprintf("the service says that it has %s %s, but the order could not be read back: %s", d.kind, r.offer.name(), explained(err))
		default:
			b := boardOf(after, m.now())
			at := b.find(r.offer.QuoteID)
			if at != nil && string(at.stands) == string(d.kind) {
				continue
			}
			stands := "does not show it"
			if at != nil {
				stands = "shows it as " + string(at.stands)
			}
			r.fault = fmt.Sprintf("the service says that it has %s %s, but its order %s; read it again", d.kind, r.offer.name(), stands)
			r.outcome = r.fault
		}
	}
}

// keep logs what came of a decision.
func (m *maker) keep(d *decision, r result) error {
	if m.log == nil {
		return nil
	}
	e := d.entry(r.offer)
	e.At, e.Host, e.Account, e.Note, e.Outcome = m.now(), m.host, m.account, m.notes[r.offer.QuoteID], r.outcome
	return m.log.Add(e)
}

// verdict says what became of a quote whose decision was not confirmed.
func verdict(err error, o *offer) string {
	said := api.DecisionOf(err)
	var refusal *api.Error
	isRefusal := errors.As(err, &refusal)
	switch {
	case said == nil:
		return o.name() + " was not decided: " + explained(err)
	case isRefusal && refusal.Code == api.CodeQuoteExpired:
		return o.name() + " expired before the decision arrived; nothing was decided"
	case said.Outcome == api.QuoteAccepted, said.Outcome == api.QuoteRejected, said.Outcome == api.QuoteClosed:
		var winner *offer
		if said.Winner != nil {
			winner = &offer{Quote: *said.Winner}
		}
		return byOthers(said.Outcome, o, winner)
	case said.Outcome == api.QuoteOpen && isRefusal:
		return fmt.Sprintf("the service refused: %s; %s is still open", layout.Clean(refusal.Message), o.name())
	case said.Outcome == api.QuoteOpen:
		return fmt.Sprintf("the answer was lost on the way; the order shows %s still open, so nothing was decided", o.name())
	default:
		return fmt.Sprintf("no answer came, and the order does not tell how %s stands; read it again before deciding anew", o.name())
	}
}

// explained is what went wrong, in a sentence or two without the last stop.
func explained(err error) string {
	what, advice := labels.Explain(err)
	return strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(what, ".")+". "+advice), ".")
}
