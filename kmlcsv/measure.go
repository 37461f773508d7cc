package kmlcsv

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/places"
)

// The WGS 84 ellipsoid: equatorial radius in metres, flattening, and the square
// of the first eccentricity.
const (
	equatorial = 6378137.0
	flattening = 1 / 298.257223563
	ecc2       = flattening * (2 - flattening)
	radian     = math.Pi / 180
)

// AreaOf returns the area of a polygon without its holes, in square metres on the WGS 84 ellipsoid.
// Edges are geodesics. The error is at most 0.005 % up to 1,000 km². Rings may cross the antimeridian
// or enclose a pole; the area of a ring is that of its smaller side. Rings may be open and run in
// either direction.
func AreaOf(p orb.Polygon) float64 {
	area, _, _ := polygonArea(p)
	return area
}

// polygonArea returns the area of a polygon, whether its boundary encloses a pole, and the bound of
// the boundary.
func polygonArea(p orb.Polygon) (area float64, polar bool, bound orb.Bound) {
	for i, ring := range p {
		if len(ring) < 3 {
			continue
		}
		within := places.BoundOf(ring)
		a, around := ringArea(ring, within)
		if i == 0 {
			area, polar, bound = a, around, within
		} else {
			area -= a
		}
	}
	return max(area, 0), polar, bound
}

// ringArea returns the area of a ring and whether it encloses a pole. It uses the faster formula for
// rings that are small and not near a pole.
func ringArea(ring orb.Ring, bound orb.Bound) (area float64, polar bool) {
	low := bound.Min[1]
	high := bound.Max[1]
	width := bound.Max[0] - bound.Min[0]
	if width > 180 {
		unrolled, around := unrollRing(ring)
		if math.Abs(around) > 1 {
			return wideArea(ring), true
		}
		width = unrolled
	}
	if high-low > 1 || low < -85 || high > 85 || width*math.Cos(low*radian) > 1.5 {
		return wideArea(ring), false
	}
	return nearArea(ring, (low+high)/2*radian), false
}

// unrollRing returns the width of a ring that crosses the antimeridian, and the sum of its differences
// of longitude, in degrees. The sum is 0, or ±360 if the ring encloses a pole.
func unrollRing(ring orb.Ring) (width, around float64) {
	west, east, lng := 0.0, 0.0, 0.0
	for i, p := range ring[1:] {
		lng += wrapDifference(p[0] - ring[i][0])
		west, east = min(west, lng), max(east, lng)
	}
	return east - west, lng + wrapDifference(ring[0][0]-ring[len(ring)-1][0])
}

// wrapDifference brings a difference of longitudes in degrees into -180 to 180.
func wrapDifference(d float64) float64 {
	if d > 180 {
		return d - 360
	}
	if d < -180 {
		return d + 360
	}
	return d
}

// nearArea returns the area of a ring near a latitude in radians. It is the integral of S dλ along the
// edges, where S(φ) is the area between the latitude and the parallel φ per radian of longitude, as a
// polynomial in φ. An edge is integrated as a straight line in latitude and longitude, plus the
// deviation of the geodesic from that line to leading order.
func nearArea(ring orb.Ring, latitude float64) float64 {
	s, c := math.Sincos(latitude)
	w2 := 1 - ecc2*s*s
	normal := equatorial / math.Sqrt(w2)
	meridian := normal * (1 - ecc2) / w2
	d := normal * meridian * w2 * w2 // a²(1-e²)

	s1 := d * c / (w2 * w2)
	s2 := d * s * (4*ecc2*c*c/w2 - 1) / (w2 * w2)
	s3 := d * (c*(4*ecc2*c*c/w2-1) - 12*ecc2*s*s*c/w2) / (w2 * w2)
	s4 := d * s
	bulge := normal * normal * c / 12
	east, eastSlope := bulge*c*s, bulge*(c*c-2*s*s)
	north := (2*meridian*meridian*s + 3*normal*meridian*ecc2*s*c*c/w2 - s2) / 12
	northSlope := (2*meridian*meridian + d) * c / 12

	last := ring[len(ring)-1]
	lat1 := last[1]*radian - latitude
	under1 := lat1 * (s1 + lat1*(s2/2+lat1*(s3/6+lat1*s4/24)))
	lng1 := last[0]
	sum := 0.0
	for _, p := range ring {
		lat := p[1]*radian - latitude
		under := lat * (s1 + lat*(s2/2+lat*(s3/6+lat*s4/24)))
		dLng, dLat, mid := wrapDifference(p[0]-lng1)*radian, lat-lat1, (lat+lat1)/2
		sum += dLng * ((under+under1)/2 + (east+eastSlope*mid)*dLng*dLng + (north+northSlope*mid)*dLat*dLat)
		lat1, under1, lng1 = lat, under, p[0]
	}
	return math.Abs(sum)
}

// wideArea returns the area of a ring of any size. It uses the authalic sphere, which has the same area
// as the ellipsoid.
func wideArea(ring orb.Ring) float64 {
	polar := authalicMeasure(1)
	last := ring[len(ring)-1]
	tan1 := halfTangent(last[1], polar)
	lng1 := last[0]
	excess := 0.0
	around := 0.0
	for _, p := range ring {
		tan := halfTangent(p[1], polar)
		d := wrapDifference(p[0] - lng1)
		around += d
		excess += 2 * math.Atan2(math.Sin(d*radian/2)*(tan+tan1), math.Cos(d*radian/2)*(1+tan*tan1))
		tan1, lng1 = tan, p[0]
	}
	excess = math.Abs(excess)
	if math.Abs(around) > 180 {
		excess = 2*math.Pi - excess // the sum is the area from the ring to the equator, not to the pole
	}
	excess = min(excess, 4*math.Pi-excess)
	return excess * equatorial * equatorial * polar / 2
}

// authalicMeasure returns the value q for the sine of a latitude. With an equatorial radius of 1, the
// area between the latitude and the equator is q/2 per radian of longitude.
func authalicMeasure(sine float64) float64 {
	e := math.Sqrt(ecc2)
	return (1 - ecc2) * (sine/(1-ecc2*sine*sine) + math.Atanh(e*sine)/e)
}

// halfTangent returns the tangent of half the authalic latitude.
func halfTangent(degrees, polar float64) float64 {
	sine := authalicMeasure(math.Sin(degrees*radian)) / polar
	sine = max(-1, min(1, sine))
	return sine / (1 + math.Sqrt(1-sine*sine))
}

// LengthOf returns the length of a line in metres on the WGS 84 ellipsoid. Segments are geodesics, the
// shorter way round the globe. The error is at most 0.001 % for segments of less than 10,000 km.
func LengthOf(l orb.LineString) float64 {
	if len(l) < 2 {
		return 0
	}
	var near localMetric
	near.setLatitude(l[0][1] * radian)
	sum := 0.0
	for i := 1; i < len(l); i++ {
		a, b := l[i-1], l[i]
		dLat, dLng := (b[1]-a[1])*radian, wrapDifference(b[0]-a[0])*radian
		mid := (a[1]+b[1])/2*radian - near.latitude
		if mid > 0.01 || mid < -0.01 {
			near.setLatitude(near.latitude + mid)
			mid = 0
		}
		y := dLat * (near.meridian + mid*near.meridian1)
		x := dLng * (near.parallel + mid*(near.parallel1+mid*(near.parallel2+mid*near.parallel3)))
		if square := x*x + y*y; square < near.reach {
			sum += math.Sqrt(square)
		} else {
			sum += geodesicDistance(a, b)
		}
	}
	return sum
}

// localMetric has the metres per radian of latitude (meridian) and of longitude (parallel) near a
// latitude, with the coefficients of their Taylor series.
type localMetric struct {
	latitude                                  float64
	meridian, meridian1                       float64
	parallel, parallel1, parallel2, parallel3 float64
	reach                                     float64 // square of the largest distance that the metric is exact for
}

func (m *localMetric) setLatitude(latitude float64) {
	s, c := math.Sincos(latitude)
	w2 := 1 - ecc2*s*s
	normal := equatorial / math.Sqrt(w2)
	m.latitude = latitude
	m.meridian = normal * (1 - ecc2) / w2
	m.meridian1 = 3 * m.meridian * ecc2 * s * c / w2
	m.parallel = normal * c
	m.parallel1 = -m.meridian * s
	m.parallel2 = -(m.meridian*c + m.meridian1*s) / 2
	m.parallel3 = m.meridian * s / 6
	m.reach = 0
	if math.Abs(latitude) < 80*radian {
		m.reach = 15_000 * 15_000
	}
}

// geodesicDistance returns the distance of two points by Lambert's formula.
func geodesicDistance(a, b orb.Point) float64 {
	u1 := math.Atan((1 - flattening) * math.Tan(a[1]*radian))
	u2 := math.Atan((1 - flattening) * math.Tan(b[1]*radian))
	sinLat, sinLng := math.Sin((u2-u1)/2), math.Sin((b[0]-a[0])*radian/2)
	h := min(1, sinLat*sinLat+math.Cos(u1)*math.Cos(u2)*sinLng*sinLng)
	if h == 0 {
		return 0
	}
	angle := 2 * math.Asin(math.Sqrt(h))
	if h > 0.999 { // nearly antipodal points, for which the correction is unbounded
		return angle * equatorial * (1 - flattening/2)
	}
	p, q := math.Sin((u1+u2)/2), sinLat
	x := (angle - math.Sin(angle)) * p * p * (1 - q*q) / (1 - h)
	y := (angle + math.Sin(angle)) * (1 - p*p) * q * q / h
	return equatorial * (angle - flattening/2*(x+y))
}
