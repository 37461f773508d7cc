package kmlcsv

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// decodeText converts the text of a file to UTF-8. declared is the encoding that the file declares, or "". note is
// nil, or a warning for the user about the encoding. failed is nil, or the reason why the text cannot be decoded.
func decodeText(data []byte, declared string) (text []byte, note, failed *Error) {
	if order, ok := utf16Order(data); ok {
		return toUTF8(data, unicode.UTF16(order, unicode.UseBOM), nil)
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		data = data[len(byteOrderMark):]
		declared = "utf-8" // the mark is more reliable than the declaration
	}
	if utf8.Valid(data) {
		return decodeValid(data, declared)
	}
	if declared == "" {
		note = newError(EncodingGuessed, "invalid UTF-8 was read as windows-1252")
		return toUTF8(data, charmap.Windows1252, note)
	}
	e, err := htmlindex.Get(declared)
	if err != nil {
		failed = newError(BadEncoding, "the encoding %q is not supported; save the file as UTF-8", []byte(declared))
		return nil, nil, failed
	}
	name, _ := htmlindex.Name(e)
	isWrong := isUnicode(name) || isNoFileEncoding(name) // the file is neither UTF-8 nor UTF-16, as was checked above
	if isWrong {
		note = newError(EncodingGuessed, "the file declares %s but is not; it was read as windows-1252", name)
		return toUTF8(data, charmap.Windows1252, note)
	}
	return toUTF8(data, e, nil)
}

// isUnicode reports whether the name of an encoding means UTF-8 or UTF-16. The name must come from package htmlindex.
func isUnicode(name string) bool { return name == "utf-8" || name == "utf-16le" || name == "utf-16be" }

// isNoFileEncoding reports whether a name that htmlindex knows is not a real encoding. Web standards define two such
// names: "replacement" and "x-user-defined".
func isNoFileEncoding(name string) bool { return name == "replacement" || name == "x-user-defined" }

// utf16Order returns the byte order of a text in UTF-16. The byte order mark shows the order. If the text has no mark,
// the NUL bytes show it: in UTF-16, one of the two bytes of each ASCII character is NUL. ok is false if the text is not
// UTF-16.
func utf16Order(data []byte) (order unicode.Endianness, ok bool) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) {
		return unicode.LittleEndian, true
	}
	if bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return unicode.BigEndian, true
	}
	head := data[:min(len(data), 1024)]
	pairs := len(head) / 2
	if pairs < 4 { // too short to tell
		return order, false
	}
	evenNuls := 0 // NUL bytes at even indexes
	oddNuls := 0
	for i, c := range head {
		if c != 0 {
			continue
		}
		if i%2 == 0 {
			evenNuls++
		} else {
			oddNuls++
		}
	}
	most := pairs * 7 / 10
	few := pairs/10 + 1
	if oddNuls > most && evenNuls < few {
		return unicode.LittleEndian, true
	}
	if evenNuls > most && oddNuls < few {
		return unicode.BigEndian, true
	}
	return order, false
}

// decodeValid decodes a text that is valid UTF-8 although the file may declare another encoding. If the file declares
// a single-byte encoding, the declaration is wrong: the text is read as UTF-8, and note is a warning. If it declares
// a multi-byte encoding, the declaration is used, because text in such an encoding can be valid UTF-8 by chance.
func decodeValid(data []byte, declared string) (text []byte, note, failed *Error) {
	if declared == "" || strings.EqualFold(declared, "utf-8") {
		return data, nil, nil
	}
	if utf8.RuneCount(data) == len(data) { // ASCII
		return data, nil, nil
	}
	wrongName := newError(
		EncodingMismatch, "the file declares %s but is UTF-8; it was read as UTF-8", []byte(declared))
	e, err := htmlindex.Get(declared)
	_, isSingleByte := e.(*charmap.Charmap)
	if err != nil || isSingleByte {
		return data, wrongName, nil
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8":
		return data, nil, nil
	case "", "utf-16le", "utf-16be", "replacement":
		return data, wrongName, nil
	}
	return toUTF8(data, e, nil)
}

// toUTF8 converts a text from the encoding e to UTF-8. On success, it returns note as its second result, so that
// callers can return the results of toUTF8 directly.
func toUTF8(data []byte, e encoding.Encoding, note *Error) (text []byte, _, failed *Error) {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return nil, nil, newError(BadEncoding, "the text cannot be decoded: %v; save the file as UTF-8", err)
	}
	return text, note, nil
}

// decoding describes how a text was decoded.
type decoding struct {
	name     string    // name of the encoding in web standards
	note     *Error    // warning for the user, or nil
	question *Question // asks for the encoding; nil if the encoding is known
}
