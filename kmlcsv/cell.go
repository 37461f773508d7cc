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

// cellReader reads geometries out of cells.
type cellReader struct {
	figures []rawFigure // of the last one, if it is well-known text
	problem *Error      // why that cannot be read, nil for nothing
	system  *crs.System // that it names, nil for none
	note    string      // what was taken for granted to read it, "" for nothing
	isGrid  bool        // a position is in UTM, MGRS or another grid

	isList  bool      // the column is of the service's own tables: 48,9; 49,10 are two positions
	order   AxisOrder // of pairs of numbers; "" for the latitude first
	lngAxis angleAxis // what an O of a longitude means; latitude for not known
}

// longitudeAxis returns how longitudes are read.
func (c *cellReader) longitudeAxis() angleAxis { return max(c.lngAxis, longitude) }

// readCell reads a geometry in whichever of the ways it is written. The figures are
// not yet checked, and valid until the next call.
func (c *cellReader) readCell(cell []byte) ([]rawFigure, *Error) {
	cell = bytes.TrimSpace(cell)
	*c = cellReader{figures: c.figures[:0], order: c.order, lngAxis: c.lngAxis, isList: c.isList}
	switch {
	case isWKT(cell):
		c.readText(cell)
		return c.figures, c.problem
	case isHexWKB(cell):
		return c.readWKB(cell)
	case len(cell) > 0 && (cell[0] == '{' || cell[0] == '['):
		return geoJSONCell(cell)
	}
	figures, problem := c.pairsCell(cell)
	if problem == nil || problem.isOf(LetterAmbiguous) {
		return figures, problem
	}
	if typed, err := readTypedAs(string(cell), c.order == LngLat, c.longitudeAxis()); err == nil && len(typed.Geometries) == 1 {
		if p, isPoint := typed.Geometries[0].(orb.Point); isPoint {
			c.note = typed.Note
			form, _ := gridFormOf(string(cell))
			c.isGrid = form != ""
			return []rawFigure{{points: []orb.Point{p}}}, nil
		}
	}
	return nil, problem
}

// looksLikeGeometry reports whether a cell is one of the kinds that
// cellReader reads.
func looksLikeGeometry(cell []byte) bool {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return false
	}
	if isWKT(cell) || bytes.HasPrefix(cell, []byte(`{"`)) || bytes.HasPrefix(cell, []byte(`[{`)) {
		return true
	}
	if len(cell) > 1000 { // the first pairs will do
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

// geoJSONCell reads a GeoJSON object, or an array of {"lat", "lng"}.
func geoJSONCell(cell []byte) ([]rawFigure, *Error) {
	if cell[0] == '[' {
		var corners []struct {
			Lat *float64 `json:"lat"`
			Lng *float64 `json:"lng"`
		}
		if err := json.Unmarshal(cell, &corners); err != nil {
			return nil, newError(
				GeometryUnreadable,
				"the list of points is not valid: [{\"lat\": 0, \"lng\": 0}, ...] is expected",
			)
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

// appendFigures appends what an object consists of.
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
	shape, known := shapes[strings.ToUpper(g.Type)]
	return known && appendNested(shape.kind, 3-shape.depth, g.Coordinates, out)
}

// appendNested appends the figures of a kind whose positions lack so many of the
// brackets that those of a multipolygon have around them.
func appendNested(kind figureKind, brackets int, coordinates json.RawMessage, out *[]rawFigure) bool {
	if len(coordinates) == 0 || bytes.Contains(coordinates, []byte("null")) { // json would leave a zero for it
		return false
	}
	text := strings.Repeat("[", brackets) + string(coordinates) + strings.Repeat("]", brackets)
	var polygons [][][][]float64
	if json.Unmarshal([]byte(text), &polygons) != nil {
		return false
	}
	for _, polygon := range polygons {
		rings := make([][]orb.Point, len(polygon))
		for i, ring := range polygon {
			rings[i] = make([]orb.Point, 0, len(ring)+1)
			for _, position := range ring {
				if len(position) < 2 {
					return false
				}
				rings[i] = append(rings[i], orb.Point{position[0], position[1]})
			}
		}
		if len(rings) == 0 {
			return false
		}
		*out = appendRings(*out, kind, rings)
	}
	return true
}

// pairsCell reads "latitude, longitude" pairs with a semicolon, a bar or a line
// break between them. Within a pair a comma or white space stands between the
// numbers. Latitude comes first, as map applications copy it, unless the order is
// another one.
func (c *cellReader) pairsCell(cell []byte) ([]rawFigure, *Error) {
	if !c.isList && bytes.IndexByte(cell, '.') < 0 && loosePairCommas.Match(cell) {
		return nil, newError(GeometryUnreadable, "not a latitude and longitude: %s", cell) // one position, whose numbers have commas
	}
	whole := cell
	points := make([]orb.Point, 0, min(bytes.Count(cell, []byte{';'})+2, len(cell)/8+2))
	for len(cell) > 0 {
		pair := cell
		if i := bytes.IndexAny(cell, ";|\r\n"); i >= 0 {
			pair, cell = cell[:i], cell[i+1:]
		} else {
			cell = nil
		}
		if pair = bytes.TrimSpace(pair); len(pair) == 0 {
			continue
		}
		if mayBeGrid(pair) {
			p, _, err := readGrid(string(pair))
			if err == nil {
				c.isGrid = true
				points = append(points, p)
				continue
			}
			if !errors.Is(err, errNoGrid) {
				return nil, newError(GeometryUnreadable, "%v", err)
			}
		}
		lat, lng, ok := splitPair(pair)
		if !ok {
			return nil, newError(GeometryUnreadable, "not a latitude and longitude: %s", pair)
		}
		if c.order == LngLat {
			lat, lng = lng, lat
		}
		p, problem := readDegreesAs(lat, lng, c.longitudeAxis())
		if problem != nil {
			return nil, problem
		}
		if math.Abs(p[0]) > 360 && math.Abs(p[1]) <= 180 || math.Abs(p[1]) > 360 && math.Abs(p[0]) <= 180 {
			return nil, newError(GeometryUnreadable, "not a latitude and longitude: %s", whole) // a decimal comma, perhaps
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil, noCoordinates
	}
	return []rawFigure{outlineOf(points)}, nil
}

// mayBeGrid reports whether a text begins as a position in UTM or MGRS does: a
// zone and the letter of a band, so that most cells are not matched in full.
func mayBeGrid(text []byte) bool {
	digits := 0
	for digits < min(len(text), 3) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	return (digits == 1 || digits == 2) && len(text) > digits+2 && isLetter(text[digits])
}

// splitPair splits a pair at its comma, or at white space where it has none.
// Commas beside white space may be decimal ones, and are not told apart.
func splitPair(pair []byte) (lat, lng []byte, ok bool) {
	i := bytes.IndexByte(pair, ',')
	if i < 0 {
		i = bytes.IndexByte(pair, '/')
	}
	if i < 0 {
		i = bytes.IndexAny(pair, " \t")
		if i < 0 || len(bytes.Fields(pair[i:])) != 1 {
			return nil, nil, false
		}
	} else if bytes.IndexByte(pair[i+1:], ',') >= 0 {
		return nil, nil, false
	}
	lat, lng = bytes.TrimSpace(pair[:i]), bytes.TrimSpace(pair[i+1:])
	return lat, lng, len(lat) > 0 && len(lng) > 0
}

// outlineOf makes a figure of points whose kind is not said: a polygon where
// there are enough of them.
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

// unmarked are letters without a mark to take off.
var unmarked = strings.NewReplacer("ł", "l", "ø", "o", "ß", "ss")

// foldName reduces the name of a column or field to what it is compared by: lower
// case letters and digits without accents, without units in brackets.
func foldName(name string) string {
	name = norm.NFD.String(unmarked.Replace(strings.ToLower(name))) // marks are letters of their own
	var out strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '(' || r == '[':
			depth++
		case (r == ')' || r == ']') && depth > 0:
			depth--
		case depth == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			out.WriteRune(r)
		}
	}
	return out.String()
}
