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

// Attribution names the source. It is in the public domain and does not require this.
const Attribution = "Coasts and borders: Natural Earth (naturalearthdata.com), public domain."

// Kind is the kind of a line.
type Kind uint8

// Kinds of lines.
const (
	Coast  Kind = iota // of a sea or a large lake
	Border             // between two countries
)

// Level is a scale of the data.
type Level uint8

// Levels, from the least detailed.
const (
	World  Level = iota // 1:110 million: 8,000 points
	Region              // 1:50 million: 80,000 points, without bays smaller than about 10 km
)

const levels = 2

// Line is a coast or a border. Its points are longitude and latitude in degrees, to a
// hundredth. A line that crosses the antimeridian continues beyond ±180°, so that
// neighbouring points are always close.
type Line struct {
	Kind   Kind
	Bound  orb.Bound // of the points
	Points orb.LineString
}

// Lines returns the lines of a level. It decodes them on each call, which takes 1 ms and
// 10 ms, so callers should keep the result.
func Lines(level Level) []Line { return decodeLines(inflateLevel(int(min(level, levels-1)))) }

// inflateLevel returns the inflated data of a level. It panics on errors, because tests
// ensure that the embedded data can be read.
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

// decodeLines parses the data written by encode of package gen.
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
