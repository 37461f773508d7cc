package page

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
)

func TestLongTitlesOfDetailsWrap(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	const title = "Reußenköge: Rotorblätter vor dem Winter, erste und zweite Reihe"
	about := RowDetails{Title: title}
	head := DetailHead{Name: title}
	for name, lines := range map[string][]string{
		"pane": about.renderLines(th, 30, 30),
		"page": head.renderTitle(th, 30),
	} {
		text := ansi.Strip(strings.Join(lines, " "))
		if got := strings.Join(strings.Fields(text), " "); got != title {
			t.Errorf("the title of the %s is %q", name, got)
		}
	}
}
