package operations

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
)

// both is the page of both ends: what waits at Operations, and how the client sees
// the order that it is about.
type both struct {
	*operations
	ends *ends
}

// newBoth opens the page at an order or a mission, by its id; "" is the first
// that waits.
func newBoth(from *operations, id string) *both {
	d := newDesk(from.Env, from.world, "Client view")
	e := &ends{d: d, client: &client{b: d.Base, smap: sitemap.New()}}
	e.queue = newQueue(d, "desk-both", false, e.mine)
	e.start(id)
	d.add("Client view", e)
	return &both{d, e}
}

// Update has an order that the client just placed followed.
func (b *both) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		b.ends.pinned = placed.Order.UUID
		b.ends.client.follow(placed.Order.OrderCode)
	}
	return b.operations.Update(msg)
}

// ends are the two ends.
type ends struct {
	*queue
	d        *operations
	state    listpage.State[work] // of the client's own orders
	of       string               // the client's account, "" while that is not known
	whole    int                  // the version of all that it is of
	client   *client
	pinned   string // order that both ends are about
	atClient bool   // the client's end is in focus
	left     int    // cells of Operations' end in the last view, 0 where it is not shown
}

// start begins at an order or a mission.
func (e *ends) start(id string) {
	works, own := &e.d.world.works, e.own()
	for _, w := range works.list() {
		if w.id() == id || w.order.UUID == id {
			e.pinned = w.order.UUID
			break
		}
	}
	if o := works.order(cmp.Or(e.pinned, id)); o != nil {
		e.pinned = o.UUID
		if own != "" && o.AccountUID != own {
			e.pinned = "" // of another client, whose view cannot be had
		}
	}
	e.List.Grid.Select(id)
	e.stay()
	e.followed()
}

// own is the account that this app is a client of, "" where that is not known:
// whose orders its key reads, or before those are read whose name it has.
func (e *ends) own() string {
	w := e.d.world
	if w.own == "" && e.d.Cache != nil {
		for _, o := range e.d.Cache.Now().Orders {
			if full := w.works.order(o.UUID); full != nil {
				w.own = full.AccountUID
				return w.own
			}
		}
	}
	if w.own != "" || e.d.Company == "" {
		return w.own
	}
	found := ""
	for _, a := range w.accounts() {
		if strings.EqualFold(a.CompanyName, e.d.Company) {
			if found != "" {
				return ""
			}
			found = a.UUID
		}
	}
	return found
}

// ownName is the name of the client.
func (e *ends) ownName() string {
	if a := e.d.world.account(e.own()); a != nil {
		return a.CompanyName
	}
	return e.d.Company
}

// mine is what waits of the client's own orders.
func (e *ends) mine() listpage.State[work] {
	all, own := e.d.world.works.read(), e.own()
	if all.Version == e.whole && own == e.of {
		return e.state
	}
	version := e.state.Version + 1
	e.of, e.whole, e.state = own, all.Version, all
	e.state.Version = version
	e.state.Rows = slices.DeleteFunc(slices.Clone(all.Rows), func(w *work) bool { return own != "" && w.order.AccountUID != own })
	return e.state
}

// stay keeps the selection with the order that both ends are about, as long as
// there is something to be done of it.
func (e *ends) stay() {
	if w := e.Current(); w != nil && (e.pinned == "" || w.order.UUID == e.pinned) {
		e.pinned = w.order.UUID
		return
	}
	for _, w := range e.rows() {
		if w.order.UUID == e.pinned {
			e.List.Grid.Select(w.id())
			return
		}
	}
}

// moved has both ends be about the order that is selected now.
func (e *ends) moved() {
	if w := e.Current(); w != nil {
		e.pinned = w.order.UUID
	}
	e.followed()
}

// followed has the client's end show the order that both are about.
func (e *ends) followed() {
	if o := e.d.world.works.order(e.pinned); o != nil {
		e.client.follow(o.OrderCode)
	}
}

func (e *ends) Needs() []cache.Need { return append(e.queue.Needs(), e.client.needs()...) }

func (e *ends) Update(msg tea.Msg) tea.Cmd {
	cmd := e.queue.Update(msg)
	e.stay()
	e.followed()
	e.client.look()
	return cmd
}

func (e *ends) Scopes() []action.Scope {
	if e.atClient {
		return []action.Scope{action.BothEnds}
	}
	return e.List.Scopes(action.BothEnds, action.OpsWork)
}

func (e *ends) Typing() bool { return !e.atClient && e.List.Typing() }

func (e *ends) Disabled(id action.ID) string {
	switch {
	case id == action.OtherEnd:
		return ""
	case e.atClient:
		if s, _ := e.client.seen(); id == action.Open && s == nil {
			return "no order in the client view"
		}
		return ""
	}
	return e.queue.Disabled(id)
}

func (e *ends) Do(id action.ID) tea.Cmd {
	switch {
	case id == action.OtherEnd:
		e.atClient = !e.atClient
		return nil
	case id == action.Open && e.atClient:
		return e.asClient()
	}
	cmd := e.queue.Do(id)
	e.moved()
	return cmd
}

// asClient opens what the client would: the quotes of an order that are to be
// decided, else the order.
func (e *ends) asClient() tea.Cmd {
	s, _ := e.client.seen()
	if s.decidable(e.d.Now()) && s.order.Status == api.OrderBiddingWithQuote {
		return e.d.Open(quotes.NewCompare(e.d.Env, s.order.UUID, s.record))
	}
	return e.d.OpenOrder(s.order)
}

func (e *ends) Mouse(m page.Mouse) tea.Cmd {
	switch {
	case e.left > 0 && m.X < e.left:
		e.atClient = false
	case e.left == 0 && !e.atClient:
	default:
		e.atClient = true
		return nil
	}
	m.Y-- // below the end's name
	if m.Y < 0 && m.Wheel == 0 {
		return nil
	}
	cmd := e.queue.Mouse(m)
	e.moved()
	return cmd
}

func (e *ends) Jumps() []page.Jump {
	if e.left == 0 && e.atClient {
		return nil
	}
	jumps := e.queue.Jumps()
	for i := range jumps {
		jumps[i].Y++
	}
	return jumps
}

func (e *ends) Cursor() *tea.Cursor {
	c := e.queue.Cursor()
	if c == nil || e.atClient {
		return nil
	}
	return tea.NewCursor(c.X, c.Y+1)
}

// view draws both ends side by side, in a narrow window the one in focus.
func (e *ends) View(w, h int) string {
	if !e.d.Theme.IsWide(w, wide) {
		e.left = w
		if e.atClient {
			e.left = 0
			return e.clientEnd(w, h)
		}
		return e.deskEnd(w, h)
	}
	e.left = max(w/2, min(e.List.Grid.Want()+1, w*3/5)) // names are not cut while the other end has room
	between := strings.TrimSuffix(strings.Repeat(layout.Text(e.d.Theme.Rule, "┃")+"\n", h), "\n")
	return layout.Beside("", e.deskEnd(e.left, h), between, e.clientEnd(w-e.left-1, h))
}

// name is the line over an end; the one in focus stands out.
func (e *ends) name(text, right string, focused bool, w int) string {
	th := e.d.Theme
	style, bar := th.Style(theme.Muted), " "
	if focused {
		style, bar = th.Section, "▸"
	}
	return layout.Ends(layout.Text(th.Style(theme.Accent), bar)+layout.Text(style, text), layout.Text(th.Style(theme.Muted), right)+" ", w)
}

func (e *ends) deskEnd(w, h int) string {
	head := e.name("OPERATIONS", format.Count(waiting(e.rows()), "open task", "open tasks"), !e.atClient, w)
	rest := h - 1
	about := e.Current()
	if about == nil || rest < 18 {
		return head + "\n" + e.queue.View(w, rest)
	}
	rows := max(5, min(len(e.rows())+1, rest*2/5))
	lower := append([]string{""}, e.d.about(about, w)...)
	return head + "\n" + e.queue.View(w, rows) + "\n" + layout.Box(lower, w, rest-rows)
}

func (e *ends) clientEnd(w, h int) string {
	c := e.client
	right := "ctrl+w to switch"
	switch s, is := c.seen(); {
	case api.IsStatus(is.Err, 403, 404):
		right = "another client"
	case is.Err != nil:
		right = "! no response"
	case s != nil:
		right = "live"
	}
	head := e.name("CLIENT VIEW  "+e.ownName(), right, e.atClient, w)
	return head + "\n" + c.whole(e.ownName(), w, h-1)
}
