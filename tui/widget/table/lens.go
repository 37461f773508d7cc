package table

import (
	"slices"
	"strings"
)

// Lens is which rows of a table are shown, and in which order.
type Lens struct {
	Query   string // words that rows must have, column:word in that column
	Sort    int    // column by which rows are sorted, -1 for the order they come in
	Reverse bool
}

// Turn moves the sort by n columns; before the first and after the last is the
// order the rows come in.
func (l *Lens) Turn(n, columns int) {
	l.Sort = (l.Sort+1+n+columns+1)%(columns+1) - 1
	l.Reverse = false
}

// Apply returns the rows that fit the query, sorted. text gives the cells'
// texts and compare orders two rows by a column.
func (l *Lens) Apply(n int, columns []Column, text func(row, column int) string, compare func(a, b, column int) int) []int {
	terms := l.terms(columns)
	rows := make([]int, 0, n)
	for i := range n {
		if fits(i, terms, len(columns), text) {
			rows = append(rows, i)
		}
	}
	if l.Sort >= 0 {
		slices.SortStableFunc(rows, func(a, b int) int {
			if l.Reverse {
				return compare(b, a, l.Sort)
			}
			return compare(a, b, l.Sort)
		})
	} else if l.Reverse {
		slices.Reverse(rows)
	}
	return rows
}

// term is a word that a row must have, in one column or, with -1, in any.
type term struct {
	column int
	word   string
}

// terms reads the query. A name before a colon that is no column's is part of
// the word.
func (l *Lens) terms(columns []Column) []term {
	var terms []term
	for _, word := range strings.Fields(strings.ToLower(l.Query)) {
		t := term{-1, word}
		if name, rest, ok := strings.Cut(word, ":"); ok && name != "" {
			if i := slices.IndexFunc(columns, func(c Column) bool { return strings.HasPrefix(strings.ToLower(c.Title), name) }); i >= 0 {
				t = term{i, rest}
			}
		}
		terms = append(terms, t)
	}
	return terms
}

func fits(row int, terms []term, columns int, text func(row, column int) string) bool {
	for _, t := range terms {
		found := false
		for c := range columns {
			if (t.column < 0 || t.column == c) && strings.Contains(strings.ToLower(text(row, c)), t.word) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
