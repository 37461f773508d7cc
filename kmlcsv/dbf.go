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
	"golang.org/x/text/encoding/unicode"
)

// tableDBF is the attribute table of a shapefile. Its format is dBase (DBF).
type tableDBF struct {
	names  []string
	fields []fieldDBF
	rows   int
	size   int    // size of a row in bytes; the first byte says whether the row is deleted
	data   []byte // the rows
	driver byte   // dBase's number for the encoding, called language driver; 0 if unknown

	decoder *encoding.Decoder // nil for UTF-8
}

// fieldDBF is a column of a table.
type fieldDBF struct {
	kind      byte // C for text, N and F for numbers, D for a date, L for a logical value, ...
	from, end int  // range of its bytes in a row; end is after the last byte
}

// A table starts with a header of headDBF bytes. It has the number of rows at 4, the length of the header with all
// fields at 8, the length of a row at 10, and the language driver at 29. Then descriptorDBF bytes follow for each
// field: the name at 0 to 10, the type at 11, the length at 16, and the number of decimals at 17.
const (
	headDBF       = 32
	descriptorDBF = 32
)

// openDBF reads the header of a table. It returns nil if the header is damaged.
func openDBF(dbf []byte) *tableDBF {
	if len(dbf) < headDBF {
		return nil
	}
	dataStart := int(binary.LittleEndian.Uint16(dbf[8:]))
	rowSize := int(binary.LittleEndian.Uint16(dbf[10:]))
	if dataStart <= headDBF || dataStart > len(dbf) || rowSize < 1 {
		return nil
	}
	t := &tableDBF{size: rowSize, data: dbf[dataStart:], driver: dbf[29]}
	t.rows = min(int(binary.LittleEndian.Uint32(dbf[4:])), len(t.data)/rowSize)
	if t.rows < 0 {
		return nil
	}
	t.readFields(dbf[headDBF:dataStart])
	return t
}

// readFields reads the descriptions of the fields in the header. A carriage return marks their end.
func (t *tableDBF) readFields(descriptors []byte) {
	from := 1 // the first byte of a row marks deleted rows
	for d := descriptors; len(d) >= descriptorDBF && d[0] != '\r'; d = d[descriptorDBF:] {
		f := fieldDBF{kind: d[11], from: from, end: from + int(d[16])}
		if f.kind == 'C' {
			f.end += int(d[17]) << 8 // in a text field, the byte for the decimals is the high byte of the length
		}
		if f.end > t.size {
			return
		}
		name, _, _ := bytes.Cut(d[:11], []byte{0})
		t.names = append(t.names, string(bytes.TrimSpace(name)))
		t.fields = append(t.fields, f)
		from = f.end
	}
}

// row returns the bytes of row i, or nil if the table does not have this row.
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

// text returns the value of a field in row i as text. It returns "" if the row or the value is missing.
func (t *tableDBF) text(i, field int) string {
	row := t.row(i)
	if row == nil || field >= len(t.fields) {
		return ""
	}
	f := t.fields[field]
	raw := row[f.from:f.end]
	if number, isBinary := binaryNumber(f.kind, raw); isBinary {
		return number
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

// binaryNumber returns the number in a field that stores it in binary form. The kinds I and + are integers of four
// bytes, and the kind O is a float64. isBinary is false for fields of other kinds.
func binaryNumber(kind byte, raw []byte) (number string, isBinary bool) {
	if (kind == 'I' || kind == '+') && len(raw) == 4 {
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(raw)))), true
	}
	if kind == 'O' && len(raw) == 8 {
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)), 'f', -1, 64), true
	}
	return "", false
}

// firstText returns the first text in row i that is not empty, or "".
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

// cutCharacter removes an incomplete UTF-8 character from the end of a text. Some programs leave half a character there
// when they shorten a text that is too long for the table.
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

// checkUTF8 examines the texts of the table. isValid says whether all texts are valid UTF-8. isBeyondASCII says
// whether a text has characters beyond ASCII.
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

// chooseEncoding finds the encoding of the texts and decodes the names of the fields. chosen is the encoding that the
// user chose, and cpg is the encoding that the .cpg file of the shapefile names. Both can be "". If the encoding had
// to be guessed, note is a warning about it.
func (t *tableDBF) chooseEncoding(chosen, cpg string) (note string) {
	e, note := t.findEncoding(chosen, cpg)
	if e != nil && e != unicode.UTF8 {
		t.decoder = e.NewDecoder()
	}
	t.decodeNames()
	return note
}

// findEncoding returns the encoding of the texts. In this order, it uses the encoding that the user chose, the
// encoding in the .cpg file, the encoding in the table, and windows-1252. If the encoding had to be guessed, note is
// a warning about it.
func (t *tableDBF) findEncoding(chosen, cpg string) (e encoding.Encoding, note string) {
	if chosen != "" {
		return codePage(chosen), ""
	}
	isUTF8, isBeyondASCII := t.checkUTF8()
	if !isBeyondASCII {
		return unicode.UTF8, "" // all texts are ASCII, so any encoding is right
	}
	if named := codePage(cpg); named != nil {
		if named == unicode.UTF8 && !isUTF8 {
			return charmap.Windows1252, "the .cpg says UTF-8, which the names are not; they were read as windows-1252"
		}
		return named, ""
	}
	if e := t.encodingOfDriver(isUTF8); e != nil {
		return e, ""
	}
	if cpg != "" {
		note = "the encoding " + oneLine([]byte(cpg)) + " of the .cpg is not supported; names were read as windows-1252"
		return charmap.Windows1252, note
	}
	return charmap.Windows1252, "no .cpg says how the names are encoded; they were read as windows-1252"
}

// encodingOfDriver returns the encoding that the table names, or nil if it names none. isUTF8 says that all texts are
// valid UTF-8. In this case, the result is UTF-8 if the table names a single-byte encoding or none, because texts in a
// single-byte encoding are hardly ever valid UTF-8 by chance. A double-byte encoding that the table names is returned
// even then, because texts in such an encoding can be valid UTF-8 by chance.
func (t *tableDBF) encodingOfDriver(isUTF8 bool) encoding.Encoding {
	page := codePage(drivers[t.driver])
	_, isSingleByte := page.(*charmap.Charmap)
	if isUTF8 && (page == nil || isSingleByte) {
		return unicode.UTF8
	}
	return page
}

func (t *tableDBF) decodeNames() {
	for i, name := range t.names {
		if !isASCII([]byte(name)) {
			t.names[i] = strings.TrimSpace(strings.ToValidUTF8(t.decode([]byte(name)), ""))
		}
	}
}

// drivers maps dBase's numbers for encodings, called language drivers, to the numbers of code pages.
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

// dosPages has the encodings of the DOS code pages, which web standards do not define.
var dosPages = map[string]encoding.Encoding{
	"437": charmap.CodePage437, "850": charmap.CodePage850, "852": charmap.CodePage852, "855": charmap.CodePage855,
	"858": charmap.CodePage858, "860": charmap.CodePage860, "862": charmap.CodePage862, "863": charmap.CodePage863,
	"865": charmap.CodePage865, "866": charmap.CodePage866,
}

// webNames maps the numbers of code pages to the names of the encodings in web standards. It does not have the pages
// 1250 to 1258, for which webNameOf makes the name from the number.
var webNames = map[string]string{
	"932": "shift_jis", "936": "gbk", "949": "euc-kr", "950": "big5", "874": "windows-874", "54936": "gb18030",
	"51932": "euc-jp", "20866": "koi8-r", "21866": "koi8-u", "10000": "macintosh",
}

// codePage returns the encoding with the given name, such as "1252", "ANSI 1252", "CP1252", "windows-1252", "Big5",
// or "88591" for ISO 8859-1. It returns nil for an unknown name.
func codePage(name string) encoding.Encoding {
	folded := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", "/", "").Replace(name))
	digits := strings.TrimLeft(folded, "abcdefghijklmnopqrstuvwxyz")
	letters := strings.TrimSuffix(folded, digits)
	if folded == "utf8" || digits == "65001" {
		return unicode.UTF8
	}
	if page := dosPages[digits]; page != nil {
		return page
	}
	webName := webNameOf(letters, digits)
	if webName == "" {
		webName = strings.TrimSpace(name)
	}
	e, err := htmlindex.Get(webName)
	if err != nil {
		return nil
	}
	return e
}

// webNameOf returns the name of an encoding in web standards, or "". letters and digits are the two parts of another
// name of the encoding: for "cp" and "1252" it returns "windows-1252", and for "iso" and "88591" it returns
// "iso-8859-1".
func webNameOf(letters, digits string) string {
	part, isISO := strings.CutPrefix(digits, "8859")
	if isISO && (letters == "" || letters == "iso") {
		return "iso-8859-" + part
	}
	if webNames[digits] != "" {
		return webNames[digits]
	}
	if len(digits) == 4 && strings.HasPrefix(digits, "125") {
		return "windows-" + digits
	}
	return ""
}
