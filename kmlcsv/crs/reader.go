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

// reader reads the numbers and texts that the program in gen/systems wrote. The data is part of this program, so
// reading it can only fail because of a defect in the build.
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

// decimal reads a number. It is stored as its digits, and the power of ten by which they are divided.
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

// powersOfTen are the powers of ten that a float64 can store exactly.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// inflateChunk decompresses the embedded chunk with the index.
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
