// Package operations has the pages of the service's own side: tasks, orders, accounts,
// key requests and test controls, and the client's page of an order beside its tasks.
package operations

import (
	"errors"
	"net/http"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Section is the "Operations" section, offered if the profile has an operations key.
var Section = page.Section{
	Go: action.GoOps, Name: "Operations", Short: "Ops",
	First:      New,
	Operations: true,
	Missing: func(env *page.Env) string {
		switch {
		case env.Profile.Ops != nil:
			return ""
		case env.Profile.NoOps != nil:
			return "could not read the key for the operations API: " + format.Clean(env.Profile.NoOps.Error())
		}
		return "Operations needs an operations key; set ops_url and ops_credential in config.toml"
	},
}

// operationsPane is one tab of a page of Operations.
type operationsPane interface {
	page.Page
	page.CachedReader
	page.Jumper
	page.Dragger
}

// operationsPage is a page of the section: one of several tabs, which draws the titles of
// all and the state of the service above itself.
type operationsPage struct {
	operationsPane // the current one
	*workList
	env   *page.Env
	base  page.Base
	tabs  widget.Tabs
	panes []operationsPane
	title string

	barHeight int // lines above the pane in the last view
}

func newOperationsPage(env *page.Env, w *workList, title string) *operationsPage {
	d := &operationsPage{
		env:      env,
		workList: w,
		base:     page.NewBase(env),
		title:    title,
	}
	if w.acts == nil {
		w.acts = &requestRunner{b: d.base} // the first page outlives the others
	}
	return d
}

// addPane appends a tab.
func (d *operationsPage) addPane(title string, p operationsPane) {
	d.tabs.Tabs = append(d.tabs.Tabs, widget.Tab{Title: title})
	d.panes = append(d.panes, p)
	d.operationsPane = d.panes[0]
}

// Title returns the page's name.
func (d *operationsPage) Title() string { return d.title }

// CornerText returns the request in progress, or the age of the data.
func (d *operationsPage) CornerText() string {
	if d.acts.doing != "" {
		return d.acts.doing + "…"
	}
	_, is := d.cache.Service.Get(cache.Account)
	return d.base.Freshness(is)
}

// DataNeeds requests the service's state and the data of the current pane.
func (d *operationsPage) DataNeeds() []cache.Need {
	return append(d.worldNeeds(), d.operationsPane.DataNeeds()...)
}

// Update passes messages to the panes.
func (d *operationsPage) Update(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, len(d.panes))
	for i, p := range d.panes {
		cmds[i] = p.Update(msg)
	}
	return tea.Batch(cmds...)
}

// BlocksProfileSwitch returns the request in progress: new keys are shown only once,
// and rejected forms reopen.
func (d *operationsPage) BlocksProfileSwitch() string { return d.acts.busyReason() }

// ActionScopes returns the current pane's scopes and that of all pages of Operations.
func (d *operationsPage) ActionScopes() []action.Scope {
	scopes := d.operationsPane.ActionScopes()
	if d.IsTyping() {
		return scopes
	}
	return append(scopes, action.Ops)
}

// DisabledReason returns why an action is disabled, "" if it is enabled.
func (d *operationsPage) DisabledReason(id action.ID) string {
	switch s := d.serviceState().Simulator; {
	case (id == action.NextTab || id == action.PrevTab) && len(d.panes) == 1:
		return "only one tab"
	case paces[id] && s == nil:
		return "still loading"
	case paces[id] && s.Unavailable != "":
		return format.Clean(s.Unavailable)
	case id == action.SimStep && len(commands.UpcomingSteps(s)) == 0:
		return "no steps to run"
	}
	return d.operationsPane.DisabledReason(id)
}

func (d *operationsPage) HandleAction(id action.ID) tea.Cmd {
	switch {
	case id == action.NextTab:
		d.tabs.Move(1)
	case id == action.PrevTab:
		d.tabs.Move(-1)
	case id == action.Refresh:
		d.env.Profile.Cache.RereadNeeds(d.DataNeeds()...)
	case paces[id]:
		return d.changePace(id)
	default:
		return d.operationsPane.HandleAction(id)
	}
	d.operationsPane = d.panes[d.tabs.At()]
	return nil
}

// inspect opens the timeline of an order or mission, or the diagnosis of an account, as
// the client sees it.
func (d *operationsPage) inspect(s inspectSubject) tea.Cmd {
	env := d.env.Nav.InAccount(s.account, d.companyName(s.account))
	if s.of.Order != "" {
		return env.Nav.Show(page.StoryRoute{Subject: s.of})
	}
	return env.Nav.Show(page.AccountRoute{})
}

// HandleMouse selects the tab that is clicked, and passes other input to the pane.
func (d *operationsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	if len(d.panes) > 1 && m.Y == 0 && m.Wheel == 0 {
		d.tabs.ClickTitle(m.X)
		d.operationsPane = d.panes[d.tabs.At()]
		return nil
	}
	return d.operationsPane.HandleMouse(d.belowBar(m))
}

// belowBar returns mouse input in the cells of the pane.
func (d *operationsPage) belowBar(m page.MouseInput) page.MouseInput {
	m.Y -= d.barHeight
	return m
}

// HandleDrag passes a drag to the pane.
func (d *operationsPage) HandleDrag(m page.MouseInput, over bool) tea.Cmd {
	return d.operationsPane.HandleDrag(d.belowBar(m), over)
}

// JumpTargets returns the targets of the pane.
func (d *operationsPage) JumpTargets() []page.JumpTarget {
	targets := d.operationsPane.JumpTargets()
	for i := range targets {
		targets[i].Y += d.barHeight
	}
	return targets
}

// Cursor returns the cursor of the pane.
func (d *operationsPage) Cursor() *tea.Cursor {
	cursor := d.operationsPane.Cursor()
	if cursor != nil {
		cursor.Y += d.barHeight
	}
	return cursor
}

// View renders the tabs, the state of the service and the pane.
func (d *operationsPage) View(w, h int) string {
	bar := d.renderBar(w, h)
	d.barHeight = min(len(bar), max(0, h-1))
	if d.barHeight == 0 {
		return d.operationsPane.View(w, h)
	}
	return format.FitBox(bar, w, d.barHeight) + "\n" + d.operationsPane.View(w, h-d.barHeight)
}

// renderBar renders the tabs and the service's state above a pane.
func (d *operationsPage) renderBar(w, h int) (bar []string) {
	if len(d.panes) > 1 {
		bar = append(bar, d.tabs.View(d.env.Look.Theme, w))
	}
	bar = append(bar, d.renderStrip(d.env.Look.Theme, d.env.Clock.Now(), w))
	if h > 20 {
		bar = append(bar, "")
	}
	return bar
}

// renderProblem explains an error of the operations API, whose key differs from the
// account's.
func (d *operationsPage) renderProblem(err error, kept string, w int) []string {
	var e *api.Error
	if errors.As(err, &e) && e.Status == http.StatusUnauthorized {
		err = errors.New("operations API key rejected: " + e.Message + "; check ops_credential of the profile")
	}
	return d.env.Look.RenderProblem(err, kept, w)
}

// Tabs of the first page.
const (
	queueTab    = 0
	requestsTab = 3
)

// FirstPage is the first page of the section, with the queue of tasks.
type FirstPage struct {
	*operationsPage
	queue  *page.List[*orderItem]
	visits *page.List[*session.Visit] // nil where nobody can come
}

// CountsSeconds reports whether to redraw every second: participants come and go.
func (p *FirstPage) CountsSeconds() bool {
	return p.operationsPane == operationsPane(p.visits)
}

// New returns the first page.
func New(env *page.Env) page.Page {
	d := newOperationsPage(env, &workList{cache: env.Profile.Cache.Operations, now: env.Clock.Now}, "Operations")
	p := &FirstPage{operationsPage: d, queue: newTaskQueue(d)}
	d.addPane("Queue", p.queue)
	d.addPane("Orders", newOrderList(d, ""))
	d.addPane("Accounts", newAccountList(d))
	d.addPane("Key requests", newKeyRequestList(d))
	d.addPane("Users", newOperatorList(d))
	d.addPane("Audit trail", newAuditList(d))
	d.addPane("Test controls", newTestControls(d))
	if d.env.Profile.Room != nil {
		p.visits = newVisitList(d)
		d.addPane("Participants", p.visits)
	}
	return p
}

// Update updates the counts in the tabs, and selects an order that was just placed.
func (p *FirstPage) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		p.queue.ClearFilter()
		p.queue.Wanted = placed.Order.UUID
	}
	cmd := p.operationsPage.Update(msg)
	p.countWaiting()
	return cmd
}

// KnownPlaces returns the orders and missions with tasks, for the palette.
func (p *FirstPage) KnownPlaces() []page.KnownPlace { return p.queue.KnownPlaces() }

// countWaiting shows the number of tasks in the tabs and beside the section's name.
func (p *FirstPage) countWaiting() {
	waits, pending := countWaiting(p.readWork().Rows), 0
	requests, _ := p.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.Status == ops.KeyRequestPending {
			pending++
		}
	}
	p.tabs.Tabs[queueTab].Note, p.tabs.Tabs[requestsTab].Note = countText(waits), countText(pending)
	badge := page.SectionBadge{Text: countText(waits + pending), Role: theme.Attention}
	if commands.HasFaults(p.serviceState().Faults) {
		badge = page.SectionBadge{Text: "!", Role: theme.Bad}
	}
	p.env.SetBadge(action.GoOps, badge)
}

// countText writes a number, "" for 0.
func countText(n int) string {
	return page.TextIf(n != 0, format.GroupInt(n))
}

// inspectSubject identifies an account, and optionally an order or mission, whose
// timeline can be opened.
type inspectSubject struct {
	account string // "" for nothing
	of      timeline.StorySubject
}

// newListPane returns a pane of the rows of a source. The function subject returns
// whose timeline to open for a row, or for nil.
func newListPane[T any](
	d *operationsPage,
	source page.ListSource[T],
	o page.ListOptions[T],
	subject ...func(T) inspectSubject,
) *page.List[T] {
	o.Problem = d.renderProblem
	find := func(t T) (s inspectSubject) {
		for _, of := range subject {
			s = of(t)
		}
		return s
	}
	o.Acts = append(o.Acts, page.Act[T]{
		ID:  action.InspectAny,
		Off: func(t T) string { return page.TextIf(find(t).account == "", "select an order or an account") },
		Do:  func(t T) tea.Cmd { return d.inspect(find(t)) },
	})
	return page.NewList(d.base, source, o)
}
