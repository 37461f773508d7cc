package kmlcsv

import (
	"bytes"
	"strconv"
)

// descriptionReader reads the cells of a row that describe its site: its name, country and city.
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

// cellText returns a cell as a label. It removes the apostrophe or the ="" that keeps a spreadsheet from evaluating
// the cell.
func (d *descriptionReader) cellText(i int) string {
	cell := d.rows.cellAt(i)
	if len(cell) > 1 && cell[0] == '\'' && isFormula(string(cell)) {
		cell = cell[1:]
	} else if len(cell) > 2 && cell[0] == '=' {
		cell = bareCell(cell)
	}
	return d.out.makeName(cell)
}

// cellMemo remembers the bytes of a cell and the label that was made from them.
type cellMemo struct {
	raw  []byte
	text string
}

// repeatedText returns the cell at index i as a label. If the previous row had the same cell, it returns the previous
// label again.
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

// rowName returns the label of a row, otherwise its ID or its number.
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
