package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// minMergedRows is the number of rows that a merged cell with a name must span. Only then are these rows read as the
// corners of one site, because an area has at least three corners.
const minMergedRows = 3

// findMergedNames finds rows that are the corners of one site, and stores them in g.merged. Only the first of these
// rows has the name of the site. In a table with a sequence column, the cells below the name are blank. In a table
// without a sequence column, the name must be in a merged cell of a spreadsheet. For rows that were found by a merged
// cell, findMergedNames adds a warning.
func (g *rowGrouping) findMergedNames() {
	g.merged = nil
	column := g.layout.groupColumn()
	if column < 0 || !g.layout.columns.hasPosition() {
		return
	}
	if g.layout.columns.Sequence >= 0 {
		g.merged = g.findNameRuns(column)
		return
	}
	g.merged = g.mergedCellsOf(column)
	if len(g.merged) > 0 {
		g.out.warnFile(MergedRows, "rows whose name is one merged cell were joined into one site")
	}
}

// mergedCellsOf returns the merged cells in a column below the header, from the top down. It ignores merged cells that
// span fewer than minMergedRows rows.
func (g *rowGrouping) mergedCellsOf(column int) (found []mergedCells) {
	for _, m := range g.out.opts.merged {
		isOfColumn := m.column == column+1 // mergedCells count columns from 1
		isBelowHeader := m.first > g.out.res.Layout.HeaderRow
		rowCount := m.last - m.first + 1
		if isOfColumn && isBelowHeader && rowCount >= minMergedRows {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return found
}

// findNameRuns finds the sites whose corners are in several rows. The first row of a site has the name of the site in
// the given column. In the next rows, the name is blank and the sequence number increases by one. For example, the rows
//
//	A  1
//	   2
//	   3
//	B  1
//	   2
//
// are two sites: A with three rows and B with two.
func (g *rowGrouping) findNameRuns(column int) (found []mergedCells) {
	var run mergedCells // the current run
	isOpen := false     // the next row can continue the run
	nextNumber := 0.0   // sequence number that continues the run
	for scan := g.rows.scanRows(); scan.nextRecord(); {
		if scan.isBlank() {
			continue
		}
		isNamed := len(bytes.TrimSpace(cellOf(scan.fields, column))) > 0
		number, isNumber := wholeNumber(cellOf(scan.fields, g.layout.columns.Sequence))
		continuesRun := isOpen && !isNamed && isNumber && number == nextNumber
		if continuesRun {
			run.last = scan.row
			nextNumber = number + 1
			continue
		}
		if isOpen && run.hasSeveralRows() {
			found = append(found, run)
		}
		isOpen = isNamed && isNumber
		if isOpen { // the row starts a run
			run = mergedCells{column: column + 1, first: scan.row, last: scan.row} // mergedCells count columns from 1
			nextNumber = number + 1
		}
	}
	if isOpen && run.hasSeveralRows() {
		found = append(found, run)
	}
	return found
}

func (m mergedCells) hasSeveralRows() bool { return m.last > m.first }

// wholeNumber reads the number in a cell. ok is false if the cell has anything but a number.
func wholeNumber(cell []byte) (v float64, ok bool) {
	cell = bytes.TrimSpace(cell)
	v, n := parseNumber(cell, 0)
	return v, n > 0 && n == len(cell)
}

// mergedRun returns the rows of the site that has the given row as a corner. ok is false if g.merged has no such site.
func (g *rowGrouping) mergedRun(row int) (run mergedCells, ok bool) {
	next := sort.Search(len(g.merged), func(i int) bool { return g.merged[i].first > row })
	if next == 0 || row > g.merged[next-1].last {
		return run, false
	}
	return g.merged[next-1], true
}
