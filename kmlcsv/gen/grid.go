package main

import (
	"encoding/binary"
	"math"
	"slices"
)

// The grid has coordinates in units of 1/200,000 of a degree, from the south-west corner of the world. The coordinates
// of vertices are even. The coordinates of positions that are looked up, and of the middles of cells, are odd, so that
// these never coincide with a vertex.
const (
	unitsPerDegree = 2e5
	unitsPerCell   = unitsPerDegree / cellsPerDegree
	blockCells     = 2 // cells of a block in each direction
)

// middle returns the middle of a column or a row of cells, which is odd.
func middle(cell int) int { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// border is an edge between two countries, or between a country and no country.
type border struct {
	ax, ay, bx, by int      // ends, in units of the grid
	sides          [2]uint8 // numbers of the countries, 0 for none
}

func newBorder(e edge, sides []uint8) border {
	b := border{
		ax: 2 * (e.a.x + 180e5),
		ay: 2 * (e.a.y + 90e5),
		bx: 2 * (e.b.x + 180e5),
		by: 2 * (e.b.y + 90e5),
	}
	copy(b.sides[:], sides)
	return b
}

// isLeft reports whether a position is to the left of the border, seen from its first end to its second. It is exact.
func (e *border) isLeft(x, y int) bool { return (e.bx-e.ax)*(y-e.ay)-(e.by-e.ay)*(x-e.ax) > 0 }

const (
	several = math.MaxUint8 // instead of the number of a country
	maxIDs  = 16            // largest number of countries in a cell

	crossedSize   = 10 // bytes of a cell that borders cross
	cellsPerChunk = 512
)

// countrySet is a set of countries, in ascending order. Unused places are 0.
type countrySet [maxIDs]uint8

// bitOf returns the bit that stands for a country of the set, or 0 if the country is not in the set.
func (s *countrySet) bitOf(id uint8) uint16 {
	if at := slices.Index(s[:], id); id != 0 && at >= 0 {
		return 1 << at
	}
	return 0
}

// bitsOf returns the bits that stand for the countries of another set.
func (s *countrySet) bitsOf(other *countrySet) (bits uint16) {
	for _, id := range other {
		bits |= s.bitOf(id)
	}
	return bits
}

// toggle adds a country, or removes it if it is in the set. It ignores 0, which is no country.
func (s *countrySet) toggle(id uint8) {
	if id == 0 {
		return
	}
	at, isFound := slices.BinarySearch(s[:s.count()], id)
	if isFound {
		copy(s[at:], s[at+1:])
		s[maxIDs-1] = 0
		return
	}
	if s[maxIDs-1] != 0 {
		panic("too many countries meet in a cell")
	}
	copy(s[at+1:], s[at:])
	s[at] = id
}

func (s *countrySet) count() int {
	if n := slices.Index(s[:], 0); n >= 0 {
		return n
	}
	return maxIDs
}

// gridOf encodes the grid. For most positions, the grid has the country directly, without looking at a border. Numbers
// are little-endian. The index has
//
//   - for each block of four cells, the country that all of them are in, 0 for none, or several,
//   - for each cell, in two bytes, its country, or several plus the number of the cell among the crossed cells,
//   - the sets of countries, in maxIDs bytes each.
//
// The chunks have the cells that borders cross, cellsPerChunk in each. A chunk begins with crossedSize bytes for each
// cell: the offset of its borders in the chunk (4 bytes), the number of borders (2), the countries that its middle is
// in (2), and the number of its set of countries (2). The borders follow in 18 bytes each: both ends (4 x 4) and the
// countries (2). Countries are stored as bits: bit i represents country i of the cell's set.
func gridOf(borders []border) (index []byte, chunks [][]byte) {
	inCell := make([][]*border, rows*columns)
	changes := make([][]uint8, rows*columns)
	for i := range slices.Backward(borders) {
		borders[i].addToCells(inCell)
		borders[i].crossRows(changes)
	}
	e := gridEncoder{setNumbers: map[countrySet]int{}}
	for row := range rows {
		var atMiddle countrySet // countries that the middle of the cell is in
		for cell := row * columns; cell < (row+1)*columns; cell++ {
			for _, id := range changes[cell] {
				atMiddle.toggle(id)
			}
			if len(inCell[cell]) == 0 {
				e.addCell(atMiddle[0])
			} else {
				e.addCrossedCell(&atMiddle, inCell[cell])
			}
		}
	}
	e.endChunk()
	return slices.Concat(blocksOf(e.cells), e.cells, e.sets), e.chunks
}

// gridEncoder encodes the cells of the grid one after another; see [gridOf].
type gridEncoder struct {
	cells      []byte
	crossed    int // number of crossed cells so far
	sets       []byte
	setNumbers map[countrySet]int

	heads   []byte // crossed cells of the current chunk
	borders []byte // borders of the current chunk
	chunks  [][]byte
}

var littleEndian = binary.LittleEndian

// addCell adds a cell that is in one country, or in none.
func (e *gridEncoder) addCell(country uint8) {
	e.cells = littleEndian.AppendUint16(e.cells, uint16(country))
}

// headsSize is the size of the crossed cells in a chunk, in bytes.
const headsSize = crossedSize * cellsPerChunk

// addCrossedCell adds a cell that borders cross. atMiddle has the countries that its middle is in.
func (e *gridEncoder) addCrossedCell(atMiddle *countrySet, borders []*border) {
	e.cells = littleEndian.AppendUint16(e.cells, several+uint16(e.crossed))
	e.crossed++
	if len(e.heads) == headsSize {
		e.endChunk()
	}
	all := allOf(*atMiddle, borders)
	e.heads = littleEndian.AppendUint32(e.heads, uint32(headsSize+len(e.borders)))
	e.heads = littleEndian.AppendUint16(e.heads, uint16(len(borders)))
	e.heads = littleEndian.AppendUint16(e.heads, all.bitsOf(atMiddle))
	e.heads = littleEndian.AppendUint16(e.heads, uint16(e.setNumber(all)))
	for _, b := range borders {
		for _, coordinate := range []int{b.ax, b.ay, b.bx, b.by} {
			e.borders = littleEndian.AppendUint32(e.borders, uint32(coordinate))
		}
		e.borders = littleEndian.AppendUint16(e.borders, all.bitOf(b.sides[0])|all.bitOf(b.sides[1]))
	}
}

// setNumber returns the number of a set of countries. A new set is added.
func (e *gridEncoder) setNumber(set countrySet) int {
	number, isKnown := e.setNumbers[set]
	if !isKnown {
		number = len(e.setNumbers)
		e.setNumbers[set] = number
		e.sets = append(e.sets, set[:]...)
	}
	return number
}

// endChunk adds the current chunk. The crossed cells of the last chunk are filled up with zeroes.
func (e *gridEncoder) endChunk() {
	unused := make([]byte, headsSize-len(e.heads))
	e.chunks = append(e.chunks, slices.Concat(e.heads, unused, e.borders))
	e.heads = nil
	e.borders = nil
}

// allOf returns the countries of a cell: the countries that its middle is in, and the countries at its borders.
func allOf(atMiddle countrySet, borders []*border) countrySet {
	all := atMiddle
	for _, b := range borders {
		for _, id := range b.sides {
			isNew := all.bitOf(id) == 0
			if isNew {
				all.toggle(id)
			}
		}
	}
	return all
}

// blocksOf returns the country that all cells of each block are in, or several.
func blocksOf(cells []byte) (blocks []byte) {
	for row := 0; row < rows; row += blockCells {
		for column := 0; column < columns; column += blockCells {
			blocks = append(blocks, blockCountry(cells, row, column))
		}
	}
	return blocks
}

// blockCountry returns the country that the cells of the block at a row and a column are in, or several. cells has two
// bytes for each cell.
func blockCountry(cells []byte, row, column int) uint8 {
	first := cellNumber(cells, row, column)
	if first >= several { // a crossed cell
		return several
	}
	for y := range blockCells {
		for x := range blockCells {
			if cellNumber(cells, row+y, column+x) != first {
				return several
			}
		}
	}
	return uint8(first)
}

// cellNumber returns the number of a cell in the index of the grid.
func cellNumber(cells []byte, row, column int) uint16 {
	return littleEndian.Uint16(cells[2*(row*columns+column):])
}

// crossRows finds the rows of cells in which the border crosses the middle, and adds the countries of the border to
// changes. The changes of a cell are the countries with a border between the middle of the cell and the middle of the
// cell to the west.
func (e *border) crossRows(changes [][]uint8) {
	low := min(e.ay, e.by)
	high := max(e.ay, e.by)
	for row := max(low/unitsPerCell-1, 0); row <= min(high/unitsPerCell, rows-1); row++ {
		y := middle(row)
		if y <= low || y >= high {
			continue
		}
		if column := e.firstColumnEastOf(y); column < columns {
			cell := row*columns + column
			changes[cell] = append(changes[cell], e.sides[:]...)
		}
	}
}

// firstColumnEastOf returns the first column with its middle east of the border at y. The border must cross the row at
// y. The division only gives a start; the final column is found with isLeft, the same exact test that is used for
// positions.
func (e *border) firstColumnEastOf(y int) int {
	x := float64(e.ax) + float64(y-e.ay)/float64(e.by-e.ay)*float64(e.bx-e.ax)
	column := max(int(x/unitsPerCell)-1, 0)
	isNorthward := e.by > e.ay
	for column < columns && e.isLeft(middle(column), y) == isNorthward { // west of the border
		column++
	}
	return column
}

// addToCells adds the border to the cells that it may be in.
func (e *border) addToCells(inCell [][]*border) {
	southX, southY := float64(e.ax), float64(e.ay)
	northX, northY := float64(e.bx), float64(e.by)
	if southY > northY {
		southX, northX = northX, southX
		southY, northY = northY, southY
	}
	for row := int(southY / unitsPerCell); row <= min(int(northY/unitsPerCell), rows-1); row++ {
		enterX := southX // where the border enters the row
		leaveX := northX // where it leaves the row
		if northY > southY {
			xAt := func(y float64) float64 { return southX + (y-southY)/(northY-southY)*(northX-southX) }
			enterX = xAt(max(float64(row*unitsPerCell), southY))
			leaveX = xAt(min(float64((row+1)*unitsPerCell), northY))
		}
		const rounding = 1 // unit on both sides
		first := int(max(min(enterX, leaveX)-rounding, 0) / unitsPerCell)
		last := int(min((max(enterX, leaveX)+rounding)/unitsPerCell, columns-1))
		for cell := row*columns + first; cell <= row*columns+last; cell++ {
			inCell[cell] = append(inCell[cell], e)
		}
	}
}
