package crs

import (
	"math"
	"math/cmplx"
)

// hotine is the Hotine Oblique Mercator projection. EPSG Guidance Note 7-2, 3.5.4. Swiss grids use
// variant B with an azimuth of 90 degrees.
type hotine struct {
	e           ellipsoid
	lng0        float64
	a, b, h     float64
	sin0, cos0  float64 // sine and cosine of the azimuth of the initial line at the equator
	sin, cos    float64 // sine and cosine of the grid's angle
	centre      float64 // value u of the projection centre in variant B
	east, north float64
}

// newHotineA returns variant A, whose origin is the intersection of the initial line with the equator of the
// sphere.
func newHotineA(e ellipsoid, p parameters) projection {
	h := newHotine(e, p)
	h.centre = 0
	h.east = p[falseEasting]
	h.north = p[falseNorthing]
	return h
}

// newHotineB returns variant B, whose origin is the projection centre.
func newHotineB(e ellipsoid, p parameters) projection {
	h := newHotine(e, p)
	h.east = p[centreEasting]
	h.north = p[centreNorthing]
	return h
}

// newHotine computes the constants that both variants share. The names follow the Guidance Note: lat and azimuth are
// the values at the projection centre, and gamma is the azimuth of the initial line at the equator.
func newHotine(e ellipsoid, p parameters) *hotine {
	lat := p[centreLatitude]
	azimuth := p[initialAzimuth]
	sin, cos := math.Sincos(lat)
	h := &hotine{e: e}
	h.b = math.Sqrt(1 + e.e2*cos*cos*cos*cos/e.oneMinusE2)
	w := 1 - e.e2*sin*sin
	h.a = e.a * h.b * p.scale(initialScale) * math.Sqrt(e.oneMinusE2) / w
	d := math.Max(1, h.b*math.Sqrt(e.oneMinusE2)/(cos*math.Sqrt(w)))
	root := math.Sqrt(d*d - 1)
	f := d + math.Copysign(root, lat)
	h.h = f * math.Pow(e.conformal(lat), h.b)
	gamma := math.Asin(math.Sin(azimuth) / d)
	g := (f - 1/f) / 2
	isEast := math.Abs(azimuth-math.Pi/2) < 1e-10
	turn := math.Asin(math.Max(-1, math.Min(1, g*math.Tan(gamma))))
	if isEast {
		turn = math.Copysign(math.Pi/2, lat) // the same value; the arcsine loses half of the digits near 1
	}
	h.lng0 = p[centreLongitude] - turn/h.b
	h.sin0, h.cos0 = math.Sincos(gamma)
	skew, ok := p[skewAngle]
	if !ok {
		skew = azimuth
	}
	h.sin, h.cos = math.Sincos(skew)
	h.centre = math.Copysign(h.a/h.b*math.Atan2(root, math.Cos(azimuth)), lat)
	if isEast {
		h.centre = h.a * (p[centreLongitude] - h.lng0) // the Guidance Note has this formula for 90 degrees
	}
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
	u := (s*h.sin0 - sin*h.cos0) / t
	v := h.a / (2 * h.b) * math.Log((1-u)/(1+u))
	along := h.a/h.b*math.Atan2(s*h.cos0+sin*h.sin0, cos) - h.centre
	return h.east + v*h.cos + along*h.sin, h.north + along*h.cos - v*h.sin
}

func (h *hotine) inverse(east, north float64) (lng, lat float64) {
	x := east - h.east
	y := north - h.north
	v := x*h.cos - y*h.sin
	along := y*h.cos + x*h.sin + h.centre
	q := math.Exp(-h.b / h.a * v)
	s := (q - 1/q) / 2
	t := (q + 1/q) / 2
	sin, cos := math.Sincos(h.b / h.a * along)
	if math.Abs(along) > math.Pi*h.a/h.b {
		return math.NaN(), math.NaN()
	}
	u := (sin*h.cos0 + s*h.sin0) / t
	lat = h.e.fromConformal(math.Pow(h.h*math.Sqrt((1-u)/(1+u)), 1/h.b))
	return normalize(h.lng0 - math.Atan2(s*h.cos0-sin*h.sin0, cos)/h.b), lat
}

// laborde is the Laborde Oblique Mercator projection of Madagascar. EPSG Guidance Note 7-2,
// 3.5.4.3.
type laborde struct {
	e           ellipsoid
	lng0        float64
	b, c        float64
	sin, cos    float64 // sine and cosine of the centre's latitude on the sphere
	radius      float64
	turn        complex128
	east, north float64
	lat0        float64
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
