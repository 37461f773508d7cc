package neworder

import (
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// textLines collects the lines of a pane.
type textLines struct {
	*theme.Theme
	w     int // width of the pane in cells
	lines []string
}

// add adds lines that are styled already.
func (t *textLines) add(lines ...string) { t.lines = append(t.lines, lines...) }

// addText adds a text, in several lines if it does not fit into one. It adds nothing if the text is "".
func (t *textLines) addText(role theme.Role, text string) {
	if text != "" {
		t.add(t.PaintLines(role, " ", text, t.w-2)...)
	}
}

// addNote adds a mark and a text, in several lines if they do not fit into one. Only the mark has the colour of the
// role. addNote adds nothing if the text is "".
func (t *textLines) addNote(role theme.Role, mark, text string) {
	if text == "" {
		return
	}
	width := format.Width(mark)
	for i, line := range format.Wrap(text, t.w-width-1) {
		if i == 0 {
			t.add(t.PaintRole(role, mark) + t.PaintText(line))
		} else {
			t.add(strings.Repeat(" ", width) + t.PaintText(line))
		}
	}
}

// addTitle adds a title, and a note to the right of it.
func (t *textLines) addTitle(title, note string) {
	t.add(t.PaintTitle(" "+title) + t.PaintMuted("  "+note))
}

// addRule adds a horizontal line.
func (t *textLines) addRule() { t.add(t.Rule.Render(strings.Repeat("─", t.w))) }

// renderStep renders a button: a key and the text of the next step, such as "Next: Details". The button looks
// like a selected row.
func (t *textLines) renderStep(key, text string) string {
	label := " " + strings.TrimSpace(key+" "+text) + " "
	return " " + format.CleanText(t.SelectedStyle(theme.Accent).Bold(), label)
}

// addKey adds a line with a key and what the key does.
func (t *textLines) addKey(key, text string) { t.add("   " + t.PaintHint(key, text)) }
