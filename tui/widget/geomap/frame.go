package geomap

import (
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"flightdesk/tui/format"
)

// cellFrame is a rectangle of cells being drawn. It reuses its memory for every drawing.
type cellFrame struct {
	w, h   int
	glyphs Glyphs
	cells  []mapCell

	line  orb.LineString // buffer of dotsOf
	rows  [][]float64    // x positions of the rings' crossings by row; see addCrossings
	first int            // first row with crossings
	last  int            // last row with crossings
	size  int            // expected size of String in bytes
}

// mapCell is the content of a cell.
type mapCell struct {
	dots uint8   // bit 2*row + column for each of the 8 dots
	ink  cellInk // of the dots or the text
	back cellTint
	text string // drawn instead of the dots, or ""
	rest bool   // the second cell of a wide character
	hit  int32  // index of the item drawn here plus 1
	mark int32  // index of the mark that occupies the cell plus 1; see addMark
}

func (f *cellFrame) reset(w, h int) {
	f.w, f.h, f.first, f.last = w, h, h, -1
	f.cells = slices.Grow(f.cells[:0], w*h)[:w*h]
	clear(f.cells)
	for len(f.rows) < h {
		f.rows = append(f.rows, nil)
	}
}

// hitAt returns the index of the item drawn in a cell, or -1.
func (f *cellFrame) hitAt(x, y int) int {
	if x < 0 || y < 0 || x >= f.w || y >= f.h {
		return -1
	}
	return int(f.cells[y*f.w+x].hit) - 1
}

// setDot sets a dot. hit is the index of its item plus 1, or 0.
func (f *cellFrame) setDot(x, y int, i cellInk, hit int32) {
	if uint(x) >= uint(f.w*dotsX) || uint(y) >= uint(f.h*dotsY) {
		return
	}
	c := &f.cells[(y>>2)*f.w+x>>1]
	if i.rank() < c.ink.rank() {
		return
	}
	if i.rank() > c.ink.rank() {
		c.dots = 0
	}
	c.ink = max(i, c.ink)
	c.dots |= 1 << ((y&3)<<1 | x&1)
	if hit > 0 {
		c.hit = hit
	}
}

// dotsOf converts projected points to dots and leaves out points less than a dot from the
// previous one. The result is valid until the next call.
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

// drawPath draws the visible part of a line and reports whether there is any.
func (f *cellFrame) drawPath(line orb.LineString, t *paneMap, i cellInk, hit int32) bool {
	lines := clip.LineString(t.pane, line)
	for _, line := range lines {
		for k := 1; k < len(line); k++ {
			f.drawSegment(line[k-1], line[k], i, hit)
		}
	}
	return len(lines) > 0
}

// drawSegment draws a line with Bresenham's algorithm. Most segments are one or two dots.
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

// addCrossings records where a ring crosses the middle of each row of cells, at dot
// dotsY*row + 2.
func (f *cellFrame) addCrossings(ring orb.LineString) {
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

// fillRings tints the cells whose middle is inside the recorded rings (even-odd rule),
// except cells of the item's outline, because the tint would extend beyond the outline. It
// clears the recorded crossings.
func (f *cellFrame) fillRings(pane orb.Bound, back cellTint, hit int32) {
	for row := f.first; row <= f.last; row++ {
		xs := f.rows[row]
		slices.Sort(xs)
		for k := 0; k+1 < len(xs); k += 2 {
			from := int(math.Ceil((max(xs[k], pane.Min[0]) - 1) / dotsX))
			to := int(math.Floor((min(xs[k+1], pane.Max[0]) - 1) / dotsX))
			for at := row*f.w + max(from, 0); at <= row*f.w+min(to, f.w-1); at++ {
				c := &f.cells[at]
				if back >= c.back && (c.dots == 0 || c.hit != hit) {
					c.back, c.hit = back, hit
				}
			}
		}
		f.rows[row] = xs[:0]
	}
	f.first, f.last = f.h, -1
}

// writeText writes text that must fit into the row.
func (f *cellFrame) writeText(x, y int, text string, i cellInk, hit int32) {
	cells := f.cells[y*f.w+x:]
	for part, width := range clustersOf(text) {
		if f.glyphs == ASCII {
			if part = drawASCII(part); len(part) != width {
				part = strings.Repeat("?", width)
			}
		}
		for k := range width {
			c := &cells[k]
			c.text, c.rest, c.ink = part, k > 0, i
			if hit > 0 {
				c.hit = hit
			}
		}
		cells = cells[width:]
	}
}

// writeMark writes text of a mark if there is room.
func (f *cellFrame) writeMark(x, y int, text string, i cellInk, hit int32) {
	if f.isFree(x, y, format.Width(text), 0, false) {
		f.writeText(x, y, text, i, hit)
	}
}

// writeLabel writes text and clears the base map in the cells next to it.
func (f *cellFrame) writeLabel(x, y int, text string, i cellInk, hit int32) {
	for _, k := range [...]int{x - 1, x + format.Width(text)} {
		if k < 0 || k >= f.w {
			continue
		}
		if c := &f.cells[y*f.w+k]; c.text == "" && c.ink.rank() <= inkCoast.rank() {
			c.dots = 0
		}
	}
	f.writeText(x, y, text, i, hit)
}

// writeFree writes a label if there is room for it with so many free cells on each side.
// It reports whether there was.
func (f *cellFrame) writeFree(x, y int, text string, beside int, i cellInk) bool {
	free := f.isFree(x, y, format.Width(text), beside, true)
	if free {
		f.writeLabel(x, y, text, i, 0)
	}
	return free
}

// isFree reports whether cells are in the pane and no text is in them or within so many
// cells beside them. If clear is set, the cells must also have no dots of a feature.
func (f *cellFrame) isFree(x, y, width, beside int, clear bool) bool {
	if x < 0 || y < 0 || y >= f.h || x+width > f.w {
		return false
	}
	for k := max(x-beside, 0); k < min(x+width+beside, f.w); k++ {
		c := &f.cells[y*f.w+k]
		within := clear && k >= x && k < x+width
		if c.text != "" || within && c.dots != 0 && c.ink.rank() > inkCoast.rank() {
			return false
		}
	}
	return true
}

// String returns the cells as lines with escape sequences around runs of the same style.
func (f *cellFrame) String(p *inkPalette) string {
	var b strings.Builder
	b.Grow(f.size)
	for y := range f.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		var look mapCell
		for x, c := range f.cells[y*f.w : (y+1)*f.w] {
			if c.rest {
				continue
			}
			if c.text == "" && c.dots == 0 {
				c.ink = inkNone
			}
			if c.ink != look.ink || c.back != look.back {
				b.WriteString(p.off[look.ink][look.back])
				b.WriteString(p.on[c.ink][c.back])
				look = c
			}
			switch {
			case c.text != "":
				b.WriteString(c.text)
			case c.dots == 0 && c.back == tintSelected && p.dotted && (x+y)%2 == 0:
				b.WriteString("·")
			default:
				b.WriteRune(f.glyphs.glyphOf(c.dots))
			}
		}
		b.WriteString(p.off[look.ink][look.back])
	}
	f.size = b.Len() + b.Len()/8
	return b.String()
}

// isSeen reports whether a projected bound intersects the pane, and returns the longer
// side of the bound in dots.
func (t *paneMap) isSeen(b orb.Bound) (seen bool, size float64) {
	box := t.boundOf(b)
	return t.pane.Intersects(box), max(box.Right()-box.Left(), box.Top()-box.Bottom())
}
