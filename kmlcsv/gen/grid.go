package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// The grid keeps coordinates as twice the hundred-thousandths of a degree from the
// south-west corner of the world. Vertices are even; positions asked for and the
// middles of cells are odd, so none of them ever is a vertex.
const (
	unitsPerDegree = 2e5
	unitsPerCell   = unitsPerDegree / cellsPerDegree
	blockCells     = 2 // to the side of a block
)

// middle returns the middle of a column or row of cells, made odd.
func middle(cell int64) int64 { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// border is an edge between country a and country b, or with b = 0 none.
// Countries are numbers from 1.
type border struct {
	ax, ay, bx, by int32
	a, b           uint8
}

// left reports whether a position is to the left of the way from the border's
// first end to its second. It is exact.
func (e *border) left(x, y int64) bool {
	return (int64(e.bx)-int64(e.ax))*(y-int64(e.ay))-(int64(e.by)-int64(e.ay))*(x-int64(e.ax)) > 0
}

// borders returns the edges of all arcs.
func (w *world) borders() (edges []border) {
	x := func(p point) int32 { return int32(2 * (p.x + 180e5)) }
	y := func(p point) int32 { return int32(2 * (p.y + 90e5)) }
	for _, arc := range w.arcs {
		for i, p := range arc.points[1:] {
			from := arc.points[i]
			edges = append(edges, border{x(from), y(from), x(p), y(p), uint8(arc.a + 1), uint8(arc.b + 1)})
		}
	}
	return edges
}

const (
	several = math.MaxUint8
	maxIDs  = 16 // countries in a cell
)

// grid is the parts of what gridOf writes. Sets of countries are bits: bit i stands
// for number i of the cell's, the smaller countries first.
type grid struct {
	blocks, cells, mixed, sets, edges []byte

	countMixed, countEdges int
	known                  map[[maxIDs]uint8]int // sets by their countries
}

// gridOf writes how large the parts are that follow: for each block of four cells
// their country, 0 for none, or several where they differ; for each cell in two
// bytes its country, or several plus its number among those with borders in it; for
// each of those in ten bytes its first border (4), how many there are (2), the
// countries that its middle is in (2) and its set of countries (2); the sets, in
// maxIDs bytes each; and the borders by cells in 18 bytes each: both ends (4 x 4) and
// the countries of which it is one (2). Numbers are little-endian. It is not
// deflated: the program reads it where it is.
func gridOf(edges []border) (out []byte) {
	g := newGrid(edges)
	parts := [][]byte{g.blocks, g.cells, g.mixed, g.sets, g.edges}
	for _, part := range parts {
		out = binary.AppendUvarint(out, uint64(len(part)))
	}
	return append(out, slices.Concat(parts...)...)
}

func newGrid(edges []border) *grid {
	var turns [rows][]turnAt
	// Borders by cells, as lists: the last of a cell, and before each another.
	last := make([]int32, rows*columns)
	in := make([]placed, 1, 3*len(edges))
	for i := range edges {
		e := &edges[i]
		crossRows(e, &turns)
		e.place(func(cell int32) {
			in = append(in, placed{edge: int32(i), before: last[cell]})
			last[cell] = int32(len(in) - 1)
		})
	}
	g := &grid{known: map[[maxIDs]uint8]int{}}
	var set countrySet
	for row := range int32(rows) {
		slices.SortFunc(turns[row], func(a, b turnAt) int { return cmp.Compare(a.col, b.col) })
		set = set[:0]
		rest := turns[row]
		for col := range int32(columns) {
			for len(rest) > 0 && rest[0].col <= col {
				set.toggle(rest[0].country)
				rest = rest[1:]
			}
			at := row*columns + col
			var cell uint16
			if last[at] != 0 {
				cell = uint16(several + g.countMixed)
				g.addMixed(set, edges, in, last[at])
			} else if len(set) > 0 {
				cell = uint16(set[0])
			}
			g.cells = binary.LittleEndian.AppendUint16(g.cells, cell)
		}
	}
	g.fillBlocks()
	return g
}

// turnAt is where, along a row, the way from west to east through the middles
// of the cells crosses a border: between the middles before and at col.
type turnAt struct {
	col     int32
	country uint8
}

// fillBlocks decides the blocks by their cells.
func (g *grid) fillBlocks() {
	country := func(row, col int) uint16 {
		return min(binary.LittleEndian.Uint16(g.cells[2*(row*columns+col):]), several)
	}
	for row := 0; row < rows; row += blockCells {
		for col := 0; col < columns; col += blockCells {
			c := country(row, col)
			if country(row, col+1) != c || country(row+1, col) != c || country(row+1, col+1) != c {
				c = several
			}
			g.blocks = append(g.blocks, uint8(c))
		}
	}
}

// placed is a border in a cell and the position of the cell's one before, 0
// for none.
type placed struct {
	edge, before int32
}

// countrySet is countries in ascending order, which is by size.
type countrySet []uint8

func (s *countrySet) toggle(id uint8) {
	at, found := slices.BinarySearch(*s, id)
	if found {
		*s = slices.Delete(*s, at, at+1)
	} else {
		*s = slices.Insert(*s, at, id)
	}
}

// crossRows notes where a border crosses the middles of rows.
func crossRows(e *border, turns *[rows][]turnAt) {
	low, high := int64(min(e.ay, e.by)), int64(max(e.ay, e.by))
	for row := max(low/unitsPerCell-1, 0); row <= min(high/unitsPerCell, rows-1); row++ {
		y := middle(row)
		if y <= low || y >= high {
			continue
		}
		// The first middle that is not where the far west is. The division is
		// but a guess; the exact test decides, as it will for positions.
		x := float64(e.ax) + float64(y-int64(e.ay))/float64(e.by-e.ay)*float64(e.bx-e.ax)
		col := max(int64(x/unitsPerCell)-1, 0)
		west := e.by > e.ay
		for col < columns && e.left(middle(col), y) == west {
			col++
		}
		for _, id := range [...]uint8{e.a, e.b} {
			if id != 0 {
				turns[row] = append(turns[row], turnAt{int32(col), id})
			}
		}
	}
}

// place calls yield with the cells that a border may be in, row by row.
func (e *border) place(yield func(cell int32)) {
	ax, ay, bx, by := float64(e.ax), float64(e.ay), float64(e.bx), float64(e.by)
	if ay > by {
		ax, ay, bx, by = bx, by, ax, ay
	}
	first, last := int64(ay/unitsPerCell), int64(by/unitsPerCell)
	for row := first; row <= min(last, rows-1); row++ {
		x0, x1 := ax, bx
		if by > ay {
			from := max(float64(row*unitsPerCell), ay)
			to := min(float64((row+1)*unitsPerCell), by)
			x0 = ax + (from-ay)/(by-ay)*(bx-ax)
			x1 = ax + (to-ay)/(by-ay)*(bx-ax)
		}
		// A unit more to both sides makes up for rounding.
		from := int64(max(min(x0, x1)-1, 0) / unitsPerCell)
		to := int64(min((max(x0, x1)+1)/unitsPerCell, columns-1))
		for col := from; col <= to; col++ {
			yield(int32(row*columns + col))
		}
	}
}

// addMixed adds a cell with borders in it: in[at] and those before.
func (g *grid) addMixed(set countrySet, edges []border, in []placed, at int32) {
	var all [maxIDs]uint8
	ids := append(countrySet(all[:0]), set...)
	for i := at; i != 0; i = in[i].before {
		for _, id := range [...]uint8{edges[in[i].edge].a, edges[in[i].edge].b} {
			if id != 0 && !slices.Contains(ids, id) {
				ids.toggle(id)
			}
		}
	}
	if len(ids) > maxIDs {
		panic(fmt.Sprintf("%d countries meet in a cell, want at most %d", len(ids), maxIDs))
	}
	bit := func(id uint8) uint16 {
		if id == 0 {
			return 0
		}
		return 1 << slices.Index(ids, id)
	}
	var middle, count uint16
	for _, id := range set {
		middle |= bit(id)
	}
	first := g.countEdges
	for i := at; i != 0; i = in[i].before {
		e := &edges[in[i].edge]
		for _, n := range [...]int32{e.ax, e.ay, e.bx, e.by} {
			g.edges = binary.LittleEndian.AppendUint32(g.edges, uint32(n))
		}
		g.edges = binary.LittleEndian.AppendUint16(g.edges, bit(e.a)|bit(e.b))
		count++
	}
	g.countEdges += int(count)
	g.countMixed++
	number, known := g.known[all]
	if !known {
		number = len(g.known)
		g.known[all] = number
		g.sets = append(g.sets, all[:]...)
	}
	g.mixed = binary.LittleEndian.AppendUint32(g.mixed, uint32(first))
	for _, n := range [...]uint16{count, middle, uint16(number)} {
		g.mixed = binary.LittleEndian.AppendUint16(g.mixed, n)
	}
}
