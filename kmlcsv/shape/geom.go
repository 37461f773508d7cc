package shape

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/peterstace/simplefeatures/geom"

	"flightdesk/kmlcsv"
)

// flatten returns the coordinates of points one after the other.
func flatten(points []orb.Point) []float64 {
	flat := make([]float64, 0, 2*len(points))
	for _, p := range points {
		flat = append(flat, p[0], p[1])
	}
	return flat
}

func toGeom(p orb.Polygon) geom.Geometry {
	rings := make([][]float64, len(p))
	for i, ring := range p {
		rings[i] = flatten(ring)
	}
	return geom.NewPolygonXY(rings...).AsGeometry()
}

// fromGeom returns the polygons in a geometry, the largest first.
func fromGeom(g geom.Geometry) []orb.Polygon {
	var parts []orb.Polygon
	for _, part := range g.Dump() {
		polygon, ok := part.AsPolygon()
		if !ok || polygon.IsEmpty() {
			continue
		}
		var rings orb.Polygon
		for _, sequence := range polygon.Coordinates() {
			ring := make(orb.Ring, sequence.Length())
			for i := range ring {
				at := sequence.GetXY(i)
				ring[i] = orb.Point{at.X, at.Y}
			}
			rings = append(rings, ring)
		}
		parts = append(parts, rings)
	}
	slices.SortStableFunc(parts, func(a, b orb.Polygon) int { return cmp.Compare(planeArea(b), planeArea(a)) })
	return parts
}

// planeArea returns the area of a polygon in the plane. The areas of its holes are subtracted.
func planeArea(p orb.Polygon) float64 {
	area := 0.0
	for i, ring := range p {
		sum := 0.0
		for k := 1; k < len(ring); k++ {
			sum += (ring[k][0] - ring[0][0]) * (ring[k-1][1] - ring[0][1])
			sum -= (ring[k][1] - ring[0][1]) * (ring[k-1][0] - ring[0][0])
		}
		if i == 0 {
			area = math.Abs(sum) / 2
		} else {
			area -= math.Abs(sum) / 2
		}
	}
	return max(0, area)
}

// projectSound checks an area and projects it to a plane. It returns the plane, which has the middle of the area as its
// origin, and the projected area. It returns an error if a ring of the area crosses itself or another ring, or if the
// area is almost zero.
func projectSound(area orb.Polygon) (plane, orb.Polygon, error) {
	pl, err := planeAround(allPoints(area))
	if err != nil {
		return plane{}, nil, err
	}
	projected, err := pl.projectPolygon(area)
	if err != nil {
		return plane{}, nil, err
	}
	if err := checkCrossings(area); err != nil {
		return plane{}, nil, err
	}
	if len(projected) > 1 && toGeom(projected).Validate() != nil {
		return plane{}, nil, errors.New("its holes and its boundary cross or touch along a line")
	}
	if planeArea(projected) < 1e-6 {
		return plane{}, nil, errors.New("it encloses no area")
	}
	return pl, projected, nil
}

// checkCrossings returns an error if a ring of an area crosses itself.
func checkCrossings(area orb.Polygon) error {
	for _, ring := range area {
		if len(ring) > 0 && ring[0] != ring[len(ring)-1] {
			ring = append(ring[:len(ring):len(ring)], ring[0])
		}
		points, ok := kmlcsv.Crossings(ring, 1)
		if len(points) > 0 {
			p := points[0]
			return fmt.Errorf("its boundary crosses itself at %.6f, %.6f; move a corner first", p[1], p[0])
		}
		if !ok {
			return errors.New("its boundary is too complex; simplify it first")
		}
	}
	return nil
}
