package columns

import (
	"strconv"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// ListedQuote is a quote with its order.
type ListedQuote struct {
	OrderID   string          `json:"orderId"`
	OrderCode string          `json:"orderCode,omitzero"`
	OrderName string          `json:"orderName"`
	Status    api.QuoteStatus `json:"status"`
	Expired   bool            `json:"expired"` // an open one that can no longer be decided
	api.Quote
}

// Order is how people name the order.
func (q *ListedQuote) Order() string {
	if q.OrderCode != "" {
		return q.OrderCode
	}
	return q.OrderID
}

// Quotes are the columns of a quote.
func Quotes(now func() time.Time) []Column[ListedQuote] {
	return []Column[ListedQuote]{
		{Spec{Title: "Order", Name: "order"}, func(q *ListedQuote) Cell { return Text(q.Order()) }},
		{Spec{Title: "Quote", Name: "quoteId"}, func(q *ListedQuote) Cell { return Text(q.QuoteID) }},
		{Spec{Title: "Name", Name: "quoteName", Least: 10}, func(q *ListedQuote) Cell { return Text(q.QuoteName) }},
		{Spec{Title: "Status", Name: "status"}, func(q *ListedQuote) Cell { return plainState(labels.Quote(q.Status, q.Expired)) }},
		{Spec{Title: "Price", Name: "price", Kind: Money}, func(q *ListedQuote) Cell {
			if q.FinalPrice.IsUnread() {
				return Text(layout.Clean(q.FinalPrice.Raw) + " (unreadable)")
			}
			if !q.FinalPrice.Known {
				return Text("no price")
			}
			return Amount(q.FinalPrice.Amount, q.Currency)
		}},
		{Spec{Name: "finalPrice"}, func(q *ListedQuote) Cell { return Text(amount(q.FinalPrice)) }},
		{Spec{Name: "currency"}, func(q *ListedQuote) Cell { return Text(q.Currency) }},
		{Spec{Name: "priceBeforeDiscount"}, func(q *ListedQuote) Cell { return Text(amount(q.PriceBeforeDiscount)) }},
		{Spec{Title: "Delivery", Name: "deliveryBy", Right: true}, func(q *ListedQuote) Cell { return Text(q.DeliveryBy.String()) }},
		{Spec{Title: "Expires", Name: "expiryDate", Kind: Date}, func(q *ListedQuote) Cell {
			cell := At(q.ExpiryDate)
			if cell.Text = format.None; q.Status == api.QuoteOpen {
				cell.Text = format.Left(q.ExpiryDate.Time, now(), false)
			}
			return cell
		}},
	}
}

func amount(p api.Price) string {
	if !p.Known {
		return p.Raw
	}
	return strconv.FormatFloat(p.Amount, 'f', -1, 64)
}
