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

// Order returns how people name the order.
func (q *ListedQuote) Order() string {
	if q.OrderCode != "" {
		return q.OrderCode
	}
	return q.OrderID
}

// Quotes returns the columns of a quote.
func Quotes(now func() time.Time) []Column[ListedQuote] {
	return []Column[ListedQuote]{
		{ColumnSpec{Title: "Order", Name: "order"}, func(q *ListedQuote) Cell { return TextCell(q.Order()) }},
		{ColumnSpec{Title: "Quote", Name: "quoteId"}, func(q *ListedQuote) Cell { return TextCell(q.QuoteID) }},
		{ColumnSpec{Title: "Name", Name: "quoteName", Least: 10}, func(q *ListedQuote) Cell { return TextCell(q.QuoteName) }},
		{ColumnSpec{Title: "Status", Name: "status"}, func(q *ListedQuote) Cell { return plainState(labels.QuoteLabel(q.Status, q.Expired)) }},
		{ColumnSpec{Title: "Price", Name: "price", Kind: Money}, func(q *ListedQuote) Cell {
			if q.FinalPrice.IsUnread() {
				return TextCell(layout.Clean(q.FinalPrice.Raw) + " (unreadable)")
			}
			if !q.FinalPrice.Known {
				return TextCell("no price")
			}
			return AmountCell(q.FinalPrice.Amount, q.Currency)
		}},
		{ColumnSpec{Name: "finalPrice"}, func(q *ListedQuote) Cell { return TextCell(amountText(q.FinalPrice)) }},
		{ColumnSpec{Name: "currency"}, func(q *ListedQuote) Cell { return TextCell(q.Currency) }},
		{ColumnSpec{Name: "priceBeforeDiscount"}, func(q *ListedQuote) Cell { return TextCell(amountText(q.PriceBeforeDiscount)) }},
		{ColumnSpec{Title: "Delivery", Name: "deliveryBy", Right: true}, func(q *ListedQuote) Cell { return TextCell(q.DeliveryBy.String()) }},
		{ColumnSpec{Title: "Expires", Name: "expiryDate", Kind: Date}, func(q *ListedQuote) Cell {
			cell := TimeCell(q.ExpiryDate)
			if cell.Text = format.None; q.Status == api.QuoteOpen {
				cell.Text = format.TimeLeft(q.ExpiryDate.Time, now(), false)
			}
			return cell
		}},
	}
}

func amountText(p api.Price) string {
	if !p.Known {
		return p.Raw
	}
	return strconv.FormatFloat(p.Amount, 'f', -1, 64)
}
