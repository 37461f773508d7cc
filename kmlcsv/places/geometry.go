package places

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// vertices appends the finite vertices of a geometry; of polygons those of the
// boundary.
func vertices(g orb.Geometry, out []orb.Point) []orb.Point {
	switch g := g.(type) {
	case orb.MultiLineString:
		for _, l := range g {
			out = appendFinite(out, l)
		}
	case orb.MultiPolygon:
		for _, p := range g {
			out = vertices(p, out)
		}
	case orb.Collection:
		for _, part := range g {
			out = vertices(part, out)
		}
	default:
		out = appendFinite(out, points(g))
	}
	return out
}

// points returns the vertices of a geometry of one part.
func points(g orb.Geometry) []orb.Point {
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

func appendFinite(out, points []orb.Point) []orb.Point {
	for _, p := range points {
		if finite(p[0]) && finite(p[1]) {
			out = append(out, p)
		}
	}
	return out
}

// representative returns a point that stands for a geometry: the centre of
// area of a polygon where that is inside it, the middle vertex of a line, else
// the first vertex. points are the vertices of g.
func representative(g orb.Geometry, points []orb.Point) orb.Point {
	switch g := g.(type) {
	case orb.LineString:
		return points[len(points)/2]
	case orb.Polygon, orb.Ring, orb.Bound:
		ring := unwrap(points)
		if len(ring) < 4 {
			break
		}
		centre, area := planar.CentroidArea(ring)
		if area != 0 && planar.RingContains(ring, centre) && !inHole(g, centre) {
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
		if planar.RingContains(hole, p) {
			return true
		}
	}
	return false
}

// unwrap returns the points as a closed ring whose longitudes go on beyond
// ±180° where it crosses the antimeridian.
func unwrap(points []orb.Point) orb.Ring {
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
