package missions

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

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
	"flightdesk/tui/widget/geomap"
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
	page.Base
	list  *listpage.List
	known *cache.View
	query string // that map and month show
	view  view
	smap  *sitemap.Map
	month month
	saver *exportdialog.Saver
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	l := &List{Base: page.NewBase(env), smap: sitemap.New(), known: env.Cache.Now()}
	l.list = listpage.New(l.Base, "missions", "status:flightScheduled or flight:<2026-12-01", columns.Specs(columns.MissionsOfOrders(env.Now))...)
	l.list.Empty = "No mission has all of that; "
	l.saver = exportdialog.New(l.Base)
	l.month.day = midnight(env.Now())
	l.smap.Focused = true
	l.rows()
	return l
}

// Title is the page's name.
func (l *List) Title() string { return "Missions" }

// Corner tells how much is read, and how old it is.
func (l *List) Corner() string { return Progress(l.known, l.Now()) }

// Progress says how much of the fleet is read, and how old that is.
func Progress(v *cache.View, now time.Time) string {
	if v.At.IsZero() && len(v.Orders) == 0 {
		if v.Err != nil {
			return ""
		}
		return "reading…"
	}
	if v.Kept {
		return page.AsOf(v.At, now, v.Err == nil)
	}
	of := format.Group(float64(len(v.Orders)), 0)
	if !v.Listed {
		of += "+"
	}
	text := fmt.Sprintf("%s of %s orders read", format.Group(float64(v.Read), 0), of)
	if v.Left > 0 {
		text += ", the oldest are left out"
	}
	if v.At.IsZero() {
		return text
	}
	return text + " · refreshed " + format.Ago(v.At, now)
}

// Needs are the orders; the cache reads their missions.
func (l *List) Needs() []cache.Need { return []cache.Need{l.Cache.Orders.Of(cache.Account)} }

// Start shows what is known, which the cache keeps up to date.
func (l *List) Start() tea.Cmd {
	l.read()
	return nil
}

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		l.read()
	case page.UnitsMsg:
		l.shown() // the month's days may be others
	case page.SentMsg, page.PlacedMsg:
		l.Cache.Refresh(true)
	default:
		if cmd, taken := l.saver.Update(msg); taken {
			return cmd
		}
		if cmd, taken := l.list.Update(msg); taken {
			return cmd
		}
	}
	return nil
}

// read takes what was read since the rows were made.
func (l *List) read() {
	if l.known.Version != l.Cache.Version() {
		l.rows()
	}
}

// follow gives map and month what the filter leaves.
func (l *List) follow() {
	if q := l.list.Grid.Query(); q != l.query {
		l.query = q
		l.shown()
	}
}

func (l *List) rows() {
	l.known = l.Cache.Now()
	l.list.Grid.Set(source(l.known.Missions, l.Now, l.known.Err != nil || l.known.Kept))
	l.shown()
}

// fitting are the missions that the filter leaves.
func (l *List) fitting() []*cache.Mission {
	rows := l.list.Grid.Rows()
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

// Features are missions as points on a map.
func Features(missions []*cache.Mission) []geomap.Feature {
	features := make([]geomap.Feature, 0, len(missions))
	for _, m := range missions {
		if !m.Placed {
			continue
		}
		st := labels.MissionStatus(m.Status)
		features = append(features, geomap.Feature{
			ID: m.UUID, Label: m.MissionName, Geometry: orb.Point{m.Centre.Lng, m.Centre.Lat},
			Mark: []rune(st.Glyph)[0], Role: sitemap.Role(st.Role),
		})
	}
	return features
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
	if i, ok := l.list.Grid.Current(); ok {
		return l.known.Missions[i]
	}
	return nil
}

// Scopes are those of the view.
func (l *List) Scopes() []action.Scope {
	l.follow()
	if l.list.Typing() {
		return l.list.Scopes()
	}
	switch l.view {
	case asMap:
		return l.smap.Scopes(true, action.Fleet, action.Table)
	case asMonth:
		return []action.Scope{action.Fleet, action.Month, action.Table}
	default:
		return l.list.Scopes(action.Fleet)
	}
}

// Typing is while the filter is typed.
func (l *List) Typing() bool { return l.list.Typing() }

// Cursor stands in the filter while that is typed.
func (l *List) Cursor() *tea.Cursor { return l.list.Cursor() }

// Back goes back to the list, then clears the filter.
func (l *List) Back() bool {
	if l.view != asList {
		l.view = asList
		return true
	}
	return l.list.Clear()
}

// Disabled says what cannot be done without a mission.
func (l *List) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.ShowOrder, action.ShowData, action.ShowStory:
		if l.current() == nil {
			return map[view]string{asList: "there is no mission", asMap: "no mission is chosen; } chooses the next", asMonth: "no mission flies on this day"}[l.view]
		}
	case action.CalendarFile:
		if fitting, _ := l.list.Grid.Fitting(); fitting == 0 {
			return "there are no missions"
		}
	}
	return l.list.Disabled(id)
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
	case action.Refresh:
		l.Cache.Refresh(true)
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
	cmd, _ := l.list.Do(id)
	return cmd
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
		l.list.Grid.Select(m.UUID)
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
		hit = l.list.Mouse(m)
	}
	if hit && m.Double && l.current() != nil {
		return l.Do(action.Open)
	}
	return nil
}

// Drag moves the map.
func (l *List) Drag(m page.Mouse, over bool) tea.Cmd {
	if l.view == asMap {
		l.smap.Drag(m, over)
	}
	return nil
}

// Point shows where the mouse is on the map.
func (l *List) Point(m page.Mouse) {
	if l.view == asMap {
		l.smap.Point(m, 0, 0)
	}
}

// Jumps are the rows of the list.
func (l *List) Jumps() []page.Jump {
	if l.view != asList || len(l.known.Missions) == 0 {
		return nil
	}
	return page.Rows(&l.list.Grid.Table, 0, 0, l.Mouse)
}

// Filter shows the missions that a filter leaves, as a list.
func (l *List) Filter(query string) {
	l.view = asList
	l.list.Search(query)
}

// Places are the missions that were read.
func (l *List) Places() []page.Place {
	places := make([]page.Place, len(l.known.Missions))
	for i, m := range l.known.Missions {
		places[i] = page.Place{
			Name: m.MissionCode + "  " + m.MissionName, Kind: labels.MissionStatus(m.Status).Glyph + " mission",
			Open: func() tea.Cmd { return l.Open(NewMission(l.Env, m)) },
		}
	}
	return places
}

// View draws the missions.
func (l *List) View(w, h int) string {
	l.follow()
	v := l.known
	switch {
	case len(v.Missions) == 0 && (v.Err != nil || v.Fault != nil):
		err := v.Err
		if err == nil {
			err = v.Fault
		}
		return layout.Box(page.Problem(l.Theme, err, "", "r", w), w, h)
	case len(v.Missions) == 0 && v.Listed && v.Read == len(v.Orders):
		return layout.Box(l.empty(), w, h)
	case len(v.Missions) == 0:
		return l.list.Loading(w, h)
	}
	switch l.view {
	case asMap:
		return l.mapView(w, h)
	case asMonth:
		return l.month.view(l.Theme, l.Now(), w, h)
	}
	return l.list.View(w, h, true, l.foot(w)...)
}

// foot says what could not be read.
func (l *List) foot(w int) []string {
	v := l.known
	switch {
	case v.Err != nil:
		return page.Problem(l.Theme, v.Err, format.Count(len(v.Missions), "mission", "missions")+", read "+format.Ago(v.At, l.Now()), "r", w)
	case v.Fault != nil:
		return page.Problem(l.Theme, v.Fault, "all but the missions of "+format.Count(v.Faults, "order", "orders"), "r", w)
	}
	if m := l.current(); m != nil && !l.list.Grid.InView("late") {
		if t, ok := m.Trouble(l.Now()); ok {
			return []string{layout.Cut(layout.Text(l.Theme.Style(columns.TroubleTone(t)), " ▲ "+m.MissionCode+" "+t.Text), w)}
		}
	}
	return nil
}

// mapView draws the map, and below it the mission that is selected.
func (l *List) mapView(w, h int) string {
	th := l.Theme
	line := layout.Text(th.Style(theme.Muted), fmt.Sprintf(" %s of %s on the map; } chooses the next", format.Group(float64(len(Features(l.fitting()))), 0),
		format.Count(len(l.known.Missions), "mission", "missions")))
	if m := l.current(); m != nil {
		line = Line(th, m, l.Now(), w)
	}
	return l.smap.View(th, w, h-1) + "\n" + layout.Left(line, w)
}

// Line is a mission in a line of text.
func Line(th *theme.Theme, m *cache.Mission, now time.Time, w int) string {
	st := labels.MissionStatus(m.Status)
	line := " " + layout.Text(th.Style(st.Role), st.Glyph+" "+m.MissionCode) + "  " + layout.Text(th.Style(theme.Text), m.MissionName) +
		layout.Text(th.Style(theme.Muted), "  "+st.Word+when(m, now)+"  "+m.Order.OrderCode)
	if t, ok := m.Trouble(now); ok {
		line += "  " + layout.Text(th.Style(columns.TroubleTone(t)), "▲ "+t.Text)
	}
	return layout.Cut(line, w)
}

func when(m *cache.Mission, now time.Time) string {
	if m.FlightDate.IsZero() {
		return ""
	}
	return " " + format.MomentAt(m.FlightDate.Time, now, m.Zone())
}

func (l *List) empty() []string {
	th := l.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No missions yet."), "",
		layout.Text(th.Style(theme.Muted), " Every site of an order is a mission; they appear here once an order is placed."),
	}
}
