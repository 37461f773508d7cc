package quotes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	labelWidth = 17 // of the terms' names, with the margin
	leastQuote = 21 // of a quote's column, with the gap
	mostQuote  = 46
	quoteGap   = 2
	headHeight = 3 // names, marks and a rule
)

// layOut computes which quotes fit into w cells, and how wide their columns are. Call it
// before the quotes are rendered.
func (c *ComparePage) layOut(w int) {
	n, room := len(c.Set.Open), w-labelWidth
	c.figures = c.widestFigure()
	c.shown = max(1, min(n, room/max(leastQuote, c.figures+quoteGap)))
	c.width = max(1, min(mostQuote, room/c.shown))
	c.left = max(0, c.picked()-c.shown+1, min(c.left, c.picked(), n-c.shown))
}

// widestFigure returns the cells of the widest price, difference, duration or date. All of
// them are aligned at their right end.
func (c *ComparePage) widestFigure() int {
	widest := 0
	for _, row := range c.sheetRows() {
		if !row.isFigure {
			continue
		}
		for _, o := range c.Set.Open {
			widest = max(widest, format.Width(format.Clean(row.value(o).Text)))
		}
	}
	return min(widest, mostQuote-quoteGap)
}

// sheetRow is a line of the comparison: a term of each quote.
type sheetRow struct {
	name     string
	value    func(*offer) columns.Cell
	isFigure bool // aligned at the right
	decides  bool // in the upper group
}

// sheetRows returns the lines of the comparison, without the descriptions.
func (c *ComparePage) sheetRows() (rows []sheetRow) {
	ticking := c.Set.SoonestExpiry(c.At)
	for _, t := range c.Terms() {
		if t.Off || t.Title == "" || t.Name == "description" {
			continue
		}
		row := sheetRow{name: t.Title, value: t.Value, isFigure: t.IsRight(), decides: t.Drop <= 2}
		switch t.Name {
		case "difference":
			row.name = "  " + row.name
			row.value = c.moneyDifference
			rows = append(rows, row)
			row.name, row.value = "", c.shareDifference
		case "expiryDate":
			row.isFigure = true
			row.name = "Expires in"
			row.value = func(o *offer) columns.Cell { return c.timeLeft(o, ticking) }
			rows = append(rows, row)
			row.name, row.value = "", c.expiryMoment
		case "discount":
			row.value = c.discountPercent
			rows = append(rows, row)
			row.name, row.value = "", discountReason
		case "":
			row.name = "  " + row.name // days against the selected quote
		}
		rows = append(rows, row)
	}
	return rows
}

// moneyDifference returns by how much a quote is dearer than the selected one.
func (c *ComparePage) moneyDifference(o *offer) columns.Cell {
	cell := c.priceDifference(o)
	if cell.Known {
		cell.Text = format.MoneyChange(cell.Num, cell.Code) + " " + cell.Code
	}
	return cell
}

// shareDifference returns by what share a quote is dearer than the selected one.
func (c *ComparePage) shareDifference(o *offer) columns.Cell {
	cell := c.priceDifference(o)
	if !cell.Known {
		return columns.Cell{}
	}
	_, share, _ := quoting.Difference(o, c.Pick, (*offer).Price)
	cell.Text = format.Percent(share)
	return cell
}

// priceDifference returns the difference in price to the selected quote.
func (c *ComparePage) priceDifference(o *offer) columns.Cell {
	return columns.PickColumns(c.Terms(), "difference")[0].Value(o)
}

// discountPercent returns the discount without its reason. A percentage is aligned with the
// figures.
func (c *ComparePage) discountPercent(o *offer) columns.Cell {
	text, _, _ := strings.Cut(o.DiscountText(), ", ")
	if _, isPercent := o.Discount(); isPercent || text == "" {
		text = format.FitRight(cmp.Or(text, format.None), c.figures)
	}
	return columns.TextCell(text)
}

// discountReason returns the reason of a discount.
func discountReason(o *offer) columns.Cell {
	_, reason, _ := strings.Cut(o.DiscountText(), ", ")
	return columns.TextCell(reason)
}

// expiryMoment returns when a quote expires; empty if the time could not be read, which is
// shown in the line above.
func (c *ComparePage) expiryMoment(o *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.Cell{}
	}
	return columns.TextCell(format.Moment(o.ExpiryDate.Time, c.At)).WithTone(theme.Muted)
}

// renderSheet renders names, marks and as many terms as fit into h lines. The number of
// the others is shown left of the marks.
func (c *ComparePage) renderSheet(terms []string, h int) []string {
	fit := max(0, min(len(terms), h-headHeight))
	hidden := len(slices.DeleteFunc(slices.Clone(terms[fit:]), isBlankLine))
	lines := append(c.renderHead(hidden), c.renderRule())
	lines = append(lines, terms[:fit]...)
	return lines[:max(0, min(len(lines), h))]
}

// isBlankLine reports whether a rendered line shows nothing.
func isBlankLine(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

// renderRule renders the line below the names, heavy below the selected quote.
func (c *ComparePage) renderRule() string {
	th := c.Env.Look.Theme
	line := " " + format.CleanText(th.Rule, strings.Repeat("─", labelWidth-2))
	for _, o := range c.visibleQuotes() {
		style, stroke := th.Rule, "─"
		if o == c.Pick {
			style, stroke = th.Style(theme.Accent), "━"
		}
		line += format.CleanText(style, strings.Repeat(stroke, c.width))
	}
	return line
}

// visibleQuotes returns the quotes that have a column.
func (c *ComparePage) visibleQuotes() []*offer { return c.Set.Open[c.left : c.left+c.shown] }

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
	more, inner, th := "", c.width-quoteGap, c.Env.Look.Theme
	if hidden > 0 {
		more = th.PaintMuted(fmt.Sprintf(" %d more: ", hidden)) + format.CleanText(th.Key, "enter")
	}
	names := format.FitLeft(th.PaintMuted(beyondText(c.left, len(c.Set.Open)-c.left-c.shown)), labelWidth-1)
	words := format.FitLeft(more, labelWidth-1)
	for _, o := range c.visibleQuotes() {
		name := c.quoteStyle(o, theme.Text).Bold()
		if o.IsExpired(c.At) {
			name = c.quoteStyle(o, theme.Muted)
		}
		text := format.CutLine(format.Clean(o.DisplayName()), inner)
		names += format.CleanText(c.quoteStyle(o, theme.Accent), c.markOf(o)) +
			format.CleanText(name, format.FitLeft(text, c.width-1))
		best := format.CutLine(c.Set.BestOf(o, c.At), inner)
		words += format.CleanText(c.quoteStyle(o, theme.Good), format.FitLeft(" "+best, c.width))
	}
	return []string{names, words}
}

// markOf returns the mark before the name of a quote: selected, marked, or both.
func (c *ComparePage) markOf(o *offer) string {
	isMarked := c.marked[o.QuoteID]
	if isMarked && o == c.Pick {
		return "▪"
	}
	if isMarked {
		return "▫"
	}
	if o == c.Pick {
		return "▸"
	}
	return " "
}

// quoteStyle returns the style of text in the column of a quote. The selected one has the
// background of a selected row.
func (c *ComparePage) quoteStyle(o *offer, role theme.Role) theme.Style {
	if o == c.Pick {
		return c.Env.Look.Theme.SelectedStyle(role)
	}
	return c.Env.Look.Theme.Style(role)
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

// termLines renders the terms: first the ones that decide, and below a blank line the rest.
func (c *ComparePage) termLines() []string {
	var deciding, rest []string
	for _, row := range c.sheetRows() {
		line, ok := c.renderRow(row)
		if !ok {
			continue
		}
		if row.decides {
			deciding = append(deciding, line)
		} else {
			rest = append(rest, line)
		}
	}
	if len(deciding) > 0 && len(rest) > 0 {
		deciding = append(deciding, c.renderTexts("", nil))
	}
	return append(deciding, rest...)
}

// renderRow renders a term of all visible quotes. It returns false if the term says
// nothing, or the same of all quotes while only differences are shown.
func (c *ComparePage) renderRow(row sheetRow) (line string, ok bool) {
	told, differs := false, !c.onlyDiff
	first := row.value(c.Set.Open[0]).Text
	for _, o := range c.Set.Open {
		text := row.value(o).Text
		told = told || isTold(strings.TrimSpace(text))
		differs = differs || text != first
	}
	if !told || !differs {
		return "", false
	}
	th := c.Env.Look.Theme
	line = th.PaintMuted(format.FitLeft(" "+row.name, labelWidth-1))
	for _, o := range c.visibleQuotes() {
		cell := row.value(o)
		role := cell.Role
		if o.IsExpired(c.At) && role != theme.Bad {
			role = theme.Muted
		}
		style := c.quoteStyle(o, role)
		if row.name == "Final price" && role == theme.Text {
			style = style.Bold()
		}
		text := format.CutLine(format.Clean(cell.Text), c.width-quoteGap)
		if row.isFigure {
			text = format.FitRight(text, c.figures)
		}
		line += format.CleanText(style, format.FitLeft(" "+text, c.width))
	}
	return line, true
}

// renderTexts renders a line with a text in the column of each visible quote; nil is a
// blank line, in which the selected column has its background.
func (c *ComparePage) renderTexts(name string, text func(*offer) string) string {
	line := c.Env.Look.Theme.PaintMuted(format.FitLeft(" "+name, labelWidth-1))
	for _, o := range c.visibleQuotes() {
		cell := ""
		if text != nil {
			cell = text(o)
		}
		line += format.CleanText(c.quoteStyle(o, theme.Text), format.FitLeft(" "+cell, c.width))
	}
	return line
}

// descriptionLines renders the descriptions of the visible quotes, each wrapped in its
// column. It returns nil if there are none, or if one needs more than h lines.
func (c *ComparePage) descriptionLines(h int) []string {
	wrapped, needed := map[*offer][]string{}, 0
	for _, o := range c.visibleQuotes() {
		text := format.Clean(strings.TrimSpace(o.Description))
		if text == "" {
			continue
		}
		wrapped[o] = format.Wrap(text, c.width-quoteGap)
		needed = max(needed, len(wrapped[o]))
	}
	if needed == 0 || needed > h || c.onlyDiff && c.isSameDescription() {
		return nil
	}
	lines := make([]string, needed)
	for i := range lines {
		name := page.TextIf(i == 0, "Description")
		lines[i] = c.renderTexts(name, func(o *offer) string {
			if i < len(wrapped[o]) {
				return wrapped[o][i]
			}
			return ""
		})
	}
	return lines
}

// isSameDescription reports whether all quotes have the same description.
func (c *ComparePage) isSameDescription() bool {
	for _, o := range c.Set.Open {
		if strings.TrimSpace(o.Description) != strings.TrimSpace(c.Set.Open[0].Description) {
			return false
		}
	}
	return true
}

// timeLeft returns how long a quote can be decided, with seconds of one of them.
func (c *ComparePage) timeLeft(o, ticking *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.TextCell(o.ExpiryDate.Raw)
	}
	left := format.TimeLeft(o.ExpiryDate.Time, c.At, o == ticking)
	return columns.TextCell(left).WithTone(UrgencyRole(o.ExpiryDate, c.At))
}
