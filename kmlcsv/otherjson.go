package kmlcsv

import (
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"
)

// isEsri reports whether an object is an ArcGIS feature set.
func isEsri(object *jsonObject) bool {
	if object.get("features").Kind() != '[' || object.text("type") != "" {
		return false
	}
	return object.get("geometryType") != nil || object.get("spatialReference") != nil ||
		object.get("objectIdFieldName") != nil || object.get("fields") != nil
}

// readEsri reads the features in ArcGIS JSON.
func (r *jsonReader) readEsri(object *jsonObject) *Error {
	if failed := r.out.setSystem(systemOfEsri(object.get("spatialReference"))); failed != nil {
		return failed
	}
	steps := 0
	return eachElement(object.get("features"), func(value jsontext.Value) *Error {
		members := membersOf(value)
		r.properties.read(members.get("attributes"), nil)
		f := feature{names: r.properties.names, text: r.properties.text}
		var ok bool
		f.figures, ok = figuresOfEsri(membersOf(members.get("geometry")), &steps)
		if !ok {
			f.problem = newError(GeometryUnreadable, "its geometry is a curve or cannot be read")
		}
		return r.out.addFeature(f)
	})
}

// systemOfEsri returns the reference system in ArcGIS JSON, which is a code or well-known text. It returns "" if there
// is none.
func systemOfEsri(value jsontext.Value) string {
	system := membersOf(value)
	for _, name := range []string{"latestWkid", "wkid"} {
		if code := system.text(name); code != "" {
			return "EPSG:" + code
		}
	}
	return system.text("wkt")
}

// figuresOfEsri returns the shapes of an ArcGIS geometry. ok is false if the geometry cannot be read. For rings, it
// adds the number of comparisons to steps, which groupRings limits.
func figuresOfEsri(geometry *jsonObject, steps *int) (figures []rawFigure, ok bool) {
	if x := geometry.get("x"); x != nil {
		return pointOfEsri(x, geometry.get("y")), true
	}
	if points := geometry.get("points"); points != nil {
		return listOfEsri(points, pointFigure, 1)
	}
	if paths := geometry.get("paths"); paths != nil {
		return listOfEsri(paths, lineFigure, 2)
	}
	if rings := geometry.get("rings"); rings != nil {
		return polygonsOfEsri(rings, steps)
	}
	isCurve := geometry.get("curvePaths") != nil || geometry.get("curveRings") != nil
	if isCurve {
		return nil, false
	}
	return nil, true // the geometry is empty
}

// pointOfEsri returns the shape of a point. It returns no shape for a point without a position: ArcGIS writes null or
// "NaN" as its coordinates.
func pointOfEsri(x, y jsontext.Value) []rawFigure {
	if x.Kind() != numberKind || y.Kind() != numberKind {
		return nil
	}
	return []rawFigure{{points: []orb.Point{{number(x), number(y)}}}}
}

// listOfEsri returns the shapes in nested lists. lists is the expected number of lists around each point. ok is false
// if value has more or fewer lists around its points.
func listOfEsri(value jsontext.Value, kind figureKind, lists int) (figures []rawFigure, ok bool) {
	nested, isReadable := parseCoordinates(value)
	if !isReadable {
		return nil, false
	}
	return nested.figures(kind, lists)
}

// polygonsOfEsri returns the polygons in a list of rings. Boundaries and holes are in the same list, so groupRings
// compares the rings to find the holes. polygonsOfEsri adds the number of comparisons to steps, which groupRings
// limits. ok is false if the rings cannot be read.
func polygonsOfEsri(rings jsontext.Value, steps *int) (figures []rawFigure, ok bool) {
	const lists = 2 // rings are lists of points in a list
	nested, isReadable := parseCoordinates(rings)
	if !isReadable {
		return nil, false
	}
	hasRings := nested.positionDepth == lists+1 // one more, for the brackets of the point
	if !hasRings {
		return nested.figures(polygonFigure, lists) // there are no positions, or the lists are nested otherwise
	}
	return groupRings(nested.ringsBetween(0, len(nested.rings)), steps)
}

// numberKind is the kind of a JSON number.
const numberKind jsontext.Kind = '0'

// number returns a JSON number, NaN for any other value.
func number(value jsontext.Value) float64 {
	if value.Kind() != numberKind {
		return math.NaN()
	}
	v, _ := parseNumber(value, 0)
	return v
}

// readOverpass reads the tagged nodes and ways in the JSON of Overpass, a service that finds elements of OpenStreetMap.
func (r *jsonReader) readOverpass(object *jsonObject) *Error {
	nodes := nodePositions(object) // read first, because a way can be before its nodes
	r.out.system = nil
	return eachElement(object.get("elements"), func(value jsontext.Value) *Error {
		return r.readElement(membersOf(value), nodes)
	})
}

// readElement reads an element of OpenStreetMap. It ignores a node without tags, which is only a vertex of a way.
// nodes has the positions of all nodes by their IDs.
func (r *jsonReader) readElement(element *jsonObject, nodes map[string]orb.Point) *Error {
	kind := element.text("type")
	tags := element.get("tags")
	isVertex := kind == "node" && len(membersOf(tags).names) == 0
	if isVertex {
		r.out.account().Total++
		r.out.account().Other++
		return nil
	}
	id := element.get("id")
	r.properties.read(tags, id)
	f := feature{names: r.properties.names, text: r.properties.text}
	switch kind {
	case "node":
		f.figures = []rawFigure{{points: []orb.Point{nodes[valueText(id)]}}}
	case "way":
		f.figures, f.problem = wayFigures(element, nodes)
	default:
		f.problem = newError(GeometryUnreadable, "a %s of OpenStreetMap is not read; export it as GeoJSON", []byte(kind))
	}
	return r.out.addFeature(f)
}

// nodePositions returns the positions of all nodes by their IDs.
func nodePositions(object *jsonObject) map[string]orb.Point {
	nodes := make(map[string]orb.Point)
	_ = eachElement(object.get("elements"), func(value jsontext.Value) *Error { // never fails
		if node := membersOf(value); node.text("type") == "node" {
			nodes[node.text("id")] = orb.Point{number(node.get("lon")), number(node.get("lat"))}
		}
		return nil
	})
	return nodes
}

// wayFigures returns a way as a line, or as an area if it is closed. Depending on the query, the way has the positions
// of its points, or the IDs of its nodes. nodes has the positions for these IDs.
func wayFigures(way *jsonObject, nodes map[string]orb.Point) ([]rawFigure, *Error) {
	points := listedPoints(way)
	if points == nil {
		var problem *Error
		points, problem = pointsOfNodes(way, nodes)
		if problem != nil {
			return nil, problem
		}
	}
	return []rawFigure{{kind: ringFigure, points: points}}, nil
}

// listedPoints returns the positions that are in the way itself, or nil.
func listedPoints(way *jsonObject) (points []orb.Point) {
	_ = eachElement(way.get("geometry"), func(value jsontext.Value) *Error { // never fails
		vertex := membersOf(value)
		points = append(points, orb.Point{number(vertex.get("lon")), number(vertex.get("lat"))})
		return nil
	})
	return points
}

// pointsOfNodes returns the positions of the nodes that a way names by their IDs. It returns an error if nodes does not
// have all of them.
func pointsOfNodes(way *jsonObject, nodes map[string]orb.Point) ([]orb.Point, *Error) {
	var points []orb.Point
	problem := eachElement(way.get("nodes"), func(value jsontext.Value) *Error {
		point, isKnown := nodes[valueText(value)]
		if !isKnown {
			return newError(CoordinatesMissing, "its nodes are not in the file; query it with \"out geom\"")
		}
		points = append(points, point)
		return nil
	})
	if problem != nil {
		return nil, problem
	}
	return points, nil
}

// readPlan reads a mission of QGroundControl. Surveyed areas and corridors become one site each. All waypoints
// together become one line.
func (r *jsonReader) readPlan(object *jsonObject) *Error {
	r.out.account().Unit = "item"
	mission := membersOf(object.get("mission"))
	m := missionReader{out: r.out}
	if failed := eachElement(mission.get("items"), m.addPlanItem); failed != nil {
		return failed
	}
	m.addWaypoints("Mission")
	fence := membersOf(object.get("geoFence"))
	for _, name := range []string{"polygons", "circles"} {
		_ = eachElement(fence.get(name), func(jsontext.Value) *Error { // never fails
			m.skipFence()
			return nil
		})
	}
	return m.out.stop
}

// addPlanItem adds an item of a mission. A survey becomes a site. A waypoint is added to the line of waypoints.
func (m *missionReader) addPlanItem(value jsontext.Value) *Error {
	item := membersOf(value)
	kind := item.text("complexItemType")
	if item.text("type") == "SimpleItem" || kind == "" {
		m.addPlanWaypoint(item)
		return m.out.stop
	}
	since := m.out.startRecord()
	m.out.startPlacemark(m.out.draft.line + 1)
	m.out.draft.name = strings.ToUpper(kind[:1]) + kind[1:]
	if survey, ok := surveyFigure(item); ok {
		m.out.addChecked(survey)
	} else {
		m.out.skipPlacemark(newError(GeometryUnreadable, "its corners cannot be read"))
	}
	m.out.finishPlacemark()
	m.out.countRecord(since)
	return m.out.stop
}

// surveyFigure returns the area of a survey, or the line of a corridor. ok is false if its corners cannot be read.
func surveyFigure(item *jsonObject) (f rawFigure, ok bool) {
	f.kind = polygonFigure
	corners := item.get("polygon")
	if corners == nil {
		f.kind = lineFigure
		corners = item.get("polyline")
	}
	nested, ok := parseCoordinates(corners)
	if !ok || nested.positionDepth > 2 {
		return f, false
	}
	for _, p := range nested.points {
		f.points = append(f.points, swapAxes(p)) // the latitude is first
	}
	return f, true
}

// addPlanWaypoint adds a waypoint to the line of the mission.
func (m *missionReader) addPlanWaypoint(item *jsonObject) {
	m.out.draft.line++
	var params []float64
	_ = eachElement(item.get("params"), func(value jsontext.Value) *Error { // never fails
		params = append(params, number(value))
		return nil
	})
	position := zeroPosition // not added
	if len(params) >= 6 {
		// The fifth parameter of a MAVLink command is the latitude, the sixth the longitude.
		position = orb.Point{params[5], params[4]}
	}
	m.addCommand(int(number(item.get("command"))), position)
}
