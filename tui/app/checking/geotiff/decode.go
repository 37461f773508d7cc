package geotiff

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	stdimage "image"
	"image/jpeg"
	"io"

	"golang.org/x/image/tiff/lzw"
)

// Compressions of blocks.
const (
	compressionNone       = 1
	compressionLZW        = 5
	compressionJPEG       = 7
	compressionDeflate    = 8
	compressionPackBits   = 32773
	compressionOldDeflate = 32946
)

// compressionNames has the names of compressions that this package cannot decode, for error texts.
var compressionNames = map[int]string{
	2: "CCITT RLE", 3: "CCITT group 3", 4: "CCITT group 4", 6: "old JPEG", 34712: "JPEG 2000", 34887: "LERC",
	34925: "LZMA", 50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL",
}

// decodeFault returns why the pixels of the image cannot be read, or "".
func (m *image) decodeFault() string {
	switch m.compression {
	case compressionNone, compressionLZW, compressionDeflate, compressionOldDeflate, compressionPackBits:
		return m.samplesFault()
	case compressionJPEG:
		hasMixedAlpha := m.alpha >= 0 && !m.isPlanar // the alpha band is in the blocks of the colours
		if m.bits != 8 || hasMixedAlpha {
			return "its JPEG pixels have an unusual layout"
		}
		return ""
	}
	name := compressionNames[m.compression]
	if name == "" {
		name = fmt.Sprintf("compression %d", m.compression)
	}
	return "its " + name + " pixels cannot be read"
}

// samplesFault returns why decompressed samples cannot be read, or "".
func (m *image) samplesFault() string {
	if m.isMask {
		return "" // parseImage and readMask allow only 1 and 8 bits
	}
	isWhole := m.bits == 8 || m.bits == 16 || m.bits == 32 || m.bits == 64
	if m.format == formatFloat {
		isWhole = m.bits == 32 || m.bits == 64
	}
	if !isWhole || m.format > formatFloat {
		return fmt.Sprintf("its pixels of %d bits cannot be read", m.bits)
	}
	return ""
}

// rowReader reads the rows of a block from top to bottom.
type rowReader interface {
	// readRow returns a row, which is valid until the next call. Rows before it are skipped.
	// At the end of the data it returns io.EOF.
	readRow(row int) ([]byte, error)
}

// openBlock returns a reader for the rows of a block that is stored at offset with size bytes. If the
// block is damaged, its data can end before the last row.
func (m *image) openBlock(offset, size uint64) (rowReader, error) {
	stored := io.NewSectionReader(m.r, int64(offset), int64(size))
	rows := &packedRows{row: make([]byte, m.rowBytes())}
	switch m.compression {
	case compressionNone:
		return newPlainRows(stored, rows.row)
	case compressionLZW:
		rows.data = lzw.NewReader(bufio.NewReader(stored), lzw.MSB, 8)
	case compressionPackBits:
		rows.data = &packBits{from: bufio.NewReader(stored)}
	case compressionJPEG:
		return m.openJPEG(stored)
	default:
		data, err := zlib.NewReader(bufio.NewReader(stored))
		if err != nil {
			return nil, errors.New("its compressed pixels are damaged")
		}
		rows.data = data
	}
	return rows, nil
}

// maxPlain is the largest size of a block without compression that is read at once. Of larger
// blocks, only the rows that are needed are read.
const maxPlain = 256 << 10

// plainRows reads rows that are not compressed.
type plainRows struct {
	stored io.ReaderAt
	row    []byte
}

func newPlainRows(stored *io.SectionReader, row []byte) (*plainRows, error) {
	if stored.Size() > maxPlain {
		return &plainRows{stored: stored, row: row}, nil
	}
	block := make([]byte, stored.Size())
	if _, err := stored.ReadAt(block, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return &plainRows{stored: bytes.NewReader(block), row: row}, nil
}

func (p *plainRows) readRow(row int) ([]byte, error) {
	n, err := p.stored.ReadAt(p.row, int64(row)*int64(len(p.row)))
	if n == len(p.row) {
		return p.row, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	return nil, err
}

// packedRows reads rows from a decompressor.
type packedRows struct {
	data io.Reader
	row  []byte
	next int // number of the next row in data
}

func (p *packedRows) readRow(row int) ([]byte, error) {
	for p.next <= row {
		_, err := io.ReadFull(p.data, p.row)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, io.EOF
		}
		if err != nil {
			return nil, err
		}
		p.next++
	}
	return p.row, nil
}

// packBits decompresses PackBits (TIFF 6.0, section 9).
type packBits struct {
	from    *bufio.Reader
	literal int // bytes to copy
	repeat  int // repetitions of value
	value   byte
}

// Read decompresses data into b.
func (p *packBits) Read(b []byte) (int, error) {
	for p.literal == 0 && p.repeat == 0 {
		if err := p.readHead(); err != nil {
			return 0, err
		}
	}
	if p.literal > 0 {
		n, err := p.from.Read(b[:min(len(b), p.literal)])
		p.literal -= n
		return n, err
	}
	n := min(len(b), p.repeat)
	for i := range b[:n] {
		b[i] = p.value
	}
	p.repeat -= n
	return n, nil
}

// readHead reads the head of the next run, which is a signed byte n. If n is 0 or more, n+1 bytes follow that
// are copied. If n is negative, the next byte is repeated 1-n times; -128 is skipped.
func (p *packBits) readHead() error {
	head, err := p.from.ReadByte()
	if err != nil {
		return err
	}
	n := int(int8(head))
	if n >= 0 {
		p.literal = n + 1
		return nil
	}
	if n == -128 {
		return nil
	}
	p.repeat = 1 - n
	p.value, err = p.from.ReadByte()
	return err
}

// maxJPEG is the largest number of pixels in a JPEG block.
const maxJPEG = 1 << 24

// openJPEG decodes a JPEG block. All blocks of the image share the tables for decoding, which are in a tag.
func (m *image) openJPEG(stored *io.SectionReader) (rowReader, error) {
	tables, err := m.value(m.dir, tagJPEGTables)
	if err != nil {
		return nil, err
	}
	if stored.Size() > maxValue {
		return nil, errors.New("a JPEG block of the image is too large")
	}
	data, err := io.ReadAll(stored)
	if err != nil {
		return nil, err
	}
	const marker = 2 // bytes
	if len(tables) > 2*marker && len(data) > marker {
		// The tables are a JPEG stream without an image. Replace its end marker by the stream of the block
		// without its start marker.
		withoutEnd := tables[:len(tables)-marker]
		data = append(bytes.Clone(withoutEnd), data[marker:]...)
	}
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("its JPEG pixels are damaged")
	}
	if int64(config.Width)*int64(config.Height) > maxJPEG {
		return nil, errors.New("a JPEG block of the image is too large")
	}
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, errors.New("its JPEG pixels are damaged")
	}
	return &jpegRows{image: m, decoded: decoded, row: make([]byte, m.rowBytes())}, nil
}

// jpegRows returns the rows of a decoded JPEG block.
type jpegRows struct {
	image   *image
	decoded stdimage.Image
	row     []byte
}

const photometricYCbCr = 6

func (j *jpegRows) readRow(row int) ([]byte, error) {
	box := j.decoded.Bounds()
	if row >= box.Dy() {
		return nil, io.EOF
	}
	samples := j.image.samplesPerBlock()
	for x := range min(box.Dx(), j.image.blockWidth) {
		j.copyPixel(j.row[x*samples:][:samples], x, row)
	}
	return j.row, nil
}

// copyPixel copies the bands of a pixel to samples. The JPEG decoder treats three bands as YCbCr.
// copyPixel converts them to RGB if the image is in YCbCr, and otherwise copies them unchanged.
func (j *jpegRows) copyPixel(samples []byte, x, y int) {
	switch decoded := j.decoded.(type) {
	case *stdimage.Gray:
		samples[0] = decoded.GrayAt(x, y).Y
	case *stdimage.YCbCr:
		c := decoded.YCbCrAt(x, y)
		if j.image.photometric == photometricYCbCr {
			r, g, b, _ := c.RGBA()
			copy(samples, []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
		} else {
			copy(samples, []byte{c.Y, c.Cb, c.Cr})
		}
	default:
		r, g, b, _ := decoded.At(x, y).RGBA()
		copy(samples, []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)})
	}
}

// undoPredictor restores the samples of a row that is stored as differences.
func (m *image) undoPredictor(row []byte) {
	switch m.predictor {
	case 2:
		m.undoDifferences(row)
	case 3:
		m.undoByteDifferences(row)
	}
}

// undoDifferences restores samples that are stored as differences from the previous pixel.
func (m *image) undoDifferences(row []byte) {
	size := m.bits / 8
	if size == 0 {
		return
	}
	pixel := size * m.samplesPerBlock()
	for i := pixel; i+size <= len(row); i += size {
		sum := m.unsigned(row[i:i+size]) + m.unsigned(row[i-pixel:][:size])
		switch size {
		case 1:
			row[i] = byte(sum)
		case 2:
			m.order.PutUint16(row[i:], uint16(sum))
		case 4:
			m.order.PutUint32(row[i:], uint32(sum))
		default:
			m.order.PutUint64(row[i:], sum)
		}
	}
}

// undoByteDifferences restores floating-point samples. They are stored as differences of bytes,
// grouped by significance from the most to the least significant byte.
func (m *image) undoByteDifferences(row []byte) {
	samples := m.samplesPerBlock()
	for i := samples; i < len(row); i++ {
		row[i] += row[i-samples]
	}
	size := m.bits / 8
	if size == 0 {
		return
	}
	grouped := bytes.Clone(row)
	perGroup := len(row) / size
	for i := range grouped[:perGroup*size] {
		position := i / perGroup
		if m.order == binary.ByteOrder(binary.LittleEndian) {
			position = size - 1 - position
		}
		row[i%perGroup*size+position] = grouped[i]
	}
}
