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

// Section is the account's orders.
var Section = page.Section{
	Go: action.GoOrders, Name: "Orders", Short: "Ord",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// OrderList is the account's orders, newest first.
type OrderList struct {
	*listpage.Page[api.Order]
	again  page.Question // for the selected order, to place it again
	detail *orderDetail
}

// NewList returns the page.
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

// NewListWith returns the page with a filter.
func NewListWith(env *page.Env, query string) *OrderList {
	l := NewList(env)
	l.ApplyFilter(query)
	return l
}

// DataNeeds returns the orders, as many as can be read where they are filtered or sorted,
// and the selected one in full with its quotes where they are shown and the keys
// rest at it.
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

// renderQuotes returns those of an order.
func (l *OrderList) renderQuotes(o *api.Order, w, h int) string {
	r, state := l.Cache.Records.Get(cache.OrderIdentity(o))
	return layout.FitBox(quotes.RenderOffers(l.Theme, r, state, l.Now(), w, h), w, h)
}

// renderLines returns what is known of an order.
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
		o = keptMissions(l.Env, o)
	}
	if l.detail.err = state.Err; l.detail.order != o {
		l.detail.setOrder(o)
	}
	return l.detail.renderLines(w, h)
}

// Update takes what was read.
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

// DisabledReason says what cannot be done without an order.
func (l *OrderList) DisabledReason(id action.ID) string {
	switch id {
	case action.ShowQuotes, action.ShowData, action.ShowTimeline:
		return l.Page.DisabledReason(action.Open)
	case action.OrderAgain:
		return notAgain(l.Current(), &l.again)
	}
	if move, is := moves[id]; is {
		return moveRefusal(l.Env, l.knownOrder(), move)
	}
	return l.Page.DisabledReason(id)
}

// knownOrder returns the selected order, in full where that was read as it stands.
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

// HandleAction performs an action.
func (l *OrderList) HandleAction(id action.ID) tea.Cmd {
	if cmd, done := handleOrder(l.Base, &l.again, l.Current(), id); done {
		return cmd
	}
	return l.Page.HandleAction(id)
}

// handleOrder performs an action that the list of orders and the page of one share, and
// reports whether it was one.
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
		askMove(b.Env, o, move)
	}
	return nil, is
}

// onlyRecord is why an order cannot be changed that the v2 API alone has.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, and behind them those that only the v2
// API has.
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
