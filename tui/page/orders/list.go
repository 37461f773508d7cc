package orders

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// OrdersSection is the "Orders" section of the app.
var OrdersSection = page.Section{
	Go: action.GoOrders, Name: "Orders", Short: "Ord",
	First: func(env *page.Env) page.Page { return NewOrderList(env, "") },
}

// OrderList is the page of the account's orders, newest first.
type OrderList struct {
	*page.List[*api.Order]

	aside *OrderPage // of the selected order, beside the list
}

// NewOrderList returns the page of all orders, with a filter.
func NewOrderList(env *page.Env, query string) *OrderList {
	l, base := &OrderList{aside: newOrderPage(env)}, page.NewBase(env)
	l.List = page.NewList(base, withRecords(env.Profile.Cache), page.ListOptions[*api.Order]{
		Title:   "Orders",
		Example: "status:completed or name:levee",
		One:     "order",
		Scope:   action.Orders,
		Lead:    func() page.Lead { return quotes.NextDecision(env, "4", "Quotes") },
		Columns: columns.Orders(env.QuotesOf),
		ID:      cache.OrderIdentity,
		Muted:   func(o *api.Order) bool { return format.Status(o.Status).Role == theme.Muted },
		Stamp:   func(o *api.Order) string { return columns.RowStamp(string(o.Status), o.UpdatedAt.Time) },
		Place: func(o *api.Order) (string, string) {
			return o.OrderCode + "  " + o.OrderName, format.Status(o.Status).Glyph + " order"
		},
		Lines:    l.renderLines,
		Needs:    l.detailNeeds,
		Third:    l.renderThird,
		HasThird: func() bool { return true },
		Open:     func(o *api.Order) tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: o}) },
		Acts:     orderActs(base),
		Empty:    "No orders yet.",
		Keys:     []page.RowKey{{Key: "n", Text: "new order from a KML or CSV file"}},
	})
	l.aside.Map = l.Map
	l.ApplyFilter(query)
	return l
}

// DataNeeds requests the orders, all of them if they are filtered or sorted.
func (l *OrderList) DataNeeds() []cache.Need {
	needs := l.List.DataNeeds()
	if l.Grid.IsWhole() {
		needs = append(needs, l.Env.Profile.Cache.AllOrders())
	}
	return needs
}

// detailNeeds returns the details and quotes of an order that are shown.
func (l *OrderList) detailNeeds(o *api.Order) (needs []cache.Need) {
	if o.OrderCode != "" {
		needs = append(needs, l.Env.Profile.Cache.Details.NeedStamped(o.OrderCode, cache.OrderStamp(o)))
		if l.HasThird() && l.Env.Profile.Cache.HasQuotes() {
			needs = append(needs, l.Env.Profile.Cache.Records.NeedStamped(cache.OrderIdentity(o), cache.OrderStamp(o)))
		}
	}
	return needs
}

// renderThird renders the quotes of an order, and below them the map of its missions.
func (l *OrderList) renderThird(o *api.Order, w, h int) string {
	lines := l.quoteLines(o, w, h)
	rest := h - len(lines)
	if len(l.aside.order.Missions) == 0 || rest < leastMap {
		return format.FitBox(lines, w, h)
	}
	if len(lines) > 0 {
		lines = append(lines, l.Env.Look.Theme.Rule.Render(strings.Repeat("─", w)))
		rest--
	}
	return format.FitBox(append(lines, format.SplitLines(l.DrawMap(2, len(lines), w, rest))...), w, h)
}

// leastMap is how many lines a map needs.
const leastMap = 4

// quoteLines renders the quotes of an order, nothing if it has none.
func (l *OrderList) quoteLines(o *api.Order, w, h int) []string {
	r, state := l.Env.Profile.Cache.Records.Get(cache.OrderIdentity(o))
	isEmpty := r != nil && len(r.Quotes)+len(r.RejectedQuotes)+len(r.ClosedQuotes) == 0 && r.AcceptedQuote == nil
	if isEmpty || !l.Env.Profile.Cache.HasQuotes() {
		return nil
	}
	return quotes.RenderSection(l.Env, r, state, w, h)
}

// renderLines renders what is known of an order. With a third pane the map is there.
func (l *OrderList) renderLines(o *api.Order, w, h int) (lines []string, place bool) {
	l.aside.quoted = l.HasThird()
	l.aside.showKnown(o)
	lines, place = l.aside.renderBeside(w, h)
	return lines, place && !l.HasThird()
}

// Update handles new data, and selects new orders.
func (l *OrderList) Update(msg tea.Msg) tea.Cmd {
	if placed, is := msg.(page.PlacedMsg); is {
		l.ClearFilter()
		l.Wanted = cache.OrderIdentity(placed.Order)
	}
	return l.List.Update(msg)
}

// onlyRecord is why an order that only the v2 API knows cannot be changed.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, followed by those that only the v2 API
// knows.
func withRecords(c *cache.Cache) page.ListSource[*api.Order] {
	public := page.CachedSource(c.Orders, cache.Account)
	all := public
	var state page.ListState[*api.Order]
	all.State = func() page.ListState[*api.Order] {
		now := public.State()
		if now.Version += c.Recorded.Version(); now.Version != state.Version {
			now.Rows = append(slices.Clip(now.Rows), columns.Pointers(c.OnlyRecords())...)
			state = now
		}
		state.Reading = now.Reading
		return state
	}
	all.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return all
}
