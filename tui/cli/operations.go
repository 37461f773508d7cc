package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
)

// operationsCommand returns the group of commands of the operations API.
func operationsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ops",
		Short: "Run the service side: quotes, flights, deliveries, keys",
		Long: `Runs the service side of orders through the operations API. Needs its key: set FLIGHTDESK_OPS_URL and
FLIGHTDESK_OPS_KEY, or ops_url and ops_credential in a profile.

Name orders and missions by code or ID, accounts by company or ID. --output json prints the service's responses, one
value per line.

If the response to a change is lost or does not confirm it, the command checks for some seconds whether the change was
made. If that does not show, the exit status is 75: sent, not confirmed.`,
		Example: `# the orders that wait for a quote, and a quote at the suggested price
flightdesk ops orders --waiting
flightdesk ops issue-quote ORD-1042

# the next steps of an order
flightdesk ops assign-operator MSN-2001 "Mele Taufa"
flightdesk ops schedule-flight MSN-2001 "in 3 days 09:30"
flightdesk ops deliver MSN-2001 --generate`,
	}
	var subcommands []*cobra.Command
	for _, group := range commandGroups() {
		cmd.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, command := range group.commands() {
			command.cmd.GroupID = group.title
			subcommands = append(subcommands, command.define())
		}
	}
	return defineGroup(cmd, subcommands...)
}

// commandGroup is a group of commands with a title in the help.
type commandGroup struct {
	title  string
	custom []*opsCommand
	specs  []commands.Command // the commands that are built from their descriptors alone
}

// commands returns all commands of the group: the custom commands, and the commands that are built
// from descriptors.
func (g *commandGroup) commands() []*opsCommand {
	all := g.custom
	for _, spec := range g.specs {
		all = append(all, newOpsCommand(spec))
	}
	return all
}

// commandGroups returns the commands of the operations API, in the order of the help.
func commandGroups() []commandGroup {
	return []commandGroup{orderGroup(), missionGroup(), accountGroup(), callbackGroup(), serviceGroup()}
}

func orderGroup() commandGroup {
	return commandGroup{
		title: "orders",
		custom: []*opsCommand{
			opsReview(),
			opsOrders(),
			opsOrder(),
			opsNewOrder(),
			opsIssueQuote(),
			endOrderCommand(""),
			endOrderCommand(api.MoveReject),
			endOrderCommand(api.MoveNotFeasible),
			opsSetNotifications(),
		},
		specs: []commands.Command{
			commands.ExpireQuote(new(string)),
			commands.DeleteOrder(),
			commands.SetRecord(new(commands.RecordChange)),
		},
	}
}

func missionGroup() commandGroup {
	return commandGroup{
		title:  "missions",
		custom: []*opsCommand{opsFlightPermission(), opsDeliver()},
		specs: []commands.Command{
			commands.AssignOperator(new(string)),
			commands.ScheduleFlight(new(ops.FlightInput), false),
			commands.AcceptDelivery(),
		},
	}
}

func accountGroup() commandGroup {
	return commandGroup{
		title: "accounts and keys",
		custom: []*opsCommand{
			opsAccounts(),
			opsInvite(),
			opsInvitations(),
			opsKeys(),
			opsKeyRequests(),
			opsAddDataset(),
			opsOperators(),
		},
		specs: []commands.Command{
			commands.CreateAccount(new(ops.AccountInput)),
			commands.ChangeAccount(new(ops.AccountChange)),
			commands.IssueKey(new(ops.KeyInput)),
			commands.RevokeKey(),
			commands.RequestKey(new(ops.KeyRequestInput)),
			commands.ApproveRequest(),
			commands.DeclineRequest(new(string)),
		},
	}
}

func callbackGroup() commandGroup {
	return commandGroup{
		title: "callbacks",
		custom: []*opsCommand{
			opsWebhooks(),
			opsCallbacks(),
			opsResend(),
			opsWebhookTrust(),
		},
		specs: []commands.Command{
			commands.ResendCallback(),
			commands.ResendNotice(),
			commands.TestEndpoint(new(api.EventName)),
		},
	}
}

func serviceGroup() commandGroup {
	return commandGroup{
		title:  "the service",
		custom: []*opsCommand{opsClock(), opsSnapshots()},
		specs: []commands.Command{
			commands.PaceSimulator(new(commands.Pace)),
			commands.SetFaults(&commands.FaultValues{Rate: 1}),
			commands.EndFaults(),
			commands.ResetWorld(),
			commands.TakeSnapshot(new(string)),
			commands.RestoreSnapshot(new(string)),
		},
	}
}

// opsCommand is a command that uses the operations API.
type opsCommand struct {
	cmd     *cobra.Command
	spec    commands.Command            // descriptor of the operation; a custom command only uses its texts
	dryRun  bool                        // value of --dry-run, with which the command changes nothing
	checks  []func(args []string) error // check arguments and flags, and set the fields of spec
	files   []api.FileInput             // open files to upload
	perform action                      // what the command does, unless the flag of a mode is set
	modes   []*commandMode
}

// newCustomCommand returns a command that performs an action instead of sending the request of a descriptor. The
// verb is the name of the command; the descriptor with that verb has the texts of the help.
func newCustomCommand(verb string, perform action) *opsCommand {
	v := newOpsCommand(commands.Named(verb))
	v.perform = perform
	return v
}

// newListCommand returns a custom command that prints a list. In addition to the formats of other commands, --output
// can be wide or csv.
func newListCommand(verb string, perform action) *opsCommand {
	v := newCustomCommand(verb, perform)
	outputFlag(v.cmd, "table", "json", "wide", "csv")
	return v
}

// withLimit adds the flag --limit and returns the command.
func (v *opsCommand) withLimit() *opsCommand {
	v.cmd.Flags().Uint("limit", 0, "maximum number of rows; 0 for all")
	return v
}

// define completes the command and returns it for Cobra. It adds --yes if the command asks for confirmation, and
// makes the command connect to the operations API before it runs.
func (v *opsCommand) define() *cobra.Command {
	completeFlag(v.cmd, "account", kindAccount)
	if v.spec.NeedsConfirmation {
		confirmFlag(v.cmd)
	}
	return defineConnected(v.cmd, (*Call).RequireOps, v.check, v.run)
}

// commandMode makes a command run another command if a flag is set. For example, "ops snapshots --take NAME"
// runs take-snapshot. The value of the flag, NAME, is the first argument of the other command.
type commandMode struct {
	flag    string
	value   string
	options []*modeOption
	command *opsCommand // the other command
}

// modeOption is a flag that can only be used together with the flag of a mode. Its value, if set, is one more
// argument of the mode's command.
type modeOption struct {
	flag  string
	usage string
	value string
}

// addMode adds a mode: if the given flag is set, the command runs the other command. The options are flags that can
// only be used together with that flag.
func (v *opsCommand) addMode(flag, usage string, other *opsCommand, options ...*modeOption) {
	mode := &commandMode{flag: flag, command: other, options: options}
	v.cmd.Flags().StringVar(&mode.value, flag, "", usage)
	for _, option := range options {
		v.cmd.Flags().StringVar(&option.value, option.flag, "", option.usage)
	}
	if other.spec.NeedsConfirmation && v.cmd.Flag("yes") == nil {
		confirmFlag(v.cmd)
	}
	v.checks = append(v.checks, func([]string) error { return mode.checkOptions(v.cmd) })
	v.modes = append(v.modes, mode)
}

// checkOptions returns an error if an option is set without the flag of the mode.
func (m *commandMode) checkOptions(cmd *cobra.Command) error {
	if cmd.Flag(m.flag).Changed {
		return nil
	}
	for _, option := range m.options {
		if option.value != "" {
			return fmt.Errorf("--%s needs --%s", option.flag, m.flag)
		}
	}
	return nil
}

// run runs the command of the mode with the values of the flags as its arguments.
func (m *commandMode) run(c *Call) error {
	c.Args = []string{m.value}
	for _, option := range m.options {
		if option.value != "" {
			c.Args = append(c.Args, option.value)
		}
	}
	if err := m.command.check(c.Args); err != nil {
		return badUsage(err)
	}
	return m.command.run(c)
}

// check checks the arguments and flags, and sets the fields of the descriptor to them. It returns the first
// error.
func (v *opsCommand) check(args []string) error {
	for _, check := range v.checks {
		if err := check(args); err != nil {
			return err
		}
	}
	return nil
}

// run runs the command. If the command can change something, run first checks that changes are allowed. If the
// command needs confirmation, run then asks for it.
func (v *opsCommand) run(c *Call) error {
	if v.canChange() {
		if err := c.CheckWritable(); err != nil {
			return err
		}
	}
	isConfirmed := !v.spec.NeedsConfirmation || c.Cmd.Flag("yes").Value.String() == "true"
	if !isConfirmed {
		question, err := c.confirmationText(v.spec.Subject, v.spec.Effects)
		if err != nil {
			return err
		}
		if err := c.confirmChange(question, v.cmd.Name(), "use --yes"); err != nil {
			return err
		}
	}
	if err := v.runMode(c); err != nil {
		return v.explainError(err)
	}
	return nil
}

// runMode runs the command of the mode whose flag is set. If the flags of several modes are set,
// the mode that was added last counts. If none is set, it performs the action of the command.
func (v *opsCommand) runMode(c *Call) error {
	for _, mode := range slices.Backward(v.modes) {
		if c.Cmd.Flag(mode.flag).Changed {
			return mode.run(c)
		}
	}
	return v.perform(c)
}

// canChange reports whether the command can change something, with the flags that are set.
func (v *opsCommand) canChange() bool { return !v.onlyReads() && !v.dryRun }

// explainError returns the error of the command with advice for the user. If a change may have been applied, the
// returned error is a [changes.UnconfirmedError], and advises to check.
func (v *opsCommand) explainError(err error) error {
	if !v.canChange() || !api.MaybeApplied(err) {
		return adviseList(err)
	}
	if !errors.As(err, new(*changes.UnconfirmedError)) {
		err = &changes.UnconfirmedError{Err: err}
	}
	return &advisedError{Err: err, Advice: unconfirmedAdvice}
}

// adviseList adds the command that lists valid names to a "not found" error.
func adviseList(err error) error {
	response, ok := errors.AsType[*api.Error](err)
	if ok && listAdvice[response.Message] != "" {
		return fmt.Errorf("%w; flightdesk %s", err, listAdvice[response.Message])
	}
	return err
}

// listAdvice maps "not found" messages of the service to the commands that list valid names.
var listAdvice = map[string]string{
	"order not found":    "ops orders lists all orders",
	"mission not found":  "order show lists the missions of an order",
	"endpoint not found": "list endpoints --of lists the endpoints of an account",
}

// printOrder prints an order: as JSON, or its fields, missions and quotes for people.
func (c *Call) printOrder(o *ops.Order) error {
	quoteState := columns.QuotesOf(o, c.Service.Now())
	missionColumns := columns.WithState(columns.OpsMissions(), func(m *ops.Mission) format.StatusLabel {
		return format.MissionState(m.Status, o.Status, quoteState)
	})
	missions := newSheet("mission", missionColumns,
		"missionCode missionName status operatorName flightDate plans permission packages areaSize")
	quotes := newSheet("quote", opsQuoteColumns(c), "quoteId")
	return c.PrintParts(
		o,
		factsPart(c.opsOrderFacts(o)),
		missions.tablePart(c, columns.Pointers(o.Missions)),
		quotes.tablePart(c, columns.Pointers(o.Quotes)),
	)
}

// opsOrderFacts returns the fields of an order, of its account and of its notifications.
func (c *Call) opsOrderFacts(o *ops.Order) [][2]string {
	now := c.Service.Now()
	facts := orderFacts(&o.Order, columns.QuotesOf(o, now), c.Service.Units)
	facts = append(facts, [2]string{"Next step", describeNextStep(o, now)})
	if o.Account != nil {
		shown := columns.PickColumns(columns.Accounts(), "uuid clientName clientEmail currency")
		facts = append(facts, columns.RowFacts(shown, o.Account, now)...)
	}
	details := o.Details
	if details == nil {
		details = &api.RecordDetails{}
	}
	facts = append(facts, columns.DetailFacts(details)...)
	if o.Notifications != nil {
		channels := o.Notifications.Webhook
		if o.Notifications.Email {
			channels += "  e-mail"
		}
		facts = append(facts, [2]string{"Notification", strings.TrimSpace(channels)})
	}
	return facts
}

// opsQuoteColumns returns the columns of a quote of the operations API: the columns of a quote in the
// account's lists, and the columns that only the operations API has.
func opsQuoteColumns(c *Call) []columns.Column[*ops.Quote] {
	listed := columns.ColumnsOf(columns.Quotes(c.Service.Now), func(q *ops.Quote) *columns.ListedQuote {
		row := &columns.ListedQuote{
			Status:  q.Status,
			Expired: columns.IsQuoteExpired(&q.Quote, q.Status, c.Service.Now()),
			Quote:   q.Quote,
		}
		row.QuoteID = q.UUID
		return row
	})
	return append(listed, columns.OpsQuotes(c.Service.Now)...)
}

// describeNextStep returns who makes the next step of an order. It counts the open quotes in o.Quotes. The order must
// therefore have been read with its quotes, and not as a row of a list, in which the service sends only their number.
func describeNextStep(o *ops.Order, now time.Time) string {
	openQuotes := 0
	for i := range o.Quotes {
		if o.Quotes[i].IsDecidable(now) {
			openQuotes++
		}
	}
	row := *o
	row.OpenQuotes = &openQuotes
	return columns.WaitsFor(&row)
}
