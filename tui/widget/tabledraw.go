package widget

import (
	"cmp"
	"slices"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// tableDrawer draws the lines of a table for one view, with the same columns, widths and theme.
type tableDrawer struct {
	th          *theme.Theme
	columns     []Column
	widths      []int // widths of the columns, 0 for a column without room
	width       int   // of a line
	focused     bool
	column      int  // index of the column under the cursor, or -1
	hasUnloaded bool // there are rows that are not loaded
	maxLines    int  // rows with texts that would be cut have up to maxLines lines; 0 and 1 cut the texts
}

// drawHeader draws the titles of the columns.
func (d *tableDrawer) drawHeader(titles []string) string {
	parts := make([]string, 0, len(d.widths))
	for i, c := range d.columns {
		if d.widths[i] > 0 {
			parts = append(parts, fitCell(c, titles[i], d.widths[i]))
		}
	}
	return d.th.PaintMuted(format.BlankCells(margin) + strings.Join(parts, gap))
}

// drawRow draws a row. The selected row is highlighted if the table has the focus.
func (d *tableDrawer) drawRow(row Row, isSelected bool) string {
	isHighlighted := isSelected && d.focused
	style := d.th.Style
	if isHighlighted {
		style = d.th.SelectedStyle
	}
	var b strings.Builder
	if row.isContinued {
		b.WriteString(style(theme.Text).Render(format.BlankCells(margin)))
	} else {
		d.drawMark(&b, row.Mark, isSelected)
	}
	if row.Span != "" {
		b.WriteString(format.CleanText(style(theme.Muted), row.Span))
	} else {
		d.drawCells(&b, row, style, isHighlighted)
	}
	line := format.CutLine(b.String(), d.width)
	if isHighlighted {
		line += style(theme.Text).Render(format.BlankCells(d.width - format.Width(line)))
	}
	return line
}

// drawRule draws a rule across the table, with a text near its left end.
func (d *tableDrawer) drawRule(text string) string {
	begin := "── " + text + " "
	end := strings.Repeat("─", max(0, d.width-margin-format.Width(begin)-1))
	return format.CutLine(format.BlankCells(margin)+d.th.PaintMuted(begin+end), d.width)
}

// minWrapWidth is the least width of a text that is wrapped. Narrower texts would be broken within words.
const minWrapWidth = 8

// wrapRow returns the lines in which a row is drawn: the row itself or, if texts of the row would be cut, up to
// maxLines lines. The further lines have the rest of each text that would be cut.
func (d *tableDrawer) wrapRow(row Row) []Row {
	lines := []Row{row}
	lines[0].Cells = slices.Clone(row.Cells)
	for k, width := range d.widths {
		if width <= 0 || k >= len(row.Cells) || !d.canWrap(k) {
			continue
		}
		for i, text := range wrapCell(row.Cells[k].Text, width, d.maxLines) {
			if i == len(lines) {
				lines = append(lines, Row{Muted: row.Muted, Cells: make([]Cell, len(row.Cells)), isContinued: true})
			}
			lines[i].Cells[k].Text = text
			lines[i].Cells[k].Role = row.Cells[k].Role
		}
	}
	return lines
}

// canWrap reports whether the texts of the column with index k can have several lines. Numbers cannot: a number on
// two lines would be read as two numbers.
func (d *tableDrawer) canWrap(k int) bool { return !d.columns[k].Right }

// wrapCell divides a text that is longer than w cells into at most maxLines lines. A text that is short enough, or a
// column that is too narrow, has one line. The further lines begin below the first word of the text. If the text has
// no glyph before its words, they are indented by two cells, so that they do not look like the next row:
//
//	Reußenköge: Rotorblätter    ✗ gis.nordlicht.invalid/
//	  vor dem Winter              ingest/survey
//
// If maxLines lines are not enough, the last line is longer than w cells. There is no indent if it would break a
// word, or if the rest of the text needs all cells of the last line.
func wrapCell(text string, w, maxLines int) []string {
	text = format.Clean(text)
	prefix, words := cutPrefix(text)
	prefixWidth := format.Width(prefix)
	room := w - prefixWidth
	if format.Width(words) <= room || room < minWrapWidth {
		return []string{text}
	}
	line, rest := cutLine(words, room)
	lines := []string{prefix + line}
	hanging := 2
	hasGlyph := strings.TrimSpace(prefix) != ""
	isCutByIndent := maxLines == 2 && format.Width(rest)+hanging > room
	if hasGlyph || isCutByIndent || longestWord(rest)+hanging > room {
		hanging = 0
	}
	indent := format.BlankCells(prefixWidth + hanging)
	for len(lines) < maxLines-1 && format.Width(rest) > room-hanging {
		line, rest = cutLine(rest, room-hanging)
		lines = append(lines, indent+line)
	}
	return append(lines, indent+rest)
}

// cutLine divides words after the last word that fits into a line of w cells.
func cutLine(words string, w int) (line, rest string) {
	line = format.Wrap(words, w)[0]
	return line, strings.TrimLeft(words[len(line):], " ")
}

// cutPrefix divides a text into its prefix and its words. The prefix has the blanks before the words. If there is a
// glyph such as ✗ before the words, the prefix also has the glyph and the blank after it.
func cutPrefix(text string) (prefix, words string) {
	words = strings.TrimLeft(text, " ")
	glyph, rest, hasBlank := strings.Cut(words, " ")
	if hasBlank && format.Width(glyph) == 1 {
		words = rest
	}
	return text[:len(text)-len(words)], words
}

// drawMark draws the left margin of a row: the cursor and the mark. If the table has no focus, the cursor is thin.
func (d *tableDrawer) drawMark(b *strings.Builder, cell Cell, isSelected bool) {
	mark := fitCell(Column{}, cmp.Or(cell.Text, " "), 1)
	switch {
	case isSelected && d.focused:
		b.WriteString(format.CleanText(d.th.SelectedStyle(theme.Accent), " ▸"))
		b.WriteString(format.CleanText(d.th.SelectedStyle(cell.Role), mark))
	case isSelected:
		b.WriteString(d.th.PaintMuted(" ›") + d.th.PaintRole(cell.Role, mark))
	case mark == " ":
		b.WriteString(format.BlankCells(3)) // a coloured blank would need 20 more bytes
	default:
		b.WriteString(" " + d.th.PaintRole(cell.Role, mark) + " ")
	}
}

// drawCells draws the cells of a row. If the row is highlighted, the cell in the column of the
// cursor is underlined.
func (d *tableDrawer) drawCells(
	b *strings.Builder, row Row, style func(theme.Role) theme.Style, isHighlighted bool,
) {
	before := "" // the first cell has no gap before it
	for k, width := range d.widths {
		if width <= 0 || k >= len(row.Cells) {
			continue
		}
		b.WriteString(before)
		role := row.Cells[k].Role
		if row.Muted {
			role = theme.Muted
		}
		cellStyle := style(role)
		before = format.CleanText(cellStyle, gap)
		if isHighlighted && k == d.column {
			cellStyle = cellStyle.Underline()
		}
		b.WriteString(format.CleanText(cellStyle, fitCell(d.columns[k], row.Cells[k].Text, width)))
	}
}

// cutTexts returns the full texts of the cells of the selected row that are cut, such as " ▸ Cornflower Street",
// or "" if none is cut.
func (d *tableDrawer) cutTexts(row Row) string {
	var texts []string
	for k, width := range d.widths {
		if width <= 0 || k >= len(row.Cells) {
			continue
		}
		text := format.Clean(row.Cells[k].Text)
		if d.isCut(k, text) {
			texts = append(texts, strings.TrimSpace(text))
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return " ▸ " + strings.Join(texts, " · ")
}

// isCut reports whether the column with index k shows only a part of a text.
func (d *tableDrawer) isCut(k int, text string) bool {
	width := d.widths[k]
	lines := []string{text}
	if d.maxLines > 1 && d.canWrap(k) {
		lines = wrapCell(text, width, d.maxLines)
	}
	return slices.ContainsFunc(lines, func(line string) bool { return format.Width(line) > width })
}

// hiddenColumns returns a text of at most w cells about the columns that have no room, such as "All rows: Local New,
// Checked – · +1 column". The text has the values that are the same in every row, and the number of the other columns.
// If this is too long, the text has only the number of all columns without room. If even that is too long, it is "".
func (d *tableDrawer) hiddenColumns(w int) string {
	var repeated []string
	others := 0
	for i := range d.columns {
		column := &d.columns[i]
		if d.widths[i] > 0 || column.Blank {
			continue
		}
		if column.Same != "" {
			repeated = append(repeated, column.Title+" "+format.Clean(column.Same))
		} else {
			others++
		}
	}
	text := d.describeHidden(repeated, others)
	if format.Width(text) > w {
		text = d.describeHidden(nil, len(repeated)+others)
	}
	if format.Width(text) > w {
		return ""
	}
	return text
}

// describeHidden describes the columns that do not fit into the width. repeated has the title and the value of each
// hidden column with the same value in every row. others is the number of the other hidden columns.
func (d *tableDrawer) describeHidden(repeated []string, others int) string {
	rows := "All rows: "
	if d.hasUnloaded {
		rows = "All loaded rows: "
	}
	var parts []string
	if len(repeated) > 0 {
		parts = append(parts, rows+strings.Join(repeated, ", "))
	}
	if others > 0 {
		parts = append(parts, "+"+format.Count(others, "column"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " · ") + " "
}

// fitCell fits a text into w cells. It cleans the text first, because that may change its
// width.
func fitCell(c Column, s string, w int) string {
	s = format.Clean(s)
	if c.Middle {
		return format.FitLeft(format.CutMiddle(s, w), w)
	}
	if c.Right {
		return format.FitRight(s, w)
	}
	return format.FitLeft(s, w)
}
