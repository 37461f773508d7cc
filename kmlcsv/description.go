package kmlcsv

import (
	"bytes"
	"strconv"
)

// descriptionReader reads the cells of a row that describe its site: the name, the country and the city.
type descriptionReader struct {
	out    *resultBuilder
	rows   *tableRows
	layout *tableLayout

	lastCountry cellMemo // country in the last row
	lastCity    cellMemo // city in the last row
}

// readDescription sets the name, the country and the city of the current placemark.
func (d *descriptionReader) readDescription() {
	d.out.draft.name = d.rowName()
	d.out.draft.country = d.repeatedText(&d.lastCountry, d.layout.columns.Country)
	d.out.draft.city = d.repeatedText(&d.lastCity, d.layout.columns.City)
}

// cellText returns the cell in column i as a label. It removes what keeps a spreadsheet from changing the cell: an
// apostrophe before a formula, or the ="" around a text.
func (d *descriptionReader) cellText(i int) string {
	cell := d.rows.cellAt(i)
	if len(cell) > 1 && cell[0] == '\'' && isFormula(string(cell)) {
		cell = cell[1:]
	} else if len(cell) > 2 && cell[0] == '=' {
		cell = bareCell(cell)
	}
	return d.out.makeName(cell)
}

// cellMemo is a cache for one cell: the bytes of the cell, and the label that was made from them.
type cellMemo struct {
	raw  []byte
	text string
}

// repeatedText returns the cell in column i as a label. If the previous row had the same text in this column, it
// returns the same string again, which saves time and memory.
func (d *descriptionReader) repeatedText(previous *cellMemo, i int) string {
	cell := d.rows.cellAt(i)
	if len(cell) == 0 {
		return ""
	}
	if bytes.Equal(cell, previous.raw) {
		return previous.text
	}
	warnings := len(d.out.res.Warnings)
	text := d.cellText(i)
	hasWarning := len(d.out.res.Warnings) > warnings
	if !hasWarning { // a label with a warning is not reused, so that each row gets the warning
		previous.raw = append(previous.raw[:0], cell...)
		previous.text = text
	}
	return text
}

// rowName returns the name for the site of the current row: its label, otherwise its ID, otherwise "Row" and its
// number.
func (d *descriptionReader) rowName() string {
	name := d.cellText(d.layout.columns.Label)
	if name == "" {
		name = d.cellText(d.layout.columns.ID)
	}
	if name == "" {
		name = d.out.concatText("Row ", strconv.Itoa(d.out.draft.line))
	}
	return name
}
