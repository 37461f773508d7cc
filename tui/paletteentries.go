package tui

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"flightdesk/tui/format"
)

// paletteEntry is a line of the palette.
type paletteEntry struct {
	label string // searched
	does  string // searched, shown behind the label
	more  string // searched, not shown
	hint  string // shown at the right: a key or a kind
	off   string // why it is disabled
	harms bool   // listed after other matches
	run   func() tea.Cmd
	theme string // that is previewed while it is selected
	text  string // what is searched, folded
}

// isNamed reports whether the folded text is the label, its code or the code's number.
func (e *paletteEntry) isNamed(typed string) bool {
	label := format.Fold(e.label)
	code, _, _ := strings.Cut(label, " ")
	return label == typed || code == typed || strings.HasSuffix(code, "-"+typed)
}

// listPlace returns 0 for normal entries, 1 for harmful and 2 for disabled ones.
func (e *paletteEntry) listPlace() int {
	switch {
	case e.off != "":
		return 2
	case e.harms:
		return 1
	default:
		return 0
	}
}

// paletteEntries are searched by their texts.
type paletteEntries []paletteEntry

// Len returns the number of entries.
func (all paletteEntries) Len() int { return len(all) }

// String returns the folded search text of an entry, which begins with its label.
func (all paletteEntries) String(i int) string { return all[i].text }

// prepare folds the texts of the entries for the search.
func (all paletteEntries) prepare() {
	for i := range all {
		e := &all[i]
		e.text = foldWords(e.label + " " + e.does + " " + e.more)
	}
}

// sortRecentFirst sorts and returns the entries: those that were run lately first, unless they are
// harmful, then normal, harmful and disabled ones.
func (all paletteEntries) sortRecentFirst(recent recentLabels) paletteEntries {
	rank := func(i int) int {
		e := &all[i]
		if place := slices.Index(recent, e.label); place >= 0 && !e.harms {
			return place
		}
		return maxRecent + e.listPlace()
	}
	sort.SliceStable(all, func(i, j int) bool { return rank(i) < rank(j) })
	return all
}

// foldWords folds the letters and digits of a text, with blanks for everything else.
func foldWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, format.Fold(text))
}

// loose is the rank of the best text that only has the letters in order, last what what is
// harmful or disabled ranks behind.
const loose, last = 1 << 20, 1 << 30

// findMatches returns the entries that match a query, best first; equal matches keep their
// order. A match has every word of the query, better at the beginning of a word than within
// one. Texts that only have the letters in order come after these, and only if the letters
// are close together. Harmful and disabled actions come last unless their name is typed.
func (all paletteEntries) findMatches(query string) (found paletteEntries) {
	words, ranks := strings.Fields(foldWords(query)), map[int]int{}
	for i, e := range all {
		if rank := rankWords(words, e.text); rank >= 0 {
			ranks[i] = rank
		}
	}
	for _, m := range fuzzy.FindFrom(strings.Join(words, ""), all) {
		at := m.MatchedIndexes // close together
		if _, known := ranks[m.Index]; !known && len(at) > 2 && at[len(at)-1]-at[0] < 2*len(at) {
			ranks[m.Index] = loose + at[0]
		}
	}
	for i := range ranks {
		if len(words) > 0 && !strings.HasPrefix(all[i].text, words[0]) {
			ranks[i] += last * all[i].listPlace()
		}
	}
	better := func(x, y int) int { return cmp.Or(ranks[x]-ranks[y], x-y) }
	for _, i := range slices.SortedFunc(maps.Keys(ranks), better) {
		found = append(found, all[i])
	}
	return found
}

// rankWords ranks a text that has all the words, smaller is better; others are -1.
func rankWords(words []string, text string) (rank int) {
	for _, word := range words {
		switch {
		case strings.HasPrefix(text, word):
		case strings.Contains(text, " "+word):
			rank++
		case strings.Contains(text, word):
			rank += 2
		default:
			return -1
		}
	}
	return rank
}

// maxRecent is the number of recently run entries that are remembered; keptRecent is the
// key they are saved under.
const (
	maxRecent  = 8
	keptRecent = "recent"
)

// recentLabels are the labels of the entries that were run lately, newest first.
type recentLabels []string

// add puts a label first.
func (r *recentLabels) add(label string) {
	others := slices.DeleteFunc(*r, func(known string) bool { return known == label })
	*r = append(recentLabels{label}, others[:min(len(others), maxRecent-1)]...)
}
