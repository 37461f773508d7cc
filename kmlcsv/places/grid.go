package places

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/paulmach/orb"
)

// Coordinates are kept as twice the hundred-thousandths of a degree from the
// south-west corner of the world. Vertices are even; positions asked for and
// the middles of cells are odd, so none of them ever is a vertex.
const (
	unitsPerDegree = 2e5
	cellsPerDegree = 2
	unitsPerCell   = unitsPerDegree / cellsPerDegree
	columns        = 360 * cellsPerDegree
	rows           = 180 * cellsPerDegree

	blockCells    = 2 // to the side of a block
	unitsPerBlock = unitsPerCell * blockCells
	blockColumns  = columns / blockCells
	blockRows     = rows / blockCells
)

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

// grid answers which country a position is in. A cell without a border in it
// has one answer. In the others the answer of the middle is known, and every
// border between the middle and the position changes it.
type grid struct {
	blocks []uint8 // the country of all four cells, 0 for none; several where they differ
	cells  []int16 // a country or 0; in cells with borders ^(index into mixed)
	mixed  []mixedCell
	edges  []cellEdge
}

const several = math.MaxUint8

// mixedCell is a cell with borders in it. Sets of countries are bits: bit i
// stands for ids[i]. Smaller countries come first.
type mixedCell struct {
	first, count int32
	middle       uint16 // the countries that the middle is in
	ids          [maxIDs]uint8
}

const maxIDs = 16

// cellEdge is a border in a cell with the countries that it is the border of.
type cellEdge struct {
	ax, ay, bx, by int32
	changes        uint16
}

// at returns the country of a position, 0 for none.
func (g *grid) at(p orb.Point) uint8 {
	x, y, ok := units(p)
	if !ok {
		return 0
	}
	// Most of the world is decided by the blocks, which stay in a processor's cache.
	if id := g.blocks[y/unitsPerBlock*blockColumns+x/unitsPerBlock]; id != several {
		return id
	}
	col, row := x/unitsPerCell, y/unitsPerCell
	c := g.cells[row*columns+col]
	if c >= 0 {
		return uint8(c)
	}
	cell := &g.mixed[^c]
	mx, my := middle(col), middle(row)
	dx, dy := x-mx, y-my
	in := cell.middle
	edges := g.edges[cell.first : cell.first+cell.count]
	for i := range edges {
		e := &edges[i]
		ax, ay := int64(e.ax), int64(e.ay)
		bx, by := int64(e.bx), int64(e.by)
		// Both ends of the edge on one side of the way: it is not crossed.
		if (dx*(ay-my)-dy*(ax-mx) >= 0) == (dx*(by-my)-dy*(bx-mx) >= 0) {
			continue
		}
		ex, ey := bx-ax, by-ay
		if (ex*(my-ay)-ey*(mx-ax) > 0) != (ex*(y-ay)-ey*(x-ax) > 0) {
			in ^= e.changes
		}
	}
	if in == 0 {
		return 0
	}
	return cell.ids[bits.TrailingZeros16(in)]
}

// middle is the middle of a column or row of cells, made odd.
func middle(cell int64) int64 { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// units returns a position as odd units within the world; false for what is
// none.
func units(p orb.Point) (x, y int64, ok bool) {
	lon, lat := p[0], p[1]
	if !(lat >= -90 && lat <= 90) {
		return 0, 0, false
	}
	if !(lon >= -180 && lon < 180) {
		if !finite(lon) {
			return 0, 0, false
		}
		if lon = math.Mod(lon+180, 360); lon < 0 {
			lon += 360
		}
		lon -= 180
	}
	x = int64((lon+180)*(unitsPerDegree/2))*2 + 1
	y = int64((lat+90)*(unitsPerDegree/2))*2 + 1
	return min(x, 360*unitsPerDegree-1), min(y, 180*unitsPerDegree-1), true
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// turnAt is where, along a row, the way from west to east through the middles
// of the cells crosses a border: between the middles before and at col.
type turnAt struct {
	col     int32
	country uint8
}

// newGrid makes the grid of all borders.
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
	g := &grid{cells: make([]int16, rows*columns), edges: make([]cellEdge, 0, len(in))}
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
			if last[at] != 0 {
				g.addMixed(at, set, edges, in, last[at])
			} else if len(set) > 0 {
				g.cells[at] = int16(set[0])
			}
		}
	}
	g.fillBlocks()
	return g
}

// fillBlocks decides the blocks by their cells.
func (g *grid) fillBlocks() {
	g.blocks = make([]uint8, 0, blockRows*blockColumns)
	for row := 0; row < rows; row += blockCells {
		for col := 0; col < columns; col += blockCells {
			south, north := g.cells[row*columns+col:], g.cells[(row+1)*columns+col:]
			if c := south[0]; c >= 0 && south[1] == c && north[0] == c && north[1] == c {
				g.blocks = append(g.blocks, uint8(c))
			} else {
				g.blocks = append(g.blocks, several)
			}
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

// addMixed makes a cell with borders in it: in[at] and those before.
func (g *grid) addMixed(cell int32, set countrySet, edges []border, in []placed, at int32) {
	m := mixedCell{first: int32(len(g.edges))}
	ids := append(countrySet(m.ids[:0]), set...)
	for i := at; i != 0; i = in[i].before {
		for _, id := range [...]uint8{edges[in[i].edge].a, edges[in[i].edge].b} {
			if id != 0 && !slices.Contains(ids, id) {
				ids.toggle(id)
			}
		}
	}
	bit := func(id uint8) uint16 {
		if id == 0 {
			return 0
		}
		return 1 << slices.Index(ids, id)
	}
	for _, id := range set {
		m.middle |= bit(id)
	}
	for i := at; i != 0; i = in[i].before {
		e := &edges[in[i].edge]
		g.edges = append(g.edges, cellEdge{e.ax, e.ay, e.bx, e.by, bit(e.a) | bit(e.b)})
	}
	m.count = int32(len(g.edges)) - m.first
	g.cells[cell] = ^int16(len(g.mixed)) // there are half as many as it can count
	g.mixed = append(g.mixed, m)
}
