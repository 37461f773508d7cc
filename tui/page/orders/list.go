package orders

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

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

// nextDecision returns the line about the quotes that expire next after now, with the key that opens the section
// Quotes.
func nextDecision(env *page.Env, now time.Time) page.Lead {
	return quotes.NextDecision(env, now, action.KeyOf(action.GoQuotes, action.Everywhere), "to compare")
}

// OrderList is the page of the account's orders, newest first.
type OrderList struct {
	*page.List[*api.Order]

	aside  *OrderPage // page of the selected order, shown next to the list
	quoted int        // Env.QuotedVersion when the cells were last drawn; they are redrawn when it changes
}

// NewOrderList returns the page of the account's orders, filtered by query. The query "" shows all orders.
func NewOrderList(env *page.Env, query string) *OrderList {
	l := &OrderList{aside: newOrderPage(env)}
	base := page.NewBase(env)
	source, isRecord := withRecords(env.Profile.Cache)
	l.List = page.NewList(base, source, page.ListOptions[*api.Order]{
		Title:       "Orders",
		Example:     "status:completed or name:levee",
		Singular:    "order",
		Scope:       action.Orders,
		Order:       page.RowOrder{Column: "createdAt", Descending: true},
		Lead:        func() page.Lead { return nextDecision(env, env.Clock.Now()) },
		Columns:     columns.Orders(env.QuotesOf),
		ID:          cache.OrderIdentity,
		Muted:       func(o *api.Order) bool { return format.Status(o.Status).Role == theme.Muted },
		ChangeStamp: func(o *api.Order) string { return columns.RowStamp(string(o.Status), o.UpdatedAt.Time) },
		LoadsLater:  isRecord,
		PaletteEntry: func(o *api.Order) (string, string) {
			return o.OrderCode + "  " + o.OrderName, format.OrderState(o.Status, env.QuotesOf(o.UUID)).Glyph + " order"
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
	quotes.ShowLoaded(env)
	l.quoted = env.QuotedVersion()
	l.ApplyFilter(query)
	return l
}

// DataNeeds returns the data that the page needs: the orders, and which of them have open quotes. A list that is
// filtered or sorted needs all orders of the account.
func (l *OrderList) DataNeeds() []cache.Need {
	needs := l.List.DataNeeds()
	if l.Env.Profile.Cache.HasQuotes() {
		needs = append(needs, l.Env.Profile.Cache.Quoted.NeedOf(cache.Account))
	}
	if l.Grid.NeedsAllRows() {
		needs = append(needs, l.Env.Profile.Cache.AllOrders())
	}
	return needs
}

// detailNeeds returns the data that the details of an order need: the order with its missions and, if they are
// shown, its quotes. It returns nil if the order has no code.
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

// renderLines renders an order next to the list. needsMap is true if the list should draw a map of the order's
// missions below the lines. That is the case if the lines contain the missions and there is no third pane,
// because the third pane has a map.
func (l *OrderList) renderLines(o *api.Order, w, h int) (lines []string, needsMap bool) {
	l.aside.quoted = l.ShowsThirdPane()
	l.aside.showKnown(o)
	lines, hasMissions := l.aside.renderBeside(w, h)
	return lines, hasMissions && !l.ShowsThirdPane()
}

// Update shows new data after it was loaded. If an order was just placed, Update selects it.
func (l *OrderList) Update(msg tea.Msg) tea.Cmd {
	if placed, is := msg.(page.PlacedMsg); is {
		l.ClearFilter()
		l.Wanted = cache.OrderIdentity(placed.Order)
	}
	if _, isRead := msg.(page.ReadMsg); isRead {
		quotes.ShowLoaded(l.Env)
	}
	cmd := l.List.Update(msg)
	l.refreshQuoted()
	return cmd
}

// refreshQuoted redraws the cells and filters the rows again after the open quotes of an order have changed.
func (l *OrderList) refreshQuoted() {
	current := l.Env.QuotedVersion()
	if l.quoted != current {
		l.quoted = current
		l.Grid.RefreshCells()
	}
}

// onlyRecord is the reason why an order that only the v2 API returns cannot be changed.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns a source of the account's orders, including orders that only the v2 API returns. isRecord
// reports whether an order comes only from the v2 API. If the public API returns no orders, the list is shown
// as loading until the orders of the v2 API are loaded, too.
func withRecords(c *cache.Cache) (source page.ListSource[*api.Order], isRecord func(*api.Order) bool) {
	source = page.CachedSource(c.Orders, cache.Account)
	public := source
	var joined page.ListState[*api.Order] // the last result of State
	var records []*api.Order              // the rows of joined that only the v2 API returns
	source.State = func() page.ListState[*api.Order] {
		state := public.State()
		state.Version += c.Recorded.Version()
		if state.Version != joined.Version {
			records = columns.Pointers(c.OnlyRecords())
			joined = joinRecords(c, state, records)
		}
		joined.Reading = state.Reading
		return joined
	}
	source.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return source, func(o *api.Order) bool { return slices.Contains(records, o) }
}

// joinRecords adds the orders that only the v2 API returns to the state of the public API's orders.
func joinRecords(
	c *cache.Cache, state page.ListState[*api.Order], records []*api.Order,
) page.ListState[*api.Order] {
	state.Rows = insertRecords(state.Rows, records)
	isListed := !state.At.IsZero() && state.Err == nil
	if len(state.Rows) > 0 || !isListed {
		return state
	}
	isRead, err := areRecordsRead(c)
	state.Err = err
	if !isRead {
		state.At = time.Time{}
	}
	return state
}

// insertRecords returns the listed orders, which are sorted newest first, and the orders of the v2 API among them.
// The v2 API does not say when an order was placed: its orders in progress follow the last listed order in
// progress, and its other orders are last.
func insertRecords(listed, records []*api.Order) []*api.Order {
	isLive := func(o *api.Order) bool { return o.Status.IsLive() }
	var live, ended []*api.Order
	for _, o := range records {
		if isLive(o) {
			live = append(live, o)
		} else {
			ended = append(ended, o)
		}
	}
	afterLive := len(listed)
	for afterLive > 0 && !isLive(listed[afterLive-1]) {
		afterLive--
	}
	return slices.Concat(listed[:afterLive], live, listed[afterLive:], ended)
}

// listedOrders returns all orders of the account, including orders that only the v2 API has.
func listedOrders(c *cache.Cache) []*api.Order {
	return insertRecords(columns.Pointers(c.Now().Orders), columns.Pointers(c.OnlyRecords()))
}

// refreshOrders reloads the orders from both APIs.
func refreshOrders(c *cache.Cache) {
	c.RefreshOrders(true)
	c.RefreshNeeds(c.AllRecords()...)
}

// areRecordsRead reports whether the orders of the v2 API are loaded. It also returns true if there is nothing
// to load: the service has no v2 API, or the v2 API rejects this key. err is the error of the last attempt to
// load them.
func areRecordsRead(c *cache.Cache) (isRead bool, err error) {
	_, state := c.Recorded.Get(cache.Account)
	isRefused := errors.Is(state.Err, api.ErrNoLegacy) ||
		api.IsStatus(state.Err, http.StatusForbidden, http.StatusNotFound)
	if isRefused {
		return true, nil
	}
	return !state.ReadAt.IsZero() || state.Offline, state.Err
}
