package geotiff

import (
	"errors"
	"fmt"
)

// image is one image in a file: the raster, an overview (a copy of the raster with fewer pixels), or
// a mask of either.
type image struct {
	*source
	dir directory

	width, height int
	isOverview    bool
	isMask        bool

	samples     int // per pixel
	bits        int // per sample
	format      int // of samples
	compression int
	predictor   int
	photometric int
	isPlanar    bool // bands are stored one after the other
	alpha       int  // index of the alpha sample, or -1

	tiled                   bool
	blockWidth, blockHeight int // of a tile or a strip
	across, down            int // number of blocks
}

// Formats of samples.
const (
	formatUnsigned = 1
	formatSigned   = 2
	formatFloat    = 3
)

// Values of tags.
const (
	subfileOverview = 1 << 0 // bits of tagSubfileType
	subfileMask     = 1 << 2
	planarSeparate  = 2 // of tagPlanar
	extraAlpha      = 1 // of tagExtraSamples: with premultiplied colours
	extraPlainAlpha = 2
)

const (
	maxFlags    = 1 << 31 // of tags whose value is a set of flags
	maxCode     = 1 << 16 // of tags whose value is a code
	maxSide     = 1 << 30 // pixels
	maxSamples  = 4096
	maxRowBytes = 64 << 20 // of a row of a block
)

// parseImage reads the size and layout of an image.
func (s *source) parseImage(dir directory) (*image, error) {
	m := &image{source: s, dir: dir, alpha: -1}
	// read.number has the default and the largest possible value of a tag. Sizes without a default
	// become 0, and checkLayout rejects 0.
	read := numberReader{s: s, dir: dir}
	kind := read.number(tagSubfileType, 0, maxFlags)
	m.isOverview = kind&subfileOverview != 0
	m.isMask = kind&subfileMask != 0
	m.width = read.number(tagWidth, 0, maxSide)
	m.height = read.number(tagHeight, 0, maxSide)
	m.samples = read.number(tagSamples, 1, maxSamples)
	m.bits = read.number(tagBits, 1, 64)
	m.format = read.number(tagSampleFormat, formatUnsigned, maxCode)
	m.compression = read.number(tagCompression, 1, maxCode)
	m.predictor = read.number(tagPredictor, 1, maxCode)
	m.photometric = read.number(tagPhotometric, 1, maxCode)
	m.isPlanar = read.number(tagPlanar, 1, maxCode) == planarSeparate
	_, m.tiled = dir[tagTileOffsets]
	if m.tiled {
		m.blockWidth = read.number(tagTileWidth, 0, maxSide)
		m.blockHeight = read.number(tagTileHeight, 0, maxSide)
	} else {
		m.blockWidth = m.width
		m.blockHeight = min(m.height, read.number(tagRowsPerStrip, m.height, maxSide))
	}
	if read.err != nil { // the first error of the tags above
		return nil, read.err
	}
	if err := m.checkLayout(); err != nil {
		return nil, err
	}
	m.across = divideUp(m.width, m.blockWidth)
	m.down = divideUp(m.height, m.blockHeight)
	if err := m.findAlpha(); err != nil {
		return nil, err
	}
	return m, nil
}

// checkLayout returns an error if the image has no pixels, or a layout that is not read.
func (m *image) checkLayout() error {
	if m.width == 0 || m.height == 0 || m.samples == 0 || m.bits == 0 {
		return errors.New("the image is empty")
	}
	if m.blockWidth == 0 || m.blockHeight == 0 {
		return errors.New("the image has blocks without pixels")
	}
	if m.isMask && !m.hasMaskSamples() {
		return errors.New("the mask has more than one value per pixel")
	}
	if m.rowBytes() > maxRowBytes {
		return fmt.Errorf("a row of the image has %d bytes; at most %d are read", m.rowBytes(), maxRowBytes)
	}
	return nil
}

// hasMaskSamples reports whether the image can be a mask: one sample of 1 or 8 bits per pixel.
func (m *image) hasMaskSamples() bool { return m.samples == 1 && (m.bits == 1 || m.bits == 8) }

// findAlpha finds the alpha band among the extra samples.
func (m *image) findAlpha() error {
	extra, err := m.integers(m.dir, tagExtraSamples)
	if err != nil {
		return err
	}
	if len(extra) > m.samples {
		return errors.New("the image declares more extra bands than bands")
	}
	for i, kind := range extra {
		if kind == extraAlpha || kind == extraPlainAlpha {
			m.alpha = m.samples - len(extra) + i
		}
	}
	return nil
}

// numberReader reads numbers from tags. After the first error, it reads nothing and keeps the error in err.
type numberReader struct {
	s   *source
	dir directory
	err error
}

// number returns the number in a tag, or byDefault if the image does not have the tag. If the number
// is above limit, it records an error. Only for the rows per strip, it returns limit then.
func (r *numberReader) number(tag uint16, byDefault, limit int) int {
	if r.err != nil {
		return byDefault
	}
	value, err := r.s.integer(r.dir, tag, uint64(byDefault))
	if err != nil {
		r.err = err
		return byDefault
	}
	if tag == tagRowsPerStrip { // 2^32-1 means one strip
		return int(min(value, uint64(limit)))
	}
	if value > uint64(limit) {
		r.err = fmt.Errorf("tag %d is %d; at most %d is possible", tag, value, limit)
		return byDefault
	}
	return int(value)
}

// samplesPerBlock returns the number of samples that a block has for each pixel.
func (m *image) samplesPerBlock() int {
	if m.isPlanar {
		return 1
	}
	return m.samples
}

// rowBytes returns the size of an uncompressed row of a block in bytes.
func (m *image) rowBytes() int {
	return (m.blockWidth*m.samplesPerBlock()*m.bits + 7) / 8
}

// blockTable has the offsets and sizes of an image's blocks in the file, in bytes.
type blockTable struct{ offsets, sizes []uint64 }

var errMissingBlocks = errors.New("the image has fewer blocks than its size needs")

// readBlockTable reads where the blocks are in the file. If the image stores its bands separately (planar), it
// returns only the blocks of the given band. It fails if a block ends after the file, or if blocks overlap.
func (m *image) readBlockTable(band int) (blockTable, error) {
	all, err := m.readAllBlocks()
	if err != nil {
		return blockTable{}, err
	}
	bandIndex := 0 // all bands share the same blocks
	if m.isPlanar {
		bandIndex = band // the blocks of each band follow the blocks of the previous band
	}
	bandBlocks := m.across * m.down
	storedBands := min(len(all.offsets), len(all.sizes)) / bandBlocks
	if bandIndex >= storedBands {
		return blockTable{}, errMissingBlocks
	}
	first := bandIndex * bandBlocks
	t := blockTable{
		offsets: all.offsets[first : first+bandBlocks],
		sizes:   all.sizes[first : first+bandBlocks],
	}
	if err := t.checkBlocks(uint64(m.size)); err != nil {
		return blockTable{}, err
	}
	return t, nil
}

// readAllBlocks reads the offsets and sizes of the blocks of all bands. In a damaged file, their numbers can differ.
func (m *image) readAllBlocks() (blockTable, error) {
	offsetTag := uint16(tagStripOffsets)
	sizeTag := uint16(tagStripBytes)
	if m.tiled {
		offsetTag = tagTileOffsets
		sizeTag = tagTileBytes
	}
	offsets, err := m.integers(m.dir, offsetTag)
	if err != nil {
		return blockTable{}, err
	}
	sizes, err := m.integers(m.dir, sizeTag)
	if err != nil {
		return blockTable{}, err
	}
	if len(sizes) == 0 && m.compression == compressionNone { // the sizes are optional
		sizes = m.plainSizes(len(offsets))
	}
	return blockTable{offsets: offsets, sizes: sizes}, nil
}

// plainSizes calculates the sizes of count uncompressed blocks, for a file that does not store them.
func (m *image) plainSizes(count int) []uint64 {
	sizes := make([]uint64, count)
	for i := range sizes {
		down := i / m.across % m.down
		sizes[i] = uint64(m.rowBytes()) * uint64(m.storedRows(down))
	}
	return sizes
}

// checkBlocks returns an error if a block ends after the file, or if all blocks together are longer than the file.
func (t blockTable) checkBlocks(fileSize uint64) error {
	total := uint64(0)
	for i, size := range t.sizes {
		if size > fileSize || t.offsets[i] > fileSize-size {
			return errTruncated
		}
		total += size
	}
	if total > fileSize {
		return errors.New("the blocks of the image overlap")
	}
	return nil
}

// storedRows returns the number of pixel rows in a block. down is the index of the block's row of
// blocks. Tiles always have all rows; the last strip can have fewer.
func (m *image) storedRows(down int) int {
	if m.tiled {
		return m.blockHeight
	}
	return min(m.blockHeight, m.height-down*m.blockHeight)
}

// divideUp returns all/size, rounded up.
func divideUp(all, size int) int { return (all + size - 1) / size }
