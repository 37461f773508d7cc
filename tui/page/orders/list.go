package orders

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
)

// Section is the "Orders" section of the app.
var Section = page.Section{
	Go: action.GoOrders, Name: "Orders", Short: "Ord",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// OrderList is the page of the account's orders, newest first.
type OrderList struct {
	*listpage.Page[api.Order]
	again  page.Question // loads the selected order, to order it again
	detail *orderDetail
}

// NewList returns the page of all orders.
func NewList(env *page.Env) *OrderList {
	l := &OrderList{detail: newOrderDetail(env)}
	l.Page = listpage.NewPage(page.NewBase(env), withRecords(env.Cache), listpage.Options[api.Order]{
		Title:   "Orders",
		Name:    "orders",
		Example: "status:completed or area:>100",
		One:     "order",
		Many:    "orders",
		Scope:   action.Orders,
		Columns: columns.ScreenColumns(columns.Orders(env.QuotesOf)),
		ID:      cache.OrderIdentity,
		Look: func(o *api.Order) (mark table.Cell, muted bool) {
			return mark, labels.OrderStatus(o.Status).Role == theme.Muted
		},
		Stamp: func(o *api.Order) string { return columns.RowStamp(string(o.Status), o.UpdatedAt.Time) },
		Place: func(o *api.Order) (string, string) {
			return o.OrderCode + "  " + o.OrderName, labels.OrderStatus(o.Status).Glyph + " order"
		},
		Lines:    l.renderLines,
		Third:    l.renderQuotes,
		HasThird: func() bool { return env.Cache.HasQuotes() },
		Open:     func(o *api.Order) tea.Cmd { return env.OpenOrder(o) },
		Empty:    [2]string{"No orders yet."},
		Keys:     []listpage.RowKey{{Key: "n", Text: "new order from a KML or CSV file"}},
	})
	l.detail.smap = l.Detail.Map
	return l
}

// NewListWith returns the page of all orders with a filter applied.
func NewListWith(env *page.Env, query string) *OrderList {
	l := NewList(env)
	l.ApplyFilter(query)
	return l
}

// DataNeeds requests the orders, all of them if they are filtered or sorted. Unless the
// list is scrolling, it also requests the details and quotes of the selected one that
// are shown.
func (l *OrderList) DataNeeds() []cache.Need {
	needs, o := l.Page.DataNeeds(), l.Current()
	if l.List.Grid.IsWhole() {
		needs = append(needs, l.Cache.AllOrders())
	}
	if o != nil && o.OrderCode != "" && l.Width >= listpage.Wide && (l.IsScrolling == nil || !l.IsScrolling()) {
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
	return layout.FitBox(quotes.RenderOffers(l.Theme, r, state, l.Now(), w, h), w, h)
}

// renderLines renders what is known of an order.
func (l *OrderList) renderLines(o *api.Order, w, h int) ([]string, bool) {
	full, state := l.Cache.Details.Get(o.OrderCode)
	if full != nil {
		o = full
	}
	l.detail.record, l.detail.quoted = nil, l.HasThird()
	if l.HasOpenQuotes(o.UUID) {
		l.detail.record, _ = l.Cache.Records.Get(o.UUID)
	}
	if state.Err != nil {
		o = withKnownMissions(l.Env, o)
	}
	if l.detail.err = state.Err; l.detail.order != o {
		l.detail.setOrder(o)
	}
	return l.detail.renderLines(w, h)
}

// Update handles new data, new orders and orders loaded to order again.
func (l *OrderList) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case repeatedAnswer:
		return beginDraft(l.Env, msg)
	case page.PlacedMsg:
		l.List.ClearFilter()
		cmd := l.Page.Update(msg)
		l.List.Grid.Select(cache.OrderIdentity(msg.Order))
		return cmd
	}
	return l.Page.Update(msg)
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (l *OrderList) DisabledReason(id action.ID) string {
	switch id {
	case action.ShowQuotes, action.ShowData, action.ShowTimeline:
		return l.Page.DisabledReason(action.Open)
	case action.OrderAgain:
		return repeatRefusal(l.Current(), &l.again)
	}
	if move, is := moves[id]; is {
		return moveRefusal(l.Env, l.knownOrder(), move)
	}
	return l.Page.DisabledReason(id)
}

// knownOrder returns the selected order, with all details if they are loaded and
// current.
func (l *OrderList) knownOrder() *api.Order {
	o := l.Current()
	if o == nil {
		return nil
	}
	if full, _ := l.Cache.Details.Get(o.OrderCode); full != nil && cache.OrderStamp(full) == cache.OrderStamp(o) {
		return full
	}
	return o
}

func (l *OrderList) HandleAction(id action.ID) tea.Cmd {
	if cmd, done := handleOrder(l.Base, &l.again, l.Current(), id); done {
		return cmd
	}
	return l.Page.HandleAction(id)
}

// handleOrder performs an action shared by the list and the order page, and reports
// whether it was one.
func handleOrder(b page.Base, again *page.Question, o *api.Order, id action.ID) (cmd tea.Cmd, done bool) {
	switch id {
	case action.ShowQuotes:
		return b.Open(quotes.NewCompare(b.Env, cache.OrderIdentity(o), nil)), true
	case action.ShowTimeline:
		return b.OpenStory(timeline.StorySubject{Order: o.OrderCode}, ""), true
	case action.ShowData:
		return b.Open(deliveries.NewOf(b.Env, o.OrderCode, "")), true
	case action.NewOrder:
		return b.NewOrder(), true
	case action.OrderAgain:
		return repeatOrder(b, again, o), true
	}
	move, is := moves[id]
	if is {
		confirmMove(b.Env, o, move)
	}
	return nil, is
}

// onlyRecord is why an order that only the v2 API knows cannot be changed.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, followed by those that only the v2 API
// knows.
func withRecords(c *cache.Cache) listpage.Source[api.Order] {
	public := listpage.Cached(c, c.Orders, cache.Account)
	all := public
	var state listpage.State[api.Order]
	seen := -1
	all.State = func() listpage.State[api.Order] {
		now, version := public.State(), c.Recorded.Version()
		if now.Version+version != state.Version || seen != version {
			state, seen = now, version
			if only := c.OnlyRecords(); len(only) > 0 {
				state.Rows = append(state.Rows[:len(state.Rows):len(state.Rows)], listpage.Pointers(only)...)
			}
			state.Version = now.Version + version
		}
		state.Reading = now.Reading
		return state
	}
	all.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return all
}
