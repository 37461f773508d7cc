package geotiff

import (
	"context"
	"errors"
	"math"
	"slices"
)

const (
	leastSide = 2048 // minimum longer side of an overview that is used for a footprint, in pixels
	gridSide  = 4096 // maximum longer side of a footprint, in cells
)

// Footprint is the part of a raster that has valid pixels. It is stored as a grid of cells.
type Footprint struct {
	Basis string // how valid pixels were found, such as "nodata value"
	Fault string // why the valid pixels are unknown, so that all pixels count as valid; otherwise ""

	// Inferred is the share of the image's blocks that were not read, to save time. Whether they are valid was
	// inferred from the blocks around them and from their compressed size.
	Inferred float64

	width, height int    // number of cells
	valid         []byte // one bit for each cell, 1 if valid; nil if all are valid
	toCell        affine // from coordinates of the reference system to cells

	isGeographic    bool
	middleLongitude float64 // longitude of the raster's centre, if isGeographic
}

// Values of Footprint.Basis. BasisRectangle means that all pixels count as valid.
const (
	BasisMask      = "mask"
	BasisAlpha     = "alpha band"
	BasisNoData    = "nodata value"
	BasisRectangle = "rectangle"
)

// Covers reports whether the raster has a valid pixel at x, y, in coordinates of its reference
// system. Longitudes may differ by 360°: -170° is on a raster from 170° to 200°.
func (f *Footprint) Covers(x, y float64) bool {
	if f.isGeographic {
		x = f.middleLongitude + math.Remainder(x-f.middleLongitude, 360)
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

// validity says which image decides whether pixels are valid, and how: a mask, the alpha band or the nodata value.
type validity struct {
	image  *image
	basis  string   // BasisMask, BasisAlpha or BasisNoData
	noData *float64 // nodata value, or nil
	band   int      // band to read if the image stores its bands separately (planar)
}

// chooseValidity chooses the image that decides which pixels are valid. fault is "", or says why
// there is none: the raster marks no empty pixels, or the image cannot be decoded.
func (f *File) chooseValidity() (v validity, fault string) {
	if masks := f.masks(); len(masks) > 0 {
		mask := smallestSuitable(masks)
		return validity{image: mask, basis: BasisMask}, mask.decodeFault()
	}
	if f.raster.alpha < 0 && f.noData == nil && !f.canHaveNaN() {
		return validity{}, "it marks no empty pixels"
	}
	m := smallestSuitable(slices.Concat([]*image{f.raster}, f.overviews()))
	v = validity{image: m, basis: BasisNoData, noData: f.noData}
	if m.alpha >= 0 {
		v.basis = BasisAlpha
		if m.isPlanar {
			v.band = m.alpha
		}
	}
	return v, m.decodeFault()
}

// masks returns the mask of the raster and its smaller copies.
func (f *File) masks() (masks []*image) {
	for _, m := range f.others {
		isRasterSize := m.width == f.Width && m.height == f.Height
		if m.isMask && (m.isOverview || isRasterSize) {
			masks = append(masks, m)
		}
	}
	return masks
}

// overviews returns the smaller copies of the raster.
func (f *File) overviews() (overviews []*image) {
	for _, m := range f.others {
		if m.isOverview && !m.isMask {
			overviews = append(overviews, m)
		}
	}
	return overviews
}

// canHaveNaN reports whether the samples are floating-point numbers. NaN then marks pixels without data.
func (f *File) canHaveNaN() bool { return f.raster.format == formatFloat }

// smallestSuitable returns the smallest image with at least leastSide pixels on its longer side. If
// all images are smaller, it returns the largest.
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

// Footprint finds out which pixels are valid. progress is called with the share that was read, from 0
// to 1; it may be nil. Footprint stops with an error when ctx ends.
func (f *File) Footprint(ctx context.Context, progress func(share float64)) (*Footprint, error) {
	toPixel, isInvertible := f.transform.inverse()
	if !f.IsPlaced || !isInvertible {
		return nil, errors.New("the file does not say where its pixels are")
	}
	p := &Footprint{}
	if f.System != nil && f.System.IsGeographic() {
		p.isGeographic = true
		p.middleLongitude, _ = f.transform.apply(float64(f.Width)/2, float64(f.Height)/2)
	}
	v, fault := f.chooseValidity()
	if fault != "" {
		p.countAllAsValid(f, toPixel, fault)
		return p, nil
	}
	if progress == nil {
		progress = func(float64) {}
	}
	step := divideUp(max(v.image.width, v.image.height), gridSide) // pixels of the image per cell
	p.makeCells(f, v, step, toPixel)
	r := blockReader{
		validity: v,
		grid:     p,
		cells:    make([]bool, p.width*p.height),
		step:     step,
		progress: progress,
	}
	if err := r.read(ctx); err != nil {
		return nil, err
	}
	p.valid = packBools(r.cells)
	p.Inferred = r.inferred
	return p, nil
}

// countAllAsValid makes the footprint the whole rectangle of the raster. fault says why the valid
// pixels are unknown.
func (p *Footprint) countAllAsValid(f *File, toPixel affine, fault string) {
	p.Basis = BasisRectangle
	p.Fault = fault
	p.width = f.Width
	p.height = f.Height
	p.toCell = toPixel
}

// makeCells divides the image of v into square cells with sides of step pixels. toPixel converts
// coordinates to pixels of the raster. The image can be an overview with fewer pixels than the raster.
func (p *Footprint) makeCells(f *File, v validity, step int, toPixel affine) {
	p.Basis = v.basis
	p.width = divideUp(v.image.width, step)
	p.height = divideUp(v.image.height, step)
	scaleX := float64(v.image.width) / float64(f.Width)
	scaleY := float64(v.image.height) / float64(f.Height)
	p.toCell = toPixel.scaled(scaleX/float64(step), scaleY/float64(step))
}

// packBools packs values into bits, which need less memory. The blocks are read into bools first, because
// several goroutines write them and cannot share bytes.
func packBools(values []bool) []byte {
	bits := make([]byte, divideUp(len(values), 8))
	for i, value := range values {
		if value {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

// hasDifferences reports whether rows are stored as differences between pixels.
func (m *image) hasDifferences() bool {
	return m.predictor != 1 && m.compression != compressionNone && m.compression != compressionJPEG
}

// isValid reports whether the pixel in column x of row has data.
func (v *validity) isValid(row []byte, x int) bool {
	m := v.image
	if v.basis == BasisMask && m.bits == 1 {
		return row[x/8]&(0x80>>(x%8)) != 0
	}
	size := m.bits / 8
	samples := m.samplesPerBlock()
	pixel := row[x*samples*size:][:samples*size]
	switch v.basis {
	case BasisMask:
		return pixel[0] != 0
	case BasisAlpha:
		if m.isPlanar {
			return !isZero(pixel)
		}
		return !isZero(pixel[m.alpha*size:][:size])
	}
	for i := 0; i < len(pixel); i += size {
		if v.hasData(m.sample(pixel[i:][:size])) {
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
func (v *validity) hasData(value float64) bool {
	if math.IsNaN(value) {
		return false
	}
	if v.noData == nil {
		return true
	}
	if v.image.format == formatFloat && v.image.bits == 32 {
		return float32(value) != float32(*v.noData)
	}
	return value != *v.noData
}

// sample decodes a sample.
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
