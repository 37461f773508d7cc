package quotes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

const (
	labelWidth = 17 // of the terms' names, with the margin
	leastQuote = 21 // of a quote's column: fits a difference in money and percent, and the gap
	mostQuote  = 34
	quoteGap   = 1
	headHeight = 3 // names, marks and a rule
)

// finalPrice is the name of the highlighted term.
const finalPrice = "Final price"

// comparisonSheet is a table of quotes: a row for each term, a column for each quote.
type comparisonSheet struct {
	th       *theme.Theme
	now      time.Time
	board    quoting.OfferSet
	chosen   int
	marked   map[string]bool   // by quote ID
	notes    map[string]string // by quote ID
	orders   map[string]string // names by ID, if quotes of several orders are shown
	onlyDiff bool              // hide terms that are equal in all quotes
	left     int               // first column in view

	ticking  *quoting.Offer
	money    int                // width of the widest price
	topPrice map[string]float64 // longest bar, by currency
	topDays  float64
	width    int // width of a quote's text
	hidden   int // terms that did not fit
}

// sheetEntry is the value of a term in one quote.
type sheetEntry struct {
	text string
	role theme.Role
	bar  float64 // length of a bar, 0 to 1, shown instead of text
}

// sheetTerm is a row of the sheet.
type sheetTerm struct {
	name    string
	entries []sheetEntry
	minor   int // hidden first if lines are short, highest first; 0 always stays

	compares bool // meaningless for a single quote
}

// layOut computes the column widths for w cells. Call it before renderLines.
func (s *comparisonSheet) layOut(w int) {
	s.measureSums()
	if len(s.board.Open) > 0 {
		_, width := s.fitColumns(w)
		s.width = width - quoteGap - 1
	}
}

// fitColumns returns how many quotes fit and the width of their columns.
func (s *comparisonSheet) fitColumns(w int) (shown, width int) {
	room := w - labelWidth
	need := max(leastQuote, s.money+quoteGap+1)
	shown = max(1, min(len(s.board.Open), room/need))
	return shown, max(1, min(mostQuote, room/shown))
}

// scrollToChosen scrolls to the selected quote.
func (s *comparisonSheet) scrollToChosen(shown int) {
	s.left = max(0, min(s.left, s.chosen, len(s.board.Open)-shown))
	if s.chosen >= s.left+shown {
		s.left = s.chosen - shown + 1
	}
}

// measureSums computes the widest price, to align all prices, and the longest bars.
// Bars of prices are scaled per currency.
func (s *comparisonSheet) measureSums() {
	s.money, s.topPrice, s.topDays = 0, map[string]float64{}, 0
	for _, o := range s.board.Open {
		price, _ := o.Price()
		n, _ := o.DeliveryDays()
		s.topPrice[o.Currency], s.topDays = max(s.topPrice[o.Currency], price), max(s.topDays, n)
		for _, text := range []string{o.FullPriceText(), o.PriceText()} {
			s.money = max(s.money, layout.Width(layout.Clean(text)))
		}
	}
	s.money = min(s.money, mostQuote-quoteGap-1)
}

// renderLines renders names, marks and terms in at most h lines. The number of terms
// that do not fit is shown left of the marks.
func (s *comparisonSheet) renderLines(w, h int) []string {
	s.ticking = s.board.SoonestExpiry(s.now)
	shown, width := s.fitColumns(w)
	s.scrollToChosen(shown)
	s.hidden = 0
	all := s.sheetTerms(shown)
	terms := s.fitTerms(slices.Clone(all), h-headHeight)
	for _, t := range all {
		if t.name != "" && !t.isIn(terms) {
			s.hidden++
		}
	}
	lines := append(
		s.renderHead(shown, width),
		layout.CleanText(s.th.Rule, " "+strings.Repeat("─", max(0, min(w-2, labelWidth+shown*width-quoteGap-2)))),
	)
	for _, t := range terms {
		if t.name == "Description" {
			lines = append(lines, s.renderWrapped(t, width, h-len(lines))...)
			continue
		}
		lines = append(lines, s.renderTerm(t, width))
	}
	return lines[:max(0, min(len(lines), h))]
}

// renderLinear renders the quotes one after another, for screen readers, each
// comparison right after its term.
func (s *comparisonSheet) renderLinear() []string {
	s.ticking, s.left, s.hidden = s.board.SoonestExpiry(s.now), 0, 0
	terms := s.sheetTerms(len(s.board.Open))
	var lines []string
	for i, o := range s.board.Open {
		lead, state := "   ", ""
		if i == s.chosen {
			lead = " " + s.th.SelectionMark() + " "
		}
		if s.marked[o.QuoteID] {
			state = ", marked"
		}
		head := strings.Join(
			slices.DeleteFunc(
				[]string{o.DisplayName(), s.orders[o.OrderID], strings.Join(s.board.BestWords(o, s.now), ", ")},
				func(part string) bool { return part == "" },
			),
			", ",
		)
		lines = append(
			lines,
			fmt.Sprintf("%sQuote %d of %d: %s%s", lead, i+1, len(s.board.Open), layout.Clean(head), state),
		)
		for _, t := range terms {
			text := strings.TrimSpace(layout.Clean(t.entries[i].text))
			switch name := strings.TrimSpace(t.name); {
			case text == "" || text == format.None:
			case strings.HasPrefix(t.name, " ") || name == "":
				lines[len(lines)-1] += ", " + strings.TrimSpace(name+" "+text)
			default:
				lines = append(lines, "     "+name+": "+text)
			}
		}
	}
	return lines
}

// mostLines is the most lines of a description in its column.
const mostLines = 4

// renderWrapped renders a term with wrapped text in at most room lines.
func (s *comparisonSheet) renderWrapped(t sheetTerm, width, room int) []string {
	parts := make([][]string, len(t.entries))
	n := 1
	for i, e := range t.entries {
		parts[i] = layout.Wrap(layout.Clean(e.text), s.width)
		n = max(n, len(parts[i]))
	}
	if n > min(room, mostLines) {
		return []string{s.renderTerm(t, width)} // cut to one line
	}
	lines := make([]string, n)
	for row := range lines {
		part := sheetTerm{name: t.name, entries: slices.Clone(t.entries)}
		if row > 0 {
			part.name = " "
		}
		for i := range part.entries {
			part.entries[i].text = ""
			if row < len(parts[i]) {
				part.entries[i].text = parts[i][row]
			}
		}
		lines[row] = s.renderTerm(part, width)
	}
	return lines
}

func (t *sheetTerm) isIn(terms []sheetTerm) bool {
	return slices.ContainsFunc(terms, func(o sheetTerm) bool { return o.name == t.name && o.minor == t.minor })
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
		terms = slices.Delete(terms, drop, drop+1)
	}
	return terms
}

// renderHead renders the rows of names and of what each quote is best in, with the
// number of quotes out of view.
func (s *comparisonSheet) renderHead(shown, width int) []string {
	var names, words strings.Builder
	names.WriteString(layout.FitLeft(s.beyondText(s.left, len(s.board.Open)-s.left-shown), labelWidth-1))
	more := ""
	if s.hidden > 0 {
		more = s.th.PaintMuted(" "+format.Count(s.hidden, "more", "more")+": ") + layout.CleanText(s.th.Key, "enter")
	}
	words.WriteString(layout.FitLeft(more, labelWidth-1))
	for i := s.left; i < s.left+shown; i++ {
		o := s.board.Open[i]
		pointer, style := " ", s.th.Title
		if i == s.chosen {
			pointer = "▸"
		}
		if s.marked[o.QuoteID] {
			pointer = map[bool]string{true: "▪", false: "▫"}[i == s.chosen]
		}
		if o.IsExpired(s.now) {
			style = s.th.Style(theme.Muted)
		}
		names.WriteString(s.th.PaintRole(theme.Accent, pointer))
		name := layout.FitLeft(layout.Clean(o.DisplayName()), width-1-quoteGap)
		names.WriteString(layout.CleanText(style, name) + layout.BlankCells(quoteGap))
		word := strings.Join(shortenWords(s.board.BestWords(o, s.now), width-1-quoteGap), " · ")
		role := theme.Good
		if name := s.orders[o.OrderID]; name != "" && word == "" {
			word, role = name, theme.Muted
		}
		words.WriteString(
			" " + s.th.PaintRole(role, layout.FitLeft(word, width-1-quoteGap)) + layout.BlankCells(quoteGap),
		)
	}
	return []string{names.String(), words.String()}
}

// beyondText returns how many quotes are out of view on each side.
func (s *comparisonSheet) beyondText(before, after int) string {
	text := ""
	switch {
	case before > 0 && after > 0:
		text = fmt.Sprintf(" ‹ %d · %d more ›", before, after)
	case before > 0:
		text = fmt.Sprintf(" ‹ %d more", before)
	case after > 0:
		text = fmt.Sprintf(" %d more ›", after)
	}
	return s.th.PaintMuted(text)
}

// shortenWords removes words from the end until the others fit into w cells.
func shortenWords(words []string, w int) []string {
	if len(words) > 1 && layout.Width(strings.Join(words, " · ")) > w {
		for i := range words {
			words[i] = strings.TrimPrefix(words[i], "best ")
		}
	}
	for len(words) > 1 && layout.Width(strings.Join(words, " · ")) > w {
		words = words[:len(words)-1]
	}
	return words
}

func (s *comparisonSheet) renderTerm(t sheetTerm, width int) string {
	var b strings.Builder
	b.WriteString(s.th.PaintMuted(layout.FitLeft(" "+t.name, labelWidth)))
	for _, e := range t.entries {
		inner := width - quoteGap - 1
		if t.name == "" && e.text == "" {
			filled, _ := widget.HeavyLine(e.bar, inner)
			b.WriteString(s.th.PaintRole(e.role, layout.FitLeft(filled, inner)))
		} else {
			style := s.th.Style(e.role)
			if t.name == finalPrice && e.role == theme.Text {
				style = s.th.Title
			}
			b.WriteString(layout.CleanText(style, layout.FitLeft(layout.Clean(e.text), inner)))
		}
		b.WriteString(layout.BlankCells(quoteGap + 1))
	}
	return b.String()
}

// sheetTerms returns the rows for the quotes in view. Differences to the selected quote
// follow the row they compare.
func (s *comparisonSheet) sheetTerms(shown int) []sheetTerm {
	pick := s.board.Open[s.chosen]
	one := len(s.board.Open) == 1
	unit := format.PriceUnit()
	perArea := "Per " + unit.Name
	if pick.Area > 0 {
		perArea += " · " + format.GroupDigits(pick.Area/unit.Per, unit.Decimals)
	}
	all := []sheetTerm{
		s.sumTerm("Before discount", 4, (*quoting.Offer).FullPriceText),
		s.textTerm("Discount", 3, func(o *quoting.Offer) string { return cmp.Or(o.DiscountText(), format.None) }),
		s.sumTerm(finalPrice, 0, (*quoting.Offer).PriceText),
		s.comparingTerm("", 6, s.priceBar), s.comparingTerm("  vs. selected", 2, s.differenceEntry),
		s.sumTerm(perArea, 5, (*quoting.Offer).PerAreaText), s.sumTerm("Per day", 8, (*quoting.Offer).PerDayText),
		s.sumTerm("Delivery", 0, (*quoting.Offer).DeliveryText),
		s.comparingTerm("", 7, s.dayBar), s.comparingTerm("  vs. selected ", 2, s.againstDays),
		s.newTerm("Expires", 0, s.expiryEntry), s.newTerm("", 4, s.expiryDate),
		s.textTerm("Description", 9, func(o *quoting.Offer) string { return strings.TrimSpace(o.Description) }),
		s.textTerm("Your note", 1, func(o *quoting.Offer) string { return s.notes[o.QuoteID] }),
	}
	var rows []sheetTerm
	for _, t := range all {
		if one && t.compares || t.isEmpty() || s.onlyDiff && t.isCommon() {
			continue
		}
		t.entries = t.entries[s.left : s.left+shown]
		rows = append(rows, t)
	}
	return rows
}

func (s *comparisonSheet) newTerm(name string, minor int, say func(*quoting.Offer) sheetEntry) sheetTerm {
	t := sheetTerm{name: name, minor: minor}
	for _, o := range s.board.Open {
		e := say(o)
		if o.IsExpired(s.now) && e.role != theme.Bad {
			e.role = theme.Muted
		}
		t.entries = append(t.entries, e)
	}
	return t
}

// textTerm returns a row of text.
func (s *comparisonSheet) textTerm(name string, minor int, say func(*quoting.Offer) string) sheetTerm {
	return s.newTerm(name, minor, func(o *quoting.Offer) sheetEntry { return sheetEntry{text: say(o)} })
}

// sumTerm returns a row of prices, aligned to the right.
func (s *comparisonSheet) sumTerm(name string, minor int, say func(*quoting.Offer) string) sheetTerm {
	return s.textTerm(name, minor, func(o *quoting.Offer) string {
		return layout.FitRight(cmp.Or(say(o), format.None), s.money)
	})
}

func (s *comparisonSheet) comparingTerm(name string, minor int, say func(*quoting.Offer) sheetEntry) sheetTerm {
	t := s.newTerm(name, minor, say)
	t.compares = true
	return t
}

func (t *sheetTerm) isEmpty() bool {
	for _, e := range t.entries {
		if text := strings.TrimSpace(e.text); e.bar > 0 || text != "" && text != format.None {
			return false
		}
	}
	return t.name != finalPrice && t.name != "Delivery" && t.name != "Expires"
}

func (t *sheetTerm) isCommon() bool {
	for _, e := range t.entries {
		if e.text != t.entries[0].text || e.bar != t.entries[0].bar {
			return false
		}
	}
	return len(t.entries) > 1
}

func (s *comparisonSheet) priceBar(o *quoting.Offer) sheetEntry {
	price, _ := o.Price()
	top := s.topPrice[o.Currency]
	if o.Currency == "" || top == 0 || price <= 0 {
		return sheetEntry{role: theme.Accent}
	}
	return sheetEntry{bar: price / top, role: s.barRole(o)}
}

// barRole highlights the bars of the selected quote.
func (s *comparisonSheet) barRole(o *quoting.Offer) theme.Role {
	if o == s.board.Open[s.chosen] {
		return theme.Accent
	}
	return theme.Pending
}

func (s *comparisonSheet) dayBar(o *quoting.Offer) sheetEntry {
	if n, _ := o.DeliveryDays(); s.topDays > 0 {
		return sheetEntry{bar: n / s.topDays, role: s.barRole(o)}
	}
	return sheetEntry{role: theme.Pending}
}

func (s *comparisonSheet) differenceEntry(o *quoting.Offer) sheetEntry {
	pick := s.board.Open[s.chosen]
	if o == pick || len(s.board.Open) < 2 {
		return sheetEntry{text: format.None}
	}
	by, share, ok := quoting.Difference(o, pick, (*quoting.Offer).Price)
	switch {
	case !ok:
		return sheetEntry{text: format.None}
	case o.Currency == "" || pick.Currency == "":
		return sheetEntry{text: "no currency", role: theme.Attention}
	case !quoting.AreComparable(o, pick):
		return sheetEntry{text: "other currency", role: theme.Attention}
	}
	return sheetEntry{text: format.MoneyChange(by, o.Currency) + " " + format.Percent(share), role: differenceRole(by)}
}

// differenceRole returns the role of a difference; less is better.
func differenceRole(by float64) theme.Role {
	switch {
	case by < 0:
		return theme.Good
	case by > 0:
		return theme.Attention
	default:
		return theme.Text
	}
}

func (s *comparisonSheet) againstDays(o *quoting.Offer) sheetEntry {
	pick := s.board.Open[s.chosen]
	by, _, ok := quoting.Difference(o, pick, (*quoting.Offer).DeliveryDays)
	if o == pick || !ok {
		return sheetEntry{text: format.None}
	}
	if by == 0 {
		return sheetEntry{text: "the same"}
	}
	unit := " days"
	if by == 1 || by == -1 {
		unit = " day"
	}
	return sheetEntry{text: format.SignedChange(by, 0) + unit, role: differenceRole(by)}
}

func (s *comparisonSheet) expiryEntry(o *quoting.Offer) sheetEntry {
	left := format.TimeLeft(o.ExpiryDate.Time, s.now, o == s.ticking)
	if !o.ExpiryDate.IsRead() && o.ExpiryDate.Raw != "" {
		return sheetEntry{text: o.ExpiryDate.Raw}
	}
	e := sheetEntry{text: layout.FitRight(left, s.money), role: UrgencyRole(o.ExpiryDate, s.now)}
	if left != format.None && !o.IsExpired(s.now) && layout.Width(e.text)+len(" left") <= s.width {
		e.text += " left"
	}
	return e
}

// UrgencyRole returns the role of an expiry time.
func UrgencyRole(expiry api.Time, now time.Time) theme.Role {
	switch api.UrgencyOf(expiry, now) {
	case api.LastHour:
		return theme.Bad
	case api.Urgent:
		return theme.Attention
	default:
		return theme.Text
	}
}

func (s *comparisonSheet) expiryDate(o *quoting.Offer) sheetEntry {
	if !o.ExpiryDate.IsRead() {
		return sheetEntry{}
	}
	return sheetEntry{text: format.Moment(o.ExpiryDate.Time, s.now), role: theme.Muted}
}
