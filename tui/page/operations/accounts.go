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

// newAccountList lists the clients of the service.
func newAccountList(d *operationsPage) *listPane[api.Account] {
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Accounts, cache.Account), listpage.Options[api.Account]{
		Name: "accounts", Example: "currency:EUR or wind", One: "account", Many: "accounts", Scope: action.OpsAccounts, Columns: columns.Accounts(),
		ID:    func(a *api.Account) string { return a.UUID },
		Open:  func(a *api.Account) tea.Cmd { return d.Open(newAccountPage(d, a)) },
		Empty: [2]string{"No accounts yet.", "Press n to create one; enter opens it to issue keys."},
		Acts: []listpage.Act[api.Account]{
			{ID: action.NewAccount, Any: true, Do: func(*api.Account) tea.Cmd { return d.createAccount() }},
			{ID: action.ChangeAccount, Do: d.changeAccount},
		},
	}, func(a *api.Account) (s inspectSubject) {
		if a != nil {
			s.account = a.UUID
		}
		return s
	})
}

func (d *operationsPage) createAccount() tea.Cmd {
	c := commands.CreateAccount(&api.AccountInput{Currency: "EUR"})
	return d.acts.openForm(fillIn(d, &requestForm{title: "New account", yes: "create account"}, c, "", nil))
}

func (d *operationsPage) changeAccount(a *api.Account) tea.Cmd {
	c := commands.ChangeAccount(&api.AccountChange{ClientName: &a.ClientName, ClientEmail: &a.ClientEmail, Currency: &a.Currency})
	return d.acts.openForm(fillIn(d, &requestForm{title: "Edit account", yes: "save account", lines: []string{a.CompanyName}}, c, a.UUID, nil))
}

// newAccountPage makes the page of one account: its keys, orders and endpoints.
func newAccountPage(from *operationsPage, a *api.Account) *operationsPage {
	d := newOperationsPage(from.Env, from.world, a.CompanyName)
	d.addPane("Keys", newKeyList(d, a))
	d.addPane("Orders", newOrderList(d, a.UUID))
	d.addPane("Endpoints", newEndpointList(d, a))
	return d
}

// newKeyList lists an account's keys, without the keys themselves.
func newKeyList(d *operationsPage, a *api.Account) *listPane[api.AccountKey] {
	return newListPane(d, listpage.Cached(d.Cache, d.world.cache.Keys, a.UUID), listpage.Options[api.AccountKey]{
		Name: "desk-keys", Example: "state:active or scopes:files", One: "key", Many: "keys", Scope: action.OpsKeys, Columns: keyColumns(d.Now),
		ID: func(k *api.AccountKey) string { return k.UUID },
		Look: func(k *api.AccountKey) (table.Cell, bool) {
			return table.Cell{}, columns.KeyState(k, d.Now()) != "valid"
		},
		Stamp: func(k *api.AccountKey) string { return k.RevokedAt.String() },
		Empty: [2]string{a.CompanyName + " has no keys.", "Press n to issue one. It is shown once."},
		Acts: []listpage.Act[api.AccountKey]{
			{ID: action.IssueKey, Any: true, Do: func(*api.AccountKey) tea.Cmd { return d.issueKey(a) }},
			{ID: action.RevokeKey, Off: revokeRefusal, Do: func(k *api.AccountKey) tea.Cmd { return d.revokeKey(a, k) }},
		},
	}, inAccount[api.AccountKey](a))
}

// revokeRefusal says why a key cannot be revoked, "" where it can.
func revokeRefusal(k *api.AccountKey) string {
	if k.RevokedAt.IsZero() {
		return ""
	}
	return maskedKey(k) + " is already revoked"
}

// maskedKey returns a key as far as anybody sees it again.
func maskedKey(k *api.AccountKey) string { return "••••" + layout.Clean(k.Hint) }

func keyColumns(now func() time.Time) []columns.Column[api.AccountKey] {
	all := columns.WithValue(columns.ScreenColumns(columns.Keys(now)), "hint", func(k *api.AccountKey) columns.Cell { return columns.TextCell(maskedKey(k)) })
	return columns.WithValue(all, "scopes", func(k *api.AccountKey) columns.Cell { return columns.TextCell(scopeText(k.Scopes)) })
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

// scopeText names scopes, or says that all are there.
func scopeText(list []api.Scope) string {
	if len(distinctValues(list)) == len(api.Scopes()) {
		return "all " + format.Count(len(list), "scope", "scopes")
	}
	return strings.Join(strings.Fields(columns.JoinValues(list)), ", ")
}
