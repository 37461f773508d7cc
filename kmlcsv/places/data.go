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
	//go:embed citynames.txt
	cityNames string // one behind the other
)

// Size returns the number of bytes the data adds to a program.
func Size() int { return len(bordersBlob) + len(citiesBlob) + len(cityNames) }

// inflate returns embedded data, whose length is before it. It is part of the
// program: that it can be read is a matter of tests, not of users.
func inflate(blob []byte) []byte {
	r := reader(blob)
	raw := make([]byte, r.uvarint())
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(r)), raw); err != nil {
		panic(fmt.Sprintf("places: embedded data: %v", err))
	}
	return raw
}

// reader takes numbers and bytes off a slice.
type reader []byte

func (r *reader) uvarint() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *reader) varint() int32 {
	v, n := binary.Varint(*r)
	*r = (*r)[n:]
	return int32(v)
}

func (r *reader) take(n int) []byte {
	b := (*r)[:n:n]
	*r = (*r)[n:]
	return b
}

func (r *reader) byte() uint8 { return r.take(1)[0] }

// borderData is what borders.bin holds.
type borderData struct {
	countries []CountryName // number n is at n-1, from the smallest
	ids       [26 * 26]uint8
	grid      *grid
}

var (
	borders = sync.OnceValue(loadBorders)
	cities  = sync.OnceValue(loadCities)
)

func loadBorders() *borderData {
	d, edges := readBorders()
	d.grid = newGrid(edges)
	return d
}

// readBorders reads what the gen program's encode wrote.
func readBorders() (*borderData, []border) {
	r := reader(inflate(bordersBlob))
	d := &borderData{countries: make([]CountryName, r.uvarint())}
	for i := range d.countries {
		c := &d.countries[i]
		c.Code = string(r.take(2))
		c.Name = string(r.take(int(r.byte())))
		d.ids[codeIndex(c.Code)] = uint8(i + 1)
	}
	edges := make([]border, 0, 16_000)
	// The file counts from 0° 0°, in hundred-thousandths of a degree.
	var x, y int32
	for range r.uvarint() {
		a, b := r.byte(), r.byte()
		for i := range r.uvarint() {
			px, py := x, y
			x, y = x+r.varint(), y+r.varint()
			if i > 0 {
				edges = append(edges, border{
					2 * (px + 180e5), 2 * (py + 90e5), 2 * (x + 180e5), 2 * (y + 90e5), a, b,
				})
			}
		}
	}
	return d, edges
}

func codeIndex(code string) int { return int(code[0]-'A')*26 + int(code[1]-'A') }

// id returns the number of a country by its code, 0 for an unknown one.
func (d *borderData) id(code string) uint8 {
	if len(code) != 2 || code[0] < 'A' || code[0] > 'Z' || code[1] < 'A' || code[1] > 'Z' {
		return 0
	}
	return d.ids[codeIndex(code)]
}
