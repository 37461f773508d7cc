package product

import (
	"math"
	"slices"

	"flightdesk/api"
)

// Metres around what has no area of its own.
const (
	corridorHalf = 30.0 // to each side of a line
	assetHalf    = 40.0 // from the middle of the square around an asset to its sides
)

// RowSpan is what of a row is covered, from and to metres east of the origin.
type RowSpan struct{ From, To float64 }

// Ground is the ground that a mission covers, in a frame.
type Ground struct {
	Frame
	MinX, MinY, MaxX, MaxY float64
	Area                   float64      // square metres
	Sites                  [][2]float64 // the mission's points
	Assets                 bool         // the points are single things

	ring bool // the points enclose an area
	line bool // the points are a line
	thin bool // the area has next to none
}

// NewGround returns the ground of a mission's location, which has a point or more.
func NewGround(kind api.MissionType, location []api.Point) *Ground {
	g := &Ground{Frame: NewFrame(location)}
	for _, p := range location {
		x, y := g.Metres(p)
		g.Sites = append(g.Sites, [2]float64{x, y})
	}
	g.ring, g.line = kind == api.MissionArea, kind == api.MissionLinear
	g.Assets = !g.ring && !g.line
	g.setBounds(0)
	if g.ring {
		g.measureGround()
		if extent := max(g.MaxX-g.MinX, g.MaxY-g.MinY); len(location) < 3 || g.Area < 1 || g.Area < extent*extent*1e-4 {
			g.thin = true
		}
	}
	switch {
	case g.line, g.thin:
		g.setBounds(corridorHalf)
	case g.Assets:
		g.setBounds(assetHalf)
	}
	g.measureGround()
	return g
}

func (g *Ground) setBounds(margin float64) {
	g.MinX, g.MinY, g.MaxX, g.MaxY = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, s := range g.Sites {
		g.MinX, g.MaxX = min(g.MinX, s[0]-margin), max(g.MaxX, s[0]+margin)
		g.MinY, g.MaxY = min(g.MinY, s[1]-margin), max(g.MaxY, s[1]+margin)
	}
}

// measureGround works the covered area out from rows.
func (g *Ground) measureGround() {
	const rows = 128
	step := (g.MaxY - g.MinY) / rows
	g.Area = 0
	for i := range rows {
		for _, s := range g.Row(g.MinY+(float64(i)+0.5)*step, 0) {
			g.Area += (s.To - s.From) * step
		}
	}
}

// Extent returns the longer side of the ground's box, in metres.
func (g *Ground) Extent() float64 { return max(g.MaxX-g.MinX, g.MaxY-g.MinY) }

// Row returns what is covered at y metres north, from west to east. What has
// no area of its own is at least a pixel of the given size wide.
func (g *Ground) Row(y, pixel float64) []RowSpan {
	var spans []RowSpan
	switch {
	case g.ring:
		spans = g.edgeCrossings(y)
		if g.thin {
			spans = append(spans, g.capsuleSpans(y, max(corridorHalf, 0.75*pixel))...)
		} else if g.Area < 3*pixel*g.Extent() {
			spans = append(spans, g.capsuleSpans(y, 0.75*pixel)...)
		}
	case g.line:
		spans = g.capsuleSpans(y, max(corridorHalf, 0.75*pixel))
	default:
		half := max(assetHalf, 0.75*pixel)
		for _, s := range g.Sites {
			if math.Abs(y-s[1]) <= half {
				spans = append(spans, RowSpan{s[0] - half, s[0] + half})
			}
		}
	}
	return joinSpans(spans)
}

// edgeCrossings pairs the places where a row meets the ring.
func (g *Ground) edgeCrossings(y float64) []RowSpan {
	var at []float64
	a := g.Sites[len(g.Sites)-1]
	for _, b := range g.Sites {
		if (a[1] > y) != (b[1] > y) {
			at = append(at, a[0]+(y-a[1])/(b[1]-a[1])*(b[0]-a[0]))
		}
		a = b
	}
	slices.Sort(at)
	var spans []RowSpan
	for i := 0; i+1 < len(at); i += 2 {
		spans = append(spans, RowSpan{at[i], at[i+1]})
	}
	return spans
}

// capsuleSpans returns where a row is within half metres of the line, or of the
// ring.
func (g *Ground) capsuleSpans(y, half float64) []RowSpan {
	var spans []RowSpan
	for i := range g.Sites {
		a := g.Sites[max(i-1, 0)]
		if i == 0 && g.ring {
			a = g.Sites[len(g.Sites)-1]
		}
		if s, ok := capsuleSpan(a, g.Sites[i], y, half); ok {
			spans = append(spans, s)
		}
	}
	return spans
}

// capsuleSpan returns where a row is within half metres of a stretch.
func capsuleSpan(a, b [2]float64, y, half float64) (RowSpan, bool) {
	if y < min(a[1], b[1])-half || y > max(a[1], b[1])+half {
		return RowSpan{}, false
	}
	s := RowSpan{math.Inf(1), math.Inf(-1)}
	widen := func(x float64) { s.From, s.To = min(s.From, x), max(s.To, x) }
	for _, end := range [][2]float64{a, b} {
		if d := y - end[1]; math.Abs(d) <= half {
			w := math.Sqrt(half*half - d*d)
			widen(end[0] - w)
			widen(end[0] + w)
		}
	}
	dx, dy := b[0]-a[0], b[1]-a[1]
	if length := math.Hypot(dx, dy); length > 0 {
		ox, oy := -dy/length*half, dx/length*half
		for _, side := range []float64{-1, 1} { // the long sides
			x0, y0, y1 := a[0]+side*ox, a[1]+side*oy, b[1]+side*oy
			if (y0 > y) != (y1 > y) {
				widen(x0 + (y-y0)/(y1-y0)*dx)
			}
		}
	}
	return s, s.From <= s.To
}

// joinSpans sorts spans and joins those that touch.
func joinSpans(spans []RowSpan) []RowSpan {
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b RowSpan) int {
		switch {
		case a.From < b.From:
			return -1
		case a.From > b.From:
			return 1
		}
		return 0
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.From <= last.To {
			last.To = max(last.To, s.To)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// SampleGrid lays square pixels over a ground.
type SampleGrid struct {
	*Ground
	Pixel         float64 // metres
	Width, Height int
	Left, Top     float64 // metres, of the corner
}

// Grid lays about so many pixels on the covered ground, none smaller than
// least metres. Ground that fills little of its box has fewer, so that the box
// has at most forty times as many, and no side more than 30,000.
func (g *Ground) Grid(pixels int, least float64) SampleGrid {
	const sparse, longest = 40, 30_000
	w, h := g.MaxX-g.MinX, g.MaxY-g.MinY
	most := float64(sparse * pixels)
	return g.layGrid(max(math.Sqrt(w*h/most), max(w, h)/min(longest, most), math.Sqrt(g.Area/float64(pixels)), least))
}

// Points returns Grid for what costs nothing where the ground is not covered.
func (g *Ground) Points(n int, least float64) SampleGrid {
	const longest = 1_000_000
	return g.layGrid(max(g.Extent()/longest, math.Sqrt(g.Area/float64(n)), least))
}

func (g *Ground) layGrid(p float64) SampleGrid {
	scale := math.Pow(10, math.Floor(math.Log10(p))-1)
	p = math.Ceil(p/scale-1e-9) * scale // two digits
	grid := SampleGrid{Ground: g, Pixel: p, Left: math.Floor(g.MinX/p) * p, Top: math.Ceil(g.MaxY/p) * p}
	grid.Width = max(1, int(math.Ceil((g.MaxX-grid.Left)/p)))
	grid.Height = max(1, int(math.Ceil((grid.Top-g.MinY)/p)))
	return grid
}

// X returns the middle of a column, metres east of the origin.
func (g SampleGrid) X(column int) float64 { return g.Left + (float64(column)+0.5)*g.Pixel }

// Y returns the middle of a row, metres north of the origin.
func (g SampleGrid) Y(row int) float64 { return g.Top - (float64(row)+0.5)*g.Pixel }

// Columns calls visit for the columns of a row whose middle is covered.
func (g SampleGrid) Columns(row int, visit func(column int)) {
	for _, s := range g.Row(g.Y(row), g.Pixel) {
		from := max(0, int(math.Ceil((s.From-g.Left)/g.Pixel-0.5)))
		to := min(g.Width-1, int(math.Floor((s.To-g.Left)/g.Pixel-0.5)))
		for c := from; c <= to; c++ {
			visit(c)
		}
	}
}
