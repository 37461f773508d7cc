package operations

import (
	"fmt"
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
	"flightdesk/tui/widget"
)

// minItemDetails is the minimum width of the details of an item. It is wide enough for most e-mail addresses.
const minItemDetails = 48

const (
	maxActiveOrders    = 500 // active orders whose tasks are listed
	maxCompletedOrders = 100 // completed orders whose deliveries the client may still have to accept
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
	stepClient // waits for the client to decide on a quote
)

// stepWords has a text for each [workStep].
var stepWords = []string{
	stepNone:     "",
	stepQuote:    "issue quote",
	stepAssign:   "assign",
	stepSchedule: "schedule",
	stepPermit:   "permit",
	stepDeliver:  "deliver",
	stepAccept:   "accept",
	stepClient:   "client decides",
}

// stepActions has the action of each step that Operations performs.
var stepActions = map[workStep]action.ID{
	stepQuote:    action.IssueQuote,
	stepAssign:   action.AssignOperator,
	stepSchedule: action.ScheduleFlight,
	stepPermit:   action.RecordPermit,
	stepDeliver:  action.Deliver,
	stepAccept:   action.AcceptDelivery,
}

// orderItem is a row of a list: an order, or one of its missions, quotes or completion
// notices. In the task queue it has the next step of the order or mission.
type orderItem struct {
	*ops.Order
	mission *ops.Mission          // nil unless the item is a mission
	quote   *ops.Quote            // nil unless the item is a quote
	notice  *ops.CompletionNotice // nil unless the item is a completion notice

	// Values of the columns of the list.
	ID, Code, Name string
	Status         columns.Cell
	Next           columns.Cell // the next step, in the task queue only
	Since          columns.Cell // how long the item has been waiting for this step
	step           workStep     // the step of Next
}

func itemOfOrder(o *ops.Order, now time.Time) *orderItem {
	return &orderItem{
		Order:  o,
		ID:     o.UUID,
		Code:   o.OrderCode,
		Name:   o.OrderName,
		Status: columns.StateCell(format.OrderState(o.Status, columns.QuotesOf(o, now)), 0),
	}
}

func itemOfMission(o *ops.Order, m *ops.Mission, now time.Time) *orderItem {
	state := format.MissionState(m.Status, o.Status, columns.QuotesOf(o, now))
	return &orderItem{
		Order:   o,
		mission: m,
		ID:      m.UUID,
		Code:    m.MissionCode,
		Name:    m.MissionName,
		Status:  columns.MissionStateCell(m.Status, state),
	}
}

func itemOfQuote(o *ops.Order, q *ops.Quote, now time.Time) *orderItem {
	return &orderItem{
		Order:  o,
		quote:  q,
		ID:     q.UUID,
		Code:   "quote",
		Name:   q.QuoteName,
		Status: columns.StateCell(format.QuoteLabel(q.Status, !q.IsDecidable(now)), 0),
	}
}

func itemOfNotice(o *ops.Order, n *ops.CompletionNotice) *orderItem {
	outcome, glyph, role := timeline.NoticeOutcome(n)
	result, _, _ := strings.Cut(outcome, ": ")
	return &orderItem{
		Order:  o,
		notice: n,
		ID:     n.UUID,
		Code:   "notice",
		Name:   timeline.NoticeWay(n),
		Status: columns.TextCell(glyph + " " + result).WithTone(role),
	}
}

// noticeFault returns why a completion notice failed, or a dash if it did not.
func noticeFault(n *ops.CompletionNotice) string {
	outcome, _, _ := timeline.NoticeOutcome(n)
	_, reason, _ := strings.Cut(outcome, ": ")
	if reason == "" {
		return format.None
	}
	return reason
}

// priceOf returns the final price of a quote, or a dash if it is unknown.
func priceOf(q *ops.Quote) string {
	if !q.FinalPrice.Known {
		return format.None
	}
	return format.Money(q.FinalPrice.Amount, q.Currency)
}

// waitFor sets the next step of the item, and how long the item has been waiting for this step. began is the time at
// which the wait began. waitFor returns the item.
func (x *orderItem) waitFor(step workStep, began, now time.Time) *orderItem {
	x.step = step
	role := format.Attention
	if step == stepClient {
		role = format.Pending
	}
	x.Next = columns.TextCell(stepWords[step]).WithTone(role)
	age := format.Age(began, now)
	waiting := now.Sub(began)
	if waiting < 0 { // the wait has not begun: data cannot be delivered before the flight
		age = format.None
	} else if waiting >= 24*time.Hour {
		age = fmt.Sprintf("%d d", int(waiting.Hours())/24)
	}
	x.Since = columns.Cell{Text: age, Time: began, Known: true}
	return x
}

// remarkCell returns what matters most about a part of an order: the operator of a mission, the
// price of a quote, or why a notice failed.
func (x *orderItem) remarkCell() columns.Cell {
	if x.mission != nil {
		return columns.TextAt(x.mission.OperatorName)
	}
	if x.quote != nil {
		return columns.TextCell(priceOf(x.quote))
	}
	if x.notice != nil {
		return columns.TextCell(noticeFault(x.notice))
	}
	return columns.Cell{}
}

// date returns the flight date of a mission, or the date on which a quote expires.
func (x *orderItem) date() api.Time {
	if x.mission != nil {
		return x.mission.FlightDate
	}
	if x.quote != nil {
		return x.quote.ExpiryDate
	}
	return api.Time{}
}

// permissionCell returns the flight permission of a mission.
func (x *orderItem) permissionCell() columns.Cell {
	if x.mission == nil {
		return columns.Cell{}
	}
	return columns.PermissionOf(x.mission)
}

// stamp returns a text that changes whenever a value changes that the list shows for the item.
func (x *orderItem) stamp() string {
	return fmt.Sprint(x.step, x.Status, x.remarkCell(), x.date(), x.permissionCell())
}

// isMuted reports whether Operations can do nothing about the item.
func (x *orderItem) isMuted() bool {
	if x.step == stepClient {
		return true
	}
	return x.quote != nil && x.quote.Status != api.QuoteAccepted && x.quote.Status != api.QuoteOpen
}

// inspected returns the order or mission whose timeline can be opened for the item.
func (x *orderItem) inspected() inspectSubject {
	s := inspectSubject{x.AccountUID, timeline.StorySubject{Order: x.OrderCode}}
	if x.mission != nil {
		s.of.Mission = x.mission.UUID
	}
	return s
}

// itemOptions returns the options of a list of items. The layout of its columns is stored under
// name. The function subject returns the item that an action on a row changes.
func (d *paneTools) itemOptions(
	name string,
	cols []columns.Column[*orderItem],
	subject func(row *orderItem) *orderItem,
) page.ListOptions[*orderItem] {
	return page.ListOptions[*orderItem]{
		Name:        name,
		Columns:     cols,
		Also:        []action.Scope{action.OpsTask},
		ID:          func(x *orderItem) string { return x.ID },
		ChangeStamp: (*orderItem).stamp,
		Muted:       (*orderItem).isMuted,
		Problems: page.RowProblems[*orderItem]{
			Has: func(x *orderItem) bool { return x.notice != nil && x.notice.Failed() },
		},
		Details: d.describeItem,
		Layout:  page.ListLayout{MinDetailWidth: minItemDetails},
		Actions: d.moveActions(subject),
	}
}

// openQuote returns the open quote of an order that expires next, or nil.
func openQuote(o *ops.Order, now time.Time) *ops.Quote {
	var first *ops.Quote
	for i := range o.Quotes {
		q := &o.Quotes[i]
		if q.IsDecidable(now) && (first == nil || q.ExpiryDate.Before(first.ExpiryDate.Time)) {
			first = q
		}
	}
	return first
}

// describeItem returns the details of an item, followed by the details of its order.
func (d *paneTools) describeItem(x *orderItem) page.RowDetails {
	facts := []widget.Fact{widget.Toned("Status", x.Status.Text, x.Status.Role)}
	if x.step != stepNone {
		facts = append(facts, widget.Texts("Next", d.nextText(x), "Company", x.CompanyName)...)
	}
	if x.mission != nil {
		facts = append(facts, d.missionFacts(x)...)
	} else if x.quote != nil {
		facts = append(facts, d.quoteFacts(x.quote)...)
	} else if x.notice != nil {
		facts = append(facts, d.noticeFacts(x)...)
	}
	facts = appendNew(facts, d.orderFacts(x))
	return page.RowDetails{Title: x.Code + "  " + x.Name, Facts: facts}
}

// nextText returns the next step of a task with its key, and how long the task has been waiting for the step, such as
// "accept: press A · waiting 93 d".
func (d *paneTools) nextText(x *orderItem) string {
	text := stepWords[x.step]
	if id, isOurs := stepActions[x.step]; isOurs {
		if key := d.env.Profile.KeyOf(id, action.OpsTask); key != "" {
			text += ": press " + key
		}
	}
	if x.Since.Known && x.Since.Text != format.None {
		text += " · waiting " + x.Since.Text
	}
	return text
}

// isOtherStep reports whether an action performs a step of an order or mission, but another step than the next step of
// the item. It returns false if the item has no next step, or if Operations does not perform the next step.
func (x *orderItem) isOtherStep(id action.ID) bool {
	next, hasNext := stepActions[x.step]
	if !hasNext || id == next {
		return false
	}
	for _, stepAction := range stepActions {
		if stepAction == id {
			return true
		}
	}
	return false
}

// appendNew appends the facts that are not in the list yet. For example, the deadline of an order is left out if the
// list already has the same deadline from the order's mission.
func appendNew(list, facts []widget.Fact) []widget.Fact {
	for _, fact := range facts {
		isListed := func(other widget.Fact) bool { return other.Label == fact.Label && other.Value == fact.Value }
		if !slices.ContainsFunc(list, isListed) {
			list = append(list, fact)
		}
	}
	return list
}

func (d *paneTools) noticeFacts(x *orderItem) []widget.Fact {
	return widget.Texts(
		"Event", string(api.EventOrderCompleted),
		"To", x.notice.Address,
		"Result", noticeFault(x.notice),
		"Error", format.ValueOf(x.notice.Error),
		"Created", format.Moment(x.notice.CreatedAt.Time, d.env.Clock.Now()),
	)
}

// orderFacts returns the details of an item's order: the fields that the client sees, the client's contact,
// and the quotes.
func (d *paneTools) orderFacts(x *orderItem) []widget.Fact {
	o := x.Order
	now := d.env.Clock.Now()
	var facts []widget.Fact
	if x.quote != nil || x.notice != nil {
		facts = widget.Texts("Order", o.OrderCode+"  "+o.OrderName)
	}
	facts = append(facts, orders.OrderFacts(d.env, cache.ClientOrderOf(o))...)
	facts = append(facts, contactFacts(o)...)
	for i := range o.Quotes {
		q := itemOfQuote(o, &o.Quotes[i], now)
		facts = append(facts, widget.Text("Quote", q.Status.Text+", "+priceOf(q.quote)+", "+q.Name))
	}
	return append(facts, d.usualQuoteFacts(o)...)
}

// contactFacts returns the name and the e-mail address of an order's client, or nil if the account is unknown.
func contactFacts(o *ops.Order) []widget.Fact {
	if o.Account == nil {
		return nil
	}
	return widget.Texts("Contact", o.Account.ClientName, "E-mail", o.Account.ClientEmail)
}

// usualQuoteFacts returns the suggested price and delivery time of an order that has no quotes yet, or nil.
func (d *paneTools) usualQuoteFacts(o *ops.Order) []widget.Fact {
	if len(o.Quotes) > 0 || o.Status != api.OrderBiddingWithQuote {
		return nil
	}
	in := o.SuggestQuote(0, d.env.Clock.Now())
	usual := format.Money(in.PriceBeforeDiscount, in.Currency) + " in " + format.Count(in.DeliveryBy, "day")
	return widget.Texts("Usual quote", usual)
}

func (d *paneTools) quoteFacts(q *ops.Quote) []widget.Fact {
	now := d.env.Clock.Now()
	discount := ""
	if percent, ok := q.Discount(); ok && percent > 0 {
		discount = strings.TrimSpace(format.GroupDigits(percent, 0) + "%  " + format.ValueOf(q.ReasonForDiscount))
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

// missionFacts returns the details of a mission and its history.
func (d *paneTools) missionFacts(x *orderItem) []widget.Fact {
	facts := orders.MissionFacts(d.env, cache.MissionOf(&x.mission.Mission, &x.Order.Order))
	return append(facts, d.historyFacts(x)...)
}

// historyFacts returns the history of a mission: its deliveries, planning and permission, each newest first.
func (d *paneTools) historyFacts(x *orderItem) []widget.Fact {
	m := x.mission
	parts := timeline.MissionParts{
		Planning:   m.Planning,
		Permission: m.FlightPermission,
		Packages:   m.Packages,
	}
	sources := timeline.SubjectFacts{
		Units:    d.env.Look.Units,
		Missions: []*timeline.Mission{{Mission: m.Mission, MissionParts: parts}},
	}
	entries := timeline.BuildEntries(&sources, d.env.Clock.Now())
	var facts []widget.Fact
	for _, source := range []timeline.EntrySource{
		timeline.FromDelivery, timeline.FromPlanning, timeline.FromPermission,
	} {
		for _, entry := range slices.Backward(entries) {
			if entry.Source == source {
				facts = append(facts, historyFact(&entry))
			}
		}
	}
	return facts
}

// historyFact returns an entry of a mission's history. The label of the fact names where the entry comes from,
// such as "Planning".
func historyFact(entry *timeline.TimelineEntry) widget.Fact {
	text := entry.What
	_, withoutSource, _ := strings.Cut(text, string(entry.Source)+" ")
	if withoutSource != "" { // the label names the source already
		text = withoutSource
	}
	shown := []string{"Note", "Reference", timeline.OutcomeField}
	for _, field := range entry.Fields {
		if slices.Contains(shown, field.Name) {
			text += ", " + field.Value
		}
	}
	return widget.Toned(format.CapitalizeFirst(string(entry.Source)), entry.Glyph+" "+text, entry.Role)
}

// newOrderList returns the list of an account's orders, or of all orders if account is "".
func newOrderList(d *paneTools, account string) *page.List[*ops.Order] {
	subject := func(o *ops.Order) inspectSubject {
		return inspectSubject{o.AccountUID, timeline.StorySubject{Order: o.OrderCode}}
	}
	empty := "No orders yet.\nAll orders of all clients appear here, including deleted ones."
	if account != "" {
		empty = "No orders yet.\nAll orders of the client appear here, including deleted ones."
	}
	return newListPane(d, page.CachedSource(d.cache.Orders, account), page.ListOptions[*ops.Order]{
		Name:        "operations-orders",
		Example:     "status:deleted or client:küste",
		Singular:    "order",
		Scope:       action.OpsOrders,
		Columns:     d.orderColumns(account),
		Muted:       func(o *ops.Order) bool { return o.Status.IsAbandoned() || o.Status == api.OrderArchived },
		ChangeStamp: func(o *ops.Order) string { return string(o.Status) + o.UpdatedAt.String() },
		Open:        func(o *ops.Order) tea.Cmd { return d.env.Nav.Open(newOrderPage(d, o.UUID, "")) },
		Empty:       empty,
	}, subject)
}

// orderColumns returns the columns of an account's orders, or of all orders if account is "".
func (d *paneTools) orderColumns(account string) []columns.Column[*ops.Order] {
	cols := columns.PickColumns(
		columns.OpsOrders(d.service.companyName, d.env.Clock.Now),
		"orderCode orderName status client openQuotes missionCount areaSize createdAt deadline",
	)
	for i := range cols {
		switch cols[i].MachineName() {
		case "orderName":
			cols[i].Width = 36 // the names matter more than the columns that are hidden for them
		case "client":
			cols[i].Off = account != ""
			cols[i].Width = 26
		case "createdAt":
			cols[i].Off = false
			cols[i].Drop = 4
		}
	}
	return cols
}
