package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// RowSource provides the rows of a grid. It is immutable: new data needs a new source.
type RowSource struct {
	Len  int
	ID   func(i int) string       // identifies a row across sources
	Cell func(i, column int) Cell // column is an index in the original order
	// Look returns the mark of a row and whether the row is muted; nil for no marks.
	Look func(i int) (mark Cell, muted bool)
	// Stamp returns a text that changes with the row; nil if changes are not marked.
	Stamp func(i int) string
	// LoadsLater reports whether a row can be loaded later than the rows below it. A row that is loaded later is
	// not marked as new. Nil if there are no such rows.
	LoadsLater func(i int) bool
	SortedBy   string // name of the column by which the rows are sorted, or ""
	Descending bool   // the rows are sorted in descending order
	SortTitle  string // describes the order of the rows if no column has it, such as "Order placed"
	// Rule is the text in a horizontal line that is drawn above the row with index RuleAbove. The line is not drawn
	// above the first row, nor if the user has sorted the rows.
	Rule      string
	RuleAbove int
	More      bool // more rows can be loaded after the last one
	Loading   bool // more rows are being loaded
}

// Grid is a table whose cells have values, such as numbers, days and statuses, and not only texts. Its rows can be
// filtered, sorted, copied and exported, and its columns can be hidden and moved.
type Grid struct {
	Table
	cells   gridCells
	changes changeMarks
	query   string
	sortBy  int // index in cells.columns, or -1 for the order of the source
	reverse bool
	shown   []int // indexes in the source of the filtered and sorted rows; does not include the line "more below"
	order   []int // all columns in display order
	visible []int // visible columns in display order
}

// NewGrid returns a grid with the given columns. The clock is used to format days and to
// mark changes.
func NewGrid(now func() time.Time, columns ...Column) *Grid {
	s := &Grid{
		cells:   gridCells{now: now},
		changes: changeMarks{now: now, times: map[string]time.Time{}},
		sortBy:  -1,
	}
	for _, c := range columns {
		s.cells.columns = append(s.cells.columns, gridColumn{Column: c, unit: c.Units.UnitFor(usualArea)})
	}
	s.ArrangeColumns(nil)
	return s
}

// SetSource replaces the rows and keeps the selected row, the filter and the sort order. It marks changed rows and new
// rows for a minute. It does not mark new rows at the end of the table, or rows for which [RowSource.LoadsLater]
// returns true, because these were probably only loaded later.
func (s *Grid) SetSource(source RowSource) {
	s.changes.removeOld()
	for _, id := range s.cells.replaceSource(source) {
		s.changes.mark(id)
	}
	s.measureColumns()
	s.RefreshRows()
}

// measureColumns updates the units and the widths of the columns.
func (s *Grid) measureColumns() {
	s.cells.measure()
	s.placeColumns()
}

// HasChanges reports whether a row is marked as changed.
func (s *Grid) HasChanges() bool { return s.changes.any() }

// UseUnits changes the units of areas and times.
func (s *Grid) UseUnits(units format.Units) {
	if s.cells.columns[0].Units == units {
		return
	}
	for i := range s.cells.columns {
		s.cells.columns[i].Units = units
	}
	s.RefreshCells()
}

// RefreshCells measures the columns again, and filters and sorts the rows again, after texts of cells
// have changed.
func (s *Grid) RefreshCells() {
	s.cells.words = nil
	s.measureColumns()
	s.RefreshRows()
}

// RefreshRows filters and sorts the rows again.
func (s *Grid) RefreshRows() {
	terms := s.cells.parseTerms(s.query)
	s.shown = s.shown[:0]
	for i := range s.cells.source.Len {
		if rowMatches(i, terms) {
			s.shown = append(s.shown, i)
		}
	}
	if s.sortBy >= 0 {
		s.sortRows()
	} else if s.reverse {
		slices.Reverse(s.shown)
	}
	n := len(s.shown)
	s.Open = s.cells.source.More && n > 0 && !s.NeedsAllRows()
	if s.Open {
		n++
	}
	s.HasUnloaded = s.cells.source.More
	s.placeRule()
	s.SetRows(n, s.rowID, s.drawnRow)
}

// placeRule sets the position of the horizontal line of RowSource.Rule among the filtered rows. There is no line if
// the user has sorted the rows.
func (s *Grid) placeRule() {
	s.SetRule(0, "")
	isSorted := s.sortBy >= 0 || s.reverse
	if isSorted || s.cells.source.Rule == "" {
		return
	}
	row, _ := slices.BinarySearch(s.shown, s.cells.source.RuleAbove)
	if row < len(s.shown) {
		s.SetRule(row, s.cells.source.Rule)
	}
}

// sortKey has the values by which a row is sorted.
type sortKey struct {
	row   int
	known bool // the row has a value
	num   float64
	text  string
}

// sortRows sorts the rows by the sort column. Rows without a value come last.
func (s *Grid) sortRows() {
	keys := make([]sortKey, len(s.shown))
	for i, row := range s.shown {
		keys[i] = s.cells.sortKey(row, s.sortBy)
	}
	slices.SortFunc(keys, func(a, b sortKey) int { return compareKeys(a, b, s.reverse) })
	for i := range keys {
		s.shown[i] = keys[i].row
	}
}

// compareKeys compares two rows, in the opposite direction if reverse is true. In both directions, rows without a
// value are last, and equal rows keep the order of the source.
func compareKeys(a, b sortKey, reverse bool) int {
	if a.known != b.known {
		if a.known {
			return -1
		}
		return 1
	}
	order := strings.Compare(a.text, b.text)
	if order == 0 {
		order = cmp.Compare(a.num, b.num)
	}
	if order == 0 {
		return a.row - b.row
	}
	if reverse {
		return -order
	}
	return order
}

// rowID returns the ID of row i of the table. The index after the last row stands for the line "more below", which
// also has an ID.
func (s *Grid) rowID(i int) string {
	if i == len(s.shown) {
		return "missing behind " + s.cells.source.ID(i-1)
	}
	return s.cells.source.ID(s.shown[i])
}

// drawnRow returns row i of the table, or the line "more below" if i is the index after the last row.
func (s *Grid) drawnRow(i int) Row {
	if i >= len(s.shown) {
		if s.cells.source.Loading {
			return Row{Span: "⋯ loading more…", Muted: true}
		}
		return Row{Span: "⋯ more below", Muted: true}
	}
	index := s.shown[i]
	row := Row{Cells: make([]Cell, len(s.Columns))}
	if s.cells.source.Look != nil {
		row.Mark, row.Muted = s.cells.source.Look(index)
	}
	if row.Mark.Text == "" && s.changes.isMarked(s.cells.source.ID(index)) {
		row.Mark = Cell{Text: "┃", Role: theme.Accent}
	}
	for k, c := range s.visible {
		row.Cells[k] = s.cells.shownCell(index, c)
	}
	return row
}

// Current returns the index of the selected row in the source. It returns false if there are no rows, or if the line
// "more below" is selected.
func (s *Grid) Current() (row int, ok bool) {
	if s.Cursor() >= len(s.shown) {
		return 0, false
	}
	return s.shown[s.Cursor()], true
}

// FilteredRows returns the rows that match the filter, in the displayed order, as indexes in the source.
func (s *Grid) FilteredRows() []int { return slices.Clone(s.shown) }

// IsOnMore reports whether the line "more below" after the last row is selected, with which the user can load more
// rows.
func (s *Grid) IsOnMore() bool { return s.Open && s.Cursor() == len(s.shown) }

// CountFitting returns the number of rows that match the filter, and the number of all rows.
func (s *Grid) CountFitting() (fitting, all int) { return len(s.shown), s.cells.source.Len }

// IsArranged reports whether the rows are filtered or sorted by a column.
func (s *Grid) IsArranged() bool { return s.query != "" || s.sortBy >= 0 }

// NeedsAllRows reports whether the display is correct only if all rows are loaded, because the rows are filtered or
// are not in the order of the source.
func (s *Grid) NeedsAllRows() bool { return s.IsArranged() || s.reverse }

// Query returns the text of the filter.
func (s *Grid) Query() string { return s.query }

// ApplyFilter shows only rows that match all terms of the query.
func (s *Grid) ApplyFilter(query string) {
	if s.query != query {
		s.query = query
		s.RefreshRows()
	}
}

// SortNext sorts by the column n places to the right of the current sort column. After the last column it returns to
// the order of the source, and then continues with the first column.
func (s *Grid) SortNext(n int) {
	choices := len(s.visible) + 1 // choice 0 is the order of the source
	choice := slices.Index(s.visible, s.sortBy) + 1 + n
	choice = (choice%choices + choices) % choices
	s.sortBy = -1
	if choice > 0 {
		s.sortBy = s.visible[choice-1]
	}
	s.reverse = false
	s.showSort()
}

// ReverseSort reverses the order of the rows.
func (s *Grid) ReverseSort() {
	s.reverse = !s.reverse
	s.showSort()
}

// SortBy sorts by the column at cell x of the header in the last view. If the rows are
// already sorted by the column, it reverses their order.
func (s *Grid) SortBy(x int) {
	k, ok := s.ColumnAt(x)
	if !ok {
		return
	}
	if s.visible[k] == s.sortBy {
		s.reverse = !s.reverse
	} else {
		s.sortBy = s.visible[k]
		s.reverse = false
	}
	s.showSort()
}

func (s *Grid) showSort() {
	s.placeColumns()
	s.RefreshRows()
}
