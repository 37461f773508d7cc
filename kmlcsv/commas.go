package kmlcsv

import (
	"bytes"
	"math"
	"slices"
	"strconv"
)

// commaTable is a table in which the comma has two uses: it separates the cells, and it is the decimal mark of
// numbers without quotes. Its rows therefore have more cells than its header.
type commaTable struct {
	columns   int  // number of columns
	latitude  int  // column with the latitude or the northing
	longitude int  // column with the longitude or the easting
	grid      bool // the coordinates are northings and eastings, not latitudes and longitudes
	header    int  // row number of the header, counted from 1; 0 for none
}

// maxCommaColumns is the maximum number of columns of a commaTable. Such tables are typed by hand, so they are small.
const maxCommaColumns = 30

var (
	wholePart   = newPattern(`^\s*[-+]?[0-9]{1,8}$`)
	decimalPart = newPattern(`^[0-9]{1,10}\s*$`)
	longDecimal = newPattern(`^[0-9]{3,10}\s*$`)

	// cutNumbers matches a number whose decimal comma splits it into two cells. The next cell must have another
	// number.
	cutNumbers = newPattern(`(?:^|[,\r\n])\s*[-+]?[0-9]{1,8},[0-9]{1,10}\s*,\s*[-+]?[0-9]{1,8}\s*[,\r\n]`)
)

// maxCommaHead is the number of bytes at the start of a text in which a commaTable must be recognised.
const maxCommaHead = 1 << 14

// quoteDecimalCommas repairs a table in which the comma is both the separator and the decimal mark. It puts the
// numbers with decimal commas in quotes:
//
//	name,lat,lng                name,lat,lng
//	Mast 4,48,3521,11,7812      Mast 4,"48,3521","11,7812"
//
// ok is false if the text is not such a table.
func quoteDecimalCommas(text []byte) (quoted []byte, ok bool) {
	if !cutNumbers().Match(text[:min(len(text), maxCommaHead)]) {
		return nil, false
	}
	table, ok := findCommaTable(text)
	if !ok {
		return nil, false
	}
	quoted = make([]byte, 0, len(text)+len(text)/4)
	rows := recordReader{data: text, delim: ','}
	for start := 0; rows.nextRecord(); start = rows.pos {
		joined := rows.fields
		if rows.row > table.header {
			joined = table.joinCells(rows.fields)
		}
		isUnchanged := len(joined) == len(rows.fields)
		if isUnchanged {
			quoted = append(quoted, text[start:rows.pos]...)
		} else {
			quoted = appendRow(quoted, joined)
		}
	}
	if rows.hasOpenQuote { // a quoted cell has no closing quote, so the rows are unreliable
		return nil, false
	}
	return quoted, true
}

// appendRow appends a row of comma separated values to a text.
func appendRow(text []byte, cells [][]byte) []byte {
	for i, cell := range cells {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendQuoted(text, cell)
	}
	return append(text, '\n')
}

// findCommaTable recognises a commaTable by the first rows of a text. ok is false if the text is not a commaTable.
func findCommaTable(text []byte) (t commaTable, ok bool) {
	rows := recordReader{data: text, delim: ','}
	var above [][][]byte // rows above the header, or the first rows of a table without a header
	for len(above) < maxHeadRows && rows.nextRecord() {
		if rows.isBlank() {
			continue
		}
		if t.readHeader(&rows) {
			return t, t.hasSplitNumbers(rows)
		}
		above = append(above, cloneCells(rows.fields))
	}
	ok = t.findInRows(above)
	return t, ok
}

// hasSplitNumbers reports whether one of the next rows has a number that its decimal comma splits into two cells.
func (t *commaTable) hasSplitNumbers(rows recordReader) bool {
	for read := 0; read < maxHeadRows && rows.nextRecord(); {
		if rows.isBlank() {
			continue
		}
		read++
		if len(t.joinCells(rows.fields)) < len(rows.fields) {
			return true
		}
	}
	return false
}

// cloneCells returns a copy of the cells of a row.
func cloneCells(cells [][]byte) [][]byte {
	clones := make([][]byte, len(cells))
	for i, cell := range cells {
		clones[i] = bytes.Clone(cell)
	}
	return clones
}

// readHeader sets the columns of the table if a row is a header with the names of two coordinate columns. Otherwise
// it returns false.
func (t *commaTable) readHeader(row *recordReader) bool {
	finder := newHeaderFinder(cellTexts(row.fields))
	c, positions := finder.findLocation()
	if !c.hasPosition() || positions[0].axes[latitude].minutes >= 0 || len(row.fields) > maxCommaColumns {
		return false
	}
	t.columns = len(row.fields)
	t.latitude = c.Latitude
	t.longitude = c.Longitude
	t.grid = positions[0].grid
	t.header = row.row
	return true
}

// findInRows sets the columns of a table without a header. It looks for four adjacent columns that have the parts of a
// latitude and a longitude in all rows; see hasTwoNumbers. It returns false if there are no such columns, or if there
// are several possibilities.
func (t *commaTable) findInRows(rows [][][]byte) bool {
	found := -1
	for first := 0; len(rows) > 0 && first+3 < len(rows[0]); first++ {
		if !hasTwoNumbers(rows, first) {
			continue
		}
		if found >= 0 {
			return false
		}
		found = first
	}
	if found < 0 {
		return false
	}
	t.columns = len(rows[0]) - 2
	t.latitude = found
	t.longitude = found + 1
	return t.columns <= maxCommaColumns
}

// hasTwoNumbers reports whether in all rows the four cells from index first on are the parts of two numbers in
// degrees: the whole part and the decimals of each.
func hasTwoNumbers(rows [][][]byte, first int) bool {
	for _, cells := range rows {
		if len(cells) != len(rows[0]) || !longDecimal().Match(cells[first+1]) || !longDecimal().Match(cells[first+3]) {
			return false
		}
		for _, i := range []int{first, first + 2} {
			v, err := strconv.Atoi(string(bytes.TrimSpace(cells[i])))
			if err != nil || !wholePart().Match(cells[i]) || v < -180 || v > 180 {
				return false
			}
		}
	}
	return true
}

// joinCells joins the parts of the numbers in a row: the four cells 48, 3521, 11 and 7812 become the two cells
// 48,3521 and 11,7812. A row without split numbers is returned unchanged. If the cells can be joined in several ways,
// the row is ambiguous. joinCells then makes the row unreadable, so that the reader skips it with a warning.
func (t *commaTable) joinCells(cells [][]byte) [][]byte {
	if len(cells) <= t.columns {
		return cells
	}
	var ways [][][]byte
	t.findWays(cells, nil, &ways)
	possible := t.waysWithJoined(ways, 2)
	if len(possible) == 0 {
		possible = t.waysWithJoined(ways, 1)
	}
	if len(possible) == 0 {
		return cells
	}
	first := possible[0]
	for _, other := range possible[1:] {
		if !t.samePosition(first, other) {
			return t.unreadable(cells)
		}
	}
	return first
}

// waysWithJoined returns some of the rows in ways, which findWays found: the rows in which exactly the given number of
// coordinates, 1 or 2, were joined from two cells.
func (t *commaTable) waysWithJoined(ways [][][]byte, joined int) (found [][][]byte) {
	for _, row := range ways {
		if t.countJoined(row) == joined {
			found = append(found, row)
		}
	}
	return found
}

// findWays finds all ways to make a row of the table from the cells, and appends these rows to ways. A column takes
// one cell, or two cells that are the whole part and the decimals of a number. In a table of three columns, the cells
// A, 48, 35 and 11 make the rows A | 48,35 | 11 and A | 48 | 35,11. findWays calls itself for the rest of the row:
// done are the columns that are already made, and cells are the cells that are left.
func (t *commaTable) findWays(cells, done [][]byte, ways *[][][]byte) {
	const maxWays = 100
	if len(*ways) >= maxWays {
		return
	}
	column := len(done)
	if column == t.columns {
		hasCellsBeyond := len(cells) > 0 && !decimalPart().Match(cells[0]) // the row has more cells than the header
		if (len(cells) == 0 || hasCellsBeyond) && t.isPossible(done) {
			*ways = append(*ways, slices.Concat(done, cells))
		}
		return
	}
	if len(cells) == 0 {
		return
	}
	canJoin := len(cells) > 1 && wholePart().Match(cells[0]) && decimalPart().Match(cells[1])
	if canJoin {
		number := bytes.Join(cells[:2], []byte{','})
		t.findWays(cells[2:], append(done[:column:column], number), ways)
	}
	t.findWays(cells[1:], append(done[:column:column], cells[0]), ways)
}

// isPossible reports whether the coordinate columns of a row have numbers that can be coordinates.
func (t *commaTable) isPossible(row [][]byte) bool {
	lat, okLat := metres(row[t.latitude])
	lng, okLng := metres(row[t.longitude])
	if !okLat || !okLng {
		return false
	}
	return t.grid || math.Abs(lat) <= 180 && math.Abs(lng) <= 180
}

// countJoined returns how many of the two coordinates in a row consist of two joined cells.
func (t *commaTable) countJoined(row [][]byte) int {
	count := 0
	for _, column := range []int{t.latitude, t.longitude} {
		if bytes.IndexByte(row[column], ',') >= 0 {
			count++
		}
	}
	return count
}

func (t *commaTable) samePosition(a, b [][]byte) bool {
	return bytes.Equal(a[t.latitude], b[t.latitude]) && bytes.Equal(a[t.longitude], b[t.longitude])
}

// unreadable joins all cells of a row from the first coordinate on into one cell. This cell cannot be read as a
// coordinate, so the reader skips the row.
func (t *commaTable) unreadable(cells [][]byte) [][]byte {
	first := min(t.latitude, t.longitude)
	row := append([][]byte(nil), cells[:first]...)
	row = append(row, bytes.Join(cells[first:], []byte{','}))
	for len(row) < t.columns {
		row = append(row, nil)
	}
	return row
}
