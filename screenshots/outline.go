package main

import "slices"

// unit is one pixel in the coordinates of an outline. Everything here counts
// in whole numbers, so that a picture is the same on every machine.
const unit = 64

const (
	curveSteps = 8  // straight pieces of a curve
	subRows    = 16 // lines on which the coverage of a row of pixels is measured
	full       = subRows * unit
)

// point is a place in an outline; y grows downwards.
type point struct{ x, y int }

// outline is a set of closed figures. What lies inside them by the non-zero
// winding rule is inked.
type outline struct {
	edges     []edge
	start, at point
}

type edge struct{ from, to point }

func (o *outline) moveTo(p point) {
	o.close()
	o.start, o.at = p, p
}

func (o *outline) lineTo(p point) {
	o.edges = append(o.edges, edge{o.at, p})
	o.at = p
}

func (o *outline) quadTo(c, p point) {
	from := o.at
	for i := 1; i <= curveSteps; i++ {
		j := curveSteps - i
		mix := func(a, b, c int) int { return (j*j*a + 2*i*j*b + i*i*c) / (curveSteps * curveSteps) }
		o.lineTo(point{mix(from.x, c.x, p.x), mix(from.y, c.y, p.y)})
	}
}

func (o *outline) cubeTo(c, d, p point) {
	from := o.at
	for i := 1; i <= curveSteps; i++ {
		j := curveSteps - i
		mix := func(a, b, c, d int) int {
			return (j*j*j*a + 3*i*j*j*b + 3*i*i*j*c + i*i*i*d) / (curveSteps * curveSteps * curveSteps)
		}
		o.lineTo(point{mix(from.x, c.x, d.x, p.x), mix(from.y, c.y, d.y, p.y)})
	}
}

func (o *outline) close() {
	if o.at != o.start {
		o.lineTo(o.start)
	}
}

func (o *outline) rect(x0, y0, x1, y1 int) {
	o.moveTo(point{x0, y0})
	o.lineTo(point{x1, y0})
	o.lineTo(point{x1, y1})
	o.lineTo(point{x0, y1})
	o.close()
}

// rounded adds a rectangle whose corners are quarter circles of radius r.
func (o *outline) rounded(x0, y0, x1, y1, r int) {
	k := r * 448 / 1000 // from the corner to the control point of a quarter circle
	o.moveTo(point{x0 + r, y0})
	o.lineTo(point{x1 - r, y0})
	o.cubeTo(point{x1 - k, y0}, point{x1, y0 + k}, point{x1, y0 + r})
	o.lineTo(point{x1, y1 - r})
	o.cubeTo(point{x1, y1 - k}, point{x1 - k, y1}, point{x1 - r, y1})
	o.lineTo(point{x0 + r, y1})
	o.cubeTo(point{x0 + k, y1}, point{x0, y1 - k}, point{x0, y1 - r})
	o.lineTo(point{x0, y0 + r})
	o.cubeTo(point{x0, y0 + k}, point{x0 + k, y0}, point{x0 + r, y0})
	o.close()
}

func (o *outline) circle(cx, cy, r int) { o.rounded(cx-r, cy-r, cx+r, cy+r, r) }

// mask says how far each pixel is inked, from 0 to full.
type mask struct {
	w, h int
	ink  []int
}

func (m mask) at(x, y int) int { return m.ink[y*m.w+x] }

// flat returns a mask with the same ink everywhere.
func flat(w, h, ink int) mask {
	return mask{w, h, slices.Repeat([]int{ink}, w*h)}
}

// mask measures the outline on w by h pixels from the origin. The rest is cut
// off.
func (o *outline) mask(w, h int) mask {
	o.close()
	m := mask{w, h, make([]int, w*h)}
	for sub := range h * subRows {
		y := sub*unit/subRows + unit/subRows/2
		row := m.ink[sub/subRows*w:][:w]
		winding, from := 0, 0
		for _, c := range o.crossings(y) {
			if winding != 0 {
				addSpan(row, from, c.x)
			}
			winding += c.turn
			from = c.x
		}
	}
	return m
}

type crossing struct{ x, turn int }

// crossings returns where the line at y meets the edges, from left to right.
func (o *outline) crossings(y int) []crossing {
	var cs []crossing
	for _, e := range o.edges {
		a, b, turn := e.from, e.to, 1
		if a.y > b.y {
			a, b, turn = b, a, -1
		}
		if y >= a.y && y < b.y {
			cs = append(cs, crossing{a.x + (y-a.y)*(b.x-a.x)/(b.y-a.y), turn})
		}
	}
	slices.SortFunc(cs, func(a, b crossing) int { return a.x - b.x })
	return cs
}

// addSpan inks a row of pixels from x0 to x1.
func addSpan(row []int, x0, x1 int) {
	x0, x1 = max(x0, 0), min(x1, len(row)*unit)
	for x0 < x1 {
		end := min(x1, (x0/unit+1)*unit)
		row[x0/unit] += end - x0
		x0 = end
	}
}
