package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Form is a column of fields, with one field in focus.
type Form struct {
	Fields []*Field
	limit  int // maximum length of texts, in characters
	now    func() time.Time
	focus  int
	scroll Scroll
	cursor *tea.Cursor

	selectedDay time.Time // of the calendar, zero while it is closed

	valueWidth int   // width right of the labels in the last view
	firstLines []int // first line of each field in the last view, not scrolled
}

// NewForm returns a form. Its texts have at most limit characters. The clock is used for dates typed in words.
func NewForm(limit int, now func() time.Time, fields ...*Field) *Form {
	form := &Form{Fields: fields, limit: limit, now: now}
	for _, f := range fields {
		form.initField(f)
	}
	form.MoveFocus(0)
	return form
}

// initField creates the input or ticks of a field.
func (f *Form) initField(fl *Field) {
	fl.now = f.now
	fl.ID = cmp.Or(fl.ID, strings.ToLower(fl.Label))
	fl.ticked = map[string]bool{}
	switch fl.Kind {
	case TextField, DateField, NumberField:
		fl.line = NewInput(f.limit)
		fl.line.Secret = fl.Secret
		fl.input = fl.line
	case LongField:
		fl.area = NewArea(f.limit)
		fl.input = fl.area
	case ChoiceField, MultiField:
		for _, option := range fl.Options {
			fl.ticked[option.Value] = option.Fixed
		}
	case NoteField:
	}
}

// SetFields replaces the fields of a form that is on the screen. If the form already has a field with the same ID,
// that field keeps its value and gets the new options. The focus stays on its field if the field still exists.
// Otherwise it moves to the first field.
func (f *Form) SetFields(fields ...*Field) {
	focused := f.Focused()
	for i, fl := range fields {
		fl.ID = cmp.Or(fl.ID, strings.ToLower(fl.Label))
		old := f.Field(fl.ID)
		if old == nil || old.Kind != fl.Kind {
			f.initField(fl)
			continue
		}
		old.update(fl)
		fields[i] = old
	}
	f.Fields = fields
	f.focus = slices.Index(fields, focused)
	if f.focus < 0 {
		f.focus = 0
		f.MoveFocus(0)
	}
}

// update sets the label, the help and the options to those of another field, and keeps the value.
func (fl *Field) update(other *Field) {
	fl.Label = other.Label
	fl.Help = other.Help
	fl.Options = other.Options
	fl.cursor = max(0, min(fl.cursor, len(fl.Options)-1))
}

// Field returns the field with the given ID, or nil.
func (f *Form) Field(id string) *Field {
	for _, fl := range f.Fields {
		if fl.ID == id {
			return fl
		}
	}
	return nil
}

// Validate checks all fields, and reports whether all are valid. It shows the errors, and focuses the
// first invalid field.
func (f *Form) Validate() bool {
	for _, fl := range f.Fields {
		fl.Error = ""
		if fl.Check != nil {
			fl.Error = fl.Check(fl.Value())
		}
	}
	return !f.FocusFault()
}

// Update passes a key or a paste to the field in focus and reports whether its value
// changed.
func (f *Form) Update(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return f.updateKey(msg)
	case tea.PasteMsg:
		return f.updatePaste(msg)
	default:
		return false
	}
}

// updateKey passes a key to the calendar if it is open, otherwise to the field in focus. If the calendar does not
// handle the key, it is closed. updateKey reports whether the value changed.
func (f *Form) updateKey(key tea.KeyPressMsg) bool {
	if f.IsCalendarOpen() {
		isHandled, isChanged := f.handleCalendarKey(key.String())
		if isHandled {
			return isChanged
		}
		f.CloseCalendar()
	}
	fl := f.Focused()
	oldValue := fl.Value()
	if fl.input == nil {
		fl.pressKey(key)
	} else {
		isText := key.Text != "" || key.Code == tea.KeyBackspace
		fl.editText(key, isText)
	}
	return fl.finishEdit(oldValue)
}

// updatePaste pastes text into the field in focus, or ticks the options that the text names. It
// reports whether the value changed.
func (f *Form) updatePaste(paste tea.PasteMsg) bool {
	fl := f.Focused()
	if fl.input == nil {
		return fl.tickNamed(paste.Content)
	}
	f.CloseCalendar()
	oldValue := fl.Value()
	fl.editText(paste, true)
	return fl.finishEdit(oldValue)
}

// pressKey handles a key in the options: arrows move the cursor, space ticks, and letters search. While the user
// types a search in a ChoiceField, space is part of the search. Without options, no key does anything.
func (fl *Field) pressKey(key tea.KeyPressMsg) {
	n := len(fl.Options)
	if n == 0 {
		return
	}
	switch key.String() {
	case "right":
		next := fl.cursor + 1
		if !fl.showsCursor() {
			next = fl.cursor
		}
		fl.moveMark(next % n)
	case "left":
		fl.moveMark((fl.cursor + n - 1) % n)
	case "space":
		isSearching := fl.Kind == ChoiceField && fl.seek.text != ""
		if isSearching {
			fl.extendSearch(" ")
		} else {
			fl.pickOption(fl.cursor)
		}
	case "backspace":
		fl.shortenSearch()
	default:
		if key.Text != "" {
			fl.extendSearch(key.Text)
		}
	}
}

// showsCursor reports whether the option under the cursor is highlighted.
func (fl *Field) showsCursor() bool { return !fl.Unmarked || fl.Value() != "" }

func (fl *Field) moveMark(to int) {
	fl.chooseOption(to)
	fl.seek = optionSearch{}
}

// PickMarked selects the option under the cursor, if there are options.
func (fl *Field) PickMarked() {
	if len(fl.Options) > 0 {
		fl.pickOption(fl.cursor)
	}
}

// pickOption selects an option, or toggles it in a MultiField.
func (fl *Field) pickOption(i int) {
	fl.moveMark(i)
	option := fl.Options[i]
	if fl.Kind == MultiField && !option.Fixed {
		fl.ticked[option.Value] = !fl.ticked[option.Value]
	}
}

func (fl *Field) chooseOption(to int) {
	fl.cursor = to
	if fl.Kind == ChoiceField {
		clear(fl.ticked)
		fl.ticked[fl.Options[to].Value] = true
	}
}
