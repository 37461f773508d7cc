package widget

import (
	"slices"

	"flightdesk/tui/format"
)

// columnFitter calculates the widths of the columns of a table. If a line is too narrow for all columns, it leaves
// out some of them.
type columnFitter struct {
	columns []Column
	titles  []string
	sorted  int // index of the column by which the user has sorted the rows, which always stays, or -1
	names   int // index of the column with the names of the rows, which always stays, or -1
	// repeatsBelow is true if the table has a foot, which shows the value of a column that was left out because every
	// row has the same value.
	repeatsBelow bool
}

// minNameWidth is the minimum width of the column with the names of the rows, by which people recognise a row. The
// column gets narrower only after all columns that can be left out are left out.
const minNameWidth = 28

// newColumnFitter returns a fitter for columns with the given titles. It assumes that the names of the rows are in
// the first column that can be stretched (Fill above 0) and is never dropped (Drop 0).
func newColumnFitter(columns []Column, titles []string) *columnFitter {
	hasNames := func(column Column) bool { return column.Fill > 0 && column.Drop == 0 }
	return &columnFitter{
		columns: columns,
		titles:  titles,
		sorted:  -1,
		names:   slices.IndexFunc(columns, hasNames),
	}
}

// fit returns the width of each column in a line of w cells, or 0 for a column that is left out:
//
//  1. Every column gets its minimum width. If the line is too narrow, columns are left out one by one.
//  2. If the line is still too narrow, but no more columns may be left out, columns with a Fill above 0 get narrower.
//  3. Free cells go to the columns whose texts are cut. If texts are still cut, columns that have the same value in
//     every row are left out one by one, and their cells go to the cut columns.
//  4. A column that was left out is added again if its full width is free.
//  5. A column that is narrower than its Column.Width, because all its texts are short, gets free cells up to this
//     width. The remaining cells go to the columns with a Fill above 0.
func (f *columnFitter) fit(w int) []int {
	widths := f.leastWidths()
	for totalWidth(widths) > w && f.leaveOut(widths) {
	}
	f.cutNames(widths, totalWidth(widths)-w)
	f.uncutTexts(widths, w)
	for f.cutsTexts(widths) && f.leaveOutRepeated(widths) {
		f.uncutTexts(widths, w)
	}
	f.addFitting(widths, w)
	f.widenToUsual(widths, w)
	f.stretch(widths, w)
	return widths
}

// naturalWidth returns the width at which neither a text nor the title of a column is cut. If the texts were not
// measured, it uses Column.Width instead of the longest text.
func (f *columnFitter) naturalWidth(i int) int {
	longest := f.columns[i].Longest
	if longest == 0 {
		longest = f.columns[i].Width
	}
	return max(longest, f.columns[i].Steady, format.Width(f.titles[i]))
}

// leastWidths returns the least width of each column. If there is not enough room for the least width of a column,
// fit leaves out the column.
func (f *columnFitter) leastWidths() []int {
	widths := make([]int, len(f.columns))
	for i := range f.columns {
		least := f.columns[i].Width
		if i == f.names {
			least = max(least, minNameWidth)
		}
		if i == f.sorted {
			least = max(least, format.Width(f.titles[i]))
		}
		widths[i] = min(f.naturalWidth(i), least)
	}
	return widths
}

// leaveOut leaves out the least useful of the columns that may be left out. It returns false if no column may be left
// out.
func (f *columnFitter) leaveOut(widths []int) bool {
	least := f.indexOfLeastMissed(widths)
	if least < 0 {
		return false
	}
	widths[least] = 0
	return true
}

// indexOfLeastMissed returns the index of the least useful column (see isLessUseful) among the shown columns that may
// be left out, or -1 if there is none.
func (f *columnFitter) indexOfLeastMissed(widths []int) int {
	least := -1
	for i := range f.columns {
		isLeast := least < 0 || f.isLessUseful(i, least)
		if widths[i] > 0 && f.canLeaveOut(i) && isLeast {
			least = i
		}
	}
	return least
}

// leaveOutRepeated leaves out one column that has the same value in every row, so that other columns get room for
// texts that are cut. It returns false if there is no such column.
//
// A column with Drop 0 is important and normally stays. It is left out only if it has no values, or if the foot of
// the table shows its value and texts of another important column are cut.
func (f *columnFitter) leaveOutRepeated(widths []int) bool {
	needsImportant := f.repeatsBelow && f.cutsImportant(widths)
	for i := len(widths) - 1; i >= 0; i-- {
		column := &f.columns[i]
		isSpare := column.Blank || column.Drop > 0 || needsImportant
		if widths[i] > 0 && column.IsRepeated() && isSpare && !f.mustStay(i) {
			widths[i] = 0
			return true
		}
	}
	return false
}

// mustStay reports whether a column is never left out: the sort column, and the column with the names.
func (f *columnFitter) mustStay(i int) bool { return i == f.sorted || i == f.names }

// canLeaveOut reports whether a column may be left out to make room for other columns: it must be blank or have a
// Drop above 0, and mustStay must not apply.
func (f *columnFitter) canLeaveOut(i int) bool {
	return !f.mustStay(i) && (f.columns[i].Blank || f.columns[i].Drop > 0)
}

// isLessUseful reports whether column a is less useful to the reader than column b. A column without any value is
// least useful, then a column with the same value in every row, then the column with the higher Drop.
func (f *columnFitter) isLessUseful(a, b int) bool {
	columnA := &f.columns[a]
	columnB := &f.columns[b]
	if columnA.Blank != columnB.Blank {
		return columnA.Blank
	}
	if columnA.IsRepeated() != columnB.IsRepeated() {
		return columnA.IsRepeated()
	}
	return columnA.Drop > columnB.Drop
}

// cutNames narrows the columns with a Fill above 0 by n cells in total, but not below their Width. These columns have
// names: people still understand a name that is cut, but not, for example, a status that is cut.
func (f *columnFitter) cutNames(widths []int, n int) {
	for i, column := range f.columns {
		if column.Fill > 0 {
			cells := max(0, min(n, widths[i]-column.Width))
			widths[i] -= cells
			n -= cells
		}
	}
}

// uncutTexts gives the free cells of a line to columns whose texts are cut. The columns that need the fewest cells
// come first, so that as many columns as possible show their texts in full. If the remaining cells are not enough for
// any column, the most useful column (see isLessUseful) gets them.
func (f *columnFitter) uncutTexts(widths []int, w int) {
	free := w - totalWidth(widths)
	next := f.indexOfNearlyUncut(widths)
	for next >= 0 && f.missingCells(widths, next) <= free {
		free -= f.missingCells(widths, next)
		widths[next] = f.naturalWidth(next)
		next = f.indexOfNearlyUncut(widths)
	}
	if next >= 0 && free > 0 {
		widths[f.indexOfMostUsefulCut(widths)] += free
	}
}

// indexOfMostUsefulCut returns the index of the most useful column (see isLessUseful) among the columns with cut
// texts, or -1.
func (f *columnFitter) indexOfMostUsefulCut(widths []int) int {
	most := -1
	for i := range widths {
		if f.missingCells(widths, i) > 0 && (most < 0 || f.isLessUseful(most, i)) {
			most = i
		}
	}
	return most
}

// indexOfNearlyUncut returns the index of the column that needs the fewest additional cells to show its texts in
// full, or -1 if no texts are cut.
func (f *columnFitter) indexOfNearlyUncut(widths []int) int {
	next := -1
	for i := range widths {
		missing := f.missingCells(widths, i)
		if missing > 0 && (next < 0 || missing < f.missingCells(widths, next)) {
			next = i
		}
	}
	return next
}

// missingCells returns how many more cells a shown column needs to show its texts in full.
func (f *columnFitter) missingCells(widths []int, i int) int {
	if widths[i] == 0 {
		return 0
	}
	return max(0, f.naturalWidth(i)-widths[i])
}

// cutsTexts reports whether texts of a shown column are cut.
func (f *columnFitter) cutsTexts(widths []int) bool { return f.indexOfNearlyUncut(widths) >= 0 }

// cutsImportant reports whether texts of an important column are cut. The important columns are those that are never
// dropped (Drop 0).
func (f *columnFitter) cutsImportant(widths []int) bool {
	for i, column := range f.columns {
		if column.Drop == 0 && f.missingCells(widths, i) > 0 {
			return true
		}
	}
	return false
}

// addFitting adds left-out columns again if they fit into the free cells, the most useful columns first. Blank
// columns stay out.
func (f *columnFitter) addFitting(widths []int, w int) {
	for {
		added := f.indexOfBestLeftOut(widths, w-totalWidth(widths)-len(gap))
		if added < 0 {
			return
		}
		widths[added] = f.naturalWidth(added)
	}
}

// indexOfBestLeftOut returns the index of the most useful column among the columns that were left out and need at
// most w cells, or -1.
func (f *columnFitter) indexOfBestLeftOut(widths []int, w int) int {
	most := -1
	for i := range widths {
		needed := f.naturalWidth(i)
		isLeftOut := widths[i] == 0 && !f.columns[i].Blank
		if isLeftOut && needed > 0 && needed <= w && (most < 0 || f.isLessUseful(most, i)) {
			most = i
		}
	}
	return most
}

// widenToUsual gives the free cells of a line to the columns that are narrower than their Column.Width because all
// their texts are short. Otherwise the widths would change whenever a longer text arrives.
func (f *columnFitter) widenToUsual(widths []int, w int) {
	free := w - totalWidth(widths)
	for i, column := range f.columns {
		if widths[i] > 0 {
			cells := max(0, min(free, column.Width-widths[i]))
			widths[i] += cells
			free -= cells
		}
	}
}

// stretch gives the free cells of a line to the columns with Fill, in proportion to their Fill.
func (f *columnFitter) stretch(widths []int, w int) {
	free := w - totalWidth(widths)
	weights := 0
	for i, column := range f.columns {
		if widths[i] > 0 {
			weights += column.Fill
		}
	}
	for i, column := range f.columns {
		if widths[i] > 0 && column.Fill > 0 && free > 0 {
			share := free * column.Fill / weights
			widths[i] += share
			free -= share
			weights -= column.Fill
		}
	}
}

// totalWidth returns the width of the columns with the gaps between them.
func totalWidth(widths []int) int {
	sum := 0
	shown := 0
	for _, w := range widths {
		if w > 0 {
			sum += w
			shown++
		}
	}
	return sum + len(gap)*max(0, shown-1)
}
