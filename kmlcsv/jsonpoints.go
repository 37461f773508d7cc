package kmlcsv

import (
	"github.com/paulmach/orb"
)

// nestedPoints are the positions in nested lists. Lists of positions are rings, lists of
// rings are polygons.
type nestedPoints struct {
	depth    int // brackets around a position, 0 if there is no position
	points   []orb.Point
	rings    []int // where each ring ends among the points
	polygons []int // where each polygon ends among the rings
}

// maxBrackets is how deep the positions of a multipolygon are.
const maxBrackets = 4

// parseCoordinates reads nested lists of numbers in valid JSON. It reports false for
// lists that have anything else or whose positions are not all at the same depth.
func parseCoordinates(text []byte) (n nestedPoints, ok bool) {
	depth, numbers := 0, 0
	var position orb.Point
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '[':
			if depth++; depth > maxBrackets || n.depth > 0 && depth > n.depth {
				return n, false
			}
			i++
		case c == ']':
			if !n.closeList(depth, numbers, position) {
				return n, false
			}
			depth, numbers = depth-1, 0
			i++
		case c == ',' || isSpace(c):
			i++
		case c == '-' || c >= '0' && c <= '9':
			value, end := parseNumber(text, i)
			if end == i || depth == 0 || n.depth > 0 && depth != n.depth {
				return n, false
			}
			n.depth = depth
			if numbers < 2 {
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

// closeList ends the list at a depth; numbers is how many numbers it has.
func (n *nestedPoints) closeList(depth, numbers int, position orb.Point) bool {
	switch n.depth - depth {
	case 0:
		if numbers < 2 {
			return false
		}
		n.points = append(n.points, position)
	case 1:
		n.rings = append(n.rings, len(n.points))
	case 2:
		n.polygons = append(n.polygons, len(n.rings))
	}
	return true
}

// figures returns the figures of a kind whose positions have so many lists around them.
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

// ringsBetween returns the points of rings, which leave no room to append to one
// another.
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
