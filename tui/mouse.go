package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// doubleTime is how soon a second click on a cell makes a double click.
const doubleTime = 400 * time.Millisecond

// wheelRows is how far one turn of the wheel goes.
const wheelRows = 3

// mouseState is whether the mouse is the app's, where it was clicked last, and what
// can be clicked in head and foot.
type mouseState struct {
	off  bool
	x, y int
	at   time.Time
	hits []clickArea
}

// clickArea is a part of a row that does something when it is clicked.
type clickArea struct {
	x, y, w int
	do      func() tea.Cmd
}

// noteRows notes what was drawn in rows, of which the first is the y-th of the window.
func (m *mouseState) noteRows(rows []frameRow, y int) {
	for i, r := range rows {
		for _, h := range r.hits {
			h.y = y + i
			m.hits = append(m.hits, h)
		}
	}
}

// clickFrame returns a click on head or foot.
func (m *mouseState) clickFrame(msg tea.MouseMsg) tea.Cmd {
	click, ok := msg.(tea.MouseClickMsg)
	if !ok || click.Button != tea.MouseLeft {
		return nil
	}
	for _, h := range m.hits {
		if click.Y == h.y && click.X >= h.x && click.X < h.x+h.w {
			return h.do()
		}
	}
	return nil
}

// routeClick hands a click or a turn of the wheel in row y of a page to it.
func (m *mouseState) routeClick(msg tea.MouseMsg, y int, now time.Time, p page.Page) tea.Cmd {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		turn := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelRows, tea.MouseWheelDown: wheelRows}[at.Button]
		if turn == 0 {
			return nil
		}
		return p.HandleMouse(page.MouseInput{X: at.X, Y: y, Wheel: turn})
	case tea.MouseClickMsg:
		if at.Button != tea.MouseLeft {
			return nil
		}
		double := at.X == m.x && at.Y == m.y && now.Sub(m.at) < doubleTime
		m.x, m.y, m.at = at.X, at.Y, now
		if double {
			m.at = time.Time{} // a third click is the first of another pair
		}
		return p.HandleMouse(page.MouseInput{X: at.X, Y: y, Double: double, Shift: at.Mod.Contains(tea.ModShift)})
	}
	return nil
}

// toggleMouse gives the mouse back to the terminal, for selecting text, or
// takes it.
func (m *mouseState) toggleMouse() tea.Cmd {
	m.off = !m.off
	if m.off {
		return page.ShowToast(theme.Text, "Mouse off: select text as usual · "+keyOf(action.Mouse)+" to turn on")
	}
	return page.ShowToast(theme.Text, "Mouse on")
}
