package widget

import (
	"slices"
	"strings"
	"time"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
)

// gridCells has the cells of a grid: the rows of its source, and the formats of its columns.
type gridCells struct {
	now     func() time.Time
	columns []gridColumn // in the original order
	source  RowSource
	words   []string // text of each row for the filter, made on demand
	scratch []byte   // buffer for the text of a row
}

// gridColumn is a column with the format that suits its current values.
type gridColumn struct {
	Column
	unit   format.Unit
	fitted int // width of the longest number or day; 0 for words
	hidden bool
	// hasOtherUnits is true for a column of areas that also has values with other units, such as the lengths of
	// lines. The unit of the areas is then in the cells instead of the title.
	hasOtherUnits bool
	// differing is the index of a row whose value in this column differs from the first row, or 0 if none is known.
	// hasDifferentValues looks at this row first.
	differing int
}

// usualArea, in square metres, determines the unit of a column of areas that has no values.
const usualArea = 10_000

// maxMeasuredRows limits how many rows are measured for the widths of texts.
const maxMeasuredRows = 1000

// maxDayWidth is the maximum width of a column with times of day. A value that is not a day or a number, because it
// could not be parsed, also widens its column at most to this width.
const maxDayWidth = 12

// replaceSource replaces the rows, and keeps the cached texts of unchanged rows. It returns the IDs of the rows to
// mark (see changedRows), or nil if changes are not marked (see RowSource.Stamp).
func (g *gridCells) replaceSource(source RowSource) (changed []string) {
	if source.Stamp == nil || g.source.Stamp == nil {
		g.words = nil
	} else {
		changes := g.compareRows(&source)
		changed = changedRows(&source, changes)
		g.moveWords(changes)
	}
	g.source = source
	return changed
}

// changedRows returns the IDs of the rows to mark: the rows that changed, and the new rows except those at the end of
// the table. New rows at the end are usually old rows that were loaded only now. Nor does it return rows that
// RowSource.LoadsLater reports.
func changedRows(source *RowSource, changes []rowChange) (changed []string) {
	var added []string // new rows below the last known row
	for i, change := range changes {
		if change.old < 0 {
			if source.LoadsLater == nil || !source.LoadsLater(i) {
				added = append(added, source.ID(i))
			}
			continue
		}
		if change.changed {
			changed = append(changed, source.ID(i))
		}
		changed = append(changed, added...)
		added = added[:0]
	}
	return changed
}

// measure updates the units and the widths of the columns.
func (g *gridCells) measure() {
	for c := range g.columns {
		column := &g.columns[c]
		switch column.Kind {
		case columns.Date:
			column.fitted = g.daysWidth(c)
		case columns.Words, columns.Status:
			column.Longest = g.longestText(c)
		default:
			g.measureNumbers(c)
		}
		column.Blank, column.Same = g.findRepeated(c)
	}
}

// findRepeated compares the values of a column in all rows. isBlank is true if no row has a value. same is the text
// of the value if there are several rows and all have the same value, otherwise "".
func (g *gridCells) findRepeated(c int) (isBlank bool, same string) {
	if g.source.Len == 0 {
		return false, ""
	}
	if g.hasDifferentValues(c) {
		return false, ""
	}
	text := strings.TrimSpace(g.cellText(0, c))
	isBlank = text == "" || text == format.None
	if isBlank || g.source.Len == 1 {
		return isBlank, ""
	}
	return false, text
}

// hasDifferentValues reports whether any row of a column has another value than the first row. It first looks at the
// row that it found last time, because searching all rows again whenever they are replaced can be slow.
func (g *gridCells) hasDifferentValues(c int) bool {
	column := &g.columns[c]
	first := g.source.Cell(0, c)
	isDiffering := func(i int) bool { return !isSameValue(first, g.source.Cell(i, c)) }
	isKnown := column.differing > 0 && column.differing < g.source.Len
	if isKnown && isDiffering(column.differing) {
		return true
	}
	for i := 1; i < g.source.Len; i++ {
		if isDiffering(i) {
			column.differing = i
			return true
		}
	}
	return false
}

// isSameValue reports whether two cells of a column show the same value.
func isSameValue(a, b Cell) bool {
	return a.Text == b.Text && a.Num == b.Num && a.Code == b.Code && a.Time.Equal(b.Time)
}

// rowChange says how a row of a new source differs from the current source.
type rowChange struct {
	old     int // index in the current source, or -1 if the row is new
	changed bool
}

// compareRows compares each row of a new source with the row that has the same ID in the current source.
func (g *gridCells) compareRows(source *RowSource) []rowChange {
	known := make(map[string]int, g.source.Len)
	for i := range g.source.Len {
		known[g.source.ID(i)] = i
	}
	changes := make([]rowChange, source.Len)
	for i := range source.Len {
		old, ok := known[source.ID(i)]
		if ok {
			changes[i] = rowChange{old: old, changed: g.source.Stamp(old) != source.Stamp(i)}
		} else {
			changes[i] = rowChange{old: -1}
		}
	}
	return changes
}

// moveWords moves the cached texts of unchanged rows to their new indexes.
func (g *gridCells) moveWords(changes []rowChange) {
	if g.words == nil {
		return
	}
	words := make([]string, len(changes))
	for i, change := range changes {
		if change.old >= 0 && !change.changed {
			words[i] = g.words[change.old]
		}
	}
	g.words = words
}

// numberRange is the range of the numbers in a column.
type numberRange struct {
	lowest, highest float64         // lowest is at most 0, highest at least 0
	currencies      map[string]bool // currencies of the amounts; {"": true} for other numbers
	textWidth       int             // of the widest value that is a text
	hasTexts        bool            // some values are texts other than a dash, such as lengths among areas
}

// measureNumbers updates the unit and width of a column of numbers.
func (g *gridCells) measureNumbers(c int) {
	numbers := g.rangeOf(c)
	g.updateUnit(c, numbers.highest)
	g.columns[c].hasOtherUnits = g.columns[c].Kind == columns.Area && numbers.hasTexts
	g.columns[c].fitted = max(numbers.textWidth, g.widestNumber(c, numbers))
}

// rangeOf finds the lowest and the highest number of a column, its currencies, and the width of values that could not
// be parsed.
func (g *gridCells) rangeOf(c int) numberRange {
	numbers := numberRange{currencies: map[string]bool{}}
	for i := range g.source.Len {
		cell := g.source.Cell(i, c)
		if cell.Text != "" { // a value that could not be parsed, or has another unit
			numbers.hasTexts = numbers.hasTexts || cell.Text != format.None
			numbers.textWidth = max(numbers.textWidth, min(maxDayWidth, format.Width(cell.Text)))
			continue
		}
		if !cell.Known {
			continue
		}
		numbers.highest = max(numbers.highest, cell.Num)
		numbers.lowest = min(numbers.lowest, cell.Num)
		if g.columns[c].Kind == columns.Money {
			numbers.currencies[cell.Code] = true
		}
	}
	if len(numbers.currencies) == 0 {
		numbers.currencies[""] = true
	}
	return numbers
}

// updateUnit sets the unit of a column of areas to the unit that suits the largest area. It may be called for other
// columns of numbers, which ignore their unit.
func (g *gridCells) updateUnit(c int, largest float64) {
	if largest == 0 {
		largest = usualArea
	}
	column := &g.columns[c]
	unit := column.Units.UnitFor(largest)
	if unit == column.unit {
		return
	}
	column.unit = unit
	g.words = nil // the cached texts have the old unit
}

// longestText returns the width of the longest text of a column. Only the first rows are measured.
func (g *gridCells) longestText(c int) int {
	longest := 1
	for i := range min(g.source.Len, maxMeasuredRows) {
		longest = max(longest, format.Width(g.source.Cell(i, c).Text))
	}
	return longest
}

// clocksWidth returns the width of a column of times. The column is narrower if all times are of today, because they
// are shown without the day.
func (g *gridCells) clocksWidth(c int) int {
	if g.source.Len == 0 {
		return maxDayWidth
	}
	now := g.now()
	for i := range g.source.Len {
		cell := g.source.Cell(i, c)
		shown := g.columns[c].ShownTime(cell, now)
		today := now.In(shown.Location())
		isToday := shown.Year() == today.Year() && shown.YearDay() == today.YearDay()
		if !cell.Known || !isToday {
			return maxDayWidth
		}
	}
	return len(time.TimeOnly)
}

// daysWidth returns the width of a column of days or times. Days of other years are longer, because they are shown
// with the year.
func (g *gridCells) daysWidth(c int) int {
	if g.columns[c].Clock {
		return g.clocksWidth(c)
	}
	width := 6
	year := g.now().Year()
	for i := range g.source.Len {
		cell := g.source.Cell(i, c)
		if !cell.Known || cell.Text != "" {
			width = max(width, min(maxDayWidth, format.Width(cell.Text)))
		} else if cell.Time.Year() != year {
			width = max(width, len("20 Jan 2006"))
		}
	}
	return width
}

// widestNumber returns the width that a column needs for the numbers of a range.
func (g *gridCells) widestNumber(c int, numbers numberRange) int {
	column := &g.columns[c]
	width := 0
	for _, number := range []float64{numbers.highest, numbers.lowest} {
		for currency := range numbers.currencies {
			cell := Cell{Num: number, Code: currency, Known: true}
			width = max(width, format.Width(column.write(cell, g.now())))
		}
	}
	if column.Kind == columns.Bytes && numbers.highest >= 1000 {
		width = max(width, len("999.9 kB")) // smaller values may have a longer text
	}
	return width
}

// shownCell returns a cell of the source with the displayed text in Text. If the source has only a value, such as an
// area, the text is formatted in the unit of the column.
func (g *gridCells) shownCell(row, c int) Cell {
	cell := g.source.Cell(row, c)
	cell.Text = g.columns[c].write(cell, g.now())
	return cell
}

// write returns the text of a cell that is displayed.
func (c *gridColumn) write(cell Cell, now time.Time) string {
	text := c.WriteCell(cell, c.unit, now)
	isArea := cell.Known && cell.Text == ""
	if c.hasOtherUnits && isArea {
		return text + " " + c.unit.Name
	}
	return text
}

// cellText returns the displayed text of a cell.
func (g *gridCells) cellText(row, c int) string { return g.shownCell(row, c).Text }

// isWords reports whether the values of a column are words: texts or statuses, not numbers or days.
func (g *gridCells) isWords(c int) bool {
	return g.columns[c].Kind == columns.Words || g.columns[c].Kind == columns.Status
}

// sortKey returns the values by which a row is sorted if the rows are sorted by the given column.
func (g *gridCells) sortKey(row, column int) sortKey {
	cell := g.source.Cell(row, column)
	key := sortKey{row: row, known: cell.Known, num: cell.Num}
	switch g.columns[column].Kind {
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

// findColumn returns the index of the column with the given name in g.columns, or -1.
func (g *gridCells) findColumn(name string) int {
	return slices.IndexFunc(g.columns, func(c gridColumn) bool { return strings.EqualFold(c.MachineName(), name) })
}

// titleWithUnit returns the title of a column. The title of a column of areas includes the unit, unless the cells do.
func (g *gridCells) titleWithUnit(c int) string {
	if g.columns[c].Kind == columns.Area && !g.columns[c].hasOtherUnits {
		return g.columns[c].Title + " " + g.columns[c].unit.Name
	}
	return g.columns[c].Title
}

// areAllHidden reports whether every column is hidden.
func (g *gridCells) areAllHidden() bool {
	for c := range g.columns {
		if !g.columns[c].hidden {
			return false
		}
	}
	return true
}

// columnNamed returns the index of the column with the given name. If there is none, it returns the index of the
// first column with a title that begins with the name, or -1.
func (g *gridCells) columnNamed(name string) int {
	if c := g.findColumn(name); c >= 0 {
		return c
	}
	for c := range g.columns {
		if strings.HasPrefix(format.Fold(g.columns[c].Title), name) {
			return c
		}
	}
	return -1
}

// rowWords returns the texts of a row and the values that the service uses for them (Cell.Code), in lower case, for
// the filter. They are cached until the row changes.
func (g *gridCells) rowWords(row int) string {
	if g.words == nil {
		g.words = make([]string, g.source.Len)
	}
	if g.words[row] != "" {
		return g.words[row]
	}
	g.scratch = g.scratch[:0]
	for c := range g.columns {
		if !g.isWords(c) {
			continue
		}
		cell := g.source.Cell(row, c)
		g.scratch = append(g.scratch, cell.Text...)
		g.scratch = append(g.scratch, '\n')
		g.scratch = append(g.scratch, cell.Code...)
		g.scratch = append(g.scratch, '\n')
	}
	g.words[row] = format.Fold(string(g.scratch))
	return g.words[row]
}

// hasInNumbers reports whether the text of a number or day in a row contains a word.
func (g *gridCells) hasInNumbers(row int, word string) bool {
	for c := range g.columns {
		if !g.isWords(c) && containsWord(g.cellText(row, c), word) {
			return true
		}
	}
	return false
}
