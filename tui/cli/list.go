package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
)

// listFlags are those of the list command.
type listFlags struct {
	of, status, profile string
	limit               int
	output              *choice
}

// listing is one kind of rows that can be listed.
type listing struct {
	name   string
	of     string // what --of names; "" where it names nothing
	status bool   // whether --status chooses rows
	legacy bool   // whether the second generation has them
	print  func(ctx context.Context, o *online, f listFlags, p printed) error
}

func listings() []listing {
	return []listing{
		{"orders", "", true, false, listOrders},
		{"missions", "an order's code", true, false, listMissions},
		{"quotes", "an order's code or id", true, true, listQuotes},
		{"files", "the code of an order or a mission", false, false, listFiles},
		{"datasets", "", false, true, listDatasets},
		{"endpoints", "", false, false, listEndpoints},
		{"callbacks", "an endpoint's id", false, false, listCallbacks},
	}
}

func (p *program) listCommand() *cobra.Command {
	names := []string{}
	for _, l := range listings() {
		names = append(names, l.name)
	}
	cmd := &cobra.Command{
		Use:   "list WHAT",
		Short: "Print orders, missions, quotes, files, datasets, endpoints or callbacks",
		Long: "Prints " + strings.Join(names[:6], ", ") + " or " + names[6] + ", the newest first: as a table, as CSV, or as " +
			"JSON, a value a line, with the names of the service's interface. Sizes are in square metres and bytes, times in " +
			"RFC 3339. Missions and files have their order beside them, quotes their order and status, callbacks their endpoint. " +
			"Without --of, the quotes are those of orders that wait for a decision; --status accepted, rejected or closed " +
			"looks through all orders. The links of files, in JSON only, hold for a day and need no key. --output ics writes the flights of missions and the deadlines " +
			"of their orders for a calendar.",
		Example: "flightdesk list orders\n\n# what is flown, for a spreadsheet\nflightdesk list missions --status flightScheduled --output csv > flights.csv\n\n" +
			"# flights and deadlines, for a calendar\nflightdesk list missions --output ics > flights.ics\n\n" +
			"# the quotes of one order, for programs\nflightdesk list quotes --of ORD-1042 --output json\n\n" +
			"# the last 20 callbacks of all endpoints\nflightdesk list callbacks --limit 20",
		ValidArgs: names,
	}
	var f listFlags
	cmd.Flags().StringVar(&f.of, "of", "", "only what belongs to this order, mission or endpoint")
	cmd.Flags().StringVar(&f.status, "status", "", "only rows of this status")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "rows at most; 0 is all")
	f.output = outputFlag(cmd, "table", "json", "csv", "ics")
	profile := profileFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("of", p.completeCodes(nil))
	return p.command(cmd, oneListing, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		what := listings()[slices.Index(names, args[0])]
		if err := f.check(what); err != nil {
			return usageError{cmd.CommandPath(), err}
		}
		return p.list(cmd, what, f)
	})
}

func oneListing(cmd *cobra.Command, args []string) error {
	known := strings.Join(cmd.ValidArgs, ", ")
	switch {
	case len(args) == 0:
		return wrongUsage(cmd, "say what to list: %s", known)
	case len(args) > 1:
		return wrongUsage(cmd, "one list at a time, but %d were named", len(args))
	case !slices.Contains(cmd.ValidArgs, args[0]):
		return wrongUsage(cmd, "there is no list of %q; there are %s", args[0], known)
	}
	return nil
}

func (f *listFlags) check(what listing) error {
	switch {
	case f.limit < 0:
		return fmt.Errorf("--limit %d is no number of rows; 0 is all", f.limit)
	case f.of != "" && what.of == "":
		return fmt.Errorf("--of does not go with %s", what.name)
	case f.output.value == "ics" && what.name != "missions":
		return fmt.Errorf("--output ics is a calendar of missions; %s are none", what.name)
	case f.status != "" && !what.status:
		return fmt.Errorf("--status does not go with %s", what.name)
	}
	return nil
}

func (p *program) list(cmd *cobra.Command, what listing, f listFlags) error {
	ctx := cmd.Context()
	o, err := p.connect(ctx, f.profile)
	if err != nil {
		return err
	}
	if what.legacy {
		if err := o.mayQuote(what.name); err != nil {
			return err
		}
	}
	defer p.remember(o)
	err = what.print(ctx, o, f, printed{cmd.OutOrStdout(), cmd.ErrOrStderr(), f.output.value})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// rows are the rows of a list as they come, with an error at the end where they
// break off.
type rows[T any] = iter.Seq2[*T, error]

// rowsOf are the rows of a list that are asked for: those that are wanted, up
// to the limit.
func rowsOf[T any](all rows[T], f listFlags, wanted func(*T) bool) rows[T] {
	return func(yield func(*T, error) bool) {
		n := 0
		for row, err := range all {
			if err == nil && wanted != nil && !wanted(row) {
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
			if n++; n == f.limit {
				return
			}
		}
	}
}

// only is a list of one row.
func only[T any](row *T, err error) rows[T] {
	return func(yield func(*T, error) bool) { yield(row, err) }
}

// detailed are an order, or all orders, each with its missions.
func (o *online) detailed(ctx context.Context, code string) rows[api.Order] {
	if code != "" {
		return only(o.client.Orders.Get(ctx, orderCode(code)))
	}
	return each(o.client.Orders.All(ctx), func(r *api.Order) ([]api.Order, error) {
		order, err := o.client.Orders.Get(ctx, r.OrderCode)
		if err != nil {
			return nil, err
		}
		return []api.Order{*order}, nil
	})
}

// orderCode is a code as the service writes it.
func orderCode(typed string) string {
	if upper := strings.ToUpper(typed); strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-") {
		return upper
	}
	return typed
}
