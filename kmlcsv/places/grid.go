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

// countryGrid finds the country of a position. The world is divided into cells. For a cell without borders, the grid
// has the country of the cell. For a cell with borders, it has the borders, and the country at the middle of the cell.
// The country of a position then follows from the borders between the middle and the position. The function gridOf of
// package gen writes the data.
type countryGrid struct {
	// blocks has a byte for each block of four cells. The byte is the number of the country of all four cells, 0 for no
	// country, or hasBorders if the cells are not all in the same country.
	blocks []byte
	// cells has two bytes for each cell. If no border crosses the cell, they are the number of its country, or 0 for no
	// country. Otherwise they are hasBorders + i, where i is the index of the cell among the cells with borders.
	cells []byte
	// sets has the lists of countries that cells with borders refer to. Each list has the numbers of up to maxIDs
	// countries, a byte for each.
	sets []byte
	// mixed has the cells with borders, in chunks of cellsPerChunk cells. A chunk begins with mixedSize bytes for each
	// of its cells. The edges of these cells follow. An edge is a straight piece of a border.
	mixed []func() []byte
}

const (
	hasBorders = math.MaxUint8 // used instead of the number of a country
	maxIDs     = 16            // maximum number of countries in a cell
	// mixedSize is the size of a cell with borders in bytes. The first four bytes are the offset of the cell's edges in
	// the chunk. The other fields are at the offsets below.
	mixedSize     = 10
	edgesAt       = 4 // number of edges
	middleAt      = 6 // set of countries that contain the middle
	countriesAt   = 8 // index of the cell's list of countries in sets
	cellsPerChunk = 512
	// edgeSize is the size of an edge in bytes. The first 16 bytes are the coordinates of its two ends. The set of the
	// countries that have this edge as their border is at borderAt.
	edgeSize = 18
	borderAt = 16 // the set of countries
)

// countryAt returns the country of a position, or 0 for none. In a cell with borders, it starts with the countries that
// contain the middle of the cell. It then follows the straight line from the middle to the position. Each border on
// this line leaves or enters a country.
//
// The set of countries is stored as bits: bit i means the country i in the list of the cell. The smallest country is
// first in the list. If several countries contain the position, the smallest is returned.
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

// cellMiddle returns the coordinate of the middle of a column or row of cells, in units of 1/200,000 of a degree. It
// adds 1 to the exact middle, which is even. The result is odd, so it never coincides with a vertex of a border.
func cellMiddle(cell int64) int64 { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// gridUnits returns the distances of a position to the east and north of the south-west corner of the world. They are
// in units of 1/200,000 of a degree, rounded to odd numbers. ok is false if the position is not valid.
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
