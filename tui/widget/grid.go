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

// usualArea, in square metres, determines the unit of a column that has no values.
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
	s.index = nil
	for i := range s.all {
		s.all[i].Units = units
	}
	s.measureColumns()
	s.RefreshRows()
}

// markChanges marks what changed, and keeps the words of rows that did not.
func (s *Grid) markChanges(source *RowSource) {
	if source.Stamp == nil || s.source.Stamp == nil {
		s.index = nil
		return
	}
	now := s.now()
	for id, at := range s.changed {
		if now.Sub(at) >= changedFor {
			delete(s.changed, id)
		}
	}
	var index []string
	if s.index != nil {
		index = make([]string, source.Len)
	}
	known, above := make(map[string]int, s.source.Len), []string(nil)
	for i := range s.source.Len {
		known[s.source.ID(i)] = i
	}
	for i := range source.Len {
		id := source.ID(i)
		old, was := known[id]
		switch {
		case !was:
			above = append(above, id)
			continue
		case s.source.Stamp(old) != source.Stamp(i):
			s.changed[id] = now
		case index != nil:
			index[i] = s.index[old]
		}
		for _, id := range above {
			s.changed[id] = now
		}
		above = above[:0]
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
			continue
		case columns.Words, columns.Status:
			column.Longest, column.Same = s.measureText(c)
			continue
		}
		top, low, said := 0.0, 0.0, 0
		code := map[string]bool{}
		for i := range s.source.Len {
			cell := s.source.Cell(i, c)
			if cell.Text != "" {
				said = max(said, min(maxDayWidth, format.Width(cell.Text)))
			} else if cell.Known {
				top, low = max(top, cell.Num), min(low, cell.Num)
				if column.Kind == columns.Money {
					code[cell.Code] = true
				}
			}
		}
		u := column.Units.UnitFor(cmp.Or(top, usualArea))
		if u != column.unit {
			column.unit, s.index = u, nil // texts are other than they were
		}
		column.fitted = max(said, s.widestNumber(c, top, low, code))
	}
	s.placeColumns()
}

// maxMeasuredRows limits how many rows are measured for the widths of texts.
const maxMeasuredRows = 1000

// measureText returns the width of the longest text of a column, and whether all its texts
// are the same. Only the first rows are measured.
func (s *Grid) measureText(c int) (longest int, same bool) {
	longest, same = 1, s.source.Len > 1
	first := ""
	for i := range min(s.source.Len, maxMeasuredRows) {
		text := s.source.Cell(i, c).Text
		if i == 0 {
			first = text
		}
		longest, same = max(longest, format.Width(text)), same && text == first
	}
	return longest, same
}

// maxDayWidth limits the width of values that could not be parsed and of times of day.
const maxDayWidth = 12

// daysWidth returns the width of a column of days. Days of other years are longer.
func (s *Grid) daysWidth(c int) int {
	w, now := 6, s.now()
	if s.all[c].Clock {
		return maxDayWidth
	}
	for i := range s.source.Len {
		switch cell := s.source.Cell(i, c); {
		case !cell.Known || cell.Text != "":
			w = max(w, min(maxDayWidth, format.Width(cell.Text)))
		case cell.Time.Year() != now.Year():
			w = max(w, len("20 Jan 2006"))
		}
	}
	return w
}

// widestNumber returns the width that a column needs for the numbers from low to top.
func (s *Grid) widestNumber(c int, top, low float64, codes map[string]bool) int {
	if len(codes) == 0 {
		codes = map[string]bool{"": true}
	}
	w := 0
	for _, n := range []float64{top, low} {
		for code := range codes {
			w = max(
				w,
				format.Width(s.all[c].WriteCell(Cell{Num: n, Code: code, Known: true}, s.all[c].unit, s.now())),
			)
		}
	}
	if s.all[c].Kind == columns.Bytes && top >= 1000 {
		w = max(w, len("999.9 kB")) // of a smaller unit it can be longer
	}
	return w
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
	switch {
	case s.sortBy >= 0:
		s.sortRows()
	case s.reverse:
		slices.Reverse(s.shown)
	}
	n := len(s.shown)
	if s.Open = s.source.More && n > 0 && !s.IsWhole(); s.Open {
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
	kind := s.all[s.sortBy].Kind
	keys := make([]sortKey, len(s.shown))
	for i, row := range s.shown {
		cell := s.source.Cell(row, s.sortBy)
		keys[i] = sortKey{
			row:   row,
			known: cell.Known || kind == columns.Words,
			num:   cell.Num,
		}
		switch kind {
		case columns.Words:
			keys[i].text = format.Fold(cell.Text)
		case columns.Date:
			keys[i].num = float64(cell.Time.UnixMilli())
		case columns.Money:
			keys[i].text = cell.Code // amounts of one currency stand together
		}
	}
	slices.SortFunc(keys, func(a, b sortKey) int {
		if a.known != b.known {
			if a.known {
				return -1
			}
			return 1
		}
		order := cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.num, b.num))
		if s.reverse {
			order = -order
		}
		return cmp.Or(order, a.row-b.row)
	})
	for i := range keys {
		s.shown[i] = keys[i].row
	}
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

// isWords reports whether a column has texts or states.
func (s *Grid) isWords(c int) bool {
	return s.all[c].Kind == columns.Words || s.all[c].Kind == columns.Status
}

func (s *Grid) drawnRow(i int) Row {
	switch isRow := i < len(s.shown); {
	case !isRow && s.source.Loading:
		return Row{Span: "⋯ loading more…", Muted: true}
	case !isRow:
		return Row{Span: "⋯ more below", Muted: true}
	}
	source := s.shown[i]
	row := Row{Cells: make([]Cell, len(s.Columns))}
	if s.source.Look != nil {
		row.Mark, row.Muted = s.source.Look(source)
	}
	if row.Mark.Text == "" && s.isChanged(s.source.ID(source)) {
		row.Mark = Cell{Text: "┃", Role: theme.Accent}
	}
	for k, c := range s.columns {
		row.Cells[k] = s.source.Cell(source, c)
		row.Cells[k].Text = s.all[c].WriteCell(row.Cells[k], s.all[c].unit, s.now())
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

// CountFitting returns the number of filtered rows and of all rows.
func (s *Grid) CountFitting() (fitting, of int) { return len(s.shown), s.source.Len }

// IsArranged reports whether the rows are filtered or sorted by a column.
func (s *Grid) IsArranged() bool { return s.query != "" || s.sortBy >= 0 }

// IsWhole reports whether the display is only correct if all rows are loaded, because they
// are filtered or not in the order of the source.
func (s *Grid) IsWhole() bool { return s.IsArranged() || s.reverse }

// Query returns the text of the filter.
func (s *Grid) Query() string { return s.query }

// ApplyFilter shows only rows that match all terms of the query.
func (s *Grid) ApplyFilter(query string) {
	if s.query != query {
		s.query = query
		s.RefreshRows()
	}
}

// SortNext sorts by the column n places to the right. Before the first column and after
// the last is the order of the source.
func (s *Grid) SortNext(n int) {
	round := len(s.columns) + 1
	at := ((slices.Index(s.columns, s.sortBy)+1+n)%round + round) % round
	s.sortBy, s.reverse = -1, false
	if at > 0 {
		s.sortBy = s.columns[at-1]
	}
	s.showSort()
}

// ReverseSort reverses the order of the rows.
func (s *Grid) ReverseSort() {
	s.reverse = !s.reverse
	s.showSort()
}

// SortBy sorts by the column at cell x of the header in the last view. If the rows are
// already sorted by it, it reverses their order.
func (s *Grid) SortBy(x int) {
	if k, ok := s.ColumnAt(x); ok {
		s.reverse = s.columns[k] == s.sortBy && !s.reverse
		s.sortBy = s.columns[k]
		s.showSort()
	}
}

func (s *Grid) showSort() {
	s.placeColumns()
	s.RefreshRows()
}
