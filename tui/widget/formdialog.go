package widget

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// FormDialog is a form, below what it is about. What was wrong the last time stands over
// the fields.
type FormDialog struct {
	Title string
	Lines []string // what it is about
	Warn  string   // what follows and cannot be taken back, say; "" for nothing
	Fault string   // what is wrong with all of it, "" for nothing
	Form  *Form
	Yes   string // what enter does, save if empty
	// OnSave takes the form, whose fields are checked. Where it leaves a fault, of a field or
	// of all, the dialog stays open.
	OnSave func() tea.Cmd
	// OnChange is called when a value has changed, to work others out; nil for
	// nothing.
	OnChange func(*Form)
	// Below draws what the values make, below the fields in at most h lines; nil for
	// nothing. With it the box is as wide as the window.
	Below func(w, h int) []string

	y int // line where the form began in the last view
}

// FilledIn returns the form.
func (d *FormDialog) FilledIn() *Form { return d.Form }

// Update takes keys for the form; enter goes on, esc leaves all as it was.
func (d *FormDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok && !d.Form.IsCalendarOpen() {
		switch key.String() {
		case "esc":
			return nil, true
		case "enter", "ctrl+s":
			if !d.Form.IsAccepted() {
				return nil, false
			}
			d.Fault = ""
			cmd := d.OnSave()
			return cmd, d.Fault == "" && !d.Form.FocusFault()
		}
		if d.Form.MoveByKey(key.String()) {
			return nil, false
		}
	}
	if d.Form.Update(msg) && d.OnChange != nil {
		d.OnChange(d.Form)
	}
	return nil, false
}

// HandleClick goes to the field, option or day that is clicked.
func (d *FormDialog) HandleClick(x, y int) (tea.Cmd, bool) {
	if d.Form.Click(x-2, y-d.y) && d.OnChange != nil {
		d.OnChange(d.Form)
	}
	return nil, false
}

// View draws the box. Where there is no room for all, what it is about gives way
// to the fields; what follows and what was wrong stay.
func (d *FormDialog) View(th *theme.Theme, w, h int) string {
	if d.Below == nil {
		w = th.NarrowWidth(w, 76)
	}
	about := th.RaiseLines(theme.Text, w-4, d.Lines...)
	stay := raiseSome(th, theme.Text, w-4, "", d.Warn)
	if len(about) > 0 && len(stay) > 0 {
		about = append(about, "")
	}
	stay = append(stay, raiseSome(th, theme.Bad, w-4, "! ", d.Fault)...)
	fields := min(d.Form.Height(w-4), max(1, h-3-len(stay)))
	var below []string
	if d.Below != nil {
		below = d.Below(w-4, max((h-2)/2, h-3-len(stay)-fields))
		fields = min(fields, max(1, h-2-len(stay)-len(below)))
	}
	lines := slices.Concat(about[:max(0, min(len(about), h-3-len(stay)-fields))], stay)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	lines = lines[:min(len(lines), max(0, h-2-fields))]
	d.y = 1 + len(lines)
	lines = append(lines, format.SplitLines(d.Form.View(th.RaisedStyle, w-4, fields))...)
	lines = append(lines, below...)
	return DrawDialog(
		th,
		d.Title,
		"enter "+cmp.Or(d.Yes, "save")+"   tab next   esc back",
		lines,
		w,
	)
}

// raiseSome paints a text behind a mark, nothing without a text.
func raiseSome(th *theme.Theme, role theme.Role, w int, mark, text string) []string {
	if text == "" {
		return nil
	}
	return th.RaiseLines(role, w, mark+text)
}

// Cursor returns the form's.
func (d *FormDialog) Cursor() *tea.Cursor {
	c := d.Form.Cursor()
	if c == nil {
		return nil
	}
	return tea.NewCursor(c.X+2, c.Y+d.y)
}

// ConfirmTyped returns a dialog for what cannot be taken back: it goes on only once a word
// of what it is about, a code or an amount, was typed, in capitals or small letters.
func ConfirmTyped(
	title string,
	lines []string,
	word, yes string,
	onYes func() tea.Cmd,
) *FormDialog {
	return &FormDialog{
		Title: title, Lines: lines, Warn: "Type " + word + " to confirm", Yes: yes,
		Form: NewForm(100, nil, WordField("Confirm", "", word)), OnSave: onYes,
	}
}

// WordField returns the field in which a word is typed to confirm.
func WordField(label, help, word string) *Field {
	fl := &Field{ID: "confirm", Label: label, Help: help}
	fl.Check = func() string {
		if word == "" || !strings.EqualFold(fl.Value(), word) {
			return "Does not match " + word
		}
		return ""
	}
	return fl
}
