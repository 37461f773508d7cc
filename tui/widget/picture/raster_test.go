package picture_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"flightdesk/tui/widget/picture"
)

// byteOrder is a byte order that can append and write.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// layout is how a raster is stored in a test file.
type layout struct {
	order     byteOrder
	bits      int
	format    uint32 // 1 unsigned, 2 signed, 3 float
	predictor uint32
	deflated  bool
	tile      int // side; 0 for strips of 3 rows
	bands     int
}

// sample encodes a value.
func (l *layout) sample(v float64) []byte {
	b := make([]byte, 8)
	bits := uint64(int64(v))
	switch {
	case l.format == 3 && l.bits == 32:
		bits = uint64(math.Float32bits(float32(v)))
	case l.format == 3:
		bits = math.Float64bits(v)
	}
	switch l.bits {
	case 16:
		l.order.PutUint16(b, uint16(bits))
	case 32:
		l.order.PutUint32(b, uint32(bits))
	default:
		l.order.PutUint64(b, bits)
	}
	return b[:l.bits/8]
}

// row encodes a row of values in all bands, as differences if the layout has a predictor.
func (l *layout) row(values []float64) []byte {
	var row []byte
	for _, v := range values {
		for range l.bands {
			row = append(row, l.sample(v)...)
		}
	}
	width, stride := l.bits/8, l.bits/8*l.bands
	switch l.predictor {
	case 2:
		for i := len(row) - width; i >= stride; i -= width {
			l.order.PutUint16(row[i:], l.order.Uint16(row[i:])-l.order.Uint16(row[i-stride:]))
		}
	case 3:
		apart, n := make([]byte, len(row)), len(row)/width
		for i := range n {
			for b := range width {
				from := b
				if l.order == byteOrder(binary.LittleEndian) {
					from = width - 1 - b
				}
				apart[b*n+i] = row[i*width+from]
			}
		}
		for i := len(apart) - 1; i >= l.bands; i-- {
			apart[i] -= apart[i-l.bands]
		}
		row = apart
	}
	return row
}

// write returns a file with rows of values.
func (l *layout) write(rows [][]float64) []byte {
	width, height := len(rows[0]), len(rows)
	block := [2]int{width, 3}
	if l.tile > 0 {
		block = [2]int{l.tile, l.tile}
	}
	file := map[byteOrder][]byte{binary.LittleEndian: []byte("II*\x00"), binary.BigEndian: []byte("MM\x00*")}[l.order]
	file = append(file, 0, 0, 0, 0)
	var offsets, sizes []uint32
	for top := 0; top < height; top += block[1] {
		for left := 0; left < width; left += block[0] {
			var data []byte
			for y := top; y < top+block[1] && (l.tile > 0 || y < height); y++ {
				values := make([]float64, block[0])
				if y < height {
					copy(values, rows[y][left:min(width, left+block[0])])
				}
				data = append(data, l.row(values)...)
			}
			if l.deflated {
				var packed bytes.Buffer
				z := zlib.NewWriter(&packed)
				_, _ = z.Write(data)
				_ = z.Close()
				data = packed.Bytes()
			}
			offsets, sizes = append(offsets, uint32(len(file))), append(sizes, uint32(len(data)))
			file = append(file, data...)
		}
	}
	long := func(values ...uint32) (data []byte) {
		for _, v := range values {
			data = append(data, l.sampleOf(v)...)
		}
		return data
	}
	compression := map[bool]uint32{true: 8, false: 1}[l.deflated]
	tags := []struct {
		tag, kind uint16
		data      []byte
	}{
		{256, 4, long(uint32(width))},
		{257, 4, long(uint32(height))},
		{258, 4, long(uint32(l.bits))},
		{259, 4, long(compression)},
		{262, 4, long(1)},
		{277, 4, long(uint32(l.bands))},
		{317, 4, long(l.predictor)},
		{339, 4, long(l.format)},
		{42112, 2, []byte(`<GDALMetadata><Item name="DESCRIPTION" sample="0" role="description">height, m</Item></GDALMetadata>` + "\x00")},
		{42113, 2, []byte("-9999\x00")},
	}
	if l.tile > 0 {
		tags = append(tags, []struct {
			tag, kind uint16
			data      []byte
		}{{322, 4, long(uint32(l.tile))}, {323, 4, long(uint32(l.tile))}, {324, 4, long(offsets...)}, {325, 4, long(sizes...)}}...)
	} else {
		tags = append(tags, []struct {
			tag, kind uint16
			data      []byte
		}{{278, 4, long(3)}, {273, 4, long(offsets...)}, {279, 4, long(sizes...)}}...)
	}
	directory := l.order.AppendUint16(nil, uint16(len(tags)))
	for _, t := range tags {
		count := uint32(len(t.data))
		if t.kind == 4 {
			count /= 4
		}
		entry := l.order.AppendUint32(l.order.AppendUint16(l.order.AppendUint16(nil, t.tag), t.kind), count)
		if len(t.data) <= 4 {
			entry = append(append(entry, t.data...), make([]byte, 4-len(t.data))...)
		} else {
			entry = l.order.AppendUint32(entry, uint32(len(file)))
			file = append(file, t.data...)
		}
		directory = append(directory, entry...)
	}
	l.order.PutUint32(file[4:], uint32(len(file)))
	return append(append(file, directory...), 0, 0, 0, 0)
}

func (l *layout) sampleOf(v uint32) []byte { return l.order.AppendUint32(nil, v) }

// slope is a raster that rises to the right, with a hole in its first row.
func slope(w, h int) [][]float64 {
	rows := make([][]float64, h)
	for y := range rows {
		rows[y] = make([]float64, w)
		for x := range rows[y] {
			rows[y][x] = float64(10 * (x + 1))
		}
	}
	rows[0][1] = -9999
	return rows
}

func TestRastersOfMeasuredValuesAreDrawn(t *testing.T) {
	little, big := byteOrder(binary.LittleEndian), byteOrder(binary.BigEndian)
	for name, l := range map[string]layout{
		"as the demo has them":  {little, 32, 3, 3, true, 0, 1},
		"tiles, big-endian":     {big, 32, 3, 3, true, 4, 1},
		"not compressed":        {little, 64, 3, 1, false, 0, 1},
		"whole numbers, bands":  {little, 16, 2, 2, true, 0, 5},
		"signed, in tiles":      {big, 16, 2, 1, false, 16, 1},
		"doubles, big-endian":   {big, 64, 3, 1, true, 0, 2},
		"floats and two bands":  {little, 32, 3, 3, true, 0, 2},
		"whole numbers of 32":   {big, 32, 2, 1, true, 0, 1},
		"floats, no prediction": {little, 32, 3, 1, true, 3, 1},
	} {
		file := l.write(slope(8, 7))
		p, err := picture.ReadUpTo(bytes.NewReader(file), picture.Blocks, picture.MaxPixels)
		if err != nil || p.Values == nil {
			t.Errorf("%s: %+v, %v", name, p, err)
			continue
		}
		if p.Width != 8 || p.Height != 7 || *p.Values != (picture.RasterValues{What: "height, m", Low: 10, High: 80}) {
			t.Errorf("%s: %d × %d, %+v", name, p.Width, p.Height, p.Values)
		}
		if view := p.View(8, 4, false); !strings.Contains(view, "48;2;253;231;37") && !strings.Contains(view, "38;2;253;231;37") {
			t.Errorf("%s: the highest values have no colour of theirs: %q", name, view)
		}
	}
}

// Truncated and invalid files return an error or are drawn in part, but never panic.
func TestBrokenRastersAreRejected(t *testing.T) {
	l := layout{binary.LittleEndian, 32, 3, 3, true, 0, 1}
	file := l.write(slope(8, 7))
	for cut := range file {
		if p, err := picture.ReadUpTo(
			bytes.NewReader(file[:cut]), picture.Blocks, picture.MaxPixels,
		); err == nil && p.Values == nil {
			t.Fatalf("%d bytes are a picture", cut)
		}
	}
	for i := range file {
		broken := bytes.Clone(file)
		broken[i] ^= 0xff
		_, _ = picture.ReadUpTo(bytes.NewReader(broken), picture.Blocks, picture.MaxPixels)
	}
	if _, err := picture.ReadUpTo(bytes.NewReader(file), picture.Blocks, 20); err == nil {
		t.Error("56 pixels are fewer than 20")
	}
}
