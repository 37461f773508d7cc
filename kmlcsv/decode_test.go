package kmlcsv

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

func encoded(t *testing.T, e encoding.Encoding, s string) string {
	t.Helper()
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	little, big := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	const text = "<name>Köln Größe</name>"
	for _, c := range []struct{ name, data, declared, want, code string }{
		{"UTF-8", text, "", text, ""},
		{"UTF-8 as declared", text, "UTF-8", text, ""},
		{"byte order mark", "\xef\xbb\xbf" + text, "UTF-8", text, ""},
		{"byte order mark, yet not UTF-8", "\xef\xbb\xbfK\xf6ln", "", "Köln", "encoding-guessed"},
		{"UTF-16 little-endian", "\xff\xfe" + encoded(t, little, text), "UTF-16", text, ""},
		{"UTF-16 big-endian", "\xfe\xff" + encoded(t, big, text), "UTF-16", text, ""},
		{"UTF-16 without a mark", encoded(t, little, text), "", text, ""},
		{"UTF-16 big-endian without a mark", encoded(t, big, text), "", text, ""},
		{"Latin-1", encoded(t, charmap.ISO8859_1, text), "ISO-8859-1", text, ""},
		{"windows-1252", encoded(t, charmap.Windows1252, "“Köln”"), "windows-1252", "“Köln”", ""},
		{"GB2312", encoded(t, simplifiedchinese.GBK, "北京测区"), "GB2312", "北京测区", ""},
		{"Shift_JIS", encoded(t, japanese.ShiftJIS, "東京"), "Shift_JIS", "東京", ""},
		{"Latin-1 without saying so", "K\xf6ln", "", "Köln", "encoding-guessed"},
		{"Latin-1 declared UTF-8", "K\xf6ln", "utf-8", "Köln", "encoding-guessed"},
		{"UTF-8 declared UTF-16", text, "UTF-16", text, "encoding-mismatch"},
		{"UTF-8 declared Latin-1", text, "iso-8859-1", text, "encoding-mismatch"},
		{"UTF-8 declared nonsense", text, "UTF-9", text, "encoding-mismatch"},
		{"ASCII declared nonsense", "Bonn", "UTF-9", "Bonn", ""},
	} {
		got, note, err := decodeText([]byte(c.data), c.declared)
		if note == nil {
			note = new(Error)
		}
		if err != nil || string(got) != c.want || string(note.Code) != c.code {
			t.Errorf("%s: %q, %q, %v; want %q, %q", c.name, got, note.Code, err, c.want, c.code)
		}
	}
	_, _, err := decodeText([]byte("K\xf6ln"), "x-\x1b[31m")
	if err == nil || err.Code != BadEncoding || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("unknown encoding: %v", err)
	}
}
