package page

import (
	"strings"
	"testing"

	"flightdesk/tui/theme"
)

func TestAnEmptyFirstColumnOfValuesTakesNoRoom(t *testing.T) {
	const text = "An item with a text that fills its line"
	group := func(values ...string) *GroupList {
		items := []GroupItem{{ID: "item", Texts: []string{text}, Values: values}}
		return &GroupList{Blurred: true, Groups: []ItemGroup{{Title: "Group", Items: items}}}
	}
	w := len("   ") + len("  ") + len(text) + len("  ") + len("3 files") + len(" ")
	for name, list := range map[string]*GroupList{
		"one column":            group("3 files"),
		"an empty first column": group("", "3 files"),
	} {
		view := list.View(theme.LinearTheme(), w, 4)
		if !strings.Contains(view, text) || !strings.Contains(view, "  3 files") {
			t.Errorf("%s: %q", name, view)
		}
	}
}

func TestATitleIsNotTheLastLineAboveTheItemsBelowTheView(t *testing.T) {
	item := func(id string) GroupItem { return GroupItem{ID: id, Texts: []string{id}} }
	list := &GroupList{Groups: []ItemGroup{
		{Title: "First", Items: []GroupItem{item("a")}},
		{Title: "Second", Items: []GroupItem{item("b"), item("c")}},
	}}
	const height = 5 // the first group, a blank line, the second title, and the line that counts the lines below
	view := list.View(theme.LinearTheme(), 40, height)
	if strings.Contains(view, "Second") {
		t.Errorf("the title is shown without its items:\n%s", view)
	}
	if view = list.View(theme.LinearTheme(), 40, height+1); !strings.Contains(view, "Second") {
		t.Errorf("the title is missing:\n%s", view)
	}
}
