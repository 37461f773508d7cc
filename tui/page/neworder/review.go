package neworder

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
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
	above     int // lines above the request in the last view of a narrow window
}

func newReviewStep(p *NewOrder) *reviewStep {
	r := &reviewStep{tabs: newRequestTabs(p.env)}
	r.stepPage = newStepPage(p, "new review", r.renderOrder, r.renderRequest)
	r.Map = page.NewSiteMap()
	r.placement = &placement{parent: p, env: p.env, draft: p.draft}
	return r
}

// OnShow shows the orders of the draft. If all of them were placed meanwhile, it shows the placed
// order instead of the page.
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

// showOrders shows the order with the same index as before, or the last order.
func (r *reviewStep) showOrders() {
	last := max(0, len(r.placement.orders)-1)
	r.showOrder(min(r.shown, last))
}

// showFirstOrder shows the first order.
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
		r.Map.Focused = !r.Map.Focused || !r.tabs.isMapOpen()
		r.tabs.bar.Set(tabMap)
	case action.NextTab:
		r.moveTab(1)
	case action.PrevTab:
		r.moveTab(-1)
	case action.NextPart:
		r.moveOrder(1)
	case action.PrevPart:
		r.moveOrder(-1)
	default:
		isOnMap := r.tabs.isMapOpen() && r.Map.HandleAction(id)
		if !isOnMap {
			page.MoveList(&r.Scroll, id)
		}
	}
	return nil
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

// goToFault goes to the step where the next fault can be fixed: to the site or the field of
// the fault. After the last fault it begins with the first one again.
func (r *reviewStep) goToFault() tea.Cmd {
	faults := r.placement.allFaults()
	fault := faults[r.nextFault%len(faults)]
	r.nextFault++
	if fault.Site != nil {
		r.parent.sites.reloadSites(fault.Site)
		message := page.ShowToast(theme.Attention, fault.FaultText())
		return tea.Batch(r.parent.goTo(ordering.StepSites), message)
	}
	if fault.Field == "" {
		return r.parent.goTo(ordering.StepSites)
	}
	cmd := r.parent.goTo(ordering.StepDetails)
	details := r.parent.details
	details.checkAll()
	details.showServiceErrors(r.placement.rejected)
	details.form.FocusEnd(fault.Field)
	return cmd
}

// DisabledReason returns why an action is disabled, or "".
func (r *reviewStep) DisabledReason(id action.ID) string {
	if reason := r.placement.disabledReason(id); reason != "" {
		return reason
	}
	switch id {
	case action.NextPart, action.PrevPart:
		return page.TextIf(len(r.placement.orders) < 2, "only one order")
	case action.CopyRequest:
		return page.TextIf(len(r.placement.orders) == 0, "no request")
	}
	return ""
}

// ActionScopes returns the scopes of the review, and the scopes of the map if its tab is open.
func (r *reviewStep) ActionScopes() []action.Scope {
	return r.Map.MapScopes(r.tabs.isMapOpen(), action.NewOrderReview, action.NewOrderSteps, action.List)
}

// View draws the orders and the request of the shown order.
func (r *reviewStep) View(w, h int) string { return r.DrawPage(w/2+1, w, h) }

// renderOrder draws the summary of the order. In a wide window the request is next to the summary, and
// the missions are below it. In a narrow window the request is below the summary.
func (r *reviewStep) renderOrder(w, h int) string {
	t := textLines{Theme: r.Env.Look.Theme, w: w}
	if r.Apart {
		t.w--
	}
	r.renderSummary(&t)
	if r.Apart {
		r.renderMissions(&t, h-len(t.lines))
		return format.FitBox(t.lines, w, h)
	}
	r.above = min(len(t.lines), h)
	box := format.FitBox(t.lines, w, r.above)
	if rest := h - r.above; rest > 0 {
		box += "\n" + r.renderRequest(w, rest)
	}
	return box
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
	return format.FitBox([]string{tabs}, w, 1) + "\n" + r.DrawMap(pane, top, w, h-1)
}

// renderTabs returns the line with the tabs. The number of the order, or the method and path of the
// request, are at its end.
func (r *reviewStep) renderTabs(w int) string {
	th := r.Env.Look.Theme
	note := ""
	if len(r.placement.orders) > 1 {
		note = "←→ order " + r.placement.partNumber(r.shown) + " "
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

// renderSummary adds the summary of the order: its request in words, warnings about sites, the placed
// orders, and the state of the order.
func (r *reviewStep) renderSummary(t *textLines) {
	r.renderWords(t)
	totals := r.parent.sites.totals()
	t.addText(theme.Attention, totals.split)
	if totals.known > 0 {
		t.addText(theme.Attention, siteCount(totals.known)+" ordered or drafted already, marked "+knownMark+" in Sites")
	}
	if totals.duplicates > 0 {
		t.addText(theme.Attention, siteCount(totals.duplicates)+" twice in this order, marked "+twiceMark+" in Sites")
	}
	r.renderWarnings(t)
	r.renderPlaced(t)
	isIncluded := func(s *ordering.Site) bool { return s.In }
	if excluded := len(r.draft.SitesWithout(isIncluded)); excluded > 0 {
		t.addText(theme.Muted, "Not included: "+siteCount(excluded))
	}
	t.add("")
	r.renderState(t)
	t.add("")
}

// renderWords adds the shown request in words: name, company, sizes, sensors, dates and types.
func (r *reviewStep) renderWords(t *textLines) {
	var order api.OrderInput
	if r.tabs.request != nil {
		order = r.tabs.request.Order
	}
	now := r.Env.Clock.Now()
	start := format.ExactDate(order.StartDate.StartDay(now.Location()), now)
	deadline := format.ExactDate(order.Deadline.EndDay(now.Location()), now)
	types := []string{
		format.Word(order.OrderType).Label,
		format.Word(order.MissionObjective).Label,
		format.Word(order.IndustryAssetType).Label,
	}
	t.addTitle(r.draft.FieldValue("orderName"), "")
	t.add(
		t.PaintMuted(" "+r.draft.FieldValue("companyName")),
		t.PaintText(" "+strings.Join(r.placement.counts(), " · ")),
		t.PaintText(" "+format.WordList(order.Sensors)+" → "+format.WordList(order.Deliverables)),
		t.PaintText(" "+start+" → "+deadline),
		t.PaintMuted(" "+strings.Join(types, " · ")),
	)
}

// renderPlaced adds the orders of the draft that are placed. From six orders on, only the first
// four are listed.
func (r *reviewStep) renderPlaced(t *textLines) {
	const maxPlaced = 4
	placed := r.draft.Placed
	for i, order := range placed {
		if i == maxPlaced && len(placed) > maxPlaced+1 {
			t.addText(theme.Muted, "and "+groupDigits(len(placed)-maxPlaced)+" more")
			break
		}
		t.add(t.PaintRole(theme.Good, " ● "+order.Code) + t.PaintMuted("  "+order.Name+", placed"))
	}
}

// joinWarning returns a warning after the name of its site: "Field 2: …", or "Field 2, row 3: …"
// if the warning begins with a row or a line.
func joinWarning(name, warning string) string {
	if strings.HasPrefix(warning, "row ") || strings.HasPrefix(warning, "line ") {
		return name + ", " + warning
	}
	return name + ": " + warning
}

// maxSiteWarnings is the number of warnings about sites that the review lists.
const maxSiteWarnings = 3

// renderWarnings adds the first [maxSiteWarnings] warnings about the included sites, and the
// number of the other warnings.
func (r *reviewStep) renderWarnings(t *textLines) {
	var warnings []string
	for _, s := range r.draft.IncludedSites() {
		for _, warning := range s.Warnings {
			warnings = append(warnings, joinWarning(s.Name, warning))
		}
	}
	listed := min(len(warnings), maxSiteWarnings)
	for _, warning := range warnings[:listed] {
		t.addNote(theme.Attention, " ! ", warning)
	}
	if more := len(warnings) - listed; more > 0 {
		t.addText(theme.Attention, "  and "+format.Count(more, "more warning")+", marked ! in Sites")
	}
}

// renderMissions adds a line for each mission of the shown order, in at most h lines. If the missions
// do not fit, the last line has the number of the others.
func (r *reviewStep) renderMissions(t *textLines, h int) {
	if len(r.placement.orders) == 0 || h < 1 {
		return
	}
	sites := r.placement.orders[r.shown].Sites
	hasMarks := slices.ContainsFunc(sites, isTroubled)
	for i, s := range sites {
		if i == h-1 && i < len(sites)-1 {
			t.addText(theme.Muted, "and "+groupDigits(len(sites)-i)+" more")
			return
		}
		t.add(r.missionLine(t, s, hasMarks))
	}
}

// missionLine returns the line of a mission: name, type, size and country. If hasMarks is true, a
// column at the left has the marks of sites with warnings.
func (r *reviewStep) missionLine(t *textLines, s *ordering.Site, hasMarks bool) string {
	mark := " "
	if hasMarks && isTroubled(s) {
		mark = " ! "
	} else if hasMarks {
		mark = "   "
	}
	missionType := format.FitLeft(format.Word(s.Type).Label, 5)
	size := format.FitRight(s.SizeText(r.Env.Look.Units), 14)
	country := format.FitLeft(format.Clean(s.Country), min(16, t.w/4))
	end := missionType + size + "  " + country
	name := format.FitLeft(format.Clean(s.Name), max(0, t.w-format.Width(mark+end)-2))
	return t.PaintRole(theme.Attention, mark) + t.PaintText(name+" ") + t.PaintMuted(end)
}

// keptNote is shown after an error.
const keptNote = "Your draft is saved."

// renderState adds the state of the order: the faults that prevent sending it, the progress or
// the error of sending it, or that it is ready to be placed.
func (r *reviewStep) renderState(t *textLines) {
	if r.placement.sending.IsOpen() {
		r.renderProgress(t)
		return
	}
	faults := r.placement.allFaults()
	r.renderFaults(t, faults)
	if r.placement.isUnchecked() {
		r.renderUnchecked(t)
		return
	}
	if r.draft.Sent != nil {
		t.addNote(theme.Attention, " ! ", "Sent "+r.sentTime()+", not found on the service. It may still arrive.")
	}
	if r.placement.err != nil {
		canRetry := len(r.placement.rejected) == 0
		retryKey := page.TextIf(canRetry, "r")
		t.add(r.Env.Look.RenderFault(r.placement.err, keptNote, retryKey, t.w)...)
	} else if len(faults) == 0 {
		r.renderReady(t)
	}
}

// renderProgress adds that an order is being sent, and its number if there are several.
func (r *reviewStep) renderProgress(t *textLines) {
	text := " Waiting for " + r.Env.Profile.Host
	if len(r.draft.Placed)+len(r.placement.orders) > 1 {
		text += ", order " + r.placement.partNumber(0)
	}
	t.add(t.PaintRole(theme.InProgress, text))
}

// sentTime returns when the order without a response was sent.
func (r *reviewStep) sentTime() string {
	return ordering.SentTime(r.draft.Sent.At, r.Env.Clock.Now())
}

// renderFaults adds the first five faults and the number of the other faults.
func (r *reviewStep) renderFaults(t *textLines, faults []ordering.OrderFault) {
	const maxFaults = 5
	for i, fault := range faults {
		if i == maxFaults {
			t.add(t.PaintMuted("   and " + groupDigits(len(faults)-i) + " more"))
			break
		}
		t.addNote(theme.Bad, " ! ", faultText(fault))
	}
}

// renderUnchecked adds the state of an order that was sent without a response, and the key that
// checks whether the service has the order.
func (r *reviewStep) renderUnchecked(t *textLines) {
	if r.placement.err == nil {
		t.addNote(theme.Attention, " ! ", "Sent "+r.sentTime()+", not confirmed. The order may exist.")
	} else {
		t.add(r.Env.Look.RenderFault(r.placement.err, keptNote, "", t.w)...)
		t.add(t.PaintRole(theme.Attention, "   The order may exist. It is not sent again until you check:"))
	}
	t.addKey("r", "check before sending again")
}

// renderReady adds that the order is ready to be placed, and warnings about dates in the past. It adds
// the size of a request that is larger than half of the limit.
func (r *reviewStep) renderReady(t *textLines) {
	for _, past := range r.draft.FindPastDates(r.Env.Clock.Now()) {
		t.addNote(theme.Attention, " ! ", pastText(past))
	}
	size := r.placement.orders[r.shown].Size
	note := ""
	if size > api.MaxBodyBytes/2 {
		note = "   " + format.Bytes(int64(size)) + " of the " + format.Bytes(api.MaxBodyBytes) + " that an order can have"
	}
	t.add(t.PaintRole(theme.Good, " ✓ Ready to place") + t.PaintMuted(note))
}

// faultText returns the text of a fault, followed by the key that fixes the fault, if there is one.
func faultText(f ordering.OrderFault) string { return f.FaultText() + fixHint(f) }

// fixHint returns the key that fixes a fault as the end of a sentence, or "" if there is no such key.
func fixHint(f ordering.OrderFault) string { return page.TextIf(f.ByText, "; press e") }
