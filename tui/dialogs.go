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

// dialogStack has the open dialogs, oldest first. Only the last dialog, on top, gets input.
type dialogStack struct {
	dialogs     []widget.Dialog
	box         dialogBox
	ignoreUntil time.Time // input before this time is dropped
}

// dialogBox is the rectangle in which the top dialog was last drawn.
type dialogBox struct {
	x, y, w, h int
	foot       string // the dialog's last line, which has its keys
}

// ignoreTime is how long a dialog that the user did not open ignores keys. Keys pressed in that time were meant for
// the page or dialog below.
const ignoreTime = 400 * time.Millisecond

// interrupt opens a dialog that the user did not ask for. The dialog ignores keys for ignoreTime, because
// they were meant for the page. It does not ignore them in plain mode, where the user types whole lines and
// cannot hit a key by accident.
func (ws *workspace) interrupt(d widget.Dialog) {
	ws.dialogs.push(d)
	if !ws.opts.plain {
		ws.dialogs.ignoreUntil = ws.env.Clock.Now().Add(ignoreTime)
	}
}

// showText shows a text in a dialog that the user did not ask for; see interrupt. role is the colour of the
// text.
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

// call calls do for the top dialog. It closes the dialog if do returns done. It does nothing while the dialog
// ignores input.
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

// minMargin is the number of cells at each side of a dialog from which the page stays visible there. With
// less room, the margin is blank, because too little of the page could be read.
const minMargin = 8

// draw draws the dialogs over a screen of w by h cells. The last footRows rows of the screen stay
// visible. It returns the cursor of the top dialog, or nil.
func (s *dialogStack) draw(content string, th *theme.Theme, w, h, footRows int) (string, *tea.Cursor) {
	var cursor *tea.Cursor
	for _, d := range s.dialogs {
		view := d.View(th, w-4, h-4-footRows)
		box := placeBox(view, w, h)
		if low, is := d.(interface{ IsAtFoot() bool }); is && low.IsAtFoot() {
			box.y = max(box.y, footPosition(box.h, h-footRows))
		}
		if box.x < minMargin {
			blankRows := format.FitBox(nil, w, box.h)
			content = format.LayOver(content, blankRows, 0, box.y)
		}
		content = format.LayOver(content, view, box.x, box.y)
		cursor = box.cursorOf(d)
		s.box = box
	}
	return content, cursor
}

// footPosition returns the row for a dialog at the bottom of a screen of h rows. The dialog leaves three rows
// free for the footer of the page, unless it would then reach into the upper third of the screen.
func footPosition(dialogHeight, h int) int {
	const footerRows = 3
	aboveFooter := h - footerRows - dialogHeight
	if aboveFooter >= h/3 {
		return aboveFooter
	}
	return h - dialogHeight
}

// placeBox returns the rectangle of a drawn dialog on a screen of w by h cells: in the middle of the width, and above
// the middle of the height.
func placeBox(view string, w, h int) dialogBox {
	lines := format.SplitLines(view)
	box := dialogBox{
		w:    format.Width(lines[0]),
		h:    len(lines),
		foot: ansi.Strip(lines[len(lines)-1]),
	}
	box.x = (w - box.w) / 2
	box.y = max(0, (h-box.h)/3)
	return box
}

// cursorOf returns the text cursor of dialog d, with its position on the screen. It returns nil if the dialog shows no
// text cursor, for example because it has no text field.
func (b *dialogBox) cursorOf(d widget.Dialog) *tea.Cursor {
	typed, ok := d.(interface{ Cursor() *tea.Cursor })
	if !ok {
		return nil
	}
	cursor := typed.Cursor()
	if cursor == nil {
		return nil
	}
	return tea.NewCursor(b.x+cursor.X, b.y+cursor.Y)
}

// click handles a click or a wheel turn for the top dialog. A click on a key in the dialog's footer presses
// that key. Other clicks go to the dialog. The wheel moves the selection, except in a form. turn is the
// number of rows to scroll, or 0 for a click.
func (s *dialogStack) click(m tea.Mouse, turn int, now time.Time) tea.Cmd {
	x := m.X - s.box.x
	y := m.Y - s.box.y
	isInside := x >= 0 && y >= 0 && x < s.box.w && y < s.box.h
	if !isInside {
		return nil
	}
	_, isForm := s.top().(interface{ EditedForm() *widget.Form })
	if turn != 0 && !isForm {
		return s.scroll(turn, now)
	}
	if m.Button != tea.MouseLeft {
		return nil
	}
	isFooter := y == s.box.h-1
	if isFooter {
		return s.clickFooter(x, now)
	}
	if clicker, ok := s.top().(page.Clicker); ok {
		return s.call(now, func() (tea.Cmd, bool) { return clicker.HandleClick(x, y) })
	}
	return nil
}

// clickFooter presses the key of the key hint at cell x of the footer. It does nothing if there is no hint.
func (s *dialogStack) clickFooter(x int, now time.Time) tea.Cmd {
	key, ok := keyAt(s.box.foot, x)
	if !ok {
		return nil
	}
	return s.update(key, now)
}

// scroll moves the selection of the top dialog by wheelRows rows, down if turn is positive.
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

// keyAt returns the key of the hint at cell x of a dialog's footer, for example enter for
// "enter save". Hints are separated by two or more blanks, and each begins with its key.
func keyAt(foot string, x int) (tea.KeyPressMsg, bool) {
	left := 0
	for _, part := range strings.SplitAfter(foot, "  ") {
		right := left + format.Width(part)
		words := strings.Fields(strings.Trim(part, "└┘─ "))
		if x >= left && x < right && len(words) > 1 {
			return keyOfHint(words[0], words[1])
		}
		left = right
	}
	return tea.KeyPressMsg{}, false
}

// keyOfHint returns the key press of a hint with the given first two words, such as "enter" and
// "save". ok is false if the hint lists several keys, such as "y n answer".
func keyOfHint(first, second string) (key tea.KeyPressMsg, ok bool) {
	listsKeys := len(first) <= 1 && len([]rune(second)) <= 1
	if listsKeys {
		return tea.KeyPressMsg{}, false
	}
	return action.KeyPress(first)
}
