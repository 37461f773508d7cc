package kmlcsv

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// resultBuilder builds the result of a file. The readers of all formats add their placemarks and warnings to it.
type resultBuilder struct {
	opts  readOptions
	res   *Result
	draft placemarkDraft

	system      *crs.System // reference system of the coordinates, nil for degrees in WGS 84
	conversions conversionLog

	roles *fieldRoles // tells which attributes of the last feature are the name, country and city

	names    textArena
	crossing crossingFinder
	places   placeFinder
	label    []byte // buffer for labels

	progress func() float64 // estimates how much of the file was read, from 0 to 1

	waiting []resultSpan // placemarks that have no name yet and may get the name of their folder
	omitted omittedWarnings

	hasZero bool  // a placemark is at 0, 0; otherwise dropZeroes does nothing
	zeroes  []int // for each record with all points at 0, 0: index of the account that counts the record

	starts int    // number of calls of startPlacemark
	stop   *Error // reason why reading has to end, or nil
}

// placemarkDraft has the values of the placemark, row or feature that is being read now.
type placemarkDraft struct {
	line                int
	since               resultMark // state of the result before the placemark
	name, country, city string
}

// startPlacemark starts a placemark. line is the number of its line in the file. All geometries and warnings that are
// added until the next call belong to this placemark. From time to time, startPlacemark also checks whether reading
// takes too long or was cancelled, and sets b.stop if so.
func (b *resultBuilder) startPlacemark(line int) {
	b.starts++
	if b.starts%64 == 0 {
		_ = b.checkStop() // callers read b.stop
	}
	b.draft = placemarkDraft{line: line, since: b.currentMark()}
}

// checkStop checks whether reading takes too long or was cancelled. If so, it sets b.stop. It returns b.stop, which
// is nil while reading may go on.
func (b *resultBuilder) checkStop() *Error {
	if b.stop == nil && b.opts.work != nil {
		b.stop = b.opts.work.check()
	}
	return b.stop
}

func newResultBuilder(opts readOptions, format Format) *resultBuilder {
	b := &resultBuilder{opts: opts, res: &Result{Format: format, Columns: EmptyColumns()}}
	b.progress = func() float64 { return 1 }
	b.places.out = b
	b.crossing.checksLeft = crossChecks
	if b.opts.MaxWarnings <= 0 {
		b.opts.MaxWarnings = DefaultMaxWarnings
	}
	return b
}

// rawFigure is a point, a line or a polygon as it is in the file. Its coordinates are not checked yet.
type rawFigure struct {
	kind   figureKind
	points []orb.Point
	holes  [][]orb.Point
}

type figureKind uint8

const (
	pointFigure figureKind = iota
	lineFigure
	ringFigure // a polygon if it is closed, otherwise a line
	polygonFigure
)

// addWarning adds a warning. If the list of warnings is full, it only counts the warning.
func (b *resultBuilder) addWarning(w Warning) {
	if w.Skipped {
		b.res.Skipped++
	}
	if b.isFull() {
		b.omitted.count++
		return
	}
	if n := len(b.res.Warnings); n == cap(b.res.Warnings) {
		b.res.Warnings = slices.Grow(b.res.Warnings, max(n, 8))
	}
	b.res.Warnings = append(b.res.Warnings, w)
}

// isFull reports whether the list of warnings is full. Further warnings are only counted, so callers need not format
// their messages.
func (b *resultBuilder) isFull() bool { return len(b.res.Warnings) >= b.opts.MaxWarnings }

// warnFile adds a warning about the whole file.
func (b *resultBuilder) warnFile(code Code, format string, args ...any) {
	b.addWarning(Warning{
		Code:    code,
		Index:   -1,
		Message: writeMessage(format, args...),
	})
}

// warnPlacemark adds a warning about the placemark that will be added next.
func (b *resultBuilder) warnPlacemark(code Code, format string, args ...any) {
	message := writeMessage(format, args...)
	b.addWarning(Warning{
		Code:    code,
		Line:    b.draft.line,
		Index:   len(b.res.Placemarks),
		Message: message,
	})
}

// skipPlacemark warns that a placemark, or a part of a placemark, is skipped. problem is the reason.
func (b *resultBuilder) skipPlacemark(problem *Error) {
	for i := len(b.res.Warnings) - 1; i >= 0 && b.res.Warnings[i].Index == len(b.res.Placemarks); i-- {
		b.res.Warnings[i].Index = -1 // its placemark is not added
	}
	b.addWarning(Warning{
		Code:    problem.Code,
		Line:    b.draft.line,
		Index:   -1,
		Message: problem.Message,
		Skipped: true,
	})
}

// warnLine adds a warning about the current line of the file. The warning belongs to no placemark.
func (b *resultBuilder) warnLine(code Code, format string, args ...any) {
	b.addWarning(Warning{
		Code:    code,
		Line:    b.draft.line,
		Index:   -1,
		Message: writeMessage(format, args...),
	})
}

// rejectFigure skips a shape. t has read the coordinates of the shape and found a problem, which becomes a warning. If
// t also found likely correct coordinates, the warning proposes a placemark with these coordinates.
func (b *resultBuilder) rejectFigure(t *tupleReader) {
	isFull := b.isFull()
	b.skipPlacemark(t.problem)
	if t.fixed == nil || isFull {
		return
	}
	var p Placemark
	if b.shapePlacemark(&p, rawFigure{kind: t.kind, points: t.fixed}) == nil {
		w := &b.res.Warnings[len(b.res.Warnings)-1]
		w.Fixed = &p
		w.Fix = t.fix
	}
}

// addFigure checks a shape and adds it as a placemark. finishPlacemark gives the placemark its name later.
func (b *resultBuilder) addFigure(f rawFigure) {
	var p Placemark
	if problem := b.shapePlacemark(&p, f); problem != nil {
		b.skipPlacemark(problem)
		return
	}
	b.inspectGeometry(f, &p)
	b.addPlacemark(p)
}

// addChecked converts a shape from the reference system of the file to WGS 84, checks that its coordinates are
// possible, and adds it. It changes the points of f in place.
func (b *resultBuilder) addChecked(f rawFigure) { b.addFromSystem(f, b.system) }

// addFromSystem converts a shape from the given reference system to WGS 84, checks its coordinates and adds it. If
// system is nil, the coordinates are already in WGS 84.
func (b *resultBuilder) addFromSystem(f rawFigure, system *crs.System) {
	if hasNaN(f.points) {
		b.skipPlacemark(newError(CoordinatesNotFinite, "a coordinate is not a number"))
		return
	}
	isConverted := b.convert(&f, system)
	if !isConverted {
		b.skipPlacemark(newError(OutOfRange, "its coordinates are not of %s", []byte(system.Reference())))
		return
	}
	checked := b.checkRange(f.kind, f.points)
	if checked.problem != nil {
		b.rejectFigure(&checked)
		return
	}
	f.points = checked.points
	b.checkHoles(&f)
	b.addFigure(f)
}

// hasNaN reports whether a coordinate of one of the points is NaN.
func hasNaN(points []orb.Point) bool {
	for _, p := range points {
		if math.IsNaN(p[0]) || math.IsNaN(p[1]) {
			return true
		}
	}
	return false
}

// checkHoles checks the coordinates of the holes in a shape. If a hole cannot be used, it sets the hole to nil and
// adds a warning.
func (b *resultBuilder) checkHoles(f *rawFigure) {
	for i, hole := range f.holes {
		checked := b.checkRange(f.kind, hole)
		isUsable := checked.problem == nil && closeRing(checked.points) != nil
		if isUsable {
			f.holes[i] = checked.points
		} else {
			f.holes[i] = nil
			b.warnHole()
		}
	}
}

func (b *resultBuilder) warnHole() {
	b.warnPlacemark(HoleUnreadable, "a hole could not be read and is not subtracted from the area")
}

// checkRange checks that the longitudes and latitudes of points are possible. If they are, the result has the points,
// with longitudes from -180 to 180. If they are not, the problem field of the result is set and its points must not
// be used.
func (b *resultBuilder) checkRange(kind figureKind, points []orb.Point) tupleReader {
	l := tupleReader{kind: kind, points: points, swap: b.opts.SwapLatLng}
	l.acceptPairs()
	b.remarkTuples(&l)
	return l
}

// convert converts the points and holes of a shape in place, from a reference system to WGS 84. If system is nil, it
// changes nothing. It returns false if a point could not be converted.
func (b *resultBuilder) convert(f *rawFigure, system *crs.System) bool {
	if system == nil {
		return true
	}
	for _, points := range append([][]orb.Point{f.points}, f.holes...) {
		for i, p := range points {
			converted, ok := placeIn(system, p[0], p[1])
			if !ok {
				return false
			}
			points[i] = converted
		}
	}
	if len(f.points) > 0 {
		b.conversions.count(system, f.points[0])
	}
	return true
}

// addPlacemark adds a placemark without a name. The caller must call finishPlacemark afterwards to name it.
func (b *resultBuilder) addPlacemark(p Placemark) {
	limit := b.maxSites()
	if len(b.res.Placemarks) >= limit {
		if b.stop == nil {
			b.stop = newError(TooLarge, "the file has more than %d sites; split it", limit)
		}
		return
	}
	if len(b.res.Placemarks) == cap(b.res.Placemarks) {
		b.growPlacemarks(limit)
	}
	b.res.Placemarks = append(b.res.Placemarks, p)
	b.hasZero = b.hasZero || isAtZero(&p)
}

// growPlacemarks allocates memory for more placemarks. It estimates the number of placemarks in the rest of the file
// from the part that was read, and adds 2 %. limit is the maximum number of placemarks in the result.
func (b *resultBuilder) growPlacemarks(limit int) {
	n := len(b.res.Placemarks)
	more := 64
	if n > 0 {
		estimate := int(float64(n)*(1.02/b.progress()-1)) + 16
		more = max(n/2, estimate)
	}
	more = min(more, limit-n)
	grown := make([]Placemark, n, n+more) // slices.Grow takes twice that with the race detector
	copy(grown, b.res.Placemarks)
	b.res.Placemarks = grown
}

func (b *resultBuilder) maxSites() int {
	if b.opts.work == nil {
		return maxPlacemarks
	}
	return b.opts.work.maxSites
}

var noCoordinates = newError(CoordinatesMissing, "it has no coordinates")

// shapePlacemark sets the geometry of a placemark to a shape. It also sets the number of the line in the file and, for
// a line string, the length.
func (b *resultBuilder) shapePlacemark(p *Placemark, f rawFigure) *Error {
	p.Line = b.draft.line
	n := len(f.points)
	if n == 0 {
		return noCoordinates
	}
	isClosed := f.kind == ringFigure && n > 3 && f.points[0] == f.points[n-1]
	if f.kind == polygonFigure || isClosed {
		polygon := b.polygonOf(f)
		if polygon == nil {
			return newError(RingTooShort, "its boundary has fewer than three distinct points")
		}
		p.Geometry = polygon
		return nil
	}
	if f.kind == pointFigure || n == 1 {
		p.Geometry = f.points[0]
		return nil
	}
	line := orb.LineString(f.points)
	p.Geometry = line
	p.Length = LengthOf(line)
	return nil
}

// inspectGeometry warns about an unusual geometry, and sets the area of a polygon.
func (b *resultBuilder) inspectGeometry(f rawFigure, p *Placemark) {
	switch g := p.Geometry.(type) {
	case orb.Point:
		if len(f.points) > 1 {
			b.warnPlacemark(ExtraPoints, "the point has %d coordinates; only the first is used", len(f.points))
		} else if f.kind != pointFigure {
			b.warnPlacemark(SinglePoint, "a line with one position was read as a point")
		}
	case orb.Polygon:
		b.inspectPolygon(p, g)
	}
}

func (b *resultBuilder) inspectPolygon(p *Placemark, g orb.Polygon) {
	area, isPolar, bound := polygonArea(g)
	p.Area = area
	b.places.setLastPolygon(len(b.res.Placemarks), bound)
	if isPolar {
		b.warnPlacemark(RoundAPole, "the boundary encloses a pole; check its area")
	} else if fault := b.crossing.checkRing(g[0], bound); fault != nil {
		b.warnPlacemark(fault.Code, "%s", fault.Message)
	}
	holes := len(g) - 1
	if holes == 1 {
		b.warnPlacemark(HolesIgnored, "the hole is subtracted from the area; the boundary does not show it")
	} else if holes > 1 {
		b.warnPlacemark(HolesIgnored, "%d holes are subtracted from the area; the boundary does not show them", holes)
	}
}

// polygonOf returns a polygon with the boundary and the holes of a shape, or nil if the boundary has fewer than three
// distinct points. It leaves out holes with fewer than three distinct points.
func (b *resultBuilder) polygonOf(f rawFigure) orb.Polygon {
	boundary := closeRing(f.points)
	if boundary == nil {
		return nil
	}
	polygon := make(orb.Polygon, 0, 1+len(f.holes))
	polygon = append(polygon, boundary)
	for _, points := range f.holes {
		if hole := closeRing(points); hole != nil {
			polygon = append(polygon, hole)
		}
	}
	return polygon
}

// closeRing returns the points as a closed ring, with the first point repeated at the end. It returns nil if there are
// fewer than three distinct points.
func closeRing(points []orb.Point) orb.Ring {
	n := len(points)
	if n < 3 {
		return nil
	}
	if points[0] != points[n-1] {
		points = append(points, points[0])
	}
	for _, p := range points[2:] {
		if p != points[0] && p != points[1] {
			return points
		}
	}
	return nil
}

// resultMark stores how many placemarks and warnings a result has at some moment.
type resultMark struct{ placemarks, warnings int }

// resultSpan is the range of placemarks and warnings that were added to a result between two moments.
type resultSpan struct{ from, to resultMark }

func (b *resultBuilder) currentMark() resultMark {
	return resultMark{len(b.res.Placemarks), len(b.res.Warnings)}
}

// finishPlacemark sets the name, the country and the city of all placemarks that were added since startPlacemark. It
// does the same for the corrected placemarks that the warnings propose.
func (b *resultBuilder) finishPlacemark() {
	b.attachWarnings()
	since := b.draft.since
	warnings := b.res.Warnings[since.warnings:] // without the warnings that setPlace adds
	for i := since.placemarks; i < len(b.res.Placemarks); i++ {
		b.places.setPlace(&b.res.Placemarks[i], i)
	}
	for _, w := range warnings {
		if w.Fixed != nil {
			b.places.setPlace(w.Fixed, noIndex)
		}
	}
	b.renamePlacemarks(resultSpan{since, b.currentMark()}, b.draft.name)
}

// attachWarnings is called at the end of a row or feature. warnPlacemark assigns each warning to the placemark that is
// added next. If no placemark was added after the last warnings of the row or feature, attachWarnings assigns them to
// its last placemark, or to no placemark if it has none.
func (b *resultBuilder) attachWarnings() {
	last := len(b.res.Placemarks) - 1
	if last < b.draft.since.placemarks {
		last = -1
	}
	for i := b.draft.since.warnings; i < len(b.res.Warnings); i++ {
		w := &b.res.Warnings[i]
		if w.Index >= len(b.res.Placemarks) {
			w.Index = last
		}
	}
}

// detachWarnings changes the warnings of the current row, feature or container so that they belong to no placemark.
// They only state the name of the placemark that was read. detachWarnings is called if no placemark is added now, for
// instance because a row forms one placemark together with later rows. Otherwise the warnings would belong to the
// placemark that is added next.
func (b *resultBuilder) detachWarnings() {
	for i := b.draft.since.warnings; i < len(b.res.Warnings); i++ {
		w := &b.res.Warnings[i]
		w.Index = -1
		w.Placemark = b.draft.name
	}
}

// renamePlacemarks gives a name to the placemarks in a span. If there are several placemarks, it adds a number to each
// name. It also sets the name in the warnings of the span. A warning that belongs to no placemark, for instance because
// a part was skipped, gets the name without a number.
func (b *resultBuilder) renamePlacemarks(s resultSpan, name string) {
	parts := b.res.Placemarks[s.from.placemarks:s.to.placemarks]
	for i := range parts {
		parts[i].Name = name
		if len(parts) > 1 {
			parts[i].Name = b.numberedName(name, i+1)
		}
	}
	for i := s.from.warnings; i < s.to.warnings; i++ {
		w := &b.res.Warnings[i]
		w.Placemark = name
		if w.Index >= 0 {
			w.Placemark = b.res.Placemarks[w.Index].Name
		}
		if w.Fixed != nil {
			w.Fixed.Name = name
		}
	}
}

// numberedName returns a name followed by a number in parentheses, such as "Mast (2)". It cuts a name that would be
// too long.
func (b *resultBuilder) numberedName(name string, n int) string {
	suffix := " (" + strconv.Itoa(n) + ")"
	return b.concatText(string(cutRunes([]byte(name), maxLabel-len(suffix))), suffix)
}

// concatText joins texts. It allocates less memory than the operator +, which matters for files with thousands of
// placemarks.
func (b *resultBuilder) concatText(parts ...string) string {
	b.label = b.label[:0]
	for _, s := range parts {
		b.label = append(b.label, s...)
	}
	return b.names.makeString(b.label)
}

// makeName returns raw text as a name, or "" if the text has no printable characters. It adds a warning if it removed
// characters or cut the name.
func (b *resultBuilder) makeName(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if isTidy(raw) {
		return b.names.makeString(raw)
	}
	label, dropped, cut := tidyLabel(raw, b.label, maxLabel)
	b.label = label
	if dropped {
		b.warnPlacemark(CharactersDropped, "control characters were removed from the name")
	}
	if cut {
		b.warnPlacemark(NameCut, "the name was cut to %d characters", maxLabel)
	}
	return b.names.makeString(label)
}

// omittedWarnings counts the warnings that are missing in the result because the list of warnings is full.
type omittedWarnings struct {
	count     int
	unchecked bool // some checks were left out, so more warnings than count may be missing
}

// describe returns a text that says how many warnings are missing, or "" if none are.
func (o *omittedWarnings) describe() string {
	if !o.unchecked && o.count == 0 {
		return ""
	}
	if !o.unchecked {
		return fmt.Sprintf("%d more warnings", o.count)
	}
	if o.count == 0 {
		return "more warnings possible"
	}
	return fmt.Sprintf("at least %d more warnings", o.count)
}

// finishResult returns the result. If the result has no placemarks, it also returns an error: NothingUsable if a
// placemark was skipped, otherwise emptyFile.
func (b *resultBuilder) finishResult(emptyFile *Error) (*Result, *Error) {
	if b.stop != nil {
		return nil, b.stop
	}
	b.dropZeroes()
	b.res.Warnings = append(b.conversions.warnings(), b.res.Warnings...)
	if note := b.omitted.describe(); note != "" {
		b.res.Warnings = append(b.res.Warnings, Warning{Code: MoreWarnings, Index: -1, Message: note})
	}
	if len(b.res.Placemarks) > 0 {
		return b.res, nil
	}
	for _, w := range b.res.Warnings {
		if w.Skipped {
			return b.res, newError(NothingUsable, "no usable placemarks: %d skipped, for example %s", b.res.Skipped, w)
		}
	}
	return b.res, emptyFile
}

// textArena allocates memory for many short strings in blocks. Each new block is twice as large as the last, up to
// 256 KiB.
type textArena struct {
	block strings.Builder
	size  int
}

// makeString returns a copy of b as a string.
func (t *textArena) makeString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if t.block.Cap()-t.block.Len() < len(b) {
		t.size = min(max(2*t.size, 1<<10), 1<<18)
		t.block = strings.Builder{}
		t.block.Grow(max(t.size, len(b)))
	}
	start := t.block.Len()
	t.block.Write(b)
	return t.block.String()[start:]
}
