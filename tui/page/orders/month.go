package orders

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// event is a flight, a deadline, an expiry of a quote or a delivery.
type event = plan.Event

// monthView is a calendar of events with a selected day, and a selected event of that day.
type monthView struct {
	env    *page.Env
	day    time.Time // the selected [format.CalendarDay]; no day is selected at any other time
	at     int       // index of the selected event of that day
	events []event   // by time
	days   map[time.Time][]*event
	noDate int // missions in progress that have no flight date

	width, rows int // of a day in the last frame
}

const (
	monthHead   = 2 // lines above the weeks
	leastAgenda = 2
	wideDay     = 20 // width of a day from which on times are shown
)

// zone returns the reader's time zone.
func (m *monthView) zone() *time.Location { return m.env.Clock.Now().Location() }

// setEvents groups events by day, and counts the missions that have no flight date.
func (m *monthView) setEvents(events []event, missions []*mission) {
	m.events, m.days, m.noDate = events, map[time.Time][]*event{}, 0
	for i := range m.events {
		e := &m.events[i]
		m.days[e.Day] = append(m.days[e.Day], e)
	}
	for _, x := range missions {
		if x.FlightDate.IsZero() && !x.IsEnded() {
			m.noDate++
		}
	}
}

// currentEvent returns the selected event, or nil if the day has none.
func (m *monthView) currentEvent() *event {
	of := m.days[m.day]
	if len(of) == 0 {
		return nil
	}
	return of[min(m.at, len(of)-1)]
}

// currentMission returns the mission of the selected event, or nil.
func (m *monthView) currentMission() *mission {
	if e := m.currentEvent(); e != nil {
		return e.Mission
	}
	return nil
}

// selectMission selects the flight of a mission and its day.
func (m *monthView) selectMission(x *mission) {
	for i := range m.events {
		e := &m.events[i]
		if e.Kind == plan.Flight && e.Mission.UUID == x.UUID {
			m.day = e.Day
			m.at = slices.Index(m.days[m.day], e)
			return
		}
	}
}

// handleAction moves the selection, and reports whether the action was one of the
// month.
func (m *monthView) handleAction(id action.ID) bool {
	by, moves := page.CalendarMoves[id]
	if moves {
		m.day = format.AddMonths(m.day, by[1]).AddDate(0, 0, by[0])
		m.at = 0
		return true
	}
	if id == action.NextOfDay {
		m.at = (m.at + 1) % max(1, len(m.days[m.day]))
		return true
	}
	return false
}

// clickDay selects the day under the mouse, and reports whether there is one; the wheel
// moves by weeks.
func (m *monthView) clickDay(at page.MouseInput) bool {
	if at.Wheel > 0 {
		m.handleAction(action.WeekAfter)
		return false
	}
	if at.Wheel < 0 {
		m.handleAction(action.WeekBefore)
		return false
	}
	week, weekday := (at.Y-monthHead)/max(1, m.rows), at.X/max(1, m.width)
	if at.Y < monthHead || week >= weeksOf(m.day) || weekday >= 7 {
		return false
	}
	m.day, m.at = format.FirstMonday(m.day).AddDate(0, 0, 7*week+weekday), 0
	return true
}

// weeksOf returns how many weeks have a day of the month of a day.
func weeksOf(day time.Time) int {
	next := format.AddMonths(day.AddDate(0, 0, 1-day.Day()), 1)
	days := int(next.Sub(format.FirstMonday(day)).Hours() / 24)
	return (days + 6) / 7
}

// renderMonth renders exactly h lines of w cells: the weeks, then the agenda from the
// selected day on.
func (m *monthView) renderMonth(w, h int) string {
	th := m.env.Look.Theme
	title := m.renderTitle(w)
	if th.Linear {
		return format.FitBox(append([]string{title}, m.renderAgenda(w, len(m.events)+1)...), w, h)
	}
	weeks := weeksOf(m.day)
	agenda := leastAgenda
	if h >= 20 {
		agenda = h / 4
	}
	m.width = w / 7
	m.rows = max(1, min(maxDayRows, (h-monthHead-1-agenda)/weeks))
	lines := []string{title, m.renderWeekdays(format.FirstMonday(m.day))}
	for week := range weeks {
		lines = append(lines, m.renderWeek(format.FirstMonday(m.day).AddDate(0, 0, 7*week), "2")...)
	}
	lines = append(lines, th.Rule.Render(strings.Repeat("─", w)))
	return format.FitBox(append(lines, m.renderAgenda(w, h-len(lines))...), w, h)
}

// renderTitle renders the month, what the marks mean, and how many missions have no date, as
// far as w cells have room for them.
func (m *monthView) renderTitle(w int) string {
	th := m.env.Look.Theme
	month := " " + th.PaintTitle(m.day.Format("January 2006"))
	long, short := "", ""
	if m.noDate > 0 {
		long = th.PaintMuted(format.Count(m.noDate, "mission") + " without a date ")
		short = th.PaintMuted(format.GroupInt(m.noDate) + " without a date ")
	}
	withLegend := month + "  " + m.renderLegend()
	if format.Width(withLegend)+format.Width(long) < w {
		return format.FitEnds(withLegend, long, w)
	}
	if format.Width(withLegend)+format.Width(short) < w {
		return format.FitEnds(withLegend, short, w)
	}
	return format.FitEnds(month, long, w)
}

// maxDayRows limits the height of a day.
const maxDayRows = 9

// renderLegend explains the marks of the events.
func (m *monthView) renderLegend() string {
	th := m.env.Look.Theme
	var parts []string
	for _, kind := range plan.Kinds() {
		glyph, role := kindLook(kind)
		parts = append(parts, th.PaintRole(role, glyph)+th.PaintMuted(" "+kind.Name()))
	}
	return strings.Join(parts, "  ")
}

// kindLook returns the mark of a kind of events. Flights have the mark of their status.
func kindLook(kind plan.Kind) (glyph string, role theme.Role) {
	switch kind {
	case plan.Deadline:
		return "▲", theme.Attention
	case plan.Expiry:
		return "◆", theme.Attention
	case plan.Delivery:
		return "◕", theme.Good
	default:
		return "◎", theme.InProgress
	}
}

// eventLook returns the mark of an event. A deadline that has passed is bad.
func (m *monthView) eventLook(e *event) (glyph string, role theme.Role) {
	if e.Kind == plan.Flight {
		st := format.Status(e.Mission.Status)
		return st.Glyph, st.Role
	}
	glyph, role = kindLook(e.Kind)
	if e.Kind == plan.Deadline && m.env.Clock.Now().After(e.Order.Deadline.EndDay(m.zone()).End()) {
		role = theme.Bad
	}
	return glyph, role
}

// renderWeekdays renders the names of the days of a week.
func (m *monthView) renderWeekdays(first time.Time) (line string) {
	for weekday := range 7 {
		name := "  " + first.AddDate(0, 0, weekday).Format("Mon")
		line += m.env.Look.Theme.PaintMuted(format.FitLeft(name, m.width))
	}
	return line
}

// renderWeek renders a week from a day on in m.rows lines: a rule with the dates in a
// layout, and below it the events of each day.
func (m *monthView) renderWeek(first time.Time, layout string) []string {
	lines := make([]string, m.rows)
	for weekday := range 7 {
		day := first.AddDate(0, 0, weekday)
		for i, line := range m.renderDay(day, layout, weekday == 0) {
			lines[i] += line
		}
	}
	return lines
}

// renderDay renders one day in m.rows lines of m.width cells. The first cell has the line
// between two days.
func (m *monthView) renderDay(day time.Time, layout string, isFirst bool) []string {
	th, of, inner := m.env.Look.Theme, m.days[day], m.width-1
	style := th.Style
	if day.Equal(m.day) {
		style = th.SelectedStyle
	}
	number := style(theme.Text)
	if day.Equal(format.CalendarDay(m.env.Clock.Now())) {
		number = style(theme.Accent).Bold()
	} else if day.Month() != m.day.Month() && layout == "2" {
		number = style(theme.Muted)
	}
	mark := " "
	if day.Equal(m.day) {
		mark = th.SelectionMark()
	}
	if day.Day() == 1 && m.width >= wideDay/2 && layout == "2" {
		layout = "2 Jan"
	}
	head := format.CleanText(number, mark+day.Format(layout)+" ")
	if m.rows == 1 && len(of) > 0 {
		head += m.renderMarks(of, style, inner-format.Width(head)-1)
	}
	rule := th.Rule.Render(strings.Repeat("─", max(0, inner-format.Width(head))))
	corner, side := "┼", "│"
	if isFirst {
		corner, side = "─", " "
	}
	lines := []string{format.CutLine(th.Rule.Render(corner)+head+rule, m.width)}
	rows := m.rows - 1
	for i := range rows {
		text := ""
		if i == rows-1 && len(of) > rows {
			text = m.renderMarks(of[i:], style, inner)
		} else if i < len(of) {
			text = m.renderEvent(of[i], style, inner)
		}
		blanks := style(theme.Text).Render(format.BlankCells(inner - format.Width(text)))
		lines = append(lines, th.Rule.Render(side)+text+blanks)
	}
	return lines
}

// renderEvent renders an event of a day in at most w cells.
func (m *monthView) renderEvent(e *event, style func(theme.Role) theme.Style, w int) string {
	glyph, role := m.eventLook(e)
	text := e.Name()
	if e.Kind == plan.Expiry {
		text += ", " + e.Quote.Order.OrderName
	}
	if m.width >= wideDay && (e.Kind == plan.Flight || e.Kind == plan.Expiry) {
		text = e.At.Format("15:04") + " " + text
	}
	textRole := theme.Text
	if role == theme.Muted {
		textRole = theme.Muted
	}
	text = format.CutLine(format.Clean(text), max(0, w-2))
	return format.CleanText(style(role), glyph+" ") + format.CleanText(style(textRole), text)
}

// renderMarks renders the marks of events that have no line, in at most w cells, with the
// number of those that do not fit.
func (m *monthView) renderMarks(of []*event, style func(theme.Role) theme.Style, w int) (line string) {
	fit := len(of)
	if fit > w {
		fit = max(0, w-3)
	}
	for _, e := range of[:fit] {
		glyph, role := m.eventLook(e)
		line += format.CleanText(style(role), glyph)
	}
	if more := len(of) - fit; more > 0 {
		line += format.CleanText(style(theme.Muted), format.CutLine(fmt.Sprintf("+%d", more), w))
	}
	return line
}

// renderAgenda renders the events of the selected day and of the days after it, one per
// line, in at most h lines.
func (m *monthView) renderAgenda(w, h int) (lines []string) {
	today := m.days[m.day]
	at := min(m.at, len(today)-1)
	first := max(0, at-max(0, h-1))
	if len(today) == 0 {
		none := m.env.Look.Theme.PaintMuted("nothing on this day")
		lines = append(lines, "  "+m.renderAgendaDay(m.day, true)+none)
	}
	for i := first; i < len(today) && len(lines) < h; i++ {
		lines = append(lines, m.renderAgendaLine(today[i], i == first, i == at, w))
	}
	var shown time.Time
	for i := range m.events {
		e := &m.events[i]
		if !e.Day.After(m.day) || len(lines) >= h {
			continue
		}
		lines = append(lines, m.renderAgendaLine(e, !e.Day.Equal(shown), false, w))
		shown = e.Day
	}
	return lines
}

// agendaDay is the width of the date in the agenda.
const agendaDay = 12

// renderAgendaDay renders a date of the agenda, with its year if it is another one.
func (m *monthView) renderAgendaDay(day time.Time, isSelected bool) string {
	layout := "Mon 2 Jan"
	if day.Year() != m.env.Clock.Now().Year() {
		layout = "2 Jan 2006"
	}
	text := format.FitLeft(day.Format(layout), agendaDay)
	if isSelected {
		return m.env.Look.Theme.PaintTitle(text)
	}
	return m.env.Look.Theme.PaintMuted(text)
}

// renderAgendaLine renders an event in one line of at most w cells, with its date if it is
// the first of its day.
func (m *monthView) renderAgendaLine(e *event, withDay, isSelected bool, w int) string {
	th := m.env.Look.Theme
	line := "  "
	if isSelected {
		line = " " + th.PaintRole(theme.Accent, th.SelectionMark())
	}
	if withDay {
		line += m.renderAgendaDay(e.Day, e.Day.Equal(m.day))
	} else {
		line += format.BlankCells(agendaDay)
	}
	glyph, role := m.eventLook(e)
	at := e.At.Format("15:04")
	if e.IsWhole {
		at = ""
	}
	line += th.PaintRole(role, glyph) + " " + format.FitLeft(th.PaintMuted(at), 7) +
		th.PaintRole(role, format.FitLeft(e.Kind.Name(), 10)) +
		th.PaintText(e.Code()+"  "+e.Name()) + th.PaintMuted(m.describeEvent(e))
	return format.CutLine(line, w)
}

// describeEvent returns what is worth knowing of an event beside its name.
func (m *monthView) describeEvent(e *event) string {
	switch e.Kind {
	case plan.Flight:
		text := "  " + format.Status(e.Mission.Status).Label
		if by := format.ValueOf(e.Mission.OperatorName); by != "" {
			text += " · " + by
		}
		return text + " · " + e.Order.OrderCode
	case plan.Expiry:
		return "  " + e.Quote.PriceText() + " · " + e.Quote.Order.OrderName
	case plan.Delivery:
		text := fmt.Sprintf("  v%d", e.Package.Version)
		if e.Package.FileCount >= 0 {
			text += " · " + format.Count(e.Package.FileCount, "file")
		}
		return text
	default:
		return "  " + format.OrderState(e.Order.Status, m.env.QuotesOf(e.Order.UUID)).Label
	}
}

// openEvent opens what an event is about: the mission, its data, the order or its quotes.
func (m *monthView) openEvent(e *event) tea.Cmd {
	switch e.Kind {
	case plan.Flight:
		return m.env.Nav.Open(NewMission(m.env, e.Mission))
	case plan.Delivery:
		return m.env.Nav.Open(deliveries.NewDeliveriesOf(m.env, e.Order.OrderCode, e.Mission.UUID))
	case plan.Expiry:
		compare := quotes.NewCompare(m.env, e.Quote.Order.ID, e.Quote.Order)
		compare.SelectQuote(e.Quote.QuoteID)
		return m.env.Nav.Open(compare)
	default:
		return m.env.Nav.Show(page.OrderRoute{Order: e.Order})
	}
}

// planOf returns the events of missions and of orders without missions.
func planOf(env *page.Env, orders []*api.Order, missions []*mission) []event {
	now := env.Clock.Now()
	source := plan.Source{
		Orders:   orders,
		Missions: missions,
		Packages: func(uuid string) []api.DeliveryPackage {
			list, _ := env.Profile.Cache.Packages.Get(uuid)
			return list
		},
		Now:   now,
		Units: env.Look.Units,
	}
	isWanted := map[string]bool{}
	for _, o := range orders {
		isWanted[o.UUID] = true
	}
	for _, x := range missions {
		isWanted[x.Order.UUID] = true
	}
	open := env.Profile.Cache.Quotes()
	for _, s := range quoting.StandingsOf(&open, now) {
		if isWanted[s.ID] {
			source.Quotes = append(source.Quotes, s)
		}
	}
	return source.Events()
}

// maxPackages limits the missions whose packages are read for a month.
const maxPackages = 40

// packageNeeds returns the packages of the missions whose data can have been delivered in
// the shown month.
func (m *monthView) packageNeeds(c *cache.Cache, missions []*mission) (needs []cache.Need) {
	first := format.FirstMonday(m.day)
	for _, x := range missions {
		if len(needs) < maxPackages && x.Status.IsDelivered() && x.UpdatedAt.After(first) {
			needs = append(needs, c.Packages.NeedStamped(x.UUID, x.UpdatedAt.String()))
		}
	}
	return needs
}

// exportCalendar opens the dialog that writes the events of all months to an .ics file.
func (l *MissionList) exportCalendar(*mission) tea.Cmd {
	now, host, units := l.Env.Clock.Now(), l.Env.Profile.Host, l.Env.Look.Units
	events := l.filteredPlan()
	says := plan.DescribeCounts(events)
	l.AskForFile(page.ExportJob{
		Title: "Export calendar", Help: format.CapitalizeFirst(says), Says: says,
		Write: func(to io.Writer, _ string) error {
			return plan.WriteCalendar(to, events, now, host, units)
		},
	}, "plan-"+now.Format(time.DateOnly)+".ics")
	return nil
}
