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

// parseTerms splits a query into its terms. A term that begins with "-" excludes rows. Incomplete terms are ignored,
// because the user is still typing them.
func (g *gridCells) parseTerms(query string) []queryTerm {
	var terms []queryTerm
	for _, part := range queryPart.FindAllString(format.Fold(query), -1) {
		word, isExcluding := strings.CutPrefix(part, "-")
		if word == "" { // a minus alone is a word
			word = part
			isExcluding = false
		}
		term := g.parseWord(strings.ReplaceAll(word, `"`, ""))
		if term == nil { // the user has only begun to type it
			continue
		}
		if isExcluding {
			term = negate(term)
		}
		terms = append(terms, term)
	}
	return terms
}

// negate returns the opposite of a term. It matches the rows that the term does not match.
func negate(matches queryTerm) queryTerm {
	return func(row int) bool { return !matches(row) }
}

// parseWord returns the term for a word, or nil if the word is incomplete. The text before a colon is the name of a
// column or the beginning of its title. If there is no such column, the colon belongs to the word.
func (g *gridCells) parseWord(word string) queryTerm {
	name, value, ok := strings.Cut(word, ":")
	if ok && name != "" {
		if c := g.columnNamed(name); c >= 0 {
			return g.columnTerm(c, value)
		}
	}
	return g.anywhereTerm(word)
}

// anywhereTerm returns a term that matches a word in any column, or nil if the word is
// empty. Numbers and days are searched only if the word has a digit.
func (g *gridCells) anywhereTerm(word string) queryTerm {
	if word == "" {
		return nil
	}
	if !strings.ContainsAny(word, "0123456789") {
		return func(row int) bool { return strings.Contains(g.rowWords(row), word) }
	}
	return func(row int) bool {
		return strings.Contains(g.rowWords(row), word) || g.hasInNumbers(row, word)
	}
}

// maxHiddenRows limits how many rows HiddenMatches looks at.
const maxHiddenRows = 200

// HiddenMatches returns the titles of columns that explain why a row matches the filter although the user cannot see
// it. Such a column had no room in the last view, and has a word of the filter. No visible column of the row has that
// word.
func (s *Grid) HiddenMatches() []string {
	var titles []string
	rows := s.shown[:min(len(s.shown), maxHiddenRows)]
	for _, word := range s.cells.anywhereWords(s.query) {
		for _, row := range rows {
			title := s.cells.hiddenMatch(row, word, s.InView)
			if title != "" && !slices.Contains(titles, title) {
				titles = append(titles, title)
			}
		}
	}
	return titles
}

// anywhereWords returns the words that a query searches in all columns: of the query "oslo -berlin status:new", it
// returns "oslo".
func (g *gridCells) anywhereWords(query string) []string {
	var words []string
	for _, part := range queryPart.FindAllString(format.Fold(query), -1) {
		word := strings.ReplaceAll(part, `"`, "")
		name, _, hasName := strings.Cut(word, ":")
		isOfColumn := hasName && g.columnNamed(name) >= 0
		isExcluding := strings.HasPrefix(word, "-")
		if word != "" && !isExcluding && !isOfColumn {
			words = append(words, word)
		}
	}
	return words
}

// hiddenMatch returns the title of the first column out of view that has a word in a row. It returns "" if a column
// in view has the word too. isInView reports whether the column with the given name is in view.
func (g *gridCells) hiddenMatch(row int, word string, isInView func(name string) bool) (title string) {
	for c := range g.columns {
		column := &g.columns[c]
		if !containsWord(g.cellText(row, c), word) && !containsWord(g.source.Cell(row, c).Code, word) {
			continue
		}
		if isInView(column.MachineName()) {
			return ""
		}
		if title == "" {
			title = cmp.Or(column.Title, column.MachineName())
		}
	}
	return title
}

// columnTerm returns a term that matches a word in the text or the code (Cell.Code) of the cells of a column. In
// columns of numbers and days, a word such as >10 or <=2026-12-01 compares values. It returns nil if the word is
// empty or incomplete.
func (g *gridCells) columnTerm(c int, word string) queryTerm {
	if word == "" {
		return nil
	}
	if g.isWords(c) {
		return func(row int) bool {
			return containsWord(g.cellText(row, c), word) || containsWord(g.source.Cell(row, c).Code, word)
		}
	}
	for _, operator := range []string{"<=", ">=", "<", ">", "="} {
		if operand, ok := strings.CutPrefix(word, operator); ok {
			return g.compareTerm(c, operator, operand)
		}
	}
	return func(row int) bool { return containsWord(g.cellText(row, c), word) }
}

// compareTerm returns a term that compares the values of a column with an operand, or nil if
// the operand is not a complete value yet.
func (g *gridCells) compareTerm(c int, operator, operand string) queryTerm {
	if g.columns[c].Kind == columns.Date {
		return g.compareDay(c, operator, operand)
	}
	return g.compareNumber(c, operator, operand)
}

func (g *gridCells) compareDay(c int, operator, operand string) queryTerm {
	parsed, err := format.ParseDate(operand, g.now())
	if err != nil {
		return nil
	}
	want := format.CalendarDay(parsed.NoonIn(g.now().Location()))
	column := &g.columns[c]
	return func(row int) bool {
		cell := g.source.Cell(row, c)
		day := format.CalendarDay(column.ShownTime(cell, g.now()))
		return cell.Known && satisfies(day.Compare(want), operator)
	}
}

func (g *gridCells) compareNumber(c int, operator, operand string) queryTerm {
	want, err := strconv.ParseFloat(strings.ReplaceAll(operand, ",", ""), 64)
	if err != nil {
		return nil
	}
	column := &g.columns[c]
	if column.Kind == columns.Area {
		want *= column.unit.Per
	}
	return func(row int) bool {
		cell := g.source.Cell(row, c)
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

// Facet is a value of a column with the number of rows that have it.
type Facet struct {
	Value string
	Count int
}

// FindFacets returns completions for the last term of a query: at most limit values of the column that the term
// names, with the number of rows that have each value, the most frequent value first.
//
// For example, for "oslo status:re" it returns the statuses that begin with "re", such as "rejected", among the rows
// with "oslo". column is the title of the column in the term. column is "" and there are no completions if the term
// names no column, or a column of numbers or days.
func (s *Grid) FindFacets(query string, limit int) (column string, facets []Facet) {
	start := lastTerm(query)
	name, prefix, ok := strings.Cut(strings.TrimPrefix(query[start:], "-"), ":")
	if !ok || name == "" {
		return "", nil
	}
	c := s.cells.columnNamed(format.Fold(name))
	if c < 0 || !s.cells.isWords(c) {
		return "", nil
	}
	prefix = format.Fold(strings.Trim(prefix, `"`))
	facets = s.cells.countFacets(c, prefix, s.cells.parseTerms(query[:start]))
	return s.cells.columns[c].Title, facets[:min(limit, len(facets))]
}

// countFacets counts the values of a column that begin with the prefix, among the rows that match the terms. The most
// frequent value is first.
func (g *gridCells) countFacets(c int, prefix string, terms []queryTerm) []Facet {
	counts := map[string]int{}
	for row := range g.source.Len {
		value, ok := completion(g.source.Cell(row, c), prefix)
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

// lastTerm returns the index at which the last term of a query begins. If the query is empty or ends with a space,
// the index is the length of the query.
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

// completion returns the label of a cell if it begins with the prefix. Otherwise it returns Cell.Code, the service's
// value for the label, if that begins with the prefix. A filter finds a row by either of them. ok is false if neither
// begins with the prefix.
func completion(cell Cell, prefix string) (text string, ok bool) {
	for _, text := range []string{cellLabel(cell), cell.Code} {
		if text != "" && strings.HasPrefix(format.Fold(text), prefix) {
			return text, true
		}
	}
	return "", false
}

// cellLabel returns the text of a cell without the glyph of a status: "rejected" for "✗ rejected". It returns
// Cell.Code, the service's value, if the text is only a glyph, or if Cell.Data has a separate value for programs.
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

// CompleteQuery completes the last term of the query to a column name or a value, such as "oslo sta" to "oslo
// status:", and "oslo status:re" to "oslo status:rejected ". It returns the query unchanged if nothing matches.
func (s *Grid) CompleteQuery(query string) string {
	start := lastTerm(query)
	column, facets := s.FindFacets(query, 1)
	if column == "" {
		return query[:start] + s.completeColumn(query[start:])
	}
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

// completeColumn completes a term to the name of a column, such as "-sta" to "-status:". It returns the term
// unchanged if no column matches, or if the term already has a colon.
func (s *Grid) completeColumn(term string) string {
	word, isExcluding := strings.CutPrefix(term, "-")
	if word == "" || strings.Contains(word, ":") {
		return term
	}
	c := s.cells.columnNamed(format.Fold(word))
	if c < 0 {
		return term
	}
	completed := s.cells.columns[c].FilterWord() + ":"
	if isExcluding {
		completed = "-" + completed
	}
	return completed
}
