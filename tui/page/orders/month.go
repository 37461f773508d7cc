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
	day    time.Time // the selected day, a [format.CalendarDay]
	at     int       // index of the selected event among the events of the selected day
	events []event   // sorted by time
	days   map[time.Time][]*event
	noDate int // missions in progress that have no flight date

	width, rows int // size of a day in the last frame
	eventLines  int // maximum number of lines of an event in a day
}

const (
	monthHead   = 2 // lines above the weeks
	leastAgenda = 2
	wideDay     = 20 // smallest width of a day that shows times
)

// zone returns the user's time zone.
func (m *monthView) zone() *time.Location { return m.env.Clock.Now().Location() }

// setEvents sets the events, which are sorted by time, groups them by day, and counts the missions in progress that
// have no flight date.
func (m *monthView) setEvents(events []event, missions []*mission) {
	m.events = events
	m.days = map[time.Time][]*event{}
	for i := range m.events {
		e := &m.events[i]
		m.days[e.Day] = append(m.days[e.Day], e)
	}
	m.noDate = 0
	for _, x := range missions {
		if x.FlightDate.IsZero() && !x.IsEnded() {
			m.noDate++
		}
	}
}

// currentEvent returns the selected event, or nil if the selected day has no events.
func (m *monthView) currentEvent() *event {
	events := m.days[m.day]
	if len(events) == 0 {
		return nil
	}
	return events[min(m.at, len(events)-1)]
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

// handleAction moves the selection. It returns false if the action is not an action of the
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

// clickDay selects the day under the mouse, and returns false if no day is there. The wheel moves
// the selection by weeks.
func (m *monthView) clickDay(at page.MouseInput) bool {
	if at.Wheel > 0 {
		m.handleAction(action.WeekAfter)
		return false
	}
	if at.Wheel < 0 {
		m.handleAction(action.WeekBefore)
		return false
	}
	first, weeks := m.shownWeeks()
	week := (at.Y - monthHead) / max(1, m.rows)
	weekday := at.X / max(1, m.width)
	if at.Y < monthHead || week >= weeks || weekday >= 7 {
		return false
	}
	m.day = first.AddDate(0, 0, 7*week+weekday)
	m.at = 0
	return true
}

// comingWeeks is the number of weeks that the calendar shows, beginning with the current week.
const comingWeeks = 5

func (m *monthView) today() time.Time { return format.CalendarDay(m.env.Clock.Now()) }

// thisMonday returns the first day of the current week.
func (m *monthView) thisMonday() time.Time {
	today := m.today()
	daysSinceMonday := (int(today.Weekday()) + 6) % 7
	return today.AddDate(0, 0, -daysSinceMonday)
}

// isComing reports whether the calendar shows the coming weeks, beginning with the current week. It returns true if the
// selected day is in one of these weeks. Otherwise the calendar shows the month of the selected day.
func (m *monthView) isComing() bool {
	first := m.thisMonday()
	end := first.AddDate(0, 0, 7*comingWeeks)
	return !m.day.Before(first) && m.day.Before(end)
}

// shownWeeks returns the first day that the calendar shows, which is a Monday, and the number of weeks.
func (m *monthView) shownWeeks() (first time.Time, weeks int) {
	if m.isComing() {
		return m.thisMonday(), comingWeeks
	}
	return format.FirstMonday(m.day), weeksOf(m.day)
}

// weeksOf returns the number of weeks that the calendar shows for the month of a day.
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
		all, _ := m.renderAgenda(w, len(m.events)+1)
		return format.FitBox(append([]string{title}, all...), w, h)
	}
	first, weeks := m.shownWeeks()
	agenda := leastAgenda
	if h >= 20 {
		agenda = h / 4
	}
	m.width = w / 7
	m.rows = max(1, min(maxDayRows, (h-monthHead-1-agenda)/weeks))
	lines := []string{title, m.renderWeekdays(first)}
	for week := range weeks {
		lines = append(lines, m.renderWeek(first.AddDate(0, 0, 7*week), monthLayout)...)
	}
	const rule = 1
	agendaLines, hidden := m.renderAgenda(w, h-len(lines)-rule)
	lines = append(lines, m.renderAgendaRule(hidden, w))
	return format.FitBox(append(lines, agendaLines...), w, h)
}

// renderTitle renders the shown period, the legend, and how many missions have no date. In a narrow window it
// first shortens the number of missions, then leaves it out, and then leaves out the legend, too.
func (m *monthView) renderTitle(w int) string {
	th := m.env.Look.Theme
	period := " " + th.PaintTitle(m.describePeriod())
	long, short := "", ""
	if m.noDate > 0 {
		long = th.PaintMuted(format.Count(m.noDate, "mission") + " without a date ")
		short = th.PaintMuted(format.GroupInt(m.noDate) + " without a date ")
	}
	withLegend := period + "  " + m.renderLegend()
	for _, count := range []string{long, short, ""} {
		if format.Width(withLegend)+format.Width(count) < w {
			return format.FitEnds(withLegend, count, w)
		}
	}
	return format.FitEnds(period, long, w)
}

// describePeriod returns the name of the shown month, or the first and the last day of the coming weeks.
func (m *monthView) describePeriod() string {
	if !m.isComing() {
		return m.day.Format("January 2006")
	}
	today := m.today()
	first, weeks := m.shownWeeks()
	last := first.AddDate(0, 0, 7*weeks-1)
	return format.Day(first, today) + " – " + format.Day(last, today)
}

// maxDayRows is the maximum height of a day in the calendar, in lines.
const maxDayRows = 9

// renderLegend explains the marks of the events.
func (m *monthView) renderLegend() string {
	th := m.env.Look.Theme
	var parts []string
	for _, kind := range plan.Kinds() {
		glyph, role := kindLook(kind)
		parts = append(parts, th.PaintRole(role, glyph)+th.PaintMuted(" "+kind.Name()))
	}
	if m.showsCancelledFlight() {
		parts = append(parts, th.PaintMuted(cancelledGlyph+" cancelled"))
	}
	return strings.Join(parts, "  ")
}

// showsCancelledFlight reports whether a flight of a cancelled mission is in the shown weeks, or after them in
// the agenda.
func (m *monthView) showsCancelledFlight() bool {
	first, _ := m.shownWeeks()
	return slices.ContainsFunc(m.events, func(e event) bool {
		return e.IsCancelled() && !e.Day.Before(first)
	})
}

// cancelledGlyph is the mark of a flight whose mission is cancelled.
const cancelledGlyph = "⊖"

// kindLook returns the mark for a kind of event, such as flights, and the colour role of the mark.
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

// eventLook returns the mark of an event and the colour role of the mark. A deadline that has passed has the
// role Bad. The mark of a flight does not depend on the status of its mission, unless the mission is cancelled.
func (m *monthView) eventLook(e *event) (glyph string, role theme.Role) {
	if e.IsCancelled() {
		return cancelledGlyph, theme.Muted
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

// Layouts of the dates, for [time.Time.Format].
const (
	monthLayout = "2"     // in the calendar of a month
	weekLayout  = "Mon 2" // in the plan of the next seven days
)

// renderWeek renders the seven days from first on, in m.rows lines: a rule with the dates, and below it the
// events of each day. layout is the time layout of the dates.
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

// renderDay renders one day in m.rows lines of m.width cells: a rule with the date, and below it the events.
// The first cell of each line is the border to the previous day. The first day of a week has no such border:
// the rule begins there, and the other lines begin with a blank.
func (m *monthView) renderDay(day time.Time, layout string, isFirst bool) []string {
	th := m.env.Look.Theme
	corner := "┼"
	side := "│"
	if isFirst {
		corner = "─"
		side = " "
	}
	const border = 1
	w := m.width - border
	rule := th.Rule.Render(corner) + m.renderDayRule(day, layout, w)
	lines := []string{format.CutLine(rule, m.width)}
	eventLines := m.rows - 1 // all lines below the rule
	style := m.dayStyle(day)
	events := m.renderEvents(m.days[day], style, w, eventLines)
	for i := range eventLines {
		event := ""
		if i < len(events) {
			event = events[i]
		}
		blanks := style(theme.Text).Render(format.BlankCells(w - format.Width(event)))
		lines = append(lines, th.Rule.Render(side)+event+blanks)
	}
	return lines
}

// dayStyle returns the function that maps a role to a style for the text of a day. The selected day has the
// background of a selected row.
func (m *monthView) dayStyle(day time.Time) func(theme.Role) theme.Style {
	if day.Equal(m.day) {
		return m.env.Look.Theme.SelectedStyle
	}
	return m.env.Look.Theme.Style
}

// renderDayRule renders the rule above the events of a day in w cells, with the date at its beginning. If the
// day has no lines for events, the marks of its events follow the date. layout is the time layout of the date.
func (m *monthView) renderDayRule(day time.Time, layout string, w int) string {
	head := m.renderDayHead(day, layout)
	hasEventLines := m.rows > 1
	if !hasEventLines {
		room := w - format.Width(head) - 1 // with a cell of the rule after the marks
		head += m.renderMarks(m.days[day], m.dayStyle(day), room)
	}
	rest := strings.Repeat("─", max(0, w-format.Width(head)))
	return head + m.env.Look.Theme.Rule.Render(rest)
}

// renderDayHead renders the selection mark and the date of a day. In the calendar, days outside the shown
// period are muted, and the first day of a month has the name of the month. layout is the time layout of the
// date.
func (m *monthView) renderDayHead(day time.Time, layout string) string {
	th := m.env.Look.Theme
	isCalendar := layout == monthLayout
	style := m.dayStyle(day)
	mark := " "
	if day.Equal(m.day) {
		mark = th.SelectionMark()
	}
	number := style(theme.Text)
	if day.Equal(m.today()) {
		number = style(theme.Accent).Bold()
	} else if isCalendar && m.isOutside(day) {
		number = style(theme.Muted)
	}
	if isCalendar && day.Day() == 1 && m.width >= wideDay/2 {
		layout = "2 Jan"
	}
	return format.CleanText(number, mark+day.Format(layout)+" ")
}

// isOutside reports whether a day is muted in the calendar: a past day in the coming weeks, or a day of another
// month in a month.
func (m *monthView) isOutside(day time.Time) bool {
	if m.isComing() {
		return day.Before(m.today())
	}
	return day.Month() != m.day.Month()
}

// maxEventLines is the maximum number of lines of an event in the calendar.
const maxEventLines = 5

// renderEvents renders the events of a day in at most h lines of w cells. A long text continues on
// the next lines if these are free. If there are more events than lines, the last line has the marks of
// the remaining events, and the name of the first of them.
func (m *monthView) renderEvents(
	events []*event, style func(theme.Role) theme.Style, w, h int,
) (lines []string) {
	if h <= 0 {
		return nil
	}
	if len(events) > h {
		for _, e := range events[:h-1] {
			lines = append(lines, m.renderEvent(e, style, w, 1)...)
		}
		return append(lines, m.renderRemaining(events[h-1:], style, w))
	}
	for i, e := range events {
		later := len(events) - i - 1 // each later event needs a line
		room := h - len(lines) - later
		lines = append(lines, m.renderEvent(e, style, w, min(room, m.eventLines))...)
	}
	return lines
}

// countLines returns how many lines a day needs to show all of its events in full.
func (m *monthView) countLines(day time.Time) (n int) {
	for _, e := range m.days[day] {
		n += len(m.renderEvent(e, m.env.Look.Theme.Style, m.width-1, m.eventLines))
	}
	return n
}

// renderEvent renders an event of a day in at most maxLines lines of w cells. maxLines is at least 1.
func (m *monthView) renderEvent(
	e *event, style func(theme.Role) theme.Style, w, maxLines int,
) []string {
	glyph, role := m.eventLook(e)
	textRole := theme.Text
	if role == theme.Muted {
		textRole = theme.Muted
	}
	const indent = "  "
	start := glyph + " " // of the first line; as wide as indent
	texts := wrapText(format.Clean(m.eventText(e)), max(1, w-len(indent)), maxLines)
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = format.CleanText(style(role), start) + format.CleanText(style(textRole), text)
		start = indent
	}
	return lines
}

// eventText returns the text of an event in the calendar. If days are wide enough, the text includes the time of a
// flight or an expiry.
func (m *monthView) eventText(e *event) string {
	text := e.Name()
	if e.Kind == plan.Expiry {
		text += " expires, " + e.Code()
	}
	hasTime := e.Kind == plan.Flight || e.Kind == plan.Expiry
	if hasTime && m.width >= wideDay {
		text = e.At.Format("15:04") + " " + text
	}
	return text
}

// wrapText wraps a text to at most maxLines lines of w cells. If the text is longer, the last line is cut.
func wrapText(text string, w, maxLines int) []string {
	text = strings.Join(strings.Fields(text), " ")
	lines := format.Wrap(text, w)
	if len(lines) <= maxLines {
		return lines
	}
	last := maxLines - 1
	rest := text
	for _, line := range lines[:last] {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, line), " ") // a name can be wrapped without a space
	}
	return append(lines[:last], format.CutLine(rest, w))
}

// minRemainingName is the smallest room for a name after the marks of several events.
const minRemainingName = 5

// renderRemaining renders several events of a day in one line of at most w cells: their marks, and the name of the
// first event if there is room.
func (m *monthView) renderRemaining(events []*event, style func(theme.Role) theme.Style, w int) string {
	const gap = 1
	marks := m.renderMarks(events, style, w)
	room := w - format.Width(marks) - gap
	if room < minRemainingName {
		return marks
	}
	name := format.CutLine(format.Clean(m.eventText(events[0])), room)
	return marks + format.CleanText(style(theme.Text), " "+name)
}

// renderMarks renders the marks of events in at most w cells. If not all marks fit, a number says how many are
// missing.
func (m *monthView) renderMarks(events []*event, style func(theme.Role) theme.Style, w int) (line string) {
	fit := len(events)
	if fit > w {
		fit = max(0, w-3)
	}
	for _, e := range events[:fit] {
		glyph, role := m.eventLook(e)
		line += format.CleanText(style(role), glyph)
	}
	if more := len(events) - fit; more > 0 {
		count := format.CutLine(fmt.Sprintf("+%d", more), w)
		line += format.CleanText(style(theme.Muted), count)
	}
	return line
}

// renderAgendaRule renders the rule above the agenda. If the agenda has no room for some events, the rule ends with
// their number.
func (m *monthView) renderAgendaRule(hidden, w int) string {
	th := m.env.Look.Theme
	count := ""
	if hidden > 0 {
		count = " ↓ " + format.GroupInt(hidden) + " more "
	}
	const end = 1 // cell of the rule after the number
	start := max(0, w-format.Width(count)-end)
	line := th.Rule.Render(strings.Repeat("─", start)) + th.PaintMuted(count) + th.Rule.Render("─")
	return format.CutLine(line, w)
}

// renderAgenda renders the events of the selected day and of the days after it, one per line, in at most h lines.
// hidden is the number of events that have no line.
func (m *monthView) renderAgenda(w, h int) (lines []string, hidden int) {
	columns := m.measureAgenda(w, h)
	lines = m.renderSelectedDay(columns, w, h)
	hidden = max(0, len(m.days[m.day])-len(lines))
	for _, day := range m.laterDays() {
		for i, e := range m.days[day] {
			if len(lines) >= h {
				hidden++
				continue
			}
			isNewDay := i == 0
			lines = append(lines, m.renderAgendaLine(e, columns, isNewDay, false, w))
		}
	}
	return lines, hidden
}

// laterDays returns the days after the selected day that have events, soonest first.
func (m *monthView) laterDays() []time.Time {
	var days []time.Time
	for i := range m.events { // sorted by time
		day := m.events[i].Day
		isKnown := len(days) > 0 && day.Equal(days[len(days)-1])
		if day.After(m.day) && !isKnown {
			days = append(days, day)
		}
	}
	return days
}

// agendaColumns has the widths of the columns of the agenda. price is the width of the widest price in the details. If
// name is 0, names and details are not aligned in columns: each text directly follows the text before it.
type agendaColumns struct{ code, name, price, detail int }

// Widths in the agenda, in cells.
const (
	agendaMark    = 2 // of the mark of the selected event
	agendaDay     = 12
	agendaGlyph   = 2
	agendaTime    = 7
	agendaKind    = 10
	agendaGap     = 2  // after the code and after the name
	minAgendaCode = 10 // at least, even if the codes are shorter
	minAgendaName = 28 // names are not cut to less
)

// measureAgenda returns the widths of the columns in an agenda of h lines of w cells. If a line is too short
// for the longest name and the longest details, the column of names gets narrower. If it would be too narrow
// for names, the agenda has no columns for names and details.
func (m *monthView) measureAgenda(w, h int) agendaColumns {
	columns := agendaColumns{code: minAgendaCode}
	for _, e := range m.agendaEvents(h) {
		columns.code = max(columns.code, format.Width(format.Clean(e.Code())))
		columns.name = max(columns.name, format.Width(format.Clean(m.agendaName(e))))
		detail := format.Width(format.Clean(m.describeEvent(e)))
		columns.detail = max(columns.detail, detail)
		if e.Kind == plan.Expiry {
			columns.price = max(columns.price, detail)
		}
	}
	columns.code = min(columns.code, max(minAgendaCode, w/3))
	beforeName := agendaMark + agendaDay + agendaGlyph + agendaTime + agendaKind + columns.code + agendaGap
	room := w - beforeName - agendaGap - columns.detail
	if columns.name > room && room < minAgendaName {
		return agendaColumns{code: columns.code}
	}
	columns.name = min(columns.name, room)
	return columns
}

// agendaEvents returns the events that determine the widths of the columns in an agenda of h lines: all events
// of the selected day, and events of later days until there are h events.
func (m *monthView) agendaEvents(h int) []*event {
	events := slices.Clone(m.days[m.day])
	for _, day := range m.laterDays() {
		for _, e := range m.days[day] {
			if len(events) >= h {
				return events
			}
			events = append(events, e)
		}
	}
	return events
}

// agendaName returns the name of an event in the agenda: the name of the mission or the order, or of the quote and its
// order.
func (m *monthView) agendaName(e *event) string {
	if e.Kind == plan.Expiry {
		return e.Name() + ", " + e.Quote.Order.OrderName
	}
	return e.Name()
}

// renderSelectedDay renders the events of the selected day in at most h lines. If there are more events, the
// selected event is among the rendered ones. If there are none, a line says that the day has no events, or why its
// events are unknown.
func (m *monthView) renderSelectedDay(columns agendaColumns, w, h int) (lines []string) {
	events := m.days[m.day]
	if len(events) == 0 {
		text := unlessLoading(m.env.Profile.Cache.Now(), "Nothing on this day.")
		none := m.env.Look.Theme.PaintMuted(text)
		return []string{"  " + m.renderAgendaDay(m.day, true) + none}
	}
	selected := min(m.at, len(events)-1)
	first := max(0, selected-max(0, h-1))
	for i := first; i < len(events) && len(lines) < h; i++ {
		lines = append(lines, m.renderAgendaLine(events[i], columns, i == first, i == selected, w))
	}
	return lines
}

// renderAgendaDay renders a date of the agenda, with the year if it is not the current year.
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

// renderAgendaLine renders an event in one line of at most w cells, with its date if withDay is
// set.
func (m *monthView) renderAgendaLine(e *event, columns agendaColumns, withDay, isSelected bool, w int) string {
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
	timeOfDay := ""
	if !e.IsWhole {
		timeOfDay = e.At.Format("15:04")
	}
	glyph, role := m.eventLook(e)
	line += th.PaintRole(role, glyph) + " "
	line += format.FitLeft(th.PaintMuted(timeOfDay), agendaTime)
	line += th.PaintRole(role, format.FitLeft(e.Kind.Name(), agendaKind))
	line += th.PaintText(format.FitLeft(format.Clean(e.Code()), columns.code) + "  ")
	name, details := m.agendaTexts(e, columns)
	return format.CutLine(line+th.PaintText(name+"  ")+th.PaintMuted(details), w)
}

// agendaTexts returns the name and the details of an event. If the agenda has columns for them, it pads them to the
// widths of the columns. The details of an expiry are the price, which is aligned at the right.
func (m *monthView) agendaTexts(e *event, columns agendaColumns) (name, details string) {
	name = format.Clean(m.agendaName(e))
	details = format.Clean(m.describeEvent(e))
	if columns.name == 0 {
		return name, details
	}
	if e.Kind == plan.Expiry {
		details = format.FitRight(details, columns.price)
	}
	return format.FitLeft(name, columns.name), details
}

// describeEvent returns the details that follow the name of an event:
//
//   - for a flight, the status of the mission, unless it is just scheduled, and the operator;
//   - for an expiry, the price of the quote;
//   - for a delivery, the version and the number of files;
//   - for a deadline, the status of the order.
func (m *monthView) describeEvent(e *event) string {
	switch e.Kind {
	case plan.Flight:
		var parts []string
		if e.Mission.Status != api.MissionFlightScheduled {
			parts = append(parts, format.Status(e.Mission.Status).Label)
		}
		if by := format.ValueOf(e.Mission.OperatorName); by != "" {
			parts = append(parts, by)
		}
		return strings.Join(parts, " · ")
	case plan.Expiry:
		return e.Quote.PriceText()
	case plan.Delivery:
		var parts []string
		if e.Package.Version > 0 {
			parts = append(parts, fmt.Sprintf("v%d", e.Package.Version))
		}
		if e.Package.FileCount >= 0 {
			parts = append(parts, format.Count(e.Package.FileCount, "file"))
		}
		return strings.Join(parts, " · ")
	default:
		return format.OrderState(e.Order.Status, m.env.QuotesOf(e.Order.UUID)).Label
	}
}

// openEvent opens the page of the mission, delivery, quote or order that an event is about.
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

// planOf returns the events of orders and missions: flights, deadlines, expiries of open quotes
// and deliveries.
func planOf(env *page.Env, orders []*api.Order, missions []*mission) []event {
	loadedPackages := func(missionID string) []api.DeliveryPackage {
		packages, _ := env.Profile.Cache.Packages.Get(missionID) // nil if they are not loaded
		return packages
	}
	source := plan.Source{
		Orders:   orders,
		Missions: missions,
		Packages: loadedPackages,
		Quotes:   openQuotesOf(env, orders, missions),
		Now:      env.Clock.Now(),
		Units:    env.Look.Units,
	}
	return source.Events()
}

// openQuotesOf returns the open quotes of the given orders and of the orders of the given missions.
func openQuotesOf(env *page.Env, orders []*api.Order, missions []*mission) []*quoting.QuotedOrder {
	isIncluded := map[string]bool{} // by order ID, or by order code if there is no ID
	for _, o := range orders {
		isIncluded[cache.OrderIdentity(o)] = true
	}
	for _, m := range missions {
		isIncluded[cache.OrderIdentity(m.Order)] = true
	}
	var included []*quoting.QuotedOrder
	open := env.Profile.Cache.Quotes()
	for _, s := range quoting.QuotedOrders(&open, env.Clock.Now()) {
		if isIncluded[s.ID] || isIncluded[s.OrderCode] {
			included = append(included, s)
		}
	}
	return included
}

// maxPackages limits the number of missions whose packages are loaded for a month.
const maxPackages = 40

// packageNeeds returns the data to load for the events of deliveries: the packages of missions whose data may
// have been delivered in the shown weeks.
func (m *monthView) packageNeeds(c *cache.Cache, missions []*mission) (needs []cache.Need) {
	first, _ := m.shownWeeks()
	for _, x := range missions {
		if len(needs) == maxPackages {
			break
		}
		if x.Status.IsDelivered() && x.UpdatedAt.After(first) {
			needs = append(needs, c.Packages.NeedStamped(x.UUID, x.UpdatedAt.String()))
		}
	}
	return needs
}

// exportCalendar opens the dialog that writes the events of all months to an .ics file. The file also has the
// flights of cancelled missions: a calendar into which an older file was imported then shows them as cancelled.
func (l *MissionList) exportCalendar(*mission) tea.Cmd {
	now := l.Env.Clock.Now()
	host := l.Env.Profile.Host
	units := l.Env.Look.Units
	events := l.filteredPlan()
	counts := plan.DescribeCounts(events)
	help := format.CapitalizeFirst(counts)
	const complete = "Complete."
	if extent := unlessLoading(l.Env.Profile.Cache.Now(), complete); extent != complete {
		help += "; not all missions are loaded"
	}
	write := func(to io.Writer, _ string) error {
		return plan.WriteCalendar(to, events, now, host, units)
	}
	page.PromptForFile(l.Base, page.ExportJob{
		Title: "Export calendar",
		Help:  help,
		Noun:  counts,
		Write: write,
	}, "plan-"+now.Format(time.DateOnly)+".ics")
	return nil
}
