package widget

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// queryTerm is something that a row must have, or with not must not have: a word in
// one column or, with -1, in any; or a value on one side of another. A word
// without a digit is not looked for in numbers and days unless in their column.
type queryTerm struct {
	column int
	word   string
	digits bool // there is one in the word: numbers and days can have it, too
	not    bool
	sign   string // one of < <= > >= =, "" for a word
	value  float64
	at     time.Time
}

// queryPart matches a part of a query: spaces between quotes belong to it.
var queryPart = regexp.MustCompile(`("[^"]*"?|[^\s"])+`)

// parseTerms reads the query. What stands before a colon is a column's name or the
// beginning of its title; where there is none, the colon is part of the word.
func (s *Grid) parseTerms(query string) []queryTerm {
	var terms []queryTerm
	for _, part := range queryPart.FindAllString(format.Fold(query), -1) {
		t := queryTerm{column: -1, word: strings.ReplaceAll(part, `"`, "")}
		if rest, ok := strings.CutPrefix(part, "-"); ok && rest != "" {
			t.not, t.word = true, rest
		}
		if name, rest, ok := strings.Cut(t.word, ":"); ok && name != "" {
			if i := s.columnNamed(name); i >= 0 {
				t.column, t.word = i, rest
				s.parseComparison(&t)
			}
		}
		t.digits = strings.ContainsAny(t.word, "0123456789")
		if t.word != "" || t.sign != "" {
			terms = append(terms, t)
		}
	}
	return terms
}

// columnNamed returns the one of a name, or whose title begins with it; -1 for none.
func (s *Grid) columnNamed(name string) int {
	if i := slices.IndexFunc(s.all, func(c gridColumn) bool { return strings.EqualFold(c.MachineName(), name) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(s.all, func(c gridColumn) bool { return strings.HasPrefix(format.Fold(c.Title), name) })
}

// parseComparison reads a term like >10 or <=2026-12-01 of a column with numbers or
// days. What is not such a value stays a word; while it is typed it is none.
func (s *Grid) parseComparison(t *queryTerm) {
	column := &s.all[t.column]
	if column.Kind == columns.Words || column.Kind == columns.Status {
		return
	}
	for _, sign := range []string{"<=", ">=", "<", ">", "="} {
		rest, ok := strings.CutPrefix(t.word, sign)
		if !ok {
			continue
		}
		if column.Kind == columns.Date {
			at, err := format.ParseDate(rest, s.now())
			if err == nil {
				t.sign, t.at = sign, at
			}
		} else if n, err := strconv.ParseFloat(strings.ReplaceAll(rest, ",", ""), 64); err == nil {
			if column.Kind == columns.Area {
				n *= column.unit.Per
			}
			t.sign, t.value = sign, n
		}
		if t.sign == "" {
			t.word = ""
		}
		return
	}
}

// rowFits tells whether a row has all of the terms.
func (s *Grid) rowFits(row int, terms []queryTerm) bool {
	for i := range terms {
		if s.rowHasTerm(row, &terms[i]) == terms[i].not {
			return false
		}
	}
	return true
}

func (s *Grid) rowHasTerm(row int, t *queryTerm) bool {
	if t.sign != "" {
		cell := s.source.Cell(row, t.column)
		return cell.Known && t.holdsFor(cell, s.now().Location())
	}
	if t.column >= 0 {
		return containsWord(s.searchText(row, t.column), t.word)
	}
	if strings.Contains(s.rowWords(row), t.word) {
		return true
	}
	for c := range s.all {
		if t.digits && !s.isWords(c) && containsWord(s.cellText(row, c), t.word) {
			return true
		}
	}
	return false
}

func containsWord(text, word string) bool { return strings.Contains(format.Fold(text), word) }

// holdsFor tells whether a value stands on the right side; days are compared as
// days.
func (t *queryTerm) holdsFor(cell Cell, zone *time.Location) bool {
	order := cmp.Compare(cell.Num, t.value)
	if !t.at.IsZero() {
		zoned := cell.Time.In(zone)
		if cell.Zone != nil {
			zoned = cell.Time.In(cell.Zone)
		}
		order = format.MidnightIn(zoned, zone).Compare(t.at)
	}
	return strings.Contains(t.sign, []string{"<", "=", ">"}[order+1])
}

// rowWords returns the row's words and states in small letters. They are written once
// as long as the row is the same.
func (s *Grid) rowWords(row int) string {
	if s.index == nil {
		s.index = make([]string, s.source.Len)
	}
	if s.index[row] == "" {
		s.scratch = s.scratch[:0]
		for c := range s.all {
			if s.isWords(c) {
				cell := s.source.Cell(row, c)
				s.scratch = append(append(s.scratch, cell.Text...), '\n')
				s.scratch = append(append(s.scratch, cell.Code...), '\n')
			}
		}
		s.index[row] = format.Fold(string(s.scratch))
	}
	return s.index[row]
}

// Facet is a value that a column has, and in how many of the rows.
type Facet struct {
	Value string
	Count int
}

// FindFacets returns the values of the column that the last term of the query is
// about, which begin as that does, the most frequent first; each is counted
// among the rows that have the other terms. Column is "" where the last term
// is about none, or about one of numbers or days.
func (s *Grid) FindFacets(query string, limit int) (column string, facets []Facet) {
	cut := lastTerm(query)
	name, begin, ok := strings.Cut(strings.TrimPrefix(query[cut:], "-"), ":")
	c := -1
	if ok && name != "" {
		c = s.columnNamed(format.Fold(name))
	}
	if c < 0 || !s.isWords(c) {
		return "", nil
	}
	begin = format.Fold(strings.Trim(begin, `"`))
	others, counts := s.parseTerms(query[:cut]), map[string]int{}
	for i := range s.source.Len {
		if word, ok := termOf(s.source.Cell(i, c), begin); ok && s.rowFits(i, others) {
			counts[word]++
		}
	}
	for value, n := range counts {
		facets = append(facets, Facet{value, n})
	}
	slices.SortFunc(
		facets,
		func(a, b Facet) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) },
	)
	return s.all[c].Title, facets[:min(limit, len(facets))]
}

// lastTerm returns where the last term of a query begins, which is at its end behind a space.
func lastTerm(query string) int {
	parts := queryPart.FindAllStringIndex(query, -1)
	if n := len(parts); n > 0 && parts[n-1][1] == len(query) {
		return parts[n-1][0]
	}
	return len(query)
}

// termOf returns what a filter calls a cell by that begins with a word: its label, or
// where only that begins so the value behind it.
func termOf(cell Cell, begin string) (term string, ok bool) {
	label := strings.TrimSpace(cell.Text)
	switch glyph, rest, state := strings.Cut(label, " "); {
	case cell.Code == "":
	case cell.Data != "" || format.Width(label) == 1:
		label = cell.Code // the text is no name of it
	case state && format.Width(glyph) == 1:
		label = rest
	}
	for _, term := range []string{label, cell.Code} {
		if term != "" && (begin == "" || strings.HasPrefix(format.Fold(term), begin)) {
			return term, true
		}
	}
	return "", false
}

// CompleteQuery returns the query with its last term completed to the column or the
// value that it begins, the query itself where there is none.
func (s *Grid) CompleteQuery(query string) string {
	cut := lastTerm(query)
	if name, facets := s.FindFacets(query, 1); name != "" {
		if len(facets) == 0 {
			return query
		}
		value := facets[0].Value
		if strings.ContainsFunc(value, unicode.IsSpace) {
			value = `"` + value + `"`
		}
		head, _, _ := strings.Cut(query[cut:], ":")
		return query[:cut] + head + ":" + value + " "
	}
	last := strings.TrimPrefix(query[cut:], "-")
	if last == "" || strings.Contains(last, ":") {
		return query
	}
	if i := s.columnNamed(format.Fold(last)); i >= 0 {
		return query[:len(query)-len(last)] + s.all[i].FilterWord() + ":"
	}
	return query
}
