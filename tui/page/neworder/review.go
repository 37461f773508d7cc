package neworder

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// The tabs of the review.
const (
	tabMap = iota
	tabJSON
	tabCurl
)

// reviewStep is step 4: it shows the requests exactly as they will be sent, and sends them.
type reviewStep struct {
	stepPage
	orders  []ordering.OrderPart // orders to place
	shown   int                  // index of the order whose request is shown
	tabs    widget.Tabs
	lines   []string              // lines of the shown request as JSON
	curl    string                // shown request as a curl command; "" until its tab is opened
	faults  []ordering.OrderFault // faults found before sending
	refused []ordering.OrderFault // faults that the service reported for the current request
	at      int                   // index of the fault that enter goes to next
	above   int                   // lines above the request in the last view of a narrow window
	placing page.Question
	missing string // key of a sent order that was not found on the service
	err     error  // error of the last attempt to place an order
}

func newReviewStep(p *NewOrder) *reviewStep {
	r := &reviewStep{}
	r.stepPage = stepPage{page.NewDetail(p.env, "new review", besideMap, r.renderOrder, r.renderRequest), p, p.draft}
	r.Map = page.NewSiteMap()
	r.tabs.Tabs = []widget.Tab{{Title: "map"}, {Title: "JSON"}, {Title: "curl"}}
	if p.env.Look.Theme.Linear { // the map is not shown
		r.tabs.Set(tabJSON)
	}
	return r
}

// OnShow computes the requests. If they changed, it discards the service's response to the
// previous requests.
func (r *reviewStep) OnShow() tea.Cmd {
	if r.draft.IsPlaced() {
		return r.finishPlacing(nil)
	}
	before := r.orders
	r.computeRequests()
	if !reflect.DeepEqual(before, r.orders) {
		r.refused = nil
		r.err = nil
		r.at = 0
	}
	return nil
}

// computeRequests computes the requests of the orders that are not placed yet, and the faults
// of the draft.
func (r *reviewStep) computeRequests() {
	r.p.sites.OnShow()
	now := r.Env.Clock.Now()
	r.orders = r.draft.PrepareOrders(now)
	r.faults = r.draft.FindFaults(now)
	last := max(0, len(r.orders)-1)
	r.showPart(min(r.shown, last))
}

// showPart shows the request and the sites of the order with index i.
func (r *reviewStep) showPart(i int) {
	r.shown = i
	r.lines = nil
	r.curl = ""
	var sites []*ordering.Site
	if i < len(r.orders) {
		r.lines = previewLines(r.orders[i].Request)
		sites = r.orders[i].Sites
	}
	r.turnTab(0)
	r.showOnMap(sites)
}

// showOnMap shows the sites on the step's map.
func (s *stepPage) showOnMap(sites []*ordering.Site) {
	features := make([]geomap.Feature, len(sites))
	for i, site := range sites {
		features[i] = siteFeature(site)
	}
	s.Map.Model.SetFeatures(features)
	s.Map.Model.FitAll()
}

// curlCommand returns the shown request as a curl command for a shell.
func (r *reviewStep) curlCommand() string {
	req := &r.orders[r.shown].Request
	body := ordering.EncodeRequest(req)
	key := r.Env.Profile.OrderPlacer().AttemptKey(req.Order.OrderName, body, false)
	headers := []session.Header{
		{Name: "Accept", Value: "application/json"},
		{Name: "Authorization"},
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Idempotency-Key", Value: key},
	}
	return session.CurlCommand("POST", r.Env.Profile.Client.BaseURL()+"/orders", headers, body)
}

// copyTab copies the full curl command if its tab is open, otherwise the full request as JSON.
func (r *reviewStep) copyTab() tea.Cmd {
	if r.tabs.At() == tabCurl {
		return r.Env.Files.CopyText(r.curl, "the curl command, which reads the key from $"+session.KeyVariable)
	}
	body := ordering.EncodeRequest(r.orders[r.shown].Request)
	return r.Env.Files.CopyText(string(body), "the request, "+format.Bytes(int64(len(body))))
}

// turnTab opens the tab that is the given number of tabs further. The curl command is built
// when its tab is first opened.
func (r *reviewStep) turnTab(by int) {
	r.tabs.Move(by)
	r.Map.Focused = false
	r.Scroll.ScrollToTop()
	if r.tabs.At() == tabCurl && r.curl == "" && len(r.orders) > 0 {
		r.curl = r.curlCommand()
	}
}

// countPoints encodes a list of points as its first point and the number of points.
var countPoints = json.MarshalToFunc(func(to *jsontext.Encoder, points []api.Point) error {
	if len(points) < 2 {
		return errors.ErrUnsupported
	}
	return json.MarshalEncode(to, []any{points[0], "… " + groupDigits(len(points)) + " points in total"})
})

// previewLines returns the lines of the request as JSON, with only the first point of each
// mission and the number of its points.
func previewLines(req api.CreateOrderRequest) []string {
	out, err := json.Marshal(req, jsontext.WithIndent("  "), json.WithMarshalers(countPoints))
	if err != nil {
		return []string{err.Error()}
	}
	return strings.Split(string(out), "\n")
}

// isUnchecked reports whether an order of the draft was sent without a response, and the
// service was not asked since whether it has the order.
func (r *reviewStep) isUnchecked() bool {
	return r.draft.Sent != nil && r.draft.Sent.Key != r.missing
}

// allFaults returns the faults found before sending and the faults that the service reported.
func (r *reviewStep) allFaults() []ordering.OrderFault {
	return slices.Concat(r.faults, r.refused)
}

// Update does nothing: the review handles no messages.
func (r *reviewStep) Update(tea.Msg) tea.Cmd { return nil }

// HandleAction performs an action on the order.
func (r *reviewStep) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Place:
		return r.askToPlace()
	case action.Retry:
		if r.isUnchecked() {
			return r.lookForSent()
		}
		return r.placeNext(false)
	case action.GoFault:
		return r.goToFault()
	case action.FocusMap:
		r.Map.Focused = !r.Map.Focused || r.tabs.At() != tabMap
		r.tabs.Set(tabMap)
		return nil
	case action.NextTab:
		r.turnTab(1)
	case action.PrevTab:
		r.turnTab(-1)
	case action.CopyRequest:
		return r.copyTab()
	case action.NextPart, action.PrevPart:
		step := 1
		if id == action.PrevPart {
			step = len(r.orders) - 1
		}
		r.showPart((r.shown + step) % len(r.orders))
	default:
		if r.tabs.At() != tabMap || !r.Map.HandleAction(id) {
			page.MoveList(&r.Scroll, id)
		}
	}
	return nil
}

// goToFault goes to the step where the next fault can be fixed: to the site or the field of
// the fault. After the last fault it begins with the first one again.
func (r *reviewStep) goToFault() tea.Cmd {
	faults := r.allFaults()
	fault := faults[r.at%len(faults)]
	r.at++
	if fault.Site != nil {
		r.p.sites.reloadSites(fault.Site)
		return tea.Batch(r.p.goTo(ordering.StepSites), page.ShowToast(theme.Attention, fault.FaultText()))
	}
	if fault.Field == "" {
		return r.p.goTo(ordering.StepSites)
	}
	cmd := r.p.goTo(ordering.StepDetails)
	details := r.p.details
	details.checkAll()
	details.serviceErrors(r.refused)
	details.form.FocusEnd(fault.Field)
	return cmd
}

// DisabledReason returns why an action is disabled, or "".
func (r *reviewStep) DisabledReason(id action.ID) string {
	switch {
	case r.placing.IsOpen():
		return "the service has not answered yet"
	case id == action.Place && r.isUnchecked():
		return "no response, outcome unknown; press r to check"
	case id == action.Place && len(r.faults) > 0:
		return faultText(r.faults[0]) + "; press enter to go to it"
	case id == action.Retry && r.err == nil && r.draft.Sent == nil:
		return "nothing to retry"
	case id == action.Retry && len(r.refused) > 0:
		return "fix the rejected field first"
	case id == action.GoFault && len(r.allFaults()) == 0:
		return "no errors"
	case id == action.NextPart, id == action.PrevPart:
		return page.TextIf(len(r.orders) < 2, "only one order")
	case id == action.CopyRequest:
		return page.TextIf(len(r.orders) == 0, "no request")
	}
	return ""
}

// ActionScopes returns the scopes of the review, and the scopes of the map if its tab is open.
func (r *reviewStep) ActionScopes() []action.Scope {
	return r.Map.MapScopes(r.tabs.At() == tabMap, action.NewOrderReview, action.NewOrderSteps, action.List)
}

// View draws the order beside its request.
func (r *reviewStep) View(w, h int) string { return r.DrawPage(w/2+1, w, h) }

// renderOrder draws the summary of the order. In a wide window the missions follow, because
// the request is beside the order; otherwise the request follows.
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

// renderRequest draws the tabs and the content of the open tab: the map, or the shown request
// as text.
func (r *reviewStep) renderRequest(w, h int) string {
	th := r.Env.Look.Theme
	right := ""
	if r.tabs.At() != tabMap {
		right = "POST /orders "
	}
	if len(r.orders) > 1 {
		right = "←→ order " + r.partNumber(r.shown) + " "
	}
	line := r.tabs.View(th, w-format.Width(right)) + th.PaintMuted(right)
	if h < 2 {
		return format.FitBox([]string{line}, w, h)
	}
	if r.tabs.At() == tabMap {
		pane := 0
		top := r.above + 1
		if r.Apart {
			pane = 1
			top = 1
		}
		return format.FitBox([]string{line}, w, 1) + "\n" + r.DrawMap(pane, top, w, h-1)
	}
	lines := append([]string{line}, r.renderText(w, h-1)...)
	return format.FitBox(lines, w, h)
}

// partNumber returns the number of the order with index i among all orders of the draft, such
// as "2 of 3". Orders that are placed already come first.
func (r *reviewStep) partNumber(i int) string {
	placed := len(r.draft.Placed)
	return groupDigits(placed+i+1) + " of " + groupDigits(placed+len(r.orders))
}

// renderText returns the visible lines of the shown request: the curl command if its tab is
// open, otherwise JSON.
func (r *reviewStep) renderText(w, h int) []string {
	muted := r.Env.Look.Theme.Style(theme.Muted)
	lines := r.lines
	if r.tabs.At() == tabCurl {
		lines = wrapCommand(r.curl, w-2)
	}
	lines = r.Scroll.View(lines, h, muted)
	visible := min(len(lines), r.Scroll.Height()) // the line behind has the number of hidden lines
	for i := range visible {
		lines[i] = format.CleanText(muted, " "+lines[i])
	}
	return lines
}

// maxCurl is how many bytes of a command are shown. It is always copied in full.
const maxCurl = 16_000

// wrapCommand breaks a command into lines of w cells.
func wrapCommand(command string, w int) []string {
	shown := strings.ToValidUTF8(command[:min(len(command), maxCurl)], "")
	lines := strings.Split(ansi.Hardwrap(shown, max(1, w), true), "\n")
	if len(command) > maxCurl {
		lines = append(lines, "… y copies the full command")
	}
	return lines
}

// renderSummary adds the summary of the order to t: the shown request in words, warnings about
// its sites, the placed orders, and the state of the order.
func (r *reviewStep) renderSummary(t *textLines) {
	r.renderWords(t)
	sum := r.p.sites.countedSum()
	t.say(theme.Attention, sum.split)
	if sum.known > 0 {
		t.say(theme.Attention, siteCount(sum.known)+" ordered or drafted already, marked "+knownMark+" in Sites")
	}
	if sum.doubled > 0 {
		t.say(theme.Attention, siteCount(sum.doubled)+" twice in this order, marked "+doubledMark+" in Sites")
	}
	r.renderWarnings(t)
	r.renderPlaced(t)
	isIncluded := func(s *ordering.Site) bool { return s.In }
	excluded := len(r.draft.SitesWithout(isIncluded))
	if excluded > 0 {
		t.say(theme.Muted, "Not included: "+siteCount(excluded))
	}
	t.add("")
	r.renderState(t)
	t.add("")
}

// renderWords adds the shown request in words: name, company, sizes, sensors, dates and types.
func (r *reviewStep) renderWords(t *textLines) {
	var order api.OrderInput
	if len(r.orders) > 0 {
		order = r.orders[r.shown].Request.Order
	}
	now := r.Env.Clock.Now()
	start := format.ExactDate(order.StartDate.StartDay(now.Location()), now)
	deadline := format.ExactDate(order.Deadline.EndDay(now.Location()), now)
	types := []string{
		format.Word(order.OrderType).Label,
		format.Word(order.MissionObjective).Label,
		format.Word(order.IndustryAssetType).Label,
	}
	t.title(r.draft.FieldValue("orderName"), "")
	t.add(
		t.PaintMuted(" "+r.draft.FieldValue("companyName")),
		t.PaintText(" "+strings.Join(r.counts(), " · ")),
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
			t.say(theme.Muted, "and "+groupDigits(len(placed)-maxPlaced)+" more")
			break
		}
		t.add(t.PaintRole(theme.Good, " ● "+order.Code) + t.PaintMuted("  "+order.Name+", placed"))
	}
}

// joinWarning returns a warning behind the name of its site: "Field 2: …", or "Field 2, row 3: …"
// if the warning begins with a row or a line.
func joinWarning(name, warning string) string {
	if strings.HasPrefix(warning, "row ") || strings.HasPrefix(warning, "line ") {
		return name + ", " + warning
	}
	return name + ": " + warning
}

// maxSiteWarnings is how many warnings about sites the review lists.
const maxSiteWarnings = 3

// renderWarnings adds the first [maxSiteWarnings] warnings about the included sites, and the
// number of the other warnings.
func (r *reviewStep) renderWarnings(t *textLines) {
	shown, more := 0, 0
	for _, s := range r.draft.IncludedSites() {
		for _, warning := range s.Warnings {
			if shown < maxSiteWarnings {
				t.note(theme.Attention, " ! ", joinWarning(s.Name, warning))
				shown++
			} else {
				more++
			}
		}
	}
	if more > 0 {
		t.say(theme.Attention, "  and "+format.Count(more, "more warning")+", marked ! in Sites")
	}
}

// counts returns the number of the order's missions, their total area and their total length.
func (r *reviewStep) counts() []string {
	sum := r.p.sites.countedSum()
	return append([]string{format.Count(sum.in, "mission")}, sum.measures...)
}

// renderMissions adds a line for each mission of the shown order, in at most h lines: name,
// type, size and country. If the missions do not fit, the last line has the number of the rest.
func (r *reviewStep) renderMissions(t *textLines, h int) {
	if len(r.orders) == 0 || h < 1 {
		return
	}
	sites := r.orders[r.shown].Sites
	hasMarks := slices.ContainsFunc(sites, isTroubled)
	for i, s := range sites {
		if i == h-1 && i < len(sites)-1 {
			t.say(theme.Muted, "and "+groupDigits(len(sites)-i)+" more")
			return
		}
		mark := " "
		if hasMarks && isTroubled(s) {
			mark = " ! "
		} else if hasMarks {
			mark = "   "
		}
		kind := format.FitLeft(format.Word(s.Type).Label, 5)
		size := format.FitRight(s.SizeText(r.Env.Look.Units), 14)
		country := format.FitLeft(format.Clean(s.Country), min(16, t.w/4))
		end := kind + size + "  " + country
		name := format.FitLeft(format.Clean(s.Name), max(0, t.w-format.Width(mark+end)-2))
		t.add(t.PaintRole(theme.Attention, mark) + t.PaintText(name+" ") + t.PaintMuted(end))
	}
}

// keptNote tells the user, after an error, that no input is lost.
const keptNote = "Your draft is saved."

// renderState adds the state of the order: the faults that prevent sending it, the progress or
// the error of sending it, or that it is ready to be placed.
func (r *reviewStep) renderState(t *textLines) {
	if r.placing.IsOpen() {
		which := ""
		if len(r.draft.Placed)+len(r.orders) > 1 {
			which = ", order " + r.partNumber(0)
		}
		t.add(t.PaintRole(theme.InProgress, " Waiting for "+r.Env.Profile.Host+which))
		return
	}
	faults := r.allFaults()
	r.renderFaults(t, faults)
	if r.isUnchecked() {
		r.renderUnchecked(t)
		return
	}
	if r.draft.Sent != nil {
		sent := ordering.SentTime(r.draft.Sent.At, r.Env.Clock.Now())
		t.note(theme.Attention, " ! ", "Sent "+sent+", not found on the service. It may still arrive.")
	}
	if r.err != nil {
		retryKey := page.TextIf(len(r.refused) == 0, "r")
		t.add(r.Env.Look.RenderFault(r.err, keptNote, retryKey, t.w)...)
	} else if len(faults) == 0 {
		r.renderReady(t)
	}
}

// renderFaults adds the first five faults and the number of the other faults.
func (r *reviewStep) renderFaults(t *textLines, faults []ordering.OrderFault) {
	const maxFaults = 5
	for i, fault := range faults {
		if i == maxFaults {
			t.add(t.PaintMuted("   and " + groupDigits(len(faults)-i) + " more"))
			break
		}
		t.note(theme.Bad, " ! ", faultText(fault))
	}
}

// renderUnchecked adds the state of an order that was sent without a response, and the key that
// checks whether the service has the order.
func (r *reviewStep) renderUnchecked(t *textLines) {
	if r.err == nil {
		sent := ordering.SentTime(r.draft.Sent.At, r.Env.Clock.Now())
		t.note(theme.Attention, " ! ", "Sent "+sent+", not confirmed. The order may exist.")
	} else {
		t.add(r.Env.Look.RenderFault(r.err, keptNote, "", t.w)...)
		t.add(t.PaintRole(theme.Attention, "   The order may exist. It is not sent again until you check:"))
	}
	t.key("r", "check before sending again")
}

// renderReady adds that the order is ready to be placed, the size of its request, and warnings
// about dates in the past.
func (r *reviewStep) renderReady(t *textLines) {
	for _, past := range r.draft.FindPastDates(r.Env.Clock.Now()) {
		t.note(theme.Attention, " ! ", pastText(past))
	}
	size := format.Bytes(int64(r.orders[r.shown].Size)) + " of " + format.Bytes(api.MaxBodyBytes)
	t.add(t.PaintRole(theme.Good, " ✓ Ready to place") + t.PaintMuted("   "+size))
}

// faultText returns the text of a fault, with the key that fixes the fault if there is one.
func faultText(f ordering.OrderFault) string { return f.FaultText() + remedyOf(f) }

// remedyOf returns the key that fixes a fault as the end of a sentence, or "".
func remedyOf(f ordering.OrderFault) string { return page.TextIf(f.ByText, "; press e") }
