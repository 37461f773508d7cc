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

// hit is a part of a row that does something when it is clicked.
type hit struct {
	x, y, w int
	do      func() tea.Cmd
}

// hit notes what was drawn in a row from a column on.
func (a *App) hit(hits []hit, x, y int) {
	for _, h := range hits {
		h.x, h.y = h.x+x, y
		a.hits = append(a.hits, h)
	}
}

// pointFrame is a click on head or foot.
func (a *App) pointFrame(msg tea.MouseMsg) tea.Cmd {
	click, ok := msg.(tea.MouseClickMsg)
	if !ok || click.Button != tea.MouseLeft {
		return nil
	}
	for _, h := range a.hits {
		if click.Y == h.y && click.X >= h.x && click.X < h.x+h.w {
			return h.do()
		}
	}
	return nil
}

// point hands a click or a turn of the wheel to the page on top, in cells of
// its rectangle, or to what is drawn around it, or to the
// dialog above it.
func (a *App) point(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	y := m.Y - a.headHeight()
	switch {
	case len(a.dialogs) > 0:
		return a.pointDialog(msg)
	case y < 0 || y >= a.bodyHeight():
		return a.pointFrame(msg)
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		turn := map[tea.MouseButton]int{tea.MouseWheelUp: -wheelRows, tea.MouseWheelDown: wheelRows}[m.Button]
		if turn == 0 {
			return nil
		}
		return a.stacks.top().Mouse(page.Mouse{X: m.X, Y: y, Wheel: turn})
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		now := a.limiter.now()
		double := m.X == a.mouse.x && m.Y == a.mouse.y && now.Sub(a.mouse.at) < doubleTime
		a.mouse.x, a.mouse.y, a.mouse.at = m.X, m.Y, now
		if double {
			a.mouse.at = time.Time{} // a third click begins anew
		}
		return a.stacks.top().Mouse(page.Mouse{X: m.X, Y: y, Double: double})
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
