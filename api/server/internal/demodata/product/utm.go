package product

import "math"

// WGS 84 and the constants of both projections.
const (
	semiMajor  = 6378137.0
	flattening = 1 / 298.257223563
	utmScale   = 0.9996
	utmEast    = 500_000.0
	utmSouth   = 10_000_000.0 // false northing south of the equator
	upsScale   = 0.994
	upsFalse   = 2_000_000.0
	radian     = math.Pi / 180
)

var (
	eccentricity = math.Sqrt(flattening * (2 - flattening))
	third        = flattening / (2 - flattening) // the third flattening, n
	rectifying   = semiMajor / (1 + third) * (1 + third*third/4 + third*third*third*third/64)

	// Krüger's series, to the fourth power of n: micrometres within UTM zones.
	toGrid = [4]float64{
		third/2 - 2*powers(2)/3 + 5*powers(3)/16 + 41*powers(4)/180,
		13*powers(2)/48 - 3*powers(3)/5 + 557*powers(4)/1440,
		61*powers(3)/240 - 103*powers(4)/140,
		49561 * powers(4) / 161280,
	}
)

func powers(k int) float64 { return math.Pow(third, float64(k)) }

// conformalLatitude returns the tangent of the conformal latitude.
func conformalLatitude(lat float64) float64 {
	sin := math.Sin(lat)
	return math.Sinh(math.Atanh(sin) - eccentricity*math.Atanh(eccentricity*sin))
}

// toUTM projects a latitude and a longitude from the central meridian, in
// radians, without false northing.
func toUTM(lat, lng float64) (east, north float64) {
	tau := conformalLatitude(lat)
	xi := math.Atan2(tau, math.Cos(lng))
	eta := math.Asinh(math.Sin(lng) / math.Hypot(tau, math.Cos(lng)))
	x, y := eta, xi
	for i, a := range toGrid {
		k := 2 * float64(i+1)
		x += a * math.Cos(k*xi) * math.Sinh(k*eta)
		y += a * math.Sin(k*xi) * math.Cosh(k*eta)
	}
	return utmEast + utmScale*rectifying*x, utmScale * rectifying * y
}

var upsRadius = 2 * semiMajor * upsScale /
	math.Sqrt(math.Pow(1+eccentricity, 1+eccentricity)*math.Pow(1-eccentricity, 1-eccentricity))

// toUPS projects around the north pole; around the south pole with the latitude
// negated and the northing mirrored.
func toUPS(lat, lng float64) (east, north float64) {
	tau := conformalLatitude(lat)
	// The tangent of half the distance from the pole, without cancellation.
	rho := upsRadius / (math.Hypot(1, tau) + tau)
	return upsFalse + rho*math.Sin(lng), upsFalse - rho*math.Cos(lng)
}
