package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/project"
)

// tupleReader reads coordinate lists of every kind. The points from start on are the
// pairs as they stand in the list until acceptPairs checks them. A problem, where there
// is one, means that the list must not be used.
type tupleReader struct {
	kind    figureKind
	swap    bool
	points  []orb.Point
	start   int
	problem *Error
	fixed   []orb.Point // the points mended, nil where they are not
	fix     string      // how, "" for latitude and longitude exchanged

	joined  bool // commas stood between tuples
	fourth  bool // a point has a fourth number, which is not used
	wrapped int  // longitudes brought into -180 to 180
}

// readTuples appends the points of a KML coordinate list, lng,lat[,alt] with
// white space between. Points that repeat the one before are left out.
func (l *tupleReader) readTuples(text []byte) {
	if l.problem != nil {
		return
	}
	l.points = slices.Grow(l.points, min(bytes.Count(text, comma), len(text)/4))
	l.start, l.fourth = len(l.points), false
	l.readList(text)
	l.acceptPairs()
	if l.start > 0 {
		l.fixed = nil // it is not all of the list
	}
}

// plainTuples reads a list as nearly all are, up to a tag. Of one that stops elsewhere
// a tupleReader makes what it can. It counts the line breaks on the way.
func plainTuples(text []byte, dst []orb.Point) (points []orb.Point, stop, breaks int) { //nolint:cyclop // one pass over every number of a file
	start := len(dst)
	for stop < len(text) && text[stop] != '<' {
		lng, comma := parseNumber(text, stop)
		if comma == stop || comma >= len(text) || text[comma] != ',' {
			break
		}
		lat, end := parseNumber(text, comma+1)
		if end == comma+1 || !(lng >= -180 && lng <= 180 && lat >= -90 && lat <= 90) {
			break
		}
		if end < len(text) && text[end] == ',' {
			altitude := end + 1 // it is not used, and need but look like a number
			for end = altitude; end < len(text) && numberByte[text[end]]; end++ {
			}
			if end == altitude {
				break
			}
		}
		if k := len(dst); k == start || dst[k-1][0] != lng || dst[k-1][1] != lat {
			if k == cap(dst) {
				dst = makeRoom(dst, end, len(text)-stop)
			}
			dst = dst[:k+1]
			dst[k][0], dst[k][1] = lng, lat // one by one, faster than to make a point first
		}
		for stop = end; stop < len(text) && isSpace(text[stop]); stop++ {
			if text[stop] == '\n' {
				breaks++
			}
		}
		if stop == end {
			break
		}
	}
	return dst, stop, breaks
}

// makeRoom moves the points of a list to where there is room for more, and for lists after
// it: that of a long one is for the rest of the file at the rate of what was read.
func makeRoom(points []orb.Point, read, rest int) []orb.Point {
	n, more := len(points), min(1<<13, rest)
	if n >= more {
		more += rest * n / read
	}
	return append(make([]orb.Point, 0, n+more), points...)
}

var comma = []byte{','}

const whiteSpace = " \t\r\n"

// readList splits the text into runs.
func (l *tupleReader) readList(text []byte) {
	for text = bytes.TrimLeft(text, whiteSpace); len(text) > 0 && l.problem == nil; {
		run := text[:runEnd(text)]
		text = bytes.TrimLeft(text[len(run):], whiteSpace)
		l.readRun(bytes.TrimSuffix(bytes.TrimRight(run, whiteSpace), comma)) // the last may be at the end of the list
	}
}

// runEnd returns where a run ends: numbers with a comma between, which white space may
// surround.
func runEnd(text []byte) int {
	for end := 0; ; {
		for end < len(text) && text[end] != ',' && !isSpace(text[end]) {
			end++
		}
		next := skipSpace(text, end)
		if next == len(text) || text[next] != ',' {
			return end
		}
		end = skipSpace(text, next+1)
	}
}

// readRun reads a run as if it were one of triples.
func (l *tupleReader) readRun(run []byte) {
	nth, count, lng := len(l.points)-l.start+1, 0, 0.0
	firstGap, behind := false, false // white space before the second number, and behind the last one
	uneven := false                  // white space before some numbers inside triples, but not all
	exact := true                    // the first two numbers have decimals, so that no comma stands for their point
	for part := range bytes.SplitSeq(run, comma) {
		left := bytes.TrimLeft(part, whiteSpace)
		number := bytes.TrimRight(left, whiteSpace)
		gap := behind || len(left) < len(part)
		behind = len(number) < len(left)
		switch count % 3 {
		case 0:
			lng = l.readValue(number)
		case 1:
			l.points = append(l.points, orb.Point{lng, l.readValue(number)})
		default:
			l.checkAltitude(number)
		}
		if l.problem != nil {
			return
		}
		if count == 1 {
			firstGap = gap
		}
		uneven = uneven || count%3 != 0 && gap != firstGap
		exact = exact && (count > 1 || bytes.IndexByte(number, '.') >= 0)
		count++
	}
	l.judgeRun(nth, count, exact && l.kind == pointFigure, uneven)
}

// judgeRun judges a run of so many numbers: it is a tuple of two or three, perhaps of
// four, or triples where the white space in it does not speak against them.
func (l *tupleReader) judgeRun(nth, count int, four, uneven bool) {
	switch {
	case count == 1:
		l.rejectList(CoordinatesUnreadable, "coordinate %d has no latitude", nth)
	case count == 4 && four:
		l.fourth = true
	case count > 3 && (count%3 != 0 || uneven):
		l.rejectList(
			CoordinatesUnreadable,
			"coordinate %d has %d numbers; check for a decimal comma or a missing space",
			nth,
			count,
		)
	case count > 3:
		l.joined = true
	}
}

// readPosition reads two or three numbers with white space between, and reports
// whether there is anything.
func (l *tupleReader) readPosition(text []byte) bool {
	numbers := bytes.Fields(text)
	switch nth := len(l.points) - l.start + 1; {
	case bytes.Contains(text, comma): // perhaps a decimal one
		l.rejectList(CoordinatesUnreadable, "coordinate %d is not numbers with spaces between: %q", nth, text)
	case len(numbers) > 3:
		l.rejectList(CoordinatesUnreadable, "coordinate %d has %d numbers", nth, len(numbers))
	}
	l.readList(bytes.Join(numbers, comma))
	return len(numbers) > 0
}

// checkAltitude checks a number that is not used. Words for an unknown one will do.
func (l *tupleReader) checkAltitude(text []byte) {
	for _, c := range text {
		if !numberByte[c] && !isWord(text) {
			l.rejectList(
				CoordinatesUnreadable,
				"the altitude of coordinate %d is not a number: %q",
				len(l.points)-l.start,
				text,
			)
			return
		}
	}
}

// readValue reads a number of the next pair.
func (l *tupleReader) readValue(text []byte) float64 {
	v, n := parseNumber(text, 0)
	whole := n > 0 && n == len(text)
	if whole && !math.IsInf(v, 0) {
		return v
	}
	nth := len(l.points) - l.start + 1
	switch {
	case whole || isWord(text):
		l.rejectList(CoordinatesNotFinite, "coordinate %d is not a finite number: %q", nth, text)
	case len(text) == 0:
		l.rejectList(CoordinatesUnreadable, "coordinate %d has a missing number", nth)
	default:
		l.rejectList(CoordinatesUnreadable, "coordinate %d is not a number: %q", nth, text)
	}
	return 0
}

// isWord reports whether text is one of the words for what is not finite.
func isWord(text []byte) bool {
	if len(text) > 9 {
		return false
	}
	switch string(bytes.ToLower(bytes.TrimLeft(text, "+-"))) {
	case "nan", "inf", "infinity":
		return true
	}
	return false
}

func (l *tupleReader) rejectList(code Code, format string, args ...any) {
	if l.problem == nil {
		l.problem = newError(code, format, args...)
	}
}

// acceptPairs checks the ranges of the pairs and makes points of them.
func (l *tupleReader) acceptPairs() {
	if l.problem != nil {
		return
	}
	pairs := l.points[l.start:]
	if l.swap {
		project.LineString(pairs, swapAxes)
	}
	for i, p := range pairs {
		if p[1] < -90 || p[1] > 90 || p[0] < -360 || p[0] > 360 {
			l.outOfRange(i, p)
			return
		}
	}
	for i, p := range pairs {
		if p[0] < -180 || p[0] > 180 {
			pairs[i][0] = wrapLongitude(p[0])
			l.wrapped++
		}
	}
	l.points = l.points[:l.start+len(slices.Compact(pairs))]
}

// outOfRange rejects the list for point i, as swapped where all of it would do
// with the axes exchanged.
func (l *tupleReader) outOfRange(i int, p orb.Point) {
	which := ""
	if len(l.points)-l.start > 1 {
		which = fmt.Sprintf(" of coordinate %d", i+1)
	}
	fixed := l.exchangeAxes()
	switch {
	case fixed != nil:
		l.rejectList(Swapped, "latitude %v%s is out of range; latitude and longitude look swapped", p[1], which)
		l.fixed = fixed
	case math.Abs(p[1]) > 90:
		l.rejectList(OutOfRange, "latitude %v%s is not between -90 and 90", p[1], which)
	default:
		l.rejectList(OutOfRange, "longitude %v%s is not between -180 and 180", p[0], which)
	}
}

// exchangeAxes returns the pairs with the axes exchanged, nil where that is not
// in range either.
func (l *tupleReader) exchangeAxes() []orb.Point {
	fixed := slices.Clone(l.points[l.start:])
	project.LineString(fixed, swapAxes)
	if slices.ContainsFunc(fixed, func(p orb.Point) bool { return math.Abs(p[0]) > 180 || math.Abs(p[1]) > 90 }) {
		return nil
	}
	return slices.Compact(fixed)
}

// wrapLongitude brings a longitude of up to a turn more into -180 to 180.
func wrapLongitude(lng float64) float64 {
	if lng > 180 {
		return lng - 360
	}
	return lng + 360
}
