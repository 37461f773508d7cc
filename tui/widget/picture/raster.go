package picture

import (
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/tiff/lzw"

	"flightdesk/tui/theme"
)

// RasterValues describes the first band of a raster of measured values, such as an elevation
// or temperature map.
type RasterValues struct {
	What      string // description from the file, such as "terrain height, m"
	Low, High float64
}

// Tags of a TIFF file.
const (
	tagWidth       = 256
	tagHeight      = 257
	tagBits        = 258
	tagCompression = 259
	tagStrips      = 273
	tagSamples     = 277
	tagStripRows   = 278
	tagStripBytes  = 279
	tagPlanar      = 284
	tagPredictor   = 317
	tagTileWidth   = 322
	tagTileHeight  = 323
	tagTiles       = 324
	tagTileBytes   = 325
	tagFormat      = 339
	tagMetadata    = 42112 // GDAL metadata, XML
	tagNoData      = 42113 // GDAL no-data value, text
)

const (
	maxEntries = 4096
	maxTag     = 16 << 20  // size of a tag in bytes
	maxBlock   = 256 << 20 // size of an uncompressed strip or tile in bytes
)

var errNoRaster = errors.New("this is no raster that can be shown")

// rasterFile is a TIFF file whose samples are numbers.
type rasterFile struct {
	from    io.ReaderAt
	order   binary.ByteOrder
	numbers map[uint16][]uint64
	texts   map[uint16]string

	width, height  int
	block          image.Point // size of a strip or a tile
	across         int         // blocks per row
	offsets, sizes []uint64
	bytes          int // per sample
	stride         int // bytes per pixel
	format         uint64
	noData         float64 // NaN if the file has none
}

// openRaster reads the first directory of a TIFF file.
func openRaster(r io.ReaderAt) (*rasterFile, error) {
	f := &rasterFile{
		from:    r,
		order:   binary.LittleEndian,
		numbers: map[uint16][]uint64{},
		texts:   map[uint16]string{},
		noData:  math.NaN(),
	}
	head, err := f.readBytes(0, 8)
	if err != nil {
		return nil, err
	}
	switch string(head[:4]) {
	case "II*\x00":
	case "MM\x00*":
		f.order = binary.BigEndian
	default:
		return nil, errNoRaster
	}
	if err := f.readDirectory(int64(f.order.Uint32(head[4:]))); err != nil {
		return nil, err
	}
	return f, f.checkLayout()
}

func (f *rasterFile) readBytes(offset int64, n int) ([]byte, error) {
	data := make([]byte, n)
	_, err := f.from.ReadAt(data, offset)
	return data, err
}

// widths has the size in bytes of a value by TIFF type. Tags of other types are ignored.
var widths = map[uint16]int{1: 1, 2: 1, 3: 2, 4: 4}

func (f *rasterFile) readDirectory(offset int64) error {
	count, err := f.readBytes(offset, 2)
	if err != nil {
		return err
	}
	entries, err := f.readBytes(offset+2, 12*min(maxEntries, int(f.order.Uint16(count))))
	if err != nil {
		return err
	}
	for e := range slices.Chunk(entries, 12) {
		tag, kind := f.order.Uint16(e), f.order.Uint16(e[2:])
		width := widths[kind]
		size := int64(f.order.Uint32(e[4:])) * int64(width)
		if width == 0 || size > maxTag {
			continue
		}
		data := e[8:]
		if size > 4 {
			if data, err = f.readBytes(int64(f.order.Uint32(data)), int(size)); err != nil {
				return err
			}
		}
		data = data[:size]
		if kind == 2 {
			f.texts[tag] = strings.TrimRight(string(data), "\x00 ")
			continue
		}
		for value := range slices.Chunk(data, width) {
			f.numbers[tag] = append(f.numbers[tag], f.readUnsigned(value))
		}
	}
	return nil
}

func (f *rasterFile) readUnsigned(data []byte) uint64 {
	switch len(data) {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(f.order.Uint16(data))
	case 4:
		return uint64(f.order.Uint32(data))
	default:
		return f.order.Uint64(data)
	}
}

// firstValue returns the first value of a tag, or a default.
func (f *rasterFile) firstValue(tag uint16, without uint64) uint64 {
	if values := f.numbers[tag]; len(values) > 0 {
		return values[0]
	}
	return without
}

// checkLayout takes the layout from the tags, and says what cannot be shown.
func (f *rasterFile) checkLayout() error {
	side := func(tag uint16, without int) int { return int(min(f.firstValue(tag, uint64(without)), 1<<30)) }
	f.width, f.height = side(tagWidth, 0), side(tagHeight, 0)
	if f.width <= 0 || f.height <= 0 {
		return errors.New("the image is empty")
	}
	bits := f.firstValue(tagBits, 1)
	f.bytes, f.format = int(bits/8), f.firstValue(tagFormat, 1)
	f.stride = f.bytes * side(tagSamples, 1)
	if f.firstValue(tagPlanar, 1) == 2 {
		f.stride = f.bytes // the bands follow each other, the first one first
	}
	if f.block = image.Pt(f.width, min(f.height, side(tagStripRows, f.height))); f.numbers[tagTiles] != nil {
		f.block = image.Pt(side(tagTileWidth, 0), side(tagTileHeight, 0))
		f.offsets, f.sizes = f.numbers[tagTiles], f.numbers[tagTileBytes]
	} else {
		f.offsets, f.sizes = f.numbers[tagStrips], f.numbers[tagStripBytes]
	}
	switch {
	case !f.hasNumbers(bits):
		return fmt.Errorf("its samples of %d bits cannot be shown", bits)
	case f.block.X <= 0 || f.block.Y <= 0 || f.stride <= 0 || f.block.X > maxBlock/f.stride || f.block.Y > maxBlock/(f.block.X*f.stride):
		return ErrTooLarge
	}
	f.across = divideUp(f.width, f.block.X)
	if n := min(len(f.offsets), len(f.sizes)); n < f.across*divideUp(f.height, f.block.Y) {
		return errNoRaster
	}
	if text, ok := f.texts[tagNoData]; ok {
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			f.noData = v
		}
	}
	return nil
}

// hasNumbers reports whether samples with this number of bits can be read.
func (f *rasterFile) hasNumbers(bits uint64) bool {
	if f.format == 3 {
		return bits == 32 || bits == 64
	}
	return f.format < 3 && (bits == 8 || bits == 16 || bits == 32)
}

// unpackBlock reads and decompresses a strip or tile.
func (f *rasterFile) unpackBlock(i int) (data []byte, err error) {
	packed := io.NewSectionReader(f.from, int64(f.offsets[i]), int64(f.sizes[i]))
	var r io.Reader = packed
	switch kind := f.firstValue(tagCompression, 1); kind {
	case 1:
	case 5:
		r = lzw.NewReader(packed, lzw.MSB, 8)
	case 8, 32946:
		if r, err = zlib.NewReader(packed); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("its compression %d cannot be read", kind)
	}
	return io.ReadAll(io.LimitReader(r, int64(f.block.X*f.block.Y*f.stride)))
}

// undoPredictor restores the samples of a row that is stored as differences.
func (f *rasterFile) undoPredictor(row []byte) {
	switch f.firstValue(tagPredictor, 1) {
	case 2:
		for i := f.stride; i+f.bytes <= len(row); i += f.bytes {
			to, before := row[i:i+f.bytes], row[i-f.stride:]
			switch sum := f.readUnsigned(to) + f.readUnsigned(before[:f.bytes]); f.bytes {
			case 1:
				to[0] = byte(sum)
			case 2:
				f.order.PutUint16(to, uint16(sum))
			case 4:
				f.order.PutUint32(to, uint32(sum))
			}
		}
	case 3: // differences of bytes, those of the same weight together, the highest first
		for i := f.stride / f.bytes; i < len(row); i++ {
			row[i] += row[i-f.stride/f.bytes]
		}
		apart, n := slices.Clone(row), len(row)/f.bytes
		for i := range apart[:n*f.bytes] {
			weight := i / n
			if f.order == binary.LittleEndian {
				weight = f.bytes - 1 - weight
			}
			row[i%n*f.bytes+weight] = apart[i]
		}
	}
}

// sampleValue returns the sample at the start of data, or NaN if it has no value.
func (f *rasterFile) sampleValue(data []byte) float64 {
	bits := f.readUnsigned(data[:f.bytes])
	v := float64(bits)
	switch unused := 64 - 8*f.bytes; {
	case f.format == 3 && f.bytes == 4:
		v = float64(math.Float32frombits(uint32(bits)))
	case f.format == 3:
		v = math.Float64frombits(bits)
	case f.format == 2:
		v = float64(int64(bits<<unused) >> unused)
	}
	if float32(v) == float32(f.noData) || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// valueGrid is a sampled grid of the values.
type valueGrid struct {
	w, h   int
	values []float64 // NaN where there is none
}

// readGrid reads the first band, sampled to at most side values per row and column.
func (f *rasterFile) readGrid(side int) (*valueGrid, error) {
	step := divideUp(max(f.width, f.height), side)
	g := &valueGrid{w: divideUp(f.width, step), h: divideUp(f.height, step)}
	g.values = slices.Repeat([]float64{math.NaN()}, g.w*g.h)
	for column := range f.across {
		var block []byte
		unpacked, left := -1, column*f.block.X
		for y := range g.h {
			top, line := y*step/f.block.Y, y*step%f.block.Y
			if i := top*f.across + column; i != unpacked {
				var err error
				if block, err = f.unpackBlock(i); err != nil {
					return nil, err
				}
				unpacked = i
			}
			width := f.block.X * f.stride
			if len(block) < (line+1)*width {
				continue // cut short
			}
			row := block[line*width:][:width]
			f.undoPredictor(row)
			for x := divideUp(left, step); x*step < min(left+f.block.X, f.width); x++ {
				g.values[y*g.w+x] = f.sampleValue(row[(x*step-left)*f.stride:])
			}
		}
	}
	return g, nil
}

// divideUp divides and rounds up.
func divideUp(all, size int) int { return (all + size - 1) / size }

// drawColours colours the values. The colours range from the 2nd to the 98th percentile.
func (g *valueGrid) drawColours() (img *image.RGBA, low, high float64, err error) {
	known := slices.DeleteFunc(slices.Clone(g.values), math.IsNaN)
	if len(known) == 0 {
		return nil, 0, 0, errors.New("the raster has no values")
	}
	slices.Sort(known)
	from, to := known[len(known)/50], known[len(known)-1-len(known)/50]
	img = image.NewRGBA(image.Rect(0, 0, g.w, g.h))
	for i, v := range g.values {
		if math.IsNaN(v) {
			continue
		}
		share := 0.5
		if to > from {
			share = (v - from) / (to - from)
		}
		img.Set(i%g.w, i/g.w, theme.RampColor(share))
	}
	return img, known[0], known[len(known)-1], nil
}

// bandName returns the description of the first band in the file, or "".
func (f *rasterFile) bandName() string {
	const item = `role="description">`
	_, rest, _ := strings.Cut(f.texts[tagMetadata], item)
	name, _, _ := strings.Cut(rest, "<")
	return name
}
