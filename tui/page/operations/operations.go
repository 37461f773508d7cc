// Package operations has the pages of the "Operations" section, for the staff of the
// service: tasks, orders, accounts, key requests and test controls. The client view shows the
// tasks of an order next to the page that its client sees.
package operations

import (
	"errors"
	"slices"

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
	if env.Files.Confined { // the configuration is not a guest's
		return "Operations needs an operations key"
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
	tools          *paneTools
	tabs           widget.Tabs
	panes          []operationsPane
	title          string // "" is the title of the current tab
	barHeight      int    // lines above the pane in the last view
}

// paneTools has what the tabs of a page need: the data of the service, the tasks of Operations, and the forms
// that change something.
type paneTools struct {
	env      *page.Env
	base     page.Base // the base of the page that shows the tabs
	cache    *cache.OperationsCache
	service  serviceInfo
	work     *workList      // shared by all pages of the section
	requests *requestRunner // belongs to the section's first page, which is closed after all others
}

// newTools returns the tools of the section's first page.
func newTools(env *page.Env) *paneTools {
	data := env.Profile.Cache.Operations
	base := page.NewBase(env)
	return &paneTools{
		env:      env,
		base:     base,
		cache:    data,
		service:  serviceInfo{data},
		work:     &workList{cache: data, now: env.Clock.Now},
		requests: &requestRunner{b: base},
	}
}

// forPage returns the tools for a new page. They have a new page.Base and share everything else.
func (d *paneTools) forPage() *paneTools {
	tools := *d
	tools.base = page.NewBase(d.env)
	return &tools
}

// addPane appends a tab.
func (p *operationsPage) addPane(title string, pane operationsPane) {
	p.tabs.Tabs = append(p.tabs.Tabs, widget.Tab{Title: title})
	p.panes = append(p.panes, pane)
	p.operationsPane = p.panes[0]
}

// Title returns the page's name.
func (p *operationsPage) Title() string {
	if p.title == "" {
		return p.operationsPane.Title()
	}
	return p.title
}

// CornerText returns the request that is being sent, or the number and the age of the rows of the current tab.
func (p *operationsPage) CornerText() string {
	if doing := p.tools.requests.doing; doing != "" {
		return doing + "…"
	}
	return p.operationsPane.CornerText()
}

// DataNeeds returns the data that the page needs: the service's state and the data of the current tab.
func (p *operationsPage) DataNeeds() []cache.Need {
	return append(p.tools.service.needs(), p.operationsPane.DataNeeds()...)
}

func (p *operationsPage) Update(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, len(p.panes))
	for i, pane := range p.panes {
		cmds[i] = pane.Update(msg)
	}
	return tea.Batch(cmds...)
}

// BlocksProfileSwitch returns why the profile cannot be switched while a request is being sent. After a switch,
// nobody would see a new key, which is shown only once, or correct a rejected form.
func (p *operationsPage) BlocksProfileSwitch() string { return p.tools.requests.busyReason() }

// ActionScopes returns the current tab's scopes and the scope that all pages of Operations share.
func (p *operationsPage) ActionScopes() []action.Scope {
	scopes := p.operationsPane.ActionScopes()
	if p.IsTyping() {
		return scopes
	}
	return append(scopes, action.Ops)
}

// DisabledReason returns why an action is disabled, or "" if it is enabled.
func (p *operationsPage) DisabledReason(id action.ID) string {
	if (id == action.NextTab || id == action.PrevTab) && len(p.panes) == 1 {
		return "only one tab"
	}
	if paces[id] {
		if refusal := p.tools.service.paceRefusal(id); refusal != "" {
			return refusal
		}
	}
	return p.operationsPane.DisabledReason(id)
}

// IsUnlikely reports whether the user is unlikely to want an action of the current tab. The footer leaves out
// the action. The keys of the simulator work on every tab, but only the test controls show their effect.
func (p *operationsPage) IsUnlikely(id action.ID) bool {
	isControlsTab := slices.Contains(p.operationsPane.ActionScopes(), action.TestControls)
	if paces[id] && !isControlsTab {
		return true
	}
	pane, hasUnlikely := p.operationsPane.(page.UnlikelyActions)
	return hasUnlikely && pane.IsUnlikely(id)
}

func (p *operationsPage) HandleAction(id action.ID) tea.Cmd {
	if paces[id] {
		return p.tools.changePace(id)
	}
	switch id {
	case action.NextTab:
		p.tabs.Move(1)
		p.showCurrentTab()
	case action.PrevTab:
		p.tabs.Move(-1)
		p.showCurrentTab()
	case action.Refresh:
		p.tools.env.Profile.Cache.RefreshNeeds(p.DataNeeds()...)
	default:
		return p.operationsPane.HandleAction(id)
	}
	return nil
}

func (p *operationsPage) showCurrentTab() { p.operationsPane = p.panes[p.tabs.At()] }

// inspect opens the timeline of an order or mission, or the diagnosis of an account. The page shows the data that the
// account's client sees.
func (d *paneTools) inspect(s inspectSubject) tea.Cmd {
	client := d.env.Nav.InAccount(s.account, d.service.companyName(s.account))
	if s.of.Order != "" {
		return client.Nav.Show(page.StoryRoute{Subject: s.of})
	}
	return client.Nav.Show(page.AccountRoute{})
}

// HandleMouse shows the tab whose title is clicked, and passes other input to the current tab.
func (p *operationsPage) HandleMouse(m page.MouseInput) tea.Cmd {
	if len(p.panes) > 1 && m.Y == 0 && m.Wheel == 0 {
		p.tabs.ClickTitle(m.X)
		p.showCurrentTab()
		return nil
	}
	return p.operationsPane.HandleMouse(p.belowBar(m))
}

// belowBar returns mouse input with coordinates relative to the current tab.
func (p *operationsPage) belowBar(m page.MouseInput) page.MouseInput {
	m.Y -= p.barHeight
	return m
}

func (p *operationsPage) HandleDrag(m page.MouseInput, over bool) tea.Cmd {
	return p.operationsPane.HandleDrag(p.belowBar(m), over)
}

func (p *operationsPage) JumpTargets() []page.JumpTarget {
	targets := p.operationsPane.JumpTargets()
	for i := range targets {
		targets[i].Y += p.barHeight
	}
	return targets
}

func (p *operationsPage) Cursor() *tea.Cursor {
	cursor := p.operationsPane.Cursor()
	if cursor != nil {
		cursor.Y += p.barHeight
	}
	return cursor
}

func (p *operationsPage) View(w, h int) string {
	bar := p.renderBar(w, h)
	p.barHeight = min(len(bar), max(0, h-1))
	if p.barHeight == 0 {
		return p.operationsPane.View(w, h)
	}
	return format.FitBox(bar, w, p.barHeight) + "\n" + p.operationsPane.View(w, h-p.barHeight)
}

// renderBar renders the titles of the tabs and the service's state.
func (p *operationsPage) renderBar(w, h int) []string {
	env := p.tools.env
	var bar []string
	if len(p.panes) > 1 {
		bar = append(bar, p.tabs.View(env.Look.Theme, w))
	}
	bar = append(bar, p.tools.service.renderStrip(env.Look.Theme, env.Clock.Now(), w)...)
	if len(bar) > 0 && h > 20 {
		bar = append(bar, "")
	}
	return bar
}

// renderProblem renders an error of the operations API. kept describes the older data that is still shown. If
// the service rejected the key, the text names the operations key, so that the user does not change the
// account's key.
func (d *paneTools) renderProblem(err error, kept string, w int) []string {
	var apiErr *api.Error
	if errors.As(err, &apiErr) && api.IsKeyRejected(err) {
		err = errors.New("operations API key rejected: " + apiErr.Message + "; check ops_credential of the profile")
	}
	return d.env.Look.RenderProblem(err, kept, w, action.Ops)
}

// Tabs of the first page.
const (
	queueTab    = 0
	requestsTab = 3
	controlsTab = 6
)

// FirstPage is the first page of the section, with the queue of tasks.
type FirstPage struct {
	*operationsPage
	queue  *page.List[*orderItem]
	visits *page.List[*session.Visit] // nil if the app has no remote participants
}

// CountsSeconds reports whether the list of participants is shown. The page is then redrawn every second,
// because no message tells it that a participant has connected or disconnected.
func (p *FirstPage) CountsSeconds() bool {
	return p.operationsPane == operationsPane(p.visits)
}

// New returns the first page.
func New(env *page.Env) page.Page {
	tools := newTools(env)
	p := &FirstPage{
		operationsPage: &operationsPage{tools: tools, title: "Operations"},
		queue:          newTaskQueue(tools),
	}
	p.addPane("Queue", p.queue)
	p.addPane("Orders", newOrderList(tools, ""))
	p.addPane("Accounts", newAccountList(tools))
	p.addPane("Key requests", newKeyRequestList(tools))
	p.addPane("Users", newOperatorList(tools))
	p.addPane("Audit trail", newAuditList(tools))
	p.addPane("Test controls", newTestControls(tools))
	if env.Profile.Room != nil {
		p.visits = newVisitList(tools)
		p.addPane("Participants", p.visits)
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

// View draws the page. In a wide window, the title of the test controls has the state of the simulator.
func (p *FirstPage) View(w, h int) string {
	note := ""
	if w >= minPaceWidth {
		note = describePace(p.tools.service.state().Simulator)
	}
	p.tabs.Tabs[controlsTab].Note = note
	return p.operationsPage.View(w, h)
}

// minPaceWidth is the smallest width at which the titles of all tabs fit beside the state of the simulator.
const minPaceWidth = 120

// KnownPlaces returns the orders and missions with tasks, for the palette.
func (p *FirstPage) KnownPlaces() []page.KnownPlace { return p.queue.KnownPlaces() }

// updateCounts shows the numbers of open tasks and of pending key requests in the titles of their tabs. It also
// updates the badge of the section; see countBadge.
func (p *FirstPage) updateCounts() {
	tasks := countOpenTasks(p.tools.work.readWork().Rows)
	pending := 0
	requests, _ := p.tools.cache.Requests.Get(cache.Account)
	for _, r := range requests.Items {
		if r.Status == ops.KeyRequestPending {
			pending++
		}
	}
	queueNote := describeOpenTasks(tasks, p.tools.work.hasMoreActive)
	p.tabs.Tabs[queueTab].Note = queueNote
	p.tabs.Tabs[requestsTab].Note = countText(pending)
	badge := countBadge(tasks, queueNote, pending)
	if commands.HasFaults(p.tools.service.state().Faults) {
		badge = page.SectionBadge{Text: "!", Role: theme.Bad}
	}
	p.tools.env.SetBadge(action.GoOps, badge)
}

// describeOpenTasks returns the number of open tasks, such as "34", or "" for 0. If isIncomplete is true, the tasks
// of some orders are missing, and the number ends with a plus sign, as in "500+" or "0+".
func describeOpenTasks(tasks int, isIncomplete bool) string {
	if isIncomplete {
		return format.GroupInt(tasks) + "+"
	}
	return countText(tasks)
}

// countBadge returns the section's badge. It shows queueNote, which is the number of open tasks as text. If
// there are no open tasks, it shows the number of pending key requests in another colour.
func countBadge(tasks int, queueNote string, keyRequests int) page.SectionBadge {
	if tasks > 0 {
		return page.SectionBadge{Text: queueNote, Role: theme.Attention}
	}
	return page.SectionBadge{Text: countText(keyRequests), Role: theme.Pending}
}

// countText formats a number, with "" for 0.
func countText(n int) string {
	return page.TextIf(n != 0, format.GroupInt(n))
}

// inspectSubject identifies the page that [action.InspectAny] opens: the timeline of an order or mission, or the
// diagnosis of an account.
type inspectSubject struct {
	account string                // "" if there is nothing to open
	of      timeline.StorySubject // the order or mission; the zero value opens the diagnosis
}

// newListPane returns a tab with a list. The function subject is optional; it returns what
// [action.InspectAny] opens for a row.
func newListPane[T any](
	d *paneTools,
	source page.ListSource[T],
	o page.ListOptions[T],
	subject ...func(T) inspectSubject,
) *page.List[T] {
	subjectOf := func(T) inspectSubject { return inspectSubject{} }
	if len(subject) > 0 {
		subjectOf = subject[0]
	}
	o.RenderError = d.renderProblem
	o.Actions = append(o.Actions, page.Action[T]{
		ID:          action.InspectAny,
		WhyDisabled: func(t T) string { return page.TextIf(subjectOf(t).account == "", "select an order or an account") },
		Do:          func(t T) tea.Cmd { return d.inspect(subjectOf(t)) },
	})
	return page.NewList(d.base, source, o)
}
