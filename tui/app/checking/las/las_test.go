package las_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
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
	var points [][2]float64
	for row := range c.rows {
		for column := range c.columns {
			if c.skip == nil || !c.skip(column, row) {
				points = append(points, [2]float64{float64(column) * c.step, float64(row) * c.step})
			}
		}
	}
	return fileOf(c.minor, points)
}

// fileOf returns a file with points in metres from the south-western corner. Its classes are ground and
// buildings in turn.
func fileOf(minor byte, points [][2]float64) []byte {
	var extent [2]float64
	records := make([]byte, 20*len(points))
	for i, p := range points {
		record := records[20*i:]
		binary.LittleEndian.PutUint32(record, uint32(math.Round(p[0]*100)))
		binary.LittleEndian.PutUint32(record[4:], uint32(math.Round(p[1]*100)))
		record[15] = byte(2 + 4*(i%2))
		extent[0] = max(extent[0], p[0])
		extent[1] = max(extent[1], p[1])
	}
	keys := encode([]uint16{1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32637})
	record := make([]byte, 54)
	copy(record[2:], "LASF_Projection")
	binary.LittleEndian.PutUint16(record[18:], 34735)
	binary.LittleEndian.PutUint16(record[20:], uint16(len(keys)))
	size := 227
	if minor == 4 {
		size = 375
	}
	head := make([]byte, size)
	copy(head, "LASF")
	head[24], head[25] = 1, minor
	binary.LittleEndian.PutUint16(head[94:], uint16(size))
	binary.LittleEndian.PutUint32(head[96:], uint32(size+len(record)+len(keys)))
	binary.LittleEndian.PutUint32(head[100:], 1)
	binary.LittleEndian.PutUint16(head[105:], 20)
	binary.LittleEndian.PutUint32(head[107:], uint32(len(points)))
	if minor == 4 {
		binary.LittleEndian.PutUint64(head[247:], uint64(len(points)))
	}
	copy(head[131:], encode([]float64{
		0.01, 0.01, 0.01, west, south, 0, west + extent[0], west, south + extent[1], south, 0, 0,
	}))
	return bytes.Join([][]byte{head, record, keys, records}, nil)
}

// sampleOf opens a file and samples its points.
func sampleOf(t *testing.T, file []byte) (*las.File, *las.Sample) {
	t.Helper()
	f, err := las.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f, s
}

// scattered returns random points in a rectangle, of which isInside selects some.
func scattered(n int, width, height float64, isInside func(x, y float64) bool) (points [][2]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for len(points) < n {
		x, y := rng.Float64()*width, rng.Float64()*height
		if isInside(x, y) {
			points = append(points, [2]float64{x, y})
		}
	}
	return points
}

// The area of each cloud is known, so its density is that of a count.
func TestTheDensityIsThatOfACount(t *testing.T) {
	inCircle := func(x, y float64) bool { return math.Hypot(x-250, y-250) < 250 }
	inCorridor := func(x, y float64) bool { return math.Abs(x-y) < 30*math.Sqrt2 }
	inDiamond := func(x, y float64) bool { return math.Abs(x-500)+math.Abs(y-500) < 500 }
	for name, c := range map[string]struct {
		points [][2]float64
		area   float64
	}{
		"a circle":                {scattered(50_000, 500, 500, inCircle), math.Pi * 250 * 250},
		"a diagonal corridor":     {scattered(60_000, 2000, 2000, inCorridor), 60*2000*math.Sqrt2 - 2*30*30},
		"a large rotated square":  {scattered(3_500_000, 1000, 1000, inDiamond), 500_000},
		"a few points in a field": {scattered(4000, 100, 100, func(float64, float64) bool { return true }), 10_000},
	} {
		f, s := sampleOf(t, fileOf(2, c.points))
		got := s.Density(f.Points)
		want := float64(len(c.points)) / c.area
		t.Logf("%s: %.4f, %.2f %% off", name, got, (got/want-1)*100)
		tolerance := 0.01
		if len(c.points) < 10_000 {
			tolerance = 0.03 // what chance makes of so few points
		}
		if math.Abs(got/want-1) > tolerance {
			t.Errorf("%s has %.4f points per m², a count says %.4f", name, got, want)
		}
	}
}

func TestANarrowCloudHasSmallCells(t *testing.T) {
	points := scattered(20_000, 1400, 1400, func(x, y float64) bool { return math.Abs(x-y) < 10*math.Sqrt2 })
	_, s := sampleOf(t, fileOf(2, points))
	off := 22 / math.Sqrt2 // 22 m from the middle of the corridor, which is 20 m wide
	missing := 0
	for at := 50.0; at < 1350; at++ {
		if !s.Covers(west+at, south+at) {
			missing++
		}
		if s.Covers(west+at+off, south+at-off) {
			t.Fatalf("ground 12 m beside the corridor is covered at %.0f m", at)
		}
	}
	if missing > 0 {
		t.Errorf("%d of 1,300 positions in the corridor are not covered", missing)
	}
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
		if density := s.Density(f.Points); math.Abs(density-4) > 0.04 {
			t.Errorf("the density is %.3f", density)
		}
	}
}

func TestGroundWithoutPointsIsNotCovered(t *testing.T) {
	c := cloud{columns: 400, rows: 400, step: 0.25, skip: func(column, row int) bool {
		return column >= 200 && row >= 200
	}}
	f, s := sampleOf(t, c.bytes())
	if !s.Covers(west+25, south+25) || !s.Covers(west+75, south+25) || s.Covers(west+75, south+75) {
		t.Error("the points cover the wrong ground")
	}
	if density := s.Density(f.Points); math.Abs(density-16) > 0.16 {
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
			s.Density(cloud.Points)
		}
	})
}
