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
	quoteGap   = 2
	headHeight = 3 // names, marks and a rule
)

// comparisonSheet is a table of quotes: a row for each term, a column for each quote.
type comparisonSheet struct {
	quoting.QuoteComparison
	th       *theme.Theme
	chosen   int
	marked   map[string]bool // by quote ID
	onlyDiff bool            // hide terms that are equal in all quotes

	left, shown int // columns in view
	width       int // of each
	money       int // width of the widest price
}

// sheetTerm is a row of the sheet: a term, and its value in each quote.
type sheetTerm struct {
	name   string
	values []columns.Cell
}

// layOut computes which quotes fit into w cells, and how wide their columns are. Call it
// before the quotes are rendered.
func (s *comparisonSheet) layOut(w int) {
	s.money = 0
	for _, t := range columns.PickColumns(s.Terms(), "priceBeforeDiscount", "finalPrice") {
		for _, o := range s.Set.Open {
			s.money = max(s.money, format.Width(t.Value(o).Text))
		}
	}
	s.money = min(s.money, mostQuote-quoteGap)
	n, room := len(s.Set.Open), w-labelWidth
	s.shown = max(1, min(n, room/max(leastQuote, s.money+quoteGap)))
	s.width = max(1, min(mostQuote, room/s.shown))
	s.left = max(0, s.chosen-s.shown+1, min(s.left, s.chosen, n-s.shown))
}

// renderLines renders names, marks and as many terms as fit into h lines. The number of
// the others is shown left of the marks.
func (s *comparisonSheet) renderLines(w, h int) []string {
	terms := s.sheetTerms()
	fit := max(0, min(len(terms), h-headHeight))
	hidden := slices.DeleteFunc(terms[fit:], func(t sheetTerm) bool { return t.name == "" })
	rule := " " + strings.Repeat("─", max(0, min(w-2, labelWidth+s.shown*s.width-quoteGap-1)))
	lines := append(s.renderHead(len(hidden)), format.CleanText(s.th.Rule, rule))
	for _, t := range terms[:fit] {
		lines = append(lines, s.renderTerm(t))
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
		if text := t.Value(o).Text; t.Title != "" && !t.Off && isTold(text) {
			facts = append(facts, widget.Text(t.Title, text))
		}
	}
	return facts
}

// isTold reports whether a value says something.
func isTold(text string) bool { return text != "" && text != format.None }

// renderHead renders the rows of names and of what each quote is best in, with the
// number of quotes and of terms out of view.
func (s *comparisonSheet) renderHead(hidden int) []string {
	more, inner := "", s.width-quoteGap
	if hidden > 0 {
		more = s.th.PaintMuted(fmt.Sprintf(" %d more: ", hidden)) + format.CleanText(s.th.Key, "enter")
	}
	names := format.FitLeft(s.th.PaintMuted(beyondText(s.left, len(s.Set.Open)-s.left-s.shown)), labelWidth-1)
	words := format.FitLeft(more, labelWidth)
	for i, o := range s.Set.Open[s.left : s.left+s.shown] {
		pointer, style := " ", s.th.Title
		switch is := s.left+i == s.chosen; {
		case s.marked[o.QuoteID] && is:
			pointer = "▪"
		case s.marked[o.QuoteID]:
			pointer = "▫"
		case is:
			pointer = "▸"
		}
		if o.IsExpired(s.Now) {
			style = s.th.Style(theme.Muted)
		}
		name := format.CutLine(format.Clean(o.DisplayName()), inner)
		names += s.th.PaintRole(theme.Accent, pointer) + format.CleanText(style, format.FitLeft(name, s.width-1))
		word, role := strings.Join(s.Set.BestWords(o, s.Now), " · "), theme.Good
		if word == "" {
			word, role = s.OrderNames[o.OrderID], theme.Muted
		}
		words += s.th.PaintRole(role, format.FitLeft(format.CutLine(word, inner), s.width))
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

// renderTerm renders a term in a line.
func (s *comparisonSheet) renderTerm(t sheetTerm) string {
	line := s.th.PaintMuted(format.FitLeft(" "+t.name, labelWidth))
	for i := range min(s.shown, len(t.values)) {
		cell := t.values[s.left+i]
		style := s.th.Style(cell.Role)
		if t.name == "Final price" && cell.Role == theme.Text {
			style = s.th.Title
		}
		text := format.CutLine(format.Clean(cell.Text), s.width-quoteGap)
		line += format.CleanText(style, format.FitLeft(text, s.width))
	}
	return line
}

// sheetTerms returns the rows: first what decides, and below a blank one the rest.
func (s *comparisonSheet) sheetTerms() []sheetTerm {
	var deciding, rest []sheetTerm
	ticking := s.Set.SoonestExpiry(s.Now)
	for _, t := range s.Terms() {
		name, to := t.Title, &rest
		if t.Drop <= 2 {
			to = &deciding
		}
		value := t.Value
		switch {
		case t.Off || name == "":
			continue
		case name == quoting.AgainstPick:
			name = "  " + name
		case t.Name == "expiryDate":
			*to = s.addTerm(
				*to,
				name,
				func(o *offer) columns.Cell { return s.timeLeft(o, ticking) },
			)
			name, value = "", func(o *offer) columns.Cell {
				return columns.TextCell(format.Moment(o.ExpiryDate.Time, s.Now)).WithTone(theme.Muted)
			}
		case t.IsRight():
			value = func(o *offer) columns.Cell {
				cell := t.Value(o)
				cell.Text = format.FitRight(cell.Text, s.money)
				return cell
			}
		}
		*to = s.addTerm(*to, name, value)
	}
	if len(rest) == 0 {
		return deciding
	}
	return slices.Concat(deciding, []sheetTerm{{}}, rest)
}

// addTerm adds a row to others, unless it says nothing, or the same of all quotes where
// only differences are shown.
func (s *comparisonSheet) addTerm(
	to []sheetTerm, name string, value func(*offer) columns.Cell,
) []sheetTerm {
	t, told, differs := sheetTerm{name: name}, false, !s.onlyDiff
	for i, o := range s.Set.Open {
		cell := value(o)
		if o.IsExpired(s.Now) && cell.Role != theme.Bad {
			cell.Role = theme.Muted
		}
		t.values = append(t.values, cell)
		told = told || isTold(strings.TrimSpace(cell.Text))
		differs = differs || i > 0 && cell.Text != t.values[0].Text
	}
	if !told || !differs {
		return to
	}
	return append(to, t)
}

// timeLeft returns how long a quote can be decided, with seconds of one of them.
func (s *comparisonSheet) timeLeft(o, ticking *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.TextCell(o.ExpiryDate.Raw)
	}
	left := format.FitRight(format.TimeLeft(o.ExpiryDate.Time, s.Now, o == ticking), s.money)
	if !o.IsExpired(s.Now) && format.Width(left)+len(" left") <= s.width-quoteGap {
		left += " left"
	}
	return columns.TextCell(left).WithTone(UrgencyRole(o.ExpiryDate, s.Now))
}
