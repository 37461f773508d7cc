package geomap

import (
	"math"
	"sync"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/tui/format"
)

// graticuleSteps are the distances of lines in degrees, in whole parts of each
// other.
var graticuleSteps = []float64{
	30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01,
	0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002, 0.00001,
}

// graticulePane is the lines of latitude and longitude in a pane.
type graticulePane struct {
	*paneMap
	m          *Model
	step       float64   // between lines
	seen       orb.Bound // in degrees
	lats, lons []float64 // of the lines
}

// newGraticule puts lines some 20 cells apart; false if there were too many.
func (m *Model) newGraticule(t *paneMap) (g graticulePane, ok bool) {
	g = graticulePane{t, m, graticuleSteps[0], m.visibleDegrees(), nil, nil}
	for _, s := range graticuleSteps {
		if s*m.cam.scale < 36 {
			break
		}
		g.step = s
	}
	low, high := g.seen.Min, g.seen.Max
	if ok = (high[0]-low[0])/g.step+(high[1]-low[1])/g.step < 200; ok {
		g.lats, g.lons = multiplesOf(g.step, low[1], high[1]), multiplesOf(g.step, low[0], high[0])
	}
	return g, ok
}

// cellAt returns the cell of a position, if it is in the pane.
func (g *graticulePane) cellAt(lon, lat float64) (x, y int, ok bool) {
	x, y, ok = g.cellOf(project(orb.Point{lon, lat}))
	return x, y, ok && math.Abs(lat) <= 89.5
}

// multiplesOf returns the multiples of a step from a value to another.
func multiplesOf(step, from, to float64) (all []float64) {
	for v := math.Ceil(from/step) * step; v <= to; v += step {
		all = append(all, v)
	}
	return all
}

// drawLines draws dotted lines.
func (g *graticulePane) drawLines() {
	draw := func(lon, lat float64) {
		dot := g.applyTo(project(orb.Point{lon, lat}))
		if g.pane.Contains(dot) && math.Abs(lat) <= 89.5 {
			g.m.frame.setDot(int(dot[0]), int(dot[1]), inkGraticule, 0)
		}
	}
	alongLat := 4 / g.m.cam.scale
	alongLon := alongLat / max(math.Cos(toRadians(g.m.cam.lat)), 0.02)
	for _, lat := range g.lats {
		for _, lon := range multiplesOf(alongLon, g.seen.Min[0], g.seen.Max[0]) {
			draw(lon, lat)
		}
	}
	for _, lon := range g.lons {
		for _, lat := range multiplesOf(alongLat, g.seen.Min[1], g.seen.Max[1]) {
			draw(lon, lat)
		}
	}
}

// drawLabels writes latitudes at the left edge and longitudes at the top.
func (g *graticulePane) drawLabels() {
	f := &g.m.frame
	digits := min(max(int(math.Ceil(-math.Log10(g.step)-1e-9)), 0), 6)
	for _, lat := range g.lats {
		if _, y, ok := g.cellAt(g.m.cam.lon, lat); ok {
			text := splitClusters(format.Degrees(lat, digits, "N", "S"))
			if f.isFree(0, y, len(text), 1, true) {
				f.writeLabel(0, y, text, inkChrome, 0)
			}
		}
	}
	for _, lon := range g.lons {
		if x, _, ok := g.cellAt(lon, g.m.cam.lat); ok {
			text := splitClusters(format.Degrees(wrapLongitude(lon), digits, "E", "W"))
			if at := x - len(text)/2; f.isFree(at, 0, len(text), 1, true) {
				f.writeLabel(at, 0, text, inkChrome, 0)
			}
		}
	}
}

// drawCrosses marks where lines meet, in cells that are empty.
func (g *graticulePane) drawCrosses() {
	f := &g.m.frame
	for _, lat := range g.lats {
		for _, lon := range g.lons {
			x, y, ok := g.cellAt(lon, lat)
			if !ok {
				continue
			}
			if at := y*f.w + x; f.text[at] == 0 && f.dots[at] == 0 && f.back[at] == tintNone {
				f.writeClusters(x, y, []textCluster{{"+", 1}}, inkGraticule, 0)
			}
		}
	}
}

// visibleDegrees returns the bound of the pane in degrees. Its longitudes go on beyond ±180
// where the pane does.
func (m *Model) visibleDegrees() orb.Bound {
	c := &m.cam
	b := orb.Bound{Min: unproject(c.dotsToPlane(-c.w/2, c.h/2)), Max: unproject(c.dotsToPlane(c.w/2, -c.h/2))}
	b.Min[0], b.Max[0] = max(b.Min[0], c.lon-180), min(b.Max[0], c.lon+180)
	return b
}

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
	out := baseLine{
		ink:    inkCoast,
		bound:  emptyBound,
		points: make([]orb.Point, len(l.Points)),
	}
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
func (m *Model) drawBase(t *paneMap) bool {
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
			v, size := shifted.visibilityOf(l.bound)
			if v == outside || size < 2 || bare && l.bound.Max[1] < farSouth {
				continue
			}
			if m.frame.drawPath(m.frame.dotsOf(l.points, shifted), shifted, v, l.ink, 0) {
				drawn = true
			}
		}
	}
	return drawn
}

// farSouth is where Antarctica begins, which is left out where nothing is there: some 60
// degrees south, in the plane.
const farSouth = -75
