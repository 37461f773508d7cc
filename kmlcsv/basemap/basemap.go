package basemap

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/paulmach/orb"
)

//go:embed basemap.bin
var blob []byte

// Attribution names the source. Being in the public domain, it does not ask for
// it.
const Attribution = "Coasts and borders: Natural Earth (naturalearthdata.com), public domain."

// Kind says what a line is.
type Kind uint8

// The kinds of line.
const (
	Coast  Kind = iota // of a sea or a large lake
	Border             // between two countries
)

// Level is a scale of the data.
type Level uint8

// The levels, from the least detailed.
const (
	World  Level = iota // 1:110 million: 8,000 points
	Region              // 1:50 million: 80,000 points, without bays of less than some 10 km
)

const levels = 2

// Line is a coast or a border. Its points are longitude and latitude in
// degrees, to a hundredth. A line that crosses the antimeridian goes on beyond
// ±180°, so that neighbouring points are always near each other.
type Line struct {
	Kind   Kind
	Bound  orb.Bound // of the points
	Points orb.LineString
}

// Lines returns the lines of a level, decoded at each call (1 ms and 10 ms):
// who draws them keeps them in the form that it draws.
func Lines(level Level) []Line { return decodeLines(inflateLevel(int(min(level, levels-1)))) }

// inflateLevel returns the inflated bytes of a level. The blob is part of the
// program: that it can be read is a matter of its tests, not of its users.
func inflateLevel(level int) []byte {
	rest := blob
	for {
		size, n := binary.Uvarint(rest)
		packed := rest[n : n+int(size)]
		if level == 0 {
			raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
			if err != nil {
				panic(fmt.Sprintf("basemap: embedded data: %v", err))
			}
			return raw
		}
		rest = rest[n+int(size):]
		level--
	}
}

// decodeLines reads what encode of the gen program wrote.
func decodeLines(raw []byte) []Line {
	next := func() uint64 {
		v, n := binary.Uvarint(raw)
		raw = raw[n:]
		return v
	}
	signed := func() int64 {
		v, n := binary.Varint(raw)
		raw = raw[n:]
		return v
	}
	out := make([]Line, next())
	arena := make(orb.LineString, 0, len(raw)/2)
	var x, y int64
	for i := range out {
		head := next()
		first := len(arena)
		for range head >> 1 {
			x += signed()
			y += signed()
			arena = append(arena, orb.Point{float64(x) / 100, float64(y) / 100})
		}
		points := arena[first:len(arena):len(arena)]
		out[i] = Line{
			Kind:   Kind(head & 1),
			Bound:  points.Bound(),
			Points: points,
		}
	}
	return out
}
