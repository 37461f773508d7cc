package quotes

import (
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
	labelWidth = 17 // of the terms' names, the margin included
	leastQuote = 21 // of a quote's column: a difference in money and percent, and the gap
	mostQuote  = 34
	quoteGap   = 1
	headHeight = 3 // names, marks and a rule
)

// sheet is quotes side by side: a row for each term, a column for each quote.
type sheet struct {
	th       *theme.Theme
	now      time.Time
	board    quoting.Set
	chosen   int
	marked   map[string]bool   // by quote id
	notes    map[string]string // by quote id
	orders   map[string]string // names of the orders, where they are several
	onlyDiff bool              // leaves out terms that all quotes have in common
	left     int               // first column in view

	ticking  *quoting.Offer
	money    int                // cells of the widest sum
	topPrice map[string]float64 // longest bar, by currency
	topDays  float64
	width    int // cells of a quote's text
	hidden   int // terms that had no room in it
}

// entry is what a quote says about a term.
type entry struct {
	text string
	role theme.Role
	bar  float64 // share of a bar, instead of text

	strong bool
}

// term is a row of the sheet.
type term struct {
	name    string
	entries []entry
	minor   int // leaves first where there are too few lines, the highest first; 0 stays

	compares bool // says nothing of one quote alone
}

// layOut measures what there is for w cells; lines draws it.
func (s *sheet) layOut(w int) {
	s.measure()
	if len(s.board.Open) > 0 {
		_, width := s.columns(w)
		s.width = width - quoteGap - 1
	}
}

// columns is how many quotes are in view and how wide each one's column is.
func (s *sheet) columns(w int) (shown, width int) {
	room := w - labelWidth
	need := max(leastQuote, s.money+quoteGap+1)
	shown = max(1, min(len(s.board.Open), room/need))
	return shown, max(1, min(mostQuote, room/shown))
}

// scroll brings the chosen quote into view.
func (s *sheet) scroll(shown int) {
	s.left = max(0, min(s.left, s.chosen, len(s.board.Open)-shown))
	if s.chosen >= s.left+shown {
		s.left = s.chosen - shown + 1
	}
}

// measure finds the widest sum, so that all sums end in one column, and the
// longest bars. Prices are drawn to one scale within their currency only.
func (s *sheet) measure() {
	s.money, s.topPrice, s.topDays = 0, map[string]float64{}, 0
	for _, o := range s.board.Open {
		price, _ := o.Price()
		n, _ := o.Days()
		s.topPrice[o.Currency], s.topDays = max(s.topPrice[o.Currency], price), max(s.topDays, n)
		for _, text := range []string{quoting.PriceText(o.PriceBeforeDiscount, o.Currency), o.PriceText()} {
			s.money = max(s.money, layout.Width(layout.Clean(text)))
		}
	}
	s.money = min(s.money, mostQuote-quoteGap-1)
}

// lines draws what was laid out: names, marks and terms into at most h lines. Terms that do not
// fit are counted at the left of the marks.
func (s *sheet) lines(w, h int) []string {
	s.ticking = s.board.Soonest(s.now)
	shown, width := s.columns(w)
	s.scroll(shown)
	s.hidden = 0
	all := s.terms(shown)
	terms := s.fit(slices.Clone(all), h-headHeight)
	for _, t := range all {
		if t.name != "" && !t.isIn(terms) {
			s.hidden++
		}
	}
	lines := append(s.head(shown, width), layout.Text(s.th.Rule, " "+strings.Repeat("─", max(0, min(w-2, labelWidth+shown*width-quoteGap-2)))))
	for _, t := range terms {
		if t.name == "Description" {
			lines = append(lines, s.wrapped(t, width, h-len(lines))...)
			continue
		}
		lines = append(lines, s.line(t, width))
	}
	return lines[:max(0, min(len(lines), h))]
}

// said is one quote after another, each with its terms in words: what compares it
// stands behind what it compares.
func (s *sheet) said() []string {
	s.ticking, s.left, s.hidden = s.board.Soonest(s.now), 0, 0
	terms := s.terms(len(s.board.Open))
	var lines []string
	for i, o := range s.board.Open {
		lead, state := "   ", ""
		if i == s.chosen {
			lead = " " + s.th.Pointer() + " "
		}
		if s.marked[o.QuoteID] {
			state = ", marked"
		}
		head := strings.Join(slices.DeleteFunc([]string{o.Name(), s.orders[o.OrderID], strings.Join(s.board.Best(o, s.now), ", ")}, func(part string) bool { return part == "" }), ", ")
		lines = append(lines, fmt.Sprintf("%sQuote %d of %d: %s%s", lead, i+1, len(s.board.Open), layout.Clean(head), state))
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

// mostLines is how many lines a description may have beside the others.
const mostLines = 4

// wrapped draws a term whose text goes on below, as far as there is room.
func (s *sheet) wrapped(t term, width, room int) []string {
	parts := make([][]string, len(t.entries))
	n := 1
	for i, e := range t.entries {
		parts[i] = layout.Wrap(layout.Clean(e.text), s.width)
		n = max(n, len(parts[i]))
	}
	if n > min(room, mostLines) {
		return []string{s.line(t, width)} // each is cut where it ends
	}
	lines := make([]string, n)
	for row := range lines {
		part := term{name: t.name, entries: slices.Clone(t.entries)}
		if row > 0 {
			part.name = " "
		}
		for i := range part.entries {
			part.entries[i].text = ""
			if row < len(parts[i]) {
				part.entries[i].text = parts[i][row]
			}
		}
		lines[row] = s.line(part, width)
	}
	return lines
}

func (t *term) isIn(terms []term) bool {
	return slices.ContainsFunc(terms, func(o term) bool { return o.name == t.name && o.minor == t.minor })
}

// fit leaves out terms until the rest has room.
func (s *sheet) fit(terms []term, h int) []term {
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

// head is the row of names and that of what each quote is best of, with how
// many quotes are beyond the edges.
func (s *sheet) head(shown, width int) []string {
	var names, words strings.Builder
	names.WriteString(layout.Left(s.beyond(s.left, len(s.board.Open)-s.left-shown), labelWidth-1))
	more := ""
	if s.hidden > 0 {
		more = layout.Text(s.th.Style(theme.Muted), " "+format.Count(s.hidden, "more", "more")+": ") + layout.Text(s.th.Key, "enter")
	}
	words.WriteString(layout.Left(more, labelWidth-1))
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
		names.WriteString(layout.Text(s.th.Style(theme.Accent), pointer))
		names.WriteString(layout.Text(style, layout.Left(layout.Clean(o.Name()), width-1-quoteGap)) + layout.Blank(quoteGap))
		word := strings.Join(short(s.board.Best(o, s.now), width-1-quoteGap), " · ")
		role := theme.Good
		if name := s.orders[o.OrderID]; name != "" && word == "" {
			word, role = name, theme.Muted
		}
		words.WriteString(" " + layout.Text(s.th.Style(role), layout.Left(word, width-1-quoteGap)) + layout.Blank(quoteGap))
	}
	return []string{names.String(), words.String()}
}

// beyond says how many quotes are beyond the edges.
func (s *sheet) beyond(before, after int) string {
	text := ""
	switch {
	case before > 0 && after > 0:
		text = fmt.Sprintf(" ‹ %d · %d more ›", before, after)
	case before > 0:
		text = fmt.Sprintf(" ‹ %d more", before)
	case after > 0:
		text = fmt.Sprintf(" %d more ›", after)
	}
	return layout.Text(s.th.Style(theme.Muted), text)
}

// short leaves out words until the rest fits into w cells, the last one first.
func short(words []string, w int) []string {
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

func (s *sheet) line(t term, width int) string {
	var b strings.Builder
	b.WriteString(layout.Text(s.th.Style(theme.Muted), layout.Left(" "+t.name, labelWidth)))
	for _, e := range t.entries {
		inner := width - quoteGap - 1
		if t.name == "" && e.text == "" {
			filled, _ := widget.Heavy(e.bar, inner)
			b.WriteString(layout.Text(s.th.Style(e.role), layout.Left(filled, inner)))
		} else {
			style := s.th.Style(e.role)
			if e.strong && e.role == theme.Text {
				style = s.th.Title
			}
			b.WriteString(layout.Text(style, layout.Left(layout.Clean(e.text), inner)))
		}
		b.WriteString(layout.Blank(quoteGap + 1))
	}
	return b.String()
}

// terms are the rows for the quotes in view. What the chosen one is compared
// with stands below the row that it is about.
func (s *sheet) terms(shown int) []term {
	pick := s.board.Open[s.chosen]
	one := len(s.board.Open) == 1
	unit := format.PriceUnit()
	perArea := "Per " + unit.Name
	if pick.Area > 0 {
		perArea += " · " + format.Group(pick.Area/unit.Per, unit.Decimals)
	}
	all := []term{
		s.term("Before discount", 4, s.before), s.term("Discount", 3, s.discount),
		s.term("Final price", 0, s.final), s.comparing("", 6, s.priceBar), s.comparing("  vs. selected", 2, s.against),
		s.term(perArea, 5, s.perArea), s.term("Per day", 8, s.perDay),
		s.term("Delivery", 0, s.delivery), s.comparing("", 7, s.dayBar), s.comparing("  vs. selected ", 2, s.againstDays),
		s.term("Expires", 0, s.expires), s.term("", 4, s.expiryDate),
		s.term("Description", 9, s.why), s.term("Your note", 1, s.note),
	}
	var rows []term
	for _, t := range all {
		if one && t.compares || t.isEmpty() || s.onlyDiff && t.isCommon() {
			continue
		}
		t.entries = t.entries[s.left : s.left+shown]
		rows = append(rows, t)
	}
	return rows
}

func (s *sheet) term(name string, minor int, say func(*quoting.Offer) entry) term {
	t := term{name: name, minor: minor}
	for _, o := range s.board.Open {
		e := say(o)
		if o.IsExpired(s.now) && e.role != theme.Bad {
			e.role = theme.Muted
		}
		t.entries = append(t.entries, e)
	}
	return t
}

func (s *sheet) comparing(name string, minor int, say func(*quoting.Offer) entry) term {
	t := s.term(name, minor, say)
	t.compares = true
	return t
}

func (t *term) isEmpty() bool {
	for _, e := range t.entries {
		if text := strings.TrimSpace(e.text); e.bar > 0 || text != "" && text != format.None {
			return false
		}
	}
	return t.name != "Final price" && t.name != "Delivery" && t.name != "Expires"
}

func (t *term) isCommon() bool {
	for _, e := range t.entries {
		if e.text != t.entries[0].text || e.bar != t.entries[0].bar {
			return false
		}
	}
	return len(t.entries) > 1
}

func (s *sheet) sum(text string) string {
	if text == "" || text == format.None {
		return layout.Right(format.None, s.money)
	}
	return layout.Right(text, s.money)
}

func (s *sheet) before(o *quoting.Offer) entry {
	return entry{text: s.sum(quoting.PriceText(o.PriceBeforeDiscount, o.Currency))}
}

func (s *sheet) final(o *quoting.Offer) entry {
	return entry{text: s.sum(o.PriceText()), strong: true}
}

func (s *sheet) discount(o *quoting.Offer) entry {
	if d := o.DiscountText(); d != "" {
		return entry{text: d}
	}
	return entry{text: format.None}
}

func (s *sheet) priceBar(o *quoting.Offer) entry {
	price, _ := o.Price()
	top := s.topPrice[o.Currency]
	if o.Currency == "" || top == 0 || price <= 0 {
		return entry{role: theme.Accent}
	}
	return entry{bar: price / top, role: s.barRole(o)}
}

// barRole lets the bars of the chosen quote stand out.
func (s *sheet) barRole(o *quoting.Offer) theme.Role {
	if o == s.board.Open[s.chosen] {
		return theme.Accent
	}
	return theme.Pending
}

func (s *sheet) dayBar(o *quoting.Offer) entry {
	if n, _ := o.Days(); s.topDays > 0 {
		return entry{bar: n / s.topDays, role: s.barRole(o)}
	}
	return entry{role: theme.Pending}
}

func (s *sheet) against(o *quoting.Offer) entry {
	pick := s.board.Open[s.chosen]
	if o == pick || len(s.board.Open) < 2 {
		return entry{text: format.None}
	}
	by, share, ok := quoting.Difference(o, pick, (*quoting.Offer).Price)
	switch {
	case !ok:
		return entry{text: format.None}
	case o.Currency == "" || pick.Currency == "":
		return entry{text: "no currency", role: theme.Attention}
	case !quoting.Comparable(o, pick):
		return entry{text: "other currency", role: theme.Attention}
	}
	return entry{text: format.MoneyChange(by, o.Currency) + " " + format.Percent(share), role: sign(by)}
}

// sign is the role of a difference: less is better.
func sign(by float64) theme.Role {
	switch {
	case by < 0:
		return theme.Good
	case by > 0:
		return theme.Attention
	default:
		return theme.Text
	}
}

func (s *sheet) againstDays(o *quoting.Offer) entry {
	pick := s.board.Open[s.chosen]
	by, _, ok := quoting.Difference(o, pick, (*quoting.Offer).Days)
	if o == pick || !ok {
		return entry{text: format.None}
	}
	if by == 0 {
		return entry{text: "the same"}
	}
	unit := " days"
	if by == 1 || by == -1 {
		unit = " day"
	}
	return entry{text: format.Change(by, 0) + unit, role: sign(by)}
}

func (s *sheet) figure(o *quoting.Offer, of func(*quoting.Offer) (float64, bool)) entry {
	f, ok := of(o)
	return entry{text: s.sum(quoting.FormatPrice(f, ok, o.Currency))}
}

func (s *sheet) perArea(o *quoting.Offer) entry { return s.figure(o, (*quoting.Offer).PerArea) }

func (s *sheet) perDay(o *quoting.Offer) entry { return s.figure(o, (*quoting.Offer).PerDay) }

func (s *sheet) delivery(o *quoting.Offer) entry {
	text := o.DeliveryBy.String()
	if text == "" {
		text = format.None
	}
	return entry{text: s.sum(text)}
}

func (s *sheet) expires(o *quoting.Offer) entry {
	left := format.Left(o.ExpiryDate.Time, s.now, o == s.ticking)
	if !o.ExpiryDate.IsRead() && o.ExpiryDate.Raw != "" {
		return entry{text: o.ExpiryDate.Raw}
	}
	e := entry{text: layout.Right(left, s.money), role: UrgencyRole(o.ExpiryDate, s.now)}
	if left != format.None && !o.IsExpired(s.now) && layout.Width(e.text)+len(" left") <= s.width {
		e.text += " left"
	}
	return e
}

// UrgencyRole is the role of an expiry.
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

func (s *sheet) expiryDate(o *quoting.Offer) entry {
	if !o.ExpiryDate.IsRead() {
		return entry{}
	}
	return entry{text: format.Moment(o.ExpiryDate.Time, s.now), role: theme.Muted}
}

func (s *sheet) why(o *quoting.Offer) entry { return entry{text: strings.TrimSpace(o.Description)} }

func (s *sheet) note(o *quoting.Offer) entry { return entry{text: s.notes[o.QuoteID]} }
