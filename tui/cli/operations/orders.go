package operations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
)

// orderSheet returns how the orders of a list of Operations are printed.
func (r *opsRun) orderSheet() run.RowSheet[api.OpsOrder] {
	return run.NewSheet("order", "orders", columns.OpsOrders(nil, r.Now), r.Now,
		"orderCode companyName orderName status waitsFor missionCount areaSize createdAt",
		"orderCode companyName orderName status openQuotes missionCount areaSize createdAt uuid accountUid")
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

		flags: func(_ *cobra.Command, f *pflag.FlagSet) {
			f.BoolVar(&waiting, "waiting", false, "only orders that wait for a quote")
		},
		limited: true,
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			var queue []api.OpsOrder
			for o, err := range r.Orders.Review(ctx) {
				if err != nil {
					return err
				}
				if r.seen.NoteRow(o); !waiting || o.WaitsForQuote(r.Now()) {
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

		flags: func(cmd *cobra.Command, f *pflag.FlagSet) {
			f.StringVar(&account, "account", "", "only orders of this account (company or uuid)")
			f.StringVar(&status, "status", "", "only orders with this status")
			run.CompleteValues(cmd, "status", known)
		},
		limited: true,
		check:   func([]string) error { return run.CheckKnown("--status", status, known) },
		do: func(ctx context.Context, r *opsRun, _ []string) error {
			filter := api.OpsOrderFilter{Status: api.OrderStatus(status)}
			if account != "" {
				a, err := r.findAccount(ctx, account)
				if err != nil {
					return err
				}
				filter.Account = a.UUID
			}
			return printRows(r, r.orderSheet(), r.Orders.All(ctx, filter))
		},
	}
}

func opsOrder() opsVerb {
	return opsVerb{
		use:   "order ORDER",
		short: "Print an order with all its details",

		long:    "Prints an order with its account, missions, operators, flights, permissions, packages and quotes, and the fields that only the v2 API shows.",
		example: "# for people\nflightdesk ops order ORD-1042\n\n# for programs\nflightdesk ops order ORD-1042 --output json",
		do: func(ctx context.Context, r *opsRun, args []string) error {
			o, err := r.readOrder(ctx, args[0])
			if err != nil {
				return err
			}
			if r.output == "json" {
				return run.PrintValue(r.out, o)
			}
			return r.printOrder(o)
		},
	}
}

// readOrder reads an order by its code or uuid.
func (r *opsRun) readOrder(ctx context.Context, code string) (*api.OpsOrder, error) {
	o, err := r.Orders.Get(ctx, run.OrderCode(code))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	r.seen.NoteCode(o.OrderCode)
	for _, m := range o.Missions {
		r.seen.NoteCode(m.MissionCode)
	}
	return o, nil
}

// opsEndOrder ends an order by the move that its status allows, as in the app.
func opsEndOrder() opsVerb {
	return endingVerb("", opsVerb{
		short: "Reject an order or report it not feasible",
		long: "Rejects an order without an accepted quote, and reports a later one as not feasible. The client sees the reason. Asks for " +
			"confirmation; --yes skips it.",
		example: "# in a script\nflightdesk ops end-order ORD-1042 \"no crew available\" --yes",
	})
}

// opsRejectOrder and opsNotFeasible are names of end-order for orders of one kind;
// scripts have them.
func opsRejectOrder() opsVerb {
	return endingVerb(api.MoveReject, opsVerb{
		hidden: true, short: "Reject an order (see end-order)",
		long:    "Like end-order, but only for orders without an accepted quote.",
		example: "# in a script\nflightdesk ops reject-order ORD-1042 \"the site is in closed airspace\" --yes",
	})
}

func opsNotFeasible() opsVerb {
	return endingVerb(api.MoveNotFeasible, opsVerb{
		hidden:  true,
		short:   "Report an order as not feasible (see end-order)",
		long:    "Like end-order, but only for orders with the status pendingOperator, operatorAssigned or flyingDateSet.",
		example: "# in a script\nflightdesk ops not-feasible ORD-1042 \"flight permission refused\" --yes",
	})
}

func endingVerb(move api.OrderMove, v opsVerb) opsVerb {
	c := commands.EndOrder(new(string), move)
	names := map[api.OrderMove]string{api.MoveReject: "reject-order", api.MoveNotFeasible: "not-feasible"}
	c.Verb = cmp.Or(names[move], c.Verb)
	v.question = askOfOrder(c.Effects)
	return verbOf(c, v, nil)
}

// askOfOrder asks what is meant, with the order that it is about.
func askOfOrder(means string) func(*opsRun, []string) (string, error) {
	return func(r *opsRun, args []string) (string, error) {
		o, err := r.readOrder(r.cmd.Context(), args[0])
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s of %s, %s. %s", o.OrderCode, o.OrderName, o.CompanyName, o.Status, means), nil
	}
}

func opsDeleteOrder() opsVerb {
	c := commands.DeleteOrder()
	return verbOf(c, opsVerb{
		short:    "Delete an order",
		long:     "Deletes an order: its account no longer sees it, and its missions are cancelled. Operations still lists it. Asks for confirmation; --yes skips it.",
		example:  "# in a script\nflightdesk ops delete-order ORD-1042 --yes",
		question: askOfOrder(c.Effects),
	}, nil)
}

func opsSetDetails() opsVerb {
	return verbOf(commands.SetRecord(new(commands.RecordChange)), opsVerb{
		short: "Set the details that only the v2 API shows",
		long: "Changes the description, other product, point of contact and flight options of an order. Only the fields you name " +
			"change; an empty text or a height of 0 clears one.",
		example: "# a contact on site, flight height and ground control points\nflightdesk ops set-details ORD-1042 --contact \"Bo Ek\" --phone \"+46 8 123\" --flight-height 80 --gcp",
	}, func(r *opsRun, code string, set *api.OrderDetails) error {
		return r.printFacts(set, append([][2]string{{"Order", code}}, detailFacts(set)...))
	})
}

func detailFacts(d *api.OrderDetails) (facts [][2]string) {
	if d == nil {
		return nil
	}
	facts = append(facts, [2]string{"Description", d.Description}, [2]string{"Other product", d.OtherMapType})
	if c := d.PointOfContact; c != nil {
		facts = append(facts, [2]string{"Contact", strings.TrimSpace(c.PocName + "  " + c.PocPhone)})
	}
	if a := d.AdvancedOption; a != nil {
		if a.FlightHeight != nil {
			facts = append(facts, [2]string{"Flight height", strconv.FormatFloat(*a.FlightHeight, 'f', -1, 64) + " m"})
		}
		if a.GCP {
			facts = append(facts, [2]string{"Control points", "yes"})
		}
	}
	return facts
}

func opsSetNotifications() opsVerb {
	in, none := new(api.NotificationInput), false
	return verbOf(commands.SetNotifications(in), opsVerb{
		short: "Set how a client is notified of a complete order",
		long: "Sets who is notified when an order is complete (v2 API), and prints the secret that signs the notifications. It replaces " +
			"the previous setting; --none removes it.",
		example: "# by webhook and e-mail\nflightdesk ops set-notifications ORD-1042 --webhook https://client.example/done --email",
		flags:   func(_ *cobra.Command, f *pflag.FlagSet) { f.BoolVar(&none, "none", false, "notify nobody") },
		check: func([]string) error {
			if (*in != api.NotificationInput{}) == none {
				return errors.New("nothing to set; use --webhook, --email or both, or only --none")
			}
			return nil
		},
	}, func(r *opsRun, _ string, set *api.NotificationSettings) error {
		email := map[bool]string{true: "yes", false: "no"}[set.Email]
		return r.printFacts(set, [][2]string{{"Webhook", run.OrNone(set.Webhook)}, {"Secret", set.Secret}, {"E-mail", email}})
	})
}
