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
	if order, ok := utf16Order(data); ok {
		text, err := toUTF8(data, unicode.UTF16(order, unicode.UseBOM))
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
			[]byte(declared),
		)
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return guessEncoding(data, "the file declares "+name+" but is not; it was read as windows-1252")
	}
	text, failed := toUTF8(data, e)
	return decodedText{text: text}, failed
}

// utf16Order recognises UTF-16 by its byte order mark, or by the pattern of NUL bytes
// without one.
func utf16Order(data []byte) (order unicode.Endianness, ok bool) {
	var nuls [2]int // at even and odd places
	head := data[:min(len(data), 1024)]
	for i, c := range head {
		if c == 0 {
			nuls[i%2]++
		}
	}
	half := len(head) / 2
	isMostly := func(many, few int) bool { return half >= 4 && nuls[many] > half*7/10 && nuls[few] < half/10+1 }
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), isMostly(1, 0):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}), isMostly(0, 1):
		return unicode.BigEndian, true
	}
	return false, false
}

// decodeValid judges valid UTF-8 by what the file declares. Other multi-byte
// encodings can look like it; those of a byte a character practically cannot.
func decodeValid(data []byte, declared string) (decodedText, *Error) {
	same := decodedText{text: data}
	if declared == "" || strings.EqualFold(declared, "utf-8") || isASCII(data) {
		return same, nil
	}
	e, _ := htmlindex.Get(declared)
	name := ""
	if _, isSingle := e.(*charmap.Charmap); e != nil && !isSingle {
		name, _ = htmlindex.Name(e)
	}
	switch name {
	case "utf-8":
		return same, nil
	case "", "utf-16le", "utf-16be", "replacement":
		same.code = EncodingMismatch
		same.message = writeMessage("the file declares %s but is UTF-8; it was read as UTF-8", []byte(declared))
		return same, nil
	}
	text, failed := toUTF8(data, e)
	return decodedText{text: text}, failed
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
