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

// byteReader reads numbers and bytes from a slice.
type byteReader []byte

func (r *byteReader) readUvarint() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *byteReader) readBytes(n int) []byte {
	b := (*r)[:n:n]
	*r = (*r)[n:]
	return b
}

// readChunks splits the remaining data into the chunks that appendChunks of package gen wrote. The chunks are still
// compressed. Each of them is decompressed by inflate on first use. Most programs look at one part of the world and
// need few chunks.
func (r *byteReader) readChunks() [][]byte {
	var deflated [][]byte
	for len(*r) > 0 {
		deflated = append(deflated, r.readBytes(r.readUvarint()))
	}
	return deflated
}

// inflate decompresses a chunk. It panics if the embedded data is damaged; tests ensure that it is not.
func inflate(deflated []byte) []byte {
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
	if err != nil {
		panic(fmt.Sprintf("places: embedded data: %v", err))
	}
	return raw
}

// borderData is the content of borders.bin.
type borderData struct {
	countries []CountryName    // the smallest first; the country with the number n is at index n-1
	numbers   map[string]uint8 // by country code
	grid      countryGrid
}

var (
	borders = sync.OnceValue(loadBorders)
	cities  = sync.OnceValue(loadCities)
)

// loadBorders parses the data that encode of package gen wrote.
func loadBorders() *borderData {
	r := byteReader(bordersBlob)
	chunks := r.readChunks()
	r = inflate(chunks[0])
	count := r.readUvarint()
	d := &borderData{countries: make([]CountryName, count), numbers: make(map[string]uint8, count)}
	for i := range d.countries {
		c := &d.countries[i]
		c.Code = string(r.readBytes(2))
		c.Name = string(r.readBytes(int(r.readBytes(1)[0])))
		d.numbers[c.Code] = uint8(i + 1)
	}
	d.grid.blocks = r.readBytes(rows * columns / (blockCells * blockCells))
	d.grid.cells = r.readBytes(2 * rows * columns)
	d.grid.sets = r
	for _, chunk := range chunks[1:] {
		d.grid.mixed = append(d.grid.mixed, sync.OnceValue(func() []byte { return inflate(chunk) }))
	}
	return d
}
