package checking

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv/crs"
)

// Footprint is the part of the ground that the files of a product cover together.
type Footprint struct {
	Product  api.Deliverable `json:"product,omitempty"`
	Outlines [][]api.Point   `json:"outlines"` // outer boundaries, the largest first
}

const (
	footprintSamples = 20_000 // samples of the rectangle around the files
	leastSampled     = 0.05   // if a smaller share of the samples is covered, the outlines would be too coarse
	maxOutlines      = 8
	degreeDigits     = 1e6 // outlines are rounded to 1/degreeDigits degrees, a tenth of a metre
)

// footprintOf returns the outer boundaries of the ground that files cover together, the largest first.
func footprintOf(files []*FileReport) [][]api.Point {
	bound, hasOutline := boundOf(files)
	if !hasOutline {
		return nil
	}
	covered := coverRectangle(bound, files)
	if covered == nil {
		return nil
	}
	share := covered.share()
	isCoarse := share > 0 && share < leastSampled // the covered ground has few samples
	if isCoarse {
		covered = coverRectangle(covered.coveredBound(), files) // put all samples into the covered part
	}
	if covered == nil {
		return nil
	}
	return covered.largestOutlines()
}

// largestOutlines returns the outer boundaries of the covered areas, the largest first. It returns at
// most maxOutlines.
func (c *coverage) largestOutlines() (outlines [][]api.Point) {
	t := c.target
	groups := t.components(func(i int) bool { return c.covered[i] })
	slices.SortStableFunc(groups, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	for _, group := range groups[:min(len(groups), maxOutlines)] {
		if len(group) >= leastCell {
			outlines = append(outlines, t.outline(group))
		}
	}
	return outlines
}

// coverRectangle finds out which part of a rectangle files cover, by testing a grid of positions in
// it. It returns nil if the rectangle has no area.
func coverRectangle(bound orb.Bound, files []*FileReport) *coverage {
	t := &target{shape: bound.ToPolygon()}
	t.sampleArea(bound.ToPolygon(), footprintSamples)
	if t.count == 0 {
		return nil
	}
	c := newCoverage(t)
	for _, f := range files {
		c.add(f.surface, f.system)
	}
	return c
}

// coveredBound returns the rectangle around the covered grid positions; there must be at least one. The rectangle
// is one grid step larger on each side, because the covered ground ends somewhere before the next position.
func (c *coverage) coveredBound() (bound orb.Bound) {
	t := c.target
	isFirst := true
	for i, covered := range c.covered {
		if !covered {
			continue
		}
		if isFirst {
			bound = t.spot(i).Bound()
			isFirst = false
		}
		bound = bound.Extend(t.spot(i))
	}
	bound.Min = orb.Point{bound.Min.Lon() - t.step.Lon(), bound.Min.Lat() - t.step.Lat()}
	bound.Max = orb.Point{bound.Max.Lon() + t.step.Lon(), bound.Max.Lat() + t.step.Lat()}
	return bound
}

// boundOf returns the rectangle around all files. ok is false if the extent of a file is unknown.
func boundOf(files []*FileReport) (bound orb.Bound, ok bool) {
	for _, f := range files {
		if len(f.outline) == 0 {
			return orb.Bound{}, false
		}
		if !ok {
			bound = shiftTurns(f.outline, f.outline[0].Lon()).Bound()
			ok = true
			continue
		}
		bound = bound.Union(shiftTurns(f.outline, bound.Center().Lon()).Bound())
	}
	return bound, ok
}

// shiftTurns shifts the longitudes of a ring by full turns, so that they differ from lng by at most 180°.
// Rings on both sides of the antimeridian are then next to each other.
func shiftTurns(ring orb.Ring, lng float64) orb.Ring {
	moved := make(orb.Ring, len(ring))
	for i, p := range ring {
		moved[i] = orb.Point{lng + math.Remainder(p.Lon()-lng, 360), p.Lat()}
	}
	return moved
}

// rectangleOutline converts a rectangle in a reference system to its outline in WGS 84. It returns
// nil if a part of the rectangle cannot be converted.
func rectangleOutline(system *crs.System, minX, minY, maxX, maxY float64) orb.Ring {
	const steps = 8 // edges are not straight on the ground
	corners := [5][2]float64{{minX, minY}, {maxX, minY}, {maxX, maxY}, {minX, maxY}, {minX, minY}}
	var ring orb.Ring
	for i, from := range corners[:4] {
		to := corners[i+1]
		for k := range steps {
			share := float64(k) / steps
			lng, lat, err := system.ToWGS84(from[0]+(to[0]-from[0])*share, from[1]+(to[1]-from[1])*share)
			if err != nil {
				return nil
			}
			ring = append(ring, orb.Point{lng, lat})
		}
	}
	return append(ring, ring[0])
}
