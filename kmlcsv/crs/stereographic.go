package crs

import "math"

// polarStereographic is the Polar Stereographic projection. The formulas are in EPSG Guidance Note 7-2, section
// 3.3.2.
type polarStereographic struct {
	e           ellipsoid
	lng0        float64
	scale       float64 // distance from the pole to the equator on the map, in metres
	pole        float64 // 1 for the north pole, -1 for the south pole
	east, north float64
}

// newPolarA returns variant A of Polar Stereographic, which is defined by the scale at the pole. The formulas are in
// EPSG Guidance Note 7-2, section 3.3.2.1.
func newPolarA(e ellipsoid, p parameters) projection {
	s := &polarStereographic{
		e: e, lng0: p[originLongitude], pole: math.Copysign(1, p[originLatitude]),
		east: p[falseEasting], north: p[falseNorthing],
	}
	s.scale = 2 * e.a * p.scale(originScale) / polarFactor(e)
	return s
}

func polarFactor(e ellipsoid) float64 {
	return math.Sqrt(math.Pow(1+e.e, 1+e.e) * math.Pow(1-e.e, 1-e.e))
}

// newPolarB returns variant B of Polar Stereographic, which is defined by the latitude at which the map is true to
// scale. The formulas are in EPSG Guidance Note 7-2, section 3.3.2.2.
func newPolarB(e ellipsoid, p parameters) projection {
	s := polarAt(e, p)
	s.east = p[falseEasting]
	s.north = p[falseNorthing]
	return s
}

// newPolarC returns variant C of Polar Stereographic. Like variant B, it is defined by the latitude at which the map
// is true to scale. Variant B counts coordinates from the pole, and variant C from a point at this latitude. The
// formulas are in EPSG Guidance Note 7-2, section 3.3.2.3.
func newPolarC(e ellipsoid, p parameters) projection {
	s := polarAt(e, p)
	s.east = p[falseOriginEasting]
	s.north = p[falseOriginNorthing] + s.pole*e.a*e.parallel(p[standardParallel])
	return s
}

func polarAt(e ellipsoid, p parameters) *polarStereographic {
	lat := p[standardParallel]
	s := &polarStereographic{e: e, lng0: p[longitudeOfOrigin], pole: math.Copysign(1, lat)}
	s.scale = 2 * e.a / polarFactor(e)
	if t := e.conformal(math.Abs(lat)); math.Pi/2-math.Abs(lat) > 1e-10 {
		s.scale = e.a * e.parallel(lat) / t
	}
	return s
}

func (s *polarStereographic) forward(lng, lat float64) (east, north float64) {
	if s.pole*lat <= -math.Pi/2+1e-9 {
		return math.NaN(), math.NaN()
	}
	r := s.scale * s.e.conformal(s.pole*lat)
	sin, cos := math.Sincos(lng - s.lng0)
	return s.east + r*sin, s.north - s.pole*r*cos
}

func (s *polarStereographic) inverse(east, north float64) (lng, lat float64) {
	x := east - s.east
	y := -s.pole * (north - s.north)
	lat = s.pole * s.e.fromConformal(math.Hypot(x, y)/s.scale)
	return normalize(s.lng0 + math.Atan2(x, y)), lat
}

// obliqueStereographic is the Oblique Stereographic projection, which the Netherlands use. It first converts the
// ellipsoid to a sphere. The formulas are in EPSG Guidance Note 7-2, section 3.3.3.
type obliqueStereographic struct {
	e           ellipsoid
	lng0, lat0  float64
	east, north float64
	n, c        float64 // constants n and c of the Guidance Note
	sin, cos    float64 // sine and cosine of the origin's latitude on the sphere
	diameter    float64 // diameter of the sphere, times the scale
}

func newObliqueStereographic(e ellipsoid, p parameters) projection {
	lat0 := p[originLatitude]
	sin, cos := math.Sincos(lat0)
	s := &obliqueStereographic{
		e: e, lng0: p[originLongitude], lat0: lat0,
		east: p[falseEasting], north: p[falseNorthing],
		n: math.Sqrt(1 + e.e2*cos*cos*cos*cos/e.oneMinusE2),
	}
	s.diameter = 2 * math.Sqrt(e.meridianRadius(lat0)*e.normalRadius(lat0)) * p.scale(originScale)
	w := math.Pow(e.conformal(lat0), -2*s.n)
	sin0 := (w - 1) / (w + 1)
	s.c = (s.n + sin) * (1 - sin0) / ((s.n - sin) * (1 + sin0))
	s.sin = (s.c*w - 1) / (s.c*w + 1)
	s.cos = math.Sqrt(1 - s.sin*s.sin)
	return s
}

func (s *obliqueStereographic) forward(lng, lat float64) (east, north float64) {
	w := s.c * math.Pow(s.e.conformal(lat), -2*s.n)
	sin := (w - 1) / (w + 1)
	cos := math.Sqrt(math.Max(1-sin*sin, 0))
	sinLng, cosLng := math.Sincos(s.n * normalize(lng-s.lng0))
	k := s.diameter / (1 + sin*s.sin + cos*s.cos*cosLng)
	return s.east + k*cos*sinLng, s.north + k*(sin*s.cos-cos*s.sin*cosLng)
}

func (s *obliqueStereographic) inverse(east, north float64) (lng, lat float64) {
	x := east - s.east
	y := north - s.north
	r := math.Hypot(x, y)
	if r == 0 {
		return s.lng0, s.lat0
	}
	sin, cos := math.Sincos(2 * math.Atan2(r, s.diameter))
	sinLat := cos*s.sin + y*sin*s.cos/r
	lng = math.Atan2(x*sin, r*s.cos*cos-y*s.sin*sin) / s.n
	t := math.Pow(s.c*(1-sinLat)/(1+sinLat), 1/(2*s.n))
	return normalize(s.lng0 + lng), s.e.fromConformal(t)
}
