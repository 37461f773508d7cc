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

func TestLongFieldShowsAllItsLines(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	f := widget.NewForm(
		200, time.Now, &widget.Field{ID: "reason", Label: "Reason", Kind: widget.LongField, Help: "why"},
		&widget.Field{ID: "code", Label: "Code"},
	)
	view := func() string { return ansi.Strip(f.View(th.Style, 50, f.Height(50))) }
	f.Update(tea.PasteMsg{Content: "The river is higher than it was\r\n\x1b[2Jand stays so for two weeks more."})
	f.Update(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt})
	f.Update(tea.KeyPressMsg{Code: 'N', Text: "N"})
	const want = "The river is higher than it was\n[2Jand stays so for two weeks more.\nN"
	if got := f.Field("reason").Value(); got != want {
		t.Errorf("the text is %q", got)
	}
	for _, line := range []string{
		" ▸ Reason       The river is higher than it was",
		"                [2Jand stays so for two weeks", "                more.",
		"                alt+enter new line · why", "   Code",
	} {
		if !strings.Contains(view(), line+"\n") && !strings.Contains(view(), line+" ") {
			t.Errorf("%q is not in\n%s", line, view())
		}
	}
	if c := f.Cursor(); c == nil || c.X != 17 || c.Y != 3 {
		t.Errorf("the cursor is at %v", c)
	}
	f.MoveByKey("up")
	f.MoveByKey("up")
	if c := f.Field("reason"); f.Focused() != c {
		t.Error("up leaves a text that has a line above")
	}
	f.MoveByKey("tab")
	f.MoveByKey("shift+tab")
	f.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	if got := f.Field("reason").Value(); len(got) != len(want)+1 {
		t.Errorf("a key replaces the text: %q", got)
	}
	f.Field("reason").Set("short")
	if f.MoveByKey("down"); f.Focused().ID != "code" {
		t.Error("down on the last line does not go to the next field")
	}
}
