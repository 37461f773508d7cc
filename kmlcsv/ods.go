package kmlcsv

import (
	"archive/zip"
	"bytes"
	"strconv"
)

// calcReader reads the sheets of an OpenDocument spreadsheet. All of them are in one file of the archive.
type calcReader struct {
	opts   Options
	tables []*sheetTable
	sheets []sheetInfo
	hidden map[string]bool // names of the styles of hidden tables
}

// parseCalc reads an OpenDocument spreadsheet.
func parseCalc(archive *zip.Reader, opts Options) (*Result, *Error) {
	r := &calcReader{opts: opts, hidden: make(map[string]bool)}
	for _, f := range archive.File {
		if memberName(f) != "content.xml" {
			continue
		}
		data, failed := unpackFile(f, opts.work, "the spreadsheet")
		if failed != nil {
			return nil, failed
		}
		s := &xmlScanner{data: data}
		if s.startRoot("a spreadsheet") {
			failed = r.readElements(s)
		}
		if s.err != nil {
			return nil, newError(BadArchive, "the spreadsheet is damaged or encrypted; save it again")
		}
		if failed != nil {
			return nil, failed
		}
		break
	}
	if len(r.sheets) == 0 {
		return nil, newError(BadArchive, "the spreadsheet has no sheets; save it again")
	}
	w := &workbook{opts: opts, sheets: r.sheets}
	w.read = func(s *sheetInfo) (*sheetTable, *Error) { return r.tables[s.index], nil }
	return w.readSheets()
}

// readElements reads styles and tables at any depth.
func (r *calcReader) readElements(s *xmlScanner) *Error {
	for s.nextElement() {
		switch s.local() {
		case "table":
			if failed := r.readTable(s); failed != nil {
				return failed
			}
		case "style":
			name := s.attributeText("name")
			for s.nextElement() {
				if s.local() == "table-properties" && string(s.attribute("display")) == "false" {
					r.hidden[name] = true
				}
				s.skipElement()
			}
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

// readTable reads a sheet.
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

// calcTable reads the rows of a sheet.
type calcTable struct {
	sheetTable
	limits *work
	row    int
	cells  [][]byte
	filler mergeFiller
	failed *Error
}

// repeatCount returns the number of repetitions of a row or a cell, at least 1.
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

func (t *calcTable) readRow(s *xmlScanner) {
	repeated := repeatCount(s, "number-rows-repeated")
	if visibility := s.attribute("visibility"); visibility != nil && string(visibility) != "visible" {
		t.hiddenRows += repeated
	}
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
	if len(t.cells) == 0 { // the rest of a sheet is a blank row that is repeated
		t.row += repeated
		return
	}
	for range repeated {
		if t.row++; t.row > maxSheetRow || t.failed != nil {
			return
		}
		t.failed = t.writeRow(t.row, t.cells, t.limits)
	}
}

// readCell reads the value of a cell. For a text it joins the paragraphs.
func (t *calcTable) readCell(s *xmlScanner) {
	repeated := repeatCount(s, "number-columns-repeated")
	kind := string(s.attribute("value-type"))
	rows := repeatCount(s, "number-rows-spanned")
	formula := s.attribute("formula") != nil
	var value []byte
	switch kind {
	case "float", "percentage", "currency":
		value = bytes.Clone(s.attribute("value"))
	case "date":
		value = bytes.Clone(s.attribute("date-value"))
	case "boolean":
		value = bytes.ToUpper(s.attribute("boolean-value"))
	}
	var text []byte
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
	if value == nil {
		value = text
	}
	if formula && kind == "" && len(value) == 0 {
		t.formulas++
		value = []byte(missingValue)
	}
	t.addCells(value, repeated, rows)
}

// addCells adds a cell to the row, with its repetitions. The value of a cell that spans rows is
// repeated in the rows below.
func (t *calcTable) addCells(value []byte, repeated, rows int) {
	if rows > 1 && len(value) > 0 && len(t.merged) < maxMerged {
		m := mergedCells{len(t.cells) + 1, t.row + 1, t.row + rows}
		t.merged = append(t.merged, m)
		t.filler.waiting = append(t.filler.waiting, m)
	}
	for range min(repeated, maxColumns-len(t.cells)) {
		t.cells = append(t.cells, value)
	}
}
