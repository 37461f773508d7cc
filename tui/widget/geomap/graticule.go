package geomap

import (
	"math"
	"sync"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/tui/format"
)

// graticuleSteps are the possible distances of lines in degrees, in descending order.
var graticuleSteps = []float64{
	30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01,
	0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002, 0.00001,
}

// graticulePane draws the lines of latitude and longitude in a pane.
type graticulePane struct {
	*paneMap
	m          *Model
	step       float64   // between lines
	seen       orb.Bound // visible part of the world, in degrees
	lats, lons []float64 // positions of the lines
}

// newGraticule returns a graticule with lines about 20 cells apart, or without lines if there would be too many.
func (m *Model) newGraticule(t *paneMap) *graticulePane {
	g := &graticulePane{paneMap: t, m: m, seen: m.visibleDegrees()}
	g.step = graticuleSteps[0]
	for _, step := range graticuleSteps {
		if step*m.cam.scale() < 36 {
			break
		}
		g.step = step
	}
	width := g.seen.Right() - g.seen.Left()
	height := g.seen.Top() - g.seen.Bottom()
	if (width+height)/g.step < 200 {
		g.lats = g.latitudes(g.step)
		g.lons = g.longitudes(g.step)
	}
	return g
}

// latitudes returns the visible multiples of a step.
func (g *graticulePane) latitudes(step float64) []float64 {
	return multiplesOf(step, max(g.seen.Bottom(), -89.5), min(g.seen.Top(), 89.5))
}

// longitudes returns the visible multiples of a step.
func (g *graticulePane) longitudes(step float64) []float64 {
	return multiplesOf(step, g.seen.Left(), g.seen.Right())
}

// cellAt returns the cell of a position, and whether it is in the pane.
func (g *graticulePane) cellAt(lon, lat float64) (x, y int, ok bool) {
	return g.cellOf(project(orb.Point{lon, lat}))
}

// multiplesOf returns the multiples of a step in a range.
func multiplesOf(step, from, to float64) []float64 {
	var all []float64
	for v := math.Ceil(from/step) * step; v <= to; v += step {
		all = append(all, v)
	}
	return all
}

// drawLines draws the lines as dots.
func (g *graticulePane) drawLines() {
	g.drawDots(g.longitudes(4/g.m.cam.k), g.lats)
	g.drawDots(g.lons, g.latitudes(4/g.m.cam.scale()))
}

// drawDots draws a dot at each combination of a longitude and a latitude.
func (g *graticulePane) drawDots(lons, lats []float64) {
	for _, lon := range lons {
		for _, lat := range lats {
			dot := g.applyTo(project(orb.Point{lon, lat}))
			if g.pane.Contains(dot) {
				g.m.frame.setDot(int(dot[0]), int(dot[1]), inkGraticule, 0)
			}
		}
	}
}

// drawLabels writes latitudes at the left edge and longitudes at the top edge.
func (g *graticulePane) drawLabels() {
	digits := digitsOf(g.step)
	centre := g.m.Centre()
	for _, lat := range g.lats {
		_, y, ok := g.cellAt(centre[0], lat)
		if ok {
			g.m.frame.writeFree(0, y, format.Degrees(lat, digits, "N", "S"), 1, inkChrome)
		}
	}
	for _, lon := range g.lons {
		x, _, ok := g.cellAt(lon, centre[1])
		if ok {
			text := format.Degrees(wrapLongitude(lon), digits, "E", "W")
			g.m.frame.writeFree(x-format.Width(text)/2, 0, text, 1, inkChrome)
		}
	}
}

// drawCrosses marks the intersections of lines in empty cells.
func (g *graticulePane) drawCrosses() {
	frame := &g.m.frame
	for _, lat := range g.lats {
		for _, lon := range g.lons {
			x, y, ok := g.cellAt(lon, lat)
			if ok && frame.isEmpty(x, y) {
				frame.writeText(x, y, "+", inkGraticule, 0)
			}
		}
	}
}

// visibleDegrees returns the visible bound in degrees. Longitudes may be beyond ±180.
func (m *Model) visibleDegrees() orb.Bound {
	c := &m.cam
	southWest := unproject(c.planeAt(-c.w/2, c.h/2))
	northEast := unproject(c.planeAt(c.w/2, -c.h/2))
	southWest[0] = max(southWest[0], c.centre[0]-180)
	northEast[0] = min(northEast[0], c.centre[0]+180)
	return orb.Bound{Min: southWest, Max: northEast}
}

// baseLine is a projected line of the base map.
type baseLine struct {
	ink    cellInk
	bound  orb.Bound
	points orb.LineString
}

// base caches the projected lines of the base map by level of detail: coarse lines of the world, and finer lines for
// regions. All maps share it.
var base [2]struct {
	once  sync.Once
	lines []baseLine
}

func baseLines(level basemap.Level) []baseLine {
	b := &base[level]
	b.once.Do(func() {
		lines := basemap.Lines(level)
		b.lines = make([]baseLine, len(lines))
		for i, l := range lines {
			b.lines[i] = readLine(l)
		}
	})
	return b.lines
}

// readLine projects the points of a line in place, because the base map is large and nothing else uses the line.
func readLine(l basemap.Line) baseLine {
	out := baseLine{ink: inkCoast, points: l.Points}
	if l.Kind == basemap.Border {
		out.ink = inkBorder
	}
	for i, p := range out.points {
		out.points[i] = project(p)
	}
	out.bound = out.points.Bound()
	return out
}

// The scales at which the base map changes.
const (
	// fineFrom is a scale in dots per degree. Above this scale, the fine base map is drawn instead of the coarse one.
	fineFrom = 3
	// finest is the size of a dot in metres below which coasts are not drawn, and borders are dashed. The fine base
	// map lacks bays of less than about ten kilometres, so harbours would appear to be far inland. Borders can be
	// wrong by a few kilometres.
	finest = 250
	// finestBorder is the size of a dot in metres below which borders are not drawn either.
	finestBorder = 25
)

// drawBase draws coasts and borders in the level of detail that suits the scale. It reports whether any of them are
// visible. It returns false if only dashed borders are drawn, because these can be wrong by kilometres and do not
// show the reader where the map is.
func (m *Model) drawBase(t *paneMap) bool {
	if m.cam.metresPerDot() < finestBorder {
		return false
	}
	if m.cam.metresPerDot() < finest {
		m.frame.dashed = true
		m.drawBaseLines(t, basemap.Region, true)
		m.frame.dashed = false
		return false
	}
	level := basemap.World
	if m.cam.scale() > fineFrom {
		level = basemap.Region
	}
	return m.drawBaseLines(t, level, false)
}

// drawBaseLines draws the lines of the base map in a level of detail, or only its borders, and reports whether any of
// them are visible.
func (m *Model) drawBaseLines(t *paneMap, level basemap.Level, onlyBorders bool) bool {
	withoutAntarctica := m.bound.Min[1] > farSouth
	isDrawn := false
	for _, turn := range [...]float64{-360, 0, 360} { // the pane may extend beyond ±180
		shifted := t.shiftEast(turn)
		for _, line := range baseLines(level) {
			isAntarctica := line.bound.Max[1] < farSouth
			isBorder := line.ink == inkBorder
			if isAntarctica && withoutAntarctica || onlyBorders && !isBorder {
				continue
			}
			if m.drawBaseLine(&line, shifted) {
				isDrawn = true
			}
		}
	}
	return isDrawn
}

// drawBaseLine draws a line of the base map unless it is smaller than two dots. It reports whether a part of the
// line is visible.
func (m *Model) drawBaseLine(line *baseLine, t *paneMap) bool {
	isVisible, size := t.isSeen(line.bound)
	if !isVisible || size < 2 {
		return false
	}
	return m.frame.drawPath(m.frame.dotsOf(line.points, t), t, line.ink, 0)
}

// farSouth is the projected latitude of Antarctica's northern edge, about 60 degrees south. Antarctica is drawn
// only if a feature is in Antarctica.
const farSouth = -75
