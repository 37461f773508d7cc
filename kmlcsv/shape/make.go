package shape

import (
	"errors"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/peterstace/simplefeatures/geom"

	"flightdesk/kmlcsv"
)

// circleCorners is the number of corners of a circle.
const circleCorners = 72

// Circle returns the circle around a point, as a polygon of 72 corners. The polygon has exactly the area of the
// circle, so its corners are slightly outside of the circle. The radius is in metres.
func Circle(center orb.Point, radius float64) (orb.Polygon, error) {
	if err := checkMetres("radius", radius); err != nil {
		return nil, err
	}
	pl, err := planeAt(center, radius)
	if err != nil {
		return nil, err
	}
	const step = 2 * math.Pi / circleCorners
	cornerRadius := radius * math.Sqrt(step/math.Sin(step))
	ring := make(orb.Ring, 0, circleCorners+1)
	for i := range circleCorners {
		sin, cos := math.Sincos(float64(i) * step)
		ring = append(ring, orb.Point{cornerRadius * cos, cornerRadius * sin})
	}
	return pl.locatePolygon(orb.Polygon{append(ring, ring[0])}), nil
}

// Rectangle returns the rectangle around a point. The sides with the given height point in the direction of the
// bearing, in degrees clockwise from north. width and height are in metres.
func Rectangle(center orb.Point, width, height, bearing float64) (orb.Polygon, error) {
	if err := errors.Join(checkMetres("width", width), checkMetres("height", height)); err != nil {
		return nil, err
	}
	if !isFinite(bearing) || math.Abs(bearing) > 360 {
		return nil, errors.New("the bearing must be between 0 and 360 degrees")
	}
	pl, err := planeAt(center, math.Hypot(width, height)/2)
	if err != nil {
		return nil, err
	}
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	var ring orb.Ring
	for _, corner := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}} {
		across := corner[0] * width / 2
		along := corner[1] * height / 2
		ring = append(ring, orb.Point{across*cos + along*sin, along*cos - across*sin})
	}
	return pl.locatePolygon(orb.Polygon{ring}), nil
}

const (
	quadSegments   = 24     // straight pieces of a quarter circle; the area of a corner is then right to 0.07 %
	mitreLimit     = 2      // corners that are sharper than 60 degrees are cut off
	simplifyFactor = 0.0005 // maximum error of the boundary, as a fraction of the distance
)

// maxCrossings is how often a line may cross itself. With more crossings, making a corridor would take too long.
const maxCrossings = 2000

var errIntricate = errors.New("the shape is too intricate to compute; simplify it first")

// Corridor returns the area within half a width of a line, with round or flat ends. The width is in metres. If the
// line forms a loop, the area inside the loop is a hole.
func Corridor(line orb.LineString, width float64, round bool) (orb.Polygon, error) {
	if err := checkMetres("width", width); err != nil {
		return nil, err
	}
	pl, err := planeAround(line)
	if err != nil {
		return nil, err
	}
	if err := pl.checkReachOf(line, width/2); err != nil {
		return nil, err
	}
	path := withoutRepeats(pl.projectAll(line))
	if len(path) < 2 {
		return nil, errors.New("a corridor needs two points")
	}
	if hasManyCrossings(line) {
		return nil, errIntricate
	}
	ends := geom.BufferEndCapFlat()
	if round {
		ends = geom.BufferEndCapRound()
	}
	parts, err := buffer(geom.NewLineStringXY(flatten(path)...).AsGeometry(), width/2, ends)
	if err != nil {
		return nil, err
	}
	return pl.locatePolygon(parts[0]), nil // a connected line has one corridor
}

// hasManyCrossings reports whether a line crosses itself so often that its corridor would take too long to compute.
func hasManyCrossings(line orb.LineString) bool {
	crossings, isChecked := kmlcsv.Crossings(line, maxCrossings)
	return !isChecked || len(crossings) == maxCrossings
}

// Grow returns the area enlarged on all sides by the given metres, or made smaller if metres is negative. If round is
// set, its corners become round. A smaller area can fall into several parts; the largest part is first.
func Grow(area orb.Polygon, metres float64, round bool) ([]orb.Polygon, error) {
	if err := checkMetres("distance", math.Abs(metres)); err != nil {
		return nil, err
	}
	pl, projected, err := projectSound(area)
	if err != nil {
		return nil, err
	}
	if err := pl.checkReachOf(area[0], max(0, metres)); err != nil {
		return nil, err
	}
	join := geom.BufferJoinStyleMitre(mitreLimit)
	if round {
		join = geom.BufferJoinStyleRound()
	}
	parts, err := buffer(toGeom(projected), metres, join)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		parts[i] = pl.locatePolygon(parts[i])
	}
	return parts, nil
}

// errNothingLeft is returned if an area shrinks to nothing.
var errNothingLeft = errors.New("nothing is left of the area; take away less")

// minArea is the minimum area of a part of a result, in square metres. Smaller parts come from rounding errors and are
// left out.
const minArea = 0.01

// buffer returns the geometry enlarged by a distance in metres, or made smaller if metres is negative. The largest
// polygon is first.
func buffer(g geom.Geometry, metres float64, option geom.BufferOption) ([]orb.Polygon, error) {
	options := []geom.BufferOption{
		geom.BufferQuadSegments(quadSegments), geom.BufferSimplifyFactor(simplifyFactor), option,
	}
	grown, err := geom.Buffer(g, metres, options...)
	if err != nil {
		return nil, errIntricate
	}
	parts := slices.DeleteFunc(fromGeom(grown), func(p orb.Polygon) bool { return planeArea(p) < minArea })
	if len(parts) == 0 {
		return nil, errNothingLeft
	}
	return parts, nil
}

// Hull returns the smallest area without inward corners that encloses the points.
func Hull(points []orb.Point) (orb.Polygon, error) {
	pl, err := planeAround(points)
	if err != nil {
		return nil, err
	}
	hull := hullOf(pl.projectAll(points))
	if hull == nil {
		return nil, errors.New("the points are on one line and enclose no area")
	}
	return pl.locatePolygon(orb.Polygon{hull}), nil
}

// hullOf returns the closed convex hull of points in the plane, or nil if it has no area.
func hullOf(points []orb.Point) orb.Ring {
	multi := geom.NewMultiPointXY(flatten(points)...)
	parts := fromGeom(multi.ConvexHull())
	if len(parts) == 0 {
		return nil
	}
	hull := withoutFlat(parts[0][0])
	if planeArea(orb.Polygon{hull}) < 1e-6 { // square metres
		return nil
	}
	return hull
}

// withoutFlat removes the corners of a closed ring that are within a millimetre of the line between their neighbours.
// Such corners are rounding errors: rounding moves points on a straight side by less than a millimetre.
func withoutFlat(ring orb.Ring) orb.Ring {
	const millimetre = 0.001
	var kept orb.Ring
	corners := ring[:len(ring)-1]
	for i, p := range corners {
		before := corners[(i+len(corners)-1)%len(corners)]
		if len(kept) > 0 {
			before = kept[len(kept)-1]
		}
		after := corners[(i+1)%len(corners)]
		side := math.Hypot(after[0]-before[0], after[1]-before[1])
		twiceArea := (p[0]-before[0])*(after[1]-before[1]) - (p[1]-before[1])*(after[0]-before[0])
		isOffLine := math.Abs(twiceArea) > millimetre*side // the area is half the distance times the side
		if isOffLine {
			kept = append(kept, p)
		}
	}
	if len(kept) < 3 {
		return ring
	}
	return append(kept, kept[0])
}
