package kmlcsv

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// maxNesting is the largest depth of geometry collections inside each other.
const maxNesting = 32

// shapeType is a type of simple features.
type shapeType struct {
	kind  figureKind
	depth int // number of brackets around a position
}

// shapes are the types of simple features by their names in well-known text.
var shapes = map[string]shapeType{
	"POINT":           {pointFigure, 0},
	"MULTIPOINT":      {pointFigure, 1},
	"LINESTRING":      {lineFigure, 1},
	"MULTILINESTRING": {lineFigure, 2},
	"POLYGON":         {polygonFigure, 2},
	"MULTIPOLYGON":    {polygonFigure, 3},
}

// appendRings appends lists of points as figures of a kind. For a polygon, the first list is the boundary
// and the others are holes; for lines, each list is a line; for points, each point is a figure.
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

var wktText = regexp.MustCompile(
	`(?is)^[ \t\r\n]*((MULTI)?(POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION|SRID=).`,
)

// wktHead matches a type, Z or M, and the first bracket or the word empty.
var wktHead = regexp.MustCompile(`(?i)^\s*([a-z]*?)\s*(?:zm|z|m)?\s*(empty\s*$|\()`)

// maxHead is the longest text up to the first bracket, in bytes.
const maxHead = 100

var wktSRID = regexp.MustCompile(`(?i)^SRID=\s*([^;]*?)\s*;`)

// isWKT reports whether a cell starts like well-known text.
func isWKT(cell []byte) bool { return wktText.Match(cell) }

// readText reads well-known text, with or without the SRID of PostGIS before it. Heights and measures are
// ignored.
func (c *cellReader) readText(text []byte) {
	if m := wktSRID.FindSubmatch(text); m != nil {
		system, err := crs.Find(string(m[1]))
		if err != nil {
			c.problem = newError(OtherReference, "SRID %s: %v", m[1], err)
			return
		}
		c.system = system
		text = text[len(m[0]):]
	}
	c.readGeometry(text, 0)
}

// readGeometry reads a type and its coordinates. depth is the number of collections around it.
func (c *cellReader) readGeometry(text []byte, depth int) {
	match := wktHead.FindSubmatch(text[:min(len(text), maxHead)])
	if match == nil {
		c.failText("a '(' is missing")
		return
	}
	if depth > maxNesting {
		c.failText("too many nested collections")
		return
	}
	head := match[0]
	name := match[1]
	bracket := match[2] // or the word EMPTY
	isEmpty := bracket[0] != '('
	if isEmpty {
		return
	}
	list := text[len(head)-1:] // from the bracket on
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

// readCollection reads the geometries in the brackets of a collection, up to the first that fails.
func (c *cellReader) readCollection(list []byte, depth int) {
	for _, part := range c.listItems(list) {
		if c.problem != nil {
			return
		}
		c.readGeometry(part, depth+1)
	}
}

// readParts reads the coordinates of a type. depth is the number of brackets around a position.
func (c *cellReader) readParts(text []byte, kind figureKind, depth int) {
	rings := [][]byte{text}
	if depth >= 2 {
		rings = c.listItems(text)
	}
	if depth > 2 {
		for _, part := range rings {
			c.readParts(part, kind, depth-1)
		}
		return
	}
	all := make([][]orb.Point, len(rings))
	for i, ring := range rings {
		tuples := c.listItems(ring)
		all[i] = make([]orb.Point, len(tuples), len(tuples)+1)
		for k, tuple := range tuples {
			all[i][k] = c.readTuple(tuple)
		}
	}
	if c.problem == nil {
		c.figures = appendRings(c.figures, kind, all)
	}
}

// listItems returns the items of a list in brackets.
func (c *cellReader) listItems(text []byte) [][]byte {
	text = bytes.TrimSpace(text)
	if !bytes.HasPrefix(text, []byte("(")) {
		text = nil
	}
	var items [][]byte
	if bytes.LastIndexByte(text, '(') == 0 { // the list has no inner lists, so every comma separates items
		items = make([][]byte, 0, bytes.Count(text, comma)+1)
	}
	depth, from := 0, 1
	for i, char := range text {
		switch char {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			break
		}
		if depth == 0 || depth == 1 && char == ',' {
			items = append(items, text[from:i])
			from = i + 1
		}
	}
	if len(text) == 0 || depth != 0 || from != len(text) {
		c.failText("the brackets do not match")
		return nil
	}
	return items
}

// readTuple reads two to four numbers, with or without brackets around them.
func (c *cellReader) readTuple(text []byte) (p orb.Point) {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("(")) && bytes.HasSuffix(text, []byte(")")) {
		text = text[1 : len(text)-1]
	}
	count := 0
	i := skipSpace(text, 0)
	for ; i < len(text); count++ {
		v, end := parseNumber(text, i)
		next := skipSpace(text, end)
		if end == i || end == next && end < len(text) {
			c.failText("%s is not a number", text[i:])
			return p
		}
		if count < 2 {
			p[count] = v
		}
		i = next
	}
	if count < 2 || count > 4 {
		c.failText("a number is missing in %q", text)
	}
	return p
}

func (c *cellReader) failText(format string, args ...any) {
	if c.problem == nil {
		c.problem = newError(GeometryUnreadable, format, args...)
	}
}
