package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// TypedConfirmation asks for what cannot be taken back: it goes on only once a word of what
// it is about, a code or an amount, has been typed.
type TypedConfirmation struct {
	Theme *theme.Theme
	Title string
	Lines []string // what it is about: object and amount, and what follows
	Want  string   // what has to be typed, upper and lower case the same
	Yes   string   // what enter does then
	No    string   // what esc does
	OnYes func() tea.Cmd

	line  *widget.Field
	wrong bool // what was confirmed last is not what has to be typed
	x, y  int  // where the field began in the last view
}

func (d *TypedConfirmation) inputField() *widget.Field {
	if d.line == nil {
		d.line = widget.NewField(100)
	}
	return d.line
}

func (d *TypedConfirmation) isReady() bool {
	return d.Want != "" && strings.EqualFold(strings.TrimSpace(d.inputField().Value()), d.Want)
}

// Update takes text, enter and esc.
func (d *TypedConfirmation) Update(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if d.isReady() {
				return d.OnYes(), true
			}
			d.wrong = d.inputField().Value() != ""
			return nil, false
		case "esc":
			return nil, true
		}
	}
	d.wrong = false
	d.inputField().Update(msg)
	return nil, false
}

// View draws the box.
func (d *TypedConfirmation) View(w, h int) string {
	w = d.Theme.NarrowWidth(w, 64)
	th := d.Theme
	lines := th.RaiseLines(theme.Text, w-4, d.Lines...)
	prompt := "Type " + layout.Clean(d.Want) + " to confirm  "
	above := layout.Width(prompt) > w/2 // it is too long to stand before the field
	lines = append(lines[:min(len(lines), max(0, h-5))], "")
	if above {
		lines = append(lines, th.PaintRaised(theme.Muted, layout.CutLine(prompt, w-4)))
		prompt = ""
	}
	d.x, d.y = 2+layout.Width(prompt), 1+len(lines)
	role := theme.Text
	if d.isReady() {
		role = theme.Good
	}
	lines = append(lines, th.PaintRaised(theme.Muted, prompt)+
		d.inputField().View(w-4-layout.Width(prompt), th.RaisedStyle(role), th.RaisedStyle(theme.Muted)))
	if d.wrong && len(lines) < h-2 {
		lines = append(lines, th.PaintRaised(theme.Bad, layout.CutLine("Does not match "+layout.Clean(d.Want), w-4)))
	}
	hint := "enter " + d.Yes + "   esc " + d.No
	return DrawFrame(th, d.Title, hint, lines, w)
}

// Cursor stands in the field.
func (d *TypedConfirmation) Cursor() *tea.Cursor {
	return tea.NewCursor(d.x+d.inputField().CursorCell(), d.y)
}
