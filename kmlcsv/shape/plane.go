package shape

import (
	"errors"
	"fmt"
	"math"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

const (
	maxLatitude  = 85.0      // degrees
	maxDegrees   = 90.0      // degrees from west to east; wider geometries cannot be measured in metres on the plane
	maxHalfWidth = 200_000   // metres from the middle of a geometry to the west or east
	maxHeight    = 2_000_000 // metres from south to north
	maxMetres    = 100_000   // maximum radius, side, width or distance
)

var (
	errEmpty    = errors.New("it has no coordinates")
	errPosition = errors.New("its coordinates are not on the globe")
	errPole     = fmt.Errorf("it is too near a pole; shapes are made up to %.0f° north and south", maxLatitude)
	errTooWide  = fmt.Errorf("it is too large; shapes can have up to %d km from west to east and %d km from south to north",
		2*maxHalfWidth/1000, maxHeight/1000)
)

// plane is a map projection for a small part of the earth. It converts longitudes and latitudes to metres east and
// north of the middle of a geometry, and back.
type plane struct {
	crs.LocalPlane
	lng0 float64 // longitude of the middle of the geometry
}

// planeAround returns the plane with the middle of the points as its origin. The points may be on both sides of the
// antimeridian. It returns an error if the points are too far from each other or too near a pole.
func planeAround(points []orb.Point) (plane, error) {
	if len(points) == 0 {
		return plane{}, errEmpty
	}
	bound, err := unwrappedBound(points)
	if err != nil {
		return plane{}, err
	}
	if bound.Min[1] < -maxLatitude || bound.Max[1] > maxLatitude {
		return plane{}, errPole
	}
	if bound.Max[0]-bound.Min[0] > maxDegrees {
		return plane{}, errTooWide
	}
	middle := bound.Center()
	pl := plane{crs.NewLocalPlane(middle[0], middle[1]), middle[0]}
	for _, p := range points {
		projected := pl.project(p)
		isInside := math.Abs(projected[0]) <= maxHalfWidth && math.Abs(projected[1]) <= maxHeight/2
		if !isInside {
			return plane{}, errTooWide
		}
	}
	return pl, nil
}

// unwrappedBound returns the bound of points. If the points are on both sides of the antimeridian, the bound continues
// beyond 180 degrees: from 179 to 181 for points at 179 and -179.
func unwrappedBound(points []orb.Point) (orb.Bound, error) {
	first := points[0]
	bound := orb.Bound{Min: first, Max: first}
	for _, p := range points {
		isOnGlobe := isFinite(p[0]) && isFinite(p[1]) && math.Abs(p[0]) <= 360 && math.Abs(p[1]) <= 90
		if !isOnGlobe {
			return orb.Bound{}, errPosition
		}
		east := math.Remainder(p[0]-first[0], 360) // degrees east of the first point, the shorter way
		bound = bound.Extend(orb.Point{first[0] + east, p[1]})
	}
	return bound, nil
}

// planeAt returns the plane with the centre of a shape as its origin. metres is the distance from the centre to the
// farthest corner. It returns an error if the shape would come too near a pole.
func planeAt(center orb.Point, metres float64) (plane, error) {
	pl, err := planeAround([]orb.Point{center})
	if err != nil {
		return plane{}, err
	}
	if err := pl.checkReach(center, metres); err != nil {
		return plane{}, err
	}
	return pl, nil
}

// checkReach returns an error if a shape around p would come too near a pole. The shape extends to the north and south
// of p by the given metres.
func (pl plane) checkReach(p orb.Point, metres float64) error {
	const metresPerDegree = 110_500 // slightly less than the smallest length of a degree of latitude
	if math.Abs(p[1])+metres/metresPerDegree > maxLatitude {
		return errPole
	}
	return nil
}

// checkReachOf calls checkReach for each point and returns the first error.
func (pl plane) checkReachOf(points []orb.Point, metres float64) error {
	for _, p := range points {
		if err := pl.checkReach(p, metres); err != nil {
			return err
		}
	}
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// project converts a longitude and latitude to a point on the plane.
func (pl plane) project(p orb.Point) orb.Point {
	lng := pl.lng0 + math.Remainder(p[0]-pl.lng0, 360)
	east, north := pl.Project(lng, p[1])
	return orb.Point{east, north}
}

// locate converts a point on the plane to a longitude and latitude, rounded to 0.1 mm.
func (pl plane) locate(p orb.Point) orb.Point {
	lng, lat := pl.Locate(p[0], p[1])
	return orb.Point{roundDegrees(math.Remainder(lng, 360)), roundDegrees(lat)}
}

func roundDegrees(v float64) float64 { return math.Round(v*1e9) / 1e9 }

func (pl plane) projectAll(points []orb.Point) []orb.Point {
	out := make([]orb.Point, len(points))
	for i, p := range points {
		out[i] = pl.project(p)
	}
	return out
}

func (pl plane) locateAll(points []orb.Point) []orb.Point {
	out := make([]orb.Point, len(points))
	for i, p := range points {
		out[i] = pl.locate(p)
	}
	return out
}

// projectPolygon projects the rings of a polygon and closes them.
func (pl plane) projectPolygon(p orb.Polygon) (orb.Polygon, error) {
	out := make(orb.Polygon, 0, len(p))
	for _, ring := range p {
		ring = withoutRepeats(ring)
		if len(ring) > 0 && ring[0] != ring[len(ring)-1] {
			ring = append(ring, ring[0])
		}
		if len(ring) < 4 {
			return nil, errors.New("a boundary needs three corners")
		}
		out = append(out, pl.projectAll(ring))
	}
	if len(out) == 0 {
		return nil, errEmpty
	}
	return out, nil
}

func (pl plane) locatePolygon(p orb.Polygon) orb.Polygon {
	out := make(orb.Polygon, len(p))
	for i, ring := range p {
		out[i] = pl.locateAll(ring)
		out[i][len(out[i])-1] = out[i][0]
	}
	return out
}

// withoutRepeats removes points that are equal to the previous point.
func withoutRepeats[S ~[]orb.Point](points S) S {
	out := make(S, 0, len(points)+1)
	for _, p := range points {
		if len(out) == 0 || p != out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

// allPoints returns the points of all rings.
func allPoints(p orb.Polygon) []orb.Point {
	var points []orb.Point
	for _, ring := range p {
		points = append(points, ring...)
	}
	return points
}

// checkMetres returns an error if a length is less than 1 cm or more than maxMetres. name is the name of the length in
// the error.
func checkMetres(name string, metres float64) error {
	if !isFinite(metres) || metres < 0.01 {
		return fmt.Errorf("the %s must be at least 1 cm", name)
	}
	if metres > maxMetres {
		return fmt.Errorf("the %s can be at most %d km", name, maxMetres/1000)
	}
	return nil
}

// Move moves a point east and north by distances in metres. If p is not a valid position, or if a distance is too
// long, it returns p.
func Move(p orb.Point, east, north float64) orb.Point {
	pl, err := planeAround([]orb.Point{p})
	if err != nil || !isFinite(east) || !isFinite(north) || math.Abs(east) > maxMetres || math.Abs(north) > maxMetres {
		return p
	}
	return pl.locate(orb.Point{east, north})
}
