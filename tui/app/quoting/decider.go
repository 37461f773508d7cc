package quoting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// Decider makes decisions in the background. What it sends is in the ledger first.
type Decider struct {
	Client  *api.Client
	Log     *ordering.Ledger
	Host    string
	Account string
	Now     func() time.Time
}

// Decide decides each quote of d once, which then has them as they stand by now, with
// [api.QuoteUnknown] where nobody knows. The order is read before, since the quotes may
// have changed while this was held back, and after, since what counts is how the service
// has it. The error has what is not as it was wanted, a quote a line, or that nothing
// was sent.
func (m *Decider) Decide(ctx context.Context, d *Decision) error {
	before, err := m.Client.Records.Get(ctx, d.Order.ID)
	if err != nil {
		return fmt.Errorf("not sent: could not read the order: %w", toldError{explainError(err), err})
	}
	board := NewSet(m.Now(), before)
	offers, faults := slices.Clone(d.Offers), make([]error, len(d.Offers))
	for i, shown := range d.Offers {
		o := *shown
		offers[i] = &o
		faults[i] = m.decideOne(ctx, d, &o, &board)
	}
	d.Offers = offers
	return errors.Join(faults...)
}

// toldError is an error in the words of people.
type toldError struct {
	text string
	error
}

func (e toldError) Error() string { return e.text }
func (e toldError) Unwrap() error { return e.error }

// decideOne decides one quote, unless it is no longer as it was shown, and notes how it
// stands. A decision that was sent before and is not confirmed is looked for first.
func (m *Decider) decideOne(ctx context.Context, d *Decision, o *Offer, board *OfferSet) error {
	o.Status = api.QuoteUnknown
	if at := board.FindOffer(o.QuoteID); at != nil {
		o.Status = at.Status
	}
	c := &ordering.Change{LedgerEntry: d.Entry(o)}
	c.At, c.Host, c.Account = m.Now(), m.Host, m.Account
	if c.Outcome = ChangedReason(d.Kind, o, board, m.Now()); c.Outcome != "" {
		return errors.Join(errors.New(c.Outcome), m.Log.AddEntry(c.LedgerEntry))
	}
	c.Look = m.lookFor(&c.LedgerEntry, o)
	if sent := m.Log.LastDecision(m.Host, o.QuoteID); sent != nil && sent.IsOpen() {
		before := &ordering.Change{LedgerEntry: *sent, Look: m.lookFor(sent, o)}
		settled, err := m.Log.LookForChange(ctx, before, true)
		switch {
		case err != nil:
			return fmt.Errorf("not sent; an earlier decision of %s is not confirmed: %w", o.DisplayName(), err)
		case settled && sent.Kind != d.Kind:
			return fmt.Errorf("%s was %s by your earlier decision; not sent", o.DisplayName(), sent.Kind)
		case settled:
			return nil
		}
	}
	c.Send = func(ctx context.Context) error { return m.sendDecision(ctx, c, o) }
	return m.Log.SendOnce(ctx, c)
}

// sendDecision sends a decision and notes how the quote stands. The error is also that
// the receipt or the order shows it otherwise.
func (m *Decider) sendDecision(ctx context.Context, c *ordering.Change, o *Offer) error {
	decide := m.Client.Quotes.Accept
	if c.Kind == ordering.EntryRejected {
		decide = m.Client.Quotes.Reject
	}
	answer, err := decide(ctx, c.OrderID, o.QuoteID)
	if said := api.DecisionOf(err); said != nil {
		o.Status = said.Outcome
	}
	if err != nil {
		return toldError{verdictText(err, o), err}
	}
	o.Status = answer.Outcome
	fault := receiptFault(c.Kind, answer.Receipt, o)
	switch {
	case answer.Unanswered != nil:
		c.Outcome = ordering.Confirmed + " by the order; the response was lost"
	case fault != "":
		c.Outcome = ordering.Confirmed + "; " + fault
		return errors.New(fault)
	}
	return nil
}

// receiptFault says that the service names another quote or price than the one that
// was decided, "" if it does not.
func receiptFault(kind ordering.EntryKind, receipt *api.Quote, o *Offer) string {
	if receipt == nil {
		return ""
	}
	said := Offer{Quote: *receipt}
	said.Currency = cmp.Or(said.Currency, o.Currency)
	said.QuoteID = cmp.Or(said.QuoteID, o.QuoteID)
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

// LookFor returns the function that looks for the decision of an entry.
func (m *Decider) LookFor(e *ordering.LedgerEntry) ordering.LookFunc {
	o := &Offer{Quote: api.Quote{QuoteID: e.QuoteID, QuoteName: e.QuoteName}}
	return m.lookFor(e, o)
}

// lookFor returns the function that looks for a decision: it is settled once the order
// shows the quote as decided, by it or otherwise. How the quote stands is noted.
func (m *Decider) lookFor(e *ordering.LedgerEntry, o *Offer) ordering.LookFunc {
	return func(ctx context.Context) (settled bool, err error) {
		record, err := m.Client.Records.Get(ctx, e.OrderID)
		if err != nil {
			return false, toldError{explainError(err), err}
		}
		board := NewSet(m.Now(), record)
		at := board.FindOffer(e.QuoteID)
		if at == nil {
			return false, nil
		}
		switch o.Status = at.Status; {
		case string(at.Status) == string(e.Kind):
			return true, nil
		case at.Status == api.QuoteOpen:
			return false, nil
		}
		return true, errors.New(byOthers(at.Status, o, board.AcceptedOffer()))
	}
}

// ChangedReason says why a quote is not decided after all, "" where it is as it was
// shown.
func ChangedReason(kind ordering.EntryKind, o *Offer, board *OfferSet, now time.Time) string {
	at := board.FindOffer(o.QuoteID)
	switch {
	case at == nil:
		return o.DisplayName() + " is no longer among the order's quotes; not sent"
	case at.Status != api.QuoteOpen:
		return byOthers(at.Status, o, board.AcceptedOffer())
	case at.IsExpired(now):
		return o.DisplayName() + " has expired; not sent"
	case kind == ordering.EntryAccepted && at.FinalPrice.IsUnread():
		return "the price of " + o.DisplayName() + " could not be read; not sent"
	case kind == ordering.EntryAccepted && !IsKnown(at.FinalPrice):
		return o.DisplayName() + " has no price; not sent"
	case kind == ordering.EntryAccepted && (at.PriceText() != o.PriceText() || at.DeliveryBy != o.DeliveryBy):
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
	return fmt.Sprintf(
		"%s was already decided by someone else: %s",
		o.DisplayName(),
		stands,
	)
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
	case said.Unanswered == nil:
		return answeredText(said, o)
	case said.Outcome == api.QuoteOpen && isRefusal:
		return fmt.Sprintf(
			"not decided: %s; %s is still open",
			format.Clean(refusal.Message),
			o.DisplayName(),
		)
	case said.Outcome == api.QuoteOpen:
		return "no response, and " + o.DisplayName() + " is still open"
	}
	return "no response to the decision of " + o.DisplayName()
}

// answeredText says that the service answered a decision, and that the order does not show it.
func answeredText(said *api.QuoteDecision, o *Offer) string {
	text := "sent, not confirmed: the service answered"
	if said.Status != "" {
		text += fmt.Sprintf(" \u201c%s\u201d", format.Clean(said.Status))
	}
	switch {
	case said.Order == nil:
		return text + ", but the order could not be read"
	case said.Outcome == api.QuoteOpen:
		return text + ", but its order shows " + o.DisplayName() + " as open"
	}
	return text + ", but its order does not show " + o.DisplayName()
}

// explainError returns what went wrong, in a sentence or two without the last stop.
func explainError(err error) string {
	return strings.TrimSuffix(format.FaultText(err), ".")
}

// Decision is quotes of one order that are to be decided in one way.
type Decision struct {
	Kind   ordering.EntryKind
	Order  *api.OrderRecord
	Offers []*Offer
	Rivals []*Offer // the other open quotes
}

// NewDecision decides offers of one order, as these stand beside the others.
func (b *OfferSet) NewDecision(kind ordering.EntryKind, offers ...*Offer) Decision {
	d := Decision{Kind: kind, Order: offers[0].Order, Offers: offers}
	for _, o := range b.Open {
		if !slices.Contains(offers, o) {
			d.Rivals = append(d.Rivals, o)
		}
	}
	return d
}

// mostNamed is how many quotes a question names: what follows has to be read,
// too, in the lowest window.
const mostNamed = 4

// DescribeLines names order, quotes and amounts, and what follows, with how it ends.
func (d *Decision) DescribeLines(now time.Time, end string) []string {
	lines := []string{strings.TrimSpace(OrderName(d.Order) + "  " + d.Order.OrderName)}
	for i, o := range d.Offers {
		if i == mostNamed && len(d.Offers) > mostNamed+1 {
			lines = append(lines, fmt.Sprintf("and %d more", len(d.Offers)-i))
			break
		}
		lines = append(
			lines,
			strings.Join([]string{o.DisplayName(), o.PriceText(), o.DeliveryBy.String()}, "   "),
		)
	}
	o := d.Offers[0]
	if len(d.Offers) == 1 && o.ExpiryDate.IsRead() {
		lines = append(lines, "Expires in "+format.TimeLeft(o.ExpiryDate.Time, now, false)+".")
	}
	if before := o.PriceBeforeDiscount; len(d.Offers) == 1 && before.Known &&
		o.FinalPrice.Amount > before.Amount {
		lines = append(lines, "The final price is above the price before the discount.")
	}
	rivals := len(d.Rivals)
	if d.Kind == ordering.EntryRejected {
		lines = append(lines, "")
		if rivals == 0 {
			lines = append(lines, "No open quotes will be left; the order returns to review.")
		}
		return append(lines, end)
	}
	if text := d.comparePrice(now); text != "" {
		lines = append(lines, text)
	}
	lines = append(lines, "")
	if rivals > 0 {
		lines = append(lines, "Closes "+format.Count(rivals, "other quote")+".")
	}
	return append(lines, "Accepting starts the work. "+end)
}

// comparePrice says how dear the chosen quote is among those that could be
// chosen instead, "" where that cannot be compared.
func (d *Decision) comparePrice(now time.Time) string {
	o := d.Offers[0]
	rivals := slices.DeleteFunc(slices.Clone(d.Rivals), func(r *Offer) bool {
		return r.IsExpired(now) || !AreComparable(r, o)
	})
	cheapest := LeastOf(rivals, (*Offer).Price)
	if cheapest == nil {
		return ""
	}
	by := (&QuoteComparison{Pick: cheapest}).priceDifference(o)
	switch {
	case !by.Known:
		return ""
	case by.Num <= 0:
		return "No other open quote in " + o.Currency + " is cheaper."
	}
	return by.Text + " compared to the cheapest, " + cheapest.DisplayName() + "."
}

// Verb returns what is done: accept, reject.
func (d *Decision) Verb() string {
	return map[ordering.EntryKind]string{ordering.EntryAccepted: "accept", ordering.EntryRejected: "reject"}[d.Kind]
}

// ConfirmWord returns what has to be typed: to accept the amount without its cents,
// or the order's name where there is no amount.
func (d *Decision) ConfirmWord() string {
	price, ok := d.Offers[0].Price()
	switch {
	case d.Kind == ordering.EntryRejected:
		return d.Verb()
	case ok:
		return strconv.FormatInt(int64(price), 10)
	}
	return OrderName(d.Order)
}

// Describe says with a verb what is to be done, or was, as in "accept AeroScan,
// 12,420.00 EUR, for ORD-100241".
func (d *Decision) Describe(verb string) string {
	if len(d.Offers) > 1 {
		return fmt.Sprintf("%s %d quotes for %s", verb, len(d.Offers), OrderName(d.Order))
	}
	o := d.Offers[0]
	return fmt.Sprintf(
		"%s %s, %s, for %s",
		verb,
		o.DisplayName(),
		o.PriceText(),
		OrderName(d.Order),
	)
}

// Entry returns the decision of an offer as it is logged, without its outcome.
func (d *Decision) Entry(o *Offer) ordering.LedgerEntry {
	e := ordering.LedgerEntry{
		Kind: d.Kind, OrderID: d.Order.ID, OrderName: FullName(d.Order),
		QuoteID: o.QuoteID, QuoteName: o.DisplayName(), Price: o.PriceText(), Days: o.DeliveryBy.String(),
	}
	for _, r := range d.Rivals {
		e.Against = append(e.Against, r.DisplayName()+" "+r.PriceText())
	}
	return e
}
