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
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/exportdialog"
	"flightdesk/tui/page/grouplist"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// Section is the account as support sees it.
var Section = page.Section{
	Go: action.GoInspect, Name: "Inspect", Short: "Insp",
	First: func(env *page.Env) page.Page { return New(env) },
}

const calm = 200 * time.Millisecond // between two looks at what is being read

// AccountPage is the page of what the key may do and of how the account stands.
type AccountPage struct {
	detail.Page
	list    grouplist.List
	account timeline.AccountHealth
	built   time.Time // when the groups were made
	wire    int       // version of the log of requests then

	saver *exportdialog.FileSaver
}

// New returns the page.
func New(env *page.Env) *AccountPage {
	a := &AccountPage{}
	a.Page = detail.NewPage(env, "inspect", wide, a.renderGroups, a.renderItem)
	a.saver = exportdialog.New(a.Base)
	a.rebuildGroups()
	return a
}

// Title returns the page's name.
func (a *AccountPage) Title() string {
	if a.Viewed {
		return "Inspect " + a.Company
	}
	return "Inspect"
}

// CornerText tells whether something is being read, and how old the rest is.
func (a *AccountPage) CornerText() string {
	switch {
	case a.account.Loading || !a.Viewed && a.Permissions.Err == nil && len(a.Permissions.Grants) < len(api.Scopes()):
		return "reading…"
	case a.account.EndpointsAt.IsZero():
		return ""
	}
	return "refreshed " + format.Ago(a.account.EndpointsAt, a.Now())
}

// DataNeeds returns the orders, and the endpoints with what they were sent in a week.
func (a *AccountPage) DataNeeds() []cache.Need {
	return append(timeline.AccountNeeds(a.Cache, a.Now()), a.Cache.AllMissions())
}

// OnShow shows what is known. What the key may do is found out once, and when
// that is asked for.
func (a *AccountPage) OnShow() tea.Cmd {
	a.rebuildGroups()
	if !a.Viewed && len(a.Permissions.Grants) < len(api.Scopes()) {
		return a.Probe()
	}
	return nil
}

// Update takes answers.
func (a *AccountPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.PermissionsMsg:
		a.rebuildGroups()
	default:
		cmd, _ := a.saver.Update(msg)
		return cmd
	}
	return nil
}

// followRequests takes what was asked for since the last view, some times a second, and
// the time that has gone.
func (a *AccountPage) followRequests() {
	age := a.Now().Sub(a.built)
	if stale := a.wire != a.RequestLog.Version(); stale && age >= calm || age >= time.Minute {
		a.rebuildGroups()
	}
}

func (a *AccountPage) rebuildGroups() {
	a.built, a.wire = a.Now(), a.RequestLog.Version()
	now := a.built
	a.account.RereadFrom(a.Cache, now)
	all := a.accountGroups(now)
	for i, most := range []int{6, 6, 8} {
		all[i] = all[i].Cut(most)
	}
	a.list.Set(all)
}

// accountGroups returns all that is known of the account, without secrets.
func (a *AccountPage) accountGroups(now time.Time) []grouplist.ItemGroup {
	all := []grouplist.ItemGroup{
		a.undeliveredGroup(),
		a.troubledGroup(),
		a.endpointGroup(),
		a.keyGroup(),
		a.limitsGroup(now),
		a.orderGroup(),
	}
	if a.Viewed { // without a key, and the requests are those of the profile
		all = []grouplist.ItemGroup{all[0], all[1], all[2], all[5]}
	}
	for _, g := range all {
		for i := range g.Items {
			x := &g.Items[i]
			x.Text, x.Right = a.Client.Mask(x.Text), a.Client.Mask(x.Right)
		}
	}
	return all
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
	}
	return ""
}

// HandleAction performs an action.
func (a *AccountPage) HandleAction(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return a.list.OpenChosen()
	case action.ShowTimeline:
		x, _ := a.list.Current()
		return a.OpenStory(timeline.StorySubject{Order: x.Order, Mission: x.Mission}, "")
	case action.Refresh:
		if a.Cache.RereadNeeds(a.DataNeeds()...); a.Viewed {
			return nil
		}
		return a.Probe()
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
	if err := a.account.Known.Err; err != nil {
		kept := ""
		if n := len(a.account.Known.Orders); n > 0 {
			kept = "Showing " + format.Count(
				n,
				"order",
				"orders",
			) + ", loaded " + format.Ago(
				a.account.Known.At,
				a.Now(),
			)
		}
		head = append(page.RenderProblem(a.Theme, err, kept, "r", w), "")
	}
	return a.list.View(a.Theme, w, h, head...)
}

func (a *AccountPage) renderItem(w, h int) string {
	var more []string
	if x, ok := a.list.Current(); ok && x.More != nil {
		more = x.More(w)
	}
	return layout.FitBox(more, w, h)
}

// renderFacts draws names and values, below a title.
func (a *AccountPage) renderFacts(w int, title string, facts ...timeline.EntryField) []string {
	th := a.Theme
	lines := []string{layout.CutLine(" "+th.PaintTitle(a.Client.Mask(title)), w), ""}
	for _, f := range facts {
		if f.Value != "" {
			lines = append(lines, widget.WrapFacts(th, 13, w, widget.Text(f.Name, a.Client.Mask(f.Value)))...)
		}
	}
	return lines
}

// renderParagraph returns a paragraph.
func (a *AccountPage) renderParagraph(text string, w int) []string {
	var lines []string
	lines = append(lines, a.Theme.PaintLines(theme.Muted, " ", a.Client.Mask(text), w-2)...)
	return lines
}

// reportJob writes a report as the ending of the file's name says.
func reportJob(title, what string, r *timeline.TimelineReport) exportdialog.ExportJob {
	return exportdialog.ExportJob{
		Title: title, Help: what + ", Markdown (.md) or .json; secrets masked", Says: "the report of " + what,
		Write: func(to io.Writer, ending string) error {
			if strings.EqualFold(ending, ".json") {
				return r.WriteJSON(to)
			}
			return r.WriteMarkdown(to)
		},
	}
}
