package orders

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// keptLooked is the name under which is kept when the page was looked at.
const keptLooked = "desk looked at"

// HomeSection is the start page.
var HomeSection = page.Section{
	Go: action.GoHome, Name: "Home", Short: "Home",
	First: NewHome,
}

// itemGroup is a part of the page, groupItem one of its lines.
type (
	itemGroup = page.ItemGroup
	groupItem = page.GroupItem
)

// HomePage is the start page.
type HomePage struct {
	page.Detail
	known  *cache.CacheView
	built  time.Time // when the groups were made
	list   page.GroupList
	height int                    // of the last view
	since  time.Time              // moved is what moved after it
	kept   []ordering.StoredDraft // drafts
	wanted []cache.Need           // packages of the missions whose data waits
	asking page.Question
}

// NewHome returns the page.
func NewHome(env *page.Env) page.Page {
	d := &HomePage{
		list:  page.GroupList{Code: 10},
		known: env.Profile.Cache.Now(),
		since: env.Clock.Now().Add(-24 * time.Hour),
	}
	d.Detail = page.NewDetail(env, "home", page.Wide, d.renderGroups, d.renderSide)
	d.Map = page.NewSiteMap()
	var looked time.Time
	if env.Look.UIState.Get(keptLooked, &looked) && looked.Before(env.Clock.Now()) {
		d.since = looked
	}
	d.rebuildGroups()
	return d
}

// Title returns the page's name.
func (d *HomePage) Title() string { return "Home" }

// CornerText tells how much is read, and how old it is.
func (d *HomePage) CornerText() string { return loadProgress(d.known, d.Env.Clock.Now()) }

// LeadOf returns the decision that comes next.
func (d *HomePage) LeadOf() page.Lead { return quotes.NextDecision(d.Env, "4", "Quotes") }

// DataNeeds returns orders and quotes, and what is in the packages that wait.
func (d *HomePage) DataNeeds() []cache.Need {
	return append(
		[]cache.Need{d.Env.Profile.Cache.Orders.NeedOf(cache.Account), d.Env.Profile.Cache.Quoted.NeedOf(cache.Account)},
		d.wanted...)
}

// OnShow shows what is known, which the cache keeps up to date.
func (d *HomePage) OnShow() tea.Cmd {
	d.noteLooked()
	d.followNews()
	return d.readDrafts()
}

// noteLooked keeps that the page is looked at now, for what moved since.
func (d *HomePage) noteLooked() {
	d.Env.Look.UIState.Put(keptLooked, d.Env.Clock.Now())
}

func (d *HomePage) readDrafts() tea.Cmd {
	if d.Env.Drafts == nil {
		return nil
	}
	list := d.Env.Drafts.ListStored()
	read := func(context.Context) ([]ordering.StoredDraft, error) { return list(), nil }
	return page.AskInBackground(d.Base, &d.asking, read, func(kept []ordering.StoredDraft, _ error) tea.Cmd {
		d.kept = kept
		d.rebuildGroups()
		return nil
	})
}

// Update takes what was read.
func (d *HomePage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		d.noteLooked()
	case page.UnitsMsg:
		d.rebuildGroups()
	case page.PlacedMsg, page.DraftsMsg, page.SentMsg:
		return d.readDrafts()
	}
	d.followNews()
	return nil
}

// followNews takes what was read since it was looked at last, and keeps ages and what is
// urgent right.
func (d *HomePage) followNews() {
	if d.known.Version != d.Env.Profile.Cache.Version() || d.Env.Clock.Now().Sub(d.built) >= time.Minute {
		d.rebuildGroups()
	}
}

func (d *HomePage) rebuildGroups() {
	d.known, d.built = d.Env.Profile.Cache.Now(), d.Env.Clock.Now()
	d.list.Groups = d.buildGroups(d.known)
	d.Map.Model.SetFeatures(missionFeatures(d.known.Missions))
}

// ActionScopes returns the page's, with the map's first while that is in focus.
func (d *HomePage) ActionScopes() []action.Scope {
	d.followNews()
	return d.MapScopes(action.HomePage, action.List)
}

// DisabledReason says what cannot be done.
func (d *HomePage) DisabledReason(id action.ID) string {
	switch {
	case id == action.Open && d.list.Len() == 0 && !d.Map.Focused:
		return "nothing selected"
	case id == action.ShowData && d.chosenMission() == nil:
		return "no mission selected; select one"
	}
	return ""
}

// HandleAction performs an action.
func (d *HomePage) HandleAction(id action.ID) tea.Cmd {
	switch {
	case id == action.Open && d.Map.Focused:
		return d.openOnMap()
	case id == action.Open:
		return d.list.OpenChosen()
	case id == action.ShowData:
		m := d.chosenMission()
		return d.Env.Nav.Open(deliveries.NewDeliveriesOf(d.Env, m.Order.OrderCode, m.UUID))
	case id == action.NewOrder:
		return d.Env.Nav.Show(page.NewOrderRoute{})
	case id == action.Refresh:
		d.Env.Profile.Cache.RefreshOrders(true)
		d.Env.Profile.Cache.RefreshQuotes(true)
		return d.readDrafts()
	case id == action.Seen:
		d.since = d.Env.Clock.Now()
		d.noteLooked()
		d.rebuildGroups()
		return tea.Batch(d.Env.Look.KeepLook(), page.ShowToast(theme.Good, "All changes marked as seen"))
	case !d.Map.HandleAction(id):
		d.list.MoveChoice(id)
	}
	return nil
}

// chosenMission returns the one that is chosen, nil for none.
func (d *HomePage) chosenMission() *cache.Mission {
	id := d.Map.Model.Selected()
	if !d.Map.Focused {
		x, _ := d.list.Current()
		id = x.Mission
	}
	if i := slices.IndexFunc(d.known.Missions, func(m *cache.Mission) bool { return m.UUID == id }); i >= 0 {
		return d.known.Missions[i]
	}
	return nil
}

// openOnMap opens the mission that is chosen on the map.
func (d *HomePage) openOnMap() tea.Cmd {
	if m := d.chosenMission(); m != nil {
		return d.Env.Nav.Open(NewMission(d.Env, m))
	}
	return page.ShowToast(theme.Attention, "Press } to select a mission on the map")
}

// HandleMouse chooses an item and opens it with a second click; the wheel goes
// through them, or zooms the map.
func (d *HomePage) HandleMouse(m page.MouseInput) tea.Cmd {
	if id, taken := d.TakeMouse(m); taken {
		if id != "" {
			d.Map.Model.SetSelected(id)
			if m.Double {
				return d.openOnMap()
			}
		}
		return nil
	}
	return d.list.HandleMouse(m)
}

// JumpTargets returns the items in view.
func (d *HomePage) JumpTargets() []page.JumpTarget { return d.list.Jumps() }

// View draws the groups, and from 120 columns on the map and the missions by
// status beside them; a narrow window shows the map in their place while it is
// in focus.
func (d *HomePage) View(w, h int) string {
	if h != d.height {
		d.height = h
		d.rebuildGroups()
	}
	d.followNews()
	d.HidePanes()
	v := d.known
	switch {
	case len(v.Orders) == 0 && v.Err != nil:
		return format.FitBox(d.Env.Look.RenderProblem(v.Err, "", w), w, h)
	case len(v.Orders) == 0 && v.Listed && len(d.kept) == 0:
		return format.FitBox(d.renderEmpty(), w, h)
	case len(v.Orders) == 0 && !v.Listed:
		var lines []string
		for _, title := range []string{"Needs a decision", "Flights", "Changes", "Data delivered"} {
			lines = page.JoinParts(lines, d.Env.Look.RenderSection(page.DetailSection{Title: title, Unread: true}, w))
		}
		return format.FitBox(lines, w, h)
	}
	return d.DrawPage(w*58/100, w, h)
}

// renderSide draws the map with the missions by status below it, those of statuses that
// are not known last.
func (d *HomePage) renderSide(w, h int) string {
	th, n, placed, most, statuses := d.Env.Look.Theme, map[api.MissionStatus]int{}, 0, 1, api.MissionStatuses()
	for _, m := range d.known.Missions {
		n[m.Status]++
		most = max(most, n[m.Status])
		if m.Centre != nil {
			placed++
		}
		if !slices.Contains(statuses, m.Status) {
			statuses = append(statuses, m.Status)
		}
	}
	var chart []widget.Bar
	for _, s := range statuses {
		st := format.Status(s)
		chart = append(chart, widget.Bar{
			Label: st.Glyph + " " + st.Label, Text: format.GroupInt(n[s]),
			Share: float64(n[s]) / float64(most), Role: st.Role,
		})
	}
	of := format.GroupInt(placed) + " of " + format.GroupInt(len(d.known.Missions))
	head := format.FitEnds(" "+th.PaintTitle("Missions by status"), th.PaintMuted(of+" on the map "), w)
	smap := d.DrawMap(1, 1, w, max(3, h-len(chart)-2))
	lines := append([]string{head}, format.SplitLines(smap+"\n")...)
	return format.FitBox(append(lines, widget.DrawBars(th, chart, w-1)...), w, h)
}

// renderGroups draws the groups, below what could not be read.
func (d *HomePage) renderGroups(w, h int) string {
	v := d.known
	err, kept := v.Err, "Showing "+format.Count(len(v.Orders), "order")+", loaded "+format.Ago(v.At, d.Env.Clock.Now())
	if err == nil && v.Fault != nil {
		err, kept = v.Fault, missingText(v)
	}
	var head []string
	if d.Env.Look.Width >= page.Wider && h >= tall {
		head = append(d.renderWeek(w-1), "")
	}
	if err != nil {
		head = append(append(head, d.Env.Look.RenderProblem(err, kept, w)...), "")
	}
	d.list.Blurred = d.Map.Focused
	return d.list.View(d.Env.Look.Theme, w, h, head...)
}

// renderWeek renders the plan of the next seven days, with as many lines as the fullest
// day needs.
func (d *HomePage) renderWeek(w int) []string {
	today := format.CalendarDay(d.Env.Clock.Now())
	m := monthView{env: d.Env, width: w / 7}
	m.setEvents(planOf(d.Env, columns.Pointers(d.known.Orders), d.known.Missions), d.known.Missions)
	m.rows = 2
	for i := range 7 {
		m.rows = max(m.rows, min(maxWeekRows, 1+len(m.days[today.AddDate(0, 0, i)])))
	}
	return m.renderWeek(today, "Mon 2")
}

const (
	// tall is the height from which on the week is above the groups.
	tall        = 40
	maxWeekRows = 7
)

func (d *HomePage) renderEmpty() []string {
	th := d.Env.Look.Theme
	return []string{
		"", th.PaintText(" No orders yet. Press n to create one."), "",
		" " + th.PaintHint("n", "new order from a survey file"),
		th.PaintMuted(" Quotes, flights and data then appear here, most urgent first."),
	}
}
