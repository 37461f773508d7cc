package product

import (
	"math"

	"flightdesk/api"
)

// The reference systems.
const (
	EPSGNorthPole  = 5041 // UPS north, easting first
	EPSGSouthPole  = 5042 // UPS south, easting first
	EPSGGeographic = 4326
)

const (
	reach           = 250_000.0 // metres from the middle that one projection serves
	metresPerDegree = 111_320.0
)

// Frame is a plane of metres east and north of an origin.
type Frame struct {
	EPSG   int
	origin [2]float64 // in the reference system
	unit   [2]float64 // of the reference system in a metre
	centre float64    // longitude that others are taken next to, degrees
}

// NewFrame chooses the reference system for points: the UTM zone of their middle,
// UPS near the poles, degrees where one projection does not serve them all.
func NewFrame(points []api.Point) Frame {
	lat, lng, spread := middle(points)
	f := Frame{unit: [2]float64{1, 1}, centre: lng}
	switch {
	case spread > reach:
		f.EPSG = EPSGGeographic
		f.unit[0] = 1 / (metresPerDegree * max(0.1, math.Cos(lat*radian)))
		f.unit[1] = 1 / metresPerDegree
	case lat >= 84:
		f.EPSG = EPSGNorthPole
	case lat < -80:
		f.EPSG = EPSGSouthPole
	default:
		zone := min(max(int(math.Floor((lng+180)/6))+1, 1), 60)
		f.EPSG = 32600 + zone
		if lat < 0 {
			f.EPSG = 32700 + zone
		}
		f.centre = float64(zone*6 - 183)
	}
	e, n := f.project(api.Point{Lat: lat, Lng: lng})
	if f.Geographic() {
		f.origin = [2]float64{e, n}
	} else {
		f.origin = [2]float64{math.Round(e), math.Round(n)}
	}
	return f
}

// Geographic reports whether coordinates are degrees of longitude and latitude.
func (f Frame) Geographic() bool { return f.EPSG == EPSGGeographic }

// middle returns the mean of points on the sphere, and how far off the
// farthest is, in metres.
func middle(points []api.Point) (lat, lng, spread float64) {
	var sum [3]float64
	for _, p := range points {
		v := vector(p)
		for i := range sum {
			sum[i] += v[i]
		}
	}
	length := math.Sqrt(sum[0]*sum[0] + sum[1]*sum[1] + sum[2]*sum[2])
	if length < 1e-9 {
		return 0, 0, math.Inf(1)
	}
	lat = math.Asin(min(max(sum[2]/length, -1), 1)) / radian
	lng = math.Atan2(sum[1], sum[0]) / radian
	for _, p := range points {
		v := vector(p)
		dx, dy, dz := v[0]-sum[0]/length, v[1]-sum[1]/length, v[2]-sum[2]/length
		chord := math.Sqrt(dx*dx + dy*dy + dz*dz)
		spread = max(spread, 2*semiMajor*math.Asin(min(chord/2, 1)))
	}
	return lat, lng, spread
}

func vector(p api.Point) [3]float64 {
	sinLat, cosLat := math.Sincos(p.Lat * radian)
	sinLng, cosLng := math.Sincos(p.Lng * radian)
	return [3]float64{cosLat * cosLng, cosLat * sinLng, sinLat}
}

// near returns a longitude as -180 to 180 degrees from the frame's centre.
func (f Frame) near(lng float64) float64 {
	return math.Remainder(lng-f.centre, 360)
}

// project returns a point in the reference system.
func (f Frame) project(p api.Point) (e, n float64) {
	switch f.EPSG {
	case EPSGGeographic:
		return f.centre + f.near(p.Lng), p.Lat
	case EPSGNorthPole:
		return toUPS(p.Lat*radian, p.Lng*radian)
	case EPSGSouthPole:
		e, n = toUPS(-p.Lat*radian, p.Lng*radian)
		return e, 2*upsFalse - n
	}
	e, n = toUTM(p.Lat*radian, f.near(p.Lng)*radian)
	if f.EPSG > 32700 {
		n += utmSouth
	}
	return e, n
}

// Metres returns a point's place in metres from the origin.
func (f Frame) Metres(p api.Point) (x, y float64) {
	e, n := f.project(p)
	return (e - f.origin[0]) / f.unit[0], (n - f.origin[1]) / f.unit[1]
}

// Coordinates returns a place in the reference system: easting and northing in
// metres, or longitude and latitude in degrees.
func (f Frame) Coordinates(x, y float64) (e, n float64) {
	return f.origin[0] + x*f.unit[0], f.origin[1] + y*f.unit[1]
}

// Unit returns what a metre east and a metre north are in the reference
// system.
func (f Frame) Unit() (e, n float64) { return f.unit[0], f.unit[1] }

// Point returns the position of a place in WGS 84, with a longitude from -180
// to below 180.
func (f Frame) Point(x, y float64) api.Point {
	e, n := f.Coordinates(x, y)
	lat, lng := n, e
	switch f.EPSG {
	case EPSGGeographic:
	case EPSGNorthPole:
		lat, lng = fromUPS(e, n)
		lat, lng = lat/radian, lng/radian
	case EPSGSouthPole:
		lat, lng = fromUPS(e, 2*upsFalse-n)
		lat, lng = -lat/radian, lng/radian
	default:
		if f.EPSG > 32700 {
			n -= utmSouth
		}
		lat, lng = fromUTM(e, n)
		lat, lng = lat/radian, f.centre+lng/radian
	}
	lng = math.Mod(lng+180, 360)
	if lng < 0 {
		lng += 360
	}
	return api.Point{Lat: min(max(lat, -90), 90), Lng: lng - 180}
}
