package crs

import "math"

// cassini is the Cassini-Soldner projection. The formulas are in EPSG Guidance Note 7-2, section 3.4.1.
type cassini struct {
	e           ellipsoid
	lng0, lat0  float64
	origin      float64 // distance from the equator to the origin along the meridian, in metres
	east, north float64
	hyperbolic  bool // the projection is the hyperbolic form, which corrects the northing
}

func newCassini(e ellipsoid, p parameters) projection { return cassiniAt(e, p) }

// newHyperbolicCassini returns the Hyperbolic Cassini-Soldner projection, which is used in Fiji. The formulas are in
// EPSG Guidance Note 7-2, section 3.4.2.
func newHyperbolicCassini(e ellipsoid, p parameters) projection {
	c := cassiniAt(e, p)
	c.hyperbolic = true
	return c
}

func cassiniAt(e ellipsoid, p parameters) *cassini {
	return &cassini{
		e: e, lng0: p[originLongitude], lat0: p[originLatitude], origin: e.arc(p[originLatitude]),
		east: p[falseEasting], north: p[falseNorthing],
	}
}

func (c *cassini) forward(lng, lat float64) (east, north float64) {
	sin, cos := math.Sincos(lat)
	a := normalize(lng-c.lng0) * cos
	t := sin / cos * sin / cos
	u := c.e.e2 * cos * cos / c.e.oneMinusE2
	normal := c.e.normalRadius(lat)
	a2 := a * a
	east = normal * a * (1 - t*a2/6 - (8-t+8*u)*t*a2*a2/120)
	north = c.e.arc(lat) - c.origin + normal*sin/cos*a2*(.5+(5-t+6*u)*a2/24)
	if c.hyperbolic {
		north -= north * north * north / (6 * c.e.meridianRadius(lat) * normal)
	}
	return c.east + east, c.north + north
}

func (c *cassini) inverse(east, north float64) (lng, lat float64) {
	lat = c.e.fromArc(c.origin + north - c.north)
	if !(math.Abs(lat) < math.Pi/2) {
		return math.NaN(), math.NaN()
	}
	return solve(c, east, north, c.lng0+(east-c.east)/(c.e.normalRadius(lat)*math.Cos(lat)), lat)
}
