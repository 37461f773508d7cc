package tui

import (
	"net/http"
	"net/http/httptest"
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

func TestASearchKeepsItsProfileWhenTheProfileIsSwitched(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const accounts = `[{"kind":"account","uuid":"acc-1"},{"kind":"account","uuid":"acc-2"}]`
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"success":true,"data":{"data":` + accounts + `,"nextCursor":null,"hasNextPage":false}}`))
	}))
	defer service.Close()
	opsClient, err := ops.NewClient(service.URL, "fd_ops_test")
	if err != nil {
		t.Fatal(err)
	}
	env := &page.Env{}
	env.Profile.Ops = opsClient
	ws := workspace{search: accountSearch{env: env, life: page.NewLifetime()}}
	entry, ok := ws.search.entry("ORD-17", nil)
	if !ok {
		t.Fatal("the text cannot be searched")
	}
	find := entry.run()
	ws.search = accountSearch{env: &page.Env{}, life: ws.search.life} // a profile without an operations key
	msg, ok := find().(doMsg)
	if !ok || msg.of != env {
		t.Errorf("the search of the first profile returned %#v", msg)
	}
}
