package orders

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// MissionsSection is the "Missions" section of the app.
var MissionsSection = page.Section{
	Go: action.GoMissions, Name: "Missions", Short: "Mis",
	First: NewMissionList,
}

// mission is a cached mission, with its order.
type mission = cache.Mission

// missionsView is the view of the page: list, map or month.
type missionsView int

const (
	asList missionsView = iota
	asMap
	asMonth
)

// MissionList is the page of all missions, as a list, on a map or as a month.
type MissionList struct {
	*page.List[*mission]
	shown  string // the cache version, quote version and filter with which the map and month were last updated
	quoted int    // Env.QuotedVersion when the cells were last drawn; they are redrawn when it changes
	view   missionsView
	month  monthView
	aside  *MissionPage // page of the selected mission, shown next to the list
}

// NewMissionList returns the page of all missions.
func NewMissionList(env *page.Env) page.Page {
	base := page.NewBase(env)
	l := &MissionList{}
	l.List = page.NewList(base, missionSource(env.Profile.Cache), page.ListOptions[*mission]{
		Title:       "Missions",
		Example:     "status:flightScheduled or flight:<2026-12-01",
		Singular:    "mission",
		Scope:       action.MissionList,
		Order:       page.RowOrder{Title: "Order placed", Descending: true},
		Lead:        l.firstTrouble,
		Columns:     columns.MissionsOfOrders(env.Clock.Now, env.StateOf),
		Mark:        func(m *mission) widget.Cell { return troubleMark(m, env.Clock.Now()) },
		Muted:       func(m *mission) bool { return format.Status(m.Status).Role == theme.Muted },
		ChangeStamp: func(m *mission) string { return columns.RowStamp(string(m.Status), m.UpdatedAt.Time) },
		PaletteEntry: func(m *mission) (string, string) {
			return m.MissionCode + "  " + m.MissionName, env.StateOf(m).Glyph + " mission"
		},
		Open:  func(m *mission) tea.Cmd { return env.Nav.Open(NewMission(env, m)) },
		Empty: "No missions yet.\nEach site of a placed order appears here as a mission.",
		Actions: append(
			missionActions(env),
			page.Action[*mission]{
				ID:         action.CycleView,
				NeedsNoRow: true,
				Do:         l.showNextView,
			},
			page.Action[*mission]{ID: action.CalendarFile, Do: l.exportCalendar},
		),
		RenderEmpty:   l.renderUnlisted,
		RenderFoot:    l.renderFoot,
		RenderDetails: l.renderBeside,
		Needs: func(m *mission) []cache.Need {
			return []cache.Need{env.Profile.Cache.Details.NeedOf(m.Order.OrderCode)}
		},
		Layout: page.ListLayout{DetailsFrom: page.Wider, MinListWidth: 100, MinDetailWidth: 46},
	})
	l.month.env = env
	l.month.eventLines = maxEventLines
	l.month.day = format.CalendarDay(env.Clock.Now())
	return l
}

// troubleMark returns the mark of an overdue or stalled mission, or an empty cell for any other.
func troubleMark(m *mission, now time.Time) widget.Cell {
	trouble, ok := m.TroubleAt(now)
	if !ok {
		return widget.Cell{}
	}
	return widget.Cell{Text: "▲", Role: columns.TroubleTone(trouble)}
}

// missionSource returns the source of all cached missions. Missions are loaded together with their orders.
func missionSource(c *cache.Cache) page.ListSource[*mission] {
	return page.ListSource[*mission]{
		State: func() page.ListState[*mission] { return missionState(c) },
		Needs: func(int) []cache.Need {
			// The month also shows the deadlines of orders that only the v2 API returns.
			return append([]cache.Need{c.AllMissions()}, c.AllRecords()...)
		},
		Refresh: func() tea.Cmd {
			refreshOrders(c)
			return nil
		},
	}
}

// missionState returns the rows and the state of the list. A zero time in the state means that the list is still
// loading. There are two reasons why a list without missions is still loading:
//
//   - The missions of some orders are not loaded yet.
//   - There are no orders, and the orders in the v2 API are not loaded yet.
func missionState(c *cache.Cache) page.ListState[*mission] {
	view := c.Now()
	state := page.ListState[*mission]{
		Rows:    view.Missions,
		Version: view.Version,
		At:      view.At,
		Err:     view.Err,
		Offline: view.Kept,
	}
	if len(view.Missions) > 0 {
		return state
	}
	if state.Err == nil {
		state.Err = view.Fault
	}
	if !view.Listed || view.Read < len(view.Orders) {
		state.At = time.Time{}
	}
	if len(view.Orders) > 0 || len(c.OnlyRecords()) > 0 {
		return state
	}
	areRead, err := areRecordsRead(c)
	if state.Err == nil {
		state.Err = err
	}
	if !areRead && err == nil {
		state.At = time.Time{}
	}
	return state
}

// renderUnlisted says that the missions of the account are not listed, because its orders are only in the v2 API.
// It returns nil if there are missions, or if they are missing for another reason.
func (l *MissionList) renderUnlisted(err error, _ int) []string {
	data := l.Env.Profile.Cache
	if err != nil || len(data.Now().Orders) > 0 || len(data.OnlyRecords()) == 0 {
		return nil
	}
	th := l.Env.Look.Theme
	return []string{
		"", th.PaintText(" Missions unknown; the v2 API does not list them."), "",
		" " + th.PaintHint(action.KeyOf(action.GoOrders, action.Everywhere), "orders"),
	}
}

// renderBeside renders a mission next to the list, with the map of its site. The second result is false,
// because the list does not draw another map.
func (l *MissionList) renderBeside(m *mission, w, h int) ([]string, bool) {
	if l.aside == nil || l.aside.mission.UUID != m.UUID {
		l.aside = NewMission(l.Env, m)
	}
	l.aside.locateMission()
	return l.aside.AppendSite(l.aside.renderMission(w), w, h), false
}

// CornerText returns how many missions are loaded, and how old they are. For the list it also returns how the missions
// are sorted.
func (l *MissionList) CornerText() string {
	text := loadProgress(l.Env.Profile.Cache.Now(), l.Env.Clock.Now())
	if l.view == asList && text != "" {
		return l.Env.Look.JoinSort(l.Grid, text)
	}
	return text
}

// Update shows new data after it was loaded, and redraws the page after the units were changed. Other messages
// are passed to the list.
func (l *MissionList) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		quotes.ShowLoaded(l.Env)
	case page.UnitsMsg:
		l.shown = "" // in other units, events can be on other days
	}
	cmd := l.List.Update(msg)
	if current := l.Env.QuotedVersion(); l.quoted != current {
		l.quoted = current
		l.Grid.RefreshCells()
	}
	return cmd
}

// filteredMissions returns the missions that match the filter.
func (l *MissionList) filteredMissions() []*mission {
	all := l.Rows()
	var filtered []*mission
	for _, row := range l.Grid.FilteredRows() {
		filtered = append(filtered, all[row])
	}
	return filtered
}

// showFiltered puts the missions that match the filter on the map and in the month. It does nothing if the map and
// the month already show these missions.
func (l *MissionList) showFiltered() {
	current := fmt.Sprint(l.Env.Profile.Cache.Version(), " ", l.Env.QuotedVersion(), " ", l.Grid.Query())
	if l.view == asList || l.shown == current {
		return
	}
	l.shown = current
	missions := l.filteredMissions()
	l.Map.Model.SetFeatures(missionFeatures(l.Env, missions))
	l.month.setEvents(l.filteredPlan(), missions)
}

// filteredPlan returns the events of the missions that match the filter. Without a filter it returns the events of
// all orders, including orders without missions.
func (l *MissionList) filteredPlan() []event {
	var orders []*api.Order
	if l.Grid.Query() == "" {
		orders = listedOrders(l.Env.Profile.Cache)
	}
	return planOf(l.Env, orders, l.filteredMissions())
}

// DataNeeds returns the data that the page needs: the missions. If the page shows the month view, which is a
// calendar, it also needs the quotes and the packages of the missions.
func (l *MissionList) DataNeeds() []cache.Need {
	needs := l.List.DataNeeds()
	if l.view != asMonth {
		return needs
	}
	data := l.Env.Profile.Cache
	needs = append(needs, data.Quoted.NeedOf(cache.Account))
	return append(needs, l.month.packageNeeds(data, l.filteredMissions())...)
}

// currentMission returns the mission selected in the current view, or nil.
func (l *MissionList) currentMission() *mission {
	if l.view == asMonth {
		return l.month.currentMission()
	}
	return l.Current()
}

// ActionScopes returns the scopes of the current view, or of the filter while it is being typed.
func (l *MissionList) ActionScopes() []action.Scope {
	scopes := l.List.ActionScopes()
	if l.IsTyping() {
		return scopes
	}
	switch l.view {
	case asMap:
		return l.Map.MapScopes(true, action.MissionList, action.Table)
	case asMonth:
		return []action.Scope{action.MissionList, action.Month, action.Table}
	default:
		return scopes
	}
}

// HandleBack returns from the map or the month to the list. In the list, it clears the filter. It returns false
// if it did neither.
func (l *MissionList) HandleBack() (tea.Cmd, bool) {
	if l.view != asList {
		l.showView(asList)
		return nil, true
	}
	return l.List.HandleBack()
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (l *MissionList) DisabledReason(id action.ID) string {
	if l.view != asMonth {
		return l.List.DisabledReason(id)
	}
	switch id {
	case action.Open, action.ShowOrder:
		return page.TextIf(l.month.currentEvent() == nil, "nothing on this day")
	case action.ShowData, action.ShowTimeline:
		return page.TextIf(l.currentMission() == nil, "no mission selected; select a flight or delivery")
	case action.NextOfDay:
		return page.TextIf(len(l.month.days[l.month.day]) < 2, "nothing else on this day")
	case action.CalendarFile:
		return page.TextIf(len(l.month.events) == 0, "nothing planned")
	}
	return l.List.DisabledReason(id)
}

// HandleAction performs an action of the current view, or otherwise of the list.
func (l *MissionList) HandleAction(id action.ID) tea.Cmd {
	if l.view == asMap && l.Map.HandleAction(id) {
		l.Map.Focused = true
		l.Grid.Select(l.Map.Model.Selected())
		return nil
	}
	if l.view == asMonth {
		return l.handleMonthAction(id)
	}
	return l.List.HandleAction(id)
}

// handleMonthAction performs an action of the month, or otherwise of the list.
func (l *MissionList) handleMonthAction(id action.ID) tea.Cmd {
	if l.month.handleAction(id) {
		l.selectFlight()
		return nil
	}
	switch id {
	case action.Open:
		return l.month.openEvent(l.month.currentEvent())
	case action.ShowOrder:
		return l.Env.Nav.Show(page.OrderRoute{Order: l.month.currentEvent().Order})
	}
	return l.List.HandleAction(id)
}

// selectFlight selects the mission of the month's selected event in the list.
func (l *MissionList) selectFlight() {
	if m := l.month.currentMission(); m != nil {
		l.Grid.Select(m.UUID)
	}
}

// showNextView switches to the next view and keeps the mission selected.
func (l *MissionList) showNextView(m *mission) tea.Cmd {
	l.switchView((l.view+1)%3, m)
	return nil
}

// ShowMonth switches to the month.
func (l *MissionList) ShowMonth() { l.switchView(asMonth, nil) }

// switchView switches to a view and keeps the mission m selected, unless it is nil.
func (l *MissionList) switchView(view missionsView, m *mission) {
	l.showView(view)
	l.showFiltered()
	if m != nil {
		l.Map.Model.SetSelected(m.UUID)
		l.month.selectMission(m)
	}
	if l.view == asMonth {
		l.selectFlight()
	}
}

// HandleMouse selects the mission or event that is clicked, and opens it on a double click.
func (l *MissionList) HandleMouse(m page.MouseInput) tea.Cmd {
	switch l.view {
	case asMap:
		return l.handleMapMouse(m)
	case asMonth:
		return l.handleMonthMouse(m)
	default:
		return l.List.HandleMouse(m)
	}
}

// handleMapMouse selects the mission that is clicked on the map, and opens it on a double click.
func (l *MissionList) handleMapMouse(m page.MouseInput) tea.Cmd {
	id, _ := l.HandlePaneMouse(m)
	if !l.Grid.Select(id) {
		return nil
	}
	l.Map.Model.SetSelected(id)
	if m.Double && l.currentMission() != nil {
		return l.HandleAction(action.Open)
	}
	return nil
}

// handleMonthMouse selects the day that is clicked, and opens its selected event on a double
// click.
func (l *MissionList) handleMonthMouse(m page.MouseInput) tea.Cmd {
	isOnDay := l.month.clickDay(m)
	l.selectFlight()
	if isOnDay && m.Double && l.month.currentEvent() != nil {
		return l.HandleAction(action.Open)
	}
	return nil
}

// showView switches to a view. The map gets the focus when it is shown.
func (l *MissionList) showView(view missionsView) {
	l.view = view
	l.Map.Focused = view == asMap
	l.HidePanes()
}

// JumpTargets returns the rows of the list. In the map and the month it returns nil.
func (l *MissionList) JumpTargets() []page.JumpTarget {
	if l.view != asList {
		return nil
	}
	return l.List.JumpTargets()
}

// ApplyFilter switches to the list and filters it.
func (l *MissionList) ApplyFilter(query string) {
	l.showView(asList)
	l.List.ApplyFilter(query)
}

// View renders the current view, with the filter at its foot.
func (l *MissionList) View(w, h int) string {
	l.showFiltered()
	isEmpty := len(l.Rows()) == 0 && !l.hasOnlyDeadlines()
	if isEmpty || l.view == asList {
		return l.List.View(w, h)
	}
	foot := l.FilterLine(w)
	height := h - len(foot)
	var body string
	if l.view == asMap {
		body = l.renderMap(w, height)
	} else {
		body = l.month.renderMonth(w, height)
	}
	lines := append(format.SplitLines(body), foot...)
	return format.FitBox(lines, w, h)
}

// hasOnlyDeadlines reports whether the month has events although there are no missions: the deadlines of orders that
// only the v2 API returns.
func (l *MissionList) hasOnlyDeadlines() bool {
	return l.view == asMonth && len(l.month.events) > 0 && len(l.Env.Profile.Cache.Now().Orders) == 0
}

// missingText returns a sentence with the number of orders whose missions could not be loaded.
// Missions that were loaded earlier are still shown.
func missingText(v *cache.CacheView) string {
	if v.Faults == 0 { // the missions of each order were loaded once
		return "Not all missions could be reloaded"
	}
	return "Missions of " + format.Count(v.Faults, "order") + " could not be loaded"
}

// renderFoot renders why missions could not be loaded. If all are loaded and the selected mission is overdue or
// stalled, it renders the reason, unless the list has a column with the reason. It returns nil if there is
// nothing to explain.
func (l *MissionList) renderFoot(w int) []string {
	view := l.Env.Profile.Cache.Now()
	if view.Fault != nil {
		return l.Env.Look.RenderProblem(view.Fault, missingText(view), w, action.MissionList)
	}
	m := l.currentMission()
	if m == nil || l.Grid.InView("late") {
		return nil
	}
	trouble, ok := m.TroubleAt(l.Env.Clock.Now())
	if !ok {
		return nil
	}
	text := " ▲ " + m.MissionCode + " " + trouble.Text
	line := l.Env.Look.Theme.PaintRole(columns.TroubleTone(trouble), text)
	return page.CutLines([]string{line}, w)
}

// renderMap renders the map, with the selected mission below it.
func (l *MissionList) renderMap(w, h int) string {
	th := l.Env.Look.Theme
	placed := format.GroupInt(len(missionFeatures(l.Env, l.filteredMissions())))
	of := format.Count(len(l.Rows()), "mission")
	nextKey := action.KeyOf(action.MapNext, action.MapView)
	line := th.PaintMuted(" " + placed + " of " + of + " on the map · " + nextKey + " next marker")
	if m := l.currentMission(); m != nil {
		line = renderLine(l.Env, m, w)
	}
	foot := append(l.renderLegend(w), line)
	return l.DrawMap(0, 0, w, h-len(foot)) + "\n" + format.FitBox(foot, w, len(foot))
}

// renderLegend renders the markers on the map and what they mean, in lines of at most w cells.
func (l *MissionList) renderLegend(w int) []string {
	th := l.Env.Look.Theme
	lines := []string{" " + th.PaintRole(theme.Accent, "■2") + th.PaintMuted(" several")}
	for _, status := range countStatuses(l.Env, l.filteredMissions()) {
		if status.missions == 0 {
			continue
		}
		marker := th.PaintRole(status.Role, status.Glyph) + th.PaintMuted(" "+status.Label)
		last := len(lines) - 1
		if longer := lines[last] + "  " + marker; format.Width(longer) < w {
			lines[last] = longer
		} else {
			lines = append(lines, " "+marker)
		}
	}
	return lines
}

// loadProgress returns how many missions or orders are loaded, and how old they are, or "" if no order could be
// loaded.
func loadProgress(v *cache.CacheView, now time.Time) string {
	if v.At.IsZero() && len(v.Orders) == 0 {
		return page.TextIf(v.Err == nil, "Loading orders…")
	}
	if v.Kept {
		return page.AsOf(v.At, now, v.Err == nil)
	}
	extent := loadExtent(v)
	if v.At.IsZero() {
		return extent
	}
	return extent + " · refreshed " + format.Ago(v.At, now)
}

// firstTrouble returns a line about the most overdue or stalled mission, and how many more there are. If there
// is no such mission, the line is empty.
func (l *MissionList) firstTrouble() page.Lead {
	troubled := l.Env.Profile.Cache.Now().TroubledMissions(l.Env.Clock.Now())
	if len(troubled) == 0 {
		return page.Lead{}
	}
	first := troubled[0]
	reason := strings.ToLower(first.Why.Text[:1]) + first.Why.Text[1:]
	shortReason, _, _ := strings.Cut(reason, ",")
	parts := []string{first.MissionCode + ": " + reason}
	if more := len(troubled) - 1; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	parts = append(parts, first.MissionName, first.Order.OrderCode)
	return page.Lead{
		Text:  strings.Join(parts, " · "),
		Short: first.MissionCode + ": " + shortReason,
	}
}

// loadExtent returns the number of missions if all are loaded. Otherwise it returns the number of orders whose
// missions are loaded, and the number of all orders.
func loadExtent(v *cache.CacheView) string {
	isComplete := v.Listed && !v.More
	if isComplete && v.Read == len(v.Orders) {
		return format.Count(len(v.Missions), "mission")
	}
	extent := format.GroupInt(v.Read) + " of " + format.GroupInt(len(v.Orders))
	if !isComplete {
		extent += "+"
	}
	if v.Err != nil || v.Listed && v.Read+v.Faults+v.Left >= len(v.Orders) {
		return extent + " orders loaded"
	}
	return "Loading orders, " + extent + "…"
}

// missionFeatures returns a feature of the map for each mission that has a position.
func missionFeatures(env *page.Env, missions []*mission) (features []geomap.Feature) {
	for _, m := range missions {
		if m.Centre == nil {
			continue
		}
		located := m.Located()
		features = append(features, page.MissionFeature(&located, env.StateOf(m)))
	}
	return features
}

// renderLine renders a mission in one line of at most w cells.
func renderLine(env *page.Env, m *mission, w int) string {
	th := env.Look.Theme
	now := env.Clock.Now()
	status := env.StateOf(m)
	flight := ""
	if !m.FlightDate.IsZero() && m.Status != api.MissionCancelled {
		flight = " " + env.Look.Units.MomentAt(m.FlightDate.Time, now, m.SiteZone())
	}
	code := th.PaintRole(status.Role, status.Glyph+" "+m.MissionCode)
	details := th.PaintMuted("  " + status.Label + flight + "  " + m.Order.OrderCode)
	line := " " + code + "  " + th.PaintText(m.MissionName) + details
	if trouble, ok := m.TroubleAt(now); ok {
		line += "  " + th.PaintRole(columns.TroubleTone(trouble), "▲ "+trouble.Text)
	}
	return format.CutLine(line, w)
}
