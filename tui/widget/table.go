package widget

import (
	"slices"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Row has what is drawn in a row of a table.
type Row struct {
	Mark  Cell // one cell at the left: ┃ for a change, ! for a problem
	Muted bool // draws all cells muted
	Cells []Cell
	Span  string // text across the row instead of cells

	isContinued bool // a further line of a wrapped row
}

// Table draws rows in columns. One of the rows is selected. The zero value has no rows.
type Table struct {
	Columns []Column
	// Leap scrolls by two thirds of the view, instead of by one line, when the cursor leaves the view.
	Leap   bool
	Open   bool // the last row represents an unknown number of further rows
	Static bool // the selected row is drawn like the others: the user cannot move the selection
	// HasUnloaded is true if not all rows are loaded. The line about hidden columns then says "All loaded rows" instead
	// of "All rows". HasUnloaded can be true although Open is false: if the rows are filtered or sorted, the table has
	// no last row for the rows that are not loaded, because their places are unknown.
	HasUnloaded bool
	// HasDetails is true if the selected row is shown in full next to the table. If it is false, the foot has the
	// cut texts of the selected row.
	HasDetails bool

	row     func(i int) Row
	id      func(i int) string
	rule    string // text of the rule between two rows; window has the position of the rule
	current string // ID of the selected row
	window  rowWindow
	sort    sortMark
	noArrow bool   // the last view had no room for the arrow of sort
	column  int    // column under the cursor plus 1, or 0
	spans   []Span // columns in the last view, with a length of 0 for a column without room
	lines   []int  // index of the row or noRow for each line of the last view, if rows were wrapped; otherwise nil
}

// sortMark is the mark of the column by which the rows of a table are sorted. The zero value marks none.
type sortMark struct {
	number       int // index of the column plus 1, or 0
	isDescending bool
	isChosen     bool // the user has chosen the column, so it is never left out
}

// column returns the index of the marked column, or -1.
func (m sortMark) column() int { return m.number - 1 }

// arrow returns the arrow that is put in front of the title of the column, up or down by the sort direction.
func (m sortMark) arrow() string {
	if m.isDescending {
		return "▾ "
	}
	return "▴ "
}

// SetRows sets the number of rows and the functions that return them. The row with the selected ID stays selected.
// If it does not exist any more, the row at its index is selected.
func (t *Table) SetRows(n int, id func(i int) string, row func(i int) Row) {
	before := t.window.cursor
	t.window.rows = n
	t.id = id
	t.row = row
	isMoved := before >= n || id(before) != t.current
	if isMoved {
		t.Select(t.current)
	}
	t.Move(0)
	moved := t.window.cursor - before
	t.window.top = max(0, t.window.top+moved) // the row stays at its place on the screen
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.window.rows }

// Cursor returns the index of the selected row, or 0 if there are no rows.
func (t *Table) Cursor() int { return t.window.cursor }

// Selected returns the ID of the selected row, or "" if there are no rows.
func (t *Table) Selected() string {
	if t.window.rows == 0 {
		return ""
	}
	return t.current
}

// Select selects the row with the given ID and reports whether it exists.
func (t *Table) Select(id string) bool {
	for i := range t.window.rows {
		if t.id(i) == id {
			t.Move(i - t.window.cursor)
			return true
		}
	}
	return false
}

// ScrollToSelected scrolls to show the selected row near the top of the view, below one earlier row. If only few
// rows follow the selected row, it is further down.
func (t *Table) ScrollToSelected() { t.window.top = max(0, t.window.cursor-1) }

// Move moves the selection down by n rows, or up if n is negative.
func (t *Table) Move(n int) {
	t.window.moveCursor(n)
	if t.window.rows > 0 {
		t.current = t.id(t.window.cursor)
	}
}

// Click selects the row at line y of the last view and reports whether there is one.
func (t *Table) Click(y int) bool {
	row, ok := t.rowAt(y - headerLines)
	if ok {
		t.Move(row - t.window.cursor)
	}
	return ok
}

// rowAt returns the index of the row at a line below the header of the last view, and whether there is one.
func (t *Table) rowAt(line int) (row int, ok bool) {
	if t.lines == nil {
		return t.window.rowAt(line)
	}
	if line < 0 || line >= len(t.lines) || t.lines[line] == noRow {
		return 0, false
	}
	return t.lines[line], true
}

// ShownRows returns the number of rows in the last view.
func (t *Table) ShownRows() int { return max(0, t.window.end()-t.window.top) }

// LineOf returns the line at which the i-th row of the last view begins. The first row is at line 1.
func (t *Table) LineOf(i int) int {
	if t.lines != nil {
		return headerLines + max(0, slices.Index(t.lines, t.window.top+i))
	}
	return headerLines + t.window.lineOf(i)
}

// SetRule draws a rule, a horizontal line with a text, above the row with index row. If row is 0, no rule is drawn.
func (t *Table) SetRule(row int, text string) {
	t.window.rule = row
	t.rule = text
}

// Column returns the column under the cursor, or -1.
func (t *Table) Column() int { return min(t.column, len(t.Columns)) - 1 }

// MoveColumn moves the cursor by n visible columns to the right, or to the left if n is negative.
func (t *Table) MoveColumn(n int) {
	step := 1
	if n < 0 {
		step = -1
		n = -n
	}
	if t.column == 0 {
		t.column = 1
	}
	for i := t.Column() + step; n > 0 && i >= 0 && i < len(t.spans); i += step {
		if t.spans[i].Len > 0 {
			t.column = i + 1
			n--
		}
	}
}

// ColumnAt returns the column at cell x of the last view and whether there is one.
func (t *Table) ColumnAt(x int) (column int, ok bool) {
	for i, s := range t.spans[:min(len(t.spans), len(t.Columns))] {
		isInside := x >= s.At && x < s.At+s.Len+len(gap)
		if isInside && s.Len > 0 {
			return i, true
		}
	}
	return 0, false
}

// HalfPage returns half of the visible rows, at least 1.
func (t *Table) HalfPage() int { return max(1, t.window.height/2) }

// RowLines returns the number of lines that the rows had in the last view.
func (t *Table) RowLines() int {
	areWrapped := t.lines != nil
	if areWrapped {
		return len(t.lines)
	}
	return t.window.end() - t.window.top
}

// View draws the header and as many rows as fit into exactly h lines of w cells. Without focus the selected row has a thin
// cursor and no highlight.
func (t *Table) View(th *theme.Theme, w, h int, focused bool) string {
	t.lines = nil
	if w <= 0 || h <= 0 {
		return format.FitBox(nil, w, h)
	}
	if th.Linear {
		return format.FitBox(t.rowSentences(th, h), w, h)
	}
	hasFoot := t.window.hasFoot(h)
	t.window.height = h - 1 // below the header
	if hasFoot {
		t.window.height--
	}
	titles := t.columnTitles()
	widths := t.fitColumns(titles, w, hasFoot)
	t.dropCutArrow(titles, widths)
	t.rememberColumns(widths, w)
	t.scrollToCursor()

	drawer := tableDrawer{
		th:          th,
		columns:     t.Columns,
		widths:      widths,
		width:       w,
		focused:     focused,
		column:      t.Column(),
		hasUnloaded: t.HasUnloaded,
	}
	header := drawer.drawHeader(titles)
	lines := append([]string{header}, t.drawWindow(&drawer)...)
	if !hasFoot {
		return format.FitBox(lines, w, h)
	}
	return format.FitBox(lines, w, h-1) + "\n" + t.drawFoot(&drawer)
}

// drawWindow draws the rows in the window. It wraps long rows if there are free lines below the rows.
func (t *Table) drawWindow(drawer *tableDrawer) []string {
	hasFreeLines := t.window.rows < t.window.height
	if hasFreeLines {
		return t.drawWrappedRows(drawer)
	}
	return t.drawRows(drawer)
}

// scrollToCursor moves the window so that it contains the cursor. If the rule is above a row in the window, it
// leaves a line for the rule.
func (t *Table) scrollToCursor() {
	t.window.scrollToCursor(t.Leap)
	_, isInWindow := t.window.ruleLine()
	isAboveRow := isInWindow && t.window.rule < t.window.end()
	if !isAboveRow || t.window.height == 1 {
		return
	}
	t.window.height--
	t.window.scrollToCursor(t.Leap)
	isScrolledOut := t.window.rule < t.window.top
	hasRowBelow := t.window.end() < t.window.rows
	if isScrolledOut && hasRowBelow {
		t.window.height++ // for a row instead of the rule
	}
}

// fitColumns returns the widths of the columns in a line of w cells. The left margin and the last cell of the line
// belong to no column. hasFoot says that the table has a foot. If a column is left out because every row has the
// same value, the foot has that value.
func (t *Table) fitColumns(titles []string, w int, hasFoot bool) []int {
	fitter := newColumnFitter(t.Columns, titles)
	fitter.repeatsBelow = hasFoot
	if t.sort.isChosen {
		fitter.sorted = t.sort.column()
	}
	const lastCell = 1
	return fitter.fit(w - margin - lastCell)
}

// maxRowLines is the maximum number of lines of a row whose texts are wrapped.
const maxRowLines = 4

// drawWrappedRows draws all rows of a table that does not fill its window. There are free lines below the rows, so
// rows with texts that would be cut are wrapped to several lines. If there are not enough lines, rows are wrapped to
// fewer lines or not at all.
func (t *Table) drawWrappedRows(drawer *tableDrawer) []string {
	for maxLines := maxRowLines; maxLines > 1; maxLines-- {
		drawer.maxLines = maxLines
		lines, rows, fit := t.wrapRows(drawer)
		if fit {
			t.lines = rows
			return lines
		}
	}
	drawer.maxLines = 1
	return t.drawRows(drawer)
}

// wrapRows draws all rows, wrapped to the lines that the drawer allows. rows has the index of the row or noRow for
// each line. fit is false if the window does not have enough lines; lines and rows are then incomplete.
func (t *Table) wrapRows(drawer *tableDrawer) (lines []string, rows []int, fit bool) {
	available := t.window.height
	for i := range t.window.rows {
		if t.hasRuleAbove(i) {
			lines = append(lines, drawer.drawRule(t.rule))
			rows = append(rows, noRow)
			available++ // window.height does not count the line of the rule
		}
		isSelected := i == t.window.cursor && !t.Static
		for _, line := range drawer.wrapRow(t.row(i)) {
			lines = append(lines, drawer.drawRow(line, isSelected))
			rows = append(rows, i)
		}
		if len(lines) > available {
			return lines, rows, false
		}
	}
	return lines, rows, true
}

// drawRows draws the rows in the window, each in one line.
func (t *Table) drawRows(drawer *tableDrawer) []string {
	var lines []string
	for i := t.window.top; i < t.window.end(); i++ {
		if t.hasRuleAbove(i) {
			lines = append(lines, drawer.drawRule(t.rule))
		}
		isSelected := i == t.window.cursor && !t.Static
		lines = append(lines, drawer.drawRow(t.row(i), isSelected))
	}
	if t.hasRuleAbove(t.window.end()) && len(lines) > 0 {
		lines = append(lines, drawer.drawRule(t.rule)) // the row below the rule is below the window
	}
	return lines
}

// hasRuleAbove reports whether the rule of SetRule is drawn above the row with the given index.
func (t *Table) hasRuleAbove(row int) bool { return t.window.rule > 0 && t.window.rule == row }

// drawFoot draws the last line: the number of rows above and below, the full texts of the selected row if they are
// cut and not shown elsewhere, and the columns that have no room.
func (t *Table) drawFoot(drawer *tableDrawer) string {
	left := ""
	if rows := t.window.describeHidden(t.Open); rows != "" {
		left = drawer.th.PaintMuted(format.BlankCells(margin) + rows)
	}
	if !t.Static && !t.HasDetails {
		left += drawer.th.PaintText(drawer.cutTexts(t.row(t.window.cursor)))
	}
	room := drawer.width - format.Width(left) - len(gap)
	return format.FitEnds(left, drawer.th.PaintMuted(drawer.hiddenColumns(room)), drawer.width)
}

// columnTitles returns the titles of the columns, with an arrow for the column by which the rows are sorted.
func (t *Table) columnTitles() []string {
	titles := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		titles[i] = column.Title
		if i == t.sort.column() {
			titles[i] = t.sort.arrow() + column.Title
		}
	}
	return titles
}

// dropCutArrow removes the arrow from the title of the column by which the source has sorted the rows, if the title
// would be cut.
func (t *Table) dropCutArrow(titles []string, widths []int) {
	sorted := t.sort.column()
	t.noArrow = sorted >= 0 && !t.sort.isChosen && format.Width(titles[sorted]) > widths[sorted]
	if t.noArrow {
		titles[sorted] = t.Columns[sorted].Title
	}
}

// rememberColumns records the positions of the columns for clicks and the cursor.
func (t *Table) rememberColumns(widths []int, w int) {
	t.spans = make([]Span, len(widths))
	x := margin
	for i, width := range widths {
		if width > 0 && x < w {
			t.spans[i] = Span{x, width}
			x += width + len(gap)
		}
	}
}

// noRow stands for the row index in a line that has no row, because the line shows the rule.
const noRow = -1

// headerLines is the number of lines above the rows.
const headerLines = 1

// margin is the width of the cursor, the row mark and a space. The last cell of a row is
// empty as well.
const margin = 3

const gap = "  "

// Column describes a column.
type Column = columns.ColumnSpec

// Cell is the text and the value of a cell.
type Cell = columns.Cell
