package kmlcsv

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// crossChecks is the maximum number of pairs of edges that are compared for a file, so that the check takes only a
// fraction of a second.
const crossChecks = 20_000_000

// crossingFinder looks for rings that cross themselves.
type crossingFinder struct {
	checksLeft int         // edge pairs that may still be compared
	path       []orb.Point // the ring that is checked, without jumps at the antimeridian
	edges      []ringEdge  // edges of the path, sorted by sortEdges
}

// ringEdge is the extent of an edge of a ring. The edges are sorted from west to east or from south to north.
type ringEdge struct {
	from, to  float64 // extent in the direction of sorting
	low, high float64 // extent in the other direction
	index     int
}

// The faults of a ring.
var (
	flat      = newError(ZeroArea, "the boundary encloses no area")
	crosses   = newError(BoundaryCrosses, "the boundary crosses itself; its area is uncertain")
	intricate = newError(BoundaryNotChecked, "the boundary is too complex to check whether it crosses itself")
)

// checkRing returns what is wrong with a closed ring, or nil. A ring is faulty if it encloses no area or crosses
// itself. It also returns an error if the ring has too many edges to check. bound is the bounding box of the ring.
func (c *crossingFinder) checkRing(ring orb.Ring, bound orb.Bound) *Error {
	if isStarShaped(ring, bound) {
		return nil
	}
	c.path = appendUnwrapped(c.path[:0], ring)
	if c.isFlat() {
		return flat
	}
	isTriangle := len(ring) <= 4 // the last point repeats the first
	if isTriangle {              // it cannot cross itself
		return nil
	}
	hasCrossing, isChecked := c.hasCrossing()
	if hasCrossing {
		return crosses
	}
	if !isChecked {
		return intricate
	}
	return nil
}

// hasCrossing reports whether the path crosses itself. The path must be a closed ring. If isChecked is false, the
// path has too many edges to compare all of them, and the first result must be ignored.
func (c *crossingFinder) hasCrossing() (hasCrossing, isChecked bool) {
	stopAtFirst := func(_, _ int) bool {
		hasCrossing = true
		return false
	}
	isChecked = c.findCrossings(len(c.path)-1, stopAtFirst)
	return hasCrossing, isChecked
}

// findCrossings calls found for each pair of edges that cross, until found returns false. If the path is a closed ring,
// ringEdges is the number of its edges, otherwise 0. In a ring, the first and the last edge are neighbours, which do
// not count as crossing. isChecked is false if the path is too complex to check.
func (c *crossingFinder) findCrossings(ringEdges int, found func(i, j int) bool) (isChecked bool) {
	c.sortEdges()
	n := len(c.edges)
	for i := range c.edges {
		a := &c.edges[i]
		for j := i + 1; j < n && c.edges[j].from <= a.to; j++ {
			c.checksLeft--
			if c.checksLeft < 0 {
				return false
			}
			b := &c.edges[j]
			if b.low > a.high || b.high < a.low {
				continue
			}
			if c.edgesCross(a.index, b.index, ringEdges) && !found(a.index, b.index) {
				return true // the caller needs no more crossings
			}
		}
	}
	return true
}

// Crossings returns the points where a line or a closed ring crosses itself, up to limit points. Places where a path
// only touches itself are not crossings. ok is false if the path is too complex to check; the points are then
// incomplete.
func Crossings(path []orb.Point, limit int) (points []orb.Point, ok bool) {
	if len(path) < 4 {
		return nil, true
	}
	c := crossingFinder{checksLeft: crossChecks}
	c.path = appendUnwrapped(nil, path)
	ringEdges := 0
	if path[0] == path[len(path)-1] {
		ringEdges = len(path) - 1
	}
	ok = c.findCrossings(ringEdges, func(i, j int) bool {
		points = append(points, c.crossingOf(i, j))
		return len(points) < limit
	})
	return points, ok
}

// crossingOf returns the point where the edges i and j of the path cross.
func (c *crossingFinder) crossingOf(i, j int) orb.Point {
	a := c.path[i]
	b := c.path[i+1]
	p := c.path[j]
	q := c.path[j+1]
	sideOfP := sideOfLine(a, b, p) // proportional to the distance of p from the line
	sideOfQ := sideOfLine(a, b, q)
	share := sideOfP / (sideOfP - sideOfQ) // position of the crossing on the edge from p to q, from 0 to 1
	return orb.Point{math.Remainder(p[0]+share*(q[0]-p[0]), 360), p[1] + share*(q[1]-p[1])}
}

// isFlat reports whether the path encloses no area.
func (c *crossingFinder) isFlat() bool {
	bound := places.BoundOf(c.path)
	sum := 0.0
	for i := 1; i+1 < len(c.path); i++ {
		sum += sideOfLine(c.path[0], c.path[i], c.path[i+1])
	}
	return math.Abs(sum) <= 1e-9*(bound.Max[0]-bound.Min[0])*(bound.Max[1]-bound.Min[1])
}

// isStarShaped reports whether the vertices of a closed ring go once around the middle of its bounding box, always
// clockwise or always counterclockwise. Such a ring cannot cross itself. Most rings have this shape, and this check
// is much faster than comparing all edges. Other rings may or may not cross themselves.
func isStarShaped(ring orb.Ring, bound orb.Bound) bool {
	width := bound.Max[0] - bound.Min[0]
	height := bound.Max[1] - bound.Min[1]
	mayCrossAntimeridian := width > 180
	if mayCrossAntimeridian {
		return false
	}
	middleX := (bound.Min[0] + bound.Max[0]) / 2
	middleY := (bound.Min[1] + bound.Max[1]) / 2
	firstTurn := 0.0     // positive if the ring is counterclockwise
	twiceArea := 0.0     // with the sign of firstTurn
	middleCrossings := 0 // edges from the southern to the northern half of the bound, or back
	x1 := ring[0][0] - middleX
	y1 := ring[0][1] - middleY
	for _, p := range ring[1:] {
		x2 := p[0] - middleX
		y2 := p[1] - middleY
		turn := x1*y2 - x2*y1 // positive if the edge goes counterclockwise around the middle
		if firstTurn == 0 {
			firstTurn = turn
		}
		keepsDirection := turn*firstTurn > 0
		if !keepsDirection {
			return false
		}
		twiceArea += turn
		if (y1 < 0) != (y2 < 0) {
			middleCrossings++
		}
		x1 = x2
		y1 = y2
	}
	isOnceAround := middleCrossings == 2 // a ring that goes around twice crosses between the halves four times
	// If all points are on one line, rounding errors can look like turns in one direction. But then the area is tiny.
	hasArea := math.Abs(twiceArea) > 1e-9*width*height
	return isOnceAround && hasArea
}

// appendUnwrapped appends the points of a path to the empty slice unwrapped, without jumps at the antimeridian. For
// instance, the longitudes 179 and -179 become 179 and 181.
func appendUnwrapped(unwrapped, path []orb.Point) []orb.Point {
	unwrapped = append(unwrapped, path...)
	for i := 1; i < len(path); i++ {
		unwrapped[i][0] = unwrapped[i-1][0] + wrapDifference(path[i][0]-path[i-1][0])
	}
	return unwrapped
}

// sortEdges sets c.edges to the edges of the path. It sorts them from west to east if the path is wider than high,
// otherwise from south to north.
func (c *crossingFinder) sortEdges() {
	bound := places.BoundOf(c.path)
	width := bound.Max[0] - bound.Min[0]
	height := bound.Max[1] - bound.Min[1]
	along := 0 // index of the coordinate along the longer side
	if height > width {
		along = 1
	}
	across := 1 - along
	c.edges = slices.Grow(c.edges[:0], len(c.path))
	for i := 1; i < len(c.path); i++ {
		a := c.path[i-1]
		b := c.path[i]
		c.edges = append(c.edges, ringEdge{
			from:  min(a[along], b[along]),
			to:    max(a[along], b[along]),
			low:   min(a[across], b[across]),
			high:  max(a[across], b[across]),
			index: i - 1,
		})
	}
	slices.SortFunc(c.edges, func(a, b ringEdge) int { return cmp.Compare(a.from, b.from) })
}

// edgesCross reports whether edges i and j of the path cross. For a closed ring, ringEdges is the number of edges;
// for a line, it is 0. Edges that only touch do not cross: many rings touch themselves to cut out a hole, and this
// does not make their area ambiguous.
func (c *crossingFinder) edgesCross(i, j, ringEdges int) bool {
	first := min(i, j)
	second := max(i, j)
	areNeighbours := second == first+1 || first == 0 && second == ringEdges-1
	if areNeighbours { // neighbours share an end
		return false
	}
	a := c.path[first]
	b := c.path[first+1]
	p := c.path[second]
	q := c.path[second+1]
	return haveOppositeSigns(sideOfLine(a, b, p), sideOfLine(a, b, q)) &&
		haveOppositeSigns(sideOfLine(p, q, a), sideOfLine(p, q, b))
}

func haveOppositeSigns(a, b float64) bool { return a > 0 && b < 0 || a < 0 && b > 0 }

// sideOfLine returns a positive number if p is left of the line from a to b, a negative number if p is right of it,
// and 0 if p is a or b. The conversions to float64 keep the compiler from fusing a multiplication and a subtraction.
// The fused result would be rounded differently, and not be 0 for a and b.
func sideOfLine(a, b, p orb.Point) float64 {
	return float64((b[0]-a[0])*(p[1]-a[1])) - float64((b[1]-a[1])*(p[0]-a[0]))
}
