package kmlcsv

import (
	"bytes"
	"strconv"

	"github.com/paulmach/orb"
)

// readPlacemark reads a Placemark, its start tag just read.
func (r *kmlReader) readPlacemark() {
	since, line := r.currentMark(), r.s.lineAt(r.s.pos)
	r.count++
	name, country, city := "", "", ""
	geometries, skipped := 0, r.res.Skipped
	for r.s.nextElement() {
		switch r.s.el {
		case "name":
			name = r.readName(line)
		case "ExtendedData":
			r.readExtended(&country, &city, line)
		default:
			if r.readGeometry(line) {
				geometries++
			}
		}
	}
	if r.s.err != nil {
		return
	}
	if geometries > 1 {
		r.addWarning(Warning{
			Code: SeveralGeometries, Line: line, Index: since.placemarks,
			Message: "one placemark has several geometries; each became a separate placemark",
		})
	}
	if len(r.res.Placemarks) == since.placemarks && r.res.Skipped == skipped {
		r.skipPlacemark(noCoordinates, line)
	}
	r.finishPlacemark(since, name, country, city)
}

// finishPlacemark finishes a placemark, or lets it wait for the name of its folder.
func (r *kmlReader) finishPlacemark(since resultMark, name, country, city string) {
	last := len(r.res.Placemarks) - 1
	if last < since.placemarks {
		last = -1
	}
	for i := since.warnings; i < len(r.res.Warnings); i++ {
		if w := &r.res.Warnings[i]; w.Index >= len(r.res.Placemarks) {
			w.Index = last // noted after the last part
		}
	}
	waits := name == "" && r.folders > 0 && (last >= 0 || len(r.res.Warnings) > since.warnings)
	if name == "" {
		r.unnamed++
		r.label = strconv.AppendInt(append(r.label[:0], "Placemark "...), int64(r.count), 10)
		name = r.names.makeString(r.label)
	}
	r.finishSince(since, name, country, city)
	if waits {
		r.waiting = append(r.waiting, resultSpan{since, r.currentMark()})
	}
}

// readExtended reads country and city out of ExtendedData.
func (r *kmlReader) readExtended(country, city *string, line int) {
	for r.s.nextElement() {
		switch r.s.el {
		case "SchemaData":
			r.readExtended(country, city, line)
		case "SimpleData":
			if field := fieldOf(r.s.attributeValue("name"), country, city); field != nil {
				*field = r.readName(line)
			} else {
				r.s.skipElement()
			}
		case "Data":
			field := fieldOf(r.s.attributeValue("name"), country, city)
			for r.s.nextElement() {
				if field != nil && r.s.el == "value" {
					*field = r.readName(line)
				} else {
					r.s.skipElement()
				}
			}
		default:
			r.s.skipElement()
		}
	}
}

// fieldOf returns which of the two a name of extended data means, nil for none.
func fieldOf(name string, country, city *string) *string {
	switch foldName(name) {
	case "country", "countryname":
		return country
	case "city", "cityname":
		return city
	}
	return nil
}

// readGeometry reads a geometry element and adds what is in it. It goes past any other,
// and reports false.
func (r *kmlReader) readGeometry(line int) bool {
	switch r.s.el {
	case "Point":
		r.readSingle(pointFigure, line)
	case "LineString":
		r.readSingle(lineFigure, line)
	case "LinearRing":
		r.readSingle(ringFigure, line)
	case "Polygon":
		r.readPolygon(line)
	case "Track":
		r.readTrack(line)
	case "Model":
		r.skipPlacemark(newError(ModelSkipped, "3D model skipped; only points, lines and areas become sites"), line)
		r.s.skipElement()
	case "MultiPoint", "MultiLineString", "MultiPolygon":
		r.warnPlacemark(
			UnusualElement,
			line,
			"<%s> is not a KML element; it was read as <MultiGeometry>",
			r.s.name,
		)
		fallthrough
	case "MultiGeometry", "MultiTrack":
		for r.s.nextElement() {
			r.readGeometry(line)
		}
	default:
		r.s.skipElement()
		return false
	}
	return true
}

// readSingle reads a geometry that is one list of coordinates.
func (r *kmlReader) readSingle(kind figureKind, line int) {
	points, odd := r.readRing(kind)
	if odd != nil {
		if odd.problem != nil {
			r.rejectFigure(rawFigure{kind: kind, line: line}, odd)
			return
		}
		r.remarkTuples(odd, line)
	}
	if kind == pointFigure && len(points) == 1 {
		r.addPoint(points[0], line)
		return
	}
	r.addFigure(rawFigure{kind: kind, points: points, line: line})
}

// readPolygon reads a Polygon. Further rings in the inner boundary are holes, in
// the outer one polygons of their own.
func (r *kmlReader) readPolygon(line int) {
	r.holes, r.outlines = r.holes[:0], r.outlines[:0]
	boundary := func(outer bool) {
		if points, odd := r.readRing(polygonFigure); outer {
			r.outlines = append(r.outlines, outlineRing{points, odd})
		} else {
			r.addHole(points, odd, line)
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
	r.addPolygons(line)
}

// addPolygons adds the polygons of a Polygon element.
func (r *kmlReader) addPolygons(line int) {
	switch n := len(r.outlines); {
	case n == 0 && len(r.holes) > 0:
		r.skipPlacemark(newError(NoBoundary, "the polygon has no outer boundary"), line)
	case n == 0:
		r.addFigure(rawFigure{kind: polygonFigure, line: line}) // which is missing its coordinates
	case n > 1:
		r.warnPlacemark(
			SeveralGeometries,
			line,
			"one polygon has several outer boundaries; each became a separate placemark",
		)
	}
	for i, o := range r.outlines {
		f := rawFigure{kind: polygonFigure, points: o.points, line: line}
		if i == 0 {
			f.holes = r.holes
		}
		if o.odd != nil && o.odd.problem != nil {
			r.rejectFigure(f, o.odd)
			continue
		}
		if o.odd != nil {
			r.remarkTuples(o.odd, line)
		}
		r.addFigure(f)
	}
}

// outlineRing is a ring of an outer boundary, and what is odd about it.
type outlineRing struct {
	points []orb.Point
	odd    *tupleList
}

// addHole takes a ring as a hole of the polygon being read.
func (r *kmlReader) addHole(points []orb.Point, odd *tupleList, line int) {
	if odd != nil && odd.problem != nil || closeRing(points) == nil {
		r.warnHole(line)
		return
	}
	r.holes = append(r.holes, points)
}

// readRing reads the coordinates inside a geometry element, and closes those of a
// polygon. Where they are not a plain list, odd says more.
func (r *kmlReader) readRing(kind figureKind) (points []orb.Point, odd *tupleList) {
	for r.s.nextElement() {
		if r.s.el != "coordinates" {
			r.s.skipElement()
			continue
		}
		text := r.s.elementText()
		if points == nil {
			r.reservePoints(text)
			points = r.points.open()
		}
		if more, ok := plainTuples(text, points); ok && !r.opts.SwapLatLng {
			points = more
		} else if odd == nil || odd.problem == nil {
			odd = readTuples(text, points, odd, kind, r.opts.SwapLatLng)
			points = odd.points
		}
	}
	if n := len(points); kind == polygonFigure && n > 2 && points[0] != points[n-1] {
		points = append(points, points[0])
	}
	return r.points.close(points), odd
}

// reservePoints makes room for the points of a coordinate list. A new block is made for
// what the rest of the file may hold.
func (r *kmlReader) reservePoints(text []byte) {
	if len(r.points.free) > len(text)/8+1 {
		return // even if its points are as short as can be
	}
	first := text[:min(len(text), 80)]
	if i := bytes.IndexAny(bytes.TrimLeft(first, " \t\r\n"), " \t\r\n"); i > 0 {
		first = first[:min(i+1, len(first))]
	}
	each := max(1, min(2, bytes.Count(first, comma)))
	need := min(bytes.Count(text, comma)/each, len(text)/4) + 2
	if len(r.points.free) < need {
		rest := r.s.data[r.s.pos:]
		r.points.reserveRoom(need, need+min(bytes.Count(rest, comma)/each, len(rest)/16))
	}
}

var comma = []byte{','}

// remarkTuples warns about what was lenient in a coordinate list.
func (r *resultBuilder) remarkTuples(t *tupleList, line int) {
	if t.joined {
		r.warnPlacemark(
			TuplesJoined,
			line,
			"commas separate the coordinates; they were read as longitude, latitude, altitude",
		)
	}
	if t.fourth {
		r.warnPlacemark(ExtraPoints, line, "fourth number of a coordinate ignored")
	}
	if t.wrapped == 1 {
		r.warnPlacemark(LongitudeWrapped, line, "a longitude beyond 180 degrees was wrapped by 360")
	} else if t.wrapped > 1 {
		r.warnPlacemark(
			LongitudeWrapped,
			line,
			"%d longitudes beyond 180 degrees were wrapped by 360",
			t.wrapped,
		)
	}
}

// readTrack reads a gx:Track: a position an element, longitude latitude altitude.
func (r *kmlReader) readTrack(line int) {
	l := tupleReader{swap: r.opts.SwapLatLng}
	missing := 0
	for r.s.nextElement() {
		if r.s.el != "coord" {
			r.s.skipElement()
		} else if !l.readPosition(r.s.elementText()) {
			missing++
		}
	}
	if l.t.problem == nil {
		l.acceptPairs()
	}
	f := rawFigure{kind: lineFigure, points: l.t.points, line: line}
	if l.t.problem != nil {
		r.rejectFigure(f, &l.t)
		return
	}
	if missing > 0 && len(f.points) > 0 {
		r.warnPlacemark(PointsMissing, line, "%d positions of the track are empty", missing)
	}
	r.remarkTuples(&l.t, line)
	r.addFigure(f)
}
