package quotes

import (
	"cmp"
	"fmt"
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
	labelWidth = 17 // width of the column of names, with the margin
	leastQuote = 21 // minimum width of a quote's column, with the gap
	mostQuote  = 46 // maximum width of a quote's column
	quoteGap   = 2
	headHeight = 3 // names, marks and a rule
)

// layOut computes how many quotes fit into w cells, how wide their columns are, and which quote
// is the leftmost. It must be called before the quotes are rendered.
func (c *ComparePage) layOut(w int) {
	n := len(c.Set.Open)
	room := w - labelWidth
	c.figures = c.widestFigure()
	leastWidth := max(leastQuote, c.figures+quoteGap)
	c.shown = max(1, min(n, room/leastWidth))
	c.width = max(1, min(mostQuote, room/c.shown))
	firstWithPick := c.picked() - c.shown + 1
	lastLeft := min(c.left, c.picked(), n-c.shown)
	c.left = max(0, firstWithPick, lastLeft)
}

// widestFigure returns the width of the widest price, difference, duration or date.
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

// sheetRow is a row of the comparison, with the value of one term for each quote.
type sheetRow struct {
	name     string
	value    func(*offer) columns.Cell
	isFigure bool // aligned at the right
	decides  bool // in the upper group
}

// sheetRows returns the rows of the comparison, without the descriptions. The price difference,
// the expiry and the discount have two rows each.
func (c *ComparePage) sheetRows() (rows []sheetRow) {
	for _, term := range c.Terms() {
		if term.Off || term.Title == "" || term.Name == "description" {
			continue
		}
		row := sheetRow{
			name:     term.Title,
			value:    term.Value,
			isFigure: term.IsRight(),
			decides:  term.Drop <= 2,
		}
		second := row
		second.name = ""
		switch term.Name {
		case "difference":
			row.name = "  " + row.name
			row.value = c.moneyDifference
			second.value = c.shareDifference
			rows = append(rows, row, second)
		case "expiryDate":
			row.name = "Expires in"
			row.value = c.timeLeft
			row.isFigure = true
			second.value = c.expiryMoment
			second.isFigure = true
			rows = append(rows, row, second)
		case "discount":
			row.value = c.discountPercent
			second.value = discountReason
			rows = append(rows, row, second)
		case "":
			row.name = "  " + row.name // the difference in days to the selected quote
			rows = append(rows, row)
		default:
			rows = append(rows, row)
		}
	}
	return rows
}

// moneyDifference returns the price of a quote minus the price of the selected quote.
func (c *ComparePage) moneyDifference(o *offer) columns.Cell {
	cell := c.priceDifference(o)
	if cell.Known {
		cell.Text = format.MoneyChange(cell.Num, cell.Code) + " " + cell.Code
	}
	return cell
}

// shareDifference returns the difference in price to the selected quote in percent.
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

// discountPercent returns the discount without its reason. Percentages are right-aligned like
// prices.
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

// expiryMoment returns when a quote expires, or an empty cell if the time could not be read. The
// row above shows an unreadable time as text.
func (c *ComparePage) expiryMoment(o *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.Cell{}
	}
	return columns.TextCell(format.Moment(o.ExpiryDate.Time, c.At)).WithTone(theme.Muted)
}

// renderSheet renders the names, the marks and as many terms as fit into h lines. The head shows
// the number of terms that do not fit.
func (c *ComparePage) renderSheet(terms []string, h int) []string {
	fit := max(0, min(len(terms), h-headHeight))
	hidden := 0
	for _, line := range terms[fit:] {
		if !isBlankLine(line) {
			hidden++
		}
	}
	lines := append(c.renderHead(hidden), c.renderRule())
	lines = append(lines, terms[:fit]...)
	return lines[:max(0, min(len(lines), h))]
}

// isBlankLine reports whether a rendered line has only spaces.
func isBlankLine(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

// renderRule renders the rule below the names, which is heavy below the selected quote.
func (c *ComparePage) renderRule() string {
	th := c.Env.Look.Theme
	line := " " + format.CleanText(th.Rule, strings.Repeat("─", labelWidth-2))
	for _, o := range c.visibleQuotes() {
		if o == c.Pick {
			line += format.CleanText(th.Style(theme.Accent), strings.Repeat("━", c.width))
		} else {
			line += format.CleanText(th.Rule, strings.Repeat("─", c.width))
		}
	}
	return line
}

// visibleQuotes returns the open quotes whose columns are in view.
func (c *ComparePage) visibleQuotes() []*offer { return c.Set.Open[c.left : c.left+c.shown] }

// renderLinear renders the quotes with their terms one after another, for screen readers.
func (c *ComparePage) renderLinear(w int) (lines []string) {
	for i, o := range c.Set.Open {
		margin := "   "
		if o == c.Pick {
			margin = " " + c.Env.Look.Theme.SelectionMark() + " "
		}
		heading := fmt.Sprintf("Quote %d of %d: %s", i+1, len(c.Set.Open), c.describeQuote(o))
		lines = append(lines, margin+heading)
		for _, line := range widget.FactLines(c.Env.Look.Theme, 0, w, c.termFacts(o)...) {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

// describeQuote returns the name of a quote, what it is best in, and whether it is marked.
func (c *ComparePage) describeQuote(o *offer) string {
	var parts []string
	if name := o.DisplayName(); name != "" {
		parts = append(parts, name)
	}
	if best := c.Set.BestOf(o, c.At); best != "" {
		parts = append(parts, best)
	}
	if c.marked[o.QuoteID] {
		parts = append(parts, "marked")
	}
	return format.Clean(strings.Join(parts, ", "))
}

// termFacts returns the terms of a quote that have a value.
func (c *ComparePage) termFacts(o *offer) (facts []widget.Fact) {
	for _, term := range c.Terms() {
		text := term.Value(o).Text
		if term.Title != "" && !term.Off && hasValue(text) {
			facts = append(facts, widget.Text(term.Title, text))
		}
	}
	return facts
}

// hasValue reports whether the text of a cell is a value, and not the mark of a missing value.
func hasValue(text string) bool { return text != "" && text != format.None }

// renderHead renders the row of names, with the number of quotes out of view, and the row of
// what each quote is best in, with the number of hidden terms.
func (c *ComparePage) renderHead(hidden int) []string {
	th := c.Env.Look.Theme
	beyond := beyondText(c.left, len(c.Set.Open)-c.left-c.shown)
	more := ""
	if hidden > 0 {
		more = th.PaintMuted(fmt.Sprintf(" %d more: ", hidden)) + format.CleanText(th.Key, "enter")
	}
	names := format.FitLeft(th.PaintMuted(beyond), labelWidth-1)
	ranks := format.FitLeft(more, labelWidth-1)
	for _, o := range c.visibleQuotes() {
		names += c.renderName(o)
		best := format.CutLine(c.Set.BestOf(o, c.At), c.width-quoteGap)
		ranks += format.CleanText(c.quoteStyle(o, theme.Good), format.FitLeft(" "+best, c.width))
	}
	return []string{names, ranks}
}

// renderName renders the mark and the name of a quote at the top of its column.
func (c *ComparePage) renderName(o *offer) string {
	style := c.quoteStyle(o, theme.Text).Bold()
	if o.IsExpired(c.At) {
		style = c.quoteStyle(o, theme.Muted)
	}
	name := format.CutLine(format.Clean(o.DisplayName()), c.width-quoteGap)
	mark := format.CleanText(c.quoteStyle(o, theme.Accent), c.markOf(o))
	return mark + format.CleanText(style, format.FitLeft(name, c.width-1))
}

// markOf returns the character before the name of a quote, which shows whether the quote is
// selected, marked or both.
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

// quoteStyle returns the style of text in the column of a quote. The selected quote has the
// background of a selected row.
func (c *ComparePage) quoteStyle(o *offer, role theme.Role) theme.Style {
	if o == c.Pick {
		return c.Env.Look.Theme.SelectedStyle(role)
	}
	return c.Env.Look.Theme.Style(role)
}

// beyondText returns the number of quotes that are out of view on each side, or "" if all are in
// view.
func beyondText(before, after int) string {
	if before > 0 && after > 0 {
		return fmt.Sprintf(" ‹ %d · %d more ›", before, after)
	}
	if before > 0 {
		return fmt.Sprintf(" ‹ %d more", before)
	}
	if after > 0 {
		return fmt.Sprintf(" %d more ›", after)
	}
	return ""
}

// termLines renders the terms that matter most, a blank line, and the other terms.
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

// renderRow renders the values of a term for the visible quotes. It returns false if the row is
// to be hidden.
func (c *ComparePage) renderRow(row sheetRow) (line string, ok bool) {
	if c.isHidden(row) {
		return "", false
	}
	line = c.Env.Look.Theme.PaintMuted(format.FitLeft(" "+row.name, labelWidth-1))
	for _, o := range c.visibleQuotes() {
		line += c.renderValue(row, o)
	}
	return line, true
}

// isHidden reports whether no quote has a value in a row, or whether all quotes have the same
// value while only differences are shown.
func (c *ComparePage) isHidden(row sheetRow) bool {
	isEmpty := true
	isSame := true
	first := row.value(c.Set.Open[0]).Text
	for _, o := range c.Set.Open {
		text := row.value(o).Text
		if hasValue(strings.TrimSpace(text)) {
			isEmpty = false
		}
		if text != first {
			isSame = false
		}
	}
	return isEmpty || c.onlyDiff && isSame
}

// renderValue renders the value of a row in the column of a quote.
func (c *ComparePage) renderValue(row sheetRow, o *offer) string {
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
	return format.CleanText(style, format.FitLeft(" "+text, c.width))
}

// renderTexts renders a line with the text of each visible quote in its column, or a line with
// empty columns if text is nil.
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

// descriptionLines renders the descriptions of the visible quotes, each wrapped in its column.
// It returns nil if no quote has a description, if a description needs more than h lines, or if
// all are the same while only differences are shown.
func (c *ComparePage) descriptionLines(h int) []string {
	wrapped := map[*offer][]string{}
	height := 0
	for _, o := range c.visibleQuotes() {
		text := format.Clean(strings.TrimSpace(o.Description))
		if text == "" {
			continue
		}
		wrapped[o] = format.Wrap(text, c.width-quoteGap)
		height = max(height, len(wrapped[o]))
	}
	if height == 0 || height > h {
		return nil
	}
	if c.onlyDiff && c.isSameDescription() {
		return nil
	}
	lines := make([]string, height)
	for i := range lines {
		name := page.TextIf(i == 0, "Description")
		lineOf := func(o *offer) string {
			if i < len(wrapped[o]) {
				return wrapped[o][i]
			}
			return ""
		}
		lines[i] = c.renderTexts(name, lineOf)
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

// timeLeft returns how long a quote can still be decided. The quote that expires first shows
// seconds.
func (c *ComparePage) timeLeft(o *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.TextCell(o.ExpiryDate.Raw)
	}
	isFirst := o == c.Set.SoonestExpiry(c.At)
	left := format.TimeLeft(o.ExpiryDate.Time, c.At, isFirst)
	return columns.TextCell(left).WithTone(UrgencyRole(o.ExpiryDate, c.At))
}
