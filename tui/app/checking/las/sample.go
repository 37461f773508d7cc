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

// Sample has the points of a cloud that were read, counted in the cells of a grid.
type Sample struct {
	Points  int     // in the sample
	Classes []uint8 // ASPRS classes, ascending
	Outside int     // points of the sample that are outside the extent in the header

	width, height int // cells
	cell          float64
	counts        []uint32 // points of the sample in each cell; nil without a grid
	minX, minY    float64
	maxX, maxY    float64
}

// Covers reports whether coordinates of the system of the file are on ground with points.
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

// isCovered reports whether a cell has points, or is a single empty cell between cells with points.
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

// CoveredArea returns the area of the ground with points in square units of the system.
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

// Density returns the number of points per square unit of the system, or 0 if the points have no area. points
// is the number of points of the file. If the cloud has inner cells, the cells at its edge are left out,
// because the points fill only a part of them.
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

// Rectangle returns a sample without points, which covers the extent in the header.
func (f *File) Rectangle() *Sample {
	return &Sample{minX: f.Min[0], minY: f.Min[1], maxX: f.Max[0], maxY: f.Max[1]}
}

// Sample reads points of the file. It reads all points of a small file. In a large file, it reads some points at each
// of many places. It stops with an error when ctx ends. For a compressed file, and for a file without points, it
// returns [File.Rectangle]. If progress is not nil, several goroutines call it at the same time.
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

// readJob adds the points of the reads from first to end-1.
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

// readPoints does read number i of the plan: it reads the points from the file and adds them to the sample.
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

// readPlan says which points are read.
type readPlan struct {
	points uint64
	reads  int
	atOnce int     // number of points in one read
	step   float64 // number of points from the start of one read to the start of the next

	places         int // number of places in the file at which points are read
	pointsPerPlace int // successive points that are read at a place
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

// place returns which points read number i covers: the index of its first point, and the number of points. In a large
// file, every read is moved by a different distance that is shorter than a step. Without that, all reads could be at
// the same position of their scan lines, because a step can be a multiple of a scan line.
func (p readPlan) place(i int) (point uint64, count int) {
	shift := 0.0
	if p.reads == samplePlaces && p.atOnce == pointsAtPlace {
		shift = math.Mod(float64(i)*math.Phi, 1)
	}
	point = min(uint64((float64(i)+shift)*p.step), p.points-1)
	return point, int(min(uint64(p.atOnce), p.points-point))
}

// makeGrid makes a grid with small cells, cellsPerPlace for each place. It makes no grid if there are few
// places, or if the rectangle of the cloud has no area.
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

// mergeCells doubles the side of the cells until the cells with points have at least minPoints points on average.
// Empty cells do not count. A narrow cloud fills only a small part of its rectangle, and its cells stay as small as
// its points allow.
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

// halveGrid replaces each four cells by one.
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

// add adds the points of a read.
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

// classOf returns the class of a point. In the point formats 0 to 5 it has five bits, and flags follow it. Since format
// 6 it is a byte.
func (f *File) classOf(record []byte) uint8 {
	if f.Format >= 6 {
		return record[16]
	}
	const classBits = 0x1f
	return record[15] & classBits
}

// cellOf returns the index of the cell at coordinates. Coordinates outside the grid belong to the nearest cell.
func (s *Sample) cellOf(x, y float64) int {
	column := min(max(int((x-s.minX)/s.cell), 0), s.width-1)
	row := min(max(int((y-s.minY)/s.cell), 0), s.height-1)
	return row*s.width + column
}

// isInExtent reports whether coordinates are at most tolerance outside the extent in the header.
func (s *Sample) isInExtent(x, y, tolerance float64) bool {
	isInX := x >= s.minX-tolerance && x <= s.maxX+tolerance
	isInY := y >= s.minY-tolerance && y <= s.maxY+tolerance
	return isInX && isInY
}

// coordinate returns a coordinate of a point.
func (f *File) coordinate(record []byte, axis int) float64 {
	return float64(int32(binary.LittleEndian.Uint32(record[4*axis:])))*f.scale[axis] + f.offset[axis]
}

// finish lists the classes.
func (c *pointCounter) finish() {
	for class, found := range c.classes {
		if found {
			c.sample.Classes = append(c.sample.Classes, uint8(class))
		}
	}
}
