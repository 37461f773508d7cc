package orders

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// OrderPage is the page of one order: head, stages, quotes, facts, missions and map. Beside
// the list of orders it shows the one that is selected.
type OrderPage struct {
	page.Detail
	acts []page.Act[*api.Order]

	above  int // lines above the missions in the last frame
	height int // of the last frame
	filter *page.RowFilter

	order    *api.Order
	record   *api.OrderRecord // with its quotes; nil if unknown
	missions *widget.Grid
	quoted   bool   // a separate pane shows the quotes
	shape    string // what the map was fitted to
}

// NewOrder returns the page of an order, known from a list or in full.
func NewOrder(env *page.Env, o *api.Order) *OrderPage {
	p := newOrderPage(env)
	p.setOrder(o)
	return p
}

// newOrderPage returns the page of an order that is set later.
func newOrderPage(env *page.Env) *OrderPage {
	p := &OrderPage{missions: widget.NewGrid(env.Clock.Now, columns.ColumnSpecs(columns.MissionsBelow())...)}
	p.filter = page.NewRowFilter(p.missions, "status:flight or name:north")
	p.Detail = page.NewDetail(
		env,
		"order",
		100,
		p.renderFacts,
		func(w, h int) string { return p.DrawMap(1, 0, w, h) },
	)
	p.Map = page.NewSiteMap()
	p.acts = append(orderActs(p.Base), []page.Act[*api.Order]{
		{ID: action.Refresh, Do: func(*api.Order) tea.Cmd {
			p.Env.Profile.Cache.RereadNeeds(p.DataNeeds()...)
			return nil
		}},
		{
			ID: action.Open,
			Off: func(o *api.Order) string {
				if len(o.Missions) == 0 {
					return "its missions are still loading"
				}
				return page.TextIf(p.missions.Len() == 0, "no matching mission")
			},
			Do: func(o *api.Order) tea.Cmd {
				row, ok := p.missions.Current()
				if !ok {
					return nil
				}
				return p.Env.Nav.Show(page.MissionRoute{Mission: cache.MissionOf(&o.Missions[row], o)})
			},
		},
		{ID: action.ShowRecord, Off: p.recordRefusal, Do: p.showRecord},
		{ID: action.CopyCode, Do: func(o *api.Order) tea.Cmd {
			return p.Env.Files.CopyText(format.Clean(o.OrderCode), o.OrderCode)
		}},
	}...)
	return p
}

// orderActs returns what is done with an order in the list and on its page.
func orderActs(b page.Base) []page.Act[*api.Order] {
	again := new(page.Question) // loads an order to order it again
	acts := []page.Act[*api.Order]{
		{ID: action.ShowQuotes, Do: func(o *api.Order) tea.Cmd {
			return b.Env.Nav.Open(quotes.NewCompare(b.Env, cache.OrderIdentity(o), nil))
		}},
		{ID: action.ShowTimeline, Do: func(o *api.Order) tea.Cmd {
			return b.Env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: o.OrderCode}})
		}},
		{
			ID: action.ShowData,
			Do: func(o *api.Order) tea.Cmd { return b.Env.Nav.Open(deliveries.NewDeliveriesOf(b.Env, o.OrderCode, "")) },
		},
		{
			ID:  action.NewOrder,
			Any: true,
			Do:  func(*api.Order) tea.Cmd { return b.Env.Nav.Show(page.NewOrderRoute{}) },
		},
		{
			ID:  action.OrderAgain,
			Off: func(*api.Order) string { return page.TextIf(again.IsOpen(), "the order is still loading") },
			Do: func(o *api.Order) tea.Cmd {
				read := func(ctx context.Context) (*api.Order, error) {
					return b.Env.Profile.Cache.Details.AskNow(ctx, o.OrderCode)
				}
				return page.AskInBackground(b, again, read, func(whole *api.Order, err error) tea.Cmd {
					if err != nil {
						return page.ShowToast(theme.Bad, "Order again: "+format.FaultText(err))
					}
					return b.Env.Nav.Show(page.NewOrderRoute{Again: whole})
				})
			},
		},
	}
	for id, move := range moves {
		acts = append(acts, page.Act[*api.Order]{
			ID:  id,
			Off: func(o *api.Order) string { return moveRefusal(b.Env, knownOrder(b.Env.Profile.Cache, o), move) },
			Do:  func(o *api.Order) tea.Cmd { return confirmMove(b.Env, knownOrder(b.Env.Profile.Cache, o), move) },
			Unlikely: func(o *api.Order) bool {
				return commands.DoubtOrderMove(knownOrder(b.Env.Profile.Cache, o), move) != ""
			},
		})
	}
	return acts
}

// knownOrder returns an order with all details if they are loaded and current.
func knownOrder(c *cache.Cache, o *api.Order) *api.Order {
	if full, _ := c.Details.Get(o.OrderCode); full != nil && cache.OrderStamp(full) == cache.OrderStamp(o) {
		return full
	}
	return o
}

// Title returns the order's code.
func (p *OrderPage) Title() string { return p.order.OrderCode }

// DataNeeds requests the order and its record with the quotes. Without access to the v2
// API there is no record.
func (p *OrderPage) DataNeeds() []cache.Need {
	return []cache.Need{p.Env.Profile.Cache.Details.NeedOf(p.order.OrderCode), p.Env.Profile.Cache.Records.NeedOf(cache.OrderIdentity(p.order))}
}

// OnShow takes the newest data of the cache.
func (p *OrderPage) OnShow() tea.Cmd {
	p.showKnown(p.order)
	p.followTable()
	return nil
}

// Update handles new data.
func (p *OrderPage) Update(msg tea.Msg) tea.Cmd {
	if p.filter.IsTyping() {
		p.filter.Update(msg)
		p.followTable()
	}
	if _, read := msg.(page.ReadMsg); read {
		return p.OnShow()
	}
	return nil
}

// followTable selects the mission on the map that is selected in the table.
func (p *OrderPage) followTable() { p.Map.Model.SetSelected(p.missions.Selected()) }

// ActionScopes returns the page's scopes; the map's come first while it has focus.
func (p *OrderPage) ActionScopes() []action.Scope {
	if p.filter.IsTyping() {
		return []action.Scope{action.FilterLine}
	}
	return p.MapScopes(action.Order, action.List)
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (p *OrderPage) DisabledReason(id action.ID) string {
	return page.FindAct(p.acts, id).DisabledReason(p.order)
}

// IsTyping reports whether the filter of the missions is being typed.
func (p *OrderPage) IsTyping() bool { return p.filter.IsTyping() }

// Cursor returns the cursor in the filter of the missions.
func (p *OrderPage) Cursor() *tea.Cursor { return p.filter.Cursor(p.height - 1) }

// HandleBack leaves the map, then clears the filter of the missions.
func (p *OrderPage) HandleBack() bool { return p.Detail.HandleBack() || p.filter.Clear() }

// IsUnlikely reports whether an action is enabled, but not offered in the footer.
func (p *OrderPage) IsUnlikely(id action.ID) bool {
	return page.FindAct(p.acts, id).IsUnlikely(p.order)
}

// HandleAction performs an action of the order, or moves the map or the selection.
func (p *OrderPage) HandleAction(id action.ID) tea.Cmd {
	if act := page.FindAct(p.acts, id); act != nil {
		return act.Do(p.order)
	}
	if p.filter.HandleAction(id) {
		p.Map.Focused = false
	} else if p.Map.HandleAction(id) {
		p.missions.Select(p.Map.Model.Selected())
	} else {
		page.MoveList(&p.missions.Table, id)
	}
	p.followTable()
	return nil
}

// JumpTargets returns the rows of the missions.
func (p *OrderPage) JumpTargets() []page.JumpTarget {
	if p.Map.Focused && p.Env.Look.Width < 100 {
		return nil // the map is shown instead
	}
	return page.RowTargets(&p.missions.Table, p.above, p.HandleMouse)
}

// HandleMouse selects the mission that is clicked; the wheel zooms the map.
func (p *OrderPage) HandleMouse(m page.MouseInput) tea.Cmd {
	missions := p.missions
	id, taken := p.TakeMouse(m)
	switch {
	case taken:
		missions.Select(id)
	case m.Wheel != 0:
		missions.Move(m.Wheel / 3)
	case !missions.Click(m.Y - p.above):
		return nil
	}
	p.followTable()
	if m.Double && !taken && p.DisabledReason(action.Open) == "" {
		return p.HandleAction(action.Open)
	}
	return nil
}

// View renders the facts and missions, with the map beside them, or instead of them
// while it has focus.
func (p *OrderPage) View(w, h int) string {
	if p.State.Err != nil && len(p.order.Missions) == 0 {
		p.HidePanes()
		return format.FitBox(p.renderAbout(w, h), w, h)
	}
	return p.DrawPage(w/2+1, w, h)
}

// renderFacts renders the order and its missions, which get the remaining lines.
func (p *OrderPage) renderFacts(w, h int) string {
	filter := p.filter.Lines(p.Env.Look.Theme, w)
	_, missions := p.missions.CountFitting()
	about := append(p.renderAbout(w, h-1-min(missions+1, 6)-len(filter)), "")
	p.above = min(len(about), h)
	box := format.FitBox(about, w, p.above)
	p.height = h
	rest := h - p.above
	if rest <= 0 {
		return box
	}
	filter = filter[:min(len(filter), rest-1)]
	box += "\n" + p.missions.View(p.Env.Look.Theme, w, rest-len(filter), !p.Map.Focused)
	for _, line := range filter {
		box += "\n" + line
	}
	return box
}

// showKnown shows an order as it is known by now.
func (p *OrderPage) showKnown(o *api.Order) {
	full, state := p.Env.Profile.Cache.Details.Get(o.OrderCode)
	p.record, _ = p.Env.Profile.Cache.Records.Get(cache.OrderIdentity(o))
	p.State = state
	p.setOrder(cmp.Or(full, o))
}

// setOrder sets the order to show. Orders from a list have no missions; what is known
// of them from the list of all missions is shown if they cannot be loaded.
func (p *OrderPage) setOrder(o *api.Order) {
	if p.State.Err != nil {
		o = withKnownMissions(p.Env, o)
	}
	if p.order == o {
		return
	}
	p.order = o
	all, shape := o.Missions, fmt.Sprint(cache.OrderIdentity(o), len(o.Missions))
	p.missions.SetSource(widget.RowSource{
		Len:  len(all),
		ID:   func(i int) string { return all[i].UUID },
		Cell: columns.CellsOf(columns.MissionsBelow(), func(i int) *api.Mission { return &all[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			return mark, format.Status(all[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string { return columns.RowStamp(string(all[i].Status), all[i].FlightDate.Time) },
	})
	p.Map.Model.SetFeatures(page.MissionFeatures(all))
	if p.shape != shape {
		p.shape = shape
		p.Map.Model.FitAll()
	}
}

// renderBeside renders the order beside a list, and reports whether it has missions for
// the map.
func (p *OrderPage) renderBeside(w, h int) (lines []string, place bool) {
	lines = p.renderAbout(w, h)
	rest := h - len(lines) - 1
	rows := min(p.missions.Len()+1, max(3, rest/3))
	if p.quoted { // the map is in another pane
		rows = min(p.missions.Len()+1, max(3, rest))
	}
	if len(p.order.Missions) == 0 || rest < rows {
		return lines, false
	}
	return append(append(lines, ""), format.SplitLines(p.missions.View(p.Env.Look.Theme, w, rows, false))...), true
}

// renderAbout renders what is known of the order besides its missions: head and stages,
// and in h lines what else has room, quotes before facts.
func (p *OrderPage) renderAbout(w, h int) []string {
	lines := page.JoinParts(p.renderHead(w), p.renderSteps(w))
	problem := p.renderProblem(w)
	h -= len(problem)
	if room := h - len(lines) - 1; p.record != nil && !p.quoted && room >= 3 {
		offers := quotes.RenderQuotes(p.Env, p.record, "c", w, min(room, max(4, room/2)))
		lines = page.JoinParts(lines, offers)
	}
	facts := OrderFacts(p.Env, p.order)
	if p.record != nil && p.State.Err != nil && len(p.order.Missions) == 0 {
		facts = widget.Facts(columns.RecordFacts(p.record, p.Env.Look.Units))
	}
	if room := h - len(lines) - 1; room > 0 {
		lines = page.JoinParts(lines, p.fitFacts(facts, w, room))
	}
	return page.JoinParts(lines, problem)
}

// renderProblem says why the order could not be loaded, and what is shown all the same.
func (p *OrderPage) renderProblem(w int) []string {
	err, kept := p.State.Err, ""
	switch {
	case err == nil:
		return nil
	case len(p.order.Missions) > 0:
		read := p.State.ReadAt
		if read.IsZero() {
			read = p.Env.Profile.Cache.Now().At // the missions come from the list of all missions
		}
		kept = "Showing data loaded " + format.Ago(read, p.Env.Clock.Now())
	case p.record != nil && api.IsStatus(err, http.StatusNotFound, http.StatusForbidden):
		const only = "This order exists only in the v2 API, without missions."
		return p.Env.Look.Theme.PaintLines(theme.Muted, " ", only, w-2)
	case p.record != nil:
		kept = "Showing the order in the v2 API"
	}
	return p.Env.Look.RenderProblem(err, kept, w)
}

// renderHead renders the order's code, name and status.
func (p *OrderPage) renderHead(w int) []string {
	o := p.order
	head := page.DetailHead{
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: format.OrderState(o.Status, p.Env.QuotesOf(o.UUID)),
	}
	if !o.Deadline.IsZero() && o.Status.IsLive() {
		due := o.Deadline.EndDay(p.Env.Clock.Now().Location())
		head.Due = "due " + format.TimeUntil(due.NoonIn(p.Env.Clock.Now().Location()), p.Env.Clock.Now())
	}
	if reason := columns.EndReason(o); reason != "" {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "“" + reason + "”"})
	}
	return head.RenderLines(p.Env.Look.Theme, w)
}

// OrderFacts returns an order's fields, most important first.
func OrderFacts(env *page.Env, o *api.Order) []widget.Fact {
	now, missions, length := env.Clock.Now(), len(o.Missions), 0.0
	if o.MissionCount != nil {
		missions = max(missions, *o.MissionCount)
	}
	for i := range o.Missions {
		length += columns.LineLength(&o.Missions[i])
	}
	var size []string
	if missions > 0 {
		size = append(size, format.Count(missions, "mission"))
	}
	if format.ValueOf(o.AreaSize) > 0 {
		size = append(size, env.Look.Units.Area(*o.AreaSize))
	}
	if length > 0 {
		size = append(size, format.Length(length))
	}
	return append(widget.Texts(
		"Start", exactDate(o.StartDate, o.StartDate.StartDay(now.Location()), now),
		"Deadline", exactDate(o.Deadline, o.Deadline.EndDay(now.Location()), now),
		"Size", strings.Join(size, " · "),
		"Survey", format.Word(o.MissionObjective).Label+" · "+format.Word(o.IndustryAssetType).Label,
		"Sensors", format.WordList(o.Sensors),
		"Products", format.WordList(o.Deliverables),
		"Company", o.CompanyName,
		"Placed", formatDay(o.CreatedAt, now),
	), widget.Facts(columns.UnknownMembers(o.Extra))...)
}

const (
	factLabel    = 14 // width of field labels at most
	leastColumns = 72 // width from which fields have two columns
)

// fitFacts renders fields in at most h lines, wrapped or in two columns, whatever has room,
// ending with the number of fields left out.
func (p *OrderPage) fitFacts(facts []widget.Fact, w, h int) []string {
	label := 0
	for _, fact := range facts {
		label = min(factLabel, max(label, format.Width(fact.Label)+2))
	}
	lines := widget.WrapFacts(p.Env.Look.Theme, label, w, facts...)
	if len(lines) > h && w >= leastColumns {
		narrow := widget.FactLines(p.Env.Look.Theme, label, w/2-1, facts...)
		lines = narrow[:(len(narrow)+1)/2]
		for i, right := range narrow[len(lines):] {
			lines[i] = format.FitLeft(lines[i], w/2) + right
		}
	}
	if left := len(lines) - h; left > 0 {
		lines = lines[:h]
		more := p.Env.Look.Theme.PaintMuted(format.BeyondView(0, left, false) + " ")
		lines[h-1] = format.FitEnds(lines[h-1], more, w)
	}
	return lines
}

// withKnownMissions returns the order with the missions known from the list of all
// missions, each at its centre, if it has none itself.
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

// The stages of an order, in the order of the statuses that complete them. A mission
// comes to those between acceptance and end one status later.
const (
	placed = iota
	accepted
	operator
	flight
	data
	done
)

var stages = []string{"placed", "accepted", "operator", "flight", "data", "done"}

// renderSteps renders the order's stages with their known dates. A cancelled or rejected
// order has only its beginning and end; archived orders and unknown statuses have none.
func (p *OrderPage) renderSteps(w int) []string {
	o, now, days := p.order, p.Env.Clock.Now(), make([]string, len(stages))
	days[placed] = formatDay(o.CreatedAt, now)
	at := slices.Index(api.OrderStatuses(), o.Status)
	switch o.Status {
	case api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		return widget.StepLines(p.Env.Look.Theme, []widget.Step{
			{Name: stages[placed], State: widget.Done, When: days[placed]},
			{Name: format.Status(o.Status).Label, State: widget.Ended, When: formatDay(o.UpdatedAt, now)},
		}, w)
	case api.OrderCompleted:
		at, days[done] = done, formatDay(o.UpdatedAt, now)
	}
	if at < 0 || at > done {
		return nil
	}
	reached, last := countStages(o.Missions)
	if at == flight && reached[data] > 0 {
		at = data
	}
	for stage, n := range reached {
		if n > 0 && n < len(o.Missions) && at >= stage-1 {
			days[stage] = fmt.Sprintf("%d of %d", n, len(o.Missions))
		}
	}
	if at >= flight && !last.FlightDate.IsZero() {
		days[flight] = formatDay(last.FlightDate, p.Env.Look.Units.ClockAt(now, cache.ZoneOf(last)))
	}
	return widget.StepLines(p.Env.Look.Theme, page.PathSteps(stages, days, at, format.Status(o.Status).Role), w)
}

// countStages returns how many missions have reached each stage, and the last to fly.
func countStages(missions []api.Mission) (reached []int, last *api.Mission) {
	reached, last = make([]int, len(stages)), &api.Mission{}
	for i := range missions {
		m := &missions[i]
		for stage := operator; stage <= data; stage++ {
			if m.Status.HasReached(api.MissionStatuses()[stage-1]) {
				reached[stage]++
			}
		}
		if m.FlightDate.After(last.FlightDate.Time) {
			last = m
		}
	}
	return reached, last
}

// formatDay formats a time as a day; times that could not be parsed stay raw.
func formatDay(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.Day(t.Time, now)
}

// exactDate formats a date of an order in full; one that could not be parsed stays raw.
func exactDate(t api.Time, d api.DayOrTime, now time.Time) string {
	if d.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ExactDate(d, now)
}

// showRecord shows all fields of the order's v2 record.
func (p *OrderPage) showRecord(*api.Order) tea.Cmd {
	facts := widget.Facts(columns.RecordFacts(p.record, p.Env.Look.Units))
	return p.Env.ShowFacts("Order in the v2 API", 16, facts...)
}

// recordRefusal returns why there is no v2 record to show, "" if there is one.
func (p *OrderPage) recordRefusal(*api.Order) string {
	_, state := p.Env.Profile.Cache.Records.Get(cache.OrderIdentity(p.order))
	switch {
	case p.record != nil:
		return ""
	case state.Err != nil:
		return "not returned by the v2 API; press r"
	}
	return "still loading"
}

// moves maps actions to the changes of a placed order.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder:  api.MoveCancel,
	action.ArchiveOrder: api.MoveArchive,
	action.RejectOrder:  api.MoveReject,
}

// moveRefusal returns why a change of an order cannot be sent, "" if it can. Whether the
// order allows the change is for the service to decide.
func moveRefusal(env *page.Env, o *api.Order, move api.OrderMove) string {
	switch {
	case env.Profile.Cache.IsOnlyRecord(cache.OrderIdentity(o)):
		return onlyRecord
	case commands.IsMoved(o, move):
		return o.OrderCode + " is already " + move.PastTense()
	}
	return env.Changes.PendingReason(o.UUID)
}

// confirmMove opens the dialog that confirms a change of an order. No change can be
// undone once sent, so the user types the order's code, and a reason if the service
// requires one.
func confirmMove(env *page.Env, o *api.Order, move api.OrderMove) tea.Cmd {
	lines := []string{
		strings.TrimSpace(o.OrderCode + "  " + o.OrderName),
		format.OrderState(o.Status, env.QuotesOf(o.UUID)).Label,
		"",
		commands.DescribeOrderMove(move)[0],
	}
	if doubt := commands.DoubtOrderMove(o, move); doubt != "" {
		lines = append(lines, doubt)
	}
	end := env.Profile.UndoNote("then it is final")
	if move != api.MoveArchive {
		lines = append(lines, describeEffects(env, o)...)
		end = env.Profile.UndoNote("after that you would have to place a new order")
	}
	fields := []*widget.Field{widget.WordField("Confirm", "", o.OrderCode)}
	reason := &widget.Field{
		Label: "Reason",
		Kind:  widget.LongField,
		Help:  "stored with the order",
	}
	if move.NeedsReason() {
		fields = []*widget.Field{reason, fields[0]}
		reason.Check = func(typed string) string { return page.TextIf(typed == "", "enter a reason") }
	}
	env.Nav.Overlay(&widget.FormDialog{
		Title: format.CapitalizeFirst(string(move)) + " order", Lines: append(lines, end),
		Warn: "Type " + o.OrderCode + " to confirm",
		Yes:  string(move) + " order", Form: widget.NewForm(api.MaxTextLength, env.Clock.Now, fields...),
		OnSave: func() tea.Cmd { return deferMove(env, o, move, reason.Value()) },
	})
	return nil
}

// describeEffects returns a line on the missions and flights that a change affects,
// none if the missions are unknown.
func describeEffects(env *page.Env, o *api.Order) []string {
	missions, flights, now := 0, 0, env.Clock.Now()
	var next *api.Mission
	for _, m := range withKnownMissions(env, o).Missions {
		if m.Status != api.MissionCancelled {
			missions++
		}
		if m.Status != api.MissionFlightScheduled || m.FlightDate.Before(now) {
			continue
		}
		if flights++; next == nil || m.FlightDate.Before(next.FlightDate.Time) {
			next = &m
		}
	}
	if missions == 0 {
		return nil
	}
	text := "Affects " + format.Count(missions, "mission")
	if next != nil {
		text += " and " + format.Count(flights, "planned flight") +
			", the next on " + env.Look.Units.MomentAt(next.FlightDate.Time, now, cache.ZoneOf(next))
	}
	return []string{text + "."}
}

// deferMove sends a change after the time in which it can be undone.
func deferMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	sender, code := env.Profile.ChangeSender(), o.OrderCode
	return env.Changes.Defer(page.HeldChange{
		Text: string(move) + " " + code,
		Done: format.CapitalizeFirst(move.PastTense()) + " " + code,
		Of:   o.UUID,
		Send: func(ctx context.Context) error {
			_, err := sender.MoveOrder(ctx, o, move, reason)
			return err
		},
	})
}
