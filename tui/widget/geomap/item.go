package geomap

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"

	"flightdesk/tui/theme"
)

// mapItem is a feature made ready to draw: copied, cleaned, unwrapped, projected.
type mapItem struct {
	id        string
	name      string
	source    orb.Geometry
	label     []textCluster
	mark      rune
	role      theme.Role
	parts     []itemPart
	bound     orb.Bound // degrees, unwrapped
	plane     orb.Bound
	planeMark orb.Point // where mark and label stand
}

// itemPart is a point, a line or a polygon with its holes.
type itemPart struct {
	kind  partKind
	rings [][]orb.Point // degrees, unwrapped
	plane [][]orb.Point
	bound orb.Bound // of plane
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
		if i > 0 {
			it.parts[i].moveNear(it.parts[0].rings[0][0][0])
		}
		for _, ring := range it.parts[i].rings {
			for _, p := range ring {
				it.bound = it.bound.Extend(p)
			}
		}
	}
	if len(it.parts) > 0 {
		it.planeMark = project(it.parts[0].markPoint())
	}
	it.plane = emptyBound
	for i := range it.parts {
		it.parts[i].projectPart()
		it.plane = it.plane.Union(it.parts[i].bound)
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
	case orb.MultiLineString:
		for _, l := range g {
			it.addGeometry(l)
		}
	case orb.Ring:
		it.appendPart(partArea, g)
	case orb.Bound:
		it.appendPart(partArea, g.ToRing())
	case orb.Polygon:
		rings := make([][]orb.Point, len(g))
		for i, r := range g {
			rings[i] = r
		}
		it.appendPart(partArea, rings...)
	case orb.MultiPolygon:
		for _, p := range g {
			it.addGeometry(p)
		}
	case orb.Collection:
		for _, part := range g {
			it.addGeometry(part)
		}
	}
}

// appendPart adds a part of what can be drawn of the rings.
func (it *mapItem) appendPart(kind partKind, rings ...[]orb.Point) {
	p := itemPart{kind: kind}
	for i, ring := range rings {
		clean := unwrapLongitudes(ring)
		if len(clean) == 0 {
			if i == 0 {
				return
			}
			continue
		}
		if kind == partArea && clean[0] != clean[len(clean)-1] {
			clean = append(clean, clean[0])
		}
		p.rings = append(p.rings, clean)
		if i > 0 {
			p.shiftRing(i, math.Round((p.rings[0][0][0]-clean[0][0])/360)*360)
		}
	}
	if len(p.rings) > 0 {
		it.parts = append(it.parts, p)
	}
}

// moveNear brings a part to the side of the antimeridian that a longitude is on.
func (p *itemPart) moveNear(lon float64) {
	by := math.Round((lon-p.rings[0][0][0])/360) * 360
	for i := range p.rings {
		p.shiftRing(i, by)
	}
}

func (p *itemPart) shiftRing(ring int, by float64) {
	if by == 0 {
		return
	}
	for i := range p.rings[ring] {
		p.rings[ring][i][0] += by
	}
}

// unwrapLongitudes copies points, leaves out those that are not finite, and adds or
// takes turns so that no step is longer than half the way round.
func unwrapLongitudes(points []orb.Point) []orb.Point {
	out := make([]orb.Point, 0, len(points)+1)
	for _, p := range points {
		if !isFinite(p[0]) || !isFinite(p[1]) {
			continue
		}
		lon, lat := wrapLongitude(p[0]), min(max(p[1], -90), 90)
		if len(out) > 0 {
			last := out[len(out)-1][0]
			lon = last + math.Remainder(lon-last, 360)
		}
		out = append(out, orb.Point{lon, lat})
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
		return pointHalfway(ring)
	default:
		return ring[0]
	}
}

// pointHalfway returns the point at half the length of a line.
func pointHalfway(line []orb.Point) orb.Point {
	left := planar.Length(orb.LineString(line)) / 2
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		d := planar.Distance(a, b)
		if d >= left && d > 0 {
			return orb.Point{a[0] + left/d*(b[0]-a[0]), a[1] + left/d*(b[1]-a[1])}
		}
		left -= d
	}
	return line[0]
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

// projectPart fills the fields of the plane.
func (p *itemPart) projectPart() {
	p.bound, p.plane = emptyBound, make([][]orb.Point, len(p.rings))
	for i, ring := range p.rings {
		p.plane[i] = make([]orb.Point, len(ring))
		for k, q := range ring {
			p.plane[i][k] = project(q)
			p.bound = p.bound.Extend(p.plane[i][k])
		}
	}
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

// boundAll returns the bound of all items. Round the globe it leaves out the
// widest gap, so that sites on both sides of the antimeridian stay together.
func boundAll(items []mapItem) orb.Bound {
	all := emptyBound
	type span struct{ from, to float64 }
	var spans []span
	for i := range items {
		b := items[i].bound
		if len(items[i].parts) == 0 {
			continue
		}
		all.Min[1], all.Max[1] = min(all.Min[1], b.Min[1]), max(all.Max[1], b.Max[1])
		from := wrapLongitude(b.Min[0])
		spans = append(spans, span{from, from + b.Max[0] - b.Min[0]})
	}
	if len(spans) == 0 {
		return all
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	reach := spans[0].to
	for _, s := range spans {
		reach = max(reach, s.to)
	}
	// The gap before the first span is the one from the reach of all others.
	gap, start := spans[0].from+360-reach, spans[0].from
	reach = spans[0].to
	for _, s := range spans[1:] {
		if d := s.from - reach; d > gap {
			gap, start = d, s.from
		}
		reach = max(reach, s.to)
	}
	all.Min[0], all.Max[0] = start, max(start, start+360-max(gap, 0))
	return all
}
