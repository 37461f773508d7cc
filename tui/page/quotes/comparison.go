package quotes

import (
	"fmt"
	"slices"
	"strings"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
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

// layOut computes which quotes fit into w cells, and how wide their columns are. Call it
// before the quotes are rendered.
func (c *ComparePage) layOut(w int) {
	c.money = 0
	for _, t := range columns.PickColumns(c.Terms(), "priceBeforeDiscount finalPrice") {
		for _, o := range c.Set.Open {
			c.money = max(c.money, format.Width(t.Value(o).Text))
		}
	}
	c.money = min(c.money, mostQuote-quoteGap)
	n, room := len(c.Set.Open), w-labelWidth
	c.shown = max(1, min(n, room/max(leastQuote, c.money+quoteGap)))
	c.width = max(1, min(mostQuote, room/c.shown))
	c.left = max(0, c.picked()-c.shown+1, min(c.left, c.picked(), n-c.shown))
}

// renderSheet renders names, marks and as many terms as fit into h lines. The number of
// the others is shown left of the marks.
func (c *ComparePage) renderSheet(w, h int) []string {
	terms := c.termLines()
	fit := max(0, min(len(terms), h-headHeight))
	hidden := len(slices.DeleteFunc(terms[fit:], func(line string) bool { return line == "" }))
	rule := " " + strings.Repeat("─", max(0, min(w-2, labelWidth+c.shown*c.width-quoteGap-1)))
	lines := append(c.renderHead(hidden), format.CleanText(c.Env.Look.Theme.Rule, rule))
	lines = append(lines, terms[:fit]...)
	return lines[:max(0, min(len(lines), h))]
}

// renderLinear renders the quotes one after another, for screen readers, each with its
// terms.
func (c *ComparePage) renderLinear(w int) (lines []string) {
	for i, o := range c.Set.Open {
		lead, state := "   ", ""
		if o == c.Pick {
			lead = " " + c.Env.Look.Theme.SelectionMark() + " "
		}
		if c.marked[o.QuoteID] {
			state = "marked"
		}
		parts := []string{
			o.DisplayName(),
			c.Set.BestOf(o, c.At),
			state,
		}
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		head := format.Clean(strings.Join(parts, ", "))
		lines = append(lines, fmt.Sprintf("%sQuote %d of %d: %s", lead, i+1, len(c.Set.Open), head))
		for _, line := range widget.FactLines(c.Env.Look.Theme, 0, w, c.termFacts(o)...) {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

// termFacts returns the terms of a quote that are known.
func (c *ComparePage) termFacts(o *offer) (facts []widget.Fact) {
	for _, t := range c.Terms() {
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
func (c *ComparePage) renderHead(hidden int) []string {
	more, inner := "", c.width-quoteGap
	if hidden > 0 {
		more = c.Env.Look.Theme.PaintMuted(fmt.Sprintf(" %d more: ", hidden)) + format.CleanText(c.Env.Look.Theme.Key, "enter")
	}
	names := format.FitLeft(c.Env.Look.Theme.PaintMuted(beyondText(c.left, len(c.Set.Open)-c.left-c.shown)), labelWidth-1)
	words := format.FitLeft(more, labelWidth)
	for _, o := range c.Set.Open[c.left : c.left+c.shown] {
		pointer, style := " ", c.Env.Look.Theme.Title
		switch is := o == c.Pick; {
		case c.marked[o.QuoteID] && is:
			pointer = "▪"
		case c.marked[o.QuoteID]:
			pointer = "▫"
		case is:
			pointer = "▸"
		}
		if o.IsExpired(c.At) {
			style = c.Env.Look.Theme.Style(theme.Muted)
		}
		name := format.CutLine(format.Clean(o.DisplayName()), inner)
		names += c.Env.Look.Theme.PaintRole(theme.Accent, pointer) + format.CleanText(style, format.FitLeft(name, c.width-1))
		word, role := c.Set.BestOf(o, c.At), theme.Good
		words += c.Env.Look.Theme.PaintRole(role, format.FitLeft(format.CutLine(word, inner), c.width))
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

// termLines renders the terms: first what decides, and below a blank line the rest.
func (c *ComparePage) termLines() []string {
	var deciding, rest []string
	ticking := c.Set.SoonestExpiry(c.At)
	for _, t := range c.Terms() {
		name, value, to := t.Title, t.Value, &rest
		if t.Drop <= 2 {
			to = &deciding
		}
		switch {
		case t.Off || name == "":
			continue
		case name == quoting.AgainstPick:
			name = "  " + name
		case t.Name == "expiryDate":
			left := func(o *offer) columns.Cell { return c.timeLeft(o, ticking) }
			*to = append(*to, c.renderTerm(name, left)...)
			name, value = "", func(o *offer) columns.Cell {
				return columns.TextCell(format.Moment(o.ExpiryDate.Time, c.At)).WithTone(theme.Muted)
			}
		case t.IsRight():
			value = func(o *offer) columns.Cell {
				cell := t.Value(o)
				cell.Text = format.FitRight(cell.Text, c.money)
				return cell
			}
		}
		*to = append(*to, c.renderTerm(name, value)...)
	}
	return page.JoinParts(deciding, rest)
}

// renderTerm renders a term in a line; none if it says nothing, or the same of all quotes
// where only differences are shown.
func (c *ComparePage) renderTerm(name string, value func(*offer) columns.Cell) []string {
	line, told, differs := c.Env.Look.Theme.PaintMuted(format.FitLeft(" "+name, labelWidth)), false, !c.onlyDiff
	first := value(c.Set.Open[0]).Text
	for i, o := range c.Set.Open {
		cell := value(o)
		told = told || isTold(strings.TrimSpace(cell.Text))
		differs = differs || cell.Text != first
		if i < c.left || i >= c.left+c.shown {
			continue
		}
		style := c.Env.Look.Theme.Style(cell.Role)
		switch {
		case o.IsExpired(c.At) && cell.Role != theme.Bad:
			style = c.Env.Look.Theme.Style(theme.Muted)
		case name == "Final price" && cell.Role == theme.Text:
			style = c.Env.Look.Theme.Title
		}
		text := format.CutLine(format.Clean(cell.Text), c.width-quoteGap)
		line += format.CleanText(style, format.FitLeft(text, c.width))
	}
	if !told || !differs {
		return nil
	}
	return []string{line}
}

// timeLeft returns how long a quote can be decided, with seconds of one of them.
func (c *ComparePage) timeLeft(o, ticking *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.TextCell(o.ExpiryDate.Raw)
	}
	left := format.FitRight(format.TimeLeft(o.ExpiryDate.Time, c.At, o == ticking), c.money)
	if !o.IsExpired(c.At) && format.Width(left)+len(" left") <= c.width-quoteGap {
		left += " left"
	}
	return columns.TextCell(left).WithTone(UrgencyRole(o.ExpiryDate, c.At))
}
