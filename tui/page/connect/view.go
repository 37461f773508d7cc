package connect

import (
	"errors"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/session"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// failed shows what went wrong, at its field where it is about one, and reports
// whether something did.
func (c *Connect) failed(err error) bool {
	var fault session.Fault
	c.err = nil
	if errors.As(err, &fault) {
		if f := c.form.Field(fault.Field); f != nil {
			f.Error = fault.Problem
			c.form.Focus(fault.Field)
			c.step = typing
			return true
		}
	}
	c.err = err
	return err != nil
}

func (c *Connect) welcome() []string {
	th := c.Theme
	choice := func(i int, key, title, about string) []string {
		mark, style := "   ", th.Style
		if i == c.choice {
			mark, style = " "+th.Pointer()+" ", th.Selected
		}
		return []string{
			layout.Text(style(theme.Accent), mark) + layout.Text(style(theme.Accent), key) + layout.Text(style(theme.Text), "  "+title+" "),
			"      " + layout.Text(th.Style(theme.Muted), about), "",
		}
	}
	lines := []string{"", layout.Text(th.Title, " Welcome to flightdesk"), ""}
	lines = append(lines, choice(0, "d", "Try the demo", "Sample data on a local service, deleted on exit")...)
	return append(lines, choice(1, "c", "Connect an account", "Enter the service address and your API key")...)
}

// viewForm draws the form, with what went wrong below it.
func (c *Connect) viewForm(w, h int) string {
	title := " Connect an account"
	if c.edited != "" {
		title = " Profile " + layout.Clean(c.edited)
	}
	lines := []string{"", layout.Text(c.Theme.Title, title), ""}
	c.above = len(lines)
	var foot []string
	if c.err != nil {
		foot = page.Problem(c.Theme, c.err, "Your input is kept", "ctrl+s", w)
	}
	foot = append(foot, c.addresses(w)...)
	foot = foot[:min(len(foot), h/2)]
	box := layout.Box(lines, w, len(lines)) + "\n" + c.form.View(c.Theme.Style, w, h-len(lines)-len(foot))
	if len(foot) > 0 {
		box += "\n" + layout.Box(foot, w, len(foot))
	}
	return box
}

// addresses are those that were tried, and what each answered.
func (c *Connect) addresses(w int) (lines []string) {
	th := c.Theme
	for _, a := range c.tried.Addresses {
		mark, role, said := "✓", theme.Good, "answers"
		if a.Err != nil {
			mark, role = "✗", theme.Muted
			said, _ = labels.Explain(a.Err)
		}
		lines = append(lines, layout.Cut("   "+layout.Text(th.Style(role), mark+" "+layout.Clean(a.URL))+layout.Text(th.Style(theme.Muted), "  "+layout.Clean(said)), w))
	}
	return lines
}

func (c *Connect) viewGrants(w int) []string {
	th := c.Theme
	lines := []string{"", layout.Text(th.Title, " Key accepted. Permissions:"), ""}
	for _, g := range c.tried.Grants {
		mark, role := "?", theme.Attention
		switch g.Grant {
		case api.Granted:
			mark, role = "✓", theme.Good
		case api.NotGranted:
			mark, role = "✗", theme.Muted
		case api.NotKnown:
		}
		lines = append(lines, "   "+layout.Text(th.Style(role), layout.Left(mark+" "+g.Grant.String(), 13))+
			layout.Text(th.Style(theme.Text), layout.Left(string(g.Scope), 16))+layout.Text(th.Style(theme.Muted), session.Allows(g.Scope)))
	}
	if tried := c.addresses(w); len(tried) > 0 {
		lines = append(append(lines, ""), tried...)
	}
	return append(lines, "", " "+layout.Text(th.Key, "enter")+layout.Text(th.Style(theme.Muted), " save the account and open it   ")+
		layout.Text(th.Key, "esc")+layout.Text(th.Style(theme.Muted), " back"))
}

func (c *Connect) viewKept(w int) []string {
	th := c.Theme
	lines := []string{"", layout.Text(th.Title, " Account saved"), ""}
	for _, part := range layout.Wrap(c.notice.Text, w-4) {
		lines = append(lines, "   "+layout.Text(th.Style(theme.Attention), part))
	}
	return append(lines, "", " "+layout.Text(th.Key, "enter")+layout.Text(th.Style(theme.Muted), " open"))
}
