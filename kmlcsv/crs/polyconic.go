package crs

import "math"

// polyconic is the American Polyconic projection. The formulas are in EPSG Guidance Note 7-2, section 3.1.5.
type polyconic struct {
	e           ellipsoid
	lng0        float64
	origin      float64 // distance from the equator to the origin along the meridian, in metres
	east, north float64
}

func newPolyconic(e ellipsoid, p parameters) projection {
	return &polyconic{e, p[originLongitude], e.arc(p[originLatitude]), p[falseEasting], p[falseNorthing]}
}

func (p *polyconic) forward(lng, lat float64) (east, north float64) {
	lng = normalize(lng - p.lng0)
	if math.Abs(lat) < 1e-9 {
		return p.east + p.e.a*lng, p.north - p.origin
	}
	radius := p.e.normalRadius(lat) / math.Tan(lat)
	sin, cos := math.Sincos(lng * math.Sin(lat))
	return p.east + radius*sin, p.north + p.e.arc(lat) - p.origin + radius*(1-cos)
}

func (p *polyconic) inverse(east, north float64) (lng, lat float64) {
	lat = p.e.fromArc(p.origin + north - p.north)
	if !(math.Abs(lat) < math.Pi/2) {
		return math.NaN(), math.NaN()
	}
	return solve(p, east, north, p.lng0+(east-p.east)/(p.e.a*math.Cos(lat)), lat)
}

// bonneSouth is the Bonne projection for systems with axes to the south and west. The formulas are in EPSG Guidance
// Note 7-2, section 3.1.6. A projection always computes an easting and a northing, and [System] reverses their
// directions. Therefore, the fields east and north have the negated false easting and northing.
type bonneSouth struct {
	e           ellipsoid
	lng0, lat0  float64
	radius      float64 // radius of the origin's circle of latitude on the map, in metres
	origin      float64 // distance from the equator to the origin along the meridian, in metres
	east, north float64
}

func newBonneSouth(e ellipsoid, p parameters) projection {
	lat0 := p[originLatitude]
	return &bonneSouth{
		e: e, lng0: p[originLongitude], lat0: lat0, radius: e.a * e.parallel(lat0) / math.Sin(lat0),
		origin: e.arc(lat0), east: -p[falseEasting], north: -p[falseNorthing],
	}
}

func (b *bonneSouth) forward(lng, lat float64) (east, north float64) {
	r := b.radius + b.origin - b.e.arc(lat)
	sin, cos := math.Sincos(b.e.a * b.e.parallel(lat) * normalize(lng-b.lng0) / r)
	return b.east + r*sin, b.north + b.radius - r*cos
}

func (b *bonneSouth) inverse(east, north float64) (lng, lat float64) {
	x := east - b.east
	y := b.radius - (north - b.north)
	r := math.Copysign(math.Hypot(x, y), b.lat0)
	lat = b.e.fromArc(b.radius + b.origin - r)
	if !(math.Abs(lat) < math.Pi/2) {
		return math.NaN(), math.NaN()
	}
	if r < 0 {
		x, y = -x, -y
	}
	return normalize(b.lng0 + r*math.Atan2(x, y)/(b.e.a*b.e.parallel(lat))), lat
}
