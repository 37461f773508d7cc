package kmlcsv

import (
	"github.com/paulmach/orb"
)

// nestedPoints has the positions that were read from nested lists. A position is a list of numbers, a ring is a list of
// positions, and a polygon is a list of rings.
type nestedPoints struct {
	positionDepth int // depth of the positions: 1 for [9, 48], 2 for [[9, 48]]; 0 until the first number was read
	points        []orb.Point
	rings         []int // for each ring, the index in points after its last point
	polygons      []int // for each polygon, the index in rings after its last ring
}

// maxBrackets is the number of brackets around each number of a MultiPolygon, which is the deepest type of geometry.
const maxBrackets = 4

// parseCoordinates reads the coordinates of a GeoJSON geometry, which are nested lists of numbers. An example is a
// polygon with two rings:
//
//	[[[9, 48], [10, 48], [10, 49]], [[9.5, 48.2], [9.6, 48.2], [9.6, 48.3]]]
//
// The innermost lists are positions. All positions must be at the same depth, which is 3 in the example. ok is false if
// they are not, or if a list has values other than numbers and lists. The text must be valid JSON.
func parseCoordinates(text []byte) (nested nestedPoints, ok bool) {
	depth := 0             // number of open brackets
	numbers := 0           // numbers of the current position
	var position orb.Point // the first two of these numbers
	for i := 0; i < len(text); {
		c := text[i]
		isNumber := c == '-' || isDigit(c)
		isSeparator := c == ',' || isSpace(c)
		switch {
		case c == '[':
			depth++
			isDepthKnown := nested.positionDepth > 0
			isInPosition := isDepthKnown && depth > nested.positionDepth
			if isInPosition || depth > maxBrackets {
				return nested, false
			}
			i++
		case c == ']':
			endsPosition := depth == nested.positionDepth
			if endsPosition && numbers < 2 {
				return nested, false
			}
			if endsPosition {
				nested.points = append(nested.points, position)
				numbers = 0
			} else {
				nested.closeList(depth)
			}
			depth--
			i++
		case isSeparator:
			i++
		case isNumber:
			value, end := parseNumber(text, i)
			isUnreadable := end == i
			if isUnreadable || depth == 0 {
				return nested, false
			}
			isFirst := nested.positionDepth == 0
			if isFirst {
				nested.positionDepth = depth
			}
			if depth != nested.positionDepth {
				return nested, false
			}
			if numbers < 2 { // further numbers, such as a height, are not used
				position[numbers] = value
			}
			numbers++
			i = end
		default: // text, null or an object
			return nested, false
		}
	}
	return nested, true
}

// closeList is called when a list ends at the given depth. If the list is a ring or a polygon, it records the end of
// the ring or the polygon.
func (n *nestedPoints) closeList(depth int) {
	switch n.positionDepth - depth {
	case 1: // a list of positions
		n.rings = append(n.rings, len(n.points))
	case 2: // a list of rings
		n.polygons = append(n.polygons, len(n.rings))
	}
}

// figures returns the positions as shapes of a kind. lists is the number of lists around each position, which depends
// on the type of geometry: 0 for a Point, 3 for a MultiPolygon. ok is false if the positions have more or fewer lists
// around them.
func (n *nestedPoints) figures(kind figureKind, lists int) (figures []rawFigure, ok bool) {
	if n.positionDepth == 0 {
		return nil, true
	}
	if n.positionDepth != lists+1 {
		return nil, false
	}
	switch lists {
	case 0:
		return appendRings(nil, kind, [][]orb.Point{n.points}), true
	case 3:
		from := 0
		for _, to := range n.polygons {
			figures = appendRings(figures, kind, n.ringsBetween(from, to))
			from = to
		}
		return figures, true
	}
	return appendRings(nil, kind, n.ringsBetween(0, len(n.rings))), true
}

// ringsBetween returns the rings with indexes from from up to, but not including, to. Appending to one of them does
// not change the next.
func (n *nestedPoints) ringsBetween(from, to int) [][]orb.Point {
	rings := make([][]orb.Point, 0, to-from)
	start := 0
	if from > 0 {
		start = n.rings[from-1]
	}
	for _, end := range n.rings[from:to] {
		rings = append(rings, n.points[start:end:end])
		start = end
	}
	return rings
}
