package neworder

import (
	"context"
	"fmt"
	"strings"
	"time"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

var stepTitles = []string{"Files", "Sites", "Details", "Review"}

// keepAfter is how long after a change the draft is written to disk.
const keepAfter = 500 * time.Millisecond

// step is one step of the page. A step handles its own actions and, while it
// is typing, keys.
type step interface {
	enter() tea.Cmd // it becomes the step shown
	update(msg tea.Msg) tea.Cmd
	view(w, h int) string
	cursor() *tea.Cursor
	scopes() []action.Scope
	disabled(id action.ID) string
	do(id action.ID) tea.Cmd
	typing() bool
	mouse(m page.Mouse) tea.Cmd
}

// NewOrder is the page.
type NewOrder struct {
	page.Base
	drafts  *ordering.Drafts
	draft   *ordering.Draft
	steps   []step
	changed bool // since the draft was last written
	saving  page.Question
	loading page.Question
	listing page.Question // of the drafts put aside
	twins   twins
	savedAt time.Time
	keepErr error
	placed  bool
}

// New returns the page, on the draft that was left.
func New(env *page.Env, drafts *ordering.Drafts) *NewOrder {
	p := &NewOrder{Base: page.NewBase(env), drafts: drafts, draft: drafts.Current}
	if p.draft == nil {
		p.draft = ordering.NewDraft()
	}
	p.build()
	return p
}

func (p *NewOrder) build() {
	p.steps = []step{newSites(p), newMissions(p), newOrderForm(p), newReview(p)}
}

// files is where files are chosen.
func (p *NewOrder) files() *filepicker.Picker { return p.steps[ordering.StepSites].(*sites).files }

func (p *NewOrder) step() step { return p.steps[p.draft.Step] }

// Title names the page and its step.
func (p *NewOrder) Title() string { return "New order" }

// Corner shows the steps and whether the draft is kept.
func (p *NewOrder) Corner() string {
	line := ""
	if p.Width < 80 {
		return fmt.Sprintf("step %d of %d: %s", p.draft.Step+1, len(stepTitles), stepTitles[p.draft.Step])
	}
	for i, title := range stepTitles {
		number := string(rune('1' + i))
		if i == p.draft.Step {
			line += "[" + number + " " + title + "]  "
		} else {
			line += number + " " + title + "  "
		}
	}
	switch {
	case p.keepErr != nil:
		return line + "draft not saved"
	case !p.savedAt.IsZero() && p.Width >= 100:
		return line + "draft saved " + format.Ago(p.savedAt, p.Now())
	}
	return strings.TrimRight(line, " ")
}

// Start takes up a draft from disk where none is in memory, or one that was
// begun or chosen elsewhere.
func (p *NewOrder) Start() tea.Cmd {
	if name := p.drafts.Wanted; name != "" && p.Disabled(action.Drafts) == "" {
		p.drafts.Wanted = ""
		return p.takeUp(name)
	}
	if begun := p.drafts.Current; begun != nil && begun != p.draft {
		p.show(begun)
	}
	return tea.Batch(p.begin(), p.readTwins())
}

func (p *NewOrder) begin() tea.Cmd {
	if p.drafts.Current == nil && p.drafts.OnDisk() {
		return page.Ask(p.Base, &p.loading, func(context.Context) (*ordering.Draft, error) { return p.drafts.Read() })
	}
	p.drafts.Current = p.draft
	return p.step().enter()
}

// show goes over to a draft.
func (p *NewOrder) show(d *ordering.Draft) {
	p.draft, p.changed, p.savedAt, p.keepErr = d, false, time.Time{}, nil
	p.build()
}

type keepMsg struct{}

// Update takes answers and, while typing, keys.
func (p *NewOrder) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Answer[*ordering.Draft]:
		return p.resume(msg)
	case keepMsg:
		return p.keep()
	case page.ReadMsg:
		p.tookTwins()
		return nil
	case page.Answer[asideDrafts]:
		if msg.Take() && msg.Err == nil {
			p.twins.known.Drafts, p.twins.aside = msg.Value.shapes, msg.Value.count
			p.compare()
		}
		return nil
	case page.Answer[[]ordering.StoredDraft]:
		return p.listed(msg)
	case page.Answer[takenUp]:
		return p.tookUp(msg)
	case page.Answer[[]ordering.Template]:
		return p.tookTemplates(msg)
	case page.Answer[time.Time]:
		return p.saved(msg)
	case page.Answer[filesRead]:
		return p.steps[ordering.StepSites].(*sites).tookAll(msg)
	case page.Answer[ordering.FileRead]:
		return p.steps[ordering.StepSites].update(msg)
	case page.Answer[*ordering.Reading]:
		return p.steps[ordering.StepMissions].(*missions).tookReading(msg)
	case page.Answer[sent], page.Answer[curled], page.Answer[copied]:
		return p.steps[ordering.StepReview].update(msg)
	}
	return p.step().update(msg)
}

// saved notes when the draft was written, or says why it could not be.
func (p *NewOrder) saved(answer page.Answer[time.Time]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	if p.keepErr = answer.Err; p.keepErr != nil {
		return tea.Batch(p.touched(), page.Toast(theme.Bad, p.keepErr.Error()))
	}
	p.savedAt = answer.Value
	return nil
}

func (p *NewOrder) resume(answer page.Answer[*ordering.Draft]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	var said tea.Cmd
	if answer.Err != nil {
		said = page.Toast(theme.Attention, answer.Err.Error())
	}
	if answer.Value != nil && len(p.draft.Sites) == 0 {
		early := p.files().Early()
		p.draft = answer.Value
		p.build()
		if early != "" { // a path is being typed
			p.draft.Step = ordering.StepSites
			p.files().TypeEarly(early)
		}
		if len(p.draft.Sites) > 0 {
			said = page.Toast(theme.Good, "Draft with "+format.Count(len(p.draft.Sites), "site", "sites")+" reopened")
		}
	}
	p.drafts.Current = p.draft
	return tea.Batch(said, p.step().enter())
}

// company is who orders as far as that is known: the account, or whom all of its
// orders are for.
func (p *NewOrder) company() string {
	company := p.Company
	for _, o := range p.Cache.Now().Orders {
		if p.Company != "" || company != "" && o.CompanyName != company {
			return p.Company
		}
		company = o.CompanyName
	}
	return company
}

// touched notes a change of the draft; it is written once changes pause.
func (p *NewOrder) touched() tea.Cmd {
	p.drafts.Version++
	if !p.drafts.OnDisk() || p.changed {
		return nil
	}
	p.changed = true
	return page.Later(p.Base, keepAfter, keepMsg{})
}

func (p *NewOrder) keep() tea.Cmd {
	if !p.changed || p.placed {
		return nil
	}
	p.changed = false
	now, write := p.Now(), p.drafts.Keep(p.draft)
	return page.Ask(p.Base, &p.saving, func(context.Context) (time.Time, error) { return now, write() })
}

// Leave writes what has changed since the last time.
func (p *NewOrder) Leave() tea.Cmd {
	if p.placed || len(p.draft.Sites) == 0 && !p.changed {
		return nil
	}
	write := p.drafts.Keep(p.draft)
	return func() tea.Msg {
		if err := write(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.ToastMsg{Role: theme.Muted, Text: "Draft saved · n to continue"}
	}
}

// goTo shows a step.
func (p *NewOrder) goTo(n int) tea.Cmd {
	if m, ok := p.step().(*missions); ok {
		m.settle()
	}
	p.draft.Step = n
	p.steps[ordering.StepSites].(*sites).adding = false
	return tea.Batch(p.step().enter(), p.touched())
}

// Scopes are the step's.
func (p *NewOrder) Scopes() []action.Scope { return p.step().scopes() }

// Disabled asks the step.
func (p *NewOrder) Disabled(id action.ID) string {
	switch {
	case id == action.Drafts || id == action.Templates:
		switch {
		case p.listing.Open():
			return "still loading"
		case p.steps[ordering.StepReview].(*review).placing.Open():
			return "waiting for the service"
		}
		return ""
	case id != action.DropDraft:
		return p.step().disabled(id)
	case len(p.draft.Sites) == 0:
		return "the draft is empty"
	case p.draft.Pending:
		return "the order may have been placed; press r on Review to check first"
	}
	return ""
}

// dropQuestion asks before the draft is forgotten.
func (p *NewOrder) dropQuestion() page.Dialog {
	return &dialog.Question{
		Theme: p.Theme, Title: "Delete draft",
		Lines: []string{format.Count(len(p.draft.Sites), "site", "sites") + " from " + p.draft.Origins(", ") + " and their details."},
		Yes:   "delete draft", No: "back", OnYes: p.drop,
	}
}

// drop begins anew.
func (p *NewOrder) drop() tea.Cmd {
	remove := p.drafts.Forget()
	p.show(ordering.NewDraft())
	p.drafts.Current = p.draft
	return tea.Batch(p.step().enter(), func() tea.Msg {
		if err := remove(); err != nil {
			return page.ToastMsg{Role: theme.Bad, Text: err.Error()}
		}
		return page.ToastMsg{Role: theme.Muted, Text: "Draft deleted"}
	})
}

// FilledIn is the form of the details, nil on the other steps.
func (p *NewOrder) FilledIn() *form.Form {
	if o, ok := p.step().(*orderForm); ok {
		return o.form
	}
	return nil
}

// Typing asks the step.
func (p *NewOrder) Typing() bool { return p.step().typing() }

// Mouse asks the step.
func (p *NewOrder) Mouse(m page.Mouse) tea.Cmd { return p.step().mouse(m) }

// Drag moves the map.
func (p *NewOrder) Drag(at page.Mouse, over bool) tea.Cmd {
	switch s := p.step().(type) {
	case *missions:
		s.smap.Drag(at, over)
	case *review:
		s.smap.Drag(at, over)
	}
	return nil
}

// Point shows where the mouse is on the map.
func (p *NewOrder) Point(at page.Mouse) {
	switch s := p.step().(type) {
	case *missions:
		if left, shown := s.mapAt(); shown {
			s.smap.Point(at, left, 0)
		}
	case *review:
		if s.tab == tabMap {
			s.smap.Point(at, s.left, s.above+1)
		}
	}
}

// Points reports whether a map is shown.
func (p *NewOrder) Points() bool {
	switch s := p.step().(type) {
	case *missions:
		_, shown := s.mapAt()
		return shown
	case *review:
		return s.tab == tabMap
	}
	return false
}

// Cursor asks the step.
func (p *NewOrder) Cursor() *tea.Cursor { return p.step().cursor() }

// Back leaves the map, where that is in focus, takes marks off, and returns from
// adding a file.
func (p *NewOrder) Back() bool {
	if f, ok := p.step().(*sites); ok && f.adding {
		f.adding, p.draft.Step = false, ordering.StepMissions
		p.step().enter()
		return true
	}
	if o, ok := p.step().(*orderForm); ok {
		return o.form.Close()
	}
	if r, ok := p.step().(*review); ok && r.smap.Focused {
		r.smap.Focused = false
		return true
	}
	m, ok := p.step().(*missions)
	switch {
	case ok && m.smap.Focused:
		m.smap.Focused = false
	case ok && !m.typing() && m.marks.clear():
	case ok:
		return m.list.Clear()
	default:
		return false
	}
	return true
}

// Do performs an action of the step.
func (p *NewOrder) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Drafts:
		return page.Ask(p.Base, &p.listing, func(context.Context) ([]ordering.StoredDraft, error) { return p.drafts.Stored() })
	case action.Templates:
		return p.askTemplates()
	case action.DropDraft:
		p.Overlay(p.dropQuestion())
		return nil
	case action.PrevStep:
		return p.goTo(max(0, p.draft.Step-1))
	case action.NextStep:
		if m, ok := p.step().(*missions); ok {
			return m.goOn()
		}
		return p.goTo(min(len(p.steps)-1, p.draft.Step+1))
	}
	return p.step().do(id)
}

// View draws the step.
func (p *NewOrder) View(w, h int) string {
	if p.loading.Open() {
		return layout.Box([]string{layout.Text(p.Theme.Style(theme.Muted), " Loading the draft…")}, w, h)
	}
	return p.step().view(w, h)
}

func group(n int) string { return format.Group(float64(n), 0) }
