package operations

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
	"flightdesk/tui/widget/table"
)

// accounts are the clients of the service.
type accounts struct{ *lister[api.Account] }

func newAccounts(d *operations) *accounts {
	l := newLister(d, action.OpsAccounts, "accounts", "currency:EUR or wind", columns.Accounts())
	a := &accounts{l}
	l.list.Empty = "No account has all of that; "
	l.things = [2]string{"account", "accounts"}
	l.id = func(a *api.Account) string { return a.UUID }
	l.open = func(a *api.Account) tea.Cmd { return d.Open(newAccount(d, a)) }
	l.empty = d.say("There is no account yet.", "n makes one; its keys are issued on its own page.")
	return a
}

func (a *accounts) read() tea.Cmd {
	a.d.world.stale = true
	return a.d.world.read(a.d.Base)
}

// follow shows the accounts as the state has them.
func (a *accounts) follow() {
	a.mirror(a.d.world.accounts, a.d.world.listed, a.d.world.err)
}

func (a *accounts) view(w, h int) string {
	a.follow()
	return a.lister.view(w, h)
}

// scopes are the list's; a key is about what is there by now, drawn or not.
func (a *accounts) scopes() []action.Scope {
	a.follow()
	return a.lister.scopes()
}

func (a *accounts) disabled(id action.ID) string {
	switch id {
	case action.NewAccount, action.ChangeAccount:
		if a.d.ReadOnly {
			return readOnly
		}
		if id == action.ChangeAccount && a.current() == nil {
			return "there is no account"
		}
	}
	return a.lister.disabled(id)
}

func (a *accounts) do(id action.ID) (tea.Cmd, bool) {
	switch id {
	case action.NewAccount:
		a.d.acts.open(a.d.accountAsk(nil))
	case action.ChangeAccount:
		a.d.acts.open(a.d.accountAsk(a.current()))
	default:
		return a.lister.do(id)
	}
	return nil, true
}

// accountAsk makes an account, or changes one.
func (d *operations) accountAsk(old *api.Account) *ask {
	var fields []*form.Field
	if old == nil {
		fields = append(fields, &form.Field{ID: "companyName", Label: "Company", Help: "who orders"})
	}
	fields = append(fields,
		&form.Field{ID: "clientName", Label: "Contact", Help: "whom to ask for"},
		&form.Field{ID: "clientEmail", Label: "E-mail", Help: "where notices go"},
		&form.Field{ID: "currency", Label: "Currency", Help: "of quotes, three letters; quotes issued before keep theirs"},
	)
	f := form.New(api.MaxNameLength, d.Now, fields...)
	value := func(id string) string { return f.Field(id).Value() }
	if old == nil {
		f.Field("currency").Set("EUR")
		return &ask{
			title: "New account", yes: "make it", doing: "making the account", form: f,
			warn:  "It has no key yet; one is issued on its page. An account cannot be removed.",
			check: func(f *form.Form) { required(f, "companyName", "an account needs a company") },
			send: func(ctx context.Context) (sent, error) {
				a, err := d.Ops.Accounts.Create(ctx, api.AccountInput{
					CompanyName: value("companyName"), ClientName: value("clientName"), ClientEmail: value("clientEmail"), Currency: value("currency"),
				})
				if err != nil {
					return sent{}, err
				}
				return sent{said: "made the account of " + a.CompanyName}, nil
			},
		}
	}
	f.Field("clientName").Set(old.ClientName)
	f.Field("clientEmail").Set(old.ClientEmail)
	f.Field("currency").Set(old.Currency)
	return &ask{
		title: "Change account", yes: "change it", doing: "changing the account", form: f, lines: []string{old.CompanyName},
		send: func(ctx context.Context) (sent, error) {
			name, mail, currency := value("clientName"), value("clientEmail"), value("currency")
			_, err := d.Ops.Accounts.Change(ctx, old.UUID, api.AccountChange{ClientName: &name, ClientEmail: &mail, Currency: &currency})
			return sent{said: "changed the account of " + old.CompanyName}, err
		},
	}
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
	l := newLister(d, action.OpsKeys, "desk-keys", "state:live or scopes:files", d.keyColumns())
	k := &keys{l, a}
	l.list.Empty = "No key has all of that; "
	l.things = [2]string{"key", "keys"}
	l.load = func(ctx context.Context) ([]api.AccountKey, error) { return all(d.Ops.Keys.All(ctx, a.UUID)) }
	l.id = func(k *api.AccountKey) string { return k.UUID }
	l.look = func(k *api.AccountKey) (table.Cell, bool) { return table.Cell{}, !d.lives(k) }
	l.stamp = func(k *api.AccountKey) string { return k.RevokedAt.String() }
	l.empty = d.say(a.CompanyName+" has no key.", "n issues one. It is shown once.")
	return k
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

func (k *keys) disabled(id action.ID) string {
	switch id {
	case action.IssueKey, action.RevokeKey:
		key := k.current()
		switch {
		case k.d.ReadOnly:
			return readOnly
		case id == action.RevokeKey && key == nil:
			return "there is no key"
		case id == action.RevokeKey && !key.RevokedAt.IsZero():
			return masked(key) + " is revoked already"
		}
	}
	return k.lister.disabled(id)
}

func (k *keys) do(id action.ID) (tea.Cmd, bool) {
	switch id {
	case action.IssueKey:
		k.d.acts.open(k.d.keyAsk(k.account))
	case action.RevokeKey:
		k.d.revokeAsk(k.account, k.current())
	default:
		return k.lister.do(id)
	}
	return nil, true
}

// keyAsk issues a key.
func (d *operations) keyAsk(a *api.Account) *ask {
	f := form.New(api.MaxNameLength, d.Now,
		scopesField(),
		&form.Field{ID: "description", Label: "For", Help: "what it is for, to tell keys apart"},
		&form.Field{ID: "expiresAt", Label: "Expires", Kind: form.Date, Help: "at the end of this day; empty for never"},
	)
	f.Field("scopes").Set(values(api.Scopes())...)
	return &ask{
		title: "New key of " + a.CompanyName, yes: "issue it", doing: "issuing a key", form: f,
		warn: "It is shown once, and never again. Revoking ends it.",
		check: func(f *form.Form) {
			required(f, "scopes", "a key without a scope opens nothing")
			if at := f.Field("expiresAt"); at.Value() != "" {
				switch day, err := at.Time(); {
				case err != nil:
					at.Error = err.Error()
				case !endOf(day).After(d.Now()):
					at.Error = "this day is over"
				}
			}
		},
		send: func(ctx context.Context) (sent, error) {
			in := api.KeyInput{Scopes: scopesOf(f), Description: f.Field("description").Value()}
			if day, err := f.Field("expiresAt").Time(); err == nil {
				in.ExpiresAt = api.At(endOf(day))
			}
			key, err := d.Ops.Keys.Issue(ctx, a.UUID, in)
			if err != nil {
				return sent{}, err
			}
			return sent{said: "issued a key of " + a.CompanyName, then: d.showKey(a.CompanyName, key)}, nil
		},
	}
}

func scopesField() *form.Field {
	field := &form.Field{ID: "scopes", Label: "Scopes", Kind: form.Multi}
	for _, s := range api.Scopes() {
		field.Options = append(field.Options, form.Option{Value: string(s), Label: string(s), Help: allows[s], Quiet: true})
	}
	return field
}

var allows = map[api.Scope]string{
	api.ScopeOrdersRead:    "read orders, missions and plans",
	api.ScopeOrdersWrite:   "place, cancel, archive and reject orders",
	api.ScopeFilesRead:     "list and fetch delivered files",
	api.ScopeWebhooksRead:  "read webhook endpoints and their logs",
	api.ScopeWebhooksWrite: "register and delete webhook endpoints",
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
