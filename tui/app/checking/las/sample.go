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
)

const (
	wholeSize     = 64 << 20 // bytes of points up to which all points are read
	samplePlaces  = 1 << 16  // places of a larger file at which points are read
	pointsAtPlace = 4
	pointsPerCell = 12 // of the sample, so that hardly a cell of a dense cloud is empty
	maxCells      = 1 << 20
	chunkSize     = 1 << 20 // bytes read at once if all points are read
)

// Sample is what a sample of the points shows.
type Sample struct {
	Points  int     // in the sample
	Classes []uint8 // ASPRS classes, ascending
	Outside int     // points of the sample that are outside the extent in the header

	width, height int // cells
	cell          float64
	occupied      []bool
	minX, minY    float64
	maxX, maxY    float64
}

// Covers reports whether coordinates of the system of the file are on a cell with points.
func (s *Sample) Covers(x, y float64) bool {
	if !(x >= s.minX && y >= s.minY && x <= s.maxX && y <= s.maxY) {
		return false
	}
	if s.occupied == nil {
		return true
	}
	column := min(int((x-s.minX)/s.cell), s.width-1)
	row := min(int((y-s.minY)/s.cell), s.height-1)
	return s.occupied[row*s.width+column]
}

// CoveredArea returns the area of the cells with points in square units of the system.
func (s *Sample) CoveredArea() float64 {
	if s.occupied == nil {
		return (s.maxX - s.minX) * (s.maxY - s.minY)
	}
	area := 0.0
	for i, occupied := range s.occupied {
		if !occupied {
			continue
		}
		x := s.minX + float64(i%s.width)*s.cell
		y := s.minY + float64(i/s.width)*s.cell
		area += max(0, min(s.cell, s.maxX-x)) * max(0, min(s.cell, s.maxY-y))
	}
	return area
}

// Rectangle returns a sample without points, which covers the extent in the header.
func (f *File) Rectangle() *Sample {
	return &Sample{minX: f.Min[0], minY: f.Min[1], maxX: f.Max[0], maxY: f.Max[1]}
}

// Sample reads points: all of a small file, and some at evenly spaced places of a large one. It
// stops with an error when ctx ends. A compressed file has no sample; Sample returns its
// rectangle.
func (f *File) Sample(ctx context.Context, progress func(share float64)) (*Sample, error) {
	s := f.Rectangle()
	if f.Compression != None || f.Points == 0 {
		return s, nil
	}
	plan := f.planReads()
	s.makeGrid(plan.expected)
	counter := &pointCounter{file: f, sample: s}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(2 * runtime.GOMAXPROCS(0)) // reading waits for the disk
	const readsPerJob = 256
	for first := 0; first < plan.reads; first += readsPerJob {
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() error {
			end := min(first+readsPerJob, plan.reads)
			for i := first; i < end && groupCtx.Err() == nil; i++ {
				if err := counter.readPoints(plan, i); err != nil {
					return err
				}
			}
			if progress != nil {
				progress(float64(end) / float64(plan.reads))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	counter.finish()
	return s, context.Cause(ctx)
}

// readPoints adds the points of the i-th read.
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
	points   uint64
	reads    int
	atOnce   int     // points of a read
	step     float64 // points from one read to the next
	expected int     // points that are read
}

func (f *File) planReads() readPlan {
	p := readPlan{points: f.Points}
	if f.Points*uint64(f.recordLength) <= wholeSize {
		p.atOnce = max(1, chunkSize/f.recordLength)
		p.reads = int((f.Points + uint64(p.atOnce) - 1) / uint64(p.atOnce))
		p.step = float64(p.atOnce)
		p.expected = int(f.Points)
		return p
	}
	p.atOnce = pointsAtPlace
	p.reads = samplePlaces
	p.step = float64(f.Points-pointsAtPlace) / samplePlaces
	p.expected = samplePlaces // points at a place are close to each other
	return p
}

// place returns the first point and the number of points of the i-th read. Places are shifted by
// a part of the step, because lines of a scanner can have a length that divides it.
func (p readPlan) place(i int) (point uint64, count int) {
	shift := 0.0
	if p.reads == samplePlaces && p.atOnce == pointsAtPlace {
		shift = math.Mod(float64(i)*math.Phi, 1)
	}
	point = min(uint64((float64(i)+shift)*p.step), p.points-1)
	return point, int(min(uint64(p.atOnce), p.points-point))
}

// makeGrid makes cells for a number of points, if they have an extent.
func (s *Sample) makeGrid(points int) {
	w := s.maxX - s.minX
	h := s.maxY - s.minY
	cells := float64(min(points/pointsPerCell, maxCells))
	if cells < 4 || w <= 0 || h <= 0 {
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
	s.occupied = make([]bool, s.width*s.height)
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
	classOffset := 15
	classMask := uint8(0x1f) // the other bits are flags
	if f.Format >= 6 {
		classOffset = 16
		classMask = 0xff
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for record := range slices.Chunk(data, f.recordLength) {
		s.Points++
		c.classes[record[classOffset]&classMask] = true
		x := f.coordinate(record, 0)
		y := f.coordinate(record, 1)
		if !s.isInExtent(x, y, 2*math.Abs(f.scale[0])) {
			s.Outside++
			continue
		}
		if s.occupied != nil {
			column := min(max(int((x-s.minX)/s.cell), 0), s.width-1)
			row := min(max(int((y-s.minY)/s.cell), 0), s.height-1)
			s.occupied[row*s.width+column] = true
		}
	}
}

// isInExtent reports whether coordinates are in the extent in the header, which may be rounded.
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
