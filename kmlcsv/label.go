package kmlcsv

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel is the length of the longest label in characters.
const maxLabel = 200

// isPlain reports whether a byte is one that a label may hold as it is, other
// than a blank.
func isPlain(c byte) bool { return c > ' ' && c < 0x7f }

// tidyLabel makes one line of a label, in buf: white space is trimmed and
// collapsed, control characters and marks of writing direction are dropped, and
// what is over so many characters is cut.
func tidyLabel(raw, buf []byte, most int) (label []byte, dropped, cut bool) {
	label = buf[:0]
	runes, space := 0, false
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case unicode.IsSpace(r):
			space = runes > 0
		case isHidden(r), r == utf8.RuneError && size == 1:
			dropped = true
		case runes >= most:
			raw, runes = raw[:size], most+1
		default:
			if space {
				label = append(label, ' ')
				runes++
			}
			label = append(label, raw[:size]...)
			runes++
			space = false
		}
		raw = raw[size:]
	}
	if runes > most {
		return append(bytes.TrimRight(cutRunes(label, most-1), " "), "…"...), dropped, true
	}
	return label, dropped, false
}

// cutRunes returns the first n characters of a label.
func cutRunes(label []byte, n int) []byte {
	if len(label) <= n {
		return label
	}
	for i := range string(label) {
		if n == 0 {
			return label[:i]
		}
		n--
	}
	return label
}

// isTidy reports whether a trimmed label needs no change.
func isTidy(raw []byte) bool {
	if len(raw) > maxLabel {
		return false
	}
	for i, c := range raw {
		if !isPlain(c) && (c != ' ' || i == 0 || raw[i-1] == ' ') {
			return false
		}
	}
	return true
}

// isHidden reports whether a character is not seen in a line of text: controls,
// marks of direction, zero width characters.
func isHidden(r rune) bool {
	joiner := r == 0x200c || r == 0x200d // they shape letters and emoji
	return !joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

var (
	breakText = regexp.MustCompile(`(?i)<br[^>]*>`)
	tagText   = regexp.MustCompile(`<[A-Za-z/!][^>]*>`)
)

// maxMarkup bounds the bytes of a name with HTML that are read.
const maxMarkup = 1 << 14

// stripTags takes HTML tags out of text and replaces its entities once.
func stripTags(text []byte) []byte {
	if !bytes.ContainsAny(text, "<&") {
		return text
	}
	plain := breakText.ReplaceAllString(string(text[:min(len(text), maxMarkup)]), " ")
	return []byte(html.UnescapeString(tagText.ReplaceAllString(plain, "")))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// oneLine makes text of a file fit for a message: short, without controls.
func oneLine(text []byte) string {
	label, _, _ := tidyLabel(text[:min(len(text), 400)], nil, 40)
	return string(label)
}

// isFormula reports whether a spreadsheet takes a label for a formula, were it not for
// the apostrophes before it.
func isFormula(label string) bool {
	rest := strings.TrimLeft(label, "'")
	return rest != "" && strings.ContainsRune("=+-@", rune(rest[0]))
}
