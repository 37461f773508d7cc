package quotes

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
)

const (
	staleAfter = 15 * time.Second // older data is read again when a page comes back
	poll       = 30 * time.Second // while a page is on the screen
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
	known  cache.Quotes
	orders []*api.OrderRecord      // in the order of the rows
	boards map[string]*quoting.Set // of the orders that were read in full
	list   *listpage.List
	split  *listpage.SplitDetail
	clock  clock
}

// NewInbox returns the page.
func NewInbox(env *page.Env) *Inbox {
	p := &Inbox{Base: page.NewBase(env), boards: map[string]*quoting.Set{}}
	p.list = listpage.New(p.Base, "quotes", "price:<5000 or levee", columns.Specs(p.columns(nil))...)
	p.list.Empty = "No order has all of that; "
	p.split = listpage.NewSplitView(p.list, p.listView, p.beside)
	p.take()
	return p
}

// Title is the page's name.
func (p *Inbox) Title() string { return "Quotes" }

// Corner counts what is to be decided, and tells the data's age.
func (p *Inbox) Corner() string {
	k := &p.known
	if k.At.IsZero() {
		if k.Err == nil {
			return "reading…"
		}
		return ""
	}
	if k.Kept {
		return page.AsOf(k.At, p.Now(), k.Err == nil)
	}
	open := p.undecided()
	text := format.Count(open, "order", "orders") + " to decide"
	if n := len(p.orders) - open; n > 0 {
		text += fmt.Sprintf(" · %d expired", n)
	}
	if k.Left > 0 {
		text += fmt.Sprintf(" · quotes of %d of %d read", len(p.orders)-k.Left, len(p.orders))
	}
	return text + " · refreshed " + format.Ago(k.At, p.Now())
}

// Needs are the orders with quotes, and the quotes of all of them.
func (p *Inbox) Needs() []cache.Need {
	return []cache.Need{p.Cache.AllQuotes()}
}

// Start shows what is known, which the cache keeps up to date.
func (p *Inbox) Start() tea.Cmd {
	p.take()
	return p.clock.start(p.Base, p.next())
}

// Update takes answers and the clock.
func (p *Inbox) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.KeptMsg, page.ReadMsg:
		p.take()
		return p.clock.start(p.Base, p.next())
	case tickMsg:
		p.rows()
		return p.clock.tick(p.Base, msg, p.next())
	case page.SentMsg:
		p.Cache.RefreshQuotes(true)
	default:
		if cmd, taken := p.list.Update(msg); taken {
			return cmd
		}
	}
	return nil
}

// take shows what is known of the quotes by now.
func (p *Inbox) take() {
	k := p.Cache.Quotes()
	if k.Version == p.known.Version {
		return
	}
	boards := make(map[string]*quoting.Set, len(k.Full))
	for id, r := range k.Full {
		if b := p.boards[id]; b != nil && p.known.Full[id] == r {
			boards[id] = b
			continue
		}
		b := quoting.NewSet(r, p.Now())
		boards[id] = &b
	}
	p.known, p.orders, p.boards = k, slices.Clone(k.Listed), boards
	p.sort()
	p.badge()
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
	if i, ok := p.list.Grid.Current(); ok {
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
		return p.Open(NewCompare(p.Env, r.ID, p.known.Full[r.ID]))
	case action.ShowOrder:
		return openOrder(p.Base, p.current())
	case action.Refresh:
		p.Cache.RefreshQuotes(true)
		return nil
	case action.Decisions:
		return p.Open(NewDecisions(p.Env))
	}
	cmd, _ := p.list.Do(id)
	return cmd
}

// Mouse selects a row, opens it with a second click, and moves with the wheel.
func (p *Inbox) Mouse(m page.Mouse) tea.Cmd {
	if p.split.Mouse(m, p.Width) {
		return nil
	}
	if p.list.Mouse(m) && m.Double && p.current() != nil {
		return p.Do(action.Open)
	}
	return nil
}

// Drag moves the divider between the orders and the quotes.
func (p *Inbox) Drag(m page.Mouse, over bool) tea.Cmd { return p.split.Drag(m, over) }

// Places are the orders with quotes.
func (p *Inbox) Places() []page.Place {
	places := make([]page.Place, len(p.orders))
	for i, r := range p.orders {
		places[i] = page.Place{
			Name: quoting.OrderName(r) + "  " + r.OrderName, Kind: "◆ quotes",
			Open: func() tea.Cmd { return p.Open(NewCompare(p.Env, r.ID, p.known.Full[r.ID])) },
		}
	}
	return places
}

// View draws the orders, and from 120 columns on the quotes of the selected one
// beside them.
func (p *Inbox) View(w, h int) string {
	th := p.Theme
	switch {
	case len(p.orders) == 0 && p.known.Err != nil:
		return layout.Box(page.Problem(th, p.known.Err, "", "r", w), w, h)
	case len(p.orders) == 0 && !p.known.At.IsZero():
		return layout.Box([]string{
			"", layout.Text(th.Style(theme.Text), " Nothing to decide."), "",
			layout.Text(th.Style(theme.Muted), " Quotes appear here once the service has reviewed an order."),
			" " + layout.Text(th.Key, "i") + layout.Text(th.Style(theme.Muted), " what was decided from here"),
		}, w, h)
	case len(p.orders) == 0:
		return p.list.Loading(w, h)
	case w < wide:
		return p.listView(w, h)
	}
	return p.split.View(th, w, h)
}

func (p *Inbox) listView(w, h int) string {
	var foot []string
	if p.known.Err != nil {
		foot = page.Problem(p.Theme, p.known.Err, format.Count(len(p.orders), "order", "orders")+", read "+format.Ago(p.known.At, p.Now()), "r", w)
	} else if r := p.current(); r != nil && p.known.Faults[r.ID] != nil {
		foot = page.Problem(p.Theme, p.known.Faults[r.ID], "", "r", w)
	}
	p.list.Grid.Margin = 0
	if p.Width >= wide {
		p.list.Grid.Margin = 1
	}
	return p.list.View(w, h, true, foot...)
}

// beside draws the quotes of the selected order as bars.
func (p *Inbox) beside(w, h int) string {
	r := p.current()
	if r == nil {
		return layout.Box(nil, w, h)
	}
	th := p.Theme
	lines := []string{
		" " + layout.Text(th.Style(theme.Accent), quoting.OrderName(r)) + "  " + layout.Text(th.Title, r.OrderName),
		layout.Text(th.Style(theme.Muted), " "+r.CompanyName), "",
	}
	b := p.boards[r.ID]
	if b == nil {
		return layout.Box(lines, w, h)
	}
	room := max(1, (h-len(lines)-5)/2)
	lines = append(lines, chart(th, "Price", b.Open, "cheapest", w, room, func(o *quoting.Offer) (float64, string, bool) {
		price, ok := o.Price()
		return price, o.PriceText(), ok
	})...)
	lines = append(append(lines, ""), chart(th, "Delivery", b.Open, "fastest", w, room, func(o *quoting.Offer) (float64, string, bool) {
		return float64(o.DeliveryBy.Count), o.DeliveryBy.String(), o.DeliveryBy.Known
	})...)
	lines = append(lines, "", " "+layout.Text(th.Key, "enter")+layout.Text(th.Style(theme.Muted), " compares and decides"))
	return layout.Box(lines, w, h)
}
