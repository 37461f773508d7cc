package dialog_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
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

func TestTypedGoesOnOnlyOnceTheWordIsThere(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	d := &dialog.TypedConfirmation{
		Theme: th, Title: "Accept quote", Lines: []string{"12,420.00 EUR"}, Want: "Ord-7", Yes: "accept", No: "keep open",
		OnYes: func() tea.Cmd { accepted++; return nil },
	}
	for _, k := range []string{"o", "r", "d", "-"} {
		d.Update(key(k))
		if _, done := d.Update(key("enter")); done || accepted > 0 {
			t.Fatalf("enter accepts after %q", k)
		}
	}
	if screen := ansi.Strip(d.View(60, 20)); !strings.Contains(screen, "Does not match Ord-7") {
		t.Errorf("a wrong word is not refused:\n%s", screen)
	}
	if screen := ansi.Strip(d.View(60, 20)); !strings.Contains(screen, "Type Ord-7 to confirm  ord-") {
		t.Errorf("the dialog is\n%s", screen)
	}
	if c := d.Cursor(); c.X != 2+len("Type Ord-7 to confirm  ord-") || c.Y != 3 {
		t.Errorf("the cursor is at %d,%d", c.X, c.Y)
	}
	d.Update(key("7"))
	if _, done := d.Update(key("enter")); !done || accepted != 1 {
		t.Errorf("done %v, accepted %d times", done, accepted)
	}
	long := &dialog.TypedConfirmation{Theme: th, Title: "Delete", Want: "hooks.somewhere-far-away.example", Yes: "delete", No: "back"}
	if screen := ansi.Strip(long.View(60, 20)); !strings.Contains(screen, "Type hooks.somewhere-far-away.example to confirm") {
		t.Errorf("what is to be typed is cut:\n%s", screen)
	}
	if c := long.Cursor(); c.X != 2 || c.Y != 3 {
		t.Errorf("the cursor is at %d,%d", c.X, c.Y)
	}
	empty := &dialog.TypedConfirmation{Theme: th, OnYes: d.OnYes}
	if _, done := empty.Update(key("enter")); done || accepted != 1 {
		t.Error("a dialog that asks for nothing accepts nothing")
	}
	if _, done := empty.Update(key("esc")); !done {
		t.Error("esc does not leave")
	}
}
