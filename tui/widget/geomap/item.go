package geomap

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
	"github.com/paulmach/orb/resample"

	"flightdesk/tui/theme"
)

// mapItem is a feature made ready to draw: copied, cleaned, unwrapped, projected.
type mapItem struct {
	id     string
	name   string
	source orb.Geometry
	label  []textCluster
	mark   rune
	role   theme.Role
	parts  []itemPart
	bound  orb.Bound // of the plane, as all that follows
	spot   orb.Point // where mark and label stand
}

// itemPart is a point, a line or a polygon with its holes.
type itemPart struct {
	kind  partKind
	rings [][]orb.Point
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
		id:     f.ID,
		name:   f.Label,
		source: f.Geometry,
		label:  cleanClusters(f.Label, maxLabel),
		mark:   f.Mark,
		role:   f.Role,
	}
	it.addGeometry(f.Geometry)
	it.bound = emptyBound
	for i := range it.parts {
		p := &it.parts[i]
		p.bound = emptyBound
		turn := turnsBetween(p.rings[0][0][0], it.parts[0].rings[0][0][0])
		for _, ring := range p.rings {
			shiftRing(ring, turn)
			p.bound = p.bound.Union(orb.LineString(ring).Bound())
		}
		it.bound = it.bound.Union(p.bound)
	}
	if len(it.parts) > 0 {
		it.spot = it.parts[0].markPoint()
	}
	return it
}

var emptyBound = orb.Bound{
	Min: orb.Point{math.Inf(1), math.Inf(1)},
	Max: orb.Point{math.Inf(-1), math.Inf(-1)},
}

// addGeometry takes a geometry apart.
func (it *mapItem) addGeometry(g orb.Geometry) {
	switch g := g.(type) {
	case orb.Point:
		it.appendPart(partPoint, []orb.Point{g})
	case orb.MultiPoint:
		for _, p := range g {
			it.addGeometry(p)
		}
	case orb.LineString:
		it.appendPart(partLine, g)
	case orb.Polygon:
		rings := make([][]orb.Point, len(g))
		for i, r := range g {
			rings[i] = r
		}
		it.appendPart(partArea, rings...)
	}
}

// appendPart adds a part of what can be drawn of the rings.
func (it *mapItem) appendPart(kind partKind, rings ...[]orb.Point) {
	p := itemPart{kind: kind}
	for i, ring := range rings {
		line := projectLine(ring)
		if len(line) == 0 {
			if i == 0 {
				return
			}
			continue
		}
		if kind == partArea && line[0] != line[len(line)-1] {
			line = append(line, line[0])
		}
		p.rings = append(p.rings, line)
		shiftRing(line, turnsBetween(line[0][0], p.rings[0][0][0]))
	}
	if len(p.rings) > 0 {
		it.parts = append(it.parts, p)
	}
}

// turnsBetween returns the shift that brings longitude from nearest to another.
func turnsBetween(from, to float64) float64 { return math.Round((to-from)/360) * 360 }

func shiftRing(ring []orb.Point, by float64) {
	for i := range ring {
		ring[i][0] += by
	}
}

// projectLine returns the points in the plane without those that are not finite, and adds
// or takes turns so that no step is longer than half the way round.
func projectLine(points []orb.Point) []orb.Point {
	out := make([]orb.Point, 0, len(points)+1)
	for _, p := range points {
		if !isFinite(p[0]) || !isFinite(p[1]) {
			continue
		}
		q := project(orb.Point{wrapLongitude(p[0]), p[1]})
		if len(out) > 0 {
			last := out[len(out)-1][0]
			q[0] = last + math.Remainder(q[0]-last, 360)
		}
		out = append(out, q)
	}
	return out
}

// markPoint returns where a part is marked: a point of the line or within the area.
func (p *itemPart) markPoint() orb.Point {
	ring := p.rings[0]
	switch p.kind {
	case partArea:
		return pointInside(ring)
	case partLine:
		halves := resample.Resample(slices.Clone(ring), planar.Distance, 3) // of one point, that
		return halves[len(halves)/2]
	default:
		return ring[0]
	}
}

// pointInside returns a point within a ring: the middle of the longest stretch of
// it at the latitude of its centre.
func pointInside(ring []orb.Point) orb.Point {
	b := orb.Ring(ring).Bound()
	centre, area := planar.CentroidArea(orb.Ring(ring))
	lat := centre[1]
	if area == 0 || !isFinite(lat) {
		lat = (b.Min[1] + b.Max[1]) / 2
	}
	var xs []float64
	for i := 1; i < len(ring); i++ {
		a, c := ring[i-1], ring[i]
		if (a[1] > lat) != (c[1] > lat) {
			xs = append(xs, a[0]+(lat-a[1])/(c[1]-a[1])*(c[0]-a[0]))
		}
	}
	slices.Sort(xs)
	best, at := -1.0, orb.Point{(b.Min[0] + b.Max[0]) / 2, lat}
	for i := 0; i+1 < len(xs); i += 2 {
		if d := xs[i+1] - xs[i]; d > best {
			best, at[0] = d, (xs[i]+xs[i+1])/2
		}
	}
	return at
}

// bySize returns the positions of items from the largest extent to the
// smallest, so that what is small is drawn over what is large.
func bySize(items []mapItem) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 {
		b := items[i].bound
		return max(b.Max[0]-b.Min[0], 0) * max(b.Max[1]-b.Min[1], 0)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	return order
}

// boundAll returns the bound of all items, over the antimeridian where that is narrower, so
// that sites on both sides of it stay together.
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
