package kmlcsv

import (
	"bytes"
	"slices"
)

// maxAbove is the maximum number of rows that a table can have above its header.
const maxAbove = 50

// tableLayout says which row of a table is the header and what the columns mean. This is found from the titles of the
// columns. If there are none, it is guessed from the values in the columns.
type tableLayout struct {
	rows      *tableRows
	chosenRow int // row number of the header that the user chose; negative for no header, 0 for no choice
	finder    *headerFinder
	columns   Columns
	positions []positionColumns // columns of each position in a row; the first has columns.Latitude and columns.Longitude

	byValue          bool // the columns were found by their values, not by their names
	severalPositions bool // each row has several positions, and no header names them
	orderAssumed     bool // nothing shows the order, so the latitude is assumed to be first
	orderMixed       bool // some rows have the latitude first, others the longitude
	orderOpen        bool // it is not known yet which column is the northing

	geometryCells map[string]bool // cached results of isGeometryCell
}

func newTableLayout(rows *tableRows, chosenRow int) *tableLayout {
	return &tableLayout{rows: rows, chosenRow: chosenRow, geometryCells: make(map[string]bool)}
}

// findHeader finds the header and the columns. It looks for a row with titles of columns. If there is no row with
// titles, it looks at the values in the rows.
func (l *tableLayout) findHeader() {
	if l.chosenRow < 0 {
		l.useHeader(noHeader)
		l.readByValue()
		return
	}
	if l.findNamedHeader() {
		return
	}
	l.useHeader(l.chosenHeader())
	l.readByValue()
}

// chosenHeader returns the index in l.rows.head of the header row that the user chose. If the chosen row is blank, it
// returns the index of the next row that is not blank. It returns noHeader if the user chose no row, or chose that the
// table has no header.
func (l *tableLayout) chosenHeader() int {
	if l.chosenRow <= 0 {
		return noHeader
	}
	i := slices.IndexFunc(l.rows.head, func(row recordReader) bool { return row.row >= l.chosenRow })
	return max(i, 0)
}

// findNamedHeader uses the first row that names columns with coordinates as the header. If the user chose a header row,
// only this row is considered. It returns false if there is no such row.
func (l *tableLayout) findNamedHeader() bool {
	if chosen := l.chosenHeader(); chosen >= 0 {
		return l.acceptGrouped(chosen) || l.acceptHeader(chosen, cellTexts(l.rows.head[chosen].fields))
	}
	for i := range l.rows.head[:min(len(l.rows.head), maxAbove)] {
		if l.acceptGrouped(i+1) || l.acceptRow(i) {
			return true
		}
	}
	return false
}

// acceptRow uses row i as the header if its cells name columns with coordinates. If the cells alone do not name them,
// acceptRow puts the cells of the row above in front: "Latitude" above "Deg" gives "Latitude Deg". A row with a single
// cell is probably a title, so it is only used if nothing else fits. acceptRow returns false if row i is not a header.
func (l *tableLayout) acceptRow(i int) bool {
	cells := l.rows.head[i].fields
	titles := cellTexts(cells)
	if len(titles) > 1 && l.acceptHeader(i, titles) {
		return true
	}
	if i > 0 && isWords(cells) && l.acceptHeader(i, joinTitles(l.rows.head[i-1].fields, titles)) {
		return true
	}
	return len(titles) == 1 && l.acceptHeader(i, titles)
}

// isWords reports whether no cell of a row starts with a number.
func isWords(cells [][]byte) bool {
	return !slices.ContainsFunc(cells, func(cell []byte) bool { return startsNumber(bytes.TrimSpace(cell)) })
}

// acceptGrouped uses rows i-1 and i together as the header. The upper row must name groups of columns, and row i must
// have the same titles in each group. For example, Deg, Min and Sec can be below Latitude and again below Longitude, or
// Lat and Lon below the name of each corner. acceptGrouped returns false if the two rows are not a header of this kind.
func (l *tableLayout) acceptGrouped(i int) bool {
	if i < 1 || i >= len(l.rows.head) || !isWords(l.rows.head[i].fields) {
		return false
	}
	titles := cellTexts(l.rows.head[i].fields)
	if !l.acceptHeader(i, joinTitles(l.rows.head[i-1].fields, titles)) || len(l.positions) == 0 {
		return false
	}
	hasParts := l.positions[0].axes[latitude].minutes >= 0
	hasCorners := len(l.positions) > 1 && len(newHeaderFinder(titles).duplicates) > 1
	return hasParts || hasCorners
}

// acceptHeader uses row i as the header if the titles name columns with coordinates. It returns false otherwise.
func (l *tableLayout) acceptHeader(i int, titles []string) bool {
	for _, prefersGeometries := range []bool{false, true} {
		l.useTitles(i, titles, prefersGeometries)
		c, positions := l.finder.findLocation()
		isNumbered := len(positions) > 1 // several such columns, so N1 and E1 are names and not degrees
		if !c.HasLocation() || !isNumbered && l.isDataRow(i, &c) {
			continue
		}
		l.finder.findMeanings(&c, positions)
		l.rows.header = i
		l.columns = c
		l.positions = positions
		return true
	}
	return false
}

// joinTitles puts the name of a group of columns in front of the titles of these columns: Latitude and Deg become
// "Latitude Deg". groups has the name of a group only in the first column of the group.
func joinTitles(groups [][]byte, titles []string) []string {
	joined := slices.Clone(titles)
	group := ""
	for i := range joined {
		if i < len(groups) && len(bytes.TrimSpace(groups[i])) > 0 {
			group = string(bytes.TrimSpace(groups[i])) + " "
		}
		joined[i] = group + joined[i]
	}
	return joined
}

// isDataRow reports whether row i has coordinates in the given columns, so that it cannot be their header.
func (l *tableLayout) isDataRow(i int, c *Columns) bool {
	fields := l.rows.head[i].fields
	if c.hasPosition() {
		_, problem := readDegrees(cellOf(fields, c.Latitude), cellOf(fields, c.Longitude))
		return problem == nil
	}
	return isPlace(cellOf(fields, c.Geometry))
}

// useHeader uses row i as the header, and the rows below it as data. noHeader as i means that all rows are data.
func (l *tableLayout) useHeader(i int) {
	l.rows.header = i
	var titles []string
	if i >= 0 {
		titles = cellTexts(l.rows.head[i].fields)
	} else {
		width := 0
		for _, row := range l.rows.head {
			width = max(width, len(row.fields))
		}
		titles = make([]string, width)
	}
	l.finder = newHeaderFinder(titles)
	l.sampleRows(max(i+1, 0), false)
}

// useTitles sets the titles of the columns. It also sets the sample of each column, from the rows below row i. If
// prefersGeometries is set, a cell that looks like a geometry is preferred as the sample.
func (l *tableLayout) useTitles(i int, titles []string, prefersGeometries bool) {
	l.finder = newHeaderFinder(titles)
	l.sampleRows(i+1, prefersGeometries)
}

// sampleRows sets the sample of each column, which shows what kind of values the column has. The sample is the first
// cell below the header that is not blank. The search begins at the row with the index from. If prefersGeometries is
// set and a column has a cell that looks like a geometry, that cell becomes the sample instead.
func (l *tableLayout) sampleRows(from int, prefersGeometries bool) {
	columns := l.finder.columns
	l.finder.rows = l.rows.head[min(from, len(l.rows.head)):]
	isFound := make([]bool, len(columns)) // columns that have a geometry as their sample
	for _, row := range l.finder.rows {
		for i, cell := range row.fields[:min(len(columns), len(row.fields))] {
			cell = bytes.TrimSpace(cell)
			if len(columns[i].sample) == 0 {
				columns[i].sample = cell
			}
			if prefersGeometries && !isFound[i] && l.isGeometryCell(cell) {
				columns[i].sample = cell
				isFound[i] = true
			}
		}
	}
}

// isGeometryCell reports whether a cell of the first rows looks like a geometry. It caches the results, because
// sampleRows reads the same cells again for each row that may be the header.
func (l *tableLayout) isGeometryCell(cell []byte) bool {
	isGeometry, isKnown := l.geometryCells[string(cell)]
	if !isKnown {
		isGeometry = looksLikeGeometry(cell)
		l.geometryCells[string(cell)] = isGeometry
	}
	return isGeometry
}

func cellTexts(cells [][]byte) []string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = string(c)
	}
	return texts
}

// hasDataAbove reports whether a row above the header has coordinates.
func (l *tableLayout) hasDataAbove() bool {
	for i := range l.rows.head[:max(l.rows.header, 0)] {
		if l.isDataRow(i, &l.columns) {
			return true
		}
	}
	return false
}

// useBothColumns is for a table that has exactly two columns. It uses the first column as the latitude and the second
// as the longitude. If the first row has no position in these columns, it leaves all columns unset.
func (l *tableLayout) useBothColumns() {
	l.setPositionColumns(0, 1)
	if !l.isDataRow(0, &l.columns) {
		l.columns = EmptyColumns()
		return
	}
	l.positions = []positionColumns{newPosition(0, 1)}
}

// likelyHeader returns the index of the row that is probably the header of a table with unknown columns. If the user
// chose a row, it returns this row. Otherwise it finds the first row with at least two angles, and returns the last row
// above it that has no angle.
func (l *tableLayout) likelyHeader() int {
	if l.chosenRow != 0 {
		return l.chosenHeader()
	}
	header := 0
	for i := range l.rows.head[:min(len(l.rows.head), maxAbove)] {
		angles := len(angleColumns(l.rows.head[i].fields))
		isData := angles >= 2
		if isData {
			return header
		}
		if angles == 0 {
			header = i
		}
	}
	return 0
}

// usePosition makes two columns the latitude and the longitude of each row. The header may already have a position with
// these two columns. usePosition then chooses this position, because it can have further columns, such as minutes.
func (l *tableLayout) usePosition(latColumn, lngColumn int) {
	isSame := func(p positionColumns) bool {
		return p.latitude() == latColumn && p.longitude() == lngColumn
	}
	if i := slices.IndexFunc(l.positions, isSame); i >= 0 {
		l.positions[0], l.positions[i] = l.positions[i], l.positions[0]
		return
	}
	p := newPosition(latColumn, lngColumn)
	p.grid = l.finder.nameOf(latColumn).grid && lngColumn < len(l.finder.columns)
	l.positions = []positionColumns{p}
}
