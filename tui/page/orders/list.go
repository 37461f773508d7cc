package orders

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

const (
	pageSize   = 50
	nearEnd    = 10                     // rows from the last loaded one at which more are read
	settle     = 120 * time.Millisecond // a selection that lasts this long is read in full
	staleAfter = 15 * time.Second       // older data is read again when the page comes back
	poll       = 30 * time.Second       // while a page is on the screen
	wide       = 120                    // columns from which list and detail stand side by side
)

// Section is the account's orders.
var Section = page.Section{
	Go: action.GoOrders, Name: "Orders", Short: "Ord",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// List is the account's orders, newest first.
type List struct {
	page.Base
	orders  []api.Order
	more    *string           // cursor of what is older, nil at the end
	gaps    map[string]string // cursors of what is missing behind an order, by its identity
	read    time.Time
	kept    bool // the orders are those of an earlier run
	err     error
	columns []columns.Column[api.Order]
	list    *listpage.List
	split   *listpage.SplitDetail
	newest  page.Question
	again   page.Question // for the selected order, to place it again
	older   page.Question
	behind  string // order behind which older reads, "" for the last

	polls int

	at       string    // the selected order's identity
	since    time.Time // when it was selected
	settling bool      // a settledMsg is on its way
	inFull   page.Question
	reading  string // the order that inFull is about
	detail   *detail
	passed   bool                  // the detail is not the selected order's yet
	full     map[string]*api.Order // by code
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	l := &List{Base: page.NewBase(env), full: map[string]*api.Order{}}
	l.detail = newDetail(env)
	l.columns = tableColumns(l.QuotesOf)
	l.list = listpage.New(l.Base, "orders", "status:completed or area:>100", columns.Specs(l.columns)...)
	l.list.Empty = "No order has all of that; "
	l.split = listpage.NewSplitView(l.list, l.listView, l.detailView)
	l.rows()
	l.takeKept()
	return l
}

// NewListWith returns the page with a filter.
func NewListWith(env *page.Env, query string) *List {
	l := NewList(env)
	l.list.Search(query)
	return l
}

// Title is the page's name.
func (l *List) Title() string { return "Orders" }

// Corner counts the orders and tells their age.
func (l *List) Corner() string {
	switch {
	case l.kept:
		return page.AsOf(l.Cache.Now().At, l.Now(), l.newest.Open())
	case l.read.IsZero() && l.newest.Open():
		return "reading…"
	case l.read.IsZero():
		return ""
	}
	count := format.Count(len(l.orders), "order", "orders")
	if l.more != nil {
		count = format.Group(float64(len(l.orders)), 0) + " read, more below"
	}
	return count + " · refreshed " + format.Ago(l.read, l.Now())
}

// Start reads the list where it was not read just now, and then now and again
// while it is on the screen.
func (l *List) Start() tea.Cmd {
	l.polls++
	next := page.Later(l.Base, poll, pollMsg{l.polls})
	if l.newest.Open() || l.err == nil && !l.read.IsZero() && l.Now().Sub(l.read) < staleAfter {
		return next
	}
	return tea.Batch(l.refresh(), next)
}

// pollMsg asks for newer data, of the newest start.
type pollMsg struct{ number int }

// settledMsg comes a while after an order was selected.
type settledMsg struct{}

type fullAnswer = page.Answer[*api.Order]

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case listAnswer:
		l.take(msg)
		return l.selected()
	case page.KeptMsg:
		l.takeKept()
		return l.selected()
	case tea.WindowSizeMsg:
		return l.selected() // there may be room for the detail now
	case settledMsg:
		return l.settled()
	case page.IdleMsg:
		return l.rested()
	case fullAnswer:
		l.takeFull(msg)
	case repeatedAnswer:
		return begins(l.Env, msg)
	case pollMsg:
		if msg.number == l.polls && l.Shown() {
			return tea.Batch(l.refresh(), page.Later(l.Base, poll, msg))
		}
	case page.SentMsg:
		return l.refresh()
	case page.PlacedMsg:
		return l.placed(msg.Order)
	default:
		if cmd, taken := l.list.Update(msg); taken {
			return tea.Batch(cmd, l.selected())
		}
	}
	return nil
}

// rested reads the order that the keys rest at, where it is shown.
func (l *List) rested() tea.Cmd {
	if l.Width < wide {
		return nil
	}
	return l.readFull()
}

// placed shows an order that was placed just now.
func (l *List) placed(o *api.Order) tea.Cmd {
	l.list.Clear()
	l.orders = merge([]api.Order{*o}, l.orders)
	l.rows()
	l.list.Grid.Select(identity(o))
	return l.refresh()
}

func (l *List) takeFull(msg fullAnswer) {
	if !msg.Take() {
		return
	}
	if l.detail.err = msg.Err; msg.Err == nil {
		l.full[msg.Value.OrderCode] = msg.Value
	}
	l.show()
}

func (l *List) rows() { l.list.Grid.Set(l.source()) }

// current is the selected order, nil for none.
func (l *List) current() *api.Order {
	if i, ok := l.list.Grid.Current(); ok {
		return &l.orders[i]
	}
	return nil
}

// selected shows what is known of the selected order, has the rest read once
// the selection rests, and more of the list where its end comes near.
func (l *List) selected() tea.Cmd {
	if l.passed = l.IsScrolling != nil && l.IsScrolling(); !l.passed {
		l.show()
	}
	var cmds []tea.Cmd
	o := l.current()
	if o != nil && identity(o) != l.at {
		l.at, l.since = identity(o), l.Now()
	}
	if o != nil && l.Width >= wide && !l.fresh(o) && !l.settling {
		l.settling = true
		cmds = append(cmds, page.Later(l.Base, settle, settledMsg{}))
	}
	if after, missing := l.missing(); missing && l.err == nil && !l.older.Open() {
		cmds = append(cmds, l.readOn(after))
	}
	return tea.Batch(cmds...)
}

// missing returns the order behind which others are missing near the selected
// one, "" for the last. With a filter or another order that is the last.
func (l *List) missing() (after string, ok bool) {
	s := l.list.Grid
	if row, near := s.Near(nearEnd); near {
		if row < len(l.orders)-1 {
			return identity(&l.orders[row]), true
		}
		return "", l.more != nil
	}
	return "", l.more != nil && s.Cursor() >= s.Len()-nearEnd
}

func (l *List) fresh(o *api.Order) bool {
	full := l.full[o.OrderCode]
	return full != nil && full.UpdatedAt.Equal(o.UpdatedAt.Time) && full.Status == o.Status
}

func (l *List) show() {
	o := l.current()
	if o == nil || l.detail.order != nil && identity(l.detail.order) != identity(o) {
		l.detail.err = nil
	}
	if o == nil {
		l.detail.set(nil)
		return
	}
	if full := l.full[o.OrderCode]; full != nil {
		o = full
	}
	l.detail.record = nil
	if q := l.Cache.Quotes(); l.Quoted(o.UUID) {
		l.detail.record = q.Full[o.UUID]
	}
	if l.detail.err != nil {
		o = keptMissions(l.Env, o)
	}
	l.detail.set(o)
}

// settled reads the selected order in full, or waits on where another one has
// been selected meanwhile.
func (l *List) settled() tea.Cmd {
	left := settle - l.Now().Sub(l.since)
	if l.settling = left > 0; l.settling {
		return page.Later(l.Base, left, settledMsg{})
	}
	return l.readFull()
}

func (l *List) readFull() tea.Cmd {
	o := l.current()
	if o == nil || l.fresh(o) || l.inFull.Open() && l.reading == o.OrderCode {
		return nil
	}
	code := o.OrderCode
	l.reading = code
	return page.Ask(l.Base, &l.inFull, func(ctx context.Context) (*api.Order, error) {
		return l.Client.Orders.Get(ctx, code)
	})
}

// Scopes are the page's.
func (l *List) Scopes() []action.Scope { return l.list.Scopes(action.Orders) }

// Typing is while the filter is typed.
func (l *List) Typing() bool { return l.list.Typing() }

// Cursor stands in the filter while that is typed.
func (l *List) Cursor() *tea.Cursor { return l.list.Cursor() }

// Back clears the filter first.
func (l *List) Back() bool { return l.list.Clear() }

// Disabled says what cannot be done without an order.
func (l *List) Disabled(id action.ID) string {
	if (id == action.Open || id == action.ShowQuotes || id == action.ShowData || id == action.ShowStory) && l.current() == nil {
		if _, gap := l.list.Grid.Gap(); gap {
			return "these orders are on their way"
		}
		return "there is no order"
	}
	if id == action.OrderAgain {
		return notAgain(l.current(), &l.again)
	}
	if move, is := moves[id]; is {
		return movable(l.Env, l.known(), move)
	}
	return l.list.Disabled(id)
}

// known is the selected order, in full where that was read as it stands.
func (l *List) known() *api.Order {
	o := l.current()
	if o != nil && l.fresh(o) {
		return l.full[o.OrderCode]
	}
	return o
}

// Do performs an action.
func (l *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return l.OpenOrder(l.current())
	case action.ShowQuotes:
		o := l.current()
		return l.Open(quotes.NewCompare(l.Env, identity(o), nil))
	case action.ShowStory:
		return l.OpenStory(timeline.Subject{Order: l.current().OrderCode}, "")
	case action.ShowData:
		return l.Open(deliveries.NewOf(l.Env, l.current().OrderCode, ""))
	case action.NewOrder:
		return l.NewOrder()
	case action.OrderAgain:
		return again(l.Base, &l.again, l.current())
	case action.Refresh:
		return l.refresh()
	}
	if move, is := moves[id]; is {
		askMove(l.Env, l.current(), move)
		return nil
	}
	if cmd, done := l.list.Do(id); done {
		return tea.Batch(cmd, l.selected())
	}
	return nil
}

// Mouse selects a row, opens it with a second click, moves with the wheel, and
// takes hold of the border between list and detail.
func (l *List) Mouse(m page.Mouse) tea.Cmd {
	if l.split.Grab(m, l.Width) {
		return nil
	}
	if i, x, y := l.split.At(m, l.Width); i != 0 {
		if top := l.detail.above; i == 1 && top >= 0 && y >= top {
			l.detail.smap.Mouse(m, m.X-x, top)
		}
		return nil
	}
	if !l.list.Mouse(m) {
		return nil
	}
	if m.Double && l.current() != nil {
		return l.Do(action.Open)
	}
	return l.selected()
}

// Point shows where the mouse is on the map.
func (l *List) Point(m page.Mouse) {
	if i, x, _ := l.split.At(m, l.Width); i == 1 && l.detail.above >= 0 {
		l.detail.smap.Point(m, m.X-x, l.detail.above)
	}
}

// Drag moves the border that is held, and keeps where it was let go.
func (l *List) Drag(m page.Mouse, over bool) tea.Cmd {
	if !l.split.IsHeld() {
		l.detail.smap.Drag(m, over)
		return nil
	}
	return l.split.Drag(m, over)
}

// Jumps are the rows.
func (l *List) Jumps() []page.Jump { return page.Rows(&l.list.Grid.Table, 0, 0, l.Mouse) }

// Places are the orders that were read.
func (l *List) Places() []page.Place {
	places := make([]page.Place, len(l.orders))
	for i := range l.orders {
		o := &l.orders[i]
		places[i] = page.Place{
			Name: o.OrderCode + "  " + o.OrderName, Kind: labels.OrderStatus(o.Status).Glyph + " order",
			Open: func() tea.Cmd { return l.OpenOrder(o) },
		}
	}
	return places
}

// View draws the list, and from 120 columns on the selected order beside it.
func (l *List) View(w, h int) string {
	switch {
	case len(l.orders) == 0 && l.err != nil:
		return layout.Box(page.Problem(l.Theme, l.err, "", "r", w), w, h)
	case len(l.orders) == 0 && !l.read.IsZero():
		return layout.Box(l.empty(), w, h)
	case len(l.orders) == 0:
		return l.list.Loading(w, h)
	case w < wide:
		return l.listView(w, h)
	}
	return l.split.View(l.Theme, w, h)
}

// detailView draws the selected order.
func (l *List) detailView(w, h int) string {
	if l.passed {
		l.passed = false
		l.show()
	}
	return l.detail.view(w, h)
}

// listView draws the table, with what went wrong at its foot.
func (l *List) listView(w, h int) string {
	var foot []string
	if l.err != nil {
		at := l.read
		if l.kept {
			at = l.Cache.Now().At
		}
		kept := format.Count(len(l.orders), "order", "orders") + ", read " + format.Ago(at, l.Now())
		foot = page.Problem(l.Theme, l.err, kept, "r", w)
	}
	l.list.Grid.Margin = 0
	if l.Width >= wide {
		l.list.Grid.Margin = 1
	}
	return l.list.View(w, h, true, foot...)
}

func (l *List) empty() []string {
	th := l.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No orders yet."), "",
		" " + layout.Text(th.Key, "n") + layout.Text(th.Style(theme.Muted), " new order from a KML or CSV file"),
	}
}

func copyCode(env *page.Env, o *api.Order) tea.Cmd {
	return page.Copy(&env.Files, layout.Clean(o.OrderCode), o.OrderCode)
}
