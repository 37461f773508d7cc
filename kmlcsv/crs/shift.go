package crs

import (
	"math"
	"strconv"
	"strings"
)

// operation is a transformation from the datum of a geographic system to WGS 84, and the area that it is made for.
type operation struct {
	pipeline int     // index of the text with the steps in registry.pipelines
	name     int     // index of the name in the embedded data
	box      Box     // area that the transformation is made for
	accuracy float64 // in metres; -1 if unknown
	offshore bool    // the transformation is made for the sea
	ballpark bool    // no transformation is published, so longitude and latitude are used unchanged

	title  string // name of a transformation that is not in the registry, otherwise ""
	steps  []step
	shared float64     // size of the area that box has in common with the system's area of use
	bounds []rectangle // box in the coordinates of a projected system
}

// gridArea is an area for which a correction grid is published. A correction grid is a file with the local differences
// between two datums. Grids are not supported here, so conversions in the area can be wrong by 5 m or more.
type gridArea struct {
	box      Box
	accuracy float64 // in metres, if the grid is used
	file     string  // name of the grid file
}

// The kinds of steps in a transformation.
const (
	stepGeocentric = 'c' // geographic to geocentric coordinates
	stepHelmert    = 'h' // translation, rotation and scale; EPSG Guidance Note 7-2, 4.3.3
	stepMolodensky = 'm' // like stepHelmert, around a pivot (Molodensky-Badekas)
	stepOffset     = 'o' // seconds of longitude and latitude
	stepKeepHeight = '<' // remember the height
	stepSetHeight  = '>' // set the height to the value that stepKeepHeight remembered
)

// step is one step of a transformation, such as a shift. Which fields it needs depends on its kind.
type step struct {
	kind      byte // stepGeocentric, stepHelmert, ...
	inverse   bool // the step is applied backwards
	ellipsoid ellipsoid
	shift     [3]float64 // in metres, or in radians for stepOffset
	rotation  [3][3]float64
	scale     float64
	pivot     [3]float64 // point that stepMolodensky rotates around, in metres
}

// position is the position that a transformation is applied to.
type position struct {
	v      [3]float64 // longitude and latitude in radians and height in metres, or geocentric x, y and z in metres
	height float64    // height that stepKeepHeight remembered
}

// parseSteps parses the text with the steps of a transformation, which the program in gen/systems wrote.
func parseSteps(pipeline string) []step {
	var steps []step
	for part := range strings.SplitSeq(pipeline, ";") {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			continue
		}
		name := strings.TrimPrefix(fields[0], "-")
		numbers := make([]float64, len(fields)-1)
		for i, field := range fields[1:] {
			numbers[i], _ = strconv.ParseFloat(field, 64) // the generator wrote a number
		}
		s := newStep(name[0], numbers)
		s.inverse = name != fields[0]
		steps = append(steps, s)
	}
	return steps
}

func newStep(kind byte, n []float64) step {
	s := step{kind: kind}
	switch kind {
	case stepGeocentric:
		s.ellipsoid = newEllipsoid("", n[0], n[1])
	case stepHelmert:
		s.setHelmert(n[:7], n[7])
	case stepMolodensky:
		s.setHelmert(n[:7], n[10])
		s.pivot = [3]float64(n[7:10])
	case stepOffset:
		s.shift[0] = n[0] / 3600 * radian
		s.shift[1] = n[1] / 3600 * radian
	}
	return s
}

// setHelmert sets the numbers of a Helmert transformation, which shifts, rotates and scales geocentric coordinates. n
// has three shifts in metres, three rotations in arc seconds and a scale difference in parts per million. There are
// two conventions for the sign of rotations: convention is 1 if the rotations turn the position, and -1 if they turn
// the coordinate frame.
func (s *step) setHelmert(n []float64, convention float64) {
	s.shift = [3]float64(n[:3])
	x := n[3] / 3600 * radian * convention
	y := n[4] / 3600 * radian * convention
	z := n[5] / 3600 * radian * convention
	s.rotation = [3][3]float64{{1, -z, y}, {z, 1, -x}, {-y, x, 1}}
	s.scale = 1 + n[6]*1e-6
}

// apply applies the step to a position, backwards if s.inverse is set.
func (s *step) apply(p *position) {
	if s.inverse {
		s.runBackwards(p)
	} else {
		s.runForwards(p)
	}
}

// undo reverses the effect of apply on a position.
func (s *step) undo(p *position) {
	if s.inverse {
		s.runForwards(p)
	} else {
		s.runBackwards(p)
	}
}

// runForwards applies the step to a position in the forward direction, whatever s.inverse says.
func (s *step) runForwards(p *position) {
	switch s.kind {
	case stepGeocentric:
		p.v[0], p.v[1], p.v[2] = s.ellipsoid.geocentric(p.v[0], p.v[1], p.v[2])
	case stepHelmert, stepMolodensky:
		s.turnForwards(&p.v)
	case stepOffset:
		p.v[0] += s.shift[0]
		p.v[1] += s.shift[1]
	case stepKeepHeight:
		p.height = p.v[2]
	case stepSetHeight:
		p.v[2] = p.height
	}
}

// runBackwards applies the step to a position in the backward direction: it reverses the effect of runForwards.
func (s *step) runBackwards(p *position) {
	switch s.kind {
	case stepGeocentric:
		p.v[0], p.v[1], p.v[2] = s.ellipsoid.geographic(p.v[0], p.v[1], p.v[2])
	case stepHelmert, stepMolodensky:
		s.turnBackwards(&p.v)
	case stepOffset:
		p.v[0] -= s.shift[0]
		p.v[1] -= s.shift[1]
	case stepKeepHeight:
		p.v[2] = p.height
	case stepSetHeight:
		p.height = p.v[2]
	}
}

// turnForwards rotates geocentric coordinates around the pivot, and then scales and shifts them.
func (s *step) turnForwards(v *[3]float64) {
	var from [3]float64
	for i := range from {
		from[i] = v[i] - s.pivot[i]
	}
	for i := range v {
		turned := s.rotation[i][0]*from[0] + s.rotation[i][1]*from[1] + s.rotation[i][2]*from[2]
		v[i] = s.scale*turned + s.shift[i] + s.pivot[i]
	}
}

// turnBackwards reverses the effect of turnForwards. It uses the transposed rotation matrix as the inverse, which is
// accurate enough because the rotations are tiny.
func (s *step) turnBackwards(v *[3]float64) {
	var from [3]float64
	for i := range from {
		from[i] = (v[i] - s.pivot[i] - s.shift[i]) / s.scale
	}
	for i := range v {
		v[i] = s.rotation[0][i]*from[0] + s.rotation[1][i]*from[1] + s.rotation[2][i]*from[2] + s.pivot[i]
	}
}

// apply converts a longitude and a latitude in radians from the datum of the operation to WGS 84.
func (o *operation) apply(lng, lat float64) (float64, float64) {
	if len(o.steps) == 0 {
		return lng, lat
	}
	p := position{v: [3]float64{lng, lat, 0}}
	for i := range o.steps {
		o.steps[i].apply(&p)
	}
	return p.v[0], p.v[1]
}

// undo converts a longitude and a latitude in radians from WGS 84 to the datum of the operation.
func (o *operation) undo(lng, lat float64) (float64, float64) {
	if len(o.steps) == 0 {
		return lng, lat
	}
	p := position{v: [3]float64{lng, lat, 0}}
	for i := len(o.steps) - 1; i >= 0; i-- {
		o.steps[i].undo(&p)
	}
	own := p.v[0]
	north := p.v[1]
	for range 2 { // one pass is inexact for large rotations
		backLng, backLat := o.apply(own, north)
		own += normalize(lng - backLng)
		north += lat - backLat
	}
	return own, north
}

// rectangle is an area in the coordinates of a projected system, in metres.
type rectangle struct{ west, south, east, north float64 }

// isAt reports whether a place is in the area of the operation. For a projected system, it compares eastings and
// northings instead of degrees, as PROJ does.
func (o *operation) isAt(at place) bool {
	if at.isGeographic {
		return o.box.Contains(at.lng, at.lat)
	}
	for _, r := range o.bounds {
		if r.west <= at.east && at.east <= r.east && r.south <= at.north && at.north <= r.north {
			return true
		}
	}
	return false
}

// place is a position for which an operation is chosen. It is in degrees and, for a projected system, also in metres
// east and north in the coordinates of the system.
type place struct {
	lng, lat     float64
	east, north  float64
	isGeographic bool
}

// chooseOperation returns the operation that PROJ would use at a place. Only operations whose area contains the place
// are considered, and the most accurate of them wins. If two operations are equally accurate and the area of one is
// inside the area of the other, the one with the smaller area wins. Otherwise the operation wins whose area has more in
// common with the system's area of use. Offshore operations are used only if there is no other. If no area contains the
// place, the result is the operation whose area has most in common with the system's area of use.
func chooseOperation(operations []operation, at place) *operation {
	if len(operations) == 1 {
		return &operations[0]
	}
	var best *operation
	for i := range operations {
		o := &operations[i]
		if o.isAt(at) && (best == nil || o.isBetter(best)) {
			best = o
		}
	}
	if best != nil {
		return best
	}
	for i := range operations {
		o := &operations[i]
		if best == nil || o.shared > best.shared*(1+1e-9) {
			best = o
		}
	}
	return best
}

func (o *operation) isBetter(than *operation) bool {
	if o.accuracy < 0 || o.offshore {
		return false
	}
	if than.accuracy < 0 {
		return true
	}
	if o.accuracy != than.accuracy {
		return o.accuracy < than.accuracy
	}
	return o.isInside(than) || !than.isInside(o) && o.shared > than.shared*(1+1e-9)
}

// isInside reports whether the area of o is a part of the area of other.
func (o *operation) isInside(other *operation) bool {
	if o.box == other.box {
		return false
	}
	if len(o.bounds) != 1 || len(other.bounds) != 1 {
		return o.box.West >= other.box.West && o.box.East <= other.box.East &&
			o.box.South >= other.box.South && o.box.North <= other.box.North
	}
	a := o.bounds[0]
	b := other.bounds[0]
	return a.west >= b.west && a.east <= b.east && a.south >= b.south && a.north <= b.north
}

// usesOldDatum reports whether a step of the operation uses an ellipsoid that was determined without satellites.
func (o *operation) usesOldDatum() bool {
	for i := range o.steps {
		if o.steps[i].kind == stepGeocentric && !o.steps[i].ellipsoid.isModern() {
			return true
		}
	}
	return false
}

// faultyOperation is a transformation for Kosovo that is never used. Its results are 1.6 km away from the results of
// all other transformations of the same datum.
const faultyOperation = "MGI 1901 to WGS 84 (14)"

// selectOperations selects the operations whose area overlaps the system's area of use. For a projected system, it also
// computes the area of each operation in the coordinates of the system. If no operation is left, or if the datum is
// nearly WGS 84 and no operation is reliable, it selects a single operation that leaves positions unchanged.
func (s *System) selectOperations() {
	var kept []operation
	for _, o := range s.frame.operations {
		o.shared = o.box.overlap(s.area)
		if o.shared == 0 || o.describe() == faultyOperation {
			continue
		}
		if s.projection != nil {
			o.bounds = s.boundsOf(o.box)
		}
		kept = append(kept, o)
	}
	if len(kept) == 0 || s.frame.isModern() && !hasReliable(kept) {
		kept = []operation{{
			box: wholeWorld, accuracy: -1, ballpark: true,
			title: "Ballpark geographic offset from " + s.frame.name + " to WGS 84",
		}}
	}
	s.frame.operations = kept
}

// hasReliable reports whether one of the operations is reliable. An operation is reliable if its accuracy is known,
// or if it uses only ellipsoids that were determined with satellites.
func hasReliable(operations []operation) bool {
	for i := range operations {
		isAccuracyKnown := operations[i].accuracy >= 0
		if isAccuracyKnown || !operations[i].usesOldDatum() {
			return true
		}
	}
	return false
}

// boundsOf converts a box to the coordinates of a projected system. It returns two rectangles for a box that crosses
// the antimeridian, otherwise one.
func (s *System) boundsOf(b Box) []rectangle {
	isWholeWorld := b.width() >= 360 && b.South <= -90 && b.North >= 90
	if isWholeWorld {
		return []rectangle{{math.Inf(-1), math.Inf(-1), math.Inf(1), math.Inf(1)}}
	}
	crossesAntimeridian := b.East < b.West
	if crossesAntimeridian {
		west := Box{b.West, b.South, 180, b.North}
		east := Box{-180, b.South, b.East, b.North}
		return append(s.boundsOf(west), s.boundsOf(east)...)
	}
	bounds := rectangle{west: math.Inf(1), south: math.Inf(1), east: math.Inf(-1), north: math.Inf(-1)}
	const steps = 20 // points along each edge, because the edges are curves on the plane
	for i := 0.; i <= steps; i++ {
		lng := b.West + i/steps*(b.East-b.West)
		lat := b.South + i/steps*(b.North-b.South)
		for _, onEdge := range [][2]float64{{lng, b.South}, {lng, b.North}, {b.West, lat}, {b.East, lat}} {
			x, y := s.projection.forward(normalize((onEdge[0]-s.frame.meridian)*radian), onEdge[1]*radian)
			hasProjection := !math.IsNaN(x + y)
			if hasProjection {
				bounds.include(x, y)
			}
		}
	}
	return []rectangle{bounds}
}

// include enlarges the rectangle so that it contains a point.
func (r *rectangle) include(x, y float64) {
	r.west = math.Min(r.west, x)
	r.east = math.Max(r.east, x)
	r.south = math.Min(r.south, y)
	r.north = math.Max(r.north, y)
}

// describe returns the name of the operation.
func (o *operation) describe() string {
	if o.title != "" {
		return o.title
	}
	return loadAreas()[len(loadRegistry().areaBoxes)+o.name]
}
