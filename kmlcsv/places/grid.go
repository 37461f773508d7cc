package places

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/paulmach/orb"
)

// Coordinates are stored in units of 1/200,000 of a degree from the south-west corner of the world. The coordinates of
// vertices are even. The coordinates of positions and of the middles of cells are odd, so a position never coincides
// with a vertex.
const (
	unitsPerDegree = 2e5
	cellsPerDegree = 2
	unitsPerCell   = unitsPerDegree / cellsPerDegree
	columns        = 360 * cellsPerDegree
	rows           = 180 * cellsPerDegree

	blockCells    = 2 // cells per side of a block
	unitsPerBlock = unitsPerCell * blockCells
	blockColumns  = columns / blockCells
	blockRows     = rows / blockCells
)

// countryGrid finds the country of a position. If no border crosses its cell, the country is stored for the cell.
// Otherwise the country at the middle of the cell is stored. Every border between the middle and the position changes
// the country. The function gridOf of package gen writes the data.
type countryGrid struct {
	// blocks has the country of each block of four cells, or 0 for no country. It has hasBorders if the four cells are
	// not all in the same country.
	blocks []byte
	// cells has two bytes for each cell: its country, or 0 for no country. If borders cross the cell, the two bytes
	// are hasBorders plus a number. It is the index of the cell among all cells with borders.
	cells []byte
	// sets has sets of countries. Each set has maxIDs bytes, one for each country.
	sets []byte
	// mixed has the cells with borders in chunks. In a chunk, first come the cells with mixedSize bytes each, and then
	// the edges of these cells. An edge is a piece of a border.
	mixed []func() []byte
}

const (
	hasBorders = math.MaxUint8 // stands in place of the country
	maxIDs     = 16            // maximum number of countries in a cell
	// mixedSize is the size of a cell with borders in bytes. A cell has the offset of its edges at 0, and three more
	// fields at the offsets below.
	mixedSize     = 10
	edgesAt       = 4 // number of edges
	middleAt      = 6 // set of countries that contain the middle
	countriesAt   = 8 // index of the cell's countries in sets
	cellsPerChunk = 512
	// edgeSize is the size of an edge in bytes. An edge has its two ends at 0, and the set of the countries on its
	// sides at borderAt.
	edgeSize = 18
	borderAt = 16 // the set of countries
)

// countryAt returns the country of a position, or 0 for none. Sets of countries are stored as bits: bit i stands for
// country i of the cell. Smaller countries have lower bits.
//
// The countries at the middle of a cell with borders are known. countryAt follows the straight line from the middle to
// the position, and changes the countries at each border.
func (g *countryGrid) countryAt(p orb.Point) uint8 {
	x, y, ok := gridUnits(p)
	if !ok {
		return 0
	}
	if id := g.blockAt(x, y); id != hasBorders {
		return id
	}
	id, cell, edges := g.cellAt(x, y)
	if id != hasBorders {
		return id
	}
	atMiddle := binary.LittleEndian.Uint16(cell[middleAt:])
	atPosition := atMiddle ^ bordersBetween(cellMiddle(x/unitsPerCell), cellMiddle(y/unitsPerCell), x, y, edges)
	if atPosition == 0 {
		return 0
	}
	countries := int(binary.LittleEndian.Uint16(cell[countriesAt:]))
	return g.sets[countries*maxIDs+bits.TrailingZeros16(atPosition)]
}

// bordersBetween looks at the straight line from the middle of a cell (mx, my) to a position (x, y). It returns the
// countries with a border that this line crosses an odd number of times. These countries contain one end of the line
// but not the other. edges are the pieces of borders in the cell.
func bordersBetween(mx, my, x, y int64, edges []byte) (countries uint16) {
	dx := x - mx
	dy := y - my
	for ; len(edges) >= edgeSize; edges = edges[edgeSize:] {
		ax, ay, bx, by := edgeAt(edges)
		// The line can only cross the edge if the ends of the edge are on different sides of the line. An end on the
		// line counts as left of it, for both edges that meet there.
		isLeftA := dx*(ay-my)-dy*(ax-mx) >= 0
		isLeftB := dx*(by-my)-dy*(bx-mx) >= 0
		if isLeftA == isLeftB {
			continue
		}
		// The ends of the line must also be on different sides of the edge.
		ex := bx - ax
		ey := by - ay
		isLeftMiddle := ex*(my-ay)-ey*(mx-ax) > 0
		isLeftPosition := ex*(y-ay)-ey*(x-ax) > 0
		if isLeftMiddle != isLeftPosition {
			countries ^= binary.LittleEndian.Uint16(edges[borderAt:])
		}
	}
	return countries
}

// blockAt returns the country of the block of cells with a position, or hasBorders if the cells are not all in the
// same country. For most of the world, no other table is needed, and this one fits into a processor's cache.
func (g *countryGrid) blockAt(x, y int64) uint8 {
	return g.blocks[y/unitsPerBlock*blockColumns+x/unitsPerBlock]
}

// cellAt returns the country of the cell with a position. If borders cross the cell, it returns hasBorders, the data
// of the cell, and the edges, which are pieces of the borders.
func (g *countryGrid) cellAt(x, y int64) (id uint8, cell, edges []byte) {
	c := int(binary.LittleEndian.Uint16(g.cells[2*(y/unitsPerCell*columns+x/unitsPerCell):]))
	if c < hasBorders {
		return uint8(c), nil, nil
	}
	c -= hasBorders
	chunk := g.mixed[c/cellsPerChunk]()
	cell = chunk[c%cellsPerChunk*mixedSize:][:mixedSize]
	first := int(binary.LittleEndian.Uint32(cell))
	count := int(binary.LittleEndian.Uint16(cell[edgesAt:]))
	return hasBorders, cell, chunk[first:][:count*edgeSize]
}

func edgeAt(edge []byte) (ax, ay, bx, by int64) {
	return int64(binary.LittleEndian.Uint32(edge)), int64(binary.LittleEndian.Uint32(edge[4:])),
		int64(binary.LittleEndian.Uint32(edge[8:])), int64(binary.LittleEndian.Uint32(edge[12:]))
}

// countryIn returns the country of a bound that is inside one cell. ok is false if the bound is not inside one cell,
// or if a border may cross it.
func (g *countryGrid) countryIn(b orb.Bound) (id uint8, ok bool) {
	west, south, isMinValid := gridUnits(b.Min)
	east, north, isMaxValid := gridUnits(b.Max)
	if !isMinValid || !isMaxValid {
		return 0, false
	}
	if west/unitsPerCell != east/unitsPerCell || south/unitsPerCell != north/unitsPerCell {
		return 0, false
	}
	_, _, edges := g.cellAt(west, south)
	for ; len(edges) >= edgeSize; edges = edges[edgeSize:] {
		ax, ay, bx, by := edgeAt(edges)
		if max(ax, bx) >= west && min(ax, bx) <= east && max(ay, by) >= south && min(ay, by) <= north {
			return 0, false
		}
	}
	return g.countryAt(b.Min), true
}

// cellMiddle returns the middle of a column or row of cells, as an odd number.
func cellMiddle(cell int64) int64 { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// gridUnits returns a position in units from the south-west corner of the world, both rounded to an odd number. ok is
// false if the position is not valid.
func gridUnits(p orb.Point) (x, y int64, ok bool) {
	lon := p[0]
	lat := p[1]
	if !(lat >= -90 && lat <= 90) { // also if lat is NaN
		return 0, 0, false
	}
	if !(lon >= -180 && lon < 180) {
		if !(math.Abs(lon) <= math.MaxFloat64) { // NaN or an infinity
			return 0, 0, false
		}
		lon = math.Mod(lon+180, 360)
		if lon < 0 {
			lon += 360
		}
		lon -= 180
	}
	x = int64((lon+180)*(unitsPerDegree/2))*2 + 1
	y = int64((lat+90)*(unitsPerDegree/2))*2 + 1
	return min(x, 360*unitsPerDegree-1), min(y, 180*unitsPerDegree-1), true
}
