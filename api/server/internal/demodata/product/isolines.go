package product

import "math"

// ContourGrid is a grid of heights, row by row from the north; NaN is no height.
type ContourGrid struct {
	Width, Height int
	Heights       []float32
}

// ContourPoint is a place on a grid: columns from the west, rows from the north.
type ContourPoint struct{ Column, Row float64 }

// Range returns the lowest and the highest height.
func (g *ContourGrid) Range() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, h := range g.Heights {
		if h == h { // a number
			low, high = min(low, float64(h)), max(high, float64(h))
		}
	}
	return low, high
}

// ContourInterval returns the step from line to line, 1, 2 or 5 times a power of ten,
// that makes about so many lines.
func ContourInterval(low, high float64, lines int) float64 {
	step := math.Max((high-low)/float64(lines), 0.01)
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, nice := range []float64{1, 2, 5} {
		if nice*power >= step*(1-1e-9) {
			return nice * power
		}
	}
	return 10 * power
}

// cellEdge is a side of a cell: between a node and the one east of it, or south.
type cellEdge int64

func (g *ContourGrid) eastEdge(column, row int) cellEdge { return cellEdge(2 * (row*g.Width + column)) }

func (g *ContourGrid) southEdge(column, row int) cellEdge { return g.eastEdge(column, row) + 1 }

// sides of a cell, clockwise.
const (
	top = iota
	right
	bottom
	left
)

// crossedEdges lists which sides a line joins, by the corners that are as high as the
// line: top left 1, top right 2, bottom right 4, bottom left 8. High corners
// across from each other are 5 and 10.
var crossedEdges = [16][][2]int{
	1: {{left, top}}, 2: {{top, right}}, 3: {{left, right}}, 4: {{right, bottom}}, 5: {{left, top}, {right, bottom}},
	6: {{top, bottom}}, 7: {{left, bottom}}, 8: {{bottom, left}}, 9: {{bottom, top}}, 10: {{top, right}, {bottom, left}},
	11: {{bottom, right}}, 12: {{right, left}}, 13: {{right, top}}, 14: {{top, left}},
}

// Lines returns the lines at a height, joined as far as they go. Closed ones
// end where they begin.
func (g *ContourGrid) Lines(height float64) [][]ContourPoint {
	next := map[cellEdge][2]cellEdge{} // the neighbours of each crossing, -1 where there is none
	var order []cellEdge
	join := func(a, b cellEdge) {
		have, ok := next[a]
		switch {
		case !ok:
			next[a] = [2]cellEdge{b, -1}
			order = append(order, a)
		default:
			next[a] = [2]cellEdge{have[0], b}
		}
	}
	for row := range g.Height - 1 {
		for column := range g.Width - 1 {
			for _, pair := range crossedEdges[g.highCorners(column, row, height)] {
				a, b := g.cellSide(column, row, pair[0]), g.cellSide(column, row, pair[1])
				join(a, b)
				join(b, a)
			}
		}
	}
	done := make(map[cellEdge]bool, len(next))
	var lines [][]ContourPoint
	for _, ends := range []bool{true, false} { // open lines first, from an end
		for _, e := range order {
			if !done[e] && (next[e][1] < 0 || !ends) {
				lines = append(lines, g.followLine(e, next, done, height))
			}
		}
	}
	return lines
}

// highCorners returns which corners of a cell are as high, 0 where one has no
// height.
func (g *ContourGrid) highCorners(column, row int, height float64) (set int) {
	at := row*g.Width + column
	for i, h := range [4]float32{g.Heights[at], g.Heights[at+1], g.Heights[at+g.Width+1], g.Heights[at+g.Width]} {
		if h != h {
			return 0
		}
		if float64(h) >= height {
			set |= 1 << i
		}
	}
	return set
}

func (g *ContourGrid) cellSide(column, row, side int) cellEdge {
	switch side {
	case top:
		return g.eastEdge(column, row)
	case bottom:
		return g.eastEdge(column, row+1)
	case left:
		return g.southEdge(column, row)
	default:
		return g.southEdge(column+1, row)
	}
}

// followLine goes along a line from a crossing.
func (g *ContourGrid) followLine(start cellEdge, next map[cellEdge][2]cellEdge, done map[cellEdge]bool, height float64) []ContourPoint {
	line := []ContourPoint{g.crossingPoint(start, height)}
	done[start] = true
	for e := next[start][0]; ; {
		line = append(line, g.crossingPoint(e, height))
		if done[e] {
			return line // closed
		}
		done[e] = true
		onward := next[e]
		switch {
		case !done[onward[0]]:
			e = onward[0]
		case onward[1] < 0:
			return line
		case !done[onward[1]]:
			e = onward[1]
		case len(line) > 2 && (onward[0] == start || onward[1] == start):
			e = start
		default:
			return line
		}
	}
}

// crossingPoint returns where a line meets an edge.
func (g *ContourGrid) crossingPoint(e cellEdge, height float64) ContourPoint {
	at := int(e / 2)
	p := ContourPoint{float64(at % g.Width), float64(at / g.Width)}
	other := at + 1
	if e%2 == 1 {
		other = at + g.Width
	}
	a, b := float64(g.Heights[at]), float64(g.Heights[other])
	t := (height - a) / (b - a)
	if e%2 == 1 {
		p.Row += t
	} else {
		p.Column += t
	}
	return p
}
