package crs

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var wktStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*\s*[\[(]`)

// node is a part of well-known text, such as UNIT["metre",1]: a keyword with values and nested parts. Its methods can
// be called on a nil node, which has no values and no parts.
type node struct {
	keyword string
	values  []string // texts, numbers and words
	parts   []*node
}

// Limits of well-known text.
const (
	maxDepth = 40
	maxNodes = 10_000
)

var errWKT = errors.New("the definition of the reference system is damaged; export the sites as WGS 84")

// wktReader parses well-known text.
type wktReader struct {
	text  string
	nodes int
}

func (r *wktReader) skipSpace() { r.text = strings.TrimLeft(r.text, " \t\r\n") }

// readNode reads the rest of a part after its keyword and opening bracket, such as `"metre",1]`, up to the closing
// bracket. depth is the number of parts that contain this part.
func (r *wktReader) readNode(keyword string, depth int) (*node, error) {
	r.nodes++
	if depth > maxDepth || r.nodes > maxNodes {
		return nil, errWKT
	}
	n := &node{keyword: strings.ToUpper(keyword)}
	for {
		r.skipSpace()
		if r.text == "" {
			return nil, errWKT
		}
		switch r.text[0] {
		case ']', ')':
			r.text = r.text[1:]
			return n, nil
		case ',':
			r.text = r.text[1:]
		case '"':
			value, err := r.readQuoted()
			if err != nil {
				return nil, err
			}
			n.values = append(n.values, value)
		default:
			if err := r.readItem(n, depth); err != nil {
				return nil, err
			}
		}
	}
}

// readItem reads the next item of a part and adds it to parent. The item is a number or a word, such as 6378137 or
// north, or a nested part, such as UNIT["metre",1].
func (r *wktReader) readItem(parent *node, depth int) error {
	end := strings.IndexAny(r.text, "[](),\"")
	if end <= 0 {
		return errWKT
	}
	word := strings.TrimSpace(r.text[:end])
	isKeyword := r.text[end] == '[' || r.text[end] == '('
	r.text = r.text[end:]
	if !isKeyword {
		parent.values = append(parent.values, word)
		return nil
	}
	r.text = r.text[1:] // the bracket
	part, err := r.readNode(word, depth+1)
	if err != nil {
		return err
	}
	parent.parts = append(parent.parts, part)
	return nil
}

// readQuoted reads a text in quotes. Two consecutive quotes inside the text mean one quote.
func (r *wktReader) readQuoted() (string, error) {
	var text strings.Builder
	rest := r.text[1:]
	for {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			return "", errWKT
		}
		text.WriteString(rest[:end])
		rest = rest[end+1:]
		if !strings.HasPrefix(rest, `"`) {
			r.text = rest
			return text.String(), nil
		}
		text.WriteByte('"')
		rest = rest[1:]
	}
}

// find returns the first nested part that has one of the keywords, or nil.
func (n *node) find(keywords ...string) *node {
	if n == nil {
		return nil
	}
	for _, part := range n.parts {
		for _, keyword := range keywords {
			if part.keyword == keyword {
				return part
			}
		}
	}
	return nil
}

// text returns the value at index i, or "" if there is none.
func (n *node) text(i int) string {
	if n == nil || i >= len(n.values) {
		return ""
	}
	return n.values[i]
}

// number returns the value at index i as a number, or NaN if it is missing or not a number.
func (n *node) number(i int) float64 {
	v, err := strconv.ParseFloat(n.text(i), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// code returns the EPSG or Esri code that the node has in its AUTHORITY or ID part, or 0.
func (n *node) code() int {
	id := n.find("AUTHORITY", "ID")
	if authority := strings.ToUpper(id.text(0)); authority != "EPSG" && authority != "ESRI" {
		return 0
	}
	code, err := strconv.Atoi(id.text(1))
	if err != nil {
		return 0
	}
	return code
}

// parseWKT parses the definition of a reference system in well-known text of version 1 or 2.
func parseWKT(text string) (*definition, error) {
	r := &wktReader{text: text}
	open := strings.IndexAny(text, "[(")
	r.text = text[open+1:]
	root, err := r.readNode(strings.TrimSpace(text[:open]), 0)
	if err != nil {
		return nil, err
	}
	return root.define(0)
}

// define returns the definition of the reference system that n describes. A compound or bound system contains another
// system, and define returns the definition of the system inside. depth is the number of systems that contain n.
func (n *node) define(depth int) (*definition, error) {
	if depth > 3 {
		return nil, errWKT
	}
	switch n.keyword {
	case "COMPD_CS", "COMPOUNDCRS":
		return n.defineCompound(depth)
	case "BOUNDCRS":
		return n.defineBound(depth)
	case "PROJCS", "PROJCRS", "PROJECTEDCRS":
		return n.defineProjected()
	case "GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS":
		return n.defineGeographic()
	}
	return nil, n.noMapError()
}

// noMapError returns the error for a node that is not a reference system with coordinates on a map.
func (n *node) noMapError() error {
	return fmt.Errorf("a definition of the kind %s is not a reference system of a map; export the sites as WGS 84",
		shorten(n.keyword))
}

// defineCompound returns the definition of the first system in a compound system. This is the system without heights.
func (n *node) defineCompound(depth int) (*definition, error) {
	for _, part := range n.parts {
		if part.keyword != "AUTHORITY" && part.keyword != "ID" {
			return part.define(depth + 1)
		}
	}
	return nil, n.noMapError()
}

func (n *node) defineBound(depth int) (*definition, error) {
	source := n.find("SOURCECRS")
	if source == nil || len(source.parts) == 0 {
		return nil, errWKT
	}
	d, err := source.parts[0].define(depth + 1)
	if err != nil {
		return nil, err
	}
	if d.code != 0 { // the registry has better transformations
		return d, nil
	}
	d.toWGS84 = n.find("ABRIDGEDTRANSFORMATION").helmert()
	d.baseCode = 0
	return d, nil
}

// helmert returns the seven parameters of the Helmert transformation that n describes; see helmertOf. It returns nil
// if n describes another transformation.
func (n *node) helmert() []float64 {
	if n == nil {
		return nil
	}
	values := map[int]float64{}
	for _, part := range n.parts {
		if part.keyword == "PARAMETER" {
			values[part.code()] = part.number(1)
		}
	}
	return helmertOf(values, n.find("METHOD").text(0))
}

// helmertOf returns the parameters of a Helmert transformation: three shifts in metres, three rotations in arc
// seconds and a scale difference in parts per million. values has the parameters by their EPSG codes. The rotations
// in the result turn the position. If the method in the file turns the coordinate frame instead, helmertOf changes
// their signs. The result is nil if a shift is missing or a value is not a number.
func helmertOf(values map[int]float64, method string) []float64 {
	const firstCode = 8605 // three translations, three rotations and the scale have consecutive codes
	found := make([]float64, 7)
	for i := range found {
		v, ok := values[firstCode+i]
		isTranslation := i < 3
		if (!ok && isTranslation) || math.IsNaN(v) {
			return nil
		}
		found[i] = v
	}
	if strings.Contains(fold(method), "coordinateframe") {
		for i := 3; i < 6; i++ {
			found[i] = -found[i]
		}
	}
	if found[6] != 0 && math.Abs(found[6]-1) < .01 { // version 2 has a factor near 1 instead of parts per million
		found[6] = (found[6] - 1) * 1e6
	}
	return found
}

func (n *node) defineGeographic() (*definition, error) {
	if n.find("CS").text(0) == "Cartesian" {
		return nil, errors.New("the coordinates are geocentric; export the sites as WGS 84")
	}
	d := &definition{name: n.text(0), code: n.code(), unit: n.angleUnit(), axes: n.directions()}
	if err := n.defineDatum(d); err != nil {
		return nil, err
	}
	return d, nil
}

// angleUnit returns the unit of angles in the geographic system n. If the system states no unit, it returns the
// degree.
func (n *node) angleUnit() Unit {
	unit := n.findUnit("ANGLEUNIT", "UNIT")
	if unit.Factor == 0 {
		return Unit{"degree", radian}
	}
	return unit
}

// defineDatum sets the datum of a definition, with its name, ellipsoid and prime meridian. n is the geographic
// system, or the geographic system that a projected system is based on. The unit and the axes are not set here,
// because a projected system has other units and axes.
func (n *node) defineDatum(d *definition) error {
	d.geographic = n.text(0)
	d.baseCode = n.code()
	datum := n.find("DATUM", "GEODETICDATUM", "TRF", "ENSEMBLE")
	d.datum = strings.TrimSuffix(datum.text(0), " ensemble")
	ellipsoid := datum.find("SPHEROID", "ELLIPSOID")
	if ellipsoid == nil {
		return errWKT
	}
	d.radius = ellipsoid.number(1)
	d.inverse = ellipsoid.number(2)
	if unit := ellipsoid.find("LENGTHUNIT", "UNIT"); unit != nil {
		d.radius *= unit.number(1)
	}
	if shift := datum.find("TOWGS84"); shift != nil {
		d.readShift(shift)
	}
	d.meridian = n.find("PRIMEM", "PRIMEMERIDIAN").meridian(n.angleUnit().Factor)
	if math.IsNaN(d.meridian) || math.IsNaN(d.radius) || math.IsNaN(d.inverse) {
		return errWKT
	}
	return nil
}

func (d *definition) readShift(n *node) {
	for i := range n.values {
		v := n.number(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			d.toWGS84 = nil
			return
		}
		d.toWGS84 = append(d.toWGS84, v)
	}
}

// findUnit returns the unit of the system n. The unit can be a part of the system or of its axes. keywords are the
// possible keywords of the unit. The result is the zero value if there is no unit.
func (n *node) findUnit(keywords ...string) Unit {
	if u := n.find(keywords...); u != nil {
		return makeUnit(u)
	}
	for _, part := range n.parts {
		if part.keyword != "AXIS" {
			continue
		}
		if u := part.find(keywords...); u != nil {
			return makeUnit(u)
		}
	}
	return Unit{}
}

// makeUnit returns the unit that the part n describes. It corrects the factor of the degree: the factor in files is
// rounded, so that a latitude of 90 degrees would be slightly beyond the pole.
func makeUnit(n *node) Unit {
	u := Unit{n.text(0), n.number(1)}
	if math.Abs(u.Factor-radian) < 1e-10 {
		u.Factor = radian
	}
	return u
}

// directions returns the directions of the axes, such as "east" and "north".
func (n *node) directions() (found []string) {
	for _, part := range n.parts {
		if part.keyword != "AXIS" {
			continue
		}
		direction := part.text(1)
		if meridian := part.find("MERIDIAN"); meridian != nil {
			direction = fmt.Sprintf("%s along %v°E", direction, meridian.number(0))
		}
		found = append(found, direction)
	}
	return found
}

// knownMeridians has the longitudes of prime meridians in degrees from Greenwich.
var knownMeridians = map[string]float64{
	"greenwich": 0, "paris": 2.33722916999995, "ferro": -17.6666666666667, "rome": 12.4523333333333,
	"lisbon": -9.13190611111111, "bern": 7.43958333333333, "jakarta": 106.807719444444, "bogota": -74.0809166666667,
	"madrid": -3.68793888888889, "brussels": 4.367975, "stockholm": 18.0582777777778, "athens": 23.7163375,
	"oslo": 10.7229166666667,
}

// meridian returns the longitude of a prime meridian in degrees from Greenwich. unit is the size of the geographic
// system's unit in radians. Some files state a wrong unit. So for a known meridian, the number itself shows the unit:
// Paris is at 2.3372 degrees or 2.5969 grads.
func (n *node) meridian(unit float64) float64 {
	if n == nil {
		return 0
	}
	const degreesPerGrad = .9
	value := n.number(1)
	known, isKnown := knownMeridians[fold(n.text(0))]
	if isKnown && math.Abs(value-known) < .01 {
		return value
	}
	if isKnown && math.Abs(value*degreesPerGrad-known) < .01 {
		return value * degreesPerGrad
	}
	if u := n.find("ANGLEUNIT", "UNIT"); u != nil {
		unit = u.number(1)
	}
	return value * unit / radian
}

// defineProjected returns the definition of a projected system, with its geographic system, unit, axes and
// projection.
func (n *node) defineProjected() (*definition, error) {
	base := n.find("GEOGCS", "BASEGEOGCRS", "BASEGEODCRS", "GEOGCRS")
	if base == nil {
		return nil, errWKT
	}
	d := &definition{name: n.text(0), code: n.code(), projected: true, roles: map[int]float64{}}
	if err := base.defineDatum(d); err != nil {
		return nil, err
	}
	d.unit = n.findUnit("LENGTHUNIT", "UNIT")
	d.axes = n.directions()
	projString := n.find("EXTENSION").text(1)
	d.web = strings.Contains(projString, "+a=6378137 +b=6378137")
	conversion := n.find("CONVERSION")
	if conversion == nil { // version 1 has the projection and the parameters in the system itself
		conversion = n
	}
	if err := conversion.defineProjection(d, base.angleUnit().Factor); err != nil {
		return nil, err
	}
	return d, nil
}

// defineProjection sets the name and the parameters of the projection in a definition. angle is the size in radians of
// the unit for angles without a unit.
func (n *node) defineProjection(d *definition, angle float64) error {
	d.method = n.find("METHOD", "PROJECTION").text(0)
	if d.method == "" {
		return errWKT
	}
	for _, part := range n.parts {
		if part.keyword != "PARAMETER" {
			continue
		}
		if err := d.setParameter(part, angle); err != nil {
			return err
		}
	}
	return nil
}

// setParameter sets a parameter of the projection from a part such as PARAMETER["central_meridian",9]. degree is the
// size in radians of the unit for angles without a unit.
func (d *definition) setParameter(n *node, degree float64) error {
	code, isKnown := parameterNames[fold(n.text(0))]
	if !isKnown {
		code = n.code()
	}
	if code == 0 {
		return nil // no implemented projection needs this parameter
	}
	return d.setRole(code, n.number(1)*d.unitOfParameter(n, code, degree))
}

// unitOfParameter returns the size of a parameter's unit in metres or radians. The parameter can state its unit itself.
// If it does not, an angle has the unit of the geographic system, and a length has the unit of the projected system.
// degree is the size of the geographic system's unit in radians. code is the EPSG code of the parameter.
func (d *definition) unitOfParameter(n *node, code int, degree float64) float64 {
	units := []string{"ANGLEUNIT", "LENGTHUNIT", "SCALEUNIT", "UNIT"}
	if n.find(units...) != nil {
		return n.findUnit(units...).Factor
	}
	if isAngle(code) {
		return degree
	}
	if isLength(code) {
		return d.unit.Factor
	}
	return 1
}

func (d *definition) setRole(code int, v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return errWKT
	}
	switch code {
	case esriScaleX:
		d.xScale = v
	case esriScaleY: // not needed: it is 1, or -1 like X_Scale
	default:
		d.roles[roleOf(code)] = v
	}
	return nil
}
