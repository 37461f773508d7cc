package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// copySequence returns a function that creates an escape code. The escape code makes the terminal copy a text
// to its clipboard. copySequence returns nil in plain mode, or if the terminal cannot copy.
func (o *Options) copySequence() func(text string) string {
	if o.plain {
		return nil
	}
	if o.CopySequence == nil {
		return ansi.SetSystemClipboard
	}
	if o.CopySequence("") == "" {
		return nil
	}
	return o.CopySequence
}

// handleCopied handles a text that the user has copied. The page has already put the text into the system's
// clipboard, if there is one. handleCopied also sends it to the terminal's clipboard, and shows which
// clipboards have it. It remembers the text unless it is secret.
func (ws *workspace) handleCopied(msg page.CopiedMsg) tea.Cmd {
	text := msg.Text
	msg.What = format.Clean(msg.What)
	if msg.IsSecret {
		msg.Text = ""
	}
	ws.copied = msg
	sequence := ws.opts.copySequence()
	toast := page.SendMessage(describeCopied(msg, sequence != nil, ws.opts.plain))
	if sequence == nil {
		return toast
	}
	return tea.Batch(toast, func() tea.Msg { return tea.RawMsg{Msg: sequence(text)} })
}

// describeCopied returns the message about where a text was copied to. isSent means that the text was sent to
// the terminal, which does not report whether it has copied it. isPlain means that the app is in plain mode,
// without a mouse.
func describeCopied(msg page.CopiedMsg, isSent, isPlain bool) page.ToastMsg {
	if msg.IsConfirmed {
		text := "Copied " + msg.What
		if msg.Into != "" {
			text += " to " + msg.Into
		}
		return page.ToastMsg{Role: theme.Good, Text: text}
	}
	otherWay := " · " + keyOf(action.Copied) + " to show it"
	if msg.IsSecret {
		otherWay = page.TextIf(!isPlain, " · select it with the mouse")
	}
	if isSent {
		return page.ToastMsg{Role: theme.Text, Text: "Sent to the terminal's clipboard: " + msg.What + otherWay}
	}
	return page.ToastMsg{Role: theme.Text, Text: "No clipboard: " + msg.What + otherWay}
}

// openCopied shows the text that was copied last.
func (ws *workspace) openCopied() tea.Cmd {
	return ws.pages.open(page.NewCopiedText(ws.env, ws.copied.Text, ws.copied.What))
}
