package tui

import (
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

// frameRow is a line of the frame with its clickable areas.
type frameRow struct {
	text string
	hits []clickArea
}

// navRow is the row of the section names.
const navRow = 1

// hasRules reports whether there is room for the two horizontal rules.
func hasRules(height int) bool { return height >= 24 }

// drawPlace returns the breadcrumbs: the titles of the pages on the stack, which
// a click returns to, and the page's own note at the right.
func (a *App) drawPlace() frameRow {
	r, th, w, top := frameRow{text: " "}, a.ws.env.Look.Theme, a.ws.env.Look.Width, a.ws.pages.top()
	for i, p := range a.ws.pages.pages() {
		gap := ""
		if i > 0 {
			gap = th.PaintMuted(" › ")
		}
		r.addPart(gap, th.PaintTitle(p.Title()), func() tea.Cmd { return a.ws.pages.backTo(i) })
	}
	corner := th.PaintMuted(top.CornerText()) + " "
	if leader, ok := top.(page.Leader); ok {
		r.text += drawLead(th, leader.LeadOf(), w-format.Width(r.text)-format.Width(corner)-1)
	}
	return frameRow{format.FitEnds(r.text, corner, w), r.hits}
}

// leastLead are the cells below which a lead says nothing.
const leastLead = 20

// leastPart are the cells below which a part of a lead is left out, with the dot before it.
const leastPart = 15

// drawLead returns a lead in at most w cells, its key in full.
func drawLead(th *theme.Theme, lead page.Lead, w int) string {
	hint := ""
	if lead.Key != "" {
		hint = th.PaintHint(lead.Key, lead.Does)
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
	return "   " + th.PaintRole(theme.Attention, text) + "  " + hint
}

// addPart appends a clickable part after a gap.
func (r *frameRow) addPart(gap, part string, do func() tea.Cmd) {
	r.text += gap
	r.hits = append(r.hits, clickArea{
		x:  format.Width(r.text),
		w:  format.Width(part),
		do: do,
	})
	r.text += part
}

// drawKeys returns the key hints of the actions. Help and quit always stay at the
// right.
func (a *App) drawKeys() frameRow {
	acts, w := a.footerActions(), a.ws.env.Look.Width
	last := slices.IndexFunc(acts, func(act action.Action) bool { return act.Footer >= 98 })
	if last < 0 {
		last = len(acts)
	}
	end := a.keyRow(acts[last:], w)
	r := a.keyRow(acts[:last], w-format.Width(end.text)-4)
	shift := func(hits []clickArea, by int) {
		for i := range hits {
			hits[i].x += by
		}
	}
	shift(r.hits, 1)
	shift(end.hits, w-format.Width(end.text)-1)
	return frameRow{format.FitEnds(" "+r.text, end.text+" ", w), append(r.hits, end.hits...)}
}

// keyRow returns the key hints that fit into w cells.
func (a *App) keyRow(acts []action.Action, w int) (r frameRow) {
	typing, gap := a.ws.pages.top().IsTyping(), ""
	for _, act := range acts {
		part := a.ws.env.Look.Theme.PaintHint(action.KeyLabel(act.ShownKey(typing)), act.Title)
		if format.Width(r.text+gap+part) > w {
			break
		}
		r.addPart(gap, part, func() tea.Cmd { return a.performAction(act) })
		gap = "  "
	}
	return r
}

// View renders the screen, at most once a frame.
func (a *App) View() (v tea.View) {
	a.opts.Terminal.work(func() {
		defer a.guardUpdate(nil) // a panic is handled by the next Update
		v = a.limiter.drawFrame(func() tea.View {
			drawn := a.render()
			a.screen.show(drawn)
			return drawn
		})
	})
	return v
}

func (a *App) render() tea.View {
	v := tea.NewView("")
	v.ProgressBar = a.ws.status.progressBar()
	if !a.look.isAuto() { // an automatic theme keeps the terminal's colours
		v.BackgroundColor = a.ws.env.Look.Theme.PageColor()
		v.ForegroundColor = a.ws.env.Look.Theme.TextColor()
	}
	switch w, h := a.ws.env.Look.Width, a.ws.env.Look.Height; {
	case w <= 0 || h <= 0:
	case a.look.isWaiting:
	case w < minWidth || h < minHeight:
		size := fmt.Sprintf(" %dx%d, needs %dx%d", w, h, minWidth, minHeight)
		v.Content = format.FitBox([]string{" Window too small:", size, " ctrl+c quit"}, w, h)
	default:
		v.Content, v.Cursor = a.drawScreen()
		v.Content = a.ws.env.Files.HidePaths(a.terminal.glyphs.GlyphSet().DrawText(v.Content))
	}
	v.MouseMode = a.mouse.mode(a.ws.topmost())
	return v
}

// topmost returns what gets input: the dialog on top, or else the page.
func (ws *workspace) topmost() any {
	if d := ws.dialogs.top(); d != nil {
		return d
	}
	return ws.pages.top()
}

// drawScreen draws the page, its frame, and any dialogs or jump labels over both.
func (a *App) drawScreen() (content string, cursor *tea.Cursor) {
	p, th, w := a.ws.pages.top(), a.ws.env.Look.Theme, a.ws.env.Look.Width
	top, height := a.PageRows()
	body := p.View(w, height)
	band := a.band()
	head := []frameRow{{text: band.render(th, w)}, a.drawNavigation(), a.drawPlace()}
	foot := []frameRow{a.drawKeys()}
	switch status := a.ws.status.render(th, w); { // in a low window a message replaces the keys
	case hasRules(a.ws.env.Look.Height):
		rule := frameRow{text: th.Rule.Render(strings.Repeat("─", w))}
		head, foot = append(head, rule), append([]frameRow{rule, {text: status}}, foot...)
	case a.ws.status.toast.Text != "":
		foot = []frameRow{{text: status}}
	}
	panel := downloadPanel(a.ws.env.Profile.Downloads, th, w, panelRows(a.ws.env.Profile.Downloads, a.ws.env.Look.Height), a.ws.env.Files.ShortPath)
	a.hits = nil
	lines := slices.Concat(a.placeRows(0, head), []string{body},
		panel, a.drawCountdown(), a.placeRows(a.ws.env.Look.Height-len(foot), foot))
	content = strings.Join(lines, "\n")
	if c := p.Cursor(); c != nil {
		cursor = tea.NewCursor(c.X, c.Y+top)
	}
	if a.jumps.on {
		a.jumps.labelParts(p, top, a.hits)
		content, cursor = a.jumps.drawLabels(content, th.SelectedStyle(theme.Attention).Bold()), nil
	}
	if a.ws.dialogs.top() != nil {
		return a.ws.dialogs.draw(content, th, w, a.ws.env.Look.Height, a.ws.held.rows())
	}
	return content, cursor
}

// placeRows notes what can be clicked in rows, the first of which is row y of the
// window, and returns their texts.
func (a *App) placeRows(y int, rows []frameRow) (texts []string) {
	for i, r := range rows {
		texts = append(texts, r.text)
		for _, h := range r.hits {
			h.y = y + i
			a.hits = append(a.hits, h)
		}
	}
	return texts
}

// PageRows returns the first row and the number of rows of the page in the
// window.
func (a *App) PageRows() (top, height int) {
	top, height = 3, a.ws.env.Look.Height-4-panelRows(a.ws.env.Profile.Downloads, a.ws.env.Look.Height)-a.ws.held.rows()
	if hasRules(a.ws.env.Look.Height) {
		return top + 1, height - 3
	}
	return top, height
}

// footerActions returns the actions shown as key hints.
func (a *App) footerActions() []action.Action {
	typing, below := a.ws.pages.top().IsTyping(), len(a.ws.pages.pages())-1
	isUnlikely := func(action.ID) bool { return false }
	if top, ok := a.ws.pages.top().(page.UnlikelyActs); ok {
		isUnlikely = top.IsUnlikely
	}
	return slices.DeleteFunc(action.FooterActions(a.activeScopes()...), func(act action.Action) bool {
		return act.ShownKey(typing) == "" || a.disabledReason(act) != "" || isUnlikely(act.ID) ||
			act.ID == action.Back && below == 0
	})
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
}

// restTime returns how long until scrolling counts as stopped: one and a half
// times the last gap, so that typed-ahead keys are shown soon.
func (g *frameLimiter) restTime() time.Duration {
	return min(g.rest, max(frameTime, g.gap*3/2)) - g.now().Sub(g.pressed)
}

// isPassing reports whether rows are only being scrolled past.
func (g *frameLimiter) isPassing() bool { return g.gap < g.rest && g.restTime() > 0 }

// settleCommand returns the command that looks again when scrolling has stopped, unless
// one is pending: the selected row may need data then.
func (g *frameLimiter) settleCommand() tea.Cmd {
	if g.resting || !g.isPassing() {
		return nil
	}
	g.resting = true
	return g.after(max(frameTime, g.restTime()), doMsg{do: func() tea.Cmd {
		g.resting = false
		return nil
	}})
}

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
