package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// testNavigation returns a bar with the sections Home, Orders and Deliveries. Orders is current and
// has a badge.
func testNavigation(opened *string) *navigationBar {
	home := page.Section{Go: action.GoHome, Name: "Home", Short: "Home"}
	orders := page.Section{Go: action.GoOrders, Name: "Orders", Short: "Ord"}
	deliveries := page.Section{Go: action.GoDeliveries, Name: "Deliveries", Short: "Del"}
	item := func(s *page.Section, key string) navigationItem {
		open := func() tea.Cmd {
			*opened = s.Name
			return nil
		}
		return navigationItem{section: s, key: key, name: s.Name, open: open}
	}
	bar := &navigationBar{}
	bar.items = []navigationItem{item(&home, "1"), item(&orders, "2"), item(&deliveries, "3")}
	bar.items[1].isCurrent = true
	bar.items[1].badge = page.SectionBadge{Text: "7", Role: theme.Attention}
	return bar
}

func TestTheNavigationBarShortensAllNamesTogether(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, " 1 Home [2 Orders (7)] 3 Deliveries"},
		{36, " 1 Home [2 Orders (7)] 3 Deliveries"},
		{35, " 1 Home [2 Ord (7)] 3 Del"},
		{26, " 1 Home [2 Ord (7)] 3 Del"},
		{25, " 1 Home [2 Ord (7)] 3"},
		{21, " 1 [2 Ord (7)] 3"},
	} {
		opened := ""
		row := testNavigation(&opened).draw(th, c.width)
		if got := strings.TrimRight(ansi.Strip(row.text), " "); got != c.want {
			t.Errorf("in %d cells the bar is %q, want %q", c.width, got, c.want)
		}
	}
}

func TestAClickOnASectionNameOpensTheSection(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	opened := ""
	row := testNavigation(&opened).draw(th, 60)
	var areas clickAreas
	areas.addRows(navRow, []frameRow{row})
	x := strings.Index(ansi.Strip(row.text), "Deliveries")
	areas.click(tea.Mouse{X: x, Y: navRow, Button: tea.MouseLeft})
	if opened != "Deliveries" {
		t.Errorf("the click opened %q", opened)
	}
}
