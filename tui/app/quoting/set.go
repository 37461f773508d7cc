// Package quoting compares the quotes of an order and decides them. Decisions are logged in
// a file of this machine.
package quoting

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// Offer is a quote and how it stands.
type Offer struct {
	api.Quote
	Status api.QuoteStatus
	Order  *api.OrderRecord // that it is for
}

// Price returns the final price; ok is false where the service told none.
func (o *Offer) Price() (sum float64, ok bool) {
	return o.FinalPrice.Amount, IsKnown(o.FinalPrice)
}

// IsKnown reports whether a service sent a price that can be calculated with.
func IsKnown(p api.Price) bool { return p.Known && !math.IsInf(p.Amount, 0) }

// PerArea returns the price of a square metre.
func (o *Offer) PerArea() (float64, bool) {
	price, ok := o.Price()
	if area := format.ValueOf(o.Order.AreaSize); ok && area > 0 {
		return price / area, true
	}
	return 0, false
}

// PerDay returns the price of one day until delivery.
func (o *Offer) PerDay() (float64, bool) {
	price, ok := o.Price()
	return price / float64(o.DeliveryBy.Count), ok && o.DeliveryBy.Known && o.DeliveryBy.Count > 0
}

// DiscountText returns what is taken off and why, "" where nothing is.
func (o *Offer) DiscountText() string {
	percent, ok := o.Discount()
	text := strings.TrimSpace(o.DiscountProvided)
	switch {
	case ok && percent == 0, text == "":
		return ""
	case ok && strings.HasSuffix(text, "%"):
		text = strings.TrimSpace(strings.TrimSuffix(text, "%")) + "%"
	}
	if o.ReasonForDiscount != nil && strings.TrimSpace(*o.ReasonForDiscount) != "" {
		return text + ", " + *o.ReasonForDiscount
	}
	return text + ", no reason given"
}

// OfferSet is a set of quotes to compare.
type OfferSet struct {
	Open    []*Offer // to be decided, the cheapest of a currency first; the expired ones behind them
	Decided []*Offer // accepted, then rejected, then closed
	Units   format.Units
}

// NewSet returns the quotes of an order.
func NewSet(now time.Time, r *api.OrderRecord) OfferSet {
	offers := func(status api.QuoteStatus, quotes ...api.Quote) []*Offer {
		all := make([]*Offer, len(quotes))
		for i, q := range quotes {
			all[i] = &Offer{q, status, r}
		}
		return all
	}
	set := OfferSet{Open: offers(api.QuoteOpen, r.Quotes...)}
	if r.AcceptedQuote != nil {
		set.Decided = offers(api.QuoteAccepted, *r.AcceptedQuote)
	}
	set.Decided = append(set.Decided, offers(api.QuoteRejected, r.RejectedQuotes...)...)
	set.Decided = append(set.Decided, offers(api.QuoteClosed, r.ClosedQuotes...)...)
	set.sortOffers(now)
	return set
}

// CloseArchived returns the record of an archived order with its open quotes closed. A
// service may leave them open, but they need no decision.
func CloseArchived(r *api.OrderRecord) *api.OrderRecord {
	closed := *r
	closed.ClosedQuotes = slices.Concat(r.ClosedQuotes, r.Quotes)
	closed.Quotes = nil
	closed.Instruction = ""
	if stage := r.StageStatus(); stage == api.RecordQuoteReceived || stage == api.RecordReviewing {
		closed.OrderStatus = api.RecordCancelled
		closed.Status = ""
	}
	return &closed
}

// sortOffers puts the offers of each currency beside each other, the currency of
// most offers first, and in each the cheapest. Behind them go those whose price
// cannot be compared, for want of a currency or of all, and the expired ones.
func (b *OfferSet) sortOffers(now time.Time) {
	count := map[string]int{}
	for _, o := range b.Open {
		count[o.Currency]++
	}
	rank := func(o *Offer) int {
		_, priced := o.Price()
		switch {
		case o.IsExpired(now):
			return 3
		case !priced:
			return 2
		case o.Currency == "":
			return 1
		default:
			return 0
		}
	}
	slices.SortStableFunc(b.Open, func(x, y *Offer) int {
		return cmp.Or(
			rank(x)-rank(y),
			count[y.Currency]-count[x.Currency],
			strings.Compare(x.Currency, y.Currency),
			cmp.Compare(x.FinalPrice.Amount, y.FinalPrice.Amount),
		)
	})
}

// FindOffer returns the offer with an id, nil for none.
func (b *OfferSet) FindOffer(id string) *Offer {
	for _, o := range slices.Concat(b.Open, b.Decided) {
		if o.QuoteID == id {
			return o
		}
	}
	return nil
}

// SoonestExpiry returns the open offer that expires next, nil where none will.
func (b *OfferSet) SoonestExpiry(now time.Time) *Offer {
	return LeastOf(b.OpenOffers(now), (*Offer).Expiry)
}

// OpenOffers returns the offers that can still be decided.
func (b *OfferSet) OpenOffers(now time.Time) []*Offer {
	return slices.DeleteFunc(slices.Clone(b.Open), func(o *Offer) bool { return o.IsExpired(now) })
}

// AreComparable reports whether the prices of two offers can be compared. Where the
// service told no currency nobody knows.
func AreComparable(x, y *Offer) bool { return x.Currency == y.Currency && x.Currency != "" }

// Currencies returns those of offers with a price, "" where one has none.
func Currencies(offers []*Offer) []string {
	var all []string
	for _, o := range offers {
		if _, ok := o.Price(); ok && !slices.Contains(all, o.Currency) {
			all = append(all, o.Currency)
		}
	}
	return all
}

// BestOf says what an offer is the best of, among those that can still be decided.
// Prices count within their currency only; where all are the same, or there is one
// only, none is best.
func (b *OfferSet) BestOf(o *Offer, now time.Time) string {
	if o.Status != api.QuoteOpen || o.IsExpired(now) {
		return ""
	}
	rivals := b.OpenOffers(now)
	ofCurrency := slices.DeleteFunc(slices.Clone(rivals), func(r *Offer) bool { return !AreComparable(r, o) })
	in := ""
	if len(Currencies(rivals)) > 1 {
		in = " in " + o.Currency
	}
	var words []string
	add := func(word string, among []*Offer, figure func(*Offer) (float64, bool)) {
		if isLeast(o, among, figure) {
			words = append(words, word)
		}
	}
	add("cheapest"+in, ofCurrency, (*Offer).Price)
	add("fastest", rivals, (*Offer).DeliveryDays)
	add("best per "+b.Units.PriceUnit().Name+in, ofCurrency, (*Offer).PerArea)
	return strings.Join(words, ", ")
}

// isLeast reports whether o has the least figure, and another a greater one.
func isLeast(o *Offer, among []*Offer, figure func(*Offer) (float64, bool)) bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range among {
		if f, known := figure(r); known {
			least, most = min(least, f), max(most, f)
		}
	}
	own, known := figure(o)
	return known && own == least && own < most
}

// Difference returns by how much a figure of o exceeds that of another offer; ok is
// false where they cannot be compared, and where there is no other.
func Difference(o, other *Offer, figure func(*Offer) (float64, bool)) (by, share float64, ok bool) {
	if other == nil || o == other {
		return 0, 0, false
	}
	of, known := figure(o)
	from, alsoKnown := figure(other)
	return of - from, (of - from) / math.Abs(from), known && alsoKnown
}

// DeliveryDays returns how long the delivery takes.
func (o *Offer) DeliveryDays() (float64, bool) {
	return float64(o.DeliveryBy.Count), o.DeliveryBy.Known
}

// Expiry returns when the offer expires, in seconds since 1970; false where that is not
// known.
func (o *Offer) Expiry() (float64, bool) {
	return float64(o.ExpiryDate.Unix()), o.ExpiryDate.IsRead()
}

// PriceText returns the final price with its currency, a dash where it is not known. One
// that could not be read is shown as it was sent, with a mark.
func (o *Offer) PriceText() string { return o.priceCell(o.FinalPrice).Text }

// priceCell returns a price that is written wherever it stands.
func (o *Offer) priceCell(p api.Price) columns.Cell {
	cell := columns.PriceCell(p, o.Currency)
	if cell.Known {
		cell.Text = format.Money(p.Amount, o.Currency)
	}
	return cell
}

// DisplayName returns the quote's, or what there is in its place.
func (o *Offer) DisplayName() string {
	switch {
	case strings.TrimSpace(o.QuoteName) != "":
		return o.QuoteName
	case o.QuoteID != "":
		return "quote " + o.QuoteID
	default:
		return "Unnamed quote"
	}
}

// OrderName returns what an order is called by: its code, or the start of its id.
func OrderName(r *api.OrderRecord) string {
	return cmp.Or(r.OrderCode, format.CutLine(r.ID, 8))
}

// FullName returns an order's code and name.
func FullName(r *api.OrderRecord) string { return strings.TrimSpace(OrderName(r) + " " + r.OrderName) }

// LeastOf returns the offer with the least figure, nil if none has one.
func LeastOf(offers []*Offer, figure func(*Offer) (float64, bool)) (least *Offer) {
	best := math.Inf(1)
	for _, o := range offers {
		if f, ok := figure(o); ok && f < best {
			least, best = o, f
		}
	}
	return least
}

// OpenStanding is how the open quotes of an order stand.
type OpenStanding struct {
	*api.OrderRecord
	Fault   error // why the quotes could not be loaded
	Full    bool  // they are loaded
	Set     OfferSet
	Live    []*Offer  // those that can be decided
	Expires time.Time // when the next of these expires, or the last one did; zero where that is not known
}

// AllExpired says what can be done about an order whose open quotes have all
// expired.
const AllExpired = "All quotes have expired. Contact the service for new ones, cancel the order, or order again."

// HasExpired reports whether there are open quotes and none can be decided.
func (s *OpenStanding) HasExpired() bool { return len(s.Set.Open) > 0 && len(s.Live) == 0 }

// Choices returns the offers that can be decided; if there are none, the expired ones.
func (s *OpenStanding) Choices() []*Offer {
	if len(s.Live) > 0 {
		return s.Live
	}
	return s.Set.Open
}

// StandingOf returns how the open quotes of an order stand.
func StandingOf(r *api.OrderRecord, now time.Time) *OpenStanding {
	s := &OpenStanding{OrderRecord: r, Set: NewSet(now, r)}
	s.Live = s.Set.OpenOffers(now)
	for _, o := range s.Set.Open {
		if o.ExpiryDate.After(s.Expires) {
			s.Expires = o.ExpiryDate.Time
		}
	}
	if o := s.Set.SoonestExpiry(now); o != nil {
		s.Expires = o.ExpiryDate.Time
	}
	return s
}

// StandingsOf returns how the open quotes of orders stand, soonest expiry first, then those
// that do not say when they expire, then those that have.
func StandingsOf(q *cache.OpenQuotes, now time.Time) []*OpenStanding {
	all := make([]*OpenStanding, len(q.Listed))
	for i, r := range q.Listed {
		all[i] = StandingOf(q.RecordOf(r), now)
		all[i].Full, all[i].Fault = q.Full[r.ID] != nil, q.Faults[r.ID]
	}
	group := func(s *OpenStanding) int {
		switch {
		case s.Expires.IsZero():
			return 1
		case s.HasExpired():
			return 2
		default:
			return 0
		}
	}
	slices.SortStableFunc(all, func(x, y *OpenStanding) int {
		return cmp.Or(group(x)-group(y), x.Expires.Compare(y.Expires))
	})
	return all
}
