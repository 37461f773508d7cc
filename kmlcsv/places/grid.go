package places

import (
	"encoding/binary"
	"math"
	"math/bits"

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

// countryGrid answers which country a position is in. A cell without a border in it
// has one answer. In the others the answer of the middle is known, and every
// border between the middle and the position changes it. All of it is read where
// it is embedded, as the gen program's gridOf wrote it.
type countryGrid struct {
	blocks []byte // the country of all four cells, 0 for none; several where they differ
	cells  []byte // of each two bytes: a country or 0; in cells with borders several and the cell's number among them
	mixed  []byte // mixedSize of each cell with borders
	sets   []byte // of countries: maxIDs each
	edges  []byte // edgeSize of each
}

const (
	several   = math.MaxUint8
	maxIDs    = 16 // countries in a cell
	mixedSize = 10 // bytes: the first edge, how many, the countries that the middle is in, the countries of the cell
	edgeSize  = 18 // bytes: both ends, and the countries that it is the border of
)

// countryAt returns the country of a position, 0 for none. Sets of countries are bits: bit
// i stands for number i of the cell's. Smaller countries come first.
func (g *countryGrid) countryAt(p orb.Point) uint8 {
	x, y, ok := gridUnits(p)
	if !ok {
		return 0
	}
	// Most of the world is decided by the blocks, which stay in a processor's cache.
	if id := g.blocks[y/unitsPerBlock*blockColumns+x/unitsPerBlock]; id != several {
		return id
	}
	col, row := x/unitsPerCell, y/unitsPerCell
	c := int(binary.LittleEndian.Uint16(g.cells[2*(row*columns+col):]))
	if c < several {
		return uint8(c)
	}
	cell := g.mixed[(c-several)*mixedSize:][:mixedSize]
	first, count := int(binary.LittleEndian.Uint32(cell)), int(binary.LittleEndian.Uint16(cell[4:]))
	in, set := binary.LittleEndian.Uint16(cell[6:]), int(binary.LittleEndian.Uint16(cell[8:]))
	mx, my := cellMiddle(col), cellMiddle(row)
	dx, dy := x-mx, y-my
	for edges := g.edges[first*edgeSize:][:count*edgeSize]; len(edges) >= edgeSize; edges = edges[edgeSize:] {
		ax, ay := int64(binary.LittleEndian.Uint32(edges)), int64(binary.LittleEndian.Uint32(edges[4:]))
		bx, by := int64(binary.LittleEndian.Uint32(edges[8:])), int64(binary.LittleEndian.Uint32(edges[12:]))
		// Both ends of the edge on one side of the way: it is not crossed.
		if (dx*(ay-my)-dy*(ax-mx) >= 0) == (dx*(by-my)-dy*(bx-mx) >= 0) {
			continue
		}
		ex, ey := bx-ax, by-ay
		if (ex*(my-ay)-ey*(mx-ax) > 0) != (ex*(y-ay)-ey*(x-ax) > 0) {
			in ^= binary.LittleEndian.Uint16(edges[16:])
		}
	}
	if in == 0 {
		return 0
	}
	return g.sets[set*maxIDs+bits.TrailingZeros16(in)]
}

// cellMiddle returns the middle of a column or row of cells, made odd.
func cellMiddle(cell int64) int64 { return cell*unitsPerCell + unitsPerCell/2 + 1 }

// gridUnits returns a position as odd units within the world; false for what is
// none.
func gridUnits(p orb.Point) (x, y int64, ok bool) {
	lon, lat := p[0], p[1]
	if !(lat >= -90 && lat <= 90) {
		return 0, 0, false
	}
	if !(lon >= -180 && lon < 180) {
		if !isFinite(lon) {
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
