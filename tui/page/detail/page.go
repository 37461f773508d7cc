// Package detail has what pages of one thing begin with: its parts beside each other,
// with a map perhaps, the age of what is known, and sections of lines.
package detail

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Page is what a page of one thing begins with.
type Page struct {
	page.Base
	Panes
	State  cache.EntryState // of what is shown
	Scroll widget.Scroll    // of columns
	least  int              // width from which on the parts are beside each other
}

// NewPage returns a page of two parts that are beside each other from a width of least
// cells on. The name is what their divider is kept under.
func NewPage(env *page.Env, name string, least int, first, second func(w, h int) string) Page {
	base := page.NewBase(env)
	panes := NewPanes(
		base,
		name,
		widget.Pane{Least: least / 3, View: first},
		widget.Pane{Least: least / 4, View: second},
	)
	return Page{Base: base, Panes: panes, least: least}
}

// CornerText tells the data's age.
func (p *Page) CornerText() string {
	switch {
	case p.State.IsUnread():
		return "reading…"
	case p.State.ReadAt.IsZero():
		return ""
	}
	return "refreshed " + format.Ago(p.State.ReadAt, p.Now())
}

// DrawPage draws the parts, the first one so many cells wide.
func (p *Page) DrawPage(first, w, h int) string { return p.DrawApart(p.least, first, w, h) }

// DrawColumns draws two columns of lines that scroll together, the first one so many
// cells wide; in a narrow window one is below the other. The shorter column is filled.
func (p *Page) DrawColumns(
	first, w, h int,
	left, right func(w int) []string,
	fill func(lines []string, w, h int) []string,
) string {
	lines := JoinParts(left(w), right(w))
	if p.Apart = p.Theme.IsWide(w, p.least); p.Apart {
		p.Panes.Panes[0].Size = widget.FixedSize(first)
		spans := p.LayoutPanes(w)
		l, r := left(spans[0].Len-1), right(spans[1].Len)
		rows := max(len(l), len(r), h)
		if len(l) <= len(r) {
			l = fill(l, spans[0].Len-1, rows)
		} else {
			r = fill(r, spans[1].Len, rows)
		}
		p.Panes.Panes[0].View = func(w, h int) string { return layout.FitBox(l, w, h) }
		p.Panes.Panes[1].View = func(w, h int) string { return layout.FitBox(r, w, h) }
		lines = layout.SplitLines(p.DrawPanes(w, rows))
	}
	return layout.FitBox(p.Scroll.View(lines, h, p.Theme.Style(theme.Muted)), w, h)
}

// MapScopes returns the page's scopes, with those of the map as far as it is drawn.
func (p *Page) MapScopes(scopes ...action.Scope) []action.Scope {
	return p.Map.MapScopes(p.Width >= p.least, scopes...)
}

// HandleBack leaves the map first.
func (p *Page) HandleBack() bool {
	was := p.Map != nil && p.Map.Focused
	if was {
		p.Map.Focused = false
	}
	return was
}

// HandleMouse takes hold of the divider, or scrolls columns.
func (p *Page) HandleMouse(m page.MouseInput) tea.Cmd {
	p.TakeMouse(m)
	p.Scroll.Move(m.Wheel)
	return nil
}
