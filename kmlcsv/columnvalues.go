package kmlcsv

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// columnValues counts the cells of a column by what they may be, for instance degrees or metres.
type columnValues struct {
	filled   int // cells that are not blank
	degrees  int // latitudes or longitudes
	exact    int // cells in degrees that have decimals or minutes
	decimals int // total number of decimals in the cells in degrees; minutes count as four decimals
	metres   int // numbers of 10,000 or more, which can be northings or eastings in metres
	places   int // whole positions or geometries
}

// countValues counts the cells in the first rows of the table, for each column separately.
func (l *tableLayout) countValues() []columnValues {
	values := make([]columnValues, len(l.finder.columns))
	for i, row := range l.rows.head {
		if i == l.rows.header {
			continue
		}
		for k, cell := range row.fields[:min(len(values), len(row.fields))] {
			values[k].countCell(bytes.TrimSpace(cell))
		}
	}
	return values
}

// countCell adds a cell to the counts.
func (v *columnValues) countCell(cell []byte) {
	if len(cell) == 0 {
		return
	}
	v.filled++
	switch {
	case isDecimalDegrees(cell):
		v.degrees++
		decimals := decimalsOf(cell)
		if decimals > 0 {
			v.exact++
		}
		v.decimals += decimals
	case isPlace(cell), isLoosePair(cell):
		v.places++
	case isAngleText(cell):
		v.degrees++
		v.exact++
		v.decimals += 4
	case isGridNumber(cell):
		v.metres++
	}
}

var (
	// decimalText matches a number that can be a latitude or a longitude.
	decimalText = newPattern(`^(?:=")?'?[-+−]?1?[0-9]{1,2}(?:[.,][0-9]+)?°?"?$`)
	// angleText matches degrees with a letter or with minutes.
	angleText = newPattern(`(?i)^[NSEWOZ]?\s*-?[0-9]{1,3}([.,][0-9]+)?\s*[°ºd: ]?.*[0-9.'"′″°NSEWOZ]$`)
	// loosePair matches two numbers with decimal points, which can be a latitude and a longitude.
	loosePair = newPattern(`^[-+]?1?[0-9]{1,2}[.][0-9]+°?\s*[,; /]\s*[-+]?1?[0-9]{1,2}[.][0-9]+°?$`)
	// loosePairCommas matches two numbers with decimal commas, which can be a latitude and a longitude.
	loosePairCommas = newPattern(`^[-+]?1?[0-9]{1,2},[0-9]+°?\s*[; /|]\s*[-+]?1?[0-9]{1,2},[0-9]+°?$`)
)

func isDecimalDegrees(cell []byte) bool {
	if !decimalText().Match(cell) {
		return false
	}
	v, problem := readAngle(cell, longitude)
	return problem == nil && math.Abs(v) <= 180
}

// decimalsOf returns how many digits a number has after its decimal point or comma.
func decimalsOf(cell []byte) int {
	i := bytes.LastIndexAny(cell, ".,")
	if i < 0 {
		return 0
	}
	return len(bytes.TrimRight(cell[i+1:], "°\""))
}

// isAngleText reports whether a cell is a single angle that has a hemisphere letter, a degree sign or minutes.
func isAngleText(cell []byte) bool {
	if !angleText().Match(cell) || !bytes.ContainsAny(cell, "°ºd:'\"NSEWOZnsewoz ") {
		return false
	}
	for _, axis := range []angleAxis{latitude, longitude, longitudeOWest} {
		if _, problem := readAngle(cell, axis); problem == nil {
			return true
		}
	}
	return false
}

func isLoosePair(cell []byte) bool { return loosePair().Match(cell) || loosePairCommas().Match(cell) }

// isGridNumber reports whether a cell has a number that can be a northing or an easting.
func isGridNumber(cell []byte) bool {
	v, ok := metres(cell)
	return ok && math.Abs(v) >= 10_000
}

// readByValue finds the columns with coordinates by the values in the cells. It uses a column in which each cell has a
// whole position, otherwise two columns with the two coordinates. If it finds columns, it sets byValue. If each row has
// several positions, the values do not show what each position means. In this case, readByValue uses no column and sets
// severalPositions.
func (l *tableLayout) readByValue() {
	l.columns = EmptyColumns()
	l.positions = nil
	values := l.countValues()
	if column := placeColumn(values); column >= 0 {
		l.byValue = true
		l.usePlaceColumn(column)
		return
	}
	pair, isFound := l.findPositionByValue(values)
	if !isFound {
		l.clearPositionColumns()
		return
	}
	if l.hasFurtherPosition(pair) {
		l.clearPositionColumns()
		l.severalPositions = true
		return
	}
	l.byValue = true
	position := newPosition(pair.first, pair.second)
	position.grid = pair.grid
	l.positions = []positionColumns{position}
	l.orderByValue()
}

// usePlaceColumn uses a column that has a whole position in each cell. It takes the row above the first position as
// the header, if the row can be a header.
func (l *tableLayout) usePlaceColumn(column int) {
	l.columns.Geometry = column
	hasPlace := func(fields [][]byte) bool { return isPlaceCell(cellOf(fields, column)) }
	l.nameByValue(hasPlace)
}

// columnPair is a pair of columns that can have the two coordinates of a position, in either order.
type columnPair struct {
	first, second int
	grid          bool // the values can be a northing and an easting; otherwise a latitude and a longitude
}

// findPositionByValue finds the two columns with the coordinates of a position. It searches twice. The first search
// looks only at the values, and finds the header above the first position. The second search uses this header: it
// ignores columns whose names say that they are no coordinates. ok is false if no columns remain.
func (l *tableLayout) findPositionByValue(values []columnValues) (pair columnPair, ok bool) {
	anyColumn := func(int) bool { return true }
	pair, ok = pairByValue(values, anyColumn)
	if !ok {
		return pair, false
	}
	l.namePositionByValue(pair)
	mayBeCoordinate := func(column int) bool { return !l.finder.isOther(column) }
	named, ok := pairByValue(values, mayBeCoordinate)
	if !ok {
		return pair, false
	}
	isSame := named.first == pair.first && named.second == pair.second
	if isSame {
		return pair, true
	}
	l.namePositionByValue(named)
	return named, true
}

// namePositionByValue sets the two coordinate columns of the layout. It then looks for the header above the first row
// that has a position in these columns.
func (l *tableLayout) namePositionByValue(pair columnPair) {
	l.setPositionColumns(pair.first, pair.second)
	l.nameByValue(pair.isPositionRow)
}

func (l *tableLayout) setPositionColumns(latColumn, lngColumn int) {
	l.columns.Latitude = latColumn
	l.columns.Longitude = lngColumn
}

// clearPositionColumns sets the two coordinate columns of the layout to -1.
func (l *tableLayout) clearPositionColumns() { l.setPositionColumns(-1, -1) }

// nearbyDegrees is the maximum difference in latitude and in longitude between two positions of the same site.
const nearbyDegrees = 0.5

// hasFurtherPosition reports whether each row has another position besides the given one, such as another corner of
// the site. It looks for two adjacent columns after the position. In all of the first rows, their values must be
// degrees near the position. Positions in metres are not recognised.
func (l *tableLayout) hasFurtherPosition(position columnPair) bool {
	behind := max(position.first, position.second) + 1
	for other := behind; other+1 < len(l.finder.columns); other++ {
		if l.areNearby([2]int{position.first, position.second}, [2]int{other, other + 1}) {
			return true
		}
	}
	return false
}

// areNearby reports whether two positions are near each other in all of the first rows. Each position is given by its
// two columns. If a number of the other position has no decimals, the result is false, because the number may be
// something else, such as a height.
func (l *tableLayout) areNearby(position, other [2]int) bool {
	rows := 0
	for i, row := range l.rows.head {
		if i == l.rows.header {
			continue
		}
		for axis := range position {
			cell := bytes.TrimSpace(cellOf(row.fields, position[axis]))
			otherCell := bytes.TrimSpace(cellOf(row.fields, other[axis]))
			if !isDecimalDegrees(cell) || !isDecimalDegrees(otherCell) || decimalsOf(otherCell) == 0 {
				return false
			}
			degrees, _ := readAngle(cell, longitude)
			otherDegrees, _ := readAngle(otherCell, longitude)
			if math.Abs(degrees-otherDegrees) > nearbyDegrees {
				return false
			}
		}
		rows++
	}
	return rows > 0
}

// isPlaceCell reports whether a cell has a position, a geometry or a pair of numbers.
func isPlaceCell(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	return isLoosePair(cell) || isPlace(cell)
}

// placeColumn returns the column in which most cells are positions or geometries. It returns -1 if there is no such
// column. It also returns -1 if there are several, because the values do not show which of them locates the site.
func placeColumn(values []columnValues) int {
	found := -1
	for i, v := range values {
		isMostly := v.places > 0 && v.places*2 >= v.filled-3
		if !isMostly {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// pairByValue returns two columns that are likely a latitude and a longitude. If there are none, it returns two
// columns that are likely a northing and an easting. It ignores columns for which mayBeCoordinate returns false. ok
// is false if no columns are found.
func pairByValue(values []columnValues, mayBeCoordinate func(column int) bool) (pair columnPair, ok bool) {
	var degrees, metres []int
	for i := range values {
		v := &values[i]
		if !mayBeCoordinate(i) {
			continue
		}
		areMostlyExact := v.exact*2 >= v.degrees
		if v.isMostly(v.degrees) && areMostlyExact {
			degrees = append(degrees, i)
		}
		if v.isMostly(v.metres) {
			metres = append(metres, i)
		}
	}
	if len(degrees) >= 2 {
		degrees = preferPrecise(degrees, values)
		return columnPair{first: degrees[0], second: degrees[1]}, true
	}
	if len(metres) >= 2 {
		return columnPair{first: metres[0], second: metres[1], grid: true}, true
	}
	return columnPair{}, false
}

// preferPrecise returns the columns whose numbers have at least leastDecimals decimals on average. If the number of
// such columns is not exactly two, it returns all given columns.
func preferPrecise(columns []int, values []columnValues) []int {
	var precise []int
	for _, i := range columns {
		if values[i].averageDecimals() >= leastDecimals {
			precise = append(precise, i)
		}
	}
	if len(precise) == 2 {
		return precise
	}
	return columns
}

// leastDecimals is the average number of decimals from which numbers are more likely coordinates than heights or
// sizes.
const leastDecimals = 3

// isMostly reports whether count is at least 70 % of the cells that are not blank. The total is reduced by two cells,
// because a column may also have a title and a unit.
func (v *columnValues) isMostly(count int) bool {
	const otherCells = 2
	return count > 0 && count*10 >= 7*(v.filled-otherCells)
}

// averageDecimals returns the average number of decimals of the cells in degrees. The column must have at least one
// cell in degrees.
func (v *columnValues) averageDecimals() float64 {
	return float64(v.decimals) / float64(v.degrees)
}

// isOther reports whether the name of column i says that the column is not a coordinate but, for instance, a height.
func (h *headerFinder) isOther(i int) bool {
	if i >= len(h.columns) {
		return false
	}
	axis := h.columns[i].axis
	if axis != nil && axis.part != sidePart {
		return false
	}
	return slices.ContainsFunc(headerWords(layoutText(h.columns[i].title)), func(w string) bool {
		return measureWords[w] || areaWords[w] || areaUnits[w] > 0 || counterWords[w] || qualityWords[w]
	})
}

// isPositionRow reports whether a row has a position in the two columns.
func (p columnPair) isPositionRow(fields [][]byte) bool {
	return p.isCoordinate(cellOf(fields, p.first)) && p.isCoordinate(cellOf(fields, p.second))
}

// isCoordinate reports whether a cell can be a coordinate: in metres if grid is set, otherwise in degrees.
func (p columnPair) isCoordinate(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if p.grid {
		return isGridNumber(cell)
	}
	return isDecimalDegrees(cell) || isAngleText(cell)
}

// nameByValue finds the header, and then the columns that describe the sites, such as their names. If the user chose
// a row as the header, it uses this row. Otherwise it looks for the header above the first row for which isData
// returns true.
func (l *tableLayout) nameByValue(isData func(fields [][]byte) bool) {
	isHeaderChosen := l.chosenRow > 0
	if !isHeaderChosen {
		first := slices.IndexFunc(l.rows.head, func(row recordReader) bool { return isData(row.fields) })
		l.useHeader(l.headerAbove(first))
	}
	columns := l.columns
	lastNeeded := max(columns.Latitude, columns.Longitude, columns.Geometry)
	isHeaderTooShort := lastNeeded >= len(l.finder.columns)
	if isHeaderTooShort {
		blankTitles := make([]string, lastNeeded+1-len(l.finder.columns))
		l.finder = newHeaderFinder(append(l.finder.titles(), blankTitles...))
		firstRow := l.rows.header + 1 // 0 if there is no header
		l.sampleRows(max(firstRow, 0), false)
	}
	position := newPosition(columns.Latitude, columns.Longitude)
	l.finder.findMeanings(&columns, []positionColumns{position})
	l.columns = columns
}

// headerAbove returns the index of the header row, or noHeader. The header is the last row above the row firstData in
// which the cells of all coordinate columns can be names.
func (l *tableLayout) headerAbove(firstData int) int {
	c := &l.columns
	for i := firstData - 1; i >= 0 && i < maxAbove; i-- {
		fields := l.rows.head[i].fields
		if mayName(fields, c.Latitude) && mayName(fields, c.Longitude) && mayName(fields, c.Geometry) {
			return i
		}
	}
	return noHeader
}

// mayName reports whether the cell in the given column of a row can be a column name: it is not blank, not a number
// and not a unit. If column is negative, the table does not have the column, and mayName returns true.
func mayName(fields [][]byte, column int) bool {
	if column < 0 {
		return true
	}
	cell := bytes.TrimSpace(cellOf(fields, column))
	if len(cell) == 0 || startsNumber(cell) {
		return false
	}
	return !isUnit(cell) && !hasGridNumber(cell)
}

// hasGridNumber reports whether a cell contains a number that can be a northing or an easting. It returns false if
// the number is the code of a reference system, such as EPSG:25832.
func hasGridNumber(cell []byte) bool { return gridNumber().Match(cell) && !epsgMention().Match(cell) }

// startsNumber reports whether a cell starts with a number. The rest of the cell may be unreadable.
func startsNumber(cell []byte) bool {
	cell = bytes.TrimLeft(cell, `-+−'"=(`)
	return len(cell) > 0 && isDigit(cell[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// orderByValue exchanges the two coordinate columns if the first column has the longitudes or the eastings.
func (l *tableLayout) orderByValue() {
	p := &l.positions[0]
	if l.isLongitudeFirst(p) {
		p.axes[0], p.axes[1] = p.axes[1], p.axes[0]
		l.setPositionColumns(p.axes[0].degrees, p.axes[1].degrees)
	}
}

// isLongitudeFirst reports whether the first column of a position has the longitudes or the eastings. The names of
// the columns decide. If they do not show the order, the values of degrees decide. The values of northings and
// eastings are not checked here: isLongitudeFirst returns false and sets orderOpen, and settleGridOrder decides
// later.
func (l *tableLayout) isLongitudeFirst(p *positionColumns) bool {
	first := p.axes[0].degrees
	second := p.axes[1].degrees
	firstAxis := l.axisOf(first)
	secondAxis := l.axisOf(second)
	if firstAxis != "" || secondAxis != "" {
		isFirstLongitude := firstAxis == "lng" && secondAxis != "lng"
		isSecondLatitude := secondAxis == "lat" && firstAxis != "lat"
		return isFirstLongitude || isSecondLatitude
	}
	if p.grid {
		l.orderOpen = true
		return false
	}
	return l.settleOrderByRange(first, second)
}

// axisOf returns "lat" if a column is named as a latitude or a northing, "lng" if it is named as a longitude or an
// easting, otherwise "".
func (l *tableLayout) axisOf(column int) string {
	if column >= len(l.finder.columns) {
		return ""
	}
	c := &l.finder.columns[column]
	if c.axis == nil || c.axis.part == sidePart {
		return ""
	}
	isUnclear := c.axis.weak && len(headerWords(c.title)) > 2
	if isUnclear {
		return ""
	}
	return [...]string{"lat", "lng"}[c.axis.axis]
}

// settleOrderByRange reports whether the first of two columns has the longitudes, according to the values of all
// rows. It sets orderAssumed if no row shows the order, and orderMixed if some rows show one order and other rows the
// other.
func (l *tableLayout) settleOrderByRange(first, second int) (isLongitudeFirst bool) {
	latFirst := 0 // rows that must have the latitude first
	lngFirst := 0 // rows that must have the longitude first
	for scan := l.rows.start; scan.nextRecord(); {
		switch orderOfAngles(cellOf(scan.fields, first), cellOf(scan.fields, second)) {
		case LatLng:
			latFirst++
		case LngLat:
			lngFirst++
		}
	}
	l.orderMixed = latFirst > 0 && lngFirst > 0
	l.orderAssumed = latFirst == 0 && lngFirst == 0
	return lngFirst > 0 && latFirst == 0
}

// orderOfAngles returns the order of a latitude and a longitude in two cells. It uses their hemisphere letters and
// the range of the numbers. It returns "" if both orders are possible, or if a cell is not an angle.
func orderOfAngles(firstCell, secondCell []byte) AxisOrder {
	first, firstProblem := readAngle(firstCell, latitude)
	second, secondProblem := readAngle(secondCell, longitude)
	if firstProblem.isOf(WrongHemisphere) || secondProblem.isOf(WrongHemisphere) {
		return LngLat
	}
	if firstProblem != nil || secondProblem != nil {
		return ""
	}
	isFirstLatitude := math.Abs(first) <= 90
	isSecondLatitude := math.Abs(second) <= 90
	if !isFirstLatitude && isSecondLatitude {
		return LngLat
	}
	if isFirstLatitude && !isSecondLatitude {
		return LatLng
	}
	if hasLatitudeLetter(firstCell) {
		return LatLng
	}
	return ""
}

// hasLatitudeLetter reports whether a cell has the hemisphere letter of a latitude.
func hasLatitudeLetter(cell []byte) bool { return bytes.ContainsAny(cell, "NSns") }

// placeText matches texts that may be a position or a geometry. It is a quick check: most cells do not match, and
// only matching cells have to be parsed.
var placeText = newPattern(strings.Join([]string{
	`[0-9][.,][0-9]{3,}.*[^0-9].*[0-9][.,][0-9]{3,}`,
	`[0-9] ?[°ºd] ?[0-9]+.*[0-9]`,
	`^https?://`,
	`^geo:`,
	`^[2-9CFGHJMPQRVWX]{8}\+`,
	`^[0-9]{1,2}\s?[C-X] ?[A-Z]{2} ?[0-9]`,
	`^[0-9]{1,2}\s?[C-X]\s+0?[0-9]{6}`,
	`^(?i:UTM|MGRS)`,
	`^[HNSTO][A-Z] ?[0-9]{3,5} ?[0-9]{3,5}$`,
	`^[0-9]{4,7}(?:[.,][0-9]+)?[NS].*[0-9]{4,7}(?:[.,][0-9]+)?[EW]$`,
	`^[NS][0-9]{4,7}.*[EW][0-9]{4,7}`,
}, "|"))

// isPlace reports whether a cell is a position or a geometry. It does not look at the name of the column.
func isPlace(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if isHexWKB(cell) {
		return true
	}
	if len(cell) >= maxPair*10 && !isWKT(cell) {
		return false
	}
	if !isWKT(cell) && !placeText().Match(cell) && !strings.HasPrefix(string(cell), `{"type"`) {
		return false
	}
	_, problem := new(cellReader).readCell(cell) // fails for "Points" and "Point 1", which are names
	return problem == nil
}

// areDegrees reports whether all numbers in the coordinate columns can be degrees. It returns false if the columns
// have no numbers.
func (l *tableLayout) areDegrees() bool {
	hasDegrees := false
	for scan := l.rows.scanRows(); scan.nextRecord(); {
		for axis, column := range []int{l.columns.Latitude, l.columns.Longitude} {
			cell := bytes.TrimSpace(cellOf(scan.fields, column))
			if len(cell) == 0 {
				continue
			}
			degrees, isAngle := angleInCell(cell, angleAxis(axis))
			if math.Abs(degrees) > 360 || !isAngle && isMetricNumber(cell) {
				return false
			}
			hasDegrees = hasDegrees || isAngle
		}
	}
	return hasDegrees
}

// angleInCell returns the angle in a cell in degrees. isAngle is false if the cell has no angle. An angle whose
// hemisphere letter is wrong or ambiguous still counts as an angle.
func angleInCell(cell []byte, axis angleAxis) (degrees float64, isAngle bool) {
	degrees, problem := readAngle(cell, axis)
	isAngle = problem == nil || problem.isOf(WrongHemisphere) || problem.isOf(LetterAmbiguous)
	return degrees, isAngle
}

// isMetricNumber reports whether a cell has a number in the notation that is usual for metres, such as 5 394 868 m.
func isMetricNumber(cell []byte) bool {
	if !startsNumber(cell) {
		return false
	}
	_, isMetric := metres(cell)
	return isMetric
}
