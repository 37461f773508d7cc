package orders

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// monthView is a calendar month of flights with a selected day, and a selected mission
// of that day.
type monthView struct {
	env    *page.Env
	day    time.Time // midnight of the selected day
	at     int       // index of the selected mission on that day
	flies  map[time.Time][]*mission
	due    map[time.Time]int // orders due, by day
	expire map[time.Time]int // open quotes that expire, by day
	noDate int               // missions in progress that have no flight date

	rows, top int // height of a week and its first line, of the last frame
	width     int // of a day
}

// dayOf returns midnight of the day a mission flies, by the clock that is chosen for it.
func (m *monthView) dayOf(x *mission, zone *time.Location) time.Time {
	return format.MidnightIn(m.env.Units.ClockAt(x.FlightDate.In(zone), x.SiteZone()), zone)
}

// setMissions groups missions by the day of their flight, and orders by their deadline.
func (m *monthView) setMissions(missions []*mission, zone *time.Location) {
	m.flies, m.due, m.noDate = map[time.Time][]*cache.Mission{}, map[time.Time]int{}, 0
	seen := map[string]bool{}
	for _, x := range missions {
		if !x.FlightDate.IsZero() {
			day := m.dayOf(x, zone)
			m.flies[day] = append(m.flies[day], x)
		} else if !x.IsEnded() {
			m.noDate++
		}
		if due := x.Deadline(); !due.IsZero() && x.Order.Status.IsLive() && !seen[x.Order.UUID] {
			seen[x.Order.UUID] = true
			m.due[format.MidnightIn(due.In(zone), zone)]++
		}
	}
	for _, of := range m.flies {
		slices.SortStableFunc(of, func(x, y *mission) int { return x.FlightDate.Compare(y.FlightDate.Time) })
	}
}

// currentMission returns the selected mission, nil if none flies on the day.
func (m *monthView) currentMission() *mission {
	of := m.flies[m.day]
	if len(of) == 0 {
		return nil
	}
	return of[min(m.at, len(of)-1)]
}

// selectMission selects a mission and its day.
func (m *monthView) selectMission(x *mission) {
	if x.FlightDate.IsZero() {
		return
	}
	m.day = m.dayOf(x, m.day.Location())
	m.at = max(0, slices.Index(m.flies[m.day], x))
}

// daySteps and monthSteps are how far actions move the selection.
var (
	daySteps = map[action.ID]int{
		action.DayBefore: -1, action.DayAfter: 1, action.WeekBefore: -7, action.WeekAfter: 7,
	}
	monthSteps = map[action.ID]int{action.MonthBefore: -1, action.MonthAfter: 1}
)

// handleAction moves the selection, and reports whether the action was one of the
// month.
func (m *monthView) handleAction(id action.ID) bool {
	if id == action.NextOfDay {
		m.at = (min(m.at, len(m.flies[m.day])-1) + 1) % max(1, len(m.flies[m.day]))
		return true
	}
	months, isMonth := monthSteps[id]
	days, isDay := daySteps[id]
	if isMonth || isDay {
		m.day, m.at = format.AddMonths(m.day, months).AddDate(0, 0, days), 0
	}
	return isMonth || isDay
}

// clickDay selects the day under the mouse, and reports whether there is one; the wheel
// moves by weeks.
func (m *monthView) clickDay(at page.MouseInput) bool {
	switch {
	case at.Wheel > 0:
		m.handleAction(action.WeekAfter)
	case at.Wheel < 0:
		m.handleAction(action.WeekBefore)
	case m.rows > 0 && at.Y >= m.top && at.X > 0:
		week, weekday := (at.Y-m.top)/m.rows, (at.X-1)/max(1, m.width)
		if week <= 5 && weekday <= 6 {
			m.day, m.at = format.FirstMonday(m.day).AddDate(0, 0, 7*week+weekday), 0
			return true
		}
	}
	return false
}

// weekCount returns the number of weeks that the month touches.
func (m *monthView) weekCount() int {
	last := m.day.AddDate(0, 1, -m.day.Day())
	return int(last.Sub(format.FirstMonday(m.day)).Hours()+36)/24/7 + 1
}

// renderMonth renders exactly h lines of w cells: the weeks, then the missions of the
// selected day.
func (m *monthView) renderMonth(w, h int) string {
	th, now := m.env.Theme, m.env.Now()
	weeks := m.weekCount()
	below := max(3, min(8, len(m.flies[m.day])+2, h/3))
	m.width, m.top = (w-1)/7, 2
	m.rows = max(1, (h-m.top-below)/weeks)
	title := " " + th.PaintTitle(m.day.Format("January 2006"))
	right := format.Count(m.noDate, "mission") + " without a date "
	lines := []string{format.FitEnds(title, th.PaintMuted(right), w), " "}
	for week := range weeks {
		days := []string{strings.Repeat(" \n", m.rows-1) + " "}
		for weekday := range 7 {
			day := format.FirstMonday(m.day).AddDate(0, 0, 7*week+weekday)
			if days = append(days, m.renderDay(th, day, now)); week == 0 {
				lines[1] += format.FitLeft(th.PaintMuted(day.Format("Mon")), m.width)
			}
		}
		lines = append(lines, format.SplitLines(format.Beside(days...))...)
	}
	lines = append(lines, "")
	return format.FitBox(append(lines, m.renderSelectedDay(w, h-len(lines))...), w, h)
}

// RenderWeek renders the flights, the deadlines, and the times at which quotes expire of
// seven days from today on, side by side in h lines.
func RenderWeek(env *page.Env, missions []*mission, expire []time.Time, w, h int) []string {
	th, now := env.Theme, env.Now()
	m := &monthView{env: env, rows: h - 1, width: (w - 1) / 7, expire: map[time.Time]int{}}
	for _, at := range expire {
		m.expire[format.MidnightIn(at.In(now.Location()), now.Location())]++
	}
	m.setMissions(missions, now.Location())
	title, days := " ", []string{strings.Repeat(" \n", m.rows-1) + " "}
	for i := range 7 {
		day := format.MidnightIn(now, now.Location()).AddDate(0, 0, i)
		m.day = day.Add(1) // of the month, but none is selected
		title += format.FitLeft(th.PaintMuted(" "+day.Format("Mon")), m.width)
		days = append(days, m.renderDay(th, day, now))
	}
	return append([]string{title}, format.SplitLines(format.Beside(days...))...)
}

// renderDay renders one day in m.rows lines: its number, the deadlines and the flights,
// or their count.
func (m *monthView) renderDay(th *theme.Theme, day, now time.Time) string {
	style, mark, of := th.Style(theme.Text), " ", m.flies[day]
	switch {
	case day.Month() != m.day.Month():
		style = th.Style(theme.Muted)
	case day.Equal(format.MidnightIn(now, now.Location())):
		style = th.Style(theme.Accent).Bold(true)
	}
	if day.Equal(m.day) {
		mark = "▸"
	}
	head := th.PaintRole(theme.Accent, mark) + format.CleanText(style, fmt.Sprint(day.Day()))
	if m.rows == 1 && len(of) > 0 {
		st := format.Status(of[0].Status)
		head += " " + th.PaintRole(st.Role, fmt.Sprintf("%s%d", st.Glyph, len(of)))
	}
	if n := m.due[day]; n > 0 {
		head += " " + th.PaintRole(theme.Attention, fmt.Sprintf("due %d", n))
	}
	if n := m.expire[day]; n > 0 {
		head += " " + th.PaintRole(theme.Attention, "◆ "+format.Count(n, "expires", "expire"))
	}
	rows := []string{head}
	for i, x := range of {
		if left := len(of) - i; left > 1 && len(rows) == m.rows-1 {
			rows = append(rows, th.PaintMuted(fmt.Sprintf(" and %d more", left)))
			break
		}
		st := format.Status(x.Status)
		rows = append(rows, " "+th.PaintRole(st.Role, st.Glyph)+" "+format.CleanText(style, x.MissionName))
	}
	return format.FitBox(page.CutLines(rows, m.width-1), m.width, m.rows)
}

// renderSelectedDay renders the missions of the selected day, one per line, in at most
// h lines.
func (m *monthView) renderSelectedDay(w, h int) []string {
	th := m.env.Theme
	of, note := m.flies[m.day], ""
	if n := m.due[m.day]; n > 0 {
		note = ", " + format.Count(n, "order") + " due"
	}
	note = "  " + format.Count(len(of), "flight") + note
	lines := []string{" " + th.PaintTitle(format.Date(m.day, m.env.Now())) + th.PaintMuted(note)}
	at := min(m.at, len(of)-1)
	for i := max(0, at-max(0, h-2)); i < len(of); i++ {
		mark := " "
		if i == at {
			mark = th.PaintRole(theme.Accent, "▸")
		}
		lines = append(lines, mark+RenderLine(m.env, of[i], w-1))
	}
	return lines
}

// exportCalendar opens the dialog that writes flights and deadlines to an .ics file.
func (l *MissionList) exportCalendar(*mission) tea.Cmd {
	missions, now, host, units := l.filteredMissions(), l.Now(), l.Host, l.Units
	flights, deadlines, _ := columns.WriteCalendar(io.Discard, missions, now, host, units)
	says := format.Count(
		flights,
		"flight") + " and " + format.Count(
		deadlines,
		"deadline")
	l.AskForFile(page.ExportJob{
		Title: "Export calendar", Help: says + " of the shown missions", Says: says,
		Write: func(to io.Writer, _ string) error {
			_, _, err := columns.WriteCalendar(to, missions, now, host, units)
			return err
		},
	}, "flights-"+now.Format(time.DateOnly)+".ics")
	return nil
}
