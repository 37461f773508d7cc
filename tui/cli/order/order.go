// Package order has the commands for orders: to parse survey files and place
// orders of them, to list and show what came of them, and to decide quotes.
package order

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/ledger"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// Command looks at orders, and ends them.
func Command(p *run.Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use: "order", Short: "Show, cancel, archive or reject an order",
			Example: "# an order by its code\nflightdesk order show ORD-1042",
		},
		orderShow(p),
		orderRecord(p),
		orderMove(p, api.MoveCancel, "Cancel an order and its missions", "flightdesk order cancel ORD-1042 --yes"),
		orderMove(p, api.MoveArchive, "Archive an order", `flightdesk order archive ORD-1042 "project closed" --yes`),
		orderMove(
			p,
			api.MoveReject,
			"Reject an order without an accepted quote",
			`flightdesk order reject ORD-1042 "no budget" --yes`,
		),
	)
}

func orderShow(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ORDER",
		Short: "Print an order with its missions and quotes",
		Long: "Prints an order with its missions, and its quotes if the profile has a v2 API address. --output json prints the order as " +
			"returned by the service; for its quotes, use flightdesk list quotes.",
		Example:           "# for people\nflightdesk order show ORD-1042\n\n# for programs\nflightdesk order show ORD-1042 --output json",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders}),
	}
	return p.ServiceCommand(cmd, nil, func(ctx context.Context, c *run.ServiceCall) error {
		order, err := readOrder(ctx, c.OnlineService, c.Args[0])
		if err == nil && c.Output == "json" {
			return run.PrintValue(c.Out(), order)
		}
		if err != nil && (c.Output == "json" || c.LegacyBaseURL == "" || ctx.Err() != nil) {
			return err
		}
		id := run.OrderCode(c.Args[0])
		if err == nil {
			id = order.UUID
		}
		var record *api.OrderRecord
		var noRecord error
		if c.LegacyBaseURL != "" {
			record, noRecord = c.Client.Records.Get(ctx, id)
		}
		switch {
		case err != nil && noRecord != nil:
			return err
		case err != nil:
			return printRecord(c, record, err)
		default:
			return printOrder(c, order, record, noRecord)
		}
	})
}

// readOrder reads an order with its missions.
func readOrder(ctx context.Context, o *run.OnlineService, code string) (*api.Order, error) {
	order, err := o.Client.Orders.Get(ctx, run.OrderCode(code))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", code, err)
	}
	o.Seen.NoteRow(order)
	return order, nil
}

// printOrder prints an order with its missions and, of its record, the quotes,
// or why there is none.
func printOrder(c *run.ServiceCall, order *api.Order, record *api.OrderRecord, noRecord error) error {
	out := bufio.NewWriter(c.Out())
	run.WriteFacts(out, run.ShellTheme(c.Out()), append(run.OrderFacts(order), columns.UnknownMembers(order.Extra)...))
	fmt.Fprintln(out)
	missions := run.NewSheet("mission", "missions", columns.Missions(), c.Client.Now,
		"missionCode missionName status operatorName flightDate country areaSize")
	missions.PrintTable(out, run.PointersTo(order.Missions), c.Out())
	if noRecord != nil {
		fmt.Fprintln(out, "\nquotes: "+layout.Clean(noRecord.Error()))
	} else if record != nil {
		printQuotes(c, out, record)
	}
	return out.Flush()
}

func printQuotes(c *run.ServiceCall, out *bufio.Writer, record *api.OrderRecord) {
	fmt.Fprintln(out)
	s := run.NewSheet("quote", "quotes", columns.Quotes(c.Client.Now), c.Client.Now, quoteNames)
	quotes := QuotesOf(record, c.Client.Now())
	s.PrintTable(out, run.PointersTo(quotes), c.Out())
	if allExpired(quotes) {
		fmt.Fprintln(out, quoting.AllExpired)
	}
}

// printRecord prints an order of the v2 API with its quotes; noOrder is why the
// public API did not answer with it.
func printRecord(c *run.ServiceCall, record *api.OrderRecord, noOrder error) error {
	out := bufio.NewWriter(c.Out())
	run.WriteFacts(out, run.ShellTheme(c.Out()), columns.RecordFacts(record))
	why := noOrder.Error()
	if api.IsStatus(noOrder, http.StatusNotFound) {
		why = "none; the order exists only in the v2 API"
	}
	fmt.Fprintln(out, "\nmissions: "+layout.Clean(why))
	printQuotes(c, out, record)
	return out.Flush()
}

// orderMove returns one of the ends of an order that a client can make.
func orderMove(p *run.Program, move api.OrderMove, short, example string) *cobra.Command {
	name := string(move)
	use, reason := name+" ORDER", ""
	if move.NeedsReason() {
		use, reason = use+" REASON", " The reason is stored with the order."
	}
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: strings.Join(
			commands.DescribeOrderMove(move),
			" ",
		) + reason + " Asks for confirmation; --yes skips it. If the response is lost, the order is reloaded to check the result. An order that is already " + move.PastTense() + " stays unchanged. --output json prints the order afterwards.",
		Example:           example + "\n\n# in a script\n" + example + " --output json",
		ValidArgsFunction: p.CompleteArguments([]run.NameKind{run.Orders}),
	}
	run.ConfirmFlag(cmd)
	why := ""
	check := func(args []string) error {
		if move.NeedsReason() {
			why = args[1]
		}
		return run.CheckReason(why)
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *run.ServiceCall) error {
		if err := c.MayOrder(ctx); err != nil {
			return err
		}
		order, err := readOrder(ctx, c.OnlineService, c.Args[0])
		if err == nil && order.Status != move.ResultingStatus() {
			order, err = moveTo(p, c.OnlineService, c.Cmd, order, move, why)
		}
		if err != nil {
			return err
		}
		return c.PrintAnswer(order, order.OrderCode+" "+order.OrderName+" is "+string(order.Status))
	})
}

// move moves an order, once a person has said so, and reads it again.
func moveTo(
	p *run.Program,
	o *run.OnlineService,
	cmd *cobra.Command,
	order *api.Order,
	move api.OrderMove,
	why string,
) (*api.Order, error) {
	if refused := commands.RefuseOrderMove(order, move); refused != "" {
		return nil, errors.New(refused)
	}
	ctx := cmd.Context()
	missions := format.Count(len(order.Missions), "mission", "missions")
	question := layout.Clean(fmt.Sprintf("%s  %s, %s, %s", order.OrderCode, order.OrderName, order.Status, missions)) +
		"\n" + strings.Join(commands.DescribeOrderMove(move), "\n")
	without := "check with flightdesk order show, then use --yes"
	if err := run.ConfirmChange(cmd, question, string(move), without, "changed"); err != nil {
		return nil, err
	}
	if err := p.ChangeSender(o).MoveOrder(ctx, order, move, why); err != nil {
		return nil, run.ExplainInterruption(ctx, fmt.Errorf("%s: %w", order.OrderCode, err))
	}
	ctx, cancel := ledger.ReadBackContext(ctx)
	defer cancel()
	return readOrder(ctx, o, order.OrderCode)
}
