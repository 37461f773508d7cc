package missions

import (
	"fmt"
	"io"
	"slices"
	"time"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/calendar"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/theme"
)

// monthView is a month of flights, a day of it chosen, and a mission of that day.
type monthView struct {
	day    time.Time // midnight of the chosen one
	at     int       // mission of the day
	flies  map[time.Time][]*cache.Mission
	due    map[time.Time]int // orders that are due
	noDate int               // missions without a date, that are not over

	rows, top int // height of a week and its first line, in the last view
	width     int // of a day
}

func atMidnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// dayOf returns the day of a mission's flight, by the clock that it is told by.
func dayOf(x *cache.Mission, zone *time.Location) time.Time {
	y, m, d := x.InFlightZone(x.FlightDate.Time, time.Time{}.In(zone)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// setMissions gives the month its missions.
func (m *monthView) setMissions(missions []*cache.Mission, zone *time.Location) {
	m.flies, m.due, m.noDate = map[time.Time][]*cache.Mission{}, map[time.Time]int{}, 0
	seen := map[string]bool{}
	for _, x := range missions {
		if !x.FlightDate.IsZero() {
			day := dayOf(x, zone)
			m.flies[day] = append(m.flies[day], x)
		} else if !x.IsEnded() {
			m.noDate++
		}
		if due := x.Deadline(); !due.IsZero() && x.Order.Status.IsLive() && !seen[x.Order.UUID] {
			seen[x.Order.UUID] = true
			m.due[atMidnight(due.In(zone))]++
		}
	}
	for _, of := range m.flies {
		slices.SortStableFunc(of, func(x, y *cache.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) })
	}
}

// currentMission returns the chosen mission, nil where none flies on the day.
func (m *monthView) currentMission() *cache.Mission {
	of := m.flies[m.day]
	if len(of) == 0 {
		return nil
	}
	return of[min(m.at, len(of)-1)]
}

// chooseMission goes to a mission's day.
func (m *monthView) chooseMission(x *cache.Mission) {
	if x.FlightDate.IsZero() {
		return
	}
	m.day = dayOf(x, m.day.Location())
	m.at = max(0, slices.Index(m.flies[m.day], x))
}

// handleAction performs an action of the month and reports whether it was one.
func (m *monthView) handleAction(id action.ID) bool {
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

// clickDay chooses the day under the mouse; the wheel turns the months.
func (m *monthView) clickDay(at page.MouseInput) bool {
	if at.Wheel != 0 {
		m.handleAction(map[bool]action.ID{true: action.WeekAfter, false: action.WeekBefore}[at.Wheel > 0])
		return false
	}
	if m.rows == 0 || at.Y < m.top || at.X < 1 {
		return false
	}
	week, weekday := (at.Y-m.top)/m.rows, (at.X-1)/max(1, m.width)
	if week > 5 || weekday > 6 {
		return false
	}
	m.day, m.at = m.firstDay().AddDate(0, 0, 7*week+weekday), 0
	return true
}

// firstDay returns the Monday in or before which the month begins.
func (m *monthView) firstDay() time.Time {
	first := m.day.AddDate(0, 0, 1-m.day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// weekCount that the month touches.
func (m *monthView) weekCount() int {
	last := m.day.AddDate(0, 1, -m.day.Day())
	return int(last.Sub(m.firstDay()).Hours()+36)/24/7 + 1
}

// renderMonth draws the month into exactly h lines of w cells: the weeks, and below
// them the missions of the chosen day.
func (m *monthView) renderMonth(th *theme.Theme, now time.Time, w, h int) string {
	weeks := m.weekCount()
	below := max(3, min(8, len(m.flies[m.day])+2, h/3))
	m.width, m.top = (w-1)/7, 2
	m.rows = max(1, (h-m.top-below)/weeks)
	title := " " + th.PaintTitle(m.day.Format("January 2006"))
	right := fmt.Sprintf("%s without a date ", format.Count(m.noDate, "mission", "missions"))
	lines := []string{layout.FitEnds(title, th.PaintMuted(right), w), m.renderWeekdays(th)}
	for week := range weeks {
		days := make([][]string, 7)
		for weekday := range 7 {
			days[weekday] = m.renderDay(th, m.firstDay().AddDate(0, 0, 7*week+weekday), now)
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
	return layout.FitBox(append(lines, m.ofDay(th, now, w, h-len(lines))...), w, h)
}

func (m *monthView) renderWeekdays(th *theme.Theme) string {
	line := " "
	for weekday := range 7 {
		line += layout.FitLeft(th.PaintMuted(m.firstDay().AddDate(0, 0, weekday).Format("Mon")), m.width)
	}
	return line
}

// renderDay draws a day in as many rows as a week has: its number with what is due,
// and who flies, or how many.
func (m *monthView) renderDay(th *theme.Theme, day, now time.Time) []string {
	style := th.Style(theme.Text)
	switch {
	case day.Month() != m.day.Month():
		style = th.Style(theme.Muted)
	case day.Equal(atMidnight(now)):
		style = th.Style(theme.Accent).Bold(true)
	}
	mark := " "
	if day.Equal(m.day) {
		mark = "▸"
	}
	head := th.PaintRole(theme.Accent, mark) + layout.CleanText(style, fmt.Sprint(day.Day()))
	of := m.flies[day]
	if m.rows == 1 && len(of) > 0 {
		st := labels.MissionStatus(of[0].Status)
		head += " " + th.PaintRole(st.Role, fmt.Sprintf("%s%d", st.Glyph, len(of)))
	}
	if n := m.due[day]; n > 0 {
		head += " " + th.PaintRole(theme.Attention, fmt.Sprintf("due %d", n))
	}
	rows := []string{layout.FitLeft(layout.CutLine(head, m.width-1), m.width)}
	for i := 0; len(rows) < m.rows; i++ {
		text := ""
		switch {
		case i < len(of) && (len(rows) < m.rows-1 || i == len(of)-1):
			st := labels.MissionStatus(of[i].Status)
			text = " " + th.PaintRole(st.Role, st.Glyph) + " " + layout.CleanText(style, of[i].MissionName)
		case i < len(of):
			text = th.PaintMuted(fmt.Sprintf(" and %d more", len(of)-i))
		}
		rows = append(rows, layout.FitLeft(layout.CutLine(text, m.width-1), m.width))
	}
	return rows
}

// ofDay returns the missions of the chosen day, one a line.
func (m *monthView) ofDay(th *theme.Theme, now time.Time, w, h int) []string {
	of := m.flies[m.day]
	lines := []string{" " + th.PaintTitle(format.Date(m.day, now)) +
		th.PaintMuted("  "+format.Count(len(of), "flight", "flights")+dueText(m.due[m.day]))}
	at := min(m.at, max(0, len(of)-1))
	first := max(0, at-max(0, h-2))
	for i := first; i < len(of) && len(lines) < h; i++ {
		mark := " "
		if i == at {
			mark = th.PaintRole(theme.Accent, "▸")
		}
		lines = append(lines, mark+RenderLine(th, of[i], now, w-1))
	}
	return lines
}

func dueText(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + format.Count(n, "order", "orders") + " due"
}

// askCalendar asks for the file that flights and deadlines are written to.
func (l *MissionList) askCalendar() {
	missions, now, host := l.filteredMissions(), l.Now(), l.Host
	flights, deadlines := calendar.CountEvents(missions)
	says := format.Count(flights, "flight", "flights") + " and " + format.Count(deadlines, "deadline", "deadlines")
	l.saver.AskForFile(exportdialog.ExportJob{
		Title: "Export calendar", Help: says + " of the shown missions", Says: says,
		Write: func(to io.Writer, _ string) error { return calendar.WriteCalendar(to, missions, now, host) },
	}, "flights-"+now.Format(time.DateOnly)+".ics")
}
