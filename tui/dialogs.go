package tui

import (
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
	open []widget.Dialog
	box  dialogBox
	now  func() time.Time
	calm time.Time // until when nothing is taken
}

// calmTime is how long a dialog that opens by itself ignores keys: they were meant for
// what was there before.
const calmTime = 400 * time.Millisecond

// interrupt opens a dialog by itself. Lines of text are not typed by accident.
func (a *App) interrupt(d widget.Dialog) {
	a.dialogs.pushDialog(d)
	if !a.opts.plain {
		a.dialogs.calm = a.env.Now().Add(calmTime)
	}
}

// dialogBox is the rectangle in which the top dialog was drawn last.
type dialogBox struct {
	x, y, w, h int
	foot       string // its last line, with its keys
}

// pushDialog opens a dialog on top of the others.
func (d *dialogStack) pushDialog(one widget.Dialog) { d.open = append(d.open, one) }

// topDialog returns the dialog that gets input, or nil.
func (d *dialogStack) topDialog() widget.Dialog {
	if len(d.open) == 0 {
		return nil
	}
	return d.open[len(d.open)-1]
}

// updateTop sends a message to the top dialog.
func (d *dialogStack) updateTop(msg tea.Msg) tea.Cmd {
	return d.callTop(func(top widget.Dialog) (tea.Cmd, bool) { return top.Update(msg) })
}

// callTop calls do with the top dialog and closes the dialog if do reports that
// it is done.
func (d *dialogStack) callTop(do func(widget.Dialog) (cmd tea.Cmd, done bool)) tea.Cmd {
	if d.now().Before(d.calm) {
		return nil
	}
	last := len(d.open) - 1
	cmd, done := do(d.open[last])
	if done {
		d.open = append(d.open[:last], d.open[last+1:]...)
	}
	return cmd
}

// drawTop draws the dialogs over a screen of w by h cells, leaving its last rows
// free. The cursor is that of the top dialog, nil if it has none.
func (d *dialogStack) drawTop(th *theme.Theme, content string, w, h, below int) (drawn string, cursor *tea.Cursor) {
	for _, one := range d.open {
		view := one.View(th, w-4, h-4-below)
		lines := format.SplitLines(view)
		d.box = dialogBox{w: format.Width(lines[0]), h: len(lines), foot: ansi.Strip(lines[len(lines)-1])}
		d.box.x, d.box.y = (w-d.box.w)/2, max(0, (h-d.box.h)/3)
		content, cursor = format.LayOver(content, view, d.box.x, d.box.y), nil
		if typed, ok := one.(interface{ Cursor() *tea.Cursor }); ok && typed.Cursor() != nil {
			cursor = tea.NewCursor(d.box.x+typed.Cursor().X, d.box.y+typed.Cursor().Y)
		}
	}
	return content, cursor
}

// clickTop handles the mouse for the top dialog: a click on a key in its footer
// presses that key, other clicks go to the dialog, and the wheel moves in its
// list.
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
			return d.callTop(func(widget.Dialog) (tea.Cmd, bool) { return clicker.HandleClick(x, y) })
		}
	}
	return nil
}

// scrollTop moves the selection in the list of the top dialog, unless that has fields.
func (d *dialogStack) scrollTop(button tea.MouseButton) tea.Cmd {
	key := map[tea.MouseButton]rune{tea.MouseWheelUp: tea.KeyUp, tea.MouseWheelDown: tea.KeyDown}[button]
	if _, fields := d.topDialog().(interface{ FilledIn() *widget.Form }); fields || key == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, d.updateTop(tea.KeyPressMsg{Code: key}))
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

// namedKeys are the keys that a dialog's footer names, or that are typed by name for it.
var namedKeys = map[string]tea.KeyPressMsg{
	"esc": {
		Code: tea.KeyEscape,
	},
	"tab":   {Code: tea.KeyTab},
	"down":  {Code: tea.KeyDown},
	"up":    {Code: tea.KeyUp},
	"space": {Code: tea.KeySpace, Text: " "},
	"enter": {Code: tea.KeyEnter},
}

// keyNamed returns the key press of a name. A hint that lists several keys
// presses none.
func keyNamed(name, next string) (tea.KeyPressMsg, bool) {
	key, ok := namedKeys[name]
	switch {
	case ok:
		return key, true
	case len(name) == 6 && strings.HasPrefix(name, "ctrl+"):
		return tea.KeyPressMsg{Code: rune(name[5]), Mod: tea.ModCtrl}, true
	case len(name) == 1 && len([]rune(next)) > 1:
		return tea.KeyPressMsg{Code: rune(name[0]), Text: name}, true
	}
	return tea.KeyPressMsg{}, false
}

// copyHistory remembers the text copied last and how to hand text to the
// terminal's clipboard.
type copyHistory struct {
	text, what string
	sequence   func(text string) string // nil if the terminal must not be asked
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

// takeCopied also sends a copied text to the terminal's clipboard, and reports
// where the text is.
func (c *copyHistory) takeCopied(msg page.CopiedMsg) tea.Cmd {
	c.text, c.what = msg.Text, format.Clean(msg.What)
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

// matchesQuery reports whether an action has every word of the query in its keys,
// title or description.
func matchesQuery(act action.Action, query string) bool {
	text := format.Fold(act.KeyLabels() + " " + act.Title + " " + act.Help + " " + act.Scope.ScopeTitle())
	for _, word := range strings.Fields(format.Fold(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// actionLines renders the matching actions, grouped by scope.
func (a *App) actionLines(query string, w int) []string {
	th := a.env.Theme
	last, wide := action.Scope(""), 34
	var lines []string
	for _, act := range action.ActionsOf(a.activeScopes()...) {
		if !matchesQuery(act, query) || !isThere(a.env, act) {
			continue
		}
		if act.Scope != last {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(
				lines,
				format.CleanText(th.RaisedStyle(theme.Text).Bold(true), act.Scope.ScopeTitle()),
			)
			last = act.Scope
		}
		role := theme.Text
		why := a.disabledReason(act)
		if why != "" {
			role = theme.Muted
		}
		keys := th.PaintRaised(theme.Accent, format.FitLeft(act.KeyLabels(), 16))
		for i, part := range format.Wrap(act.Help, max(12, w-wide)) {
			before := keys + th.PaintRaised(role, format.FitLeft(act.Title, wide-16))
			if i > 0 {
				before = th.PaintRaised(role, format.BlankCells(wide))
			}
			lines = append(lines, before+th.PaintRaised(role, part))
		}
		for _, part := range format.Wrap("unavailable: "+why, max(12, w-wide)) {
			if why != "" {
				lines = append(lines, th.PaintRaised(theme.Attention, format.BlankCells(wide)+part))
			}
		}
	}
	if len(lines) == 0 {
		lines = []string{th.PaintRaised(theme.Muted, "No matching keys")}
	}
	return lines
}

// isThere reports whether an action is available or has a reason to show. Actions
// of sections that are not offered are hidden.
func isThere(env *page.Env, act action.Action) bool {
	_, known := findSection(sections, act.ID)
	_, has := findSection(offeredSections(env), act.ID)
	return !known || has || missingReason(env, act.ID) != ""
}

// missingReason returns why the section that an action opens is not offered, ""
// if it is offered or has no reason.
func missingReason(env *page.Env, id action.ID) string {
	if id == action.ShowRequests && env.RequestLog == nil {
		return "not connected to a service yet"
	}
	s, known := findSection(sections, id)
	if _, has := findSection(offeredSections(env), id); !known || has || s.Missing == nil || env.Client == nil {
		return ""
	}
	return s.Missing(env)
}
