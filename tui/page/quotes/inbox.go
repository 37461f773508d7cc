package quotes

import (
	"fmt"
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
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const staleAfter = 15 * time.Second // older data is shown with its age

// Section is the "Quotes" section of the app.
var Section = page.Section{
	Go: action.GoQuotes, Name: "Quotes", Short: "Quo",
	First: NewInbox,
}

type quotedOrder = quoting.QuotedOrder

// QuoteInbox is the page of orders with open quotes, soonest expiry first.
type QuoteInbox struct {
	*page.List[*quotedOrder]
	known  cache.OpenQuotes
	state  page.ListState[*quotedOrder]
	mapped mappedOrder
}

// NewInbox returns the page of open quotes.
func NewInbox(env *page.Env) page.Page {
	p := &QuoteInbox{}
	p.List = page.NewList(page.NewBase(env), p.inboxSource(env.Profile.Cache), p.listOptions(env))
	p.updateFromCache()
	return p
}

// listOptions returns the options of the list. env is an argument because p.Env is not set before the list is
// created.
func (p *QuoteInbox) listOptions(env *page.Env) page.ListOptions[*quotedOrder] {
	compareQuotes := func(s *quotedOrder) tea.Cmd {
		return env.Nav.Open(NewCompare(env, s.ID, p.known.Full[s.ID]))
	}
	paletteEntry := func(s *quotedOrder) (name, kind string) {
		label := format.OrderState(api.OrderBiddingWithQuote, env.QuotesOf(s.ID))
		return "Quotes of " + quoting.OrderName(s.OrderRecord) + "  " + s.OrderName, label.Glyph + " quotes"
	}
	return page.ListOptions[*quotedOrder]{
		Title:         "Quotes",
		Name:          "quotes",
		Example:       "price:<5000 or levee",
		Singular:      "order",
		Scope:         action.QuoteInbox,
		Order:         page.RowOrder{Column: "expiryDate"},
		Lead:          func() page.Lead { return NextDecision(env, env.Clock.Now(), "", "") },
		Columns:       p.inboxColumns(env.Clock.Now),
		ID:            func(s *quotedOrder) string { return s.ID },
		Problems:      page.RowProblems[*quotedOrder]{Has: func(s *quotedOrder) bool { return s.Fault != nil }},
		Muted:         (*quotedOrder).HasExpired,
		ChangeStamp:   quoteStamp,
		PaletteEntry:  paletteEntry,
		RenderDetails: p.renderLines,
		Needs:         p.detailNeeds,
		Open:          compareQuotes,
		Actions:       inboxActions(env),
		Empty:         "No open quotes.\nQuotes appear here once the service has reviewed an order.",
		Keys:          []page.RowKey{{Action: action.Decisions, Text: "decision log"}},
		RenderFoot:    p.renderFault,
		RenderSpare:   p.renderSpare,
		SpareAtRows:   true,
	}
}

// inboxActions returns the actions of the list: show the selected order, and the log of decisions.
func inboxActions(env *page.Env) []page.Action[*quotedOrder] {
	showOrder := func(s *quotedOrder) tea.Cmd {
		return env.Nav.Show(page.OrderRoute{Order: cache.OrderOf(s.OrderRecord)})
	}
	showDecisions := func(*quotedOrder) tea.Cmd { return env.Nav.Open(NewDecisions(env)) }
	return []page.Action[*quotedOrder]{
		{ID: action.ShowOrder, Do: showOrder},
		{ID: action.Decisions, NeedsNoRow: true, Do: showDecisions},
	}
}

// quoteStamp returns a text that changes when an order gets a new quote or a quote is no longer open.
func quoteStamp(s *quotedOrder) string {
	var ids []string
	for _, o := range s.Set.Open {
		ids = append(ids, o.QuoteID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

// detailNeeds returns the data that the details of a row need: the order with its missions. It returns nil if
// the order has no code.
func (p *QuoteInbox) detailNeeds(s *quotedOrder) []cache.Need {
	if s.OrderCode == "" {
		return nil
	}
	return []cache.Need{p.Env.Profile.Cache.Details.NeedOf(s.OrderCode)}
}

// inboxSource returns the source of the list's rows, which are the orders with open quotes.
func (p *QuoteInbox) inboxSource(c *cache.Cache) page.ListSource[*quotedOrder] {
	return page.ListSource[*quotedOrder]{
		State: func() page.ListState[*quotedOrder] { return p.state },
		Needs: func(int) []cache.Need { return []cache.Need{c.AllQuotes()} },
		Refresh: func() tea.Cmd {
			c.RefreshQuotes(true)
			return nil
		},
	}
}

// leastExpiredWidth is the smallest width of a window in which the corner has the number of expired orders. In a
// narrower window it could displace the number of orders to decide.
const leastExpiredWidth = 80

// CornerText returns the number of orders to decide, and the age of the data.
func (p *QuoteInbox) CornerText() string {
	known := &p.known
	if known.At.IsZero() || known.Kept {
		return p.List.CornerText()
	}
	total := len(p.state.Rows)
	undecided := countUndecided(p.state.Rows)
	expired := total - undecided
	loaded := len(known.Full)
	text := format.GroupInt(undecided) + " to decide"
	if loaded < total {
		text += fmt.Sprintf(", quotes of %d of %d loaded", loaded, total)
	} else if expired > 0 && p.Env.Look.Width >= leastExpiredWidth {
		text += " · " + format.GroupInt(expired) + " expired"
	}
	return p.Env.Look.JoinSort(p.Grid, text+" · refreshed "+format.Ago(known.At, p.Env.Clock.Now()))
}

// OnShow shows the newest quotes of the cache.
func (p *QuoteInbox) OnShow() tea.Cmd {
	p.updateFromCache()
	return nil
}

// Update shows new data after it was loaded. All messages are passed to the list.
func (p *QuoteInbox) Update(msg tea.Msg) tea.Cmd {
	if _, read := msg.(page.ReadMsg); read {
		p.updateFromCache()
	}
	return p.List.Update(msg)
}

// CountsSeconds reports whether a quote expires within an hour. The page then shows the remaining seconds, and is
// redrawn every second.
func (p *QuoteInbox) CountsSeconds() bool {
	next := p.nextOffer()
	if next != nil && !next.ExpiryDate.After(p.Env.Clock.Now()) {
		p.sortOrders()
		next = p.nextOffer()
	}
	return isLastHour(next, p.Env.Clock.Now())
}

// isLastHour reports whether a quote expires within an hour, so that its remaining seconds are shown. It
// returns false if o is nil.
func isLastHour(o *offer, now time.Time) bool {
	return o != nil && UrgencyRole(o.ExpiryDate, now) == theme.Bad
}

// isUrgent reports whether a quote expires within a day. It returns false if o is nil.
func isUrgent(o *offer, now time.Time) bool {
	return o != nil && UrgencyRole(o.ExpiryDate, now) != theme.Text
}

// nextOffer returns the quote of all orders that expires next, or nil if there is none.
func (p *QuoteInbox) nextOffer() *offer {
	if len(p.state.Rows) == 0 {
		return nil
	}
	return quoting.LeastOf(p.state.Rows[0].Live, (*offer).Expiry)
}

// updateFromCache shows the newest quotes of the cache if they have changed.
func (p *QuoteInbox) updateFromCache() {
	current := p.Env.Profile.Cache.Quotes()
	if current.Version != p.known.Version {
		p.known = current
		p.sortOrders()
	}
}

// sortOrders updates the rows from the known quotes and the current time, soonest expiry
// first.
func (p *QuoteInbox) sortOrders() {
	known := &p.known
	p.state = page.ListState[*quotedOrder]{
		Rows:    quoting.QuotedOrders(known, p.Env.Clock.Now()),
		Version: p.state.Version + 1,
		At:      known.At,
		Err:     known.Err,
		Offline: known.Kept,
	}
	ShowQuoted(p.Env, p.state.Rows)
	p.Sync()
}

// ShowLoaded calls ShowQuoted with the orders that have open or expired quotes, if these orders are loaded.
func ShowLoaded(env *page.Env) {
	open := env.Profile.Cache.Quotes()
	if !open.At.IsZero() {
		ShowQuoted(env, quoting.QuotedOrders(&open, env.Clock.Now()))
	}
}

// ShowQuoted tells all pages which orders have open or expired quotes, so that they show the right status. It
// also shows the number of orders to decide next to the name of the section.
func ShowQuoted(env *page.Env, orders []*quotedOrder) {
	env.SetQuoted(quoting.StatesOf(orders))
	undecided := countUndecided(orders)
	badge := page.SectionBadge{Role: theme.Attention}
	if undecided > 0 {
		badge.Text = fmt.Sprint(undecided)
	}
	env.SetBadge(action.GoQuotes, badge)
}

// countUndecided returns the number of orders that have quotes to decide.
func countUndecided(orders []*quotedOrder) int {
	undecided := 0
	for _, s := range orders {
		if !s.HasExpired() {
			undecided++
		}
	}
	return undecided
}

// renderSpare renders what the user needs to decide on the quotes of the selected order, in the h lines below
// the list. In a narrow window, which does not show the quotes next to the list, these are the quotes. In other
// windows these are the delivery dates of the quotes and, if there is room, the fields of the order.
func (p *QuoteInbox) renderSpare(w, h int) []string {
	selected := p.Current()
	if selected == nil || !selected.Full {
		return nil
	}
	th := p.Env.Look.Theme
	lines := []string{th.Rule.Render(strings.Repeat("─", w))}
	if !p.IsSplit() {
		key := action.KeyOf(action.Open, action.QuoteInbox)
		lines = append(lines, RenderQuotes(p.Env, selected.OrderRecord, key, w, h-len(lines))...)
	} else {
		lines = append(lines, renderDeliveries(p.Env, selected, w)...)
		lines, _ = appendPart(lines, p.renderOrder(selected, w), h)
	}
	if len(lines) > h {
		return nil
	}
	return lines
}

// maxFactLines is the maximum number of lines of an order's fields below the list.
const maxFactLines = 8

// renderOrder renders the fields of the order of quotes, in lines of at most w cells below a title.
func (p *QuoteInbox) renderOrder(s *quotedOrder, w int) []string {
	th := p.Env.Look.Theme
	facts := widget.WrapFacts(th, termWidth, w, orderFacts(p.Env, s.OrderRecord)...)
	if len(facts) > maxFactLines {
		facts = facts[:maxFactLines]
		facts[maxFactLines-1] = th.PaintMuted(" … the rest is in the order")
	}
	return append([]string{" " + th.PaintTitle("Order")}, facts...)
}

// renderFault returns the lines that explain why the quotes of the selected order could not be
// loaded, or nil if they could.
func (p *QuoteInbox) renderFault(w int) []string {
	selected := p.Current()
	if selected == nil || selected.Fault == nil {
		return nil
	}
	return p.Env.Look.RenderProblem(selected.Fault, "", w, action.QuoteInbox)
}

// renderLines renders the quotes of an order. It also puts the order's missions on the map, and
// reports whether there are any.
func (p *QuoteInbox) renderLines(s *quotedOrder, w, h int) ([]string, bool) {
	order, _ := p.Env.Profile.Cache.Details.Get(s.OrderCode)
	if order != nil {
		p.mapped.show(p.Map, order, s.State())
	}
	head := p.renderHead(s, w)
	key := action.KeyOf(action.Open, action.QuoteInbox)
	lines := page.JoinParts(head, RenderQuotes(p.Env, s.OrderRecord, key, w, max(6, h*2/3)))
	hasMissions := order != nil && len(order.Missions) > 0
	return lines, hasMissions
}

// renderHead renders the code and the name of an order, wrapped if they do not fit into w cells, and the company.
func (p *QuoteInbox) renderHead(s *quotedOrder, w int) []string {
	th := p.Env.Look.Theme
	code := quoting.OrderName(s.OrderRecord)
	indent := format.Width(code) + 3
	parts := format.Wrap(format.Clean(s.OrderName), max(1, w-indent-1))
	if len(parts) == 0 { // an order without a name
		parts = []string{""}
	}
	var head []string
	for i, part := range parts {
		before := format.BlankCells(indent)
		if i == 0 {
			before = " " + th.PaintRole(theme.Accent, code) + "  "
		}
		head = append(head, format.CutLine(before+th.PaintTitle(part), w))
	}
	return append(head, th.PaintMuted(format.CutLine(" "+s.CompanyName, w)))
}

// inboxColumns returns the columns of the list. Cells about the quotes of an order show "…" while the quotes
// are being loaded. They are empty if the quotes could not be loaded.
func (p *QuoteInbox) inboxColumns(now func() time.Time) []columns.Column[*quotedOrder] {
	return columns.MakeColumns("inbox", columns.Values[*quotedOrder]{
		"orderCode":  func(s *quotedOrder) columns.Cell { return columns.TextCell(quoting.OrderName(s.OrderRecord)) },
		"quotes":     ifLoaded(func(s *quotedOrder) columns.Cell { return columns.NumberCell(len(s.Choices())) }),
		"finalPrice": ifLoaded(cheapestCell),
		"deliveryBy": ifLoaded(fastestCell),
		"expiryDate": ifLoaded(func(s *quotedOrder) columns.Cell { return p.expiryCell(s, now()) }),
	})
}

// ifLoaded returns a function that calls value for an order whose quotes are loaded. For other orders the function
// returns a placeholder.
func ifLoaded(value func(s *quotedOrder) columns.Cell) func(s *quotedOrder) columns.Cell {
	return func(s *quotedOrder) columns.Cell {
		if s.Full {
			return value(s)
		}
		if s.Fault != nil {
			return columns.NoCell()
		}
		return columns.TextCell("…").WithTone(theme.Muted)
	}
}

// expiryCell returns how much time is left until the first quote of an order expires. Only the first order of
// the list shows seconds, in the last hour before the expiry.
func (p *QuoteInbox) expiryCell(s *quotedOrder, now time.Time) columns.Cell {
	if s.Expires.IsZero() {
		return rawExpiry(s)
	}
	showsSeconds := s == p.state.Rows[0] && isLastHour(p.nextOffer(), now)
	return columns.Cell{
		Text:  format.TimeLeft(s.Expires, now, showsSeconds),
		Role:  UrgencyRole(api.TimeOf(s.Expires), now),
		Time:  s.Expires,
		Known: true,
	}
}

// cheapestCell returns the lowest price of an order's quotes. Prices in different currencies cannot be
// compared; the cell then says how many currencies there are.
func cheapestCell(s *quotedOrder) columns.Cell {
	if several := quoting.Currencies(s.Choices()); len(several) > 1 {
		return columns.TextCell(fmt.Sprintf("%d currencies", len(several))).WithTone(theme.Attention)
	}
	best := quoting.LeastOf(s.Choices(), (*offer).Price)
	if best == nil {
		return columns.NoCell()
	}
	return columns.PriceCell(best.FinalPrice, best.Currency)
}

// fastestCell returns the shortest delivery time, or an empty cell if no quote has one.
func fastestCell(s *quotedOrder) columns.Cell {
	best := quoting.LeastOf(s.Choices(), (*offer).DeliveryDays)
	if best == nil {
		return columns.NoCell()
	}
	return columns.DaysCell(best.DeliveryBy)
}

// rawExpiry returns the text of the first expiry that could not be parsed as a time. It returns an empty cell
// if there is no such expiry.
func rawExpiry(s *quotedOrder) columns.Cell {
	for _, o := range s.Choices() {
		if o.ExpiryDate.Raw != "" {
			return columns.TextCell(o.ExpiryDate.Raw).WithTone(theme.Attention)
		}
	}
	return columns.NoCell()
}

// NextDecision returns the lead about the order whose quotes are the next to expire. Its text has the order's code, the
// time that is left, the order's name and, if all quotes have the same currency, the lowest price. key is the key that
// opens the quotes, and does says what the key does; both can be "". If no quote can be decided, the lead is empty.
func NextDecision(env *page.Env, now time.Time, key, does string) page.Lead {
	open := env.Profile.Cache.Quotes()
	for _, s := range quoting.QuotedOrders(&open, now) {
		if s.Expires.IsZero() || s.HasExpired() {
			continue
		}
		expiry := "expires in " + format.TimeLeft(s.Expires, now, false)
		text := quoting.OrderName(s.OrderRecord) + " quote " + expiry + " · " + s.OrderName
		cheapest := quoting.LeastOf(s.Choices(), (*offer).Price)
		hasOneCurrency := len(quoting.Currencies(s.Choices())) == 1
		if cheapest != nil && hasOneCurrency {
			text += " · from " + format.Money(cheapest.FinalPrice.Amount, cheapest.Currency)
		}
		return page.Lead{Text: text, Short: "Quote " + expiry, Key: key, Does: does}
	}
	return page.Lead{}
}
