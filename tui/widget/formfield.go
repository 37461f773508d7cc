package widget

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

// FieldKind is the kind of a field, which decides how the user edits it.
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
	ID    string // "" becomes Label in lower case
	Label string
	Kind  FieldKind
	Help  string
	Error string // shown at the field
	// Check returns the error of a value, or ""; nil accepts all values.
	Check func(value string) string

	// Of fields with a text:

	Secret bool // the text is shown as dots
	Slots  int  // of a TextField: cells of the expected text, which are underlined; 0 for none
	TypeOn bool // typing adds to the initial text instead of replacing it

	// Of a ChoiceField or a MultiField:

	Options []Option
	// Unmarked makes a ChoiceField highlight no option until the user selects one, because a highlighted option looks
	// selected. Set it in forms in which no key selects the highlighted option.
	Unmarked bool

	// Of a NoteField:

	Note string // the text

	// Of a DateField:

	LastDay     bool   // a period such as "KW 50" counts as its last day, not its first
	CalendarKey string // the key that opens the calendar, if it is not the down key

	// Of a NumberField:

	Unit        string
	Least, Most float64 // range; both 0 for no limits

	// The state of a field with a text:

	input textInput // line or area; nil for fields without a text
	line  *Input    // of a single-line field
	area  *Area     // of a LongField

	isTextSelected bool // the whole text is selected: typing replaces it

	// The state of a field with options:

	ticked map[string]bool // whether an option is selected, by its value
	cursor int             // option under the cursor
	seek   optionSearch

	now func() time.Time // of the form
}

// textInput is a text being edited, of one line or several.
type textInput interface {
	Value() string
	Set(text string)
	Update(msg tea.Msg)
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
	replacesText := fl.isTextSelected && !fl.TypeOn && fl.Kind != LongField
	if isText && replacesText {
		fl.input.Set("")
	}
	fl.isTextSelected = false
	fl.input.Update(msg)
}
