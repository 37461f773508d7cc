package neworder

import (
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// textLines collects the lines of a pane.
type textLines struct {
	*theme.Theme
	w     int // width of the pane, in cells
	lines []string
}

// add adds lines that are styled already.
func (t *textLines) add(lines ...string) { t.lines = append(t.lines, lines...) }

// addText adds a text, in several lines if it does not fit into one.
func (t *textLines) addText(role theme.Role, text string) { t.addNote(role, " ", text) }

// addNote adds a mark and a text, in several lines if they do not fit into one. It adds nothing if
// the text is "".
func (t *textLines) addNote(role theme.Role, mark, text string) {
	if text == "" {
		return
	}
	for _, line := range format.Wrap(text, t.w-format.Width(mark)-1) {
		t.add(t.PaintRole(role, mark+line))
		mark = strings.Repeat(" ", format.Width(mark))
	}
}

// addTitle adds a title, and a note to the right of it.
func (t *textLines) addTitle(title, note string) {
	t.add(t.PaintTitle(" "+title) + t.PaintMuted("  "+note))
}

// addRule adds a horizontal line.
func (t *textLines) addRule() { t.add(t.Rule.Render(strings.Repeat("─", t.w))) }

// addKey adds a key and what it does.
func (t *textLines) addKey(key, text string) { t.add("   " + t.PaintHint(key, text)) }
