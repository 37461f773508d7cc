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

// Detail is the base of a page that shows a single object in two parts, which are next to each other in a wide
// window.
type Detail struct {
	Base
	*Panes
	State  cache.EntryState // state of the object in the cache
	Scroll widget.Scroll    // scroll position of DrawColumns
	Site   *SiteMap         // a fixed map, drawn below the shorter column of DrawColumns; nil for no map
	least  int              // smallest width of a page with the two parts next to each other
}

// NewDetail returns a page with two parts. least is the width in cells from which the page shows the parts next to each
// other. name identifies the page in the UI state, which stores the position of the divider between the parts.
func NewDetail(env *Env, name string, least int, first, second func(w, h int) string) Detail {
	base := NewBase(env)
	left := widget.Pane{Least: least / 3, View: first}
	right := widget.Pane{Least: least / 4, View: second}
	return Detail{
		Base:  base,
		Panes: NewPanes(base, name, left, right),
		least: least,
	}
}

// CornerText returns the age of the data.
func (p *Detail) CornerText() string { return p.Freshness(p.State) }

// DrawPage draws the parts next to each other. The first part is firstWidth cells wide unless the user has moved the
// divider. If the window is narrow or the theme is linear, it draws only the first part or, while the map has the
// focus, only the map.
func (p *Detail) DrawPage(firstWidth, w, h int) string {
	p.HidePanes()
	if p.Env.Look.Theme.IsWide(w, p.least) {
		p.Split.Panes[0].Cells = firstWidth
		return p.DrawPanes(w, h)
	}
	if p.Map != nil && p.Map.Focused {
		return p.DrawMap(0, 0, w, h)
	}
	return p.Split.Panes[0].View(w, h)
}

// DrawColumns draws two columns of lines that scroll together. The left column is leftWidth cells wide unless the user
// has moved the divider. In a narrow window the left column is above the right column.
func (p *Detail) DrawColumns(leftWidth, w, h int, left, right func(w int) []string) string {
	p.Apart = p.Env.Look.Theme.IsWide(w, p.least)
	if p.Apart {
		p.Split.Panes[0].Cells = leftWidth
		leftLines, rightLines := p.renderColumns(w, h, left, right)
		return p.drawApart(leftLines, rightLines, w, h)
	}
	return p.drawStacked(JoinParts(left(w), right(w)), w, h)
}

// drawStacked draws both columns as one. It leaves out a title in the last visible line, because the section below
// the title is not visible.
func (p *Detail) drawStacked(lines []string, w, h int) string {
	shown := p.Scroll.View(lines, h, p.Env.Look.Theme.Style(theme.Muted))
	if p.endsWithTitle(lines) {
		shown[p.Scroll.Height()-1] = ""
	}
	return format.FitBox(shown, w, h)
}

// drawApart draws the columns next to each other. It leaves out a title in the last visible line of a column, because
// the section below the title is not visible.
func (p *Detail) drawApart(leftLines, rightLines []string, w, h int) string {
	muted := p.Env.Look.Theme.Style(theme.Muted)
	shown := p.Scroll.View(p.joinColumns(leftLines, rightLines, w, h), h, muted) // also sets which line is the last
	isTitleLeft := p.endsWithTitle(leftLines)
	isTitleRight := p.endsWithTitle(rightLines)
	if !isTitleLeft && !isTitleRight {
		return format.FitBox(shown, w, h)
	}
	last, _ := p.Scroll.LineAt(p.Scroll.Height() - 1)
	if isTitleLeft {
		leftLines[last] = ""
	}
	if isTitleRight {
		rightLines[last] = ""
	}
	shown = p.Scroll.View(p.joinColumns(leftLines, rightLines, w, h), h, muted)
	return format.FitBox(shown, w, h)
}

// endsWithTitle reports whether the last visible line is the title of a section, and the other lines of the section are
// below the view. The title is then not drawn, because nothing of its section would be visible.
func (p *Detail) endsWithTitle(lines []string) bool {
	if p.Scroll.Height() <= 2 { // hardly any line would be left
		return false
	}
	last, ok := p.Scroll.LineAt(p.Scroll.Height() - 1)
	if !ok || last == 0 || last >= len(lines)-1 {
		return false
	}
	isFirstOfPart := lines[last-1] == ""
	hasRest := lines[last+1] != ""
	return isFirstOfPart && hasRest
}

// renderColumns renders the lines of two columns that are next to each other. It appends the map of the site to the
// shorter column if the whole map fits into the first h lines.
func (p *Detail) renderColumns(w, h int, left, right func(w int) []string) (leftLines, rightLines []string) {
	spans := p.Split.LayoutPanes(w)
	leftWidth := spans[0].Len - 1
	rightWidth := spans[1].Len
	leftLines = left(leftWidth)
	rightLines = right(rightWidth)
	if len(leftLines) <= len(rightLines) {
		return p.AppendSite(leftLines, leftWidth, h), rightLines
	}
	return leftLines, p.AppendSite(rightLines, rightWidth, h)
}

// joinColumns draws two columns next to each other, in at least h lines of w cells.
func (p *Detail) joinColumns(leftLines, rightLines []string, w, h int) []string {
	rows := max(len(leftLines), len(rightLines), h)
	p.Split.Panes[0].View = func(w, h int) string { return format.FitBox(leftLines, w, h) }
	p.Split.Panes[1].View = func(w, h int) string { return format.FitBox(rightLines, w, h) }
	return format.SplitLines(p.DrawPanes(w, rows))
}

// minSiteHeight is the smallest height of the map of a site.
const minSiteHeight = 8

// AppendSite appends the map of the site to lines of w cells, so that lines and map together fill h lines. It
// returns the lines unchanged if there is no map or not enough room.
func (p *Detail) AppendSite(lines []string, w, h int) []string {
	room := h - len(lines) - 1
	if p.Site == nil || room < minSiteHeight {
		return lines
	}
	th := p.Env.Look.Theme
	lines = append(lines, th.Rule.Render(strings.Repeat("─", w)))
	return append(lines, format.SplitLines(p.Site.View(th, w, room))...)
}

// MapScopes adds the scopes of the map to the page's scopes if the map is drawn.
func (p *Detail) MapScopes(scopes ...action.Scope) []action.Scope {
	return p.Map.MapScopes(p.Env.Look.Width >= p.least, scopes...)
}

// HandleBack leaves the map and returns true. It returns false if the map does not have the focus.
func (p *Detail) HandleBack() (tea.Cmd, bool) {
	if p.Map == nil || !p.Map.Focused {
		return nil, false
	}
	p.Map.Focused = false
	return nil, true
}

// HandleMouse starts to drag the divider, or scrolls the columns.
func (p *Detail) HandleMouse(m MouseInput) tea.Cmd {
	p.HandlePaneMouse(m)
	p.Scroll.Move(m.Wheel)
	return nil
}

// Panes draws parts of a page next to each other. One pane can have a map. The user can move the map and the
// dividers between the panes with the mouse. The UI state stores the positions of the dividers.
type Panes struct {
	Split widget.Split
	Map   *SiteMap // nil for no map
	Apart bool     // the panes were next to each other in the last view
	Head  int      // number of lines above the panes in the last view

	base Base
	name string // name of the page in the UI state

	mapPlace mapPlace
}

// mapPlace is where the map was drawn in the last view.
type mapPlace struct {
	pane int // index of the pane with the map, or -1 if the map was not drawn
	top  int // line of the map in that pane
}

// panesKey returns the key in the UI state for the positions of the dividers of the page with the given name.
func panesKey(name string) string { return "panes of " + name }

// NewPanes returns the panes of a page. name identifies the saved positions of their dividers in the UI
// state.
func NewPanes(base Base, name string, panes ...widget.Pane) *Panes {
	p := &Panes{base: base, name: name, mapPlace: mapPlace{pane: -1}}
	p.Split.Panes = panes
	p.Split.Passing = base.Env.Clock.IsScrolling
	readLayout(base.Env.Look.UIState, panesKey, name, &p.Split.Shares)
	return p
}

// DrawPanes draws the panes into h lines of w cells.
func (p *Panes) DrawPanes(w, h int) string {
	p.Apart = true
	return p.Split.View(p.base.Env.Look.Theme, w, h)
}

// DrawMap draws the map into h lines of w cells. The map begins at line top of the pane with index pane, which is
// recorded for the mouse.
func (p *Panes) DrawMap(pane, top, w, h int) string {
	p.mapPlace = mapPlace{pane: pane, top: top}
	return p.Map.View(p.base.Env.Look.Theme, w, h)
}

// HidePanes records that neither the panes nor the map are visible. Call it at the beginning of View: drawing the
// panes or the map then records that they are visible.
func (p *Panes) HidePanes() {
	p.Apart = false
	p.mapPlace.pane = -1
}

// PaneUnder returns the pane under the mouse, or -1 for a divider, and the column within the pane.
func (p *Panes) PaneUnder(m MouseInput) (pane, x int) {
	if !p.Apart {
		return 0, m.X
	}
	return p.Split.PaneAt(m.X)
}

// HandlePaneMouse handles a click or wheel turn on a divider or on the map. id is the ID of the feature that was
// clicked on the map, or "". handled is false only if the mouse is on the first pane and not on a map there. The
// page must then handle the mouse itself.
func (p *Panes) HandlePaneMouse(m MouseInput) (id string, handled bool) {
	m.Y -= p.Head
	if p.Apart && m.Wheel == 0 && p.Split.GrabBorder(m.X) {
		return "", true
	}
	pane, x := p.PaneUnder(m)
	isOnMap := p.TracksPointer() && pane == p.mapPlace.pane && m.Y >= p.mapPlace.top
	if !isOnMap {
		return "", pane != 0
	}
	return p.Map.HandleMouse(m, m.X-x, p.mapPlace.top), true
}

// TracksPointer reports whether the page needs the movements of the mouse: it does if the map is visible.
func (p *Panes) TracksPointer() bool {
	return p.Map != nil && p.mapPlace.pane >= 0 && (p.Apart || p.mapPlace.pane == 0)
}

// HandlePointer makes the map show the coordinates under the mouse.
func (p *Panes) HandlePointer(m MouseInput) {
	if !p.TracksPointer() {
		return
	}
	pane, x := p.PaneUnder(m)
	if pane != p.mapPlace.pane {
		x = -1
	}
	p.Map.Model.Hover(x, m.Y-p.Head-p.mapPlace.top)
}

// HandleDrag moves the divider or the map with the mouse. If isReleased is true, the button was released, and
// HandleDrag saves the position of the divider.
func (p *Panes) HandleDrag(m MouseInput, isReleased bool) tea.Cmd {
	m.Y -= p.Head
	movesDivider := p.Split.Drag(m.X, isReleased)
	if !movesDivider {
		if p.Map != nil {
			p.Map.HandleDrag(m, isReleased)
		}
		return nil
	}
	if !isReleased {
		return nil
	}
	p.base.Env.Look.UIState.Put(panesKey(p.name), p.Split.Shares)
	return p.base.Env.Look.SaveUIState()
}

// DetailSection is a part of a page: a title with a note, and lines below it.
type DetailSection struct {
	Title, Note string
	Err         error // error of the last read, shown above the lines
	Unread      bool  // the data is not read yet; placeholders are shown instead of the lines
	Lines       []string
	None        string // text if there are no lines
}

// RenderSection renders a section in lines of at most w cells. scope is the action scope of the page: after a failed
// read, the section shows the page's key that reads the data again.
func (l *PageLook) RenderSection(s DetailSection, w int, scope action.Scope) []string {
	th := l.Theme
	lines := []string{" " + th.PaintTitle(s.Title) + th.PaintMuted("  "+s.Note)}
	if s.Err != nil {
		lines = append(lines, l.RenderProblem(s.Err, "", w, scope)...)
		lines = append(lines, s.Lines...)
	} else if s.Unread {
		lines = append(lines, th.PaintMuted("   ░░░░░░░░  ░░░░░░░░░░░░░  ░░░░░░"))
	} else if len(s.Lines) == 0 {
		lines = append(lines, th.PaintMuted("   "+s.None))
	} else {
		lines = append(lines, s.Lines...)
	}
	return CutLines(lines, w)
}

// CutLines cuts lines to w cells in place, and returns them.
func CutLines(lines []string, w int) []string {
	for i, line := range lines {
		lines[i] = format.CutLine(line, w)
	}
	return lines
}

// JoinParts joins the lines of parts, with a blank line between two parts. It skips parts without
// lines.
func JoinParts(parts ...[]string) []string {
	var lines []string
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// DetailHead has the data for the first lines of a page about an order or a mission.
type DetailHead struct {
	Code, Name string
	Status     format.StatusLabel
	Due        string // text after the status, such as when a flight is due; "" for none
	Next       NextStep
	Warnings   []widget.Fact // warnings below the status; their labels are not shown
}

// NextStep is what happens next with an order or a mission. The zero value is an unknown step.
type NextStep struct {
	Text   string    // who does what, such as "the service sends quotes"; "" if that is not known
	Action action.ID // action that opens the page for the step, or ""
	Key    string    // key of Action
	Opens  string    // what Action opens, such as "quotes"
}

// RenderLines renders the head in lines of at most w cells. Texts after the status that do not fit are left out. If
// the next step is known, the description of the status is left out, because the step says more.
func (h *DetailHead) RenderLines(th *theme.Theme, w int) []string {
	status := " " + th.PaintRole(h.Status.Role, h.Status.Glyph+" "+h.Status.Label)
	description := h.Status.Description
	if h.Next.Text != "" {
		description = ""
	}
	for _, text := range []string{h.Due, description} {
		if text == "" || strings.EqualFold(text, h.Status.Label) {
			continue
		}
		part := th.PaintMuted(" · " + text)
		if format.Width(status)+format.Width(part) < w-1 {
			status += part
		}
	}
	lines := append(h.renderTitle(th, w), status)
	lines = append(lines, h.Next.renderLines(th, w)...)
	for _, warning := range h.Warnings {
		lines = append(lines, th.PaintLines(warning.Role, " ", warning.Value, w-2)...)
	}
	return CutLines(lines, w-1)
}

// renderTitle renders the code and the name in lines of at most w cells. A name that does not fit next to the code
// continues in the next lines.
func (h *DetailHead) renderTitle(th *theme.Theme, w int) []string {
	code := " " + th.PaintRole(theme.Accent, h.Code) + "  "
	room := w - 1 - format.Width(code)
	name := format.Clean(h.Name)
	if format.Width(name) <= room || room < minNameWidth {
		return []string{code + th.PaintTitle(name)}
	}
	beside := format.Wrap(name, room)[0]
	rest := strings.TrimPrefix(name, beside)
	return append([]string{code + th.PaintTitle(beside)}, th.PaintTitleLines(strings.TrimSpace(rest), w)...)
}

// renderLines renders the step and its key in lines of at most w cells, or returns nil if the step is not known.
func (n *NextStep) renderLines(th *theme.Theme, w int) []string {
	if n.Text == "" {
		return nil
	}
	lines := th.PaintLines(theme.Text, " ", "Next: "+format.Clean(n.Text), w-2)
	if n.Key == "" || len(lines) == 0 {
		return lines
	}
	hint := th.PaintHint(n.Key, n.Opens)
	last := len(lines) - 1
	if format.Width(lines[last])+len("  ")+format.Width(hint) < w {
		lines[last] += "  " + hint
		return lines
	}
	return append(lines, " "+hint)
}

// minNameWidth is the smallest room for a name, in cells, next to the code. With less room, the name is cut and not
// wrapped.
const minNameWidth = 12

// PathSteps returns the steps of a process, such as the stages of an order. names has the name of each step, and days
// has the day of each step, or "" if there is none. current is the index of the current step, which is drawn in role.
// If the last step is current, all steps are done.
func PathSteps(names, days []string, current int, role theme.Role) []widget.Step {
	isOver := current == len(names)-1
	steps := make([]widget.Step, len(names))
	for i := range names {
		steps[i] = widget.Step{Name: names[i], When: days[i]}
		if i < current || isOver {
			steps[i].State = widget.Done
		} else if i == current {
			steps[i].State = widget.Current
			steps[i].Role = role
		}
	}
	return steps
}
