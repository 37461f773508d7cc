package form

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Cells of the calendar: two a day and one between, and a box around them.
const (
	calendarWidth  = 24
	calendarHeight = 10
)

// IsCalendarOpen reports whether the calendar is open. It takes arrows, pgup and
// pgdown for months, enter and esc.
func (f *Form) IsCalendarOpen() bool { return f.picking }

// MoveDown opens the calendar of a date in focus, and goes to the next field from
// any other.
func (f *Form) MoveDown() {
	fl := f.Focused()
	if fl.area != nil && fl.area.Move(1) {
		return
	}
	if fl.Kind != Date || f.picking {
		f.MoveFocus(1)
		return
	}
	f.picking = true
	at, err := fl.Time()
	if err != nil {
		at = fl.today()
	}
	f.picked = at
}

// today returns the day that it is.
func (fl *Field) today() time.Time { return format.MidnightIn(fl.now(), fl.now().Location()) }

// CloseCalendar closes the calendar and reports whether it was open.
func (f *Form) CloseCalendar() bool {
	was := f.picking
	f.picking = false
	return was
}

// MoveDay moves the day that is marked in the calendar.
func (f *Form) MoveDay(days, months int) {
	f.picked = format.AddMonths(f.picked, months).AddDate(0, 0, days)
	if y := f.picked.Year(); y < 1 || y > 9999 {
		f.picked = f.Focused().today()
	}
}

// KeepDay takes the day that is marked, closes the calendar and reports whether
// the field's value changed.
func (f *Form) KeepDay() bool {
	if !f.CloseCalendar() {
		return false
	}
	fl := f.Focused()
	before := fl.Value()
	fl.line.Set(f.picked.Format(time.DateOnly))
	fl.whole, fl.Error = true, ""
	return fl.Value() != before
}

// calendarKeys are the days and months that keys move in the calendar.
var calendarKeys = map[string][2]int{
	"left": {-1, 0}, "right": {1, 0}, "up": {-7, 0}, "down": {7, 0}, "pgup": {0, -1}, "pgdown": {0, 1},
}

// handleCalendarKey performs a key of the calendar and reports whether it was one.
func (f *Form) handleCalendarKey(key tea.KeyPressMsg) (taken, changed bool) {
	by, moves := calendarKeys[key.String()]
	switch name := key.String(); {
	case moves:
		f.MoveDay(by[0], by[1])
	case name == "enter":
		return true, f.KeepDay()
	case name == "esc":
		f.CloseCalendar()
	default:
		return false, false
	}
	return true, false
}

// drawCalendar draws the month of the marked day.
func (f *Form) drawCalendar(style Styles) string {
	edge, text, muted := style(theme.Muted), style(theme.Text), style(theme.Muted)
	title := f.picked.Format("January 2006")
	inner := calendarWidth - 4
	line := func(s string) string {
		return edge.Render("│ ") + s + text.Render(layout.BlankCells(inner-layout.Width(s))) + edge.Render(" │")
	}
	lines := []string{
		edge.Render(
			"┌ ",
		) + layout.CleanText(
			style(theme.Accent),
			title,
		) + edge.Render(
			" "+strings.Repeat("─", inner-1-len(title))+"─┐",
		),
		line(layout.CleanText(muted, "Mo Tu We Th Fr Sa Su")),
	}
	day, today := format.FirstMonday(f.picked), f.Focused().today()
	for range 6 {
		week := ""
		for k := range 7 {
			s := fmt.Sprintf("%2d", day.Day())
			switch {
			case day.Equal(f.picked):
				s = style(theme.Accent).Reverse(true).Render(s)
			case day.Month() != f.picked.Month():
				s = layout.CleanText(muted, s)
			case day.Equal(today):
				s = layout.CleanText(style(theme.Text).Bold(true).Underline(true), s)
			default:
				s = layout.CleanText(text, s)
			}
			if k > 0 {
				s = text.Render(" ") + s
			}
			week += s
			day = day.AddDate(0, 0, 1)
		}
		lines = append(lines, line(week))
	}
	lines = append(lines, line(layout.CleanText(muted, "pgup pgdn month")))
	return strings.Join(append(lines, edge.Render("└"+strings.Repeat("─", calendarWidth-2)+"┘")), "\n")
}

// withCalendar lays the calendar over the form, below its field or, where there
// is no room, above it. In a box too small for it, it is cut.
func (f *Form) withCalendar(style Styles, box string, w, h int) string {
	if !f.picking || w <= 0 || h <= 0 {
		return box
	}
	y := 1
	if f.cursor != nil {
		y = f.cursor.Y + 1
	}
	if y+calendarHeight > h {
		y = max(0, h-calendarHeight)
		if at := y + calendarHeight; f.cursor != nil && f.cursor.Y >= y && f.cursor.Y-calendarHeight >= 0 &&
			at > f.cursor.Y {
			y = f.cursor.Y - calendarHeight
		}
	}
	x := max(0, min(labelWidth+13, w-calendarWidth)) // beside what was typed
	f.calX, f.calY = x, y
	return layout.LayOver(box, f.drawCalendar(style), x, y)
}
