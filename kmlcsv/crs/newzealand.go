package crs

import "math"

// newZealand is the projection of the New Zealand Map Grid, which is a polynomial of complex numbers. The formulas
// are in EPSG Guidance Note 7-2, section 3.5.5, and in Land Information New Zealand's standard LINZS25002.
type newZealand struct {
	lng0, lat0  float64
	radius      float64 // equatorial radius in metres
	east, north float64
}

func newNewZealand(e ellipsoid, p parameters) projection {
	return &newZealand{p[originLongitude], p[originLatitude], e.a, p[falseEasting], p[falseNorthing]}
}

var (
	newZealandIsometric = []float64{
		.6399175073, -.1358797613, .063294409, -.02526853, .0117879, -.0055161, .0026906, -.001333, .00067, -.00034,
	}
	newZealandLatitude = []float64{
		1.5627014243, .5185406398, -.03333098, -.1052906, -.0368594, .007317, .01220, .00394, -.0013,
	}
	newZealandGrid = []complex128{
		.7557853228, .249204646 + .003371507i, -.001541739 + .041058560i,
		-.10162907 + .01727609i, -.26623489 - .36249218i, -.6870983 - 1.1651967i,
	}
)

// latitudeUnit is the unit of latitude differences in the polynomials of the New Zealand Map Grid: 100,000 arc
// seconds, in radians.
const latitudeUnit = 1e5 / 3600 * radian

// evaluate returns the value of a polynomial at x. The first coefficient is the factor of x, the second of x², and so
// on. There is no constant term.
func evaluate[number float64 | complex128](coefficients []number, x number) number {
	var sum number
	for i := len(coefficients) - 1; i >= 0; i-- {
		sum = (sum + coefficients[i]) * x
	}
	return sum
}

func (z *newZealand) forward(lng, lat float64) (east, north float64) {
	psi := evaluate(newZealandIsometric, (lat-z.lat0)/latitudeUnit)
	p := evaluate(newZealandGrid, complex(psi, normalize(lng-z.lng0)))
	return z.east + z.radius*imag(p), z.north + z.radius*real(p)
}

// inverse converts an easting and a northing to a longitude and a latitude. The map coordinates are a polynomial of a
// complex number theta, which inverse finds by Newton's method.
func (z *newZealand) inverse(east, north float64) (lng, lat float64) {
	wanted := complex((north-z.north)/z.radius, (east-z.east)/z.radius)
	theta := wanted / newZealandGrid[0]
	if math.Hypot(real(wanted), imag(wanted)) > .3 { // 1,900 km from the origin
		return math.NaN(), math.NaN()
	}
	for range 20 {
		var slope complex128
		for i := len(newZealandGrid) - 1; i >= 0; i-- {
			slope = slope*theta + complex(float64(i+1), 0)*newZealandGrid[i]
		}
		step := (evaluate(newZealandGrid, theta) - wanted) / slope
		theta -= step
		if math.Abs(real(step))+math.Abs(imag(step)) < 1e-13 {
			break
		}
	}
	return normalize(z.lng0 + imag(theta)), z.lat0 + evaluate(newZealandLatitude, real(theta))*latitudeUnit
}
