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
	*builder
	records records
	columns Columns
	cells   cellReader
	need    int  // columns that a row must have
	grouped bool // rows may belong together
	radius  int  // column of a radius, which is not used, or -1

	latSide, lngSide int // columns of the sides of the world, or -1

	country, city memo // of the last row

	corners []corner // rows that may belong together
	groups  []group  // of corners
	byID    map[string]int
	failed  *Error
}

// parseCSV reads a delimited text in whichever encoding.
func parseCSV(data []byte, opts Options) (*Result, *Error) {
	text, failed := decode(data, "")
	if failed != nil {
		return nil, failed
	}
	if bytes.IndexByte(text.text, 0) >= 0 {
		return nil, fail(NotText, "this is not a text file; export the sites as KML or CSV")
	}
	r := &csvReader{builder: newBuilder(opts, FormatCSV), byID: make(map[string]int)}
	if text.code != "" {
		r.file(text.code, "%s", text.message)
	}
	delim, rest := hint(text.text)
	if delim == 0 {
		delim = delimiterOf(rest)
	}
	r.records = records{data: rest, delim: delim}
	r.progress = func() float64 { return float64(r.records.pos) / float64(len(rest)) }
	if !r.header() {
		return r.res, r.failed
	}
	r.rows()
	return r.result()
}

// header reads up to the first row of data and finds the columns.
func (r *csvReader) header() bool {
	if !r.record() {
		if r.failed == nil {
			r.failed = fail(EmptyFile, "the file is empty")
		}
		return false
	}
	if r.records.over > 0 {
		r.failed = fail(TooComplex, "more than %d columns", maxColumns)
		return false
	}
	for _, cell := range r.records.fields {
		r.res.Header = append(r.res.Header, string(cell))
	}
	first := r.records
	h := newHeader(r.res.Header)
	sample, filled := r.sample(len(r.res.Header))
	r.choose(h, sample)
	if r.failed != nil {
		return false
	}
	headless := r.headless(&first)
	if !filled && !headless {
		r.failed = fail(NoRows, "no rows below the header")
		return false
	}
	r.grouped = r.groupsRows()
	r.radius = h.find(radiusNames)
	r.latSide, r.lngSide = h.side(r.columns.Latitude), h.side(r.columns.Longitude)
	r.remarkHeader(h)
	if headless {
		r.records = records{data: first.data, delim: first.delim}
	}
	r.need = 1 + max(r.columns.Latitude, r.columns.Longitude)
	if r.columns.Latitude < 0 || r.columns.Longitude < 0 {
		r.need = 1 + r.columns.Geometry
	}
	return true
}

// choose finds the columns, or takes those chosen by hand.
func (r *csvReader) choose(h *header, sample [][]byte) {
	r.columns = h.columns(sample)
	if r.opts.Columns != nil {
		r.columns = *r.opts.Columns
	}
	if r.opts.Columns == nil && r.opts.Join != "" && !r.columns.located() && len(h.folded) == 2 {
		r.columns.Latitude, r.columns.Longitude = 0, 1
		if !r.headless(&r.records) {
			r.columns = EmptyColumns()
		}
	}
	r.res.Columns = r.columns
	switch {
	case r.opts.Columns != nil && (!r.columns.within(len(h.folded)) || !r.columns.located()):
		r.failed = fail(NoColumns, "the assigned columns do not match the file, which has %d", len(h.folded))
	case !r.columns.located():
		r.failed = r.unlocated(h)
	case r.opts.Columns == nil && h.xy(&r.columns) && !r.degrees():
		r.failed = projected()
	}
}

// headless reports whether the first record is one of data: it has coordinates
// where the columns chosen by hand, or those of rows to be joined, say.
func (r *csvReader) headless(first *records) bool {
	c := &r.columns
	if r.opts.Columns == nil && r.opts.Join == "" {
		return false
	}
	if c.Latitude < 0 || c.Longitude < 0 {
		return c.Geometry >= 0 && looksLikeGeometry([]byte(r.res.Header[c.Geometry]))
	}
	_, lat, _ := angle([]byte(r.res.Header[c.Latitude]), latitude)
	_, lng, _ := angle([]byte(r.res.Header[c.Longitude]), longitude)
	return lat == "" && lng == "" && first.row > 0
}

// sample returns the first cell of each column that is not blank, and whether
// there is any. It leaves the records where they are.
func (r *csvReader) sample(width int) (cells [][]byte, filled bool) {
	cells = make([][]byte, width)
	ahead := r.records
	ahead.fields, ahead.buf = nil, nil
	for rows := 0; rows < 50 && ahead.next(); rows++ {
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
		for !filled && ahead.next() {
			filled = !ahead.blank()
		}
	}
	return cells, filled || ahead.open
}

// degrees reports whether no value of the coordinate columns is out of range.
func (r *csvReader) degrees() bool {
	ahead := r.records
	ahead.fields, ahead.buf = nil, nil
	for ahead.next() {
		if len(ahead.fields) <= max(r.columns.Latitude, r.columns.Longitude) {
			continue
		}
		lat, code, _ := angle(ahead.fields[r.columns.Latitude], latitude)
		if code == "" && (lat < -90 || lat > 90) {
			return false
		}
		lng, code, _ := angle(ahead.fields[r.columns.Longitude], longitude)
		if code == "" && (lng < -180 || lng > 180) {
			return false
		}
	}
	return true
}

// unlocated says why no columns with coordinates were found.
func (r *csvReader) unlocated(h *header) *Error {
	if h.find(projectedNames) >= 0 {
		return projected()
	}
	return &Error{
		Code: NoColumns, Line: r.records.row,
		Message: `no columns with coordinates: the header must name "latitude" and "longitude", "points" or "wkt"`,
	}
}

func projected() *Error {
	return fail(ProjectedCoords, "the coordinates are projected (UTM?); export them as WGS 84 latitude and longitude")
}

func (r *csvReader) remarkHeader(h *header) {
	c := &r.columns
	used := []int{c.Label, c.ID, c.Sequence, c.Latitude, c.Longitude, c.Geometry, c.Country, c.City}
	for _, i := range h.twice {
		for _, u := range used {
			if u >= 0 && u != i && h.folded[u] == h.folded[i] {
				r.warn(Warning{
					Code: DuplicateColumn, Line: r.records.row, Index: -1,
					Message: "several columns are named " + strconv.Quote(oneLine([]byte(r.res.Header[i]))) + "; only the first is used",
				})
			}
		}
	}
	if r.radius >= 0 {
		r.file(RadiusIgnored, "the radius column is not used; each row is a point")
	}
}

// record goes to the next record that is not blank.
func (r *csvReader) record() bool {
	for r.records.next() {
		if !r.records.blank() {
			return true
		}
	}
	if r.records.open {
		r.failed = &Error{Code: OpenQuote, Line: r.records.row, Message: "a quoted cell has no closing quote"}
	}
	return false
}

func (r *csvReader) rows() {
	for r.record() {
		r.row()
	}
	if r.records.stray > 0 {
		r.warn(Warning{
			Code: StrayQuote, Line: r.records.stray, Index: -1,
			Message: "text after a closing quote was read as part of the cell",
		})
	}
	if r.failed == nil && len(r.corners) > 0 {
		r.join()
	}
}

// cell returns a cell of the record, nil where the row is too short.
func (r *csvReader) cell(i int) []byte {
	if i < 0 || i >= len(r.records.fields) {
		return nil
	}
	return r.records.fields[i]
}

// row reads the record as a placemark, or as a corner of one.
func (r *csvReader) row() {
	row := r.records.row
	since := r.mark()
	name := r.rowName(row)
	country, city := r.repeated(&r.country, r.columns.Country, row), r.repeated(&r.city, r.columns.City, row)
	var geometry []byte
	if r.columns.Geometry >= 0 {
		geometry = bytes.TrimSpace(r.cell(r.columns.Geometry))
	}
	switch {
	case len(geometry) > 0:
		r.geometry(geometry, row)
	case len(r.records.fields) < r.need:
		r.skip(ShortRow, row, strconv.Itoa(len(r.records.fields))+" of "+strconv.Itoa(len(r.res.Header))+" columns", nil)
	default:
		p, ok := r.position(row)
		if r.grouped {
			r.corner(p, ok, name, country, city)
			if ok {
				r.detach(since, name)
				return
			}
		}
		if !ok {
			break
		}
		r.addPoint(p, row)
	}
	if extra := len(r.records.fields) + r.records.over - len(r.res.Header); extra > 0 && len(r.res.Placemarks) > since.placemarks {
		r.warn(Warning{
			Code: ExtraCells, Line: row, Index: len(r.res.Placemarks) - 1,
			Message: strconv.Itoa(extra) + " cells beyond the header were ignored",
		})
	}
	r.finish(since, name, country, city)
}

// text returns a cell as a label.
func (r *csvReader) text(i, row int) string {
	cell := r.cell(i)
	if len(cell) > 1 && cell[0] == '\'' {
		cell = unguarded(cell)
	}
	return r.name(cell, row)
}

// memo is a cell and what came of it.
type memo struct {
	raw  []byte
	text string
}

// repeated returns a cell as a label where that is often the one above again.
func (r *csvReader) repeated(last *memo, i, row int) string {
	cell := r.cell(i)
	if len(cell) == 0 {
		return ""
	}
	if bytes.Equal(cell, last.raw) {
		return last.text
	}
	warnings := len(r.res.Warnings)
	text := r.text(i, row)
	if len(r.res.Warnings) == warnings { // else each row is to have its own
		last.raw, last.text = append(last.raw[:0], cell...), text
	}
	return text
}

// detach keeps warnings about a row that is to be part of a placemark from
// being taken for warnings about the next one.
func (r *csvReader) detach(since mark, name string) {
	for i := since.warnings; i < len(r.res.Warnings); i++ {
		w := &r.res.Warnings[i]
		w.Index, w.Placemark = -1, name
	}
}

// rowName returns the label of a row, or something that tells it apart.
func (r *csvReader) rowName(row int) string {
	name := r.text(r.columns.Label, row)
	if name == "" {
		name = r.text(r.columns.ID, row)
	}
	if name == "" {
		r.label = strconv.AppendInt(append(r.label[:0], "Row "...), int64(row), 10)
		name = r.names.string(r.label)
	}
	return name
}

// position reads latitude and longitude of the record.
func (r *csvReader) position(row int) (orb.Point, bool) {
	a, b := r.cell(r.columns.Latitude), r.cell(r.columns.Longitude)
	latSide, lngSide := r.latSide, r.lngSide
	if r.opts.SwapLatLng {
		a, b, latSide, lngSide = b, a, lngSide, latSide
	}
	lat, code, message := angle(a, latitude)
	lng := 0.0
	if code == "" {
		lng, code, message = angle(b, longitude)
	}
	switch {
	case code == CoordinatesMissing && len(bytes.TrimSpace(b)) == 0 && len(bytes.TrimSpace(a)) == 0:
		r.skip(code, row, "it has no coordinates", nil)
		return orb.Point{}, false
	case code != "":
		r.unread(code, row, message, a, b)
		return orb.Point{}, false
	}
	lat, lng = r.sided(lat, latSide), r.sided(lng, lngSide)
	p := orb.Point{lng, lat}
	if lat >= -90 && lat <= 90 && lng >= -180 && lng <= 180 {
		return p, true
	}
	if fixed, how, ok := r.mended(a, b); ok {
		r.offer(OutOfRange, row, fmt.Sprintf("%s and %s are not degrees", oneLine(a), oneLine(b)), fixed, how)
		return orb.Point{}, false
	}
	l := lister{t: tuples{points: []orb.Point{p}}}
	l.outOfRange(0, p)
	if r.vertex() {
		l.t.fixed = nil
	}
	r.reject(figure{kind: pointFigure, line: row}, &l.t)
	return orb.Point{}, false
}

// sided gives degrees the sign of the hemisphere that the file has in a column of its
// own.
func (r *csvReader) sided(degrees float64, column int) float64 {
	if column >= 0 {
		switch fold(string(r.cell(column))) {
		case "s", "south", "w", "west":
			return 0 - math.Abs(degrees) // which is never -0
		}
	}
	return degrees
}

// geometry adds the figures of a geometry cell.
func (r *csvReader) geometry(cell []byte, row int) {
	figures, code, message := r.cells.read(cell, &r.points)
	if code == "" && len(figures) == 0 {
		code, message = CoordinatesMissing, "it has no coordinates"
	}
	if code != "" {
		r.skip(code, row, message, nil)
		return
	}
	line := r.kind() == Linear && !isWKT(cell)
	for _, f := range figures {
		f.line = row
		if line && f.kind == polygonFigure && len(f.holes) == 0 {
			f.kind = lineFigure
		}
		r.checked(f)
	}
}

// checked adds a figure whose ranges are not checked yet.
func (r *csvReader) checked(f figure) {
	t := r.inRange(f.points, f.line)
	if t.problem != "" {
		r.reject(f, &t)
		return
	}
	f.points = t.points
	for i, hole := range f.holes {
		t := r.inRange(hole, f.line)
		f.holes[i] = t.points
		if t.problem != "" || closed(t.points) == nil {
			f.holes[i] = nil
			r.note(HoleUnreadable, f.line, "a hole could not be read and is not subtracted from the area")
		}
	}
	r.add(f)
}

// inRange checks the ranges of points.
func (r *csvReader) inRange(points []orb.Point, row int) tuples {
	l := lister{t: tuples{points: points}, swap: r.opts.SwapLatLng}
	l.accept()
	if l.t.wrapped > 0 {
		r.note(LongitudeWrapped, row, strconv.Itoa(l.t.wrapped)+" longitudes beyond 180 degrees were wrapped by 360")
	}
	return l.t
}

// kind reads the type column, "" where it says nothing.
func (r *csvReader) kind() Kind {
	if r.columns.Type < 0 {
		return ""
	}
	switch fold(string(r.cell(r.columns.Type))) {
	case "linear", "line", "linestring", "polyline", "path":
		return Linear
	case "area", "polygon":
		return Area
	}
	return ""
}

// result returns the result, or why there is none.
func (r *csvReader) result() (*Result, *Error) {
	if r.failed != nil {
		return nil, r.failed
	}
	res, err := r.done()
	if err == nil && len(res.Placemarks) == 0 {
		err = fail(NoRows, "no rows below the header")
	}
	return res, err
}
