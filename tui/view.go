package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
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
	v.ReportFocus = true
	v.ProgressBar = a.status.progress()
	if !a.appearance.isAuto() { // else the terminal's own, which is what auto goes by
		v.BackgroundColor = a.env.Theme.Page()
		v.ForegroundColor = a.env.Theme.Foreground()
	}
	switch f := &a.frame; {
	case f.w <= 0 || f.h <= 0:
	case a.appearance.blank:
		v.Content = " " // of nothing at all the library would clear the screen with every tick
	case f.w < minWidth || f.h < minHeight:
		v.Content = f.tooSmall()
	default:
		v.Content, v.Cursor = a.screen()
		v.Content = a.terminal.glyphs.Set().Draw(v.Content)
	}
	v.MouseMode = a.mouse.mode(a.stacks.top(), a.dialogs.top())
	return v
}

// screen draws the page, the frame around it, and what is over both.
func (a *App) screen() (content string, cursor *tea.Cursor) {
	f, p := &a.frame, a.stacks.top()
	top, height := a.PageRows()
	body := p.View(f.w, height)
	nav := navigation{f.th, offered(a.env), a.stacks.now, a.env.Badge, a.goSection}
	head := f.head(a.link.band(&a.opts, a.env.Permissions, f, a.env.Host, a.env.Now()), nav.row(f.w), f.place(a.stacks.pages(), a.stacks.backTo))
	between := slices.Concat(a.downloads.rows(f), a.pending.rows(f.th, a.env.Now(), f.w))
	foot := f.foot(&a.status, f.keys(a.footer(), p.Typing(), a.act))
	a.mouse.hits = a.mouse.hits[:0]
	a.mouse.add(head, 0)
	a.mouse.add(foot, f.h-len(foot))
	content = strings.Join(slices.Concat(texts(head), []string{body}, between, texts(foot)), "\n")
	if c := p.Cursor(); c != nil {
		cursor = tea.NewCursor(c.X, c.Y+top)
	}
	if a.jumps.on {
		a.jumps.label(p, top, a.mouse.hits)
		content, cursor = a.jumps.draw(content, f.th.Selected(theme.Attention).Bold(true)), nil
	}
	if a.dialogs.top() != nil {
		return a.dialogs.draw(content, f.w, f.h, a.pending.height())
	}
	return content, cursor
}

// PageRows are the rows of the window that the page on the screen draws.
func (a *App) PageRows() (top, height int) {
	return a.frame.headHeight(), a.frame.bodyHeight(a.downloads.height(&a.frame) + a.pending.height())
}

// footer are the actions whose keys are shown.
func (a *App) footer() []action.Action {
	typing, below := a.stacks.top().Typing(), len(a.stacks.pages())-1
	return slices.DeleteFunc(action.Footer(a.scopes()...), func(act action.Action) bool {
		return act.Shown(typing) == "" || a.off(act) != "" || act.ID == action.Back && below == 0
	})
}

// texts are the lines of rows.
func texts(rows []row) []string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.text
	}
	return lines
}
