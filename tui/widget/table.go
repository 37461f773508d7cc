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

// Row is a row as it is drawn.
type Row struct {
	Mark  Cell // one cell at the row's left: ┃ changed, ! fault
	Muted bool // off or ended: every cell is muted
	Cells []Cell
	Span  string // stands across the row in place of cells
}

// Table is a table. Its zero value has no rows.
type Table struct {
	Columns []Column
	// Leap turns the rows by two thirds of the view where the cursor leaves it,
	// in place of by one.
	Leap    bool
	Open    bool // the last row stands for more of them, however many
	row     func(i int) Row
	id      func(i int) string
	n       int
	cursor  int
	top     int
	current string // id of the selected row
	height  int    // rows in the last view
	sort    int    // one more than the column that the rows are sorted by, 0 for none
	sorted  string // its arrow
	column  int    // one more than the column under the cursor, 0 for none
	spans   []Span // of the columns in the last view
}

// SetRows gives the table n rows. The selection stays with the row of its id;
// where that is gone, with its place.
func (t *Table) SetRows(n int, id func(i int) string, row func(i int) Row) {
	was := t.cursor
	t.n, t.id, t.row = n, id, row
	if t.cursor >= n || id(t.cursor) != t.current {
		t.Select(t.current)
	}
	t.Move(0)
	t.top = max(0, t.top+t.cursor-was) // the row stays where it is on the screen
}

// MarkSorted marks the column that the rows are sorted by, none with -1.
func (t *Table) MarkSorted(column int, reverse bool) {
	t.sort, t.sorted = column+1, "▴ "
	if reverse {
		t.sorted = "▾ "
	}
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.n }

// Cursor returns the selected row's index, 0 where there are no rows.
func (t *Table) Cursor() int { return t.cursor }

// Selected returns the selected row's id, "" where there are no rows.
func (t *Table) Selected() string {
	if t.n == 0 {
		return ""
	}
	return t.current
}

// Select selects the row with the id and reports whether there is one.
func (t *Table) Select(id string) bool {
	for i := range t.n {
		if t.id(i) == id {
			t.Move(i - t.cursor)
			return true
		}
	}
	return false
}

// LeadSelected draws the selected row as the second from the top, as far as rows follow.
func (t *Table) LeadSelected() { t.top = max(0, t.cursor-1) }

// Move moves the selection by n rows, up where n is negative.
func (t *Table) Move(n int) {
	if t.cursor = max(0, min(t.n-1, t.cursor+n)); t.n > 0 {
		t.current = t.id(t.cursor)
	}
}

// Click selects the row at line y of the last view and reports whether there is
// one.
func (t *Table) Click(y int) bool {
	row := t.top + y - 1
	if y < 1 || y > t.height || row >= t.n {
		return false
	}
	t.Move(row - t.cursor)
	return true
}

// ShownRows returns how many rows the last view had, from line 1 on.
func (t *Table) ShownRows() int { return max(0, min(t.height, t.n-t.top)) }

// Column returns the column under the cursor, -1 for none.
func (t *Table) Column() int { return min(t.column, len(t.Columns)) - 1 }

// MoveColumn moves the cursor by n columns of those in the last view.
func (t *Table) MoveColumn(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	if t.column == 0 {
		t.column = 1
	}
	for at := t.Column() + step; n > 0 && at >= 0 && at < len(t.spans); at += step {
		if t.spans[at].Len > 0 {
			t.column, n = at+1, n-1
		}
	}
}

// ColumnAt returns the column at cell x of the last view and reports whether
// there is one.
func (t *Table) ColumnAt(x int) (column int, ok bool) {
	for i, s := range t.spans {
		if s.Len > 0 && i < len(t.Columns) && x >= s.At && x < s.At+s.Len+len(gap) {
			return i, true
		}
	}
	return 0, false
}

// HalfPage returns half of the rows in view, for moving by.
func (t *Table) HalfPage() int { return max(1, t.height/2) }

// View draws a header and as many rows as fit into exactly h lines of w cells.
// Without focus the selected row is marked, but not lit.
func (t *Table) View(th *theme.Theme, w, h int, focused bool) string {
	if w <= 0 || h <= 0 {
		return format.FitBox(nil, w, h)
	}
	if th.Linear {
		return format.FitBox(t.rowSentences(th, h), w, h)
	}
	widths := t.layoutColumns(w - margin - 1)
	t.rememberColumns(widths, w)
	lines := make([]string, 0, h)
	lines = append(lines, t.drawHeader(th, widths))
	t.height = h - 1
	foot := h >= leastMarked && (t.n > t.height || t.n < t.height && t.hiddenColumns() > 0)
	if foot {
		t.height--
	}
	t.scrollToSelection()
	for i := t.top; i < t.n && i < t.top+t.height; i++ {
		lines = append(lines, t.drawRow(th, i, widths, w, focused))
	}
	if !foot || t.n == 0 {
		return format.FitBox(lines, w, h)
	}
	return format.FitBox(lines, w, h-1) + "\n" + t.beyondView(th, w)
}

// leastMarked is the height from which on the last line says what is out of view.
const leastMarked = 5

// beyondView says how many rows are above and below those in view, and how many
// columns there is no room for.
func (t *Table) beyondView(th *theme.Theme, w int) string {
	below := t.n - t.top - t.height
	open := t.Open && below > 0
	if open {
		below-- // the last row only stands for others
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

// hiddenColumns returns how many columns the last view had no room for.
func (t *Table) hiddenColumns() int {
	n := 0
	for _, s := range t.spans {
		if s.Len == 0 {
			n++
		}
	}
	return n
}

// scrollToSelection keeps the selection in view, with no empty rows below the last.
func (t *Table) scrollToSelection() {
	leap := 0
	if t.Leap {
		leap = 2 * t.height / 3
	}
	switch {
	case t.height > 0 && t.cursor >= t.top+t.height:
		t.top = t.cursor - t.height + 1 + leap
	case t.cursor < t.top:
		t.top = t.cursor - leap
	}
	t.top = max(0, min(t.top, t.n-t.height))
}

// rememberColumns keeps where the columns are drawn.
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

// margin is the focus column, the row mark and a space. The cell at the right of a
// row stays empty.
const margin = 3

const gap = "  "

// leastName are the cells that the first column of a changing width keeps for its
// texts, which are what people know a row by: other columns leave before it has less.
const leastName = 28

// layoutColumns gives every column its width, 0 for those left out. Where there is no
// room for all, columns first give what their texts leave free; only then one is
// left out.
func (t *Table) layoutColumns(w int) []int {
	widths, named := make([]int, len(t.Columns)), false
	for i, c := range t.Columns {
		widths[i] = c.Width
		if c.Fill > 0 && !named {
			named = true
			widths[i] = max(c.Width, min(t.Columns[i].Longest, leastName))
		}
		if i+1 == t.sort {
			widths[i] = max(widths[i], format.Width(t.columnTitle(i)))
		}
	}
	for over := totalWidth(widths) - w; over > 0; over = totalWidth(widths) - w {
		free := t.takeFreeCells(widths, over, false) + t.takeFreeCells(widths, over, true)
		if free == 0 && !t.leaveOut(widths) {
			t.cutNames(widths, over)
			break
		}
	}
	t.shareRest(widths, w-totalWidth(widths))
	t.lendCells(widths)
	return widths
}

// cutNames takes n cells from the columns that fill, as far as they can give: a name is
// understood when cut, a status is not.
func (t *Table) cutNames(widths []int, n int) {
	for i, c := range t.Columns {
		if c.Fill > 0 {
			some := max(0, min(n, widths[i]-c.Width))
			widths[i] -= some
			n -= some
		}
	}
}

// columnTitle returns a column's title, with the arrow of the sort.
func (t *Table) columnTitle(i int) string {
	if i+1 == t.sort {
		return t.sorted + t.Columns[i].Title
	}
	return t.Columns[i].Title
}

// leastSame are the cells that a column keeps which says the same in every row.
const leastSame = 12

// takeFreeCells takes up to n cells that texts leave free, and with same those of columns
// that say the same in every row; it returns how many.
func (t *Table) takeFreeCells(widths []int, n int, same bool) (taken int) {
	for i := len(widths) - 1; i >= 0; i-- {
		need := t.Columns[i].Longest
		if widths[i] <= 0 || need == 0 {
			continue
		}
		if same && t.Columns[i].Same {
			need = min(need, leastSame)
		}
		some := max(0, min(n-taken, widths[i]-max(need, format.Width(t.columnTitle(i)))))
		widths[i] -= some
		taken += some
	}
	return taken
}

// lendCells gives columns whose texts would be cut what others can give; those that
// say the same in every row come last.
func (t *Table) lendCells(widths []int) {
	for _, same := range []bool{false, true} {
		for i := range widths {
			if missing := t.Columns[i].Longest - widths[i]; widths[i] > 0 && missing > 0 && t.Columns[i].Same == same {
				lent := t.takeFreeCells(widths, missing, !same)
				widths[i] += lent
			}
		}
	}
}

// leaveOut takes away the column that leaves first, if there is one. That of the sort stays.
func (t *Table) leaveOut(widths []int) bool {
	drop := -1
	for i, c := range t.Columns {
		if i+1 != t.sort && widths[i] > 0 && c.Drop > 0 && (drop < 0 || c.Drop > t.Columns[drop].Drop) {
			drop = i
		}
	}
	if drop < 0 {
		return false
	}
	widths[drop] = 0
	return true
}

// shareRest gives what is left to the columns that fill, by their weights.
func (t *Table) shareRest(widths []int, rest int) {
	weights := 0
	for i, c := range t.Columns {
		if widths[i] > 0 {
			weights += c.Fill
		}
	}
	for i, c := range t.Columns {
		if widths[i] > 0 && c.Fill > 0 && rest > 0 {
			share := rest * c.Fill / weights
			widths[i] += share
			rest, weights = rest-share, weights-c.Fill
		}
	}
}

func totalWidth(widths []int) int {
	sum, shown := 0, 0
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
	style := th.Style
	if i == t.cursor && focused {
		style = th.SelectedStyle
	}
	mark := fitCell(Column{}, cmp.Or(row.Mark.Text, " "), 1)
	var b strings.Builder
	switch {
	case i == t.cursor:
		b.WriteString(format.CleanText(style(theme.Accent), " ▸"))
		b.WriteString(format.CleanText(style(row.Mark.Role), mark))
	case mark == " ":
		b.WriteString(format.BlankCells(3)) // a blank in a colour of its own takes 20 bytes to write
	default:
		b.WriteString(" " + format.CleanText(style(row.Mark.Role), mark) + " ")
	}
	if row.Span != "" {
		b.WriteString(format.CleanText(style(theme.Muted), row.Span))
	} else {
		t.drawCells(&b, row, widths, style, i == t.cursor && focused)
	}
	line := format.CutLine(b.String(), w)
	if i == t.cursor && focused {
		return line + style(theme.Text).Render(format.BlankCells(w-format.Width(line)))
	}
	return line
}

// drawCells draws a row's cells; that under the cursor is underlined.
func (t *Table) drawCells(
	b *strings.Builder,
	row Row,
	widths []int,
	style func(theme.Role) theme.Style,
	lit bool,
) {
	shown, role := 0, theme.Text
	for k, width := range widths {
		if width <= 0 || k >= len(row.Cells) {
			continue
		}
		if shown > 0 {
			b.WriteString(format.CleanText(style(role), gap)) // in the colour that is written anyway
		}
		role = row.Cells[k].Role
		if row.Muted {
			role = theme.Muted
		}
		st := style(role)
		if lit && k == t.Column() {
			st = st.Underline()
		}
		b.WriteString(format.CleanText(st, fitCell(t.Columns[k], row.Cells[k].Text, width)))
		shown++
	}
}

// fitCell fits a cell's text into w cells. It cleans before it measures, since
// cleaning may change the width.
func fitCell(c Column, s string, w int) string {
	s = format.Clean(s)
	switch {
	case c.Middle:
		return format.FitLeft(format.CutMiddle(s, w), w)
	case c.Right:
		return format.FitRight(s, w)
	default:
		return format.FitLeft(s, w)
	}
}

// Column describes a column.
type Column = columns.ColumnSpec

// Cell is the text of a cell and what it means.
type Cell = columns.Cell

// rowSentences returns which rows are in view, and each of them as a sentence, for a
// reader that has no columns.
func (t *Table) rowSentences(th *theme.Theme, h int) []string {
	t.height = h - 1
	t.scrollToSelection()
	t.spans = slices.Repeat([]Span{{Len: 1}}, len(t.Columns))
	head := fmt.Sprintf(
		" Rows %d to %d of %d",
		min(t.top+1, t.n),
		min(t.top+t.height, t.n),
		t.n,
	)
	if t.sort > 0 {
		head += ", sorted by " + t.Columns[t.sort-1].Title
		if strings.Contains(t.sorted, "▾") {
			head += ", last first"
		}
	}
	lines := []string{head + ":"}
	for i := t.top; i < t.n && len(lines) < h; i++ {
		mark := "  "
		if i == t.cursor {
			mark = " " + th.SelectionMark()
		}
		lines = append(lines, mark+" "+t.rowSentence(i))
	}
	return lines
}

// rowSentence returns a row: what its first column says, and then each other one with its
// title. What says nothing is left out.
func (t *Table) rowSentence(i int) string {
	row := t.row(i)
	if row.Span != "" {
		return row.Span
	}
	var parts []string
	for k, c := range row.Cells {
		text, own := cellInWords(c)
		switch {
		case text == "":
		case len(parts) == 0 && own || k >= len(t.Columns) || t.Columns[k].Title == "":
			parts = append(parts, text)
		default:
			parts = append(parts, t.Columns[k].Title+": "+text)
		}
	}
	if said := marks[row.Mark.Text]; said != "" {
		parts = append(parts, said)
	}
	return strings.TrimSuffix(strings.Join(parts, "; "), ".") + "."
}

// cellInWords returns a cell in words, "" for nothing; where it only draws, its value.
func cellInWords(c Cell) (text string, own bool) {
	text = strings.TrimSpace(format.Clean(c.Text))
	switch {
	case text == "✓" && (c.Code == "" || c.Code == text):
		return "yes", false
	case text != format.None && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r) }):
		return text, true
	default:
		return c.Code, false
	}
}

// marks are what the marks of rows mean.
var marks = map[string]string{
	"!": "has a problem",
	"▲": "has a problem",
	"┃": "changed in the last minute",
	"✓": "marked",
	"•": "marked",
}
