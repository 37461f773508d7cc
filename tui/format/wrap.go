package format

import (
	"slices"
	"strings"
)

// Wrap wraps a text at blanks into lines of at most w cells. A value and its unit, such as "248.5 kB" or "17 Nov", stay
// on one line if they fit. A word is broken only if it is longer than a line. Wrap returns nil if w is not positive.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var lines []string
	line := ""
	for _, word := range splitWords(Clean(s), w) {
		if Width(line)+Width(word.blanks)+Width(word.text) <= w {
			line += word.blanks + word.text
			continue
		}
		if word.text == "" { // blanks at the end of the text
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		parts := breakWord(word.text, w)
		last := len(parts) - 1
		lines = append(lines, parts[:last]...)
		line = parts[last]
	}
	return append(lines, line)
}

// wrapWord is a part of a text that stays on one line, and the blanks before it.
type wrapWord struct{ blanks, text string }

// splitWords splits a text at blanks. A number and a unit after it are one word if they fit into w cells.
func splitWords(s string, w int) []wrapWord {
	var words []wrapWord
	for s != "" {
		word, rest := cutWord(s)
		s = rest
		last := len(words) - 1
		if last >= 0 && word.isUnitAfter(words[last].text, w) {
			words[last].text += " " + word.text
		} else {
			words = append(words, word)
		}
	}
	return words
}

// cutWord returns the first word of a text with the blanks before it, and the rest of the text.
func cutWord(s string) (word wrapWord, rest string) {
	text := strings.TrimLeft(s, " ")
	blanks := s[:len(s)-len(text)]
	end := strings.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	return wrapWord{blanks, text[:end]}, text[end:]
}

// isUnitAfter reports whether a word is the unit of the number before it, and both fit into w cells.
func (word wrapWord) isUnitAfter(number string, w int) bool {
	if word.blanks != " " || !endsWithDigit(number) || !isUnit(word.text) {
		return false
	}
	return Width(number+" "+word.text) <= w
}

func endsWithDigit(s string) bool {
	return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9'
}

// unitWords are the units and the months that can follow a number.
var unitWords = strings.Fields(`B kB MB GB TB ms s m h d mm cm km mi ft ha ac m² km² ft² mi² % N E S W
	Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec`)

// isUnit reports whether a word is a unit, a month, or the code of a currency. It ignores punctuation at the
// end of the word.
func isUnit(word string) bool {
	word = strings.TrimRight(word, ",.;:)")
	isOutsideCode := func(r rune) bool { return r < 'A' || r > 'Z' }
	isCurrency := len(word) == 3 && !strings.ContainsFunc(word, isOutsideCode)
	return isCurrency || slices.Contains(unitWords, word)
}

// breakWord breaks a word that is longer than a line into parts of at most w cells. An e-mail address is broken once if
// that is enough, and other words after separators.
func breakWord(word string, w int) []string {
	if Width(word) <= w {
		return []string{word}
	}
	if parts := breakAddress(word, w); parts != nil {
		return parts
	}
	return breakAtSeparators(word, w)
}

// breakAddress breaks an e-mail address into two parts of at most w cells: before its @ if possible, otherwise before
// its last possible full stop. It returns nil for other words, and for addresses that need more lines.
func breakAddress(word string, w int) []string {
	at := strings.IndexByte(word, '@')
	if at < 0 {
		return nil
	}
	breaks := []int{at}
	for i, char := range slices.Backward([]byte(word)) {
		if char == '.' {
			breaks = append(breaks, i)
		}
	}
	for _, i := range breaks {
		isShort := Width(word[:i]) <= w && Width(word[i:]) <= w
		if isShort {
			return []string{word[:i], word[i:]}
		}
	}
	return nil
}

// breakAtSeparators breaks a word into parts of at most w cells. If the text before a slash exactly fills w
// cells, it breaks before the slash. Otherwise it breaks at the separator that separatorEnd finds.
func breakAtSeparators(word string, w int) []string {
	var parts []string
	for Width(word) > w {
		part := truncateLine(word, w, "")
		if part == "" { // the first character is wider than a line
			break
		}
		end := len(part)
		if word[end] != '/' {
			end = separatorEnd(part)
		}
		parts = append(parts, word[:end])
		word = word[end:]
	}
	return append(parts, word)
}

// separatorEnd returns the length of the text to keep before a break. It breaks after the last slash if that
// is in the second half of the part. Otherwise it breaks after the last of the separators "-_.@," if that is
// in the second half. Otherwise it keeps the whole part.
func separatorEnd(part string) int {
	for _, separators := range []string{"/", "-_.@,"} {
		end := strings.LastIndexAny(part, separators) + 1
		if end > len(part)/2 {
			return end
		}
	}
	return len(part)
}
