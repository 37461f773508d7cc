package cli

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
)

// allPages is the value of --page that selects all pages.
const allPages = -1

// listFlags are the flags of the list command.
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
}

// listKind is a kind of rows that can be listed, such as orders.
type listKind struct {
	Name     string
	takesOf  bool     // whether --of can be used
	statuses []string // known values of --status; nil if --status cannot be used
	isLegacy bool     // whether the rows are read from the v2 API
	print    func(l *listing) error
}

// listKinds returns the kinds of rows that can be listed, in the order of the help.
func listKinds() []listKind {
	return []listKind{
		{Name: "orders", print: listOrders, statuses: format.PlainTexts(api.OrderStatuses())},
		{Name: "missions", print: listMissions, takesOf: true, statuses: format.PlainTexts(api.MissionStatuses())},
		{Name: "quotes", print: listQuotes, takesOf: true, statuses: format.PlainTexts(api.QuoteStatuses()), isLegacy: true},
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
		{Name: "records", print: listRecords, statuses: format.PlainTexts(api.RecordStatuses()), isLegacy: true},
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

// listHelp is the help of list behind the names of the kinds.
const listHelp = `, newest first, as a table, CSV, or JSON Lines (one object per line).
CSV and JSON have the field names of the service, areas in square metres, file sizes in bytes and times in RFC 3339.
With --labels CSV has the titles, words and units of the app, and times in the time zone of the profile.
--output ics writes flights, order deadlines and expiries of open quotes as a calendar. If some rows cannot be read, the others are printed, an
error says what is missing, and the exit status is 1.

--status accepts any status, because the service can have statuses that are not known here; only those of callbacks,
notices and requests are fixed.

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
		return kind.connectAndPrint(&listing{listFlags: *f, call: c})
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
	if f.Status == "" || slices.Contains(kind.statuses, f.Status) {
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

// ordersOf returns the order of --of or, without --of, all orders, with their missions.
func (l *listing) ordersOf() Rows[*api.Order] {
	if l.Of != "" {
		return oneRow(l.call.Service.Client.Orders.Get(l.call, orderCode(l.Of)))
	}
	return eachOf(l.call.Service.Client.Orders.All(l.call), func(r *api.Order) ([]api.Order, error) {
		code := cmp.Or(r.OrderCode, r.UUID)
		order, err := l.call.Service.Client.Orders.Get(l.call, code)
		if err != nil && !api.IsPartial(err) {
			return nil, fmt.Errorf("order %s: %w", code, err)
		}
		return singleValue(order, err)
	})
}

func listOrders(l *listing) error {
	return printFormattedRows(l.call, "order", columns.Orders(nil),
		"orderCode orderName status missionCount areaSize deadline createdAt", l.allOrders())
}

// allOrders returns the orders of the account, followed by the orders that only the v2 API has, if the
// service has that API and the key can use it. Deleted orders are left out, unless --status selects
// them.
func (l *listing) allOrders() Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		listed := map[string]bool{} // IDs and codes of the orders that were yielded
		for order, err := range l.call.Service.Client.Orders.All(l.call) {
			if !yield(order, err) || err != nil {
				return
			}
			listed[order.UUID] = true
			if order.OrderCode != "" {
				listed[order.OrderCode] = true
			}
		}
		if l.call.Service.LegacyBaseURL == "" {
			return
		}
		for order, err := range l.legacyOrders(listed) {
			if !yield(order, err) {
				return
			}
		}
	}
}

// legacyOrders returns the orders of the v2 API, without the orders whose ID or code is in knownNames. It
// returns nothing if the service does not have that API.
func (l *listing) legacyOrders(knownNames map[string]bool) Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		for record, err := range l.call.Service.Client.Records.All(l.call, api.RecordListOptions{}) {
			if isUnavailable(err) {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("orders that only the v2 API has: %w", err))
				return
			}
			isKnown := knownNames[record.ID] || knownNames[record.OrderCode]
			isHidden := record.StageStatus() == api.RecordDeleted && l.Status != string(api.OrderDeleted)
			if isKnown || isHidden {
				continue
			}
			if !yield(cache.OrderOf(record), nil) {
				return
			}
		}
	}
}

func listMissions(l *listing) error {
	if l.call.Output == "ics" {
		return l.printCalendar()
	}
	return printFormattedRows(l.call, "mission", columns.Missions(),
		"missionCode orderCode missionName missionType status operatorName flightDate country areaSize",
		eachOf(l.ordersOf(), missionsOf))
}

func missionsOf(order *api.Order) ([]api.Mission, error) { return order.Missions, nil }

// printCalendar writes flights, deadlines and expiries of quotes as a calendar.
func (l *listing) printCalendar() error {
	stopWaiting := l.call.ShowWaiting("loading missions")
	defer stopWaiting()
	var missing missingRows // of orders and quotes
	source := l.loadCalendar(&missing)
	events := source.Events()
	if len(events) == 0 {
		// An empty calendar would hide that the events could not be read, so none is written.
		if err := missing.describe(); err != nil {
			return err
		}
	}
	s := l.call.Service
	if err := plan.WriteCalendar(l.call.Out(), events, s.Now(), s.Host(), s.Units); err != nil {
		return err
	}
	return missing.describeIncomplete("missions")
}

// loadCalendar reads what the calendar shows. If --status or --limit selects missions, the calendar has only the
// flights of these missions and the deadlines of their orders. It adds the errors of orders and quotes that cannot
// be read to the missing rows.
func (l *listing) loadCalendar(missing *missingRows) plan.Source {
	s := l.call.Service
	source := plan.Source{Now: s.Now(), Units: s.Units}
	orders := l.loadOrders(missing)
	source.Missions = l.selectMissions(orders)
	isLimited := l.Status != "" || l.Limit > 0
	if isLimited {
		return source
	}
	source.Orders = orders
	if s.LegacyBaseURL != "" {
		source.Quotes = l.loadOpenQuotes(missing)
	}
	return source
}

// loadOrders returns the orders of --of that can be read. It adds the errors of the other orders to the
// missing rows.
func (l *listing) loadOrders(missing *missingRows) []*api.Order {
	var orders []*api.Order
	for order, err := range l.ordersOf() {
		if err == nil {
			orders = append(orders, order)
			continue
		}
		missing.addFault(err)
		if !missing.canContinue(l.call, err) {
			break
		}
	}
	return orders
}

// selectMissions returns the missions of orders that have the status of --status, at most --limit
// missions.
func (l *listing) selectMissions(orders []*api.Order) []*cache.Mission {
	var missions []*cache.Mission
	for _, order := range orders {
		for _, mission := range columns.MissionsIn([]api.Order{*order}) {
			if l.Limit > 0 && len(missions) == int(l.Limit) {
				return missions
			}
			if l.Status == "" || string(mission.Status) == l.Status {
				missions = append(missions, mission)
			}
		}
	}
	return missions
}

// loadOpenQuotes returns the open quotes of each order, or nothing if the service has no quotes. It adds the
// errors of orders that cannot be read to the missing rows.
func (l *listing) loadOpenQuotes(missing *missingRows) []*quoting.OpenStanding {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.call.FindRecord(l.Of))
	}
	var standings []*quoting.OpenStanding
	for record, err := range records {
		if isUnavailable(err) {
			return standings
		}
		if err == nil {
			standings = append(standings, quoting.StandingOf(l.call.closeArchived(record), l.call.Service.Now()))
			continue
		}
		missing.addFault(err)
		if !missing.canContinue(l.call, err) {
			break
		}
	}
	return standings
}

// quotesOf returns all quotes of an order, starting with the open quotes.
func quotesOf(r *api.OrderRecord, now time.Time) []columns.ListedQuote {
	var list []columns.ListedQuote
	set := quoting.NewSet(now, r)
	for _, offer := range slices.Concat(set.Open, set.Decided) {
		list = append(list, columns.ListedQuote{
			OrderID:   r.ID,
			OrderCode: r.OrderCode,
			OrderName: r.OrderName,
			Status:    offer.Status,
			Expired:   columns.IsQuoteExpired(&offer.Quote, offer.Status, now),
			Quote:     offer.Quote,
		})
	}
	return list
}

// quoteNames are the names of the columns of a quote in a table.
const quoteNames = "quoteId quoteName status finalPrice deliveryBy expiryDate"

func listQuotes(l *listing) error {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.call.FindRecord(l.Of))
	}
	quotes := eachOf(records, func(r *api.OrderRecord) ([]columns.ListedQuote, error) {
		l.call.Names.AddRow(r)
		return quotesOf(l.call.closeArchived(r), l.call.Service.Now()), nil
	})
	sheet := newSheet("quote", columns.Quotes(l.call.Service.Now), "order "+quoteNames)
	if l.Of == "" && l.Status == "" {
		sheet.Nothing = "no quotes of orders that need a decision"
	} else {
		sheet.Nothing = "no matching quotes"
	}
	return printSheet(l.call, sheet, quotes)
}

// quotedRecords returns the v2 records of the orders that need a decision on a quote, or of
// all orders if --status asks for decided quotes. Archived orders need no decision, even if
// their record still has open quotes.
func (l *listing) quotedRecords() Rows[*api.OrderRecord] {
	needsDecision := l.Status == "" || l.Status == string(api.QuoteOpen)
	filter := api.RecordListOptions{}
	if needsDecision {
		filter.Status = api.RecordQuoteReceived
	}
	listed := l.call.Service.Client.Records.All(l.call, filter)
	records := eachOf(listed, func(r *api.OrderRecord) ([]api.OrderRecord, error) {
		if needsDecision && l.call.isArchived(r) {
			return nil, nil
		}
		return l.readQuotedRecord(r)
	})
	return func(yield func(*api.OrderRecord, error) bool) {
		for record, err := range records {
			if err != nil {
				err = explainUnavailable("quotes", err)
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// readQuotedRecord reads the record of a listed order, which has the quotes.
func (l *listing) readQuotedRecord(listed *api.OrderRecord) ([]api.OrderRecord, error) {
	// The service finds a record by its ID or its code. People know the code.
	id := cmp.Or(listed.ID, listed.OrderCode)
	name := cmp.Or(listed.OrderCode, listed.ID)
	record, err := l.call.Service.Client.Records.Get(l.call, id)
	if err != nil {
		return nil, fmt.Errorf("order %s: %w", name, err)
	}
	return []api.OrderRecord{*record}, nil
}

// isArchived reports whether the order of a v2 record is archived in the public API.
func (c *Call) isArchived(r *api.OrderRecord) bool {
	order, err := c.Service.Client.Orders.Get(c, cmp.Or(r.OrderCode, r.ID))
	return (err == nil || api.IsPartial(err)) && order.Status == api.OrderArchived
}

// closeArchived returns the record of an order. If the order is archived, it returns a copy of the record in
// which no quotes are open.
func (c *Call) closeArchived(r *api.OrderRecord) *api.OrderRecord {
	if len(r.Quotes) > 0 && c.isArchived(r) {
		return quoting.CloseArchived(r)
	}
	return r
}

func listFiles(l *listing) error {
	missions := eachOf(l.ordersOf(), missionsOf)
	code := orderCode(l.Of)
	if strings.HasPrefix(code, "MSN-") {
		mission, err := fetch.FindMission(l.call, l.call.Service.Client, code)
		missions = oneRow(&mission, err)
	}
	return printFormattedRows(l.call, "file", columns.Files(),
		"missionCode orderCode version fileName fileDataType fileSize status", eachOf(missions, l.filesOf))
}

// filesOf returns the files in the packages of a mission, or none if no flight of the mission
// is scheduled yet. If some packages cannot be read, it returns the files of the others and an
// error.
func (l *listing) filesOf(m *api.Mission) ([]columns.ListedFile, error) {
	if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
		return nil, nil
	}
	l.call.Names.AddRow(m)
	unread := &api.PartsError{}
	packages, err := l.call.Service.Client.Missions.Packages(l.call, m.UUID)
	if err != nil {
		unread.Add(fmt.Errorf("mission %s: %w", m.MissionCode, err))
	}
	var list []columns.ListedFile
	for _, pack := range packages {
		files, err := l.filesIn(m, &pack)
		if err != nil {
			unread.Add(fmt.Errorf("mission %s, package %s: %w", m.MissionCode, cmp.Or(pack.Name, pack.UUID), err))
		}
		list = append(list, files...)
	}
	return list, unread.ErrorOrNil()
}

// filesIn returns the files in a package of a mission. If some files cannot be read, it returns the others and an
// error.
func (l *listing) filesIn(m *api.Mission, pack *api.DeliveryPackage) ([]columns.ListedFile, error) {
	files, err := l.call.Service.Client.Files.List(l.call, pack.UUID)
	var listed []columns.ListedFile
	for _, file := range files {
		listed = append(listed, columns.ListedFile{
			OrderCode:    m.OrderCode,
			MissionCode:  m.MissionCode,
			PackageUID:   pack.UUID,
			Version:      pack.Version,
			Package:      pack.Extra,
			DeliveryFile: file,
		})
	}
	return listed, err
}

func listDatasets(l *listing) error {
	return printFormattedRows(l.call, "dataset", columns.Datasets(nil),
		"id datasetName categories locationLabel dateCompleted baseFiles",
		l.call.Service.Client.Library.All(l.call, api.DatasetListOptions{}))
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
	opts := api.RecordListOptions{Status: api.RecordStatus(l.Status), FileDataType: l.products.Values}
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
	return printFormattedRows(l.call, "order", columns.Records(),
		"orderCode orderName orderStatus clientName orderPrice deliveryDeadline deliveryFiles", rows)
}

// listCallbacks prints the callbacks in the logs of endpoints, newest first. With --status missing, it prints
// the callbacks that should be in a log and are in none.
func listCallbacks(l *listing) error {
	a, err := l.call.ViewAccount(l.Of)
	if err != nil {
		return err
	}
	since, err := parseSince(l.Since, a.call.Service.Now())
	if err != nil {
		return err
	}
	var rows Rows[*columns.ListedCallback]
	if l.Status == columns.CallbackMissing {
		found, err := l.missingCallbacks(a, since)
		rows = appendError(listRows(found), err)
	} else {
		found, err := l.callbacksOf(a, since)
		rows = l.withCallbackDetails(a, appendError(listRows(found), err))
	}
	isOneEndpoint := a.Endpoint != nil
	return printCallbacks(l.call, isOneEndpoint, rows)
}

// withCallbackDetails returns the callbacks with their details; see addCallbackDetails.
func (l *listing) withCallbackDetails(
	a *accountView, callbacks Rows[*columns.ListedCallback],
) Rows[*columns.ListedCallback] {
	return eachOf(callbacks, func(callback *columns.ListedCallback) ([]columns.ListedCallback, error) {
		l.addCallbackDetails(a, callback)
		return singleValue(callback, l.call.Err())
	})
}

// addCallbackDetails adds the code of the mission to a callback. For JSON, it also adds the attempts to send
// the callback, if the profile has a key of the operations API. Details that cannot be read stay empty.
func (l *listing) addCallbackDetails(a *accountView, callback *columns.ListedCallback) {
	l.call.Names.AddCodes(callback.OrderCode)
	if callback.OrderCode != "" {
		order, err := a.Cache.Details.LoadNow(l.call, callback.OrderCode)
		if err == nil {
			mission := columns.FindMission(order, callback.MissionUID)
			callback.MissionCode = format.ValueOf(mission).MissionCode
		}
	}
	if l.call.Output != "json" || a.call.Service.Ops == nil {
		return
	}
	history, _ := a.Cache.Operations.Histories.LoadNow(l.call, callback.UUID)
	if history != nil {
		callback.History = &columns.CallbackAttempts{
			NextAttemptAt: history.NextAttemptAt,
			Attempts:      history.Attempts,
		}
	}
}

// callbacksOf returns the callbacks that the flags select from the logs of the account's
// endpoints, newest first. It reads each log only as far as needed. If some callbacks cannot be
// read, it returns the others and an error.
func (l *listing) callbacksOf(a *accountView, since time.Time) ([]columns.ListedCallback, error) {
	order, err := l.loadSubjectOrder(a)
	if err != nil {
		return nil, err
	}
	var all []columns.ListedCallback
	var missing missingRows
	for endpoint, endpointErr := range a.SelectedEndpoints() {
		if endpointErr != nil {
			missing.addFault(endpointErr)
			break
		}
		rows, logErr := l.readLog(a, endpoint, order, since)
		all = append(all, rows...)
		logErr = prefixError("endpoint "+cmp.Or(endpoint.URL, endpoint.UUID), logErr)
		if logErr != nil {
			missing.addFault(logErr)
		}
		if logErr != nil && !missing.canContinue(l.call, logErr) {
			break
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].CreatedAt.After(all[j].CreatedAt.Time) })
	return all, missing.describe()
}

// loadSubjectOrder returns the order of --of, or nil if --of names no order. The order may lack missions that
// could not be read.
func (l *listing) loadSubjectOrder(a *accountView) (*api.Order, error) {
	if a.Subject.Order == "" {
		return nil, nil
	}
	order, err := a.Cache.Details.LoadNow(l.call, a.Subject.Order)
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return order, nil
}

// readLog returns the callbacks that the flags select from the log of an endpoint. If an error ends the
// log early, it also returns the callbacks before the error. order is the order of --of, or nil.
func (l *listing) readLog(
	a *accountView, e *api.WebhookEndpoint, order *api.Order, since time.Time,
) ([]columns.ListedCallback, error) {
	var rows []columns.ListedCallback
	isEnd := func(d *api.WebhookDelivery) bool {
		isLimit := l.Limit > 0 && len(rows) == int(l.Limit)
		isTooOld := !d.CreatedAt.IsZero() && d.CreatedAt.Before(since)
		return isLimit || isTooOld
	}
	for d, err := range rowsUntil(a.Log(e.UUID), isEnd) {
		if err != nil {
			return rows, err
		}
		if l.isWanted(a, order, d) {
			rows = append(rows, columns.ListedCallback{EndpointUID: e.UUID, EndpointURL: e.URL, WebhookDelivery: *d})
		}
	}
	return rows, nil
}

// isWanted reports whether a callback has the status of --status and is about the mission or order of
// --of.
func (l *listing) isWanted(a *accountView, order *api.Order, d *api.WebhookDelivery) bool {
	if l.Status != "" && columns.CallbackStatus(d) != l.Status {
		return false
	}
	if a.Subject.Mission != "" {
		return d.MissionUID == a.Subject.Mission
	}
	if order == nil {
		return true
	}
	if d.MissionUID != "" {
		return columns.FindMission(order, d.MissionUID) != nil
	}
	return d.OrderCode == order.OrderCode
}

// rowsUntil returns the rows before the first row for which isEnd is true.
func rowsUntil[T any](rows Rows[T], isEnd func(T) bool) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			if err == nil && isEnd(row) {
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
