// Package operations has the commands of the operations API. Those that change
// something are made from the descriptors of tui/app/commands.
package operations

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// opsGroups are what the commands of Operations are about.
var opsGroups = []*cobra.Group{
	{ID: "orders", Title: "orders"},
	{ID: "missions", Title: "missions"},
	{ID: "accounts", Title: "accounts and keys"},
	{ID: "callbacks", Title: "callbacks"},
	{ID: "service", Title: "the service"},
}

// Command returns the service's own side of an order.
func Command(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ops",
		Short: "Run the service side: quotes, flights, deliveries, keys",
		Long: "Runs the service side of orders through the operations API. Needs its key: set FLIGHTDESK_OPS_URL and FLIGHTDESK_OPS_KEY, " +
			"or ops_url and ops_credential in a profile.\n\n" +
			"Name orders and missions by code or ID, accounts by company or ID. --output json prints the service's responses, one " +
			"value per line.",
		Example: "# the orders that wait for a quote, and a quote at the suggested price\nflightdesk ops review --waiting\nflightdesk ops " +
			"issue-quote ORD-1042\n\n# the next steps of an order\nflightdesk ops assign-operator MSN-2001 \"Mele Taufa\"\nflightdesk ops " +
			"schedule-flight MSN-2001 \"in 3 days 09:30\"\nflightdesk ops deliver MSN-2001 --generate",
	}
	groups := map[string][]opsVerb{
		"orders": {
			opsReview(), opsOrders(), opsOrder(), opsIssueQuote(), verbOf(commands.ExpireQuote(new(string))), endingVerb(""),
			endingVerb(api.MoveReject), endingVerb(api.MoveNotFeasible), verbOf(commands.DeleteOrder()),
			verbOf(commands.SetRecord(new(commands.RecordChange))), opsSetNotifications(),
		},
		"missions": {
			verbOf(commands.AssignOperator(new(string))), verbOf(commands.ScheduleFlight(new(ops.FlightInput), false)), opsFlightPermission(),
			opsDeliver(), verbOf(commands.AcceptDelivery()),
		},
		"accounts": {
			opsAccounts(), verbOf(commands.CreateAccount(new(ops.AccountInput))), verbOf(commands.ChangeAccount(new(ops.AccountChange))),
			opsInvite(), opsKeys(), verbOf(commands.IssueKey(new(ops.KeyInput))), verbOf(commands.RevokeKey()), opsKeyRequests(),
			verbOf(commands.RequestKey(new(ops.KeyRequestInput))), verbOf(commands.ApproveRequest()),
			verbOf(commands.DeclineRequest(new(string))), opsAddDataset(), opsOperators(),
		},
		"callbacks": {
			opsWebhooks(), opsDeliveries(), opsResendFailed(), verbOf(commands.ResendCallback()), verbOf(commands.ResendNotice()),
			verbOf(commands.TestEndpoint(new(api.EventName))), opsWebhookTrust(),
		},
		"service": {
			verbOf(commands.AdvanceClock(new(commands.ClockChange))), verbOf(commands.PaceSimulator(new(commands.Pace))),
			verbOf(commands.SetFaults(&commands.FaultValues{Rate: 1})), verbOf(commands.EndFaults()), verbOf(commands.ResetWorld()),
			opsSnapshots(), verbOf(commands.TakeSnapshot(new(string))), verbOf(commands.RestoreSnapshot(new(string))),
		},
	}
	cmd.AddGroup(opsGroups...)
	var commands []*cobra.Command
	for _, group := range opsGroups {
		for _, verb := range groups[group.ID] {
			one := verbCommand(p, verb)
			one.GroupID = group.ID
			commands = append(commands, one)
		}
	}
	return p.Group(cmd, commands...)
}

// opsVerb is one command of the operations API. Its arguments are those of
// use, as takes has it.
type opsVerb struct {
	use, alias, short, long, example string

	rows     bool        // it prints a list, as CSV too
	limited  bool        // of at most so many rows as --limit says
	hidden   bool        // another name of a verb, which still works
	below    []opsVerb   // verbs below it, as "add"
	changes  func() bool // whether it changes the service; nil: it only looks
	flags    []func(*cobra.Command)
	checks   []func(args []string) error                           // what is wrong with arguments and flags
	question func(context.Context, *opsRun) (string, error)        // asked before, unless --yes; nil: it does not ask
	ready    func(context.Context, *opsRun) (id string, err error) // finds what is named, and reads times
	do       func(context.Context, *opsRun) error
}

// opsRun is one run of a command of Operations.
type opsRun struct {
	*run.Call
	limit int // of rows; 0 for none
}

func always() bool { return true }

func verbCommand(p *run.Program, v opsVerb) *cobra.Command {
	cmd := &cobra.Command{Use: v.use, Short: v.short, Long: v.long, Example: v.example, Hidden: v.hidden}
	for _, one := range v.below {
		cmd.AddCommand(verbCommand(p, one))
	}
	if v.alias != "" {
		cmd.Aliases = []string{v.alias}
	}
	for _, add := range v.flags {
		add(cmd)
	}
	limit := 0
	if v.limited {
		cmd.Flags().IntVar(&limit, "limit", 0, "maximum number of rows; 0 for all")
	}
	formats := []string{"table", "json"}
	if v.rows {
		formats = append(formats, "wide", "csv")
	}
	p.CompleteFlag(cmd, "account", run.Accounts)
	run.OutputFlag(cmd, formats...)
	run.ProfileFlag(cmd)
	if v.question != nil {
		run.ConfirmFlag(cmd)
	}
	return p.Command(cmd, func(ctx context.Context, c *run.Call) error {
		err := run.CheckLimit(limit)
		for _, check := range v.checks {
			err = cmp.Or(err, check(c.Args))
		}
		if err != nil {
			return run.BadUsage(cmd, err)
		}
		s, err := p.NeedOps(ctx, c.Chosen)
		if err != nil {
			return err
		}
		c.Service = s
		defer p.RememberNames(s)
		return v.run(ctx, &opsRun{c, limit})
	})
}

// run runs a verb, once it may change things and was confirmed.
func (v *opsVerb) run(ctx context.Context, r *opsRun) error {
	if v.canChange() {
		if err := r.MayChange(r.Service); err != nil {
			return err
		}
	}
	if v.question != nil && r.Cmd.Flag("yes").Value.String() == "false" { // the question may ask the service
		question, err := v.question(ctx, r)
		if err == nil {
			err = run.ConfirmChange(r.Cmd, layout.Clean(question), r.Cmd.Name(), "use --yes", "changed")
		}
		if err != nil {
			return err
		}
	}
	return v.describeOutcome(ctx, v.do(ctx, r))
}

func (v *opsVerb) canChange() bool { return v.changes != nil && v.changes() }

// describeOutcome returns what a command ended with. Most changes are sent once only, so
// where the answer did not come a person has to look.
func (v *opsVerb) describeOutcome(ctx context.Context, err error) error {
	unsure := v.canChange() && api.MaybeApplied(err)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if unsure {
		return unsureError{err}
	}
	return err
}

// unsureError is a change of which nobody knows whether it was made.
type unsureError struct{ err error }

func (e unsureError) Error() string { return e.err.Error() + "; " + run.UnsureAdvice }
func (e unsureError) Unwrap() error { return e.err }

// printRows prints a list as far as it is asked for, and notes the names in it.
func printRows[T any](r *opsRun, s run.RowSheet[T], rows run.Rows[T]) error {
	return s.Print(run.PrintedOn(r.Cmd, r.Output), run.RowsOf(rows, r.limit, func(row *T) bool {
		r.Seen.NoteRow(row)
		return true
	}))
}

// printOrder writes an order for people: what it is, its missions, its quotes.
func (r *opsRun) printOrder(o *ops.Order) error {
	out := bufio.NewWriter(r.Out())
	facts := append(run.OrderFacts(&o.Order), [2]string{"Waits for", waitsForAll(o, r)})
	if a := o.Account; a != nil {
		facts = append(facts, [2]string{"Account", strings.Join([]string{a.UUID, a.CompanyName, a.Currency}, "  ")},
			[2]string{"Client", strings.TrimSpace(a.ClientName + "  " + a.ClientEmail)})
	}
	facts = append(facts, columns.DetailFacts(cmp.Or(o.Details, &api.RecordDetails{}))...)
	if n := o.Notifications; n != nil {
		facts = append(facts, [2]string{"Notification", strings.TrimSpace(n.Webhook + map[bool]string{true: "  e-mail"}[n.Email])})
	}
	run.WriteFacts(out, run.ShellTheme(r.Out()), facts)
	fmt.Fprintln(out)
	missions := run.NewSheet("mission", "missions", columns.OpsMissions(), r.Now,
		"missionCode missionName status operatorName flightDate plans permission packages areaSize")
	missions.PrintTable(out, run.PointersTo(o.Missions), r.Out())
	fmt.Fprintln(out)
	quotes := run.NewSheet("quote", "quotes", columns.ColumnsOf(columns.Quotes(r.Now), func(q *ops.Quote) *columns.ListedQuote {
		quoted := columns.ListedQuote{Status: q.Status, Expired: q.Status == api.QuoteOpen && !q.IsDecidable(r.Now()), Quote: q.Quote}
		quoted.QuoteID = q.UUID
		return &quoted
	}), r.Now, "quoteId")
	quotes.PrintTable(out, run.PointersTo(o.Quotes), r.Out())
	return out.Flush()
}

// waitsForAll says of the detail who is to move next.
func waitsForAll(o *ops.Order, r *opsRun) string {
	n := 0
	for i := range o.Quotes {
		if o.Quotes[i].IsDecidable(r.Now()) {
			n++
		}
	}
	row := *o
	row.OpenQuotes = &n
	return columns.WaitsFor(&row)
}
