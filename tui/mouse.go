package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// doubleTime is the longest time between the clicks of a double click.
const doubleTime = 400 * time.Millisecond

// wheelRows is the number of rows that one turn of the wheel scrolls.
const wheelRows = 3

// mouse has the state of the mouse: whether the app uses it, and the last click.
type mouse struct {
	isOff     bool // the terminal can select text
	clicked   tea.Mouse
	clickedAt time.Time
}

// clickArea is a part of a row with the command that a click runs.
type clickArea struct {
	x, y, w int
	do      func() tea.Cmd
}

// routeMouse sends a click or wheel turn to the dialog on top, the frame, or
// the page, in cells relative to the page. Other movements go to the page alone.
func (a *App) routeMouse(msg tea.MouseMsg) tea.Cmd {
	top, height := a.PageRows()
	m := msg.Mouse()
	p := a.ws.pages.top()
	input := page.MouseInput{X: m.X, Y: m.Y - top, Wheel: wheelTurn(m)}
	_, isRelease := msg.(tea.MouseReleaseMsg)
	_, isMotion := msg.(tea.MouseMotionMsg)
	isDrag := isRelease || isMotion
	if a.ws.dialogs.top() != nil {
		if isDrag {
			return nil
		}
		return a.ws.dialogs.click(m, input.Wheel, a.ws.env.Clock.Now())
	}
	if isDrag {
		return dragPage(p, input, isRelease, m.Button == tea.MouseLeft)
	}
	if input.Y < 0 || input.Y >= height {
		return clickFrame(a.hits, m)
	}
	if input.Wheel == 0 {
		if m.Button != tea.MouseLeft {
			return nil
		}
		input.Shift = m.Mod.Contains(tea.ModShift)
		input.Double = a.mouse.isDoubleClick(m, a.limiter.now())
	}
	return p.HandleMouse(input)
}

// wheelTurn returns by how many rows the wheel scrolls, 0 if it was not turned.
func wheelTurn(m tea.Mouse) int {
	switch m.Button {
	case tea.MouseWheelUp:
		return -wheelRows
	case tea.MouseWheelDown:
		return wheelRows
	default:
		return 0
	}
}

// isDoubleClick records a click, and reports whether it is the second one of a double
// click. A third click begins a new pair.
func (m *mouse) isDoubleClick(click tea.Mouse, now time.Time) bool {
	isSecond := click == m.clicked && now.Sub(m.clickedAt) < doubleTime
	m.clickedAt = now
	m.clicked = click
	if isSecond {
		m.clicked = tea.Mouse{}
	}
	return isSecond
}

// clickFrame handles a click on the header or footer.
func clickFrame(areas []clickArea, m tea.Mouse) tea.Cmd {
	for _, area := range areas {
		if m.Button == tea.MouseLeft && m.Y == area.y && m.X >= area.x && m.X < area.x+area.w {
			return area.do()
		}
	}
	return nil
}

// dragPage sends mouse movement and drags to a page that handles them.
func dragPage(to page.Page, at page.MouseInput, over, held bool) tea.Cmd {
	if p, ok := to.(page.Pointer); ok {
		p.HandlePointer(at)
	}
	if d, ok := to.(page.Dragger); ok && (over || held) {
		return d.HandleDrag(at, over)
	}
	return nil
}

// toggle turns the mouse off, so that the terminal can select text, or on again.
func (m *mouse) toggle() tea.Cmd {
	m.isOff = !m.isOff
	text := "Mouse on"
	if m.isOff {
		text = "Mouse off: select text as usual · " + keyOf(action.Mouse) + " to turn on"
	}
	return page.ShowToast(theme.Text, text)
}

// mode returns which mouse events to request for the page or dialog on top: all movement if
// it follows the pointer, none while text is to be selected.
func (m *mouse) mode(top any) tea.MouseMode {
	if _, selects := top.(page.TextSelector); selects || m.isOff {
		return tea.MouseModeNone
	}
	if pointer, ok := top.(page.Pointer); ok && pointer.TracksPointer() {
		return tea.MouseModeAllMotion
	}
	return tea.MouseModeCellMotion
}
