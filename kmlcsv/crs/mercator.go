package crs

import "math"

// mercator is the Mercator projection. The formulas are in EPSG Guidance Note 7-2, section 3.5.1.
type mercator struct {
	e           ellipsoid
	lng0        float64
	radius      float64 // equatorial radius in metres, times the scale
	east, north float64
}

// newMercatorA returns variant A of Mercator, which is defined by the scale on the equator. The formulas are in EPSG
// Guidance Note 7-2, section 3.5.1.1.
func newMercatorA(e ellipsoid, p parameters) projection {
	return &mercator{e, p[originLongitude], e.a * p.scale(originScale), p[falseEasting], p[falseNorthing]}
}

// newMercatorB returns variant B of Mercator, which is defined by the latitude at which the map is true to scale. The
// formulas are in EPSG Guidance Note 7-2, section 3.5.1.2.
func newMercatorB(e ellipsoid, p parameters) projection {
	return &mercator{e, p[originLongitude], e.a * e.parallel(p[firstParallel]), p[falseEasting], p[falseNorthing]}
}

// newWebMercator returns the Web Mercator projection. It uses the latitudes of the ellipsoid as if they were
// latitudes on a sphere with the equatorial radius. The formulas are in EPSG Guidance Note 7-2, section 3.5.1.5.
func newWebMercator(e ellipsoid, p parameters) projection {
	sphere := newEllipsoid(e.name, e.a, 0)
	return &mercator{sphere, p[originLongitude], e.a, p[falseEasting], p[falseNorthing]}
}

func (m *mercator) forward(lng, lat float64) (east, north float64) {
	if math.Abs(lat) > math.Pi/2-1e-9 {
		return math.NaN(), math.NaN()
	}
	return m.east + m.radius*normalize(lng-m.lng0), m.north - m.radius*math.Log(m.e.conformal(lat))
}

func (m *mercator) inverse(east, north float64) (lng, lat float64) {
	lng = (east - m.east) / m.radius
	if !(math.Abs(lng) <= 1.1*math.Pi) { // files of the Pacific continue beyond 180 degrees
		return math.NaN(), math.NaN()
	}
	return normalize(m.lng0 + lng), m.e.fromConformal(math.Exp((m.north - north) / m.radius))
}
