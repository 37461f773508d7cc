package las_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"flightdesk/tui/app/checking/las"
)

// cloud is a point cloud that a test writes: points of format 0 on a grid, in EPSG:32637.
type cloud struct {
	columns, rows int
	step          float64 // metres between points
	skip          func(column, row int) bool
	minor         byte
}

const (
	west  = 745000.0
	south = 254000.0
)

// bytes returns the file.
func (c *cloud) bytes() []byte {
	var points bytes.Buffer
	count := uint32(0)
	for row := range c.rows {
		for column := range c.columns {
			if c.skip != nil && c.skip(column, row) {
				continue
			}
			record := make([]byte, 20)
			binary.LittleEndian.PutUint32(record, uint32(float64(column)*c.step*100))
			binary.LittleEndian.PutUint32(record[4:], uint32(float64(row)*c.step*100))
			record[15] = byte(2 + 4*(column%2)) // ground and buildings
			points.Write(record)
			count++
		}
	}
	keys := encode([]uint16{1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32637})
	record := make([]byte, 54)
	copy(record[2:], "LASF_Projection")
	binary.LittleEndian.PutUint16(record[18:], 34735)
	binary.LittleEndian.PutUint16(record[20:], uint16(len(keys)))
	size := 227
	if c.minor == 4 {
		size = 375
	}
	head := make([]byte, size)
	copy(head, "LASF")
	head[24], head[25] = 1, c.minor
	binary.LittleEndian.PutUint16(head[94:], uint16(size))
	binary.LittleEndian.PutUint32(head[96:], uint32(size+len(record)+len(keys)))
	binary.LittleEndian.PutUint32(head[100:], 1)
	binary.LittleEndian.PutUint16(head[105:], 20)
	binary.LittleEndian.PutUint32(head[107:], count)
	if c.minor == 4 {
		binary.LittleEndian.PutUint64(head[247:], uint64(count))
	}
	copy(head[131:], encode([]float64{
		0.01, 0.01, 0.01, west, south, 0,
		west + float64(c.columns-1)*c.step, west, south + float64(c.rows-1)*c.step, south, 0, 0,
	}))
	return bytes.Join([][]byte{head, record, keys, points.Bytes()}, nil)
}

func encode(values any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, values); err != nil {
		panic(err) // the types of tests have a fixed size
	}
	return b.Bytes()
}

func TestAPointCloudIsDescribedByItsHeaderAndASample(t *testing.T) {
	for _, minor := range []byte{2, 4} {
		c := cloud{columns: 200, rows: 100, step: 0.5, minor: minor}
		file := c.bytes()
		f, err := las.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if f.Points != 20_000 || f.System == nil || f.System.Code() != 32637 || f.Compression != las.None {
			t.Errorf("it is %+v", f)
		}
		s, err := f.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if s.Points != 20_000 || len(s.Classes) != 2 || s.Classes[0] != 2 || s.Classes[1] != 6 {
			t.Errorf("the sample has %d points of the classes %v", s.Points, s.Classes)
		}
		if !s.Covers(west+50, south+25) || s.Covers(west-1, south+25) {
			t.Error("the points cover the wrong ground")
		}
		// A count: 4 points per m².
		if density := float64(f.Points) / s.CoveredArea(); math.Abs(density-4) > 0.08 {
			t.Errorf("the density is %.3f", density)
		}
	}
}

func TestGroundWithoutPointsIsNotCovered(t *testing.T) {
	c := cloud{columns: 400, rows: 400, step: 0.25, skip: func(column, row int) bool {
		return column >= 200 && row >= 200
	}}
	file := c.bytes()
	f, err := las.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Covers(west+25, south+25) || !s.Covers(west+75, south+25) || s.Covers(west+75, south+75) {
		t.Error("the points cover the wrong ground")
	}
	if density := float64(f.Points) / s.CoveredArea(); math.Abs(density-16) > 0.4 {
		t.Errorf("the density is %.3f", density)
	}
}

func TestACompressedCloudCoversItsRectangle(t *testing.T) {
	c := cloud{columns: 10, rows: 10, step: 1}
	file := c.bytes()
	file[104] = 0x80 // the points are compressed
	f, err := las.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Compression != las.LAZ || s.Points != 0 || !s.Covers(west+5, south+5) || s.Covers(west+12, south+5) {
		t.Errorf("it is %+v with the sample %+v", f, s)
	}
}

// Whatever a file declares, it is read or refused.
func FuzzOpen(f *testing.F) {
	for _, minor := range []byte{2, 4} {
		c := cloud{columns: 20, rows: 10, step: 1, minor: minor}
		f.Add(c.bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		cloud, err := las.Open(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		s, err := cloud.Sample(t.Context(), nil)
		if err == nil {
			s.Covers(west, south)
			s.CoveredArea()
		}
	})
}
