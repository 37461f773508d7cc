package ops

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"time"

	"flightdesk/api"
)

// SuggestedDays is the default delivery time of suggested quotes.
const SuggestedDays = 14

// Review yields the orders in review, newest first. If the client of such an order has no quote to decide,
// the operations team has to send a quote; see [Order.WaitsForQuote]. Review yields the first error and
// stops.
func (s *OrdersService) Review(ctx context.Context) iter.Seq2[*Order, error] {
	return s.All(ctx, OrderFilter{Status: api.OrderBiddingWithQuote})
}

// WaitsForQuote reports whether the order is in review and its client has no quote to decide at the
// time now. It also works for orders in lists.
func (o *Order) WaitsForQuote(now time.Time) bool {
	open, _ := o.CountUndecided(now)
	return o.Status == api.OrderBiddingWithQuote && open == 0
}

// CountUndecided returns how many quotes of the order its client can decide at the time now, and how many
// undecided quotes have expired. For an order in a list it returns the numbers that the service has sent.
func (o *Order) CountUndecided(now time.Time) (open, expired int) {
	if o.OpenQuotes != nil {
		open = *o.OpenQuotes
		if o.ExpiredQuotes != nil {
			expired = *o.ExpiredQuotes
		}
		return open, expired
	}
	for i := range o.Quotes {
		quote := &o.Quotes[i]
		if quote.IsDecidable(now) {
			open++
		} else if quote.Status == api.QuoteOpen {
			expired++
		}
	}
	return open, expired
}

// SuggestPrice returns the usual price of the order; see the function [SuggestPrice]. It does not
// work for orders in lists, which have no missions.
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

// SuggestQuote returns a quote for the order that can be issued unchanged, with the price of
// [SuggestPrice], delivery in the given number of days ([SuggestedDays] if 0), and an expiry in a
// week. It needs an order with missions.
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

// FinalPrice returns the final price that the service will calculate from the price and the
// discount.
func (in QuoteInput) FinalPrice() float64 {
	return api.DiscountedAmount(
		api.RoundAmount(in.PriceBeforeDiscount, in.Currency),
		in.DiscountPercent,
		in.Currency,
	)
}

// Expire makes a quote expire now: it moves the service's clock forward to the quote's expiry. If
// the quote has already expired, Expire changes nothing. It returns the clock. Only a test service
// has a clock that can be moved.
func (s *QuotesService) Expire(ctx context.Context, q *Quote) (*ServiceClock, error) {
	if q.ExpiryDate.IsZero() {
		return nil, fmt.Errorf("expire quote: quote %s has no expiry", q.QuoteID)
	}
	world := (*WorldService)(s)
	if clock, err := world.Clock(ctx); err != nil || !clock.Now.Before(q.ExpiryDate.Time) {
		return clock, err
	}
	clock, err := world.SetClock(ctx, q.ExpiryDate.Time)
	if api.IsStatus(err, http.StatusConflict) { // the quote may have expired meanwhile
		if seen, again := world.Clock(ctx); again == nil && !seen.Now.Before(q.ExpiryDate.Time) {
			return seen, nil
		}
	}
	return clock, err
}
