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

// project maps degrees to the plane, whose unit is about a degree at the
// equator or the pole.
func (p projection) project(lon, lat float64) (x, y float64) {
	lat = min(max(lat, -maxLatitude), maxLatitude)
	if p == mercator {
		return lon, degrees(math.Asinh(math.Tan(radians(lat))))
	}
	sin, cos := math.Sincos(radians(lon))
	if p == north {
		r := degrees(2 * math.Tan(radians(90-lat)/2))
		return r * sin, -r * cos
	}
	r := degrees(2 * math.Tan(radians(90+lat)/2))
	return r * sin, r * cos
}

// invert is the inverse of project.
func (p projection) invert(x, y float64) (lon, lat float64) {
	switch p {
	case mercator:
		return x, degrees(math.Atan(math.Sinh(radians(y))))
	case north:
		return degrees(math.Atan2(x, -y)), 90 - degrees(2*math.Atan(radians(math.Hypot(x, y))/2))
	default:
		return degrees(math.Atan2(x, y)), degrees(2*math.Atan(radians(math.Hypot(x, y))/2)) - 90
	}
}

// stretch is how many units of the plane a degree on the ground takes.
func (p projection) stretch(lat float64) float64 {
	lat = min(max(lat, -maxLatitude), maxLatitude)
	switch p {
	case mercator:
		return 1 / math.Cos(radians(lat))
	case north:
		return 2 / (1 + math.Sin(radians(lat)))
	default:
		return 2 / (1 - math.Sin(radians(lat)))
	}
}

// camera is what of the world is in the pane: a centre, a scale and a size.
// North is up at the centre.
type camera struct {
	lon, lat float64 // centre; lon within ±180
	scale    float64 // dots for a degree on the ground at the centre
	w, h     float64 // dots
}

func (c *camera) resize(cellsX, cellsY int) {
	c.w, c.h = float64(cellsX*dotsX), float64(cellsY*dotsY)
	if c.scale == 0 {
		c.scale = 1
	}
	c.clamp()
}

func (c *camera) projection() projection { return projectionAt(c.lat) }

// affine maps the plane to dots.
type affine struct{ a, b, c, d, e, f float64 }

func (t *affine) apply(p orb.Point) (x, y float64) {
	return t.a*p[0] + t.b*p[1] + t.c, t.d*p[0] + t.e*p[1] + t.f
}

// shifted is the map of the plane moved by so many units to the east.
func (t affine) shifted(x float64) affine {
	t.c += t.a * x
	t.f += t.d * x
	return t
}

// turn returns cosine and sine of the turn that puts north up at the centre.
func (c *camera) turn() (cos, sin float64) {
	sin, cos = math.Sincos(radians(c.lon))
	switch c.projection() {
	case north:
		return cos, sin
	case south:
		return cos, -sin
	default:
		return 1, 0
	}
}

// transform is the affine map from the camera's plane to its dots.
func (c *camera) transform() affine {
	p := c.projection()
	k := c.scale / p.stretch(c.lat)
	x0, y0 := p.project(c.lon, c.lat)
	cos, sin := c.turn()
	return affine{
		a: k * cos, b: k * sin, c: c.w/2 - k*(x0*cos+y0*sin),
		d: k * sin, e: -k * cos, f: c.h/2 - k*(x0*sin-y0*cos),
	}
}

// plane is the inverse of transform for an offset from the centre in dots.
func (c *camera) plane(dx, dy float64) (x, y float64) {
	p := c.projection()
	k := c.scale / p.stretch(c.lat)
	x0, y0 := p.project(c.lon, c.lat)
	cos, sin := c.turn()
	u, v := dx/k, -dy/k
	return x0 + u*cos - v*sin, y0 + u*sin + v*cos
}

// coordinate returns longitude and latitude at a dot; false beyond the world.
func (c *camera) coordinate(x, y float64) (orb.Point, bool) {
	px, py := c.plane(x-c.w/2, y-c.h/2)
	p := c.projection()
	lon, lat := p.invert(px, py)
	if p == mercator && math.Abs(lon-c.lon) > 180 {
		return orb.Point{}, false
	}
	return orb.Point{wrap(lon), min(max(lat, -90), 90)}, true
}

// pan moves the centre by dots to the right and down.
func (c *camera) pan(dx, dy float64) {
	p := c.projection()
	k := c.scale / p.stretch(c.lat)
	x, y := c.plane(dx, dy)
	if p == mercator {
		_, top := p.project(0, maxLatitude)
		y = min(max(y, -top), top)
	}
	lon, lat := p.invert(x, y)
	c.lon, c.lat = wrap(lon), lat
	// Within one projection what is on screen keeps its size.
	c.scale = k * p.stretch(c.lat)
	c.clamp()
}

func (c *camera) zoom(factor float64) {
	c.scale *= factor
	c.clamp()
}

// Scales are bounded: five centimetres a dot, and on the other side the world
// once in the pane.
const maxScale = metresPerDegree / 0.05

func (c *camera) clamp() {
	if !finite(c.lon) || !finite(c.lat) || !finite(c.scale) {
		c.lon, c.lat, c.scale = 0, 0, 1
	}
	c.lat = min(max(c.lat, -maxLatitude), maxLatitude)
	c.lon = wrap(c.lon)
	p := c.projection()
	least := min(c.w/360, c.h/180)
	if p != mercator {
		least = min(c.w, c.h) / 140
	}
	c.scale = min(max(c.scale, least*p.stretch(c.lat)), maxScale)
}

// The whole world leaves the ice at both ends out: nothing is surveyed there
// and Mercator would give it a third of the pane.
var world = orb.Bound{Min: orb.Point{-180, -58}, Max: orb.Point{180, 78}}

// fit shows a bound with a margin. Empty bounds show the world, points a
// neighbourhood of some 60 km.
func (c *camera) fit(b orb.Bound) {
	margin := 1.2
	if b.Min[0] > b.Max[0] || b.Min[1] > b.Max[1] {
		b, margin = world, 1
	}
	c.lon, c.lat = wrap((b.Min[0]+b.Max[0])/2), (b.Min[1]+b.Max[1])/2
	if round := b.Max[0]-b.Min[0] > 180; round && b.Max[1] < -60 {
		c.lat = -90
	} else if round && b.Min[1] > 60 {
		c.lat = 90
	}
	c.lat = min(max(c.lat, -maxLatitude), maxLatitude)
	p := c.projection()
	if p == mercator {
		// The middle of the pane is the middle of the plane, not of the degrees.
		_, low := p.project(0, max(b.Min[1], -maxMercator))
		_, high := p.project(0, min(b.Max[1], maxMercator))
		_, c.lat = p.invert(0, (low+high)/2)
		p = c.projection()
	}
	spanX, spanY := c.extent(p, b)
	const point = 60_000.0 / metresPerDegree
	least := point / 1000 * p.stretch(c.lat)
	if spanX < least && spanY < least {
		spanX, spanY = point*p.stretch(c.lat), 0
	}
	k := math.Inf(1)
	if spanX > 0 {
		k = c.w / spanX / margin
	}
	if spanY > 0 {
		k = min(k, c.h/spanY/margin)
	}
	c.scale = k * p.stretch(c.lat)
	c.clamp()
}

// extent returns width and height of a bound on the camera's plane, turned as
// it is shown and symmetrical about the centre.
func (c *camera) extent(p projection, b orb.Bound) (w, h float64) {
	if p == mercator {
		_, low := p.project(0, max(b.Min[1], -maxMercator))
		_, high := p.project(0, min(b.Max[1], maxMercator))
		return min(b.Max[0]-b.Min[0], 360), high - low
	}
	const steps = 16
	cos, sin := c.turn()
	x0, y0 := p.project(c.lon, c.lat)
	for i := range steps + 1 {
		lon := b.Min[0] + (b.Max[0]-b.Min[0])*float64(i)/steps
		for _, lat := range [...]float64{b.Min[1], b.Max[1]} {
			x, y := p.project(lon, lat)
			x, y = x-x0, y-y0
			w = max(w, 2*math.Abs(x*cos+y*sin))
			h = max(h, 2*math.Abs(y*cos-x*sin))
		}
	}
	return w, h
}

// metresPerDot is the size of a dot at the centre.
func (c *camera) metresPerDot() float64 { return metresPerDegree / c.scale }

// wrap brings a longitude to -180 up to, without, 180.
func wrap(lon float64) float64 {
	if lon >= -180 && lon < 180 {
		return lon
	}
	lon = math.Mod(lon+180, 360)
	if lon < 0 {
		lon += 360
	}
	return lon - 180
}

func radians(deg float64) float64 { return deg * (math.Pi / 180) }
func degrees(rad float64) float64 { return rad * (180 / math.Pi) }
