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

// accounts are the clients of the service.
type accounts struct{ *lister[api.Account] }

func newAccounts(d *operations) *accounts {
	return &accounts{newLister(d, listpage.Cached(d.Cache, d.world.cache.Accounts, cache.Account), listpage.Options[api.Account]{
		Name: "accounts", Example: "currency:EUR or wind", One: "account", Many: "accounts", Scope: action.OpsAccounts, Columns: columns.Accounts(),
		ID:    func(a *api.Account) string { return a.UUID },
		Open:  func(a *api.Account) tea.Cmd { return d.Open(newAccount(d, a)) },
		Empty: [2]string{"No accounts yet.", "Press n to create one; enter opens it to issue keys."},
	})}
}

func (a *accounts) Disabled(id action.ID) string {
	if id == action.ChangeAccount && a.Current() == nil {
		return "no account"
	}
	return a.lister.Disabled(id)
}

func (a *accounts) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NewAccount:
		a.d.acts.open(a.d.accountAsk(nil))
	case action.ChangeAccount:
		a.d.acts.open(a.d.accountAsk(a.Current()))
	default:
		return a.lister.Do(id)
	}
	return nil
}

// accountAsk makes an account, or changes one.
func (d *operations) accountAsk(old *api.Account) *ask {
	if old == nil {
		return fillIn(d, &ask{title: "New account", yes: "create account"}, commands.CreateAccount(&api.AccountInput{Currency: "EUR"}), "", nil)
	}
	in := api.AccountChange{ClientName: &old.ClientName, ClientEmail: &old.ClientEmail, Currency: &old.Currency}
	return fillIn(d, &ask{title: "Edit account", yes: "save account", lines: []string{old.CompanyName}}, commands.ChangeAccount(&in), old.UUID, nil)
}

// account is the page of one account: its keys, orders and endpoints.
type account struct{ *operations }

func newAccount(from *operations, a *api.Account) *account {
	d := newDesk(from.Env, from.world, a.CompanyName)
	d.add("Keys", newKeys(d, a))
	d.add("Orders", newOrders(d, a.UUID))
	d.add("Endpoints", newHooks(d, a))
	return &account{d}
}

// keys are an account's, without the keys themselves.
type keys struct {
	*lister[api.AccountKey]
	account *api.Account
}

func newKeys(d *operations, a *api.Account) *keys {
	return &keys{newLister(d, listpage.Cached(d.Cache, d.world.cache.Keys, a.UUID), listpage.Options[api.AccountKey]{
		Name: "desk-keys", Example: "state:active or scopes:files", One: "key", Many: "keys", Scope: action.OpsKeys, Columns: d.keyColumns(),
		ID:    func(k *api.AccountKey) string { return k.UUID },
		Look:  func(k *api.AccountKey) (table.Cell, bool) { return table.Cell{}, !d.lives(k) },
		Stamp: func(k *api.AccountKey) string { return k.RevokedAt.String() },
		Empty: [2]string{a.CompanyName + " has no keys.", "Press n to issue one. It is shown once."},
	}), a}
}

// lives tells whether a key opens anything.
func (d *operations) lives(k *api.AccountKey) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(d.Now()))
}

// masked is a key as far as anybody sees it again.
func masked(k *api.AccountKey) string { return "••••" + layout.Clean(k.Hint) }

func (d *operations) keyColumns() []columns.Column[api.AccountKey] {
	all := columns.With(columns.Screen(columns.Keys(d.Now)), "hint", func(k *api.AccountKey) columns.Cell { return columns.Text(masked(k)) })
	all = columns.With(all, "scopes", func(k *api.AccountKey) columns.Cell { return columns.Text(scopes(k.Scopes)) })
	return columns.With(all, "state", func(k *api.AccountKey) columns.Cell {
		switch columns.KeyState(k, d.Now()) {
		case "revoked":
			return columns.Text("✗ revoked").In(theme.Bad)
		case "expired":
			return columns.Text("expired").In(theme.Muted)
		default:
			return columns.Text("✓ live").In(theme.Good)
		}
	})
}

func (k *keys) Disabled(id action.ID) string {
	switch id {
	case action.IssueKey, action.RevokeKey:
		key := k.Current()
		switch {
		case id == action.RevokeKey && key == nil:
			return "no key"
		case id == action.RevokeKey && !key.RevokedAt.IsZero():
			return masked(key) + " is already revoked"
		}
	}
	return k.lister.Disabled(id)
}

func (k *keys) Do(id action.ID) tea.Cmd {
	switch id {
	case action.IssueKey:
		k.d.acts.open(k.d.keyAsk(k.account))
	case action.RevokeKey:
		k.d.revokeAsk(k.account, k.Current())
	default:
		return k.lister.Do(id)
	}
	return nil
}

// keyAsk issues a key.
func (d *operations) keyAsk(a *api.Account) *ask {
	q := &ask{title: "Issue key: " + a.CompanyName, yes: "issue key"}
	return fillIn(d, q, commands.IssueKey(&api.KeyInput{Scopes: api.Scopes()}), a.UUID, func(key *api.AccountKey) sent {
		return sent{said: "Key issued to " + a.CompanyName, then: d.showKey(a.CompanyName, key)}
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

func values[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

// scopes names scopes, or says that all are there.
func scopes(list []api.Scope) string {
	if len(folded(list)) == len(api.Scopes()) {
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
