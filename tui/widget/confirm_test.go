package widget_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

func key(name string) tea.Msg {
	switch name {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func TestConfirmTypedNeedsTheWord(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	yes := func() tea.Cmd { accepted++; return nil }
	d := widget.ConfirmTyped("Accept quote", []string{"12,420.00 EUR"}, "Ord-7", "accept", yes)
	for _, k := range []string{"o", "r", "d", "-"} {
		d.Update(key(k))
		if _, done := d.Update(key("enter")); done || accepted > 0 {
			t.Fatalf("enter accepts after %q", k)
		}
	}
	if screen := ansi.Strip(d.View(th, 60, 20)); !strings.Contains(screen, "Does not match Ord-7") {
		t.Errorf("a wrong word is not refused:\n%s", screen)
	}
	screen := ansi.Strip(d.View(th, 60, 20))
	if !strings.Contains(screen, "Type Ord-7 to confirm") || !strings.Contains(screen, "ord-_") {
		t.Errorf("the dialog is\n%s", screen)
	}
	if c := d.Cursor(); !strings.HasPrefix(string([]rune(strings.Split(screen, "\n")[c.Y])[c.X-4:]), "ord-") {
		t.Errorf("the cursor is at %d,%d", c.X, c.Y)
	}
	d.Update(key("7"))
	if _, done := d.Update(key("enter")); !done || accepted != 1 {
		t.Errorf("done %v, accepted %d times", done, accepted)
	}
	long := widget.ConfirmTyped("Delete", nil, "hooks.somewhere-far-away.example", "delete", yes)
	screen = ansi.Strip(long.View(th, 60, 20))
	if !strings.Contains(screen, "Type hooks.somewhere-far-away.example to confirm") {
		t.Errorf("what is to be typed is cut:\n%s", screen)
	}
	empty := widget.ConfirmTyped("", nil, "", "", yes)
	if _, done := empty.Update(key("enter")); done || accepted != 1 {
		t.Error("a dialog that asks for nothing accepts nothing")
	}
	if _, done := empty.Update(key("esc")); !done {
		t.Error("esc does not leave")
	}
}
