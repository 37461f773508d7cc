package kmlcsv

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// minMergedRows is the smallest number of rows with a merged name that become one site, because an area has at least
// three corners.
const minMergedRows = 3

// findMergedNames finds the rows that share a name, which is written only once: in merged cells of a
// sheet, or above blank cells if the table has a sequence column. It warns if rows are joined because of merged cells.
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

// mergedCellsOf returns the merged cells of a column that are below the header, from the top down.
func (g *rowGrouping) mergedCellsOf(column int) (found []mergedCells) {
	for _, m := range g.out.opts.merged {
		if m.column == column+1 && m.first > g.out.res.Layout.HeaderRow && m.last-m.first+1 >= minMergedRows {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b mergedCells) int { return cmp.Compare(a.first, b.first) })
	return found
}

// findNameRuns returns the runs of rows that share a name in a column. A run is a row with a name, followed by rows
// with blank names whose sequence numbers continue.
func (g *rowGrouping) findNameRuns(column int) (found []mergedCells) {
	var run mergedCells // the current run, zero if the last row does not belong to one
	lastNumber := 0.0   // sequence number of the last row of the run
	for scan := g.rows.scanRows(); scan.nextRecord(); {
		if scan.isBlank() {
			continue
		}
		number, isNumber := wholeNumber(cellOf(scan.fields, g.layout.columns.Sequence))
		isNamed := len(bytes.TrimSpace(cellOf(scan.fields, column))) > 0
		hasRun := run.first > 0
		continuesRun := hasRun && !isNamed && isNumber && number == lastNumber+1
		if continuesRun {
			run.last = scan.row
			lastNumber = number
			continue
		}
		found = appendRun(found, run)
		run = mergedCells{}
		startsRun := isNamed && isNumber
		if startsRun {
			run = mergedCells{column: column + 1, first: scan.row, last: scan.row}
			lastNumber = number
		}
	}
	return appendRun(found, run)
}

// appendRun appends a run if it has at least two rows. A single row shares its name with no other row.
func appendRun(runs []mergedCells, run mergedCells) []mergedCells {
	if run.last > run.first {
		return append(runs, run)
	}
	return runs
}

// wholeNumber reads a cell that has a number and no other text.
func wholeNumber(cell []byte) (v float64, ok bool) {
	cell = bytes.TrimSpace(cell)
	v, n := parseNumber(cell, 0)
	return v, n > 0 && n == len(cell)
}

// mergedRun returns the run of rows that share a name with the given row. ok is false if there is none.
func (g *rowGrouping) mergedRun(row int) (run mergedCells, ok bool) {
	next := sort.Search(len(g.merged), func(i int) bool { return g.merged[i].first > row })
	if next == 0 || row > g.merged[next-1].last {
		return run, false
	}
	return g.merged[next-1], true
}
