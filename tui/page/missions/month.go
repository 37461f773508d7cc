package missions

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// month is a month of flights, a day of it chosen, and a mission of that day.
type month struct {
	day    time.Time // midnight of the chosen one
	at     int       // mission of the day
	flies  map[time.Time][]*cache.Mission
	due    map[time.Time]int // orders that are due
	noDate int               // missions without a date, that are not over

	rows, top int // height of a week and its first line, in the last view
	width     int // of a day
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// dayOf is the day of a mission's flight, by the clock that it is told by.
func dayOf(x *cache.Mission, zone *time.Location) time.Time {
	y, m, d := x.At(x.FlightDate.Time, time.Time{}.In(zone)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// set gives the month its missions.
func (m *month) set(missions []*cache.Mission, zone *time.Location) {
	m.flies, m.due, m.noDate = map[time.Time][]*cache.Mission{}, map[time.Time]int{}, 0
	seen := map[string]bool{}
	for _, x := range missions {
		if !x.FlightDate.IsZero() {
			day := dayOf(x, zone)
			m.flies[day] = append(m.flies[day], x)
		} else if !x.Ended() {
			m.noDate++
		}
		if due := x.Deadline(); !due.IsZero() && x.Order.Status.IsLive() && !seen[x.Order.UUID] {
			seen[x.Order.UUID] = true
			m.due[midnight(due.In(zone))]++
		}
	}
	for _, of := range m.flies {
		slices.SortStableFunc(of, func(x, y *cache.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) })
	}
}

// current is the chosen mission, nil where none flies on the day.
func (m *month) current() *cache.Mission {
	of := m.flies[m.day]
	if len(of) == 0 {
		return nil
	}
	return of[min(m.at, len(of)-1)]
}

// choose goes to a mission's day.
func (m *month) choose(x *cache.Mission) {
	if x.FlightDate.IsZero() {
		return
	}
	m.day = dayOf(x, m.day.Location())
	m.at = max(0, slices.Index(m.flies[m.day], x))
}

// do performs an action of the month and reports whether it was one.
func (m *month) do(id action.ID) bool {
	steps := map[action.ID][2]int{
		action.DayBefore: {0, -1}, action.DayAfter: {0, 1}, action.WeekBefore: {0, -7}, action.WeekAfter: {0, 7},
		action.MonthBefore: {-1, 0}, action.MonthAfter: {1, 0},
	}
	if id == action.NextOfDay {
		if n := len(m.flies[m.day]); n > 0 {
			m.at = (min(m.at, n-1) + 1) % n
		}
		return true
	}
	step, ok := steps[id]
	if !ok {
		return false
	}
	m.at = 0
	if step[0] != 0 { // the same day, or the last one of a shorter month
		first := m.day.AddDate(0, step[0], 1-m.day.Day())
		last := first.AddDate(0, 1, -1).Day()
		m.day = first.AddDate(0, 0, min(m.day.Day(), last)-1)
		return true
	}
	m.day = m.day.AddDate(0, 0, step[1])
	return true
}

// click chooses the day under the mouse; the wheel turns the months.
func (m *month) click(at page.Mouse) bool {
	if at.Wheel != 0 {
		m.do(map[bool]action.ID{true: action.WeekAfter, false: action.WeekBefore}[at.Wheel > 0])
		return false
	}
	if m.rows == 0 || at.Y < m.top || at.X < 1 {
		return false
	}
	week, weekday := (at.Y-m.top)/m.rows, (at.X-1)/max(1, m.width)
	if week > 5 || weekday > 6 {
		return false
	}
	m.day, m.at = m.first().AddDate(0, 0, 7*week+weekday), 0
	return true
}

// first is the Monday in or before which the month begins.
func (m *month) first() time.Time {
	first := m.day.AddDate(0, 0, 1-m.day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// weeks that the month touches.
func (m *month) weeks() int {
	last := m.day.AddDate(0, 1, -m.day.Day())
	return int(last.Sub(m.first()).Hours()+36)/24/7 + 1
}

// view draws the month into exactly h lines of w cells: the weeks, and below
// them the missions of the chosen day.
func (m *month) view(th *theme.Theme, now time.Time, w, h int) string {
	weeks := m.weeks()
	below := max(3, min(8, len(m.flies[m.day])+2, h/3))
	m.width, m.top = (w-1)/7, 2
	m.rows = max(1, (h-m.top-below)/weeks)
	title := " " + layout.Text(th.Title, m.day.Format("January 2006"))
	right := fmt.Sprintf("%s without a date ", format.Count(m.noDate, "mission", "missions"))
	lines := []string{layout.Ends(title, layout.Text(th.Style(theme.Muted), right), w), m.weekdays(th)}
	for week := range weeks {
		days := make([][]string, 7)
		for weekday := range 7 {
			days[weekday] = m.cell(th, m.first().AddDate(0, 0, 7*week+weekday), now)
		}
		for row := range m.rows {
			line := " "
			for weekday := range 7 {
				line += days[weekday][row]
			}
			lines = append(lines, line)
		}
	}
	lines = append(lines, "")
	return layout.Box(append(lines, m.ofDay(th, now, w, h-len(lines))...), w, h)
}

func (m *month) weekdays(th *theme.Theme) string {
	line := " "
	for weekday := range 7 {
		line += layout.Left(layout.Text(th.Style(theme.Muted), m.first().AddDate(0, 0, weekday).Format("Mon")), m.width)
	}
	return line
}

// cell draws a day in as many rows as a week has: its number with what is due,
// and who flies, or how many.
func (m *month) cell(th *theme.Theme, day, now time.Time) []string {
	style := th.Style(theme.Text)
	switch {
	case day.Month() != m.day.Month():
		style = th.Style(theme.Muted)
	case day.Equal(midnight(now)):
		style = th.Style(theme.Accent).Bold(true)
	}
	mark := " "
	if day.Equal(m.day) {
		mark = "▸"
	}
	head := layout.Text(th.Style(theme.Accent), mark) + layout.Text(style, fmt.Sprint(day.Day()))
	of := m.flies[day]
	if m.rows == 1 && len(of) > 0 {
		st := labels.MissionStatus(of[0].Status)
		head += " " + layout.Text(th.Style(st.Role), fmt.Sprintf("%s%d", st.Glyph, len(of)))
	}
	if n := m.due[day]; n > 0 {
		head += " " + layout.Text(th.Style(theme.Attention), fmt.Sprintf("due %d", n))
	}
	rows := []string{layout.Left(layout.Cut(head, m.width-1), m.width)}
	for i := 0; len(rows) < m.rows; i++ {
		text := ""
		switch {
		case i < len(of) && (len(rows) < m.rows-1 || i == len(of)-1):
			st := labels.MissionStatus(of[i].Status)
			text = " " + layout.Text(th.Style(st.Role), st.Glyph) + " " + layout.Text(style, of[i].MissionName)
		case i < len(of):
			text = layout.Text(th.Style(theme.Muted), fmt.Sprintf(" and %d more", len(of)-i))
		}
		rows = append(rows, layout.Left(layout.Cut(text, m.width-1), m.width))
	}
	return rows
}

// ofDay are the missions of the chosen day, one a line.
func (m *month) ofDay(th *theme.Theme, now time.Time, w, h int) []string {
	of := m.flies[m.day]
	lines := []string{" " + layout.Text(th.Title, format.Date(m.day, now)) +
		layout.Text(th.Style(theme.Muted), "  "+format.Count(len(of), "flight", "flights")+dueText(m.due[m.day]))}
	at := min(m.at, max(0, len(of)-1))
	first := max(0, at-max(0, h-2))
	for i := first; i < len(of) && len(lines) < h; i++ {
		mark := " "
		if i == at {
			mark = layout.Text(th.Style(theme.Accent), "▸")
		}
		lines = append(lines, mark+Line(th, of[i], now, w-1))
	}
	return lines
}

func dueText(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + format.Count(n, "order", "orders") + " due"
}
