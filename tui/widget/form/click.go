package form

import "time"

// Click goes to the field at a cell of the last view, ticks or chooses the
// option or takes the day that is there, and reports whether a value changed.
func (f *Form) Click(x, y int) bool {
	if f.picking {
		if day, ok := f.dayAt(x, y); ok {
			f.picked = day
			return f.KeepDay()
		}
		f.CloseCalendar()
	}
	line, ok := f.scroll.LineAt(y)
	for i := len(f.at) - 1; i >= 0 && ok; i-- {
		if line < f.at[i] || i >= len(f.Fields) {
			continue
		}
		fl := f.Fields[i]
		switch {
		case fl.Kind == Note:
		case i != f.focus:
			f.FocusField(fl.ID)
		case fl.Kind == Choice || fl.Kind == Multi:
			return fl.clickOption(x-labelWidth, line-f.at[i])
		}
		return false
	}
	return false
}

// clickOption ticks or chooses the option at a cell, in columns as they were drawn.
func (fl *Field) clickOption(x, line int) bool {
	if x < 0 || fl.column == 0 {
		return false
	}
	column := x / fl.column
	i := line*fl.perLine + column
	if column >= fl.perLine || i >= len(fl.Options) {
		return false
	}
	before := fl.Value()
	fl.moveMark(i)
	if o := fl.Options[i]; fl.Kind == Multi && !o.Fixed {
		fl.ticked[o.Value] = !fl.ticked[o.Value]
	}
	if fl.Value() == before {
		return false
	}
	fl.Error = ""
	return true
}

// dayAt returns the day at a cell of the calendar.
func (f *Form) dayAt(x, y int) (day time.Time, ok bool) {
	column, row := x-f.calX-2, y-f.calY-2
	if column < 0 || row < 0 || row >= 6 || column%3 == 2 || column/3 >= 7 {
		return time.Time{}, false
	}
	year, month, _ := f.picked.Date()
	first := time.Date(year, month, 1, 0, 0, 0, 0, f.picked.Location())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7+7*row+column/3), true
}
