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

// AreaOf returns the area of a polygon in square metres on the WGS 84 ellipsoid. The areas of holes are subtracted.
// Edges are geodesics. The error is at most 0.005 % up to 1,000 km². Rings may cross the antimeridian or enclose a
// pole. Each ring divides the globe into two parts; the smaller part counts. Rings may be open and run in either
// direction.
func AreaOf(p orb.Polygon) float64 {
	area, _, _ := polygonArea(p)
	return area
}

// polygonArea returns the area of a polygon. isPolar is true if the outer ring encloses a pole. bound is the bounding
// box of the outer ring.
func polygonArea(p orb.Polygon) (area float64, isPolar bool, bound orb.Bound) {
	for i, ring := range p {
		if len(ring) < 3 {
			continue
		}
		ringBound := places.BoundOf(ring)
		size, enclosesPole := ringArea(ring, ringBound)
		isHole := i > 0
		if isHole {
			area -= size
			continue
		}
		area = size
		isPolar = enclosesPole
		bound = ringBound
	}
	return max(area, 0), isPolar, bound
}

// The limits in degrees up to which nearArea measures a ring. The error of nearArea grows with the size of the ring
// and towards the poles. The width is measured along the parallel, in degrees of latitude.
const (
	maxNearHeight   = 1
	maxNearWidth    = 1.5
	maxNearLatitude = 85
)

// ringArea returns the area of a ring. isPolar is true if the ring encloses a pole. It measures small rings with
// nearArea, which is faster than wideArea.
func ringArea(ring orb.Ring, bound orb.Bound) (area float64, isPolar bool) {
	low := bound.Min[1]
	high := bound.Max[1]
	width := bound.Max[0] - bound.Min[0]
	if width > 180 { // the ring crosses the antimeridian or encloses a pole
		unrolledWidth, turn := unrollRing(ring)
		if math.Abs(turn) > 1 {
			return wideArea(ring), true
		}
		width = unrolledWidth
	}
	isNearPole := low < -maxNearLatitude || high > maxNearLatitude
	if isNearPole || high-low > maxNearHeight || width*math.Cos(low*radian) > maxNearWidth {
		return wideArea(ring), false
	}
	return nearArea(ring, (low+high)/2*radian), false
}

// unrollRing follows the longitudes along a ring, also across the antimeridian. width is the width of the ring in
// degrees. turn is the sum of the changes of longitude around the ring: ±360 if the ring encloses a pole, otherwise 0.
func unrollRing(ring orb.Ring) (width, turn float64) {
	lng := 0.0 // longitude relative to the first point
	west := 0.0
	east := 0.0
	for i, p := range ring[1:] {
		lng += wrapDifference(p[0] - ring[i][0])
		west = min(west, lng)
		east = max(east, lng)
	}
	closing := wrapDifference(ring[0][0] - ring[len(ring)-1][0])
	return east - west, lng + closing
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

// nearArea returns the area of a small ring. latitude is a latitude near the ring, in radians. For each edge, nearArea
// computes the area between the edge and the parallel at this latitude. It adds the areas of edges that run east, and
// subtracts the areas of edges that run west, so the area inside the ring remains.
//
// In the formulas, S at a point is the area of the strip from the parallel to the point, per radian of longitude. The
// area at an edge is the mean of S on the edge times the difference of longitude.
func nearArea(ring orb.Ring, latitude float64) float64 {
	series := newAreaSeries(latitude)
	last := ring[len(ring)-1]
	previousLng := last[0]
	previousLat := last[1]*radian - latitude
	previousStrip := series.stripArea(previousLat)
	sum := 0.0
	for _, p := range ring {
		lat := p[1]*radian - latitude
		strip := series.stripArea(lat)
		dLng := wrapDifference(p[0]-previousLng) * radian
		dLat := lat - previousLat
		mid := (lat + previousLat) / 2
		sum += dLng * ((strip+previousStrip)/2 +
			(series.east+series.eastSlope*mid)*dLng*dLng +
			(series.north+series.northSlope*mid)*dLat*dLat)
		previousLng = p[0]
		previousLat = lat
		previousStrip = strip
	}
	return math.Abs(sum)
}

// areaSeries has the coefficients of the series with which nearArea computes areas near a latitude. S is the area of a
// strip of the earth, see nearArea.
type areaSeries struct {
	s1, s2, s3, s4 float64 // first to fourth derivative of S by the latitude; for s4, the earth is taken as a sphere

	// nearArea estimates the mean of S on an edge as the mean of S at its two ends. Because S is not linear on the
	// edge, it adds east times the square of the difference of longitude, and north times the square of the difference
	// of latitude. eastSlope and northSlope are the derivatives of east and north by the latitude.
	east, eastSlope   float64
	north, northSlope float64
}

// newAreaSeries returns the coefficients for a latitude in radians.
func newAreaSeries(latitude float64) areaSeries {
	s, c := math.Sincos(latitude)
	w2 := 1 - ecc2*s*s
	normal := equatorial / math.Sqrt(w2) // radius of curvature from west to east
	meridian := normal * (1 - ecc2) / w2 // radius of curvature from south to north
	d := normal * meridian * w2 * w2     // a²(1-e²)
	s2 := d * s * (4*ecc2*c*c/w2 - 1) / (w2 * w2)
	bulge := normal * normal * c / 12 // a geodesic is on average sin φ cos φ dλ²/12 nearer to the pole than its chord
	return areaSeries{
		s1:        d * c / (w2 * w2),
		s2:        s2,
		s3:        d * (c*(4*ecc2*c*c/w2-1) - 12*ecc2*s*s*c/w2) / (w2 * w2),
		s4:        d * s,
		east:      bulge * c * s,
		eastSlope: bulge * (c*c - 2*s*s),
		// -s2/12 corrects the trapezoidal rule. The other terms are for geodesics that run north, which bend.
		north:      (2*meridian*meridian*s + 3*normal*meridian*ecc2*s*c*c/w2 - s2) / 12,
		northSlope: (2*meridian*meridian + d) * c / 12,
	}
}

// stripArea returns S, which is explained at nearArea, at a latitude. lat is the difference in radians between this
// latitude and the latitude of the series.
func (a *areaSeries) stripArea(lat float64) float64 {
	return lat * (a.s1 + lat*(a.s2/2+lat*(a.s3/6+lat*a.s4/24)))
}

// wideArea returns the area of a ring of any size. It moves the ring from the ellipsoid to a sphere with a radius of 1.
// On this sphere, which is called authalic, all areas are smaller by the same factor. wideArea sums up the areas on the
// sphere between the edges and the equator.
func wideArea(ring orb.Ring) float64 {
	poleMeasure := authalicMeasure(1)
	last := ring[len(ring)-1]
	previousLng := last[0]
	previousTan := halfTangent(last[1], poleMeasure)
	excess := 0.0
	turn := 0.0 // sum of the differences of longitude, ±360 if the ring encloses a pole
	for _, p := range ring {
		tan := halfTangent(p[1], poleMeasure)
		dLng := wrapDifference(p[0] - previousLng)
		half := dLng * radian / 2
		excess += 2 * math.Atan2(math.Sin(half)*(tan+previousTan), math.Cos(half)*(1+tan*previousTan))
		turn += dLng
		previousLng = p[0]
		previousTan = tan
	}
	excess = math.Abs(excess)
	enclosesPole := math.Abs(turn) > 180
	if enclosesPole {
		excess = 2*math.Pi - excess // otherwise it would be the area between the ring and the equator
	}
	excess = min(excess, 4*math.Pi-excess) // the ring divides the globe into two parts; take the smaller
	return excess * equatorial * equatorial * poleMeasure / 2
}

// authalicMeasure returns a number that is proportional to the area of the ellipsoid between the equator and a
// latitude. sine is the sine of the latitude.
func authalicMeasure(sine float64) float64 {
	e := math.Sqrt(ecc2)
	return (1 - ecc2) * (sine/(1-ecc2*sine*sine) + math.Atanh(e*sine)/e)
}

// halfTangent converts a latitude in degrees to the latitude on the authalic sphere, see wideArea. It returns the
// tangent of half the converted latitude. poleMeasure is the result of authalicMeasure for the pole.
func halfTangent(degrees, poleMeasure float64) float64 {
	sine := authalicMeasure(math.Sin(degrees*radian)) / poleMeasure
	sine = max(-1, min(1, sine))
	return sine / (1 + math.Sqrt(1-sine*sine))
}

// LengthOf returns the length of a line in metres on the WGS 84 ellipsoid. Segments are geodesics, the
// shorter way round the globe. The error is at most 0.001 % for segments of less than 10,000 km.
func LengthOf(l orb.LineString) float64 {
	if len(l) < 2 {
		return 0
	}
	var metric localMetric // measures short segments, much faster than geodesicDistance
	metric.setLatitude(l[0][1] * radian)
	sum := 0.0
	for i := 1; i < len(l); i++ {
		a := l[i-1]
		b := l[i]
		middle := (a[1] + b[1]) / 2 * radian // latitude of the middle of the segment
		if math.Abs(middle-metric.latitude) > maxMetricOffset {
			metric.setLatitude(middle)
		}
		dLat := (b[1] - a[1]) * radian
		dLng := wrapDifference(b[0]-a[0]) * radian
		square := metric.squareOf(dLng, dLat, middle)
		isShort := square < metric.maxSquare
		if isShort {
			sum += math.Sqrt(square)
		} else {
			sum += geodesicDistance(a, b)
		}
	}
	return sum
}

const (
	// maxMetricOffset is how far a segment may be from the latitude of a localMetric, in radians. Further away, the
	// Taylor series are not exact enough.
	maxMetricOffset = 0.01
	// maxMetricDistance is the maximum length in metres of a segment that is measured with a localMetric. For longer
	// segments, the curvature of the earth matters.
	maxMetricDistance = 15_000
	// maxMetricLatitude is the latitude in degrees beyond which the meridians converge too fast for a localMetric.
	maxMetricLatitude = 80
)

// localMetric measures short segments near a latitude. meridian is the length of a radian of latitude in metres, and
// parallel the length of a radian of longitude. Both lengths change with the latitude. The numbered fields are the
// coefficients of the Taylor series of this change.
type localMetric struct {
	latitude                                  float64 // in radians
	meridian, meridian1                       float64
	parallel, parallel1, parallel2, parallel3 float64
	maxSquare                                 float64 // square of the maximum distance in metres; 0 near a pole
}

// setLatitude sets the fields for a latitude in radians.
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
	m.maxSquare = 0
	if math.Abs(latitude) < maxMetricLatitude*radian {
		m.maxSquare = maxMetricDistance * maxMetricDistance
	}
}

// squareOf returns the square of the length of a segment in metres. dLng and dLat are its differences of longitude and
// latitude, and middle is the latitude of its middle, all in radians. The middle can be up to maxMetricOffset from
// m.latitude.
func (m *localMetric) squareOf(dLng, dLat, middle float64) float64 {
	offset := middle - m.latitude
	x := dLng * (m.parallel + offset*(m.parallel1+offset*(m.parallel2+offset*m.parallel3)))
	y := dLat * (m.meridian + offset*m.meridian1)
	return x*x + y*y
}

// geodesicDistance returns the distance between two points in metres, with Lambert's formula: it computes the distance
// on a sphere, and corrects it for the flattening of the earth.
func geodesicDistance(a, b orb.Point) float64 {
	u1 := math.Atan((1 - flattening) * math.Tan(a[1]*radian)) // reduced latitude
	u2 := math.Atan((1 - flattening) * math.Tan(b[1]*radian))
	sinLat := math.Sin((u2 - u1) / 2)
	sinLng := math.Sin((b[0] - a[0]) * radian / 2)
	h := min(1, sinLat*sinLat+math.Cos(u1)*math.Cos(u2)*sinLng*sinLng) // haversine of the angle
	if h == 0 {
		return 0
	}
	angle := 2 * math.Asin(math.Sqrt(h))
	if h > 0.999 { // the points are nearly antipodal, and the correction would have no bound
		return angle * equatorial * (1 - flattening/2)
	}
	p := math.Sin((u1 + u2) / 2)
	q := sinLat
	x := (angle - math.Sin(angle)) * p * p * (1 - q*q) / (1 - h)
	y := (angle + math.Sin(angle)) * (1 - p*p) * q * q / h
	return equatorial * (angle - flattening/2*(x+y))
}
