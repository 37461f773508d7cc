package product

import (
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/geo"

	"flightdesk/api"
	"flightdesk/kmlcsv/crs"
)

// EPSG codes of reference systems. The code of a UTM zone is its number added to the code of its
// hemisphere.
const (
	epsgGeographic = 4326
	epsgUTMNorth   = 32600
	epsgUTMSouth   = 32700
)

const (
	maxSpread       = 250_000.0 // maximum distance of a point from the middle, in metres, for a site in UTM
	metresPerDegree = 111_320.0
	siteMargin      = 30.0 // metres around a mission's points, at least
	marginShare     = 0.08 // minimum margin as a fraction of the distance from the middle to the farthest point
)

// site is the area that the files of a mission cover.
type site struct {
	epsg    uint16  // coordinate reference system
	ground  siteBox // in the coordinates of epsg
	degrees siteBox // may extend beyond 180 degrees
}

type siteBox struct{ west, south, east, north float64 }

// locateSite returns the site around points, with a margin. Its reference system is the UTM zone
// of the middle of the points. Near the poles, or if the site is too large for one zone, it is
// EPSG:4326.
func locateSite(points []api.Point) site {
	_, spread := middlePoint(points)
	return locateSiteWithin(points, max(siteMargin, marginShare*spread))
}

// locateSiteWithin is like locateSite, with a margin around the points in metres.
func locateSiteWithin(points []api.Point, margin float64) site {
	middle, spread := middlePoint(points)
	degrees := boxInDegrees(points, middle, margin)
	isPolar := middle.Lat() >= 84 || middle.Lat() < -80
	if spread > maxSpread || isPolar {
		return site{epsg: epsgGeographic, ground: degrees, degrees: degrees}
	}
	zone, isNorthern := utmZone(middle)
	epsg := epsgUTMSouth + uint16(zone)
	if isNorthern {
		epsg = epsgUTMNorth + uint16(zone)
	}
	project := func(p api.Point) (x, y float64) { return crs.ProjectUTM(zone, !isNorthern, p.Lng, p.Lat) }
	return site{epsg: epsg, ground: boxAround(points, project, margin, margin), degrees: degrees}
}

// utmZone returns the number of the UTM zone of a point, and whether the point is in the northern hemisphere.
func utmZone(p orb.Point) (zone int, isNorthern bool) {
	number := math.Floor((p.Lon()+180)/6) + 1
	return int(min(max(number, 1), 60)), p.Lat() >= 0
}

// boxInDegrees returns the bounding box of points in degrees, with a margin in metres. middle is their mean.
func boxInDegrees(points []api.Point, middle orb.Point, margin float64) siteBox {
	unwrapped := func(p api.Point) (lng, lat float64) { return unwrapLongitude(p.Lng, middle.Lon()), p.Lat }
	northward := margin / metresPerDegree
	eastward := northward / max(0.1, math.Cos(middle.Lat()*math.Pi/180)) // degrees of longitude are shorter near the poles
	box := boxAround(points, unwrapped, eastward, northward)
	box.south = max(box.south, -90)
	box.north = min(box.north, 90)
	return box
}

// inDegrees returns the site in the reference system EPSG:4326, whose coordinates are degrees.
func (s site) inDegrees() site {
	s.epsg = epsgGeographic
	s.ground = s.degrees
	return s
}

// missingShare is the share of the width of a site that an incomplete raster misses.
const missingShare = 0.12

// withoutEast returns the site without the eastern missingShare of its width.
func (s site) withoutEast() site {
	s.ground.east -= missingShare * (s.ground.east - s.ground.west)
	s.degrees.east -= missingShare * (s.degrees.east - s.degrees.west)
	return s
}

// boxAround returns the bounding box of points with a margin. place converts a point to the
// coordinates of the box. dx and dy are the margins in these coordinates.
func boxAround(points []api.Point, place func(api.Point) (x, y float64), dx, dy float64) siteBox {
	b := siteBox{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		x, y := place(p)
		b.west = min(b.west, x-dx)
		b.east = max(b.east, x+dx)
		b.south = min(b.south, y-dy)
		b.north = max(b.north, y+dy)
	}
	return b
}

// middlePoint returns the mean of points and the distance of the farthest one in metres.
// The points may be on both sides of the antimeridian.
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

// unwrapLongitude adds or subtracts full turns, so that the longitude is as close as possible
// to reference.
func unwrapLongitude(lng, reference float64) float64 {
	return reference + math.Remainder(lng-reference, 360)
}
