package kmlcsv

import (
	"archive/zip"
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"
)

// xlsxReader reads an Excel workbook: a zip archive of XML files, which the standard calls parts. All parts except the
// sheets are optional.
type xlsxReader struct {
	opts  Options
	parts map[string]*zip.File // parts by their path in lower case

	strings  []string  // shared strings; cells refer to them by index
	dates    []bool    // whether each style shows a date or a time
	since    time.Time // day 0 of the dates
	prepared bool
	targets  map[string]string // paths of the parts sharedStrings and styles
}

// The largest row and column of a sheet.
const (
	maxSheetRow    = 1 << 20
	maxSheetColumn = 1 << 14
)

var damagedWorkbook = newError(BadArchive, "the workbook is damaged; save it again, or as CSV")

// openPart returns a scanner at the root element of a part, or nil if there is no such part.
func (x *xlsxReader) openPart(name string) (*xmlScanner, *Error) {
	f := x.parts[name]
	if f == nil {
		return nil, nil
	}
	if failed := x.opts.work.check(); failed != nil {
		return nil, failed
	}
	data, failed := unpackFile(f, x.opts.work, "the workbook")
	if failed != nil {
		return nil, failed
	}
	text, _, failed := decodeText(data, declaredEncoding(data))
	if failed != nil {
		return nil, damagedWorkbook
	}
	s := &xmlScanner{data: text}
	if !s.startRoot("a workbook") {
		return nil, damagedWorkbook
	}
	return s, nil
}

// relation is a reference from one part of the workbook to another, such as from the workbook to a sheet.
type relation struct {
	kind   string // what the target is, such as "styles"
	target string // path of the part that is referred to
}

// readRelations returns the references from a part to other parts, by the IDs that the part uses for them.
func (x *xlsxReader) readRelations(part string) (map[string]relation, *Error) {
	folder, file := path.Split(part)
	s, failed := x.openPart(folder + "_rels/" + file + ".rels")
	if s == nil {
		return nil, failed
	}
	relations := make(map[string]relation)
	for s.nextElement() {
		kind := s.attributeText("Type")
		relations[s.attributeText("Id")] = relation{
			kind:   kind[strings.LastIndexByte(kind, '/')+1:],
			target: partOf(part, s.attributeText("Target")),
		}
		s.skipElement()
	}
	return relations, scanFailure(s)
}

func scanFailure(s *xmlScanner) *Error {
	if s.err != nil {
		return damagedWorkbook
	}
	return nil
}

// openBook reads the list of sheets, and the paths of the parts that all sheets share.
func (x *xlsxReader) openBook() ([]sheetInfo, *Error) {
	book := "xl/workbook.xml"
	if x.parts[book] == nil {
		relations, failed := x.readRelations("")
		if failed != nil {
			return nil, failed
		}
		for _, r := range relations {
			if r.kind == "officeDocument" {
				book = r.target
			}
		}
	}
	relations, failed := x.readRelations(book)
	if failed != nil {
		return nil, failed
	}
	folder, _ := path.Split(book)
	x.targets = map[string]string{"sharedStrings": folder + "sharedstrings.xml", "styles": folder + "styles.xml"}
	for _, r := range relations {
		if r.kind == "sharedStrings" || r.kind == "styles" {
			x.targets[r.kind] = r.target
		}
	}
	s, failed := x.openPart(book)
	if failed != nil {
		return nil, failed
	}
	if s == nil {
		return nil, newError(BadArchive, "the workbook is damaged: it has no list of sheets; save it again, or as CSV")
	}
	return x.listSheets(s, relations, folder)
}

// listSheets reads the sheets out of the workbook's main part.
func (x *xlsxReader) listSheets(s *xmlScanner, relations map[string]relation, folder string) ([]sheetInfo, *Error) {
	x.since = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	var sheets []sheetInfo
	for s.nextElement() {
		switch s.local() {
		case "workbookPr":
			if base := s.attributeText("date1904"); base == "1" || base == "true" {
				x.since = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
			s.skipElement()
		case "sheets":
			for s.nextElement() {
				sheet := sheetInfo{name: s.attributeText("name"), index: len(sheets)}
				state := s.attributeText("state")
				sheet.hidden = state == "hidden" || state == "veryHidden"
				part, known := relations[s.attributeText("id")]
				if !known { // without relations, the files of the sheets are numbered
					sheet.part = folder + "worksheets/sheet" + strconv.Itoa(len(sheets)+1) + ".xml"
				} else if part.kind == "worksheet" {
					sheet.part = part.target
				}
				sheets = append(sheets, sheet)
				s.skipElement()
			}
		default:
			s.skipElement()
		}
	}
	if failed := scanFailure(s); failed != nil {
		return nil, failed
	}
	if len(sheets) == 0 {
		return nil, newError(BadArchive, "the workbook has no sheets; save it again, or as CSV")
	}
	return sheets, nil
}

// stringCost is the number of bytes that a string counts towards the limit of unpacked data, in
// addition to its characters.
const stringCost = 16

// prepare reads the strings and styles that all sheets share, once.
func (x *xlsxReader) prepare() *Error {
	if x.prepared {
		return nil
	}
	x.prepared = true
	if failed := x.readStrings(); failed != nil {
		return failed
	}
	s, failed := x.openPart(x.targets["styles"])
	if failed != nil || s == nil {
		return failed
	}
	x.readStyles(s)
	return scanFailure(s)
}

// readStrings reads the shared strings, if there are any.
func (x *xlsxReader) readStrings() *Error {
	s, failed := x.openPart(x.targets["sharedStrings"])
	if failed != nil || s == nil {
		return failed
	}
	var arena textArena
	var text []byte
	for s.nextElement() {
		if !x.opts.work.useBytes(stringCost) {
			return x.opts.work.tooLarge("the workbook")
		}
		text = readRichText(s, text[:0])
		x.strings = append(x.strings, arena.makeString(text))
	}
	return scanFailure(s)
}

// readRichText appends the text of the current string element to text, including the parts
// with a format of their own (runs). It leaves out the phonetic reading of Japanese.
func readRichText(s *xmlScanner, text []byte) []byte {
	for s.nextElement() {
		switch string(localName(s.name)) {
		case "t":
			text = appendUnescapedX(text, s.elementText())
		case "r":
			text = readRichText(s, text)
		default:
			s.skipElement()
		}
	}
	return text
}

// appendUnescapedX appends text with Excel's escapes such as _x000D_ replaced.
func appendUnescapedX(dst, text []byte) []byte {
	for {
		i := bytes.Index(text, []byte("_x"))
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		if len(text) >= 7 && text[6] == '_' {
			if code, err := strconv.ParseUint(string(text[2:6]), 16, 16); err == nil {
				dst = append(dst, string(rune(code))...)
				text = text[7:]
				continue
			}
		}
		dst = append(dst, text[:2]...)
		text = text[2:]
	}
}

// readStyles sets dates for the styles of cells.
func (x *xlsxReader) readStyles(s *xmlScanner) {
	custom := make(map[string]bool)
	for s.nextElement() {
		switch s.local() {
		case "numFmts":
			for s.nextElement() {
				custom[s.attributeText("numFmtId")] = isDateFormat(s.attributeText("formatCode"))
				s.skipElement()
			}
		case "cellXfs":
			for s.nextElement() {
				id := s.attributeText("numFmtId")
				isDate, known := custom[id]
				x.dates = append(x.dates, known && isDate || !known && isDateNumber(id))
				s.skipElement()
			}
		default:
			s.skipElement()
		}
	}
}

// isDateNumber reports whether a built-in format is a date or a time.
func isDateNumber(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// isDateFormat reports whether a format shows a date or a time: it has letters of dates
// outside of quotes and brackets.
func isDateFormat(code string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case !quoted && !bracket && strings.IndexByte("yYmMdDhHsS", c) >= 0:
			return !strings.HasPrefix(code, "General")
		}
	}
	return false
}

// dateText returns the date for a number of days, or the number if it cannot be a date.
func (x *xlsxReader) dateText(days []byte) string {
	value, err := strconv.ParseFloat(string(days), 64)
	if err != nil || value < 0 || value > 2958466 {
		return string(days)
	}
	at := x.since.Add(time.Duration(value * float64(24*time.Hour)).Round(time.Second))
	if value > 100_000 { // a time.Duration cannot hold that many days
		at = x.since.AddDate(0, 0, int(value))
	}
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
