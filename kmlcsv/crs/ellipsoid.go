package crs

import "math"

const radian = math.Pi / 180

// ellipsoid is the shape of the earth on which a datum is based.
type ellipsoid struct {
	name       string
	a          float64 // equatorial radius in metres
	f          float64 // flattening (a-b)/a, where b is the polar radius
	e, e2      float64 // eccentricity, and its square
	inverse    float64 // inverse flattening 1/f; 0 for a sphere
	n          float64 // third flattening (a-b)/(a+b), in which series converge fast
	oneMinusE2 float64 // 1 - e2
}

// newEllipsoid returns the ellipsoid with the given equatorial radius in metres and inverse flattening. An inverse
// flattening of 0 means a sphere.
func newEllipsoid(name string, radius, inverse float64) ellipsoid {
	e := ellipsoid{name: name, a: radius, inverse: inverse}
	if inverse != 0 {
		e.f = 1 / inverse
	}
	e.e2 = e.f * (2 - e.f)
	e.e = math.Sqrt(e.e2)
	e.n = e.f / (2 - e.f)
	e.oneMinusE2 = 1 - e.e2
	return e
}

// geocentric converts a longitude and a latitude in radians and a height in metres to geocentric coordinates in
// metres. These are x, y and z from the centre of the earth.
func (e *ellipsoid) geocentric(lng, lat, h float64) (x, y, z float64) {
	sin, cos := math.Sincos(lat)
	sinLng, cosLng := math.Sincos(lng)
	normal := e.a / math.Sqrt(1-e.e2*sin*sin)
	return (normal + h) * cos * cosLng, (normal + h) * cos * sinLng, (normal*e.oneMinusE2 + h) * sin
}

// geographic converts geocentric coordinates in metres to a longitude and a latitude in radians and a height in
// metres. It applies Bowring's formula twice, so that the result is exact to a nanometre.
func (e *ellipsoid) geographic(x, y, z float64) (lng, lat, h float64) {
	polar := e.a * (1 - e.f)     // radius at the poles
	fromAxis := math.Hypot(x, y) // distance from the axis of the earth
	if fromAxis == 0 {
		return math.Atan2(y, x), math.Copysign(math.Pi/2, z), math.Abs(z) - polar
	}
	second := e.e2 / e.oneMinusE2 // square of the second eccentricity
	tan := z / fromAxis / (1 - e.f)
	for range 2 {
		sin, cos := math.Sincos(math.Atan(tan))
		tanLat := (z + second*polar*sin*sin*sin) / (fromAxis - e.e2*e.a*cos*cos*cos)
		tan = (1 - e.f) * tanLat
		lat = math.Atan(tanLat)
	}
	sin, cos := math.Sincos(lat)
	h = fromAxis*cos + z*sin - e.a*math.Sqrt(1-e.e2*sin*sin)
	return math.Atan2(y, x), lat, h
}

// conformal returns the value t of a latitude, from which conformal projections are computed. It is 1 on the equator
// and 0 at the north pole. The formula is in EPSG Guidance Note 7-2, section 3.1.1.
func (e *ellipsoid) conformal(lat float64) float64 {
	s := e.e * math.Sin(lat)
	return math.Tan(math.Pi/4-lat/2) / math.Pow((1-s)/(1+s), e.e/2)
}

// fromConformal returns the latitude for which conformal returns t.
func (e *ellipsoid) fromConformal(t float64) float64 {
	lat := math.Pi/2 - 2*math.Atan(t)
	for range 15 {
		s := e.e * math.Sin(lat)
		next := math.Pi/2 - 2*math.Atan(t*math.Pow((1-s)/(1+s), e.e/2))
		if math.Abs(next-lat) < 1e-14 {
			return next
		}
		lat = next
	}
	return lat
}

// parallel returns the radius of the circle of latitude lat, as a fraction of the equatorial radius. EPSG Guidance
// Note 7-2 calls it m.
func (e *ellipsoid) parallel(lat float64) float64 {
	sin, cos := math.Sincos(lat)
	return cos / math.Sqrt(1-e.e2*sin*sin)
}

// meridianRadius returns the radius of curvature at a latitude in the north-south direction, in metres.
func (e *ellipsoid) meridianRadius(lat float64) float64 {
	sin := math.Sin(lat)
	w := 1 - e.e2*sin*sin
	return e.a * e.oneMinusE2 / (w * math.Sqrt(w))
}

// normalRadius returns the radius of curvature at a latitude in the east-west direction, in metres.
func (e *ellipsoid) normalRadius(lat float64) float64 {
	sin := math.Sin(lat)
	return e.a / math.Sqrt(1-e.e2*sin*sin)
}

// arc returns the distance from the equator to a latitude along a meridian, in metres. It uses a series in the third
// flattening n.
func (e *ellipsoid) arc(lat float64) float64 {
	n := e.n
	n2 := n * n
	n3 := n2 * n
	n4 := n2 * n2
	radius := e.a / (1 + n) * (1 + n2/4 + n4/64)
	return radius * (lat +
		(-3*n/2+9*n3/16)*math.Sin(2*lat) +
		(15*n2/16-15*n4/32)*math.Sin(4*lat) +
		(-35*n3/48)*math.Sin(6*lat) +
		(315*n4/512)*math.Sin(8*lat))
}

// fromArc returns the latitude that is the given number of metres from the equator along a meridian. It uses Newton's
// method.
func (e *ellipsoid) fromArc(length float64) float64 {
	lat := length / e.a
	for range 10 {
		step := (e.arc(lat) - length) / e.meridianRadius(lat)
		lat -= step
		if math.Abs(step) < 1e-14 {
			break
		}
	}
	return lat
}

// authalic returns the value q of a latitude, from which equal-area projections are computed. It is proportional to
// the area between the equator and the latitude. The formula is in EPSG Guidance Note 7-2, section 3.3.1.
func (e *ellipsoid) authalic(lat float64) float64 {
	sin := math.Sin(lat)
	if e.e == 0 {
		return 2 * sin
	}
	s := e.e * sin
	return e.oneMinusE2 * (sin/(1-s*s) - math.Log((1-s)/(1+s))/(2*e.e))
}

// fromAuthalic returns the latitude for which authalic returns q, or NaN if there is none. It improves the result of
// the series in EPSG Guidance Note 7-2 by Newton's method, because the series is not exact enough.
func (e *ellipsoid) fromAuthalic(q float64) float64 {
	const rounding = 1e-12
	pole := e.authalic(math.Pi / 2)
	if math.Abs(q) > pole*(1+rounding) {
		return math.NaN()
	}
	if math.Abs(q) > pole {
		return math.Copysign(math.Pi/2, q)
	}
	lat := e.latitudeOfSphere(math.Asin(q / pole))
	for range 10 {
		sin, cos := math.Sincos(lat)
		isAtPole := cos < 1e-9 // q has no slope at the pole
		if isAtPole {
			break
		}
		w := 1 - e.e2*sin*sin
		step := (e.authalic(lat) - q) * w * w / (2 * e.oneMinusE2 * cos) // the slope of q is 2(1-e²)cos φ / w²
		lat -= step
		if math.Abs(step) < 1e-14 {
			break
		}
	}
	return lat
}

// latitudeOfSphere converts beta, a latitude on the sphere with the same area, to a latitude on the ellipsoid. It
// uses the series in EPSG Guidance Note 7-2, which is not exact.
func (e *ellipsoid) latitudeOfSphere(beta float64) float64 {
	e4 := e.e2 * e.e2
	return beta + (e.e2/3+31*e4/180)*math.Sin(2*beta) + 23*e4/360*math.Sin(4*beta)
}
