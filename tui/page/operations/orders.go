package operations

import (
	"cmp"
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
