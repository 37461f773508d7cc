package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// dragPage hands a move of the mouse to a page below top rows: with its button held, and
// the end of that, if the page has something to move.
func dragPage(msg tea.MouseMsg, top int, to page.Page) tea.Cmd {
	m := msg.Mouse()
	at := page.MouseInput{X: m.X, Y: m.Y - top}
	if p, ok := to.(page.Pointer); ok {
		p.HandlePointer(at)
	}
	_, over := msg.(tea.MouseReleaseMsg)
	if d, ok := to.(page.Dragger); ok && (over || m.Button == tea.MouseLeft) {
		return d.HandleDrag(at, over)
	}
	return nil
}

// mouseMode returns which moves of the mouse the terminal is asked for: all of them only
// where a page shows something of what it is over, and none while what is on top
// is to be selected.
func (m *mouseState) mouseMode(over page.Page, dialog page.Dialog) tea.MouseMode {
	var top any = over
	if dialog != nil {
		top = dialog
	}
	_, selects := top.(page.TextSelector)
	pointer, points := top.(page.Pointer)
	switch {
	case m.off || selects:
		return tea.MouseModeNone
	case points && pointer.TracksPointer():
		return tea.MouseModeAllMotion
	default:
		return tea.MouseModeCellMotion
	}
}
