package form

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

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
		at = atMidnight(fl.now())
	}
	f.picked = at
}

func atMidnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// CloseCalendar closes the calendar and reports whether it was open.
func (f *Form) CloseCalendar() bool {
	was := f.picking
	f.picking = false
	return was
}

// MoveDay moves the day that is marked in the calendar.
func (f *Form) MoveDay(days, months int) {
	if months != 0 { // the end of a month stays in the month
		y, m, d := f.picked.Date()
		last := time.Date(y, m+time.Month(months)+1, 0, 0, 0, 0, 0, f.picked.Location())
		f.picked = time.Date(last.Year(), last.Month(), min(d, last.Day()), 0, 0, 0, 0, last.Location())
	}
	f.picked = f.picked.AddDate(0, 0, days)
	if y := f.picked.Year(); y < 1 || y > 9999 {
		f.picked = atMidnight(f.Focused().now())
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

// handleCalendarKey performs a key of the calendar and reports whether it was one.
func (f *Form) handleCalendarKey(key tea.KeyPressMsg) (taken, changed bool) {
	switch key.String() {
	case "left":
		f.MoveDay(-1, 0)
	case "right":
		f.MoveDay(1, 0)
	case "up":
		f.MoveDay(-7, 0)
	case "down":
		f.MoveDay(7, 0)
	case "pgup":
		f.MoveDay(0, -1)
	case "pgdown":
		f.MoveDay(0, 1)
	case "enter":
		return true, f.KeepDay()
	case "esc":
		f.CloseCalendar()
	default:
		return false, false
	}
	return true, false
}

// firstShown returns the Monday on or before the first of the month.
func (f *Form) firstShown() time.Time {
	first := f.picked.AddDate(0, 0, 1-f.picked.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
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
	day, today := f.firstShown(), atMidnight(f.Focused().now())
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
