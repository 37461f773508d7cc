package geomap

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
	"github.com/paulmach/orb/resample"
)

// mapItem is a feature prepared for drawing: copied, cleaned, unwrapped and projected.
type mapItem struct {
	Feature
	label labelTexts
	parts []itemPart
	bound orb.Bound // projected
	spot  orb.Point // projected position of the mark and the label
}

// itemPart is a point, a line or a polygon with its holes, projected.
type itemPart struct {
	kind  partKind
	rings orb.Polygon
	bound orb.Bound
}

type partKind uint8

const (
	partPoint partKind = iota
	partLine
	partArea
)

func newMapItem(f Feature) mapItem {
	it := mapItem{
		Feature: f,
		label:   newLabelTexts(f.Label),
		bound:   emptyBound,
	}
	it.addGeometry(f.Geometry)
	if len(it.parts) > 0 {
		it.spot = it.parts[0].markPoint()
	}
	return it
}

var emptyBound = orb.Bound{
	Min: orb.Point{math.Inf(1), math.Inf(1)},
	Max: orb.Point{math.Inf(-1), math.Inf(-1)},
}

// addGeometry splits a geometry into parts.
func (it *mapItem) addGeometry(g orb.Geometry) {
	switch g := g.(type) {
	case orb.Point:
		it.appendPart(partPoint, orb.Polygon{{g}})
	case orb.MultiPoint:
		for _, p := range g {
			it.addGeometry(p)
		}
	case orb.LineString:
		it.appendPart(partLine, orb.Polygon{orb.Ring(g)})
	case orb.Polygon:
		it.appendPart(partArea, g)
	}
}

// appendPart projects the rings and adds them as a part. It adds nothing if the first ring, which is the outline,
// has no finite point.
func (it *mapItem) appendPart(kind partKind, rings orb.Polygon) {
	projected := it.projectRings(rings)
	if len(projected) == 0 {
		return
	}
	if kind == partArea {
		for i, ring := range projected {
			if ring[0] != ring[len(ring)-1] {
				projected[i] = append(ring, ring[0])
			}
		}
	}
	part := itemPart{kind: kind, rings: projected, bound: projected.Bound()}
	it.parts = append(it.parts, part)
	it.bound = it.bound.Union(part.bound)
}

// projectRings projects an outline and its holes. It shifts the outline by full turns to be near the first part of
// the item, and the holes to be near the outline. Holes without a finite point are left out. If the outline has no
// finite point, projectRings returns nil.
func (it *mapItem) projectRings(rings orb.Polygon) orb.Polygon {
	if len(rings) == 0 {
		return nil
	}
	outline := projectLine(rings[0], it.firstLongitude())
	if len(outline) == 0 {
		return nil
	}
	projected := orb.Polygon{outline}
	for _, hole := range rings[1:] {
		line := projectLine(hole, outline[0][0])
		if len(line) > 0 {
			projected = append(projected, line)
		}
	}
	return projected
}

// firstLongitude returns the longitude of the first point of the item, or 0 if it has no part yet.
func (it *mapItem) firstLongitude() float64 {
	if len(it.parts) == 0 {
		return 0
	}
	outline := it.parts[0].rings[0]
	return outline[0][0]
}

// turnsBetween returns the shift that moves a longitude as near as possible to a target. The shift is a number of
// full turns, in degrees.
func turnsBetween(longitude, target float64) float64 {
	return math.Round((target-longitude)/360) * 360
}

// projectLine projects the finite points of a line. It unwraps longitudes, so that they change by at
// most half a turn between two points. The first longitude is at most half a turn from start.
func projectLine(points orb.Ring, start float64) orb.Ring {
	line := make(orb.Ring, 0, len(points)+1)
	longitude := start
	for _, point := range points {
		if !isFinite(point[0] + point[1]) {
			continue
		}
		projected := project(point)
		longitude += math.Remainder(projected[0]-longitude, 360)
		line = append(line, orb.Point{longitude, projected[1]})
	}
	return line
}

// markPoint returns the position of a part's mark: a point on the line or inside the area.
func (p *itemPart) markPoint() orb.Point {
	ring := p.rings[0]
	switch p.kind {
	case partArea:
		return pointInside(ring)
	case partLine:
		halves := resample.Resample(orb.LineString(ring.Clone()), planar.Distance, 3)
		return halves[len(halves)/2] // a line with a single point has no third point
	default:
		return ring[0]
	}
}

// pointInside returns a point inside a ring. It does not return the centroid, which can be outside. At the latitude
// of the centroid, it returns the middle of the longest section inside the ring.
func pointInside(ring orb.Ring) orb.Point {
	point := ring.Bound().Center()
	centroid, area := planar.CentroidArea(ring)
	if area != 0 && isFinite(centroid[1]) {
		point[1] = centroid[1]
	}
	longest := -1.0
	crossings := crossingsAt(ring, point[1])
	for i := 0; i+1 < len(crossings); i += 2 {
		length := crossings[i+1] - crossings[i]
		if length > longest {
			longest = length
			point[0] = crossings[i] + length/2
		}
	}
	return point
}

// crossingsAt returns the sorted longitudes at which a ring crosses a latitude.
func crossingsAt(ring orb.Ring, latitude float64) []float64 {
	var crossings []float64
	for i := 1; i < len(ring); i++ {
		a := ring[i-1]
		b := ring[i]
		if (a[1] > latitude) != (b[1] > latitude) {
			crossings = append(crossings, a[0]+(latitude-a[1])/(b[1]-a[1])*(b[0]-a[0]))
		}
	}
	slices.Sort(crossings)
	return crossings
}

// bySize returns the indexes of items from the largest to the smallest extent, the order
// in which they are drawn.
func bySize(items []mapItem) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(planar.Area(items[b].bound), planar.Area(items[a].bound))
	})
	return order
}

// boundAll returns the bound of all items. If a bound across the antimeridian is narrower than a bound that ends there,
// it returns the bound across the antimeridian.
func boundAll(items []mapItem) orb.Bound {
	fromWest := emptyBound // with longitudes from -180 on
	fromZero := emptyBound // with longitudes from 0 on
	for _, item := range items {
		if len(item.parts) == 0 {
			continue
		}
		west := wrapLongitude(item.bound.Min[0])
		fromWest = fromWest.Union(moveBound(item.bound, west))
		if west < 0 {
			west += 360
		}
		fromZero = fromZero.Union(moveBound(item.bound, west))
	}
	if fromZero.Max[0]-fromZero.Min[0] < fromWest.Max[0]-fromWest.Min[0] {
		return fromZero
	}
	return fromWest
}

// moveBound returns a bound with the same size and another western edge.
func moveBound(b orb.Bound, west float64) orb.Bound {
	b.Max[0] = west + b.Max[0] - b.Min[0]
	b.Min[0] = west
	return b
}
