// Package copied is the page of the text that was copied last, to select it with
// the mouse where no clipboard has it.
package copied

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// Page shows a text without anything beside it. The mouse is the terminal's.
type Page struct {
	page.Base
	text, what string
	lines      []string // as they are drawn
	top        int      // the first one in view
	height     int
}

// New returns the page of a text.
func New(env *page.Env, text, what string) *Page {
	return &Page{Base: page.NewBase(env), text: text, what: what}
}

// Title is the page's.
func (p *Page) Title() string { return "Copied text" }

// Corner says what the text is.
func (p *Page) Corner() string { return p.what }

// Selects gives the mouse to the terminal.
func (p *Page) Selects() {}

// Scopes are those of a list: its keys scroll.
func (p *Page) Scopes() []action.Scope { return []action.Scope{action.List} }

// Disabled says that nothing can be opened.
func (p *Page) Disabled(id action.ID) string {
	if id == action.Open {
		return "there is nothing to open"
	}
	return ""
}

// Update does nothing.
func (p *Page) Update(tea.Msg) tea.Cmd { return nil }

// Do scrolls.
func (p *Page) Do(id action.ID) tea.Cmd {
	page := max(1, p.height/2)
	by := map[action.ID]int{
		action.Down: 1, action.Up: -1, action.HalfDown: page, action.HalfUp: -page, action.Bottom: len(p.lines), action.Top: -len(p.lines),
	}[id]
	p.top += by
	return nil
}

// View draws the text, and below it how to take it.
func (p *Page) View(w, h int) string {
	p.lines = p.lines[:0]
	for line := range strings.Lines(strings.TrimRight(p.text, "\n")) {
		parts := layout.Wrap(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "  "), w)
		p.lines = append(p.lines, parts...)
	}
	p.height = max(0, h-2)
	p.top = max(0, min(p.top, len(p.lines)-p.height))
	shown := make([]string, h)
	copy(shown[:p.height], p.lines[p.top:])
	if h > 0 {
		shown[h-1] = layout.Text(p.Theme.Style(theme.Muted), "Select the text with the mouse; the terminal copies it in its own way.")
	}
	return layout.Box(shown, w, h)
}
