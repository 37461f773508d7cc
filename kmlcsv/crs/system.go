package crs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// System is a reference system for coordinates on a map, without heights. It is safe for concurrent use.
type System struct {
	authority string // EPSG or ESRI; "" for a system that only a file describes
	code      int
	index     int // index of the system in the registry; -1 if it is not in the registry
	title     string
	note      string
	area      Box
	axes      axes
	order     axisOrder

	projection projection // nil for a geographic system
	method     string
	frame      frame
}

// frame is the datum of a system, together with the transformations from this datum to WGS 84.
type frame struct {
	name       string // name of the datum
	short      string // name of the geographic system, such as NAD27; shorter than the name of the datum
	ellipsoid  ellipsoid
	meridian   float64 // prime meridian in degrees from Greenwich
	operations []operation
	grids      []gridArea
}

// axes are the directions of the two axes, such as "east" and "north", and their unit. first is the axis that the
// registry lists first.
type axes struct {
	first, second string
	unit          Unit
}

// axisOrder says which of the two coordinates in a file is the easting, and which signs they have.
type axisOrder struct {
	swapped      bool    // the registry lists the northing first, but files have the easting first
	northIsFirst bool    // the registry and files have the northing first; never set together with swapped
	signX, signY float64 // -1 for an axis that points to the west or south, otherwise 1
}

var (
	errOutside = errors.New("outside of what the system can describe")
	errNumber  = errors.New("not a number")
)

// findOrder returns the order that coordinates have in files. Files usually have the same order as the registry. An
// exception are systems with the axes north and east, in this order: their files have the easting first.
func (a axes) findOrder() axisOrder {
	first := strings.ToLower(a.first)
	second := strings.ToLower(a.second)
	o := axisOrder{signX: 1, signY: 1}
	if strings.Contains(first, "along") && strings.Contains(second, "along") {
		o.swapped = isNorthFirstAtPole(first, second)
		return o
	}
	o.swapped = first == "north" && second == "east"
	if o.swapped {
		return o
	}
	o.northIsFirst = first == "north" || first == "south"
	if first == "south" || first == "west" {
		o.signX = -1
	}
	if second == "south" || second == "west" {
		o.signY = -1
	}
	return o
}

// isNorthFirstAtPole reports whether the first of the two axes of a polar map is the northing. The registry names such
// axes by meridians, as in "South along 90°E", so the names do not show which axis is the northing. On the map, the
// northing points a quarter turn counterclockwise from the easting. Longitudes increase counterclockwise around the
// north pole, and clockwise around the south pole.
func isNorthFirstAtPole(first, second string) bool {
	turn := math.Mod(meridianOf(first)-meridianOf(second)+720, 360)
	if strings.HasPrefix(first, "south") {
		return turn == 90
	}
	return turn == 270
}

// meridianOf returns the longitude in the name of an axis: 90 for "south along 90°e". The name must be in lower case.
func meridianOf(direction string) float64 {
	_, text, _ := strings.Cut(direction, "along ")
	number, side, _ := strings.Cut(text, "°")
	v, _ := strconv.ParseFloat(number, 64)
	if strings.TrimSpace(side) == "w" {
		return -v
	}
	return v
}

var systems sync.Map // index of a record to *System or error

// UnknownError is the error for a code or a name that no system has.
type UnknownError struct {
	Problem string // such as `no reference system is called "UTM 99"`
	advice  string // what the user can do about the problem
}

func (e *UnknownError) Error() string { return e.Problem + "; " + e.advice }

// FindCode returns the system with an EPSG or Esri code. If the system is deprecated and has a single successor,
// FindCode returns the successor, and its Note tells the user about the replacement. If no system has the code, the
// error is an [*UnknownError].
func FindCode(code int) (*System, error) {
	if code == googleMercator {
		code = webMercator
	}
	g := loadRegistry()
	i := g.indexOf(code)
	if i < 0 {
		return nil, &UnknownError{
			Problem: fmt.Sprintf("EPSG:%d is unknown, or not a reference system of two dimensions", code),
			advice:  "export the sites as WGS 84",
		}
	}
	return systemAt(i)
}

// Codes of Web Mercator, including an unofficial code from before it was registered.
const (
	googleMercator = 900913
	webMercator    = 3857
)

// indexOf returns the index of the system with a code, or -1. If both EPSG and Esri use the code, it returns EPSG's
// system. If the code means a system with heights, it returns the same system without heights.
func (g *registry) indexOf(code int) int {
	if i := findCode(g.records[:g.esri], code); i >= 0 {
		return i
	}
	if i := findCode(g.records[g.esri:], code); i >= 0 {
		return g.esri + i
	}
	if i, hasHeights := g.flat[code]; hasHeights {
		return i
	}
	return -1
}

// findCode returns the index of the record with a code, or -1. It uses binary search, so the records must be sorted
// by their codes.
func findCode(records []record, code int) int {
	i, isFound := slices.BinarySearchFunc(records, code, func(r record, code int) int { return cmp.Compare(r.code, code) })
	if !isFound {
		return -1
	}
	return i
}

// systemAt returns the system at an index of the registry, or the successor of a deprecated system. It caches the
// result, also if it is an error because the system cannot be computed.
func systemAt(index int) (*System, error) {
	if found, ok := systems.Load(index); ok {
		if s, ok := found.(*System); ok {
			return s, nil
		}
		return nil, found.(error)
	}
	s, err := loadRegistry().makeSystem(index)
	if err != nil {
		systems.Store(index, err)
		return nil, err
	}
	systems.Store(index, s)
	return s, nil
}

func (g *registry) makeSystem(index int) (*System, error) {
	r := g.records[index]
	if r.successor >= 0 && r.successor != index {
		next, err := systemAt(r.successor)
		if err != nil {
			return nil, err
		}
		replaced := *next
		replaced.note = fmt.Sprintf("%s is replaced by %s", g.reference(index), next.Reference())
		return &replaced, nil
	}
	return g.makeOwn(index)
}

// makeOwn makes the system at an index of the registry. If the system is deprecated, makeOwn still makes this system,
// whereas systemAt returns its successor.
func (g *registry) makeOwn(index int) (*System, error) {
	r := g.records[index]
	s := &System{authority: "EPSG", code: r.code, index: index, area: g.boxes[g.areaBoxes[r.area]], axes: g.axes[r.axes]}
	if index >= g.esri {
		s.authority = "ESRI"
	}
	if r.deprecated {
		s.note = g.reference(index) + " is deprecated"
	}
	s.order = s.axes.findOrder()
	geographic := index // the record with the datum
	if r.projected {
		geographic = r.base
	}
	s.frame = g.makeFrame(g.records[geographic])
	s.frame.short = loadNames()[geographic]
	if r.projected {
		if err := s.setProjection(r.conversion); err != nil {
			return nil, err
		}
	}
	s.selectOperations() // after the projection, which it uses
	return s, nil
}

// setProjection sets the projection of the system. conversion is an index in registry.projected.
func (s *System) setProjection(conversion int) error {
	g := loadRegistry()
	method, p := g.parametersOf(conversion)
	s.method = g.methods[method]
	mapping, err := newProjection(method, s.method, s.frame.ellipsoid, p)
	if err != nil {
		return fmt.Errorf("%s (%s): %w", s.Reference(), s.Name(), err)
	}
	s.projection = mapping
	return nil
}

// reference returns the registry and the code of the system at an index, such as EPSG:25832.
func (g *registry) reference(index int) string {
	if index >= g.esri {
		return "ESRI:" + strconv.Itoa(g.records[index].code)
	}
	return "EPSG:" + strconv.Itoa(g.records[index].code)
}

// makeFrame returns the datum of the geographic system r.
func (g *registry) makeFrame(r record) frame {
	f := frame{ellipsoid: g.ellipsoids[r.ellipsoid], meridian: r.meridian, grids: g.grids[r.operations]}
	f.operations = append(f.operations, g.lists[r.operations]...)
	for i := range f.operations {
		o := &f.operations[i]
		o.steps = parseSteps(g.pipelines[o.pipeline])
		o.ballpark = strings.HasPrefix(o.describe(), "Ballpark")
	}
	f.name, _, _ = strings.Cut(loadAliases()[len(g.records)+r.datum], "\t")
	return f
}

// parametersOf returns the method code of a map projection, and its parameters in metres and radians. conversion is
// an index in registry.projected.
func (g *registry) parametersOf(conversion int) (method int, p parameters) {
	c := g.projected[conversion]
	signature := g.signatures[c.signature]
	p = parameters{}
	for i := 1; i < len(signature); i += 2 {
		value := c.values[i/2]
		if unit, ok := g.units[signature[i+1]]; ok {
			value *= unit.Factor
		}
		p[signature[i]] = value
	}
	return signature[0], p
}

// ToWGS84 converts coordinates in the unit of the system to a longitude and a latitude in degrees in WGS 84. x is the
// easting or the longitude, and y is the northing or the latitude, unless Axes returns another order.
func (s *System) ToWGS84(x, y float64) (lng, lat float64, err error) {
	if math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) {
		return 0, 0, errNumber
	}
	ownLng, ownLat, ok := s.unproject(x, y)
	if !ok {
		return 0, 0, fmt.Errorf("%v, %v of %s: %w", x, y, s.Reference(), errOutside)
	}
	ownLng += s.frame.meridian * radian
	east, north := s.fromAxes(x, y)
	at := place{normalize(ownLng) / radian, ownLat / radian, east, north, s.projection == nil}
	lng, lat = chooseOperation(s.frame.operations, at).apply(ownLng, ownLat)
	lng = normalize(lng) / radian
	lat /= radian
	if !(math.Abs(lat) <= 90 && math.Abs(lng) <= 180) {
		return 0, 0, fmt.Errorf("%v, %v of %s: %w", x, y, s.Reference(), errOutside)
	}
	return lng, lat, nil
}

// unproject converts coordinates in the unit of the system to a longitude and a latitude in radians, on the datum of
// the system. The longitude is counted from the prime meridian of the system. ok is false if no position has these
// coordinates.
func (s *System) unproject(x, y float64) (lng, lat float64, ok bool) {
	east, north := s.fromAxes(x, y)
	if s.projection == nil {
		return east, north, math.Abs(east) <= 2*math.Pi && math.Abs(north) <= math.Pi/2*(1+1e-12)
	}
	lng, lat = s.projection.inverse(east, north)
	if !(math.Abs(lat) <= math.Pi/2) || math.IsNaN(lng) {
		return 0, 0, false
	}
	if s.area.Near(lng/radian+s.frame.meridian, lat/radian, 1) {
		return lng, lat, true
	}
	// Far from the area of use, the inverse of a projection can be wrong. The position is then not valid.
	backEast, backNorth := s.projection.forward(lng, lat)
	return lng, lat, math.Hypot(backEast-east, backNorth-north) < .01
}

// fromAxes converts coordinates in the unit and the order of the system to an easting and a northing in metres. For a
// geographic system, it converts them to a longitude and a latitude in radians.
func (s *System) fromAxes(x, y float64) (east, north float64) {
	x *= s.order.signX * s.axes.unit.Factor
	y *= s.order.signY * s.axes.unit.Factor
	if s.order.northIsFirst {
		return y, x
	}
	return x, y
}

// FromWGS84 converts a longitude and a latitude in degrees in WGS 84 to coordinates of the system, in its unit and
// order.
func (s *System) FromWGS84(lng, lat float64) (x, y float64, err error) {
	if !(math.Abs(lat) <= 90 && math.Abs(lng) <= 360) {
		return 0, 0, errNumber
	}
	at := s.placeAt(normalize(lng*radian)/radian, lat)
	ownLng, ownLat := chooseOperation(s.frame.operations, at).undo(lng*radian, lat*radian) // on the datum of the system
	ownLng = normalize(ownLng - s.frame.meridian*radian)
	east := ownLng
	north := ownLat
	if s.projection != nil {
		east, north = s.projection.forward(ownLng, ownLat)
	}
	if math.IsNaN(east+north) || math.IsInf(east, 0) || math.IsInf(north, 0) {
		return 0, 0, fmt.Errorf("%v, %v in %s: %w", lat, lng, s.Reference(), errOutside)
	}
	x, y = s.toAxes(east, north)
	return x, y, nil
}

// toAxes is the reverse of fromAxes. It converts an easting and a northing in metres, or a longitude and a latitude
// in radians, to coordinates in the unit and the order of the system.
func (s *System) toAxes(east, north float64) (x, y float64) {
	x = east
	y = north
	if s.order.northIsFirst {
		x = north
		y = east
	}
	return x * s.order.signX / s.axes.unit.Factor, y * s.order.signY / s.axes.unit.Factor
}
