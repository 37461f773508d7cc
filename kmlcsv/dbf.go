package kmlcsv

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// tableDBF is the table of a shapefile: a dBase file.
type tableDBF struct {
	names  []string
	fields []fieldDBF
	rows   int
	size   int    // bytes of a row; the first byte marks deleted rows
	data   []byte // the rows
	driver byte   // language driver, which stands for a code page; 0 for unknown

	decoder *encoding.Decoder // nil for UTF-8
}

// fieldDBF is a column of a table.
type fieldDBF struct {
	kind      byte // C for text, N and F for numbers, D for a date, L for a logical value, ...
	from, end int  // span of its bytes in a row
}

// openDBF reads the header of a table. It returns nil if the table is damaged.
func openDBF(dbf []byte) *tableDBF {
	if len(dbf) < 32 {
		return nil
	}
	head := int(binary.LittleEndian.Uint16(dbf[8:]))
	size := int(binary.LittleEndian.Uint16(dbf[10:]))
	if head < 33 || head > len(dbf) || size < 1 {
		return nil
	}
	t := &tableDBF{size: size, data: dbf[head:], driver: dbf[29]}
	t.rows = min(int(binary.LittleEndian.Uint32(dbf[4:])), len(t.data)/size)
	if t.rows < 0 {
		return nil
	}
	at := 1
	for d := dbf[32:head]; len(d) >= 32 && d[0] != '\r'; d = d[32:] {
		f := fieldDBF{kind: d[11], from: at, end: at + int(d[16])}
		if f.kind == 'C' {
			f.end += int(d[17]) << 8 // for text, the byte for decimals is the high byte of the length
		}
		if f.end > size {
			break
		}
		name, _, _ := bytes.Cut(d[:11], []byte{0})
		t.names = append(t.names, string(bytes.TrimSpace(name)))
		t.fields = append(t.fields, f)
		at = f.end
	}
	return t
}

// row returns a row of the table, nil if there is none.
func (t *tableDBF) row(i int) []byte {
	if i < 0 || i >= t.rows {
		return nil
	}
	return t.data[i*t.size : (i+1)*t.size]
}

func (t *tableDBF) isDeleted(i int) bool {
	row := t.row(i)
	return row != nil && row[0] == '*'
}

// text returns the value of a field in a row as text, or "".
func (t *tableDBF) text(i, field int) string {
	row := t.row(i)
	if row == nil || field >= len(t.fields) {
		return ""
	}
	f := t.fields[field]
	raw := row[f.from:f.end]
	switch f.kind {
	case 'I', '+':
		if len(raw) == 4 {
			return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(raw))))
		}
	case 'O':
		if len(raw) == 8 {
			return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)), 'f', -1, 64)
		}
	}
	raw = bytes.Trim(raw, " \x00\t\r\n")
	if f.kind == 'C' {
		return t.decode(raw)
	}
	if len(bytes.Trim(raw, "*?")) == 0 { // stars for a number that is too long, ? for an unknown logical value
		return ""
	}
	return string(raw)
}

// firstText returns the first text of a row, or "".
func (t *tableDBF) firstText(i int) string {
	for k, f := range t.fields {
		if f.kind != 'C' {
			continue
		}
		if text := t.text(i, k); text != "" {
			return oneLine([]byte(text))
		}
	}
	return ""
}

func (t *tableDBF) decode(raw []byte) string {
	if t.decoder == nil {
		return string(cutCharacter(raw))
	}
	text, err := t.decoder.Bytes(raw)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// cutCharacter removes an incomplete UTF-8 character from the end of a text. The programs that write
// tables cut long texts anywhere.
func cutCharacter(raw []byte) []byte {
	for n := 1; n <= min(3, len(raw)); n++ {
		if c := raw[len(raw)-n]; utf8.RuneStart(c) {
			if c >= 0xc0 && !utf8.FullRune(raw[len(raw)-n:]) {
				return raw[:len(raw)-n]
			}
			break
		}
	}
	return raw
}

// checkUTF8 reports whether all texts of the table are valid UTF-8, and whether one has characters
// beyond ASCII.
func (t *tableDBF) checkUTF8() (isValid, isBeyondASCII bool) {
	for i := range t.rows {
		row := t.row(i)
		for _, f := range t.fields {
			if f.kind != 'C' {
				continue
			}
			raw := bytes.Trim(row[f.from:f.end], " \x00")
			if isASCII(raw) {
				continue
			}
			isBeyondASCII = true
			if !utf8.Valid(cutCharacter(raw)) {
				return false, true
			}
		}
	}
	return true, isBeyondASCII
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// chooseEncoding sets the encoding of the texts: the chosen encoding, otherwise the encoding that the
// .cpg file names, otherwise the code page of the table. note is a warning about a guessed encoding,
// or "".
func (t *tableDBF) chooseEncoding(chosen, cpg string) (note string) {
	defer t.decodeNames()
	if chosen != "" {
		t.setEncoding(codePage(chosen))
		return ""
	}
	isUTF8, isBeyondASCII := t.checkUTF8()
	if !isBeyondASCII {
		return "" // any encoding will do
	}
	named, isKnown := codePage(cpg)
	if cpg != "" && isKnown {
		namesUTF8 := named == nil
		if namesUTF8 && !isUTF8 {
			t.decoder = charmap.Windows1252.NewDecoder()
			return "the .cpg says UTF-8, which the names are not; they were read as windows-1252"
		}
		t.setEncoding(named, isKnown)
		return ""
	}
	if t.useDriver(isUTF8) {
		return ""
	}
	t.decoder = charmap.Windows1252.NewDecoder()
	if cpg != "" {
		return "the encoding " + oneLine([]byte(cpg)) + " of the .cpg is not supported; names were read as windows-1252"
	}
	return "no .cpg says how the names are encoded; they were read as windows-1252"
}

// useDriver sets the encoding to the code page of the table, or leaves it at UTF-8 if all texts are
// valid UTF-8: that is unlikely by chance, except in code pages with two bytes for a character. It
// reports false if the encoding remains unknown.
func (t *tableDBF) useDriver(isUTF8 bool) bool {
	page := drivers[t.driver]
	e, isKnown := codePage(page)
	_, isSingleByte := e.(*charmap.Charmap)
	mayHavePairs := isKnown && !isSingleByte
	if isUTF8 && !mayHavePairs {
		return true
	}
	if !isKnown || page == "" {
		return false
	}
	t.setEncoding(e, isKnown)
	return true
}

func (t *tableDBF) setEncoding(e encoding.Encoding, known bool) {
	if known && e != nil {
		t.decoder = e.NewDecoder()
	}
}

func (t *tableDBF) decodeNames() {
	for i, name := range t.names {
		if !isASCII([]byte(name)) {
			t.names[i] = strings.TrimSpace(strings.ToValidUTF8(t.decode([]byte(name)), ""))
		}
	}
}

// drivers are the code pages of dBase's language drivers.
var drivers = func() (pages [256]string) {
	for page, codes := range map[string]string{
		"437":  "\x01\x09\x0b\x0d\x0f\x11\x15\x18\x19\x1b",
		"850":  "\x02\x0a\x0e\x10\x12\x14\x16\x1a\x1d\x25\x37",
		"852":  "\x1f\x22\x23\x40\x64\x87",
		"860":  "\x24",
		"863":  "\x1c\x6c",
		"865":  "\x08\x17\x66",
		"866":  "\x26\x65",
		"932":  "\x13\x7b",
		"936":  "\x4d\x7a",
		"949":  "\x4e\x79",
		"950":  "\x4f\x78",
		"874":  "\x50\x7c",
		"1252": "\x03\x57\x58\x59",
		"1250": "\xc8",
		"1251": "\xc9",
		"1253": "\xcb",
		"1254": "\xca",
		"1255": "\x7d",
		"1256": "\x7e",
		"1257": "\xcc",
	} {
		for _, code := range []byte(codes) {
			pages[code] = page
		}
	}
	return pages
}()

// dosPages are the code pages without a name on the web.
var dosPages = map[string]encoding.Encoding{
	"437": charmap.CodePage437, "850": charmap.CodePage850, "852": charmap.CodePage852, "855": charmap.CodePage855,
	"858": charmap.CodePage858, "860": charmap.CodePage860, "862": charmap.CodePage862, "863": charmap.CodePage863,
	"865": charmap.CodePage865, "866": charmap.CodePage866,
}

// webNames are the names on the web of code pages that are not named windows- and a number.
var webNames = map[string]string{
	"932": "shift_jis", "936": "gbk", "949": "euc-kr", "950": "big5", "874": "windows-874", "54936": "gb18030",
	"51932": "euc-jp", "20866": "koi8-r", "21866": "koi8-u", "10000": "macintosh",
}

// codePage returns the encoding with a name such as "1252", "ANSI 1252", "CP1252", "windows-1252",
// "ISO 88591" or "Big5". It returns nil for UTF-8. known is false if the name is not known.
func codePage(name string) (e encoding.Encoding, known bool) {
	folded := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", "/", "").Replace(name))
	digits := strings.TrimLeft(folded, "abcdefghijklmnopqrstuvwxyz")
	letters := strings.TrimSuffix(folded, digits)
	switch {
	case folded == "utf8", digits == "65001":
		return nil, true
	case strings.HasPrefix(digits, "8859") && (letters == "" || letters == "iso"):
		name = "iso-8859-" + strings.TrimPrefix(digits, "8859")
	case dosPages[digits] != nil:
		return dosPages[digits], true
	case webNames[digits] != "":
		name = webNames[digits]
	case len(digits) == 4 && strings.HasPrefix(digits, "125"):
		name = "windows-" + digits
	}
	e, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil {
		return nil, false
	}
	if canonical, _ := htmlindex.Name(e); canonical == "utf-8" {
		return nil, true
	}
	return e, true
}
