package operations

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// newAccountList returns the list of the service's accounts.
func newAccountList(d *paneTools) *page.List[*ops.Account] {
	create := func(*ops.Account) tea.Cmd {
		return d.requests.openCommand(commands.CreateAccount(&ops.AccountInput{Currency: "EUR"}), requestSubject{})
	}
	subject := func(a *ops.Account) inspectSubject { return inspectSubject{account: a.UUID} }
	cols := columns.Accounts()
	for i := range cols {
		if cols[i].MachineName() == "clientEmail" {
			cols[i].Width = 40 // an address that is cut is of no use; the details have it too
		}
	}
	return newListPane(d, page.CachedSource(d.cache.Accounts, cache.Account), page.ListOptions[*ops.Account]{
		Example:  "currency:EUR or wind",
		Singular: "account",
		Scope:    action.OpsAccounts,
		Columns:  cols,
		Layout:   page.ListLayout{MinDetailWidth: minItemDetails},
		Details:  d.describeAccount,
		Needs:    d.accountNeeds,
		Open:     func(a *ops.Account) tea.Cmd { return d.env.Nav.Open(newAccountPage(d, a)) },
		Empty:    "No accounts yet.\nOpen an account to issue its keys.",
		Keys:     []page.RowKey{{Action: action.NewAccount, Text: "create an account"}},
		Actions: []page.Action[*ops.Account]{
			{ID: action.NewAccount, NeedsNoRow: true, Do: create},
			{ID: action.ChangeAccount, Do: d.changeAccount},
		},
	}, subject)
}

// accountNeeds returns the data that the details of an account need: its keys, its endpoints and the tasks.
func (d *paneTools) accountNeeds(a *ops.Account) []cache.Need {
	needs := []cache.Need{d.cache.Keys.NeedOf(a.UUID), d.cache.Endpoints.NeedOf(a.UUID)}
	return append(needs, d.work.workNeeds(0)...)
}

// describeAccount returns the details of an account: its contact, what Operations has to do for it, its orders in
// progress, its keys and its endpoints.
func (d *paneTools) describeAccount(a *ops.Account) page.RowDetails {
	now := d.env.Clock.Now()
	facts := widget.Texts(
		"Contact", a.ClientName,
		"E-mail", a.ClientEmail,
		"Currency", a.Currency,
		"Since", format.Day(a.CreatedAt.Time, now),
	)
	facts = append(facts, d.taskFacts(a)...)
	keys, keysState := d.cache.Keys.Get(a.UUID)
	if !keysState.ReadAt.IsZero() {
		facts = append(facts, widget.Text("Keys", describeKeys(keys.Items, now)))
	}
	endpoints, endpointsState := d.cache.Endpoints.Get(a.UUID)
	if !endpointsState.ReadAt.IsZero() {
		facts = append(facts, endpointFact(endpoints.Items))
	}
	return page.RowDetails{Title: a.CompanyName, Facts: facts}
}

// taskFacts returns the numbers of an account's open tasks, of its pending key requests and of its orders in progress.
// If the orders are not loaded, the last fact is "loading…" or the error, so that no zero is shown by mistake.
func (d *paneTools) taskFacts(a *ops.Account) []widget.Fact {
	work := d.work.readWork()
	open := openTasksOf(work.Rows, a)
	requests := d.keyRequestFacts(a)
	areLoaded := !work.At.IsZero() && work.Err == nil
	var facts []widget.Fact
	if len(open) > 0 || areLoaded {
		facts = append(facts, openTasksFact(open))
	}
	facts = append(facts, requests...)
	switch {
	case work.Err != nil:
		return append(facts, widget.Toned("Orders", "! "+format.FaultText(work.Err), theme.Bad))
	case !areLoaded:
		return append(facts, widget.Toned("Orders", "loading…", theme.Muted))
	default:
		return append(facts, widget.Text("Orders", d.describeOrders(a)))
	}
}

// openTasksOf returns the tasks of an account that do not wait for its client.
func openTasksOf(tasks []*orderItem, a *ops.Account) []*orderItem {
	var open []*orderItem
	for _, task := range tasks {
		if task.AccountUID == a.UUID && task.step != stepClient {
			open = append(open, task)
		}
	}
	return open
}

// openTasksFact returns a fact with the number of open tasks and a description of the first task. Tasks are sorted by
// how long they have been waiting.
func openTasksFact(open []*orderItem) widget.Fact {
	const label = "Open tasks"
	if len(open) == 0 {
		return widget.Toned(label, "none", theme.Muted)
	}
	first := open[0]
	text := format.GroupInt(len(open)) + ", first " + first.Code + ": " + stepWords[first.step]
	return widget.Toned(label, text, theme.Attention)
}

// keyRequestFacts returns the number of an account's pending key requests, or nil if none is pending.
func (d *paneTools) keyRequestFacts(a *ops.Account) []widget.Fact {
	pending := 0
	requests, _ := d.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.AccountUID == a.UUID && r.Status == ops.KeyRequestPending {
			pending++
		}
	}
	if pending == 0 {
		return nil
	}
	return []widget.Fact{widget.Toned("Requests", format.Count(pending, "key request")+" to decide", theme.Attention)}
}

// describeOrders returns how many of an account's orders are in progress with each status.
func (d *paneTools) describeOrders(a *ops.Account) string {
	now := d.env.Clock.Now()
	count := map[string]int{}
	var labels []string
	for _, o := range d.work.orders {
		if o.AccountUID != a.UUID || !o.Status.IsLive() {
			continue
		}
		label := format.OrderState(o.Status, columns.QuotesOf(o, now)).Label
		if count[label] == 0 {
			labels = append(labels, label)
		}
		count[label]++
	}
	if len(labels) == 0 {
		return "none in progress"
	}
	texts := make([]string, len(labels))
	for i, label := range labels {
		texts[i] = label + " " + format.GroupInt(count[label])
	}
	return strings.Join(texts, " · ")
}

// describeKeys returns the number of active keys, and the number of revoked or expired keys if there are any.
func describeKeys(keys []ops.AccountKey, now time.Time) string {
	active := 0
	for i := range keys {
		if columns.KeyState(&keys[i], now) == "valid" {
			active++
		}
	}
	text := format.GroupInt(active) + " active"
	if others := len(keys) - active; others > 0 {
		text += ", " + format.GroupInt(others) + " revoked or expired"
	}
	return text
}

// endpointFact returns the number of an account's endpoints, and how many of them did not receive their last callback.
func endpointFact(endpoints []api.WebhookEndpoint) widget.Fact {
	failing := 0
	for i := range endpoints {
		if format.ValueOf(endpoints[i].LastStatus) == "failed" {
			failing++
		}
	}
	text := format.GroupInt(len(endpoints))
	if failing > 0 {
		return widget.Toned("Endpoints", text+", "+format.GroupInt(failing)+" failed last", theme.Bad)
	}
	return widget.Text("Endpoints", text)
}

// changeAccount opens the form for an account's contact and currency.
func (d *paneTools) changeAccount(a *ops.Account) tea.Cmd {
	change := ops.AccountChange{
		ClientName:  &a.ClientName,
		ClientEmail: &a.ClientEmail,
		Currency:    &a.Currency,
	}
	return d.requests.openCommand(commands.ChangeAccount(&change), requestSubject{id: a.UUID, code: a.CompanyName})
}

// newAccountPage returns the page of one account, with tabs for its keys, orders and endpoints.
func newAccountPage(from *paneTools, a *ops.Account) *operationsPage {
	d := from.forPage()
	p := &operationsPage{tools: d, title: a.CompanyName}
	p.addPane("Keys", newKeyList(d, a))
	p.addPane("Orders", newOrderList(d, a.UUID))
	p.addPane("Endpoints", newEndpointList(d, a))
	return p
}

// newKeyList returns the list of an account's API keys. Of each key it shows only the last characters.
func newKeyList(d *paneTools, a *ops.Account) *page.List[*ops.AccountKey] {
	issue := func(*ops.AccountKey) tea.Cmd {
		command := commands.IssueKey(&ops.KeyInput{Scopes: api.Scopes()})
		return d.requests.openCommand(command, requestSubject{id: a.UUID, code: a.CompanyName})
	}
	revoke := func(k *ops.AccountKey) tea.Cmd { return d.revokeKey(k, a.CompanyName) }
	subject := func(*ops.AccountKey) inspectSubject { return inspectSubject{account: a.UUID} }
	return newListPane(d, page.CachedSource(d.cache.Keys, a.UUID), page.ListOptions[*ops.AccountKey]{
		Name:        "operations-keys",
		Example:     "state:active or scopes:files",
		Singular:    "key",
		Scope:       action.OpsKeys,
		Columns:     columns.Keys(d.env.Clock.Now),
		Muted:       func(k *ops.AccountKey) bool { return columns.KeyState(k, d.env.Clock.Now()) != "valid" },
		ChangeStamp: func(k *ops.AccountKey) string { return k.RevokedAt.String() },
		Empty:       a.CompanyName + " has no keys.",
		Keys:        []page.RowKey{{Action: action.IssueKey, Text: "issue a key; it is shown once"}},
		Actions: []page.Action[*ops.AccountKey]{
			{ID: action.IssueKey, NeedsNoRow: true, Do: issue},
			{ID: action.RevokeKey, WhyDisabled: revokeRefusal, Do: revoke},
		},
	}, subject)
}

// revokeKey opens the dialog that revokes a key of a company's account.
func (d *paneTools) revokeKey(k *ops.AccountKey, company string) tea.Cmd {
	lines := []string{
		columns.MaskedKey(k) + " of " + company,
		"Scopes: " + columns.ScopeText(k.Scopes),
	}
	if strings.EqualFold(company, d.env.Profile.Company) {
		lines = append(lines, "This profile may be using it.")
	}
	return d.requests.openCommand(commands.RevokeKey(), requestSubject{id: k.UUID, code: k.Hint, lines: lines})
}

// revokeRefusal returns why a key cannot be revoked, or "" if it can.
func revokeRefusal(k *ops.AccountKey) string {
	return page.TextIf(!k.RevokedAt.IsZero(), columns.MaskedKey(k)+" is already revoked")
}

// newOperatorList returns the list of users with a key for the operations API.
func newOperatorList(d *paneTools) *page.List[*ops.Operator] {
	subject := func(o *ops.Operator) requestSubject { return requestSubject{id: o.UUID, code: o.Name} }
	alreadyRevoked := func(o *ops.Operator) string {
		return page.TextIf(!o.RevokedAt.IsZero(), o.Name+" is already revoked")
	}
	add := func(*ops.Operator) tea.Cmd {
		return d.requests.openCommand(commands.AddOperator(&ops.OperatorInput{Role: ops.RoleOperate}), requestSubject{})
	}
	rotate := func(o *ops.Operator) tea.Cmd {
		return d.requests.openCommand(commands.RotateOperator(new(ops.RotationInput)), subject(o))
	}
	revoke := func(o *ops.Operator) tea.Cmd { return d.requests.openCommand(commands.RevokeOperator(), subject(o)) }
	return newListPane(d, page.CachedSource(d.cache.Operators, cache.Account), page.ListOptions[*ops.Operator]{
		Name:        "operators",
		Example:     "role:admin or state:revoked",
		Singular:    "user",
		Scope:       action.OpsOperators,
		Columns:     columns.Operators(),
		Muted:       func(o *ops.Operator) bool { return !o.RevokedAt.IsZero() },
		ChangeStamp: func(o *ops.Operator) string { return o.RevokedAt.String() + o.Hint },
		Empty:       "No users yet.\nEverybody uses the operations key.",
		Keys:        []page.RowKey{{Action: action.AddOperator, Text: "add a user with a separate key"}},
		Actions: []page.Action[*ops.Operator]{
			{ID: action.AddOperator, NeedsNoRow: true, Do: add},
			{ID: action.RotateOperator, WhyDisabled: alreadyRevoked, Do: rotate},
			{ID: action.RevokeOperator, WhyDisabled: alreadyRevoked, Do: revoke},
		},
	})
}

// newAuditList returns the list of the audit trail's entries.
func newAuditList(d *paneTools) *page.List[*ops.AuditEntry] {
	cols := columns.Audit()
	describe := func(entry *ops.AuditEntry) page.RowDetails {
		facts := widget.Facts(columns.RowFacts(cols, entry, d.env.Clock.Now()))
		return page.RowDetails{Title: entry.Operation, Facts: facts}
	}
	return newListPane(d, page.CachedSource(d.cache.Audit, cache.Account), page.ListOptions[*ops.AuditEntry]{
		Name:     "audit",
		Example:  "kind:refused or operation:quotes",
		Singular: "entry",
		Scope:    action.OpsAudit,
		Order:    page.RowOrder{Column: "at", Descending: true},
		Columns:  cols,
		Details:  describe,
		ID:       cache.AuditID,
		Muted:    func(entry *ops.AuditEntry) bool { return entry.Kind == ops.AuditUse },
		Empty:    "No entries yet.\nEvery change made through the operations API is recorded here.",
	})
}

// newEndpointList returns the list of an account's webhook endpoints.
func newEndpointList(d *paneTools, a *ops.Account) *page.List[*api.WebhookEndpoint] {
	open := func(e *api.WebhookEndpoint) tea.Cmd {
		client := d.env.Nav.InAccount(a.UUID, a.CompanyName)
		return client.Nav.Show(page.EndpointRoute{UUID: e.UUID})
	}
	test := func(e *api.WebhookEndpoint) tea.Cmd {
		command := commands.TestEndpoint(&api.EventNames()[0])
		return d.requests.openCommand(command, requestSubject{id: e.UUID, lines: []string{e.URL}})
	}
	subject := func(*api.WebhookEndpoint) inspectSubject { return inspectSubject{account: a.UUID} }
	return newListPane(d, page.CachedSource(d.cache.Endpoints, a.UUID), page.ListOptions[*api.WebhookEndpoint]{
		Name:     "operations-endpoints",
		Example:  "last:failed",
		Singular: "endpoint",
		Scope:    action.OpsEndpoints,
		Columns:  columns.PickColumns(columns.Endpoints(), "url lastStatus events description createdAt"),
		Open:     open,
		Empty: a.CompanyName + " has no endpoints.\n" +
			"No callbacks are sent. Clients register endpoints themselves.",
		Actions: []page.Action[*api.WebhookEndpoint]{{ID: action.TestEndpoint, Do: test}},
	}, subject)
}

// newKeyRequestList returns the list of clients' requests for API keys. Clients make them in
// the dashboard.
func newKeyRequestList(d *paneTools) *page.List[*ops.KeyRequest] {
	approve := func(r *ops.KeyRequest) tea.Cmd {
		return d.requests.openCommand(commands.ApproveRequest(), d.keyRequestSubject(r))
	}
	decline := func(r *ops.KeyRequest) tea.Cmd {
		reason := "" // typed into the form
		return d.requests.openCommand(commands.DeclineRequest(&reason), d.keyRequestSubject(r))
	}
	cols := columns.KeyRequests(d.service.companyName)
	for i := range cols {
		if cols[i].MachineName() == "intendedUse" {
			cols[i].Width = 30 // the scopes are next to the list, or hidden
		}
	}
	simulate := func(*ops.KeyRequest) tea.Cmd { return d.simulateRequest() }
	simulateRefusal := func(*ops.KeyRequest) string { return d.simulateRefusal() }
	return newListPane(d, page.CachedSource(d.cache.Requests, cache.Account), page.ListOptions[*ops.KeyRequest]{
		Name:        "key-requests",
		Example:     "status:pending or scopes:files",
		Singular:    "request",
		Scope:       action.OpsRequests,
		Columns:     cols,
		Muted:       func(r *ops.KeyRequest) bool { return r.Status != ops.KeyRequestPending },
		ChangeStamp: func(r *ops.KeyRequest) string { return string(r.Status) },
		Details:     d.describeRequest,
		Layout:      page.ListLayout{MinDetailWidth: 42},
		Empty:       "No key requests.\nClients request keys in the dashboard.",
		Keys:        []page.RowKey{{Action: action.PlayRequest, Text: "simulate a request"}},
		Actions: []page.Action[*ops.KeyRequest]{
			{ID: action.ApproveRequest, WhyDisabled: decisionRefusal, Do: approve},
			{ID: action.DeclineRequest, WhyDisabled: decisionRefusal, Do: decline},
			{ID: action.PlayRequest, NeedsNoRow: true, WhyDisabled: simulateRefusal, Do: simulate},
		},
	})
}

// keyRequestSubject returns the subject of the commands that approve or decline a key request.
func (d *paneTools) keyRequestSubject(r *ops.KeyRequest) requestSubject {
	return requestSubject{id: r.UUID, lines: []string{
		d.service.companyName(r.AccountUID) + ": “" + r.IntendedUse + "”",
		"Scopes: " + columns.ScopeText(r.Scopes),
	}}
}

// decisionRefusal returns why a request cannot be approved or declined, or "" if it can.
func decisionRefusal(r *ops.KeyRequest) string {
	already := "the request is already " + strings.ToLower(format.Status(r.Status).Label)
	return page.TextIf(r.Status != ops.KeyRequestPending, already)
}

// describeRequest returns all details of a key request.
func (d *paneTools) describeRequest(r *ops.KeyRequest) page.RowDetails {
	state := format.Status(r.Status)
	facts := []widget.Fact{
		widget.Toned("Status", state.Glyph+" "+state.Label, state.Role),
		widget.Text("Requested", format.Ago(r.CreatedAt.Time, d.env.Clock.Now())),
	}
	for _, s := range r.Scopes {
		facts = append(facts, widget.Text(string(s), format.Word(s).Description))
	}
	if !r.DecidedAt.IsZero() {
		facts = append(facts, widget.Texts(
			"Decided", format.Moment(r.DecidedAt.Time, d.env.Clock.Now()),
			"Reason", format.ValueOf(r.Reason),
		)...)
	}
	return page.RowDetails{
		Title: d.service.companyName(r.AccountUID),
		Text:  "“" + r.IntendedUse + "”",
		Facts: facts,
	}
}

// simulateRefusal returns why no key request can be simulated, or "" if it is possible. A key request belongs
// to an account, so the service must have at least one account.
func (d *paneTools) simulateRefusal() string {
	_, state := d.cache.Accounts.Get(cache.Account)
	if state.IsUnread() {
		return "the accounts are still loading"
	}
	if state.Err != nil && state.ReadAt.IsZero() {
		return "the accounts could not be loaded; press " + action.KeyOf(action.Refresh, action.Ops)
	}
	return page.TextIf(len(d.service.accounts()) == 0, "no accounts")
}

// simulateRequest opens the form that requests a key on behalf of a client. The account of the profile is selected
// initially.
func (d *paneTools) simulateRequest() tea.Cmd {
	accounts := d.service.accounts()
	client := &widget.Field{Label: "Client", Kind: widget.ChoiceField}
	first := accounts[0].UUID
	for _, a := range accounts {
		name := format.CutLine(format.Clean(a.CompanyName), 30)
		client.Options = append(client.Options, widget.Option{Value: a.UUID, Label: name, Quiet: true})
		if a.CompanyName == d.env.Profile.Company {
			first = a.UUID
		}
	}
	in := ops.KeyRequestInput{Scopes: []api.Scope{api.ScopeOrdersRead, api.ScopeFilesRead}}
	q := d.requests.formOf(commands.RequestKey(&in), requestSubject{}, client)
	client.Set(first)
	client.Check = func(chosen string) string {
		q.about.id = chosen
		return ""
	}
	return d.requests.openForm(q)
}
