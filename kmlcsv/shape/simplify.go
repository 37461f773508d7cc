package shape

import (
	"errors"
	"fmt"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"
)

// SimplifyTo simplifies a line or an area to at most maxPoints points. It first leaves out the points that change the
// shape least. The limit applies to the boundary and to each hole of an area, without their closing points.
func SimplifyTo(g orb.Geometry, maxPoints int) (orb.Geometry, error) {
	if maxPoints < 3 {
		return nil, errors.New("at least 3 points must be left")
	}
	return simplifyBy(g, func(path orb.LineString, isRing bool) orb.LineString {
		keep := maxPoints
		if isRing {
			keep++ // the closing point
		}
		return simplify.VisvalingamKeep(keep).LineString(path)
	})
}

// SimplifyWithin simplifies a line or an area. It leaves out points that are nearer to the simplified shape than the
// tolerance, which is in metres.
func SimplifyWithin(g orb.Geometry, tolerance float64) (orb.Geometry, error) {
	if err := checkMetres("tolerance", tolerance); err != nil {
		return nil, err
	}
	return simplifyBy(g, func(path orb.LineString, _ bool) orb.LineString {
		return simplify.DouglasPeucker(tolerance).LineString(path)
	})
}

// pathReducer returns a path with fewer points. The path is in the plane. If isRing is set, its last point equals its
// first.
type pathReducer func(path orb.LineString, isRing bool) orb.LineString

// simplifyBy projects the paths of a line or an area to a plane, and calls reduce for each of them.
func simplifyBy(g orb.Geometry, reduce pathReducer) (orb.Geometry, error) {
	switch g := g.(type) {
	case orb.LineString:
		return simplifyLine(g, reduce)
	case orb.Polygon:
		return simplifyArea(g, reduce)
	}
	return nil, fmt.Errorf("only lines and areas can be simplified, not %s", nameOf(g))
}

func simplifyLine(line orb.LineString, reduce pathReducer) (orb.Geometry, error) {
	pl, err := planeAround(line)
	if err != nil {
		return nil, err
	}
	simple := reduce(pl.projectAll(line), false)
	return orb.LineString(pl.locateAll(simple)), nil
}

// simplifyArea simplifies the boundary and the holes of an area. Holes that become too small are left out.
func simplifyArea(area orb.Polygon, reduce pathReducer) (orb.Geometry, error) {
	pl, projected, err := projectSound(area)
	if err != nil {
		return nil, err
	}
	var simple orb.Polygon
	for i, ring := range projected {
		ring = orb.Ring(reduce(orb.LineString(ring), true))
		isBoundary := i == 0
		hasArea := len(ring) >= 4 && planeArea(orb.Polygon{ring}) > 0
		if isBoundary && !hasArea {
			return nil, errors.New("nothing would be left of the area; keep more of it")
		}
		if hasArea {
			simple = append(simple, ring)
		}
	}
	simple = pl.locatePolygon(simple)
	if checkCrossings(simple) != nil {
		return nil, errors.New("its boundary would cross itself; keep more of it")
	}
	return simple, nil
}
