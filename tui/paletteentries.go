package tui

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"flightdesk/tui/format"
)

// paletteEntry is a line of the palette.
type paletteEntry struct {
	label string // searched
	does  string // description after the label, also searched
	more  string // searched, but not shown
	hint  string // shown at the right: the key of an action, or the kind of a place
	off   string // why the entry is disabled, or ""
	harms bool   // listed after other matches, because the entry can do harm
	run   func() tea.Cmd
	theme string // the theme to preview while the entry is selected, or ""
	text  string // folded text of label, does and more; set by prepare
}

// isNamed reports whether a folded text is the label, its code, or the number in its code. For
// example, ORD-17 and 17 name the label "ORD-17 Levee".
func (e *paletteEntry) isNamed(folded string) bool {
	label := format.Fold(e.label)
	code, _, _ := strings.Cut(label, " ")
	return label == folded || code == folded || strings.HasSuffix(code, "-"+folded)
}

// listGroup returns 0 for normal, 1 for harmful and 2 for disabled entries. A lower group is
// listed first.
func (e *paletteEntry) listGroup() int {
	if e.off != "" {
		return 2
	}
	if e.harms {
		return 1
	}
	return 0
}

// paletteEntries implements fuzzy.Source.
type paletteEntries []paletteEntry

// Len returns the number of entries.
func (all paletteEntries) Len() int { return len(all) }

// String returns the folded search text of an entry, which begins with its label.
func (all paletteEntries) String(i int) string { return all[i].text }

// hasLabel reports whether one of the entries has the label.
func (all paletteEntries) hasLabel(label string) bool {
	return slices.ContainsFunc(all, func(e paletteEntry) bool { return e.label == label })
}

// prepare sets the search texts of the entries.
func (all paletteEntries) prepare() {
	for i := range all {
		e := &all[i]
		e.text = foldWords(e.label + " " + e.does + " " + e.more)
	}
}

// sortRecentFirst sorts the entries and returns them. Recently run entries are first, unless they are
// harmful. The other entries follow by their groups; see listGroup.
func (all paletteEntries) sortRecentFirst(recent recentLabels) paletteEntries {
	rank := func(e paletteEntry) int {
		i := slices.Index(recent, e.label)
		if i >= 0 && !e.harms {
			return i
		}
		return maxRecent + e.listGroup()
	}
	slices.SortStableFunc(all, func(a, b paletteEntry) int { return rank(a) - rank(b) })
	return all
}

// foldWords folds a text and replaces everything that is not a letter or a digit by blanks.
func foldWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return ' '
	}, format.Fold(text))
}

// Ranks of matches; a smaller rank is better. A text with all words of the query has a rank below fuzzyRank.
// groupRank is added once for a harmful entry and twice for a disabled entry.
const (
	fuzzyRank = 1 << 20
	groupRank = 1 << 30
)

// findMatches returns the entries that match a query, best first. Equal matches keep their order.
//
// An entry matches if its text contains every word of the query. The match is better if the text begins with
// a word of the query, or if a word in the text does. A text that only contains the letters of the query, in
// order and close together, is a worse match. Harmful and disabled entries come last, unless their text
// begins with the first word of the query.
func (all paletteEntries) findMatches(query string) paletteEntries {
	words := strings.Fields(foldWords(query))
	ranks := all.rankEntries(words)
	if len(words) > 0 {
		all.lowerGroups(ranks, words[0])
	}
	indexes := slices.Sorted(maps.Keys(ranks)) // equal ranks keep this order
	slices.SortStableFunc(indexes, func(i, j int) int { return ranks[i] - ranks[j] })
	var found paletteEntries
	for _, i := range indexes {
		found = append(found, all[i])
	}
	return found
}

// lowerGroups moves harmful and disabled entries behind the others, unless their text begins with the first word of the
// query.
func (all paletteEntries) lowerGroups(ranks map[int]int, first string) {
	for i := range ranks {
		if !strings.HasPrefix(all[i].text, first) {
			ranks[i] += groupRank * all[i].listGroup()
		}
	}
}

// findNamed returns the entries that match a name. If an entry has exactly this name, it returns only that
// entry. The timeline of an order or mission has the same name as the order or mission. findNamed then
// returns the order or mission, which is listed first.
func (all paletteEntries) findNamed(name string) paletteEntries {
	found := all.findMatches(name)
	folded := format.Fold(name)
	for _, entry := range found {
		if entry.isNamed(folded) {
			return paletteEntries{entry}
		}
	}
	return found
}

// rankEntries returns the ranks of the entries that match the words, by index.
func (all paletteEntries) rankEntries(words []string) map[int]int {
	ranks := map[int]int{}
	for i, e := range all {
		if rank := rankWords(words, e.text); rank >= 0 {
			ranks[i] = rank
		}
	}
	letters := strings.Join(words, "")
	for _, match := range fuzzy.FindFrom(letters, all) {
		_, hasWords := ranks[match.Index]
		if !hasWords && areClose(match.MatchedIndexes) {
			ranks[match.Index] = fuzzyRank + match.MatchedIndexes[0]
		}
	}
	return ranks
}

// areClose reports whether at least three letters were found, close to each other. Letters far apart match by
// chance.
func areClose(positions []int) bool {
	count := len(positions)
	return count > 2 && positions[count-1]-positions[0] < 2*count
}

// rankWords returns the rank of a text, or -1 if it lacks one of the words. A smaller rank is
// better; 0 means that the text begins with every word.
func rankWords(words []string, text string) int {
	rank := 0
	for _, word := range words {
		if strings.HasPrefix(text, word) {
			continue
		}
		if !strings.Contains(text, word) {
			return -1
		}
		if strings.Contains(text, " "+word) {
			rank++
		} else {
			rank += 2
		}
	}
	return rank
}

const (
	// maxRecent is the number of labels that recentLabels keeps.
	maxRecent = 8
	// recentKey is the key under which the recent labels are saved in the UI state.
	recentKey = "recent"
)

// recentLabels has the labels of the entries that were run recently, newest first.
type recentLabels []string

// add adds a label, or moves it to the front.
func (r *recentLabels) add(label string) {
	others := slices.DeleteFunc(*r, func(known string) bool { return known == label })
	*r = append(recentLabels{label}, others[:min(len(others), maxRecent-1)]...)
}
