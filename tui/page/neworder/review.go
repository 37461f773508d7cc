package neworder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/words"
)

// review is step 4: exactly what will be sent, and the sending.
type review struct {
	p       *NewOrder
	req     api.CreateOrderRequest
	body    []byte // of it
	preview []string
	faults  []Fault
	refused []Fault // by the service, of the request as it is
	at      int     // fault that enter goes to
	top     int     // first line of the JSON in view
	page    int     // lines of it in view
	placing page.Question
	err     error
	lost    bool // the answer was lost: the order may be there
}

// sent is what became of placing: the order, where it is on the service.
type sent struct {
	order *api.Order
	found bool // by looking after a lost answer
}

func newReview(p *NewOrder) *review { return &review{p: p} }

// enter works the request out.
func (r *review) enter() tea.Cmd {
	req, body, faults := r.p.draft.whole(r.p.Now())
	r.req, r.faults = req, faults
	if string(body) != string(r.body) {
		r.refused, r.err, r.at = nil, nil, 0
	}
	r.body = body
	r.preview = previewLines(req)
	r.lost = r.p.draft.Pending
	return nil
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
				lines = append(lines, fmt.Sprintf("        … %s points in all", group(counts[mission])))
			}
			mission++
		}
	}
	return lines
}

// all are the faults of both ends.
func (r *review) all() []Fault { return append(append([]Fault(nil), r.faults...), r.refused...) }

func (r *review) update(msg tea.Msg) tea.Cmd {
	if answer, ok := msg.(page.Answer[sent]); ok {
		return r.took(answer)
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
		return r.place()
	case action.GoFault:
		return r.goFault()
	}
	r.scroll(id)
	return nil
}

// scroll moves the JSON; view keeps it within its lines.
func (r *review) scroll(id action.ID) {
	switch id {
	case action.Down:
		r.top++
	case action.Up:
		r.top--
	case action.HalfDown:
		r.top += max(1, r.page/2)
	case action.HalfUp:
		r.top -= max(1, r.page/2)
	case action.Top:
		r.top = 0
	case action.Bottom:
		r.top = len(r.preview)
	}
}

func (r *review) question() page.Dialog {
	d := r.p.draft
	what := strings.Join(append([]string{format.Count(len(d.in()), "mission", "missions")}, measures(d)...), ", ")
	return &dialog.Question{
		Theme: r.p.Theme, Title: "Place order",
		Lines: []string{
			d.value("orderName"), what, "For " + d.value("companyName") + ", at " + r.p.Host + ".",
			"It is sent once. Quotes follow; nothing is paid before you accept one, and until then it can be cancelled.",
		},
		Yes: "place it", No: "not yet", OnYes: r.place,
	}
}

// place sends the order. The key names this attempt: the same request sent
// again carries the same one.
func (r *review) place() tea.Cmd {
	d := r.p.draft
	if digest := fmt.Sprintf("%x", sha256.Sum256(r.body)); digest != d.Sent {
		d.Key, d.Sent = api.NewIdempotencyKey(), digest
	}
	d.SentAt, d.SentName, d.Pending = r.p.Now(), r.req.Order.OrderName, true
	r.err, r.lost, r.refused = nil, false, nil
	keep := r.p.drafts.keep(d)
	req, key := r.req, d.Key
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		// First it is written that the order is on its way. Whatever ends the
		// program then, the next run looks before it sends again.
		if err := keep(); err != nil {
			return sent{}, err
		}
		o, err := r.p.Client.Orders.Create(ctx, req, key)
		return sent{order: o}, err
	})
}

// look reads the newest orders for one that a lost answer may have placed.
func (r *review) look() tea.Cmd {
	d := r.p.draft
	name, since := d.SentName, d.SentAt.Add(-time.Minute)
	r.err = nil
	return page.Ask(r.p.Base, &r.placing, func(ctx context.Context) (sent, error) {
		order, err := Look(ctx, r.p.Client, name, since)
		return sent{order: order, found: true}, err
	})
}

func (r *review) took(answer page.Answer[sent]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	r.err = answer.Err
	switch {
	case r.err != nil && answer.Value.found: // looking failed; it is as unknown as before
		return nil
	case r.err != nil:
		return r.failed()
	case answer.Value.order == nil:
		r.lost, r.p.draft.Pending = false, false
		return tea.Batch(r.p.touched(), page.Toast(theme.Good, "the order is not on the service; S places it"))
	}
	return r.done(answer.Value)
}

// failed sorts out why the order is not placed.
func (r *review) failed() tea.Cmd {
	if api.MaybeApplied(r.err) {
		r.lost = true
		return nil
	}
	r.p.draft.Pending = false
	var e *api.Error
	if errors.As(r.err, &e) {
		r.refused, r.at = r.belongs(e.Fields), 0
		r.p.steps[stepOrder].(*orderForm).serviceErrors(r.refused)
	}
	return r.p.touched()
}

var missionField = regexp.MustCompile(`^missions\[(\d+)\](?:\.(.*))?$`)

// belongs finds the field or the site that each of the service's faults is of.
func (r *review) belongs(fields []api.FieldError) []Fault {
	in := r.p.draft.in()
	faults := make([]Fault, len(fields))
	for i, f := range fields {
		faults[i] = Fault{Field: strings.TrimPrefix(f.Field, "order."), Message: f.Message, Service: true}
		if match := missionField.FindStringSubmatch(f.Field); match != nil {
			if n, err := strconv.Atoi(match[1]); err == nil && n < len(in) {
				faults[i] = Fault{Site: in[n], Message: strings.TrimSpace(match[2] + " " + f.Message), Service: true}
			}
		}
	}
	return faults
}

// done forgets the draft and shows the order.
func (r *review) done(s sent) tea.Cmd {
	p := r.p
	p.placed = true
	remove := p.drafts.forget()
	forget := func() tea.Msg {
		if err := remove(); err != nil {
			return page.ToastMsg{Role: theme.You, Text: err.Error()}
		}
		return nil
	}
	said := "placed " + s.order.OrderCode
	if s.found {
		said = s.order.OrderCode + " had been placed; the answer was lost"
	}
	*p.draft = *newDraft() // another page on it must not show it as still to come
	return tea.Batch(forget, p.Instead(p.Life(), p.OrderPage(s.order)),
		page.Send(page.PlacedMsg{Order: s.order}), page.Toast(theme.Good, said))
}

// goFault goes where a fault is mended, the next one each time.
func (r *review) goFault() tea.Cmd {
	faults := r.all()
	fault := faults[r.at%len(faults)]
	r.at++
	switch {
	case fault.Site != nil:
		m := r.p.steps[stepMissions].(*missions)
		m.reload(fault.Site)
		return tea.Batch(r.p.goTo(stepMissions), page.Toast(theme.You, fault.Site.Name+" "+fault.Message))
	case fault.Field != "":
		f := r.p.steps[stepOrder].(*orderForm)
		cmd := r.p.goTo(stepOrder)
		f.checkAll()
		f.serviceErrors(r.refused)
		f.form.Focus(fault.Field)
		return cmd
	default:
		return r.p.goTo(stepMissions)
	}
}

func (r *review) disabled(id action.ID) string {
	switch {
	case r.placing.Open():
		return "the service has not answered yet"
	case id == action.GoFault && len(r.all()) == 0:
		return "nothing is at fault"
	case id == action.Retry && r.err == nil && !r.lost:
		return "nothing has failed"
	case id == action.Retry && len(r.refused) > 0:
		return "the service would refuse it again; mend what it names"
	case id == action.Place && r.p.ReadOnly:
		return "the app was started with --read-only"
	case id == action.Place && r.lost:
		return "the answer was lost; r looks whether the order is there"
	case id == action.Place && len(r.faults) > 0:
		return r.faults[0].text() + "; enter goes there"
	}
	return ""
}

// text says a fault with what it is of.
func (f Fault) text() string {
	switch {
	case f.Site != nil:
		return f.Site.Name + " " + f.Message
	case f.Field != "":
		return f.Field + " " + f.Message
	default:
		return f.Message
	}
}

func (r *review) view(w, h int) string {
	left := w
	if w >= besideMap {
		left = w / 2
	}
	lines := r.summary(left)
	if left == w {
		rest := h - len(lines)
		return cells.Box(append(lines, r.json(w, rest)...), w, h)
	}
	lines = append(lines, r.missions(left, h-len(lines))...)
	return cells.Beside(r.p.Theme.Rule.Render(" │"), cells.Box(lines, left, h), cells.Box(r.json(w-left-2, h), w-left-2, h))
}

// json is the request, as much of it as there is room for.
func (r *review) json(w, h int) []string {
	th := r.p.Theme
	lines := []string{cells.Ends(" "+cells.Text(th.Title, "JSON"), cells.Text(th.Style(theme.Muted), "POST /orders "), w)}
	r.page = max(0, h-2)
	r.top = max(0, min(r.top, len(r.preview)-r.page))
	shown := r.preview[r.top:]
	for _, l := range shown[:min(len(shown), r.page)] {
		lines = append(lines, cells.Text(th.Style(theme.Muted), " "+l))
	}
	if len(r.preview) > r.page && h > 1 {
		more := fmt.Sprintf(" lines %d to %d of %d, %s in all; j k scroll", r.top+1, min(len(r.preview), r.top+r.page), len(r.preview),
			format.Bytes(int64(len(r.body))))
		lines = append(lines, cells.Text(th.Style(theme.Muted), cells.Cut(more, w)))
	}
	return lines[:max(0, min(len(lines), h))]
}

// summary says in words what will be sent, what is in the way, and how the
// sending stands.
func (r *review) summary(w int) []string {
	th, d := r.p.Theme, r.p.draft
	counts := strings.Join(append([]string{format.Count(len(d.in()), "mission", "missions")}, measures(d)...), " · ")
	req := r.req
	text, muted := th.Style(theme.Text), th.Style(theme.Muted)
	lines := []string{
		" " + cells.Text(th.Title, d.value("orderName")),
		" " + cells.Text(muted, d.value("companyName")),
		" " + cells.Text(text, counts),
		" " + cells.Text(text, words.List(req.Order.Sensors, words.Sensor)+" → "+words.List(req.Order.Deliverables, words.Deliverable)),
		" " + cells.Text(text, format.Date(req.Order.StartDate.Time, r.p.Now())+" → "+format.Date(req.Order.Deadline.Time, r.p.Now())),
		" " + cells.Text(muted, fmt.Sprintf("%s · %s · %s", req.Order.OrderType,
			words.Objective(req.Order.MissionObjective).Label, words.AssetType(req.Order.IndustryAssetType).Label)),
	}
	if out := len(d.Sites) - len(d.in()); out > 0 {
		lines = append(lines, " "+cells.Text(muted, "Left out: "+format.Count(out, "site", "sites")))
	}
	lines = append(append(lines, ""), r.state(w)...)
	return append(lines, "")
}

// missions lists what will be flown where, as far as there is room.
func (r *review) missions(w, h int) []string {
	th, in := r.p.Theme, r.p.draft.in()
	var lines []string
	for i, s := range in {
		if len(lines) == h-1 && i < len(in)-1 {
			return append(lines, cells.Text(th.Style(theme.Muted), fmt.Sprintf(" and %s more", group(len(in)-i))))
		}
		right := cells.Left(string(s.Type), 8) + cells.Right(s.size(), 11) + "  " + cells.Left(cells.Clean(s.Country), 16)
		name := cells.Left(cells.Clean(s.Name), max(0, w-cells.Width(right)-3))
		lines = append(lines, " "+cells.Text(th.Style(theme.Text), name)+" "+cells.Text(th.Style(theme.Muted), right))
	}
	return lines[:max(0, min(len(lines), h))]
}

// state says how the order stands: its faults, the sending, or that it is
// ready.
func (r *review) state(w int) []string {
	th := r.p.Theme
	if r.placing.Open() {
		return []string{cells.Text(th.Style(theme.Moving), " … waiting for "+r.p.Host)}
	}
	var lines []string
	for i, fault := range r.all() {
		if i == 5 {
			lines = append(lines, cells.Text(th.Style(theme.Muted), "   and "+group(len(r.all())-i)+" more"))
			break
		}
		for k, part := range cells.Wrap(fault.text(), w-5) {
			mark := " ! "
			if k > 0 {
				mark = "   "
			}
			lines = append(lines, cells.Text(th.Style(theme.Bad), mark+part))
		}
	}
	switch {
	case r.lost && r.err == nil:
		return append(lines, cells.Text(th.Style(theme.You), " ! Sent, but the answer is not known."),
			"   "+cells.Text(th.Key, "r")+cells.Text(th.Style(theme.Text), " looks whether it is on the service"))
	case r.lost:
		lines = append(lines, page.Problem(th, r.err, "the draft", "", w)...)
		return append(lines, cells.Text(th.Style(theme.You), "   The order may be there all the same. Nothing is sent twice:"),
			"   "+cells.Text(th.Key, "r")+cells.Text(th.Style(theme.Text), " looks whether it is on the service"))
	case r.err != nil:
		again := "r"
		if len(r.refused) > 0 {
			again = ""
		}
		return append(lines, page.Problem(th, r.err, "the draft", again, w)...)
	case len(lines) == 0:
		lines = append(lines, " "+cells.Text(th.Style(theme.Good), "✓ all fields valid")+
			cells.Text(th.Style(theme.Muted), "   "+format.Bytes(int64(len(r.body)))+" of "+format.Bytes(api.MaxBodyBytes)))
	}
	return lines
}

func (r *review) cursor() *tea.Cursor { return nil }
func (r *review) typing() bool        { return false }
func (r *review) scopes() []action.Scope {
	return []action.Scope{action.Review, action.Steps, action.List}
}

func (r *review) mouse(m page.Mouse) tea.Cmd {
	r.top += m.Wheel
	return nil
}
