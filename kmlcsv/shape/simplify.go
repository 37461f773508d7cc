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

// SimplifyWithin simplifies a line or an area: it leaves out points that are nearer to the simplified shape than the
// tolerance in metres.
func SimplifyWithin(g orb.Geometry, tolerance float64) (orb.Geometry, error) {
	if err := checkMetres("tolerance", tolerance); err != nil {
		return nil, err
	}
	return simplifyBy(g, func(path orb.LineString, _ bool) orb.LineString {
		return simplify.DouglasPeucker(tolerance).LineString(path)
	})
}

// simplifyBy simplifies the line or the rings of a geometry in the plane. Holes that become too
// small are left out.
func simplifyBy(g orb.Geometry, reduce func(path orb.LineString, isRing bool) orb.LineString) (orb.Geometry, error) {
	switch g := g.(type) {
	case orb.LineString:
		pl, err := planeAround(g)
		if err != nil {
			return nil, err
		}
		return orb.LineString(pl.locateAll(reduce(pl.projectAll(g), false))), nil
	case orb.Polygon:
		pl, projected, err := projectSound(g)
		if err != nil {
			return nil, err
		}
		var simple orb.Polygon
		for i, ring := range projected {
			ring = orb.Ring(reduce(orb.LineString(ring), true))
			isBoundary := i == 0
			isLeft := len(ring) >= 4 && planeArea(orb.Polygon{ring}) > 0
			if isBoundary && !isLeft {
				return nil, errors.New("nothing would be left of the area; keep more of it")
			}
			if isLeft {
				simple = append(simple, ring)
			}
		}
		simple = pl.locatePolygon(simple)
		if checkCrossings(simple) != nil {
			return nil, errors.New("its boundary would cross itself; keep more of it")
		}
		return simple, nil
	}
	return nil, fmt.Errorf("only lines and areas can be simplified, not %s", nameOf(g))
}
