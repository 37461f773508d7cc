package api

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"
)

// SuggestedDays is what a suggestion for a quote has as its time to deliver in
// where no other is given.
const SuggestedDays = 14

// Review yields the review queue: the orders that bid, newest first. Those
// whose client has no quote to decide wait for Operations; see
// [OpsOrder.WaitsForQuote]. It stops after the first error, which it yields.
func (s *OpsOrdersService) Review(ctx context.Context) iter.Seq2[*OpsOrder, error] {
	return s.All(ctx, OpsOrderFilter{Status: OrderBiddingWithQuote})
}

// WaitsForQuote reports whether the order bids and its client has no quote
// that can be decided at the time now. It holds for a row of a list too, where
// the service counts the quotes.
func (o *OpsOrder) WaitsForQuote(now time.Time) bool {
	if o.Status != OrderBiddingWithQuote {
		return false
	}
	if o.OpenQuotes != nil {
		return *o.OpenQuotes == 0
	}
	for i := range o.Quotes {
		if o.Quotes[i].IsDecidable(now) {
			return false
		}
	}
	return true
}

// PriceInput returns what the price of the order follows from, delivered in so many
// days. It needs the detail: a row of a list has no missions.
func (o *OpsOrder) PriceInput(days int) PriceInput {
	in := PriceInput{Sensors: o.Sensors, Deliverables: o.Deliverables, Days: days, Currency: "USD"}
	if o.Account != nil && o.Account.Currency != "" {
		in.Currency = o.Account.Currency
	}
	if o.AreaSize != nil {
		in.AreaSize = *o.AreaSize
	}
	for _, m := range o.Missions {
		price := PriceMission{Type: m.MissionType, Location: m.LocationMap}
		if m.AreaSize != nil {
			price.AreaSize = *m.AreaSize
		}
		in.Missions = append(in.Missions, price)
	}
	return in
}

// SuggestQuote returns a quote for the order as the formula has it ([SuggestPrice]):
// of its detail, delivered in so many days ([SuggestedDays] if 0), open for a
// week from now. It fills in a form, and can be issued unchanged.
func (o *OpsOrder) SuggestQuote(days int, now time.Time) QuoteInput {
	if days == 0 {
		days = SuggestedDays
	}
	in := o.PriceInput(days)
	name := "Standard"
	if n := len(o.Quotes); n > 0 {
		name = fmt.Sprintf("Standard %d", n+1)
	}
	return QuoteInput{
		QuoteName: name, DeliveryBy: days, PriceBeforeDiscount: SuggestPrice(in), Currency: in.Currency,
		ExpiryDate: TimeOf(now.UTC().Add(7 * 24 * time.Hour).Truncate(time.Minute)),
	}
}

// FinalPrice returns what the service will work out of the price and the discount.
func (in QuoteInput) FinalPrice() float64 {
	return DiscountedAmount(RoundAmount(in.PriceBeforeDiscount, in.Currency), in.DiscountPercent, in.Currency)
}

// Expire lets a quote expire now: it moves the service's clock to the
// quote's expiry. One that has expired changes nothing; the answer is the
// clock. Only a service for trying things out has a clock that can be moved.
func (s *OpsQuotesService) Expire(ctx context.Context, q *OpsQuote) (*ServiceClock, error) {
	if q.ExpiryDate.IsZero() {
		return nil, fmt.Errorf("expire quote: quote %s has no expiry", q.QuoteID)
	}
	world := (*OpsWorldService)(s)
	if clock, err := world.Clock(ctx); err != nil || !clock.Now.Before(q.ExpiryDate.Time) {
		return clock, err
	}
	clock, err := world.SetClock(ctx, q.ExpiryDate.Time)
	if IsStatus(err, http.StatusConflict) { // its time may have come meanwhile
		if seen, again := world.Clock(ctx); again == nil && !seen.Now.Before(q.ExpiryDate.Time) {
			return seen, nil
		}
	}
	return clock, err
}
