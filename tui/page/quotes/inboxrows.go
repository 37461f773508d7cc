package quotes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/table"
)

// countUndecided returns the number of orders with quotes that can still be decided.
func (p *QuoteInbox) countUndecided() int {
	n := 0
	for _, r := range p.orders {
		if at, known := p.firstExpiry(r); !known || at.After(p.Now()) {
			n++
		}
	}
	return n
}

// updateBadge shows the number of orders to decide beside the section's name.
func (p *QuoteInbox) updateBadge() {
	quoted := map[string]labels.QuoteCounts{}
	for _, r := range p.orders {
		quoted[r.ID] = labels.QuotesExpired
		if at, known := p.firstExpiry(r); !known || at.After(p.Now()) {
			quoted[r.ID] = labels.QuotesReady
		}
	}
	ShowQuoted(p.Env, quoted)
}

// ShowQuoted publishes the quote states of orders by ID, and shows the number of orders
// to decide beside the section's name.
func ShowQuoted(env *page.Env, quoted map[string]labels.QuoteCounts) {
	badge, ready := page.SectionBadge{Role: theme.Attention}, 0
	for _, counts := range quoted {
		if counts == labels.QuotesReady {
			ready++
			badge.Text = fmt.Sprint(ready)
		}
	}
	env.SetQuoted(quoted)
	env.SetBadge(action.GoQuotes, badge)
}

// firstExpiry returns when the next open quote of an order expires, or when the last
// one did. It reports false if unknown.
func (p *QuoteInbox) firstExpiry(r *api.OrderRecord) (at time.Time, known bool) {
	b := p.boards[r.ID]
	if b == nil {
		return at, false
	}
	if o := b.SoonestExpiry(p.Now()); o != nil {
		return o.ExpiryDate.Time, true
	}
	for _, o := range b.Open {
		if o.ExpiryDate.After(at) {
			at = o.ExpiryDate.Time
		}
	}
	return at, !at.IsZero()
}

// soonestQuote returns the quote that expires next, of all orders.
func (p *QuoteInbox) soonestQuote() *quoting.Offer {
	var next *quoting.Offer
	for _, r := range p.orders {
		if b := p.boards[r.ID]; b != nil {
			if o := b.SoonestExpiry(p.Now()); o != nil && (next == nil || o.ExpiryDate.Before(next.ExpiryDate.Time)) {
				next = o
			}
		}
	}
	return next
}

// sortByExpiry sorts orders by their next expiry, then those without one, then those
// whose quotes have all expired.
func (p *QuoteInbox) sortByExpiry(orders []*api.OrderRecord) []*api.OrderRecord {
	now := p.Now()
	group := func(r *api.OrderRecord) int {
		at, known := p.firstExpiry(r)
		switch {
		case !known:
			return 1
		case at.After(now):
			return 0
		default:
			return 2
		}
	}
	orders = slices.Clone(orders)
	slices.SortStableFunc(orders, func(x, y *api.OrderRecord) int {
		xAt, _ := p.firstExpiry(x)
		yAt, _ := p.firstExpiry(y)
		return cmp.Or(group(x)-group(y), xAt.Compare(yAt))
	})
	return orders
}

// recordStamp returns a stamp that changes with the set of open quotes.
func (p *QuoteInbox) recordStamp(r *api.OrderRecord) string {
	b := p.boards[r.ID]
	if b == nil {
		return ""
	}
	var ids []string
	for _, o := range b.Open {
		ids = append(ids, o.QuoteID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func (p *QuoteInbox) rowLook(r *api.OrderRecord) (mark table.Cell, muted bool) {
	if p.known.Faults[r.ID] != nil {
		return table.Cell{Text: "!", Role: theme.Bad}, false
	}
	at, known := p.firstExpiry(r)
	return mark, known && !at.After(p.Now())
}

// inboxColumns returns the columns of an order with its quotes. The time left of the
// quote that expires next has seconds.
func (p *QuoteInbox) inboxColumns(now func() time.Time) []columns.Column[api.OrderRecord] {
	quoted := func(value func(r *api.OrderRecord, b *quoting.OfferSet) columns.Cell) func(*api.OrderRecord) columns.Cell {
		return func(r *api.OrderRecord) columns.Cell {
			b := p.boards[r.ID]
			switch {
			case b == nil && p.known.Faults[r.ID] != nil:
				return columns.NoCell()
			case b == nil:
				return columns.TextCell("…").WithTone(theme.Muted)
			default:
				return value(r, b)
			}
		}
	}
	return []columns.Column[api.OrderRecord]{
		{
			ColumnSpec: columns.ColumnSpec{Title: "Order", Name: "orderCode", Width: 10},
			Value:      func(r *api.OrderRecord) columns.Cell { return columns.TextCell(quoting.OrderName(r)) },
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Name", Name: "orderName", Width: 12, Fill: 1},
			Value:      func(r *api.OrderRecord) columns.Cell { return columns.TextCell(r.OrderName) },
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Quotes", Name: "quotes", Kind: columns.Number, Drop: 3},
			Value: quoted(
				func(_ *api.OrderRecord, b *quoting.OfferSet) columns.Cell { return columns.NumberCell(len(b.Open)) },
			),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "From", Name: "finalPrice", Kind: columns.Money, Drop: 1},
			Value: quoted(
				func(_ *api.OrderRecord, b *quoting.OfferSet) columns.Cell { return cheapestCell(openOffers(b, now())) },
			),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Fastest", Name: "deliveryBy", Width: 8, Right: true, Drop: 2},
			Value: quoted(
				func(_ *api.OrderRecord, b *quoting.OfferSet) columns.Cell { return fastestCell(openOffers(b, now())) },
			),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Expires", Name: "expiryDate", Width: 9, Right: true},
			Value: quoted(func(r *api.OrderRecord, _ *quoting.OfferSet) columns.Cell {
				at, known := p.firstExpiry(r)
				if !known {
					return columns.NoCell()
				}
				text := format.TimeLeft(at, now(), p.next != nil && p.next.OrderID == r.ID)
				return columns.Cell{Text: text, Role: UrgencyRole(api.TimeOf(at), now()), Time: at, Known: true}
			}),
		},
		{
			ColumnSpec: columns.ColumnSpec{Title: "Area", Name: "areaSize", Kind: columns.Area, Off: true, Drop: 4},
			Value:      func(r *api.OrderRecord) columns.Cell { return columns.AreaOf(r.AreaSize, r.Extra) },
		},
	}
}

// openOffers returns the offers that can be decided now; if there are none, the expired
// ones.
func openOffers(b *quoting.OfferSet, now time.Time) []*quoting.Offer {
	if live := b.OpenOffers(now); len(live) > 0 {
		return live
	}
	return b.Open
}

// cheapestCell returns the lowest price, or the number of currencies if there are
// several.
func cheapestCell(offers []*quoting.Offer) table.Cell {
	if several := quoting.Currencies(offers); len(several) > 1 {
		return table.Cell{Text: fmt.Sprintf("%d currencies", len(several)), Role: theme.Attention}
	}
	var best *quoting.Offer
	for _, o := range offers {
		if price, ok := o.Price(); ok && (best == nil || price < best.FinalPrice.Amount) {
			best = o
		}
	}
	if best == nil {
		return columns.NoCell()
	}
	return columns.AmountCell(best.FinalPrice.Amount, best.Currency)
}

func fastestCell(offers []*quoting.Offer) table.Cell {
	least, known := 0, false
	for _, o := range offers {
		if o.DeliveryBy.Known && (!known || o.DeliveryBy.Count < least) {
			least, known = o.DeliveryBy.Count, true
		}
	}
	if !known {
		return columns.NoCell()
	}
	return table.Cell{Text: api.DaysOf(least).String(), Num: float64(least), Known: true}
}

// drawChart renders one figure of the offers as bars, in at most h lines. Prices in
// several currencies cannot be compared and have no bars.
func drawChart(
	th *theme.Theme,
	title string,
	offers []*quoting.Offer,
	word string,
	w, h int,
	figure func(*quoting.Offer) (float64, string, bool),
) []string {
	c := widget.Chart{Best: widget.Lower, Word: word}
	mixed := title == "Price" && len(quoting.Currencies(offers)) > 1
	for _, o := range offers[:min(len(offers), h)] {
		value, text, ok := figure(o)
		if !ok || mixed {
			value = -1
		}
		c.Bars = append(c.Bars, widget.Bar{Label: o.DisplayName(), Text: cmp.Or(text, format.None), Value: value})
	}
	head := th.PaintTitle(" " + title)
	if n := len(offers) - len(c.Bars); n > 0 {
		head += th.PaintMuted(fmt.Sprintf("  first %d of %d", len(c.Bars), len(offers)))
	}
	if mixed {
		head += th.PaintRole(theme.Attention, "  in several currencies")
	}
	return append([]string{head}, layout.SplitLines(c.View(th, w, len(c.Bars)))...)
}
