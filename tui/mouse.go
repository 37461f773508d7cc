package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// doubleTime is how soon a second click on a cell makes a double click.
const doubleTime = 400 * time.Millisecond

// wheelRows is how far one turn of the wheel goes.
const wheelRows = 3

// mouse is whether the mouse is the app's, and where it was clicked last.
type mouse struct {
	off  bool
	x, y int
	at   time.Time
}

// point hands a click or a turn of the wheel to the page on top, in cells of
// its rectangle. Dialogs are for keys.
func (a *App) point(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	y := m.Y - a.headHeight()
	if len(a.dialogs) > 0 || y < 0 || y >= a.bodyHeight() {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		turn := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelRows, tea.MouseWheelDown: wheelRows}[m.Button]
		if turn == 0 {
			return nil
		}
		return a.top().Mouse(page.Mouse{X: m.X, Y: y, Wheel: turn})
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		now := a.gate.now()
		double := m.X == a.mouse.x && m.Y == a.mouse.y && now.Sub(a.mouse.at) < doubleTime
		a.mouse.x, a.mouse.y, a.mouse.at = m.X, m.Y, now
		if double {
			a.mouse.at = time.Time{} // a third click begins anew
		}
		return a.top().Mouse(page.Mouse{X: m.X, Y: y, Double: double})
	}
	return nil
}

// toggleMouse gives the mouse back to the terminal, for selecting text, or
// takes it.
func (a *App) toggleMouse() tea.Cmd {
	a.mouse.off = !a.mouse.off
	if a.mouse.off {
		return page.Toast(theme.Text, "the mouse is the terminal's, to select text; M takes it back")
	}
	return page.Toast(theme.Text, "the mouse is the app's")
}
