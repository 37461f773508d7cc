package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
)

// FieldKind is the kind of a field.
type FieldKind int

// The kinds.
const (
	TextField   FieldKind = iota
	DateField             // typed in words or digits, or chosen from a calendar
	NumberField           // with a unit
	ChoiceField           // one of the options
	MultiField            // any of the options
	NoteField             // only shown
	LongField             // a text of several lines
)

// Option is one value of a choice.
type Option = format.Option

// Field is one field of a form.
type Field struct {
	ID      string // "" becomes Label in lower case
	Label   string
	Kind    FieldKind
	Help    string
	Options []Option
	Secret  bool   // of a text, dots are shown
	TypeOn  bool   // its text is a beginning, which what is typed does not replace
	Error   string // shown below the field
	// Check says what is wrong with what is filled in, "" for nothing; nil accepts anything.
	Check func(value string) string
	Note  string // what a Note shows

	Unit        string  // of a Number
	Least, Most float64 // of a Number; both 0 for any

	input  textInput // of what is typed, nil where nothing is
	line   *Input    // the input of a line
	area   *Area     // the input of several
	ticked map[string]bool
	at     int // option under the cursor

	whole bool // the text is marked: what is typed replaces it
	seek  optionSearch
	now   func() time.Time
}

// textInput is what a text is typed into.
type textInput interface {
	Value() string
	Set(text string)
	Update(msg tea.Msg)
}

// Form is a column of fields, one in focus.
type Form struct {
	Fields []*Field
	limit  int // length of a text, in characters
	now    func() time.Time
	focus  int
	scroll Scroll
	room   int   // cells beside the labels in the last view
	at     []int // the first line of each field in it, not scrolled
	cursor *tea.Cursor
	marked time.Time // the day marked in the calendar, zero while that is closed
}

// NewForm makes a form. The clock is for dates typed in words; limit is the length
// of texts in characters.
func NewForm(limit int, now func() time.Time, fields ...*Field) *Form {
	form := &Form{Fields: fields, limit: limit, now: now}
	for _, f := range fields {
		form.initField(f)
	}
	form.MoveFocus(0)
	return form
}

// initField makes a field ready to be filled in.
func (f *Form) initField(fl *Field) {
	fl.now, fl.ID = f.now, cmp.Or(fl.ID, strings.ToLower(fl.Label))
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
		for _, o := range fl.Options {
			fl.ticked[o.Value] = o.Fixed
		}
	case NoteField:
	}
}

// SetFields replaces the fields of a form that is on the screen. A field whose ID the form
// has already stays as it is filled in, with the new options. The focus stays on its field,
// or else goes to the first one.
func (f *Form) SetFields(fields ...*Field) {
	focused := f.Focused()
	for i, fl := range fields {
		fl.ID = cmp.Or(fl.ID, strings.ToLower(fl.Label))
		old := f.Field(fl.ID)
		if old == nil || old.Kind != fl.Kind {
			f.initField(fl)
			continue
		}
		old.Label, old.Help, old.Options = fl.Label, fl.Help, fl.Options
		old.at = max(0, min(old.at, len(old.Options)-1))
		fields[i] = old
	}
	f.Fields = fields
	f.focus = slices.Index(fields, focused)
	if f.focus < 0 {
		f.focus = 0
		f.MoveFocus(0)
	}
}

// Field returns the field of an id, nil where there is none.
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

// IsLast reports whether no field follows the one in focus.
func (f *Form) IsLast() bool {
	return !slices.ContainsFunc(f.Fields[f.focus+1:], func(fl *Field) bool { return fl.Kind != NoteField })
}

// FocusField puts the field of an id in focus. One that is in focus already is not
// marked again: the next key adds to what is being typed.
func (f *Form) FocusField(id string) {
	f.CloseCalendar()
	for i, fl := range f.Fields {
		if fl.ID == id && fl.Kind != NoteField && i != f.focus {
			f.focus = i
			fl.whole, fl.seek = true, optionSearch{}
		}
	}
}

// FocusEnd puts the field of an id in focus with the cursor behind its text, which is not
// marked: the next key adds to it. The empty id is the field in focus.
func (f *Form) FocusEnd(id string) {
	f.FocusField(id)
	f.Focused().whole = false
}

// IsAccepted checks all fields, and reports whether nothing is wrong with any.
func (f *Form) IsAccepted() bool {
	for _, fl := range f.Fields {
		if fl.Error = ""; fl.Check != nil {
			fl.Error = fl.Check(fl.Value())
		}
	}
	return !f.FocusFault()
}

// FocusFault puts the first field at fault in focus, and reports whether there is one.
func (f *Form) FocusFault() bool {
	at := slices.IndexFunc(f.Fields, func(fl *Field) bool { return fl.Error != "" })
	if at >= 0 {
		f.FocusField(f.Fields[at].ID)
	}
	return at >= 0
}

// MoveFocus moves the focus by n fields, notes not counted, round at the ends.
func (f *Form) MoveFocus(n int) {
	f.CloseCalendar()
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for moved := 0; ; {
		if f.Fields[f.focus].Kind != NoteField {
			if moved == n {
				break
			}
			moved++
		}
		f.focus = (f.focus + step + len(f.Fields)) % len(f.Fields)
	}
	f.Focused().seek, f.Focused().whole = optionSearch{}, true
}

// MoveByKey goes to another field by a key, or to another line of the one in focus, and
// reports whether it was such a key.
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

// MoveUp goes to the line above, or to the field before.
func (f *Form) MoveUp() {
	if fl := f.Focused(); fl.area == nil || !fl.area.Move(-1) {
		f.MoveFocus(-1)
	}
}

// Update gives a key or a paste to the field in focus and reports whether its
// value changed.
func (f *Form) Update(msg tea.Msg) bool {
	fl := f.Focused()
	key, isKey := msg.(tea.KeyPressMsg)
	paste, isPaste := msg.(tea.PasteMsg)
	switch {
	case !isKey && !isPaste:
		return false
	case isPaste && fl.input == nil:
		return fl.tickNamed(paste.Content)
	}
	if f.IsCalendarOpen() {
		if taken, changed := f.handleCalendarKey(KeyName(msg)); taken {
			return changed
		}
		f.CloseCalendar() // what is typed is typed
	}
	before := fl.Value()
	if fl.input == nil {
		fl.pressKey(key)
	} else {
		// A marked text gives way to what is typed or pasted; a long one is not to be lost to a key.
		replaces := isPaste || key.Text != "" || key.Code == tea.KeyBackspace
		if replaces && fl.whole && !fl.TypeOn && fl.Kind != LongField {
			fl.input.Set("")
		}
		fl.whole = false
		fl.input.Update(msg)
	}
	if fl.Value() != before {
		fl.Error = ""
		return true
	}
	return false
}

// pressKey moves among the options: arrows, space to tick, letters to find one.
func (fl *Field) pressKey(key tea.KeyPressMsg) {
	n := len(fl.Options)
	switch k := key.String(); {
	case k == "right":
		fl.moveMark((fl.at + 1) % n)
	case k == "left":
		fl.moveMark((fl.at + n - 1) % n)
	case k == "space" && fl.Kind == ChoiceField && fl.seek.text != "":
		fl.findOption(fl.seek.text + " ")
	case k == "space":
		fl.pickOption(fl.at)
	case k == "backspace":
		if r := []rune(fl.seek.text); len(r) > 0 {
			fl.findOption(string(r[:len(r)-1]))
		}
	case key.Text != "":
		fl.findOption(fl.seek.text + key.Text)
	}
}

func (fl *Field) moveMark(to int) {
	fl.chooseOption(to)
	fl.seek = optionSearch{}
}

// PickMarked chooses the option under the cursor.
func (fl *Field) PickMarked() { fl.pickOption(fl.at) }

// pickOption chooses an option, and of several ticks it or takes its tick away.
func (fl *Field) pickOption(i int) {
	fl.moveMark(i)
	if o := fl.Options[i]; fl.Kind == MultiField && !o.Fixed {
		fl.ticked[o.Value] = !fl.ticked[o.Value]
	}
}

func (fl *Field) chooseOption(to int) {
	fl.at = to
	if fl.Kind == ChoiceField {
		clear(fl.ticked)
		fl.ticked[fl.Options[to].Value] = true
	}
}

// Value returns the field as text: what was typed, or the ticked values with
// commas between.
func (fl *Field) Value() string {
	if fl.input != nil {
		return strings.TrimSpace(fl.input.Value())
	}
	return strings.Join(fl.Values(), ",")
}

// Values returns the ticked options' values, in the options' order.
func (fl *Field) Values() []string {
	var values []string
	for _, o := range fl.Options {
		if fl.ticked[o.Value] {
			values = append(values, o.Value)
		}
	}
	return values
}

// Set replaces the field's text, or ticks the values.
func (fl *Field) Set(values ...string) {
	if fl.input != nil {
		fl.input.Set(strings.Join(values, ","))
		return
	}
	fl.seek = optionSearch{}
	for _, o := range fl.Options {
		fl.ticked[o.Value] = o.Fixed
	}
	for _, v := range values {
		for i, o := range fl.Options {
			if o.Value == v {
				fl.ticked[v], fl.at = true, i
			}
		}
	}
}

// Date returns the day or the time that a Date field holds.
func (fl *Field) Date() (format.DayOrTime, error) { return format.ParseDate(fl.line.Value(), fl.now()) }
