package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// CopiedText shows a text without anything beside it. The mouse is the terminal's.
type CopiedText struct {
	Base
	text, what string
	scroll     widget.Scroll
}

// NewCopiedText returns the page of a text.
func NewCopiedText(env *Env, text, what string) *CopiedText {
	return &CopiedText{Base: NewBase(env), text: text, what: what}
}

// Title returns the page's.
func (p *CopiedText) Title() string { return "Copied text" }

// CornerText says what the text is.
func (p *CopiedText) CornerText() string { return p.what }

// SelectsText gives the mouse to the terminal.
func (p *CopiedText) SelectsText() {}

// ActionScopes returns those of a list: its keys scroll.
func (p *CopiedText) ActionScopes() []action.Scope { return []action.Scope{action.List} }

// DisabledReason says that nothing can be opened.
func (p *CopiedText) DisabledReason(id action.ID) string {
	if id == action.Open {
		return "nothing to open"
	}
	return ""
}

// Update does nothing.
func (p *CopiedText) Update(tea.Msg) tea.Cmd { return nil }

// HandleAction scrolls.
func (p *CopiedText) HandleAction(id action.ID) tea.Cmd {
	MoveList(&p.scroll, id)
	return nil
}

// View draws the text, and below it how to take it.
func (p *CopiedText) View(w, h int) string {
	var lines []string
	for line := range strings.Lines(strings.TrimRight(p.text, "\n")) {
		lines = append(lines, format.Wrap(strings.TrimRight(line, "\r\n"), w)...)
	}
	muted := p.Theme.Style(theme.Muted)
	shown := format.FitBox(p.scroll.View(lines, max(0, h-2), muted), w, max(0, h-2))
	return shown + "\n" + format.FitBox(
		[]string{"", format.CleanText(muted, "Select the text with the mouse to copy it in your terminal.")},
		w,
		min(h, 2),
	)
}
