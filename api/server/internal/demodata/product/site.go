package product

import (
	"math"

	"flightdesk/api"
)

// Codes of the reference systems; those of UTM zones follow the two bases.
const (
	epsgNorthPole  = 5041 // UPS north, easting first
	epsgSouthPole  = 5042 // UPS south, easting first
	epsgGeographic = 4326
	epsgUTMNorth   = 32600
	epsgUTMSouth   = 32700
)

const (
	reach           = 250_000.0 // metres from the middle that one projection serves
	metresPerDegree = 111_320.0
	siteMargin      = 30.0 // metres around a mission's points
)

// site is where a mission's files lie.
type site struct {
	epsg    uint16
	centre  float64 // longitude that others are taken next to, degrees
	ground  siteBox // in the reference system
	degrees siteBox // may go beyond 180 degrees
}

type siteBox struct{ west, south, east, north float64 }

// locateSite chooses the reference system for points: the UTM zone of their middle,
// UPS near the poles, degrees where one projection does not serve them all.
func locateSite(points []api.Point) site {
	lat, lng, spread := middlePoint(points)
	s := site{centre: lng}
	switch {
	case spread > reach:
		s.epsg = epsgGeographic
	case lat >= 84:
		s.epsg = epsgNorthPole
	case lat < -80:
		s.epsg = epsgSouthPole
	default:
		zone := min(max(int(math.Floor((lng+180)/6))+1, 1), 60)
		s.epsg = uint16(epsgUTMNorth + zone)
		if lat < 0 {
			s.epsg = uint16(epsgUTMSouth + zone)
		}
		s.centre = float64(zone*6 - 183)
	}
	margin := siteMargin / metresPerDegree
	s.degrees = boxAround(points, s.unwrapPoint, margin/max(0.1, math.Cos(lat*radian)), margin)
	s.degrees.south, s.degrees.north = max(s.degrees.south, -90), min(s.degrees.north, 90)
	s.ground = s.degrees
	if s.epsg != epsgGeographic {
		s.ground = boxAround(points, s.projectPoint, siteMargin, siteMargin)
	}
	return s
}

// boxAround returns the box of points in a system, with margins.
func boxAround(points []api.Point, place func(api.Point) (x, y float64), dx, dy float64) siteBox {
	b := siteBox{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		x, y := place(p)
		b.west, b.east = min(b.west, x-dx), max(b.east, x+dx)
		b.south, b.north = min(b.south, y-dy), max(b.north, y+dy)
	}
	return b
}

// middlePoint returns the mean of points on the sphere, and how far off the
// farthest is, in metres.
func middlePoint(points []api.Point) (lat, lng, spread float64) {
	var sum [3]float64
	for _, p := range points {
		for i, v := range unitVector(p) {
			sum[i] += v
		}
	}
	length := math.Sqrt(sum[0]*sum[0] + sum[1]*sum[1] + sum[2]*sum[2])
	if length < 1e-9 {
		return 0, 0, math.Inf(1)
	}
	for _, p := range points {
		chord := 0.0
		for i, v := range unitVector(p) {
			chord += (v - sum[i]/length) * (v - sum[i]/length)
		}
		spread = max(spread, 2*semiMajor*math.Asin(min(math.Sqrt(chord)/2, 1)))
	}
	return math.Asin(min(max(sum[2]/length, -1), 1)) / radian, math.Atan2(sum[1], sum[0]) / radian, spread
}

func unitVector(p api.Point) [3]float64 {
	sinLat, cosLat := math.Sincos(p.Lat * radian)
	sinLng, cosLng := math.Sincos(p.Lng * radian)
	return [3]float64{cosLat * cosLng, cosLat * sinLng, sinLat}
}

// unwrapPoint returns a point's degrees, the longitude next to the site's.
func (s site) unwrapPoint(p api.Point) (lng, lat float64) {
	return s.centre + math.Remainder(p.Lng-s.centre, 360), p.Lat
}

// projectPoint returns a point in the reference system of metres.
func (s site) projectPoint(p api.Point) (e, n float64) {
	switch s.epsg {
	case epsgNorthPole:
		return toUPS(p.Lat*radian, p.Lng*radian)
	case epsgSouthPole:
		e, n = toUPS(-p.Lat*radian, p.Lng*radian)
		return e, 2*upsFalse - n
	}
	e, n = toUTM(p.Lat*radian, math.Remainder(p.Lng-s.centre, 360)*radian)
	if s.epsg > epsgUTMSouth {
		n += utmSouth
	}
	return e, n
}
