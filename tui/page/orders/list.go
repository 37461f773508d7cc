package orders

import (
	"cmp"
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
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// OrdersSection is the "Orders" section of the app.
var OrdersSection = page.Section{
	Go: action.GoOrders, Name: "Orders", Short: "Ord",
	First: func(env *page.Env) page.Page { return NewOrderList(env, "") },
}

// OrderList is the page of the account's orders, newest first.
type OrderList struct {
	*page.List[api.Order]
	again  page.Question // loads the selected order, to order it again
	detail *orderDetail
}

// NewOrderList returns the page of all orders, with a filter.
func NewOrderList(env *page.Env, query string) *OrderList {
	l, base := &OrderList{detail: newOrderDetail(env)}, page.NewBase(env)
	l.List = page.NewList(base, withRecords(env.Cache), page.ListOptions[api.Order]{
		Title:   "Orders",
		Example: "status:completed or name:levee",
		One:     "order",
		Scope:   action.Orders,
		Lead:    func() page.Lead { return quotes.NextDecision(env, "4", "opens Quotes") },
		Columns: columns.Orders(env.QuotesOf),
		ID:      cache.OrderIdentity,
		Muted:   func(o *api.Order) bool { return format.Status(o.Status).Role == theme.Muted },
		Stamp:   func(o *api.Order) string { return columns.RowStamp(string(o.Status), o.UpdatedAt.Time) },
		Place: func(o *api.Order) (string, string) {
			return o.OrderCode + "  " + o.OrderName, format.Status(o.Status).Glyph + " order"
		},
		Lines:    l.renderLines,
		Needs:    l.detailNeeds,
		Third:    l.renderQuotes,
		HasThird: func() bool { return env.Cache.HasQuotes() },
		Open:     func(o *api.Order) tea.Cmd { return env.OpenOrder(o) },
		Acts:     orderActs(base, &l.again),
		Empty:    "No orders yet.",
		Keys:     []page.RowKey{{Key: "n", Text: "new order from a KML or CSV file"}},
	})
	l.detail.smap = l.Map
	l.ApplyFilter(query)
	return l
}

// DataNeeds requests the orders, all of them if they are filtered or sorted.
func (l *OrderList) DataNeeds() []cache.Need {
	needs := l.List.DataNeeds()
	if l.Grid.IsWhole() {
		needs = append(needs, l.Cache.AllOrders())
	}
	return needs
}

// detailNeeds returns the details and quotes of an order that are shown.
func (l *OrderList) detailNeeds(o *api.Order) (needs []cache.Need) {
	if o.OrderCode != "" {
		needs = append(needs, l.Cache.Details.NeedStamped(o.OrderCode, cache.OrderStamp(o)))
		if l.HasThird() {
			needs = append(needs, l.Cache.Records.NeedStamped(cache.OrderIdentity(o), cache.OrderStamp(o)))
		}
	}
	return needs
}

// renderQuotes renders the quotes of an order.
func (l *OrderList) renderQuotes(o *api.Order, w, h int) string {
	r, state := l.Cache.Records.Get(cache.OrderIdentity(o))
	return format.FitBox(quotes.RenderSection(l.Env, r, state, w, h), w, h)
}

// renderLines renders what is known of an order.
func (l *OrderList) renderLines(o *api.Order, w, h int) ([]string, bool) {
	l.detail.quoted = l.HasThird()
	l.detail.showKnown(o)
	return l.detail.renderBeside(w, h)
}

// Update handles new data, and selects new orders.
func (l *OrderList) Update(msg tea.Msg) tea.Cmd {
	placed, is := msg.(page.PlacedMsg)
	if is {
		l.ClearFilter()
	}
	cmd := l.List.Update(msg)
	if is {
		l.Grid.Select(cache.OrderIdentity(placed.Order))
	}
	return cmd
}

// onlyRecord is why an order that only the v2 API knows cannot be changed.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, followed by those that only the v2 API
// knows.
func withRecords(c *cache.Cache) page.ListSource[api.Order] {
	public := page.CachedSource(c.Orders, cache.Account)
	all := public
	var state page.ListState[api.Order]
	all.State = func() page.ListState[api.Order] {
		now := public.State()
		if now.Version += c.Recorded.Version(); now.Version != state.Version {
			now.Rows = append(slices.Clip(now.Rows), page.Pointers(c.OnlyRecords())...)
			state = now
		}
		state.Reading = now.Reading
		return state
	}
	all.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return all
}

// The stages of an order.
const (
	placed = iota
	accepted
	operator
	flight
	data
	done
)

var stages = []string{"placed", "accepted", "operator", "flight", "data", "done"}

// reached maps a status to the last stage it completes.
var reached = map[api.OrderStatus]int{
	api.OrderBiddingWithQuote: placed, api.OrderPendingOperator: accepted, api.OrderOperatorAssigned: operator,
	api.OrderFlyingDateSet: flight, api.OrderCompleted: done,
}

// arrivals are the statuses in which a mission has reached a stage.
var arrivals = map[int]api.MissionStatus{
	operator: api.MissionPilotAssigned, flight: api.MissionFlightScheduled, data: api.MissionDataDelivered,
}

// renderSteps renders the order's stages with their known dates. A cancelled or rejected
// order has only its beginning and end; archived orders and unknown statuses have none.
func (d *orderDetail) renderSteps(w int) []string {
	o, now := d.order, d.Now()
	switch o.Status {
	case api.OrderCancelled, api.OrderRejected, api.OrderNotFeasible:
		return widget.StepLines(d.Theme, []widget.Step{
			{Name: stages[placed], State: widget.Done, When: formatDay(o.CreatedAt, now)},
			{
				Name:  format.Status(o.Status).Label,
				State: widget.Ended,
				When:  formatDay(o.UpdatedAt, now),
			},
		}, w)
	}
	at, known := reached[o.Status]
	if !known {
		return nil
	}
	days := make([]string, len(stages))
	for stage, status := range arrivals {
		n := d.countReached(status)
		if stage == data && at == flight && n > 0 {
			at = data
		}
		if n > 0 && n < len(o.Missions) && at >= stage-1 {
			days[stage] = fmt.Sprintf("%d of %d", n, len(o.Missions))
		}
	}
	days[placed] = formatDay(o.CreatedAt, now)
	if last := d.lastFlight(); at >= flight && last != nil {
		days[flight] = formatDay(last.FlightDate, d.Units.ClockAt(now, cache.ZoneOf(last)))
	}
	if at == done {
		days[done] = formatDay(o.UpdatedAt, d.Now())
	}
	return widget.StepLines(
		d.Theme,
		page.PathSteps(stages, days, at, format.Status(o.Status).Role),
		w,
	)
}

// countReached returns the number of missions that have reached a status.
func (d *orderDetail) countReached(s api.MissionStatus) (n int) {
	for i := range d.order.Missions {
		if d.order.Missions[i].Status.HasReached(s) {
			n++
		}
	}
	return n
}

// lastFlight returns the mission with the latest flight date, or nil.
func (d *orderDetail) lastFlight() *api.Mission {
	if len(d.order.Missions) == 0 {
		return nil
	}
	last := slices.MaxFunc(
		d.order.Missions,
		func(x, y api.Mission) int { return x.FlightDate.Compare(y.FlightDate.Time) },
	)
	if last.FlightDate.IsZero() {
		return nil
	}
	return &last
}

// formatDay formats a time as a day; times that could not be parsed stay raw.
func formatDay(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}

// orderDetail renders one order: head, stages, quotes, facts, missions and map. It is
// what is beside the list of orders, and the order's own page.
type orderDetail struct {
	*page.Env
	order    *api.Order
	record   *api.OrderRecord // with its quotes; nil if unknown
	missions *widget.Grid
	smap     *page.SiteMap
	state    cache.EntryState // of the order in full
	quoted   bool             // a separate pane shows the quotes
	shape    string           // what the map was fitted to
}

func newOrderDetail(env *page.Env) *orderDetail {
	specs := columns.ColumnSpecs(columns.MissionsBelow())
	return &orderDetail{
		Env:      env,
		smap:     page.NewSiteMap(),
		missions: widget.NewGrid(env.Now, specs...),
	}
}

// showKnown shows an order as it is known by now.
func (d *orderDetail) showKnown(o *api.Order) {
	full, state := d.Cache.Details.Get(o.OrderCode)
	d.record, _ = d.Cache.Records.Get(cache.OrderIdentity(o))
	d.state = state
	d.setOrder(cmp.Or(full, o))
}

// setOrder sets the order to show. Orders from a list have no missions; what is known
// of them from the list of all missions is shown if they cannot be loaded.
func (d *orderDetail) setOrder(o *api.Order) {
	if d.state.Err != nil {
		o = withKnownMissions(d.Env, o)
	}
	if d.order == o {
		return
	}
	d.order = o
	all, shape := o.Missions, fmt.Sprint(cache.OrderIdentity(o), len(o.Missions))
	d.missions.SetSource(widget.RowSource{
		Len:  len(all),
		ID:   func(i int) string { return all[i].UUID },
		Cell: columns.CellsOf(columns.MissionsBelow(), func(i int) *api.Mission { return &all[i] }),
		Look: func(i int) (mark widget.Cell, muted bool) {
			return mark, format.Status(all[i].Status).Role == theme.Muted
		},
		Stamp: func(i int) string { return columns.RowStamp(string(all[i].Status), all[i].FlightDate.Time) },
	})
	d.smap.SetFeatures(page.MissionFeatures(all))
	if d.shape != shape {
		d.shape = shape
		d.smap.FitAll()
	}
}

// renderBeside renders the order beside a list, and reports whether it has missions for
// the map.
func (d *orderDetail) renderBeside(w, h int) (lines []string, place bool) {
	lines = d.renderAbout(w, h)
	rest := h - len(lines) - 1
	rows := min(d.missions.Len()+1, max(3, rest/3))
	if len(d.order.Missions) == 0 || rest < rows {
		return lines, false
	}
	return append(append(lines, ""), format.SplitLines(d.missions.View(d.Theme, w, rows, false))...), true
}

// renderAbout renders what is known of the order besides its missions: head and stages,
// and in h lines what else has room, quotes before facts.
func (d *orderDetail) renderAbout(w, h int) []string {
	lines := page.JoinParts(d.renderHead(w), d.renderSteps(w))
	problem := d.renderProblem(w)
	h -= len(problem)
	if room := h - len(lines) - 1; d.record != nil && !d.quoted && room >= 3 {
		set := quoting.NewSet(d.record, d.Now())
		offers := quotes.RenderQuotes(d.Env, d.record, &set, "c", w, min(room, max(4, room/2)))
		lines = page.JoinParts(lines, offers)
	}
	facts := OrderFacts(d.Env, d.order)
	if d.record != nil && d.state.Err != nil && len(d.order.Missions) == 0 {
		facts = widget.Facts(columns.RecordFacts(d.record, d.Units))
	}
	if room := h - len(lines) - 1; room > 0 {
		lines = page.JoinParts(lines, d.fitFacts(facts, w, room))
	}
	return page.JoinParts(lines, problem)
}

// renderProblem says why the order could not be loaded, and what is shown all the same.
func (d *orderDetail) renderProblem(w int) []string {
	err, kept := d.state.Err, ""
	switch {
	case err == nil:
		return nil
	case len(d.order.Missions) > 0:
		read := d.state.ReadAt
		if read.IsZero() {
			read = d.Cache.Now().At // the missions come from the list of all missions
		}
		kept = "Showing data loaded " + format.Ago(read, d.Now())
	case d.record != nil && api.IsStatus(err, http.StatusNotFound, http.StatusForbidden):
		return d.Theme.PaintLines(
			theme.Muted,
			" ",
			"This order exists only in the v2 API, without missions.",
			w-2,
		)
	case d.record != nil:
		kept = "Showing the order in the v2 API"
	}
	return d.RenderProblem(err, kept, w)
}

// renderHead renders the order's code, name and status.
func (d *orderDetail) renderHead(w int) []string {
	o := d.order
	head := page.DetailHead{
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: format.OrderState(o.Status, d.QuotesOf(o.UUID)),
	}
	if !o.Deadline.IsZero() && o.Status.IsLive() {
		head.Due = "due " + format.TimeUntil(o.Deadline.Time, d.Now())
	}
	if reason := columns.EndReason(o); reason != "" {
		head.Warnings = append(head.Warnings, widget.Fact{Value: "“" + reason + "”"})
	}
	return head.RenderLines(d.Theme, w)
}

// OrderFacts returns an order's fields, most important first.
func OrderFacts(env *page.Env, o *api.Order) []widget.Fact {
	now, missions, length := env.Now(), len(o.Missions), 0.0
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
	if o.AreaSize != nil && *o.AreaSize > 0 {
		size = append(size, env.Units.Area(*o.AreaSize))
	}
	if length > 0 {
		size = append(size, format.Length(length))
	}
	return append(widget.Texts(
		"Period", formatDay(o.StartDate, now)+" → "+formatDay(o.Deadline, now),
		"Size", strings.Join(size, " · "),
		"Survey", format.Word(o.MissionObjective).Label+" · "+format.Word(o.IndustryAssetType).Label,
		"Sensors", format.WordList(o.Sensors),
		"Products", format.WordList(o.Deliverables),
		"Company", o.CompanyName,
		"Placed", formatDay(o.CreatedAt, now),
	), widget.Facts(columns.UnknownMembers(o.Extra))...)
}

const (
	factLabel    = 14 // width of field labels
	leastColumns = 72 // width from which fields have two columns
)

// fitFacts renders fields in at most h lines, wrapped or in two columns, whatever has room,
// ending with the number of fields left out.
func (d *orderDetail) fitFacts(facts []widget.Fact, w, h int) []string {
	lines := widget.WrapFacts(d.Theme, factLabel, w, facts...)
	if len(lines) > h && w >= leastColumns {
		narrow := widget.FactLines(d.Theme, factLabel, w/2-1, facts...)
		lines = narrow[:(len(narrow)+1)/2]
		for i, right := range narrow[len(lines):] {
			lines[i] = format.FitLeft(lines[i], w/2) + right
		}
	}
	if left := len(lines) - h; left > 0 {
		lines = lines[:h]
		lines[h-1] = format.FitEnds(
			lines[h-1],
			d.Theme.PaintMuted(format.BeyondView(0, left, false)+" "),
			w,
		)
	}
	return lines
}

// withKnownMissions returns the order with the missions known from the list of all
// missions, each at its centre, if it has none itself.
func withKnownMissions(env *page.Env, o *api.Order) *api.Order {
	if len(o.Missions) > 0 || env.Cache == nil {
		return o
	}
	whole := *o
	for _, m := range env.Cache.Now().Missions {
		if m.Order.UUID == o.UUID {
			whole.Missions = append(whole.Missions, m.Located())
		}
	}
	if len(whole.Missions) == 0 {
		return o
	}
	return &whole
}
