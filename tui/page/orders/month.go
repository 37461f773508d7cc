package orders

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// monthView is a calendar of flights with a selected day, and a selected mission of that
// day.
type monthView struct {
	env    *page.Env
	day    time.Time // the selected [format.CalendarDay]; no day is selected at any other time
	at     int       // index of the selected mission on that day
	flies  map[time.Time][]*mission
	due    map[time.Time]int // orders due, by day
	expire map[time.Time]int // open quotes that expire, by day
	noDate int               // missions in progress that have no flight date

	width, rows int // of a day in the last frame
}

const (
	monthWeeks = 6
	monthHead  = 2 // lines above the days
)

// zone returns the reader's time zone.
func (m *monthView) zone() *time.Location { return m.env.Clock.Now().Location() }

// dayOf returns the day a mission flies, by the clock that is chosen for it.
func (m *monthView) dayOf(x *mission) time.Time {
	return format.CalendarDay(m.env.Look.Units.ClockAt(x.FlightDate.In(m.zone()), x.SiteZone()))
}

// setMissions groups missions by the day of their flight, and orders by their deadline.
func (m *monthView) setMissions(missions []*mission) {
	m.flies, m.due, m.expire, m.noDate = map[time.Time][]*mission{}, map[time.Time]int{}, map[time.Time]int{}, 0
	seen := map[string]bool{}
	for _, x := range missions {
		if !x.FlightDate.IsZero() {
			day := m.dayOf(x)
			m.flies[day] = append(m.flies[day], x)
		} else if !x.IsEnded() {
			m.noDate++
		}
		if due := x.Deadline(m.zone()); !due.IsZero() && x.Order.Status.IsLive() && !seen[x.Order.UUID] {
			seen[x.Order.UUID] = true
			m.due[format.CalendarDay(due.NoonIn(m.zone()))]++
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
	if !x.FlightDate.IsZero() {
		m.day = m.dayOf(x)
		m.at = max(0, slices.Index(m.flies[m.day], x))
	}
}

// handleAction moves the selection, and reports whether the action was one of the
// month.
func (m *monthView) handleAction(id action.ID) bool {
	by, moves := page.CalendarMoves[id]
	switch {
	case moves:
		m.day, m.at = format.AddMonths(m.day, by[1]).AddDate(0, 0, by[0]), 0
	case id == action.NextOfDay:
		m.at = (m.at + 1) % max(1, len(m.flies[m.day]))
	default:
		return false
	}
	return true
}

// clickDay selects the day under the mouse, and reports whether there is one; the wheel
// moves by weeks.
func (m *monthView) clickDay(at page.MouseInput) bool {
	week, weekday := (at.Y-monthHead)/max(1, m.rows), (at.X-1)/max(1, m.width)
	switch {
	case at.Wheel > 0:
		m.handleAction(action.WeekAfter)
	case at.Wheel < 0:
		m.handleAction(action.WeekBefore)
	case at.Y >= monthHead && at.X > 0 && week < monthWeeks && weekday < 7:
		m.day, m.at = format.FirstMonday(m.day).AddDate(0, 0, 7*week+weekday), 0
		return true
	}
	return false
}

// renderMonth renders exactly h lines of w cells: the weeks, then the missions of the
// selected day.
func (m *monthView) renderMonth(w, h int) string {
	title := " " + m.env.Look.Theme.PaintTitle(m.day.Format("January 2006"))
	right := m.env.Look.Theme.PaintMuted(format.Count(m.noDate, "mission") + " without a date ")
	below := max(3, min(8, len(m.flies[m.day])+2, h/3))
	lines := m.renderWeeks(format.FirstMonday(m.day), monthWeeks, w, h-below-1)
	lines = append(append([]string{format.FitEnds(title, right, w)}, lines...), "")
	return format.FitBox(append(lines, m.renderSelectedDay(w, h-len(lines))...), w, h)
}

// renderWeeks renders weeks from a day on below the names of its days, in at most h lines
// if each has one.
func (m *monthView) renderWeeks(first time.Time, weeks, w, h int) []string {
	m.width, m.rows = (w-1)/7, max(1, (h-1)/weeks)
	lines := []string{" "}
	for week := range weeks {
		days := []string{strings.Repeat(" \n", m.rows-1) + " "}
		for weekday := range 7 {
			day := first.AddDate(0, 0, 7*week+weekday)
			if days = append(days, m.renderDay(day)); week == 0 {
				lines[0] += format.FitLeft(m.env.Look.Theme.PaintMuted(day.Format("Mon")), m.width)
			}
		}
		lines = append(lines, format.SplitLines(format.Beside(days...))...)
	}
	return lines
}

// renderDay renders one day in m.rows lines: its number, the deadlines and the flights,
// or their count.
func (m *monthView) renderDay(day time.Time) string {
	th := m.env.Look.Theme
	style, mark, of := th.Style(theme.Text), " ", m.flies[day]
	switch {
	case day.Month() != m.day.Month():
		style = th.Style(theme.Muted)
	case day.Equal(format.CalendarDay(m.env.Clock.Now())):
		style = th.Style(theme.Accent).Bold()
	}
	if day.Equal(m.day) {
		mark = "▸"
	}
	head := th.PaintRole(theme.Accent, mark) + format.CleanText(style, fmt.Sprint(day.Day()))
	if m.rows == 1 && len(of) > 0 {
		st := format.Status(of[0].Status)
		head += " " + th.PaintRole(st.Role, fmt.Sprint(st.Glyph, len(of)))
	}
	if n := m.due[day]; n > 0 {
		head += th.PaintRole(theme.Attention, fmt.Sprint(" due ", n))
	}
	if n := m.expire[day]; n > 0 {
		head += th.PaintRole(theme.Attention, " ◆ "+format.Count(n, "expires", "expire"))
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
	th, of := m.env.Look.Theme, m.flies[m.day]
	note := "  " + format.Count(len(of), "flight")
	if n := m.due[m.day]; n > 0 {
		note += ", " + format.Count(n, "order") + " due"
	}
	lines := []string{" " + th.PaintTitle(m.day.Format("Mon 2 Jan 2006")) + th.PaintMuted(note)}
	at := min(m.at, len(of)-1)
	for i := max(0, at-max(0, h-2)); i < len(of); i++ {
		mark := " "
		if i == at {
			mark = th.PaintRole(theme.Accent, "▸")
		}
		lines = append(lines, mark+renderLine(m.env, of[i], w-1))
	}
	return lines
}

// exportCalendar opens the dialog that writes flights and deadlines to an .ics file.
func (l *MissionList) exportCalendar(*mission) tea.Cmd {
	missions, now, host, units := l.filteredMissions(), l.Env.Clock.Now(), l.Env.Profile.Host, l.Env.Look.Units
	says := "flights and deadlines of " + format.Count(len(missions), "mission")
	l.AskForFile(page.ExportJob{
		Title: "Export calendar", Help: format.CapitalizeFirst(says), Says: says,
		Write: func(to io.Writer, _ string) error {
			return columns.WriteCalendar(to, missions, now, host, units)
		},
	}, "flights-"+now.Format(time.DateOnly)+".ics")
	return nil
}
