package main

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Margins around the cells and radius of the corners, in pixels. The margin at the
// top is small, because the account band is drawn over it.
const (
	marginX      = 16
	marginTop    = 4
	marginBottom = 12
	corner       = 10
)

// shadeCounts are the numbers of shades between the background and the ink of a cell,
// best first. A picture uses the first number with which it has at most 256 colours.
var shadeCounts = [...]int{15, 11, 7, 5, 3}

// paint draws a view of w by h cells. It uses at most maxShades shades between the
// background and the ink of a cell. frame is the colour of the line along the edge of
// the picture.
func paint(l *letters, view tea.View, w, h, maxShades int, frame color.Color) (*image.Paletted, error) {
	screen := uv.NewScreenBuffer(w, h)
	screen.Method = ansi.GraphemeWidth // as the app measures
	uv.NewStyledString(view.Content).Draw(screen, screen.Bounds())
	size := image.Rect(0, 0, w*cellW+2*marginX, h*cellH+marginTop+marginBottom)
	for _, n := range shadeCounts {
		if n > maxShades {
			continue
		}
		c := &canvas{image.NewRGBA(size), n}
		c.drawBackgrounds(screen, view)
		c.drawInks(l, screen, view)
		c.roundCorners(frame)
		if img, ok := c.paletted(); ok {
			return img, nil
		}
	}
	return nil, errors.New("the screen has more colours than a picture of 256 can hold")
}

// canvas is a picture that is being drawn.
type canvas struct {
	*image.RGBA
	shades int // number of shades between the background and the ink of a cell
}

// drawBackgrounds fills the cells with their backgrounds. The background of a cell at the
// edge of the screen also fills the margin.
func (c *canvas) drawBackgrounds(screen uv.ScreenBuffer, view tea.View) {
	for y := range screen.Height() {
		for x := range screen.Width() {
			_, background := cellColours(screen, view, x, y)
			area := c.backgroundArea(screen, x, y)
			draw.Draw(c, area, image.NewUniform(background), image.Point{}, draw.Src)
		}
	}
}

// backgroundArea returns the area of a cell, and for a cell at the edge of the screen also the margin next to it.
func (c *canvas) backgroundArea(screen uv.ScreenBuffer, x, y int) image.Rectangle {
	area := image.Rect(0, 0, cellW, cellH).Add(cellOrigin(x, y))
	if x == 0 {
		area.Min.X = 0
	}
	if y == 0 {
		area.Min.Y = 0
	}
	if x == screen.Width()-1 {
		area.Max.X = c.Rect.Max.X
	}
	if y == screen.Height()-1 {
		area.Max.Y = c.Rect.Max.Y
	}
	return area
}

// drawInks draws the characters of the cells.
func (c *canvas) drawInks(l *letters, screen uv.ScreenBuffer, view tea.View) {
	for y := range screen.Height() {
		for x := range screen.Width() {
			cell := screen.CellAt(x, y)
			isSecondCell := cell.Width == 0 // of a wide character
			if isSecondCell || cell.Content == " " || cell.Content == "" {
				continue
			}
			isBold := cell.Style.Attrs&uv.AttrBold != 0
			ink, _ := cellColours(screen, view, x, y)
			c.drawLetter(l.mask(letter{cell.Content, cell.Width, isBold}), ink, cellOrigin(x, y))
		}
	}
}

// drawLetter draws the mask of a letter in a colour. origin is the top left corner of its first cell.
func (c *canvas) drawLetter(mask *image.Alpha, ink color.Color, origin image.Point) {
	shaded := image.NewAlpha(mask.Rect) // the mask with the few shades of the canvas
	for i, share := range mask.Pix {
		shaded.Pix[i] = uint8(full * c.shade(float64(share)/full))
	}
	area := mask.Rect.Add(origin)
	draw.DrawMask(c, area, image.NewUniform(ink), image.Point{}, shaded, mask.Rect.Min, draw.Over)
}

// cellOrigin returns the top left corner of a cell of the screen in the picture.
func cellOrigin(x, y int) image.Point { return image.Pt(marginX+x*cellW, marginTop+y*cellH) }

// cellColours returns the colours of a cell. They are swapped if the cell is reversed or
// has the cursor, but not if it is both.
func cellColours(screen uv.ScreenBuffer, view tea.View, x, y int) (ink, background color.Color) {
	for x > 0 && screen.CellAt(x, y).Width == 0 {
		x-- // the second cell of a wide character has the colours of the first
	}
	style := screen.CellAt(x, y).Style
	ink = view.ForegroundColor
	background = view.BackgroundColor
	if style.Fg != nil {
		ink = style.Fg
	}
	if style.Bg != nil {
		background = style.Bg
	}
	hasCursor := view.Cursor != nil && view.Cursor.X == x && view.Cursor.Y == y
	isReversed := style.Attrs&uv.AttrReverse != 0
	if isReversed != hasCursor {
		return background, ink
	}
	return ink, background
}

// shade rounds a share of ink to the nearest shade of the canvas. Shares below 0 count as 0,
// and shares above 1 as 1.
func (c *canvas) shade(share float64) float64 {
	n := float64(c.shades)
	return math.Round(min(1, max(0, share))*n) / n
}

// roundCorners draws a line one pixel wide along the edge of the picture, and makes the picture
// transparent outside of the rounded corners.
func (c *canvas) roundCorners(frame color.Color) {
	inner := c.Rect.Inset(corner)
	for y := range c.Rect.Max.Y {
		for x := range c.Rect.Max.X {
			dx := max(inner.Min.X-x, x-inner.Max.X+1, 0)
			dy := max(inner.Min.Y-y, y-inner.Max.Y+1, 0)
			beyond := math.Sqrt(float64(dx*dx+dy*dy)) - corner // pixels outside of the edge; below 0 inside
			if beyond <= -1 {
				continue
			}
			// From -1 to 0 the colour of the line becomes opaque. From 0 to 1 the pixel becomes transparent.
			c.drawOver(x, y, frame, c.shade(1+beyond))
			c.fade(x, y, c.shade(1-beyond))
		}
	}
}

// drawOver draws a colour over a pixel, with an opacity from 0 to 1.
func (c *canvas) drawOver(x, y int, over color.Color, opacity float64) {
	pixel := image.Rect(x, y, x+1, y+1)
	mask := image.NewUniform(color.Alpha{uint8(full * opacity)})
	draw.DrawMask(c, pixel, image.NewUniform(over), image.Point{}, mask, image.Point{}, draw.Over)
}

// fade multiplies the opacity of a pixel by a share from 0 to 1.
func (c *canvas) fade(x, y int, share float64) {
	pixel := image.Rect(x, y, x+1, y+1)
	mask := image.NewUniform(color.Alpha{uint8(full * share)})
	draw.DrawMask(c, pixel, c.SubImage(pixel), pixel.Min, mask, image.Point{}, draw.Src)
}

// paletted returns the picture with a palette. The palette has the colours in the order in
// which they occur in the picture. It returns false if there are more than 256 colours.
func (c *canvas) paletted() (*image.Paletted, bool) {
	indexes := map[color.RGBA]uint8{} // indexes of the colours in the palette
	img := image.NewPaletted(c.Rect, nil)
	for i := range img.Pix {
		colour := color.RGBA{c.Pix[4*i], c.Pix[4*i+1], c.Pix[4*i+2], c.Pix[4*i+3]}
		index, isKnown := indexes[colour]
		if !isKnown {
			if len(img.Palette) == 256 {
				return nil, false
			}
			index = uint8(len(img.Palette))
			indexes[colour] = index
			img.Palette = append(img.Palette, color.NRGBAModel.Convert(colour))
		}
		img.Pix[i] = index
	}
	return img, true
}
