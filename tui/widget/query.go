package widget

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// queryTerm reports whether a row matches a term of a query.
type queryTerm func(row int) bool

// queryPart matches a term of a query, which may contain spaces between quotes.
var queryPart = regexp.MustCompile(`("[^"]*"?|[^\s"])+`)

// parseTerms parses a query. Text before a colon is the name of a column or the beginning
// of its title. If there is no such column, the colon is part of the word. A term begins
// with "-" to exclude rows.
func (s *Grid) parseTerms(query string) (terms []queryTerm) {
	for _, part := range queryPart.FindAllString(format.Fold(query), -1) {
		rest, not := strings.CutPrefix(part, "-")
		if rest == "" {
			rest, not = part, false
		}
		word := strings.ReplaceAll(rest, `"`, "")
		has := s.hasAnywhere(word)
		if name, value, ok := strings.Cut(word, ":"); ok && name != "" {
			if c := s.columnNamed(name); c >= 0 {
				has = s.hasInColumn(c, value)
			}
		}
		switch {
		case has == nil: // it is only begun
		case not:
			terms = append(terms, func(row int) bool { return !has(row) })
		default:
			terms = append(terms, has)
		}
	}
	return terms
}

// columnNamed returns the index of the column with the given name, or of the first column
// whose title begins with it, or -1.
func (s *Grid) columnNamed(name string) int {
	if c := s.findColumn(name); c >= 0 {
		return c
	}
	return slices.IndexFunc(s.all, func(c gridColumn) bool { return strings.HasPrefix(format.Fold(c.Title), name) })
}

// hasAnywhere returns a term that matches a word in any column, or nil if the word is
// empty. Numbers and days are searched only if the word has a digit.
func (s *Grid) hasAnywhere(word string) queryTerm {
	if word == "" {
		return nil
	}
	digits := strings.ContainsAny(word, "0123456789")
	return func(row int) bool {
		if strings.Contains(s.rowWords(row), word) {
			return true
		}
		for c := range s.all {
			if digits && !s.isWords(c) && containsWord(s.cellText(row, c), word) {
				return true
			}
		}
		return false
	}
}

// hasInColumn returns a term that matches a word in the text or the code of a column. In
// columns of numbers and days, a word such as >10 or <=2026-12-01 compares values. It
// returns nil if the word is empty or incomplete.
func (s *Grid) hasInColumn(c int, word string) queryTerm {
	for _, sign := range []string{"<=", ">=", "<", ">", "="} {
		if typed, ok := strings.CutPrefix(word, sign); ok && !s.isWords(c) {
			return s.isBeside(c, sign, typed)
		}
	}
	if word == "" {
		return nil
	}
	return func(row int) bool {
		return containsWord(s.cellText(row, c), word) ||
			s.isWords(c) && containsWord(s.source.Cell(row, c).Code, word)
	}
}

// isBeside looks for values on the side of what is typed that a sign says; nil as long as
// that is no value. Days are compared as days.
func (s *Grid) isBeside(c int, sign, typed string) queryTerm {
	column := &s.all[c]
	holds := func(order int) bool { return strings.Contains(sign, []string{"<", "=", ">"}[order+1]) }
	if column.Kind == columns.Date {
		at, err := format.ParseDate(typed, s.now())
		if err != nil {
			return nil
		}
		zone := s.now().Location()
		want := format.CalendarDay(at.NoonIn(zone))
		return func(row int) bool {
			cell := s.source.Cell(row, c)
			day := format.CalendarDay(column.ShownTime(cell, s.now()))
			return cell.Known && holds(day.Compare(want))
		}
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(typed, ",", ""), 64)
	if err != nil {
		return nil
	}
	if column.Kind == columns.Area {
		n *= column.unit.Per
	}
	return func(row int) bool {
		cell := s.source.Cell(row, c)
		return cell.Known && holds(cmp.Compare(cell.Num, n))
	}
}

// rowFits reports whether a row matches all terms.
func rowFits(row int, terms []queryTerm) bool {
	for _, has := range terms {
		if !has(row) {
			return false
		}
	}
	return true
}

func containsWord(text, word string) bool { return strings.Contains(format.Fold(text), word) }

// rowWords returns the texts and codes of a row in lower case. They are cached until the
// row changes.
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

// Facet is a value of a column with the number of rows that have it.
type Facet struct {
	Value string
	Count int
}

// FindFacets returns completions for the last term of the query: the values of its column
// that begin with the typed text, most frequent first, counted among the rows that match
// the other terms. Column is "" if the last term does not name a column, or names a column
// of numbers or days.
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
		if word, ok := termOf(s.source.Cell(i, c), begin); ok && rowFits(i, others) {
			counts[word]++
		}
	}
	for value, n := range counts {
		facets = append(facets, Facet{value, n})
	}
	sort.Slice(facets, func(i, j int) bool {
		a, b := &facets[i], &facets[j]
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) < 0
	})
	return s.all[c].Title, facets[:min(limit, len(facets))]
}

// lastTerm returns the index at which the last term of a query begins: the length of the
// query if it is empty or ends with a space.
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

// CompleteQuery completes the last term of the query to a column name or a value. It
// returns the query unchanged if nothing matches.
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
