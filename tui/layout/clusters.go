package layout

import (
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
)

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
