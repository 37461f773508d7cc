package demodata

import (
	"math"
	"math/rand/v2"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// serviceTier is a level of service at which a survey is offered.
type serviceTier struct {
	name, description string
	days              int           // delivery time
	life              time.Duration // how long the quote is valid
}

// tiers begin with the slowest. The faster a tier, the sooner its quote expires, because
// crews that are free now are soon busy.
var tiers = []serviceTier{
	{"Economy", "One crew, when it is nearby; weather days are not charged.", 28, 14 * day},
	{"Standard", "One crew on a date of your choice, data checked by a second pair of eyes.", 18, 9 * day},
	{"Express", "Two crews side by side, processing overnight.", 9, 5 * day},
	{"Priority", "A crew leaves tomorrow; raw data on the day of the flight.", 4, 2 * day},
}

// discounts are the discounts of quotes with their reasons; the last one has none.
var discounts = []struct {
	percent float64
	reason  string
}{
	{5, "a crew is in the area that week"},
	{10, "third survey of the same site"},
	{7.5, "paid in advance"},
	{12, ""},
}

// MakeOffers returns two to four quotes for a survey, the slowest and cheapest first.
// They expire some days after now.
func MakeOffers(
	survey api.CreateOrderRequest, currency string, rng *rand.Rand, now time.Time,
) []ops.QuoteInput {
	var offers []ops.QuoteInput
	from := 0
	to := len(tiers)
	switch rng.IntN(3) {
	case 0:
		from = 1
		to = 3
	case 1:
		to = 3
	}
	for i, t := range tiers[from:to] {
		o := ops.QuoteInput{
			QuoteName:           t.name,
			Description:         t.description,
			DeliveryBy:          t.days,
			ExpiryDate:          api.TimeOf(now.Add(t.life).Truncate(time.Minute)),
			PriceBeforeDiscount: math.Round(ops.SuggestPrice(survey, t.days, currency) * (0.99 + 0.02*rng.Float64())),
		}
		d := discounts[rng.IntN(len(discounts))]
		if i == 0 && rng.IntN(2) == 0 {
			o.DiscountPercent = d.percent
			o.ReasonForDiscount = d.reason
		}
		offers = append(offers, o)
	}
	return offers
}

// OfferNamed returns an offer of the tier with the name, or one with that name and the
// delivery time of the standard tier. It has no expiry date.
func OfferNamed(name string, survey api.CreateOrderRequest, currency string) ops.QuoteInput {
	o := ops.QuoteInput{QuoteName: name, DeliveryBy: tiers[1].days}
	for _, t := range tiers {
		if t.name == name {
			o.Description = t.description
			o.DeliveryBy = t.days
		}
	}
	o.PriceBeforeDiscount = ops.SuggestPrice(survey, o.DeliveryBy, currency)
	return o
}

// SurveyRequest returns those parts of an order's request that determine its price.
func SurveyRequest(d store.OrderDetail) api.CreateOrderRequest {
	survey := api.CreateOrderRequest{
		Order: api.OrderInput{Sensors: d.Order.Sensors, Deliverables: d.Order.Deliverables},
	}
	for _, m := range d.Missions {
		in := api.MissionInput{
			MissionType: m.Type,
			AreaSize:    m.AreaSize,
			LocationMap: m.LocationMap,
		}
		survey.Missions = append(survey.Missions, in)
	}
	if len(d.Missions) == 0 {
		survey.Missions = []api.MissionInput{{MissionType: api.MissionArea, AreaSize: d.Order.AreaSize}}
	}
	return survey
}
