// Package operations has the pages of the "Operations" section, for the staff of the
// service: tasks, orders, accounts, key requests and test controls. The client view shows the
// tasks of an order next to the page that its client sees.
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
	Go:         action.GoOps,
	Name:       "Operations",
	Short:      "Ops",
	First:      New,
	Operations: true,
	Missing:    missingReason,
}

// missingReason returns why the section is not available, or "" if it is.
func missingReason(env *page.Env) string {
	if env.Profile.Ops != nil {
		return ""
	}
	if err := env.Profile.NoOps; err != nil {
		return "could not read the key for the operations API: " + format.Clean(err.Error())
	}
	return "Operations needs an operations key; set ops_url and ops_credential in config.toml"
}

// operationsPane is one tab of a page of Operations.
type operationsPane interface {
	page.Page
	page.CachedReader
	page.Jumper
	page.Dragger
}

// operationsPage is a page of the section. It shows the titles of its tabs, the state of the
// service, and below them the current tab.
type operationsPage struct {
	operationsPane // the current tab
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

// CornerText returns the request that is being sent, or the age of the data.
func (d *operationsPage) CornerText() string {
	if d.acts.doing != "" {
		return d.acts.doing + "…"
	}
	_, state := d.cache.Service.Get(cache.Account)
	return d.base.Freshness(state)
}

// DataNeeds requests the service's state and the data of the current tab.
func (d *operationsPage) DataNeeds() []cache.Need {
	return append(d.worldNeeds(), d.operationsPane.DataNeeds()...)
}

func (d *operationsPage) Update(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, len(d.panes))
	for i, p := range d.panes {
		cmds[i] = p.Update(msg)
	}
	return tea.Batch(cmds...)
}

// BlocksProfileSwitch returns why the profile cannot be switched while a request is being sent:
// new keys are shown only once, and rejected forms open again.
func (d *operationsPage) BlocksProfileSwitch() string { return d.acts.busyReason() }

// ActionScopes returns the current tab's scopes and the scope that all pages of Operations share.
func (d *operationsPage) ActionScopes() []action.Scope {
	scopes := d.operationsPane.ActionScopes()
	if d.IsTyping() {
		return scopes
	}
	return append(scopes, action.Ops)
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (d *operationsPage) DisabledReason(id action.ID) string {
	if (id == action.NextTab || id == action.PrevTab) && len(d.panes) == 1 {
		return "only one tab"
	}
	if paces[id] {
		if refusal := d.paceRefusal(id); refusal != "" {
			return refusal
		}
	}
	return d.operationsPane.DisabledReason(id)
}

func (d *operationsPage) HandleAction(id action.ID) tea.Cmd {
	if paces[id] {
		return d.changePace(id)
	}
	switch id {
	case action.NextTab:
		d.tabs.Move(1)
		d.showCurrentTab()
	case action.PrevTab:
		d.tabs.Move(-1)
		d.showCurrentTab()
	case action.Refresh:
		d.env.Profile.Cache.RereadNeeds(d.DataNeeds()...)
	default:
		return d.operationsPane.HandleAction(id)
	}
	return nil
}

func (d *operationsPage) showCurrentTab() { d.operationsPane = d.panes[d.tabs.At()] }

// inspect opens the timeline of an order or mission, or the diagnosis of an account, with the
// client's data.
func (d *operationsPage) inspect(s inspectSubject) tea.Cmd {
	client := d.env.Nav.InAccount(s.account, d.companyName(s.account))
	if s.of.Order != "" {
		return client.Nav.Show(page.StoryRoute{Subject: s.of})
	}
	return client.Nav.Show(page.AccountRoute{})
}

// HandleMouse shows the tab whose title is clicked, and passes other input to the current tab.
func (d *operationsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	if len(d.panes) > 1 && m.Y == 0 && m.Wheel == 0 {
		d.tabs.ClickTitle(m.X)
		d.showCurrentTab()
		return nil
	}
	return d.operationsPane.HandleMouse(d.belowBar(m))
}

// belowBar returns mouse input with coordinates relative to the current tab.
func (d *operationsPage) belowBar(m page.MouseInput) page.MouseInput {
	m.Y -= d.barHeight
	return m
}

func (d *operationsPage) HandleDrag(m page.MouseInput, over bool) tea.Cmd {
	return d.operationsPane.HandleDrag(d.belowBar(m), over)
}

func (d *operationsPage) JumpTargets() []page.JumpTarget {
	targets := d.operationsPane.JumpTargets()
	for i := range targets {
		targets[i].Y += d.barHeight
	}
	return targets
}

func (d *operationsPage) Cursor() *tea.Cursor {
	cursor := d.operationsPane.Cursor()
	if cursor != nil {
		cursor.Y += d.barHeight
	}
	return cursor
}

func (d *operationsPage) View(w, h int) string {
	bar := d.renderBar(w, h)
	d.barHeight = min(len(bar), max(0, h-1))
	if d.barHeight == 0 {
		return d.operationsPane.View(w, h)
	}
	return format.FitBox(bar, w, d.barHeight) + "\n" + d.operationsPane.View(w, h-d.barHeight)
}

// renderBar renders the titles of the tabs and the service's state.
func (d *operationsPage) renderBar(w, h int) []string {
	var bar []string
	if len(d.panes) > 1 {
		bar = append(bar, d.tabs.View(d.env.Look.Theme, w))
	}
	bar = append(bar, d.renderStrip(d.env.Look.Theme, d.env.Clock.Now(), w))
	if h > 20 {
		bar = append(bar, "")
	}
	return bar
}

// renderProblem renders an error of the operations API. If the key was rejected, the text says
// that the operations key is meant, not the account's key.
func (d *operationsPage) renderProblem(err error, kept string, w int) []string {
	var apiErr *api.Error
	if errors.As(err, &apiErr) && apiErr.Status == http.StatusUnauthorized {
		err = errors.New("operations API key rejected: " + apiErr.Message + "; check ops_credential of the profile")
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
	visits *page.List[*session.Visit] // nil if the app has no remote participants
}

// CountsSeconds reports whether the page is redrawn every second: the list of participants
// changes without a message.
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

// Update updates the counts in the tabs' titles, and selects an order that was just placed.
func (p *FirstPage) Update(msg tea.Msg) tea.Cmd {
	if placed, ok := msg.(page.PlacedMsg); ok {
		p.queue.ClearFilter()
		p.queue.Wanted = placed.Order.UUID
	}
	cmd := p.operationsPage.Update(msg)
	p.updateCounts()
	return cmd
}

// KnownPlaces returns the orders and missions with tasks, for the palette.
func (p *FirstPage) KnownPlaces() []page.KnownPlace { return p.queue.KnownPlaces() }

// updateCounts shows the number of tasks in the tabs' titles and next to the section's name.
func (p *FirstPage) updateCounts() {
	tasks := countOpenTasks(p.readWork().Rows)
	pending := 0
	requests, _ := p.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.Status == ops.KeyRequestPending {
			pending++
		}
	}
	p.tabs.Tabs[queueTab].Note = countText(tasks)
	p.tabs.Tabs[requestsTab].Note = countText(pending)
	badge := page.SectionBadge{Text: countText(tasks + pending), Role: theme.Attention}
	if commands.HasFaults(p.serviceState().Faults) {
		badge = page.SectionBadge{Text: "!", Role: theme.Bad}
	}
	p.env.SetBadge(action.GoOps, badge)
}

// countText formats a number, with "" for 0.
func countText(n int) string {
	return page.TextIf(n != 0, format.GroupInt(n))
}

// inspectSubject identifies what [action.InspectAny] opens: the timeline of an order or
// mission, or else the diagnosis of an account.
type inspectSubject struct {
	account string // "" if there is nothing to open
	of      timeline.StorySubject
}

// newListPane returns a tab with a list. The optional function subject returns what to
// inspect for a row, or for nil if no row is selected.
func newListPane[T any](
	d *operationsPage,
	source page.ListSource[T],
	o page.ListOptions[T],
	subject ...func(T) inspectSubject,
) *page.List[T] {
	subjectOf := func(T) inspectSubject { return inspectSubject{} }
	if len(subject) > 0 {
		subjectOf = subject[0]
	}
	o.RenderError = d.renderProblem
	o.Acts = append(o.Acts, page.Act[T]{
		ID:  action.InspectAny,
		Off: func(t T) string { return page.TextIf(subjectOf(t).account == "", "select an order or an account") },
		Do:  func(t T) tea.Cmd { return d.inspect(subjectOf(t)) },
	})
	return page.NewList(d.base, source, o)
}
