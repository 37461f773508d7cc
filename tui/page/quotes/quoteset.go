package quotes

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// offer is a quote and how it stands.
type offer struct {
	api.Quote
	stands api.QuoteStatus
	order  string  // id of the order that it is for
	area   float64 // of that order, square metres; 0 where that is not known
}

// price is the final price; ok is false where the service told none.
func (o *offer) price() (sum float64, ok bool) {
	return o.FinalPrice.Amount, known(o.FinalPrice)
}

func known(p api.Price) bool { return p.Known && !math.IsInf(p.Amount, 0) }

// perArea is the price of one hectare, or of one of the unit that was chosen.
func (o *offer) perArea() (float64, bool) {
	price, ok := o.price()
	return price / (o.area / format.PriceUnit().Per), ok && o.area > 0
}

// perDay is the price of one day until delivery.
func (o *offer) perDay() (float64, bool) {
	price, ok := o.price()
	return price / float64(o.DeliveryBy.Count), ok && o.DeliveryBy.Known && o.DeliveryBy.Count > 0
}

// discount is what is taken off and why, "" where nothing is.
func (o *offer) discount() string {
	percent, ok := o.Discount()
	text := strings.TrimSpace(o.DiscountProvided)
	switch {
	case ok && percent == 0, text == "":
		return ""
	case ok && strings.HasSuffix(text, "%"):
		text = strings.TrimSpace(strings.TrimSuffix(text, "%")) + " %"
	}
	if o.ReasonForDiscount != nil && strings.TrimSpace(*o.ReasonForDiscount) != "" {
		return text + " " + *o.ReasonForDiscount
	}
	return text + ", no reason given"
}

// board is a set of quotes to compare.
type board struct {
	open    []*offer // to be decided, the cheapest of a currency first; the expired ones behind them
	decided []*offer // accepted, then rejected, then closed
}

// boardOf sets out the quotes of an order as they stand now.
func boardOf(r *api.OrderRecord, now time.Time) board {
	var b board
	area := 0.0
	if r.AreaSize != nil {
		area = *r.AreaSize
	}
	add := func(to *[]*offer, quotes []api.Quote, stands api.QuoteStatus) {
		for _, q := range quotes {
			*to = append(*to, &offer{Quote: q, stands: stands, order: r.ID, area: area})
		}
	}
	add(&b.open, r.Quotes, api.QuoteOpen)
	if r.AcceptedQuote != nil {
		add(&b.decided, []api.Quote{*r.AcceptedQuote}, api.QuoteAccepted)
	}
	add(&b.decided, r.RejectedQuotes, api.QuoteRejected)
	add(&b.decided, r.ClosedQuotes, api.QuoteClosed)
	b.sort(now)
	return b
}

// sort puts the offers of each currency beside each other, the currency of
// most offers first, and in each the cheapest. Behind them go those whose price
// cannot be compared, for want of a currency or of all, and the expired ones.
func (b *board) sort(now time.Time) {
	count := map[string]int{}
	for _, o := range b.open {
		count[o.Currency]++
	}
	rank := func(o *offer) int {
		_, priced := o.price()
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
	slices.SortStableFunc(b.open, func(x, y *offer) int {
		xPrice, _ := x.price()
		yPrice, _ := y.price()
		return cmp.Or(rank(x)-rank(y), count[y.Currency]-count[x.Currency], strings.Compare(x.Currency, y.Currency), cmp.Compare(xPrice, yPrice))
	})
}

// add takes the open offers of another order in.
func (b *board) add(r *api.OrderRecord, now time.Time) {
	other := boardOf(r, now)
	b.open = append(b.open, other.open...)
	b.decided = append(b.decided, other.decided...)
	b.sort(now)
}

// find returns the offer with an id, nil for none.
func (b *board) find(id string) *offer {
	for _, o := range slices.Concat(b.open, b.decided) {
		if o.QuoteID == id {
			return o
		}
	}
	return nil
}

// soonest is the open offer that expires next, nil where none will.
func (b *board) soonest(now time.Time) *offer {
	var next *offer
	for _, o := range b.open {
		if o.ExpiryDate.IsRead() && !o.IsExpired(now) && (next == nil || o.ExpiryDate.Before(next.ExpiryDate.Time)) {
			next = o
		}
	}
	return next
}

// live are the offers that can still be decided.
func (b *board) live(now time.Time) []*offer {
	return slices.DeleteFunc(slices.Clone(b.open), func(o *offer) bool { return o.IsExpired(now) })
}

// alike reports whether the prices of two offers can be compared. Where the
// service told no currency nobody knows.
func alike(x, y *offer) bool { return x.Currency == y.Currency && x.Currency != "" }

// currencies are those of offers with a price, "" where one has none.
func currencies(offers []*offer) []string {
	var all []string
	for _, o := range offers {
		if _, ok := o.price(); ok && !slices.Contains(all, o.Currency) {
			all = append(all, o.Currency)
		}
	}
	return all
}

// best are the words for what an offer is the best of, among those that can
// still be decided. Prices count within their currency only; where all are the
// same, or there is one only, none is best.
func (b *board) best(o *offer, now time.Time) []string {
	if o.stands != api.QuoteOpen || o.IsExpired(now) {
		return nil
	}
	rivals := b.live(now)
	ofCurrency := slices.DeleteFunc(slices.Clone(rivals), func(r *offer) bool { return !alike(r, o) })
	in := ""
	if len(currencies(rivals)) > 1 {
		in = " in " + o.Currency
	}
	var words []string
	for _, m := range []struct {
		word   string
		among  []*offer
		figure func(*offer) (float64, bool)
	}{
		{"cheapest" + in, ofCurrency, (*offer).price},
		{"fastest", rivals, days},
		{"best per " + format.PriceUnit().Name + in, ofCurrency, (*offer).perArea},
		{"best per day" + in, ofCurrency, (*offer).perDay},
	} {
		if isLeast(o, m.among, m.figure) {
			words = append(words, m.word)
		}
	}
	return words
}

// isLeast reports whether o has the least figure, and another a greater one.
func isLeast(o *offer, among []*offer, figure func(*offer) (float64, bool)) bool {
	own, ok := figure(o)
	if !ok {
		return false
	}
	greater := false
	for _, r := range among {
		f, ok := figure(r)
		if ok && f < own {
			return false
		}
		greater = greater || ok && f > own
	}
	return greater
}

// difference is by how much a figure of o is more than that of chosen; ok is
// false where they cannot be compared.
func difference(o, chosen *offer, figure func(*offer) (float64, bool)) (by, share float64, ok bool) {
	of, known := figure(o)
	from, alsoKnown := figure(chosen)
	if !known || !alsoKnown {
		return 0, 0, false
	}
	return of - from, (of - from) / math.Abs(from), true
}

func days(o *offer) (float64, bool) { return float64(o.DeliveryBy.Count), o.DeliveryBy.Known }
