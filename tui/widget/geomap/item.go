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
	label string
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
		label:   cleanLabel(f.Label, maxLabel),
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

// appendPart projects the rings and adds them as a part. Rings are shifted by full turns
// to be near each other and near the first part.
func (it *mapItem) appendPart(kind partKind, rings orb.Polygon) {
	p, from := itemPart{kind: kind}, 0.0
	if len(it.parts) > 0 {
		from = it.parts[0].rings[0][0][0]
	}
	for i, ring := range rings {
		line := projectLine(ring, from)
		switch {
		case len(line) == 0 && i == 0:
			return
		case len(line) == 0:
			continue
		case kind == partArea && line[0] != line[len(line)-1]:
			line = append(line, line[0])
		}
		p.rings = append(p.rings, line)
		from = p.rings[0][0][0]
	}
	if len(p.rings) > 0 {
		p.bound = p.rings.Bound()
		it.parts, it.bound = append(it.parts, p), it.bound.Union(p.bound)
	}
}

// turnsBetween returns the shift in full turns that brings longitude from nearest to to.
func turnsBetween(from, to float64) float64 { return math.Round((to-from)/360) * 360 }

// projectLine projects the finite points of a line. It unwraps longitudes: no step, the
// first one measured from longitude from, is longer than half a turn.
func projectLine(points orb.Ring, from float64) orb.Ring {
	out := make(orb.Ring, 0, len(points)+1)
	for _, p := range points {
		if isFinite(p[0] + p[1]) {
			p = project(p)
			from += math.Remainder(p[0]-from, 360)
			out = append(out, orb.Point{from, p[1]})
		}
	}
	return out
}

// markPoint returns the position of a part's mark: a point on the line or inside the area.
func (p *itemPart) markPoint() orb.Point {
	ring := p.rings[0]
	switch p.kind {
	case partArea:
		return pointInside(ring)
	case partLine:
		halves := resample.Resample(orb.LineString(ring.Clone()), planar.Distance, 3) // of one point, that
		return halves[len(halves)/2]
	default:
		return ring[0]
	}
}

// pointInside returns a point inside a ring: the middle of the longest stretch of the ring
// at the latitude of its centroid.
func pointInside(ring orb.Ring) orb.Point {
	at := ring.Bound().Center()
	lat := at[1]
	if centre, area := planar.CentroidArea(ring); area != 0 && isFinite(centre[1]) {
		lat = centre[1]
	}
	var xs []float64
	for i := 1; i < len(ring); i++ {
		a, c := ring[i-1], ring[i]
		if (a[1] > lat) != (c[1] > lat) {
			xs = append(xs, a[0]+(lat-a[1])/(c[1]-a[1])*(c[0]-a[0]))
		}
	}
	slices.Sort(xs)
	best := -1.0
	for i := 0; i+1 < len(xs); i += 2 {
		if d := xs[i+1] - xs[i]; d > best {
			best, at[0] = d, xs[i]+d/2
		}
	}
	return orb.Point{at[0], lat}
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

// boundAll returns the bound of all items. It crosses the antimeridian if that is
// narrower.
func boundAll(items []mapItem) orb.Bound {
	west, east := emptyBound, emptyBound // of longitudes from -180 on, and from 0 on
	for _, it := range items {
		if len(it.parts) == 0 {
			continue
		}
		for _, all := range []*orb.Bound{&west, &east} {
			b, from := it.bound, wrapLongitude(it.bound.Min[0])
			if all == &east && from < 0 {
				from += 360
			}
			b.Min[0], b.Max[0] = from, from+b.Max[0]-b.Min[0]
			*all = all.Union(b)
		}
	}
	if east.Max[0]-east.Min[0] < west.Max[0]-west.Min[0] {
		return east
	}
	return west
}
