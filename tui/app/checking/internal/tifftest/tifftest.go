// Package tifftest writes small TIFF files for tests.
package tifftest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
)

// Tag is a tag of a TIFF file.
type Tag struct {
	Number, Kind uint16
	Count        uint64
	Value        []byte // little-endian
}

// Shorts returns a tag with 16-bit numbers.
func Shorts(number uint16, values ...uint16) Tag {
	return Tag{Number: number, Kind: 3, Count: uint64(len(values)), Value: encode(values)}
}

// Longs returns a tag with 32-bit numbers.
func Longs(number uint16, values ...uint32) Tag {
	return Tag{Number: number, Kind: 4, Count: uint64(len(values)), Value: encode(values)}
}

// Doubles returns a tag with 64-bit floating-point numbers.
func Doubles(number uint16, values ...float64) Tag {
	return Tag{Number: number, Kind: 12, Count: uint64(len(values)), Value: encode(values)}
}

// Text returns a tag with text.
func Text(number uint16, value string) Tag {
	return Tag{Number: number, Kind: 2, Count: uint64(len(value)), Value: []byte(value)}
}

// encode returns the little-endian bytes of numbers.
func encode(values any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err) // the types of tests have a fixed size
	}
	return b.Bytes()
}

// Raster describes a TIFF file for tests, with one band of 8 bits per pixel.
type Raster struct {
	Width, Height int
	Pixels        func(x, y int) byte
	Big           bool  // BigTIFF
	Deflate       bool  // compress the pixels
	Tile          int   // side of the tiles in pixels; 0 for an image in one strip
	Extra         []Tag // written before the other tags, to override them: readers use the first tag with a number
}

// tags returns the tags of the image. offsets and sizes are the positions of its blocks in the file.
func (r *Raster) tags(offsets, sizes []uint32) []Tag {
	compression := uint16(1)
	if r.Deflate {
		compression = 8
	}
	tags := append(slices.Clone(r.Extra),
		Longs(256, uint32(r.Width)), Longs(257, uint32(r.Height)), Shorts(258, 8), Shorts(259, compression),
		Shorts(262, 1), Shorts(277, 1),
	)
	if r.Tile > 0 {
		side := uint32(r.Tile)
		return append(tags, Longs(322, side), Longs(323, side), Longs(324, offsets...), Longs(325, sizes...))
	}
	return append(tags, Longs(273, offsets...), Longs(278, uint32(r.Height)), Longs(279, sizes...))
}

// Placed returns tags for a raster with pixels of 1 m in the reference system EPSG:32637.
func Placed() []Tag {
	return []Tag{
		Doubles(33550, 1, 1, 0), Doubles(33922, 0, 0, 0, 745000, 255000, 0),
		Shorts(34735, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32637),
	}
}

// Bytes returns the content of the TIFF file.
func (r *Raster) Bytes() []byte {
	file := make([]byte, 8)
	if r.Big {
		file = make([]byte, 16)
	}
	blockWidth, blockHeight := r.Width, r.Height
	if r.Tile > 0 {
		blockWidth, blockHeight = r.Tile, r.Tile
	}
	var offsets, sizes []uint32
	for top := 0; top < r.Height; top += blockHeight {
		for left := 0; left < r.Width; left += blockWidth {
			block := r.block(left, top, blockWidth, blockHeight)
			offsets = append(offsets, uint32(len(file)))
			sizes = append(sizes, uint32(len(block)))
			file = append(file, block...)
		}
	}
	return AppendDirectory(file, r.Big, r.tags(offsets, sizes), 0)
}

// block returns the stored pixels of a block. Pixels beyond the image are 0.
func (r *Raster) block(left, top, width, height int) []byte {
	pixels := make([]byte, 0, width*height)
	for y := top; y < top+height; y++ {
		for x := left; x < left+width; x++ {
			value := byte(0)
			if x < r.Width && y < r.Height {
				value = r.Pixels(x, y)
			}
			pixels = append(pixels, value)
		}
	}
	if !r.Deflate {
		return pixels
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(pixels) // writing to a buffer cannot fail
	_ = w.Close()
	return packed.Bytes()
}

// AppendDirectory appends a directory to a file and overwrites the header at the beginning of the file, so
// that it points to the directory. next is the offset of the next directory, or 0.
func AppendDirectory(file []byte, big bool, tags []Tag, next uint64) []byte {
	order := binary.LittleEndian
	inlineSize := 4 // of a value in its tag
	if big {
		inlineSize = 8
	}
	tags = slices.Clone(tags)
	for i := range tags { // a value that is too long for its tag is stored before the directory
		if len(tags[i].Value) > inlineSize {
			offset := len(file)
			file = append(file, tags[i].Value...)
			tags[i].Value = order.AppendUint64(nil, uint64(offset))[:inlineSize]
		}
	}
	start := uint64(len(file))
	if big {
		copy(file, "II+\x00\x08\x00\x00\x00")
		order.PutUint64(file[8:], start)
		file = order.AppendUint64(file, uint64(len(tags)))
	} else {
		copy(file, "II*\x00")
		order.PutUint32(file[4:], uint32(start))
		file = order.AppendUint16(file, uint16(len(tags)))
	}
	for _, t := range tags {
		file = order.AppendUint16(file, t.Number)
		file = order.AppendUint16(file, t.Kind)
		if big {
			file = order.AppendUint64(file, t.Count)
		} else {
			file = order.AppendUint32(file, uint32(t.Count))
		}
		inline := make([]byte, inlineSize)
		copy(inline, t.Value)
		file = append(file, inline...)
	}
	if big {
		return order.AppendUint64(file, next)
	}
	return order.AppendUint32(file, uint32(next))
}
