package webhooks

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// secretBox is the dialog that shows the secret of a new endpoint once.
type secretBox struct {
	env *page.Env
	got registeredEndpoint
}

// newSecret returns the dialog. It opens on its own, so it ignores keys at first.
func newSecret(p page.Base, got registeredEndpoint) page.Dialog {
	return dialog.OpenCalmly(&secretBox{env: p.Env, got: got}, p.Now)
}

// Update copies the secret, or closes the dialog and forgets it.
func (s *secretBox) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "c", "y":
		if s.got.endpoint.Secret == "" {
			return nil, false
		}
		return page.CopySecret(
			&s.env.FileAccess,
			s.got.endpoint.Secret,
			"the secret; clear the clipboard after use",
		), false
	case "esc", "enter":
		return nil, true
	}
	return nil, false
}

// SelectsText lets the user select the secret with the mouse.
func (s *secretBox) SelectsText() {}

// BlocksProfileSwitch returns why the profile cannot be switched while the secret is
// shown.
func (s *secretBox) BlocksProfileSwitch() string {
	return "copy the new secret first; it is not shown again"
}

// View renders the dialog.
func (s *secretBox) View(w, h int) string {
	th := s.env.Theme
	w = min(w, 72)
	e := s.got.endpoint
	lines := []string{th.PaintRaised(theme.Text, layout.CutLine(endpointName(e), w-4)), ""}
	say := func(role theme.Role, text string) {
		for _, part := range layout.Wrap(text, w-4) {
			lines = append(lines, th.PaintRaised(role, part))
		}
	}
	if e.Secret == "" {
		say(theme.Attention, "The service sent no secret: callbacks to this endpoint cannot be verified.")
		return dialog.DrawFrame(th, "Endpoint registered", "esc close", lines, w)
	}
	lines = append(lines, th.PaintRaised(theme.Muted, "Signing secret:"))
	for rest := []rune(layout.Clean(e.Secret)); len(rest) > 0; { // never cut
		n := min(len(rest), w-6)
		lines = append(lines, "  "+layout.CleanText(th.RaisedStyle(theme.Accent).Bold(true), string(rest[:n])))
		rest = rest[n:]
	}
	lines = append(lines, "")
	say(theme.Attention, "Copy it now: it is not shown again. Your receiver needs it to verify callbacks.")
	switch {
	case s.got.lasts:
		say(theme.Good, "✓ Also stored in the keyring, to verify live events after a restart.")
	case s.got.why != nil:
		say(theme.Bad, "Stored until you quit only: "+s.got.why.Error()+".")
	default:
		say(theme.Muted, "Stored until you quit.")
	}
	return dialog.DrawFrame(th, "Endpoint registered", "c copy  esc close", lines[:min(len(lines), max(0, h-2))], w)
}

// Cursor returns nil.
func (s *secretBox) Cursor() *tea.Cursor { return nil }
