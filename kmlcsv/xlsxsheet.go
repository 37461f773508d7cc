package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// xlsxSheet reads the rows of a sheet in one pass.
type xlsxSheet struct {
	*xlsxReader
	s     *xmlScanner
	table sheetTable

	row    int      // current row, from 1
	column int      // current column, from 1
	cells  [][]byte // cells of the current row
	filler mergeFiller
	buffer []byte // text of the cells of the current row
	failed *Error
}

// mergedValue is a range of merged cells with its value. In the file, only the first row of the range has the value.
type mergedValue struct {
	mergedCells
	text []byte
}

// readSheet reads a sheet as comma separated values.
func (x *xlsxReader) readSheet(info *sheetInfo) (*sheetTable, *Error) {
	if failed := x.prepare(); failed != nil {
		return nil, failed
	}
	scanner, failed := x.openPart(info.part)
	if failed != nil {
		return nil, failed
	}
	if scanner == nil {
		return nil, newError(BadArchive, "the workbook is damaged: the sheet %s is missing; save it again", []byte(info.name))
	}
	r := &xlsxSheet{xlsxReader: x, s: scanner}
	r.table.merged = readMerged(scanner.data)
	r.filler = newMergeFiller(r.table.merged)
	r.readRows()
	if r.failed != nil {
		return nil, r.failed
	}
	if r.s.err != nil {
		return nil, newError(BadArchive, "the sheet %s is damaged; save the workbook again", []byte(info.name))
	}
	return &r.table, nil
}

// readRows reads the rows of the sheet. It stops if a row cannot be read.
func (r *xlsxSheet) readRows() {
	for r.failed == nil && r.s.nextElement() {
		if string(localName(r.s.name)) != "sheetData" {
			r.s.skipElement()
			continue
		}
		for r.s.nextElement() && r.failed == nil {
			r.readRow()
		}
	}
}

// readMerged returns the cells of a sheet that are merged over several rows. In the file they come after the rows, but
// they are needed to read the rows, so readMerged searches the sheet for them.
func readMerged(sheet []byte) (merged []mergedCells) {
	start := findMergeCells(sheet)
	if start < 0 {
		return nil
	}
	s := &xmlScanner{data: sheet[start:]}
	if !s.startTag() {
		return nil
	}
	for s.nextElement() && len(merged) < maxMerged {
		from, to, _ := bytes.Cut(s.attribute("ref"), []byte{':'})
		column, first := readReference(from)
		_, last := readReference(to)
		if column > 0 && column <= maxColumns && first > 0 && last > first {
			merged = append(merged, mergedCells{column, first, last})
		}
		s.skipElement()
	}
	return merged
}

// findMergeCells returns the index of the element mergeCells, or -1. It searches from the end of the sheet, because
// the rows before the element can be long. It therefore finds the end tag first, and then the start tag. The name can
// have a prefix.
func findMergeCells(sheet []byte) int {
	name := []byte("mergeCells")
	inEndTag := bytes.LastIndex(sheet, name)
	if inEndTag < 0 {
		return -1
	}
	inStartTag := bytes.LastIndex(sheet[:inEndTag], name)
	if inStartTag < 0 {
		return -1
	}
	return bytes.LastIndexByte(sheet[:inStartTag], '<')
}

// maxMerged is the maximum number of merged cells that are read.
const maxMerged = 10_000

// readReference returns the column and the row of a reference such as AB12, counted from 1. If the column or the row is
// missing or too large, its number is 0.
func readReference(text []byte) (column, row int) {
	i := 0
	for ; i < len(text) && isLetter(text[i]); i++ {
		column = column*26 + int(text[i]&^0x20-'A') + 1
		if column > maxSheetColumn {
			return 0, 0
		}
	}
	for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
		row = row*10 + int(text[i]-'0')
		if row > maxSheetRow {
			return column, 0
		}
	}
	return column, row
}

// readRow reads the current row element and writes it to the table.
func (r *xlsxSheet) readRow() {
	r.failed = r.countRow()
	if r.failed != nil {
		return
	}
	if hidden := r.s.attribute("hidden"); string(hidden) == "1" || string(hidden) == "true" {
		r.table.hiddenRows++
	}
	r.readCells()
	if r.failed != nil {
		return
	}
	r.cells = r.filler.fill(r.row, r.cells)
	r.failed = r.table.writeRow(r.row, r.cells, r.opts.work)
	if r.failed != nil {
		return
	}
	if r.row%64 == 0 { // checking the time for each row would be slow
		r.failed = r.opts.work.check()
	}
}

// countRow sets r.row to the number of the current row element. An element without a number is the next row.
func (r *xlsxSheet) countRow() *Error {
	next := r.row + 1
	r.row = next
	number := r.s.attribute("r")
	if number == nil {
		return nil
	}
	row, err := strconv.Atoi(string(number))
	if err != nil || row < next || row > maxSheetRow {
		return newError(BadArchive, "the workbook is damaged: it has a row %s; save it again", number)
	}
	r.row = row
	return nil
}

// readCells reads the cells of the current row element.
func (r *xlsxSheet) readCells() {
	r.column = 0
	r.cells = r.cells[:0]
	r.buffer = r.buffer[:0]
	for r.s.nextElement() && r.failed == nil {
		if string(localName(r.s.name)) == "c" {
			r.readCell()
		} else {
			r.s.skipElement()
		}
	}
}

// readCell reads the current cell element into the current row.
func (r *xlsxSheet) readCell() {
	isUsed := r.countColumn()
	if !isUsed {
		r.s.skipElement()
		return
	}
	// Read the attributes first, because they are no longer available after the children of the cell.
	kind := string(r.s.attribute("t"))
	isDate := r.isDateStyle(r.s.attribute("s"))
	content := r.readContent()
	isEmptyText := content.hasValue && kind == "str" // a formula with the value ""
	isNotComputed := content.hasFormula && len(content.value) == 0 && !isEmptyText
	if isNotComputed {
		r.table.formulas++
		r.setCell([]byte(missingValue))
		return
	}
	r.setCell(r.cellValue(kind, content.value, isDate))
}

// countColumn sets r.column to the column of the current cell element. A cell without a reference such as AB12 is in
// the next column. countColumn returns false if the cell cannot be used, because its reference is damaged or its
// column is beyond maxColumns.
func (r *xlsxSheet) countColumn() bool {
	r.column++
	reference := r.s.attribute("r")
	if reference != nil {
		column, _ := readReference(reference)
		if column == 0 {
			return false
		}
		r.column = column
	}
	return r.column <= maxColumns
}

// cellContent is the content of a cell element.
type cellContent struct {
	value      []byte // text of the value, valid until the end of the row
	hasValue   bool
	hasFormula bool // the cell has a formula, which itself is not used
}

// readContent reads the children of the current cell element.
func (r *xlsxSheet) readContent() (content cellContent) {
	from := len(r.buffer)
	for r.s.nextElement() {
		switch string(localName(r.s.name)) {
		case "v":
			content.hasValue = true
			r.buffer = append(r.buffer, r.s.elementText()...)
		case "is":
			content.hasValue = true
			r.buffer = readRichText(r.s, r.buffer)
		case "f":
			content.hasFormula = true
			r.s.skipElement()
		default:
			r.s.skipElement()
		}
	}
	content.value = slices.Clip(r.buffer[from:]) // appending to it must not overwrite the next cells
	return content
}

// isDateStyle reports whether a style shows a date or a time. index is the index of the style, as it is written in the
// file.
func (r *xlsxSheet) isDateStyle(index []byte) bool {
	if len(index) == 0 || len(r.isDate) == 0 {
		return false
	}
	n, err := strconv.Atoi(string(index))
	return err == nil && n >= 0 && n < len(r.isDate) && r.isDate[n]
}

// cellValue returns the text of a cell. kind is the type of the cell in the file: s for a shared string, str for the
// text of a formula, b for a boolean, and n or "" for a number. isDate tells whether a number is shown as a date.
func (r *xlsxSheet) cellValue(kind string, value []byte, isDate bool) []byte {
	switch kind {
	case "s":
		n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
		if err != nil || n < 0 || n >= len(r.strings) {
			r.failed = newError(BadArchive, "the workbook is damaged: a cell names a text that is missing; save it again")
			return nil
		}
		return []byte(r.strings[n])
	case "b":
		if string(value) == "1" {
			return []byte("TRUE")
		}
		return []byte("FALSE")
	case "str":
		return appendUnescapedX(nil, value)
	case "", "n":
		if isDate && len(value) > 0 {
			return []byte(r.dateText(value))
		}
	}
	return value
}

// setCell sets the value of the cell in the current column. If there are gaps before the cell, it fills them with
// blank cells.
func (r *xlsxSheet) setCell(value []byte) {
	for len(r.cells) < r.column {
		r.cells = append(r.cells, nil)
	}
	r.cells[r.column-1] = value
}

// mergeFiller fills in the rows of merged cells. In the file, only the first row of merged cells has their value.
// mergeFiller copies the value to the rows below.
type mergeFiller struct {
	waiting []mergedCells // merged cells below the current row, sorted by their first row
	active  []mergedValue // merged cells that began in a row above and continue in the current row
}

func newMergeFiller(merged []mergedCells) mergeFiller {
	waiting := slices.Clone(merged)
	slices.SortStableFunc(waiting, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return mergeFiller{waiting: waiting}
}

// fill returns the cells of a row. If a blank cell is merged with a cell above, it gets the value of that cell. fill
// must be called for the rows from the top down.
func (m *mergeFiller) fill(row int, cells [][]byte) [][]byte {
	m.active = slices.DeleteFunc(m.active, func(v mergedValue) bool { return v.last < row })
	for _, v := range m.active {
		for len(cells) < v.column {
			cells = append(cells, nil)
		}
		if len(cells[v.column-1]) == 0 {
			cells[v.column-1] = v.text
		}
	}
	m.activate(row, cells)
	return cells
}

// activate moves merged cells that begin in the given row from waiting to active, together with their value. It drops
// merged cells without a value. It also drops merged cells that overlap others, which only happens in damaged files.
func (m *mergeFiller) activate(row int, cells [][]byte) {
	for len(m.waiting) > 0 && m.waiting[0].first <= row {
		merged := m.waiting[0]
		m.waiting = m.waiting[1:]
		hasValue := merged.first == row && merged.column <= len(cells) && len(cells[merged.column-1]) > 0
		isInSameColumn := func(v mergedValue) bool { return v.column == merged.column }
		if hasValue && !slices.ContainsFunc(m.active, isInSameColumn) {
			m.active = append(m.active, mergedValue{merged, bytes.Clone(cells[merged.column-1])})
		}
	}
}

// writeRow adds a row to the text of the table. If rows before it are missing in the sheet, it first adds blank lines
// for them.
func (t *sheetTable) writeRow(row int, cells [][]byte, limits *work) *Error {
	from := len(t.text)
	for ; t.rows < row-1; t.rows++ {
		t.text = append(t.text, '\n')
	}
	t.rows++
	t.text = appendRow(t.text, cells)
	if !limits.useBytes(int64(len(t.text) - from)) {
		return limits.tooLarge("the workbook")
	}
	return nil
}

// appendQuoted appends a cell to a row of comma separated values. It adds quotes if the cell has a quote, a comma or a
// line break.
func appendQuoted(text, cell []byte) []byte {
	needsQuotes := bytes.IndexByte(cell, '"') >= 0 || bytes.IndexByte(cell, ',') >= 0 ||
		bytes.IndexByte(cell, '\n') >= 0 || bytes.IndexByte(cell, '\r') >= 0
	if !needsQuotes {
		return append(text, cell...)
	}
	text = append(text, '"')
	for _, c := range cell {
		if c == '"' {
			text = append(text, '"')
		}
		text = append(text, c)
	}
	return append(text, '"')
}
