package kmlcsv

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"
)

// jsonOptions accept what other programs write: names twice in an object, and text that
// is not UTF-8.
var jsonOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// jsonReader reads GeoJSON, and the JSON of other programs that has sites.
type jsonReader struct {
	*resultBuilder
	text    []byte
	decoder *jsontext.Decoder // of the feature that is read

	properties propertyList
	hasRadius  bool // the file was warned about a radius
}

// jsonObject has the members of an object, by name and in order.
type jsonObject struct {
	names  []string
	values []jsontext.Value
}

// get returns a member as it is written, nil for none.
func (o *jsonObject) get(name string) jsontext.Value {
	if i := slices.Index(o.names, name); i >= 0 {
		return o.values[i]
	}
	return nil
}

// text returns a member as text, "" for none.
func (o *jsonObject) text(name string) string { return valueText(o.get(name)) }

// parseJSON reads GeoJSON: a geometry, a feature or a collection, or one after another.
// It also reads the JSON of ArcGIS, QGroundControl and Overpass.
func parseJSON(data []byte, opts Options) (*Result, *Error) {
	text, _, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	if bytes.IndexByte(text, 0x1e) >= 0 { // between the records of a sequence
		text = bytes.ReplaceAll(text, []byte{0x1e}, []byte{' '})
	}
	r := &jsonReader{resultBuilder: newResultBuilder(opts, FormatGeoJSON), text: text}
	r.openAccount("", "feature")
	r.decoder = jsontext.NewDecoder(bytes.NewReader(nil), jsonOptions...)
	top := jsontext.NewDecoder(bytes.NewBuffer(text), jsonOptions...)
	for {
		object, err := readObject(top, text)
		if errors.Is(err, io.EOF) {
			return r.finishGIS()
		}
		if err != nil {
			return r.explainDamage(top, err)
		}
		r.progress = func() float64 { return max(float64(top.InputOffset())/float64(len(text)), 1e-9) }
		if failed := r.readTop(object); failed != nil {
			return r.res, failed
		}
	}
}

// readObject reads the members of the next object. The values are parts of text.
func readObject(d *jsontext.Decoder, text []byte) (*jsonObject, error) {
	start, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	if start.Kind() != '{' {
		return nil, errors.New("an object is expected")
	}
	object := &jsonObject{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		object.names = append(object.names, name.String())
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := int(d.InputOffset())
		object.values = append(object.values, text[end-len(value):end])
	}
	_, err = d.ReadToken()
	return object, err
}

var notJSON = regexp.MustCompile(`[:\[,]\s*(NaN|-?Infinity)\b`)

// explainDamage says what is wrong with JSON that cannot be read on.
func (r *jsonReader) explainDamage(d *jsontext.Decoder, err error) (*Result, *Error) {
	at := int(d.InputOffset())
	line := bytes.Count(r.text[:min(at, len(r.text))], newline) + 1
	failed := newError(BadJSON, "the JSON is damaged: %s; export it again", []byte(jsonReason(err)))
	if rest := r.text[at:min(len(r.text), at+1<<20)]; notJSON.Match(rest) {
		failed = newError(BadJSON, "NaN and Infinity are not JSON; replace them by null, or export the file again")
	}
	failed.Line = line
	return nil, failed
}

// jsonReason returns an error of the decoder without its prefix.
func jsonReason(err error) string {
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &syntactic) && syntactic.Err != nil:
		return syntactic.Err.Error()
	}
	return err.Error()
}

// readTop reads an object at the top of the file, of whichever program.
func (r *jsonReader) readTop(object *jsonObject) *Error {
	kind := object.text("type")
	switch {
	case object.text("fileType") == "Plan":
		return r.readPlan(object)
	case isEsri(object):
		return r.readEsri(object)
	case object.get("elements") != nil && kind == "":
		return r.readOverpass(object)
	case kind == "FeatureCollection", kind == "Feature", isGeometry(kind), kind == "GeometryCollection":
		return r.readGeoJSON(object, kind)
	case kind == "Topology":
		return newError(WrongType, "this is TopoJSON; export the sites as GeoJSON or KML")
	}
	if kind != "" {
		return newError(WrongType, "this JSON is not GeoJSON: its type is %q; export the sites as GeoJSON or KML", []byte(kind))
	}
	names := strings.Join(object.names[:min(len(object.names), 5)], ", ")
	return newError(WrongType, "this JSON is not GeoJSON: it has the members %s; export the sites as GeoJSON or KML", []byte(names))
}

func isGeometry(kind string) bool {
	_, known := shapes[strings.ToUpper(kind)]
	return known
}

// readGeoJSON reads a GeoJSON object at the top of the file.
func (r *jsonReader) readGeoJSON(object *jsonObject, kind string) *Error {
	if r.line == 0 {
		if failed := r.setSystem(systemOfGeoJSON(object.get("crs"))); failed != nil {
			return failed
		}
	}
	if kind != "FeatureCollection" {
		return r.addGeoJSON(object)
	}
	features := object.get("features")
	if features.Kind() != '[' {
		return newError(BadJSON, "the GeoJSON is damaged: its features are not a list")
	}
	return eachElement(features, func(value jsontext.Value) *Error {
		feature, err := r.objectOf(value)
		if err != nil {
			feature = &jsonObject{}
		}
		return r.addGeoJSON(feature)
	})
}

// objectOf returns the members of an object.
func (r *jsonReader) objectOf(value jsontext.Value) (*jsonObject, error) {
	r.decoder.Reset(bytes.NewBuffer(value), jsonOptions...)
	return readObject(r.decoder, value)
}

// eachElement calls visit with each element of a list until it fails.
func eachElement(list jsontext.Value, visit func(jsontext.Value) *Error) *Error {
	d := jsontext.NewDecoder(bytes.NewBuffer(list), jsonOptions...)
	if start, err := d.ReadToken(); err != nil || start.Kind() != '[' {
		return nil
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return newError(BadJSON, "the JSON is damaged: %s", []byte(jsonReason(err)))
		}
		end := int(d.InputOffset())
		if failed := visit(list[end-len(value) : end]); failed != nil {
			return failed
		}
	}
	return nil
}

var (
	epsgLink  = regexp.MustCompile(`(?i)epsg[/:]+(?:[0-9.]+/)?([0-9]{4,6})`)
	plainCode = regexp.MustCompile(`^[0-9]{4,6}$`)
)

// systemOfGeoJSON returns the reference system that the member crs names in one of its
// forms, "" for none.
func systemOfGeoJSON(value jsontext.Value) string {
	if len(value) == 0 || value.Kind() == 'n' {
		return ""
	}
	if value.Kind() == '"' {
		return valueText(value)
	}
	crs := membersOf(value)
	properties := membersOf(crs.get("properties"))
	if name := properties.text("name"); name != "" {
		return name
	}
	if code := properties.text("code"); plainCode.MatchString(code) {
		return "EPSG:" + code
	}
	if m := epsgLink.FindStringSubmatch(properties.text("href")); m != nil {
		return "EPSG:" + m[1]
	}
	return cmp.Or(properties.text("href"), crs.text("name"))
}

// membersOf returns the members of an object, none of any other value.
func membersOf(value jsontext.Value) *jsonObject {
	if value.Kind() != '{' {
		return &jsonObject{}
	}
	object, err := readObject(jsontext.NewDecoder(bytes.NewBuffer(value), jsonOptions...), value)
	if err != nil {
		return &jsonObject{}
	}
	return object
}

// addGeoJSON adds a feature or a geometry without a feature.
func (r *jsonReader) addGeoJSON(object *jsonObject) *Error {
	r.properties.read(object.get("properties"), object.get("id"))
	f := feature{names: r.properties.names, text: r.properties.text}
	var ok bool
	if geometry := object.get("geometry"); object.text("type") == "Feature" {
		f.figures, ok = r.readGeometry(geometry, 0)
	} else {
		f.figures, ok = r.geometryOf(object, 0)
	}
	if !ok {
		f.problem = unreadableJSON
	}
	first := len(r.res.Placemarks)
	r.useLink(&f)
	failed := r.addFeature(f)
	if len(r.res.Placemarks) > first {
		r.warnRadius(&r.res.Placemarks[first])
	}
	return failed
}

// warnRadius warns once if points have a radius.
func (r *jsonReader) warnRadius(p *Placemark) {
	if r.hasRadius || p.Kind() != Asset {
		return
	}
	for i, name := range r.properties.names {
		if slices.Contains(radiusNames, foldName(name)) && r.properties.values[i].Kind() == '0' {
			r.hasRadius = true
			r.warnFile(RadiusIgnored, "the radius of the features is not used; each is a point")
			return
		}
	}
}

// useLink takes the position of a point at 0, 0 from a link to a map among its
// properties, as in places saved in Google Maps.
func (r *jsonReader) useLink(f *feature) {
	if len(f.figures) != 1 || f.figures[0].kind != pointFigure || f.figures[0].points[0] != (orb.Point{}) {
		return
	}
	for i, name := range f.names {
		text := f.text(i)
		if !strings.HasPrefix(text, "http") || len(text) > 2000 {
			continue
		}
		place, err := readLink(text)
		if err != nil || place.Note != "" {
			continue
		}
		point, isPoint := place.Geometries[0].(orb.Point)
		if isPoint {
			f.figures[0].points = []orb.Point{point}
			f.note = writeMessage("its position is 0, 0; the position in %s was used", []byte(name))
			return
		}
	}
}

// readGeometry reads a geometry, which may be null.
func (r *jsonReader) readGeometry(value jsontext.Value, depth int) (figures []rawFigure, ok bool) {
	if len(value) == 0 || value.Kind() == 'n' {
		return nil, true
	}
	object, err := r.objectOf(value)
	if err != nil {
		return nil, false
	}
	return r.geometryOf(object, depth)
}

// geometryOf returns the figures of a geometry object, and whether it could be read.
func (r *jsonReader) geometryOf(object *jsonObject, depth int) (figures []rawFigure, ok bool) {
	kind := object.text("type")
	if kind == "GeometryCollection" {
		return r.collectGeometries(object.get("geometries"), depth)
	}
	shape, known := shapes[strings.ToUpper(kind)]
	coordinates, ok := parseCoordinates(object.get("coordinates"))
	if !known || !ok || object.get("coordinates") == nil {
		return nil, false
	}
	return coordinates.figures(shape.kind, shape.depth)
}

func (r *jsonReader) collectGeometries(list jsontext.Value, depth int) (figures []rawFigure, ok bool) {
	if depth >= maxNesting || list.Kind() != '[' {
		return nil, false
	}
	ok = true
	failed := eachElement(list, func(value jsontext.Value) *Error {
		part, partOK := r.readGeometry(value, depth+1)
		figures = append(figures, part...)
		ok = ok && partOK
		return nil
	})
	return figures, ok && failed == nil
}
