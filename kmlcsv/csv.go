package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
)

// csvReader reads the rows of a delimited text.
type csvReader struct {
	*resultBuilder
	records recordReader
	columns Columns
	cells   cellReader
	need    int  // columns that a row must have
	grouped bool // rows may belong together
	radius  int  // column of a radius, which is not used, or -1

	latSide, lngSide int // columns of the sides of the world, or -1

	country, city cellMemo // of the last row

	corners []cornerRow   // rows that may belong together
	groups  []cornerGroup // of corners
	byID    map[string]int
	failed  *Error
}

// parseCSV reads a delimited text in whichever encoding.
func parseCSV(data []byte, opts Options) (*Result, *Error) {
	text, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	if bytes.IndexByte(text.text, 0) >= 0 {
		return nil, newError(NotText, "this is not a text file; export the sites as KML or CSV")
	}
	r := &csvReader{resultBuilder: newBuilder(opts, FormatCSV), byID: make(map[string]int)}
	if text.code != "" {
		r.warnFile(text.code, "%s", text.message)
	}
	delim, rest := delimiterHint(text.text)
	if delim == 0 {
		delim = delimiterOf(rest)
	}
	r.records = recordReader{data: rest, delim: delim}
	r.progress = func() float64 { return float64(r.records.pos) / float64(len(rest)) }
	if !r.readHeader() {
		return r.res, r.failed
	}
	r.readRows()
	return r.csvResult()
}

// readHeader reads up to the first row of data and finds the columns.
func (r *csvReader) readHeader() bool {
	if !r.nextRecord() {
		if r.failed == nil {
			r.failed = newError(EmptyFile, "the file is empty")
		}
		return false
	}
	if r.records.over > 0 {
		r.failed = newError(TooComplex, "more than %d columns", maxColumns)
		return false
	}
	for _, cell := range r.records.fields {
		r.res.Header = append(r.res.Header, string(cell))
	}
	first := r.records
	h := newHeader(r.res.Header)
	sample, filled := r.sampleCells(len(r.res.Header))
	r.chooseColumns(h, sample)
	if r.failed != nil {
		return false
	}
	headless := r.isHeadless(&first)
	if !filled && !headless {
		r.failed = newError(NoRows, "no rows below the header")
		return false
	}
	r.grouped = r.groupsRows()
	r.radius = h.findColumn(radiusNames)
	r.latSide, r.lngSide = h.findSide(r.columns.Latitude), h.findSide(r.columns.Longitude)
	r.remarkHeader(h)
	if headless {
		r.records = recordReader{data: first.data, delim: first.delim}
	}
	r.need = 1 + max(r.columns.Latitude, r.columns.Longitude)
	if r.columns.Latitude < 0 || r.columns.Longitude < 0 {
		r.need = 1 + r.columns.Geometry
	}
	return true
}

// chooseColumns finds the columns, or takes those chosen by hand.
func (r *csvReader) chooseColumns(h *headerFinder, sample [][]byte) {
	r.columns = h.findColumns(sample)
	if r.opts.Columns != nil {
		r.columns = *r.opts.Columns
	}
	if r.opts.Columns == nil && r.opts.Join != "" && !r.columns.hasLocation() && len(h.folded) == 2 {
		r.columns.Latitude, r.columns.Longitude = 0, 1
		if !r.isHeadless(&r.records) {
			r.columns = EmptyColumns()
		}
	}
	r.res.Columns = r.columns
	switch {
	case r.opts.Columns != nil && (!r.columns.fitsWidth(len(h.folded)) || !r.columns.hasLocation()):
		r.failed = newError(NoColumns, "the assigned columns do not match the file, which has %d", len(h.folded))
	case !r.columns.hasLocation():
		r.failed = r.unlocatedError(h)
	case r.opts.Columns == nil && h.isXY(&r.columns) && !r.areDegrees():
		r.failed = projectedError()
	}
}

// isHeadless reports whether the first record is one of data: it has coordinates
// where the columns chosen by hand, or those of rows to be joined, say.
func (r *csvReader) isHeadless(first *recordReader) bool {
	c := &r.columns
	if r.opts.Columns == nil && r.opts.Join == "" {
		return false
	}
	if c.Latitude < 0 || c.Longitude < 0 {
		return c.Geometry >= 0 && looksLikeGeometry([]byte(r.res.Header[c.Geometry]))
	}
	_, lat, _ := readAngle([]byte(r.res.Header[c.Latitude]), latitude)
	_, lng, _ := readAngle([]byte(r.res.Header[c.Longitude]), longitude)
	return lat == "" && lng == "" && first.row > 0
}

// sampleCells returns the first cell of each column that is not blank, and whether
// there is any. It leaves the records where they are.
func (r *csvReader) sampleCells(width int) (cells [][]byte, filled bool) {
	cells = make([][]byte, width)
	ahead := r.records
	ahead.fields, ahead.buf = nil, nil
	for rows := 0; rows < 50 && ahead.nextRecord(); rows++ {
		for i, f := range ahead.fields[:min(width, len(ahead.fields))] {
			if f = bytes.TrimSpace(f); len(f) > 0 {
				filled = true
				if len(cells[i]) == 0 {
					cells[i] = slices.Clone(f)
				}
			}
		}
	}
	if !filled {
		for !filled && ahead.nextRecord() {
			filled = !ahead.isBlank()
		}
	}
	return cells, filled || ahead.open
}

// areDegrees reports whether no value of the coordinate columns is out of range.
func (r *csvReader) areDegrees() bool {
	ahead := r.records
	ahead.fields, ahead.buf = nil, nil
	for ahead.nextRecord() {
		if len(ahead.fields) <= max(r.columns.Latitude, r.columns.Longitude) {
			continue
		}
		lat, code, _ := readAngle(ahead.fields[r.columns.Latitude], latitude)
		if code == "" && (lat < -90 || lat > 90) {
			return false
		}
		lng, code, _ := readAngle(ahead.fields[r.columns.Longitude], longitude)
		if code == "" && (lng < -180 || lng > 180) {
			return false
		}
	}
	return true
}

// unlocatedError says why no columns with coordinates were found.
func (r *csvReader) unlocatedError(h *headerFinder) *Error {
	if h.findColumn(projectedNames) >= 0 {
		return projectedError()
	}
	return &Error{
		Code: NoColumns, Line: r.records.row,
		Message: `no columns with coordinates: the header must name "latitude" and "longitude", "points" or "wkt"`,
	}
}

func projectedError() *Error {
	return newError(ProjectedCoords, "the coordinates are projected (UTM?); export them as WGS 84 latitude and longitude")
}

func (r *csvReader) remarkHeader(h *headerFinder) {
	c := &r.columns
	used := []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City}
	for _, i := range h.twice {
		for _, u := range used {
			if u >= 0 && u != i && h.folded[u] == h.folded[i] {
				r.addWarning(Warning{
					Code: DuplicateColumn, Line: r.records.row, Index: -1,
					Message: "several columns are named " + strconv.Quote(oneLine([]byte(r.res.Header[i]))) + "; only the first is used",
				})
			}
		}
	}
	if r.radius >= 0 {
		r.warnFile(RadiusIgnored, "the radius column is not used; each row is a point")
	}
}

// nextRecord goes to the next record that is not blank.
func (r *csvReader) nextRecord() bool {
	for r.records.nextRecord() {
		if !r.records.isBlank() {
			return true
		}
	}
	if r.records.open {
		r.failed = &Error{Code: OpenQuote, Line: r.records.row, Message: "a quoted cell has no closing quote"}
	}
	return false
}

func (r *csvReader) readRows() {
	for r.nextRecord() {
		r.readRow()
	}
	if r.records.stray > 0 {
		r.addWarning(Warning{
			Code: StrayQuote, Line: r.records.stray, Index: -1,
			Message: "text after a closing quote was read as part of the cell",
		})
	}
	if r.failed == nil && len(r.corners) > 0 {
		r.joinCorners()
	}
}

// cellAt returns a cell of the record, nil where the row is too short.
func (r *csvReader) cellAt(i int) []byte {
	if i < 0 || i >= len(r.records.fields) {
		return nil
	}
	return r.records.fields[i]
}

// readRow reads the record as a placemark, or as a corner of one.
func (r *csvReader) readRow() {
	row := r.records.row
	since := r.currentMark()
	name := r.rowName(row)
	country, city := r.repeatedText(&r.country, r.columns.Country, row), r.repeatedText(&r.city, r.columns.City, row)
	var geometry []byte
	if r.columns.Geometry >= 0 {
		geometry = bytes.TrimSpace(r.cellAt(r.columns.Geometry))
	}
	switch {
	case len(geometry) > 0:
		r.addGeometry(geometry, row)
	case len(r.records.fields) < r.need:
		r.skipPlacemark(ShortRow, row, strconv.Itoa(len(r.records.fields))+" of "+strconv.Itoa(len(r.res.Header))+" columns", nil)
	default:
		p, ok := r.readPosition(row)
		if r.grouped {
			r.addCorner(p, ok, name, country, city)
			if ok {
				r.detachWarnings(since, name)
				return
			}
		}
		if !ok {
			break
		}
		r.addPoint(p, row)
	}
	if extra := len(r.records.fields) + r.records.over - len(r.res.Header); extra > 0 && len(r.res.Placemarks) > since.placemarks {
		r.addWarning(Warning{
			Code: ExtraCells, Line: row, Index: len(r.res.Placemarks) - 1,
			Message: strconv.Itoa(extra) + " cells beyond the header were ignored",
		})
	}
	r.finishSince(since, name, country, city)
}

// cellText returns a cell as a label.
func (r *csvReader) cellText(i, row int) string {
	cell := r.cellAt(i)
	if len(cell) > 1 && cell[0] == '\'' {
		cell = stripApostrophe(cell)
	}
	return r.makeName(cell, row)
}

// cellMemo is a cell and what came of it.
type cellMemo struct {
	raw  []byte
	text string
}

// repeatedText returns a cell as a label where that is often the one above again.
func (r *csvReader) repeatedText(last *cellMemo, i, row int) string {
	cell := r.cellAt(i)
	if len(cell) == 0 {
		return ""
	}
	if bytes.Equal(cell, last.raw) {
		return last.text
	}
	warnings := len(r.res.Warnings)
	text := r.cellText(i, row)
	if len(r.res.Warnings) == warnings { // else each row is to have its own
		last.raw, last.text = append(last.raw[:0], cell...), text
	}
	return text
}

// detachWarnings keeps warnings about a row that is to be part of a placemark from
// being taken for warnings about the next one.
func (r *csvReader) detachWarnings(since resultMark, name string) {
	for i := since.warnings; i < len(r.res.Warnings); i++ {
		w := &r.res.Warnings[i]
		w.Index, w.Placemark = -1, name
	}
}

// rowName returns the label of a row, or something that tells it apart.
func (r *csvReader) rowName(row int) string {
	name := r.cellText(r.columns.Label, row)
	if name == "" {
		name = r.cellText(r.columns.ID, row)
	}
	if name == "" {
		r.label = strconv.AppendInt(append(r.label[:0], "Row "...), int64(row), 10)
		name = r.names.makeString(r.label)
	}
	return name
}

// readPosition reads latitude and longitude of the record.
func (r *csvReader) readPosition(row int) (orb.Point, bool) {
	a, b := r.cellAt(r.columns.Latitude), r.cellAt(r.columns.Longitude)
	latSide, lngSide := r.latSide, r.lngSide
	if r.opts.SwapLatLng {
		a, b, latSide, lngSide = b, a, lngSide, latSide
	}
	lat, code, message := readAngle(a, latitude)
	lng := 0.0
	if code == "" {
		lng, code, message = readAngle(b, longitude)
	}
	switch {
	case code == CoordinatesMissing && len(bytes.TrimSpace(b)) == 0 && len(bytes.TrimSpace(a)) == 0:
		r.skipPlacemark(code, row, "it has no coordinates", nil)
		return orb.Point{}, false
	case code != "":
		r.skipUnread(code, row, message, a, b)
		return orb.Point{}, false
	}
	lat, lng = r.applyHemisphere(lat, latSide), r.applyHemisphere(lng, lngSide)
	p := orb.Point{lng, lat}
	if lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180 {
		return p, true
	}
	if fixed, how, ok := r.mendPosition(a, b); ok {
		r.offerFix(OutOfRange, row, fmt.Sprintf("%s and %s are not degrees", oneLine(a), oneLine(b)), fixed, how)
		return orb.Point{}, false
	}
	l := tupleReader{t: tupleList{points: []orb.Point{p}}}
	l.outOfRange(0, p)
	if r.isVertex() {
		l.t.fixed = nil
	}
	r.rejectFigure(rawFigure{kind: pointFigure, line: row}, &l.t)
	return orb.Point{}, false
}

// applyHemisphere gives degrees the sign of the hemisphere that the file has in a column of its
// own.
func (r *csvReader) applyHemisphere(degrees float64, column int) float64 {
	if column >= 0 {
		switch foldName(string(r.cellAt(column))) {
		case "s", "south", "w", "west":
			return 0 - math.Abs(degrees) // which is never -0
		}
	}
	return degrees
}

// addGeometry adds the figures of a geometry cell.
func (r *csvReader) addGeometry(cell []byte, row int) {
	figures, code, message := r.cells.readCell(cell, &r.points)
	if code == "" && len(figures) == 0 {
		code, message = CoordinatesMissing, "it has no coordinates"
	}
	if code != "" {
		r.skipPlacemark(code, row, message, nil)
		return
	}
	line := r.readKind() == Linear && !isWKT(cell)
	for _, f := range figures {
		f.line = row
		if line && f.kind == polygonFigure && len(f.holes) == 0 {
			f.kind = lineFigure
		}
		r.addChecked(f)
	}
}

// addChecked adds a figure whose ranges are not checked yet.
func (r *csvReader) addChecked(f rawFigure) {
	t := r.inRange(f.points, f.line)
	if t.problem != "" {
		r.rejectFigure(f, &t)
		return
	}
	f.points = t.points
	for i, hole := range f.holes {
		t := r.inRange(hole, f.line)
		f.holes[i] = t.points
		if t.problem != "" || closeRing(t.points) == nil {
			f.holes[i] = nil
			r.warnPlacemark(HoleUnreadable, f.line, "a hole could not be read and is not subtracted from the area")
		}
	}
	r.addFigure(f)
}

// inRange checks the ranges of points.
func (r *csvReader) inRange(points []orb.Point, row int) tupleList {
	l := tupleReader{t: tupleList{points: points}, swap: r.opts.SwapLatLng}
	l.acceptPairs()
	if l.t.wrapped > 0 {
		r.warnPlacemark(LongitudeWrapped, row, strconv.Itoa(l.t.wrapped)+" longitudes beyond 180 degrees were wrapped by 360")
	}
	return l.t
}

// readKind reads the type column, "" where it says nothing.
func (r *csvReader) readKind() Kind {
	if r.columns.Type < 0 {
		return ""
	}
	switch foldName(string(r.cellAt(r.columns.Type))) {
	case "linear", "line", "linestring", "polyline", "path":
		return Linear
	case "area", "polygon":
		return Area
	}
	return ""
}

// csvResult returns the result, or why there is none.
func (r *csvReader) csvResult() (*Result, *Error) {
	if r.failed != nil {
		return nil, r.failed
	}
	res, err := r.finishResult()
	if err == nil && len(res.Placemarks) == 0 {
		err = newError(NoRows, "no rows below the header")
	}
	return res, err
}
