package shape

import (
	"errors"
	"fmt"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/simplify"
)

// SimplifyTo returns a line or an area with at most so many points, a closing point not counted.
// The points that change the shape least are left out first. Holes are simplified alike.
func SimplifyTo(g orb.Geometry, points int) (orb.Geometry, error) {
	if points < 3 {
		return nil, errors.New("at least 3 points must be left")
	}
	return simplifyBy(g, func(path orb.LineString, isRing bool) orb.LineString {
		keep := points
		if isRing {
			keep++ // the closing point
		}
		return simplify.VisvalingamKeep(keep).LineString(path)
	})
}

// SimplifyWithin returns a line or an area without the points that are nearer to the simplified
// shape than a tolerance in metres.
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
			if len(ring) >= 4 && planeArea(orb.Polygon{ring}) > 0 {
				simple = append(simple, ring)
			} else if i == 0 {
				return nil, errors.New("nothing would be left of the area; keep more of it")
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
