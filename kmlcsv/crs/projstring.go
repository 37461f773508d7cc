package crs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// projMethods maps the names of projections in PROJ strings to the EPSG codes of projection methods.
var projMethods = map[string]int{
	"tmerc": methodTransverseMercator, "etmerc": methodTransverseMercator, "utm": methodTransverseMercator,
	"lcc": methodLambert2SP, "aea": methodAlbers, "cass": methodCassini, "omerc": methodHotineB,
	"somerc": methodHotineB, "sterea": methodObliqueStereographic, "stere": methodPolarA, "laea": methodLAEA,
	"merc": methodMercatorA, "webmerc": methodWebMercator, "krovak": methodKrovakNorth, "poly": methodPolyconic,
	"nzmg": methodNewZealand, "labrd": methodLaborde, "cea": methodCylindricalEqualArea, "eqearth": methodEqualEarth,
}

// projDatums maps the names of datums in PROJ strings to their names in the registry.
var projDatums = map[string]string{
	"wgs84": "wgs84", "nad83": "nad83", "nad27": "nad27", "potsdam": "dhdn", "carthage": "carthage",
	"hermannskogel": "mgi", "ire65": "tm65", "nzgd49": "nzgd49", "osgb36": "osgb36", "ggrs87": "ggrs87",
}

// projEllipsoids has the equatorial radius in metres and the inverse flattening of the ellipsoids that PROJ strings
// name.
var projEllipsoids = map[string][2]float64{
	"grs80": {6378137, 298.257222101}, "wgs84": {6378137, 298.257223563}, "bessel": {6377397.155, 299.1528128},
	"airy": {6377563.396, 299.3249646}, "mod_airy": {6377340.189, 299.3249646}, "intl": {6378388, 297},
	"clrk66": {6378206.4, 294.978698213898}, "clrk80": {6378249.145, 293.465}, "clrk80ign": {6378249.2, 293.4660212936269},
	"krass": {6378245, 298.3}, "aust_sa": {6378160, 298.25}, "grs67": {6378160, 298.247167427},
	"evrst30": {6377276.345, 300.8017}, "evrst48": {6377304.063, 300.8017}, "evrst69": {6377295.664, 300.8017},
	"evrstss": {6377298.556, 300.8017}, "wgs72": {6378135, 298.26}, "bess_nam": {6377483.865, 299.1528128},
	"helmert": {6378200, 298.3}, "sphere": {6370997, 0},
}

// projUnits has the length in metres of the units that PROJ strings name.
var projUnits = map[string]float64{
	"m": 1, "km": 1000, "ft": .3048, "us-ft": 1200. / 3937, "yd": .9144, "link": .201168, "ch": 20.1168,
	"ind-yd": .91439523, "ind-ft": .30479841, "dm": .1, "cm": .01, "mm": .001,
}

// projString has the parameters of a PROJ string by their names. For "+proj=utm +zone=32", it has "utm" for "proj".
type projString map[string]string

// number returns the value of a numeric parameter. It returns fallback if the string does not have the parameter, and
// NaN if its value is not a number.
func (p projString) number(name string, fallback float64) float64 {
	text, ok := p[name]
	if !ok {
		return fallback
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// parsePROJ parses a PROJ string such as "+proj=utm +zone=32 +datum=WGS84" or "+init=epsg:25832".
func parsePROJ(text string) (*definition, error) {
	p := projString{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "+"), "=")
		p[name] = value
	}
	if init, isCode := p["init"]; isCode {
		return &definition{name: init, code: codeIn(strings.ToUpper(init)), datum: "?"}, nil
	}
	d := &definition{name: "the PROJ string", roles: map[int]float64{}, method: p["proj"]}
	if err := p.setDatum(d); err != nil {
		return nil, err
	}
	switch p["proj"] {
	case "longlat", "latlong", "lonlat", "latlon": // a geographic system
		d.unit = Unit{"degree", radian}
		return d, nil
	}
	if err := p.setProjected(d); err != nil {
		return nil, err
	}
	return d, nil
}

// setProjected sets the unit, the axes and the projection of a definition for a projected system.
func (p projString) setProjected(d *definition) error {
	name := p["proj"]
	method, isKnown := projMethods[name]
	if !isKnown {
		return fmt.Errorf("the projection %s cannot be computed; export the sites as WGS 84", shorten(name))
	}
	d.projected = true
	d.unit = Unit{"metre", p.number("to_meter", 1)}
	if factor, isUnit := projUnits[p["units"]]; isUnit {
		d.unit = Unit{p["units"], factor}
	}
	d.axes = axesOfPROJ(p["axis"])
	for _, v := range []float64{d.unit.Factor, d.radius, d.inverse, d.meridian} {
		if math.IsNaN(v) {
			return errWKT
		}
	}
	return p.setProjection(d, method)
}

// axesOfPROJ returns the axis directions for letters such as "wsu", which mean west, south and up. It ignores up and
// down.
func axesOfPROJ(letters string) (found []string) {
	names := map[rune]string{'e': "east", 'w': "west", 'n': "north", 's': "south"}
	for _, letter := range letters {
		if name, ok := names[letter]; ok {
			found = append(found, name)
		}
	}
	return found
}

// setDatum sets the datum of a definition, with its ellipsoid, transformation to WGS 84 and prime meridian. A string
// has either a named datum, as in +datum=potsdam, or separate parameters, as in +ellps=bessel
// +towgs84=598.1,73.7,418.2 +pm=greenwich.
func (p projString) setDatum(d *definition) error {
	name := p["datum"]
	isNamed := name != ""
	d.datum = projDatums[strings.ToLower(name)]
	if isNamed && d.datum == "" {
		return fmt.Errorf("the datum %s is not known; export the sites as WGS 84", shorten(name))
	}
	if !isNamed { // a named datum has transformations in the registry
		d.toWGS84 = numbersIn(p["towgs84"])
	}
	d.meridian = p.meridian()
	p.setEllipsoid(d)
	d.web = p.isWebMercator(d.radius)
	if d.web { // the sphere is only used by the projection; positions are in WGS 84
		d.datum = "wgs84"
		d.inverse = 298.257223563
	}
	if d.datum != "" && d.radius == 0 {
		d.setDatumEllipsoid()
	}
	return nil
}

// isWebMercator reports whether the string describes Web Mercator. It recognises the name webmerc, and a sphere with
// the equatorial radius of WGS 84, as in "+proj=merc +a=6378137 +b=6378137". radius is the equatorial radius in the
// string.
func (p projString) isWebMercator(radius float64) bool {
	isModernSphere := radius == modernRadius && p.number("b", 0) == modernRadius
	return isModernSphere || p["proj"] == "webmerc"
}

// numbersIn returns the numbers in a list such as "598.1,73.7,418.2". It ignores items that are not numbers.
func numbersIn(list string) (numbers []float64) {
	for text := range strings.SplitSeq(list, ",") {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			numbers = append(numbers, v)
		}
	}
	return numbers
}

// meridian returns the prime meridian in degrees from Greenwich. The parameter +pm has its name, such as paris, or
// its degrees.
func (p projString) meridian() float64 {
	if known, ok := knownMeridians[p["pm"]]; ok {
		return known
	}
	return p.number("pm", 0)
}

// setEllipsoid sets the radius and the inverse flattening of a definition. Numbers in the string override the values of
// the named ellipsoid. The flattening can be given by +f (flattening), +b (polar radius) or +rf (inverse flattening).
// If several are given, +f has priority over +b, and +b over +rf.
func (p projString) setEllipsoid(d *definition) {
	if e, ok := projEllipsoids[strings.ToLower(p["ellps"])]; ok {
		d.radius = e[0]
		d.inverse = e[1]
	}
	d.radius = p.number("a", p.number("R", d.radius))
	d.inverse = p.number("rf", d.inverse)
	if b := p.number("b", 0); b > 0 { // polar radius
		d.inverse = 0
		if b < d.radius {
			d.inverse = d.radius / (d.radius - b)
		}
	}
	if f := p.number("f", 0); f != 0 {
		d.inverse = 1 / f
	}
}

// setDatumEllipsoid sets the ellipsoid of the definition to the ellipsoid that its datum has in the registry.
func (d *definition) setDatumEllipsoid() {
	g := loadRegistry()
	if i, ok := loadIndex().datums[d.datum]; ok {
		e := g.ellipsoids[g.records[i].ellipsoid]
		d.radius = e.a
		d.inverse = e.inverse
	}
}

// setProjection sets the projection method and its parameters in a definition. method is the method that projMethods
// has for the name of the projection.
func (p projString) setProjection(d *definition, method int) error {
	switch p["proj"] {
	case "utm":
		zone := p.number("zone", math.NaN())
		if !(zone >= 1 && zone <= 60) {
			return errWKT
		}
		d.roles = utmRoles(zone, p.has("south"))
	case "nzmg":
		d.roles = map[int]float64{
			originLatitude: -41 * radian, originLongitude: 173 * radian, falseEasting: 2510000, falseNorthing: 6023150,
		}
	default:
		p.setRoles(d)
	}
	d.method = strconv.Itoa(p.variant(d, method))
	for _, v := range d.roles {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return errWKT
		}
	}
	return nil
}

func utmRoles(zone float64, isSouth bool) map[int]float64 {
	roles := map[int]float64{originLongitude: (zone*6 - 183) * radian, originScale: .9996, falseEasting: 500_000}
	if isSouth {
		roles[falseNorthing] = 10_000_000
	}
	return roles
}

// setRoles sets the parameters of the projection in a definition, from the values in the string. For some
// projections, it also sets parameters that have a fixed value in PROJ.
func (p projString) setRoles(d *definition) {
	p.setAngles(d)
	d.roles[falseEasting] = p.number("x_0", 0)
	d.roles[falseNorthing] = p.number("y_0", 0)
	d.roles[originScale] = p.number("k_0", p.number("k", 1))
	switch p["proj"] {
	case "somerc":
		d.roles[initialAzimuth] = math.Pi / 2
		d.roles[skewAngle] = math.Pi / 2
	case "krovak":
		p.setKrovak(d)
	}
}

// setAngles sets the angles of the projection in a definition. PROJ has two names for some angles, such as lat_ts and
// lat_1. If the string has both, the name that PROJ reads for this projection is used.
func (p projString) setAngles(d *definition) {
	longitude := []string{"lon_0", "lonc"}
	parallel := []string{"lat_ts", "lat_1"}
	azimuth := []string{"alpha", "azi"}
	switch p["proj"] {
	case "omerc":
		longitude = []string{"lonc", "lon_0"}
	case "lcc", "aea":
		parallel = []string{"lat_1", "lat_ts"}
	case "labrd":
		azimuth = []string{"azi", "alpha"}
	}
	p.setAngle(d, originLatitude, "lat_0")
	p.setAngle(d, originLongitude, longitude...)
	p.setAngle(d, firstParallel, parallel...)
	p.setAngle(d, secondParallel, "lat_2")
	p.setAngle(d, initialAzimuth, azimuth...)
	p.setAngle(d, skewAngle, "gamma")
}

// setAngle sets the projection parameter with the given role; see otherCodes. names are the PROJ parameters that can
// have its value, in degrees. If the string has several of them, the first in names is used.
func (p projString) setAngle(d *definition, role int, names ...string) {
	for _, name := range names {
		if p.has(name) {
			d.roles[role] = p.number(name, 0) * radian
			return
		}
	}
}

// has reports whether the string has a parameter.
func (p projString) has(name string) bool {
	_, ok := p[name]
	return ok
}

// variant returns the code of the projection method that the string describes, or -1 if this method is not supported.
// method is the method for the name of the projection. For some names, EPSG has several methods, such as the variants A
// and B of Mercator. The parameters in the string decide between them.
func (p projString) variant(d *definition, method int) int {
	switch method {
	case methodLambert2SP:
		return p.lambertVariant()
	case methodHotineB:
		return p.hotineVariant()
	case methodMercatorA:
		return p.mercatorVariant(d.web)
	case methodPolarA:
		return p.stereographicVariant(d.roles[originLatitude])
	}
	return method
}

func (p projString) lambertVariant() int {
	if p.has("lat_2") {
		return methodLambert2SP
	}
	return methodLambert1SP
}

// hotineVariant returns variant A of Hotine Oblique Mercator if the string has no_uoff or its older name no_off,
// otherwise variant B. The variants have different origins: variant B counts coordinates from the centre of the
// projection, and variant A does not.
func (p projString) hotineVariant() int {
	if p.has("no_uoff") || p.has("no_off") {
		return methodHotineA
	}
	return methodHotineB
}

func (p projString) mercatorVariant(isWeb bool) int {
	if isWeb {
		return methodWebMercator
	}
	if p.has("lat_ts") { // latitude of true scale
		return methodMercatorB
	}
	return methodMercatorA
}

// stereographicVariant returns the variant of Polar Stereographic that the string describes. If the origin is not a
// pole, it returns -1, because PROJ's oblique stereographic projection is not supported.
func (p projString) stereographicVariant(originLatitude float64) int {
	isAtPole := math.Abs(math.Abs(originLatitude)-math.Pi/2) <= 1e-9
	if !isAtPole {
		return -1
	}
	if p.has("lat_ts") { // latitude of true scale
		return methodPolarB
	}
	return methodPolarA
}

// setKrovak sets the parameters of the Krovak projection. Missing parameters get the values that PROJ uses for
// Krovak, not 0 or 1 as in other projections.
func (p projString) setKrovak(d *definition) {
	const cone = 30 + 17/60. + 17.30311/3600
	d.roles[coneAxisColatitude] = cone * radian
	d.roles[pseudoParallel] = 78.5 * radian
	d.roles[originLatitude] = p.number("lat_0", 49.5) * radian
	d.roles[originLongitude] = p.number("lon_0", 24.8333333333333) * radian
	d.roles[originScale] = p.number("k_0", p.number("k", .9999))
}
