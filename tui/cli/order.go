package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// orderCommand returns the group of commands that show, cancel, archive and reject orders.
func orderCommand() *cobra.Command {
	return defineGroup(
		&cobra.Command{
			Use:   "order",
			Short: "Show, cancel, archive or reject an order",
			Example: `# an order by its code
flightdesk order show ORD-1042`,
		},
		orderShow(),
		orderRecord(),
		orderMove(api.MoveCancel,
			"Cancel an order and its missions",
			"flightdesk order cancel ORD-1042 --yes",
		),
		orderMove(api.MoveArchive,
			"Archive an order",
			`flightdesk order archive ORD-1042 "project closed" --yes`,
		),
		orderMove(api.MoveReject,
			"Reject an order without an accepted quote",
			`flightdesk order reject ORD-1042 "no budget" --yes`,
		),
	)
}

// orderCode returns the code of an order or mission in upper case, as the service writes it. Other
// texts, such as IDs, are returned unchanged.
func orderCode(typed string) string {
	if looksLikeCode(typed) {
		return strings.ToUpper(typed)
	}
	return typed
}

// looksLikeCode reports whether a text begins like the code of an order or a mission.
func looksLikeCode(text string) bool {
	upper := strings.ToUpper(text)
	return strings.HasPrefix(upper, "ORD-") || strings.HasPrefix(upper, "MSN-")
}

// FindOrder returns the order of the account with the given code or ID. If some missions of the order cannot be read,
// it returns the order without them and no error.
func (c *Call) FindOrder(code string) (*api.Order, error) {
	order, err := c.Service.Client.Orders.Get(c, orderCode(code))
	if err != nil && !api.IsPartial(err) {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(order)
	return order, nil
}

// FindRecord returns the v2 record of the order with the given code or ID. If products are given, the record has
// download links only for these products.
func (c *Call) FindRecord(code string, products ...api.Deliverable) (*api.OrderRecord, error) {
	record, err := c.Service.Client.Records.Get(c, orderCode(code), products...)
	if err != nil {
		return nil, prefixError(code, err)
	}
	c.Names.AddRow(record)
	return record, nil
}

// orderMove returns the command that cancels, archives or rejects an order, depending on the move.
func orderMove(move api.OrderMove, short, example string) *cobra.Command {
	use := string(move) + " ORDER"
	reasonHelp := ""
	if move.NeedsReason() {
		use += " REASON"
		reasonHelp = " The reason is stored with the order."
	}
	effects := strings.Join(commands.DescribeOrderMove(move), " ")
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: effects + reasonHelp + ` Asks for confirmation; --yes skips it. The service decides whether the order's status allows it.
If the response is lost or does not confirm it, the order is read for some seconds; if it does not change, the exit
status is 75: sent, not confirmed.
An order that is already ` + move.PastTense() + ` stays unchanged. --output json prints the order afterwards.`,
		Example: "# without asking\n" + example + "\n\n# for programs\n" + example + " --output json",
	}
	confirmFlag(cmd)
	return defineService(cmd, checkReason, func(c *Call) error { return runOrderMove(c, move) })
}

// runOrderMove cancels, archives or rejects the order in the arguments, depending on the move, and prints the order.
// If the move was already made, it only prints the order.
func runOrderMove(c *Call, move api.OrderMove) error {
	if err := c.CheckCanOrder(); err != nil {
		return err
	}
	order, err := c.FindOrder(c.Args[0])
	if err != nil {
		return err
	}
	if commands.IsMoved(order, move) {
		return printMoved(c, order)
	}
	reason := ""
	if move.NeedsReason() {
		reason = c.Args[1]
	}
	moved, err := moveOrder(c, order, move, reason)
	if err != nil {
		return err
	}
	return printMoved(c, moved)
}

func printMoved(c *Call, o *api.Order) error {
	return c.PrintResult(o, o.OrderCode+" "+o.OrderName+" is "+commands.InText(o.Status))
}

// moveOrder asks for confirmation and then cancels, archives or rejects an order, depending on the move. It returns
// the order with its new status.
func moveOrder(c *Call, order *api.Order, move api.OrderMove, reason string) (*api.Order, error) {
	missions := countMissions(order)
	effects := strings.Join(commands.DescribeOrderMove(move), "\n")
	question := fmt.Sprintf("%s  %s, %s, %s\n%s",
		order.OrderCode, order.OrderName, format.Status(order.Status).Label, missions, effects)
	if doubt := commands.DoubtOrderMove(order, move); doubt != "" {
		question += "\n" + doubt
	}
	const adviceWithoutTerminal = "check with flightdesk order show, then use --yes"
	if err := c.confirmChange(question, string(move), adviceWithoutTerminal); err != nil {
		return nil, err
	}
	moved, err := c.ChangeSender().MoveOrder(c, order, move, reason)
	if err != nil {
		return nil, prefixError(order.OrderCode, err)
	}
	return c.reloadMoved(order, moved.Status), nil
}

// countMissions returns the number of missions of an order in words. It prefers the number that the
// service sent, because an order lacks the missions that could not be read. If the service sent no
// number and the order has no missions, the number is unknown.
func countMissions(o *api.Order) string {
	if o.MissionCount != nil {
		return format.Count(*o.MissionCount, "mission")
	}
	if len(o.Missions) > 0 {
		return format.Count(len(o.Missions), "mission")
	}
	return "number of missions unknown"
}

// reloadMoved reads an order again after the service has confirmed its new status. If that fails, or if the
// service returns another status, it returns a copy of the given order with the new status.
func (c *Call) reloadMoved(order *api.Order, status api.OrderStatus) *api.Order {
	// The order is read even if the command was interrupted after the move.
	ctx, cancel := changes.ReadBackContext(c.Context)
	defer cancel()
	reloaded, err := c.Service.Client.Orders.Get(ctx, orderCode(order.OrderCode))
	isRead := err == nil || api.IsPartial(err)
	if isRead && reloaded.Status == status {
		c.Names.AddRow(reloaded)
		return reloaded
	}
	confirmed := *order
	confirmed.Status = status
	return &confirmed
}
