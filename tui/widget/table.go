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
	Open    bool // the last row stands for an unknown number of further rows
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
	was := t.cursor
	t.n, t.id, t.row = n, id, row
	if t.cursor >= n || id(t.cursor) != t.current {
		t.Select(t.current)
	}
	t.Move(0)
	t.top = max(0, t.top+t.cursor-was) // the row stays where it is on the screen
}

// MarkSorted marks the column by which the rows are sorted; -1 marks none.
func (t *Table) MarkSorted(column int, reverse bool) {
	t.sort, t.sorted = column+1, "▴ "
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

// LeadSelected scrolls the selected row to the second line of the view if enough rows
// follow.
func (t *Table) LeadSelected() { t.top = max(0, t.cursor-1) }

// Move moves the selection down by n rows, or up if n is negative.
func (t *Table) Move(n int) {
	if t.cursor = max(0, min(t.n-1, t.cursor+n)); t.n > 0 {
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

// ColumnAt returns the column at cell x of the last view and whether there is one.
func (t *Table) ColumnAt(x int) (column int, ok bool) {
	for i, s := range t.spans {
		if s.Len > 0 && i < len(t.Columns) && x >= s.At && x < s.At+s.Len+len(gap) {
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
	lines := make([]string, 0, h)
	lines = append(lines, t.drawHeader(th, widths))
	t.height = h - 1
	foot := h >= minFootHeight && (t.n > t.height || t.n < t.height && t.hiddenColumns() > 0)
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

// minFootHeight is the smallest height with a last line that counts the hidden rows and
// columns.
const minFootHeight = 5

// beyondView returns the last line: the number of rows above and below, and of hidden
// columns.
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
	switch {
	case t.height > 0 && t.cursor >= t.top+t.height:
		t.top = t.cursor - t.height + 1 + leap
	case t.cursor < t.top:
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

// minNameWidth is what the first column that fills keeps for its texts, because people
// recognise a row by them: other columns are left out first.
const minNameWidth = 28

// layoutColumns returns the width of each column, 0 if it is left out. If there is not
// enough room, columns first give up the cells that their texts do not need, and only then
// are columns left out.
func (t *Table) layoutColumns(w int) []int {
	widths, named := make([]int, len(t.Columns)), false
	for i, c := range t.Columns {
		widths[i] = c.Width
		if c.Fill > 0 && !named {
			named = true
			widths[i] = max(c.Width, min(t.Columns[i].Longest, minNameWidth))
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

// cutNames takes up to n cells from the columns that fill: a name is still understood when
// it is cut, a status is not.
func (t *Table) cutNames(widths []int, n int) {
	for i, c := range t.Columns {
		if c.Fill > 0 {
			some := max(0, min(n, widths[i]-c.Width))
			widths[i] -= some
			n -= some
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

// takeFreeCells narrows columns by up to n cells that their texts do not need. If same is
// set, columns with the same text in every row are also narrowed to minSameWidth. It
// returns how many cells were freed.
func (t *Table) takeFreeCells(widths []int, n int, same bool) (taken int) {
	for i := len(widths) - 1; i >= 0; i-- {
		need := t.Columns[i].Longest
		if widths[i] <= 0 || need == 0 {
			continue
		}
		if same && t.Columns[i].Same {
			need = min(need, minSameWidth)
		}
		some := max(0, min(n-taken, widths[i]-max(need, format.Width(t.columnTitle(i)))))
		widths[i] -= some
		taken += some
	}
	return taken
}

// lendCells widens columns whose texts would be cut with cells that others do not need.
// Columns with the same text in every row come last.
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

// leaveOut leaves out the column with the highest Drop and reports whether there is one.
// The sort column stays.
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

// shareRest distributes the remaining cells to the columns that fill, by weight.
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

// drawCells draws the cells of a row. The cell under the cursor is underlined.
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

// fitCell fits a text into w cells. It cleans the text first, because that may change its
// width.
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

// Cell is the text and the value of a cell.
type Cell = columns.Cell

// rowSentences returns a heading and the visible rows as sentences, for screen readers.
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

// rowSentence returns a row as a sentence: the first cell, then the others with their
// titles. Empty cells are left out.
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

// cellInWords returns a cell in words, or its code if the text is only a drawing. Own is
// set if the words are the text itself.
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

// marks describes the marks of rows.
var marks = map[string]string{
	"!": "has a problem",
	"▲": "has a problem",
	"┃": "changed in the last minute",
	"✓": "marked",
	"•": "marked",
}
