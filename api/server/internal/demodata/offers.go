package demodata

import (
	"math"
	"math/rand/v2"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// serviceTier is a way to carry a survey out.
type serviceTier struct {
	name, description string
	days              int           // to deliver in
	life              time.Duration // of the quote
}

// tiers begin with the slowest. The faster one is, the sooner its quote expires:
// crews that are free now are soon busy.
var tiers = []serviceTier{
	{"Economy", "One crew, when it is nearby; weather days are not charged.", 28, 14 * day},
	{"Standard", "One crew on a date of your choice, data checked by a second pair of eyes.", 18, 9 * day},
	{"Express", "Two crews side by side, processing overnight.", 9, 5 * day},
	{"Priority", "A crew leaves tomorrow; raw data on the day of the flight.", 4, 2 * day},
}

// discounts are why a quote is cheaper; the last one says nothing.
var discounts = []struct {
	percent float64
	reason  string
}{
	{5, "a crew is in the area that week"}, {10, "third survey of the same site"}, {7.5, "paid in advance"}, {12, ""},
}

// MakeOffers returns two to four quotes for a survey, the slowest and cheapest first.
// They expire some days after now.
func MakeOffers(in api.PriceInput, rng *rand.Rand, now time.Time) []domain.NewQuote {
	from, to := 0, len(tiers)
	switch rng.IntN(3) {
	case 0:
		from, to = 1, 3
	case 1:
		to = 3
	}
	var offers []domain.NewQuote
	for i, t := range tiers[from:to] {
		in.Days = t.days
		o := domain.NewQuote{
			Name: t.name, Description: t.description, Days: t.days, Expires: now.Add(t.life).Truncate(time.Minute),
			// Firms differ, but by less than the ways do.
			Price: math.Round(api.SuggestPrice(in) * (0.99 + 0.02*rng.Float64())),
		}
		if d := discounts[rng.IntN(len(discounts))]; i == 0 && rng.IntN(2) == 0 {
			if o.Discount = d.percent; d.reason != "" {
				o.Reason = &d.reason
			}
		}
		offers = append(offers, o)
	}
	return offers
}

// OfferNamed returns a quote of a name, at its price; those of Offers have their own
// time to deliver in. It does not expire.
func OfferNamed(name string, in api.PriceInput) domain.NewQuote {
	o := domain.NewQuote{Name: name, Days: tiers[1].days}
	for _, t := range tiers {
		if t.name == name {
			o.Description, o.Days = t.description, t.days
		}
	}
	in.Days = o.Days
	o.Price = api.SuggestPrice(in)
	return o
}

// priceInput returns what the price of an order follows from.
func priceInput(req api.CreateOrderRequest, currency string) api.PriceInput {
	in := api.PriceInput{Sensors: req.Order.Sensors, Deliverables: req.Order.Deliverables, Currency: currency}
	for _, m := range req.Missions {
		in.Missions = append(
			in.Missions,
			api.PriceMission{Type: m.MissionType, AreaSize: m.AreaSize, Location: m.LocationMap},
		)
	}
	return in
}

// PriceInput returns what the price of an order follows from.
func PriceInput(o store.Order, missions []store.Mission, currency string) api.PriceInput {
	in := api.PriceInput{Sensors: o.Sensors, Deliverables: o.Deliverables, Currency: currency, AreaSize: o.AreaSize}
	for _, m := range missions {
		in.Missions = append(in.Missions, api.PriceMission{Type: m.Type, AreaSize: m.AreaSize, Location: m.LocationMap})
	}
	return in
}
