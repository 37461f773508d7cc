package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/copied"
	"flightdesk/tui/theme"
)

// dialogStack are those that are open, the last one on top. Each takes what the one
// below it would.
type dialogStack struct {
	open []page.Dialog
	box  dialogBox
}

// dialogBox is where the dialog on top was drawn last.
type dialogBox struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// pushDialog opens a dialog over those that are there.
func (d *dialogStack) pushDialog(one page.Dialog) { d.open = append(d.open, one) }

// topDialog returns the dialog that takes keys, nil for none.
func (d *dialogStack) topDialog() page.Dialog {
	if len(d.open) == 0 {
		return nil
	}
	return d.open[len(d.open)-1]
}

// updateTop hands a message to the dialog on top.
func (d *dialogStack) updateTop(msg tea.Msg) tea.Cmd {
	return d.callTop(func(top page.Dialog) (tea.Cmd, bool) { return top.Update(msg) })
}

// callTop has the dialog on top do something, and closes it when that was all.
func (d *dialogStack) callTop(do func(page.Dialog) (cmd tea.Cmd, done bool)) tea.Cmd {
	last := len(d.open) - 1
	cmd, done := do(d.open[last])
	if done {
		d.open = append(d.open[:last], d.open[last+1:]...)
	}
	return cmd
}

// drawTop draws the dialogs over a screen of w by h cells, of which the last rows
// are not theirs; cursor is where that of the one on top stands, nil for nowhere.
func (d *dialogStack) drawTop(content string, w, h, below int) (drawn string, cursor *tea.Cursor) {
	for _, one := range d.open {
		view := one.View(w-4, h-4-below)
		lines := layout.SplitLines(view)
		d.box = dialogBox{w: layout.Width(lines[0]), h: len(lines), foot: ansi.Strip(lines[len(lines)-1])}
		d.box.x, d.box.y = (w-d.box.w)/2, max(0, (h-d.box.h)/3)
		content, cursor = layout.LayOver(content, view, d.box.x, d.box.y), nil
		if c := one.Cursor(); c != nil {
			cursor = tea.NewCursor(d.box.x+c.X, d.box.y+c.Y)
		}
	}
	return content, cursor
}

// clickTop hands a click to the dialog on top: on a key at its foot as that key,
// else as it is; and turns of the wheel as keys, where they move in a list.
func (d *dialogStack) clickTop(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	x, y := m.X-d.box.x, m.Y-d.box.y
	if x < 0 || y < 0 || x >= d.box.w || y >= d.box.h {
		return nil
	}
	clicker, clicks := d.topDialog().(page.Clicker)
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return d.scrollTop(m.Button)
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		if key, ok := keyAt(d.box.foot, x); ok && y == d.box.h-1 {
			return d.updateTop(key)
		}
		if clicks && y < d.box.h-1 {
			return d.callTop(func(page.Dialog) (tea.Cmd, bool) { return clicker.HandleClick(x, y) })
		}
	}
	return nil
}

// scrollTop moves in the list of the dialog on top.
func (d *dialogStack) scrollTop(button tea.MouseButton) tea.Cmd {
	key := map[tea.MouseButton]rune{tea.MouseWheelUp: tea.KeyUp, tea.MouseWheelDown: tea.KeyDown}[button]
	if _, list := d.topDialog().(page.Turner); !list || key == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, d.updateTop(tea.KeyPressMsg{Code: key}))
	}
	return tea.Batch(cmds...)
}

// keyAt returns the key that the foot of a dialog names at a cell: of "enter save",
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

// keyNamed returns the press of a key. Where another key follows it is one of
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

// copyHistory are what was copied last, and how the terminal is asked for more.
type copyHistory struct {
	text, what string
	sequence   func(text string) string // nil where the terminal is not to be asked
}

func newCopyHistory(o *Options) copyHistory {
	ask := o.CopySequence
	switch {
	case o.plain || ask != nil && ask("") == "":
		ask = nil
	case ask == nil:
		ask = ansi.SetSystemClipboard
	}
	return copyHistory{sequence: ask}
}

// takeCopied asks the terminal, too, and says what is known of a text that was copied.
func (c *copyHistory) takeCopied(msg page.CopiedMsg) tea.Cmd {
	c.text, c.what = msg.Text, layout.Clean(msg.What)
	if msg.IsSecret {
		c.text = ""
	}
	role := theme.Text
	if msg.IsKnown {
		role = theme.Good
	}
	said, ask := page.ShowToast(role, c.describeCopied(&msg)), c.sequence
	if ask == nil {
		return said
	}
	return tea.Batch(said, func() tea.Msg { return tea.RawMsg{Msg: ask(msg.Text)} })
}

func (c *copyHistory) describeCopied(msg *page.CopiedMsg) string {
	way := " · " + keyOf(action.Copied) + " to show it"
	if msg.IsSecret {
		way = " · select it with the mouse"
	}
	switch {
	case msg.IsKnown && msg.Into == "":
		return "Copied " + c.what
	case msg.IsKnown:
		return "Copied " + c.what + " to " + msg.Into
	case c.sequence != nil:
		return "Sent to the terminal's clipboard: " + c.what + way
	default:
		return "No clipboard: " + c.what + way
	}
}

// disabledReason says why nothing can be shown.
func (c *copyHistory) disabledReason() string {
	if c.text == "" {
		return "nothing copied yet; press y to copy"
	}
	return ""
}

func (c *copyHistory) copiedPage(env *page.Env) page.Page { return copied.New(env, c.text, c.what) }
