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

// secret is the dialog in which a new secret is shown, the only time that it is.
type secret struct {
	env   *page.Env
	title string
	what  string // in the sentences, as in "the key"
	text  string
	warn  string
}

// showKey returns what shows a new key.
func (d *operations) showKey(company string, key *api.AccountKey) func() tea.Cmd {
	return d.showSecret("New key for "+company, "the key", key.Key,
		"Copy the key now: it is not shown again. Anyone with it can act for this account within its scopes.")
}

// showSecret returns what shows a new secret.
func (d *operations) showSecret(title, what, text, warn string) func() tea.Cmd {
	return func() tea.Cmd {
		d.Overlay(dialog.Sudden(&secret{d.Env, title, what, text, warn}, d.Now))
		return nil
	}
}

// Update copies the key, or closes.
func (s *secret) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "c", "y", "enter":
		return page.CopySecret(&s.env.Files, s.text, s.what), false
	case "esc", "q":
		return nil, true
	}
	return nil, false
}

// Selects lets the key be selected.
func (s *secret) Selects() {}

// BlocksProfileSwitch is until the key has been seen.
func (s *secret) BlocksProfileSwitch() string {
	return "copy " + s.what + " first; it is not shown again"
}

// View draws the box.
func (s *secret) View(w, _ int) string {
	th := s.env.Theme
	w = min(w, 72)
	var lines []string
	for _, part := range layout.Wrap(s.text, w-4) { // whole, on several lines if it must be
		lines = append(lines, layout.Text(th.Raised(theme.Good), part))
	}
	lines = append(lines, "")
	for _, l := range layout.Wrap(s.warn, w-4) {
		lines = append(lines, layout.Text(th.Raised(theme.Text), l))
	}
	return dialog.Frame(th, s.title, "c copy  esc close", lines, w)
}

// Cursor is nowhere.
func (s *secret) Cursor() *tea.Cursor { return nil }

// revokeAsk ends a key, once its last characters have been typed.
func (d *operations) revokeAsk(a *api.Account, k *api.AccountKey) {
	lines := []string{
		masked(k) + " of " + a.CompanyName, scopes(k.Scopes), "",
		"Its requests are rejected from now on. Cannot be undone; you can issue a new key.",
	}
	if strings.EqualFold(a.CompanyName, d.Company) {
		lines = append(lines, "This profile may be using it.")
	}
	d.Overlay(&dialog.Typed{
		Theme: d.Theme, Title: "Revoke key", Lines: lines, Want: k.Hint, Yes: "revoke key", No: "back",
		OnYes: func() tea.Cmd {
			c := commands.RevokeKey()
			return d.acts.send(c.Doing, sending(d, c, k.UUID, func(*api.AccountKey) sent {
				return sent{said: masked(k) + " of " + a.CompanyName + " revoked"}
			}))
		},
	})
}
