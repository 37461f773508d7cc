package tuitest

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Sizes are the window sizes of goldens: the smallest usable size, a common one, and two large ones.
var Sizes = []Size{{60, 18}, {80, 24}, {140, 40}, {200, 60}}

// CommonSizes are the sizes for goldens of every state of a page. Only the main state of a page, such
// as a list with rows, has goldens in all Sizes.
var CommonSizes = []Size{{80, 24}, {140, 40}}

// Size is a size in cells.
type Size struct{ W, H int }

// styles matches the escape sequences of styles and links, the only ones that a box may have.
var styles = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;;[!-~]*\x07")

// RequireExact fails the test unless box has exactly h lines of w cells, and no control characters
// except in escape sequences of styles and links. what describes the box in messages.
func RequireExact(t TB, what, box string, w, h int) {
	t.Helper()
	if h <= 0 {
		if box != "" {
			t.Fatalf("%s: want no lines, got %q", what, box)
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

// oddParts are parts of texts that are hard to draw: wide, combining, right-to-left, invalid and
// control characters, and plain text.
var oddParts = strings.Split("a|Levee | |ß|東京|👩‍🚀|é|\x1b[31m|\x1b]0;x\x07|\u202e|\n|\t|"+
	"שלום|🇩🇪|\u0301|\u200c|ｗ|12,420.00 EUR|…|\xff|\u009b2J", "|")

// OddText returns a random text of at most n parts that are hard to draw.
func OddText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range r.IntN(n + 1) {
		b.WriteString(oddParts[r.IntN(len(oddParts))])
	}
	return b.String()
}
