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

// Offer is a quote of an order, together with its status and the order.
type Offer struct {
	api.Quote
	Status api.QuoteStatus
	Order  *api.OrderRecord
}

// Price returns the final price, and whether it is known.
func (o *Offer) Price() (sum float64, ok bool) {
	return o.FinalPrice.Amount, IsKnown(o.FinalPrice)
}

// IsKnown reports whether a price is a number.
func IsKnown(p api.Price) bool { return p.Known && !math.IsInf(p.Amount, 0) }

// PerArea returns the price per square metre, and whether it is known.
func (o *Offer) PerArea() (float64, bool) {
	price, ok := o.Price()
	if area := format.ValueOf(o.Order.AreaSize); ok && area > 0 {
		return price / area, true
	}
	return 0, false
}

// DiscountText returns the discount with its reason, or "" if there is none.
func (o *Offer) DiscountText() string {
	percent, ok := o.Discount()
	text := strings.TrimSpace(o.DiscountProvided)
	if text == "" || ok && percent == 0 {
		return ""
	}
	if ok && strings.HasSuffix(text, "%") {
		text = strings.TrimSpace(strings.TrimSuffix(text, "%")) + "%"
	}
	if o.ReasonForDiscount != nil && strings.TrimSpace(*o.ReasonForDiscount) != "" {
		return text + ", " + *o.ReasonForDiscount
	}
	return text + ", no reason given"
}

// OfferSet has all quotes of an order, sorted for a comparison.
type OfferSet struct {
	Open    []*Offer // undecided offers, by currency and price; expired offers are last
	Decided []*Offer // accepted, then rejected, then closed
	Units   format.Units
}

// NewSet returns the quotes of an order.
func NewSet(now time.Time, r *api.OrderRecord) OfferSet {
	offers := func(status api.QuoteStatus, quotes ...api.Quote) []*Offer {
		all := make([]*Offer, len(quotes))
		for i, q := range quotes {
			all[i] = &Offer{Quote: q, Status: status, Order: r}
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

// CloseArchived returns a copy of the record of an archived order in which the open quotes are closed.
// Some services leave them open, but they can no longer be decided.
func CloseArchived(r *api.OrderRecord) *api.OrderRecord {
	closed := *r
	closed.ClosedQuotes = slices.Concat(r.ClosedQuotes, r.Quotes)
	closed.Quotes = nil
	closed.Instruction = ""
	if stage := r.StageStatus(); stage == api.RecordQuoteReceived || stage == api.RecordReviewing {
		closed.OrderStatus = api.RecordStatus(api.OrderArchived)
		closed.Status = ""
	}
	return &closed
}

// sortOffers sorts the open offers by currency, the most frequent first, and then by price. After them
// come offers without a currency, then offers without a price, and then expired offers.
func (s *OfferSet) sortOffers(now time.Time) {
	count := map[string]int{}
	for _, o := range s.Open {
		count[o.Currency]++
	}
	slices.SortStableFunc(s.Open, func(x, y *Offer) int {
		return cmp.Or(
			x.rank(now)-y.rank(now),
			count[y.Currency]-count[x.Currency],
			strings.Compare(x.Currency, y.Currency),
			cmp.Compare(x.FinalPrice.Amount, y.FinalPrice.Amount),
		)
	})
}

// rank returns the group of an offer for sortOffers; lower groups come first.
func (o *Offer) rank(now time.Time) int {
	if o.IsExpired(now) {
		return 3
	}
	if _, isPriced := o.Price(); !isPriced {
		return 2
	}
	if o.Currency == "" {
		return 1
	}
	return 0
}

// FindOffer returns the offer with the given quote ID, or nil.
func (s *OfferSet) FindOffer(id string) *Offer {
	for _, o := range slices.Concat(s.Open, s.Decided) {
		if o.QuoteID == id {
			return o
		}
	}
	return nil
}

// SoonestExpiry returns the open offer that expires next, or nil.
func (s *OfferSet) SoonestExpiry(now time.Time) *Offer {
	return LeastOf(s.OpenOffers(now), (*Offer).Expiry)
}

// OpenOffers returns the offers that can still be decided.
func (s *OfferSet) OpenOffers(now time.Time) []*Offer {
	return slices.DeleteFunc(slices.Clone(s.Open), func(o *Offer) bool { return o.IsExpired(now) })
}

// AreComparable reports whether two prices can be compared: they have the same known
// currency.
func AreComparable(x, y *Offer) bool { return x.Currency == y.Currency && x.Currency != "" }

// Currencies returns the currencies of the offers with a price, including "" for an
// unknown one.
func Currencies(offers []*Offer) []string {
	var all []string
	for _, o := range offers {
		if _, ok := o.Price(); ok && !slices.Contains(all, o.Currency) {
			all = append(all, o.Currency)
		}
	}
	return all
}

// BestOf describes in which respects an offer is the best of the open offers, such as "cheapest, fastest". An offer is
// not the best if all offers are equal.
func (s *OfferSet) BestOf(o *Offer, now time.Time) string {
	if o.Status != api.QuoteOpen || o.IsExpired(now) {
		return ""
	}
	open := s.OpenOffers(now)
	var ranks []string
	if isCheapest(o, open) {
		ranks = append(ranks, cheapestText(o, open))
	}
	if isLeast(o, open, (*Offer).DeliveryDays) {
		ranks = append(ranks, fastestText(open))
	}
	return strings.Join(ranks, ", ")
}

// isCheapest reports whether o has the lowest price of the open offers in its currency.
func isCheapest(o *Offer, open []*Offer) bool {
	isOther := func(other *Offer) bool { return !AreComparable(other, o) }
	inCurrency := slices.DeleteFunc(slices.Clone(open), isOther)
	return isLeast(o, inCurrency, (*Offer).Price)
}

// cheapestText returns "cheapest" for the cheapest offer. If the open offers have several currencies, the text has the
// currency of the offer. If the price of an open offer is unknown, the text is "cheapest known".
func cheapestText(cheapest *Offer, open []*Offer) string {
	text := "cheapest"
	if !areKnown(open, (*Offer).Price) {
		text = "cheapest known"
	}
	if len(Currencies(open)) > 1 {
		text += " in " + cheapest.Currency
	}
	return text
}

// fastestText returns "fastest", or "fastest known" if the delivery time of an open offer is unknown.
func fastestText(open []*Offer) string {
	if areKnown(open, (*Offer).DeliveryDays) {
		return "fastest"
	}
	return "fastest known"
}

// areKnown reports whether figure returns a known value for every offer. figure is a method such as
// (*Offer).Price.
func areKnown(offers []*Offer, figure func(*Offer) (float64, bool)) bool {
	for _, o := range offers {
		if _, isKnown := figure(o); !isKnown {
			return false
		}
	}
	return true
}

// isLeast reports whether o has the smallest figure, and at least one offer has a larger figure. figure is
// a method such as (*Offer).Price.
func isLeast(o *Offer, among []*Offer, figure func(*Offer) (float64, bool)) bool {
	least := math.Inf(1)
	most := math.Inf(-1)
	for _, r := range among {
		if f, known := figure(r); known {
			least = min(least, f)
			most = max(most, f)
		}
	}
	own, known := figure(o)
	return known && own == least && own < most
}

// Difference compares a figure of two offers, such as their price. It returns by how much the figure of
// o exceeds the figure of other, and the difference as a share of the figure of other. ok is false if there
// is no other offer (other is nil or o), or if a figure is unknown.
func Difference(o, other *Offer, figure func(*Offer) (float64, bool)) (by, share float64, ok bool) {
	if other == nil || o == other {
		return 0, 0, false
	}
	own, ownKnown := figure(o)
	others, othersKnown := figure(other)
	by = own - others
	return by, by / math.Abs(others), ownKnown && othersKnown
}

// DeliveryDays returns the delivery time in days, and whether it is known.
func (o *Offer) DeliveryDays() (float64, bool) {
	return float64(o.DeliveryBy.Count), o.DeliveryBy.Known
}

// Expiry returns the expiry in Unix seconds, and whether it is known.
func (o *Offer) Expiry() (float64, bool) {
	return float64(o.ExpiryDate.Unix()), o.ExpiryDate.IsRead()
}

// PriceText returns the final price with its currency, or a dash if it is unknown. A price
// that could not be parsed is returned as the service sent it, with a mark.
func (o *Offer) PriceText() string { return o.priceCell(o.FinalPrice).Text }

// priceCell returns a cell with the price and its currency.
func (o *Offer) priceCell(p api.Price) columns.Cell {
	cell := columns.PriceCell(p, o.Currency)
	if cell.Known {
		cell.Text = format.Money(p.Amount, o.Currency)
	}
	return cell
}

// DisplayName returns the name of the quote, or its ID if it has no name.
func (o *Offer) DisplayName() string {
	if strings.TrimSpace(o.QuoteName) != "" {
		return o.QuoteName
	}
	if o.QuoteID != "" {
		return "quote " + o.QuoteID
	}
	return "Unnamed quote"
}

// OrderName returns the code of an order, or the beginning of its ID.
func OrderName(r *api.OrderRecord) string {
	return cmp.Or(r.OrderCode, format.CutLine(r.ID, 8))
}

// FullName returns the code and the name of an order.
func FullName(r *api.OrderRecord) string { return strings.TrimSpace(OrderName(r) + " " + r.OrderName) }

// LeastOf returns the offer with the smallest known figure, or nil if no figure is known. figure is a
// method such as (*Offer).Price.
func LeastOf(offers []*Offer, figure func(*Offer) (float64, bool)) *Offer {
	var least *Offer
	smallest := math.Inf(1)
	for _, o := range offers {
		if f, ok := figure(o); ok && f < smallest {
			least = o
			smallest = f
		}
	}
	return least
}

// QuotedOrder is an order with its quotes: which of them can be decided, and when they expire.
type QuotedOrder struct {
	*api.OrderRecord
	Fault   error // why the quotes could not be loaded
	Full    bool  // the quotes are loaded
	Set     OfferSet
	Live    []*Offer  // open offers that have not expired
	Expires time.Time // next expiry of an open offer; if all have expired, the last expiry; zero if unknown
}

// AllExpired is the advice for an order if all its undecided quotes have expired. Other quotes of the order may have
// been decided.
const AllExpired = "No open quotes. Contact the service for new ones, cancel the order, or order again."

// HasExpired reports whether all open quotes have expired.
func (s *QuotedOrder) HasExpired() bool { return s.State() == format.QuotesExpired }

// State returns the state of the order's quotes. Until the quotes are loaded, it is QuotesReady, because
// the service lists only orders with quotes to decide.
func (s *QuotedOrder) State() format.QuoteState {
	if len(s.Set.Open) == 0 {
		return format.QuotesReady
	}
	return format.QuoteStateOf(len(s.Live), len(s.Set.Open)-len(s.Live))
}

// StateOf returns the state of an order's quotes. r must have all quotes of the order.
func StateOf(r *api.OrderRecord, now time.Time) format.QuoteState {
	s := NewQuotedOrder(r, now)
	if len(s.Set.Open) == 0 {
		return format.QuotesNone
	}
	return s.State()
}

// StatesOf returns the state of the quotes of each order, by order ID.
func StatesOf(orders []*QuotedOrder) map[string]format.QuoteState {
	states := map[string]format.QuoteState{}
	for _, s := range orders {
		states[s.ID] = s.State()
	}
	return states
}

// Choices returns the offers to choose from: the offers that can be decided or, if there are none, the
// expired offers.
func (s *QuotedOrder) Choices() []*Offer {
	if len(s.Live) > 0 {
		return s.Live
	}
	return s.Set.Open
}

// NewQuotedOrder returns an order with its quotes at the time now.
func NewQuotedOrder(r *api.OrderRecord, now time.Time) *QuotedOrder {
	s := &QuotedOrder{OrderRecord: r, Set: NewSet(now, r)}
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

// QuotedOrders returns all orders with undecided quotes. Orders with the next expiry are first, then orders
// without a known expiry, and then orders whose quotes have all expired.
func QuotedOrders(q *cache.OpenQuotes, now time.Time) []*QuotedOrder {
	all := make([]*QuotedOrder, len(q.Listed))
	for i, r := range q.Listed {
		all[i] = NewQuotedOrder(q.RecordOf(r), now)
		all[i].Full = q.Full[r.ID] != nil
		all[i].Fault = q.Faults[r.ID]
	}
	group := func(s *QuotedOrder) int {
		if s.Expires.IsZero() {
			return 1
		}
		if s.HasExpired() {
			return 2
		}
		return 0
	}
	slices.SortStableFunc(all, func(x, y *QuotedOrder) int {
		return cmp.Or(group(x)-group(y), x.Expires.Compare(y.Expires))
	})
	return all
}
