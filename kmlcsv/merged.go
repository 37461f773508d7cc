package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// minMergedRows is the smallest number of rows with a merged name that are the corners of an area.
const minMergedRows = 3

// findMergedNames finds the rows that share a name that is written once: in merged cells of a sheet, or above
// blank cells in a text. In a text, a blank cell has the name above only if the numbers in the sequence
// continue. It warns about rows with merged cells.
func (r *csvReader) findMergedNames() {
	r.merged = nil
	column := r.groupColumn()
	if column < 0 || !r.columns.hasPosition() {
		return
	}
	if r.columns.Sequence >= 0 {
		r.merged = r.blankNames(column)
		return
	}
	r.merged = r.mergedCellsOf(column)
	if len(r.merged) > 0 {
		r.warnFile(MergedRows, "rows whose name is one merged cell were joined into one site")
	}
}

// mergedCellsOf returns the merged cells of a column that are below the header, from the top down.
func (r *csvReader) mergedCellsOf(column int) (found []mergedCells) {
	for _, m := range r.opts.merged {
		if m.column == column+1 && m.first > r.res.Layout.HeaderRow && m.last-m.first+1 >= minMergedRows {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return found
}

// blankNames returns the runs of rows that share a name. A run is a row with a name and the rows below it
// with blank names, as long as the numbers in the sequence continue.
func (r *csvReader) blankNames(column int) (found []mergedCells) {
	run := mergedCells{column: column + 1}
	last := 0.0
	for scan := r.scanRows(); scan.nextRecord(); {
		if scan.isBlank() {
			continue
		}
		number, isNumber := wholeNumber(cellOf(scan.fields, r.columns.Sequence))
		isNamed := len(bytes.TrimSpace(cellOf(scan.fields, column))) > 0
		switch {
		case !isNumber:
			run.first = 0
		case isNamed:
			run.first = scan.row
		case run.first == 0 || number != last+1:
			run.first = 0
		default:
			run.last = scan.row
			if n := len(found); n > 0 && found[n-1].first == run.first {
				found[n-1] = run
			} else {
				found = append(found, run)
			}
		}
		last = number
	}
	return found
}

// wholeNumber reads a cell that is a number without other text.
func wholeNumber(cell []byte) (v float64, ok bool) {
	cell = bytes.TrimSpace(cell)
	v, n := parseNumber(cell, 0)
	return v, n > 0 && n == len(cell)
}

// mergedRun returns the rows that share the name of a row. ok is false if its name is not shared.
func (r *csvReader) mergedRun(row int) (run mergedCells, ok bool) {
	next := sort.Search(len(r.merged), func(i int) bool { return r.merged[i].first > row })
	if next == 0 || row > r.merged[next-1].last {
		return run, false
	}
	return r.merged[next-1], true
}
