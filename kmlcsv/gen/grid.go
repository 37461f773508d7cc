package main

import (
	"encoding/binary"
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
func middle(cell int) int { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// border is an edge between two countries, or one and none. Countries are numbers from
// 1, the smaller countries first.
type border struct {
	ax, ay, bx, by int
	sides          [2]uint8
}

func newBorder(e edge, sides []uint8) border {
	b := border{ax: 2 * (e.a.x + 180e5), ay: 2 * (e.a.y + 90e5), bx: 2 * (e.b.x + 180e5), by: 2 * (e.b.y + 90e5)}
	copy(b.sides[:], sides)
	return b
}

// left reports whether a position is to the left of the way from the border's
// first end to its second. It is exact.
func (e *border) left(x, y int) bool { return (e.bx-e.ax)*(y-e.ay)-(e.by-e.ay)*(x-e.ax) > 0 }

const (
	several = math.MaxUint8
	maxIDs  = 16 // countries in a cell

	mixedSize     = 10
	cellsPerChunk = 512
)

// countrySet has its countries in ascending order; 0 stands for none of them.
type countrySet [maxIDs]uint8

// has returns the bit of a country, 0 for one that is not in the set.
func (s *countrySet) has(id uint8) uint16 {
	if at := slices.Index(s[:], id); id != 0 && at >= 0 {
		return 1 << at
	}
	return 0
}

// toggle adds a country or takes it out. The set must have room.
func (s *countrySet) toggle(id uint8) {
	at, found := slices.BinarySearch(s[:s.count()], id)
	switch {
	case id == 0:
	case found:
		copy(s[at:], append(s[at+1:], 0))
	case s[maxIDs-1] != 0:
		panic("too many countries meet in a cell")
	default:
		copy(s[at+1:], s[at:])
		s[at] = id
	}
}

func (s *countrySet) count() int {
	if n := slices.Index(s[:], 0); n >= 0 {
		return n
	}
	return maxIDs
}

// gridOf writes what tells the country of most positions: for each block of four cells
// their country, 0 for none, or several where they differ; for each cell in two
// bytes its country, or several plus its number among those with borders in it; and sets
// of countries, in maxIDs bytes each. The cells with borders follow in chunks of
// cellsPerChunk: of each cell in ten bytes where in the chunk its borders are (4), how
// many (2), the countries that its middle is in (2) and its set of countries (2); and
// from mixedSize * cellsPerChunk on the borders by cells in 18 bytes each: both ends (4 x 4)
// and the countries of which it is one (2). Sets are bits: bit i stands for number i of
// the cell's. Numbers are little-endian.
func gridOf(borders []border) (index []byte, chunks [][]byte) {
	inCell := make([][]*border, rows*columns)
	turns := make([][]uint8, rows*columns) // countries whose border is between the middles of a cell and of the one west of it
	for i := range slices.Backward(borders) {
		borders[i].place(inCell)
		borders[i].crossRows(turns)
	}
	var cells, mixed, sets, edges []byte
	count := 0                    // of cells with borders
	known := map[countrySet]int{} // sets by their countries
	number := binary.LittleEndian
	for row := range rows {
		var set countrySet
		for at := row * columns; at < (row+1)*columns; at++ {
			for _, id := range turns[at] {
				set.toggle(id)
			}
			if len(inCell[at]) == 0 {
				cells = number.AppendUint16(cells, uint16(set[0]))
				continue
			}
			all := allOf(set, inCell[at])
			if _, ok := known[all]; !ok {
				known[all] = len(known)
				sets = append(sets, all[:]...)
			}
			middle := uint16(0)
			for _, id := range set {
				middle |= all.has(id)
			}
			cells = number.AppendUint16(cells, several+uint16(count))
			if count++; len(mixed) == mixedSize*cellsPerChunk {
				chunks, mixed, edges = append(chunks, append(mixed, edges...)), nil, nil
			}
			mixed = number.AppendUint32(mixed, uint32(mixedSize*cellsPerChunk+len(edges)))
			for _, n := range [...]int{len(inCell[at]), int(middle), known[all]} {
				mixed = number.AppendUint16(mixed, uint16(n))
			}
			for _, e := range inCell[at] {
				for _, n := range [...]int{e.ax, e.ay, e.bx, e.by} {
					edges = number.AppendUint32(edges, uint32(n))
				}
				edges = number.AppendUint16(edges, all.has(e.sides[0])|all.has(e.sides[1]))
			}
		}
	}
	mixed = append(mixed, make([]byte, mixedSize*cellsPerChunk-len(mixed))...)
	return slices.Concat(blocksOf(cells), cells, sets), append(chunks, append(mixed, edges...))
}

// allOf returns the countries of a cell: those of its middle and of its borders.
func allOf(all countrySet, borders []*border) countrySet {
	for _, e := range borders {
		for _, id := range e.sides {
			if all.has(id) == 0 {
				all.toggle(id)
			}
		}
	}
	return all
}

// blocksOf decides the blocks by their cells.
func blocksOf(cells []byte) (blocks []byte) {
	for row := 0; row < rows; row += blockCells {
		for col := 0; col < columns; col += blockCells {
			at := 2 * (row*columns + col)
			above := at + 2*columns
			pair := string(cells[at : at+2])
			if string(cells[at:at+4]) == pair+pair && string(cells[above:above+4]) == pair+pair && cells[at+1] == 0 {
				blocks = append(blocks, cells[at])
			} else {
				blocks = append(blocks, several)
			}
		}
	}
	return blocks
}

// crossRows notes where a border crosses the way from west to east through the middles
// of a row.
func (e *border) crossRows(turns [][]uint8) {
	low, high := min(e.ay, e.by), max(e.ay, e.by)
	for row := max(low/unitsPerCell-1, 0); row <= min(high/unitsPerCell, rows-1); row++ {
		y := middle(row)
		if y <= low || y >= high {
			continue
		}
		// The first middle that is not where the far west is. The division is
		// but a guess; the exact test decides, as it will for positions.
		x := float64(e.ax) + float64(y-e.ay)/float64(e.by-e.ay)*float64(e.bx-e.ax)
		col := max(int(x/unitsPerCell)-1, 0)
		for col < columns && e.left(middle(col), y) == (e.by > e.ay) {
			col++
		}
		if col < columns {
			turns[row*columns+col] = append(turns[row*columns+col], e.sides[:]...)
		}
	}
}

// place adds a border to the cells that it may be in.
func (e *border) place(inCell [][]*border) {
	ax, ay, bx, by := float64(e.ax), float64(e.ay), float64(e.bx), float64(e.by)
	if ay > by {
		ax, ay, bx, by = bx, by, ax, ay
	}
	for row := int(ay / unitsPerCell); row <= min(int(by/unitsPerCell), rows-1); row++ {
		x0, x1 := ax, bx
		if by > ay {
			from := max(float64(row*unitsPerCell), ay)
			to := min(float64((row+1)*unitsPerCell), by)
			x0 = ax + (from-ay)/(by-ay)*(bx-ax)
			x1 = ax + (to-ay)/(by-ay)*(bx-ax)
		}
		// A unit more to both sides makes up for rounding.
		from := int(max(min(x0, x1)-1, 0) / unitsPerCell)
		to := int(min((max(x0, x1)+1)/unitsPerCell, columns-1))
		for at := row*columns + from; at <= row*columns+to; at++ {
			inCell[at] = append(inCell[at], e)
		}
	}
}
