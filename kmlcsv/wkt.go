package kmlcsv

import (
	"bytes"
	"fmt"
	"regexp"
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
	figures []rawFigure
	problem string // why it cannot be read, "" for nothing
	code    Code   // of the problem
	system  *crs.System
}

// shapes are the types of simple features: what each consists of, and how many
// brackets are around its positions.
var shapes = map[string]struct {
	kind  figureKind
	depth int
}{
	"POINT":           {pointFigure, 0},
	"MULTIPOINT":      {pointFigure, 1},
	"LINESTRING":      {lineFigure, 1},
	"MULTILINESTRING": {lineFigure, 2},
	"POLYGON":         {polygonFigure, 2},
	"MULTIPOLYGON":    {polygonFigure, 3},
}

// appendRings appends the figures of a kind that lists of rings are.
func appendRings(figures []rawFigure, kind figureKind, rings [][]orb.Point) []rawFigure {
	if kind == polygonFigure && len(rings) > 0 {
		return append(figures, rawFigure{kind: kind, points: rings[0], holes: rings[1:]})
	}
	for _, points := range rings {
		if kind == lineFigure {
			figures = append(figures, rawFigure{kind: kind, points: points})
			continue
		}
		for i := range points {
			figures = append(figures, rawFigure{points: points[i : i+1 : i+1]})
		}
	}
	return figures
}

var wktText = regexp.MustCompile(`(?is)^[ \t\r\n]*((MULTI)?(POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION|SRID=).`)

// wktHead is a type with Z or M, and the bracket or word behind it.
var wktHead = regexp.MustCompile(`(?i)^\s*([a-z]*?)\s*(?:zm|z|m)?\s*(empty|\()`)

// maxHead bounds what may stand before the bracket.
const maxHead = 100

// isWKT reports whether a cell starts as well-known text does.
func isWKT(cell []byte) bool { return wktText.Match(cell) }

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
	m := wktHead.FindSubmatch(w.text[w.pos:min(len(w.text), w.pos+maxHead)])
	if m == nil {
		w.failAt("a '(' is missing")
		return
	}
	w.pos += len(m[0])
	if len(m[2]) > 1 {
		return // it is empty
	}
	w.pos-- // to the bracket
	name := m[1]
	kind := strings.ToUpper(string(name))
	shape, known := shapes[kind]
	switch {
	case kind == "GEOMETRYCOLLECTION":
		for more := w.beginList(); more; more = w.nextItem() {
			w.readGeometry(depth + 1)
		}
	case !known:
		w.failAt("%s is not a supported geometry", oneLine(name))
	default:
		w.readParts(shape.kind, shape.depth)
	}
}

// readParts reads what a type consists of, inside so many brackets.
func (w *wktReader) readParts(kind figureKind, depth int) {
	var rings [][]orb.Point
	switch {
	case depth < 2:
		rings = append(rings, w.readTuples())
	case depth == 2:
		for more := w.beginList(); more; more = w.nextItem() {
			rings = append(rings, w.readTuples())
		}
	default:
		for more := w.beginList(); more; more = w.nextItem() {
			w.readParts(kind, depth-1)
		}
	}
	if w.problem == "" {
		w.figures = appendRings(w.figures, kind, rings)
	}
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

// readTuples reads tuples in brackets, each perhaps with brackets of its own.
func (w *wktReader) readTuples() []orb.Point {
	inside := w.text[w.pos : w.pos+max(0, bytes.IndexByte(w.text[w.pos:], ')'))]
	points := make([]orb.Point, 0, min(bytes.Count(inside, comma), len(inside)/4)+2)
	for more := w.beginList(); more; more = w.nextItem() {
		var p orb.Point
		bracket := w.takeByte('(')
		if w.readTuple(&p) && bracket && !w.takeByte(')') {
			w.failAt("a ')' is missing")
		}
		points = append(points, p)
	}
	return points
}

// readTuple reads two to four numbers and goes past the white space behind them.
func (w *wktReader) readTuple(p *orb.Point) bool {
	text := w.text
	i := skipSpace(text, w.pos)
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

func (w *wktReader) failAt(format string, args ...any) {
	if w.problem == "" {
		w.problem, w.code = fmt.Sprintf(format, args...), GeometryUnreadable
	}
}
