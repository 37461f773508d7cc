package geomap

import (
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
)

// cellFrame is a rectangle of cells being drawn. Its memory is kept from one
// drawing to the next.
type cellFrame struct {
	w, h  int
	ascii bool
	dots  []uint8   // eight of a cell, numbered by row and column
	ink   []cellInk // of the dots, or of the text
	back  []cellTint
	text  []int32 // 0 none, -1 the second cell of a wide cluster, else texts index + 1
	hit   []int32 // item drawn there + 1

	line  orb.LineString // see dotsOf
	rows  [][]float64    // see noteCrossings
	first int            // of the rows that are crossed
	last  int

	texts   []string
	markers []int32 // cells that marks claim; see mark
	size    int     // bytes to expect of String
}

func (f *cellFrame) reset(w, h int) {
	f.w, f.h = w, h
	f.first, f.last = h, -1
	n := w * h
	f.dots = zeroedSlice(f.dots, n)
	f.ink = zeroedSlice(f.ink, n)
	f.back = zeroedSlice(f.back, n)
	f.text = zeroedSlice(f.text, n)
	f.hit = zeroedSlice(f.hit, n)
	f.markers = zeroedSlice(f.markers, n)
	f.texts = f.texts[:0]
	for len(f.rows) < h {
		f.rows = append(f.rows, nil)
	}
}

func zeroedSlice[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (f *cellFrame) hitAt(x, y int) int {
	if x < 0 || y < 0 || x >= f.w || y >= f.h {
		return -1
	}
	return int(f.hit[y*f.w+x]) - 1
}

// setDot sets a dot. hit is the item it belongs to + 1, or 0.
func (f *cellFrame) setDot(x, y int, i cellInk, hit int32) {
	if uint(x) >= uint(f.w*dotsX) || uint(y) >= uint(f.h*dotsY) {
		return
	}
	at := (y>>2)*f.w + x>>1
	bit := uint8(1) << ((y&3)<<1 | x&1)
	old := f.ink[at]
	if i != old {
		if i.rank() < old.rank() {
			return
		}
		if i.rank() > old.rank() {
			f.dots[at] = 0
		}
		f.ink[at] = max(i, old)
	}
	f.dots[at] |= bit
	if hit > 0 {
		f.hit[at] = hit
	}
}

// dotsOf maps points of the plane to dots and leaves out those nearer than a
// dot to the one before. The result is good until the next call.
func (f *cellFrame) dotsOf(points []orb.Point, t *paneMap) orb.LineString {
	out := f.line[:0]
	last := len(points) - 1
	var before orb.Point
	for k, p := range points {
		dot := t.applyTo(p)
		if k == 0 || k == last || math.Abs(dot[0]-before[0]) >= 1 || math.Abs(dot[1]-before[1]) >= 1 {
			before = dot
			out = append(out, dot)
		}
	}
	f.line = out
	return out
}

// drawPath draws what of a line is in the pane, wholly or in part, and reports whether
// anything was.
func (f *cellFrame) drawPath(line orb.LineString, t *paneMap, v visibility, i cellInk, hit int32) bool {
	lines := orb.MultiLineString{line}
	if v != wholly {
		lines = clip.LineString(t.pane, line)
	}
	for _, line := range lines {
		for k := 1; k < len(line); k++ {
			f.drawSegment(line[k-1], line[k], i, hit)
		}
	}
	return len(lines) > 0
}

// drawSegment draws Bresenham's line. Most are a dot or two long.
func (f *cellFrame) drawSegment(a, b orb.Point, i cellInk, hit int32) {
	x0, y0, x1, y1 := int(a[0]), int(a[1]), int(b[0]), int(b[1])
	f.setDot(x1, y1, i, hit)
	dx, dy, sx, sy := x1-x0, y0-y1, 1, 1
	if dx < 0 {
		dx, sx = -dx, -1
	}
	if dy > 0 {
		dy, sy = -dy, -1
	}
	for err := dx + dy; x0 != x1 || y0 != y1; {
		f.setDot(x0, y0, i, hit)
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

// noteCrossings notes where a ring crosses the middles of rows of cells, at dot
// 4 row + 2.
func (f *cellFrame) noteCrossings(ring orb.LineString) {
	top := float64(f.h)
	for k := 1; k < len(ring); k++ {
		a, b := ring[k-1], ring[k]
		if a[1] > b[1] {
			a, b = b, a
		}
		first := math.Ceil(max((a[1]-2)/dotsY, 0))
		end := math.Ceil(min((b[1]-2)/dotsY, top))
		if !(first < end) {
			continue
		}
		slope := (b[0] - a[0]) / (b[1] - a[1])
		for row := int(first); row < int(end); row++ {
			f.rows[row] = append(f.rows[row], a[0]+(float64(row*dotsY+2)-a[1])*slope)
			f.first, f.last = min(f.first, row), max(f.last, row)
		}
	}
}

// fillRings tints the cells whose middle is within the rings crossed, by even and
// odd, without those that the item's outline runs through: it would show beyond
// that.
func (f *cellFrame) fillRings(pane orb.Bound, back cellTint, hit int32) {
	for row := f.first; row <= f.last; row++ {
		xs := f.rows[row]
		slices.Sort(xs)
		for k := 0; k+1 < len(xs); k += 2 {
			from := int(math.Ceil((max(xs[k], pane.Min[0]) - 1) / dotsX))
			to := int(math.Floor((min(xs[k+1], pane.Max[0]) - 1) / dotsX))
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

// writeClusters puts clusters into a row; the caller has seen to it that they fit.
func (f *cellFrame) writeClusters(x, y int, cs []textCluster, i cellInk, hit int32) {
	at := y*f.w + x
	for _, c := range cs {
		text := c.text
		if f.ascii {
			text = drawASCII(text)
		}
		if f.ascii && len(text) != c.width {
			text = strings.Repeat("?", c.width)
		}
		f.texts = append(f.texts, text)
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

// writeLabel writes clusters and clears the base map beside them.
func (f *cellFrame) writeLabel(x, y int, cs []textCluster, i cellInk, hit int32) {
	w := widthOf(cs)
	for _, k := range [...]int{x - 1, x + w} {
		if k >= 0 && k < f.w && f.text[y*f.w+k] == 0 && f.ink[y*f.w+k].rank() <= inkCoast.rank() {
			f.dots[y*f.w+k] = 0
		}
	}
	f.writeClusters(x, y, cs, i, hit)
}

// isFree reports whether cells are in the pane, with no text in them nor within
// so many cells beside them, and, if clear, no dots of a feature.
func (f *cellFrame) isFree(x, y, width, beside int, clear bool) bool {
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
func (f *cellFrame) String(p *inkPalette, glyphs *glyphTable) string {
	var b strings.Builder
	b.Grow(f.size)
	for y := range f.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		var lookInk cellInk
		var lookBack cellTint
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
				b.WriteString("·")
			default:
				b.WriteString(glyphs[f.dots[at]])
			}
		}
		b.WriteString(p.off[lookInk][lookBack])
	}
	f.size = b.Len() + b.Len()/8
	return b.String()
}

// visibility is how much of something is in the pane.
type visibility uint8

const (
	outside visibility = iota
	partly
	wholly
)

// visibilityOf returns how much of a bound of the plane may be in the pane, and the longer
// side of its box in dots.
func (t *paneMap) visibilityOf(b orb.Bound) (v visibility, size float64) {
	box := t.boundOf(b)
	size = max(box.Max[0]-box.Min[0], box.Max[1]-box.Min[1])
	switch {
	case !t.pane.Intersects(box):
		return outside, size
	case t.pane.Contains(box.Min) && t.pane.Contains(box.Max):
		return wholly, size
	default:
		return partly, size
	}
}
