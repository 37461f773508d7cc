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

// changedFor is how long a row that changed stays marked.
const changedFor = time.Minute

// usualArea has the unit of a column without areas, in square metres.
const usualArea = 10_000

// RowSource is where the rows of a grid come from. It does not change once it
// was given: what is behind its functions is replaced, never written to.
type RowSource struct {
	Len  int
	ID   func(i int) string       // names the row, in every source the same
	Cell func(i, column int) Cell // of a column of the grid's, in their first order
	// Look is what marks the row and whether it is muted; nil for neither.
	Look func(i int) (mark Cell, muted bool)
	// Stamp changes when the row does; nil where changes are not marked.
	Stamp   func(i int) string
	More    bool // there are rows behind the last one, which can be loaded
	Loading bool // some of them are on their way
}

// Grid is a table of typed cells that can be filtered and sorted, whose
// columns can be chosen, ordered and sized, and which can be copied and
// written to a file.
type Grid struct {
	Table
	now     func() time.Time
	all     []gridColumn
	source  RowSource
	query   string
	sortBy  int // column of all, -1 for the order the rows come in
	reverse bool
	shown   []int // rows of the source; where it is Open, a line follows that stands for more
	changed map[string]time.Time
	index   []string // the rows' words, for the filter
	scratch []byte
	order   []int // columns of all as they stand
	columns []int // those of order that are shown
}

// gridColumn is a column, and what the rows make of it.
type gridColumn struct {
	Column
	unit   format.Unit
	fitted int // cells of the longest number
	hidden bool
}

// NewGrid makes a grid of columns. The clock is for days and for what was
// changed.
func NewGrid(now func() time.Time, columns ...Column) *Grid {
	s := &Grid{now: now, sortBy: -1, changed: map[string]time.Time{}}
	for _, c := range columns {
		s.all = append(s.all, gridColumn{Column: c, unit: c.Units.UnitFor(usualArea)})
	}
	s.ArrangeColumns(nil)
	return s
}

// SetSource gives the grid its rows. The selection stays with its row, and so do
// the filter and the sort. Rows that changed since the last source, or stand
// newly above one that was there, are marked for a minute.
func (s *Grid) SetSource(source RowSource) {
	s.markChanges(&source)
	s.source = source
	s.measureColumns()
	s.RefreshRows()
}

// UseUnits writes areas and times in units from now on.
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

// measureColumns finds each column's unit and the width of its numbers.
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
				said = max(said, min(mostOfDay, format.Width(cell.Text)))
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

// mostMeasured is how many rows are measured for the widths of texts.
const mostMeasured = 1000

// measureText returns the width of the longest text of a column, and whether all its
// texts are the same, as far as rows are measured.
func (s *Grid) measureText(c int) (longest int, same bool) {
	longest, same = 1, s.source.Len > 1
	first := ""
	for i := range min(s.source.Len, mostMeasured) {
		text := s.source.Cell(i, c).Text
		if i == 0 {
			first = text
		}
		longest, same = max(longest, format.Width(text)), same && text == first
	}
	return longest, same
}

// mostOfDay is the cells that a day at most gets that was not sent as one, or
// is written in another way.
const mostOfDay = 12

// daysWidth returns the width of a column of days: those of another year are longer.
func (s *Grid) daysWidth(c int) int {
	w, now := 6, s.now()
	if s.all[c].Clock {
		return mostOfDay
	}
	for i := range s.source.Len {
		switch cell := s.source.Cell(i, c); {
		case !cell.Known || cell.Text != "":
			w = max(w, min(mostOfDay, format.Width(cell.Text)))
		case cell.Time.Year() != now.Year():
			w = max(w, len("20 Jan 2006"))
		}
	}
	return w
}

// widestNumber returns the width of the longest number of a column between two.
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

// RefreshRows filters and sorts the rows anew.
func (s *Grid) RefreshRows() {
	terms := s.parseTerms(s.query)
	s.shown = s.shown[:0]
	for i := range s.source.Len {
		if rowFits(i, terms) {
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

// sortKey is what a row is sorted by.
type sortKey struct {
	row   int
	known bool
	num   float64
	text  string
}

// sortRows orders the rows by the column; rows without a value come last.
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

// cellText returns what is read in a cell.
func (s *Grid) cellText(row, c int) string {
	return s.all[c].WriteCell(s.source.Cell(row, c), s.all[c].unit, s.now())
}

// isWords reports whether the cells of a column are words or states.
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

// Current returns the selected row of the source; ok is false where there is
// none, or where the line below them is selected.
func (s *Grid) Current() (row int, ok bool) {
	if s.Cursor() >= len(s.shown) {
		return 0, false
	}
	return s.shown[s.Cursor()], true
}

// FilteredRows returns the rows of the source that the filter leaves, in the order in which
// they are shown.
func (s *Grid) FilteredRows() []int { return slices.Clone(s.shown) }

// IsOnMore reports whether the line is selected that stands for the rows below.
func (s *Grid) IsOnMore() bool { return s.Open && s.Cursor() == len(s.shown) }

// CountFitting returns how many rows the filter leaves, and of how many.
func (s *Grid) CountFitting() (fitting, of int) { return len(s.shown), s.source.Len }

// IsArranged reports whether which rows are shown, or their order, depends on
// what is in them.
func (s *Grid) IsArranged() bool { return s.query != "" || s.sortBy >= 0 }

// IsWhole reports whether what is shown is true only of all rows: a filter, or an
// order that is not the source's.
func (s *Grid) IsWhole() bool { return s.IsArranged() || s.reverse }

// Query returns the filter.
func (s *Grid) Query() string { return s.query }

// ApplyFilter shows only the rows that have all terms of the query.
func (s *Grid) ApplyFilter(query string) {
	if s.query != query {
		s.query = query
		s.RefreshRows()
	}
}

// SortNext sorts by the column that stands n further on; before the first and
// behind the last is the order the rows come in.
func (s *Grid) SortNext(n int) {
	round := len(s.columns) + 1
	at := ((slices.Index(s.columns, s.sortBy)+1+n)%round + round) % round
	s.sortBy, s.reverse = -1, false
	if at > 0 {
		s.sortBy = s.columns[at-1]
	}
	s.showSort()
}

// ReverseSort turns the order of the rows round.
func (s *Grid) ReverseSort() {
	s.reverse = !s.reverse
	s.showSort()
}

// SortBy sorts by the column at cell x of the last view's header, the other
// way round where it is sorted by already.
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
