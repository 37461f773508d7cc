package kmlcsv

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// csvReader reads the rows of a delimited text.
type csvReader struct {
	*resultBuilder
	*headerFinder
	records recordReader
	head    []recordReader // at the first rows that are not blank
	header  int            // which of them is the header
	columns Columns
	cells   cellReader
	need    int  // columns that a row must have
	grouped bool // rows may belong together
	radius  int  // column of a radius, which is not used, or -1

	sides   map[int]hemisphere // of the coordinate columns
	further [][2]int           // latitudes and longitudes of a row after the first ones
	metric  bool               // coordinates are northings and eastings
	zone    int                // column of their zone, or -1
	scale   float64            // of the degrees, where they are written as integers

	above [2]cellMemo // country and city of the last row

	groups []cornerGroup // rows that may belong together
	byID   map[string]int
	failed *Error
}

// parseCSV reads a delimited text in whichever encoding.
func parseCSV(data []byte, opts Options) (*Result, *Error) {
	text, note, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, newError(NotText, "this is not a text file; export the sites as KML or CSV")
	}
	r := &csvReader{resultBuilder: newResultBuilder(opts, FormatCSV), byID: make(map[string]int)}
	if note != nil {
		r.warnFile(note.Code, "%s", note.Message)
	}
	delim, rest := delimiterHint(text)
	if delim == 0 {
		delim = delimiterOf(rest)
	}
	delim = cmp.Or(opts.Separator, delim)
	r.records = recordReader{data: rest, delim: delim}
	r.readHead()
	r.res.Layout = Layout{Rows: r.firstRows(), Separator: delim}
	r.progress = func() float64 { return float64(r.records.pos) / float64(len(rest)) }
	if !r.readHeader() {
		return r.res, r.failed
	}
	r.readRows()
	return r.csvResult()
}

// readHead reads the first rows.
func (r *csvReader) readHead() {
	for ahead := r.records; len(r.head) < 2*maxAbove && ahead.nextRecord(); {
		if !ahead.isBlank() {
			r.head = append(r.head, ahead)
		}
		ahead.fields, ahead.buf = make([][]byte, 0, len(ahead.fields)), nil // the row keeps its own
	}
}

// readHeader reads up to the first row of data and finds the columns.
func (r *csvReader) readHeader() bool {
	if len(r.head) == 0 {
		if r.nextRecord(); r.failed == nil {
			r.failed = newError(EmptyFile, "the file is empty")
		}
		return false
	}
	if r.head[0].over > 0 {
		r.failed = newError(TooComplex, "more than %d columns", maxColumns)
		return false
	}
	first := r.findHeader()
	r.records = r.head[r.header]
	r.res.Header = r.titles
	r.res.Layout.HeaderRow = r.records.row
	if r.chooseColumns(); r.failed != nil {
		return false
	}
	headless := r.opts.HeaderRow < 0 || r.opts.HeaderRow == 0 && r.isHeadless()
	if r.header+1 == len(r.head) && !headless {
		if r.nextRecord(); r.failed == nil {
			r.failed = newError(NoRows, "no rows below the header")
		}
		return false
	}
	r.grouped = r.groupsRows()
	r.radius = r.findColumn(radiusNames)
	r.findSides()
	r.warnHeader()
	if headless {
		r.res.Layout.HeaderRow = -1
		r.records = recordReader{data: r.records.data, delim: r.records.delim}
		for r.records.row+1 < r.head[first].row {
			r.nextRecord()
		}
	}
	r.need = 1 + max(r.columns.Latitude, r.columns.Longitude)
	if !r.columns.hasPosition() {
		r.need = 1 + r.columns.Geometry
	}
	return true
}

// chooseColumns finds the columns, or takes those chosen by hand.
func (r *csvReader) chooseColumns() {
	r.columns = r.findColumns()
	switch {
	case r.opts.Columns != nil:
		r.columns = *r.opts.Columns
	case r.columns.HasLocation():
	case r.opts.Join == "":
		r.chooseByValue()
	case len(r.folded) == 2:
		r.columns.Latitude, r.columns.Longitude = 0, 1
		if !r.isHeadless() {
			r.columns = EmptyColumns()
		}
	}
	r.res.Columns = r.columns
	switch {
	case r.opts.Columns != nil && (slices.Max(r.columns.all()) >= len(r.folded) || !r.columns.HasLocation()):
		r.failed = newError(NoColumns, "the assigned columns do not match the file, which has %d", len(r.folded))
	case !r.columns.HasLocation():
		r.res.Columns = r.guessColumns(r.columns)
		r.failed = &Error{
			Code:    NoColumns,
			Line:    r.records.row,
			Message: `no columns with coordinates: the header must name "latitude" and "longitude", or "points", or "wkt"`,
		}
	default:
		r.failed = r.chooseSystem()
	}
}

// firstRows returns the first rows for a layout.
func (r *csvReader) firstRows() (rows [][]string) {
	for _, at := range r.head {
		if at.row > layoutRows {
			break
		}
		row := make([]string, len(at.fields))
		for i, cell := range at.fields {
			row[i] = layoutText(string(cell))
		}
		rows = append(append(rows, make([][]string, at.row-len(rows)-1)...), row)
	}
	return rows
}

func layoutText(cell string) string {
	return strings.ToValidUTF8(cell[:min(len(cell), layoutCell)], "")
}

// guessColumns adds columns that are not known: one that is named as a geometry, the
// first that can be a latitude and a longitude, and the first of words.
func (h *headerFinder) guessColumns(c Columns) Columns {
	c.Geometry = h.findColumn(geometryNames)
	for _, i := range angleColumns(h.sample) {
		switch {
		case c.Latitude < 0:
			c.Latitude = i
		case c.Longitude < 0 && i != c.Latitude:
			c.Longitude = i
		}
	}
	c.Label = h.guessLabel(c.Label)
	return c
}

// guessLabel returns a known column, or the first with words that are no place and that
// is not named as a geometry.
func (h *headerFinder) guessLabel(known int) int {
	if known >= 0 {
		return known
	}
	for i, cell := range h.sample {
		_, problem := readAngle(cell, longitude)
		isWords := problem != nil && wordText.Match(cell) && !isPlace(cell)
		if isWords && !slices.Contains(geometryNames, h.folded[i]) {
			return i
		}
	}
	return -1
}

// angleColumns returns the columns of a row that can be a latitude or a longitude.
func angleColumns(cells [][]byte) (columns []int) {
	for i, cell := range cells {
		if _, problem := readAngle(cell, longitude); problem == nil {
			columns = append(columns, i)
		}
	}
	return columns
}

// chooseByValue finds the columns by their values where the names say nothing.
func (r *csvReader) chooseByValue() {
	c := columnsByValue(r.records.fields)
	if !c.HasLocation() {
		c = columnsByValue(r.sample)
	}
	if c.HasLocation() {
		r.columns.Label = r.guessLabel(r.columns.Label)
	}
	r.columns.Latitude, r.columns.Longitude, r.columns.Geometry = c.Latitude, c.Longitude, c.Geometry
	if c.Latitude >= 0 {
		r.warnFile(
			PlaceGuessed,
			"columns %d and %d were read as latitude and longitude by their values",
			c.Latitude+1,
			c.Longitude+1,
		)
	}
}

// isHeadless reports whether the first record is one of data: it has coordinates
// in the columns of coordinates.
func (r *csvReader) isHeadless() bool {
	c := &r.columns
	if !c.hasPosition() {
		if c.Geometry < 0 || len(r.res.Header[c.Geometry]) == 0 {
			return false
		}
		figures, problem := r.cells.readCell([]byte(r.res.Header[c.Geometry]))
		return problem == nil && len(figures) > 0
	}
	_, problem := readDegrees([]byte(r.res.Header[c.Latitude]), []byte(r.res.Header[c.Longitude]))
	return problem == nil
}

// headerAt takes one of the first rows for the header, and finds the first cell
// of each column that is not blank, in the rows below it from one on.
func (r *csvReader) headerAt(i, from int) {
	sample := make([][]byte, len(r.head[i].fields))
	for _, row := range r.head[from:min(len(r.head), i+1+maxAbove)] {
		for k, cell := range row.fields[:min(len(sample), len(row.fields))] {
			if len(sample[k]) == 0 {
				sample[k] = bytes.TrimSpace(cell)
			}
		}
	}
	r.headerFinder = newHeaderFinder(cellTexts(r.head[i].fields))
	r.sample = sample
}

// areDegrees reports whether no value of the coordinate columns is out of range.
func (r *csvReader) areDegrees() bool {
	ahead := r.records
	ahead.fields, ahead.buf = nil, nil
	for ahead.nextRecord() {
		if len(ahead.fields) <= max(r.columns.Latitude, r.columns.Longitude) {
			continue
		}
		lat, _ := readAngle(ahead.fields[r.columns.Latitude], latitude) // 0 for what is none
		lng, _ := readAngle(ahead.fields[r.columns.Longitude], longitude)
		if !isOnGlobe(orb.Point{lng, lat}) {
			return false
		}
	}
	return true
}

// warnHeader warns about columns that are not used.
func (r *csvReader) warnHeader() {
	r.line = r.records.row
	for _, i := range r.twice {
		isUsed := func(u int) bool { return u >= 0 && u != i && r.folded[u] == r.folded[i] }
		if slices.ContainsFunc(r.columns.all(), isUsed) {
			r.warnLine(
				DuplicateColumn,
				"several columns are named %q; only the first is used",
				[]byte(r.res.Header[i]),
			)
		}
	}
	if r.radius >= 0 {
		r.warnFile(RadiusIgnored, "the radius column is not used; each row is a point")
	}
}

// nextRecord goes to the next record that is not blank.
func (r *csvReader) nextRecord() bool {
	if r.stop != nil {
		r.failed = r.stop
		return false
	}
	for r.records.nextRecord() {
		if !r.records.isBlank() {
			return true
		}
	}
	if r.records.open {
		r.failed = &Error{
			Code:    OpenQuote,
			Line:    r.records.row,
			Message: "a quoted cell has no closing quote",
		}
	}
	return false
}

func (r *csvReader) readRows() {
	for r.nextRecord() {
		r.readRow()
	}
	if r.line = r.records.stray; r.line > 0 {
		r.warnLine(StrayQuote, "text after a closing quote was read as part of the cell")
	}
	if r.failed == nil && len(r.groups) > 0 {
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
	r.startPlacemark(r.records.row)
	r.name = r.rowName()
	r.country = r.repeatedText(&r.above[0], r.columns.Country)
	r.city = r.repeatedText(&r.above[1], r.columns.City)
	var geometry []byte
	if r.columns.Geometry >= 0 {
		geometry = bytes.TrimSpace(r.cellAt(r.columns.Geometry))
	}
	switch {
	case len(geometry) > 0:
		r.addGeometry(geometry)
	case len(r.records.fields) < r.need:
		r.skipPlacemark(
			newError(ShortRow, "only %d of the header's %d columns", len(r.records.fields), len(r.res.Header)))
	default:
		if r.isHeading() {
			return
		}
		p, ok := r.readPosition(r.columns.Latitude, r.columns.Longitude)
		if ok && len(r.further) > 0 && !r.grouped {
			r.addCorners(p)
			break
		}
		if r.grouped {
			r.addCorner(p, ok)
			if ok {
				r.detachWarnings()
				return
			}
		}
		if !ok {
			break
		}
		r.addPlacemark(Placemark{Geometry: p, Line: r.line})
	}
	extra := len(r.records.fields) + r.records.over - len(r.res.Header)
	if extra > 0 && len(r.res.Placemarks) > r.since.placemarks {
		r.addWarning(Warning{
			Code: ExtraCells, Line: r.line, Index: len(r.res.Placemarks) - 1,
			Message: strconv.Itoa(extra) + " cells beyond the header were ignored",
		})
	}
	r.finishPlacemark()
}

// cellText returns a cell as a label.
func (r *csvReader) cellText(i int) string {
	cell := r.cellAt(i)
	if len(cell) > 1 && cell[0] == '\'' && isFormula(string(cell)) {
		cell = cell[1:]
	}
	return r.makeName(cell)
}

// cellMemo is a cell and what came of it.
type cellMemo struct {
	raw  []byte
	text string
}

// repeatedText returns a cell as a label where that is often the one above again.
func (r *csvReader) repeatedText(last *cellMemo, i int) string {
	cell := r.cellAt(i)
	if len(cell) == 0 {
		return ""
	}
	if bytes.Equal(cell, last.raw) {
		return last.text
	}
	warnings := len(r.res.Warnings)
	text := r.cellText(i)
	if len(r.res.Warnings) == warnings { // else each row is to have its own
		last.raw, last.text = append(last.raw[:0], cell...), text
	}
	return text
}

// rowName returns the label of a row, or something that tells it apart.
func (r *csvReader) rowName() string {
	name := r.cellText(r.columns.Label)
	if name == "" {
		name = r.cellText(r.columns.ID)
	}
	if name == "" {
		name = r.concatText("Row ", strconv.Itoa(r.line))
	}
	return name
}

// readDegrees reads a latitude and a longitude.
func readDegrees(lat, lng []byte) (p orb.Point, problem *Error) {
	if p[1], problem = readAngle(lat, latitude); problem == nil {
		p[0], problem = readAngle(lng, longitude)
	}
	return p, problem
}

// readPosition reads latitude and longitude of the record in the columns.
func (r *csvReader) readPosition(latColumn, lngColumn int) (p orb.Point, ok bool) {
	if r.opts.SwapLatLng {
		latColumn, lngColumn = lngColumn, latColumn
	}
	a, b := r.cellAt(latColumn), r.cellAt(lngColumn)
	if len(bytes.TrimSpace(a))+len(bytes.TrimSpace(b)) == 0 {
		r.skipPlacemark(noCoordinates)
		return p, false
	}
	var problem *Error
	if r.metric {
		p, problem = r.gridPosition(a, b)
	} else {
		p, problem = r.degreePosition(a, b, latColumn, lngColumn)
	}
	if problem == nil {
		return p, true
	}
	l := tupleReader{points: []orb.Point{p}, problem: problem}
	if fixed, how, ok := r.mendPosition(a, b); ok {
		l.fixed, l.fix = []orb.Point{fixed}, how
	} else if problem.Code == OutOfRange && !r.metric {
		l.problem = nil
		l.outOfRange(0, p)
	}
	if r.isVertex() { // mended it would be a site, and what it is a vertex of would stay lost
		l.fixed = nil
	}
	r.rejectFigure(&l)
	return p, false
}

// degreePosition reads a latitude and a longitude, of the cells of two columns.
func (r *csvReader) degreePosition(lat, lng []byte, latColumn, lngColumn int) (orb.Point, *Error) {
	p, problem := readDegrees(lat, lng)
	if problem != nil {
		return p, problem
	}
	if len(r.sides) > 0 {
		p = orb.Point{r.applyHemisphere(p[0], lngColumn), r.applyHemisphere(p[1], latColumn)}
	}
	if r.scale != 0 {
		p = orb.Point{p[0] * r.scale, p[1] * r.scale}
	}
	if !isOnGlobe(p) {
		return p, newError(OutOfRange, "%s and %s are not degrees", lat, lng)
	}
	if r.system != nil {
		p, _ = r.system.Point(p[0], p[1])
	}
	return p, nil
}

// hemisphere is that of a column: a letter, or the column that has it.
type hemisphere struct {
	column int
	letter string
}

// findSides finds the hemispheres of the coordinate columns, and the columns of the
// further corners of a row.
func (r *csvReader) findSides() {
	if !r.columns.hasPosition() {
		return
	}
	var others bool
	if r.further, others = r.corners(); others {
		r.warnFile(
			DuplicateColumn,
			"several columns have coordinates; only %q and %q are used",
			[]byte(r.res.Header[r.columns.Latitude]),
			[]byte(r.res.Header[r.columns.Longitude]),
		)
	}
	r.sides = make(map[int]hemisphere)
	for _, pair := range append([][2]int{{r.columns.Latitude, r.columns.Longitude}}, r.further...) {
		for axis, column := range pair {
			letters := [...]string{" n s north south nord sud ", " e w east west ouest "}[axis]
			s := hemisphere{r.findSide(column, letters), r.ends[column]}
			if s.column >= 0 && slices.Contains(labelNames, r.folded[s.column]) { // a site may be named S
				s.column = -1
			}
			if s.column >= 0 || s.letter != "" {
				r.sides[column] = s
			}
		}
	}
}

// applyHemisphere gives degrees the sign of their hemisphere, where the file has that in
// the header or in a separate column.
func (r *csvReader) applyHemisphere(degrees float64, column int) float64 {
	s, ok := r.sides[column]
	if !ok {
		return degrees
	}
	if s.column >= 0 {
		s.letter = foldName(string(r.cellAt(s.column)))
	}
	switch s.letter {
	case "s", "south", "sud", "w", "west", "ouest":
		return 0 - math.Abs(degrees) // which is never -0
	case "n", "north", "nord", "e", "east":
	default:
		if degrees > 0 {
			r.warnPlacemark(
				WrongHemisphere,
				"the hemisphere of %s is missing; read as positive",
				r.res.Header[column],
			)
		}
	}
	return degrees
}

// addCorners adds the line or boundary of a row with several positions.
func (r *csvReader) addCorners(p orb.Point) {
	points := []orb.Point{p}
	for _, pair := range r.further {
		if len(bytes.TrimSpace(r.cellAt(pair[0])))+len(bytes.TrimSpace(r.cellAt(pair[1]))) == 0 {
			continue
		}
		p, ok := r.readPosition(pair[0], pair[1])
		if !ok {
			return
		}
		points = append(points, p)
	}
	r.addFigure(outlineOf(points))
}

// unitText is what stands below a header in the place of a number.
var unitText = regexp.MustCompile(
	`(?i)^\s*[\[(]?(°|deg|degrees?|dd|decimal degrees|dezimalgrad|grad|m|meters?|metres?|wgs ?84)[\])]?\s*$`,
)

// isHeading reports whether the record repeats the header, or has the units of
// the columns.
func (r *csvReader) isHeading() bool {
	lat, lng := r.cellAt(r.columns.Latitude), r.cellAt(r.columns.Longitude)
	if !r.columns.hasPosition() || len(lat) == 0 || lat[0] <= '9' && lat[0] >= '-' {
		return false
	}
	if string(lat) == r.res.Header[r.columns.Latitude] && string(lng) == r.res.Header[r.columns.Longitude] {
		return true
	}
	return unitText.Match(lat) && unitText.Match(lng)
}

// addGeometry adds the figures of a geometry cell.
func (r *csvReader) addGeometry(cell []byte) {
	figures, problem := r.cells.readCell(cell)
	if problem == nil && len(figures) == 0 {
		problem = noCoordinates
	}
	if problem != nil {
		r.skipPlacemark(problem)
		return
	}
	if r.cells.note != "" {
		r.warnPlacemark(PlaceGuessed, "%s", r.cells.note)
	}
	declared := r.system
	if r.cells.system != nil {
		r.system = r.cells.system
	}
	line := r.readKind() == Linear && !isWKT(cell)
	for _, f := range figures {
		if line && f.kind == polygonFigure && len(f.holes) == 0 {
			f.kind = lineFigure
		}
		r.addChecked(f)
	}
	r.system = declared
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
	return r.finishResult(newError(NoRows, "no rows below the header"))
}
