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

// decoded is text in UTF-8, with how it came to be.
type decoded struct {
	text    []byte
	code    Code   // EncodingGuessed, EncodingMismatch or ""
	message string // what the warning of that code says
}

// decode brings a file to UTF-8. declared is the encoding that the file names,
// "" for none.
func decode(data []byte, declared string) (decoded, *Error) {
	if text, ok, err := decodeUTF16(data); ok {
		return decoded{text: text}, err
	}
	if bytes.HasPrefix(data, byteOrderMark) {
		data, declared = data[len(byteOrderMark):], "utf-8"
	}
	if utf8.Valid(data) {
		return decodeValid(data, declared)
	}
	if declared == "" {
		return guess(data, "invalid UTF-8 was read as windows-1252")
	}
	e, err := htmlindex.Get(declared)
	if err != nil {
		return decoded{}, fail(BadEncoding, "the encoding %q is not supported; save the file as UTF-8", oneLine([]byte(declared)))
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return guess(data, "the file declares "+name+" but is not; it was read as windows-1252")
	}
	text, failed := transcode(data, e)
	return decoded{text: text}, failed
}

// decodeUTF16 decodes what a byte order mark, or the pattern of NUL bytes
// without one, gives away as UTF-16.
func decodeUTF16(data []byte) ([]byte, bool, *Error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		text, err := transcode(data[2:], unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
		return text, true, err
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text, err := transcode(data[2:], unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
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
		text, err := transcode(data, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM))
		return text, true, err
	case half >= 4 && even > half*7/10 && odd < half/10+1:
		text, err := transcode(data, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
		return text, true, err
	}
	return nil, false, nil
}

// decodeValid judges valid UTF-8 by what the file declares. Other multi-byte
// encodings can look like it; those of a byte a character practically cannot.
func decodeValid(data []byte, declared string) (decoded, *Error) {
	same := decoded{text: data}
	if declared == "" || strings.EqualFold(declared, "utf-8") || ascii(data) {
		return same, nil
	}
	e, _ := htmlindex.Get(declared)
	if e == nil {
		return mismatch(data, declared), nil
	}
	switch name, _ := htmlindex.Name(e); name {
	case "utf-8":
		return same, nil
	case "utf-16le", "utf-16be", "replacement":
		return mismatch(data, declared), nil
	}
	if _, single := e.(*charmap.Charmap); single {
		return mismatch(data, declared), nil
	}
	text, failed := transcode(data, e)
	return decoded{text: text}, failed
}

func mismatch(data []byte, declared string) decoded {
	return decoded{
		text: data, code: EncodingMismatch,
		message: "the file declares " + oneLine([]byte(declared)) + " but is UTF-8; it was read as UTF-8",
	}
}

func guess(data []byte, message string) (decoded, *Error) {
	text, err := transcode(data, charmap.Windows1252)
	return decoded{text: text, code: EncodingGuessed, message: message}, err
}

func transcode(data []byte, e encoding.Encoding) ([]byte, *Error) {
	text, err := e.NewDecoder().Bytes(data)
	if err != nil {
		return nil, fail(BadEncoding, "the text cannot be decoded: %v; save the file as UTF-8", err)
	}
	return text, nil
}

func ascii(data []byte) bool {
	for _, c := range data {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
