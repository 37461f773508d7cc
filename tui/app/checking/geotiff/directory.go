package geotiff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Tags of the directories of a TIFF file.
const (
	tagSubfileType    = 254
	tagWidth          = 256
	tagHeight         = 257
	tagBits           = 258
	tagCompression    = 259
	tagPhotometric    = 262
	tagStripOffsets   = 273
	tagSamples        = 277
	tagRowsPerStrip   = 278
	tagStripBytes     = 279
	tagPlanar         = 284
	tagPredictor      = 317
	tagTileWidth      = 322
	tagTileHeight     = 323
	tagTileOffsets    = 324
	tagTileBytes      = 325
	tagSubDirectories = 330
	tagExtraSamples   = 338
	tagSampleFormat   = 339
	tagJPEGTables     = 347
	tagPixelScale     = 33550
	tagTiePoint       = 33922
	tagTransformation = 34264
	tagGeoKeys        = 34735
	tagGeoDoubles     = 34736
	tagGeoText        = 34737
	tagNoData         = 42113
)

const (
	maxDirectories = 100
	maxEntries     = 4096     // in a directory
	maxValue       = 16 << 20 // bytes of a tag's value
)

// valueSizes has the size in bytes of a value, by TIFF type.
var valueSizes = map[uint16]int64{
	1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
}

// Types of values.
const (
	typeShort = 3
	typeLong  = 4
	typeIFD   = 13
	typeFloat = 11
	typeReal  = 12
	typeLong8 = 16
	typeIFD8  = 18
)

var errTruncated = errors.New("the file is truncated: it ends before data that it declares")

// source reads from a TIFF file, and only within its size.
type source struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool // BigTIFF
}

// read returns n bytes at an offset.
func (s *source) read(offset uint64, n int64) ([]byte, error) {
	if n < 0 || n > maxValue {
		return nil, fmt.Errorf("the file declares a value of %d bytes; at most %d are read", n, maxValue)
	}
	if offset > uint64(s.size) || uint64(n) > uint64(s.size)-offset {
		return nil, errTruncated
	}
	data := make([]byte, n)
	if _, err := s.r.ReadAt(data, int64(offset)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data, nil
}

// entry is a tag in a directory. If the value is not stored in the directory, it is read when needed.
type entry struct {
	kind   uint16
	count  uint64
	inline []byte // the value, or nil if it is at offset
	offset uint64
}

// directory has the tags of one image.
type directory map[uint16]entry

// readHeader reads the byte order and the version, and returns the offset of the first directory.
func (s *source) readHeader() (first uint64, err error) {
	errNotTIFF := errors.New("the file is not a TIFF")
	head, err := s.read(0, 8)
	if err != nil {
		return 0, errors.New("the file is too short for a TIFF")
	}
	switch string(head[:2]) {
	case "II":
		s.order = binary.LittleEndian
	case "MM":
		s.order = binary.BigEndian
	default:
		return 0, errNotTIFF
	}
	const classicTIFF, bigTIFF = 42, 43
	version := s.order.Uint16(head[2:])
	if version == classicTIFF {
		return uint64(s.order.Uint32(head[4:])), nil
	}
	if version != bigTIFF {
		return 0, errNotTIFF
	}
	s.big = true
	offset, err := s.read(8, 8)
	if err != nil {
		return 0, err
	}
	if s.order.Uint16(head[4:]) != 8 {
		return 0, errors.New("the BigTIFF has offsets of an unknown size")
	}
	return s.order.Uint64(offset), nil
}

// directorySizes has the sizes in bytes of the parts of a directory: its number of entries, an entry,
// and the offset of the next directory.
type directorySizes struct{ count, entry, offset int64 }

// readDirectory reads the directory at an offset, and returns the offset of the next directory or 0.
func (s *source) readDirectory(offset uint64) (dir directory, next uint64, err error) {
	sizes := directorySizes{count: 2, entry: 12, offset: 4}
	if s.big {
		sizes = directorySizes{count: 8, entry: 20, offset: 8}
	}
	data, err := s.read(offset, sizes.count)
	if err != nil {
		return nil, 0, err
	}
	count := s.unsigned(data)
	if count > maxEntries {
		return nil, 0, fmt.Errorf("a directory declares %d tags; at most %d are read", count, maxEntries)
	}
	length := int64(count) * sizes.entry
	data, err = s.read(offset+uint64(sizes.count), length+sizes.offset)
	if err != nil {
		return nil, 0, err
	}
	dir = directory{}
	for i := range int64(count) {
		tag, e := s.parseEntry(data[i*sizes.entry:][:sizes.entry])
		if _, isRepeated := dir[tag]; !isRepeated {
			dir[tag] = e
		}
	}
	return dir, s.unsigned(data[length:]), nil
}

// parseEntry parses a tag of a directory.
func (s *source) parseEntry(data []byte) (tag uint16, e entry) {
	tag = s.order.Uint16(data)
	e.kind = s.order.Uint16(data[2:])
	value := data[8:]
	e.count = uint64(s.order.Uint32(data[4:]))
	if s.big {
		e.count = s.order.Uint64(data[4:])
		value = data[12:]
	}
	size := uint64(valueSizes[e.kind])
	if e.count <= uint64(len(value)) && e.count*size <= uint64(len(value)) {
		e.inline = value[:e.count*size]
		return tag, e
	}
	e.offset = s.unsigned(value)
	return tag, e
}

// unsigned decodes an unsigned number of 1, 2, 4 or 8 bytes.
func (s *source) unsigned(data []byte) uint64 {
	switch len(data) {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(s.order.Uint16(data))
	case 4:
		return uint64(s.order.Uint32(data))
	default:
		return s.order.Uint64(data)
	}
}

// value reads the bytes of a tag. It returns nil if the directory does not have the tag.
func (s *source) value(dir directory, tag uint16) ([]byte, error) {
	e := dir[tag]
	if e.count == 0 || e.inline != nil {
		return e.inline, nil
	}
	size := valueSizes[e.kind]
	if size == 0 {
		return nil, nil
	}
	if e.count > maxValue {
		return nil, fmt.Errorf("tag %d declares %d values; at most %d are read", tag, e.count, maxValue)
	}
	return s.read(e.offset, int64(e.count)*size)
}

// integers reads a tag with unsigned integers.
func (s *source) integers(dir directory, tag uint16) ([]uint64, error) {
	data, err := s.value(dir, tag)
	if err != nil || data == nil {
		return nil, err
	}
	switch dir[tag].kind {
	case 1, typeShort, typeLong, typeIFD, typeLong8, typeIFD8:
	default:
		return nil, fmt.Errorf("tag %d does not have whole numbers", tag)
	}
	size := int(valueSizes[dir[tag].kind])
	numbers := make([]uint64, len(data)/size)
	for i := range numbers {
		numbers[i] = s.unsigned(data[i*size:][:size])
	}
	return numbers, nil
}

// integer reads the first number of a tag. It returns the value of otherwise if the directory does not have the tag.
func (s *source) integer(dir directory, tag uint16, otherwise uint64) (uint64, error) {
	numbers, err := s.integers(dir, tag)
	if err != nil || len(numbers) == 0 {
		return otherwise, err
	}
	return numbers[0], nil
}

// reals reads a tag with floating-point numbers.
func (s *source) reals(dir directory, tag uint16) ([]float64, error) {
	data, err := s.value(dir, tag)
	if err != nil || data == nil {
		return nil, err
	}
	kind := dir[tag].kind
	if kind != typeReal && kind != typeFloat {
		return nil, fmt.Errorf("tag %d does not have decimal numbers", tag)
	}
	size := int(valueSizes[kind])
	numbers := make([]float64, len(data)/size)
	for i := range numbers {
		bits := s.unsigned(data[i*size:][:size])
		if kind == typeFloat {
			numbers[i] = float64(math.Float32frombits(uint32(bits)))
		} else {
			numbers[i] = math.Float64frombits(bits)
		}
	}
	return numbers, nil
}

// text reads a tag with text. It returns "" if the directory does not have the tag.
func (s *source) text(dir directory, tag uint16) (string, error) {
	data, err := s.value(dir, tag)
	return strings.TrimRight(string(data), "\x00 "), err
}
