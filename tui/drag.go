package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// drag hands a move of the mouse to the page on top: with its button held, and
// the end of that, if the page has something to move.
func (a *App) drag(msg tea.MouseMsg) tea.Cmd {
	if len(a.dialogs) > 0 {
		return nil
	}
	m := msg.Mouse()
	at := page.Mouse{X: m.X, Y: m.Y - a.headHeight()}
	if p, ok := a.stacks.top().(page.Pointer); ok {
		p.Point(at)
	}
	_, over := msg.(tea.MouseReleaseMsg)
	if d, ok := a.stacks.top().(page.Dragger); ok && (over || m.Button == tea.MouseLeft) {
		return d.Drag(at, over)
	}
	return nil
}

// mouseMode is which moves of the mouse the terminal is asked for: all of them
// only where a page shows something of what it is over.
func (a *App) mouseMode() tea.MouseMode {
	switch _, points := a.stacks.top().(page.Pointer); {
	case a.mouse.off:
		return tea.MouseModeNone
	case points && len(a.dialogs) == 0:
		return tea.MouseModeAllMotion
	default:
		return tea.MouseModeCellMotion
	}
}
