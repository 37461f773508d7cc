package neworder

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// textLines are lines of text in a pane, written one after another.
type textLines struct {
	*theme.Theme
	w     int
	lines []string
}

func (t *textLines) add(lines ...string) { t.lines = append(t.lines, lines...) }

// say adds text, which continues below itself.
func (t *textLines) say(role theme.Role, s string) { t.note(role, " ", s) }

// note adds text behind a mark, nothing for "".
func (t *textLines) note(role theme.Role, mark, s string) {
	if s == "" {
		return
	}
	for _, part := range layout.Wrap(s, t.w-layout.Width(mark)-1) {
		t.add(t.PaintRole(role, mark+part))
		mark = strings.Repeat(" ", layout.Width(mark))
	}
}

// title adds a title, with what belongs to it.
func (t *textLines) title(s, with string) {
	t.add(t.PaintTitle(" "+s) + t.PaintMuted("  "+with))
}

func (t *textLines) rule() { t.add(t.Rule.Render(strings.Repeat("─", t.w))) }

// key adds a key and what it does.
func (t *textLines) key(key, does string) { t.add("   " + t.PaintHint(key, does)) }
