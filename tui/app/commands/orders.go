package commands

import (
	"context"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// EndOrder ends an order with a reason, by the move that its status allows
// ([api.EndingMove]) unless one is named.
func EndOrder(why *string, move api.OrderMove) Command[*api.Order] {
	return Command[*api.Order]{
		Verb: "end-order", Subject: "ORDER", Doing: "ending the order", Limit: api.MaxTextLength,
		Effects: "Ends the order and its missions and closes its open quotes. " + noWayBack,
		Fields:  []Field{reasonField(why)},
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.Order, error) {
			switch move {
			case api.MoveReject:
				return ops.Orders.Reject(ctx, order, *why)
			case api.MoveNotFeasible:
				return ops.Orders.NotFeasible(ctx, order, *why)
			}
			o, err := ops.Orders.Get(ctx, order)
			if err != nil {
				return nil, err
			}
			return ops.Orders.End(ctx, o, *why)
		},
		Done: func(o *api.Order) string {
			return o.OrderCode + " " + o.OrderName + ": " + labels.OrderStatus(o.Status).Label
		},
	}
}

// DeleteOrder takes an order away from its account.
func DeleteOrder() Command[*api.Order] {
	return Command[*api.Order]{
		Verb: "delete-order", Subject: "ORDER", Doing: "deleting the order",
		Effects: "Hides the order from the account and cancels its missions.",
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.Order, error) {
			return ops.Orders.Delete(ctx, order)
		},
		Done: func(o *api.Order) string { return o.OrderCode + " " + o.OrderName + " deleted" },
	}
}

// ExpireQuote has a quote expire by moving the clock there.
func ExpireQuote(q *api.OpsQuote) Command[*api.ServiceClock] {
	return Command[*api.ServiceClock]{
		Verb: "expire-quote", Doing: "expiring the quote",
		Effects: "Advances the service's clock to that time, with everything else due by then. " +
			"The clock only moves forward.",
		Run: func(ctx context.Context, ops *api.Ops, _ string) (*api.ServiceClock, error) {
			return ops.Quotes.Expire(ctx, q)
		},
	}
}

// IssueQuote offers an order to its client at a price.
func IssueQuote(in *api.QuoteInput) Command[*api.OpsQuote] {
	return Command[*api.OpsQuote]{
		Verb: "issue-quote", Subject: "ORDER", Limit: api.MaxTextLength, Effects: "Visible to the client at once; cannot be undone.",
		Fields: []Field{
			{
				Name: "quoteName", Value: &in.QuoteName, Label: "Name", Help: "shown to the client", Required: "enter a name",
				Flag: "name", Usage: "name of the quote; default Standard",
			},
			{
				Name: "deliveryBy", Value: &in.DeliveryBy, Label: "Delivery", Help: "time until the data is delivered", Unit: "days", Least: 1, Most: api.MaxDeliveryDays,
				Flag: "days", Usage: "days until delivery",
			},
			{
				Name: "priceBeforeDiscount", Value: &in.PriceBeforeDiscount, Label: "Price", Help: "before discount", Unit: in.Currency, Most: api.MaxPrice,
				Flag: "price", Usage: "price before discount; default the usual price",
			},
			{
				Name: "discountPercent", Value: &in.DiscountPercent, Label: "Discount", Help: "percent off the price", Unit: "%", Most: 100,
				Flag: "discount", Usage: "discount in percent",
			},
			{
				Name: "reasonForDiscount", Value: &in.ReasonForDiscount, Label: "Reason", Long: true, Help: "why the discount; shown to the client",
				Flag: "reason", Usage: "reason for the discount",
			},
			{
				Name: "expiryDate", Value: &in.ExpiryDate, Label: "Expires", Help: "end of this day: in 1 week, 1 Dec, friday",
				Required: "enter an expiry date", DayEnd: true, Ahead: true,
				Flag: "expires", Usage: "expiry, e.g. \"in 5 days\" or 36h; default in a week",
			},
			{
				Name: "description", Value: &in.Description, Label: "Description", Long: true, Help: "what the quote covers",
				Flag: "description", Usage: "what the quote covers",
			},
		},
		Check: func() (field, fault string) {
			if in.ReasonForDiscount != "" && in.DiscountPercent == 0 {
				return "reasonForDiscount", "a reason needs a discount"
			}
			return "", ""
		},
		Run: func(ctx context.Context, ops *api.Ops, order string) (*api.OpsQuote, error) {
			return ops.Quotes.Issue(ctx, order, *in)
		},
	}
}
