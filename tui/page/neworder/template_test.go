package neworder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestATemplateIsSavedAndUsedAgain(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 120, 36, keep)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "shift+tab", "shift+tab", "shift+tab") // to the sensors
	d.Type("lid")
	d.Press("space", "tab", "tab", "tab")
	d.Type("wat")
	d.Press("tab")
	d.Type("1 Dec")
	d.Press("tab")
	d.Type("in 3 weeks")
	d.Press("ctrl+t")
	d.RequireText("Templates", "No templates yet. Press s to save this form", "└ s save form   esc back")
	d.Press("s", "enter")
	d.RequireText("name required", "└ enter save   esc back")
	d.Type("Levees in autumn")
	d.Press("enter")
	d.RequireText("Template Levees in autumn saved")
	d.Press("ctrl+s", "S", "enter")
	first := d.NewestOrder()
	d.Close()

	next := apptest.Open(t, 120, 36, keep)
	next.Press("n")
	next.Type("harbour")
	next.Press("enter", "p")
	next.RequireText("Levees in autumn", "RGB camera, LiDAR · Water")
	next.Press("enter")
	next.RequireText("Applied template Levees in autumn")
	next.Press("u", "ctrl+r")
	next.RequireText("Redone: applied template Levees in autumn")
	next.Press("]")
	next.RequireText("RGB camera, LiDAR", "Asset type   Water", "Order name   harbour",
		"Start        in 2 weeks", "Deadline     in 3 weeks")
	next.Press("ctrl+s", "S", "enter")
	o := next.NewestOrder()
	if len(o.Sensors) != 2 || o.IndustryAssetType != first.IndustryAssetType || o.OrderName != "harbour" {
		t.Errorf("%+v", o)
	}
}

func TestATemplateIsReplacedDeletedAndRestored(t *testing.T) {
	drafts := t.TempDir()
	d := apptest.Open(t, 120, 36, func(o *tui.Options) { o.Drafts = drafts })
	d.ToReview("elbe")
	save := func(name string) {
		d.Press("p", "s")
		d.Type(name)
		d.Press("enter")
	}
	save("B")
	save("a")
	save("B")
	d.Press("p")
	d.RequireText("▸ a ", "  B ")
	d.Send(tea.MouseWheelMsg{X: 50, Y: 13, Button: tea.MouseWheelDown})
	d.RequireText("  a ", "▸ B ")
	d.Send(tea.MouseClickMsg{X: 30, Y: lineOf(d, "  a "), Button: tea.MouseLeft})
	d.RequireText("▸ a ", "  B ")
	d.Send(tea.MouseClickMsg{X: 30, Y: lineOf(d, "▸ a "), Button: tea.MouseLeft})
	d.RequireText("Applied template a")
	d.Press("u", "p", "j", "delete")
	d.RequireText("Deleted template B")
	d.SeesNot("  B ", "u to undo") // in a dialog the key does nothing
	d.Press("esc", "u")
	d.RequireText("Undone: deleted template B")
	d.Press("p")
	d.RequireText("  B ")
	d.Press("esc", "[")
	d.Type("oil")
	d.RequireText("✓ Oil and gas")
	d.Press("ctrl+t", "enter")
	d.RequireText("Water")
	d.SeesNot("✓ Oil and gas")
	d.Press("ctrl+s", "u")
	d.RequireText("Undone: applied template a", "Oil and gas")

	if err := os.WriteFile(filepath.Join(drafts, "templates.json"), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.Press("p")
	d.RequireText("read templates: ")
}

// lineOf returns the line of the screen that contains a text.
func lineOf(d *apptest.Session, text string) int {
	d.T.Helper()
	for i, line := range strings.Split(d.Screen(), "\n") {
		if strings.Contains(line, text) {
			return i
		}
	}
	d.T.Fatalf("%q is not on the screen", text)
	return 0
}

// Two windows that save templates at the same time keep both.
func TestTwoWindowsKeepEachOthersTemplates(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	first := apptest.Open(t, 120, 36, keep)
	same := func(o *tui.Options) { o.Client = first.Client }
	second := apptest.Open(t, 120, 36, keep, same)
	for _, d := range []*apptest.Session{first, second} {
		d.ToReview("elbe")
	}
	for d, name := range map[*apptest.Session]string{first: "Rivers", second: "Masts"} {
		d.Press("p", "s")
		d.Type(name)
		d.Press("enter")
	}
	next := apptest.Open(t, 120, 36, keep, same)
	next.ToReview("elbe")
	next.Press("p")
	next.RequireText(" Masts ", " Rivers ")
}
