package operations

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

// offerFlags are those of a new quote.
type offerFlags struct {
	*fieldFlags
	in       api.QuoteInput
	currency string
	dryRun   bool
}

func opsIssueQuote() opsVerb {
	f := offerFlags{in: api.QuoteInput{DeliveryBy: api.SuggestedDays}}
	c := commands.IssueQuote(&f.in)
	f.fieldFlags = newFieldFlags(c.Fields, c.Limit, c.Check)
	return opsVerb{
		use:   "issue-quote ORDER",
		short: "Issue a quote",
		long: "Issues a quote for an order without an accepted quote. Without flags, the price is the usual one for its missions, " +
			"sensors, products and --days, in the account's currency, and the quote expires in a week. The service computes the final " +
			"price: the price less the discount, rounded half up. --dry-run prints the quote and issues nothing.",
		example: "# the usual price\nflightdesk ops issue-quote ORD-1042 --days 10 --dry-run\n\n" +
			"# a quote with a discount\nflightdesk ops issue-quote ORD-1042 --name Express --days 5 --price 4200 --discount 10 --reason " +
			`"crew nearby" --expires "in 5 days"`,
		changes: func() bool { return !f.dryRun },
		flags: func(cmd *cobra.Command, flags *pflag.FlagSet) {
			f.addFlags(cmd, flags)
			flags.StringVar(&f.currency, "currency", "", "ISO 4217 currency; the account's if omitted")
			flags.BoolVar(&f.dryRun, "dry-run", false, "print the quote and issue nothing")
		},
		check: func([]string) error { return f.checkArguments(nil) },
		do: func(ctx context.Context, r *opsRun, args []string) error {
			o, err := r.readOrder(ctx, args[0])
			if err != nil {
				return err
			}
			in, err := f.readOffer(ctx, r, o)
			if err != nil {
				return err
			}
			if f.dryRun {
				return r.printFacts(in, offerFacts(o, in))
			}
			q, err := commands.IssueQuote(&in).Run(ctx, r.Ops, o.UUID)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return r.printAnswer(q, "issued %s %s, %s, in %s, for %s %s",
				q.UUID, q.QuoteName, run.PriceOf(&q.Quote), q.DeliveryBy, o.OrderCode, o.OrderName)
		},
	}
}

// readOffer returns the suggestion with what flags say laid over it.
func (f *offerFlags) readOffer(ctx context.Context, r *opsRun, o *api.OpsOrder) (api.QuoteInput, error) {
	now := r.Now()
	in := o.SuggestQuote(f.in.DeliveryBy, now)
	if f.isGiven("name") {
		in.QuoteName = f.in.QuoteName
	}
	if f.currency != "" {
		price := o.PriceInput(f.in.DeliveryBy)
		price.Currency = strings.ToUpper(f.currency)
		in.Currency, in.PriceBeforeDiscount = price.Currency, api.SuggestPrice(price)
	}
	if f.isGiven("price") {
		in.PriceBeforeDiscount = f.in.PriceBeforeDiscount
	}
	if err := f.readTimes(ctx, r); err != nil {
		return in, err
	}
	if f.isGiven("expires") && !f.in.ExpiryDate.IsZero() {
		in.ExpiryDate = f.in.ExpiryDate
	}
	in.DiscountPercent, in.ReasonForDiscount, in.Description = f.in.DiscountPercent, f.in.ReasonForDiscount, f.in.Description
	return in, nil
}

func offerFacts(o *api.OpsOrder, in api.QuoteInput) [][2]string {
	facts := [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Quote", in.QuoteName},
		{"Price", format.Money(in.PriceBeforeDiscount, in.Currency)},
		{"Delivery", "in " + format.Count(in.DeliveryBy, "day", "days")},
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

func opsExpireQuote() opsVerb {
	return opsVerb{
		use:     "expire-quote ORDER [QUOTE]",
		short:   "Advance the clock past a quote's expiry",
		changes: always,
		long: "Advances the service's clock to the expiry of a quote, named by id or name; not needed if the order has one open quote. " +
			"Everything that expires before then expires too. Works only with --memory or --demo.",
		example: "# see what the client sees of an expired quote\nflightdesk ops expire-quote ORD-1042 Express",
		do: func(ctx context.Context, r *opsRun, args []string) error {
			o, err := r.readOrder(ctx, args[0])
			if err != nil {
				return err
			}
			q, err := quoteNamed(o, args[1:])
			if err != nil {
				return err
			}
			clock, err := commands.ExpireQuote(q).Run(ctx, r.Ops, "")
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return r.printAnswer(clock, "%s of %s expired; the service's clock shows %s",
				q.QuoteName, o.OrderCode, columns.FormatMoment(clock.Now))
		},
	}
}

// quoteNamed finds a quote of an order by its id or name; with none, its only
// open one.
func quoteNamed(o *api.OpsOrder, name []string) (*api.OpsQuote, error) {
	var found []*api.OpsQuote
	for i := range o.Quotes {
		q := &o.Quotes[i]
		switch {
		case len(name) > 0 && q.UUID == name[0]:
			return q, nil
		case q.Status != api.QuoteOpen:
		case len(name) == 0 || strings.EqualFold(q.QuoteName, name[0]):
			found = append(found, q)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%s has %d matching quotes; use an id from flightdesk ops order %[1]s", o.OrderCode, len(found))
	case len(name) == 0:
		return nil, fmt.Errorf("%s has no open quote", o.OrderCode)
	}
	return nil, fmt.Errorf("%s has no open quote %q; flightdesk ops order %[1]s lists its quotes", o.OrderCode, name[0])
}
