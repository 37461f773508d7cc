package inspect

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
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

// Account is the page of what the key may do and of how the account stands.
type Account struct {
	page.Base
	list    grouplist.List
	account timeline.Account
	built   time.Time // when the groups were made
	wire    int       // version of the log of requests then

	saver *exportdialog.Saver
}

// New returns the page.
func New(env *page.Env) *Account {
	a := &Account{Base: page.NewBase(env)}
	a.saver = exportdialog.New(a.Base)
	a.rebuild()
	return a
}

// Title is the page's name.
func (a *Account) Title() string {
	if a.Viewed {
		return "Inspect " + a.Company
	}
	return "Inspect"
}

// Corner tells whether something is being read, and how old the rest is.
func (a *Account) Corner() string {
	switch {
	case a.account.Loading || !a.Viewed && a.Permissions.Err == nil && len(a.Permissions.Grants) < len(api.Scopes()):
		return "reading…"
	case a.account.EndpointsAt.IsZero():
		return ""
	}
	return "refreshed " + format.Ago(a.account.EndpointsAt, a.Now())
}

// Needs are the orders, and the endpoints with what they were sent in a week.
func (a *Account) Needs() []cache.Need {
	return append(timeline.AccountNeeds(a.Cache, a.Now()), a.Cache.AllMissions())
}

// Start shows what is known. What the key may do is found out once, and when
// that is asked for.
func (a *Account) Start() tea.Cmd {
	a.rebuild()
	if !a.Viewed && len(a.Permissions.Grants) < len(api.Scopes()) {
		return a.Probe()
	}
	return nil
}

// Update takes answers.
func (a *Account) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ReadMsg, page.PermissionsMsg:
		a.rebuild()
	default:
		cmd, _ := a.saver.Update(msg)
		return cmd
	}
	return nil
}

// follow takes what was asked for since the last view, some times a second, and
// the time that has gone.
func (a *Account) follow() {
	age := a.Now().Sub(a.built)
	if stale := a.wire != a.RequestLog.Version(); stale && age >= calm || age >= time.Minute {
		a.rebuild()
	}
}

func (a *Account) rebuild() {
	a.built, a.wire = a.Now(), a.RequestLog.Version()
	now := a.built
	a.account.Reread(a.Cache, now)
	all := a.groups(now)
	for i, most := range []int{6, 6, 8} {
		all[i] = all[i].Cut(most)
	}
	a.list.Set(all)
}

// groups are all that is known of the account, without secrets.
func (a *Account) groups(now time.Time) []grouplist.Group {
	all := []grouplist.Group{a.undelivered(), a.troubled(), a.hooks(), a.key(), a.limits(now), a.orders()}
	if a.Viewed { // without a key, and the requests are those of the profile
		all = []grouplist.Group{all[0], all[1], all[2], all[5]}
	}
	for _, g := range all {
		for i := range g.Items {
			x := &g.Items[i]
			x.Text, x.Right = a.Client.Mask(x.Text), a.Client.Mask(x.Right)
		}
	}
	return all
}

// Scopes are the page's and those of a list.
func (a *Account) Scopes() []action.Scope {
	a.follow() // a key is about what is there by now, drawn or not
	return []action.Scope{action.Inspect, action.List}
}

// Disabled says what cannot be done.
func (a *Account) Disabled(id action.ID) string {
	x, ok := a.list.Current()
	switch {
	case id == action.Open && (!ok || x.Open == nil):
		return "nothing to open"
	case id == action.ShowStory && (!ok || x.Order == ""):
		return "select a mission or callback"
	}
	return ""
}

// Do performs an action.
func (a *Account) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return a.list.Open()
	case action.ShowStory:
		x, _ := a.list.Current()
		return a.OpenStory(timeline.Subject{Order: x.Order, Mission: x.Mission}, "")
	case action.Refresh:
		if a.Cache.Reread(a.Needs()...); a.Viewed {
			return nil
		}
		return a.Probe()
	case action.Export:
		a.askReport()
	default:
		a.list.Move(id)
	}
	return nil
}

// Mouse chooses an item and opens it with a second click.
func (a *Account) Mouse(m page.Mouse) tea.Cmd {
	if a.Width >= wide && m.X >= a.beside(a.Width) {
		return nil
	}
	return a.list.Mouse(m)
}

// Jumps are the items in view.
func (a *Account) Jumps() []page.Jump { return a.list.Jumps() }

// beside is the column where the chosen item is told more of.
func (a *Account) beside(w int) int { return w * 60 / 100 }

// View draws the groups, and from 120 columns on what more is known of the
// chosen item beside them.
func (a *Account) View(w, h int) string {
	a.follow()
	var head []string
	if err := a.account.Known.Err; err != nil {
		kept := ""
		if len(a.account.Known.Orders) > 0 {
			kept = "Showing " + format.Count(len(a.account.Known.Orders), "order", "orders") + ", loaded " + format.Ago(a.account.Known.At, a.Now())
		}
		head = append(page.Problem(a.Theme, err, kept, "r", w), "")
	}
	if !a.Theme.IsWide(w, wide) {
		return a.list.View(a.Theme, w, h, head...)
	}
	left := a.beside(w)
	var more []string
	if x, ok := a.list.Current(); ok && x.More != nil {
		more = x.More(w - left - 1)
	}
	return layout.Beside(a.Theme.Rule.Render("│"), a.list.View(a.Theme, left, h, head...), layout.Box(more, w-left-1, h))
}

// facts draws names and values, below a title.
func (a *Account) facts(w int, title string, facts ...timeline.Field) []string {
	th := a.Theme
	lines := []string{layout.Cut(" "+layout.Text(th.Title, a.Client.Mask(title)), w), ""}
	for _, f := range facts {
		if f.Value != "" {
			lines = append(lines, widget.WrapFacts(th, 13, w, widget.Text(f.Name, a.Client.Mask(f.Value)))...)
		}
	}
	return lines
}

// said is a paragraph.
func (a *Account) said(text string, w int) []string {
	var lines []string
	for _, part := range layout.Wrap(a.Client.Mask(text), w-2) {
		lines = append(lines, " "+layout.Text(a.Theme.Style(theme.Muted), part))
	}
	return lines
}
