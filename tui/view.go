package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// View draws the screen, at most once a frame.
func (a *App) View() (v tea.View) {
	defer a.guard(nil) // the next Update ends the app
	return a.limiter.draw(a.render)
}

func (a *App) render() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = "flightdesk · " + layout.Clean(a.stacks.top().Title())
	v.ProgressBar = a.status.progress()
	v.MouseMode = a.mouse.mode(a.stacks.top(), len(a.dialogs) > 0)
	if !a.appearance.isAuto() { // else the terminal's own, which is what auto goes by
		v.BackgroundColor = a.env.Theme.Page()
		v.ForegroundColor = a.env.Theme.Foreground()
	}
	if a.w <= 0 || a.h <= 0 {
		return v
	}
	if a.appearance.blank {
		v.Content = " " // of nothing at all the library would clear the screen with every tick
		return v
	}
	if a.w < minWidth || a.h < minHeight {
		v.Content = a.tooSmall()
		return v
	}
	a.mouse.hits = a.mouse.hits[:0]
	body := a.stacks.top().View(a.w, a.bodyHeight())
	head, foot := a.head(), slices.Concat(a.panel(), a.countdown(), a.foot())
	content := strings.Join(append(append(head, body), foot...), "\n")
	if c := a.stacks.top().Cursor(); c != nil {
		v.Cursor = tea.NewCursor(c.X, c.Y+len(head))
	}
	if a.jumps.on {
		a.jumps.label(a.stacks.top(), a.headHeight(), a.mouse.hits)
		content, v.Cursor = a.jumps.draw(content, a.env.Theme.Selected(theme.Attention).Bold(true)), nil
	}
	for _, d := range a.dialogs {
		content = a.over(d, content)
		v.Cursor = nil
		if c := d.Cursor(); c != nil {
			v.Cursor = tea.NewCursor(a.box.x+c.X, a.box.y+c.Y)
		}
	}
	v.Content = content
	return v
}

func (a *App) tooSmall() string {
	lines := []string{
		fmt.Sprintf(" %d x %d, too small", a.w, a.h),
		fmt.Sprintf(" needs %d x %d", minWidth, minHeight),
		" nothing is lost", " ctrl+c quits",
	}
	return layout.Box(lines, a.w, a.h)
}

// rules tells whether there is room for the two rules.
func (a *App) rules() bool { return a.h >= 24 }

// bodyHeight is what head and foot leave to the page.
func (a *App) bodyHeight() int {
	if a.rules() {
		return a.h - 7 - a.panelHeight() - len(a.countdown())
	}
	return a.h - 4 - a.panelHeight() - len(a.countdown())
}

// PageRows are the rows of the window that the page on the screen draws.
func (a *App) PageRows() (top, height int) { return a.headHeight(), a.bodyHeight() }

// headHeight is how many rows stand above the page.
func (a *App) headHeight() int {
	if a.rules() {
		return 4
	}
	return 3
}

func (a *App) rule() string { return a.env.Theme.Rule.Render(strings.Repeat("─", a.w)) }

// The rows of the head.
const navRow, placeRow = 1, 2

// head is the account band, the sections, the place, and a rule.
func (a *App) head() []string {
	head := []string{a.band(), a.nav(navRow), a.place(placeRow)}
	if a.rules() {
		head = append(head, a.rule())
	}
	return head
}

// place is where one is: the titles of the pages below this one, each of which
// a click goes back to, and what the page says of itself.
func (a *App) place(y int) string {
	th := a.env.Theme
	var line string
	var hits []hit
	for i, p := range a.stacks.pages() {
		if i > 0 {
			line += layout.Text(th.Style(theme.Muted), " › ")
		}
		title := layout.Text(th.Title, p.Title())
		hits = append(hits, hit{x: layout.Width(line), w: layout.Width(title), do: func() tea.Cmd { return a.stacks.backTo(i) }})
		line += title
	}
	a.mouse.add(hits, 1, y)
	return layout.Ends(" "+line, layout.Text(th.Style(theme.Muted), a.stacks.top().Corner())+" ", a.w)
}

// countdown is the row that says what is about to leave. It is never shared:
// with a message in its place a decision would leave unseen.
func (a *App) countdown() []string {
	line := a.pending.line(a.env.Now(), a.w-2)
	if line == "" {
		return nil
	}
	return []string{layout.Left(" "+layout.Text(a.env.Theme.Style(theme.Attention), line), a.w)}
}

// foot is a rule, the status row and the keys; in a low window what the status
// row has to say takes the place of the keys.
func (a *App) foot() []string {
	status := a.status.line(a.env.Theme, a.w)
	switch {
	case a.rules():
		return []string{a.rule(), cmp.Or(status, layout.Blank(a.w)), a.keys(a.h - 1)}
	case a.status.toast.Text != "":
		return []string{status}
	default:
		return []string{a.keys(a.h - 1)}
	}
}

// keys is the footer made from the action table; help and quit stay at the
// right whatever else has to go.
func (a *App) keys(y int) string {
	p := a.stacks.top()
	var left, right []action.Action
	for _, act := range action.Footer(a.scopes()...) {
		if act.Shown(p.Typing()) == "" || a.off(act) != "" || act.ID == action.Back && len(a.stacks.pages()) == 1 {
			continue
		}
		if act.Footer >= 98 {
			right = append(right, act)
		} else {
			left = append(left, act)
		}
	}
	end, ends := a.keyRow(right, a.w)
	line, hits := a.keyRow(left, a.w-layout.Width(end)-4)
	a.mouse.add(hits, 1, y)
	a.mouse.add(ends, a.w-layout.Width(end)-1, y)
	return layout.Ends(" "+line, end+" ", a.w)
}

// keyRow lists actions with their keys, as many as fit into w cells.
func (a *App) keyRow(acts []action.Action, w int) (line string, hits []hit) {
	th := a.env.Theme
	for _, act := range acts {
		part := layout.Text(th.Key, action.Label(act.Shown(a.stacks.top().Typing()))) + " " + layout.Text(th.Style(theme.Muted), act.Title)
		gap := 0
		if line != "" {
			gap = 2
		}
		if layout.Width(line)+gap+layout.Width(part) > w {
			break
		}
		line += layout.Blank(gap)
		hits = append(hits, hit{x: layout.Width(line), w: layout.Width(part), do: func() tea.Cmd { return a.act(act) }})
		line += part
	}
	return line, hits
}
