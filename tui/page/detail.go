package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Detail is what a page of one thing begins with.
type Detail struct {
	Base
	*Panes
	State  cache.EntryState // of what is shown
	Scroll widget.Scroll    // of columns
	Site   *SiteMap         // at the foot of the shorter column, not to be moved; nil for none
	least  int              // width from which on the parts are beside each other
}

// NewDetail returns a page of two parts that are beside each other from a width of least
// cells on. The name is what their divider is kept under.
func NewDetail(env *Env, name string, least int, first, second func(w, h int) string) Detail {
	base := NewBase(env)
	panes := NewPanes(
		base,
		name,
		widget.Pane{Least: least / 3, View: first},
		widget.Pane{Least: least / 4, View: second},
	)
	return Detail{Base: base, Panes: panes, least: least}
}

// CornerText tells the data's age.
func (p *Detail) CornerText() string { return p.Freshness(p.State) }

// DrawPage draws the parts beside each other, the first one so many cells wide as long as
// its divider was not moved. In a narrow window, and in plain mode, the first one has the
// place of all, or the map while it is in focus.
func (p *Detail) DrawPage(first, w, h int) string {
	switch {
	case p.Theme.IsWide(w, p.least):
		p.Panes.Panes[0].Cells = first
		return p.DrawPanes(w, h)
	case p.Map != nil && p.Map.Focused:
		p.Apart = false
		return p.DrawMap(0, 0, w, h)
	}
	p.Apart, p.mapPane = false, -1
	return p.Panes.Panes[0].View(w, h)
}

// DrawColumns draws two columns of lines that scroll together, the first one so many
// cells wide; in a narrow window one is below the other.
func (p *Detail) DrawColumns(first, w, h int, left, right func(w int) []string) string {
	lines := JoinParts(left(w), right(w))
	if p.Apart = p.Theme.IsWide(w, p.least); p.Apart {
		p.Panes.Panes[0].Cells = first
		spans := p.LayoutPanes(w)
		l, r := left(spans[0].Len-1), right(spans[1].Len)
		rows := max(len(l), len(r), h)
		if len(l) <= len(r) {
			l = p.AppendSite(l, spans[0].Len-1, rows)
		} else {
			r = p.AppendSite(r, spans[1].Len, rows)
		}
		p.Panes.Panes[0].View = func(w, h int) string { return format.FitBox(l, w, h) }
		p.Panes.Panes[1].View = func(w, h int) string { return format.FitBox(r, w, h) }
		lines = format.SplitLines(p.DrawPanes(w, rows))
	}
	return format.FitBox(p.Scroll.View(lines, h, p.Theme.Style(theme.Muted)), w, h)
}

// leastSite is how many lines the map of a site needs.
const leastSite = 9

// AppendSite puts the map of the site below lines of w cells, up to h of them, if there
// is room.
func (p *Detail) AppendSite(lines []string, w, h int) []string {
	room := h - len(lines) - 1
	if p.Site == nil || room < leastSite {
		return lines
	}
	lines = append(lines, p.Theme.Rule.Render(strings.Repeat("─", w)))
	return append(lines, format.SplitLines(p.Site.View(p.Theme, w, room))...)
}

// MapScopes returns the page's scopes, with those of the map as far as it is drawn.
func (p *Detail) MapScopes(scopes ...action.Scope) []action.Scope {
	return p.Map.MapScopes(p.Width >= p.least, scopes...)
}

// HandleBack leaves the map first.
func (p *Detail) HandleBack() bool {
	was := p.Map != nil && p.Map.Focused
	if was {
		p.Map.Focused = false
	}
	return was
}

// HandleMouse takes hold of the divider, or scrolls columns.
func (p *Detail) HandleMouse(m MouseInput) tea.Cmd {
	p.TakeMouse(m)
	p.Scroll.Move(m.Wheel)
	return nil
}
