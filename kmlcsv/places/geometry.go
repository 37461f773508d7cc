package places

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// representativePoint returns a point for a geometry: the centroid of a polygon if it is inside the polygon, the middle
// vertex of a line, otherwise the first vertex. points are the vertices of g. Set isNarrow if the geometry certainly
// does not cross the antimeridian.
func representativePoint(g orb.Geometry, points []orb.Point, isNarrow bool) orb.Point {
	polygon, isPolygon := g.(orb.Polygon)
	if !isPolygon {
		return points[len(points)/2]
	}
	if ring := unwrapRing(points, isNarrow); len(ring) >= 4 {
		centre := centreOfArea(ring)
		inHole := slices.ContainsFunc(polygon[1:], func(hole orb.Ring) bool { return ringContains(hole, centre) })
		if ringContains(ring, centre) && !inHole {
			return orb.Point{math.Remainder(centre[0], 360), centre[1]}
		}
	}
	return points[0]
}

// centreOfArea returns the centroid of a closed ring, or NaN if it has no area. It takes
// half the time of the function in orb.
func centreOfArea(ring orb.Ring) orb.Point {
	fromX := ring[0][0]
	fromY := ring[0][1]
	var x, y, area, lastX, lastY float64
	for _, p := range ring[1:] {
		nextX := p[0] - fromX
		nextY := p[1] - fromY
		cross := lastX*nextY - nextX*lastY
		area += cross
		x += (lastX + nextX) * cross
		y += (lastY + nextY) * cross
		lastX = nextX
		lastY = nextY
	}
	return orb.Point{fromX + x/(3*area), fromY + y/(3*area)}
}

// BoundOf returns the bound of points. It takes a fifth of the time of the function in
// orb.
func BoundOf(points []orb.Point) orb.Bound {
	west := points[0][0]
	south := points[0][1]
	east := west
	north := south
	for i := range points { // min and max would be slower, because they handle NaN and -0
		if x := points[i][0]; x < west {
			west = x
		} else if x > east {
			east = x
		}
		if y := points[i][1]; y < south {
			south = y
		} else if y > north {
			north = y
		}
	}
	return orb.Bound{Min: orb.Point{west, south}, Max: orb.Point{east, north}}
}

// ringContains reports whether a point is inside a closed ring. It is inside if a ray from the point to the east
// crosses the ring an odd number of times.
func ringContains(ring orb.Ring, p orb.Point) bool {
	isIn := false
	wasNorth := false
	for i := range ring {
		isNorth := ring[i][1] > p[1]
		if i > 0 && isNorth != wasNorth {
			a := ring[i-1]
			b := ring[i]
			isIn = isIn != (p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]))
		}
		wasNorth = isNorth
	}
	return isIn
}

// unwrapRing returns the points as a closed ring. If the ring crosses the antimeridian, its longitudes continue beyond
// ±180°. Set isNarrow if the ring certainly does not cross the antimeridian.
func unwrapRing(points []orb.Point, isNarrow bool) orb.Ring {
	if isNarrow && points[0] == points[len(points)-1] {
		return points
	}
	ring := make(orb.Ring, 0, len(points)+1)
	for _, p := range points {
		if n := len(ring); n > 0 {
			p[0] = ring[n-1][0] + math.Remainder(p[0]-ring[n-1][0], 360)
		}
		ring = append(ring, p)
	}
	if ring[0] != ring[len(ring)-1] {
		ring = append(ring, ring[0])
	}
	return ring
}
