package kmlcsv

import (
	"archive/zip"
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"
)

// xlsxReader reads an Excel workbook. A workbook is a zip archive of XML files, which the standard calls parts. Only
// the parts with the sheets are necessary.
type xlsxReader struct {
	opts readOptions
	// parts has the parts by their paths in lower case, because the standard compares paths without regard to case.
	parts map[string]*zip.File

	strings    []string  // shared strings; cells refer to them by index
	isDate     []bool    // for each style by its index, whether it shows a date or a time
	since      time.Time // day from which dates are counted
	isPrepared bool      // the shared strings and the styles were already read

	stringsPart string // path of the part with the shared strings; the part may not exist
	stylesPart  string // path of the part with the styles; the part may not exist
}

// The largest row and column of a sheet.
const (
	maxSheetRow    = 1 << 20
	maxSheetColumn = 1 << 14
)

var damagedWorkbook = newError(BadArchive, "the workbook is damaged; save it again, or as CSV")

// openPart returns a scanner at the root element of a part, or nil if there is no such part. The name is the path of
// the part in lower case.
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

// relation is a reference from one part to another, such as from the list of sheets to a sheet.
type relation struct {
	kind   string // kind of the other part, such as "styles"
	target string // path of the other part in lower case
}

// readRelations returns the references from a part to other parts. The keys are the IDs of the references.
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
			target: resolvePart(part, s.attributeText("Target")),
		}
		s.skipElement()
	}
	return relations, scanFailure(s)
}

// scanFailure returns an error if the XML of a part is damaged.
func scanFailure(s *xmlScanner) *Error {
	if s.err != nil {
		return damagedWorkbook
	}
	return nil
}

// findBook returns the path of the part that has the list of sheets.
func (x *xlsxReader) findBook() (string, *Error) {
	const usualPath = "xl/workbook.xml"
	if x.parts[usualPath] != nil {
		return usualPath, nil
	}
	relations, failed := x.readRelations("")
	if failed != nil {
		return "", failed
	}
	for _, r := range relations {
		if r.kind == "officeDocument" {
			return r.target, nil
		}
	}
	return usualPath, nil
}

// openBook reads the list of sheets, and finds the parts that all sheets use.
func (x *xlsxReader) openBook() ([]sheetInfo, *Error) {
	book, failed := x.findBook()
	if failed != nil {
		return nil, failed
	}
	relations, failed := x.readRelations(book)
	if failed != nil {
		return nil, failed
	}
	folder, _ := path.Split(book)
	x.findSharedParts(relations, folder)
	s, failed := x.openPart(book)
	if failed != nil {
		return nil, failed
	}
	if s == nil {
		return nil, newError(BadArchive, "the workbook is damaged: it has no list of sheets; save it again, or as CSV")
	}
	return x.listSheets(s, relations, folder)
}

// findSharedParts finds the parts with the shared strings and the styles, which all sheets use. If the list of sheets
// does not refer to such a part, the part may have its usual path in folder, the folder of the list of sheets.
// relations are the references from the list of sheets.
func (x *xlsxReader) findSharedParts(relations map[string]relation, folder string) {
	x.stringsPart = folder + "sharedstrings.xml" // in lower case, like all paths of parts
	x.stylesPart = folder + "styles.xml"
	for _, r := range relations {
		switch r.kind {
		case "sharedStrings":
			x.stringsPart = r.target
		case "styles":
			x.stylesPart = r.target
		}
	}
}

// listSheets reads the list of sheets from workbook.xml. folder is the folder of workbook.xml in the archive, usually
// xl/. It also sets x.since, the day from which dates are counted. This is 30 December 1899, or 1 January 1904 in
// workbooks of old Macs.
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
				sheets = append(sheets, readSheetInfo(s, len(sheets), relations, folder))
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

// readSheetInfo reads the current element, which is in the list of sheets. index is the index of the sheet in the
// list.
func readSheetInfo(s *xmlScanner, index int, relations map[string]relation, folder string) sheetInfo {
	sheet := sheetInfo{name: s.attributeText("name"), index: index}
	state := s.attributeText("state")
	sheet.hidden = state == "hidden" || state == "veryHidden"
	part, isKnown := relations[s.attributeText("id")]
	if !isKnown { // if the reference is missing, the sheets have numbered files
		sheet.part = folder + "worksheets/sheet" + strconv.Itoa(index+1) + ".xml"
	} else if part.kind == "worksheet" { // and not a chart
		sheet.part = part.target
	}
	return sheet
}

// stringCost is the number of bytes that each shared string counts against the limit of unpacked data, in addition to
// its text. Go needs this memory for a string even if the string is empty.
const stringCost = 16

// prepare reads the shared strings and the styles. Further calls do nothing.
func (x *xlsxReader) prepare() *Error {
	if x.isPrepared {
		return nil
	}
	x.isPrepared = true
	if failed := x.readStrings(); failed != nil {
		return failed
	}
	s, failed := x.openPart(x.stylesPart)
	if failed != nil || s == nil {
		return failed
	}
	x.readStyles(s)
	return scanFailure(s)
}

// readStrings reads the shared strings, if there are any.
func (x *xlsxReader) readStrings() *Error {
	s, failed := x.openPart(x.stringsPart)
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

// readRichText appends the text of the current string element to text. The element can consist of several pieces that
// have different formats. The phonetic reading of Japanese is left out.
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

// appendUnescapedX appends text with Excel's escapes replaced. For example, _x000D_ is the character with the code 0D.
func appendUnescapedX(dst, text []byte) []byte {
	for {
		i := bytes.Index(text, []byte("_x"))
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		char, isEscape := unescapeX(text)
		if isEscape {
			dst = append(dst, string(char)...)
			text = text[len("_x000D_"):]
		} else {
			dst = append(dst, "_x"...)
			text = text[len("_x"):]
		}
	}
}

// unescapeX returns the character that an escape at the start of text means. ok is false if text does not start with an
// escape.
func unescapeX(text []byte) (char rune, ok bool) {
	if len(text) < len("_x000D_") || text[6] != '_' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(code), err == nil
}

// readStyles sets x.isDate. Each style has the number of a format. A format is either built in or defined in the
// workbook.
func (x *xlsxReader) readStyles(s *xmlScanner) {
	var isCustomDate map[string]bool
	for s.nextElement() {
		switch s.local() {
		case "numFmts":
			isCustomDate = readDateFormats(s)
		case "cellXfs":
			for s.nextElement() {
				x.isDate = append(x.isDate, formatShowsDate(s.attributeText("numFmtId"), isCustomDate))
				s.skipElement()
			}
		default:
			s.skipElement()
		}
	}
}

// readDateFormats reads the formats that are defined in the workbook. The result tells for each format, by its number,
// whether it shows a date.
func readDateFormats(s *xmlScanner) map[string]bool {
	isDate := make(map[string]bool)
	for s.nextElement() {
		isDate[s.attributeText("numFmtId")] = isDateFormat(s.attributeText("formatCode"))
		s.skipElement()
	}
	return isDate
}

// formatShowsDate reports whether a format shows a date. format is the number of the format. isCustomDate has the
// result of readDateFormats.
func formatShowsDate(format string, isCustomDate map[string]bool) bool {
	if isDate, isCustom := isCustomDate[format]; isCustom {
		return isDate
	}
	return isDateNumber(format)
}

// isDateNumber reports whether a built-in format shows a date or a time. number is the number of the format.
func isDateNumber(number string) bool {
	n, err := strconv.Atoi(number)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// isDateFormat reports whether a format such as "yyyy-mm-dd" shows a date or a time: it has one of the letters y, m, d,
// h and s outside of quotes and brackets.
func isDateFormat(format string) bool {
	if strings.HasPrefix(format, "General") { // a number, whatever text is after it
		return false
	}
	isQuoted := false
	isInBrackets := false
	for i := 0; i < len(format); i++ {
		switch format[i] {
		case '"':
			isQuoted = !isQuoted
		case '\\', '_', '*':
			i++ // the next character is not part of the format
		case '[':
			isInBrackets = true
		case ']':
			isInBrackets = false
		case 'y', 'Y', 'm', 'M', 'd', 'D', 'h', 'H', 's', 'S':
			if !isQuoted && !isInBrackets {
				return true
			}
		}
	}
	return false
}

const (
	maxDays         = 2_958_466 // the day after 9999-12-31, the last date of Excel
	maxDurationDays = 100_000   // about the most days in a time.Duration
)

// dateText returns a date as text, with the time unless it is midnight. days is the number of days since x.since. If
// this cannot be a date, dateText returns days unchanged.
func (x *xlsxReader) dateText(days []byte) string {
	value, err := strconv.ParseFloat(string(days), 64)
	if err != nil || value < 0 || value > maxDays {
		return string(days)
	}
	var date time.Time
	if value > maxDurationDays {
		date = x.since.AddDate(0, 0, int(value))
	} else {
		date = x.since.Add(time.Duration(value * float64(24*time.Hour)).Round(time.Second))
	}
	isMidnight := date.Equal(date.Truncate(24 * time.Hour))
	if isMidnight {
		return date.Format(time.DateOnly)
	}
	return date.Format(time.DateTime)
}
