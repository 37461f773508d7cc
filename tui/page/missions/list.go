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
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// Section is the missions of all orders.
var Section = page.Section{
	Go: action.GoMissions, Name: "Missions", Short: "Mis",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// view is how the missions are shown.
type view int

const (
	asList view = iota
	asMap
	asMonth
)

// List is the missions of all orders, as a list, on a map or as a month.
type List struct {
	*listpage.Page[cache.Mission]
	known *cache.View
	query string // that map and month show
	view  view
	smap  *sitemap.Map
	month month
	saver *exportdialog.Saver
	aside *Mission // what is shown of the selected one beside the list
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	base := page.NewBase(env)
	l := &List{smap: sitemap.New(), known: env.Cache.Now(), saver: exportdialog.New(base)}
	l.Page = listpage.NewPage(base, l.source(env.Cache), listpage.Options[cache.Mission]{
		Title: "Missions", Name: "missions", Example: "status:flightScheduled or flight:<2026-12-01", One: "mission", Many: "missions", Scope: action.Fleet,
		Columns: columns.MissionsOfOrders(env.Now),
		ID:      func(m *cache.Mission) string { return m.UUID },
		Look: func(m *cache.Mission) (mark table.Cell, muted bool) {
			if t, ok := m.Trouble(env.Now()); ok {
				mark = table.Cell{Text: "▲", Role: columns.TroubleTone(t)}
			}
			return mark, labels.MissionStatus(m.Status).Role == theme.Muted
		},
		Stamp: func(m *cache.Mission) string { return columns.Stamp(string(m.Status), m.UpdatedAt.Time) },
		Place: func(m *cache.Mission) (string, string) {
			return m.MissionCode + "  " + m.MissionName, labels.MissionStatus(m.Status).Glyph + " mission"
		},
		Open:        func(m *cache.Mission) tea.Cmd { return env.Open(NewMission(env, m)) },
		Empty:       [2]string{"No missions yet.", "Each site of a placed order appears here as a mission."},
		Foot:        l.foot,
		SplitDetail: l.beside, From: listpage.Wider,
	})
	l.Detail.Least(100, 46)
	l.month.day = midnight(env.Now())
	l.smap.Focused = true
	l.shown()
	return l
}

// source is the missions as they were known when the page was told last; the
// cache reads them with their orders.
func (l *List) source(c *cache.Cache) listpage.Source[cache.Mission] {
	return listpage.Source[cache.Mission]{
		State: func() listpage.State[cache.Mission] {
			v := l.known
			s := listpage.State[cache.Mission]{Rows: v.Missions, Version: v.Version, At: v.At, Err: v.Err, Offline: v.Kept}
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
			c.Refresh(true)
			return nil
		},
	}
}

// Needs are the missions, and the selected one's shape where that is shown and
// the keys rest at it.
func (l *List) Needs() []cache.Need {
	needs, m := l.Page.Needs(), l.Current()
	if m != nil && l.view == asList && l.IsSplit() && (l.IsScrolling == nil || !l.IsScrolling()) {
		needs = append(needs, l.Cache.Details.Of(m.Order.OrderCode))
	}
	return needs
}

// beside is what is known of a mission without asking for more than its shape.
func (l *List) beside(m *cache.Mission, w, h int) string {
	if l.aside == nil || l.aside.mission != m {
		l.aside = NewMission(l.Env, m)
	}
	l.aside.locate()
	return layout.Box(l.aside.site.below(l.Theme, l.aside.about(w), w, h), w, h)
}

// Corner tells how much is read, and how old it is.
func (l *List) Corner() string { return Progress(l.known, l.Now()) }

// Start shows what is known, which the cache keeps up to date.
func (l *List) Start() tea.Cmd {
	if l.known.Version != l.Cache.Version() {
		l.known = l.Cache.Now()
		l.Page.Update(nil)
		l.shown()
	}
	return nil
}

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return l.Start()
	case page.UnitsMsg:
		l.shown() // the month's days may be others
	}
	if cmd, taken := l.saver.Update(msg); taken {
		return cmd
	}
	return l.Page.Update(msg)
}

// follow gives map and month what the filter leaves.
func (l *List) follow() {
	if q := l.List.Grid.Query(); q != l.query {
		l.query = q
		l.shown()
	}
}

// fitting are the missions that the filter leaves.
func (l *List) fitting() []*cache.Mission {
	rows := l.List.Grid.Rows()
	fitting := make([]*cache.Mission, len(rows))
	for i, row := range rows {
		fitting[i] = l.known.Missions[row]
	}
	return fitting
}

// shown gives map and month what the filter leaves.
func (l *List) shown() {
	fitting := l.fitting()
	l.smap.SetFeatures(Features(fitting))
	l.month.set(fitting, l.Now().Location())
}

// current is the mission that is selected in the view, nil for none.
func (l *List) current() *cache.Mission {
	switch l.view {
	case asMap:
		id := l.smap.Selected()
		if i := slices.IndexFunc(l.known.Missions, func(m *cache.Mission) bool { return m.UUID == id }); i >= 0 && id != "" {
			return l.known.Missions[i]
		}
		return nil
	case asMonth:
		return l.month.current()
	}
	return l.Current()
}

// Scopes are those of the view.
func (l *List) Scopes() []action.Scope {
	l.follow()
	if l.List.Typing() {
		return l.List.Scopes()
	}
	switch l.view {
	case asMap:
		return l.smap.Scopes(true, action.Fleet, action.Table)
	case asMonth:
		return []action.Scope{action.Fleet, action.Month, action.Table}
	default:
		return l.Page.Scopes()
	}
}

// Back goes back to the list, then clears the filter.
func (l *List) Back() bool {
	if l.view != asList {
		l.view = asList
		return true
	}
	return l.Page.Back()
}

// Disabled says what cannot be done without a mission.
func (l *List) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowData, action.ShowStory:
		if l.current() == nil {
			return map[view]string{asList: "no mission selected", asMap: "no mission selected; press } for the next one", asMonth: "no flights on this day"}[l.view]
		}
	case action.CalendarFile:
		if fitting, _ := l.List.Grid.Fitting(); fitting == 0 {
			return "no missions"
		}
	}
	return l.List.Disabled(id)
}

// Do performs an action.
func (l *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return l.Open(NewMission(l.Env, l.current()))
	case action.ShowOrder:
		return l.OpenOrder(l.current().Order)
	case action.ShowStory:
		m := l.current()
		return l.OpenStory(timeline.Subject{Order: m.Order.OrderCode, Mission: m.UUID}, "")
	case action.ShowData:
		m := l.current()
		return l.Open(deliveries.NewOf(l.Env, m.Order.OrderCode, m.UUID))
	case action.CycleView:
		l.turn()
		return nil
	case action.CalendarFile:
		l.askCalendar()
		return nil
	}
	switch {
	case l.view == asMap && l.smap.Do(id):
		l.smap.Focused = true
		return nil
	case l.view == asMonth && l.month.do(id):
		return nil
	}
	return l.Page.Do(id)
}

// turn shows the next view, with the same mission selected.
func (l *List) turn() {
	m := l.current()
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
		l.month.choose(m)
	}
}

// Mouse selects a mission and opens it with a second click.
func (l *List) Mouse(m page.Mouse) tea.Cmd {
	var hit bool
	switch l.view {
	case asMap:
		var id string
		if id, hit = l.smap.Mouse(m, 0, 0); hit {
			l.smap.SetSelected(id)
		}
	case asMonth:
		hit = l.month.click(m)
	default:
		return l.Page.Mouse(m)
	}
	if hit && m.Double && l.current() != nil {
		return l.Do(action.Open)
	}
	return nil
}

// Drag moves the map.
func (l *List) Drag(m page.Mouse, over bool) tea.Cmd {
	switch l.view {
	case asMap:
		l.smap.Drag(m, over)
	case asList:
		return l.Page.Drag(m, over)
	}
	return nil
}

// Point shows where the mouse is on the map.
func (l *List) Point(m page.Mouse) {
	if l.Points() {
		l.smap.Point(m, 0, 0)
	}
}

// Points reports whether the map is shown.
func (l *List) Points() bool { return l.view == asMap }

// Jumps are the rows of the list.
func (l *List) Jumps() []page.Jump {
	if l.view != asList {
		return nil
	}
	return l.Page.Jumps()
}

// Filter shows the missions that a filter leaves, as a list.
func (l *List) Filter(query string) {
	l.view = asList
	l.Page.Filter(query)
}

// View draws the missions.
func (l *List) View(w, h int) string {
	l.follow()
	switch {
	case len(l.known.Missions) == 0 || l.view == asList:
		return l.Page.View(w, h)
	case l.view == asMap:
		return l.mapView(w, h)
	default:
		return l.month.view(l.Theme, l.Now(), w, h)
	}
}

// foot says which missions could not be read, or what is wrong with the selected one.
func (l *List) foot(w int) []string {
	if v := l.known; v.Fault != nil {
		return page.Problem(l.Theme, v.Fault, "Missions of "+format.Count(v.Faults, "order is", "orders are")+" missing", "r", w)
	}
	if m := l.current(); m != nil && !l.List.Grid.InView("late") {
		if t, ok := m.Trouble(l.Now()); ok {
			return []string{layout.Cut(layout.Text(l.Theme.Style(columns.TroubleTone(t)), " ▲ "+m.MissionCode+" "+t.Text), w)}
		}
	}
	return nil
}

// mapView draws the map, and below it the mission that is selected.
func (l *List) mapView(w, h int) string {
	th := l.Theme
	line := layout.Text(th.Style(theme.Muted), fmt.Sprintf(" %s of %s on the map · } next marker", format.Group(float64(len(Features(l.fitting()))), 0),
		format.Count(len(l.known.Missions), "mission", "missions")))
	if m := l.current(); m != nil {
		line = Line(th, m, l.Now(), w)
	}
	return l.smap.View(th, w, h-2) + "\n" + layout.Left(l.legend(), w) + "\n" + layout.Left(line, w)
}

// legend says what the marks on the map stand for, of those that there are.
func (l *List) legend() string {
	n := map[api.MissionStatus]int{}
	for _, m := range l.fitting() {
		n[m.Status]++
	}
	legend := " " + layout.Text(l.Theme.Style(theme.Accent), "●2") + layout.Text(l.Theme.Style(theme.Muted), " several ")
	for _, s := range api.MissionStatuses() {
		if n[s] == 0 {
			continue
		}
		st := labels.MissionStatus(s)
		legend += " " + layout.Text(l.Theme.Style(st.Role), st.Glyph) + layout.Text(l.Theme.Style(theme.Muted), " "+st.Label+" ")
	}
	return legend
}
