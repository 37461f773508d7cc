package neworder

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// reviewStep is step 4: it shows the orders with their requests, and places them.
type reviewStep struct {
	stepPage
	placement *placement
	shown     int // index of the shown order among the orders that are not placed yet
	tabs      *requestTabs
	nextFault int // index of the fault that enter goes to
	above     int // number of lines above the request in the last view of a narrow window
}

func newReviewStep(p *NewOrder) *reviewStep {
	r := &reviewStep{tabs: newRequestTabs(p.env)}
	r.stepPage = newStepPage(p, "new review", r.renderOrder, r.renderRequest)
	r.Map = page.NewSiteMap()
	r.placement = &placement{parent: p, env: p.env, draft: p.draft}
	return r
}

// OnShow shows the orders of the draft. If all of them were placed in the meantime, it shows the first placed order
// instead of the page.
func (r *reviewStep) OnShow() tea.Cmd {
	if r.draft.IsPlaced() {
		return r.placement.finish(nil)
	}
	if r.placement.prepare() {
		r.nextFault = 0
	}
	r.showOrders()
	return nil
}

// showOrders shows the order whose index is r.shown. If there are fewer orders than before, it shows the last order.
func (r *reviewStep) showOrders() {
	last := max(0, len(r.placement.orders)-1)
	r.showOrder(min(r.shown, last))
}

func (r *reviewStep) showFirstOrder() {
	if r.shown != 0 {
		r.showOrder(0)
	}
}

// showOrder shows the request and the sites of the order with index i.
func (r *reviewStep) showOrder(i int) {
	r.shown = i
	if i < len(r.placement.orders) {
		order := &r.placement.orders[i]
		r.tabs.setRequest(&order.Request)
		r.showOnMap(order.Sites)
	} else {
		r.tabs.setRequest(nil)
		r.showOnMap(nil)
	}
	r.showTop()
}

// showTop scrolls to the beginning of the request, and leaves the map.
func (r *reviewStep) showTop() {
	r.Map.Focused = false
	r.Scroll.ScrollToTop()
}

// Update does nothing: the review handles no messages.
func (r *reviewStep) Update(tea.Msg) tea.Cmd { return nil }

// HandleAction performs an action on the orders.
func (r *reviewStep) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Place:
		return r.placement.confirmPlace()
	case action.Retry:
		return r.placement.retry()
	case action.GoFault:
		return r.goToFault()
	case action.CopyRequest:
		return r.tabs.copyRequest()
	case action.FocusMap:
		r.toggleMap()
	case action.NextTab:
		r.moveTab(1)
	case action.PrevTab:
		r.moveTab(-1)
	case action.NextPart:
		r.moveOrder(1)
	case action.PrevPart:
		r.moveOrder(-1)
	default:
		r.moveView(id)
	}
	return nil
}

// moveView moves the map if its tab is open and the action is an action of the map. Otherwise it scrolls the
// request.
func (r *reviewStep) moveView(id action.ID) {
	if r.tabs.isMapOpen() {
		isHandled := r.Map.HandleAction(id)
		if isHandled {
			return
		}
	}
	page.MoveList(&r.Scroll, id)
}

// toggleMap opens the tab of the map and gives the map the focus. If the map already has the focus, toggleMap takes
// the focus away.
func (r *reviewStep) toggleMap() {
	hasFocus := r.Map.Focused && r.tabs.isMapOpen()
	r.tabs.bar.Set(tabMap)
	r.Map.Focused = !hasFocus
}

// moveTab opens the tab that is the given number of tabs further.
func (r *reviewStep) moveTab(by int) {
	r.tabs.move(by)
	r.showTop()
}

// moveOrder shows the order that is the given number of orders further. The first follows the last.
func (r *reviewStep) moveOrder(by int) {
	orders := len(r.placement.orders)
	r.showOrder((r.shown + by + orders) % orders)
}

// goToFault goes to the step, and there to the site or field, where the user can fix the next fault. After the last
// fault it begins with the first one again.
func (r *reviewStep) goToFault() tea.Cmd {
	faults := r.placement.allFaults()
	fault := faults[r.nextFault%len(faults)]
	r.nextFault++
	if fault.Site != nil {
		return r.goToSite(fault)
	}
	if fault.Field != "" {
		return r.goToField(fault.Field)
	}
	return r.parent.goTo(ordering.StepSites) // a fault of the whole draft, such as no sites
}

// goToSite goes to the step of the sites, selects the site of a fault, and shows the fault.
func (r *reviewStep) goToSite(fault ordering.OrderFault) tea.Cmd {
	r.parent.sites.reloadSites(fault.Site)
	message := page.ShowToast(theme.Attention, fault.FaultText())
	return tea.Batch(r.parent.goTo(ordering.StepSites), message)
}

// goToField goes to the step of the details, shows the errors of all fields, and focuses the field with the
// given ID.
func (r *reviewStep) goToField(fieldID string) tea.Cmd {
	cmd := r.parent.goTo(ordering.StepDetails)
	details := r.parent.details
	details.checkAll()
	details.showServiceErrors(r.placement.rejected)
	details.form.FocusEnd(fieldID)
	return cmd
}

// DisabledReason returns why an action is disabled, or "".
func (r *reviewStep) DisabledReason(id action.ID) string {
	if reason := r.placement.disabledReason(id); reason != "" {
		return reason
	}
	switch id {
	case action.NextPart, action.PrevPart:
		return page.TextIf(len(r.placement.orders) < 2, "no other order to show")
	case action.CopyRequest:
		return page.TextIf(len(r.placement.orders) == 0, "no request")
	case action.MapZoom:
		return "no site is selected here"
	}
	return ""
}

// ActionScopes returns the scopes of the review, and the scopes of the map if its tab is open.
func (r *reviewStep) ActionScopes() []action.Scope {
	return r.Map.MapScopes(r.tabs.isMapOpen(), action.NewOrderReview, action.NewOrderSteps, action.List)
}

// View draws the summary of the shown order, and the request that creates this order.
func (r *reviewStep) View(w, h int) string {
	r.Map.Model.Focused = r.Map.Focused
	return r.DrawPage(w/2+1, w, h)
}

// renderOrder draws the summary of the order. In a wide window the request is next to the summary, and the missions
// are below the summary. In a narrow window the request is below the summary.
func (r *reviewStep) renderOrder(w, h int) string {
	if r.Apart {
		summary := r.newSummary(w - 1)
		summary.render(h)
		summary.addMissions(h - len(summary.lines))
		return format.FitBox(summary.lines, w, h)
	}
	summary := r.renderAbove(w, h)
	r.above = min(len(summary.lines), h)
	box := format.FitBox(summary.lines, w, r.above)
	if rest := h - r.above; rest > 0 {
		box += "\n" + r.renderRequest(w, rest)
	}
	return box
}

const (
	minSpaciousPage = 20 // least height, in lines, of a page with blank lines in the summary above the request
	minRequestText  = 6  // least lines of the request as text below the whole summary, with the line of the tabs
)

// renderAbove draws the summary for the lines above the request in a narrow window. It shortens the summary if the
// request is shown as text, and the full summary would leave too few lines for this text.
func (r *reviewStep) renderAbove(w, h int) *reviewSummary {
	summary := r.newSummary(w)
	summary.isDense = h < minSpaciousPage
	summary.render(h)
	if r.tabs.isMapOpen() || h-len(summary.lines) >= minRequestText {
		return summary
	}
	summary.lines = nil
	summary.renderShort()
	return summary
}

// newSummary returns an empty summary of the shown order for lines of w cells.
func (r *reviewStep) newSummary(w int) *reviewSummary {
	summary := &reviewSummary{
		textLines: textLines{Theme: r.Env.Look.Theme, w: w},
		env:       r.Env,
		draft:     r.draft,
		placement: r.placement,
		totals:    r.parent.sites.totals(),
		keptNote:  r.parent.describeSaving(),
	}
	if len(r.placement.orders) > 0 {
		summary.order = &r.placement.orders[r.shown]
	}
	return summary
}

// renderRequest draws the tabs and the content of the open tab: the map, or the request as text.
func (r *reviewStep) renderRequest(w, h int) string {
	tabs := r.renderTabs(w)
	if h < 2 {
		return format.FitBox([]string{tabs}, w, h)
	}
	if !r.tabs.isMapOpen() {
		lines := append([]string{tabs}, r.renderText(w, h-1)...)
		return format.FitBox(lines, w, h)
	}
	pane := 0
	top := r.above + 1
	if r.Apart {
		pane = 1
		top = 1
	}
	missions := r.renderMissions(w, h-1)
	mapWidth := w - format.Width(firstLine(missions))
	drawnMap := r.DrawMap(pane, top, mapWidth, h-1)
	if missions != "" {
		drawnMap = format.Beside(drawnMap, missions)
	}
	return format.FitBox([]string{tabs}, w, 1) + "\n" + drawnMap
}

// minMissionsBeside is the smallest width for which the missions are next to the map, in a window that is too narrow
// for two columns.
const minMissionsBeside = 72

// renderMissions returns the missions of the shown order for the space to the right of the map in a narrow window.
// It returns "" if there is no room for them. It also returns "" in a wide window, where the summary lists the
// missions.
func (r *reviewStep) renderMissions(w, h int) string {
	if r.Apart || w < minMissionsBeside || len(r.placement.orders) == 0 {
		return ""
	}
	missions := len(r.placement.orders[r.shown].Sites)
	if h < min(minListedSites, missions) {
		return ""
	}
	width := w * 2 / 3
	summary := r.newSummary(width)
	summary.addMissions(h)
	return format.FitBox(summary.lines, width, h)
}

// firstLine returns the first line of a text with several lines.
func firstLine(box string) string {
	line, _, _ := strings.Cut(box, "\n")
	return line
}

// renderTabs returns the line with the tabs. At its end is the number of the shown order if there are several orders.
// Otherwise it ends with the method and path of the request while the request is shown as text.
func (r *reviewStep) renderTabs(w int) string {
	th := r.Env.Look.Theme
	note := ""
	if len(r.placement.orders) > 1 {
		previousKey := action.KeyOf(action.PrevPart, action.NewOrderReview)
		nextKey := action.KeyOf(action.NextPart, action.NewOrderReview)
		note = previousKey + "/" + nextKey + " order " + r.placement.partNumber(r.shown) + " "
	} else if !r.tabs.isMapOpen() {
		note = "POST /orders "
	}
	return r.tabs.bar.View(th, w-format.Width(note)) + th.PaintMuted(note)
}

// renderText returns the visible lines of the request.
func (r *reviewStep) renderText(w, h int) []string {
	muted := r.Env.Look.Theme.Style(theme.Muted)
	lines := r.Scroll.View(r.tabs.lines(w-2), h, muted)
	visible := min(len(lines), r.Scroll.Height()) // the line below them has the number of hidden lines
	for i := range visible {
		lines[i] = format.CleanText(muted, " "+lines[i])
	}
	return lines
}
