package operations

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/table"
)

// accountList are the clients of the service.
type accountList struct{ *listPane[api.Account] }

func newAccountList(d *operationsPage) *accountList {
	return &accountList{newListPane(d, listpage.Cached(d.Cache, d.world.cache.Accounts, cache.Account), listpage.Options[api.Account]{
		Name: "accounts", Example: "currency:EUR or wind", One: "account", Many: "accounts", Scope: action.OpsAccounts, Columns: columns.Accounts(),
		ID:    func(a *api.Account) string { return a.UUID },
		Open:  func(a *api.Account) tea.Cmd { return d.Open(newAccountPage(d, a)) },
		Empty: [2]string{"No accounts yet.", "Press n to create one; enter opens it to issue keys."},
	})}
}

func (a *accountList) DisabledReason(id action.ID) string {
	if id == action.ChangeAccount && a.Current() == nil {
		return "no account"
	}
	return a.listPane.DisabledReason(id)
}

func (a *accountList) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.NewAccount:
		a.d.acts.openForm(a.d.accountForm(nil))
	case action.ChangeAccount:
		a.d.acts.openForm(a.d.accountForm(a.Current()))
	default:
		return a.listPane.HandleAction(id)
	}
	return nil
}

// accountForm makes an account, or changes one.
func (d *operationsPage) accountForm(old *api.Account) *requestForm {
	if old == nil {
		return fillIn(d, &requestForm{title: "New account", yes: "create account"}, commands.CreateAccount(&api.AccountInput{Currency: "EUR"}), "", nil)
	}
	in := api.AccountChange{ClientName: &old.ClientName, ClientEmail: &old.ClientEmail, Currency: &old.Currency}
	return fillIn(d, &requestForm{title: "Edit account", yes: "save account", lines: []string{old.CompanyName}}, commands.ChangeAccount(&in), old.UUID, nil)
}

// accountPage is the page of one account: its keys, orders and endpoints.
type accountPage struct{ *operationsPage }

func newAccountPage(from *operationsPage, a *api.Account) *accountPage {
	d := newOperationsPage(from.Env, from.world, a.CompanyName)
	d.addPane("Keys", newKeyList(d, a))
	d.addPane("Orders", newOrderList(d, a.UUID))
	d.addPane("Endpoints", newEndpointList(d, a))
	return &accountPage{d}
}

// keyList are an account's, without the keys themselves.
type keyList struct {
	*listPane[api.AccountKey]
	account *api.Account
}

func newKeyList(d *operationsPage, a *api.Account) *keyList {
	return &keyList{newListPane(d, listpage.Cached(d.Cache, d.world.cache.Keys, a.UUID), listpage.Options[api.AccountKey]{
		Name: "desk-keys", Example: "state:active or scopes:files", One: "key", Many: "keys", Scope: action.OpsKeys, Columns: d.keyColumns(),
		ID:    func(k *api.AccountKey) string { return k.UUID },
		Look:  func(k *api.AccountKey) (table.Cell, bool) { return table.Cell{}, !d.isLive(k) },
		Stamp: func(k *api.AccountKey) string { return k.RevokedAt.String() },
		Empty: [2]string{a.CompanyName + " has no keys.", "Press n to issue one. It is shown once."},
	}), a}
}

// isLive tells whether a key opens anything.
func (d *operationsPage) isLive(k *api.AccountKey) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(d.Now()))
}

// maskedKey returns a key as far as anybody sees it again.
func maskedKey(k *api.AccountKey) string { return "••••" + layout.Clean(k.Hint) }

func (d *operationsPage) keyColumns() []columns.Column[api.AccountKey] {
	all := columns.WithValue(columns.ScreenColumns(columns.Keys(d.Now)), "hint", func(k *api.AccountKey) columns.Cell { return columns.TextCell(maskedKey(k)) })
	all = columns.WithValue(all, "scopes", func(k *api.AccountKey) columns.Cell { return columns.TextCell(scopeText(k.Scopes)) })
	return columns.WithValue(all, "state", func(k *api.AccountKey) columns.Cell {
		switch columns.KeyState(k, d.Now()) {
		case "revoked":
			return columns.TextCell("✗ revoked").WithTone(theme.Bad)
		case "expired":
			return columns.TextCell("expired").WithTone(theme.Muted)
		default:
			return columns.TextCell("✓ live").WithTone(theme.Good)
		}
	})
}

func (k *keyList) DisabledReason(id action.ID) string {
	switch id {
	case action.IssueKey, action.RevokeKey:
		key := k.Current()
		switch {
		case id == action.RevokeKey && key == nil:
			return "no key"
		case id == action.RevokeKey && !key.RevokedAt.IsZero():
			return maskedKey(key) + " is already revoked"
		}
	}
	return k.listPane.DisabledReason(id)
}

func (k *keyList) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.IssueKey:
		k.d.acts.openForm(k.d.keyForm(k.account))
	case action.RevokeKey:
		k.d.revokeAsk(k.account, k.Current())
	default:
		return k.listPane.HandleAction(id)
	}
	return nil
}

// keyForm issues a key.
func (d *operationsPage) keyForm(a *api.Account) *requestForm {
	q := &requestForm{title: "Issue key: " + a.CompanyName, yes: "issue key"}
	return fillIn(d, q, commands.IssueKey(&api.KeyInput{Scopes: api.Scopes()}), a.UUID, func(key *api.AccountKey) requestResult {
		return requestResult{said: "Key issued to " + a.CompanyName, then: d.showKey(a.CompanyName, key)}
	})
}

func scopesField() *form.Field {
	field := &form.Field{ID: "scopes", Label: "Scopes", Kind: form.Multi}
	for _, s := range api.Scopes() {
		field.Options = append(field.Options, form.Option{Value: string(s), Label: string(s), Help: allows[s], Quiet: true})
	}
	return field
}

var allows = map[api.Scope]string{
	api.ScopeOrdersRead:    "Read orders, missions and planning",
	api.ScopeOrdersWrite:   "Place, cancel, archive and reject orders",
	api.ScopeFilesRead:     "List and download files",
	api.ScopeWebhooksRead:  "Read webhook endpoints and their logs",
	api.ScopeWebhooksWrite: "Register and delete webhook endpoints",
}

func scopesOf(f *form.Form) []api.Scope {
	var list []api.Scope
	for _, s := range f.Field("scopes").Values() {
		list = append(list, api.Scope(s))
	}
	return list
}

func valueTexts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

// scopeText names scopes, or says that all are there.
func scopeText(list []api.Scope) string {
	if len(distinctValues(list)) == len(api.Scopes()) {
		return "all " + format.Count(len(list), "scope", "scopes")
	}
	text := ""
	for i, s := range list {
		if i > 0 {
			text += ", "
		}
		text += string(s)
	}
	return text
}
