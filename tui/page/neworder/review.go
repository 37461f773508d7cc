package neworder

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/requestlog"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
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

var tabTitles = []string{"JSON", "curl", "map"}

// review is step 4: exactly what will be sent, and the sending.
type review struct {
	p       *NewOrder
	orders  []ordering.Prepared // to place
	shown   int                 // order whose request is shown
	tab     int
	lines   []string // of the request shown, as JSON
	curl    []string // as a command, once it has been made
	making  page.Question
	copying page.Question
	smap    *sitemap.Map
	faults  []ordering.Fault
	refused []ordering.Fault // by the service, of the request as it is
	at      int              // fault that enter goes to
	scroll  widget.Scroll    // of the request
	left    int              // column and line where it began in the last view
	above   int
	placing page.Question
	err     error
	lost    bool // the answer was lost: the order may be there
}

func newReview(p *NewOrder) *review { return &review{p: p, smap: sitemap.New()} }

// enter works the requests out.
func (r *review) enter() tea.Cmd {
	before := r.orders
	r.compute()
	if !slices.EqualFunc(before, r.orders, func(a, b ordering.Prepared) bool { return a.Digest == b.Digest }) {
		r.refused, r.err, r.at = nil, nil, 0
	}
	r.lost = r.p.draft.Pending
	return nil
}

// compute makes the requests of what is not placed yet.
func (r *review) compute() {
	d, now := r.p.draft, r.p.Now()
	r.orders, r.faults = d.Prepare(now), d.Faults(now)
	r.show(min(r.shown, max(0, len(r.orders)-1)))
}

// show shows the request of a part.
func (r *review) show(n int) {
	r.shown, r.lines, r.curl = n, nil, nil
	r.scroll.Home()
	r.making.Drop()
	var features []geomap.Feature
	if n < len(r.orders) {
		r.lines = previewLines(r.orders[n].Request)
		for _, s := range r.orders[n].Sites {
			features = append(features, feature(s))
		}
	}
	r.smap.SetFeatures(features)
	r.smap.FitAll()
}

// body is the request shown as it is sent. It is for the background: the
// largest take their time.
func (r *review) body() func() (header []requestlog.Header, body []byte) {
	req, key := r.orders[r.shown].Request, r.p.draft.Keys[r.orders[r.shown].Digest]
	return func() ([]requestlog.Header, []byte) {
		return []requestlog.Header{
			{Name: "Accept", Value: "application/json"},
			{Name: "Authorization"},
			{Name: "Content-Type", Value: "application/json"},
			{Name: "Idempotency-Key", Value: key},
		}, ordering.Encode(req)
	}
}

// curled is a request as a command for a shell.
type curled struct{ text string }

// command makes the request shown a command for a shell.
func (r *review) command() func(context.Context) (curled, error) {
	request, url := r.body(), r.p.Client.BaseURL()+"/orders"
	return func(context.Context) (curled, error) {
		header, body := request()
		return curled{requestlog.Command("POST", url, header, body)}, nil
	}
}

// copied is text for the clipboard.
type copied struct{ text, what string }

// copy copies what the tab shows, whole.
func (r *review) copy() tea.Cmd {
	request, command := r.body(), r.command()
	curl := r.tab == tabCurl
	return page.Ask(r.p.Base, &r.copying, func(ctx context.Context) (copied, error) {
		if curl {
			c, err := command(ctx)
			return copied{c.text, "the curl command, which reads the key from $" + requestlog.KeyVariable}, err
		}
		_, body := request()
		return copied{string(body), "the request, " + format.Bytes(int64(len(body)))}, nil
	})
}

// turn shows another tab; the command is made when it is first looked at.
func (r *review) turn(by int) tea.Cmd {
	r.tab, r.smap.Focused = (r.tab+by+len(tabTitles))%len(tabTitles), false
	r.scroll.Home()
	if r.tab != tabCurl || r.curl != nil || r.making.Open() || len(r.orders) == 0 {
		return nil
	}
	return page.Ask(r.p.Base, &r.making, r.command())
}

// previewLines is the request as JSON, with the points of a mission counted.
func previewLines(req api.CreateOrderRequest) []string {
	counts := make([]int, len(req.Missions))
	short := req
	short.Missions = append([]api.MissionInput(nil), req.Missions...)
	for i := range short.Missions {
		counts[i] = len(short.Missions[i].LocationMap)
		short.Missions[i].LocationMap = short.Missions[i].LocationMap[:min(1, counts[i])]
	}
	out, err := json.Marshal(short, jsontext.WithIndent("  "))
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	mission := 0
	for _, line := range strings.Split(string(out), "\n") {
		lines = append(lines, line)
		if strings.TrimSpace(line) == "}" && mission < len(counts) && strings.HasPrefix(line, "        }") {
			if counts[mission] > 1 {
				lines = append(lines, fmt.Sprintf("        … %s points in total", group(counts[mission])))
			}
			mission++
		}
	}
	return lines
}

// all are the faults of both ends.
func (r *review) all() []ordering.Fault {
	return append(append([]ordering.Fault(nil), r.faults...), r.refused...)
}

func (r *review) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Answer[sent]:
		if msg.Of(&r.placing) { // another draft may have been taken up meanwhile
			return r.took(msg)
		}
	case page.Answer[curled]:
		if msg.Of(&r.making) && msg.Take() {
			r.curl = strings.Split(msg.Value.text, "\n")
		}
	case page.Answer[copied]:
		if msg.Take() && msg.Err == nil {
			return page.Copy(&r.p.Files, msg.Value.text, msg.Value.what)
		}
	}
	return nil
}

func (r *review) do(id action.ID) tea.Cmd {
	switch id {
	case action.Place:
		r.p.Overlay(r.question())
		return nil
	case action.Retry:
		if r.lost {
			return r.look()
		}
		return r.place(false)
	case action.GoFault:
		return r.goFault()
	case action.FocusMap:
		r.tab, r.smap.Focused = tabMap, !r.smap.Focused || r.tab != tabMap
		return nil
	case action.NextTab:
		return r.turn(1)
	case action.PrevTab:
		return r.turn(-1)
	case action.CopyRequest:
		return r.copy()
	case action.NextPart, action.PrevPart:
		by := map[action.ID]int{action.NextPart: 1, action.PrevPart: -1}[id]
		r.show((r.shown + by + len(r.orders)) % len(r.orders))
		return r.turn(0)
	}
	if r.tab == tabMap && r.smap.Do(id) {
		return nil
	}
	page.Move(&r.scroll, id)
	return nil
}

// goFault goes where a fault is mended, the next one each time.
func (r *review) goFault() tea.Cmd {
	faults := r.all()
	fault := faults[r.at%len(faults)]
	r.at++
	switch {
	case fault.Site != nil:
		m := r.p.steps[ordering.StepMissions].(*missions)
		m.reload(fault.Site)
		return tea.Batch(r.p.goTo(ordering.StepMissions), page.Toast(theme.Attention, fault.Site.Name+" "+fault.Message))
	case fault.Field != "":
		f := r.p.steps[ordering.StepOrder].(*orderForm)
		cmd := r.p.goTo(ordering.StepOrder)
		f.checkAll()
		f.serviceErrors(r.refused)
		f.form.Focus(fault.Field)
		return cmd
	default:
		return r.p.goTo(ordering.StepMissions)
	}
}

func (r *review) disabled(id action.ID) string {
	switch {
	case r.placing.Open():
		return "the service has not answered yet"
	case id == action.Place:
		return r.unplaceable()
	case id == action.Retry:
		return r.settled()
	case id == action.GoFault && len(r.all()) == 0:
		return "no errors"
	case (id == action.NextPart || id == action.PrevPart) && len(r.orders) < 2:
		return "only one order"
	case id == action.CopyRequest && len(r.orders) == 0:
		return "no request"
	}
	return ""
}

// unplaceable says why nothing is sent, "" where it can be.
func (r *review) unplaceable() string {
	switch {
	case r.lost:
		return "no response, outcome unknown; press r to check"
	case len(r.faults) > 0:
		return faultText(r.faults[0]) + "; press enter to go to it"
	}
	return ""
}

// settled says why nothing is tried again, "" where there is something to.
func (r *review) settled() string {
	switch {
	case r.err == nil && !r.lost:
		return "nothing to retry"
	case len(r.refused) > 0:
		return "fix the rejected field first"
	}
	return ""
}

func (r *review) cursor() *tea.Cursor { return nil }
func (r *review) typing() bool        { return false }
func (r *review) scopes() []action.Scope {
	return r.smap.Scopes(r.tab == tabMap, action.Review, action.Steps, action.List)
}

// mouse scrolls the request, or zooms its map.
func (r *review) mouse(m page.Mouse) tea.Cmd {
	if r.tab == tabMap && m.X >= r.left && m.Y > r.above {
		r.smap.Mouse(m, r.left, r.above+1)
		return nil
	}
	r.scroll.Move(m.Wheel)
	return nil
}
