package kmlcsv

import (
	"bytes"
	"strings"
)

// tableRows reads the rows of a text such as a CSV, and has its first rows.
type tableRows struct {
	start   recordReader   // reader at the first row
	current recordReader   // reader at the current row
	head    []recordReader // readers at the first rows, without blank rows
	header  int            // index of the header in head, or noHeader
}

func newTableRows(text []byte, delim byte) *tableRows {
	start := recordReader{data: text, delim: delim}
	return &tableRows{start: start, current: start}
}

// maxHeadRows is the number of rows that are used to find the layout. Blank rows do not count.
const maxHeadRows = 2 * maxAbove

// noHeader is the header index of a table without a header.
const noHeader = -1

// readHead reads the first rows that are not blank. It does not change the current row.
func (t *tableRows) readHead() {
	for ahead := t.current; len(t.head) < maxHeadRows && ahead.nextRecord(); {
		if ahead.isBlank() {
			continue
		}
		t.head = append(t.head, ahead)
		ahead.fields = make([][]byte, 0, len(ahead.fields)) // t.head keeps the old slices
		ahead.buf = nil
	}
}

// cellAt returns a cell of the current row, nil if the row is too short.
func (t *tableRows) cellAt(i int) []byte {
	if i < 0 || i >= len(t.current.fields) {
		return nil
	}
	return t.current.fields[i]
}

// cellOf returns a cell of a row, nil if the row is too short.
func cellOf(fields [][]byte, i int) []byte {
	if i < 0 || i >= len(fields) {
		return nil
	}
	return fields[i]
}

// scanRows returns a reader of the rows below the header. Without a header, it reads all rows.
func (t *tableRows) scanRows() recordReader {
	scan := t.start
	for t.header >= 0 && scan.row < t.head[t.header].row && scan.nextRecord() {
	}
	scan.fields = nil
	scan.buf = nil
	return scan
}

// isBlankColumn reports whether a column is blank in all rows.
func (t *tableRows) isBlankColumn(column int) bool {
	for scan := t.scanRows(); scan.nextRecord(); {
		if len(bytes.TrimSpace(cellOf(scan.fields, column))) > 0 {
			return false
		}
	}
	return true
}

// firstRows returns the first rows for the layout. A blank row is an empty slice.
func (t *tableRows) firstRows() (rows [][]string) {
	for _, at := range t.head {
		if at.row > layoutRows {
			break
		}
		blankRows := at.row - len(rows) - 1
		rows = append(rows, make([][]string, blankRows)...)
		row := make([]string, len(at.fields))
		for i, cell := range at.fields {
			row[i] = layoutText(string(cell))
		}
		rows = append(rows, row)
	}
	return rows
}

// layoutText returns the start of a cell as valid UTF-8, for the layout.
func layoutText(cell string) string {
	return strings.ToValidUTF8(cell[:min(len(cell), layoutCell)], "")
}
