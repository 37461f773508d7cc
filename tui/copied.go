package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/copied"
	"flightdesk/tui/theme"
)

// copyHistory are what was copied last, and how the terminal is asked for more.
type copyHistory struct {
	text, what string
	sequence   func(text string) string // nil where the terminal is not to be asked
}

func newCopyHistory(o *Options) copyHistory {
	ask := o.CopySequence
	switch {
	case o.plain || ask != nil && ask("") == "":
		ask = nil
	case ask == nil:
		ask = ansi.SetSystemClipboard
	}
	return copyHistory{sequence: ask}
}

// takeCopied asks the terminal, too, and says what is known of a text that was copied.
func (c *copyHistory) takeCopied(msg page.CopiedMsg) tea.Cmd {
	c.text, c.what = msg.Text, layout.Clean(msg.What)
	if msg.IsSecret {
		c.text = ""
	}
	role := theme.Text
	if msg.IsKnown {
		role = theme.Good
	}
	said, ask := page.ShowToast(role, c.describeCopied(&msg)), c.sequence
	if ask == nil {
		return said
	}
	return tea.Batch(said, func() tea.Msg { return tea.RawMsg{Msg: ask(msg.Text)} })
}

func (c *copyHistory) describeCopied(msg *page.CopiedMsg) string {
	way := " · " + keyOf(action.Copied) + " to show it"
	if msg.IsSecret {
		way = " · select it with the mouse"
	}
	switch {
	case msg.IsKnown && msg.Into == "":
		return "Copied " + c.what
	case msg.IsKnown:
		return "Copied " + c.what + " to " + msg.Into
	case c.sequence != nil:
		return "Sent to the terminal's clipboard: " + c.what + way
	default:
		return "No clipboard: " + c.what + way
	}
}

// disabledReason says why nothing can be shown.
func (c *copyHistory) disabledReason() string {
	if c.text == "" {
		return "nothing copied yet; press y to copy"
	}
	return ""
}

func (c *copyHistory) copiedPage(env *page.Env) page.Page { return copied.New(env, c.text, c.what) }
