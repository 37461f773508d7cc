package demodata

import (
	"math"
	"math/rand/v2"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// serviceTier is a level of service at which a survey is offered.
type serviceTier struct {
	name, description string
	deliveryDays      int
	validity          time.Duration // how long the quote can be accepted after it was issued
}

// tiers begin with the slowest. The faster a tier, the sooner its quote expires, because
// crews that are free now are soon busy.
var tiers = []serviceTier{
	{"Economy", "One crew, when it is nearby; weather days are not charged.", 28, 14 * day},
	{"Standard", "One crew on a date of your choice, data checked by a second pair of eyes.", 18, 9 * day},
	{"Express", "Two crews side by side, processing overnight.", 9, 5 * day},
	{"Priority", "A crew leaves tomorrow; raw data on the day of the flight.", 4, 2 * day},
}

// discounts are the discounts of quotes with their reasons. The last discount has no reason.
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
// The quotes expire some days after now.
func MakeOffers(
	survey api.CreateOrderRequest, currency string, rng *rand.Rand, now time.Time,
) []ops.QuoteInput {
	var offers []ops.QuoteInput
	for i, tier := range drawTiers(rng) {
		price := ops.SuggestPrice(survey, tier.deliveryDays, currency)
		offer := ops.QuoteInput{
			QuoteName:           tier.name,
			Description:         tier.description,
			DeliveryBy:          tier.deliveryDays,
			ExpiryDate:          api.TimeOf(now.Add(tier.validity).Truncate(time.Minute)),
			PriceBeforeDiscount: math.Round(price * (0.99 + 0.02*rng.Float64())), // within 1 percent
		}
		// Every offer draws a discount, although only the first can have one: with fewer draws,
		// the demo world would get other offers.
		discount := discounts[rng.IntN(len(discounts))]
		isDiscounted := i == 0 && rng.IntN(2) == 0
		if isDiscounted {
			offer.DiscountPercent = discount.percent
			offer.ReasonForDiscount = discount.reason
		}
		offers = append(offers, offer)
	}
	return offers
}

// drawTiers returns two to four tiers, the slowest first.
func drawTiers(rng *rand.Rand) []serviceTier {
	switch rng.IntN(3) {
	case 0:
		return tiers[1:3] // Standard and Express
	case 1:
		return tiers[:3] // all but Priority
	default:
		return tiers
	}
}

// OfferNamed returns an offer of the tier with the name. If there is no such tier, the offer
// has the given name and the delivery time of the standard tier. It has no expiry date.
func OfferNamed(name string, survey api.CreateOrderRequest, currency string) ops.QuoteInput {
	standard := tiers[1]
	offer := ops.QuoteInput{QuoteName: name, DeliveryBy: standard.deliveryDays}
	for _, tier := range tiers {
		if tier.name == name {
			offer.Description = tier.description
			offer.DeliveryBy = tier.deliveryDays
		}
	}
	offer.PriceBeforeDiscount = ops.SuggestPrice(survey, offer.DeliveryBy, currency)
	return offer
}

// SurveyRequest returns the request for an order, reduced to the values that determine the price.
func SurveyRequest(d store.OrderDetail) api.CreateOrderRequest {
	survey := api.CreateOrderRequest{
		Order: api.OrderInput{Sensors: d.Order.Sensors, Deliverables: d.Order.Deliverables},
	}
	for _, m := range d.Missions {
		survey.Missions = append(survey.Missions, api.MissionInput{
			MissionType: m.Type,
			AreaSize:    m.AreaSize,
			LocationMap: m.LocationMap,
		})
	}
	if len(d.Missions) == 0 { // an order of the v2 API
		survey.Missions = []api.MissionInput{{MissionType: api.MissionArea, AreaSize: d.Order.AreaSize}}
	}
	return survey
}

// addQuotes adds the quotes of an order with the decisions on them. It sets the time of the order's
// last change to the time of the last quote or decision.
func (m *worldMaker) addQuotes(row demoOrder, order *domain.PastOrder, currency string) {
	if !row.hasQuotes() {
		return
	}
	m.issueQuotes(order, currency)
	if row.orderStage() == api.OrderBiddingWithQuote {
		m.setOpenQuotes(row.Bids, order)
	} else {
		m.setDecidedQuotes(row, order)
	}
}

// hasQuotes reports whether the order has quotes. Rejected and deleted orders have none, and
// orders that still wait for their first quote have none either.
func (o demoOrder) hasQuotes() bool {
	switch o.orderStage() {
	case api.OrderRejected, api.OrderDeleted:
		return false
	case api.OrderBiddingWithQuote:
		return o.Bids != bidsAwaited
	default:
		return true
	}
}

// quoteInterval is the time between two quotes of an order.
const quoteInterval = 40 * time.Minute

// issueQuotes adds the quotes of an order. All of them are open. The first one is issued a few hours after
// the order was placed.
func (m *worldMaker) issueQuotes(order *domain.PastOrder, currency string) {
	firstIssued := order.Created.Add(m.durationBetween(5*time.Hour, 16*time.Hour))
	for i, offer := range MakeOffers(order.Request, currency, m.rng, firstIssued) {
		issued := m.notAfterNow(firstIssued.Add(time.Duration(i) * quoteInterval))
		quote := domain.DraftQuote(offer, currency)
		quote.UUID = m.newUUID(issued)
		quote.Status = api.QuoteOpen
		quote.Created = issued
		order.Quotes = append(order.Quotes, quote)
		order.Updated = issued
	}
}

// setOpenQuotes rejects some quotes of an order that is open for bids, and sets when the
// others expire.
func (m *worldMaker) setOpenQuotes(bids bidState, order *domain.PastOrder) {
	last := len(order.Quotes) - 1
	for i := range order.Quotes {
		q := &order.Quotes[i]
		// Drawn for every quote, so that the random numbers of an order do not depend on bids.
		decided := m.notAfterNow(q.Created.Add(m.durationBetween(2*time.Hour, 9*time.Hour)))
		if !bids.isRejected(i, last) {
			q.Expires = m.now.Add(bids.timeLeft(i, last))
			continue
		}
		q.Status = api.QuoteRejected
		q.Decided = decided
		if decided.After(order.Updated) {
			order.Updated = decided
		}
	}
}

// isRejected reports whether the client has rejected the quote with index i. last is the index of
// the order's last quote.
func (b bidState) isRejected(i, last int) bool {
	switch b {
	case bidsMixed:
		return i > 0 && i < last
	case bidsPassed:
		return i == 0
	case bidsTurnedDown:
		return true
	default:
		return false
	}
}

// timeLeft returns how long the quote with index i can still be accepted. It is negative if the
// quote has expired. last is the index of the order's last quote.
func (b bidState) timeLeft(i, last int) time.Duration {
	if b == bidsPassed {
		return -time.Duration(2+i)*day - 4*time.Hour
	}
	if b == bidsOpen && i == last {
		return 5*time.Hour + 20*time.Minute
	}
	if b == bidsMixed && i == last {
		return -3 * time.Hour
	}
	return time.Duration(9-2*i) * day // like the validity of the tiers, shorter for faster ones
}

// setDecidedQuotes sets the state of the quotes of an order that is no longer open for bids.
// One quote was accepted, unless the order was cancelled before.
func (m *worldMaker) setDecidedQuotes(row demoOrder, order *domain.PastOrder) {
	accepted := m.rng.IntN(len(order.Quotes))
	decided := order.Created.Add(m.durationBetween(24*time.Hour, 44*time.Hour))
	isCancelled := row.orderStage() == api.OrderCancelled
	for i := range order.Quotes {
		q := &order.Quotes[i]
		q.Status = api.QuoteClosed
		q.Decided = decided
		if isCancelled {
			continue
		}
		if i == accepted {
			q.Status = api.QuoteAccepted
		} else if m.oneIn(3) {
			q.Status = api.QuoteRejected
			q.Decided = decided.Add(-time.Hour)
		}
	}
	order.Updated = decided
}
