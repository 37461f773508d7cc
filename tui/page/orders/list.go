package orders

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
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/table"
	"flightdesk/tui/words"
)

const (
	pageSize   = 50
	nearEnd    = 10                     // rows from the last loaded one at which more are read
	settle     = 120 * time.Millisecond // a selection that lasts this long is read in full
	staleAfter = 15 * time.Second       // older data is read again when the page comes back
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
	orders []api.Order
	more   *string // cursor of what is older, nil at the end
	read   time.Time
	err    error
	table  table.Table
	filter filter
	shown  []int // the orders that fit the filter, sorted
	newest page.Question
	older  page.Question

	inFull page.Question
	detail *detail
	full   map[string]*api.Order // by code
	height int                   // of the last view
	left   int                   // width of the list in it
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	l := &List{Base: page.NewBase(env), full: map[string]*api.Order{}, filter: newFilter()}
	l.detail = newDetail(env)
	l.table.Columns = []table.Column{
		{Title: "Code", Width: 10},
		{Title: "Name", Width: 14, Fill: 1},
		{Title: "Status", Width: 18},
		{Title: "Sites", Width: 5, Right: true, Drop: 3},
		{Title: "Area ha", Width: 8, Right: true, Drop: 2},
		{Title: "Due", Width: 8, Right: true, Drop: 1},
	}
	l.rows()
	return l
}

// Title is the page's name.
func (l *List) Title() string { return "Orders" }

// Corner counts the orders and tells their age.
func (l *List) Corner() string {
	if l.read.IsZero() {
		if l.newest.Open() {
			return "reading…"
		}
		return ""
	}
	count := format.Count(len(l.orders), "order", "orders")
	if l.more != nil {
		count = format.Group(float64(len(l.orders)), 0) + " read, more below"
	}
	return count + " · refreshed " + format.Ago(l.read, l.Now())
}

// Start reads the list where it was not read just now.
func (l *List) Start() tea.Cmd {
	if l.newest.Open() || l.err == nil && !l.read.IsZero() && l.Now().Sub(l.read) < staleAfter {
		return nil
	}
	return l.refresh()
}

type listAnswer = page.Answer[*api.Page[api.Order]]

func (l *List) refresh() tea.Cmd { return l.ask(&l.newest, "") }

func (l *List) ask(q *page.Question, cursor string) tea.Cmd {
	return page.Ask(l.Base, q, func(ctx context.Context) (*api.Page[api.Order], error) {
		return l.Client.Orders.List(ctx, api.ListOptions{Limit: pageSize, Cursor: cursor})
	})
}

type settledMsg struct{ code string }

type fullAnswer = page.Answer[*api.Order]

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case listAnswer:
		l.take(msg)
		return l.selected()
	case tea.WindowSizeMsg:
		return l.selected() // there may be room for the detail now
	case settledMsg:
		return l.readFull(msg.code)
	case fullAnswer:
		if !msg.Take() {
			return nil
		}
		l.detail.err = msg.Err
		if msg.Err == nil {
			l.full[msg.Value.OrderCode] = msg.Value
			l.show()
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		if l.filter.typing {
			return l.typed(msg)
		}
	case page.PlacedMsg:
		l.clearFilter()
		l.orders = merge([]api.Order{*msg.Order}, l.orders)
		l.rows()
		l.table.Select(identity(msg.Order))
		return l.refresh()
	}
	return nil
}

// take puts an answer's orders where they belong.
func (l *List) take(answer listAnswer) {
	isNewest := answer.Of(&l.newest)
	if !answer.Take() {
		return
	}
	if l.err = answer.Err; l.err != nil {
		return
	}
	switch {
	case !isNewest:
		l.orders = merge(l.orders, answer.Value.Items)
		asked := l.more
		l.more = answer.Value.NextCursor
		if asked != nil && l.more != nil && *asked == *l.more {
			l.more = nil // a list that does not go on has ended
		}
	case behind(answer.Value.Items, l.orders) >= 0:
		l.orders = merge(answer.Value.Items, l.orders[behind(answer.Value.Items, l.orders):])
		l.read = l.Now()
	default:
		l.orders, l.more, l.read = answer.Value.Items, answer.Value.NextCursor, l.Now()
	}
	if l.Company == "" && len(l.orders) > 0 {
		l.Company = l.orders[0].CompanyName // the key's account has no other way to say its name
	}
	if !answer.Value.HasNextPage && (!isNewest || len(l.orders) <= len(answer.Value.Items)) {
		l.more = nil
	}
	l.rows()
}

// behind returns where in older the orders begin that stand behind the last of
// newer, -1 where that is not among them and something may be missing between.
func behind(newer, older []api.Order) int {
	if len(newer) == 0 {
		return -1
	}
	last := identity(&newer[len(newer)-1])
	return slices.IndexFunc(older, func(o api.Order) bool { return identity(&o) == last })
}

// identity is what an order is known by.
func identity(o *api.Order) string { return cmp.Or(o.UUID, o.OrderCode) }

// merge puts the orders of after that are not in before behind it.
func merge(before, after []api.Order) []api.Order {
	seen := make(map[string]bool, len(before))
	for i := range before {
		seen[identity(&before[i])] = true
	}
	merged := append([]api.Order(nil), before...)
	for i := range after {
		if !seen[identity(&after[i])] {
			merged = append(merged, after[i])
		}
	}
	return merged
}

func (l *List) rows() {
	l.fitColumns()
	l.shown = l.filter.Apply(len(l.orders), l.table.Columns, l.text, l.compare)
	l.table.Sorted(l.filter.Sort, l.filter.Reverse)
	l.table.SetRows(len(l.shown), func(i int) string { return identity(&l.orders[l.shown[i]]) }, func(i int) table.Row { return l.row(l.shown[i]) })
}

// fitColumns makes the columns at the right as wide as what is in them, so that
// the names get the rest.
func (l *List) fitColumns() {
	last := len(l.table.Columns) - 1
	area, due := cells.Width(l.table.Columns[last-1].Title), cells.Width(l.table.Columns[last].Title)
	for i := range l.orders {
		area = max(area, cells.Width(l.area(i)))
		due = max(due, cells.Width(day(l.orders[i].Deadline, l.Now())))
	}
	l.table.Columns[last-1].Width, l.table.Columns[last].Width = area, min(due, 12)
}

// area is the i-th order's area in hectares.
func (l *List) area(i int) string {
	if area := l.orders[i].AreaSize; area != nil && *area > 0 {
		return format.Hectares(*area)
	}
	return format.None
}

// sites is the i-th order's number of missions.
func (l *List) sites(i int) string {
	if n := l.orders[i].MissionCount; n != nil {
		return fmt.Sprint(*n)
	}
	return format.None
}

func (l *List) row(i int) table.Row {
	o := &l.orders[i]
	st := words.OrderStatus(o.Status)
	return table.Row{
		Muted: st.Role == theme.Muted || l.err != nil,
		Cells: []table.Cell{
			{Text: o.OrderCode},
			{Text: o.OrderName},
			{Text: st.Glyph + " " + st.Word, Role: st.Role},
			{Text: l.sites(i)},
			{Text: l.area(i)},
			{Text: l.text(i, dueColumn)},
		},
	}
}

// day writes a time of the wire as a day, or as it was sent.
func day(t api.Time, now time.Time) string {
	if t.IsZero() && t.Raw != "" {
		return t.Raw
	}
	return format.ShortDay(t.Time, now)
}

// current is the selected order, nil for none.
func (l *List) current() *api.Order {
	if len(l.shown) == 0 {
		return nil
	}
	return &l.orders[l.shown[l.table.Cursor()]]
}

// selected shows what is known of the selected order, has the rest read once
// the selection rests, and more of the list where its end comes near.
func (l *List) selected() tea.Cmd {
	l.show()
	var cmds []tea.Cmd
	o := l.current()
	if o != nil && l.Width >= wide && !l.fresh(o) {
		cmds = append(cmds, page.Later(l.Base, settle, settledMsg{o.OrderCode}))
	}
	if l.err == nil && l.more != nil && !l.older.Open() && l.table.Cursor() >= len(l.shown)-nearEnd {
		cmds = append(cmds, l.ask(&l.older, *l.more))
	}
	return tea.Batch(cmds...)
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
	l.detail.set(o)
}

func (l *List) readFull(code string) tea.Cmd {
	o := l.current()
	if o == nil || o.OrderCode != code || l.fresh(o) {
		return nil
	}
	return page.Ask(l.Base, &l.inFull, func(ctx context.Context) (*api.Order, error) {
		return l.Client.Orders.Get(ctx, code)
	})
}

// Scopes are the page's.
func (l *List) Scopes() []action.Scope {
	if l.filter.typing {
		return []action.Scope{action.FilterLine}
	}
	return []action.Scope{action.Orders, action.List, action.Table}
}

// Typing is while the filter is typed.
func (l *List) Typing() bool { return l.filter.typing }

// Cursor stands in the filter while that is typed.
func (l *List) Cursor() *tea.Cursor {
	if !l.filter.typing || l.height == 0 {
		return nil
	}
	return tea.NewCursor(3+l.filter.line.CursorCell(), l.height-1)
}

// Back clears the filter first.
func (l *List) Back() bool { return l.clearFilter() }

// Disabled says what cannot be done without an order.
func (l *List) Disabled(id action.ID) string {
	if len(l.shown) == 0 && (id == action.Open || id == action.CopyCode) {
		return "there is no order"
	}
	return ""
}

// Do performs an action.
func (l *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return l.OpenOrder(l.current())
	case action.NewOrder:
		return l.NewOrder()
	case action.Refresh:
		return l.refresh()
	case action.CopyCode:
		return copyCode(l.current())
	}
	if page.Move(&l.table, id) || l.doFilter(id) {
		return l.selected()
	}
	return nil
}

// Mouse selects a row, opens it with a second click, and moves with the wheel.
func (l *List) Mouse(m page.Mouse) tea.Cmd {
	switch {
	case m.Wheel != 0:
		l.table.Move(m.Wheel)
	case m.X >= l.left || !l.table.Click(m.Y):
		return nil
	case m.Double:
		return l.Do(action.Open)
	}
	return l.selected()
}

// Places are the orders that were read.
func (l *List) Places() []page.Place {
	places := make([]page.Place, len(l.orders))
	for i := range l.orders {
		o := &l.orders[i]
		places[i] = page.Place{
			Name: o.OrderCode + "  " + o.OrderName, Kind: words.OrderStatus(o.Status).Glyph + " order",
			Open: func() tea.Cmd { return l.OpenOrder(o) },
		}
	}
	return places
}

// View draws the list, and from 120 columns on the selected order beside it.
func (l *List) View(w, h int) string {
	l.height = h
	switch {
	case len(l.orders) == 0 && l.err != nil:
		return cells.Box(page.Problem(l.Theme, l.err, "", "r", w), w, h)
	case len(l.orders) == 0 && !l.read.IsZero():
		return cells.Box(l.empty(), w, h)
	case len(l.orders) == 0:
		return l.loading(w, h)
	}
	left := w
	l.table.Margin = 0
	if w >= wide {
		left, l.table.Margin = w*6/10, 1
	}
	l.left = left
	if left == w {
		return l.list(w, h)
	}
	return cells.Beside(l.Theme.Rule.Render("│"), l.list(left+1, h), l.detail.view(w-left-2, h))
}

// list draws the table, with what went wrong and the filter at its foot.
func (l *List) list(w, h int) string {
	var foot []string
	if l.err != nil {
		kept := format.Count(len(l.orders), "order", "orders") + ", read " + format.Ago(l.read, l.Now())
		foot = page.Problem(l.Theme, l.err, kept, "r", w)
		foot = foot[:min(len(foot), h/2)]
	}
	if l.filter.typing || l.filter.Query != "" {
		foot = append(foot, l.filterLine(w))
	}
	body := l.table.View(l.Theme, w, h-len(foot), true)
	if len(l.shown) == 0 {
		none := " No order has all of that; " + cells.Text(l.Theme.Key, "esc") + " clears the filter."
		body = cells.Box([]string{"", none}, w, h-len(foot))
	}
	if len(foot) == 0 {
		return body
	}
	return body + "\n" + cells.Box(foot, w, len(foot))
}

func (l *List) empty() []string {
	th := l.Theme
	return []string{
		"", cells.Text(th.Style(theme.Text), " No orders yet."), "",
		" " + cells.Text(th.Key, "n") + cells.Text(th.Style(theme.Muted), " new order from a KML or CSV file"),
	}
}

// loading keeps the shape that the list will have.
func (l *List) loading(w, h int) string {
	ghost := table.Table{Columns: l.table.Columns}
	bar := func(n int) table.Cell { return table.Cell{Text: strings.Repeat("░", n), Role: theme.Muted} }
	ghost.SetRows(min(8, h), func(i int) string { return fmt.Sprint(i) }, func(int) table.Row {
		return table.Row{Cells: []table.Cell{bar(10), bar(14), bar(16), bar(2), bar(5), bar(6)}}
	})
	return ghost.View(l.Theme, w, h, false)
}

func copyCode(o *api.Order) tea.Cmd {
	return tea.Batch(tea.SetClipboard(cells.Clean(o.OrderCode)), page.Toast(theme.Good, "copied "+o.OrderCode))
}
