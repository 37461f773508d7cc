package crs

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// definition is a reference system as described in a file. It is a projected system if projected is set, otherwise a
// geographic system, which has no projection method and no roles.
type definition struct {
	name      string
	code      int // EPSG or Esri code; 0 if the file has none
	projected bool

	datum      string    // name of the datum
	geographic string    // name of the geographic system, which can be the base of a projected system
	baseCode   int       // code of the geographic system; 0 if the file has none
	radius     float64   // of the ellipsoid at the equator, in metres
	inverse    float64   // inverse flattening; 0 for a sphere
	meridian   float64   // prime meridian in degrees from Greenwich
	toWGS84    []float64 // translations, rotations of a position vector in seconds, and scale in ppm

	method string          // name or code of the projection in the file
	roles  map[int]float64 // parameters by the code of their role
	xScale float64         // Esri's parameter X_Scale of Krovak; -1 means axes to the east and north
	web    bool            // Web Mercator, which uses a sphere
	unit   Unit
	axes   []string
}

// otherCodes has the other codes of a parameter. EPSG uses different codes for the same parameter, such as the
// latitude of the origin, in different projections. A definition stores the parameter under only one of its codes,
// which is called its role.
var otherCodes = map[int][]int{
	originLatitude:  {centreLatitude, falseOriginLatitude},
	originLongitude: {centreLongitude, falseOriginLongitude, longitudeOfOrigin},
	originScale:     {initialScale, pseudoParallelScale},
	falseEasting:    {centreEasting, falseOriginEasting},
	falseNorthing:   {centreNorthing, falseOriginNorthing},
	firstParallel:   {standardParallel},
}

// roleOf returns the role of the parameter with an EPSG code.
func roleOf(code int) int {
	for role, codes := range otherCodes {
		if slices.Contains(codes, code) {
			return role
		}
	}
	return code
}

// parameterNames maps the folded names of parameters in files to their codes.
var parameterNames = map[string]int{
	"latitudeoforigin": originLatitude, "latitudeofcenter": originLatitude, "latitudeofcentre": originLatitude,
	"latitudeofnaturalorigin": originLatitude, "latitudeoffalseorigin": originLatitude,
	"latitudeofprojectioncentre": originLatitude, "latitudeofprojectioncenter": originLatitude,
	"centralmeridian": originLongitude, "longitudeofcenter": originLongitude, "longitudeofcentre": originLongitude,
	"longitudeofnaturalorigin": originLongitude, "longitudeoffalseorigin": originLongitude,
	"longitudeofprojectioncentre": originLongitude, "longitudeofprojectioncenter": originLongitude,
	"longitudeoforigin": originLongitude, "straightverticallongitudefrompole": originLongitude,
	"scalefactor": originScale, "scalefactoratnaturalorigin": originScale,
	"scalefactoroninitialline": originScale, "scalefactoratprojectioncentre": originScale,
	"scalefactoronpseudostandardparallel": originScale,
	"falseeasting":                        falseEasting, "eastingatfalseorigin": falseEasting,
	"eastingatprojectioncentre": falseEasting,
	"falsenorthing":             falseNorthing, "northingatfalseorigin": falseNorthing,
	"northingatprojectioncentre": falseNorthing,
	"standardparallel1":          firstParallel, "standardparallel": firstParallel,
	"latitudeof1ststandardparallel": firstParallel, "latitudeofstandardparallel": firstParallel,
	"standardparallel2": secondParallel, "latitudeof2ndstandardparallel": secondParallel,
	"azimuth": initialAzimuth, "azimuthofinitialline": initialAzimuth, "azimuthatprojectioncentre": initialAzimuth,
	"rectifiedgridangle": skewAngle, "anglefromrectifiedtoskewgrid": skewAngle, "xyplanerotation": skewAngle,
	"pseudostandardparallel1": pseudoParallel, "latitudeofpseudostandardparallel": pseudoParallel,
	"colatitudeofconeaxis": coneAxisColatitude, "ellipsoidscalingfactor": ellipsoidScale,
	"projectionplaneoriginheight": originHeight, "initiallongitude": initialLongitude, "zonewidth": zoneWidth,
	"xscale": esriScaleX, "yscale": esriScaleY, "height": originHeight,
}

// Codes of Esri's parameters that EPSG does not have.
const (
	esriScaleX = -1
	esriScaleY = -2
)

// isAngle reports whether the parameter of a code is an angle.
func isAngle(code int) bool {
	switch roleOf(code) {
	case originLatitude, originLongitude, firstParallel, secondParallel, initialAzimuth, skewAngle,
		pseudoParallel, coneAxisColatitude, initialLongitude, zoneWidth:
		return true
	}
	return false
}

// isLength reports whether the parameter of a code is a length.
func isLength(code int) bool {
	role := roleOf(code)
	return role == falseEasting || role == falseNorthing || role == originHeight
}

// methodNames maps the folded names of projections in files to their codes.
var methodNames = map[string]int{
	"transversemercator": methodTransverseMercator, "gausskruger": methodTransverseMercator,
	"transversemercatorcomplex":           methodTransverseMercator,
	"transversemercatorsouthorientated":   methodSouthOrientated,
	"transversemercatorsouthoriented":     methodSouthOrientated,
	"transversemercatorzonedgridsystem":   methodZoned,
	"transversemercator3d":                methodTransverseMercator3D,
	"lambertconformalconic1sp":            methodLambert1SP,
	"lambertconicconformal1sp":            methodLambert1SP,
	"lambertconformalconic2sp":            methodLambert2SP,
	"lambertconicconformal2sp":            methodLambert2SP,
	"lambertconformalconic":               methodLambert2SP,
	"lambertconformalconic2spbelgium":     methodBelgium,
	"lambertconicconformal2spbelgium":     methodBelgium,
	"lambertconicconformal2spmichigan":    methodMichigan,
	"lambertconicconformalwestorientated": methodWestOrientated,
	"albersconicequalarea":                methodAlbers, "albers": methodAlbers, "albersequalarea": methodAlbers,
	"cassinisoldner": methodCassini, "cassini": methodCassini, "hyperboliccassinisoldner": methodHyperbolicCassini,
	"polarstereographic": methodPolarA, "polarstereographicvarianta": methodPolarA,
	"polarstereographicvariantb":                methodPolarB,
	"polarstereographicvariantc":                methodPolarC,
	"stereographicnorthpole":                    methodPolarB,
	"stereographicsouthpole":                    methodPolarB,
	"stereographic":                             methodPolarA,
	"hotineobliquemercator":                     methodHotineA,
	"hotineobliquemercatorvarianta":             methodHotineA,
	"hotineobliquemercatorazimuthnaturalorigin": methodHotineA,
	"rectifiedskeworthomorphicnaturalorigin":    methodHotineA,
	"hotineobliquemercatorvariantb":             methodHotineB,
	"hotineobliquemercatorazimuthcenter":        methodHotineB,
	"obliquemercator":                           methodHotineB,
	"rectifiedskeworthomorphiccenter":           methodHotineB,
	"swissobliquecylindrical":                   methodHotineB,
	"swissobliquemercator":                      methodHotineB,
	"labordeobliquemercator":                    methodLaborde,
	"obliquestereographic":                      methodObliqueStereographic,
	"doublestereographic":                       methodObliqueStereographic,
	"lambertazimuthalequalarea":                 methodLAEA,
	"lambertazimuthalequalareaspherical":        methodLAEASpherical,
	"mercator1sp":                               methodMercatorA, "mercatorvarianta": methodMercatorA,
	"mercator2sp": methodMercatorB, "mercatorvariantb": methodMercatorB, "mercator": methodMercatorB,
	"mercator1spspherical":               methodMercatorSpherical,
	"mercatorauxiliarysphere":            methodWebMercator,
	"popularvisualisationpseudomercator": methodWebMercator,
	"krovak":                             methodKrovak, "krovaknorthorientated": methodKrovakNorth,
	"krovakmodified": methodKrovakModified, "krovakmodifiednorthorientated": methodKrovakModifiedNorth,
	"polyconic": methodPolyconic, "americanpolyconic": methodPolyconic,
	"newzealandmapgrid":           methodNewZealand,
	"lambertcylindricalequalarea": methodCylindricalEqualArea, "cylindricalequalarea": methodCylindricalEqualArea,
	"equalearth": methodEqualEarth, "colombiaurban": methodColombiaUrban, "bonnesouthorientated": methodBonneSouth,
}

// Parse returns the system of a definition: well-known text of any version (OGC, Esri), PROJJSON, a
// PROJ string, or a code. If the parameters of the definition agree with the registered system of
// its code or name, Parse returns that system; otherwise it returns a system with the parameters of
// the definition. It ignores the heights of compound systems.
func Parse(text string) (*System, error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if len(text) > maxDefinition {
		return nil, errors.New("the definition of the reference system is too long; export the sites as WGS 84")
	}
	parse := parserOf(text)
	if parse == nil {
		return Find(text)
	}
	d, err := parse(text)
	if err == nil {
		return d.resolve()
	}
	// Well-known text that has only a name, such as PROJCS["WGS 84 / UTM zone 32N"], is not valid, but the name can
	// be registered.
	if s := namedOnly(text); s != nil {
		return s, nil
	}
	return nil, err
}

// parserOf returns the function that parses a definition of the form of the text: PROJJSON, well-known text or a PROJ
// string. It returns nil for other texts, such as a code.
func parserOf(text string) func(string) (*definition, error) {
	if strings.HasPrefix(text, "{") {
		return parseJSON
	}
	if wktStart.MatchString(text) {
		return parseWKT
	}
	if strings.Contains(text, "+proj=") || strings.Contains(text, "+init=") {
		return parsePROJ
	}
	return nil
}

// nameInText matches the name of the system in well-known text.
var nameInText = regexp.MustCompile(`^[A-Za-z_]+\s*[\[(]\s*"([^"]+)"`)

// namedOnly returns the registered system with the name in well-known text, or nil. It returns nil if the text has
// parameters, because they can differ from the parameters of the registered system.
func namedOnly(text string) *System {
	m := nameInText.FindStringSubmatch(text)
	if m == nil || strings.Contains(strings.ToUpper(text), "PARAMETER") {
		return nil
	}
	found := loadIndex().systems[fold(m[1])]
	if len(found) == 0 {
		return nil
	}
	s, err := systemAt(preferred(found))
	if err != nil {
		return nil
	}
	return s
}

// maxDefinition is the maximum size of a definition in bytes.
const maxDefinition = 64 << 10

// resolve returns the registered system that agrees with the definition, or else a system with the
// parameters of the definition.
func (d *definition) resolve() (*System, error) {
	own, err := d.makeSystem()
	if err != nil {
		if d.code != 0 && (d.method == "" || d.radius == 0) { // only a code, without parameters
			return FindCode(d.code)
		}
		return nil, err
	}
	for _, index := range d.candidates() {
		if known := own.registered(index); known != nil {
			return known, nil
		}
	}
	return own, nil
}

// registered returns the registered system of a record if s has the same datum and gives the same coordinates, or nil.
// For a deprecated record it returns the successor. The successor can have another datum than s, because some systems
// are deprecated to correct their datum.
func (s *System) registered(index int) *System {
	g := loadRegistry()
	record, err := g.makeOwn(index)
	if err != nil || !record.agrees(s) {
		return nil
	}
	known, err := systemAt(index)
	if err != nil || !known.isSamePlane(s) {
		return nil
	}
	return known
}

// candidates returns the records with the code or the name of the definition.
func (d *definition) candidates() []int {
	var found []int
	if i := loadRegistry().indexOf(d.code); d.code != 0 && i >= 0 {
		found = append(found, i)
	}
	return append(found, loadIndex().systems[fold(strings.TrimSuffix(d.name, " (deprecated)"))]...)
}

// agrees reports whether two systems have the same datum and give the same coordinates for positions.
func (s *System) agrees(other *System) bool {
	return s.frame.name == other.frame.name && s.isSamePlane(other)
}

// isSamePlane reports whether two systems give the same coordinates, to a centimetre, for positions on one datum.
func (s *System) isSamePlane(other *System) bool {
	if s.IsGeographic() != other.IsGeographic() {
		return false
	}
	order := other.order
	order.swapped = s.order.swapped // ignore axes that only the registry swaps: files have the easting first
	if s.order != order {
		return false
	}
	hasSameMeridian := math.Abs(s.frame.meridian-other.frame.meridian) <= 1e-7
	hasSameRadius := math.Abs(s.frame.ellipsoid.a-other.frame.ellipsoid.a) <= .01
	if !hasSameMeridian || !hasSameRadius {
		return false
	}
	if s.IsGeographic() {
		return math.Abs(s.axes.unit.Factor/other.axes.unit.Factor-1) < 1e-6
	}
	return s.projectsLike(other)
}

// projectsLike reports whether two projected systems give the same coordinates, to a centimetre, for some points in the
// area of use of s.
func (s *System) projectsLike(other *System) bool {
	for _, share := range comparedShares {
		lng := normalize((s.area.West + share.width*s.area.width() - s.frame.meridian) * radian)
		lat := (s.area.South + share.height*(s.area.North-s.area.South)) * radian
		x, y := s.toAxes(s.projection.forward(lng, lat))
		otherX, otherY := other.toAxes(other.projection.forward(lng, lat))
		metresApart := math.Hypot(x-otherX, y-otherY) * s.axes.unit.Factor
		isNear := metresApart < .01 // false if a coordinate is NaN
		if !isNear {
			return false
		}
	}
	return true
}

// comparedShares are the points at which projections are compared, as fractions of the width and height of the area of
// use. The three points are not on one line, so projections with different parameters differ at one of them.
var comparedShares = []struct{ width, height float64 }{{.3, .3}, {.5, .6}, {.8, .4}}

// makeSystem returns a system with the parameters of the definition. It returns an error if the definition has no
// unit, or if its datum or its projection is not known.
func (d *definition) makeSystem() (*System, error) {
	datum, area, err := d.makeFrame()
	if err != nil {
		return nil, err
	}
	s := &System{index: -1, title: d.title(), area: area, frame: datum} // not in the registry
	if !d.hasUnit() {
		return nil, fmt.Errorf("%s has no unit; export the sites as WGS 84", s.title)
	}
	method := noMethod
	if d.projected {
		method = d.findMethod()
		s.method = d.method
		s.projection, err = newProjection(method, d.method, datum.ellipsoid, d.parameters(method))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.title, err)
		}
	}
	s.axes = d.axesFor(method)
	s.order = s.axes.findOrder()
	s.selectOperations() // after the projection, which it uses
	return s, nil
}

// title returns the name of the definition for messages.
func (d *definition) title() string {
	if d.name == "" {
		return "the system of the file"
	}
	return d.name
}

func (d *definition) hasUnit() bool { return d.unit.Factor > 0 && !math.IsInf(d.unit.Factor, 0) }

// noMethod is the method of a geographic system, which has no projection.
const noMethod = 0

// axesFor returns the axes of the definition. If it has none, it returns the usual axes of systems with the projection
// method.
func (d *definition) axesFor(method int) axes {
	if len(d.axes) >= 2 {
		return axes{d.axes[0], d.axes[1], d.unit}
	}
	first, second := d.usualDirections(method)
	return axes{first, second, d.unit}
}

// usualDirections returns the directions of the axes of most systems with a projection method.
func (d *definition) usualDirections(method int) (first, second string) {
	switch method {
	case methodSouthOrientated:
		return "west", "south"
	case methodKrovak:
		if d.xScale >= 0 {
			return "south", "west"
		}
	case methodKrovakModified, methodBonneSouth:
		return "south", "west"
	case methodWestOrientated:
		return "west", "north"
	}
	return "east", "north"
}

// findMethod returns the code of the projection method. If the name of the projection fits several methods, the
// parameters decide.
func (d *definition) findMethod() int {
	if fold(d.method) == esriLambert {
		return d.findLambert()
	}
	method := d.namedMethod()
	switch method {
	case methodPolarA:
		return d.findPolar()
	case methodMercatorA, methodMercatorB:
		if d.web {
			return methodWebMercator
		}
	}
	return method
}

// Folded names of projections with special parameters.
const (
	esriLambert            = "lambertconformalconic"
	stereographicSouthPole = "stereographicsouthpole"
)

// namedMethod returns the code of the first method that the name of the projection fits, or -1.
func (d *definition) namedMethod() int {
	if method, isKnown := methodNames[fold(d.method)]; isKnown {
		return method
	}
	return methodByName(d.method)
}

// findLambert returns the variant of the projection that Esri calls Lambert_Conformal_Conic.
func (d *definition) findLambert() int {
	_, hasSecondParallel := d.roles[secondParallel]
	if !hasSecondParallel {
		return methodLambert1SP
	}
	scale, hasScale := d.roles[originScale]
	if hasScale && scale != 1 {
		return methodMichigan
	}
	return methodLambert2SP
}

// findPolar returns the variant of the Polar Stereographic projection. Variant A has the scale at the pole, and
// variant B the latitude of true scale, which well-known text of version 1 calls the latitude of origin.
func (d *definition) findPolar() int {
	lat := d.roles[originLatitude]
	isPole := math.Abs(math.Abs(lat)-math.Pi/2) < 1e-9
	if isPole {
		return methodPolarA
	}
	if fold(d.method) == "stereographic" {
		return -1 // an oblique projection on the ellipsoid
	}
	return methodPolarB
}

// methodByName returns the code of a projection, given its registered name or its code.
func methodByName(name string) int {
	for code, known := range loadRegistry().methods {
		if fold(known) == fold(name) {
			return code
		}
	}
	if code, err := strconv.Atoi(name); err == nil {
		return code
	}
	return -1
}

// parameters returns the parameters for a projection method by their EPSG codes. A parameter with several codes is set
// under each of them, because projections read different ones.
func (d *definition) parameters(method int) parameters {
	p := parameters{}
	for role, value := range d.completeRoles(method) {
		p[role] = value
		for _, code := range otherCodes[role] {
			p[code] = value
		}
	}
	return p
}

// completeRoles returns the parameters of the definition by their roles. It adds parameters that the projection needs,
// but that some files leave out or name differently. method is the code that findMethod returned, which may be another
// method than the file names.
func (d *definition) completeRoles(method int) map[int]float64 {
	roles := maps.Clone(d.roles)
	nameInFile := fold(d.method)
	switch method {
	case methodKrovak, methodKrovakNorth, methodKrovakModified, methodKrovakModifiedNorth:
		azimuth, hasAzimuth := roles[initialAzimuth]
		if hasAzimuth { // the former name of the colatitude
			roles[coneAxisColatitude] = azimuth
		}
	case methodHotineA, methodHotineB:
		isSwiss := strings.HasPrefix(nameInFile, "swiss")
		if isSwiss { // files leave out the azimuth, because it is always 90 degrees
			roles[initialAzimuth] = math.Pi / 2
			roles[skewAngle] = math.Pi / 2
		}
	case methodLambert1SP:
		_, hasOrigin := roles[originLatitude]
		if !hasOrigin { // the only parallel is also the origin
			roles[originLatitude] = roles[firstParallel]
		}
	case methodMichigan:
		if nameInFile == esriLambert { // Esri's scale at the origin means the scale of the ellipsoid
			roles[ellipsoidScale] = roles[originScale]
		}
	case methodPolarB: // its first parallel is the latitude of true scale
		isNamedA := d.namedMethod() == methodPolarA
		if isNamedA { // findPolar chose variant B, because the origin in the file is the latitude of true scale
			roles[firstParallel] = roles[originLatitude]
		}
		isSignMissing := nameInFile == stereographicSouthPole && roles[firstParallel] > 0
		if isSignMissing { // some files give the southern latitude without a minus
			roles[firstParallel] = -roles[firstParallel]
		}
	}
	return roles
}

// wholeWorld is the area of a datum that is not in the registry.
var wholeWorld = Box{-180, -90, 180, 90}

// makeFrame returns the datum of the definition, and the area of use of its geographic system. A datum that is not in
// the registry can only be used if the definition shows how to convert it to WGS 84.
func (d *definition) makeFrame() (datum frame, area Box, err error) {
	if !d.hasEllipsoid() && d.baseCode == 0 { // a registered geographic system has an ellipsoid
		return frame{}, Box{}, fmt.Errorf("%s has no ellipsoid; export the sites as WGS 84", d.name)
	}
	own := newEllipsoid("", d.radius, d.inverse)
	datum, area, isRegistered := d.registeredFrame(own)
	if isRegistered {
		return datum, area, nil
	}
	name := d.datum
	if name == "" {
		name = d.geographic
	}
	toWGS84, err := d.findOperation(name, own)
	if err != nil {
		return frame{}, Box{}, err
	}
	datum = frame{
		name: name, short: d.datum, ellipsoid: own, meridian: d.meridian,
		operations: []operation{toWGS84},
	}
	return datum, wholeWorld, nil
}

// findOperation returns the operation that converts a datum which is not in the registry to WGS 84. It is the
// transformation in the definition. A datum without a name that has the ellipsoid of WGS 84 is used unchanged.
func (d *definition) findOperation(datum string, own ellipsoid) (operation, error) {
	hasTransformation := len(d.toWGS84) == 3 || len(d.toWGS84) == 7
	if hasTransformation {
		return d.givenOperation(own), nil
	}
	if !isUnknownDatum(datum) {
		return operation{}, fmt.Errorf(
			"the datum %s is not known; give the EPSG code of the system, or export the sites as WGS 84", datum)
	}
	if !isWGS84(own) {
		return operation{}, fmt.Errorf(
			"%s names no datum; give the EPSG code of the system, or export the sites as WGS 84", d.name)
	}
	return operation{box: wholeWorld, accuracy: modernDatum, title: "WGS 84 by its ellipsoid"}, nil
}

// hasEllipsoid reports whether the definition has a possible radius and inverse flattening.
func (d *definition) hasEllipsoid() bool {
	hasRadius := d.radius > 1000 && !math.IsInf(d.radius, 0)
	return hasRadius && (d.inverse == 0 || d.inverse > 1.01)
}

// registeredFrame returns the registered datum with the name or code in the definition, and the area of use of its
// geographic system. own is the ellipsoid of the definition. ok is false if the registry does not have the datum, or
// has it with another ellipsoid than own.
func (d *definition) registeredFrame(own ellipsoid) (datum frame, area Box, ok bool) {
	g := loadRegistry()
	index := d.findDatum()
	if index < 0 || g.records[index].projected {
		return frame{}, Box{}, false
	}
	record := g.records[index]
	datum = g.makeFrame(record)
	datum.short = loadNames()[index]
	area = g.boxes[g.areaBoxes[record.area]]
	hasOwnEllipsoid := d.radius != 0
	if !hasOwnEllipsoid {
		return datum, area, true
	}
	isSameSize := math.Abs(datum.ellipsoid.a-own.a) <= 1
	isSameShape := math.Abs(datum.ellipsoid.f-own.f) <= 1e-6
	if !isSameSize || !isSameShape {
		return frame{}, Box{}, false
	}
	datum.meridian = d.meridian
	datum.ellipsoid = own
	return datum, area, true
}

// findDatum returns the index of a record with the datum of the definition, or -1. It looks for the code of the
// geographic system first, and then for the names.
func (d *definition) findDatum() int {
	if d.baseCode != 0 {
		if i := loadRegistry().indexOf(d.baseCode); i >= 0 {
			return i
		}
	}
	if len(d.toWGS84) > 0 && d.code == 0 {
		return -1 // the transformation in the file has priority over the transformations of a datum with this name
	}
	for _, name := range []string{d.datum, d.geographic} {
		if i, ok := loadIndex().datums[fold(name)]; ok {
			return i
		}
	}
	return -1
}

// givenOperation returns the transformation in the file. Its accuracy is a few metres.
func (d *definition) givenOperation(own ellipsoid) operation {
	n := append(slices.Clone(d.toWGS84), 0, 0, 0, 0) // three translations need four zeroes
	from := step{kind: stepGeocentric, ellipsoid: own}
	shift := step{kind: stepHelmert}
	shift.setHelmert(n[:7], 1)
	to := step{kind: stepGeocentric, inverse: true, ellipsoid: newEllipsoid("", modernRadius, 298.257223563)}
	return operation{
		box: wholeWorld, accuracy: coarse, title: "the transformation of the file",
		steps: []step{{kind: stepKeepHeight}, from, shift, to, {kind: stepSetHeight}},
	}
}

func isWGS84(e ellipsoid) bool {
	return math.Abs(e.a-modernRadius) < .01 && math.Abs(e.inverse-298.257223563) < 1e-6
}

// isUnknownDatum reports whether a datum name means that the datum is unknown.
func isUnknownDatum(name string) bool {
	folded := fold(name)
	return folded == "" || strings.Contains(folded, "unknown") || strings.Contains(folded, "notspecified") ||
		strings.Contains(folded, "unnamed") || strings.Contains(folded, "undefined")
}
