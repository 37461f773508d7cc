package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// drag hands a move of the mouse to a page below top rows: with its button held, and
// the end of that, if the page has something to move.
func drag(msg tea.MouseMsg, top int, to page.Page) tea.Cmd {
	m := msg.Mouse()
	at := page.Mouse{X: m.X, Y: m.Y - top}
	if p, ok := to.(page.Pointer); ok {
		p.Point(at)
	}
	_, over := msg.(tea.MouseReleaseMsg)
	if d, ok := to.(page.Dragger); ok && (over || m.Button == tea.MouseLeft) {
		return d.Drag(at, over)
	}
	return nil
}

// mode is which moves of the mouse the terminal is asked for: all of them only
// where a page shows something of what it is over, and none while what is on top
// is to be selected.
func (m *mouse) mode(over page.Page, dialog page.Dialog) tea.MouseMode {
	var top any = over
	if dialog != nil {
		top = dialog
	}
	_, selects := top.(page.Selector)
	pointer, points := top.(page.Pointer)
	switch {
	case m.off || selects:
		return tea.MouseModeNone
	case points && pointer.Points():
		return tea.MouseModeAllMotion
	default:
		return tea.MouseModeCellMotion
	}
}
