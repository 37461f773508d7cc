package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// drag hands a move of the mouse with its button held, and the end of it, to
// the page on top, if that has something to move.
func (a *App) drag(msg tea.MouseMsg) tea.Cmd {
	d, ok := a.top().(page.Dragger)
	if !ok || len(a.dialogs) > 0 {
		return nil
	}
	m := msg.Mouse()
	_, over := msg.(tea.MouseReleaseMsg)
	return d.Drag(page.Mouse{X: m.X, Y: m.Y - a.headHeight()}, over)
}
