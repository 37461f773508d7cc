package places

import (
	_ "embed"
	"encoding/binary"
	"sync"
)

var (
	//go:embed borders.bin
	bordersBlob []byte
	//go:embed cities.bin
	citiesBlob []byte
	//go:embed citynames.txt
	cityNames string // one behind the other
)

// byteReader takes numbers and bytes off a slice.
type byteReader []byte

func (r *byteReader) readUvarint() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *byteReader) takeBytes(n int) []byte {
	b := (*r)[:n:n]
	*r = (*r)[n:]
	return b
}

// borderData is what borders.bin holds.
type borderData struct {
	countries []CountryName // number n is at n-1, from the smallest
	grid      countryGrid
}

var (
	borders = sync.OnceValue(loadBorders)
	cities  = sync.OnceValue(loadCities)
)

// loadBorders reads what the gen program's encode wrote.
func loadBorders() *borderData {
	r := byteReader(bordersBlob)
	d := &borderData{countries: make([]CountryName, r.readUvarint())}
	for i := range d.countries {
		c := &d.countries[i]
		c.Code = string(r.takeBytes(2))
		c.Name = string(r.takeBytes(int(r.takeBytes(1)[0])))
	}
	parts := [...]*[]byte{&d.grid.blocks, &d.grid.cells, &d.grid.mixed, &d.grid.sets, &d.grid.edges}
	var sizes [len(parts)]int
	for i := range parts {
		sizes[i] = r.readUvarint()
	}
	for i, part := range parts {
		*part = r.takeBytes(sizes[i])
	}
	return d
}
