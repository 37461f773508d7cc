package layout

import (
	"strings"
)

// Markdown writes text so that Markdown shows it as it is, in one line.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(Clean(s)), " ") {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
