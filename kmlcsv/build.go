package kmlcsv

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// resultBuilder makes the result of a file, of whichever kind.
type resultBuilder struct {
	opts Options
	res  *Result
	placemarkDraft

	system       *crs.System  // of the coordinates, nil for degrees in WGS 84
	conversions  []conversion // from systems that positions were of
	assumesWGS84 bool         // for coordinates without a datum

	roles *fieldRoles // of the attributes of the last feature

	names    textArena
	crossing crossingFinder
	stated   statedCountry // the last one, which others mostly repeat
	label    []byte        // scratch

	bound   orb.Bound // of the last polygon
	bounded int       // its number among the placemarks, 0 for none

	progress func() float64 // the share of the file that is read, as far as that is known

	waiting []resultSpan // placemarks in folders, waiting for a name
	left    int          // warnings over the limit

	unchecked bool // there may be more of those

	zeroes []int  // the accounts of records that have only points at 0, 0
	starts int    // placemarks that were started
	stop   *Error // why reading has to end, nil if it may go on
}

// placemarkDraft is what is known of the placemark, row or feature that is read.
type placemarkDraft struct {
	line                int
	since               resultMark // before it
	name, country, city string
}

// startPlacemark has what is added from now on be of the placemark of a line. It sets
// stop if reading takes too long or is no longer wanted.
func (b *resultBuilder) startPlacemark(line int) {
	if b.starts++; b.starts%64 == 0 {
		_ = b.checkStop() // it is kept in stop
	}
	b.placemarkDraft = placemarkDraft{line: line, since: b.currentMark()}
}

// checkStop sets stop if reading has to end, and returns it.
func (b *resultBuilder) checkStop() *Error {
	if b.stop == nil && b.opts.work != nil {
		b.stop = b.opts.work.check()
	}
	return b.stop
}

func newResultBuilder(opts Options, format Format) *resultBuilder {
	b := &resultBuilder{opts: opts, res: &Result{Format: format, Columns: EmptyColumns()}}
	b.progress = func() float64 { return 1 }
	b.crossing.left = crossChecks
	if b.opts.MaxWarnings <= 0 {
		b.opts.MaxWarnings = DefaultMaxWarnings
	}
	return b
}

// rawFigure is a geometry as it was read, before it is checked.
type rawFigure struct {
	kind   figureKind
	points []orb.Point
	holes  [][]orb.Point
}

type figureKind uint8

const (
	pointFigure figureKind = iota
	lineFigure
	ringFigure // a line that is a polygon where it is closed
	polygonFigure
)

// addWarning adds a warning, or counts it where there are too many.
func (b *resultBuilder) addWarning(w Warning) {
	if w.Skipped {
		b.res.Skipped++
	}
	if b.isFull() {
		b.left++
		return
	}
	if n := len(b.res.Warnings); n == cap(b.res.Warnings) {
		b.res.Warnings = slices.Grow(b.res.Warnings, max(n, 8))
	}
	b.res.Warnings = append(b.res.Warnings, w)
}

// isFull reports whether further warnings are only counted, so that their
// messages need not be made.
func (b *resultBuilder) isFull() bool { return len(b.res.Warnings) >= b.opts.MaxWarnings }

// warnFile warns about the file as a whole.
func (b *resultBuilder) warnFile(code Code, format string, args ...any) {
	b.addWarning(Warning{
		Code:    code,
		Index:   -1,
		Message: writeMessage(format, args...),
	})
}

// warnPlacemark warns about the placemark that is added next.
func (b *resultBuilder) warnPlacemark(code Code, format string, args ...any) {
	message := writeMessage(format, args...)
	b.addWarning(Warning{
		Code:    code,
		Line:    b.line,
		Index:   len(b.res.Placemarks),
		Message: message,
	})
}

// skipPlacemark warns about a placemark, or a part of one, that is not added.
func (b *resultBuilder) skipPlacemark(problem *Error) {
	for i := len(b.res.Warnings) - 1; i >= 0 && b.res.Warnings[i].Index == len(b.res.Placemarks); i-- {
		b.res.Warnings[i].Index = -1 // it was about what is not added
	}
	b.addWarning(Warning{
		Code:    problem.Code,
		Line:    b.line,
		Index:   -1,
		Message: problem.Message,
		Skipped: true,
	})
}

// warnLine warns about the line, without a placemark.
func (b *resultBuilder) warnLine(code Code, format string, args ...any) {
	b.addWarning(Warning{
		Code:    code,
		Line:    b.line,
		Index:   -1,
		Message: writeMessage(format, args...),
	})
}

// rejectFigure skips a figure whose coordinates have a problem.
func (b *resultBuilder) rejectFigure(t *tupleReader) {
	isFull := b.isFull()
	b.skipPlacemark(t.problem)
	if t.fixed == nil || isFull {
		return
	}
	var p Placemark
	if b.shapePlacemark(&p, rawFigure{kind: t.kind, points: t.fixed}) == nil {
		w := &b.res.Warnings[len(b.res.Warnings)-1]
		w.Fixed, w.Fix = &p, t.fix
	}
}

// addFigure checks a figure and adds it as a placemark that is yet to be named.
func (b *resultBuilder) addFigure(f rawFigure) {
	var p Placemark
	if problem := b.shapePlacemark(&p, f); problem != nil {
		b.skipPlacemark(problem)
		return
	}
	b.remark(f, &p)
	b.addPlacemark(p)
}

// addChecked adds a figure whose ranges are not checked yet.
func (b *resultBuilder) addChecked(f rawFigure) {
	for _, p := range f.points {
		if p[0] != p[0] || p[1] != p[1] {
			b.skipPlacemark(newError(CoordinatesNotFinite, "a coordinate is not a number"))
			return
		}
	}
	if !b.convert(&f) {
		b.skipPlacemark(newError(OutOfRange, "its coordinates are not of %s", []byte(b.system.Reference())))
		return
	}
	t := b.inRange(f.kind, f.points)
	if t.problem != nil {
		b.rejectFigure(&t)
		return
	}
	f.points = t.points
	for i, hole := range f.holes {
		t := b.inRange(f.kind, hole)
		f.holes[i] = t.points
		if t.problem != nil || closeRing(t.points) == nil {
			f.holes[i] = nil
			b.warnHole()
		}
	}
	b.addFigure(f)
}

func (b *resultBuilder) warnHole() {
	b.warnPlacemark(HoleUnreadable, "a hole could not be read and is not subtracted from the area")
}

// inRange checks the ranges of points.
func (b *resultBuilder) inRange(kind figureKind, points []orb.Point) tupleReader {
	l := tupleReader{kind: kind, points: points, swap: b.opts.SwapLatLng}
	l.acceptPairs()
	b.remarkTuples(&l)
	return l
}

// convert brings a figure of another reference system to WGS 84.
func (b *resultBuilder) convert(f *rawFigure) bool {
	if b.system == nil {
		return true
	}
	for _, points := range append([][]orb.Point{f.points}, f.holes...) {
		for i, p := range points {
			var ok bool
			if points[i], ok = placeIn(b.system, p[0], p[1]); !ok {
				return false
			}
		}
	}
	if len(f.points) > 0 {
		b.countConversion(b.system, f.points[0])
	}
	return true
}

// addPlacemark adds a placemark that is yet to be named. Room is made from the second
// time on for as many as the file will hold at this rate.
func (b *resultBuilder) addPlacemark(p Placemark) {
	most := b.maxSites()
	if len(b.res.Placemarks) >= most {
		if b.stop == nil {
			b.stop = newError(TooLarge, "the file has more than %d sites; split it", most)
		}
		return
	}
	if n := len(b.res.Placemarks); n == cap(b.res.Placemarks) {
		want := 64
		if n > 0 {
			want = max(n/2, int(float64(n)*(1.02/b.progress()-1))+16)
		}
		want = min(want, most-n)
		room := make([]Placemark, n, n+want) // slices.Grow takes twice that with the race detector
		copy(room, b.res.Placemarks)
		b.res.Placemarks = room
	}
	b.res.Placemarks = append(b.res.Placemarks, p)
}

func (b *resultBuilder) maxSites() int {
	if b.opts.work == nil {
		return maxPlacemarks
	}
	return b.opts.work.maxSites
}

var noCoordinates = newError(CoordinatesMissing, "it has no coordinates")

// shapePlacemark sets the line of a placemark, its geometry, made from a figure, and its
// length.
func (b *resultBuilder) shapePlacemark(p *Placemark, f rawFigure) *Error {
	p.Line = b.line
	n := len(f.points)
	if n == 0 {
		return noCoordinates
	}
	switch {
	case f.kind == polygonFigure, f.kind == ringFigure && n > 3 && f.points[0] == f.points[n-1]:
		polygon := b.polygonOf(f)
		if polygon == nil {
			return newError(RingTooShort, "its boundary has fewer than three distinct points")
		}
		p.Geometry = polygon
	case f.kind == pointFigure || n == 1:
		p.Geometry = f.points[0]
	default:
		line := orb.LineString(f.points)
		p.Geometry = line
		p.Length = LengthOf(line)
	}
	return nil
}

// remark measures polygons and warns about what is odd in a geometry.
func (b *resultBuilder) remark(f rawFigure, p *Placemark) {
	switch g := p.Geometry.(type) {
	case orb.Point:
		if len(f.points) > 1 {
			b.warnPlacemark(ExtraPoints, "the point has %d coordinates; only the first is used", len(f.points))
		} else if f.kind != pointFigure {
			b.warnPlacemark(SinglePoint, "a line with one position was read as a point")
		}
	case orb.Polygon:
		b.remarkPolygon(p, g)
	}
}

func (b *resultBuilder) remarkPolygon(p *Placemark, g orb.Polygon) {
	var polar bool
	b.bounded = len(b.res.Placemarks) + 1
	if p.Area, polar, b.bound = polygonArea(g); polar {
		b.warnPlacemark(RoundAPole, "the boundary encloses a pole; check its area")
	} else if odd := b.crossing.checkRing(g[0], b.bound); odd != nil {
		b.warnPlacemark(odd.Code, "%s", odd.Message)
	}
	switch holes := len(g) - 1; {
	case holes == 1:
		b.warnPlacemark(HolesIgnored, "the hole is subtracted from the area; the boundary does not show it")
	case holes > 1:
		b.warnPlacemark(
			HolesIgnored,
			"%d holes are subtracted from the area; the boundary does not show them",
			holes,
		)
	}
}

// polygonOf closes the rings of a figure, nil where the boundary has fewer than
// three distinct points. Holes that have no area are left out.
func (b *resultBuilder) polygonOf(f rawFigure) orb.Polygon {
	var rings orb.Polygon
	for i, points := range append([][]orb.Point{f.points}, f.holes...) {
		if ring := closeRing(points); ring != nil {
			rings = append(rings, ring)
		} else if i == 0 {
			return nil
		}
	}
	return rings
}

// closeRing returns a ring that ends where it starts, nil where it has fewer than
// three distinct points.
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

// resultMark is how far the result has come.
type resultMark struct{ placemarks, warnings int }

// resultSpan is the placemarks and warnings that came of a part of a file.
type resultSpan struct{ from, to resultMark }

func (b *resultBuilder) currentMark() resultMark {
	return resultMark{len(b.res.Placemarks), len(b.res.Warnings)}
}

// finishPlacemark names what was added of the placemark, and says where it is.
func (b *resultBuilder) finishPlacemark() {
	b.attachWarnings()
	place := func(p *Placemark, index int) {
		p.Country, p.City = b.country, b.city
		if !b.opts.NoPlaces {
			b.suggestPlace(p, index)
		}
	}
	warnings := b.res.Warnings[b.since.warnings:]
	for i := b.since.placemarks; i < len(b.res.Placemarks); i++ {
		place(&b.res.Placemarks[i], i)
	}
	for _, w := range warnings {
		if w.Fixed != nil {
			place(w.Fixed, -1)
		}
	}
	b.renamePlacemarks(resultSpan{b.since, b.currentMark()}, b.name)
}

// attachWarnings makes warnings that came after the last part of the placemark, such as
// warnings about its city, warnings about that part.
func (b *resultBuilder) attachWarnings() {
	last := len(b.res.Placemarks) - 1
	if last < b.since.placemarks {
		last = -1
	}
	for i := b.since.warnings; i < len(b.res.Warnings); i++ {
		if w := &b.res.Warnings[i]; w.Index >= len(b.res.Placemarks) {
			w.Index = last
		}
	}
}

// detachWarnings keeps warnings about the placemark from being taken for warnings
// about the one that is added next.
func (b *resultBuilder) detachWarnings() {
	for i := b.since.warnings; i < len(b.res.Warnings); i++ {
		w := &b.res.Warnings[i]
		w.Index, w.Placemark = -1, b.name
	}
}

// renamePlacemarks gives placemarks a name, with a number behind it where they are
// several parts, and the warnings about what was skipped the name itself.
func (b *resultBuilder) renamePlacemarks(s resultSpan, name string) {
	parts := b.res.Placemarks[s.from.placemarks:s.to.placemarks]
	for i := range parts {
		if parts[i].Name = name; len(parts) > 1 {
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

// numberedName returns a name with a number behind it.
func (b *resultBuilder) numberedName(name string, n int) string {
	suffix := " (" + strconv.Itoa(n) + ")"
	return b.concatText(string(cutRunes([]byte(name), maxLabel-len(suffix))), suffix)
}

// concatText makes one text of several, of which a file may need thousands.
func (b *resultBuilder) concatText(parts ...string) string {
	b.label = b.label[:0]
	for _, s := range parts {
		b.label = append(b.label, s...)
	}
	return b.names.makeString(b.label)
}

// makeName makes a name of raw text, "" where nothing is left of it.
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

// moreWarnings says how many warnings are not listed.
func (b *resultBuilder) moreWarnings() string {
	switch {
	case !b.unchecked:
		return fmt.Sprintf("%d more warnings", b.left)
	case b.left == 0:
		return "more warnings possible"
	default:
		return fmt.Sprintf("at least %d more warnings", b.left)
	}
}

// finishResult returns the result, with an error where nothing of the file is usable,
// or none where there is nothing in it.
func (b *resultBuilder) finishResult(none *Error) (*Result, *Error) {
	if b.stop != nil {
		return nil, b.stop
	}
	b.dropZeroes()
	b.res.Warnings = append(b.conversionWarnings(), b.res.Warnings...)
	if b.left > 0 || b.unchecked {
		b.res.Warnings = append(b.res.Warnings, Warning{
			Code:    MoreWarnings,
			Index:   -1,
			Message: b.moreWarnings(),
		})
	}
	if len(b.res.Placemarks) > 0 {
		return b.res, nil
	}
	for _, w := range b.res.Warnings {
		if w.Skipped {
			return b.res, newError(
				NothingUsable,
				"no usable placemarks: %d skipped, for example %s",
				b.res.Skipped,
				w,
			)
		}
	}
	return b.res, none
}

// textArena makes strings in blocks that grow with what was used.
type textArena struct {
	block strings.Builder
	size  int
}

// makeString returns b as a string.
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
