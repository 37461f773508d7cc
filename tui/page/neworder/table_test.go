package neworder_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

const (
	north = "name,lat,lng\nNorth 1,48.4,11.7\nNorth 2,48.5,11.8\nNorth 3,48.6,11.9\n"
	south = "name,lat,lng\nSouth 1,-48.4,11.7\nSouth 2,47.4,11.7\nSouth 3,47.5,11.8\n"
)

// twoFiles shows the sites of two files.
func twoFiles(t *testing.T, options ...func(*tui.Options)) *apptest.Session {
	t.Helper()
	d := apptest.Open(t, 120, 36, options...)
	d.WriteFile("north.csv", north)
	d.WriteFile("south.csv", south)
	d.WriteFile("odd.csv", "name,lat,lng\nOdd 1,9.4821E,53.6012N\nOdd 2,-27.6,153.1\n")
	d.Press("n")
	d.Type("north")
	d.Press("enter", "[")
	d.Type("south")
	d.Press("enter")
	d.RequireText("6 sites, 6 included", "▸!✓   South 1")
	return d
}

func TestSitesAreFilteredSortedAndChangedAsListed(t *testing.T) {
	d := twoFiles(t)
	d.Press("/")
	d.Type("north")
	d.Press("enter")
	d.RequireText("3 of 6", "North 3")
	d.SeesNot("South 2")
	d.Press("ctrl+a")
	d.RequireText("6 sites, 3 included", "Excluded North 1 and 2 more")
	d.Press("esc", ">", ">", "R", "g")
	d.RequireText("▾ Site", "▸ ✓   South 3")
	d.Press("/")
	d.Type("in:no")
	d.RequireText("3 of 6", "North 1")
	d.Press("enter", "[")
	d.WriteFile("more.csv", "name,lat,lng\nMore,48.7,11.7\n")
	d.Type("more.csv")
	d.Press("enter") // the filter never hides added sites
	d.RequireText("7 sites", "▸ ✓   More", "South 3")
}

func TestARangeOfSitesIsMarkedAndCounted(t *testing.T) {
	d := twoFiles(t)
	d.Press("g", "V", "j", "j")
	d.RequireText("• 3 marked · move to extend, V to end", "• ✓   North 1", "▸•✓   North 3")
	d.Press("k")
	d.RequireText("• 2 marked")
	d.Press("V", "G", "shift+down")
	d.RequireText("• 3 marked", "▸•✓   South 3")
	d.Press("space")
	d.RequireText("6 sites, 3 included", "Excluded North 1 and 2 more")
	d.Press("/")
	d.Type("south")
	d.Press("enter")
	d.RequireText("• 3 marked, 2 of them not affected (hidden or placed)")
	d.Press("space")
	d.RequireText("6 sites, 4 included")
	d.Press("esc")
	d.SeesNot("marked")
	d.RequireText("3 of 6")
	d.Press("esc", "g")
	d.RequireText("▸ –   North 1")
	at := func(y int, mod tea.KeyMod) { d.Send(tea.MouseClickMsg{X: 20, Y: y, Button: tea.MouseLeft, Mod: mod}) }
	at(6, 0)
	at(8, tea.ModShift)
	d.RequireText("• 3 marked · esc", "▸•✓   North 3")
	d.Press("delete")
	d.RequireText("3 sites, 3 included", "Removed North 1 and 2 more · u to undo")
}

func TestADroppedFileThatCannotBeReadIsNamed(t *testing.T) {
	d := twoFiles(t)
	d.Paste(d.WriteFile("broken.kml", "<kml"))
	d.RequireText("broken.kml: ", "6 sites, 6 included")
}

func TestAFileIsRemoved(t *testing.T) {
	d := twoFiles(t)
	d.Press("d")
	d.RequireText("3 sites, 3 included", "Removed south.csv, 3 sites · u to undo")
	d.SeesNot("South")
	d.Press("u")
	d.RequireText("6 sites", "north.csv · south.csv")
	d.Press("ctrl+r")
	d.RequireText("3 sites, 3 included", "Redone: removed south.csv")
	d.Press("d", "d")
	d.RequireText("remove file: no site selected")
}

func TestChangesOfSitesAreUndoneAndRedone(t *testing.T) {
	copied := ""
	d := twoFiles(t, func(o *tui.Options) {
		o.Clipboard = func(text string) (string, error) { copied = text; return "", nil }
	})
	summary := func() string { // the copied table
		d.Press("ctrl+y")
		return copied
	}
	steps := []struct {
		what string
		keys []string
	}{
		{"added", []string{"[", "o", "d", "d", "enter"}},
		{"in or out", []string{"g", "space"}},
		{"removed", []string{"delete"}},
		{"edited", []string{"g", "e", "x", "enter"}},
		{"fixed", []string{"/", "i", "n", ":", "n", "o", "enter", "G", "f", "esc"}},
		{"merged", []string{"g", "c", "enter"}},
		{"split", []string{"s"}},
	}
	states := []string{summary()}
	for _, step := range steps {
		d.Press(step.keys...)
		states = append(states, summary())
	}
	for i := len(steps) - 1; i >= 0; i-- {
		d.Press("u")
		if got := summary(); got != states[i] {
			t.Fatalf("%s, undone, is\n%s, want\n%s", steps[i].what, got, states[i])
		}
	}
	for i := range steps {
		d.Press("ctrl+r")
		if got := summary(); got != states[i+1] {
			t.Fatalf("%s, redone, is\n%s, want\n%s", steps[i].what, got, states[i+1])
		}
	}
	d.Press("ctrl+r")
	d.RequireText("Nothing to redo")
	d.Press("u", "g", "space", "ctrl+r") // the new change replaces the undone one
	d.RequireText("Nothing to redo")
}

func TestTheFirstAddedSiteIsInViewWithTheNextSites(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.WriteFile("big.kml", bigKML(100))
	d.WriteFile("more.kml", bigKML(50))
	d.Press("n")
	d.Type("big")
	d.Press("enter", "[")
	d.Type("more")
	d.Press("enter")
	d.RequireText("▸\"✓   Mast 00000", "Mast 00020", "50 duplicates \"")
}
