package widget

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// changedFor is how long a changed row stays marked.
const changedFor = time.Minute

// usualArea, in square metres, determines the unit of a column of areas that has no values.
const usualArea = 10_000

// RowSource provides the rows of a grid. It is immutable: new data needs a new source.
type RowSource struct {
	Len  int
	ID   func(i int) string       // identifies a row across sources
	Cell func(i, column int) Cell // column is an index in the original order
	// Look returns the mark of a row and whether the row is muted; nil for no marks.
	Look func(i int) (mark Cell, muted bool)
	// Stamp returns a text that changes with the row; nil if changes are not marked.
	Stamp   func(i int) string
	More    bool // more rows can be loaded after the last one
	Loading bool // more rows are being loaded
}

// Grid is a table of typed cells. Its rows can be filtered, sorted, copied and exported,
// and its columns can be hidden and moved.
type Grid struct {
	Table
	now     func() time.Time
	all     []gridColumn
	source  RowSource
	query   string
	sortBy  int // index in all, or -1 for the order of the source
	reverse bool
	shown   []int // filtered and sorted rows of the source; an Open table has one more row
	changed map[string]time.Time
	index   []string // text of each row for the filter, built on demand
	scratch []byte
	order   []int // all columns in display order
	columns []int // visible columns in display order
}

// gridColumn is a column with the format that suits its current values.
type gridColumn struct {
	Column
	unit   format.Unit
	fitted int // width of the longest number
	hidden bool
}

// NewGrid returns a grid with the given columns. The clock is used to format days and to
// mark changes.
func NewGrid(now func() time.Time, columns ...Column) *Grid {
	s := &Grid{now: now, sortBy: -1, changed: map[string]time.Time{}}
	for _, c := range columns {
		s.all = append(s.all, gridColumn{Column: c, unit: c.Units.UnitFor(usualArea)})
	}
	s.ArrangeColumns(nil)
	return s
}

// SetSource replaces the rows and keeps the selected row, the filter and the sort order.
// Rows that changed, and new rows above a known row, are marked for a minute.
func (s *Grid) SetSource(source RowSource) {
	s.markChanges(&source)
	s.source = source
	s.measureColumns()
	s.RefreshRows()
}

// UseUnits changes the units of areas and times.
func (s *Grid) UseUnits(units format.Units) {
	if s.all[0].Units == units {
		return
	}
	for i := range s.all {
		s.all[i].Units = units
	}
	s.RefreshCells()
}

// RefreshCells measures the columns again, and filters and sorts the rows again, after texts of cells
// have changed.
func (s *Grid) RefreshCells() {
	s.index = nil
	s.measureColumns()
	s.RefreshRows()
}

// markChanges marks the rows that differ in a new source, and keeps the cached texts of the other
// rows.
func (s *Grid) markChanges(source *RowSource) {
	if source.Stamp == nil || s.source.Stamp == nil {
		s.index = nil
		return
	}
	s.removeOldChanges()
	changes := s.compareRows(source)
	s.addChanges(source, changes)
	s.moveIndex(changes)
}

// removeOldChanges removes the marks of rows that changed long ago.
func (s *Grid) removeOldChanges() {
	now := s.now()
	for id, changed := range s.changed {
		if now.Sub(changed) >= changedFor {
			delete(s.changed, id)
		}
	}
}

// rowChange compares a row of a new source with the current source.
type rowChange struct {
	old     int // index in the current source, or -1 if the row is new
	changed bool
}

// compareRows compares the rows of a new source with the current source.
func (s *Grid) compareRows(source *RowSource) []rowChange {
	known := make(map[string]int, s.source.Len)
	for i := range s.source.Len {
		known[s.source.ID(i)] = i
	}
	changes := make([]rowChange, source.Len)
	for i := range source.Len {
		old, ok := known[source.ID(i)]
		if ok {
			changes[i] = rowChange{old: old, changed: s.source.Stamp(old) != source.Stamp(i)}
		} else {
			changes[i] = rowChange{old: -1}
		}
	}
	return changes
}

// addChanges marks the rows that changed, and new rows above a known row.
func (s *Grid) addChanges(source *RowSource, changes []rowChange) {
	now := s.now()
	var added []string // new rows since the last known row
	for i, change := range changes {
		if change.old < 0 {
			added = append(added, source.ID(i))
			continue
		}
		if change.changed {
			s.changed[source.ID(i)] = now
		}
		for _, id := range added {
			s.changed[id] = now
		}
		added = added[:0]
	}
}

// moveIndex moves the cached texts of unchanged rows to their new indexes.
func (s *Grid) moveIndex(changes []rowChange) {
	if s.index == nil {
		return
	}
	index := make([]string, len(changes))
	for i, change := range changes {
		if change.old >= 0 && !change.changed {
			index[i] = s.index[change.old]
		}
	}
	s.index = index
}

// measureColumns updates the units and widths of the columns.
func (s *Grid) measureColumns() {
	for c := range s.all {
		column := &s.all[c]
		switch column.Kind {
		case columns.Date:
			column.fitted = s.daysWidth(c)
		case columns.Words, columns.Status:
			column.Longest, column.Same = s.measureText(c)
		default:
			s.measureNumbers(c)
		}
	}
	s.placeColumns()
}

// numberRange is the range of the numbers in a column.
type numberRange struct {
	lowest, highest float64         // lowest is at most 0, highest at least 0
	currencies      map[string]bool // of amounts of money; otherwise it only has ""
	textWidth       int             // of the widest value that could not be parsed
}

// measureNumbers updates the unit and width of a column of numbers.
func (s *Grid) measureNumbers(c int) {
	numbers := s.rangeOf(c)
	s.updateUnit(c, numbers.highest)
	s.all[c].fitted = max(numbers.textWidth, s.widestNumber(c, numbers))
}

// rangeOf returns the range of the numbers in a column.
func (s *Grid) rangeOf(c int) numberRange {
	numbers := numberRange{currencies: map[string]bool{}}
	for i := range s.source.Len {
		cell := s.source.Cell(i, c)
		if cell.Text != "" { // a value that could not be parsed
			numbers.textWidth = max(numbers.textWidth, min(maxDayWidth, format.Width(cell.Text)))
			continue
		}
		if !cell.Known {
			continue
		}
		numbers.highest = max(numbers.highest, cell.Num)
		numbers.lowest = min(numbers.lowest, cell.Num)
		if s.all[c].Kind == columns.Money {
			numbers.currencies[cell.Code] = true
		}
	}
	if len(numbers.currencies) == 0 {
		numbers.currencies[""] = true
	}
	return numbers
}

// updateUnit chooses the unit of a column by its largest area. In a column of other numbers the unit
// has no effect.
func (s *Grid) updateUnit(c int, largest float64) {
	if largest == 0 {
		largest = usualArea
	}
	column := &s.all[c]
	unit := column.Units.UnitFor(largest)
	if unit == column.unit {
		return
	}
	column.unit = unit
	s.index = nil // the cached texts have the old unit
}

// maxMeasuredRows limits how many rows are measured for the widths of texts.
const maxMeasuredRows = 1000

// measureText returns the width of the longest text of a column, and whether all its texts
// are the same. Only the first rows are measured.
func (s *Grid) measureText(c int) (longest int, same bool) {
	longest = 1
	same = s.source.Len > 1
	first := ""
	for i := range min(s.source.Len, maxMeasuredRows) {
		text := s.source.Cell(i, c).Text
		if i == 0 {
			first = text
		}
		longest = max(longest, format.Width(text))
		if text != first {
			same = false
		}
	}
	return longest, same
}

// maxDayWidth limits the width of values that could not be parsed and of times of day.
const maxDayWidth = 12

// daysWidth returns the width of a column of days. Days of other years are longer.
func (s *Grid) daysWidth(c int) int {
	if s.all[c].Clock {
		return maxDayWidth
	}
	width := 6
	year := s.now().Year()
	for i := range s.source.Len {
		cell := s.source.Cell(i, c)
		if !cell.Known || cell.Text != "" {
			width = max(width, min(maxDayWidth, format.Width(cell.Text)))
		} else if cell.Time.Year() != year {
			width = max(width, len("20 Jan 2006"))
		}
	}
	return width
}

// widestNumber returns the width that a column needs for the numbers of a range.
func (s *Grid) widestNumber(c int, numbers numberRange) int {
	column := &s.all[c]
	width := 0
	for _, number := range []float64{numbers.highest, numbers.lowest} {
		for currency := range numbers.currencies {
			cell := Cell{Num: number, Code: currency, Known: true}
			width = max(width, format.Width(column.WriteCell(cell, column.unit, s.now())))
		}
	}
	if column.Kind == columns.Bytes && numbers.highest >= 1000 {
		width = max(width, len("999.9 kB")) // smaller values may have a longer text
	}
	return width
}

// RefreshRows filters and sorts the rows again.
func (s *Grid) RefreshRows() {
	terms := s.parseTerms(s.query)
	s.shown = s.shown[:0]
	for i := range s.source.Len {
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
	s.Open = s.source.More && n > 0 && !s.NeedsAllRows()
	if s.Open {
		n++
	}
	s.SetRows(n, s.rowID, s.drawnRow)
}

// sortKey has the values by which a row is sorted.
type sortKey struct {
	row   int
	known bool
	num   float64
	text  string
}

// sortRows sorts the rows by the sort column. Rows without a value come last.
func (s *Grid) sortRows() {
	keys := make([]sortKey, len(s.shown))
	for i, row := range s.shown {
		keys[i] = s.sortKey(row)
	}
	slices.SortFunc(keys, s.compareKeys)
	for i := range keys {
		s.shown[i] = keys[i].row
	}
}

// sortKey returns the values by which a row is sorted.
func (s *Grid) sortKey(row int) sortKey {
	cell := s.source.Cell(row, s.sortBy)
	key := sortKey{row: row, known: cell.Known, num: cell.Num}
	switch s.all[s.sortBy].Kind {
	case columns.Words:
		key.known = true
		key.text = format.Fold(cell.Text)
	case columns.Date:
		key.num = float64(cell.Time.UnixMilli())
	case columns.Money:
		key.text = cell.Code // groups amounts by currency
	}
	return key
}

// compareKeys compares two rows in the current direction. Equal rows keep the order of the
// source in both directions.
func (s *Grid) compareKeys(a, b sortKey) int {
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
	if s.reverse {
		return -order
	}
	return order
}

func (s *Grid) rowID(i int) string {
	if i == len(s.shown) {
		return "missing behind " + s.source.ID(i-1)
	}
	return s.source.ID(s.shown[i])
}

// cellText returns the displayed text of a cell.
func (s *Grid) cellText(row, c int) string {
	return s.all[c].WriteCell(s.source.Cell(row, c), s.all[c].unit, s.now())
}

// isWords reports whether the values of a column are words: texts or statuses, not numbers or days.
func (s *Grid) isWords(c int) bool {
	return s.all[c].Kind == columns.Words || s.all[c].Kind == columns.Status
}

// drawnRow returns row i of the table, which is the line for more rows if i is behind the
// last row.
func (s *Grid) drawnRow(i int) Row {
	if i >= len(s.shown) {
		if s.source.Loading {
			return Row{Span: "⋯ loading more…", Muted: true}
		}
		return Row{Span: "⋯ more below", Muted: true}
	}
	index := s.shown[i]
	row := Row{Cells: make([]Cell, len(s.Columns))}
	if s.source.Look != nil {
		row.Mark, row.Muted = s.source.Look(index)
	}
	if row.Mark.Text == "" && s.isChanged(s.source.ID(index)) {
		row.Mark = Cell{Text: "┃", Role: theme.Accent}
	}
	for k, c := range s.columns {
		cell := s.source.Cell(index, c)
		cell.Text = s.all[c].WriteCell(cell, s.all[c].unit, s.now())
		row.Cells[k] = cell
	}
	return row
}

func (s *Grid) isChanged(id string) bool {
	at, ok := s.changed[id]
	return ok && s.now().Sub(at) < changedFor
}

// HasChanges reports whether a row is marked as changed.
func (s *Grid) HasChanges() bool {
	for id := range s.changed {
		if s.isChanged(id) {
			return true
		}
	}
	return false
}

// Current returns the index of the selected row in the source. It returns false if there
// is no row or the line below the rows is selected.
func (s *Grid) Current() (row int, ok bool) {
	if s.Cursor() >= len(s.shown) {
		return 0, false
	}
	return s.shown[s.Cursor()], true
}

// FilteredRows returns the indexes in the source of the filtered rows in display order.
func (s *Grid) FilteredRows() []int { return slices.Clone(s.shown) }

// IsOnMore reports whether the line for more rows is selected.
func (s *Grid) IsOnMore() bool { return s.Open && s.Cursor() == len(s.shown) }

// CountFitting returns the number of rows that match the filter, and the number of all rows.
func (s *Grid) CountFitting() (fitting, all int) { return len(s.shown), s.source.Len }

// IsArranged reports whether the rows are filtered or sorted by a column.
func (s *Grid) IsArranged() bool { return s.query != "" || s.sortBy >= 0 }

// NeedsAllRows reports whether all rows must be loaded for a correct display: the rows are
// filtered, or are not in the order of the source.
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

// SortNext sorts by the column n places to the right, wrapping around at the ends. Between the last
// and the first column comes the unsorted order of the source.
func (s *Grid) SortNext(n int) {
	choices := len(s.columns) + 1 // choice 0 is the order of the source
	choice := slices.Index(s.columns, s.sortBy) + 1 + n
	choice = (choice%choices + choices) % choices
	s.sortBy = -1
	if choice > 0 {
		s.sortBy = s.columns[choice-1]
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
	if s.columns[k] == s.sortBy {
		s.reverse = !s.reverse
	} else {
		s.sortBy = s.columns[k]
		s.reverse = false
	}
	s.showSort()
}

func (s *Grid) showSort() {
	s.placeColumns()
	s.RefreshRows()
}
