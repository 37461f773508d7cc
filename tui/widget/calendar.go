package widget

import (
	"fmt"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// The calendar has a line for the month, one for the weekdays, six weeks and one for the
// keys.
const (
	calendarHead   = 2
	calendarHeight = calendarHead + 7
)

// IsCalendarOpen reports whether the calendar of a date field is open. While it is open, the arrow keys move by days
// and weeks, pgup and pgdown move by months, enter selects the day and esc closes the calendar.
func (f *Form) IsCalendarOpen() bool { return !f.selectedDay.IsZero() }

// openCalendar opens the calendar on the date of the field in focus, or on today if the field has no date.
func (f *Form) openCalendar() {
	fl := f.Focused()
	date, err := fl.Date()
	if err != nil {
		f.selectedDay = fl.today()
		return
	}
	f.selectedDay = format.CalendarDay(date.NoonIn(fl.now().Location()))
}

func (fl *Field) today() time.Time { return format.CalendarDay(fl.now()) }

// CloseCalendar closes the calendar and reports whether it was open.
func (f *Form) CloseCalendar() bool {
	was := f.IsCalendarOpen()
	f.selectedDay = time.Time{}
	return was
}

// MoveDay moves the selected day of the calendar.
func (f *Form) MoveDay(days, months int) {
	f.selectedDay = format.AddMonths(f.selectedDay, months).AddDate(0, 0, days)
	if y := f.selectedDay.Year(); y < 1 || y > 9999 {
		f.selectedDay = f.Focused().today()
	}
}

// KeepDay writes the selected day into the field, closes the calendar and reports whether
// the value changed.
func (f *Form) KeepDay() bool {
	fl := f.Focused()
	before := fl.Value()
	fl.Set(f.selectedDay.Format(time.DateOnly))
	fl.isTextSelected = true
	fl.Error = ""
	f.CloseCalendar()
	return fl.Value() != before
}

// calendarKeys maps a key to the days and months by which it moves the selected day.
var calendarKeys = map[string]struct{ days, months int }{
	"left":   {days: -1},
	"right":  {days: 1},
	"up":     {days: -7},
	"down":   {days: 7},
	"pgup":   {months: -1},
	"pgdown": {months: 1},
}

// handleCalendarKey handles a key while the calendar is open. It reports whether the
// calendar handled the key, and whether the value of the field changed.
func (f *Form) handleCalendarKey(name string) (handled, changed bool) {
	if by, ok := calendarKeys[name]; ok {
		f.MoveDay(by.days, by.months)
		return true, false
	}
	switch name {
	case "enter":
		return true, f.KeepDay()
	case "esc":
		f.CloseCalendar()
		return true, false
	}
	return false, false
}

// drawCalendar draws the month of the selected day, and returns the line of that day.
func (f *Form) drawCalendar(style RoleStyles) (lines []string, selected int) {
	indent := format.BlankCells(labelWidth)
	lines = []string{
		indent + style.paint(theme.Accent, f.selectedDay.Format("January 2006")),
		indent + style.paint(theme.Muted, "Mo Tu We Th Fr Sa Su"),
	}
	day := format.FirstMonday(f.selectedDay)
	for len(lines) < calendarHeight-1 {
		week := indent
		for range 7 {
			if day.Equal(f.selectedDay) {
				selected = len(lines)
			}
			week += f.dayStyle(style, day).Render(fmt.Sprintf("%2d", day.Day())) + " "
			day = day.AddDate(0, 0, 1)
		}
		lines = append(lines, week)
	}
	lines = append(lines, indent+style.paint(theme.Muted, "pgup pgdn month"))
	return lines, selected
}

// dayStyle returns the style of a day in the calendar: reversed for the selected day, muted for days of other months,
// and underlined for today.
func (f *Form) dayStyle(style RoleStyles, day time.Time) theme.Style {
	if day.Equal(f.selectedDay) {
		return style(theme.Accent).Reverse()
	}
	if day.Month() != f.selectedDay.Month() {
		return style(theme.Muted)
	}
	if day.Equal(f.Focused().today()) {
		return style(theme.Text).Bold().Underline()
	}
	return style(theme.Text)
}

// clickDay selects the day at a cell of the calendar and reports whether the value
// changed.
func (f *Form) clickDay(x, line int) bool {
	const dayWidth = 3 // with the blank after a day
	weekday := x / dayWidth
	week := line - calendarHead
	isBlank := x < 0 || x%dayWidth == dayWidth-1
	if isBlank || weekday >= 7 || week < 0 || week >= 6 {
		return false
	}
	f.selectedDay = format.FirstMonday(f.selectedDay).AddDate(0, 0, 7*week+weekday)
	return f.KeepDay()
}
