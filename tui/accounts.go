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

// inAccount returns the environment for pages that show an account that is not the profile's account. The app
// reads it with the operations key of the profile. The environment and its cache are kept until the user
// switches to another profile.
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

// accountSearch searches all accounts with the operations key, for example for a code or an e-mail address
// from a ticket. Its methods have value receivers, because the workspace replaces its accountSearch when the
// user switches to another profile. A search that is still running then keeps the old environment.
type accountSearch struct {
	env  *page.Env
	life *page.Lifetime // ends with the app
}

// minSearchLength is the length of the shortest text that can be searched in all accounts.
const minSearchLength = 3

// entry returns the palette entry that searches for a text in all accounts. ok is false if the profile has no
// operations key, or if the text is too short or a filter. If a search finds several results, it calls choose
// to let the user choose one.
func (s accountSearch) entry(
	text string, choose func(results paletteEntries, hint string),
) (entry paletteEntry, ok bool) {
	text = strings.TrimSpace(text)
	if s.env.Profile.Ops == nil || len(text) < minSearchLength || isFilterTerm(text) {
		return paletteEntry{}, false
	}
	return paletteEntry{
		label: fmt.Sprintf("Find %q in all accounts", text),
		hint:  "operations",
		run:   func() tea.Cmd { return s.find(text, choose) },
	}, true
}

// isFilterTerm reports whether a text begins with a filter term such as due:<friday. The colon of a URL, as
// in https://example.com, does not make a filter term.
func isFilterTerm(text string) bool {
	name, rest, isTerm := strings.Cut(text, ":")
	return isTerm && !strings.HasPrefix(rest, "//") && !strings.ContainsAny(name, ".@ ")
}

// find searches for a text in the background. It opens the page of the result if there is only one. If the
// results are an account and things that belong to this account, it opens the page of the account. Otherwise
// it calls choose, with a hint, to let the user choose a result.
func (s accountSearch) find(text string, choose func(results paletteEntries, hint string)) tea.Cmd {
	return s.inBackground(func(ctx context.Context) (func() tea.Cmd, error) {
		found, err := s.env.Profile.Ops.Requests.Find(ctx, text)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("nothing found for %q", text)
		}
		if main, ok := commands.MainResult(found); ok {
			return s.locate(ctx, main)
		}
		return func() tea.Cmd { //nolint:contextcheck // a choice has a context of its own
			choose(s.resultEntries(found), fmt.Sprintf("choose what %q means", text))
			return nil
		}, nil
	})
}

// inBackground runs work outside of the program's loop. If work succeeds, the loop then calls the function
// that work returned. If work fails, the app shows the error.
func (s accountSearch) inBackground(work func(context.Context) (then func() tea.Cmd, err error)) tea.Cmd {
	ctx := s.life.Context()
	return func() tea.Msg {
		then, err := work(ctx)
		if err != nil {
			explanation, _ := format.ExplainError(err)
			return page.ToastMsg{Role: theme.Bad, Text: format.Clean(explanation)}
		}
		return doMsg{of: s.env, do: then}
	}
}

// locate finds the page of a search result. It returns the function that opens the page.
func (s accountSearch) locate(ctx context.Context, result ops.Found) (open func() tea.Cmd, err error) {
	place, err := commands.Locate(ctx, s.env.Profile.Ops, result)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return openPlace(s.env.Nav, place) }, nil
}

// resultEntries returns entries that open the pages of search results.
func (s accountSearch) resultEntries(results []ops.Found) paletteEntries {
	var entries paletteEntries
	for _, result := range results {
		open := func(ctx context.Context) (func() tea.Cmd, error) { return s.locate(ctx, result) }
		entries = append(entries, paletteEntry{
			label: labelOfFound(result),
			hint:  strings.Join(nonEmpty(string(result.Kind), result.CompanyName), " · "),
			more:  result.UUID,
			run:   func() tea.Cmd { return s.inBackground(open) },
		})
	}
	return entries
}

// labelOfFound returns the label of a search result, such as "ORD-7 Levee". It consists of a code, if the
// result has one, and a name.
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

// openPlace opens the page of a search result in the account to which the result belongs.
func openPlace(nav page.Navigator, place *commands.Place) tea.Cmd {
	if place.AccountUID == "" {
		return page.ShowToast(theme.Attention, "A request of no known account: "+format.Clean(place.Name))
	}
	env := nav.InAccount(place.AccountUID, place.CompanyName)
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
