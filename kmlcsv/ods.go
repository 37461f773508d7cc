package kmlcsv

import (
	"archive/zip"
	"bytes"
	"slices"
	"strconv"
)

// calcReader reads the sheets of an OpenDocument spreadsheet. All sheets are in the file content.xml of the archive.
type calcReader struct {
	opts   readOptions
	tables []*sheetTable
	sheets []sheetInfo
	hidden map[string]bool // names of the styles that hide a table
}

// parseCalc reads an OpenDocument spreadsheet.
func parseCalc(archive *zip.Reader, opts readOptions) (*Result, *Error) {
	r := &calcReader{opts: opts, hidden: make(map[string]bool)}
	isContent := func(f *zip.File) bool { return memberName(f) == "content.xml" }
	if i := slices.IndexFunc(archive.File, isContent); i >= 0 {
		if failed := r.readContent(archive.File[i]); failed != nil {
			return nil, failed
		}
	}
	if len(r.sheets) == 0 {
		return nil, newError(BadArchive, "the spreadsheet has no sheets; save it again")
	}
	w := &workbook{opts: opts, sheets: r.sheets}
	w.read = func(s *sheetInfo) (*sheetTable, *Error) { return r.tables[s.index], nil }
	return w.readSheets()
}

// readContent reads all sheets from the content file of the archive.
func (r *calcReader) readContent(f *zip.File) *Error {
	data, failed := unpackFile(f, r.opts.work, "the spreadsheet")
	if failed != nil {
		return failed
	}
	s := &xmlScanner{data: data}
	if s.startRoot("a spreadsheet") {
		failed = r.readElements(s)
	}
	if s.err != nil { // the damage tells the user more than the error of a row before it
		return newError(BadArchive, "the spreadsheet is damaged or encrypted; save it again")
	}
	return failed
}

// readElements reads the tables, and the styles that hide tables. Both can be at any depth.
func (r *calcReader) readElements(s *xmlScanner) *Error {
	for s.nextElement() {
		switch s.local() {
		case "table":
			if failed := r.readTable(s); failed != nil {
				return failed
			}
		case "style":
			r.readStyle(s)
		case "document-content", "automatic-styles", "body", "spreadsheet":
			if failed := r.readElements(s); failed != nil {
				return failed
			}
		default:
			s.skipElement()
		}
	}
	return nil
}

// readStyle adds a style to r.hidden if it hides tables.
func (r *calcReader) readStyle(s *xmlScanner) {
	name := s.attributeText("name")
	for s.nextElement() {
		if s.local() == "table-properties" && string(s.attribute("display")) == "false" {
			r.hidden[name] = true
		}
		s.skipElement()
	}
}

// readTable reads the rows of the current table element, which is a sheet, and adds the sheet to the list of sheets.
func (r *calcReader) readTable(s *xmlScanner) *Error {
	name := s.attributeText("name")
	t := &calcTable{limits: r.opts.work}
	r.sheets = append(r.sheets, sheetInfo{
		name: name, part: "table " + strconv.Itoa(len(r.sheets)), index: len(r.sheets),
		hidden: r.hidden[s.attributeText("style-name")],
	})
	r.tables = append(r.tables, &t.sheetTable)
	t.readRows(s)
	return t.failed
}

// calcTable reads the rows of a table element as comma separated values.
type calcTable struct {
	sheetTable
	limits *work
	row    int      // number of the row that was read last, from 1; 0 before the first
	cells  [][]byte // cells of the row that is being read
	filler mergeFiller
	failed *Error
}

// repeatCount returns how often a row or a cell is repeated, at least 1. name is the attribute with this number.
func repeatCount(s *xmlScanner, name string) int {
	n, err := strconv.Atoi(string(s.attribute(name)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSheetRow)
}

// readRows reads the rows of a sheet or of a group of rows.
func (t *calcTable) readRows(s *xmlScanner) {
	for s.nextElement() && t.failed == nil {
		switch s.local() {
		case "table-row":
			t.readRow(s)
		case "table-header-rows", "table-rows", "table-row-group":
			t.readRows(s)
		default:
			s.skipElement()
		}
	}
}

// readRow reads a row element. It writes the row as often as the element says, up to the row maxSheetRow.
func (t *calcTable) readRow(s *xmlScanner) {
	repeated := repeatCount(s, "number-rows-repeated")
	if visibility := s.attribute("visibility"); visibility != nil && string(visibility) != "visible" {
		t.hiddenRows += repeated
	}
	t.readCells(s)
	if len(t.cells) == 0 { // at the end of a sheet, a blank row is repeated many times
		t.row += repeated
		return
	}
	for range repeated {
		t.row++
		if t.row > maxSheetRow || t.failed != nil {
			return
		}
		t.failed = t.writeRow(t.row, t.cells, t.limits)
	}
}

// readCells reads the cells of the next row into t.cells. t.row is the number of the row before. readCells leaves out
// blank cells at the end of the row.
func (t *calcTable) readCells(s *xmlScanner) {
	t.cells = t.cells[:0]
	for s.nextElement() {
		switch s.local() {
		case "table-cell", "covered-table-cell":
			t.readCell(s)
		default:
			s.skipElement()
		}
	}
	t.cells = t.filler.fill(t.row+1, t.cells)
	for len(t.cells) > 0 && len(t.cells[len(t.cells)-1]) == 0 {
		t.cells = t.cells[:len(t.cells)-1]
	}
}

// readCell reads a cell. The value of a number, a date or a boolean is in an attribute. A text is in the children.
func (t *calcTable) readCell(s *xmlScanner) {
	// The attributes are only available until the children of the cell are read.
	repeated := repeatCount(s, "number-columns-repeated")
	rows := repeatCount(s, "number-rows-spanned")
	hasFormula := s.attribute("formula") != nil
	hasKind := len(s.attribute("value-type")) > 0
	value := storedValue(s)
	text := readParagraphs(s)
	if value == nil {
		value = text
	}
	isNotComputed := hasFormula && !hasKind && len(value) == 0
	if isNotComputed {
		t.formulas++
		value = []byte(missingValue)
	}
	t.addCells(value, repeated, rows)
}

// storedValue returns a copy of the value in the attributes of the current cell. It returns nil if the cell has a
// text, because texts are in the children.
func storedValue(s *xmlScanner) []byte {
	switch string(s.attribute("value-type")) {
	case "float", "percentage", "currency":
		return bytes.Clone(s.attribute("value"))
	case "date":
		return bytes.Clone(s.attribute("date-value"))
	case "boolean":
		return bytes.ToUpper(s.attribute("boolean-value"))
	}
	return nil
}

// readParagraphs returns the paragraphs in the current cell, with a line break between them.
func readParagraphs(s *xmlScanner) (text []byte) {
	for s.nextElement() {
		if s.local() != "p" {
			s.skipElement() // such as a comment
			continue
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, s.elementText()...)
	}
	return text
}

// addCells adds a cell to the row as often as it is repeated. If the cell spans several rows, its value is also
// repeated in the rows below.
func (t *calcTable) addCells(value []byte, repeated, rows int) {
	if rows > 1 && len(value) > 0 && len(t.merged) < maxMerged {
		m := mergedCells{len(t.cells) + 1, t.row + 1, t.row + rows}
		t.merged = append(t.merged, m)
		t.filler.waiting = append(t.filler.waiting, m)
	}
	for range min(repeated, maxColumns-len(t.cells)) { // further columns are ignored
		t.cells = append(t.cells, value)
	}
}
