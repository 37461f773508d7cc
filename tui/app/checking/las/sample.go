package las

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"flightdesk/api"
)

const (
	wholeSize     = 64 << 20 // bytes of points up to which all points are read
	samplePlaces  = 1 << 16  // places of a larger file at which points are read
	pointsAtPlace = 4
	placesPerCell = 12 // minimum on average, so that hardly any cell of a dense cloud is empty
	cellsPerPlace = 16 // of the first grid, so that narrow clouds have enough cells
	maxCells      = 1 << 20
	chunkSize     = 1 << 20 // bytes read at once if all points are read
)

// Sample shows which ground a point cloud covers. It has the numbers of points in the cells of a grid, counted from the
// points that were read.
type Sample struct {
	Points  int     // number of points that were read
	Classes []uint8 // ASPRS classes of the points, ascending
	Outside int     // number of read points that are outside the extent in the header

	width, height int      // number of cells
	cell          float64  // side of a cell in units of the reference system
	counts        []uint32 // number of read points in each cell; nil if the rectangle counts as covered
	minX, minY    float64  // extent in the header
	maxX, maxY    float64
}

// Covers reports whether the cloud has points near x, y, in coordinates of its reference system.
func (s *Sample) Covers(x, y float64) bool {
	if !(x >= s.minX && y >= s.minY && x <= s.maxX && y <= s.maxY) {
		return false
	}
	if s.counts == nil {
		return true
	}
	column := min(int((x-s.minX)/s.cell), s.width-1)
	row := min(int((y-s.minY)/s.cell), s.height-1)
	return s.isCovered(column, row)
}

// isCovered reports whether a cell has points. A single empty cell between cells with points counts as well.
func (s *Sample) isCovered(column, row int) bool {
	return s.hasPoints(column, row) ||
		s.hasPoints(column-1, row) && s.hasPoints(column+1, row) &&
			s.hasPoints(column, row-1) && s.hasPoints(column, row+1)
}

// hasPoints reports whether a cell is in the grid and has points.
func (s *Sample) hasPoints(column, row int) bool {
	if column < 0 || row < 0 || column >= s.width || row >= s.height {
		return false
	}
	return s.counts[row*s.width+column] > 0
}

// CoveredArea returns the area of the ground with points, in square units of the reference system.
func (s *Sample) CoveredArea() float64 {
	if s.counts == nil {
		return (s.maxX - s.minX) * (s.maxY - s.minY)
	}
	area := 0.0
	for row := range s.height {
		for column := range s.width {
			if !s.isCovered(column, row) {
				continue
			}
			x := s.minX + float64(column)*s.cell
			y := s.minY + float64(row)*s.cell
			area += max(0, min(s.cell, s.maxX-x)) * max(0, min(s.cell, s.maxY-y))
		}
	}
	return area
}

// Density returns the number of points per square unit of the reference system, or 0 if the points
// have no area. points is the number of points in the file. If possible, only cells that are
// surrounded by covered cells are used, because points fill only a part of the cells at the edge.
func (s *Sample) Density(points uint64) float64 {
	inSample := 0
	cells := 0
	for row := range s.height {
		for column := range s.width {
			if s.isSurrounded(column, row) {
				inSample += int(s.counts[row*s.width+column])
				cells++
			}
		}
	}
	if cells > 0 {
		area := float64(cells) * s.cell * s.cell
		return float64(inSample) / float64(s.Points) * float64(points) / area
	}
	if area := s.CoveredArea(); area > 0 {
		return float64(points) / area
	}
	return 0
}

// isSurrounded reports whether a cell and all cells around it are covered.
func (s *Sample) isSurrounded(column, row int) bool {
	for y := row - 1; y <= row+1; y++ {
		for x := column - 1; x <= column+1; x++ {
			isInGrid := x >= 0 && y >= 0 && x < s.width && y < s.height
			if !isInGrid || !s.isCovered(x, y) {
				return false
			}
		}
	}
	return true
}

// Rectangle returns a sample for a file whose points cannot be read. It covers the whole extent in the header.
func (f *File) Rectangle() *Sample {
	return &Sample{minX: f.Min[0], minY: f.Min[1], maxX: f.Max[0], maxY: f.Max[1]}
}

// Sample reads the points of a small file, or points at many places of a large file. For a compressed
// file or a file without points, it returns [File.Rectangle]. Sample stops with an error when ctx
// ends. progress may be nil; otherwise several goroutines call it concurrently.
func (f *File) Sample(ctx context.Context, progress func(share float64)) (*Sample, error) {
	if f.Compression != None || f.Points == 0 {
		return f.Rectangle(), nil
	}
	s := f.Rectangle() // counter adds the points that are read
	plan := f.planReads()
	s.makeGrid(plan.places)
	counter := &pointCounter{file: f, sample: s}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading waits for the disk
	const readsPerJob = 256
	for first := 0; first < plan.reads; first += readsPerJob {
		if groupCtx.Err() != nil { // a job failed or ctx has ended, so do not start more
			break
		}
		read := func() error {
			end := min(first+readsPerJob, plan.reads)
			if err := counter.readJob(groupCtx, plan, first, end); err != nil {
				return err
			}
			if progress != nil {
				progress(float64(end) / float64(plan.reads))
			}
			return nil
		}
		group.Go(func() error { return api.Guard(read) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // not all jobs were started
		return nil, context.Cause(ctx)
	}
	counter.finish()
	s.mergeCells(plan.pointsPerPlace * placesPerCell)
	return s, nil
}

// readJob carries out the reads of a plan from number first to number end-1.
func (c *pointCounter) readJob(ctx context.Context, plan readPlan, first, end int) error {
	for i := first; i < end; i++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.readPoints(plan, i); err != nil {
			return err
		}
	}
	return nil
}

// readPoints carries out read number i of a plan: it reads points from the file and counts them.
func (c *pointCounter) readPoints(plan readPlan, i int) error {
	first, count := plan.place(i)
	recordLength := c.file.recordLength
	data, err := c.file.read(c.file.dataStart+first*uint64(recordLength), count*recordLength)
	if err != nil {
		return fmt.Errorf("reading the points: %w", err)
	}
	c.add(data)
	return nil
}

// readPlan divides the reading of a file into numbered reads of successive points.
type readPlan struct {
	points uint64  // number of points in the file
	reads  int     // number of reads
	atOnce int     // number of points in one read
	step   float64 // number of points from the start of one read to the start of the next

	places         int // number of places in the file at which points are read
	pointsPerPlace int // number of successive points that are read at each place
}

func (f *File) planReads() readPlan {
	p := readPlan{points: f.Points}
	if f.Points*uint64(f.recordLength) <= wholeSize {
		p.atOnce = max(1, chunkSize/f.recordLength)
		p.reads = int((f.Points + uint64(p.atOnce) - 1) / uint64(p.atOnce))
		p.step = float64(p.atOnce)
		p.places = int(f.Points)
		p.pointsPerPlace = 1
		return p
	}
	p.atOnce = pointsAtPlace
	p.reads = samplePlaces
	p.step = float64(f.Points-pointsAtPlace) / samplePlaces
	p.places = samplePlaces
	p.pointsPerPlace = pointsAtPlace
	return p
}

// place returns the index of the first point and the number of points of read number i. In a large
// file, the distances between reads vary. With a fixed distance, all reads could fall on the same
// position of the sensor's scan lines.
func (p readPlan) place(i int) (point uint64, count int) {
	shift := 0.0
	if p.reads == samplePlaces && p.atOnce == pointsAtPlace {
		shift = math.Mod(float64(i)*math.Phi, 1)
	}
	point = min(uint64((float64(i)+shift)*p.step), p.points-1)
	return point, int(min(uint64(p.atOnce), p.points-point))
}

// makeGrid makes the grid with small cells, which mergeCells later merges. places is the number of places
// in the file that are read. It makes no grid if there are too few places, or if the extent has no area.
func (s *Sample) makeGrid(places int) {
	w := s.maxX - s.minX
	h := s.maxY - s.minY
	cells := float64(min(places*cellsPerPlace, maxCells))
	if places < 4*placesPerCell || w <= 0 || h <= 0 {
		return
	}
	s.cell = max(math.Sqrt(w*h/cells), max(w, h)/maxCells*16)
	s.width = int(math.Ceil(w / s.cell))
	s.height = int(math.Ceil(h / s.cell))
	if s.width < 1 || s.height < 1 || s.width > 2*maxCells/s.height {
		s.width = 0
		s.height = 0
		return
	}
	s.counts = make([]uint32, s.width*s.height)
}

// mergeCells merges cells into larger ones until the cells with points have at least minPoints points on average.
// Empty cells are ignored, so that the cells of a narrow cloud, such as a road, do not become too large.
func (s *Sample) mergeCells(minPoints int) {
	for s.width > 1 || s.height > 1 {
		points := 0
		cells := 0
		for _, n := range s.counts {
			if n > 0 {
				points += int(n)
				cells++
			}
		}
		if points >= minPoints*cells {
			return
		}
		s.halveGrid()
	}
}

// halveGrid merges each square of four cells into one cell.
func (s *Sample) halveGrid() {
	width := (s.width + 1) / 2
	height := (s.height + 1) / 2
	merged := make([]uint32, width*height)
	for i, n := range s.counts {
		column := i % s.width / 2
		row := i / s.width / 2
		merged[row*width+column] += n
	}
	s.width = width
	s.height = height
	s.cell *= 2
	s.counts = merged
}

// pointCounter adds points to a sample. It is safe for concurrent use.
type pointCounter struct {
	file   *File
	sample *Sample

	mu      sync.Mutex
	classes [256]bool
}

// add counts the points in data.
func (c *pointCounter) add(data []byte) {
	f := c.file
	s := c.sample
	tolerance := 2 * math.Abs(f.scale[0]) // the extent in the header may be rounded
	c.mu.Lock()
	defer c.mu.Unlock()
	for record := range slices.Chunk(data, f.recordLength) {
		s.Points++
		c.classes[f.classOf(record)] = true
		x := f.coordinate(record, 0)
		y := f.coordinate(record, 1)
		if !s.isInExtent(x, y, tolerance) {
			s.Outside++
			continue
		}
		if s.counts != nil {
			s.counts[s.cellOf(x, y)]++
		}
	}
}

// classOf returns the class of a point. Point formats 0 to 5 store it in the low five bits of a byte
// with flags, later formats in a byte.
func (f *File) classOf(record []byte) uint8 {
	if f.Format >= 6 {
		return record[16]
	}
	const classBits = 0x1f
	return record[15] & classBits
}

// cellOf returns the index of the cell that contains x, y. Coordinates outside the grid belong to the nearest cell.
func (s *Sample) cellOf(x, y float64) int {
	column := min(max(int((x-s.minX)/s.cell), 0), s.width-1)
	row := min(max(int((y-s.minY)/s.cell), 0), s.height-1)
	return row*s.width + column
}

// isInExtent reports whether x, y are inside the extent in the header, or outside by at most tolerance.
func (s *Sample) isInExtent(x, y, tolerance float64) bool {
	isInX := x >= s.minX-tolerance && x <= s.maxX+tolerance
	isInY := y >= s.minY-tolerance && y <= s.maxY+tolerance
	return isInX && isInY
}

// coordinate returns the x, y or z of a point, for axis 0, 1 or 2.
func (f *File) coordinate(record []byte, axis int) float64 {
	return float64(int32(binary.LittleEndian.Uint32(record[4*axis:])))*f.scale[axis] + f.offset[axis]
}

// finish sets the classes of the sample. It is called after the last read.
func (c *pointCounter) finish() {
	for class, found := range c.classes {
		if found {
			c.sample.Classes = append(c.sample.Classes, uint8(class))
		}
	}
}
