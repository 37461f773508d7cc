package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// OrderCommand looks at orders, and ends them.
func OrderCommand(p *Program) *cobra.Command {
	return p.Group(
		&cobra.Command{
			Use: "order", Short: "Show, cancel, archive or reject an order",
			Example: "# an order by its code\nflightdesk order show ORD-1042",
		},
		orderShow(p),
		orderRecord(p),
		orderMove(
			p,
			api.MoveCancel,
			"Cancel an order and its missions",
			"flightdesk order cancel ORD-1042 --yes",
		),
		orderMove(
			p,
			api.MoveArchive,
			"Archive an order",
			`flightdesk order archive ORD-1042 "project closed" --yes`,
		),
		orderMove(
			p,
			api.MoveReject,
			"Reject an order without an accepted quote",
			`flightdesk order reject ORD-1042 "no budget" --yes`,
		),
	)
}

func orderShow(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ORDER",
		Short: "Print an order with its missions and quotes",
		Long: `Prints an order with its missions, and its quotes if the profile has a v2 API address. --output json prints
the order as returned by the service; for its quotes, use flightdesk list quotes.`,
		Example: "# for people\nflightdesk order show ORD-1042\n\n# for programs\nflightdesk order show ORD-1042 --output json",
	}
	return p.ServiceCommand(cmd, nil, func(ctx context.Context, c *Call) error {
		id := c.Args[0]
		order, err := c.FindOrder(ctx, id)
		switch {
		case err == nil && c.Output == "json":
			return PrintValue(c.Out(), order)
		case err == nil:
			id = order.UUID
		case c.Output == "json" || c.LegacyBaseURL == "" || ctx.Err() != nil:
			return err
		}
		var record *api.OrderRecord
		var noRecord error
		if c.LegacyBaseURL != "" {
			record, noRecord = c.FindRecord(ctx, id)
		}
		if err != nil && noRecord != nil {
			return err
		}
		return printOrder(c, order, err, record, noRecord)
	})
}

// printOrder prints an order with its missions and, of its record, the quotes, or why
// there is none. Without the order it prints its record.
func printOrder(c *Call, order *api.Order, noOrder error, record *api.OrderRecord, noRecord error) error {
	out := bufio.NewWriter(c.Out())
	if noOrder == nil {
		WriteFacts(
			out,
			ShellTheme(c.Out()),
			append(OrderFacts(order, c.Units), columns.UnknownMembers(order.Extra)...),
		)
		fmt.Fprintln(out)
		missions := NewSheet("mission", "missions", columns.InUnits(columns.Missions(), c.Units), c.Now,
			"missionCode missionName status operatorName flightDate country areaSize")
		missions.PrintTable(out, PointersTo(order.Missions), c.Out())
	} else {
		WriteFacts(out, ShellTheme(c.Out()), columns.RecordFacts(record, c.Units))
		why := noOrder.Error()
		if api.IsStatus(noOrder, http.StatusNotFound) {
			why = "none; the order exists only in the v2 API"
		}
		fmt.Fprintln(out, "\nmissions: "+format.Clean(why))
	}
	switch {
	case noRecord != nil:
		fmt.Fprintln(out, "\nquotes: "+format.Clean(noRecord.Error()))
	case record != nil:
		fmt.Fprintln(out)
		s := NewSheet("quote", "quotes", columns.Quotes(c.Now), c.Now, quoteNames)
		quotes := QuotesOf(record, c.Now())
		s.PrintTable(out, PointersTo(quotes), c.Out())
		if allExpired(quotes) {
			fmt.Fprintln(out, quoting.AllExpired)
		}
	}
	return out.Flush()
}

// orderMove returns one of the ends of an order that a client can make.
func orderMove(p *Program, move api.OrderMove, short, example string) *cobra.Command {
	use, reason := string(move)+" ORDER", ""
	if move.NeedsReason() {
		use, reason = use+" REASON", " The reason is stored with the order."
	}
	effects := commands.DescribeOrderMove(move)
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: strings.Join(
			effects,
			" ",
		) + reason + ` Asks for confirmation; --yes skips it. If the response is lost, the order is reloaded to check the result.
An order that is already ` + move.PastTense() + ` stays unchanged. --output json prints the order afterwards.`,
		Example: "# without asking\n" + example + "\n\n# for programs\n" + example + " --output json",
	}
	ConfirmFlag(cmd)
	why := ""
	check := func(args []string) error {
		if move.NeedsReason() {
			why = args[1]
		}
		return CheckReason(why)
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *Call) error {
		if err := c.MayOrder(ctx); err != nil {
			return err
		}
		order, err := c.FindOrder(ctx, c.Args[0])
		if err == nil && order.Status != move.ResultingStatus() {
			order, err = moveOrder(ctx, c, order, move, why)
		}
		if err != nil {
			return err
		}
		return c.PrintAnswer(order, order.OrderCode+" "+order.OrderName+" is "+string(order.Status))
	})
}

// moveOrder moves an order, once a person has said so, and reads it again.
func moveOrder(
	ctx context.Context,
	c *Call,
	order *api.Order,
	move api.OrderMove,
	why string,
) (*api.Order, error) {
	if refused := commands.RefuseOrderMove(order, move); refused != "" {
		return nil, errors.New(refused)
	}
	missions := format.Count(len(order.Missions), "mission", "missions")
	question := format.Clean(
		fmt.Sprintf("%s  %s, %s, %s", order.OrderCode, order.OrderName, order.Status, missions),
	) +
		"\n" + strings.Join(
		commands.DescribeOrderMove(move),
		"\n",
	)
	without := "check with flightdesk order show, then use --yes"
	if err := ConfirmChange(c.Cmd, question, string(move), without, "changed"); err != nil {
		return nil, err
	}
	if err := c.ChangeSender().MoveOrder(ctx, order, move, why); err != nil {
		return nil, ExplainInterruption(ctx, InName(order.OrderCode, err))
	}
	ctx, cancel := ordering.ReadBackContext(ctx)
	defer cancel()
	return c.FindOrder(ctx, order.OrderCode)
}

// orderRecord prints an order of the v2 API.
func orderRecord(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record ORDER",
		Short: "Print all v2 fields of an order",
		Long: `Prints all v2 fields of an order, by its code or ID: client, deadline, price, contact on site, flight height,
quotes and files by product. It also works for orders that the public API does not have. --file-type selects the
products whose links are included; links appear only in JSON, are valid for a day and need no key.`,
		Example: `# all fields of an order
flightdesk order record ORD-1042

# the links of its maps
flightdesk order record ORD-1042 --file-type _2dMap --output json`,
	}
	var typed []string
	addProductsFlag(cmd, &typed, "products whose links are included")
	var products []api.Deliverable
	check := func([]string) (err error) {
		products, err = productsOf(typed)
		return err
	}
	return p.ServiceCommand(cmd, check, func(ctx context.Context, c *Call) error {
		if err := c.MayQuote("order records"); err != nil {
			return err
		}
		record, err := c.FindRecord(ctx, c.Args[0], products...)
		if err != nil {
			return err
		}
		return c.PrintFacts(record, columns.RecordFacts(record, c.Units))
	})
}

// productsOf returns the delivery products of a flag.
func productsOf(typed []string) (products []api.Deliverable, err error) {
	known := api.DeliveryProducts()
	for i, name := range typed {
		products = append(products, api.Deliverable(strings.TrimSpace(name)))
		if !slices.Contains(known, products[i]) {
			return nil, fmt.Errorf("unknown product %q; use %s", name, strings.Join(Names(known), ", "))
		}
	}
	return products, nil
}

func addProductsFlag(cmd *cobra.Command, products *[]string, usage string) {
	cmd.Flags().StringSliceVar(products, "file-type", nil, usage)
	CompleteValues(cmd, "file-type", Names(api.DeliveryProducts()))
}
