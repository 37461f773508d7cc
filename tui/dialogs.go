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

// dialogStack holds the open dialogs. Only the last one, on top, gets input.
type dialogStack struct {
	app *App // of which it is a part

	dialogs []widget.Dialog
	box     dialogBox
	calm    time.Time // until when nothing is taken
}

// calmTime is how long a dialog that opens by itself ignores keys: they were meant for
// what was there before.
const calmTime = 400 * time.Millisecond

// interrupt opens a dialog by itself. Lines of text are not typed by accident.
func (a *dialogStack) interrupt(d widget.Dialog) {
	a.pushDialog(d)
	if !a.app.opts.plain {
		a.calm = a.app.env.Now().Add(calmTime)
	}
}

// showText opens a text by itself.
func (a *dialogStack) showText(role theme.Role, title, text string) {
	a.interrupt(&widget.TextDialog{
		Title: title,
		Text:  func(w int) []string { return a.app.env.Theme.RaiseLines(role, w, text) },
	})
}

// dialogBox is the rectangle in which the top dialog was drawn last.
type dialogBox struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// pushDialog opens a dialog on top of the others.
func (a *dialogStack) pushDialog(one widget.Dialog) { a.dialogs = append(a.dialogs, one) }

// topDialog returns the dialog that gets input, or nil.
func (a *dialogStack) topDialog() widget.Dialog {
	if len(a.dialogs) == 0 {
		return nil
	}
	return a.dialogs[len(a.dialogs)-1]
}

// updateDialog sends a message to the top dialog.
func (a *dialogStack) updateDialog(msg tea.Msg) tea.Cmd {
	return a.callDialog(func() (tea.Cmd, bool) { return a.topDialog().Update(msg) })
}

// callDialog calls a function of the top dialog, and closes the dialog where that reports
// that it is done.
func (a *dialogStack) callDialog(do func() (cmd tea.Cmd, done bool)) tea.Cmd {
	if a.app.env.Now().Before(a.calm) {
		return nil
	}
	last := len(a.dialogs) - 1
	cmd, done := do()
	if done {
		a.dialogs = slices.Delete(a.dialogs, last, last+1)
	}
	return cmd
}

// drawDialogs draws the dialogs over the screen, leaving the countdown free. The cursor is
// that of the top dialog, nil if it has none.
func (a *dialogStack) drawDialogs(content string) (drawn string, cursor *tea.Cursor) {
	w, h := a.app.env.Width, a.app.env.Height
	for _, one := range a.dialogs {
		view := one.View(a.app.env.Theme, w-4, h-4-a.app.held.rows())
		lines := format.SplitLines(view)
		box := dialogBox{
			w:    format.Width(lines[0]),
			h:    len(lines),
			foot: ansi.Strip(lines[len(lines)-1]),
		}
		box.x, box.y = (w-box.w)/2, max(0, (h-box.h)/3)
		content, cursor, a.box = format.LayOver(content, view, box.x, box.y), nil, box
		if typed, ok := one.(interface{ Cursor() *tea.Cursor }); ok && typed.Cursor() != nil {
			cursor = tea.NewCursor(box.x+typed.Cursor().X, box.y+typed.Cursor().Y)
		}
	}
	return content, cursor
}

// clickDialog handles the mouse for the top dialog: a click on a key in its footer
// presses that key, other clicks go to the dialog, and the wheel moves in its
// list, unless it has fields.
func (a *dialogStack) clickDialog(m tea.Mouse, turn int) tea.Cmd {
	x, y, top := m.X-a.box.x, m.Y-a.box.y, a.topDialog()
	if x < 0 || y < 0 || x >= a.box.w || y >= a.box.h {
		return nil
	}
	key, named := keyAt(a.box.foot, x)
	clicker, clicks := top.(page.Clicker)
	_, fields := top.(interface{ FilledIn() *widget.Form })
	switch {
	case turn != 0 && !fields:
		key := tea.KeyPressMsg{Code: tea.KeyUp}
		if turn > 0 {
			key.Code = tea.KeyDown
		}
		var cmds []tea.Cmd
		for range wheelRows {
			cmds = append(cmds, a.updateDialog(key))
		}
		return tea.Batch(cmds...)
	case m.Button != tea.MouseLeft:
	case named && y == a.box.h-1:
		return a.updateDialog(key)
	case clicks && y < a.box.h-1:
		return a.callDialog(func() (tea.Cmd, bool) { return clicker.HandleClick(x, y) })
	}
	return nil
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

// copySequence returns what makes the escape code that has the terminal copy a text; nil
// if the terminal must not be asked.
func (o *Options) copySequence() func(text string) string {
	switch ask := o.CopySequence; {
	case o.plain || ask != nil && ask("") == "":
		return nil
	case ask != nil:
		return ask
	}
	return ansi.SetSystemClipboard
}

// takeCopied also sends a copied text to the terminal's clipboard, and reports
// where the text is.
func (a *dialogStack) takeCopied(msg page.CopiedMsg) tea.Cmd {
	a.app.copied = msg
	a.app.copied.What = format.Clean(msg.What)
	role, ask, way := theme.Text, a.app.opts.copySequence(), " · "+keyOf(action.Copied)+" to show it"
	if msg.IsSecret {
		a.app.copied.Text, way = "", " · select it with the mouse"
	}
	said := "No clipboard: " + a.app.copied.What + way
	switch {
	case msg.IsKnown:
		role, said = theme.Good, "Copied "+a.app.copied.What
		if msg.Into != "" {
			said += " to " + msg.Into
		}
	case ask != nil:
		said = "Sent to the terminal's clipboard: " + a.app.copied.What + way
	}
	if ask == nil {
		return page.ShowToast(role, said)
	}
	return tea.Batch(page.ShowToast(role, said), func() tea.Msg { return tea.RawMsg{Msg: ask(msg.Text)} })
}

// openHelp opens the keys of the page, which can be searched.
func (a *dialogStack) openHelp() tea.Cmd {
	search := widget.NewInput(60)
	search.Hint = "type to search"
	a.pushDialog(&widget.TextDialog{
		Title: "Keys: " + a.app.pages.top().Title(), Search: search,
		Text: func(w int) []string { return a.actionLines(strings.TrimPrefix(search.Value(), "/"), w) },
	})
	return nil
}

// actionLines renders the actions that have every word of the query in their keys, title
// or description, grouped by scope.
func (a *dialogStack) actionLines(query string, w int) (lines []string) {
	th, last, words := a.app.env.Theme, action.Scope(""), strings.Fields(format.Fold(query))
	for _, act := range action.ActionsOf(a.app.activeScopes()...) {
		text := format.Fold(act.KeyLabels() + " " + act.Title + " " + act.Help + " " + act.Scope.ScopeTitle())
		if rankWords(words, text) < 0 {
			continue
		}
		if act.Scope != last {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			last, lines = act.Scope, append(lines, th.PaintTitle(act.Scope.ScopeTitle()))
		}
		facts := []widget.Fact{widget.Text(format.FitLeft(act.KeyLabels(), 16)+act.Title, act.Help)}
		if why := a.app.disabledReason(act); why != "" {
			facts = append(facts, widget.Toned("", "unavailable: "+why, theme.Attention))
		}
		lines = append(lines, widget.DialogFacts(th, 34, w, facts...)...)
	}
	if len(lines) == 0 {
		lines = []string{th.PaintMuted("No matching keys")}
	}
	return lines
}
