package widget_test

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// themes has the names of a theme with colour and one without.
var themes = []string{"dark", "none"}

// boxState is a widget in one of its states.
type boxState struct {
	Name string
	Box  string
}

// drawStates draws the states below each other as plain text.
func drawStates(states ...boxState) string {
	var b strings.Builder
	for i, s := range states {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("· " + s.Name + "\n")
		for line := range strings.SplitSeq(ansi.Strip(s.Box), "\n") {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String()
}
