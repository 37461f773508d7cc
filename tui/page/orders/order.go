package orders

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// OrderPage is the page of one order: head, stages, quotes, facts, missions and map. The list of orders
// uses it to show the selected order next to the list.
type OrderPage struct {
	page.Detail
	actions []page.Action[*api.Order]

	above  int // lines above the missions in the last frame
	height int // height of the last frame
	filter *page.RowFilter

	order    *api.Order
	record   *api.OrderRecord // the v2 record, which has the quotes; nil if unknown
	missions *widget.Grid
	quoted   bool // a separate pane shows the quotes
	// wrapsFacts is true if the user has scrolled down. Fields that do not fit in a line are then wrapped and not cut.
	wrapsFacts bool
	quotes     format.QuoteState // state of the order's quotes that the missions show
	fitted     mapContent
}

// mapContent identifies the missions that the map was last zoomed to fit. For another order or another number
// of missions, the map is zoomed again.
type mapContent struct {
	order    string // identity of the order
	missions int    // number of missions
}

// NewOrder returns the page of an order. If o is from a list it has no missions, and the page loads them.
func NewOrder(env *page.Env, o *api.Order) *OrderPage {
	p := newOrderPage(env)
	p.setOrder(o)
	return p
}

// newOrderPage returns a page without an order; setOrder sets it.
func newOrderPage(env *page.Env) *OrderPage {
	p := &OrderPage{}
	p.missions = widget.NewGrid(env.Clock.Now, columns.ColumnSpecs(columns.MissionsBelow(p.stateOf))...)
	p.filter = page.NewRowFilter(p.missions, "status:flight or name:north")
	renderMap := func(w, h int) string { return p.DrawMap(1, 0, w, h) }
	p.Detail = page.NewDetail(env, "order", 100, p.renderFacts, renderMap)
	p.Map = page.NewSiteMap()
	p.actions = append(orderActions(p.Base), []page.Action[*api.Order]{
		{ID: action.Refresh, Do: func(*api.Order) tea.Cmd {
			p.Env.Profile.Cache.RefreshNeeds(p.DataNeeds()...)
			return nil
		}},
		{ID: action.Open, WhyDisabled: p.openRefusal, Do: p.openMission},
		{ID: action.ShowRecord, WhyDisabled: p.recordRefusal, Do: p.showRecord},
		{ID: action.CopyCode, Do: func(o *api.Order) tea.Cmd {
			return p.Env.Files.CopyText(format.Clean(o.OrderCode), o.OrderCode)
		}},
	}...)
	return p
}

// openRefusal returns why the selected mission cannot be opened, or "" if it can.
func (p *OrderPage) openRefusal(o *api.Order) string {
	if len(o.Missions) == 0 && p.State.IsUnread() {
		return "its missions are still loading"
	}
	if len(o.Missions) == 0 && p.Env.Profile.Cache.IsOnlyRecord(cache.OrderIdentity(o)) {
		return "exists only in the v2 API, without missions"
	}
	if len(o.Missions) == 0 && p.State.Err != nil {
		return "its missions could not be loaded; press " + action.KeyOf(action.Refresh, action.Order)
	}
	if len(o.Missions) == 0 {
		return "the order has no missions"
	}
	if p.missions.Len() == 0 {
		return "no matching mission"
	}
	return ""
}

// openMission opens the selected mission of an order.
func (p *OrderPage) openMission(o *api.Order) tea.Cmd {
	row, ok := p.missions.Current()
	if !ok {
		return nil
	}
	selected := cache.MissionOf(&o.Missions[row], o)
	return p.Env.Nav.Show(page.MissionRoute{Mission: selected})
}

// orderActions returns the actions that the list of orders and the page of an order share.
func orderActions(b page.Base) []page.Action[*api.Order] {
	nav := b.Env.Nav
	showQuotes := page.Action[*api.Order]{
		ID:       action.ShowQuotes,
		Unlikely: func(o *api.Order) bool { return lacksQuotes(b.Env, o) },
		Do: func(o *api.Order) tea.Cmd {
			return nav.Open(quotes.NewCompare(b.Env, cache.OrderIdentity(o), nil))
		},
	}
	showData := page.Action[*api.Order]{
		ID:       action.ShowData,
		Unlikely: func(o *api.Order) bool { return lacksData(b.Env, o) },
		Do: func(o *api.Order) tea.Cmd {
			return nav.Open(deliveries.NewDeliveriesOf(b.Env, o.OrderCode, ""))
		},
	}
	actions := []page.Action[*api.Order]{
		showQuotes,
		showData,
		{ID: action.ShowTimeline, Do: func(o *api.Order) tea.Cmd {
			return nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: o.OrderCode}})
		}},
		{ID: action.NewOrder, NeedsNoRow: true, Do: func(*api.Order) tea.Cmd {
			return nav.Show(page.NewOrderRoute{})
		}},
		orderAgainAction(b),
	}
	for id, move := range moves {
		actions = append(actions, moveAction(b.Env, id, move))
	}
	return actions
}

// lacksQuotes reports whether an order is known to have no quotes, neither open nor decided ones.
func lacksQuotes(env *page.Env, o *api.Order) bool {
	record, _ := env.Profile.Cache.Records.Get(cache.OrderIdentity(o))
	if record != nil {
		return !hasQuotes(record)
	}
	isNew := o.Status == api.OrderBiddingWithQuote
	return isNew && env.QuotesOf(cache.OrderIdentity(o)) == format.QuotesNone
}

// lacksData reports whether an order is known to have no delivered data.
func lacksData(env *page.Env, o *api.Order) bool {
	missions := withKnownMissions(env, o).Missions
	areAllKnown := len(missions) > 0 && len(missions) >= format.ValueOf(o.MissionCount)
	if !areAllKnown {
		return o.Status == api.OrderBiddingWithQuote
	}
	return !slices.ContainsFunc(missions, func(m api.Mission) bool { return canHaveData(m.Status) })
}

// canHaveData reports whether a mission with the status can have delivered data. It returns true for a status
// that this version does not know.
func canHaveData(status api.MissionStatus) bool {
	isKnown := slices.Contains(api.MissionStatuses(), status)
	return !isKnown || status.IsDelivered()
}

// orderAgainAction returns the action that loads an order and opens a new order with the same
// fields.
func orderAgainAction(b page.Base) page.Action[*api.Order] {
	loading := new(page.Request)
	return page.Action[*api.Order]{
		ID:          action.OrderAgain,
		WhyDisabled: func(*api.Order) string { return page.TextIf(loading.IsRunning(), "the order is still loading") },
		Do: func(o *api.Order) tea.Cmd {
			load := func(ctx context.Context) (*api.Order, error) {
				return b.Env.Profile.Cache.Details.LoadNow(ctx, o.OrderCode)
			}
			return page.RunInBackground(b, loading, load, func(whole *api.Order, err error) tea.Cmd {
				if err != nil {
					return page.ShowToast(theme.Bad, "Order again: "+format.FaultText(err))
				}
				return b.Env.Nav.Show(page.NewOrderRoute{Again: whole})
			})
		},
	}
}

// moveAction returns the action that sends a change of an order, such as its cancellation.
func moveAction(env *page.Env, id action.ID, move api.OrderMove) page.Action[*api.Order] {
	known := func(o *api.Order) *api.Order { return knownOrder(env.Profile.Cache, o) }
	return page.Action[*api.Order]{
		ID:          id,
		WhyDisabled: func(o *api.Order) string { return moveRefusal(env, known(o), move) },
		Do:          func(o *api.Order) tea.Cmd { return confirmMove(env, known(o), move) },
		Unlikely:    func(o *api.Order) bool { return commands.DoubtOrderMove(known(o), move) != "" },
	}
}

// knownOrder returns the loaded details of an order if they are as new as o, otherwise o.
func knownOrder(c *cache.Cache, o *api.Order) *api.Order {
	details, _ := c.Details.Get(o.OrderCode)
	if details != nil && cache.OrderStamp(details) == cache.OrderStamp(o) {
		return details
	}
	return o
}

// Title returns the order's code.
func (p *OrderPage) Title() string { return p.order.OrderCode }

// DataNeeds returns the data that the page needs: the order, and its v2 record with the quotes.
func (p *OrderPage) DataNeeds() []cache.Need {
	data := p.Env.Profile.Cache
	return []cache.Need{
		data.Details.NeedOf(p.order.OrderCode),
		data.Records.NeedOf(cache.OrderIdentity(p.order)),
	}
}

// OnShow shows the newest data of the cache.
func (p *OrderPage) OnShow() tea.Cmd {
	p.showKnown(p.order)
	p.followTable()
	return nil
}

// Update shows new data after it was loaded, and handles keys while the filter of the missions is being typed.
func (p *OrderPage) Update(msg tea.Msg) tea.Cmd {
	if p.filter.IsTyping() {
		p.filter.Update(msg)
		p.followTable()
	}
	if _, read := msg.(page.ReadMsg); read {
		quotes.ShowLoaded(p.Env)
		return p.OnShow()
	}
	return nil
}

// followTable makes the map select the mission that is selected in the table.
func (p *OrderPage) followTable() { p.Map.Model.SetSelected(p.missions.Selected()) }

// ActionScopes returns the scopes of the page. The scopes of the map are first while the map has
// focus.
func (p *OrderPage) ActionScopes() []action.Scope {
	if p.filter.IsTyping() {
		return []action.Scope{action.FilterLine}
	}
	return p.MapScopes(action.Order, action.List)
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (p *OrderPage) DisabledReason(id action.ID) string {
	if len(p.order.Missions) == 0 && actsOnMissions[id] {
		return p.openRefusal(p.order)
	}
	return page.FindAction(p.actions, id).DisabledReason(p.order)
}

// actsOnMissions has the actions of the map and the table of missions. Without missions they have no effect.
var actsOnMissions = map[action.ID]bool{
	action.FocusMap:  true,
	action.MapZoom:   true,
	action.MapFit:    true,
	action.MapIn:     true,
	action.MapOut:    true,
	action.MapNext:   true,
	action.MapPrev:   true,
	action.MapGrid:   true,
	action.MapGlyphs: true,
	action.Filter:    true,
}

// IsTyping reports whether the filter of the missions is being typed.
func (p *OrderPage) IsTyping() bool { return p.filter.IsTyping() }

// Cursor returns the cursor in the filter of the missions.
func (p *OrderPage) Cursor() *tea.Cursor { return p.filter.Cursor(p.height - 1) }

// HandleBack leaves the map if it has the focus, and otherwise clears the filter of the missions. It returns false if
// it did neither.
func (p *OrderPage) HandleBack() (tea.Cmd, bool) {
	if cmd, handled := p.Detail.HandleBack(); handled {
		return cmd, true
	}
	return nil, p.filter.Clear()
}

// IsUnlikely reports whether the user is unlikely to want an action, so that the footer leaves it out.
func (p *OrderPage) IsUnlikely(id action.ID) bool {
	return page.FindAction(p.actions, id).IsUnlikely(p.order)
}

// NextAction returns the action for the next step of the order, or "" if there is none.
func (p *OrderPage) NextAction() action.ID { return orderStep(p.Env, p.order).Action }

// HandleAction performs an action of the order, or moves the map or the selection.
func (p *OrderPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAction(p.actions, id); act != nil {
		return act.Do(p.order)
	}
	if p.filter.HandleAction(id) {
		p.Map.Focused = false
	} else if p.Map.HandleAction(id) {
		p.missions.Select(p.Map.Model.Selected())
	} else {
		p.move(id)
	}
	p.followTable()
	return nil
}

// move performs an action that moves the selection or scrolls the lines above the missions. These lines also scroll
// if the selection cannot move further.
func (p *OrderPage) move(id action.ID) {
	switch id {
	case action.ScrollDown:
		p.scrollAbove(action.HalfDown)
		return
	case action.ScrollUp:
		p.scrollAbove(action.HalfUp)
		return
	}
	before := p.missions.Cursor()
	if page.MoveList(&p.missions.Table, id) && p.missions.Cursor() == before {
		p.scrollAbove(id)
	}
}

// scrollAbove scrolls the lines above the missions. Scrolling down also wraps the fields that were cut; scrolling
// back to the first line cuts them again.
func (p *OrderPage) scrollAbove(id action.ID) {
	page.MoveList(&p.Scroll, id)
	isDown := id == action.Down || id == action.HalfDown || id == action.Bottom
	p.wrapsFacts = isDown || p.Scroll.Offset() > 0
}

// JumpTargets returns the rows of the missions.
func (p *OrderPage) JumpTargets() []page.JumpTarget {
	if p.Map.Focused && p.Env.Look.Width < 100 {
		return nil // the map is shown instead
	}
	return page.RowTargets(&p.missions.Table, p.above, p.HandleMouse)
}

// HandleMouse selects the mission that is clicked, in the table or on the map. A double click in
// the table opens the mission. The wheel moves the selection, or zooms the map.
func (p *OrderPage) HandleMouse(m page.MouseInput) tea.Cmd {
	id, handled := p.HandlePaneMouse(m)
	if handled {
		p.missions.Select(id)
		p.followTable()
		return nil
	}
	if m.Wheel > 0 && m.Y < p.above {
		p.scrollAbove(action.Down)
	} else if m.Wheel < 0 && m.Y < p.above {
		p.scrollAbove(action.Up)
	} else if m.Wheel != 0 {
		p.missions.Move(m.Wheel / 3)
	} else if !p.missions.Click(m.Y - p.above) {
		return nil
	}
	p.followTable()
	if m.Double && p.DisabledReason(action.Open) == "" {
		return p.HandleAction(action.Open)
	}
	return nil
}

// View renders the order and its missions. A wide window also shows the map. A narrow window shows only the map
// while the map has the focus.
func (p *OrderPage) View(w, h int) string {
	if p.State.Err != nil && len(p.order.Missions) == 0 {
		p.HidePanes()
		p.above = h // the wheel scrolls everywhere
		return format.FitBox(p.renderScrolled(w, h), w, h)
	}
	return p.DrawPage(w/2+1, w, h)
}

// renderFacts renders the order, and its missions in the remaining lines.
func (p *OrderPage) renderFacts(w, h int) string {
	th := p.Env.Look.Theme
	filter := p.filter.Lines(th, "", w)
	_, missions := p.missions.CountFitting()
	tableHeight := min(missions+1, 6) + len(filter)
	about := append(p.renderScrolled(w, h-1-tableHeight), "")
	p.height = h
	p.above = min(len(about), h)
	box := format.FitBox(about, w, p.above)
	rest := h - p.above
	if rest <= 0 {
		return box
	}
	filter = filter[:min(len(filter), rest-1)]
	box += "\n" + p.missions.View(th, w, rest-len(filter), !p.Map.Focused)
	for _, line := range filter {
		box += "\n" + line
	}
	return box
}

// showKnown shows the newest data of an order: its details and its v2 record. If the details are not loaded, it
// shows o.
func (p *OrderPage) showKnown(o *api.Order) {
	data := p.Env.Profile.Cache
	details, state := data.Details.Get(o.OrderCode)
	p.record, _ = data.Records.Get(cache.OrderIdentity(o))
	p.State = state
	p.setOrder(cmp.Or(details, o))
}

// setOrder sets the order to show. If the order could not be loaded, its missions are taken from
// the list of all missions.
func (p *OrderPage) setOrder(o *api.Order) {
	if p.State.Err != nil {
		o = withKnownMissions(p.Env, o)
	}
	isShown := p.order == o // the cache returns the same pointer until the order changes
	if isShown {
		p.refreshStates()
		return
	}
	p.order = o
	p.quotes = quotesOf(p.Env, o)
	p.setTable(o.Missions)
	p.Map.Model.SetFeatures(page.MissionFeatures(o, p.quotes))
	// The map is fitted for another order or more missions. New data of the same missions does not move it.
	content := mapContent{cache.OrderIdentity(o), len(o.Missions)}
	if p.fitted != content {
		p.fitted = content
		p.Map.Model.FitAll()
	}
}

// refreshStates updates the statuses of the missions if the state of the order's quotes has changed.
func (p *OrderPage) refreshStates() {
	current := quotesOf(p.Env, p.order)
	if p.quotes != current {
		p.quotes = current
		p.missions.RefreshCells()
		p.Map.Model.SetFeatures(page.MissionFeatures(p.order, p.quotes))
	}
}

// stateOf returns the label, glyph and colour for the status of one of the order's missions.
func (p *OrderPage) stateOf(m *api.Mission) format.StatusLabel {
	return format.MissionState(m.Status, p.order.Status, p.quotes)
}

// setTable sets the missions in the table.
func (p *OrderPage) setTable(missions []api.Mission) {
	p.missions.SetSource(widget.RowSource{
		Len:  len(missions),
		ID:   func(i int) string { return missions[i].UUID },
		Cell: columns.CellsOf(columns.MissionsBelow(p.stateOf), func(i int) *api.Mission { return &missions[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			return widget.Cell{}, format.Status(missions[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string {
			m := &missions[i]
			return columns.RowStamp(string(m.Status), m.FlightDate.Time)
		},
	})
}

// renderBeside renders the order next to a list, with its missions if there is room. It reports whether it has
// rendered the missions.
func (p *OrderPage) renderBeside(w, h int) (lines []string, hasMissions bool) {
	lines = p.renderAbout(w, h)
	rest := h - len(lines) - 1
	room := rest / 3 // the map needs the other lines
	if p.quoted {
		room = rest // another pane shows the map
	}
	rows := min(p.missions.Len()+1, max(3, room))
	if len(p.order.Missions) == 0 || rest < rows {
		return lines, false
	}
	table := p.missions.View(p.Env.Look.Theme, w, rows, false)
	lines = append(lines, "")
	return append(lines, format.SplitLines(table)...), true
}

// renderAbout renders the order without its missions, in at most h lines: its head, its stages, its quotes and
// its fields, until the lines are full. If the order could not be loaded, the reason is at the end.
func (p *OrderPage) renderAbout(w, h int) []string {
	lines := page.JoinParts(p.renderHead(w), p.renderSteps(w))
	problem := p.renderProblem(w)
	h -= len(problem)
	room := h - len(lines) - 1
	if p.record != nil && !p.quoted && room >= 3 {
		quoteRoom := min(room, max(4, room/2))
		offers := quotes.RenderQuotes(p.Env, p.record, action.KeyOf(action.ShowQuotes, action.Order), w, quoteRoom)
		lines = page.JoinParts(lines, offers)
	}
	room = h - len(lines) - 1
	if room > 0 {
		lines = page.JoinParts(lines, p.fitFacts(p.knownFacts(), w, room))
	}
	return page.JoinParts(lines, problem)
}

// density says how the page of an order saves lines if there is not enough room.
type density int

// The densities, from the most to the fewest lines. Each density also saves the lines that the previous densities save.
const (
	spacious    density = iota
	shortQuotes         // each quote has one line
	pairedFacts         // the fields have two columns if the page is wide enough
	shortSteps          // the stages have one line, and the key that compares the quotes is only in the head
	cutFacts            // long fields are cut instead of wrapped
)

// renderScrolled renders the order without its missions in at most h lines. If there is not enough room it renders
// shorter texts. If they do not fit either, or if the user wants to read fields that are cut, the user can scroll. If
// the order could not be loaded, the reason is at the end and always visible.
func (p *OrderPage) renderScrolled(w, h int) []string {
	problem := p.renderProblem(w)
	room := h - len(problem)
	if len(problem) > 0 {
		room-- // the blank line above the problem
	}
	lines := p.renderWhole(w, p.densityFor(w, room))
	muted := p.Env.Look.Theme.Style(theme.Muted)
	return page.JoinParts(p.Scroll.View(lines, max(0, room), muted), problem)
}

// densityFor returns the first density at which everything about the order except its missions fits into h lines. If it
// never fits, densityFor returns the highest density that does not cut fields.
func (p *OrderPage) densityFor(w, h int) density {
	last := cutFacts
	if p.wrapsFacts {
		last = shortSteps
	}
	for d := spacious; d <= last; d++ {
		if len(p.renderWhole(w, d)) <= h {
			return d
		}
	}
	return shortSteps
}

// renderWhole renders everything about the order except its missions.
func (p *OrderPage) renderWhole(w int, d density) []string {
	head := p.renderHead(w)
	steps := p.renderSteps(w)
	key := action.KeyOf(action.ShowQuotes, action.Order)
	if d >= shortSteps {
		key = ""
		if line, fits := widget.StepLine(p.Env.Look.Theme, p.steps(), w); fits && len(steps) > 1 {
			head = append(head, line)
			steps = nil
		}
	}
	var offers []string
	if p.record != nil && d >= shortQuotes {
		offers = quotes.RenderQuoteLines(p.Env, p.record, key, w)
	} else if p.record != nil {
		offers = quotes.RenderQuotes(p.Env, p.record, key, w, math.MaxInt)
	}
	facts := p.knownFacts()
	label := labelWidth(facts)
	factLines := widget.WrapFacts(p.Env.Look.Theme, label, w, facts...)
	if d >= pairedFacts && w >= leastColumns {
		factLines = p.factColumns(facts, label, w, d < cutFacts)
	}
	return page.JoinParts(head, steps, offers, factLines)
}

// renderSteps renders the order's stages, or returns nil for archived orders and unknown statuses.
func (p *OrderPage) renderSteps(w int) []string {
	steps := p.steps()
	if steps == nil {
		return nil
	}
	return widget.StepLines(p.Env.Look.Theme, steps, w)
}

// knownFacts returns the fields of the order. If the order could not be loaded, they are the fields that its v2
// record has, in the same form.
func (p *OrderPage) knownFacts() []widget.Fact {
	if p.record == nil || p.State.Err == nil || len(p.order.Missions) > 0 {
		return OrderFacts(p.Env, p.order)
	}
	order := *p.order
	if p.Env.Profile.Cache.IsOnlyRecord(cache.OrderIdentity(p.order)) {
		order = *cache.OrderOf(p.record)
		order.Extra = nil // the fields of the record below include it
	}
	isEmpty := func(f widget.Fact) bool { return strings.Trim(f.Value, " ·"+format.None) == "" }
	facts := slices.DeleteFunc(OrderFacts(p.Env, &order), isEmpty)
	return append(facts, widget.Facts(columns.RecordOnlyFacts(p.record))...)
}

// renderProblem renders why the order could not be loaded and which data is shown instead. It returns nil if the
// order could be loaded.
func (p *OrderPage) renderProblem(w int) []string {
	err := p.State.Err
	if err == nil {
		return nil
	}
	look := p.Env.Look
	if len(p.order.Missions) > 0 {
		return look.RenderProblem(err, p.describeKept(), w, action.Order)
	}
	if p.record == nil {
		return look.RenderProblem(err, "", w, action.Order)
	}
	if api.IsStatus(err, http.StatusNotFound) {
		const only = "This order exists only in the v2 API, without missions."
		return look.Theme.PaintLines(theme.Muted, " ", only, w-2)
	}
	return look.RenderProblem(err, "Showing the order in the v2 API", w, action.Order)
}

// describeKept returns how old the shown missions are if the order could not be loaded.
func (p *OrderPage) describeKept() string {
	loaded := p.State.ReadAt
	if loaded.IsZero() { // the order was never loaded: the missions are from the list of all missions
		loaded = p.Env.Profile.Cache.Now().At
	}
	if loaded.IsZero() {
		return "Showing the listed data"
	}
	return "Showing data loaded " + format.Ago(loaded, p.Env.Clock.Now())
}

// renderHead renders the order's code, name, status and deadline, and why it ended.
func (p *OrderPage) renderHead(w int) []string {
	o := p.order
	head := page.DetailHead{
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: format.OrderState(o.Status, quotesOf(p.Env, o)),
		Next:   orderStep(p.Env, o),
	}
	if !o.Deadline.IsZero() && o.Status.IsLive() {
		now := p.Env.Clock.Now()
		due := o.Deadline.EndDay(now.Location()).NoonIn(now.Location())
		head.Due = "due " + format.TimeUntil(due, now)
	}
	if o.Status == api.OrderCompleted {
		head.Due = columns.NotAccepted(withKnownMissions(p.Env, o).Missions)
	}
	if late := p.lateWarning(); late != "" {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "▲ " + late, Role: theme.Attention})
	}
	if reason := columns.EndReason(o); reason != "" {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "“" + reason + "”"})
	}
	return head.RenderLines(p.Env.Look.Theme, w)
}

// OrderFacts returns an order's fields, most important first.
func OrderFacts(env *page.Env, o *api.Order) []widget.Fact {
	now := env.Clock.Now()
	zone := now.Location()
	survey := format.Word(o.MissionObjective).Label + " · " + format.Word(o.IndustryAssetType).Label
	facts := widget.Texts(
		"Deadline", describeDate(o.Deadline, o.Deadline.EndDay(zone), now),
		"Start", describeDate(o.StartDate, o.StartDate.StartDay(zone), now),
		"Size", columns.OrderSize(o, env.Look.Units),
		"Survey", survey,
		"Sensors", format.WordList(o.Sensors),
		"Products", columns.Products(o.Deliverables),
		"Company", o.CompanyName,
		"Placed", describeDate(o.CreatedAt, api.TimeAt(o.CreatedAt.Time), now),
	)
	unknown := widget.Facts(columns.UnknownMembers(o.Extra))
	return append(facts, unknown...)
}

const (
	factLabel    = 14 // maximum width of field labels
	leastColumns = 72 // width from which fields have two columns
)

// fitFacts renders fields in at most h lines. It first tries one column, in which long fields are wrapped. If
// that needs more than h lines and w is wide enough, it renders two columns. If some lines still do not fit,
// the last line ends with their number.
func (p *OrderPage) fitFacts(facts []widget.Fact, w, h int) []string {
	label := labelWidth(facts)
	lines := widget.WrapFacts(p.Env.Look.Theme, label, w, facts...)
	if len(lines) > h && w >= leastColumns {
		lines = p.factColumns(facts, label, w, false)
	}
	if left := len(lines) - h; left > 0 {
		lines = lines[:h]
		more := p.Env.Look.Theme.PaintMuted(format.BeyondView(0, left, false) + " ")
		lines[h-1] = format.FitEnds(lines[h-1], more, w)
	}
	return lines
}

// labelWidth returns the width of the labels of fields.
func labelWidth(facts []widget.Fact) int {
	width := 0
	for _, fact := range facts {
		width = min(factLabel, max(width, format.Width(fact.Label)+2))
	}
	return width
}

// factColumns renders fields in two columns of equal width. If a field does not fit into its column, the column
// gets the room that the other column does not need. label is the width of the labels. If wraps is true, fields that
// do not fit are wrapped, otherwise they are cut.
func (p *OrderPage) factColumns(facts []widget.Fact, label, w int, wraps bool) []string {
	th := p.Env.Look.Theme
	half := (len(facts) + 1) / 2
	leftNeed := widestLine(widget.FactLines(th, label, w, facts[:half]...))
	rightNeed := widestLine(widget.FactLines(th, label, w, facts[half:]...))
	leftWidth := w / 2
	if leftNeed > leftWidth {
		leftWidth = max(leftWidth, min(leftNeed, w-rightNeed))
	} else if rightNeed > w-leftWidth {
		leftWidth = max(leftNeed, w-rightNeed)
	}
	draw := func(width int, facts []widget.Fact) []string {
		if wraps {
			return widget.WrapFacts(th, label, width+1, facts...) // without the blank last cell
		}
		return widget.FactLines(th, label, width, facts...)
	}
	left := draw(leftWidth, facts[:half])
	right := draw(w-leftWidth, facts[half:])
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		if i < len(left) {
			lines[i] = left[i]
		}
		if i < len(right) {
			lines[i] = format.FitLeft(lines[i], leftWidth) + right[i]
		}
	}
	return lines
}

// widestLine returns the width of the widest line.
func widestLine(lines []string) int {
	widest := 0
	for _, line := range lines {
		widest = max(widest, format.Width(line))
	}
	return widest
}

// withKnownMissions returns o if it has missions. Otherwise it returns a copy of o with the order's missions from
// the list of all missions. The missions of that list have a centre instead of a shape.
func withKnownMissions(env *page.Env, o *api.Order) *api.Order {
	if len(o.Missions) > 0 {
		return o
	}
	whole := *o
	for _, m := range env.Profile.Cache.Now().Missions {
		if m.Order.UUID == o.UUID {
			whole.Missions = append(whole.Missions, m.Located())
		}
	}
	return &whole
}

// The stages of an order. The values from placed to data are also indexes of [api.OrderStatuses]: an order that has the
// status with the index flight is at the stage flight. A mission that has the status with the index i in
// [api.MissionStatuses], except cancelled, has reached the stage i+1.
//
// The last stage, done, has no status. An order has the status completed, which is the stage data, when all data is
// delivered. It is done when all data is accepted. Only the statuses of its missions show that.
const (
	placed = iota
	accepted
	operator
	flight
	data
	done
)

// stages are the names of the stages of an order.
var stages = []string{"placed", "accepted", "operator", "flight", "data", "done"}

// steps returns the order's stages with their known dates. For an order that ended early it returns the
// stages that it has reached and the status. It returns nil for archived orders and unknown statuses.
func (p *OrderPage) steps() []widget.Step {
	o := p.order
	switch o.Status {
	case api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		return p.endedSteps()
	}
	current := slices.Index(api.OrderStatuses(), o.Status)
	if current < 0 || current > data {
		return nil
	}
	missions := withKnownMissions(p.Env, o).Missions
	reached := countStages(missions)
	if current == flight && reached[data] > 0 {
		current = data
	}
	isAccepted := len(missions) > 0 && reached[done] == len(missions)
	if o.Status == api.OrderCompleted && isAccepted {
		current = done
	}
	days := p.stageDays(missions, current, reached)
	return page.PathSteps(stages, days, current, format.Status(o.Status).Role)
}

// endedSteps returns the steps of an order that was cancelled, rejected or reported not feasible: the steps that happened
// before it ended, and its end.
func (p *OrderPage) endedSteps() []widget.Step {
	o := p.order
	now := p.Env.Clock.Now()
	steps := []widget.Step{{Name: stages[placed], State: widget.Done, When: formatDay(o.CreatedAt, now)}}
	missions := withKnownMissions(p.Env, o).Missions
	hasOperator := slices.ContainsFunc(missions, func(m api.Mission) bool { return format.ValueOf(m.OperatorName) != "" })
	hasQuote := p.record != nil && p.record.AcceptedQuote != nil
	if hasQuote || hasOperator || o.Status == api.OrderNotFeasible {
		steps = append(steps, widget.Step{
			Name:  stages[accepted],
			State: widget.Done,
			When:  format.Day(p.quoteAcceptedAt(), now),
		})
	}
	if hasOperator {
		steps = append(steps, widget.Step{Name: stages[operator], State: widget.Done})
	}
	return append(steps, widget.Step{
		Name:  format.Status(o.Status).Label,
		State: widget.Ended,
		When:  formatDay(o.UpdatedAt, now),
	})
}

// lateWarning returns by when the data of the quote that the user accepted is delivered if this is after the deadline,
// otherwise "".
func (p *OrderPage) lateWarning() string {
	at := p.quoteAcceptedAt()
	if at.IsZero() || !p.order.Status.IsLive() {
		return ""
	}
	now := p.Env.Clock.Now()
	at = at.In(now.Location())
	offer := quoting.NewQuotedOrder(p.record, now).Set.AcceptedOffer()
	days, _ := offer.DaysLate(at)
	if days <= 0 {
		return ""
	}
	return "Data by " + format.DayMoment(offer.LatestDelivery(at), now) + ", " + quoting.DescribeDaysLate(days)
}

// quoteAcceptedAt returns when the user accepted the order's quote on this machine, or the zero time if someone else
// accepted it or if the quotes are not loaded. The service does not report this time.
func (p *OrderPage) quoteAcceptedAt() time.Time {
	if p.record == nil || p.record.AcceptedQuote == nil {
		return time.Time{}
	}
	decision := p.Env.Profile.ChangeLog.LastDecision(p.Env.Profile.Host, p.record.AcceptedQuote.QuoteID)
	if decision == nil || decision.Kind != changes.QuoteAccepted {
		return time.Time{}
	}
	return decision.At
}

// stageDays returns the text below each stage, by the index of the stage. The text is the date of the stage, or "" if
// the date is unknown or the order has not reached the stage. If only some of the missions have reached the stage, the
// text is their number, such as "2 of 5". current is the current stage. reached is the result of countStages.
func (p *OrderPage) stageDays(missions []api.Mission, current int, reached []int) []string {
	now := p.Env.Clock.Now()
	days := make([]string, len(stages))
	days[placed] = formatDay(p.order.CreatedAt, now)
	for stage, n := range reached {
		isPartial := n > 0 && n < len(missions)
		if isPartial && current >= stage-1 {
			days[stage] = fmt.Sprintf("%d of %d", n, len(missions))
		}
	}
	if current >= accepted {
		days[accepted] = format.Day(p.quoteAcceptedAt(), now)
	}
	last := lastFlight(missions)
	if current >= flight && !last.FlightDate.IsZero() {
		siteNow := p.Env.Look.Units.ClockAt(now, cache.ZoneOf(last))
		days[flight] = formatDay(last.FlightDate, siteNow)
	}
	if current >= data && reached[data] == len(missions) {
		days[data] = format.Day(p.deliveredAt(missions), now)
	}
	if current == done {
		days[done] = format.Day(p.acceptedAt(missions), now)
	}
	return days
}

// countStages returns the number of missions that have reached each stage, by the index of the stage. The count of the
// stage "placed" is not used and is 0.
func countStages(missions []api.Mission) []int {
	reached := make([]int, len(stages))
	for i := range missions {
		for stage := operator; stage <= done; stage++ {
			if missions[i].Status.HasReached(api.MissionStatuses()[stage-1]) {
				reached[stage]++
			}
		}
	}
	return reached
}

// lastFlight returns the mission with the latest flight, or an empty mission if no mission has a flight date. Cancelled
// missions are not flown.
func lastFlight(missions []api.Mission) *api.Mission {
	last := &api.Mission{}
	for i := range missions {
		isCancelled := missions[i].Status == api.MissionCancelled
		if !isCancelled && missions[i].FlightDate.After(last.FlightDate.Time) {
			last = &missions[i]
		}
	}
	return last
}

// acceptedAt returns when all data of an order was accepted. The service does not report this time. acceptedAt returns
// the time of the latest change of a mission or, if this is unknown, of the order. It must only be called if the data
// of all missions is accepted: the acceptance of a mission's data is usually its last change.
func (p *OrderPage) acceptedAt(missions []api.Mission) time.Time {
	var last time.Time
	for i := range missions {
		if missions[i].UpdatedAt.After(last) {
			last = missions[i].UpdatedAt.Time
		}
	}
	if last.IsZero() {
		return p.order.UpdatedAt.Time
	}
	return last
}

// deliveredAt returns the latest of the times at which the missions got their first data. If this time is unknown for
// one of the missions, it returns the zero time.
func (p *OrderPage) deliveredAt(missions []api.Mission) time.Time {
	var last time.Time
	for i := range missions {
		packages, _ := p.Env.Profile.Cache.Packages.Get(missions[i].UUID)
		at := firstDelivery(&missions[i], packages)
		if at.IsZero() {
			return time.Time{}
		}
		if at.After(last) {
			last = at
		}
	}
	return last
}

// firstDelivery returns when a mission got its first data. packages are the mission's packages, newest first, or nil if
// they are not loaded. Without packages, the result is the time of the mission's last change if the mission has the
// status "data delivered", otherwise the zero time.
func firstDelivery(m *api.Mission, packages []api.DeliveryPackage) time.Time {
	if len(packages) > 0 {
		return packages[len(packages)-1].CreatedAt.Time
	}
	if m.Status == api.MissionDataDelivered {
		return m.UpdatedAt.Time
	}
	return time.Time{}
}

// formatDay formats a time as a day, or returns the text of the service if it is not a time.
func formatDay(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.Day(t.Time, now)
}

// describeDate formats a date of an order with its weekday. t is the date as the service sent it, and d is the
// parsed date. If t could not be parsed, describeDate returns its text.
func describeDate(t api.Time, d api.DayOrTime, now time.Time) string {
	if d.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.DayMoment(d, now)
}

// recordFacts returns all fields of the v2 record. The deadline is replaced by the deadline of the public API's order,
// which can have a time of day.
func (p *OrderPage) recordFacts() []widget.Fact {
	now := p.Env.Clock.Now()
	facts := widget.Facts(columns.RecordFacts(p.record, p.Env.Look.Units, now))
	deadline := p.order.Deadline
	for i := range facts {
		if facts[i].Label == "Deadline" && !deadline.IsZero() {
			facts[i].Value = describeDate(deadline, deadline.EndDay(now.Location()), now)
		}
	}
	return facts
}

// showRecord shows all fields of the order's v2 record.
func (p *OrderPage) showRecord(*api.Order) tea.Cmd {
	facts := p.recordFacts()
	return p.Env.ShowFacts("Order in the v2 API", 16, facts...)
}

// recordRefusal returns why the order's v2 record cannot be shown, or "" if it can.
func (p *OrderPage) recordRefusal(*api.Order) string {
	if p.record != nil {
		return ""
	}
	_, state := p.Env.Profile.Cache.Records.Get(cache.OrderIdentity(p.order))
	if state.Err != nil {
		return "could not be loaded from the v2 API; press " + action.KeyOf(action.Refresh, action.Order)
	}
	return "still loading"
}

// moves has the change that each action sends.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder:  api.MoveCancel,
	action.ArchiveOrder: api.MoveArchive,
	action.RejectOrder:  api.MoveReject,
}

// moveRefusal returns why a change of an order cannot be sent, or "" if it can. The service
// decides whether the order's status allows the change.
func moveRefusal(env *page.Env, o *api.Order, move api.OrderMove) string {
	if env.Profile.Cache.IsOnlyRecord(cache.OrderIdentity(o)) {
		return onlyRecord
	}
	if commands.IsMoved(o, move) {
		return o.OrderCode + " is already " + move.PastTense()
	}
	return env.Changes.PendingReason(o.UUID)
}

// confirmMove opens the dialog in which the user confirms a change of an order. The user types
// the order's code, because a change is final once it is sent, and a reason if the service
// requires one.
func confirmMove(env *page.Env, o *api.Order, move api.OrderMove) tea.Cmd {
	reason := &widget.Field{
		Label: "Reason",
		Kind:  widget.LongField,
		Help:  "stored with the order",
	}
	fields := []*widget.Field{widget.WordField("Confirm", "", o.OrderCode)}
	if move.NeedsReason() {
		reason.Check = func(typed string) string { return page.TextIf(typed == "", "enter a reason") }
		fields = []*widget.Field{reason, fields[0]}
	}
	env.Nav.Overlay(&widget.FormDialog{
		Title:  format.CapitalizeFirst(string(move)) + " order",
		Lines:  describeMove(env, o, move),
		Warn:   "Type " + o.OrderCode + " to confirm",
		Yes:    string(move) + " order",
		Form:   widget.NewForm(api.MaxTextLength, env.Clock.Now, fields...),
		OnSave: func() tea.Cmd { return deferMove(env, o, move, reason.Value()) },
	})
	return nil
}

// describeMove returns the text of the confirmation: the order, its status, the consequences of
// the change, and how long it can be undone.
func describeMove(env *page.Env, o *api.Order, move api.OrderMove) []string {
	lines := []string{
		strings.TrimSpace(o.OrderCode + "  " + o.OrderName),
		format.OrderState(o.Status, env.QuotesOf(o.UUID)).Label,
		"",
		commands.DescribeOrderMove(move)[0],
	}
	if doubt := commands.DoubtOrderMove(o, move); doubt != "" {
		lines = append(lines, doubt)
	}
	if move == api.MoveArchive {
		return append(lines, env.Profile.UndoNote("then it is final"))
	}
	lines = append(lines, describeEffects(env, o)...)
	return append(lines, env.Profile.UndoNote("after that you would have to place a new order"))
}

// describeEffects returns a line with the number of missions and planned flights of an order. If not all missions are
// loaded, the line has only the number of missions. It returns nil if no missions are known, or if all missions are
// cancelled.
func describeEffects(env *page.Env, o *api.Order) []string {
	now := env.Clock.Now()
	known := withKnownMissions(env, o).Missions
	if all := format.ValueOf(o.MissionCount); all > len(known) {
		return []string{"Affects up to " + format.Count(all, "mission") + "."}
	}
	affected := len(known) - len(missionsWith(known, api.MissionCancelled))
	if affected == 0 {
		return nil
	}
	text := "Affects " + format.Count(affected, "mission")
	flights := upcomingFlights(known, now)
	if len(flights) > 0 {
		next := flights[0]
		moment := env.Look.Units.MomentAt(next.FlightDate.Time, now, cache.ZoneOf(next))
		text += " and " + format.Count(len(flights), "planned flight") + ", the next on " + moment
	}
	return []string{text + "."}
}

// deferMove schedules a change, which is sent when the time to undo it has passed.
func deferMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	sender := env.Profile.ChangeSender()
	send := func(ctx context.Context) error {
		_, err := sender.MoveOrder(ctx, o, move, reason)
		return err
	}
	return env.Changes.Defer(page.HeldChange{
		Text: string(move) + " " + o.OrderCode,
		Done: format.CapitalizeFirst(move.PastTense()) + " " + o.OrderCode,
		Of:   o.UUID,
		Send: send,
	})
}
