package kmlcsv

import (
	"cmp"
	"slices"

	"github.com/paulmach/orb"
)

// maxRingSteps is the maximum number of steps for comparing the rings of a file with each other. This number of steps
// takes about a second.
const maxRingSteps = 200_000_000

// pointSteps is the number of steps that comparing a point with an edge of a ring counts as. Comparing the bounds of
// two rings counts as one step.
const pointSteps = 4

// groupRings makes polygons of rings, which can be in any order and direction. A ring inside an odd number of other
// rings is a hole. It belongs to the smallest of these rings. Any other ring is a boundary. steps counts the
// comparisons for all rings of a file. ok is false if there are more than maxRingSteps.
func groupRings(rings [][]orb.Point, steps *int) (figures []rawFigure, ok bool) {
	if len(rings) <= 1 {
		return appendRings(nil, polygonFigure, rings), true
	}
	sorted := sortRings(rings)
	holes := make(map[int][]int) // for each boundary, the indexes of its holes in rings
	var boundaries []int         // indexes of the boundaries in rings
	for i := range sorted {
		around, isWithinLimit := ringsAround(sorted, i, steps)
		if !isWithinLimit {
			return nil, false
		}
		isHole := len(around)%2 == 1
		if isHole {
			boundary := around[0].index // the smallest ring around it
			holes[boundary] = append(holes[boundary], sorted[i].index)
		} else {
			boundaries = append(boundaries, sorted[i].index)
		}
	}
	slices.Sort(boundaries) // the order of the file
	for _, i := range boundaries {
		figures = append(figures, polygonWithHoles(rings, i, holes[i]))
	}
	return figures, true
}

// polygonWithHoles returns a polygon. boundary is the index of its boundary in rings, and holes are the indexes of its
// holes.
func polygonWithHoles(rings [][]orb.Point, boundary int, holes []int) rawFigure {
	f := rawFigure{kind: polygonFigure, points: rings[boundary]}
	slices.Sort(holes) // the order of the file
	for _, hole := range holes {
		f.holes = append(f.holes, rings[hole])
	}
	return f
}

// ringsAround returns the rings that contain the ring sorted[index], the smallest first. sorted begins with the
// largest ring, so only the rings before index can contain it. It adds the number of comparisons to steps. ok is false
// if there are more than maxRingSteps.
func ringsAround(sorted []ringInfo, index int, steps *int) (around []*ringInfo, ok bool) {
	for i := index - 1; i >= 0; i-- {
		*steps++
		if *steps > maxRingSteps {
			return nil, false
		}
		if sorted[i].contains(&sorted[index], steps) {
			around = append(around, &sorted[i])
		}
	}
	return around, true
}

// ringInfo is a ring with its bounds and its size.
type ringInfo struct {
	index  int // index in the list of rings
	points []orb.Point
	bound  orb.Bound
	area   float64 // twice the area in the plane, only to compare rings
}

// sortRings returns the rings from the largest to the smallest.
func sortRings(rings [][]orb.Point) []ringInfo {
	order := make([]ringInfo, len(rings))
	for i, points := range rings {
		area := signedArea(points)
		order[i] = ringInfo{i, points, orb.MultiPoint(points).Bound(), max(area, -area)}
	}
	slices.SortStableFunc(order, func(a, b ringInfo) int { return cmp.Compare(b.area, a.area) })
	return order
}

// contains reports whether other, a smaller ring, is inside the ring. It looks for the first point of other that is
// not on the ring, because a hole may touch its boundary. It returns false if steps exceeds maxRingSteps.
func (r *ringInfo) contains(other *ringInfo, steps *int) bool {
	if other.area >= r.area || !r.bound.Contains(other.bound.Min) || !r.bound.Contains(other.bound.Max) {
		return false
	}
	for _, p := range other.points {
		*steps += pointSteps * len(r.points)
		if *steps > maxRingSteps {
			return false
		}
		switch sideOf(r.points, p) {
		case insideRing:
			return true
		case outsideRing:
			return false
		}
	}
	return true // all points of the other ring are on this ring
}

// ringSide tells where a point is relative to a ring.
type ringSide uint8

const (
	outsideRing ringSide = iota
	insideRing
	onRing
)

// sideOf returns where a point is relative to a ring. A point is inside if a ray from the point to the east crosses
// the ring an odd number of times.
func sideOf(ring []orb.Point, p orb.Point) ringSide {
	isInside := false
	for i := range ring {
		a := ring[i]
		b := ring[(i+1)%len(ring)]
		turn := (b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0])
		isBetween := min(a[0], b[0]) <= p[0] && p[0] <= max(a[0], b[0]) &&
			min(a[1], b[1]) <= p[1] && p[1] <= max(a[1], b[1])
		if turn == 0 && isBetween {
			return onRing
		}
		spansLatitude := (a[1] > p[1]) != (b[1] > p[1])
		isEastOfPoint := (turn > 0) == (b[1] > a[1])
		if spansLatitude && isEastOfPoint {
			isInside = !isInside
		}
	}
	if isInside {
		return insideRing
	}
	return outsideRing
}

// signedArea returns twice the area of a ring in the plane. It is negative if the ring is clockwise.
func signedArea(ring []orb.Point) (area float64) {
	if len(ring) < 3 {
		return 0
	}
	for i := range ring {
		a := ring[i]
		b := ring[(i+1)%len(ring)]
		area += (a[0]-ring[0][0])*(b[1]-ring[0][1]) - (b[0]-ring[0][0])*(a[1]-ring[0][1])
	}
	return area
}
