package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
)

// dialogs are those that are open, the last one on top. Each takes what the one
// below it would.
type dialogs struct {
	open []page.Dialog
	box  box
}

// box is where the dialog on top was drawn last.
type box struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// push opens a dialog over those that are there.
func (d *dialogs) push(one page.Dialog) { d.open = append(d.open, one) }

// top is the dialog that takes keys, nil for none.
func (d *dialogs) top() page.Dialog {
	if len(d.open) == 0 {
		return nil
	}
	return d.open[len(d.open)-1]
}

// update hands a message to the dialog on top.
func (d *dialogs) update(msg tea.Msg) tea.Cmd {
	return d.act(func(top page.Dialog) (tea.Cmd, bool) { return top.Update(msg) })
}

// act has the dialog on top do something, and closes it when that was all.
func (d *dialogs) act(do func(page.Dialog) (cmd tea.Cmd, done bool)) tea.Cmd {
	last := len(d.open) - 1
	cmd, done := do(d.open[last])
	if done {
		d.open = append(d.open[:last], d.open[last+1:]...)
	}
	return cmd
}

// draw draws the dialogs over a screen of w by h cells, of which the last rows
// are not theirs; cursor is where that of the one on top stands, nil for nowhere.
func (d *dialogs) draw(content string, w, h, below int) (drawn string, cursor *tea.Cursor) {
	for _, one := range d.open {
		view := one.View(w-4, h-4-below)
		lines := layout.Lines(view)
		d.box = box{w: layout.Width(lines[0]), h: len(lines), foot: ansi.Strip(lines[len(lines)-1])}
		d.box.x, d.box.y = (w-d.box.w)/2, max(0, (h-d.box.h)/3)
		content, cursor = layout.Over(content, view, d.box.x, d.box.y), nil
		if c := one.Cursor(); c != nil {
			cursor = tea.NewCursor(d.box.x+c.X, d.box.y+c.Y)
		}
	}
	return content, cursor
}

// point hands a click to the dialog on top: on a key at its foot as that key,
// else as it is; and turns of the wheel as keys, where they move in a list.
func (d *dialogs) point(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	x, y := m.X-d.box.x, m.Y-d.box.y
	if x < 0 || y < 0 || x >= d.box.w || y >= d.box.h {
		return nil
	}
	clicker, clicks := d.top().(page.Clicker)
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return d.turn(m.Button)
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		if key, ok := keyAt(d.box.foot, x); ok && y == d.box.h-1 {
			return d.update(key)
		}
		if clicks && y < d.box.h-1 {
			return d.act(func(page.Dialog) (tea.Cmd, bool) { return clicker.Click(x, y) })
		}
	}
	return nil
}

// turn moves in the list of the dialog on top.
func (d *dialogs) turn(button tea.MouseButton) tea.Cmd {
	key := map[tea.MouseButton]rune{tea.MouseWheelUp: tea.KeyUp, tea.MouseWheelDown: tea.KeyDown}[button]
	if _, list := d.top().(page.Turner); !list || key == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, d.update(tea.KeyPressMsg{Code: key}))
	}
	return tea.Batch(cmds...)
}

// keyAt is the key that the foot of a dialog names at a cell: of "enter save",
// enter. Keys are set apart by two blanks or more, and each stands before what
// it does.
func keyAt(foot string, x int) (tea.KeyPressMsg, bool) {
	at := 0
	for _, part := range strings.SplitAfter(foot, "  ") {
		w := layout.Width(part)
		words := strings.Fields(strings.Trim(part, "└┘─ "))
		if x >= at && x < at+w && len(words) > 1 {
			return keyNamed(words[0], words[1])
		}
		at += w
	}
	return tea.KeyPressMsg{}, false
}

// keyNamed is the press of a key. Where another key follows it is one of
// several, and a click chooses none.
func keyNamed(name, next string) (tea.KeyPressMsg, bool) {
	code, ok := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab}[name]
	switch {
	case ok:
		return tea.KeyPressMsg{Code: code}, true
	case name == "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, true
	case len(name) == 6 && strings.HasPrefix(name, "ctrl+"):
		return tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl}, true
	case len(name) == 1 && len([]rune(next)) > 1:
		return tea.KeyPressMsg{Code: rune(name[0]), Text: name}, true
	}
	return tea.KeyPressMsg{}, false
}
