package kmlcsv

import (
	"bytes"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// maxNesting is the maximum number of geometry collections inside each other.
const maxNesting = 32

// shapeType is a type of geometry in well-known text.
type shapeType struct {
	kind  figureKind
	depth int // number of brackets around a position
}

// shapes are the types of geometry by their names in well-known text.
var shapes = map[string]shapeType{
	"POINT":           {pointFigure, 0},
	"MULTIPOINT":      {pointFigure, 1},
	"LINESTRING":      {lineFigure, 1},
	"MULTILINESTRING": {lineFigure, 2},
	"POLYGON":         {polygonFigure, 2},
	"MULTIPOLYGON":    {polygonFigure, 3},
}

// appendRings appends lists of points as shapes of a kind. For a polygon, the first list is the boundary, and the
// others are holes. For lines, each list is a line. For points, each point is a shape.
func appendRings(figures []rawFigure, kind figureKind, rings [][]orb.Point) []rawFigure {
	if kind == polygonFigure && len(rings) > 0 {
		return append(figures, rawFigure{kind: kind, points: rings[0], holes: rings[1:]})
	}
	for _, points := range rings {
		if kind == lineFigure {
			figures = append(figures, rawFigure{kind: kind, points: points})
			continue
		}
		for i := range points {
			figures = append(figures, rawFigure{points: points[i : i+1 : i+1]})
		}
	}
	return figures
}

var wktText = newPattern(
	`(?is)^[ \t\r\n]*((MULTI)?(POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION|SRID=).`,
)

// wktHead matches the start of a geometry: its type, Z or M, and the first bracket or the word empty.
var wktHead = newPattern(`(?i)^\s*([a-z]*?)\s*(?:zm|z|m)?\s*(empty\s*$|\()`)

// maxHead is the maximum number of bytes before the first bracket of a geometry in well-known text.
const maxHead = 100

var wktSRID = newPattern(`(?i)^SRID=\s*([^;]*?)\s*;`)

// isWKT reports whether a cell starts like well-known text.
func isWKT(cell []byte) bool { return wktText().Match(cell) }

// readWKT reads well-known text. The text can begin with an SRID, the code of the reference system, as in PostGIS.
// Heights and measures are ignored.
func (c *cellReader) readWKT(text []byte) ([]rawFigure, *Error) {
	if m := wktSRID().FindSubmatch(text); m != nil {
		system, err := crs.Find(string(m[1]))
		if err != nil {
			c.problem = newError(OtherReference, "SRID %s: %v", m[1], err)
			return c.figures, c.problem
		}
		c.system = system
		text = text[len(m[0]):]
	}
	c.readGeometry(text, 0)
	return c.figures, c.problem
}

// readGeometry reads a geometry, that is its type and its coordinates. It appends to c.figures, or sets c.problem if
// it fails. depth is the number of collections around the geometry.
func (c *cellReader) readGeometry(text []byte, depth int) {
	name, list, ok := cutHead(text)
	if !ok {
		c.failText("a '(' is missing")
		return
	}
	if depth > maxNesting {
		c.failText("too many nested collections")
		return
	}
	isEmpty := len(list) == 0
	if isEmpty {
		return
	}
	kind := strings.ToUpper(string(name))
	if kind == "GEOMETRYCOLLECTION" {
		c.readCollection(list, depth)
		return
	}
	shape, isSupported := shapes[kind]
	if !isSupported {
		c.failText("%s is not a supported geometry", name)
		return
	}
	c.readParts(list, shape.kind, shape.depth)
}

// cutHead splits a geometry into the name of its type and its list in brackets. For an empty geometry, the list is
// empty. ok is false if the text does not start like a geometry.
func cutHead(text []byte) (name, list []byte, ok bool) {
	match := wktHead().FindSubmatch(text[:min(len(text), maxHead)])
	if match == nil {
		return nil, nil, false
	}
	head := match[0]
	name = match[1]
	hasBracket := match[2][0] == '(' // otherwise it is the word empty
	if !hasBracket {
		return name, nil, true
	}
	return name, text[len(head)-1:], true // from the bracket on
}

// readCollection reads the geometries in the brackets of a collection. It stops at the first geometry that fails.
func (c *cellReader) readCollection(list []byte, depth int) {
	for _, part := range c.listItems(list) {
		if c.problem != nil {
			return
		}
		c.readGeometry(part, depth+1)
	}
}

// readParts reads the coordinates of a geometry. depth is the number of brackets around a position, as in shapeType.
func (c *cellReader) readParts(text []byte, kind figureKind, depth int) {
	if depth > 2 { // a list of polygons
		for _, polygon := range c.listItems(text) {
			c.readParts(polygon, kind, depth-1)
		}
		return
	}
	lists := [][]byte{text}
	if depth == 2 { // a list of rings or lines
		lists = c.listItems(text)
	}
	rings := make([][]orb.Point, len(lists))
	for i, list := range lists {
		rings[i] = c.readTuples(list)
	}
	if c.problem == nil {
		c.figures = appendRings(c.figures, kind, rings)
	}
}

// readTuples reads the positions of a ring or a line, such as (9.11 48.71, 9.12 48.72). The slice has room for one
// more point, so that a ring can be closed without copying.
func (c *cellReader) readTuples(list []byte) []orb.Point {
	tuples := c.listItems(list)
	points := make([]orb.Point, len(tuples), len(tuples)+1)
	for i, tuple := range tuples {
		points[i] = c.readTuple(tuple)
	}
	return points
}

// listItems returns the items of a list in brackets. If the brackets do not match, it returns nil and sets c.problem.
func (c *cellReader) listItems(list []byte) [][]byte {
	items, ok := splitList(bytes.TrimSpace(list))
	if !ok {
		c.failText("the brackets do not match")
		return nil
	}
	return items
}

// splitList returns the items of a list in brackets. ok is false if the last bracket of the text does not close the
// first.
func splitList(list []byte) (items [][]byte, ok bool) {
	if len(list) == 0 || list[0] != '(' {
		return nil, false
	}
	hasInnerList := bytes.LastIndexByte(list, '(') > 0
	if !hasInnerList { // every comma separates items
		items = make([][]byte, 0, bytes.Count(list, comma)+1)
	}
	depth := 0 // open brackets
	start := 1 // index where the current item begins
	for i, char := range list {
		switch char {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 { // the bracket that closes the first bracket
			isAtEnd := i == len(list)-1
			return append(items, list[start:i]), isAtEnd
		}
		if depth == 1 && char == ',' {
			items = append(items, list[start:i])
			start = i + 1
		}
	}
	return nil, false
}

// readTuple reads a position of two to four numbers, with or without brackets around them. It returns the first two
// numbers.
func (c *cellReader) readTuple(text []byte) (p orb.Point) {
	text = withoutBrackets(bytes.TrimSpace(text))
	count := 0
	i := skipSpace(text, 0)
	for i < len(text) {
		value, end := parseNumber(text, i)
		next := skipSpace(text, end)
		isEndOfWord := next > end || next == len(text)
		if end == i || !isEndOfWord {
			c.failText("%s is not a number", text[i:])
			return p
		}
		if count < 2 {
			p[count] = value
		}
		count++
		i = next
	}
	if count < 2 || count > 4 {
		c.failText("a number is missing in %q", text)
	}
	return p
}

// withoutBrackets removes the brackets around a text, if there are any.
func withoutBrackets(text []byte) []byte {
	if bytes.HasPrefix(text, []byte("(")) && bytes.HasSuffix(text, []byte(")")) {
		return text[1 : len(text)-1]
	}
	return text
}

// failText sets c.problem. It does nothing if c.problem is already set.
func (c *cellReader) failText(format string, args ...any) {
	if c.problem == nil {
		c.problem = newError(GeometryUnreadable, format, args...)
	}
}
