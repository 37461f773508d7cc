package crs

import (
	"math"
	"math/cmplx"
)

// hotine is the Hotine Oblique Mercator projection. The formulas are in EPSG Guidance Note 7-2, section 3.5.4. The
// initial line is the line that the map is centred on, as other Mercator maps are centred on the equator or a
// meridian. Swiss grids use variant B, with an initial line that goes due east.
type hotine struct {
	e                  ellipsoid
	a, b, h            float64 // constants A, B and H of the Guidance Note
	lng0               float64 // longitude at which the initial line crosses the equator
	sinGamma, cosGamma float64 // sine and cosine of the azimuth of the initial line at the equator
	sinSkew, cosSkew   float64 // sine and cosine of the angle between the initial line and grid north
	centre             float64 // distance from the equator to the centre along the initial line; 0 in variant A
	east, north        float64 // easting and northing of the origin
}

// newHotineA returns variant A of Hotine Oblique Mercator. Its coordinates are counted from the point where the initial
// line crosses the equator. The initial line is explained at type hotine.
func newHotineA(e ellipsoid, p parameters) projection {
	h := newHotine(e, p)
	h.centre = 0
	h.east = p[falseEasting]
	h.north = p[falseNorthing]
	return h
}

// newHotineB returns variant B of Hotine Oblique Mercator. Its coordinates are counted from the centre of the
// projection.
func newHotineB(e ellipsoid, p parameters) projection {
	h := newHotine(e, p)
	h.east = p[centreEasting]
	h.north = p[centreNorthing]
	return h
}

// newHotine computes the constants that both variants of Hotine Oblique Mercator need. The variables have their names
// from EPSG Guidance Note 7-2, except for w and root. lat and azimuth are the latitude of the projection centre and
// the azimuth of the initial line there.
func newHotine(e ellipsoid, p parameters) *hotine {
	lat := p[centreLatitude]
	azimuth := p[initialAzimuth]
	skew, hasSkew := p[skewAngle]
	if !hasSkew {
		skew = azimuth
	}
	sin, cos := math.Sincos(lat)
	w := 1 - e.e2*sin*sin
	h := &hotine{e: e}
	h.b = math.Sqrt(1 + e.e2*cos*cos*cos*cos/e.oneMinusE2)
	h.a = e.a * h.b * p.scale(initialScale) * math.Sqrt(e.oneMinusE2) / w
	d := math.Max(1, h.b*math.Sqrt(e.oneMinusE2)/(cos*math.Sqrt(w)))
	root := math.Sqrt(d*d - 1)
	f := d + math.Copysign(root, lat)
	g := (f - 1/f) / 2
	h.h = f * math.Pow(e.conformal(lat), h.b)
	gamma := math.Asin(math.Sin(azimuth) / d)
	h.sinGamma, h.cosGamma = math.Sincos(gamma)
	h.sinSkew, h.cosSkew = math.Sincos(skew)
	isDueEast := math.Abs(azimuth-math.Pi/2) < 1e-10
	if isDueEast { // otherwise the arcsine below would lose half of its digits
		h.lng0 = p[centreLongitude] - math.Copysign(math.Pi/2, lat)/h.b
		h.centre = h.a * (p[centreLongitude] - h.lng0)
		return h
	}
	sine := math.Max(-1, math.Min(1, g*math.Tan(gamma)))
	h.lng0 = p[centreLongitude] - math.Asin(sine)/h.b
	h.centre = math.Copysign(h.a/h.b*math.Atan2(root, math.Cos(azimuth)), lat)
	return h
}

func (h *hotine) forward(lng, lat float64) (east, north float64) {
	if math.Abs(lat) > math.Pi/2-1e-9 {
		return math.NaN(), math.NaN()
	}
	q := h.h / math.Pow(h.e.conformal(lat), h.b)
	s := (q - 1/q) / 2
	t := (q + 1/q) / 2
	sin, cos := math.Sincos(h.b * normalize(lng-h.lng0))
	u := (s*h.sinGamma - sin*h.cosGamma) / t
	v := h.a / (2 * h.b) * math.Log((1-u)/(1+u))
	along := h.a/h.b*math.Atan2(s*h.cosGamma+sin*h.sinGamma, cos) - h.centre
	return h.east + v*h.cosSkew + along*h.sinSkew, h.north + along*h.cosSkew - v*h.sinSkew
}

func (h *hotine) inverse(east, north float64) (lng, lat float64) {
	x := east - h.east
	y := north - h.north
	v := x*h.cosSkew - y*h.sinSkew
	along := y*h.cosSkew + x*h.sinSkew + h.centre
	q := math.Exp(-h.b / h.a * v)
	s := (q - 1/q) / 2
	t := (q + 1/q) / 2
	sin, cos := math.Sincos(h.b / h.a * along)
	if math.Abs(along) > math.Pi*h.a/h.b {
		return math.NaN(), math.NaN()
	}
	u := (sin*h.cosGamma + s*h.sinGamma) / t
	lat = h.e.fromConformal(math.Pow(h.h*math.Sqrt((1-u)/(1+u)), 1/h.b))
	return normalize(h.lng0 - math.Atan2(s*h.cosGamma-sin*h.sinGamma, cos)/h.b), lat
}

// laborde is the Laborde Oblique Mercator projection of Madagascar. The formulas are in EPSG Guidance Note 7-2,
// section 3.5.4.3.
type laborde struct {
	e           ellipsoid
	lng0        float64
	b, c        float64    // constants B and C of the Guidance Note
	sin, cos    float64    // sine and cosine of the centre's latitude on the sphere
	radius      float64    // radius of the sphere, times the scale
	turn        complex128 // constant G of the Guidance Note, computed from the azimuth of the initial line
	east, north float64
	lat0        float64 // latitude of the centre
}

func newLaborde(e ellipsoid, p parameters) projection {
	lat := p[centreLatitude]
	sin, cos := math.Sincos(lat)
	l := &laborde{e: e, lng0: p[centreLongitude], lat0: lat, east: p[falseEasting], north: p[falseNorthing]}
	l.b = math.Sqrt(1 + e.e2*cos*cos*cos*cos/e.oneMinusE2)
	l.sin = sin / l.b
	l.cos = math.Sqrt(1 - l.sin*l.sin)
	l.radius = e.a * p.scale(initialScale) * math.Sqrt(e.oneMinusE2) / (1 - e.e2*sin*sin)
	l.c = math.Atanh(l.sin) + l.b*math.Log(e.conformal(lat))
	sin2, cos2 := math.Sincos(2 * p[initialAzimuth])
	l.turn = complex((1-cos2)/12, sin2/12)
	return l
}

func (l *laborde) forward(lng, lat float64) (east, north float64) {
	sinLng, cosLng := math.Sincos(l.b * normalize(lng-l.lng0))
	q := l.c - l.b*math.Log(l.e.conformal(lat))
	sin := math.Tanh(q)
	cos := 1 / math.Cosh(q)
	u := cos*cosLng*l.cos + sin*l.sin
	v := cos*cosLng*l.sin - sin*l.cos
	h := complex(-math.Atan2(v, u), math.Atanh(cos*sinLng))
	h += l.turn * cmplx.Pow(h, 3)
	return l.east + l.radius*imag(h), l.north + l.radius*real(h)
}

func (l *laborde) inverse(east, north float64) (lng, lat float64) {
	lat = l.lat0 + (north-l.north)/l.radius
	return solve(l, east, north, l.lng0+(east-l.east)/(l.radius*math.Cos(lat)), lat)
}
