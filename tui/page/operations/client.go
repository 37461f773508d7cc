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

// clientView shows the tasks of the client's orders in one half of the window, and the client's page of the
// selected order in the other half. A narrow window shows only the half with the focus.
type clientView struct {
	*page.List[*orderItem]
	d       *paneTools
	account string            // ID of the client's account, "" until known
	shown   api.Order         // the order that both halves show
	order   *orders.OrderPage // the client's page of that order, nil if there is none
}

// leastAbout is the minimum height of a window that shows facts about the selected task below the list. A lower window
// shows only a warning if the client sees other values than Operations.
const leastAbout = 28

// newClientViewPage returns the page that shows the tasks of a client's orders next to the client's page of
// the selected order. selected is the task to select at first; nil selects the first task.
func newClientViewPage(from *paneTools, selected *orderItem) *operationsPage {
	d := from.forPage()
	v := &clientView{d: d}
	source := page.ListSource[*orderItem]{State: v.clientTasks, Needs: v.clientNeeds}
	v.List = newListPane(d, source, v.listOptions(), (*orderItem).inspected)
	if selected != nil && !v.Grid.Select(selected.ID) {
		v.Grid.Select(selected.UUID)
	}
	v.followSelection()
	p := &operationsPage{tools: d, title: "Client view"}
	p.addPane("Client view", v)
	return p
}

// listOptions returns the options of the task list. Next to the list, the client's page of the order replaces
// the usual details of the selected task.
func (v *clientView) listOptions() page.ListOptions[*orderItem] {
	o := v.d.queueOptions("client-view-tasks", false)
	o.Scope = action.ClientView
	o.RenderHead = v.renderNames
	o.Layout.MinDetailWidth = 54
	o.RenderDetails = func(_ *orderItem, w, h int) ([]string, bool) { return v.renderOrder(w, h), false }
	o.RenderEmpty = func(error, int) []string { return v.renderOrder(v.d.env.Look.Width, v.d.env.Look.Height) }
	queueFoot := o.RenderFoot
	o.RenderFoot = func(w int) []string { return append(queueFoot(w), v.renderTask(w)...) }
	switchSide := func(*orderItem) tea.Cmd {
		v.InPlace = !v.InPlace
		return nil
	}
	showQuotes := func(*orderItem) tea.Cmd { return v.order.HandleAction(action.ShowQuotes) }
	o.Actions = append(
		o.Actions,
		page.Action[*orderItem]{ID: action.SwitchSide, NeedsNoRow: true, Do: switchSide},
		page.Action[*orderItem]{ID: action.ShowQuotes, NeedsNoRow: true, WhyDisabled: v.noOrderReason, Do: showQuotes},
	)
	return o
}

// clientTasks returns the tasks of the client's own orders, or of all orders until the
// client's account is known.
func (v *clientView) clientTasks() page.ListState[*orderItem] {
	tasks := v.d.work.readWork()
	tasks.Version *= 2 // the version is odd if the account is known
	if account := v.findAccount(); account != "" {
		v.account = account
	}
	if v.account == "" {
		return tasks
	}
	tasks.Version++
	isOfOther := func(x *orderItem) bool { return x.AccountUID != v.account }
	tasks.Rows = slices.DeleteFunc(slices.Clone(tasks.Rows), isOfOther)
	return tasks
}

// findAccount returns the ID of the client's account, or "" if it is not known yet. The ID becomes known when one
// of the client's orders is loaded from the operations API.
func (v *clientView) findAccount() string {
	for _, o := range v.d.env.Profile.Cache.Now().Orders {
		full, _ := v.d.cache.Details.Get(o.UUID)
		if full != nil {
			return full.AccountUID
		}
	}
	return ""
}

// clientNeeds returns the data that the page needs: the tasks, the client's orders, and the data of the
// client's page.
func (v *clientView) clientNeeds(rows int) []cache.Need {
	needs := append(v.d.work.workNeeds(rows), v.d.env.Profile.Cache.Orders.NeedOf(cache.Account))
	if v.order != nil {
		needs = append(needs, v.order.DataNeeds()...)
	}
	return needs
}

// noOrderReason returns why no order can be opened in the client's half, or "" if one can.
func (v *clientView) noOrderReason(*orderItem) string {
	return page.TextIf(v.order == nil, "no order in the client view")
}

// show shows an order in both halves.
func (v *clientView) show(o *api.Order) {
	v.shown = *o
	v.order = orders.NewOrder(v.d.env, o)
}

// followSelection shows the order of the selected task.
func (v *clientView) followSelection() {
	if x := v.Current(); x != nil && x.UUID != v.shown.UUID {
		v.show(&x.Order.Order)
	}
}

// Update keeps the selection on a task of the shown order, unless the order has no task. If the client has just placed
// an order, Update shows that order.
func (v *clientView) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		v.show(placed.Order)
	}
	cmd := v.List.Update(msg)
	if v.order != nil {
		_ = v.order.OnShow() // only updates from the cache, so its command can be dropped
	}
	v.selectShown()
	return cmd
}

// selectShown selects a task of the shown order, unless a task of the order is already selected. If no order is
// shown yet, it shows the order of the selected task.
func (v *clientView) selectShown() {
	i := slices.IndexFunc(v.Rows(), func(x *orderItem) bool { return x.UUID == v.shown.UUID })
	if i < 0 {
		if v.order == nil {
			v.followSelection()
		}
		return
	}
	if v.Current().UUID != v.shown.UUID {
		v.Grid.Select(v.Rows()[i].ID)
	}
}

// isClientFocused reports whether the half with the client's page has the focus. The list's field InPlace
// stores this, because a narrow window then shows the client's page in place of the list.
func (v *clientView) isClientFocused() bool { return v.InPlace }

func (v *clientView) ActionScopes() []action.Scope {
	if v.isClientFocused() {
		return []action.Scope{action.ClientView}
	}
	return v.List.ActionScopes()
}

func (v *clientView) DisabledReason(id action.ID) string {
	if id == action.Open && v.isClientFocused() {
		return v.noOrderReason(nil)
	}
	return v.List.DisabledReason(id)
}

func (v *clientView) HandleAction(id action.ID) tea.Cmd {
	if id == action.Open && v.isClientFocused() {
		return v.d.env.Nav.Show(page.OrderRoute{Order: &v.shown})
	}
	cmd := v.List.HandleAction(id)
	v.followSelection()
	return cmd
}

// HandleBack clears the filter, and reports whether there was one.
func (v *clientView) HandleBack() (tea.Cmd, bool) { return nil, v.ClearFilter() }

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

// renderNames renders the titles of both halves, and marks the half with the focus. If only one half is shown,
// it renders the title of that half and the key that shows the other half.
func (v *clientView) renderNames(w int) []string {
	th := v.d.env.Look.Theme
	title := func(text string, focused bool) string {
		mark := " "
		if focused {
			mark = "▸"
		}
		return th.PaintRole(theme.Accent, mark) + th.PaintTitle(text)
	}
	owner := " of this client"
	if v.account == "" {
		owner = " of all clients"
	}
	count := format.Count(countOpenTasks(v.Rows()), "open task") + owner
	tasks := title("OPERATIONS  "+count, !v.isClientFocused())
	client := title("CLIENT VIEW  "+v.d.service.companyName(v.account), v.isClientFocused())
	if v.IsSplit() {
		return []string{format.CutLine(format.FitLeft(tasks, v.DetailsColumn(w))+client, w)}
	}
	hint := th.PaintMuted(action.KeyOf(action.SwitchSide, action.ClientView) + " to switch ")
	if v.isClientFocused() {
		return []string{format.FitEnds(client, hint, w)}
	}
	return []string{format.FitEnds(tasks, hint, w)}
}

// renderOrder renders the client's page of the order.
func (v *clientView) renderOrder(w, h int) []string {
	if v.order == nil {
		return nil
	}
	return format.SplitLines(v.order.View(w, h))
}

// renderTask renders what is special about the selected task, below the list: the values that the client sees
// differently, and facts that the client's page does not show. In a low window it only renders the values that
// the client sees differently.
func (v *clientView) renderTask(w int) []string {
	x := v.Current()
	if x == nil {
		return nil
	}
	th := v.d.env.Look.Theme
	comparison := v.comparisonFact(x)
	compared := widget.WrapFacts(th, labelWidth, w, comparison)
	if v.d.env.Look.Height < leastAbout {
		if comparison.Role != theme.Attention {
			return nil
		}
		return compared
	}
	title := " " + th.PaintTitle(x.Code+": only Operations sees this")
	facts := widget.WrapFacts(th, labelWidth, w, v.operationsFacts(x)...)
	return slices.Concat([]string{""}, compared, []string{title}, facts)
}
