package kmlcsv

import (
	"encoding/binary"
	"math"

	"github.com/paulmach/orb"
)

// wkbReader reads well-known binary (WKB) as ISO and PostGIS define it. It reads points, lines, polygons and
// collections, also with heights and measures. It reads curves only if they have no arcs. An example is the point 10,
// 50:
//
//	01                       byte order of the numbers: little-endian
//	01 00 00 00              type of the geometry: a point
//	00 00 00 00 00 00 24 40  longitude 10
//	00 00 00 00 00 00 49 40  latitude 50
type wkbReader struct {
	data []byte // the bytes that are not read yet
	srid int    // ID of the reference system that PostGIS wrote, 0 for none
}

// The types of well-known binary.
const (
	wkbPoint      = 1
	wkbLine       = 2
	wkbPolygon    = 3
	wkbMulti      = 4 // 4 for points, 5 for lines, 6 for polygons
	wkbCollection = 7
	wkbArc        = 8
	wkbCurve      = 9
	wkbCurveArea  = 10
	wkbCurves     = 11
	wkbAreas      = 12
	wkbSurface    = 15
	wkbTriangles  = 16
	wkbTriangle   = 17
)

var (
	damagedWKB = newError(GeometryUnreadable, "its geometry is damaged or of an unsupported type")
	arcsInWKB  = newError(GeometryUnreadable, "it has circular arcs; export it with straight segments")
)

// readWKB returns the shapes of a geometry in well-known binary (WKB).
func readWKB(data []byte) ([]rawFigure, *Error) {
	r := &wkbReader{data: data}
	return r.readGeometry(0)
}

// wkbHead is the header of a geometry.
type wkbHead struct {
	order binary.ByteOrder
	kind  uint32
	size  int // size of a position in bytes
}

// readHead reads the header of a geometry: its byte order, its type code and, if PostGIS wrote it, its reference
// system, which readHead stores in r.srid. ok is false if the data is too short or the header is not valid.
func (r *wkbReader) readHead() (h wkbHead, ok bool) {
	h.order, ok = r.readByteOrder()
	if !ok {
		return h, false
	}
	code, ok := r.readNumber(h.order)
	if !ok {
		return h, false
	}
	if code&hasSRID != 0 {
		srid, ok := r.readNumber(h.order)
		if !ok {
			return h, false
		}
		r.srid = int(srid)
	}
	kind, dimensions, ok := splitTypeCode(code)
	h.kind = kind
	h.size = 8 * dimensions
	return h, ok
}

// readByteOrder reads the first byte of a header: 0 for big-endian numbers, 1 for little-endian numbers. ok is false
// for any other byte.
func (r *wkbReader) readByteOrder() (order binary.ByteOrder, ok bool) {
	if len(r.data) == 0 {
		return nil, false
	}
	first := r.data[0]
	r.data = r.data[1:]
	switch first {
	case 0:
		return binary.BigEndian, true
	case 1:
		return binary.LittleEndian, true
	}
	return nil, false
}

// readNumber reads a whole number of four bytes. ok is false if the data is too short.
func (r *wkbReader) readNumber(order binary.ByteOrder) (n uint32, ok bool) {
	if len(r.data) < 4 {
		return 0, false
	}
	n = order.Uint32(r.data)
	r.data = r.data[4:]
	return n, true
}

// The bits that PostGIS sets in a type code.
const (
	hasZ    = 1 << 31 // positions have a height
	hasM    = 1 << 30 // positions have a measure
	hasSRID = 1 << 29 // the SRID follows the type code
)

// splitTypeCode splits a type code into the type of the geometry and the number of coordinates in each position: two
// to four. Besides the type, the code says whether positions have heights (Z) and measures (M). PostGIS sets bits of
// the code for this, and ISO adds thousands to the code. ok is false if the code is not valid.
func splitTypeCode(code uint32) (kind uint32, dimensions int, ok bool) {
	dimensions = 2
	if code&hasZ != 0 {
		dimensions++
	}
	if code&hasM != 0 {
		dimensions++
	}
	code &^= hasZ | hasM | hasSRID
	switch code / 1000 { // the thousands of ISO
	case 0: // neither Z nor M
	case 1, 2: // Z or M
		dimensions++
	case 3: // Z and M
		dimensions += 2
	default:
		return 0, 0, false
	}
	isMarkedTwice := dimensions > 4 // by PostGIS and by ISO
	return code % 1000, dimensions, !isMarkedTwice
}

// readCount reads the number of parts that follow, such as points or rings. size is the minimum size of a part in
// bytes. ok is false if the remaining data is too short for this number of parts.
func (r *wkbReader) readCount(h wkbHead, size int) (int, bool) {
	n, ok := r.readNumber(h.order)
	return int(n), ok && uint64(n)*uint64(size) <= uint64(len(r.data))
}

func (r *wkbReader) readPoints(h wkbHead, n int) []orb.Point {
	points := make([]orb.Point, n)
	for i := range points {
		position := r.data[i*h.size:]
		points[i][0] = math.Float64frombits(h.order.Uint64(position))
		points[i][1] = math.Float64frombits(h.order.Uint64(position[8:]))
	}
	r.data = r.data[n*h.size:]
	return points
}

// readLine reads a line: the number of its positions, and then the positions.
func (r *wkbReader) readLine(h wkbHead) ([]orb.Point, *Error) {
	n, ok := r.readCount(h, h.size)
	if !ok {
		return nil, damagedWKB
	}
	return r.readPoints(h, n), nil
}

// readGeometry reads a geometry: its header, and then its content. depth is the number of collections that contain the
// geometry.
func (r *wkbReader) readGeometry(depth int) ([]rawFigure, *Error) {
	h, ok := r.readHead()
	if !ok || depth > maxNesting {
		return nil, damagedWKB
	}
	switch h.kind {
	case wkbPoint:
		return r.readPoint(h)
	case wkbLine:
		return r.readLineString(h)
	case wkbPolygon, wkbTriangle:
		return r.readPolygon(h)
	case wkbMulti, wkbMulti + 1, wkbMulti + 2, wkbCollection, wkbCurves, wkbAreas, wkbSurface, wkbTriangles:
		return r.readCollection(h, depth)
	case wkbCurve:
		return r.readCurve(h, depth)
	case wkbCurveArea:
		return r.readCurveArea(h, depth)
	case wkbArc:
		return nil, arcsInWKB
	}
	return nil, damagedWKB
}

// readPoint reads a point. It returns no shape for an empty point, which has NaN as its coordinates.
func (r *wkbReader) readPoint(h wkbHead) ([]rawFigure, *Error) {
	if len(r.data) < h.size {
		return nil, damagedWKB
	}
	points := r.readPoints(h, 1)
	isEmpty := math.IsNaN(points[0][0]) && math.IsNaN(points[0][1])
	if isEmpty {
		return nil, nil
	}
	return []rawFigure{{points: points}}, nil
}

// readLineString reads a line string. It returns no shape for an empty line string.
func (r *wkbReader) readLineString(h wkbHead) ([]rawFigure, *Error) {
	points, problem := r.readLine(h)
	if problem != nil || len(points) == 0 {
		return nil, problem
	}
	return []rawFigure{{kind: lineFigure, points: points}}, nil
}

// readPolygon reads a polygon: the number of its rings, and then the rings.
func (r *wkbReader) readPolygon(h wkbHead) ([]rawFigure, *Error) {
	n, ok := r.readCount(h, 4)
	if !ok {
		return nil, damagedWKB
	}
	rings := make([][]orb.Point, 0, n)
	for range n {
		ring, problem := r.readLine(h)
		if problem != nil {
			return nil, problem
		}
		rings = append(rings, ring)
	}
	return appendRings(nil, polygonFigure, rings), nil
}

// readCollection reads a collection: the number of its geometries, and then the geometries.
func (r *wkbReader) readCollection(h wkbHead, depth int) ([]rawFigure, *Error) {
	n, ok := r.readCount(h, 5)
	if !ok {
		return nil, damagedWKB
	}
	var figures []rawFigure
	for range n {
		part, problem := r.readGeometry(depth + 1)
		if problem != nil {
			return nil, problem
		}
		figures = append(figures, part...)
	}
	return figures, nil
}

// readCurve reads a compound curve, and joins the parts of the curve into one line.
func (r *wkbReader) readCurve(h wkbHead, depth int) ([]rawFigure, *Error) {
	parts, problem := r.readCollection(h, depth)
	if problem != nil {
		return nil, problem
	}
	line := rawFigure{kind: lineFigure}
	for _, part := range parts {
		line.points = append(line.points, part.points...)
	}
	if len(line.points) == 0 {
		return nil, nil
	}
	return []rawFigure{line}, nil
}

// readCurveArea reads a curve polygon. Its first ring is the boundary, and the other rings are holes.
func (r *wkbReader) readCurveArea(h wkbHead, depth int) ([]rawFigure, *Error) {
	parts, problem := r.readCollection(h, depth)
	if problem != nil {
		return nil, problem
	}
	var rings [][]orb.Point
	for _, part := range parts {
		rings = append(rings, part.points)
	}
	return appendRings(nil, polygonFigure, rings), nil
}
