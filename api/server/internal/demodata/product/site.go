package product

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
	"flightdesk/kmlcsv/crs"
)

// Codes of the reference systems; those of UTM zones follow the two bases.
const (
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
	ground  siteBox // in the reference system
	degrees siteBox // may go beyond 180 degrees
}

type siteBox struct{ west, south, east, north float64 }

// locateSite chooses the reference system for points: the UTM zone of their middle,
// degrees near the poles and where one zone does not serve them all.
func locateSite(points []api.Point) site {
	middle, spread := middlePoint(points)
	unwrapped := func(p api.Point) (lng, lat float64) { return unwrapLongitude(p.Lng, middle.Lon()), p.Lat }
	margin := siteMargin / metresPerDegree
	s := site{epsg: epsgGeographic}
	s.degrees = boxAround(points, unwrapped, margin/max(0.1, math.Cos(middle.Lat()*math.Pi/180)), margin)
	s.degrees.south, s.degrees.north = max(s.degrees.south, -90), min(s.degrees.north, 90)
	s.ground = s.degrees
	if spread > reach || middle.Lat() >= 84 || middle.Lat() < -80 {
		return s
	}
	zone := min(max(math.Floor((middle.Lon()+180)/6)+1, 1), 60)
	northern := middle.Lat() >= 0
	s.epsg = epsgUTMSouth + uint16(zone)
	if northern {
		s.epsg = epsgUTMNorth + uint16(zone)
	}
	s.ground = boxAround(points, func(p api.Point) (x, y float64) {
		return crs.ProjectUTM(int(zone), !northern, p.Lng, p.Lat)
	}, siteMargin, siteMargin)
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

// middlePoint returns the mean of points that are next to the first one, and how far
// off the farthest is, in metres.
func middlePoint(points []api.Point) (middle orb.Point, spread float64) {
	n := float64(len(points))
	for _, p := range points {
		middle[0] += unwrapLongitude(p.Lng, points[0].Lng) / n
		middle[1] += p.Lat / n
	}
	middle[0] = unwrapLongitude(middle[0], 0)
	for _, p := range points {
		spread = max(spread, geo.Distance(middle, orb.Point{p.Lng, p.Lat}))
	}
	return middle, spread
}

// unwrapLongitude returns a longitude as it is next to another one.
func unwrapLongitude(lng, next float64) float64 { return next + math.Remainder(lng-next, 360) }
