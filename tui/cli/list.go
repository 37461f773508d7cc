package cli

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
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

// noPage is all pages of a list.
const noPage = -1

// listFlags are those of the list command.
type listFlags struct {
	Of     string `flag:"of,only rows of this order, mission, endpoint, company or user; for audit also of a quote or key, for requests of a key or request ID"`
	Status string `flag:"status,only rows with this status"`
	Limit  uint   `flag:"limit,maximum number of rows; 0 for all"`
	Page   int    `flag:"page,page of records, from 0; -1 for all"`
	Since  string `flag:"since,only callbacks, requests or audit entries since this time: 2h, 7d, \"2026-12-01 09:30\""`
	Labels bool   `flag:"labels,the words and units of the app in CSV, with a byte order mark, for spreadsheets"`
	Watch  bool   `flag:"watch,repeat every 5 s until interrupted; in a pipe, print changed rows only"`

	products *choice[api.Deliverable]
}

// listing is one run of the list command.
type listing struct {
	listFlags
	*Call
}

// listKind is one kind of rows that can be listed.
type listKind struct {
	Name     string
	of       bool     // whether --of chooses rows by what they are of
	statuses []string // that --status chooses rows by
	legacy   bool     // whether the v2 API has them
	print    func(l *listing) error
}

// listKinds returns the kinds of rows that can be listed.
func listKinds() []listKind {
	return []listKind{
		{"orders", false, format.PlainTexts(api.OrderStatuses()), false, listOrders},
		{"missions", true, format.PlainTexts(api.MissionStatuses()), false, listMissions},
		{"quotes", true, format.PlainTexts(api.QuoteStatuses()), true, listQuotes},
		{"files", true, nil, false, listFiles},
		{"datasets", false, nil, true, listDatasets},
		{"endpoints", true, nil, false, listEndpoints},
		{callbacks, true, append(columns.CallbackStatuses(), columns.CallbackMissing), false, listCallbacks},
		{requests, true, requestStatuses, false, listRequests},
		{audit, true, nil, false, listAudit},
		{"records", false, format.PlainTexts(api.RecordStatuses()), true, listRecords},
	}
}

// The lists that need no key of an account.
const (
	callbacks = "callbacks"
	audit     = "audit"
	requests  = "requests"
)

// requestStatuses are statuses that the list of requests selects by: failed, or one of HTTP.
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

# what a customer's programs sent since yesterday and what failed
flightdesk list requests --of "Nordlicht Windkraft" --status failed --since 24h

# what an operations user did this week
flightdesk list audit --of "Ida Holm" --since 7d

# the second page of the completed orders of the v2 API
flightdesk list records --status completed --page 1 --limit 20`

// listHelp is the help of list after the names of the lists.
const listHelp = `, newest first, as a table, CSV, or JSON Lines (one object per line).
CSV and JSON have the field names of the service, areas in square metres, file sizes in bytes and times in RFC 3339.
With --labels CSV has the titles, words and units of the app, and times in the time zone of the profile.
--output ics writes flights, order deadlines and expiries of open quotes as a calendar. If some rows cannot be read, the others are printed, an
error says what is missing, and the exit status is 1.

--status accepts any status: statuses that are not known here can be the service's own.

list quotes without --of lists the quotes of orders that need a decision; with --status accepted, rejected or closed,
those of all orders. The JSON of files includes download links, which are valid for a day and need no key.

Endpoints can be selected with --of; callbacks with --of, --status and --since. --status missing lists the callbacks that are in no log
although their event happened, as in the app's timeline and Inspect. With the operations key, --of finds orders, missions,
endpoints and companies of every account, and JSON includes each attempt. --output wide shows all columns.

Requests are what accounts sent in the last 30 days and how it was answered, also with keys that are revoked or expired
and links that are dead, for the operations key. --of selects by order, mission, company, ending of a key or request
ID, or with "none" those of unknown keys and links; --status by failed or a status of HTTP.

The audit trail has every change made through the operations API and the use of its keys: who, from where, what and
when. It needs an admin's key. --of selects what a user did, or what happened to a user, an order, a mission, a quote, an
account with its keys, requests and endpoints, or a key, endpoint, callback or snapshot, by name, code or ID.

Records are orders as the v2 API returns them: --status is a v2 status, --file-type selects the products whose links
are included, and --page prints one page of --limit rows (10 by default).`

// listCommand prints what a profile has, of every kind.
func listCommand() *cobra.Command {
	var names []string
	for _, l := range listKinds() {
		names = append(names, l.Name)
	}
	others, last := strings.Join(names[:len(names)-1], ", "), names[len(names)-1]
	cmd := newCommand(
		"list WHAT",
		"List orders, missions, quotes, files and more",
		"Lists "+others+" or "+last+listHelp,
		listExample,
	)
	cmd.ValidArgs = names
	f := listFlags{Page: noPage}
	addFlags(cmd, &f)
	f.products = productsFlag(cmd, "products whose links are included (records)")
	outputFlag(cmd, "table", "wide", "json", "csv", "ics")
	profileFlag(cmd)
	completeFlag(cmd, "of", orders, missions, Endpoints)
	_ = cmd.RegisterFlagCompletionFunc("status", completeStatus)
	return defineCommand(cmd, func(c *Call) error {
		at := slices.Index(names, c.Args[0])
		if at < 0 {
			return wrongUsage("unknown list %q; use one of %s", c.Args[0], strings.Join(names, ", "))
		}
		what := listKinds()[at]
		if err := f.checkFlags(cmd, what, c.Output); err != nil {
			return badUsage(err)
		}
		if f.Status != "" && !slices.Contains(what.statuses, f.Status) {
			known := strings.Join(what.statuses, ", ")
			if what.Name == callbacks { // their statuses are not the service's
				return wrongUsage("%q is not a valid status of %s; use %s", format.Clean(f.Status), what.Name, known)
			}
			fmt.Fprintf(c.Trouble(), "%q is not a known status of %s, but the service may have it; known are %s\n",
				format.Clean(f.Status), what.Name, known)
		}
		look := func() error { return cmp.Or(c.Err(), what.printRows(&listing{listFlags: f, Call: c})) }
		if f.Watch {
			return c.watchRepeatedly(watchTime, look)
		}
		return look()
	})
}

// printRows connects and prints the rows.
func (k *listKind) printRows(l *listing) (err error) {
	ofOthers := []string{callbacks, audit, requests}
	if slices.Contains(ofOthers, k.Name) || k.Name == "endpoints" && l.Of != "" {
		return k.print(l)
	}
	if l.Service, err = l.Connect(); err != nil {
		return err
	}
	if k.legacy {
		err = l.MayQuote(k.Name)
	}
	if err == nil {
		err = k.print(l)
	}
	return err
}

// completeStatus completes the statuses of what is listed.
func completeStatus(
	_ *cobra.Command,
	args []string,
	_ string,
) (statuses []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, kind := range listKinds() {
		if slices.Contains(args, kind.Name) {
			statuses = kind.statuses
		}
	}
	return statuses, cobra.ShellCompDirectiveNoFileComp
}

func (f *listFlags) checkFlags(cmd *cobra.Command, what listKind, output string) error {
	for flag, kinds := range map[string]string{
		"page":      "records",
		"file-type": "records",
		"since":     "callbacks, requests and audit",
	} {
		if cmd.Flag(flag).Changed && !strings.Contains(kinds, what.Name) {
			return fmt.Errorf("--%s works only with %s, not with %s", flag, kinds, what.Name)
		}
	}
	return flagFaults{
		{f.Of != "" && !what.of, "--of cannot be used with " + what.Name},
		{f.Status != "" && what.statuses == nil, "--status cannot be used with " + what.Name},
		{f.Labels && output != "csv", "--labels works only with --output csv"},
		{output == "ics" && what.Name != "missions", "--output ics works only with missions, not with " + what.Name},
		{f.Watch && output == "ics", "--watch cannot be used with --output ics"},
		{f.Page < noPage, fmt.Sprintf("--page %d is not a valid page; the first is 0", f.Page)},
	}.check()
}

// ordersOf returns an order, or all orders, each with its missions.
func (l *listing) ordersOf() Rows[*api.Order] {
	if l.Of != "" {
		return oneRow(l.Client.Orders.Get(l, orderCode(l.Of)))
	}
	return eachOf(l.Client.Orders.All(l), func(r *api.Order) ([]api.Order, error) {
		code := cmp.Or(r.OrderCode, r.UUID)
		order, err := l.Client.Orders.Get(l, code)
		if err != nil && !api.IsPartial(err) {
			return nil, fmt.Errorf("order %s: %w", code, err)
		}
		return singleValue(order, err)
	})
}

func listOrders(l *listing) error {
	return printList(l.Call, "order", columns.Orders(nil),
		"orderCode orderName status missionCount areaSize deadline createdAt", l.allOrders())
}

// allOrders returns the orders of the account, followed by the orders that only the v2 API
// has, if the service has that API and opens it to the key.
// Deleted orders are left out unless --status asks for them.
func (l *listing) allOrders() Rows[*api.Order] {
	return func(yield func(*api.Order, error) bool) {
		known := map[string]bool{}
		for order, err := range l.Client.Orders.All(l) {
			if !yield(order, err) || err != nil {
				return
			}
			known[order.UUID], known[order.OrderCode] = true, order.OrderCode != ""
		}
		if l.LegacyBaseURL == "" {
			return
		}
		for record, err := range l.Client.Records.All(l, api.RecordListOptions{}) {
			switch {
			case isUnavailable(err):
				return
			case err != nil:
				yield(nil, fmt.Errorf("orders that only the v2 API has: %w", err))
				return
			case known[record.ID] || known[record.OrderCode]:
			case record.StageStatus() == api.RecordDeleted && l.Status != string(api.OrderDeleted):
			case !yield(cache.OrderOf(record), nil):
				return
			}
		}
	}
}

func listMissions(l *listing) error {
	if l.Output == "ics" {
		return l.printCalendar()
	}
	return printList(l.Call, "mission", columns.Missions(),
		"missionCode orderCode missionName missionType status operatorName flightDate country areaSize",
		eachOf(l.ordersOf(), missionsOf))
}

func missionsOf(order *api.Order) ([]api.Mission, error) { return order.Missions, nil }

// printCalendar writes flights, deadlines and expiries of quotes as a calendar. Quotes are
// left out if the missions are limited to a status or number.
func (l *listing) printCalendar() error {
	defer l.ShowWaiting("loading missions")()
	source := plan.Source{Now: l.Now(), Units: l.Units}
	isLimited := l.Status != "" || l.Limit > 0
	var missions []*cache.Mission
	var missing missingRows
	for order, err := range l.ordersOf() {
		if err != nil {
			if missing.add(l, err) {
				continue
			}
			break
		}
		if !isLimited {
			source.Orders = append(source.Orders, order)
		}
		for _, m := range columns.MissionsIn([]api.Order{*order}) {
			if (l.Status == "" || string(m.Status) == l.Status) && (l.Limit == 0 || len(missions) < int(l.Limit)) {
				missions = append(missions, m)
			}
		}
	}
	source.Missions = missions
	if !isLimited && l.LegacyBaseURL != "" {
		source.Quotes = l.openStandings(&missing)
	}
	events := source.Events()
	fault := missing.describe("missions", len(events) > 0)
	if fault != nil && len(events) == 0 {
		return fault
	}
	return cmp.Or(plan.WriteCalendar(l.Out(), events, l.Now(), l.Host(), l.Units), fault)
}

// openStandings returns the open quotes of the orders, none if the service has no quotes.
func (l *listing) openStandings(missing *missingRows) (standings []*quoting.OpenStanding) {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.FindRecord(l.Of))
	}
	for record, err := range records {
		if isUnavailable(err) {
			return standings
		}
		if err == nil {
			standings = append(standings, quoting.StandingOf(l.closeArchived(record), l.Now()))
			continue
		}
		if !missing.add(l, err) {
			break
		}
	}
	return standings
}

// quotesOf returns all quotes of an order, the open ones first.
func quotesOf(r *api.OrderRecord, now time.Time) (list []columns.ListedQuote) {
	set := quoting.NewSet(now, r)
	for _, o := range slices.Concat(set.Open, set.Decided) {
		list = append(list, columns.ListedQuote{
			OrderID: r.ID, OrderCode: r.OrderCode, OrderName: r.OrderName, Status: o.Status,
			Expired: columns.IsQuoteExpired(&o.Quote, o.Status, now), Quote: o.Quote,
		})
	}
	return list
}

// quoteNames are the columns of a quote in a table.
const quoteNames = "quoteId quoteName status finalPrice deliveryBy expiryDate"

func listQuotes(l *listing) error {
	records := l.quotedRecords()
	if l.Of != "" {
		records = oneRow(l.FindRecord(l.Of))
	}
	quotes := eachOf(records, func(r *api.OrderRecord) ([]columns.ListedQuote, error) {
		l.Seen.NoteRow(r)
		return quotesOf(l.closeArchived(r), l.Now()), nil
	})
	return printList(l.Call, "quote", columns.Quotes(l.Now), "order "+quoteNames, quotes)
}

// quotedRecords returns the records of the orders that need a decision, or of all orders if
// decided quotes are asked for. An archived order needs no decision, whatever its record
// says.
func (l *listing) quotedRecords() Rows[*api.OrderRecord] {
	filter := api.RecordListOptions{Status: api.RecordQuoteReceived}
	undecided := l.Status == "" || l.Status == string(api.QuoteOpen)
	if !undecided {
		filter.Status = ""
	}
	read := eachOf(l.Client.Records.All(l, filter), func(r *api.OrderRecord) ([]api.OrderRecord, error) {
		if undecided && l.isArchived(r) {
			return nil, nil
		}
		record, err := l.Client.Records.Get(l, cmp.Or(r.ID, r.OrderCode))
		if err != nil {
			return nil, fmt.Errorf("order %s: %w", cmp.Or(r.OrderCode, r.ID), err)
		}
		return singleValue(record, nil)
	})
	return func(yield func(*api.OrderRecord, error) bool) {
		for record, err := range read {
			if !yield(record, notAvailable("quotes", err)) {
				return
			}
		}
	}
}

// isArchived reports whether the public API shows the order of a record as archived.
func (c *Call) isArchived(r *api.OrderRecord) bool {
	order, err := c.Client.Orders.Get(c, cmp.Or(r.ID, r.OrderCode))
	return (err == nil || api.IsPartial(err)) && order.Status == api.OrderArchived
}

// closeArchived returns the record, without open quotes if its order is archived.
func (c *Call) closeArchived(r *api.OrderRecord) *api.OrderRecord {
	if len(r.Quotes) > 0 && c.isArchived(r) {
		return quoting.CloseArchived(r)
	}
	return r
}

func listFiles(l *listing) error {
	found := eachOf(l.ordersOf(), missionsOf)
	if code := orderCode(l.Of); strings.HasPrefix(code, "MSN-") {
		m, err := fetch.FindMission(l, l.Client, code)
		found = oneRow(&m, err)
	}
	return printList(l.Call, "file", columns.Files(),
		"missionCode orderCode version fileName fileDataType fileSize status", eachOf(found, l.filesOf))
}

// filesOf returns the files of a mission; a mission that was never flown has none. Packages
// that cannot be read do not hide the others.
func (l *listing) filesOf(m *api.Mission) (list []columns.ListedFile, err error) {
	if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
		return nil, nil
	}
	l.Seen.NoteRow(m)
	faults := &api.PartsError{}
	packages, err := l.Client.Missions.Packages(l, m.UUID)
	if err != nil {
		faults.Add(fmt.Errorf("mission %s: %w", m.MissionCode, err))
	}
	for _, pack := range packages {
		files, err := l.Client.Files.List(l, pack.UUID)
		if err != nil {
			faults.Add(fmt.Errorf("mission %s, package %s: %w", m.MissionCode, cmp.Or(pack.Name, pack.UUID), err))
		}
		for _, file := range files {
			list = append(list, columns.ListedFile{
				OrderCode: m.OrderCode, MissionCode: m.MissionCode, PackageUID: pack.UUID,
				Version: pack.Version, Package: pack.Extra, DeliveryFile: file,
			})
		}
	}
	return list, faults.ErrorOrNil()
}

func listDatasets(l *listing) error {
	return printList(l.Call, "dataset", columns.Datasets(nil),
		"id datasetName categories locationLabel dateCompleted baseFiles",
		l.Client.Library.All(l, api.DatasetListOptions{}))
}

// listEndpoints prints the endpoints of the profile's account, or of the account that --of names.
func listEndpoints(l *listing) error {
	if l.Of == "" {
		return printEndpoints(l.Call, l.Client.Webhooks.All(l))
	}
	a, err := l.ViewAccount(l.Of)
	if err != nil {
		return err
	}
	return printEndpoints(l.Call, filterRows(a.Endpoints(), func(e *api.WebhookEndpoint) bool {
		return a.Endpoint == nil || a.Endpoint.UUID == e.UUID
	}))
}

// listRecords prints orders of the v2 API, whose statuses the service chooses by.
func listRecords(l *listing) error {
	opts := api.RecordListOptions{Status: api.RecordStatus(l.Status), FileDataType: l.products.Values}
	rows := l.Client.Records.All(l, opts)
	if l.Page != noPage {
		opts.Page, opts.Limit = l.Page, int(l.Limit)
		found, err := l.Client.Records.List(l, opts)
		if err != nil {
			return err
		}
		rows = listRows(found)
	}
	return printList(l.Call, "order", columns.Records(),
		"orderCode orderName orderStatus clientName orderPrice deliveryDeadline deliveryFiles", rows)
}

// listCallbacks prints the rows of the logs of endpoints, the newest first, with the
// codes of their missions and for JSON each of their attempts, as far as these can be had.
func listCallbacks(l *listing) error {
	a, err := l.ViewAccount(l.Of)
	if err != nil {
		return err
	}
	since, err := parseSince(l.Since, a.Now())
	if err != nil {
		return err
	}
	if l.Status == columns.CallbackMissing {
		found, err := l.missingCallbacks(a, since)
		return printCallbacks(l.Call, a.Endpoint != nil, withFault(listRows(found), err))
	}
	found, missing := l.callbacksOf(a, since)
	return printCallbacks(l.Call, a.Endpoint != nil,
		eachOf(withFault(listRows(found), missing), func(c *columns.ListedCallback) ([]columns.ListedCallback, error) {
			l.Seen.NoteCode(c.OrderCode)
			if c.OrderCode != "" {
				if order, err := a.Cache.Details.AskNow(l, c.OrderCode); err == nil {
					c.MissionCode = format.ValueOf(columns.FindMission(order, c.MissionUID)).MissionCode
				}
			}
			if l.Output == "json" && a.Ops != nil {
				if h, _ := a.Cache.Operations.Histories.AskNow(l, c.UUID); h != nil {
					c.History = &columns.CallbackAttempts{NextAttemptAt: h.NextAttemptAt, Attempts: h.Attempts}
				}
			}
			return singleValue(c, l.Err())
		}),
	)
}

// callbacksOf returns the rows that are asked for, of all endpoints or one. Of each
// log no more are read than are wanted. The error says which rows could not be read.
func (l *listing) callbacksOf(
	a *viewedAccount,
	since time.Time,
) (all []columns.ListedCallback, err error) {
	var order *api.Order
	if a.Of.Order != "" {
		order, err = a.Cache.Details.AskNow(l, a.Of.Order)
		if err != nil && !api.IsPartial(err) {
			return nil, err
		}
	}
	var missing missingRows
	for e, err := range a.Endpoints() {
		if err != nil {
			missing.add(l, err)
			break
		}
		if a.Endpoint != nil && e.UUID != a.Endpoint.UUID {
			continue
		}
		rows, err := l.readLog(a, e, order, since)
		all = append(all, rows...)
		if err != nil && !missing.add(l, fmt.Errorf("endpoint %s: %w", cmp.Or(e.URL, e.UUID), err)) {
			break
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].CreatedAt.After(all[j].CreatedAt.Time) })
	return all, missing.describe("callbacks", false)
}

// readLog returns the rows of an endpoint's log that are asked for. Rows that were read
// before an error are returned with it.
func (l *listing) readLog(
	a *viewedAccount, e *api.WebhookEndpoint, order *api.Order, since time.Time,
) (rows []columns.ListedCallback, err error) {
	isEnough := func(d *api.WebhookDelivery) bool {
		return l.Limit > 0 && len(rows) == int(l.Limit) || !d.CreatedAt.IsZero() && d.CreatedAt.Before(since)
	}
	for d, err := range rowsUntil(a.Log(e.UUID), isEnough) {
		if err != nil {
			return rows, err
		}
		if l.isWanted(a, order, d) {
			rows = append(rows, columns.ListedCallback{EndpointUID: e.UUID, EndpointURL: e.URL, WebhookDelivery: *d})
		}
	}
	return rows, nil
}

// isWanted reports whether a callback has the status that is asked for, and is about the order or mission.
func (l *listing) isWanted(a *viewedAccount, order *api.Order, d *api.WebhookDelivery) bool {
	switch {
	case l.Status != "" && columns.CallbackStatus(d) != l.Status:
		return false
	case a.Of.Mission != "":
		return d.MissionUID == a.Of.Mission
	case order != nil && d.MissionUID != "":
		return columns.FindMission(order, d.MissionUID) != nil
	}
	return order == nil || d.OrderCode == order.OrderCode
}

// rowsUntil returns the rows before the first that ends them.
func rowsUntil[T any](all Rows[T], ends func(T) bool) Rows[T] {
	return func(yield func(T, error) bool) {
		for row, err := range all {
			if err == nil && ends(row) || !yield(row, err) {
				return
			}
		}
	}
}
