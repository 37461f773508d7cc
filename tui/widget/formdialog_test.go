package widget_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

func TestFormDialogSavesOnlyValidValues(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	f := widget.NewForm(40, time.Now,
		&widget.Field{ID: "name", Label: "Name", Help: "what it is called"},
		&widget.Field{ID: "shout", Label: "Loud", Kind: widget.NoteField},
		&widget.Field{
			ID:      "kind",
			Label:   "Kind",
			Kind:    widget.ChoiceField,
			Options: []widget.Option{{Value: "a", Label: "first"}, {Value: "b", Label: "second"}},
		},
	)
	name := f.Field("name")
	name.Check = func(value string) string {
		if value == "" {
			return "a thing has a name"
		}
		return ""
	}
	sent := ""
	d := &widget.FormDialog{
		Title: "New thing", Lines: []string{strings.Repeat("what it is about ", 12)}, Warn: "no way back", Fault: "the service refused it", Form: f, Yes: "make it",
		OnSave: func() tea.Cmd {
			sent = f.Field("name").Value()
			return nil
		},
		OnChange: func(f *widget.Form) tea.Cmd {
			f.Field("shout").Note = strings.ToUpper(f.Field("name").Value())
			return nil
		},
	}
	if _, done := d.Update(key("enter")); done || sent != "" {
		t.Fatal("it is sent without a name")
	}
	for _, h := range []int{30, 14, 10, 7} {
		screen := ansi.Strip(d.View(th, 60, h))
		if n := strings.Count(screen, "\n") + 1; n > h {
			t.Errorf("%d lines where there is room for %d:\n%s", n, h, screen)
		}
		for _, text := range []string{"no way back", "! the service refused it", "a thing has a name", "enter make it"} {
			if !strings.Contains(screen, text) {
				t.Errorf("%d high, %q is not there:\n%s", h, text, screen)
			}
		}
		if about := strings.Contains(screen, "about"); about != (h >= 14) {
			t.Errorf("%d high, what it is about is there: %v", h, about)
		}
		if c := d.Cursor(); c == nil || !strings.Contains(strings.Split(screen, "\n")[c.Y], "Name") {
			t.Errorf("%d high, the cursor is at %+v", h, c)
		}
	}
	for _, k := range []string{"b", "o", "x"} {
		d.Update(key(k))
	}
	if screen := ansi.Strip(d.View(th, 60, 20)); !strings.Contains(screen, "BOX") {
		t.Errorf("what follows from the name is not worked out:\n%s", screen)
	}
	if _, done := d.Update(key("enter")); !done || sent != "box" {
		t.Errorf("done %v, sent %q", done, sent)
	}
	if _, done := d.Update(key("esc")); !done {
		t.Error("esc does not leave")
	}
}
