package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// dialogStack has the open dialogs. Only the last one, on top, gets input.
type dialogStack struct {
	dialogs     []widget.Dialog
	box         dialogBox
	ignoreUntil time.Time // input before this time is dropped
}

// dialogBox is the rectangle in which the top dialog was drawn last.
type dialogBox struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// ignoreTime is how long a dialog that opens by itself ignores keys: they were meant for
// what was there before.
const ignoreTime = 400 * time.Millisecond

// interrupt opens a dialog by itself. Lines of text are not typed by accident.
func (ws *workspace) interrupt(d widget.Dialog) {
	ws.dialogs.push(d)
	if !ws.opts.plain {
		ws.dialogs.ignoreUntil = ws.env.Clock.Now().Add(ignoreTime)
	}
}

// showText opens a text by itself.
func (ws *workspace) showText(role theme.Role, title, text string) {
	th := ws.env.Look.Theme
	ws.interrupt(&widget.TextDialog{
		Title: title,
		Text:  func(w int) []string { return th.RaiseLines(role, w, text) },
	})
}

// push opens a dialog on top of the others.
func (s *dialogStack) push(d widget.Dialog) { s.dialogs = append(s.dialogs, d) }

// top returns the dialog that gets input, or nil.
func (s *dialogStack) top() widget.Dialog {
	if len(s.dialogs) == 0 {
		return nil
	}
	return s.dialogs[len(s.dialogs)-1]
}

// update sends a message to the top dialog.
func (s *dialogStack) update(msg tea.Msg, now time.Time) tea.Cmd {
	return s.call(now, func() (tea.Cmd, bool) { return s.top().Update(msg) })
}

// call calls a function of the top dialog, and closes the dialog if the function reports
// that it is done.
func (s *dialogStack) call(now time.Time, do func() (cmd tea.Cmd, done bool)) tea.Cmd {
	if now.Before(s.ignoreUntil) {
		return nil
	}
	last := len(s.dialogs) - 1
	cmd, done := do()
	if done {
		s.dialogs = slices.Delete(s.dialogs, last, last+1)
	}
	return cmd
}

// draw draws the dialogs over a screen of w by h cells, leaving the rows below free. It
// returns the cursor of the top dialog, or nil.
func (s *dialogStack) draw(content string, th *theme.Theme, w, h, below int) (string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, d := range s.dialogs {
		view := d.View(th, w-4, h-4-below)
		lines := format.SplitLines(view)
		box := dialogBox{
			w:    format.Width(lines[0]),
			h:    len(lines),
			foot: ansi.Strip(lines[len(lines)-1]),
		}
		box.x = (w - box.w) / 2
		box.y = max(0, (h-box.h)/3)
		s.box = box
		content = format.LayOver(content, view, box.x, box.y)
		cursor = nil
		if typed, ok := d.(interface{ Cursor() *tea.Cursor }); ok && typed.Cursor() != nil {
			cursor = tea.NewCursor(box.x+typed.Cursor().X, box.y+typed.Cursor().Y)
		}
	}
	return content, cursor
}

// click handles the mouse for the top dialog: a click on a key in its footer
// presses that key, other clicks go to the dialog, and the wheel moves in its
// list, unless it has fields.
func (s *dialogStack) click(m tea.Mouse, turn int, now time.Time) tea.Cmd {
	x := m.X - s.box.x
	y := m.Y - s.box.y
	if x < 0 || y < 0 || x >= s.box.w || y >= s.box.h {
		return nil
	}
	_, hasFields := s.top().(interface{ FilledIn() *widget.Form })
	if turn != 0 && !hasFields {
		return s.scroll(turn, now)
	}
	if m.Button != tea.MouseLeft {
		return nil
	}
	if y == s.box.h-1 {
		if key, ok := keyAt(s.box.foot, x); ok {
			return s.update(key, now)
		}
		return nil
	}
	if clicker, ok := s.top().(page.Clicker); ok {
		return s.call(now, func() (tea.Cmd, bool) { return clicker.HandleClick(x, y) })
	}
	return nil
}

// scroll moves in the list of the top dialog.
func (s *dialogStack) scroll(turn int, now time.Time) tea.Cmd {
	key := tea.KeyPressMsg{Code: tea.KeyUp}
	if turn > 0 {
		key.Code = tea.KeyDown
	}
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, s.update(key, now))
	}
	return tea.Batch(cmds...)
}

// keyAt returns the key that a dialog's footer names at cell x: enter in "enter
// save". Hints are separated by two or more blanks, and each begins with its key.
func keyAt(foot string, x int) (tea.KeyPressMsg, bool) {
	at := 0
	for _, part := range strings.SplitAfter(foot, "  ") {
		w := format.Width(part)
		words := strings.Fields(strings.Trim(part, "└┘─ "))
		if x >= at && x < at+w && len(words) > 1 {
			return keyNamed(words[0], words[1])
		}
		at += w
	}
	return tea.KeyPressMsg{}, false
}

// keyNamed returns the key press of a hint's name. A hint that lists several keys
// presses none.
func keyNamed(name, next string) (key tea.KeyPressMsg, known bool) {
	if len(name) > 1 || len([]rune(next)) > 1 {
		key, known = action.KeyPress(name)
	}
	return key, known
}
