package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

type FieldKind int

// The kinds of fields.
const (
	TextField   FieldKind = iota
	DateField             // typed in words or digits, or chosen from a calendar
	NumberField           // with a unit
	ChoiceField           // one of the options
	MultiField            // any of the options
	NoteField             // text that cannot be edited
	LongField             // a text of several lines
)

// Option is one value of a choice.
type Option = format.Option

// Field is a field of a form.
type Field struct {
	ID      string // "" becomes Label in lower case
	Label   string
	Kind    FieldKind
	Help    string
	Options []Option
	Secret  bool   // the text is shown as dots
	TypeOn  bool   // typing adds to the initial text instead of replacing it
	Error   string // shown at the field
	// Check returns the error of a value, or ""; nil accepts all values.
	Check func(value string) string
	Note  string // the text of a NoteField
	// Unmarked makes a ChoiceField highlight no option until the user selects one, because a highlighted option looks
	// selected. Set it in forms in which no key selects the highlighted option.
	Unmarked bool

	LastDay     bool   // of a DateField: a period such as "KW 50" counts as its last day, not its first
	CalendarKey string // of a DateField: the key that opens the calendar, if it is not the down key

	Unit        string  // of a NumberField
	Least, Most float64 // range of a NumberField; both 0 for no limits

	input  textInput // line or area, or nil for other kinds of fields
	line   *Input    // of a single-line field
	area   *Area     // of a LongField
	ticked map[string]bool
	cursor int // option under the cursor

	whole bool // the whole text is selected: typing replaces it
	seek  optionSearch
	now   func() time.Time
}

// textInput is a text being edited, of one line or several.
type textInput interface {
	Value() string
	Set(text string)
	Update(msg tea.Msg)
}

// Form is a column of fields, with one field in focus.
type Form struct {
	Fields []*Field
	limit  int // maximum length of texts, in characters
	now    func() time.Time
	focus  int
	scroll Scroll
	cursor *tea.Cursor
	marked time.Time // selected day of the calendar, zero while it is closed

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
		old.Label = fl.Label
		old.Help = fl.Help
		old.Options = fl.Options
		old.cursor = max(0, min(old.cursor, len(old.Options)-1))
		fields[i] = old
	}
	f.Fields = fields
	f.focus = slices.Index(fields, focused)
	if f.focus < 0 {
		f.focus = 0
		f.MoveFocus(0)
	}
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

// Focused returns the field in focus.
func (f *Form) Focused() *Field { return f.Fields[f.focus] }

// IsLast reports whether no field that the user can edit follows the field in focus.
func (f *Form) IsLast() bool {
	return !slices.ContainsFunc(f.Fields[f.focus+1:], func(fl *Field) bool { return fl.Kind != NoteField })
}

// FocusField focuses the field with the given ID and selects its text. If the field already has the focus, it selects
// only a secret text. A secret is shown as dots, so the user cannot correct it and has to type or paste it again.
func (f *Form) FocusField(id string) {
	f.CloseCalendar()
	for i, fl := range f.Fields {
		if fl.ID != id || fl.Kind == NoteField {
			continue
		}
		isMoved := i != f.focus
		f.focus = i
		if isMoved || fl.Secret {
			fl.whole = true
			fl.seek = optionSearch{}
		}
	}
}

// FocusEnd focuses the field with the given ID, or keeps the focus if the ID is empty. The
// text is not selected: typing adds to it.
func (f *Form) FocusEnd(id string) {
	f.FocusField(id)
	f.Focused().whole = false
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

// FocusFault focuses the first field with an error and reports whether there is one.
func (f *Form) FocusFault() bool {
	for _, fl := range f.Fields {
		if fl.Error != "" {
			f.FocusField(fl.ID)
			return true
		}
	}
	return false
}

// MoveFocus moves the focus by n fields, wrapping around at the ends. Notes are skipped.
func (f *Form) MoveFocus(n int) {
	f.CloseCalendar()
	step := 1
	if n < 0 {
		step = -1
		n = -n
	}
	f.skipNotes(step)
	for range n {
		f.stepFocus(step)
		f.skipNotes(step)
	}
	f.Focused().seek = optionSearch{}
	f.Focused().whole = true
}

// skipNotes moves the focus on, in the direction of step, while it is on a note.
func (f *Form) skipNotes(step int) {
	for f.Focused().Kind == NoteField {
		f.stepFocus(step)
	}
}

// stepFocus moves the focus to the next field, or to the previous one if step is -1.
func (f *Form) stepFocus(step int) {
	f.focus = (f.focus + step + len(f.Fields)) % len(f.Fields)
}

// MoveByKey handles the keys that move to another field or line, and reports whether name
// is one of them.
func (f *Form) MoveByKey(name string) bool {
	switch name {
	case "tab":
		f.MoveFocus(1)
	case "shift+tab":
		f.MoveFocus(-1)
	case "down":
		f.MoveDown()
	case "up":
		f.MoveUp()
	default:
		return false
	}
	return true
}

// MoveUp moves to the line above, or to the previous field.
func (f *Form) MoveUp() {
	fl := f.Focused()
	if fl.area != nil && fl.area.Move(-1) {
		return
	}
	f.MoveFocus(-1)
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

// finishEdit is called after an edit with the value before the edit, and reports whether the value changed. If so, it
// removes the error, which was about the old value.
func (fl *Field) finishEdit(oldValue string) bool {
	if fl.Value() == oldValue {
		return false
	}
	fl.Error = ""
	return true
}

// editText passes a message to the text of a field. If the text is selected, typed text replaces it. A LongField is
// an exception, because a single key must not delete its text.
func (fl *Field) editText(msg tea.Msg, isText bool) {
	isSelected := fl.whole && !fl.TypeOn && fl.Kind != LongField
	if isText && isSelected {
		fl.input.Set("")
	}
	fl.whole = false
	fl.input.Update(msg)
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

// Value returns the text of the field, or the ticked values separated by commas.
func (fl *Field) Value() string {
	if fl.input != nil {
		return strings.TrimSpace(fl.input.Value())
	}
	return strings.Join(fl.Values(), ",")
}

// Values returns the ticked values in the order of the options.
func (fl *Field) Values() []string {
	var values []string
	for _, o := range fl.Options {
		if fl.ticked[o.Value] {
			values = append(values, o.Value)
		}
	}
	return values
}

// Set replaces the text of the field, or ticks the options with the given values.
func (fl *Field) Set(values ...string) {
	if fl.input != nil {
		fl.input.Set(strings.Join(values, ","))
		return
	}
	fl.seek = optionSearch{}
	for _, option := range fl.Options {
		fl.ticked[option.Value] = option.Fixed
	}
	for _, value := range values {
		fl.tick(value)
	}
}

// tick ticks the option with the given value and moves the cursor to it.
func (fl *Field) tick(value string) {
	for i, option := range fl.Options {
		if option.Value == value {
			fl.ticked[value] = true
			fl.cursor = i
		}
	}
}

// Date parses the text of a DateField.
func (fl *Field) Date() (format.DayOrTime, error) {
	if fl.LastDay {
		return format.ParseLastDay(fl.line.Value(), fl.now())
	}
	return format.ParseDate(fl.line.Value(), fl.now())
}
