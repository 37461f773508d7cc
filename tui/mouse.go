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
	off  bool
	x, y int
	at   time.Time
	hits []clickArea
}

// clickArea is a part of a row with the command that a click runs.
type clickArea struct {
	x, y, w int
	do      func() tea.Cmd
}

// noteRows records the clickable areas of rows; the first row is row y of the
// window.
func (m *mouseState) noteRows(rows []frameRow, y int) {
	for i, r := range rows {
		for _, h := range r.hits {
			h.y = y + i
			m.hits = append(m.hits, h)
		}
	}
}

// clickFrame handles a click on the header or footer.
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

// routeClick sends a click or wheel turn in row y of the page to the page.
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
			m.at = time.Time{} // a third click begins a new pair
		}
		return p.HandleMouse(
			page.MouseInput{X: at.X, Y: y, Double: double, Shift: at.Mod.Contains(tea.ModShift)},
		)
	}
	return nil
}

// toggleMouse turns the mouse off, so that the terminal can select text, or on
// again.
func (m *mouseState) toggleMouse() tea.Cmd {
	m.off = !m.off
	if m.off {
		return page.ShowToast(
			theme.Text,
			"Mouse off: select text as usual · "+keyOf(action.Mouse)+" to turn on",
		)
	}
	return page.ShowToast(theme.Text, "Mouse on")
}

// dragPage sends mouse movement and drags to a page that handles them; the page
// begins below top rows.
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

// mouseMode returns which mouse events to request: all movement for pages that
// follow the pointer, none while text is to be selected.
func (m *mouseState) mouseMode(over page.Page, dialog widget.Dialog) tea.MouseMode {
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
