package table

import (
	"fmt"
	"strings"
	"unicode"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// rowSentences returns which rows are in view, and each of them as a sentence, for a
// reader that has no columns.
func (t *Table) rowSentences(th *theme.Theme, h int) []string {
	t.height = h - 1
	t.scrollToSelection()
	t.at, t.wide = t.at[:0], make([]int, len(t.Columns))
	for range t.Columns {
		t.at = append(t.at, 0)
	}
	head := fmt.Sprintf(" Rows %d to %d of %d", min(t.top+1, t.n), min(t.top+t.height, t.n), t.n)
	if t.sorted != "" && t.sort < len(t.Columns) {
		head += ", sorted by " + t.Columns[t.sort].Title
		if strings.Contains(t.sorted, "▾") {
			head += ", last first"
		}
	}
	lines := []string{head + ":"}
	for i := t.top; i < t.n && len(lines) < h; i++ {
		mark := "  "
		if i == t.cursor {
			mark = " " + th.SelectionMark()
		}
		lines = append(lines, mark+" "+t.rowSentence(i))
	}
	return lines
}

// rowSentence returns a row: what its first column says, and then each other one with its
// title. What says nothing is left out.
func (t *Table) rowSentence(i int) string {
	row := t.row(i)
	if row.Span != "" {
		return row.Span
	}
	var parts []string
	for k, c := range row.Cells {
		text, own := cellInWords(c)
		switch {
		case text == "":
		case len(parts) == 0 && own || k >= len(t.Columns) || t.Columns[k].Title == "":
			parts = append(parts, text)
		default:
			parts = append(parts, t.Columns[k].Title+": "+text)
		}
	}
	if said := marks[row.Mark.Text]; said != "" {
		parts = append(parts, said)
	}
	return strings.TrimSuffix(strings.Join(parts, "; "), ".") + "."
}

// cellInWords returns a cell in words, "" for nothing; where it only draws, its value.
func cellInWords(c Cell) (text string, own bool) {
	text = strings.TrimSpace(layout.Clean(c.Text))
	switch {
	case text == "✓" && (c.Code == "" || c.Code == text):
		return "yes", false
	case text != format.None && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r) }):
		return text, true
	default:
		return c.Code, false
	}
}

// marks are what the marks of rows mean.
var marks = map[string]string{"!": "has a problem", "▲": "has a problem", "┃": "changed in the last minute", "✓": "marked", "•": "marked"}
