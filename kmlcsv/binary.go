package kmlcsv

import (
	"encoding/binary"
	"math"

	"github.com/paulmach/orb"
)

// wkbReader reads well-known binary, in the forms of ISO and of PostGIS: simple features with and without
// heights and measures, and curves without arcs.
type wkbReader struct {
	data []byte // the bytes that are not read yet
	arcs bool   // the geometry has circular arcs, which are not read
	srid int    // SRID that PostGIS wrote, 0 for none
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

// readWKB returns the figures of a geometry.
func readWKB(data []byte) ([]rawFigure, *Error) {
	r := &wkbReader{data: data}
	figures, ok := r.readGeometry(nil, 0)
	if r.arcs {
		return nil, newError(GeometryUnreadable, "it has circular arcs; export it with straight segments")
	}
	if !ok {
		return nil, newError(GeometryUnreadable, "its geometry is damaged or of an unsupported type")
	}
	return figures, nil
}

// wkbHead is the header of a geometry.
type wkbHead struct {
	order binary.ByteOrder
	kind  uint32
	size  int // bytes of a position
}

// readHead reads the byte order, the type code and the SRID of a geometry.
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

// readByteOrder reads the byte that says in which order the bytes of numbers are.
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

// readNumber reads a whole number of four bytes.
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

// splitTypeCode returns the type of a geometry and the numbers in each of its positions: two to four. Heights
// (Z) and measures (M) are marked in one of two ways: PostGIS sets bits of the type code, and ISO adds a number
// of thousands to it.
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

// readCount reads the number of parts that follow. It reports false if the data is too short for that
// many parts of at least size bytes.
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
func (r *wkbReader) readLine(h wkbHead) ([]orb.Point, bool) {
	n, ok := r.readCount(h, h.size)
	if !ok {
		return nil, false
	}
	return r.readPoints(h, n), true
}

// readGeometry appends the figures of a geometry. It reports false if the geometry is damaged or cannot be
// read.
func (r *wkbReader) readGeometry(figures []rawFigure, depth int) ([]rawFigure, bool) {
	h, ok := r.readHead()
	if !ok || depth > maxNesting {
		return figures, false
	}
	switch h.kind {
	case wkbPoint:
		return r.readPoint(h, figures)
	case wkbLine:
		points, ok := r.readLine(h)
		if len(points) > 0 {
			figures = append(figures, rawFigure{kind: lineFigure, points: points})
		}
		return figures, ok
	case wkbPolygon, wkbTriangle:
		return r.readPolygon(h, figures)
	case wkbMulti, wkbMulti + 1, wkbMulti + 2, wkbCollection, wkbCurves, wkbAreas, wkbSurface, wkbTriangles:
		return r.readCollection(h, figures, depth)
	case wkbCurve:
		return r.readCurve(h, figures, depth)
	case wkbCurveArea:
		return r.readCurveArea(h, figures, depth)
	case wkbArc:
		r.arcs = true // the error says so
		return figures, false
	}
	return figures, false
}

func (r *wkbReader) readPoint(h wkbHead, figures []rawFigure) ([]rawFigure, bool) {
	if len(r.data) < h.size {
		return figures, false
	}
	points := r.readPoints(h, 1)
	isEmpty := math.IsNaN(points[0][0]) && math.IsNaN(points[0][1]) // an empty point is written as NaN
	if isEmpty {
		return figures, true
	}
	return append(figures, rawFigure{points: points}), true
}

func (r *wkbReader) readPolygon(h wkbHead, figures []rawFigure) ([]rawFigure, bool) {
	n, ok := r.readCount(h, 4)
	if !ok {
		return figures, false
	}
	rings := make([][]orb.Point, 0, n)
	for range n {
		ring, ok := r.readLine(h)
		if !ok {
			return figures, false
		}
		rings = append(rings, ring)
	}
	return appendRings(figures, polygonFigure, rings), true
}

func (r *wkbReader) readCollection(h wkbHead, figures []rawFigure, depth int) ([]rawFigure, bool) {
	n, ok := r.readCount(h, 5)
	for i := 0; i < n && ok; i++ {
		figures, ok = r.readGeometry(figures, depth+1)
	}
	return figures, ok
}

// readCurve reads a compound curve, whose parts are joined into one line.
func (r *wkbReader) readCurve(h wkbHead, figures []rawFigure, depth int) ([]rawFigure, bool) {
	parts, ok := r.readCollection(h, nil, depth)
	line := rawFigure{kind: lineFigure}
	for _, part := range parts {
		line.points = append(line.points, part.points...)
	}
	if len(line.points) > 0 {
		figures = append(figures, line)
	}
	return figures, ok
}

// readCurveArea reads a curve polygon, whose rings are separate lines.
func (r *wkbReader) readCurveArea(h wkbHead, figures []rawFigure, depth int) ([]rawFigure, bool) {
	parts, ok := r.readCollection(h, nil, depth)
	var rings [][]orb.Point
	for _, part := range parts {
		rings = append(rings, part.points)
	}
	return appendRings(figures, polygonFigure, rings), ok
}
