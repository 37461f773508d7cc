package kmlcsv

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"

	"flightdesk/kmlcsv/places"
)

// maxAbove bounds the rows above the header.
const maxAbove = 50

// noHeader is the index of the header of a table without one.
const noHeader = -1

// findHeader finds the header and the columns: by the names of columns in a row, else by
// the values in the rows below.
func (r *csvReader) findHeader() {
	if r.opts.HeaderRow < 0 {
		r.useHeader(noHeader)
		r.readByValue()
		return
	}
	if r.findNamedHeader() {
		return
	}
	r.useHeader(r.chosenHeader())
	r.readByValue()
}

// chosenHeader returns the row that a person chose as the header, noHeader if none.
func (r *csvReader) chosenHeader() int {
	if r.opts.HeaderRow <= 0 {
		return noHeader
	}
	i := slices.IndexFunc(r.head, func(row recordReader) bool { return row.row >= r.opts.HeaderRow })
	return max(i, 0)
}

// findNamedHeader finds the first row whose cells are names of columns with coordinates,
// and reports whether there is one.
func (r *csvReader) findNamedHeader() bool {
	rows := r.head[:min(len(r.head), maxAbove)]
	if i := r.chosenHeader(); i >= 0 {
		return r.acceptGrouped(i) || r.acceptHeader(i, cellTexts(r.head[i].fields))
	}
	hasWordsOnly := func(i int) bool { return i < len(rows) && isWords(rows[i].fields) }
	for i := range rows {
		titles := cellTexts(rows[i].fields)
		if r.acceptGrouped(i + 1) {
			return true
		}
		if len(titles) > 1 && r.acceptHeader(i, titles) {
			return true
		}
		if i > 0 && hasWordsOnly(i) && r.acceptHeader(i, joinTitles(rows[i-1].fields, titles)) {
			return true
		}
		if len(titles) == 1 && r.acceptHeader(i, titles) {
			return true
		}
	}
	return false
}

// isWords reports whether no cell of a row starts as a number does.
func isWords(cells [][]byte) bool {
	return !slices.ContainsFunc(cells, func(cell []byte) bool { return startsNumber(bytes.TrimSpace(cell)) })
}

// acceptGrouped takes two rows for the header if the upper one groups columns that have the same
// names in row i: Deg, Min and Sec below Latitude and Longitude, or Lat and Lon below each corner.
func (r *csvReader) acceptGrouped(i int) bool {
	if i < 1 || i >= len(r.head) || !isWords(r.head[i].fields) {
		return false
	}
	titles := cellTexts(r.head[i].fields)
	if !r.acceptHeader(i, joinTitles(r.head[i-1].fields, titles)) || len(r.positions) == 0 {
		return false
	}
	hasParts := r.positions[0].axes[latitude].minutes >= 0
	hasCorners := len(r.positions) > 1 && len(newHeaderFinder(titles).twice) > 1
	return hasParts || hasCorners
}

// acceptHeader takes a row for the header if the names in it are those of coordinates.
func (r *csvReader) acceptHeader(i int, titles []string) bool {
	for _, sampled := range []bool{false, true} {
		r.useTitles(i, titles, sampled)
		c, positions := r.findLocation()
		isNumbered := len(positions) > 1 // N1 and E1 are no degrees if there are N2 and E2
		if !c.HasLocation() || !isNumbered && r.isDataRow(i, &c) {
			continue
		}
		r.findMeanings(&c, positions)
		r.header, r.columns, r.positions = i, c, positions
		return true
	}
	return false
}

// joinTitles puts the names of groups of columns, which are written once above several
// columns, before the names of the columns.
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

// isDataRow reports whether a row has coordinates in the columns that it would name.
func (r *csvReader) isDataRow(i int, c *Columns) bool {
	fields := r.head[i].fields
	if c.hasPosition() {
		_, problem := readDegrees(cellOf(fields, c.Latitude), cellOf(fields, c.Longitude))
		return problem == nil
	}
	return isPlace(cellOf(fields, c.Geometry))
}

// cellOf returns a cell of a row, nil if the row is too short.
func cellOf(fields [][]byte, i int) []byte {
	if i < 0 || i >= len(fields) {
		return nil
	}
	return fields[i]
}

// useHeader uses row i of the first rows as the header, or none for noHeader, and the rows
// below it as data.
func (r *csvReader) useHeader(i int) {
	r.header = i
	var titles []string
	if i >= 0 {
		titles = cellTexts(r.head[i].fields)
	} else {
		width := 0
		for _, row := range r.head {
			width = max(width, len(row.fields))
		}
		titles = make([]string, width)
	}
	r.headerFinder = newHeaderFinder(titles)
	r.sampleRows(max(i+1, 0), false)
}

// useTitles takes names for those of the columns, and the rows below row i for the rows
// below them. With places, a sample is a cell with a place if the column has one.
func (r *csvReader) useTitles(i int, titles []string, places bool) {
	r.headerFinder = newHeaderFinder(titles)
	r.sampleRows(i+1, places)
}

// sampleRows finds the first cell of each column that is not blank, from a row on. With
// places it is the first cell with a place.
func (r *csvReader) sampleRows(from int, places bool) {
	r.rows = r.head[min(from, len(r.head)):]
	r.sample = make([][]byte, len(r.titles))
	isFound := make([]bool, len(r.titles))
	for _, row := range r.rows {
		for k, cell := range row.fields[:min(len(r.sample), len(row.fields))] {
			cell = bytes.TrimSpace(cell)
			if len(r.sample[k]) == 0 {
				r.sample[k] = cell
			}
			if places && !isFound[k] && r.isGeometryCell(cell) {
				r.sample[k], isFound[k] = cell, true
			}
		}
	}
}

// isGeometryCell reports whether a cell of the first rows looks like a geometry. Each text
// is looked at once, because the rows are sampled for each row that may be the header.
func (r *csvReader) isGeometryCell(cell []byte) bool {
	isGeometry, isKnown := r.geometryCells[string(cell)]
	if !isKnown {
		isGeometry = looksLikeGeometry(cell)
		r.geometryCells[string(cell)] = isGeometry
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

// columnValues counts what the cells of a column are.
type columnValues struct {
	filled   int // cells that are not blank
	degrees  int // latitudes or longitudes
	exact    int // degrees with decimals, or with minutes
	decimals int // the most decimals that most degrees have
	metres   int // numbers that are too large for degrees
	places   int // positions or geometries
}

// valuesOfColumns counts the cells of the first rows.
func (r *csvReader) valuesOfColumns() []columnValues {
	values := make([]columnValues, len(r.titles))
	for i, row := range r.head {
		if i == r.header {
			continue
		}
		for k, cell := range row.fields[:min(len(values), len(row.fields))] {
			values[k].add(bytes.TrimSpace(cell))
		}
	}
	return values
}

// add counts a cell.
func (v *columnValues) add(cell []byte) {
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
	// decimalText is a number that can be a latitude or a longitude.
	decimalText = regexp.MustCompile(`^(?:=")?'?[-+−]?1?[0-9]{1,2}(?:[.,][0-9]+)?°?"?$`)
	// angleText are degrees with a letter or with minutes.
	angleText = regexp.MustCompile(`(?i)^[NSEWOZ]?\s*-?[0-9]{1,3}([.,][0-9]+)?\s*[°ºd: ]?.*[0-9.'"′″°NSEWOZ]$`)
	// loosePair are two numbers with decimals, which can be a latitude and a longitude.
	loosePair = regexp.MustCompile(`^[-+]?1?[0-9]{1,2}[.][0-9]+°?\s*[,; /]\s*[-+]?1?[0-9]{1,2}[.][0-9]+°?$`)
	// loosePairCommas is a pair with decimal commas.
	loosePairCommas = regexp.MustCompile(`^[-+]?1?[0-9]{1,2},[0-9]+°?\s*[; /|]\s*[-+]?1?[0-9]{1,2},[0-9]+°?$`)
)

func isDecimalDegrees(cell []byte) bool {
	if !decimalText.Match(cell) {
		return false
	}
	v, problem := readAngle(cell, longitude)
	return problem == nil && math.Abs(v) <= 180
}

// decimalsOf returns how many decimals a number has.
func decimalsOf(cell []byte) int {
	i := bytes.LastIndexAny(cell, ".,")
	if i < 0 {
		return 0
	}
	return len(bytes.TrimRight(cell[i+1:], "°\""))
}

// isAngleText reports whether a cell has one angle, with letters or minutes.
func isAngleText(cell []byte) bool {
	if !angleText.Match(cell) || !bytes.ContainsAny(cell, "°ºd:'\"NSEWOZnsewoz ") {
		return false
	}
	for _, axis := range []angleAxis{latitude, longitude, longitudeOWest} {
		if _, problem := readAngle(cell, axis); problem == nil {
			return true
		}
	}
	return false
}

func isLoosePair(cell []byte) bool { return loosePair.Match(cell) || loosePairCommas.Match(cell) }

// isGridNumber reports whether a cell has a number that can be a northing or an easting.
func isGridNumber(cell []byte) bool {
	v, ok := metres(cell)
	return ok && math.Abs(v) >= 10_000
}

// readByValue finds the columns by the values in them.
func (r *csvReader) readByValue() {
	r.columns = EmptyColumns()
	r.positions = nil
	chosen := r.header >= 0
	values := r.valuesOfColumns()
	if i := placeColumn(values); i >= 0 {
		r.columns.Geometry = i
		r.byValue = true
		r.nameByValue(chosen, func(fields [][]byte) bool { return isPlaceCell(cellOf(fields, i)) })
		return
	}
	first, second, metric := r.angleColumns(values, nil)
	if second < 0 {
		return
	}
	r.columns.Latitude, r.columns.Longitude = first, second
	isData := func(fields [][]byte) bool { return r.isPositionRow(fields, metric) }
	r.nameByValue(chosen, isData)
	a, b, isMetric := r.angleColumns(values, r.headerFinder)
	if b < 0 { // the names say that they are something else
		r.columns.Latitude, r.columns.Longitude = -1, -1
		return
	}
	if a != first || b != second {
		first, second, metric = a, b, isMetric
		r.columns.Latitude, r.columns.Longitude = first, second
		r.nameByValue(chosen, isData)
	}
	if !metric && r.hasFurtherPosition(first, second) {
		r.columns.Latitude, r.columns.Longitude = -1, -1
		r.severalPositions = true
		return
	}
	r.byValue = true
	r.positions = []positionColumns{{
		axes: [2]axisColumns{newAxisColumns(first), newAxisColumns(second)},
		grid: metric,
	}}
	r.orderByValue(metric)
}

// nearbyDegrees is how far apart the positions in one row can be that belong together, in degrees.
const nearbyDegrees = 0.5

// hasFurtherPosition reports whether two columns beside each other have degrees near those of two
// other columns in every row: the rows have several positions, such as the corners of a site.
func (r *csvReader) hasFurtherPosition(latColumn, lngColumn int) bool {
	for other := max(latColumn, lngColumn) + 1; other+1 < len(r.titles); other++ {
		if r.areNearby([2]int{latColumn, lngColumn}, [2]int{other, other + 1}) {
			return true
		}
	}
	return false
}

// areNearby reports whether the degrees in two columns are near those in two other columns, in
// all of the first rows.
func (r *csvReader) areNearby(columns, others [2]int) bool {
	rows := 0
	for i, row := range r.head {
		if i == r.header {
			continue
		}
		for axis := range columns {
			cell := bytes.TrimSpace(cellOf(row.fields, columns[axis]))
			other := bytes.TrimSpace(cellOf(row.fields, others[axis]))
			if !isDecimalDegrees(cell) || !isDecimalDegrees(other) || decimalsOf(other) == 0 {
				return false
			}
			a, _ := readAngle(cell, longitude)
			b, _ := readAngle(other, longitude)
			if math.Abs(a-b) > nearbyDegrees {
				return false
			}
		}
		rows++
	}
	return rows > 0
}

// isPlaceCell reports whether a cell has a place or a pair of numbers.
func isPlaceCell(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	return isLoosePair(cell) || isPlace(cell)
}

// placeColumn returns the column with mostly places, -1 if no column or several columns
// have them: which one is the site is not known then.
func placeColumn(values []columnValues) int {
	found := -1
	for i, v := range values {
		isMostly := v.places > 0 && v.places*2 >= v.filled-3
		switch {
		case isMostly && found >= 0:
			return -1
		case isMostly:
			found = i
		}
	}
	return found
}

// angleColumns returns the two columns that are likely a latitude and a longitude, or
// a northing and an easting. names excludes columns by their names, nil for none.
func (r *csvReader) angleColumns(values []columnValues, names *headerFinder) (first, second int, metric bool) {
	var degrees, metres []int
	for i := range values {
		v := &values[i]
		if names != nil && names.isOther(i) {
			continue
		}
		if v.degrees > 0 && v.degrees*10 >= 7*(v.filled-2) && v.exact*2 >= v.degrees {
			degrees = append(degrees, i)
		}
		if v.metres > 0 && v.metres*10 >= 7*(v.filled-2) {
			metres = append(metres, i)
		}
	}
	switch {
	case len(metres) >= 2 && len(degrees) < 2:
		return metres[0], metres[1], true
	case len(degrees) < 2:
		return -1, -1, false
	}
	// Coordinates have more decimals than heights and sizes.
	precise := slices.DeleteFunc(slices.Clone(degrees), func(i int) bool {
		return values[i].decimals < 3*values[i].degrees
	})
	if len(precise) == 2 && len(degrees) > 2 {
		degrees = precise
	}
	return degrees[0], degrees[1], false
}

// isOther reports whether the name of a column says that it has no coordinate.
func (h *headerFinder) isOther(i int) bool {
	if i >= len(h.titles) {
		return false
	}
	if h.isAxis[i] && h.axes[i].part != sidePart {
		return false
	}
	return slices.ContainsFunc(headerWords(layoutText(h.titles[i])), func(w string) bool {
		return measureWords[w] || areaWords[w] || areaUnits[w] > 0 || counterWords[w] || qualityWords[w]
	})
}

// isPositionRow reports whether a row has a position in the columns.
func (r *csvReader) isPositionRow(fields [][]byte, metric bool) bool {
	for _, column := range []int{r.columns.Latitude, r.columns.Longitude} {
		cell := bytes.TrimSpace(cellOf(fields, column))
		isValue := isDecimalDegrees(cell) || isAngleText(cell)
		if metric {
			isValue = isGridNumber(cell)
		}
		if !isValue {
			return false
		}
	}
	return true
}

// nameByValue finds the header above the first row of data, unless a person chose it,
// and the columns that say something about the sites.
func (r *csvReader) nameByValue(chosen bool, isData func(fields [][]byte) bool) {
	if !chosen {
		first := slices.IndexFunc(r.head, func(row recordReader) bool { return isData(row.fields) })
		r.useHeader(r.headerAbove(first))
	}
	c := r.columns
	if widest := max(c.Latitude, c.Longitude, c.Geometry); widest >= len(r.titles) { // the header is too short
		header := r.header
		r.headerFinder = newHeaderFinder(append(r.titles, make([]string, widest+1-len(r.titles))...))
		r.sampleRows(max(header+1, 0), false)
	}
	r.findMeanings(&c, []positionColumns{{axes: [2]axisColumns{newAxisColumns(c.Latitude), newAxisColumns(c.Longitude)}}})
	r.columns = c
}

// headerAbove returns the row above the first row of data whose cells can be the names of
// the columns with coordinates, noHeader if there is none.
func (r *csvReader) headerAbove(first int) int {
	for i := first - 1; i >= 0 && i < maxAbove; i-- {
		isName := func(column int) bool {
			cell := bytes.TrimSpace(cellOf(r.head[i].fields, column))
			return column < 0 || len(cell) > 0 && !startsNumber(cell) && !isUnit(cell)
		}
		c := &r.columns
		if isName(c.Latitude) && isName(c.Longitude) && isName(c.Geometry) {
			return i
		}
	}
	return noHeader
}

// startsNumber reports whether a cell starts as a number does, damaged or not.
func startsNumber(cell []byte) bool {
	cell = bytes.TrimLeft(cell, `-+−'"=(`)
	return len(cell) > 0 && isDigit(cell[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// orderByValue finds out which of two unnamed columns is the latitude: by one name, by
// letters, or by the range. Otherwise the latitude is first.
func (r *csvReader) orderByValue(metric bool) {
	p := &r.positions[0]
	first, second := p.axes[0].degrees, p.axes[1].degrees
	turned := false
	switch a, b := r.axisOf(first), r.axisOf(second); {
	case a == "lng" && b != "lng" || b == "lat" && a != "lat":
		turned = true
	case a != "" || b != "":
	case metric:
		r.orderOpen = true
	default:
		turned = r.orderByRange(first, second)
	}
	if turned {
		p.axes[0], p.axes[1] = p.axes[1], p.axes[0]
		r.columns.Latitude, r.columns.Longitude = second, first
	}
}

// axisOf returns "lat" or "lng" if the name of a column says so, otherwise "".
func (r *csvReader) axisOf(column int) string {
	if column >= len(r.isAxis) || !r.isAxis[column] || r.axes[column].part == sidePart {
		return ""
	}
	if r.axes[column].weak && len(headerWords(r.titles[column])) > 2 {
		return ""
	}
	return [...]string{"lat", "lng"}[r.axes[column].axis]
}

// orderByRange reports whether the first column has longitudes, by all rows. It notes that
// the order is only assumed, or that the rows contradict each other.
func (r *csvReader) orderByRange(first, second int) (turned bool) {
	var asIs, exchanged int
	scan := r.start
	for scan.nextRecord() {
		a, b := cellOf(scan.fields, first), cellOf(scan.fields, second)
		lat, problem := readAngle(a, latitude)
		_, otherProblem := readAngle(b, longitude)
		lng, _ := readAngle(b, longitude)
		isLettered := problem.isOf(WrongHemisphere) || otherProblem.isOf(WrongHemisphere)
		switch {
		case isLettered:
			exchanged++
		case problem != nil || otherProblem != nil:
		case math.Abs(lat) > 90 && math.Abs(lng) <= 90:
			exchanged++
		case math.Abs(lng) > 90 && math.Abs(lat) <= 90:
			asIs++
		case hasAxisLetter(a):
			asIs++
		}
	}
	switch {
	case asIs > 0 && exchanged > 0:
		r.orderMixed = true
	case asIs == 0 && exchanged == 0:
		r.orderAssumed = true
	}
	return exchanged > 0 && asIs == 0
}

// hasAxisLetter reports whether a cell that is read as a latitude has its letter.
func hasAxisLetter(cell []byte) bool { return bytes.ContainsAny(cell, "NSns") }

func isAtTown(place *places.Place) bool { return place.City != "" && !place.IsFar }

var placeText = regexp.MustCompile(
	`[0-9][.,][0-9]{3,}.*[^0-9].*[0-9][.,][0-9]{3,}|[0-9] ?[°ºd] ?[0-9]+.*[0-9]|^https?://|^geo:|^[2-9CFGHJMPQRVWX]{8}\+|^[0-9]{1,2}\s?[C-X] ?[A-Z]{2} ?[0-9]|^[0-9]{1,2}\s?[C-X]\s+0?[0-9]{6}|^(?i:UTM|MGRS)|^[HNSTO][A-Z] ?[0-9]{3,5} ?[0-9]{3,5}$|^[0-9]{4,7}(?:[.,][0-9]+)?[NS].*[0-9]{4,7}(?:[.,][0-9]+)?[EW]$|^[NS][0-9]{4,7}.*[EW][0-9]{4,7}`,
)

// isPlace reports whether a cell has a place, whatever its column is called.
func isPlace(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if isHexWKB(cell) {
		return true
	}
	if len(cell) >= maxPair*10 && !isWKT(cell) {
		return false
	}
	if !isWKT(cell) && !placeText.Match(cell) && !strings.HasPrefix(string(cell), `{"type"`) {
		return false
	}
	_, problem := new(cellReader).readCell(cell) // "Points" is the name of a column, "Point 1" of a site
	return problem == nil
}
