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
	buffer []byte // contents of the cells of the current row
	failed *Error
}

// mergedValue is the value of merged cells, for the rows below their first row.
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
	for r.s.nextElement() {
		if string(localName(r.s.name)) != "sheetData" {
			r.s.skipElement()
			continue
		}
		for r.s.nextElement() && r.failed == nil {
			r.readRow()
		}
		if r.failed != nil {
			return nil, r.failed
		}
	}
	if r.s.err != nil {
		return nil, newError(BadArchive, "the sheet %s is damaged; save the workbook again", []byte(info.name))
	}
	return &r.table, nil
}

// readMerged reads the list of cells that are merged over several rows. The list is after the
// rows of the sheet.
func readMerged(sheet []byte) (merged []mergedCells) {
	endTag := bytes.LastIndex(sheet, []byte("mergeCells"))
	if endTag < 0 {
		return nil
	}
	startTag := bytes.LastIndex(sheet[:endTag], []byte("mergeCells"))
	if startTag < 0 {
		return nil
	}
	bracket := bytes.LastIndexByte(sheet[:startTag], '<')
	if bracket < 0 {
		return nil
	}
	s := &xmlScanner{data: sheet[bracket:]}
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

// maxMerged is the largest number of merged cells that are read.
const maxMerged = 10_000

// readReference returns the column and row of a reference such as AB12, from 1. A column or row
// that is missing or too large is 0.
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
	row := r.row + 1
	if text := r.s.attribute("r"); text != nil {
		n, err := strconv.Atoi(string(text))
		if err != nil || n < row || n > maxSheetRow {
			r.failed = newError(BadArchive, "the workbook is damaged: it has a row %s; save it again", text)
			return
		}
		row = n
	}
	if hidden := r.s.attribute("hidden"); string(hidden) == "1" || string(hidden) == "true" {
		r.table.hiddenRows++
	}
	r.row = row
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
	r.cells = r.filler.fill(row, r.cells)
	if r.failed == nil {
		r.failed = r.table.writeRow(row, r.cells, r.opts.work)
	}
	if r.failed == nil && row%64 == 0 {
		r.failed = r.opts.work.check()
	}
}

// readCell reads the current cell element.
func (r *xlsxSheet) readCell() {
	r.column++
	if text := r.s.attribute("r"); text != nil {
		column, _ := readReference(text)
		if column == 0 {
			r.s.skipElement()
			return
		}
		r.column = column
	}
	if r.column > maxColumns {
		r.s.skipElement()
		return
	}
	kind := string(r.s.attribute("t"))
	isDate := r.isDate(r.s.attribute("s"))
	hasFormula, hasValue := false, false
	from := len(r.buffer)
	for r.s.nextElement() {
		switch string(localName(r.s.name)) {
		case "v":
			hasValue = true
			r.buffer = append(r.buffer, r.s.elementText()...)
		case "is":
			hasValue = true
			r.buffer = readRichText(r.s, r.buffer)
		case "f":
			hasFormula = true
			r.s.skipElement()
		default:
			r.s.skipElement()
		}
	}
	value := r.buffer[from:len(r.buffer):len(r.buffer)]
	if hasFormula && (!hasValue || len(value) == 0 && kind != "str") {
		r.table.formulas++
		r.setCell([]byte(missingValue))
		return
	}
	r.setCell(r.cellValue(kind, value, isDate))
}

func (r *xlsxSheet) isDate(style []byte) bool {
	if len(style) == 0 || len(r.dates) == 0 {
		return false
	}
	n, err := strconv.Atoi(string(style))
	return err == nil && n >= 0 && n < len(r.dates) && r.dates[n]
}

// cellValue returns the text of a cell. kind is its type in the file, such as s for a shared
// string.
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

func (r *xlsxSheet) setCell(value []byte) {
	for len(r.cells) < r.column {
		r.cells = append(r.cells, nil)
	}
	r.cells[r.column-1] = value
}

// mergeFiller repeats the value of merged cells in the rows below their first row.
type mergeFiller struct {
	waiting []mergedCells // merged cells that have not begun yet, sorted by their first row
	active  []mergedValue // values of merged cells that have begun
}

func newMergeFiller(merged []mergedCells) mergeFiller {
	waiting := slices.Clone(merged)
	slices.SortStableFunc(waiting, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return mergeFiller{waiting: waiting}
}

// fill sets the blank cells of a row that are merged with cells above, and remembers the values
// for the rows below.
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
	for len(m.waiting) > 0 && m.waiting[0].first <= row {
		c := m.waiting[0]
		m.waiting = m.waiting[1:]
		isTaken := func(v mergedValue) bool { return v.column == c.column }
		hasValue := c.first == row && c.column <= len(cells) && len(cells[c.column-1]) > 0
		if hasValue && !slices.ContainsFunc(m.active, isTaken) {
			m.active = append(m.active, mergedValue{c, bytes.Clone(cells[c.column-1])})
		}
	}
	return cells
}

// writeRow writes a row as comma separated values. It writes blank lines for rows that the sheet
// does not have.
func (t *sheetTable) writeRow(row int, cells [][]byte, limits *work) *Error {
	from := len(t.text)
	for ; t.rows < row-1; t.rows++ {
		t.text = append(t.text, '\n')
	}
	t.rows++
	for i, cell := range cells {
		if i > 0 {
			t.text = append(t.text, ',')
		}
		t.text = appendQuoted(t.text, cell)
	}
	t.text = append(t.text, '\n')
	if !limits.useBytes(int64(len(t.text) - from)) {
		return limits.tooLarge("the workbook")
	}
	return nil
}

// appendQuoted appends a cell, in quotes if it needs them.
func appendQuoted(text, cell []byte) []byte {
	if bytes.IndexByte(cell, '"') < 0 && bytes.IndexByte(cell, ',') < 0 &&
		bytes.IndexByte(cell, '\n') < 0 && bytes.IndexByte(cell, '\r') < 0 {
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
