package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// allPages is the value of --page that selects all pages.
const allPages = -1

type listFlags struct {
	Of     string `flag:"of,only rows of this order, mission, endpoint, company or user; for audit also of a quote or key, for requests of a key or request ID"`
	Status string `flag:"status,only rows with this status"`
	Limit  uint   `flag:"limit,maximum number of rows; 0 for all"`
	Page   int    `flag:"page,page of records, from 0; -1 for all"`
	Since  string `flag:"since,only callbacks, notices, requests or audit entries since this time: 2h, 7d, \"2026-12-01 09:30\""`
	Labels bool   `flag:"labels,the words and units of the app in CSV, with a byte order mark, for spreadsheets"`
	Watch  bool   `flag:"watch,repeat every few seconds until interrupted; in a pipe, print changed rows only"`

	products *choice[api.Deliverable]
}

// listing is one run of the list command.
type listing struct {
	listFlags
	call *Call
	kind *listKind
}

// listKind is a kind of rows that can be listed, such as orders.
type listKind struct {
	Name     string
	takesOf  bool     // whether --of can be used
	statuses []string // known values of --status; nil if --status cannot be used
	labels   []string // labels that --status accepts as well
	isLegacy bool     // whether the rows are read from the v2 API
	print    func(l *listing) error
}

// listKinds returns the kinds of rows that can be listed, in the order of the help.
func listKinds() []listKind {
	return []listKind{
		{
			Name: "orders", print: listOrders,
			statuses: format.PlainTexts(api.OrderStatuses()), labels: orderLabels(),
		},
		{
			Name: "missions", print: listMissions, takesOf: true,
			statuses: format.PlainTexts(api.MissionStatuses()), labels: missionLabels(),
		},
		{
			Name: "quotes", print: listQuotes, takesOf: true, isLegacy: true,
			statuses: format.PlainTexts(api.QuoteStatuses()), labels: quoteLabels(),
		},
		{Name: "files", print: listFiles, takesOf: true},
		{Name: "datasets", print: listDatasets, isLegacy: true},
		{Name: "endpoints", print: listEndpoints, takesOf: true},
		{
			Name: callbacks, print: listCallbacks, takesOf: true,
			statuses: append(columns.CallbackStatuses(), columns.CallbackMissing),
		},
		{Name: notices, print: listNotices, takesOf: true, statuses: columns.CallbackStatuses()},
		{Name: requests, print: listRequests, takesOf: true, statuses: requestStatuses},
		{Name: audit, print: listAudit, takesOf: true},
		{
			Name: "records", print: listRecords, isLegacy: true,
			statuses: format.PlainTexts(api.RecordStatuses()), labels: recordLabels(),
		},
	}
}

// The lists that do not need the key of an account.
const (
	callbacks = "callbacks"
	notices   = "notices"
	audit     = "audit"
	requests  = "requests"
)

// requestStatuses are the known values of --status for requests: failed, or an HTTP status.
var requestStatuses = []string{failedRequests, "200", "201", "400", "401", "403", "404", "409", "429", "499", "500", "503"}

const listExample = `# all orders
flightdesk list orders

# scheduled flights, for a spreadsheet
flightdesk list missions --status flightScheduled --output csv > flights.csv

# orders for a spreadsheet, with the words of the app
flightdesk list orders --output csv --labels > orders.csv

# flights, deadlines and expiries of quotes, for a calendar
flightdesk list missions --output ics > flights.ics

# missions whose quotes you can decide
flightdesk list missions --status "quotes ready"

# the quotes of one order, for programs
flightdesk list quotes --of ORD-1042 --output json

# the last 20 callbacks of all endpoints
flightdesk list callbacks --limit 20

# failed callbacks of an order since yesterday; with the operations key, each attempt
flightdesk list callbacks --of ORD-1042 --status failed --since 24h --output json

# the endpoints of another account, with the operations key
flightdesk list endpoints --of "Nordwind AG"

# events that an endpoint should have received and that are not in its log
flightdesk list callbacks --of ORD-1042 --status missing

# e-mails and webhooks about completed orders that failed, with the reason
flightdesk list notices --of "Nordlicht Windkraft" --status failed

# what a customer's programs sent since yesterday and what failed
flightdesk list requests --of "Nordlicht Windkraft" --status failed --since 24h

# what an operations user did this week
flightdesk list audit --of "Ida Holm" --since 7d

# the second page of the completed orders of the v2 API
flightdesk list records --status completed --page 1 --limit 20`

// listHelp is the help text of the list command. The names of the kinds of rows are put in front of it.
const listHelp = `, newest first, as a table, CSV, or JSON Lines (one object per line).
CSV and JSON have the field names of the service, areas in square metres, file sizes in bytes and times in RFC 3339.
With --labels CSV has the titles, words and units of the app, and times in the time zone of the profile.
--output ics writes flights, order deadlines and expiries of open quotes as a calendar. If some rows cannot be read, the others are printed, an
error says what is missing, and the exit status is 1.

--status accepts a status of the service, such as awaitingPilot, or the words of the table, such as "quotes ready". A
mission of an order without an accepted quote has the status of the order in tables, and is awaitingPilot for programs.
The service can have statuses that are not known here; only those of callbacks, notices and requests are fixed.

list quotes without --of lists the quotes of orders that need a decision; with --status accepted, rejected or closed,
those of all orders. The JSON of files includes download links, which are valid for a day and need no key.

Endpoints can be selected with --of; callbacks with --of, --status and --since. --status missing lists the callbacks that are in no log
although their event happened, as in the app's timeline and Inspect. With the operations key, --of finds orders, missions,
endpoints and companies of every account, and JSON includes each attempt. --output wide shows all columns.

Notices are the e-mails and webhooks to a client about a completed order, delivered or failed, for the operations key. --of names the
account or the order; --status and --since select.

Requests are those of accounts that the service has in its log, with their responses, also with keys that are revoked or expired
and links that are dead, for the operations key. --of selects by order, mission, company, ending of a key or request
ID, or with "none" those of unknown keys and links; --status by failed or an HTTP status.

The audit trail has every change made through the operations API and the use of its keys: who, from where, what and
when. It needs an admin's key. --of selects what a user did, or what happened to a user, an order, a mission, a quote, an
account with its keys, requests and endpoints, or a key, endpoint, callback or snapshot, by name, code or ID.

Records are orders as the v2 API returns them: --status is a v2 status, --file-type selects the products whose links
are included, and --page prints one page of --limit rows (10 by default).`

// listCommand returns the command that lists orders and other rows.
func listCommand() *cobra.Command {
	var names []string
	for _, l := range listKinds() {
		names = append(names, l.Name)
	}
	others := strings.Join(names[:len(names)-1], ", ")
	last := names[len(names)-1]
	cmd := &cobra.Command{
		Use:     "list WHAT",
		Short:   "List orders, missions, quotes, files and more",
		Long:    "Lists " + others + " or " + last + listHelp,
		Example: listExample,
	}
	cmd.ValidArgs = names
	f := listFlags{Page: allPages}
	addFlags(cmd, &f)
	f.products = productsFlag(cmd, "products whose links are included (records)")
	outputFlag(cmd, "table", "wide", "json", "csv", "ics")
	profileFlag(cmd)
	completeFlag(cmd, "of", kindOrder, kindMission, kindEndpoint)
	_ = cmd.RegisterFlagCompletionFunc("status", completeStatus)
	return defineCommand(cmd, func(c *Call) error { return f.runList(c, names) })
}

// runList checks the flags and prints the rows of the kind in the argument, repeatedly with --watch. names are
// the names of the kinds.
func (f *listFlags) runList(c *Call, names []string) error {
	index := slices.Index(names, c.Args[0])
	if index < 0 {
		return wrongUsage("unknown list %q; use one of %s", c.Args[0], strings.Join(names, ", "))
	}
	kind := listKinds()[index]
	if err := f.checkFlags(c.Cmd, kind, c.Output); err != nil {
		return badUsage(err)
	}
	if err := f.checkStatus(c, kind); err != nil {
		return err
	}
	printOnce := func() error {
		if err := c.Err(); err != nil {
			return err
		}
		return kind.connectAndPrint(&listing{listFlags: *f, call: c, kind: &kind})
	}
	if f.Watch {
		return c.watchRepeatedly(watchInterval, printOnce)
	}
	return printOnce()
}

// checkStatus prints a warning if the value of --status is unknown, because the service can have
// statuses that this program does not know. For callbacks, notices and requests it returns an error, because this
// program determines their statuses.
func (f *listFlags) checkStatus(c *Call, kind listKind) error {
	if f.Status == "" || slices.Contains(kind.statuses, f.Status) || isLabel(f.Status, kind.labels) {
		return nil
	}
	known := strings.Join(kind.statuses, ", ")
	if kind.Name == requests {
		if _, err := strconv.Atoi(f.Status); err != nil {
			return wrongUsage("%q is not a valid status of requests; use %s or an HTTP status",
				format.Clean(f.Status), failedRequests)
		}
		return nil
	}
	if kind.Name == callbacks || kind.Name == notices {
		return wrongUsage("%q is not a valid status of %s; use %s", format.Clean(f.Status), kind.Name, known)
	}
	fmt.Fprintf(c.Stderr(), "%q is not a known status of %s, but the service may have it; known are %s\n",
		format.Clean(f.Status), kind.Name, known)
	return nil
}

// connectAndPrint connects with the key of an account and prints the rows of the kind. Kinds that can be
// listed without that key are not connected here; their print functions connect.
func (k *listKind) connectAndPrint(l *listing) error {
	connectsItself := slices.Contains([]string{callbacks, notices, audit, requests}, k.Name) ||
		k.Name == "endpoints" && l.Of != ""
	if connectsItself {
		return k.print(l)
	}
	service, err := l.call.Connect()
	if err != nil {
		return err
	}
	l.call.Service = service
	if k.isLegacy {
		if err := l.call.Service.CheckHasV2(k.Name); err != nil {
			return err
		}
	}
	return k.print(l)
}

// completeStatus completes --status with the known statuses of the kind in the arguments.
func completeStatus(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	for _, kind := range listKinds() {
		if slices.Contains(args, kind.Name) {
			return kind.statuses, cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// checkFlags returns an error if a flag cannot be used with a kind of rows, or if flags contradict each
// other.
func (f *listFlags) checkFlags(cmd *cobra.Command, kind listKind, output string) error {
	isRecords := kind.Name == "records"
	isDated := slices.Contains([]string{callbacks, notices, requests, audit}, kind.Name)
	return flagRules{
		{cmd.Flag("page").Changed && !isRecords, "--page works only with records, not with " + kind.Name},
		{cmd.Flag("file-type").Changed && !isRecords, "--file-type works only with records, not with " + kind.Name},
		{
			cmd.Flag("since").Changed && !isDated,
			"--since works only with callbacks, notices, requests and audit, not with " + kind.Name,
		},
		{f.Of != "" && !kind.takesOf, "--of cannot be used with " + kind.Name},
		{
			f.Of != "" && strings.TrimSpace(f.Of) == "",
			"--of is blank; name what to list by, or omit it to list everything",
		},
		{f.Status != "" && kind.statuses == nil, "--status cannot be used with " + kind.Name},
		{f.Labels && output != "csv", "--labels works only with --output csv"},
		{output == "ics" && kind.Name != "missions", "--output ics works only with missions, not with " + kind.Name},
		{f.Watch && output == "ics", "--watch cannot be used with --output ics"},
		{f.Page < allPages, fmt.Sprintf("--page %d is not a valid page; the first is 0", f.Page)},
	}.check()
}

// listEndpoints prints the endpoints of the profile's account. With --of, it prints the named endpoint only,
// or the endpoints of the account that has the named order, mission or company.
func listEndpoints(l *listing) error {
	if l.Of == "" {
		return printEndpoints(l.call, l.call.Service.Client.Webhooks.All(l.call))
	}
	a, err := l.call.ViewAccount(l.Of)
	if err != nil {
		return err
	}
	return printEndpoints(l.call, a.SelectedEndpoints())
}

// listRecords prints orders of the v2 API. The service selects them by --status.
func listRecords(l *listing) error {
	opts := api.RecordListOptions{Status: recordStatusOf(l.Status), FileDataType: l.products.Values}
	rows := l.call.Service.Client.Records.All(l.call, opts)
	if l.Page != allPages {
		opts.Page = l.Page
		opts.Limit = int(l.Limit)
		found, err := l.call.Service.Client.Records.List(l.call, opts)
		if err != nil {
			return err
		}
		rows = listRows(found)
	}
	return printFormattedRows(l.call, "order", columns.Records(l.quotes()),
		"orderCode orderName orderStatus clientName orderPrice deliveryDeadline deliveryFiles", rows)
}
