package kmlcsv

import (
	"bytes"
	"strconv"
)

// placemark reads a Placemark, its start tag just read.
func (r *kmlReader) placemark() {
	since, line := r.mark(), r.s.line(r.s.pos)
	r.count++
	name, country, city := "", "", ""
	geometries, skipped := 0, r.skipped
	for r.s.next() {
		switch r.s.el {
		case elName:
			name = r.text(line)
		case elExtendedData:
			r.extended(&country, &city, line)
		case elPoint, elLineString, elLinearRing, elPolygon, elMultiGeometry, elMultiOther, elTrack, elMultiTrack, elModel:
			geometries++
			r.geometry(line)
		default:
			r.s.skip()
		}
	}
	if r.s.err != nil {
		return
	}
	if geometries > 1 {
		r.warn(Warning{
			Code: SeveralGeometries, Line: line, Index: since.placemarks,
			Message: "several geometries in one placemark; each one is a placemark of its own",
		})
	}
	if len(r.res.Placemarks) == since.placemarks && r.skipped == skipped {
		r.skip(CoordinatesMissing, line, "it has no coordinates", nil)
	}
	r.end(since, name, country, city)
}

// end finishes a placemark, or lets it wait for the name of its folder.
func (r *kmlReader) end(since mark, name, country, city string) {
	last := len(r.res.Placemarks) - 1
	if last < since.placemarks {
		last = -1
	}
	for i := since.warnings; i < len(r.res.Warnings); i++ {
		if w := &r.res.Warnings[i]; w.Index >= len(r.res.Placemarks) {
			w.Index = last // noted after the last part
		}
	}
	if name == "" {
		r.unnamed = append(r.unnamed, unnamed{
			placemarks: span{since.placemarks, len(r.res.Placemarks)},
			warnings:   span{since.warnings, len(r.res.Warnings)},
			number:     r.count,
		})
		name = "Placemark " + strconv.Itoa(r.count)
	}
	r.finish(since, name, country, city)
}

// extended reads country and city out of ExtendedData.
func (r *kmlReader) extended(country, city *string, line int) {
	for r.s.next() {
		switch r.s.el {
		case elSchemaData:
			r.extended(country, city, line)
		case elSimpleData:
			if field := fieldOf(r.s.attr("name"), country, city); field != nil {
				*field = r.text(line)
			} else {
				r.s.skip()
			}
		case elData:
			field := fieldOf(r.s.attr("name"), country, city)
			for r.s.next() {
				if field != nil && r.s.el == elValue {
					*field = r.text(line)
				} else {
					r.s.skip()
				}
			}
		default:
			r.s.skip()
		}
	}
}

// fieldOf returns which of the two a name of extended data means, nil for none.
func fieldOf(name string, country, city *string) *string {
	switch fold(name) {
	case "country", "countryname":
		return country
	case "city", "cityname":
		return city
	}
	return nil
}

// geometry reads a geometry element and adds what is in it.
func (r *kmlReader) geometry(line int) {
	switch r.s.el {
	case elPoint:
		r.single(pointFigure, line)
	case elLineString:
		r.single(lineFigure, line)
	case elLinearRing:
		r.single(ringFigure, line)
	case elPolygon:
		r.polygon(line)
	case elTrack:
		r.track(line)
	case elModel:
		r.skip(ModelSkipped, line, "a 3D model has no site of its own", nil)
		r.s.skip()
	case elMultiOther:
		r.note(UnusualElement, line, "<"+oneLine(r.s.name)+"> is not of KML; it was read as <MultiGeometry>")
		for r.s.next() {
			r.geometry(line)
		}
	case elMultiGeometry, elMultiTrack:
		for r.s.next() {
			r.geometry(line)
		}
	default:
		r.s.skip()
	}
}

// single reads a geometry that is one list of coordinates.
func (r *kmlReader) single(kind figureKind, line int) {
	t := r.ring(false)
	if t.problem != "" {
		r.reject(figure{kind: kind, line: line}, t)
		return
	}
	r.remarkTuples(t, line)
	r.add(figure{kind: kind, points: t.points, line: line})
}

// polygon reads a Polygon. Further rings in either boundary are holes.
func (r *kmlReader) polygon(line int) {
	var outer tuples
	found := false
	r.holes = r.holes[:0]
	for r.s.next() {
		switch r.s.el {
		case elOuter, elInner:
			inner := r.s.el == elInner
			for r.s.next() {
				if r.s.el != elLinearRing {
					r.s.skip()
				} else if t := r.ring(true); !inner && !found {
					outer, found = t, true
				} else {
					r.hole(t, line)
				}
			}
		case elLinearRing:
			if t := r.ring(true); !found {
				outer, found = t, true
			} else {
				r.hole(t, line)
			}
		default:
			r.s.skip()
		}
	}
	f := figure{kind: polygonFigure, line: line}
	switch {
	case outer.problem != "":
		r.reject(f, outer)
	case !found && len(r.holes) > 0:
		r.skip(RingOpen, line, "a polygon without its outer boundary", nil)
	default:
		r.remarkTuples(outer, line)
		f.points, f.holes = outer.points, r.holes
		r.add(f)
	}
}

// hole takes a ring as a hole of the polygon being read.
func (r *kmlReader) hole(t tuples, line int) {
	if t.problem != "" || closed(t.points) == nil {
		r.note(HoleUnreadable, line, "a hole that cannot be read is not subtracted from the area")
		return
	}
	r.holes = append(r.holes, t.points)
}

// ring reads the coordinates inside a geometry element, and closes them.
func (r *kmlReader) ring(shut bool) tuples {
	var all tuples
	for r.s.next() {
		if r.s.el != elCoordinates {
			r.s.skip()
			continue
		}
		text := r.s.text()
		r.room(text)
		t := readTuples(text, append(r.points.open(), all.points...), r.opts.SwapLatLng)
		if all.problem != "" {
			continue
		}
		if n := len(t.points); shut && n > 2 && t.points[0] != t.points[n-1] {
			t.points = append(t.points, t.points[0])
		}
		t.points = r.points.close(t.points)
		t.joined, t.wrapped = t.joined || all.joined, t.wrapped+all.wrapped
		all = t
	}
	return all
}

// room makes room for the points of a coordinate list. A new block is made for
// what the rest of the file may hold.
func (r *kmlReader) room(text []byte) {
	if len(r.points.free) > len(text)/8+1 {
		return // even if its points are as short as can be
	}
	first := text[:min(len(text), 80)]
	if i := bytes.IndexAny(bytes.TrimLeft(first, " \t\r\n"), " \t\r\n"); i > 0 {
		first = first[:min(i+1, len(first))]
	}
	each := max(1, min(2, bytes.Count(first, comma)))
	need := bytes.Count(text, comma)/each + 2
	if len(r.points.free) >= need {
		return
	}
	rest := r.s.data[r.s.pos:]
	r.points.reserve(need, min(need+bytes.Count(rest, comma)/each, need+len(rest)/16))
}

var comma = []byte{','}

// remarkTuples warns about what was lenient in a coordinate list.
func (r *kmlReader) remarkTuples(t tuples, line int) {
	if t.joined {
		r.note(TuplesJoined, line, "commas between the coordinates; they were read as longitude, latitude, altitude")
	}
	if t.wrapped > 0 {
		r.note(LongitudeWrapped, line, strconv.Itoa(t.wrapped)+" longitudes beyond 180 degrees were brought back by a full turn")
	}
}

// track reads a gx:Track: a position an element, longitude latitude altitude.
func (r *kmlReader) track(line int) {
	l := lister{swap: r.opts.SwapLatLng}
	missing := 0
	for r.s.next() {
		if r.s.el != elCoord {
			r.s.skip()
		} else if !l.position(r.s.text()) {
			missing++
		}
	}
	if l.t.problem == "" {
		l.accept()
	}
	f := figure{kind: lineFigure, points: l.t.points, line: line}
	if l.t.problem != "" {
		r.reject(f, l.t)
		return
	}
	if missing > 0 && len(f.points) > 0 {
		r.note(PointsMissing, line, strconv.Itoa(missing)+" positions of the track are empty")
	}
	r.remarkTuples(l.t, line)
	r.add(f)
}
