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

// parseTerms parses a query. A term that begins with "-" excludes rows.
func (s *Grid) parseTerms(query string) []queryTerm {
	var terms []queryTerm
	for _, part := range queryPart.FindAllString(format.Fold(query), -1) {
		word, excluded := strings.CutPrefix(part, "-")
		if word == "" { // a lone minus is a word
			word = part
			excluded = false
		}
		matches := s.parseWord(strings.ReplaceAll(word, `"`, ""))
		if matches == nil { // the user has only begun to type it
			continue
		}
		if excluded {
			terms = append(terms, func(row int) bool { return !matches(row) })
		} else {
			terms = append(terms, matches)
		}
	}
	return terms
}

// parseWord returns the term for a word, or nil if the word is incomplete. Text before a
// colon is the name of a column or the beginning of its title. If there is no such column,
// the colon is part of the word.
func (s *Grid) parseWord(word string) queryTerm {
	name, value, ok := strings.Cut(word, ":")
	if ok && name != "" {
		if c := s.columnNamed(name); c >= 0 {
			return s.columnTerm(c, value)
		}
	}
	return s.anywhereTerm(word)
}

// columnNamed returns the index of the column with the given name, or of the first column
// whose title begins with it, or -1.
func (s *Grid) columnNamed(name string) int {
	if c := s.findColumn(name); c >= 0 {
		return c
	}
	for c := range s.all {
		if strings.HasPrefix(format.Fold(s.all[c].Title), name) {
			return c
		}
	}
	return -1
}

// anywhereTerm returns a term that matches a word in any column, or nil if the word is
// empty. Numbers and days are searched only if the word has a digit.
func (s *Grid) anywhereTerm(word string) queryTerm {
	if word == "" {
		return nil
	}
	if !strings.ContainsAny(word, "0123456789") {
		return func(row int) bool { return strings.Contains(s.rowWords(row), word) }
	}
	return func(row int) bool {
		return strings.Contains(s.rowWords(row), word) || s.hasInNumbers(row, word)
	}
}

// maxHiddenRows limits how many rows HiddenMatches looks at.
const maxHiddenRows = 200

// HiddenMatches returns the titles of columns that show the user why rows match the filter although
// no visible column has a word of it: the columns have the word, but had no room in the last view.
func (s *Grid) HiddenMatches() (titles []string) {
	for _, part := range queryPart.FindAllString(format.Fold(s.query), -1) {
		word := strings.ReplaceAll(part, `"`, "")
		name, _, isTerm := strings.Cut(word, ":")
		isOfColumn := isTerm && s.columnNamed(name) >= 0
		isExcluding := strings.HasPrefix(word, "-")
		if word == "" || isExcluding || isOfColumn {
			continue
		}
		for _, row := range s.shown[:min(len(s.shown), maxHiddenRows)] {
			title := s.hiddenMatch(row, word)
			if title != "" && !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
		}
	}
	return titles
}

// hiddenMatch returns the title of the first column out of view that contains a word, or ""
// if a visible column contains it.
func (s *Grid) hiddenMatch(row int, word string) (title string) {
	for c := range s.all {
		if !containsWord(s.cellText(row, c), word) && !containsWord(s.source.Cell(row, c).Code, word) {
			continue
		}
		if s.InView(s.all[c].MachineName()) {
			return ""
		}
		if title == "" {
			title = cmp.Or(s.all[c].Title, s.all[c].MachineName())
		}
	}
	return title
}

// hasInNumbers reports whether the text of a number or day in a row contains a word.
func (s *Grid) hasInNumbers(row int, word string) bool {
	for c := range s.all {
		if !s.isWords(c) && containsWord(s.cellText(row, c), word) {
			return true
		}
	}
	return false
}

// columnTerm returns a term that matches a word in the text or the code of a column. In
// columns of numbers and days, a word such as >10 or <=2026-12-01 compares values. It
// returns nil if the word is empty or incomplete.
func (s *Grid) columnTerm(c int, word string) queryTerm {
	if word == "" {
		return nil
	}
	if s.isWords(c) {
		return func(row int) bool {
			return containsWord(s.cellText(row, c), word) || containsWord(s.source.Cell(row, c).Code, word)
		}
	}
	for _, operator := range []string{"<=", ">=", "<", ">", "="} {
		if operand, ok := strings.CutPrefix(word, operator); ok {
			return s.compareTerm(c, operator, operand)
		}
	}
	return func(row int) bool { return containsWord(s.cellText(row, c), word) }
}

// compareTerm returns a term that compares the values of a column with an operand, or nil if
// the operand is not a complete value yet.
func (s *Grid) compareTerm(c int, operator, operand string) queryTerm {
	if s.all[c].Kind == columns.Date {
		return s.compareDay(c, operator, operand)
	}
	return s.compareNumber(c, operator, operand)
}

func (s *Grid) compareDay(c int, operator, operand string) queryTerm {
	parsed, err := format.ParseDate(operand, s.now())
	if err != nil {
		return nil
	}
	want := format.CalendarDay(parsed.NoonIn(s.now().Location()))
	column := &s.all[c]
	return func(row int) bool {
		cell := s.source.Cell(row, c)
		day := format.CalendarDay(column.ShownTime(cell, s.now()))
		return cell.Known && satisfies(day.Compare(want), operator)
	}
}

func (s *Grid) compareNumber(c int, operator, operand string) queryTerm {
	want, err := strconv.ParseFloat(strings.ReplaceAll(operand, ",", ""), 64)
	if err != nil {
		return nil
	}
	column := &s.all[c]
	if column.Kind == columns.Area {
		want *= column.unit.Per
	}
	return func(row int) bool {
		cell := s.source.Cell(row, c)
		return cell.Known && satisfies(cmp.Compare(cell.Num, want), operator)
	}
}

// satisfies reports whether the result of a Compare function satisfies an operator such as
// "<=".
func satisfies(order int, operator string) bool {
	if order < 0 {
		return strings.Contains(operator, "<")
	}
	if order > 0 {
		return strings.Contains(operator, ">")
	}
	return strings.Contains(operator, "=")
}

// rowMatches reports whether a row matches all terms.
func rowMatches(row int, terms []queryTerm) bool {
	for _, matches := range terms {
		if !matches(row) {
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
	if s.index[row] != "" {
		return s.index[row]
	}
	s.scratch = s.scratch[:0]
	for c := range s.all {
		if !s.isWords(c) {
			continue
		}
		cell := s.source.Cell(row, c)
		s.scratch = append(s.scratch, cell.Text...)
		s.scratch = append(s.scratch, '\n')
		s.scratch = append(s.scratch, cell.Code...)
		s.scratch = append(s.scratch, '\n')
	}
	s.index[row] = format.Fold(string(s.scratch))
	return s.index[row]
}

// Facet is a value of a column with the number of rows that have it.
type Facet struct {
	Value string
	Count int
}

// FindFacets returns completions for the last term of the query, such as status:re. They are the
// values of the term's column that begin with the typed text. It counts the rows with each value
// that match the other terms, and returns the most frequent values, at most limit. column is "" if
// the last term does not name a column, or names a column of numbers or days.
func (s *Grid) FindFacets(query string, limit int) (column string, facets []Facet) {
	start := lastTerm(query)
	name, prefix, ok := strings.Cut(strings.TrimPrefix(query[start:], "-"), ":")
	if !ok || name == "" {
		return "", nil
	}
	c := s.columnNamed(format.Fold(name))
	if c < 0 || !s.isWords(c) {
		return "", nil
	}
	prefix = format.Fold(strings.Trim(prefix, `"`))
	facets = s.countFacets(c, prefix, s.parseTerms(query[:start]))
	return s.all[c].Title, facets[:min(limit, len(facets))]
}

// countFacets counts the values of a column that begin with a prefix among the rows that
// match the terms, and sorts them by count.
func (s *Grid) countFacets(c int, prefix string, terms []queryTerm) []Facet {
	counts := map[string]int{}
	for row := range s.source.Len {
		value, ok := completion(s.source.Cell(row, c), prefix)
		if ok && rowMatches(row, terms) {
			counts[value]++
		}
	}
	var facets []Facet
	for value, count := range counts {
		facets = append(facets, Facet{value, count})
	}
	sort.Slice(facets, func(i, j int) bool {
		if facets[i].Count != facets[j].Count {
			return facets[i].Count > facets[j].Count
		}
		return facets[i].Value < facets[j].Value
	})
	return facets
}

// lastTerm returns the index at which the last term of a query begins: the length of the
// query if it is empty or ends with a space.
func lastTerm(query string) int {
	parts := queryPart.FindAllStringIndex(query, -1)
	if len(parts) == 0 {
		return len(query)
	}
	last := parts[len(parts)-1]
	if last[1] != len(query) {
		return len(query)
	}
	return last[0]
}

// completion returns the label or the code of a cell, the first that begins with a prefix. A filter
// finds the cell by its label and by its code.
func completion(cell Cell, prefix string) (text string, ok bool) {
	for _, text := range []string{cellLabel(cell), cell.Code} {
		if text != "" && strings.HasPrefix(format.Fold(text), prefix) {
			return text, true
		}
	}
	return "", false
}

// cellLabel returns the text of a cell without the glyph of a state, or the code if the text
// does not name the value.
func cellLabel(cell Cell) string {
	label := strings.TrimSpace(cell.Text)
	if cell.Code == "" {
		return label
	}
	if cell.Data != "" || format.Width(label) == 1 {
		return cell.Code
	}
	glyph, name, ok := strings.Cut(label, " ")
	if ok && format.Width(glyph) == 1 {
		return name
	}
	return label
}

// CompleteQuery completes the last term of the query to a column name or a value. It
// returns the query unchanged if nothing matches.
func (s *Grid) CompleteQuery(query string) string {
	start := lastTerm(query)
	column, facets := s.FindFacets(query, 1)
	if column != "" {
		if len(facets) == 0 {
			return query
		}
		value := facets[0].Value
		if strings.ContainsFunc(value, unicode.IsSpace) {
			value = `"` + value + `"`
		}
		name, _, _ := strings.Cut(query[start:], ":")
		return query[:start] + name + ":" + value + " "
	}
	word := strings.TrimPrefix(query[start:], "-")
	if word == "" || strings.Contains(word, ":") {
		return query
	}
	c := s.columnNamed(format.Fold(word))
	if c < 0 {
		return query
	}
	return query[:len(query)-len(word)] + s.all[c].FilterWord() + ":"
}
