package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/page"
)

// fakeNavigator records the account and the route that are opened.
type fakeNavigator struct {
	page.Navigator
	account string
	route   page.Route
}

func (n *fakeNavigator) InAccount(uuid, _ string) *page.Env {
	n.account = uuid
	return &page.Env{Nav: n}
}

func (n *fakeNavigator) Show(route page.Route) tea.Cmd {
	n.route = route
	return nil
}

func TestASearchResultOpensInItsAccount(t *testing.T) {
	nav := &fakeNavigator{}
	openPlace(nav, &commands.Place{
		Found:   ops.Found{AccountUID: "acc-1", OrderCode: "ORD-1"},
		Mission: "m-1",
	})
	story, ok := nav.route.(page.StoryRoute)
	if nav.account != "acc-1" || !ok || story.Subject.Order != "ORD-1" || story.Subject.Mission != "m-1" {
		t.Errorf("account %q, route %+v", nav.account, nav.route)
	}
	nav = &fakeNavigator{}
	if cmd := openPlace(nav, &commands.Place{Found: ops.Found{Name: "req-1"}}); cmd == nil || nav.account != "" {
		t.Errorf("a result without an account opens %q", nav.account)
	}
}

func TestOnlyALongTextIsSearchedInAllAccounts(t *testing.T) {
	env := &page.Env{}
	env.Profile.Ops = &ops.Client{}
	search := accountSearch{env: env}
	for text, want := range map[string]bool{
		"ab":                         false,
		"ORD-17":                     true,
		"due:<friday":                false,
		"https://hooks.example:8443": true,
		"jo@pond.example":            true,
	} {
		if _, got := search.entry(text, nil); got != want {
			t.Errorf("%q can be searched: %v", text, got)
		}
	}
	env.Profile.Ops = nil
	if _, ok := search.entry("ORD-17", nil); ok {
		t.Error("a profile without an operations key searches all accounts")
	}
}
