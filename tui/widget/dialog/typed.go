package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Typed asks for what cannot be taken back: it goes on only once a word of what
// it is about, a code or an amount, has been typed.
type Typed struct {
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

func (d *Typed) field() *widget.Field {
	if d.line == nil {
		d.line = widget.NewField(100)
	}
	return d.line
}

func (d *Typed) ready() bool {
	return d.Want != "" && strings.EqualFold(strings.TrimSpace(d.field().Value()), d.Want)
}

// Update takes text, enter and esc.
func (d *Typed) Update(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if d.ready() {
				return d.OnYes(), true
			}
			d.wrong = d.field().Value() != ""
			return nil, false
		case "esc":
			return nil, true
		}
	}
	d.wrong = false
	d.field().Update(msg)
	return nil, false
}

// View draws the box.
func (d *Typed) View(w, h int) string {
	w = d.Theme.Narrowed(w, 64)
	th := d.Theme
	var lines []string
	for _, l := range d.Lines {
		for _, part := range layout.Wrap(l, w-4) {
			lines = append(lines, layout.Text(th.Raised(theme.Text), part))
		}
	}
	prompt := "Type " + layout.Clean(d.Want) + " to confirm  "
	above := layout.Width(prompt) > w/2 // it is too long to stand before the field
	lines = append(lines[:min(len(lines), max(0, h-5))], "")
	if above {
		lines = append(lines, layout.Text(th.Raised(theme.Muted), layout.Cut(prompt, w-4)))
		prompt = ""
	}
	d.x, d.y = 2+layout.Width(prompt), 1+len(lines)
	role := theme.Text
	if d.ready() {
		role = theme.Good
	}
	lines = append(lines, layout.Text(th.Raised(theme.Muted), prompt)+
		d.field().View(w-4-layout.Width(prompt), th.Raised(role), th.Raised(theme.Muted)))
	if d.wrong && len(lines) < h-2 {
		lines = append(lines, layout.Text(th.Raised(theme.Bad), layout.Cut("Does not match "+layout.Clean(d.Want), w-4)))
	}
	hint := "enter " + d.Yes + "   esc " + d.No
	return Frame(th, d.Title, hint, lines, w)
}

// Cursor stands in the field.
func (d *Typed) Cursor() *tea.Cursor { return tea.NewCursor(d.x+d.field().CursorCell(), d.y) }
