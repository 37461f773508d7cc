package crs

import "math"

const radian = math.Pi / 180

// ellipsoid is the shape of the earth in a datum.
type ellipsoid struct {
	name       string
	a          float64 // equatorial radius in metres
	f          float64 // flattening
	e, e2      float64 // eccentricity, and its square
	inverse    float64 // inverse flattening; 0 for a sphere
	n          float64 // third flattening
	oneMinusE2 float64 // 1 - e2
}

// newEllipsoid returns an ellipsoid. radius is its equatorial radius in metres. inverse is its inverse flattening, 0
// for a sphere.
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

// geocentric returns the geocentric coordinates of a position in metres. The longitude and the latitude are in
// radians, and the height is in metres.
func (e *ellipsoid) geocentric(lng, lat, h float64) (x, y, z float64) {
	sin, cos := math.Sincos(lat)
	sinLng, cosLng := math.Sincos(lng)
	normal := e.a / math.Sqrt(1-e.e2*sin*sin)
	return (normal + h) * cos * cosLng, (normal + h) * cos * sinLng, (normal*e.oneMinusE2 + h) * sin
}

// geographic returns the longitude and the latitude in radians and the height in metres of geocentric coordinates. It
// applies Bowring's formula twice, so that the result is exact to a nanometre.
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

// conformal returns the value t of a latitude, in the notation of the Guidance Note: the tangent of half the conformal
// colatitude. EPSG Guidance Note 7-2, 3.1.1.
func (e *ellipsoid) conformal(lat float64) float64 {
	s := e.e * math.Sin(lat)
	return math.Tan(math.Pi/4-lat/2) / math.Pow((1-s)/(1+s), e.e/2)
}

// fromConformal returns the latitude for a value of conformal.
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

// parallel returns the value m of a latitude, in the notation of the Guidance Note: the radius of the parallel at this
// latitude, on an ellipsoid of radius 1.
func (e *ellipsoid) parallel(lat float64) float64 {
	sin, cos := math.Sincos(lat)
	return cos / math.Sqrt(1-e.e2*sin*sin)
}

// meridianRadius returns the radius of curvature along the meridian at a latitude.
func (e *ellipsoid) meridianRadius(lat float64) float64 {
	sin := math.Sin(lat)
	w := 1 - e.e2*sin*sin
	return e.a * e.oneMinusE2 / (w * math.Sqrt(w))
}

// normalRadius returns the radius of curvature across the meridian at a latitude.
func (e *ellipsoid) normalRadius(lat float64) float64 {
	sin := math.Sin(lat)
	return e.a / math.Sqrt(1-e.e2*sin*sin)
}

// arc returns the length of the meridian from the equator to a latitude. It uses a series in the third flattening.
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

// fromArc returns the latitude for a length of the meridian, by Newton's method.
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

// authalic returns the value q of a latitude, in the notation of the Guidance Note. It is proportional to the area
// between the equator and this latitude. EPSG Guidance Note 7-2, 3.3.1.
func (e *ellipsoid) authalic(lat float64) float64 {
	sin := math.Sin(lat)
	if e.e == 0 {
		return 2 * sin
	}
	s := e.e * sin
	return e.oneMinusE2 * (sin/(1-s*s) - math.Log((1-s)/(1+s))/(2*e.e))
}

// fromAuthalic returns the latitude with the value q of authalic. It is NaN if no latitude has this value. The series
// in the Guidance Note is not exact enough, so Newton's method improves its result.
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

// latitudeOfSphere returns the latitude on the ellipsoid for beta, a latitude on the sphere that has the same area. It
// uses the series in the Guidance Note.
func (e *ellipsoid) latitudeOfSphere(beta float64) float64 {
	e4 := e.e2 * e.e2
	return beta + (e.e2/3+31*e4/180)*math.Sin(2*beta) + 23*e4/360*math.Sin(4*beta)
}
