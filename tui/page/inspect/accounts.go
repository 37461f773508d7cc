package inspect

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/page"
)

// newAccounts returns the page that lists all accounts. Enter opens the page of an account, with the data that the
// account's client sees.
func newAccounts(env *page.Env) page.Page {
	source := page.CachedSource(env.Profile.Cache.Operations.Accounts, cache.Account)
	return page.NewList(page.NewBase(env), source, page.ListOptions[*ops.Account]{
		Title:    "Inspect",
		Name:     "inspect-accounts",
		Example:  "wind or currency:EUR",
		Singular: "account",
		Scope:    action.InspectAccounts,
		Columns:  columns.Accounts(),
		RenderHead: func(w int) []string {
			const text = "finds whatever a ticket names: a code, ID, company, e-mail, key ending or file"
			hint := env.Look.Theme.PaintHint(action.KeyOf(action.Palette, action.Everywhere), text)
			return page.CutLines([]string{" " + hint, ""}, w)
		},
		Open: func(a *ops.Account) tea.Cmd {
			return env.Nav.InAccount(a.UUID, a.CompanyName).Nav.Show(page.AccountRoute{})
		},
		Empty: "No accounts yet.",
	})
}
