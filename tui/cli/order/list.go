package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// noPage is all pages of a list.
const noPage = -1

// listFlags are those of the list command.
type listFlags struct {
	of, status, profile string
	since               string
	limit, page         int
	watch               bool
	products            []string
	output              *run.Choice
}

// ListKind is one kind of rows that can be listed.
type ListKind struct {
	Name   string
	of     string // what --of names; "" where it names nothing
	status bool   // whether --status chooses rows
	legacy bool   // whether the v2 API has them
	print  func(ctx context.Context, o *run.OnlineService, f listFlags, p run.PrintTarget) error
}

// ListKinds returns the kinds of rows that can be listed.
func ListKinds() []ListKind {
	return []ListKind{
		{"orders", "", true, false, listOrders},
		{"missions", "an order's code", true, false, listMissions},
		{"quotes", "an order's code or id", true, true, listQuotes},
		{"files", "the code of an order or a mission", false, false, listFiles},
		{"datasets", "", false, true, listDatasets},
		{"endpoints", "", false, false, listEndpoints},
		{"callbacks", "the code of an order or a mission, an endpoint's id or a company", true, false, nil},
		{"records", "", true, true, listRecords},
	}
}

// ListCommand prints what a profile has, of every kind.
func ListCommand(p *run.Program) *cobra.Command {
	names := []string{}
	for _, l := range ListKinds() {
		names = append(names, l.Name)
	}
	cmd := &cobra.Command{
		Use:   "list WHAT",
		Short: "List orders, missions, quotes, files and more",
		Long: "Lists " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + ", newest first, as a table, CSV, or JSON Lines (one object per line) with the field names of the service. Areas are in square " +
			"metres, file sizes in bytes, times in RFC 3339. --output ics writes flights and order deadlines as a calendar.\n\n" +
			"Without --of, quotes are those of orders that need a decision; with --status accepted, rejected or closed, those of all " +
			"orders. JSON of files includes links that are valid for a day and need no key.\n\n" +
			"Callbacks can be selected with --of, --status and --since. With the operations key, --of finds orders, missions, endpoints and " +
			"companies of every account, and JSON includes each attempt. --output wide shows all columns.\n\n" +
			"Records are orders as the v2 API returns them: --status is a v2 status, --file-type selects the products whose links are " +
			"included, and --page prints one page of --limit rows (10 by default).",
		Example: "# all orders\nflightdesk list orders\n\n" +
			"# scheduled flights, for a spreadsheet\nflightdesk list missions --status flightScheduled --output csv > flights.csv\n\n" +
			"# flights and deadlines, for a calendar\nflightdesk list missions --output ics > flights.ics\n\n" +
			"# the quotes of one order, for programs\nflightdesk list quotes --of ORD-1042 --output json\n\n" +
			"# the last 20 callbacks of all endpoints\nflightdesk list callbacks --limit 20\n\n" +
			"# failed callbacks of an order since yesterday, with each attempt\nflightdesk list callbacks --of ORD-1042 --status failed --since 24h --output json\n\n" +
			"# the second page of the completed orders of the v2 API\nflightdesk list records --status completed --page 1 --limit 20",
		ValidArgs: names,
	}
	var f listFlags
	cmd.Flags().StringVar(&f.of, "of", "", "only rows of this order, mission or endpoint")
	cmd.Flags().StringVar(&f.status, "status", "", "only rows with this status")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "maximum number of rows; 0 for all")
	cmd.Flags().StringSliceVar(&f.products, "file-type", nil, "products whose links are included (records)")
	cmd.Flags().IntVar(&f.page, "page", noPage, "only this page, from 0; -1 for all (records)")
	cmd.Flags().StringVar(&f.since, "since", "", "only callbacks since this time: 2h, 7d, \"2026-12-01 09:30\"")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "repeat every 5 s until interrupted; a pipe gets changed rows only")
	f.output = run.OutputFlag(cmd, "table", "wide", "json", "csv", "ics")
	profile := run.ProfileFlag(cmd)
	_ = cmd.RegisterFlagCompletionFunc("of", p.CompleteFlag(run.OwnStore, run.Orders, run.Missions, run.Endpoints))
	_ = cmd.RegisterFlagCompletionFunc("status", completeStatus)
	completeProducts(cmd)
	cmd.Args = oneListing
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		what := ListKinds()[slices.Index(names, args[0])]
		if err := f.checkFlags(what); err != nil {
			return run.BadUsage(cmd, err)
		}
		if known := statusesOf(what.Name); f.status != "" && known != nil && !slices.Contains(known, f.status) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%q is not a known status of %s; known are %s\n", layout.Clean(f.status), what.Name, strings.Join(known, ", "))
		}
		look := func(to run.PrintTarget) error { return printList(p, cmd, what, f, to) }
		if what.print == nil {
			look = func(to run.PrintTarget) error { return listCallbacks(p, cmd, f, to) }
		}
		if f.watch {
			return run.WatchRepeatedly(cmd.Context(), cmd, run.WatchTime, f.output.Value, look)
		}
		return look(run.PrintedOn(cmd, f.output.Value))
	})
}

// completeStatus completes the statuses of what is listed.
func completeStatus(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return statusesOf(args[0]), cobra.ShellCompDirectiveNoFileComp
}

// statusesOf returns the statuses that rows of a kind are known to have.
func statusesOf(kind string) []string {
	return map[string][]string{
		"orders": run.Names(api.OrderStatuses()), "missions": run.Names(api.MissionStatuses()), "callbacks": columns.CallbackStatuses(),
		"quotes":  run.Names(api.QuoteStatuses()),
		"records": run.Names(api.RecordStatuses()),
	}[kind]
}

func oneListing(cmd *cobra.Command, args []string) error {
	known := strings.Join(cmd.ValidArgs, ", ")
	switch {
	case len(args) == 0:
		return run.WrongUsage(cmd, "missing WHAT: use one of %s", known)
	case len(args) > 1:
		return run.WrongUsage(cmd, "too many arguments: expected one list, got %d", len(args))
	case !slices.Contains(cmd.ValidArgs, args[0]):
		return run.WrongUsage(cmd, "unknown list %q; use one of %s", args[0], known)
	}
	return nil
}

func (f *listFlags) checkFlags(what ListKind) error {
	switch {
	case f.limit < 0:
		return run.CheckLimit(f.limit)
	case f.of != "" && what.of == "":
		return fmt.Errorf("--of cannot be used with %s", what.Name)
	case f.output.Value == "ics" && what.Name != "missions":
		return fmt.Errorf("--output ics works only with missions, not with %s", what.Name)
	case f.status != "" && !what.status:
		return fmt.Errorf("--status cannot be used with %s", what.Name)
	case f.page != noPage && what.Name != "records":
		return fmt.Errorf("--page works only with records, not with %s", what.Name)
	case f.page < noPage:
		return fmt.Errorf("--page %d is not a valid page; the first is 0", f.page)
	case f.products != nil && what.Name != "records":
		return fmt.Errorf("--file-type works only with records, not with %s", what.Name)
	}
	if _, err := productsOf(f.products); err != nil {
		return err
	}
	return f.checkCallbacks(what)
}

// checkCallbacks checks what goes with callbacks only, and --watch.
func (f *listFlags) checkCallbacks(what ListKind) error {
	switch {
	case f.watch && f.output.Value == "ics":
		return errors.New("--watch cannot be used with --output ics")
	case f.since != "" && what.Name != "callbacks":
		return fmt.Errorf("--since works only with callbacks, not with %s", what.Name)
	case what.Name == "callbacks":
		return run.CheckKnown("--status", f.status, columns.CallbackStatuses())
	}
	return nil
}

func printList(p *run.Program, cmd *cobra.Command, what ListKind, f listFlags, to run.PrintTarget) error {
	ctx := cmd.Context()
	o, err := p.Connect(ctx, f.profile)
	if err != nil {
		return err
	}
	if what.legacy {
		if err := o.MayQuote(what.Name); err != nil {
			return err
		}
	}
	defer p.RememberNames(o)
	err = what.print(ctx, o, f, to)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// detailedOrders returns an order, or all orders, each with its missions.
func detailedOrders(ctx context.Context, o *run.OnlineService, code string) run.Rows[api.Order] {
	if code != "" {
		return run.OneRow(o.Client.Orders.Get(ctx, run.OrderCode(code)))
	}
	return run.EachOf(o.Client.Orders.All(ctx), func(r *api.Order) ([]api.Order, error) {
		return run.Single(o.Client.Orders.Get(ctx, r.OrderCode))
	})
}
