package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/project"
)

// tupleReader reads lists of coordinates. A tuple has the numbers of one point: longitude, latitude and perhaps
// altitude. If problem is set, the points must not be used.
type tupleReader struct {
	kind    figureKind  // kind of the shape that the points make
	swap    bool        // latitudes and longitudes must be exchanged
	points  []orb.Point // points of all lists
	start   int         // index of the first point of the current list; the points before it are already checked
	problem *Error
	fixed   []orb.Point // corrected points that are proposed to the user; nil for none
	fix     string      // description of the correction, "" if latitudes and longitudes were exchanged

	areJoined bool // commas separate the tuples, as in 9.1,48.7,300,9.2,48.8,310
	hasFourth bool // a point has a fourth number, which is not used
	wrapped   int  // number of longitudes that were changed by 360 degrees
}

// readTuples appends the points of a KML coordinate list: lng,lat[,alt], separated by white space.
// A point that repeats the previous point is left out.
func (l *tupleReader) readTuples(text []byte) {
	if l.problem != nil {
		return
	}
	l.points = slices.Grow(l.points, min(bytes.Count(text, comma), len(text)/4))
	l.start = len(l.points)
	l.hasFourth = false
	l.readList(text)
	l.acceptPairs()
	if l.start > 0 {
		l.fixed = nil // the correction does not have the points before start
	}
}

// plainList is the result of plainTuples: the points that it read, and the place where it stopped.
type plainList struct {
	points []orb.Point
	end    int // index where plainTuples stopped: the next tag, or a tuple that only tupleReader can read
	lines  int // number of line breaks before end
}

// plainTuples reads a coordinate list in the usual form, such as the two points of
//
//	9.11,48.71,310 9.12,48.72</coordinates>
//
// A tuple is lng,lat or lng,lat,altitude without white space in it. plainTuples appends the points to dst. A point that
// repeats the previous point is left out. plainTuples stops at the end of the list, or before the first tuple that has
// another form or is out of range. Such a list is left to tupleReader, which is slower but can explain what is wrong.
//
// The steps are not functions of their own, because a call for each tuple would make reading about 4 percent slower.
func plainTuples(text []byte, dst []orb.Point) plainList {
	points := dst
	lines := 0
	start := 0 // index of the current tuple
	for start < len(text) && text[start] != '<' {
		// Read longitude and latitude.
		lng, lngEnd := parseNumber(text, start)
		hasLng := lngEnd > start && lngEnd < len(text) && text[lngEnd] == ','
		if !hasLng {
			break
		}
		latStart := lngEnd + 1
		lat, end := parseNumber(text, latStart)
		hasLat := end > latStart
		isOnGlobe := lng >= -180 && lng <= 180 && lat >= -90 && lat <= 90
		if !hasLat || !isOnGlobe {
			break
		}

		// Skip the altitude.
		if end < len(text) && text[end] == ',' {
			altitudeStart := end + 1
			end = endOfNumber(text, altitudeStart)
			hasAltitude := end > altitudeStart
			if !hasAltitude {
				break
			}
		}

		// Skip the white space after the tuple.
		next, lineBreaks := skipLines(text, end)
		isComplete := next > end || next == len(text) || text[next] == '<'
		if !isComplete { // another character follows the last number
			break
		}

		// Add the point.
		count := len(points)
		isRepeated := count > len(dst) && points[count-1][0] == lng && points[count-1][1] == lat
		if !isRepeated {
			if count == cap(points) {
				points = growPoints(points, end, len(text)-start)
			}
			points = points[:count+1] // append, or assigning an orb.Point, would be slower
			points[count][0] = lng
			points[count][1] = lat
		}

		start = next
		lines += lineBreaks
	}
	return plainList{points: points, end: start, lines: lines}
}

// skipLines skips the white space at index i. It returns the index after the white space, and the number of line
// breaks in it.
func skipLines(text []byte, i int) (end, lineBreaks int) {
	for i < len(text) && isSpace(text[i]) {
		if text[i] == '\n' {
			lineBreaks++
		}
		i++
	}
	return i, lineBreaks
}

// growPoints copies points to a larger slice. The new slice has room for more points of the same list and for later
// lists. If there are many points, growPoints estimates how many points the rest of the file has: bytesRead is the
// size of the text that the points were read from, and bytesLeft is the size of the rest.
func growPoints(points []orb.Point, bytesRead, bytesLeft int) []orb.Point {
	count := len(points)
	more := min(1<<13, bytesLeft)
	if count >= more {
		more += bytesLeft * count / bytesRead
	}
	return append(make([]orb.Point, 0, count+more), points...)
}

var comma = []byte{','}

const whiteSpace = " \t\r\n"

// readList reads all points in a text. It splits the text into runs. A run consists of numbers with commas between
// them, and usually is one point.
func (l *tupleReader) readList(text []byte) {
	for text = bytes.TrimLeft(text, whiteSpace); len(text) > 0 && l.problem == nil; {
		run := text[:runEnd(text)]
		text = bytes.TrimLeft(text[len(run):], whiteSpace)
		l.readRun(bytes.TrimSuffix(bytes.TrimRight(run, whiteSpace), comma)) // the list may end with a comma
	}
}

// runEnd returns the end of the first run in a text. A run is a sequence of numbers with commas between them. There
// can be white space around the commas.
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

// readRun reads a run, which is a sequence of numbers with commas between them. The numbers are the longitude,
// latitude and altitude of one point or of several points.
func (l *tupleReader) readRun(run []byte) {
	nth := len(l.points) - l.start + 1
	layout := runLayout{areExact: true}
	lng := 0.0
	for part := range bytes.SplitSeq(run, comma) {
		leftTrimmed := bytes.TrimLeft(part, whiteSpace)
		number := bytes.TrimRight(leftTrimmed, whiteSpace)
		switch layout.count % 3 {
		case 0:
			lng = l.readValue(number)
		case 1:
			l.points = append(l.points, orb.Point{lng, l.readValue(number)})
		case 2:
			l.checkAltitude(number)
		}
		if l.problem != nil {
			return
		}
		hasSpaceBefore := len(leftTrimmed) < len(part)
		hasSpaceAfter := len(number) < len(leftTrimmed)
		layout.addNumber(number, hasSpaceBefore, hasSpaceAfter)
	}
	l.checkRun(nth, &layout)
}

// runLayout describes the numbers of a run, and where white space is around its commas. A run is a sequence of
// numbers with commas between them. In 9,11, 48,71, 300,5 only some commas have white space. The other commas may be
// decimal commas, so the run is ambiguous.
type runLayout struct {
	count         int  // number of numbers
	hasFirstSpace bool // there is white space before the second number
	hasLastSpace  bool // there is white space after the last number
	isUneven      bool // only some of the commas within a point have white space
	areExact      bool // the first two numbers have decimal points, so the comma between them is no decimal comma
}

// addNumber adds the next number of the run. The two flags say whether white space is directly before and directly
// after the number.
func (r *runLayout) addNumber(number []byte, hasSpaceBefore, hasSpaceAfter bool) {
	hasSpace := r.hasLastSpace || hasSpaceBefore // around the comma before the number
	r.hasLastSpace = hasSpaceAfter
	if r.count == 1 {
		r.hasFirstSpace = hasSpace
	}
	isInTriple := r.count%3 != 0
	if isInTriple && hasSpace != r.hasFirstSpace {
		r.isUneven = true
	}
	hasDecimals := bytes.IndexByte(number, '.') >= 0
	if r.count <= 1 && !hasDecimals {
		r.areExact = false
	}
	r.count++
}

// checkRun rejects the whole list if a run is ambiguous. A run is a sequence of numbers with commas between them. Two
// or three numbers are one point. More numbers are several points if there are three for each, and if the white space
// does not suggest decimal commas. A single point may have a fourth number. nth is the position of the run's first
// point in the list, for messages.
func (l *tupleReader) checkRun(nth int, run *runLayout) {
	if run.count == 1 {
		l.rejectList(CoordinatesUnreadable, "coordinate %d has no latitude", nth)
		return
	}
	if run.count <= 3 {
		return
	}
	mayHaveFourth := run.areExact && l.kind == pointFigure
	if run.count == 4 && mayHaveFourth {
		l.hasFourth = true
		return
	}
	areTriples := run.count%3 == 0 && !run.isUneven
	if !areTriples {
		l.rejectList(CoordinatesUnreadable,
			"coordinate %d has %d numbers; check for a decimal comma or a missing space", nth, run.count)
		return
	}
	l.areJoined = true
}

// readPosition reads one point: two or three numbers with white space between them. It returns false if the text is
// blank.
func (l *tupleReader) readPosition(text []byte) bool {
	numbers := bytes.Fields(text)
	nth := len(l.points) - l.start + 1
	if bytes.Contains(text, comma) { // it can be a decimal comma
		l.rejectList(CoordinatesUnreadable, "coordinate %d is not numbers with spaces between: %q", nth, text)
	} else if len(numbers) > 3 {
		l.rejectList(CoordinatesUnreadable, "coordinate %d has %d numbers", nth, len(numbers))
	}
	l.readList(bytes.Join(numbers, comma))
	return len(numbers) > 0
}

// checkAltitude rejects the list if an altitude is neither a number nor a word such as NaN. The altitude is not
// stored.
func (l *tupleReader) checkAltitude(text []byte) {
	for _, c := range text {
		if !numberByte[c] && !isWord(text) {
			l.rejectList(CoordinatesUnreadable,
				"the altitude of coordinate %d is not a number: %q", len(l.points)-l.start, text)
			return
		}
	}
}

// readValue reads the longitude or the latitude of the next point. If the text is not a number, it rejects the list
// and returns 0.
func (l *tupleReader) readValue(text []byte) float64 {
	v, n := parseNumber(text, 0)
	whole := n > 0 && n == len(text)
	if whole && !math.IsInf(v, 0) {
		return v
	}
	nth := len(l.points) - l.start + 1
	if whole || isWord(text) {
		l.rejectList(CoordinatesNotFinite, "coordinate %d is not a finite number: %q", nth, text)
		return 0
	}
	if len(text) == 0 {
		l.rejectList(CoordinatesUnreadable, "coordinate %d has a missing number", nth)
		return 0
	}
	l.rejectList(CoordinatesUnreadable, "coordinate %d is not a number: %q", nth, text)
	return 0
}

// isWord reports whether text is NaN or a word for infinity, such as "inf".
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

// acceptPairs checks that the points of the current list are in range. It changes longitudes beyond 180 to the range
// from -180 to 180, and removes points that repeat the previous point.
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

// outOfRange rejects the list because its point i is out of range. If all points would be in range with latitude and
// longitude exchanged, it also proposes the exchanged points as a correction.
func (l *tupleReader) outOfRange(i int, p orb.Point) {
	ofCoordinate := "" // not needed for a single point
	if len(l.points)-l.start > 1 {
		ofCoordinate = fmt.Sprintf(" of coordinate %d", i+1)
	}
	if fixed := l.exchangeAxes(); fixed != nil {
		l.rejectList(Swapped, "latitude %v%s is out of range; latitude and longitude look swapped", p[1], ofCoordinate)
		l.fixed = fixed
		return
	}
	if math.Abs(p[1]) > 90 {
		l.rejectList(OutOfRange, "latitude %v%s is not between -90 and 90", p[1], ofCoordinate)
	} else {
		l.rejectList(OutOfRange, "longitude %v%s is not between -180 and 180", p[0], ofCoordinate)
	}
}

// exchangeAxes returns the points of the current list with latitude and longitude exchanged. It returns nil if a point
// would still be out of range.
func (l *tupleReader) exchangeAxes() []orb.Point {
	fixed := slices.Clone(l.points[l.start:])
	project.LineString(fixed, swapAxes)
	if slices.ContainsFunc(fixed, func(p orb.Point) bool { return math.Abs(p[0]) > 180 || math.Abs(p[1]) > 90 }) {
		return nil
	}
	return slices.Compact(fixed)
}

// wrapLongitude adds or subtracts 360 to bring a longitude into the range from -180 to 180. The longitude must be out
// of this range, but between -360 and 360.
func wrapLongitude(lng float64) float64 {
	if lng > 180 {
		return lng - 360
	}
	return lng + 360
}
