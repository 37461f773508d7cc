package format

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// unfolded are the letters that have no base letter in Unicode, as people type
// them on a keyboard without them.
var unfolded = map[rune]string{
	'ø': "o", 'ł': "l", 'ß': "ss", 'đ': "d", 'ð': "d", 'ħ': "h", 'ŧ': "t", 'þ': "th", 'æ': "ae", 'œ': "oe", 'ı': "i",
}

// Fold returns a text in small letters without accents, for comparing what is
// searched with what is typed: "Smøla" and "Łukasz" become "smola" and "lukasz".
// Marks that are more than accents, such as vowels of Indian scripts, stay.
func Fold(s string) string {
	lower := strings.ToLower(s)
	if isASCII(lower) {
		return lower
	}
	var b strings.Builder
	b.Grow(len(lower))
	for _, r := range norm.NFKD.String(lower) {
		plain, ok := unfolded[r]
		switch {
		case ok:
			b.WriteString(plain)
		case r < '\u0300' || r > '\u036f': // the accents
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
