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

// nextDecision returns the quotes that expire next, with the key of the section of quotes.
func nextDecision(env *page.Env) page.Lead {
	return quotes.NextDecision(env, action.KeyOf(action.GoQuotes, action.Everywhere), "Quotes")
}

// OrderList is the page of the account's orders, newest first.
type OrderList struct {
	*page.List[*api.Order]

	aside *OrderPage // page of the selected order, shown next to the list
}

// NewOrderList returns the page of all orders, with a filter.
func NewOrderList(env *page.Env, query string) *OrderList {
	l := &OrderList{aside: newOrderPage(env)}
	base := page.NewBase(env)
	l.List = page.NewList(base, withRecords(env.Profile.Cache), page.ListOptions[*api.Order]{
		Title:       "Orders",
		Example:     "status:completed or name:levee",
		Singular:    "order",
		Scope:       action.Orders,
		Lead:        func() page.Lead { return nextDecision(env) },
		Columns:     columns.Orders(env.QuotesOf),
		ID:          cache.OrderIdentity,
		Muted:       func(o *api.Order) bool { return format.Status(o.Status).Role == theme.Muted },
		ChangeStamp: func(o *api.Order) string { return columns.RowStamp(string(o.Status), o.UpdatedAt.Time) },
		PaletteEntry: func(o *api.Order) (string, string) {
			return o.OrderCode + "  " + o.OrderName, format.Status(o.Status).Glyph + " order"
		},
		RenderDetails: l.renderLines,
		Needs:         l.detailNeeds,
		ThirdPane:     l.renderQuotesAndMap,
		Open:          func(o *api.Order) tea.Cmd { return env.Nav.Show(page.OrderRoute{Order: o}) },
		Actions:       orderActions(base),
		Empty:         "No orders yet.",
		Keys:          []page.RowKey{{Action: action.NewOrder, Text: "new order from a KML or CSV file"}},
	})
	l.aside.Map = l.Map // the list draws the map of the order that aside shows
	l.ApplyFilter(query)
	return l
}

// DataNeeds requests the orders, all of them if they are filtered or sorted.
func (l *OrderList) DataNeeds() []cache.Need {
	needs := l.List.DataNeeds()
	if l.Grid.NeedsAllRows() {
		needs = append(needs, l.Env.Profile.Cache.AllOrders())
	}
	return needs
}

// detailNeeds returns the needs of an order's details, and of its quotes if they are shown. It
// returns nil if the order has no code.
func (l *OrderList) detailNeeds(o *api.Order) []cache.Need {
	if o.OrderCode == "" {
		return nil
	}
	data := l.Env.Profile.Cache
	stamp := cache.OrderStamp(o)
	needs := []cache.Need{data.Details.NeedStamped(o.OrderCode, stamp)}
	if l.ShowsThirdPane() && data.HasQuotes() {
		needs = append(needs, data.Records.NeedStamped(cache.OrderIdentity(o), stamp))
	}
	return needs
}

// renderQuotesAndMap renders the quotes of an order, and below them the map of its missions if there
// is room.
func (l *OrderList) renderQuotesAndMap(o *api.Order, w, h int) string {
	lines := l.quoteLines(o, w, h)
	rest := h - len(lines)
	if len(l.aside.order.Missions) == 0 || rest < leastMap {
		return format.FitBox(lines, w, h)
	}
	if len(lines) > 0 {
		rule := strings.Repeat("─", w)
		lines = append(lines, l.Env.Look.Theme.Rule.Render(rule))
		rest--
	}
	drawnMap := l.DrawMap(2, len(lines), w, rest)
	lines = append(lines, format.SplitLines(drawnMap)...)
	return format.FitBox(lines, w, h)
}

// leastMap is the minimum height of a map.
const leastMap = 4

// quoteLines renders the quotes of an order, or returns nil if the order has no quotes or the
// account has no access to quotes.
func (l *OrderList) quoteLines(o *api.Order, w, h int) []string {
	if !l.Env.Profile.Cache.HasQuotes() {
		return nil
	}
	record, state := l.Env.Profile.Cache.Records.Get(cache.OrderIdentity(o))
	if record != nil && !hasQuotes(record) {
		return nil
	}
	return quotes.RenderSection(l.Env, record, state, w, h, action.Orders)
}

// hasQuotes reports whether a record has open or decided quotes.
func hasQuotes(record *api.OrderRecord) bool {
	if record.AcceptedQuote != nil {
		return true
	}
	return len(record.Quotes)+len(record.RejectedQuotes)+len(record.ClosedQuotes) > 0
}

// renderLines renders an order next to the list. needsMap says that the map must be drawn below the lines:
// the missions are listed, and there is no third pane with the map.
func (l *OrderList) renderLines(o *api.Order, w, h int) (lines []string, needsMap bool) {
	l.aside.quoted = l.ShowsThirdPane()
	l.aside.showKnown(o)
	lines, hasMissions := l.aside.renderBeside(w, h)
	return lines, hasMissions && !l.ShowsThirdPane()
}

// Update handles new data, and selects new orders.
func (l *OrderList) Update(msg tea.Msg) tea.Cmd {
	if placed, is := msg.(page.PlacedMsg); is {
		l.ClearFilter()
		l.Wanted = cache.OrderIdentity(placed.Order)
	}
	return l.List.Update(msg)
}

// onlyRecord is the reason why an order that only the v2 API returns cannot be changed.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, followed by the orders that only the v2 API returns.
func withRecords(c *cache.Cache) page.ListSource[*api.Order] {
	public := page.CachedSource(c.Orders, cache.Account)
	all := public
	var joined page.ListState[*api.Order] // the last result of State
	all.State = func() page.ListState[*api.Order] {
		state := public.State()
		state.Version += c.Recorded.Version()
		if state.Version != joined.Version {
			records := columns.Pointers(c.OnlyRecords())
			state.Rows = append(slices.Clip(state.Rows), records...)
			joined = state
		}
		joined.Reading = state.Reading
		return joined
	}
	all.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return all
}
