package shape

import (
	"errors"
	"fmt"
	"math"

	"github.com/paulmach/orb"
	"github.com/peterstace/simplefeatures/geom"

	"flightdesk/kmlcsv"
)

// maxParts is the maximum number of parts of a split area.
const maxParts = 500

// Split cuts an area across its long side into strips of equal size. Each strip has at most maxArea square metres. The
// strips are in their order along the long side. If the area is concave, a strip can consist of several parts. If the
// area is small enough, it is returned unchanged.
func Split(area orb.Polygon, maxArea float64) ([]orb.Polygon, error) {
	if !isFinite(maxArea) || maxArea < 1 {
		return nil, errors.New("the largest area must be at least 1 m²")
	}
	pl, projected, err := projectSound(area)
	if err != nil {
		return nil, err
	}
	count := math.Ceil(kmlcsv.AreaOf(area)/maxArea - 1e-6)
	if count <= 1 {
		return []orb.Polygon{area}, nil
	}
	if count > maxParts {
		return nil, fmt.Errorf("it would become %.0f parts; at most %d are made", count, maxParts)
	}
	turn := longSide(projected[0])
	turned := rotate(projected, -turn)
	var parts []orb.Polygon
	for _, strip := range strips(turned, int(count)) {
		cut, err := geom.Intersection(toGeom(turned), toGeom(strip))
		if err != nil {
			return nil, errors.New("the area is too intricate to split; simplify it first")
		}
		for _, part := range fromGeom(cut) {
			parts = append(parts, pl.locatePolygon(rotate(part, turn)))
		}
	}
	return parts, nil
}

// longSide returns a direction in radians, counterclockwise from east. It is the direction of the long side of the
// smallest rectangle around a ring.
func longSide(ring orb.Ring) float64 {
	hull := hullOf(ring)
	step := max(1, len(hull)/500) // a hull with more edges is nearly round, so some of them are enough
	smallest := math.Inf(1)
	direction := 0.0
	for i := step; i < len(hull); i += step {
		edge := math.Atan2(hull[i][1]-hull[i-1][1], hull[i][0]-hull[i-1][0])
		bound := rotate(orb.Polygon{hull}, -edge)[0].Bound()
		width := bound.Max[0] - bound.Min[0]
		height := bound.Max[1] - bound.Min[1]
		if width*height >= smallest {
			continue
		}
		smallest = width * height
		direction = edge
		if height > width {
			direction += math.Pi / 2
		}
	}
	return direction
}

// rotate turns a polygon around the origin by an angle in radians.
func rotate(p orb.Polygon, angle float64) orb.Polygon {
	sin, cos := math.Sincos(angle)
	out := make(orb.Polygon, len(p))
	for i, ring := range p {
		out[i] = make(orb.Ring, len(ring))
		for k, at := range ring {
			out[i][k] = orb.Point{at[0]*cos - at[1]*sin, at[0]*sin + at[1]*cos}
		}
	}
	return out
}

// strips returns rectangles that cut a polygon into count parts of equal area, from left to right.
func strips(p orb.Polygon, count int) []orb.Polygon {
	bound := p[0].Bound().Pad(1)
	left := bound.Min[0]
	total := areaLeftOf(p, bound.Max[0])
	all := make([]orb.Polygon, 0, count)
	for i := 1; i <= count; i++ {
		right := bound.Max[0]
		if i < count {
			right = findCut(p, total*float64(i)/float64(count), left, bound.Max[0])
		}
		strip := orb.Bound{Min: orb.Point{left, bound.Min[1]}, Max: orb.Point{right, bound.Max[1]}}
		all = append(all, strip.ToPolygon())
		left = right
	}
	return all
}

// findCut returns the x coordinate of a vertical line through a polygon. The part of the polygon on the left of this
// line has the given area. The line is between from and to.
func findCut(p orb.Polygon, area, from, to float64) float64 {
	for range 60 { // each step halves the range, so 60 steps reach the precision of a float64
		middle := (from + to) / 2
		if areaLeftOf(p, middle) < area {
			from = middle
		} else {
			to = middle
		}
	}
	return (from + to) / 2
}

// areaLeftOf returns the area of the part of a polygon that is left of the vertical line at x. It sums up the
// integrals of y dx along the edges of this part. Along the line itself, dx is 0.
func areaLeftOf(p orb.Polygon, x float64) float64 {
	area := 0.0
	for i, ring := range p {
		sum := 0.0
		for k := 1; k < len(ring); k++ {
			a := ring[k-1]
			b := ring[k]
			if a[0] > x && b[0] > x || a[0] == b[0] {
				continue
			}
			slope := (b[1] - a[1]) / (b[0] - a[0])
			from := min(a[0], x)
			to := min(b[0], x)
			sum += (to - from) * (a[1] + slope*((from+to)/2-a[0]))
		}
		if i == 0 {
			area = math.Abs(sum)
		} else {
			area -= math.Abs(sum)
		}
	}
	return area
}
