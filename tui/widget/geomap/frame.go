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

	texts   []string
	markers []int32 // cells that marks claim; see mark
	rows    [][]float64
}

func (f *frame) reset(w, h int) {
	f.w, f.h = w, h
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
	switch old := f.ink[at]; {
	case i.rank() > old.rank():
		f.dots[at], f.ink[at] = bit, i
	case i.rank() == old.rank():
		f.dots[at] |= bit
		f.ink[at] = max(old, i)
	default:
		return
	}
	if hit > 0 {
		f.hit[at] = hit
	}
}

// path draws points of the plane as a line. Points nearer than a dot to the
// one before are passed over. It reports whether anything was in the pane.
func (f *frame) path(points []orb.Point, t *affine, clip rect, i ink, hit int32) bool {
	if len(points) == 0 {
		return false
	}
	drawn := false
	x0, y0 := t.apply(points[0])
	for k, p := range points[1:] {
		x1, y1 := t.apply(p)
		if math.Abs(x1-x0) < 1 && math.Abs(y1-y0) < 1 && k+2 < len(points) {
			continue
		}
		if ax, ay, bx, by, ok := clip.cut(x0, y0, x1, y1); ok {
			f.segment(int(math.Floor(ax)), int(math.Floor(ay)), int(math.Floor(bx)), int(math.Floor(by)), i, hit)
			drawn = true
		}
		x0, y0 = x1, y1
	}
	return drawn
}

// segment is Bresenham's line.
func (f *frame) segment(x0, y0, x1, y1 int, i ink, hit int32) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := sign(x1-x0), sign(y1-y0)
	for err := dx + dy; ; {
		f.set(x0, y0, i, hit)
		if x0 == x1 && y0 == y1 {
			return
		}
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

// fill tints the cells whose middle is within the rings, by even and odd.
func (f *frame) fill(rings [][]orb.Point, t *affine, clip rect, back tint, hit int32) {
	first, last := f.h, -1
	for _, ring := range rings {
		for k := 1; k < len(ring); k++ {
			x0, y0 := t.apply(ring[k-1])
			x1, y1 := t.apply(ring[k])
			if y0 > y1 {
				x0, y0, x1, y1 = x1, y1, x0, y0
			}
			// Rows whose middle, at dot 4 row + 2, lies between the ends.
			from, to := max(math.Ceil((y0-2)/dotsY), 0), min(math.Ceil((y1-2)/dotsY), float64(f.h))
			for row := int(from); row < int(to) && from < to; row++ {
				y := float64(row*dotsY + 2)
				f.rows[row] = append(f.rows[row], x0+(y-y0)/(y1-y0)*(x1-x0))
				first, last = min(first, row), max(last, row)
			}
		}
	}
	for row := first; row <= last; row++ {
		xs := f.rows[row]
		slices.Sort(xs)
		for k := 0; k+1 < len(xs); k += 2 {
			from := math.Ceil((max(xs[k], clip.x0) - 1) / dotsX)
			to := math.Floor((min(xs[k+1], clip.x1) - 1) / dotsX)
			for x := max(from, 0); x <= min(to, float64(f.w-1)); x++ {
				at := row*f.w + int(x)
				if back >= f.back[at] {
					f.back[at], f.hit[at] = back, hit
				}
			}
		}
		f.rows[row] = xs[:0]
	}
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

// fits reports whether cells are in the pane, with no text in them nor right
// beside them, and, if clear, no dots of a feature.
func (f *frame) fits(x, y, width int, clear bool) bool {
	if x < 0 || y < 0 || y >= f.h || x+width > f.w {
		return false
	}
	row := y * f.w
	for k := max(x-1, 0); k < min(x+width+1, f.w); k++ {
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
	b.Grow(f.w*f.h*3 + f.h)
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
	return b.String()
}

// rect is a part of the pane in dots.
type rect struct{ x0, y0, x1, y1 float64 }

// cut returns what of a segment lies in the rectangle (Liang and Barsky).
func (r rect) cut(x0, y0, x1, y1 float64) (ax, ay, bx, by float64, ok bool) {
	if x0 >= r.x0 && x0 <= r.x1 && y0 >= r.y0 && y0 <= r.y1 &&
		x1 >= r.x0 && x1 <= r.x1 && y1 >= r.y0 && y1 <= r.y1 {
		return x0, y0, x1, y1, true
	}
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

// meets reports whether a bound of the plane may be in the rectangle, and the
// longer side of its box in dots.
func (r rect) meets(b orb.Bound, t *affine) (ok bool, size float64) {
	box := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, c := range [...]orb.Point{b.Min, b.Max, {b.Min[0], b.Max[1]}, {b.Max[0], b.Min[1]}} {
		x, y := t.apply(c)
		box.x0, box.x1 = min(box.x0, x), max(box.x1, x)
		box.y0, box.y1 = min(box.y0, y), max(box.y1, y)
	}
	ok = box.x0 <= r.x1 && box.x1 >= r.x0 && box.y0 <= r.y1 && box.y1 >= r.y0
	return ok, max(box.x1-box.x0, box.y1-box.y0)
}

func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}

func sign(v int) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	default:
		return 0
	}
}
