package kmlcsv

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf8"
)

// appendUnescaped appends text to dst with its entities replaced. A '&' that starts
// none stays as it is.
func (s *xmlScanner) appendUnescaped(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		end := bytes.IndexByte(text[:min(len(text), 40)], ';')
		if end < 0 {
			s.notes.ampersand = true
			dst, text = append(dst, '&'), text[1:]
			continue
		}
		value, ok := s.entityText(text[1:end])
		if !ok {
			s.notes.ampersand = true
			dst, text = append(dst, '&'), text[1:]
			continue
		}
		dst, text = append(dst, value...), text[end+1:]
	}
}

// entityText returns what a name between '&' and ';' stands for.
func (s *xmlScanner) entityText(name []byte) (string, bool) {
	switch string(name) {
	case "amp":
		return "&", true
	case "lt":
		return "<", true
	case "gt":
		return ">", true
	case "quot":
		return `"`, true
	case "apos":
		return "'", true
	}
	if len(name) > 1 && name[0] == '#' {
		return characterReference(name[1:])
	}
	whole := "&" + string(name) + ";"
	value := html.UnescapeString(whole)
	if value == whole || len(value) > 0 && value[0] == '&' {
		return "", false
	}
	s.notes.entity = true
	return value, true
}

// characterReference returns the character of a numeric reference.
func characterReference(digits []byte) (string, bool) {
	base := 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil {
		return "", false
	}
	if n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		n = utf8.RuneError
	}
	return string(rune(n)), true
}
