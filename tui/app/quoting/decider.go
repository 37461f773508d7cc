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
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// Decider sends the user's decisions to accept or reject quotes. The log of changes records every decision
// before it is sent.
type Decider struct {
	Client  *api.Client
	Log     *changes.Log
	Host    string
	Account string
	Now     func() time.Time
}

// Decide sends the decision for each of its offers and updates the status of the offers. The status
// is [api.QuoteUnknown] if the outcome is unknown. Decide reloads the order first, because the
// quotes may have changed while the decision waited to be sent. The error has a line for each
// offer that failed.
func (d *Decider) Decide(ctx context.Context, decision *Decision) error {
	if err := d.Log.Refresh(); err != nil {
		return fmt.Errorf("not sent: %w", err)
	}
	order, err := d.Client.Records.Get(ctx, decision.Order.ID)
	if err != nil {
		return fmt.Errorf("not sent: could not read the order: %w", newUserError(err))
	}
	current := NewSet(d.Now(), order)
	offers := make([]*Offer, len(decision.Offers))
	errs := make([]error, len(decision.Offers))
	for i := range decision.Offers {
		offer := *decision.Offers[i]
		offers[i] = &offer
		errs[i] = d.decideOne(ctx, decision, &offer, &current)
	}
	decision.Offers = offers
	return errors.Join(errs...)
}

// userError is an error with an explanation for the user. It wraps the original error.
type userError struct {
	text string
	error
}

func newUserError(err error) userError { return userError{explainError(err), err} }

func (e userError) Error() string { return e.text }
func (e userError) Unwrap() error { return e.error }

// decideOne sends the decision for one offer, unless the offer has changed since the user saw it. If an
// earlier decision on the offer is unconfirmed, it looks for the outcome of that decision first. current
// has the quotes that the order has now.
func (d *Decider) decideOne(ctx context.Context, decision *Decision, offer *Offer, current *OfferSet) error {
	offer.Status = api.QuoteUnknown
	if currentOffer := current.FindOffer(offer.QuoteID); currentOffer != nil {
		offer.Status = currentOffer.Status
	}
	earlier := d.Log.LastDecision(d.Host, offer.QuoteID)
	if earlier != nil && earlier.IsOpen() {
		done, err := d.resolveEarlier(ctx, decision, offer, earlier)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
	}
	attempt := d.newAttempt(decision, offer)
	if reason := ChangedReason(decision.Kind, offer, current, d.Now()); reason != "" {
		attempt.Fail(reason) // the log shows that the decision was not sent
		return errors.Join(errors.New(reason), d.Log.AddEntry(attempt.Change))
	}
	return d.Log.SendOnce(ctx, attempt)
}

// newAttempt returns an attempt to send the decision on one offer. The attempt is the entry in the log of
// changes, with functions to send the decision and to look for its outcome.
func (d *Decider) newAttempt(decision *Decision, offer *Offer) *changes.Attempt {
	attempt := &changes.Attempt{Change: decision.Entry(offer)}
	attempt.At = d.Now()
	attempt.Host = d.Host
	attempt.Account = d.Account
	attempt.Look = d.lookFor(&attempt.Change, offer)
	attempt.Send = func(ctx context.Context) (changes.Outcome, error) {
		return d.send(ctx, &attempt.Change, offer)
	}
	return attempt
}

// resolveEarlier looks for the outcome of an earlier, unconfirmed decision on the same offer. It returns
// true if that decision took effect and is the same as the new one, so that nothing must be sent. If an
// opposite decision took effect, it returns an error.
func (d *Decider) resolveEarlier(
	ctx context.Context, decision *Decision, offer *Offer, earlier *changes.Change,
) (bool, error) {
	change := &changes.Attempt{Change: *earlier, Look: d.lookFor(earlier, offer)}
	settled, err := d.Log.LookForChange(ctx, change, true)
	if err != nil {
		return false, fmt.Errorf("not sent; an earlier decision of %s is not confirmed: %w", offer.DisplayName(), err)
	}
	if settled && earlier.Kind != decision.Kind {
		return false, fmt.Errorf("%s was %s by your earlier decision; not sent", offer.DisplayName(), earlier.Kind)
	}
	return settled, nil
}

// send sends the decision of a change to the service. It returns an error even for a confirmed decision if
// the response names another quote or price than the offer.
func (d *Decider) send(ctx context.Context, change *changes.Change, offer *Offer) (changes.Outcome, error) {
	decide := d.Client.Quotes.Accept
	if change.Kind == changes.QuoteRejected {
		decide = d.Client.Quotes.Reject
	}
	response, err := decide(ctx, change.OrderID, offer.QuoteID)
	if err != nil {
		if decision := api.DecisionOf(err); decision != nil {
			offer.Status = decision.Outcome
		}
		return changes.Outcome{}, userError{explainFailure(err, offer), err}
	}
	offer.Status = response.Outcome
	hasReceipt := response.Unanswered == nil
	if !hasReceipt { // the order shows the decision
		return changes.NewConfirmed("by the order; no valid response"), nil
	}
	mismatch := compareReceipt(change.Kind, response.Receipt, offer)
	if mismatch != "" {
		return changes.NewConfirmed(mismatch), errors.New(mismatch)
	}
	return changes.NewConfirmed(""), nil
}

// compareReceipt compares the receipt, the decided quote in the response, with the offer. It returns "" if
// the quote and the price are the same. Otherwise it returns a sentence about the difference.
func compareReceipt(kind changes.Kind, receipt *api.Quote, offer *Offer) string {
	if receipt == nil {
		return ""
	}
	got := Offer{Quote: *receipt}
	got.Currency = cmp.Or(got.Currency, offer.Currency)
	got.QuoteID = cmp.Or(got.QuoteID, offer.QuoteID)
	samePrice := !IsKnown(got.FinalPrice) || got.PriceText() == offer.PriceText()
	if got.QuoteID == offer.QuoteID && samePrice {
		return ""
	}
	return fmt.Sprintf("the service %s %s for %s, not %s for %s",
		kind, got.DisplayName(), got.PriceText(), offer.DisplayName(), offer.PriceText())
}

// LookFor returns a function that finds out from the service whether the decision in a log entry took
// effect.
func (d *Decider) LookFor(entry *changes.Change) changes.LookFunc {
	offer := &Offer{Quote: api.Quote{QuoteID: entry.Quote.ID, QuoteName: entry.Quote.Name}}
	return d.lookFor(entry, offer)
}

// lookFor returns a function that looks for a decision in the order and updates the status of the offer.
// The function returns true once the quote is no longer open. If the quote was decided differently, it
// returns true and an error.
func (d *Decider) lookFor(entry *changes.Change, offer *Offer) changes.LookFunc {
	return func(ctx context.Context) (settled bool, err error) {
		order, err := d.Client.Records.Get(ctx, entry.OrderID)
		if err != nil {
			return false, newUserError(err)
		}
		current := NewSet(d.Now(), order)
		found := current.FindOffer(entry.Quote.ID)
		if found == nil {
			return false, nil
		}
		offer.Status = found.Status
		if string(found.Status) == string(entry.Kind) {
			return true, nil
		}
		if found.Status == api.QuoteOpen {
			return false, nil
		}
		return true, errors.New(describeOtherDecision(found.Status, offer, current.AcceptedOffer()))
	}
}

// ChangedReason returns why a decision on an offer must not be sent: the offer has changed since the user
// saw it. It returns "" if the decision can be sent. set has the current quotes of the order.
func ChangedReason(kind changes.Kind, offer *Offer, set *OfferSet, now time.Time) string {
	current := set.FindOffer(offer.QuoteID)
	if current == nil {
		return offer.DisplayName() + " is no longer among the order's quotes; not sent"
	}
	if current.Status != api.QuoteOpen {
		return describeOtherDecision(current.Status, offer, set.AcceptedOffer())
	}
	if current.IsExpired(now) {
		return offer.DisplayName() + " has expired; not sent"
	}
	if kind != changes.QuoteAccepted {
		return ""
	}
	if current.FinalPrice.IsUnread() {
		return "the price of " + offer.DisplayName() + " could not be read; not sent"
	}
	if !IsKnown(current.FinalPrice) {
		return offer.DisplayName() + " has no price; not sent"
	}
	if current.PriceText() != offer.PriceText() || current.DeliveryBy != offer.DeliveryBy {
		return fmt.Sprintf("%s has changed to %s, %s; not sent, review it again",
			offer.DisplayName(), current.PriceText(), current.DeliveryBy)
	}
	return ""
}

// AcceptedOffer returns the accepted offer, or nil.
func (s *OfferSet) AcceptedOffer() *Offer {
	for _, offer := range s.Decided {
		if offer.Status == api.QuoteAccepted {
			return offer
		}
	}
	return nil
}

// describeOtherDecision explains that the offer was already decided or closed. It cannot say by whom,
// because the service does not show that: it may have been an earlier decision of the same user.
func describeOtherDecision(status api.QuoteStatus, offer, accepted *Offer) string {
	if status != api.QuoteAccepted && accepted != nil {
		return fmt.Sprintf("%s is %s: the accepted quote is %s, %s",
			offer.DisplayName(), status, accepted.DisplayName(), accepted.PriceText())
	}
	if status == api.QuoteClosed { // closed with its order, without a decision
		return offer.DisplayName() + " is closed and can no longer be decided"
	}
	return fmt.Sprintf("%s was already decided: %s", offer.DisplayName(), status)
}

// explainFailure explains to the user whether the offer was decided, although sending the decision has
// failed.
func explainFailure(err error, offer *Offer) string {
	decision := api.DecisionOf(err)
	if decision == nil { // the service certainly did not apply the decision
		return offer.DisplayName() + " is still undecided: " + explainError(err)
	}
	rejection, isRejected := errors.AsType[*api.Error](err)
	if isRejected && rejection.Code == api.CodeQuoteExpired {
		return offer.DisplayName() + " expired before the decision arrived; nothing was decided"
	}
	// The order shows that the quote is decided, but not as the user wanted.
	switch decision.Outcome {
	case api.QuoteAccepted, api.QuoteRejected, api.QuoteClosed:
		return describeOtherDecision(decision.Outcome, offer, winnerOf(decision))
	}
	// The service has answered, but the order does not show the decision.
	if decision.Unanswered == nil {
		return explainUnconfirmed(decision, offer)
	}
	// There is no valid response, and the order does not show the quote or could not be read.
	if decision.Outcome != api.QuoteOpen {
		return "no valid response to the decision of " + offer.DisplayName()
	}
	// The order shows the quote as open. The service has sent an error, or there is no response at all.
	if isRejected && api.MaybeApplied(err) { // the service may still apply the decision
		return fmt.Sprintf("%s; %s is still open", format.Clean(rejection.Message), offer.DisplayName())
	}
	if isRejected {
		return fmt.Sprintf("not decided: %s; %s is still open", format.Clean(rejection.Message), offer.DisplayName())
	}
	return "no response, and " + offer.DisplayName() + " is still open"
}

// winnerOf returns the offer that was accepted instead, according to a failed decision, or nil.
func winnerOf(decision *api.QuoteDecision) *Offer {
	if decision.Winner == nil {
		return nil
	}
	return &Offer{Quote: *decision.Winner}
}

// explainUnconfirmed returns a text for a decision that the service has answered but that the order does
// not show.
func explainUnconfirmed(decision *api.QuoteDecision, offer *Offer) string {
	text := "sent, not confirmed: the service answered"
	if decision.Status != "" {
		text += fmt.Sprintf(" “%s”", format.Clean(decision.Status))
	}
	if decision.Order == nil {
		return text + ", but the order could not be read"
	}
	if decision.Outcome == api.QuoteOpen {
		return text + ", but its order shows " + offer.DisplayName() + " as open"
	}
	return text + ", but its order does not show " + offer.DisplayName()
}

// explainError returns the text of an error for users, without the final period.
func explainError(err error) string {
	return strings.TrimSuffix(format.FaultText(err), ".")
}

// Decision is the user's decision to accept or reject one or more quotes of an order.
type Decision struct {
	Kind   changes.Kind
	Order  *api.OrderRecord
	Offers []*Offer
	Rivals []*Offer // the other open quotes
}

// NewDecision returns a decision on offers of one order.
func (s *OfferSet) NewDecision(kind changes.Kind, offers ...*Offer) Decision {
	d := Decision{Kind: kind, Order: offers[0].Order, Offers: offers}
	for _, offer := range s.Open {
		if !slices.Contains(offers, offer) {
			d.Rivals = append(d.Rivals, offer)
		}
	}
	return d
}

// maxNamedOffers limits how many offers the confirmation lists, so that its consequences are
// visible in the smallest window.
const maxNamedOffers = 4

// DescribeLines returns the text of the confirmation: the order, the offers with their
// amounts, and the consequences. undoNote says until when the decision can be undone.
func (d *Decision) DescribeLines(now time.Time, undoNote string) []string {
	lines := []string{strings.TrimSpace(OrderName(d.Order) + "  " + d.Order.OrderName)}
	lines = append(lines, d.describeOffers()...)
	if len(d.Offers) == 1 {
		lines = append(lines, describeTerms(d.Offers[0], now)...)
	}
	if d.Kind == changes.QuoteRejected {
		lines = append(lines, d.describeRejection()...)
		return append(lines, undoNote)
	}
	lines = append(lines, d.describeAcceptance(now)...)
	return append(lines, "Accepting starts the work. "+undoNote)
}

// describeOffers returns a line for each offer. If there are many, it returns lines for the first
// maxNamedOffers, and a last line such as "and 7 more".
func (d *Decision) describeOffers() []string {
	named := d.Offers
	if len(d.Offers) > maxNamedOffers+1 { // a line for "1 more" would save nothing
		named = d.Offers[:maxNamedOffers]
	}
	var lines []string
	for _, offer := range named {
		lines = append(lines, offer.DisplayName()+"   "+offer.PriceText()+"   "+offer.DeliveryBy.String())
	}
	if more := len(d.Offers) - len(named); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}

// describeRejection returns a blank line and what rejecting the offers means for the order.
func (d *Decision) describeRejection() []string {
	if len(d.Rivals) > 0 {
		return []string{""}
	}
	return []string{"", "No open quotes will be left; the order returns to review."}
}

// describeAcceptance returns lines about when the data is delivered and how the price compares and, after
// a blank line, what accepting means for the other quotes.
func (d *Decision) describeAcceptance(now time.Time) []string {
	var lines []string
	if days, known := d.Offers[0].DaysLate(now); known {
		day := format.DayMoment(d.Offers[0].LatestDelivery(now), now)
		line := "Data by " + day + ", " + DescribeDaysLate(days) + "."
		if days > 0 {
			line = format.WarningMark + line
		}
		lines = append(lines, line)
	}
	if comparison := d.comparePrice(now); comparison != "" {
		lines = append(lines, comparison)
	}
	lines = append(lines, "")
	if len(d.Rivals) > 0 {
		lines = append(lines, d.describeClosed(now))
	}
	return lines
}

// describeClosed returns which quotes accepting the offer closes, with their prices: the dialog can cover the prices of
// the page.
func (d *Decision) describeClosed(now time.Time) string {
	named := d.Rivals
	if len(d.Rivals) > maxNamedOffers+1 {
		named = d.Rivals[:maxNamedOffers]
	}
	var prices []string
	for _, rival := range named {
		price := rival.DisplayName() + " " + rival.PriceText()
		if rival.IsExpired(now) {
			price += " (expired)"
		}
		prices = append(prices, price)
	}
	if more := len(d.Rivals) - len(named); more > 0 {
		prices = append(prices, fmt.Sprintf("%d more", more))
	}
	return "Closes " + format.Count(len(d.Rivals), "other quote") + ": " + strings.Join(prices, ", ") + "."
}

// describeTerms returns when an offer expires, and a warning if its discount raises the
// price.
func describeTerms(offer *Offer, now time.Time) (lines []string) {
	if offer.ExpiryDate.IsRead() {
		lines = append(lines, "Expires in "+format.TimeLeft(offer.ExpiryDate.Time, now, false)+".")
	}
	before := offer.PriceBeforeDiscount
	if before.Known && offer.FinalPrice.Amount > before.Amount {
		lines = append(lines, format.WarningMark+"The final price is above the price before the discount.")
	}
	return lines
}

// comparePrice compares the price with the cheapest comparable rival, or returns "" if there
// is none.
func (d *Decision) comparePrice(now time.Time) string {
	offer := d.Offers[0]
	var rivals []*Offer
	for _, rival := range d.Rivals {
		if !rival.IsExpired(now) && AreComparable(rival, offer) {
			rivals = append(rivals, rival)
		}
	}
	cheapest := LeastOf(rivals, (*Offer).Price)
	if cheapest == nil {
		return ""
	}
	difference := (&QuoteComparison{Pick: cheapest}).priceDifference(offer)
	if !difference.Known {
		return ""
	}
	hasNoPrice := func(rival *Offer) bool {
		_, isPriced := rival.Price()
		return !isPriced
	}
	if difference.Num <= 0 && slices.ContainsFunc(rivals, hasNoPrice) {
		return "No other open quote in " + offer.Currency + " with a known price is cheaper."
	}
	if difference.Num <= 0 {
		return "No other open quote in " + offer.Currency + " is cheaper."
	}
	return difference.Text + " compared to the cheapest, " + cheapest.DisplayName() + "."
}

// Verb returns "accept" or "reject".
func (d *Decision) Verb() string {
	if d.Kind == changes.QuoteRejected {
		return "reject"
	}
	return "accept"
}

// ConfirmWord returns the word that the user types to confirm: "reject", or the whole amount
// to accept, or the order's name if there is no amount.
func (d *Decision) ConfirmWord() string {
	if d.Kind == changes.QuoteRejected {
		return d.Verb()
	}
	if price, ok := d.Offers[0].Price(); ok {
		return strconv.FormatInt(int64(price), 10)
	}
	return OrderName(d.Order)
}

// ConfirmAlternatives returns what the user can type instead of [Decision.ConfirmWord]: the
// exact price to accept, in the ways that people write it.
func (d *Decision) ConfirmAlternatives() []string {
	offer := d.Offers[0]
	price, ok := offer.Price()
	if d.Kind == changes.QuoteRejected || !ok {
		return nil
	}
	exact := strconv.FormatFloat(price, 'f', format.Decimals(offer.Currency), 64)
	ways := []string{
		d.ConfirmWord(),
		exact,
		strings.ReplaceAll(exact, ".", ","),
		format.Amount(price, offer.Currency),
	}
	var withCurrency []string
	for _, way := range ways {
		withCurrency = append(withCurrency, way+" "+offer.Currency)
	}
	return append(ways, withCurrency...)
}

// Describe returns a summary such as "accept AeroScan, 12,420.00 EUR, for ORD-100241".
func (d *Decision) Describe(verb string) string {
	if len(d.Offers) > 1 {
		return fmt.Sprintf("%s %d quotes for %s", verb, len(d.Offers), OrderName(d.Order))
	}
	offer := d.Offers[0]
	return fmt.Sprintf("%s %s, %s, for %s", verb, offer.DisplayName(), offer.PriceText(), OrderName(d.Order))
}

// Entry returns an entry for the log of changes about the decision on one offer. The caller adds the time,
// the account and the outcome.
func (d *Decision) Entry(offer *Offer) changes.Change {
	entry := changes.Change{
		Kind:      d.Kind,
		OrderID:   d.Order.ID,
		OrderName: FullName(d.Order),
		Quote: changes.QuoteSubject{
			ID:    offer.QuoteID,
			Name:  offer.DisplayName(),
			Price: offer.PriceText(),
			Days:  offer.DeliveryBy.String(),
		},
	}
	for _, rival := range d.Rivals {
		entry.Quote.Against = append(entry.Quote.Against, rival.DisplayName()+" "+rival.PriceText())
	}
	return entry
}
