// Package detail has what pages of one thing begin with: its parts beside each other,
// with a map perhaps, the age of what is known, and sections of lines.
package detail

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
)

// Page is what a page of one thing begins with.
type Page struct {
	page.Base
	Panes
	State cache.EntryState // of what is shown
	least int              // columns from which on the panes are beside each other
}

// NewPage returns a page of two parts that are beside each other from so many columns
// on. The name is what their divider is kept under.
func NewPage(env *page.Env, name string, least int, first, second func(w, h int) string) Page {
	base := page.NewBase(env)
	panes := NewPanes(base, name, widget.Pane{Least: least / 3, View: first}, widget.Pane{Least: least / 4, View: second})
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

// HandleMouse takes hold of the divider.
func (p *Page) HandleMouse(m page.MouseInput) tea.Cmd {
	p.TakeMouse(m)
	return nil
}
