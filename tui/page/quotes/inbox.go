package quotes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listing"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/bar"
	"flightdesk/tui/widget/split"
	"flightdesk/tui/widget/table"
)

const (
	atOnce     = 4                // orders whose quotes are read at the same time
	staleAfter = 15 * time.Second // older data is read again when the page comes back
	poll       = 30 * time.Second // while the page is on the screen
	wide       = 120              // columns from which list and quotes stand side by side
)

// Section is the orders with open quotes.
var Section = page.Section{
	Go: action.GoQuotes, Name: "Quotes", Short: "Quo",
	First: func(env *page.Env) page.Page { return NewInbox(env) },
}

// Inbox is the orders with open quotes, the soonest expiry first.
type Inbox struct {
	page.Base
	orders []*api.OrderRecord // as the list has them, in the order of the rows
	full   map[string]*api.OrderRecord
	boards map[string]*board // of the orders that were read in full
	faults map[string]error  // why an order's quotes are not known, by id
	queue  []string          // ids of orders that are to be read
	busy   int
	read   time.Time
	err    error
	asked  page.Question
	list   *listing.Listing
	panes  split.Split
	clock  clock
	polls  int
}

// NewInbox returns the page.
func NewInbox(env *page.Env) *Inbox {
	p := &Inbox{Base: page.NewBase(env), full: map[string]*api.OrderRecord{}, boards: map[string]*board{}, faults: map[string]error{}}
	p.list = listing.New(p.Base, "quotes", "price:<5000 or levee",
		table.Column{Title: "Order", Name: "orderCode", Width: 10},
		table.Column{Title: "Name", Name: "orderName", Width: 12, Fill: 1},
		table.Column{Title: "Quotes", Name: "quotes", Kind: table.Number, Drop: 3},
		table.Column{Title: "From", Name: "finalPrice", Kind: table.Money, Drop: 1},
		table.Column{Title: "Fastest", Name: "deliveryBy", Width: 8, Right: true, Drop: 2},
		table.Column{Title: "Expires", Name: "expiryDate", Width: 9, Right: true},
		table.Column{Title: "Area", Name: "areaSize", Kind: table.Area, Off: true, Drop: 4},
	)
	p.list.Empty = "No order has all of that; "
	p.panes.Panes = []split.Pane{
		{Size: split.Percent(60), Least: 50, View: p.listView},
		{Size: split.Fill(1), Least: 38, View: p.beside, Of: p.list.Sheet.Selected},
	}
	p.panes.Passing = env.Passing
	return p
}

// Title is the page's name.
func (p *Inbox) Title() string { return "Quotes" }

// Corner counts what is to be decided, and tells the data's age.
func (p *Inbox) Corner() string {
	if p.read.IsZero() {
		if p.asked.Open() {
			return "reading…"
		}
		return ""
	}
	open := p.undecided()
	text := format.Count(open, "order", "orders") + " to decide"
	if n := len(p.orders) - open; n > 0 {
		text += fmt.Sprintf(" · %d expired", n)
	}
	if n := len(p.queue) + p.busy; n > 0 {
		text += fmt.Sprintf(" · quotes of %d of %d read", len(p.orders)-n, len(p.orders))
	}
	return text + " · refreshed " + format.Ago(p.read, p.Now())
}

// Start reads the orders where they were not read just now.
func (p *Inbox) Start() tea.Cmd {
	p.polls++
	cmds := []tea.Cmd{p.clock.start(p.Base, p.next()), page.Later(p.Base, poll, pollMsg{p.polls})}
	if !p.asked.Open() && (p.err != nil || p.read.IsZero() || p.Now().Sub(p.read) >= staleAfter) {
		cmds = append(cmds, p.refresh())
	}
	return tea.Batch(cmds...)
}

// pollMsg asks for newer data, of the newest start.
type pollMsg struct{ number int }

type ordersAnswer = page.Answer[[]*api.OrderRecord]

func (p *Inbox) refresh() tea.Cmd {
	client := p.Client
	return page.Ask(p.Base, &p.asked, func(ctx context.Context) ([]*api.OrderRecord, error) {
		var all []*api.OrderRecord
		for r, err := range client.Records.All(ctx, api.RecordListOptions{Status: api.RecordQuoteReceived}) {
			if err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		return all, nil
	})
}

// quotesMsg brings the quotes of one order.
type quotesMsg struct {
	id     string
	record *api.OrderRecord
	err    error
}

// Update takes answers and the clock.
func (p *Inbox) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ordersAnswer:
		if msg.Take() {
			return p.take(msg)
		}
	case page.Answer[quotesMsg]:
		return p.takeQuotes(msg)
	case tickMsg:
		p.rows()
		return p.clock.tick(p.Base, msg, p.next())
	case pollMsg:
		if msg.number == p.polls && p.Shown() {
			return tea.Batch(p.refresh(), page.Later(p.Base, poll, msg))
		}
	case page.SentMsg:
		return p.refresh()
	default:
		if cmd, taken := p.list.Update(msg); taken {
			return cmd
		}
	}
	return nil
}

// take shows the orders, and has their quotes read.
func (p *Inbox) take(msg ordersAnswer) tea.Cmd {
	if p.err = msg.Err; p.err != nil {
		p.rows()
		return nil
	}
	p.orders, p.read = msg.Value, p.Now()
	p.queue = p.queue[:0]
	for _, r := range p.orders {
		p.queue = append(p.queue, r.ID)
	}
	p.sort()
	p.badge()
	return p.readOn()
}

// readOn reads the quotes of the next orders, a few at the same time.
func (p *Inbox) readOn() tea.Cmd {
	var cmds []tea.Cmd
	client := p.Client
	for p.busy < atOnce && len(p.queue) > 0 {
		id := p.queue[0]
		p.queue = p.queue[1:]
		p.busy++
		cmds = append(cmds, page.Ask(p.Base, new(page.Question), func(ctx context.Context) (quotesMsg, error) {
			r, err := client.Records.Get(ctx, id)
			return quotesMsg{id: id, record: r, err: err}, nil
		}))
	}
	return tea.Batch(cmds...)
}

func (p *Inbox) takeQuotes(msg page.Answer[quotesMsg]) tea.Cmd {
	p.busy--
	got := msg.Value
	delete(p.faults, got.id)
	if got.err != nil {
		p.faults[got.id] = got.err
	} else {
		b := boardOf(got.record, p.Now())
		p.full[got.id], p.boards[got.id] = got.record, &b
	}
	p.sort()
	p.badge()
	return tea.Batch(p.readOn(), p.clock.start(p.Base, p.next()))
}

// undecided counts the orders that can be decided, as far as is known.
func (p *Inbox) undecided() int {
	n := 0
	for _, r := range p.orders {
		if at, known := p.expiry(r); !known || at.After(p.Now()) {
			n++
		}
	}
	return n
}

// badge shows how many orders can be decided.
func (p *Inbox) badge() {
	n, role := p.undecided(), theme.You
	text := ""
	if n > 0 {
		text = fmt.Sprint(n)
	}
	quoted := map[string]bool{}
	for _, r := range p.orders {
		if at, known := p.expiry(r); !known || at.After(p.Now()) {
			quoted[r.ID] = true
		}
	}
	p.SetQuoted(quoted)
	p.SetBadge(action.GoQuotes, page.Badge{Text: text, Role: role})
}

// expiry is when the first open quote of an order expires that has not yet,
// or else the last one; known is false where that is not read or not told.
func (p *Inbox) expiry(r *api.OrderRecord) (at time.Time, known bool) {
	b := p.boards[r.ID]
	if b == nil {
		return at, false
	}
	if o := b.soonest(p.Now()); o != nil {
		return o.ExpiryDate.Time, true
	}
	for _, o := range b.open {
		if o.ExpiryDate.After(at) {
			at = o.ExpiryDate.Time
		}
	}
	return at, !at.IsZero()
}

// next is the quote that expires next, of all orders.
func (p *Inbox) next() *offer {
	var next *offer
	for _, r := range p.orders {
		if b := p.boards[r.ID]; b != nil {
			if o := b.soonest(p.Now()); o != nil && (next == nil || o.ExpiryDate.Before(next.ExpiryDate.Time)) {
				next = o
			}
		}
	}
	return next
}

// sort puts the soonest expiry first, those without one after them, and what
// has expired last.
func (p *Inbox) sort() {
	now := p.Now()
	group := func(r *api.OrderRecord) int {
		at, known := p.expiry(r)
		switch {
		case !known:
			return 1
		case at.After(now):
			return 0
		default:
			return 2
		}
	}
	orders := slices.Clone(p.orders)
	slices.SortStableFunc(orders, func(x, y *api.OrderRecord) int {
		xAt, _ := p.expiry(x)
		yAt, _ := p.expiry(y)
		return cmp.Or(group(x)-group(y), xAt.Compare(yAt))
	})
	p.orders = orders
	p.rows()
}

func (p *Inbox) rows() {
	orders, next := p.orders, p.next()
	p.list.Sheet.Set(table.Source{
		Len:   len(orders),
		ID:    func(i int) string { return orders[i].ID },
		Cell:  func(i, column int) table.Cell { return p.cell(orders[i], column, next) },
		Look:  func(i int) (table.Cell, bool) { return p.look(orders[i]) },
		Stamp: func(i int) string { return p.stamp(orders[i]) },
	})
}

// stamp changes when quotes come or go.
func (p *Inbox) stamp(r *api.OrderRecord) string {
	b := p.boards[r.ID]
	if b == nil {
		return ""
	}
	var ids []string
	for _, o := range b.open {
		ids = append(ids, o.QuoteID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func (p *Inbox) look(r *api.OrderRecord) (mark table.Cell, muted bool) {
	if p.faults[r.ID] != nil {
		return table.Cell{Text: "!", Role: theme.Bad}, false
	}
	at, known := p.expiry(r)
	return mark, p.err != nil || known && !at.After(p.Now())
}

func (p *Inbox) cell(r *api.OrderRecord, column int, next *offer) table.Cell {
	switch column {
	case 0:
		return table.Cell{Text: name(r)}
	case 1:
		return table.Cell{Text: r.OrderName}
	case 6:
		return table.NumOf(r.AreaSize)
	}
	b := p.boards[r.ID]
	if b == nil {
		if p.faults[r.ID] != nil {
			return table.None()
		}
		return table.Cell{Text: "…", Role: theme.Muted}
	}
	offers := b.live(p.Now())
	if len(offers) == 0 {
		offers = b.open // all have expired
	}
	switch column {
	case 2:
		return table.Num(len(b.open))
	case 3:
		return cheapest(offers)
	case 4:
		return fastest(offers)
	default:
		at, known := p.expiry(r)
		if !known {
			return table.None()
		}
		text := format.Left(at, p.Now(), next != nil && next.order == r.ID)
		return table.Cell{Text: text, Role: urgency(at, p.Now()), Time: at, Known: true}
	}
}

// cheapest is the least price; of several currencies none is.
func cheapest(offers []*offer) table.Cell {
	if several := currencies(offers); len(several) > 1 {
		return table.Cell{Text: fmt.Sprintf("%d currencies", len(several)), Role: theme.You}
	}
	var best *offer
	for _, o := range offers {
		if price, ok := o.price(); ok && (best == nil || price < best.FinalPrice.Amount) {
			best = o
		}
	}
	if best == nil {
		return table.None()
	}
	return table.Amount(best.FinalPrice.Amount, best.Currency)
}

func fastest(offers []*offer) table.Cell {
	least, known := 0, false
	for _, o := range offers {
		if o.DeliveryBy.Known && (!known || o.DeliveryBy.Count < least) {
			least, known = o.DeliveryBy.Count, true
		}
	}
	if !known {
		return table.None()
	}
	return table.Cell{Text: api.DaysOf(least).String(), Num: float64(least), Known: true}
}

// Scopes are those of a list.
func (p *Inbox) Scopes() []action.Scope { return p.list.Scopes(action.QuoteInbox) }

// Typing is while the filter is typed.
func (p *Inbox) Typing() bool { return p.list.Typing() }

// Cursor stands in the filter while that is typed.
func (p *Inbox) Cursor() *tea.Cursor { return p.list.Cursor() }

// Back clears the filter first.
func (p *Inbox) Back() bool { return p.list.Clear() }

// current is the selected order, nil for none.
func (p *Inbox) current() *api.OrderRecord {
	if i, ok := p.list.Sheet.Current(); ok {
		return p.orders[i]
	}
	return nil
}

// Disabled says what cannot be done without an order.
func (p *Inbox) Disabled(id action.ID) string {
	if (id == action.Open || id == action.ShowOrder) && p.current() == nil {
		return "there is no order"
	}
	return p.list.Disabled(id)
}

// Do performs an action.
func (p *Inbox) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		r := p.current()
		return p.Open(NewCompare(p.Env, r.ID, p.full[r.ID]))
	case action.ShowOrder:
		return openOrder(p.Base, p.current())
	case action.Refresh:
		return p.refresh()
	case action.Decisions:
		return p.Open(NewDecisions(p.Env))
	}
	cmd, _ := p.list.Do(id)
	return cmd
}

// Mouse selects a row, opens it with a second click, and moves with the wheel.
func (p *Inbox) Mouse(m page.Mouse) tea.Cmd {
	if m.Wheel == 0 && p.Width >= wide {
		if i, _, _ := p.panes.Pane(m.X, m.Y); i != 0 {
			return nil
		}
	}
	if p.list.Mouse(m) && m.Double && p.current() != nil {
		return p.Do(action.Open)
	}
	return nil
}

// Places are the orders with quotes.
func (p *Inbox) Places() []page.Place {
	places := make([]page.Place, len(p.orders))
	for i, r := range p.orders {
		places[i] = page.Place{
			Name: name(r) + "  " + r.OrderName, Kind: "◆ quotes",
			Open: func() tea.Cmd { return p.Open(NewCompare(p.Env, r.ID, p.full[r.ID])) },
		}
	}
	return places
}

// View draws the orders, and from 120 columns on the quotes of the selected one
// beside them.
func (p *Inbox) View(w, h int) string {
	th := p.Theme
	switch {
	case len(p.orders) == 0 && p.err != nil:
		return cells.Box(page.Problem(th, p.err, "", "r", w), w, h)
	case len(p.orders) == 0 && !p.read.IsZero():
		return cells.Box([]string{
			"", cells.Text(th.Style(theme.Text), " Nothing to decide."), "",
			cells.Text(th.Style(theme.Muted), " Quotes appear here once the service has reviewed an order."),
			" " + cells.Text(th.Key, "i") + cells.Text(th.Style(theme.Muted), " what was decided from here"),
		}, w, h)
	case len(p.orders) == 0:
		return p.list.Loading(w, h)
	case w < wide:
		return p.listView(w, h)
	}
	return p.panes.View(th, w, h)
}

func (p *Inbox) listView(w, h int) string {
	var foot []string
	if p.err != nil {
		foot = page.Problem(p.Theme, p.err, format.Count(len(p.orders), "order", "orders")+", read "+format.Ago(p.read, p.Now()), "r", w)
	} else if r := p.current(); r != nil && p.faults[r.ID] != nil {
		foot = page.Problem(p.Theme, p.faults[r.ID], "", "r", w)
	}
	p.list.Sheet.Margin = 0
	if p.Width >= wide {
		p.list.Sheet.Margin = 1
	}
	return p.list.View(w, h, true, foot...)
}

// beside draws the quotes of the selected order as bars.
func (p *Inbox) beside(w, h int) string {
	r := p.current()
	if r == nil {
		return cells.Box(nil, w, h)
	}
	th := p.Theme
	lines := []string{
		" " + cells.Text(th.Style(theme.Accent), name(r)) + "  " + cells.Text(th.Title, r.OrderName),
		cells.Text(th.Style(theme.Muted), " "+r.CompanyName), "",
	}
	b := p.boards[r.ID]
	if b == nil {
		return cells.Box(lines, w, h)
	}
	room := max(1, (h-len(lines)-5)/2)
	lines = append(lines, chart(th, "Price", b.open, "cheapest", w, room, func(o *offer) (float64, string, bool) {
		price, ok := o.price()
		return price, finalText(o), ok
	})...)
	lines = append(append(lines, ""), chart(th, "Delivery", b.open, "fastest", w, room, func(o *offer) (float64, string, bool) {
		return float64(o.DeliveryBy.Count), o.DeliveryBy.String(), o.DeliveryBy.Known
	})...)
	lines = append(lines, "", " "+cells.Text(th.Key, "enter")+cells.Text(th.Style(theme.Muted), " compares and decides"))
	return cells.Box(lines, w, h)
}

// chart draws a figure of the offers as bars, at most h of them. Prices in
// several currencies are no figure to compare, and have none.
func chart(th *theme.Theme, title string, offers []*offer, word string, w, h int, figure func(*offer) (float64, string, bool)) []string {
	c := bar.Chart{Best: bar.Lower, Word: word}
	mixed := title == "Price" && len(currencies(offers)) > 1
	for _, o := range offers[:min(len(offers), h)] {
		value, text, ok := figure(o)
		if !ok || mixed {
			value = -1
		}
		c.Bars = append(c.Bars, bar.Bar{Label: o.name(), Text: cmp.Or(text, format.None), Value: value})
	}
	head := cells.Text(th.Title, " "+title)
	if n := len(offers) - len(c.Bars); n > 0 {
		head += cells.Text(th.Style(theme.Muted), fmt.Sprintf("  of the first %d of %d", len(c.Bars), len(offers)))
	}
	if mixed {
		head += cells.Text(th.Style(theme.You), "  in several currencies")
	}
	return append([]string{head}, cells.Lines(c.View(th, w, len(c.Bars)))...)
}
