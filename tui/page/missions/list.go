package missions

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// Section is the "Missions" section of the app.
var Section = page.Section{
	Go: action.GoMissions, Name: "Missions", Short: "Mis",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// missionsView selects list, map or month.
type missionsView int

const (
	asList missionsView = iota
	asMap
	asMonth
)

// MissionList is the page of all missions, as a list, on a map or as a month.
type MissionList struct {
	*listpage.Page[cache.Mission]
	known *cache.CacheView
	query string // filter of the missions on the map and in the month
	view  missionsView
	smap  *sitemap.SiteMap
	month monthView
	saver *exportdialog.FileSaver
	aside *MissionPage // of the selected mission, beside the list
}

// NewList returns the page of all missions.
func NewList(env *page.Env) *MissionList {
	base := page.NewBase(env)
	l := &MissionList{smap: sitemap.New(), known: env.Cache.Now(), saver: exportdialog.New(base)}
	l.Page = listpage.NewPage(base, l.missionSource(env.Cache), listpage.Options[cache.Mission]{
		Title:   "Missions",
		Name:    "missions",
		Example: "status:flightScheduled or flight:<2026-12-01",
		One:     "mission",
		Many:    "missions",
		Scope:   action.MissionList,
		Columns: columns.MissionsOfOrders(env.Now),
		ID:      func(m *cache.Mission) string { return m.UUID },
		Look: func(m *cache.Mission) (mark table.Cell, muted bool) {
			if t, ok := m.TroubleAt(env.Now()); ok {
				mark = table.Cell{Text: "▲", Role: columns.TroubleTone(t)}
			}
			return mark, labels.MissionStatus(m.Status).Role == theme.Muted
		},
		Stamp: func(m *cache.Mission) string { return columns.RowStamp(string(m.Status), m.UpdatedAt.Time) },
		Place: func(m *cache.Mission) (string, string) {
			return m.MissionCode + "  " + m.MissionName, labels.MissionStatus(m.Status).Glyph + " mission"
		},
		Open:        func(m *cache.Mission) tea.Cmd { return env.Open(NewMission(env, m)) },
		Empty:       [2]string{"No missions yet.", "Each site of a placed order appears here as a mission."},
		Foot:        l.renderFoot,
		SplitDetail: l.renderBeside,
		From:        listpage.Wider,
	})
	l.Detail.Least(100, 46)
	l.month.day = atMidnight(env.Now())
	l.smap.Focused = true
	l.showFiltered()
	return l
}

// missionSource returns the missions of the cache's last snapshot; the cache loads them
// with their orders.
func (l *MissionList) missionSource(c *cache.Cache) listpage.Source[cache.Mission] {
	return listpage.Source[cache.Mission]{
		State: func() listpage.State[cache.Mission] {
			v := l.known
			s := listpage.State[cache.Mission]{
				Rows:    v.Missions,
				Version: v.Version,
				At:      v.At,
				Err:     v.Err,
				Offline: v.Kept,
			}
			if len(v.Missions) == 0 && s.Err == nil {
				s.Err = v.Fault
			}
			if len(v.Missions) == 0 && (!v.Listed || v.Read < len(v.Orders)) {
				s.At = time.Time{}
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

// DataNeeds requests the missions, and the shape of the selected one if it is shown and
// the list is not scrolling.
func (l *MissionList) DataNeeds() []cache.Need {
	needs, m := l.Page.DataNeeds(), l.Current()
	if m != nil && l.view == asList && l.IsSplit() && (l.IsScrolling == nil || !l.IsScrolling()) {
		needs = append(needs, l.Cache.Details.NeedOf(m.Order.OrderCode))
	}
	return needs
}

// renderBeside renders a mission beside the list, loading nothing but its shape.
func (l *MissionList) renderBeside(m *cache.Mission, w, h int) string {
	if l.aside == nil || l.aside.mission != m {
		l.aside = NewMission(l.Env, m)
	}
	l.aside.locateMission()
	return layout.FitBox(l.aside.site.renderBelow(l.Theme, l.aside.renderMission(w), w, h), w, h)
}

// CornerText returns how many missions are loaded, and how old they are.
func (l *MissionList) CornerText() string { return LoadProgress(l.known, l.Now()) }

// OnShow takes a new snapshot of the cache.
func (l *MissionList) OnShow() tea.Cmd {
	if l.known.Version != l.Cache.Version() {
		l.known = l.Cache.Now()
		l.Page.Update(nil)
		l.showFiltered()
	}
	return nil
}

// Update handles new data, changed units, the export dialog and messages of the list.
func (l *MissionList) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return l.OnShow()
	case page.UnitsMsg:
		l.showFiltered() // the month's days may be others
	}
	if cmd, taken := l.saver.Update(msg); taken {
		return cmd
	}
	return l.Page.Update(msg)
}

// followFilter updates map and month after a change of the filter.
func (l *MissionList) followFilter() {
	if q := l.List.Grid.Query(); q != l.query {
		l.query = q
		l.showFiltered()
	}
}

// filteredMissions returns the missions that match the filter.
func (l *MissionList) filteredMissions() []*cache.Mission {
	rows := l.List.Grid.FilteredRows()
	fitting := make([]*cache.Mission, len(rows))
	for i, row := range rows {
		fitting[i] = l.known.Missions[row]
	}
	return fitting
}

// showFiltered puts the filtered missions on the map and in the month.
func (l *MissionList) showFiltered() {
	fitting := l.filteredMissions()
	l.smap.SetFeatures(MissionFeatures(fitting))
	l.month.setMissions(fitting, l.Now().Location())
}

// currentMission returns the mission selected in the current view, or nil.
func (l *MissionList) currentMission() *cache.Mission {
	switch l.view {
	case asMap:
		id := l.smap.Selected()
		i := slices.IndexFunc(l.known.Missions, func(m *cache.Mission) bool { return m.UUID == id })
		if id == "" || i < 0 {
			return nil
		}
		return l.known.Missions[i]
	case asMonth:
		return l.month.currentMission()
	}
	return l.Current()
}

// ActionScopes returns the scopes of the current view.
func (l *MissionList) ActionScopes() []action.Scope {
	l.followFilter()
	if l.List.IsTyping() {
		return l.List.ListScopes()
	}
	switch l.view {
	case asMap:
		return l.smap.MapScopes(true, action.MissionList, action.Table)
	case asMonth:
		return []action.Scope{action.MissionList, action.Month, action.Table}
	default:
		return l.Page.ActionScopes()
	}
}

// HandleBack returns to the list; there it clears the filter.
func (l *MissionList) HandleBack() bool {
	if l.view != asList {
		l.view = asList
		return true
	}
	return l.Page.HandleBack()
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (l *MissionList) DisabledReason(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowData, action.ShowTimeline:
		if l.currentMission() == nil {
			return map[missionsView]string{asList: "no mission selected", asMap: "no mission selected; press } for the next one", asMonth: "no flights on this day"}[l.view]
		}
	case action.CalendarFile:
		if fitting, _ := l.List.Grid.CountFitting(); fitting == 0 {
			return "no missions"
		}
	}
	return l.List.DisabledReason(id)
}

func (l *MissionList) HandleAction(id action.ID) tea.Cmd {
	if cmd, done := handleMission(l.Env, l.currentMission(), id); done {
		return cmd
	}
	switch id {
	case action.Open:
		return l.Open(NewMission(l.Env, l.currentMission()))
	case action.CycleView:
		l.nextView()
		return nil
	case action.CalendarFile:
		l.exportCalendar()
		return nil
	}
	switch {
	case l.view == asMap && l.smap.HandleAction(id):
		l.smap.Focused = true
		return nil
	case l.view == asMonth && l.month.handleAction(id):
		return nil
	}
	return l.Page.HandleAction(id)
}

// nextView switches to the next view and keeps the mission selected.
func (l *MissionList) nextView() {
	m := l.currentMission()
	l.view = (l.view + 1) % 3
	if m == nil {
		return
	}
	switch l.view {
	case asList:
		l.List.Grid.Select(m.UUID)
	case asMap:
		l.smap.SetSelected(m.UUID)
	case asMonth:
		l.month.selectMission(m)
	}
}

// HandleMouse selects the mission that is clicked, and opens it on a second click.
func (l *MissionList) HandleMouse(m page.MouseInput) tea.Cmd {
	var hit bool
	switch l.view {
	case asMap:
		var id string
		if id, hit = l.smap.HandleMouse(m, 0, 0); hit {
			l.smap.SetSelected(id)
		}
	case asMonth:
		hit = l.month.clickDay(m)
	default:
		return l.Page.HandleMouse(m)
	}
	if hit && m.Double && l.currentMission() != nil {
		return l.HandleAction(action.Open)
	}
	return nil
}

// HandleDrag moves the map, or scrolls the list.
func (l *MissionList) HandleDrag(m page.MouseInput, over bool) tea.Cmd {
	switch l.view {
	case asMap:
		l.smap.HandleDrag(m, over)
	case asList:
		return l.Page.HandleDrag(m, over)
	}
	return nil
}

// HandlePointer passes the mouse position to the map.
func (l *MissionList) HandlePointer(m page.MouseInput) {
	if l.TracksPointer() {
		l.smap.HandlePointer(m, 0, 0)
	}
}

// TracksPointer reports whether the map is shown, which follows the mouse.
func (l *MissionList) TracksPointer() bool { return l.view == asMap }

// JumpTargets returns the rows of the list, none in other views.
func (l *MissionList) JumpTargets() []page.JumpTarget {
	if l.view != asList {
		return nil
	}
	return l.Page.JumpTargets()
}

// ApplyFilter switches to the list and filters it.
func (l *MissionList) ApplyFilter(query string) {
	l.view = asList
	l.Page.ApplyFilter(query)
}

// View renders the current view.
func (l *MissionList) View(w, h int) string {
	l.followFilter()
	switch {
	case len(l.known.Missions) == 0 || l.view == asList:
		return l.Page.View(w, h)
	case l.view == asMap:
		return l.renderMap(w, h)
	default:
		return l.month.renderMonth(l.Theme, l.Now(), w, h)
	}
}

// renderFoot returns why missions are missing, or the problem of the selected one.
func (l *MissionList) renderFoot(w int) []string {
	if v := l.known; v.Fault != nil {
		return page.RenderProblem(
			l.Theme,
			v.Fault,
			"Missions of "+format.Count(v.Faults, "order is", "orders are")+" missing",
			"r",
			w,
		)
	}
	if m := l.currentMission(); m != nil && !l.List.Grid.InView("late") {
		if t, ok := m.TroubleAt(l.Now()); ok {
			return []string{
				layout.CutLine(l.Theme.PaintRole(columns.TroubleTone(t), " ▲ "+m.MissionCode+" "+t.Text), w),
			}
		}
	}
	return nil
}

// renderMap renders the map, with the selected mission below it.
func (l *MissionList) renderMap(w, h int) string {
	th := l.Theme
	line := th.PaintMuted(
		fmt.Sprintf(
			" %s of %s on the map · } next marker",
			format.GroupDigits(float64(len(MissionFeatures(l.filteredMissions()))), 0),
			format.Count(len(l.known.Missions), "mission", "missions"),
		),
	)
	if m := l.currentMission(); m != nil {
		line = RenderLine(th, m, l.Now(), w)
	}
	return l.smap.View(th, w, h-2) + "\n" + layout.FitLeft(l.renderLegend(), w) + "\n" + layout.FitLeft(line, w)
}

// renderLegend explains the markers on the map.
func (l *MissionList) renderLegend() string {
	n := map[api.MissionStatus]int{}
	for _, m := range l.filteredMissions() {
		n[m.Status]++
	}
	legend := " " + l.Theme.PaintRole(theme.Accent, "●2") + l.Theme.PaintMuted(" several ")
	for _, s := range api.MissionStatuses() {
		if n[s] == 0 {
			continue
		}
		st := labels.MissionStatus(s)
		legend += " " + l.Theme.PaintRole(st.Role, st.Glyph) + l.Theme.PaintMuted(" "+st.Label+" ")
	}
	return legend
}
