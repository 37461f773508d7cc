package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// printOrders prints the orders of a list of Operations.
func (c *Call) printOrders(rows Rows[ops.Order]) error {
	return printList(
		c,
		"order",
		columns.OpsOrders(nil, c.Now),
		"orderCode companyName orderName status waitsFor missionCount areaSize createdAt",
		rows,
	)
}

func opsReview() *opsVerb {
	var waiting bool
	v := listVerb(
		"review",
		"List orders without an accepted quote, oldest first",
		`Lists the orders without an accepted quote, oldest first, and the next step: issue a quote (Operations) or decide
one (client). --waiting lists only those that wait for a quote.`,
		"# orders to quote\nflightdesk ops review --waiting\n\n# the full queue, for programs\nflightdesk ops review --output json",
		func(ctx context.Context, c *Call) error {
			var queue []ops.Order
			for o, err := range c.Ops.Orders.Review(ctx) {
				if err != nil {
					return err
				}
				if c.Seen.NoteRow(o); !waiting || o.WaitsForQuote(c.Now()) {
					queue = append(queue, *o)
				}
			}
			slices.Reverse(queue)
			return c.printOrders(ListRows(queue))
		},
	)
	v.Flags().BoolVar(&waiting, "waiting", false, "only orders that wait for a quote")
	return v.withLimit()
}

func opsOrders() *opsVerb {
	var account, status string
	v := listVerb("orders", "List the orders of all accounts, newest first",
		"Lists the orders of all accounts, newest first, including deleted ones, and who has to act next.",
		`# orders that need an operator
flightdesk ops orders --status pendingOperator

# the orders of one account, for a spreadsheet
flightdesk ops orders --account "Nordwind" --output csv`,
		func(ctx context.Context, c *Call) error {
			filter := ops.OrderFilter{Status: api.OrderStatus(status)}
			if account != "" {
				a, err := commands.FindAccount(ctx, c.Ops, account)
				if err != nil {
					return err
				}
				filter.Account = a.UUID
			}
			return c.printOrders(c.Ops.Orders.All(ctx, filter))
		})
	v.addStatus(&status, "only orders with this status", Names(api.OrderStatuses()))
	v.Flags().StringVar(&account, "account", "", "only orders of this account (company or ID)")
	return v.withLimit()
}

func opsOrder() *opsVerb {
	return newVerb(
		"order ORDER",
		"Print an order with all its details",
		"Prints an order with its account, missions, operators, flights, permissions, packages and quotes, and the fields that only the v2 API shows.",
		"# for people\nflightdesk ops order ORD-1042\n\n# for programs\nflightdesk ops order ORD-1042 --output json",
		func(ctx context.Context, c *Call) error {
			o, err := c.readOrder(ctx, c.Args[0])
			if err != nil {
				return err
			}
			if c.Output == "json" {
				return PrintValue(c.Out(), o)
			}
			return c.printOrder(o)
		},
	)
}

// readOrder reads an order by its code or uuid.
func (c *Call) readOrder(ctx context.Context, code string) (*ops.Order, error) {
	o, err := c.Ops.Orders.Get(ctx, OrderCode(code))
	if err != nil {
		return nil, InName(code, err)
	}
	c.Seen.NoteRow(o)
	return o, nil
}

// endingVerb returns the command that ends an order by a move; "" is the move that its
// status allows, as in the app. Scripts have the others.
func endingVerb(move api.OrderMove) *opsVerb {
	v := verbOf(commands.EndOrder(new(string), move))
	if v.Hidden = move != ""; v.Hidden {
		v.Args = CheckArguments(v.Use, commands.EndOrder(new(string), "").Example)
	}
	return v
}

func opsSetNotifications() *opsVerb {
	in, none := new(ops.NotificationInput), false
	v := verbOf(commands.SetNotifications(in))
	v.Flags().BoolVar(&none, "none", false, "send no completion notices")
	v.checks = append(v.checks, func([]string) error {
		if (*in != ops.NotificationInput{}) == none {
			return errors.New("nothing to set; use --webhook, --email or both, or only --none")
		}
		return nil
	})
	return v
}

func opsIssueQuote() *opsVerb {
	in, dryRun := ops.QuoteInput{DeliveryBy: ops.SuggestedDays}, false
	v := verbOf(commands.IssueQuote(&in))
	issue := v.do
	v.changes = func() bool { return !dryRun }
	v.Flags().BoolVar(&dryRun, "dry-run", false, "print the quote and issue nothing")
	v.do = func(ctx context.Context, c *Call) error {
		if !dryRun {
			return issue(ctx, c)
		}
		if _, err := v.ready(ctx, c); err != nil {
			return err
		}
		o, err := c.readOrder(ctx, c.Args[0])
		if err != nil {
			return err
		}
		offer := commands.QuoteFor(o, in, c.Now())
		return c.PrintFacts(offer, offerFacts(o, offer))
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
