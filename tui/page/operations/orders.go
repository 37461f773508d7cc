package operations

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	mostLive  = 500 // most active orders to consider
	mostEnded = 100 // most completed orders to consider for deliveries to accept
)

// workStep is the next step of an order or a mission.
type workStep int

const (
	stepNone workStep = iota
	stepQuote
	stepAssign
	stepSchedule
	stepPermit
	stepDeliver
	stepAccept
	stepClient // the client decides
)

var stepWords = []string{"", "issue quote", "assign", "schedule", "permit", "deliver", "accept", "client decides"}

// orderItem is an order, or one of its missions, quotes or completion notices, with
// what lists show of it; in the queue with its next step.
type orderItem struct {
	*ops.Order
	mission *ops.Mission // nil if it is none
	quote   *ops.Quote
	notice  *ops.CompletionNotice
	step    workStep

	ID, Code, Name string
	Next, Since    columns.Cell // of the step, and how long it has been waiting
	Status         columns.Cell
	Operator       columns.Cell // or the price of a quote, or why a notice failed
	FlightDate     columns.Cell // or the expiry of a quote
	Permission     columns.Cell
}

func itemOfOrder(o *ops.Order, now time.Time) *orderItem {
	return &orderItem{
		Order:  o,
		ID:     o.UUID,
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: columns.StateCell(format.OrderState(o.Status, quotesOf(o, now)), 0),
	}
}

func itemOfMission(o *ops.Order, m *ops.Mission, now time.Time) *orderItem {
	return &orderItem{
		Order:      o,
		mission:    m,
		ID:         m.UUID,
		Code:       m.MissionCode,
		Name:       m.MissionName,
		Status:     columns.MissionState(m.Status),
		Operator:   columns.TextAt(m.OperatorName),
		FlightDate: columns.TextCell(format.Moment(m.FlightDate.Time, now)),
		Permission: columns.PermissionOf(m),
	}
}

func itemOfQuote(o *ops.Order, q *ops.Quote, now time.Time) *orderItem {
	return &orderItem{
		Order:      o,
		quote:      q,
		ID:         q.UUID,
		Code:       "quote",
		Name:       q.QuoteName,
		Operator:   columns.TextCell(priceOf(q)),
		Status:     columns.StateCell(format.QuoteLabel(q.Status, !q.IsDecidable(now)), 0),
		FlightDate: columns.TextCell(format.Moment(q.ExpiryDate.Time, now)),
	}
}

func itemOfNotice(o *ops.Order, n *ops.CompletionNotice) *orderItem {
	text, glyph, role := timeline.NoticeOutcome(n)
	text, why, _ := strings.Cut(text, ": ")
	return &orderItem{
		Order:  o,
		notice: n,
		ID:     n.UUID,
		Code:   "notice",
		Name:   timeline.NoticeWay(n),
		Status: columns.TextCell(glyph + " " + text).
			WithTone(role),
		Operator: columns.TextCell(cmp.Or(why, format.None)),
	}
}

func priceOf(q *ops.Quote) string {
	if !q.FinalPrice.Known {
		return format.None
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}

// waitFor sets the next step, and since when it has been waiting.
func (x *orderItem) waitFor(step workStep, began, now time.Time) *orderItem {
	role := format.Attention
	if x.step = step; step == stepClient {
		role = format.Pending
	}
	x.Next = columns.TextCell(stepWords[step]).WithTone(role)
	x.Since = columns.Cell{
		Text:  format.Age(began, now),
		Time:  began,
		Known: true,
	}
	switch d := now.Sub(began); {
	case d < 0: // the flight, before which nothing can be delivered
		x.Since.Text = format.None
	case d >= 24*time.Hour:
		x.Since.Text = fmt.Sprintf("%d d", int(d.Hours())/24)
	}
	return x
}

// stamp returns a stamp that differs after each change that is shown.
func (x *orderItem) stamp() string {
	return fmt.Sprint(x.step, x.Status, x.Operator, x.FlightDate, x.Permission)
}

// isMuted reports whether nothing can be done about the item.
func (x *orderItem) isMuted() bool {
	return x.step == stepClient ||
		x.quote != nil && x.quote.Status != api.QuoteAccepted && x.quote.Status != api.QuoteOpen
}

// inspected returns whose timeline to open.
func (x *orderItem) inspected() inspectSubject {
	s := inspectSubject{x.AccountUID, timeline.StorySubject{Order: x.OrderCode}}
	if x.mission != nil {
		s.of.Mission = x.mission.UUID
	}
	return s
}

// itemOptions returns the options of a list of items. The columns are stored under name.
func (d *operationsPage) itemOptions(
	name string, cols []columns.Column[*orderItem], of func(*orderItem) *orderItem,
) page.ListOptions[*orderItem] {
	return page.ListOptions[*orderItem]{
		Name: name, Columns: cols, Also: []action.Scope{action.OpsTask},
		ID: func(x *orderItem) string { return x.ID }, Stamp: (*orderItem).stamp, Muted: (*orderItem).isMuted,
		Failed: func(x *orderItem) bool { return x.notice != nil && x.notice.Failed() },
		About:  d.describeItem, Acts: d.moveActs(of),
	}
}

// newTaskQueue returns the list of tasks of Operations, sorted by next step, followed
// by orders that wait for a client.
func newTaskQueue(d *operationsPage) *page.List[*orderItem] {
	o := d.queueOptions("desk-queue", true)
	o.Scope = action.OpsQueue
	source := page.ListSource[*orderItem]{State: d.readWork, Needs: d.workNeeds}
	return newListPane(d, source, o, (*orderItem).inspected)
}

// queueOptions returns the options of a list of tasks; client adds a column for the
// client.
func (d *operationsPage) queueOptions(name string, client bool) page.ListOptions[*orderItem] {
	all := columns.MakeColumns("queue", columns.Values[*orderItem]{
		"companyName": func(x *orderItem) columns.Cell { return columns.TextCell(d.companyName(x.AccountUID)) },
	})
	if !client {
		all = columns.HideColumns(all, "companyName")
	}
	o := d.itemOptions(name, all, func(x *orderItem) *orderItem { return x })
	o.Example, o.One = "next:quote or client:küste", "task"
	o.Open = func(x *orderItem) tea.Cmd { return d.env.Nav.Open(newOrderPage(d, x.UUID, x.ID)) }
	o.Place = func(x *orderItem) (name, kind string) {
		return x.Code + "  " + x.Name, "operations: " + stepWords[x.step]
	}
	o.Empty = "No open tasks.\nNew orders and the next step of each mission appear here."
	o.Foot = func(w int) []string {
		if !d.left { // only the newest orders are considered
			return nil
		}
		text := " Showing tasks of the newest " + format.GroupDigits(mostLive, 0) + " active orders only."
		return []string{d.env.Look.Theme.PaintMuted(format.CutLine(text, w))}
	}
	return o
}

// workList holds what the pages of the section share: the requests that they send, the
// state of the service, and the tasks of Operations, derived from active orders.
type workList struct {
	acts   *requestRunner
	cache  *cache.OperationsCache
	now    func() time.Time
	orders []*ops.Order // with all details
	left   bool         // there are more orders than are considered
	needed []cache.Need
	state  page.ListState[*orderItem]
	known  int       // sum of the cache versions used
	at     time.Time // when the tasks were computed
}

// newest is how long computed tasks stay valid, because urgency depends on the time.
const newest = 10 * time.Second

// countWaiting returns the number of tasks that do not wait for a client.
func countWaiting(list []*orderItem) (n int) {
	for _, x := range list {
		if x.step != stepClient {
			n++
		}
	}
	return n
}

// workNeeds requests the active orders, each in full.
func (w *workList) workNeeds(int) []cache.Need {
	w.readWork()
	return w.needed
}

// readWork returns the tasks according to the cache.
func (w *workList) readWork() page.ListState[*orderItem] {
	version, now := w.cache.InHand.Version()+w.cache.Details.Version(), w.now()
	if version == w.known && now.Sub(w.at) < newest && w.needed != nil {
		return w.state
	}
	w.known, w.at, w.orders, w.needed, w.left = version, now, nil, nil, false
	var ids []string
	var states []cache.EntryState
	var fault error
	room, unread := mostLive, false
	for _, status := range append(api.LiveOrderStatuses(), api.OrderCompleted) {
		live := status != api.OrderCompleted
		if !live {
			room = mostEnded
		}
		rows, is := w.cache.InHand.Get(string(status))
		states = append(states, is)
		w.needed = append(w.needed, w.cache.InHand.NeedRows(string(status), room))
		n := min(len(rows.Items), room)
		w.left = w.left || live && (rows.More || n < len(rows.Items))
		room -= n
		for i := range n {
			missing, err := w.takeOrder(&rows.Items[i])
			unread, fault = unread || missing, cmp.Or(fault, err)
			ids = append(ids, rows.Items[i].UUID)
		}
	}
	w.needed = append(w.needed, w.cache.Details.NeedOf(ids...))
	lists, before := cache.JoinStates(states...), w.state.At
	w.state = page.ListState[*orderItem]{Version: w.state.Version + 1, Err: cmp.Or(lists.Err, fault)}
	if !unread || !before.IsZero() { // otherwise the first task could still change
		w.state.Rows, w.state.At = w.sortWork(now), lists.ReadAt
	}
	return w.state
}

// takeOrder takes a listed order in full as far as it is read, and requests it where the
// list is newer.
func (w *workList) takeOrder(h *ops.Order) (unread bool, fault error) {
	o, at := w.cache.Details.Get(h.UUID)
	if o != nil {
		w.orders = append(w.orders, o)
	}
	if o == nil || !o.UpdatedAt.Equal(h.UpdatedAt.Time) || o.Status != h.Status {
		w.needed = append(w.needed, w.cache.Details.NeedStamped(h.UUID, cache.OrderStamp(&h.Order)))
	}
	if api.IsStatus(at.Err, http.StatusNotFound) { // deleted since
		return false, nil
	}
	return o == nil && at.Err == nil, at.Err
}

// sortWork returns the tasks by step, oldest first, those waiting for a client last.
func (w *workList) sortWork(now time.Time) (list []*orderItem) {
	for _, o := range w.orders {
		list = append(list, workOf(o, now)...)
	}
	slices.SortFunc(list, func(a, b *orderItem) int {
		return cmp.Or(
			cmp.Compare(a.step, b.step),
			a.Since.Time.Compare(b.Since.Time),
			cmp.Compare(a.Code, b.Code),
		)
	})
	return list
}

// workOf returns the tasks of an order.
func workOf(o *ops.Order, now time.Time) (list []*orderItem) {
	switch {
	case o.Status == api.OrderBiddingWithQuote:
		x := itemOfOrder(o, now)
		if q := openQuote(o, now); q != nil {
			return append(list, x.waitFor(stepClient, q.CreatedAt.Time, now))
		}
		began := o.CreatedAt.Time
		if len(o.Quotes) > 0 {
			began = o.UpdatedAt.Time
		}
		for _, q := range o.Quotes {
			if q.ExpiryDate.After(began) && q.ExpiryDate.Before(now) {
				began = q.ExpiryDate.Time
			}
		}
		return append(list, x.waitFor(stepQuote, began, now))
	case o.Status.HasAcceptedQuote():
		for i := range o.Missions {
			m := &o.Missions[i]
			step := stepOf(m, now)
			began := m.UpdatedAt.Time
			if step == stepDeliver && m.FlightDate.After(began) {
				began = m.FlightDate.Time
			}
			if step != stepNone {
				list = append(list, itemOfMission(o, m, now).waitFor(step, began, now))
			}
		}
	}
	return list
}

// stepOf returns the next step of a mission.
func stepOf(m *ops.Mission, now time.Time) workStep {
	switch m.Status {
	case api.MissionAwaitingPilot:
		return stepAssign
	case api.MissionPilotAssigned:
		return stepSchedule
	case api.MissionFlightScheduled:
		p := m.FlightPermission
		if (p == nil || p.Status == api.PermissionPending) && m.FlightDate.After(now) {
			return stepPermit
		}
		return stepDeliver
	case api.MissionDataDelivered:
		return stepAccept
	}
	return stepNone
}

// quotesOf returns the state of an order's quotes.
func quotesOf(o *ops.Order, now time.Time) format.QuoteCounts {
	isOpen := func(q ops.Quote) bool { return q.Status == api.QuoteOpen }
	switch {
	case openQuote(o, now) != nil:
		return format.QuotesReady
	case slices.ContainsFunc(o.Quotes, isOpen):
		return format.QuotesExpired
	default:
		return format.QuotesNone
	}
}

// openQuote returns the open quote of an order that expires next, or nil.
func openQuote(o *ops.Order, now time.Time) (first *ops.Quote) {
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.IsDecidable(now) && (first == nil || q.ExpiryDate.Before(first.ExpiryDate.Time)) {
			first = q
		}
	}
	return first
}

// describeItem returns all details of an item: what it is, then its order.
func (d *operationsPage) describeItem(x *orderItem) page.RowAbout {
	facts := []widget.Fact{widget.Toned("Status", x.Status.Text, x.Status.Role)}
	if x.Since.Known {
		facts = append(facts, widget.Text("Waiting", x.Since.Text))
	}
	switch {
	case x.mission != nil:
		facts = append(facts, d.missionFacts(x)...)
	case x.quote != nil:
		facts = append(facts, d.quoteFacts(x.quote)...)
	case x.notice != nil:
		facts = append(facts, widget.Texts(
			"Event", string(api.EventOrderCompleted),
			"To", x.notice.Address,
			"Result", x.Operator.Text,
			"Error", format.ValueOf(x.notice.Error),
			"Created", format.Moment(x.notice.CreatedAt.Time, d.env.Clock.Now()),
		)...)
	}
	return page.RowAbout{Title: x.Code + "  " + x.Name, Facts: append(facts, d.orderFacts(x)...)}
}

// orderFacts returns what is known of the order of an item, as its client sees it, and of
// its quotes.
func (d *operationsPage) orderFacts(x *orderItem) []widget.Fact {
	o, now, by := x.Order, d.env.Clock.Now(), cmp.Or(x.Account, &ops.Account{})
	facts := orders.OrderFacts(d.env, cache.ClientOrderOf(o))
	if x.quote != nil || x.notice != nil {
		facts = append(widget.Texts("Order", o.OrderCode+"  "+o.OrderName), facts...)
	}
	facts = append(facts, widget.Text("Contact", strings.TrimSpace(by.ClientName+"  "+by.ClientEmail)))
	for i := range o.Quotes {
		q := itemOfQuote(o, &o.Quotes[i], now)
		facts = append(facts, widget.Text("Quote", q.Status.Text+", "+q.Operator.Text+", "+q.Name))
	}
	if len(o.Quotes) == 0 && o.Status == api.OrderBiddingWithQuote {
		in := o.SuggestQuote(0, now)
		usual := format.Money(in.PriceBeforeDiscount, in.Currency) + " in " + format.Count(in.DeliveryBy, "day")
		facts = append(facts, widget.Text("Usual quote", usual))
	}
	return facts
}

func (d *operationsPage) quoteFacts(q *ops.Quote) []widget.Fact {
	now, discount := d.env.Clock.Now(), ""
	if p, ok := q.Discount(); ok && p > 0 {
		discount = strings.TrimSpace(format.GroupDigits(p, 0) + "%  " + format.ValueOf(q.ReasonForDiscount))
	}
	return widget.Texts(
		"Price", priceOf(q),
		"Discount", discount,
		"Delivery time", q.DeliveryBy.String(),
		"Expires", format.Moment(q.ExpiryDate.Time, now),
		"Issued", format.Moment(q.CreatedAt.Time, now),
		"Decided", format.Moment(q.DecidedAt.Time, now),
		"Description", q.Description,
	)
}

// missionFacts returns what is known of a mission, its history newest first.
func (d *operationsPage) missionFacts(x *orderItem) []widget.Fact {
	m, now := x.mission, d.env.Clock.Now()
	facts := orders.MissionFacts(d.env, cache.MissionOf(&m.Mission, &x.Order.Order))
	parts := timeline.MissionParts{
		Planning:   m.Planning,
		Permission: m.FlightPermission,
		Packages:   m.Packages,
	}
	told := timeline.SubjectFacts{Units: d.env.Look.Units, Missions: []*timeline.Mission{{Mission: m.Mission, MissionParts: parts}}}
	for _, e := range slices.Backward(timeline.BuildEntries(&told, now)) {
		_, what, _ := strings.Cut(e.What, string(e.Source)+" ") // the label says it
		e.What = cmp.Or(what, e.What)
		for _, f := range e.Fields {
			if f.Name == "Note" || f.Name == "Reference" {
				e.What += ", " + f.Value
			}
		}
		if e.Source != timeline.FromMission {
			facts = append(facts, widget.Toned(
				format.CapitalizeFirst(string(e.Source)),
				e.Glyph+" "+e.What,
				e.Role,
			))
		}
	}
	return facts
}

// newOrderList returns the list of an account's orders, or of all accounts if it is "".
func newOrderList(d *operationsPage, account string) *page.List[*ops.Order] {
	cols := columns.PickColumns(
		columns.OpsOrders(d.companyName, d.env.Clock.Now),
		"orderCode orderName status client openQuotes missionCount areaSize createdAt deadline",
	)
	for i := range cols {
		switch c := &cols[i]; c.MachineName() {
		case "client":
			c.Off = account != ""
		case "createdAt":
			c.Off = false
			c.Drop = 4
		}
	}
	return newListPane(d, page.CachedSource(d.cache.Orders, account), page.ListOptions[*ops.Order]{
		Name:    "desk-orders",
		Example: "status:deleted or client:küste",
		One:     "order",
		Scope:   action.OpsOrders,
		Columns: cols,
		Muted:   func(o *ops.Order) bool { return o.Status.IsAbandoned() || o.Status == api.OrderArchived },
		Stamp:   func(o *ops.Order) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:    func(o *ops.Order) tea.Cmd { return d.env.Nav.Open(newOrderPage(d, o.UUID, "")) },
		Empty:   "No orders yet.\nAll orders of all clients appear here, including deleted ones.",
	}, func(o *ops.Order) inspectSubject {
		return inspectSubject{o.AccountUID, timeline.StorySubject{Order: o.OrderCode}}
	})
}

// orderParts lists the missions, quotes and completion notices of an order.
type orderParts struct {
	*page.List[*orderItem]
	d       *operationsPage
	uuid    string
	item    *orderItem // of the order, nil until it was read
	state   page.ListState[*orderItem]
	notices []ops.CompletionNotice
}

// newOrderPage returns the page of one order as Operations sees it, with a mission
// selected by ID.
func newOrderPage(from *operationsPage, uuid, selected string) *operationsPage {
	d := newOperationsPage(from.env, from.workList, timeline.ShortID(uuid))
	p := &orderParts{d: d, uuid: uuid}
	o := d.itemOptions(
		"desk-parts",
		columns.MakeColumns[*orderItem]("orderItems", nil),
		func(x *orderItem) *orderItem { return cmp.Or(x, p.item) },
	)
	o.Example, o.One, o.Many = "status:scheduled", "mission or quote", "missions and quotes"
	o.Scope, o.Head = action.OpsOrder, p.renderHead
	o.Empty = "The order has no missions."
	o.Acts = append(
		o.Acts,
		page.ResendAct(d.base, action.ResendNotice, "no failed completion notices", p.noticesOf))
	p.List = newListPane(d, page.ListSource[*orderItem]{
		State: p.readParts, Needs: p.partNeeds,
	}, o, func(*orderItem) inspectSubject { return p.item.inspected() })
	p.Wanted = selected
	d.addPane("Order", p)
	return d
}

// partNeeds requests the order and, once it is completed, its completion notices.
func (p *orderParts) partNeeds(int) []cache.Need {
	needs := []cache.Need{p.d.cache.Details.NeedOf(p.uuid)}
	if p.item != nil && p.item.Order.Status == api.OrderCompleted {
		needs = append(needs, p.d.cache.Notices.NeedOf(p.uuid))
	}
	return needs
}

// readParts returns the parts of the order, most urgent first: failed notices, quotes
// while bidding, then missions.
func (p *orderParts) readParts() page.ListState[*orderItem] {
	o, is := p.d.cache.Details.Get(p.uuid)
	notices, told := p.d.cache.Notices.Get(p.uuid)
	if is.Version+told.Version == p.state.Version {
		return p.state
	}
	p.notices, p.state = notices, page.ListState[*orderItem]{
		Version: is.Version + told.Version,
		At:      is.ReadAt,
		Err:     cmp.Or(is.Err, told.Err),
	}
	if o != nil {
		p.item, p.d.title = itemOfOrder(o, p.d.env.Clock.Now()), o.OrderCode
		p.state.Rows = partsOf(o, notices, p.d.env.Clock.Now())
	}
	return p.state
}

func partsOf(o *ops.Order, notices []ops.CompletionNotice, now time.Time) []*orderItem {
	var missions, quotes, told, failed []*orderItem
	for i := range o.Missions {
		missions = append(missions, itemOfMission(o, &o.Missions[i], now))
	}
	for i := range o.Quotes {
		quotes = append(quotes, itemOfQuote(o, &o.Quotes[i], now))
	}
	for i := range notices {
		to := &told
		if notices[i].Failed() {
			to = &failed
		}
		*to = append(*to, itemOfNotice(o, &notices[i]))
	}
	if o.Status == api.OrderBiddingWithQuote {
		missions, quotes = quotes, missions
	}
	return slices.Concat(failed, missions, quotes, told)
}

// noticesOf returns the selected completion notice, nil if another part is selected, and
// those that failed.
func (p *orderParts) noticesOf(x *orderItem) (u timeline.Undelivered) {
	if p.item == nil {
		return u
	}
	if x != nil && x.notice != nil {
		u.Selected = new(timeline.NoticeSending(x.notice, x.OrderCode))
	}
	u.Failures, u.Of = timeline.FailedNotices(p.notices, p.item.OrderCode), p.item.Code
	return u
}

// renderHead renders the order in one line above its parts.
func (p *orderParts) renderHead(w int) []string {
	if p.item == nil {
		return nil
	}
	th, x := p.d.env.Look.Theme, p.item
	return []string{format.FitEnds(" "+th.PaintRole(theme.Accent, x.Code)+"  "+th.PaintTitle(x.Name)+
		th.PaintMuted(
			"  "+p.d.companyName(x.AccountUID),
		), th.PaintRole(x.Status.Role, x.Status.Text)+" ", w)}
}
