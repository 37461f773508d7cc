package widget_test

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// themes are the names of two themes, with colour and without.
var themes = []string{"dark", "none"}

// boxState is a widget in one of its states.
type boxState struct {
	Name string
	Box  string
}

// drawStates shows the states one below the other, as plain text.
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
