package kmlcsv

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode"

	"github.com/paulmach/orb"
	"golang.org/x/text/unicode/norm"

	"flightdesk/kmlcsv/crs"
)

// cellReader reads the geometry in a cell, for instance well-known text or "48.35, 11.78".
type cellReader struct {
	// These fields describe the last cell that was read. The method reset clears them.
	figures []rawFigure // shapes of a cell with well-known text
	problem *Error      // why the well-known text cannot be read, or nil
	system  *crs.System // reference system that the cell names, or nil
	note    string      // what had to be assumed to read the cell, or ""
	isGrid  bool        // the cell has a position in UTM, MGRS or another grid

	// These fields control how cells are read.
	hasLists bool      // the name of the column says that its cells are lists: "48,9; 49,10" is two positions
	order    AxisOrder // order of the numbers in pairs; "" means latitude first

	// lngAxis says what the letter O in a longitude such as 11.78 O means. It is longitudeOEast for Ost (east in
	// German), longitudeOWest for Oeste or Ouest (west in Spanish and French), and another value if this is not known.
	lngAxis angleAxis
}

// longitudeAxis returns the axis to read longitudes with: lngAxis if the meaning of the letter O is known, otherwise
// longitude.
func (c *cellReader) longitudeAxis() angleAxis { return max(c.lngAxis, longitude) }

// reset clears the fields that describe the last cell. It keeps the memory of the shapes for the next cell.
func (c *cellReader) reset() {
	c.figures = c.figures[:0]
	c.problem = nil
	c.system = nil
	c.note = ""
	c.isGrid = false
}

// readCell reads a geometry in any of the supported forms. It does not check the coordinates. The returned shapes are
// valid until the next call.
func (c *cellReader) readCell(cell []byte) ([]rawFigure, *Error) {
	c.reset()
	cell = bytes.TrimSpace(cell)
	if isWKT(cell) {
		return c.readWKT(cell)
	}
	if isHexWKB(cell) {
		return c.readWKB(cell)
	}
	if len(cell) > 0 && (cell[0] == '{' || cell[0] == '[') {
		return geoJSONCell(cell)
	}
	figures, pairsProblem := c.readPairList(cell)
	if pairsProblem == nil {
		return figures, nil
	}
	if pairsProblem.isOf(LetterAmbiguous) { // the caller finds out what the O means, or asks
		return nil, pairsProblem
	}
	if p, ok := c.readTypedPoint(string(cell)); ok {
		return []rawFigure{{points: []orb.Point{p}}}, nil
	}
	return nil, pairsProblem
}

// readTypedPoint reads a cell with one position in any form that people type. ok is false if the cell is unreadable,
// or if it has a line, an area or several positions.
func (c *cellReader) readTypedPoint(cell string) (p orb.Point, ok bool) {
	typed, err := readTypedAs(cell, c.order, c.longitudeAxis())
	if err != nil || len(typed.Geometries) != 1 {
		return p, false
	}
	p, isPoint := typed.Geometries[0].(orb.Point)
	if !isPoint {
		return p, false
	}
	c.note = typed.Note
	form, _ := gridFormOf(cell)
	c.isGrid = form != ""
	return p, true
}

// looksLikeGeometry reports whether cellReader can probably read a cell as a geometry. It checks only the start of a
// long cell.
func looksLikeGeometry(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return false
	}
	if isWKT(cell) || bytes.HasPrefix(cell, []byte(`{"`)) || bytes.HasPrefix(cell, []byte(`[{`)) {
		return true
	}
	if len(cell) > 1000 {
		cell = cell[:max(1, bytes.LastIndexAny(cell[:1000], ";|\r\n"))]
	}
	_, problem := new(cellReader).readCell(cell)
	return problem == nil
}

// geometryJSON is a GeoJSON object of any type.
type geometryJSON struct {
	Type        string          `json:"type"`
	Coordinates json.RawMessage `json:"coordinates"`
	Geometry    *geometryJSON   `json:"geometry"`
	Geometries  []geometryJSON  `json:"geometries"`
	Features    []geometryJSON  `json:"features"`
}

var unreadableJSON = newError(GeometryUnreadable, "the GeoJSON has an unsupported type or unreadable coordinates")

// geoJSONCell reads a GeoJSON object, or a list of points such as [{"lat": 48.35, "lng": 11.78}].
func geoJSONCell(cell []byte) ([]rawFigure, *Error) {
	if cell[0] == '[' {
		return pointListCell(cell)
	}
	var g geometryJSON
	if err := json.Unmarshal(cell, &g); err != nil {
		return nil, newError(GeometryUnreadable, "the GeoJSON is not valid")
	}
	var figures []rawFigure
	if !g.appendFigures(&figures, 0) {
		return nil, unreadableJSON
	}
	return figures, nil
}

// pointListCell reads a list of points such as [{"lat": 48.35, "lng": 11.78}].
func pointListCell(cell []byte) ([]rawFigure, *Error) {
	var corners []struct {
		Lat *float64 `json:"lat"`
		Lng *float64 `json:"lng"`
	}
	if err := json.Unmarshal(cell, &corners); err != nil {
		return nil, newError(GeometryUnreadable,
			`the list of points is not valid: [{"lat": 0, "lng": 0}, ...] is expected`)
	}
	points := make([]orb.Point, 0, len(corners)+1)
	for _, c := range corners {
		if c.Lat == nil || c.Lng == nil {
			return nil, newError(GeometryUnreadable, "a point in the list has no lat or lng")
		}
		points = append(points, orb.Point{*c.Lng, *c.Lat})
	}
	return []rawFigure{outlineOf(points)}, nil
}

// appendFigures appends the shapes of the object to out. depth is the number of objects that contain this object. The
// result is false if the object cannot be read.
func (g *geometryJSON) appendFigures(out *[]rawFigure, depth int) bool {
	if depth > maxNesting {
		return false
	}
	switch g.Type {
	case "Feature":
		return g.Geometry != nil && g.Geometry.appendFigures(out, depth+1)
	case "FeatureCollection", "GeometryCollection":
		for _, part := range append(g.Features, g.Geometries...) {
			if !part.appendFigures(out, depth+1) {
				return false
			}
		}
		return true
	}
	shape, isKnown := shapes[strings.ToUpper(g.Type)]
	if !isKnown {
		return false
	}
	addedLists := shapes["MULTIPOLYGON"].depth - shape.depth
	return appendNested(shape.kind, addedLists, g.Coordinates, out)
}

// appendNested appends the shapes in GeoJSON coordinates to out. So that it can read all types in the same way, it puts
// brackets around the coordinates until they are nested as deeply as in a MultiPolygon. addedLists is the number of
// pairs of brackets to add. For a Point it is 3, and [11.78, 48.35] becomes
//
//	[[[[11.78, 48.35]]]]
//
// The result is false if the coordinates cannot be read.
func appendNested(kind figureKind, addedLists int, coordinates json.RawMessage, out *[]rawFigure) bool {
	if len(coordinates) == 0 || bytes.Contains(coordinates, []byte("null")) { // encoding/json would read null as 0
		return false
	}
	text := strings.Repeat("[", addedLists) + string(coordinates) + strings.Repeat("]", addedLists)
	var polygons [][][][]float64
	if json.Unmarshal([]byte(text), &polygons) != nil {
		return false
	}
	for _, polygon := range polygons {
		rings, ok := ringsOf(polygon)
		if !ok {
			return false
		}
		*out = appendRings(*out, kind, rings)
	}
	return true
}

// ringsOf converts the rings of a polygon from lists of numbers to points. ok is false if the polygon has no ring, or
// if a position has fewer than two numbers.
func ringsOf(polygon [][][]float64) (rings [][]orb.Point, ok bool) {
	for _, positions := range polygon {
		ring, ok := pointsOf(positions)
		if !ok {
			return nil, false
		}
		rings = append(rings, ring)
	}
	return rings, len(rings) > 0
}

// pointsOf converts positions from lists of numbers to points. It ignores the numbers after the first two. ok is
// false if a position has fewer than two numbers. The slice has room for one more point, so that a ring can be closed
// without copying.
func pointsOf(positions [][]float64) (points []orb.Point, ok bool) {
	points = make([]orb.Point, 0, len(positions)+1)
	for _, position := range positions {
		if len(position) < 2 {
			return nil, false
		}
		points = append(points, orb.Point{position[0], position[1]})
	}
	return points, true
}

// readPairList reads a list of positions as the corners of one site:
//
//	48.35, 11.78; 48.36, 11.79; 48.36, 11.78
//
// Semicolons, vertical bars or line breaks separate the positions. A comma or white space separates the two numbers
// of a position. The first number is the latitude unless c.order says otherwise.
func (c *cellReader) readPairList(cell []byte) ([]rawFigure, *Error) {
	notPairs := func() *Error { return newError(GeometryUnreadable, "not a latitude and longitude: %s", cell) }
	isOnePosition := !c.hasLists && isPairWithDecimalCommas(cell)
	if isOnePosition { // as in 48,71; 9,11, which readCell reads with readTypedPoint
		return nil, notPairs()
	}
	points := make([]orb.Point, 0, capacityForPairs(cell))
	for text := range bytes.FieldsFuncSeq(cell, isPairBreak) {
		pair := bytes.TrimSpace(text)
		if len(pair) == 0 {
			continue
		}
		p, problem := c.readPair(pair)
		if problem != nil {
			return nil, problem
		}
		if mayBeOneNumber(p) { // such as 48,7101, which was read as 48 and 7101
			return nil, notPairs()
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, noCoordinates
	}
	return []rawFigure{outlineOf(points)}, nil
}

// capacityForPairs returns the number of points to allocate memory for before a list of pairs is read. It is the
// number of semicolons, plus one for the last pair and one to close a polygon. The size of the list limits the
// result, because a pair needs about eight bytes.
func capacityForPairs(list []byte) int {
	return min(bytes.Count(list, []byte{';'})+2, len(list)/8+2)
}

// isPairWithDecimalCommas reports whether a cell can be one position with decimal commas. For instance, 48,71; 9,11
// can be the position 48.71, 9.11. It can also be a list of the two positions 48, 71 and 9, 11, so the function must
// not be called for columns with lists.
func isPairWithDecimalCommas(cell []byte) bool {
	return bytes.IndexByte(cell, '.') < 0 && loosePairCommas().Match(cell)
}

// mayBeOneNumber reports whether the two numbers of a pair can be the two halves of one number with a decimal comma,
// such as 48,7101. That is possible if one of them can be degrees and the other is too large for degrees.
func mayBeOneNumber(pair orb.Point) bool {
	larger := max(math.Abs(pair[0]), math.Abs(pair[1]))
	smaller := min(math.Abs(pair[0]), math.Abs(pair[1]))
	return larger > 360 && smaller <= 180
}

// readPair reads one position of a list: a latitude and a longitude, or a position in UTM or MGRS.
func (c *cellReader) readPair(pair []byte) (orb.Point, *Error) {
	if mayBeGrid(pair) {
		p, _, err := readGrid(string(pair))
		if err == nil {
			c.isGrid = true
			return p, nil
		}
		if !errors.Is(err, errNoGrid) {
			return p, newError(GeometryUnreadable, "%v", err)
		}
	}
	lat, lng, ok := splitPair(pair)
	if !ok {
		return orb.Point{}, newError(GeometryUnreadable, "not a latitude and longitude: %s", pair)
	}
	if c.order == LngLat {
		lat, lng = lng, lat
	}
	return readDegreesAs(lat, lng, c.longitudeAxis())
}

// mayBeGrid reports whether a text begins with the number of a zone and the letter of a latitude band, as positions in
// UTM and MGRS do. The check is much faster than reading the position.
func mayBeGrid(text []byte) bool {
	digits := 0
	for digits < min(len(text), 3) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	return (digits == 1 || digits == 2) && len(text) > digits+2 && isLetter(text[digits])
}

// splitPair splits a pair of numbers at its comma, otherwise at its slash or white space. ok is false if the text
// cannot be split, or if it has several commas, some of which may be decimal commas.
func splitPair(pair []byte) (lat, lng []byte, ok bool) {
	mark := bytes.IndexByte(pair, ',')
	if mark < 0 {
		mark = bytes.IndexByte(pair, '/')
	}
	hasMark := mark >= 0
	if hasMark && bytes.IndexByte(pair[mark+1:], ',') >= 0 {
		return nil, nil, false
	}
	if !hasMark {
		mark = bytes.IndexAny(pair, " \t")
		if mark < 0 || len(bytes.Fields(pair[mark:])) != 1 {
			return nil, nil, false
		}
	}
	lat = bytes.TrimSpace(pair[:mark])
	lng = bytes.TrimSpace(pair[mark+1:])
	return lat, lng, len(lat) > 0 && len(lng) > 0
}

// outlineOf returns the shape that the points make: one point is a point, two points are a line, and more points are
// a polygon.
func outlineOf(points []orb.Point) rawFigure {
	f := rawFigure{kind: polygonFigure, points: points}
	switch len(points) {
	case 1:
		f.kind = pointFigure
	case 2:
		f.kind = lineFigure
	}
	return f
}

// unmarked replaces letters such as ø, which Unicode does not decompose into a plain letter and an accent.
var unmarked = strings.NewReplacer("ł", "l", "ø", "o", "ß", "ss")

// foldName simplifies the name of a column or field so that it can be compared. It keeps only letters and digits, in
// lower case and without accents. It removes a unit in brackets. "Längengrad (°)" becomes langengrad.
func foldName(name string) string {
	name = norm.NFD.String(unmarked.Replace(strings.ToLower(name))) // accents become separate runes
	var out strings.Builder
	depth := 0 // open brackets
	for _, r := range name {
		isOpening := r == '(' || r == '['
		isClosing := r == ')' || r == ']'
		if isOpening {
			depth++
		} else if isClosing && depth > 0 {
			depth--
		} else if depth == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			out.WriteRune(r)
		}
	}
	return out.String()
}
