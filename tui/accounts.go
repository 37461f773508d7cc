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

// inAccount returns the environment for pages of another account, which is read with the
// operations key. Its cache is kept until the profile is switched.
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

// findAnywhere searches a text in all accounts, for example a code or an e-mail address from a
// ticket. It opens the page of a single result, or of the main result that the others belong to.
// Otherwise it calls choose, with a hint, to let the user choose a result.
func (ws *workspace) findAnywhere(text string, choose func(results paletteEntries, hint string)) tea.Cmd {
	return ws.runOperations(func(ctx context.Context, client *ops.Client) (func() tea.Cmd, error) {
		found, err := client.Requests.Find(ctx, text)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("nothing found for %q", text)
		}
		if main, ok := commands.MainResult(found); ok {
			return ws.locate(ctx, client, main)
		}
		return func() tea.Cmd { //nolint:contextcheck // a choice has a context of its own
			choose(ws.foundEntries(found), fmt.Sprintf("choose what %q means", text))
			return nil
		}, nil
	})
}

// locate finds the page of a search result. It returns the function that opens the page.
func (ws *workspace) locate(ctx context.Context, client *ops.Client, f ops.Found) (func() tea.Cmd, error) {
	place, err := commands.Locate(ctx, client, f)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return ws.openPlace(place) }, nil
}

// runOperations calls run with the operations client in the background. It then calls the function
// that run has returned, in the program's loop, or shows the error.
func (ws *workspace) runOperations(
	run func(context.Context, *ops.Client) (then func() tea.Cmd, err error),
) tea.Cmd {
	env := ws.env
	ctx := ws.life.Context()
	return func() tea.Msg {
		then, err := run(ctx, env.Profile.Ops)
		if err != nil {
			explanation, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(explanation)}
		}
		return doMsg{of: env, do: then}
	}
}

// foundEntries returns entries that open the pages of search results.
func (ws *workspace) foundEntries(found []ops.Found) paletteEntries {
	var entries paletteEntries
	for _, f := range found {
		open := func(ctx context.Context, client *ops.Client) (func() tea.Cmd, error) {
			return ws.locate(ctx, client, f)
		}
		entries = append(entries, paletteEntry{
			label: labelOfFound(f),
			hint:  strings.Join(nonEmpty(string(f.Kind), f.CompanyName), " · "),
			more:  f.UUID,
			run:   func() tea.Cmd { return ws.runOperations(open) },
		})
	}
	return entries
}

// labelOfFound returns the label of a search result: its code, if it has one, and its name.
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
	if place.Kind == ops.FoundCallback {
		return env.Nav.Show(page.EndpointRoute{UUID: place.Endpoint.UUID, Callback: place.UUID})
	}
	if place.Endpoint != nil {
		return env.Nav.Show(page.EndpointRoute{UUID: place.Endpoint.UUID})
	}
	if place.OrderCode != "" {
		subject := timeline.StorySubject{Order: place.OrderCode, Mission: place.Mission}
		return env.Nav.Show(page.StoryRoute{Subject: subject, Entry: timeline.EntryOf(place.Found)})
	}
	return env.Nav.Show(page.AccountRoute{})
}

// accountsEntry returns the palette entry that searches a text in all accounts. ok is false if
// the profile has no operations key, the text is too short, or the text is a filter. choose lets
// the user choose one of several results.
func (ws *workspace) accountsEntry(
	text string, choose func(results paletteEntries, hint string),
) (entry paletteEntry, ok bool) {
	text = strings.TrimSpace(text)
	if ws.env.Profile.Ops == nil || len(text) < minFindLength || isFilterTerm(text) {
		return paletteEntry{}, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", text),
		hint:  "operations",
		run:   func() tea.Cmd { return ws.findAnywhere(text, choose) },
	}, true
}

// minFindLength is the length of the shortest text that can be searched in all accounts.
const minFindLength = 3

// isFilterTerm reports whether a text begins with a filter term such as due:<friday. The address
// of an endpoint is not a filter term, although it has a colon.
func isFilterTerm(text string) bool {
	name, rest, isTerm := strings.Cut(text, ":")
	return isTerm && !strings.HasPrefix(rest, "//") && !strings.ContainsAny(name, ".@ ")
}
