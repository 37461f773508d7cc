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
	m                      *Model
	t                      affineMap
	clip                   dotRect
	step                   float64 // between lines
	lat0, lat1, lon0, lon1 float64
	lats, lons             []float64 // of the lines
}

// newGraticule puts lines some 20 cells apart; false if there were too many.
func (m *Model) newGraticule(t affineMap, clip dotRect) (g graticulePane, ok bool) {
	g = graticulePane{m: m, t: t, clip: clip, step: graticuleSteps[0]}
	for _, s := range graticuleSteps {
		if s*m.cam.scale < 36 {
			break
		}
		g.step = s
	}
	g.lat0, g.lat1, g.lon0, g.lon1 = m.visibleDegrees()
	if ok = (g.lon1-g.lon0)/g.step+(g.lat1-g.lat0)/g.step < 200; ok {
		g.lats, g.lons = multiplesOf(g.step, g.lat0, g.lat1), multiplesOf(g.step, g.lon0, g.lon1)
	}
	return g, ok
}

// dotAt returns the dot of a position, if it is in the pane.
func (g *graticulePane) dotAt(lon, lat float64) (x, y int, ok bool) {
	if math.Abs(lat) > 89.5 {
		return 0, 0, false
	}
	fx, fy := g.t.applyTo(project(orb.Point{lon, lat}))
	if !g.clip.holds(fx, fy) {
		return 0, 0, false
	}
	return int(fx), int(fy), true
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
	dot := func(lon, lat float64) {
		if x, y, ok := g.dotAt(lon, lat); ok {
			g.m.frame.setDot(x, y, inkGraticule, 0)
		}
	}
	alongLat := 4 / g.m.cam.scale
	alongLon := alongLat / max(math.Cos(toRadians(g.m.cam.lat)), 0.02)
	for _, lat := range g.lats {
		for _, lon := range multiplesOf(alongLon, g.lon0, g.lon1) {
			dot(lon, lat)
		}
	}
	for _, lon := range g.lons {
		for _, lat := range multiplesOf(alongLat, g.lat0, g.lat1) {
			dot(lon, lat)
		}
	}
}

// drawLabels writes latitudes at the left edge and longitudes at the top.
func (g *graticulePane) drawLabels() {
	f := &g.m.frame
	digits := min(max(int(math.Ceil(-math.Log10(g.step)-1e-9)), 0), 6)
	for _, lat := range g.lats {
		if _, y, ok := g.dotAt(g.m.cam.lon, lat); ok {
			text := splitClusters(format.Degrees(lat, digits, "N", "S"))
			if f.isFree(0, y/dotsY, len(text), 1, true) {
				f.writeLabel(0, y/dotsY, text, inkChrome, 0)
			}
		}
	}
	for _, lon := range g.lons {
		if x, _, ok := g.dotAt(lon, g.m.cam.lat); ok {
			text := splitClusters(format.Degrees(wrapLongitude(lon), digits, "E", "W"))
			if at := x/dotsX - len(text)/2; f.isFree(at, 0, len(text), 1, true) {
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
			x, y, ok := g.dotAt(lon, lat)
			if !ok {
				continue
			}
			x, y = x/dotsX, y/dotsY
			if at := y*f.w + x; f.text[at] == 0 && f.dots[at] == 0 && f.back[at] == tintNone {
				f.writeClusters(x, y, []textCluster{{"+", 1}}, inkGraticule, 0)
			}
		}
	}
}

// visibleDegrees returns the latitudes and longitudes of the pane. The longitudes go on
// beyond ±180 where the pane does.
func (m *Model) visibleDegrees() (lat0, lat1, lon0, lon1 float64) {
	c := &m.cam
	a, b := unproject(c.dotsToPlane(-c.w/2, c.h/2)), unproject(c.dotsToPlane(c.w/2, -c.h/2))
	return a[1], b[1], max(a[0], c.lon-180), min(b[0], c.lon+180)
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
