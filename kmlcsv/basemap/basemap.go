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

// blob has the compressed lines of each level, from World to Region. The program in the folder gen wrote basemap.bin.
//
//go:embed basemap.bin
var blob []byte

// Attribution names the source of the data. The licence does not require it, because the data is in the public
// domain.
const Attribution = "Coasts and borders: Natural Earth (naturalearthdata.com), public domain."

// Kind tells whether a line is a coast or a border.
type Kind uint8

// Kinds of lines.
const (
	Coast  Kind = iota // of a sea or a large lake
	Border             // between two countries
)

// Level is the level of detail of the lines: World or Region.
type Level uint8

// Levels, from the least detailed.
const (
	World  Level = iota // 1:110 million: 8,000 points
	Region              // 1:50 million: 80,000 points, without bays smaller than about 10 km
)

const levels = 2

// Line is a coast or a border. Its points are longitudes and latitudes in degrees, rounded to a hundredth. If a line
// crosses the antimeridian, its longitudes continue beyond ±180°, so consecutive points never jump from 180° to
// -180°.
type Line struct {
	Kind   Kind
	Bound  orb.Bound // bounding box of the points
	Points orb.LineString
}

// Lines returns the lines of a level. It decodes them on each call, which takes 1 ms for
// World and 10 ms for Region, so callers should keep the result.
func Lines(level Level) []Line { return decodeLines(inflateLevel(int(min(level, levels-1)))) }

// inflateLevel decompresses the data of a level. It panics if the embedded data is damaged.
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

// decodeLines decodes the lines of a level. The data begins with the number of lines. Each line begins with a number:
// its lowest bit is the kind of the line, and the other bits are the number of points. Each point is stored as the
// difference from the previous point, in hundredths of a degree. The first point of a line is stored as the
// difference from the last point of the previous line.
func decodeLines(raw []byte) []Line {
	r := varintReader(raw)
	lines := make([]Line, r.readUnsigned())
	arena := make(orb.LineString, 0, len(raw)/2) // the points of all lines
	var x, y int64
	for i := range lines {
		head := r.readUnsigned()
		first := len(arena)
		for range head >> 1 {
			x += r.readSigned()
			y += r.readSigned()
			arena = append(arena, orb.Point{float64(x) / 100, float64(y) / 100})
		}
		points := arena[first:len(arena):len(arena)]
		lines[i] = Line{
			Kind:   Kind(head & 1),
			Bound:  points.Bound(),
			Points: points,
		}
	}
	return lines
}

// varintReader reads variable-length integers from a slice, which gets shorter with each number.
type varintReader []byte

func (r *varintReader) readUnsigned() uint64 {
	v, n := binary.Uvarint(*r)
	*r = (*r)[n:]
	return v
}

func (r *varintReader) readSigned() int64 {
	v, n := binary.Varint(*r)
	*r = (*r)[n:]
	return v
}
