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

// definition is a reference system as a file describes it. If projected is true, it is a projected system. Otherwise
// it is a geographic system, and has no projection method and no parameters.
type definition struct {
	name      string
	code      int // EPSG or Esri code; 0 if the file has none
	projected bool

	datum      string    // name of the datum
	geographic string    // name of the geographic system, which a projected system is based on
	baseCode   int       // code of the geographic system; 0 if the file has none
	radius     float64   // radius of the ellipsoid at the equator, in metres
	inverse    float64   // inverse flattening of the ellipsoid, such as 298.257; 0 for a sphere
	meridian   float64   // prime meridian in degrees from Greenwich
	toWGS84    []float64 // shift to WGS 84: three translations in metres, three rotations in seconds, scale in ppm

	method string          // name or code of the projection in the file
	roles  map[int]float64 // parameters of the projection; the keys are their roles, see otherCodes
	xScale float64         // Esri's parameter X_Scale of the Krovak projection; -1 means axes to the east and north
	web    bool            // Web Mercator, which uses a sphere
	unit   Unit
	axes   []string
}

// otherCodes maps the main EPSG code of a parameter to the other EPSG codes of the same parameter. EPSG has several
// codes for some parameters, such as the latitude of the origin, because each group of projections has its own. A
// definition stores a parameter only under its main code, which is called the role of the parameter.
var otherCodes = map[int][]int{
	originLatitude:  {centreLatitude, falseOriginLatitude},
	originLongitude: {centreLongitude, falseOriginLongitude, longitudeOfOrigin},
	originScale:     {initialScale, pseudoParallelScale},
	falseEasting:    {centreEasting, falseOriginEasting},
	falseNorthing:   {centreNorthing, falseOriginNorthing},
	firstParallel:   {standardParallel},
}

// roleOf returns the role of a parameter, which is the main code in otherCodes. code is any EPSG code of the parameter.
func roleOf(code int) int {
	for role, codes := range otherCodes {
		if slices.Contains(codes, code) {
			return role
		}
	}
	return code
}

// parameterNames maps the names that files use for parameters to EPSG codes. The names are in the form that fold
// returns.
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

// isAngle reports whether the parameter with an EPSG code is an angle.
func isAngle(code int) bool {
	switch roleOf(code) {
	case originLatitude, originLongitude, firstParallel, secondParallel, initialAzimuth, skewAngle,
		pseudoParallel, coneAxisColatitude, initialLongitude, zoneWidth:
		return true
	}
	return false
}

// isLength reports whether the parameter with an EPSG code is a length.
func isLength(code int) bool {
	role := roleOf(code)
	return role == falseEasting || role == falseNorthing || role == originHeight
}

// methodNames maps the names that files use for projections to the EPSG codes of projection methods. The names are in
// the form that fold returns.
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

// Parse returns the system that a definition describes. A definition is well-known text of any version (OGC or Esri),
// PROJJSON, a PROJ string, or a code. If the registry has a system with the same code or name and the same
// properties, Parse returns the system of the registry. Otherwise it returns a system with the parameters of the
// definition. If the definition is a compound system, Parse ignores its heights.
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

// parserOf returns the function that can parse a definition: the parser for PROJJSON, well-known text or PROJ
// strings. It returns nil for other texts, such as a code.
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

// nameInText matches the start of well-known text up to the name of the system. Its capturing group is the name.
var nameInText = regexp.MustCompile(`^[A-Za-z_]+\s*[\[(]\s*"([^"]+)"`)

// namedOnly finds the system for well-known text that has a name but cannot be parsed. It returns the system with
// this name in the registry, or nil if there is none. It also returns nil if the text has parameters, because they
// may differ from the system in the registry.
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

// resolve returns the system in the registry that agrees with the definition. If there is none, it returns a new
// system with the parameters of the definition.
func (d *definition) resolve() (*System, error) {
	own, err := d.makeSystem()
	if err != nil {
		if d.code != 0 && (d.method == "" || d.radius == 0) { // the definition has only a code and no parameters
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

// registered returns the system at the given index of the registry if it has the same datum as s and gives the same
// coordinates as s. Otherwise it returns nil.
//
// If the system at the index is deprecated, registered returns its successor instead. The successor must give the same
// coordinates as s, otherwise registered returns nil. The datum of the successor may differ from the datum of s,
// because some systems were deprecated to correct their datum.
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

// candidates returns the indexes of the systems in the registry that have the code or the name of the definition.
func (d *definition) candidates() []int {
	var found []int
	if i := loadRegistry().indexOf(d.code); d.code != 0 && i >= 0 {
		found = append(found, i)
	}
	return append(found, loadIndex().systems[fold(strings.TrimSuffix(d.name, " (deprecated)"))]...)
}

// agrees reports whether two systems have the same datum and give the same coordinates for each position.
func (s *System) agrees(other *System) bool {
	return s.frame.name == other.frame.name && s.isSamePlane(other)
}

// isSamePlane reports whether two systems give the same coordinates, to a centimetre, for the same longitude and
// latitude. It does not compare the datums.
func (s *System) isSamePlane(other *System) bool {
	if s.IsGeographic() != other.IsGeographic() {
		return false
	}
	order := other.order
	order.swapped = s.order.swapped // in files, the easting is first even if the registry has the northing first
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

// projectsLike reports whether two projected systems give the same coordinates, to a centimetre. It compares the
// coordinates of three points in the area of use of s.
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

// comparedShares are the points that projectsLike compares, as fractions of the width and the height of the area of
// use. The points are not on one line, so that different projections differ in at least one of them.
var comparedShares = []struct{ width, height float64 }{{.3, .3}, {.5, .6}, {.8, .4}}

// makeSystem returns a new system with the parameters of the definition. It returns an error if the definition has no
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

// title returns the name of the system for messages. If the system has no name, it returns "the system of the file".
func (d *definition) title() string {
	if d.name == "" {
		return "the system of the file"
	}
	return d.name
}

func (d *definition) hasUnit() bool { return d.unit.Factor > 0 && !math.IsInf(d.unit.Factor, 0) }

// noMethod is the code of the projection method of a geographic system, which has no projection.
const noMethod = 0

// axesFor returns the axes of the definition. If the definition has no axes, it returns the axes that most systems
// with the given projection method have.
func (d *definition) axesFor(method int) axes {
	if len(d.axes) >= 2 {
		return axes{d.axes[0], d.axes[1], d.unit}
	}
	first, second := d.usualDirections(method)
	return axes{first, second, d.unit}
}

// usualDirections returns the directions that the axes of most systems with the given projection method have.
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

// findMethod returns the code of the projection method, or -1 if it is not known. If several methods have the same
// name, the parameters of the definition decide.
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

// Names of projections that need special treatment, in the form that fold returns.
const (
	esriLambert            = "lambertconformalconic"
	stereographicSouthPole = "stereographicsouthpole"
)

// namedMethod returns the code of the projection method with the name in the definition, or -1 if it is not known. If
// several methods have this name, it returns the first.
func (d *definition) namedMethod() int {
	if method, isKnown := methodNames[fold(d.method)]; isKnown {
		return method
	}
	return methodByName(d.method)
}

// findLambert returns the code of the projection method for Esri's name Lambert_Conformal_Conic. Esri uses this name
// for several methods, so the parameters decide.
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

// findPolar returns the code of the method for a Polar Stereographic projection, or -1 if the projection is not polar.
// There are two variants with the same name in files. Variant A is defined by the scale at the pole, and its origin is
// the pole. Variant B is defined by the latitude at which the map is true to scale. Well-known text of version 1 stores
// this latitude as the latitude of the origin, so a latitude other than the pole means variant B.
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

// methodByName returns the code of a projection method, or -1 if it is not known. name is the name of the method in
// the registry, or its code.
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

// parameters returns the parameters for a projection method by their EPSG codes. A parameter with several codes is
// set under each of them, because each projection reads the code that EPSG uses for it.
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

// completeRoles returns the parameters of the definition by their roles; see otherCodes. It adds parameters that the
// projection needs but that some files leave out or name differently. method is the result of findMethod, which can
// differ from the method that the file names.
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

// wholeWorld is the area of use if the datum of a system is not in the registry.
var wholeWorld = Box{-180, -90, 180, 90}

// makeFrame returns the datum of the definition, and the area of use of its geographic system. It returns an error if
// the datum is not in the registry and the definition has no transformation to WGS 84.
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

// findOperation returns the transformation to WGS 84 for a datum that is not in the registry. If the definition has a
// transformation, it returns this one. If the definition names no datum but has the ellipsoid of WGS 84, it returns a
// transformation that leaves positions unchanged. In all other cases it returns an error. datum is the name of the
// datum, and own is the ellipsoid of the definition.
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

// hasEllipsoid reports whether the definition has an ellipsoid with a plausible radius and flattening.
func (d *definition) hasEllipsoid() bool {
	hasRadius := d.radius > 1000 && !math.IsInf(d.radius, 0)
	return hasRadius && (d.inverse == 0 || d.inverse > 1.01)
}

// registeredFrame looks for the datum of the definition in the registry. It returns the datum and the area of use of
// its geographic system. own is the ellipsoid of the definition. ok is false if the registry does not have the datum,
// or has it with another ellipsoid.
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

// findDatum looks in the registry for a geographic system on the datum of the definition. It returns the index of the
// system, or -1. It looks for the code of the geographic system, and then for the names of the datum and of the
// geographic system.
func (d *definition) findDatum() int {
	if d.baseCode != 0 {
		if i := loadRegistry().indexOf(d.baseCode); i >= 0 {
			return i
		}
	}
	if len(d.toWGS84) > 0 && d.code == 0 {
		return -1 // the transformation in the file is used instead of those for a datum with this name
	}
	for _, name := range []string{d.datum, d.geographic} {
		if i, ok := loadIndex().datums[fold(name)]; ok {
			return i
		}
	}
	return -1
}

// givenOperation returns the transformation to WGS 84 that is part of the definition. Its accuracy is assumed to be a
// few metres. own is the ellipsoid of the definition.
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

// isUnknownDatum reports whether the name of a datum says that the datum is unknown, such as "not specified".
func isUnknownDatum(name string) bool {
	folded := fold(name)
	return folded == "" || strings.Contains(folded, "unknown") || strings.Contains(folded, "notspecified") ||
		strings.Contains(folded, "unnamed") || strings.Contains(folded, "undefined")
}
