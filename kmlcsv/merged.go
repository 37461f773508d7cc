package kmlcsv

import (
	"cmp"
	"slices"
	"sort"
)

// minMergedRows is how many rows share a merged name at least to be the corners of an
// area.
const minMergedRows = 3

// nameColumn returns the column that the rows of one placemark share, -1 for none.
func (r *csvReader) nameColumn() int {
	if r.columns.ID >= 0 {
		return r.columns.ID
	}
	return r.columns.Label
}

// joinsMerged reports whether a sheet has names in cells that are merged over several
// rows, which are then the corners of an area. It says so in a warning.
func (r *csvReader) joinsMerged() bool {
	column := r.nameColumn()
	if column < 0 || r.columns.Sequence >= 0 || !r.columns.hasPosition() {
		return false
	}
	for _, m := range r.opts.merged {
		if m.column == column+1 && m.first > r.res.Layout.HeaderRow && m.last-m.first+1 >= minMergedRows {
			r.warnFile(MergedRows, "rows whose name is one merged cell were joined into one site")
			return true
		}
	}
	return false
}

// mergedNumber returns the number of the record among the rows of a merged name, and
// whether its name is merged.
func (r *csvReader) mergedNumber() (number float64, isMerged bool) {
	column, row := r.nameColumn()+1, r.records.row
	merged := r.opts.merged
	behind := sort.Search(len(merged), func(i int) bool {
		m := &merged[i]
		return m.column > column || m.column == column && m.first > row
	})
	if behind == 0 {
		return 0, false
	}
	m := merged[behind-1]
	if m.column != column || row > m.last || m.last-m.first+1 < minMergedRows {
		return 0, false
	}
	return float64(row - m.first + 1), true
}

// sortMerged sorts merged cells by column and row, as mergedNumber needs them.
func sortMerged(merged []mergedCells) {
	slices.SortFunc(merged, func(a, b mergedCells) int {
		return cmp.Or(cmp.Compare(a.column, b.column), cmp.Compare(a.first, b.first))
	})
}
