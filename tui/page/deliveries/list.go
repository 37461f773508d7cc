package deliveries

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
)

const (
	firstOrders = 200 // orders whose packages are read without being asked for
	moreOrders  = 50  // that are read where the end of the table comes near
	batch       = 8   // orders whose packages are read before they are shown
	calls       = 4   // of them at once
	nearEnd     = 10  // rows from the last one at which older orders are read
	staleAfter  = 30 * time.Second
)

// Section is what was delivered.
var Section = page.Section{
	Go: action.GoDeliveries, Name: "Deliveries", Short: "Data",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// order is what is known of an order's deliveries.
type order struct {
	code     string
	updated  api.Time
	packages []*Package
}

// List is the delivered packages of the account's orders.
type List struct {
	browser
	orders  map[string]*order // by code; read anew when the order's updatedAt is another
	listed  []api.Order       // whose packages are shown, as the cache has them
	depth   int               // how many that are at most
	more    bool              // there are older ones
	todo    []api.Order       // of which the packages are to be read yet
	version int               // of the list of orders that all of this is of
	anew    bool              // orders that have not changed are looked at, too
	reading page.Question
	read    time.Time
	err     error
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	l := &List{orders: map[string]*order{}, depth: firstOrders}
	l.begin(env, "deliveries")
	return l
}

// Title is the page's name.
func (l *List) Title() string { return "Deliveries" }

// Corner counts what is new and tells how far the reading is.
func (l *List) Corner() string {
	switch {
	case l.busy() && len(l.packages) == 0:
		return "reading…"
	case l.busy():
		return fmt.Sprintf("%s · reading %s…", l.freshness(), format.Count(len(l.listed), "order", "orders"))
	case l.read.IsZero():
		return ""
	default:
		return l.freshness() + " · refreshed " + format.Ago(l.read, l.Now())
	}
}

func (l *List) busy() bool {
	_, state := l.Cache.Orders.Get(cache.Account)
	return l.reading.Open() || state.Loading && l.read.IsZero()
}

// Needs are the orders, as far as their packages are shown.
func (l *List) Needs() []cache.Need {
	return []cache.Need{l.Cache.Orders.Rows(cache.Account, l.depth)}
}

// Start shows what is known, and reads the packages of orders that have changed
// since.
func (l *List) Start() tea.Cmd { return l.take() }

type batchAnswer = page.Answer[[]*order]

// refresh has all read again; orders that have not changed keep their packages.
func (l *List) refresh() {
	l.anew = true // the files on disk may have changed
	l.Cache.Reread(l.Needs()...)
}

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.KeptMsg:
		return tea.Batch(l.take(), l.hear(msg))
	case batchAnswer:
		if msg.Take() {
			return l.takeBatch(msg)
		}
		return nil
	}
	cmd := l.hear(msg)
	l.badge()
	return cmd
}

// take takes the orders that are known by now. What has left the list is shown
// no longer.
func (l *List) take() tea.Cmd {
	rows, state := l.Cache.Orders.Get(cache.Account)
	if state.Version == l.version || state.ReadAt.IsZero() && state.Err == nil && len(rows.Items) == 0 {
		return nil
	}
	l.version = state.Version
	if l.err = state.Err; l.err != nil {
		l.dimmed = true
		return nil
	}
	l.listed, l.more = rows.Items[:min(len(rows.Items), l.depth)], rows.More || len(rows.Items) > l.depth
	is := map[string]bool{}
	l.todo = nil
	for i := range l.listed {
		o := &l.listed[i]
		is[o.OrderCode] = mayHave(o.Status)
		known := l.orders[o.OrderCode]
		if is[o.OrderCode] && (l.anew || known == nil || o.UpdatedAt.IsZero() || !known.updated.Equal(o.UpdatedAt.Time)) {
			l.todo = append(l.todo, *o)
		}
	}
	l.anew = false
	maps.DeleteFunc(l.orders, func(code string, _ *order) bool { return !is[code] })
	l.show()
	if l.reading.Open() {
		return nil
	}
	return l.next()
}

// mayHave reports whether an order can have deliveries.
func mayHave(s api.OrderStatus) bool {
	switch s {
	case api.OrderBiddingWithQuote, api.OrderRejected, api.OrderCancelled, api.OrderDeleted:
		return false
	}
	return true
}

// next reads the packages of some orders, or says that all is there.
func (l *List) next() tea.Cmd {
	if len(l.todo) > 0 {
		some := l.todo[:min(batch, len(l.todo))]
		l.todo = l.todo[len(some):]
		return l.readBatch(some)
	}
	l.read, l.dimmed = l.Now(), false
	l.show()
	return nil
}

// readBatch reads the packages of orders, a few orders at once.
func (l *List) readBatch(some []api.Order) tea.Cmd {
	known := make([]*order, len(some))
	for i := range some {
		known[i] = l.orders[some[i].OrderCode].copied()
	}
	of, dir, now, probe := l.Cache, l.Downloads.Dir(), l.Now(), l.Downloads.Probe()
	return page.Ask(l.Base, &l.reading, func(ctx context.Context) ([]*order, error) {
		found, errs := make([]*order, len(some)), make([]error, len(some))
		slots := make(chan struct{}, calls)
		var wg guard.Group
		for i := range some {
			slots <- struct{}{}
			wg.Go(func() {
				defer func() { <-slots }()
				found[i], errs[i] = reader{l.Client, of, probe, dir, now}.order(ctx, &some[i], known[i])
			})
		}
		wg.Wait()
		return found, cmp.Or(errs...)
	})
}

// copied is the order with packages of its own, which may be written to.
func (o *order) copied() *order {
	if o == nil {
		return nil
	}
	again := &order{code: o.code, updated: o.updated}
	for _, p := range o.packages {
		one := *p
		again.packages = append(again.packages, &one)
	}
	return again
}

func (l *List) takeBatch(msg batchAnswer) tea.Cmd {
	l.err = msg.Err
	is := map[string]bool{} // some may have left the list meanwhile
	for i := range l.listed {
		is[l.listed[i].OrderCode] = true
	}
	for _, o := range msg.Value {
		if o != nil && is[o.code] {
			l.orders[o.code] = o
		}
	}
	l.show()
	if l.err != nil {
		l.todo = nil // the next refresh begins where this one ended
		l.dimmed = true
		return nil
	}
	return l.next()
}

// show shows the packages of all orders that are known.
func (l *List) show() {
	var all []*Package
	for _, o := range l.orders {
		all = append(all, o.packages...)
	}
	slices.SortFunc(all, func(x, y *Package) int { return slices.Compare([]string{x.Order, x.ID}, []string{y.Order, y.ID}) })
	l.set(all)
	l.badge()
}

// badge counts the packages with something new behind the section's name.
func (l *List) badge() {
	n := 0
	for _, p := range l.packages {
		n += l.newness(p)
	}
	text := ""
	if n > 0 {
		text = fmt.Sprint(n)
	}
	l.SetBadge(action.GoDeliveries, page.Badge{Text: text, Role: theme.Attention})
}

// hear takes what else there is to hear.
func (b *browser) hear(msg tea.Msg) tea.Cmd { return tea.Batch(b.heard(msg), b.watch()) }

func (b *browser) heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DownloadsChangedMsg:
		b.fill()
		if msg.Ended {
			return b.lookAgain()
		}
		return nil
	case tea.WindowSizeMsg:
		if b.viewer != nil {
			return b.viewer.fit(msg.Width, msg.Height)
		}
		return nil
	case glanceMsg:
		return b.glanceAt(msg.path)
	case glanceAnswer:
		b.glanced(msg)
		return nil
	case lookedMsg:
		return b.looks(msg)
	case lookAnswer:
		return b.seen(msg)
	case openedMsg:
		if !msg.Take() {
			return nil
		}
		if msg.Err != nil {
			return page.Toast(theme.Bad, layout.Clean(msg.Err.Error()))
		}
		return page.Toast(theme.Good, "opened "+page.Short(&b.Files, msg.Value))
	}
	cmd, taken := b.list.Update(msg)
	if taken {
		b.follow()
	}
	return cmd
}

// Scopes are the page's.
func (l *List) Scopes() []action.Scope { return l.scopes() }

// Typing is while the filter is typed.
func (b *browser) Typing() bool { return b.list.Typing() }

// Cursor stands in the filter while that is typed.
func (b *browser) Cursor() *tea.Cursor { return b.list.Cursor() }

// Back clears marks and the filter first.
func (l *List) Back() bool { return l.back() }

// Disabled says why an action is off.
func (b *browser) Disabled(id action.ID) string { return b.disabled(id) }

// Do performs an action.
func (l *List) Do(id action.ID) tea.Cmd {
	if id == action.Refresh {
		l.refresh()
		return page.Command(l.Downloads.ComeBack(l.Client))
	}
	return tea.Batch(l.do(id), l.older())
}

// older has older orders read where the end of the table comes near.
func (l *List) older() tea.Cmd {
	s := l.list.Grid
	if !l.more || l.busy() || l.err != nil || s.Query() != "" || s.Cursor() < s.Len()-nearEnd {
		return nil
	}
	l.depth, l.version = l.depth+moreOrders, -1
	return l.take()
}

// Mouse selects a row, opens it with a second click, and moves with the wheel.
func (b *browser) Mouse(m page.Mouse) tea.Cmd { return b.mouse(m) }

// Point shows where the mouse is on the map.
func (b *browser) Point(m page.Mouse) { b.beside.Point(m, b.Width) }

// Points reports whether the map is shown.
func (b *browser) Points() bool { return b.beside.Points(b.Width) }

// Drag moves the map, or the border between table and detail.
func (b *browser) Drag(m page.Mouse, over bool) tea.Cmd {
	return b.beside.Drag(m, over)
}

// View draws the page.
func (l *List) View(w, h int) string {
	switch {
	case len(l.packages) == 0 && l.err != nil:
		return layout.Box(page.Problem(l.Theme, l.err, "", "r", w), w, h)
	case len(l.packages) == 0 && !l.busy() && !l.read.IsZero():
		return layout.Box(l.empty(), w, h)
	case len(l.packages) == 0:
		return l.list.Loading(w, h)
	case l.err != nil:
		kept := format.Count(len(l.packages), "package", "packages") + ", read " + format.Ago(l.read, l.Now())
		if l.read.IsZero() {
			kept = format.Count(len(l.packages), "package", "packages")
		}
		problem := page.Problem(l.Theme, l.err, kept, "r", w)
		problem = problem[:min(len(problem), h/2)]
		return layout.Box(append(layout.Lines(l.view(w, h-len(problem))), problem...), w, h)
	}
	return l.view(w, h)
}

func (l *List) empty() []string {
	th := l.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No deliveries yet. Data appears here once released."), "",
		layout.Text(th.Style(theme.Muted), " The data of a mission stands here once it was worked out."),
		" " + layout.Text(th.Key, "2") + layout.Text(th.Style(theme.Muted), " orders, and where they stand"),
	}
}

// Jumps are the rows on the screen.
func (b *browser) Jumps() []page.Jump {
	if b.Width < listpage.Wide && (b.detail || b.beside.Map.Focused) {
		return nil // the table is not there
	}
	return page.Rows(&b.list.Grid.Table, 0, 0, b.Mouse)
}
