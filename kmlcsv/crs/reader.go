package crs

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
)

// reader reads the numbers and texts that the program in gen/systems writes. The data is
// part of the program, so that damage is a fault of the build.
type reader []byte

func (r *reader) number() int {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return int(v)
}

func (r *reader) bytes(n int) []byte {
	b := (*r)[:n:n]
	*r = (*r)[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes(r.number())) }

func (r *reader) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(r.bytes(8)))
}

// decimal reads a number as its digits and the power of ten that they are divided by.
func (r *reader) decimal() float64 {
	digits, n := binary.Varint(*r)
	*r = (*r)[n:]
	power := r.number()
	const exact = 1 << 53
	if power < len(powersOfTen) && -exact < digits && digits < exact {
		return float64(digits) / powersOfTen[power]
	}
	v, _ := strconv.ParseFloat(fmt.Sprintf("%de-%d", digits, power), 64)
	return v
}

// powersOfTen are the powers that a float64 can hold exactly.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// inflateChunk inflates the chunk of the embedded data with an index.
func inflateChunk(index int) []byte {
	r := reader(embedded)
	for range index {
		r.bytes(r.number())
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(r.bytes(r.number()))))
	if err != nil {
		panic(fmt.Sprintf("crs: embedded data: %v", err))
	}
	return raw
}
