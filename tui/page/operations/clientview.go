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

// clientViewPage is the page that shows tasks of Operations beside the client's view of
// the same order.
type clientViewPage struct {
	*operationsPage
	ends *viewPair
}

// newClientViewPage returns the page with an order or a mission selected by ID, or the
// first task if it is "".
func newClientViewPage(from *operationsPage, id string) *clientViewPage {
	d := newOperationsPage(from.Env, from.world, "Client view")
	e := newViewPair(d)
	e.startAt(id)
	d.addPane("Client view", e)
	return &clientViewPage{d, e}
}

// Update also selects orders that the client just placed.
func (b *clientViewPage) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		b.ends.pinned = placed.Order.UUID
		b.ends.client.followOrder(placed.Order.OrderCode)
	}
	return b.operationsPage.Update(msg)
}

// viewPair lists the tasks of the client's orders, with the client's page of the
// selected order beside it. In narrow windows only the focused half is shown.
type viewPair struct {
	*listPane[orderItem]
	d      *operationsPage
	state  listpage.State[orderItem] // of the client's own orders
	of     string                    // ID of the client's account, "" until known
	whole  int                       // version of the tasks of all clients from which state was taken
	client clientPane
	pinned string // ID of the order that both halves show
}

func newViewPair(d *operationsPage) *viewPair {
	e := &viewPair{d: d, client: clientPane{env: d.Env}}
	o := d.queueOptions("desk-both", false)
	o.Scope, o.Also = action.ClientView, []action.Scope{action.OpsTask}
	o.Head, o.Foot, o.Blank = e.renderNames, e.renderTask, e.renderBlank
	o.SplitDetail = func(_ *orderItem, w, h int) string { return e.client.renderClient(e.ownName(), w, h) }
	o.Acts = append(
		o.Acts,
		listpage.Act[orderItem]{ID: action.SwitchSide, Any: true, Do: func(*orderItem) tea.Cmd {
			e.InPlace = !e.InPlace
			return nil
		}},
		listpage.Act[orderItem]{
			ID:  action.ShowQuotes,
			Any: true,
			Off: e.unread,
			Do:  func(*orderItem) tea.Cmd { return e.client.compareQuotes() },
		},
	)
	source := listpage.Source[orderItem]{State: e.clientTasks, Needs: func(int) []cache.Need {
		return append(d.world.works.workNeeds(), e.client.clientNeeds()...)
	}}
	e.listPane = newListPane(d, source, o, (*orderItem).inspected)
	e.Detail.Least(50, 54)
	return e
}

// unread returns why the client's view has no order to open, "" if it has.
func (e *viewPair) unread(*orderItem) string {
	if o, _ := e.client.knownOrder(); o == nil {
		return "no order in the client view"
	}
	return ""
}

// startAt selects an order or a mission by ID.
func (e *viewPair) startAt(id string) {
	works, own := &e.d.world.works, e.ownAccount()
	for _, x := range works.readWork().Rows {
		if x.itemID() == id || x.order.UUID == id {
			e.pinned = x.order.UUID
			break
		}
	}
	if o := works.orderByID(cmp.Or(e.pinned, id)); o != nil {
		e.pinned = o.UUID
		if own != "" && o.AccountUID != own {
			e.pinned = "" // another client's order; its view is not available
		}
	}
	e.List.Grid.Select(id)
	e.keepSelection()
	e.showFollowed()
}

// ownAccount returns the ID of the account of the app's own key, "" if unknown. It is
// found by an order both APIs list, otherwise by the company's name.
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

// ownName returns the client's name.
func (e *viewPair) ownName() string {
	if a := e.d.world.accountByID(e.ownAccount()); a != nil {
		return a.CompanyName
	}
	return e.d.Company
}

// clientTasks returns the tasks of the client's own orders.
func (e *viewPair) clientTasks() listpage.State[orderItem] {
	all, own := e.d.world.works.readWork(), e.ownAccount()
	if all.Version == e.whole && own == e.of {
		return e.state
	}
	version := e.state.Version + 1
	e.of, e.whole, e.state = own, all.Version, all
	e.state.Version = version
	e.state.Rows = slices.DeleteFunc(
		slices.Clone(all.Rows),
		func(x *orderItem) bool { return own != "" && x.order.AccountUID != own },
	)
	return e.state
}

// keepSelection keeps the order that both halves show selected as long as it has tasks.
func (e *viewPair) keepSelection() {
	if x := e.Current(); x != nil && (e.pinned == "" || x.order.UUID == e.pinned) {
		e.pinned = x.order.UUID
		return
	}
	for _, x := range e.Rows() {
		if x.order.UUID == e.pinned {
			e.List.Grid.Select(x.itemID())
			return
		}
	}
}

// followSelection shows the selected order in both halves.
func (e *viewPair) followSelection() {
	if x := e.Current(); x != nil {
		e.pinned = x.order.UUID
	}
	e.showFollowed()
}

// showFollowed shows the order in the client's view.
func (e *viewPair) showFollowed() {
	code := e.client.code
	if o := e.d.world.works.orderByID(e.pinned); o != nil {
		code = o.OrderCode
	}
	e.client.followOrder(code)
}

func (e *viewPair) Update(msg tea.Msg) tea.Cmd {
	cmd := e.listPane.Update(msg)
	e.keepSelection()
	e.showFollowed()
	return cmd
}

func (e *viewPair) ActionScopes() []action.Scope {
	if e.InPlace {
		return []action.Scope{action.ClientView}
	}
	return e.listPane.ActionScopes()
}

func (e *viewPair) DisabledReason(id action.ID) string {
	if id == action.Open && e.InPlace {
		return e.unread(nil)
	}
	return e.listPane.DisabledReason(id)
}

func (e *viewPair) HandleAction(id action.ID) tea.Cmd {
	if id == action.Open && e.InPlace {
		return e.client.openAsClient()
	}
	cmd := e.listPane.HandleAction(id)
	e.followSelection()
	return cmd
}

// HandleBack clears the filter.
func (e *viewPair) HandleBack() bool { return e.List.ClearFilter() }

// HandleMouse focuses the half that is clicked.
func (e *viewPair) HandleMouse(m page.MouseInput) tea.Cmd {
	if e.IsSplit() {
		side, _, _ := e.Detail.PaneUnder(m)
		e.InPlace = side == 1
	}
	cmd := e.listPane.HandleMouse(m)
	e.followSelection()
	return cmd
}

// renderNames renders the line of titles above both halves, the focused one
// highlighted.
func (e *viewPair) renderNames(w int) []string {
	th, state := e.d.Theme, ""
	switch o, is := e.client.knownOrder(); {
	case api.IsStatus(is.Err, 403, 404):
		state = "another client"
	case is.Err != nil:
		state = "! no response"
	case o != nil:
		state = "live"
	}
	name := func(text, note string, focused bool) string {
		style, bar := th.Style(theme.Muted), " "
		if focused {
			style, bar = th.Section, "▸"
		}
		return th.PaintRole(theme.Accent, bar) + layout.CleanText(style, text) + th.PaintMuted("  "+note)
	}
	tasks := name("OPERATIONS", format.Count(countWaiting(e.Rows()), "open task", "open tasks"), !e.InPlace)
	client := name("CLIENT VIEW  "+e.ownName(), state+" ", e.InPlace)
	switch {
	case e.IsSplit():
		return []string{layout.FitEnds(tasks, client, w)}
	case e.InPlace:
		return []string{layout.FitEnds(client, "", w)}
	}
	return []string{layout.FitEnds(tasks, th.PaintMuted("ctrl+w to switch "), w)}
}

// leastAbout is the window height from which the task is shown below the list.
const leastAbout = 28

// renderTask renders the selected task below the list.
func (e *viewPair) renderTask(w int) []string {
	lines := e.d.renderLeftOut(w)
	if x := e.Current(); x != nil && e.d.Height >= leastAbout {
		lines = append(append(lines, ""), e.d.renderAbout(x, w)...)
	}
	return lines
}

// renderBlank renders the client's view if there are no tasks.
func (e *viewPair) renderBlank(err error, w int) []string {
	if e.client.page == nil || err != nil {
		return nil
	}
	return layout.SplitLines(e.client.renderClient(e.ownName(), w, e.d.Height))
}
