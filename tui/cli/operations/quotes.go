package operations

import (
	"context"
	"strconv"

	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

func opsIssueQuote() *opsVerb {
	in, dryRun := ops.QuoteInput{DeliveryBy: ops.SuggestedDays}, false
	v := verbOf(commands.IssueQuote(&in))
	issue := v.do
	v.changes = func() bool { return !dryRun }
	v.Flags().BoolVar(&dryRun, "dry-run", false, "print the quote and issue nothing")
	v.do = func(ctx context.Context, r *opsRun) error {
		if !dryRun {
			return issue(ctx, r)
		}
		if _, err := v.ready(ctx, r); err != nil {
			return err
		}
		o, err := r.readOrder(ctx, r.Args[0])
		if err != nil {
			return err
		}
		offer := commands.QuoteFor(o, in, r.Now())
		return r.PrintFacts(offer, offerFacts(o, offer))
	}
	return v
}

func offerFacts(o *ops.Order, in ops.QuoteInput) [][2]string {
	facts := [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Quote", in.QuoteName},
		{"Price", format.Money(in.PriceBeforeDiscount, in.Currency)},
		{"Delivery time", format.Count(in.DeliveryBy, "day", "days")},
		{"Expires", columns.FormatMoment(in.ExpiryDate)},
		{"Description", in.Description},
	}
	if in.DiscountPercent > 0 {
		facts = append(facts, [][2]string{
			{"Discount", strconv.FormatFloat(in.DiscountPercent, 'f', -1, 64) + "%"},
			{"Reason", in.ReasonForDiscount},
			{"Final price", format.Money(in.FinalPrice(), in.Currency)},
		}...)
	}
	return facts
}
