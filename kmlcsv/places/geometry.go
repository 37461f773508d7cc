package places

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// geometryVertices returns the finite vertices of a geometry; of polygons those of the
// boundary. They may be the geometry's own.
func geometryVertices(g orb.Geometry) []orb.Point {
	var all []orb.Point
	switch g := g.(type) {
	case orb.MultiLineString:
		for _, l := range g {
			all = append(all, l...)
		}
	case orb.MultiPolygon:
		for _, p := range g {
			all = append(all, partVertices(p)...)
		}
	case orb.Collection:
		for _, part := range g {
			all = append(all, geometryVertices(part)...)
		}
	default:
		all = partVertices(g)
	}
	if slices.ContainsFunc(all, isOff) {
		all = slices.DeleteFunc(slices.Clone(all), isOff)
	}
	return all
}

// isOff reports whether a point is no position.
func isOff(p orb.Point) bool { return !isFinite(p[0]) || !isFinite(p[1]) }

// partVertices returns the vertices of a geometry of one part.
func partVertices(g orb.Geometry) []orb.Point {
	switch g := g.(type) {
	case orb.Point:
		return []orb.Point{g}
	case orb.MultiPoint:
		return g
	case orb.LineString:
		return g
	case orb.Ring:
		return g
	case orb.Bound:
		return g.ToRing()
	case orb.Polygon:
		if len(g) > 0 {
			return g[0]
		}
	}
	return nil
}

// representativePoint returns a point that stands for a geometry: the centre of
// area of a polygon where that is inside it, the middle vertex of a line, else
// the first vertex. points are the vertices of g.
func representativePoint(g orb.Geometry, points []orb.Point) orb.Point {
	switch g := g.(type) {
	case orb.LineString:
		return points[len(points)/2]
	case orb.Polygon, orb.Ring, orb.Bound:
		ring := unwrapRing(points)
		if len(ring) < 4 {
			break
		}
		centre, area := planar.CentroidArea(ring)
		if area != 0 && ringContains(ring, centre) && !inHole(g, centre) {
			return orb.Point{math.Remainder(centre[0], 360), centre[1]}
		}
	}
	return points[0]
}

func inHole(g orb.Geometry, p orb.Point) bool {
	polygon, ok := g.(orb.Polygon)
	if !ok {
		return false
	}
	for _, hole := range polygon[1:] {
		if ringContains(hole, p) {
			return true
		}
	}
	return false
}

// ringContains reports whether a point is within a closed ring: whether the way from
// it to the east crosses the ring an odd number of times.
func ringContains(ring orb.Ring, p orb.Point) bool {
	isIn := false
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			isIn = !isIn
		}
	}
	return isIn
}

// unwrapRing returns the points as a closed ring whose longitudes go on beyond
// ±180° where it crosses the antimeridian.
func unwrapRing(points []orb.Point) orb.Ring {
	if points[0] == points[len(points)-1] &&
		!slices.ContainsFunc(points, func(p orb.Point) bool { return math.Abs(p[0]-points[0][0]) > 90 }) {
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
