package tuitest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Sizes are those that widgets and pages are drawn at for comparison: the
// smallest usable one, a usual one, and two with room to spare.
var Sizes = []Size{{60, 18}, {80, 24}, {140, 40}, {200, 60}}

// Size is that of a rectangle, in cells.
type Size struct{ W, H int }

// styles and links are the only escape sequences that belong into a drawn
// rectangle.
var styles = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;;[!-~]*\x07")

// RequireExact fails the test unless box is exactly h lines of w cells, with no
// control character but those of styles and links.
func RequireExact(t TB, what, box string, w, h int) {
	t.Helper()
	if h <= 0 {
		if box != "" {
			t.Fatalf("%s: of no height, but %q", what, box)
		}
		return
	}
	lines := strings.Split(box, "\n")
	if len(lines) != h {
		t.Fatalf("%s: %d lines, want %d of %d cells:\n%s", what, len(lines), h, w, ansi.Strip(box))
	}
	for _, line := range lines {
		if got := ansi.StringWidth(line); got != max(0, w) {
			t.Fatalf("%s: a line of %d cells, want %d: %q", what, got, w, line)
		}
		for _, r := range styles.ReplaceAllString(line, "") {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%s: %q reaches the terminal: %q", what, r, line)
			}
		}
	}
}

// odd is what names from outside are made of: wide, combining, right-to-left
// and control characters among plain ones.
var odd = strings.Split("a|Levee | |ß|東京|👩‍🚀|é|\x1b[31m|\x1b]0;x\x07|\u202e|\n|\t|"+
	"שלום|🇩🇪|\u0301|\u200c|ｗ|12,420.00 EUR|…|\xff|\u009b2J", "|")

// OddText returns up to n parts of text as no one would wish it.
func OddText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(odd[r.IntN(len(odd))])
	}
	return b.String()
}
