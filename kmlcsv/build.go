package kmlcsv

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
)

// builder makes the result of a file, of whichever kind.
type builder struct {
	opts Options
	res  *Result

	points    arena[orb.Point]
	rings     arena[orb.Ring]
	names     texts
	crossing  crossing
	countries statedCountries
	label     []byte // scratch

	progress func() float64 // the share of the file that is read

	waiting []unnamed // placemarks in folders, waiting for a name
	left    int       // warnings over the limit

	unchecked bool // there may be more of those
}

func newBuilder(opts Options, format Format) *builder {
	b := &builder{opts: opts, res: &Result{Format: format, Columns: EmptyColumns()}}
	b.crossing.left = crossChecks
	if b.opts.MaxWarnings <= 0 {
		b.opts.MaxWarnings = DefaultMaxWarnings
	}
	return b
}

// figure is a geometry as it was read, before it is checked.
type figure struct {
	kind   figureKind
	points []orb.Point
	holes  [][]orb.Point
	line   int
}

type figureKind uint8

const (
	pointFigure figureKind = iota
	lineFigure
	ringFigure // a line that is a polygon where it is closed
	polygonFigure
)

// warn adds a warning, or counts it where there are too many.
func (b *builder) warn(w Warning) {
	if w.Skipped {
		b.res.Skipped++
	}
	if b.full() {
		b.left++
		return
	}
	if n := len(b.res.Warnings); n == cap(b.res.Warnings) {
		b.res.Warnings = slices.Grow(b.res.Warnings, 1+min(max(n, 8), b.opts.MaxWarnings-n))
	}
	b.res.Warnings = append(b.res.Warnings, w)
}

// full reports whether further warnings are only counted, so that their
// messages need not be made.
func (b *builder) full() bool { return len(b.res.Warnings) >= b.opts.MaxWarnings }

// file warns about the file as a whole.
func (b *builder) file(code Code, format string, args ...any) {
	b.warn(Warning{Code: code, Index: -1, Message: fmt.Sprintf(format, args...)})
}

// note warns about the placemark that is added next.
func (b *builder) note(code Code, line int, message string) {
	b.warn(Warning{Code: code, Line: line, Index: len(b.res.Placemarks), Message: message})
}

// skip warns about a placemark, or a part of one, that is not added.
func (b *builder) skip(code Code, line int, message string, fixed *Placemark) {
	for i := len(b.res.Warnings) - 1; i >= 0 && b.res.Warnings[i].Index == len(b.res.Placemarks); i-- {
		b.res.Warnings[i].Index = -1 // it was about what is not added
	}
	b.warn(Warning{Code: code, Line: line, Index: -1, Message: message, Skipped: true, Fixed: fixed})
}

// reject skips a figure whose coordinates have a problem.
func (b *builder) reject(f figure, t *tuples) {
	var fixed *Placemark
	if t.fixed != nil && !b.full() {
		f.points, f.holes = t.fixed, nil
		if p, problem, _ := b.shape(f); problem == "" {
			fixed = &p
		}
	}
	b.skip(t.problem, f.line, t.message, fixed)
}

// add checks a figure and adds it as a placemark that is yet to be named.
func (b *builder) add(f figure) {
	p, problem, message := b.shape(f)
	if problem != "" {
		b.skip(problem, f.line, message, nil)
		return
	}
	b.remark(f, &p)
	b.grow()
	b.res.Placemarks = append(b.res.Placemarks, p)
}

// addPoint adds a point, of which there is nothing to check, as add does.
func (b *builder) addPoint(p orb.Point, line int) {
	b.grow()
	b.res.Placemarks = append(b.res.Placemarks, Placemark{Geometry: p, Line: line})
}

// grow makes room for a placemark, from the second time on for as many as the
// file will hold at this rate.
func (b *builder) grow() {
	n := len(b.res.Placemarks)
	if n < cap(b.res.Placemarks) {
		return
	}
	want := 64
	if n > 0 {
		want = max(n+n/2, int(float64(n)/b.progress()*1.02)+16)
	}
	room := make([]Placemark, n, want)
	copy(room, b.res.Placemarks)
	b.res.Placemarks = room
}

// shape makes the geometry of a figure and measures it.
func (b *builder) shape(f figure) (p Placemark, problem Code, message string) {
	p.Line = f.line
	n := len(f.points)
	if n == 0 {
		return p, CoordinatesMissing, "it has no coordinates"
	}
	switch {
	case f.kind == polygonFigure, f.kind == ringFigure && n > 3 && f.points[0] == f.points[n-1]:
		polygon := b.polygonOf(f)
		if polygon == nil {
			return p, RingTooShort, "its boundary has fewer than three distinct points"
		}
		p.Geometry = polygon
	case f.kind == pointFigure || n == 1:
		p.Geometry = f.points[0]
	default:
		line := orb.LineString(f.points)
		p.Geometry, p.Length = line, LengthOf(line)
	}
	return p, "", ""
}

// remark measures polygons and warns about what is odd in a geometry.
func (b *builder) remark(f figure, p *Placemark) {
	switch g := p.Geometry.(type) {
	case orb.Point:
		if len(f.points) > 1 {
			b.note(ExtraPoints, f.line, fmt.Sprintf("the point has %d coordinates; only the first is used", len(f.points)))
		} else if f.kind != pointFigure {
			b.note(SinglePoint, f.line, "a line with one position was read as a point")
		}
	case orb.Polygon:
		b.remarkPolygon(f, p, g)
	}
}

func (b *builder) remarkPolygon(f figure, p *Placemark, g orb.Polygon) {
	var polar bool
	if p.Area, polar = polygonArea(g); polar {
		b.note(RoundAPole, f.line, "the boundary encloses a pole; check its area")
	} else {
		b.remarkBoundary(f.line, g[0])
	}
	switch holes := len(g) - 1; {
	case holes == 1:
		b.note(HolesIgnored, f.line, "the hole is subtracted from the area; the boundary does not show it")
	case holes > 1:
		b.note(HolesIgnored, f.line, fmt.Sprintf("%d holes are subtracted from the area; the boundary does not show them", holes))
	}
}

func (b *builder) remarkBoundary(line int, ring orb.Ring) {
	switch b.crossing.check(ring) {
	case flat:
		b.note(ZeroArea, line, "the boundary encloses no area")
	case crosses:
		b.note(BoundaryCrosses, line, "the boundary crosses itself; its area is uncertain")
	case intricate:
		b.note(BoundaryNotChecked, line, "the boundary is too complex to check whether it crosses itself")
	}
}

// polygonOf closes the rings of a figure, nil where the boundary has fewer than
// three distinct points. Holes that have no area are left out.
func (b *builder) polygonOf(f figure) orb.Polygon {
	b.rings.reserve(1+len(f.holes), min(max(len(b.res.Placemarks), 64), 4096))
	rings := b.rings.open()
	if ring := closed(f.points); ring != nil {
		rings = append(rings, ring)
	} else {
		return nil
	}
	for _, hole := range f.holes {
		if ring := closed(hole); ring != nil {
			rings = append(rings, ring)
		}
	}
	return b.rings.close(rings)
}

// closed returns a ring that ends where it starts, nil where it has fewer than
// three distinct points.
func closed(points []orb.Point) orb.Ring {
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

// unnamed is a placemark without a name: the placemarks and warnings that came
// of it.
type unnamed struct{ placemarks, warnings span }

// mark is how far the result has come.
type mark struct{ placemarks, warnings int }

func (b *builder) mark() mark { return mark{len(b.res.Placemarks), len(b.res.Warnings)} }

// finish names what was added since a mark, and says where it is.
func (b *builder) finish(since mark, name, country, city string) {
	warnings := b.res.Warnings[since.warnings:]
	for i := since.placemarks; i < len(b.res.Placemarks); i++ {
		p := &b.res.Placemarks[i]
		p.Country, p.City = country, city
		if !b.opts.NoPlaces {
			b.locate(p, i)
		}
	}
	for i := range warnings {
		if fixed := warnings[i].Fixed; fixed != nil {
			fixed.Country, fixed.City = country, city
			if !b.opts.NoPlaces {
				b.locate(fixed, -1)
			}
		}
	}
	b.rename(span{since.placemarks, len(b.res.Placemarks)}, span{since.warnings, len(b.res.Warnings)}, name)
}

// rename gives placemarks a name, with a number behind it where they are
// several parts, and the warnings about what was skipped the name itself.
func (b *builder) rename(placemarks, warnings span, name string) {
	parts := placemarks.to - placemarks.from
	for i := range parts {
		p := &b.res.Placemarks[placemarks.from+i]
		if p.Name = name; parts > 1 {
			p.Name = b.numbered(name, i+1)
		}
	}
	for i := warnings.from; i < warnings.to; i++ {
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

// numbered returns a name with a number behind it.
func (b *builder) numbered(name string, n int) string {
	suffix := " (" + strconv.Itoa(n) + ")"
	b.label = append(cutRunes(append(b.label[:0], name...), maxLabel-len(suffix)), suffix...)
	return b.names.string(b.label)
}

// concat makes one text of several, of which a file may need thousands.
func (b *builder) concat(parts ...string) string {
	b.label = b.label[:0]
	for _, s := range parts {
		b.label = append(b.label, s...)
	}
	return b.names.string(b.label)
}

// name makes a name of raw text, "" where nothing is left of it.
func (b *builder) name(raw []byte, line int) string {
	raw = bytes.TrimSpace(raw)
	if tidy(raw) {
		return b.names.string(raw)
	}
	label, dropped, cut := tidyLabel(raw, b.label)
	b.label = label
	if dropped {
		b.note(CharactersDropped, line, "control characters were removed from the name")
	}
	if cut {
		b.note(NameCut, line, fmt.Sprintf("the name was cut to %d characters", maxLabel))
	}
	return b.names.string(label)
}

// more says how many warnings are not listed.
func (b *builder) more() string {
	switch {
	case !b.unchecked:
		return fmt.Sprintf("%d more warnings", b.left)
	case b.left == 0:
		return "more warnings possible"
	default:
		return fmt.Sprintf("at least %d more warnings", b.left)
	}
}

// done returns the result, with an error where nothing of the file is usable.
func (b *builder) done() (*Result, *Error) {
	if b.left > 0 || b.unchecked {
		b.res.Warnings = append(b.res.Warnings, Warning{Code: MoreWarnings, Index: -1, Message: b.more()})
	}
	if len(b.res.Placemarks) > 0 || b.res.Skipped == 0 {
		return b.res, nil
	}
	for _, w := range b.res.Warnings {
		if w.Skipped {
			return b.res, fail(NothingUsable, "no usable placemarks: %d skipped, for example %s", b.res.Skipped, w)
		}
	}
	return b.res, nil
}
