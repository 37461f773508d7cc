package operations

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/table"
)

// newAccountList returns the list of the service's accounts.
func newAccountList(d *operationsPage) *listPane[api.Account] {
	return newListPane(
		d,
		listpage.Cached(d.Cache, d.world.cache.Accounts, cache.Account),
		listpage.Options[api.Account]{
			Name:    "accounts",
			Example: "currency:EUR or wind",
			One:     "account",
			Many:    "accounts",
			Scope:   action.OpsAccounts,
			Columns: columns.Accounts(),
			ID:      func(a *api.Account) string { return a.UUID },
			Open:    func(a *api.Account) tea.Cmd { return d.Open(newAccountPage(d, a)) },
			Empty:   [2]string{"No accounts yet.", "Press n to create one; enter opens it to issue keys."},
			Acts: []listpage.Act[api.Account]{
				{ID: action.NewAccount, Any: true, Do: func(*api.Account) tea.Cmd { return d.createAccount() }},
				{ID: action.ChangeAccount, Do: d.changeAccount},
			},
		},
		func(a *api.Account) (s inspectSubject) {
			if a != nil {
				s.account = a.UUID
			}
			return s
		},
	)
}

func (d *operationsPage) createAccount() tea.Cmd {
	c := commands.CreateAccount(&api.AccountInput{Currency: "EUR"})
	return d.acts.openForm(fillIn(d, &requestForm{title: "New account", yes: "create account"}, c, "", nil))
}

func (d *operationsPage) changeAccount(a *api.Account) tea.Cmd {
	c := commands.ChangeAccount(
		&api.AccountChange{ClientName: &a.ClientName, ClientEmail: &a.ClientEmail, Currency: &a.Currency},
	)
	return d.acts.openForm(
		fillIn(
			d,
			&requestForm{title: "Edit account", yes: "save account", lines: []string{a.CompanyName}},
			c,
			a.UUID,
			nil,
		),
	)
}

// newAccountPage returns the page of one account: its keys, orders and endpoints.
func newAccountPage(from *operationsPage, a *api.Account) *operationsPage {
	d := newOperationsPage(from.Env, from.world, a.CompanyName)
	d.addPane("Keys", newKeyList(d, a))
	d.addPane("Orders", newOrderList(d, a.UUID))
	d.addPane("Endpoints", newEndpointList(d, a))
	return d
}

// newKeyList returns the list of an account's keys, masked.
func newKeyList(d *operationsPage, a *api.Account) *listPane[api.AccountKey] {
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Keys, a.UUID), listpage.Options[api.AccountKey]{
		Name:    "desk-keys",
		Example: "state:active or scopes:files",
		One:     "key",
		Many:    "keys",
		Scope:   action.OpsKeys,
		Columns: keyColumns(d.Now),
		ID:      func(k *api.AccountKey) string { return k.UUID },
		Look: func(k *api.AccountKey) (table.Cell, bool) {
			return table.Cell{}, columns.KeyState(k, d.Now()) != "valid"
		},
		Stamp: func(k *api.AccountKey) string { return k.RevokedAt.String() },
		Empty: [2]string{a.CompanyName + " has no keys.", "Press n to issue one. It is shown once."},
		Acts: []listpage.Act[api.AccountKey]{
			{ID: action.IssueKey, Any: true, Do: func(*api.AccountKey) tea.Cmd { return d.issueKey(a) }},
			{
				ID:  action.RevokeKey,
				Off: revokeRefusal,
				Do:  func(k *api.AccountKey) tea.Cmd { return d.revokeKey(a, k) },
			},
		},
	}, inAccount[api.AccountKey](a))
}

// revokeRefusal returns why a key cannot be revoked, "" if it can.
func revokeRefusal(k *api.AccountKey) string {
	if k.RevokedAt.IsZero() {
		return ""
	}
	return maskedKey(k) + " is already revoked"
}

// maskedKey returns a key with all but its last characters hidden.
func maskedKey(k *api.AccountKey) string { return "••••" + layout.Clean(k.Hint) }

func keyColumns(now func() time.Time) []columns.Column[api.AccountKey] {
	all := columns.WithValue(
		columns.ScreenColumns(columns.Keys(now)),
		"hint",
		func(k *api.AccountKey) columns.Cell { return columns.TextCell(maskedKey(k)) },
	)
	return columns.WithValue(
		all,
		"scopes",
		func(k *api.AccountKey) columns.Cell { return columns.TextCell(scopeText(k.Scopes)) },
	)
}

func (d *operationsPage) issueKey(a *api.Account) tea.Cmd {
	q := &requestForm{title: "Issue key: " + a.CompanyName, yes: "issue key"}
	c := commands.IssueKey(&api.KeyInput{Scopes: api.Scopes()})
	return d.acts.openForm(fillIn(d, q, c, a.UUID, func(key *api.AccountKey) requestResult {
		return requestResult{said: "Key issued to " + a.CompanyName, then: d.showKey(a.CompanyName, key)}
	}))
}

func scopeOptions() (options []form.Option) {
	for _, s := range api.Scopes() {
		options = append(options, form.Option{Value: string(s), Label: string(s), Help: allows[s], Quiet: true})
	}
	return options
}

var allows = map[api.Scope]string{
	api.ScopeOrdersRead:    "Read orders, missions and planning",
	api.ScopeOrdersWrite:   "Place, cancel, archive and reject orders",
	api.ScopeFilesRead:     "List and download files",
	api.ScopeWebhooksRead:  "Read webhook endpoints and their logs",
	api.ScopeWebhooksWrite: "Register and delete webhook endpoints",
}

// scopeText returns the names of scopes, or that all are allowed.
func scopeText(list []api.Scope) string {
	if len(distinctValues(list)) == len(api.Scopes()) {
		return "all " + format.Count(len(list), "scope", "scopes")
	}
	return strings.Join(strings.Fields(columns.JoinValues(list)), ", ")
}

// newEndpointList returns the list of an account's endpoints.
func newEndpointList(d *operationsPage, a *api.Account) *listPane[api.WebhookEndpoint] {
	return newListPane(
		d,
		listpage.Cached(d.Cache, d.world.cache.Endpoints, a.UUID),
		listpage.Options[api.WebhookEndpoint]{
			Name:    "desk-endpoints",
			Example: "last:failed",
			One:     "endpoint",
			Many:    "endpoints",
			Scope:   action.OpsEndpoints,
			Columns: endpointColumns(),
			ID:      func(e *api.WebhookEndpoint) string { return e.UUID },
			Open:    func(e *api.WebhookEndpoint) tea.Cmd { return d.InAccount(a.UUID, a.CompanyName).OpenEndpoint(e.UUID) },
			Empty: [2]string{
				a.CompanyName + " has no endpoints.",
				"No callbacks are sent. Clients register endpoints themselves.",
			},
			Acts: []listpage.Act[api.WebhookEndpoint]{{ID: action.TestEndpoint, Do: d.testEndpoint}},
		},
		inAccount[api.WebhookEndpoint](a),
	)
}

func endpointColumns() []columns.Column[api.WebhookEndpoint] {
	return columns.LayColumns(columns.Endpoints(),
		columns.ColumnSpec{Name: "url", Width: 24, Fill: 2, Middle: true},
		columns.ColumnSpec{Name: "lastStatus", Width: 11},
		columns.ColumnSpec{Name: "events", Width: 14, Fill: 1, Drop: 1},
		columns.ColumnSpec{Title: "For", Name: "description", Width: 12, Fill: 1, Drop: 2},
		columns.ColumnSpec{Name: "createdAt", Drop: 3},
	)
}

// testEndpoint opens the form that sends an endpoint an event of an invented mission.
func (d *operationsPage) testEndpoint(e *api.WebhookEndpoint) tea.Cmd {
	event := api.EventNames()[0]
	q := &requestForm{title: "Send test event", yes: "send test event", lines: []string{e.URL}}
	return d.acts.openForm(
		fillIn(d, q, commands.TestEndpoint(&event), e.UUID, func(*api.WebhookDelivery) requestResult {
			return requestResult{said: "Test event queued"}
		}),
	)
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// newOrderList returns the list of an account's orders, or of all accounts if it is "".
func newOrderList(d *operationsPage, account string) *listPane[api.OpsOrder] {
	cols := columns.LayColumns(columns.OpsOrders(d.world.companyName, d.Now),
		columns.ColumnSpec{Name: "orderCode", Width: 10},
		columns.ColumnSpec{Name: "orderName", Width: 14, Fill: 2},
		columns.ColumnSpec{Name: "status", Width: 18},
		columns.ColumnSpec{Name: "client", Width: 14, Fill: 1, Drop: 1, Off: account != ""},
		columns.ColumnSpec{Name: "openQuotes", Drop: 4},
		columns.ColumnSpec{Title: "Missions", Name: "missionCount", Drop: 3},
		columns.ColumnSpec{Name: "areaSize", Drop: 5},
		columns.ColumnSpec{Name: "createdAt", Drop: 2},
		columns.ColumnSpec{Name: "deadline", Drop: 6},
	)
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Orders, account), listpage.Options[api.OpsOrder]{
		Name:    "desk-orders",
		Example: "status:deleted or client:küste",
		One:     "order",
		Many:    "orders",
		Scope:   action.OpsOrders,
		Columns: cols,
		ID:      func(o *api.OpsOrder) string { return o.UUID },
		Look:    func(o *api.OpsOrder) (table.Cell, bool) { return table.Cell{}, isEnded(o.Status) },
		Stamp:   func(o *api.OpsOrder) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:    func(o *api.OpsOrder) tea.Cmd { return d.Open(newOrderPage(d, o.UUID, "")) },
		Empty:   [2]string{"No orders yet.", "All orders of all clients appear here, including deleted ones."},
	}, orderSubject)
}

// isEnded reports whether nothing more can happen to an order.
func isEnded(s api.OrderStatus) bool { return s.IsAbandoned() || s == api.OrderArchived }

// editRecord opens the form for the fields of an order that only the v2 API shows.
func (d *operationsPage) editRecord(x *orderItem) tea.Cmd {
	o := x.order
	in := commands.RecordOf(o.Details)
	q := &requestForm{
		title: "Edit order: " + o.OrderCode,
		yes:   "save",
		doing: "saving the details of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.companyName(o.AccountUID)},
		names: map[string]string{
			"pointOfContact.pocName":      "pocName",
			"pointOfContact.pocPhone":     "pocPhone",
			"advancedOption.flightHeight": "flightHeight",
		},
	}
	return d.acts.openForm(fillIn(d, q, commands.SetRecord(&in), o.UUID, func(*api.OrderDetails) requestResult {
		return requestResult{said: "Details of " + o.OrderCode + " saved"}
	}))
}

// setNotices opens the form for the recipients of completion notices. The secret of a
// webhook is shown once.
func (d *operationsPage) setNotices(x *orderItem) tea.Cmd {
	o := x.order
	var in api.NotificationInput
	if n := o.Notifications; n != nil {
		in = api.NotificationInput{Webhook: n.Webhook, Email: n.Email}
	}
	q := &requestForm{
		title: "Completion notices: " + o.OrderCode, yes: "save", doing: "setting the notices of " + o.OrderCode,
		lines: []string{o.OrderCode + "  " + o.OrderName, d.world.companyName(o.AccountUID)},
	}
	return d.acts.openForm(
		fillIn(d, q, commands.SetNotifications(&in), o.UUID, func(set *api.NotificationSettings) requestResult {
			s := requestResult{said: "Completion notices of " + o.OrderCode + " saved"}
			if set.Secret != "" {
				s.then = d.showSecret("Signing secret for "+o.OrderCode, "the signing secret", set.Secret,
					"Copy the secret now: it is not shown again. The receiver verifies notices with it.")
			}
			return s
		}),
	)
}
