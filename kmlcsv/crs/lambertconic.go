package crs

import "math"

// lambertConic is the Lambert Conic Conformal projection. The formulas are in EPSG Guidance Note 7-2, section 3.1.1.
type lambertConic struct {
	e           ellipsoid
	lng0        float64
	n           float64 // constant n of the Guidance Note
	af          float64 // constant a·F of the Guidance Note, times the scale; see method radius
	origin      float64 // radius of the origin's circle of latitude on the map, in metres
	east, north float64
	turn        float64 // angle in radians by which the grid of Belgium is rotated; 0 for other grids
}

// newLambert1SP returns the variant of Lambert Conic Conformal with one standard parallel. The formulas are in EPSG
// Guidance Note 7-2, section 3.1.1.1.
func newLambert1SP(e ellipsoid, p parameters) projection { return lambert1SP(e, p) }

func lambert1SP(e ellipsoid, p parameters) *lambertConic {
	lat0 := p[originLatitude]
	n := math.Sin(lat0)
	f := e.parallel(lat0) / (n * math.Pow(e.conformal(lat0), n))
	c := &lambertConic{e: e, lng0: p[originLongitude], n: n, east: p[falseEasting], north: p[falseNorthing]}
	c.af = e.a * f * p.scale(originScale)
	c.origin = c.radius(lat0)
	return c
}

// newLambert2SP returns the variant of Lambert Conic Conformal with two standard parallels. The formulas are in EPSG
// Guidance Note 7-2, section 3.1.1.2.
func newLambert2SP(e ellipsoid, p parameters) projection { return lambert2SP(e, p) }

func lambert2SP(e ellipsoid, p parameters) *lambertConic {
	lat1 := p[firstParallel]
	lat2 := p[secondParallel]
	n := math.Sin(lat1)
	if math.Abs(lat1-lat2) > 1e-10 {
		n = math.Log(e.parallel(lat1)/e.parallel(lat2)) / math.Log(e.conformal(lat1)/e.conformal(lat2))
	}
	c := &lambertConic{
		e: e, lng0: p[falseOriginLongitude], n: n,
		east: p[falseOriginEasting], north: p[falseOriginNorthing],
	}
	c.af = e.a * e.parallel(lat1) / (n * math.Pow(e.conformal(lat1), n))
	c.origin = c.radius(p[falseOriginLatitude])
	return c
}

// newLambertWest returns the variant of Lambert Conic Conformal for systems whose first axis points to the west (EPSG
// Guidance Note 7-2, section 3.1.1.5). A projection always computes eastings, and [System] changes them to westings.
// Therefore, newLambertWest uses the variant with one standard parallel and negates the false easting.
func newLambertWest(e ellipsoid, p parameters) projection {
	c := lambert1SP(e, p)
	c.east = -c.east
	return c
}

// newLambertMichigan returns the variant of Lambert Conic Conformal for Michigan, which enlarges the ellipsoid. The
// formulas are in EPSG Guidance Note 7-2, section 3.1.1.4.
func newLambertMichigan(e ellipsoid, p parameters) projection {
	c := lambert2SP(e, p)
	c.af *= p.scale(ellipsoidScale)
	c.origin *= p.scale(ellipsoidScale)
	return c
}

// newLambertBelgium returns the variant of Lambert Conic Conformal for Belgium, which rotates the grid by a small
// angle. The formulas are in EPSG Guidance Note 7-2, section 3.1.1.3.
func newLambertBelgium(e ellipsoid, p parameters) projection {
	c := lambert2SP(e, p)
	c.turn = 29.2985 / 3600 * radian
	return c
}

// radius returns the radius of the circle of latitude lat on the map, in metres.
func (c *lambertConic) radius(lat float64) float64 {
	if c.n > 0 && lat >= math.Pi/2 || c.n < 0 && lat <= -math.Pi/2 {
		return 0
	}
	return c.af * math.Pow(c.e.conformal(lat), c.n)
}

func (c *lambertConic) forward(lng, lat float64) (east, north float64) {
	r := c.radius(lat)
	sin, cos := math.Sincos(c.n*normalize(lng-c.lng0) - c.turn)
	return c.east + r*sin, c.north + c.origin - r*cos
}

func (c *lambertConic) inverse(east, north float64) (lng, lat float64) {
	x := east - c.east
	y := c.origin - (north - c.north)
	r := math.Hypot(x, y)
	if c.n < 0 {
		x, y, r = -x, -y, -r
	}
	theta := math.Atan2(x, y) + c.turn
	t := math.Pow(r/c.af, 1/c.n)
	lng = theta / c.n
	if !(math.Abs(lng) <= math.Pi*(1+1e-9)) {
		return math.NaN(), math.NaN()
	}
	return normalize(c.lng0 + lng), c.e.fromConformal(t)
}
