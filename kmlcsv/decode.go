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

// decodedText is text in UTF-8, with how it came to be.
type decodedText struct {
	text    []byte
	code    Code   // EncodingGuessed, EncodingMismatch or ""
	message string // what the warning of that code says
}

// decodeText brings a file to UTF-8. declared is the encoding that the file names,
// "" for none.
func decodeText(data []byte, declared string) (decodedText, *Error) {
	if text, ok, err := decodeUTF16(data); ok {
		return decodedText{text: text}, err
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		data, declared = data[len(byteOrderMark):], "utf-8"
	}
	if utf8.Valid(data) {
		return decodeValid(data, declared)
	}
	if declared == "" {
		return guessEncoding(data, "invalid UTF-8 was read as windows-1252")
	}
	e, err := htmlindex.Get(declared)
	if err != nil {
		return decodedText{}, newError(
			BadEncoding,
			"the encoding %q is not supported; save the file as UTF-8",
			oneLine([]byte(declared)),
		)
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return guessEncoding(data, "the file declares "+name+" but is not; it was read as windows-1252")
	}
	text, failed := toUTF8(data, e)
	return decodedText{text: text}, failed
}

// decodeUTF16 decodes what a byte order mark, or the pattern of NUL bytes
// without one, gives away as UTF-16.
func decodeUTF16(data []byte) ([]byte, bool, *Error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		text, err := toUTF8(data[2:], unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
		return text, true, err
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text, err := toUTF8(data[2:], unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
		return text, true, err
	}
	even, odd := 0, 0
	head := data[:min(len(data), 1024)]
	for i, c := range head {
		if c == 0 && i%2 == 0 {
			even++
		} else if c == 0 {
			odd++
		}
	}
	half := len(head) / 2
	switch {
	case half >= 4 && odd > half*7/10 && even < half/10+1:
		text, err := toUTF8(data, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
		return text, true, err
	case half >= 4 && even > half*7/10 && odd < half/10+1:
		text, err := toUTF8(data, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
		return text, true, err
	}
	return nil, false, nil
}

// decodeValid judges valid UTF-8 by what the file declares. Other multi-byte
// encodings can look like it; those of a byte a character practically cannot.
func decodeValid(data []byte, declared string) (decodedText, *Error) {
	same := decodedText{text: data}
	if declared == "" || strings.EqualFold(declared, "utf-8") || isASCII(data) {
		return same, nil
	}
	e, _ := htmlindex.Get(declared)
	if e == nil {
		return mismatchedText(data, declared), nil
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8":
		return same, nil
	case "utf-16le", "utf-16be", "replacement":
		return mismatchedText(data, declared), nil
	}
	if _, single := e.(*charmap.Charmap); single {
		return mismatchedText(data, declared), nil
	}
	text, failed := toUTF8(data, e)
	return decodedText{text: text}, failed
}

func mismatchedText(data []byte, declared string) decodedText {
	return decodedText{
		text: data, code: EncodingMismatch,
		message: "the file declares " + oneLine([]byte(declared)) + " but is UTF-8; it was read as UTF-8",
	}
}

func guessEncoding(data []byte, message string) (decodedText, *Error) {
	text, err := toUTF8(data, charmap.Windows1252)
	return decodedText{text: text, code: EncodingGuessed, message: message}, err
}

func toUTF8(data []byte, e encoding.Encoding) ([]byte, *Error) {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return nil, newError(BadEncoding, "the text cannot be decoded: %v; save the file as UTF-8", err)
	}
	return text, nil
}

func isASCII(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
