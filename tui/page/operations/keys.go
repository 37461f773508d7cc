package operations

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
)

// showKey returns a function that shows a new key.
func (d *operationsPage) showKey(company string, key *api.AccountKey) func() tea.Cmd {
	return d.showSecret("New key for "+company, "the key", key.Key,
		"Copy the key now: it is not shown again. Anyone with it can act for this account within its scopes.")
}

// showSecret returns a function that shows a new secret.
func (d *operationsPage) showSecret(title, what, text, warn string) func() tea.Cmd {
	return func() tea.Cmd {
		page.ShowSecret(d.Env, &page.SecretDialog{Title: title, What: what, Secret: text, Warning: warn})
		return nil
	}
}

// revokeKey opens the dialog that revokes a key once its last characters are typed.
func (d *operationsPage) revokeKey(a *api.Account, k *api.AccountKey) tea.Cmd {
	lines := []string{
		maskedKey(k) + " of " + a.CompanyName, scopeText(k.Scopes), "",
		"Its requests are rejected from now on. Cannot be undone; you can issue a new key.",
	}
	if strings.EqualFold(a.CompanyName, d.Company) {
		lines = append(lines, "This profile may be using it.")
	}
	d.Overlay(&dialog.TypedConfirmation{
		Theme: d.Theme, Title: "Revoke key", Lines: lines, Want: k.Hint, Yes: "revoke key", No: "back",
		OnYes: func() tea.Cmd {
			c := commands.RevokeKey()
			return d.acts.sendRequest(c.Doing, sendCommand(d, c, k.UUID, func(*api.AccountKey) requestResult {
				return requestResult{said: maskedKey(k) + " of " + a.CompanyName + " revoked"}
			}))
		},
	})
	return nil
}
