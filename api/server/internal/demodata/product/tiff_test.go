package product_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"testing"
)

// tiffFile reads a TIFF file for the tests: the numbers and tags that golang.org/x/image/tiff does not
// read.
type tiffFile struct {
	data []byte
	tags map[uint16][]float64
	text map[uint16]string
}

func readTIFF(t testing.TB, data []byte) *tiffFile {
	t.Helper()
	if len(data) < 8 || string(data[:4]) != "II*\x00" {
		t.Fatalf("it begins with % x", data[:min(8, len(data))])
	}
	return readDir(t, data, binary.LittleEndian.Uint32(data[4:]))
}

func readDir(t testing.TB, data []byte, at uint32) *tiffFile {
	t.Helper()
	f := &tiffFile{data, map[uint16][]float64{}, map[uint16]string{}}
	n := int(binary.LittleEndian.Uint16(data[at:]))
	before := uint16(0)
	for i := range n {
		e := data[int(at)+2+12*i:][:12]
		tag := binary.LittleEndian.Uint16(e)
		kind := binary.LittleEndian.Uint16(e[2:])
		count := int(binary.LittleEndian.Uint32(e[4:]))
		if tag <= before {
			t.Errorf("tag %d comes after %d", tag, before)
		}
		before = tag
		size := map[uint16]int{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 10: 8, 12: 8}[kind]
		if size == 0 {
			t.Fatalf("tag %d has the type %d", tag, kind)
		}
		value := e[8:]
		if size*count > 4 {
			value = data[binary.LittleEndian.Uint32(value):][:size*count]
		}
		if kind == 2 {
			f.text[tag] = string(bytes.TrimSuffix(value[:count], []byte{0}))
		}
		for i := range count {
			v := value[size*i:]
			switch kind {
			case 1, 2, 7:
				f.tags[tag] = append(f.tags[tag], float64(v[0]))
			case 3:
				f.tags[tag] = append(f.tags[tag], float64(binary.LittleEndian.Uint16(v)))
			case 4:
				f.tags[tag] = append(f.tags[tag], float64(binary.LittleEndian.Uint32(v)))
			case 5:
				f.tags[tag] = append(f.tags[tag], float64(binary.LittleEndian.Uint32(v))/float64(binary.LittleEndian.Uint32(v[4:])))
			case 10:
				f.tags[tag] = append(f.tags[tag], float64(int32(binary.LittleEndian.Uint32(v)))/float64(binary.LittleEndian.Uint32(v[4:])))
			case 12:
				f.tags[tag] = append(f.tags[tag], math.Float64frombits(binary.LittleEndian.Uint64(v)))
			}
		}
	}
	return f
}

func (f *tiffFile) number(tag uint16) int {
	if len(f.tags[tag]) == 0 {
		return -1
	}
	return int(f.tags[tag][0])
}

// key returns the value of a GeoKey, or -1 if the file does not have it.
func (f *tiffFile) key(id int) int { return geoKey(f.tags[34735], id) }

func geoKey(keys []float64, id int) int {
	for i := 4; i+3 < len(keys); i += 4 {
		if int(keys[i]) == id {
			return int(keys[i+3])
		}
	}
	return -1
}

// samples returns the values of a raster, row by row, and band by band in each pixel.
func (f *tiffFile) samples(t testing.TB) (values []float64, width, height, bands int) {
	t.Helper()
	width = f.number(256)
	height = f.number(257)
	bands = f.number(277)
	bits := f.number(258)
	for i, at := range f.tags[273] {
		strip := f.data[int(at):][:int(f.tags[279][i])]
		rows := min(f.number(278), height-i*f.number(278))
		if f.number(259) == 8 {
			z, err := zlib.NewReader(bytes.NewReader(strip))
			if err != nil {
				t.Fatal(err)
			}
			strip, err = io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(strip) != rows*width*bands*bits/8 {
			t.Fatalf("strip %d has %d bytes", i, len(strip))
		}
		for r := range rows {
			row := strip[r*len(strip)/rows:][:len(strip)/rows]
			values = append(values, unpredicted(row, f.number(317), bits, bands)...)
		}
	}
	return values, width, height, bands
}

func unpredicted(row []byte, predictor, bits, bands int) []float64 {
	var values []float64
	if predictor == 3 {
		for i := bands; i < len(row); i++ {
			row[i] += row[i-bands]
		}
		n := len(row) / 4
		for i := range n {
			b := []byte{row[i], row[n+i], row[2*n+i], row[3*n+i]}
			values = append(values, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
		}
	} else if bits == 16 {
		for i := 0; i < len(row); i += 2 {
			v := binary.LittleEndian.Uint16(row[i:])
			if predictor == 2 && i >= 2*bands {
				v += uint16(values[i/2-bands])
			}
			values = append(values, float64(v))
		}
	} else {
		for i, v := range row {
			if predictor == 2 && i >= bands {
				v += byte(values[i-bands])
			}
			values = append(values, float64(v))
		}
	}
	return values
}

// chart is a georeferenced raster.
type chart struct {
	values               []float64
	width, height, bands int
	left, top, dx, dy    float64
	epsg                 int
}

func readChart(t testing.TB, data []byte) chart {
	t.Helper()
	f := readTIFF(t, data)
	var c chart
	c.values, c.width, c.height, c.bands = f.samples(t)
	tie := f.tags[33922]
	scale := f.tags[33550]
	if len(tie) != 6 || len(scale) != 3 {
		t.Fatalf("tie point %v, pixel scale %v", tie, scale)
	}
	c.left = tie[3]
	c.top = tie[4]
	c.dx = scale[0]
	c.dy = scale[1]
	c.epsg = f.key(3072)
	if c.epsg < 0 {
		c.epsg = f.key(2048)
	}
	return c
}
