package widget

import "flightdesk/tui/format"

// columnFitter finds the widths of the columns of a table.
type columnFitter struct {
	columns []Column
	titles  []string
	sorted  int // index of the column by which the rows are sorted, or -1
}

// minNameWidth is the width that the first column with Fill keeps for its texts, as long as other
// columns can be left out. It usually has the names, by which people recognise a row.
const minNameWidth = 28

// minSameWidth is the width to which a column with the same text in every row is reduced if other columns
// need room.
const minSameWidth = 12

// fit returns the width of each column, 0 if it is left out. If there is not
// enough room, columns first give up the cells that their texts do not need, and only then
// are columns left out.
func (f *columnFitter) fit(w int) []int {
	widths := f.wantedWidths()
	for {
		excess := totalWidth(widths) - w
		if excess <= 0 {
			break
		}
		freed := f.takeFreeCells(widths, excess, false)
		freed += f.takeFreeCells(widths, excess, true)
		if freed == 0 && !f.leaveOut(widths) {
			f.cutNames(widths, excess)
			break
		}
	}
	f.shareRest(widths, w-totalWidth(widths))
	f.lendCells(widths)
	return widths
}

// wantedWidths returns the widths of the columns before they are fitted to the table.
func (f *columnFitter) wantedWidths() []int {
	widths := make([]int, len(f.columns))
	hasNames := false // the column of the names, the first one with Fill, was found
	for i, column := range f.columns {
		widths[i] = column.Width
		if column.Fill > 0 && !hasNames {
			hasNames = true
			widths[i] = max(column.Width, min(column.Longest, minNameWidth))
		}
		if i == f.sorted {
			widths[i] = max(widths[i], format.Width(f.titles[i]))
		}
	}
	return widths
}

// cutNames takes up to n cells from the columns with Fill. They have names, which people still
// understand when they are cut. A status in another column would not be understood.
func (f *columnFitter) cutNames(widths []int, n int) {
	for i, column := range f.columns {
		if column.Fill > 0 {
			cells := max(0, min(n, widths[i]-column.Width))
			widths[i] -= cells
			n -= cells
		}
	}
}

// takeFreeCells narrows columns by up to n cells that their texts do not need, and returns how many
// cells were freed. If same is true, it also cuts the texts of columns that have the same text in
// every row, down to minSameWidth.
func (f *columnFitter) takeFreeCells(widths []int, n int, same bool) (freed int) {
	for i := len(widths) - 1; i >= 0; i-- {
		needed := f.columns[i].Longest
		if widths[i] <= 0 || needed == 0 {
			continue
		}
		if same && f.columns[i].Same {
			needed = min(needed, minSameWidth)
		}
		needed = max(needed, format.Width(f.titles[i]))
		cells := max(0, min(n-freed, widths[i]-needed))
		widths[i] -= cells
		freed += cells
	}
	return freed
}

// lendCells widens columns whose texts would be cut, with cells that the texts of other columns do
// not need. It widens columns with the same text in every row last.
func (f *columnFitter) lendCells(widths []int) {
	for _, same := range []bool{false, true} {
		for i, column := range f.columns {
			missing := column.Longest - widths[i]
			if widths[i] > 0 && missing > 0 && column.Same == same {
				freed := f.takeFreeCells(widths, missing, !same)
				widths[i] += freed
			}
		}
	}
}

// leaveOut leaves out the column with the highest Drop and reports whether there is one.
// The sort column stays.
func (f *columnFitter) leaveOut(widths []int) bool {
	drop := -1
	for i, column := range f.columns {
		if i == f.sorted || widths[i] <= 0 || column.Drop <= 0 {
			continue
		}
		if drop < 0 || column.Drop > f.columns[drop].Drop {
			drop = i
		}
	}
	if drop < 0 {
		return false
	}
	widths[drop] = 0
	return true
}

// shareRest distributes the remaining cells to the columns with Fill, which is their weight.
func (f *columnFitter) shareRest(widths []int, rest int) {
	weights := 0
	for i, column := range f.columns {
		if widths[i] > 0 {
			weights += column.Fill
		}
	}
	for i, column := range f.columns {
		if widths[i] > 0 && column.Fill > 0 && rest > 0 {
			share := rest * column.Fill / weights
			widths[i] += share
			rest -= share
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
