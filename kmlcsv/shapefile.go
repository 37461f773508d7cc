package kmlcsv

import (
	"bytes"
	"encoding/binary"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

// layerEndings are the endings of the files of a shapefile that are read: geometries, attribute table, reference system
// and encoding.
var layerEndings = []string{".shp", ".dbf", ".prj", ".cpg"}

// sideEndings are the endings of the other files of a shapefile, which have indexes and metadata and are not used.
var sideEndings = []string{
	".shx", ".sbn", ".sbx", ".qix", ".qpj", ".qmd", ".fbn", ".fbx", ".ain", ".aih", ".ixs", ".mxs", ".atx", ".idm",
	".ind", ".cst", ".xml",
}

// parseShape reads a single shapefile. data is the .shp. The other files of the shapefile are in Options.Beside.
func parseShape(data []byte, opts readOptions) (*Result, *Error) {
	parts := map[string][]byte{".shp": data}
	for ending, part := range opts.Beside {
		if ending != ".shp" && int64(len(part)) <= opts.MaxBytes {
			parts[ending] = part
		}
	}
	out := newResultBuilder(opts, FormatShapefile)
	if failed := addShapefile(out, "", parts); failed != nil {
		return out.res, failed
	}
	return out.finishGIS()
}

// shapefileReader adds the records of a shapefile to a result.
type shapefileReader struct {
	out    *resultBuilder
	shapes *shapeReader
	table  *tableDBF // attribute table, nil if it is missing or cannot be read
}

// addShapefile adds the records of a shapefile to a result. layer is the name of the shapefile in an archive, or ""
// outside archives. The keys of parts are the endings of the shapefile's files.
func addShapefile(out *resultBuilder, layer string, parts map[string][]byte) *Error {
	if failed := out.setSystem(string(parts[".prj"])); failed != nil {
		return failed
	}
	container := ""
	if layer != "" {
		container = "layer " + oneLine([]byte(path.Base(layer)))
	}
	out.openAccount(container, "feature")
	shapes, failed := openShapes(parts[".shp"])
	if failed != nil {
		return failed
	}
	r := &shapefileReader{out: out, shapes: shapes}
	r.openTable(parts)
	for shapes.next() {
		if failed := r.addShape(); failed != nil {
			return failed
		}
	}
	return r.finishRecords()
}

// skipDeleted counts the current record as skipped, because the attribute table marks it as deleted.
func (r *shapefileReader) skipDeleted(name string) *Error {
	since := r.out.startRecord()
	r.out.startPlacemark(r.out.draft.line + 1)
	r.out.skipPlacemark(newError(RecordDeleted, "it is marked as deleted in the .dbf"))
	r.out.draft.name = name
	r.out.finishPlacemark()
	r.out.countRecord(since)
	return r.out.stop
}

// addShape adds the current record with its attributes. If the attribute table marks the record as deleted, it skips
// the record.
func (r *shapefileReader) addShape() *Error {
	row := r.shapes.record - 1
	if r.table != nil && r.table.isDeleted(row) {
		return r.skipDeleted(r.table.firstText(row))
	}
	f := feature{text: func(int) string { return "" }}
	if r.table != nil {
		f.names = r.table.names
		f.text = func(i int) string { return r.table.text(row, i) }
	}
	f.figures, f.problem = r.shapes.figures()
	index := len(r.out.res.Placemarks)
	failed := r.out.addFeature(f)
	wasAdded := len(r.out.res.Placemarks) > index
	if r.shapes.collapsed > 0 && wasAdded {
		r.out.addWarning(Warning{
			Code: RingTooShort, Line: r.out.draft.line, Index: index, Placemark: r.out.res.Placemarks[index].Name,
			Message: writeMessage("%d of its rings have no area and were left out", r.shapes.collapsed),
		})
	}
	return failed
}

// finishRecords is called after the last record. If damage ended the records early, it returns the error. Otherwise it
// warns about bytes after the last record, and about an attribute table with another number of records.
func (r *shapefileReader) finishRecords() *Error {
	if r.shapes.failed != nil {
		return r.shapes.failed
	}
	if r.shapes.trailing > 0 {
		r.out.warnFile(TrailingBytes, "%d bytes after the last record of the .shp were ignored", r.shapes.trailing)
	}
	if r.table != nil && r.table.rows != r.shapes.record {
		r.out.warnFile(GeometryUnreadable,
			"the .dbf has %d records and the .shp %d; names may belong to other sites", r.table.rows, r.shapes.record)
	}
	return nil
}

// openTable opens the attribute table. It warns if there is none, or if it cannot be read.
func (r *shapefileReader) openTable(parts map[string][]byte) {
	dbf := parts[".dbf"]
	if len(dbf) == 0 {
		r.out.warnFile(GeometryUnreadable, "no .dbf beside the .shp; its sites have no names")
		return
	}
	r.table = openDBF(dbf)
	if r.table == nil {
		r.out.warnFile(GeometryUnreadable, "the table of the shapefile cannot be read; its sites have no names")
		return
	}
	named := string(bytes.TrimSpace(bytes.TrimPrefix(parts[".cpg"], byteOrderMark)))
	note := r.table.chooseEncoding(r.out.opts.Encoding, named)
	if note != "" {
		r.out.warnFile(EncodingGuessed, "%s", note)
		r.askEncoding()
	}
}

// askEncoding adds a question to the result that lets the user choose another encoding for the names.
func (r *shapefileReader) askEncoding() {
	q := Question{
		Kind: AskEncoding, Certain: true,
		Text: "The file does not say how its names are encoded.",
	}
	for _, name := range []string{
		"windows-1252", "windows-1250", "windows-1251", "cp850", "cp852", "shift_jis", "gbk", "big5", "euc-kr",
	} {
		q.Choices = append(q.Choices, Choice{Value: name, Label: name})
	}
	r.out.res.Questions = append(r.out.res.Questions, q)
}

const (
	shapeHead     = 100                // length of the header of a .shp
	shapeMagic    = "\x00\x00\x27\x0a" // first bytes of a .shp
	recordHead    = 8                  // length of the number and the length before each record
	shapeTypeSize = 4                  // length of the type at the start of each record
)

// shapeReader reads the records of a .shp. It reads shapes with and without heights and
// measures, and ignores the heights and measures.
type shapeReader struct {
	data      []byte
	pos       int
	record    int    // number of the current record in the file, from 1
	content   []byte // content of the current record
	collapsed int    // number of rings in the current record that enclose no area
	ringSteps int    // number of comparisons for grouping rings so far, see groupRings
	trailing  int    // number of bytes after the last record that are not a record
	failed    *Error // damage that ends the records early, or nil
}

// openShapes checks the header of a .shp and returns a reader of its records.
func openShapes(shp []byte) (*shapeReader, *Error) {
	if len(shp) < shapeHead || string(shp[:4]) != shapeMagic {
		return nil, newError(BadArchive, "the shapefile is damaged: the .shp has no header; export it again")
	}
	// The header has the length of the file in units of two bytes. A length that is too small is tolerated in next.
	length := int64(int32(binary.BigEndian.Uint32(shp[24:]))) * 2
	if length > int64(len(shp)) {
		return nil, newError(BadArchive,
			"the shapefile is cut off: the .shp has %d of %d bytes; copy or export it again", len(shp), length)
	}
	return &shapeReader{data: shp, pos: shapeHead}, nil
}

// next goes to the next record. It returns false at the end of the records. If the next record is damaged, it sets
// failed and returns false. If the file goes on with bytes that are not a record, it sets trailing to their number.
//
// A record starts with its number and its length in units of two bytes. The header of the file says where the records
// end, but this can be wrong. Bytes after this end are read as a record only if they start with the number of the next
// record.
func (r *shapeReader) next() bool {
	rest := r.data[r.pos:]
	if len(rest) == 0 || r.failed != nil {
		return false
	}
	if len(rest) < recordHead {
		r.trailing = len(rest)
		return false
	}
	number := int64(binary.BigEndian.Uint32(rest))
	length := int64(int32(binary.BigEndian.Uint32(rest[4:]))) * 2
	if r.isBehindDeclaredEnd() && !r.continuesWith(number) {
		r.trailing = len(rest)
		return false
	}
	content := rest[recordHead:]
	if length < shapeTypeSize || length > int64(len(content)) {
		r.failed = newError(BadArchive,
			"the shapefile is damaged: record %d of the .shp has a length of %d bytes; export it again", r.record+1, length)
		return false
	}
	r.record++
	r.content = content[:length]
	r.pos += recordHead + int(length)
	return true
}

// isBehindDeclaredEnd reports whether the next record is after the end of the records that the header declares.
func (r *shapeReader) isBehindDeclaredEnd() bool {
	return r.pos >= int(binary.BigEndian.Uint32(r.data[24:]))*2
}

// continuesWith reports whether a record with the given number can follow the current record. The first record can have
// any number. Some programs number the records from 0 instead of 1.
func (r *shapeReader) continuesWith(number int64) bool {
	current := int64(r.record)
	return current == 0 || number == current+1 || number == current
}

// The types of shapes. Shapes with heights (Z) have a type that is larger by 10, and shapes with measures (M) but no
// heights a type that is larger by 20.
const (
	nullShape       = 0
	pointShape      = 1
	lineShape       = 3
	polygonShape    = 5
	multipointShape = 8
	multipatchShape = 31
)

// figures returns the geometry of the current record. The content of a record starts with the type of its shape.
func (r *shapeReader) figures() ([]rawFigure, *Error) {
	r.collapsed = 0
	kind := int32(binary.LittleEndian.Uint32(r.content))
	body := r.content[shapeTypeSize:]
	plainKind := kind
	hasHeightsOrMeasures := kind > 10 && kind < 30 // such as 15 and 25 for polygons instead of 5
	if hasHeightsOrMeasures {
		plainKind = kind % 10
	}
	switch plainKind {
	case nullShape:
		return nil, nil
	case pointShape:
		points, ok := shapePoints(body, 1)
		if !ok {
			return nil, r.damaged()
		}
		return []rawFigure{{points: points}}, nil
	case multipointShape:
		return r.multipoint(body)
	case lineShape, polygonShape:
		return r.partFigures(body, plainKind == polygonShape)
	case multipatchShape:
		return nil, newError(ModelSkipped, "it is a 3D surface (multipatch); only points, lines and areas become sites")
	}
	return nil, newError(GeometryUnreadable, "shapes of type %d are not known", kind)
}

func (r *shapeReader) damaged() *Error {
	return newError(GeometryUnreadable, "record %d of the .shp is damaged", r.record)
}

// multipoint returns the points of a multipoint. body is the record without the type: 32 bytes for the bounds, the
// number of points, and the points.
func (r *shapeReader) multipoint(body []byte) ([]rawFigure, *Error) {
	if len(body) < 36 {
		return nil, r.damaged()
	}
	points, ok := shapePoints(body[36:], int(binary.LittleEndian.Uint32(body[32:])))
	if !ok {
		return nil, r.damaged()
	}
	return appendRings(nil, pointFigure, [][]orb.Point{points}), nil
}

// partFigures returns the shapes of a line or a polygon: a line for each part, or, if isPolygon is set, a polygon for
// each boundary. It leaves out rings without an area, and counts them in r.collapsed.
func (r *shapeReader) partFigures(body []byte, isPolygon bool) ([]rawFigure, *Error) {
	parts, ok := shapeParts(body)
	if !ok {
		return nil, r.damaged()
	}
	if !isPolygon {
		return appendRings(nil, lineFigure, parts), nil
	}
	rings := slices.DeleteFunc(parts, func(ring []orb.Point) bool { return signedArea(ring) == 0 })
	r.collapsed = len(parts) - len(rings)
	if len(rings) == 0 && r.collapsed > 0 {
		return nil, newError(RingTooShort, "its boundary has no area")
	}
	figures, ok := groupRings(rings, &r.ringSteps)
	if !ok {
		return nil, newError(TooComplex, "it has too many rings inside one another")
	}
	return figures, nil
}

// shapeParts returns the points of each part of a line or a polygon, except parts without points. The body has the
// bounds (32 bytes), the number of parts, the number of points, the index of the first point of each part, and all
// points. ok is false if the body is damaged.
func shapeParts(body []byte) (parts [][]orb.Point, ok bool) {
	const head = 40 // up to the index of the first part
	if len(body) < head {
		return nil, false
	}
	partCount := binary.LittleEndian.Uint32(body[32:])
	pointCount := binary.LittleEndian.Uint32(body[36:])
	rest := body[head:]
	if uint64(partCount)*4+uint64(pointCount)*16 > uint64(len(rest)) {
		return nil, false
	}
	if partCount == 0 && pointCount > 0 {
		return nil, false
	}
	points, ok := shapePoints(rest[partCount*4:], int(pointCount))
	if !ok {
		return nil, false
	}
	firstPoints := rest[:partCount*4]
	return splitAtParts(points, firstPoints)
}

// splitAtParts splits the points of a shape into its parts. firstPoints has four bytes for each part: the index of the
// first point of the part. ok is false if an index is too large, or smaller than the index before it.
func splitAtParts(points []orb.Point, firstPoints []byte) (parts [][]orb.Point, ok bool) {
	parts = make([][]orb.Point, 0, len(firstPoints)/4)
	for len(firstPoints) > 0 {
		from := binary.LittleEndian.Uint32(firstPoints)
		firstPoints = firstPoints[4:]
		to := uint32(len(points))
		if len(firstPoints) > 0 {
			to = binary.LittleEndian.Uint32(firstPoints)
		}
		if from > to || to > uint32(len(points)) {
			return nil, false
		}
		if from < to {
			parts = append(parts, points[from:to:to])
		}
	}
	return parts, true
}

// shapePoints returns the given number of points. Each point is two float64 in the body. ok is false if the body is
// too short.
func shapePoints(body []byte, count int) (points []orb.Point, ok bool) {
	if count < 0 || count > len(body)/16 {
		return nil, false
	}
	points = make([]orb.Point, count)
	for i := range points {
		points[i][0] = math.Float64frombits(binary.LittleEndian.Uint64(body[i*16:]))
		points[i][1] = math.Float64frombits(binary.LittleEndian.Uint64(body[i*16+8:]))
	}
	return points, true
}

// shapefileOf returns the name of the shapefile that a file belongs to, without ending, and the ending of the file.
// Both are in lower case.
func shapefileOf(name string) (base, ending string) {
	ending = strings.ToLower(path.Ext(name))
	base = name[:len(name)-len(ending)]
	if ending == ".xml" { // sites.shp.xml belongs to sites.shp
		base = strings.TrimSuffix(base, path.Ext(base))
	}
	return strings.ToLower(base), ending
}

// sortedBases returns the names of the shapefiles that have a .shp, in alphabetical order. parts has the files of each
// shapefile, by the name of the shapefile and the ending of the file.
func sortedBases(parts map[string]map[string][]byte) []string {
	var bases []string
	for base, files := range parts {
		if files[".shp"] != nil {
			bases = append(bases, base)
		}
	}
	slices.Sort(bases)
	return bases
}
