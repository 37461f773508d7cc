package format

import (
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

// IsPlain reports whether text is valid UTF-8 without characters that move the cursor or
// reorder or hide other text.
func IsPlain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.Is(unicode.Cc, r) || isReordering(r) || isInvisible(r)
	})
}

// Clean returns text from outside as a single harmless line: line breaks and tabs become spaces, other control
// characters become visible, and characters that reorder or hide text are replaced.
func Clean(s string) string {
	if _, isSimple := countSimple(s); isSimple {
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

// invisible are the characters without width, except tag characters.
const invisible = "\u00AD\u034F\u115F\u1160\u17B4\u17B5\u180E\u200B\u2028\u2029" +
	"\u2060\u2061\u2062\u2063\u2064\u3164\uFEFF\uFFA0"

// isInvisible reports whether r has no visible effect. Two texts that differ only in such characters look the
// same. Joiners of scripts and emoji are not invisible, because they change how other characters look.
func isInvisible(r rune) bool {
	return strings.ContainsRune(invisible, r) || r >= 0xE0000 && r <= 0xE007F
}

// countSimple returns the width of a simple line quickly. ok is false if the line has a character that may be
// invisible or not exactly one cell wide, so that it must be measured. Most lines have only Latin letters and
// need no measuring.
func countSimple(s string) (n int, ok bool) {
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

// Width returns the width of a line in cells without its escape sequences.
func Width(s string) int {
	if n, isSimple := countSimple(s); isSimple {
		return n
	}
	return widthMethod().StringWidth(s)
}

// CutLine cuts a line to w cells with an ellipsis at the end.
func CutLine(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	return truncateLine(s, w, "…")
}

// CutMiddle cuts a line to w cells with an ellipsis in the middle, which keeps the
// extension of a file name.
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

// FitLeft fits a line into exactly w cells, aligned left.
func FitLeft(s string, w int) string {
	s = CutLine(s, w)
	return s + BlankCells(w-Width(s))
}

// FitRight fits a line into exactly w cells, aligned right.
func FitRight(s string, w int) string {
	s = CutLine(s, w)
	return BlankCells(w-Width(s)) + s
}

// FitEnds fits two texts into exactly w cells, one at the left end and one at the right end. If there is not
// enough room for both, it cuts the left text. It cuts the right text only if it is wider than w.
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

// BlankCells returns n spaces, or "" if n is negative.
func BlankCells(n int) string { return strings.Repeat(" ", max(0, n)) }

// Style renders text.
type Style interface{ Render(text ...string) string }

// CleanText renders the cleaned text in a style; see [Clean].
func CleanText[S Style](style S, s string) string {
	if s == "" {
		return ""
	}
	return style.Render(Clean(s))
}

// FitBox fits lines into a box of exactly h lines of w cells.
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

// SplitLines returns the lines of a box. A box is a text of several lines, which are separated by \n.
func SplitLines(box string) []string { return strings.Split(box, "\n") }

// Beside joins boxes of equal height horizontally.
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

// LayOver draws a box over base with its upper left corner at column x and line y. The box
// is cut at the edges of base.
func LayOver(base, box string, x, y int) string {
	lines := SplitLines(base)
	for i, part := range SplitLines(box) {
		row := y + i
		if row >= 0 && row < len(lines) {
			lines[row] = layOverLine(lines[row], part, x)
		}
	}
	return strings.Join(lines, "\n")
}

// layOverLine replaces the cells of a line from cell x on by part. The line keeps its width.
func layOverLine(line, part string, x int) string {
	total := Width(line)
	left := truncateLine(line, max(0, x), "")
	left += BlankCells(x - Width(left)) // instead of half of a wide character
	part = truncateLine(part, max(0, total-x), "")
	end := x + Width(part)
	right := widthMethod().TruncateLeft(line, end, "")
	right = BlankCells(total-end-Width(right)) + right
	return FitLeft(left+part+right, total) // a combining character can have a new neighbour and another width
}

// maxLinkLength is the maximum length of a link that terminals accept.
const maxLinkLength = 2000

// IsLinkable reports whether a link is safe to open: an address of the web or of a local
// file, without a user name, in ASCII characters.
func IsLinkable(target string) bool {
	outside := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(target) > maxLinkLength || strings.ContainsFunc(target, outside) {
		return false
	}
	u, err := url.Parse(target)
	if err != nil || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "file":
		return u.Host == "" && strings.HasPrefix(u.Path, "/")
	default:
		return false
	}
}

// EscapeMarkdown escapes text for a line of Markdown.
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

// sums is set if the width of a text is the sum of the widths of its code points.
var sums atomic.Bool

// SumCodePoints sets how the terminal measures text. If on is true, it adds up the widths of code points, as
// most terminals do. Otherwise it uses the widths of grapheme clusters, as terminals with mode 2027 do. The
// default is clusters. SumCodePoints is safe for concurrent use.
func SumCodePoints(on bool) { sums.Store(on || several.Load()) }

// several is set if the program draws on several terminals.
var several atomic.Bool

// DrawOnSeveral prepares the package for a program that draws on several terminals, which may measure text
// differently. After the call, text is reduced to characters that all terminals measure equally, and the
// width of a text is the sum of the widths of its code points.
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

// truncateLine cuts a line to w cells, including the tail. Package ansi cuts a line only if its grapheme
// clusters do not fit. If the terminal adds up code points, a line can be too wide although its clusters fit.
// truncateLine then appends spaces first, to make the package cut the line.
func truncateLine(s string, w int, tail string) string {
	if sums.Load() && ansi.StringWidthWc(s) > w {
		s += BlankCells(w + 1)
	}
	return widthMethod().Truncate(s, w, tail)
}

// ReduceClusters replaces each grapheme cluster that terminals measure differently by its first character. A
// family becomes its first member, and an emoji with a skin tone becomes the plain emoji. Hangul letters are
// composed to syllables. If the terminal measures clusters, the text stays unchanged; see [SumCodePoints].
func ReduceClusters(s string) string {
	if !sums.Load() {
		return s
	}
	if strings.ContainsFunc(s, isJamo) {
		s = norm.NFC.String(s)
	}
	if !strings.ContainsFunc(s, isModifier) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		b.WriteString(reduceCluster(cluster))
	}
	return b.String()
}

// reduceCluster returns the first character of a cluster with a modifier, and any other cluster
// unchanged. A joiner after a letter is no modifier: it only changes the letter's shape.
func reduceCluster(cluster string) string {
	first, size := utf8.DecodeRuneInString(cluster)
	for _, r := range cluster[size:] {
		isAfterLetter := r == joiner && !isPictograph(first)
		if isModifier(r) && !isAfterLetter {
			return cluster[:size]
		}
	}
	return cluster
}

const joiner = '\u200D' // zero width joiner

// isModifier reports whether r changes the picture before it: a joiner, a variant selector, the
// frame of a key or a skin tone.
func isModifier(r rune) bool {
	return r == joiner || r == 0xFE0E || r == 0xFE0F || r == 0x20E3 || r >= 0x1F3FB && r <= 0x1F3FF
}

// isJamo reports whether r is a Hangul letter that combines to syllables.
func isJamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF }

// isPictograph reports whether r is a picture and not a letter.
func isPictograph(r rune) bool { return unicode.Is(unicode.So, r) }
