package geotiff

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

const (
	leastSide = 2048 // pixels of an overview that is exact enough
	gridSide  = 4096 // cells of a footprint
)

// Footprint is the part of a raster that has valid pixels.
type Footprint struct {
	Basis string // how valid pixels were found, such as "nodata value"
	Fault string // why the rectangle counts although some pixels can be invalid, or ""

	width, height int    // cells
	valid         []byte // one bit for each cell, 1 if valid; nil if all are valid
	toCell        affine // from the system to cells
	isGeographic  bool
	middle        float64 // longitude, if isGeographic
}

// The bases of footprints.
const (
	BasisMask      = "mask"
	BasisAlpha     = "alpha band"
	BasisNoData    = "nodata value"
	BasisRectangle = "rectangle"
)

// Covers reports whether coordinates of the system of the file are on a valid pixel.
func (f *Footprint) Covers(x, y float64) bool {
	if f.isGeographic {
		x = f.middle + math.Remainder(x-f.middle, 360)
	}
	column, row := f.toCell.apply(x, y)
	if !(column >= 0 && row >= 0 && column < float64(f.width) && row < float64(f.height)) {
		return false
	}
	if f.valid == nil {
		return true
	}
	cell := int(row)*f.width + int(column)
	return f.valid[cell/8]&(1<<(cell%8)) != 0
}

// validity is the image that shows which pixels are valid.
type validity struct {
	image  *image
	basis  string
	noData *float64
	band   int // to read from a planar image
}

// chooseValidity returns how valid pixels are found, or the fault why their images cannot be used.
func (f *File) chooseValidity() (v validity, fault string) {
	if masks := f.masks(); len(masks) > 0 {
		mask := smallestSuitable(masks)
		return validity{image: mask, basis: BasisMask}, mask.canDecode()
	}
	if f.raster.alpha < 0 && f.noData == nil && !f.hasNaN() {
		return validity{basis: BasisRectangle}, "it marks no empty pixels"
	}
	m := smallestSuitable(slices.Concat([]*image{f.raster}, f.overviews()))
	v = validity{image: m, basis: BasisNoData, noData: f.noData}
	if m.alpha >= 0 {
		v.basis = BasisAlpha
		if m.isPlanar {
			v.band = m.alpha
		}
	}
	return v, m.canDecode()
}

// masks returns the mask of the raster and the masks of its overviews.
func (f *File) masks() (masks []*image) {
	for _, m := range f.others {
		isRasterSize := m.width == f.Width && m.height == f.Height
		if m.isMask && (m.isOverview || isRasterSize) {
			masks = append(masks, m)
		}
	}
	return masks
}

// overviews returns the smaller images of the raster.
func (f *File) overviews() (overviews []*image) {
	for _, m := range f.others {
		if m.isOverview && !m.isMask {
			overviews = append(overviews, m)
		}
	}
	return overviews
}

// hasNaN reports whether samples can be NaN, which is no value.
func (f *File) hasNaN() bool { return f.raster.format == formatFloat }

// smallestSuitable returns the smallest image that is exact enough, or the largest.
func smallestSuitable(images []*image) *image {
	best := images[0]
	for _, m := range images[1:] {
		side := max(m.width, m.height)
		bestSide := max(best.width, best.height)
		isBetter := side < bestSide && side >= leastSide
		if bestSide < leastSide {
			isBetter = side > bestSide
		}
		if isBetter {
			best = m
		}
	}
	return best
}

// Footprint reads which pixels are valid. progress is called with the read share of the pixels,
// from 0 to 1; it may be nil. Footprint stops with an error when ctx ends.
func (f *File) Footprint(ctx context.Context, progress func(share float64)) (*Footprint, error) {
	toPixel, ok := f.transform.inverse()
	if !f.IsPlaced || !ok {
		return nil, errors.New("the file does not say where its pixels are")
	}
	p := &Footprint{width: f.Width, height: f.Height}
	if f.System != nil && f.System.IsGeographic() {
		p.isGeographic = true
		p.middle, _ = f.transform.apply(float64(f.Width)/2, float64(f.Height)/2)
	}
	v, fault := f.chooseValidity()
	p.Basis = v.basis
	if fault != "" {
		p.Basis = BasisRectangle
		p.Fault = fault
	}
	if p.Basis == BasisRectangle {
		p.toCell = toPixel
		return p, nil
	}
	step := divideUp(max(v.image.width, v.image.height), gridSide)
	p.width = divideUp(v.image.width, step)
	p.height = divideUp(v.image.height, step)
	// The factors are of pixels, because the last cell of a row or a column can be narrower.
	factorX := float64(v.image.width) / float64(f.Width) / float64(step)
	factorY := float64(v.image.height) / float64(f.Height) / float64(step)
	p.toCell = toPixel.scaled(factorX, factorY)
	cells := make([]bool, p.width*p.height)
	if err := p.readValid(ctx, v, step, cells, progress); err != nil {
		return nil, err
	}
	p.valid = packBools(cells)
	return p, nil
}

// packBools returns one bit for each value. Reading a raster uses whole bytes, because goroutines write
// neighbouring cells.
func packBools(values []bool) []byte {
	bits := make([]byte, divideUp(len(values), 8))
	for i, value := range values {
		if value {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

// readValid reads one pixel for each cell, and sets the cells that are valid.
func (p *Footprint) readValid(
	ctx context.Context, v validity, step int, cells []bool, progress func(float64),
) error {
	table, err := v.image.readBlockTable(v.band)
	if err != nil {
		return err
	}
	var done atomic.Int64
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, size := range table.sizes {
		if groupCtx.Err() != nil {
			break
		}
		job := blockJob{
			validity: v,
			grid:     p,
			cells:    cells,
			step:     step,
			column:   i % v.image.across,
			row:      i / v.image.across,
		}
		isSparse := size == 0 // the block has only pixels without data
		if isSparse || !job.hasCells() {
			done.Add(1)
			continue
		}
		group.Go(func() error {
			if err := job.read(groupCtx, table.offsets[i], size); err != nil {
				return err
			}
			n := done.Add(1)
			if progress != nil {
				progress(float64(n) / float64(len(table.sizes)))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// blockJob reads the cells of a block.
type blockJob struct {
	validity
	grid        *Footprint
	cells       []bool // of the grid
	step        int
	column, row int // of the block
}

// cellPixel returns the pixel that is read for a cell.
func (j *blockJob) cellPixel(cell, size int) int { return min(cell*j.step+j.step/2, size-1) }

// cellRange returns the range of cells whose pixels are in the range of pixels from one to another,
// without the last.
func (j *blockJob) cellRange(from, to, size int) (first, end int) {
	first = from / j.step
	for first > 0 && j.cellPixel(first-1, size) >= from {
		first--
	}
	for first*j.step < size && j.cellPixel(first, size) < from {
		first++
	}
	end = first
	for end*j.step < size && j.cellPixel(end, size) < to {
		end++
	}
	return first, end
}

// hasCells reports whether the block has pixels that are read.
func (j *blockJob) hasCells() bool {
	m := j.image
	left, right := j.cellRange(j.column*m.blockWidth, min((j.column+1)*m.blockWidth, m.width), m.width)
	top, bottom := j.cellRange(j.row*m.blockHeight, min((j.row+1)*m.blockHeight, m.height), m.height)
	return left < right && top < bottom
}

// read marks the valid cells of the block. Pixels after the end of a damaged block are invalid.
func (j *blockJob) read(ctx context.Context, offset, size uint64) error {
	m := j.image
	rows, err := m.openBlock(offset, size)
	if err != nil {
		return err
	}
	firstX := j.column * m.blockWidth // the first pixel of the block
	firstY := j.row * m.blockHeight
	left, right := j.cellRange(firstX, min(firstX+m.blockWidth, m.width), m.width)
	top, bottom := j.cellRange(firstY, min(firstY+m.blockHeight, m.height), m.height)
	for y := top; y < bottom; y++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row, err := rows.readRow(j.cellPixel(y, m.height) - firstY)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("its compressed pixels are damaged")
		}
		if m.hasDifferences() {
			row = bytes.Clone(row)
			m.undoPredictor(row)
		}
		cells := j.cells[y*j.grid.width:][:j.grid.width]
		for x := left; x < right; x++ {
			if j.isValid(row, j.cellPixel(x, m.width)-firstX) {
				cells[x] = true
			}
		}
	}
	return nil
}

// hasDifferences reports whether rows are stored as differences of samples.
func (m *image) hasDifferences() bool {
	return m.predictor != 1 && m.compression != compressionNone && m.compression != compressionJPEG
}

// isValid reports whether a pixel of a row has data.
func (j *blockJob) isValid(row []byte, x int) bool {
	m := j.image
	if j.basis == BasisMask && m.bits == 1 {
		return row[x/8]&(0x80>>(x%8)) != 0
	}
	size := m.bits / 8
	samples := m.samplesPerBlock()
	pixel := row[x*samples*size:][:samples*size]
	switch j.basis {
	case BasisMask:
		return pixel[0] != 0
	case BasisAlpha:
		if m.isPlanar {
			return !isZero(pixel)
		}
		return !isZero(pixel[m.alpha*size:][:size])
	}
	for i := 0; i < len(pixel); i += size {
		if j.hasData(m.sample(pixel[i:][:size])) {
			return true
		}
	}
	return false
}

func isZero(sample []byte) bool {
	for _, b := range sample {
		if b != 0 {
			return false
		}
	}
	return true
}

// hasData reports whether a sample is neither NaN nor the nodata value.
func (j *blockJob) hasData(value float64) bool {
	if math.IsNaN(value) {
		return false
	}
	if j.noData == nil {
		return true
	}
	if j.image.format == formatFloat && j.image.bits == 32 {
		return float32(value) != float32(*j.noData)
	}
	return value != *j.noData
}

// sample converts the bytes of a sample.
func (m *image) sample(data []byte) float64 {
	bits := m.unsigned(data)
	switch m.format {
	case formatFloat:
		if m.bits == 32 {
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	case formatSigned:
		unused := 64 - m.bits
		return float64(int64(bits<<unused) >> unused)
	}
	return float64(bits)
}
