package geomap

import (
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

// frame is a rectangle of cells being drawn. Its memory is kept from one
// drawing to the next.
type frame struct {
	w, h int
	dots []uint8 // eight of a cell, numbered by row and column
	ink  []ink   // of the dots, or of the text
	back []tint
	text []int32 // 0 none, -1 the second cell of a wide cluster, else texts index + 1
	hit  []int32 // item drawn there + 1

	line  []dot       // see dotted
	rows  [][]float64 // see cross
	first int         // of the rows that are crossed
	last  int

	texts   []string
	markers []int32 // cells that marks claim; see mark
	size    int     // bytes to expect of String
}

func (f *frame) reset(w, h int) {
	f.w, f.h = w, h
	f.first, f.last = h, -1
	n := w * h
	f.dots = zeroed(f.dots, n)
	f.ink = zeroed(f.ink, n)
	f.back = zeroed(f.back, n)
	f.text = zeroed(f.text, n)
	f.hit = zeroed(f.hit, n)
	f.markers = zeroed(f.markers, n)
	f.texts = f.texts[:0]
	for len(f.rows) < h {
		f.rows = append(f.rows, nil)
	}
}

// become makes a frame what another is that has no text.
func (f *frame) become(g *frame) {
	f.reset(g.w, g.h)
	copy(f.dots, g.dots)
	copy(f.ink, g.ink)
	copy(f.back, g.back)
	copy(f.hit, g.hit)
}

func zeroed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (f *frame) hitAt(x, y int) int {
	if x < 0 || y < 0 || x >= f.w || y >= f.h {
		return -1
	}
	return int(f.hit[y*f.w+x]) - 1
}

// set sets a dot. hit is the item it belongs to + 1, or 0.
func (f *frame) set(x, y int, i ink, hit int32) {
	if uint(x) >= uint(f.w*dotsX) || uint(y) >= uint(f.h*dotsY) {
		return
	}
	at := (y>>2)*f.w + x>>1
	bit := uint8(1) << ((y&3)<<1 | x&1)
	old := f.ink[at]
	if i != old {
		if ranks[i] < ranks[old] {
			return
		}
		if ranks[i] > ranks[old] {
			f.dots[at] = 0
		}
		f.ink[at] = max(i, old)
	}
	f.dots[at] |= bit
	if hit > 0 {
		f.hit[at] = hit
	}
}

// dotted maps points of the plane to dots and leaves out those nearer than a
// dot to the one before. The result is good until the next call.
func (f *frame) dotted(points []orb.Point, t *affine) []dot {
	out := f.line[:0]
	last := len(points) - 1
	var before dot
	for k, p := range points {
		x, y := t.apply(p)
		if dx, dy := x-before.x, y-before.y; k == 0 || k == last || dx >= 1 || dx <= -1 || dy >= 1 || dy <= -1 {
			before = dot{x, y}
			out = append(out, before)
		}
	}
	f.line = out
	return out
}

// dot is a position in the pane, in dots.
type dot struct{ x, y float64 }

// path draws a line, of which so much is in the pane, and reports whether
// anything was.
func (f *frame) path(line []dot, clip rect, v view, i ink, hit int32) bool {
	drawn := false
	for k := 1; k < len(line); k++ {
		a, b := line[k-1], line[k]
		if v != wholly {
			var ok bool
			if a.x, a.y, b.x, b.y, ok = clip.cut(a.x, a.y, b.x, b.y); !ok {
				continue
			}
		}
		f.segment(int(a.x), int(a.y), int(b.x), int(b.y), i, hit)
		drawn = true
	}
	return drawn
}

// segment is Bresenham's line. Most are a dot or two long.
func (f *frame) segment(x0, y0, x1, y1 int, i ink, hit int32) {
	f.set(x1, y1, i, hit)
	dx, dy, sx, sy := x1-x0, y0-y1, 1, 1
	if dx < 0 {
		dx, sx = -dx, -1
	}
	if dy > 0 {
		dy, sy = -dy, -1
	}
	for err := dx + dy; x0 != x1 || y0 != y1; {
		f.set(x0, y0, i, hit)
		e2 := 2 * err
		if e2 >= dy {
			err += dy
			x0 += sx
		}
		if e2 <= dx {
			err += dx
			y0 += sy
		}
	}
}

// cross notes where a ring crosses the middles of rows of cells, at dot
// 4 row + 2.
func (f *frame) cross(ring []dot) {
	top := float64(f.h)
	for k := 1; k < len(ring); k++ {
		a, b := ring[k-1], ring[k]
		if a.y > b.y {
			a, b = b, a
		}
		first := math.Ceil(max((a.y-2)/dotsY, 0))
		end := math.Ceil(min((b.y-2)/dotsY, top))
		if !(first < end) {
			continue
		}
		slope := (b.x - a.x) / (b.y - a.y)
		for row := int(first); row < int(end); row++ {
			f.rows[row] = append(f.rows[row], a.x+(float64(row*dotsY+2)-a.y)*slope)
			f.first, f.last = min(f.first, row), max(f.last, row)
		}
	}
}

// fill tints the cells whose middle is within the rings crossed, by even and
// odd, without those that the item's outline runs through: it would show beyond
// that.
func (f *frame) fill(clip rect, back tint, hit int32) {
	for row := f.first; row <= f.last; row++ {
		xs := f.rows[row]
		slices.Sort(xs)
		for k := 0; k+1 < len(xs); k += 2 {
			from := int(math.Ceil((max(xs[k], clip.x0) - 1) / dotsX))
			to := int(math.Floor((min(xs[k+1], clip.x1) - 1) / dotsX))
			for at := row*f.w + max(from, 0); at <= row*f.w+min(to, f.w-1); at++ {
				if f.dots[at] != 0 && f.hit[at] == hit {
					continue
				}
				if back >= f.back[at] {
					f.back[at], f.hit[at] = back, hit
				}
			}
		}
		f.rows[row] = xs[:0]
	}
	f.first, f.last = f.h, -1
}

// write puts clusters into a row; the caller has seen to it that they fit.
func (f *frame) write(x, y int, cs []cluster, i ink, hit int32) {
	at := y*f.w + x
	for _, c := range cs {
		f.texts = append(f.texts, c.text)
		f.text[at] = int32(len(f.texts))
		for k := range c.width {
			f.ink[at+k] = i
			if hit > 0 {
				f.hit[at+k] = hit
			}
			if k > 0 {
				f.text[at+k] = -1
			}
		}
		at += c.width
	}
}

// label writes clusters and clears the base map beside them.
func (f *frame) label(x, y int, cs []cluster, i ink, hit int32) {
	w := widthOf(cs)
	for _, k := range [...]int{x - 1, x + w} {
		if k >= 0 && k < f.w && f.text[y*f.w+k] == 0 && f.ink[y*f.w+k].rank() <= inkCoast.rank() {
			f.dots[y*f.w+k] = 0
		}
	}
	f.write(x, y, cs, i, hit)
}

// fits reports whether cells are in the pane, with no text in them nor within
// so many cells beside them, and, if clear, no dots of a feature.
func (f *frame) fits(x, y, width, beside int, clear bool) bool {
	if x < 0 || y < 0 || y >= f.h || x+width > f.w {
		return false
	}
	row := y * f.w
	for k := max(x-beside, 0); k < min(x+width+beside, f.w); k++ {
		if f.text[row+k] != 0 {
			return false
		}
		if clear && k >= x && k < x+width && f.dots[row+k] != 0 && f.ink[row+k].rank() > inkCoast.rank() {
			return false
		}
	}
	return true
}

// String returns the cells as lines with escape sequences round every run of
// cells of one look.
func (f *frame) String(p *palette, g Glyphs) string {
	glyph := glyphTable(g)
	var b strings.Builder
	b.Grow(f.size)
	for y := range f.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		var lookInk ink
		var lookBack tint
		for x := range f.w {
			at := y*f.w + x
			if f.text[at] < 0 {
				continue
			}
			i, t := f.ink[at], f.back[at]
			if f.text[at] == 0 && f.dots[at] == 0 {
				i = inkNone
			}
			if i != lookInk || t != lookBack {
				b.WriteString(p.off[lookInk][lookBack])
				b.WriteString(p.on[i][t])
				lookInk, lookBack = i, t
			}
			switch {
			case f.text[at] > 0:
				b.WriteString(f.texts[f.text[at]-1])
			case f.dots[at] == 0 && t == tintSelected && p.dotted && (x+y)%2 == 0:
				b.WriteString(glyph.tint)
			default:
				b.WriteString(glyph.dots[f.dots[at]])
			}
		}
		b.WriteString(p.off[lookInk][lookBack])
	}
	f.size = b.Len() + b.Len()/8
	return b.String()
}

// rect is a part of the pane in dots.
type rect struct{ x0, y0, x1, y1 float64 }

// cut returns what of a segment lies in the rectangle (Liang and Barsky).
func (r rect) cut(x0, y0, x1, y1 float64) (ax, ay, bx, by float64, ok bool) {
	dx, dy := x1-x0, y1-y0
	from, to := 0.0, 1.0
	for _, e := range [...][2]float64{{-dx, x0 - r.x0}, {dx, r.x1 - x0}, {-dy, y0 - r.y0}, {dy, r.y1 - y0}} {
		p, q := e[0], e[1]
		switch {
		case p == 0 && q < 0:
			return 0, 0, 0, 0, false
		case p < 0:
			from = max(from, q/p)
		case p > 0:
			to = min(to, q/p)
		}
	}
	if !(from <= to) {
		return 0, 0, 0, 0, false
	}
	return x0 + from*dx, y0 + from*dy, x0 + to*dx, y0 + to*dy, true
}

// view is how much of something is in the pane.
type view uint8

const (
	outside view = iota
	partly
	wholly
)

// meets returns how much of a bound of the plane may be in the rectangle, and
// the longer side of its box in dots.
func (r rect) meets(b orb.Bound, t *affine) (v view, size float64) {
	ax, ay := t.apply(b.Min)
	bx, by := t.apply(b.Max)
	x0, x1, y0, y1 := min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
	if t.b != 0 || t.d != 0 { // turned: the other corners count as well
		cx, cy := t.apply(orb.Point{b.Min[0], b.Max[1]})
		dx, dy := t.apply(orb.Point{b.Max[0], b.Min[1]})
		x0, x1 = min(x0, cx, dx), max(x1, cx, dx)
		y0, y1 = min(y0, cy, dy), max(y1, cy, dy)
	}
	size = max(x1-x0, y1-y0)
	switch {
	case !(x0 <= r.x1 && x1 >= r.x0 && y0 <= r.y1 && y1 >= r.y0):
		return outside, size
	case x0 >= r.x0 && x1 <= r.x1 && y0 >= r.y0 && y1 <= r.y1:
		return wholly, size
	default:
		return partly, size
	}
}
