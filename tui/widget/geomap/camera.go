package geomap

import (
	"math"

	"github.com/paulmach/orb"
)

// dotsX and dotsY are the dots of a cell. Cells are taken to be twice as high
// as wide, so dots are square.
const (
	dotsX = 2
	dotsY = 4
)

// metresPerDegree is a degree on the sphere that scales are reckoned with.
const metresPerDegree = 111_195

// projection is a conformal map of the globe to a plane. Near the equator it
// is Mercator's, beyond polarLatitude the stereographic one seen from above
// the pole.
type projection uint8

const (
	mercator projection = iota
	north
	south
)

const (
	polarLatitude = 75   // of the centre, from where on the polar projections are used
	maxMercator   = 85.0 // beyond which Mercator shows nothing in an overview
	maxLatitude   = 89.999
)

func projectionAt(lat float64) projection {
	switch {
	case lat > polarLatitude:
		return north
	case lat < -polarLatitude:
		return south
	default:
		return mercator
	}
}

// projectPoint maps degrees to the plane, whose unit is about a degree at the
// equator or the pole.
func (p projection) projectPoint(lon, lat float64) (x, y float64) {
	lat = min(max(lat, -maxLatitude), maxLatitude)
	if p == mercator {
		return lon, toDegrees(math.Asinh(math.Tan(toRadians(lat))))
	}
	sin, cos := math.Sincos(toRadians(lon))
	if p == north {
		r := toDegrees(2 * math.Tan(toRadians(90-lat)/2))
		return r * sin, -r * cos
	}
	r := toDegrees(2 * math.Tan(toRadians(90+lat)/2))
	return r * sin, r * cos
}

// unprojectPoint returns the inverse of project.
func (p projection) unprojectPoint(x, y float64) (lon, lat float64) {
	switch p {
	case mercator:
		return x, toDegrees(math.Atan(math.Sinh(toRadians(y))))
	case north:
		return toDegrees(math.Atan2(x, -y)), 90 - toDegrees(2*math.Atan(toRadians(math.Hypot(x, y))/2))
	default:
		return toDegrees(math.Atan2(x, y)), toDegrees(2*math.Atan(toRadians(math.Hypot(x, y))/2)) - 90
	}
}

// unitsPerDegree returns how many units of the plane a degree on the ground takes.
func (p projection) unitsPerDegree(lat float64) float64 {
	lat = min(max(lat, -maxLatitude), maxLatitude)
	switch p {
	case mercator:
		return 1 / math.Cos(toRadians(lat))
	case north:
		return 2 / (1 + math.Sin(toRadians(lat)))
	default:
		return 2 / (1 - math.Sin(toRadians(lat)))
	}
}

// camera is what of the world is in the pane: a centre, a scale and a size.
// North is up at the centre.
type camera struct {
	lon, lat float64 // centre; lon within ±180
	scale    float64 // dots for a degree on the ground at the centre
	w, h     float64 // dots
}

func (c *camera) resizePane(cellsX, cellsY int) {
	c.w, c.h = float64(cellsX*dotsX), float64(cellsY*dotsY)
	if c.scale == 0 {
		c.scale = 1
	}
	c.clampCentre()
}

func (c *camera) projection() projection { return projectionAt(c.lat) }

// affineMap maps the plane to dots.
type affineMap struct{ a, b, c, d, e, f float64 }

func (t *affineMap) applyTo(p orb.Point) (x, y float64) {
	return t.a*p[0] + t.b*p[1] + t.c, t.d*p[0] + t.e*p[1] + t.f
}

// shiftEast returns the map of the plane moved by so many units to the east.
func (t affineMap) shiftEast(x float64) affineMap {
	t.c += t.a * x
	t.f += t.d * x
	return t
}

// northTurn returns cosine and sine of the turn that puts north up at the centre.
func (c *camera) northTurn() (cos, sin float64) {
	sin, cos = math.Sincos(toRadians(c.lon))
	switch c.projection() {
	case north:
		return cos, sin
	case south:
		return cos, -sin
	default:
		return 1, 0
	}
}

// planeToDots returns the affine map from the camera's plane to its dots.
func (c *camera) planeToDots() affineMap {
	p := c.projection()
	k := c.scale / p.unitsPerDegree(c.lat)
	x0, y0 := p.projectPoint(c.lon, c.lat)
	cos, sin := c.northTurn()
	return affineMap{
		a: k * cos, b: k * sin, c: c.w/2 - k*(x0*cos+y0*sin),
		d: k * sin, e: -k * cos, f: c.h/2 - k*(x0*sin-y0*cos),
	}
}

// dotsToPlane returns the inverse of transform for an offset from the centre in dots.
func (c *camera) dotsToPlane(dx, dy float64) (x, y float64) {
	p := c.projection()
	k := c.scale / p.unitsPerDegree(c.lat)
	x0, y0 := p.projectPoint(c.lon, c.lat)
	cos, sin := c.northTurn()
	u, v := dx/k, -dy/k
	return x0 + u*cos - v*sin, y0 + u*sin + v*cos
}

// coordinateAt returns longitude and latitude at a dot; false beyond the world.
func (c *camera) coordinateAt(x, y float64) (orb.Point, bool) {
	px, py := c.dotsToPlane(x-c.w/2, y-c.h/2)
	p := c.projection()
	lon, lat := p.unprojectPoint(px, py)
	if p == mercator && math.Abs(lon-c.lon) > 180 {
		return orb.Point{}, false
	}
	return orb.Point{wrapLongitude(lon), min(max(lat, -90), 90)}, true
}

// panBy moves the centre by dots to the right and down.
func (c *camera) panBy(dx, dy float64) {
	p := c.projection()
	k := c.scale / p.unitsPerDegree(c.lat)
	x, y := c.dotsToPlane(dx, dy)
	if p == mercator {
		_, top := p.projectPoint(0, maxLatitude)
		y = min(max(y, -top), top)
	}
	lon, lat := p.unprojectPoint(x, y)
	c.lon, c.lat = wrapLongitude(lon), lat
	// Within one projection what is on screen keeps its size.
	c.scale = k * p.unitsPerDegree(c.lat)
	c.clampCentre()
}

func (c *camera) zoomBy(factor float64) {
	c.scale *= factor
	c.clampCentre()
}

// Scales are bounded: five centimetres a dot, and on the other side the world
// once in the pane.
const maxScale = metresPerDegree / 0.05

func (c *camera) clampCentre() {
	if !isFinite(c.lon) || !isFinite(c.lat) || !isFinite(c.scale) {
		c.lon, c.lat, c.scale = 0, 0, 1
	}
	c.lat = min(max(c.lat, -maxLatitude), maxLatitude)
	c.lon = wrapLongitude(c.lon)
	p := c.projection()
	least := min(c.w/360, c.h/180)
	if p != mercator {
		least = min(c.w, c.h) / 140
	}
	c.scale = min(max(c.scale, least*p.unitsPerDegree(c.lat)), maxScale)
}

// The whole world leaves the ice at both ends out: nothing is surveyed there
// and Mercator would give it a third of the pane.
var world = orb.Bound{Min: orb.Point{-180, -58}, Max: orb.Point{180, 78}}

// fitBound shows a bound with a margin. Empty bounds show the world, points a
// neighbourhood of some 60 km.
func (c *camera) fitBound(b orb.Bound) {
	margin := 1.2
	if b.Min[0] > b.Max[0] || b.Min[1] > b.Max[1] {
		b, margin = world, 1
	}
	c.lon, c.lat = wrapLongitude((b.Min[0]+b.Max[0])/2), (b.Min[1]+b.Max[1])/2
	if round := b.Max[0]-b.Min[0] > 180; round && b.Max[1] < -60 {
		c.lat = -90
	} else if round && b.Min[1] > 60 {
		c.lat = 90
	}
	c.lat = min(max(c.lat, -maxLatitude), maxLatitude)
	p := c.projection()
	if p == mercator {
		// The middle of the pane is the middle of the plane, not of the degrees.
		_, low := p.projectPoint(0, max(b.Min[1], -maxMercator))
		_, high := p.projectPoint(0, min(b.Max[1], maxMercator))
		_, c.lat = p.unprojectPoint(0, (low+high)/2)
		p = c.projection()
	}
	spanX, spanY := c.boundExtent(p, b)
	const point = 60_000.0 / metresPerDegree
	least := point / 1000 * p.unitsPerDegree(c.lat)
	if spanX < least && spanY < least {
		spanX, spanY = point*p.unitsPerDegree(c.lat), 0
	}
	k := math.Inf(1)
	if spanX > 0 {
		k = c.w / spanX / margin
	}
	if spanY > 0 {
		k = min(k, c.h/spanY/margin)
	}
	c.scale = k * p.unitsPerDegree(c.lat)
	c.clampCentre()
}

// boundExtent returns width and height of a bound on the camera's plane, turned as
// it is shown and symmetrical about the centre.
func (c *camera) boundExtent(p projection, b orb.Bound) (w, h float64) {
	if p == mercator {
		_, low := p.projectPoint(0, max(b.Min[1], -maxMercator))
		_, high := p.projectPoint(0, min(b.Max[1], maxMercator))
		return min(b.Max[0]-b.Min[0], 360), high - low
	}
	const steps = 16
	cos, sin := c.northTurn()
	x0, y0 := p.projectPoint(c.lon, c.lat)
	for i := range steps + 1 {
		lon := b.Min[0] + (b.Max[0]-b.Min[0])*float64(i)/steps
		for _, lat := range [...]float64{b.Min[1], b.Max[1]} {
			x, y := p.projectPoint(lon, lat)
			x, y = x-x0, y-y0
			w = max(w, 2*math.Abs(x*cos+y*sin))
			h = max(h, 2*math.Abs(y*cos-x*sin))
		}
	}
	return w, h
}

// metresPerDot returns the size of a dot at the centre.
func (c *camera) metresPerDot() float64 { return metresPerDegree / c.scale }

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
