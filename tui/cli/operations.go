package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
)

// operationsCommand returns the service's own side of an order.
func operationsCommand() *cobra.Command {
	cmd := newCommand(
		"ops",
		"Run the service side: quotes, flights, deliveries, keys",
		`Runs the service side of orders through the operations API. Needs its key: set FLIGHTDESK_OPS_URL and
FLIGHTDESK_OPS_KEY, or ops_url and ops_credential in a profile.

Name orders and missions by code or ID, accounts by company or ID. --output json prints the service's responses, one
value per line.

If the response to a change is lost or does not confirm it, the command checks for some seconds whether the change was
made. If that does not show, the exit status is 75: sent, not confirmed.`,
		`# the orders that wait for a quote, and a quote at the suggested price
flightdesk ops orders --waiting
flightdesk ops issue-quote ORD-1042

# the next steps of an order
flightdesk ops assign-operator MSN-2001 "Mele Taufa"
flightdesk ops schedule-flight MSN-2001 "in 3 days 09:30"
flightdesk ops deliver MSN-2001 --generate`,
	)
	var all []*cobra.Command
	for _, group := range verbGroups() {
		cmd.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, spec := range group.specs {
			group.verbs = append(group.verbs, verbOf(spec))
		}
		for _, verb := range group.verbs {
			verb.GroupID = group.title
			all = append(all, verb.complete())
		}
	}
	return defineGroup(cmd, all...)
}

// verbGroup are the verbs about one thing: those that are made of commands alone, and others.
type verbGroup struct {
	title string
	specs []commands.Command
	verbs []*opsVerb
}

func verbGroups() []verbGroup {
	return []verbGroup{
		{"orders", []commands.Command{
			commands.ExpireQuote(new(string)), commands.DeleteOrder(), commands.SetRecord(new(commands.RecordChange)),
		}, []*opsVerb{
			opsReview(), opsOrders(), opsOrder(), opsNewOrder(), opsIssueQuote(), endingVerb(""), endingVerb(api.MoveReject),
			endingVerb(api.MoveNotFeasible), opsSetNotifications(),
		}},
		{"missions", []commands.Command{
			commands.AssignOperator(new(string)), commands.ScheduleFlight(new(ops.FlightInput), false), commands.AcceptDelivery(),
		}, []*opsVerb{opsFlightPermission(), opsDeliver()}},
		{"accounts and keys", []commands.Command{
			commands.CreateAccount(new(ops.AccountInput)), commands.ChangeAccount(new(ops.AccountChange)),
			commands.IssueKey(new(ops.KeyInput)), commands.RevokeKey(), commands.RequestKey(new(ops.KeyRequestInput)),
			commands.ApproveRequest(), commands.DeclineRequest(new(string)),
		}, []*opsVerb{
			opsAccounts(),
			opsInvite(),
			opsInvitations(),
			opsKeys(),
			opsKeyRequests(),
			opsAddDataset(),
			opsOperators(),
		}},
		{"callbacks", []commands.Command{
			commands.ResendCallback(), commands.ResendNotice(), commands.TestEndpoint(new(api.EventName)),
		}, []*opsVerb{
			opsWebhooks(),
			opsDeliveries(),
			opsResendFailed(),
			opsWebhookTrust(),
		}},
		{"the service", []commands.Command{
			commands.PaceSimulator(new(commands.Pace)),
			commands.SetFaults(&commands.FaultValues{Rate: 1}), commands.EndFaults(), commands.ResetWorld(),
			commands.TakeSnapshot(new(string)), commands.RestoreSnapshot(new(string)),
		}, []*opsVerb{opsClock(), opsSnapshots()}},
	}
}

// opsVerb is a command that uses the operations API.
type opsVerb struct {
	*cobra.Command
	spec   commands.Command            // it is made of; the zero one for none
	dryRun bool                        // it changes nothing this time
	checks []func(args []string) error // what is wrong with arguments and flags
	files  []api.FileInput             // that are sent, open
	do     action
}

// newVerb returns a verb that does what no request alone does; its words are those of the operation.
func newVerb(verb string, do action) *opsVerb {
	v := verbOf(commands.Named(verb))
	v.do = do
	return v
}

// listVerb returns a command that prints a list.
func listVerb(verb string, do action) *opsVerb {
	v := newVerb(verb, do)
	outputFlag(v.Command, "table", "json", "wide", "csv")
	return v
}

// withLimit adds the flag --limit.
func (v *opsVerb) withLimit() *opsVerb {
	addFlag(v.Command, "limit,maximum number of rows; 0 for all", new(uint))
	return v
}

// complete returns the command of a verb, with the flags that all have.
func (v *opsVerb) complete() *cobra.Command {
	completeFlag(v.Command, "account", kindAccount)
	if v.spec.Asks {
		confirmFlag(v.Command)
	}
	return defineConnected(v.Command, (*Call).NeedOps, v.checkAll, v.run)
}

// addMode adds a flag with which a verb does what another one does; the value is its argument.
func (v *opsVerb) addMode(name, usage string, other *opsVerb) {
	value := ""
	addFlag(v.Command, name+","+usage, &value)
	if other.spec.Asks && v.Flag("yes") == nil {
		confirmFlag(v.Command)
	}
	without := v.do
	v.do = func(c *Call) error {
		if !c.Cmd.Flag(name).Changed {
			return without(c)
		}
		c.Args = []string{value}
		if err := other.checkAll(c.Args); err != nil {
			return badUsage(err)
		}
		return other.run(c)
	}
}

func (v *opsVerb) checkAll(args []string) (err error) {
	for _, check := range v.checks {
		err = cmp.Or(err, check(args))
	}
	return err
}

// run runs a verb, once it may change things and was confirmed.
func (v *opsVerb) run(c *Call) error {
	if v.canChange() {
		if err := c.MayChange(); err != nil {
			return err
		}
	}
	if v.spec.Asks && c.Cmd.Flag("yes").Value.String() == "false" { // the question may ask the service
		question, err := c.describeSubject(v.spec.Subject, v.spec.Effects)
		if err == nil {
			err = c.confirmChange(question, v.Name(), "use --yes")
		}
		if err != nil {
			return err
		}
	}
	return v.describeOutcome(v.do(c))
}

func (v *opsVerb) canChange() bool { return !v.looks() && !v.dryRun }

// describeOutcome returns what a command ended with. A change that was looked for and not
// found is for a person to check.
func (v *opsVerb) describeOutcome(err error) error {
	if v.canChange() && api.MaybeApplied(err) {
		if !errors.As(err, new(*changes.UnconfirmedError)) {
			err = &changes.UnconfirmedError{Err: err}
		}
		return fmt.Errorf("%w; %s", err, unsureAdvice)
	}
	return adviseList(err)
}

// adviseList adds to a "not found" error the command that lists valid names.
func adviseList(err error) error {
	var answered *api.Error
	if errors.As(err, &answered) && lists[answered.Message] != "" {
		return fmt.Errorf("%w; flightdesk %s", err, lists[answered.Message])
	}
	return err
}

// lists say which command lists what was not found.
var lists = map[string]string{
	"order not found":    "ops orders lists all orders",
	"mission not found":  "order show lists the missions of an order",
	"endpoint not found": "list endpoints --of lists the endpoints of an account",
}

// printOrder prints an order: as JSON, or its fields, missions and quotes for people.
func (c *Call) printOrder(o *ops.Order) error {
	facts := append(orderFacts(&o.Order, c.Units), [2]string{"Next step", waitsForAll(o, c)})
	if o.Account != nil {
		shown := columns.PickColumns(columns.Accounts(), "uuid clientName clientEmail currency")
		facts = append(facts, columns.RowFacts(shown, o.Account, c.Now())...)
	}
	facts = append(facts, columns.DetailFacts(cmp.Or(o.Details, &api.RecordDetails{}))...)
	if n := o.Notifications; n != nil {
		facts = append(facts, [2]string{"Notification", strings.TrimSpace(n.Webhook + map[bool]string{true: "  e-mail"}[n.Email])})
	}
	missions := newSheet("mission", columns.OpsMissions(),
		"missionCode missionName status operatorName flightDate plans permission packages areaSize")
	all := columns.ColumnsOf(columns.Quotes(c.Now), func(q *ops.Quote) *columns.ListedQuote {
		quoted := columns.ListedQuote{
			Status:  q.Status,
			Expired: columns.IsQuoteExpired(&q.Quote, q.Status, c.Now()),
			Quote:   q.Quote,
		}
		quoted.QuoteID = q.UUID
		return &quoted
	})
	quotes := newSheet("quote", append(all, columns.OpsQuotes(c.Now)...), "quoteId")
	return c.PrintParts(o, factsPart(facts), missions.tablePart(c, columns.Pointers(o.Missions)), quotes.tablePart(c, columns.Pointers(o.Quotes)))
}

// waitsForAll says of the detail who is to move next.
func waitsForAll(o *ops.Order, c *Call) string {
	n := 0
	for i := range o.Quotes {
		if o.Quotes[i].IsDecidable(c.Now()) {
			n++
		}
	}
	row := *o
	row.OpenQuotes = &n
	return columns.WaitsFor(&row)
}
