package kmlcsv

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
)

// readPlacemark reads the current Placemark element, adds its geometries as placemarks, and counts the element as a
// record. If r.s.err is set, readPlacemark does not count the element, because the error is for the whole file.
func (r *kmlReader) readPlacemark() {
	before := r.out.startRecord()
	line := r.s.lineAt(r.s.pos)
	r.out.startPlacemark(line)
	if r.out.stop != nil {
		r.s.err = r.out.stop // stops the scanner, so that all loops over elements end
		return
	}
	r.count++
	geometries := r.readChildren()
	if r.s.err != nil {
		return
	}
	if geometries > 1 { // the parts of a <MultiGeometry> count as one geometry here
		r.out.addWarning(Warning{
			Code: SeveralGeometries, Line: line, Index: before.placemarks,
			Message: "one placemark has several geometries; each became a separate placemark",
		})
	}
	isAdded := len(r.out.res.Placemarks) > before.placemarks
	isSkipped := r.out.res.Skipped > before.skipped // the warning about a skipped geometry says why
	if !isAdded && !isSkipped {                     // no warning says yet why the placemark has no site
		r.out.skipPlacemark(noCoordinates)
	}
	r.nameAndFinish()
	r.out.countRecord(before)
}

// readChildren reads the name, the extended data and the geometries of the current Placemark element. It returns the
// number of geometries. If the placemark has no name, it gets the best name in its extended data.
func (r *kmlReader) readChildren() (geometries int) {
	r.field = extendedName{}
	for r.s.nextElement() {
		switch r.s.el {
		case "name":
			r.out.draft.name = r.readName()
		case "ExtendedData":
			r.readExtended()
		default:
			if r.readGeometry() {
				geometries++
			}
		}
	}
	if r.out.draft.name == "" {
		r.out.draft.name = r.field.text
	}
	return geometries
}

// nameAndFinish adds the current placemark to the result. If the placemark has no name, its name is "Placemark" and its
// number. In a folder, inheritName may replace this name by the name of the folder. This can only happen later, because
// the name element of a folder can come after its placemarks.
func (r *kmlReader) nameAndFinish() {
	if r.out.draft.name != "" {
		r.out.finishPlacemark()
		return
	}
	r.unnamed++
	r.out.draft.name = r.out.concatText("Placemark ", strconv.Itoa(r.count))
	since := r.out.draft.since
	hasResult := r.out.currentMark() != since
	r.out.finishPlacemark()
	if r.folders > 0 && hasResult {
		r.out.waiting = append(r.out.waiting, resultSpan{from: since, to: r.out.currentMark()})
	}
}

// readExtended reads the country, the city and the name from the ExtendedData element.
func (r *kmlReader) readExtended() {
	for r.s.nextElement() {
		switch r.s.el {
		case "SchemaData":
			r.readExtended()
		case "SimpleData":
			r.readField(r.roleOf(r.s.named))
		case "Data":
			role := r.roleOf(r.s.named)
			for r.s.nextElement() {
				if r.s.el == "value" {
					r.readField(role)
				} else {
					r.s.skipElement()
				}
			}
		default:
			r.s.skipElement()
		}
	}
}

// extendedName is the best name that was found so far in the extended data of a placemark.
type extendedName struct {
	text string
	rank int // how good the name is, from nameRank; 0 if there is no name
}

// fieldRole tells what a field of extended data has: a country, a city, or the name of the placemark.
type fieldRole struct {
	country, city bool
	rank          int // for a field with a name, how good the name is, from nameRank; otherwise 0
}

// maxFields is the maximum number of field names for which roles are cached.
const maxFields = 1000

// roleOf returns the role of the field that has the given name, as written in the file. It caches the roles.
func (r *kmlReader) roleOf(name []byte) fieldRole {
	if role, known := r.fields[string(name)]; known {
		return role
	}
	folded := foldName(string(r.s.appendUnescaped(nil, name)))
	role := roleOfField(folded)
	if r.fields == nil {
		r.fields = make(map[string]fieldRole)
	}
	if len(r.fields) < maxFields {
		r.fields[string(name)] = role
	}
	return role
}

// roleOfField returns the role of a field. folded is the name of the field in the form that foldName returns.
func roleOfField(folded string) fieldRole {
	switch folded {
	case "country", "countryname":
		return fieldRole{country: true}
	case "city", "cityname":
		return fieldRole{city: true}
	}
	if slices.Contains(rowCounters, folded) { // a row number is a worse name than the name of the folder
		return fieldRole{}
	}
	return fieldRole{rank: nameRank(folded)}
}

// readField reads the value of a field. role tells whether it is a country, a city or a name.
func (r *kmlReader) readField(role fieldRole) {
	if role.country {
		r.out.draft.country = r.readName()
		return
	}
	if role.city {
		r.out.draft.city = r.readName()
		return
	}
	isBetterName := role.rank > 0 && (r.field.rank == 0 || role.rank < r.field.rank)
	if r.out.draft.name != "" || !isBetterName {
		r.s.skipElement()
		return
	}
	if text := r.readName(); text != "" {
		r.field = extendedName{text, role.rank}
	}
}

// readGeometry reads a geometry element and adds its geometries. If the element is not a geometry, it skips the
// element and returns false.
func (r *kmlReader) readGeometry() bool {
	switch r.s.el {
	case "Point":
		r.readSingle(pointFigure)
	case "LineString":
		r.readSingle(lineFigure)
	case "LinearRing":
		r.readSingle(ringFigure)
	case "Polygon":
		r.readPolygon()
	case "Track":
		r.readTrack()
	case "Model":
		r.out.skipPlacemark(newError(ModelSkipped, "3D model skipped; only points, lines and areas become sites"))
		r.s.skipElement()
	case "MultiPoint", "MultiLineString", "MultiPolygon":
		r.out.warnPlacemark(UnusualElement, "<%s> is not a KML element; it was read as <MultiGeometry>", r.s.name)
		r.readGeometries()
	case "MultiGeometry", "MultiTrack":
		r.readGeometries()
	default:
		r.s.skipElement()
		return false
	}
	return true
}

// readGeometries reads the geometries inside the current element.
func (r *kmlReader) readGeometries() {
	for r.s.nextElement() {
		r.readGeometry()
	}
}

// readSingle reads a geometry that has one list of coordinates, such as a Point or a LineString.
func (r *kmlReader) readSingle(kind figureKind) {
	list := r.readList(kind)
	r.out.addTuples(&list, nil)
}

// readPolygon reads a Polygon. Each ring in an inner boundary is a hole. Each ring in an outer boundary is the outline
// of a polygon.
func (r *kmlReader) readPolygon() {
	r.holes = r.holes[:0]
	r.outlines = r.outlines[:0]
	for r.s.nextElement() {
		switch r.s.el {
		case "outerBoundaryIs":
			r.readBoundary(r.readOutline)
		case "innerBoundaryIs":
			r.readBoundary(r.readHole)
		case "LinearRing":
			r.readOutline()
		default:
			r.s.skipElement()
		}
	}
	r.addPolygons()
}

// readBoundary calls readRing for each ring of the current boundary element.
func (r *kmlReader) readBoundary(readRing func()) {
	for r.s.nextElement() {
		if r.s.el == "LinearRing" {
			readRing()
		} else {
			r.s.skipElement()
		}
	}
}

// readOutline reads the current LinearRing as the outline of a polygon.
func (r *kmlReader) readOutline() {
	r.outlines = append(r.outlines, r.readList(polygonFigure))
}

// readHole reads the current LinearRing as a hole.
func (r *kmlReader) readHole() {
	list := r.readList(polygonFigure)
	if list.problem != nil || closeRing(list.points) == nil {
		r.out.warnHole()
		return
	}
	r.holes = append(r.holes, list.points)
}

// addPolygons adds the polygons of a Polygon element. The holes belong to the first polygon.
func (r *kmlReader) addPolygons() {
	if len(r.outlines) == 0 {
		if len(r.holes) > 0 {
			r.out.skipPlacemark(newError(NoBoundary, "the polygon has no outer boundary"))
		} else {
			r.out.addFigure(rawFigure{kind: polygonFigure}) // skipped with a warning about missing coordinates
		}
		return
	}
	if len(r.outlines) > 1 {
		r.out.warnPlacemark(SeveralGeometries,
			"one polygon has several outer boundaries; each became a separate placemark")
	}
	holes := r.holes
	for i := range r.outlines {
		r.out.addTuples(&r.outlines[i], holes)
		holes = nil
	}
}

// readList reads the coordinates in the current geometry element, for a shape of the given kind. All points of a file
// are stored in r.free, one list after the other. The capacity of each list ends at its last point, so that appending
// to it does not overwrite the next list.
func (r *kmlReader) readList(kind figureKind) tupleReader {
	list := tupleReader{kind: kind, swap: r.out.opts.SwapLatLng, points: r.free}
	for r.s.nextElement() {
		if r.s.el == "coordinates" {
			r.s.readCoordinates(&list)
		} else {
			r.s.skipElement()
		}
	}
	r.free = list.points[len(list.points):]
	list.points = slices.Clip(list.points)
	return list
}

// readCoordinates reads the coordinates in the text of the current element. It tries plainTuples first, which is fast.
// If the text is not in the usual form, it reads the text again with readTuples.
func (s *xmlScanner) readCoordinates(l *tupleReader) {
	s.pos = skipSpace(s.data, s.pos)
	s.lineAt(s.pos)
	text := s.data[s.pos:]
	list := plainTuples(text, l.points)
	isComplete := bytes.HasPrefix(text[list.end:], []byte("</"))
	if s.empty || l.swap || !isComplete {
		l.readTuples(s.elementText())
		return
	}
	l.points = list.points
	s.pos += list.end
	s.linePos = s.pos
	s.lineNum += list.lines
	s.endTag()
}

// addTuples adds the shape with the points that l has read. holes are the holes of the shape. If l has found a problem
// in the points, addTuples skips the shape.
func (b *resultBuilder) addTuples(l *tupleReader, holes [][]orb.Point) {
	if l.problem != nil {
		b.rejectFigure(l)
		return
	}
	b.remarkTuples(l)
	b.addFigure(rawFigure{kind: l.kind, points: l.points, holes: holes})
}

// remarkTuples adds warnings about the faults in a coordinate list that were tolerated.
func (b *resultBuilder) remarkTuples(t *tupleReader) {
	if t.areJoined {
		b.warnPlacemark(TuplesJoined,
			"commas separate the coordinates; they were read as longitude, latitude, altitude")
	}
	if t.hasFourth {
		b.warnPlacemark(ExtraPoints, "fourth number of a coordinate ignored")
	}
	if t.wrapped == 1 {
		b.warnPlacemark(LongitudeWrapped, "a longitude beyond 180 degrees was wrapped by 360")
	} else if t.wrapped > 1 {
		b.warnPlacemark(LongitudeWrapped, "%d longitudes beyond 180 degrees were wrapped by 360", t.wrapped)
	}
}

// readTrack reads a gx:Track as a line. Each coord element has a longitude, a latitude and an altitude.
func (r *kmlReader) readTrack() {
	l := tupleReader{kind: lineFigure, swap: r.out.opts.SwapLatLng}
	missing := 0
	for r.s.nextElement() {
		if r.s.el != "coord" {
			r.s.skipElement()
		} else if !l.readPosition(r.s.elementText()) {
			missing++
		}
	}
	l.acceptPairs()
	if missing > 0 && len(l.points) > 0 && l.problem == nil {
		r.out.warnPlacemark(PointsMissing, "%d positions of the track are empty", missing)
	}
	r.out.addTuples(&l, nil)
}
