package geomap

import (
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"flightdesk/tui/format"
)

// cellFrame is a rectangle of cells into which a map is drawn. It reuses its memory for every drawing.
type cellFrame struct {
	w, h   int
	glyphs Glyphs
	cells  []mapCell
	dashed bool // leaves gaps between the dots that are set

	line  orb.LineString // buffer of dotsOf
	rows  [][]float64    // by row of cells, the x positions at which rings cross the row; see addCrossings
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
	tail bool   // the right half of a wide character, whose text is in the cell before
	hit  int32  // 1 more than the index of the item drawn here, or 0 for none; see hitOf
	mark int32  // 1 more than the index of the mark in this cell, or 0 for none; see addMark
}

// reset clears the frame and sets its size.
func (f *cellFrame) reset(w, h int) {
	f.w = w
	f.h = h
	f.first = h
	f.last = -1
	f.cells = slices.Grow(f.cells[:0], w*h)[:w*h]
	clear(f.cells)
	for len(f.rows) < h {
		f.rows = append(f.rows, nil)
	}
}

// clearRow removes everything that is drawn in row y.
func (f *cellFrame) clearRow(y int) { clear(f.cells[y*f.w : (y+1)*f.w]) }

// isEmpty reports whether nothing is drawn in a cell.
func (f *cellFrame) isEmpty(x, y int) bool {
	c := &f.cells[y*f.w+x]
	return c.text == "" && c.dots == 0 && c.back == tintNone
}

// hitAt returns the index of the item drawn in a cell, or -1.
func (f *cellFrame) hitAt(x, y int) int {
	if x < 0 || y < 0 || x >= f.w || y >= f.h {
		return -1
	}
	return int(f.cells[y*f.w+x].hit) - 1
}

// setDot sets the dot in column x and row y, if it is inside the frame. hit is the index of the item that the dot
// belongs to plus 1, or 0. All dots of a cell have the same ink. If the cell has dots of another ink, mixInk decides
// which of them are drawn.
func (f *cellFrame) setDot(x, y int, ink cellInk, hit int32) {
	isInside := x >= 0 && x < f.w*dotsX && y >= 0 && y < f.h*dotsY
	if !isInside {
		return
	}
	column := x / dotsX
	row := y / dotsY
	isGap := f.dashed && (column+row)%3 == 0
	if isGap {
		return
	}
	c := &f.cells[row*f.w+column]
	isSameInk := ink == c.ink // as most dots, which are next to a dot of the same line
	if !isSameInk && !c.mixInk(ink) {
		return
	}
	columnInCell := x - column*dotsX
	rowInCell := y - row*dotsY
	c.dots |= 1 << (rowInCell*dotsX + columnInCell)
	if hit > 0 {
		c.hit = hit
	}
}

// mixInk prepares a cell for a dot of another ink (colour). Inks have ranks, see rank. If the new ink has a lower
// rank, mixInk returns false and the dot is not drawn. If it has a higher rank, the cell's dots are removed. If the
// ranks are equal, all dots of the cell get the greater of the two inks.
func (c *mapCell) mixInk(ink cellInk) bool {
	rank := ink.rank()
	drawnRank := c.ink.rank()
	switch {
	case rank < drawnRank:
		return false
	case rank > drawnRank:
		c.dots = 0
		c.ink = ink
	default:
		c.ink = max(ink, c.ink)
	}
	return true
}

// dotsOf converts projected points to dots and leaves out points less than a dot from the
// previous point. The first and the last point stay. The result is valid until the next call.
func (f *cellFrame) dotsOf(points []orb.Point, t *paneMap) orb.LineString {
	dots := f.line[:0]
	last := len(points) - 1
	var previous orb.Point
	for k, p := range points {
		dot := t.applyTo(p)
		isEnd := k == 0 || k == last
		if isEnd || math.Abs(dot[0]-previous[0]) >= 1 || math.Abs(dot[1]-previous[1]) >= 1 {
			previous = dot
			dots = append(dots, dot)
		}
	}
	f.line = dots
	return dots
}

// drawPath draws the visible part of a line and reports whether there is any. A line inside the pane, as most lines
// are, is drawn without clipping. Clipping would copy the line, and a frame with 2,000 outlines would take 50%
// longer.
func (f *cellFrame) drawPath(line orb.LineString, t *paneMap, i cellInk, hit int32) bool {
	if containsLine(t.pane, line) {
		f.drawLine(line, i, hit)
		return len(line) > 1
	}
	lines := clip.LineString(t.pane, line)
	for _, line := range lines {
		f.drawLine(line, i, hit)
	}
	return len(lines) > 0
}

// containsLine reports whether all points of a line are inside a bound.
func containsLine(bound orb.Bound, line orb.LineString) bool {
	for _, p := range line {
		if !bound.Contains(p) {
			return false
		}
	}
	return true
}

// drawLine draws a line that is inside the pane.
func (f *cellFrame) drawLine(line orb.LineString, i cellInk, hit int32) {
	for k := 1; k < len(line); k++ {
		f.drawSegment(line[k-1], line[k], i, hit)
	}
}

// drawSegment draws a line with Bresenham's algorithm. Most segments are one or two dots.
func (f *cellFrame) drawSegment(a, b orb.Point, i cellInk, hit int32) {
	x := int(a[0])
	y := int(a[1])
	endX := int(b[0])
	endY := int(b[1])
	f.setDot(endX, endY, i, hit)
	dx, stepX := distanceAndStep(x, endX)
	dy, stepY := distanceAndStep(y, endY)
	err := dx - dy
	for x != endX || y != endY {
		f.setDot(x, y, i, hit)
		doubled := 2 * err
		if doubled >= -dy {
			err -= dy
			x += stepX
		}
		if doubled <= dx {
			err += dx
			y += stepY
		}
	}
}

// distanceAndStep returns the distance between two positions, and the step from the first to the second: 1 or -1.
func distanceAndStep(from, to int) (distance, step int) {
	if to < from {
		return from - to, -1
	}
	return to - from, 1
}

// addCrossings records where a ring crosses the middle of each row of cells.
func (f *cellFrame) addCrossings(ring orb.LineString) {
	for k := 1; k < len(ring); k++ {
		from := ring[k-1]
		to := ring[k]
		if from[1] <= to[1] {
			f.addEdge(from, to)
		} else {
			f.addEdge(to, from)
		}
	}
}

// rowMiddle is the distance in dots from the upper edge of a row of cells to its middle.
const rowMiddle = dotsY / 2

// addEdge records the x positions, in dots, at which an edge of a ring crosses the middles of the rows between its
// upper and its lower end.
func (f *cellFrame) addEdge(upper, lower orb.Point) {
	first := math.Ceil(max((upper[1]-rowMiddle)/dotsY, 0))
	end := math.Ceil(min((lower[1]-rowMiddle)/dotsY, float64(f.h)))
	crossesRows := first < end // false if one of them is NaN
	if !crossesRows {
		return
	}
	slope := (lower[0] - upper[0]) / (lower[1] - upper[1])
	for row := int(first); row < int(end); row++ {
		middle := float64(row*dotsY + rowMiddle)
		f.rows[row] = append(f.rows[row], upper[0]+(middle-upper[1])*slope)
	}
	f.first = min(f.first, int(first))
	f.last = max(f.last, int(end)-1)
}

// fillRings tints the cells whose middle is inside the recorded rings (even-odd rule). It does not tint cells of
// the item's outline, because there the tint would extend beyond the outline. It clears the recorded crossings.
func (f *cellFrame) fillRings(pane orb.Bound, back cellTint, hit int32) {
	const columnMiddle = dotsX / 2 // in dots from the left edge of a cell
	for row := f.first; row <= f.last; row++ {
		crossings := f.rows[row]
		slices.Sort(crossings)
		for k := 0; k+1 < len(crossings); k += 2 {
			left := max(crossings[k], pane.Min[0])
			right := min(crossings[k+1], pane.Max[0])
			first := int(math.Ceil((left - columnMiddle) / dotsX))
			last := int(math.Floor((right - columnMiddle) / dotsX))
			f.tintCells(row, max(first, 0), min(last, f.w-1), back, hit)
		}
		f.rows[row] = crossings[:0]
	}
	f.first = f.h
	f.last = -1
}

// tintCells sets the tint (background) and the item of the cells of a row, from column first to column last. It skips
// two kinds of cells: cells with a greater tint, and cells with the item's outline. hit is the index of the item plus
// 1.
func (f *cellFrame) tintCells(row, first, last int, tint cellTint, hit int32) {
	for x := first; x <= last; x++ {
		c := &f.cells[row*f.w+x]
		isOutline := c.dots != 0 && c.hit == hit
		if tint >= c.back && !isOutline {
			c.back = tint
			c.hit = hit
		}
	}
}

// writeText writes text that must fit into the row.
func (f *cellFrame) writeText(x, y int, text string, ink cellInk, hit int32) {
	cells := f.cells[y*f.w+x:]
	for cluster, width := range clustersOf(text) {
		if f.glyphs == ASCII {
			cluster = asciiCluster(cluster, width)
		}
		writeCluster(cells[:width], cluster, ink, hit)
		cells = cells[width:]
	}
}

// writeCluster writes a grapheme cluster into the cells that it covers. The first cell draws it; the others are
// marked as tails, which draw nothing.
func writeCluster(cells []mapCell, cluster string, ink cellInk, hit int32) {
	for k := range cells {
		c := &cells[k]
		c.text = cluster
		c.tail = k > 0
		c.ink = ink
		if hit > 0 {
			c.hit = hit
		}
	}
}

// asciiCluster converts a grapheme cluster to an ASCII text of the same width. If there is none, it returns question
// marks.
func asciiCluster(cluster string, width int) string {
	text := drawASCII(cluster)
	if len(text) != width {
		return strings.Repeat("?", width)
	}
	return text
}

// writeMark writes the text of a mark, unless its cells have another text or are outside the frame.
func (f *cellFrame) writeMark(x, y int, text string, i cellInk, hit int32) {
	if f.isFree(x, y, format.Width(text), 0, anyLines) {
		f.writeText(x, y, text, i, hit)
	}
}

// writeLabel writes text and clears the base map in the cells next to it.
func (f *cellFrame) writeLabel(x, y int, text string, i cellInk, hit int32) {
	f.clearBase(x-1, y)
	f.clearBase(x+format.Width(text), y)
	f.writeText(x, y, text, i, hit)
}

// clearBase removes the base map from a cell. The cell may be outside the frame.
func (f *cellFrame) clearBase(x, y int) {
	if x < 0 || x >= f.w {
		return
	}
	c := &f.cells[y*f.w+x]
	if c.text == "" && c.ink.rank() <= inkCoast.rank() {
		c.dots = 0
	}
}

// writeFree writes a label if there is room for it and for a margin of free cells on each side. It reports whether
// it has written the label.
func (f *cellFrame) writeFree(x, y int, text string, margin int, i cellInk) bool {
	if !f.isFree(x, y, format.Width(text), margin, noLineUnder) {
		return false
	}
	f.writeLabel(x, y, text, i, 0)
	return true
}

// lineSpace says whether a text may cover or touch the lines of features.
type lineSpace int

const (
	anyLines    lineSpace = iota // the text may cover lines
	noLineUnder                  // no line is in the cells of the text
	noLineNear                   // no line is in the cells of the text and its margin
)

// isFree reports whether a text of width cells can be written at (x, y). The text must fit into the frame, and
// neither its cells nor the margin on both sides may have another text. space says whether they may have lines of
// features.
func (f *cellFrame) isFree(x, y, width, margin int, space lineSpace) bool {
	if x < 0 || y < 0 || y >= f.h || x+width > f.w {
		return false
	}
	for k := max(x-margin, 0); k < min(x+width+margin, f.w); k++ {
		c := &f.cells[y*f.w+k]
		if c.text != "" {
			return false
		}
		isInside := k >= x && k < x+width
		isAvoided := space == noLineNear || space == noLineUnder && isInside
		hasFeature := c.dots != 0 && c.ink.rank() > inkCoast.rank()
		if isAvoided && hasFeature {
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
		f.writeRow(&b, p, y)
	}
	f.size = b.Len() + b.Len()/8
	return b.String()
}

// writeRow writes the cells of a row. Consecutive cells with the same ink and tint are a run. Escape sequences set
// the colours only before and after each run.
func (f *cellFrame) writeRow(b *strings.Builder, p *inkPalette, y int) {
	runInk := inkNone
	runTint := tintNone
	for x := range f.w {
		c := &f.cells[y*f.w+x]
		if c.tail {
			continue // the cell before has written the wide character
		}
		ink := c.visibleInk()
		continuesRun := ink == runInk && c.back == runTint
		if !continuesRun {
			b.WriteString(p.off[runInk][runTint])
			b.WriteString(p.on[ink][c.back])
			runInk = ink
			runTint = c.back
		}
		f.writeCell(b, c, p.dotted && (x+y)%2 == 0)
	}
	b.WriteString(p.off[runInk][runTint])
}

// visibleInk returns the ink of a cell, or inkNone if it has neither text nor dots.
func (c *mapCell) visibleInk() cellInk {
	if c.text == "" && c.dots == 0 {
		return inkNone
	}
	return c.ink
}

// writeCell writes the text or the dots of a cell. If marksArea is set, an empty cell of the selected area gets a dot.
func (f *cellFrame) writeCell(b *strings.Builder, c *mapCell, marksArea bool) {
	isEmptyInArea := c.dots == 0 && c.back == tintSelected
	if c.text != "" {
		b.WriteString(c.text)
	} else if isEmptyInArea && marksArea {
		b.WriteString("·")
	} else {
		b.WriteRune(f.glyphs.glyphOf(c.dots))
	}
}

// isSeen reports whether a projected bound intersects the pane. It also returns the longer side of the bound, in
// dots.
func (t *paneMap) isSeen(b orb.Bound) (seen bool, size float64) {
	box := t.boundOf(b)
	return t.pane.Intersects(box), max(box.Right()-box.Left(), box.Top()-box.Bottom())
}
