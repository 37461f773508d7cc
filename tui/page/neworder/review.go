package neworder

import (
	"cmp"
	"errors"
	"fmt"
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

// reviewStep is step 4: exactly what will be sent, and the sending.
type reviewStep struct {
	stepPage
	orders  []ordering.OrderPart // to place
	shown   int                  // order whose request is shown
	tabs    widget.Tabs
	lines   []string // of the request shown, as JSON
	curl    string   // as a command, once that was looked at
	faults  []ordering.OrderFault
	refused []ordering.OrderFault // by the service, of the request as it is
	at      int                   // fault that enter goes to
	above   int                   // lines above the request in the last view, where it is below
	placing page.Question
	missing string // key of a sent order that was looked for and is not on the service
	err     error
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

// OnShow works the requests out.
func (r *reviewStep) OnShow() tea.Cmd {
	if r.draft.IsPlaced() {
		return r.finishPlacing(nil)
	}
	before := r.orders
	r.computeRequests()
	if !reflect.DeepEqual(before, r.orders) {
		r.refused, r.err, r.at = nil, nil, 0
	}
	return nil
}

// computeRequests makes the requests of what is not placed yet.
func (r *reviewStep) computeRequests() {
	r.p.sites.OnShow()
	d, now := r.draft, r.Env.Clock.Now()
	r.orders, r.faults = d.PrepareOrders(now), d.FindFaults(now)
	r.showPart(min(r.shown, max(0, len(r.orders)-1)))
}

// showPart shows the request of a part.
func (r *reviewStep) showPart(n int) {
	r.shown, r.lines, r.curl = n, nil, ""
	var sites []*ordering.Site
	if n < len(r.orders) {
		r.lines, sites = previewLines(r.orders[n].Request), r.orders[n].Sites
	}
	r.turnTab(0)
	r.showOnMap(sites)
}

// showOnMap puts sites on the step's map.
func (s *stepPage) showOnMap(sites []*ordering.Site) {
	features := make([]geomap.Feature, len(sites))
	for i, site := range sites {
		features[i] = siteFeature(site)
	}
	s.Map.Model.SetFeatures(features)
	s.Map.Model.FitAll()
}

// curlCommand returns the request shown as a command for a shell.
func (r *reviewStep) curlCommand() string {
	req := &r.orders[r.shown].Request
	body := ordering.EncodeRequest(req)
	return session.CurlCommand("POST", r.Env.Profile.Client.BaseURL()+"/orders", []session.Header{
		{Name: "Accept", Value: "application/json"},
		{Name: "Authorization"},
		{Name: "Content-Type", Value: "application/json"},
		{Name: "Idempotency-Key", Value: r.Env.Profile.OrderPlacer().AttemptKey(req.Order.OrderName, body, false)},
	}, body)
}

// copyTab copies what the tab shows, whole.
func (r *reviewStep) copyTab() tea.Cmd {
	if r.tabs.At() == tabCurl {
		return r.Env.Files.CopyText(r.curl, "the curl command, which reads the key from $"+session.KeyVariable)
	}
	body := ordering.EncodeRequest(r.orders[r.shown].Request)
	return r.Env.Files.CopyText(string(body), "the request, "+format.Bytes(int64(len(body))))
}

// turnTab shows another tab; the command is made when it is first looked at.
func (r *reviewStep) turnTab(by int) {
	r.tabs.Move(by)
	r.Map.Focused = false
	r.Scroll.ScrollToTop()
	if r.tabs.At() == tabCurl && r.curl == "" && len(r.orders) > 0 {
		r.curl = r.curlCommand()
	}
}

// countPoints writes the first of several points, and how many there are.
var countPoints = json.MarshalToFunc(func(to *jsontext.Encoder, points []api.Point) error {
	if len(points) < 2 {
		return errors.ErrUnsupported
	}
	return json.MarshalEncode(to, []any{points[0], "… " + groupDigits(len(points)) + " points in total"})
})

// previewLines returns the request as JSON, with the points of a mission counted.
func previewLines(req api.CreateOrderRequest) []string {
	out, err := json.Marshal(req, jsontext.WithIndent("  "), json.WithMarshalers(countPoints))
	if err != nil {
		return []string{err.Error()}
	}
	return strings.Split(string(out), "\n")
}

// isUnchecked reports whether an order of the draft was sent, is not confirmed, and was not
// looked for since.
func (r *reviewStep) isUnchecked() bool {
	return r.draft.Sent != nil && r.draft.Sent.Key != r.missing
}

// allFaults returns the faults of both ends.
func (r *reviewStep) allFaults() []ordering.OrderFault {
	return slices.Concat(r.faults, r.refused)
}

// Update does nothing.
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
		by := 1
		if id == action.PrevPart {
			by = len(r.orders) - 1
		}
		r.showPart((r.shown + by) % len(r.orders))
	default:
		if r.tabs.At() != tabMap || !r.Map.HandleAction(id) {
			page.MoveList(&r.Scroll, id)
		}
	}
	return nil
}

// goToFault goes where a fault is mended, the next one each time.
func (r *reviewStep) goToFault() tea.Cmd {
	faults := r.allFaults()
	fault := faults[r.at%len(faults)]
	r.at++
	switch {
	case fault.Site != nil:
		r.p.sites.reloadSites(fault.Site)
		return tea.Batch(r.p.goTo(ordering.StepSites), page.ShowToast(theme.Attention, fault.FaultText()))
	case fault.Field != "":
		f := r.p.details
		cmd := r.p.goTo(ordering.StepDetails)
		f.checkAll()
		f.serviceErrors(r.refused)
		f.form.FocusEnd(fault.Field)
		return cmd
	default:
		return r.p.goTo(ordering.StepSites)
	}
}

// DisabledReason says why an action is off.
func (r *reviewStep) DisabledReason(id action.ID) string {
	switch {
	case r.placing.IsOpen():
		return "the service has not answered yet"
	case id == action.Place && r.isUnchecked():
		return "no response, outcome unknown; press r to check"
	case id == action.Place && len(r.faults) > 0:
		return faultText(r.faults[0]) + "; press enter to go to it"
	case id == action.Retry:
		return cmp.Or(page.TextIf(r.err == nil && r.draft.Sent == nil, "nothing to retry"),
			page.TextIf(len(r.refused) > 0, "fix the rejected field first"))
	case id == action.GoFault && len(r.allFaults()) == 0:
		return "no errors"
	case id == action.NextPart, id == action.PrevPart:
		return page.TextIf(len(r.orders) < 2, "only one order")
	case id == action.CopyRequest:
		return page.TextIf(len(r.orders) == 0, "no request")
	}
	return ""
}

// ActionScopes returns the review's, with the map's on its tab.
func (r *reviewStep) ActionScopes() []action.Scope {
	return r.Map.MapScopes(r.tabs.At() == tabMap, action.NewOrderReview, action.NewOrderSteps, action.List)
}

// View draws the order beside its request.
func (r *reviewStep) View(w, h int) string { return r.DrawPage(w/2+1, w, h) }

// renderOrder draws what is ordered: beside the request with its missions, or else
// over it.
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

// renderRequest returns the request shown, as the tab has it.
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
		pane, top := 0, r.above+1
		if r.Apart {
			pane, top = 1, 1
		}
		return format.FitBox([]string{line}, w, 1) + "\n" + r.DrawMap(pane, top, w, h-1)
	}
	return format.FitBox(append([]string{line}, r.renderText(w, h-1)...), w, h)
}

// partNumber numbers one of the orders to place, behind those that are placed.
func (r *reviewStep) partNumber(i int) string {
	done := len(r.draft.Placed)
	return groupDigits(done+i+1) + " of " + groupDigits(done+len(r.orders))
}

// renderText returns the lines of the request that there is room for.
func (r *reviewStep) renderText(w, h int) []string {
	muted, lines := r.Env.Look.Theme.Style(theme.Muted), r.lines
	if r.tabs.At() == tabCurl {
		lines = wrapCommand(r.curl, w-2)
	}
	lines = r.Scroll.View(lines, h, muted)
	for i := range min(len(lines), r.Scroll.Height()) { // what is left is counted below them
		lines[i] = format.CleanText(muted, " "+lines[i])
	}
	return lines
}

// maxCurl is how much of a long command is shown, in bytes; it is copied in full.
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

// renderSummary says in words what will be sent, what is in the way, and how the
// sending stands.
func (r *reviewStep) renderSummary(t *textLines) {
	d, zone := r.draft, r.Env.Clock.Now().Location()
	var req api.OrderInput
	if len(r.orders) > 0 {
		req = r.orders[r.shown].Request.Order
	}
	t.title(d.FieldValue("orderName"), "")
	t.add(
		t.PaintMuted(" "+d.FieldValue("companyName")),
		t.PaintText(" "+strings.Join(r.counts(), " · ")),
		t.PaintText(" "+format.WordList(req.Sensors)+" → "+format.WordList(req.Deliverables)),
		t.PaintText(" "+format.ExactDate(req.StartDate.StartDay(zone), r.Env.Clock.Now())+
			" → "+format.ExactDate(req.Deadline.EndDay(zone), r.Env.Clock.Now())),
		t.PaintMuted(fmt.Sprintf(" %s · %s · %s", format.Word(req.OrderType).Label,
			format.Word(req.MissionObjective).Label, format.Word(req.IndustryAssetType).Label)),
	)
	sum := r.p.sites.countedSum()
	t.say(theme.Attention, sum.split)
	say := func(n int, where, mark string) {
		t.say(theme.Attention, page.TextIf(n > 0, siteCount(n)+where+", marked "+mark+" in Sites"))
	}
	say(sum.known, " ordered or drafted already", knownMark)
	say(sum.doubled, " twice in this order", doubledMark)
	r.renderWarnings(t)
	for i, o := range d.Placed {
		if i == 4 && len(d.Placed) > 5 {
			t.say(theme.Muted, "and "+groupDigits(len(d.Placed)-4)+" more")
			break
		}
		t.add(t.PaintRole(theme.Good, " ● "+o.Code) + t.PaintMuted("  "+o.Name+", placed"))
	}
	if out := len(d.SitesWithout(func(s *ordering.Site) bool { return s.In })); out > 0 {
		t.say(theme.Muted, "Not included: "+siteCount(out))
	}
	t.add("")
	r.renderState(t)
	t.add("")
}

// joinWarning writes the name of a site before a warning, which may begin with a line: "Field 2,
// row 3: …".
func joinWarning(name, warning string) string {
	if strings.HasPrefix(warning, "row ") || strings.HasPrefix(warning, "line ") {
		return name + ", " + warning
	}
	return name + ": " + warning
}

// maxSiteWarnings is how many warnings about sites are repeated.
const maxSiteWarnings = 3

// renderWarnings repeats the warnings about the sites of the order. The others are counted.
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

// counts returns what the order has: missions, their area and length.
func (r *reviewStep) counts() []string {
	sum := r.p.sites.countedSum()
	return append([]string{format.Count(sum.in, "mission")}, sum.measures...)
}

// renderMissions lists what will be flown where, as far as there is room.
func (r *reviewStep) renderMissions(t *textLines, h int) {
	if len(r.orders) == 0 || h < 1 {
		return
	}
	sites := r.orders[r.shown].Sites
	marks := map[bool]string{false: " ", true: " "}
	if slices.ContainsFunc(sites, isTroubled) {
		marks = map[bool]string{false: "   ", true: " ! "}
	}
	for i, s := range sites {
		if i == h-1 && i < len(sites)-1 {
			t.say(theme.Muted, "and "+groupDigits(len(sites)-i)+" more")
			return
		}
		end := format.FitLeft(format.Word(s.Type).Label, 5) + format.FitRight(s.SizeText(r.Env.Look.Units), 14) + "  " +
			format.FitLeft(format.Clean(s.Country), min(16, t.w/4))
		mark := marks[isTroubled(s)]
		name := format.FitLeft(format.Clean(s.Name), max(0, t.w-format.Width(mark+end)-2))
		t.add(t.PaintRole(theme.Attention, mark) + t.PaintText(name+" ") + t.PaintMuted(end))
	}
}

// renderState says how the order stands: its faults, the sending, or that it is
// ready.
func (r *reviewStep) renderState(t *textLines) {
	const kept = "Your draft is saved."
	if r.placing.IsOpen() {
		which := ""
		if len(r.draft.Placed)+len(r.orders) > 1 {
			which = ", order " + r.partNumber(0)
		}
		t.add(t.PaintRole(theme.InProgress, " Waiting for "+r.Env.Profile.Host+which))
		return
	}
	faults := r.allFaults()
	for i, fault := range faults {
		if i == 5 {
			t.add(t.PaintMuted("   and " + groupDigits(len(faults)-i) + " more"))
			break
		}
		t.note(theme.Bad, " ! ", faultText(fault))
	}
	if r.draft.Sent != nil && !r.isUnchecked() {
		sent := ordering.SentTime(r.draft.Sent.At, r.Env.Clock.Now())
		t.note(theme.Attention, " ! ", "Sent "+sent+", not found on the service. It may still arrive.")
	}
	switch {
	case r.isUnchecked() && r.err == nil:
		sent := ordering.SentTime(r.draft.Sent.At, r.Env.Clock.Now())
		t.note(theme.Attention, " ! ", "Sent "+sent+", not confirmed. The order may exist.")
	case r.isUnchecked():
		t.add(r.Env.Look.RenderFault(r.err, kept, "", t.w)...)
		t.add(t.PaintRole(theme.Attention, "   The order may exist. It is not sent again until you check:"))
	case r.err != nil:
		t.add(r.Env.Look.RenderFault(r.err, kept, page.TextIf(len(r.refused) == 0, "r"), t.w)...)
	case len(faults) == 0:
		for _, past := range r.draft.FindPastDates(r.Env.Clock.Now()) {
			t.note(theme.Attention, " ! ", pastText(past))
		}
		size := format.Bytes(int64(r.orders[r.shown].Size)) + " of " + format.Bytes(api.MaxBodyBytes)
		t.add(t.PaintRole(theme.Good, " ✓ Ready to place") + t.PaintMuted("   "+size))
	}
	if r.isUnchecked() {
		t.key("r", "check before sending again")
	}
}

// faultText says a fault, and which key mends it.
func faultText(f ordering.OrderFault) string { return f.FaultText() + remedyOf(f) }

func remedyOf(f ordering.OrderFault) string { return page.TextIf(f.ByText, "; press e") }
