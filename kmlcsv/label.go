package kmlcsv

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel is the maximum length of a label in characters. A label is the name of a site.
const maxLabel = 200

// isPlain reports whether a byte is a printable ASCII character other than a blank.
func isPlain(c byte) bool { return c > ' ' && c < 0x7f }

// tidyLabel returns text as one line of at most limit characters: "Mast 4" for " Mast\t\n4\x00". It trims and
// collapses white space, and removes control characters and marks of writing direction. The label is stored in the
// memory of buf. dropped is true if characters were removed. cut is true if the text was too long.
func tidyLabel(raw, buf []byte, limit int) (label []byte, dropped, cut bool) {
	label = buf[:0]
	length := 0                           // characters of the label so far
	followsSpace := false                 // there is white space before the next character
	for len(raw) > 0 && length <= limit { // one character more than the limit shows that the label has to be cut
		r, size := utf8.DecodeRune(raw)
		char := raw[:size]
		raw = raw[size:]
		if unicode.IsSpace(r) {
			isLeading := length == 0
			followsSpace = !isLeading
			continue
		}
		isInvalid := r == utf8.RuneError && size == 1
		if isInvalid || isHidden(r) {
			dropped = true
			continue
		}
		if followsSpace {
			label = append(label, ' ')
			length++
			followsSpace = false
		}
		label = append(label, char...)
		length++
	}
	if length <= limit {
		return label, dropped, false
	}
	const ellipsis = "…"
	label = bytes.TrimRight(cutRunes(label, limit-1), " ")
	return append(label, ellipsis...), dropped, true
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

// isTidy reports whether tidyLabel would not change a label. The label must have no white space at its ends.
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

// isHidden reports whether a character is invisible: a control character, a mark of writing direction or
// a zero-width character.
func isHidden(r rune) bool {
	joiner := r == 0x200c || r == 0x200d // joiners are kept, because they change the shape of letters and emoji
	return !joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

var (
	breakText = newPattern(`(?i)<br[^>]*>`)
	tagText   = newPattern(`<[A-Za-z/!][^>]*>`)
)

// maxMarkup is the maximum length in bytes of a text with HTML tags. stripTags drops what is beyond it.
const maxMarkup = 1 << 14

// stripTags removes HTML tags from text, and replaces entities by characters: "<b>A &amp; B</b>" becomes "A & B".
func stripTags(text []byte) []byte {
	if !bytes.ContainsAny(text, "<&") {
		return text
	}
	plain := breakText().ReplaceAllString(string(text[:min(len(text), maxMarkup)]), " ")
	return []byte(html.UnescapeString(tagText().ReplaceAllString(plain, "")))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// oneLine shortens text from a file for a message, and removes its control characters.
func oneLine(text []byte) string {
	label, _, _ := tidyLabel(text[:min(len(text), 400)], nil, 40)
	return string(label)
}

// isFormula reports whether a spreadsheet would evaluate a label as a formula. It ignores apostrophes at the start of
// the label.
func isFormula(label string) bool {
	rest := strings.TrimLeft(label, "'")
	return rest != "" && strings.ContainsRune("=+-@", rune(rest[0]))
}
