package places

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/paulmach/orb"
)

const (
	metresPerDegree = 111_195
	kmPerDegree     = metresPerDegree / 1000.0
	milliPerCell    = 1000 / cellsPerDegree // thousandths of a degree
)

// cityTable has the cities by cells of a grid. Most cells have no cities. Therefore starts and largest only have
// entries for cells with cities, and fit into a processor's cache. cellRank returns the index of the entries for a
// cell. The data of a city is only parsed when it is needed, so that loading takes no time.
type cityTable struct {
	filled  []filledCells   // the cells with cities
	starts  []uint32        // index of the first city in each cell with cities, and at the end the number of cities
	largest []byte          // logarithm of the population of the largest city in each cell with cities
	near    []uint64        // a bit for each block of cells, set if a city can be within farKilometres of the block
	towns   []byte          // townSize bytes for each city, and two more bytes for townAt
	lengths []byte          // length of the name of each city
	ends    []uint32        // 0, and then the end of each group of namesTogether names in the text of all names
	names   []func() string // functions that return chunks of namesPerChunk names
}

// filledCells tells which cells of a group of 64 have cities. cellRank needs both fields, so they are next to each
// other in memory.
type filledCells struct {
	cells  uint64 // a bit for each cell, set if the cell has cities
	before uint32 // number of cells with cities in earlier groups
}

// candidateTown has the data of a city that a search needs.
type candidateTown struct {
	x          uint32 // thousandths of a degree from the date line
	y          uint16 // thousandths of a degree from the southern edge of its row of cells
	country    uint8
	population uint8 // logarithm of the population, an index in people and bonuses
}

const (
	townSize      = 6 // bytes
	namesTogether = 32
	namesPerChunk = 4096
)

// townAt parses the first town in towns. It reads eight bytes at once, so at least two bytes must follow the town.
func townAt(towns []byte) candidateTown {
	bits := binary.LittleEndian.Uint64(towns)
	return candidateTown{
		uint32(bits & (1<<19 - 1)),
		uint16(bits >> 19 & (1<<9 - 1)),
		uint8(bits >> 28),
		uint8(bits >> 36),
	}
}

// bonuses and people are indexed by the logarithm of a city's population.
var (
	bonuses [256]float64 // kilometres that are subtracted from the distance of the city
	people  [256]int     // population
)

const maxBonus = 20.0

func init() {
	for i := range people {
		n := 1000 * math.Exp(float64(i)/24)
		people[i] = int(math.Round(n))
		bonuses[i] = min(maxBonus, 0.0075*math.Sqrt(n))
	}
}

// loadCities reads the embedded cities. First comes the table that encodeCities of package gen wrote, then the names
// of the cities that appendChunks wrote.
func loadCities() *cityTable {
	r := byteReader(citiesBlob)
	cityCount := r.readUvarint()
	cellCount := r.readUvarint()
	t := &cityTable{}
	t.filled = readFilledCells(&r)
	t.starts = readStarts(&r, cellCount)
	t.largest = r.readBytes(cellCount)
	t.towns = r.readBytes(cityCount*townSize + 2) // townAt needs two bytes after the last town
	t.lengths = r.readBytes(cityCount)
	t.ends = endsOfNames(t.lengths)
	for _, chunk := range r.readChunks() {
		t.names = append(t.names, sync.OnceValue(func() string { return string(inflate(chunk)) }))
	}
	t.markNear()
	return t
}

// readFilledCells reads which cells have cities: a word of 64 bits for each group of 64 cells. The result has one more
// group at the end, because cellRank is also called for the cell after the last.
func readFilledCells(r *byteReader) []filledCells {
	const groups = rows * columns / 64
	filled := make([]filledCells, 0, groups+1)
	cellsBefore := 0
	for range groups {
		cells := binary.LittleEndian.Uint64(r.readBytes(8))
		filled = append(filled, filledCells{cells: cells, before: uint32(cellsBefore)})
		cellsBefore += bits.OnesCount64(cells)
	}
	return append(filled, filledCells{before: uint32(cellsBefore)})
}

// readStarts reads how many cities each cell with cities has. It returns the index of the first city in each of these
// cells, and at the end the number of all cities.
func readStarts(r *byteReader, cellCount int) []uint32 {
	starts := make([]uint32, 1, cellCount+1)
	citiesBefore := uint32(0)
	for range cellCount {
		citiesBefore += uint32(r.readUvarint())
		starts = append(starts, citiesBefore)
	}
	return starts
}

// endsOfNames returns 0, and then the end of each group of namesTogether names in the text of all names. lengths has
// the length of each name.
func endsOfNames(lengths []byte) []uint32 {
	ends := make([]uint32, 1, len(lengths)/namesTogether+1)
	end := uint32(0)
	for i, length := range lengths {
		end += uint32(length)
		isLastOfGroup := i%namesTogether == namesTogether-1
		if isLastOfGroup {
			ends = append(ends, end)
		}
	}
	return ends
}

// markNear marks the blocks of cells that are near a block with a city. Two thirds of the world are not marked and
// need not be searched.
func (t *cityTable) markNear() {
	t.near = make([]uint64, (blockRows*blockColumns+63)/64)
	const rowsAround = 2 // number of rows of blocks that are within farKilometres
	for row := range int64(blockRows) {
		fromPole := min(row, blockRows-1-row) // number of blocks from the nearer pole; blocks become narrower towards it
		latitude := 90 - float64(max(fromPole-rowsAround, 0)*blockCells)/cellsPerDegree
		wide := min(int64(farKilometres/(kmPerBlock*longitudeScale(latitude)))+1, blockColumns/2)
		for col := range int64(blockColumns) {
			if t.hasCities(row, col) {
				t.markAround(row, col, rowsAround, wide)
			}
		}
	}
}

// isNear reports whether a city can be within farKilometres of a block of cells. The answer is in a bit set that fits
// into a processor's cache.
func (t *cityTable) isNear(col, row int64) bool {
	block := row*blockColumns + col
	return t.near[block/64]&(1<<(block%64)) != 0
}

// hasCities reports whether a block has cities.
func (t *cityTable) hasCities(row, col int64) bool {
	for r := row * blockCells; r < (row+1)*blockCells; r++ {
		first := r*columns + col*blockCells
		if t.cellRank(first) != t.cellRank(first+blockCells) {
			return true
		}
	}
	return false
}

// markAround marks the blocks around a block. rowsAround is the number of rows to the south and to the north, and wide
// is the number of blocks to the west and to the east.
func (t *cityTable) markAround(row, col, rowsAround, wide int64) {
	for r := max(row-rowsAround, 0); r <= min(row+rowsAround, blockRows-1); r++ {
		for c := col - wide; c <= col+wide; c++ {
			block := r*blockColumns + (c+blockColumns)%blockColumns
			t.near[block/64] |= 1 << (block % 64)
		}
	}
}

// cellRank returns how many cells before a cell have cities. If the cell itself has cities, the result is also the
// index of its entries in starts and largest.
func (t *cityTable) cellRank(cell int64) uint32 {
	group := &t.filled[cell/64]
	return group.before + uint32(bits.OnesCount64(group.cells&(1<<(cell%64)-1)))
}

// The maximum distances of a city in kilometres. A city beyond nearKilometres only counts if no city is nearer.
const (
	nearKilometres = 60.0
	farKilometres  = 150.0
)

// citySearch searches for the city of a position. This is the nearest city within near kilometres. If there is none, it
// is the nearest city within far kilometres. A large city counts as nearer than it is. The kilometres that are
// subtracted from its distance are called its bonus.
type citySearch struct {
	table     *cityTable
	country   uint8 // number of the country, or anyCountry
	position  orb.Point
	x, y      float64 // kilometres of the position east and north of the south-west corner of the world
	cos       float64 // length of a degree of longitude relative to one of latitude
	near, far float64 // maximum distances in kilometres
	best      float64 // effective distance of the best city so far, see searchRange
	city      int     // index of the best city, -1 for none
	cell      int     // cell of the best city
}

// farPenalty is added to the distances of cities beyond citySearch.near. It is larger than all distances that are
// searched, so that every city within near counts as nearer.
const farPenalty = 1000.0

const (
	kmPerCell  = kmPerDegree / cellsPerDegree
	kmPerBlock = kmPerCell * blockCells
)

// anyCountry as the number of a country means that cities of all countries are searched.
const anyCountry = 0

// findCity searches for the city of a position in a country. With anyCountry, it searches all countries.
func (t *cityTable) findCity(p orb.Point, country uint8, near, far float64) citySearch {
	s := citySearch{table: t, country: country, near: near, far: far, best: math.Inf(1), city: -1}
	ux, uy, isValid := gridUnits(p)
	if !isValid {
		return s
	}
	hasNoCity := far <= farKilometres && !t.isNear(ux/unitsPerBlock, uy/unitsPerBlock)
	if hasNoCity {
		return s
	}
	s.position = orb.Point{float64(ux)/unitsPerDegree - 180, float64(uy)/unitsPerDegree - 90}
	s.cos = longitudeScale(s.position[1])
	s.x = (s.position[0] + 180) * kmPerDegree * s.cos
	s.y = (s.position[1] + 90) * kmPerDegree
	s.searchOutwards(ux/unitsPerCell, uy/unitsPerCell)
	return s
}

// longitudeScale returns the length of a degree of longitude relative to one of latitude.
func longitudeScale(latitude float64) float64 { return max(math.Cos(latitude*math.Pi/180), 0.001) }

// maxDistance returns the distance in kilometres below which a city with the given bonus is better than the best city
// so far. bonus is the distance in kilometres that is subtracted for a large city. If the result is negative, no city
// with this bonus can be better, because the best city has a larger bonus and is nearer than the difference.
func (s *citySearch) maxDistance(bonus float64) float64 {
	if s.best < farPenalty {
		return min(s.best+bonus, s.near)
	}
	return max(s.near, min(s.best-farPenalty+bonus, s.far))
}

// searchOutwards searches the cell of the position first, and then the cells around it. A near city makes it
// unnecessary to search most other cells.
func (s *citySearch) searchOutwards(col, row int64) {
	s.searchCell(col, row)
	s.searchRow(col, row, 0)
	isSouthOpen := true // a row further south may have a better city
	isNorthOpen := true
	for distance := int64(1); isSouthOpen || isNorthOpen; distance++ {
		if isSouthOpen {
			isSouthOpen = s.searchSouth(col, row-distance)
		}
		if isNorthOpen {
			isNorthOpen = s.searchNorth(col, row+distance)
		}
	}
}

// searchSouth searches a row south of the position. It returns false if neither this row nor a row further south can
// have a better city.
func (s *citySearch) searchSouth(col, row int64) bool {
	if row < 0 {
		return false
	}
	northEdge := float64(row+1) * kmPerCell
	return s.searchRow(col, row, s.y-northEdge)
}

// searchNorth searches a row north of the position. It returns false if neither this row nor a row further north can
// have a better city.
func (s *citySearch) searchNorth(col, row int64) bool {
	if row >= rows {
		return false
	}
	southEdge := float64(row) * kmPerCell
	return s.searchRow(col, row, southEdge-s.y)
}

// maxDirectCities is the maximum number of cities that searchDirectly searches at once. In rows with more cities, each
// cell is checked first. If all rows were searched cell by cell, reading a file of points would take a quarter longer.
const maxDirectCities = 16

// cellsBeside returns how many cells of a row, on each side of the position, can have a city within the given distance
// of the position. away is the distance from the position to the row. The result is at most half of the row, because
// the two sides meet on the other side of the world.
func (s *citySearch) cellsBeside(distance, away float64) int64 {
	alongRow := math.Sqrt(distance*distance - away*away)
	cells := int64(alongRow/(kmPerCell*s.cos)) + 1 // one more, because the position is within a cell
	return min(cells, columns/2)
}

// searchRow searches the cells of a row on both sides of a column. away is the distance in kilometres from the position
// to the row. If away is 0, the position is in the row, and the caller has already searched the cell of the position.
// searchRow returns false if the row is too far away to have a better city.
func (s *citySearch) searchRow(col, row int64, away float64) bool {
	farthest := s.maxDistance(maxBonus)
	if away > farthest {
		return false
	}
	wide := s.cellsBeside(farthest, away)
	crossesAntimeridian := col < wide || col+wide >= columns
	if !crossesAntimeridian && s.searchDirectly(row, row*columns+col, wide, away) {
		return true
	}
	isOwnRow := away == 0
	if !isOwnRow {
		s.searchCell(col, row)
	}
	for distance := int64(1); distance <= wide; distance++ {
		s.searchCell(col-distance, row)
		s.searchCell(col+distance, row)
	}
	return true
}

// searchDirectly searches the cities in several cells of a row at once instead of cell by cell. The parameter wide is
// the number of cells to search on each side of cell. The parameter away is the distance of the row in kilometres. If
// these cells have too many cities, searchDirectly searches nothing and returns false.
func (s *citySearch) searchDirectly(row, cell, wide int64, away float64) bool {
	first := s.table.cellRank(cell - wide)
	end := s.table.cellRank(cell + wide + 1)
	if first == end { // no cities
		return true
	}
	largest := slices.Max(s.table.largest[first:end])
	if away > s.maxDistance(bonuses[largest]) { // all cities are too small to be better
		return true
	}
	firstCity := s.table.starts[first]
	endCity := s.table.starts[end]
	if endCity-firstCity > maxDirectCities {
		return false
	}
	s.searchRange(firstCity, endCity, row, s.x)
	return true
}

// searchCell searches the cities of a cell. It does nothing if none of them can be better than the best city so far.
// The column can be beyond the antimeridian.
func (s *citySearch) searchCell(col, row int64) {
	turn := (col+columns)/columns - 1 // how many times the column is beyond the antimeridian: -1, 0 or 1
	cell := row*columns + col - turn*columns
	rank := s.table.cellRank(cell)
	isEmpty := rank == s.table.cellRank(cell+1)
	if isEmpty {
		return
	}
	limit := s.maxDistance(bonuses[s.table.largest[rank]])
	if s.squareToCell(col, row) > limit*limit {
		return
	}
	x := s.x - float64(turn)*360*kmPerDegree*s.cos // the position as seen from the cell
	s.searchRange(s.table.starts[rank], s.table.starts[rank+1], row, x)
}

// squareToCell returns the square of the distance from the position to a cell, in square kilometres.
func (s *citySearch) squareToCell(col, row int64) float64 {
	west := float64(col)*kmPerCell*s.cos - s.x
	south := float64(row)*kmPerCell - s.y
	dx := max(west, -west-kmPerCell*s.cos, 0)
	dy := max(south, -south-kmPerCell, 0)
	return dx*dx + dy*dy
}

// searchRange searches the cities with the indexes from first to end-1. All of them are in the same row of cells. x is
// the distance of the position from the western edge of the world in kilometres. This is s.x, or s.x plus or minus a
// full turn of the earth for cells beyond the antimeridian.
//
// The best city has the smallest effective distance, which is the distance less the bonus of the city. If the distance
// is more than s.near, farPenalty is added.
func (s *citySearch) searchRange(first, end uint32, row int64, x float64) {
	const kmPerThousandth = kmPerDegree / 1000 // of a degree
	rowNorth := float64(row)*kmPerCell - s.y   // from the position north to the southern edge of the row
	for city := first; city < end; city++ {
		town := townAt(s.table.towns[city*townSize:])
		isInCountry := s.country == anyCountry || town.country == s.country
		if !isInCountry {
			continue
		}
		east := float64(town.x)*(kmPerThousandth*s.cos) - x // from the position to the city
		north := rowNorth + float64(town.y)*kmPerThousandth
		square := east*east + north*north // compared with the square of the limit, because roots are slow
		bonus := bonuses[town.population]
		limit := s.maxDistance(bonus) // negative if no distance is short enough
		isTooFar := limit < 0 || square > limit*limit
		if isTooFar {
			continue
		}
		distance := math.Sqrt(square)
		effective := distance - bonus
		if distance > s.near {
			effective += farPenalty
		}
		if effective < s.best {
			s.best = effective
			s.city = int(city)
			s.cell = int(row)*columns + int(town.x)/milliPerCell
		}
	}
}

func (t *cityTable) cityName(i int) string {
	first := i / namesTogether
	start := t.ends[first]
	for _, length := range t.lengths[first*namesTogether : i] {
		start += uint32(length)
	}
	start -= t.ends[i/namesPerChunk*(namesPerChunk/namesTogether)]
	return t.names[i/namesPerChunk]()[start:][:t.lengths[i]]
}

// cityAt returns the city with the index i. cell is the cell of the city.
func (t *cityTable) cityAt(i, cell int) City {
	at := townAt(t.towns[i*townSize:])
	c := City{Name: t.cityName(i), Population: people[at.population]}
	if at.country != 0 {
		c.Code = borders().countries[at.country-1].Code
	}
	x := int(at.x)
	y := int(at.y) + cell/columns*milliPerCell
	c.Point = orb.Point{float64(x-180_000) / 1000, float64(y-90_000) / 1000}
	return c
}

// EachCity calls yield with the cities in a bound that have at least minPopulation people. It stops when yield returns
// false. The order of the cities is always the same. If a bound crosses the antimeridian, it can continue beyond
// ±180°, or its eastern longitude can be smaller than its western.
func EachCity(b orb.Bound, minPopulation int, yield func(City) bool) {
	if b.Max[0] < b.Min[0] {
		b.Max[0] += 360
	}
	west, south, isMinValid := gridUnits(orb.Point{b.Min[0], max(b.Min[1], -90)})
	_, north, isMaxValid := gridUnits(orb.Point{b.Max[0], min(b.Max[1], 90)})
	if !isMinValid || !isMaxValid {
		return
	}
	t := cities()
	wide := int64(min((b.Max[0]-b.Min[0])*cellsPerDegree+1, columns-1)) // at most once around the world
	for row := south / unitsPerCell; row <= north/unitsPerCell; row++ {
		for col := west / unitsPerCell; col <= west/unitsPerCell+wide; col++ {
			cell := row*columns + col%columns // beyond the antimeridian, columns continue in the west
			if !t.eachCityOf(cell, b, minPopulation, yield) {
				return
			}
		}
	}
}

// eachCityOf is like EachCity, but only looks at the cities of one cell. It returns false if yield returned false.
func (t *cityTable) eachCityOf(cell int64, b orb.Bound, minPopulation int, yield func(City) bool) bool {
	rank := t.cellRank(cell)
	isEmpty := rank == t.cellRank(cell+1)
	if isEmpty || people[t.largest[rank]] < minPopulation {
		return true
	}
	for i := int(t.starts[rank]); i < int(t.starts[rank+1]); i++ {
		if people[townAt(t.towns[i*townSize:]).population] < minPopulation {
			continue
		}
		city := t.cityAt(i, int(cell))
		p := city.Point
		p[0] += math.Ceil((b.Min[0]-p[0])/360) * 360 // turns the city to just east of the western limit
		if !b.Contains(p) {
			continue
		}
		if !yield(city) {
			return false
		}
	}
	return true
}
