package crs

import (
	"maps"
	"math"
)

// transverseMercator is the Transverse Mercator projection. It uses Krüger's series up to the sixth power of the
// third flattening n, with the terms of Karney (2011). It is exact to a nanometre within 40 degrees of the central
// meridian. The formulas are in EPSG Guidance Note 7-2, section 3.5.3.1 (JHS formulas).
type transverseMercator struct {
	e           ellipsoid
	lng0        float64
	east, north float64    // false easting, and false northing minus the northing of the origin
	radius      float64    // radius of the sphere whose meridians are as long as on the ellipsoid, times the scale
	alpha, beta [6]float64 // coefficients of the forward and of the inverse series
	maxEta      float64    // largest valid eta, which is the easting that method plane returns
}

func newTransverseMercator(e ellipsoid, p parameters) projection {
	return makeTransverseMercator(e, p)
}

// makeTransverseMercator computes the constants of the projection. The coefficients of the two series are polynomials
// in the third flattening n of the ellipsoid.
func makeTransverseMercator(e ellipsoid, p parameters) *transverseMercator {
	n := e.n
	n2 := n * n
	n3 := n2 * n
	n4 := n3 * n
	n5 := n4 * n
	n6 := n5 * n
	m := &transverseMercator{
		e:      e,
		lng0:   p[originLongitude],
		east:   p[falseEasting],
		radius: e.a / (1 + n) * (1 + n2/4 + n4/64 + n6/256) * p.scale(originScale),
		maxEta: 1.2,
		alpha: [6]float64{
			n/2 - 2*n2/3 + 5*n3/16 + 41*n4/180 - 127*n5/288 + 7891*n6/37800,
			13*n2/48 - 3*n3/5 + 557*n4/1440 + 281*n5/630 - 1983433*n6/1935360,
			61*n3/240 - 103*n4/140 + 15061*n5/26880 + 167603*n6/181440,
			49561*n4/161280 - 179*n5/168 + 6601661*n6/7257600,
			34729*n5/80640 - 3418889*n6/1995840,
			212378941 * n6 / 319334400,
		},
		beta: [6]float64{
			n/2 - 2*n2/3 + 37*n3/96 - n4/360 - 81*n5/512 + 96199*n6/604800,
			n2/48 + n3/15 - 437*n4/1440 + 46*n5/105 - 1118711*n6/3870720,
			17*n3/480 - 37*n4/840 - 209*n5/4480 + 5569*n6/90720,
			4397*n4/161280 - 11*n5/504 - 830251*n6/7257600,
			4583*n5/161280 - 108847*n6/3991680,
			20648693 * n6 / 638668800,
		},
	}
	xi, _ := m.plane(0, p[originLatitude])
	m.north = p[falseNorthing] - m.radius*xi
	return m
}

// plane returns the northing xi and the easting eta of a position on a map of radius 1. Multiplied by the field radius,
// they become metres. lng is counted from the central meridian.
func (m *transverseMercator) plane(lng, lat float64) (xi, eta float64) {
	tan := conformalTangent(math.Tan(lat), m.e.e)
	sin, cos := math.Sincos(lng)
	if math.Abs(lng) >= math.Pi/2 {
		return math.NaN(), math.NaN()
	}
	return sumSeries(&m.alpha, math.Atan2(tan, cos), math.Asinh(sin/math.Hypot(tan, cos)), 1)
}

func (m *transverseMercator) forward(lng, lat float64) (east, north float64) {
	xi, eta := m.plane(normalize(lng-m.lng0), lat)
	if !(math.Abs(eta) < m.maxEta) {
		return math.NaN(), math.NaN()
	}
	return m.east + m.radius*eta, m.north + m.radius*xi
}

func (m *transverseMercator) inverse(east, north float64) (lng, lat float64) {
	xi := (north - m.north) / m.radius
	eta := (east - m.east) / m.radius
	if !(math.Abs(eta) < m.maxEta && math.Abs(xi) <= math.Pi/2+1e-9) {
		return math.NaN(), math.NaN()
	}
	xi, eta = sumSeries(&m.beta, xi, eta, -1)
	sinh := math.Sinh(eta)
	sin, cos := math.Sincos(xi)
	tan := geodeticTangent(sin/math.Hypot(sinh, cos), m.e.e)
	return normalize(m.lng0 + math.Atan2(sinh, cos)), math.Atan(tan)
}

// sumSeries evaluates a series that converts between the sphere and the ellipsoid. The variable is the complex number
// xi + i·eta, and the result is this number plus sign times the sum of the terms. It uses Clenshaw's recurrence.
func sumSeries(terms *[6]float64, xi, eta, sign float64) (sumXi, sumEta float64) {
	sin, cos := math.Sincos(2 * xi)
	e := math.Exp(2 * eta)
	cosh := (e + 1/e) / 2
	sinh := (e - 1/e) / 2
	re := 2 * cos * cosh
	im := -2 * sin * sinh
	var b1, c1, b2, c2 float64
	for i := len(terms) - 1; i >= 0; i-- {
		b := re*b1 - im*c1 - b2 + terms[i]
		c := re*c1 + im*b1 - c2
		b2, c2 = b1, c1
		b1, c1 = b, c
	}
	s := sin * cosh
	t := cos * sinh
	return xi + sign*(s*b1-t*c1), eta + sign*(s*c1+t*b1)
}

// conformalTangent returns the tangent of the conformal latitude, which is the latitude on a sphere that the
// ellipsoid is mapped to without changing angles. tan is the tangent of the latitude on the ellipsoid, and e its
// eccentricity.
func conformalTangent(tan, e float64) float64 {
	secant := math.Sqrt(1 + tan*tan)
	sigma := math.Sinh(e * math.Atanh(e*tan/secant))
	return tan*math.Sqrt(1+sigma*sigma) - sigma*secant
}

// geodeticTangent is the reverse of conformalTangent: it returns the tangent of the latitude on the ellipsoid. It
// uses Newton's method (Karney 2011, section 2).
func geodeticTangent(conformal, e float64) float64 {
	oneMinusE2 := 1 - e*e
	tan := conformal / oneMinusE2
	if math.Abs(conformal) > 1e9 {
		return conformal
	}
	for range 5 {
		got := conformalTangent(tan, e)
		step := (conformal - got) / math.Sqrt(1+got*got) * (1 + oneMinusE2*tan*tan) / (oneMinusE2 * math.Sqrt(1+tan*tan))
		tan += step
		if math.Abs(step) < 1e-12*(1+math.Abs(tan)) {
			break
		}
	}
	return tan
}

// newSouthOrientated returns Transverse Mercator for systems with axes to the west and south (EPSG Guidance Note 7-2,
// section 3.5.3.3). A projection always computes an easting and a northing, and [System] reverses their directions.
// Therefore, newSouthOrientated negates the false easting and northing.
func newSouthOrientated(e ellipsoid, p parameters) projection {
	turned := maps.Clone(p)
	turned[falseEasting] = -p[falseEasting]
	turned[falseNorthing] = -p[falseNorthing]
	return newTransverseMercator(e, turned)
}

// zonedMercator consists of several Transverse Mercator projections, one for each zone. Eastings begin with the
// number of the zone: 3,500,000 is on the central meridian of zone 3. The formulas are in EPSG Guidance Note 7-2,
// section 3.5.3.2.
type zonedMercator struct {
	zones []*transverseMercator
	first float64 // longitude of the western limit of the first zone in radians
	width float64 // width of a zone in radians
}

func newZonedMercator(e ellipsoid, p parameters) projection {
	z := &zonedMercator{first: p[initialLongitude], width: p[zoneWidth]}
	if !(z.width > .01) {
		return z
	}
	for i := 0.; i < math.Round(2*math.Pi/z.width); i++ {
		zone := parameters{
			originLatitude:  p[originLatitude],
			originLongitude: z.first + (i+.5)*z.width,
			originScale:     p.scale(originScale),
			falseEasting:    p[falseEasting] + (i+1)*1e6,
			falseNorthing:   p[falseNorthing],
		}
		z.zones = append(z.zones, makeTransverseMercator(e, zone))
	}
	return z
}

func (z *zonedMercator) forward(lng, lat float64) (east, north float64) {
	i := int(math.Floor((normalize(lng) - z.first) / z.width))
	if i < 0 || i >= len(z.zones) {
		return math.NaN(), math.NaN()
	}
	return z.zones[i].forward(lng, lat)
}

func (z *zonedMercator) inverse(east, north float64) (lng, lat float64) {
	i := math.Floor(east/1e6) - 1
	if !(i >= 0 && i < float64(len(z.zones))) {
		return math.NaN(), math.NaN()
	}
	return z.zones[int(i)].inverse(east, north)
}
