package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/orders"
	"flightdesk/tui/theme"
)

// Section is the "Inspect" section.
var Section = page.Section{
	Go: action.GoInspect, Name: "Inspect", Short: "Ins",
	First:      newFirst,
	Operations: true,
}

// newFirst returns the first page of the section: the account of the profile, or the list of all
// accounts if the profile only has an operations key.
func newFirst(env *page.Env) page.Page {
	if env.Profile.NoAccount {
		return newAccounts(env)
	}
	return NewAccount(env)
}

// rebuildInterval is the minimum time between two updates of the page that are made because the app has sent requests.
const rebuildInterval = time.Second

// AccountPage is the page of an account's health and of the permissions of its key.
type AccountPage struct {
	page.Detail
	list    page.GroupList
	account timeline.AccountHealth
	parts   []timeline.ReportPart // parts of the report, such as the endpoints; each is a group of the list
	built   time.Time             // when the parts were built
	height  int                   // height of the last view
}

// NewAccount returns the page for the account of an environment.
func NewAccount(env *page.Env) page.Page {
	a := &AccountPage{}
	a.Detail = page.NewDetail(env, "inspect", wide, a.renderGroups, a.renderItem)
	a.rebuildParts()
	return a
}

func (a *AccountPage) Title() string {
	if a.Env.Profile.Viewed {
		return "Inspect " + a.Env.Profile.Company
	}
	return "Inspect"
}

// CornerText returns whether data is being loaded, or the age of the data.
func (a *AccountPage) CornerText() string {
	if a.account.State.Loading || a.isCheckingKey() {
		return "loading…"
	}
	if a.account.State.ReadAt.IsZero() {
		return ""
	}
	return "refreshed " + format.Ago(a.account.State.ReadAt, a.Env.Clock.Now())
}

// LeadOf returns the text next to the page's title: how many endpoints fail or miss callbacks, and how many missions
// are late. If endpoints of the user's own account have problems, it also returns the key that opens the section
// Webhooks, which shows why.
func (a *AccountPage) LeadOf() page.Lead {
	var problems []string
	endpointProblems := a.describeEndpoints()
	undelivered := len(a.parts[undeliveredIndex].Lines)
	if endpointProblems != "" {
		problems = append(problems, endpointProblems)
	} else if undelivered > 0 {
		problems = append(problems, format.Count(undelivered, "failed callback"))
	}
	if late := len(a.parts[troubledIndex].Lines); late > 0 {
		problems = append(problems, format.Count(late, "mission")+" overdue or stalled")
	}
	lead := page.Lead{Text: strings.Join(problems, " · ")}
	if endpointProblems != "" && !a.Env.Profile.Viewed {
		lead.Key = action.KeyOf(action.GoWebhooks, action.Everywhere)
		lead.Does = "to see why"
	}
	return lead
}

// describeEndpoints returns how many endpoints are failing and how many have missing callbacks, such as "2 of 5
// endpoints failing". It returns "" if no endpoint has problems. An endpoint is failing if its last callback failed.
func (a *AccountPage) describeEndpoints() string {
	endpoints := a.parts[endpointsIndex].Lines
	failing := 0
	missing := 0
	for i := range endpoints {
		if endpoints[i].Role != theme.Bad {
			continue
		}
		if endpoints[i].Glyph == format.Missing.Glyph {
			missing++
		} else {
			failing++
		}
	}
	count := format.Count(len(endpoints), "endpoint")
	switch {
	case failing == 0 && missing == 0:
		return ""
	case failing == 0:
		return fmt.Sprintf("%d of %s with missing callbacks", missing, count)
	case missing == 0:
		return fmt.Sprintf("%d of %s failing", failing, count)
	default:
		return fmt.Sprintf("%d of %s failing, %d with missing callbacks", failing, count, missing)
	}
}

// isCheckingKey reports whether the permissions of the account's key are being requested.
func (a *AccountPage) isCheckingKey() bool {
	return a.needsKeyCheck() && a.Env.Profile.Permissions.Err == nil
}

// needsKeyCheck reports whether some permissions of the account's key are not known yet. It returns false for an
// account that is viewed with the operations key, because the app then has no key of the account.
func (a *AccountPage) needsKeyCheck() bool {
	return !a.Env.Profile.Viewed && len(a.Env.Profile.Permissions.Grants) < len(api.Scopes())
}

// DataNeeds returns the needs for the account's orders, missions and endpoints, and for the callbacks of the last
// week.
func (a *AccountPage) DataNeeds() []cache.Need {
	needs := timeline.AccountNeeds(a.Env.Profile.Cache, a.Env.Clock.Now())
	return append(needs, a.Env.Profile.Cache.AllMissions())
}

// OnShow checks the key's permissions if they are not known. They are checked again only on
// request.
func (a *AccountPage) OnShow() tea.Cmd {
	a.rebuildParts()
	if a.needsKeyCheck() {
		return page.SendMessage(page.CheckScopesMsg{})
	}
	return nil
}

func (a *AccountPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.PermissionsMsg:
		a.rebuildParts()
	}
	return nil
}

// followRequests updates the page if the last update is older than rebuildInterval. The page must check this itself,
// because no message reports new requests.
func (a *AccountPage) followRequests() {
	if a.Env.Clock.Now().Sub(a.built) >= rebuildInterval {
		a.rebuildParts()
	}
}

// rebuildParts builds the parts of the page from the cache and the request log, with secrets
// masked.
func (a *AccountPage) rebuildParts() {
	a.built = a.Env.Clock.Now()
	a.account.Units = a.Env.Look.Units
	a.account.Update(a.Env.Profile.Cache, a.built)
	a.parts = a.account.AccountParts(a.keyParts()...)
	a.list.Groups = make([]page.ItemGroup, len(a.parts))
	for i := range a.parts {
		part := &a.parts[i]
		part.Lines = timeline.SafeEntries(part.Lines, a.Env.Profile.Client.Mask)
		a.list.Groups[i] = a.newGroup(i)
	}
	a.list.Groups = page.FitGroups(a.list.Groups, a.groupSizes(), a.height)
}

// Indexes of the first parts of the report. See [timeline.AccountHealth.AccountParts].
const (
	undeliveredIndex = iota
	troubledIndex
	endpointsIndex
)

// groupSizes returns the least number of items that each group shows. A group may leave out items only if another
// page lists all of them.
func (a *AccountPage) groupSizes() []int {
	const minItems = 6
	sizes := make([]int, len(a.list.Groups))
	for i := range a.list.Groups {
		group := &a.list.Groups[i]
		sizes[i] = len(group.Items)
		if group.All != nil {
			sizes[i] = min(sizes[i], minItems)
		}
	}
	return sizes
}

// keyParts returns two parts of the report: the key's permissions, and the latest requests of this app. It returns
// nil if the account is viewed with the operations key.
func (a *AccountPage) keyParts() []timeline.ReportPart {
	if a.Env.Profile.Viewed {
		return nil
	}
	requests, _ := a.Env.Profile.RequestLog.Newest()
	return []timeline.ReportPart{
		timeline.ScopesPart(a.Env.Profile.Permissions),
		timeline.RequestsPart(requests, a.built),
	}
}

// failedRequests is the filter for requests that failed.
const failedRequests = "http:>=400"

// newGroup returns the part of the report with the given index as a group of the list.
func (a *AccountPage) newGroup(index int) page.ItemGroup {
	part := &a.parts[index]
	group := page.ItemGroup{Title: part.Title, Note: part.Note, None: part.None, All: a.openerOfAll(index)}
	for i := range part.Lines {
		group.Items = append(group.Items, a.lineItem(&part.Lines[i]))
	}
	return group
}

// openerOfAll returns a function that opens the page with all items of a part of the report. It returns nil if there
// is no page that lists all of them. index is the index of the part in a.parts.
func (a *AccountPage) openerOfAll(index int) func() tea.Cmd {
	if a.parts[index].Title == timeline.FailedRequests {
		return func() tea.Cmd { return a.showRequests("", failedRequests) }
	}
	if a.Env.Profile.Viewed { // the sections show the data of the profile's account
		return nil
	}
	isNotice := func(l entry) bool { return l.Source == timeline.FromNotice }
	switch index {
	case undeliveredIndex:
		if slices.ContainsFunc(a.parts[index].Lines, isNotice) { // Webhooks has no completion notices
			return nil
		}
		return func() tea.Cmd { return a.Env.Nav.Go(action.GoWebhooks, "") }
	case endpointsIndex:
		return func() tea.Cmd { return a.Env.Nav.Go(action.GoWebhooks, "") }
	case troubledIndex:
		return func() tea.Cmd { return a.Env.Nav.Go(action.GoMissions, "late:late") }
	default:
		return nil
	}
}

func (a *AccountPage) ActionScopes() []action.Scope {
	a.followRequests() // keys act on the current parts, even if they are not drawn yet
	return []action.Scope{action.Inspect, action.List}
}

func (a *AccountPage) DisabledReason(id action.ID) string {
	item, ok := a.list.Current()
	switch id {
	case action.Open:
		return page.TextIf(!ok || item.Open == nil, "nothing to open")
	case action.ShowTimeline:
		return page.TextIf(!ok || item.Order == "", "this line names no order")
	case action.ShowAccountRequests:
		return a.requestsRefusal()
	}
	return ""
}

// requestsRefusal returns why the account's requests cannot be shown, or "" if they can.
func (a *AccountPage) requestsRefusal() string {
	if a.Env.Profile.Cache.Operations == nil {
		return "needs an operations key"
	}
	account, _ := a.Env.Profile.Cache.AccountUID()
	return page.TextIf(account == "", "the account's ID is not known; its newest order has it")
}

// showRequests opens the page with the account's requests from the service's log. wanted is the ID of the
// request to select, or "". filter is the initial filter of the page.
func (a *AccountPage) showRequests(wanted, filter string) tea.Cmd {
	account, _ := a.Env.Profile.Cache.AccountUID()
	return a.Env.Nav.Open(newAccountRequests(a.Env, account, wanted, filter))
}

func (a *AccountPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return a.list.OpenChosen()
	case action.ShowTimeline:
		item, _ := a.list.Current()
		subject := timeline.StorySubject{Order: item.Order, Mission: item.Mission}
		return a.Env.Nav.Show(page.StoryRoute{Subject: subject})
	case action.ShowAccountRequests:
		return a.showRequests("", "")
	case action.Refresh:
		return a.refresh()
	case action.Export:
		a.promptForReport()
	default:
		a.list.MoveChoice(id)
	}
	return nil
}

// refresh loads the data again, and checks the key's permissions again if there is a key.
func (a *AccountPage) refresh() tea.Cmd {
	a.Env.Profile.Cache.RefreshNeeds(a.DataNeeds()...)
	if a.Env.Profile.Viewed {
		return nil
	}
	return page.SendMessage(page.CheckScopesMsg{})
}

// HandleMouse selects the item that is clicked, and opens it with a second click.
func (a *AccountPage) HandleMouse(m page.MouseInput) tea.Cmd {
	if _, handled := a.HandlePaneMouse(m); handled {
		return nil
	}
	return a.list.HandleMouse(m)
}

func (a *AccountPage) JumpTargets() []page.JumpTarget { return a.list.Jumps() }

// View renders the groups, and in wide windows the details of the selected item next to them.
func (a *AccountPage) View(w, h int) string {
	if h != a.height {
		a.height = h
		a.rebuildParts()
	}
	a.followRequests()
	share := 60
	if w >= page.Wider { // the details do not need more
		share = 66
	}
	return a.DrawPage(w*share/100, w, h)
}

func (a *AccountPage) renderGroups(w, h int) string {
	known := a.account.Known
	if known.Err == nil {
		return a.list.View(a.Env.Look.Theme, w, h)
	}
	kept := ""
	if n := len(known.Orders); n > 0 {
		kept = a.KeptText(format.Count(n, "order"), known.At)
	}
	problem := a.Env.Look.RenderProblem(known.Err, kept, w, action.Inspect)
	return a.list.View(a.Env.Look.Theme, w, h, append(problem, "")...)
}

func (a *AccountPage) renderItem(w, h int) string {
	var details []string
	item, ok := a.list.Current()
	if ok && item.More != nil {
		details = item.More(w)
	}
	return format.FitBox(details, w, h)
}

// lineItem converts a line of the report to an item of the list.
func (a *AccountPage) lineItem(l *entry) page.GroupItem {
	item := page.GroupItem{
		ID:      l.ID,
		Glyph:   l.Glyph,
		Role:    l.Role,
		Code:    l.About,
		Texts:   []string{l.Brief, l.Detail, l.To},
		Values:  []string{l.Right},
		Order:   l.Order,
		Mission: l.Mission,
		More:    func(w int) []string { return a.renderDetails(l, w) },
	}
	isState := l.At.IsZero() // the line is about a state; a line with a time is about an event
	if isState && (l.Failed || l.Role == theme.Attention) {
		item.ValueRole = l.Role
	}
	if isState || l.Order != "" {
		item.Open = func() tea.Cmd { return a.openLine(l) }
	}
	return item
}

// sectionOf maps scopes to the sections that need them.
var sectionOf = map[api.Scope]action.ID{
	api.ScopeOrdersRead:    action.GoOrders,
	api.ScopeOrdersWrite:   action.GoQuotes,
	api.ScopeFilesRead:     action.GoDeliveries,
	api.ScopeWebhooksRead:  action.GoWebhooks,
	api.ScopeWebhooksWrite: action.GoWebhooks,
}

// openLine opens the page of the request, order, mission, endpoint or scope that a line is about.
func (a *AccountPage) openLine(l *entry) tea.Cmd {
	switch {
	case l.Exchange != nil:
		return a.Env.Nav.Open(NewRequestAt(a.Env, l.Exchange.Number))
	case l.Source == timeline.FromClient:
		return a.showRequests(l.Query, "")
	case l.Key != "":
		return a.showRequests("", "key:"+l.Key)
	case l.Source == timeline.FromRequest:
		return a.Env.Nav.Open(NewRequests(a.Env, l.Query))
	case l.Source != "":
		subject := timeline.StorySubject{Order: l.Order, Mission: l.Mission}
		return a.Env.Nav.Show(page.StoryRoute{Subject: subject, Entry: l.ID})
	case l.Scope != "":
		return a.Env.Nav.Go(sectionOf[l.Scope], "")
	case l.Status != "":
		return a.Env.Nav.Open(orders.NewOrderList(a.Env, `status:"`+l.About+`"`))
	case l.Endpoint != "":
		return a.Env.Nav.Show(page.EndpointRoute{UUID: l.Endpoint})
	default:
		return a.openMission(l.Mission)
	}
}

// openMission opens the page of a mission if it is loaded.
func (a *AccountPage) openMission(uuid string) tea.Cmd {
	for _, m := range a.account.Known.Missions {
		if m.UUID == uuid {
			return a.Env.Nav.Show(page.MissionRoute{Mission: m})
		}
	}
	return nil
}

// renderDetails renders the details of a line.
func (a *AccountPage) renderDetails(l *entry, w int) []string {
	lines := append(renderTitle(a.Env.Look.Theme, l, w), "")
	lines = append(lines, renderFields(a.Env, l, w)...)
	if l.Err != nil {
		lines = append(lines, "")
		lines = append(lines, a.Env.Look.RenderProblem(l.Err, "", w, action.Inspect)...)
	}
	if note := lineNote(l); note != "" {
		lines = append(lines, "")
		lines = append(lines, a.Env.Look.Theme.PaintLines(theme.Muted, " ", note, w-2)...)
	}
	return lines
}

// renderTitle renders the title of an entry's details in lines of at most w cells: what the entry is about and what
// happened. Only the glyph has the colour of the entry.
func renderTitle(th *theme.Theme, e *entry, w int) []string {
	what := e.Headline()
	if e.Source != "" { // without a source, the text can be an address
		what = format.CapitalizeFirst(what)
	}
	if e.About != "" {
		what = e.About + "  " + what
	}
	return renderAfterGlyph(th, e.Glyph, e.Role, what, w)
}

// renderAfterGlyph renders a glyph and a text after it, wrapped to lines of w cells. Only the glyph has the colour
// of the role.
func renderAfterGlyph(th *theme.Theme, glyph string, role theme.Role, text string, w int) []string {
	lines := th.PaintLines(theme.Text, "   ", text, max(1, w-4))
	lines[0] = " " + th.PaintRole(role, glyph) + strings.TrimPrefix(lines[0], "  ")
	return lines
}

// lineNote returns the text below the details of a line: what enter opens for the line, or otherwise the line's
// Note.
func lineNote(l *entry) string {
	openKey := action.KeyOf(action.Open, action.Inspect)
	switch {
	case !l.At.IsZero() && l.Mission != "":
		return openKey + " opens the mission's timeline"
	case !l.At.IsZero() && l.Order != "":
		return openKey + " opens the order's timeline"
	case !l.At.IsZero():
		return l.Note
	case l.Mission != "":
		return openKey + " opens the mission, " + action.KeyOf(action.ShowTimeline, action.Inspect) + " its timeline"
	case l.Status != "":
		return openKey + " lists the orders"
	case l.Source == timeline.FromClient:
		return openKey + " lists the requests"
	case l.Key != "":
		return openKey + " lists the requests with this key"
	default:
		return l.Note
	}
}

// promptForReport asks for a file name and saves the whole report there.
func (a *AccountPage) promptForReport() {
	lines := 0
	for i := range a.parts {
		lines += len(a.parts[i].Lines)
	}
	now := a.Env.Clock.Now()
	report := &timeline.TimelineReport{
		Title:   "Account " + a.Env.Profile.AccountLabel(),
		Account: a.Env.Profile.AccountLabel(),
		Service: a.Env.Profile.Host,
		Made:    now,
		Mask:    a.Env.Profile.Client.Mask,
		Parts:   a.parts,
	}
	name := "account-" + now.Format(time.DateOnly) + ".md"
	page.PromptForFile(a.Base, reportJob(format.Count(lines, "line"), report), name)
}

// reportJob returns the job that exports a report as JSON or Markdown, depending on the typed file extension. what
// describes the content for the user, such as "12 entries".
func reportJob(what string, r *timeline.TimelineReport) page.ExportJob {
	return page.ExportJob{
		Title: "Save report",
		Help:  what + ", Markdown (.md) or .json; secrets masked",
		Noun:  "the report of " + what,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return r.WriteJSON(to)
			}
			return r.WriteMarkdown(to)
		},
	}
}
