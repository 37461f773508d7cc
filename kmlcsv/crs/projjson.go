package crs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// systemJSON is a reference system in PROJJSON, the JSON form of well-known text.
type systemJSON struct {
	Type       string
	Name       string
	ID         idJSON
	Base       *systemJSON `json:"base_crs"`
	Source     *systemJSON `json:"source_crs"`
	Components []systemJSON
	Datum      *datumJSON
	Ensemble   *datumJSON `json:"datum_ensemble"`
	Conversion struct {
		Method     nameJSON
		Parameters []parameterJSON
	}
	Transformation struct {
		Method     nameJSON
		Parameters []parameterJSON
	}
	Coordinates struct {
		Subtype string
		Axis    []axisJSON
	} `json:"coordinate_system"`
}

type idJSON struct {
	Authority string
	Code      json.RawMessage
}

type nameJSON struct{ Name string }

type datumJSON struct {
	Name      string
	Ellipsoid struct {
		Radius  numberJSON `json:"semi_major_axis"`
		Minor   numberJSON `json:"semi_minor_axis"`
		Inverse float64    `json:"inverse_flattening"`
		Sphere  numberJSON `json:"radius"`
	}
	Meridian *struct {
		Name      string
		Longitude numberJSON
	} `json:"prime_meridian"`
}

type parameterJSON struct {
	Name  string
	Value float64
	Unit  unitJSON
	ID    idJSON
}

type axisJSON struct {
	Direction string
	Meridian  *struct{ Longitude numberJSON }
	Unit      unitJSON
}

// numberJSON is a length or an angle. In the file, it is a plain number, or an object with a value and a unit.
type numberJSON struct {
	value float64
	unit  unitJSON
}

func (n *numberJSON) UnmarshalJSON(data []byte) error {
	var whole struct {
		Value float64
		Unit  unitJSON
	}
	if err := json.Unmarshal(data, &n.value); err == nil {
		return nil
	}
	err := json.Unmarshal(data, &whole)
	n.value = whole.Value
	n.unit = whole.Unit
	return err
}

// inMetres returns a length in metres. Without a unit, the value already is in metres.
func (n numberJSON) inMetres() float64 {
	if n.unit.Factor == 0 {
		return n.value
	}
	return n.value * n.unit.Factor
}

// inDegrees returns an angle in degrees. Without a unit, the value already is in degrees.
func (n numberJSON) inDegrees() float64 {
	if n.unit.Factor == 0 {
		return n.value
	}
	return n.value * n.unit.Factor / radian
}

// unitJSON is a unit. In the file, it is the name of a common unit, or an object with a name and a conversion factor.
type unitJSON struct {
	Name   string
	Factor float64 `json:"conversion_factor"`
}

func (u *unitJSON) UnmarshalJSON(data []byte) error {
	type plain unitJSON
	var name string
	if err := json.Unmarshal(data, &name); err != nil {
		return json.Unmarshal(data, (*plain)(u))
	}
	factor := map[string]float64{"metre": 1, "degree": radian, "unity": 1}[name]
	if factor == 0 {
		return fmt.Errorf("no such unit: %s", name)
	}
	*u = unitJSON{name, factor}
	return nil
}

// parseJSON parses the definition of a reference system in PROJJSON.
func parseJSON(text string) (*definition, error) {
	var s systemJSON
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, errWKT
	}
	return s.define(0)
}

// define returns the definition of the system s. If s contains another system, as compound and bound systems do, it
// returns the definition of the system inside. depth is the number of systems that contain s.
func (s *systemJSON) define(depth int) (*definition, error) {
	const maxNested = 3
	if depth > maxNested {
		return nil, errWKT
	}
	switch s.Type {
	case "CompoundCRS":
		if len(s.Components) > 0 { // the first component is on the map, and the heights follow
			return s.Components[0].define(depth + 1)
		}
	case "BoundCRS":
		if s.Source != nil {
			return s.defineBound(depth)
		}
	case "ProjectedCRS":
		if s.Base != nil {
			return s.defineProjected()
		}
	case "GeographicCRS":
		return s.defineGeographic()
	case "GeodeticCRS":
		isGeographic := s.Coordinates.Subtype == "ellipsoidal" // otherwise its coordinates are geocentric
		if isGeographic {
			return s.defineGeographic()
		}
	}
	return nil, errors.New("the definition is not a reference system of a map; export the sites as WGS 84")
}

// newDefinition returns a definition that has only the name and the code of the system.
func (s *systemJSON) newDefinition() *definition {
	return &definition{name: s.Name, code: s.ID.number(), roles: map[int]float64{}}
}

func (s *systemJSON) defineGeographic() (*definition, error) {
	d := s.newDefinition()
	d.setAxesJSON(s.Coordinates.Axis)
	if err := s.defineDatum(d); err != nil {
		return nil, err
	}
	return d, nil
}

// defineBound returns the definition of a bound system: a system together with a transformation to WGS 84. If the
// system has a code, the transformation is ignored, because the registry has better transformations for it.
func (s *systemJSON) defineBound(depth int) (*definition, error) {
	d, err := s.Source.define(depth + 1)
	if err != nil {
		return nil, err
	}
	hasCode := d.code != 0
	if hasCode {
		return d, nil
	}
	values := map[int]float64{}
	for _, p := range s.Transformation.Parameters {
		values[p.ID.number()] = p.Value
	}
	d.toWGS84 = helmertOf(values, s.Transformation.Method.Name)
	d.baseCode = 0
	return d, nil
}

// defineDatum sets the datum of a definition, with its name, ellipsoid and prime meridian. s is the geographic
// system, or the geographic system that a projected system is based on.
func (s *systemJSON) defineDatum(d *definition) error {
	datum := s.Datum
	if datum == nil {
		datum = s.Ensemble
	}
	if datum == nil {
		return errWKT
	}
	d.geographic = s.Name
	d.baseCode = s.ID.number()
	d.datum = strings.TrimSuffix(datum.Name, " ensemble")
	e := datum.Ellipsoid
	d.radius = e.Radius.inMetres() + e.Sphere.inMetres() // the file has only one of them
	d.inverse = e.Inverse
	if minor := e.Minor.inMetres(); minor > 0 && minor < d.radius {
		d.inverse = d.radius / (d.radius - minor)
	}
	if datum.Meridian != nil {
		d.meridian = datum.Meridian.Longitude.inDegrees()
	}
	return nil
}

// defineProjected returns the definition of a projected system, with its geographic system, axes and projection.
func (s *systemJSON) defineProjected() (*definition, error) {
	d := s.newDefinition()
	d.projected = true
	d.method = s.Conversion.Method.Name
	d.setAxesJSON(s.Coordinates.Axis)
	if err := s.Base.defineDatum(d); err != nil {
		return nil, err
	}
	for _, p := range s.Conversion.Parameters {
		if err := d.setRole(p.code(), p.inBaseUnit()); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// code returns the EPSG code of a projection parameter. It looks up the name of the parameter, and uses its ID if the
// name is not known.
func (p *parameterJSON) code() int {
	if code, isKnown := parameterNames[fold(p.Name)]; isKnown {
		return code
	}
	return p.ID.number()
}

// inBaseUnit returns the value of a parameter in radians or metres. Without a unit, the value is returned unchanged.
func (p *parameterJSON) inBaseUnit() float64 {
	if p.Unit.Factor == 0 {
		return p.Value
	}
	return p.Value * p.Unit.Factor
}

// setAxesJSON sets the directions of the axes. The unit of the first axis becomes the unit of the system.
func (d *definition) setAxesJSON(axis []axisJSON) {
	for _, a := range axis {
		direction := a.Direction
		if a.Meridian != nil {
			direction = fmt.Sprintf("%s along %v°E", direction, a.Meridian.Longitude.inDegrees())
		}
		d.axes = append(d.axes, direction)
		if d.unit.Factor == 0 {
			d.unit = Unit(a.Unit)
		}
	}
}

// number returns the code of an ID of EPSG or Esri. It returns 0 for IDs of other authorities.
func (id idJSON) number() int {
	if id.Authority != "EPSG" && id.Authority != "ESRI" {
		return 0
	}
	return codeIn(strings.Trim(string(id.Code), `"`))
}
