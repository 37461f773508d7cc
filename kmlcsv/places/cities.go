package places

import (
	"bytes"
	"math"

	"github.com/paulmach/orb"
)

const (
	metresPerDegree = 111_195
	kmPerDegree     = metresPerDegree / 1000.0
	milliPerCell    = 1000 / cellsPerDegree // thousandths of a degree
)

// cityTable is the cities in cells, as columns.
type cityTable struct {
	starts      []uint32 // of each cell, and of the one after the last
	largest     []uint8  // population of the largest city of each cell
	xs, ys      []byte   // low bytes of the thousandths of a degree within the cell
	high        []byte   // their ninth bits, longitude's first
	countries   []byte
	populations []byte // logarithms
	ends        []uint32
	names       string
}

// reach is by how many kilometres a city of a population seems nearer, and
// people its population, both by logarithm.
var (
	reach  [256]float64
	people [256]int
)

func init() {
	for i := range people {
		n := 1000 * math.Exp(float64(i)/24)
		people[i] = int(math.Round(n))
		reach[i] = min(20, 0.0075*math.Sqrt(n))
	}
}

// loadCities reads what the gen program's columnsOf wrote.
func loadCities() *cityTable {
	r := reader(citiesBlob)
	n := r.uvarint()
	t := &cityTable{
		starts:  make([]uint32, rows*columns+1),
		largest: make([]uint8, rows*columns),
		ends:    make([]uint32, n),
	}
	t.xs, t.ys, t.populations = r.take(n), r.take(n), r.take(n)
	r = inflate(r)
	for cell := range t.largest {
		first := t.starts[cell]
		next := first + uint32(r.uvarint())
		for _, p := range t.populations[first:next] {
			t.largest[cell] = max(t.largest[cell], p)
		}
		t.starts[cell+1] = next
	}
	t.high, t.countries = bytes.Clone(r.take(n)), bytes.Clone(r.take(n)) // for the rest to be freed
	end := uint32(0)
	for i, length := range r.take(n) {
		end += uint32(length)
		t.ends[i] = end
	}
	t.names = string(r)
	return t
}

// offset returns where a city is in its cell, in thousandths of a degree from
// the south-west corner.
func (t *cityTable) offset(i uint32) (x, y int) {
	high := int(t.high[i])
	return int(t.xs[i]) | high<<8&0x100, int(t.ys[i]) | high<<7&0x100
}

// search is a search for the city of a position.
type search struct {
	t        *cityTable
	id       uint8   // country, 0 for any
	x, y     float64 // kilometres east and north of the south-west corner
	cos      float64 // kilometres of a degree of longitude to those of latitude
	best     float64 // seeming distance in kilometres
	city     int     // -1 for none
	farthest float64
}

// The farthest that a city may be, in kilometres: where there is none near, one
// that is far counts.
const nearKilometres, farKilometres = 60.0, 150.0

// find returns the city of a position in a country, 0 for any: the nearest
// within the first of the distances that has one.
func (t *cityTable) find(p orb.Point, id uint8, kilometres ...float64) (City, bool) {
	ux, uy, ok := units(p)
	if !ok {
		return City{}, false
	}
	p = orb.Point{float64(ux)/unitsPerDegree - 180, float64(uy)/unitsPerDegree - 90}
	for _, farthest := range kilometres {
		s := search{t: t, id: id, best: math.Inf(1), city: -1, farthest: farthest}
		s.cos = max(math.Cos(p[1]*math.Pi/180), 0.001)
		s.x, s.y = (p[0]+180)*kmPerDegree*s.cos, (p[1]+90)*kmPerDegree
		if s.run(ux/unitsPerCell, uy/unitsPerCell); s.city >= 0 {
			cell := t.cellOf(s.city)
			c := t.city(s.city, cell)
			c.Distance, c.Bearing = course(c.Point, p)
			return c, true
		}
	}
	return City{}, false
}

// run looks into the position's own cell first, for what is found there
// spares most of the others.
func (s *search) run(col, row int64) {
	s.look(col, row)
	const kmPerCell = kmPerDegree / cellsPerDegree
	first := max(int64((s.y-s.farthest)/kmPerCell), 0)
	last := min(int64((s.y+s.farthest)/kmPerCell), rows-1)
	wide := min(int64(math.Ceil(s.farthest/(kmPerCell*s.cos))), columns/2)
	for r := first; r <= last; r++ {
		if !s.t.hasCities(r, col-wide, col+wide) {
			continue
		}
		for c := col - wide; c <= col+wide; c++ {
			if r != row || c != col {
				s.look(c, r)
			}
		}
	}
}

// hasCities reports whether a row has cities in some of its columns, which may be
// beyond the antimeridian. Rows stand one behind the other, and so do cities.
func (t *cityTable) hasCities(row, first, last int64) bool {
	count := func(first, last int64) uint32 { return t.starts[row*columns+last+1] - t.starts[row*columns+first] }
	switch {
	case last-first+1 >= columns:
		return count(0, columns-1) > 0
	case first < 0:
		return count(first+columns, columns-1) > 0 || count(0, last) > 0
	case last >= columns:
		return count(first, columns-1) > 0 || count(0, last-columns) > 0
	}
	return count(first, last) > 0
}

// look goes through the cities of a cell, unless none of them can be nearer
// than the best so far. The column may be beyond the antimeridian.
func (s *search) look(col, row int64) {
	turn := floorDiv(col, columns)
	cell := row*columns + col - turn*columns
	from, to := s.t.starts[cell], s.t.starts[cell+1]
	if from == to {
		return
	}
	const kmPerCell = kmPerDegree / cellsPerDegree
	west, south := float64(col)*kmPerCell*s.cos-s.x, float64(row)*kmPerCell-s.y
	dx := max(west, -west-kmPerCell*s.cos, 0)
	dy := max(south, -south-kmPerCell, 0)
	if most := min(s.best+reach[s.t.largest[cell]], s.farthest); dx*dx+dy*dy > most*most {
		return
	}
	const kmPerMilli = kmPerDegree / 1000
	for i := from; i < to; i++ {
		if s.id != 0 && s.t.countries[i] != s.id {
			continue
		}
		x, y := s.t.offset(i)
		dx, dy := west+float64(x)*(kmPerMilli*s.cos), south+float64(y)*kmPerMilli
		r := reach[s.t.populations[i]]
		most := min(s.best+r, s.farthest)
		if d2 := dx*dx + dy*dy; most >= 0 && d2 <= most*most {
			if d := math.Sqrt(d2) - r; d < s.best {
				s.best, s.city = d, int(i)
			}
		}
	}
}

// cellOf returns the cell of a city.
func (t *cityTable) cellOf(city int) int {
	low, high := 0, len(t.starts)-1
	for high-low > 1 {
		if mid := (low + high) / 2; int(t.starts[mid]) <= city {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// city returns a city of a cell.
func (t *cityTable) city(i, cell int) City {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	c := City{Name: t.names[start:t.ends[i]], Population: people[t.populations[i]]}
	if id := t.countries[i]; id != 0 {
		c.Code = borders().countries[id-1].Code
	}
	x, y := t.offset(uint32(i))
	x, y = x+cell%columns*milliPerCell, y+cell/columns*milliPerCell
	c.Point = orb.Point{float64(x-180_000) / 1000, float64(y-90_000) / 1000}
	return c
}

// course returns distance in metres and bearing in degrees along the great
// circle.
func course(from, to orb.Point) (metres, bearing float64) {
	const rad = math.Pi / 180
	sin1, cos1 := math.Sincos(from[1] * rad)
	sin2, cos2 := math.Sincos(to[1] * rad)
	sinL, cosL := math.Sincos((to[0] - from[0]) * rad)
	x, y := cos1*sin2-sin1*cos2*cosL, cos2*sinL
	angle := math.Atan2(math.Hypot(x, y), sin1*sin2+cos1*cos2*cosL)
	bearing = math.Atan2(y, x) / rad
	if bearing < 0 {
		bearing += 360
	}
	return angle / rad * metresPerDegree, bearing
}

// Cities calls yield with the cities of a bound that have at least so many
// people, always in the same order, until it returns false. A bound may go on
// beyond ±180°, or from the larger longitude over the antimeridian to the
// smaller.
func Cities(b orb.Bound, minPopulation int, yield func(City) bool) {
	if !finite(b.Min[0]) || !finite(b.Max[0]) || !(b.Min[1] <= b.Max[1]) {
		return
	}
	if b.Max[0] < b.Min[0] {
		b.Max[0] += 360
	}
	t := cities()
	least := 0
	for least < 256 && people[least] < minPopulation {
		least++
	}
	first := math.Floor((b.Min[0] + 180) * cellsPerDegree)
	last := math.Floor((b.Max[0] + 180) * cellsPerDegree)
	wide := min(int64(last-first), columns-1)
	west := int64(math.Mod(first, columns)) + columns
	south := int64(max(b.Min[1]+90, 0) * cellsPerDegree)
	north := int64(min(b.Max[1]+90, 180-1e-9) * cellsPerDegree)
	for row := south; row <= north; row++ {
		for col := west; col <= west+wide; col++ {
			cell := int(row*columns + col%columns)
			if int(t.largest[cell]) >= least && !t.within(cell, b, least, yield) {
				return
			}
		}
	}
}

// within yields the cities of a cell; false when yield has had enough.
func (t *cityTable) within(cell int, b orb.Bound, least int, yield func(City) bool) bool {
	for i := int(t.starts[cell]); i < int(t.starts[cell+1]); i++ {
		if int(t.populations[i]) < least {
			continue
		}
		c := t.city(i, cell)
		p := c.Point
		p[0] += math.Ceil((b.Min[0]-p[0])/360) * 360
		if p[0] > b.Max[0] || p[1] < b.Min[1] || p[1] > b.Max[1] {
			continue
		}
		if !yield(c) {
			return false
		}
	}
	return true
}
