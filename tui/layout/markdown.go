package layout

import (
	"strings"
)

// EscapeMarkdown writes text so that Markdown shows it as it is, in one line.
func EscapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(Clean(s)), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
