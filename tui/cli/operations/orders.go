package operations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

// orderSheet returns how the orders of a list of Operations are printed.
func (r *opsRun) orderSheet() run.RowSheet[ops.Order] {
	return run.NewSheet("order", "orders", columns.OpsOrders(nil, r.Now), r.Now,
		"orderCode companyName orderName status waitsFor missionCount areaSize createdAt")
}

func opsReview() opsVerb {
	var waiting bool
	return opsVerb{
		use:   "review",
		short: "List orders without an accepted quote, oldest first",
		long: "Lists the orders without an accepted quote, oldest first, and the next step: issue a quote (Operations) or " +
			"decide one (client). --waiting lists only those that wait for a quote.",
		example: "# orders to quote\nflightdesk ops review --waiting\n\n# the full queue, for programs\nflightdesk ops review --output json",
		rows:    true,

		flags: []func(*cobra.Command){func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&waiting, "waiting", false, "only orders that wait for a quote")
		}},
		limited: true,
		do: func(ctx context.Context, r *opsRun) error {
			var queue []ops.Order
			for o, err := range r.Ops.Orders.Review(ctx) {
				if err != nil {
					return err
				}
				if r.Seen.NoteRow(o); !waiting || o.WaitsForQuote(r.Now()) {
					queue = append(queue, *o)
				}
			}
			slices.Reverse(queue)
			return printRows(r, r.orderSheet(), run.ListRows(queue))
		},
	}
}

func opsOrders() opsVerb {
	var account, status string
	known := run.Names(api.OrderStatuses())
	return opsVerb{
		use: "orders", short: "List the orders of all accounts, newest first",
		long: "Lists the orders of all accounts, newest first, including deleted ones, and who has to act next.",
		example: "# orders that need an operator\nflightdesk ops orders --status pendingOperator\n\n" +
			"# the orders of one account, for a spreadsheet\nflightdesk ops orders --account \"Nordwind\" --output csv", rows: true,

		flags: append(statusFlag(&status, "only orders with this status", known), func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&account, "account", "", "only orders of this account (company or uuid)")
		}),
		limited: true,
		checks:  statusCheck(&status, known),
		do: func(ctx context.Context, r *opsRun) error {
			filter := ops.OrderFilter{Status: api.OrderStatus(status)}
			if account != "" {
				a, err := commands.FindAccount(ctx, r.Ops, account)
				if err != nil {
					return err
				}
				filter.Account = a.UUID
			}
			return printRows(r, r.orderSheet(), r.Ops.Orders.All(ctx, filter))
		},
	}
}

func opsOrder() opsVerb {
	return opsVerb{
		use:   "order ORDER",
		short: "Print an order with all its details",

		long:    "Prints an order with its account, missions, operators, flights, permissions, packages and quotes, and the fields that only the v2 API shows.",
		example: "# for people\nflightdesk ops order ORD-1042\n\n# for programs\nflightdesk ops order ORD-1042 --output json",
		do: func(ctx context.Context, r *opsRun) error {
			o, err := r.readOrder(ctx, r.Args[0])
			if err != nil {
				return err
			}
			if r.Output == "json" {
				return run.PrintValue(r.Out(), o)
			}
			return r.printOrder(o)
		},
	}
}

// readOrder reads an order by its code or uuid.
func (r *opsRun) readOrder(ctx context.Context, code string) (*ops.Order, error) {
	o, err := r.Ops.Orders.Get(ctx, run.OrderCode(code))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	r.Seen.NoteCode(o.OrderCode)
	for _, m := range o.Missions {
		r.Seen.NoteCode(m.MissionCode)
	}
	return o, nil
}

// endingVerb returns the command that ends an order by a move; "" is the move that its
// status allows, as in the app. Scripts have the others.
func endingVerb(move api.OrderMove) opsVerb {
	v := verbOf(commands.EndOrder(new(string), move))
	v.hidden = move != ""
	return v
}

func opsSetNotifications() opsVerb {
	in, none := new(ops.NotificationInput), false
	v := verbOf(commands.SetNotifications(in))
	v.flags = append(v.flags, func(cmd *cobra.Command) { cmd.Flags().BoolVar(&none, "none", false, "notify nobody") })
	v.checks = append(v.checks, func([]string) error {
		if (*in != ops.NotificationInput{}) == none {
			return errors.New("nothing to set; use --webhook, --email or both, or only --none")
		}
		return nil
	})
	return v
}

// statusFlag adds --status, which has one of the known values.
func statusFlag(status *string, usage string, known []string) []func(*cobra.Command) {
	return []func(*cobra.Command){func(cmd *cobra.Command) {
		cmd.Flags().StringVar(status, "status", "", usage)
		run.CompleteValues(cmd, "status", known)
	}}
}

func statusCheck(status *string, known []string) []func([]string) error {
	return []func([]string) error{func([]string) error { return run.CheckKnown("--status", *status, known) }}
}
