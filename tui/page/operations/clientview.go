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
	"flightdesk/tui/theme"
)

// clientViewPage is the page of both ends: what waits at Operations, and how the client sees
// the order that it is about.
type clientViewPage struct {
	*operationsPage
	ends *viewPair
}

// newClientViewPage opens the page at an order or a mission, by its id; "" is the first
// that waits.
func newClientViewPage(from *operationsPage, id string) *clientViewPage {
	d := newOperationsPage(from.Env, from.world, "Client view")
	e := &viewPair{d: d, client: &clientPane{env: d.Env}}
	e.taskQueue = newTaskQueue(d, "desk-both", false, e.clientTasks)
	e.startAt(id)
	d.addPane("Client view", e)
	return &clientViewPage{d, e}
}

// Update has an order that the client just placed followed.
func (b *clientViewPage) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		b.ends.pinned = placed.Order.UUID
		b.ends.client.followOrder(placed.Order.OrderCode)
	}
	return b.operationsPage.Update(msg)
}

// viewPair are the two ends.
type viewPair struct {
	*taskQueue
	d        *operationsPage
	state    listpage.State[workItem] // of the client's own orders
	of       string                   // the client's account, "" while that is not known
	whole    int                      // the version of all that it is of
	client   *clientPane
	pinned   string // order that both ends are about
	atClient bool   // the client's end is in focus
	left     int    // cells of Operations' end in the last view, 0 where it is not shown
}

// startAt begins at an order or a mission.
func (e *viewPair) startAt(id string) {
	works, own := &e.d.world.works, e.ownAccount()
	for _, w := range works.workItems() {
		if w.itemID() == id || w.order.UUID == id {
			e.pinned = w.order.UUID
			break
		}
	}
	if o := works.orderByID(cmp.Or(e.pinned, id)); o != nil {
		e.pinned = o.UUID
		if own != "" && o.AccountUID != own {
			e.pinned = "" // of another client, whose view cannot be had
		}
	}
	e.List.Grid.Select(id)
	e.keepSelection()
	e.showFollowed()
}

// ownAccount returns the account that this app is a client of, "" where that is not known:
// whose orders its key reads, or before those are read whose name it has.
func (e *viewPair) ownAccount() string {
	w := e.d.world
	if w.own == "" && e.d.Cache != nil {
		for _, o := range e.d.Cache.Now().Orders {
			if full := w.works.orderByID(o.UUID); full != nil {
				w.own = full.AccountUID
				return w.own
			}
		}
	}
	if w.own != "" || e.d.Company == "" {
		return w.own
	}
	found := ""
	for _, a := range w.knownAccounts() {
		if strings.EqualFold(a.CompanyName, e.d.Company) {
			if found != "" {
				return ""
			}
			found = a.UUID
		}
	}
	return found
}

// ownName returns the name of the client.
func (e *viewPair) ownName() string {
	if a := e.d.world.accountByID(e.ownAccount()); a != nil {
		return a.CompanyName
	}
	return e.d.Company
}

// clientTasks returns what waits of the client's own orders.
func (e *viewPair) clientTasks() listpage.State[workItem] {
	all, own := e.d.world.works.readWork(), e.ownAccount()
	if all.Version == e.whole && own == e.of {
		return e.state
	}
	version := e.state.Version + 1
	e.of, e.whole, e.state = own, all.Version, all
	e.state.Version = version
	e.state.Rows = slices.DeleteFunc(slices.Clone(all.Rows), func(w *workItem) bool { return own != "" && w.order.AccountUID != own })
	return e.state
}

// keepSelection keeps the selection with the order that both ends are about, as long as
// there is something to be done of it.
func (e *viewPair) keepSelection() {
	if w := e.Current(); w != nil && (e.pinned == "" || w.order.UUID == e.pinned) {
		e.pinned = w.order.UUID
		return
	}
	for _, w := range e.rows() {
		if w.order.UUID == e.pinned {
			e.List.Grid.Select(w.itemID())
			return
		}
	}
}

// followSelection has both ends be about the order that is selected now.
func (e *viewPair) followSelection() {
	if w := e.Current(); w != nil {
		e.pinned = w.order.UUID
	}
	e.showFollowed()
}

// showFollowed has the client's end show the order that both are about.
func (e *viewPair) showFollowed() {
	code := e.client.code
	if o := e.d.world.works.orderByID(e.pinned); o != nil {
		code = o.OrderCode
	}
	e.client.followOrder(code)
}

func (e *viewPair) DataNeeds() []cache.Need {
	return append(e.taskQueue.DataNeeds(), e.client.clientNeeds()...)
}

func (e *viewPair) Update(msg tea.Msg) tea.Cmd {
	cmd := e.taskQueue.Update(msg)
	e.keepSelection()
	e.showFollowed()
	return cmd
}

func (e *viewPair) ActionScopes() []action.Scope {
	if e.atClient {
		return []action.Scope{action.ClientView}
	}
	return e.List.ListScopes(action.ClientView, action.OpsTask)
}

func (e *viewPair) IsTyping() bool { return !e.atClient && e.List.IsTyping() }

func (e *viewPair) DisabledReason(id action.ID) string {
	switch {
	case id == action.ShowQuotes, id == action.Open && e.atClient:
		if o, _ := e.client.knownOrder(); o == nil {
			return "no order in the client view"
		}
		return ""
	case id == action.SwitchSide, e.atClient:
		return ""
	}
	return e.taskQueue.DisabledReason(id)
}

func (e *viewPair) HandleAction(id action.ID) tea.Cmd {
	switch {
	case id == action.SwitchSide:
		e.atClient = !e.atClient
		return nil
	case id == action.Open && e.atClient:
		return e.client.openAsClient()
	case id == action.ShowQuotes:
		return e.client.compareQuotes()
	}
	cmd := e.taskQueue.HandleAction(id)
	e.followSelection()
	return cmd
}

func (e *viewPair) HandleMouse(m page.MouseInput) tea.Cmd {
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
	cmd := e.taskQueue.HandleMouse(m)
	e.followSelection()
	return cmd
}

func (e *viewPair) JumpTargets() []page.JumpTarget {
	if e.left == 0 && e.atClient {
		return nil
	}
	jumps := e.taskQueue.JumpTargets()
	for i := range jumps {
		jumps[i].Y++
	}
	return jumps
}

func (e *viewPair) Cursor() *tea.Cursor {
	c := e.taskQueue.Cursor()
	if c == nil || e.atClient {
		return nil
	}
	return tea.NewCursor(c.X, c.Y+1)
}

// view draws both ends side by side, in a narrow window the one in focus.
func (e *viewPair) View(w, h int) string {
	if !e.d.Theme.IsWide(w, wide) {
		e.left = w
		if e.atClient {
			e.left = 0
			return e.renderClient(w, h)
		}
		return e.renderOperations(w, h)
	}
	e.left = max(w/2, min(e.List.Grid.WantedWidth()+1, w*3/5)) // names are not cut while the other end has room
	between := strings.TrimSuffix(strings.Repeat(layout.CleanText(e.d.Theme.Rule, "┃")+"\n", h), "\n")
	return layout.Beside("", e.renderOperations(e.left, h), between, e.renderClient(w-e.left-1, h))
}

// renderName returns the line over an end; the one in focus stands out.
func (e *viewPair) renderName(text, right string, focused bool, w int) string {
	th := e.d.Theme
	style, bar := th.Style(theme.Muted), " "
	if focused {
		style, bar = th.Section, "▸"
	}
	return layout.FitEnds(layout.CleanText(th.Style(theme.Accent), bar)+layout.CleanText(style, text), layout.CleanText(th.Style(theme.Muted), right)+" ", w)
}

func (e *viewPair) renderOperations(w, h int) string {
	head := e.renderName("OPERATIONS", format.Count(countWaiting(e.rows()), "open task", "open tasks"), !e.atClient, w)
	rest := h - 1
	about := e.Current()
	if about == nil || rest < 18 {
		return head + "\n" + e.taskQueue.View(w, rest)
	}
	rows := max(5, min(len(e.rows())+1, rest*2/5))
	lower := append([]string{""}, e.d.renderAbout(about, w)...)
	return head + "\n" + e.taskQueue.View(w, rows) + "\n" + layout.FitBox(lower, w, rest-rows)
}

func (e *viewPair) renderClient(w, h int) string {
	c := e.client
	right := "ctrl+w to switch"
	switch o, is := c.knownOrder(); {
	case api.IsStatus(is.Err, 403, 404):
		right = "another client"
	case is.Err != nil:
		right = "! no response"
	case o != nil:
		right = "live"
	}
	head := e.renderName("CLIENT VIEW  "+e.ownName(), right, e.atClient, w)
	return head + "\n" + c.renderClient(e.ownName(), w, h-1)
}
