package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// inAccount returns the environment for the pages of any account, which are read with the key of the
// operations API. What was read of it stays known for the run.
func (a *App) inAccount(uuid, company string) *page.Env {
	env := a.viewed[uuid]
	if env == nil {
		env = a.env.ViewAccount(cache.NewOfAccount(a.env.Ops, uuid, a.env.Now), company)
		a.serve(env)
		a.viewed[uuid] = env
	}
	env.FollowLook(a.env)
	return env
}

// followLooks draws the pages of other accounts as those of the profile's.
func (a *App) followLooks() {
	for _, env := range a.viewed {
		env.FollowLook(a.env)
	}
}

// inUse returns the account that a page shows: the profile's, or one that is viewed
// with the key of the operations API.
func inUse(env *page.Env, p page.Page) *page.ProfileService {
	if of, ok := p.(page.AccountShower); ok && of.ServiceInUse().Viewed {
		return of.ServiceInUse()
	}
	return &env.ProfileService
}

// foundMsg is what a search in all accounts has found.
type foundMsg struct {
	of    *api.Ops // that was asked
	found *commands.FoundAccount
	err   error
}

// findAnywhere searches a company, an order, a mission or an endpoint in all
// accounts.
func (a *App) findAnywhere(name string) tea.Cmd {
	ops, ctx := a.env.Ops, a.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, ops, name)
		return foundMsg{ops, found, err}
	}
}

// openFound goes to what a search has found.
func (a *App) openFound(msg foundMsg) tea.Cmd {
	if msg.of != a.env.Ops {
		return nil // of another profile
	}
	if msg.err != nil {
		what, _ := labels.ExplainError(msg.err)
		return page.ShowToast(theme.Bad, what)
	}
	env := a.inAccount(msg.found.Account.UUID, msg.found.Account.CompanyName)
	switch f := msg.found; {
	case f.Mission != nil:
		return env.OpenStory(timeline.StorySubject{Order: f.Order, Mission: f.Mission.UUID}, "")
	case f.Order != "":
		return env.OpenStory(timeline.StorySubject{Order: f.Order}, "")
	case f.Endpoint != nil:
		return env.OpenEndpoint(f.Endpoint.UUID)
	}
	return env.OpenInspect()
}

// anywhereEntry returns the entry of the palette that searches a name in all accounts.
func (a *App) anywhereEntry(name string) (e paletteEntry, ok bool) {
	name = strings.TrimSpace(name)
	if a.env.Ops == nil || a.env.Cache == nil || len(name) < 3 || strings.Contains(name, ":") {
		return e, false
	}
	return paletteEntry{label: fmt.Sprintf("Find %q in all accounts", name), hint: "operations", run: func() tea.Cmd { return a.findAnywhere(name) }}, true
}
