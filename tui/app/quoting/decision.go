package quoting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/format"
)

// Decision is quotes of one order that are to be decided in one way.
type Decision struct {
	Kind   ledger.EntryKind
	Order  *api.OrderRecord
	Offers []*Offer
	Rivals []*Offer // the other open quotes
}

// NewDecision decides offers of an order, as these stand beside the others.
func (b *OfferSet) NewDecision(kind ledger.EntryKind, order *api.OrderRecord, offers ...*Offer) Decision {
	d := Decision{Kind: kind, Order: order, Offers: offers}
	for _, o := range b.Open {
		if o.OrderID == order.ID && !slices.Contains(offers, o) {
			d.Rivals = append(d.Rivals, o)
		}
	}
	return d
}

// mostNamed is how many quotes a question names: what follows has to be read,
// too, in the lowest window.
const mostNamed = 4

// DescribeLines names order, quotes and amounts, and what follows, with how it ends.
func (d *Decision) DescribeLines(now time.Time, end string) []string {
	lines := []string{strings.TrimSpace(OrderName(d.Order) + "  " + d.Order.OrderName)}
	for i, o := range d.Offers {
		if i == mostNamed && len(d.Offers) > mostNamed+1 {
			lines = append(lines, fmt.Sprintf("and %d more", len(d.Offers)-i))
			break
		}
		lines = append(
			lines,
			strings.Join([]string{o.DisplayName(), o.PriceText(), o.DeliveryBy.String()}, "   "),
		)
	}
	o := d.Offers[0]
	if len(d.Offers) == 1 && o.ExpiryDate.IsRead() {
		lines = append(lines, "Expires in "+format.TimeLeft(o.ExpiryDate.Time, now, false)+".")
	}
	if before := o.PriceBeforeDiscount; len(d.Offers) == 1 && before.Known &&
		o.FinalPrice.Amount > before.Amount {
		lines = append(lines, "The final price is above the price before the discount.")
	}
	rivals := len(d.Rivals)
	if d.Kind == ledger.Rejected {
		lines = append(lines, "")
		if rivals == 0 {
			lines = append(lines, "No open quotes will be left; the order returns to review.")
		}
		return append(lines, end)
	}
	if text := d.comparePrice(now); text != "" {
		lines = append(lines, text)
	}
	lines = append(lines, "")
	if rivals > 0 {
		lines = append(lines, "Closes "+format.Count(rivals, "other quote", "other quotes")+".")
	}
	return append(lines, "Accepting starts the work. "+end)
}

// comparePrice says how dear the chosen quote is among those that could be
// chosen instead, "" where that cannot be compared.
func (d *Decision) comparePrice(now time.Time) string {
	o := d.Offers[0]
	rivals := slices.DeleteFunc(slices.Clone(d.Rivals), func(r *Offer) bool {
		return r.IsExpired(now) || !AreComparable(r, o)
	})
	cheapest := LeastOf(rivals, (*Offer).Price)
	if cheapest == nil {
		return ""
	}
	by := (&QuoteComparison{Pick: cheapest}).priceDifference(o)
	switch {
	case !by.Known:
		return ""
	case by.Num <= 0:
		return "No other open quote in " + o.Currency + " is cheaper."
	}
	return by.Text + " compared to the cheapest, " + cheapest.DisplayName() + "."
}

// Verb returns what is done: accept, reject.
func (d *Decision) Verb() string {
	return map[ledger.EntryKind]string{ledger.Accepted: "accept", ledger.Rejected: "reject"}[d.Kind]
}

// ConfirmWord returns what has to be typed: to accept the amount without its cents,
// or the order's name where there is no amount.
func (d *Decision) ConfirmWord() string {
	price, ok := d.Offers[0].Price()
	switch {
	case d.Kind == ledger.Rejected:
		return d.Verb()
	case ok:
		return strconv.FormatInt(int64(price), 10)
	}
	return OrderName(d.Order)
}

// Describe says with a verb what is to be done, or was, as in "accept AeroScan,
// 12,420.00 EUR, for ORD-100241".
func (d *Decision) Describe(verb string) string {
	if len(d.Offers) > 1 {
		return fmt.Sprintf("%s %d quotes for %s", verb, len(d.Offers), OrderName(d.Order))
	}
	o := d.Offers[0]
	return fmt.Sprintf("%s %s, %s, for %s", verb, o.DisplayName(), o.PriceText(), OrderName(d.Order))
}

// Entry returns the decision of an offer as it is logged, without its outcome.
func (d *Decision) Entry(o *Offer) ledger.Entry {
	e := ledger.Entry{
		Kind: d.Kind, OrderID: d.Order.ID, OrderName: FullName(d.Order),
		QuoteID: o.QuoteID, QuoteName: o.DisplayName(), Price: o.PriceText(), Days: o.DeliveryBy.String(),
	}
	for _, r := range d.Rivals {
		e.Against = append(e.Against, r.DisplayName()+" "+r.PriceText())
	}
	return e
}
