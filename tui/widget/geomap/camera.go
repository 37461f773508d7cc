package geomap

import (
	"fmt"
	"math"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/tui/format"
)

// A cell has dotsX by dotsY dots. The dots are square if a cell is twice as high as it is wide.
const (
	dotsX = 2
	dotsY = 4
)

// metresPerDegree is the length of a degree on a sphere.
const metresPerDegree = 111_195

const maxLatitude = 89.999

// project converts degrees to Mercator coordinates in units of a degree at the equator.
func project(p orb.Point) orb.Point {
	lat := min(max(p[1], -maxLatitude), maxLatitude)
	return orb.Point{p[0], toDegrees(math.Asinh(math.Tan(toRadians(lat))))}
}

// unproject is the inverse of project.
func unproject(p orb.Point) orb.Point {
	return orb.Point{p[0], toDegrees(math.Atan(math.Sinh(toRadians(p[1]))))}
}

// camera is the part of the projected world that is visible.
type camera struct {
	centre orb.Point // projected, with a longitude within ±180
	k      float64   // dots per projected unit
	w, h   float64   // size in dots
}

func (c *camera) resizePane(cellsX, cellsY int) {
	c.w = float64(cellsX * dotsX)
	c.h = float64(cellsY * dotsY)
	c.clampView()
}

// paneMap converts projected coordinates to dots: a projected unit has k dots, and the origin is at (x0, y0).
type paneMap struct {
	k, x0, y0 float64
	pane      orb.Bound // drawn area in dots
}

func (t *paneMap) applyTo(p orb.Point) orb.Point {
	return orb.Point{t.x0 + t.k*p[0], t.y0 - t.k*p[1]}
}

// boundOf converts a bound in projected coordinates to dots.
func (t *paneMap) boundOf(b orb.Bound) orb.Bound {
	low := t.applyTo(b.Min)
	high := t.applyTo(b.Max)
	return orb.Bound{Min: orb.Point{low[0], high[1]}, Max: orb.Point{high[0], low[1]}}
}

// cellOf returns the cell of a projected point; ok is false outside the pane.
func (t *paneMap) cellOf(p orb.Point) (x, y int, ok bool) {
	dot := t.applyTo(p)
	x, y = dotCell(dot)
	return x, y, t.pane.Contains(dot)
}

func dotCell(dot orb.Point) (x, y int) { return int(dot[0]) / dotsX, int(dot[1]) / dotsY }

// shiftEast returns a copy of t that draws everything x projected units further east.
func (t paneMap) shiftEast(x float64) *paneMap {
	t.x0 += t.k * x
	return &t
}

// paneMap returns the conversion to the camera's dots. If the camera shows more than one turn around the world, the
// pane is limited to half a turn on each side of the centre, so that nothing is drawn twice.
func (c *camera) paneMap() *paneMap {
	half := min(180*c.k, c.w/2)
	return &paneMap{
		k:  c.k,
		x0: c.w/2 - c.k*c.centre[0],
		y0: c.h/2 + c.k*c.centre[1],
		pane: orb.Bound{
			Min: orb.Point{c.w/2 - half, 0},
			Max: orb.Point{c.w/2 + half - 1e-6, c.h - 1e-6},
		},
	}
}

// planeAt returns the projected point that is dx dots to the right of the centre and dy dots below it.
func (c *camera) planeAt(dx, dy float64) orb.Point {
	return orb.Point{c.centre[0] + dx/c.k, c.centre[1] - dy/c.k}
}

// coordinateAt returns longitude and latitude of a dot; false outside the world.
func (c *camera) coordinateAt(x, y float64) (orb.Point, bool) {
	p := unproject(c.planeAt(x-c.w/2, y-c.h/2))
	return orb.Point{wrapLongitude(p[0]), p[1]}, math.Abs(p[0]-c.centre[0]) <= 180
}

// panBy moves the centre of the view by a number of dots to the right and down.
func (c *camera) panBy(dx, dy float64) {
	c.centre = c.planeAt(dx, dy)
	c.clampView()
}

// maxScale is the largest scale: five centimetres per dot. At the smallest scale the pane shows the world once.
const maxScale = metresPerDegree / 0.05

// clampView keeps the centre on the world and the scale within its limits.
func (c *camera) clampView() {
	if !isFinite(c.centre[0] + c.centre[1] + c.k) {
		c.centre = orb.Point{}
		c.k = 1
	}
	position := unproject(c.centre)
	c.centre = project(orb.Point{wrapLongitude(position[0]), position[1]})
	minScale := min(c.w/360, c.h/180)
	c.k = min(max(c.k, minScale), maxScale*c.shrinkage())
}

// shrinkage returns the length of a degree of longitude at the centre, divided by its length at the equator.
func (c *camera) shrinkage() float64 { return math.Cos(toRadians(unproject(c.centre)[1])) }

// scale returns the dots per degree of latitude at the centre.
func (c *camera) scale() float64 { return c.k / c.shrinkage() }

// metresPerDot returns the size of a dot at the centre.
func (c *camera) metresPerDot() float64 { return metresPerDegree / c.scale() }

// world is the whole world without the polar ice: nothing is surveyed there, and in Mercator's projection it would
// fill a third of the pane.
var world = orb.Bound{Min: project(orb.Point{-180, -58}), Max: project(orb.Point{180, 78})}

// fitBound moves the camera to show a projected bound with a margin. It shows the whole world if the bound is empty,
// and about 60 km around a bound that is a single point.
func (c *camera) fitBound(b orb.Bound) {
	margin := 1.2
	if b.IsEmpty() {
		b = world
		margin = 1
	}
	b = withoutPoles(b)
	c.centre = b.Center()
	spanX := min(b.Max[0]-b.Min[0], 360)
	spanY := b.Max[1] - b.Min[1]
	pointSpan := 60_000.0 / metresPerDegree / c.shrinkage()
	isPoint := max(spanX, spanY) < pointSpan/1000
	if isPoint {
		spanX = pointSpan
	}
	c.k = min(c.w/margin/spanX, c.fitHeight(margin)/spanY)
	c.clampView()
}

// fitHeight returns the height in dots that is available for a bound shown with a margin. It is at least two rows
// less than the pane: the last row has the scale bar, which would hide marks, and the first row stays free so that
// the bound is centred. A map with few rows uses all of them.
func (c *camera) fitHeight(margin float64) float64 {
	const fewRows = 4
	height := c.h / margin
	if c.h <= fewRows*dotsY {
		return height
	}
	return min(height, c.h-2*dotsY-1)
}

// withoutPoles limits a projected bound to latitudes up to 85° if it is higher than the whole map between these
// latitudes. In Mercator's projection a feature near a pole is so far away that a map with it would show nothing
// else.
func withoutPoles(b orb.Bound) orb.Bound {
	const worldSide = 360 // in projected units, from -180 to 180
	height := b.Max[1] - b.Min[1]
	if height > worldSide {
		b.Min[1] = max(b.Min[1], -worldSide/2)
		b.Max[1] = min(b.Max[1], worldSide/2)
	}
	return b
}

// wrapLongitude returns the longitude within [-180, 180).
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

// drawChrome writes the scale bar at the bottom left, the nearest town at the bottom centre, and coordinates at the
// bottom right, if there is room. It first removes the map from the last row, because a line next to the scale bar
// could look like a part of the bar. It also draws the cross. If the map has the focus, it draws the corners of a
// frame.
func (m *Model) drawChrome() {
	hasRoom := m.height >= leastLabelHeight
	if hasRoom {
		m.frame.clearRow(m.height - 1)
	}
	left := m.drawScale()
	if !hasRoom {
		return
	}
	m.drawCentre()
	if m.Focused {
		m.drawCorners()
	}
	right := m.drawCoordinates(left)
	if m.named && right-left >= 20 {
		m.drawNearestTown(left, right)
	}
}

// drawScale writes the scale bar and returns the first free cell in its row.
func (m *Model) drawScale() int {
	bar := m.scaleBar()
	w := format.Width(bar)
	if m.height < 3 || w == 0 || w >= m.width {
		return 0
	}
	m.frame.writeLabel(1, m.height-1, bar, inkChrome, 0)
	return 1 + w
}

// drawCentre draws the cross at the centre unless text is there.
func (m *Model) drawCentre() {
	x := m.width / 2
	y := m.height / 2
	if m.Cross && m.frame.cells[y*m.frame.w+x].text == "" {
		m.frame.writeLabel(x, y, "╋", inkSelected, 0)
	}
}

// drawCorners draws a corner of a frame in each corner of the map.
func (m *Model) drawCorners() {
	right := m.width - 1
	bottom := m.height - 1
	m.frame.writeLabel(0, 0, "┌", inkFeature, 0)
	m.frame.writeLabel(right, 0, "┐", inkFeature, 0)
	m.frame.writeLabel(0, bottom, "└", inkFeature, 0)
	m.frame.writeLabel(right, bottom, "┘", inkFeature, 0)
}

// drawCoordinates writes the coordinates at the right end of the last row, if there is room after the cell start. It
// returns the end of the cells that are still free in the row.
func (m *Model) drawCoordinates(start int) int {
	end := m.width - 1
	text := m.shownCoordinates()
	w := format.Width(text)
	if start+w+3 > m.width {
		return end
	}
	m.frame.writeLabel(end-w, m.height-1, text, inkChrome, 0)
	return end - w
}

// drawNearestTown writes the nearest town into the last row, in the middle between the cells left and right, if there
// is room.
func (m *Model) drawNearestTown(left, right int) {
	town := cleanLabel(m.nearestTown(), maxFullLabel)
	w := format.Width(town)
	if w > 0 && w+6 <= right-left {
		m.frame.writeLabel(left+(right-left-w)/2, m.height-1, town, inkChrome, 0)
	}
}

// scaleBar returns a bar with its length. The length is 1, 2 or 5 times a power of ten, and the bar is at most a
// quarter of the width.
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

// roundDown returns the largest of 1, 2 or 5 times a power of ten that is not above v.
func roundDown(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	if v >= 5*power {
		return 5 * power
	}
	if v >= 2*power {
		return 2 * power
	}
	return power
}

func formatDistance(metres float64) string {
	if metres >= 1000 {
		return fmt.Sprintf("%.0f km", metres/1000)
	}
	if metres >= 1 {
		return fmt.Sprintf("%.0f m", metres)
	}
	return fmt.Sprintf("%.0f cm", metres*100)
}

// shownCoordinates returns the coordinates of the cell under the mouse, or of the centre,
// with the precision of a cell. It returns "" if the mouse is outside the world.
func (m *Model) shownCoordinates() string {
	digits := digitsOf(dotsX / m.cam.scale())
	if m.hover[0] < 0 {
		return FormatCoordinates(m.Centre(), digits)
	}
	position, ok := m.CoordinateAt(m.hover[0], m.hover[1])
	if !ok {
		return ""
	}
	return FormatCoordinates(position, digits)
}

// digitsOf returns how many decimals distinguish multiples of a step, from 0 to 6.
func digitsOf(step float64) int {
	digits := int(math.Ceil(-math.Log10(step) - 1e-9))
	return min(max(digits, 0), 6)
}

// FormatCoordinates formats a position, such as "53.6012 N   9.4821 E".
func FormatCoordinates(p orb.Point, digits int) string {
	return format.Degrees(p[1], digits, "N", "S") + "   " + format.Degrees(p[0], digits, "E", "W")
}
