package widget

import (
	"strings"
	"testing"

	"flightdesk/tui/theme"
)

func TestPaneIsNotRedrawnWhilePassing(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	of, passing, note := "one", false, ""
	s := Split{Passing: func() bool { return passing }, Panes: []Pane{
		{Cells: 30, View: func(int, int) string { return "list of " + of }},
		{View: func(int, int) string { return "all of " + of + note }, Of: func() string { return of }},
	}}
	sees := func(what string, w int, list, all string) {
		t.Helper()
		if got := s.View(th, w, 2); !strings.Contains(got, "list of "+list) || !strings.Contains(got, "all of "+all) {
			t.Errorf("%s: %s", what, got)
		}
	}
	sees("at first", 60, "one", "one")
	of, passing = "two", true
	sees("passing by", 60, "two", "one")
	sees("in another window", 70, "two", "two")
	note = " anew"
	sees("the same, changed", 70, "two", "two anew")
	of = "three"
	sees("passing by again", 70, "three", "two")
	passing = false
	sees("at rest", 70, "three", "three")
}
