package widget

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Fact is a label with a value.
type Fact struct {
	Label, Value string
	// Role is the colour of the value. If Role is the colour of a status and the value begins with a glyph, as "✗
	// rejected" does, only the glyph is coloured and the words have the normal text colour.
	Role theme.Role
}

// Text returns a fact with an uncoloured value.
func Text(label, value string) Fact { return Fact{Label: label, Value: value} }

// Toned returns a fact with a coloured value. If the value begins with a glyph, only the glyph may be coloured; see
// [Fact].
func Toned(label, value string, role theme.Role) Fact {
	return Fact{Label: label, Value: value, Role: role}
}

// Facts returns facts with uncoloured values from pairs of label and value.
func Facts(pairs [][2]string) []Fact {
	facts := make([]Fact, len(pairs))
	for i, p := range pairs {
		facts[i] = Text(p[0], p[1])
	}
	return facts
}

// Texts returns facts with uncoloured values from alternating labels and values.
func Texts(pairs ...string) []Fact {
	var facts []Fact
	for p := range slices.Chunk(pairs, 2) {
		facts = append(facts, Text(p[0], p[1]))
	}
	return facts
}

// FactLines draws one line of at most w cells per fact. Shorter labels are padded to labelWidth
// cells. Values that do not fit are cut, and an empty value is drawn as a dash.
func FactLines(th *theme.Theme, labelWidth, w int, facts ...Fact) []string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		name := format.Clean(f.Label)
		if th.Linear {
			lines[i] = " " + name + ": " + format.Clean(cmp.Or(f.Value, "none"))
			continue
		}
		width := max(labelWidth, format.Width(name)+1) // names from the service may be longer
		value := format.Clean(cmp.Or(f.Value, format.None))
		value = format.CutLine(value, max(1, w-width-1))
		line := " " + th.PaintMuted(format.FitLeft(name, width)) + f.paint(th, value)
		lines[i] = format.CutLine(line, w)
	}
	return lines
}

// WrapFacts draws facts like [FactLines], but wraps values that do not fit in a line. A label that is longer than
// labelWidth has a separate line. If a word of a value, such as an ID, is too long for the room next to the labels,
// the whole value is below its label. A long web or e-mail address stays next to its label and is wrapped.
func WrapFacts(th *theme.Theme, labelWidth, w int, facts ...Fact) []string {
	if th.Linear {
		return FactLines(th, labelWidth, w, facts...)
	}
	var lines []string
	for _, f := range facts {
		if f.Value == "" {
			f.Value = format.None
			f.Role = theme.Muted
		}
		lines = append(lines, f.wrap(th, labelWidth, w)...)
	}
	return lines
}

// belowLabel is the indent of a value below its label.
const belowLabel = "  "

// minValueWidth is the smallest room for a value next to its label.
const minValueWidth = 12

// wrap draws a fact in lines of w cells. The value is next to the label. It is below the label if a word of the
// value fits only there. The name and the e-mail address of a person are on separate lines unless they fit into one.
func (f *Fact) wrap(th *theme.Theme, labelWidth, w int) []string {
	roomBeside := max(minValueWidth, w-labelWidth-2)
	roomBelow := w - len(belowLabel)
	name, address, hasName := strings.Cut(f.Value, " · ")
	isPerson := hasName && strings.Contains(address, "@")
	if isPerson && f.Role == theme.Text && format.Width(format.Clean(f.Value)) > roomBeside {
		lines := (&Fact{Label: f.Label, Value: name}).wrap(th, labelWidth, w)
		return append(lines, (&Fact{Value: address}).wrap(th, labelWidth, w)...)
	}
	longest := longestWord(f.Value)
	onlyFitsBelow := longest > roomBeside && longest <= roomBelow
	if onlyFitsBelow {
		lines := f.labelLines(th, w)
		for _, part := range f.paintWrapped(th, roomBelow) {
			lines = append(lines, belowLabel+part)
		}
		return lines
	}
	return f.wrapBeside(th, labelWidth, roomBeside, w)
}

// labelLines draws the label in a line of at most w cells. An empty label has no line.
func (f *Fact) labelLines(th *theme.Theme, w int) []string {
	label := format.Clean(f.Label)
	if label == "" {
		return nil
	}
	return []string{format.CutLine(" "+th.PaintMuted(label), w)}
}

// wrapBeside draws the value in a column of valueWidth cells, and the label before the first line of the value. A
// label that is too long for the column of labels is in a line above.
func (f *Fact) wrapBeside(th *theme.Theme, labelWidth, valueWidth, w int) []string {
	var lines []string
	beside := format.Clean(f.Label)
	if format.Width(beside) >= labelWidth {
		lines = f.labelLines(th, w)
		beside = ""
	}
	for _, part := range f.paintWrapped(th, valueWidth) {
		line := " " + th.PaintMuted(format.FitLeft(beside, labelWidth)) + part
		lines = append(lines, format.CutLine(line, w))
		beside = ""
	}
	return lines
}

// paintWrapped draws the value in lines of at most w cells. If the value begins with a glyph, further lines are
// indented to begin below the words.
func (f *Fact) paintWrapped(th *theme.Theme, w int) []string {
	glyph, words := f.cutGlyph(f.Value)
	indent := format.Width(glyph)
	var lines []string
	for i, part := range format.Wrap(words, w-indent) {
		if i == 0 {
			lines = append(lines, f.paint(th, glyph+part))
		} else {
			lines = append(lines, format.BlankCells(indent)+th.PaintRole(f.wordsRole(glyph), part))
		}
	}
	return lines
}

// paint draws text, which is the value or a part of it, in one line.
func (f *Fact) paint(th *theme.Theme, text string) string {
	glyph, words := f.cutGlyph(text)
	return th.PaintRole(f.Role, glyph) + th.PaintRole(f.wordsRole(glyph), words)
}

// wordsRole returns the role of the words that follow a glyph. glyph is "" if there is none.
func (f *Fact) wordsRole(glyph string) theme.Role {
	if glyph != "" {
		return theme.Text
	}
	return f.Role
}

// cutGlyph divides a text into the glyph of a status, with the blank after it, and the words. The glyph is "" if
// the text begins with a word, or if the role is not the role of a status.
func (f *Fact) cutGlyph(text string) (glyph, words string) {
	switch f.Role {
	case theme.Pending, theme.Attention, theme.InProgress, theme.Good, theme.Bad:
	default:
		return "", text
	}
	first, rest, hasBlank := strings.Cut(text, " ")
	isWord := strings.ContainsFunc(first, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if !hasBlank || isWord || format.Width(first) != 1 {
		return "", text
	}
	return first + " ", rest
}

// longestWord returns the width of the longest word of a text. The parts of a web address, an e-mail address or a path
// are separate words, because it can be wrapped between them.
func longestWord(text string) int {
	longest := 0
	for word := range strings.FieldsSeq(format.Clean(text)) {
		parts := []string{word}
		if strings.Contains(word, "/") {
			parts = splitAfterAny(word, "/.")
		} else if at := strings.IndexByte(word, '@'); at > 0 {
			parts = []string{word[:at], word[at:]}
		}
		for _, part := range parts {
			longest = max(longest, format.Width(part))
		}
	}
	return longest
}

// splitAfterAny splits a text after each of the separators.
func splitAfterAny(text, separators string) []string {
	var parts []string
	for text != "" {
		end := strings.IndexAny(text, separators) + 1
		if end == 0 {
			end = len(text)
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return parts
}

// DialogFacts draws facts like [WrapFacts] for a dialog. It leaves out the left margin, because the
// frame of the dialog has one.
func DialogFacts(th *theme.Theme, labelWidth, w int, facts ...Fact) []string {
	lines := WrapFacts(th, labelWidth, w+2, facts...)
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], " ")
	}
	return lines
}

// Bar is a line with a bar that shows a value compared to others, or progress.
type Bar struct {
	Label  string
	Middle bool       // the label is cut in the middle, as for file names
	Text   string     // the formatted value
	Share  float64    // length of the bar, 0 to 1; NaN draws no bar
	Role   theme.Role // colour of the bar; the zero role is drawn as [theme.Accent]
	Track  bool       // a thin line continues the bar to its full length
	Note   string     // text at the right; it can be left out
}

const (
	barGap      = 2
	minBarWidth = 6 // a shorter bar is left out
	maxBarWidth = 40

	minLabelWidth = 16 // labels are not cut below this width unless the note is left out
	minNoteWidth  = 13
)

// barColumns has the widths of the parts of a bar line. A part with width 0 is left out.
type barColumns struct{ label, text, bar, note int }

// layoutBars returns the widths of the parts for lines of w cells. If there is not enough room, it shortens the bar
// first, and then cuts the labels and notes. If that is not enough, it leaves out the notes, and finally the bars.
func layoutBars(bars []Bar, w int) barColumns {
	columns := measureBars(bars)
	longest := columns.label
	columns.label = cutToFit(columns.label, minLabelWidth, columns.missing(w))
	columns.note = cutToFit(columns.note, minNoteWidth, columns.missing(w))
	if columns.missing(w) > 0 {
		columns.note = 0
		columns.label = longest
		columns.label = cutToFit(longest, minLabelWidth/2, columns.missing(w))
	}
	columns.bar = min(maxBarWidth, columns.barRoom(w))
	if columns.bar < minBarWidth {
		columns.bar = 0
		columns.label = max(0, min(longest, w-1-barGap-columns.text))
	}
	return columns
}

// measureBars returns the widths of the longest label, text and note.
func measureBars(bars []Bar) barColumns {
	var columns barColumns
	for _, b := range bars {
		columns.label = max(columns.label, format.Width(format.Clean(b.Label)))
		columns.text = max(columns.text, format.Width(format.Clean(b.Text)))
		columns.note = max(columns.note, format.Width(format.Clean(b.Note)))
	}
	return columns
}

// barRoom returns the number of cells that are left for the bar in a line of w cells, after all other parts.
func (c *barColumns) barRoom(w int) int {
	room := w - 1
	for _, part := range []int{c.label, c.text, c.note} {
		if part > 0 {
			room -= part + barGap
		}
	}
	return room
}

// missing returns the number of cells by which lines of w cells are too short for a bar of the minimum width, or 0 if
// they are long enough.
func (c *barColumns) missing(w int) int { return max(0, minBarWidth-c.barRoom(w)) }

// cutToFit shortens a width by a number of cells, but not below a minimum. A width that is already below the
// minimum stays unchanged.
func cutToFit(width, minimum, cells int) int {
	return max(min(width, minimum), width-cells)
}

// DrawBars draws one line of w cells per bar, with aligned parts.
func DrawBars(th *theme.Theme, bars []Bar, w int) []string {
	columns := layoutBars(bars, w)
	lines := make([]string, len(bars))
	for i := range bars {
		parts := bars[i].drawParts(th, columns)
		lines[i] = format.FitLeft(" "+strings.Join(parts, format.BlankCells(barGap)), w)
	}
	return lines
}

// drawParts draws the parts of a bar that have a column: label, text, the bar itself, and note.
func (b *Bar) drawParts(th *theme.Theme, columns barColumns) []string {
	var parts []string
	if columns.label > 0 {
		label := format.Clean(b.Label)
		if b.Middle {
			label = format.CutMiddle(label, columns.label)
		}
		parts = append(parts, th.PaintText(format.FitLeft(label, columns.label)))
	}
	if columns.text > 0 {
		text := format.FitRight(format.Clean(b.Text), columns.text)
		parts = append(parts, th.PaintText(text))
	}
	if columns.bar > 0 {
		parts = append(parts, b.drawLine(th, columns.bar))
	}
	if columns.note > 0 {
		note := format.CutLine(format.Clean(b.Note), columns.note)
		parts = append(parts, th.PaintMuted(note))
	}
	return parts
}

// drawLine draws the bar itself in w cells.
func (b *Bar) drawLine(th *theme.Theme, w int) string {
	filled, rest := HeavyLine(b.Share, w)
	track := format.BlankCells(rest)
	if b.Track {
		track = format.CleanText(th.Rule, strings.Repeat("─", rest))
	}
	return th.PaintRole(cmp.Or(b.Role, theme.Accent), filled) + track
}

// PercentDone formats a share as a whole percentage, rounded down: it is 100% only if
// everything is done.
func PercentDone(share float64) string {
	if math.IsNaN(share) {
		return "–%"
	}
	return fmt.Sprintf("%d%%", int(100*max(0, min(1, share))+1e-9))
}

// HeavyLine returns a heavy line that fills a share of w cells. rest is the number of empty cells after it. A
// positive share draws at least half a cell, and a share below 1 never fills all cells. Bars are drawn as lines,
// because blocks in adjacent rows would touch each other.
func HeavyLine(share float64, w int) (filled string, rest int) {
	w = max(0, w)
	halves := 0
	if share >= 1 {
		halves = 2 * w
	} else if share > 0 && w > 0 {
		halves = int(math.Round(share * float64(2*w)))
		halves = max(1, min(halves, 2*w-1))
	}
	filled = strings.Repeat("━", halves/2) + strings.Repeat("╸", halves%2)
	return filled, w - (halves+1)/2
}
