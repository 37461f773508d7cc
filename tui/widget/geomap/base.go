package geomap

import (
	"sync"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
)

// baseLine is a line of the base map on a projection's plane.
type baseLine struct {
	ink    cellInk
	bound  orb.Bound
	points []orb.Point
}

// base holds the base map projected, by level, made when first needed and shared by all
// maps.
var base [2]struct {
	once  sync.Once
	lines []baseLine
}

func baseLines(level basemap.Level) []baseLine {
	b := &base[level]
	b.once.Do(func() {
		for _, l := range basemap.Lines(level) {
			b.lines = append(b.lines, readLine(l))
		}
	})
	return b.lines
}

func readLine(l basemap.Line) baseLine {
	out := baseLine{ink: inkCoast, bound: emptyBound, points: make([]orb.Point, len(l.Points))}
	if l.Kind == basemap.Border {
		out.ink = inkBorder
	}
	for i, q := range l.Points {
		out.points[i] = project(orb.Point{q[0], q[1]})
		out.bound = out.bound.Extend(out.points[i])
	}
	return out
}

// The coarse level is drawn up to so many dots a degree. The fine one leaves out
// every bay of less than some ten kilometres; where a dot is less than finest
// metres it would put harbours far inland, and is left out itself.
const (
	fineFrom = 3
	finest   = 250
)

// drawBase draws coasts and borders and reports whether any are to be seen.
func (m *Model) drawBase(f *cellFrame, t affineMap, clip dotRect) bool {
	level := basemap.World
	if m.cam.scale > fineFrom {
		level = basemap.Region
	}
	if m.cam.metresPerDot() < finest {
		return false
	}
	drawn, bare := false, m.bound.Min[1] > farSouth
	for _, turn := range [...]float64{-360, 0, 360} { // it goes on beyond ±180
		shifted := t.shiftEast(turn)
		for _, l := range baseLines(level) {
			v, size := clip.visibilityOf(l.bound, &shifted)
			if v == outside || size < 2 || bare && l.bound.Max[1] < farSouth {
				continue
			}
			if f.drawPath(f.dotsOf(l.points, &shifted), clip, v, l.ink, 0) {
				drawn = true
			}
		}
	}
	return drawn
}

// farSouth is where Antarctica begins, which is left out where nothing is there: some 60
// degrees south, in the plane.
const farSouth = -75
