package quotes

import (
	"fmt"
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
	labelWidth = 18 // width of the column of names, with the margin
	leastQuote = 20 // minimum width of a quote's column, with the gap
	mostQuote  = 32 // maximum width of a quote's column
	quoteGap   = 2
)

// sheet draws the open quotes of a comparison next to each other, each in a column.
type sheet struct {
	*quoting.QuoteComparison // the comparison that the page shows
	theme                    *theme.Theme
	marked                   map[string]bool // by quote ID
	onlyDiff                 bool            // hide terms that are equal in all quotes

	firstVisible int  // index of the first quote that is in view
	visibleCount int  // number of quotes that are in view
	width        int  // width of each quote's column
	hasRemarkRow bool // remarks such as "cheapest" are below the names, because they do not fit next to the names

	// deciding returns "accepting" or "rejecting" for a quote whose decision is pending, otherwise "".
	deciding func(o *offer) string
}

// pickIndex returns the index of the selected quote among the open quotes, or -1 if none is selected.
func (s *sheet) pickIndex() int { return slices.Index(s.Set.Open, s.Pick) }

// layOut computes how many quotes fit into w cells, how wide their columns are, and which quote
// is the leftmost. It must be called before the quotes are rendered.
func (s *sheet) layOut(w int) {
	room := w - labelWidth + 1
	leastWidth := max(leastQuote, s.widestValue()+quoteGap)
	s.visibleCount = max(1, min(len(s.Set.Open), room/leastWidth))
	s.width = max(1, min(mostQuote, room/s.visibleCount))
	s.hasRemarkRow = slices.ContainsFunc(s.Set.Open, func(o *offer) bool {
		name := format.Clean(o.DisplayName())
		return format.Width(name+afterName(s.remarkOf(o))) > s.valueWidth()
	})
	s.scrollToPick()
}

// headHeight returns the number of rows above the terms: the names, the remarks about the quotes unless they are next
// to the names, and a rule.
func (s *sheet) headHeight() int {
	if s.hasRemarkRow {
		return 3
	}
	return 2
}

// valueWidth returns the width of the values in the column of a quote. All values end at its right edge.
func (s *sheet) valueWidth() int { return s.width - quoteGap }

// afterName returns a remark about a quote as it follows the name of the quote, or "" without a remark.
func afterName(remark string) string {
	if remark == "" {
		return ""
	}
	return " · " + remark
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

// widestValue returns the width of the widest number, date or time of all quotes.
func (s *sheet) widestValue() int {
	widest := 0
	for _, row := range s.sheetRows() {
		if row.isText {
			continue
		}
		for _, o := range s.Set.Open {
			widest = max(widest, format.Width(format.Clean(row.value(o).Text)))
		}
	}
	return min(widest, mostQuote-quoteGap)
}

// deliveryLines renders when the data is delivered if a quote is accepted today, and how that compares with the
// deadline.
func (s *sheet) deliveryLines() []string {
	rows := s.deliveryRows()
	day, hasDay := s.renderRow(rows[0])
	if !hasDay {
		return nil
	}
	difference, hasDifference := s.renderRow(rows[1])
	if !hasDifference { // its name continues the name of the first row
		difference = s.renderTexts(rows[1].name, nil)
	}
	return []string{day, difference}
}

// deliveryRows returns two rows: the day on which the data is delivered, and how this day compares with the deadline.
// The names of the rows together read "Data by, if accepted today".
func (s *sheet) deliveryRows() []sheetRow {
	return []sheetRow{
		{name: "Data by, if", value: s.deliveryDay},
		{name: "accepted today", value: s.deadlineDifference},
	}
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
	name   string
	value  func(*offer) columns.Cell
	isText bool // sentences, which may be cut
	isMain bool // one of the rows that matter most, which are above the others
}

// lastMainDrop is the largest Drop of an important term. A term's Drop says how early a narrow table hides the term.
// Terms with a larger Drop than lastMainDrop are listed below the important terms.
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

// dayDifferenceName is the name of the term "difference in days to the selected quote". The name is empty, because CSV
// files leave out terms without a name.
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
	room := max(0, h-s.headHeight())
	if len(terms) > room {
		terms = slices.DeleteFunc(terms, isBlankLine)
	}
	fit := min(len(terms), room)
	lines := append(s.renderHead(), s.renderRule(countTerms(terms[fit:])))
	lines = append(lines, terms[:fit]...)
	return lines[:max(0, min(len(lines), h))]
}

// countTerms returns the number of terms in rendered lines. A line without a name continues the term above it. If all
// lines continue a term, countTerms returns 1.
func countTerms(lines []string) int {
	named := 0
	for _, line := range lines {
		if !isBlankLine(format.CutLine(ansi.Strip(line), labelWidth-1)) {
			named++
		}
	}
	if named == 0 && len(lines) > 0 {
		return 1
	}
	return named
}

// isBlankLine reports whether a rendered line has only spaces.
func isBlankLine(line string) bool { return strings.TrimSpace(ansi.Strip(line)) == "" }

// renderRule renders the rule below the names, which is heavy below the selected quote. If hidden is not 0, the rule
// begins with the number of hidden rows and the key that shows them. If quotes to the right are out of view, the rule
// ends with their name or number.
func (s *sheet) renderRule(hidden int) string {
	th := s.theme
	more := ""
	if hidden > 0 {
		termsKey := action.KeyOf(action.Terms, action.Quotes)
		more = th.PaintMuted(format.Count(hidden, "more row")+": ") + format.CleanText(th.Key, termsKey) + " "
	}
	const labelRoom = labelWidth - 2
	moreWidth := format.Width(more)
	beyond := s.rightBeyondText()
	line := " " + more + format.CleanText(th.Rule, strings.Repeat("─", max(0, labelRoom-moreWidth)))
	visible := s.visibleQuotes()
	for i, o := range visible {
		width := s.width
		if i == 0 {
			width -= max(0, moreWidth-labelRoom)
		}
		if i == len(visible)-1 {
			width -= format.Width(beyond)
		}
		dash := "─"
		style := th.Rule
		if o == s.Pick {
			dash = "━"
			style = th.Style(theme.Accent)
		}
		line += format.CleanText(style, strings.Repeat(dash, max(0, width)))
	}
	return line + th.PaintMuted(beyond)
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

// describeQuote returns the name of a quote and the remark about it.
func (s *sheet) describeQuote(o *offer) string {
	var parts []string
	if name := o.DisplayName(); name != "" {
		parts = append(parts, name)
	}
	if remark := s.remarkOf(o); remark != "" {
		parts = append(parts, remark)
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

// renderHead renders which quotes to the left are out of view, and the names of the visible quotes, each with a remark
// such as "cheapest". If the remarks do not fit next to the names, they are in a second line.
func (s *sheet) renderHead() []string {
	names := s.theme.PaintMuted(format.FitLeft(" "+s.leftBeyondText(), labelWidth-1))
	remarks := format.BlankCells(labelWidth - 1)
	for _, o := range s.visibleQuotes() {
		names += s.renderName(o)
		remark := format.CutLine(s.remarkOf(o), s.valueWidth())
		remarks += s.fitValue(remark, s.quoteStyle(o, s.remarkRole(o)))
	}
	if s.hasRemarkRow {
		return []string{names, remarks}
	}
	return []string{names}
}

// renderName renders the mark and the name of a quote at the top of its column. The remark about the quote, such as
// "cheapest", follows the name unless it is in the row below.
func (s *sheet) renderName(o *offer) string {
	style := s.quoteStyle(o, theme.Text).Bold()
	if o.IsExpired(s.At) {
		style = s.quoteStyle(o, theme.Muted)
	}
	remark := ""
	if !s.hasRemarkRow {
		remark = afterName(s.remarkOf(o))
	}
	name := format.CutLine(format.Clean(o.DisplayName()), s.valueWidth()-format.Width(remark))
	before := s.valueWidth() - format.Width(name+remark)
	blank := s.quoteStyle(o, theme.Text)
	return format.CleanText(blank, format.BlankCells(before)) +
		format.CleanText(s.quoteStyle(o, theme.Accent), s.markOf(o)) +
		format.CleanText(style, name) +
		format.CleanText(s.quoteStyle(o, s.remarkRole(o)), remark) +
		format.CleanText(blank, " ")
}

// remarkOf returns "accepting" or "rejecting" for a quote that is being decided. For any other quote it returns what
// the quote is best in, such as "cheapest", with the word "marked" before it if the user has marked the quote.
func (s *sheet) remarkOf(o *offer) string {
	if deciding := s.deciding(o); deciding != "" {
		return deciding
	}
	best := s.Set.BestOf(o, s.At)
	if !s.marked[o.QuoteID] {
		return best
	}
	if best == "" {
		return "marked"
	}
	return "marked, " + best
}

// remarkRole returns the role of the text of [sheet.remarkOf].
func (s *sheet) remarkRole(o *offer) theme.Role {
	if s.deciding(o) != "" {
		return theme.Attention
	}
	return theme.Good
}

// fitValue renders a text in the column of a quote. The text ends at the right edge of the values.
func (s *sheet) fitValue(text string, style theme.Style) string {
	return format.CleanText(style, " "+format.FitRight(text, s.valueWidth())+" ")
}

// markOf returns the character before the name of a quote, which shows whether the quote is selected or marked. A quote
// that is selected and marked has the character of a selected quote; the word "marked" in its remark then shows the
// mark.
func (s *sheet) markOf(o *offer) string {
	if o == s.Pick {
		return "▸"
	}
	if s.marked[o.QuoteID] {
		return "▪"
	}
	return " "
}

// quoteStyle returns the style of text in the column of a quote. The selected quote has the
// background of a selected row.
func (s *sheet) quoteStyle(o *offer, role theme.Role) theme.Style {
	if o == s.Pick {
		return s.theme.SelectedStyle(role)
	}
	return s.theme.Style(role)
}

// leftBeyondText returns the name of the quote to the left that is out of view, or the number of such quotes. It
// returns "" if there is none.
func (s *sheet) leftBeyondText() string {
	hidden := s.Set.Open[:s.firstVisible]
	if len(hidden) == 0 {
		return ""
	}
	return format.CutLine("← "+nameOrCount(hidden), labelWidth-2)
}

// rightBeyondText returns the name of the quote to the right that is out of view, or the number of such quotes, with
// a blank on each side. It returns "" if there is none.
func (s *sheet) rightBeyondText() string {
	hidden := s.Set.Open[s.firstVisible+s.visibleCount:]
	if len(hidden) == 0 {
		return ""
	}
	return " " + format.CutLine(nameOrCount(hidden), labelWidth-4) + " → "
}

// nameOrCount returns the name of a single quote, or the number of several quotes.
func nameOrCount(offers []*offer) string {
	if len(offers) == 1 {
		return format.Clean(offers[0].DisplayName())
	}
	return format.Count(len(offers), "quote")
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
	isEmpty, isSame := s.compareValues(row)
	return isEmpty || s.onlyDiff && isSame
}

// hasSameTerms reports whether all quotes have the same value in at least one row.
func (s *sheet) hasSameTerms() bool {
	rows := slices.Concat(s.sheetRows(), s.deliveryRows())
	isSameRow := func(row sheetRow) bool {
		isEmpty, isSame := s.compareValues(row)
		return isSame && !isEmpty
	}
	hasDescription := strings.TrimSpace(s.Set.Open[0].Description) != ""
	return slices.ContainsFunc(rows, isSameRow) || hasDescription && s.isSameDescription()
}

// compareValues reports whether no quote has a value in a row, and whether all quotes have the same value.
func (s *sheet) compareValues(row sheetRow) (isEmpty, isSame bool) {
	isEmpty = true
	isSame = true
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
	return isEmpty, isSame
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
	return s.fitValue(format.CutLine(format.Clean(cell.Text), s.valueWidth()), style)
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
		wrapped[o] = format.Wrap(text, s.valueWidth())
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
