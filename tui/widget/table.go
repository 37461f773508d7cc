package widget

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Row is a row of a table as it is drawn.
type Row struct {
	Mark  Cell // one cell at the left: ┃ for a change, ! for a problem
	Muted bool // draws all cells muted
	Cells []Cell
	Span  string // text across the row instead of cells
}

// Table draws rows in columns, one row selected. The zero value has no rows.
type Table struct {
	Columns []Column
	// Leap scrolls by two thirds of the view when the cursor leaves it, instead of a line.
	Leap   bool
	Open   bool // the last row represents an unknown number of further rows
	Static bool // the selected row is drawn like the others: the user cannot move the selection
	// HasDetails is true if the selected row is shown in full next to the table. Otherwise the last line has the
	// texts of that row that are cut.
	HasDetails bool
	row        func(i int) Row
	id         func(i int) string
	n          int
	cursor     int
	top        int
	current    string // ID of the selected row
	height     int    // rows in the last view
	sort       int    // sort column plus 1, or 0
	sorted     string // arrow of the sort column
	column     int    // column under the cursor plus 1, or 0
	spans      []Span // columns in the last view, with a length of 0 for a column without room
}

// SetRows sets the number of rows and the functions that return them. The row with the
// selected ID stays selected; if it is gone, the row at its index is selected.
func (t *Table) SetRows(n int, id func(i int) string, row func(i int) Row) {
	before := t.cursor
	t.n = n
	t.id = id
	t.row = row
	if t.cursor >= n || id(t.cursor) != t.current {
		t.Select(t.current)
	}
	t.Move(0)
	t.top = max(0, t.top+t.cursor-before) // the row stays at its place on the screen
}

// MarkSorted marks the column by which the rows are sorted; -1 marks none.
func (t *Table) MarkSorted(column int, reverse bool) {
	t.sort = column + 1
	t.sorted = "▴ "
	if reverse {
		t.sorted = "▾ "
	}
}

func (t *Table) Len() int { return t.n }

// Cursor returns the index of the selected row, or 0 if there are no rows.
func (t *Table) Cursor() int { return t.cursor }

// Selected returns the ID of the selected row, or "" if there are no rows.
func (t *Table) Selected() string {
	if t.n == 0 {
		return ""
	}
	return t.current
}

// Select selects the row with the given ID and reports whether it exists.
func (t *Table) Select(id string) bool {
	for i := range t.n {
		if t.id(i) == id {
			t.Move(i - t.cursor)
			return true
		}
	}
	return false
}

// ScrollToSelected scrolls to show the selected row near the top of the view, below a single earlier
// row. If too few rows follow it, it is shown further down.
func (t *Table) ScrollToSelected() { t.top = max(0, t.cursor-1) }

// Move moves the selection down by n rows, or up if n is negative.
func (t *Table) Move(n int) {
	t.cursor = max(0, min(t.n-1, t.cursor+n))
	if t.n > 0 {
		t.current = t.id(t.cursor)
	}
}

// Click selects the row at line y of the last view and reports whether there is one.
func (t *Table) Click(y int) bool {
	row := t.top + y - 1
	if y < 1 || y > t.height || row >= t.n {
		return false
	}
	t.Move(row - t.cursor)
	return true
}

// ShownRows returns the number of rows in the last view. The first is at line 1.
func (t *Table) ShownRows() int { return max(0, min(t.height, t.n-t.top)) }

func (t *Table) Column() int { return min(t.column, len(t.Columns)) - 1 }

// MoveColumn moves the cursor by n visible columns.
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
func (t *Table) HalfPage() int { return max(1, t.height/2) }

// View draws the header and as many rows as fit into exactly h lines of w cells. Without
// focus the selected row has a cursor but no highlight.
func (t *Table) View(th *theme.Theme, w, h int, focused bool) string {
	if w <= 0 || h <= 0 {
		return format.FitBox(nil, w, h)
	}
	if th.Linear {
		return format.FitBox(t.rowSentences(th, h), w, h)
	}
	titles := t.columnTitles()
	hasFoot := t.divideHeight(h)
	fitter := newColumnFitter(t.Columns, titles, t.sort-1)
	fitter.repeatsBelow = hasFoot
	widths := fitter.fit(w - margin - 1)
	t.rememberColumns(widths, w)
	t.scrollToSelection()
	drawer := tableDrawer{
		th: th, columns: t.Columns, widths: widths, width: w, focused: focused, column: t.Column(),
	}
	lines := make([]string, 0, h)
	lines = append(lines, drawer.drawHeader(titles))
	for i := t.top; i < min(t.n, t.top+t.height); i++ {
		lines = append(lines, drawer.drawRow(t.row(i), i == t.cursor && !t.Static))
	}
	if !hasFoot {
		return format.FitBox(lines, w, h)
	}
	return format.FitBox(lines, w, h-1) + "\n" + t.drawFoot(&drawer)
}

// divideHeight sets the number of rows in a view of h lines, whose first line is the header. It reports whether the
// last line is not a row but the foot. A table without rows, and a table whose rows fill the view exactly, have no foot.
func (t *Table) divideHeight(h int) (hasFoot bool) {
	t.height = h - 1
	hasFoot = h >= minFootHeight && t.n > 0 && t.n != t.height
	if hasFoot {
		t.height--
	}
	return hasFoot
}

// minFootHeight is the smallest height with a foot.
const minFootHeight = 5

// drawFoot draws the last line: the number of rows above and below, and what the widths hide.
func (t *Table) drawFoot(d *tableDrawer) string {
	left := ""
	if rows := t.hiddenRows(); rows != "" {
		left = d.th.PaintMuted(format.BlankCells(margin) + rows)
	}
	if !t.Static && !t.HasDetails {
		left += d.th.PaintText(d.cutTexts(t.row(t.cursor)))
	}
	room := d.width - format.Width(left) - len(gap)
	return format.FitEnds(left, d.th.PaintMuted(d.hiddenColumns(room)), d.width)
}

// hiddenRows returns the number of rows above and below the view, such as "↑ 2  ↓ 9 more".
func (t *Table) hiddenRows() string {
	below := t.n - t.top - t.height
	isOpen := t.Open && below > 0
	if isOpen {
		below-- // the last row only represents others
	}
	return format.BeyondView(t.top, below, isOpen)
}

// columnTitles returns the titles of the columns, with an arrow for the column by which the rows are sorted.
func (t *Table) columnTitles() []string {
	titles := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		titles[i] = column.Title
		if i+1 == t.sort {
			titles[i] = t.sorted + column.Title
		}
	}
	return titles
}

// scrollToSelection scrolls to make the selected row visible, without empty lines at the
// end.
func (t *Table) scrollToSelection() {
	leap := 0
	if t.Leap {
		leap = 2 * t.height / 3
	}
	if t.height > 0 && t.cursor >= t.top+t.height {
		t.top = t.cursor - t.height + 1 + leap
	} else if t.cursor < t.top {
		t.top = t.cursor - leap
	}
	t.top = max(0, min(t.top, t.n-t.height))
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

// margin is the width of the cursor, the row mark and a space. The last cell of a row is
// empty as well.
const margin = 3

const gap = "  "

// Column describes a column.
type Column = columns.ColumnSpec

// Cell is the text and the value of a cell.
type Cell = columns.Cell

// rowSentences returns a heading and the visible rows as sentences, for screen readers.
func (t *Table) rowSentences(th *theme.Theme, h int) []string {
	t.height = h - 1
	t.scrollToSelection()
	t.spans = slices.Repeat([]Span{{Len: 1}}, len(t.Columns))
	lines := []string{t.sentenceHeading()}
	for i := t.top; i < t.n && len(lines) < h; i++ {
		mark := "  "
		if i == t.cursor && !t.Static {
			mark = " " + th.SelectionMark()
		}
		lines = append(lines, mark+" "+rowSentence(t.row(i), t.Columns))
	}
	return lines
}

// sentenceHeading describes which rows are visible and how they are sorted.
func (t *Table) sentenceHeading() string {
	first := min(t.top+1, t.n)
	last := min(t.top+t.height, t.n)
	heading := fmt.Sprintf(" Rows %d to %d of %d", first, last, t.n)
	if t.sort > 0 {
		heading += ", sorted by " + t.Columns[t.sort-1].Title
		if strings.Contains(t.sorted, "▾") {
			heading += ", last first"
		}
	}
	return heading + ":"
}

// rowSentence returns a row as a sentence: the first cell, then all other cells with their
// titles. Empty cells are left out.
func rowSentence(row Row, columns []Column) string {
	if row.Span != "" {
		return row.Span
	}
	var parts []string
	for k, cell := range row.Cells {
		text, isText := cellInWords(cell)
		if text == "" {
			continue
		}
		isName := len(parts) == 0 && isText
		if isName || k >= len(columns) || columns[k].Title == "" {
			parts = append(parts, text)
		} else {
			parts = append(parts, columns[k].Title+": "+text)
		}
	}
	if description := marks[row.Mark.Text]; description != "" {
		parts = append(parts, description)
	}
	return strings.TrimSuffix(strings.Join(parts, "; "), ".") + "."
}

// cellInWords returns a cell in words: its text, or its code if the text only has glyphs that cannot
// be read out. isText reports whether the words are the text of the cell and not its code.
func cellInWords(c Cell) (words string, isText bool) {
	text := strings.TrimSpace(format.Clean(c.Text))
	isCheckMark := text == "✓" && (c.Code == "" || c.Code == text)
	if isCheckMark {
		return "yes", false
	}
	if text != format.None && strings.ContainsFunc(text, isReadable) {
		return text, true
	}
	return c.Code, false
}

func isReadable(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r)
}

// marks describes the marks of rows.
var marks = map[string]string{
	"!": "has a problem",
	"▲": "has a problem",
	"┃": "changed in the last minute",
	"✓": "marked",
	"•": "marked",
}
