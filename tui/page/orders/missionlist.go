package orders

import (
	"cmp"
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
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// MissionsSection is the "Missions" section of the app.
var MissionsSection = page.Section{
	Go: action.GoMissions, Name: "Missions", Short: "Mis",
	First: NewMissionList,
}

// mission is a mission with its order.
type mission = cache.Mission

// missionsView selects list, map or month.
type missionsView int

const (
	asList missionsView = iota
	asMap
	asMonth
)

// MissionList is the page of all missions, as a list, on a map or as a month.
type MissionList struct {
	*page.List[*mission]
	shown string // what the map and the month show: version and filter
	view  missionsView
	month monthView
	aside *MissionPage // of the selected mission, beside the list
}

// NewMissionList returns the page of all missions.
func NewMissionList(env *page.Env) page.Page {
	base := page.NewBase(env)
	l := &MissionList{}
	l.List = page.NewList(base, missionSource(env.Profile.Cache), page.ListOptions[*mission]{
		Title:   "Missions",
		Example: "status:flightScheduled or flight:<2026-12-01",
		One:     "mission",
		Scope:   action.MissionList,
		Lead:    l.firstTrouble,
		Columns: columns.MissionsOfOrders(env.Clock.Now),
		Mark: func(m *mission) (mark widget.Cell) {
			if t, ok := m.TroubleAt(env.Clock.Now()); ok {
				mark = widget.Cell{Text: "▲", Role: columns.TroubleTone(t)}
			}
			return mark
		},
		Muted: func(m *mission) bool { return format.Status(m.Status).Role == theme.Muted },
		Stamp: func(m *mission) string { return columns.RowStamp(string(m.Status), m.UpdatedAt.Time) },
		Place: func(m *mission) (string, string) {
			return m.MissionCode + "  " + m.MissionName, format.Status(m.Status).Glyph + " mission"
		},
		Open:  func(m *mission) tea.Cmd { return env.Nav.Open(NewMission(env, m)) },
		Empty: "No missions yet.\nEach site of a placed order appears here as a mission.",
		Acts: append(
			missionActs(env),
			page.Act[*mission]{
				ID:  action.CycleView,
				Any: true,
				Do:  l.showNextView,
			},
			page.Act[*mission]{ID: action.CalendarFile, Do: l.exportCalendar},
		),
		Foot:  l.renderFoot,
		Lines: l.renderBeside,
		Needs: func(m *mission) []cache.Need {
			return []cache.Need{env.Profile.Cache.Details.NeedOf(m.Order.OrderCode)}
		},
		From:      page.Wider,
		LeastRows: 100, LeastDetail: 46,
	})
	l.month.env, l.month.day = env, format.CalendarDay(env.Clock.Now())
	return l
}

// missionSource returns the missions of the cache, which loads them with their orders.
func missionSource(c *cache.Cache) page.ListSource[*mission] {
	return page.ListSource[*mission]{
		State: func() page.ListState[*mission] {
			v := c.Now()
			s := page.ListState[*mission]{
				Rows:    v.Missions,
				Version: v.Version,
				At:      v.At,
				Err:     v.Err,
				Offline: v.Kept,
			}
			if len(v.Missions) == 0 {
				s.Err = cmp.Or(s.Err, v.Fault)
				if !v.Listed || v.Read < len(v.Orders) {
					s.At = time.Time{}
				}
			}
			return s
		},
		Needs: func(int) []cache.Need { return []cache.Need{c.AllMissions()} },
		Refresh: func() tea.Cmd {
			c.RefreshOrders(true)
			return nil
		},
	}
}

// renderBeside renders a mission beside the list, loading nothing but its shape.
func (l *MissionList) renderBeside(m *mission, w, h int) ([]string, bool) {
	if l.aside == nil || l.aside.mission.UUID != m.UUID {
		l.aside = NewMission(l.Env, m)
	}
	l.aside.locateMission()
	return l.aside.AppendSite(l.aside.renderMission(w), w, h), false
}

// CornerText returns how many missions are loaded, and how old they are.
func (l *MissionList) CornerText() string {
	return loadProgress(l.Env.Profile.Cache.Now(), l.Env.Clock.Now())
}

// Update handles changed units and messages of the list.
func (l *MissionList) Update(msg tea.Msg) tea.Cmd {
	if _, is := msg.(page.UnitsMsg); is {
		l.shown = "" // the month's days may be others
	}
	return l.List.Update(msg)
}

// filteredMissions returns the missions that match the filter.
func (l *MissionList) filteredMissions() []*mission {
	all := l.Rows()
	var fitting []*mission
	for _, row := range l.Grid.FilteredRows() {
		fitting = append(fitting, all[row])
	}
	return fitting
}

// showFiltered puts the missions that match the filter on the map and in the month.
func (l *MissionList) showFiltered() {
	shown := fmt.Sprint(l.Env.Profile.Cache.Version(), l.Grid.Query())
	if l.view == asList || l.shown == shown {
		return
	}
	l.shown = shown
	fitting := l.filteredMissions()
	l.Map.Model.SetFeatures(missionFeatures(fitting))
	l.month.setEvents(l.filteredPlan(), fitting)
}

// filteredPlan returns the events of the missions that match the filter. Without a filter
// these are the events of all orders, also of orders without missions.
func (l *MissionList) filteredPlan() []event {
	var orders []*api.Order
	if l.Grid.Query() == "" {
		orders = columns.Pointers(l.Env.Profile.Cache.Now().Orders)
	}
	return planOf(l.Env, orders, l.filteredMissions())
}

// DataNeeds requests the missions, and for the month also quotes and packages.
func (l *MissionList) DataNeeds() []cache.Need {
	needs, c := l.List.DataNeeds(), l.Env.Profile.Cache
	if l.view == asMonth {
		needs = append(needs, c.Quoted.NeedOf(cache.Account))
		needs = append(needs, l.month.packageNeeds(c, l.filteredMissions())...)
	}
	return needs
}

// currentMission returns the mission selected in the current view, or nil.
func (l *MissionList) currentMission() *mission {
	if l.view == asMonth {
		return l.month.currentMission()
	}
	return l.Current()
}

// ActionScopes returns the scopes of the current view.
func (l *MissionList) ActionScopes() []action.Scope {
	scopes := l.List.ActionScopes()
	switch {
	case l.IsTyping():
	case l.view == asMap:
		return l.Map.MapScopes(true, action.MissionList, action.Table)
	case l.view == asMonth:
		return []action.Scope{action.MissionList, action.Month, action.Table}
	}
	return scopes
}

// HandleBack returns to the list; there it clears the filter.
func (l *MissionList) HandleBack() bool {
	if l.view != asList {
		l.showView(asList)
		return true
	}
	return l.List.HandleBack()
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
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

// HandleAction performs an action of the current view, or of the list.
func (l *MissionList) HandleAction(id action.ID) tea.Cmd {
	switch {
	case l.view == asMap && l.Map.HandleAction(id):
		l.Map.Focused = true
		l.Grid.Select(l.Map.Model.Selected())
		return nil
	case l.view == asMonth && l.month.handleAction(id):
		l.selectFlight()
		return nil
	case l.view == asMonth && id == action.Open:
		return l.month.openEvent(l.month.currentEvent())
	case l.view == asMonth && id == action.ShowOrder:
		return l.Env.Nav.Show(page.OrderRoute{Order: l.month.currentEvent().Order})
	}
	return l.List.HandleAction(id)
}

// selectFlight selects in the list what is selected in the month.
func (l *MissionList) selectFlight() {
	if m := l.month.currentMission(); m != nil {
		l.Grid.Select(m.UUID)
	}
}

// showNextView switches to the next view and keeps the mission selected.
func (l *MissionList) showNextView(m *mission) tea.Cmd {
	l.showView((l.view + 1) % 3)
	l.showFiltered()
	if m != nil {
		l.Map.Model.SetSelected(m.UUID)
		l.month.selectMission(m)
	}
	if l.view == asMonth {
		l.selectFlight()
	}
	return nil
}

// HandleMouse selects the mission that is clicked, and opens it on a second click.
func (l *MissionList) HandleMouse(m page.MouseInput) tea.Cmd {
	var hit bool
	switch l.view {
	case asMap:
		id, _ := l.TakeMouse(m)
		if hit = l.Grid.Select(id); hit {
			l.Map.Model.SetSelected(id)
		}
	case asMonth:
		hit = l.month.clickDay(m)
		l.selectFlight()
	default:
		return l.List.HandleMouse(m)
	}
	isOnEvent := l.currentMission() != nil || l.view == asMonth && l.month.currentEvent() != nil
	if hit && m.Double && isOnEvent {
		return l.HandleAction(action.Open)
	}
	return nil
}

// showView shows the missions in another view, the map with its keys.
func (l *MissionList) showView(view missionsView) {
	l.view, l.Map.Focused = view, view == asMap
	l.HidePanes()
}

// JumpTargets returns the rows of the list, none in other views.
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
	if len(l.Rows()) == 0 || l.view == asList {
		return l.List.View(w, h)
	}
	draw, foot := l.month.renderMonth, l.FilterLine(w)
	if l.view == asMap {
		draw = l.renderMap
	}
	return format.FitBox(append(format.SplitLines(draw(w, h-len(foot))), foot...), w, h)
}

// missingText says of how many orders the missions could not be read.
func missingText(v *cache.CacheView) string {
	return "Missions of " + format.Count(v.Faults, "order is", "orders are") + " missing"
}

// renderFoot returns why missions are missing, or the problem of the selected one.
func (l *MissionList) renderFoot(w int) []string {
	v, m := l.Env.Profile.Cache.Now(), l.currentMission()
	switch {
	case v.Fault != nil:
		return l.Env.Look.RenderProblem(v.Fault, missingText(v), w)
	case m != nil && !l.Grid.InView("late"):
		if t, ok := m.TroubleAt(l.Env.Clock.Now()); ok {
			return page.CutLines([]string{l.Env.Look.Theme.PaintRole(columns.TroubleTone(t), " ▲ "+m.MissionCode+" "+t.Text)}, w)
		}
	}
	return nil
}

// renderMap renders the map, with the selected mission below it.
func (l *MissionList) renderMap(w, h int) string {
	th := l.Env.Look.Theme
	placed := format.GroupInt(len(missionFeatures(l.filteredMissions())))
	of := format.Count(len(l.Rows()), "mission")
	line := th.PaintMuted(" " + placed + " of " + of + " on the map · } next marker")
	if m := l.currentMission(); m != nil {
		line = renderLine(l.Env, m, w)
	}
	return l.DrawMap(0, 0, w, h-2) + "\n" + format.FitBox([]string{l.renderLegend(), line}, w, 2)
}

// renderLegend explains the markers on the map.
func (l *MissionList) renderLegend() string {
	n := map[api.MissionStatus]int{}
	for _, m := range l.filteredMissions() {
		n[m.Status]++
	}
	legend := " " + l.Env.Look.Theme.PaintRole(theme.Accent, "■2") + l.Env.Look.Theme.PaintMuted(" several ")
	for _, s := range api.MissionStatuses() {
		if n[s] == 0 {
			continue
		}
		st := format.Status(s)
		legend += " " + l.Env.Look.Theme.PaintRole(st.Role, st.Glyph) + l.Env.Look.Theme.PaintMuted(" "+st.Label+" ")
	}
	return legend
}

// loadProgress returns how many orders have their missions loaded, and how old that is.
func loadProgress(v *cache.CacheView, now time.Time) string {
	switch {
	case v.At.IsZero() && len(v.Orders) == 0:
		return page.TextIf(v.Err == nil, "Loading orders…")
	case v.Kept:
		return page.AsOf(v.At, now, v.Err == nil)
	case v.At.IsZero():
		return loadExtent(v)
	}
	return loadExtent(v) + " · refreshed " + format.Ago(v.At, now)
}

// firstTrouble returns the mission that is overdue or stalled most.
func (l *MissionList) firstTrouble() page.Lead {
	troubled := l.Env.Profile.Cache.Now().TroubledMissions(l.Env.Clock.Now())
	if len(troubled) == 0 {
		return page.Lead{}
	}
	first := troubled[0]
	text := first.MissionName + ": " + strings.ToLower(first.Why.Text[:1]) + first.Why.Text[1:]
	if more := len(troubled) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return page.Lead{Text: text}
}

// loadExtent returns the number of missions, or while some are not loaded that of the
// orders whose missions are, out of all orders.
func loadExtent(v *cache.CacheView) string {
	extent := format.GroupInt(v.Read) + " of " + format.GroupInt(len(v.Orders))
	all := v.Listed && !v.More
	extent += page.TextIf(!all, "+")
	switch {
	case all && v.Read == len(v.Orders):
		return format.Count(len(v.Missions), "mission")
	case v.Listed && v.Read+v.Faults+v.Left >= len(v.Orders):
		return extent + " orders loaded"
	}
	return "Loading orders, " + extent + "…"
}

// missionFeatures returns the missions that have a position as map markers.
func missionFeatures(missions []*mission) (features []geomap.Feature) {
	for _, m := range missions {
		if one := m.Located(); m.Centre != nil {
			features = append(features, page.MissionFeature(&one))
		}
	}
	return features
}

// renderLine renders a mission in one line of at most w cells.
func renderLine(env *page.Env, m *mission, w int) string {
	th, now := env.Look.Theme, env.Clock.Now()
	st, flight := format.Status(m.Status), ""
	if !m.FlightDate.IsZero() {
		flight = " " + env.Look.Units.MomentAt(m.FlightDate.Time, now, m.SiteZone())
	}
	line := " " + th.PaintRole(st.Role, st.Glyph+" "+m.MissionCode) + "  " + th.PaintText(m.MissionName) +
		th.PaintMuted("  "+st.Label+flight+"  "+m.Order.OrderCode)
	if t, ok := m.TroubleAt(now); ok {
		line += "  " + th.PaintRole(columns.TroubleTone(t), "▲ "+t.Text)
	}
	return format.CutLine(line, w)
}
