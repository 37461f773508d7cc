package tui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/widget"
)

// testPalette returns a palette of entries without an app. It records the previewed themes, and the
// entries that are saved and run.
func testPalette(entries ...paletteEntry) (p *paletteDialog, previews, runs *[]string) {
	previews, runs = &[]string{}, &[]string{}
	for i := range entries {
		e := &entries[i]
		e.run = func() tea.Cmd { *runs = append(*runs, "run "+e.label); return nil }
	}
	p = &paletteDialog{
		preview:        func(theme string) { *previews = append(*previews, theme) },
		filter:         func(string) map[string]bool { return map[string]bool{"ORD-2  Pond": true} },
		searchAccounts: func(string) (e paletteEntry, ok bool) { return e, false },
		onRun:          func(label string) tea.Cmd { *runs = append(*runs, "save "+label); return nil },
		query:          widget.NewInput(200),
	}
	all := paletteEntries(entries)
	all.prepare()
	p.list = func() paletteEntries { return all }
	p.listEntries()
	return p, previews, runs
}

func labelsOf(entries paletteEntries) (labels []string) {
	for _, e := range entries {
		labels = append(labels, e.label)
	}
	return labels
}

func TestPalettePreviewsTheSelectedTheme(t *testing.T) {
	p, previews, runs := testPalette(paletteEntry{label: "Quit"}, paletteEntry{label: "theme: light", theme: "light"})
	p.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	p.Update(tea.KeyPressMsg{Code: tea.KeyUp})
	if want := []string{"light", ""}; !slices.Equal(*previews, want) {
		t.Errorf("previewed %q, want %q", *previews, want)
	}
	_, done := p.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if want := []string{"save Quit", "run Quit"}; !done || !slices.Equal(*runs, want) {
		t.Errorf("done %v, ran %q, want %q", done, *runs, want)
	}
}

func TestDisabledEntryKeepsThePaletteOpen(t *testing.T) {
	p, _, runs := testPalette(paletteEntry{label: "Cancel", off: "read-only mode"})
	cmd, done := p.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if cmd == nil || done || len(*runs) != 0 {
		t.Errorf("done %v, ran %q", done, *runs)
	}
}

func TestNewEntriesKeepTheSelection(t *testing.T) {
	p, _, _ := testPalette(paletteEntry{label: "ORD-1  Levee"}, paletteEntry{label: "ORD-2  Pond"})
	p.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	entries := paletteEntries{{label: "ORD-0  Dam"}, {label: "ORD-1  Levee"}, {label: "ORD-2  Pond"}}
	entries.prepare()
	p.list = func() paletteEntries { return entries }
	p.refreshEntries()
	if got := p.current().label; got != "ORD-2  Pond" {
		t.Errorf("selected is %q", got)
	}
}

func TestPaletteFilterFindsEntriesByColumn(t *testing.T) {
	p, _, _ := testPalette(paletteEntry{label: "ORD-1  Levee"}, paletteEntry{label: "ORD-2  Pond"})
	p.Update(tea.PasteMsg{Content: "due:<friday"})
	if got, want := labelsOf(p.found), []string{"ORD-2  Pond"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestRecentEntriesAreFirstUnlessHarmful(t *testing.T) {
	var recent recentLabels
	for _, label := range []string{"Help", "Cancel", "Orders", "Help"} {
		recent.add(label)
	}
	entries := paletteEntries{
		{label: "Accept", off: "read-only mode"},
		{label: "Cancel", harms: true},
		{label: "Missions"},
		{label: "Orders"},
		{label: "Help"},
	}
	want := []string{"Help", "Orders", "Missions", "Cancel", "Accept"}
	if got := labelsOf(entries.sortRecentFirst(recent)); !slices.Equal(got, want) {
		t.Errorf("the order is %q, want %q", got, want)
	}
	for i := range 2 * maxRecent {
		recent.add(string(rune('a' + i)))
	}
	if len(recent) != maxRecent || recent[0] != string(rune('a'+2*maxRecent-1)) {
		t.Errorf("remembered are %q", recent)
	}
}

func TestThePaletteCountsEveryEntryThatItLists(t *testing.T) {
	p, _, _ := testPalette(paletteEntry{label: "ORD-1  Levee"}, paletteEntry{label: "ORD-2  Pond"})
	p.searchAccounts = func(string) (paletteEntry, bool) { return paletteEntry{label: "Find in all accounts"}, true }
	p.Update(tea.PasteMsg{Content: "elbe"})
	if got := p.title(""); len(p.found) != 1 || got != "Palette · 1 of 3" {
		t.Errorf("%d entries are found, the title is %q", len(p.found), got)
	}
}
