package kmlcsv

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
)

// readPlacemark reads a Placemark, its start tag just read.
func (r *kmlReader) readPlacemark() {
	since := r.startRecord()
	r.startPlacemark(r.s.lineAt(r.s.pos))
	if r.stop != nil {
		r.s.err = r.stop
		return
	}
	r.count++
	r.field = extendedName{}
	geometries, skipped := 0, r.res.Skipped
	for r.s.nextElement() {
		switch r.s.el {
		case "name":
			r.name = r.readName()
		case "ExtendedData":
			r.readExtended()
		default:
			if r.readGeometry() {
				geometries++
			}
		}
	}
	if r.s.err != nil {
		return
	}
	if geometries > 1 {
		r.addWarning(Warning{
			Code: SeveralGeometries, Line: r.line, Index: r.since.placemarks,
			Message: "one placemark has several geometries; each became a separate placemark",
		})
	}
	if len(r.res.Placemarks) == r.since.placemarks && r.res.Skipped == skipped {
		r.skipPlacemark(noCoordinates)
	}
	if r.name == "" {
		r.name = r.field.text
	}
	r.finishOrWait()
	r.countRecord(since)
}

// finishOrWait finishes a placemark, or lets it wait for the name of its folder.
func (r *kmlReader) finishOrWait() {
	hasResult := r.currentMark() != r.since
	waits := r.name == "" && r.folders > 0 && hasResult
	if r.name == "" {
		r.unnamed++
		r.name = r.concatText("Placemark ", strconv.Itoa(r.count))
	}
	r.finishPlacemark()
	if waits {
		r.waiting = append(r.waiting, resultSpan{r.since, r.currentMark()})
	}
}

// readExtended reads country and city out of ExtendedData.
func (r *kmlReader) readExtended() {
	for r.s.nextElement() {
		switch r.s.el {
		case "SchemaData":
			r.readExtended()
		case "SimpleData":
			r.readField(r.fieldRole(r.s.named))
		case "Data":
			role := r.fieldRole(r.s.named)
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

// extendedName is the text of the field of extended data that names a placemark best.
type extendedName struct {
	text string
	rank int // of the field, 0 for none
}

// fieldRole is what a field of extended data means: a country, a city, or how well it
// names a placemark.
type fieldRole struct {
	country, city bool
	rank          int // 0 for no name
}

// maxFields limits the names of fields whose meaning is kept.
const maxFields = 1000

// fieldRole returns what a field means by its name.
func (r *kmlReader) fieldRole(name []byte) fieldRole {
	if role, known := r.fields[string(name)]; known {
		return role
	}
	folded := foldName(string(r.s.appendUnescaped(nil, name)))
	role := fieldRole{rank: nameRank(folded)}
	switch {
	case slices.Contains([]string{"country", "countryname"}, folded):
		role = fieldRole{country: true}
	case slices.Contains([]string{"city", "cityname"}, folded):
		role = fieldRole{city: true}
	case slices.Contains(rowCounters, folded): // a folder's name says more
		role = fieldRole{}
	}
	if r.fields == nil {
		r.fields = make(map[string]fieldRole)
	}
	if len(r.fields) < maxFields {
		r.fields[string(name)] = role
	}
	return role
}

// readField reads the value of a field that is a country, a city or a name.
func (r *kmlReader) readField(role fieldRole) {
	switch {
	case role.country:
		r.country = r.readName()
	case role.city:
		r.city = r.readName()
	case role.rank > 0 && r.name == "" && (r.field.rank == 0 || role.rank < r.field.rank):
		if text := r.readName(); text != "" {
			r.field = extendedName{text, role.rank}
		}
	default:
		r.s.skipElement()
	}
}

// readGeometry reads a geometry element and adds what is in it. It goes past any other,
// and reports false.
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
		r.skipPlacemark(newError(ModelSkipped, "3D model skipped; only points, lines and areas become sites"))
		r.s.skipElement()
	case "MultiPoint", "MultiLineString", "MultiPolygon":
		r.warnPlacemark(UnusualElement, "<%s> is not a KML element; it was read as <MultiGeometry>", r.s.name)
		fallthrough
	case "MultiGeometry", "MultiTrack":
		for r.s.nextElement() {
			r.readGeometry()
		}
	default:
		r.s.skipElement()
		return false
	}
	return true
}

// readSingle reads a geometry that is one list of coordinates.
func (r *kmlReader) readSingle(kind figureKind) {
	l := r.newTupleReader(kind)
	r.readRing(&l)
	r.addTuples(&l, nil)
}

// readPolygon reads a Polygon. Further rings in the inner boundary are holes, in
// the outer one polygons of their own.
func (r *kmlReader) readPolygon() {
	r.holes, r.outlines = r.holes[:0], r.outlines[:0]
	boundary := func(outer bool) {
		l := r.newTupleReader(polygonFigure)
		r.readRing(&l)
		switch {
		case outer:
			r.outlines = append(r.outlines, l)
		case l.problem != nil || closeRing(l.points) == nil:
			r.warnHole()
		default:
			r.holes = append(r.holes, l.points)
		}
	}
	for r.s.nextElement() {
		switch r.s.el {
		case "outerBoundaryIs", "innerBoundaryIs":
			outer := r.s.el == "outerBoundaryIs"
			for r.s.nextElement() {
				if r.s.el == "LinearRing" {
					boundary(outer)
				} else {
					r.s.skipElement()
				}
			}
		case "LinearRing":
			boundary(true)
		default:
			r.s.skipElement()
		}
	}
	r.addPolygons()
}

// addPolygons adds the polygons of a Polygon element.
func (r *kmlReader) addPolygons() {
	switch n := len(r.outlines); {
	case n == 0 && len(r.holes) > 0:
		r.skipPlacemark(newError(NoBoundary, "the polygon has no outer boundary"))
	case n == 0:
		r.addFigure(rawFigure{kind: polygonFigure}) // which is missing its coordinates
	case n > 1:
		r.warnPlacemark(
			SeveralGeometries,
			"one polygon has several outer boundaries; each became a separate placemark",
		)
	}
	holes := r.holes
	for i := range r.outlines {
		r.addTuples(&r.outlines[i], holes)
		holes = nil
	}
}

// newTupleReader returns a reader of coordinates that puts its points in the room of the
// file.
func (r *kmlReader) newTupleReader(kind figureKind) tupleReader {
	return tupleReader{kind: kind, swap: r.opts.SwapLatLng, points: r.room}
}

// readRing reads the coordinates inside a geometry element.
func (r *kmlReader) readRing(l *tupleReader) {
	for r.s.nextElement() {
		if r.s.el == "coordinates" {
			r.s.readCoordinates(l)
		} else {
			r.s.skipElement()
		}
	}
	r.room = l.points[len(l.points):]
	l.points = slices.Clip(l.points)
}

// readCoordinates reads the text of the element that next went to.
func (s *xmlScanner) readCoordinates(l *tupleReader) {
	s.pos = skipSpace(s.data, s.pos)
	s.lineAt(s.pos)
	text := s.data[s.pos:]
	points, stop, breaks := plainTuples(text, l.points)
	if s.empty || l.swap || !bytes.HasPrefix(text[stop:], []byte("</")) {
		l.readTuples(s.elementText())
		return
	}
	l.points = points
	s.pos += stop
	s.linePos = s.pos
	s.lineNum += breaks
	s.endTag()
}

// addTuples adds the figure of a coordinate list, or skips it.
func (b *resultBuilder) addTuples(l *tupleReader, holes [][]orb.Point) {
	if l.problem != nil {
		b.rejectFigure(l)
		return
	}
	b.remarkTuples(l)
	b.addFigure(rawFigure{kind: l.kind, points: l.points, holes: holes})
}

// remarkTuples warns about what was lenient in a coordinate list.
func (b *resultBuilder) remarkTuples(t *tupleReader) {
	if t.joined {
		b.warnPlacemark(
			TuplesJoined,
			"commas separate the coordinates; they were read as longitude, latitude, altitude",
		)
	}
	if t.fourth {
		b.warnPlacemark(ExtraPoints, "fourth number of a coordinate ignored")
	}
	if t.wrapped == 1 {
		b.warnPlacemark(LongitudeWrapped, "a longitude beyond 180 degrees was wrapped by 360")
	} else if t.wrapped > 1 {
		b.warnPlacemark(LongitudeWrapped, "%d longitudes beyond 180 degrees were wrapped by 360", t.wrapped)
	}
}

// readTrack reads a gx:Track: a position an element, longitude latitude altitude.
func (r *kmlReader) readTrack() {
	l := tupleReader{kind: lineFigure, swap: r.opts.SwapLatLng}
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
		r.warnPlacemark(PointsMissing, "%d positions of the track are empty", missing)
	}
	r.addTuples(&l, nil)
}
