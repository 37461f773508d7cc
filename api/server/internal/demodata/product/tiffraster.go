package product

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Tags of rasters.
const (
	TagNewSubfileType  = 254
	tagWidth           = 256
	tagHeight          = 257
	tagBits            = 258
	tagCompression     = 259
	tagPhotometric     = 262
	TagDescription     = 270
	TagMake            = 271
	TagModel           = 272
	tagStripOffsets    = 273
	TagOrientation     = 274
	tagSamples         = 277
	tagRowsPerStrip    = 278
	tagStripBytes      = 279
	tagPlanar          = 284
	TagSoftware        = 305
	TagDateTime        = 306
	tagPredictor       = 317
	TagSubIFDs         = 330
	tagExtraSamples    = 338
	tagSampleFormat    = 339
	compressionNone    = 1
	compressionDeflate = 8
)

// Photometric interpretations.
const (
	PhotometricGrey = 1
	PhotometricRGB  = 2
	PhotometricCFA  = 32803
)

// Raster is a picture of rows of samples, band by band within a pixel.
type Raster struct {
	Width, Height int
	Bands         int
	Bits          int  // of a sample: 8, 16, or 32 where Float
	Float         bool // IEEE
	Photometric   uint16
	Alpha         bool    // the last band is one
	Plain         bool    // not compressed
	Tags          TIFFDir // additional ones

	// Row fills in a row, little-endian. It begins as zeros, and is asked for in
	// order, from any row on.
	Row func(row int, to []byte)
}

const stripBytes = 64 << 10

func (r *Raster) rowBytes() int { return r.Width * r.Bands * r.Bits / 8 }

// Strips returns how many strips the raster is cut into, of how many rows.
func (r *Raster) stripLayout() (n, rows int) {
	rows = min(max(1, stripBytes/r.rowBytes()), r.Height)
	return (r.Height + rows - 1) / rows, rows
}

// writeTags sets the tags of the raster, but for where its strips are.
func (r *Raster) writeTags(sizes []uint32) {
	t := &r.Tags
	_, rows := r.stripLayout()
	bits := make([]uint16, r.Bands)
	formats := make([]uint16, r.Bands)
	for i := range bits {
		bits[i], formats[i] = uint16(r.Bits), 1
		if r.Float {
			formats[i] = 3
		}
	}
	t.Long(tagWidth, uint32(r.Width))
	t.Long(tagHeight, uint32(r.Height))
	t.Short(tagBits, bits...)
	t.Short(tagPhotometric, r.Photometric)
	t.Short(tagSamples, uint16(r.Bands))
	t.Long(tagRowsPerStrip, uint32(rows))
	t.Long(tagStripBytes, sizes...)
	t.Long(tagStripOffsets, make([]uint32, len(sizes))...)
	t.Short(tagPlanar, 1)
	t.Short(tagSampleFormat, formats...)
	t.Short(tagCompression, compressionNone)
	if !r.Plain {
		t.Short(tagCompression, compressionDeflate)
		t.Short(tagPredictor, r.predictor())
	}
	colours := 1
	if r.Photometric == PhotometricRGB {
		colours = 3
	}
	if extra := make([]uint16, max(0, r.Bands-colours)); len(extra) > 0 {
		if r.Alpha {
			extra[len(extra)-1] = 2 // not multiplied into the colours
		}
		t.Short(tagExtraSamples, extra...)
	}
}

func (r *Raster) predictor() uint16 {
	if r.Float {
		return 3
	}
	return 2
}

// stripOffset sets where the strips are, one after the other from an offset on, and
// returns where they end.
func (r *Raster) stripOffset(at int64, sizes []uint32) int64 {
	offsets := make([]uint32, len(sizes))
	for i, size := range sizes {
		offsets[i] = uint32(at)
		at += int64(size)
	}
	r.Tags.Long(tagStripOffsets, offsets...)
	return at
}

var errTooLong = errors.New("a TIFF file cannot be longer than 4 GiB")

// WriteTo writes the raster as a file.
func (r *Raster) WriteTo(w io.Writer) (int64, error) {
	n, _ := r.stripLayout()
	z, err := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	if err != nil {
		return 0, err
	}
	pieces, err := MeasurePieces(n, func(i int, to *bytes.Buffer) error { return r.encodeStrip(i, to, z) })
	if err != nil {
		return 0, err
	}
	if pieces.Total() > math.MaxUint32-1<<20 {
		return 0, errTooLong
	}
	sizes := make([]uint32, n)
	for i, size := range pieces.Sizes {
		sizes[i] = uint32(size)
	}
	r.writeTags(sizes)
	r.stripOffset(int64(headSize+len(r.Tags.Encode(headSize))), sizes)
	head, err := w.Write(EncodeTIFF(&r.Tags))
	if err != nil {
		return int64(head), err
	}
	body, err := pieces.WriteTo(w)
	return int64(head) + body, err
}

func (r *Raster) encodeStrip(i int, to *bytes.Buffer, z *zlib.Writer) error {
	_, rows := r.stripLayout()
	from := i * rows
	row := make([]byte, r.rowBytes())
	turned := make([]byte, len(row))
	if !r.Plain {
		z.Reset(to)
	}
	for y := from; y < min(from+rows, r.Height); y++ {
		clear(row)
		r.Row(y, row)
		if r.Plain {
			to.Write(row)
			continue
		}
		if _, err := z.Write(r.applyPredictor(row, turned)); err != nil {
			return err
		}
	}
	if r.Plain {
		return nil
	}
	return z.Close()
}

// applyPredictor turns a row into differences, which compress better.
func (r *Raster) applyPredictor(row, turned []byte) []byte {
	switch {
	case r.Float: // bytes of the same weight together, then differences of bytes
		n := len(row) / 4
		for i := range n {
			for b := range 4 {
				turned[b*n+i] = row[4*i+3-b]
			}
		}
		for i := len(turned) - 1; i >= r.Bands; i-- {
			turned[i] -= turned[i-r.Bands]
		}
		return turned
	case r.Bits == 16:
		for i := len(row)/2 - 1; i >= r.Bands; i-- {
			d := binary.LittleEndian.Uint16(row[2*i:]) - binary.LittleEndian.Uint16(row[2*(i-r.Bands):])
			binary.LittleEndian.PutUint16(row[2*i:], d)
		}
	default:
		for i := len(row) - 1; i >= r.Bands; i-- {
			row[i] -= row[i-r.Bands]
		}
	}
	return row
}

// WriteTIFFPair writes a small picture and, in a directory below it, a large one that
// is not compressed, as raw photos have them.
func WriteTIFFPair(w io.Writer, small, large *Raster) error {
	if !small.Plain || !large.Plain {
		return errors.New("the pictures of a pair are plain")
	}
	sizes := func(r *Raster) []uint32 {
		n, rows := r.stripLayout()
		out := make([]uint32, n)
		for i := range out {
			out[i] = uint32(r.rowBytes() * min(rows, r.Height-i*rows))
		}
		return out
	}
	first, second := sizes(small), sizes(large)
	small.writeTags(first)
	large.writeTags(second)
	small.Tags.Sub(TagSubIFDs, &large.Tags)
	at := int64(headSize + len(small.Tags.Encode(headSize)))
	if at = large.stripOffset(small.stripOffset(at, first), second); at > math.MaxUint32 {
		return errTooLong
	}
	if _, err := w.Write(EncodeTIFF(&small.Tags)); err != nil {
		return err
	}
	for _, r := range []*Raster{small, large} {
		row := make([]byte, r.rowBytes())
		for y := range r.Height {
			clear(row)
			r.Row(y, row)
			if _, err := w.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}
