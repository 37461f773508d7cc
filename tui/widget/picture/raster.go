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
	offsets, sizes []uint64    // of the blocks in the file
	bytes          int         // per sample
	stride         int         // bytes per pixel
	format         uint64
	noData         float64 // NaN if the file has none
}

// openRaster reads the first directory of a TIFF file.
func openRaster(r io.ReaderAt) (*rasterFile, error) {
	f := &rasterFile{
		from:    r,
		numbers: map[uint16][]uint64{},
		texts:   map[uint16]string{},
		noData:  math.NaN(),
	}
	head, err := f.readBytes(0, 8)
	if err != nil {
		return nil, err
	}
	f.order = byteOrderOf(string(head[:4]))
	if f.order == nil {
		return nil, errNoRaster
	}
	directory := int64(f.order.Uint32(head[4:]))
	if err := f.readDirectory(directory); err != nil {
		return nil, err
	}
	if err := f.readLayout(); err != nil {
		return nil, err
	}
	return f, nil
}

// byteOrderOf returns the byte order of a TIFF file that begins with a signature, or nil for other
// files.
func byteOrderOf(signature string) binary.ByteOrder {
	switch signature {
	case "II*\x00":
		return binary.LittleEndian
	case "MM\x00*":
		return binary.BigEndian
	}
	return nil
}

func (f *rasterFile) readBytes(offset int64, n int) ([]byte, error) {
	data := make([]byte, n)
	_, err := f.from.ReadAt(data, offset)
	return data, err
}

// widths has the size in bytes of a value by TIFF type. Tags of other types are ignored.
var widths = map[uint16]int{kindByte: 1, kindText: 1, kindShort: 2, kindLong: 4}

// TIFF types of tags.
const (
	kindByte  = 1
	kindText  = 2
	kindShort = 3
	kindLong  = 4
)

// readDirectory reads the tags of the directory at an offset.
func (f *rasterFile) readDirectory(offset int64) error {
	count, err := f.readBytes(offset, 2)
	if err != nil {
		return err
	}
	entries, err := f.readBytes(offset+2, 12*min(maxEntries, int(f.order.Uint16(count))))
	if err != nil {
		return err
	}
	for entry := range slices.Chunk(entries, 12) {
		if err := f.readEntry(entry); err != nil {
			return err
		}
	}
	return nil
}

// readEntry reads the value of a tag. It ignores tags that are too large, and tags of types that are
// not in widths.
func (f *rasterFile) readEntry(entry []byte) error {
	tag := f.order.Uint16(entry)
	kind := f.order.Uint16(entry[2:])
	count := int64(f.order.Uint32(entry[4:]))
	width := widths[kind]
	size := count * int64(width)
	if width == 0 || size > maxTag {
		return nil
	}
	data := entry[8:]
	if size > 4 { // the entry has the offset of the value
		offset := int64(f.order.Uint32(data))
		value, err := f.readBytes(offset, int(size))
		if err != nil {
			return err
		}
		data = value
	}
	data = data[:size]
	if kind == kindText {
		f.texts[tag] = strings.TrimRight(string(data), "\x00 ")
		return nil
	}
	for value := range slices.Chunk(data, width) {
		f.numbers[tag] = append(f.numbers[tag], f.readUnsigned(value))
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
func (f *rasterFile) firstValue(tag uint16, otherwise uint64) uint64 {
	values := f.numbers[tag]
	if len(values) == 0 {
		return otherwise
	}
	return values[0]
}

// readLayout reads from the tags how the raster is stored. It fails if the raster cannot be shown.
func (f *rasterFile) readLayout() error {
	f.width = f.size(tagWidth, 0)
	f.height = f.size(tagHeight, 0)
	if f.width <= 0 || f.height <= 0 {
		return errors.New("the image is empty")
	}
	if err := f.readSamples(); err != nil {
		return err
	}
	if err := f.readBlocks(); err != nil {
		return err
	}
	f.readNoData()
	return nil
}

// size returns the first value of a tag that has a number of pixels or of samples. If the tag is missing, it
// returns otherwise. It returns at most 2^30.
func (f *rasterFile) size(tag uint16, otherwise int) int {
	return int(min(f.firstValue(tag, uint64(otherwise)), 1<<30))
}

// readSamples reads the format of the samples and their size in bytes.
func (f *rasterFile) readSamples() error {
	bits := f.firstValue(tagBits, 1)
	f.bytes = int(bits / 8)
	f.format = f.firstValue(tagFormat, formatUnsigned)
	if !f.hasNumbers(bits) {
		return fmt.Errorf("its samples of %d bits cannot be shown", bits)
	}
	samples := f.size(tagSamples, 1) // per pixel
	isPlanar := f.firstValue(tagPlanar, 1) == 2
	if isPlanar { // each band is stored separately, beginning with the first
		samples = 1
	}
	f.stride = f.bytes * samples
	return nil
}

// readBlocks reads the size and positions of the tiles, or of the strips if there are no tiles. Call
// it after readSamples.
func (f *rasterFile) readBlocks() error {
	if f.numbers[tagTiles] != nil {
		f.block = image.Pt(f.size(tagTileWidth, 0), f.size(tagTileHeight, 0))
		f.offsets = f.numbers[tagTiles]
		f.sizes = f.numbers[tagTileBytes]
	} else {
		f.block = image.Pt(f.width, min(f.height, f.size(tagStripRows, f.height)))
		f.offsets = f.numbers[tagStrips]
		f.sizes = f.numbers[tagStripBytes]
	}
	if !f.isBlockValid() {
		return ErrTooLarge
	}
	f.across = divideUp(f.width, f.block.X)
	blocks := f.across * divideUp(f.height, f.block.Y)
	if len(f.offsets) < blocks || len(f.sizes) < blocks {
		return errNoRaster
	}
	return nil
}

// isBlockValid reports whether a block is not empty and has at most maxBlock bytes.
func (f *rasterFile) isBlockValid() bool {
	if f.block.X <= 0 || f.block.Y <= 0 || f.stride <= 0 {
		return false
	}
	return f.block.X <= maxBlock/f.stride && f.block.Y <= maxBlock/(f.block.X*f.stride)
}

// readNoData reads the value that marks samples without a value.
func (f *rasterFile) readNoData() {
	value, err := strconv.ParseFloat(strings.TrimSpace(f.texts[tagNoData]), 64)
	if err == nil {
		f.noData = value
	}
}

// hasNumbers reports whether samples in the format of the file, with the given number of bits, are numbers that can
// be read.
func (f *rasterFile) hasNumbers(bits uint64) bool {
	if f.format == formatFloat {
		return bits == 32 || bits == 64
	}
	return f.format < formatFloat && (bits == 8 || bits == 16 || bits == 32)
}

// Formats of samples, by tagFormat.
const (
	formatUnsigned = 1
	formatSigned   = 2
	formatFloat    = 3
)

// unpackBlock reads and decompresses a strip or tile.
func (f *rasterFile) unpackBlock(i int) ([]byte, error) {
	packed := io.NewSectionReader(f.from, int64(f.offsets[i]), int64(f.sizes[i]))
	limit := int64(f.block.X * f.block.Y * f.stride)
	switch compression := f.firstValue(tagCompression, 1); compression {
	case 1:
		return io.ReadAll(io.LimitReader(packed, limit))
	case 5:
		return io.ReadAll(io.LimitReader(lzw.NewReader(packed, lzw.MSB, 8), limit))
	case 8, 32946:
		unpacked, err := zlib.NewReader(packed)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(io.LimitReader(unpacked, limit))
	default:
		return nil, fmt.Errorf("its compression %d cannot be read", compression)
	}
}

// undoPredictor restores the samples of a row that is stored as differences.
func (f *rasterFile) undoPredictor(row []byte) {
	switch f.firstValue(tagPredictor, 1) {
	case 2:
		f.undoDifferences(row)
	case 3:
		f.undoByteDifferences(row)
	}
}

// undoDifferences restores a row whose samples are stored as differences from the previous
// pixel.
func (f *rasterFile) undoDifferences(row []byte) {
	for i := f.stride; i+f.bytes <= len(row); i += f.bytes {
		sample := row[i : i+f.bytes]
		previous := row[i-f.stride:][:f.bytes]
		sum := f.readUnsigned(sample) + f.readUnsigned(previous)
		switch f.bytes {
		case 1:
			sample[0] = byte(sum)
		case 2:
			f.order.PutUint16(sample, uint16(sum))
		case 4:
			f.order.PutUint32(sample, uint32(sum))
		}
	}
}

// undoByteDifferences restores a row of floating-point samples. The row is stored as differences between bytes. The
// bytes are grouped by significance: first the most significant bytes of all samples, at the end the least
// significant ones.
func (f *rasterFile) undoByteDifferences(row []byte) {
	samples := f.stride / f.bytes
	for i := samples; i < len(row); i++ {
		row[i] += row[i-samples]
	}
	grouped := slices.Clone(row)
	perGroup := len(row) / f.bytes
	for i := range grouped[:perGroup*f.bytes] {
		position := i / perGroup
		if f.order == binary.LittleEndian {
			position = f.bytes - 1 - position
		}
		row[i%perGroup*f.bytes+position] = grouped[i]
	}
}

// sampleValue returns the sample at the start of data, or NaN if it has no value.
func (f *rasterFile) sampleValue(data []byte) float64 {
	value := f.convertSample(f.readUnsigned(data[:f.bytes]))
	if float32(value) == float32(f.noData) || math.IsInf(value, 0) {
		return math.NaN()
	}
	return value
}

// convertSample converts the bits of a sample to its value.
func (f *rasterFile) convertSample(bits uint64) float64 {
	switch f.format {
	case formatFloat:
		if f.bytes == 4 {
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	case formatSigned:
		unused := 64 - 8*f.bytes
		return float64(int64(bits<<unused) >> unused)
	}
	return float64(bits)
}

// valueGrid has every step-th value of every step-th row of a raster.
type valueGrid struct {
	step   int
	w, h   int
	values []float64 // NaN for samples without a value
}

// readGrid reads the first band, sampled to at most side values per row and column.
func (f *rasterFile) readGrid(side int) (*valueGrid, error) {
	step := divideUp(max(f.width, f.height), side)
	g := &valueGrid{step: step, w: divideUp(f.width, step), h: divideUp(f.height, step)}
	g.values = slices.Repeat([]float64{math.NaN()}, g.w*g.h)
	for column := range f.across {
		if err := f.readBlockColumn(g, column); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// readBlockColumn reads the sampled values of the blocks in a column of blocks, from top to bottom. It unpacks each
// block once. If rows are missing at the end of a block, they have no values.
func (f *rasterFile) readBlockColumn(g *valueGrid, column int) error {
	var block []byte
	unpacked := -1 // position of block, counted from the top
	rowBytes := f.block.X * f.stride
	for y := range g.h {
		rasterRow := y * g.step
		down := rasterRow / f.block.Y // position of the block that has the row
		if down != unpacked {
			data, err := f.unpackBlock(down*f.across + column)
			if err != nil {
				return err
			}
			block = data
			unpacked = down
		}
		rowInBlock := rasterRow - down*f.block.Y
		rowStart := rowInBlock * rowBytes
		rowEnd := rowStart + rowBytes
		if rowEnd > len(block) {
			continue
		}
		row := block[rowStart:rowEnd]
		f.undoPredictor(row)
		f.readRow(g, y, column*f.block.X, row)
	}
	return nil
}

// readRow copies every step-th value of a row of a block to row y of the grid. left is the column of
// the raster at which the block begins. The steps are counted from the first column of the raster.
func (f *rasterFile) readRow(g *valueGrid, y, left int, row []byte) {
	right := min(left+f.block.X, f.width)
	for x := divideUp(left, g.step); x*g.step < right; x++ {
		g.values[y*g.w+x] = f.sampleValue(row[(x*g.step-left)*f.stride:])
	}
}

// divideUp divides and rounds up.
func divideUp(all, size int) int { return (all + size - 1) / size }

// sortedValues returns the known values of the grid in ascending order.
func (g *valueGrid) sortedValues() []float64 {
	known := slices.DeleteFunc(slices.Clone(g.values), math.IsNaN)
	slices.Sort(known)
	return known
}

// drawColours draws the known values in the colours of a scale that begins at the value low and ends at high. Values
// below low have the first colour, and values above high the last. Callers choose low and high without the extreme
// values, because a single outlier would make all other values look the same.
func (g *valueGrid) drawColours(low, high float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, g.w, g.h))
	for i, value := range g.values {
		if math.IsNaN(value) {
			continue
		}
		share := 0.5
		if high > low {
			share = (value - low) / (high - low)
		}
		img.Set(i%g.w, i/g.w, theme.RampColor(share))
	}
	return img
}

// bandName returns the description of the first band in the file, or "".
func (f *rasterFile) bandName() string {
	const item = `role="description">`
	_, rest, _ := strings.Cut(f.texts[tagMetadata], item)
	name, _, _ := strings.Cut(rest, "<")
	return name
}
