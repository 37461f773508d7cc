package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// minWidth and minHeight are the smallest usable window.
const minWidth, minHeight = 60, 18

// pageFrame draws the header and footer around the page, in a window of w by h
// cells.
type pageFrame struct {
	w, h int
	th   *theme.Theme
}

// frameRow is a line of the frame with its clickable areas.
type frameRow struct {
	text string
	hits []clickArea
}

// navRow is the row of the section names.
const navRow = 1

func (f *pageFrame) tooSmall() string {
	lines := []string{
		" Window too small:",
		fmt.Sprintf(" %dx%d, needs %dx%d", f.w, f.h, minWidth, minHeight),
		" ctrl+c quit",
	}
	return format.FitBox(lines, f.w, f.h)
}

// hasRules reports whether there is room for the two horizontal rules.
func (f *pageFrame) hasRules() bool { return f.h >= 24 }

// headHeight returns the number of rows above the page.
func (f *pageFrame) headHeight() int {
	if f.hasRules() {
		return 4
	}
	return 3
}

// bodyHeight returns the number of rows left for the page; between are rows taken
// between page and footer.
func (f *pageFrame) bodyHeight(between int) int {
	if f.hasRules() {
		return f.h - 7 - between
	}
	return f.h - 4 - between
}

func (f *pageFrame) drawRule() frameRow {
	return frameRow{text: f.th.Rule.Render(strings.Repeat("─", f.w))}
}

// drawPlace returns the breadcrumbs: the titles of the pages on the stack, which
// a click returns to, and the page's own note at the right.
func (f *pageFrame) drawPlace(of []page.Page, backTo func(i int) tea.Cmd) frameRow {
	r := frameRow{text: " "}
	for i, p := range of {
		gap := ""
		if i > 0 {
			gap = f.th.PaintMuted(" › ")
		}
		r.addPart(gap, f.th.PaintTitle(p.Title()), func() tea.Cmd { return backTo(i) })
	}
	top := of[len(of)-1]
	corner := f.th.PaintMuted(top.CornerText()) + " "
	if leader, ok := top.(page.Leader); ok {
		r.text += f.drawLead(leader.LeadOf(), f.w-format.Width(r.text)-format.Width(corner)-1)
	}
	return frameRow{format.FitEnds(r.text, corner, f.w), r.hits}
}

// leastLead are the cells below which a lead says nothing.
const leastLead = 20

// leastPart are the cells below which a part of a lead is left out, with the dot before it.
const leastPart = 15

// drawLead returns a lead in at most w cells, its key in full.
func (f *pageFrame) drawLead(lead page.Lead, w int) string {
	hint := ""
	if lead.Key != "" {
		hint = f.th.PaintHint(lead.Key, lead.Does)
	}
	room := w - format.Width(hint) - 6
	if lead.Text == "" || room < leastLead {
		return ""
	}
	text := format.Clean(lead.Text)
	for i := strings.LastIndex(text, " · "); i > 0 && room-format.Width(text[:i]) < leastPart; i = strings.LastIndex(text, " · ") {
		text = text[:i] // a name of a few letters says nothing
	}
	text = format.CutLine(text, room)
	return "   " + f.th.PaintRole(theme.Attention, text) + "  " + hint
}

// addPart appends a clickable part after a gap.
func (r *frameRow) addPart(gap, part string, do func() tea.Cmd) {
	r.text += gap
	r.hits = append(r.hits, clickArea{x: format.Width(r.text), w: format.Width(part), do: do})
	r.text += part
}

// drawFoot returns a rule, the status row and the key hints. In a low window the
// last message replaces the key hints.
func (f *pageFrame) drawFoot(s *status, keys frameRow) []frameRow {
	switch {
	case f.hasRules():
		return []frameRow{f.drawRule(), {text: cmp.Or(s.drawLine(f.th, f.w), format.BlankCells(f.w))}, keys}
	case s.toast.Text != "":
		return []frameRow{{text: s.drawLine(f.th, f.w)}}
	default:
		return []frameRow{keys}
	}
}

// drawKeys returns the key hints of the actions. Help and quit always stay at the
// right.
func (f *pageFrame) drawKeys(acts []action.Action, typing bool, do func(action.Action) tea.Cmd) frameRow {
	var left, right []action.Action
	for _, act := range acts {
		if act.Footer >= 98 {
			right = append(right, act)
		} else {
			left = append(left, act)
		}
	}
	end := f.keyRow(right, f.w, typing, do)
	r := f.keyRow(left, f.w-format.Width(end.text)-4, typing, do)
	from := f.w - format.Width(end.text) - 1
	for i := range r.hits {
		r.hits[i].x++
	}
	for _, h := range end.hits {
		h.x += from
		r.hits = append(r.hits, h)
	}
	return frameRow{format.FitEnds(" "+r.text, end.text+" ", f.w), r.hits}
}

// keyRow returns the key hints that fit into w cells.
func (f *pageFrame) keyRow(acts []action.Action, w int, typing bool, do func(action.Action) tea.Cmd) frameRow {
	var r frameRow
	for _, act := range acts {
		part := format.CleanText(
			f.th.Key,
			action.KeyLabel(act.ShownKey(typing)),
		) + " " + f.th.PaintMuted(
			act.Title,
		)
		gap := ""
		if r.text != "" {
			gap = format.BlankCells(2)
		}
		if format.Width(r.text)+format.Width(gap)+format.Width(part) > w {
			break
		}
		r.addPart(gap, part, func() tea.Cmd { return do(act) })
	}
	return r
}

// View renders the screen, at most once a frame.
func (a *App) View() (v tea.View) {
	defer a.guardUpdate(nil) // a panic is handled by the next Update
	return a.limiter.drawFrame(a.render)
}

func (a *App) render() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	v.ProgressBar = a.status.progressBar()
	if !a.appearance.isAuto() { // an automatic theme keeps the terminal's colours
		v.BackgroundColor = a.env.Theme.PageColor()
		v.ForegroundColor = a.env.Theme.TextColor()
	}
	switch f := &a.frame; {
	case f.w <= 0 || f.h <= 0:
	case a.appearance.blank:
		v.Content = " " // with empty content Bubble Tea clears the screen at every tick
	case f.w < minWidth || f.h < minHeight:
		v.Content = f.tooSmall()
	default:
		v.Content, v.Cursor = a.drawScreen()
		v.Content = a.terminal.glyphs.GlyphSet().DrawText(v.Content)
	}
	v.MouseMode = a.mouse.mouseMode(a.stacks.top(), a.dialogs.topDialog())
	return v
}

// drawScreen draws the page, its frame, and any dialogs or jump labels over both.
func (a *App) drawScreen() (content string, cursor *tea.Cursor) {
	f, p := &a.frame, a.stacks.top()
	top, height := a.PageRows()
	body := p.View(f.w, height)
	head := []frameRow{
		{text: a.renderBand()},
		a.drawNavigation(f.w),
		f.drawPlace(a.stacks.pages(), a.stacks.backTo),
	}
	if f.hasRules() {
		head = append(head, f.drawRule())
	}
	between := slices.Concat(a.downloads.drawRows(f), a.pending.drawRows(f.th, a.env.Now(), f.w))
	foot := f.drawFoot(&a.status, f.drawKeys(a.footerActions(), p.IsTyping(), a.performAction))
	a.mouse.hits = a.mouse.hits[:0]
	a.mouse.noteRows(head, 0)
	a.mouse.noteRows(foot, f.h-len(foot))
	content = strings.Join(slices.Concat(rowTexts(head), []string{body}, between, rowTexts(foot)), "\n")
	if c := p.Cursor(); c != nil {
		cursor = tea.NewCursor(c.X, c.Y+top)
	}
	if a.jumps.on {
		a.jumps.labelParts(p, top, a.mouse.hits)
		content, cursor = a.jumps.drawLabels(content, f.th.SelectedStyle(theme.Attention).Bold(true)), nil
	}
	if a.dialogs.topDialog() != nil {
		return a.dialogs.drawTop(f.th, content, f.w, f.h, a.pending.rowCount())
	}
	return content, cursor
}

// PageRows returns the first row and the number of rows of the page in the
// window.
func (a *App) PageRows() (top, height int) {
	return a.frame.headHeight(), a.frame.bodyHeight(a.downloads.panelHeight(&a.frame) + a.pending.rowCount())
}

// footerActions returns the actions shown as key hints.
func (a *App) footerActions() []action.Action {
	typing, below := a.stacks.top().IsTyping(), len(a.stacks.pages())-1
	return slices.DeleteFunc(action.FooterActions(a.activeScopes()...), func(act action.Action) bool {
		return act.ShownKey(typing) == "" || a.disabledReason(act) != "" || act.ID == action.Back && below == 0
	})
}

// rowTexts returns the text of each row.
func rowTexts(rows []frameRow) []string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.text
	}
	return lines
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" })
}

// frameTime is the shortest time between two frames. Bubble Tea renders after
// every message, so a burst of keys would be drawn key by key.
const frameTime = time.Second / 60

// frameLimiter renders at most once a frame and returns the last view in between.
type frameLimiter struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	drawn   time.Time
	keyed   time.Time // when a key was last drawn without waiting
	view    tea.View
	dirty   bool
	slow    bool // the window has no focus: use slowFrame
	pending bool // a frameMsg is pending

	rest    time.Duration // see const rest; 0 disables it
	pressed time.Time     // time of the last key
	gap     time.Duration // between the last two keys
	passing bool          // gap is below rest
	resting bool          // a check is pending
}

// frameMsg ends the frame, so that changes can be drawn.
type frameMsg struct{}

// rest is the gap between keys below which the user is scrolling past rows:
// longer than the repeat time of a held key, shorter than the pause of someone
// who reads.
const rest = 90 * time.Millisecond

// slowFrame is the frame time of a window without focus.
const slowFrame = time.Second

func (g *frameLimiter) frameTime() time.Duration {
	if g.slow {
		return slowFrame
	}
	return frameTime
}

// markStale marks the view as stale. During a frame it returns the command that
// redraws at its end.
func (g *frameLimiter) markStale() tea.Cmd {
	g.dirty = true
	wait := g.frameTime() - g.now().Sub(g.drawn)
	if wait <= 0 || g.pending {
		return nil
	}
	g.pending = true
	return g.after(wait, frameMsg{})
}

// noteKey lets the next key be drawn immediately, even within a frame that a
// response or a timer began.
func (g *frameLimiter) noteKey() {
	now := g.now()
	if now.Sub(g.keyed) >= frameTime {
		g.keyed, g.drawn = now, time.Time{}
	}
	g.gap, g.pressed = now.Sub(g.pressed), now
	g.passing = g.gap < g.rest
}

// restTime returns how long until scrolling counts as stopped: one and a half
// times the last gap, so that typed-ahead keys are shown soon.
func (g *frameLimiter) restTime() time.Duration {
	return min(g.rest, max(frameTime, g.gap*3/2)) - g.now().Sub(g.pressed)
}

// settleCommand returns the command that checks later whether scrolling has
// stopped, unless one is pending.
func (g *frameLimiter) settleCommand() tea.Cmd {
	if !g.passing || g.resting {
		return nil
	}
	g.resting = true
	return g.after(max(frameTime, g.restTime()), doMsg{do: func() tea.Cmd {
		g.checkScrolling() // the selected row may need data
		return nil
	}})
}

// checkScrolling notes and reports whether scrolling has stopped. It is called after each
// restTime.
func (g *frameLimiter) checkScrolling() bool {
	g.resting = false
	g.passing = g.passing && g.restTime() > 0
	return !g.passing
}

func (g *frameLimiter) isPassing() bool { return g.passing }

// endFrame ends the frame, so that the next change is drawn immediately.
func (g *frameLimiter) endFrame() {
	g.pending = false
	g.drawn = time.Time{}
}

// drawFrame returns the last view, or renders a new one if it is stale and the
// frame has ended.
func (g *frameLimiter) drawFrame(render func() tea.View) tea.View {
	now := g.now()
	if g.dirty && now.Sub(g.drawn) >= g.frameTime() {
		g.view, g.drawn, g.dirty = render(), now, false
	}
	return g.view
}
