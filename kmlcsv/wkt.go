package kmlcsv

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// maxNesting bounds geometry collections inside one another.
const maxNesting = 32

// wktReader reads well-known text: the types of simple features, EWKT's SRID
// in front, Z and M. Heights and measures are dropped.
type wktReader struct {
	text    []byte
	pos     int
	points  *sliceArena[orb.Point]
	figures []rawFigure
	problem string // why it cannot be read, "" for nothing
	code    Code   // of the problem
	system  *crs.System
}

var wktTypes = [][]byte{
	[]byte("MULTIPOINT"), []byte("MULTILINESTRING"), []byte("MULTIPOLYGON"), []byte("GEOMETRYCOLLECTION"),
	[]byte("POINT"), []byte("LINESTRING"), []byte("POLYGON"), []byte("SRID="),
}

// isWKT reports whether a cell starts as well-known text does.
func isWKT(cell []byte) bool {
	cell = bytes.TrimLeft(cell, " \t\r\n")
	if len(cell) == 0 || !isLetter(cell[0]) {
		return false
	}
	for _, t := range wktTypes {
		if cell[0]&^0x20 == t[0] && len(cell) > len(t) && bytes.EqualFold(cell[:len(t)], t) {
			return true
		}
	}
	return false
}

// readText reads the whole text.
func (w *wktReader) readText() {
	w.pos = skipSpace(w.text, 0)
	if rest := w.text[w.pos:]; len(rest) > 5 && bytes.EqualFold(rest[:5], []byte("SRID=")) {
		end := bytes.IndexByte(rest, ';')
		if end < 0 {
			w.failAt("no ';' after the SRID")
			return
		}
		id := string(bytes.TrimSpace(rest[5:end]))
		if code, err := strconv.Atoi(id); err == nil {
			w.system = crs.Find(code)
		}
		if w.system == nil {
			w.failAt("SRID %s is not WGS 84; export as WGS 84 (4326)", oneLine([]byte(id)))
			w.code = OtherReference
			return
		}
		w.pos += end + 1
	}
	w.readGeometry(0)
	if w.problem == "" && skipSpace(w.text, w.pos) < len(w.text) {
		w.failAt("there is text after the geometry")
	}
}

// readGeometry reads a type and what belongs to it.
func (w *wktReader) readGeometry(depth int) {
	if depth > maxNesting {
		w.failAt("too many nested collections")
		return
	}
	name := bytes.TrimRight(w.readWord(), "ZMzm")
	if w.skipModifiers() {
		return
	}
	var upper [20]byte
	for i := range copy(upper[:], name) {
		upper[i] &^= 0x20 // of a letter
	}
	kind := string(upper[:min(len(name), len(upper))])
	part, multi := strings.CutPrefix(kind, "MULTI")
	switch {
	case kind == "MULTIPOINT":
		w.readMultipoint()
	case kind == "GEOMETRYCOLLECTION":
		for more := w.beginList(); more; more = w.nextItem() {
			w.readGeometry(depth + 1)
		}
	case part != "POINT" && part != "LINESTRING" && part != "POLYGON":
		w.failAt("%s is not a supported geometry", oneLine(name))
	case multi:
		for more := w.beginList(); more; more = w.nextItem() {
			w.readSingle(part)
		}
	default:
		w.readSingle(part)
	}
}

// skipModifiers reads the words that may stand between a type and its brackets, and
// reports whether there are no brackets.
func (w *wktReader) skipModifiers() bool {
	w.pos = skipSpace(w.text, w.pos)
	if w.pos == len(w.text) || !isLetter(w.text[w.pos]) {
		return false
	}
	if !w.skipWord("Z") && !w.skipWord("M") {
		w.skipWord("ZM")
	}
	return w.skipWord("EMPTY")
}

// readSingle reads what belongs to a type that has one part.
func (w *wktReader) readSingle(kind string) {
	switch kind {
	case "POINT":
		w.readFigure(pointFigure)
	case "LINESTRING":
		w.readFigure(lineFigure)
	default:
		w.readPolygon()
	}
}

// skipWord reads a word and reports whether it was there.
func (w *wktReader) skipWord(word string) bool {
	before := w.pos
	if bytes.EqualFold(w.readWord(), []byte(word)) {
		return true
	}
	w.pos = before
	return false
}

// readWord reads letters.
func (w *wktReader) readWord() []byte {
	w.pos = skipSpace(w.text, w.pos)
	start := w.pos
	for w.pos < len(w.text) && isLetter(w.text[w.pos]) {
		w.pos++
	}
	return w.text[start:w.pos]
}

// takeByte reads a byte and reports whether it was there.
func (w *wktReader) takeByte(c byte) bool {
	w.pos = skipSpace(w.text, w.pos)
	if w.pos < len(w.text) && w.text[w.pos] == c {
		w.pos++
		return true
	}
	return false
}

// beginList goes into the brackets around a list, to its first item.
func (w *wktReader) beginList() bool {
	if !w.takeByte('(') {
		w.failAt("a '(' is missing")
	}
	return w.problem == ""
}

// nextItem goes to the next item, or out of the brackets.
func (w *wktReader) nextItem() bool {
	if w.problem != "" {
		return false
	}
	if w.takeByte(',') {
		return true
	}
	if !w.takeByte(')') {
		w.failAt("a ')' is missing")
	}
	return false
}

func (w *wktReader) readFigure(kind figureKind) {
	if points := w.readTuples(); w.problem == "" {
		w.figures = append(w.figures, rawFigure{kind: kind, points: points})
	}
}

func (w *wktReader) readPolygon() {
	f := rawFigure{kind: polygonFigure}
	for more := w.beginList(); more; more = w.nextItem() {
		if points := w.readTuples(); f.points == nil {
			f.points = points
		} else {
			f.holes = append(f.holes, points)
		}
	}
	if w.problem == "" {
		w.figures = append(w.figures, f)
	}
}

// readMultipoint reads points with or without brackets of their own.
func (w *wktReader) readMultipoint() {
	for more := w.beginList(); more; more = w.nextItem() {
		var p orb.Point
		bracket := w.takeByte('(')
		if w.readTuple(&p) && bracket && !w.takeByte(')') {
			w.failAt("a ')' is missing")
		}
		w.points.reserveRoom(1, 256)
		points := w.points.close(append(w.points.open(), p))
		w.figures = append(w.figures, rawFigure{kind: pointFigure, points: points})
	}
}

// readTuples reads tuples in brackets.
func (w *wktReader) readTuples() []orb.Point {
	if !w.takeByte('(') {
		w.failAt("a '(' is missing")
		return nil
	}
	inside := w.text[w.pos : w.pos+max(0, bytes.IndexByte(w.text[w.pos:], ')'))]
	if len(w.points.free) < len(inside)/4+2 {
		w.points.reserveRoom(min(bytes.Count(inside, comma), len(inside)/4)+2, 4096)
	}
	points := w.points.open()
	var p orb.Point
	for w.readTuple(&p) {
		points = append(points, p)
		if w.pos < len(w.text) && w.text[w.pos] == ',' {
			w.pos++
			continue
		}
		if !w.takeByte(')') {
			w.failAt("a ')' is missing")
		}
		break
	}
	return w.points.close(points)
}

// readTuple reads two to four numbers and goes past the white space behind them.
func (w *wktReader) readTuple(p *orb.Point) bool {
	text := w.text
	i := skipSpace(text, w.pos)
	if end := pair(text, i, p); end > i {
		w.pos = end
		return true
	}
	k := 0
	for ; i < len(text) && text[i] != ',' && text[i] != ')'; k++ {
		v, end := parseNumber(text, i)
		if end == i {
			break
		}
		if k < 2 {
			p[k] = v
		}
		i = skipSpace(text, end)
		if i == end && i < len(text) && text[i] != ',' && text[i] != ')' {
			w.failAt("character %d is not part of a number", i+1)
			return false
		}
	}
	w.pos = i
	if k < 2 || k > 4 {
		w.failAt("a number is missing at character %d", i+1)
		return false
	}
	return true
}

// pair reads a tuple as it is nearly always, two numbers with one blank between,
// and returns where it ends, i where it is another.
func pair(text []byte, i int, p *orb.Point) int {
	lng, blank := parseNumber(text, i)
	if blank == i || blank >= len(text) || text[blank] != ' ' {
		return i
	}
	lat, end := parseNumber(text, blank+1)
	if end == blank+1 || end >= len(text) || text[end] != ',' && text[end] != ')' {
		return i
	}
	*p = orb.Point{lng, lat}
	return end
}

func (w *wktReader) failAt(format string, args ...any) {
	if w.problem == "" {
		w.problem, w.code = fmt.Sprintf(format, args...), GeometryUnreadable
	}
}
