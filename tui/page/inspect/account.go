package inspect

import (
	"io"
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

// Section is the account as support sees it.
var Section = page.Section{
	Go: action.GoInspect, Name: "Inspect", Short: "Insp",
	First:      newFirst,
	Operations: true,
}

// newFirst returns the first page of the section: the account of the profile, or all accounts
// if there is only an operations key.
func newFirst(env *page.Env) page.Page {
	if env.Profile.NoAccount {
		return newAccounts(env)
	}
	return NewAccount(env)
}

const calm = time.Second // between two looks at what is asked for

// AccountPage is the page of what the key may do and of how the account stands.
type AccountPage struct {
	page.Detail
	list    page.GroupList
	account timeline.AccountHealth
	parts   []timeline.ReportPart
	built   time.Time // when they were made
}

// NewAccount returns the page.
func NewAccount(env *page.Env) page.Page {
	a := &AccountPage{}
	a.Detail = page.NewDetail(env, "inspect", wide, a.renderGroups, a.renderItem)
	a.rebuildParts()
	return a
}

// Title returns the page's name.
func (a *AccountPage) Title() string {
	if a.Env.Profile.Viewed {
		return "Inspect " + a.Env.Profile.Company
	}
	return "Inspect"
}

// CornerText tells whether something is being read, and how old the rest is.
func (a *AccountPage) CornerText() string {
	switch {
	case a.account.State.Loading || !a.Env.Profile.Viewed && a.Env.Profile.Permissions.Err == nil && len(a.Env.Profile.Permissions.Grants) < len(api.Scopes()):
		return "reading…"
	case a.account.State.ReadAt.IsZero():
		return ""
	}
	return "refreshed " + format.Ago(a.account.State.ReadAt, a.Env.Clock.Now())
}

// DataNeeds returns the orders, and the endpoints with what they were sent in a week.
func (a *AccountPage) DataNeeds() []cache.Need {
	return append(timeline.AccountNeeds(a.Env.Profile.Cache, a.Env.Clock.Now()), a.Env.Profile.Cache.AllMissions())
}

// OnShow shows what is known. What the key may do is found out once, and when
// that is asked for.
func (a *AccountPage) OnShow() tea.Cmd {
	a.rebuildParts()
	if !a.Env.Profile.Viewed && len(a.Env.Profile.Permissions.Grants) < len(api.Scopes()) {
		return page.SendMessage(page.CheckScopesMsg{})
	}
	return nil
}

// Update takes what was read.
func (a *AccountPage) Update(msg tea.Msg) tea.Cmd {
	switch msg.(type) {
	case page.ReadMsg, page.PermissionsMsg:
		a.rebuildParts()
	}
	return nil
}

// followRequests takes what was asked for since the last view, and the time that has gone.
func (a *AccountPage) followRequests() {
	if a.Env.Clock.Now().Sub(a.built) >= calm {
		a.rebuildParts()
	}
}

// rebuildParts says how the account is by now, without secrets.
func (a *AccountPage) rebuildParts() {
	a.built, a.account.Units = a.Env.Clock.Now(), a.Env.Look.Units
	a.account.RereadFrom(a.Env.Profile.Cache, a.built)
	var more []timeline.ReportPart
	if !a.Env.Profile.Viewed { // else there is no key, and the requests are those of the profile
		kept, _ := a.Env.Profile.RequestLog.Newest()
		more = []timeline.ReportPart{timeline.ScopesPart(a.Env.Profile.Permissions), timeline.RequestsPart(kept, a.built)}
	}
	a.parts = a.account.AccountParts(more...)
	groups := make([]page.ItemGroup, len(a.parts))
	for i := range a.parts {
		p := &a.parts[i]
		p.Lines = timeline.SafeEntries(p.Lines, a.Env.Profile.Client.Mask)
		groups[i] = page.ItemGroup{Title: p.Title, Note: p.Note, None: p.None}
		for j := range p.Lines {
			groups[i].Items = append(groups[i].Items, a.lineItem(&p.Lines[j]))
		}
		if p.Title == timeline.FailedRequests {
			groups[i].All = func() tea.Cmd { return a.showRequests("") }
			groups[i] = groups[i].Cut(6)
		}
		if most := []int{6, 6, 8}; i < len(most) {
			groups[i] = groups[i].Cut(most[i])
		}
	}
	a.list.Groups = groups
}

// ActionScopes returns the page's and those of a list.
func (a *AccountPage) ActionScopes() []action.Scope {
	a.followRequests() // a key is about what is there by now, drawn or not
	return []action.Scope{action.Inspect, action.List}
}

// DisabledReason says what cannot be done.
func (a *AccountPage) DisabledReason(id action.ID) string {
	x, ok := a.list.Current()
	switch {
	case id == action.Open && (!ok || x.Open == nil):
		return "nothing to open"
	case id == action.ShowTimeline && (!ok || x.Order == ""):
		return "select a mission or callback"
	case id == action.ShowAccountRequests:
		return a.requestsRefusal()
	}
	return ""
}

// requestsRefusal says why the requests of the account cannot be shown, "" if they can.
func (a *AccountPage) requestsRefusal() string {
	account, _ := a.Env.Profile.Cache.AccountUID()
	switch {
	case a.Env.Profile.Cache.Operations == nil:
		return "needs an operations key"
	case account == "":
		return "the account is not known yet"
	}
	return ""
}

// showRequests opens what the account sent, with a row selected unless its ID is "".
func (a *AccountPage) showRequests(wanted string) tea.Cmd {
	account, _ := a.Env.Profile.Cache.AccountUID()
	return a.Env.Nav.Open(newAccountRequests(a.Env, account, wanted))
}

// HandleAction performs an action.
func (a *AccountPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return a.list.OpenChosen()
	case action.ShowTimeline:
		x, _ := a.list.Current()
		return a.Env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: x.Order, Mission: x.Mission}})
	case action.ShowAccountRequests:
		return a.showRequests("")
	case action.Refresh:
		if a.Env.Profile.Cache.RereadNeeds(a.DataNeeds()...); a.Env.Profile.Viewed {
			return nil
		}
		return page.SendMessage(page.CheckScopesMsg{})
	case action.Export:
		a.askReport()
	default:
		a.list.MoveChoice(id)
	}
	return nil
}

// HandleMouse chooses an item and opens it with a second click.
func (a *AccountPage) HandleMouse(m page.MouseInput) tea.Cmd {
	if _, taken := a.TakeMouse(m); taken {
		return nil
	}
	return a.list.HandleMouse(m)
}

// JumpTargets returns the items in view.
func (a *AccountPage) JumpTargets() []page.JumpTarget { return a.list.Jumps() }

// View draws the groups, and from 120 columns on what more is known of the
// chosen item beside them.
func (a *AccountPage) View(w, h int) string {
	a.followRequests()
	return a.DrawPage(w*60/100, w, h)
}

func (a *AccountPage) renderGroups(w, h int) string {
	var head []string
	if known := a.account.Known; known.Err != nil {
		n := len(known.Orders)
		kept := a.KeptText(format.Count(n, "order"), known.At)
		head = append(a.Env.Look.RenderProblem(known.Err, page.TextIf(n > 0, kept), w), "")
	}
	return a.list.View(a.Env.Look.Theme, w, h, head...)
}

func (a *AccountPage) renderItem(w, h int) string {
	var more []string
	if x, ok := a.list.Current(); ok && x.More != nil {
		more = x.More(w)
	}
	return format.FitBox(more, w, h)
}

// lineItem returns a line of a part, with where it leads.
func (a *AccountPage) lineItem(l *entry) page.GroupItem {
	x := page.GroupItem{
		ID: l.ID, Glyph: l.Glyph, Role: l.Role, Code: l.About, Text: l.What, Right: l.Right,
		Order: l.Order, Mission: l.Mission, More: func(w int) []string { return a.renderMore(l, w) },
	}
	if l.At.IsZero() && (l.Failed || l.Role == theme.Attention) {
		x.Loud = l.Role
	}
	if l.At.IsZero() || l.Order != "" {
		x.Open = func() tea.Cmd { return a.openLine(l) }
	}
	return x
}

// sectionOf is the section that a scope is for.
var sectionOf = map[api.Scope]action.ID{
	api.ScopeOrdersRead:    action.GoOrders,
	api.ScopeOrdersWrite:   action.GoQuotes,
	api.ScopeFilesRead:     action.GoDeliveries,
	api.ScopeWebhooksRead:  action.GoWebhooks,
	api.ScopeWebhooksWrite: action.GoWebhooks,
}

// openLine opens what a line is about.
func (a *AccountPage) openLine(l *entry) tea.Cmd {
	switch {
	case l.Exchange != nil:
		return a.Env.Nav.Open(NewRequestAt(a.Env, l.Exchange.Number))
	case l.Source == timeline.FromClient:
		return a.showRequests(l.Query)
	case l.Source == timeline.FromRequest:
		return a.Env.Nav.Open(NewRequests(a.Env, l.Query))
	case l.Source != "":
		return a.Env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: l.Order, Mission: l.Mission}, Entry: l.ID})
	case l.Scope != "":
		return a.Env.Nav.Go(sectionOf[l.Scope], "")
	case l.Status != "":
		return a.Env.Nav.Open(orders.NewOrderList(a.Env, "status:"+string(l.Status)))
	case l.Endpoint != "":
		return a.Env.Nav.Show(page.EndpointRoute{UUID: l.Endpoint})
	}
	for _, m := range a.account.Known.Missions {
		if m.UUID == l.Mission {
			return a.Env.Nav.Show(page.MissionRoute{Mission: m})
		}
	}
	return nil
}

// renderMore returns what more is known of a line.
func (a *AccountPage) renderMore(l *entry, w int) []string {
	th, said := a.Env.Look.Theme, l.Note
	lines := append(th.PaintLines(l.Role, " ", strings.TrimSpace(l.About+"  "+l.What), w-2), "")
	lines = append(lines, renderFields(th, l, w)...)
	if l.Err != nil {
		lines = append(append(lines, ""), a.Env.Look.RenderProblem(l.Err, "", w)...)
	}
	switch {
	case !l.At.IsZero():
		said = "enter opens the mission's timeline"
	case l.Mission != "":
		said = "enter opens the mission, s its timeline"
	case l.Status != "":
		said = "enter lists the orders"
	case l.Source == timeline.FromClient:
		said = "enter lists the requests"
	}
	if said == "" {
		return lines
	}
	return append(append(lines, ""), th.PaintLines(theme.Muted, " ", said, w-2)...)
}

// askReport asks for a file and writes what the page shows, all of it.
func (a *AccountPage) askReport() {
	lines := 0
	for i := range a.parts {
		lines += len(a.parts[i].Lines)
	}
	now := a.Env.Clock.Now()
	r := &timeline.TimelineReport{
		Title:   "Account " + a.Env.Profile.AccountLabel(),
		Account: a.Env.Profile.AccountLabel(),
		Service: a.Env.Profile.Host,
		Made:    now,
		Mask:    a.Env.Profile.Client.Mask,
		Parts:   a.parts,
	}
	a.AskForFile(
		reportJob(format.Count(lines, "line"), r),
		"account-"+now.Format(time.DateOnly)+".md",
	)
}

// reportJob writes a report as the ending of the file's name says.
func reportJob(what string, r *timeline.TimelineReport) page.ExportJob {
	return page.ExportJob{
		Title: "Save report",
		Help:  what + ", Markdown (.md) or .json; secrets masked",
		Says:  "the report of " + what,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return r.WriteJSON(to)
			}
			return r.WriteMarkdown(to)
		},
	}
}
