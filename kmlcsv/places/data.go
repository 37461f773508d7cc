package places

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

var (
	//go:embed borders.bin
	bordersBlob []byte
	//go:embed cities.bin
	citiesBlob []byte
	//go:embed zones.bin
	zonesBlob []byte
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

// takeChunks takes what is left, as the gen program's appendChunks wrote it: data in
// chunks that are inflated where they are first looked at, for most orders are in one part
// of the world.
func (r *byteReader) takeChunks() [][]byte {
	var deflated [][]byte
	for len(*r) > 0 {
		deflated = append(deflated, r.takeBytes(r.readUvarint()))
	}
	return deflated
}

// inflate inflates a chunk. The data is part of the program: that it can be read is a
// matter of its tests, not of its users.
func inflate(deflated []byte) []byte {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	if err != nil {
		panic(fmt.Sprintf("places: embedded data: %v", err))
	}
	return raw
}

// borderData is what borders.bin holds.
type borderData struct {
	countries []CountryName    // number n is at n-1, from the smallest
	numbers   map[string]uint8 // by the codes of countries
	grid      countryGrid
}

var (
	borders = sync.OnceValue(loadBorders)
	cities  = sync.OnceValue(loadCities)
)

// loadBorders reads what the gen program's encode wrote.
func loadBorders() *borderData {
	r := byteReader(bordersBlob)
	chunks := r.takeChunks()
	r = inflate(chunks[0])
	count := r.readUvarint()
	d := &borderData{countries: make([]CountryName, count), numbers: make(map[string]uint8, count)}
	for i := range d.countries {
		c := &d.countries[i]
		c.Code = string(r.takeBytes(2))
		c.Name = string(r.takeBytes(int(r.takeBytes(1)[0])))
		d.numbers[c.Code] = uint8(i + 1)
	}
	d.grid.blocks = r.takeBytes(rows * columns / (blockCells * blockCells))
	d.grid.cells = r.takeBytes(2 * rows * columns)
	d.grid.sets = r
	for _, chunk := range chunks[1:] {
		d.grid.mixed = append(d.grid.mixed, sync.OnceValue(func() []byte { return inflate(chunk) }))
	}
	return d
}
