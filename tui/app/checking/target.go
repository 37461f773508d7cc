package checking

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/crs"
	"flightdesk/tui/app/ordering"
)

// surface is the ground that a file covers: the valid pixels of a raster, or the points of a point cloud.
type surface interface {
	// Covers reports whether the file has data at x, y, in coordinates of its reference system.
	Covers(x, y float64) bool
}

// target is the area, the line or the points of a mission that files must cover. It is represented by positions called
// samples, which are spread evenly over the mission: the covered share of the samples is the covered share of the
// mission.
type target struct {
	mission *api.Mission
	shape   orb.Geometry // longitudes can be beyond 180 degrees
	size    float64      // m² of an area, m of a line, or number of points

	origin        orb.Point // south-western corner of the rectangle around an area
	step          orb.Point // distance between samples of an area, in degrees
	width, height int       // number of columns and rows of samples in the rectangle; 0 for lines and points
	inside        []bool    // which samples of the rectangle are in the area; nil for lines and points

	spots []orb.Point // samples of a line, or the points
	count int         // number of samples in the mission
}

const (
	areaSamples = 250_000 // approximate number of samples in an area
	maxSamples  = 4 << 20 // maximum number of samples in the rectangle around an area
	lineSamples = 5000
	leastStep   = 0.05 // metres between samples
	metres      = 111_320.0
)

// newTarget chooses the samples of a mission. It returns nil if the mission has no location.
func newTarget(m *api.Mission) *target {
	t := &target{mission: m, shape: ordering.MissionShape(m.MissionType, unwrap(m.LocationMap))}
	switch shape := t.shape.(type) {
	case orb.Polygon:
		t.sampleArea(shape, areaSamples)
		if t.count == 0 {
			return nil
		}
	case orb.LineString:
		t.sampleLine(shape)
	case orb.MultiPoint:
		t.spots = shape
		t.size = float64(len(shape))
	case orb.Point:
		t.spots = []orb.Point{shape}
		t.size = 1
	default:
		return nil
	}
	if t.spots != nil {
		t.count = len(t.spots)
	}
	return t
}

// unwrap returns points whose longitudes differ from the longitude of the first point by at most
// 180°. The result can have longitudes beyond 180°.
func unwrap(points []api.Point) []api.Point {
	list := make([]api.Point, len(points))
	for i, p := range points {
		list[i] = p
		list[i].Lng = points[0].Lng + math.Remainder(p.Lng-points[0].Lng, 360)
	}
	return list
}

// sampleArea chooses the samples of an area: a grid of positions, of which about count are in the area.
func (t *target) sampleArea(area orb.Polygon, count float64) {
	t.size = kmlcsv.AreaOf(area)
	bound := area.Bound()
	perDegree := metres * max(0.01, math.Cos(bound.Center().Lat()*math.Pi/180))
	w := (bound.Max.Lon() - bound.Min.Lon()) * perDegree
	h := (bound.Max.Lat() - bound.Min.Lat()) * metres
	if !(w > 0 && h > 0 && t.size > 0) {
		return
	}
	step := max(math.Sqrt(t.size/count), math.Sqrt(w*h/maxSamples), leastStep)
	t.width = int(math.Ceil(w / step))
	t.height = int(math.Ceil(h / step))
	t.step = orb.Point{
		(bound.Max.Lon() - bound.Min.Lon()) / float64(t.width),
		(bound.Max.Lat() - bound.Min.Lat()) / float64(t.height),
	}
	t.origin = bound.Min
	t.inside = make([]bool, t.width*t.height)
	for row := range t.height {
		t.markInside(area[0], row)
	}
}

// markInside finds out which samples of a row are inside a ring. It goes along the row from west to
// east. Where the row crosses an edge of the ring, it enters or leaves the ring.
func (t *target) markInside(ring orb.Ring, row int) {
	lat := t.position(0, row).Lat()
	hasCrossing := make([]bool, t.width+1) // before a column; two crossings cancel each other
	for i := range ring {
		from := ring[i]
		to := ring[(i+1)%len(ring)]
		isCrossed := (from.Lat() > lat) != (to.Lat() > lat)
		if !isCrossed {
			continue
		}
		lng := from.Lon() + (lat-from.Lat())/(to.Lat()-from.Lat())*(to.Lon()-from.Lon())
		// The first sample east of the crossing. Samples are in the middle of their columns.
		column := int(math.Ceil((lng-t.origin.Lon())/t.step.Lon() - 0.5))
		column = min(max(column, 0), t.width)
		hasCrossing[column] = !hasCrossing[column]
	}
	isInside := false
	for column := range t.width {
		if hasCrossing[column] {
			isInside = !isInside
		}
		if isInside {
			t.inside[row*t.width+column] = true
			t.count++
		}
	}
}

// position returns the position of a sample of an area.
func (t *target) position(column, row int) orb.Point {
	return orb.Point{
		t.origin.Lon() + (float64(column)+0.5)*t.step.Lon(),
		t.origin.Lat() + (float64(row)+0.5)*t.step.Lat(),
	}
}

// sampleLine chooses the samples of a line, at equal distances.
func (t *target) sampleLine(line orb.LineString) {
	t.size = kmlcsv.LengthOf(line)
	step := max(t.size/lineSamples, leastStep)
	next := step / 2 // from the start of the segment
	for i := 1; i < len(line); i++ {
		from := line[i-1]
		to := line[i]
		length := kmlcsv.LengthOf(orb.LineString{from, to})
		for ; next < length; next += step {
			share := next / length
			t.spots = append(t.spots, orb.Point{
				from.Lon() + (to.Lon()-from.Lon())*share,
				from.Lat() + (to.Lat()-from.Lat())*share,
			})
		}
		next -= length
	}
	if len(t.spots) == 0 {
		t.spots = []orb.Point{line[0]}
	}
}

// coverage says which samples of a mission are covered.
type coverage struct {
	target  *target
	covered []bool // in the order of target.inside for an area, otherwise of target.spots
}

func newCoverage(t *target) *coverage {
	return &coverage{target: t, covered: make([]bool, max(len(t.inside), len(t.spots)))}
}

// add marks the samples that a surface covers. system is the reference system of the surface.
func (c *coverage) add(s surface, system *crs.System) {
	t := c.target
	if t.inside == nil {
		for i, p := range t.spots {
			if x, y, err := system.FromWGS84(p.Lon(), p.Lat()); err == nil && s.Covers(x, y) {
				c.covered[i] = true
			}
		}
		return
	}
	const patch = 16 // samples per side that are projected together
	for row := 0; row < t.height; row += patch {
		for column := 0; column < t.width; column += patch {
			c.addPatch(s, system, samplePatch{
				left: column, top: row,
				right: min(column+patch, t.width), bottom: min(row+patch, t.height),
			})
		}
	}
}

// samplePatch is a rectangle of samples, without the column right and the row bottom.
type samplePatch struct{ left, top, right, bottom int }

// addPatch marks the samples in a patch that a surface covers. To save time, it converts only the corners of
// the patch to the reference system and interpolates between them. Within a patch the error is negligible.
func (c *coverage) addPatch(s surface, system *crs.System, p samplePatch) {
	t := c.target
	if !c.hasOpen(p) { // nothing to mark, so do not project the corners
		return
	}
	x, y, err := t.projectCorners(system, p)
	if err != nil {
		return // the system does not extend to the patch, so the surface cannot cover it
	}
	for row := p.top; row < p.bottom; row++ {
		northShare := float64(row-p.top) / float64(p.bottom-p.top)
		for column := p.left; column < p.right; column++ {
			i := row*t.width + column
			if !t.inside[i] || c.covered[i] {
				continue
			}
			eastShare := float64(column-p.left) / float64(p.right-p.left)
			c.covered[i] = s.Covers(
				interpolate(x, eastShare, northShare),
				interpolate(y, eastShare, northShare),
			)
		}
	}
}

// projectCorners converts the corners of a patch to a reference system: south-west, south-east,
// north-west and north-east.
func (t *target) projectCorners(system *crs.System, p samplePatch) (x, y [4]float64, err error) {
	corners := [4]orb.Point{
		t.position(p.left, p.top), // south-west: the first row is the southernmost
		t.position(p.right, p.top),
		t.position(p.left, p.bottom),
		t.position(p.right, p.bottom),
	}
	for i, corner := range corners {
		x[i], y[i], err = system.FromWGS84(corner.Lon(), corner.Lat())
		if err != nil {
			return x, y, err
		}
	}
	if system.IsGeographic() { // move longitudes to the same side of the antimeridian as the first corner
		for i := range x {
			x[i] = x[0] + math.Remainder(x[i]-x[0], 360)
		}
	}
	return x, y, nil
}

// interpolate returns a value between the values at the corners of a patch: south-west, south-east,
// north-west and north-east.
func interpolate(corners [4]float64, eastShare, northShare float64) float64 {
	south := corners[0]*(1-eastShare) + corners[1]*eastShare
	north := corners[2]*(1-eastShare) + corners[3]*eastShare
	return south*(1-northShare) + north*northShare
}

// hasOpen reports whether a patch has samples of the mission that are not covered yet.
func (c *coverage) hasOpen(p samplePatch) bool {
	for row := p.top; row < p.bottom; row++ {
		for column := p.left; column < p.right; column++ {
			i := row*c.target.width + column
			if c.target.inside[i] && !c.covered[i] {
				return true
			}
		}
	}
	return false
}

// share returns the covered share of the mission, from 0 to 1.
func (c *coverage) share() float64 {
	n := 0
	for i, covered := range c.covered {
		if covered && (c.target.inside == nil || c.target.inside[i]) {
			n++
		}
	}
	return float64(n) / float64(c.target.count)
}
