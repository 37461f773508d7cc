package neworder

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// The tabs of the review.
const (
	tabJSON = iota
	tabCurl
	tabMap
)

// reviewStep is step 4: exactly what will be sent, and the sending.
type reviewStep struct {
	stepPage
	orders  []ordering.OrderPart // to place
	shown   int                  // order whose request is shown
	tabs    widget.Tabs
	lines   []string // of the request shown, as JSON
	curl    string   // as a command, once it has been made
	making  page.Question
	faults  []ordering.OrderFault
	refused []ordering.OrderFault // by the service, of the request as it is
	at      int                   // fault that enter goes to
	above   int                   // lines above the request in the last view, where it is below
	placing page.Question
	err     error
	lost    bool // the answer was lost: the order may be there
}

func newReviewStep(p *NewOrder) *reviewStep {
	r := &reviewStep{}
	r.stepPage = stepPage{detail.NewPage(p.Env, "new review", besideMap, r.renderOrder, r.renderRequest), p}
	r.Map = sitemap.New()
	r.tabs.Tabs = []widget.Tab{{Title: "JSON"}, {Title: "curl"}, {Title: "map"}}
	return r
}

// OnShow works the requests out.
func (r *reviewStep) OnShow() tea.Cmd {
	before := r.orders
	r.computeRequests()
	if !reflect.DeepEqual(before, r.orders) {
		r.refused, r.err, r.at = nil, nil, 0
	}
	r.lost = r.p.draft.Pending
	return nil
}

// computeRequests makes the requests of what is not placed yet.
func (r *reviewStep) computeRequests() {
	d, now := r.p.draft, r.p.Now()
	r.orders, r.faults = d.PrepareOrders(now), d.FindFaults(now)
	r.showPart(min(r.shown, max(0, len(r.orders)-1)))
}

// showPart shows the request of a part.
func (r *reviewStep) showPart(n int) {
	r.shown, r.lines, r.curl = n, nil, ""
	r.Scroll.ScrollToTop()
	r.making.DropAnswer()
	var sites []*ordering.Site
	if n < len(r.orders) {
		r.lines, sites = previewLines(r.orders[n].Request), r.orders[n].Sites
	}
	r.showOnMap(sites)
}

// showOnMap puts sites on the step's map.
func (s *stepPage) showOnMap(sites []*ordering.Site) {
	features := make([]geomap.Feature, len(sites))
	for i, site := range sites {
		features[i] = siteFeature(site)
	}
	s.Map.SetFeatures(features)
	s.Map.FitAll()
}

// askTexts writes the request shown as it is sent and as a command for a shell, in the
// background since the largest take their time, for what then does with the request.
func (r *reviewStep) askTexts(then func(body string) tea.Cmd) tea.Cmd {
	req, placer, url, curl := r.orders[r.shown].Request, r.p.OrderPlacer(), r.p.Client.BaseURL()+"/orders", ""
	return page.AskInBackground(r.p.base, &r.making, func(context.Context) (string, error) {
		body := ordering.EncodeRequest(req)
		curl = requestlog.Command("POST", url, []requestlog.Header{
			{Name: "Accept", Value: "application/json"},
			{Name: "Authorization"},
			{Name: "Content-Type", Value: "application/json"},
			{Name: "Idempotency-Key", Value: placer.AttemptKey(&req, false)},
		}, body)
		return string(body), nil
	}, func(body string, _ error) tea.Cmd {
		r.curl = curl
		return then(body)
	})
}

// copyTab copies what the tab shows, whole.
func (r *reviewStep) copyTab() tea.Cmd {
	isCurl := r.tabs.At() == tabCurl
	return r.askTexts(func(text string) tea.Cmd {
		what := "the request, " + format.Bytes(int64(len(text)))
		if isCurl {
			text, what = r.curl, "the curl command, which reads the key from $"+requestlog.KeyVariable
		}
		return r.p.CopyText(text, what)
	})
}

// turnTab shows another tab; the command is made when it is first looked at.
func (r *reviewStep) turnTab(by int) tea.Cmd {
	r.tabs.Move(by)
	r.Map.Focused = false
	r.Scroll.ScrollToTop()
	if r.tabs.At() != tabCurl || r.curl != "" || r.making.IsOpen() || len(r.orders) == 0 {
		return nil
	}
	return r.askTexts(func(string) tea.Cmd { return nil })
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
		if r.lost {
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
		return r.turnTab(1)
	case action.PrevTab:
		return r.turnTab(-1)
	case action.CopyRequest:
		return r.copyTab()
	case action.NextPart, action.PrevPart:
		by := 1
		if id == action.PrevPart {
			by = len(r.orders) - 1
		}
		r.showPart((r.shown + by) % len(r.orders))
		return r.turnTab(0)
	}
	if r.tabs.At() == tabMap && r.Map.HandleAction(id) {
		return nil
	}
	page.MoveList(&r.Scroll, id)
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
		f.form.FocusField(fault.Field)
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
	case id == action.Place && r.lost:
		return "no response, outcome unknown; press r to check"
	case id == action.Place && len(r.faults) > 0:
		return faultText(r.faults[0]) + "; press enter to go to it"
	case id == action.Retry:
		return cmp.Or(page.TextIf(r.err == nil && !r.lost, "nothing to retry"),
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
