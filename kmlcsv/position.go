package kmlcsv

import (
	"bytes"
	"math"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// coordinateReader reads the coordinates in the current row, and converts them to WGS 84.
type coordinateReader struct {
	out    *resultBuilder
	rows   *tableRows
	layout *tableLayout

	plain    bool // latitude and longitude have one column each, and no other column is needed
	grid     gridReader
	datum    datumReader
	packed   string    // packedMinutes or packedSeconds if degrees and minutes are in one number, otherwise ""
	scale    float64   // size of the unit of the coordinates in degrees, 0 if this unit is the degree
	letterO  angleAxis // meaning of O in a longitude: longitudeOEast, longitudeOWest, or longitude if it is not known
	unclearO bool      // some longitude has an O, and nothing shows whether it means east or west
}

func newCoordinateReader(out *resultBuilder, rows *tableRows, layout *tableLayout) *coordinateReader {
	return &coordinateReader{out: out, rows: rows, layout: layout, letterO: out.opts.LetterO.longitudeAxis()}
}

// readDegrees reads a latitude and a longitude. If the longitude has an O, which can mean east or west, it returns an
// error.
func readDegrees(lat, lng []byte) (orb.Point, *Error) { return readDegreesAs(lat, lng, longitude) }

// readDegreesAs reads a latitude and a longitude. lngAxis is longitudeOEast or longitudeOWest if the letter O in a
// longitude means east or west, and longitude if its meaning is not known.
func readDegreesAs(lat, lng []byte, lngAxis angleAxis) (p orb.Point, problem *Error) {
	p[1], problem = readAngle(lat, latitude)
	if problem != nil {
		return p, problem
	}
	p[0], problem = readAngle(lng, lngAxis)
	return p, problem
}

// readPosition reads a position of the current row. index selects the position if a row has several. If the position
// cannot be read, readPosition skips the row with a warning, and ok is false.
func (r *csvReader) readPosition(index int) (p orb.Point, ok bool) {
	lat := &r.layout.positions[index].axes[latitude]
	lng := &r.layout.positions[index].axes[longitude]
	if r.out.opts.SwapLatLng {
		lat, lng = lng, lat
	}
	latCell := r.rows.cellAt(lat.degrees)
	lngCell := r.rows.cellAt(lng.degrees)
	if !hasText(latCell) && !hasText(lngCell) {
		r.out.skipPlacemark(noCoordinates)
		return p, false
	}
	var problem *Error
	if r.coordinates.grid.metric {
		p, problem = r.coordinates.gridPosition(latCell, lngCell)
	} else {
		p, problem = r.coordinates.degreePosition(lat, lng)
	}
	if problem != nil {
		r.rejectPosition(p, latCell, lngCell, problem)
		return p, false
	}
	return p, true
}

// rejectPosition skips the row because of a problem with its position. If exactly one correction is possible, the
// warning includes the corrected placemark.
func (r *csvReader) rejectPosition(p orb.Point, lat, lng []byte, problem *Error) {
	rejected := tupleReader{points: []orb.Point{p}, problem: problem}
	if fixed, fix, ok := r.coordinates.mendPosition(lat, lng); ok {
		rejected.fixed = []orb.Point{fixed}
		rejected.fix = fix
	} else if problem.Code == OutOfRange && !r.coordinates.grid.metric {
		rejected.problem = nil // outOfRange sets a problem that names the coordinate, and perhaps a correction
		rejected.outOfRange(0, p)
	}
	if r.grouping.isVertex() { // a single vertex is not a site, even if corrected
		rejected.fixed = nil
	}
	r.out.rejectFigure(&rejected)
}

// degreePosition reads the latitude and the longitude of the current row and converts them to WGS 84. If the longitude
// has an O and it is not known yet whether O means east or west, degreePosition tries to find this out, and then reads
// the longitude again.
func (c *coordinateReader) degreePosition(lat, lng *axisColumns) (p orb.Point, problem *Error) {
	p, problem = c.readAxes(lat, lng)
	needsLetterO := problem.isOf(LetterAmbiguous)
	if needsLetterO && c.decideLetterO() { // readAxes now knows what the O means
		p, problem = c.readAxes(lat, lng)
	}
	if problem != nil {
		return p, problem
	}
	if !isOnGlobe(p) {
		return p, newError(OutOfRange, "%s and %s are not degrees", c.rows.cellAt(lat.degrees), c.rows.cellAt(lng.degrees))
	}
	if c.out.system != nil {
		return c.convertPoint(c.out.system, p)
	}
	return c.convertFromDatum(p)
}

// readAxes reads a latitude and a longitude of the current row. Each of them can be in several columns.
func (c *coordinateReader) readAxes(lat, lng *axisColumns) (p orb.Point, problem *Error) {
	if c.plain {
		return readDegreesAs(c.rows.cellAt(lat.degrees), c.rows.cellAt(lng.degrees), c.letterO)
	}
	p[1], problem = c.readAxis(lat, latitude)
	if problem != nil {
		return p, problem
	}
	p[0], problem = c.readAxis(lng, c.letterO)
	return p, problem
}

// readAxis reads a coordinate of the current row. It can be in several columns.
func (c *coordinateReader) readAxis(a *axisColumns, axis angleAxis) (degrees float64, problem *Error) {
	degrees, problem = c.readNumbers(a, axis)
	if problem != nil {
		return degrees, problem
	}
	if c.scale != 0 {
		degrees *= c.scale
	}
	if c.packed != "" {
		unpacked, ok := unpackAngle(degrees, c.packed)
		if !ok {
			return degrees, newError(CoordinatesUnreadable,
				"the minutes or seconds of the %v are 60 or more: %s", axis, c.rows.cellAt(a.degrees))
		}
		degrees = unpacked
	}
	hasSide := a.side >= 0 || a.letter != ""
	if !hasSide {
		return degrees, nil
	}
	return c.applySide(degrees, a, axis)
}

// readNumbers reads the degrees of a coordinate, or its degrees, minutes and seconds in separate columns.
func (c *coordinateReader) readNumbers(a *axisColumns, axis angleAxis) (float64, *Error) {
	if a.minutes >= 0 {
		return c.readParts(a, axis)
	}
	return readAngle(c.rows.cellAt(a.degrees), axis)
}

// readParts reads a coordinate whose degrees, minutes and seconds are in separate columns. The sign of the degrees,
// even of -0, is the sign of the result.
func (c *coordinateReader) readParts(a *axisColumns, axis angleAxis) (float64, *Error) {
	cell := bytes.TrimSpace(c.rows.cellAt(a.degrees))
	degrees, problem := readAngle(cell, axis)
	if problem != nil {
		return 0, problem
	}
	minutes, problem := c.readPart(a.minutes, "minutes", axis)
	if problem != nil {
		return 0, problem
	}
	seconds := 0.0
	if c.hasSeconds(a, minutes) {
		seconds, problem = c.readPart(a.seconds, "seconds", axis)
		if problem != nil {
			return 0, problem
		}
	}
	size := math.Abs(degrees) + minutes/60 + seconds/3600
	isNegative := bytes.HasPrefix(cell, []byte("-")) || degrees < 0 // also -0
	if isNegative {
		return -size, nil
	}
	return size, nil
}

// hasSeconds reports whether a coordinate has seconds. It returns false if the table has no column of seconds. It also
// returns false if the cell for the seconds is blank and the minutes have decimals, as in 8° 30.5'.
func (c *coordinateReader) hasSeconds(a *axisColumns, minutes float64) bool {
	if a.seconds < 0 {
		return false
	}
	areMinutesDecimal := minutes != math.Trunc(minutes)
	isBlank := len(c.partCell(a.seconds)) == 0
	return !areMinutesDecimal || !isBlank
}

// partCell returns the text of minutes or seconds without the sign ' or " at its end.
func (c *coordinateReader) partCell(column int) []byte {
	return bytes.TrimRight(bytes.TrimSpace(c.rows.cellAt(column)), "'\"′″")
}

// readPart reads minutes or seconds.
func (c *coordinateReader) readPart(column int, name string, axis angleAxis) (float64, *Error) {
	cell := c.partCell(column)
	if len(cell) == 0 {
		return 0, newError(CoordinatesMissing, "the %s of the %v are empty", name, axis)
	}
	part, problem := readAngle(cell, axis)
	if problem != nil || part < 0 || part >= 60 {
		return 0, newError(CoordinatesUnreadable, "the %s of the %v are not 0 to 60: %s", name, axis, cell)
	}
	return part, nil
}

// applySide returns degrees with the sign of their hemisphere: -9.1 for 9.1 and W. The hemisphere is in a column or in
// the header.
func (c *coordinateReader) applySide(degrees float64, a *axisColumns, axis angleAxis) (float64, *Error) {
	side := a.letter
	if a.side >= 0 {
		side = foldName(string(c.rows.cellAt(a.side)))
	}
	if side == "" {
		return withoutSide(degrees, axis)
	}
	side, problem := resolveO(side, axis)
	if problem != nil {
		return 0, problem
	}
	positive, negative := axis.hemisphereWords()
	if positive[side] {
		return degrees, nil // a minus sign counts, too: -9.1 E is in the west
	}
	if negative[side] {
		return 0 - math.Abs(degrees), nil // -9.1 W is in the west, too; unlike -math.Abs, this never returns -0
	}
	return 0, newError(WrongHemisphere, "the hemisphere of the %v is not readable: %s", axis, c.rows.cellAt(a.side))
}

// withoutSide checks degrees whose hemisphere is missing, because the cell in the column for the hemisphere is blank.
// It returns an error for positive degrees, because their hemisphere is unknown. It returns negative degrees and 0
// unchanged.
func withoutSide(degrees float64, axis angleAxis) (float64, *Error) {
	if degrees > 0 {
		return 0, newError(WrongHemisphere, "the hemisphere of the %v is missing", axis)
	}
	return degrees, nil
}

// resolveO replaces the hemisphere O by e or w. O means east in some languages and west in others; axis is
// longitudeOEast or longitudeOWest if the meaning is known. In a longitude, the digit 0 counts as a mistyped O. Any
// other hemisphere is returned unchanged. If the meaning of O is not known, resolveO returns an error.
func resolveO(side string, axis angleAxis) (string, *Error) {
	isZero := axis != latitude && side == "0"
	if side != "o" && !isZero {
		return side, nil
	}
	meaning := axis.meaningOfO()
	if meaning == "" {
		return "", newError(LetterAmbiguous, "the %v is ambiguous, O can mean east or west", axis)
	}
	return meaning, nil
}

// hemisphereWords returns the words for the positive hemisphere, which is north or east, and for the negative
// hemisphere, which is south or west.
func (a angleAxis) hemisphereWords() (positive, negative map[string]bool) {
	if a == latitude {
		return northWords, southWords
	}
	return eastWords, westWords
}

// completeColumns finds the further columns of the positions, such as the hemispheres and the other corners of a row.
// It returns an error if the table has a column of minutes that does not clearly belong to one of the columns of
// degrees.
func (r *csvReader) completeColumns() *Error {
	if !r.layout.columns.hasPosition() {
		r.completeGeometry()
		return nil
	}
	r.geometries.findCorners()
	r.coordinates.plain = r.coordinates.scale == 0 && r.coordinates.packed == ""
	for i := range r.layout.positions {
		for axis := range r.layout.positions[i].axes {
			failed := r.completeAxis(&r.layout.positions[i].axes[axis], angleAxis(axis))
			if failed != nil {
				return failed
			}
		}
	}
	return nil
}

// completeGeometry prepares reading the geometries of a table without columns for a latitude and a longitude. The table
// has one column with geometries, or a column for each corner.
func (r *csvReader) completeGeometry() {
	r.layout.positions = nil
	finder := r.layout.finder
	r.geometries.cells.hasLists = slices.Contains(templateNames, finder.columns[r.layout.columns.Geometry].folded)
	wordsOfCorner := func(i int) []string { return headerWords(finder.columns[finder.corners[i]].title) }
	r.geometries.useCornerNames(len(finder.corners), wordsOfCorner)
	hasDegreeColumns := len(finder.findDegreePositions()) > 0
	if len(finder.corners) > 0 && hasDegreeColumns {
		r.out.warnFile(DuplicateColumn, "several columns have coordinates; only the corners from %q on are used",
			[]byte(r.out.res.Header[finder.corners[0]]))
	}
}

// completeAxis finds the column with the hemisphere of a coordinate. It returns an error if the table has a column of
// minutes and it is not clear whether the minutes belong to this coordinate.
func (r *csvReader) completeAxis(a *axisColumns, axis angleAxis) *Error {
	isDegrees := !r.coordinates.grid.metric
	if isDegrees && a.side < 0 {
		a.side = r.layout.finder.findSide(a, axis)
	}
	if a.side >= 0 && r.rows.isBlankColumn(a.side) {
		a.side = -1
	}
	if a.side >= 0 || a.letter != "" || a.minutes >= 0 {
		r.coordinates.plain = false
	}
	if isDegrees && a.minutes < 0 && !r.layout.byValue {
		return r.checkMinutes(a)
	}
	return nil
}

// checkMinutes returns an error if the table has a column of minutes that does not clearly belong to one of the
// columns of degrees. Ignoring the minutes would put the sites in the wrong place.
func (r *csvReader) checkMinutes(a *axisColumns) *Error {
	sample := r.layout.finder.columns[a.degrees].sample
	if len(bytes.TrimSpace(sample)) == 0 {
		return nil
	}
	degrees, problem := readAngle(sample, r.coordinates.letterO)
	hasDecimals := degrees != math.Trunc(degrees) // minutes cannot be added to degrees with decimals
	if problem != nil || hasDecimals {
		return nil
	}
	for i, column := range slices.Backward(r.layout.finder.columns) {
		words := headerWords(layoutText(column.title))
		if i != a.degrees && hasLongWord(words, minuteWords) && !hasLongWord(words, measureWords) {
			return newError(NoColumns, "the column %q looks like minutes of a coordinate, "+
				"but which one is not clear; name the columns like Lat Deg, Lat Min, Lat Sec", []byte(column.title))
		}
	}
	return nil
}

// hasLongWord reports whether one of the words has more than one letter and is in the set.
func hasLongWord(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(word string) bool { return len(word) > 1 && set[word] })
}

// townOf describes the town or the country of a position for a message, such as "near Bern,
// Switzerland". It returns "" if the position is not on the globe.
func townOf(p orb.Point) string {
	if !isOnGlobe(p) {
		return ""
	}
	place := places.Lookup(p)
	if place.Country == "" {
		return "at sea"
	}
	if isAtTown(&place) {
		return "near " + place.City + ", " + place.Country
	}
	return "in " + place.Country + ", far from any town"
}

// trial returns a copy of the builder for reading the same file in another way, to see where the sites would be. Its
// result is empty.
func (b *resultBuilder) trial() *resultBuilder {
	trial := *b
	trial.places.out = &trial
	trial.res = &Result{Header: b.res.Header, Layout: b.res.Layout}
	trial.conversions = conversionLog{}
	trial.zeroes = nil
	trial.names = textArena{} // two builders must not write into the same memory
	trial.label = nil
	trial.opts.NoPlaces = true
	return &trial
}

// trial returns a copy of the reader for reading the same rows in another way, to see where the sites would be. The
// copy has an empty result and starts above the first row of data. Reading with the copy does not change r, because
// both share only what does not change while rows are read.
func (r *csvReader) trial() *csvReader {
	out := r.out.trial()
	rows := r.rows.restarted()
	layout := r.layout.copyFor(rows)
	trial := *r
	trial.out = out
	trial.rows = rows
	trial.layout = layout
	trial.coordinates = r.coordinates.copyFor(out, rows, layout)
	trial.geometries = &geometryReader{
		out: out, rows: rows, layout: layout, coordinates: trial.coordinates,
		cells: r.geometries.cells, outline: r.geometries.outline,
	}
	trial.grouping = newRowGrouping(out, rows, layout)
	trial.description = &descriptionReader{out: out, rows: rows, layout: layout}
	return &trial
}

// restarted returns a copy of the rows. Its next row is the first row of data.
func (t *tableRows) restarted() *tableRows {
	rows := *t
	rows.current = t.scanRows()
	return &rows
}

// copyFor returns a copy of the layout that belongs to other rows.
func (l *tableLayout) copyFor(rows *tableRows) *tableLayout {
	layout := *l
	layout.rows = rows
	return &layout
}

// copyFor returns a copy of the reader that belongs to another builder, other rows and another layout. It has the same
// settings, but has not read any row yet.
func (c *coordinateReader) copyFor(out *resultBuilder, rows *tableRows, layout *tableLayout) *coordinateReader {
	coordinates := *c
	coordinates.out = out
	coordinates.rows = rows
	coordinates.layout = layout
	coordinates.datum.rowText = nil
	coordinates.grid.rowText = nil
	coordinates.grid.rowSystem = nil
	return &coordinates
}

// firstPosition returns the first position in the first rows of the table, read with the current settings. The second
// result is false if these rows have no position.
func (r *csvReader) firstPosition() (orb.Point, bool) {
	trial := r.trial()
	for range maxHeadRows {
		if !trial.nextRecord() {
			break
		}
		if p, ok := trial.positionOfRecord(); ok {
			return p, true
		}
	}
	return orb.Point{}, false
}

// positionOfRecord returns the position of the current row: the first point of its geometry, or the position in its
// coordinate columns. ok is false if the current row has no usable position.
func (r *csvReader) positionOfRecord() (p orb.Point, ok bool) {
	hasGeometryColumn := r.layout.columns.Geometry >= 0
	if hasGeometryColumn {
		r.readRow()
		if len(r.out.res.Placemarks) == 0 {
			return p, false
		}
		return r.out.res.Placemarks[0].Points()[0], true
	}
	if r.isHeading() {
		return p, false
	}
	p, ok = r.readPosition(0)
	return p, ok && p != zeroPosition
}
