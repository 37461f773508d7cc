package tui

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/ops"
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

// findAnywhere searches all accounts for what a ticket names. It opens the page of what is
// found, and lists several results to choose from.
func (ws *workspace) findAnywhere(text string, choose func(paletteEntries, string)) tea.Cmd {
	return ws.askOperations(func(ctx context.Context, desk *ops.Client) (func() tea.Cmd, error) {
		found, err := desk.Requests.Find(ctx, text)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("nothing found for %q", text)
		}
		if one, ok := commands.MainResult(found); ok {
			place, err := commands.Locate(ctx, desk, one)
			return func() tea.Cmd { return ws.openPlace(place) }, err
		}
		return func() tea.Cmd { //nolint:contextcheck // a choice has a context of its own
			choose(ws.foundEntries(found), fmt.Sprintf("choose what %q means", text))
			return nil
		}, nil
	})
}

// askOperations reads something with the operations key in the background, and then does
// what ask returns. Errors are shown.
func (ws *workspace) askOperations(
	ask func(context.Context, *ops.Client) (then func() tea.Cmd, err error),
) tea.Cmd {
	env, ctx := ws.env, ws.life.Context()
	return func() tea.Msg {
		then, err := ask(ctx, env.Profile.Ops)
		if err != nil {
			what, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(what)}
		}
		return doMsg{of: env, do: then}
	}
}

// foundEntries returns entries that open the results of a search.
func (ws *workspace) foundEntries(found []ops.Found) (entries paletteEntries) {
	for _, f := range found {
		entries = append(entries, paletteEntry{
			label: labelOfFound(f),
			hint:  strings.Join(nonEmpty(string(f.Kind), f.CompanyName), " · "),
			more:  f.UUID,
			run: func() tea.Cmd {
				return ws.askOperations(func(ctx context.Context, desk *ops.Client) (func() tea.Cmd, error) {
					place, err := commands.Locate(ctx, desk, f)
					return func() tea.Cmd { return ws.openPlace(place) }, err
				})
			},
		})
	}
	entries.prepare()
	return entries
}

// labelOfFound returns what something that was found is listed by: its code, if it has one,
// and its name.
func labelOfFound(f ops.Found) string {
	switch f.Kind {
	case ops.FoundOrder:
		return f.OrderCode + "  " + f.Name
	case ops.FoundMission:
		return f.MissionCode + "  " + f.Name
	case ops.FoundKey:
		return "Key ••••" + f.Name
	case ops.FoundQuote:
		return "Quote " + f.Name + " of " + f.OrderCode
	}
	return strings.Join(nonEmpty(f.Name, cmp.Or(f.MissionCode, f.OrderCode)), "  ")
}

// openPlace opens the page of a search result.
func (ws *workspace) openPlace(place *commands.Place) tea.Cmd {
	if place.AccountUID == "" {
		return page.ShowToast(theme.Attention, "A request of no known account: "+format.Clean(place.Name))
	}
	env := ws.inAccount(place.AccountUID, place.CompanyName)
	subject := timeline.StorySubject{Order: place.OrderCode, Mission: place.Mission}
	switch {
	case place.Kind == ops.FoundCallback:
		return env.Nav.Show(page.EndpointRoute{UUID: place.Endpoint.UUID, Callback: place.UUID})
	case place.Endpoint != nil:
		return env.Nav.Show(page.EndpointRoute{UUID: place.Endpoint.UUID})
	case place.OrderCode != "":
		return env.Nav.Show(page.StoryRoute{Subject: subject, Entry: timeline.EntryOf(place.Found)})
	}
	return env.Nav.Show(page.AccountRoute{})
}

// accountsEntry returns the palette entry that searches a text in all accounts.
func (ws *workspace) accountsEntry(text string, choose func(paletteEntries, string)) (e paletteEntry, ok bool) {
	text = strings.TrimSpace(text)
	if ws.env.Profile.Ops == nil || len(text) < minFind || isFilterTerm(text) {
		return e, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", text),
		hint:  "operations",
		run:   func() tea.Cmd { return ws.findAnywhere(text, choose) },
	}, true
}

// minFind is the length of the shortest text that is searched in all accounts.
const minFind = 3

// isFilterTerm reports whether a text begins with a term such as due:<friday, and not with
// the address of an endpoint.
func isFilterTerm(text string) bool {
	name, rest, isTerm := strings.Cut(text, ":")
	return isTerm && !strings.HasPrefix(rest, "//") && !strings.ContainsAny(name, ".@ ")
}
