package kmlcsv

import (
	"github.com/paulmach/orb"
)

// nestedPoints are the positions in nested lists. A list of positions is a ring, and a list of rings is a
// polygon.
type nestedPoints struct {
	depth    int // number of brackets around the numbers of each position, 0 before the first position
	points   []orb.Point
	rings    []int // end of each ring in points
	polygons []int // end of each polygon in rings
}

// maxBrackets is the number of brackets around the numbers of a MultiPolygon.
const maxBrackets = 4

// parseCoordinates reads nested lists of numbers, such as the two rings of
//
//	[[[9, 48], [10, 48], [10, 49]], [[9.5, 48.2], [9.6, 48.2], [9.6, 48.3]]]
//
// The text must be valid JSON, so all brackets are closed. It reports false if a list has other values, or if the
// positions are at different depths.
func parseCoordinates(text []byte) (n nestedPoints, ok bool) {
	depth := 0   // number of open brackets
	numbers := 0 // numbers in the current list
	var position orb.Point
	for i := 0; i < len(text); {
		c := text[i]
		isNumber := c == '-' || isDigit(c)
		isSeparator := c == ',' || isSpace(c)
		switch {
		case c == '[':
			depth++
			if depth > n.maxDepth() {
				return n, false
			}
			i++
		case c == ']':
			if !n.closeList(depth, numbers, position) {
				return n, false
			}
			depth--
			numbers = 0
			i++
		case isSeparator:
			i++
		case isNumber:
			value, end := parseNumber(text, i)
			isMisplaced := depth == 0 || n.depth > 0 && depth != n.depth // in no list, or beside a list of positions
			if end == i || isMisplaced {
				return n, false
			}
			n.depth = depth
			if numbers < 2 { // further numbers, such as a height, are not used
				position[numbers] = value
			}
			numbers++
			i = end
		default: // text, null or an object
			return n, false
		}
	}
	return n, true
}

// maxDepth returns the largest allowed number of open brackets: once a position was read, no list is deeper than it.
func (n *nestedPoints) maxDepth() int {
	if n.depth > 0 {
		return n.depth
	}
	return maxBrackets
}

// closeList ends the list at a depth: a position with the given count of numbers, a ring or a polygon. It
// reports false for a position with fewer than two numbers.
func (n *nestedPoints) closeList(depth, numbers int, position orb.Point) bool {
	switch n.depth - depth {
	case 0: // a position
		if numbers < 2 {
			return false
		}
		n.points = append(n.points, position)
	case 1: // a ring
		n.rings = append(n.rings, len(n.points))
	case 2: // a polygon
		n.polygons = append(n.polygons, len(n.rings))
	}
	return true
}

// figures returns the positions as figures of a kind. lists is the number of lists around each position that
// the type of the geometry needs: 0 for a Point, 3 for a MultiPolygon. ok is false if the positions are in
// more or fewer lists.
func (n *nestedPoints) figures(kind figureKind, lists int) (figures []rawFigure, ok bool) {
	if n.depth == 0 {
		return nil, true
	}
	if n.depth != lists+1 {
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

// ringsBetween returns the points of the rings between two indexes. Appending to a ring does not change the
// next ring.
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
