package operations

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// secretDialog is the dialog that shows a new secret, once.
type secretDialog struct {
	env   *page.Env
	title string
	what  string // noun for messages, as "the key"
	text  string
	warn  string
}

// showKey returns a function that shows a new key.
func (d *operationsPage) showKey(company string, key *api.AccountKey) func() tea.Cmd {
	return d.showSecret("New key for "+company, "the key", key.Key,
		"Copy the key now: it is not shown again. Anyone with it can act for this account within its scopes.")
}

// showSecret returns a function that shows a new secret.
func (d *operationsPage) showSecret(title, what, text, warn string) func() tea.Cmd {
	return func() tea.Cmd {
		d.Overlay(dialog.OpenCalmly(&secretDialog{d.Env, title, what, text, warn}, d.Now))
		return nil
	}
}

// Update copies the secret, or closes the dialog.
func (s *secretDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "c", "y", "enter":
		return page.CopySecret(&s.env.FileAccess, s.text, s.what), false
	case "esc", "q":
		return nil, true
	}
	return nil, false
}

// SelectsText lets the user select the secret with the mouse.
func (s *secretDialog) SelectsText() {}

// BlocksProfileSwitch returns why the profile cannot be switched while the secret is
// shown.
func (s *secretDialog) BlocksProfileSwitch() string {
	return "copy " + s.what + " first; it is not shown again"
}

// View renders the dialog.
func (s *secretDialog) View(w, _ int) string {
	th := s.env.Theme
	w = min(w, 72)
	var lines []string
	for _, part := range layout.Wrap(s.text, w-4) { // never cut; wrapped if necessary
		lines = append(lines, th.PaintRaised(theme.Good, part))
	}
	lines = append(lines, "")
	for _, l := range layout.Wrap(s.warn, w-4) {
		lines = append(lines, th.PaintRaised(theme.Text, l))
	}
	return dialog.DrawFrame(th, s.title, "c copy  esc close", lines, w)
}

// Cursor returns nil.
func (s *secretDialog) Cursor() *tea.Cursor { return nil }

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
