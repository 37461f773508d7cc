package kmlcsv

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"
)

// jsonOptions let the decoder accept two faults that files of other programs have: repeated names in an object, and
// text that is not UTF-8.
var jsonOptions = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// jsonReader reads GeoJSON, and sites in the JSON of other programs.
type jsonReader struct {
	out  *resultBuilder
	text []byte

	feature    jsonObject // current feature
	geometry   jsonObject // geometry of the current feature
	properties propertyList
	hasRadius  bool // the result already has a warning about a radius
}

// parseJSON reads GeoJSON: one or more geometries, features or feature collections, one after the other. It also
// reads the JSON of ArcGIS, QGroundControl and Overpass, and simple lists of objects with positions.
func parseJSON(data []byte, opts readOptions) (*Result, *Error) {
	text, _, failed := decodeText(data, "")
	if failed != nil {
		return nil, failed
	}
	if bytes.IndexByte(text, 0x1e) >= 0 { // separates the records of a GeoJSON text sequence
		text = bytes.ReplaceAll(text, []byte{0x1e}, []byte{' '})
	}
	r := &jsonReader{out: newResultBuilder(opts, FormatGeoJSON), text: text}
	r.out.openAccount("", "feature")
	top := jsontext.NewDecoder(bytes.NewBuffer(text), jsonOptions...)
	for {
		value, err := top.ReadValue()
		if errors.Is(err, io.EOF) {
			return r.out.finishGIS()
		}
		if err != nil {
			return r.explainDamage(top, err)
		}
		end := int(top.InputOffset())
		r.out.progress = func() float64 { return float64(end) / float64(len(text)) }
		if failed := r.readTopValue(value); failed != nil {
			return r.out.res, failed
		}
	}
}

var notJSON = newPattern(`[:\[,]\s*(NaN|-?Infinity)\b`)

// notJSONDistance is how near to an error, in bytes, the reader looks for the words NaN and Infinity, which JSON does
// not allow. If it finds one, it reports the word as the cause of the error.
const notJSONDistance = 20

// explainDamage returns the error for invalid JSON, with the line number. d is the decoder that returned err.
func (r *jsonReader) explainDamage(d *jsontext.Decoder, err error) (*Result, *Error) {
	offset := int(d.InputOffset())
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = max(offset, int(syntactic.ByteOffset))
	}
	failed := newError(BadJSON, "the JSON is damaged: %s; export it again", []byte(jsonReason(err)))
	nearby := r.text[max(0, offset-notJSONDistance):min(len(r.text), offset+notJSONDistance)]
	if notJSON().Match(nearby) {
		failed = newError(BadJSON, "NaN and Infinity are not JSON; replace them by null, or export the file again")
	}
	failed.Line = bytes.Count(r.text[:min(offset, len(r.text))], newline) + 1
	return nil, failed
}

// jsonReason returns the reason of a decoder error, without the prefix and the position that the decoder adds.
func jsonReason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) && syntactic.Err != nil {
		return syntactic.Err.Error()
	}
	return err.Error()
}

// readTopValue reads a value at the top level of the file: an object, or an array of objects.
func (r *jsonReader) readTopValue(value jsontext.Value) *Error {
	if value.Kind() == '[' {
		return r.readList(value)
	}
	object := membersOf(value)
	figures := object.plainFigures()
	list := object.siteList()
	if figures != nil && list == nil {
		return r.addPlainObject(value, figures)
	}
	if figures == nil && list != nil {
		return r.readList(list)
	}
	return r.readTop(object) // an object with both is refused by readTop, because both can be the sites
}

// readList reads an array of objects. If each object is only a position, the positions are the corners of one site.
// Otherwise each object is a site: a GeoJSON object, or an object that has a position.
func (r *jsonReader) readList(list jsontext.Value) *Error {
	if corners := cornersOf(list); len(corners) > 1 {
		return r.out.addFeature(feature{text: func(int) string { return "" }, figures: []rawFigure{outlineOf(corners)}})
	}
	isPlain := isSiteList(list)
	return eachElement(list, func(element jsontext.Value) *Error {
		object := membersOf(element)
		if isPlain && object.text("type") == "" {
			return r.addPlainObject(element, object.plainFigures())
		}
		return r.readTop(object)
	})
}

// isSiteList reports whether at least one object in an array has a position.
func isSiteList(list jsontext.Value) bool {
	found := newError(WrongType, "") // any error ends the loop
	return eachElement(list, func(element jsontext.Value) *Error {
		if membersOf(element).plainFigures() != nil {
			return found
		}
		return nil
	}) != nil
}

// siteList finds the sites in an object that is not GeoJSON. It returns the only member that is an array of objects
// with positions, or nil if there is no such member or several. An array with the corners of a single site does not
// count.
func (o *jsonObject) siteList() jsontext.Value {
	var lists []jsontext.Value
	for _, value := range o.values {
		start := nextToken(value, 1)
		isList := value.Kind() == '[' && start < len(value) && value[start] == '{'
		if isList && len(cornersOf(value)) < minCorners {
			lists = append(lists, value)
		}
	}
	if o.text("type") != "" || len(lists) != 1 || !isSiteList(lists[0]) {
		return nil
	}
	return lists[0]
}

// cornersOf returns the positions in an array of objects that have only a latitude and a longitude. It returns nil if
// one of the objects has other members.
func cornersOf(list jsontext.Value) (corners []orb.Point) {
	isCorners := true
	_ = eachElement(list, func(element jsontext.Value) *Error { // never fails
		object := membersOf(element)
		p, ok := object.position()
		isCorners = isCorners && ok && len(object.names) == 2
		corners = append(corners, p)
		return nil
	})
	if !isCorners {
		return nil
	}
	return corners
}

var (
	latitudeMembers  = strings.Fields("lat latitude Lat Latitude LAT LATITUDE")
	longitudeMembers = strings.Fields("lng lon long longitude Lng Lon Long Longitude LNG LON LONG LONGITUDE")
)

// number returns the number in the first member that has one of the names. The number can also be written as text. ok
// is false if there is no such number.
func (o *jsonObject) number(names []string) (n float64, ok bool) {
	for _, name := range names {
		value := o.get(name)
		if value == nil {
			continue
		}
		text := []byte(valueText(value))
		n, end := parseNumber(text, 0)
		if end > 0 && end == len(text) {
			return n, true
		}
	}
	return 0, false
}

// position returns the position that an object has in two members, such as "lat" and "lng". ok is false if a member
// is missing or not a number.
func (o *jsonObject) position() (p orb.Point, ok bool) {
	lat, hasLat := o.number(latitudeMembers)
	lng, hasLng := o.number(longitudeMembers)
	return orb.Point{lng, lat}, hasLat && hasLng
}

// positionMembers are the names of members that can have the position of a site. The member is an object with a
// latitude and a longitude, or a GeoJSON geometry.
var positionMembers = strings.Fields(`location position geo geolocation coordinates coords point latlng gps geometry
	geom`)

// minCorners is the minimum number of positions in an array that is read as the boundary of a site.
const minCorners = 3

// plainFigures returns the shapes of an object that is not GeoJSON, or nil if it has no position. If the object has
// both a boundary and a single position, it returns the boundary.
func (o *jsonObject) plainFigures() []rawFigure {
	if o.text("type") != "" {
		return nil
	}
	if figures := o.memberGeometry(); figures != nil {
		return figures
	}
	p, ok := o.position()
	if !ok {
		p, ok = o.memberPosition()
	}
	if !ok {
		return nil
	}
	return []rawFigure{{points: []orb.Point{p}}}
}

// memberGeometry returns the shapes in the first member that is an array of corners or a GeoJSON geometry. It returns
// nil if there is no such member.
func (o *jsonObject) memberGeometry() []rawFigure {
	for i, value := range o.values {
		if corners := cornersOf(value); len(corners) >= minCorners {
			return []rawFigure{outlineOf(corners)}
		}
		if !o.isPositionObject(i) {
			continue
		}
		if figures, ok := figuresOfGeoJSON(membersOf(value), 0); ok && figures != nil {
			return figures
		}
	}
	return nil
}

// memberPosition returns the position in the first member that is an object with a latitude and a longitude. ok is
// false if there is no such member.
func (o *jsonObject) memberPosition() (p orb.Point, ok bool) {
	for i, value := range o.values {
		if !o.isPositionObject(i) {
			continue
		}
		if p, ok := membersOf(value).position(); ok {
			return p, true
		}
	}
	return p, false
}

// isPositionObject reports whether member i is an object and has a name that means a position, such as "location".
func (o *jsonObject) isPositionObject(i int) bool {
	return o.values[i].Kind() == '{' && slices.Contains(positionMembers, foldName(string(o.names[i])))
}

// addPlainObject adds an object that is not GeoJSON as a site with the given shapes.
func (r *jsonReader) addPlainObject(object jsontext.Value, figures []rawFigure) *Error {
	r.properties.read(object, nil)
	f := feature{names: r.properties.names, text: r.properties.text, figures: figures}
	if len(figures) == 0 {
		f.problem = noCoordinates
	}
	return r.out.addFeature(f)
}

// readTop reads an object at the top level of the file. The members of the object show whether it is GeoJSON or the
// format of another program, such as QGroundControl.
func (r *jsonReader) readTop(object *jsonObject) *Error {
	kind := object.text("type")
	if object.text("fileType") == "Plan" {
		return r.readPlan(object)
	}
	if isEsri(object) {
		return r.readEsri(object)
	}
	isOverpass := object.get("elements") != nil && kind == ""
	if isOverpass {
		return r.readOverpass(object)
	}
	switch kind {
	case "FeatureCollection", "Feature", "GeometryCollection":
		return r.readGeoJSON(object, kind)
	case "Topology":
		return newError(WrongType, "this is TopoJSON; export the sites as GeoJSON or KML")
	}
	if isGeometry(kind) {
		return r.readGeoJSON(object, kind)
	}
	return notGeoJSON(object, kind)
}

// notGeoJSON returns the error for an object that is neither GeoJSON nor the format of a supported program. kind is
// the object's member "type", or "".
func notGeoJSON(object *jsonObject, kind string) *Error {
	if kind != "" {
		return newError(WrongType,
			"this JSON is not GeoJSON: its type is %q; export the sites as GeoJSON or KML", []byte(kind))
	}
	names := bytes.ReplaceAll(bytes.Join(object.names[:min(len(object.names), 5)], []byte(", ")), []byte{'"'}, nil)
	return newError(WrongType,
		"this JSON is not GeoJSON: it has the members %s; export the sites as GeoJSON or KML", names)
}

func isGeometry(kind string) bool {
	_, known := shapeOfType([]byte(kind))
	return known
}

// readGeoJSON reads a GeoJSON object at the top level of the file. kind is the type of the object.
func (r *jsonReader) readGeoJSON(object *jsonObject, kind string) *Error {
	if r.out.draft.line == 0 {
		if failed := r.out.setSystem(systemOfGeoJSON(object.get("crs"))); failed != nil {
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
	read := 0
	r.out.progress = func() float64 { return max(float64(read)/float64(len(features)), 1e-9) }
	return eachElement(features, func(value jsontext.Value) *Error {
		read += len(value)
		r.feature.read(value)
		return r.addGeoJSON(&r.feature)
	})
}

var (
	epsgLink  = newPattern(`(?i)epsg[/:]+(?:[0-9.]+/)?([0-9]{4,6})`)
	plainCode = newPattern(`^[0-9]{4,6}$`)
)

// systemOfGeoJSON returns the reference system that the member crs of GeoJSON names, or "". It understands the forms
// of this member that various programs write.
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
	if code := properties.text("code"); plainCode().MatchString(code) {
		return "EPSG:" + code
	}
	if m := epsgLink().FindStringSubmatch(properties.text("href")); m != nil {
		return "EPSG:" + m[1]
	}
	if href := properties.text("href"); href != "" {
		return href
	}
	return crs.text("name")
}

// addGeoJSON adds a site for a feature, or for a geometry that is not in a feature.
func (r *jsonReader) addGeoJSON(object *jsonObject) *Error {
	geometry := object
	if string(object.word("type")) == "Feature" {
		r.geometry.read(object.get("geometry"))
		geometry = &r.geometry
	}
	r.properties.read(object.get("properties"), object.get("id"))
	f := feature{names: r.properties.names, text: r.properties.text}
	figures, ok := figuresOfGeoJSON(geometry, 0)
	f.figures = figures
	if !ok {
		f.problem = unreadableJSON
	}
	r.useLink(&f)
	first := len(r.out.res.Placemarks)
	failed := r.out.addFeature(f)
	isAdded := len(r.out.res.Placemarks) > first
	if isAdded {
		r.warnRadius(&r.out.res.Placemarks[first])
	}
	return failed
}

// isRadius reports whether the name of a property means a radius.
func isRadius(name string) bool { return slices.Contains(radiusNames, foldName(name)) }

// warnRadius warns once for each file that a radius is not used. It is called for each new placemark, and does
// nothing if the placemark is not a point or has no radius.
func (r *jsonReader) warnRadius(p *Placemark) {
	i := r.properties.radius - 1
	if r.hasRadius || i < 0 || p.Kind() != Asset || r.properties.object.values[i].Kind() != '0' {
		return
	}
	r.hasRadius = true
	r.out.warnFile(RadiusIgnored, "the radius of the features is not used; each is a point")
}

// useLink corrects points at 0, 0 in exports from Google Maps. If a property of such a point is a link to a map, it
// moves the point to the position in the link.
func (r *jsonReader) useLink(f *feature) {
	isPoint := len(f.figures) == 1 && f.figures[0].kind == pointFigure
	if !isPoint || f.figures[0].points[0] != zeroPosition {
		return
	}
	for i, name := range f.names {
		position, ok := pointInLink(f.text(i))
		if ok {
			f.figures[0].points = []orb.Point{position}
			f.note = writeMessage("its position is 0, 0; the position in %s was used", []byte(name))
			return
		}
	}
}

// pointInLink returns the position of the marker in a link to a map. ok is false if the text is not such a link, or
// if the link does not clearly state the position.
func pointInLink(text string) (p orb.Point, ok bool) {
	if !strings.HasPrefix(text, "http") || len(text) > 2000 {
		return p, false
	}
	place, err := readLink(text)
	isAssumed := place.Note != "" // not the marker, but for example the centre of the map
	if err != nil || isAssumed {
		return p, false
	}
	p, ok = place.Geometries[0].(orb.Point)
	return p, ok
}

// shapeOfType returns the shape for a GeoJSON type, such as Polygon. It ignores the case of letters. known is false
// for names that are not a type of geometry.
func shapeOfType(name []byte) (shape shapeType, known bool) {
	shape, known = shapesOfGeoJSON[string(name)]
	if !known {
		shape, known = shapes[strings.ToUpper(string(name))]
	}
	return shape, known
}

// shapesOfGeoJSON maps the names of GeoJSON types to shapes.
var shapesOfGeoJSON = map[string]shapeType{
	"Point":           shapes["POINT"],
	"MultiPoint":      shapes["MULTIPOINT"],
	"LineString":      shapes["LINESTRING"],
	"MultiLineString": shapes["MULTILINESTRING"],
	"Polygon":         shapes["POLYGON"],
	"MultiPolygon":    shapes["MULTIPOLYGON"],
}

// figuresOfGeoJSON returns the shapes of a geometry. It returns no shapes for a geometry that is null. depth is the
// number of geometry collections that contain the geometry. ok is false if the geometry cannot be read.
func figuresOfGeoJSON(object *jsonObject, depth int) (figures []rawFigure, ok bool) {
	if len(object.names) == 0 {
		return nil, true
	}
	kind := object.word("type")
	if string(kind) == "GeometryCollection" {
		return collectGeometries(object.get("geometries"), depth)
	}
	shape, known := shapeOfType(kind)
	list := object.get("coordinates")
	coordinates, ok := parseCoordinates(list)
	if !known || !ok || list == nil {
		return nil, false
	}
	return coordinates.figures(shape.kind, shape.depth)
}

func collectGeometries(list jsontext.Value, depth int) (figures []rawFigure, ok bool) {
	if depth >= maxNesting || list.Kind() != '[' {
		return nil, false
	}
	ok = true
	_ = eachElement(list, func(value jsontext.Value) *Error { // never fails
		part, partOK := figuresOfGeoJSON(membersOf(value), depth+1)
		figures = append(figures, part...)
		ok = ok && partOK
		return nil
	})
	return figures, ok
}
