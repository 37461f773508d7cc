package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// doubleTime is the longest time between the clicks of a double click.
const doubleTime = 400 * time.Millisecond

// wheelRows is the number of rows that one turn of the wheel scrolls.
const wheelRows = 3

// mouseState holds whether the mouse is used, the last click, and the clickable
// areas of the frame.
type mouseState struct {
	app *App // of which it is a part

	mouseOff  bool
	clicked   tea.Mouse
	clickedAt time.Time
	hits      []clickArea
}

// clickArea is a part of a row with the command that a click runs.
type clickArea struct {
	x, y, w int
	do      func() tea.Cmd
}

// routePointer sends a click or wheel turn to the dialog on top, the frame, or
// the page, in cells relative to the page; other movements to the page alone.
func (a *mouseState) routePointer(msg tea.MouseMsg) tea.Cmd {
	top, height := a.app.PageRows()
	m, p := msg.Mouse(), a.app.pages.top()
	at := page.MouseInput{X: m.X, Y: m.Y - top, Wheel: map[tea.MouseButton]int{
		tea.MouseWheelUp: -wheelRows, tea.MouseWheelDown: wheelRows,
	}[m.Button]}
	_, over := msg.(tea.MouseReleaseMsg)
	_, moved := msg.(tea.MouseMotionMsg)
	drags, dialog := over || moved, a.app.dialogs.topDialog() != nil
	switch {
	case dialog && drags:
		return nil
	case dialog:
		return a.app.dialogs.clickDialog(m, at.Wheel)
	case drags:
		return dragPage(p, at, over, m.Button == tea.MouseLeft)
	case at.Y < 0 || at.Y >= height:
		return a.clickFrame(m)
	case at.Wheel == 0 && m.Button != tea.MouseLeft:
		return nil
	case at.Wheel == 0:
		at.Shift, at.Double = m.Mod.Contains(tea.ModShift), a.isSecond(m)
	}
	return p.HandleMouse(at)
}

// isSecond notes a click, and reports whether it is the second one of a double click. A
// third one begins a new pair.
func (a *mouseState) isSecond(m tea.Mouse) bool {
	now := a.app.limiter.now()
	second := m == a.clicked && now.Sub(a.clickedAt) < doubleTime
	if a.clicked, a.clickedAt = m, now; second {
		a.clicked = tea.Mouse{}
	}
	return second
}

// clickFrame handles a click on the header or footer.
func (a *mouseState) clickFrame(m tea.Mouse) tea.Cmd {
	for _, h := range a.hits {
		if m.Button == tea.MouseLeft && m.Y == h.y && m.X >= h.x && m.X < h.x+h.w {
			return h.do()
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

// toggleMouse turns the mouse off, so that the terminal can select text, or on
// again.
func (a *mouseState) toggleMouse() tea.Cmd {
	text := "Mouse on"
	if a.mouseOff = !a.mouseOff; a.mouseOff {
		text = "Mouse off: select text as usual · " + keyOf(action.Mouse) + " to turn on"
	}
	return page.ShowToast(theme.Text, text)
}

// mouseMode returns which mouse events to request: all movement for pages that
// follow the pointer, none while text is to be selected.
func (a *mouseState) mouseMode(over page.Page, dialog widget.Dialog) tea.MouseMode {
	var top any = over
	if dialog != nil {
		top = dialog
	}
	_, selects := top.(page.TextSelector)
	pointer, points := top.(page.Pointer)
	switch {
	case a.mouseOff || selects:
		return tea.MouseModeNone
	case points && pointer.TracksPointer():
		return tea.MouseModeAllMotion
	default:
		return tea.MouseModeCellMotion
	}
}

// jumpKeys are the keys of jump labels, easiest to reach first.
const jumpKeys = "asdfghjklqwertzuiopyxcvbnmASDFGHJKLQWERTZUIOPYXCVBNM"

// jumpLabels lets the user activate any part of the screen by a key.
type jumpLabels struct {
	on     bool
	labels []page.JumpTarget // of the last frame, by the keys
}

// labelParts assigns labels to the parts of the page, which begins below top
// rows, and of the frame.
func (j *jumpLabels) labelParts(p page.Page, top int, hits []clickArea) {
	j.labels = nil
	if p, ok := p.(page.Jumper); ok {
		for _, part := range p.JumpTargets() {
			part.Y += top
			j.labels = append(j.labels, part)
		}
	}
	for _, h := range hits {
		x := h.x
		if h.y != navRow { // only section names have room for a label
			x = max(0, x-1)
		}
		j.labels = append(j.labels, page.JumpTarget{X: x, Y: h.y, Do: h.do})
	}
	j.labels = j.labels[:min(len(j.labels), len(jumpKeys))]
}

// showLabels shows the labels with the next frame.
func (j *jumpLabels) showLabels() tea.Cmd {
	j.on = true
	return nil
}

// jumpTo activates the part with this key; any other key removes the labels.
func (j *jumpLabels) jumpTo(key string) tea.Cmd {
	found := j.labels
	j.labels, j.on = nil, false
	if i := strings.Index(jumpKeys, key); i >= 0 && i < len(found) {
		return found[i].Do()
	}
	return nil
}

// drawLabels draws the labels over the screen.
func (j *jumpLabels) drawLabels(content string, style theme.Style) string {
	for i, label := range j.labels {
		content = format.LayOver(content, style.Render(jumpKeys[i:i+1]), label.X, label.Y)
	}
	return content
}
