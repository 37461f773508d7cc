package main

import (
	"image"
	"slices"

	"golang.org/x/image/vector"
)

// unit is one pixel in the coordinates of an outline.
const unit = 64

// full is the ink of a pixel that is covered.
const full = 255

// outlineSize is beyond what any letter or corner needs, in pixels. So small an area
// is measured in whole numbers: a picture is the same on every machine.
const outlineSize = 64

// outline is a set of closed figures, inked by the non-zero winding rule; y grows
// downwards.
type outline struct{ raster *vector.Rasterizer }

func newOutline() outline { return outline{vector.NewRasterizer(outlineSize, outlineSize)} }

// pixels returns a length in units in pixels.
func pixels(units int) float32 { return float32(units) / unit }

func (o outline) rect(x0, y0, x1, y1 int) {
	o.raster.MoveTo(pixels(x0), pixels(y0))
	o.raster.LineTo(pixels(x1), pixels(y0))
	o.raster.LineTo(pixels(x1), pixels(y1))
	o.raster.LineTo(pixels(x0), pixels(y1))
	o.raster.ClosePath()
}

// rounded adds a rectangle whose corners are quarter circles of radius r.
func (o outline) rounded(x0, y0, x1, y1, r int) {
	k := r * 448 / 1000 // from the corner to the control point of a quarter circle
	cubeTo := func(ax, ay, bx, by, x, y int) {
		o.raster.CubeTo(pixels(ax), pixels(ay), pixels(bx), pixels(by), pixels(x), pixels(y))
	}
	o.raster.MoveTo(pixels(x0+r), pixels(y0))
	o.raster.LineTo(pixels(x1-r), pixels(y0))
	cubeTo(x1-k, y0, x1, y0+k, x1, y0+r)
	o.raster.LineTo(pixels(x1), pixels(y1-r))
	cubeTo(x1, y1-k, x1-k, y1, x1-r, y1)
	o.raster.LineTo(pixels(x0+r), pixels(y1))
	cubeTo(x0+k, y1, x0, y1-k, x0, y1-r)
	o.raster.LineTo(pixels(x0), pixels(y0+r))
	cubeTo(x0, y0+k, x0+k, y0, x0+r, y0)
	o.raster.ClosePath()
}

func (o outline) circle(cx, cy, r int) { o.rounded(cx-r, cy-r, cx+r, cy+r, r) }

// mask says how far each pixel is inked, from 0 to full.
type mask struct {
	w, h int
	ink  []uint8
}

func (m mask) at(x, y int) int { return int(m.ink[y*m.w+x]) }

// flat returns a mask with the same ink everywhere.
func flat(w, h, ink int) mask {
	return mask{w, h, slices.Repeat([]uint8{uint8(ink)}, w*h)}
}

// mask measures the outline on w by h pixels from the origin. The rest is cut
// off.
func (o outline) mask(w, h int) mask {
	m := image.NewAlpha(image.Rect(0, 0, w, h))
	o.raster.Draw(m, m.Rect, image.Opaque, image.Point{})
	return mask{w, h, m.Pix}
}
