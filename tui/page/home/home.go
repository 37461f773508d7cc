package home

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/grouplist"
	"flightdesk/tui/page/missions"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
)

const (
	beside = 120 // columns from which the map stands beside the groups
	// keptLooked is the name under which is kept when the page was looked at.
	keptLooked = "desk looked at"
)

// Section is the start page.
var Section = page.Section{
	Go: action.GoDesk, Name: "Home", Short: "Home",
	First: func(env *page.Env) page.Page { return New(env) },
}

// Page is the start page.
type Page struct {
	page.Base
	known  *cache.View
	built  time.Time // when the groups were made
	list   grouplist.List
	height int                    // of the last view
	since  time.Time              // moved is what moved after it
	kept   []ordering.StoredDraft // drafts
	wanted []cache.Need           // packages of the missions whose data waits
	smap   *sitemap.Map
	mapAt  [2]int // column and line of the map in the last view; -1 for none
	asking page.Question
}

// New returns the page.
func New(env *page.Env) *Page {
	d := &Page{Base: page.NewBase(env), smap: sitemap.New(), list: grouplist.List{Code: 10}, known: env.Cache.Now(), since: env.Now().Add(-24 * time.Hour)}
	var looked time.Time
	if env.UIState != nil && env.UIState.Get(keptLooked, &looked) && looked.Before(env.Now()) {
		d.since = looked
	}
	d.rebuild()
	return d
}

// Title is the page's name.
func (d *Page) Title() string { return "Home" }

// Corner tells how much is read, and how old it is.
func (d *Page) Corner() string { return missions.Progress(d.known, d.Now()) }

type draftsAnswer = page.Answer[[]ordering.StoredDraft]

// Needs are orders and quotes, and what is in the packages that wait.
func (d *Page) Needs() []cache.Need {
	return append([]cache.Need{d.Cache.Orders.Of(cache.Account), d.Cache.Quoted.Of(cache.Account)}, d.wanted...)
}

// Start shows what is known, which the cache keeps up to date.
func (d *Page) Start() tea.Cmd {
	d.looked()
	d.follow()
	return d.readDrafts()
}

// looked keeps that the page is looked at now, for what moved since.
func (d *Page) looked() {
	if d.UIState != nil {
		d.UIState.Put(keptLooked, d.Now())
	}
}

func (d *Page) readDrafts() tea.Cmd {
	if d.Drafts == nil {
		return nil
	}
	read := d.Drafts()
	return page.Ask(d.Base, &d.asking, func(context.Context) ([]ordering.StoredDraft, error) { return read(), nil })
}

// Update takes answers.
func (d *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case draftsAnswer:
		if msg.Take() {
			d.kept = msg.Value
			d.rebuild()
		}
	case page.ReadMsg:
		d.looked()
		d.follow()
	case page.UnitsMsg, page.KeptMsg:
		d.rebuild()
	case page.PlacedMsg:
		return d.readDrafts()
	}
	return nil
}

func (d *Page) refresh() tea.Cmd {
	d.Cache.Refresh(true)
	d.Cache.RefreshQuotes(true)
	return d.readDrafts()
}

// follow takes what was read since it was looked at last.
func (d *Page) follow() {
	if d.known.Version != d.Cache.Version() {
		d.rebuild()
	}
}

// rebuildEachMinute keeps ages and what is urgent right.
func (d *Page) rebuildEachMinute() {
	if d.Now().Sub(d.built) >= time.Minute {
		d.rebuild()
	}
}

func (d *Page) rebuild() {
	d.known, d.built = d.Cache.Now(), d.Now()
	d.list.Set(d.build(d.known))
	d.smap.SetFeatures(missions.Features(d.known.Missions))
}

// Scopes are the page's, with the map's first while that is in focus.
func (d *Page) Scopes() []action.Scope {
	d.rebuildEachMinute()
	return d.smap.Scopes(d.Width >= beside, action.Desk, action.List)
}

// Back leaves the map first.
func (d *Page) Back() bool {
	was := d.smap.Focused
	d.smap.Focused = false
	return was
}

// Disabled says what cannot be done.
func (d *Page) Disabled(id action.ID) string {
	_, any := d.list.Current()
	switch {
	case id == action.Open && !any && !d.smap.Focused:
		return "nothing selected"
	case id == action.ShowData && d.mission() == nil:
		return "no mission selected"
	}
	return ""
}

// Do performs an action.
func (d *Page) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if d.smap.Focused {
			return d.openOnMap()
		}
		return d.list.Open()
	case action.ShowData:
		m := d.mission()
		return d.Open(deliveries.NewOf(d.Env, m.Order.OrderCode, m.UUID))
	case action.NewOrder:
		return d.NewOrder()
	case action.Refresh:
		return d.refresh()
	case action.Seen:
		d.since = d.Now()
		d.looked()
		d.rebuild()
		return tea.Batch(page.Keep(&d.Look), page.Toast(theme.Good, "All changes marked as seen"))
	}
	if !d.smap.Do(id) {
		d.list.Move(id)
	}
	return nil
}

// mission is the one that is chosen, nil for none.
func (d *Page) mission() *cache.Mission {
	id := d.smap.Selected()
	if !d.smap.Focused {
		x, _ := d.list.Current()
		id = x.Mission
	}
	if i := slices.IndexFunc(d.known.Missions, func(m *cache.Mission) bool { return m.UUID == id }); i >= 0 {
		return d.known.Missions[i]
	}
	return nil
}

// openOnMap opens the mission that is chosen on the map.
func (d *Page) openOnMap() tea.Cmd {
	if m := d.mission(); m != nil {
		return d.Open(missions.NewMission(d.Env, m))
	}
	return page.Toast(theme.Attention, "Press } to select a mission on the map")
}

// Mouse chooses an item and opens it with a second click; the wheel goes
// through them, or zooms the map.
func (d *Page) Mouse(m page.Mouse) tea.Cmd {
	if d.onMap(m) {
		if id, ok := d.smap.Mouse(m, d.mapAt[0], d.mapAt[1]); ok {
			d.smap.SetSelected(id)
			if m.Double {
				return d.openOnMap()
			}
		}
		return nil
	}
	return d.list.Mouse(m)
}

func (d *Page) onMap(m page.Mouse) bool {
	return d.mapAt[0] >= 0 && m.X >= d.mapAt[0] && m.Y >= d.mapAt[1]
}

// Points reports whether the map is shown.
func (d *Page) Points() bool { return d.mapAt[0] >= 0 }

// Drag moves the map.
func (d *Page) Drag(m page.Mouse, over bool) tea.Cmd {
	d.smap.Drag(m, over)
	return nil
}

// Point shows where the mouse is on the map.
func (d *Page) Point(m page.Mouse) {
	if d.onMap(m) {
		d.smap.Point(m, d.mapAt[0], d.mapAt[1])
	}
}

// Jumps are the items in view.
func (d *Page) Jumps() []page.Jump { return d.list.Jumps() }

// age is how old what is shown is.
func (d *Page) age() string {
	return "Showing " + format.Count(len(d.known.Orders), "order", "orders") + ", loaded " + format.Ago(d.known.At, d.Now())
}
