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
func (ws *workspace) inAccount(uuid, company string) *page.Env {
	env := ws.viewed[uuid]
	if env == nil {
		env = ws.env.ViewAccount(cache.NewOfAccount(ws.env.Profile.Ops, uuid, ws.env.Clock.Now), company)
		env.Nav = navigator{ws, env}
		ws.viewed[uuid] = env
	}
	env.FollowLook(ws.env)
	return env
}

// findAnywhere searches all accounts for a company, order, mission or endpoint, and
// opens its page.
func (ws *workspace) findAnywhere(name string) tea.Cmd {
	env, ctx := ws.env, ws.life.Context()
	return func() tea.Msg {
		found, err := commands.Find(ctx, env.Profile.Ops, name)
		if err != nil {
			what, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: what}
		}
		return doMsg{of: env, do: func() tea.Cmd { return ws.openFound(found) }}
	}
}

// openFound opens the page of a search result.
func (ws *workspace) openFound(found *commands.FoundAccount) tea.Cmd {
	env := ws.inAccount(found.Account.UUID, found.Account.CompanyName)
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
func (ws *workspace) accountsEntry(name string) (e paletteEntry, ok bool) {
	name = strings.TrimSpace(name)
	if ws.env.Profile.Ops == nil || len(name) < 3 || strings.Contains(name, ":") {
		return e, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", name),
		hint:  "operations",
		run:   func() tea.Cmd { return ws.findAnywhere(name) },
	}, true
}
