package tui

import (
	"slices"
	"testing"
)

func TestFindRanksBestMatchesFirst(t *testing.T) {
	texts := []string{
		"read the list again",                     // 0
		"show only rows with these words",         // 1
		"ORD-100212  Lake Turkana: erosion",       // 2
		"theme: light",                            // 3
		"theme: high-contrast",                    // 4
		"new order from a KML or CSV file",        // 5
		"leave the mouse to the terminal",         // 6
		"ORD-100234  Elbe levee north",            // 7
		"stop what has not been sent yet",         // 8
		"go to the orders",                        // 9
		"turn the order of the rows round",        // 10
		"Größe 東京タワー",                             // 11
		"to the shell; fg comes back, every time", // 12
		"Smøla", // 13
	}
	var all paletteEntries
	for _, text := range texts {
		all = append(all, paletteEntry{label: text, text: foldWords(text)})
	}
	find := func(query string) (found []int) {
		for _, e := range all.findMatches(query) {
			found = append(found, slices.Index(texts, e.label))
		}
		return found
	}
	for query, want := range map[string][]int{
		"el":       {7, 12}, // Elbe, then within shell; letters far apart are no match
		"order":    {5, 9, 10},
		"the":      {3, 4, 0, 1, 6, 9, 10, 12},
		"li th":    {3, 0}, // both words, wherever they stand
		"100212":   {2},
		"turkana":  {2},
		"größe":    {11},
		"grosse":   {11},
		"smol":     {13},
		"東京":       {11},
		"elbelev":  {7}, // letters close together
		"zzz":      {},
		"th light": {3},
	} {
		if got := find(query); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", query, got, want)
		}
	}
	if got := find("  "); len(got) != len(texts) || !slices.IsSorted(got) {
		t.Errorf("nothing typed finds %v", got)
	}
}
