package tui

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sahilm/fuzzy"

	"flightdesk/tui/format"
)

// findMatches returns which of the texts, which are folded, fit a query, best first; texts
// that fit equally well stay in their order. Each word of the query is to be found as
// it was typed, at the beginning of a word rather than within one. What only
// has the letters in their order comes after that, and only where they stand
// close together.
func findMatches(query string, texts []string) []int {
	words := strings.Fields(format.Fold(query))
	if len(words) == 0 {
		return allIndexes(len(texts))
	}
	type match struct{ text, rank int }
	var matches []match
	known := make([]bool, len(texts))
	for i, text := range texts {
		var rank int
		if rank, known[i] = matchLiteral(words, text); known[i] {
			matches = append(matches, match{i, rank})
		}
	}
	for _, m := range fuzzy.Find(strings.Join(words, ""), texts) {
		if !known[m.Index] && isNear(m.MatchedIndexes) {
			matches = append(matches, match{m.Index, loose + m.MatchedIndexes[0]})
		}
	}
	slices.SortStableFunc(matches, func(x, y match) int { return x.rank - y.rank })
	found := make([]int, len(matches))
	for i, m := range matches {
		found[i] = m.text
	}
	return found
}

// loose is the rank of the best of those that only have the letters.
const loose = 1 << 20

// matchLiteral ranks a text that has all the words, the better the smaller.
func matchLiteral(words []string, text string) (rank int, ok bool) {
	for _, word := range words {
		at := strings.Index(text, word)
		if at < 0 {
			return 0, false
		}
		within := 2
		for from := at; ; {
			if from == 0 || !isLetter(text[:from]) {
				within, at = 1, from
				break
			}
			next := strings.Index(text[from+1:], word)
			if next < 0 {
				break
			}
			from += 1 + next
		}
		if at == 0 {
			within = 0
		}
		rank += within
	}
	return rank, true
}

// isLetter tells whether a text ends within a word.
func isLetter(before string) bool {
	last := []rune(before)
	r := last[len(last)-1]
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// isNear tells whether letters stand near enough to be meant together.
func isNear(at []int) bool {
	return len(at) > 2 && at[len(at)-1]-at[0] < 2*len(at)
}

func allIndexes(n int) []int {
	found := make([]int, n)
	for i := range found {
		found[i] = i
	}
	return found
}
