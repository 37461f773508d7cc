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

// decodeText brings a file to UTF-8. declared is the encoding that the file names,
// "" for none. The note is what to warn about, nil for nothing.
func decodeText(data []byte, declared string) (text []byte, note, failed *Error) {
	if order, ok := utf16Order(data); ok {
		return toUTF8(data, unicode.UTF16(order, unicode.UseBOM), nil)
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		data, declared = data[len(byteOrderMark):], "utf-8"
	}
	if utf8.Valid(data) {
		return decodeValid(data, declared)
	}
	if declared == "" {
		return toUTF8(data, charmap.Windows1252, newError(EncodingGuessed, "invalid UTF-8 was read as windows-1252"))
	}
	e, err := htmlindex.Get(declared)
	if err != nil {
		return nil, nil, newError(
			BadEncoding, "the encoding %q is not supported; save the file as UTF-8", []byte(declared))
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return toUTF8(data, charmap.Windows1252, newError(
			EncodingGuessed, "the file declares %s but is not; it was read as windows-1252", name))
	}
	return toUTF8(data, e, nil)
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
func decodeValid(data []byte, declared string) (text []byte, note, failed *Error) {
	if declared == "" || strings.EqualFold(declared, "utf-8") || utf8.RuneCount(data) == len(data) {
		return data, nil, nil
	}
	e, _ := htmlindex.Get(declared)
	name := ""
	if _, isSingle := e.(*charmap.Charmap); e != nil && !isSingle {
		name, _ = htmlindex.Name(e)
	}
	switch name {
	case "utf-8":
		return data, nil, nil
	case "", "utf-16le", "utf-16be", "replacement":
		return data, newError(
			EncodingMismatch, "the file declares %s but is UTF-8; it was read as UTF-8", []byte(declared)), nil
	}
	return toUTF8(data, e, nil)
}

func toUTF8(data []byte, e encoding.Encoding, noted *Error) (text []byte, note, failed *Error) {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return nil, nil, newError(BadEncoding, "the text cannot be decoded: %v; save the file as UTF-8", err)
	}
	return text, noted, nil
}

// decoding is how a text was decoded.
type decoding struct {
	name     string    // of the encoding, as browsers name it
	note     *Error    // what to warn about, nil for nothing
	question *Question // which encoding it is, nil if that is certain
}
