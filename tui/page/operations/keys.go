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

// secret is the dialog in which a new key is shown, the only time that it is.
type secret struct {
	env   *page.Env
	title string
	key   string
}

// showKey returns what shows a new key.
func (d *operations) showKey(company string, key *api.AccountKey) func() tea.Cmd {
	return func() tea.Cmd {
		s := &secret{env: d.Env, title: "New key of " + company, key: key.Key}
		d.Overlay(dialog.Sudden(s, d.Now))
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
		return page.CopySecret(&s.env.Files, s.key, "the key"), false
	case "esc", "q":
		return nil, true
	}
	return nil, false
}

// Selects lets the key be selected.
func (s *secret) Selects() {}

// BlocksProfileSwitch is until the key has been seen.
func (s *secret) BlocksProfileSwitch() string { return "copy the new key first; it is not shown again" }

// View draws the box.
func (s *secret) View(w, _ int) string {
	th := s.env.Theme
	w = min(w, 72)
	var lines []string
	for _, part := range layout.Wrap(s.key, w-4) { // whole, on several lines if it must be
		lines = append(lines, layout.Text(th.Raised(theme.Good), part))
	}
	lines = append(lines, "")
	for _, l := range layout.Wrap("This is the only time that it is shown. Who has it acts for the account, as far as its scopes go.", w-4) {
		lines = append(lines, layout.Text(th.Raised(theme.Text), l))
	}
	return dialog.Frame(th, s.title, "c copy it   esc close, it is gone then", lines, w)
}

// Cursor is nowhere.
func (s *secret) Cursor() *tea.Cursor { return nil }

// revokeAsk ends a key, once its last characters have been typed.
func (d *operations) revokeAsk(a *api.Account, k *api.AccountKey) {
	lines := []string{
		masked(k) + " of " + a.CompanyName, scopes(k.Scopes), "",
		"Whoever works with it is turned away from the next request on. It cannot be brought back; another one can be issued.",
	}
	if strings.EqualFold(a.CompanyName, d.Company) {
		lines = append(lines, "It may be the one that this app works with.")
	}
	d.Overlay(&dialog.Typed{
		Theme: d.Theme, Title: "Revoke key", Lines: lines, Want: k.Hint, Yes: "revoke it", No: "back",
		OnYes: func() tea.Cmd {
			c := commands.RevokeKey()
			return d.acts.send(c.Doing, sending(d, c, k.UUID, func(*api.AccountKey) sent {
				return sent{said: masked(k) + " of " + a.CompanyName + " is revoked"}
			}))
		},
	})
}
