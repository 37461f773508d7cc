package kmlcsv

import (
	"bytes"
	"math"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// readDegrees reads a latitude and a longitude.
func readDegrees(lat, lng []byte) (orb.Point, *Error) { return readDegreesAs(lat, lng, longitude) }

// readDegreesAs reads a latitude and a longitude. lngAxis decides what an O in the longitude means.
func readDegreesAs(lat, lng []byte, lngAxis angleAxis) (p orb.Point, problem *Error) {
	p[1], problem = readAngle(lat, latitude)
	if problem != nil {
		return p, problem
	}
	p[0], problem = readAngle(lng, lngAxis)
	return p, problem
}

// readPosition reads a position of the record, by its index in r.positions. If that fails, it skips
// the row.
func (r *csvReader) readPosition(index int) (p orb.Point, ok bool) {
	lat := &r.positions[index].axes[latitude]
	lng := &r.positions[index].axes[longitude]
	if r.opts.SwapLatLng {
		lat, lng = lng, lat
	}
	latCell := r.cellAt(lat.degrees)
	lngCell := r.cellAt(lng.degrees)
	if len(bytes.TrimSpace(latCell))+len(bytes.TrimSpace(lngCell)) == 0 {
		r.skipPlacemark(noCoordinates)
		return p, false
	}
	var problem *Error
	if r.grid.metric {
		p, problem = r.gridPosition(latCell, lngCell)
	} else {
		p, problem = r.degreePosition(lat, lng)
	}
	if problem != nil {
		r.rejectPosition(p, latCell, lngCell, problem)
		return p, false
	}
	return p, true
}

// rejectPosition skips the row because of its position. The warning has a correction if exactly one
// is possible.
func (r *csvReader) rejectPosition(p orb.Point, lat, lng []byte, problem *Error) {
	l := tupleReader{points: []orb.Point{p}, problem: problem}
	if fixed, fix, ok := r.mendPosition(lat, lng); ok {
		l.fixed = []orb.Point{fixed}
		l.fix = fix
	} else if problem.Code == OutOfRange && !r.grid.metric {
		l.problem = nil
		l.outOfRange(0, p)
	}
	if r.isVertex() { // a correction would make it a site, but the site that it is a vertex of stays skipped
		l.fixed = nil
	}
	r.rejectFigure(&l)
}

// degreePosition reads the latitude and the longitude of the record and converts them to WGS 84.
func (r *csvReader) degreePosition(lat, lng *axisColumns) (p orb.Point, problem *Error) {
	if r.plain {
		p, problem = readDegreesAs(r.cellAt(lat.degrees), r.cellAt(lng.degrees), r.letterO)
	} else if p[1], problem = r.readAxis(lat, latitude); problem == nil {
		p[0], problem = r.readAxis(lng, r.letterO)
	}
	if problem.isOf(LetterAmbiguous) && r.decideLetterO() {
		return r.degreePosition(lat, lng)
	}
	if problem != nil {
		return p, problem
	}
	if !isOnGlobe(p) {
		return p, newError(OutOfRange, "%s and %s are not degrees", r.cellAt(lat.degrees), r.cellAt(lng.degrees))
	}
	if r.system != nil {
		return r.convertPoint(r.system, p)
	}
	return r.convertFromDatum(p)
}

// readAxis reads a coordinate of the record, which can be in several columns.
func (r *csvReader) readAxis(a *axisColumns, axis angleAxis) (v float64, problem *Error) {
	if a.minutes >= 0 {
		v, problem = r.readParts(a, axis)
	} else {
		v, problem = readAngle(r.cellAt(a.degrees), axis)
	}
	if problem != nil {
		return v, problem
	}
	if r.scale != 0 {
		v *= r.scale
	}
	if r.packed != "" {
		degrees, ok := unpackAngle(v, r.packed)
		if !ok {
			return v, newError(CoordinatesUnreadable,
				"the minutes or seconds of the %v are 60 or more: %s", axis, r.cellAt(a.degrees))
		}
		v = degrees
	}
	if a.side < 0 && a.letter == "" {
		return v, nil
	}
	return r.applySide(v, a, axis)
}

// readParts reads degrees, minutes and seconds in separate columns.
func (r *csvReader) readParts(a *axisColumns, axis angleAxis) (float64, *Error) {
	cell := bytes.TrimSpace(r.cellAt(a.degrees))
	v, problem := readAngle(cell, axis)
	if problem != nil {
		return 0, problem
	}
	isNegative := bytes.HasPrefix(cell, []byte("-")) || v < 0
	v = math.Abs(v)
	minutes, problem := r.readPart(a.minutes, "minutes", axis)
	if problem != nil {
		return 0, problem
	}
	v += minutes / 60
	haveMinutesDecimals := minutes != math.Trunc(minutes)
	isSecondsBlank := a.seconds >= 0 && len(r.partCell(a.seconds)) == 0
	if a.seconds >= 0 && (!isSecondsBlank || !haveMinutesDecimals) {
		seconds, problem := r.readPart(a.seconds, "seconds", axis)
		if problem != nil {
			return 0, problem
		}
		v += seconds / 3600
	}
	if isNegative {
		v = -v
	}
	return v, nil
}

// partCell returns the minutes or seconds in a column without their sign.
func (r *csvReader) partCell(column int) []byte {
	return bytes.TrimRight(bytes.TrimSpace(r.cellAt(column)), "'\"′″")
}

// readPart reads minutes or seconds.
func (r *csvReader) readPart(column int, name string, axis angleAxis) (float64, *Error) {
	cell := r.partCell(column)
	if len(cell) == 0 {
		return 0, newError(CoordinatesMissing, "the %s of the %v are empty", name, axis)
	}
	part, problem := readAngle(cell, axis)
	if problem != nil || part < 0 || part >= 60 {
		return 0, newError(CoordinatesUnreadable, "the %s of the %v are not 0 to 60: %s", name, axis, cell)
	}
	return part, nil
}

// applySide returns degrees with the sign of their hemisphere, which a column or the header names.
func (r *csvReader) applySide(degrees float64, a *axisColumns, axis angleAxis) (float64, *Error) {
	letter := a.letter
	if a.side >= 0 {
		letter = foldName(string(r.cellAt(a.side)))
	}
	if letter == "" {
		isOptional := a.side < 0 || degrees <= 0
		if isOptional {
			return degrees, nil
		}
		return 0, newError(WrongHemisphere, "the hemisphere of the %v is missing", axis)
	}
	isLetterO := letter == "o" || letter == "0" && axis != latitude
	if isLetterO {
		letter = axis.meaningOfO()
		if letter == "" {
			return 0, newError(LetterAmbiguous, "the %v is ambiguous, O can mean east or west", axis)
		}
	}
	isPositive := eastWords[letter]
	isNegative := westWords[letter]
	if axis == latitude {
		isPositive = northWords[letter]
		isNegative = southWords[letter]
	}
	if isNegative {
		return 0 - math.Abs(degrees), nil // never -0
	}
	if isPositive {
		return degrees, nil
	}
	return 0, newError(WrongHemisphere, "the hemisphere of the %v is not readable: %s", axis, r.cellAt(a.side))
}

// findSides finds the columns with hemispheres, and the further positions of a row.
func (r *csvReader) findSides() {
	if !r.columns.hasPosition() {
		r.positions = nil
		r.cells.isList = slices.Contains(templateNames, r.folded[r.columns.Geometry])
		r.useCornerNames(len(r.corners), func(i int) []string { return headerWords(r.titles[r.corners[i]]) })
		if len(r.corners) > 0 && len(r.headerFinder.positions(false)) > 0 {
			r.warnFile(DuplicateColumn, "several columns have coordinates; only the corners from %q on are used",
				[]byte(r.res.Header[r.corners[0]]))
		}
		return
	}
	r.findCorners()
	r.plain = r.scale == 0 && r.packed == ""
	for i := range r.positions {
		for axis := range r.positions[i].axes {
			a := &r.positions[i].axes[axis]
			if a.side < 0 && !r.grid.metric {
				a.side = r.findSide(a, angleAxis(axis))
			}
			if a.side >= 0 && r.isBlankColumn(a.side) {
				a.side = -1
			}
			if a.side >= 0 || a.letter != "" || a.minutes >= 0 {
				r.plain = false
			}
			if a.minutes < 0 && !r.grid.metric && !r.byValue {
				r.refuseParts(a)
			}
		}
	}
}

// isBlankColumn reports whether a column is blank in all rows.
func (r *csvReader) isBlankColumn(column int) bool {
	for scan := r.scanRows(); scan.nextRecord(); {
		if len(bytes.TrimSpace(cellOf(scan.fields, column))) > 0 {
			return false
		}
	}
	return true
}

// refuseParts fails if the table has a column of minutes that could not be matched to degrees.
// Without the minutes, the sites would be in the wrong place.
func (r *csvReader) refuseParts(a *axisColumns) {
	if len(bytes.TrimSpace(r.sample[a.degrees])) == 0 {
		return
	}
	v, problem := readAngle(r.sample[a.degrees], r.letterO)
	if problem != nil || v != math.Trunc(v) {
		return
	}
	for i, title := range r.titles {
		words := headerWords(layoutText(title))
		has := func(set map[string]bool) bool {
			return slices.ContainsFunc(words, func(w string) bool { return set[w] && len(w) > 1 })
		}
		if i != a.degrees && has(minuteWords) && !has(measureWords) {
			r.failed = newError(NoColumns, "the column %q looks like minutes of a coordinate, "+
				"but which one is not clear; name the columns like Lat Deg, Lat Min, Lat Sec", []byte(title))
		}
	}
}

// townOf describes the town or country of a position for a message, such as "near Bern,
// Switzerland".
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

// trial returns a reader of the same rows that does not change the result.
func (r *csvReader) trial() *csvReader {
	trial := *r
	builder := *r.resultBuilder
	builder.res = &Result{Header: r.res.Header, Layout: r.res.Layout}
	builder.conversions = nil
	builder.zeroes = nil
	builder.opts.NoPlaces = true
	trial.resultBuilder = &builder
	trial.records = r.scanRows()
	trial.grouped = false
	trial.groups = nil
	return &trial
}

// firstPosition returns the first position of the table, read with the current settings.
func (r *csvReader) firstPosition() (p orb.Point, ok bool) {
	trial := r.trial()
	for range maxHeadRows {
		if !trial.nextRecord() {
			break
		}
		if trial.columns.Geometry >= 0 {
			trial.readRow()
			if len(trial.res.Placemarks) > 0 {
				return trial.res.Placemarks[0].Points()[0], true
			}
			continue
		}
		if trial.isHeading() {
			continue
		}
		if p, ok := trial.readPosition(0); ok && p != zeroPosition {
			return p, true
		}
	}
	return p, false
}
