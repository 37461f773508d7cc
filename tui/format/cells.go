package format

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// IsPlain reports whether text has no character that [Clean] replaces because of what it
// does: that moves a cursor, reorders or hides other text, or is not UTF-8.
func IsPlain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) || isReordering(r) || isInvisible(r)
	})
}

// Clean makes text from outside harmless and one line: line breaks and tabs
// become spaces, other control characters visible, and characters that would
// reorder or hide their neighbours are replaced.
func Clean(s string) string {
	if _, simple := countLetters(s); simple {
		return s
	}
	s = ReduceClusters(s)
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case r < 0x20:
			b.WriteRune('␀' + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case r == utf8.RuneError, unicode.Is(unicode.Cc, r), isReordering(r):
			b.WriteRune('\uFFFD')
		case isInvisible(r):
			fmt.Fprintf(&b, "‹%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible are the characters that take no cell, but for those of tags.
const invisible = "\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180E\u200B\u2028\u2029" +
	"\u2060\u2061\u2062\u2063\u2064\u3164\uFEFF\uFFA0"

// isInvisible reports whether r takes no cell although it tells texts apart.
// The joiners of scripts and of emoji do more than that, so they stay.
func isInvisible(r rune) bool {
	return strings.ContainsRune(invisible, r) || r >= 0xE0000 && r <= 0xE007F
}

// countLetters counts the characters of a line; false where one of them may be unseen,
// or take more or less than a cell. Latin letters never do, whatever is beside
// them, and most lines have no others.
func countLetters(s string) (n int, ok bool) {
	for _, r := range s {
		if r < 0x20 || r > 0x7e && (r < 0xa1 || r == 0xad || r > 0x2ff && r != '–') {
			return 0, false
		}
		n++
	}
	return n, true
}

// isReordering reports whether r changes the direction of the text after it.
func isReordering(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}

// Width returns how many cells a line takes, escape sequences not counted.
func Width(s string) int {
	if n, simple := countLetters(s); simple {
		return n
	}
	return widthMethod().StringWidth(s)
}

// CutLine shortens a line to w cells with an ellipsis at the end.
func CutLine(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return truncateLine(s, w, "…")
}

// CutMiddle shortens a line to w cells with an ellipsis in the middle, so that
// a file name keeps its ending.
func CutMiddle(s string, w int) string {
	total := Width(s)
	if total <= w {
		return s
	}
	if w < 8 {
		return CutLine(s, w)
	}
	tail := (w - 1) / 2
	return truncateLine(s, w-1-tail, "") + "…" + widthMethod().TruncateLeft(s, total-tail, "")
}

// FitLeft fits a line into exactly w cells, its text at the left.
func FitLeft(s string, w int) string {
	s = CutLine(s, w)
	return s + BlankCells(w-Width(s))
}

// FitRight fits a line into exactly w cells, its text at the right.
func FitRight(s string, w int) string {
	s = CutLine(s, w)
	return BlankCells(w-Width(s)) + s
}

// FitEnds fits two texts into exactly w cells, one at each end. Where both do not
// fit the left one is cut, and the right one only where it is wider than w.
func FitEnds(left, right string, w int) string {
	right = CutLine(right, w)
	room := w - Width(right)
	if right != "" && room > 0 {
		left = CutLine(left, room-1)
	} else {
		left = CutLine(left, room)
	}
	return left + BlankCells(room-Width(left)) + right
}

// BlankCells returns n spaces, none where n is negative.
func BlankCells(n int) string { return strings.Repeat(" ", max(0, n)) }

// Style is a look that text is rendered in.
type Style interface{ Render(text ...string) string }

// CleanText cleans s and renders it in a style.
func CleanText[S Style](style S, s string) string {
	if s == "" {
		return ""
	}
	return style.Render(Clean(s))
}

// FitBox fits lines into a rectangle of exactly h lines of w cells.
func FitBox(lines []string, w, h int) string {
	if h <= 0 {
		return ""
	}
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = FitLeft(lines[i], w)
		} else {
			out[i] = BlankCells(w)
		}
	}
	return strings.Join(out, "\n")
}

// SplitLines splits a rectangle into its lines.
func SplitLines(box string) []string { return strings.Split(box, "\n") }

// Beside puts rectangles of equal height side by side.
func Beside(boxes ...string) string {
	columns := make([][]string, len(boxes))
	for i, box := range boxes {
		columns[i] = SplitLines(box)
	}
	var b strings.Builder
	for row := range columns[0] {
		if row > 0 {
			b.WriteByte('\n')
		}
		for i := range columns {
			if row < len(columns[i]) {
				b.WriteString(columns[i][row])
			}
		}
	}
	return b.String()
}

// LayOver lays a box over base, its upper left corner at column x and line y.
// What would leave base is cut.
func LayOver(base, box string, x, y int) string {
	lines := SplitLines(base)
	for i, part := range SplitLines(box) {
		row := y + i
		if row < 0 || row >= len(lines) {
			continue
		}
		total := Width(lines[row])
		left := truncateLine(lines[row], max(0, x), "")
		left += BlankCells(x - Width(left))
		part = truncateLine(part, max(0, total-x), "")
		end := x + Width(part)
		right := widthMethod().TruncateLeft(lines[row], end, "")
		right = BlankCells(total-end-Width(right)) + right
		// A cut that fell into a wide character, or a mark that now combines
		// with its new neighbour, may have changed the width.
		lines[row] = FitLeft(left+part+right, total)
	}
	return strings.Join(lines, "\n")
}

// Wrap breaks cleaned text into lines of at most w cells at spaces.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	return strings.Split(widthMethod().Wrap(Clean(s), w, ""), "\n")
}

// longest is the longest target that terminals take.
const longest = 2000

// IsLinkable reports whether terminals may open a target with a click: an address of the
// web or of a local file that names no user, written in plain characters.
func IsLinkable(target string) bool {
	outside := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(target) > longest || strings.ContainsFunc(target, outside) {
		return false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil {
		return false
	}
	return u.Scheme == "file" && u.Host == "" && strings.HasPrefix(u.Path, "/") ||
		slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != ""
}

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

// sums is set where the terminal adds up the cells of code points.
var sums atomic.Bool

// SumCodePoints says how the terminal measures text: it adds up the cells of
// code points, as most do, or it takes those of whole clusters, as those do that
// grant mode 2027. Without a terminal the latter holds. Safe for concurrent use.
func SumCodePoints(on bool) { sums.Store(on || several.Load()) }

// several is set where several terminals are drawn on.
var several atomic.Bool

// DrawOnSeveral has code points added up from now on, whatever one of the terminals
// grants: text is reduced to what all of them measure alike.
func DrawOnSeveral() {
	several.Store(true)
	sums.Store(true)
}

func widthMethod() ansi.Method {
	if sums.Load() {
		return ansi.WcWidth
	}
	return ansi.GraphemeWidth
}

// truncateLine cuts a line to w cells, the tail among them. The library compares w
// with the cells of clusters; spaces keep it from finding that a line fits which
// does not.
func truncateLine(s string, w int, tail string) string {
	if sums.Load() && ansi.StringWidthWc(s) > w {
		s += BlankCells(w + 1)
	}
	return widthMethod().Truncate(s, w, tail)
}

// ReduceClusters cuts the clusters that terminals disagree on to the character they
// begin with, where code points are added up: families to their first member,
// and emoji to what they are without a skin tone, a style or a key around them.
// Syllables of Hangul that are written letter by letter become one character.
func ReduceClusters(s string) string {
	if !sums.Load() {
		return s
	}
	if strings.ContainsFunc(s, isJamo) {
		s = norm.NFC.String(s)
	}
	if !strings.ContainsFunc(s, isJoiner) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		for i, r := range cluster {
			if i > 0 && isJoiner(r) && (r != joiner || isPictograph(cluster)) {
				_, size := utf8.DecodeRuneInString(cluster)
				cluster = cluster[:size]
				break
			}
		}
		b.WriteString(cluster)
	}
	return b.String()
}

const joiner = '\u200D'

// isJoiner reports whether r makes one picture of what is beside it.
func isJoiner(r rune) bool {
	return r == joiner || r == 0xFE0E || r == 0xFE0F || r == 0x20E3 || r >= 0x1F3FB && r <= 0x1F3FF
}

// isJamo reports whether r is a letter of Hangul that joins others.
func isJamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF }

// isPictograph reports whether a cluster begins with a picture, not a letter.
func isPictograph(cluster string) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	return unicode.Is(unicode.So, r)
}
