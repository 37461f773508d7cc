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

// reader reads numbers and texts from the embedded data, which the program in gen/systems wrote. It does not return
// errors: the data is a part of this program, so only a defective build can make it unreadable.
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

// decimal reads a decimal number. It is stored as two integers: its digits without the point, and the number of
// decimals.
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

// powersOfTen are the powers of ten that decimal divides by. A float64 can store them exactly.
var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
}

// inflateChunk decompresses the chunk of the embedded data with the given index, such as chunkNames.
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
