package orders

import (
	"context"
	"net/http"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/webhooks"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// lookedKey is the key in the UI state for the time at which the user last looked at the start page.
const lookedKey = "desk looked at"

// HomeSection is the start page.
var HomeSection = page.Section{
	Go: action.GoHome, Name: "Home", Short: "Home",
	First: NewHome,
}

// An itemGroup is a titled group of lines on the page. A groupItem is one of the lines.
type (
	itemGroup = page.ItemGroup
	groupItem = page.GroupItem
)

// HomePage is the start page.
type HomePage struct {
	page.Detail
	known      *cache.CacheView
	endpoints  *webhooks.Health
	isLoaded   bool      // all orders, missions and quotes are loaded
	built      time.Time // when the groups were built
	list       page.GroupList
	listHeight int                    // number of lines for the groups in the last view
	since      time.Time              // changes after this time are listed
	drafts     []ordering.StoredDraft // saved orders that are not placed yet
	wanted     []cache.Need           // data to load: the packages of the missions with delivered data
	asking     page.Request
}

// NewHome returns the start page.
func NewHome(env *page.Env) page.Page {
	d := &HomePage{
		list:  page.GroupList{Code: 10},
		known: env.Profile.Cache.Now(),
		since: env.Clock.Now().Add(-24 * time.Hour),
	}
	d.Detail = page.NewDetail(env, "home", page.Wide, d.renderGroups, d.renderSide)
	d.endpoints = webhooks.NewHealth(d.Base)
	d.Map = page.NewSiteMap()
	var looked time.Time
	if env.Look.UIState.Get(lookedKey, &looked) && looked.Before(env.Clock.Now()) {
		d.since = looked
	}
	d.rebuildGroups()
	return d
}

// Title returns the page's name.
func (d *HomePage) Title() string { return "Home" }

// CornerText returns how many missions are loaded, and how old they are.
func (d *HomePage) CornerText() string { return loadProgress(d.known, d.Env.Clock.Now()) }

// LeadOf returns the line about the quotes that expire next. It uses the time at which the groups were built, so that
// the line and the groups show the same ages.
func (d *HomePage) LeadOf() page.Lead { return nextDecision(d.Env, d.built) }

// DataNeeds returns the data that the page needs: the orders of both APIs, the quotes, and the packages of
// missions with delivered data.
func (d *HomePage) DataNeeds() []cache.Need {
	data := d.Env.Profile.Cache
	needs := []cache.Need{data.Orders.NeedOf(cache.Account), data.Quoted.NeedOf(cache.Account)}
	needs = append(needs, data.AllRecords()...)
	needs = append(needs, d.wanted...)
	if d.isLoaded {
		needs = append(needs, d.endpoints.Needs()...)
	}
	return needs
}

// isEverythingLoaded reports whether all orders, missions and quotes are loaded.
func (d *HomePage) isEverythingLoaded() bool {
	v := d.known
	areOrdersLoaded := v.Err == nil && !v.Kept && !v.AreMissionsLoading()
	open := d.Env.Profile.Cache.Quotes()
	areQuotesLoaded := open.Err != nil || !open.At.IsZero() && open.Left == 0
	return areOrdersLoaded && areQuotesLoaded
}

// OnShow shows the newest data of the cache and loads the drafts.
func (d *HomePage) OnShow() tea.Cmd {
	d.saveLookTime()
	d.updateIfStale()
	return d.readDrafts()
}

// saveLookTime stores the current time as the time at which the user last looked at the page.
func (d *HomePage) saveLookTime() {
	d.Env.Look.UIState.Put(lookedKey, d.Env.Clock.Now())
}

// readDrafts loads the drafts from disk.
func (d *HomePage) readDrafts() tea.Cmd {
	if d.Env.Drafts == nil {
		return nil
	}
	list := d.Env.Drafts.ListStored()
	read := func(context.Context) ([]ordering.StoredDraft, error) { return list(), nil }
	return page.RunInBackground(d.Base, &d.asking, read, func(drafts []ordering.StoredDraft, _ error) tea.Cmd {
		d.drafts = drafts
		d.rebuildGroups()
		return nil
	})
}

// Update redraws the page after new data was loaded or the units were changed. It reloads the drafts when they
// may have changed.
func (d *HomePage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg:
		d.saveLookTime()
	case page.UnitsMsg:
		d.rebuildGroups()
	case page.PlacedMsg, page.DraftsMsg, page.SentMsg:
		return d.readDrafts()
	}
	d.updateIfStale()
	return nil
}

// updateIfStale rebuilds the groups if the cache has new data. It also rebuilds them at the beginning of each minute,
// because ages and urgency change with time.
func (d *HomePage) updateIfStale() {
	hasNews := d.known.Version != d.Env.Profile.Cache.Version()
	isNewMinute := !d.Env.Clock.Now().Truncate(time.Minute).Equal(d.built.Truncate(time.Minute))
	if hasNews || isNewMinute {
		d.rebuildGroups()
	}
}

// rebuildGroups builds the groups and the map from the newest data of the cache.
func (d *HomePage) rebuildGroups() {
	d.known = d.Env.Profile.Cache.Now()
	d.built = d.Env.Clock.Now()
	d.isLoaded = d.isEverythingLoaded()
	builder := &groupBuilder{
		env:    d.Env,
		known:  d.known,
		now:    d.built,
		since:  d.since,
		drafts: d.drafts,
		height: d.listHeight,

		endpointProblems: d.endpoints.Problems(),
	}
	d.list.Groups = builder.buildGroups()
	d.wanted = builder.wanted
	d.Map.Model.SetFeatures(missionFeatures(d.Env, d.known.Missions))
}

// ActionScopes returns the scopes of the page. The scopes of the map are first while the map has
// focus.
func (d *HomePage) ActionScopes() []action.Scope {
	d.updateIfStale()
	return d.MapScopes(action.HomePage, action.List)
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (d *HomePage) DisabledReason(id action.ID) string {
	if id == action.Open && d.list.Len() == 0 && !d.Map.Focused {
		return "nothing selected"
	}
	if id == action.ShowData && d.selectedMission() == nil {
		return "no mission selected; select one"
	}
	return ""
}

// IsUnlikely reports whether the user is unlikely to want an action, so that the footer leaves it out.
func (d *HomePage) IsUnlikely(id action.ID) bool {
	m := d.selectedMission()
	return id == action.ShowData && m != nil && !canHaveData(m.Status)
}

// HandleAction performs an action of the page, or moves the map or the selection.
func (d *HomePage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		if d.Map.Focused {
			return d.openOnMap()
		}
		return d.list.OpenChosen()
	case action.ShowData:
		m := d.selectedMission()
		return d.Env.Nav.Open(deliveries.NewDeliveriesOf(d.Env, m.Order.OrderCode, m.UUID))
	case action.NewOrder:
		return d.Env.Nav.Show(page.NewOrderRoute{})
	case action.Refresh:
		refreshOrders(d.Env.Profile.Cache)
		d.Env.Profile.Cache.RefreshQuotes(true)
		if d.isLoaded {
			d.Env.Profile.Cache.RefreshNeeds(d.endpoints.Needs()...)
		}
		return d.readDrafts()
	case action.Seen:
		return d.markSeen()
	}
	if !d.Map.HandleAction(id) {
		d.list.MoveChoice(id)
	}
	return nil
}

// markSeen marks all changes as seen: the page lists only changes after the current time.
func (d *HomePage) markSeen() tea.Cmd {
	d.since = d.Env.Clock.Now()
	d.saveLookTime()
	d.rebuildGroups()
	return tea.Batch(d.Env.Look.SaveUIState(), page.ShowToast(theme.Good, "All changes marked as seen"))
}

// selectedMission returns the mission that is selected on the map if the map has focus,
// otherwise the mission of the selected line. It returns nil if no mission is selected.
func (d *HomePage) selectedMission() *cache.Mission {
	id := d.Map.Model.Selected()
	if !d.Map.Focused {
		item, _ := d.list.Current()
		id = item.Mission
	}
	for _, m := range d.known.Missions {
		if m.UUID == id {
			return m
		}
	}
	return nil
}

// openOnMap opens the mission that is selected on the map, or says how to select one.
func (d *HomePage) openOnMap() tea.Cmd {
	if m := d.selectedMission(); m != nil {
		return d.Env.Nav.Open(NewMission(d.Env, m))
	}
	if len(missionFeatures(d.Env, d.known.Missions)) == 0 {
		return page.ShowToast(theme.Attention, "No mission on the map")
	}
	nextKey := action.KeyOf(action.MapNext, action.MapView)
	return page.ShowToast(theme.Attention, "Press "+nextKey+" to select a mission on the map")
}

// HandleMouse selects the clicked line or mission, and opens it on a double click. The wheel moves the selection
// through the lines, or zooms the map. Clicks on the week, which is above the lines and the map, do nothing.
func (d *HomePage) HandleMouse(m page.MouseInput) tea.Cmd {
	isClick := m.Wheel == 0
	if isClick && m.Y < d.Head {
		return nil
	}
	id, handled := d.HandlePaneMouse(m)
	if !handled {
		m.Y -= d.Head
		return d.list.HandleMouse(m)
	}
	if id == "" {
		return nil
	}
	d.Map.Model.SetSelected(id)
	if m.Double {
		return d.openOnMap()
	}
	return nil
}

// JumpTargets returns the lines in view.
func (d *HomePage) JumpTargets() []page.JumpTarget {
	targets := d.list.Jumps()
	for i := range targets {
		targets[i].Y += d.Head
	}
	return targets
}

// View renders the groups. A wide window also shows the map and the missions by status; a
// narrow window shows the map instead of the groups while the map has focus.
func (d *HomePage) View(w, h int) string {
	d.updateIfStale()
	d.HidePanes()
	d.Head = 0
	if len(d.known.Orders) > 0 || len(d.drafts) > 0 {
		return d.renderPage(w, h)
	}
	if d.known.Err != nil && !api.IsStatus(d.known.Err, http.StatusForbidden, http.StatusNotFound) {
		return format.FitBox(d.Env.Look.RenderProblem(d.known.Err, "", w, action.HomePage), w, h)
	}
	areRecordsRead, recordsErr := areRecordsRead(d.Env.Profile.Cache)
	switch {
	case len(d.Env.Profile.Cache.OnlyRecords()) > 0:
		return d.renderPage(w, h)
	case d.known.Err != nil:
		return format.FitBox(d.Env.Look.RenderProblem(d.known.Err, "", w, action.HomePage), w, h)
	case recordsErr != nil:
		return format.FitBox(d.Env.Look.RenderProblem(recordsErr, "The public API has no orders", w, action.HomePage), w, h)
	case !d.known.Listed || !areRecordsRead:
		return format.FitBox(d.renderLoading(w), w, h)
	default:
		return format.FitBox(d.renderEmpty(), w, h)
	}
}

// renderPage renders the plan of the week if there is room, and below it the groups and the map.
func (d *HomePage) renderPage(w, h int) string {
	var week []string
	if d.Env.Look.Width >= page.Wider && h >= tall {
		week = append(d.renderWeek(w), "")
	}
	d.Head = len(week)
	body := d.DrawPage(w*58/100, w, h-len(week))
	return format.FitBox(append(week, format.SplitLines(body)...), w, h)
}

// renderLoading renders the titles of the groups while the orders are being loaded.
func (d *HomePage) renderLoading(w int) (lines []string) {
	for _, title := range []string{"Needs a decision", "Flights", "Changes", "Data delivered"} {
		section := page.DetailSection{Title: title, Unread: true}
		lines = page.JoinParts(lines, d.Env.Look.RenderSection(section, w, action.HomePage))
	}
	return lines
}

// renderSide renders the map and, below it, the number of missions by status. If the groups have these numbers below
// them, the map takes all lines.
func (d *HomePage) renderSide(w, h int) string {
	if d.isChartBelowGroups() {
		drawnMap := d.DrawMap(1, 1, w, max(3, h-1))
		lines := append([]string{d.renderMapTitle("Missions", w)}, format.SplitLines(drawnMap)...)
		return format.FitBox(lines, w, h)
	}
	chart := d.renderChart(w)
	drawnMap := d.DrawMap(1, 1, w, max(3, h-len(chart)-2))
	lines := append([]string{d.renderMapTitle(statusTitle, w)}, format.SplitLines(drawnMap)...)
	lines = append(lines, "")
	return format.FitBox(append(lines, chart...), w, h)
}

// statusTitle is the title of the numbers of missions by status.
const statusTitle = "Missions by status"

// isChartBelowGroups reports whether the numbers of missions by status are below the groups: the groups leave enough
// lines free next to the map.
func (d *HomePage) isChartBelowGroups() bool {
	statuses := countStatuses(d.Env, d.known.Missions)
	const otherLines = 2 // a blank line and the title
	free := d.listHeight - page.GroupsHeight(d.list.Groups)
	return d.Apart && len(statuses) > 0 && free >= len(statuses)+otherLines
}

// renderMapTitle renders the title of the map and the number of missions on the map. If there is room, it also
// explains the mark for several missions at a place.
func (d *HomePage) renderMapTitle(text string, w int) string {
	th := d.Env.Look.Theme
	placed := 0
	for _, m := range d.known.Missions {
		if m.Centre != nil {
			placed++
		}
	}
	title := th.PaintTitle(" " + text)
	several := th.PaintRole(theme.Accent, "■2") + th.PaintMuted(" several · ")
	count := format.GroupInt(placed) + " of " + format.GroupInt(len(d.known.Missions)) + " on the map "
	note := several + th.PaintMuted(count)
	if format.Width(title+note) > w {
		title = th.PaintTitle(" Missions")
	}
	if format.Width(title+note) > w {
		note = th.PaintMuted(count)
	}
	return format.FitEnds(title, note, w)
}

// renderChart renders a line of w cells for each status: the glyph that the status has on the map, its name, the
// number of its missions and a bar. The longest bar belongs to the status with the most missions.
func (d *HomePage) renderChart(w int) []string {
	th := d.Env.Look.Theme
	statuses := countStatuses(d.Env, d.known.Missions)
	highest := 1
	for _, status := range statuses {
		highest = max(highest, status.missions)
	}
	bars := make([]widget.Bar, len(statuses))
	for i, status := range statuses {
		bars[i] = widget.Bar{
			Label: status.Label,
			Text:  format.GroupInt(status.missions),
			Share: float64(status.missions) / float64(highest),
			Role:  status.Role,
		}
	}
	const margin = 1
	const glyphWidth = 2 // a blank and the glyph
	lines := widget.DrawBars(th, bars, w-glyphWidth-margin)
	for i, status := range statuses {
		lines[i] = " " + th.PaintRole(status.Role, status.Glyph) + lines[i]
	}
	return lines
}

// statusCount is a status with the number of missions that have it.
type statusCount struct {
	format.StatusLabel
	missions int
}

// countStatuses returns each status with the number of missions that have it, in the order in which missions go
// through the statuses. Statuses of the usual course are included even if no mission has them. Statuses before
// a quote is accepted, and statuses that this version does not know, are included only if a mission has them.
func countStatuses(env *page.Env, missions []*mission) []statusCount {
	count := map[format.StatusLabel]int{}
	for _, m := range missions {
		count[env.StateOf(m)]++
	}
	var counts []statusCount
	add := func(label format.StatusLabel) {
		counts = append(counts, statusCount{label, count[label]})
		delete(count, label)
	}
	quoteStates := []format.QuoteState{
		format.QuotesUnread, format.QuotesNone, format.QuotesReady, format.QuotesExpired,
	}
	for _, quotes := range quoteStates {
		label := format.MissionState(api.MissionAwaitingPilot, api.OrderBiddingWithQuote, quotes)
		if count[label] > 0 {
			add(label)
		}
	}
	for _, status := range api.MissionStatuses() {
		add(format.Status(status))
	}
	for _, m := range missions {
		if label := env.StateOf(m); count[label] > 0 {
			add(label)
		}
	}
	return counts
}

// renderGroups renders the groups. If orders or missions could not be loaded, the reason is above the groups. The
// numbers of missions by status are below the groups if there is room.
func (d *HomePage) renderGroups(w, h int) string {
	problem := d.renderProblem(w)
	if problem != nil {
		problem = append(problem, "")
	}
	listHeight := h - len(problem)
	if listHeight != d.listHeight {
		d.listHeight = listHeight
		d.rebuildGroups()
	}
	d.list.Blurred = d.Map.Focused
	th := d.Env.Look.Theme
	if !d.isChartBelowGroups() {
		return d.list.View(th, w, h, problem...)
	}
	chart := append([]string{" " + th.PaintTitle(statusTitle)}, d.renderChart(w)...)
	groupsHeight := len(problem) + page.GroupsHeight(d.list.Groups) + 1
	groups := d.list.View(th, w, groupsHeight, problem...)
	return groups + "\n" + format.FitBox(chart, w, h-groupsHeight)
}

// renderProblem renders why orders or missions could not be loaded, or returns nil if they
// could.
func (d *HomePage) renderProblem(w int) []string {
	known := d.known
	if known.Err != nil {
		count := len(listedOrders(d.Env.Profile.Cache))
		kept := d.KeptText(format.Count(count, "order"), known.At)
		return d.Env.Look.RenderProblem(known.Err, kept, w, action.HomePage)
	}
	if known.Fault != nil {
		return d.Env.Look.RenderProblem(known.Fault, missingText(known), w, action.HomePage)
	}
	return nil
}

// renderWeek renders the plan of the next seven days, in as many lines as the day with the most events needs, but at
// most maxWeekRows.
func (d *HomePage) renderWeek(w int) []string {
	today := format.CalendarDay(d.Env.Clock.Now())
	events := planOf(d.Env, listedOrders(d.Env.Profile.Cache), d.known.Missions)
	m := monthView{env: d.Env, width: w / 7, eventLines: maxWeekEventLines}
	m.setEvents(events, d.known.Missions)
	m.rows = 2
	for i := range 7 {
		day := today.AddDate(0, 0, i)
		m.rows = max(m.rows, min(maxWeekRows, 1+m.countLines(day)))
	}
	return m.renderWeek(today, weekLayout)
}

const (
	tall              = 40 // height from which the page shows the week
	maxWeekRows       = 7  // maximum height of the week
	maxWeekEventLines = 3  // maximum number of lines of an event in the week
)

// renderEmpty renders how to begin, for an account without orders.
func (d *HomePage) renderEmpty() []string {
	th := d.Env.Look.Theme
	lines := []string{"", th.PaintText(" No orders yet."), ""}
	if key := d.Env.Profile.KeyOf(action.NewOrder, action.HomePage); key != "" {
		lines[1] = th.PaintText(" No orders yet. Press " + key + " to create one.")
		lines = append(lines, " "+th.PaintHint(key, "new order from a survey file"))
	}
	return append(lines, th.PaintMuted(" Quotes, flights and data then appear here, most urgent first."))
}
