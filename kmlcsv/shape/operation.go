package shape

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// Kind is the kind of an operation.
type Kind string

// The kinds of operations.
const (
	CircleKind    Kind = "circle"
	RectangleKind Kind = "rectangle"
	CorridorKind  Kind = "corridor"
	GrowKind      Kind = "grow"
	ShrinkKind    Kind = "shrink"
	SimplifyKind  Kind = "simplify"
	SplitKind     Kind = "split"
	HullKind      Kind = "hull"
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{CircleKind, RectangleKind, CorridorKind, GrowKind, ShrinkKind, SimplifyKind, SplitKind, HullKind}
}

// Operation makes shapes from geometries. Lengths are in metres, areas in square metres.
type Operation struct {
	Kind          Kind
	Metres        float64 // radius, width of a corridor, distance to grow or shrink, or tolerance
	Width, Height float64 // sides of a rectangle
	Bearing       float64 // direction of the sides with the given height, in degrees clockwise from north
	Round         bool    // round the ends of a corridor, or the corners of a grown area
	Points        int     // maximum number of points after simplifying; 0 if Metres has a tolerance instead
	Area          float64 // maximum size of each part of a split area
}

// examples show how each kind of operation is written.
var examples = map[Kind]string{
	CircleKind:    "circle 50m",
	RectangleKind: "rectangle 200x100, or rectangle 200x100 30 for a bearing",
	CorridorKind:  "corridor 40m, or corridor 40m round",
	GrowKind:      "grow 20m, or grow 20m round",
	ShrinkKind:    "shrink 20m",
	SimplifyKind:  "simplify 100 points, or simplify 2m",
	SplitKind:     "split 25ha",
	HullKind:      "hull",
}

const (
	numberPattern = `(\d+(?:[.,]\d+)?)`
	lengthPattern = numberPattern + ` ?(m|km|ft|mi)?`
)

var (
	lengthForm    = regexp.MustCompile(`^` + lengthPattern + `$`)
	rectangleForm = regexp.MustCompile(`^` + lengthPattern + ` ?[x×*] ?` + lengthPattern + `(?: (?:at |bearing )?` + numberPattern + `°?)?$`)
	pointsForm    = regexp.MustCompile(`^(\d{1,6}) (?:points?|corners?)$`)
	areaForm      = regexp.MustCompile(`^` + numberPattern + ` ?(ha|hectares?|ac|acres?|km2|km²|m2|m²)?$`)
)

// ambiguousForm matches numbers such as "1,000" and "1.500", in which the comma or point can separate thousands or
// decimals. In "0.125" and "1234.567" it can only separate decimals, so these do not match.
var ambiguousForm = regexp.MustCompile(`(?:^|[^\d.,])([1-9]\d{0,2})([.,])(\d{3})(?:\D|$)`)

// The sizes of the units, in metres and square metres.
var (
	lengthUnits = map[string]float64{"": 1, "m": 1, "km": 1000, "ft": 0.3048, "mi": 1609.344}
	areaUnits   = map[string]float64{"": 1e4, "h": 1e4, "a": 4046.8564224, "k": 1e6, "m": 1} // by the first letter
)

// Parse reads an operation such as "circle 50m", "rectangle 200x100 30", "corridor 40m round",
// "grow 20m", "shrink 20m", "simplify 100 points", "simplify 2m", "split 25ha" or "hull".
func Parse(text string) (Operation, error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	word, rest, _ := strings.Cut(text, " ")
	op := Operation{Kind: Kind(word)}
	example, ok := examples[op.Kind]
	if !ok {
		return Operation{}, fmt.Errorf("%q is not a shape; use %s", word, joinKinds())
	}
	if err := checkNumbers(rest); err != nil {
		return Operation{}, err
	}
	if op.parseValues(rest) {
		return op, nil
	}
	return Operation{}, fmt.Errorf("%q is not complete; use for example %s", text, example)
}

// checkNumbers returns an error if a text contains an ambiguous number.
func checkNumbers(text string) error {
	m := ambiguousForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	whole, separator, fraction := m[1], m[2], m[3]
	decimal := strconv.FormatFloat(readNumber(whole+"."+fraction), 'f', -1, 64)
	return fmt.Errorf("%q is ambiguous; write %s or %s", whole+separator+fraction, whole+fraction, decimal)
}

func joinKinds() string {
	names := make([]string, len(Kinds()))
	for i, kind := range Kinds() {
		names[i] = string(kind)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// parseValues reads the values after the name of the kind, such as "40m round" for a corridor. It returns false if a
// value is missing, or if there is text after the values.
func (op *Operation) parseValues(text string) bool {
	switch op.Kind {
	case CircleKind, ShrinkKind:
		return op.parseMetres(text)
	case CorridorKind, GrowKind:
		length, isRound := strings.CutSuffix(text, " round")
		op.Round = isRound
		return op.parseMetres(strings.TrimSuffix(length, " flat"))
	case RectangleKind:
		return op.parseRectangle(text)
	case SimplifyKind:
		if m := pointsForm.FindStringSubmatch(text); m != nil {
			op.Points, _ = strconv.Atoi(m[1]) // the pattern matched digits
			return op.Points > 0
		}
		return op.parseMetres(text)
	case SplitKind:
		return op.parseArea(text)
	case HullKind:
		return text == ""
	}
	return false
}

// parseMetres reads a length, such as "50m". It returns false if the text is not a length.
func (op *Operation) parseMetres(text string) bool {
	m := lengthForm.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	op.Metres = readNumber(m[1]) * lengthUnits[m[2]]
	return true
}

// parseArea reads the size of an area, such as "25ha". It returns false if the text is not a size.
func (op *Operation) parseArea(text string) bool {
	m := areaForm.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	unit := m[2]
	firstLetter := unit[:min(1, len(unit))]
	op.Area = readNumber(m[1]) * areaUnits[firstLetter]
	return true
}

// parseRectangle reads the sides and the bearing of a rectangle. If only one side has a unit, both sides are in this
// unit. It returns false if the text is not a rectangle.
func (op *Operation) parseRectangle(text string) bool {
	m := rectangleForm.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	widthUnit := m[2]
	heightUnit := m[4]
	if widthUnit == "" {
		widthUnit = heightUnit
	}
	if heightUnit == "" {
		heightUnit = widthUnit
	}
	op.Width = readNumber(m[1]) * lengthUnits[widthUnit]
	op.Height = readNumber(m[3]) * lengthUnits[heightUnit]
	if m[5] != "" {
		op.Bearing = readNumber(m[5])
	}
	return true
}

// readNumber reads a number. The text must have matched numberPattern.
func readNumber(text string) float64 {
	v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil {
		return math.Inf(1) // too large
	}
	return v
}

// participles completes the message "only an area can be ..." for each kind of operation.
var participles = map[Kind]string{GrowKind: "grown", ShrinkKind: "shrunk", SplitKind: "split"}

// AppliesTo reports whether the operation can be done with a geometry.
func (op Operation) AppliesTo(g orb.Geometry) bool { return op.Refusal(g) == "" }

// Refusal returns why the operation cannot be done with a geometry, or "" if it can.
func (op Operation) Refusal(g orb.Geometry) string {
	_, isLine := g.(orb.LineString)
	_, isArea := g.(orb.Polygon)
	isPoint := isPoints(g)
	switch op.Kind {
	case CircleKind, RectangleKind:
		return refuseIf(!isPoint, "a "+string(op.Kind)+" is made from a point", g)
	case CorridorKind:
		return refuseIf(!isLine, "a corridor is made from a line", g)
	case GrowKind, ShrinkKind, SplitKind:
		return refuseIf(!isArea, "only an area can be "+participles[op.Kind], g)
	case SimplifyKind:
		return refuseIf(!isLine && !isArea, "only lines and areas can be simplified", g)
	case HullKind:
		return refuseIf(!isLine && !isArea && !isPoint, "a hull needs points", g)
	}
	return "unknown shape"
}

func isPoints(g orb.Geometry) bool {
	switch g.(type) {
	case orb.Point, orb.MultiPoint:
		return true
	}
	return false
}

func refuseIf(refused bool, reason string, g orb.Geometry) string {
	if !refused {
		return ""
	}
	return reason + ", not " + nameOf(g)
}

// nameOf returns what the kind of a geometry is called in messages.
func nameOf(g orb.Geometry) string {
	switch g.(type) {
	case orb.Point:
		return "a point"
	case orb.MultiPoint:
		return "points"
	case orb.LineString:
		return "a line"
	case orb.Polygon:
		return "an area"
	}
	return "this geometry"
}

// JoinsAll reports whether the operation joins all geometries into one shape.
func (op Operation) JoinsAll() bool { return op.Kind == HullKind }

// Apply returns the shapes that the operation makes from g, which must be an orb.Point,
// orb.MultiPoint, orb.LineString or orb.Polygon. It does not change g. It returns an error if the
// operation does not apply to this type of geometry.
func (op Operation) Apply(g orb.Geometry) ([]orb.Geometry, error) {
	if reason := op.Refusal(g); reason != "" {
		return nil, errors.New(reason)
	}
	switch g := g.(type) {
	case orb.Point:
		return op.applyToPoints([]orb.Point{g})
	case orb.MultiPoint:
		return op.applyToPoints(g)
	case orb.LineString:
		return op.applyToLine(g)
	}
	return op.applyToArea(g.(orb.Polygon))
}

func (op Operation) applyToPoints(points []orb.Point) ([]orb.Geometry, error) {
	if op.Kind == HullKind {
		return oneShape(Hull(points))
	}
	var shapes []orb.Geometry
	for _, p := range points {
		var area orb.Polygon
		var err error
		if op.Kind == CircleKind {
			area, err = Circle(p, op.Metres)
		} else {
			area, err = Rectangle(p, op.Width, op.Height, op.Bearing)
		}
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, area)
	}
	return shapes, nil
}

func (op Operation) applyToLine(line orb.LineString) ([]orb.Geometry, error) {
	switch op.Kind {
	case CorridorKind:
		return oneShape(Corridor(line, op.Metres, op.Round))
	case HullKind:
		return oneShape(Hull(line))
	}
	return oneShape(op.simplify(line))
}

func (op Operation) applyToArea(area orb.Polygon) ([]orb.Geometry, error) {
	switch op.Kind {
	case GrowKind:
		return shapesOf(Grow(area, op.Metres, op.Round))
	case ShrinkKind:
		return shapesOf(Grow(area, -op.Metres, false))
	case SplitKind:
		return shapesOf(Split(area, op.Area))
	case HullKind:
		return oneShape(Hull(allPoints(area)))
	}
	return oneShape(op.simplify(area))
}

func (op Operation) simplify(g orb.Geometry) (orb.Geometry, error) {
	if op.Points > 0 {
		return SimplifyTo(g, op.Points)
	}
	return SimplifyWithin(g, op.Metres)
}

// oneShape converts the results of a function that returns one shape to the results of Apply.
func oneShape[G orb.Geometry](g G, err error) ([]orb.Geometry, error) {
	if err != nil {
		return nil, err
	}
	return []orb.Geometry{g}, nil
}

// shapesOf converts the results of a function that returns several areas to the results of Apply.
func shapesOf(areas []orb.Polygon, err error) ([]orb.Geometry, error) {
	if err != nil {
		return nil, err
	}
	shapes := make([]orb.Geometry, len(areas))
	for i, area := range areas {
		shapes[i] = area
	}
	return shapes, nil
}

// ApplyToAll joins all geometries into one shape. JoinsAll must be true for the operation.
func (op Operation) ApplyToAll(all []orb.Geometry) (orb.Geometry, error) {
	var points []orb.Point
	for _, g := range all {
		switch g := g.(type) {
		case orb.Point:
			points = append(points, g)
		case orb.MultiPoint:
			points = append(points, g...)
		case orb.LineString:
			points = append(points, g...)
		case orb.Polygon:
			points = append(points, allPoints(g)...)
		}
	}
	return Hull(points)
}
