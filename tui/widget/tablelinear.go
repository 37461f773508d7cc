package widget

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// rowSentences returns a heading and the visible rows as sentences, for screen readers.
func (t *Table) rowSentences(th *theme.Theme, h int) []string {
	t.window.height = h - 1
	t.scrollToCursor()
	t.spans = slices.Repeat([]Span{{Len: 1}}, len(t.Columns))
	lines := []string{t.sentenceHeading()}
	for i := t.window.top; i < t.window.end(); i++ {
		if t.hasRuleAbove(i) {
			lines = append(lines, "   "+format.CapitalizeFirst(t.rule))
		}
		mark := "  "
		if i == t.window.cursor && !t.Static {
			mark = " " + th.SelectionMark()
		}
		lines = append(lines, mark+" "+rowSentence(t.row(i), t.Columns))
	}
	return lines
}

// sentenceHeading describes which rows are visible and how they are sorted.
func (t *Table) sentenceHeading() string {
	first := min(t.window.top+1, t.window.rows)
	heading := fmt.Sprintf(" Rows %d to %d of %d", first, t.window.end(), t.window.rows)
	if column := t.sort.column(); column >= 0 {
		heading += ", sorted by " + t.Columns[column].Title
		if t.sort.isDescending {
			heading += ", last first"
		}
	}
	return heading + ":"
}

// rowSentence returns a row as a sentence: the first cell, then all other cells with their
// titles. Empty cells are left out.
func rowSentence(row Row, columns []Column) string {
	if row.Span != "" {
		return row.Span
	}
	var parts []string
	for k, cell := range row.Cells {
		text, isText := cellInWords(cell)
		if text == "" {
			continue
		}
		isName := len(parts) == 0 && isText
		if isName || k >= len(columns) || columns[k].Title == "" {
			parts = append(parts, text)
		} else {
			parts = append(parts, columns[k].Title+": "+text)
		}
	}
	if description := marks[row.Mark.Text]; description != "" {
		parts = append(parts, description)
	}
	return strings.TrimSuffix(strings.Join(parts, "; "), ".") + "."
}

// cellInWords returns a cell in words: its text or, if the text only has glyphs that cannot be read out, its code. A
// check mark without a code is "yes". isText reports whether the words are the text of the cell.
func cellInWords(c Cell) (words string, isText bool) {
	text := strings.TrimSpace(format.Clean(c.Text))
	isCheckMark := text == "✓" && (c.Code == "" || c.Code == text)
	if isCheckMark {
		return "yes", false
	}
	if text != format.None && strings.ContainsFunc(text, isReadable) {
		return text, true
	}
	return c.Code, false
}

func isReadable(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r)
}

// marks are the words in which screen readers read the mark of a row.
var marks = map[string]string{
	"!": "has a problem",
	"▲": "has a problem",
	"┃": "changed in the last minute",
	"✓": "marked",
	"•": "marked",
}
