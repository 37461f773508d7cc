package widget

import "slices"

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
			fl.isTextSelected = true
			fl.seek = optionSearch{}
		}
	}
}

// FocusEnd focuses the field with the given ID, or keeps the focus if the ID is empty. The
// text is not selected: typing adds to it.
func (f *Form) FocusEnd(id string) {
	f.FocusField(id)
	f.Focused().isTextSelected = false
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

// MoveFocus moves the focus by n fields, forwards or, if n is negative, backwards. After the last field it goes on with
// the first, and the other way round. It then selects the text of the field. Notes are fields without input, so they do
// not count and never get the focus. If the focus is on a note, MoveFocus first moves it to the next field that is not
// a note, even if n is 0.
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
	f.Focused().isTextSelected = true
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

// MoveDown opens the calendar if a date field is in focus. In other fields it moves to the
// next line or the next field.
func (f *Form) MoveDown() {
	fl := f.Focused()
	opensCalendar := fl.Kind == DateField && !f.IsCalendarOpen()
	if opensCalendar {
		f.openCalendar()
		return
	}
	isBetweenLines := fl.area != nil && fl.area.Move(1)
	if !isBetweenLines {
		f.MoveFocus(1)
	}
}

// MoveUp moves to the line above, or to the previous field.
func (f *Form) MoveUp() {
	fl := f.Focused()
	if fl.area != nil && fl.area.Move(-1) {
		return
	}
	f.MoveFocus(-1)
}
