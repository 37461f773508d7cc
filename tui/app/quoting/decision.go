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

// DescribeLines name order, quotes and amounts.
func (d *Decision) DescribeLines(now time.Time) []string {
	lines := []string{strings.TrimSpace(OrderName(d.Order) + "  " + d.Order.OrderName)}
	for i, o := range d.Offers {
		if i == mostNamed && len(d.Offers) > mostNamed+1 {
			lines = append(lines, fmt.Sprintf("and %d more", len(d.Offers)-i))
			break
		}
		lines = append(lines, strings.Join([]string{o.DisplayName(), o.PriceText(), o.DeliveryBy.String()}, "   "))
	}
	o := d.Offers[0]
	if len(d.Offers) == 1 && o.ExpiryDate.IsRead() {
		lines = append(lines, "Expires in "+format.TimeLeft(o.ExpiryDate.Time, now, false)+".")
	}
	if before := o.PriceBeforeDiscount; len(d.Offers) == 1 && before.Known && o.FinalPrice.Amount > before.Amount {
		lines = append(lines, "The final price is above the price before the discount.")
	}
	return lines
}

// ComparePrice says how dear the chosen quote is among those that could be
// chosen instead, "" where that cannot be compared.
func (d *Decision) ComparePrice(now time.Time) string {
	o := d.Offers[0]
	var cheapest *Offer
	for _, r := range d.Rivals {
		if _, ok := r.Price(); ok && AreComparable(r, o) && !r.IsExpired(now) &&
			(cheapest == nil || r.FinalPrice.Amount < cheapest.FinalPrice.Amount) {
			cheapest = r
		}
	}
	if cheapest == nil {
		return ""
	}
	by, share, ok := Difference(o, cheapest, (*Offer).Price)
	switch {
	case !ok:
		return ""
	case by > 0:
		return fmt.Sprintf(
			"%s %s (%s) compared to the cheapest, %s.",
			format.MoneyChange(by, o.Currency),
			o.Currency,
			format.Percent(share),
			cheapest.DisplayName(),
		)
	default:
		return "No other open quote in " + o.Currency + " is cheaper."
	}
}

// ConfirmWord returns what has to be typed to accept: the amount without its cents,
// or the order's name where there is no amount.
func (d *Decision) ConfirmWord() string {
	if price, ok := d.Offers[0].Price(); ok {
		return strconv.FormatFloat(float64(int64(price)), 'f', -1, 64)
	}
	return OrderName(d.Order)
}

// Describe says what is to be done, as in "accept of AeroScan, 12,420.00 EUR, for ORD-100241".
func (d *Decision) Describe() string {
	verb := map[ledger.EntryKind]string{ledger.Accepted: "accept ", ledger.Rejected: "reject "}[d.Kind]
	if len(d.Offers) > 1 {
		return fmt.Sprintf("%s%d quotes for %s", verb, len(d.Offers), OrderName(d.Order))
	}
	return fmt.Sprintf("%s%s, %s, for %s", verb, d.Offers[0].DisplayName(), d.Offers[0].PriceText(), OrderName(d.Order))
}

// DescribeDone says what was done.
func (d *Decision) DescribeDone() string {
	if len(d.Offers) > 1 {
		return fmt.Sprintf("%s %d quotes for %s", d.Kind, len(d.Offers), OrderName(d.Order))
	}
	return fmt.Sprintf(
		"%s %s, %s, for %s",
		d.Kind,
		d.Offers[0].DisplayName(),
		d.Offers[0].PriceText(),
		OrderName(d.Order),
	)
}

// Entry returns the decision of an offer as it is logged, without its outcome.
func (d *Decision) Entry(o *Offer) ledger.Entry {
	e := ledger.Entry{
		Kind: d.Kind, OrderID: d.Order.ID, OrderName: strings.TrimSpace(OrderName(d.Order) + " " + d.Order.OrderName),
		QuoteID: o.QuoteID, QuoteName: o.DisplayName(), Price: o.PriceText(), Days: o.DeliveryBy.String(),
	}
	for _, r := range d.Rivals {
		e.Against = append(e.Against, r.DisplayName()+" "+r.PriceText())
	}
	return e
}
