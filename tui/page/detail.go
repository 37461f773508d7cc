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
	p.HidePanes()
	switch {
	case p.Env.Look.Theme.IsWide(w, p.least):
		p.Panes.Split.Panes[0].Cells = first
		return p.DrawPanes(w, h)
	case p.Map != nil && p.Map.Focused:
		return p.DrawMap(0, 0, w, h)
	}
	return p.Panes.Split.Panes[0].View(w, h)
}

// DrawColumns draws two columns of lines that scroll together, the first one so many
// cells wide; in a narrow window one is below the other.
func (p *Detail) DrawColumns(first, w, h int, left, right func(w int) []string) string {
	lines := JoinParts(left(w), right(w))
	if p.Apart = p.Env.Look.Theme.IsWide(w, p.least); p.Apart {
		p.Panes.Split.Panes[0].Cells = first
		spans := p.Split.LayoutPanes(w)
		l, r := left(spans[0].Len-1), right(spans[1].Len)
		rows := max(len(l), len(r), h)
		if len(l) <= len(r) {
			l = p.AppendSite(l, spans[0].Len-1, rows)
		} else {
			r = p.AppendSite(r, spans[1].Len, rows)
		}
		p.Panes.Split.Panes[0].View = func(w, h int) string { return format.FitBox(l, w, h) }
		p.Panes.Split.Panes[1].View = func(w, h int) string { return format.FitBox(r, w, h) }
		lines = format.SplitLines(p.DrawPanes(w, rows))
	}
	return format.FitBox(p.Scroll.View(lines, h, p.Env.Look.Theme.Style(theme.Muted)), w, h)
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
	lines = append(lines, p.Env.Look.Theme.Rule.Render(strings.Repeat("─", w)))
	return append(lines, format.SplitLines(p.Site.View(p.Env.Look.Theme, w, room))...)
}

// MapScopes returns the page's scopes, with those of the map as far as it is drawn.
func (p *Detail) MapScopes(scopes ...action.Scope) []action.Scope {
	return p.Map.MapScopes(p.Env.Look.Width >= p.least, scopes...)
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

// Panes draws parts of a page beside each other, one of them with a map perhaps.
// The mouse moves the map and the dividers, whose places are kept under a name.
type Panes struct {
	Split widget.Split
	Map   *SiteMap // nil for none
	Apart bool     // the panes were beside each other in the last view
	Head  int      // lines above them in the last view

	base Base
	name string

	mapPane, mapTop int // pane and line where the map was drawn last; pane -1 is nowhere
}

// NewPanes returns panes of a page, with the dividers where they were let go.
func NewPanes(base Base, name string, panes ...widget.Pane) *Panes {
	p := &Panes{base: base, name: "panes of " + name, mapPane: -1}
	p.Split.Panes, p.Split.Passing = panes, base.Env.Clock.IsScrolling
	base.Env.Look.UIState.Get(p.name, &p.Split.Shares)
	return p
}

// DrawPanes draws the panes into h lines of w cells.
func (p *Panes) DrawPanes(w, h int) string {
	p.Apart = true
	return p.Split.View(p.base.Env.Look.Theme, w, h)
}

// DrawMap draws the map into a pane, below its first lines.
func (p *Panes) DrawMap(pane, top, w, h int) string {
	p.mapPane, p.mapTop = pane, top
	return p.Map.View(p.base.Env.Look.Theme, w, h)
}

// HidePanes notes that neither the panes nor the map are drawn yet.
func (p *Panes) HidePanes() { p.Apart, p.mapPane = false, -1 }

// PaneUnder returns the pane under the mouse, -1 for a divider, and the column of it.
func (p *Panes) PaneUnder(m MouseInput) (pane, x int) {
	if !p.Apart {
		return 0, m.X
	}
	return p.Split.PaneAt(m.X)
}

// TakeMouse reports whether the mouse was on a divider, on the map or anywhere else
// beside the first pane, and what was clicked on the map, "" for nothing.
func (p *Panes) TakeMouse(m MouseInput) (id string, taken bool) {
	m.Y -= p.Head
	if p.Apart && m.Wheel == 0 && p.Split.GrabBorder(m.X) {
		return "", true
	}
	pane, x := p.PaneUnder(m)
	if !p.TracksPointer() || pane != p.mapPane || m.Y < p.mapTop {
		return "", pane != 0
	}
	return p.Map.HandleMouse(m, m.X-x, p.mapTop), true
}

// TracksPointer reports whether there is a map to point at.
func (p *Panes) TracksPointer() bool {
	return p.Map != nil && p.mapPane >= 0 && (p.Apart || p.mapPane == 0)
}

// HandlePointer shows where the mouse is on the map.
func (p *Panes) HandlePointer(m MouseInput) {
	if !p.TracksPointer() {
		return
	}
	pane, x := p.PaneUnder(m)
	if pane != p.mapPane {
		x = -1
	}
	p.Map.Model.Hover(x, m.Y-p.Head-p.mapTop)
}

// HandleDrag moves the divider that is held, and keeps where it was let go, or else
// moves the map.
func (p *Panes) HandleDrag(m MouseInput, over bool) tea.Cmd {
	m.Y -= p.Head
	held := p.Split.Drag(m.X, over)
	if !held && p.Map != nil {
		p.Map.HandleDrag(m, over)
	}
	if !held || !over {
		return nil
	}
	p.base.Env.Look.UIState.Put(p.name, p.Split.Shares)
	return p.base.Env.Look.KeepLook()
}

// DetailSection is a part of a page: its title with a note, and its lines.
type DetailSection struct {
	Title, Note string
	Err         error // why it could not be read
	Unread      bool  // it is not known yet
	Lines       []string
	None        string // said where there are no lines
}

// RenderSection returns a section in lines of at most w cells.
func (l *PageLook) RenderSection(s DetailSection, w int) []string {
	th := l.Theme
	lines := []string{" " + th.PaintTitle(s.Title) + th.PaintMuted("  "+s.Note)}
	switch {
	case s.Err != nil:
		lines = append(lines, l.RenderProblem(s.Err, "", w)...)
	case s.Unread:
		s.Lines = []string{th.PaintMuted("   ░░░░░░░░  ░░░░░░░░░░░░░  ░░░░░░")}
	case len(s.Lines) == 0:
		lines = append(lines, th.PaintMuted("   "+s.None))
	}
	return CutLines(append(lines, s.Lines...), w)
}

// CutLines shortens lines to w cells.
func CutLines(lines []string, w int) []string {
	for i, line := range lines {
		lines[i] = format.CutLine(line, w)
	}
	return lines
}

// JoinParts puts parts below each other, with a blank line between two; those
// without lines are left out.
func JoinParts(parts ...[]string) (lines []string) {
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// DetailHead is what a page of one thing begins with.
type DetailHead struct {
	Code, Name string
	Status     format.StatusLabel
	Due        string        // behind the status, "" for nothing
	Warnings   []widget.Fact // their values, below the status
}

// RenderLines returns the head in lines of at most w cells. What does not fit behind
// the status is left out.
func (h *DetailHead) RenderLines(th *theme.Theme, w int) []string {
	status := " " + th.PaintRole(h.Status.Role, h.Status.Glyph+" "+h.Status.Label)
	for _, more := range []string{h.Due, h.Status.Description} {
		text := th.PaintMuted(" · " + more)
		if more != "" && !strings.EqualFold(more, h.Status.Label) && format.Width(status)+format.Width(text) < w-1 {
			status += text
		}
	}
	lines := []string{" " + th.PaintRole(theme.Accent, h.Code) + "  " + th.PaintTitle(h.Name), status}
	for _, x := range h.Warnings {
		lines = append(lines, th.PaintLines(x.Role, " ", x.Value, w-2)...)
	}
	return CutLines(lines, w-1)
}

// PathSteps returns the steps of a way that has come to one of them, in the role of
// what is going on there, each with its day or "". The last step is done once it is
// reached.
func PathSteps(names, days []string, at int, role theme.Role) []widget.Step {
	path := make([]widget.Step, len(names))
	for i, name := range names {
		path[i].Name, path[i].When = name, days[i]
		switch {
		case i < at, at == len(names)-1:
			path[i].State = widget.Done
		case i == at:
			path[i].State, path[i].Role = widget.Current, role
		}
	}
	return path
}
