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
	defer a.guardUpdate(nil) // the next Update ends the app
	return a.limiter.drawFrame(a.render)
}

func (a *App) render() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.ReportFocus = true
	v.ProgressBar = a.status.progress()
	if !a.appearance.isAuto() { // else the terminal's own, which is what auto goes by
		v.BackgroundColor = a.env.Theme.PageColor()
		v.ForegroundColor = a.env.Theme.TextColor()
	}
	switch f := &a.frame; {
	case f.w <= 0 || f.h <= 0:
	case a.appearance.blank:
		v.Content = " " // of nothing at all the library would clear the screen with every tick
	case f.w < minWidth || f.h < minHeight:
		v.Content = f.tooSmall()
	default:
		v.Content, v.Cursor = a.screen()
		v.Content = a.terminal.glyphs.GlyphSet().DrawText(v.Content)
	}
	v.MouseMode = a.mouse.mouseMode(a.stacks.top(), a.dialogs.topDialog())
	return v
}

// screen draws the page, the frame around it, and what is over both.
func (a *App) screen() (content string, cursor *tea.Cursor) {
	f, p := &a.frame, a.stacks.top()
	top, height := a.PageRows()
	body := p.View(f.w, height)
	nav := navigation{f.th, offered(a.env), a.stacks.now, a.env.BadgeOf, a.goSection}
	head := f.drawHead(a.link.renderBand(&a.opts, a.env.Permissions, f, a.env.Host, a.env.Now()), nav.row(f.w), f.drawPlace(a.stacks.pages(), a.stacks.backTo))
	between := slices.Concat(a.downloads.drawRows(f), a.pending.drawRows(f.th, a.env.Now(), f.w))
	foot := f.drawFoot(&a.status, f.drawKeys(a.footer(), p.IsTyping(), a.performAction))
	a.mouse.hits = a.mouse.hits[:0]
	a.mouse.noteRows(head, 0)
	a.mouse.noteRows(foot, f.h-len(foot))
	content = strings.Join(slices.Concat(texts(head), []string{body}, between, texts(foot)), "\n")
	if c := p.Cursor(); c != nil {
		cursor = tea.NewCursor(c.X, c.Y+top)
	}
	if a.jumps.on {
		a.jumps.labelParts(p, top, a.mouse.hits)
		content, cursor = a.jumps.drawLabels(content, f.th.SelectedStyle(theme.Attention).Bold(true)), nil
	}
	if a.dialogs.topDialog() != nil {
		return a.dialogs.drawTop(content, f.w, f.h, a.pending.rowCount())
	}
	return content, cursor
}

// PageRows returns the rows of the window that the page on the screen draws.
func (a *App) PageRows() (top, height int) {
	return a.frame.headHeight(), a.frame.bodyHeight(a.downloads.panelHeight(&a.frame) + a.pending.rowCount())
}

// footer returns the actions whose keys are shown.
func (a *App) footer() []action.Action {
	typing, below := a.stacks.top().IsTyping(), len(a.stacks.pages())-1
	return slices.DeleteFunc(action.FooterActions(a.activeScopes()...), func(act action.Action) bool {
		return act.ShownKey(typing) == "" || a.disabledReason(act) != "" || act.ID == action.Back && below == 0
	})
}

// texts returns the lines of rows.
func texts(rows []frameRow) []string {
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = r.text
	}
	return lines
}
