package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
)

// box is where the dialog on top was drawn last.
type box struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// overlay opens a dialog of the root's.
func (a *App) overlay(id action.ID) tea.Cmd {
	switch id {
	case action.Palette:
		return a.openPalette()
	case action.Profiles:
		a.dialogs = append(a.dialogs, newPaletteOf(a, a.profileEntries(), "a profile"))
	case action.Help:
		a.dialogs = append(a.dialogs, newHelp(a.env, "Keys: "+a.stacks.top().Title(), a.scopes(), a.off))
	}
	return nil
}

// dialog has the dialog on top do something, and closes it when that was all.
func (a *App) dialog(do func(page.Dialog) (cmd tea.Cmd, done bool)) tea.Cmd {
	last := len(a.dialogs) - 1
	cmd, done := do(a.dialogs[last])
	if done {
		a.dialogs = append(a.dialogs[:last], a.dialogs[last+1:]...)
	}
	return cmd
}

// over draws a dialog over what is there.
func (a *App) over(d page.Dialog, content string) string {
	view := d.View(a.w-4, a.h-4-len(a.countdown()))
	lines := layout.Lines(view)
	a.box = box{w: layout.Width(lines[0]), h: len(lines), foot: ansi.Strip(lines[len(lines)-1])}
	a.box.x, a.box.y = (a.w-a.box.w)/2, max(0, (a.h-a.box.h)/3)
	return layout.Over(content, view, a.box.x, a.box.y)
}

// pointDialog hands a click to the dialog on top: on a key at its foot as that
// key, else as it is; and turns of the wheel as keys, where they move in a list.
func (a *App) pointDialog(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	x, y := m.X-a.box.x, m.Y-a.box.y
	if x < 0 || y < 0 || x >= a.box.w || y >= a.box.h {
		return nil
	}
	clicker, clicks := a.dialogs[len(a.dialogs)-1].(page.Clicker)
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return a.turnDialog(m.Button)
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		if key, ok := keyAt(a.box.foot, x); ok && y == a.box.h-1 {
			return a.text(key)
		}
		if clicks && y < a.box.h-1 {
			return a.dialog(func(page.Dialog) (tea.Cmd, bool) { return clicker.Click(x, y) })
		}
	}
	return nil
}

// turnDialog moves in the list of a dialog.
func (a *App) turnDialog(button tea.MouseButton) tea.Cmd {
	key := map[tea.MouseButton]rune{tea.MouseWheelUp: tea.KeyUp, tea.MouseWheelDown: tea.KeyDown}[button]
	if _, list := a.dialogs[len(a.dialogs)-1].(page.Turner); !list || key == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, a.text(tea.KeyPressMsg{Code: key}))
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
