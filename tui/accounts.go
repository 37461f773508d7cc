package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// inAccount returns the environment of pages that show any account, read with the
// operations key. Its cache lives as long as the run.
func (a *App) inAccount(uuid, company string) *page.Env {
	env := a.ws.viewed[uuid]
	if env == nil {
		env = a.ws.env.ViewAccount(cache.NewOfAccount(a.ws.env.Profile.Ops, uuid, a.ws.env.Clock.Now), company)
		a.setCallbacks(env)
		a.ws.viewed[uuid] = env
	}
	env.FollowLook(a.ws.env)
	return env
}

// findAnywhere searches all accounts for a company, order, mission or endpoint, and
// opens its page.
func (a *App) findAnywhere(name string) tea.Cmd {
	env, ctx := a.ws.env, a.ws.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, env.Profile.Ops, name)
		if err != nil {
			what, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: what}
		}
		return doMsg{of: env, do: func() tea.Cmd { return a.openFound(found) }}
	}
}

// openFound opens the page of a search result.
func (a *App) openFound(found *commands.FoundAccount) tea.Cmd {
	env := a.inAccount(found.Account.UUID, found.Account.CompanyName)
	switch {
	case found.Mission != nil:
		return env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: found.Order, Mission: found.Mission.UUID}})
	case found.Order != "":
		return env.Nav.Show(page.StoryRoute{Subject: timeline.StorySubject{Order: found.Order}})
	case found.Endpoint != nil:
		return env.Nav.Show(page.EndpointRoute{UUID: found.Endpoint.UUID})
	}
	return env.Nav.Show(page.AccountRoute{})
}

// accountsEntry returns the palette entry that searches a name in all accounts.
func (a *App) accountsEntry(name string) (e paletteEntry, ok bool) {
	name = strings.TrimSpace(name)
	if a.ws.env.Profile.Ops == nil || len(name) < 3 || strings.Contains(name, ":") {
		return e, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", name),
		hint:  "operations",
		run:   func() tea.Cmd { return a.findAnywhere(name) },
	}, true
}
