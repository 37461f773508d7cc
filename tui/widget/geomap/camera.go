package geomap

import (
	"fmt"
	"math"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/tui/format"
)

// dotsX and dotsY are the dots of a cell. Cells are taken to be twice as high
// as wide, so dots are square.
const (
	dotsX = 2
	dotsY = 4
)

// metresPerDegree is a degree on the sphere that scales are reckoned with.
const metresPerDegree = 111_195

const maxLatitude = 89.999

// project maps degrees to the plane of Mercator's projection, whose unit is a degree at the
// equator.
func project(p orb.Point) orb.Point {
	lat := min(max(p[1], -maxLatitude), maxLatitude)
	return orb.Point{p[0], toDegrees(math.Asinh(math.Tan(toRadians(lat))))}
}

// unproject returns the inverse of project.
func unproject(p orb.Point) orb.Point {
	return orb.Point{p[0], toDegrees(math.Atan(math.Sinh(toRadians(p[1]))))}
}

// camera is what of the plane is in the pane: a centre, a scale and a size.
type camera struct {
	at   orb.Point // centre, within ±180 to the east
	k    float64   // dots for a unit of the plane
	w, h float64   // dots
}

func (c *camera) resizePane(cellsX, cellsY int) {
	c.w, c.h = float64(cellsX*dotsX), float64(cellsY*dotsY)
	c.clampView()
}

// paneMap maps the plane to the dots of a pane: k dots for a unit, with the origin at a dot.
type paneMap struct {
	k, x0, y0 float64
	pane      orb.Bound // what is drawn, in dots
}

func (t *paneMap) applyTo(p orb.Point) orb.Point {
	return orb.Point{t.x0 + t.k*p[0], t.y0 - t.k*p[1]}
}

// boundOf returns the box that a bound of the plane is in dots.
func (t *paneMap) boundOf(b orb.Bound) orb.Bound {
	low, high := t.applyTo(b.Min), t.applyTo(b.Max)
	return orb.Bound{Min: orb.Point{low[0], high[1]}, Max: orb.Point{high[0], low[1]}}
}

// cellOf returns the cell that a point of the plane is in; false where that is not drawn.
func (t *paneMap) cellOf(p orb.Point) (x, y int, ok bool) {
	dot := t.applyTo(p)
	x, y = dotCell(dot)
	return x, y, t.pane.Contains(dot)
}

// dotCell returns the cell that a dot is in.
func dotCell(dot orb.Point) (x, y int) { return int(dot[0]) / dotsX, int(dot[1]) / dotsY }

// shiftEast returns the map of the plane moved by so many units to the east.
func (t paneMap) shiftEast(x float64) *paneMap {
	t.x0 += t.k * x
	return &t
}

// paneMap returns the map from the plane to the camera's dots. What lies beyond half the
// way round the world from the centre is not drawn: everything is to be seen once.
func (c *camera) paneMap() *paneMap {
	half := min(180*c.k, c.w/2)
	return &paneMap{c.k, c.w/2 - c.k*c.at[0], c.h/2 + c.k*c.at[1], orb.Bound{
		Min: orb.Point{c.w/2 - half, 0}, Max: orb.Point{c.w/2 + half - 1e-6, c.h - 1e-6},
	}}
}

// planeAt returns the point of the plane at an offset from the centre in dots.
func (c *camera) planeAt(dx, dy float64) orb.Point {
	return orb.Point{c.at[0] + dx/c.k, c.at[1] - dy/c.k}
}

// coordinateAt returns longitude and latitude at a dot; false beyond the world.
func (c *camera) coordinateAt(x, y float64) (orb.Point, bool) {
	p := unproject(c.planeAt(x-c.w/2, y-c.h/2))
	return orb.Point{wrapLongitude(p[0]), p[1]}, math.Abs(p[0]-c.at[0]) <= 180
}

// panBy moves the centre by dots to the right and down. What is on screen keeps its size.
func (c *camera) panBy(dx, dy float64) {
	c.at = c.planeAt(dx, dy)
	c.clampView()
}

// Scales are bounded: five centimetres a dot, and on the other side the world
// once in the pane.
const maxScale = metresPerDegree / 0.05

func (c *camera) clampView() {
	if !isFinite(c.at[0] + c.at[1] + c.k) { // one of them is not
		c.at, c.k = orb.Point{}, 1
	}
	p := unproject(c.at)
	c.at = project(orb.Point{wrapLongitude(p[0]), p[1]})
	c.k = min(max(c.k, min(c.w/360, c.h/180)), maxScale*c.shrinkage())
}

// shrinkage returns how long a degree of longitude is at the centre, of one at the equator.
func (c *camera) shrinkage() float64 { return math.Cos(toRadians(unproject(c.at)[1])) }

// scale returns the dots for a degree on the ground at the centre.
func (c *camera) scale() float64 { return c.k / c.shrinkage() }

// metresPerDot returns the size of a dot at the centre.
func (c *camera) metresPerDot() float64 { return metresPerDegree / c.scale() }

// The whole world leaves the ice at both ends out: nothing is surveyed there
// and Mercator would give it a third of the pane.
var world = orb.Bound{Min: project(orb.Point{-180, -58}), Max: project(orb.Point{180, 78})}

// fitBound shows a bound of the plane with a margin. Empty bounds show the world, points a
// neighbourhood of some 60 km.
func (c *camera) fitBound(b orb.Bound) {
	margin := 1.2
	if b.IsEmpty() {
		b, margin = world, 1
	}
	if b.Max[1]-b.Min[1] > 360 { // a pole would push everything else out of the pane
		b.Min[1], b.Max[1] = max(b.Min[1], -180), min(b.Max[1], 180)
	}
	c.at = b.Center()
	const point = 60_000.0 / metresPerDegree
	spanX, spanY, near := min(b.Max[0]-b.Min[0], 360), b.Max[1]-b.Min[1], point/c.shrinkage()
	if max(spanX, spanY) < near/1000 {
		spanX = near
	}
	c.k = min(c.w/spanX, c.h/spanY) / margin
	c.clampView()
}

// wrapLongitude brings a longitude to -180 up to, without, 180.
func wrapLongitude(lon float64) float64 {
	if lon >= -180 && lon < 180 {
		return lon
	}
	lon = math.Mod(lon+180, 360)
	if lon < 0 {
		lon += 360
	}
	return lon - 180
}

func toRadians(deg float64) float64 { return deg * (math.Pi / 180) }
func toDegrees(rad float64) float64 { return rad * (180 / math.Pi) }

// drawChrome writes the scale bar at the bottom left and coordinates at the
// bottom right, as far as there is room.
func (m *Model) drawChrome() {
	f, y, used, right := &m.frame, m.height-1, 0, m.width-1
	bar := m.scaleBar()
	if w := format.Width(bar); m.height >= 3 && w > 0 && w < m.width {
		f.writeLabel(1, y, bar, inkChrome, 0)
		used = 1 + w
	}
	if m.height < leastLabelHeight {
		return
	}
	if x, y := m.width/2, m.height/2; m.Cross && f.cells[y*f.w+x].text == "" {
		f.writeLabel(x, y, "╋", inkSelected, 0)
	}
	text := m.shownCoordinates()
	if w := format.Width(text); used+w+3 <= m.width {
		right -= w
		f.writeLabel(right, y, text, inkChrome, 0)
	}
	if !m.named || right-used < 20 {
		return
	}
	town := cleanLabel(m.nearestTown(), maxLabel*2)
	if w := format.Width(town); w > 0 && w+6 <= right-used {
		f.writeLabel(used+(right-used-w)/2, y, town, inkChrome, 0)
	}
}

// scaleBar returns a bar of at most a quarter of the width and its length: 1, 2 or
// 5 times a power of ten.
func (m *Model) scaleBar() string {
	perCell := m.cam.metresPerDot() * dotsX
	most := min(max(m.width/4, 5), 16)
	length := roundDown(perCell * float64(most))
	cells := int(math.Round(length / perCell))
	if cells < 2 {
		return ""
	}
	return "├" + strings.Repeat("─", cells-2) + "┤ " + formatDistance(length)
}

// roundDown returns the greatest of 1, 2, 5 times a power of ten up to v.
func roundDown(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	switch {
	case v >= 5*power:
		return 5 * power
	case v >= 2*power:
		return 2 * power
	default:
		return power
	}
}

func formatDistance(metres float64) string {
	switch {
	case metres >= 1000:
		return fmt.Sprintf("%.0f km", metres/1000)
	case metres >= 1:
		return fmt.Sprintf("%.0f m", metres)
	default:
		return fmt.Sprintf("%.0f cm", metres*100)
	}
}

// shownCoordinates returns those of the pointed cell or of the centre, with as many
// digits as a cell is worth.
func (m *Model) shownCoordinates() string {
	p := m.Centre()
	if m.hover[0] >= 0 {
		at, ok := m.CoordinateAt(m.hover[0], m.hover[1])
		if !ok {
			return ""
		}
		p = at
	}
	return FormatCoordinates(p, digitsOf(dotsX/m.cam.scale()))
}

// digitsOf returns the digits that tell multiples of a step from each other.
func digitsOf(step float64) int { return min(max(int(math.Ceil(-math.Log10(step)-1e-9)), 0), 6) }

// FormatCoordinates writes a position for people: "53.6012 N   9.4821 E".
func FormatCoordinates(p orb.Point, digits int) string {
	return format.Degrees(p[1], digits, "N", "S") + "   " + format.Degrees(p[0], digits, "E", "W")
}
