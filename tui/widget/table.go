package widget

import (
	"cmp"
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
	Leap    bool
	Open    bool // the last row represents an unknown number of further rows
	Static  bool // the selected row is drawn like the others: the user cannot move the selection
	row     func(i int) Row
	id      func(i int) string
	n       int
	cursor  int
	top     int
	current string // ID of the selected row
	height  int    // rows in the last view
	sort    int    // sort column plus 1, or 0
	sorted  string // arrow of the sort column
	column  int    // column under the cursor plus 1, or 0
	spans   []Span // columns in the last view
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
	widths := t.layoutColumns(w - margin - 1)
	t.rememberColumns(widths, w)
	t.height = h - 1
	hasFoot := t.needsFoot(h)
	if hasFoot {
		t.height--
	}
	t.scrollToSelection()
	lines := make([]string, 0, h)
	lines = append(lines, t.drawHeader(th, widths))
	for i := t.top; i < min(t.n, t.top+t.height); i++ {
		lines = append(lines, t.drawRow(th, i, widths, w, focused))
	}
	if !hasFoot || t.n == 0 {
		return format.FitBox(lines, w, h)
	}
	return format.FitBox(lines, w, h-1) + "\n" + t.beyondView(th, w)
}

// needsFoot reports whether the last of h lines should count hidden rows and columns. If only columns
// are hidden, they are counted only if no row would lose its line.
func (t *Table) needsFoot(h int) bool {
	if h < minFootHeight {
		return false
	}
	return t.n > t.height || t.n < t.height && t.hiddenColumns() > 0
}

// minFootHeight is the smallest height with a last line that counts the hidden rows and
// columns.
const minFootHeight = 5

// beyondView returns the last line: the number of rows above and below, and of hidden
// columns.
func (t *Table) beyondView(th *theme.Theme, w int) string {
	below := t.n - t.top - t.height
	open := t.Open && below > 0
	if open {
		below-- // the last row only represents others
	}
	rows := format.BeyondView(t.top, below, open)
	if rows != "" {
		rows = format.BlankCells(margin) + rows
	}
	columns := ""
	if n := t.hiddenColumns(); n > 0 {
		columns = "+" + format.Count(n, "column") + " "
	}
	return format.FitEnds(th.PaintMuted(rows), th.PaintMuted(columns), w)
}

// hiddenColumns returns the number of columns without room in the last view.
func (t *Table) hiddenColumns() int {
	n := 0
	for _, s := range t.spans {
		if s.Len == 0 {
			n++
		}
	}
	return n
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

// minNameWidth is the width that the first column with Fill keeps for its texts, as long as other
// columns can be left out. It usually has the names, by which people recognise a row.
const minNameWidth = 28

// layoutColumns returns the width of each column, 0 if it is left out. If there is not
// enough room, columns first give up the cells that their texts do not need, and only then
// are columns left out.
func (t *Table) layoutColumns(w int) []int {
	widths := t.wantedWidths()
	for {
		excess := totalWidth(widths) - w
		if excess <= 0 {
			break
		}
		freed := t.takeFreeCells(widths, excess, false)
		freed += t.takeFreeCells(widths, excess, true)
		if freed == 0 && !t.leaveOut(widths) {
			t.cutNames(widths, excess)
			break
		}
	}
	t.shareRest(widths, w-totalWidth(widths))
	t.lendCells(widths)
	return widths
}

// wantedWidths returns the widths of the columns before they are fitted to the table.
func (t *Table) wantedWidths() []int {
	widths := make([]int, len(t.Columns))
	hasNames := false // the column of the names, the first one with Fill, was found
	for i, column := range t.Columns {
		widths[i] = column.Width
		if column.Fill > 0 && !hasNames {
			hasNames = true
			widths[i] = max(column.Width, min(column.Longest, minNameWidth))
		}
		if i+1 == t.sort {
			widths[i] = max(widths[i], format.Width(t.columnTitle(i)))
		}
	}
	return widths
}

// cutNames takes up to n cells from the columns with Fill. They have names, which people still
// understand when they are cut. A status in another column would not be understood.
func (t *Table) cutNames(widths []int, n int) {
	for i, column := range t.Columns {
		if column.Fill > 0 {
			cells := max(0, min(n, widths[i]-column.Width))
			widths[i] -= cells
			n -= cells
		}
	}
}

// columnTitle returns the title of a column, with an arrow if the rows are sorted by it.
func (t *Table) columnTitle(i int) string {
	if i+1 == t.sort {
		return t.sorted + t.Columns[i].Title
	}
	return t.Columns[i].Title
}

// minSameWidth is the width of a column that has the same text in every row when others
// need its cells.
const minSameWidth = 12

// takeFreeCells narrows columns by up to n cells that their texts do not need, and returns how many
// cells were freed. If same is true, it also cuts the texts of columns that have the same text in
// every row, down to minSameWidth.
func (t *Table) takeFreeCells(widths []int, n int, same bool) (freed int) {
	for i := len(widths) - 1; i >= 0; i-- {
		needed := t.Columns[i].Longest
		if widths[i] <= 0 || needed == 0 {
			continue
		}
		if same && t.Columns[i].Same {
			needed = min(needed, minSameWidth)
		}
		needed = max(needed, format.Width(t.columnTitle(i)))
		cells := max(0, min(n-freed, widths[i]-needed))
		widths[i] -= cells
		freed += cells
	}
	return freed
}

// lendCells widens columns whose texts would be cut, with cells that the texts of other columns do
// not need. It widens columns with the same text in every row last.
func (t *Table) lendCells(widths []int) {
	for _, same := range []bool{false, true} {
		for i, column := range t.Columns {
			missing := column.Longest - widths[i]
			if widths[i] > 0 && missing > 0 && column.Same == same {
				freed := t.takeFreeCells(widths, missing, !same)
				widths[i] += freed
			}
		}
	}
}

// leaveOut leaves out the column with the highest Drop and reports whether there is one.
// The sort column stays.
func (t *Table) leaveOut(widths []int) bool {
	drop := -1
	for i, column := range t.Columns {
		if i+1 == t.sort || widths[i] <= 0 || column.Drop <= 0 {
			continue
		}
		if drop < 0 || column.Drop > t.Columns[drop].Drop {
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
func (t *Table) shareRest(widths []int, rest int) {
	weights := 0
	for i, column := range t.Columns {
		if widths[i] > 0 {
			weights += column.Fill
		}
	}
	for i, column := range t.Columns {
		if widths[i] > 0 && column.Fill > 0 && rest > 0 {
			share := rest * column.Fill / weights
			widths[i] += share
			rest -= share
			weights -= column.Fill
		}
	}
}

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

func (t *Table) drawHeader(th *theme.Theme, widths []int) string {
	parts := make([]string, 0, len(widths))
	for i, c := range t.Columns {
		if widths[i] > 0 {
			parts = append(parts, fitCell(c, t.columnTitle(i), widths[i]))
		}
	}
	return th.PaintMuted(format.BlankCells(margin) + strings.Join(parts, gap))
}

func (t *Table) drawRow(th *theme.Theme, i int, widths []int, w int, focused bool) string {
	row := t.row(i)
	isSelected := i == t.cursor && !t.Static
	isHighlighted := isSelected && focused
	style := th.Style
	if isHighlighted {
		style = th.SelectedStyle
	}
	var b strings.Builder
	drawMark(&b, row.Mark, style, isSelected)
	if row.Span != "" {
		b.WriteString(format.CleanText(style(theme.Muted), row.Span))
	} else {
		t.drawCells(&b, row, widths, style, isHighlighted)
	}
	line := format.CutLine(b.String(), w)
	if isHighlighted {
		line += style(theme.Text).Render(format.BlankCells(w - format.Width(line)))
	}
	return line
}

// drawMark draws the left margin of a row: the cursor and the mark.
func drawMark(b *strings.Builder, cell Cell, style func(theme.Role) theme.Style, isSelected bool) {
	mark := fitCell(Column{}, cmp.Or(cell.Text, " "), 1)
	if isSelected {
		b.WriteString(format.CleanText(style(theme.Accent), " ▸"))
		b.WriteString(format.CleanText(style(cell.Role), mark))
		return
	}
	if mark == " " {
		b.WriteString(format.BlankCells(3)) // a coloured blank would need 20 more bytes
		return
	}
	b.WriteString(" " + format.CleanText(style(cell.Role), mark) + " ")
}

// drawCells draws the cells of a row. If the row is highlighted, the cell in the column of the
// cursor is underlined.
func (t *Table) drawCells(
	b *strings.Builder, row Row, widths []int, style func(theme.Role) theme.Style, isHighlighted bool,
) {
	isFirst := true
	role := theme.Text
	for k, width := range widths {
		if width <= 0 || k >= len(row.Cells) {
			continue
		}
		if !isFirst {
			b.WriteString(format.CleanText(style(role), gap)) // the colour is already set
		}
		isFirst = false
		role = row.Cells[k].Role
		if row.Muted {
			role = theme.Muted
		}
		cellStyle := style(role)
		if isHighlighted && k == t.Column() {
			cellStyle = cellStyle.Underline()
		}
		b.WriteString(format.CleanText(cellStyle, fitCell(t.Columns[k], row.Cells[k].Text, width)))
	}
}

// fitCell fits a text into w cells. It cleans the text first, because that may change its
// width.
func fitCell(c Column, s string, w int) string {
	s = format.Clean(s)
	if c.Middle {
		return format.FitLeft(format.CutMiddle(s, w), w)
	}
	if c.Right {
		return format.FitRight(s, w)
	}
	return format.FitLeft(s, w)
}

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
		if i == t.cursor {
			mark = " " + th.SelectionMark()
		}
		lines = append(lines, mark+" "+t.rowSentence(i))
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
func (t *Table) rowSentence(i int) string {
	row := t.row(i)
	if row.Span != "" {
		return row.Span
	}
	var parts []string
	for k, cell := range row.Cells {
		text, isOwn := cellInWords(cell)
		if text == "" {
			continue
		}
		isName := len(parts) == 0 && isOwn
		if isName || k >= len(t.Columns) || t.Columns[k].Title == "" {
			parts = append(parts, text)
		} else {
			parts = append(parts, t.Columns[k].Title+": "+text)
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
