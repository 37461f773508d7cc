package quotes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
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

// sheet draws the open quotes of a comparison next to each other, each in a column.
type sheet struct {
	*quoting.QuoteComparison // of the page
	theme                    *theme.Theme
	marked                   map[string]bool // by quote ID
	onlyDiff                 bool            // hide terms that are equal in all quotes

	firstVisible int // index of the first quote that is in view
	visibleCount int // number of quotes that are in view
	width        int // width of each quote's column
	figures      figureWidths
}

// figureWidths are the widths of the figures in the column of a quote. The numbers of all rows end at the same place,
// and their units follow: "1,388.43 EUR" is above "      28 days".
type figureWidths struct {
	unit int // width of the longest unit, with the space before it
	all  int // width of the longest number with the longest unit, or of the longest date
}

// pickIndex returns the index of the selected quote among the open quotes, or -1 if none is selected.
func (s *sheet) pickIndex() int { return slices.Index(s.Set.Open, s.Pick) }

// layOut computes how many quotes fit into w cells, how wide their columns are, and which quote
// is the leftmost. It must be called before the quotes are rendered.
func (s *sheet) layOut(w int) {
	room := w - labelWidth
	s.figures = s.measureFigures()
	leastWidth := max(leastQuote, s.figures.all+quoteGap)
	s.visibleCount = max(1, min(len(s.Set.Open), room/leastWidth))
	s.width = max(1, min(mostQuote, room/s.visibleCount))
	s.scrollToPick()
}

// scrollToPick moves the view only as far as is needed to show the selected quote.
func (s *sheet) scrollToPick() {
	lastFirst := max(0, len(s.Set.Open)-s.visibleCount) // the last quote is then the rightmost
	s.firstVisible = min(s.firstVisible, lastFirst)
	selected := s.pickIndex()
	if selected < s.firstVisible {
		s.firstVisible = max(0, selected)
	}
	if selected >= s.firstVisible+s.visibleCount {
		s.firstVisible = selected - s.visibleCount + 1
	}
}

// measureFigures returns the widths of the figures of all quotes.
func (s *sheet) measureFigures() figureWidths {
	var widths figureWidths
	number := 0
	for _, row := range s.sheetRows() {
		if row.isText {
			continue
		}
		for _, o := range s.Set.Open {
			text := format.Clean(row.value(o).Text)
			figure, isNumber := parseFigure(text)
			if isNumber {
				number = max(number, format.Width(figure.number))
				widths.unit = max(widths.unit, format.Width(figure.unit))
			} else if row.isFigure {
				widths.all = max(widths.all, format.Width(text))
			}
		}
	}
	widths.all = min(max(widths.all, number+widths.unit), mostQuote-quoteGap)
	return widths
}

// figure is a number with its unit.
type figure struct {
	number string // or the mark of a missing number
	unit   string // with the space before it; "" if the number has no unit
}

// figurePattern matches a number with its unit, such as "+1,388.43 EUR", "28 days" or "7.5%", and the mark of a missing
// number. It does not match dates and times, such as "8 d 23 h".
var figurePattern = regexp.MustCompile(`^([+−-]?[0-9][0-9.,]*|` + format.None + `)( ?[^0-9 ]+)?$`)

// parseFigure splits the text of a cell into a number and its unit. ok is false if the text is not a number.
func parseFigure(text string) (f figure, ok bool) {
	match := figurePattern.FindStringSubmatch(text)
	if match == nil {
		return figure{}, false
	}
	return figure{number: match[1], unit: match[2]}, true
}

// deliveryLines renders when the data is delivered if a quote is accepted today, and how that compares with the
// deadline.
func (s *sheet) deliveryLines() []string {
	rows := []sheetRow{
		{name: "Data until", value: s.deliveryDay, isFigure: true},
		{name: "  vs. deadline", value: s.deadlineDifference, isFigure: true},
	}
	var lines []string
	for _, row := range rows {
		if line, ok := s.renderRow(row); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

// deliveryDay returns the last day on which the data is delivered if the user accepts the quote today.
func (s *sheet) deliveryDay(o *offer) columns.Cell {
	if !o.DeliveryBy.Known || o.IsExpired(s.At) {
		return columns.NoCell()
	}
	return columns.TextCell(format.DayMoment(o.LatestDelivery(s.At), s.At))
}

// deadlineDifference returns how late or early the data is delivered if the user accepts the quote today, such
// as "3 days late". It compares [sheet.deliveryDay] with the deadline of the order.
func (s *sheet) deadlineDifference(o *offer) columns.Cell {
	if !o.DeliveryBy.Known || o.IsExpired(s.At) {
		return columns.NoCell()
	}
	late, known := o.DaysLate(s.At)
	switch {
	case !known:
		return columns.NoCell()
	case late > 0:
		return columns.TextCell(format.Count(late, "day") + " late").WithTone(theme.Attention)
	case late < 0:
		return columns.TextCell(format.Count(-late, "day") + " early").WithTone(theme.Good)
	default:
		return columns.TextCell("on the day")
	}
}

// sheetRow is a row of the comparison, with the value of one term for each quote.
type sheetRow struct {
	name     string
	value    func(*offer) columns.Cell
	isFigure bool // numbers, dates and times, which are aligned at the right
	isText   bool // sentences, which are aligned at the left even if they look like a number, such as "2 orders"
	isMain   bool // an important row, which is above the other rows
}

// lastMainDrop separates the important terms from the others. Terms with a higher Drop, which a narrow table
// hides first, are listed below the important terms.
const lastMainDrop = 2

// sheetRows returns the rows of the comparison, without the descriptions.
func (s *sheet) sheetRows() (rows []sheetRow) {
	for _, term := range s.Terms() {
		if term.Off || term.Title == "" || term.Name == "description" {
			continue
		}
		rows = append(rows, s.termRows(&term)...)
	}
	return rows
}

// termRows returns the rows of a term.
func (s *sheet) termRows(term *columns.Column[*offer]) []sheetRow {
	rows := s.namedRows(term)
	for i := range rows {
		rows[i].isFigure = !rows[i].isText && (term.IsRight() || term.Name == "expiryDate")
		rows[i].isMain = term.Drop <= lastMainDrop
	}
	return rows
}

// namedRows returns the rows of a term with their names and values. Most terms have one row. The price
// difference, the expiry and the discount have a second row, whose name is empty. The names of differences to
// the selected quote are indented, because they belong to the term above them.
func (s *sheet) namedRows(term *columns.Column[*offer]) []sheetRow {
	switch term.Name {
	case "difference":
		return []sheetRow{{name: "  " + term.Title, value: s.moneyDifference}, {value: s.shareDifference}}
	case dayDifferenceName:
		return []sheetRow{{name: "  " + term.Title, value: term.Value}}
	case "expiryDate":
		return []sheetRow{{name: "You decide by", value: s.expiryMoment}, {value: s.timeLeft}}
	case "discount":
		return []sheetRow{{name: term.Title, value: discountPercent}, {value: discountReason, isText: true}}
	}
	return []sheetRow{{name: term.Title, value: term.Value}}
}

// dayDifferenceName is the name of the term "difference in days to the selected quote". The name is empty,
// because names are headings in CSV files and CSV files do not contain this term.
const dayDifferenceName = ""

// moneyDifference returns the price of a quote minus the price of the selected quote, such as
// "+1,200 EUR".
func (s *sheet) moneyDifference(o *offer) columns.Cell {
	cell := s.priceDifference(o)
	if cell.Known {
		cell.Text = format.MoneyChange(cell.Num, cell.Code) + " " + cell.Code
	}
	return cell
}

// shareDifference returns the difference in price to the selected quote in percent.
func (s *sheet) shareDifference(o *offer) columns.Cell {
	cell := s.priceDifference(o)
	if !cell.Known {
		return columns.Cell{}
	}
	_, share, _ := quoting.Difference(o, s.Pick, (*offer).Price)
	cell.Text = format.Percent(share)
	return cell
}

// priceDifference returns the difference in price to the selected quote, as a cell with the amount in Num and the
// currency in Code.
func (s *sheet) priceDifference(o *offer) columns.Cell {
	return columns.PickColumns(s.Terms(), "difference")[0].Value(o)
}

// discountPercent returns the discount as a percentage, without its reason.
func discountPercent(o *offer) columns.Cell {
	text, _, _ := strings.Cut(o.DiscountText(), ", ")
	if text == "" {
		return columns.NoCell()
	}
	return columns.TextCell(text)
}

// discountReason returns the reason of a discount.
func discountReason(o *offer) columns.Cell {
	_, reason, _ := strings.Cut(o.DiscountText(), ", ")
	return columns.TextCell(reason)
}

// expiryMoment returns the last moment at which a quote can be decided. An expiry that could not be read as a time is
// returned as the service sent it.
func (s *sheet) expiryMoment(o *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.TextCell(o.ExpiryDate.Raw)
	}
	return columns.TextCell(format.Moment(o.ExpiryDate.Time, s.At))
}

// renderSheet renders the head of the comparison and as many of the lines in terms as fit into h lines. The
// head shows the names of the quotes and the number of terms that do not fit.
func (s *sheet) renderSheet(terms []string, h int) []string {
	fit := max(0, min(len(terms), h-headHeight))
	hidden := 0
	for _, line := range terms[fit:] {
		if !isBlankLine(line) {
			hidden++
		}
	}
	lines := append(s.renderHead(hidden), s.renderRule())
	lines = append(lines, terms[:fit]...)
	return lines[:max(0, min(len(lines), h))]
}

// isBlankLine reports whether a rendered line has only spaces.
func isBlankLine(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

// renderRule renders the rule below the names, which is heavy below the selected quote.
func (s *sheet) renderRule() string {
	th := s.theme
	line := " " + format.CleanText(th.Rule, strings.Repeat("─", labelWidth-2))
	for _, o := range s.visibleQuotes() {
		if o == s.Pick {
			line += format.CleanText(th.Style(theme.Accent), strings.Repeat("━", s.width))
		} else {
			line += format.CleanText(th.Rule, strings.Repeat("─", s.width))
		}
	}
	return line
}

// visibleQuotes returns the open quotes whose columns are in view.
func (s *sheet) visibleQuotes() []*offer {
	return s.Set.Open[s.firstVisible : s.firstVisible+s.visibleCount]
}

// renderLinear renders the quotes with their terms one after another, for screen readers.
func (s *sheet) renderLinear(w int) (lines []string) {
	for i, o := range s.Set.Open {
		margin := "   "
		if o == s.Pick {
			margin = " " + s.theme.SelectionMark() + " "
		}
		heading := fmt.Sprintf("Quote %d of %d: %s", i+1, len(s.Set.Open), s.describeQuote(o))
		lines = append(lines, margin+heading)
		for _, line := range widget.FactLines(s.theme, 0, w, s.termFacts(o)...) {
			lines = append(lines, "    "+line)
		}
	}
	return lines
}

// describeQuote returns the name of a quote, what it is best in, and whether it is marked.
func (s *sheet) describeQuote(o *offer) string {
	var parts []string
	if name := o.DisplayName(); name != "" {
		parts = append(parts, name)
	}
	if best := s.Set.BestOf(o, s.At); best != "" {
		parts = append(parts, best)
	}
	if s.marked[o.QuoteID] {
		parts = append(parts, "marked")
	}
	return format.Clean(strings.Join(parts, ", "))
}

// termFacts returns the terms of a quote that have a value.
func (s *sheet) termFacts(o *offer) (facts []widget.Fact) {
	for _, term := range s.Terms() {
		text := term.Value(o).Text
		if term.Title != "" && !term.Off && hasValue(text) {
			facts = append(facts, widget.Text(term.Title, text))
		}
	}
	return facts
}

// hasValue reports whether the text of a cell is a value, and not the mark of a missing value.
func hasValue(text string) bool { return text != "" && text != format.None }

// renderHead renders two lines. The first has the number of quotes out of view, and the name of each visible
// quote. The second has the number of hidden terms, and a remark on each visible quote; see remarkOf.
func (s *sheet) renderHead(hidden int) []string {
	th := s.theme
	beyond := beyondText(s.firstVisible, len(s.Set.Open)-s.firstVisible-s.visibleCount)
	more := ""
	if hidden > 0 {
		termsKey := action.KeyOf(action.Terms, action.Quotes)
		more = th.PaintMuted(fmt.Sprintf(" %d more: ", hidden)) + format.CleanText(th.Key, termsKey)
	}
	names := format.FitLeft(th.PaintMuted(beyond), labelWidth-1)
	ranks := format.FitLeft(more, labelWidth-1)
	for _, o := range s.visibleQuotes() {
		names += s.renderName(o)
		remark := format.CutLine(s.remarkOf(o), s.width-quoteGap)
		ranks += format.CleanText(s.quoteStyle(o, theme.Good), format.FitLeft(" "+remark, s.width))
	}
	return []string{names, ranks}
}

// renderName renders the mark and the name of a quote at the top of its column.
func (s *sheet) renderName(o *offer) string {
	style := s.quoteStyle(o, theme.Text).Bold()
	if o.IsExpired(s.At) {
		style = s.quoteStyle(o, theme.Muted)
	}
	name := format.CutLine(format.Clean(o.DisplayName()), s.width-quoteGap)
	mark := format.CleanText(s.quoteStyle(o, theme.Accent), s.markOf(o))
	return mark + format.CleanText(style, format.FitLeft(name, s.width-1))
}

// markOf returns the character before the name of a quote, which shows whether the quote is selected or marked. A
// quote that is both has the mark of the selected quote. The word below its name says that it is marked.
func (s *sheet) markOf(o *offer) string {
	if o == s.Pick {
		return "▸"
	}
	if s.marked[o.QuoteID] {
		return "▪"
	}
	return " "
}

// remarkOf returns what a quote is best in, after the word "marked" if the quote is marked.
func (s *sheet) remarkOf(o *offer) string {
	best := s.Set.BestOf(o, s.At)
	if !s.marked[o.QuoteID] {
		return best
	}
	if best == "" {
		return "marked"
	}
	return "marked, " + best
}

// quoteStyle returns the style of text in the column of a quote. The selected quote has the
// background of a selected row.
func (s *sheet) quoteStyle(o *offer, role theme.Role) theme.Style {
	if o == s.Pick {
		return s.theme.SelectedStyle(role)
	}
	return s.theme.Style(role)
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

// termLines renders the important terms, then the given lines about the delivery, a blank line, and the other
// terms. A low window hides the last lines.
func (s *sheet) termLines(deliveries []string) []string {
	var mainLines, otherLines []string
	for _, row := range s.sheetRows() {
		line, ok := s.renderRow(row)
		if !ok {
			continue
		}
		if row.isMain {
			mainLines = append(mainLines, line)
		} else {
			otherLines = append(otherLines, line)
		}
	}
	mainLines = append(mainLines, deliveries...)
	if len(mainLines) > 0 && len(otherLines) > 0 {
		mainLines = append(mainLines, s.renderTexts("", nil)) // a blank line
	}
	return append(mainLines, otherLines...)
}

// renderRow renders the values of a term for the visible quotes. It returns false if the row is hidden.
func (s *sheet) renderRow(row sheetRow) (line string, ok bool) {
	if s.isHidden(row) {
		return "", false
	}
	line = s.theme.PaintMuted(format.FitLeft(" "+row.name, labelWidth-1))
	for _, o := range s.visibleQuotes() {
		line += s.renderValue(row, o)
	}
	return line, true
}

// isHidden reports whether a row is left out, because no quote has a value in it. While only differences are
// shown, it also leaves out rows in which all quotes have the same value.
func (s *sheet) isHidden(row sheetRow) bool {
	isEmpty := true
	isSame := true
	first := row.value(s.Set.Open[0]).Text
	for _, o := range s.Set.Open {
		text := row.value(o).Text
		if hasValue(text) {
			isEmpty = false
		}
		if text != first {
			isSame = false
		}
	}
	return isEmpty || s.onlyDiff && isSame
}

// renderValue renders the value of a row in the column of a quote.
func (s *sheet) renderValue(row sheetRow, o *offer) string {
	cell := row.value(o)
	role := cell.Role
	if o.IsExpired(s.At) && role != theme.Bad {
		role = theme.Muted
	}
	style := s.quoteStyle(o, role)
	if row.name == "Final price" && role == theme.Text {
		style = style.Bold()
	}
	text := format.CutLine(format.Clean(cell.Text), s.width-quoteGap)
	if !row.isText {
		text = s.figures.align(text, row.isFigure)
	}
	return format.CleanText(style, format.FitLeft(" "+text, s.width))
}

// align pads a text so that numbers end at the same place in all rows. If isFigure is true, text that is not a
// number, such as a date, is aligned at the right. Other text is returned unchanged.
func (w *figureWidths) align(text string, isFigure bool) string {
	if f, isNumber := parseFigure(text); isNumber {
		return format.FitRight(f.number, w.all-w.unit) + f.unit
	}
	if isFigure {
		return format.FitRight(text, w.all)
	}
	return text
}

// renderTexts renders a row of the comparison: its name, and in the column of each visible quote the text that
// the function text returns. If text is nil, the columns are empty.
func (s *sheet) renderTexts(name string, text func(*offer) string) string {
	line := s.theme.PaintMuted(format.FitLeft(" "+name, labelWidth-1))
	for _, o := range s.visibleQuotes() {
		cell := ""
		if text != nil {
			cell = text(o)
		}
		line += format.CleanText(s.quoteStyle(o, theme.Text), format.FitLeft(" "+cell, s.width))
	}
	return line
}

// descriptionLines renders the descriptions of the visible quotes, each wrapped in its column. It returns nil if no
// quote has a description, or if a description needs more than h lines. It also returns nil if all descriptions are
// the same and only differences are shown.
func (s *sheet) descriptionLines(h int) []string {
	wrapped := map[*offer][]string{}
	height := 0
	for _, o := range s.visibleQuotes() {
		text := format.Clean(strings.TrimSpace(o.Description))
		if text == "" {
			continue
		}
		wrapped[o] = format.Wrap(text, s.width-quoteGap)
		height = max(height, len(wrapped[o]))
	}
	if height == 0 || height > h {
		return nil
	}
	if s.onlyDiff && s.isSameDescription() {
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
		lines[i] = s.renderTexts(name, lineOf)
	}
	return lines
}

// isSameDescription reports whether all quotes have the same description.
func (s *sheet) isSameDescription() bool {
	for _, o := range s.Set.Open {
		if strings.TrimSpace(o.Description) != strings.TrimSpace(s.Set.Open[0].Description) {
			return false
		}
	}
	return true
}

// timeLeft returns how much time is left to decide a quote, such as "8 d 23 h left". The quote that expires first
// shows seconds in its last hour. For an expiry that could not be read, the cell is empty.
func (s *sheet) timeLeft(o *offer) columns.Cell {
	if !o.ExpiryDate.IsRead() {
		return columns.Cell{}
	}
	showsSeconds := o == s.Set.SoonestExpiry(s.At) && isLastHour(o, s.At)
	left := format.TimeLeft(o.ExpiryDate.Time, s.At, showsSeconds)
	if !o.IsExpired(s.At) {
		left += " left"
	}
	return columns.TextCell(left).WithTone(UrgencyRole(o.ExpiryDate, s.At))
}
