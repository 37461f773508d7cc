package crs

import "math"

// albers is the Albers Equal Area projection. The formulas are in EPSG Guidance Note 7-2, section 3.1.4.
type albers struct {
	e           ellipsoid
	lng0        float64
	n, c        float64 // constants n and C of the Guidance Note
	origin      float64 // radius of the origin's circle of latitude on the map, in metres
	east, north float64
}

func newAlbers(e ellipsoid, p parameters) projection {
	lat1 := p[firstParallel]
	lat2 := p[secondParallel]
	m1 := e.parallel(lat1)
	m2 := e.parallel(lat2)
	a := &albers{
		e: e, lng0: p[falseOriginLongitude],
		east: p[falseOriginEasting], north: p[falseOriginNorthing],
	}
	a.n = math.Sin(lat1)
	if math.Abs(lat1-lat2) > 1e-10 {
		a.n = (m1*m1 - m2*m2) / (e.authalic(lat2) - e.authalic(lat1))
	}
	a.c = m1*m1 + a.n*e.authalic(lat1)
	a.origin = a.radius(p[falseOriginLatitude])
	return a
}

func (a *albers) radius(lat float64) float64 {
	return a.e.a * math.Sqrt(a.c-a.n*a.e.authalic(lat)) / a.n
}

func (a *albers) forward(lng, lat float64) (east, north float64) {
	r := a.radius(lat)
	sin, cos := math.Sincos(a.n * normalize(lng-a.lng0))
	return a.east + r*sin, a.north + a.origin - r*cos
}

func (a *albers) inverse(east, north float64) (lng, lat float64) {
	x := east - a.east
	y := a.origin - (north - a.north)
	if a.n < 0 {
		x, y = -x, -y
	}
	r := math.Hypot(x, y)
	lng = math.Atan2(x, y) / a.n
	if !(math.Abs(lng) <= math.Pi*(1+1e-9)) {
		return math.NaN(), math.NaN()
	}
	q := (a.c - r*r*a.n*a.n/(a.e.a*a.e.a)) / a.n
	return normalize(a.lng0 + lng), a.e.fromAuthalic(q)
}

// azimuthalEqualArea is the Lambert Azimuthal Equal Area projection. The formulas are in EPSG Guidance Note 7-2,
// section 3.3.1.
type azimuthalEqualArea struct {
	e            ellipsoid
	lng0         float64
	east, north  float64
	pole         float64 // result of method authalic for the north pole
	radius       float64 // radius of the sphere with the same area as the ellipsoid
	sin, cos     float64 // sine and cosine of the origin's latitude on the sphere
	d            float64 // constant D of the Guidance Note, which makes the scale right at the origin
	polar        float64 // 1 if the origin is the north pole, -1 for the south pole, otherwise 0
	originLat, a float64 // latitude of the origin, and equatorial radius
}

func newAzimuthalEqualArea(e ellipsoid, p parameters) projection {
	lat0 := p[originLatitude]
	l := &azimuthalEqualArea{
		e: e, lng0: p[originLongitude], a: e.a, originLat: lat0,
		east: p[falseEasting], north: p[falseNorthing], pole: e.authalic(math.Pi / 2),
	}
	l.radius = e.a * math.Sqrt(l.pole/2)
	if math.Abs(math.Abs(lat0)-math.Pi/2) < 1e-10 {
		l.polar = math.Copysign(1, lat0)
		return l
	}
	beta := math.Asin(e.authalic(lat0) / l.pole)
	l.sin, l.cos = math.Sincos(beta)
	l.d = e.a * e.parallel(lat0) / (l.radius * l.cos)
	return l
}

func (l *azimuthalEqualArea) forward(lng, lat float64) (east, north float64) {
	sinLng, cosLng := math.Sincos(normalize(lng - l.lng0))
	q := l.e.authalic(lat)
	if l.polar != 0 {
		r := l.a * math.Sqrt(math.Max(l.pole-l.polar*q, 0))
		return l.east + r*sinLng, l.north - l.polar*r*cosLng
	}
	sin := math.Max(-1, math.Min(1, q/l.pole))
	cos := math.Sqrt(1 - sin*sin)
	b := l.radius * math.Sqrt(2/(1+l.sin*sin+l.cos*cos*cosLng))
	return l.east + b*l.d*cos*sinLng, l.north + b/l.d*(l.cos*sin-l.sin*cos*cosLng)
}

// inverse converts an easting and a northing to a longitude and a latitude. The variable q is the value that method
// authalic returns for the latitude.
func (l *azimuthalEqualArea) inverse(east, north float64) (lng, lat float64) {
	x := east - l.east
	y := north - l.north
	if l.polar != 0 {
		r := math.Hypot(x, y) / l.a
		return normalize(l.lng0 + math.Atan2(x, -l.polar*y)), l.e.fromAuthalic(l.polar * (l.pole - r*r))
	}
	x /= l.d
	y *= l.d
	r := math.Hypot(x, y) // distance from the origin
	if r == 0 {
		return l.lng0, l.originLat
	}
	sinHalfAngle := r / (2 * l.radius)
	if sinHalfAngle > 1 { // the point is not on the globe
		return math.NaN(), math.NaN()
	}
	sin, cos := math.Sincos(2 * math.Asin(sinHalfAngle))
	q := l.pole * (cos*l.sin + y*sin*l.cos/r)
	return normalize(l.lng0 + math.Atan2(x*sin, r*l.cos*cos-y*l.sin*sin)), l.e.fromAuthalic(q)
}

// cylindricalEqualArea is the Lambert Cylindrical Equal Area projection. The formulas are in EPSG Guidance Note 7-2,
// section 3.2.3.
type cylindricalEqualArea struct {
	e           ellipsoid
	lng0, k     float64 // k is the radius of the circle of latitude at true scale, as a fraction of the equatorial radius
	east, north float64
}

func newCylindricalEqualArea(e ellipsoid, p parameters) projection {
	return &cylindricalEqualArea{e, p[originLongitude], e.parallel(p[firstParallel]), p[falseEasting], p[falseNorthing]}
}

func (c *cylindricalEqualArea) forward(lng, lat float64) (east, north float64) {
	return c.east + c.e.a*c.k*normalize(lng-c.lng0), c.north + c.e.a*c.e.authalic(lat)/(2*c.k)
}

func (c *cylindricalEqualArea) inverse(east, north float64) (lng, lat float64) {
	lng = (east - c.east) / (c.e.a * c.k)
	if !(math.Abs(lng) <= math.Pi*(1+1e-9)) {
		return math.NaN(), math.NaN()
	}
	return normalize(c.lng0 + lng), c.e.fromAuthalic((north - c.north) * 2 * c.k / c.e.a)
}

// equalEarth is the Equal Earth projection. The formulas are in EPSG Guidance Note 7-2, section 3.3.7.
type equalEarth struct {
	e           ellipsoid
	lng0        float64
	pole        float64 // result of method authalic for the north pole
	radius      float64 // radius of the sphere with the same area as the ellipsoid
	east, north float64
}

func newEqualEarth(e ellipsoid, p parameters) projection {
	pole := e.authalic(math.Pi / 2)
	return &equalEarth{e, p[originLongitude], pole, e.a * math.Sqrt(pole/2), p[falseEasting], p[falseNorthing]}
}

// curve returns the northing y on a map of a sphere with radius 1. theta is an angle that is computed from the
// latitude. slope is the derivative of y with respect to theta.
func (equalEarth) curve(theta float64) (y, slope float64) {
	const a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
	t2 := theta * theta
	t6 := t2 * t2 * t2
	return theta * (a1 + a2*t2 + t6*(a3+a4*t2)), a1 + 3*a2*t2 + t6*(7*a3+9*a4*t2)
}

func (q *equalEarth) forward(lng, lat float64) (east, north float64) {
	theta := math.Asin(math.Sqrt(3) / 2 * math.Max(-1, math.Min(1, q.e.authalic(lat)/q.pole)))
	y, slope := q.curve(theta)
	x := 2 * math.Sqrt(3) * normalize(lng-q.lng0) * math.Cos(theta) / (3 * slope)
	return q.east + q.radius*x, q.north + q.radius*y
}

// inverse converts an easting and a northing to a longitude and a latitude. By Newton's method, it first finds the
// angle theta for which curve returns the northing. It then computes the latitude from theta.
func (q *equalEarth) inverse(east, north float64) (lng, lat float64) {
	y := (north - q.north) / q.radius
	theta := y
	for range 20 {
		got, slope := q.curve(theta)
		step := (y - got) / slope
		theta += step
		if math.Abs(step) < 1e-14 {
			break
		}
	}
	_, slope := q.curve(theta)
	lng = (east - q.east) / q.radius * math.Sqrt(3) * slope / (2 * math.Cos(theta))
	sin := math.Sin(theta) * 2 / math.Sqrt(3)
	if !(math.Abs(theta) < math.Pi/2 && math.Abs(sin) <= 1 && math.Abs(lng) <= math.Pi*(1+1e-9)) {
		return math.NaN(), math.NaN()
	}
	return normalize(q.lng0 + lng), q.e.fromAuthalic(q.pole * sin)
}
