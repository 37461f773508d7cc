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

// monthView is a calendar month of flights with a selected day, and a selected mission
// of that day.
type monthView struct {
	day    time.Time // midnight of the selected day
	at     int       // index of the selected mission on that day
	flies  map[time.Time][]*cache.Mission
	due    map[time.Time]int // orders due, by day
	noDate int               // missions in progress that have no flight date

	rows, top int // height of a week and its first line, of the last frame
	width     int // of a day
}

func atMidnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// dayOf returns midnight of the day a mission flies, in the time zone used for the
// mission.
func dayOf(x *cache.Mission, zone *time.Location) time.Time {
	y, m, d := x.InFlightZone(x.FlightDate.Time, time.Time{}.In(zone)).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// setMissions groups missions by the day of their flight, and orders by their deadline.
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

// currentMission returns the selected mission, nil if none flies on the day.
func (m *monthView) currentMission() *cache.Mission {
	of := m.flies[m.day]
	if len(of) == 0 {
		return nil
	}
	return of[min(m.at, len(of)-1)]
}

// selectMission selects a mission and its day.
func (m *monthView) selectMission(x *cache.Mission) {
	if x.FlightDate.IsZero() {
		return
	}
	m.day = dayOf(x, m.day.Location())
	m.at = max(0, slices.Index(m.flies[m.day], x))
}

// handleAction moves the selection, and reports whether the action was one of the
// month.
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
	if step[0] != 0 { // the same day, or the last day of a shorter month
		first := m.day.AddDate(0, step[0], 1-m.day.Day())
		last := first.AddDate(0, 1, -1).Day()
		m.day = first.AddDate(0, 0, min(m.day.Day(), last)-1)
		return true
	}
	m.day = m.day.AddDate(0, 0, step[1])
	return true
}

// clickDay selects the day under the mouse; the wheel moves by weeks.
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

// firstDay returns the Monday on or before the first of the month.
func (m *monthView) firstDay() time.Time {
	first := m.day.AddDate(0, 0, 1-m.day.Day())
	return first.AddDate(0, 0, -(int(first.Weekday())+6)%7)
}

// weekCount returns the number of weeks that the month touches.
func (m *monthView) weekCount() int {
	last := m.day.AddDate(0, 1, -m.day.Day())
	return int(last.Sub(m.firstDay()).Hours()+36)/24/7 + 1
}

// renderMonth renders exactly h lines of w cells: the weeks, then the missions of the
// selected day.
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
	return layout.FitBox(append(lines, m.renderSelectedDay(th, now, w, h-len(lines))...), w, h)
}

func (m *monthView) renderWeekdays(th *theme.Theme) string {
	line := " "
	for weekday := range 7 {
		line += layout.FitLeft(th.PaintMuted(m.firstDay().AddDate(0, 0, weekday).Format("Mon")), m.width)
	}
	return line
}

// renderDay renders one day in m.rows lines: its number, the deadlines and the flights,
// or their count.
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

// renderSelectedDay renders the missions of the selected day, one per line, in at most
// h lines.
func (m *monthView) renderSelectedDay(th *theme.Theme, now time.Time, w, h int) []string {
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

// exportCalendar opens the dialog that writes flights and deadlines to an .ics file.
func (l *MissionList) exportCalendar() {
	missions, now, host := l.filteredMissions(), l.Now(), l.Host
	flights, deadlines := calendar.CountEvents(missions)
	says := format.Count(flights, "flight", "flights") + " and " + format.Count(deadlines, "deadline", "deadlines")
	l.saver.AskForFile(exportdialog.ExportJob{
		Title: "Export calendar", Help: says + " of the shown missions", Says: says,
		Write: func(to io.Writer, _ string) error { return calendar.WriteCalendar(to, missions, now, host) },
	}, "flights-"+now.Format(time.DateOnly)+".ics")
}
