package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// minMergedRows is how many rows of a sheet share a merged name at least to be the corners
// of an area.
const minMergedRows = 3

// findMergedNames finds the rows that share a name which is written once: the merged cells
// of a sheet, or the blank cells that a text has in their place. In a text only a sequence
// that goes on tells a merged name from a missing one. It says so in a warning.
func (r *csvReader) findMergedNames() {
	r.merged = nil
	column := r.groupColumn()
	switch {
	case column < 0 || !r.columns.hasPosition():
	case r.columns.Sequence < 0:
		r.merged = r.mergedCellsOf(column)
		if len(r.merged) > 0 {
			r.warnFile(MergedRows, "rows whose name is one merged cell were joined into one site")
		}
	default:
		r.merged = r.blankNames(column)
	}
}

// mergedCellsOf returns the merged cells of a column of the sheet below the header, from the
// top down.
func (r *csvReader) mergedCellsOf(column int) (found []mergedCells) {
	for _, m := range r.opts.merged {
		if m.column == column+1 && m.first > r.res.Layout.HeaderRow && m.last-m.first+1 >= minMergedRows {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return found
}

// blankNames returns the runs of a row with a name and rows below it without one, whose
// numbers in the sequence go on.
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

// wholeNumber reads a cell that has a number and nothing else.
func wholeNumber(cell []byte) (v float64, ok bool) {
	cell = bytes.TrimSpace(cell)
	v, n := parseNumber(cell, 0)
	return v, n > 0 && n == len(cell)
}

// mergedRun returns the rows that share the merged name of a row.
func (r *csvReader) mergedRun(row int) (run mergedCells, ok bool) {
	behind := sort.Search(len(r.merged), func(i int) bool { return r.merged[i].first > row })
	if behind == 0 || row > r.merged[behind-1].last {
		return run, false
	}
	return r.merged[behind-1], true
}
