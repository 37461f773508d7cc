package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

const (
	// doubleClickTime is the longest time between the two clicks of a double click.
	doubleClickTime = 400 * time.Millisecond
	// wheelRows is the number of rows that one turn of the wheel scrolls.
	wheelRows = 3
)

// mouse records whether the app uses the mouse, and the last click.
type mouse struct {
	isOff     bool // the app gets no mouse events, so that the terminal can select text
	clicked   tea.Mouse
	clickedAt time.Time
}

// clickArea is a part of a row with the function that a click calls.
type clickArea struct {
	x, y, w int
	do      func() tea.Cmd
}

// clickAreas are the clickable parts of the header and the footer.
type clickAreas []clickArea

// set replaces the areas by the areas of the rows in head, at the top of the window, and in foot, at the bottom.
// height is the height of the window.
func (areas *clickAreas) set(head, foot []frameRow, height int) {
	*areas = nil
	areas.addRows(0, head)
	areas.addRows(height-len(foot), foot)
}

// addRows adds the areas of rows. The first of the rows is row y of the window.
func (areas *clickAreas) addRows(y int, rows []frameRow) {
	for i, row := range rows {
		for _, area := range row.areas {
			area.y = y + i
			*areas = append(*areas, area)
		}
	}
}

// click calls the function of the area that was clicked, if any.
func (areas clickAreas) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	for _, area := range areas {
		isInside := m.Y == area.y && m.X >= area.x && m.X < area.x+area.w
		if isInside {
			return area.do()
		}
	}
	return nil
}

// routeMouse sends a click or wheel turn to the top dialog if one is open, otherwise to the frame
// or the page. Movements and releases are only sent to the page.
func (a *App) routeMouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	_, isRelease := msg.(tea.MouseReleaseMsg)
	_, isMotion := msg.(tea.MouseMotionMsg)
	if isRelease || isMotion {
		return a.moveMouse(m, isRelease)
	}
	if a.ws.dialogs.top() != nil {
		return a.ws.dialogs.click(m, wheelTurn(m), a.ws.env.Clock.Now())
	}
	input := a.inPage(m)
	_, pageHeight := a.PageRows()
	if input.Y < 0 || input.Y >= pageHeight {
		return a.clickable.click(m)
	}
	if input.Wheel == 0 {
		return a.clickPage(m, input)
	}
	return a.ws.pages.top().HandleMouse(input)
}

// moveMouse sends a movement, or the release of a button, to the page unless a dialog is open.
func (a *App) moveMouse(m tea.Mouse, isRelease bool) tea.Cmd {
	if a.ws.dialogs.top() != nil {
		return nil
	}
	isLeftHeld := m.Button == tea.MouseLeft
	return dragPage(a.ws.pages.top(), a.inPage(m), isRelease, isLeftHeld)
}

// inPage returns a mouse event with its position relative to the first cell of the page.
func (a *App) inPage(m tea.Mouse) page.MouseInput {
	firstRow, _ := a.PageRows()
	return page.MouseInput{X: m.X, Y: m.Y - firstRow, Wheel: wheelTurn(m)}
}

// clickPage sends a click to the page. Pages only use the left button.
func (a *App) clickPage(m tea.Mouse, input page.MouseInput) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	input.Shift = m.Mod.Contains(tea.ModShift)
	input.Double = a.mouse.isDoubleClick(m, a.limiter.now())
	return a.ws.pages.top().HandleMouse(input)
}

// wheelTurn returns the number of rows that a wheel turn scrolls: positive for down, and 0 if the
// event is not a wheel turn.
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

// isDoubleClick records a click, and reports whether it is the second click of a double click. A third click
// does not count as another double click.
func (m *mouse) isDoubleClick(click tea.Mouse, now time.Time) bool {
	isSecond := click == m.clicked && now.Sub(m.clickedAt) < doubleClickTime
	m.clickedAt = now
	m.clicked = click
	if isSecond {
		m.clicked = tea.Mouse{}
	}
	return isSecond
}

// dragPage passes mouse movements and drags to the page if it handles them. isRelease says that the button was
// released, isHeld that the left button is held down.
func dragPage(p page.Page, input page.MouseInput, isRelease, isHeld bool) tea.Cmd {
	if pointer, ok := p.(page.Pointer); ok {
		pointer.HandlePointer(input)
	}
	if dragger, ok := p.(page.Dragger); ok && (isRelease || isHeld) {
		return dragger.HandleDrag(input, isRelease)
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

// mode returns the mouse events to request from the terminal. It depends on top, the page or dialog that gets
// the input. A page that follows the pointer needs all movements. While the user can select text, the app
// gets no mouse events.
func (m *mouse) mode(top any) tea.MouseMode {
	_, isSelector := top.(page.TextSelector)
	if isSelector || m.isOff {
		return tea.MouseModeNone
	}
	if pointer, ok := top.(page.Pointer); ok && pointer.TracksPointer() {
		return tea.MouseModeAllMotion
	}
	return tea.MouseModeCellMotion
}
