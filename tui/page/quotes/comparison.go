package quotes

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	labelWidth = 17 // of the terms' names, with the margin
	leastQuote = 21 // of a quote's column: fits a difference in money and percent, and the gap
	mostQuote  = 34
	quoteGap   = 1
	headHeight = 3 // names, marks and a rule
	mostLines  = 4 // of a description in its column
)

// comparisonSheet is a table of quotes: a row for each term, a column for each quote.
type comparisonSheet struct {
	quoting.QuoteComparison
	th       *theme.Theme
	chosen   int
	marked   map[string]bool // by quote ID
	onlyDiff bool            // hide terms that are equal in all quotes
	left     int             // first column in view

	ticking *offer
	money   int // width of the widest price
	width   int // width of a quote's text
	hidden  int // terms that did not fit
}

// sheetEntry is the value of a term in one quote.
type sheetEntry struct {
	text string
	role theme.Role
	note columns.Cell // stands behind the text: the difference to the picked quote
}

// sheetTerm is a row of the sheet.
type sheetTerm struct {
	name    string
	minor   int // hidden first if lines are short, highest first; 0 always stays
	entries []sheetEntry
}

// layOut computes the column widths for w cells, and notes which quote counts seconds.
// Call it before the quotes are rendered.
func (s *comparisonSheet) layOut(w int) {
	s.ticking, s.hidden, s.money = s.Set.SoonestExpiry(s.Now), 0, 0
	terms := columns.PickColumns(s.Terms(), "priceBeforeDiscount", "finalPrice")
	for _, o := range s.Set.Open {
		for _, t := range terms {
			s.money = max(s.money, format.Width(t.Value(o).Text))
		}
	}
	s.money = min(s.money, mostQuote-quoteGap-1)
	if len(s.Set.Open) > 0 {
		_, width := s.fitColumns(w)
		s.width = width - quoteGap - 1
	}
}

// fitColumns returns how many quotes fit and the width of their columns.
func (s *comparisonSheet) fitColumns(w int) (shown, width int) {
	room := w - labelWidth
	shown = max(1, min(len(s.Set.Open), room/max(leastQuote, s.money+quoteGap+1)))
	return shown, max(1, min(mostQuote, room/shown))
}

// renderLines renders names, marks and terms in at most h lines. The number of terms
// that do not fit is shown left of the marks.
func (s *comparisonSheet) renderLines(w, h int) []string {
	shown, width := s.fitColumns(w)
	s.left = max(0, s.chosen-shown+1, min(s.left, s.chosen, len(s.Set.Open)-shown))
	terms := s.fitTerms(s.sheetTerms(shown), h-headHeight)
	lines := append(
		s.renderHead(shown, width),
		format.CleanText(
			s.th.Rule,
			" "+strings.Repeat("─", max(0, min(w-2, labelWidth+shown*width-quoteGap-2))),
		),
	)
	for _, t := range terms {
		lines = append(lines, s.renderTerm(t, width, h-len(lines))...)
	}
	return lines[:max(0, min(len(lines), h))]
}

// renderLinear renders the quotes one after another, for screen readers, each with its
// terms.
func (s *comparisonSheet) renderLinear(w int) (lines []string) {
	for i, o := range s.Set.Open {
		lead, state := "   ", ""
		if i == s.chosen {
			lead = " " + s.th.SelectionMark() + " "
		}
		if s.marked[o.QuoteID] {
			state = "marked"
		}
		parts := []string{
			o.DisplayName(),
			s.OrderNames[o.OrderID],
			strings.Join(s.Set.BestWords(o, s.Now), ", "),
			state,
		}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		head := format.Clean(strings.Join(parts, ", "))
		lines = append(lines, fmt.Sprintf("%sQuote %d of %d: %s", lead, i+1, len(s.Set.Open), head))
		for _, line := range widget.FactLines(s.th, 0, w, s.termFacts(o)...) {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

// termFacts returns the terms of a quote that are known.
func (s *comparisonSheet) termFacts(o *offer) (facts []widget.Fact) {
	for _, t := range s.Terms() {
		if text := t.Value(o).Text; t.Title != "" && !t.Off && text != "" && text != format.None {
			facts = append(facts, widget.Text(t.Title, text))
		}
	}
	return facts
}

// fitTerms hides minor terms until the others fit into h lines.
func (s *comparisonSheet) fitTerms(terms []sheetTerm, h int) []sheetTerm {
	for len(terms) > h {
		drop := -1
		for i, t := range terms {
			if t.minor > 0 && (drop < 0 || t.minor >= terms[drop].minor) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		if terms[drop].name != "" {
			s.hidden++
		}
		terms = slices.Delete(terms, drop, drop+1)
	}
	return terms
}

// renderHead renders the rows of names and of what each quote is best in, with the
// number of quotes out of view.
func (s *comparisonSheet) renderHead(shown, width int) []string {
	more := ""
	if s.hidden > 0 {
		more = s.th.PaintMuted(fmt.Sprintf(" %d more: ", s.hidden)) + format.CleanText(s.th.Key, "enter")
	}
	names := format.FitLeft(s.th.PaintMuted(beyondText(s.left, len(s.Set.Open)-s.left-shown)), labelWidth-1)
	words := format.FitLeft(more, labelWidth-1)
	for i := s.left; i < s.left+shown; i++ {
		o, pointer, style := s.Set.Open[i], " ", s.th.Title
		switch {
		case s.marked[o.QuoteID] && i == s.chosen:
			pointer = "▪"
		case s.marked[o.QuoteID]:
			pointer = "▫"
		case i == s.chosen:
			pointer = "▸"
		}
		if o.IsExpired(s.Now) {
			style = s.th.Style(theme.Muted)
		}
		name := format.FitLeft(format.CutLine(format.Clean(o.DisplayName()), width-1-quoteGap), width-1)
		names += s.th.PaintRole(theme.Accent, pointer) + format.CleanText(style, name)
		word, role := shortenWords(s.Set.BestWords(o, s.Now), width-1-quoteGap), theme.Good
		if word == "" {
			word, role = s.OrderNames[o.OrderID], theme.Muted
		}
		words += " " + s.th.PaintRole(role, format.FitLeft(format.CutLine(word, width-1-quoteGap), width-1))
	}
	return []string{names, words}
}

// beyondText returns how many quotes are out of view on each side.
func beyondText(before, after int) string {
	switch {
	case before > 0 && after > 0:
		return fmt.Sprintf(" ‹ %d · %d more ›", before, after)
	case before > 0:
		return fmt.Sprintf(" ‹ %d more", before)
	case after > 0:
		return fmt.Sprintf(" %d more ›", after)
	}
	return ""
}

// shortenWords joins words, without those at the end that do not fit into w cells.
func shortenWords(words []string, w int) string {
	text := strings.Join(words, " · ")
	for format.Width(text) > w && strings.Contains(text, " · ") {
		text = text[:strings.LastIndex(text, " · ")]
	}
	return text
}

// renderTerm renders a term, with text that is wrapped in at most h lines.
func (s *comparisonSheet) renderTerm(t sheetTerm, width, h int) []string {
	inner, n := width-quoteGap-1, 1
	parts := make([][]string, len(t.entries))
	for i, e := range t.entries {
		if parts[i] = []string{e.text}; t.name == "Description" {
			parts[i] = format.Wrap(format.Clean(e.text), inner)
			n = max(n, len(parts[i]))
		}
	}
	cut := n > min(h, mostLines)
	if cut {
		n = 1
	}
	lines := make([]string, n)
	for row := range lines {
		line := s.th.PaintMuted(format.FitLeft(" "+t.name, labelWidth))
		if row > 0 {
			line = format.BlankCells(labelWidth)
		}
		for i, e := range t.entries {
			text, style := "", s.th.Style(e.role)
			switch {
			case cut:
				text = e.text
			case row < len(parts[i]):
				text = parts[i][row]
			}
			if t.name == "Final price" && e.role == theme.Text {
				style = s.th.Title
			}
			text = format.CleanText(style, text) + s.renderNote(e.note, inner-format.Width(text))
			line += format.FitLeft(text, inner) + format.BlankCells(quoteGap+1)
		}
		lines[row] = line
	}
	return lines
}

// renderNote renders a difference behind the figure that it is of in w cells: of a price
// perhaps only the percentage, and nothing where that does not fit.
func (s *comparisonSheet) renderNote(c columns.Cell, w int) string {
	text := strings.TrimSuffix(c.Text, "ays")
	if text == "" || text == format.None {
		return ""
	}
	if at := strings.LastIndex(text, " "); format.Width(text)+2 > w && c.Code != "" && at > 0 {
		text = text[at+1:]
	}
	if format.Width(text)+2 > w {
		return ""
	}
	return "  " + s.th.PaintRole(c.Role, text)
}

// leastNote are the cells of a percentage. Where there is no room for one behind a price,
// differences have rows of their own.
const leastNote = 7

// sheetTerms returns the rows for the quotes in view: first what decides, which always
// stays, and then the rest.
func (s *comparisonSheet) sheetTerms(shown int) (rows []sheetTerm) {
	add := func(name string, minor int, say func(*offer) sheetEntry) {
		t := sheetTerm{name: name, minor: minor}
		for _, o := range s.Set.Open {
			t.entries = append(t.entries, say(o))
		}
		if t.isEmpty() || s.onlyDiff && t.isCommon() {
			return
		}
		t.entries = t.entries[s.left : s.left+shown]
		for i := range t.entries {
			if e := &t.entries[i]; s.Set.Open[s.left+i].IsExpired(s.Now) && e.role != theme.Bad {
				e.role = theme.Muted
			}
		}
		rows = append(rows, t)
	}
	terms := s.Terms()
	decides := func(t *columns.Column[offer]) bool { return t.Drop == 0 || t.Title == quoting.AgainstPick }
	for i := range terms {
		if decides(&terms[i]) {
			s.addTerm(terms[i:], add)
		}
	}
	rows = append(rows, sheetTerm{minor: 6})
	for i := range terms {
		if !decides(&terms[i]) {
			s.addTerm(terms[i:], add)
		}
	}
	return rows
}

// addTerm adds the row of the first of some terms, with the difference to the picked quote
// behind it or below it, and below an expiry its moment.
func (s *comparisonSheet) addTerm(
	terms []columns.Column[offer], add func(name string, minor int, say func(*offer) sheetEntry),
) {
	t, beside := &terms[0], s.money+2+leastNote <= s.width
	switch {
	case t.Off || t.Title == "":
	case t.Name == "expiryDate":
		add(t.Title, 0, s.expiryEntry)
		add("", 4, func(o *offer) sheetEntry {
			return sheetEntry{text: format.Moment(o.ExpiryDate.Time, s.Now), role: theme.Muted}
		})
	case t.Title != quoting.AgainstPick && beside:
		add(t.Title, t.Drop, s.entryOf(t, terms[1:]))
	case t.Title != quoting.AgainstPick:
		add(t.Title, t.Drop, s.entryOf(t, nil))
	case !beside:
		add("  "+t.Title, t.Drop, s.entryOf(t, nil))
	}
}

// entryOf returns the entries of a term, numbers aligned at the right, with the difference
// to the picked quote, where that is among the terms that follow at once.
func (s *comparisonSheet) entryOf(
	t *columns.Column[offer],
	after []columns.Column[offer],
) func(*offer) sheetEntry {
	next := slices.IndexFunc(after, func(t columns.Column[offer]) bool { return t.Title != "" })
	return func(o *offer) sheetEntry {
		cell := t.Value(o)
		if t.IsRight() && t.Title != quoting.AgainstPick {
			cell.Text = format.FitRight(cell.Text, s.money)
		}
		e := sheetEntry{text: cell.Text, role: cell.Role}
		if next >= 0 && after[next].Title == quoting.AgainstPick {
			e.note = after[next].Value(o)
		}
		return e
	}
}

func (t *sheetTerm) isEmpty() bool {
	return t.minor > 0 && !slices.ContainsFunc(t.entries, func(e sheetEntry) bool {
		text := strings.TrimSpace(e.text)
		return text != "" && text != format.None
	})
}

func (t *sheetTerm) isCommon() bool {
	return len(t.entries) > 1 && !slices.ContainsFunc(t.entries, func(e sheetEntry) bool {
		return e.text != t.entries[0].text
	})
}

func (s *comparisonSheet) expiryEntry(o *offer) sheetEntry {
	if !o.ExpiryDate.IsRead() {
		return sheetEntry{text: o.ExpiryDate.Raw}
	}
	left := format.FitRight(format.TimeLeft(o.ExpiryDate.Time, s.Now, o == s.ticking), s.money)
	if !o.IsExpired(s.Now) && format.Width(left)+len(" left") <= s.width {
		left += " left"
	}
	return sheetEntry{text: left, role: UrgencyRole(o.ExpiryDate, s.Now)}
}
