package operations

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// clientView lists the tasks of the client's orders, with the client's page of the
// selected order beside it. In narrow windows only the focused half is shown.
type clientView struct {
	*page.List[*orderItem]
	d     *operationsPage
	own   string            // ID of the client's account, "" until known
	shown api.Order         // that both halves show
	order *orders.OrderPage // nil for none
}

// leastAbout is the window height from which the task is shown below the list.
const leastAbout = 28

// newClientViewPage returns the page that shows tasks of Operations beside the client's
// page of the same order, at first that of an item; nil is the first task.
func newClientViewPage(from *operationsPage, x *orderItem) *operationsPage {
	d := newOperationsPage(from.env, from.workList, "Client view")
	v := &clientView{d: d}
	o := d.queueOptions("desk-both", false)
	o.Scope, o.Head, o.LeastDetail = action.ClientView, v.renderNames, 54
	o.Lines = func(_ *orderItem, w, h int) ([]string, bool) { return v.renderOrder(w, h), false }
	about, foot := o.About, o.Foot
	o.Foot = func(w int) []string {
		x, lines := v.Current(), foot(w)
		if x != nil && d.env.Look.Height >= leastAbout {
			lines = append(append(lines, ""), widget.WrapFacts(d.env.Look.Theme, labelWidth, w, about(x).Facts...)...)
		}
		return lines
	}
	o.Blank = func(error, int) []string { return v.renderOrder(d.env.Look.Width, d.env.Look.Height) }
	o.Acts = append(
		o.Acts,
		page.Act[*orderItem]{ID: action.SwitchSide, Any: true, Do: func(*orderItem) tea.Cmd {
			v.InPlace = !v.InPlace
			return nil
		}},
		page.Act[*orderItem]{
			ID:  action.ShowQuotes,
			Any: true,
			Off: v.unread,
			Do:  func(*orderItem) tea.Cmd { return v.order.HandleAction(action.ShowQuotes) },
		},
	)
	v.List = newListPane(
		d,
		page.ListSource[*orderItem]{State: v.clientTasks, Needs: v.clientNeeds},
		o,
		(*orderItem).inspected,
	)
	if x != nil && !v.Grid.Select(x.ID) {
		v.Grid.Select(x.UUID)
	}
	v.followSelection()
	d.addPane("Client view", v)
	return d
}

// clientTasks returns the tasks of the client's own orders, as far as they are known.
func (v *clientView) clientTasks() page.ListState[*orderItem] {
	s := v.d.readWork()
	s.Version *= 2
	for _, o := range v.d.env.Profile.Cache.Now().Orders {
		if full, _ := v.d.cache.Details.Get(o.UUID); full != nil {
			v.own = full.AccountUID
			s.Version++
			break
		}
	}
	s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(x *orderItem) bool {
		return v.own != "" && x.AccountUID != v.own
	})
	return s
}

// clientNeeds requests the tasks, the client's orders and the data of the page.
func (v *clientView) clientNeeds(rows int) []cache.Need {
	needs := append(v.d.workNeeds(rows), v.d.env.Profile.Cache.Orders.NeedOf(cache.Account))
	if v.order != nil {
		needs = append(needs, v.order.DataNeeds()...)
	}
	return needs
}

// unread returns why the client's view has no order to open, "" if it has.
func (v *clientView) unread(*orderItem) string {
	return page.TextIf(v.order == nil, "no order in the client view")
}

// show shows an order in both halves.
func (v *clientView) show(o *api.Order) { v.shown, v.order = *o, orders.NewOrder(v.d.env, o) }

// followSelection shows the selected order.
func (v *clientView) followSelection() {
	if x := v.Current(); x != nil && x.UUID != v.shown.UUID {
		v.show(&x.Order.Order)
	}
}

// Update keeps the order that both halves show selected as long as it has tasks. An
// order that the client just placed is shown next.
func (v *clientView) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		v.show(placed.Order)
	}
	cmd := v.List.Update(msg)
	if v.order != nil {
		_ = v.order.OnShow() // takes data of the cache; requests nothing
	}
	if i := slices.IndexFunc(v.Rows(), func(x *orderItem) bool { return x.UUID == v.shown.UUID }); i >= 0 {
		if v.Current().UUID != v.shown.UUID {
			v.Grid.Select(v.Rows()[i].ID)
		}
	} else if v.order == nil {
		v.followSelection()
	}
	return cmd
}

func (v *clientView) ActionScopes() []action.Scope {
	if v.InPlace {
		return []action.Scope{action.ClientView}
	}
	return v.List.ActionScopes()
}

func (v *clientView) DisabledReason(id action.ID) string {
	if id == action.Open && v.InPlace {
		return v.unread(nil)
	}
	return v.List.DisabledReason(id)
}

func (v *clientView) HandleAction(id action.ID) tea.Cmd {
	if id == action.Open && v.InPlace {
		return v.d.env.Nav.Show(page.OrderRoute{Order: &v.shown})
	}
	cmd := v.List.HandleAction(id)
	v.followSelection()
	return cmd
}

// HandleBack clears the filter.
func (v *clientView) HandleBack() bool { return v.ClearFilter() }

// HandleMouse focuses the half that is clicked.
func (v *clientView) HandleMouse(m page.MouseInput) tea.Cmd {
	if v.IsSplit() {
		side, _ := v.PaneUnder(m)
		v.InPlace = side == 1
	}
	cmd := v.List.HandleMouse(m)
	v.followSelection()
	return cmd
}

// renderNames renders the titles of both halves, the focused one marked.
func (v *clientView) renderNames(w int) []string {
	th := v.d.env.Look.Theme
	name := func(text string, focused bool) string {
		bar := " "
		if focused {
			bar = "▸"
		}
		return th.PaintRole(theme.Accent, bar) + th.PaintTitle(text)
	}
	tasks := name("OPERATIONS  "+format.Count(countWaiting(v.Rows()), "open task"), !v.InPlace)
	client := name("CLIENT VIEW  "+v.d.companyName(v.own)+" ", v.InPlace)
	if !v.IsSplit() {
		if v.InPlace {
			tasks = client
		}
		client = th.PaintMuted("ctrl+w to switch ")
	}
	return []string{format.FitEnds(tasks, client, w)}
}

// renderOrder renders the client's page of the order.
func (v *clientView) renderOrder(w, h int) []string {
	if v.order == nil {
		return nil
	}
	return format.SplitLines(v.order.View(w, h))
}
