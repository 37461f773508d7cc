package ops

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"flightdesk/api"
)

// SuggestedDays is what a suggestion for a quote has as its time to deliver in
// where no other is given.
const SuggestedDays = 14

// Review yields the review queue: the orders that bid, newest first. Those
// whose client has no quote to decide wait for Operations; see
// [Order.WaitsForQuote]. It stops after the first error, which it yields.
func (s *OrdersService) Review(ctx context.Context) iter.Seq2[*Order, error] {
	return s.All(ctx, OrderFilter{Status: api.OrderBiddingWithQuote})
}

// WaitsForQuote reports whether the order bids and its client has no quote
// that can be decided at the time now. It holds for a row of a list too, where
// the service counts the quotes.
func (o *Order) WaitsForQuote(now time.Time) bool {
	if o.Status != api.OrderBiddingWithQuote {
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

// SuggestPrice returns what the order usually costs, see [SuggestPrice]. It needs the
// detail: a row of a list has no missions.
func (o *Order) SuggestPrice(days int, currency string) float64 {
	survey := api.CreateOrderRequest{Order: api.OrderInput{Sensors: o.Sensors, Deliverables: o.Deliverables}}
	for _, m := range o.Missions {
		survey.Missions = append(survey.Missions, surveyed(m.MissionType, m.AreaSize, m.LocationMap))
	}
	if len(o.Missions) == 0 && o.AreaSize != nil {
		survey.Missions = []api.MissionInput{surveyed(api.MissionArea, o.AreaSize, nil)}
	}
	return SuggestPrice(survey, days, currency)
}

func surveyed(kind api.MissionType, area *float64, location []api.Point) api.MissionInput {
	m := api.MissionInput{MissionType: kind, LocationMap: location}
	if area != nil {
		m.AreaSize = *area
	}
	return m
}

// SuggestQuote returns a quote for the order as the formula has it ([SuggestPrice]):
// of its detail, delivered in so many days ([SuggestedDays] if 0), open for a
// week from now. It fills in a form, and can be issued unchanged.
func (o *Order) SuggestQuote(days int, now time.Time) QuoteInput {
	if days == 0 {
		days = SuggestedDays
	}
	currency := "USD"
	if o.Account != nil && o.Account.Currency != "" {
		currency = o.Account.Currency
	}
	name := "Standard"
	if n := len(o.Quotes); n > 0 {
		name = fmt.Sprintf("Standard %d", n+1)
	}
	return QuoteInput{
		QuoteName:           name,
		DeliveryBy:          days,
		PriceBeforeDiscount: o.SuggestPrice(days, currency),
		Currency:            currency,
		ExpiryDate:          api.TimeOf(now.UTC().Add(7 * 24 * time.Hour).Truncate(time.Minute)),
	}
}

// FinalPrice returns what the service will work out of the price and the discount.
func (in QuoteInput) FinalPrice() float64 {
	return api.DiscountedAmount(
		api.RoundAmount(in.PriceBeforeDiscount, in.Currency),
		in.DiscountPercent,
		in.Currency,
	)
}

// Expire lets a quote expire now: it moves the service's clock to the
// quote's expiry. One that has expired changes nothing; the answer is the
// clock. Only a service for trying things out has a clock that can be moved.
func (s *QuotesService) Expire(ctx context.Context, q *Quote) (*ServiceClock, error) {
	if q.ExpiryDate.IsZero() {
		return nil, fmt.Errorf("expire quote: quote %s has no expiry", q.QuoteID)
	}
	world := (*WorldService)(s)
	if clock, err := world.Clock(ctx); err != nil || !clock.Now.Before(q.ExpiryDate.Time) {
		return clock, err
	}
	clock, err := world.SetClock(ctx, q.ExpiryDate.Time)
	if api.IsStatus(err, http.StatusConflict) { // its time may have come meanwhile
		if seen, again := world.Clock(ctx); again == nil && !seen.Now.Before(q.ExpiryDate.Time) {
			return seen, nil
		}
	}
	return clock, err
}
